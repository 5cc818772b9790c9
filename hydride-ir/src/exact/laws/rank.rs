//! The elements that a mask chooses, packed: choices by the number of mask bits below.
//!
//! ```text
//! m[3] & count(m[0..3]) == 1 ? x[3] : m[2] & count(m[0..2]) == 1 ? x[2] : …
//! ```
//!
//! A bit of a mask with a number of ones below it, its rank, is one bit at most. Choices by rank exclude each other,
//! so that their order does not matter, and they are an `or` of the chosen values if nothing else is left.

use std::ops::Range;

use super::{Subject, instances::*, select::Select};
use crate::exact::Int;
use crate::exact::dag::{Dag, Node, NodeId};

/// The low `width` bits from `low` on of a value that is read as a mask.
#[derive(Clone, Copy)]
struct Mask {
    of: NodeId,
    low: u32,
}

impl Dag {
    /// Whether bit `place` of the mask is set and has `rank` ones below it.
    fn has_rank(&mut self, mask: Mask, place: u32, rank: u32) -> NodeId {
        let bit = self.slice(mask.of, mask.low + place, 1, false);
        let equal = self.counts(mask, place, rank);
        self.and(bit, equal)
    }

    /// Whether there are `rank` ones of the mask below a place.
    fn counts(&mut self, mask: Mask, place: u32, rank: u32) -> NodeId {
        let below = self.slice(mask.of, mask.low, place, false);
        let (count, rank) = (self.popcount(below), self.int(rank));
        self.eq(count, rank)
    }

    fn mask_bit(&self, id: NodeId) -> Option<Mask> {
        match *self.node(id) {
            Node::Slice { of, low, width: 1, signed: false } if self.is_arg(of) => Some(Mask { of, low }),
            _ => None,
        }
    }

    /// `count(m[low +: width])` compared with a literal: the mask, the width and the literal.
    fn counted(&self, left: NodeId, right: NodeId) -> Option<(Mask, u32, u32)> {
        let (count, literal) = if self.as_int(left).is_some() { (right, left) } else { (left, right) };
        let Node::PopCount(counted) = *self.node(count) else { return None };
        let Node::Slice { of, low, width, signed: false } = *self.node(counted) else { return None };
        let literal = u32::try_from(self.as_i64(literal)?).ok()?;
        self.is_arg(of).then_some((Mask { of, low }, width, literal))
    }
}

/// `m[i] ? (count(m[0..i]) == n ? x : others) : others` for bits, where the others are of rank `n` as well.
pub(super) fn next_bit_of_rank(
    dag: &mut Dag,
    &Select { condition, then, otherwise }: &Select,
) -> Option<NodeId> {
    let bit = dag.mask_bit(condition)?;
    if !dag.is_boolean(otherwise) {
        return None;
    }
    let Node::Select(inner, kept, other) = *dag.node(then) else { return None };
    let (mask, rank, value) = match *dag.node(inner) {
        Node::Eq(left, right) if other == otherwise => {
            let (mask, width, rank) = dag.counted(left, right)?;
            (mask.of == bit.of && mask.low + width == bit.low).then_some((mask, rank, kept))?
        }
        // One bit counts itself.
        _ if kept == otherwise => {
            let mask = dag.mask_bit(inner)?;
            (mask.of == bit.of && mask.low + 1 == bit.low).then_some((mask, 0, other))?
        }
        _ => return None,
    };
    if !dag.is_boolean(value) {
        return None;
    }
    let place = bit.low - mask.low;
    let others = match dag.node(otherwise) {
        Node::Or(operands) => operands.to_vec(),
        _ => vec![otherwise],
    };
    for other in others {
        let Node::And(operands) = dag.node(other).clone() else { return None };
        let below = operands.iter().filter_map(|id| dag.mask_bit(*id)).filter(|known| known.of == mask.of);
        let lower = below.map(|known| known.low).max()?.checked_sub(mask.low)?;
        let expected = dag.has_rank(mask, lower, rank);
        let conditions = match dag.node(expected) {
            Node::And(conditions) => conditions.to_vec(),
            _ => vec![expected],
        };
        if lower >= place || !conditions.iter().all(|id| operands.contains(id)) {
            return None;
        }
    }
    let chosen = dag.has_rank(mask, place, rank);
    let value = dag.and(chosen, value);
    Some(dag.or(value, otherwise))
}

