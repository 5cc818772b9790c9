//! Byte offsets to lines and columns.

use crate::lines::Lines;
use crate::{BYTE_ORDER_MARK, Diagnostic, Severity, Span};

/// A text with the starts of its lines.
pub struct Positions<'a> {
    /// The document's name.
    pub name: &'a str,
    /// Its text after a byte-order mark. Offsets refer to it, except for those of spans.
    pub text: &'a str,
    /// Bytes of the byte-order mark.
    mark: usize,
    lines: Lines,
}

impl<'a> Positions<'a> {
    /// Indexes a text.
    pub fn new(name: &'a str, text: &'a str) -> Self {
        let whole = text.len();
        let text = text.strip_prefix(BYTE_ORDER_MARK).unwrap_or(text);
        Self { name, text, mark: whole - text.len(), lines: Lines::new(text.as_bytes()) }
    }

    /// The span of some bytes.
    pub fn span(&self, offset: usize, length: usize) -> Span {
        let (line, column) = self.lines.place(self.text.as_bytes(), offset);
        Span { file: self.name.to_owned(), offset: offset + self.mark, length, line, column }
    }

    /// The offset of a line and column, both counted from 1; columns in bytes.
    pub fn offset_of(&self, line: u32, column: u32) -> usize {
        self.lines.offset(self.text.as_bytes(), line as usize, column as usize)
    }

    /// An error at an offset.
    pub fn diagnostic(&self, offset: usize, message: impl Into<String>) -> Diagnostic {
        Diagnostic {
            severity: Severity::Error,
            entry: None,
            span: self.span(offset, 0),
            message: message.into(),
        }
    }
}
