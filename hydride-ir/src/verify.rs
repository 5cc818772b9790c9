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
