//! Functions of the IR as windows: each lane of the result a function of elements of the arguments.
//!
//! The result is seen in lanes of the width in which the fewest functions describe all of them, and each argument in
//! elements that no read crosses. What was read off is compared with the function itself, lane by lane, before it is a
//! window: the two must be the same exact integers.

use std::borrow::Cow;

use hydride_ir::exact::{Dag, Node, NodeId, Part, Replacements, Segment, raise_with};
use hydride_ir::passes::open_nans;
use hydride_ir::{Function, Op};

use super::expression::{Element, Expression, ExpressionId, Expressions, Forms, Lanewise, Operator, Reduce};
use super::meaning::Meaning;
use super::types::{Kind, MAX_LANES, Type};
use super::{Leaf, Window};
use crate::table::CONTAINERS;
use crate::table::extract::{lane, leaves, template};

/// Elements that a lane may read.
const MAX_SLOTS: usize = 64;

/// Bits that tables, of which lanes read elements at computed positions, are seen in.
const ENTRIES: u32 = 64;

/// Values that lanes are computed from, at most.
const MAX_VALUES: usize = 10_000;

/// What an argument of a function is in a window.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Input {
    /// A vector of elements.
    Vector,
    /// One value that is the same in every lane.
    Scalar,
    /// So many values in memory that are each the same in every lane, side by side, the first one in the lowest bits. They are leaves of
    /// their own, named after the argument and their number.
    Scalars(u32),
    /// A constant.
    Constant(i64),
}

/// Why a function is no window.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum NoWindow {
    /// Approximations of floating-point numbers.
    #[error("it computes approximations")]
    Approximation,
    /// Floating-point operators on scalars alone.
    #[error("it computes with floating-point scalars alone")]
    Scalars,
    /// A function that is too large.
    #[error("its result is computed from more than {MAX_VALUES} values")]
    Large,
    /// Values beyond elements of 64 bits, or bits that are shifted through whole registers.
    #[error("its result is not made of lanes that read elements of up to 64 bits")]
    Lanes,
    /// A width that is not fixed, or a function that cannot be run.
    #[error("{0}")]
    Function(String),
    /// The lanes that were read off are not those of the function.
    #[error("lanes that were read off are not those of the function")]
    Apart,
}

impl Window {
    /// The window that computes a function's results, one after the other; `inputs` says what each argument is. Which NaN a
    /// NaN is that a floating-point operator gives is left open.
    pub fn of_function(function: &Function, inputs: &[Input]) -> Result<Self, NoWindow> {
        let floats = function.exprs().iter().filter_map(|expr| match &expr.op {
            Op::Float { float, .. } => Some(float.op.approximates()),
            _ => None,
        });
        let vectors = inputs.contains(&Input::Vector);
        for approximates in floats {
            match (approximates, vectors) {
                (true, _) => return Err(NoWindow::Approximation),
                (false, false) => return Err(NoWindow::Scalars),
                (false, true) => {}
            }
        }
        let read = Reading::new(function, inputs)?;
        let mut dag = read.graph();
        let (segments, total) = read.raised(&mut dag)?;
        let values = segments.iter().map(|segment| segment.value);
        if dag.reachable(values).len() > MAX_VALUES {
            return Err(NoWindow::Large);
        }
        let seen = CONTAINERS
            .iter()
            .rev()
            .filter(|container| total.is_multiple_of(**container) && total / **container <= MAX_LANES)
            .filter_map(|container| read.lanes(&mut dag, &segments, total, *container))
            .min_by_key(|seen| (seen.joined * seen.forms.functions.len(), seen.joined))
            .ok_or(NoWindow::Lanes)?;
        let leaf = |(own, ty): (&Variable, Type)| Leaf {
            name: own.name.clone(),
            ty,
            scalar: own.scalar,
            in_memory: own.in_memory,
            range: None,
        };
        let leaves: Vec<Leaf> = read.variables.iter().zip(seen.leaves).map(leaf).collect();
        let window = |leaves: Vec<Leaf>, expressions: Expressions, root: ExpressionId| Self {
            name: function.name.clone(),
            target: String::new(),
            leaves,
            expressions,
            root,
            in_registers: true,
            number: false,
            assumptions: Vec::new(),
            reference: None,
        };
        // One lane of all elements of a vector may be a reduction.
        if let ([own], 1) = (&leaves[..], seen.ty.lanes)
            && own.ty.width <= seen.ty.width
            && own.ty.lanes > 1
        {
            for (reduce, kind) in REDUCTIONS {
                let (mut leaf, mut expressions) = (own.clone(), Expressions::default());
                leaf.ty.kind = *kind;
                let mut push =
                    |operator, operands, ty| expressions.push(Expression { operator, operands, ty });
                let mut operand = push(Operator::Leaf(0), Vec::new(), leaf.ty);
                let ty = Type { width: seen.ty.width, ..leaf.ty };
                // Elements may be extended before they are added up.
                if ty != leaf.ty {
                    operand = push(Operator::Lanewise(Lanewise::Cast), vec![operand], ty);
                }
                let root = push(Operator::Reduce(*reduce), vec![operand], Type { lanes: 1, ..ty });
                let window = window(vec![leaf], expressions, root);
                if read.is_meant_by(&window) {
                    return Ok(window);
                }
            }
        }
        let mut expressions = Expressions::default();
        let root = expressions.push(Expression {
            operator: Operator::Forms(seen.forms),
            operands: Vec::new(),
            ty: seen.ty,
        });
        let window = window(leaves, expressions, root);
        if read.is_meant_by(&window) { Ok(window) } else { Err(NoWindow::Apart) }
    }
}

