//! From a function of LLVM assembly to expressions: every path at once, joined where blocks are.
//!
//! A block runs once for each number of times that the loops around it have run, after all blocks that lead to it. Loops
//! are unrolled as long as it is not constant that they end.

use std::collections::BTreeMap;
use std::rc::Rc;

use hydride_ir::{ArgId, BinaryOp, Bits, ExprId, Function as Ir, passes};
use llvm_text::Type;
use rustc_hash::{FxHashMap, FxHashSet};

use crate::ast::{Action, Attribute, Body, Element, Flags, Instruction, Operand, Value, elements};
use crate::error::{Fault, Place};
use crate::generic::{self, Lane};
use crate::graph::Graph;
use crate::parse::part;

/// The most blocks that run, each iteration of a loop counted.
const MAX_BLOCKS: usize = 20_000;

/// What a target's intrinsic computes.
#[derive(Clone, Debug)]
pub struct Target {
    /// A function of the IR with one result, as wide as that of the intrinsic.
    pub function: Ir,
    /// For each of its arguments the call's operand that it is.
    pub arguments: Vec<Argument>,
}

/// An argument of a target's function.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Argument {
    /// An operand of the call, by position.
    Operand(usize),
    /// A constant.
    Constant(Bits),
}

/// Where the meaning of intrinsics of targets comes from.
pub trait Intrinsics {
    /// What the intrinsic of that name computes. Operands that are constants are given; `Err` says why it is not known.
    fn find(&self, name: &str, constants: &[Option<Bits>]) -> Result<Target, String>;
}

/// No intrinsics of targets.
pub struct NoIntrinsics;

impl Intrinsics for NoIntrinsics {
    fn find(&self, name: &str, _: &[Option<Bits>]) -> Result<Target, String> {
        Err(format!("@{name} is outside of what is modelled"))
    }
}

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
}

/// How `undef` is taken.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Undef {
    /// As one value: not more than what may be. For functions that are refined.
    Chosen,
    /// As poison: more than what may be. For functions that refine.
    Poison,
}

type Environment = FxHashMap<String, Rc<[Lane]>>;

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
    returned: Vec<(ExprId, Vec<Lane>)>,
    behavior: Behavior,
    dependencies: FxHashMap<(String, Vec<Option<Bits>>), Rc<Known>>,
}

/// A target's function, and for each element of its result the elements of operands that it depends on.
struct Known {
    function: Ir,
    arguments: Vec<Argument>,
    depends: Vec<Vec<(usize, usize)>>,
}

type Read<T> = Result<T, Fault>;

/// What is computed of one element of each operand: the value, and what makes it poison besides these.
type ElementWise<'f> = dyn FnMut(&mut Graph, &[Lane]) -> Option<(ExprId, ExprId)> + 'f;

fn fault<T>(place: Place, message: impl Into<String>) -> Read<T> {
    Err(Fault::new(place, message))
}

/// Translates a function whose arguments are given, element by element.
pub(crate) fn translate(
    graph: &mut Graph,
    body: &Body,
    arguments: &[Vec<Lane>],
    intrinsics: &dyn Intrinsics,
    (undef, side, unroll): (Undef, &'static str, u32),
) -> Read<Behavior> {
    let no = graph.bool(false);
    let labels: FxHashMap<&str, usize> =
        body.blocks.iter().enumerate().map(|(at, block)| (block.label.as_str(), at)).collect();
    let (order, loops) = nest(body, &labels)?;
    let behavior = Behavior { undefined: no, result: Vec::new(), choices: Vec::new(), has_undef: false };
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
        returned: Vec::new(),
        behavior,
        dependencies: FxHashMap::default(),
    };
    translator.run(arguments)?;
    Ok(translator.behavior)
}

fn successors(body: &Body, labels: &FxHashMap<&str, usize>, block: usize) -> Read<Vec<usize>> {
    let Some(last) = body.blocks[block].instructions.last() else {
        return fault(Place::default(), "a block without instructions");
    };
    let names: Vec<&String> = match &last.action {
        Action::Branch(to) => vec![to],
        Action::If(_, then, otherwise) => vec![then, otherwise],
        Action::Switch(_, default, cases) => {
            std::iter::once(default).chain(cases.iter().map(|(_, label)| label)).collect()
        }
        Action::Return(_) | Action::Unreachable => Vec::new(),
        _ => return fault(last.place, "a block that does not end"),
    };
    let find = |name: &&String| {
        let found = labels.get(name.as_str()).copied();
        found.ok_or_else(|| Fault::new(last.place, format!("there is no block %{name}")))
    };
    names.iter().map(find).collect()
}

