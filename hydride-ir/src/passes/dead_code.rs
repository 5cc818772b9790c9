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
    let mut live = vec![false; function.exprs().len()];
    for assignment in function.assignments() {
        if let Some(live) = live.get_mut(assignment.value.0 as usize) {
            *live = true;
        }
    }
    for (position, expr) in function.exprs().iter().enumerate().rev() {
        if live[position] {
            for operand in expr.op.operands() {
                if let Some(live) = live[..position].get_mut(operand.0 as usize) {
                    *live = true;
                }
            }
        }
    }
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
