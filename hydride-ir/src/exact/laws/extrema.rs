//! Minima and maxima, clamps to the range of a width (`saturate`), and magnitudes.

use super::{Law, Subject, instances::*};
use crate::exact::Int;
use crate::exact::dag::{Dag, Node, NodeId};
use crate::exact::range::{Range, power};

/// The least or the greatest of a value and a literal.
#[derive(Clone)]
pub(super) struct Bounded {
    pub value: NodeId,
    pub bound: Int,
    pub least: bool,
}

/// The least or the greatest of two values or more, without literals, sorted.
#[derive(Clone)]
pub(super) struct Extremum {
    pub operands: Vec<NodeId>,
    pub least: bool,
}

/// A value clamped into the range of `width` bits.
#[derive(Clone, Copy)]
pub(super) struct Saturate {
    pub of: NodeId,
    pub width: u32,
    pub signed: bool,
}

/// The magnitude of a value.
#[derive(Clone, Copy)]
pub(super) struct Abs(pub NodeId);

impl Dag {
    /// The least of two operands.
    pub fn min(&mut self, left: NodeId, right: NodeId) -> NodeId {
        self.extremum(left, right, true)
    }

    /// The greatest of two operands.
    pub fn max(&mut self, left: NodeId, right: NodeId) -> NodeId {
        self.extremum(left, right, false)
    }

    fn extremum(&mut self, left: NodeId, right: NodeId, least: bool) -> NodeId {
        let mut operands = Vec::new();
        for operand in [left, right] {
            match (self.node(operand), least) {
                (Node::Min(inner), true) | (Node::Max(inner), false) => {
                    operands.extend(inner.iter().copied());
                }
                _ => operands.push(operand),
            }
        }
        operands.sort_unstable();
        operands.dedup();
        let (constants, operands): (Vec<_>, Vec<_>) =
            operands.into_iter().partition(|operand| self.as_int(*operand).is_some());
        let values = constants.iter().filter_map(|id| self.as_int(*id));
        let bound = if least { values.min() } else { values.max() }.cloned();
        let value = match operands[..] {
            [] => return self.int(bound.unwrap_or_default()),
            [operand] => operand,
            _ => self.make(&Extremum { operands, least }),
        };
        match bound {
            Some(bound) => self.make(&Bounded { value, bound, least }),
            None => value,
        }
    }

    fn intern_extremum(&mut self, mut operands: Vec<NodeId>, least: bool) -> NodeId {
        operands.sort_unstable();
        self.intern(if least { Node::Min(operands.into()) } else { Node::Max(operands.into()) })
    }

    /// `value` clamped into the range of `width` bits.
    pub fn saturate(&mut self, value: NodeId, width: u32, signed: bool) -> NodeId {
        match self.as_int(value) {
            Some(constant) => {
                let bounds = Range::of_width(width, signed);
                let (low, high) = (bounds.low.unwrap_or_default(), bounds.high.unwrap_or_default());
                let clamped = constant.clone().clamp(low, high);
                self.int(clamped)
            }
            None => self.make(&Saturate { of: value, width, signed }),
        }
    }

    /// The magnitude of `value`.
    pub fn abs(&mut self, value: NodeId) -> NodeId {
        self.make(&Abs(value))
    }
}

impl Subject for Extremum {
    const FAMILY: &'static str = "extremum";

    const LAWS: &'static [Law<Self>] = &[Law::new("magnitude", magnitude, |dag| {
        let (x, y) = (signed(dag, 0, 5), unsigned(dag, 1, 5));
        let (negated, difference, opposite) = (dag.neg(x), dag.sub(x, y), dag.sub(y, x));
        [[x, negated], [difference, opposite]]
            .map(|operands| Extremum { operands: operands.to_vec(), least: false })
            .to_vec()
    })];

    fn raw(&self, dag: &mut Dag) -> NodeId {
        dag.intern_extremum(self.operands.clone(), self.least)
    }
}

/// `max(x, -x) = |x|`.
fn magnitude(dag: &mut Dag, Extremum { operands, least }: &Extremum) -> Option<NodeId> {
    let [left, right] = operands[..] else { return None };
    if *least || dag.neg(left) != right {
        return None;
    }
    Some(dag.abs(if matches!(dag.node(left), Node::Sum { .. }) { right } else { left }))
}

impl Subject for Bounded {
    const FAMILY: &'static str = "bounded";

