//! Other expressions of a value that instructions may have where its own they have not.

use hydride_ir::exact::{Dag, Int, Node, NodeId};

use crate::bidirectional::differing_shifts;
use crate::clamps::{clamps, one_too_many};
use crate::constants::constants;
use crate::counts::counts;
use crate::forms::{half_of, kept_bits, shifted_down, sliced, two_terms};
use crate::means::mean;
use crate::normal::as_choice;
use crate::shifts::shifts;
use crate::signs::signs;
use crate::table::CONTAINERS;
use crate::tables::chosen_elements;

/// Values that equal `value`, each for a reason that is checked here with exact numbers.
pub fn rewrites(dag: &mut Dag, value: NodeId) -> Vec<NodeId> {
    let mut found = Vec::new();
    found.extend(division(dag, value));
    found.extend(rounding(dag, value));
    found.extend(choice(dag, value));
    found.extend(bit_choice(dag, value));
    found.extend(chosen_number(dag, value));
    found.extend(product_of_halves(dag, value));
    found.extend(low_product_of_halves(dag, value));
    found.extend(near_count(dag, value));
    found.extend(condition(dag, value));
    found.extend(difference(dag, value));
    found.extend(halving(dag, value));
    found.extend(mean(dag, value));
    match one_too_many(dag, value) {
        Some(wrapped) => found.push(wrapped),
        None => {
            found.extend(saturating(dag, value));
            found.extend(clamps(dag, value));
        }
    }
    found.extend(constants(dag, value));
    found.extend(counts(dag, value));
    found.extend(chosen_elements(dag, value));
    found.extend(shifts(dag, value));
    found.extend(differing_shifts(dag, value));
    found.extend(signs(dag, value));
    found.retain(|other| *other != value);
    found
}

/// The bits of a dividend that is not negative, and the divisor, at least 2.
fn dividend(dag: &Dag, value: NodeId) -> Option<(NodeId, u32, Int)> {
    let Node::Div(dividend, divisor) = *dag.node(value) else { return None };
    let divisor = dag.as_int(divisor)?.clone();
    if !dag.range(dividend).is_non_negative() || divisor <= Int::ONE {
        return None;
    }
    let (bits, _) = dag.natural(dividend)?;
    Some((dividend, if is_magnitude(dag, dividend, bits) { bits - 1 } else { bits }, divisor))
}

/// Whether a value is a number of `bits` bits of which all are complemented where it is negative, so that its highest bit is 0.
fn is_magnitude(dag: &Dag, value: NodeId, bits: u32) -> bool {
    let Node::Xor(operands) = dag.node(value) else { return false };
    let [a, b] = operands[..] else { return false };
    let are_signs_of = |signs: NodeId, number: NodeId| match (dag.node(signs), dag.node(number)) {
        (
            Node::Slice { of: sign, low: 0, width, signed: false },
            Node::Slice { of, low, width: own, signed: false },
        ) if *width == bits && *own == bits => {
            *dag.node(*sign) == Node::Slice { of: *of, low: low + bits - 1, width: 1, signed: true }
        }
        _ => false,
    };
    are_signs_of(a, b) || are_signs_of(b, a)
}

/// Quotients by products, for the least width of registers that holds the dividend. A dividend with fewer bits has products of
/// signed numbers too, whose factors have one bit less; and bytes have no high halves of products on some targets, for which the next
/// width can need no shift.
fn division(dag: &mut Dag, value: NodeId) -> Vec<NodeId> {
    let Some((dividend, bits, divisor)) = dividend(dag, value) else { return Vec::new() };
    let mut found = Vec::new();
    for width in [8u32, 16, 32, 64].into_iter().filter(|width| *width >= bits) {
        let mut products: Vec<NodeId> = [width, width - 1]
            .into_iter()
            .filter(|width| *width >= bits)
            .filter_map(|width| product(dag, dividend, bits, &divisor, width))
            .collect();
        products.dedup();
        match products.is_empty() {
            true => found.extend(long_division(dag, value)),
            false => found.extend(products),
        }
        if width > 8 && !found.is_empty() {
            break;
        }
    }
    found
}

