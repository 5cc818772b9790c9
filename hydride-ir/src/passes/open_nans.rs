//! Forgets which NaN a NaN is.
//!
//! ```text
//! before                                                  after
//! %dst[0 +: 32] = fadd.{8}.first(%a, %b, 0x0:3)           %dst[0 +: 32] = fadd.{8}(%a, %b, 0x0:3)
//! ```

use std::borrow::Cow;

use crate::expr::Op;
use crate::float::NanRule;
use crate::function::Function;
use crate::visit::rewrite;

/// Leaves the choice among NaNs open in every operator that has a rule for it: the function of a class, of which the
/// members agree up to NaNs.
pub fn open_nans(function: &Function) -> Cow<'_, Function> {
    let is_closed = |op: &Op| matches!(op, Op::Float { float, .. } if float.nan != NanRule::Open);
    if !function.exprs().iter().any(|expr| is_closed(&expr.op)) {
        return Cow::Borrowed(function);
    }
    Cow::Owned(rewrite(function, |copy, expr| {
        let mut op = copy.op(expr);
        if let Op::Float { float, .. } = &mut op {
            float.nan = NanRule::Open;
        }
        copy.push(op, expr.width.clone())
    }))
}

/// Whether a value of the function can be a NaN that an operator gives.
pub fn gives_nans(function: &Function) -> bool {
    let gives = |op: &Op| matches!(op, Op::Float { float, .. } if float.op.gives_nans());
    function.exprs().iter().any(|expr| gives(&expr.op))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rules_for_nans_are_forgotten() {
        let text = "func @add(%a: 32, %b: 32) -> (%dst: 32) {\n  \
            %dst[0 +: 32] = fadd.{8}.first(%a, %b, 0x0:3)\n}\n";
        let function = Function::parse(text).expect("it is legal");
        assert_eq!(function.to_string(), text);
        let open = open_nans(&function);
        assert_eq!(open.to_string(), text.replace(".first", ""));
        assert!(matches!(open_nans(&open), Cow::Borrowed(_)));
    }
}
