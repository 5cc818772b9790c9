//! A window in registers as two, where no program was found for it as a whole: a value that its lanes are computed from is a window
//! of its own, and the leaf of another one.
//!
//! Ways to compute the parts of an expression multiply in one search and add up in two. Both programs are joined to one for the
//! whole, which is proved like any other.

use hydride_ir::exact::{Dag, Int, Node, NodeId, Replacements, raise_with};

use crate::kept::Computed;
use crate::program::{Program, Value};
use crate::rewrite::rewrites;
use crate::table::CONTAINERS;
use crate::table::extract::{leaves, template};
use crate::window::{Element, Expression, Expressions, Forms, Kind, Leaf, Operator, Type, Window};

/// Places at which a window is cut, at most.
const MAX_CUTS: usize = 3;

/// Two windows, one after the other.
pub(crate) struct Stages {
    /// What is computed first, over the window's leaves.
    pub lower: Window,
    /// The window's result, over its leaves and one more, which is the first one's result.
    pub upper: Window,
}

/// A place to cut.
struct Cut {
    /// The value of all lanes.
    root: NodeId,
    /// The value that is cut off.
    at: NodeId,
    /// How many values the larger stage computes, and one more where what is cut off is wider than the result.
    larger: usize,
}

/// A window cut in two in several ways, first those whose larger stage computes least. Only where one function gives all lanes.
pub(crate) fn stages(window: &Window) -> Vec<Stages> {
    let Some(forms) = forms(window).filter(|forms| forms.functions.len() == 1) else { return Vec::new() };
    let function = &forms.functions[0];
    let widths: Option<Vec<u32>> = forms
        .lanes
        .first()
        .map(|(_, slots)| slots.iter().map(|slot| window.leaves[slot.leaf as usize].ty.width).collect());
    let Some(widths) = widths else { return Vec::new() };
    let mut dag = Dag::new(widths.clone());
    let args: Vec<NodeId> =
        (0u32..).zip(&widths).map(|(arg, width)| dag.arg_slice(arg, 0, *width, false)).collect();
    let Ok(raised) = raise_with(&mut dag, function, &[], &args) else { return Vec::new() };
    let value = raised.results[0][0].value;
    let total = computed(&dag, [value]).len();
    let mut roots = vec![value];
    roots.extend(rewrites(&mut dag, value));
    let mut cuts: Vec<Cut> = Vec::new();
    for root in roots {
        for at in dag.reachable([root]) {
            if at == root || !is_worth(&dag, at) {
                continue;
            }
            let lower = computed(&dag, [at]).len();
            let Some((upper, _)) = without(&mut dag, root, at) else { continue };
            let larger = lower.max(computed(&dag, [upper]).len());
            // What is wider than the result takes more registers.
            let wide = element(&dag, at).is_some_and(|(width, _)| width > window.ty().width);
            if larger < total.max(2) {
                cuts.push(Cut { root, at, larger: larger + usize::from(wide) });
            }
        }
    }
    cuts.sort_by_key(|cut| cut.larger);
    let made = cuts.into_iter().filter_map(|cut| cut.stages(&mut dag, window, forms));
    let mut found: Vec<Stages> = Vec::new();
    for stages in made {
        if !found.iter().any(|other| other.lower == stages.lower) {
            found.push(stages);
        }
        if found.len() == MAX_CUTS {
            break;
        }
    }
    found
}

/// The functions of a window in registers that was read off a function of the IR.
pub(crate) fn forms(window: &Window) -> Option<&Forms> {
    match &window.expressions.get(window.root).operator {
        Operator::Forms(forms) if window.in_registers => Some(forms),
        _ => None,
    }
}

/// Whether a value may be cut off: a number of several bits that is no part of a leaf.
fn is_worth(dag: &Dag, value: NodeId) -> bool {
    let plain = match *dag.node(value) {
        Node::Const(_) | Node::Arg(_) => true,
        Node::Slice { of, .. } => matches!(dag.node(of), Node::Arg(_)),
        _ => false,
    };
    let range = dag.range(value);
    !plain && !range.fits(1, false) && !range.fits(1, true) && element(dag, value).is_some()
}

