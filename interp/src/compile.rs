//! From a function to a tape: loops and folds are expanded, widths and positions become numbers,
//! equal steps are shared and steps on constants are done here.

use hydride_ir::{
    ArgId, BinaryOp, Bits, CompareOp, Expr, ExprId, Function, IndexId, MAX_WIDTH, Num, Op, Stmt,
};
use rustc_hash::FxHashMap;
use smallvec::SmallVec;

use crate::error::{EvalError, Limit};
use crate::float::Choice;
use crate::step::{self, Opcode, Step};
use crate::wide::{Slot, WideOp, WideStep};
use crate::words;

mod emit;
mod scope;

use scope::{Scope, free_indices};

/// A compiled function; see [`crate::Program`].
pub(crate) struct Tape {
    pub(crate) image: Vec<u64>,
    pub(crate) steps: Vec<Step>,
    pub(crate) wide: Vec<WideStep>,
    pub(crate) args: Vec<Slot>,
    pub(crate) results: Vec<Slot>,
}

pub(crate) fn compile(function: &Function, params: &[i64], choice: Choice) -> Result<Tape, EvalError> {
    if params.len() != function.params.len() {
        return Err(EvalError::ParamCount { expected: function.params.len(), found: params.len() });
    }
    let mut compiler = Compiler::new(function, params);
    compiler.choice = choice;
    compiler.place_arguments_and_results()?;
    compiler.statements(&function.body, 0)?;
    Ok(compiler.tape)
}

struct Compiler<'f> {
    function: &'f Function,
    tape: Tape,
    /// For each word of memory whether it is the same in every run.
    fixed: Vec<bool>,
    scope: Scope<'f>,
    /// For each expression the loop indices that it depends on.
    free: Vec<SmallVec<[IndexId; 2]>>,
    /// For each expression its last value and the stamp at which it was compiled.
    memo: Vec<Option<(Slot, u64)>>,
    stamp: u64,
    iterations: usize,
    shared_steps: FxHashMap<Step, Slot>,
    shared_wide: FxHashMap<WideStep, Slot>,
    shared_concats: FxHashMap<Vec<Slot>, Slot>,
    constants: FxHashMap<Bits, Slot>,
    choice: Choice,
}

impl<'f> Compiler<'f> {
    fn new(function: &'f Function, params: &'f [i64]) -> Self {
        let tape = Tape { image: vec![], steps: vec![], wide: vec![], args: vec![], results: vec![] };
        Self {
            function,
            tape,
            fixed: Vec::new(),
            scope: Scope::new(params),
            free: free_indices(function),
            memo: vec![None; function.exprs().len()],
            stamp: 0,
            iterations: 0,
            shared_steps: FxHashMap::default(),
            shared_wide: FxHashMap::default(),
            shared_concats: FxHashMap::default(),
            constants: FxHashMap::default(),
            choice: Choice::default(),
        }
    }

    fn place_arguments_and_results(&mut self) -> Result<(), EvalError> {
        for arg in &self.function.args {
            let width = self.width(&arg.width).map_err(structure)?;
            let slot = self.allocate(width)?;
            self.tape.args.push(slot);
        }
        for result in &self.function.results {
            let width = self.width(&result.width).map_err(structure)?;
            let slot = self.allocate(width)?;
            self.tape.results.push(slot);
        }
        Ok(())
    }

    fn statements(&mut self, body: &[Stmt], depth: usize) -> Result<(), EvalError> {
        if depth > Limit::Nesting.bound() {
            return Err(EvalError::Limit { limit: Limit::Nesting });
        }
        for stmt in body {
            match stmt {
                Stmt::For { index, count, body } => {
                    let count = self.count(count).map_err(structure)?;
                    let outer = self.scope.index(*index);
                    for value in 0..count {
                        self.iterate(*index, value)?;
                        self.statements(body, depth + 1)?;
                    }
                    self.restore(*index, outer);
                }
                Stmt::Assign { result, low, value } => {
                    let slot = self.value(*value, depth)?;
                    let low = self.num(low).map_err(structure)?;
                    let into = *self
                        .tape
                        .results
                        .get(result.0 as usize)
                        .ok_or_else(|| structure(format!("there is no result {}", result.0)))?;
                    let fits = low >= 0
                        && low
                            .checked_add(i64::from(slot.width))
                            .is_some_and(|high| high <= i64::from(into.width));
                    if !fits {
                        return Err(structure(format!(
                            "bits {low} +: {} do not lie inside result {} of {} bits",
                            slot.width, result.0, into.width
                        )));
                    }
                    self.insert(into, low as u32, slot, false)?;
                }
            }
        }
        Ok(())
    }

