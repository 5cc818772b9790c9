//! Instructions that have no operation on lanes.

use std::sync::Arc;

use search::{Class, specialize};

use super::extract::approximates;
use super::{Op, OpId, Table};

impl Table {
    /// The operations of instructions whose lanes do not share one expression, or are in general registers.
    pub fn apart(&self) -> impl Iterator<Item = OpId> {
        let is_taken = |op: &Op| self.only.as_ref().is_none_or(|only| only.contains(&op.instruction));
        let scalars = (0u32..)
            .zip(&self.ops)
            .filter(move |(_, op)| op.result.class == Class::Scalar && is_taken(op))
            .map(|(id, _)| OpId(id));
        self.apart.iter().chain(self.mixed.values().flatten()).copied().chain(scalars)
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
