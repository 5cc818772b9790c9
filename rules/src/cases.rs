//! Equality case by case: where the count of a shift has few values, what is undecided for all of them at once is decided for each.
//!
//! ```text
//! (a + 2^(c-1)) >> c   with c in 1..=16:   sixteen shifts by literals
//! ```
//!
//! A node is exchanged for each number in its range, whatever it is computed from: what is equal then is equal for all arguments.

use hydride_ir::exact::{Dag, Node, NodeId, Replacements};
use smt::{Prover, Verdict};
use synth::certify::Judge;
use synth::synthesize::prover;

/// Values of a count that are told apart, at most.
const MAX_CASES: i64 = 256;

/// A prover that tells the values of counts apart.
pub struct ByCases(Prover);

impl Default for ByCases {
    fn default() -> Self {
        Self(prover())
    }
}

impl Judge for ByCases {
    fn equal(&mut self, dag: &Dag, left: NodeId, right: NodeId) -> Verdict {
        let Some((count, values)) = count(dag, [left, right]) else {
            return self.0.equal_integers(dag, left, right);
        };
        let nodes = dag.reachable([left, right]);
        let mut own = Dag::new(dag.arg_widths().to_vec());
        let mut open: Vec<(NodeId, NodeId)> = Vec::new();
        for value in values {
            // The same nodes in a graph of their own, with the count's value.
            let mut made = Replacements::from_iter([(count, own.int(value))]);
            for id in &nodes {
                if *id == count {
                    continue;
                }
                let Some(node) = own.remake(dag.node(*id).clone(), &mut |_, id| made[&id]) else {
                    return self.0.equal_integers(dag, left, right);
                };
                made.insert(*id, node);
            }
            let sides = (made[&left], made[&right]);
            if sides.0 != sides.1 {
                open.push(sides);
            }
        }
        if open.is_empty() {
            return Verdict::Equal;
        }
        let whole = self.0.equal_integers(dag, left, right);
        let is_unknown = matches!(whole, Verdict::Unknown(_));
        let mut equal = |(left, right)| self.0.equal_integers(&own, left, right) == Verdict::Equal;
        if is_unknown && open.into_iter().all(&mut equal) { Verdict::Equal } else { whole }
    }
}

/// What a count below some nodes is computed from, if it has few values, and these.
fn count(dag: &Dag, roots: [NodeId; 2]) -> Option<(NodeId, std::ops::RangeInclusive<i64>)> {
    let counts = dag.reachable(roots).into_iter().filter_map(|node| match dag.node(node) {
        Node::Shl(_, count) | Node::Shr(_, count) => Some(*count),
        Node::SliceAt { low, .. } => Some(*low),
        _ => None,
    });
    let counts: Vec<NodeId> = counts.collect();
    dag.reachable(counts).into_iter().find_map(|node| {
        if matches!(dag.node(node), Node::Const(_) | Node::Arg(_)) {
            return None;
        }
        let range = dag.range(node);
        let end = |end: &Option<hydride_ir::exact::Int>| i64::try_from(end.as_ref()?).ok();
        let (low, high) = (end(&range.low)?, end(&range.high)?);
        (1..MAX_CASES).contains(&high.checked_sub(low)?).then_some((node, low..=high))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn counts_are_told_apart() {
        let mut dag = Dag::new(vec![16, 8]);
        let (value, count) = (dag.arg_slice(0, 0, 16, true), dag.arg_slice(1, 0, 8, false));
        let (one, most) = (dag.int(1), dag.int(16));
        let count = dag.max(count, one);
        let count = dag.min(count, most);
        // The sum of a half and the shift of the rest, and a shift by one less, rounded.
        let less = dag.sub(count, one);
        let half = dag.shl(one, less);
        let sum = dag.sum(&[value, half]);
        let left = dag.shr(sum, count);
        let before = dag.shr(value, less);
        let after = dag.shr(value, count);
        let right = dag.sub(before, after);
        let mut judge = ByCases::default();
        assert_eq!(judge.equal(&dag, left, right), Verdict::Equal);
        assert_ne!(judge.equal(&dag, left, after), Verdict::Equal);
        // A count that may be anything is left to the prover.
        let free = dag.arg_slice(0, 0, 16, false);
        let shifted = dag.shr(free, count);
        assert!(super::count(&dag, [free, shifted]).is_some());
        assert!(super::count(&dag, [free, value]).is_none());
    }
}
