//! The certificate: a program run symbolically at the window's full width, on the functions that the documents give.
//!
//! Every step is raised with its operands' containers as they are known at that point; each container of its result must
//! be what the program says that it holds. Where the two are one node of the graph of exact integers the proof is
//! *structural*, where a rewrite joins them it is that rewrite's theorem, and else the solver must say that they are
//! equal: an unknown answer refuses the program. Of floating-point operators both sides leave open which NaN a NaN is; to
//! the solver what they give is an unknown. What nobody asks for is an unknown of its own, another one each time
//! that it is read, so that nothing relies on it: where it has no value (undefined bits of LLVM, variables of C) a compiler may
//! take it for one number here and for another one there.

use hydride_ir::exact::{Dag, Node, NodeId, Part, Replacements, Segment, raise_with};
use hydride_ir::passes::open_nans;
use rustc_hash::{FxHashMap, FxHashSet};
use search::{Type, specialize};
use smt::{Prover, Verdict};

use crate::cases::equal_for_each_count;
use crate::contents::{Content, Entry};
use crate::forms::{joined, reassembled};
use crate::normal::normal;
use crate::program::{Program, Value};
use crate::rewrite::rewrites;
use crate::table::Table;
use crate::window::{Meaning, Window};

/// How a program was proved.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, serde::Serialize)]
pub struct Proof {
    /// Lanes that are the same node on both sides.
    pub structural: usize,
    /// Lanes that a rewrite's theorem joins.
    pub theorem: usize,
    /// Lanes that the solver proved equal.
    pub solver: usize,
}

impl Proof {
    /// The weakest kind of proof that was needed.
    pub fn name(&self) -> &'static str {
        match (self.solver, self.theorem) {
            (0, 0) => "structural",
            (0, _) => "theorem",
            _ => "solver",
        }
    }
}

/// Why a program is not proved.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Refusal {
    /// A step does not give what the program says.
    #[error("step {step}, lane {lane}: {why}")]
    Step {
        /// The step's position; the number of steps for the result.
        step: usize,
        /// The container.
        lane: usize,
        /// Which answer came.
        why: String,
    },
    /// The program is no program for this table.
    #[error("{0}")]
    Malformed(&'static str),
}

/// Who says whether two values are equal when they are not the same node.
pub trait Judge {
    /// The verdict on two nodes of one graph.
    fn equal(&mut self, dag: &Dag, left: NodeId, right: NodeId) -> Verdict;
}

impl Judge for Prover {
    fn equal(&mut self, dag: &Dag, left: NodeId, right: NodeId) -> Verdict {
        self.equal_integers(dag, left, right)
    }
}

/// Proves that a program's outputs hold the lanes of the window's result. `lanes` says where each lane of the result is:
/// output, container.
pub fn certify(
    meaning: &mut Meaning<'_>,
    table: &Table,
    program: &Program,
    results: &[NodeId],
    judge: &mut dyn Judge,
) -> Result<Proof, Refusal> {
    is_well_formed(meaning.window(), table, program)?;
    let mut run = Run {
        meaning,
        judge,
        proof: Proof::default(),
        inputs: Vec::new(),
        steps: Vec::new(),
        unknowns: FxHashMap::default(),
        open: FxHashSet::default(),
    };
    for input in &program.inputs {
        let known = run.known(&input.content, input.container);
        run.inputs.push(known);
    }
    for (number, step) in program.steps.iter().enumerate() {
        let op = table.op(step.op);
        let instruction = &table.instructions[op.instruction];
        let function = specialize(instruction, &op.choices)
            .ok_or(Refusal::Malformed("an operation without function"))?;
        let mut args = Vec::new();
        for operand in &step.operands {
            args.push(run.whole(operand)?);
        }
        let raised = raise_with(&mut run.meaning.dag, &open_nans(&function), &[], &args)
            .map_err(|_| Refusal::Malformed("an operation that cannot be run"))?;
        let segments = raised.results.first().ok_or(Refusal::Malformed("an operation without result"))?;
        let containers = run.check(number, segments, &step.content, step.container)?;
        run.steps.push(containers);
    }
    let (mut lane, width) = (0, run.meaning.window().ty().width);
    for (value, content) in &program.outputs {
        let held = run.held(value)?;
        let bits = joined(&mut run.meaning.dag, &held);
        for (position, entry) in content.iter().enumerate() {
            if *entry == Entry::Any {
                continue;
            }
            let wanted = *results.get(lane).ok_or(Refusal::Malformed("more lanes than the result has"))?;
            let low = position as u32 * program.container;
            let dag = &mut run.meaning.dag;
            let mut found = dag.slice(bits, low, program.container, program.extended == Some(true));
            if program.extended.is_some() {
                found = dag.slice(found, 0, width, false);
            }
            let found = match program.added {
                None => found,
                Some(added) => {
                    let added = run.meaning.at(added, 0);
                    let sum = run.meaning.dag.sum(&[found, added]);
                    run.meaning.dag.slice(sum, 0, program.container, false)
                }
            };
            run.same(program.steps.len(), lane, found, wanted, None)?;
            lane += 1;
        }
    }
    if lane != results.len() {
        return Err(Refusal::Malformed("lanes of the result are missing"));
    }
    Ok(run.proof)
}

