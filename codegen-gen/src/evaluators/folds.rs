//! Folds written out: `fold add (j in 0..3) f(j)` becomes `add(add(f(0), f(1)), f(2))`. Loops stay.

use hydride_ir::passes::dead_code;
use hydride_ir::visit::{Rewriter, try_rewrite};
use hydride_ir::{Atom, ExprId, Function, IndexId, Num, Op};

/// The function without folds; `None` when a count is not a constant.
pub(crate) fn expand_folds(function: &Function) -> Option<Function> {
    if !function.exprs().iter().any(|expr| matches!(expr.op, Op::Fold { .. })) {
        return Some(function.clone());
    }
    let expanded: Result<Function, ()> = try_rewrite(function, |expanded, expr| {
        let Op::Fold { op, signed, index, count, body } = &expr.op else {
            return Ok(expanded.keep(expr));
        };
        let body = expanded.id(*body);
        let repetition =
            |expanded: &mut Rewriter, value| copy(expanded.function(), body, *index, value).ok_or(());
        let mut sum = repetition(expanded, 0)?;
        for value in 1..count.as_constant().ok_or(())? {
            let next = repetition(expanded, value)?;
            let op = Op::Binary { op: *op, signed: signed.clone(), left: sum, right: next };
            sum = expanded.push(op, expr.width.clone());
        }
        Ok(sum)
    });
    Some(dead_code(&expanded.ok()?))
}

/// An expression with an index replaced by a value.
fn copy(function: &mut Function, root: ExprId, index: IndexId, value: i64) -> Option<ExprId> {
    let own = |num: &Num| num.atoms().any(|atom| atom == Atom::Index(index));
    let reached = function.reached([root]);
    let replace = |num: &Num| {
        if !own(num) {
            return num.clone();
        }
        num.substitute(|atom| match atom {
            Atom::Index(other) if other == index => Num::constant(value),
            Atom::Index(other) => Num::index(other),
            Atom::Param(param) => Num::param(param),
        })
    };
    // The new id of each reached expression; unchanged if nothing below it depends on the index.
    let mut ids: Vec<ExprId> = (0..=root.0).map(ExprId).collect();
    for position in (0..reached.len()).filter(|position| reached[*position]) {
        let expr = &function.exprs()[position];
        let moved = expr.op.operands().iter().any(|operand| ids[operand.0 as usize] != *operand);
        if moved || own(&expr.width) || expr.op.nums().into_iter().any(own) {
            let op = expr.op.map_operands(|id| ids[id.0 as usize]);
            let op = op.try_map_nums(|num| Ok::<Num, ()>(replace(num))).ok()?;
            let width = replace(&expr.width);
            ids[position] = function.push(op, width);
        }
    }
    ids.last().copied()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nested_folds() {
        let function = Function::parse(
            "func @f(%a: 32) -> (%d: 8) {
               %d[0 +: 8] = fold add (i in 0..2) fold xor (j in 0..2) %a[16*i + 8*j +: 8]
             }",
        )
        .unwrap();
        function.verify().unwrap();
        let expanded = expand_folds(&function).unwrap();
        expanded.verify().unwrap();
        let expected = "add(xor(%a[0 +: 8], %a[8 +: 8]), xor(%a[16 +: 8], %a[24 +: 8]))";
        assert!(expanded.to_string().contains(expected), "{expanded}");
    }
}
