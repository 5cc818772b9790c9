//! Walks over a function's statements, and copies of a function with expressions exchanged.
//!
//! [`Walk`] visits the statements in the order of the text, without recursion. It is an iterator: a pass that only
//! collects is a loop or a chain of adapters, ends early with `?`, and asks [`Walk::scope`] which loops it is in.
//! [`Function::loops`] and [`Function::assignments`] are its two most frequent uses. Expressions need no walk: the arena
//! ([`Function::exprs`]) has operands before users, and [`Function::live`] names those that count.
//!
//! ```
//! use hydride_ir::Function;
//! use hydride_ir::visit::Event;
//!
//! let function = Function::parse(
//!     "func @copy(%a: 32) -> (%dst: 32) {
//!        for i in 0..2 { for j in 0..2 { %dst[16*i + 8*j +: 8] = %a[8*i +: 8] } }
//!      }",
//! )?;
//! let mut walk = function.walk();
//! let mut iterations = Vec::new();
//! while let Some(event) = walk.next() {
//!     if let Event::Assign(_) = event {
//!         let counts = walk.scope().iter().map(|around| around.count.as_constant().unwrap_or(0));
//!         iterations.push(counts.product::<i64>());
//!     }
//! }
//! assert_eq!(iterations, [4]);
//! assert_eq!(function.loops().count(), 2);
//! # Ok::<(), hydride_ir::ParseError>(())
//! ```
//!
//! [`rewrite`] copies a function expression by expression:
//!
//! ```
//! use hydride_ir::visit::rewrite;
//! use hydride_ir::{ArgId, Function, Op};
//!
//! let sub = Function::parse("func @sub(%a: 8, %b: 8) -> (%dst: 8) { %dst[0 +: 8] = sub(%a, %b) }")?;
//! // The first argument in place of the second.
//! let zero = rewrite(&sub, |copy, expr| match expr.op {
//!     Op::Arg(ArgId(1)) => copy.push(Op::Arg(ArgId(0)), expr.width.clone()),
//!     _ => copy.keep(expr),
//! });
//! assert!(zero.to_string().contains("sub(%a, %a)"));
//! # Ok::<(), hydride_ir::ParseError>(())
//! ```

use std::convert::Infallible;

use crate::expr::{Expr, ExprId, Op};
use crate::function::{Function, ResultId, Stmt};
use crate::num::{IndexId, Num};

/// A loop, without its body.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Loop<'f> {
    /// The index.
    pub index: IndexId,
    /// The number of iterations.
    pub count: &'f Num,
}

/// A write to a slice of a result.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Assignment<'f> {
    /// The result written.
    pub result: ResultId,
    /// Position of the lowest bit written.
    pub low: &'f Num,
    /// What is written.
    pub value: ExprId,
}

/// What a walk meets.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Event<'f> {
    /// A loop begins.
    Enter(Loop<'f>),
    /// An assignment.
    Assign(Assignment<'f>),
    /// The loop ends that was entered last and has not ended.
    Leave(Loop<'f>),
}

/// The events of statements, in the order of the text.
#[derive(Clone, Debug)]
pub struct Walk<'f> {
    /// What is left of the bodies that are open, the outermost first.
    open: Vec<std::slice::Iter<'f, Stmt>>,
    scope: Vec<Loop<'f>>,
}

impl<'f> Walk<'f> {
    /// The loops around what comes next, outermost first: with a loop that was just entered, without one that was just
    /// left.
    pub fn scope(&self) -> &[Loop<'f>] {
        &self.scope
    }
}

impl<'f> Iterator for Walk<'f> {
    type Item = Event<'f>;

    fn next(&mut self) -> Option<Event<'f>> {
        match self.open.last_mut()?.next() {
            Some(Stmt::For { index, count, body }) => {
                let entered = Loop { index: *index, count };
                self.open.push(body.iter());
                self.scope.push(entered);
                Some(Event::Enter(entered))
            }
            Some(Stmt::Assign { result, low, value }) => {
                Some(Event::Assign(Assignment { result: *result, low, value: *value }))
            }
            None => {
                self.open.pop();
                self.scope.pop().map(Event::Leave)
            }
        }
    }
}

impl Function {
    /// Walks over the statements.
    pub fn walk(&self) -> Walk<'_> {
        Walk { open: vec![self.body.iter()], scope: Vec::new() }
    }

    /// The loops, each before those in its body.
    pub fn loops(&self) -> impl Iterator<Item = Loop<'_>> {
        self.walk().filter_map(|event| match event {
            Event::Enter(entered) => Some(entered),
            Event::Assign(_) | Event::Leave(_) => None,
        })
    }

    /// The assignments, in order.
    pub fn assignments(&self) -> impl Iterator<Item = Assignment<'_>> {
        self.walk().filter_map(|event| match event {
            Event::Assign(assignment) => Some(assignment),
            Event::Enter(_) | Event::Leave(_) => None,
        })
    }

    /// For each expression whether one of `roots` is it or is computed from it. Operands that do not come before their
    /// user, as malformed functions have them, do not count.
    pub fn reached(&self, roots: impl IntoIterator<Item = ExprId>) -> Vec<bool> {
        let mark = |reached: &mut [bool], id: ExprId| {
            if let Some(reached) = reached.get_mut(id.0 as usize) {
                *reached = true;
            }
        };
        let mut reached = vec![false; self.exprs().len()];
        roots.into_iter().for_each(|root| mark(&mut reached, root));
        for (position, expr) in self.exprs().iter().enumerate().rev() {
            if reached[position] {
                expr.op.operands().into_iter().for_each(|operand| mark(&mut reached[..position], operand));
            }
        }
        reached
    }

    /// The expressions that the statements reach, operands first.
    pub fn live(&self) -> Vec<ExprId> {
        let reached = self.reached(self.assignments().map(|assignment| assignment.value));
        (0u32..).map(ExprId).zip(reached).filter_map(|(id, reached)| reached.then_some(id)).collect()
    }
}

