//! Entries whose names say signed and unsigned, and that mean the same although the sign matters.
//!
//! ```text
//! _f_epi8 and _f_epu8, both with etype UI8      dst[i+7:i] := REMAINDER(a[i+7:i] / b[i+7:i])
//! ```
//!
//! The sign matters to what computes with more than the low bits: quotients, orders, extensions, right shifts. A
//! comparison for equality has signed and unsigned names as well, and rightly means the same.

use std::collections::{BTreeMap, BTreeSet};

use hydride_ir::{BinaryOp, CompareOp, Function, Op};

use super::samples::{count, differ};
use super::{Check, Evaluate, Note, Rule, Subject};
use crate::ledger::Severity;

pub(super) const RULE: Rule = Rule {
    code: "sign-twin",
    severity: Severity::Error,
    finds: "entries whose names say signed and unsigned and that mean the same",
    check: Check::Document(check),
};

/// The parts of names that denote signed elements, and their unsigned counterparts.
const MARKS: &[(&str, &str)] =
    &[("epi", "epu"), ("idiv", "udiv"), ("irem", "urem"), ("bss", "buu"), ("wss", "wuu")];

/// The names that say unsigned where `name` says signed.
fn unsigned_names(name: &str) -> BTreeSet<String> {
    let replaced = |(signed, unsigned): &(&str, &str)| -> Vec<String> {
        let places = name.match_indices(*signed);
        places.map(|(at, _)| format!("{}{unsigned}{}", &name[..at], &name[at + signed.len()..])).collect()
    };
    MARKS.iter().flat_map(replaced).collect()
}

/// Whether a function has an operator whose value depends on its operands' sign.
fn sign_matters(function: &Function) -> bool {
    let width = |id| function.expr(id).width.as_constant().unwrap_or(0);
    function.exprs().iter().any(|expr| match &expr.op {
        Op::Binary { op, .. } => {
            matches!(op, BinaryOp::Div | BinaryOp::Rem | BinaryOp::Shr | BinaryOp::Min | BinaryOp::Max)
        }
        Op::Compare { op, .. } => *op != CompareOp::Eq,
        // One bit has no sign.
        Op::Cast { of, .. } => width(*of) > 1 && expr.width.as_constant().unwrap_or(0) > width(*of),
        Op::Saturate { .. } => true,
        _ => false,
    })
}

fn check(subjects: &[Subject<'_>], evaluate: &Evaluate<'_>, notes: &mut Vec<Note>) {
    let by_name: BTreeMap<&str, &Subject<'_>> =
        subjects.iter().rev().map(|subject| (subject.entry.name.as_str(), subject)).collect();
    for subject in subjects {
        let Some(signed) = &subject.instruction else { continue };
        for twin in unsigned_names(&subject.entry.name) {
            let twin = by_name.get(twin.as_str()).and_then(|twin| Some((*twin, twin.instruction.as_ref()?)));
            let Some((twin, unsigned)) = twin else { continue };
            if !sign_matters(&signed.function) && !sign_matters(&unsigned.function) {
                continue;
            }
            if differ(signed, unsigned, evaluate) == Some(0) {
                let message =
                    |other: &str| format!("means the same as `{other}` for all of {} inputs", count());
                notes.push(Note { position: subject.position, at: None, message: message(&twin.entry.name) });
                notes.push(Note { position: twin.position, at: None, message: message(&subject.entry.name) });
            }
        }
    }
}
