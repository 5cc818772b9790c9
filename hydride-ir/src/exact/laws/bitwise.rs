//! Bitwise operators in two's complement: flat, sorted, their literals in one.

use dashu_int::Sign;

use super::{Law, Subject, instances::*};
use crate::exact::Int;
use crate::exact::dag::{Dag, Node, NodeId, Part};
use crate::exact::range::power;

/// A commutative bitwise operator.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Operator {
    And,
    Or,
    Xor,
}

/// An operator on sorted operands without literals, and at most one literal that matters; together at least two.
#[derive(Clone)]
pub(super) struct Bitwise {
    pub op: Operator,
    pub operands: Vec<NodeId>,
    pub literal: Option<Int>,
}

/// Two operands of an operator as they are given.
#[derive(Clone, Copy)]
pub(super) struct Pair {
    pub op: Operator,
    pub left: NodeId,
    pub right: NodeId,
}

/// The complement `-1 - x`.
#[derive(Clone, Copy)]
pub(super) struct Not(pub NodeId);

impl Dag {
    /// Bitwise and in two's complement.
    pub fn and(&mut self, left: NodeId, right: NodeId) -> NodeId {
        self.bitwise(Operator::And, left, right)
    }

    /// Bitwise or in two's complement.
    pub fn or(&mut self, left: NodeId, right: NodeId) -> NodeId {
        self.bitwise(Operator::Or, left, right)
    }

    /// Bitwise exclusive or in two's complement.
    pub fn xor(&mut self, left: NodeId, right: NodeId) -> NodeId {
        self.bitwise(Operator::Xor, left, right)
    }

    fn bitwise(&mut self, op: Operator, left: NodeId, right: NodeId) -> NodeId {
        let pair = Pair { op, left, right };
        self.simplify(&pair).expect("the last law always holds")
    }

    /// Complement of every bit: `-1 - operand`.
    pub fn not(&mut self, operand: NodeId) -> NodeId {
        match self.as_int(operand) {
            Some(value) => {
                let complement = -value - Int::ONE;
                self.int(complement)
            }
            None => self.make(&Not(operand)),
        }
    }

    /// The operands of a bitwise operator, each rewritten, under the same operator.
    pub(super) fn each_operand(
        &mut self,
        of: NodeId,
        rewrite: impl Fn(&mut Self, NodeId) -> NodeId,
    ) -> Option<NodeId> {
        let (op, operands) = match self.node(of) {
            Node::And(operands) => (Operator::And, operands),
            Node::Or(operands) => (Operator::Or, operands),
            Node::Xor(operands) => (Operator::Xor, operands),
            _ => return None,
        };
        let operands: Vec<NodeId> = operands.clone().into_iter().map(|id| rewrite(self, id)).collect();
        operands.into_iter().reduce(|joined, operand| self.bitwise(op, joined, operand))
    }

    fn intern_bitwise(&mut self, op: Operator, operands: Vec<NodeId>) -> NodeId {
        match operands[..] {
            [operand] => operand,
            _ => self.intern(match op {
                Operator::And => Node::And(operands.into()),
                Operator::Or => Node::Or(operands.into()),
                Operator::Xor => Node::Xor(operands.into()),
            }),
        }
    }
}

impl Subject for Not {
    const FAMILY: &'static str = "not";

    const LAWS: &'static [Law<Self>] = &[Law::new("twice", twice, |dag| {
        [unsigned(dag, 0, 4), signed(dag, 1, 4)].map(|value| Not(dag.intern(Node::Not(value)))).to_vec()
    })];

    fn raw(&self, dag: &mut Dag) -> NodeId {
        dag.intern(Node::Not(self.0))
    }
}

/// `~~x = x`.
fn twice(dag: &mut Dag, &Not(operand): &Not) -> Option<NodeId> {
    match *dag.node(operand) {
        Node::Not(inner) => Some(inner),
        _ => None,
    }
}

impl Subject for Pair {
    const FAMILY: &'static str = "bitwise-pair";

