//! Removes loops and folds that run once, extensions to the same width and sums with zero.
//!
//! ```text
//! before                                          after
//! for i in 0..1 {                                 for j in 0..n {
//!   for j in 0..n {                                 %dst[w*j +: w] = %a[w*j +: w]
//!     %dst[8*i + w*j +: w] =                      }
//!         cast.s(%a[w*j +: w], w)
//!   }
//! }
//! ```

use std::collections::BTreeSet;

use super::dead_code;
use crate::expr::{BinaryOp, ExprId, Op};
use crate::function::{Function, Stmt};
use crate::num::{Atom, IndexId, Num};
use crate::visit::rewrite;

/// The function without what the numbers show to do nothing.
pub fn without_trivial(function: &Function) -> Function {
    let once = |count: &Num| count.as_constant() == Some(1);
    let loops = function.loops().filter(|around| once(around.count)).map(|around| around.index);
    let folds = function.exprs().iter().filter_map(|expr| match &expr.op {
        Op::Fold { index, count, .. } if once(count) => Some(*index),
        _ => None,
    });
    let single: BTreeSet<IndexId> = loops.chain(folds).collect();
    let at = |num: &Num| {
        num.substitute(|atom| match atom {
            Atom::Index(index) if single.contains(&index) => Num::constant(0),
            Atom::Index(index) => Num::index(index),
            Atom::Param(param) => Num::param(param),
        })
    };
    let is_zero = |id: ExprId| match &function.expr(id).op {
        Op::Int(num) => at(num).as_constant() == Some(0),
        Op::Const(bits) => bits.to_u64() == Some(0),
        _ => false,
    };
    let mut smaller = rewrite(function, |copy, expr| match &expr.op {
        Op::Fold { index, body, .. } if single.contains(index) => copy.id(*body),
        Op::Cast { of, .. } if function.expr(*of).width == expr.width => copy.id(*of),
        Op::Binary { op: BinaryOp::Add, left, right, .. } if is_zero(*right) => copy.id(*left),
        _ => {
            let Ok(op) = copy.op(expr).try_map_nums(|num| Ok::<_, std::convert::Infallible>(at(num)));
            copy.push(op, at(&expr.width))
        }
    });
    smaller.body = flattened(std::mem::take(&mut smaller.body), &single, &at);
    dead_code(&smaller)
}

fn flattened(body: Vec<Stmt>, single: &BTreeSet<IndexId>, at: &impl Fn(&Num) -> Num) -> Vec<Stmt> {
    let mut statements = Vec::with_capacity(body.len());
    for statement in body {
        match statement {
            Stmt::For { index, body, .. } if single.contains(&index) => {
                statements.extend(flattened(body, single, at));
            }
            Stmt::For { index, count, body } => {
                statements.push(Stmt::For { index, count: at(&count), body: flattened(body, single, at) });
            }
            Stmt::Assign { result, low, value } => {
                statements.push(Stmt::Assign { result, low: at(&low), value });
            }
        }
    }
    statements
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_does_nothing_is_removed() {
        let text = "\
func @f[w = 8, n = 4](%a: w*n) -> (%dst: w*n) {
  for i in 0..1 {
    for j in 0..n {
      %dst[8*i + w*j +: w] = fold add(k in 0..1) cast.s(add(%a[8*k + w*j +: w], int(i, w)), w)
    }
  }
}
";
        let expected = "\
func @f[w = 8, n = 4](%a: w*n) -> (%dst: w*n) {
  for i in 0..n {
    %dst[w*i +: w] = %a[w*i +: w]
  }
}
";
        let smaller = without_trivial(&Function::parse(text).unwrap());
        smaller.verify().unwrap();
        assert_eq!(smaller.to_string(), expected);
    }

    #[test]
    fn what_does_something_stays() {
        let text = "\
func @f[w = 8, n = 4](%a: w*n) -> (%dst: 2*w*n) {
  for i in 0..n {
    %dst[2*w*i +: 2*w] = add(cast.s(%a[w*i +: w], 2*w), int(i, 2*w))
  }
}
";
        assert_eq!(without_trivial(&Function::parse(text).unwrap()).to_string(), text);
    }
}