/// The reductions that functions of one lane may be.
const REDUCTIONS: &[(Reduce, Kind)] = &[
    (Reduce::Add, Kind::Unsigned),
    (Reduce::Add, Kind::Signed),
    (Reduce::Max, Kind::Unsigned),
    (Reduce::Max, Kind::Signed),
    (Reduce::Min, Kind::Unsigned),
    (Reduce::Min, Kind::Signed),
];

/// A function with what its arguments are.
struct Reading<'f> {
    function: Cow<'f, Function>,
    inputs: &'f [Input],
    /// What becomes leaves, in the order of the arguments.
    variables: Vec<Variable>,
    params: Vec<i64>,
}

/// An argument that is no constant, or one of the values in it.
struct Variable {
    name: String,
    /// In bits.
    width: u32,
    scalar: bool,
    in_memory: bool,
}

/// A function's lanes of one width.
struct Seen {
    ty: Type,
    /// Values side by side in one lane, at most.
    joined: usize,
    leaves: Vec<Type>,
    forms: Forms,
}

impl<'f> Reading<'f> {
    fn new(function: &'f Function, inputs: &'f [Input]) -> Result<Self, NoWindow> {
        let mut variables = Vec::new();
        for (arg, input) in function.args.iter().zip(inputs) {
            let (name, width) = (arg.name.clone(), constant(&arg.name, &arg.width)?);
            match *input {
                Input::Constant(_) => {}
                Input::Vector => variables.push(Variable { name, width, scalar: false, in_memory: false }),
                Input::Scalar => variables.push(Variable { name, width, scalar: true, in_memory: false }),
                Input::Scalars(count) => {
                    let width = width / count;
                    let one =
                        |at| Variable { name: format!("{name}_{at}"), width, scalar: true, in_memory: true };
                    variables.extend((0..count).map(one));
                }
            }
        }
        let params = function.params.iter().map(|param| param.value).collect();
        Ok(Self { function: open_nans(function), inputs, variables, params })
    }

    /// A graph whose arguments are the leaves.
    fn graph(&self) -> Dag {
        Dag::new(self.variables.iter().map(|own| own.width).collect())
    }

    /// What the function writes, its results one after the other, and how many bits that are.
    fn raised(&self, dag: &mut Dag) -> Result<(Vec<Segment>, u32), NoWindow> {
        let (mut next, mut args) = (0, Vec::new());
        for (input, arg) in self.inputs.iter().zip(&self.function.args) {
            args.push(match input {
                Input::Constant(value) => {
                    let value = dag.int(*value);
                    dag.slice(value, 0, constant(&arg.name, &arg.width)?, false)
                }
                Input::Vector | Input::Scalar => {
                    next += 1;
                    dag.arg(next - 1)
                }
                Input::Scalars(count) => {
                    let part = |leaf: u32| {
                        let width = self.variables[leaf as usize].width;
                        Part { node: dag.arg_slice(leaf, 0, width, false), width }
                    };
                    let parts: Vec<Part> = (next..next + count).map(part).collect();
                    next += count;
                    dag.concat(&parts)
                }
            });
        }
        let raised = raise_with(dag, &self.function, &self.params, &args)
            .map_err(|error| NoWindow::Function(format!("it cannot be run: {error}")))?;
        let (mut segments, mut total) = (Vec::new(), 0);
        for (result, slot) in raised.results.iter().zip(&self.function.results) {
            segments.extend(result.iter().map(|segment| Segment { low: segment.low + total, ..*segment }));
            total += constant(&slot.name, &slot.width)?;
        }
        Ok((segments, total))
    }

