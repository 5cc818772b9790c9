//! The laws of the IR.
//!
//! - Names are not empty; parameters have identifiers that are not reserved, all different;
//!   arguments differ from each other in name, and so do results (an argument and a result may share
//!   one: what is read is the argument).
//! - Widths are 1 to [`MAX_WIDTH`]; those of arguments and results depend only on parameters.
//! - An immediate's range is not empty and fits its width, unsigned when its low end is not negative.
//! - The operands of an expression come before it in the arena.
//! - The width of an expression that follows from its operands (see the text form) is exactly that number;
//!   operands of equal width are so at the parameters' values.
//! - An extract lies inside what it reads, for every value of the indices.
//! - Signedness flags are 0 or 1, and 0 where the operator does not depend on signedness.
//! - An index is bound once, by a loop or a fold, and used only inside it.
//! - Loops and folds repeat at least once and nest at most [`MAX_NESTING`] deep; a fold's operator
//!   is associative and commutative.
//! - The statements write every bit of every result exactly once.
//! - At most [`MAX_STEPS`] loop iterations, assignments and fold repetitions are executed.
//! - Numbers do not overflow 64 bits, and have no more terms than the text form allows.
//!
//! All this is checked at given parameter values, by default the parameters' defaults. Bounds under indices
//! are taken over the box of the indices' ranges, which is exact for affine positions. Expressions that no
//! statement reaches only have to follow their operands.

mod coverage;
mod expressions;

use rustc_hash::{FxHashMap, FxHashSet};

use crate::expr::{ExprId, Op};
use crate::function::{Function, MAX_NESTING, Role};
use crate::num::{Atom, IndexId, Num};
use crate::passes::schedule;
use crate::visit::{Assignment, Event, Loop};
use crate::{MAX_WIDTH, text};

/// How many loop iterations, assignments and fold repetitions a function executes at most.
pub(crate) const MAX_STEPS: u64 = 1_000_000;

/// A broken law.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("@{function}: {message}")]
pub struct VerifyError {
    /// The function's name.
    pub function: String,
    /// What is wrong.
    pub message: String,
}

impl Function {
    /// Checks the laws of the IR at the parameters' default values.
    pub fn verify(&self) -> Result<(), VerifyError> {
        let values: Vec<i64> = self.params.iter().map(|param| param.value).collect();
        self.verify_with(&values)
    }

    /// Checks the laws of the IR at the given values of the parameters.
    pub fn verify_with(&self, params: &[i64]) -> Result<(), VerifyError> {
        let mut verifier = Verifier { function: self, params, ranges: FxHashMap::default() };
        verifier.run().map_err(|message| VerifyError { function: self.name.clone(), message })
    }
}

/// A broken law in words.
type Checked<T = ()> = Result<T, String>;

struct Verifier<'f> {
    function: &'f Function,
    params: &'f [i64],
    /// The least and greatest value of each bound index.
    ranges: FxHashMap<IndexId, (i64, i64)>,
}

