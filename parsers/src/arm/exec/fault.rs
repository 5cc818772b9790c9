//! Why a piece of ASL could not be elaborated, and where.

use crate::arm::asl::SyntaxError;
use crate::pseudocode;

/// One of the documents.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum FileId {
    /// The library.
    Library,
    /// The functions on floating-point numbers, which are no document.
    Floats,
    /// The instructions.
    Instructions,
    /// The JSON file of operations; offsets are within the operation's text.
    Operations,
}

/// A byte offset in one of the documents.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Location {
    /// The document.
    pub file: FileId,
    /// Byte offset in it.
    pub offset: usize,
}

/// An obstacle and its location.
pub type Fault = pseudocode::Fault<Location>;

/// A syntax error of a document.
pub fn syntax(file: FileId, error: SyntaxError) -> Fault {
    Fault::failed(pseudocode::Reason::Syntax, Location { file, offset: error.offset }, error.message)
}
