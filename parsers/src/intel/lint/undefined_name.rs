//! Names that an operation reads or calls and that nothing defines.
//!
//! ```text
//! dst := a << count        // `count` is neither a parameter nor assigned
//! ```
//!
//! Constants and functions that all documents use without defining them are known ([`crate::intel::library`]).

use rustc_hash::FxHashSet;

use super::walk::{self, Visit};
use super::{Check, Notes, Rule, Subject};
use crate::intel::ast::Symbol;
use crate::intel::{classify, library};
use crate::ledger::Severity;

pub(super) const RULE: Rule = Rule {
    code: "undefined-name",
    severity: Severity::Error,
    finds: "names that are used and never defined",
    check: Check::Entry(check),
};

fn check(subject: &Subject<'_>, notes: &mut Notes<'_>) {
    let Some(program) = &subject.program else { return };
    if subject.excluded || classify::has_float(subject.entry) {
        return;
    }
    let mut defined: FxHashSet<Symbol> = FxHashSet::default();
    for define in &program.defines {
        defined.insert(define.name);
        defined.extend(define.parameters.iter().map(|parameter| parameter.name));
    }
    walk::program(program, &mut |visit| match visit {
        Visit::Write(place) => drop(defined.insert(place.name)),
        Visit::Bind(name) => drop(defined.insert(name)),
        _ => {}
    });
    let operands = || subject.entry.parameters.iter().chain(&subject.entry.result);
    let known = |symbol: Symbol| {
        let name = program.name(symbol);
        defined.contains(&symbol)
            || operands().any(|operand| operand.name.eq_ignore_ascii_case(name))
            || library::constant(name).is_some()
            || library::function_value(name).is_some()
            || library::is_float_name(name)
            || library::reading(name).is_some()
            || matches!(name, "MAX" | "OP" | "MEM")
    };
    let mut told: FxHashSet<Symbol> = FxHashSet::default();
    walk::program(program, &mut |visit| {
        let (symbol, at, what) = match visit {
            Visit::Read(place) => (place.name, place.at, "read"),
            Visit::Call(name, at) => (name, at, "called"),
            _ => return,
        };
        if !known(symbol) && told.insert(symbol) {
            notes.at(at, format!("`{}` is {what} and nothing defines it", program.name(symbol)));
        }
    });
}
