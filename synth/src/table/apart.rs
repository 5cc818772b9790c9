//! Instructions that are looked at as wholes, beside operations on lanes.

use std::sync::Arc;

use search::{Class, Operand, specialize};

use super::extract::approximates;
use super::{Op, OpId, Table};

/// Values of a lane's expression beyond which it is seldom the expression that a window has.
const MAX_VALUES: usize = 24;

impl Table {
    /// The operations of instructions whose lanes have no expression, several, or a large one, which are in a general register, or
    /// read consecutive registers.
    pub fn apart(&self) -> impl Iterator<Item = OpId> {
        let is_taken = |op: &Op| self.only.as_ref().is_none_or(|only| only.contains(&op.instruction));
        let ops = (0u32..).zip(&self.ops).filter(move |(_, op)| is_taken(op) && self.is_whole(op));
        self.apart.iter().chain(self.mixed.values().flatten()).copied().chain(ops.map(|(id, _)| OpId(id)))
    }

    fn is_whole(&self, op: &Op) -> bool {
        let operands = &self.instructions[op.instruction].operands;
        let is_large = || op.lanes.is_empty() && self.template(op.template).dag.len() > MAX_VALUES;
        op.result.class == Class::Scalar
            || operands.iter().any(|own| matches!(own, Operand::Consecutive { .. }))
            || !op.reads.is_empty() && is_large()
    }

    /// Adds an instruction of which nothing is known but what it gives for whole registers.
    pub(super) fn add_apart(&mut self, at: usize, choices: Vec<i64>) {
        let instruction = &self.instructions[at];
        if instruction.result.class != Class::Memory
            && !approximates(instruction)
            && specialize(instruction, &choices).is_some()
        {
            let id = self.unread(at, choices, Vec::new());
            Arc::make_mut(&mut self.apart).push(id);
        }
    }
}