/// The least element that holds a value, in bits, and whether it is signed.
fn element(dag: &Dag, value: NodeId) -> Option<(u32, bool)> {
    let range = dag.range(value);
    let signed = !range.is_non_negative();
    CONTAINERS.iter().copied().filter(|width| range.fits(*width, signed)).min().map(|width| (width, signed))
}

/// The values that are computed for some from bits of leaves.
pub(crate) fn computed(dag: &Dag, values: impl IntoIterator<Item = NodeId>) -> Vec<NodeId> {
    let own = |node: &NodeId| match *dag.node(*node) {
        Node::Const(_) | Node::Arg(_) => false,
        Node::Slice { of, .. } => !matches!(dag.node(of), Node::Arg(_)),
        _ => true,
    };
    dag.reachable(values).into_iter().filter(own).collect()
}

/// A value with another one below it as the bits of a new argument, and that argument.
fn without(dag: &mut Dag, root: NodeId, at: NodeId) -> Option<(NodeId, u32)> {
    let (width, signed) = element(dag, at)?;
    let arg = dag.add_arg(width);
    let read = dag.arg_slice(arg, 0, width, signed);
    let upper = dag.replace(root, &mut Replacements::from_iter([(at, read)]));
    Some((upper, arg))
}

impl Cut {
    fn stages(self, dag: &mut Dag, window: &Window, forms: &Forms) -> Option<Stages> {
        let (width, signed) = element(dag, self.at)?;
        let range = dag.range(self.at).clone();
        let limit = |value: &Option<Int>| value.as_ref().and_then(|value| i128::try_from(value).ok());
        let (low, high) = (limit(&range.low)?, limit(&range.high)?);
        let bits = dag.slice(self.at, 0, width, false);
        let own = |lane: usize, arg: u32| forms.lanes[lane].1[arg as usize];
        let lower = over(dag, window, window.leaves.clone(), bits, width, &own)?;
        let (upper, arg) = without(dag, self.root, self.at)?;
        let kind = if signed { Kind::Signed } else { Kind::Unsigned };
        let leaf = window.leaves.len() as u32;
        let mut leaves = window.leaves.clone();
        let (least, most) = match signed {
            true => (-(1i128 << (width - 1)), (1i128 << (width - 1)) - 1),
            false => (0, (1i128 << width) - 1),
        };
        leaves.push(Leaf {
            name: "stage_".into(),
            ty: Type { kind, width, lanes: window.ty().lanes },
            scalar: false,
            in_memory: false,
            range: ((low, high) != (least, most)).then_some((low, high)),
        });
        let place = |lane: usize, slot: u32| match slot == arg {
            true => Element { leaf, index: lane as u32 },
            false => own(lane, slot),
        };
        let upper = over(dag, window, leaves, upper, window.ty().width, &place)?;
        Some(Stages { lower, upper })
    }
}

/// The window whose lanes are a value of `width` bits; `place` says which element an argument is in a lane.
fn over(
    dag: &mut Dag,
    window: &Window,
    own: Vec<Leaf>,
    value: NodeId,
    width: u32,
    place: &dyn Fn(usize, u32) -> Element,
) -> Option<Window> {
    let args: Vec<u32> = dag
        .reachable([value])
        .into_iter()
        .filter_map(|node| if let Node::Arg(arg) = *dag.node(node) { Some(arg) } else { None })
        .collect();
    let slots: Vec<(u32, u32, u32)> =
        args.iter().map(|arg| (*arg, 0, dag.arg_widths()[*arg as usize])).collect();
    let reads = leaves(dag, value);
    let (function, moves) = template(dag, value, &slots, &reads, width)?;
    if moves {
        return None;
    }
    let lanes = window.ty().lanes;
    let slots = |lane: usize| args.iter().map(|arg| place(lane, *arg)).collect();
    let forms = Forms {
        functions: vec![function],
        lanes: (0..lanes as usize).map(|lane| (0, slots(lane))).collect(),
    };
    let mut expressions = Expressions::default();
    let ty = Type { kind: Kind::Unsigned, width, lanes };
    let root = expressions.push(Expression { operator: Operator::Forms(forms), operands: Vec::new(), ty });
    Some(Window {
        leaves: own,
        expressions,
        root,
        assumptions: Vec::new(),
        reference: None,
        ..window.clone()
    })
}