/// Whether a program says of its registers what code can be written for: inputs hold what they load or constants, operands
/// are of their operations' types, and the result's lanes are at the lowest places of its registers.
fn is_well_formed(window: &Window, table: &Table, program: &Program) -> Result<(), Refusal> {
    let require = |holds: bool, why| if holds { Ok(()) } else { Err(Refusal::Malformed(why)) };
    let fills = |content: &Content, container: u32, ty: Type| {
        container > 0 && content.len() as u64 * u64::from(container) == u64::from(ty.width)
    };
    let fits = match program.extended {
        Some(_) => window.number && window.ty().lanes == 1 && program.container < window.ty().width,
        None => program.container == window.ty().width,
    };
    require(fits, "lanes of another width than the result's")?;
    for input in &program.inputs {
        require(fills(&input.content, input.container, input.ty), "an input that is not full")?;
        for (position, entry) in (0..).zip(&input.content) {
            let holds = match (*entry, input.load) {
                (Entry::Any, _) => true,
                (Entry::Uniform(_), None) => true,
                (Entry::Element(element), Some((leaf, start))) => {
                    element.leaf == leaf && i64::from(element.index) == start + position
                }
                _ => false,
            };
            require(holds, "an input that holds something else than it loads")?;
        }
        if let Some((leaf, start)) = input.load {
            let leaf =
                window.leaves.get(leaf as usize).ok_or(Refusal::Malformed("a leaf that is not there"))?;
            let within = start < i64::from(leaf.ty.lanes) && start + input.content.len() as i64 > 0;
            require(leaf.ty.width == input.container && within, "a load from beside a leaf")?;
        }
    }
    for step in &program.steps {
        let op = table.op(step.op);
        let types: Vec<Option<Type>> =
            step.operands.iter().map(|operand| program.ty(table, operand)).collect();
        require(types.into_iter().eq(op.args.iter().map(|ty| Some(*ty))), "operands of other types")?;
        require(fills(&step.content, step.container, op.result), "a result that is not full")?;
    }
    for (value, content) in &program.outputs {
        let ty = program.ty(table, value).ok_or(Refusal::Malformed("an output that is not there"))?;
        require(fills(content, program.container, ty), "an output that is not full")?;
        let lanes = content.iter().take_while(|entry| **entry != Entry::Any).count();
        let rest = content[lanes..].iter().all(|entry| *entry == Entry::Any);
        require(rest, "lanes of the result between others")?;
    }
    Ok(())
}

struct Run<'a, 'w> {
    meaning: &'a mut Meaning<'w>,
    judge: &'a mut dyn Judge,
    proof: Proof,
    inputs: Vec<Vec<Part>>,
    steps: Vec<Vec<Part>>,
    unknowns: FxHashMap<(u32, u32), NodeId>,
    /// The arguments of the graph that are what nobody asks for.
    open: FxHashSet<u32>,
}

impl Run<'_, '_> {
    /// What an input's containers hold.
    fn known(&mut self, content: &Content, width: u32) -> Vec<Part> {
        content.iter().map(|entry| Part { node: self.entry(*entry, width), width }).collect()
    }

    fn entry(&mut self, entry: Entry, width: u32) -> NodeId {
        entry.bits(self.meaning).unwrap_or_else(|| self.nothing(width))
    }

    /// What nobody asks for.
    fn nothing(&mut self, width: u32) -> NodeId {
        let unknown = self.meaning.unknown(width);
        self.open.insert(self.meaning.dag.arg_widths().len() as u32 - 1);
        unknown
    }

