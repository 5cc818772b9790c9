//! Instruction selection by rules alone: no search, no solver.
//!
//! Equalities add equal expressions to the window's ([`Graph`]); lowering rules are matched at each node, and the cheapest cover is
//! chosen from the leaves up, for each order of lanes in registers that a rule leaves its value in. What is chosen becomes one program.
//! It is right because each rule is proved; `synth`'s certificate can be asked of the program besides.

use std::collections::BTreeSet;
use std::sync::Arc;

use rustc_hash::{FxHashMap, FxHashSet};
use synth::contents::{Content, Entry};
use synth::program::{Program, Value};
use synth::table::Table;
use synth::window::{Element, ExpressionId, Kind, Meaning, Operator};

use crate::bindings::Bindings;
use crate::graph::{self, Bound, Class, Computes, Equality, Graph, Head};
use crate::instance::Instance;
use crate::layout::{Laid, Order, of_one_block};
use crate::lowering::{Lowering, finish, fits, is_fixed, result_register};
use crate::sequence::{Instructions, Shape, constant, load, low_part};
use crate::tidy::tidy;

/// Passes over all classes, at most.
const MAX_PASSES: usize = 64;

/// What a value costs that is an input because no rule makes it.
const OPEN: u64 = 1_000_000_000;

type Key = (Head, Kind, u32);

/// An order of lanes in registers by number: 0 is the lanes' own, another one is one more than its position among those of the rules.
type Layout = usize;

/// The single lane of a value that is in a general register.
const GENERAL: Layout = usize::MAX;

/// A class whose value is in registers in an order.
type State = (Class, Layout);

/// A rule between orders: its pattern for one lane, with the orders of its variables and of its result.
struct Between<'r> {
    rule: &'r Lowering,
    pattern: Instance,
    operands: Operands,
    result: Layout,
}

/// The orders that a rule's variables are in.
#[derive(Clone)]
enum Operands {
    /// One for all.
    All(Layout),
    /// One for each.
    Each(Arc<[Layout]>),
}

impl Operands {
    fn of(&self, variable: usize) -> Layout {
        match self {
            Operands::All(layout) => *layout,
            Operands::Each(layouts) => layouts[variable],
        }
    }

    fn are_in_order(&self) -> bool {
        match self {
            Operands::All(layout) => *layout == 0,
            Operands::Each(layouts) => layouts.iter().all(|layout| *layout == 0),
        }
    }
}

/// Rules, ready for use.
pub struct Selector<'r> {
    equalities: FxHashMap<Key, Vec<&'r Equality>>,
    lowerings: FxHashMap<Key, Vec<&'r Lowering>>,
    between: FxHashMap<Key, Vec<Between<'r>>>,
    widths: &'r [u32],
    /// The same for values in narrower registers, where there are rules for these.
    narrower: Option<Box<Selector<'r>>>,
}

/// A cover of a window.
pub struct Selected {
    /// The program.
    pub program: Program,
    /// Names of the rules that are used, in order of use.
    pub rules: Vec<String>,
    /// What was chosen costs, in thousandths of a micro-operation, as if nothing was shared.
    pub price: u64,
    /// Nodes that were looked at.
    pub nodes: usize,
}

#[derive(Clone)]
enum Choice<'r> {
    Leaf(usize),
    Constant(Class),
    Rule(Applied<'r>),
}

/// A rule where it is used.
#[derive(Clone)]
struct Applied<'r> {
    rule: &'r Lowering,
    bindings: graph::Bindings,
    /// How often it is applied to cover all lanes.
    chunks: u32,
    /// The orders of its operands.
    operands: Operands,
}

fn key(rule: &Instance, root: synth::window::ExpressionId) -> Option<Key> {
    let node = rule.window.expressions.get(root);
    Some((Head::of(&node.operator)?, node.ty.kind, node.ty.width))
}

