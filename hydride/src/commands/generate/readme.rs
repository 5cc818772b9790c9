//! `README.md`, with the figures of the run.

use codegen_gen::{Documents, GeneratedFile, LlvmVersion};

use crate::pipeline::Pipeline;

/// The page for a folder with files at these paths.
pub fn file(
    pipeline: &Pipeline,
    llvm: LlvmVersion,
    paths: impl Iterator<Item = String>,
) -> anyhow::Result<GeneratedFile> {
    let documents = |(isa, parsed): &(parsers::Isa, parsers::Parsed)| Documents {
        isa: isa.name(),
        entries: parsed.ledger.len(),
        modelled: parsed.instructions.len(),
    };
    let documents: Vec<Documents<'_>> = pipeline.parsed.iter().map(documents).collect();
    let paths: Vec<String> = paths.collect();
    Ok(codegen_gen::readme(&pipeline.dialect, &documents, llvm, paths.iter().map(String::as_str))?)
}