    const LAWS: &'static [Law<Self>] = &[
        Law::new("unreached", unreached, |dag| [unsigned(dag, 0, 4), signed(dag, 1, 4)].bounded()),
        Law::new("narrower-clamp", narrower_clamp, |dag| {
            let value = sum_signed(dag, 7);
            [dag.saturate(value, 6, false)].bounded()
        }),
        Law::new("clamp-from-above", clamp_from_above, |dag| clamps(dag, false).bounded()),
        Law::new("clamp-from-below", clamp_from_below, |dag| clamps(dag, true).bounded()),
        Law::new("low-in-range", low_in_range, |dag| {
            let (value, other) = (signed(dag, 0, 4), unsigned(dag, 1, 6));
            [value, other, plus(dag, value, 9), plus(dag, other, -7)].bounded()
        }),
        Law::new("high-in-range", high_in_range, |dag| {
            let (value, other) = (signed(dag, 0, 5), square(dag, 2));
            let mut values = vec![dag.not(other)];
            values.extend([1, 8, -8].map(|constant| plus(dag, other, constant)));
            values.extend([-1, 15, 240].map(|constant| plus(dag, value, constant)));
            values.bounded()
        }),
    ];

    fn raw(&self, dag: &mut Dag) -> NodeId {
        let mut operands = match (dag.node(self.value), self.least) {
            (Node::Min(inner), true) | (Node::Max(inner), false) => inner.to_vec(),
            _ => vec![self.value],
        };
        operands.push(dag.int(self.bound.clone()));
        dag.intern_extremum(operands, self.least)
    }
}

/// `min(x, c) = x` where `x ≤ c`, `max(x, c) = x` where `x ≥ c`.
fn unreached(dag: &mut Dag, Bounded { value, bound, least }: &Bounded) -> Option<NodeId> {
    let range = dag.range(*value);
    let is_unreached = match least {
        true => range.high.as_ref().is_some_and(|high| high <= bound),
        false => range.low.as_ref().is_some_and(|low| low >= bound),
    };
    is_unreached.then_some(*value)
}

/// `n` for `2^n - 1`, `n > 0`.
fn ones(value: &Int) -> Option<u32> {
    let (width, signed) = Range::point(value.clone()).natural()?;
    (!signed && value == &(power(width) - Int::ONE)).then_some(width)
}

/// `min(clamp(x, w), 2^v - 1) = clamp(x, v)` for unsigned clamps and `v < w`.
fn narrower_clamp(dag: &mut Dag, Bounded { value, bound, least }: &Bounded) -> Option<NodeId> {
    let Node::Saturate { of, width, signed: false } = *dag.node(*value) else { return None };
    let narrower = ones(bound).filter(|narrower| *least && *narrower < width)?;
    Some(dag.saturate(of, narrower, false))
}

/// A value and its literal bound, of `min` or `max` of these two.
fn bounded_once(dag: &Dag, id: NodeId, least: bool) -> Option<(NodeId, Int)> {
    let operands = match (dag.node(id), least) {
        (Node::Min(operands), true) | (Node::Max(operands), false) => operands,
        _ => return None,
    };
    match **operands {
        [left, right] => match (dag.as_int(left), dag.as_int(right)) {
            (Some(bound), None) => Some((right, bound.clone())),
            (None, Some(bound)) => Some((left, bound.clone())),
            _ => None,
        },
        _ => None,
    }
}

/// `value` clamped between `low` and `2^width - 1`, if these are the bounds of a type.
fn clamp(dag: &mut Dag, value: NodeId, low: &Int, width: u32) -> Option<NodeId> {
    if low == &Int::ZERO {
        return Some(dag.saturate(value, width, false));
    }
    (low == &-power(width)).then(|| dag.saturate(value, width + 1, true))
}

/// `min(max(x, 0), 2^w - 1) = clamp(x, w)`, and signed with `-2^w` to `w + 1` bits.
fn clamp_from_above(dag: &mut Dag, Bounded { value, bound, least }: &Bounded) -> Option<NodeId> {
    let width = ones(bound).filter(|_| *least)?;
    let (value, low) = bounded_once(dag, *value, false)?;
    clamp(dag, value, &low, width)
}

/// `max(min(x, 2^w - 1), 0) = clamp(x, w)`, and signed with `-2^w` to `w + 1` bits.
fn clamp_from_below(dag: &mut Dag, Bounded { value, bound, least }: &Bounded) -> Option<NodeId> {
    let (value, high) = bounded_once(dag, *value, true).filter(|_| !least)?;
    clamp(dag, value, bound, ones(&high)?)
}

/// `min(x, 2^w - 1) = clamp(x, w)` where `x ≥ 0`, or signed to `w + 1` bits where `x ≥ -2^w`; `x` is bounded by its
/// operands, not by a maximum or clamp that is written.
fn low_in_range(dag: &mut Dag, Bounded { value, bound, least }: &Bounded) -> Option<NodeId> {
    let width = ones(bound).filter(|_| *least)?;
    if matches!(dag.node(*value), Node::Max(_) | Node::Saturate { signed: false, .. }) {
        return None;
    }
    let low = dag.range(*value).low.clone()?;
    if low >= Int::ZERO {
        return Some(dag.saturate(*value, width, false));
    }
    (low >= -power(width)).then(|| dag.saturate(*value, width + 1, true))
}

