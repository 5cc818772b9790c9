//! Two entries of one name that do not mean the same.
//!
//! ```text
//! _f: dst := a + b, and again      _f: dst := a - b
//! ```
//!
//! Where both can be modelled their functions are evaluated; where one cannot, their texts are compared without spaces
//! and comments.

use std::collections::BTreeMap;

use super::samples::{count, differ};
use super::{Check, Evaluate, Note, Rule, Subject};
use crate::ledger::Severity;

pub(super) const RULE: Rule = Rule {
    code: "twin-differs",
    severity: Severity::Error,
    finds: "two entries of one name that do not mean the same",
    check: Check::Document(check),
};

/// An operation's text without spaces and comments.
pub(super) fn normalized(subject: &Subject<'_>) -> String {
    let text = subject.entry.operation.as_ref().map_or("", |text| &text.text);
    let code = text.lines().map(|line| line.split("//").next().unwrap_or_default());
    code.flat_map(str::split_whitespace).collect::<Vec<_>>().join(" ")
}

fn check(subjects: &[Subject<'_>], evaluate: &Evaluate<'_>, notes: &mut Vec<Note>) {
    let mut first: BTreeMap<&str, &Subject<'_>> = BTreeMap::new();
    for subject in subjects.iter().filter(|subject| !subject.entry.name.is_empty()) {
        let Some(other) = first.get(subject.entry.name.as_str()) else {
            first.insert(&subject.entry.name, subject);
            continue;
        };
        let message = match (&other.instruction, &subject.instruction) {
            (Some(left), Some(right)) => match differ(left, right, evaluate) {
                Some(0) | None => continue,
                Some(number) => format!("differs from its twin for {number} of {} inputs", count()),
            },
            _ if normalized(other) != normalized(subject) => "differs from its twin in the text".to_owned(),
            _ => continue,
        };
        notes.push(Note { position: subject.position, at: None, message });
    }
}