impl<'r> Selector<'r> {
    /// Rules for a target with registers of these widths, least first.
    pub fn new(equalities: &'r [Equality], lowerings: &'r [Lowering], widths: &'r [u32]) -> Self {
        let own = |rule: &&'r Lowering| rule.registers.is_none();
        let mut selector = Self::of(equalities, lowerings.iter().filter(own), widths);
        if let Some(narrow) = of_one_block(widths)
            && let Some(bits) = narrow.last()
            && lowerings.iter().any(|rule| rule.registers == Some(*bits))
        {
            let own = |rule: &&'r Lowering| match rule.registers {
                Some(registers) => registers == *bits,
                None => fits(&rule.pattern, rule.lanes, *bits),
            };
            let own = Self::of(&[], lowerings.iter().filter(own), narrow);
            selector.narrower = Some(Box::new(own));
        }
        selector
    }

    /// Rules whose values are in registers of these widths.
    fn of(
        equalities: &'r [Equality],
        lowerings: impl Iterator<Item = &'r Lowering>,
        widths: &'r [u32],
    ) -> Self {
        let (equality, lowering, between) = Default::default();
        let mut selector =
            Self { equalities: equality, lowerings: lowering, between, widths, narrower: None };
        let mut layouts: Vec<Vec<u32>> = Vec::new();
        let mut number = |order: Order| match order {
            None => 0,
            Some(order) => match layouts.iter().position(|own| *own == order) {
                Some(known) => known + 1,
                None => {
                    layouts.push(order);
                    layouts.len()
                }
            },
        };
        for equality in equalities {
            let own = &equality.instance;
            let root = if equality.reversed { own.to } else { Some(own.window.root) };
            if let Some(key) = root.and_then(|root| key(own, root)) {
                selector.equalities.entry(key).or_default().push(equality);
            }
        }
        for lowering in lowerings {
            if let Some(Laid { pattern, operands, result }) = Laid::of(&lowering.pattern) {
                let operands = Operands::Each(operands.into_iter().map(&mut number).collect());
                let result = number(result);
                if let Some(key) = key(&pattern, pattern.window.root) {
                    let own = Between { rule: lowering, pattern, operands, result };
                    selector.between.entry(key).or_default().push(own);
                }
                continue;
            }
            if let Some(key) = key(&lowering.pattern, lowering.pattern.window.root) {
                selector.lowerings.entry(key).or_default().push(lowering);
            }
        }
        selector
    }

    /// How often a rule is applied to values of so many lanes; `None` where it does not fit.
    fn chunks(&self, pattern: &Instance, own_lanes: u32, lanes: u32) -> Option<u32> {
        if is_fixed(pattern) {
            return Some(1);
        }
        let padded = lanes.next_power_of_two();
        let chunks = padded.div_ceil(own_lanes);
        let fits = |width: u32, is_result: bool| {
            let (all, own) =
                (Shape::of(padded, width, self.widths), Shape::of(own_lanes, width, self.widths));
            match (all, own) {
                (Some(all), Some(own)) if own_lanes > padded => {
                    all.count == 1
                        && own.count == 1
                        && (all.width == own.width || is_result && own.width > all.width)
                }
                (Some(all), Some(own)) => all.width == own.width && all.count == chunks * own.count,
                _ => false,
            }
        };
        let dense = pattern.window.leaves.iter().zip(&pattern.binds);
        let mut dense = dense.filter(|(_, binds)| **binds == crate::text::Binds::Anything);
        let all = dense.all(|(leaf, _)| fits(leaf.ty.width, false)) && fits(pattern.window.ty().width, true);
        all.then_some(chunks)
    }

    /// Covers a window; or says which expression no rule covers.
    pub fn select(
        &self,
        meaning: &mut Meaning<'_>,
        table: &mut Table,
        index: &Instructions,
    ) -> Result<Selected, String> {
        let mut graph = self.graph(meaning);
        let (selector, covered) = self.cheaper(&mut graph)?;
        selector.built(graph, covered, table, index)
    }

    /// What the cheapest cover of a window costs, in thousandths of a micro-operation, as if nothing was shared; or which expression
    /// no rule covers.
    pub fn price(&self, meaning: &mut Meaning<'_>) -> Result<u64, String> {
        self.cheaper(&mut self.graph(meaning)).map(|(_, covered)| covered.top.price)
    }

    /// A window's expressions with those that are equal to them.
    fn graph<'m, 'w>(&self, meaning: &'m mut Meaning<'w>) -> Graph<'m, 'w> {
        let mut graph = Graph::new(meaning);
        graph.regroup();
        graph.saturate(&self.equalities);
        graph
    }

    /// The cover by these rules, or by those for narrower registers where that is cheaper: they are tried for a window whose result fills at
    /// most one of the widest.
    fn cheaper(&self, graph: &mut Graph<'_, '_>) -> Result<(&Self, Covered<'r>), String> {
        let own = self.covered(graph).map(|own| (self, own));
        let is_one = self.widths.last().is_some_and(|widest| graph.window().ty().bits() <= *widest);
        let Some(narrower) = self.narrower.as_deref().filter(|_| is_one) else { return own };
        let other = narrower.covered(graph).map(|own| (narrower, own));
        match (own, other) {
            (Ok(own), Ok(other)) => Ok(if other.1.top.price < own.1.top.price { other } else { own }),
            (own, other) => own.or_else(|why| other.map_err(|_| why)),
        }
    }

    /// The cheapest cover by these rules alone.
    fn covered(&self, graph: &mut Graph<'_, '_>) -> Result<Covered<'r>, String> {
        let mut cover = self.matched(graph);
        cover.cheapest(graph);
        let Cover { costs, choices, .. } = cover;
        let root = graph.find(graph.root);
        let top = with_added(graph, &costs, root).or_else(|| whole(&costs, root));
        let top = top.ok_or_else(|| uncovered(graph, &costs, root))?;
        Ok(Covered { choices, top })
    }

    /// A cover as a program.
    fn built(
        &self,
        graph: Graph<'_, '_>,
        covered: Covered<'r>,
        table: &mut Table,
        index: &Instructions,
    ) -> Result<Selected, String> {
        let Covered { choices, top: Top { class, layout, added, price } } = covered;
        let (ty, nodes) = (graph.ty(graph.find(graph.root)), graph.classes().len());
        let mut builder = Builder {
            selector: self,
            graph,
            choices,
            table,
            index,
            program: Program::default(),
            made: FxHashMap::default(),
            rules: Vec::new(),
        };
        let missing = "an instruction of a rule is not there";
        let values = builder.value(class, layout).ok_or(missing)?;
        builder.program.added = added.map(|scalar| builder.uniform(scalar).ok_or(missing)).transpose()?;
        let Builder { graph, mut program, rules, table: builder_table, .. } = builder;
        let register = match layout {
            GENERAL => program.ty(builder_table, &values[0]),
            _ => result_register(ty, self.widths),
        };
        let register = register.ok_or("lanes do not fill registers evenly")?;
        finish(&mut program, graph.meaning, register, &values).ok_or("the window is too large")?;
        let program = tidy(&program, builder_table, graph.window());
        Ok(Selected { program, rules, price, nodes })
    }

    /// Expressions that no rule makes, from the leaves up: with their values as inputs, rules cover the rest of the window. There
    /// are none where rules cover it.
    pub fn uncovered(&self, meaning: &mut Meaning<'_>) -> Vec<ExpressionId> {
        let mut graph = self.graph(meaning);
        let root = graph.root;
        let mut cover = self.matched(&mut graph);
        let mut open = Vec::new();
        loop {
            cover.cheapest(&graph);
            let Some(class) = lowest(&graph, &cover.costs, root) else { return open };
            let Some(origin) = graph.origin(class) else { return open };
            cover.costs.insert((class, 0), OPEN);
            open.push(origin);
        }
    }

    /// All places where rules match, and what costs nothing.
    fn matched(&self, graph: &mut Graph<'_, '_>) -> Cover<'r> {
        let classes = graph.classes();
        let mut matches: Vec<Match<'r>> = Vec::new();
        let (mut costs, mut choices) = (FxHashMap::default(), FxHashMap::default());
        // Orders that something is in.
        let mut used: BTreeSet<Layout> = BTreeSet::new();
        let price = |rule: &Lowering, chunks: u32| {
            let own = 1000 * u64::from(rule.cost.uops) + u64::from(rule.cost.latency);
            // A rule is not free, so that none goes round in a circle.
            own * u64::from(chunks) + 1
        };
        let mut constants: Vec<(Class, Class)> = Vec::new();
        for class in classes {
            let lanes = graph.ty(class).lanes;
            let nodes: Vec<_> = graph.members(class).cloned().collect();
            if let Some(scalar) = graph.scalar(class)
                && (graph.origin(scalar).is_some()
                    || graph.members(scalar).any(|node| matches!(node.computes, Computes::Literal(_))))
            {
                constants.push((class, scalar));
            }
            let mut keys: Vec<Key> = Vec::new();
            for node in nodes {
                match node.computes {
                    Computes::Leaf(leaf) if !graph.window().leaves[leaf].scalar => {
                        costs.insert((class, 0), 0);
                        choices.insert((class, 0), Choice::Leaf(leaf));
                    }
                    Computes::Operation(head) => {
                        let key = (head, node.ty.kind, node.ty.width);
                        if !keys.contains(&key) {
                            keys.push(key);
                        }
                    }
                    _ => {}
                }
            }
            for rule in keys.iter().filter_map(|key| self.lowerings.get(key)).flatten() {
                let Some(chunks) = self.chunks(&rule.pattern, rule.lanes, lanes) else { continue };
                for bindings in graph.matched_by_each(&rule.pattern, class) {
                    let applied = Applied { rule, bindings, chunks, operands: Operands::All(0) };
                    let result = if rule.sequence.result.is_some() { GENERAL } else { 0 };
                    matches.push(Match { class, result, applied, price: price(rule, chunks) });
                }
            }
            for own in keys.iter().filter_map(|key| self.between.get(key)).flatten() {
                // Only whole runs of lanes are in an order.
                let whole = lanes.is_multiple_of(own.rule.lanes);
                let Some(chunks) = self.chunks(&own.pattern, own.rule.lanes, lanes).filter(|_| whole) else {
                    continue;
                };
                for bindings in graph.matched_by_each(&own.pattern, class) {
                    let Between { rule, ref operands, result, .. } = *own;
                    let operands = operands.clone();
                    used.insert(result);
                    let applied = Applied { rule, bindings, chunks, operands };
                    matches.push(Match { class, result, applied, price: price(rule, chunks) });
                }
            }
        }
        used.insert(0);
        for (class, scalar) in constants {
            for layout in &used {
                costs.insert((class, *layout), 0);
                choices.insert((class, *layout), Choice::Constant(scalar));
            }
        }
        // What is done lane by lane is done in any order.
        let mut all: Vec<Match<'r>> = Vec::new();
        for own in matches {
            let in_order = own.applied.operands.are_in_order();
            let others = used.iter().copied().filter(|layout| *layout > 0);
            let in_other = |layout| Applied { operands: Operands::All(layout), ..own.applied.clone() };
            if in_order && own.result == 0 && !is_fixed(&own.applied.rule.pattern) {
                all.extend(others.map(|layout| Match { result: layout, applied: in_other(layout), ..own }));
            } else if in_order && is_of_all(&own.applied.rule.pattern) {
                // A value of all lanes together does not depend on their order.
                all.extend(others.map(|layout| Match { applied: in_other(layout), ..own }));
            }
            all.push(own);
        }
        Cover { matches: all, costs, choices }
    }
}

