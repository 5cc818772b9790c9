//! Operations that leave lines out: a comment that is nothing but dots.
//!
//! ```text
//! 0: dst := a
//! // ...          // what do 1 to 6 do?
//! 7: dst := b
//! ```

use super::{Check, Notes, Rule, Subject};
use crate::intel::ast::Extent;
use crate::intel::classify;
use crate::ledger::Severity;

pub(super) const RULE: Rule = Rule {
    code: "incomplete",
    severity: Severity::Error,
    finds: "operations that leave lines out",
    check: Check::Entry(check),
};

fn check(subject: &Subject<'_>, notes: &mut Notes<'_>) {
    let text = subject.entry.operation.as_ref().map_or("", |text| &text.text);
    if let Some(start) = classify::elision(text).and_then(|start| u32::try_from(start).ok()) {
        notes.at(Extent { start, end: start }, "the operation leaves lines out".to_owned());
    }
}
