//! Parameters and immediates that the operation never names.
//!
//! ```text
//! parameters a, b, and      dst := a + a
//! ```
//!
//! A parameter that the document marks as a hint may be left out, and so may one that sets a mode of rounding: the
//! operations of floating-point entries are not looked at. Where only the case of letters differs, a name means the same.

use super::{Check, Notes, Rule, Subject};
use crate::intel::classify;
use crate::ledger::Severity;

pub(super) const RULE: Rule = Rule {
    code: "unused-parameter",
    severity: Severity::Warning,
    finds: "parameters and immediates that are never used",
    check: Check::Entry(check),
};

fn check(subject: &Subject<'_>, notes: &mut Notes<'_>) {
    let Some(program) = subject.program.as_ref().filter(|program| !program.body.is_empty()) else { return };
    if subject.excluded || classify::has_float(subject.entry) {
        return;
    }
    for parameter in subject.entry.parameters.iter().filter(|parameter| !parameter.hint) {
        let void = parameter.c_type.trim() == "void";
        if !void && !program.names.iter().any(|name| name.eq_ignore_ascii_case(&parameter.name)) {
            notes.entry(format!("the operation never uses `{}`", parameter.name));
        }
    }
}
