//! Elements of a table that an index chooses, where instructions choose with another rule for what is beyond the table: zero for
//! an index with its sign set, for any index that is too large, or elements of a part of the table.

use hydride_ir::exact::{Dag, Int, Node, NodeId};

use crate::forms::{kept_bits, sliced};
use crate::table::Template;

/// Bits of an index and of an element.
const BYTE: u32 = 8;

/// Elements of the tables that instructions have: those of 128 bits.
const ENTRIES: u32 = 16;

/// A choice of an element as one from parts of the table, or with the index's sign set where it is too large, and the opposite.
pub fn chosen_elements(dag: &mut Dag, value: NodeId) -> Vec<NodeId> {
    let (of, kept) = sliced(dag, value);
    let is_zero = |node: NodeId| dag.as_i64(node) == Some(0);
    let choice = match *dag.node(of) {
        Node::Select(.., zero) if is_zero(zero) => {
            unguarded(dag, of).and_then(|choice| Choice::read(dag, choice))
        }
        Node::Select(_, zero, _) if is_zero(zero) => return without_sign(dag, value).into_iter().collect(),
        _ => Choice::read(dag, of),
    };
    let found = match choice {
        Some(choice) if choice.count > ENTRIES => vec![choice.parted(dag)],
        Some(choice) => vec![choice.with_sign(dag)],
        None => Vec::new(),
    };
    let found: Vec<NodeId> = found.into_iter().map(|other| kept_bits(dag, other, kept)).collect();
    found.into_iter().chain(blended_elements(dag, value)).collect()
}

/// An element of a table without a condition that its index is not beyond the table, where it is 0 anyway.
pub(crate) fn unguarded(dag: &mut Dag, value: NodeId) -> Option<NodeId> {
    let Node::Select(condition, choice, zero) = *dag.node(value) else { return None };
    let Choice { count, index, .. } = Choice::read(dag, choice)?;
    let is_vain = matches!(*dag.node(condition), Node::Lt(own, bound)
        if own == index && dag.as_int(bound).is_some_and(|bound| *bound >= Int::from(count)));
    (is_vain && dag.as_i64(zero) == Some(0)).then_some(choice)
}

/// Whether an operation takes one of two operands by the sign of a third one.
pub(crate) fn blends(template: &Template) -> bool {
    let dag = &template.dag;
    let is_sign = |own: NodeId| matches!(dag.node(own), Node::Slice { width: 1, .. });
    template.slots == [template.container; 3]
        && matches!(*dag.node(template.root), Node::Select(condition, ..) if is_sign(condition))
}

/// Whether an operation multiplies 32 by 32 bits to 64.
pub(crate) fn multiplies_words(template: &Template) -> bool {
    let dag = &template.dag;
    let of = match *dag.node(template.root) {
        Node::Slice { of, low: 0, .. } => of,
        _ => template.root,
    };
    template.slots == [32, 32] && matches!(dag.node(of), Node::Mul(_))
}

/// Whether an operation takes each bit from one of two operands, by those of a third one.
pub(crate) fn chooses_bits(template: &Template) -> bool {
    let dag = &template.dag;
    let differs = |own: &NodeId| matches!(dag.node(*own), Node::Xor(_));
    let chosen = |own: &NodeId| matches!(dag.node(*own), Node::And(operands) if operands.iter().any(differs));
    template.slots.len() == 3
        && matches!(dag.node(template.root), Node::Xor(operands) if operands.iter().any(chosen))
}

/// Whether a value is a choice of elements by a sign, as instructions have it: a mask of it is seldom cheaper, and there are many.
pub(crate) fn chooses_elements(dag: &Dag, value: NodeId) -> bool {
    let Node::Select(condition, then, otherwise) = *dag.node(sliced(dag, value).0) else { return false };
    let is_element = |node: &NodeId| matches!(dag.node(*node), Node::SliceAt { .. });
    matches!(dag.node(condition), Node::Slice { width: 1, .. })
        && dag.reachable([then, otherwise]).iter().any(is_element)
}

/// The ways of [`chosen_elements`] by blends, of a table of several registers.
pub(crate) fn blended_elements(dag: &mut Dag, value: NodeId) -> Option<NodeId> {
    let (of, kept) = sliced(dag, value);
    let found = match *dag.node(of) {
        Node::Select(condition, choice, other) if dag.as_i64(other) != Some(0) => {
            let choice = Choice::read(dag, choice).filter(|choice| choice.is_guarded_by(dag, condition));
            choice?.or_other(dag, other)?
        }
        Node::Select(condition, choice, _) => {
            let choice = Choice::read(dag, choice).filter(|choice| choice.is_guarded_by(dag, condition));
            choice?.blended(dag)?
        }
        _ => Choice::read(dag, of)?.blended(dag)?,
    };
    Some(kept_bits(dag, found, kept))
}

