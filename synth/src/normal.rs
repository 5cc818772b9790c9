//! One form for values that exact integers have several for.

use hydride_ir::exact::{Dag, Int, Node, NodeId, Range, Replacements};

use crate::forms::{kept_bits, shifted_bits};
use crate::tables::unguarded;

/// Values that are written in another way, each by one of these.
const LAWS: [fn(&mut Dag, NodeId) -> Option<NodeId>; 8] =
    [only_signs, shifted_up, shifted_bits, masked, cleared, shifted_twice, part_of_extremum, unguarded];

/// One form for high bits anywhere in a value, a slice up to what is sliced's top is that shifted; for bits above zeros and by masks; for clamps
/// of what is not negative; for parts of extrema; for elements of tables; for what is shifted down twice; and for sums of which low bits are kept, whose
/// factors and constant are as near to zero as can be.
pub fn normal(dag: &mut Dag, value: NodeId) -> NodeId {
    let mut replacements = Replacements::default();
    for node in dag.reachable([value]) {
        if let Some(other) = LAWS.iter().find_map(|law| law(dag, node)) {
            let other = dag.replace(other, &mut replacements);
            replacements.insert(node, other);
            continue;
        }
        if let Node::Saturate { of, width, signed: true } = *dag.node(node) {
            let of = dag.replace(of, &mut replacements);
            let clamped = saturated(dag, of, width, true);
            replacements.insert(node, clamped);
            continue;
        }
        let Node::Slice { of, low, width, signed } = *dag.node(node) else { continue };
        // Above the bits that hold a negative value there are ones.
        let ones = Range::new(-(Int::ONE << low as usize), -1);
        if low > 0 && dag.range(of).within(&ones) {
            let bits = if signed { Int::from(-1) } else { (Int::ONE << width as usize) - Int::ONE };
            let bits = dag.int(bits);
            replacements.insert(node, bits);
            continue;
        }
        if let (0, Node::Sum { terms, constant }) = (low, dag.node(of).clone()) {
            let whole = Int::ONE << width as usize;
            let near = |factor: &Int| {
                let rest: Int = factor - ((factor >> width as usize) << width as usize);
                if &rest + &rest > whole { rest - &whole } else { rest }
            };
            let terms: Vec<(NodeId, Int)> = terms
                .iter()
                .map(|(term, factor)| {
                    let term = dag.replace(*term, &mut replacements);
                    let kept = width.saturating_sub(factor.trailing_zeros().unwrap_or_default() as u32);
                    (low_bits_of_factors(dag, term, kept), near(factor))
                })
                .collect();
            let sum = dag.linear(&terms, near(&constant));
            let bits = dag.slice(sum, 0, width, signed);
            replacements.insert(node, bits);
            continue;
        }
        if low > 0 && !matches!(dag.node(of), Node::Arg(_)) && dag.range(of).fits(low + width, signed) {
            let (of, count) = (dag.replace(of, &mut replacements), dag.int(low));
            let shifted = dag.shr(of, count);
            replacements.insert(node, shifted);
        }
    }
    if replacements.is_empty() { value } else { dag.replace(value, &mut replacements) }
}

/// A product of which `width` low bits count: those of its factors without their signs.
fn low_bits_of_factors(dag: &mut Dag, product: NodeId, width: u32) -> NodeId {
    let Node::Mul(factors) = dag.node(product).clone() else { return product };
    let unsigned = |dag: &mut Dag, factor: NodeId| match *dag.node(factor) {
        Node::Slice { of, low, width: own, signed: true } if own >= width => dag.slice(of, low, own, false),
        _ => factor,
    };
    let factors: Vec<NodeId> = factors.iter().map(|own| unsigned(dag, *own)).collect();
    factors[1..].iter().fold(factors[0], |product, own| dag.mul(product, *own))
}

/// A conjunction of computed bits, of which as many count as the shortest operand has.
fn cleared(dag: &mut Dag, value: NodeId) -> Option<NodeId> {
    let Node::And(operands) = dag.node(value).clone() else { return None };
    if operands.iter().any(|own| dag.as_int(*own).is_some()) {
        return None;
    }
    let unsigned = |own: &NodeId| dag.natural(*own).filter(|(_, signed)| !signed).map(|(width, _)| width);
    let least = operands.iter().filter_map(unsigned).min()?;
    let bits = |dag: &mut Dag, own: NodeId| match *dag.node(own) {
        Node::Slice { of, low, width, signed: false } if width > least => dag.slice(of, low, least, false),
        _ => own,
    };
    let cut: Vec<NodeId> = operands.iter().map(|own| bits(dag, *own)).collect();
    let other = cut[1..].iter().fold(cut[0], |all, own| dag.and(all, *own));
    (other != value).then_some(other)
}

