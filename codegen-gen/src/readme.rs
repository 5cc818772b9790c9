//! `README.md`: what the files of an output folder are, and how they are used.

use std::collections::BTreeSet;

use autoir::Dialect;
use serde::Serialize;

use crate::render::Renderer;
use crate::{GenerateError, GeneratedFile, LlvmVersion};

/// What became of the documents of an instruction set.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Documents<'a> {
    /// The instruction set.
    pub isa: &'a str,
    /// Entries of its documents.
    pub entries: usize,
    /// Those that are modelled: instructions.
    pub modelled: usize,
}

#[derive(Serialize)]
struct Readme<'a> {
    llvm: u32,
    operations: usize,
    families: usize,
    members: usize,
    documents: &'a [Documents<'a>],
    /// Files and folders at the top.
    present: BTreeSet<&'a str>,
    /// Instruction sets that have definitions for LLVM, and patterns for MLIR.
    defined: Vec<&'a str>,
    matched: Vec<&'a str>,
    /// Instruction sets whose definitions C can call.
    callable: Vec<&'a str>,
}

/// The page for a folder with files at these paths.
pub fn readme<'a>(
    dialect: &Dialect,
    documents: &[Documents<'_>],
    llvm: LlvmVersion,
    paths: impl IntoIterator<Item = &'a str>,
) -> Result<GeneratedFile, GenerateError> {
    let paths: BTreeSet<&str> = paths.into_iter().collect();
    let named = |folder: &str, ending: &str| {
        let name = |path: &&'a str| path.strip_prefix(folder)?.strip_suffix(ending);
        paths.iter().filter_map(name).collect()
    };
    let members = dialect.families().iter().map(|family| family.class.members.len()).sum();
    let context = Readme {
        llvm: llvm.number(),
        operations: dialect.ops().len(),
        families: dialect.families().len(),
        members,
        documents,
        present: paths.iter().filter_map(|path| path.split('/').next()).collect(),
        defined: named("llvm/lowering/", ".ll"),
        matched: named("mlir/lowering/", ".mlir"),
        callable: named("c/autollvm-", ".ll"),
    };
    Renderer::new()?.render("README.md", &context)
}
