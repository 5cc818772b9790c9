//! The ledger: what became of each entry of a document, and the diagnostics with their places.

use serde::{Deserialize, Serialize};

/// A place in a document; lines and columns count from 1, columns in characters.
#[derive(Clone, Debug, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct Span {
    /// The document's name as the user gave it.
    pub file: String,
    /// Byte offset of the first character.
    pub offset: usize,
    /// Length in bytes.
    pub length: usize,
    /// Line of the first character.
    pub line: u32,
    /// Column of the first character.
    pub column: u32,
}

/// How bad a finding is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Severity {
    /// Informational; the result is unaffected.
    Warning,
    /// The entry, or the document from here on, could not be used.
    Error,
    /// The document is not well-formed here, or is cut off: what was read of it may be a part.
    Fatal,
}

/// A finding about a document.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Diagnostic {
    /// How bad it is.
    pub severity: Severity,
    /// The entry it belongs to, when there is one.
    pub entry: Option<String>,
    /// Where.
    pub span: Span,
    /// What, in one sentence.
    pub message: String,
}

impl Diagnostic {
    /// Whether the document could not be read as a whole because of this: it is not well-formed, or wrong outside
    /// of any entry.
    pub fn breaks_the_document(&self) -> bool {
        match self.severity {
            Severity::Fatal => true,
            Severity::Error => self.entry.is_none(),
            Severity::Warning => false,
        }
    }
}

/// What became of an entry.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Status {
    /// It is in [`crate::Parsed::instructions`].
    Modelled,
    /// It is outside of what the IR describes.
    Excluded {
        /// A reason code: `memory`, `control`, `state`, `floating-point`, `no-pseudocode`, …
        reason: String,
        /// What the entry has that leads to the reason.
        message: Option<String>,
    },
    /// It should have been modelled and could not be.
    Failed {
        /// A reason code, so that failures can be counted: `syntax`, `unknown-call`, `limit`, …
        reason: String,
        /// What went wrong, with names.
        message: String,
    },
}

/// One line of the ledger.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct LedgerEntry {
    /// The entry's id, the vendor's name for it, unique within its ISA for modelled entries.
    pub id: String,
    /// The location of the entry, or of what went wrong in it.
    pub span: Span,
    /// What became of it.
    pub status: Status,
}
