//! Operands and numbers from which the laws' instances are made.

use std::ops::Range;

use super::demand::Demand;
use super::extrema::Bounded;
use super::select::Select;
use super::shift::Shr;
use super::slice::Slice;
use crate::exact::Int;
use crate::exact::dag::{Dag, Node, NodeId, Part};

/// What the widths of values are multiplied by; literals and counts stay.
pub(super) const SCALES: [u32; 3] = [1, 2, 4];

/// A graph for instances at one scale. Its arguments: three for values, one for conditions and counts.
pub(super) fn graph(scale: u32) -> Dag {
    Dag::new(vec![16 * scale, 16 * scale, 8 * scale, 4])
}

fn scale(dag: &Dag) -> u32 {
    dag.arg_widths()[0] / 16
}

/// A width at the scale of the graph; bits stay bits.
pub(super) fn scaled(dag: &Dag, arg: u32, width: u32) -> u32 {
    if width == 1 || arg == 3 { width } else { width * scale(dag) }
}

/// The low bits of an argument, unsigned, at the scale of the graph.
pub(super) fn unsigned(dag: &mut Dag, arg: u32, width: u32) -> NodeId {
    let width = scaled(dag, arg, width);
    dag.arg_slice(arg, 0, width, false)
}

/// Bits of an argument from bit 1 on, as two's complement, at the scale of the graph.
pub(super) fn signed(dag: &mut Dag, arg: u32, width: u32) -> NodeId {
    let width = scaled(dag, arg, width);
    dag.arg_slice(arg, 1, width, true)
}

/// A part of a concatenation.
pub(super) fn part(node: NodeId, width: u32) -> Part {
    Part { node, width }
}

/// `factor·x`.
pub(super) fn times(dag: &mut Dag, x: NodeId, factor: i64) -> NodeId {
    dag.linear(&[(x, Int::from(factor))], Int::ZERO)
}

/// `x + constant`.
pub(super) fn plus(dag: &mut Dag, x: NodeId, constant: i64) -> NodeId {
    dag.linear(&[(x, Int::ONE)], Int::from(constant))
}

/// A sum of two unsigned values of `width` bits.
pub(super) fn sum(dag: &mut Dag, width: u32) -> NodeId {
    let (x, y) = (unsigned(dag, 0, width), unsigned(dag, 1, width));
    dag.sum(&[x, y])
}

/// A sum of two signed values of `width` bits.
pub(super) fn sum_signed(dag: &mut Dag, width: u32) -> NodeId {
    let (x, y) = (signed(dag, 0, width), signed(dag, 1, width));
    dag.sum(&[x, y])
}

/// The square of an unsigned value of `width` bits.
pub(super) fn square(dag: &mut Dag, width: u32) -> NodeId {
    let x = unsigned(dag, 0, width);
    dag.mul(x, x)
}

/// A product of signed values of `width` bits.
pub(super) fn signed_product(dag: &mut Dag, width: u32) -> NodeId {
    let (x, y) = (signed(dag, 0, width), signed(dag, 1, width));
    dag.mul(x, y)
}

/// `x < y` for values of 4 bits, the one unsigned, the other signed.
pub(super) fn comparison(dag: &mut Dag) -> NodeId {
    let (x, y) = (unsigned(dag, 0, 4), signed(dag, 1, 4));
    dag.lt(x, y)
}

/// The comparison negated: 0 or -1.
pub(super) fn negated_comparison(dag: &mut Dag) -> NodeId {
    let less = comparison(dag);
    dag.neg(less)
}

/// Slices of an argument and of a computed value, unsigned and signed.
pub(super) fn raw_slices(dag: &mut Dag) -> Vec<NodeId> {
    let (arg, value) = (dag.arg(0), signed_product(dag, 4));
    let (four, five) = (scaled(dag, 0, 4), scaled(dag, 0, 5));
    [(arg, 2, four), (value, 0, five), (value, 3, four)]
        .into_iter()
        .flat_map(|(of, low, width)| [false, true].map(|signed| Node::Slice { of, low, width, signed }))
        .map(|node| dag.intern(node))
        .collect()
}

/// Two, three and four parts side by side; a part may have more room than it needs, or be zeros.
pub(super) fn concats(dag: &mut Dag) -> Vec<NodeId> {
    let (x, y, z, zero) = (unsigned(dag, 0, 4), unsigned(dag, 1, 3), unsigned(dag, 2, 2), dag.int(0));
    let (square, scale) = (square(dag, 2), scale(dag));
    [
        vec![part(x, 4 * scale), part(y, 4 * scale)],
        vec![part(zero, 2), part(square, 5 * scale), part(z, 2 * scale)],
        vec![part(y, 3 * scale), part(zero, 1), part(x, 4 * scale), part(z, 2 * scale)],
    ]
    .map(|parts| dag.intern(Node::Concat(parts.into())))
    .to_vec()
}

/// `f·x` for even, odd and negative factors.
pub(super) fn multiples(dag: &mut Dag) -> Vec<NodeId> {
    let (x, y) = (unsigned(dag, 0, 4), signed(dag, 1, 4));
    let factors = [(x, 2), (x, 8), (x, 12), (x, 3), (y, 4), (y, -8), (y, 20), (y, 16)];
    factors.map(|(value, factor)| times(dag, value, factor)).to_vec()
}

