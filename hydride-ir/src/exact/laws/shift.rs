//! Shifts: `x << c` is `x·2^c`, `x >> c` is `⌊x / 2^c⌋`; the count is not negative.

use super::{Law, Subject, instances::*};
use crate::exact::Int;
use crate::exact::dag::{Dag, Node, NodeId};
use crate::exact::range::power;

/// `value << count`.
#[derive(Clone, Copy)]
pub(super) struct Shl {
    pub value: NodeId,
    pub count: NodeId,
}

/// `value >> count`.
#[derive(Clone, Copy)]
pub(super) struct Shr {
    pub value: NodeId,
    pub count: NodeId,
}

impl Dag {
    /// `value · 2^count`; the count is not negative.
    pub fn shl(&mut self, value: NodeId, count: NodeId) -> NodeId {
        if self.as_int(value) == Some(&Int::ZERO) {
            return value;
        }
        self.make(&Shl { value, count })
    }

    /// `⌊value / 2^count⌋`; the count is not negative.
    pub fn shr(&mut self, value: NodeId, count: NodeId) -> NodeId {
        match (self.as_int(value), self.literal_count(count)) {
            (_, Some(0)) => value,
            (Some(zero), _) if zero == &Int::ZERO => value,
            (Some(value), Some(amount)) => {
                let shifted = value >> amount.min(4 * crate::MAX_WIDTH) as usize;
                self.int(shifted)
            }
            _ => self.make(&Shr { value, count }),
        }
    }

    /// A literal count; one beyond all widths is the greatest number.
    fn literal_count(&self, count: NodeId) -> Option<u32> {
        self.as_int(count).map(|count| u32::try_from(count).unwrap_or(u32::MAX))
    }
}

impl Subject for Shl {
    const FAMILY: &'static str = "shift-left";

    const LAWS: &'static [Law<Self>] = &[Law::new("literal-count", left_by_literal, |dag| {
        [unsigned(dag, 0, 5), signed(dag, 1, 5), sum(dag, 4)]
            .iter()
            .flat_map(|value| [0, 1, 9].map(|count| (*value, count)))
            .map(|(value, count)| Shl { value, count: dag.int(count) })
            .collect()
    })];

    fn raw(&self, dag: &mut Dag) -> NodeId {
        dag.intern(Node::Shl(self.value, self.count))
    }
}

/// `x << c = 2^c·x` for a literal `c`.
fn left_by_literal(dag: &mut Dag, &Shl { value, count }: &Shl) -> Option<NodeId> {
    let count = dag.literal_count(count).filter(|count| *count <= crate::MAX_WIDTH)?;
    Some(dag.linear(&[(value, power(count))], Int::ZERO))
}

impl Subject for Shr {
    const FAMILY: &'static str = "shift-right";

    const LAWS: &'static [Law<Self>] = &[
        Law::new("slice", of_slice, |dag| raw_slices(dag).shifts_right(dag)),
        Law::new("slice-of-sign", of_sign, |dag| raw_slices(dag).shifts_right(dag)),
        Law::new("concat", of_concat, |dag| concats(dag).shifts_right(dag)),
        Law::new("multiple", of_multiple, |dag| scaled_sums(dag).shifts_right(dag)),
        Law::new("shift", of_shift, |dag| {
            let (value, two, five) = (sum_signed(dag, 7), dag.int(2), dag.int(5));
            let shifts = [dag.intern(Node::Shr(value, two)), dag.intern(Node::Shr(value, five))];
            shifts.shifts_right(dag)
        }),
        Law::new("bitwise", of_bitwise, |dag| bitwise(dag).shifts_right(dag)),
        Law::new("select", of_select, |dag| {
            let (condition, value) = (unsigned(dag, 3, 1), signed(dag, 0, 7));
            let (literal, other) = (dag.int(-13), dag.int(90));
            [(literal, value), (value, literal), (literal, other)]
                .map(|(then, otherwise)| dag.intern(Node::Select(condition, then, otherwise)))
                .shifts_right(dag)
        }),
        Law::new("above", above, |dag| [unsigned(dag, 0, 3), sum(dag, 2), square(dag, 2)].shifts_right(dag)),
    ];

    fn raw(&self, dag: &mut Dag) -> NodeId {
        dag.intern(Node::Shr(self.value, self.count))
    }
}

