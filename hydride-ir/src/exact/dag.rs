//! The hash-consed graph of exact integers.
//!
//! Nodes are made by the constructors of [`Dag`] alone, which simplify as they go: constants fold, and the laws of
//! `laws/` bring a node into one form. Two nodes with one id are equal for all inputs; the reverse need not hold.

use dashu_int::Sign;
use rustc_hash::FxHashMap;
use serde::{Deserialize, Serialize};
use smallvec::{SmallVec, smallvec};

use super::Int;
use super::range::{Range, power};
use crate::bits::Bits;
use crate::float::{Float, FloatOp};

/// A node of a [`Dag`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
pub struct NodeId(pub(crate) u32);

impl NodeId {
    /// The node's position; operands have smaller ones than their users.
    pub fn position(self) -> usize {
        self.0 as usize
    }
}

/// A piece of a concatenation.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct Part {
    /// A value within `0..2^width`.
    pub node: NodeId,
    /// Bits that it takes.
    pub width: u32,
}

/// An exact integer.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub enum Node {
    /// A literal.
    Const(Int),
    /// A whole argument, read unsigned. It occurs only below [`Node::Slice`] and [`Node::SliceAt`].
    Arg(u32),
    /// Bits `low .. low + width` of `of` in two's complement, read as `signed` says.
    Slice {
        /// The integer read.
        of: NodeId,
        /// Lowest bit.
        low: u32,
        /// Number of bits.
        width: u32,
        /// Whether the top bit counts as negative.
        signed: bool,
    },
    /// A slice at a computed, non-negative position. Bits beyond the argument are zero.
    SliceAt {
        /// The integer read; not negative.
        of: NodeId,
        /// Constant part of the lowest bit's position.
        base: u32,
        /// What is added to `base`; not negative and without a constant part of its own.
        low: NodeId,
        /// Number of bits.
        width: u32,
        /// Whether the top bit counts as negative.
        signed: bool,
    },
    /// Parts side by side, least significant first.
    Concat(Box<[Part]>),
    /// `Σ coefficient·term + constant`, terms sorted, coefficients not zero.
    Sum {
        /// The terms with their coefficients.
        terms: Box<[(NodeId, Int)]>,
        /// The constant part.
        constant: Int,
    },
    /// A product of at least two factors, sorted.
    Mul(Box<[NodeId]>),
    /// `left · 2^count` for a computed count.
    Shl(NodeId, NodeId),
    /// `⌊left / 2^count⌋`.
    Shr(NodeId, NodeId),
    /// Bitwise and of sorted operands.
    And(Box<[NodeId]>),
    /// Bitwise or of sorted operands.
    Or(Box<[NodeId]>),
    /// Bitwise exclusive or of sorted operands.
    Xor(Box<[NodeId]>),
    /// Complement: `-1 - x`.
    Not(NodeId),
    /// 1 when equal, else 0; operands sorted.
    Eq(NodeId, NodeId),
    /// 1 when the first is less, else 0.
    Lt(NodeId, NodeId),
    /// 1 when the first is not greater, else 0.
    Le(NodeId, NodeId),
    /// The least of sorted operands.
    Min(Box<[NodeId]>),
    /// The greatest of sorted operands.
    Max(Box<[NodeId]>),
    /// Magnitude.
    Abs(NodeId),
    /// The value clamped into the range of `width` bits.
    Saturate {
        /// The value.
        of: NodeId,
        /// Width of the range in bits.
        width: u32,
        /// Whether the range is the signed one.
        signed: bool,
    },
    /// The second where the first is 1, else the third.
    Select(NodeId, NodeId, NodeId),
    /// Quotient rounded toward zero.
    Div(NodeId, NodeId),
    /// Remainder with the dividend's sign.
    Rem(NodeId, NodeId),
    /// Number of one bits of a non-negative integer.
    PopCount(NodeId),
    /// Zero bits above the highest one bit among the low `1` bits; the width for 0.
    LeadingZeros(NodeId, u32),
    /// Zero bits below the lowest one bit among the low `1` bits; the width for 0.
    TrailingZeros(NodeId, u32),
    /// A floating-point operator.
    Float {
        /// The operator.
        float: Float<u32>,
        /// Width in bits of the floating-point operands; of [`FloatOp::FromInt`] of the value.
        width: u32,
        /// Width in bits of the value.
        value: u32,
        /// Bit patterns, read unsigned; for [`FloatOp::FromInt`] an integer. Then the rounding mode, if there is one.
        operands: Box<[NodeId]>,
    },
}

