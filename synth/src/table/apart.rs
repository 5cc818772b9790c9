//! Instructions that are looked at as wholes, beside operations on lanes.

use std::sync::Arc;

use hydride_ir::Random;
use hydride_ir::passes::open_nans;
use interp::Program;
use search::{Class, Instruction, Operand, combinations, specialize};

use super::extract::approximates;
use super::{Op, OpId, Table};
use crate::calls::{Examples, Runs};

/// Values of a lane's expression beyond which it is seldom the expression that a window has.
const MAX_VALUES: usize = 24;

/// Immediates from which on it is worth a look what an instruction can give.
const MANY: usize = 8;

/// Those that it is run with for that, at most.
const MAX_IMMEDIATES: usize = 32;

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

    /// The instructions that are taken, with their positions.
    pub(crate) fn taken(&self) -> impl Iterator<Item = (usize, &Instruction)> {
        let is_taken = |at: &usize| self.only.as_ref().is_none_or(|only| only.contains(at));
        self.instructions.iter().enumerate().filter(move |(at, _)| is_taken(at))
    }

    /// An instruction's function, which chooses no NaN, compiled; `None` for approximations.
    pub(crate) fn compiled(&self, at: usize) -> Option<&Program> {
        let instruction = &self.instructions[at];
        let compile =
            || (!approximates(instruction)).then(|| Program::new(&open_nans(&instruction.function)).ok());
        self.compiled[at].get_or_init(|| compile().flatten()).as_ref()
    }

    /// Whether an instruction with many immediates seems to do nothing but move bytes of its registers and clear others: it does with
    /// some of them for random registers.
    pub(crate) fn moves(&self, at: usize) -> bool {
        *self.moves[at].get_or_init(|| {
            let Some(compiled) = self.compiled(at) else { return false };
            let operands = &self.instructions[at].operands;
            let combinations = combinations(operands);
            if combinations.len() < MANY {
                return false;
            }
            let (mut random, mut registers, mut sample) = (Random::new(1), Vec::new(), Vec::new());
            for (leaf, operand) in (0..).zip(operands) {
                let types = operand.registers();
                registers.extend((0..).zip(&types).map(|(number, _)| (leaf, number)));
                sample.push(random.bits(types.iter().map(|ty| ty.width).sum::<u32>().max(1)));
            }
            let examples = Examples { samples: vec![sample], wanted: Vec::new() };
            let mut runs = Runs::new(operands, compiled, &registers);
            // Of the first ones many clear or keep all.
            combinations.iter().skip(1).step_by(combinations.len().div_ceil(MAX_IMMEDIATES)).all(|choices| {
                let result = runs.run(choices, (0, &examples.samples[0]));
                result.is_some_and(|words| examples.may_be_moved(&registers, words))
            })
        })
    }

    /// The operation of an instruction with these immediates, added as one on whole registers where there is none; `None` where it
    /// cannot have them.
    pub fn take(&mut self, at: usize, choices: &[i64]) -> Option<OpId> {
        if let Some(known) = self.find(at, choices) {
            return Some(known);
        }
        let mut values = choices.iter();
        let admits = |operand: &Operand| match operand {
            Operand::Choice { values: all, .. } => values.next().is_some_and(|value| all.contains(value)),
            _ => true,
        };
        let is_one = self.instructions.get(at)?.operands.iter().all(admits) && values.next().is_none();
        is_one.then(|| self.unread(at, choices.to_vec(), Vec::new()))
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
