//! A document with the places in it: spans of byte offsets, offsets of lines and columns.

use std::ops::Deref;

use crate::ledger::Span;
use crate::lines::Lines;

/// A document that is kept as `B`: a string where it must be UTF-8, else its bytes.
pub struct Source<'a, B> {
    /// What diagnostics call it.
    pub name: &'a str,
    /// The contents after a byte order mark. Offsets refer to them, except for those of spans.
    pub text: B,
    /// Bytes of the byte order mark.
    mark: usize,
    lines: Lines,
}

impl<'a, B: Deref<Target: AsRef<[u8]>>> Source<'a, B> {
    /// Indexes a document of which `mark` bytes have been removed.
    pub fn new(name: &'a str, text: B, mark: usize) -> Self {
        let lines = Lines::new((*text).as_ref());
        Self { name, text, mark, lines }
    }

    fn bytes(&self) -> &[u8] {
        (*self.text).as_ref()
    }

    /// The span of `length` bytes from `offset`, clamped into the document.
    pub fn span(&self, offset: usize, length: usize) -> Span {
        let bytes = self.bytes();
        let offset = offset.min(bytes.len());
        let length = length.min(bytes.len() - offset);
        let (line, column) = self.lines.place(bytes, offset);
        Span { file: self.name.to_owned(), offset: offset + self.mark, length, line, column }
    }

    /// The offset of a line and column, both counted from 1; columns in bytes.
    pub fn offset_of(&self, line: usize, column: usize) -> usize {
        self.lines.offset(self.bytes(), line, column)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn spans_count_the_mark_and_end_with_the_document() {
        let source = Source::new("own.txt", "one\ntwo\n", 3);
        let span = source.span(4, 100);
        assert_eq!((span.offset, span.length, span.line, span.column), (7, 4, 2, 1));
        assert_eq!(source.offset_of(2, 3), 6);
        assert_eq!(source.span(100, 1).length, 0);
    }
}