    const LAWS: &'static [Law<Self>] = &[
        Law::new("disjoint", disjoint, |dag| {
            let (low, high, wide) = (unsigned(dag, 0, 3), unsigned(dag, 1, 4), unsigned(dag, 0, 5));
            let (moved, far, both) = (times(dag, high, 8), times(dag, high, 64), concats(dag)[0]);
            [(low, moved), (far, low), (moved, low), (wide, far), (both, times(dag, high, 256))]
                .map(|(left, right)| Pair { op: Operator::Or, left, right })
                .to_vec()
        }),
        Law::new("funnel", funnel, |dag| {
            let mut subjects = Vec::new();
            for width in [4, 8] {
                let (low, high, count) =
                    (unsigned(dag, 0, width), unsigned(dag, 1, width), unsigned(dag, 3, 2));
                let width = scaled(dag, 0, width);
                let opposite = dag.linear(&[(count, Int::from(-1))], Int::from(width));
                let shifted = dag.intern(Node::Shl(high, opposite));
                let up = dag.intern(Node::Slice { of: shifted, low: 0, width, signed: false });
                let down = dag.intern(Node::Shr(low, count));
                subjects.extend([(down, up), (up, down)].map(|(left, right)| Pair {
                    op: Operator::Or,
                    left,
                    right,
                }));
            }
            subjects
        }),
        Law::new("flat", flat, |dag| {
            let (x, y, six, minus, zero) =
                (signed(dag, 0, 4), signed(dag, 1, 4), dag.int(6), dag.int(-1), dag.int(0));
            let mut subjects = Vec::new();
            for op in [Operator::And, Operator::Or, Operator::Xor] {
                let inner = Bitwise { op, operands: vec![x, y], literal: Some(Int::from(5)) }.raw(dag);
                let pairs = [(x, y), (inner, x), (six, inner), (inner, inner), (x, x), (x, zero), (minus, y)];
                subjects.extend(pairs.map(|(left, right)| Pair { op, left, right }));
            }
            subjects
        }),
    ];

    fn raw(&self, dag: &mut Dag) -> NodeId {
        dag.intern_bitwise(self.op, vec![self.left, self.right])
    }
}

/// `(x & c) & (x & d) = x & (c & d)`; `x ^ x = 0` and neutral literals go. So for all three operators.
fn flat(dag: &mut Dag, &Pair { op, left, right }: &Pair) -> Option<NodeId> {
    let mut operands: Vec<NodeId> = Vec::new();
    for operand in [left, right] {
        match (dag.node(operand), op) {
            (Node::And(inner), Operator::And)
            | (Node::Or(inner), Operator::Or)
            | (Node::Xor(inner), Operator::Xor) => operands.extend(inner.iter().copied()),
            _ => operands.push(operand),
        }
    }
    let (neutral, absorbing) = match op {
        Operator::And => (Int::from(-1), Some(Int::ZERO)),
        Operator::Or => (Int::ZERO, Some(Int::from(-1))),
        Operator::Xor => (Int::ZERO, None),
    };
    let mut literal = neutral.clone();
    operands.retain(|operand| match (dag.as_int(*operand), op) {
        (Some(value), Operator::And) => {
            literal &= value;
            false
        }
        (Some(value), Operator::Or) => {
            literal |= value;
            false
        }
        (Some(value), Operator::Xor) => {
            literal ^= value;
            false
        }
        (None, _) => true,
    });
    operands.sort_unstable();
    match op {
        Operator::Xor => {
            let mut odd: Vec<NodeId> = Vec::new();
            for operand in operands {
                if odd.last() == Some(&operand) {
                    odd.pop();
                } else {
                    odd.push(operand);
                }
            }
            operands = odd;
        }
        Operator::And | Operator::Or => operands.dedup(),
    }
    if operands.is_empty() || absorbing.as_ref() == Some(&literal) {
        return Some(dag.int(literal));
    }
    let literal = (literal != neutral).then_some(literal);
    if literal.is_none() && operands.len() == 1 {
        return Some(operands[0]);
    }
    Some(dag.make(&Bitwise { op, operands, literal }))
}

/// `x | y = {y, 0, x}` where no bit of the one meets a bit of the other.
fn disjoint(dag: &mut Dag, &Pair { op, left, right }: &Pair) -> Option<NodeId> {
    if op != Operator::Or {
        return None;
    }
    let mut pieces = dag.bits_apart(left)?;
    pieces.extend(dag.bits_apart(right)?);
    pieces.sort_unstable_by_key(|(low, _)| *low);
    if pieces.windows(2).any(|pair| pair[0].0 + pair[0].1.width > pair[1].0) {
        return None;
    }
    let zero = dag.int(0);
    let mut parts = Vec::new();
    let mut end = 0;
    for (low, part) in pieces {
        parts.push(Part { node: zero, width: low - end });
        parts.push(part);
        end = low + part.width;
    }
    Some(dag.concat(&parts))
}

