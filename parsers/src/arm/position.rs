//! Byte offsets to lines and columns.

use crate::{BYTE_ORDER_MARK, Diagnostic, Severity, Span};

/// A text with the starts of its lines.
pub struct Positions<'a> {
    /// The document's name.
    pub name: &'a str,
    /// Its text, behind a byte-order mark. Offsets are those in it, but for those of spans.
    pub text: &'a str,
    /// Bytes of the byte-order mark.
    mark: usize,
    starts: Vec<usize>,
}

impl<'a> Positions<'a> {
    /// Indexes a text.
    pub fn new(name: &'a str, text: &'a str) -> Self {
        let whole = text.len();
        let text = text.strip_prefix(BYTE_ORDER_MARK).unwrap_or(text);
        let starts = std::iter::once(0).chain(text.match_indices('\n').map(|(at, _)| at + 1)).collect();
        Self { name, text, mark: whole - text.len(), starts }
    }

    /// The span of some bytes.
    pub fn span(&self, offset: usize, length: usize) -> Span {
        let line = self.starts.partition_point(|start| *start <= offset).max(1);
        let start = self.starts[line - 1];
        let before = self.text.get(start..offset.min(self.text.len())).unwrap_or("");
        Span {
            file: self.name.to_owned(),
            offset: offset + self.mark,
            length,
            line: line as u32,
            column: before.chars().count() as u32 + 1,
        }
    }

    /// The offset of a line and column, both counted from 1; columns in bytes.
    pub fn offset_of(&self, line: u32, column: u32) -> usize {
        let start = self.starts.get(line.saturating_sub(1) as usize).copied().unwrap_or(self.text.len());
        (start + column.saturating_sub(1) as usize).min(self.text.len())
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
