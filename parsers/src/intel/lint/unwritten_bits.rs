//! Results with bits that the operation never writes.
//!
//! ```text
//! result of 64 bits, and      dst[31:0] := a[31:0]
//! ```

use super::{Check, Notes, Rule, Subject};
use crate::intel::classify;
use crate::ledger::Severity;

pub(super) const RULE: Rule = Rule {
    code: "unwritten-bits",
    severity: Severity::Warning,
    finds: "results with bits that are never written",
    check: Check::Entry(check),
};

fn check(subject: &Subject<'_>, notes: &mut Notes<'_>) {
    let Some(instruction) = &subject.instruction else { return };
    // The description of a cast without a text says that they are undefined.
    if classify::cast(subject.entry).is_some() {
        return;
    }
    for undefined in &instruction.undefined {
        let name = instruction.signature.results.get(undefined.result).map_or("", |result| &result.name);
        let high = undefined.low + undefined.width - 1;
        notes.entry(format!("bits {high} to {} of `{name}` are never written", undefined.low));
    }
}
