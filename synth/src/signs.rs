//! Values that are computed from a number's sign where instructions are for numbers without one: magnitudes, and shifts down that
//! move signs in.

use hydride_ir::exact::{Dag, Int, Node, NodeId};

use crate::forms::{kept_bits, sliced};

/// A magnitude, or a number shifted down, which may be rounded, by numbers without sign.
pub fn signs(dag: &mut Dag, value: NodeId) -> Vec<NodeId> {
    let (of, kept) = sliced(dag, value);
    let found = [magnitude(dag, of), shifted_down(dag, of), rounded(dag, of)];
    found.into_iter().flatten().map(|other| kept_bits(dag, other, kept)).collect()
}

/// Width of the least element that holds a number.
fn element(width: u32) -> Option<u32> {
    [8, 16, 32, 64].into_iter().find(|element| *element >= width)
}

/// `|a|` is `(a ^ s) - s`, where `s` is all ones for a negative `a` and else 0.
fn magnitude(dag: &mut Dag, value: NodeId) -> Option<NodeId> {
    let Node::Abs(of) = *dag.node(value) else { return None };
    let (width, _) = dag.natural(of)?;
    let width = element(width)?;
    let sign = dag.slice(of, width - 1, 1, true);
    let (bits, signs) = (dag.slice(of, 0, width, false), dag.slice(sign, 0, width, false));
    let flipped = dag.xor(bits, signs);
    let magnitude = dag.sub(flipped, signs);
    Some(dag.slice(magnitude, 0, width, false))
}

/// `⌊(a + 2^(n-1)) / 2^n⌋` of a number of `w` bits is `⌈⌊u / 2^(n-1)⌋ / 2⌉ - 2^(w-1-n)`, where `u` is `a + 2^(w-1)`, the bits of
/// `a` with the highest one flipped.
fn rounded(dag: &mut Dag, value: NodeId) -> Option<NodeId> {
    let (sum, count, bits) = match *dag.node(value) {
        Node::Slice { of, low, width, signed } => (of, low, Some((width, signed))),
        Node::Shr(of, count) => (of, u32::try_from(dag.as_i64(count)?).ok()?, None),
        _ => return None,
    };
    let Node::Sum { terms, constant } = dag.node(sum).clone() else { return None };
    let [(number, factor)] = &terms[..] else { return None };
    let (number, (width, signed)) = (*number, dag.natural(*number)?);
    // Others have instructions of their own on most targets.
    if !signed || !(width == 8 || width == 64) || !(1..width).contains(&count) || *factor != Int::ONE {
        return None;
    }
    if constant != Int::ONE << (count - 1) as usize {
        return None;
    }
    let (low, sign, one) =
        (dag.slice(number, 0, width, false), dag.int(Int::ONE << (width - 1) as usize), dag.int(1));
    let moved = dag.xor(low, sign);
    let before = dag.slice(moved, count - 1, width - count + 1, false);
    let next = dag.sum(&[before, one]);
    let half = dag.shr(next, one);
    let rounded = dag.linear(&[(half, Int::ONE)], -(Int::ONE << (width - 1 - count) as usize));
    Some(kept_bits(dag, rounded, bits))
}

/// `⌊a / 2^n⌋` of a number of `w` bits is `(u ^ m) - m`, where `u` is its bits moved down without sign and `m` is `2^(w-1-n)`, the
/// place where the sign is then: that bit counts as `-m` instead of `m`.
fn shifted_down(dag: &mut Dag, value: NodeId) -> Option<NodeId> {
    let (of, low, width) = match *dag.node(value) {
        Node::Slice { of, low, width, signed: true } if low > 0 => (of, low, low + width),
        Node::Shr(of, count) => {
            let count = dag.as_i64(count).and_then(|count| u32::try_from(count).ok())?;
            let (width, signed) = dag.natural(of)?;
            (of, count, signed.then_some(width)?)
        }
        _ => return None,
    };
    // Others have instructions of their own on most targets.
    if !(width == 8 || width == 64) || low == 0 || low >= width {
        return None;
    }
    let bits = dag.slice(of, low, width - low, false);
    let mask = dag.int(Int::ONE << (width - 1 - low) as usize);
    let flipped = dag.xor(bits, mask);
    let number = dag.sub(flipped, mask);
    Some(dag.slice(number, 0, width, true))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::equal::assert_equal;

    fn holds(dag: &mut Dag, value: NodeId) {
        let found = signs(dag, value);
        assert!(!found.is_empty(), "{}", dag.show(value));
        for other in found {
            assert_ne!(other, value);
            assert_equal(dag, value, other);
        }
    }

    #[test]
    fn magnitudes_are_complements_and_one() {
        for width in [8, 16, 32, 64] {
            let mut dag = Dag::new(vec![width]);
            let number = dag.arg_slice(0, 0, width, true);
            let value = dag.abs(number);
            let value = dag.slice(value, 0, width, false);
            holds(&mut dag, value);
        }
    }

    #[test]
    fn signs_are_moved_in_by_two_operations() {
        for width in [8, 64] {
            for count in [1, 5, width - 1] {
                let mut dag = Dag::new(vec![width]);
                let number = dag.arg_slice(0, 0, width, true);
                let by = dag.int(count);
                let value = dag.shr(number, by);
                let value = dag.slice(value, 0, width, false);
                holds(&mut dag, value);
            }
        }
    }

    #[test]
    fn what_is_rounded_is_moved_up_before() {
        for (width, count) in [(8, 1), (8, 5), (8, 7), (64, 1), (64, 5), (64, 63)] {
            let mut dag = Dag::new(vec![width]);
            let (number, by) = (dag.arg_slice(0, 0, width, true), dag.int(count));
            let sum = dag.linear(&[(number, Int::ONE)], Int::ONE << (count - 1) as usize);
            let value = dag.shr(sum, by);
            holds(&mut dag, value);
            let bits = dag.slice(sum, count, width, false);
            holds(&mut dag, bits);
        }
    }

    #[test]
    fn numbers_without_sign_are_left() {
        let mut dag = Dag::new(vec![64]);
        let (number, by) = (dag.arg_slice(0, 0, 64, false), dag.int(3));
        let value = dag.shr(number, by);
        assert!(signs(&mut dag, value).is_empty());
    }
}
