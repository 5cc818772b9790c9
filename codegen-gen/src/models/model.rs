//! The functions of the crate, as the templates and `check` take them.

use serde::Serialize;

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
    pub(super) extensions: Vec<String>,
}

/// The functions of an extension.
#[derive(Serialize)]
pub(super) struct Module {
    pub(super) name: String,
    pub(super) feature: String,
    pub(super) extensions: String,
    pub(super) reads_bits: bool,
    pub(super) functions: Vec<Model>,
    pub(super) left_out: Vec<String>,
}

#[derive(Serialize)]
pub(super) struct InstructionSet {
    pub(super) name: String,
    pub(super) modules: Vec<Module>,
}