/// The statements with each number and each value replaced, or the first error.
pub fn try_map_statements<E>(
    body: &[Stmt],
    num: &mut impl FnMut(&Num) -> Result<Num, E>,
    value: &impl Fn(ExprId) -> ExprId,
) -> Result<Vec<Stmt>, E> {
    let map = |statement: &Stmt| {
        Ok(match statement {
            Stmt::For { index, count, body } => {
                let count = num(count)?;
                Stmt::For { index: *index, count, body: try_map_statements(body, num, value)? }
            }
            Stmt::Assign { result, low, value: written } => {
                Stmt::Assign { result: *result, low: num(low)?, value: value(*written) }
            }
        })
    };
    body.iter().map(map).collect()
}

/// A function that is being copied.
#[derive(Debug)]
pub struct Rewriter {
    function: Function,
    /// For each expression of the original that was visited, what stands for it.
    ids: Vec<ExprId>,
}

impl Rewriter {
    /// What stands for an expression of the original. One that was not visited, which only a malformed function can
    /// refer to, stands for itself.
    pub fn id(&self, original: ExprId) -> ExprId {
        self.ids.get(original.0 as usize).copied().unwrap_or(original)
    }

    /// The operation of an expression of the original, on the copies of its operands.
    pub fn op(&self, original: &Expr) -> Op {
        original.op.map_operands(|operand| self.id(operand))
    }

    /// Copies an expression of the original.
    pub fn keep(&mut self, original: &Expr) -> ExprId {
        let op = self.op(original);
        self.push(op, original.width.clone())
    }

    /// Adds an expression, whose operands are those of the copy.
    pub fn push(&mut self, op: Op, width: impl Into<Num>) -> ExprId {
        self.function.push(op, width)
    }

    /// The function as far as it is copied.
    pub fn function(&mut self) -> &mut Function {
        &mut self.function
    }
}

/// A copy of `function` in which `exchange` says what stands for each expression, operands first, or the first error.
/// The signature and the statements remain.
pub fn try_rewrite<E>(
    function: &Function,
    mut exchange: impl FnMut(&mut Rewriter, &Expr) -> Result<ExprId, E>,
) -> Result<Function, E> {
    let mut signature = Function::new(function.name.clone());
    signature.params.clone_from(&function.params);
    signature.args.clone_from(&function.args);
    signature.results.clone_from(&function.results);
    let mut copy = Rewriter { function: signature, ids: Vec::with_capacity(function.exprs().len()) };
    for expr in function.exprs() {
        let id = exchange(&mut copy, expr)?;
        copy.ids.push(id);
    }
    copy.function.body =
        try_map_statements(&function.body, &mut |num| Ok(num.clone()), &|value| copy.id(value))?;
    Ok(copy.function)
}

/// [`try_rewrite`] that cannot fail.
pub fn rewrite(function: &Function, mut exchange: impl FnMut(&mut Rewriter, &Expr) -> ExprId) -> Function {
    let Ok(copy) = try_rewrite(function, |copy, expr| Ok::<_, Infallible>(exchange(copy, expr)));
    copy
}

#[cfg(test)]
mod tests {
    use super::*;

    const TEXT: &str = "\
func @f(%a: 32) -> (%x: 32, %y: 8) {
  for i in 0..2 {
    %x[16*i +: 8] = %a[8*i +: 8]
    for j in 0..1 {
      %x[16*i + 8*j + 8 +: 8] = %a[8*j +: 8]
    }
  }
  %y[0 +: 8] = %a[0 +: 8]
}
";

    #[test]
    fn a_walk_enters_and_leaves_every_loop_in_order() {
        let function = Function::parse(TEXT).unwrap();
        let mut walk = function.walk();
        let mut seen = Vec::new();
        while let Some(event) = walk.next() {
            seen.push(match event {
                Event::Enter(_) => ('(', walk.scope().len()),
                Event::Assign(_) => ('=', walk.scope().len()),
                Event::Leave(_) => (')', walk.scope().len()),
            });
        }
        assert_eq!(seen, [('(', 1), ('=', 1), ('(', 2), ('=', 2), (')', 1), (')', 0), ('=', 0)]);
        assert_eq!(walk.next(), None);
        let results: Vec<u32> = function.assignments().map(|assignment| assignment.result.0).collect();
        assert_eq!(results, [0, 0, 1]);
    }

    #[test]
    fn what_nothing_uses_is_not_live() {
        let mut function = Function::parse("func @f(%a: 8) -> (%x: 8) { %x[0 +: 8] = neg(%a) }").unwrap();
        function.push(Op::Arg(crate::ArgId(0)), 8u32);
        assert_eq!(function.live(), [ExprId(0), ExprId(1)]);
        assert_eq!(function.reached([ExprId(2)]), [false, false, true]);
    }

    #[test]
    fn a_copy_without_exchanges_is_the_function() {
        let function = Function::parse(TEXT).unwrap();
        assert_eq!(rewrite(&function, Rewriter::keep), function);
        let refused: Result<Function, &str> = try_rewrite(&function, |_, _| Err("refused"));
        assert_eq!(refused, Err("refused"));
    }
}
