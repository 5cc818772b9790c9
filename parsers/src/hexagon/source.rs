//! The text of one document with its name, and places in it.

use std::borrow::Cow;

use super::Document;
use crate::source::Source;
use crate::{BYTE_ORDER_MARK, Diagnostic, Severity, Span};

/// What made an entry, or a part of a document, unusable; its place is a byte offset in the current text.
pub(super) type Fault = crate::pseudocode::Fault<usize>;

/// A document's text.
pub(super) type Text<'a> = Source<'a, Cow<'a, str>>;

impl<'a> Text<'a> {
    /// The text of a document. Bytes that are not UTF-8 are reported and replaced one by one, so
    /// that offsets stay what they are in the file.
    pub fn of(document: Document<'a>, diagnostics: &mut Vec<Diagnostic>) -> Self {
        let bytes = document.bytes.strip_prefix(BYTE_ORDER_MARK.as_bytes()).unwrap_or(document.bytes);
        let (text, invalid) = match std::str::from_utf8(bytes) {
            Ok(text) => (Cow::Borrowed(text), None),
            Err(error) => (Cow::Owned(replace_invalid(bytes)), Some(error.valid_up_to())),
        };
        let this = Self::new(document.name, text, document.bytes.len() - bytes.len());
        if let Some(at) = invalid {
            this.report(diagnostics, Severity::Error, None, at, "the document is not valid UTF-8".into());
        } else if this.text.trim().is_empty() {
            this.report(diagnostics, Severity::Error, None, 0, "the document is empty".into());
        }
        this
    }

    pub fn as_str(&self) -> &str {
        &self.text
    }

    /// The place of the character that contains an offset.
    pub fn place(&self, offset: usize) -> Span {
        let mut offset = offset.min(self.text.len());
        while !self.text.is_char_boundary(offset) {
            offset -= 1;
        }
        self.span(offset, 1)
    }

    /// Adds a diagnostic at an offset.
    pub fn report(
        &self,
        diagnostics: &mut Vec<Diagnostic>,
        severity: Severity,
        entry: Option<&str>,
        at: usize,
        message: String,
    ) {
        let span = self.place(at);
        diagnostics.push(Diagnostic { severity, entry: entry.map(str::to_owned), span, message });
    }
}

fn replace_invalid(bytes: &[u8]) -> String {
    let mut text = String::with_capacity(bytes.len());
    for chunk in bytes.utf8_chunks() {
        text.push_str(chunk.valid());
        text.extend(chunk.invalid().iter().map(|_| '?'));
    }
    text
}