    fn held(&mut self, value: &Value) -> Result<Vec<Part>, Refusal> {
        let half = |parts: Vec<Part>, high: bool| {
            let middle = parts.len() / 2;
            if high { parts[middle..].to_vec() } else { parts[..middle].to_vec() }
        };
        let missing = Refusal::Malformed("an operand that is not there");
        Ok(match value {
            Value::Input(at) => self.inputs.get(*at).ok_or(missing)?.clone(),
            Value::Step(at) => self.steps.get(*at).ok_or(missing)?.clone(),
            Value::Low(pair) => half(self.held(pair)?, false),
            Value::High(pair) => half(self.held(pair)?, true),
            Value::Pair(two) => {
                let mut parts = self.held(&two.0)?;
                parts.extend(self.held(&two.1)?);
                parts
            }
        })
    }

    /// What a step reads: in each container, what nobody asks for is another unknown than to the last one that read it.
    fn whole(&mut self, value: &Value) -> Result<NodeId, Refusal> {
        let mut parts = self.held(value)?;
        for part in &mut parts {
            let mut replacements = Replacements::default();
            for node in self.meaning.dag.reachable([part.node]) {
                if let Node::Arg(arg) = *self.meaning.dag.node(node)
                    && self.open.contains(&arg)
                {
                    let unknown = self.nothing(self.meaning.dag.arg_widths()[arg as usize]);
                    replacements.insert(node, unknown);
                }
            }
            if !replacements.is_empty() {
                part.node = self.meaning.dag.replace(part.node, &mut replacements);
            }
        }
        Ok(joined(&mut self.meaning.dag, &parts))
    }

    /// Compares what a step wrote with what it is said to hold.
    fn check(
        &mut self,
        step: usize,
        segments: &[Segment],
        content: &Content,
        width: u32,
    ) -> Result<Vec<Part>, Refusal> {
        let mut containers = Vec::new();
        for (lane, entry) in content.iter().enumerate() {
            let low = lane as u32 * width;
            let from = segments.partition_point(|segment| segment.low + segment.width <= low);
            let mut parts = Vec::new();
            for segment in segments[from..].iter().take_while(|segment| segment.low < low + width) {
                let (start, end) = (segment.low.max(low), (segment.low + segment.width).min(low + width));
                let node = self.meaning.dag.slice(segment.value, start - segment.low, end - start, false);
                parts.push(Part { node, width: end - start });
            }
            if parts.iter().map(|part| part.width).sum::<u32>() != width {
                return Err(Refusal::Malformed("a result with bits that are not written"));
            }
            let found = joined(&mut self.meaning.dag, &parts);
            let found = reassembled(&mut self.meaning.dag, found);
            let node = match *entry {
                Entry::Any => found,
                _ => {
                    let wanted = self.entry(*entry, width);
                    let value =
                        if let Entry::Value(value, lane) = *entry { Some((value, lane)) } else { None };
                    self.same(step, lane, found, wanted, value)?;
                    wanted
                }
            };
            containers.push(Part { node, width });
        }
        Ok(containers)
    }

    /// The unknown that stands for an element of a leaf.
    fn unknown(&mut self, arg: u32, element: u32, width: u32) -> NodeId {
        if let Some(known) = self.unknowns.get(&(arg, element)) {
            return *known;
        }
        let made = self.meaning.unknown(width);
        self.unknowns.insert((arg, element), made);
        made
    }

    /// A value with each element of a leaf as an unknown of its own: what is equal for all of them is equal.
    fn over_elements(&mut self, value: NodeId) -> NodeId {
        let leaves = &self.meaning.window().leaves;
        let mut replacements = Replacements::default();
        for node in self.meaning.dag.reachable([value]) {
            let Node::Slice { of, low, width, signed } = *self.meaning.dag.node(node) else { continue };
            let Node::Arg(arg) = *self.meaning.dag.node(of) else { continue };
            let Some(leaf) = leaves.get(arg as usize) else { continue };
            let own = leaf.ty.width;
            // Neighbors that were shifted as one are several elements.
            let mut parts = Vec::new();
            for element in low / own..(low + width).div_ceil(own) {
                let (start, end) = (low.max(element * own), (low + width).min((element + 1) * own));
                let known = self.unknown(arg, element, own);
                let bits = self.meaning.dag.slice(known, start % own, end - start, false);
                parts.push(Part { node: bits, width: end - start });
            }
            let bits = self.meaning.dag.concat(&parts);
            let bits = self.meaning.dag.slice(bits, 0, width, signed);
            replacements.insert(node, bits);
        }
        self.meaning.dag.replace(value, &mut replacements)
    }

