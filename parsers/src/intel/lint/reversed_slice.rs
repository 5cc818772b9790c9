//! Slices whose high bound is below the low one.
//!
//! ```text
//! dst[i+7:i+15] := a[i+15:i+7]     // the first slice
//! ```
//!
//! `v[0:31]`, from bit 0 upwards, is how documents write the reversal of bits; it is not a finding. Nor is an empty
//! slice that is one bit too short: it denotes the bits above a full register.

use super::walk::{self, constant, difference};
use super::{Check, Notes, Rule, Subject};
use crate::ledger::Severity;

pub(super) const RULE: Rule = Rule {
    code: "reversed-slice",
    severity: Severity::Error,
    finds: "slices whose high bound is below the low one",
    check: Check::Entry(check),
};

fn check(subject: &Subject<'_>, notes: &mut Notes<'_>) {
    let Some(program) = &subject.program else { return };
    walk::slices(program, &mut |high, low, at| {
        let span = difference(high, low).filter(|span| *span < -1 && constant(high) != Some(0));
        if let Some(span) = span {
            notes.at(at, format!("the high bound is {} below the low one", -span));
        }
    });
}
