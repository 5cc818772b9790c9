//! Documents as texts, and errors in them.

use crate::source::Source;
use crate::{BYTE_ORDER_MARK, Diagnostic, Severity};

/// A text with the starts of its lines.
pub type Positions<'a> = Source<'a, &'a str>;

impl<'a> Positions<'a> {
    /// Indexes a text.
    pub fn of(name: &'a str, text: &'a str) -> Self {
        let after = text.strip_prefix(BYTE_ORDER_MARK).unwrap_or(text);
        Self::new(name, after, text.len() - after.len())
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