impl Verifier<'_> {
    fn run(&mut self) -> Checked {
        let function = self.function;
        if self.params.len() != function.params.len() {
            let (given, expected) = (self.params.len(), function.params.len());
            return Err(format!("{given} values for {expected} parameters"));
        }
        self.names()?;
        self.signature()?;
        for (position, expr) in function.exprs().iter().enumerate() {
            if expr.op.operands().iter().any(|operand| operand.0 as usize >= position) {
                return Err(format!("expression #{position} has an operand that does not come before it"));
            }
        }
        self.statements()?;
        let live = function.live();
        self.fold_ranges(&live)?;
        for id in &live {
            self.expression(*id)
                .map_err(|message| format!("{message} in `{}`", text::expression_text(function, *id)))?;
        }
        self.scopes(&live)?;
        self.coverage()
    }

    fn names(&self) -> Checked {
        let function = self.function;
        if function.name.is_empty() {
            return Err("the function has no name".to_owned());
        }
        for param in &function.params {
            if !text::is_identifier(&param.name) {
                return Err(format!("parameter name `{}` is no identifier or reserved", param.name));
            }
        }
        unique("parameters", function.params.iter().map(|param| param.name.as_str()))?;
        unique("arguments", function.args.iter().map(|arg| arg.name.as_str()))?;
        unique("results", function.results.iter().map(|result| result.name.as_str()))
    }

    fn signature(&self) -> Checked {
        for arg in &self.function.args {
            let width =
                self.width(&arg.width).map_err(|message| format!("argument %{}: {message}", arg.name))?;
            if let Role::Memory { align, .. } = arg.role
                && !align.is_power_of_two()
            {
                return Err(format!("the alignment {align} of memory %{} is no power of two", arg.name));
            }
            if let Role::Immediate { low, high } = arg.role {
                let range = match low >= 0 {
                    true => (0, (1 << width.min(100)) - 1),
                    false => (-(1 << (width.min(100) - 1)), (1 << (width.min(100) - 1)) - 1),
                };
                if low > high {
                    return Err(format!("the range {low}..={high} of immediate %{} is empty", arg.name));
                }
                if i128::from(low) < range.0 || i128::from(high) > range.1 {
                    return Err(format!(
                        "the range {low}..={high} of immediate %{} does not fit {width} bits",
                        arg.name
                    ));
                }
            }
        }
        for result in &self.function.results {
            self.width(&result.width).map_err(|message| format!("result %{}: {message}", result.name))?;
            let memory = self.function.written(result).map(|memory| self.function.arg(memory));
            if memory.is_some_and(|memory| memory.width != result.width) {
                return Err(format!(
                    "result %{} is not as wide as the memory that it is written to",
                    result.name
                ));
            }
        }
        Ok(())
    }

    /// Checks the statements' shape and binds the loops' indices.
    fn statements(&mut self) -> Checked {
        let function = self.function;
        let mut walk = function.walk();
        while let Some(event) = walk.next() {
            match event {
                Event::Enter(Loop { index, count }) => {
                    if walk.scope().len() > MAX_NESTING {
                        return Err(format!("loops nest more than {MAX_NESTING} deep"));
                    }
                    self.bind(index, count)?;
                }
                Event::Assign(Assignment { result, low, value }) => {
                    if result.0 as usize >= function.results.len() {
                        return Err(format!(
                            "an assignment writes result #{}, which does not exist",
                            result.0
                        ));
                    }
                    if value.0 as usize >= function.exprs().len() {
                        return Err(format!(
                            "an assignment reads expression #{}, which does not exist",
                            value.0
                        ));
                    }
                    self.range(low)?;
                }
                Event::Leave(_) => {}
            }
        }
        Ok(())
    }

    fn bind(&mut self, index: IndexId, count: &Num) -> Checked {
        let (least, greatest) = self.range(count)?;
        if least < 1 {
            return Err(format!("a loop or fold runs {} = {least} times", self.text(count)));
        }
        if self.ranges.insert(index, (0, greatest - 1)).is_some() {
            return Err(format!("index #{} is bound twice", index.0));
        }
        Ok(())
    }

    /// Binds the folds' indices: an enclosing fold comes after those in its body.
    fn fold_ranges(&mut self, live: &[ExprId]) -> Checked {
        for id in live.iter().rev() {
            if let Op::Fold { index, count, .. } = &self.function.expr(*id).op {
                self.bind(*index, count).map_err(|message| {
                    format!("{message} in `{}`", text::expression_text(self.function, *id))
                })?;
            }
        }
        Ok(())
    }

    /// Every index that an assignment depends on belongs to a loop around it.
    fn scopes(&self, live: &[ExprId]) -> Checked {
        let free = schedule::free_indices(self.function);
        if let Some(id) = live.iter().find(|id| free[id.0 as usize].len() > MAX_NESTING) {
            let shown = text::expression_text(self.function, *id);
            return Err(format!("`{shown}` depends on more than {MAX_NESTING} indices"));
        }
        let mut walk = self.function.walk();
        while let Some(event) = walk.next() {
            let around = |index: &IndexId| walk.scope().iter().any(|around| around.index == *index);
            match event {
                Event::Enter(Loop { index, count }) => {
                    // A loop's own index is not in scope in its count.
                    if schedule::indices(count).any(|own| own == index || !around(&own)) {
                        return Err(format!(
                            "a loop's count {} uses an index of no loop around it",
                            self.text(count)
                        ));
                    }
                }
                Event::Assign(Assignment { low, value, .. }) => {
                    if schedule::indices(low).any(|index| !around(&index)) {
                        return Err(format!(
                            "position {} uses an index of no loop around it",
                            self.text(low)
                        ));
                    }
                    if !free[value.0 as usize].iter().all(around) {
                        let shown = text::expression_text(self.function, value);
                        return Err(format!(
                            "`{shown}` uses an index outside the loop or fold that binds it"
                        ));
                    }
                }
                Event::Leave(_) => {}
            }
        }
        Ok(())
    }

    /// The number as it is printed.
    fn text(&self, num: &Num) -> String {
        text::number_text(self.function, num)
    }

    /// The least and greatest value of a number over the ranges of its indices.
    fn range(&self, num: &Num) -> Checked<(i64, i64)> {
        if let Some(constant) = num.as_constant() {
            return Ok((constant, constant));
        }
        if num.terms().count() > text::MAX_TERMS
            || num.terms().any(|(atoms, _)| atoms.len() > text::MAX_FACTORS)
        {
            return Err(format!(
                "a number has more than {} products or {} factors in one",
                text::MAX_TERMS,
                text::MAX_FACTORS
            ));
        }
        // With the parameters' values substituted, products of one index are one term and bound each other.
        let num = &self.at_params(num);
        let (mut least, mut greatest) = (num.constant_part(), num.constant_part());
        for (atoms, coefficient) in num.terms() {
            let (mut low, mut high) = (coefficient, coefficient);
            for atom in atoms {
                let (from, to) = self.atom_range(*atom)?;
                let corners = [(low, from), (low, to), (high, from), (high, to)]
                    .map(|(left, right)| left.checked_mul(right));
                let [Some(a), Some(b), Some(c), Some(d)] = corners else { return self.overflow(num) };
                (low, high) = (a.min(b).min(c).min(d), a.max(b).max(c).max(d));
            }
            let (Some(sum_low), Some(sum_high)) = (least.checked_add(low), greatest.checked_add(high)) else {
                return self.overflow(num);
            };
            (least, greatest) = (sum_low, sum_high);
        }
        Ok((least, greatest))
    }

    fn overflow<T>(&self, num: &Num) -> Checked<T> {
        Err(format!("{} overflows 64 bits", self.text(num)))
    }

    fn atom_range(&self, atom: Atom) -> Checked<(i64, i64)> {
        match atom {
            Atom::Param(param) => match self.params.get(param.0 as usize) {
                Some(value) => Ok((*value, *value)),
                None => Err(format!("parameter #{} does not exist", param.0)),
            },
            Atom::Index(index) => {
                self.ranges.get(&index).copied().ok_or_else(|| format!("index #{} is bound nowhere", index.0))
            }
        }
    }

    /// A width that depends only on parameters.
    fn width(&self, num: &Num) -> Checked<i64> {
        if schedule::indices(num).next().is_some() {
            return Err("the width depends on an index".to_owned());
        }
        let (width, _) = self.range(num)?;
        check_width(width)?;
        Ok(width)
    }
}

