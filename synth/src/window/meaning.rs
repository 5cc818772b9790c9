//! What a window means: exact integers for every lane, one lane that stands for many, and a function of the IR.
//!
//! There is one graph of exact integers for a window. Its first arguments are the leaves, whole; further arguments are
//! **samples**: single elements of leaves that stand for a different element in each lane. An expression over samples
//! is computed once for all lanes of a [`Family`], and [`Meaning::at`] puts a lane's elements in.

use hydride_ir::exact::{Dag, Int, Lowering, Node, NodeId, Part, Replacements, raise_with};
use hydride_ir::{Arg, Function, ResultId, ResultSlot, Role, Stmt};
use rustc_hash::FxHashMap;

use crate::bidirectional::Down;

use super::Window;
use super::expression::{Element, ExpressionId, Forms, Lanewise, Operator};
use super::types::{Kind, Type};

mod agreement;
mod written;

use written::Name;

/// Neighbors that a reduction inside of a family may join.
const MAX_GROUP: u32 = 16;

/// Nodes of one graph; beyond them the window is refused.
const MAX_NODES: usize = 2_000_000;

/// A window that is too large to be computed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("the window is too large")]
pub struct TooLarge;

/// Lanes of the result with one expression for all.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Family {
    /// The lanes of the result, in order; lane `i` of the family is `lanes[i]` of the result.
    pub lanes: Vec<u32>,
    /// The value over samples.
    pub value: NodeId,
}

/// Which lane of an expression is meant.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
enum Lanes {
    /// This one.
    One(u32),
    /// These, each in its own lane of a family.
    Many(Vec<u32>),
}

/// Why an expression has no value for all lanes of a family.
enum Apart {
    /// Lanes come from different operands: for each lane the operand.
    Operands(Vec<u32>),
    /// A reduction of too many lanes.
    Reduction,
}

/// The exact values of a window.
pub struct Meaning<'w> {
    window: &'w Window,
    /// The graph; its first arguments are the leaves.
    pub dag: Dag,
    /// For each sample the elements that it stands for; one where it is the same in all lanes.
    samples: Vec<Vec<Element>>,
    /// Samples that are the same in all lanes.
    uniform: rustc_hash::FxHashSet<u32>,
    by_elements: FxHashMap<Vec<Element>, u32>,
    /// Samples by the bits that their elements are, in the type's width.
    by_bits: FxHashMap<(NodeId, u32), u32>,
    memo: FxHashMap<(ExpressionId, Lanes), NodeId>,
    /// Arguments that are named numbers.
    names: FxHashMap<u32, Name>,
    /// Named numbers by their bits, and whether these are signed.
    by_definition: FxHashMap<(NodeId, bool), NodeId>,
    lanes: FxHashMap<u32, Replacements>,
    /// Pairs of values that were compared on inputs, and whether they are the same on all of these.
    agreeing: FxHashMap<(NodeId, NodeId), bool>,
}

impl<'w> Meaning<'w> {
    /// The meaning of a window, with nothing computed yet.
    pub fn new(window: &'w Window) -> Self {
        Self {
            window,
            dag: Dag::new(window.leaves.iter().map(|leaf| leaf.ty.bits()).collect()),
            samples: Vec::new(),
            uniform: Default::default(),
            by_elements: FxHashMap::default(),
            by_bits: FxHashMap::default(),
            memo: FxHashMap::default(),
            names: FxHashMap::default(),
            by_definition: FxHashMap::default(),
            lanes: FxHashMap::default(),
            agreeing: FxHashMap::default(),
        }
    }

