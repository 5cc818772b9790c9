//! From a function of LLVM assembly to expressions: every path at once, joined where blocks are.
//!
//! A block runs once for each number of times that the loops around it have run, after all blocks that lead to it. Loops
//! are unrolled as long as it is not constant that they end.

mod call;
mod memory;

use std::collections::BTreeMap;
use std::rc::Rc;

use hydride_ir::{ArgId, BinaryOp, Bits, ExprId};
use llvm_text::Type;
use rustc_hash::FxHashMap;

use crate::ast::{Action, Attribute, Body, Element, Flags, Instruction, Operand, Value, elements};
use crate::bytes::{Accesses, Objects, POINTER, Written, joined};
use crate::error::{Fault, Place};
use crate::generic::{self, Lane};
use crate::graph::Graph;
use crate::order::nest;
use crate::parse::part;
use crate::target::{Intrinsics, Known};

/// The most blocks that run, each iteration of a loop counted.
const MAX_BLOCKS: usize = 20_000;

/// What a function does, as expressions over its arguments.
pub(crate) struct Behavior {
    /// Whether the behavior is undefined.
    pub undefined: ExprId,
    /// The elements of the result.
    pub result: Vec<Lane>,
    /// What it may choose, once a run.
    pub choices: Vec<(ArgId, ExprId)>,
    /// Whether it has `undef`, which is taken as less than it may be.
    pub has_undef: bool,
    /// What is in memory at the end, where it was written to.
    pub written: Written,
    /// What it reads and writes of what its pointers lead to.
    pub accesses: Accesses,
    /// Accesses that are undefined behavior, each with when it is and what is wrong with it.
    pub wrong: Vec<(ExprId, String)>,
}

/// How `undef` is taken.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Undef {
    /// As one value: not more than what may be. For functions that are refined.
    Chosen,
    /// As poison: more than what may be. For functions that refine.
    Poison,
}

/// What is known on a way: values by name, and what was written to memory.
#[derive(Clone, Default)]
struct Environment {
    values: FxHashMap<String, Rc<[Lane]>>,
    written: Written,
}

/// An edge that is taken under a condition.
struct Edge {
    condition: ExprId,
    from: usize,
    values: Rc<Environment>,
}

/// The enclosing loops' headers with their iterations, then the block: ascending in order of execution.
type Instance = Vec<(usize, u32)>;

struct Translator<'a> {
    graph: &'a mut Graph,
    body: &'a Body,
    intrinsics: &'a dyn Intrinsics,
    undef: Undef,
    side: &'static str,
    unroll: u32,
    /// Blocks by label.
    labels: FxHashMap<&'a str, usize>,
    /// For each block its place in an order in which loops aside all edges ascend.
    order: Vec<usize>,
    /// For each block the headers of the loops around it, outermost first.
    loops: Vec<Vec<usize>>,
    pending: BTreeMap<Instance, (usize, Vec<Edge>)>,
    objects: &'a mut Objects,
    returned: Vec<(ExprId, Vec<Lane>, Written)>,
    behavior: Behavior,
    dependencies: FxHashMap<(String, Vec<Option<Bits>>), Rc<Known>>,
}

type Read<T> = Result<T, Fault>;

fn fault<T>(place: Place, message: impl Into<String>) -> Read<T> {
    Err(Fault::new(place, message))
}

