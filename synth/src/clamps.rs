//! Saturation of widths that no instruction saturates: whether a value fits is seen from its wrapped bits.

use hydride_ir::exact::{Dag, Int, Node, NodeId, Range};

use crate::forms::{kept_bits, sliced, two_terms};
use crate::normal::normal;
use crate::table::CONTAINERS;

/// A saturated value as a choice by whether it fits.
pub fn clamps(dag: &mut Dag, value: NodeId) -> Vec<NodeId> {
    let (of, kept) = sliced(dag, value);
    let Node::Saturate { of, width, signed } = *dag.node(of) else { return Vec::new() };
    let clamp = Clamp { of, width, signed };
    let found = [clamp.carried(dag), clamp.shifted(dag), clamp.narrowed(dag)];
    found.into_iter().flatten().map(|other| kept_bits(dag, other, kept)).collect()
}

/// A value clamped to a number of bits.
#[derive(Clone, Copy)]
struct Clamp {
    of: NodeId,
    width: u32,
    signed: bool,
}

impl Clamp {
    /// The value's low bits.
    fn wrapped(self, dag: &mut Dag) -> NodeId {
        dag.slice(self.of, 0, self.width, false)
    }

    /// `wrapped` where `fits`, else the limit on the side of the number whose sign this is; for numbers without sign the
    /// greatest.
    fn choice(self, dag: &mut Dag, fits: NodeId, sign: Option<NodeId>) -> NodeId {
        let most = dag.int((Int::ONE << (self.width - u32::from(self.signed)) as usize) - Int::ONE);
        let limit = match (sign, self.signed) {
            (None, _) => most,
            // All bits but the highest are the opposite of the sign.
            (Some(sign), true) => dag.xor(sign, most),
            (Some(sign), false) => dag.not(sign),
        };
        let (limit, wrapped) = (dag.slice(limit, 0, self.width, false), self.wrapped(dag));
        let bits = dag.select(fits, wrapped, limit);
        dag.slice(bits, 0, self.width, self.signed)
    }

    /// Unsigned, a sum that wrapped is less than `a`; a difference `a - b` is not negative where `b ≤ a`. Only for 64 bits:
    /// others have extrema.
    fn carried(self, dag: &mut Dag) -> Option<NodeId> {
        if self.signed || self.width != 64 {
            return None;
        }
        let ones = |dag: &mut Dag, condition: NodeId| {
            let bit = dag.slice(condition, 0, 1, true);
            dag.slice(bit, 0, self.width, false)
        };
        let terms = |dag: &Dag, factor: i32| {
            let (a, b) = two_terms(dag, self.of, factor)?;
            [a, b].iter().all(|node| dag.range(*node).fits(self.width, false)).then_some((a, b))
        };
        let wrapped = self.wrapped(dag);
        if let Some((a, _)) = terms(dag, 1) {
            let condition = dag.lt(wrapped, a);
            let mask = ones(dag, condition);
            return Some(dag.or(wrapped, mask));
        }
        let (a, b) = terms(dag, -1)?;
        let condition = dag.lt(a, b);
        let mask = ones(dag, condition);
        let others = dag.not(mask);
        Some(dag.and(wrapped, others))
    }

    /// `a·2^n` fits where its low bits moved down again are `a`.
    fn shifted(self, dag: &mut Dag) -> Option<NodeId> {
        let Node::Sum { terms, constant } = dag.node(self.of).clone() else { return None };
        let [(number, factor)] = &terms[..] else { return None };
        let count = (1..self.width).find(|count| *factor == Int::ONE << *count as usize)?;
        let from_signed = !dag.range(*number).is_non_negative();
        if constant != Int::ZERO
            || !dag.range(*number).fits(self.width, from_signed)
            || self.signed && !from_signed
        {
            return None;
        }
        let (number, width) = (*number, self.width);
        let back = dag.slice(number, 0, width - count, self.signed);
        let (back, bits) = (dag.slice(back, 0, width, false), dag.slice(number, 0, width, false));
        let fits = dag.eq(back, bits);
        let sign = from_signed.then(|| dag.slice(number, width - 1, 1, true));
        Some(self.choice(dag, fits, sign))
    }

    /// A number of twice as many bits fits where its upper half is what the lower one makes it.
    fn narrowed(self, dag: &mut Dag) -> Option<NodeId> {
        let width = self.width;
        let from_signed = !dag.range(self.of).is_non_negative();
        let (bits, _) = dag.natural(self.of)?;
        if width != 32 || bits > 2 * width || bits <= width || self.signed && !from_signed {
            return None;
        }
        let high = dag.slice(self.of, width, width, false);
        let expected = if self.signed { dag.slice(self.of, width - 1, 1, true) } else { dag.int(0) };
        let expected = dag.slice(expected, 0, width, false);
        let fits = dag.eq(high, expected);
        let sign = from_signed.then(|| dag.slice(self.of, 2 * width - 1, 1, true));
        Some(self.choice(dag, fits, sign))
    }
}

