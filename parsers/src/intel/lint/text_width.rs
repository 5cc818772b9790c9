//! Descriptions that name another element width than the types and slices.
//!
//! ```text
//! "packed 16-bit integers", and      dst[i+7:i] := a[i+7:i] with etype UI8
//! ```
//!
//! Of the description, numbers before `-bit` that can be an element's width are read and nothing else. A number is found
//! at fault when no element type, slice, C type or number of the operation has it.

use std::collections::BTreeSet;

use super::walk::{self, Visit, width};
use super::{Check, Notes, Rule, Subject};
use crate::ledger::Severity;

pub(super) const RULE: Rule = Rule {
    code: "text-width",
    severity: Severity::Warning,
    finds: "descriptions that name a width that nothing in the entry has",
    check: Check::Entry(check),
};

/// Widths of elements; larger numbers are about lanes and intermediate results.
const ELEMENT_WIDTHS: &[i64] = &[8, 16, 32, 64];

fn check(subject: &Subject<'_>, notes: &mut Notes<'_>) {
    let (Some(description), Some(program), Some(instruction)) =
        (&subject.entry.description, &subject.program, &subject.instruction)
    else {
        return;
    };
    let mut known: BTreeSet<i64> = BTreeSet::new();
    for operand in instruction.signature.args.iter().chain(&instruction.signature.results) {
        known.insert(i64::from(operand.width));
        known.extend(operand.element.map(|element| i64::from(element.width)));
    }
    for operand in &subject.entry.parameters {
        known.extend(operand.immediate_width.map(i64::from));
    }
    walk::program(program, &mut |visit| match visit {
        Visit::Select(selectors, _) => known.extend(width(selectors)),
        Visit::Call(name, _) => {
            let name = program.name(name);
            let digits = name.trim_start_matches(|c: char| !c.is_ascii_digit());
            known.extend(digits.parse::<i64>());
        }
        _ => {}
    });
    // Numbers of the text: steps of loops, shift amounts, one less than a width.
    let text = subject.entry.operation.as_ref().map_or("", |text| &text.text);
    known.extend(text.split(|c: char| !c.is_ascii_digit()).filter_map(|number| number.parse::<i64>().ok()));
    for named in named(&description.text) {
        if ELEMENT_WIDTHS.contains(&named) && !known.contains(&named) && !known.contains(&(named - 1)) {
            notes.entry(format!("the description speaks of {named} bits; nothing in the entry has as many"));
        }
    }
}

/// The numbers before `-bit`.
fn named(text: &str) -> BTreeSet<i64> {
    let ends = text.match_indices("-bit").map(|(end, _)| end);
    let number = |end: usize| {
        let before = &text[..end];
        let digits = before.len() - before.bytes().rev().take_while(u8::is_ascii_digit).count();
        before[digits..].parse().ok()
    };
    ends.filter_map(number).collect()
}