    /// All lanes of a width; `None` where they read what is no element.
    fn lanes(&self, dag: &mut Dag, segments: &[Segment], total: u32, container: u32) -> Option<Seen> {
        let lanes: Vec<NodeId> = (0..total / container)
            .map(|at| lane(dag, segments, at * container, container))
            .collect::<Option<_>>()?;
        let values = |parts: &[Part]| {
            parts.iter().filter(|part| !matches!(dag.node(part.node), Node::Const(_))).count()
        };
        let parts = |lane: &NodeId| if let Node::Concat(parts) = dag.node(*lane) { values(parts) } else { 1 };
        let joined = lanes.iter().map(parts).max()?;
        let mut reads: Vec<Vec<(u32, u32)>> = vec![Vec::new(); self.variables.len()];
        for node in dag.reachable(lanes.iter().copied()) {
            match *dag.node(node) {
                Node::Slice { of, low, width, .. } => {
                    if let Node::Arg(arg) = *dag.node(of) {
                        reads.get_mut(arg as usize)?.push((low, width));
                    }
                }
                // Elements of a table are read at computed positions.
                Node::SliceAt { of, .. } => {
                    if let Node::Arg(arg) = *dag.node(of) {
                        reads.get_mut(arg as usize)?.push((0, ENTRIES));
                    }
                }
                _ => {}
            }
        }
        let leaves: Vec<Type> = self
            .variables
            .iter()
            .zip(&reads)
            .map(|(&Variable { width, scalar, .. }, reads)| {
                let element = if scalar { width } else { element_width(reads, width, container) };
                let fits = element <= 64 && width.is_multiple_of(element) && width / element <= MAX_LANES;
                fits.then(|| Type { kind: Kind::Unsigned, width: element, lanes: width / element })
            })
            .collect::<Option<_>>()?;
        let mut known: Vec<Known> = Vec::new();
        let mut forms = Forms { functions: Vec::new(), lanes: Vec::new() };
        for root in lanes {
            let own = Known::new(dag, root, &leaves)?;
            let kind = |known: &Known| -> Vec<(u32, bool)> {
                let kind = |slot: &Element| {
                    let leaf = slot.leaf as usize;
                    (leaves[leaf].width, self.variables[leaf].scalar)
                };
                known.slots.iter().map(kind).collect()
            };
            let form =
                known.iter().position(|form| kind(form) == kind(&own) && form.becomes(dag, &own, &leaves));
            let form = match form {
                Some(form) => form,
                None => {
                    let bits = |slot: &Element| {
                        let width = leaves[slot.leaf as usize].width;
                        (slot.leaf, slot.index * width, width)
                    };
                    let slots: Vec<(u32, u32, u32)> = own.slots.iter().map(bits).collect();
                    forms.functions.push(template(dag, root, &slots, &own.reads, container)?.0);
                    known.push(own.clone());
                    known.len() - 1
                }
            };
            forms.lanes.push((form as u32, own.slots));
        }
        let ty = Type { kind: Kind::Unsigned, width: container, lanes: total / container };
        Some(Seen { ty, joined, leaves, forms })
    }

    /// Whether each lane of a window is the function's, as exact integers.
    fn is_meant_by(&self, window: &Window) -> bool {
        let mut meaning = Meaning::new(window);
        let Ok(all) = meaning.all(window.root) else { return false };
        let dag = &mut meaning.dag;
        let Ok((segments, _)) = self.raised(dag) else { return false };
        let width = window.ty().width;
        all.into_iter().zip(0u32..).all(|(value, at)| {
            let bits = dag.slice(value, 0, width, false);
            lane(dag, &segments, at * width, width) == Some(bits)
        })
    }
}

/// A lane's value with the slices of arguments below it, and the elements that these belong to.
#[derive(Clone)]
struct Known {
    root: NodeId,
    reads: Vec<NodeId>,
    slots: Vec<Element>,
}

