//! Slices of an element whose low bound does not move with the high one.
//!
//! ```text
//! dst[i+31:i] := f(a[i+31:0])
//! ```
//!
//! A high bound that is a variable alone, such as a number of bits, is not a finding.

use super::walk::{self, constant, offset};
use super::{Check, Notes, Rule, Subject};
use crate::ledger::Severity;

/// The high bound of the first element of the narrowest kind.
const BYTE: i64 = 7;

pub(super) const RULE: Rule = Rule {
    code: "fixed-bound",
    severity: Severity::Error,
    finds: "slices of an element whose low bound does not move with the high one",
    check: Check::Entry(check),
};

fn check(subject: &Subject<'_>, notes: &mut Notes<'_>) {
    let Some(program) = &subject.program else { return };
    walk::slices(program, &mut |high, low, at| {
        if let (Some(BYTE..), Some(low)) = (offset(high), constant(low)) {
            notes.at(at, format!("the high bound moves, and the low one is always {low}"));
        }
    });
}
