//! Slices at computed positions: `x[n + p +: w]` is `⌊x / 2^(n + p)⌋[0 +: w]` for `x ≥ 0` and `p ≥ 0`.

use dashu_int::ops::BitTest;

use super::{Law, Subject, instances::*};
use crate::exact::Int;
use crate::exact::dag::{Dag, Node, NodeId, Part};
use crate::exact::range::power;

/// Bits of an index, and of an entry, of tables that are looked at as a whole.
const MAX_TABLE_BITS: u32 = 8;

/// Bits from position `base + low` on.
#[derive(Clone, Copy)]
pub(super) struct SliceAt {
    pub of: NodeId,
    pub base: u32,
    pub low: NodeId,
    pub width: u32,
    pub signed: bool,
}

impl Dag {
    /// Bits `low .. low + width` of a non-negative `of` at a computed, non-negative position.
    pub fn slice_at(&mut self, of: NodeId, low: NodeId, width: u32, signed: bool) -> NodeId {
        self.slice_from(of, 0, low, width, signed)
    }

    /// Bits from position `base + low` on, both parts not negative.
    pub(super) fn slice_from(
        &mut self,
        of: NodeId,
        base: u32,
        low: NodeId,
        width: u32,
        signed: bool,
    ) -> NodeId {
        if let Some(low) = self.as_int(low) {
            return match u32::try_from(low + Int::from(base)) {
                Ok(low) if low <= crate::MAX_WIDTH => self.slice(of, low, width, signed),
                _ => self.int(0),
            };
        }
        self.make(&SliceAt { of, base, low, width, signed })
    }
}

impl Subject for SliceAt {
    const FAMILY: &'static str = "slice-at";

    const LAWS: &'static [Law<Self>] = &[
        Law::new("reversed-table", reversed_table, |dag| {
            let (index, narrow) = (unsigned(dag, 3, 2), unsigned(dag, 3, 1));
            let mut subjects = Vec::new();
            for (table, step, start) in [(0x4e21, 4, 12), (0x4e21, 4, 14), (0x7d, 2, 7), (0x12_3456, 6, 18)] {
                let of = dag.int(table);
                for (index, width) in [(index, 1), (index, 2), (index, 4), (narrow, 2)] {
                    let low = dag.linear(&[(index, Int::from(-step))], Int::from(start));
                    subjects.push(SliceAt { of, base: 0, low, width, signed: width == 4 });
                }
            }
            subjects
        }),
        Law::new("xor-table", xor_table, |dag| {
            let index = unsigned(dag, 3, 2);
            let mut subjects = Vec::new();
            for (table, step, width) in [(0x6350, 4, 4), (0x6350, 4, 3), (0b1011_1000, 2, 2), (0x7351, 4, 4)]
            {
                let (of, low) = (dag.int(table), times(dag, index, step));
                subjects.extend([0, 1].map(|base| SliceAt { of, base, low, width, signed: base == 1 }));
            }
            subjects
        }),
        Law::new("constant-position", constant_position, |dag| {
            let (of, index) = (dag.arg(0), unsigned(dag, 3, 2));
            [(1, 0, 3), (4, 1, 8), (2, 5, 16)]
                .map(|(step, base, constant)| {
                    let low = dag.linear(&[(index, Int::from(step))], Int::from(constant));
                    SliceAt { of, base, low, width: 5, signed: step == 4 }
                })
                .to_vec()
        }),
        Law::new("slice", of_slice, |dag| {
            let low = unsigned(dag, 3, 2);
            let mut operands = vec![unsigned(dag, 0, 16), unsigned(dag, 0, 12), square(dag, 5)];
            operands.push(dag.intern(Node::Slice { of: operands[2], low: 2, width: 8, signed: false }));
            let mut subjects = Vec::new();
            for of in operands {
                for (base, width) in [(0, 4), (2, 6), (3, 6), (4, 9)] {
                    subjects.push(SliceAt { of, base, low, width, signed: base == 2 });
                }
            }
            subjects
        }),
    ];

    fn raw(&self, dag: &mut Dag) -> NodeId {
        let SliceAt { of, base, low, width, signed } = *self;
        dag.intern(Node::SliceAt { of, base, low, width, signed })
    }
}

/// A literal read at `start + step·index`.
struct Table {
    entries: Int,
    start: i64,
    step: i64,
    index: NodeId,
}

fn table(dag: &Dag, &SliceAt { of, base, low, .. }: &SliceAt) -> Option<Table> {
    let entries = dag.as_int(of).filter(|table| *table >= &Int::ZERO)?;
    let Node::Sum { terms, constant } = dag.node(low) else { return None };
    let [(index, step)] = &**terms else { return None };
    let start = i64::from(base) + i64::try_from(constant).ok()?;
    Some(Table { entries: entries.clone(), start, step: i64::try_from(step).ok()?, index: *index })
}

/// `{t0, …, tn}[s·(n - i) +: w] = {tn, …, t0}[s·i +: w]`: tables are read from their low end. The slice is inside of
/// one entry.
fn reversed_table(dag: &mut Dag, slice: &SliceAt) -> Option<NodeId> {
    let Table { entries, start, step, index } = table(dag, slice)?;
    if step >= 0 || !dag.range(index).is_non_negative() {
        return None;
    }
    let step = -step;
    let (last, inside) = (start.div_euclid(step), start.rem_euclid(step));
    if inside + i64::from(slice.width) > step || last * step > i64::from(crate::MAX_WIDTH) || last < 0 {
        return None;
    }
    let mask = (Int::ONE << step as usize) - Int::ONE;
    let opposite = (0..=last).fold(Int::ZERO, |joined, place| {
        let entry = (&entries >> ((last - place) * step) as usize) & &mask;
        joined + (entry << (place * step) as usize)
    });
    let of = dag.int(opposite);
    let position = dag.linear(&[(index, Int::from(step))], Int::ZERO);
    Some(dag.slice_from(of, inside as u32, position, slice.width, slice.signed))
}

