//! Statements that never run because a `RETURN` precedes them in the same block.
//!
//! ```text
//! RETURN x
//! y := 1          // never runs
//! ```

use super::walk::{self, Visit};
use super::{Check, Notes, Rule, Subject};
use crate::intel::ast::StmtKind;
use crate::ledger::Severity;

pub(super) const RULE: Rule = Rule {
    code: "code-after-return",
    severity: Severity::Warning,
    finds: "statements after a RETURN in the same block",
    check: Check::Entry(check),
};

fn check(subject: &Subject<'_>, notes: &mut Notes<'_>) {
    let Some(program) = &subject.program else { return };
    walk::program(program, &mut |visit| {
        let Visit::Block(block) = visit else { return };
        let returned = block.iter().position(|stmt| matches!(stmt.kind, StmtKind::Return(_)));
        if let Some(next) = returned.and_then(|position| block.get(position + 1)) {
            notes.at(next.at, "this never runs: the block has returned".to_owned());
        }
    });
}
