//! What the search is told about an instruction.

use hydride_ir::Function;

use crate::value::Type;

/// An instruction with one result, as a document describes it.
#[derive(Clone, Debug)]
pub struct Instruction {
    /// Unique within the instruction set.
    pub id: String,
    /// How a C program calls it.
    pub intrinsic: String,
    /// How an assembler calls it, lower case.
    pub mnemonic: String,
    /// The operands of the machine form, as the document shows them; for Arm the line with the places of the
    /// result's register, `{d}`, and of the operands, `{0}`, `{1*8}`.
    pub syntax: String,
    /// The document's names of the operands.
    pub names: Vec<String>,
    /// The semantics as parsed; its arguments are `operands`, in order.
    pub function: Function,
    /// The operands in the intrinsic's order.
    pub operands: Vec<Operand>,
    /// The C types of the operands.
    pub c_types: Vec<String>,
    /// The result.
    pub result: Type,
    /// The result's C type.
    pub result_c_type: String,
    /// The operand whose register the result overwrites, where the machine form has no register of its own
    /// for the result.
    pub destroys: Option<usize>,
    /// Cycles until the result is there.
    pub latency: u32,
    /// Micro-operations, or whatever the cost table counts.
    pub uops: u32,
    /// Of instructions with the same effect and cost the one with the least rank is shown.
    pub rank: u8,
}

impl Instruction {
    /// The number of an operand among the register operands.
    pub(crate) fn register_of(&self, operand: usize) -> usize {
        let register = |operand: &&Operand| matches!(operand, Operand::Register(_));
        self.operands[..operand].iter().filter(register).count()
    }
}

/// An operand of an instruction.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Operand {
    /// A register known at run time.
    Register(Type),
    /// An integer of `width` bits that the search chooses.
    Choice {
        /// Width of the argument in bits.
        width: u32,
        /// The values to choose from.
        values: Vec<i64>,
    },
}
