//! What an instruction set says of its instructions as steps of a sequence.

use std::collections::BTreeSet;

use ::search::{Operand, Syntax, Type};
use anyhow::Result;
use parsers::{Argument, Form, Instruction};
use serde::Deserialize;

use super::InstructionSet;
use crate::usage;

/// A question about forms.
pub type FormTest<'a> = Box<dyn Fn(&Form) -> bool + 'a>;

/// How sequences of an instruction set's instructions are searched and written.
pub struct Search {
    /// Its targets, as TOML (`specs/targets`).
    pub targets: &'static str,
    /// What its instructions cost on single machines, as JSON (`specs/costs`).
    pub costs: &'static [&'static str],
    /// How a target's instructions are written.
    pub syntax: fn(&Target) -> Box<dyn Syntax>,
    /// The machine form of an instruction that is written; `None` where it is no single machine instruction.
    pub form: fn(&Instruction) -> Option<&Form>,
    /// Among all instructions, whether the document's form lacks one of its operands.
    pub incomplete: fn(&[Instruction]) -> FormTest<'_>,
    /// Which arguments are in registers.
    pub registers: Registers,
    /// What a form does with the registers of its operands, or what keeps it from being a step.
    pub places: fn(&Operands<'_>) -> Result<Places, &'static str>,
    /// Of forms with the same effect and cost the one with the least rank is shown; the argument is the result.
    pub rank: fn(&Form, &Argument) -> u8,
}

/// Which arguments are in registers.
pub struct Registers {
    /// Whether pairs of vector registers are operands.
    pub pairs: bool,
    /// Whether an argument's C type has registers among a target's.
    pub fits: fn(&Argument) -> bool,
}

/// An instruction with the form that is written.
pub struct Operands<'a> {
    /// The form.
    pub form: &'a Form,
    /// The instruction.
    pub instruction: &'a Instruction,
    /// Its operands in the intrinsic's order.
    pub types: &'a [Operand],
    /// Its result.
    pub result: Type,
    /// Where it is to be a step.
    pub target: &'a Target,
}

/// What a machine form does with its registers.
#[derive(Default)]
pub struct Places {
    /// The operand whose register the result overwrites.
    pub destroys: Option<usize>,
    /// The operand that is in register 0 and not shown.
    pub implied: Option<usize>,
    /// Whether this is its only encoding.
    pub legacy: bool,
}

/// What a search may use.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Target {
    /// Name in tables.
    pub name: String,
    /// The instruction set.
    #[serde(skip)]
    pub isa: &'static str,
    /// Extensions that must be asked for.
    #[serde(default)]
    pub needs: Vec<String>,
    /// All extensions that an instruction may need.
    pub extensions: BTreeSet<String>,
    /// Ids that are left out (globs).
    #[serde(default)]
    pub without: Vec<String>,
    /// Width of vector registers in bits.
    pub width: u32,
    /// Width of the narrowest vector register in bits.
    #[serde(default)]
    pub least_width: u32,
    /// Whether older encodings have no forms with a register for the result.
    #[serde(default)]
    pub two_address: bool,
    /// Extensions whose instructions have no such forms even where others have them.
    #[serde(default)]
    pub only_legacy: BTreeSet<String>,
    /// Vector registers.
    pub registers: usize,
    /// Values for scalar operands where the goal has no scalars.
    #[serde(default)]
    pub scalar_constants: Vec<i64>,
}

impl Target {
    /// Whether it has an instruction.
    pub fn has(&self, instruction: &Instruction) -> bool {
        instruction.extensions.iter().all(|extension| self.extensions.contains(extension))
    }
}

impl InstructionSet {
    /// How its sequences are searched.
    pub(crate) fn searched(&self) -> Result<&Search> {
        let none = || usage(format!("{} has no targets: nothing says how its registers are used", self.name));
        self.search.as_ref().ok_or_else(none)
    }
}