/// `count(m) <= n ? rest : the value of rank n`: the rest is where choices bit by bit end, as it is in a loop that writes
/// over it. Choices that end with zero are joined by `or`.
pub(super) fn value_of_rank(
    dag: &mut Dag,
    &Select { condition, then, otherwise }: &Select,
) -> Option<NodeId> {
    let (mask, count, rank) = match *dag.node(condition) {
        Node::Lt(left, right) if dag.as_int(right).is_some() => {
            let (mask, count, bound) = dag.counted(left, right)?;
            (mask, count, bound.checked_sub(1)?)
        }
        Node::Eq(left, right) => {
            let (mask, count, 0) = dag.counted(left, right)? else { return None };
            (mask, count, 0)
        }
        _ => return None,
    };
    if rank >= count {
        return None;
    }
    // Bits next to other bits are left to the laws of bits.
    if dag.is_boolean(otherwise) && dag.as_int(then) != Some(&Int::ZERO) {
        return None;
    }
    let joined = dag.joined_choices(otherwise, mask, rank..count);
    let is_joined = joined.is_some();
    let chosen = match joined {
        Some(chosen) => chosen,
        None => dag.nested_choices(otherwise, mask, rank..count)?,
    };
    // The rest is another register's; one of the same is a choice among its elements, that goes on.
    let read = |dag: &Dag, id: NodeId| match dag.node(id) {
        Node::Slice { of, .. } => Some(*of),
        _ => None,
    };
    if rank == 0 && read(dag, then).is_some_and(|of| read(dag, chosen[0]) == Some(of)) {
        return None;
    }
    if dag.as_int(then) == Some(&Int::ZERO) {
        if is_joined {
            return Some(otherwise);
        }
        let mut joined = then;
        for (place, value) in (rank..count).zip(chosen) {
            let is_chosen = dag.has_rank(mask, place, rank);
            let value = dag.select(is_chosen, value, then);
            joined = dag.or(joined, value);
        }
        return Some(joined);
    }
    let mut found = then;
    for (place, value) in (rank..count).zip(chosen) {
        let is_place = dag.counts(mask, place, rank);
        let bit = dag.slice(mask.of, mask.low + place, 1, false);
        let here = dag.select(is_place, value, found);
        found = dag.select(bit, here, found);
    }
    Some(found)
}

impl Dag {
    /// The values that bits of the mask choose, from the last place down, and the one that is left when no other is.
    fn nested_choices(&self, value: NodeId, mask: Mask, places: Range<u32>) -> Option<Vec<NodeId>> {
        let rank = places.start;
        let mut rest = value;
        let mut chosen: Vec<NodeId> = Vec::new();
        for place in (rank + 1..places.end).rev() {
            let Node::Select(bit, then, below) = *self.node(rest) else { return None };
            if self.mask_bit(bit).is_none_or(|bit| (bit.of, bit.low) != (mask.of, mask.low + place)) {
                return None;
            }
            let Node::Select(inner, kept, other) = *self.node(then) else { return None };
            let value = match *self.node(inner) {
                Node::Eq(left, right) if other == below => {
                    let (own, width, literal) = self.counted(left, right)?;
                    ((own.of, own.low, width, literal) == (mask.of, mask.low, place, rank)).then_some(kept)?
                }
                _ if kept == below && (place, rank) == (1, 0) => {
                    let own = self.mask_bit(inner)?;
                    ((own.of, own.low) == (mask.of, mask.low)).then_some(other)?
                }
                _ => return None,
            };
            chosen.push(value);
            rest = below;
        }
        chosen.push(rest);
        chosen.reverse();
        Some(chosen)
    }

    /// The values that are joined by `or`, each 0 but at its place of the rank.
    fn joined_choices(&mut self, value: NodeId, mask: Mask, places: Range<u32>) -> Option<Vec<NodeId>> {
        let rank = places.start;
        let operands = match self.node(value) {
            Node::Or(operands) => operands.to_vec(),
            _ => vec![value],
        };
        if operands.len() != places.len() {
            return None;
        }
        let mut chosen = Vec::new();
        for place in places {
            let is_chosen = self.has_rank(mask, place, rank);
            chosen.push(operands.iter().find_map(|operand| self.chosen_by(*operand, is_chosen))?);
        }
        Some(chosen)
    }

    /// The value of `condition ? value : 0`.
    fn chosen_by(&mut self, operand: NodeId, condition: NodeId) -> Option<NodeId> {
        match self.node(operand).clone() {
            Node::Select(known, value, nothing) => {
                (known == condition && self.as_int(nothing) == Some(&Int::ZERO)).then_some(value)
            }
            Node::And(operands) if self.is_boolean(operand) => {
                let conditions = match self.node(condition) {
                    Node::And(conditions) => conditions.to_vec(),
                    _ => vec![condition],
                };
                if !conditions.iter().all(|known| operands.contains(known)) {
                    return None;
                }
                let values: Vec<NodeId> =
                    operands.iter().copied().filter(|operand| !conditions.contains(operand)).collect();
                let (first, others) = values.split_first()?;
                Some(others.iter().fold(*first, |joined, value| self.and(joined, *value)))
            }
            _ => None,
        }
    }
}

/// Bits of one rank, as a loop leaves them.
pub(super) fn bits(dag: &mut Dag) -> Vec<Select> {
    let mut subjects = Vec::new();
    for rank in 0..3 {
        let mut value = dag.int(0);
        for place in rank..4 {
            let own = dag.arg_slice(0, place, 1, false);
            let subject = chosen_by_rank(dag, place, rank, own, value);
            value = dag.make(&subject);
            subjects.push(subject);
        }
    }
    subjects
}