/// `⌊(⌊x / 2^n⌋ + c) / 2^m⌋` is `⌊(x + 2^n·c) / 2^(n+m)⌋`.
fn shifted_twice(dag: &mut Dag, value: NodeId) -> Option<NodeId> {
    let (sum, by, kept) = match *dag.node(value) {
        Node::Shr(sum, by) => (sum, dag.as_i64(by)?, None),
        Node::Slice { of, low, width, signed } if low > 0 => (of, i64::from(low), Some((width, signed))),
        _ => return None,
    };
    let Node::Sum { terms, constant } = dag.node(sum).clone() else { return None };
    let [(term, factor)] = &terms[..] else { return None };
    let Node::Shr(number, before) = *dag.node(*term) else { return None };
    let before = usize::try_from(dag.as_i64(before)?).ok().filter(|_| *factor == Int::ONE)?;
    let sum = dag.linear(&[(number, Int::ONE)], constant << before);
    let shifted = shifted_down(dag, sum, before + usize::try_from(by).ok()?);
    Some(kept_bits(dag, shifted, kept))
}

/// A value shifted down; a sum without the power of two that its terms have in common.
fn shifted_down(dag: &mut Dag, value: NodeId, count: usize) -> NodeId {
    let mut shared = 0;
    let mut of = value;
    if let Node::Sum { terms, constant } = dag.node(value).clone() {
        let factors = terms.iter().map(|(_, factor)| factor).chain([&constant]);
        shared = factors.filter_map(Int::trailing_zeros).min().unwrap_or(0).min(count);
        let terms: Vec<(NodeId, Int)> =
            terms.iter().map(|(term, factor)| (*term, factor >> shared)).collect();
        of = dag.linear(&terms, constant >> shared);
    }
    let by = dag.int(count - shared);
    dag.shr(of, by)
}

/// A value clamped to a number of bits: what is not negative, to those without a sign.
pub(crate) fn saturated(dag: &mut Dag, value: NodeId, width: u32, signed: bool) -> NodeId {
    match signed && dag.range(value).is_non_negative() {
        true => dag.saturate(value, width - 1, false),
        false => dag.saturate(value, width, signed),
    }
}

/// Zeros below the bits of a number, read as signed, as a multiple of it.
fn shifted_up(dag: &mut Dag, value: NodeId) -> Option<NodeId> {
    let Node::Slice { of, low: 0, width, signed: true } = *dag.node(value) else { return None };
    let Node::Concat(parts) = dag.node(of).clone() else { return None };
    let [zeros, bits] = parts[..] else { return None };
    if dag.as_int(zeros.node) != Some(&Int::ZERO) || zeros.width + bits.width != width {
        return None;
    }
    let number = dag.slice(bits.node, 0, bits.width, true);
    Some(dag.linear(&[(number, Int::ONE << zeros.width as usize)], Int::ZERO))
}

/// Bits by a mask, of which signs do not count.
fn masked(dag: &mut Dag, value: NodeId) -> Option<NodeId> {
    let Node::And(operands) = dag.node(value).clone() else { return None };
    let mask = operands.iter().find_map(|own| dag.as_int(*own)).filter(|mask| **mask >= Int::ZERO)?.clone();
    let mut unsigned = operands.to_vec();
    for own in &mut unsigned {
        if let Node::Slice { of, low, width, signed: true } = *dag.node(*own)
            && &mask >> width as usize == Int::ZERO
        {
            *own = dag.slice(of, low, width, false);
        }
    }
    (unsigned[..] != operands[..])
        .then(|| unsigned[1..].iter().fold(unsigned[0], |all, own| dag.and(all, *own)))
}

/// Some bits of the lesser or greater of two values as a choice of theirs. What is bounded by a constant stays a number of its own.
fn part_of_extremum(dag: &mut Dag, value: NodeId) -> Option<NodeId> {
    let Node::Slice { of, low, width, signed } = *dag.node(value) else { return None };
    let [condition, then, otherwise] = as_choice(dag, of)?;
    if [then, otherwise].iter().any(|own| dag.as_int(*own).is_some()) {
        return None;
    }
    let [then, otherwise] = [then, otherwise].map(|own| dag.slice(own, low, width, signed));
    Some(dag.select(condition, then, otherwise))
}