/// An element, 0 where the index is beyond the table.
#[derive(Clone, Copy)]
struct Choice {
    table: NodeId,
    /// Elements that the table has.
    count: u32,
    /// Which one, less than 256.
    index: NodeId,
}

impl Choice {
    fn read(dag: &Dag, value: NodeId) -> Option<Self> {
        let Node::SliceAt { of: table, base: 0, low, width: BYTE, signed: false } = *dag.node(value) else {
            return None;
        };
        let Node::Sum { terms, constant } = dag.node(low) else { return None };
        let [(index, step)] = &terms[..] else { return None };
        let bits = match *dag.node(table) {
            Node::Arg(arg) => dag.arg_widths()[arg as usize],
            _ => dag.natural(table)?.0,
        };
        let fits = *constant == Int::ZERO && *step == Int::from(BYTE) && dag.range(*index).fits(BYTE, false);
        let count = bits.div_ceil(BYTE);
        (fits && count > 1 && count <= 128).then_some(Self { table, count, index: *index })
    }

    /// Whether a condition is that the index is not beyond the table.
    fn is_guarded_by(self, dag: &Dag, condition: NodeId) -> bool {
        matches!(*dag.node(condition), Node::Lt(index, bound)
            if index == self.index && dag.as_int(bound) == Some(&Int::from(self.count)))
    }

    /// The element at an index.
    fn at(self, dag: &mut Dag, table: NodeId, index: NodeId) -> NodeId {
        let position = dag.linear(&[(index, Int::from(BYTE))], Int::ZERO);
        dag.slice_at(table, position, BYTE, false)
    }

    /// One of the first elements, or one of the others: for each index at least one of the two is beyond its part.
    fn parted(self, dag: &mut Dag) -> NodeId {
        let low = dag.slice(self.table, 0, ENTRIES * BYTE, false);
        let high = dag.slice(self.table, ENTRIES * BYTE, (self.count - ENTRIES) * BYTE, false);
        let rest = dag.linear(&[(self.index, Int::ONE)], -Int::from(ENTRIES));
        let rest = dag.slice(rest, 0, BYTE, false);
        let (first, second) = (self.at(dag, low, self.index), self.at(dag, high, rest));
        dag.or(first, second)
    }

    /// The index moved so that its sign is set where it is beyond the table; of tables of whole registers its low bits are as before.
    fn guarded(self, dag: &mut Dag) -> NodeId {
        let moved = dag.linear(&[(self.index, Int::ONE)], Int::from(128 - self.count));
        dag.saturate(moved, BYTE, false)
    }

    /// The element of each part of the table at the low bits of the index, 0 where this is beyond the table as a whole: a part's own
    /// from where the index reaches it, which the sign of another sum says.
    fn blended(self, dag: &mut Dag) -> Option<NodeId> {
        if !self.count.is_multiple_of(ENTRIES) || self.count <= ENTRIES {
            return None;
        }
        let index = self.guarded(dag);
        let (sign, low) = (dag.slice(index, BYTE - 1, 1, false), dag.slice(index, 0, 4, false));
        let zero = dag.int(0);
        let own = |dag: &mut Dag, first: u32| {
            let part = dag.slice(self.table, first * BYTE, ENTRIES * BYTE, false);
            let chosen = self.at(dag, part, low);
            dag.select(sign, zero, chosen)
        };
        let mut found = own(dag, 0);
        for first in (ENTRIES..self.count).step_by(ENTRIES as usize) {
            let moved = dag.linear(&[(self.index, Int::ONE)], Int::from(128 - first));
            let moved = dag.slice(moved, 0, BYTE, false);
            let (reached, part) = (dag.slice(moved, BYTE - 1, 1, false), own(dag, first));
            found = dag.select(reached, part, found);
        }
        Some(found)
    }

    /// The element, or another value where the index is beyond a table of several registers.
    fn or_other(self, dag: &mut Dag, other: NodeId) -> Option<NodeId> {
        let chosen = self.blended(dag)?;
        let index = self.guarded(dag);
        let is_beyond = dag.slice(index, BYTE - 1, 1, false);
        Some(dag.select(is_beyond, other, chosen))
    }

