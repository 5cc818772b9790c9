//! Choices by a boolean, in one form: arithmetic, a clamp, a magnitude or a shift where these say the same.

use super::{Law, Subject, instances::*, rank};
use crate::exact::Int;
use crate::exact::dag::{Dag, Node, NodeId};
use crate::exact::range::{Range, power};

/// `then` where `condition` is 1, else `otherwise`.
#[derive(Clone, Copy)]
pub(super) struct Select {
    pub condition: NodeId,
    pub then: NodeId,
    pub otherwise: NodeId,
}

impl Dag {
    /// `then` where the boolean `condition` is 1, else `otherwise`.
    pub fn select(&mut self, condition: NodeId, then: NodeId, otherwise: NodeId) -> NodeId {
        if then == otherwise {
            return then;
        }
        match self.as_int(condition) {
            Some(known) if known == &Int::ZERO => otherwise,
            Some(_) => then,
            None => self.make(&Select { condition, then, otherwise }),
        }
    }
}

impl Subject for Select {
    const FAMILY: &'static str = "select";

    const LAWS: &'static [Law<Self>] = &[
        Law::new("complemented", complemented, |dag| {
            let (bit, one, x, y) = (unsigned(dag, 3, 1), dag.int(1), signed(dag, 0, 4), unsigned(dag, 1, 5));
            let condition = dag.intern(Node::Xor([bit.min(one), bit.max(one)].into()));
            vec![Select { condition, then: x, otherwise: y }]
        }),
        Law::new("not-greater", not_greater, |dag| {
            let (x, y) = (signed(dag, 0, 4), unsigned(dag, 1, 5));
            let condition = dag.intern(Node::Le(x, y));
            [(x, y), (y, x)].map(|(then, otherwise)| Select { condition, then, otherwise }).to_vec()
        }),
        Law::new("known-condition", known_condition, |dag| {
            let (condition, x, y, z) =
                (unsigned(dag, 3, 1), signed(dag, 0, 4), unsigned(dag, 1, 5), unsigned(dag, 2, 3));
            let inner = dag.intern(Node::Select(condition, x, y));
            [(inner, z), (z, inner)].map(|(then, otherwise)| Select { condition, then, otherwise }).to_vec()
        }),
        Law::new("mask", mask, literal_choices),
        Law::new("opposite-mask", opposite_mask, literal_choices),
        Law::new("value-of-rank", rank::value_of_rank, rank::elements),
        Law::new("and", and, flag_choices),
        Law::new("or", or, flag_choices),
        Law::new("and-not", and_not, flag_choices),
        Law::new("distance", distance, |dag| {
            let (condition, x, y) = (unsigned(dag, 3, 1), signed(dag, 0, 4), unsigned(dag, 1, 5));
            let sum = dag.sum(&[x, y]);
            let (more, less) = (plus(dag, x, 5), plus(dag, sum, -3));
            [(more, x), (x, more), (less, sum)]
                .map(|(then, otherwise)| Select { condition, then, otherwise })
                .to_vec()
        }),
        Law::new("minimum", minimum, ordered_choices),
        Law::new("maximum", maximum, ordered_choices),
        Law::new("upper-bound", upper_bound, bounded_choices),
        Law::new("lower-bound", lower_bound, bounded_choices),
        Law::new("difference", difference, |dag| {
            let (x, y) = (unsigned(dag, 0, 5), signed(dag, 1, 5));
            let (condition, up, down) = (dag.lt(x, y), dag.sub(y, x), dag.sub(x, y));
            vec![Select { condition, then: up, otherwise: down }]
        }),
        Law::new("sign-clears", sign_clears, sign_choices),
        Law::new("sign-negates", sign_negates, sign_choices),
        Law::new("redundant-guard", redundant_guard, guarded_shifts),
        Law::new("label", label, |dag| {
            let mut subjects = Vec::new();
            for (stride, bits) in [(3, 2), (4, 1), (2, 2), (-2, 2)] {
                let label = unsigned(dag, 3, bits);
                let mut arms: Vec<NodeId> = (0..1i64 << bits)
                    .map(|at| dag.arg_slice(0, (6 + stride * at) as u32, 2, false))
                    .collect();
                let mut otherwise = arms.remove(0);
                for (at, arm) in (1i64..).zip(arms) {
                    let at = dag.int(at);
                    let condition = dag.eq(label, at);
                    let subject = Select { condition, then: arm, otherwise };
                    otherwise = subject.raw(dag);
                    subjects.push(subject);
                }
            }
            subjects
        }),
        Law::new("first-one", first_one, |dag| {
            let mut subjects = Vec::new();
            for (count, step) in [(2, 1), (2, -1), (3, 1), (3, -1), (5, -1)] {
                let mut otherwise = dag.int(count);
                for at in (0..count).rev() {
                    let low = if step > 0 { 1 + at } else { 6 - at };
                    let (condition, then) = (dag.arg_slice(0, low as u32, 1, false), dag.int(at));
                    let subject = Select { condition, then, otherwise };
                    otherwise = subject.raw(dag);
                    subjects.push(subject);
                }
            }
            subjects
        }),
        Law::new("next-bit-of-rank", rank::next_bit_of_rank, rank::bits),
        Law::new("counted-zero", counted_zero, |dag| {
            let (value, zero, width) = (unsigned(dag, 0, 5), dag.int(0), scaled(dag, 0, 5));
            let condition = dag.intern(Node::Eq(value.min(zero), value.max(zero)));
            let then = dag.int(width);
            [Node::LeadingZeros(value, width), Node::TrailingZeros(value, width)]
                .map(|node| Select { condition, then, otherwise: dag.intern(node) })
                .to_vec()
        }),
    ];

    fn raw(&self, dag: &mut Dag) -> NodeId {
        dag.intern(Node::Select(self.condition, self.then, self.otherwise))
    }
}

