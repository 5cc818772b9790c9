//! Shifts by one computed count for all lanes, down or, where it is negative, up: as instructions have them whose counts have signs.
//!
//! A count is a number from some range. What is equal for each number in it is equal.

use hydride_ir::exact::{Dag, Int, Node, NodeId};

use crate::forms::sliced;

/// Values that a count may have, at most.
const MAX_COUNTS: i64 = 256;

/// `⌊of / 2^count⌋`, with halves rounded up if `rounds`; for a negative count `of · 2^-count`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Down {
    /// What is shifted.
    pub of: NodeId,
    /// The count.
    pub count: NodeId,
    /// Whether it is rounded to the next number.
    pub rounds: bool,
}

impl Down {
    /// The value.
    pub fn value(self, dag: &mut Dag) -> NodeId {
        let Self { of, count, rounds } = self;
        if let Some(count) = dag.as_i64(count) {
            return shifted(dag, of, count, rounds);
        }
        let (zero, one) = (dag.int(0), dag.int(1));
        let is_never_up = dag.range(count).is_non_negative();
        if is_never_up && !rounds {
            return dag.shr(of, count);
        }
        let by = dag.max(count, if rounds { one } else { zero });
        let sum = if rounds {
            let less = dag.sub(by, one);
            let half = dag.shl(one, less);
            dag.sum(&[of, half])
        } else {
            of
        };
        let down = dag.shr(sum, by);
        let up = if is_never_up {
            of
        } else {
            let left = dag.neg(count);
            let left = dag.max(left, zero);
            dag.shl(of, left)
        };
        let is_down = dag.lt(zero, count);
        dag.select(is_down, down, up)
    }

    /// A value that is the low `width` bits of such a shift by a count with few values, of which not all shift down.
    pub fn read(dag: &mut Dag, value: NodeId, width: u32) -> Option<Self> {
        let Node::Select(condition, one, other) = *dag.node(sliced(dag, value).0) else { return None };
        let (shifted, by) =
            [one, other].into_iter().find_map(|branch| match *dag.node(sliced(dag, branch).0) {
                Node::Shr(shifted, by) => Some((shifted, by)),
                _ => None,
            })?;
        let mut kinds = vec![(shifted, false)];
        if let Node::Sum { terms, constant } = dag.node(shifted).clone() {
            let is_half =
                |term: &NodeId| matches!(dag.node(*term), Node::Shl(one, _) if dag.as_i64(*one) == Some(1));
            let others: Vec<_> = terms.iter().filter(|(term, _)| !is_half(term)).cloned().collect();
            kinds.push((dag.linear(&others, constant), true));
        }
        let counts = dag.reachable([condition, by]).into_iter().rev();
        let counts: Vec<NodeId> = counts.filter(|count| values(dag, *count).is_some()).collect();
        counts.into_iter().find_map(|count| {
            let own = kinds.iter().map(|(of, rounds)| Self { of: *of, count, rounds: *rounds });
            own.into_iter().find(|own| {
                let whole = own.value(dag);
                dag.slice(whole, 0, width, false) == value
            })
        })
    }

    /// The count for an instruction whose own is from `low` to `high` with which all bits of the result, `width` in number, are the
    /// same: counts beyond are the next one, or all bits are shifted out upwards.
    pub fn count_within(self, dag: &mut Dag, low: i64, high: i64, width: u32) -> Option<NodeId> {
        let (least, most) = values(dag, self.count)?;
        let [low_node, high_node] = [low, high].map(|end| dag.int(end));
        let raised = dag.max(self.count, low_node);
        let clamped = dag.min(raised, high_node);
        let is_beyond = dag.lt(high_node, self.count);
        let out = dag.select(is_beyond, low_node, raised);
        let near = |count: i64| count.clamp(low, high);
        let gone = |count: i64| if count > high { low } else { count.max(low) };
        // Beyond its bits a number shifted down is its sign.
        let sign = dag.natural(self.of).map(|(bits, signed)| i64::from(bits) - i64::from(signed));
        let signs = sign.filter(|_| !self.rounds).unwrap_or(i64::MAX);
        let mut bits = |count: i64| {
            let count = count.min(signs);
            let value = shifted(dag, self.of, count, self.rounds);
            dag.slice(value, 0, width, false)
        };
        let mut holds =
            |own: &dyn Fn(i64) -> i64| (least..=most).all(|count| bits(count) == bits(own(count)));
        match holds(&near) {
            true => Some(clamped),
            false => holds(&gone).then_some(out),
        }
    }
}