/// The choices of a cover, and where the result is.
struct Covered<'r> {
    choices: FxHashMap<State, Choice<'r>>,
    top: Top,
}

/// What a window's result is made from.
struct Top {
    class: Class,
    layout: Layout,
    /// What is added to it in a general register.
    added: Option<Class>,
    price: u64,
}

/// The cheapest register for a value.
fn whole(costs: &FxHashMap<State, u64>, class: Class) -> Option<Top> {
    let of = |layout| Some(Top { class, layout, added: None, price: *costs.get(&(class, layout))? });
    [0, GENERAL].into_iter().filter_map(of).min_by_key(|top| top.price)
}

/// The same for a sum of one lane and a scalar, which is added in a general register.
fn with_added(graph: &Graph<'_, '_>, costs: &FxHashMap<State, u64>, class: Class) -> Option<Top> {
    let (of, added) = graph.with_added(class)?;
    Some(Top { added: Some(added), ..whole(costs, of)? })
}

/// Whether a pattern makes one value of all lanes of what is computed lane by lane.
fn is_of_all(pattern: &Instance) -> bool {
    let node = |id: ExpressionId| pattern.window.expressions.get(id);
    let root = node(pattern.window.root);
    let mut pending = root.operands.clone();
    while let Some(id) = pending.pop() {
        match node(id).operator {
            Operator::Leaf(_) | Operator::Literal(_) | Operator::Broadcast => {}
            Operator::Lanewise(_) => pending.extend(&node(id).operands),
            _ => return false,
        }
    }
    matches!(root.operator, Operator::Reduce(_)) && root.ty.lanes == 1
}