/// `x[n +: w] >> c = x[n + c +: w - c]` where `c < w`.
fn of_slice(dag: &mut Dag, &Shr { value, count }: &Shr) -> Option<NodeId> {
    let amount = dag.literal_count(count)?;
    let Node::Slice { of, low, width, signed } = *dag.node(value) else { return None };
    (amount < width).then(|| dag.slice(of, low + amount, width - amount, signed))
}

/// `x[n +: w] >> c = x[n + w - 1 +: 1]`, both signed, where `c ≥ w`.
fn of_sign(dag: &mut Dag, &Shr { value, count }: &Shr) -> Option<NodeId> {
    let amount = dag.literal_count(count)?;
    let Node::Slice { of, low, width, signed: true } = *dag.node(value) else { return None };
    (amount >= width).then(|| dag.slice(of, low + width - 1, 1, true))
}

/// `{y, x} >> c = {y, x}[c +: w - c]` for parts of `w > c` bits together.
fn of_concat(dag: &mut Dag, &Shr { value, count }: &Shr) -> Option<NodeId> {
    let amount = dag.literal_count(count)?;
    let Node::Concat(parts) = dag.node(value) else { return None };
    let width: u32 = parts.iter().map(|part| part.width).sum();
    (amount < width).then(|| dag.slice(value, amount, width - amount, false))
}

/// `(2^c·x) >> c = x`: exact division where every part is a multiple.
fn of_multiple(dag: &mut Dag, &Shr { value, count }: &Shr) -> Option<NodeId> {
    let unit = power(dag.literal_count(count).filter(|count| *count <= crate::MAX_WIDTH)?);
    let Node::Sum { terms, constant } = dag.node(value) else { return None };
    let is_multiple = |number: &Int| number % &unit == Int::ZERO;
    if !is_multiple(constant) || !terms.iter().all(|(_, factor)| is_multiple(factor)) {
        return None;
    }
    let quotients: Vec<_> = terms.iter().map(|(term, factor)| (*term, factor / &unit)).collect();
    let constant = constant / &unit;
    Some(dag.linear(&quotients, constant))
}

/// `(x >> b) >> c = x >> (b + c)` for literals.
fn of_shift(dag: &mut Dag, &Shr { value, count }: &Shr) -> Option<NodeId> {
    let Node::Shr(inner, by) = *dag.node(value) else { return None };
    let total = dag.as_i64(by)?.checked_add(dag.as_i64(count)?)?;
    let total = dag.int(total);
    Some(dag.shr(inner, total))
}

/// `(x & y) >> c = (x & y)[c +: w - c]` for a value of `w > c` bits; so for `|` and `^`.
fn of_bitwise(dag: &mut Dag, &Shr { value, count }: &Shr) -> Option<NodeId> {
    let amount = dag.literal_count(count)?;
    let is_bitwise = matches!(dag.node(value), Node::And(_) | Node::Or(_) | Node::Xor(_));
    let (width, false) = dag.natural(value)? else { return None };
    (is_bitwise && amount < width).then(|| dag.slice(value, amount, width - amount, false))
}

/// `(b ? x : y) >> c = b ? x >> c : y >> c` where `x` or `y` is a literal.
fn of_select(dag: &mut Dag, &Shr { value, count }: &Shr) -> Option<NodeId> {
    let Node::Select(condition, then, otherwise) = *dag.node(value) else { return None };
    dag.literal_count(count)?;
    if dag.as_int(then).is_none() && dag.as_int(otherwise).is_none() {
        return None;
    }
    let then = dag.shr(then, count);
    let otherwise = dag.shr(otherwise, count);
    Some(dag.select(condition, then, otherwise))
}

/// `x >> c = 0` where `0 ≤ x < 2^c`.
fn above(dag: &mut Dag, &Shr { value, count }: &Shr) -> Option<NodeId> {
    let amount = dag.literal_count(count)?;
    let (width, false) = dag.natural(value)? else { return None };
    (amount >= width).then(|| dag.int(0))
}