/// Sums of one and of two terms with a constant.
pub(super) fn sums(dag: &mut Dag) -> Vec<NodeId> {
    let (x, y) = (unsigned(dag, 0, 4), signed(dag, 1, 4));
    let (both, scaled) = (dag.sub(x, y), times(dag, x, 3));
    [(x, 5), (y, -3), (both, 7), (scaled, -6)].map(|(value, constant)| plus(dag, value, constant)).to_vec()
}

/// Sums of multiples with a constant.
pub(super) fn scaled_sums(dag: &mut Dag) -> Vec<NodeId> {
    let (x, y) = (unsigned(dag, 0, 4), signed(dag, 1, 5));
    [(4, 4, 6), (4, 12, -3), (2, 8, 0), (8, 1, 3), (16, -1, 5), (32, 6, -8), (-8, 4, 12), (3, 8, 4)]
        .map(|(f, g, constant)| dag.linear(&[(x, Int::from(f)), (y, Int::from(g))], Int::from(constant)))
        .to_vec()
}

/// Bitwise operators on values of both signs, with and without a literal.
pub(super) fn bitwise(dag: &mut Dag) -> Vec<NodeId> {
    let (x, y, literal) = (unsigned(dag, 0, 7), signed(dag, 1, 5), dag.int(0b1010_0110));
    let z = unsigned(dag, 1, 6);
    let operands = |ids: &[NodeId]| {
        let mut ids = ids.to_vec();
        ids.sort_unstable();
        ids.into_boxed_slice()
    };
    [
        Node::And(operands(&[x, y])),
        Node::And(operands(&[x, z, literal])),
        Node::Or(operands(&[x, y, literal])),
        Node::Or(operands(&[x, z])),
        Node::Xor(operands(&[x, y])),
        Node::Xor(operands(&[x, z, literal])),
    ]
    .map(|node| dag.intern(node))
    .to_vec()
}

/// Pairs of values whose ranges meet, touch and are apart, in both orders.
pub(super) fn order_pairs<S>(dag: &mut Dag, make: fn(NodeId, NodeId) -> S) -> Vec<S> {
    let (x, y) = (unsigned(dag, 0, 4), signed(dag, 1, 4));
    let others = [7, 8, 15, 16, 23, 24, 40].map(|constant| plus(dag, y, constant));
    others.into_iter().flat_map(|other| [make(x, other), make(other, x)]).collect()
}

/// Minima and maxima of a value and a literal, as clamps leave them when the other bound is missing. One literal is older
/// than the value, which puts it on the left.
pub(super) fn clamps(dag: &mut Dag, least: bool) -> Vec<NodeId> {
    let bounds = if least { [3, 7, 15, 12] } else { [0, -4, -8, -16] };
    dag.int(bounds[1]);
    let value = sum_signed(dag, 5);
    let literals = bounds.map(|bound| dag.int(bound));
    literals
        .map(|literal| {
            let operands = [value.min(literal), value.max(literal)].into();
            dag.intern(if least { Node::Min(operands) } else { Node::Max(operands) })
        })
        .to_vec()
}

/// Choices between two literals.
pub(super) fn literal_choices(dag: &mut Dag) -> Vec<Select> {
    let mut subjects = Vec::new();
    for condition in [unsigned(dag, 3, 1), comparison(dag)] {
        for literal in [1, -1, 3, 7, 255, 5] {
            let (literal, zero) = (dag.int(literal), dag.int(0));
            let pairs = [(literal, zero), (zero, literal)];
            subjects.extend(pairs.map(|(then, otherwise)| Select { condition, then, otherwise }));
        }
    }
    subjects
}

/// Choices between a boolean and a literal.
pub(super) fn flag_choices(dag: &mut Dag) -> Vec<Select> {
    let (condition, zero, one) = (unsigned(dag, 3, 1), dag.int(0), dag.int(1));
    let mut subjects = Vec::new();
    for flag in [unsigned(dag, 0, 1), comparison(dag)] {
        for literal in [zero, one] {
            let pairs = [(literal, flag), (flag, literal)];
            subjects.extend(pairs.map(|(then, otherwise)| Select { condition, then, otherwise }));
        }
    }
    subjects
}

/// Choices between the two sides of a comparison.
pub(super) fn ordered_choices(dag: &mut Dag) -> Vec<Select> {
    let (x, y, literal) = (unsigned(dag, 0, 4), signed(dag, 1, 4), dag.int(5));
    let mut subjects = Vec::new();
    for (left, right) in [(x, y), (y, x), (x, literal), (y, literal)] {
        let condition = dag.lt(left, right);
        let pairs = [(left, right), (right, left)];
        subjects.extend(pairs.map(|(then, otherwise)| Select { condition, then, otherwise }));
    }
    subjects
}

