//! Choices: a value as one of two by a condition.

use hydride_ir::exact::{Node, NodeId};

use super::{Binding, Demand, Unify};
use crate::normal::as_choice;

impl Unify<'_> {
    /// A condition and its two branches. Where conditions differ the branches may show which operands to try.
    pub(super) fn choice(
        &mut self,
        [own, then, otherwise]: [NodeId; 3],
        [their, this, that]: [NodeId; 3],
        demand: Demand,
        bound: Binding,
    ) -> Vec<Binding> {
        let alike = self.node(own, their, Demand::Exact, bound.clone());
        for first in [alike, vec![bound]] {
            let found = self.then(first, then, this, demand);
            let found = self.then(found, otherwise, that, demand);
            if !found.is_empty() {
                return found;
            }
        }
        vec![]
    }

    /// The condition and the branches of a value that is not written so: bits of a choice, the lesser or greater of two
    /// values, one of two numbers, or ones where a condition holds.
    pub(super) fn chosen(&mut self, value: NodeId) -> Option<[NodeId; 3]> {
        let (of, bits) = match *self.dag.node(value) {
            Node::Slice { of, low, width, signed } => (of, Some((low, width, signed))),
            _ => (value, None),
        };
        let whole = match self.dag.node(of).clone() {
            Node::Select(condition, then, otherwise) => Some([condition, then, otherwise]),
            Node::Min(_) | Node::Max(_) => as_choice(self.dag, of),
            Node::Sum { terms, constant } => match &terms[..] {
                [(condition, factor)] if self.dag.is_boolean(*condition) => {
                    Some([*condition, self.dag.int(&constant + factor), self.dag.int(constant)])
                }
                _ => None,
            },
            // The signs of a condition are ones where it holds.
            Node::Slice { of: condition, low: 0, width: 1, signed: true }
                if self.dag.is_boolean(condition) =>
            {
                Some([condition, self.dag.int(-1), self.dag.int(0)])
            }
            _ => None,
        };
        let ([condition, then, otherwise], Some((low, width, signed))) = (whole?, bits) else { return whole };
        let [then, otherwise] = [then, otherwise].map(|own| self.dag.slice(own, low, width, signed));
        Some([condition, then, otherwise])
    }
}