/// `¬c ? x : y = c ? y : x`.
fn complemented(dag: &mut Dag, &Select { condition, then, otherwise }: &Select) -> Option<NodeId> {
    let positive = dag.complemented(condition)?;
    Some(dag.select(positive, otherwise, then))
}

/// `a ≤ b ? x : y` is `b < a ? y : x`.
fn not_greater(dag: &mut Dag, &Select { condition, then, otherwise }: &Select) -> Option<NodeId> {
    let Node::Le(left, right) = *dag.node(condition) else { return None };
    let condition = dag.lt(right, left);
    Some(dag.select(condition, otherwise, then))
}

/// `c ? (c ? x : y) : z = c ? x : z`, `c ? x : (c ? y : z) = c ? x : z`.
fn known_condition(dag: &mut Dag, &Select { condition, then, otherwise }: &Select) -> Option<NodeId> {
    let kept_then = match *dag.node(then) {
        Node::Select(inner, kept, _) if inner == condition => kept,
        _ => then,
    };
    let kept_otherwise = match *dag.node(otherwise) {
        Node::Select(inner, _, kept) if inner == condition => kept,
        _ => otherwise,
    };
    let changed = (kept_then, kept_otherwise) != (then, otherwise);
    changed.then(|| dag.select(condition, kept_then, kept_otherwise))
}

fn is_zero(dag: &Dag, id: NodeId) -> bool {
    dag.as_int(id) == Some(&Int::ZERO)
}

/// The width of a mask, all ones of a width or without end (`None`).
fn mask_width(value: &Int) -> Option<Option<u32>> {
    if value == &Int::from(-1) {
        return Some(None);
    }
    let (width, false) = Range::point(value.clone()).natural()? else { return None };
    (value == &(power(width) - Int::ONE)).then_some(Some(width))
}

/// A boolean in each bit of a mask.
fn fill(dag: &mut Dag, flag: NodeId, width: Option<u32>) -> NodeId {
    if width == Some(1) {
        return flag;
    }
    let fill = dag.neg(flag);
    width.map_or(fill, |width| dag.slice(fill, 0, width, false))
}

/// `c ? 1 : 0 = c`, `c ? -1 : 0 = -c`, `c ? 2^w - 1 : 0 = (-c)[0 +: w]`.
fn mask(dag: &mut Dag, &Select { condition, then, otherwise }: &Select) -> Option<NodeId> {
    let width = dag.as_int(then).filter(|_| is_zero(dag, otherwise)).and_then(mask_width)?;
    Some(fill(dag, condition, width))
}