    /// Two values with what each floating-point operator gives as an unknown: the same for the same operator on the same operands.
    /// What is equal for all of them is equal. `None` where there are none.
    fn over_floats(&mut self, left: NodeId, right: NodeId) -> Option<(NodeId, NodeId)> {
        let mut replacements = Replacements::default();
        for node in self.meaning.dag.reachable([left, right]) {
            if let Node::Float { .. } = self.meaning.dag.node(node)
                && let Some((width, false)) = self.meaning.dag.natural(node)
            {
                let unknown = self.meaning.unknown(width);
                replacements.insert(node, unknown);
            }
        }
        self.replaced(left, right, replacements)
    }

    /// Two values with unknowns for some of their parts; `None` where there are none.
    fn replaced(
        &mut self,
        left: NodeId,
        right: NodeId,
        mut replacements: Replacements,
    ) -> Option<(NodeId, NodeId)> {
        let dag = &mut self.meaning.dag;
        (!replacements.is_empty())
            .then(|| (dag.replace(left, &mut replacements), dag.replace(right, &mut replacements)))
    }

    /// Two values with products that both compute as unknowns: what is equal for all of them is equal. `None` where they have none
    /// in common.
    fn over_products(&mut self, left: NodeId, right: NodeId) -> Option<(NodeId, NodeId)> {
        let dag = &self.meaning.dag;
        let others = FxHashSet::from_iter(dag.reachable([right]));
        let product = |node: NodeId| match dag.node(node) {
            Node::Mul(_) if others.contains(&node) => Some((node, dag.natural(node)?)),
            _ => None,
        };
        let shared: Vec<_> = dag.reachable([left]).into_iter().filter_map(product).collect();
        let mut replacements = Replacements::default();
        for (node, (width, signed)) in shared.into_iter().filter(|(_, (width, _))| *width <= 64) {
            let unknown = self.meaning.unknown(width);
            let value = self.meaning.dag.slice(unknown, 0, width, signed);
            replacements.insert(node, value);
        }
        self.replaced(left, right, replacements)
    }

    fn same(
        &mut self,
        step: usize,
        lane: usize,
        found: NodeId,
        wanted: NodeId,
        value: Option<(NodeId, u32)>,
    ) -> Result<(), Refusal> {
        let dag = &mut self.meaning.dag;
        if found == wanted || normal(dag, found) == normal(dag, wanted) {
            self.proof.structural += 1;
            return Ok(());
        }
        // A result has no family whose value it would be.
        let others = match value {
            Some((value, number)) => {
                let others = rewrites(&mut self.meaning.dag, value);
                others.into_iter().map(|other| self.meaning.at(other, number)).collect()
            }
            None => rewrites(dag, wanted),
        };
        for other in others {
            let dag = &mut self.meaning.dag;
            if other == found || normal(dag, other) == normal(dag, found) {
                self.proof.theorem += 1;
                return Ok(());
            }
        }
        let (found, wanted) = (self.over_elements(found), self.over_elements(wanted));
        if found == wanted {
            self.proof.structural += 1;
            return Ok(());
        }
        if equal_for_each_count(&mut self.meaning.dag, found, wanted, &mut |_, _, _| false) {
            self.proof.theorem += 1;
            return Ok(());
        }
        let floats = self.over_floats(found, wanted);
        let (found, wanted) = floats.unwrap_or((found, wanted));
        let computes = |node: &NodeId| matches!(self.meaning.dag.node(*node), Node::Float { .. });
        if self.meaning.dag.reachable([found, wanted]).iter().any(computes) {
            return Err(Refusal::Step { step, lane, why: "other floating-point operators".into() });
        }
        if floats.is_none()
            && let Some((found, wanted)) = self.over_products(found, wanted)
            && self.judge.equal(&self.meaning.dag, found, wanted) == Verdict::Equal
        {
            self.proof.solver += 1;
            return Ok(());
        }
        match self.judge.equal(&self.meaning.dag, found, wanted) {
            Verdict::Equal => {
                self.proof.solver += 1;
                Ok(())
            }
            // Nothing is said of other operators, or other operands.
            _ if floats.is_some() => {
                Err(Refusal::Step { step, lane, why: "other floating-point operators".into() })
            }
            Verdict::Different(_) => Err(Refusal::Step { step, lane, why: "another value".into() }),
            Verdict::Unknown(why) => Err(Refusal::Step { step, lane, why: format!("undecided: {why}") }),
        }
    }
}