/// A place where a rule matches: the class, the order in which its value then is, and what the rule costs.
struct Match<'r> {
    class: Class,
    result: Layout,
    applied: Applied<'r>,
    price: u64,
}

/// What states cost, and the choices that cost so little.
struct Cover<'r> {
    matches: Vec<Match<'r>>,
    costs: FxHashMap<State, u64>,
    choices: FxHashMap<State, Choice<'r>>,
}

impl Cover<'_> {
    /// Chooses the cheapest rule for each state.
    fn cheapest(&mut self, graph: &Graph<'_, '_>) {
        for _ in 0..MAX_PASSES {
            let mut changed = false;
            for Match { class, result, applied, price } in &self.matches {
                let mut sum = Some(*price);
                for (variable, bound) in applied.bindings.iter().enumerate() {
                    if let Some(Bound::Class(class)) = bound {
                        let layout = applied.operands.of(variable);
                        let below = self.costs.get(&(graph.find(*class), layout)).copied();
                        sum = sum.zip(below).map(|(sum, below)| sum + below);
                    }
                }
                let (Some(sum), state) = (sum, (*class, *result)) else { continue };
                if self.costs.get(&state).is_none_or(|known| sum < *known) {
                    self.costs.insert(state, sum);
                    self.choices.insert(state, Choice::Rule(applied.clone()));
                    changed = true;
                }
            }
            if !changed {
                break;
            }
        }
    }
}

