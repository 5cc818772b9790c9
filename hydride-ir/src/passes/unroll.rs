//! Expands loops and folds, so that every position and width is a constant.
//!
//! ```text
//! before                                          after
//! for i in 0..2 {                                 %dst[0 +: 8] = add(%a[0 +: 8], %a[8 +: 8])
//!   %dst[8*i +: 8] = fold add (j in 0..2)         %dst[8 +: 8] = add(%a[16 +: 8], %a[24 +: 8])
//!                      %a[16*i + 8*j +: 8]
//! }
//! ```
//!
//! Equal expressions of the result are one expression, and what does not depend on an index is
//! expanded once for all its iterations.

use rustc_hash::FxHashMap;

use super::PassError;
use super::instantiate::literal_expr;
use super::schedule::Schedule;
use crate::expr::{Expr, ExprId, Op};
use crate::function::{Function, Stmt};
use crate::num::{Atom, IndexId, Num};

/// The most expressions that [`unroll`] makes.
pub const MAX_UNROLLED_EXPRESSIONS: usize = 4_000_000;

/// The most expressions that [`unroll`] looks at, equal ones included.
const MAX_VISITS: usize = 16 * MAX_UNROLLED_EXPRESSIONS;

/// The function as a flat list of assignments at constant positions, in order of execution. Folds
/// become chains from the left: `op(op(body(0), body(1)), body(2))`.
pub fn unroll(function: &Function) -> Result<Function, PassError> {
    if !function.params.is_empty() {
        return Err(PassError::Parameters);
    }
    function.verify()?;
    let mut flat = Function::new(function.name.clone());
    flat.args.clone_from(&function.args);
    flat.results.clone_from(&function.results);
    let mut unroller = Unroller {
        function,
        schedule: Schedule::new(function),
        indices: Vec::new(),
        now: vec![ExprId(0); function.exprs().len()],
        known: FxHashMap::default(),
        visits_left: MAX_VISITS,
        flat,
    };
    unroller.statements(&function.body, 0)?;
    Ok(unroller.flat)
}

struct Unroller<'f> {
    function: &'f Function,
    schedule: Schedule,
    /// The indices in scope with their values.
    indices: Vec<(IndexId, i64)>,
    /// Each expression's expansion at the values that its indices have now.
    now: Vec<ExprId>,
    known: FxHashMap<Expr, ExprId>,
    visits_left: usize,
    flat: Function,
}

impl Unroller<'_> {
    /// Runs statements, the first of which has the given number; returns the number after them.
    fn statements(&mut self, body: &[Stmt], first: usize) -> Result<usize, PassError> {
        let mut number = first;
        for statement in body {
            for position in 0..self.schedule.before[number].len() {
                self.expand(self.schedule.before[number][position])?;
            }
            number = match statement {
                Stmt::For { index, count, body } => {
                    let mut after = number + 1;
                    for value in 0..self.eval(count)? {
                        self.indices.push((*index, value));
                        after = self.statements(body, number + 1)?;
                        self.indices.pop();
                    }
                    after
                }
                Stmt::Assign { result, low, value } => {
                    let low = Num::constant(self.eval(low)?);
                    let value = self.now[value.0 as usize];
                    self.flat.body.push(Stmt::Assign { result: *result, low, value });
                    number + 1
                }
            };
        }
        Ok(number)
    }

    /// Sets `now` for an expression whose operands are set.
    fn expand(&mut self, id: ExprId) -> Result<(), PassError> {
        let too_large = PassError::TooLarge { limit: MAX_UNROLLED_EXPRESSIONS };
        self.visits_left = self.visits_left.checked_sub(1).ok_or(too_large)?;
        let function = self.function;
        let Expr { op, width } = function.expr(id);
        self.now[id.0 as usize] = match op {
            Op::Fold { op, signed, index, count, body } => {
                let signed = Num::constant(self.eval(signed)?);
                let width = Num::constant(self.eval(width)?);
                let inside = self.schedule.in_fold.remove(&id).unwrap_or_default();
                let mut folded = None;
                for value in 0..self.eval(count)? {
                    self.indices.push((*index, value));
                    for inner in &inside {
                        self.expand(*inner)?;
                    }
                    self.indices.pop();
                    let right = self.now[body.0 as usize];
                    folded = Some(match folded {
                        None => right,
                        Some(left) => {
                            let op = Op::Binary { op: *op, signed: signed.clone(), left, right };
                            self.push(Expr { op, width: width.clone() })?
                        }
                    });
                }
                self.schedule.in_fold.insert(id, inside);
                folded.unwrap_or(self.now[body.0 as usize])
            }
            _ => {
                let op = op.try_map_nums(|num| self.eval(num).map(Num::constant))?;
                let op = op.map_operands(|operand| self.now[operand.0 as usize]);
                let width = Num::constant(self.eval(width)?);
                self.push(literal_expr(op, width))?
            }
        };
        Ok(())
    }

    fn push(&mut self, expr: Expr) -> Result<ExprId, PassError> {
        if let Some(id) = self.known.get(&expr) {
            return Ok(*id);
        }
        if self.known.len() >= MAX_UNROLLED_EXPRESSIONS {
            return Err(PassError::TooLarge { limit: MAX_UNROLLED_EXPRESSIONS });
        }
        let id = self.flat.push(expr.op.clone(), expr.width.clone());
        self.known.insert(expr, id);
        Ok(id)
    }

    fn eval(&self, num: &Num) -> Result<i64, PassError> {
        // A verified function has every index in scope and no parameter is left.
        let value_of = |atom| match atom {
            Atom::Index(index) => {
                self.indices.iter().rev().find(|(id, _)| *id == index).map_or(0, |(_, value)| *value)
            }
            Atom::Param(_) => 0,
        };
        num.eval(value_of).ok_or(PassError::Overflow)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn unroll() {
        let function = Function::parse(
            "func @f(%a: 32, %b: 8) -> (%dst: 16) {
               for i in 0..2 {
                 %dst[8*i +: 8] = xor(not(%b), fold add (j in 0..2) %a[16*i + 8*j +: 8])
               }
             }",
        )
        .unwrap();
        let flat = super::unroll(&function).unwrap();
        flat.verify().unwrap();
        let expected = "\
func @f(%a: 32, %b: 8) -> (%dst: 16) {
  let t0 = not(%b)
  %dst[0 +: 8] = xor(t0, add(%a[0 +: 8], %a[8 +: 8]))
  %dst[8 +: 8] = xor(t0, add(%a[16 +: 8], %a[24 +: 8]))
}
";
        assert_eq!(flat.to_string(), expected);
        assert_eq!(super::unroll(&flat).unwrap().to_string(), expected);
    }

    #[test]
    fn parameters_are_refused() {
        let function = Function::parse("func @f[n = 8](%a: n) -> (%d: n) { %d[0 +: n] = %a }").unwrap();
        assert_eq!(super::unroll(&function), Err(PassError::Parameters));
    }
}
