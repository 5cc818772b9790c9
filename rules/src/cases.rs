//! A prover that decides for each value of the count of a shift what is undecided for all of them at once.

use hydride_ir::exact::{Dag, NodeId, Replacements};
use smt::{Prover, Verdict};
use synth::certify::Judge;
use synth::equal_for_each_count;
use synth::synthesize::prover;

/// A prover that tells the values of counts apart.
pub struct ByCases(Prover);

impl Default for ByCases {
    fn default() -> Self {
        Self(prover())
    }
}

impl Judge for ByCases {
    fn equal(&mut self, dag: &Dag, left: NodeId, right: NodeId) -> Verdict {
        let whole = self.0.equal_integers(dag, left, right);
        if !matches!(whole, Verdict::Unknown(_)) {
            return whole;
        }
        // The same nodes in a graph of their own, to which each count's numbers are added.
        let mut own = Dag::new(dag.arg_widths().to_vec());
        let mut copies = Replacements::default();
        for id in dag.reachable([left, right]) {
            let Some(node) = own.remake(dag.node(id).clone(), &mut |_, id| copies[&id]) else { return whole };
            copies.insert(id, node);
        }
        let mut equal = |dag: &Dag, left, right| self.0.equal_integers(dag, left, right) == Verdict::Equal;
        match equal_for_each_count(&mut own, copies[&left], copies[&right], &mut equal) {
            true => Verdict::Equal,
            false => whole,
        }
    }
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
        let mut by_solver = |dag: &Dag, left, right| judge.equal(dag, left, right) == Verdict::Equal;
        assert!(equal_for_each_count(&mut dag, left, right, &mut by_solver));
        assert!(!equal_for_each_count(&mut dag, left, after, &mut by_solver));
    }
}
