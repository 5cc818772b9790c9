//! The report: operations, instructions and the ledger as pages that a browser opens from a folder.
//!
//! Parallel to code generation, at the end of the path. The contents of the pages are decided here and written as data
//! (`data.js`, and one file for each operation, loaded when it is looked at); the scripts of `/templates/report` search
//! it and lay it out. The first page, with its plots, is plain HTML and SVG.
//!
//! ```
//! let (dialect, synonyms) = Default::default();
//! let input = report::Input { dialect: &dialect, isas: Vec::new(), errata: Vec::new(), synonyms: &synonyms, ports: Vec::new() };
//! let files = report::generate(&input, &memo::Memo::default())?;
//! assert!(files.iter().any(|file| file.path == "report/index.html"));
//! # Ok::<(), report::ReportError>(())
//! ```
//!
//! Invariant: no vendor, no solver, no file system; no time stamps and no absolute paths in the output.

#![forbid(unsafe_code)]

mod assets;
mod data;
mod detail;
mod formula;
mod input;
mod overview;
mod plots;
mod svg;

pub use formula::{Formula, Line, formula};
pub use input::{Cost, Declaration, Entry, Erratum, Input, InstructionSet, Modelled, Port, Run, Status};
pub use svg::escape;

use codegen_gen::GeneratedFile;
use memo::Memo;

/// An input that cannot be shown.
#[derive(Debug, thiserror::Error)]
pub enum ReportError {
    /// A modelled entry that is a member of no operation.
    #[error("`{isa}:{id}` is modelled and a member of no operation")]
    NoMember {
        /// The instruction set.
        isa: String,
        /// The entry.
        id: String,
    },
    /// A value that cannot be written as JSON.
    #[error("JSON: {0}")]
    Json(#[from] serde_json::Error),
}

/// The files of the report, sorted by path. They depend only on the input: `memo` has what earlier runs wrote of
/// operations that are still the same.
pub fn generate(input: &Input<'_>, memo: &Memo) -> Result<Vec<GeneratedFile>, ReportError> {
    let mut files = assets::files(&overview::html(input));
    let (data, details) = rayon::join(|| data::file(input), || detail::files(input, memo));
    files.push(data?);
    files.extend(details?);
    files.extend(input.ports.iter().map(assets::port));
    files.sort();
    Ok(files)
}
