//! What this crate knows of an instruction set, as one value.

use std::path::Path;

use parsers::Instruction;

use crate::error::OracleError;
use crate::lowering::Conventions;
use crate::oracle::Oracle;
use crate::prepare::Emulated;

/// Builds an oracle for instructions, with lines of C before the wrappers, in a work folder.
pub type Prepare = fn(&[&Instruction], Vec<String>, &Path) -> Result<Oracle, OracleError>;

/// What an instruction needs and a machine has not.
pub type Missing = Box<dyn Fn(&Instruction) -> Vec<String>>;

/// How an instruction set's instructions are compiled and run.
#[derive(Clone, Copy, Debug)]
pub struct Target {
    /// The instruction set's name, in messages and the names of files.
    pub isa: &'static str,
    /// Builds an oracle for instructions in a work folder. The lines of C stand before the wrappers: functions that
    /// instructions name as their intrinsics.
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
    /// What an instruction needs and it has not.
    pub missing: Missing,
}
