//! Equality case by case, where values are shifted by computed counts: a number is exchanged for all that it may be.
//!
//! ```text
//! (a + 2^(c-1)) >> c   with c in 1..=16:   sixteen shifts by literals
//! ```

use hydride_ir::exact::{Dag, Int, Node, NodeId, Replacements};

use crate::bidirectional::values;
use crate::normal::normal;

/// Numbers that are looked at one by one are as far from zero as this; counts beyond shift all bits out.
const NEAR: i64 = 66;

/// Whether two values are one for each value of a count by which both shift, or of what it is computed from. Where they are two nodes
/// for one of them, `equal` says whether they are one value.
pub fn equal_for_each_count(
    dag: &mut Dag,
    left: NodeId,
    right: NodeId,
    equal: &mut dyn FnMut(&Dag, NodeId, NodeId) -> bool,
) -> bool {
    let (own, theirs) = (counts(dag, left), counts(dag, right));
    own.iter().filter(|count| theirs.contains(count)).any(|count| {
        cases(dag, *count).into_iter().all(|value| {
            let mut replacements = Replacements::from_iter([(*count, value)]);
            // What has one value only is that number.
            for other in own.iter().chain(&theirs) {
                let own = dag.replace(*other, &mut replacements);
                let range = dag.range(own);
                if let Some(number) = range.low.clone().filter(|_| range.low == range.high) {
                    replacements.insert(*other, dag.int(number));
                }
            }
            let [left, right] = [left, right].map(|side| {
                let side = dag.replace(side, &mut replacements);
                normal(dag, side)
            });
            left == right || equal(dag, left, right)
        })
    })
}

/// What the counts of shifts below a node are computed from: operands, or what has few values.
fn counts(dag: &Dag, root: NodeId) -> Vec<NodeId> {
    let counts = dag.reachable([root]).into_iter().filter_map(|node| match dag.node(node) {
        Node::Shl(_, count) | Node::Shr(_, count) => Some(*count),
        Node::SliceAt { low, .. } => Some(*low),
        _ => None,
    });
    let counts: Vec<NodeId> = counts.collect();
    let is_own = |node: &NodeId| match *dag.node(*node) {
        Node::Arg(_) => false,
        Node::Slice { of, .. } if matches!(dag.node(of), Node::Arg(_)) => true,
        _ => values(dag, *node).is_some(),
    };
    dag.reachable(counts).into_iter().filter(is_own).collect()
}

/// All that a number may be: each one near zero, itself above these, and itself below.
fn cases(dag: &mut Dag, number: NodeId) -> Vec<NodeId> {
    let range = dag.range(number).clone();
    let end = |end: Option<Int>, beyond: i64| end.and_then(|end| i64::try_from(end).ok()).unwrap_or(beyond);
    let (low, high) = (end(range.low, i64::MIN), end(range.high, i64::MAX));
    let mut cases: Vec<NodeId> = (low.max(-NEAR)..=high.min(NEAR)).map(|value| dag.int(value)).collect();
    if high > NEAR {
        let above = dag.int(NEAR + 1);
        cases.push(dag.max(number, above));
    }
    if low < -NEAR {
        let below = dag.int(-NEAR - 1);
        cases.push(dag.min(number, below));
    }
    cases
}