/// What is rounded as a difference of what is not: of `⌊x / 2^(n-1)⌋` and `⌊x / 2^n⌋` for a count `n` above 0. For others the second
/// one is shifted up until all bits are 0.
pub(crate) fn differing_shifts(dag: &mut Dag, value: NodeId) -> Option<NodeId> {
    let width = [8, 16, 32, 64].into_iter().find(|width| dag.range(value).fits(*width, false))?;
    let down = Down::read(dag, value, width).filter(|down| down.rounds)?;
    let (zero, one, out) = (dag.int(0), dag.int(1), dag.int(-i64::from(width)));
    let is_down = dag.lt(zero, down.count);
    let less = dag.sub(down.count, one);
    let less = dag.max(less, zero);
    let less = dag.select(is_down, less, down.count);
    let count = dag.select(is_down, down.count, out);
    let [before, after] = [less, count].map(|count| {
        let exact = Down { count, rounds: false, ..down }.value(dag);
        dag.slice(exact, 0, width, false)
    });
    let difference = dag.sub(before, after);
    Some(dag.slice(difference, 0, width, false))
}

/// The least and the greatest value of a count, if it has few.
pub(crate) fn values(dag: &Dag, count: NodeId) -> Option<(i64, i64)> {
    if dag.as_int(count).is_some() {
        return None;
    }
    let range = dag.range(count);
    let end = |end: &Option<Int>| i64::try_from(end.as_ref()?).ok();
    let (low, high) = (end(&range.low)?, end(&range.high)?);
    (1..MAX_COUNTS).contains(&high.checked_sub(low)?).then_some((low, high))
}

/// `⌊value / 2^count⌋`, with halves rounded up if `rounds`; for a negative count `value · 2^-count`.
pub(crate) fn shifted(dag: &mut Dag, value: NodeId, count: i64, rounds: bool) -> NodeId {
    if count <= 0 {
        return dag.linear(&[(value, Int::ONE << (-count) as usize)], Int::ZERO);
    }
    let half = if rounds { Int::ONE << (count - 1) as usize } else { Int::ZERO };
    let (sum, count) = (dag.linear(&[(value, Int::ONE)], half), dag.int(count));
    dag.shr(sum, count)
}

#[cfg(test)]
mod tests {
    use hydride_ir::exact::Replacements;

    use super::*;
    use crate::cases::equal_for_each_count;

    /// Counts from -33 to 33, and from 0 on.
    fn kinds() -> impl Iterator<Item = (Dag, Down, u32)> {
        let kinds = [8, 16, 32].into_iter().flat_map(|width| [(width, -33), (width, 0)]);
        kinds.flat_map(|(width, least)| {
            [false, true].map(|rounds| {
                let mut dag = Dag::new(vec![width, 32]);
                let (of, number) = (dag.arg_slice(0, 0, width, true), dag.arg_slice(1, 0, 32, true));
                let (low, high) = (dag.int(least), dag.int(33));
                let raised = dag.max(number, low);
                let count = dag.min(raised, high);
                (dag, Down { of, count, rounds }, width)
            })
        })
    }

    fn bits(dag: &mut Dag, down: Down, width: u32) -> NodeId {
        let whole = down.value(dag);
        dag.slice(whole, 0, width, false)
    }

    #[test]
    fn shifts_down_or_up_are_read() {
        for (mut dag, down, width) in kinds() {
            let value = bits(&mut dag, down, width);
            let read = Down::read(&mut dag, value, width);
            // What is never shifted up is an operation of its own where it is not rounded.
            let is_other = !down.rounds && dag.range(down.count).is_non_negative();
            assert_eq!(read, (!is_other).then_some(down), "{}", dag.show(value));
        }
    }

    #[test]
    fn a_difference_of_shifts_is_rounded() {
        for (mut dag, down, width) in kinds().filter(|(_, down, _)| down.rounds) {
            let value = bits(&mut dag, down, width);
            let difference = differing_shifts(&mut dag, value).expect("a difference");
            let ones = u64::MAX >> (64 - width);
            for number in [0, 1, 2, 3, ones, ones >> 1, (ones >> 1) + 1, 0x5a96_c369 & ones] {
                for count in (-40i64..40).chain([i64::from(i32::MIN), i64::from(i32::MAX)]) {
                    let mut replacements = Replacements::default();
                    for (arg, bits) in [(0, number), (1, u64::from(count as u32))] {
                        replacements.insert(dag.arg(arg), dag.int(bits));
                    }
                    let wanted = dag.replace(value, &mut replacements);
                    let found = dag.replace(difference, &mut replacements);
                    assert_eq!(found, wanted, "{number} by {count} of {width} bits");
                    assert!(dag.as_int(wanted).is_some());
                }
            }
        }
    }

    #[test]
    fn counts_beyond_an_instructions_own_shift_all_bits_out() {
        for (mut dag, down, width) in kinds() {
            let value = bits(&mut dag, down, width);
            for half in [8i64, 16, 32, 64] {
                let Some(count) = down.count_within(&mut dag, -half, half - 1, width) else {
                    assert!(half < i64::from(width), "{half} of {width}");
                    continue;
                };
                let other = bits(&mut dag, Down { count, ..down }, width);
                let is_one = equal_for_each_count(&mut dag, value, other, &mut |_, _, _| false);
                assert!(value == other || is_one, "{half} of {width}");
            }
        }
    }
}
