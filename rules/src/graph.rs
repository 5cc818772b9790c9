//! A window's expressions with what equalities make of them: nodes in classes of equal values, as in an e-graph without
//! congruence.
//!
//! Each equality is tried at each node a fixed number of times, and classes have a limited number of members, so that the graph is
//! linear in the size of the window.

use std::collections::BTreeMap;

use rustc_hash::FxHashMap;
use smallvec::{SmallVec, smallvec};
use synth::window::{
    Expression, ExpressionId, Kind, Lanewise, Meaning, Operator, Reduce, Type, Window, limits,
};

use crate::instance::Instance;
use crate::lowering::{is_fixed, with_literals};
use crate::text::Binds;

/// Rounds in which equalities are tried.
const ROUNDS: usize = 3;

/// Members of a class that equalities add to, at most.
const MAX_MEMBERS: usize = 16;

/// How many nodes there may be for each of the window's, and how many more for any window: what emulates an operation takes some.
const GROWTH: usize = 24;
const ROOM: usize = 512;

/// How deep ranges of nodes are looked at that the window does not have.
const MAX_RANGE_DEPTH: usize = 4;

/// A class of nodes of equal value, by one of its nodes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Class(pub u32);

/// An operation.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Head {
    /// On single lanes.
    Lanewise(Lanewise),
    /// Each group of neighboring lanes as one.
    Reduce(Reduce),
}

impl Head {
    /// The operation of a window's operator, if it is one.
    pub fn of(operator: &Operator) -> Option<Self> {
        match operator {
            Operator::Lanewise(own) => Some(Head::Lanewise(*own)),
            Operator::Reduce(own) => Some(Head::Reduce(*own)),
            _ => None,
        }
    }

    /// Its name in the text form.
    pub fn name(self) -> &'static str {
        match self {
            Head::Lanewise(own) => {
                Lanewise::ALL.iter().find(|(other, _, _)| *other == own).map_or("", |found| found.1)
            }
            Head::Reduce(own) => own.name(),
        }
    }
}

/// What a node computes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Computes {
    /// A leaf of the window.
    Leaf(usize),
    /// A literal.
    Literal(i128),
    /// The scalar in every lane.
    Broadcast,
    /// An operation.
    Operation(Head),
    /// Something else of the window.
    Other(ExpressionId),
}

/// A node.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Node {
    /// What it computes.
    pub computes: Computes,
    /// Its type.
    pub ty: Type,
    /// Its operands.
    pub operands: Vec<Class>,
}

/// What a variable stands for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Bound {
    /// A value in registers.
    Class(Class),
    /// A scalar.
    Uniform(Class),
    /// A literal.
    Constant(i128),
}

/// What each variable of a pattern stands for.
pub type Bindings = SmallVec<[Option<Bound>; 4]>;

/// A rule that two expressions are equal, in one direction.
#[derive(Clone, Debug)]
pub struct Equality {
    /// The rule.
    pub instance: Instance,
    /// Whether the replacement is looked for.
    pub reversed: bool,
}

impl Equality {
    /// The directions in which a rule can be used: where each variable of the other side occurs in the one that is looked for, and
    /// the rule does not say that there is only one.
    pub fn of(instance: &Instance) -> Vec<Self> {
        let Some(to) = instance.to else { return Vec::new() };
        let used = |root: ExpressionId| {
            let (mut pending, mut seen) = (vec![root], std::collections::BTreeSet::new());
            while let Some(id) = pending.pop() {
                let node = instance.window.expressions.get(id);
                if let Operator::Leaf(leaf) = node.operator {
                    seen.insert(leaf);
                }
                pending.extend(&node.operands);
            }
            seen
        };
        let all: std::collections::BTreeSet<usize> = (0..instance.window.leaves.len()).collect();
        let is_leaf =
            |id: ExpressionId| matches!(instance.window.expressions.get(id).operator, Operator::Leaf(_));
        let mut made = Vec::new();
        for (reversed, root) in [(false, instance.window.root), (true, to)] {
            if !is_leaf(root) && used(root) == all && !(reversed && instance.one_way) {
                made.push(Self { instance: instance.clone(), reversed });
            }
        }
        made
    }