    /// The window.
    pub fn window(&self) -> &'w Window {
        self.window
    }

    /// The value of each lane of an expression, over whole leaves.
    pub fn all(&mut self, expression: ExpressionId) -> Result<Vec<NodeId>, TooLarge> {
        (0..self.window.expressions.ty(expression).lanes)
            .map(|lane| {
                if self.dag.len() > MAX_NODES {
                    return Err(TooLarge);
                }
                self.value(expression, &Lanes::One(lane)).map_err(|_| TooLarge)
            })
            .collect()
    }

    /// An expression's lanes in families; `None` where a reduction joins too many lanes for that.
    pub fn families(&mut self, expression: ExpressionId) -> Option<Vec<Family>> {
        let all: Vec<u32> = (0..self.window.expressions.ty(expression).lanes).collect();
        let (mut pending, mut families) = (vec![all], Vec::new());
        while let Some(lanes) = pending.pop() {
            match self.value(expression, &Lanes::Many(lanes.clone())) {
                Ok(value) => families.push(Family { lanes, value }),
                Err(Apart::Operands(operands)) => {
                    let mut parts: std::collections::BTreeMap<u32, Vec<u32>> = Default::default();
                    for (lane, operand) in lanes.iter().zip(operands) {
                        parts.entry(operand).or_default().push(*lane);
                    }
                    pending.extend(parts.into_values().rev());
                }
                Err(Apart::Reduction) => return None,
            }
        }
        Some(families)
    }

    /// The value of some lanes of an expression as one family.
    pub fn family(&mut self, expression: ExpressionId, lanes: Vec<u32>) -> Option<NodeId> {
        self.value(expression, &Lanes::Many(lanes)).ok()
    }

    /// An unknown of `width` bits that is no sample of anything.
    pub fn unknown(&mut self, width: u32) -> NodeId {
        self.samples.push(Vec::new());
        let arg = self.dag.add_arg(width);
        self.dag.arg_slice(arg, 0, width, false)
    }

    /// Whether a value reads the same elements in every lane.
    pub fn is_invariant(&self, value: NodeId) -> bool {
        self.dag.reachable([value]).into_iter().all(|node| match self.dag.node(node) {
            Node::Arg(arg) => match self.sample(*arg) {
                Some(elements) => !elements.is_empty() && elements.windows(2).all(|two| two[0] == two[1]),
                None => false,
            },
            _ => true,
        })
    }

    /// The bits of an element over whole leaves, as its leaf's range allows.
    pub fn element_bits(&mut self, element: Element) -> NodeId {
        let width = self.window.leaves[element.leaf as usize].ty.width;
        let slice = self.dag.arg_slice(element.leaf, element.index * width, width, false);
        let value = self.element(element.leaf as usize, slice);
        self.dag.slice(value, 0, width, false)
    }

    /// The bits of an element that is a scalar, as a value that is the same in every lane.
    pub(crate) fn scalar_bits(&mut self, element: Element) -> Option<NodeId> {
        let leaf = &self.window.leaves[element.leaf as usize];
        let (scalar, width) = (leaf.scalar, leaf.ty.width);
        scalar.then(|| {
            let value = self.sampled(vec![element]);
            self.dag.slice(value, 0, width, false)
        })
    }

    /// The argument that stands for these elements, each in its own lane; `None` where they are no elements of leaves that
    /// are read alike.
    pub fn sample_of(&mut self, elements: &[Element]) -> Option<u32> {
        let leaves = &self.window.leaves;
        let read = |element: &Element| {
            let leaf = leaves.get(element.leaf as usize)?;
            (element.index < leaf.ty.lanes).then_some((leaf.ty.kind, leaf.ty.width, leaf.range))
        };
        let first = read(elements.first()?)?;
        if !elements.iter().all(|element| read(element) == Some(first)) {
            return None;
        }
        let arg = self.arg_of(elements.to_vec());
        self.held_by(arg, elements[0].leaf as usize);
        Some(arg)
    }

    /// Whether as many elements of leaves are read alike, one by one.
    pub fn are_alike(&self, left: &[Element], right: &[Element]) -> bool {
        let read = |element: &Element| {
            let leaf = &self.window.leaves[element.leaf as usize];
            (leaf.ty.kind, leaf.ty.width, leaf.range, leaf.scalar)
        };
        left.iter().map(read).eq(right.iter().map(read))
    }

    /// The elements that a sample stands for; `None` for a whole leaf.
    pub fn sample(&self, arg: u32) -> Option<&[Element]> {
        let first = self.window.leaves.len() as u32;
        Some(&self.samples[arg.checked_sub(first)? as usize])
    }

    /// The bits of the elements before those of a sample, of its own, and of those after them; at the ends of a leaf an
    /// element is its own neighbor. `None` for a whole leaf and for a scalar.
    pub fn neighbors(&mut self, arg: u32) -> Option<[NodeId; 3]> {
        let elements = self.sample(arg).filter(|_| !self.uniform.contains(&arg))?.to_vec();
        let ty = self.window.leaves[elements.first()?.leaf as usize].ty;
        Some([-1, 0, 1].map(|by| {
            let index = |index: u32| index.saturating_add_signed(by).min(ty.lanes - 1);
            let moved = elements.iter().map(|own| Element { index: index(own.index), ..*own }).collect();
            let value = self.sampled(moved);
            self.dag.slice(value, 0, ty.width, false)
        }))
    }

    /// Whether neighboring lanes have bytes that are not neighbors.
    pub fn takes_bytes_apart(&self) -> bool {
        self.samples.iter().any(|elements| {
            elements.first().is_some_and(|first| self.window.leaves[first.leaf as usize].ty.width == 8)
                && elements.windows(2).any(|two| two[1].index > two[0].index + 1)
        })
    }

    /// A value over samples, in one lane of its family.
    pub fn at(&mut self, value: NodeId, lane: u32) -> NodeId {
        let mut replacements = self.lanes.remove(&lane).unwrap_or_default();
        for sample in 0..self.samples.len() {
            let arg = (self.window.leaves.len() + sample) as u32;
            let whole = self.dag.arg(arg);
            if replacements.contains_key(&whole) {
                continue;
            }
            let elements = &self.samples[sample];
            let element = match elements[..] {
                [] => continue,
                [only] if self.uniform.contains(&arg) => only,
                _ => match elements.get(lane as usize) {
                    Some(element) => *element,
                    None => continue,
                },
            };
            let width = self.window.leaves[element.leaf as usize].ty.width;
            let slice = self.dag.arg_slice(element.leaf, element.index * width, width, false);
            replacements.insert(whole, slice);
        }
        let made = self.dag.replace(value, &mut replacements);
        self.lanes.insert(lane, replacements);
        made
    }

    /// The element whose bits a value of `width` bits is in a lane, if it is one.
    pub fn element_of(&self, bits: NodeId, width: u32, lane: u32) -> Option<Element> {
        let sample = self.by_bits.get(&(bits, width))?;
        self.sample(*sample)?.get(lane as usize).copied()
    }

    /// A value that is an element's bits, and the lane in which it is.
    pub fn value_of(&mut self, element: Element) -> (NodeId, u32) {
        let first = self.window.leaves.len();
        let known = self.samples.iter().enumerate().find_map(|(sample, elements)| {
            let lane = elements.iter().position(|own| *own == element)?;
            Some(((first + sample) as u32, lane as u32))
        });
        let width = self.window.leaves[element.leaf as usize].ty.width;
        let Some((arg, lane)) = known else {
            // Nothing reads its leaf.
            let value = self.sampled(vec![element]);
            return (self.dag.slice(value, 0, width, false), 0);
        };
        let bits = self.dag.arg_slice(arg, 0, width, false);
        let value = self.element(element.leaf as usize, bits);
        (self.dag.slice(value, 0, width, false), lane)
    }

    /// A value of `width` bits over samples that all take the same elements of their leaves, or the same parts of `width` bits of
    /// them, over all of these instead, with the one that each lane is; `None` where samples differ, or already are all.
    pub fn whole(&mut self, value: NodeId, width: u32) -> Option<(NodeId, Vec<u32>)> {
        if let Some(moved) = self.moved_name(value) {
            return Some(moved);
        }
        let mut args = Vec::new();
        for node in self.dag.reachable([value]) {
            if let Node::Arg(arg) = *self.dag.node(node)
                && !self.uniform.contains(&arg)
            {
                args.push(arg);
            }
        }
        self.over_all(value, &args, |_| 1).or_else(|| self.over_all(value, &args, |own| (width / own).max(1)))
    }

    /// The same for parts of as many elements as a leaf's width says.
    fn over_all(
        &mut self,
        value: NodeId,
        args: &[u32],
        elements_of: impl Fn(u32) -> u32,
    ) -> Option<(NodeId, Vec<u32>)> {
        let ty = |meaning: &Self, leaf: u32| meaning.window.leaves[leaf as usize].ty;
        let count = |meaning: &Self, leaf: u32| elements_of(ty(meaning, leaf).width);
        let first = self.sample(*args.first()?)?;
        let by = count(self, first.first()?.leaf);
        let places: Vec<u32> = first.iter().map(|element| element.index / by).collect();
        let parts = ty(self, first.first()?.leaf).lanes / by;
        let mut replacements = Replacements::default();
        for arg in args {
            let elements = self.sample(*arg)?;
            let Element { leaf, index } = *elements.first()?;
            let by = count(self, leaf);
            let rest = index % by;
            let same = elements
                .iter()
                .zip(&places)
                .all(|(own, place)| own.leaf == leaf && own.index == place * by + rest);
            if !same || elements.len() != places.len() || ty(self, leaf).lanes / by != parts && by > 1 {
                return None;
            }
            let lanes = ty(self, leaf).lanes / by;
            // A leaf can be narrower than the container.
            if lanes == 0
                || lanes as usize == places.len()
                    && places.iter().zip(0..).all(|(place, lane)| *place == lane)
            {
                return None;
            }
            let all: Vec<Element> = (0..lanes).map(|at| Element { leaf, index: at * by + rest }).collect();
            self.sampled(all.clone());
            let first = self.window.leaves.len() as u32;
            let whole = first + self.by_elements.get(&all)?;
            let (from, to) = (self.dag.arg(*arg), self.dag.arg(whole));
            replacements.insert(from, to);
        }
        Some((self.dag.replace(value, &mut replacements), places))
    }

    /// Whether a value reads nothing that differs from lane to lane.
    pub fn is_uniform(&self, value: NodeId) -> bool {
        self.dag.reachable([value]).into_iter().all(|node| match self.dag.node(node) {
            Node::Arg(arg) => self.uniform.contains(arg),
            _ => true,
        })
    }

    /// The window as a function of the IR: an argument for each leaf, and the result.
    pub fn function(&mut self) -> Result<Function, TooLarge> {
        let lanes = self.lanes()?;
        self.lowered([("result".into(), &lanes[..])])
    }

    /// The bits of each lane of the result, over whole leaves.
    pub(crate) fn lanes(&mut self) -> Result<Vec<Part>, TooLarge> {
        let values = self.all(self.window.root)?;
        let width = self.window.ty().width;
        Ok(values
            .into_iter()
            .map(|value| Part { node: self.dag.slice(value, 0, width, false), width })
            .collect())
    }

    /// Values over whole leaves as a function of the IR with these results, each of them values side by side; an argument for each
    /// leaf.
    pub(crate) fn lowered<'p>(
        &self,
        results: impl IntoIterator<Item = (String, &'p [Part])>,
    ) -> Result<Function, TooLarge> {
        let mut function = Function::new(self.window.name.clone());
        for leaf in &self.window.leaves {
            let width = leaf.ty.bits().into();
            function.args.push(Arg { name: leaf.name.clone(), width, role: Role::Register });
        }
        let mut lowering = Lowering::default();
        for (result, (name, parts)) in (0..).zip(results) {
            let mut low = 0;
            for part in parts {
                let value =
                    lowering.lower(&self.dag, part.node, part.width, &mut function).map_err(|_| TooLarge)?;
                function.body.push(Stmt::Assign { result: ResultId(result), low: low.into(), value });
                low += part.width;
            }
            function.results.push(ResultSlot { name, width: low.into() });
        }
        Ok(function)
    }

    /// What a leaf's element is worth: its bits read as its type says, within its range where it has one.
    fn element(&mut self, leaf: usize, bits: NodeId) -> NodeId {
        let Type { width, kind, .. } = self.window.leaves[leaf].ty;
        let value = self.dag.slice(bits, 0, width, kind == Kind::Signed);
        let Some((low, high)) = self.window.leaves[leaf].range else { return value };
        // Numbers whose highest bit is clear are their other bits: an extremum could become one with whatever is computed of it, which no
        // element then is.
        if (low, high) == (0, (1i128 << (width - 1)) - 1) && width > 1 {
            return self.dag.slice(bits, 0, width - 1, false);
        }
        let (low, high) = (self.dag.int(low), self.dag.int(high));
        let raised = self.dag.max(value, low);
        self.dag.min(raised, high)
    }

    /// The leaf's element that a lane is, through movements; `None` where something is computed.
    fn source(&self, id: ExpressionId, lane: u32) -> Option<Element> {
        let node = self.window.expressions.get(id);
        match &node.operator {
            Operator::Leaf(leaf) => Some(Element { leaf: *leaf as u32, index: lane }),
            Operator::Broadcast => self.source(node.operands[0], 0),
            _ => {
                let (operand, lane) = self.moved(id, lane)?;
                self.source(node.operands[operand as usize], lane)
            }
        }
    }

    /// The operand and its lane that a movement puts in a lane; `None` for what is no movement.
    fn moved(&self, id: ExpressionId, lane: u32) -> Option<(u32, u32)> {
        let node = self.window.expressions.get(id);
        let count = node.operands.len() as u32;
        let lane = match &node.operator {
            Operator::Shuffle(indices) => indices[lane as usize],
            Operator::Concat => lane,
            Operator::Interleave => return Some((lane % count, lane / count)),
            _ => return None,
        };
        let mut first = 0;
        for (operand, own) in (0u32..).zip(&node.operands) {
            let lanes = self.window.expressions.ty(*own).lanes;
            if lane < first + lanes {
                return Some((operand, lane - first));
            }
            first += lanes;
        }
        None
    }

    /// The operand and its lanes that a movement puts in some lanes, where all are of one.
    fn moved_together(&self, id: ExpressionId, lanes: &[u32]) -> Option<(ExpressionId, Vec<u32>)> {
        let places: Option<Vec<(u32, u32)>> = lanes.iter().map(|lane| self.moved(id, *lane)).collect();
        let places = places?;
        let operand = places.first()?.0;
        places.iter().all(|place| place.0 == operand).then(|| {
            let lanes = places.iter().map(|place| place.1).collect();
            (self.window.expressions.get(id).operands[operand as usize], lanes)
        })
    }

    fn value(&mut self, id: ExpressionId, lanes: &Lanes) -> Result<NodeId, Apart> {
        let key = (id, lanes.clone());
        if let Some(known) = self.memo.get(&key) {
            return Ok(*known);
        }
        let value = self.compute(id, lanes)?;
        self.memo.insert(key, value);
        Ok(value)
    }

    fn compute(&mut self, id: ExpressionId, lanes: &Lanes) -> Result<NodeId, Apart> {
        let window = self.window;
        let node = window.expressions.get(id);
        match &node.operator {
            Operator::Leaf(leaf) => Ok(self.leaf(*leaf, lanes)),
            Operator::Literal(value) => Ok(self.dag.int(*value)),
            Operator::Broadcast => {
                let scalar = match lanes {
                    Lanes::One(_) => Lanes::One(0),
                    Lanes::Many(_) => Lanes::Many(vec![0]),
                };
                self.value(node.operands[0], &scalar)
            }
            Operator::Shuffle(_) | Operator::Concat | Operator::Interleave => self.movement(id, lanes),
            Operator::Reduce(reduce) => {
                let operand = node.operands[0];
                let group = window.expressions.ty(operand).lanes / node.ty.lanes;
                if matches!(lanes, Lanes::Many(_)) && group > MAX_GROUP {
                    return Err(Apart::Reduction);
                }
                let mut terms = Vec::new();
                for member in 0..group {
                    terms.push(self.value(operand, &lanes.map(|lane| lane * group + member))?);
                }
                let exact = reduce.of(&mut self.dag, &terms);
                Ok(self.wrap(exact, node.ty))
            }
            Operator::Lanewise(operator) => {
                let mut operands = Vec::new();
                for operand in &node.operands {
                    operands.push(self.value(*operand, lanes)?);
                }
                let exact = self.lanewise(*operator, &operands, id);
                Ok(self.wrap(exact, node.ty))
            }
            Operator::Forms(forms) => self.form(forms, lanes),
        }
    }

    /// The value of some lanes of functions of elements, as one family; `None` where their functions differ.
    pub(crate) fn of_forms(&mut self, forms: &Forms, lanes: Vec<u32>) -> Option<NodeId> {
        let there = lanes.iter().all(|lane| (*lane as usize) < forms.lanes.len());
        (there && !lanes.is_empty()).then(|| self.form(forms, &Lanes::Many(lanes)).ok())?
    }

    /// The value of lanes that are functions of elements: of one function for all.
    fn form(&mut self, forms: &Forms, lanes: &Lanes) -> Result<NodeId, Apart> {
        let own: Vec<&(u32, Vec<Element>)> = match lanes {
            Lanes::One(lane) => vec![&forms.lanes[*lane as usize]],
            Lanes::Many(lanes) => lanes.iter().map(|lane| &forms.lanes[*lane as usize]).collect(),
        };
        let (function, slots) = own[0];
        if own.iter().any(|(other, _)| other != function) {
            return Err(Apart::Operands(own.iter().map(|(function, _)| *function).collect()));
        }
        let values: Vec<NodeId> = (0..slots.len())
            .map(|at| match lanes {
                Lanes::One(_) => self.element_bits(slots[at]),
                Lanes::Many(_) => {
                    let value = self.sampled(own.iter().map(|(_, slots)| slots[at]).collect());
                    let width = self.window.leaves[slots[at].leaf as usize].ty.width;
                    self.dag.slice(value, 0, width, false)
                }
            })
            .collect();
        let raised = raise_with(&mut self.dag, &forms.functions[*function as usize], &[], &values);
        // A lane's function was lowered from exact integers, and has nothing that cannot be raised.
        Ok(raised.expect("a lane's function can be raised").results[0][0].value)
    }

    fn leaf(&mut self, leaf: usize, lanes: &Lanes) -> NodeId {
        let width = self.window.leaves[leaf].ty.width;
        match lanes {
            Lanes::One(lane) => {
                let bits = self.dag.arg_slice(leaf as u32, lane * width, width, false);
                self.element(leaf, bits)
            }
            Lanes::Many(many) => {
                let elements =
                    many.iter().map(|index| Element { leaf: leaf as u32, index: *index }).collect();
                self.sampled(elements)
            }
        }
    }

    /// The value of elements of leaves of one type, each in its own lane.
    fn sampled(&mut self, elements: Vec<Element>) -> NodeId {
        let leaf = elements[0].leaf as usize;
        let arg = self.arg_of(elements);
        self.held_by(arg, leaf)
    }

    /// The value of an argument that stands for elements of a leaf; its bits are known as those elements from now on.
    fn held_by(&mut self, arg: u32, leaf: usize) -> NodeId {
        let width = self.window.leaves[leaf].ty.width;
        let bits = self.dag.arg_slice(arg, 0, width, false);
        let value = self.element(leaf, bits);
        let held = self.dag.slice(value, 0, width, false);
        self.by_bits.insert((held, width), arg);
        value
    }

    /// The argument that stands for elements; a scalar is one, however often it is read.
    fn arg_of(&mut self, mut elements: Vec<Element>) -> u32 {
        let leaf = &self.window.leaves[elements[0].leaf as usize];
        if leaf.scalar && elements.iter().all(|element| *element == elements[0]) {
            elements.truncate(1);
        }
        let first = self.window.leaves.len() as u32;
        if let Some(sample) = self.by_elements.get(&elements) {
            return first + sample;
        }
        let arg = self.dag.add_arg(leaf.ty.width);
        if leaf.scalar && elements.len() == 1 {
            self.uniform.insert(arg);
        }
        self.by_elements.insert(elements.clone(), self.samples.len() as u32);
        self.samples.push(elements);
        arg
    }

    fn movement(&mut self, id: ExpressionId, lanes: &Lanes) -> Result<NodeId, Apart> {
        let node = self.window.expressions.get(id);
        match lanes {
            Lanes::One(lane) => match self.moved(id, *lane) {
                Some((operand, lane)) => self.value(node.operands[operand as usize], &Lanes::One(lane)),
                None => Err(Apart::Reduction),
            },
            Lanes::Many(many) => {
                if let Some((operand, lanes)) = self.moved_together(id, many) {
                    return self.value(operand, &Lanes::Many(lanes));
                }
                let places: Option<Vec<(u32, u32)>> = many.iter().map(|lane| self.moved(id, *lane)).collect();
                let places = places.ok_or(Apart::Reduction)?;
                // Lanes of several leaves that are read alike are one value too.
                let sources: Option<Vec<Element>> = many.iter().map(|lane| self.source(id, *lane)).collect();
                if let Some(elements) = sources {
                    let leaves = &self.window.leaves;
                    let read = |element: &Element| {
                        let leaf = &leaves[element.leaf as usize];
                        (leaf.ty.kind, leaf.ty.width, leaf.range)
                    };
                    if elements.iter().all(|element| read(element) == read(&elements[0])) {
                        return Ok(self.sampled(elements));
                    }
                }
                Err(Apart::Operands(places.into_iter().map(|place| place.0).collect()))
            }
        }
    }

    /// The value of a type that an exact integer wraps to.
    fn wrap(&mut self, value: NodeId, ty: Type) -> NodeId {
        self.dag.slice(value, 0, ty.width, ty.is_signed())
    }

    /// The exact value of an operator, before it wraps to the result's type.
    fn lanewise(&mut self, operator: Lanewise, operands: &[NodeId], id: ExpressionId) -> NodeId {
        let window = self.window;
        let ty = window.expressions.ty(id);
        let own = |position: usize| window.expressions.ty(window.expressions.get(id).operands[position]);
        let dag = &mut self.dag;
        let (mut a, mut b) = (operands[0], operands.get(1).copied().unwrap_or(operands[0]));
        if matches!(operator, Lanewise::Add | Lanewise::Sub | Lanewise::Mul) {
            // Only the low bits of these count.
            (a, b) = (congruent(dag, a, ty.width), congruent(dag, b, ty.width));
        }
        match operator {
            Lanewise::Add | Lanewise::WideningAdd | Lanewise::WidenRightAdd => dag.sum(&[a, b]),
            Lanewise::Sub | Lanewise::WideningSub | Lanewise::WidenRightSub => dag.sub(a, b),
            Lanewise::Mul | Lanewise::WideningMul | Lanewise::WidenRightMul => dag.mul(a, b),
            Lanewise::Min => dag.min(a, b),
            Lanewise::Max => dag.max(a, b),
            Lanewise::Div => floor_division(dag, a, b),
            Lanewise::Cast | Lanewise::Reinterpret => a,
            Lanewise::ShiftLeft | Lanewise::WideningShiftLeft => {
                let count = clamp(dag, b, 0, i64::from(ty.width) - 1);
                dag.shl(a, count)
            }
            Lanewise::ShiftRight => {
                let count = clamp(dag, b, 0, i64::from(ty.width) - 1);
                dag.shr(a, count)
            }
            Lanewise::SaturatingCast => dag.saturate(a, ty.width, ty.is_signed()),
            Lanewise::SaturatingAdd => {
                let sum = dag.sum(&[a, b]);
                dag.saturate(sum, ty.width, ty.is_signed())
            }
            Lanewise::SaturatingSub => {
                let difference = dag.sub(a, b);
                dag.saturate(difference, ty.width, ty.is_signed())
            }
            Lanewise::HalvingAdd | Lanewise::RoundingHalvingAdd => {
                let one = dag.int(1);
                let sum = match operator {
                    Lanewise::HalvingAdd => dag.sum(&[a, b]),
                    _ => dag.sum(&[a, b, one]),
                };
                dag.shr(sum, one)
            }
            Lanewise::RoundingShiftRight => {
                // Beyond these counts the value is 0 in all bits of the result.
                let width = i64::from(own(0).width.max(ty.width));
                let count = clamp(dag, b, -width, width + 1);
                Down { of: a, count, rounds: true }.value(dag)
            }
            Lanewise::MulShiftRight | Lanewise::RoundingMulShiftRight => {
                let product = dag.mul(a, b);
                let most = 2 * i64::from(own(0).width.max(own(1).width)) + 1;
                let count = clamp(dag, operands[2], -i64::from(ty.width), most);
                let rounds = operator == Lanewise::RoundingMulShiftRight;
                let shifted = Down { of: product, count, rounds }.value(dag);
                dag.saturate(shifted, ty.width, ty.is_signed())
            }
            Lanewise::Absd => {
                let difference = dag.sub(a, b);
                dag.abs(difference)
            }
            Lanewise::Abs => dag.abs(a),
            Lanewise::Select => dag.select(a, b, operands[2]),
            // Whether numbers are the same is a question of their bits.
            Lanewise::Eq | Lanewise::Ne => {
                let width = own(0).width;
                let (a, b) = match own(0).is_signed() && own(0) == own(1) {
                    true => (dag.slice(a, 0, width, false), dag.slice(b, 0, width, false)),
                    false => (a, b),
                };
                if operator == Lanewise::Eq { dag.eq(a, b) } else { dag.ne(a, b) }
            }
            Lanewise::Lt => dag.lt(a, b),
            Lanewise::Le => dag.le(a, b),
            Lanewise::And => dag.and(a, b),
            Lanewise::Or => dag.or(a, b),
            Lanewise::Xor => dag.xor(a, b),
        }
    }
}

