//! Constructors of bitwise nodes.

use super::Int;
use super::dag::{Dag, Node, NodeId, Part};

#[derive(Clone, Copy, PartialEq, Eq)]
enum Bitwise {
    And,
    Or,
    Xor,
}

impl Dag {
    /// Bitwise and in two's complement.
    pub fn and(&mut self, left: NodeId, right: NodeId) -> NodeId {
        self.bitwise(Bitwise::And, left, right)
    }

    /// Bitwise or in two's complement.
    pub fn or(&mut self, left: NodeId, right: NodeId) -> NodeId {
        if let Some(joined) = self.disjoint(left, right) {
            return joined;
        }
        if let Some(funnel) = self.funnel(left, right).or_else(|| self.funnel(right, left)) {
            return funnel;
        }
        self.bitwise(Bitwise::Or, left, right)
    }

    /// Bitwise exclusive or in two's complement.
    pub fn xor(&mut self, left: NodeId, right: NodeId) -> NodeId {
        self.bitwise(Bitwise::Xor, left, right)
    }

    /// Complement of every bit: `-1 - operand`.
    pub fn not(&mut self, operand: NodeId) -> NodeId {
        match self.node(operand) {
            Node::Const(value) => {
                let complement = -value - Int::ONE;
                self.int(complement)
            }
            Node::Not(inner) => *inner,
            _ => self.intern(Node::Not(operand)),
        }
    }

    fn bitwise(&mut self, op: Bitwise, left: NodeId, right: NodeId) -> NodeId {
        let mut operands: Vec<NodeId> = Vec::new();
        for operand in [left, right] {
            match (self.node(operand), op) {
                (Node::And(inner), Bitwise::And)
                | (Node::Or(inner), Bitwise::Or)
                | (Node::Xor(inner), Bitwise::Xor) => operands.extend(inner.iter().copied()),
                _ => operands.push(operand),
            }
        }
        let mut constant: Option<Int> = None;
        operands.retain(|operand| match self.node(*operand) {
            Node::Const(value) => {
                constant = Some(match (constant.take(), op) {
                    (None, _) => value.clone(),
                    (Some(folded), Bitwise::And) => folded & value,
                    (Some(folded), Bitwise::Or) => folded | value,
                    (Some(folded), Bitwise::Xor) => folded ^ value,
                });
                false
            }
            _ => true,
        });
        operands.sort_unstable();
        match op {
            Bitwise::Xor => {
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
            Bitwise::And | Bitwise::Or => operands.dedup(),
        }
        let minus_one = Int::from(-1);
        match (&constant, op) {
            (Some(value), Bitwise::And) if value == &Int::ZERO => return self.int(0),
            (Some(value), Bitwise::And) if value == &minus_one => constant = None,
            (Some(value), Bitwise::Or) if value == &minus_one => return self.int(-1),
            (Some(value), Bitwise::Or | Bitwise::Xor) if value == &Int::ZERO => constant = None,
            (Some(value), Bitwise::Xor) if value == &minus_one && !operands.is_empty() => {
                let rest = self.bitwise_of(op, operands);
                return self.not(rest);
            }
            // A mask of low ones is a slice.
            (Some(value), Bitwise::And) if value > &Int::ZERO && !operands.is_empty() => {
                use dashu_int::ops::BitTest;
                let width = value.bit_len();
                if value == &((Int::ONE << width) - Int::ONE) && width <= crate::MAX_WIDTH as usize {
                    let rest = self.bitwise_of(op, operands);
                    return self.slice(rest, 0, width as u32, false);
                }
            }
            _ => {}
        }
        if op == Bitwise::And && operands.len() >= 2 {
            operands = self.strip_covered_slices(operands);
        }
        if let Some(value) = constant {
            if op == Bitwise::Xor && value == Int::ONE && operands.len() == 1 && self.is_boolean(operands[0])
            {
                return self.complement(operands[0]);
            }
            operands.push(self.int(value));
            operands.sort_unstable();
        }
        self.bitwise_of(op, operands)
    }

    /// An operand of an `and` that another one bounds needs no truncation of its own.
    fn strip_covered_slices(&mut self, operands: Vec<NodeId>) -> Vec<NodeId> {
        let bound = operands
            .iter()
            .filter(|id| !matches!(self.node(**id), Node::Slice { of, .. } if !matches!(self.node(*of), Node::Arg(_))))
            .filter_map(|id| self.natural(*id).filter(|(_, signed)| !signed))
            .map(|(width, _)| width)
            .min();
        let Some(bound) = bound else { return operands };
        let mut stripped: Vec<NodeId> = operands
            .iter()
            .map(|id| match *self.node(*id) {
                Node::Slice { of, low: 0, width, signed: false }
                    if width >= bound && matches!(self.node(of), Node::Not(_)) =>
                {
                    of
                }
                _ => *id,
            })
            .collect();
        stripped.sort_unstable();
        stripped
    }

    fn bitwise_of(&mut self, op: Bitwise, operands: Vec<NodeId>) -> NodeId {
        match operands.as_slice() {
            [] => self.int(if op == Bitwise::And { -1 } else { 0 }),
            [operand] => *operand,
            _ => self.intern(match op {
                Bitwise::And => Node::And(operands.into()),
                Bitwise::Or => Node::Or(operands.into()),
                Bitwise::Xor => Node::Xor(operands.into()),
            }),
        }
    }

    /// `low >> n | high << (w - n)` in `w` bits: `w` bits of both side by side from position `n` on.
    fn funnel(&mut self, down: NodeId, up: NodeId) -> Option<NodeId> {
        let Node::Shr(low, count) = *self.node(down) else { return None };
        let Node::Slice { of, low: 0, width, signed: false } = *self.node(up) else { return None };
        let Node::Shl(high, complement) = *self.node(of) else { return None };
        let sum = self.sum(&[count, complement]);
        if self.as_i64(sum) != Some(i64::from(width)) || !self.range(low).fits(width, false) {
            return None;
        }
        if !self.range(count).is_non_negative() || !self.range(complement).is_non_negative() {
            return None;
        }
        let both = self.concat(&[Part { node: low, width }, Part { node: high, width }]);
        Some(self.slice_at(both, count, width, false))
    }

    /// `left | right` as a concatenation where no bit of the one meets a bit of the other.
    fn disjoint(&mut self, left: NodeId, right: NodeId) -> Option<NodeId> {
        let mut pieces = self.bits_apart(left)?;
        pieces.extend(self.bits_apart(right)?);
        pieces.sort_unstable_by_key(|(low, _)| *low);
        if pieces.windows(2).any(|pair| pair[0].0 + pair[0].1.width > pair[1].0) {
            return None;
        }
        let zero = self.int(0);
        let mut parts = Vec::with_capacity(2 * pieces.len());
        let mut end = 0;
        for (low, part) in pieces {
            parts.push(Part { node: zero, width: low - end });
            parts.push(part);
            end = low + part.width;
        }
        Some(self.concat(&parts))
    }

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
    let bits = value.bit_len() - 1;
    (value == &(Int::ONE << bits)).then_some(bits as u32)
}