/// The first operation from the leaves up that no rule covers: the operands of what it is in the window are covered.
fn lowest(graph: &Graph<'_, '_>, costs: &FxHashMap<State, u64>, root: Class) -> Option<Class> {
    let (mut pending, mut seen, mut found) = (vec![root], FxHashSet::default(), None);
    while let Some(class) = pending.pop() {
        let class = graph.find(class);
        if costs.contains_key(&(class, 0)) || !seen.insert(class) {
            continue;
        }
        let Some(node) = graph.members(class).next() else { continue };
        let covered = node.operands.iter().all(|operand| costs.contains_key(&(graph.find(*operand), 0)));
        if covered || found.is_none() {
            found = Some(class);
        }
        pending.extend(&node.operands);
    }
    found
}

/// What no rule covers, in words.
fn uncovered(graph: &Graph<'_, '_>, costs: &FxHashMap<State, u64>, root: Class) -> String {
    let node = lowest(graph, costs, root).and_then(|class| graph.members(class).next());
    let Some(node) = node else { return "no rule covers the window".into() };
    let name = match node.computes {
        Computes::Operation(head) => head.name(),
        Computes::Other(_) => "a movement",
        _ => "a scalar",
    };
    let operands: Vec<String> = node.operands.iter().map(|operand| graph.ty(*operand).to_string()).collect();
    format!("no rule covers {name}:{} of {}", node.ty, operands.join(", "))
}

struct Builder<'a, 'r, 'm, 'w> {
    selector: &'a Selector<'r>,
    graph: Graph<'m, 'w>,
    choices: FxHashMap<State, Choice<'r>>,
    table: &'a mut Table,
    index: &'a Instructions,
    program: Program,
    made: FxHashMap<State, Vec<Value>>,
    rules: Vec<String>,
}

