//! The functions of the crate, as the templates and `check` take them.

use serde::{Deserialize, Serialize};

use super::layout::Layout;

/// A function of the crate.
#[derive(Serialize)]
pub(super) struct Model {
    pub(super) documentation: Vec<String>,
    pub(super) name: String,
    pub(super) generics: String,
    pub(super) arguments: String,
    pub(super) results: String,
    /// Accepted values of immediates, as conditions.
    pub(super) checks: Vec<String>,
    pub(super) lines: Vec<String>,
    #[serde(skip)]
    pub(super) call: Call,
}

/// What a caller needs to know of a function.
pub(super) struct Call {
    pub(super) id: String,
    pub(super) layout: Layout,
    pub(super) undefined: Vec<(usize, u32, u32)>,
    pub(super) undefined_for: Vec<(usize, u64)>,
    /// Width in bits of the floating-point numbers among which a compiler may choose a NaN; 0 where there are none.
    pub(super) nan_width: u32,
    /// Whether an operand is in memory, for which the function of that name in C has a pointer.
    pub(super) has_memory: bool,
    pub(super) extensions: Vec<String>,
}

/// A module: the instructions that need the same CPU features.
#[derive(Serialize, Deserialize)]
pub(super) struct Module {
    /// The instruction set, whose module has this one in it.
    pub(super) set: String,
    pub(super) name: String,
    pub(super) feature: String,
    pub(super) extensions: String,
    /// How many functions it has.
    pub(super) count: usize,
    /// Whether one calls `float.rs`.
    pub(super) has_floats: bool,
}

/// What a module's own template takes.
#[derive(Serialize)]
pub(super) struct Functions<'a> {
    pub(super) extensions: &'a str,
    pub(super) reads_bits: bool,
    pub(super) has_floats: bool,
    pub(super) functions: &'a [Model],
    pub(super) left_out: &'a [String],
}

/// A module with what is made of it alone.
#[derive(Serialize, Deserialize)]
pub(super) struct Made {
    pub(super) module: Module,
    /// The module's file.
    pub(super) source: String,
    /// The file of `check` that runs its functions.
    pub(super) cases: String,
    /// Comparisons with `core::arch`, a line each; empty for other instruction sets.
    pub(super) comparisons: String,
}

/// The modules of an instruction set.
#[derive(Serialize)]
pub(super) struct InstructionSet<'a> {
    pub(super) name: &'a str,
    pub(super) modules: Vec<&'a Module>,
}
