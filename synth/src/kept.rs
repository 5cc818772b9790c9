//! Answers as they are kept from run to run, and read again for a window.
//!
//! A program is kept with the nodes that it names, which are made anew in the graph of the window that asks. Nothing that is
//! read is believed: the program that it makes has to be certified for the window that it serves. That there is no answer
//! cannot be certified, and costs a better answer at most.

use hydride_ir::exact::{Dag, Node, NodeId};
use hydride_ir::{FloatOp, MAX_WIDTH};
use rustc_hash::FxHashMap;
use serde::{Deserialize, Serialize};

use crate::contents::{Content, Entry};
use crate::program::Program;
use crate::table::Table;
use crate::window::{Element, Forms, Meaning, Window};

/// Bits that a value may need.
const MAX_BITS: u32 = 4096;

/// An answer without the graph that it was found in.
#[derive(Serialize, Deserialize)]
pub struct Kept {
    program: Option<KeptProgram>,
    /// What the answer said besides.
    pub notes: Vec<String>,
    /// States that were looked at.
    pub states: usize,
}

#[derive(Serialize, Deserialize)]
struct KeptProgram {
    program: Program,
    /// For each step the position of its instruction in the table, and the immediates.
    instructions: Vec<(usize, Vec<i64>)>,
    /// The nodes that the program names and those below them, operands before their users.
    nodes: Vec<(NodeId, Node)>,
    /// The elements that arguments among the nodes stand for, by lane; none for a whole leaf.
    samples: Vec<(u32, Vec<Element>)>,
}

/// A leaf of the window that an answer was found for, which another window computes.
pub(crate) struct Computed<'a> {
    /// The leaf's position; the leaves before it are those of the other window.
    pub leaf: u32,
    /// Its elements over the leaves before it.
    pub forms: &'a Forms,
    /// Bits of an element.
    pub width: u32,
}

impl Computed<'_> {
    /// The bits of some elements, each in its own lane.
    fn bits(&self, meaning: &mut Meaning<'_>, elements: &[Element]) -> Option<NodeId> {
        let own = |element: &Element| (element.leaf == self.leaf).then_some(element.index);
        let lanes = elements.iter().map(own).collect::<Option<Vec<u32>>>()?;
        let value = meaning.of_forms(self.forms, lanes)?;
        Some(meaning.dag.slice(value, 0, self.width, false))
    }
}

impl Kept {
    /// An answer as it is kept.
    pub fn new(
        meaning: &Meaning<'_>,
        table: &Table,
        program: Option<&Program>,
        notes: Vec<String>,
        states: usize,
    ) -> Self {
        let program = program.map(|program| KeptProgram::new(meaning, table, program));
        Self { program, notes, states }
    }

    /// Whether there is a program.
    pub fn has_program(&self) -> bool {
        self.program.is_some()
    }

    /// The same for a window whose leaves have fewer lanes: what is computed from elements beyond them is open. `None` where a
    /// family of lanes does not begin within.
    pub(crate) fn cut(mut self, window: &Window) -> Option<Self> {
        let Some(kept) = &mut self.program else { return Some(self) };
        let is_within = |element: &Element| {
            window.leaves.get(element.leaf as usize).is_some_and(|leaf| element.index < leaf.ty.lanes)
        };
        let mut within = FxHashMap::default();
        for (arg, elements) in &mut kept.samples {
            let count = elements.iter().take_while(|element| is_within(element)).count();
            // What is the same in all lanes is one element.
            let lanes = if elements.len() > 1 { count as u32 } else { u32::MAX };
            elements.truncate(count);
            elements.first()?;
            within.insert(*arg, lanes);
        }
        let mut lanes: FxHashMap<NodeId, u32> = FxHashMap::default();
        for (id, node) in &kept.nodes {
            let own = match node {
                Node::Arg(arg) => *within.get(arg)?,
                _ => node.operands().iter().map(|operand| lanes[operand]).min().unwrap_or(u32::MAX),
            };
            lanes.insert(*id, own);
        }
        let program = &mut kept.program;
        let inputs = program.inputs.iter_mut().map(|input| &mut input.content);
        let steps = program.steps.iter_mut().map(|step| &mut step.content);
        let outputs = program.outputs.iter_mut().map(|(_, content)| content);
        for entry in inputs.chain(steps).chain(outputs).flatten() {
            let is_open = match entry {
                Entry::Any | Entry::Uniform(_) => false,
                Entry::Element(element) => !is_within(element),
                Entry::Value(value, lane) => lanes[value] <= *lane,
            };
            if is_open {
                *entry = Entry::Any;
            }
        }
        Some(self)
    }