/// `t[s·i +: w] = {⊕ bits of i, …}` where the entry for `x ^ y` is the exclusive or of those for `x` and `y`.
fn xor_table(dag: &mut Dag, slice: &SliceAt) -> Option<NodeId> {
    let Table { entries, start, step, index } = table(dag, slice)?;
    let (bits, false) = dag.natural(index)? else { return None };
    let small = (2..=MAX_TABLE_BITS).contains(&bits) && slice.width <= MAX_TABLE_BITS;
    if step < 0 || start != i64::from(slice.base) || !small {
        return None;
    }
    let mask = power(slice.width) - Int::ONE;
    let entry = |at: u32| (&entries >> (start as usize + step as usize * at as usize)) & &mask;
    let units: Vec<Int> = (0..bits).map(|bit| entry(1 << bit)).collect();
    let joined = |at: u32| {
        (0..bits).filter(|bit| at >> bit & 1 == 1).fold(Int::ZERO, |sum, bit| sum ^ &units[bit as usize])
    };
    if units.iter().all(|unit| unit == &Int::ZERO) || (0..1 << bits).any(|at| entry(at) != joined(at)) {
        return None;
    }
    let mut parts = Vec::with_capacity(slice.width as usize);
    for bit in 0..slice.width {
        let mut node = dag.int(0);
        for (place, unit) in units.iter().enumerate() {
            if unit.bit(bit as usize) {
                let read = dag.slice(index, place as u32, 1, false);
                node = dag.xor(node, read);
            }
        }
        parts.push(Part { node, width: 1 });
    }
    let entry = dag.concat(&parts);
    Some(dag.slice(entry, 0, slice.width, slice.signed))
}

/// `x[n + (p + c) +: w] = x[(n + c) + p +: w]` where `p ≥ 0` and `c > 0`.
fn constant_position(dag: &mut Dag, &SliceAt { of, base, low, width, signed }: &SliceAt) -> Option<NodeId> {
    let Node::Sum { terms, constant } = dag.node(low) else { return None };
    let constant = u32::try_from(constant).ok().filter(|constant| *constant > 0)?;
    let base = base.checked_add(constant).filter(|base| *base <= crate::MAX_WIDTH)?;
    let terms = terms.clone();
    let rest = dag.linear(&terms, Int::ZERO);
    dag.range(rest).is_non_negative().then(|| dag.slice_from(of, base, rest, width, signed))
}

/// `x[m +: v][n + p +: w] = x[m + n + p +: w]` for `x ≥ 0`, where the slice ends below bit `v`, or `x` does.
fn of_slice(dag: &mut Dag, &SliceAt { of, base, low, width, signed }: &SliceAt) -> Option<NodeId> {
    let Node::Slice { of: inner, low: inner_low, width: inner_width, signed: false } = *dag.node(of) else {
        return None;
    };
    if !dag.range(inner).is_non_negative() {
        return None;
    }
    let reach = dag.range(low).high.as_ref().map(|high| high + Int::from(base + width));
    let inside = reach.is_some_and(|reach| reach <= Int::from(inner_width));
    let whole = match *dag.node(inner) {
        Node::Arg(arg) => inner_low == 0 && inner_width == dag.arg_widths()[arg as usize],
        _ => false,
    };
    (inside || whole).then(|| dag.slice_from(inner, base + inner_low, low, width, signed))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn both_parts_of_a_position_count() {
        let mut dag = Dag::new(vec![64]);
        let (whole, two) = (dag.arg(0), dag.int(2));
        let expected = dag.arg_slice(0, 5, 4, false);
        assert_eq!(dag.slice_from(whole, 3, two, 4, false), expected);
    }

    #[test]
    fn a_slice_of_a_whole_register_is_one_of_the_register() {
        let mut dag = Dag::new(vec![16, 8]);
        let (whole, position) = (dag.arg(0), dag.arg_slice(1, 0, 4, false));
        for (low, width, is_whole) in [(0, 16, true), (0, 15, false), (1, 15, false)] {
            let of = dag.arg_slice(0, low, width, false);
            let slice = dag.slice_at(of, position, 4, false);
            let Node::SliceAt { of, .. } = *dag.node(slice) else { panic!("{}", dag.show(slice)) };
            assert_eq!(of == whole, is_whole, "{width} bits from {low} on");
        }
    }

    #[test]
    fn a_table_that_would_be_too_wide_is_not_reversed() {
        let mut dag = Dag::new(vec![8]);
        let (index, table) = (dag.arg_slice(0, 0, 3, false), dag.int(1));
        let step = i64::from(crate::MAX_WIDTH / 8);
        for (entries, is_reversed) in [(7, true), (8, true), (9, false)] {
            let low = dag.linear(&[(index, Int::from(-step))], Int::from(step * entries));
            let slice = SliceAt { of: table, base: 0, low, width: 1, signed: false };
            assert_eq!(reversed_table(&mut dag, &slice).is_some(), is_reversed, "{entries}");
        }
    }
}
