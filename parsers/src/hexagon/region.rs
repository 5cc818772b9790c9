//! What the simulator keeps of memory while a body runs: the region of a gather or scatter, and bytes that are to be stored.

use hydride_ir::exact::{Dag, NodeId};

use super::syntax::{Expr, ExprKind};
use crate::pseudocode::Merge;

/// The region of a gather or scatter.
#[derive(Clone, Debug, Default)]
pub(super) struct Region {
    pub start: Option<NodeId>,
}

/// A byte of a region that is to be stored.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Noted {
    /// Its number in the vector.
    pub number: u32,
    pub address: NodeId,
    pub condition: NodeId,
    pub value: NodeId,
}

/// Bytes that are to be stored, in this order.
#[derive(Clone, Debug, Default)]
pub(super) struct Notes(pub Vec<Noted>);

impl Notes {
    /// The number of bytes.
    pub fn size(&self) -> usize {
        self.0.len()
    }
}

impl Merge for Notes {
    fn merge(dag: &mut Dag, condition: NodeId, then: &Self, otherwise: &Self) -> Self {
        let common = then.0.iter().zip(&otherwise.0).take_while(|(one, other)| one == other).count();
        let mut merged = then.0[..common].to_vec();
        let complement = dag.complement(condition);
        for (path, condition) in [(then, condition), (otherwise, complement)] {
            for noted in &path.0[common..] {
                merged.push(Noted { condition: dag.and(noted.condition, condition), ..noted.clone() });
            }
        }
        Self(merged)
    }
}

/// The simulator's state that an expression names, without indices: `thread->mem_access[].paddr`.
pub(super) fn state(expr: &Expr) -> Option<String> {
    match &expr.kind {
        ExprKind::Arrow(of, name) => match &of.kind {
            ExprKind::Name(base) => Some(format!("{base}->{name}")),
            _ => Some(format!("{}->{name}", state(of)?)),
        },
        ExprKind::Field(of, name) => Some(format!("{}.{name}", state(of)?)),
        ExprKind::Index(of, _) => Some(format!("{}[]", state(of)?)),
        _ => None,
    }
}

/// Whether an expression names the simulator's state.
pub(super) fn is_state(expr: &Expr) -> bool {
    state(expr).is_some()
}
