//! Arm's architecture specification language (ASL): text to syntax tree.
//!
//! The documents are megabytes of which only a few percent are needed: [`index`] locates functions and
//! instructions, and their text is parsed when first needed.

pub mod ast;
pub mod index;
mod lines;
mod literal;
mod parse;

pub use parse::{body, expression, function};

/// Text that is not ASL.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SyntaxError {
    /// Byte offset in the source.
    pub offset: usize,
    /// What is wrong.
    pub message: String,
}

impl SyntaxError {
    /// An error at a byte offset.
    pub fn new(offset: usize, message: impl Into<String>) -> Self {
        Self { offset, message: message.into() }
    }
}