    /// The program in the graph of a window, not proved; `None` where it cannot be one for this window and table. The
    /// table is asked for the immediates of its steps.
    pub fn read(&self, meaning: &mut Meaning<'_>, table: &mut Table) -> Option<Program> {
        self.read_over(meaning, table, None)
    }

    /// The same of a program for a window with one more leaf, which is computed in this one. The program still loads that
    /// leaf; what its registers hold is said of the computed values.
    pub(crate) fn read_over(
        &self,
        meaning: &mut Meaning<'_>,
        table: &mut Table,
        computed: Option<&Computed<'_>>,
    ) -> Option<Program> {
        let kept = self.program.as_ref()?;
        let is_computed = |element: &Element| computed.is_some_and(|own| own.leaf == element.leaf);
        let mut args = FxHashMap::default();
        for (arg, elements) in &kept.samples {
            let bits = match computed {
                Some(own) if elements.first().is_some_and(is_computed) => own.bits(meaning, elements)?,
                _ if elements.is_empty() => {
                    meaning.window().leaves.get(*arg as usize)?;
                    meaning.dag.arg(*arg)
                }
                _ => {
                    let sample = meaning.sample_of(elements)?;
                    meaning.dag.arg(sample)
                }
            };
            args.insert(*arg, bits);
        }
        let all = match computed {
            Some(own) => {
                let count = own.forms.lanes.len() as u32;
                let elements: Vec<Element> =
                    (0..count).map(|index| Element { leaf: own.leaf, index }).collect();
                Some((own, own.bits(meaning, &elements)?, count))
            }
            None => None,
        };
        let mut made = FxHashMap::default();
        for (id, node) in &kept.nodes {
            made.insert(*id, make(&mut meaning.dag, node, &args, &made)?);
        }
        let mut program = kept.program.clone();
        let leaves = &meaning.window().leaves;
        let dag = &meaning.dag;
        let known = |id: &mut NodeId, width: u32| {
            *id = *made.get(id)?;
            dag.range(*id).fits(width, false).then_some(())
        };
        let renamed = |content: &mut Content, width: u32| {
            content.iter_mut().try_for_each(|entry| match entry {
                Entry::Any => Some(()),
                Entry::Uniform(value) | Entry::Value(value, _) => known(value, width),
                Entry::Element(element) if is_computed(element) => {
                    let (own, bits, count) = all?;
                    let index = element.index;
                    *entry = Entry::Value(bits, index);
                    (own.width == width && index < count).then_some(())
                }
                Entry::Element(element) => {
                    let ty = leaves.get(element.leaf as usize)?.ty;
                    (ty.width == width && element.index < ty.lanes).then_some(())
                }
            })
        };
        for input in &mut program.inputs {
            renamed(&mut input.content, input.container)?;
        }
        if program.steps.len() != kept.instructions.len() {
            return None;
        }
        for (step, (instruction, choices)) in program.steps.iter_mut().zip(&kept.instructions) {
            choices.iter().for_each(|choice| table.ask(*choice));
            step.op = table.take(*instruction, choices)?;
            renamed(&mut step.content, step.container)?;
        }
        for (_, content) in &mut program.outputs {
            renamed(content, program.container)?;
        }
        if let Some(added) = &mut program.added {
            known(added, program.container)?;
        }
        Some(program)
    }
}

impl KeptProgram {
    fn new(meaning: &Meaning<'_>, table: &Table, program: &Program) -> Self {
        let contents = program
            .inputs
            .iter()
            .map(|input| &input.content)
            .chain(program.steps.iter().map(|step| &step.content))
            .chain(program.outputs.iter().map(|(_, content)| content));
        let named = contents.flatten().filter_map(|entry| match entry {
            Entry::Uniform(value) | Entry::Value(value, _) => Some(*value),
            Entry::Any | Entry::Element(_) => None,
        });
        let (mut nodes, mut samples) = (Vec::new(), Vec::new());
        for id in meaning.dag.reachable(named.chain(program.added)) {
            let node = meaning.dag.node(id).clone();
            if let Node::Arg(arg) = node {
                samples.push((arg, meaning.sample(arg).unwrap_or_default().to_vec()));
            }
            nodes.push((id, node));
        }
        let instruction = |op| (table.op(op).instruction, table.op(op).choices.clone());
        let instructions = program.steps.iter().map(|step| instruction(step.op)).collect();
        Self { program: program.clone(), instructions, nodes, samples }
    }
}

