//! Entries with one text for one machine instruction that mean different things, because of their types.
//!
//! ```text
//! _f with etype SI8, _g with etype SI64, both ADDB, and both      dst[i+7:i] := Saturate8(a[i+7:i] + b[i+7:i])
//! ```
//!
//! Twins have the same operation, parameters of the same names and C types, and the same machine instruction; then an
//! element type must be wrong in one of them. Which one, the rule cannot tell; it points to both.

use std::collections::BTreeMap;

use super::samples::{count, results, value};
use super::twin_differs::normalized;
use super::{Check, Evaluate, Note, Rule, Subject};
use crate::ledger::Severity;

pub(super) const RULE: Rule = Rule {
    code: "element-twin",
    severity: Severity::Error,
    finds: "entries with one text for one machine instruction that differ through their types",
    check: Check::Document(check),
};

/// Machine instruction, operation, and the parameters by name with their C types.
type Twins<'a> = (String, String, Vec<(&'a str, &'a str)>);

fn check(subjects: &[Subject<'_>], evaluate: &Evaluate<'_>, notes: &mut Vec<Note>) {
    let mut groups: BTreeMap<Twins<'_>, Vec<&Subject<'_>>> = BTreeMap::new();
    for subject in subjects {
        let (Some(instruction), Some((mnemonic, operands))) =
            (&subject.instruction, subject.entry.forms.first())
        else {
            continue;
        };
        let mut types: Vec<(&str, &str)> = instruction
            .signature
            .args
            .iter()
            .map(|arg| (arg.name.as_str(), arg.c_type.trim_start_matches("const ")))
            .collect();
        types.sort_unstable();
        let form = format!("{mnemonic} {operands}");
        groups.entry((form, normalized(subject), types)).or_default().push(subject);
    }
    for group in groups.values().filter(|group| group.len() > 1) {
        let computed: Vec<_> = group
            .iter()
            .map(|subject| subject.instruction.as_ref().and_then(|own| results(own, evaluate, value)))
            .collect();
        for (position, left) in group.iter().enumerate() {
            for (other, right) in group.iter().enumerate() {
                let (Some(own), Some(twin)) = (&computed[position], &computed[other]) else { continue };
                let number = own.iter().zip(twin).filter(|(own, twin)| own != twin).count();
                if number > 0 {
                    let message = format!(
                        "`{}` has the same text and instruction and differs for {number} of {} inputs",
                        right.entry.name,
                        count()
                    );
                    notes.push(Note { position: left.position, at: None, message });
                }
            }
        }
    }
}