/// What is above its signed range by one at most, and never at the range's least value, is saturated by its wrapped value,
/// complemented where that is the least one. A number that is not negative is clamped to one bit less then.
pub(crate) fn one_too_many(dag: &mut Dag, value: NodeId) -> Option<NodeId> {
    let (of, kept) = sliced(dag, value);
    let Node::Saturate { of, width, signed } = *dag.node(of) else { return None };
    let of = normal(dag, of);
    let width = if signed { width } else { width + 1 };
    if !(signed || dag.range(of).is_non_negative() && CONTAINERS.contains(&width)) {
        return None;
    }
    let beyond = Int::ONE << (width - 1) as usize;
    if !dag.range(of).within(&Range::new(-beyond.clone() + Int::ONE, beyond.clone())) {
        return None;
    }
    let (wrapped, least) = (dag.slice(of, 0, width, false), dag.int(beyond));
    let is_least = dag.eq(wrapped, least);
    let ones = dag.slice(is_least, 0, 1, true);
    let ones = dag.slice(ones, 0, width, false);
    let bits = dag.xor(wrapped, ones);
    let exact = dag.slice(bits, 0, width, true);
    Some(kept_bits(dag, exact, kept))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::equal::assert_equal;

    /// Every way to write a saturated value is proved by the solver, and there are so many.
    fn hold(dag: &mut Dag, of: NodeId, width: u32, signed: bool, count: usize) {
        let value = dag.saturate(of, width, signed);
        let value = dag.slice(value, 0, width, false);
        let found = clamps(dag, value);
        assert_eq!(found.len(), count, "{}", dag.show(value));
        for other in found {
            assert_equal(dag, value, other);
        }
    }

    #[test]
    fn sums_and_differences_without_sign_carry() {
        let mut dag = Dag::new(vec![64; 2]);
        let (a, b) = (dag.arg_slice(0, 0, 64, false), dag.arg_slice(1, 0, 64, false));
        let (sum, difference) = (dag.sum(&[a, b]), dag.sub(a, b));
        hold(&mut dag, sum, 64, false, 1);
        hold(&mut dag, difference, 64, false, 1);
    }

    #[test]
    fn shifted_numbers_are_moved_back() {
        for width in [8, 16, 32, 64] {
            for (from_signed, signed) in [(false, false), (true, true), (true, false)] {
                let mut dag = Dag::new(vec![width]);
                let number = dag.arg_slice(0, 0, width, from_signed);
                let shifted = dag.linear(&[(number, Int::from(8))], Int::ZERO);
                // Of 32 bits the upper half shows it too.
                hold(&mut dag, shifted, width, signed, if width == 32 { 2 } else { 1 });
            }
        }
    }

    #[test]
    fn upper_halves_show_what_fits() {
        for (from_signed, signed) in [(false, false), (true, true), (true, false)] {
            let mut dag = Dag::new(vec![64]);
            let number = dag.arg_slice(0, 0, 64, from_signed);
            hold(&mut dag, number, 32, signed, 1);
        }
    }

    #[test]
    fn one_too_many_is_the_complement_of_the_least_value() {
        for width in [3, 5, 8] {
            let mut dag = Dag::new(vec![width; 2]);
            let (a, b) = (dag.arg_slice(0, 0, width, true), dag.arg_slice(1, 0, width, true));
            let product = dag.mul(a, b);
            let half = Int::ONE << (width - 2) as usize;
            let sum = dag.linear(&[(product, Int::ONE)], half);
            let count = dag.int(width - 1);
            let shifted = dag.shr(sum, count);
            let value = dag.saturate(shifted, width, true);
            let value = dag.slice(value, 0, width, false);
            let other = one_too_many(&mut dag, value).expect("a rewrite");
            assert_equal(&dag, value, other);
        }
    }

    #[test]
    fn magnitudes_that_saturate_are_one_too_many() {
        for width in [8, 16, 32, 64] {
            let mut dag = Dag::new(vec![width]);
            let number = dag.arg_slice(0, 0, width, true);
            let magnitude = dag.abs(number);
            let value = dag.saturate(magnitude, width - 1, false);
            let other = one_too_many(&mut dag, value).expect("a rewrite");
            assert_equal(&dag, value, other);
        }
    }
}