    /// Compiles an expression; its operands come first, without recursion but for folds.
    fn value(&mut self, root: ExprId, depth: usize) -> Result<Slot, EvalError> {
        if depth > Limit::Nesting.bound() {
            return Err(EvalError::Limit { limit: Limit::Nesting });
        }
        let mut pending = vec![root];
        while let Some(&id) = pending.last() {
            if id.0 as usize >= self.memo.len() {
                return Err(structure(format!("there is no expression {}", id.0)));
            }
            if self.known(id).is_some() {
                pending.pop();
                continue;
            }
            let expr = self.function.expr(id);
            let before = pending.len();
            if !matches!(expr.op, Op::Fold { .. }) {
                for operand in expr.op.operands() {
                    if operand >= id {
                        return Err(broken(id)("an operand does not come before its user".into()));
                    }
                    if self.known(operand).is_none() {
                        pending.push(operand);
                    }
                }
            }
            if pending.len() > before {
                continue;
            }
            let stamp = self.stamp;
            let slot = self.expression(id, expr, depth)?;
            self.memo[id.0 as usize] = Some((slot, stamp));
            pending.pop();
        }
        Ok(self.operand(root))
    }

    /// The compiled value of an expression, if the indices are still those it was compiled for.
    fn known(&self, id: ExprId) -> Option<Slot> {
        let (slot, stamp) = self.memo[id.0 as usize]?;
        let changed = |index: &IndexId| self.scope.changed_after(*index, stamp);
        (!self.free[id.0 as usize].iter().any(changed)).then_some(slot)
    }

    /// An operand of the expression being compiled; [`Compiler::value`] has compiled it.
    fn operand(&self, id: ExprId) -> Slot {
        self.memo[id.0 as usize].expect("operands are compiled before their users").0
    }

    fn fold(&mut self, id: ExprId, expr: &Expr, depth: usize) -> Result<Slot, EvalError> {
        let Op::Fold { op, signed, index, count, body } = &expr.op else {
            return Err(broken(id)("not a fold".into()));
        };
        if *body >= id {
            return Err(broken(id)("an operand does not come before its user".into()));
        }
        if !op.folds() {
            return Err(broken(id)(format!("{op:?} cannot be repeated")));
        }
        let width = self.width(&expr.width).map_err(broken(id))?;
        let signed = self.flag(signed).map_err(broken(id))?;
        let count = self.count(count).map_err(broken(id))?;
        let outer = self.scope.index(*index);
        let mut folded = None;
        for value in 0..count {
            self.iterate(*index, value)?;
            let next = self.value(*body, depth + 1)?;
            if next.width != width {
                return Err(broken(id)(format!("the body has {} bits instead of {width}", next.width)));
            }
            folded = Some(match folded {
                None => next,
                Some(left) => self.binary(*op, signed, left, next)?,
            });
        }
        self.restore(*index, outer);
        folded.ok_or_else(|| broken(id)("a fold without repetitions".into()))
    }

    fn iterate(&mut self, index: IndexId, value: i64) -> Result<(), EvalError> {
        self.iterations += 1;
        if self.iterations > Limit::Iterations.bound() {
            return Err(EvalError::Limit { limit: Limit::Iterations });
        }
        self.stamp += 1;
        self.scope.set(index, Some(value), self.stamp);
        Ok(())
    }

    /// Ends a loop: values compiled inside it for an outer index of that name do not hold any more.
    fn restore(&mut self, index: IndexId, outer: Option<i64>) {
        self.stamp += 1;
        self.scope.set(index, outer, self.stamp);
    }

    fn num(&self, num: &Num) -> Result<i64, String> {
        self.scope.evaluate(num)
    }

    fn width(&self, num: &Num) -> Result<u32, String> {
        let width = self.num(num)?;
        match u32::try_from(width) {
            Ok(width @ 1..=MAX_WIDTH) => Ok(width),
            _ => Err(format!("a width of {width} bits, allowed are 1 to {MAX_WIDTH}")),
        }
    }

    fn count(&self, num: &Num) -> Result<i64, String> {
        match self.num(num)? {
            count if count >= 1 => Ok(count),
            count => Err(format!("{count} repetitions, at least 1 is needed")),
        }
    }

    fn flag(&self, num: &Num) -> Result<bool, String> {
        match self.num(num)? {
            0 => Ok(false),
            1 => Ok(true),
            other => Err(format!("a signedness flag of {other}, allowed are 0 and 1")),
        }
    }
}

fn structure(message: String) -> EvalError {
    EvalError::Structure { message }
}