/// The lesser or greater of two values as a choice by which is less.
pub(crate) fn as_choice(dag: &mut Dag, value: NodeId) -> Option<[NodeId; 3]> {
    match dag.node(value).clone() {
        Node::Min(operands) if operands.len() == 2 => {
            Some([dag.lt(operands[0], operands[1]), operands[0], operands[1]])
        }
        Node::Max(operands) if operands.len() == 2 => {
            Some([dag.lt(operands[0], operands[1]), operands[1], operands[0]])
        }
        _ => None,
    }
}

/// A number of which nothing but signs is left, shifted down no further than for that.
fn only_signs(dag: &mut Dag, value: NodeId) -> Option<NodeId> {
    let (of, by) = match *dag.node(value) {
        Node::Slice { of, low, .. } => (of, i64::from(low)),
        Node::Shr(of, count) => (of, dag.as_i64(count)?),
        _ => return None,
    };
    let bits = dag.natural(of).and_then(|(width, signed)| width.checked_sub(u32::from(signed)))?;
    if by <= i64::from(bits) {
        return None;
    }
    let count = dag.int(bits);
    match *dag.node(value) {
        Node::Slice { width, signed, .. } => Some(dag.slice(of, bits, width, signed)),
        _ => Some(dag.shr(of, count)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::equal::assert_equal;

    /// What two values of `width` bits, with or without sign, have in one form.
    type Build = fn(&mut Dag, NodeId, NodeId, u32) -> [NodeId; 2];

    /// Two ways to write a value have one form, which is the value.
    fn are_one(build: Build) {
        for (width, signed) in [(4, false), (4, true), (6, true)] {
            let mut dag = Dag::new(vec![width; 2]);
            let (a, b) = (dag.arg_slice(0, 0, width, signed), dag.arg_slice(1, 0, width, signed));
            let values = build(&mut dag, a, b, width);
            let forms = values.map(|value| normal(&mut dag, value));
            assert_eq!(forms[0], forms[1], "{} and {}", dag.show(values[0]), dag.show(values[1]));
            for (value, form) in values.into_iter().zip(forms) {
                assert_equal(&dag, value, form);
            }
        }
    }

    #[test]
    fn what_is_not_negative_has_one_clamp() {
        are_one(|dag, a, _, width| {
            let square = dag.mul(a, a);
            [dag.saturate(square, width, true), dag.saturate(square, width - 1, false)]
        });
    }

    #[test]
    fn what_a_shorter_operand_clears_has_one_form() {
        are_one(|dag, a, b, width| {
            let (whole, part) = (dag.slice(a, 0, width, false), dag.slice(a, 0, width - 1, false));
            let magnitude = dag.abs(b);
            let bits = dag.slice(magnitude, 0, width - 1, false);
            [dag.and(whole, bits), dag.and(part, bits)]
        });
    }

    #[test]
    fn shifts_of_shifts_are_one_shift() {
        are_one(|dag, a, b, _| {
            let product = dag.mul(a, b);
            let [one, two, three] = [1, 2, 3].map(|count| dag.int(count));
            let inner = dag.shr(product, two);
            let sum = dag.linear(&[(inner, Int::ONE)], Int::ONE);
            let whole = dag.linear(&[(product, Int::ONE)], Int::from(4));
            [dag.shr(sum, one), dag.shr(whole, three)]
        });
    }

    #[test]
    fn parts_of_extrema_are_choices() {
        are_one(|dag, a, b, _| {
            let (least, less) = (dag.min(a, b), dag.lt(a, b));
            let [then, otherwise] = [a, b].map(|own| dag.slice(own, 1, 2, false));
            [dag.slice(least, 1, 2, false), dag.select(less, then, otherwise)]
        });
    }

    #[test]
    fn signs_of_factors_do_not_count_in_low_bits() {
        are_one(|dag, a, b, width| {
            let unsigned = dag.slice(b, 0, width, false);
            [b, unsigned].map(|b| {
                let product = dag.mul(a, b);
                let sum = dag.linear(&[(product, Int::ONE << 2), (a, Int::ONE)], Int::ZERO);
                dag.slice(sum, 0, width, false)
            })
        });
    }

    #[test]
    fn zeros_below_a_number_are_a_multiple_of_it() {
        are_one(|dag, a, _, width| {
            let parts = [(dag.int(0), 3), (dag.slice(a, 0, width, false), width)];
            let joined = dag.concat(&parts.map(|(node, width)| hydride_ir::exact::Part { node, width }));
            let number = dag.slice(a, 0, width, true);
            [dag.slice(joined, 0, width + 3, true), dag.linear(&[(number, Int::from(8))], Int::ZERO)]
        });
    }
}
