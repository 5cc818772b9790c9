//! Constants of sums outside of what is done with the sum: instructions have no operands wider than their registers.

use hydride_ir::exact::{Dag, Int, Node, NodeId};

use crate::forms::{kept_bits, shifted_down, sliced};

/// Values that equal one in which a sum with a constant is clamped or shifted down.
pub(crate) fn constants(dag: &mut Dag, value: NodeId) -> Vec<NodeId> {
    [clamped(dag, value), clamped_from(dag, value), shifted(dag, value)].into_iter().flatten().collect()
}

/// A sum as what it is without its constant, and that.
fn parts(dag: &mut Dag, value: NodeId) -> Option<(NodeId, Int)> {
    let Node::Sum { terms, constant } = dag.node(value).clone() else { return None };
    (constant != Int::ZERO).then(|| (dag.linear(&terms, Int::ZERO), constant))
}

/// A number as much greater.
fn plus(dag: &mut Dag, value: NodeId, constant: Int) -> NodeId {
    dag.linear(&[(value, Int::ONE)], constant)
}

/// `x + c` clamped to a type's range is `min(x, most - c) + c` for a `c` above zero, where `x` is in the range, and
/// `max(x, least - c) + c` for one below it.
fn clamped(dag: &mut Dag, value: NodeId) -> Option<NodeId> {
    let (of, kept) = sliced(dag, value);
    let Node::Saturate { of, width, signed } = *dag.node(of) else { return None };
    let (rest, constant) = parts(dag, of)?;
    if !dag.range(rest).fits(width, signed) {
        return None;
    }
    let all = Int::ONE << width as usize;
    let least = if signed { -(&all >> 1) } else { Int::ZERO };
    let near = match constant > Int::ZERO {
        true => {
            let most = dag.int(least + all - Int::ONE - &constant);
            dag.min(rest, most)
        }
        false => {
            let least = dag.int(least - &constant);
            dag.max(rest, least)
        }
    };
    let sum = plus(dag, near, constant);
    Some(kept_bits(dag, sum, kept))
}

/// `c - x` clamped to a type's range, in which both are, is `c - max(x, c - most)` for a signed type and a `c` that is not negative,
/// else `c - min(x, c - least)`: it is beyond one limit at most.
fn clamped_from(dag: &mut Dag, value: NodeId) -> Option<NodeId> {
    let (of, kept) = sliced(dag, value);
    let Node::Saturate { of, width, signed } = *dag.node(of) else { return None };
    let (rest, constant) = parts(dag, of)?;
    let from = dag.neg(rest);
    let number = dag.int(constant.clone());
    if [from, number].iter().any(|own| !dag.range(*own).fits(width, signed)) {
        return None;
    }
    let half = Int::ONE << (width - 1) as usize;
    let near = match (signed, constant >= Int::ZERO) {
        (true, true) => {
            let least = dag.int(&constant + Int::ONE - half);
            dag.max(from, least)
        }
        (true, false) => {
            let most = dag.int(&constant + half);
            dag.min(from, most)
        }
        (false, _) => dag.min(from, number),
    };
    let difference = dag.linear(&[(near, -Int::ONE)], constant);
    Some(kept_bits(dag, difference, kept))
}

/// `⌊(x + c) / 2^n⌋` is `⌊(x + c mod 2^n) / 2^n⌋ + ⌊c / 2^n⌋`.
fn shifted(dag: &mut Dag, value: NodeId) -> Option<NodeId> {
    let (sum, count, kept) = shifted_down(dag, value)?;
    let count = usize::try_from(dag.as_i64(count)?).ok()?;
    let (rest, constant) = parts(dag, sum)?;
    let whole = &constant >> count;
    if whole == Int::ZERO {
        return None;
    }
    let rest = plus(dag, rest, constant - (&whole << count));
    let count = dag.int(count);
    let shifted = dag.shr(rest, count);
    let sum = plus(dag, shifted, whole);
    Some(kept_bits(dag, sum, kept.into_iter().flatten()))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::equal::assert_equal;
    use crate::rewrite::rewrites;

    #[test]
    fn constants_are_the_same_outside() {
        for signed in [false, true] {
            let mut dag = Dag::new(vec![8]);
            let element = dag.arg_slice(0, 0, 8, signed);
            for constant in [-100, -5, -1, 1, 5, 6, 100] {
                let sum = plus(&mut dag, element, constant.into());
                let turned = dag.linear(&[(element, (-1).into())], constant.into());
                let mut values = vec![dag.saturate(sum, 8, signed), dag.saturate(turned, 8, signed)];
                values.extend([dag.abs(sum), dag.abs(turned)]);
                for count in [1, 3] {
                    let count = dag.int(count);
                    values.push(dag.shr(sum, count));
                }
                values.push(dag.slice(sum, 1, 8, false));
                for value in values {
                    for other in rewrites(&mut dag, value) {
                        assert_equal(&dag, value, other);
                    }
                }
            }
            // Each of the three is there.
            let sum = plus(&mut dag, element, 6.into());
            let one = dag.int(1);
            for value in [dag.saturate(sum, 8, signed), dag.shr(sum, one), dag.abs(sum)] {
                let nothing = !signed && matches!(dag.node(value), Node::Sum { .. });
                assert!(nothing || !rewrites(&mut dag, value).is_empty(), "{}", dag.show(value));
            }
        }
    }
}
