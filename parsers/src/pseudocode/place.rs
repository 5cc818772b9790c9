//! Where in a variable a slice lies, and writes at positions that are not known.

use hydride_ir::exact::{Dag, Int, Node, NodeId, Register};

/// Positions that a write may enumerate.
const MAX_POSITIONS: usize = 128;

/// A width in bits.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Width {
    /// It is known.
    Known(u32),
    /// It is computed from what is only known when the instruction runs (`x[n:0]`, `x : Zeros(shift)`).
    Computed(NodeId),
}

/// `node`, or 0 where it is negative: what a text with a negative position gives does not matter.
pub fn not_negative(dag: &mut Dag, node: NodeId) -> NodeId {
    let zero = dag.int(0);
    dag.max(node, zero)
}

/// The values from 0 and below `end` that a position may have, ascending; `None` when there are too many.
///
/// ```
/// let mut dag = hydride_ir::exact::Dag::new(vec![2]);
/// let index = dag.arg_slice(0, 0, 2, false);
/// let eight = dag.int(8);
/// let position = dag.mul(index, eight);
/// assert_eq!(parsers::pseudocode::positions(&dag, position, 24), Some(vec![0, 8, 16]));
/// ```
pub fn positions(dag: &Dag, node: NodeId, end: u32) -> Option<Vec<u32>> {
    let range = dag.range(node);
    let (mut stride, mut offset) = (Int::ONE, Int::ZERO);
    if let Node::Sum { terms, constant } = dag.node(node) {
        offset = constant.clone();
        stride = terms
            .iter()
            .fold(Int::ZERO, |divisor, (_, factor)| greatest_common_divisor(divisor, factor.clone()));
    }
    let low = range.low.clone()?.max(Int::ZERO);
    let last = Int::from(end) - Int::ONE;
    let high = range.high.clone().map_or_else(|| last.clone(), |high| high.min(last.clone()));
    // The first value that is not below `low` and differs from the offset by a multiple of the stride.
    let distance = (&low - &offset) % &stride;
    let mut next = if distance == Int::ZERO { low } else { &low + (&stride - &distance) % &stride };
    if next > high {
        return Some(Vec::new());
    }
    if (&high - &next) / &stride >= Int::from(MAX_POSITIONS) {
        return None;
    }
    let mut positions = Vec::new();
    while next <= high {
        positions.push(u32::try_from(&next).ok()?);
        next += &stride;
    }
    Some(positions)
}

fn greatest_common_divisor(mut left: Int, mut right: Int) -> Int {
    while right != Int::ZERO {
        (left, right) = (right.clone(), left % right);
    }
    if left < Int::ZERO { -left } else { left }
}

/// Assigns the low `width` bits of `value` at the computed position `low`: to each of the `positions` where it is that
/// one. Bits from `end` up are not written.
pub fn write_at_one_of(
    dag: &mut Dag,
    register: &mut Register,
    (low, width): (NodeId, u32),
    positions: &[u32],
    end: u32,
    value: NodeId,
) {
    for position in positions {
        let literal = dag.int(*position);
        let here = dag.eq(low, literal);
        let mut written = register.clone();
        written.write(*position, width.min(end.saturating_sub(*position)), value);
        *register = match dag.as_i64(here) {
            Some(0) => continue,
            Some(_) => written,
            None => Register::merge(dag, here, &written, register),
        };
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// `factor · x + offset` with `x` an argument of `bits` bits.
    fn position(dag: &mut Dag, bits: u32, factor: i64, offset: i64) -> NodeId {
        let index = dag.arg_slice(0, 0, bits, false);
        dag.linear(&[(index, Int::from(factor))], Int::from(offset))
    }

    #[test]
    fn positions_are_the_values_below_the_end() {
        let mut dag = Dag::new(vec![32]);
        for (bits, factor, offset, end, expected) in [
            (2, 8, 0, 32, Some(vec![0, 8, 16, 24])),
            (2, 8, 4, 20, Some(vec![4, 12])),
            (2, 8, -8, 32, Some(vec![0, 8, 16])),
            (2, 8, -4, 32, Some(vec![4, 12, 20])),
            (2, 8, -64, 32, Some(vec![])),
            (7, 1, 0, 512, Some((0..128).collect())),
            (8, 1, 0, 512, None),
            (8, 1, 0, 100, Some((0..100).collect())),
        ] {
            let node = position(&mut dag, bits, factor, offset);
            assert_eq!(positions(&dag, node, end), expected, "{factor}x + {offset}");
        }
    }

    #[test]
    fn a_write_at_a_computed_position_keeps_the_other_bits() {
        let mut dag = Dag::new(vec![1, 16, 8]);
        let low = position(&mut dag, 1, 8, 0);
        let (old, value) = (dag.arg_slice(1, 0, 16, false), dag.arg_slice(2, 0, 8, false));
        let mut register = Register::with_value(16, old);
        let all = positions(&dag, low, 16).expect("two positions");
        write_at_one_of(&mut dag, &mut register, (low, 8), &all, 16, value);
        let first = dag.arg_slice(0, 0, 1, false);
        let first = dag.complement(first);
        for (at, chosen) in [(0, first), (8, dag.complement(first))] {
            let kept = dag.slice(old, at, 8, false);
            let expected = dag.select(chosen, value, kept);
            assert_eq!(register.read(&mut dag, at, 8), (expected, true));
        }
    }

    #[test]
    fn a_write_ends_at_the_end() {
        let mut dag = Dag::new(vec![1, 8]);
        let low = position(&mut dag, 1, 8, 4);
        let value = dag.arg_slice(1, 0, 8, false);
        let mut register = Register::default();
        write_at_one_of(&mut dag, &mut register, (low, 8), &[4, 12], 16, value);
        assert_eq!(register.end(), 16);
        assert_eq!(register.extents().next(), Some((4, 8)));
    }

    #[test]
    fn a_negative_position_is_zero() {
        let mut dag = Dag::new(vec![8]);
        let (below, above) = (dag.int(-3), dag.arg_slice(0, 0, 8, false));
        let zero = dag.int(0);
        assert_eq!((not_negative(&mut dag, below), not_negative(&mut dag, above)), (zero, above));
    }
}