impl Stages {
    /// The upper window's last leaf, as what the lower one computes.
    pub(crate) fn computed(&self) -> Option<Computed<'_>> {
        let leaf = self.upper.leaves.len() as u32 - 1;
        Some(Computed { leaf, forms: forms(&self.lower)?, width: self.lower.ty().width })
    }

    /// One program after the other: where the upper one loads its last leaf, it reads what the lower one gives. `None` where that is
    /// in registers of another type.
    pub(crate) fn joined(&self, lower: Program, upper: &Program) -> Option<Program> {
        let leaf = self.upper.leaves.len() as u32 - 1;
        let (ty, width) = (lower.output_type?, lower.container);
        if [&lower, upper].iter().any(|part| part.added.is_some() || part.extended.is_some()) {
            return None;
        }
        let outputs: Vec<Value> = lower.outputs.iter().map(|(value, _)| value.clone()).collect();
        let mut whole = Program { outputs: Vec::new(), ..lower };
        whole.append(upper, leaf, |input, start| {
            let count = input.content.len();
            let at = usize::try_from(start).ok().filter(|start| start % count == 0)? / count;
            (input.ty == ty && input.container == width).then(|| outputs.get(at).cloned())?
        })?;
        Some(whole)
    }
}

#[cfg(test)]
mod tests {
    use hydride_ir::Function;
    use hydride_ir::exact::Part;
    use smt::{Prover, Verdict};

    use super::*;
    use crate::window::{Input, Meaning};

    fn windows() -> Vec<Window> {
        let sum = "func @f(%a: 64, %b: 32, %c: 32) -> (%r: 64) {\n  for i in 0..2 {\n    %r[32*i +: 32] = \
                   saturate.s.s(add(cast.s(%a[32*i +: 32], 33), cast.s(saturate.s.s(mul(cast.s(%b[16*i +: 16], 34), \
                   mul(cast.s(%c[16*i +: 16], 34), 0x2:34)), 32), 33)), 32)\n  }\n}\n";
        let narrowed = "func @f(%a: 128) -> (%r: 64) {\n  for i in 0..2 {\n    %r[32*i +: 32] = \
                        saturate.s.s(add(cast.s(%a[64*i +: 64], 65), 0x8:65)[4 +: 61], 32)\n  }\n}\n";
        [(sum, 3), (narrowed, 1)]
            .into_iter()
            .map(|(text, count)| {
                let function = Function::parse(text).expect("a function");
                Window::of_function(&function, &vec![Input::Vector; count]).expect("a window")
            })
            .collect()
    }

    /// The lanes of a window over values of its leaves.
    fn lanes(dag: &mut Dag, window: &Window, leaves: &[NodeId]) -> Vec<Part> {
        let function = Meaning::new(window).function().expect("a function");
        let raised = raise_with(dag, &function, &[], leaves).expect("values");
        raised.results[0].iter().map(|segment| Part { node: segment.value, width: segment.width }).collect()
    }

    #[test]
    fn two_stages_are_the_window() {
        for window in windows() {
            let found = stages(&window);
            assert!(!found.is_empty());
            for stages in found {
                let mut dag = Dag::new(window.leaves.iter().map(|leaf| leaf.ty.bits()).collect());
                let mut leaves: Vec<NodeId> =
                    (0..window.leaves.len() as u32).map(|leaf| dag.arg(leaf)).collect();
                let whole = lanes(&mut dag, &window, &leaves);
                let lower = lanes(&mut dag, &stages.lower, &leaves);
                leaves.push(dag.concat(&lower));
                let upper = lanes(&mut dag, &stages.upper, &leaves);
                assert_eq!(whole.len(), upper.len());
                for (one, other) in whole.iter().zip(&upper) {
                    let equal = one == other
                        || Prover::new().equal_integers(&dag, one.node, other.node) == Verdict::Equal;
                    assert!(equal, "{} and {}", dag.show(one.node), dag.show(other.node));
                }
            }
        }
    }

    #[test]
    fn windows_in_memory_are_left_whole() {
        let window = Window { in_registers: false, ..windows().remove(0) };
        assert!(stages(&window).is_empty());
    }
}