/// A node made anew, with these nodes for arguments; `None` for one that no constructor would have made, or that is none of a
/// window.
fn make(
    dag: &mut Dag,
    node: &Node,
    args: &FxHashMap<u32, NodeId>,
    made: &FxHashMap<NodeId, NodeId>,
) -> Option<NodeId> {
    if let Node::Arg(arg) = node {
        return args.get(arg).copied();
    }
    let operands: Vec<NodeId> =
        node.operands().iter().map(|id| made.get(id).copied()).collect::<Option<_>>()?;
    let is_count = |dag: &Dag, count: NodeId| {
        let range = dag.range(count);
        range.is_non_negative() && range.high.as_ref().is_some_and(|high| *high <= MAX_BITS.into())
    };
    let whole = |width: u32| (1..=MAX_WIDTH).contains(&width);
    let lawful = match node {
        Node::Slice { low, width, .. } => match dag.node(operands[0]) {
            Node::Arg(arg) => whole(*width) && low.checked_add(*width)? <= dag.arg_widths()[*arg as usize],
            _ => whole(*width) && *low <= MAX_BITS,
        },
        Node::Concat(parts) => {
            let width = parts.iter().try_fold(0u32, |sum, part| sum.checked_add(part.width))?;
            let fits =
                |(part, node): (&hydride_ir::exact::Part, &NodeId)| dag.range(*node).fits(part.width, false);
            whole(width) && parts.iter().zip(&operands).all(fits)
        }
        Node::Saturate { width, .. } | Node::LeadingZeros(_, width) | Node::TrailingZeros(_, width) => {
            whole(*width)
        }
        Node::Shl(..) | Node::Shr(..) => is_count(dag, operands[1]),
        Node::Select(..) => dag.is_boolean(operands[0]),
        Node::PopCount(_) => dag.range(operands[0]).is_non_negative(),
        Node::Sum { .. } | Node::Const(_) => true,
        Node::Float { float, width, value, .. } => {
            let is_format = |exponent: u32, width: u32| {
                [(5, 16), (8, 16), (8, 32), (11, 64)].contains(&(exponent, width))
            };
            let (own, other) = match float.op {
                FloatOp::FromInt => (is_format(float.exponent, *value), *width == *value),
                FloatOp::Convert => (is_format(float.exponent, *width), is_format(float.target, *value)),
                FloatOp::ToInt => (is_format(float.exponent, *width), (1..=64).contains(value)),
                op if op.compares() => (is_format(float.exponent, *width), *value == 1),
                _ => (is_format(float.exponent, *width), value == width),
            };
            let patterns = operands.len().saturating_sub(usize::from(float.op.rounds()));
            let is_pattern = |(at, of): (usize, &NodeId)| match (at < patterns, float.op) {
                (true, FloatOp::FromInt) => dag.natural(*of).is_some_and(|(bits, _)| bits <= 64),
                (true, _) => dag.range(*of).fits(*width, false),
                (false, _) => dag.as_i64(*of).is_some_and(|mode| (0..=5).contains(&mode)),
            };
            let counted = operands.len() == float.op.operands() && !float.op.approximates();
            own && other && counted && operands.iter().enumerate().all(is_pattern)
        }
        Node::SliceAt { base, width, .. } => {
            let reach = dag.range(operands[1]);
            let within = reach.high.as_ref().is_some_and(|high| *high <= MAX_BITS.into());
            let of = match dag.node(operands[0]) {
                Node::Arg(_) => true,
                _ => dag.range(operands[0]).is_non_negative(),
            };
            whole(*width) && *base <= MAX_BITS && of && reach.is_non_negative() && within
        }
        _ => !operands.is_empty(),
    };
    // Arguments are read through slices alone.
    let plain = matches!(node, Node::Slice { .. } | Node::SliceAt { .. })
        || operands.iter().all(|operand| !matches!(dag.node(*operand), Node::Arg(_)));
    if !lawful || !plain {
        return None;
    }
    let value = dag.remake(node.clone(), &mut |_, id| made[&id])?;
    dag.natural(value).is_some_and(|(width, _)| width <= MAX_BITS).then_some(value)
}
