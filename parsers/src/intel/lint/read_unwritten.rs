//! Slices of a temporary that reach beyond all that is ever assigned to it.
//!
//! ```text
//! tmp[31:0] := a[31:0]
//! dst[63:0] := tmp[63:0]       // bits 63 to 32 of tmp have no value
//! ```

use rustc_hash::{FxHashMap, FxHashSet};

use super::walk::{self, Visit, constant};
use super::{Check, Notes, Rule, Subject};
use crate::intel::ast::{Place, Selector, Symbol};
use crate::ledger::Severity;

pub(super) const RULE: Rule = Rule {
    code: "read-unwritten",
    severity: Severity::Error,
    finds: "slices of a temporary beyond what is assigned to it",
    check: Check::Entry(check),
};

/// The highest bit of a slice with constant bounds.
fn high(place: &Place) -> Option<i64> {
    let [Selector::Slice(high, low)] = place.selectors.as_slice() else { return None };
    Some(constant(high)?.max(constant(low)?))
}

fn check(subject: &Subject<'_>, notes: &mut Notes<'_>) {
    let Some(program) = &subject.program else { return };
    // Assigned only in constant slices, with the highest bit of all.
    let mut assigned: FxHashMap<Symbol, i64> = FxHashMap::default();
    let mut other: FxHashSet<Symbol> = FxHashSet::default();
    for define in &program.defines {
        other.extend(define.parameters.iter().map(|parameter| parameter.name));
    }
    walk::program(program, &mut |visit| match visit {
        Visit::Write(place) => match high(place) {
            Some(high) => {
                let highest = assigned.entry(place.name).or_insert(high);
                *highest = high.max(*highest);
            }
            None => drop(other.insert(place.name)),
        },
        Visit::Bind(name) => drop(other.insert(name)),
        _ => {}
    });
    let operands = || subject.entry.parameters.iter().chain(&subject.entry.result);
    walk::program(program, &mut |visit| {
        let Visit::Read(place) = visit else { return };
        let name = program.name(place.name);
        if other.contains(&place.name) || operands().any(|operand| operand.name.eq_ignore_ascii_case(name)) {
            return;
        }
        if let (Some(highest), Some(high)) = (assigned.get(&place.name), high(place))
            && high > *highest
        {
            notes.at(
                place.at,
                format!("bit {high} of `{name}` is read; nothing above bit {highest} is assigned"),
            );
        }
    });
}