/// `c ? 0 : 1 = ¬c`, `c ? 0 : -1 = -¬c`, `c ? 0 : 2^w - 1 = (-¬c)[0 +: w]`.
fn opposite_mask(dag: &mut Dag, &Select { condition, then, otherwise }: &Select) -> Option<NodeId> {
    let width = dag.as_int(otherwise).filter(|_| is_zero(dag, then)).and_then(mask_width)?;
    let opposite = dag.complement(condition);
    Some(fill(dag, opposite, width))
}

/// `c ? b : 0 = c & b` for a boolean `b`.
fn and(dag: &mut Dag, &Select { condition, then, otherwise }: &Select) -> Option<NodeId> {
    let is_flag = dag.as_int(then).is_none() && dag.is_boolean(then);
    (is_flag && is_zero(dag, otherwise)).then(|| dag.and(condition, then))
}

/// `c ? 1 : b = c | b` for a boolean `b`.
fn or(dag: &mut Dag, &Select { condition, then, otherwise }: &Select) -> Option<NodeId> {
    let is_flag = dag.as_int(otherwise).is_none() && dag.is_boolean(otherwise);
    (is_flag && dag.as_int(then) == Some(&Int::ONE)).then(|| dag.or(condition, otherwise))
}

/// `c ? 0 : b = ¬c & b` for a boolean `b`.
fn and_not(dag: &mut Dag, &Select { condition, then, otherwise }: &Select) -> Option<NodeId> {
    if dag.as_int(otherwise).is_some() || !dag.is_boolean(otherwise) || !is_zero(dag, then) {
        return None;
    }
    let opposite = dag.complement(condition);
    Some(dag.and(opposite, otherwise))
}

/// `c ? x + d : x = x + d·c` for a literal `d`.
fn distance(dag: &mut Dag, &Select { condition, then, otherwise }: &Select) -> Option<NodeId> {
    if dag.as_int(then).is_some() || dag.as_int(otherwise).is_some() {
        return None;
    }
    let distance = dag.sub(then, otherwise);
    let distance = dag.as_int(distance)?.clone();
    Some(dag.linear(&[(otherwise, Int::ONE), (condition, distance)], Int::ZERO))
}

fn less(dag: &Dag, condition: NodeId) -> Option<(NodeId, NodeId)> {
    match *dag.node(condition) {
        Node::Lt(left, right) => Some((left, right)),
        _ => None,
    }
}

/// `x < y ? x : y = min(x, y)`.
fn minimum(dag: &mut Dag, &Select { condition, then, otherwise }: &Select) -> Option<NodeId> {
    let (left, right) = less(dag, condition)?;
    ((then, otherwise) == (left, right)).then(|| dag.min(left, right))
}

/// `x < y ? y : x = max(x, y)`.
fn maximum(dag: &mut Dag, &Select { condition, then, otherwise }: &Select) -> Option<NodeId> {
    let (left, right) = less(dag, condition)?;
    ((then, otherwise) == (right, left)).then(|| dag.max(left, right))
}

/// A literal that bounds what is compared with `bound`: the bound, or the one below it, which chooses the same.
fn literal_at(dag: &Dag, kept: NodeId, bound: NodeId) -> Option<Int> {
    let (kept, bound) = (dag.as_int(kept)?, dag.as_int(bound)?);
    (kept == bound || kept == &(bound - Int::ONE)).then(|| kept.clone())
}

/// `x < c ? x : d = min(x, d)` for `d` of `c` and `c - 1`, also where the first `x` is bounded below already.
fn upper_bound(dag: &mut Dag, &Select { condition, then, otherwise }: &Select) -> Option<NodeId> {
    let (value, bound) = less(dag, condition)?;
    let kept = literal_at(dag, otherwise, bound)?;
    is_clamp_of(dag, then, value, &kept, false).then(|| dag.min(then, otherwise))
}

/// `x < c ? d : x = max(x, d)` for `d` of `c` and `c - 1`, also where the second `x` is bounded above already.
fn lower_bound(dag: &mut Dag, &Select { condition, then, otherwise }: &Select) -> Option<NodeId> {
    let (value, bound) = less(dag, condition)?;
    let kept = literal_at(dag, then, bound)?;
    is_clamp_of(dag, otherwise, value, &kept, true).then(|| dag.max(otherwise, then))
}