/// Choices between a value, clamped on the other side or not, and a bound equal to or next to the one compared with.
pub(super) fn bounded_choices(dag: &mut Dag) -> Vec<Select> {
    let (x, y) = (signed(dag, 0, 4), signed(dag, 1, 5));
    let value = dag.sum(&[x, y]);
    let mut subjects = Vec::new();
    for bound in [-8, 0, 3, 9] {
        let literal = dag.int(bound);
        let condition = dag.lt(value, literal);
        let mut values = vec![value, dag.saturate(value, 5, false), dag.saturate(value, 4, false)];
        for other in [-9, 0, 10] {
            let other = dag.int(other);
            values.extend([dag.min(value, other), dag.max(value, other)]);
        }
        for kept in [bound - 1, bound, bound + 1] {
            let kept = dag.int(kept);
            let pairs = values.iter().flat_map(|value| [(*value, kept), (kept, *value)]);
            subjects.extend(pairs.map(|(then, otherwise)| Select { condition, then, otherwise }));
        }
    }
    subjects
}

/// Choices by a sign bit, and by other bits.
pub(super) fn sign_choices(dag: &mut Dag) -> Vec<Select> {
    let (value, zero) = (signed(dag, 0, 4), dag.int(0));
    let negated = dag.neg(value);
    let sign = scaled(dag, 0, 4);
    let conditions = [0, sign, sign + 1].map(|bit| dag.arg_slice(0, bit, 1, false));
    let choices = conditions
        .into_iter()
        .flat_map(|condition| [zero, negated].map(|then| Select { condition, then, otherwise: value }));
    choices.collect()
}

/// Shifts, whole and in part, guarded by limits below, at and above the width.
pub(super) fn guarded_shifts(dag: &mut Dag) -> Vec<Select> {
    let count = unsigned(dag, 3, 4);
    let (value, other, whole) = (unsigned(dag, 0, 6), signed(dag, 1, 6), dag.arg(2));
    let mut shifts = vec![];
    for value in [value, other] {
        let up = dag.intern(Node::Shl(value, count));
        let down = dag.intern(Node::Shr(value, count));
        shifts.push(down);
        for of in [up, down] {
            shifts.push(dag.intern(Node::Slice { of, low: 1, width: 4, signed: false }));
        }
    }
    shifts.push(dag.intern(Node::SliceAt { of: whole, base: 1, low: count, width: 3, signed: false }));
    let sign = dag.arg_slice(1, 6, 1, true);
    let low_sign = dag.slice(sign, 0, 4, false);
    let zero = dag.int(0);
    let mut subjects = Vec::new();
    for limit in 4..9 {
        let limit = dag.int(limit);
        let condition = dag.lt(count, limit);
        for otherwise in [zero, sign, low_sign] {
            subjects.extend(shifts.iter().map(|then| Select { condition, then: *then, otherwise }));
        }
    }
    subjects
}

/// Values with the numbers of one family.
pub(super) trait Values {
    /// Slices at, below and across the ends of the values.
    fn slices(self) -> Vec<Slice>;
    /// Demands for fewer and for more bits than the values have.
    fn demands(self) -> Vec<Demand>;
    /// Shifts by literals.
    fn shifts_right(self, dag: &mut Dag) -> Vec<Shr>;
    /// Literal bounds of both kinds.
    fn bounded(self) -> Vec<Bounded>;
    /// Pairs of a value and a literal.
    fn with_literals<S>(self, dag: &mut Dag, literals: Range<i64>, make: fn(NodeId, NodeId) -> S) -> Vec<S>;
}

impl<I: IntoIterator<Item = NodeId>> Values for I {
    fn slices(self) -> Vec<Slice> {
        let mut slices = Vec::new();
        for of in self {
            for low in [0, 1, 2, 3, 5, 8, 14] {
                for width in [1, 2, 3, 5, 9, 21] {
                    slices.extend([false, true].map(|signed| Slice { of, low, width, signed }));
                }
            }
        }
        slices
    }

    fn demands(self) -> Vec<Demand> {
        self.into_iter().flat_map(|of| [1, 2, 3, 4, 6, 7, 12, 20].map(|width| Demand { of, width })).collect()
    }

    fn shifts_right(self, dag: &mut Dag) -> Vec<Shr> {
        self.into_iter()
            .flat_map(|value| [1, 2, 3, 4, 6, 12, 20].map(|count| (value, count)))
            .map(|(value, count)| Shr { value, count: dag.int(count) })
            .collect()
    }

    fn bounded(self) -> Vec<Bounded> {
        let bounds = [-256, -16, -9, -8, -1, 0, 1, 3, 7, 15, 16, 31, 63, 255, 65535];
        self.into_iter()
            .flat_map(|value| bounds.map(|bound| (value, bound)))
            .flat_map(|(value, bound)| {
                [false, true].map(|least| Bounded { value, bound: bound.into(), least })
            })
            .collect()
    }

    fn with_literals<S>(self, dag: &mut Dag, literals: Range<i64>, make: fn(NodeId, NodeId) -> S) -> Vec<S> {
        self.into_iter()
            .flat_map(|value| literals.clone().map(move |literal| (value, literal)))
            .map(|(value, literal)| make(value, dag.int(literal)))
            .collect()
    }
}
