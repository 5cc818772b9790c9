//! Why a piece of ASL could not be elaborated.

use crate::arm::asl::SyntaxError;

/// One of the documents.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum FileId {
    /// The library.
    Library,
    /// The instructions.
    Instructions,
    /// The JSON file of operations; offsets are within the operation's text.
    Operations,
}

/// What kind of obstacle it is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Reason {
    /// The text is not ASL.
    Syntax,
    /// A name means nothing.
    UnknownName,
    /// A function is not defined.
    UnknownCall,
    /// Operands do not fit the operator.
    Type,
    /// A bound of this program was reached.
    Limit,
    /// According to the decode, this encoding is undefined or belongs to another instruction.
    Undefined,
    /// The text leaves the behaviour open.
    Unpredictable,
    /// An assertion does not hold.
    Assertion,
    /// Something outside of integers and bits that is not floating point.
    Unsupported,
    /// Floating-point arithmetic.
    FloatingPoint,
    /// Machine state other than the registers.
    State,
    /// A value is needed that is only known when the instruction runs.
    Symbolic,
}

impl Reason {
    /// The ledger's code.
    pub fn code(self) -> &'static str {
        match self {
            Self::Syntax => "syntax",
            Self::UnknownName => "unknown-name",
            Self::UnknownCall => "unknown-call",
            Self::Type => "type",
            Self::Limit => "limit",
            Self::Undefined => "undefined-encoding",
            Self::Unpredictable => "unpredictable",
            Self::Assertion => "assertion",
            Self::Unsupported => "unsupported",
            Self::FloatingPoint => "floating-point",
            Self::State => "state",
            Self::Symbolic => "symbolic",
        }
    }
}

/// An obstacle and its location.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Fault {
    /// What kind.
    pub reason: Reason,
    /// What, with names.
    pub message: String,
    /// The document.
    pub file: FileId,
    /// Byte offset in it.
    pub offset: usize,
}

impl Fault {
    /// A syntax error of a document.
    pub fn syntax(file: FileId, error: SyntaxError) -> Self {
        Self { reason: Reason::Syntax, message: error.message, file, offset: error.offset }
    }
}
