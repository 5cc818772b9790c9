//! How an instruction set writes registers, instructions and C types.

use crate::allocation::Place;
use crate::instruction::{Instruction, Operand};
use crate::sequence::Applied;
use crate::value::Type;

/// The assembly and C of an instruction set.
pub trait Syntax: Send + Sync {
    /// A register's name; numbers begin with 0.
    fn register(&self, ty: Type, number: usize) -> String;

    /// The line that copies a register of a type.
    fn copy(&self, ty: Type, to: &str, from: &str) -> String;

    /// The line of a step.
    fn step(&self, step: &Written<'_>) -> String;

    /// Whether an integer that the search chooses for the operand of that name is read from a general register, where
    /// it has to be before.
    fn in_register(&self, operand: &str) -> bool {
        let _ = operand;
        false
    }

    /// The line that sets a general register to an integer.
    fn set(&self, register: &str, value: i64) -> String {
        format!("{register} = #{value}")
    }

    /// The C type of a value with elements of this many bits.
    fn c_type(&self, ty: Type, element: u32) -> String;

    /// The C structure of this many values of a C type, in an array `val`, returned by functions with several results;
    /// without one they write through pointers.
    fn structure(&self, c_type: &str, count: usize) -> Option<String> {
        let _ = (c_type, count);
        None
    }

    /// The C type of each value of such a structure.
    fn part(&self, c_type: &str, count: usize) -> String {
        let _ = count;
        c_type.to_owned()
    }

    /// The documents' names for C types that the compiler does not know, with the compiler's names.
    fn c_words(&self) -> &[(&str, &str)] {
        &[]
    }
}

/// A step and where its values are.
#[derive(Clone, Copy, Debug)]
pub struct Written<'a> {
    /// The instruction.
    pub instruction: &'a Instruction,
    /// Its immediates, and which values it reads.
    pub step: &'a Applied,
    /// The result's register.
    pub result: &'a str,
    /// The registers of the values that it reads.
    pub registers: &'a [String],
    /// What becomes of them.
    pub place: Place,
    /// For each integer that the search chooses the register that it is read from, if it is.
    pub constants: &'a [Option<String>],
}

impl Written<'_> {
    /// The operands in the intrinsic's order when the values are in `registers`; of those in consecutive registers, the
    /// first. Integers are in decimal, or the registers that they are read from.
    pub fn operands(&self, registers: &[String]) -> Vec<String> {
        let mut constants = self.constants.iter();
        let first = |group: &[String]| group.first().cloned().unwrap_or_default();
        let mut operands = grouped(self.instruction, self.step, registers, |_, group| first(group));
        for (value, operand) in operands.iter_mut().zip(&self.instruction.operands) {
            if let Operand::Choice { .. } = operand
                && let Some(register) = constants.next().cloned().flatten()
            {
                *value = register;
            }
        }
        operands
    }
}

/// The operands in the intrinsic's order; `register` makes one of those in registers.
pub(crate) fn grouped(
    instruction: &Instruction,
    step: &Applied,
    registers: &[String],
    register: impl Fn(usize, &[String]) -> String,
) -> Vec<String> {
    let (mut rest, mut choices) = (registers, step.member.choices.iter());
    let operand = |(position, operand): (usize, &Operand)| match operand {
        Operand::Choice { .. } => choices.next().map(ToString::to_string).unwrap_or_default(),
        _ => {
            let (group, after) = rest.split_at(operand.registers().len());
            rest = after;
            register(position, group)
        }
    };
    instruction.operands.iter().enumerate().map(operand).collect()
}