fn check_width(width: i64) -> Checked {
    match (1..=i64::from(MAX_WIDTH)).contains(&width) {
        true => Ok(()),
        false => Err(format!("a width of {width} is not in 1..={MAX_WIDTH}")),
    }
}

fn unique<'n>(what: &str, names: impl Iterator<Item = &'n str>) -> Checked {
    let mut seen = FxHashSet::default();
    for name in names {
        if name.is_empty() {
            return Err(format!("one of the {what} has no name"));
        }
        if !seen.insert(name) {
            return Err(format!("two {what} are named `{name}`"));
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::bits::Bits;
    use crate::function::{Arg, ArgId, Param, ParamId, ResultId, ResultSlot, Stmt};

    /// What is wrong with a function in the text form; nothing if it obeys the laws.
    fn error(text: &str) -> String {
        let function = Function::parse(text).unwrap_or_else(|error| panic!("{error}: {text}"));
        function.verify().map_or_else(|error| error.message, |()| String::new())
    }

    /// What is wrong with a function of one result that is `value`, of arguments `a`, `b` and `c` of 8, 16 and 1 bits.
    fn error_in(value: &str) -> String {
        error(&format!(
            "func @f[w = 8, s = 1](%a: 8, %b: 16, %c: 1) -> (%r: 8) {{ for i in 0..1 {{ %r[8*i +: 8] = {value} }} }}"
        ))
    }

    #[test]
    fn laws_of_expressions() {
        for (value, expected) in [
            ("%a", ""),
            ("%b[8 +: 8]", ""),
            ("%b[9 +: 8]", "the 8 bits at 9 reach 1 bits beyond the 16 that there are in `%b[9 +: 8]`"),
            ("%b[i - 1 +: 8]", "position i - 1 can be -1 in `%b[i - 1 +: 8]`"),
            ("%b[w*i +: 8]", ""),
            ("cast.{s}(%b, 8)", ""),
            ("cast.{2*s}(%b, 8)", "signedness 2*s is not 0 or 1 in `cast.{2*s}(%b, 8)`"),
            ("cast.{s - 2}(%b, 8)", "signedness s - 2 is not 0 or 1 in `cast.{s - 2}(%b, 8)`"),
            ("saturate.{2}.s(%b, 8)", "signedness 2 is not 0 or 1 in `saturate.{2}.s(%b, 8)`"),
            ("saturate.s.{2}(%b, 8)", "signedness 2 is not 0 or 1 in `saturate.s.{2}(%b, 8)`"),
            ("add(%a, %b[0 +: 8])", ""),
            ("add(%a, %b[0 +: w])", ""),
            ("shl(%a, %b)", ""),
            ("add(%a, %b)", "operands of 8 and 16 bits in `add(%a, %b)`"),
            ("cast.u(lt.s(%a, %b), 8)", "operands of 8 and 16 bits in `lt.s(%a, %b)`"),
            ("select(%c, %a, %b[0 +: 8])", ""),
            ("select(%c, %a, %b)", "operands of 8 and 16 bits in `select(%c, %a, %b)`"),
            ("select(%a, %a, %a)", "the condition has 8 bits in `select(%a, %a, %a)`"),
            ("fold min.{s} (j in 0..2) %a", ""),
            (
                "cast.u(%a, 8192*w + 1)[0 +: 8]",
                "a width of 65537 is not in 1..=65536 in `cast.u(%a, 8192*w + 1)`",
            ),
            ("cast.u(%a, 8192*w)[0 +: 8]", ""),
        ] {
            assert_eq!(error_in(value), expected, "{value}");
        }
    }

    #[test]
    fn laws_of_immediates() {
        for (width, range, fits) in [
            (8, "0..=255", true),
            (8, "0..=256", false),
            (8, "-128..=127", true),
            (8, "-129..=0", false),
            (8, "-1..=128", false),
            (8, "7..=7", true),
            (1, "0..=1", true),
            (1, "-1..=0", true),
            (200, "-5..=5", true),
            (64, "0..=9223372036854775807", true),
        ] {
            let text =
                format!("func @f(%a: {width} imm {range}) -> (%r: {width}) {{ %r[0 +: {width}] = %a }}");
            let expected = format!("the range {range} of immediate %a does not fit {width} bits");
            assert_eq!(error(&text), if fits { "" } else { &expected });
        }
        let empty = "func @f(%a: 8 imm 6..=5) -> (%r: 8) { %r[0 +: 8] = %a }";
        assert_eq!(error(empty), "the range 6..=5 of immediate %a is empty");
    }

    #[test]
    fn laws_of_writing() {
        for (body, expected) in [
            ("%r[0 +: 16] = %b", ""),
            ("for i in 0..2 { %r[8*i +: 8] = %a }", ""),
            ("%r[0 +: 8] = %a", "bits 8..16 of %r are never written"),
            ("%r[8 +: 8] = %a", "bits 0..8 of %r are never written"),
            ("%r[0 +: 4] = %a[0 +: 4]  %r[8 +: 8] = %a", "bits 4..8 of %r are never written"),
            ("%r[9 +: 8] = %a", "%r[9 +: …] writes bits 9..17 of 16"),
            (
                "for i in 0..2 { %r[8 - 16*i +: 8] = %a }",
                "%r[-16*i + 8 +: …] writes bits -8..0 of 16 at i = 1",
            ),
            ("%r[0 +: 16] = %b  %r[15 +: 1] = %a[0 +: 1]", "bit 15 of %r is written twice"),
            (
                "for i in 0..2 { for j in 0..2 { %r[8*i + 4*j +: 8] = %a } }",
                "bit 4 of %r is written twice at i = 0, j = 1",
            ),
            ("for i in 0..2 { for j in 0..i { } } %r[0 +: 16] = %b", "a loop or fold runs i = 0 times"),
            ("for i in 0..2 { for j in 0..i + 1 { } } %r[0 +: 16] = %b", ""),
            (
                "for i in 0..500000 { for j in 0..1 { } } %r[0 +: 16] = %b",
                "more than 1000000 loop iterations and assignments",
            ),
            ("for i in 0..999999 { } %r[0 +: 16] = %b", ""),
            ("for i in 0..1000000 { } %r[0 +: 16] = %b", "more than 1000000 loop iterations and assignments"),
            ("%r[0 +: 16] = fold add (i in 0..1000000) %b", ""),
            (
                "%r[0 +: 16] = fold add (i in 0..1000001) %b",
                "more than 1000000 loop iterations and assignments",
            ),
            (
                "%r[0 +: 16] = fold add (i in 0..2000) fold add (j in 0..501) %b",
                "more than 1000000 loop iterations and assignments",
            ),
        ] {
            assert_eq!(
                error(&format!("func @f(%a: 8, %b: 16) -> (%r: 16) {{ {body} }}")),
                expected,
                "{body}"
            );
        }
    }

    #[test]
    fn loops_and_folds_nest_together() {
        for (loops, folds, expected) in [
            (MAX_NESTING, 0, String::new()),
            (0, MAX_NESTING, String::new()),
            (MAX_NESTING - 3, 3, String::new()),
            (MAX_NESTING - 3, 4, format!("loops and folds nest more than {MAX_NESTING} deep")),
            (MAX_NESTING + 1, 0, format!("loops nest more than {MAX_NESTING} deep")),
        ] {
            let around: String = (0..loops).map(|index| format!("for i{index} in 0..1 {{ ")).collect();
            let value: String = (0..folds).map(|index| format!("fold add (j{index} in 0..1) ")).collect();
            let text = format!(
                "func @f(%a: 8) -> (%r: 8) {{ {around} %r[0 +: 8] = {value}%a {} }}",
                "}".repeat(loops)
            );
            assert_eq!(error(&text), expected, "{loops} loops, {folds} folds");
        }
    }

    /// A sound function that copies its argument.
    fn copy() -> Function {
        let mut function = Function::new("f");
        function.params.push(Param { name: "w".into(), value: 8 });
        let width = Num::param(ParamId(0));
        function.args.push(Arg { name: "a".into(), width: width.clone(), role: Role::Register });
        function.results.push(ResultSlot { name: "r".into(), width: width.clone() });
        let value = function.push(Op::Arg(ArgId(0)), width);
        function.body.push(Stmt::Assign { result: ResultId(0), low: 0u32.into(), value });
        function
    }

    #[test]
    fn laws_that_the_text_form_cannot_break() {
        type Change = fn(&mut Function);
        let cases: [(Change, &str); 13] = [
            (|_| (), ""),
            (|f| f.name.clear(), "the function has no name"),
            (|f| f.params[0].name = "for".into(), "parameter name `for` is no identifier or reserved"),
            (|f| f.params[0].name = "a b".into(), "parameter name `a b` is no identifier or reserved"),
            (|f| f.args[0].name.clear(), "one of the arguments has no name"),
            (
                |f| f.results.push(ResultSlot { name: "r".into(), width: 8u32.into() }),
                "two results are named `r`",
            ),
            (|f| f.params.push(Param { name: "w".into(), value: 1 }), "two parameters are named `w`"),
            (
                |f| f.body.push(Stmt::Assign { result: ResultId(1), low: 0u32.into(), value: ExprId(0) }),
                "an assignment writes result #1, which does not exist",
            ),
            (
                |f| f.body.push(Stmt::Assign { result: ResultId(0), low: 0u32.into(), value: ExprId(1) }),
                "an assignment reads expression #1, which does not exist",
            ),
            (
                |f| {
                    f.push(Op::Unary(crate::UnaryOp::Not, ExprId(1)), 8u32);
                },
                "expression #1 has an operand that does not come before it",
            ),
            (|f| f.args[0].width = Num::param(ParamId(1)), "argument %a: parameter #1 does not exist"),
            (|f| f.results[0].width = Num::index(IndexId(0)), "result %r: the width depends on an index"),
            (|f| f.params[0].value = 0, "argument %a: a width of 0 is not in 1..=65536"),
        ];
        for (change, expected) in cases {
            let mut function = copy();
            change(&mut function);
            let found = function.verify().map_or_else(|error| error.message, |()| String::new());
            assert_eq!(found, expected);
        }
        assert_eq!(copy().verify_with(&[16]), Ok(()));
        let found = copy().verify_with(&[]).unwrap_err().message;
        assert_eq!(found, "0 values for 1 parameters");
    }

    #[test]
    fn widths_are_what_operands_say() {
        for (op, width, expected) in [
            (Op::Concat(vec![ExprId(0), ExprId(0)]), 16u32, ""),
            (Op::Concat(vec![ExprId(0), ExprId(0)]), 15, "the width is 15 where the operands say 2*w"),
            (Op::Concat(vec![]), 8, "nothing is concatenated"),
            (Op::Const(Bits::zero(7)), 8, "the width is 8 where the operands say 7"),
            (Op::Arg(ArgId(1)), 8, "argument #1 does not exist"),
        ] {
            let mut function = copy();
            let width = if width == 16 { Num::param(ParamId(0)) * 2u32.into() } else { Num::from(width) };
            let value = function.push(op, width.clone());
            function.results.push(ResultSlot { name: "s".into(), width });
            function.body.push(Stmt::Assign { result: ResultId(1), low: 0u32.into(), value });
            let found = function.verify().map_or_else(|error| error.message, |()| String::new());
            assert!(found.starts_with(expected) && found.is_empty() == expected.is_empty(), "{found}");
        }
    }

    #[test]
    fn indices_are_used_where_they_are_bound() {
        let low = |index| Num::index(IndexId(index)) * 8u32.into();
        let loop_of = |index, count, body| Stmt::For { index: IndexId(index), count, body };
        let write = |low| Stmt::Assign { result: ResultId(0), low, value: ExprId(0) };
        for (body, expected) in [
            (vec![loop_of(0, Num::constant(1), vec![write(low(0))])], ""),
            (
                vec![loop_of(0, Num::constant(1), vec![]), write(low(0))],
                "position 8*#0 uses an index of no loop around it",
            ),
            (vec![write(low(0))], "index #0 is bound nowhere"),
            (
                vec![loop_of(0, Num::constant(1), vec![]), loop_of(0, Num::constant(1), vec![])],
                "index #0 is bound twice",
            ),
            (
                vec![
                    loop_of(0, Num::constant(2), vec![]),
                    loop_of(1, Num::index(IndexId(0)) + 1u32.into(), vec![]),
                ],
                "a loop's count #0 + 1 uses an index of no loop around it",
            ),
        ] {
            let mut function = copy();
            function.body = body;
            let found = function.verify().map_or_else(|error| error.message, |()| String::new());
            let words: Vec<&str> = expected.split("#0").collect();
            assert!(words.iter().all(|words| found.contains(words)), "{found} is not {expected}");
            assert_eq!(found.is_empty(), expected.is_empty());
        }
    }
}
