//! Sums that are saturated to an unsigned range with a term of the same width that is read with a sign.
//!
//! ```text
//! parameter w with etype SI32, and      dst[31:0] := UNSIGNED_DWORD_SATURATE(w[31:0] + t1 + t2)
//! ```
//!
//! What is accumulated has the type of its sum: a signed accumulator of unsigned saturation is read wrongly from its
//! middle on.

use std::collections::BTreeSet;

use hydride_ir::{BinaryOp, ExprId, Function, Op};

use super::{Check, Notes, Rule, Subject};
use crate::ledger::Severity;

pub(super) const RULE: Rule = Rule {
    code: "mixed-saturation",
    severity: Severity::Error,
    finds: "unsigned saturation of a sum with a signed term of the same width",
    check: Check::Entry(check),
};

fn check(subject: &Subject<'_>, notes: &mut Notes<'_>) {
    let Some(instruction) = &subject.instruction else { return };
    let function = &instruction.function;
    let mut names = BTreeSet::new();
    for expr in function.exprs() {
        let Op::Saturate { of, to_signed, .. } = &expr.op else { continue };
        if let (Some(0), Some(width)) = (to_signed.as_constant(), expr.width.as_constant()) {
            signed_terms(function, *of, width, &mut names);
        }
    }
    for (name, width) in names {
        notes.entry(format!(
            "`{name}` is read as signed {width} bits and its sum saturated as unsigned {width} bits"
        ));
    }
}

/// The arguments of which a slice of `width` bits, read as signed, is a term of the sum `of`.
fn signed_terms(function: &Function, of: ExprId, width: i64, names: &mut BTreeSet<(String, i64)>) {
    match &function.expr(of).op {
        Op::Binary { op: BinaryOp::Add | BinaryOp::Sub, left, right, .. } => {
            signed_terms(function, *left, width, names);
            signed_terms(function, *right, width, names);
        }
        Op::Cast { of, signed } if signed.as_constant() == Some(1) => {
            let term = function.expr(*of);
            if let Op::Extract { of, .. } = term.op
                && let Op::Arg(arg) = function.expr(of).op
                && term.width.as_constant() == Some(width)
            {
                names.insert((function.arg(arg).name.clone(), width));
            }
        }
        _ => {}
    }
}
