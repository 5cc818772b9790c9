//! Quotients and remainders, rounded toward zero; the divisor is never always zero.

use super::{Law, Subject, instances::*};
use crate::exact::Int;
use crate::exact::dag::{Dag, Node, NodeId};
use crate::exact::range::{Range, power};

/// `left / right`.
#[derive(Clone, Copy)]
pub(super) struct Div {
    pub left: NodeId,
    pub right: NodeId,
}

/// `left % right`, with the sign of `left`.
#[derive(Clone, Copy)]
pub(super) struct Rem {
    pub left: NodeId,
    pub right: NodeId,
}

impl Dag {
    /// Quotient rounded toward zero; `None` for a divisor that is always zero.
    pub fn div(&mut self, left: NodeId, right: NodeId) -> Option<NodeId> {
        match (self.as_int(left), self.as_int(right)) {
            (_, Some(divisor)) if divisor == &Int::ZERO => None,
            (Some(dividend), Some(divisor)) => {
                let quotient = dividend / divisor;
                Some(self.int(quotient))
            }
            _ => Some(self.make(&Div { left, right })),
        }
    }

    /// Remainder with the dividend's sign; `None` for a divisor that is always zero.
    pub fn rem(&mut self, left: NodeId, right: NodeId) -> Option<NodeId> {
        match (self.as_int(left), self.as_int(right)) {
            (_, Some(divisor)) if divisor == &Int::ZERO => None,
            (Some(dividend), Some(divisor)) => {
                let remainder = dividend % divisor;
                Some(self.int(remainder))
            }
            _ => Some(self.make(&Rem { left, right })),
        }
    }

    /// `n` where `left` is not negative and `right` is `2^n`.
    fn divides_by_power(&self, left: NodeId, right: NodeId) -> Option<u32> {
        let divisor = self.as_int(right).filter(|_| self.range(left).is_non_negative())?;
        let (width, false) = Range::point(divisor.clone()).natural()? else { return None };
        (divisor == &power(width - 1)).then_some(width - 1)
    }
}

impl Subject for Div {
    const FAMILY: &'static str = "quotient";

    const LAWS: &'static [Law<Self>] = &[
        Law::new("by-one", by_one, |dag| {
            let one = dag.int(1);
            [unsigned(dag, 0, 5), signed(dag, 1, 5)].map(|left| Div { left, right: one }).to_vec()
        }),
        Law::new("power", quotient_by_power, |dag| {
            [unsigned(dag, 0, 5), sum(dag, 4)]
                .into_iter()
                .flat_map(|left| [2, 8, 64].map(|right| (left, right)))
                .map(|(left, right)| Div { left, right: dag.int(right) })
                .collect()
        }),
    ];

    fn raw(&self, dag: &mut Dag) -> NodeId {
        dag.intern(Node::Div(self.left, self.right))
    }
}

/// `x / 1 = x`.
fn by_one(dag: &mut Dag, &Div { left, right }: &Div) -> Option<NodeId> {
    (dag.as_int(right) == Some(&Int::ONE)).then_some(left)
}

/// `x / 2^n = x >> n` for `x ≥ 0`.
fn quotient_by_power(dag: &mut Dag, &Div { left, right }: &Div) -> Option<NodeId> {
    let count = dag.divides_by_power(left, right)?;
    let count = dag.int(count);
    Some(dag.shr(left, count))
}

impl Subject for Rem {
    const FAMILY: &'static str = "remainder";

    const LAWS: &'static [Law<Self>] = &[Law::new("power", remainder_by_power, |dag| {
        [unsigned(dag, 0, 5), sum(dag, 4)]
            .into_iter()
            .flat_map(|left| [1, 2, 8, 64].map(|right| (left, right)))
            .map(|(left, right)| Rem { left, right: dag.int(right) })
            .collect()
    })];

    fn raw(&self, dag: &mut Dag) -> NodeId {
        dag.intern(Node::Rem(self.left, self.right))
    }
}

/// `x % 2^n = x[0 +: n]` for `x ≥ 0`.
fn remainder_by_power(dag: &mut Dag, &Rem { left, right }: &Rem) -> Option<NodeId> {
    let width = dag.divides_by_power(left, right)?;
    Some(dag.slice(left, 0, width, false))
}
