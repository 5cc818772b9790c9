//! Errors that callers distinguish from all others: wrong usage, and documents that cannot be read as a whole.

use std::fmt::{self, Display, Formatter};

use parsers::Diagnostic;

/// An error with its own exit code.
#[derive(Debug)]
pub(crate) struct Failure {
    pub code: u8,
    pub message: String,
}

impl Display for Failure {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        f.write_str(&self.message)
    }
}

impl std::error::Error for Failure {}

/// The exit code for wrong usage.
const USAGE: u8 = 2;

/// An error for wrong usage.
pub(crate) fn usage(message: impl Into<String>) -> anyhow::Error {
    Failure { code: USAGE, message: message.into() }.into()
}

/// Whether an error is that of somebody who asked for what makes no sense, such as an unknown instruction set.
pub fn is_usage(error: &anyhow::Error) -> bool {
    error.downcast_ref::<Failure>().is_some_and(|failure| failure.code == USAGE)
}

/// A document that cannot be read as a whole.
#[derive(Debug)]
pub struct BrokenDocument {
    /// The places, at least one.
    pub problems: Vec<Problem>,
    /// The lines of the document around the first places, for a terminal; empty where the message says all.
    pub(crate) snippets: String,
    message: String,
}

/// A place in a document and what is wrong there.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Problem {
    /// The document's path.
    pub file: String,
    /// The line, from 1.
    pub line: u32,
    /// The column in characters, from 1.
    pub column: u32,
    /// The entry that it is in, if it is in one.
    pub entry: Option<String>,
    /// What is wrong, in one sentence.
    pub message: String,
}

impl BrokenDocument {
    /// A document with these problems; the message names its path.
    pub(crate) fn new(problems: Vec<Problem>, snippets: String, path: &str) -> Self {
        let message = format!(
            "{path} cannot be read as a whole: nothing was done with it; --accept-partial takes what can be read"
        );
        Self { problems, snippets, message }
    }

    /// A document that is refused because of one place.
    pub(crate) fn at(path: impl Display, line: u32, column: u32, message: impl Into<String>) -> Self {
        let problem = Problem { file: path.to_string(), line, column, entry: None, message: message.into() };
        let message = format!("{path}:{line}:{column}: {}", problem.message);
        Self { problems: vec![problem], snippets: String::new(), message }
    }
}

impl Display for BrokenDocument {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        f.write_str(&self.message)
    }
}

impl std::error::Error for BrokenDocument {}

impl Problem {
    /// What a diagnostic says of the document at a path.
    pub(crate) fn new(diagnostic: &Diagnostic, file: String) -> Self {
        let Diagnostic { entry, span, message, .. } = diagnostic;
        Self { file, line: span.line, column: span.column, entry: entry.clone(), message: message.clone() }
    }
}