/// `⌊x / d⌋` for `0 ≤ x < 2^n` is `⌊x·m / 2^(w+s)⌋` where `2^(w+s) ≤ m·d ≤ 2^(w+s) + 2^(w+s-n)` (Granlund and Montgomery,
/// *Division by invariant integers using multiplication*, theorem 4.2), with the least `s` whose `m` has at most `w` bits.
fn product(dag: &mut Dag, dividend: NodeId, bits: u32, divisor: &Int, width: u32) -> Option<NodeId> {
    let (multiplier, shift) = (0..=width).find_map(|shift| {
        let power = Int::ONE << (width + shift) as usize;
        let multiplier = (&power + divisor - Int::ONE) / divisor;
        let slack = &multiplier * divisor - &power;
        let exact = slack <= Int::ONE << (width + shift - bits) as usize;
        (exact && multiplier < Int::ONE << width as usize).then_some((multiplier, shift))
    })?;
    let product = dag.linear(&[(dividend, multiplier)], Int::ZERO);
    let count = dag.int(width + shift);
    Some(dag.shr(product, count))
}

/// The same where the least `m` has `n + 1` bits: with `t = ⌊x·(m - 2^n) / 2^n⌋` the quotient is
/// `⌊(⌊(x - t) / 2⌋ + t) / 2^(s-1)⌋` (the same, figure 4.1). Since `t ≤ x`, no value in between has more than `n` bits.
fn long_division(dag: &mut Dag, value: NodeId) -> Option<NodeId> {
    let (dividend, bits, divisor) = dividend(dag, value)?;
    let width = [8u32, 16, 32].into_iter().find(|width| *width >= bits)?;
    let shift = (1..=width).find(|shift| divisor <= Int::ONE << *shift as usize)?;
    let power = Int::ONE << (width + shift) as usize;
    let multiplier = (&power + &divisor - Int::ONE) / &divisor;
    let whole = Int::ONE << width as usize;
    let slack = &multiplier * &divisor - &power;
    if slack > Int::ONE << shift as usize || multiplier < whole || multiplier >= &whole + &whole {
        return None;
    }
    let product = dag.linear(&[(dividend, multiplier - whole)], Int::ZERO);
    let (by, one, rest) = (dag.int(width), dag.int(1), dag.int(shift - 1));
    let high = dag.shr(product, by);
    let difference = dag.sub(dividend, high);
    let difference = dag.slice(difference, 0, width, false);
    let half = dag.shr(difference, one);
    let sum = dag.sum(&[half, high]);
    let sum = dag.slice(sum, 0, width, false);
    Some(dag.shr(sum, rest))
}

/// `⌊(x + 2^(n-1)) / 2^n⌋` is `y - ⌊y / 2⌋` with `y = ⌊x / 2^(n-1)⌋`, for `n ≥ 1`: of `y = 2k` and `y = 2k + 1` that
/// leaves `k` and `k + 1`. No intermediate value is larger than `x`.
pub fn rounding(dag: &mut Dag, value: NodeId) -> Option<NodeId> {
    let (sum, count, kept) = shifted_down(dag, value)?;
    let Node::Sum { terms, constant } = dag.node(sum).clone() else { return None };
    let one = dag.int(1);
    let less = dag.sub(count, one);
    if dag.range(less).is_non_negative() {
        let half = dag.shl(one, less);
        let rest = match dag.as_int(half).cloned() {
            Some(half) if constant >= half => dag.linear(&terms, constant - half),
            Some(_) => return None,
            None => {
                let others: Vec<_> = terms.iter().filter(|(term, _)| *term != half).cloned().collect();
                if others.len() + 1 != terms.len() || !terms.contains(&(half, Int::ONE)) {
                    return None;
                }
                dag.linear(&others, constant)
            }
        };
        let (before, after) = (dag.shr(rest, less), dag.shr(rest, count));
        let exact = dag.sub(before, after);
        return Some(kept_bits(dag, exact, kept.into_iter().flatten()));
    }
    None
}

/// A choice by a condition as a choice by a mask of ones or zeros: for lanes that all choose alike the mask is made
/// before the loop. The other mask is that of the opposite condition, or the first one's complement.
fn choice(dag: &mut Dag, value: NodeId) -> Vec<NodeId> {
    let Some((condition, [then, otherwise], width)) = branches(dag, value) else { return Vec::new() };
    let mask = ones_if(dag, condition, width);
    let opposite = dag.complement(condition);
    let others = ones_if(dag, opposite, width);
    let not = dag.not(mask);
    let chosen = dag.and(then, mask);
    let mut found = Vec::new();
    for others in [others, not] {
        let rest = dag.and(otherwise, others);
        found.push(dag.or(chosen, rest));
    }
    found
}

