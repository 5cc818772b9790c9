//! Vendor instruction-set documents to Hydride IR.
//!
//! Each vendor module reads its documents into the same [`Parsed`]: the instructions that could be
//! modelled, a ledger with one line for every entry, and diagnostics with spans. Parsing never
//! fails as a whole; the vendor modules never import each other.
//!
//! Invariant: nothing here prints or touches the file system; documents arrive as bytes.

#![forbid(unsafe_code)]

pub mod arm;
pub mod errata;
pub mod hexagon;
pub mod intel;
mod isa;
mod ledger;
mod lines;
mod outline;
pub mod pseudocode;
mod signature;
mod source;

pub use isa::Isa;
pub use ledger::{Diagnostic, LedgerEntry, Severity, Span, Status};
pub use outline::{Form as TextForm, Outline};
pub use signature::{
    Argument, Element, Elements, Form, Immediate, Instruction, Kind, Signature, UndefinedBits, UndefinedFor,
};

/// The byte order mark that may precede a UTF-8 document; it is skipped.
pub(crate) const BYTE_ORDER_MARK: &str = "\u{feff}";

/// A document of a set: what diagnostics call it, and its contents.
#[derive(Clone, Copy, Debug)]
pub struct Document<'a> {
    /// The name as the user gave it.
    pub name: &'a str,
    /// The contents; any bytes are admitted.
    pub bytes: &'a [u8],
}

/// What a set of documents says.
#[derive(Debug, Default, serde::Serialize, serde::Deserialize)]
pub struct Parsed {
    /// The version that the document declares, empty when it has none.
    pub version: String,
    /// The modelled instructions, in document order.
    pub instructions: Vec<Instruction>,
    /// One line for each entry, in document order.
    pub ledger: Vec<LedgerEntry>,
    /// What was noticed on the way, errors and warnings.
    pub diagnostics: Vec<Diagnostic>,
    /// What became of each erratum, in the errata's order.
    pub errata: Vec<errata::Application>,
}