    /// The element at the low bits of an index, 0 where its sign is set: of an index beyond 16 elements a sum that saturates sets it,
    /// and leaves the low bits of the others alone.
    fn with_sign(self, dag: &mut Dag) -> NodeId {
        let is_within = dag.range(self.index).high.as_ref().is_some_and(|high| *high < Int::from(ENTRIES));
        let index = if is_within {
            self.index
        } else {
            let moved = dag.linear(&[(self.index, Int::ONE)], Int::from(128 - ENTRIES));
            dag.saturate(moved, BYTE, false)
        };
        let (sign, low) = (dag.slice(index, BYTE - 1, 1, false), dag.slice(index, 0, 4, false));
        let (zero, chosen) = (dag.int(0), self.at(dag, self.table, low));
        dag.select(sign, zero, chosen)
    }
}

/// An element at the low bits of an index, 0 where its sign is set, as one at an index that is too large there.
pub(crate) fn without_sign(dag: &mut Dag, value: NodeId) -> Option<NodeId> {
    let (of, kept) = sliced(dag, value);
    let Node::Select(condition, zero, choice) = *dag.node(of) else { return None };
    let choice = Choice::read(dag, choice).filter(|_| dag.as_i64(zero) == Some(0))?;
    let Node::Slice { of, low, width: 1, signed: false } = *dag.node(condition) else { return None };
    let (bits, _) = dag.natural(choice.index)?;
    // What is computed has its sign set in this way to begin with.
    if !matches!(dag.node(of), Node::Arg(_)) {
        return None;
    }
    let index = dag.slice(of, (low + 1).checked_sub(BYTE)?, BYTE, false);
    if dag.slice(index, 0, bits, false) != choice.index || choice.count > 128 || bits >= BYTE {
        return None;
    }
    let mask = dag.int(128 | ((1i64 << bits) - 1));
    let index = dag.and(index, mask);
    let chosen = choice.at(dag, choice.table, index);
    Some(kept_bits(dag, chosen, kept))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::equal::assert_equal;

    fn hold(dag: &mut Dag, value: NodeId, count: usize) {
        let found = chosen_elements(dag, value);
        assert_eq!(found.len(), count, "{}", dag.show(value));
        for other in found {
            assert_ne!(other, value);
            assert_equal(dag, value, other);
        }
    }

    #[test]
    fn an_index_beyond_a_table_has_its_sign_set_or_is_one_of_another_part() {
        for (bytes, count) in [(8, 1), (16, 1), (24, 1), (32, 2), (48, 2)] {
            let mut dag = Dag::new(vec![8 * bytes, 8, 8]);
            let (table, index) = (dag.arg(0), dag.arg_slice(1, 0, 8, false));
            let position = dag.linear(&[(index, Int::from(8))], Int::ZERO);
            let value = dag.slice_at(table, position, 8, false);
            hold(&mut dag, value, count);
            let (most, other) = (dag.int(bytes), dag.arg_slice(2, 0, 8, false));
            let is_within = dag.lt(index, most);
            let value = dag.select(is_within, value, other);
            hold(&mut dag, value, count - 1);
        }
    }

    #[test]
    fn beyond_a_table_nothing_is_asked() {
        for (most, is_vain) in [(7, false), (8, true), (16, true)] {
            let mut dag = Dag::new(vec![64, 8]);
            let (table, index) = (dag.arg(0), dag.arg_slice(1, 0, 8, false));
            let position = dag.linear(&[(index, Int::from(8))], Int::ZERO);
            let chosen = dag.slice_at(table, position, 8, false);
            let (most, zero) = (dag.int(most), dag.int(0));
            let is_within = dag.lt(index, most);
            let value = dag.select(is_within, chosen, zero);
            assert_eq!(unguarded(&mut dag, value), is_vain.then_some(chosen));
            if is_vain {
                assert_equal(&dag, value, chosen);
            }
        }
    }

    #[test]
    fn a_sign_makes_an_index_too_large() {
        let mut dag = Dag::new(vec![128, 8]);
        let (table, low) = (dag.arg(0), dag.arg_slice(1, 0, 4, false));
        let position = dag.linear(&[(low, Int::from(8))], Int::ZERO);
        let (sign, zero) = (dag.arg_slice(1, 7, 1, false), dag.int(0));
        let chosen = dag.slice_at(table, position, 8, false);
        let value = dag.select(sign, zero, chosen);
        hold(&mut dag, value, 1);
    }
}