    fn sides(&self) -> (ExpressionId, ExpressionId) {
        let (from, to) = (self.instance.window.root, self.instance.to.unwrap_or(self.instance.window.root));
        if self.reversed { (to, from) } else { (from, to) }
    }
}

/// Whether operands may be exchanged.
fn commutes(head: Head) -> bool {
    let Head::Lanewise(operator) = head else { return false };
    matches!(
        operator,
        Lanewise::Add
            | Lanewise::Mul
            | Lanewise::Min
            | Lanewise::Max
            | Lanewise::WideningAdd
            | Lanewise::WideningMul
            | Lanewise::SaturatingAdd
            | Lanewise::HalvingAdd
            | Lanewise::RoundingHalvingAdd
            | Lanewise::MulShiftRight
            | Lanewise::RoundingMulShiftRight
            | Lanewise::Absd
            | Lanewise::Eq
            | Lanewise::Ne
            | Lanewise::And
            | Lanewise::Or
            | Lanewise::Xor
    )
}

/// Whether an operand is a count of bits, of which only the value matters.
pub fn is_count(operator: &Operator, operand: usize) -> bool {
    let Operator::Lanewise(operator) = operator else { return false };
    match operator {
        Lanewise::ShiftLeft
        | Lanewise::ShiftRight
        | Lanewise::WideningShiftLeft
        | Lanewise::RoundingShiftRight => operand == 1,
        Lanewise::MulShiftRight | Lanewise::RoundingMulShiftRight => operand == 2,
        _ => false,
    }
}

/// The expressions of a window, and those that are equal to them.
pub struct Graph<'m, 'w> {
    /// The window's values.
    pub meaning: &'m mut Meaning<'w>,
    nodes: Vec<Node>,
    parents: Vec<u32>,
    members: Vec<Vec<u32>>,
    by_node: FxHashMap<Node, u32>,
    /// An expression of the window that each class is, where it is one.
    origins: Vec<Option<ExpressionId>>,
    ranges: FxHashMap<u32, (i128, i128)>,
    /// The window's result.
    pub root: Class,
}

impl<'m, 'w> Graph<'m, 'w> {
    /// The expressions of a window.
    pub fn new(meaning: &'m mut Meaning<'w>) -> Self {
        let window = meaning.window();
        let mut graph = Self {
            meaning,
            nodes: Vec::new(),
            parents: Vec::new(),
            members: Vec::new(),
            by_node: FxHashMap::default(),
            origins: Vec::new(),
            ranges: FxHashMap::default(),
            root: Class(0),
        };
        let mut map: Vec<Class> = Vec::new();
        for at in 0..window.expressions.len() {
            let id = ExpressionId(at as u32);
            let node = window.expressions.get(id);
            let operands: Vec<Class> = node.operands.iter().map(|operand| map[operand.0 as usize]).collect();
            let computes = match &node.operator {
                Operator::Leaf(leaf) => Computes::Leaf(*leaf),
                Operator::Literal(value) => Computes::Literal(*value),
                Operator::Broadcast => Computes::Broadcast,
                _ => Head::of(&node.operator).map_or(Computes::Other(id), Computes::Operation),
            };
            let class = graph.add(Node { computes, ty: node.ty, operands });
            graph.origins[class.0 as usize].get_or_insert(id);
            map.push(class);
        }
        graph.root = map[window.root.0 as usize];
        graph
    }

