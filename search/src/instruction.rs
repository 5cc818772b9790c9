//! What the search knows about an instruction.

use hydride_ir::Function;

use crate::allocation::Placement;
use crate::value::Type;

/// An instruction with one result, as a document describes it.
#[derive(Clone, Debug, Hash)]
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
    /// The operand whose register the result overwrites, if the machine form has no separate register for the
    /// result.
    pub destroys: Option<usize>,
    /// The operand that the machine form does not show since it is always in register 0 (`blendvps`).
    pub implied: Option<usize>,
    /// Of x86: whether there is no form with three operands, whatever the target.
    pub legacy: bool,
    /// Cycles until the result is there.
    pub latency: u32,
    /// Micro-operations, or whatever the cost table counts.
    pub uops: u32,
    /// Of instructions with the same effect and cost the one with the least rank is shown.
    pub rank: u8,
}

impl Instruction {
    /// The number of an operand's first register among the registers of all operands.
    pub fn register_of(&self, operand: usize) -> usize {
        self.operands[..operand].iter().map(|operand| operand.registers().len()).sum()
    }

    /// What the machine form asks of the registers.
    pub(crate) fn placement(&self) -> Placement {
        let several = |operand: &Operand| matches!(operand, Operand::Consecutive { .. });
        let list = self.operands.iter().position(several);
        Placement {
            consecutive: list.map(|at| (self.register_of(at), self.operands[at].registers().len())),
            implied: self.implied.map(|at| self.register_of(at)),
        }
    }
}

/// An operand of an instruction.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum Operand {
    /// A register known at run time.
    Register(Type),
    /// This many consecutive registers (`{ v1.16b, v2.16b }`); together they are one argument, the first its lowest
    /// bits.
    Consecutive {
        /// Each of them.
        each: Type,
        /// How many.
        count: usize,
    },
    /// An integer of `width` bits that the search chooses.
    Choice {
        /// Width of the argument in bits.
        width: u32,
        /// The values to choose from.
        values: Vec<i64>,
    },
}

impl Operand {
    /// The types of its registers.
    pub fn registers(&self) -> Vec<Type> {
        match self {
            Operand::Register(ty) => vec![*ty],
            Operand::Consecutive { each, count } => vec![*each; *count],
            Operand::Choice { .. } => Vec::new(),
        }
    }
}
