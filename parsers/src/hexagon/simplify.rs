//! Forms that HVX texts use for what the graph has a plainer node for: bits picked out by a mask,
//! joined by `|`, tested against 0; and values that one bit of an operand decides.

use dashu_int::ops::BitTest;
use hydride_ir::exact::{Int, Node, NodeId};

use super::machine::Machine;

impl Machine {
    /// `left & right`; a run of bits picked by a literal is a shifted slice.
    pub(super) fn and_bits(&mut self, left: NodeId, right: NodeId) -> NodeId {
        for (value, mask) in [(left, right), (right, left)] {
            let Some(mask) = self.dag.as_int(mask) else { continue };
            if mask <= &Int::ZERO || self.dag.as_int(value).is_some() {
                continue;
            }
            let (low, end) = (mask.trailing_zeros().unwrap_or(0), mask.bit_len());
            let is_run = (mask >> low) + Int::ONE == Int::ONE << (end - low);
            if is_run && low > 0 && end <= hydride_ir::MAX_WIDTH as usize {
                let bits = self.dag.slice(value, low as u32, (end - low) as u32, false);
                let low = self.dag.int(low);
                return self.dag.shl(bits, low);
            }
        }
        self.dag.and(left, right)
    }

    /// `left | right`; where no bit of one meets a bit of the other it is their sum.
    pub(super) fn or_bits(&mut self, left: NodeId, right: NodeId) -> NodeId {
        match self.disjoint(left, right).or_else(|| self.disjoint(right, left)) {
            Some(sum) => sum,
            None => self.dag.or(left, right),
        }
    }

    /// `high | low` as a sum, where `high` is signed and a multiple of a power of two above `low`.
    fn disjoint(&mut self, high: NodeId, low: NodeId) -> Option<NodeId> {
        let Node::Sum { terms, constant } = self.dag.node(high) else { return None };
        if constant != &Int::ZERO || !self.dag.natural(high)?.1 {
            return None;
        }
        let zeros = terms.iter().filter_map(|(_, factor)| factor.trailing_zeros()).min()?;
        let (width, signed) = self.dag.natural(low)?;
        (!signed && width as usize <= zeros).then(|| self.dag.sum(&[high, low]))
    }

    /// Whether a value is not 0, as 0 or 1.
    pub(super) fn truth(&mut self, value: NodeId) -> NodeId {
        let value = self.unscaled(value).map_or(value, |(value, _)| value);
        if self.dag.is_boolean(value) {
            return value;
        }
        let zero = self.dag.int(0);
        self.dag.ne(value, zero)
    }

    /// `left == right`; common factors do not matter.
    pub(super) fn equal(&mut self, left: NodeId, right: NodeId) -> NodeId {
        let zero = Int::ZERO;
        let divided = match (self.unscaled(left), self.unscaled(right)) {
            (Some((a, by)), Some((b, other))) if by == other => Some((a, b)),
            (Some((a, by)), None) => self.quotient(right, &by).map(|b| (a, b)),
            (None, Some((b, by))) => self.quotient(left, &by).map(|a| (a, b)),
            _ => None,
        };
        let (left, right) = divided.unwrap_or((left, right));
        if self.dag.as_int(right) == Some(&zero) {
            let truth = self.truth(left);
            return self.dag.complement(truth);
        }
        self.dag.eq(left, right)
    }

    /// A literal divided by a number that divides it.
    fn quotient(&mut self, literal: NodeId, by: &Int) -> Option<NodeId> {
        let literal = self.dag.as_int(literal)?;
        if literal % by != Int::ZERO {
            return None;
        }
        let quotient = literal / by;
        Some(self.dag.int(quotient))
    }

    /// The value and factor of a value that is one term's multiple.
    fn unscaled(&self, value: NodeId) -> Option<(NodeId, Int)> {
        match self.dag.node(value) {
            Node::Sum { terms, constant } if terms.len() == 1 && constant == &Int::ZERO => {
                Some(terms[0].clone())
            }
            _ => None,
        }
    }

    /// A value that one bit decides: the bit, the value where it is 1, and where it is 0.
    pub(super) fn two_valued(&mut self, value: NodeId) -> Option<(NodeId, Int, Int)> {
        if self.dag.is_boolean(value) && self.dag.as_int(value).is_none() {
            return Some((value, Int::ONE, Int::ZERO));
        }
        match self.dag.node(value).clone() {
            Node::Sum { terms, constant } if terms.len() == 1 => {
                let (condition, then, otherwise) = self.two_valued(terms[0].0)?;
                let scaled = |value: Int| value * &terms[0].1 + &constant;
                Some((condition, scaled(then), scaled(otherwise)))
            }
            Node::Slice { of, low, width: 1, signed: true } => {
                Some((self.dag.slice(of, low, 1, false), Int::from(-1), Int::ZERO))
            }
            Node::Slice { of, low, width, signed: false } if !matches!(self.dag.node(of), Node::Arg(_)) => {
                let (condition, then, otherwise) = self.two_valued(of)?;
                let mask = (Int::ONE << width as usize) - Int::ONE;
                let cut = |value: Int| (value >> low as usize) & &mask;
                Some((condition, cut(then), cut(otherwise)))
            }
            Node::Select(condition, then, otherwise) => {
                let (then, otherwise) = (self.dag.as_int(then)?, self.dag.as_int(otherwise)?);
                Some((condition, then.clone(), otherwise.clone()))
            }
            _ => None,
        }
    }
}
