//! Signed element types whose width no slice of the parameter has, while the sign of narrower elements matters.
//!
//! ```text
//! parameter a with etype SI64, and      dst[i+7:i] := Saturate8(a[i+7:i] + 1)
//! ```
//!
//! A slice is read as signed when it is as wide as the element, so that a wrong width changes the result. Slices of one
//! bit have no sign, and those that are read by a function with fixed signedness need none.

use std::collections::BTreeSet;

use super::walk::{self, Visit, width};
use super::{Check, Notes, Rule, Subject};
use crate::ledger::Severity;
use crate::signature::Kind;

pub(super) const RULE: Rule = Rule {
    code: "element-width",
    severity: Severity::Warning,
    finds: "signed element types whose width no slice of the parameter has",
    check: Check::Entry(check),
};

fn check(subject: &Subject<'_>, notes: &mut Notes<'_>) {
    let (Some(program), Some(instruction)) = (&subject.program, &subject.instruction) else { return };
    for argument in &instruction.signature.args {
        let Some(element) = argument.element.filter(|element| element.signed && !element.float) else {
            continue;
        };
        if argument.kind != Kind::Vector {
            continue;
        }
        let mut widths = BTreeSet::new();
        let mut unknown = false;
        walk::program(program, &mut |visit| {
            let Visit::Read(place) = visit else { return };
            if program.name(place.name) == argument.name {
                match width(&place.selectors) {
                    Some(width) => drop(widths.insert(width)),
                    None => unknown = true,
                }
            }
        });
        widths.remove(&1);
        widths.remove(&i64::from(argument.width));
        if !unknown && !widths.is_empty() && !widths.contains(&i64::from(element.width)) {
            let shown: Vec<String> = widths.iter().map(i64::to_string).collect();
            notes.entry(format!(
                "the element type of `{}` is signed and {} bits wide; the operation reads slices of {}",
                argument.name,
                element.width,
                shown.join(", ")
            ));
        }
    }
}