impl Dag {
    /// The parts of a non-negative value that may have one bits, each with its lowest bit's position.
    fn bits_apart(&self, id: NodeId) -> Option<Vec<(u32, Part)>> {
        match self.node(id) {
            Node::Concat(parts) => {
                let mut low = 0;
                let mut found = Vec::with_capacity(parts.len());
                for part in parts {
                    if let Some((width, false)) = self.natural(part.node)
                        && width > 0
                        && self.as_int(part.node) != Some(&Int::ZERO)
                    {
                        found.push((low, Part { node: part.node, width }));
                    }
                    low += part.width;
                }
                Some(found)
            }
            Node::Sum { terms, constant } if terms.len() == 1 && constant == &Int::ZERO => {
                let (term, factor) = &terms[0];
                let shift = exponent(factor)?;
                let inner = self.bits_apart(*term)?;
                let found: Vec<_> = inner.into_iter().map(|(low, part)| (low + shift, part)).collect();
                found.iter().all(|(low, part)| low + part.width <= crate::MAX_WIDTH).then_some(found)
            }
            _ => match self.natural(id)? {
                (width, false) => Some(vec![(0, Part { node: id, width })]),
                _ => None,
            },
        }
    }
}

/// `n` when the value is `2^n` with `n > 0`.
fn exponent(value: &Int) -> Option<u32> {
    use dashu_int::ops::BitTest;
    if value <= &Int::ONE {
        return None;
    }
    let bits = value.bit_len() as u32 - 1;
    (value == &power(bits)).then_some(bits)
}

/// `x >> n | (y << (w - n))[0 +: w] = {y, x}[n +: w]` for `x` of `w` bits, in either order.
fn funnel(dag: &mut Dag, &Pair { op, left, right }: &Pair) -> Option<NodeId> {
    if op != Operator::Or {
        return None;
    }
    ordered_funnel(dag, left, right).or_else(|| ordered_funnel(dag, right, left))
}

fn ordered_funnel(dag: &mut Dag, down: NodeId, up: NodeId) -> Option<NodeId> {
    let Node::Shr(low, count) = *dag.node(down) else { return None };
    let Node::Slice { of, low: 0, width, signed: false } = *dag.node(up) else { return None };
    let Node::Shl(high, complement) = *dag.node(of) else { return None };
    let sum = dag.sum(&[count, complement]);
    if dag.as_i64(sum) != Some(i64::from(width)) || !dag.range(low).fits(width, false) {
        return None;
    }
    if !dag.range(count).is_non_negative() || !dag.range(complement).is_non_negative() {
        return None;
    }
    let both = dag.concat(&[Part { node: low, width }, Part { node: high, width }]);
    Some(dag.slice_at(both, count, width, false))
}

impl Subject for Bitwise {
    const FAMILY: &'static str = "bitwise";

    const LAWS: &'static [Law<Self>] = &[
        Law::new("complement", complement, |dag| {
            let (x, y) = (signed(dag, 0, 4), unsigned(dag, 1, 3));
            [vec![x], vec![x, y]]
                .map(|operands| Bitwise { op: Operator::Xor, operands, literal: Some(Int::from(-1)) })
                .to_vec()
        }),
        Law::new("low-ones", low_ones, |dag| {
            let (x, y) = (signed(dag, 0, 4), unsigned(dag, 1, 5));
            [(vec![x], 3), (vec![x, y], 7), (vec![y], 1), (vec![x], 15)]
                .map(|(operands, mask)| Bitwise { op: Operator::And, operands, literal: Some(mask.into()) })
                .to_vec()
        }),
        Law::new("covered-slice", covered_slice, |dag| {
            let (x, y, wide) = (unsigned(dag, 0, 4), signed(dag, 1, 4), unsigned(dag, 1, 9));
            let mut subjects = Vec::new();
            for (value, width) in [(x, 4), (x, 6), (y, 4), (wide, 6)] {
                let not = dag.intern(Node::Not(value));
                let cut = dag.intern(Node::Slice { of: not, low: 0, width, signed: false });
                let operands = vec![x, cut];
                subjects.push(Bitwise { op: Operator::And, operands: operands.clone(), literal: None });
                subjects.push(Bitwise { op: Operator::And, operands, literal: Some(Int::from(9)) });
            }
            subjects
        }),
        Law::new("flag", flag, |dag| {
            [unsigned(dag, 0, 1), comparison(dag)]
                .map(|flag| Bitwise { op: Operator::Xor, operands: vec![flag], literal: Some(Int::ONE) })
                .to_vec()
        }),
        Law::new("top-bit", top_bit, |dag| {
            let operands = [unsigned(dag, 0, 4), unsigned(dag, 2, 3)];
            let widths = [scaled(dag, 0, 4), scaled(dag, 2, 3)];
            let subject = |(operand, width)| {
                let literal = Some(power(width - 1));
                Bitwise { op: Operator::Xor, operands: vec![operand], literal }
            };
            operands.into_iter().zip(widths).map(subject).collect()
        }),
    ];

    fn raw(&self, dag: &mut Dag) -> NodeId {
        let mut operands = self.operands.clone();
        if let Some(literal) = &self.literal {
            operands.push(dag.int(literal.clone()));
            operands.sort_unstable();
        }
        dag.intern_bitwise(self.op, operands)
    }
}