impl Known {
    fn new(dag: &Dag, root: NodeId, types: &[Type]) -> Option<Self> {
        let reads = leaves(dag, root);
        let mut slots = Vec::new();
        for read in &reads {
            match *dag.node(*read) {
                Node::Arg(leaf) => {
                    slots.extend((0..types.get(leaf as usize)?.lanes).map(|index| Element { leaf, index }))
                }
                _ => slots.push(element(dag, *read, types)?.0),
            }
        }
        slots.sort_unstable();
        slots.dedup();
        (slots.len() <= MAX_SLOTS).then_some(Self { root, reads, slots })
    }

    /// Whether the value is another's, with the elements of that one in place of its own.
    fn becomes(&self, dag: &mut Dag, other: &Self, types: &[Type]) -> bool {
        let mut replacements = Replacements::default();
        for read in &self.reads {
            if let Node::Arg(leaf) = *dag.node(*read) {
                // A table is the same in every lane.
                let place = |slots: &[Element]| slots.iter().position(|slot| slot.leaf == leaf);
                if place(&self.slots) != place(&other.slots) {
                    return false;
                }
                continue;
            }
            let Node::Slice { width, signed, .. } = *dag.node(*read) else { return false };
            let Some((own, within)) = element(dag, *read, types) else { return false };
            let Ok(at) = self.slots.binary_search(&own) else { return false };
            let to = other.slots[at];
            let low = to.index * types[to.leaf as usize].width + within;
            let moved = dag.arg_slice(to.leaf, low, width, signed);
            replacements.insert(*read, moved);
        }
        dag.replace(self.root, &mut replacements) == other.root
    }
}

/// The element that a slice of an argument lies in, and its first bit there.
fn element(dag: &Dag, read: NodeId, types: &[Type]) -> Option<(Element, u32)> {
    let Node::Slice { of, low, width, .. } = *dag.node(read) else { return None };
    let Node::Arg(leaf) = *dag.node(of) else { return None };
    let own = types.get(leaf as usize)?.width;
    (low % own + width <= own).then_some((Element { leaf, index: low / own }, low % own))
}

/// The least width of elements that no read crosses. Bits that are no whole element, such as signs, belong to elements
/// as far apart as they are, or as wide as the result's lanes, unless they are read as part of one too.
pub(crate) fn element_width(reads: &[(u32, u32)], width: u32, lane: u32) -> u32 {
    let crosses = |element: u32| reads.iter().any(|(low, own)| low % element + own > element);
    let is_element = |(low, own): &(u32, u32)| own.is_power_of_two() && *own >= 8 && low % own == 0;
    let mut elements: Vec<&(u32, u32)> = reads.iter().filter(|read| is_element(read)).collect();
    elements.sort_unstable();
    let is_whole = |(low, own): &(u32, u32)| {
        let before = elements.partition_point(|(start, _)| start <= low);
        elements[..before].last().is_some_and(|(start, width)| low + own <= start + width)
    };
    let mut element = 8;
    while element < width && crosses(element) {
        element *= 2;
    }
    if !reads.iter().all(is_whole) {
        let are_alike = |element: u32| {
            let mut places = reads.iter().map(|(low, _)| low / element % 2);
            places.next().is_some_and(|first| places.all(|place| place == first))
        };
        while element < width.min(lane) && are_alike(element) {
            element *= 2;
        }
        let mut read: Vec<u32> = reads.iter().map(|(low, _)| low / element).collect();
        read.sort_unstable();
        read.dedup();
        let apart = read.windows(2).next().map_or(1, |two| two[1] - two[0]);
        let evenly = read.windows(2).all(|two| two[1] - two[0] == apart);
        if apart.is_power_of_two() && evenly && read.len() as u32 == width / element / apart {
            element *= apart;
        }
    }
    element.min(width)
}

