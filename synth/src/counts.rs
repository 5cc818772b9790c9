//! Numbers of one bits and of leading zeros as those of a value's parts, down to parts of four bits, which a lookup in a
//! register counts.

use hydride_ir::exact::{Dag, Int, Node, NodeId};

/// Bits that one lookup counts.
const PART: u32 = 4;

/// The bits of a byte: beyond them a lookup has no room for the position of a part.
const BYTE: u32 = 8;

/// A count as a sum or extremum of counts of parts.
pub fn counts(dag: &mut Dag, value: NodeId) -> Option<NodeId> {
    match *dag.node(value) {
        Node::PopCount(of) => ones(dag, of),
        Node::LeadingZeros(of, width) if width > BYTE => leading_zeros(dag, of, width),
        Node::LeadingZeros(of, width) if width > PART => leading_zeros_of_byte(dag, of, width),
        _ => None,
    }
}

/// The ones of a byte's halves; the upper one has none where it is 0, which keeps the sum from being read as the count of both.
fn ones(dag: &mut Dag, of: NodeId) -> Option<NodeId> {
    let (width, signed) = dag.natural(of)?;
    if signed || !(PART + 2..=BYTE).contains(&width) {
        return None;
    }
    let (low, high) = (dag.slice(of, 0, PART, false), dag.slice(of, PART, width - PART, false));
    let zero = dag.int(0);
    let (lower, upper, is_zero) = (dag.popcount(low), dag.popcount(high), dag.eq(high, zero));
    let upper = dag.select(is_zero, zero, upper);
    Some(dag.sum(&[lower, upper]))
}

/// With upper bits `h` and lower bits `l`, the least of the zeros above `l`, counted from the top, and of those of `h`, which
/// count as all bits where `h` is 0.
fn leading_zeros_of_byte(dag: &mut Dag, of: NodeId, width: u32) -> Option<NodeId> {
    let above = width - PART;
    let (low, high) = (dag.slice(of, 0, PART, false), dag.slice(of, PART, above, false));
    let (zero, all) = (dag.int(0), dag.int(width));
    let (is_zero, count) = (dag.eq(high, zero), dag.leading_zeros(high, above));
    let upper = dag.select(is_zero, all, count);
    let lower = dag.leading_zeros(low, PART);
    let lower = dag.linear(&[(lower, Int::ONE)], Int::from(above));
    Some(dag.min(upper, lower))
}

/// The width less the place of the highest one, counted from 1: the greatest of those of all parts, 0 for a part without
/// ones.
fn leading_zeros(dag: &mut Dag, of: NodeId, width: u32) -> Option<NodeId> {
    let mut places = Vec::new();
    for start in (0..width).step_by(PART as usize) {
        let own = PART.min(width - start);
        let part = dag.slice(of, start, own, false);
        let zeros = dag.leading_zeros(part, own);
        let place = dag.linear(&[(zeros, -Int::ONE)], Int::from(start + own));
        let zero = dag.int(0);
        let is_zero = dag.eq(part, zero);
        places.push(dag.select(is_zero, zero, place));
    }
    let highest = places.into_iter().reduce(|highest, place| dag.max(highest, place))?;
    Some(dag.linear(&[(highest, -Int::ONE)], Int::from(width)))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::equal::assert_equal;

    #[test]
    fn counts_are_those_of_parts() {
        for width in [5, 7, 8, 15, 16, 31, 32] {
            let mut dag = Dag::new(vec![width]);
            let number = dag.arg_slice(0, 0, width, false);
            let zeros = dag.leading_zeros(number, width);
            let ones = (7..=BYTE).contains(&width).then(|| dag.popcount(number));
            for value in ones.into_iter().chain([zeros]) {
                let other = counts(&mut dag, value).expect("a count of parts");
                assert_ne!(other, value);
                assert_equal(&dag, value, other);
            }
        }
    }

    #[test]
    fn four_bits_are_counted_at_once() {
        let mut dag = Dag::new(vec![4]);
        let number = dag.arg_slice(0, 0, 4, false);
        for value in [dag.popcount(number), dag.leading_zeros(number, 4)] {
            assert_eq!(counts(&mut dag, value), None);
        }
    }
}