/// Elements of one rank, and what is left where the mask has too few ones.
pub(super) fn elements(dag: &mut Dag) -> Vec<Select> {
    let mut subjects = Vec::new();
    for (count, rank) in [(2, 0), (2, 1), (3, 0), (3, 1), (4, 0), (4, 2)] {
        let mut value = dag.arg_slice(1, rank * 3, 3, false);
        for place in rank + 1..count {
            let own = dag.arg_slice(1, place * 3, 3, false);
            value = chosen_by_rank(dag, place, rank, own, value).raw(dag);
        }
        let mask = dag.arg_slice(3, 0, count, false);
        let (ones, literal) = (dag.popcount(mask), dag.int(rank + 1));
        let condition = dag.lt(ones, literal);
        let rests = [dag.int(0), unsigned(dag, 2, 3)];
        subjects.extend(rests.map(|then| Select { condition, then, otherwise: value }));
        let otherwise = dag.select(condition, rests[0], value);
        subjects.extend(rests.map(|then| Select { condition, then, otherwise }));
        let (mut otherwise, ones_of) = (rests[0], dag.arg(3));
        for place in rank..count {
            let (is_chosen, own) =
                (dag.has_rank(Mask { of: ones_of, low: 0 }, place, rank), dag.arg_slice(1, place, 1, false));
            let bit = dag.and(is_chosen, own);
            otherwise = dag.or(otherwise, bit);
        }
        subjects.push(Select { condition, then: rests[0], otherwise });
    }
    subjects
}

/// `m[place] ? (count(m[0..place]) == rank ? own : value) : value`.
fn chosen_by_rank(dag: &mut Dag, place: u32, rank: u32, own: NodeId, value: NodeId) -> Select {
    let condition = dag.arg_slice(3, place, 1, false);
    let below = dag.arg_slice(3, 0, place, false);
    let (ones, rank) = (dag.popcount(below), dag.int(rank));
    let is_place = dag.eq(ones, rank);
    Select { condition, then: dag.select(is_place, own, value), otherwise: value }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::exact::Replacements;

    /// Element `rank` of the packed elements of a value of `count` elements, as a loop leaves it.
    fn packed(dag: &mut Dag, count: u32, width: u32, rank: u32, first: NodeId) -> NodeId {
        let mut value = first;
        for place in rank..count {
            let bit = dag.arg_slice(0, place, 1, false);
            let below = dag.arg_slice(0, 0, place, false);
            let (ones, rank) = (dag.popcount(below), dag.int(rank));
            let is_place = dag.eq(ones, rank);
            let own = dag.arg_slice(1, place * width, width, false);
            let inner = dag.select(is_place, own, value);
            value = dag.select(bit, inner, value);
        }
        value
    }

    fn expected(mask: u32, data: u32, width: u32, rank: u32) -> u32 {
        let mut places = (0..4).filter(|place| mask >> place & 1 == 1);
        places.nth(rank as usize).map_or(0, |place| data >> (place * width) & ((1 << width) - 1))
    }

    fn check(dag: &mut Dag, value: NodeId, width: u32, rank: u32) {
        for mask in 0..16u32 {
            for data in [0x1234u32, 0xfedc, 0x0f5a] {
                let data = data & ((1 << (4 * width)) - 1);
                let mut given = Replacements::default();
                for (arg, literal) in [(0, mask), (1, data)] {
                    let (arg, literal) = (dag.arg(arg), dag.int(literal));
                    given.insert(arg, literal);
                }
                let found = dag.replace(value, &mut given);
                assert_eq!(dag.as_i64(found), Some(i64::from(expected(mask, data, width, rank))));
            }
        }
    }

    #[test]
    fn bits_of_one_rank_are_an_or() {
        for rank in 0..4 {
            let mut dag = Dag::new(vec![4, 4]);
            let zero = dag.int(0);
            let value = packed(&mut dag, 4, 1, rank, zero);
            assert!(matches!(dag.node(value), Node::Or(_)) || rank == 3, "{}", dag.show(value));
            check(&mut dag, value, 1, rank);
        }
    }

    #[test]
    fn elements_of_one_rank_are_an_or() {
        for rank in 0..4 {
            let mut dag = Dag::new(vec![4, 16]);
            let base = dag.arg_slice(1, rank * 4, 4, false);
            let mut value = base;
            for place in rank + 1..4 {
                let bit = dag.arg_slice(0, place, 1, false);
                let below = dag.arg_slice(0, 0, place, false);
                let (ones, literal) = (dag.popcount(below), dag.int(rank));
                let is_place = dag.eq(ones, literal);
                let own = dag.arg_slice(1, place * 4, 4, false);
                let inner = dag.select(is_place, own, value);
                value = dag.select(bit, inner, value);
            }
            let all = dag.arg_slice(0, 0, 4, false);
            let (ones, literal, zero) = (dag.popcount(all), dag.int(rank + 1), dag.int(0));
            let is_less = dag.lt(ones, literal);
            let value = dag.select(is_less, zero, value);
            assert!(matches!(dag.node(value), Node::Or(_)) || rank == 3, "{}", dag.show(value));
            check(&mut dag, value, 4, rank);
        }
    }
}