/// Whether `clamped` is `value`, or `value` with one bound that does not pass `kept`: a greatest value of
/// at least `kept` (`least`), or a least value of at most it.
fn is_clamp_of(dag: &Dag, clamped: NodeId, value: NodeId, kept: &Int, least: bool) -> bool {
    if clamped == value {
        return true;
    }
    if let Node::Saturate { of, width, signed: false } = *dag.node(clamped) {
        // With no value above the width's greatest, only the bound 0 is left.
        let high = power(width) - Int::ONE;
        return !least
            && of == value
            && kept >= &Int::ZERO
            && dag.range(value).high.as_ref().is_some_and(|most| most <= &high);
    }
    let operands = match (dag.node(clamped), least) {
        (Node::Min(operands), true) | (Node::Max(operands), false) => operands,
        _ => return false,
    };
    operands.len() == 2
        && operands.contains(&value)
        && operands
            .iter()
            .filter_map(|id| dag.as_int(*id))
            .all(|bound| if least { bound >= kept } else { bound <= kept })
        && operands.iter().any(|id| dag.as_int(*id).is_some())
}

/// `x < y ? y - x : x - y = |y - x|`.
fn difference(dag: &mut Dag, &Select { condition, then, otherwise }: &Select) -> Option<NodeId> {
    let (left, right) = less(dag, condition)?;
    let difference = dag.sub(right, left);
    (then == difference && dag.neg(difference) == otherwise).then(|| dag.abs(difference))
}

/// The signed slice of which `condition` is the sign bit.
fn is_sign_of(dag: &Dag, condition: NodeId, value: NodeId) -> bool {
    let Node::Slice { of, low, width: 1, signed: false } = *dag.node(condition) else { return false };
    matches!(*dag.node(value), Node::Slice { of: inner, low: from, width, signed: true }
        if inner == of && from + width - 1 == low)
}

/// `sign(x) ? 0 : x = max(x, 0)`.
fn sign_clears(dag: &mut Dag, &Select { condition, then, otherwise }: &Select) -> Option<NodeId> {
    (is_zero(dag, then) && is_sign_of(dag, condition, otherwise)).then(|| dag.max(otherwise, then))
}

/// `sign(x) ? -x : x = |x|`.
fn sign_negates(dag: &mut Dag, &Select { condition, then, otherwise }: &Select) -> Option<NodeId> {
    (is_sign_of(dag, condition, otherwise) && dag.neg(otherwise) == then).then(|| dag.abs(otherwise))
}

/// `c < n ? x >> c : y = x >> c` where `x >> c` is `y` for every `c ≥ n`; so for `<<` and slices of both.
fn redundant_guard(dag: &mut Dag, &Select { condition, then, otherwise }: &Select) -> Option<NodeId> {
    let (count, bound) = less(dag, condition)?;
    let limit = u32::try_from(dag.as_int(bound)?).ok()?;
    let far = shifted_far(dag, then, count, limit)?;
    (far == otherwise).then_some(then)
}

/// What a shift by `count` becomes for every count of at least `limit`, if that is one value.
fn shifted_far(dag: &mut Dag, shifted: NodeId, count: NodeId, limit: u32) -> Option<NodeId> {
    if limit > crate::MAX_WIDTH {
        return None;
    }
    match *dag.node(shifted) {
        Node::Slice { of, low, width, signed } => match *dag.node(of) {
            Node::Shl(_, by) if by == count && limit >= low + width => Some(dag.int(0)),
            _ => {
                let far = shifted_far(dag, of, count, limit)?;
                Some(dag.slice(far, low, width, signed))
            }
        },
        Node::SliceAt { of, base, low: by, .. } if by == count => {
            let (width, signed) = dag.natural(of)?;
            (!signed && limit + base >= width).then(|| dag.int(0))
        }
        Node::Shr(value, by) if by == count => {
            let (width, signed) = dag.natural(value)?;
            if limit < width - u32::from(signed) {
                return None;
            }
            let limit = dag.int(limit);
            Some(dag.shr(value, limit))
        }
        _ => None,
    }
}

/// The number that `condition` compares with a literal.
fn label_of(dag: &Dag, condition: NodeId) -> Option<(NodeId, i64)> {
    match *dag.node(condition) {
        Node::Eq(left, right) => match (dag.as_i64(left), dag.as_i64(right)) {
            (Some(label), None) => Some((right, label)),
            (None, Some(label)) => Some((left, label)),
            _ => None,
        },
        Node::Slice { width: 1, signed: false, .. } => Some((condition, 1)),
        _ => None,
    }
}

