//! Masked entries that differ from their unmasked form although all mask bits are set.
//!
//! ```text
//! _f_min over 32 lanes, and _f_mask_min over 16
//! ```
//!
//! The unmasked form has the name without `_mask`, `_maskz` or `_mask3`; arguments of the same name are the same.

use std::collections::BTreeMap;

use hydride_ir::Bits;

use super::samples::{count, results, value};
use super::{Check, Evaluate, Note, Rule, Subject};
use crate::ledger::Severity;
use crate::signature::{Instruction, Kind};

pub(super) const RULE: Rule = Rule {
    code: "masked-differs",
    severity: Severity::Error,
    finds: "masked entries that differ from the unmasked one under a full mask",
    check: Check::Document(check),
};

/// The name without its mark of masking.
pub(super) fn unmasked(name: &str) -> Option<String> {
    ["_maskz_", "_mask3_", "_mask_"]
        .iter()
        .find(|mark| name.contains(**mark))
        .map(|mark| name.replacen(mark, "_", 1))
}

/// Results with the write mask `k` set as given.
pub(super) fn under_mask(
    instruction: &Instruction,
    evaluate: &Evaluate<'_>,
    full: bool,
) -> Option<Vec<Bits>> {
    let is_mask =
        |name: &str| instruction.signature.args.iter().any(|arg| arg.name == name && is_write_mask(arg));
    results(instruction, evaluate, |name, width, input| match is_mask(name) {
        true if full => Bits::ones(width),
        true => Bits::zero(width),
        false => value(name, width, input),
    })
}

/// Whether an argument selects lanes of the result.
pub(super) fn is_write_mask(argument: &crate::signature::Argument) -> bool {
    argument.kind == Kind::Mask && matches!(argument.name.as_str(), "k" | "k1" | "m")
}

fn check(subjects: &[Subject<'_>], evaluate: &Evaluate<'_>, notes: &mut Vec<Note>) {
    let by_name: BTreeMap<&str, &Subject<'_>> =
        subjects.iter().rev().map(|subject| (subject.entry.name.as_str(), subject)).collect();
    for subject in subjects {
        let Some(masked) = &subject.instruction else { continue };
        let base = unmasked(&subject.entry.name).and_then(|name| by_name.get(name.as_str()).copied());
        let Some(plain) = base.and_then(|base| base.instruction.as_ref()) else { continue };
        // Every argument of the unmasked form must be one of the masked form.
        let comparable = plain.signature.args.iter().all(|arg| {
            masked.signature.args.iter().any(|other| other.name == arg.name && other.width == arg.width)
        }) && masked.signature.args.iter().filter(|arg| is_write_mask(arg)).count() == 1;
        if !comparable {
            continue;
        }
        let left = under_mask(masked, evaluate, true);
        let right = results(plain, evaluate, value);
        let (Some(left), Some(right)) = (left, right) else { continue };
        let number = left.iter().zip(&right).filter(|(left, right)| left != right).count();
        if number > 0 {
            let message = format!(
                "differs from `{}` under a full mask for {number} of {} inputs",
                plain.intrinsic,
                count()
            );
            notes.push(Note { position: subject.position, at: None, message });
        }
    }
}