    /// The window.
    pub fn window(&self) -> &'w Window {
        self.meaning.window()
    }

    /// Adds a node where it is not there yet; its class.
    pub fn add(&mut self, mut node: Node) -> Class {
        node.operands.iter_mut().for_each(|operand| *operand = self.find(*operand));
        if let Some(known) = self.by_node.get(&node) {
            return self.find(Class(*known));
        }
        let id = self.nodes.len() as u32;
        self.by_node.insert(node.clone(), id);
        self.nodes.push(node);
        self.parents.push(id);
        self.members.push(vec![id]);
        self.origins.push(None);
        Class(id)
    }

    /// The class that a class is part of by now.
    pub fn find(&self, class: Class) -> Class {
        let mut at = class.0;
        while self.parents[at as usize] != at {
            at = self.parents[at as usize];
        }
        Class(at)
    }

    /// Makes two classes one; whether they were two.
    pub fn join(&mut self, left: Class, right: Class) -> bool {
        let (left, right) = (self.find(left), self.find(right));
        if left == right {
            return false;
        }
        let (kept, gone) = (left.min(right), left.max(right));
        self.parents[gone.0 as usize] = kept.0;
        let moved = std::mem::take(&mut self.members[gone.0 as usize]);
        self.members[kept.0 as usize].extend(moved);
        if self.origins[kept.0 as usize].is_none() {
            self.origins[kept.0 as usize] = self.origins[gone.0 as usize];
        }
        true
    }

    /// All classes, in the order in which they were made.
    pub fn classes(&self) -> Vec<Class> {
        (0..self.nodes.len() as u32).filter(|at| self.parents[*at as usize] == *at).map(Class).collect()
    }

    /// The nodes of a class.
    pub fn members(&self, class: Class) -> impl Iterator<Item = &Node> {
        self.members[self.find(class).0 as usize].iter().map(|at| &self.nodes[*at as usize])
    }

    /// The type of a class's values.
    pub fn ty(&self, class: Class) -> Type {
        self.nodes[class.0 as usize].ty
    }

    /// An expression of the window that a class is, if it is one.
    pub fn origin(&self, class: Class) -> Option<ExpressionId> {
        self.origins[self.find(class).0 as usize]
    }

    /// The least and the greatest value of a class, as far as they are known.
    fn range(&mut self, class: Class) -> (i128, i128) {
        self.range_at(class, 0)
    }

    fn range_at(&mut self, class: Class, depth: usize) -> (i128, i128) {
        let class = self.find(class);
        if let Some(value) = self.literal(class) {
            return (value, value);
        }
        if let Some(known) = self.ranges.get(&class.0) {
            return *known;
        }
        let ty = self.ty(class);
        let (least, greatest) = limits(ty);
        let Some(origin) = self.origin(class) else {
            // Of what equalities made, only what keeps its value is known.
            let nodes: Vec<Node> = self.members(class).cloned().collect();
            let mut ranges = nodes.iter().filter_map(|node| self.kept(node, depth));
            let fits = ranges.find(|(low, high)| least <= *low && *high <= greatest);
            return fits.unwrap_or((least, greatest));
        };
        let (mut low, mut high) = (least, greatest);
        if let Some(value) = self.meaning.family(origin, (0..ty.lanes).collect()) {
            let range = self.meaning.dag.range(value);
            let bound = |end: &Option<hydride_ir::exact::Int>| i128::try_from(end.as_ref()?).ok();
            low = bound(&range.low).map_or(low, |own| own.max(low));
            high = bound(&range.high).map_or(high, |own| own.min(high));
        }
        self.ranges.insert(class.0, (low, high));
        (low, high)
    }

    /// The range of a cast, a sum, a difference or a product, before it wraps.
    fn kept(&mut self, node: &Node, depth: usize) -> Option<(i128, i128)> {
        let Computes::Operation(Head::Lanewise(operator)) = node.computes else { return None };
        if depth >= MAX_RANGE_DEPTH || self.ty(*node.operands.first()?).kind == Kind::Condition {
            return None;
        }
        let mut of = |at: usize| Some(self.range_at(*node.operands.get(at)?, depth + 1));
        Some(match operator {
            Lanewise::Cast => of(0)?,
            Lanewise::Add | Lanewise::WideningAdd => (of(0)?.0 + of(1)?.0, of(0)?.1 + of(1)?.1),
            Lanewise::Sub | Lanewise::WideningSub => (of(0)?.0 - of(1)?.1, of(0)?.1 - of(1)?.0),
            Lanewise::WideningMul => {
                let ((low, high), (least, greatest)) = (of(0)?, of(1)?);
                let all = [low * least, low * greatest, high * least, high * greatest];
                all.into_iter().fold((all[0], all[0]), |(low, high), end| (low.min(end), high.max(end)))
            }
            _ => return None,
        })
    }

    /// The literal that a class is in every lane, if it is one.
    pub fn literal(&self, class: Class) -> Option<i128> {
        self.members(class).find_map(|node| match node.computes {
            Computes::Literal(value) => Some(value),
            Computes::Broadcast => self.literal(node.operands[0]),
            _ => None,
        })
    }

    /// The scalar that a class is in every lane, if there is one.
    pub fn scalar(&self, class: Class) -> Option<Class> {
        let window = self.meaning.window();
        self.members(class).find_map(|node| match node.computes {
            Computes::Broadcast => Some(self.find(node.operands[0])),
            Computes::Leaf(leaf) if window.leaves[leaf].scalar => Some(class),
            Computes::Literal(_) => Some(class),
            _ => None,
        })
    }

    /// The operands of a sum of one lane of which the second is a scalar: that is added in a general register.
    pub fn with_added(&self, class: Class) -> Option<(Class, Class)> {
        self.members(class).find_map(|node| {
            let is_sum = node.computes == Computes::Operation(Head::Lanewise(Lanewise::Add));
            let [left, right] = node.operands[..] else { return None };
            let (left, right) = (self.find(left), self.find(right));
            let is_scalar = |class: Class| self.scalar(class) == Some(class) && self.origin(class).is_some();
            match (is_sum && node.ty.lanes == 1, is_scalar(left), is_scalar(right)) {
                (true, false, true) => Some((left, right)),
                (true, true, false) => Some((right, left)),
                _ => None,
            }
        })
    }

    /// What variables stand for where a pattern's expression is this class; `None` where it is not.
    pub fn matched(
        &mut self,
        pattern: &Instance,
        expression: ExpressionId,
        class: Class,
    ) -> Option<Bindings> {
        let unbound = smallvec![None; pattern.window.leaves.len()];
        // A pattern of single lanes holds for as many as there are.
        let lanes = if is_fixed(pattern) { None } else { Some(self.ty(class).lanes) };
        let found = self.matching(pattern, expression, class, lanes, false, &unbound)?;
        self.meets(pattern, &found).then_some(found)
    }

    /// The same for each node of the class that the pattern's operation is.
    pub fn matched_by_each(&mut self, pattern: &Instance, class: Class) -> Vec<Bindings> {
        let root = pattern.window.expressions.get(pattern.window.root);
        let unbound = smallvec![None; pattern.window.leaves.len()];
        let ty = self.ty(class);
        let lanes = if is_fixed(pattern) { None } else { Some(ty.lanes) };
        if (ty.kind, ty.width) != (root.ty.kind, root.ty.width) || ty.lanes != lanes.unwrap_or(root.ty.lanes)
        {
            return Vec::new();
        }
        let found =
            self.members(class).filter_map(|node| self.matching_node(pattern, root, node, lanes, &unbound));
        let mut found: Vec<Bindings> = found.collect();
        found.dedup();
        found.retain(|own| self.meets(pattern, own));
        found
    }

    fn matching(
        &self,
        pattern: &Instance,
        expression: ExpressionId,
        class: Class,
        lanes: Option<u32>,
        count: bool,
        bindings: &Bindings,
    ) -> Option<Bindings> {
        let wanted = pattern.window.expressions.get(expression);
        let class = self.find(class);
        let ty = self.ty(class);
        let typed = (ty.kind, ty.width) == (wanted.ty.kind, wanted.ty.width);
        match wanted.operator {
            Operator::Leaf(leaf) => {
                // A count within its range is the same number with a sign and without.
                let ranged = pattern.window.leaves[leaf].range.is_some() && ty.kind != Kind::Condition;
                let typed = typed || count && ranged && ty.width == wanted.ty.width;
                let bound = match pattern.binds[leaf] {
                    Binds::Anything if typed && ty.lanes == lanes.unwrap_or(wanted.ty.lanes) => {
                        Bound::Class(class)
                    }
                    Binds::Uniform if typed => Bound::Uniform(self.scalar(class)?),
                    Binds::Constant if typed || count => Bound::Constant(self.literal(class)?),
                    _ => return None,
                };
                let mut bindings = bindings.clone();
                match bindings[leaf].replace(bound) {
                    Some(known) if known != bound => None,
                    _ => Some(bindings),
                }
            }
            Operator::Literal(value) => {
                let holds = (typed || count) && self.literal(class) == Some(value);
                holds.then(|| bindings.clone())
            }
            // A number that follows from constants which are known by now.
            Operator::Lanewise(_)
                if (typed || count)
                    && self
                        .literal(class)
                        .is_some_and(|value| folded(pattern, expression, bindings) == Some(value)) =>
            {
                Some(bindings.clone())
            }
            Operator::Lanewise(_) | Operator::Reduce(_)
                if typed && ty.lanes == lanes.unwrap_or(wanted.ty.lanes) =>
            {
                self.members(class)
                    .find_map(|node| self.matching_node(pattern, wanted, node, lanes, bindings))
            }
            _ => None,
        }
    }

    /// What variables stand for where an operation of a pattern is this node.
    fn matching_node(
        &self,
        pattern: &Instance,
        wanted: &Expression,
        node: &Node,
        lanes: Option<u32>,
        bindings: &Bindings,
    ) -> Option<Bindings> {
        let head = Head::of(&wanted.operator)?;
        if node.computes != Computes::Operation(head) {
            return None;
        }
        let orders: &[[usize; 2]] = if commutes(head) { &[[0, 1], [1, 0]] } else { &[[0, 1]] };
        orders.iter().find_map(|order| {
            let mut bindings = bindings.clone();
            for (at, operand) in wanted.operands.iter().enumerate() {
                let own = node.operands[*order.get(at).unwrap_or(&at)];
                let count = is_count(&wanted.operator, at);
                bindings = self.matching(pattern, *operand, own, lanes, count, &bindings)?;
            }
            Some(bindings)
        })
    }

    /// Whether the ranges, known bits and conditions of a pattern hold.
    fn meets(&mut self, pattern: &Instance, bindings: &Bindings) -> bool {
        for (leaf, bound) in pattern.window.leaves.iter().zip(bindings) {
            let Some((low, high)) = leaf.range else { continue };
            let (least, greatest) = match bound {
                Some(Bound::Constant(value)) => (*value, *value),
                Some(Bound::Class(class) | Bound::Uniform(class)) => self.range(*class),
                None => return false,
            };
            if least < low || greatest > high {
                return false;
            }
        }
        for (leaf, bound) in pattern.window.leaves.iter().zip(bindings) {
            let Some(Bound::Constant(value)) = bound else { continue };
            let (low, high) = leaf.range.unwrap_or(limits(leaf.ty));
            if !(low..=high).contains(value) {
                return false;
            }
        }
        let known = pattern.bits.iter().all(|(variable, mask, value)| match bindings[*variable] {
            Some(Bound::Constant(own)) => (own as u64) & mask == *value,
            _ => false,
        });
        known && pattern.conditions.iter().all(|condition| folded(pattern, *condition, bindings) == Some(1))
    }

    /// Adds what equalities say.
    pub fn saturate(&mut self, equalities: &FxHashMap<(Head, Kind, u32), Vec<&Equality>>) {
        let most = self.nodes.len() * GROWTH + ROOM;
        for _ in 0..ROUNDS {
            let mut changed = false;
            for class in self.classes() {
                let class = self.find(class);
                let nodes: Vec<Node> = self.members(class).cloned().collect();
                for node in nodes {
                    let Computes::Operation(head) = node.computes else { continue };
                    let key = (head, node.ty.kind, node.ty.width);
                    for equality in equalities.get(&key).into_iter().flatten() {
                        if self.nodes.len() >= most || self.members(class).count() >= MAX_MEMBERS {
                            break;
                        }
                        let (from, to) = equality.sides();
                        let Some(bindings) = self.matched(&equality.instance, from, class) else { continue };
                        let lanes = node.ty.lanes;
                        let Some(made) = self.instantiate(&equality.instance, to, lanes, &bindings) else {
                            continue;
                        };
                        changed |= self.join(class, made);
                    }
                }
            }
            if !changed {
                return;
            }
        }
    }

    fn instantiate(
        &mut self,
        rule: &Instance,
        expression: ExpressionId,
        lanes: u32,
        bindings: &Bindings,
    ) -> Option<Class> {
        let node = rule.window.expressions.get(expression);
        if let Some(value) = folded(rule, expression, bindings) {
            return Some(self.literal_class(value, node.ty, lanes));
        }
        match node.operator {
            Operator::Leaf(leaf) => match bindings[leaf]? {
                Bound::Class(class) => Some(class),
                Bound::Constant(value) => Some(self.literal_class(value, node.ty, lanes)),
                Bound::Uniform(scalar) => {
                    let ty = Type { lanes, ..self.ty(scalar) };
                    Some(match lanes {
                        1 => scalar,
                        _ => self.add(Node { computes: Computes::Broadcast, ty, operands: vec![scalar] }),
                    })
                }
            },
            Operator::Lanewise(operator) => {
                let mut operands = Vec::new();
                for operand in &node.operands {
                    operands.push(self.instantiate(rule, *operand, lanes, bindings)?);
                }
                let ty = Type { lanes, ..node.ty };
                Some(self.add(Node { computes: Computes::Operation(Head::Lanewise(operator)), ty, operands }))
            }
            _ => None,
        }
    }

    /// The class of a literal in so many lanes.
    pub fn literal_class(&mut self, value: i128, ty: Type, lanes: u32) -> Class {
        let one = self.add(Node {
            computes: Computes::Literal(value),
            ty: Type { lanes: 1, ..ty },
            operands: Vec::new(),
        });
        match lanes {
            1 => one,
            lanes => self.add(Node {
                computes: Computes::Broadcast,
                ty: Type { lanes, ..ty },
                operands: vec![one],
            }),
        }
    }
}

