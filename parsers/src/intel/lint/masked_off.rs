//! Masked entries whose result under an empty mask is made of neither their arguments' bytes in place nor constants.
//!
//! ```text
//! IF k[j] … ELSE dst.byte[j] := src.byte[b] FI        // b is the immediate; j was meant
//! ```

use hydride_ir::Bits;

use super::masked_differs::{is_write_mask, under_mask, unmasked};
use super::samples::value;
use super::{Check, Evaluate, Note, Rule, Subject};
use crate::ledger::Severity;

pub(super) const RULE: Rule = Rule {
    code: "masked-off",
    severity: Severity::Error,
    finds: "masked entries that compute something under an empty mask",
    check: Check::Document(check),
};

fn check(subjects: &[Subject<'_>], evaluate: &Evaluate<'_>, notes: &mut Vec<Note>) {
    for subject in subjects {
        let Some(instruction) = &subject.instruction else { continue };
        let args = &instruction.signature.args;
        if unmasked(&subject.entry.name).is_none()
            || args.iter().filter(|arg| is_write_mask(arg)).count() != 1
        {
            continue;
        }
        let Some(results) = under_mask(instruction, evaluate, false) else { continue };
        let arguments: Vec<Vec<Bits>> = args
            .iter()
            .map(|arg| (0..).zip(&results).map(|(input, _)| value(&arg.name, arg.width, input)).collect())
            .collect();
        let width = results.first().map_or(0, Bits::width);
        let kept = (0..width.div_ceil(8)).all(|byte| {
            let bytes =
                |values: &[Bits]| -> Vec<u32> { values.iter().map(|value| byte_of(value, byte)).collect() };
            let result = bytes(&results);
            result.iter().all(|value| Some(value) == result.first())
                || arguments.iter().any(|argument| bytes(argument) == result)
        });
        if !kept {
            let message = "under an empty mask a byte of the result is neither an argument's in the same place nor a constant".to_owned();
            notes.push(Note { position: subject.position, at: None, message });
        }
    }
}

/// A byte of a value; 0 above it.
fn byte_of(value: &Bits, byte: u32) -> u32 {
    (0..8)
        .map(|bit| byte * 8 + bit)
        .filter(|bit| *bit < value.width())
        .fold(0, |sum, bit| sum | (u32::from(value.bit(bit)) << (bit % 8)))
}