impl Node {
    /// The operands, in order.
    pub fn operands(&self) -> SmallVec<[NodeId; 4]> {
        match self {
            Node::Const(_) | Node::Arg(_) => smallvec![],
            Node::Slice { of, .. } | Node::Saturate { of, .. } => smallvec![*of],
            Node::SliceAt { of, low, .. } => smallvec![*of, *low],
            Node::Concat(parts) => parts.iter().map(|part| part.node).collect(),
            Node::Sum { terms, .. } => terms.iter().map(|(term, _)| *term).collect(),
            Node::Mul(operands)
            | Node::And(operands)
            | Node::Or(operands)
            | Node::Xor(operands)
            | Node::Min(operands)
            | Node::Max(operands)
            | Node::Float { operands, .. } => SmallVec::from_slice(operands),
            Node::Shl(left, right)
            | Node::Shr(left, right)
            | Node::Eq(left, right)
            | Node::Lt(left, right)
            | Node::Le(left, right)
            | Node::Div(left, right)
            | Node::Rem(left, right) => smallvec![*left, *right],
            Node::Not(operand)
            | Node::Abs(operand)
            | Node::PopCount(operand)
            | Node::LeadingZeros(operand, _)
            | Node::TrailingZeros(operand, _) => smallvec![*operand],
            Node::Select(condition, then, otherwise) => smallvec![*condition, *then, *otherwise],
        }
    }
}

/// A hash-consed graph of exact integers over the arguments of one function.
pub struct Dag {
    nodes: Vec<Node>,
    ranges: Vec<Range>,
    ids: FxHashMap<Node, NodeId>,
    arg_widths: Vec<u32>,
    pub(super) slices: FxHashMap<(NodeId, u32, u32, bool), NodeId>,
    pub(super) demands: FxHashMap<(NodeId, u32), NodeId>,
}

impl Dag {
    /// A graph over arguments of the given widths in bits.
    pub fn new(arg_widths: Vec<u32>) -> Self {
        Self {
            nodes: Vec::new(),
            ranges: Vec::new(),
            ids: FxHashMap::default(),
            arg_widths,
            slices: FxHashMap::default(),
            demands: FxHashMap::default(),
        }
    }

    /// A node.
    pub fn node(&self, id: NodeId) -> &Node {
        &self.nodes[id.position()]
    }

    /// The interval that holds every value of a node.
    pub fn range(&self, id: NodeId) -> &Range {
        &self.ranges[id.position()]
    }

    /// The least width in bits and its signedness that hold a node; `None` when unbounded.
    pub fn natural(&self, id: NodeId) -> Option<(u32, bool)> {
        self.range(id).natural()
    }

    /// Number of nodes.
    pub fn len(&self) -> usize {
        self.nodes.len()
    }

    /// Whether there is no node yet.
    pub fn is_empty(&self) -> bool {
        self.nodes.is_empty()
    }

    /// Widths of the arguments in bits.
    pub fn arg_widths(&self) -> &[u32] {
        &self.arg_widths
    }

    /// A further argument of `width` bits; returns its number.
    pub fn add_arg(&mut self, width: u32) -> u32 {
        self.arg_widths.push(width);
        self.arg_widths.len() as u32 - 1
    }

    /// A literal.
    pub fn int(&mut self, value: impl Into<Int>) -> NodeId {
        self.intern(Node::Const(value.into()))
    }

    /// A literal from bits, read unsigned.
    pub fn bits(&mut self, bits: &Bits) -> NodeId {
        let words: Vec<_> = bits.words().iter().flat_map(|word| word.to_le_bytes()).collect();
        let magnitude = dashu_int::UBig::from_le_bytes(&words);
        self.int(Int::from_parts(Sign::Positive, magnitude))
    }