/// The order of blocks, and the loops around each.
fn nest(body: &Body, labels: &FxHashMap<&str, usize>) -> Read<(Vec<usize>, Vec<Vec<usize>>)> {
    let count = body.blocks.len();
    let edges: Vec<Vec<usize>> =
        (0..count).map(|block| successors(body, labels, block)).collect::<Read<_>>()?;
    let (mut order, mut next) = (vec![usize::MAX; count], count);
    let (mut state, mut back) = (vec![0u8; count], Vec::new());
    let mut stack = vec![(0, 0)];
    state[0] = 1;
    while let Some((block, at)) = stack.pop() {
        match edges[block].get(at) {
            Some(to) => {
                stack.push((block, at + 1));
                match state[*to] {
                    0 => {
                        state[*to] = 1;
                        stack.push((*to, 0));
                    }
                    1 => back.push((block, *to)),
                    _ => {}
                }
            }
            None => {
                state[block] = 2;
                next -= 1;
                order[block] = next;
            }
        }
    }
    let mut predecessors: Vec<Vec<usize>> = vec![Vec::new(); count];
    for (from, to) in edges.iter().enumerate().filter(|(from, _)| state[*from] == 2) {
        to.iter().for_each(|to| predecessors[*to].push(from));
    }
    let mut bodies: BTreeMap<usize, FxHashSet<usize>> = BTreeMap::new();
    for (latch, header) in back {
        let inside = bodies.entry(header).or_insert_with(|| FxHashSet::from_iter([header]));
        let mut pending = vec![latch];
        while let Some(block) = pending.pop() {
            if inside.insert(block) {
                pending.extend(&predecessors[block]);
            }
        }
    }
    for (header, inside) in &bodies {
        let entered = inside.iter().filter(|block| *block != header);
        let irreducible = entered
            .clone()
            .any(|block| *block == 0 || predecessors[*block].iter().any(|from| !inside.contains(from)));
        if irreducible {
            return fault(Place::default(), "a loop with several entries");
        }
    }
    let around = |block: usize| {
        let mut headers: Vec<usize> =
            bodies.iter().filter(|(_, inside)| inside.contains(&block)).map(|(header, _)| *header).collect();
        // Of two loops around a block the outer one is larger.
        headers.sort_by_key(|header| std::cmp::Reverse(bodies[header].len()));
        headers
    };
    Ok((order, (0..count).map(around).collect()))
}