/// `x ^ -1 = ~x`.
fn complement(dag: &mut Dag, Bitwise { op, operands, literal }: &Bitwise) -> Option<NodeId> {
    if *op != Operator::Xor || literal != &Some(Int::from(-1)) {
        return None;
    }
    let rest = dag.intern_bitwise(*op, operands.clone());
    Some(dag.not(rest))
}

/// `x & (2^w - 1) = x[0 +: w]`.
fn low_ones(dag: &mut Dag, Bitwise { op, operands, literal }: &Bitwise) -> Option<NodeId> {
    use dashu_int::ops::BitTest;
    let mask = literal.as_ref().filter(|mask| *op == Operator::And && mask.sign() == Sign::Positive)?;
    let width = u32::try_from(mask.bit_len()).ok().filter(|width| *width <= crate::MAX_WIDTH)?;
    if mask != &(power(width) - Int::ONE) {
        return None;
    }
    let rest = dag.intern_bitwise(*op, operands.clone());
    Some(dag.slice(rest, 0, width, false))
}

/// `x & (~y)[0 +: w] = x & ~y` where `0 ≤ x < 2^w`: what another operand bounds needs no truncation of its own.
fn covered_slice(dag: &mut Dag, bitwise: &Bitwise) -> Option<NodeId> {
    let Bitwise { op: Operator::And, operands, literal } = bitwise else { return None };
    let is_cut = |id: &&NodeId| matches!(*dag.node(**id), Node::Slice { of, .. } if !dag.is_arg(of));
    let bound = operands
        .iter()
        .filter(|id| !is_cut(id))
        .filter_map(|id| dag.natural(*id).filter(|(_, signed)| !signed))
        .map(|(width, _)| width)
        .min()?;
    let mut stripped: Vec<NodeId> = operands
        .iter()
        .map(|id| match *dag.node(*id) {
            Node::Slice { of, low: 0, width, signed: false }
                if width >= bound && matches!(dag.node(of), Node::Not(_)) =>
            {
                of
            }
            _ => *id,
        })
        .collect();
    stripped.sort_unstable();
    if &stripped == operands {
        return None;
    }
    Some(Bitwise { op: Operator::And, operands: stripped, literal: literal.clone() }.raw(dag))
}

/// `b ^ 1 = complement(b)` for a boolean `b`.
fn flag(dag: &mut Dag, Bitwise { op, operands, literal }: &Bitwise) -> Option<NodeId> {
    let [operand] = operands[..] else { return None };
    let is_flag = *op == Operator::Xor && literal == &Some(Int::ONE) && dag.is_boolean(operand);
    is_flag.then(|| dag.complement(operand))
}

/// `x ^ 2^(w - 1) = {1 - x[w - 1], x[0 +: w - 1]}` for `0 ≤ x < 2^w` and `w > 1`: a sign bit that changes is a bit of its
/// own, whatever the width.
fn top_bit(dag: &mut Dag, Bitwise { op, operands, literal }: &Bitwise) -> Option<NodeId> {
    let ([operand], Operator::Xor) = (&operands[..], op) else { return None };
    let rest = exponent(literal.as_ref()?)?;
    if dag.natural(*operand) != Some((rest + 1, false)) {
        return None;
    }
    let (below, top) = (dag.slice(*operand, 0, rest, false), dag.slice(*operand, rest, 1, false));
    let changed = dag.complement(top);
    Some(dag.concat(&[Part { node: below, width: rest }, Part { node: changed, width: 1 }]))
}