impl Lanes {
    fn map(&self, of: impl Fn(u32) -> u32) -> Self {
        match self {
            Lanes::One(lane) => Lanes::One(of(*lane)),
            Lanes::Many(lanes) => Lanes::Many(lanes.iter().map(|lane| of(*lane)).collect()),
        }
    }
}

/// The value, not less than `low` and not more than `high`.
fn clamp(dag: &mut Dag, value: NodeId, low: i64, high: i64) -> NodeId {
    let (low, high) = (dag.int(low), dag.int(high));
    let raised = dag.max(value, low);
    dag.min(raised, high)
}

/// A number with the same low bits, not wrapped to them where it was: sums of products that wrap one by one are one sum.
fn congruent(dag: &mut Dag, value: NodeId, bits: u32) -> NodeId {
    match dag.node(value).clone() {
        Node::Slice { of, low: 0, width, .. } if width >= bits && !matches!(dag.node(of), Node::Arg(_)) => {
            congruent(dag, of, bits)
        }
        Node::Concat(parts) => {
            let [zeros, rest] = parts[..] else { return value };
            if dag.as_int(zeros.node) != Some(&Int::ZERO)
                || zeros.width >= bits
                || zeros.width + rest.width < bits
            {
                return value;
            }
            let rest = congruent(dag, rest.node, bits - zeros.width);
            dag.linear(&[(rest, Int::ONE << zeros.width as usize)], Int::ZERO)
        }
        _ => value,
    }
}