/// The same with the bits in which the branches differ, as instructions have it that take each bit from one of two operands.
pub fn bit_choice(dag: &mut Dag, value: NodeId) -> Option<NodeId> {
    let (condition, [then, otherwise], width) = branches(dag, value)?;
    let mask = ones_if(dag, condition, width);
    let differ = dag.xor(then, otherwise);
    let differ = dag.and(differ, mask);
    Some(dag.xor(otherwise, differ))
}

/// A choice's condition, the bits of its branches, and how many there are.
fn branches(dag: &mut Dag, value: NodeId) -> Option<(NodeId, [NodeId; 2], u32)> {
    let (of, kept) = sliced(dag, value);
    let [condition, then, otherwise] = match *dag.node(of) {
        Node::Select(condition, then, otherwise) => [condition, then, otherwise],
        _ => as_choice(dag, of)?,
    };
    let (width, signed) = kept.or_else(|| dag.natural(value))?;
    let branches = [then, otherwise].map(|own| dag.slice(own, 0, width, false));
    (!signed && [8, 16, 32, 64].contains(&width)).then_some((condition, branches, width))
}

/// Ones where a condition holds.
fn ones_if(dag: &mut Dag, condition: NodeId, width: u32) -> NodeId {
    let bit = dag.slice(condition, 0, 1, true);
    dag.slice(bit, 0, width, false)
}

/// The low 32 bits of a product are those of `a·l + 2^16·a·h`, where `h` and `l` are the upper and the lower half of `b`.
fn low_product_of_halves(dag: &mut Dag, value: NodeId) -> Vec<NodeId> {
    let Node::Slice { of, low: 0, width: 32, signed } = *dag.node(value) else { return Vec::new() };
    let Node::Mul(factors) = dag.node(of).clone() else { return Vec::new() };
    let [left, right] = factors[..] else { return Vec::new() };
    let mut found = Vec::new();
    for (whole, halved) in [(left, right), (right, left)] {
        // A number of fewer bits has no upper half that would be read.
        if halved == right || [false, true].iter().any(|signed| dag.range(right).fits(16, *signed)) {
            let (high, low) = (dag.slice(halved, 16, 16, true), dag.slice(halved, 0, 16, false));
            let (upper, lower) = (dag.mul(whole, high), dag.mul(whole, low));
            let sum = dag.linear(&[(lower, Int::ONE), (upper, Int::ONE << 16)], Int::ZERO);
            found.push(dag.slice(sum, 0, 32, signed));
        }
    }
    found
}

/// Whether a value is one of two by a condition.
pub fn is_choice(dag: &Dag, value: NodeId) -> bool {
    let (of, _) = sliced(dag, value);
    match dag.node(of) {
        Node::Select(..) => true,
        Node::Sum { terms, .. } => matches!(&terms[..], [(condition, _)] if dag.is_boolean(*condition)),
        _ => false,
    }
}

/// One of two numbers by a condition, `n + f·c`, is `n` plus the bits of `f` that a mask of ones or zeros leaves, in containers
/// of each width that hold it.
fn chosen_number(dag: &mut Dag, value: NodeId) -> Vec<NodeId> {
    let (of, kept) = sliced(dag, value);
    let Node::Sum { terms, constant } = dag.node(of).clone() else { return Vec::new() };
    let [(condition, factor)] = &terms[..] else { return Vec::new() };
    let Some((width, signed)) = kept.or_else(|| dag.natural(value)) else { return Vec::new() };
    if !dag.is_boolean(*condition) {
        return Vec::new();
    }
    let factor = dag.int(factor.clone());
    let bit = dag.slice(*condition, 0, 1, true);
    let mut found = Vec::new();
    for container in [8, 16, 32, 64].into_iter().filter(|container| *container >= width) {
        let mask = dag.slice(bit, 0, container, false);
        let factor = dag.slice(factor, 0, container, false);
        let bits = dag.and(mask, factor);
        let sum = dag.linear(&[(bits, Int::ONE)], constant.clone());
        found.push(dag.slice(sum, 0, width, signed));
    }
    found
}