impl Translator<'_> {
    fn run(&mut self, arguments: &[Vec<Lane>]) -> Read<()> {
        let yes = self.graph.bool(true);
        let mut values = Environment::default();
        for (parameter, lanes) in self.body.parameters.iter().zip(arguments) {
            let lanes = self.required(&parameter.attributes, lanes.clone(), yes);
            values.insert(parameter.name.clone(), lanes.into());
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
        let Some((_, mut result)) = returned.next() else { return Vec::new() };
        for (condition, lanes) in returned {
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
            for (name, lanes) in edges[0].values.iter() {
                let others: Option<Vec<&Rc<[Lane]>>> =
                    edges.iter().map(|edge| edge.values.get(name)).collect();
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
                values.insert(name.clone(), merged);
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
            values.extend(phis.drain(..));
            if self.terminator(instance, block, instruction, condition, &values)? {
                return Ok(());
            }
            let lanes = self.instruction(instruction, condition, &values)?;
            if let Some(name) = &instruction.result {
                values.insert(name.clone(), lanes.into());
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
                self.returned.push((path, lanes));
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
            if let Attribute::Range(low, high) = attribute {
                for lane in &mut lanes {
                    if self.graph.width(lane.bits) != low.width() {
                        continue;
                    }
                    // One comparison for ranges that wrap around as well.
                    let (low, high) = (self.graph.bits(low.clone()), self.graph.bits(high.clone()));
                    let (offset, length) = (self.graph.sub(lane.bits, low), self.graph.sub(high, low));
                    let inside = self.graph.less(false, offset, length);
                    let outside = self.graph.not(inside);
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

    fn operand(&mut self, operand: &Operand, place: Place, values: &Environment) -> Read<Rc<[Lane]>> {
        let Some(widths) = elements(&operand.ty) else {
            return fault(place, format!("values of type `{}` are outside of what is modelled", operand.ty));
        };
        let constant = match &operand.value {
            Value::Local(name) => {
                let found = values.get(name).cloned();
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
            Action::Branch(_)
            | Action::If(..)
            | Action::Switch(..)
            | Action::Return(_)
            | Action::Unreachable => Vec::new(),
        };
        let expected = if at.ty == Type::Void { Some(Vec::new()) } else { elements(&at.ty) };
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

    fn call(
        &mut self,
        name: &str,
        operands: &[Rc<[Lane]>],
        ty: &Type,
        place: Place,
        path: ExprId,
    ) -> Read<Vec<Lane>> {
        let generic = name.strip_prefix("llvm.");
        // The types at the end of the name are those of the operands.
        let stem = generic.map(|name| {
            let parts: Vec<&str> = name.split('.').collect();
            let kept = parts.iter().rposition(|part| !is_mangled(part)).map_or(0, |last| last + 1);
            parts[..kept].join(".")
        });
        let Some(stem) = stem else { return fault(place, format!("@{name} is outside of what is modelled")) };
        let each = |this: &mut Self, f: &mut ElementWise<'_>| {
            let mut lanes = Vec::new();
            for position in 0..operands[0].len() {
                let own: Vec<Lane> = operands
                    .iter()
                    .map(|operand| {
                        operand[if operand.len() == 1 { 0 } else { position.min(operand.len() - 1) }]
                    })
                    .collect();
                let (bits, poison) = f(this.graph, &own)?;
                lanes.push(this.spread(bits, poison, &own));
            }
            Some(lanes)
        };
        let same = operands.windows(2).all(|pair| {
            let width = |lane: &Lane| self.graph.width(lane.bits);
            pair[0].iter().map(width).eq(pair[1].iter().map(width))
        });
        let found = match (stem.as_str(), operands) {
            ("assume", [condition]) => {
                if let [lane] = condition[..] {
                    let not = self.graph.not(lane.bits);
                    let wrong = self.graph.or(not, lane.poison);
                    self.undefined(path, wrong);
                }
                return Ok(Vec::new());
            }
            ("fshl" | "fshr", [_, _, _]) if same => each(self, &mut |graph, own| {
                let no = graph.bool(false);
                Some((generic::funnel(graph, stem == "fshl", own[0].bits, own[1].bits, own[2].bits), no))
            }),
            ("abs" | "ctlz" | "cttz", [_, _]) => each(self, &mut |graph, own| {
                let (a, flag) = (own[0].bits, own[1].bits);
                let width = graph.width(a);
                let zero = graph.number(width, 0);
                let special = match stem.as_str() {
                    "abs" => {
                        // The least value is its own negation.
                        let negated = graph.sub(zero, a);
                        let (same, not_zero) = (graph.equal(negated, a), graph.differ(a, zero));
                        graph.and(same, not_zero)
                    }
                    _ => graph.equal(a, zero),
                };
                let poison = graph.and(special, flag);
                Some((generic::of_one(graph, &stem, a)?, poison))
            }),
            (_, [_]) if stem.starts_with("vector.reduce.") => {
                let op = stem.trim_start_matches("vector.reduce.");
                self.reduced(op, &operands[0]).map(|lane| vec![lane])
            }
            (_, [_]) => each(self, &mut |graph, own| {
                let no = graph.bool(false);
                Some((generic::of_one(graph, &stem, own[0].bits)?, no))
            }),
            (_, [_, _]) if same && stem.ends_with(".with.overflow") => self.with_overflow(&stem, operands),
            (_, [_, _]) if same => each(self, &mut |graph, own| {
                let no = graph.bool(false);
                Some((generic::of_two(graph, &stem, own[0].bits, own[1].bits)?, no))
            }),
            _ => None,
        };
        match found {
            Some(lanes) => Ok(lanes),
            None => self.target(name, operands, ty, place),
        }
    }

    fn reduced(&mut self, op: &str, lanes: &[Lane]) -> Option<Lane> {
        let (op, signed) = match op {
            "add" => (BinaryOp::Add, false),
            "mul" => (BinaryOp::Mul, false),
            "and" => (BinaryOp::And, false),
            "or" => (BinaryOp::Or, false),
            "xor" => (BinaryOp::Xor, false),
            "smin" | "umin" => (BinaryOp::Min, op == "smin"),
            "smax" | "umax" => (BinaryOp::Max, op == "smax"),
            _ => return None,
        };
        let (first, rest) = lanes.split_first()?;
        let mut all = *first;
        for lane in rest {
            let bits = self.graph.binary(op, signed, all.bits, lane.bits);
            all = self.spread(bits, all.poison, &[*lane]);
        }
        Some(all)
    }

    fn with_overflow(&mut self, stem: &str, operands: &[Rc<[Lane]>]) -> Option<Vec<Lane>> {
        let op = match stem.get(1..4)? {
            "add" => BinaryOp::Add,
            "sub" => BinaryOp::Sub,
            "mul" => BinaryOp::Mul,
            _ => return None,
        };
        let (mut values, mut over) = (Vec::new(), Vec::new());
        for (a, b) in operands[0].iter().zip(operands[1].iter()) {
            let no = self.graph.bool(false);
            let bits = self.graph.binary(op, false, a.bits, b.bits);
            values.push(self.spread(bits, no, &[*a, *b]));
            let bits = generic::overflows(self.graph, op, stem.starts_with('s'), a.bits, b.bits);
            over.push(self.spread(bits, no, &[*a, *b]));
        }
        values.extend(over);
        Some(values)
    }

    /// A call of a target's intrinsic. An element of the result is poison if an element on which its bits depend is.
    fn target(&mut self, name: &str, operands: &[Rc<[Lane]>], ty: &Type, place: Place) -> Read<Vec<Lane>> {
        let wholes: Vec<ExprId> = operands
            .iter()
            .map(|lanes| self.graph.concat(lanes.iter().map(|lane| lane.bits).collect()))
            .collect();
        let no_poison =
            |lanes: &Rc<[Lane]>| lanes.iter().all(|lane| self.graph.as_bool(lane.poison) == Some(false));
        let constants: Vec<Option<Bits>> = wholes
            .iter()
            .zip(operands)
            .map(|(whole, lanes)| self.graph.constant(*whole).filter(|_| no_poison(lanes)).cloned())
            .collect();
        let Some(results) = elements(ty) else {
            return fault(place, format!("@{name} is outside of what is modelled"));
        };
        let widths: Vec<Vec<u32>> = operands
            .iter()
            .map(|lanes| lanes.iter().map(|lane| self.graph.width(lane.bits)).collect())
            .collect();
        let key = (name.to_owned(), constants.clone());
        let known = match self.dependencies.get(&key) {
            Some(known) => known.clone(),
            None => {
                let target =
                    self.intrinsics.find(name, &constants).map_err(|message| Fault::new(place, message))?;
                let known = Rc::new(known(target, &widths, &results).ok_or_else(|| {
                    Fault::new(place, format!("@{name} has other widths than its instruction"))
                })?);
                self.dependencies.insert(key, known.clone());
                known
            }
        };
        let arguments: Vec<ExprId> = known
            .arguments
            .iter()
            .map(|argument| match argument {
                Argument::Operand(position) => wholes[*position],
                Argument::Constant(bits) => self.graph.bits(bits.clone()),
            })
            .collect();
        let spliced = self.graph.splice(&known.function, &arguments);
        let Some(whole) = spliced.map(|results| self.graph.concat(results)) else {
            return fault(place, format!("the function of @{name} has loops"));
        };
        let (mut lanes, mut low) = (Vec::new(), 0);
        for (width, depends) in results.iter().zip(&known.depends) {
            let bits = self.graph.extract(whole, low, *width);
            let read: Vec<Lane> = depends.iter().map(|(operand, lane)| operands[*operand][*lane]).collect();
            let no = self.graph.bool(false);
            lanes.push(self.spread(bits, no, &read));
            low += width;
        }
        Ok(lanes)
    }
}

/// A target's function without loops, and what each element of its result depends on; `None` if widths do not fit.
fn known(target: Target, widths: &[Vec<u32>], results: &[u32]) -> Option<Known> {
    let function = passes::unroll(&target.function).ok()?;
    let mut graph = Graph::new();
    let mut places = Vec::new();
    let mut wholes = Vec::new();
    for (operand, widths) in widths.iter().enumerate() {
        let mut lanes = Vec::new();
        for (lane, width) in widths.iter().enumerate() {
            lanes.push(graph.argument(String::new(), *width).1);
            places.push((operand, lane));
        }
        wholes.push(graph.concat(lanes));
    }
    let mut arguments = Vec::new();
    for (argument, declared) in target.arguments.iter().zip(&function.args) {
        let value = match argument {
            Argument::Operand(position) => *wholes.get(*position)?,
            Argument::Constant(bits) => graph.bits(bits.clone()),
        };
        if declared.width.as_constant() != Some(i64::from(graph.width(value))) {
            return None;
        }
        arguments.push(value);
    }
    let spliced = graph.splice(&function, &arguments)?;
    let whole = graph.concat(spliced);
    if graph.width(whole) != results.iter().sum::<u32>() || arguments.len() != function.args.len() {
        return None;
    }
    let (mut depends, mut low) = (Vec::new(), 0);
    for width in results {
        let own = graph.extract(whole, low, *width);
        depends.push(graph.arguments_of(own).into_iter().map(|arg| places[arg.0 as usize]).collect());
        low += width;
    }
    Some(Known { function, arguments: target.arguments, depends })
}

/// Whether a part of an intrinsic's name is a type.
fn is_mangled(part: &str) -> bool {
    let element = |text: &str| {
        let digits = text.strip_prefix("bf").or_else(|| text.strip_prefix(['i', 'f']));
        digits.is_some_and(|digits| !digits.is_empty() && digits.bytes().all(|byte| byte.is_ascii_digit()))
    };
    let vector =
        part.strip_prefix('v').map(|rest| rest.trim_start_matches(|digit: char| digit.is_ascii_digit()));
    element(part) || vector.is_some_and(element)
}