impl Builder<'_, '_, '_, '_> {
    /// The registers of a class's value, its lanes in an order.
    fn value(&mut self, class: Class, layout: Layout) -> Option<Vec<Value>> {
        let class = self.graph.find(class);
        let state = (class, layout);
        if let Some(known) = self.made.get(&state) {
            return Some(known.clone());
        }
        let ty = self.graph.ty(class);
        let shape = Shape::of(ty.lanes.next_power_of_two(), ty.width, self.selector.widths)?;
        let values = match self.choices.get(&state)?.clone() {
            Choice::Leaf(leaf) => {
                let window = self.graph.window();
                (0..shape.count).map(|at| load(&mut self.program, window, leaf, shape, at)).collect()
            }
            Choice::Constant(scalar) => {
                let bits = self.uniform(scalar)?;
                let register = search::Type { class: search::Class::Vector, width: shape.width };
                let content: Content = vec![Entry::Uniform(bits); (shape.width / ty.width) as usize];
                vec![constant(&mut self.program, register, ty.width, content); shape.count as usize]
            }
            Choice::Rule(applied) if layout == GENERAL => {
                self.apply(&applied, Shape { count: 1, width: ty.width })?
            }
            Choice::Rule(applied) => self.apply(&applied, shape)?,
        };
        self.made.insert(state, values.clone());
        Some(values)
    }

    /// The bits of a scalar.
    fn uniform(&mut self, scalar: Class) -> Option<hydride_ir::exact::NodeId> {
        let ty = self.graph.ty(scalar);
        let literal = self.graph.members(scalar).find_map(|node| match node.computes {
            Computes::Literal(value) => Some(value),
            _ => None,
        });
        let value = match literal {
            Some(value) => self.graph.meaning.dag.int(value),
            None => {
                let origin = self.graph.origin(scalar)?;
                let window = self.graph.window();
                match window.expressions.get(origin).operator {
                    Operator::Leaf(leaf) => {
                        let arg = self.graph.meaning.sample_of(&[Element { leaf: leaf as u32, index: 0 }])?;
                        self.graph.meaning.dag.arg_slice(arg, 0, ty.width, false)
                    }
                    _ => self.graph.meaning.family(origin, vec![0])?,
                }
            }
        };
        Some(self.graph.meaning.dag.slice(value, 0, ty.width, false))
    }

    fn apply(&mut self, applied: &Applied<'_>, shape: Shape) -> Option<Vec<Value>> {
        let Applied { rule, bindings: bound, chunks, operands } = applied;
        let leaves = &rule.pattern.window.leaves;
        let place = |name: &str| leaves.iter().position(|leaf| leaf.name == name);
        let mut registers: Vec<Vec<Value>> = vec![Vec::new(); leaves.len()];
        let mut uniforms = vec![None; leaves.len()];
        for (at, bound) in bound.iter().enumerate() {
            match bound {
                Some(Bound::Class(class)) => registers[at] = self.value(*class, operands.of(at))?,
                Some(Bound::Uniform(class)) => uniforms[at] = Some(self.uniform(*class)?),
                _ => {}
            }
        }
        self.rules.push(rule.name.clone());
        let own = Shape::of(rule.lanes, rule.pattern.window.ty().width, self.selector.widths)?;
        let mut values = Vec::new();
        let chunks = *chunks as usize;
        for chunk in 0..chunks {
            let part = |name: &str| {
                let all = &registers[place(name)?];
                let each = all.len() / chunks;
                all.get(chunk * each..(chunk + 1) * each).map(<[Value]>::to_vec)
            };
            let bindings = Bindings {
                registers: &part,
                constants: &|name| match bound[place(name)?] {
                    Some(Bound::Constant(value)) => Some(value),
                    _ => None,
                },
                uniforms: &|name| uniforms[place(name)?],
            };
            let outputs = rule.sequence.append(
                &mut self.program,
                self.graph.meaning,
                self.table,
                self.index,
                &bindings,
            )?;
            for output in outputs {
                values.push(match rule.sequence.result {
                    Some(_) => output,
                    None => low_part(output, own.width, own.width.min(shape.width))?,
                });
            }
        }
        (values.len() == shape.count as usize).then_some(values)
    }
}