/// `⌊(a·b + 2^(n-1)) / 2^n⌋` for `n > 16` and a `b` of 32 bits is `⌊(a·h + ⌊a·l / 2^16⌋ + 2^(n-17)) / 2^(n-16)⌋`, where `h`
/// and `l` are the upper and the lower half of `b`: no product is wider than 48 bits. Without the rounding term it is
/// `⌊(a·h + ⌊a·l / 2^16⌋) / 2^(n-16)⌋`.
pub fn product_of_halves(dag: &mut Dag, value: NodeId) -> Vec<NodeId> {
    let (of, of_clamped) = sliced(dag, value);
    let (shifted, clamp) = match *dag.node(of) {
        Node::Saturate { of, width, signed } => (of, Some((width, signed))),
        _ => (value, None),
    };
    let Some((product, count, kept)) = shifted_down(dag, shifted) else { return Vec::new() };
    let count = dag.as_i64(count).and_then(|count| u32::try_from(count).ok());
    let Some(count) = count.filter(|count| *count > 16) else { return Vec::new() };
    let (product, rounds) = match dag.node(product).clone() {
        Node::Mul(_) => (product, false),
        Node::Sum { terms, constant } => match &terms[..] {
            [(product, factor)] if *factor == Int::ONE && constant == Int::ONE << (count - 1) as usize => {
                (*product, true)
            }
            _ => return Vec::new(),
        },
        _ => return Vec::new(),
    };
    let Node::Mul(factors) = dag.node(product).clone() else { return Vec::new() };
    let [left, right] = factors[..] else { return Vec::new() };
    let fits = |dag: &Dag, node: NodeId| dag.range(node).fits(32, true);
    if !fits(dag, left) || !fits(dag, right) {
        return Vec::new();
    }
    let mut found = Vec::new();
    for (whole, halved) in [(left, right), (right, left)] {
        let (high, low) = (dag.slice(halved, 16, 16, true), dag.slice(halved, 0, 16, false));
        let (upper, lower) = (dag.mul(whole, high), dag.mul(whole, low));
        let sixteen = dag.int(16);
        let lower = dag.shr(lower, sixteen);
        let sum = dag.sum(&[upper, lower]);
        let sum = match rounds {
            true => dag.linear(&[(sum, Int::ONE)], Int::ONE << (count - 17) as usize),
            false => sum,
        };
        let rest = dag.int(count - 16);
        let exact = dag.shr(sum, rest);
        let exact = kept_bits(dag, exact, kept.into_iter().flatten());
        found.push(match clamp {
            Some((width, signed)) => {
                let clamped = dag.saturate(exact, width, signed);
                kept_bits(dag, clamped, of_clamped)
            }
            None => exact,
        });
    }
    found
}

/// Ones or zeros by a condition: `not` of those by its opposite. `a < b` is `max(a, b) ≠ a`, and `a ≤ b` is `min(a, b) = a`.
fn condition(dag: &mut Dag, value: NodeId) -> Vec<NodeId> {
    let Node::Slice { of, low: 0, width, signed } = *dag.node(value) else { return Vec::new() };
    let Node::Slice { of: condition, low: 0, width: 1, signed: true } = *dag.node(of) else {
        return Vec::new();
    };
    let mask = |dag: &mut Dag, condition: NodeId, opposite: bool| {
        let bits = dag.slice(condition, 0, 1, true);
        let bits = if opposite { dag.not(bits) } else { bits };
        dag.slice(bits, 0, width, signed)
    };
    match *dag.node(condition) {
        Node::Lt(a, b) => {
            let most = dag.max(a, b);
            let same = same_bits(dag, most, a);
            vec![mask(dag, same, true)]
        }
        Node::Le(a, b) => {
            let (least, other) = (dag.min(a, b), dag.lt(b, a));
            let same = same_bits(dag, least, a);
            vec![mask(dag, same, false), mask(dag, other, true)]
        }
        Node::Xor(_) | Node::Not(_) | Node::Sum { .. } => {
            let opposite = dag.complement(condition);
            vec![mask(dag, opposite, true)]
        }
        _ => Vec::new(),
    }
}

