//! One register as two arguments.
//!
//! ```text
//! instruction   dst[i] = {a[i], a[i]} >> n[i]         a rotation
//! operation     dst[i] = {a[i], b[i]} >> n[i]         a funnel shift
//! argument b    a
//! ```
//!
//! Both of the operation's arguments are the same [`Source::Own`].

use catalog::Source;
use hydride_ir::Function;
use hydride_ir::exact::{Dag, Node, NodeId, Part as Piece, Raised, Replacements, Segment};

use super::Reading;

/// A slice of an argument that is concatenated with itself.
struct Pair {
    concatenation: NodeId,
    arg: u32,
    low: u32,
    width: u32,
}

/// The reading in which the upper one of each pair of equal slices is another argument.
pub(super) fn recognize(dag: &mut Dag, _: &Function, reading: &Reading) -> Vec<Reading> {
    let [segments] = reading.core.results.as_slice() else { return Vec::new() };
    let nodes = dag.reachable(segments.iter().map(|segment| segment.value));
    let pairs: Vec<Pair> = nodes.into_iter().filter_map(|id| pair(dag, id)).collect();
    let Some(arg) = pairs.first().map(|pair| pair.arg) else { return Vec::new() };
    let fresh = dag.add_arg(dag.arg_widths()[arg as usize]);
    let mut replacements = Replacements::default();
    for Pair { concatenation, low, width, .. } in pairs.into_iter().filter(|pair| pair.arg == arg) {
        let below = dag.arg_slice(arg, low, width, false);
        let above = dag.arg_slice(fresh, low, width, false);
        let both = dag.concat(&[Piece { node: below, width }, Piece { node: above, width }]);
        replacements.insert(concatenation, both);
    }
    let segments = segments
        .iter()
        .map(|segment| Segment { value: dag.replace(segment.value, &mut replacements), ..*segment })
        .collect();
    vec![reading.with_argument(Raised { results: vec![segments] }, fresh, Source::Own(arg))]
}

fn pair(dag: &Dag, concatenation: NodeId) -> Option<Pair> {
    let Node::Concat(parts) = dag.node(concatenation) else { return None };
    let [below, above] = **parts else { return None };
    let Node::Slice { of, low, width, signed: false } = *dag.node(below.node) else { return None };
    match *dag.node(of) {
        Node::Arg(arg) if below == above && width == below.width => {
            Some(Pair { concatenation, arg, low, width })
        }
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::modifiers::tests::{check, readings};

    #[test]
    fn a_rotation_is_a_funnel_shift() {
        let funnel = |args: &str, above: &str| {
            format!(
                "func @funnel({args}, %n: 32) -> (%dst: 32) {{
                   for i in 0..4 {{
                     %dst[8*i +: 8] = concat(%{above}[8*i +: 8], %a[8*i +: 8])[at %n[8*i +: 3] +: 8]
                   }}
                 }}"
            )
        };
        let rotation = funnel("%a: 32", "a");
        let general = funnel("%a: 32, %b: 32", "b");
        let shape = check(&readings(recognize, &rotation), &rotation, &general);
        assert_eq!(shape.args, [Source::Own(0), Source::Own(0), Source::Own(1)]);
        assert!(readings(recognize, &general).is_empty());
    }
}