/// `max(x, 0) = clamp(x, w)` where the greatest value of `x` is `2^w - 1`; bits of an argument stay a maximum.
fn high_in_range(dag: &mut Dag, Bounded { value, bound, least }: &Bounded) -> Option<NodeId> {
    let is_leaf = matches!(*dag.node(*value), Node::Slice { of, .. } if dag.is_arg(of));
    let is_minimum = matches!(dag.node(*value), Node::Min(operands) if operands.len() == 2);
    if *least || is_leaf || is_minimum || bound != &Int::ZERO {
        return None;
    }
    let width = ones(dag.range(*value).high.as_ref()?)?;
    Some(dag.saturate(*value, width, false))
}

impl Subject for Saturate {
    const FAMILY: &'static str = "saturate";

    const LAWS: &'static [Law<Self>] = &[
        Law::new("fits", fits, |dag| {
            [(unsigned(dag, 0, 4), 4, false), (signed(dag, 1, 4), 4, true), (sum(dag, 3), 6, true)]
                .map(|(of, width, signed)| Saturate { of, width, signed })
                .to_vec()
        }),
        Law::new("clamp-of-clamp", clamp_of_clamp, |dag| {
            let value = sum_signed(dag, 7);
            [(6, true, 4, true), (6, true, 5, false), (5, false, 3, false)]
                .map(|(inner, from_signed, width, signed)| {
                    let of = dag.intern(Node::Saturate { of: value, width: inner, signed: from_signed });
                    Saturate { of, width, signed }
                })
                .to_vec()
        }),
    ];

    fn raw(&self, dag: &mut Dag) -> NodeId {
        let Saturate { of, width, signed } = *self;
        dag.intern(Node::Saturate { of, width, signed })
    }
}

/// `clamp(x, w) = x` where `w` bits hold every value of `x`.
fn fits(dag: &mut Dag, &Saturate { of, width, signed }: &Saturate) -> Option<NodeId> {
    dag.range(of).fits(width, signed).then_some(of)
}

impl Subject for Abs {
    const FAMILY: &'static str = "magnitude";

    const LAWS: &'static [Law<Self>] = &[
        Law::new("not-negative", not_negative, |dag| vec![Abs(unsigned(dag, 0, 4)), Abs(sum(dag, 4))]),
        Law::new("not-positive", not_positive, |dag| {
            let (value, square) = (unsigned(dag, 0, 4), square(dag, 3));
            vec![Abs(dag.neg(value)), Abs(dag.not(square))]
        }),
        Law::new("order", order, |dag| {
            let (x, y) = (unsigned(dag, 0, 4), signed(dag, 1, 4));
            let (difference, scaled) = (dag.sub(y, x), times(dag, x, -3));
            vec![Abs(difference), Abs(plus(dag, difference, 5)), Abs(plus(dag, scaled, 7))]
        }),
    ];

    fn raw(&self, dag: &mut Dag) -> NodeId {
        dag.intern(Node::Abs(self.0))
    }
}

/// `|x| = x` where `x ≥ 0`.
fn not_negative(dag: &mut Dag, &Abs(value): &Abs) -> Option<NodeId> {
    dag.range(value).is_non_negative().then_some(value)
}

/// `|x| = -x` where `x ≤ 0`.
fn not_positive(dag: &mut Dag, &Abs(value): &Abs) -> Option<NodeId> {
    let is_not_positive = dag.range(value).high.as_ref().is_some_and(|high| high <= &Int::ZERO);
    is_not_positive.then(|| dag.neg(value))
}

/// `|b - a| = |a - b|`: the term that reads the earlier argument is the one that is added, whatever its position.
fn order(dag: &mut Dag, &Abs(value): &Abs) -> Option<NodeId> {
    let Node::Sum { terms, constant } = dag.node(value) else { return None };
    let (_, first) = terms.iter().min_by_key(|(term, _)| reading_order(dag, *term))?;
    if first > &Int::ZERO {
        return None;
    }
    let negated: Vec<_> = terms.iter().map(|(term, factor)| (*term, -factor)).collect();
    let constant = -constant;
    let value = dag.linear(&negated, constant);
    Some(dag.intern(Node::Abs(value)))
}

/// An order of terms by what they read first, the same wherever they read it.
fn reading_order(dag: &Dag, id: NodeId) -> (u32, u32, NodeId) {
    let mut depth = 0;
    let mut first = id;
    loop {
        match dag.node(first) {
            Node::Arg(arg) => return (depth, *arg, id),
            node => match node.operands().first() {
                Some(operand) => first = *operand,
                None => return (depth, u32::MAX, id),
            },
        }
        depth += 1;
    }
}

/// `clamp(clamp(x, v), w) = clamp(x, w)` where `v` bits hold every number of `w` bits.
fn clamp_of_clamp(dag: &mut Dag, &Saturate { of, width, signed }: &Saturate) -> Option<NodeId> {
    let Node::Saturate { of: inner, width: wider, signed: from_signed } = *dag.node(of) else { return None };
    let holds = Range::of_width(width, signed).within(&Range::of_width(wider, from_signed));
    holds.then(|| dag.saturate(inner, width, signed))
}