/// Whether two values are the same, said of their bits: how they are read makes no difference.
fn same_bits(dag: &mut Dag, a: NodeId, b: NodeId) -> NodeId {
    let fits = |width: &u32| dag.range(a).fits(*width, true) && dag.range(b).fits(*width, true);
    let unsigned = dag.range(a).is_non_negative() && dag.range(b).is_non_negative();
    match [8, 16, 32, 64].into_iter().find(fits).filter(|_| !unsigned) {
        Some(width) => {
            let (a, b) = (dag.slice(a, 0, width, false), dag.slice(b, 0, width, false));
            dag.eq(a, b)
        }
        None => dag.eq(a, b),
    }
}

/// A value and a constant of which another one is the difference, one way or the other.
fn from_constant(dag: &mut Dag, value: NodeId) -> Option<(NodeId, NodeId)> {
    let Node::Sum { terms, constant } = dag.node(value).clone() else { return None };
    let [(term, factor)] = &terms[..] else { return None };
    let other = match factor {
        factor if *factor == Int::ONE => -constant,
        factor if *factor == -Int::ONE => constant,
        _ => return None,
    };
    (other != Int::ZERO).then(|| (*term, dag.int(other)))
}

/// `|a - b|` is `max(a, b) - min(a, b)`; either may be a constant. Of numbers without sign it is the sum of both differences, each
/// not less than zero.
fn difference(dag: &mut Dag, value: NodeId) -> Vec<NodeId> {
    let (of, kept) = sliced(dag, value);
    let Node::Abs(of) = *dag.node(of) else { return Vec::new() };
    let Some((a, b)) = two_terms(dag, of, -1).or_else(|| from_constant(dag, of)) else { return Vec::new() };
    let (most, least) = (dag.max(a, b), dag.min(a, b));
    let mut found = vec![dag.sub(most, least)];
    let width = CONTAINERS
        .iter()
        .copied()
        .filter(|width| [a, b].iter().all(|own| dag.range(*own).fits(*width, false)))
        .min();
    if let Some(width) = width {
        let [over, under] = [(a, b), (b, a)].map(|(from, less)| {
            let difference = dag.sub(from, less);
            dag.saturate(difference, width, false)
        });
        found.push(dag.sum(&[over, under]));
    }
    found.into_iter().map(|own| kept_bits(dag, own, kept)).collect()
}

/// `⌊(a + b) / 2⌋` is `(a & b) + ⌊(a ^ b) / 2⌋`, `⌊(a + b + 1) / 2⌋` is `(a | b) - ⌊(a ^ b) / 2⌋` and `⌊(a - b) / 2⌋` is
/// `⌊(a ^ b) / 2⌋ - (!a & b)`: no intermediate value is wider than `a` and `b`.
fn halving(dag: &mut Dag, value: NodeId) -> Option<NodeId> {
    let (sum, width, signed) = half_of(dag, value)?;
    let Node::Sum { terms, constant } = dag.node(sum).clone() else { return None };
    let [(a, first), (b, second)] = &terms[..] else { return None };
    let (mut a, mut b) = (*a, *b);
    let (one, minus) = (Int::ONE, -Int::ONE);
    let fit = |dag: &Dag, signed: bool| [a, b].iter().all(|own| dag.range(*own).fits(width, signed));
    let differ = if !fit(dag, false) && fit(dag, true) {
        // The same bits without sign, as instructions have them.
        (a, b) = (dag.slice(a, 0, width, false), dag.slice(b, 0, width, false));
        let differ = dag.xor(a, b);
        dag.slice(differ, 0, width, true)
    } else {
        dag.xor(a, b)
    };
    let by = dag.int(1);
    let half = dag.shr(differ, by);
    let exact = if *first == one && *second == one && constant == Int::ZERO {
        let both = dag.and(a, b);
        dag.sum(&[both, half])
    } else if *first == one && *second == one && constant == Int::ONE {
        let any = dag.or(a, b);
        dag.sub(any, half)
    } else if constant == Int::ZERO && [(&one, &minus), (&minus, &one)].contains(&(first, second)) {
        let (from, less) = if *second == minus { (a, b) } else { (b, a) };
        let others = dag.not(from);
        let others = dag.and(others, less);
        dag.sub(half, others)
    } else {
        return None;
    };
    Some(dag.slice(exact, 0, width, signed))
}