/// The value of an expression that reads constants alone.
fn folded(rule: &Instance, expression: ExpressionId, bindings: &Bindings) -> Option<i128> {
    match rule.window.expressions.get(expression).operator {
        Operator::Literal(value) => return Some(value),
        Operator::Leaf(leaf) => {
            let Some(Bound::Constant(value)) = bindings[leaf] else { return None };
            let (low, high) = limits(rule.window.leaves[leaf].ty);
            return (low..=high).contains(&value).then_some(value);
        }
        _ => {}
    }
    let mut values = BTreeMap::new();
    let mut pending = vec![expression];
    while let Some(id) = pending.pop() {
        let node = rule.window.expressions.get(id);
        if let Operator::Leaf(leaf) = node.operator {
            let Some(Bound::Constant(value)) = bindings[leaf] else { return None };
            let (low, high) = limits(rule.window.leaves[leaf].ty);
            if !(low..=high).contains(&value) {
                return None;
            }
            values.insert(leaf, value);
        }
        pending.extend(&node.operands);
    }
    let expressions = with_literals(&rule.window.expressions, &values);
    let window = Window { expressions, ..rule.window.clone() };
    let mut meaning = Meaning::new(&window);
    let value = *meaning.all(expression).ok()?.first()?;
    i128::try_from(meaning.dag.as_int(value)?).ok()
}
