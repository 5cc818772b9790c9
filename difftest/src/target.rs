//! The description of an instruction set in this crate, as one value.

use std::path::Path;

use parsers::Instruction;

use crate::error::OracleError;
use crate::lowering::Conventions;
use crate::oracle::Oracle;
use crate::prepare::Emulated;
use crate::wrapper::WrapperOptions;

/// Builds an oracle for instructions in a work folder.
pub type Prepare = fn(&[&Instruction], WrapperOptions, &Path) -> Result<Oracle, OracleError>;

/// The features that an instruction needs and a machine lacks, by name.
pub type Missing = dyn Fn(&Instruction) -> Vec<String>;

/// How an instruction set's instructions are compiled and run.
#[derive(Clone, Copy, Debug)]
pub struct Target {
    /// The instruction set's name, in messages and the names of files.
    pub isa: &'static str,
    /// Builds an oracle.
    pub prepare: Prepare,
    /// What runs its programs; `None` for this machine itself.
    pub emulator: Option<&'static Emulated>,
    /// How LLVM's programs use it; `None` where LLVM has no backend for it.
    pub lowering: Option<Conventions>,
}

impl Target {
    /// How LLVM's programs use it.
    pub fn lowering(&self) -> Result<&Conventions, OracleError> {
        self.lowering.as_ref().ok_or(OracleError::NoBackend { isa: self.isa })
    }
}

/// What runs programs, and what it lacks.
pub struct Machine {
    /// The compiler's options for it.
    pub options: Vec<&'static str>,
    /// What an instruction needs and it lacks.
    pub missing: Box<Missing>,
}