/// Unsigned, `a + b` saturated is `a + min(b, !a)`, and `a - b` is `max(a, b) - b`. Signed, it is the wrapped result, and
/// the limit on the side of `a` where the result's sign is wrong.
fn saturating(dag: &mut Dag, value: NodeId) -> Option<NodeId> {
    let (of, kept) = sliced(dag, value);
    let Node::Saturate { of, width, signed } = *dag.node(of) else { return None };
    let ((a, b), adds) = match two_terms(dag, of, 1) {
        Some(terms) => (terms, true),
        None => (two_terms(dag, of, -1)?, false),
    };
    if !dag.range(a).fits(width, signed) || !dag.range(b).fits(width, signed) {
        return None;
    }
    let exact = match (signed, adds) {
        (false, true) => {
            let most = Int::from((Int::ONE << width as usize) - Int::ONE);
            let room = dag.linear(&[(a, -Int::ONE)], most);
            let least = dag.min(b, room);
            dag.sum(&[a, least])
        }
        (false, false) => {
            let most = dag.max(a, b);
            dag.sub(most, b)
        }
        (true, _) => {
            let wrapped = dag.slice(of, 0, width, true);
            let (first, second) =
                (dag.xor(a, wrapped), if adds { dag.xor(b, wrapped) } else { dag.xor(a, b) });
            let wrong = dag.and(first, second);
            let wrong = dag.slice(wrong, width - 1, 1, false);
            let by = dag.int(width - 1);
            let (sign, most) = (dag.shr(a, by), dag.int((Int::ONE << (width - 1) as usize) - Int::ONE));
            let limit = dag.xor(sign, most);
            let (limit, wrapped) = (dag.slice(limit, 0, width, false), dag.slice(wrapped, 0, width, false));
            let bits = dag.select(wrong, limit, wrapped);
            dag.slice(bits, 0, width, true)
        }
    };
    Some(kept_bits(dag, exact, kept))
}

/// `⌊x / 2^n⌋` for `x` of `w` bits is the same for every `n` from the number of bits on that hold more than signs.
fn near_count(dag: &mut Dag, value: NodeId) -> Option<NodeId> {
    let Node::Shr(of, count) = *dag.node(value) else { return None };
    let (width, signed) = dag.natural(of)?;
    let most = dag.int(width - u32::from(signed));
    if dag.as_int(count).is_some() || dag.range(count).high.as_ref()? <= dag.as_int(most)? {
        return None;
    }
    let near = dag.min(count, most);
    Some(dag.shr(of, near))
}

#[cfg(test)]
mod tests {
    use hydride_ir::exact::{Part, Replacements};
    use smt::{Prover, Verdict};

    use super::*;
    use crate::equal::assert_equal;

    /// A value over two elements, which are signed or not.
    type Build = fn(&mut Dag, NodeId, NodeId, u32, bool) -> NodeId;

    /// Each rewrite of a value at these widths is proved by the solver, for both signs.
    fn holds(widths: &[u32], count: usize, build: Build) {
        for width in widths {
            for signed in [false, true] {
                let mut dag = Dag::new(vec![*width; 2]);
                let (a, b) = (dag.arg_slice(0, 0, *width, signed), dag.arg_slice(1, 0, *width, signed));
                let value = build(&mut dag, a, b, *width, signed);
                let found = rewrites(&mut dag, value);
                assert!(found.len() >= count, "{} of {width} bits", dag.show(value));
                for other in found {
                    assert_equal(&dag, value, other);
                }
            }
        }
    }

    #[test]
    fn conditions_are_equalities_with_extrema_or_opposites() {
        holds(&[8, 16, 32], 1, |dag, a, b, width, _| {
            let condition = dag.lt(a, b);
            ones_if(dag, condition, width)
        });
        holds(&[8, 16, 32], 2, |dag, a, b, width, _| {
            let condition = dag.le(a, b);
            ones_if(dag, condition, width)
        });
        holds(&[8, 16, 32], 1, |dag, a, b, width, _| {
            let same = dag.eq(a, b);
            let condition = dag.complement(same);
            ones_if(dag, condition, width)
        });
    }

    /// What a value is for an argument.
    fn at(dag: &mut Dag, value: NodeId, number: u64) -> NodeId {
        let (arg, bits) = (dag.arg(0), dag.int(number));
        let mut replacements = Replacements::default();
        replacements.insert(arg, bits);
        dag.replace(value, &mut replacements)
    }