/// `i = 0 ? x[n +: w] : i = 1 ? x[n + s +: w] : … = x[n + s·i +: w]`, where every value of `i` has its slice.
fn label(dag: &mut Dag, &Select { condition, then, otherwise }: &Select) -> Option<NodeId> {
    let Node::Slice { of, signed: false, .. } = *dag.node(then) else { return None };
    let (label, first) = label_of(dag, condition)?;
    let (width, false) = dag.natural(label)? else { return None };
    if width > 8 {
        return None;
    }
    let mut arms: Vec<Option<NodeId>> = vec![None; 1 << width];
    *arms.get_mut(usize::try_from(first).ok()?)? = Some(then);
    let mut rest = otherwise;
    while let Node::Select(condition, then, otherwise) = *dag.node(rest) {
        let (_, value) = label_of(dag, condition).filter(|(same, _)| *same == label)?;
        arms.get_mut(usize::try_from(value).ok()?)?.get_or_insert(then);
        rest = otherwise;
    }
    let mut missing = arms.iter_mut().filter(|arm| arm.is_none());
    if let Some(last) = missing.next() {
        if missing.next().is_some() {
            return None;
        }
        *last = Some(rest);
    }
    let mut lows = Vec::with_capacity(arms.len());
    let mut slice_width = None;
    for arm in arms.into_iter().flatten() {
        match *dag.node(arm) {
            Node::Slice { of: same, low, width, signed: false }
                if same == of && *slice_width.get_or_insert(width) == width =>
            {
                lows.push(i64::from(low));
            }
            _ => return None,
        }
    }
    let stride = lows[1] - lows[0];
    let affine = lows.iter().zip(0..).all(|(low, index)| *low == lows[0] + index * stride);
    if !affine || stride <= 0 || !dag.range(of).is_non_negative() {
        return None;
    }
    let position = dag.linear(&[(label, Int::from(stride))], Int::from(lows[0]));
    Some(dag.slice_at(of, position, slice_width?, false))
}

/// `x[n] ? 0 : x[n + 1] ? 1 : … : w` counts the zero bits below the first one of `x[n +: w]`; downwards those above.
fn first_one(dag: &mut Dag, &Select { condition, then, otherwise }: &Select) -> Option<NodeId> {
    if !is_zero(dag, then) {
        return None;
    }
    let bit_of = |dag: &Dag, id: NodeId| match *dag.node(id) {
        Node::Slice { of, low, width: 1, signed: false } => Some((of, low)),
        _ => None,
    };
    let (of, first) = bit_of(dag, condition)?;
    let mut step = 0;
    let mut count: u32 = 1;
    let mut rest = otherwise;
    while let Node::Select(condition, then, otherwise) = *dag.node(rest) {
        let (same, low) = bit_of(dag, condition)?;
        let distance = i64::from(low) - i64::from(first);
        if count == 1 {
            step = distance;
        }
        if same != of || step.abs() != 1 || distance != step * i64::from(count) {
            return None;
        }
        if dag.as_i64(then) != Some(i64::from(count)) {
            return None;
        }
        count += 1;
        rest = otherwise;
    }
    if count < 2 || dag.as_i64(rest) != Some(i64::from(count)) {
        return None;
    }
    if step == -1 {
        let value = dag.slice(of, first + 1 - count, count, false);
        Some(dag.leading_zeros(value, count))
    } else {
        let value = dag.slice(of, first, count, false);
        Some(dag.trailing_zeros(value, count))
    }
}

/// `x = 0 ? w : zeros(x) = zeros(x)` for the zero bits of `w` above, or below, the first one of `x`.
fn counted_zero(dag: &mut Dag, &Select { condition, then, otherwise }: &Select) -> Option<NodeId> {
    let (Node::LeadingZeros(counted, width) | Node::TrailingZeros(counted, width)) = *dag.node(otherwise)
    else {
        return None;
    };
    let Node::Eq(left, right) = *dag.node(condition) else { return None };
    let compares = (left == counted && is_zero(dag, right)) || (right == counted && is_zero(dag, left));
    (compares && dag.as_i64(then) == Some(i64::from(width))).then_some(otherwise)
}