fn constant(name: &str, width: &hydride_ir::Num) -> Result<u32, NoWindow> {
    let width = width.as_constant().and_then(|width| u32::try_from(width).ok());
    width.ok_or_else(|| NoWindow::Function(format!("%{name} has no fixed width")))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn window(text: &str, inputs: &[Input]) -> Result<Window, NoWindow> {
        Window::of_function(&Function::parse(text).expect("a function"), inputs)
    }

    fn types(window: &Window) -> (String, Vec<String>) {
        (window.ty().to_string(), window.leaves.iter().map(|leaf| leaf.ty.to_string()).collect())
    }

    #[test]
    fn lanes_and_elements_are_as_wide_as_what_is_computed() {
        let text = "func @f(%a: 64, %b: 64) -> (%r: 128) {\n  for i in 0..4 {\n    %r[32*i +: 32] = mul(cast.s(%a[16*i +: 16], \
                    32), cast.s(%b[16*i +: 16], 32))\n  }\n}\n";
        let window = window(text, &[Input::Vector, Input::Vector]).unwrap();
        assert_eq!(types(&window), ("u32x4".into(), vec!["u16x4".into(), "u16x4".into()]));
    }

    #[test]
    fn signs_belong_to_their_elements() {
        let text = "func @f(%a: 64) -> (%r: 64) {\n  for i in 0..4 {\n    %r[16*i +: 16] = cast.s(%a[16*i + 15 +: 1], 16)\n  \
                    }\n}\n";
        let window = window(text, &[Input::Vector]).unwrap();
        assert_eq!(types(&window), ("u16x4".into(), vec!["u16x4".into()]));
    }

    #[test]
    fn constants_are_no_leaves_and_scalars_are_uniform() {
        let text = "func @f(%a: 64, %b: 16, %n: 8) -> (%r: 64) {\n  for i in 0..4 {\n    %r[16*i +: 16] = add(shl(%a[16*i +: \
                    16], cast.u(%n, 16)), %b)\n  }\n}\n";
        let window = window(text, &[Input::Vector, Input::Scalar, Input::Constant(3)]).unwrap();
        assert_eq!(types(&window), ("u16x4".into(), vec!["u16x4".into(), "u16".into()]));
        let mut meaning = Meaning::new(&window);
        let families = meaning.families(window.root).unwrap();
        assert_eq!(families.len(), 1);
        assert_eq!(families[0].lanes, [0, 1, 2, 3]);
    }

    #[test]
    fn values_side_by_side_are_leaves_of_their_own() {
        let text =
            "func @f(%a: 128, %m: 64) -> (%r: 128) {\n  %r[0 +: 64] = %a[0 +: 64]\n  %r[64 +: 64] = %m\n}\n";
        let window = window(text, &[Input::Vector, Input::Scalars(2)]).unwrap();
        assert_eq!(types(&window), ("u32x4".into(), vec!["u32x4".into(), "u32".into(), "u32".into()]));
        let names: Vec<&str> = window.leaves.iter().map(|leaf| &leaf.name[..]).collect();
        assert_eq!(names, ["a", "m_0", "m_1"]);
        assert!(window.leaves[1..].iter().all(|leaf| leaf.scalar));
    }

    #[test]
    fn lanes_of_two_kinds_are_two_families() {
        let text = "func @f(%a: 64, %b: 64) -> (%r: 64) {\n  for i in 0..2 {\n    %r[32*i +: 16] = add(%a[32*i +: 16], \
                    %b[32*i +: 16])\n    %r[32*i + 16 +: 16] = sub(%a[32*i + 16 +: 16], %b[32*i + 16 +: 16])\n  }\n}\n";
        let window = window(text, &[Input::Vector, Input::Vector]).unwrap();
        let mut meaning = Meaning::new(&window);
        let lanes: Vec<Vec<u32>> =
            meaning.families(window.root).unwrap().into_iter().map(|family| family.lanes).collect();
        assert_eq!(lanes, [[0, 2], [1, 3]]);
    }

    #[test]
    fn tables_are_read_as_a_whole() {
        let text = "func @f(%a: 128, %i: 128) -> (%r: 128) {\n  for i in 0..16 {\n    %r[8*i +: 8] = %a[at mul(cast.u(%i[8*i +: 4], 7), \
                    0x8:7) +: 8]\n  }\n}\n";
        let window = window(text, &[Input::Vector, Input::Vector]).unwrap();
        assert_eq!(types(&window), ("u8x16".into(), vec!["u64x2".into(), "u8x16".into()]));
    }

    #[test]
    fn bits_that_are_shifted_through_registers_are_refused() {
        let text = "func @f(%a: 128, %b: 128, %i: 8) -> (%r: 128) {\n  %r[0 +: 128] = concat(%b, %a)[at %i +: 128]\n}\n";
        assert_eq!(window(text, &[Input::Vector, Input::Vector, Input::Scalar]), Err(NoWindow::Lanes));
    }
}