    #[test]
    fn quotients_are_high_bits_of_products() {
        let words =
            || (0..256).map(|high| (high << 8) | (high * 37 % 256)).chain((1..9).map(|less| 65536 - less));
        let bytes = (2u32..256).map(|divisor| (8, divisor, (0..256).collect::<Vec<u64>>()));
        let others = [3, 7, 10, 25, 641, 6553, 65535].map(|divisor| (16, divisor, words().collect()));
        for (width, divisor, numbers) in bytes.chain(others) {
            for signed in [false, true] {
                let mut dag = Dag::new(vec![width]);
                let number = dag.arg_slice(0, 0, width, signed);
                let dividend = if signed {
                    let sign = dag.slice(number, width - 1, 1, true);
                    let magnitude = dag.xor(number, sign);
                    dag.slice(magnitude, 0, width, false)
                } else {
                    number
                };
                let by = dag.int(divisor);
                let value = dag.div(dividend, by).expect("no division by zero");
                let found = rewrites(&mut dag, value);
                // By a power of two it is high bits.
                let divides = matches!(dag.node(value), Node::Div(..));
                assert!(divides != divisor.is_power_of_two() && divides != found.is_empty(), "{divisor}");
                for number in &numbers {
                    let wanted = at(&mut dag, value, *number);
                    for other in &found {
                        assert_eq!(at(&mut dag, *other, *number), wanted, "{} of {number}", dag.show(*other));
                    }
                }
            }
        }
    }

    #[test]
    fn a_magnitude_is_a_number_with_its_own_sign() {
        let mut dag = Dag::new(vec![16; 2]);
        let whole = dag.arg_slice(0, 0, 16, false);
        let low = dag.arg_slice(0, 0, 12, false);
        let other = dag.arg_slice(1, 0, 16, false);
        let sign = dag.arg_slice(0, 15, 1, true);
        let signs = dag.slice(sign, 0, 16, false);
        for (number, expected) in [(whole, true), (low, false), (other, false)] {
            let value = dag.xor(number, signs);
            assert_eq!(is_magnitude(&dag, value, 16), expected, "{}", dag.show(value));
        }
    }

    #[test]
    fn one_of_two_numbers_is_bits_of_a_mask() {
        for (then, otherwise) in [(255, 0), (7, 3), (3, 200)] {
            let mut dag = Dag::new(vec![8; 2]);
            let (a, b) = (dag.arg_slice(0, 0, 8, false), dag.arg_slice(1, 0, 8, false));
            let condition = dag.lt(a, b);
            let number = dag.linear(&[(condition, Int::from(then - otherwise))], Int::from(otherwise));
            let value = dag.slice(number, 0, 8, false);
            let found = chosen_number(&mut dag, value);
            assert!(is_choice(&dag, value) && !found.is_empty(), "{}", dag.show(value));
            for other in found {
                let verdict = Prover::new().equal_integers(&dag, value, other);
                assert_eq!(verdict, Verdict::Equal, "{} and {}", dag.show(value), dag.show(other));
            }
        }
    }

    #[test]
    fn choices_are_made_by_masks() {
        holds(&[8, 16], 3, |dag, a, b, width, signed| {
            let condition = dag.lt(a, b);
            let two = dag.int(2);
            let (then, otherwise) = (dag.xor(a, two), dag.sum(&[b, a]));
            let (then, otherwise) = (dag.slice(then, 0, width, false), dag.slice(otherwise, 0, width, false));
            let _ = signed;
            dag.select(condition, then, otherwise)
        });
    }

    /// The solver takes too long for products of this width, and the law is one line of arithmetic: values at the ends and in
    /// between are put in.
    #[test]
    fn products_of_halves_are_the_product() {
        for (rounds, count) in [(false, 17), (false, 32), (true, 18), (true, 31), (true, 40)] {
            let mut dag = Dag::new(vec![32; 2]);
            let (a, b) = (dag.arg_slice(0, 0, 32, true), dag.arg_slice(1, 0, 32, true));
            let product = dag.mul(a, b);
            let half = if rounds { Int::ONE << (count - 1) } else { Int::ZERO };
            let sum = dag.linear(&[(product, Int::ONE)], half);
            let by = dag.int(count);
            let value = dag.shr(sum, by);
            let found = product_of_halves(&mut dag, value);
            assert_eq!(found.len(), 2, "{}", dag.show(value));
            let mut random = hydride_ir::Random::new(7);
            let ends = [0u64, 1, 0xffff, 0x1_0000, 0x7fff_ffff, 0x8000_0000, 0xffff_ffff];
            for number in 0..200 {
                let mut replacements = Replacements::default();
                for arg in 0..2 {
                    let bits = match number {
                        0..49 => ends[[number / 7, number % 7][arg as usize]],
                        _ => random.word() & 0xffff_ffff,
                    };
                    let (arg, bits) = (dag.arg(arg), dag.int(bits));
                    replacements.insert(arg, bits);
                }
                let wanted = dag.replace(value, &mut replacements);
                assert!(dag.as_int(wanted).is_some());
                for other in &found {
                    assert_eq!(dag.replace(*other, &mut replacements), wanted, "{}", dag.show(*other));
                }
            }
        }
    }

