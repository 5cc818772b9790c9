//! Other expressions of a value that instructions may have where its own they have not.

use hydride_ir::exact::{Dag, Int, Node, NodeId, Range, Replacements};

/// Values that equal `value`, each for a reason that is checked here with exact numbers.
pub fn rewrites(dag: &mut Dag, value: NodeId) -> Vec<NodeId> {
    let mut found = Vec::new();
    found.extend(division(dag, value).or_else(|| long_division(dag, value)));
    found.extend(rounding(dag, value));
    found.extend(choice(dag, value));
    found.extend(near_count(dag, value));
    found.retain(|other| *other != value);
    found
}

/// `⌊x / d⌋` for `0 ≤ x < 2^n` is `⌊x·m / 2^(n+s)⌋` where `2^(n+s) ≤ m·d ≤ 2^(n+s) + 2^s` (Granlund and Montgomery,
/// *Division by invariant integers using multiplication*, theorem 4.2); the least such `s` is taken whose `m` has at
/// most `n` bits.
fn division(dag: &mut Dag, value: NodeId) -> Option<NodeId> {
    let Node::Div(dividend, divisor) = *dag.node(value) else { return None };
    let divisor = dag.as_int(divisor)?.clone();
    if !dag.range(dividend).is_non_negative() || divisor <= Int::ONE {
        return None;
    }
    let (bits, _) = dag.natural(dividend)?;
    // Products are as wide as instructions have them.
    let width = [8u32, 16, 32, 64].into_iter().find(|width| *width >= bits)?;
    for shift in 0..=width {
        let power = Int::ONE << (width + shift) as usize;
        let multiplier = (&power + &divisor - Int::ONE) / &divisor;
        let slack = &multiplier * &divisor - &power;
        if slack <= (Int::ONE << shift as usize) << (width - bits) as usize
            && multiplier < (Int::ONE << width as usize)
        {
            let product = dag.linear(&[(dividend, multiplier)], Int::ZERO);
            let count = dag.int(width + shift);
            return Some(dag.shr(product, count));
        }
    }
    None
}

/// The same where the least `m` has `n + 1` bits: with `t = ⌊x·(m - 2^n) / 2^n⌋` the quotient is
/// `⌊(⌊(x - t) / 2⌋ + t) / 2^(s-1)⌋` (the same, figure 4.1).
fn long_division(dag: &mut Dag, value: NodeId) -> Option<NodeId> {
    let Node::Div(dividend, divisor) = *dag.node(value) else { return None };
    let divisor = dag.as_int(divisor)?.clone();
    if !dag.range(dividend).is_non_negative() || divisor <= Int::ONE {
        return None;
    }
    let (bits, _) = dag.natural(dividend)?;
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
    let (width, one, rest) = (dag.int(width), dag.int(1), dag.int(shift - 1));
    let high = dag.shr(product, width);
    let difference = dag.sub(dividend, high);
    let half = dag.shr(difference, one);
    let sum = dag.sum(&[half, high]);
    Some(dag.shr(sum, rest))
}

/// `⌊(x + 2^(n-1)) / 2^n⌋` is `y - ⌊y / 2⌋` with `y = ⌊x / 2^(n-1)⌋`, for `n ≥ 1`: of `y = 2k` and `y = 2k + 1` that
/// leaves `k` and `k + 1`. No intermediate value is larger than `x`.
fn rounding(dag: &mut Dag, value: NodeId) -> Option<NodeId> {
    let (shifted, kept) = match *dag.node(value) {
        Node::Slice { of, low: 0, width, signed } => (of, Some((width, signed))),
        _ => (value, None),
    };
    let Node::Shr(sum, count) = *dag.node(shifted) else { return None };
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
        return Some(match kept {
            Some((width, signed)) => dag.slice(exact, 0, width, signed),
            None => exact,
        });
    }
    None
}

/// A choice by a condition as a choice by a mask of ones or zeros: for lanes that all choose alike the mask is made
/// before the loop.
fn choice(dag: &mut Dag, value: NodeId) -> Option<NodeId> {
    let Node::Select(condition, then, otherwise) = *dag.node(value) else { return None };
    let (width, signed) = dag.natural(value)?;
    if signed || ![8, 16, 32, 64].contains(&width) {
        return None;
    }
    let minus = dag.neg(condition);
    let mask = dag.slice(minus, 0, width, false);
    let complement = dag.complement(condition);
    let minus = dag.neg(complement);
    let others = dag.slice(minus, 0, width, false);
    let (left, right) = (dag.and(then, mask), dag.and(otherwise, others));
    Some(dag.or(left, right))
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

/// One form for high bits anywhere in a value: a slice up to what is sliced's top is that shifted.
pub fn high_bits(dag: &mut Dag, value: NodeId) -> NodeId {
    let mut replacements = Replacements::default();
    for node in dag.reachable([value]) {
        let Node::Slice { of, low, width, signed } = *dag.node(node) else { continue };
        // Above the bits that hold a negative value there are ones.
        let ones = Range::new(-(Int::ONE << low as usize), -1);
        if low > 0 && dag.range(of).within(&ones) {
            let bits = if signed { Int::from(-1) } else { (Int::ONE << width as usize) - Int::ONE };
            let bits = dag.int(bits);
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
