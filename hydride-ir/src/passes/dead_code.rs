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
use crate::function::{Function, Stmt};

/// The function with an arena of reachable expressions only, in their old order.
pub fn dead_code(function: &Function) -> Function {
    let mut live = vec![false; function.exprs().len()];
    mark_values(&function.body, &mut live);
    for (position, expr) in function.exprs().iter().enumerate().rev() {
        if live[position] {
            for operand in expr.op.operands() {
                if let Some(live) = live[..position].get_mut(operand.0 as usize) {
                    *live = true;
                }
            }
        }
    }

    let mut compact = Function::new(function.name.clone());
    compact.params.clone_from(&function.params);
    compact.args.clone_from(&function.args);
    compact.results.clone_from(&function.results);
    let mut new_ids: Vec<ExprId> = (0u32..).map(ExprId).take(function.exprs().len()).collect();
    for (position, expr) in function.exprs().iter().enumerate() {
        if live[position] {
            let new_id = |id: ExprId| new_ids.get(id.0 as usize).copied().unwrap_or(id);
            new_ids[position] = compact.push(expr.op.map_operands(new_id), expr.width.clone());
        }
    }
    compact.body.clone_from(&function.body);
    renumber(&mut compact.body, &new_ids);
    compact
}

fn mark_values(body: &[Stmt], live: &mut [bool]) {
    for statement in body {
        match statement {
            Stmt::For { body, .. } => mark_values(body, live),
            Stmt::Assign { value, .. } => {
                if let Some(live) = live.get_mut(value.0 as usize) {
                    *live = true;
                }
            }
        }
    }
}

fn renumber(body: &mut [Stmt], new_ids: &[ExprId]) {
    for statement in body {
        match statement {
            Stmt::For { body, .. } => renumber(body, new_ids),
            Stmt::Assign { value, .. } => {
                if let Some(new_id) = new_ids.get(value.0 as usize) {
                    *value = *new_id;
                }
            }
        }
    }
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