    #[test]
    fn distances_are_differences_of_extrema() {
        holds(&[8, 16, 32], 1, |dag, a, b, width, _| {
            let difference = dag.sub(a, b);
            let distance = dag.abs(difference);
            dag.slice(distance, 0, width, false)
        });
    }

    #[test]
    fn halves_of_sums_need_no_more_bits_than_their_terms() {
        for (factor, constant) in [(1, 0), (1, 1), (-1, 0)] {
            let build: Build = match (factor, constant) {
                (1, 0) => |dag, a, b, width, _| {
                    let sum = dag.sum(&[a, b]);
                    dag.slice(sum, 1, width, false)
                },
                (1, _) => |dag, a, b, width, _| {
                    let one = dag.int(1);
                    let sum = dag.sum(&[a, b, one]);
                    dag.slice(sum, 1, width, false)
                },
                _ => |dag, a, b, width, _| {
                    let difference = dag.sub(a, b);
                    dag.slice(difference, 1, width, false)
                },
            };
            holds(&[8, 16, 32], 1, build);
        }
    }

    #[test]
    fn rounding_is_a_difference_of_two_shifts() {
        holds(&[8, 16, 32], 1, |dag, a, _, width, _| {
            let half = dag.int(4);
            let sum = dag.sum(&[a, half]);
            dag.slice(sum, 3, width, false)
        });
    }

    #[test]
    fn of_what_is_shifted_down_the_bits_that_were_kept_count() {
        fn sign(dag: &mut Dag, a: NodeId, halves: u32, width: u32) -> NodeId {
            let sum = dag.linear(&[(a, Int::ONE)], Int::from(halves) << (width - 1) as usize);
            let sign = dag.slice(sum, width, 1, true);
            dag.slice(sign, 0, width, false)
        }
        holds(&[8, 16, 32], 0, |dag, a, _, width, _| sign(dag, a, 1, width));
        holds(&[8, 16, 32], 0, |dag, a, _, width, _| sign(dag, a, 3, width));
    }

    #[test]
    fn differences_from_doubles_are_no_differences() {
        holds(&[8, 16], 0, |dag, a, b, width, _| {
            let difference = dag.linear(&[(a, Int::from(2)), (b, -Int::ONE)], Int::ZERO);
            dag.slice(difference, 1, width, true)
        });
    }

    #[test]
    fn saturation_is_seen_from_the_wrapped_result() {
        holds(&[8, 16, 32], 1, |dag, a, b, width, signed| {
            let sum = dag.sum(&[a, b]);
            let held = dag.saturate(sum, width, signed);
            dag.slice(held, 0, width, false)
        });
        holds(&[8, 16, 32], 1, |dag, a, b, width, signed| {
            let difference = dag.sub(a, b);
            let held = dag.saturate(difference, width, signed);
            dag.slice(held, 0, width, false)
        });
    }

    #[test]
    fn doubled_products_are_one_too_many() {
        holds(&[16, 32], 1, |dag, a, b, width, signed| {
            let half = width / 2;
            let (a, b) = (dag.slice(a, 0, half, true), dag.slice(b, 0, half, true));
            let product = dag.mul(a, b);
            let doubled = match signed {
                true => dag.linear(&[(product, Int::from(2))], Int::ZERO),
                // As bits, moved up by one.
                false => {
                    let zero = Part { node: dag.int(0), width: 1 };
                    let bits = dag.concat(&[zero, Part { node: product, width }]);
                    dag.slice(bits, 0, width + 1, true)
                }
            };
            let held = dag.saturate(doubled, width, true);
            dag.slice(held, 0, width, false)
        });
    }
}