/// Translates a function whose arguments are given, element by element.
pub(crate) fn translate(
    graph: &mut Graph,
    objects: &mut Objects,
    body: &Body,
    arguments: &[Vec<Lane>],
    intrinsics: &dyn Intrinsics,
    (undef, side, unroll): (Undef, &'static str, u32),
) -> Read<Behavior> {
    let no = graph.bool(false);
    let labels: FxHashMap<&str, usize> =
        body.blocks.iter().enumerate().map(|(at, block)| (block.label.as_str(), at)).collect();
    let (order, loops) = nest(body, &labels)?;
    let behavior = Behavior {
        undefined: no,
        result: Vec::new(),
        choices: Vec::new(),
        has_undef: false,
        written: Written::new(),
        accesses: Accesses::default(),
        wrong: Vec::new(),
    };
    let mut translator = Translator {
        graph,
        body,
        intrinsics,
        undef,
        side,
        unroll,
        labels,
        order,
        loops,
        pending: BTreeMap::new(),
        objects,
        returned: Vec::new(),
        behavior,
        dependencies: FxHashMap::default(),
    };
    translator.run(arguments)?;
    Ok(translator.behavior)
}

impl Translator<'_> {
    fn run(&mut self, arguments: &[Vec<Lane>]) -> Read<()> {
        let yes = self.graph.bool(true);
        let mut values = Environment::default();
        for (parameter, lanes) in self.body.parameters.iter().zip(arguments) {
            let lanes = match parameter.ty {
                Type::Pointer => self.pointed(&parameter.attributes, lanes, yes)?,
                _ => self.required(&parameter.attributes, lanes.clone(), yes),
            };
            values.values.insert(parameter.name.clone(), lanes.into());
        }
        let first: Instance = vec![(self.order[0], 0)];
        if !self.loops[0].is_empty() {
            return fault(Place::default(), "a loop that begins with the entry");
        }
        self.pending
            .insert(first, (0, vec![Edge { condition: yes, from: usize::MAX, values: Rc::new(values) }]));
        let mut blocks = 0;
        while let Some((instance, (block, edges))) = self.pending.pop_first() {
            blocks += 1;
            if blocks > MAX_BLOCKS || self.graph.is_full() {
                return fault(Place::default(), "more than the limit of blocks or expressions");
            }
            self.block(&instance, block, &edges)?;
        }
        self.behavior.result = self.joined_results();
        Ok(())
    }

    fn joined_results(&mut self) -> Vec<Lane> {
        let mut returned = std::mem::take(&mut self.returned).into_iter().rev();
        let Some((_, mut result, written)) = returned.next() else { return Vec::new() };
        self.behavior.written = written;
        for (condition, lanes, written) in returned {
            let all = [(condition, &self.behavior.written), (condition, &written)];
            self.behavior.written = joined(self.graph, self.objects, &all);
            for (lane, own) in result.iter_mut().zip(lanes) {
                *lane = self.chosen(condition, own, *lane);
            }
        }
        result
    }

    fn chosen(&mut self, condition: ExprId, then: Lane, otherwise: Lane) -> Lane {
        Lane {
            bits: self.graph.select(condition, then.bits, otherwise.bits),
            poison: self.graph.select(condition, then.poison, otherwise.poison),
        }
    }

    fn block(&mut self, instance: &Instance, block: usize, edges: &[Edge]) -> Read<()> {
        let (mut condition, mut values) = match edges {
            [only] => (only.condition, (*only.values).clone()),
            _ => (self.graph.bool(false), Environment::default()),
        };
        if edges.len() > 1 {
            for edge in edges {
                condition = self.graph.or(condition, edge.condition);
            }
            let written: Vec<_> = edges.iter().map(|edge| (edge.condition, &edge.values.written)).collect();
            values.written = joined(self.graph, self.objects, &written);
            for (name, lanes) in &edges[0].values.values {
                let others: Option<Vec<&Rc<[Lane]>>> =
                    edges.iter().map(|edge| edge.values.values.get(name)).collect();
                // What one way does not define is not used after it.
                let Some(others) = others else { continue };
                let mut merged = lanes.clone();
                for (edge, own) in edges.iter().zip(others).skip(1).filter(|(_, own)| **own != *lanes) {
                    merged = merged
                        .iter()
                        .zip(own.iter())
                        .map(|(a, b)| self.chosen(edge.condition, *b, *a))
                        .collect();
                }
                values.values.insert(name.clone(), merged);
            }
        }
        let body = self.body;
        let mut phis: Vec<(String, Rc<[Lane]>)> = Vec::new();
        for instruction in &body.blocks[block].instructions {
            if let Action::Phi(incoming) = &instruction.action {
                let lanes = self.phi(instruction, incoming, edges)?;
                phis.extend(instruction.result.clone().map(|name| (name, lanes.into())));
                continue;
            }
            // All at once: one may read what another one was before.
            values.values.extend(phis.drain(..));
            if self.terminator(instance, block, instruction, condition, &values)? {
                return Ok(());
            }
            let lanes = match self.of_memory(instruction, condition, &mut values)? {
                Some(lanes) => lanes,
                None => self.instruction(instruction, condition, &values)?,
            };
            if let Some(name) = &instruction.result {
                values.values.insert(name.clone(), lanes.into());
            }
        }
        fault(Place::default(), "a block that does not end")
    }

    fn phi(&mut self, at: &Instruction, incoming: &[(Value, String)], edges: &[Edge]) -> Read<Vec<Lane>> {
        let mut merged: Option<Vec<Lane>> = None;
        for edge in edges {
            let label = self.body.blocks.get(edge.from).map(|block| block.label.as_str());
            let found = incoming.iter().find(|(_, from)| Some(from.as_str()) == label);
            let Some((value, _)) = found else {
                return fault(at.place, "a phi without a value for a way to it");
            };
            let operand = Operand { ty: at.ty.clone(), value: value.clone() };
            let lanes = self.operand(&operand, at.place, &edge.values)?;
            merged = Some(match merged {
                None => lanes.to_vec(),
                Some(before) => before
                    .iter()
                    .zip(lanes.iter())
                    .map(|(a, b)| self.chosen(edge.condition, *b, *a))
                    .collect(),
            });
        }
        Ok(merged.unwrap_or_default())
    }

    fn go(
        &mut self,
        instance: &Instance,
        from: usize,
        to: &str,
        condition: ExprId,
        values: &Rc<Environment>,
    ) -> Read<()> {
        if self.graph.as_bool(condition) == Some(false) {
            return Ok(());
        }
        let to = self.labels[to];
        let mut next = Instance::new();
        for header in &self.loops[to] {
            let own = (self.order[*header], 0);
            let now = instance.iter().take(instance.len() - 1).find(|(place, _)| *place == own.0);
            let iteration = now.map_or(0, |(_, iteration)| iteration + u32::from(*header == to));
            if iteration > self.unroll {
                let place =
                    self.body.blocks[to].instructions.first().map(|first| first.place).unwrap_or_default();
                return fault(
                    place,
                    format!("a loop that is not known to end after {} iterations", self.unroll),
                );
            }
            next.push((own.0, iteration));
        }
        next.push((self.order[to], 0));
        let edges = &mut self.pending.entry(next).or_insert_with(|| (to, Vec::new())).1;
        edges.push(Edge { condition, from, values: values.clone() });
        Ok(())
    }

    /// Undefined behavior where a condition holds on a path.
    fn undefined(&mut self, path: ExprId, when: ExprId) {
        let both = self.graph.and(path, when);
        self.behavior.undefined = self.graph.or(self.behavior.undefined, both);
    }

    fn terminator(
        &mut self,
        instance: &Instance,
        block: usize,
        instruction: &Instruction,
        path: ExprId,
        values: &Environment,
    ) -> Read<bool> {
        let place = instruction.place;
        match &instruction.action {
            Action::Return(operand) => {
                let lanes = match operand {
                    Some(operand) => self.operand(operand, place, values)?.to_vec(),
                    None => Vec::new(),
                };
                let lanes = self.required(&self.body.attributes, lanes, path);
                self.returned.push((path, lanes, values.written.clone()));
            }
            Action::Unreachable => {
                let yes = self.graph.bool(true);
                self.undefined(path, yes);
            }
            Action::Branch(to) => self.go(instance, block, to, path, &Rc::new(values.clone()))?,
            Action::If(condition, then, otherwise) => {
                let lane = self.single(condition, place, values)?;
                self.undefined(path, lane.poison);
                let values = Rc::new(values.clone());
                // A way to one block under either condition is one edge.
                if then == otherwise {
                    self.go(instance, block, then, path, &values)?;
                    return Ok(true);
                }
                let taken = self.graph.and(path, lane.bits);
                self.go(instance, block, then, taken, &values)?;
                let not = self.graph.not(lane.bits);
                let taken = self.graph.and(path, not);
                self.go(instance, block, otherwise, taken, &values)?;
            }
            Action::Switch(on, default, cases) => {
                let lane = self.single(on, place, values)?;
                self.undefined(path, lane.poison);
                let values = Rc::new(values.clone());
                let mut taken: BTreeMap<&String, ExprId> = BTreeMap::new();
                let mut rest = path;
                for (value, label) in cases {
                    let value = self.graph.bits(value.clone());
                    let is = self.graph.equal(lane.bits, value);
                    let own = self.graph.and(path, is);
                    let no = self.graph.bool(false);
                    let all = taken.entry(label).or_insert(no);
                    *all = self.graph.or(*all, own);
                    let not = self.graph.not(is);
                    rest = self.graph.and(rest, not);
                }
                let no = self.graph.bool(false);
                let all = taken.entry(default).or_insert(no);
                *all = self.graph.or(*all, rest);
                for (label, condition) in taken {
                    self.go(instance, block, label, condition, &values)?;
                }
            }
            _ => return Ok(false),
        }
        Ok(true)
    }

    /// Values with the attributes that their place has: undefined behavior or poison where they are not met.
    fn required(&mut self, attributes: &[Attribute], mut lanes: Vec<Lane>, path: ExprId) -> Vec<Lane> {
        for attribute in attributes {
            for lane in &mut lanes {
                if let Some(outside) = self.outside(attribute, lane.bits) {
                    lane.poison = self.graph.or(lane.poison, outside);
                }
            }
        }
        if attributes.contains(&Attribute::NoUndef) {
            for lane in &lanes {
                self.undefined(path, lane.poison);
            }
        }
        lanes
    }

    /// Whether a number is not what an attribute admits; `None` where the attribute says nothing of numbers of its width.
    fn outside(&mut self, attribute: &Attribute, bits: ExprId) -> Option<ExprId> {
        let (Attribute::Range(first, second) | Attribute::KnownBits(first, second)) = attribute else {
            return None;
        };
        if self.graph.width(bits) != first.width() {
            return None;
        }
        let (first, second) = (self.graph.bits(first.clone()), self.graph.bits(second.clone()));
        let inside = if matches!(attribute, Attribute::Range(..)) {
            // One comparison for ranges that wrap around as well.
            let (offset, length) = (self.graph.sub(bits, first), self.graph.sub(second, first));
            self.graph.less(false, offset, length)
        } else {
            let known = self.graph.binary(BinaryOp::Or, false, first, second);
            let own = self.graph.binary(BinaryOp::And, false, bits, known);
            self.graph.equal(own, second)
        };
        Some(self.graph.not(inside))
    }

    fn operand(&mut self, operand: &Operand, place: Place, values: &Environment) -> Read<Rc<[Lane]>> {
        let Some(widths) = parts(&operand.ty) else {
            return fault(place, format!("values of type `{}` are outside of what is modelled", operand.ty));
        };
        let constant = match &operand.value {
            Value::Local(name) => {
                let found = values.values.get(name).cloned();
                let fits = |lanes: &Rc<[Lane]>| {
                    lanes.iter().map(|lane| self.graph.width(lane.bits)).eq(widths.iter().copied())
                };
                return match found {
                    Some(lanes) if fits(&lanes) => Ok(lanes),
                    Some(_) => fault(place, format!("%{name} has another type")),
                    None => fault(place, format!("%{name} is not defined here")),
                };
            }
            Value::Constant(constant) => constant,
        };
        let mut lanes = Vec::new();
        for (element, width) in constant.iter().zip(&widths) {
            lanes.push(match element {
                Element::Bits(bits) => {
                    Lane { bits: self.graph.bits(bits.clone()), poison: self.graph.bool(false) }
                }
                Element::Poison => self.poison(*width),
                Element::Undef => {
                    self.behavior.has_undef = true;
                    match self.undef {
                        Undef::Poison => self.poison(*width),
                        Undef::Chosen => Lane { bits: self.choice(*width), poison: self.graph.bool(false) },
                    }
                }
            });
        }
        Ok(lanes.into())
    }

    fn poison(&mut self, width: u32) -> Lane {
        Lane { bits: self.graph.number(width, 0), poison: self.graph.bool(true) }
    }

    fn choice(&mut self, width: u32) -> ExprId {
        let name = format!("{}.choice{}", self.side, self.behavior.choices.len());
        let (arg, bits) = self.graph.argument(name, width);
        self.behavior.choices.push((arg, bits));
        bits
    }

    fn single(&mut self, operand: &Operand, place: Place, values: &Environment) -> Read<Lane> {
        match *self.operand(operand, place, values)? {
            [lane] => Ok(lane),
            _ => fault(place, "expected a value of one element"),
        }
    }

    fn instruction(&mut self, at: &Instruction, path: ExprId, values: &Environment) -> Read<Vec<Lane>> {
        let place = at.place;
        let lanes = match &at.action {
            Action::Binary(name, flags, left, right) => {
                let (left, right) = (self.operand(left, place, values)?, self.operand(right, place, values)?);
                let mut lanes = Vec::new();
                for (a, b) in left.iter().zip(right.iter()) {
                    let Some((bits, poison, undefined)) = generic::binary(self.graph, name, *flags, *a, *b)
                    else {
                        return fault(place, format!("`{name}` is outside of what is modelled"));
                    };
                    self.undefined(path, undefined);
                    lanes.push(self.spread(bits, poison, &[*a, *b]));
                }
                lanes
            }
            Action::Compare(predicate, flags, left, right) => {
                let (left, right) = (self.operand(left, place, values)?, self.operand(right, place, values)?);
                let mut lanes = Vec::new();
                for (a, b) in left.iter().zip(right.iter()) {
                    let bits = generic::compare(self.graph, predicate, a.bits, b.bits);
                    let mut poison = self.graph.bool(false);
                    if flags.samesign {
                        let [a, b] = [a.bits, b.bits].map(|bits| self.sign(bits));
                        poison = self.graph.differ(a, b);
                    }
                    lanes.push(self.spread(bits, poison, &[*a, *b]));
                }
                lanes
            }
            Action::Cast(name, flags, of, to) => {
                let lanes = self.operand(of, place, values)?;
                self.cast(name, *flags, &lanes, to, place)?
            }
            Action::Select(condition, then, otherwise) => {
                let (condition, then, otherwise) = (
                    self.operand(condition, place, values)?,
                    self.operand(then, place, values)?,
                    self.operand(otherwise, place, values)?,
                );
                let mut lanes = Vec::new();
                for (position, (a, b)) in then.iter().zip(otherwise.iter()).enumerate() {
                    let Some(own) = condition.get(if condition.len() == 1 { 0 } else { position }).copied()
                    else {
                        return fault(place, "a condition with another number of elements");
                    };
                    let mut lane = self.chosen(own.bits, *a, *b);
                    lane.poison = self.graph.or(lane.poison, own.poison);
                    lanes.push(lane);
                }
                lanes
            }
            Action::Freeze(of) => {
                let mut lanes = self.operand(of, place, values)?.to_vec();
                for lane in &mut lanes {
                    if self.graph.as_bool(lane.poison) != Some(false) {
                        let choice = self.choice(self.graph.width(lane.bits));
                        lane.bits = self.graph.select(lane.poison, choice, lane.bits);
                        lane.poison = self.graph.bool(false);
                    }
                }
                lanes
            }
            Action::Shuffle(left, right, mask) => {
                let both: Vec<Lane> =
                    [self.operand(left, place, values)?, self.operand(right, place, values)?].concat();
                let width = both.first().map_or(1, |lane| self.graph.width(lane.bits));
                let lane = |lane: &Option<u32>| match lane.map(|lane| both.get(lane as usize)) {
                    Some(Some(lane)) => Ok(*lane),
                    Some(None) => fault(place, "a mask beyond the elements"),
                    None => Ok(self.poison(width)),
                };
                mask.iter().map(lane).collect::<Read<_>>()?
            }
            Action::ExtractElement(vector, index) => {
                let (vector, index) =
                    (self.operand(vector, place, values)?, self.single(index, place, values)?);
                let Some(first) = vector.first() else { return fault(place, "a vector without elements") };
                let mut lane = self.poison(self.graph.width(first.bits));
                for (position, own) in vector.iter().enumerate() {
                    let is = self.is(index.bits, position);
                    lane = self.chosen(is, *own, lane);
                }
                lane.poison = self.graph.or(lane.poison, index.poison);
                vec![lane]
            }
            Action::InsertElement(vector, element, index) => {
                let (vector, element) =
                    (self.operand(vector, place, values)?, self.single(element, place, values)?);
                let index = self.single(index, place, values)?;
                let count = vector.len();
                let mut beyond = self.graph.bool(true);
                let mut lanes = Vec::new();
                for (position, own) in vector.iter().enumerate().take(count) {
                    let is = self.is(index.bits, position);
                    let not = self.graph.not(is);
                    beyond = self.graph.and(beyond, not);
                    lanes.push(self.chosen(is, element, *own));
                }
                for lane in &mut lanes {
                    lane.poison = self.graph.or(lane.poison, beyond);
                    lane.poison = self.graph.or(lane.poison, index.poison);
                }
                lanes
            }
            Action::ExtractValue(whole, indices) => {
                let lanes = self.operand(whole, place, values)?;
                let Some((first, ty)) = part(&whole.ty, indices) else { return fault(place, "no such part") };
                let count = elements(&ty).map_or(0, |widths| widths.len());
                lanes[first..first + count].to_vec()
            }
            Action::InsertValue(whole, value, indices) => {
                let mut lanes = self.operand(whole, place, values)?.to_vec();
                let value_lanes = self.operand(value, place, values)?;
                match part(&whole.ty, indices) {
                    Some((first, ty)) if ty == value.ty => {
                        lanes[first..first + value_lanes.len()].copy_from_slice(&value_lanes);
                    }
                    _ => return fault(place, "no such part of this type"),
                }
                lanes
            }
            Action::Call { function, arguments, attributes } => {
                let mut operands: Vec<Rc<[Lane]>> = Vec::new();
                for (operand, attributes) in arguments {
                    let lanes = self.operand(operand, place, values)?.to_vec();
                    operands.push(self.required(attributes, lanes, path).into());
                }
                let lanes = self.call(function, &operands, &at.ty, place, path)?;
                self.required(attributes, lanes, path)
            }
            Action::Phi(_) => return fault(place, "a phi after other instructions"),
            Action::Load(..) | Action::Store(..) | Action::Offset(..) | Action::Allocate(..) => {
                return fault(place, "memory that is not modelled");
            }
            Action::Branch(_)
            | Action::If(..)
            | Action::Switch(..)
            | Action::Return(_)
            | Action::Unreachable => Vec::new(),
        };
        let expected = if at.ty == Type::Void { Some(Vec::new()) } else { parts(&at.ty) };
        let widths: Vec<u32> = lanes.iter().map(|lane| self.graph.width(lane.bits)).collect();
        if expected != Some(widths) {
            return fault(place, "operands of types that do not fit together");
        }
        Ok(lanes)
    }

    /// A value with what makes it poison besides its operands.
    fn spread(&mut self, bits: ExprId, mut poison: ExprId, operands: &[Lane]) -> Lane {
        for operand in operands {
            poison = self.graph.or(poison, operand.poison);
        }
        Lane { bits, poison }
    }

    fn sign(&mut self, bits: ExprId) -> ExprId {
        let width = self.graph.width(bits);
        self.graph.extract(bits, width - 1, 1)
    }

    /// Whether an index is a position.
    fn is(&mut self, index: ExprId, position: usize) -> ExprId {
        let width = self.graph.width(index);
        if width < 64 && position as u64 >= 1 << width {
            return self.graph.bool(false);
        }
        let position = self.graph.number(width, position as u64);
        self.graph.equal(index, position)
    }

    fn cast(&mut self, name: &str, flags: Flags, lanes: &[Lane], to: &Type, place: Place) -> Read<Vec<Lane>> {
        let Some(widths) = elements(to) else {
            return fault(place, "a conversion to a type that is not modelled");
        };
        if name == "bitcast" {
            return match self.graph.sliced(lanes, &widths) {
                Some(lanes) => Ok(lanes),
                None => fault(place, "a bitcast to another width"),
            };
        }
        let mut all = Vec::new();
        for (lane, width) in lanes.iter().zip(&widths) {
            let own = self.graph.width(lane.bits);
            let narrower = *width < own;
            if *width == own || narrower != (name == "trunc") {
                return fault(place, "a conversion to a width that does not fit");
            }
            let bits = self.graph.cast(lane.bits, name == "sext", *width);
            let mut poison = self.graph.bool(false);
            if narrower {
                for signed in [(flags.nuw, false), (flags.nsw, true)].into_iter().filter(|flag| flag.0) {
                    let back = self.graph.cast(bits, signed.1, own);
                    let lost = self.graph.differ(back, lane.bits);
                    poison = self.graph.or(poison, lost);
                }
            } else if flags.nneg {
                poison = self.sign(lane.bits);
            }
            all.push(self.spread(bits, poison, &[*lane]));
        }
        Ok(all)
    }
}

/// The elements of a value: of a pointer what it leads to, and the place there.
fn parts(ty: &Type) -> Option<Vec<u32>> {
    if *ty == Type::Pointer { Some(POINTER.to_vec()) } else { elements(ty) }
}