    /// The value of a literal node.
    pub fn as_int(&self, id: NodeId) -> Option<&Int> {
        match self.node(id) {
            Node::Const(value) => Some(value),
            _ => None,
        }
    }

    /// The value of a literal node that fits 64 bits.
    pub fn as_i64(&self, id: NodeId) -> Option<i64> {
        self.as_int(id).and_then(|value| i64::try_from(value).ok())
    }

    /// Whether the node is 0 or 1 for all inputs.
    pub fn is_boolean(&self, id: NodeId) -> bool {
        self.range(id).fits(1, false)
    }

    /// Whether the node is a whole argument.
    pub(super) fn is_arg(&self, id: NodeId) -> bool {
        matches!(self.node(id), Node::Arg(_))
    }

    /// Bits `low .. low + width` of an argument.
    pub fn arg_slice(&mut self, arg: u32, low: u32, width: u32, signed: bool) -> NodeId {
        let whole = self.intern(Node::Arg(arg));
        self.slice(whole, low, width, signed)
    }

    /// A whole argument as an operand of a slice.
    pub fn arg(&mut self, arg: u32) -> NodeId {
        self.intern(Node::Arg(arg))
    }

    pub(super) fn intern(&mut self, node: Node) -> NodeId {
        if let Some(id) = self.ids.get(&node) {
            return *id;
        }
        let id = NodeId(u32::try_from(self.nodes.len()).expect("fewer than 2^32 nodes"));
        let range = range_of(&node, &self.arg_widths, &|id| &self.ranges[id.position()]);
        self.nodes.push(node.clone());
        self.ranges.push(range);
        self.ids.insert(node, id);
        id
    }

    /// The least width and signedness that hold all of several nodes.
    pub fn joint_natural(&self, operands: &[NodeId]) -> Option<(u32, bool)> {
        joint_natural(operands, &|id| self.range(id))
    }
}

/// The interval that holds every value of `node`, from its operands' intervals.
pub(crate) fn range_of<'a>(node: &Node, arg_widths: &[u32], operand: &impl Fn(NodeId) -> &'a Range) -> Range {
    let range = |id: &NodeId| operand(*id);
    match node {
        Node::Const(value) => Range::point(value.clone()),
        Node::Arg(arg) => Range::of_width(arg_widths[*arg as usize], false),
        Node::Slice { width, signed, .. } | Node::SliceAt { width, signed, .. } => {
            Range::of_width(*width, *signed)
        }
        Node::Concat(parts) => {
            let mut position = 0;
            parts.iter().fold(Range::point(Int::ZERO), |sum, part| {
                let placed = operand(part.node).scale(&power(position));
                position += part.width;
                sum.add(&placed)
            })
        }
        Node::Sum { terms, constant } => {
            terms.iter().fold(Range::point(constant.clone()), |sum, (term, coefficient)| {
                sum.add(&range(term).scale(coefficient))
            })
        }
        Node::Mul(factors) => {
            let square = factors.len() == 2 && factors[0] == factors[1];
            let product =
                factors.iter().fold(Range::point(Int::ONE), |product, factor| product.mul(range(factor)));
            match product.high {
                Some(high) if square => Range::new(Int::ZERO, high),
                high => Range { high, low: product.low },
            }
        }
        Node::Shl(value, count) => match &range(count).high {
            Some(high) if high <= &Int::from(crate::MAX_WIDTH) => {
                let count = u32::try_from(high).unwrap_or(0);
                range(value).union(&range(value).scale(&power(count)))
            }
            _ if range(value).is_non_negative() => Range { low: Some(Int::ZERO), high: None },
            _ => Range::unbounded(),
        },
        Node::Shr(value, count) => shr_range(range(value), range(count)),
        Node::And(operands) => {
            let bounded: Vec<&Range> =
                operands.iter().map(range).filter(|range| range.is_non_negative()).collect();
            match bounded.iter().filter_map(|range| range.high.as_ref()).min() {
                Some(high) => Range::new(Int::ZERO, high.clone()),
                None if !bounded.is_empty() => Range { low: Some(Int::ZERO), high: None },
                None => bitwise_range(operands, operand),
            }
        }
        Node::Or(operands) | Node::Xor(operands) => bitwise_range(operands, operand),
        Node::Not(operand) => range(operand).scale(&Int::from(-1)).add(&Range::point(Int::from(-1))),
        Node::Eq(..) | Node::Lt(..) | Node::Le(..) => Range::new(Int::ZERO, Int::ONE),
        Node::Min(operands) => extremum_range(operands, true, operand),
        Node::Max(operands) => extremum_range(operands, false, operand),
        Node::Abs(operand) => {
            let own = range(operand);
            let negated = own.scale(&Int::from(-1));
            let high = own.union(&negated).high;
            Range { low: Some(Int::ZERO), high }
        }
        Node::Saturate { of, width, signed } => {
            let bounds = Range::of_width(*width, *signed);
            let own = range(of);
            let raised = own.extremum(&Range::point(bounds.low.clone().unwrap_or_default()), false);
            raised.extremum(&Range::point(bounds.high.unwrap_or_default()), true)
        }
        Node::Select(_, then, otherwise) => range(then).union(range(otherwise)),
        Node::Div(left, right) => {
            if range(left).is_non_negative() && range(right).low.as_ref().is_some_and(|low| low > &Int::ZERO)
            {
                Range { low: Some(Int::ZERO), high: range(left).high.clone() }
            } else {
                match joint_natural(&[*left, *right], operand) {
                    // The least value over -1 needs one bit more.
                    Some((width, signed)) => Range::of_width(width + u32::from(signed), signed),
                    None => Range::unbounded(),
                }
            }
        }
        Node::Rem(left, right) => match joint_natural(&[*left, *right], operand) {
            Some((width, signed)) => Range::of_width(width, signed),
            None => Range::unbounded(),
        },
        Node::PopCount(operand) => {
            let width = range(operand).natural().map_or(crate::MAX_WIDTH, |(width, _)| width);
            Range::new(Int::ZERO, Int::from(width))
        }
        Node::LeadingZeros(_, width) | Node::TrailingZeros(_, width) => {
            Range::new(Int::ZERO, Int::from(*width))
        }
        Node::Float { float, value, .. } => {
            Range::of_width(*value, float.op == FloatOp::ToInt && float.target == 1)
        }
    }
}

