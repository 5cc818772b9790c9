//! Removes the expressions that no statement reaches.
//!
//! ```text
//! before                                after
//! #0 = %a                               #0 = %a
//! #1 = not(#0)          (unused)        #1 = neg(#0)
//! #2 = neg(#0)                          %dst[0 +: 8] = #1
//! %dst[0 +: 8] = #2
//! ```

use crate::expr::ExprId;
use crate::function::Function;
use crate::visit::rewrite;

/// The function with an arena of reachable expressions only, in their old order.
pub fn dead_code(function: &Function) -> Function {
    let live = function.reached(function.assignments().map(|assignment| assignment.value));
    let mut old = (0u32..).map(ExprId).zip(live);
    rewrite(function, |copy, expr| match old.next() {
        Some((id, false)) => id,
        _ => copy.keep(expr),
    })
}

#[cfg(test)]
mod tests {
    use crate::{Function, Op, UnaryOp};

    #[test]
    fn dead_code() {
        let text = "func @f(%a: 8) -> (%dst: 8) {\n  %dst[0 +: 8] = neg(%a)\n}\n";
        let mut function = Function::parse(text).unwrap();
        let argument = function.push(Op::Arg(crate::ArgId(0)), 8u32);
        let _unused = function.push(Op::Unary(UnaryOp::Not, argument), 8u32);
        function.verify().unwrap();
        let compact = super::dead_code(&function);
        compact.verify().unwrap();
        assert_eq!((function.exprs().len(), compact.exprs().len()), (4, 2));
        assert_eq!(compact.to_string(), text);
    }
}
