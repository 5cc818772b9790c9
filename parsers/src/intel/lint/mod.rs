//! Finds what is wrong in a document before anything is run on hardware.
//!
//! [`lint`] reads a document and asks each rule of [`RULES`] about it. Rules look at one entry (its attributes, the
//! numbers in its description, the syntax tree of its operation, its function) or compare entries. Where two functions
//! are compared, they are evaluated on the same inputs, by the caller's [`Evaluate`]: a finding then is a
//! difference in meaning, never in wording. No rule knows an instruction by name, and a finding holds names and
//! numbers, never a sentence of the document.
//!
//! ```
//! let text = r#"<intrinsics_list version="0"><intrinsic tech="Other" name="_own_copy">
//! <return type="__m64" varname="dst" etype="UI8"/><parameter type="__m64" varname="a" etype="UI8"/>
//! <parameter type="__m64" varname="b" etype="UI8"/>
//! <operation>dst := a</operation></intrinsic></intrinsics_list>"#;
//! let report = parsers::intel::lint::lint("own.xml", text.as_bytes(), &|_, _| None);
//! assert_eq!(report.findings[0].rule, "unused-parameter");
//! ```

mod code_after_return;
mod element_twin;
mod element_width;
mod fixed_bound;
mod incomplete;
mod masked_differs;
mod masked_off;
mod mixed_saturation;
mod read_unwritten;
mod reversed_slice;
mod samples;
mod sign_twin;
mod slice_beyond_width;
mod text_width;
mod twin_differs;
mod undefined_name;
mod unused_parameter;
mod unwritten_bits;
mod walk;

#[cfg(test)]
mod tests;

use hydride_ir::{Bits, Function};
use rayon::prelude::*;

use super::ast::{Extent, Program};
use super::document::{self, Entry};
use super::source::Source;
use super::{Options, classify, grammar, ids, model, on_large_stacks};
use crate::ledger::{Diagnostic, Severity, Span};
use crate::signature::Instruction;

/// Computes the results of a function for arguments; nothing when it cannot.
pub type Evaluate<'a> = dyn Fn(&Function, &[Bits]) -> Option<Vec<Bits>> + Sync + 'a;

/// What a rule found.
#[derive(Clone, Debug, PartialEq, Eq, serde::Serialize)]
pub struct Finding {
    /// The rule's code.
    pub rule: &'static str,
    /// How bad it is.
    pub severity: Severity,
    /// The entry's id.
    pub entry: String,
    /// Where.
    pub span: Span,
    /// What, with names and numbers.
    pub message: String,
}

/// What the rules found in a document.
#[derive(Debug, Default)]
pub struct Report {
    /// The document's version.
    pub version: String,
    /// Entries that were read.
    pub entries: usize,
    /// The findings by place, then by rule.
    pub findings: Vec<Finding>,
    /// What keeps the document, or a part of it, from being read.
    pub diagnostics: Vec<Diagnostic>,
}

/// A rule.
#[derive(Clone, Copy)]
pub struct Rule {
    /// Its code, as in the findings.
    pub code: &'static str,
    /// How bad its findings are.
    pub severity: Severity,
    /// What it finds, in a sentence.
    pub finds: &'static str,
    check: Check,
}

/// What a rule looks at.
#[derive(Clone, Copy)]
enum Check {
    /// One entry at a time.
    Entry(fn(&Subject<'_>, &mut Notes<'_>)),
    /// All entries.
    Document(fn(&[Subject<'_>], &Evaluate<'_>, &mut Vec<Note>)),
}

/// The rules, by code.
pub const RULES: &[Rule] = &[
    code_after_return::RULE,
    element_twin::RULE,
    element_width::RULE,
    fixed_bound::RULE,
    incomplete::RULE,
    masked_differs::RULE,
    masked_off::RULE,
    mixed_saturation::RULE,
    read_unwritten::RULE,
    reversed_slice::RULE,
    sign_twin::RULE,
    slice_beyond_width::RULE,
    text_width::RULE,
    twin_differs::RULE,
    undefined_name::RULE,
    unused_parameter::RULE,
    unwritten_bits::RULE,
];

/// An entry with all that rules look at.
struct Subject<'a> {
    /// Its position in the document.
    position: usize,
    entry: &'a Entry,
    /// Its syntax tree, when the text can be read.
    program: Option<Program>,
    /// Its function, when it can be modelled.
    instruction: Option<Instruction>,
    /// For each argument one above the highest bit that the operation names; empty without a function.
    read: Vec<u32>,
    /// Whether the IR does not describe what it does: its text is about memory, state and the like.
    excluded: bool,
}

/// A finding before it has its place.
struct Note {
    position: usize,
    /// In the operation's text; nothing for the entry.
    at: Option<Extent>,
    message: String,
}

/// The notes on one entry.
struct Notes<'a> {
    position: usize,
    notes: &'a mut Vec<Note>,
}

impl Notes<'_> {
    fn at(&mut self, at: Extent, message: String) {
        self.notes.push(Note { position: self.position, at: Some(at), message });
    }

    fn entry(&mut self, message: String) {
        self.notes.push(Note { position: self.position, at: None, message });
    }
}

/// Asks all rules about a document.
pub fn lint(file_name: &str, bytes: &[u8], evaluate: &Evaluate<'_>) -> Report {
    let source = Source::new(file_name, bytes, 0);
    let document = document::read(&source, bytes);
    let ids = ids(&document.entries);
    let read = |(position, entry)| {
        let program = entry_program(entry);
        let (instruction, read) = match model(&source, entry, &Options::default()) {
            Ok(modelled) => (Some(modelled.instruction), modelled.read),
            Err(_) => (None, Vec::new()),
        };
        Subject {
            position,
            entry,
            program,
            instruction,
            read,
            excluded: classify::exclusion(entry, false).is_some(),
        }
    };
    let noted: Vec<(&Rule, Vec<Note>)> = on_large_stacks(|| {
        let subjects: Vec<Subject<'_>> = document.entries.par_iter().enumerate().map(read).collect();
        let ask = |rule: &'static Rule| {
            let mut notes = Vec::new();
            match rule.check {
                Check::Document(check) => check(&subjects, evaluate, &mut notes),
                Check::Entry(check) => {
                    for subject in &subjects {
                        check(subject, &mut Notes { position: subject.position, notes: &mut notes });
                    }
                }
            }
            (rule, notes)
        };
        RULES.par_iter().map(ask).collect()
    });
    let mut findings = Vec::new();
    for (rule, notes) in noted {
        for note in notes {
            let entry = &document.entries[note.position];
            let span = match (note.at, &entry.operation) {
                (Some(at), Some(text)) => {
                    let (start, end) = (text.offset(at.start as usize), text.offset(at.end as usize));
                    source.span(start, end.saturating_sub(start).max(1))
                }
                _ => source.span(entry.start, entry.end - entry.start),
            };
            findings.push(Finding {
                rule: rule.code,
                severity: rule.severity,
                entry: ids[note.position].clone(),
                span,
                message: note.message,
            });
        }
    }
    findings.sort_by(|left, right| {
        let key = |finding: &Finding| (finding.span.offset, finding.rule);
        key(left).cmp(&key(right)).then_with(|| left.message.cmp(&right.message))
    });
    findings.dedup();
    Report {
        version: document.version,
        entries: document.entries.len(),
        findings,
        diagnostics: document.diagnostics,
    }
}

fn entry_program(entry: &Entry) -> Option<Program> {
    grammar::parse(&entry.operation.as_ref()?.text).ok()
}