/// `⌊a / b⌋`, and 0 where `b` is 0.
fn floor_division(dag: &mut Dag, a: NodeId, b: NodeId) -> NodeId {
    let zero = dag.int(0);
    if let Some(divisor) = dag.as_i64(b)
        && divisor > 0
        && divisor & (divisor - 1) == 0
    {
        let count = dag.int(divisor.trailing_zeros());
        return dag.shr(a, count);
    }
    let (a, b) = match dag.as_int(b).is_some_and(|divisor| *divisor < Int::ZERO) {
        true => (dag.neg(a), dag.neg(b)),
        false => (a, b),
    };
    // Of `a` and of its complement `-1 - a` the quotients are each other's complement.
    if let Some((width, true)) = dag.natural(a)
        && dag.as_int(b).is_some_and(|divisor| *divisor > Int::ZERO)
    {
        let width = width.next_power_of_two();
        let sign = dag.slice(a, width - 1, 1, true);
        let magnitude = dag.xor(a, sign);
        let magnitude = dag.slice(magnitude, 0, width, false);
        let Some(quotient) = dag.div(magnitude, b) else { return zero };
        return dag.xor(quotient, sign);
    }
    let Some(quotient) = dag.div(a, b) else { return zero };
    let quotient = if dag.range(a).is_non_negative() && dag.range(b).is_non_negative() {
        quotient
    } else {
        // Towards zero is one more where the remainder's sign is not the divisor's.
        let remainder = dag.rem(a, b).unwrap_or(zero);
        let (left, right) = (dag.lt(remainder, zero), dag.lt(b, zero));
        let apart = dag.ne(left, right);
        let rest = dag.ne(remainder, zero);
        let inexact = dag.and(rest, apart);
        dag.sub(quotient, inexact)
    };
    let none = dag.eq(b, zero);
    dag.select(none, zero, quotient)
}