fn broken(expr: ExprId) -> impl Fn(String) -> EvalError {
    move |message| EvalError::Expression { expr, message }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The steps of one run of `%r = VALUE` as text, the last insertion left out: of narrow ones operator, width and
    /// shift, of wide ones the name and the width.
    fn steps(value: &str, width: u32) -> String {
        let text = format!(
            "func @f(%a: 64, %b: 64, %c: 65, %d: 192, %k: 1) -> (%r: {width}) {{ %r[0 +: {width}] = {value} }}"
        );
        let function = Function::parse(&text).unwrap_or_else(|error| panic!("{value}: {error}"));
        let tape = compile(&function, &[], Choice::Usual).unwrap_or_else(|error| panic!("{value}: {error}"));
        let shown = |step: &Step| match step.op {
            Opcode::Wide => {
                let wide = &tape.wide[step.a as usize];
                let name = format!("{:?}", wide.op);
                format!("wide {}.{}", name.split([' ', '(']).next().unwrap_or(""), wide.width)
            }
            op => format!("{op:?}.{}.{}", step.width, step.small),
        };
        let (_, steps) = tape.steps.split_last().expect("the result is written");
        steps.iter().map(shown).collect::<Vec<_>>().join(", ")
    }

    /// What fits a word is computed in one, and what is there already is not copied.
    #[test]
    fn a_value_is_computed_by_the_cheapest_step() {
        for (value, width, expected) in [
            ("%a", 64, ""),
            ("%a[0 +: 63]", 63, "Field.63.0"),
            ("%a[3 +: 61]", 61, "Field.61.3"),
            ("%a[3 +: 60]", 60, "Field.60.3"),
            ("%d[64 +: 64]", 64, ""),
            ("%d[64 +: 128]", 128, ""),
            ("%d[64 +: 63]", 63, "Field.63.0"),
            ("%d[63 +: 1]", 1, "Field.1.63"),
            ("%d[63 +: 2]", 2, "Straddle.2.63"),
            ("%d[64 +: 65]", 65, "wide Extract.65"),
            ("%c[64 +: 1]", 1, ""),
            ("cast.u(%a, 65)", 65, "wide Cast.65"),
            ("cast.u(%c, 128)", 128, ""),
            ("cast.u(%k, 64)", 64, ""),
            ("cast.s(%k, 64)", 64, "SignExtend.64.1"),
            ("cast.s(%k, 65)", 65, "wide Cast.65"),
            ("cast.s(%c, 64)", 64, ""),
            ("saturate.s.u(%a, 64)", 64, "SaturateSU.64.64"),
            ("saturate.s.s(%a, 65)", 65, "wide Saturate.65"),
            ("saturate.s.s(%c, 64)", 64, "wide Saturate.64"),
            ("saturate.u.s(%c, 66)", 66, "wide Saturate.66"),
            ("add(%a, %b)", 64, "Add.64.0"),
            ("add(%c, not(%c))", 65, "wide Unary.65, wide Binary.65"),
            ("shl(%a, %c)", 64, "ClampCount.64.0, Shl.64.0"),
            ("shr.s(%c, %a)", 65, "wide Shift.65"),
            ("cast.u(eq(%a, %b), 1)", 1, "Eq.64.0"),
            ("lt.s(%c, not(%c))", 1, "wide Unary.65, wide Compare.1"),
            ("select(%k, %a, %b)", 64, "Select.64.0"),
            ("select(%k, %a, %a)", 64, ""),
            ("select(%k, %c, not(%c))", 65, "wide Unary.65, wide Select.65"),
            ("popcount(%a)", 64, "PopCount.64.0"),
            ("popcount(%c)", 65, "wide Unary.65"),
            ("%a[at %b +: 64]", 64, "ExtractAt.64.0"),
            ("%d[at %c +: 64]", 64, "ClampCount.64.0, ExtractAt.64.0"),
            ("%d[at %b +: 65]", 65, "wide ExtractAt.65"),
            ("concat(%k, %a)", 65, "Insert.64.0, Insert.1.0"),
            ("concat(%a[0 +: 63], %k)", 64, "Field.63.0, Insert.1.0, Insert.63.1"),
            ("concat(%c, %k)", 66, "Insert.1.0, wide Insert.66"),
            ("concat(%k, %c)", 66, "wide Insert.66, Insert.1.1"),
            ("add(%a, add(0x3:64, 0x4:64))", 64, "Add.64.0"),
            ("and(add(%a, %b), add(%a, %b))", 64, "Add.64.0, And.64.0"),
            ("or(concat(%k, %a), concat(%k, %a))", 65, "Insert.64.0, Insert.1.0, wide Binary.65"),
        ] {
            assert_eq!(steps(value, width), expected, "{value}");
        }
    }

    /// In a loop only what depends on its index is computed anew.
    #[test]
    fn what_no_index_changes_is_computed_once() {
        for (value, expected) in [("not(%a[0 +: 8])", 2), ("not(%a[8*i +: 8])", 8), ("not(%a[8*j +: 8])", 4)]
        {
            let text = format!(
                "func @f(%a: 32) -> (%r: 64) {{
                   for j in 0..2 {{ for i in 0..4 {{ %r[32*j + 8*i +: 8] = {value} }} }}
                 }}"
            );
            let tape = compile(&Function::parse(&text).unwrap(), &[], Choice::Usual).unwrap();
            assert_eq!(tape.steps.len() - 8, expected, "{value}");
        }
    }
}