fn bitwise_range<'a>(operands: &[NodeId], range: &impl Fn(NodeId) -> &'a Range) -> Range {
    match joint_natural(operands, range) {
        Some((width, signed)) => Range::of_width(width, signed),
        None if operands.iter().all(|id| range(*id).is_non_negative()) => {
            Range { low: Some(Int::ZERO), high: None }
        }
        None => Range::unbounded(),
    }
}

fn extremum_range<'a>(operands: &[NodeId], least: bool, range: &impl Fn(NodeId) -> &'a Range) -> Range {
    let mut ranges = operands.iter().map(|id| range(*id));
    let first = ranges.next().cloned().unwrap_or_else(Range::unbounded);
    ranges.fold(first, |joined, range| joined.extremum(range, least))
}

/// The least width and signedness that hold all of several nodes.
pub(crate) fn joint_natural<'a>(
    operands: &[NodeId],
    range: &impl Fn(NodeId) -> &'a Range,
) -> Option<(u32, bool)> {
    let mut ranges = operands.iter().map(|id| range(*id));
    let first = ranges.next()?.clone();
    ranges.fold(first, |joined, range| joined.union(range)).natural()
}

/// Range of `⌊value / 2^count⌋`.
fn shr_range(value: &Range, count: &Range) -> Range {
    let count_of = |bound: &Option<Int>| {
        bound.as_ref().map_or(crate::MAX_WIDTH, |bound| u32::try_from(bound).unwrap_or(crate::MAX_WIDTH))
    };
    let (least, most) =
        (count_of(&count.low).min(crate::MAX_WIDTH), count_of(&count.high).min(crate::MAX_WIDTH));
    let shift = |bound: &Option<Int>, outward: bool| {
        bound.as_ref().map(|bound| {
            let negative = bound.sign() == Sign::Negative;
            bound >> (if negative == outward { least } else { most }) as usize
        })
    };
    Range { low: shift(&value.low, true), high: shift(&value.high, false) }
}
