//! Masked entries that differ from their unmasked form although all mask bits are set.
//!
//! ```text
//! _f_min over 32 lanes, and _f_mask_min over 16
//! ```
//!
//! The unmasked form has the name without `_mask`, `_maskz` or `_mask3`; arguments of the same name are the same. Bits that
//! both forms copy from an argument are not compared: of the scalars in registers that take part in a product and a sum,
//! each form keeps the upper elements of another one.

use std::collections::BTreeMap;

use hydride_ir::Bits;

use super::samples::{count, results, value};
use super::{Check, Evaluate, Note, Rule, Subject};
use crate::ledger::Severity;
use crate::signature::{Argument, Instruction, Kind};

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
pub(super) fn is_write_mask(argument: &Argument) -> bool {
    argument.kind == Kind::Mask && matches!(argument.name.as_str(), "k" | "k1" | "m")
}

/// The name of the argument that a masked form has in place of elements that the mask leaves out.
const PASSED_THROUGH: &str = "src";

/// The bits of the results that are the same bits of one argument for all inputs, as words of a mask. Under a full mask
/// nothing is passed through.
fn copied(instruction: &Instruction, results: &[Bits]) -> Vec<u64> {
    let Some(first) = results.first() else { return Vec::new() };
    let mut copied = vec![0; first.words().len()];
    let args = instruction.signature.args.iter();
    for arg in args.filter(|arg| arg.name != PASSED_THROUGH && arg.width == first.width()) {
        let mut same = vec![u64::MAX; copied.len()];
        for (input, result) in (0..).zip(results) {
            let value = value(&arg.name, arg.width, input);
            let words = value.words().iter().zip(result.words());
            same.iter_mut().zip(words).for_each(|(same, (value, result))| *same &= !(value ^ result));
        }
        copied.iter_mut().zip(same).for_each(|(copied, same)| *copied |= same);
    }
    copied
}

fn check(subjects: &[Subject<'_>], evaluate: &Evaluate<'_>, notes: &mut Vec<Note>) {
    let by_name: BTreeMap<&str, &Subject<'_>> =
        subjects.iter().rev().map(|subject| (subject.entry.name.as_str(), subject)).collect();
    for subject in subjects {
        let Some(masked) = &subject.instruction else { continue };
        let base = unmasked(&subject.entry.name).and_then(|name| by_name.get(name.as_str()).copied());
        let Some(plain) = base.and_then(|base| base.instruction.as_ref()) else { continue };
        // Every argument of the unmasked form must be one of the masked form.
        let [left, right] = [masked, plain].map(|form| &form.signature.args);
        let has = |args: &[Argument], arg: &Argument| {
            args.iter().any(|other| other.name == arg.name && other.width == arg.width)
        };
        let (masks, others): (Vec<&Argument>, Vec<&Argument>) =
            left.iter().partition(|arg| is_write_mask(arg));
        let is_known = |arg: &&Argument| arg.name == PASSED_THROUGH || has(right, arg);
        if masks.len() != 1 || !right.iter().all(|arg| has(left, arg)) || !others.iter().all(is_known) {
            continue;
        }
        let left = under_mask(masked, evaluate, true);
        let right = results(plain, evaluate, value);
        let (Some(left), Some(right)) = (left, right) else { continue };
        let copied = copied(masked, &left).into_iter().zip(copied(plain, &right));
        let copied: Vec<u64> = copied.map(|(left, right)| left & right).collect();
        let differ = |(left, right): &(&Bits, &Bits)| {
            let words = left.words().iter().zip(right.words()).zip(&copied);
            left.width() != right.width()
                || words.into_iter().any(|((left, right), copied)| (left ^ right) & !copied != 0)
        };
        let number = left.iter().zip(&right).filter(differ).count();
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
