//! Numbers of bits: ones, and zeros above and below them.

use dashu_int::ops::BitTest;

use super::{Law, Subject, instances::*};
use crate::exact::dag::{Dag, Node, NodeId};

/// The number of one bits of a value that is not negative.
#[derive(Clone, Copy)]
pub(super) struct PopCount(pub NodeId);

impl Dag {
    /// Number of one bits of a value that is not negative.
    pub fn popcount(&mut self, value: NodeId) -> NodeId {
        match self.as_int(value) {
            Some(constant) => {
                let count = (0..constant.bit_len()).filter(|bit| constant.bit(*bit)).count();
                self.int(count)
            }
            None => self.make(&PopCount(value)),
        }
    }

    /// Zero bits above the highest one bit among the low `width` bits of `value`.
    pub fn leading_zeros(&mut self, value: NodeId, width: u32) -> NodeId {
        let value = self.slice(value, 0, width, false);
        match self.as_int(value) {
            Some(constant) => {
                let count = width - constant.bit_len() as u32;
                self.int(count)
            }
            None => self.intern(Node::LeadingZeros(value, width)),
        }
    }

    /// Zero bits below the lowest one bit among the low `width` bits of `value`.
    pub fn trailing_zeros(&mut self, value: NodeId, width: u32) -> NodeId {
        let value = self.slice(value, 0, width, false);
        match self.as_int(value) {
            Some(constant) => {
                let count = (0..width).find(|bit| constant.bit(*bit as usize)).unwrap_or(width);
                self.int(count)
            }
            None => self.intern(Node::TrailingZeros(value, width)),
        }
    }
}

impl Subject for PopCount {
    const FAMILY: &'static str = "popcount";

    const LAWS: &'static [Law<Self>] =
        &[Law::new("boolean", boolean, |dag| vec![PopCount(unsigned(dag, 0, 1)), PopCount(comparison(dag))])];

    fn raw(&self, dag: &mut Dag) -> NodeId {
        dag.intern(Node::PopCount(self.0))
    }
}

/// `popcount(b) = b` for a boolean `b`.
fn boolean(dag: &mut Dag, &PopCount(value): &PopCount) -> Option<NodeId> {
    dag.is_boolean(value).then_some(value)
}
