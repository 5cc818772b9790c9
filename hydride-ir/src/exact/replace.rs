//! Expressions with some of their parts exchanged.

use rustc_hash::FxHashMap;

use super::dag::{Dag, Node, NodeId, Part};
use super::raise::Segment;

/// What nodes become; filled in with what is made of others on the way.
pub type Replacements = FxHashMap<NodeId, NodeId>;

impl Dag {
    /// The value of `id` with the nodes of `replacements` exchanged, made anew by the constructors. A whole
    /// argument may be exchanged for any value that is not negative and no wider.
    pub fn replace(&mut self, id: NodeId, replacements: &mut Replacements) -> NodeId {
        if let Some(known) = replacements.get(&id) {
            return *known;
        }
        let made = match self.node(id).clone() {
            Node::Const(_) | Node::Arg(_) => id,
            node => self.remake(node, &mut |dag, id| dag.replace(id, replacements)).unwrap_or(id),
        };
        replacements.insert(id, made);
        made
    }

    /// A node, of this graph or of another one, made anew by the constructors; `operand` says what each of its operands
    /// becomes. `None` for a quotient by zero.
    pub fn remake(
        &mut self,
        node: Node,
        operand: &mut impl FnMut(&mut Self, NodeId) -> NodeId,
    ) -> Option<NodeId> {
        Some(match node {
            Node::Const(value) => self.int(value),
            Node::Arg(arg) => self.arg(arg),
            Node::Slice { of, low, width, signed } => {
                let of = operand(self, of);
                self.slice(of, low, width, signed)
            }
            Node::SliceAt { of, base, low, width, signed } => {
                let of = operand(self, of);
                let low = operand(self, low);
                let low = self.linear(&[(low, super::Int::ONE)], base.into());
                self.slice_at(of, low, width, signed)
            }
            Node::Concat(parts) => {
                let parts: Vec<Part> = parts
                    .iter()
                    .map(|part| Part { node: operand(self, part.node), width: part.width })
                    .collect();
                self.concat(&parts)
            }
            Node::Sum { terms, constant } => {
                let terms: Vec<_> =
                    terms.iter().map(|(term, factor)| (operand(self, *term), factor.clone())).collect();
                self.linear(&terms, constant)
            }
            Node::Mul(operands) => self.joined(&operands, operand, Self::mul),
            Node::And(operands) => self.joined(&operands, operand, Self::and),
            Node::Or(operands) => self.joined(&operands, operand, Self::or),
            Node::Xor(operands) => self.joined(&operands, operand, Self::xor),
            Node::Min(operands) => self.joined(&operands, operand, Self::min),
            Node::Max(operands) => self.joined(&operands, operand, Self::max),
            Node::Shl(left, right) => self.both(left, right, operand, Self::shl),
            Node::Shr(left, right) => self.both(left, right, operand, Self::shr),
            Node::Eq(left, right) => self.both(left, right, operand, Self::eq),
            Node::Lt(left, right) => self.both(left, right, operand, Self::lt),
            Node::Le(left, right) => self.both(left, right, operand, Self::le),
            Node::Div(left, right) => {
                let (left, right) = (operand(self, left), operand(self, right));
                self.div(left, right)?
            }
            Node::Rem(left, right) => {
                let (left, right) = (operand(self, left), operand(self, right));
                self.rem(left, right)?
            }
            Node::Not(inner) => {
                let inner = operand(self, inner);
                self.not(inner)
            }
            Node::Abs(inner) => {
                let inner = operand(self, inner);
                self.abs(inner)
            }
            Node::Saturate { of, width, signed } => {
                let of = operand(self, of);
                self.saturate(of, width, signed)
            }
            Node::Select(condition, then, otherwise) => {
                let condition = operand(self, condition);
                let (then, otherwise) = (operand(self, then), operand(self, otherwise));
                self.select(condition, then, otherwise)
            }
            Node::PopCount(inner) => {
                let inner = operand(self, inner);
                self.popcount(inner)
            }
            Node::LeadingZeros(inner, width) => {
                let inner = operand(self, inner);
                self.leading_zeros(inner, width)
            }
            Node::TrailingZeros(inner, width) => {
                let inner = operand(self, inner);
                self.trailing_zeros(inner, width)
            }
            Node::Float { float, width, value, operands } => {
                let operands: Vec<NodeId> = operands.iter().map(|id| operand(self, *id)).collect();
                self.float(float, width, value, &operands)
            }
        })
    }

    /// What is written when an argument has the value `value`.
    pub fn with_argument(&mut self, segments: &[Segment], arg: u32, value: NodeId) -> Vec<Segment> {
        let whole = self.arg(arg);
        let mut replacements = Replacements::from_iter([(whole, value)]);
        segments
            .iter()
            .map(|segment| Segment { value: self.replace(segment.value, &mut replacements), ..*segment })
            .collect()
    }

    fn joined(
        &mut self,
        operands: &[NodeId],
        operand: &mut impl FnMut(&mut Self, NodeId) -> NodeId,
        join: fn(&mut Self, NodeId, NodeId) -> NodeId,
    ) -> NodeId {
        let first = operand(self, operands[0]);
        operands[1..].iter().fold(first, |joined, next| {
            let next = operand(self, *next);
            join(self, joined, next)
        })
    }

    fn both(
        &mut self,
        left: NodeId,
        right: NodeId,
        operand: &mut impl FnMut(&mut Self, NodeId) -> NodeId,
        make: fn(&mut Self, NodeId, NodeId) -> NodeId,
    ) -> NodeId {
        let (left, right) = (operand(self, left), operand(self, right));
        make(self, left, right)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_constant_in_place_of_an_argument_folds() {
        let mut dag = Dag::new(vec![8, 8]);
        let (a, b) = (dag.arg_slice(0, 0, 8, false), dag.arg_slice(1, 0, 8, false));
        let sum = dag.sum(&[a, b]);
        let (whole, zero) = (dag.arg(1), dag.int(0));
        let mut replacements = Replacements::from_iter([(whole, zero)]);
        assert_eq!(dag.replace(sum, &mut replacements), a);
    }
}
