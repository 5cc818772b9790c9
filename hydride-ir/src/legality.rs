//! For which values of its parameters a function obeys the laws of the IR ([`crate::Function::verify_with`]),
//! as a few inequalities and equalities.
//!
//! ```text
//! func @f[w = 8, n = 4, o = 0](%a: 128) -> (%dst: 64) {     1 <= w
//!   for i in 0..n { %dst[w*i +: w] = %a[w*i + o +: w] }     1 <= n
//! }                                                         0 <= o
//!                                                           w*n + o <= 128
//!                                                           w*n = 64
//! ```
//!
//! [`Legality::proof`] shows that the constraints are enough for widths, counts and slices, whatever the values are.
//!
//! Widths, counts, slices within the value they are taken from, equal widths and signs follow from the expressions and
//! are exact, except that a step that is not negative at any known value has to stay so. That the statements write
//! every bit once is shown by one tiling ([`coverage`]): sound for all values, and complete as long as the loops nest
//! in the order that the known values have. Where the known values have no common tiling, only they are legal.

mod coverage;
mod proof;

use std::collections::{BTreeMap, BTreeSet};

use crate::expr::{ExprId, Op};
use crate::float::{Float, FloatOp, MAX_ERROR, MAX_EXPONENT, ROUNDING_WIDTH};
use crate::function::{Function, ParamId, Role, Stmt};
use crate::num::{Atom, IndexId, Num};
use crate::verify::MAX_STEPS;
use crate::{MAX_WIDTH, text};

pub use proof::Proof;

/// A constraint on parameter values.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Constraint {
    /// `left <= right`.
    AtMost {
        /// The smaller number.
        left: Num,
        /// The greater number.
        right: Num,
    },
    /// `left = right`, or `unless` is 1.
    Equal {
        /// One number.
        left: Num,
        /// The same number.
        right: Num,
        /// A count for which the numbers do not matter.
        unless: Option<Num>,
    },
    /// These parameters have one of these lists of values.
    OneOf {
        /// The parameters.
        params: Vec<ParamId>,
        /// Their values, sorted.
        values: BTreeSet<Vec<i64>>,
    },
}

/// For which values of its parameters a function is legal.
#[derive(Clone, Debug)]
pub struct Legality<'f> {
    function: &'f Function,
    constraints: Vec<Constraint>,
    /// Widths, which the IR limits.
    widths: Vec<Num>,
    /// The range of each loop's and fold's index.
    counts: BTreeMap<IndexId, Num>,
}

/// Finds the constraints of a function that is legal at the values of `known`, lists of one value for each
/// parameter.
pub fn legality<'f>(function: &'f Function, known: &'f [&'f [i64]]) -> Legality<'f> {
    let mut finder =
        Finder { function, known, counts: BTreeMap::new(), found: Vec::new(), widths: Vec::new() };
    finder.signature();
    function.loops().for_each(|around| finder.bind(around.index, around.count));
    let live = function.live();
    for id in live.iter().rev() {
        if let Op::Fold { index, count, .. } = &function.expr(*id).op {
            finder.bind(*index, count);
        }
    }
    live.iter().for_each(|id| finder.expression(*id));
    let mut constraints = finder.found;
    constraints.extend(coverage::coverage(function, known));
    let Finder { counts, widths, .. } = finder;
    Legality { function, constraints: simplified(constraints), widths, counts }
}

impl Legality<'_> {
    /// The constraints, without the general limits of the IR on widths and steps.
    pub fn constraints(&self) -> &[Constraint] {
        &self.constraints
    }

    /// Whether values of the parameters fulfil all constraints and the limits. Then the function is legal.
    pub fn holds(&self, values: &[i64]) -> bool {
        if values.len() != self.function.params.len() {
            return false;
        }
        let at = |num: &Num| num.eval(|atom| param_value(atom, values));
        let fulfilled = self.constraints.iter().all(|constraint| match constraint {
            Constraint::AtMost { left, right } => {
                matches!((at(left), at(right)), (Some(l), Some(r)) if l <= r)
            }
            Constraint::Equal { left, right, unless } => {
                unless.as_ref().is_some_and(|count| at(count) == Some(1))
                    || matches!((at(left), at(right)), (Some(l), Some(r)) if l == r)
            }
            Constraint::OneOf { params, values: known } => {
                let own: Vec<i64> = params.iter().map(|param| values[param.0 as usize]).collect();
                known.contains(&own)
            }
        });
        fulfilled && self.within_limits(values)
    }

    /// The limits on widths, steps and numbers.
    fn within_limits(&self, values: &[i64]) -> bool {
        let last = |index: IndexId| {
            let count = self.counts.get(&index)?;
            count.eval(|atom| param_value(atom, values))?.checked_sub(1)
        };
        let greatest = |num: &Num| {
            num.eval(|atom| match atom {
                Atom::Param(_) => param_value(atom, values),
                Atom::Index(index) => last(index).unwrap_or(0),
            })
        };
        let function = self.function;
        let numbers =
            function.exprs().iter().flat_map(|expr| expr.op.nums().into_iter().chain([&expr.width]));
        self.widths.iter().all(|width| greatest(width).is_some_and(|width| width <= i64::from(MAX_WIDTH)))
            && numbers.into_iter().all(|num| greatest(num).is_some())
            && self.steps(values).is_some_and(|steps| steps <= MAX_STEPS)
    }

    /// Loop iterations, assignments and fold repetitions.
    fn steps(&self, values: &[i64]) -> Option<u64> {
        let count = |num: &Num| u64::try_from(num.eval(|atom| param_value(atom, values))?).ok();
        let mut folds: Vec<u64> = Vec::new();
        for expr in self.function.exprs() {
            let inner = expr.op.operands().iter().map(|operand| folds[operand.0 as usize]).max().unwrap_or(1);
            folds.push(match &expr.op {
                Op::Fold { count: repetitions, .. } => inner.checked_mul(count(repetitions)?)?,
                _ => inner,
            });
        }
        fn sum(body: &[Stmt], folds: &[u64], count: &dyn Fn(&Num) -> Option<u64>) -> Option<u64> {
            body.iter().try_fold(0u64, |steps, stmt| {
                let own = match stmt {
                    Stmt::For { count: repetitions, body, .. } => {
                        count(repetitions)?.checked_mul(sum(body, folds, count)?.checked_add(1)?)?
                    }
                    Stmt::Assign { value, .. } => folds[value.0 as usize],
                };
                steps.checked_add(own)
            })
        }
        sum(&self.function.body, &folds, &count)
    }

    /// Each constraint in words that need no explanation: `offset + elements*element_width <= 128`.
    pub fn texts(&self) -> Vec<String> {
        self.constraints.iter().map(|constraint| self.text(constraint)).collect()
    }

    /// One constraint in such words.
    pub fn text(&self, constraint: &Constraint) -> String {
        let shown = |num: &Num| text::number_text(self.function, num);
        match constraint {
            Constraint::AtMost { left, right } => format!("{} <= {}", shown(left), shown(right)),
            Constraint::Equal { left, right, unless: None } => format!("{} = {}", shown(left), shown(right)),
            Constraint::Equal { left, right, unless: Some(count) } => {
                format!("{} = {} unless {} = 1", shown(left), shown(right), shown(count))
            }
            Constraint::OneOf { params, values } => {
                let names: Vec<&str> =
                    params.iter().map(|param| self.function.param(*param).name.as_str()).collect();
                let tuple = |values: &Vec<i64>| {
                    let values: Vec<String> = values.iter().map(i64::to_string).collect();
                    format!("({})", values.join(", "))
                };
                let values: Vec<String> = values.iter().map(tuple).collect();
                format!("({}) in {{{}}}", names.join(", "), values.join(", "))
            }
        }
    }
}

fn param_value(atom: Atom, values: &[i64]) -> i64 {
    match atom {
        Atom::Param(param) => values.get(param.0 as usize).copied().unwrap_or(0),
        Atom::Index(_) => 0,
    }
}

struct Finder<'f> {
    function: &'f Function,
    known: &'f [&'f [i64]],
    counts: BTreeMap<IndexId, Num>,
    found: Vec<Constraint>,
    widths: Vec<Num>,
}

impl Finder<'_> {
    fn signature(&mut self) {
        for arg in &self.function.args {
            self.width(&arg.width);
            if let Role::Immediate { low, high } = arg.role {
                let bits = |value: i64| i64::from(64 - value.unsigned_abs().leading_zeros());
                let needed = match low >= 0 {
                    true => bits(high),
                    false => bits(low + 1).max(bits(high)) + 1,
                };
                self.at_most(&Num::constant(needed), &arg.width);
            }
        }
        for result in &self.function.results {
            self.width(&result.width);
        }
    }

    fn bind(&mut self, index: IndexId, count: &Num) {
        self.at_most(&Num::constant(1), count);
        self.counts.insert(index, count.clone());
    }

    fn width(&mut self, width: &Num) {
        self.at_most(&Num::constant(1), width);
        if width.as_constant().is_none() {
            self.widths.push(width.clone());
        }
    }

    fn expression(&mut self, id: ExprId) {
        let function = self.function;
        let expr = function.expr(id);
        let width_of = |id: ExprId| &function.expr(id).width;
        self.width(&expr.width);
        match &expr.op {
            Op::Extract { of, low } => {
                self.at_most(&Num::constant(0), low);
                self.at_most(&(low.clone() + expr.width.clone()), width_of(*of));
            }
            Op::Cast { signed, .. } => self.flag(signed),
            Op::Saturate { from_signed, to_signed, .. } => {
                self.flag(from_signed);
                self.flag(to_signed);
            }
            Op::Binary { op, signed, left, right } => {
                self.flag(signed);
                if !op.is_shift() {
                    self.same(width_of(*left), width_of(*right));
                }
            }
            Op::Compare { signed, left, right, .. } => {
                self.flag(signed);
                self.same(width_of(*left), width_of(*right));
            }
            Op::Select { condition, then, otherwise } => {
                self.same(width_of(*condition), &Num::constant(1));
                self.same(width_of(*then), width_of(*otherwise));
            }
            Op::Fold { signed, .. } => self.flag(signed),
            Op::Float { float, operands } => self.float(float, operands, &expr.width),
            Op::Arg(_) | Op::Const(_) | Op::Int(_) | Op::ExtractAt { .. } | Op::Concat(_) | Op::Unary(..) => {
            }
        }
    }

    fn float(&mut self, float: &Float<Num>, operands: &[ExprId], width: &Num) {
        let function = self.function;
        let width_of = |id: &ExprId| &function.expr(*id).width;
        let (values, rounding) = operands.split_at(float.op.arity());
        for mode in rounding {
            self.same(width_of(mode), &Num::from(ROUNDING_WIDTH));
        }
        for other in &values[1..] {
            self.same(width_of(&values[0]), width_of(other));
        }
        let own = if float.op == FloatOp::FromInt { width } else { width_of(&values[0]) };
        self.format(&float.exponent, own);
        match float.op {
            FloatOp::Convert => self.format(&float.target, width),
            FloatOp::ToInt | FloatOp::FromInt => self.flag(&float.target),
            op if op.approximates() => {
                self.at_most(&Num::constant(1), &float.target);
                self.at_most(&float.target, &Num::from(MAX_ERROR));
            }
            _ => {}
        }
    }

    /// An exponent has room in a format of `width` bits.
    fn format(&mut self, exponent: &Num, width: &Num) {
        self.at_most(&Num::constant(2), exponent);
        self.at_most(exponent, &Num::from(MAX_EXPONENT));
        self.at_most(&(exponent.clone() + Num::constant(2)), width);
    }

    fn flag(&mut self, signed: &Num) {
        self.at_most(&Num::constant(0), signed);
        self.at_most(signed, &Num::constant(1));
    }

    /// Two numbers are equal whatever the indices are.
    fn same(&mut self, left: &Num, right: &Num) {
        for (_, coefficient) in by_indices(&(left.clone() - right.clone())) {
            self.found.push(equal(coefficient, Num::constant(0), None));
        }
    }

    /// `left <= right` for all values of the indices: at the corners of their ranges, since numbers are affine in
    /// each index.
    fn at_most(&mut self, left: &Num, right: &Num) {
        let mut slacks = vec![Num::constant(0)];
        for (indices, coefficient) in by_indices(&(right.clone() - left.clone())) {
            // Each index at its first or its last value; products of indices range between their corners too.
            let last = indices.iter().fold(Num::constant(1), |product, index| {
                product * (self.counts.get(index).cloned().unwrap_or_default() - Num::constant(1))
            });
            let least = coefficient.clone() * last;
            let mut next = Vec::new();
            for slack in slacks {
                if indices.is_empty() {
                    next.push(slack + coefficient.clone());
                    continue;
                }
                // A known sign leaves one corner.
                let rises = self.keeps_sign(&coefficient, 1);
                let falls = !rises && self.keeps_sign(&coefficient, -1);
                if !falls {
                    next.push(slack.clone());
                }
                if !rises {
                    next.push(slack + least.clone());
                }
            }
            slacks = next;
        }
        for slack in slacks {
            self.found.push(at_least_zero(slack));
        }
    }

    /// Whether a step has the given sign, or is 0, at all known values. Then it has to keep it: a constraint for
    /// each corner would be exact, and many.
    fn keeps_sign(&mut self, step: &Num, sign: i64) -> bool {
        let at = |values: &&[i64]| step.eval(|atom| param_value(atom, values)).unwrap_or_default();
        let kept = self.known.iter().all(|values| at(values).signum() != -sign);
        if kept {
            self.found.push(at_least_zero(step.clone() * Num::constant(sign)));
        }
        kept
    }
}

/// A number by the indices of its terms, with a number over parameters for each.
fn by_indices(num: &Num) -> BTreeMap<Vec<IndexId>, Num> {
    let mut parts: BTreeMap<Vec<IndexId>, Num> = BTreeMap::new();
    if num.constant_part() != 0 {
        parts.insert(Vec::new(), Num::constant(num.constant_part()));
    }
    for (atoms, coefficient) in num.terms() {
        let mut indices = Vec::new();
        let mut product = Num::constant(coefficient);
        for atom in atoms {
            match atom {
                Atom::Index(index) => indices.push(*index),
                Atom::Param(param) => product = product * Num::param(*param),
            }
        }
        let part = parts.entry(indices).or_default();
        *part = std::mem::take(part) + product;
    }
    parts
}

/// `0 <= slack`, with what is taken away on the other side.
fn at_least_zero(slack: Num) -> Constraint {
    let (right, left) = split(&slack);
    Constraint::AtMost { left, right }
}

fn equal(left: Num, right: Num, unless: Option<Num>) -> Constraint {
    let (left, right) = split(&(left - right));
    // The simpler side first, but for a number by itself.
    let size = |num: &Num| (num.as_constant().is_some(), num.atoms().count());
    let (left, right) = if size(&right) < size(&left) { (right, left) } else { (left, right) };
    Constraint::Equal { left, right, unless }
}

/// The terms that are added, and those that are taken away.
fn split(num: &Num) -> (Num, Num) {
    let (mut plus, mut minus) = (Num::constant(0), Num::constant(0));
    let mut add = |part: Num, factor: i64| {
        if factor >= 0 {
            plus = std::mem::take(&mut plus) + part * Num::constant(factor);
        } else {
            minus = std::mem::take(&mut minus) + part * Num::constant(-factor);
        }
    };
    add(Num::constant(1), num.constant_part());
    for (atoms, factor) in num.terms() {
        let product = atoms.iter().fold(Num::constant(1), |product, atom| match atom {
            Atom::Param(param) => product * Num::param(*param),
            Atom::Index(index) => product * Num::index(*index),
        });
        add(product, factor);
    }
    (plus, minus)
}

/// Without constraints that always hold, are duplicates, or follow from others.
fn simplified(found: Vec<Constraint>) -> Vec<Constraint> {
    let mut slacks: Vec<Num> = Vec::new();
    let mut others: Vec<Constraint> = Vec::new();
    for constraint in found {
        match constraint {
            Constraint::AtMost { left, right } => slacks.push(right - left),
            Constraint::Equal { left, right, unless } => {
                let count = unless.as_ref().and_then(Num::as_constant);
                let trivial = left == right || count == Some(1);
                let unless = unless.filter(|_| count.is_none());
                let constraint = Constraint::Equal { left, right, unless };
                if !trivial && !others.contains(&constraint) {
                    others.push(constraint);
                }
            }
            one_of => others.push(one_of),
        }
    }
    slacks.sort();
    slacks.dedup();
    // The least value of each parameter that a constraint says by itself.
    let mut least: BTreeMap<ParamId, i64> = BTreeMap::new();
    for slack in &slacks {
        let mut terms = slack.terms();
        if let (Some(([Atom::Param(param)], 1)), None) = (terms.next(), terms.next()) {
            let bound = -slack.constant_part();
            let known = least.entry(*param).or_insert(bound);
            *known = (*known).max(bound);
        }
    }
    // A product of counts is at least 1 only where each of them is.
    let never_negative = |num: &Num| {
        let shifted = num.substitute(|atom| match atom {
            Atom::Param(param) => {
                Num::param(param) + Num::constant(least.get(&param).copied().unwrap_or_default())
            }
            Atom::Index(index) => Num::index(index),
        });
        shifted.constant_part() >= 0
            && shifted.terms().all(|(atoms, factor)| {
                let bounded = |atom: &Atom| matches!(atom, Atom::Param(param) if least.contains_key(param));
                factor >= 0 && atoms.iter().all(bounded)
            })
    };
    let is_bound = |slack: &Num| {
        let mut terms = slack.terms();
        matches!((terms.next(), terms.next()), (Some(([Atom::Param(param)], 1)), None)
            if least.get(param) == Some(&-slack.constant_part()))
    };
    let mut kept: Vec<Num> = Vec::new();
    for (position, slack) in slacks.iter().enumerate() {
        if is_bound(slack) {
            kept.push(slack.clone());
            continue;
        }
        let follows = |other: (usize, &Num)| {
            let (place, other) = other;
            // Of two that follow from each other the first is kept; there are none, since both are reduced.
            place != position && never_negative(&(slack.clone() - other.clone()))
        };
        if !never_negative(slack) && !slacks.iter().enumerate().any(follows) {
            kept.push(slack.clone());
        }
    }
    kept.sort_by_key(|slack| (slack.terms().count(), slack.clone()));
    kept.into_iter().map(at_least_zero).chain(others).collect()
}

/// A part of an argument, in elements.
#[cfg(test)]
const SLICES: &str = "func @f[w = 8, n = 8, o = 0](%a: 128) -> (%dst: 64) {
    for i in 0..n { %dst[w*i +: w] = %a[w*i + o +: w] } }";

/// Two statements that take turns, in groups.
#[cfg(test)]
const TURNS: &str = "func @f[w = 8, n = 2, g = 2, s = 32](%a: w*n*g, %b: w*n*g) -> (%dst: 2*w*n*g) {
    for i in 0..g { for j in 0..n {
      %dst[s*i + 2*w*j +: w] = %a[w*j + w*n*i +: w]
      %dst[s*i + 2*w*j + w +: w] = %b[w*j + w*n*i +: w]
    } } }";

#[cfg(test)]
mod tests {
    use super::*;

    fn texts(text: &str, known: &[&[i64]]) -> Vec<String> {
        let function = Function::parse(text).unwrap();
        for values in known {
            function.verify_with(values).unwrap();
        }
        let legality = super::legality(&function, known);
        assert!(known.iter().all(|values| legality.holds(values)), "{:?}", legality.texts());
        legality.texts()
    }

    #[test]
    fn legality() {
        let found = texts(SLICES, &[&[8, 8, 0], &[16, 4, 64]]);
        assert_eq!(found, ["1 <= w", "1 <= n", "0 <= o", "w*n + o <= 128", "w*n = 64"]);
    }

    #[test]
    fn a_tiling_of_groups_and_of_statements_that_take_turns() {
        let found = texts(TURNS, &[&[8, 2, 2, 32], &[8, 2, 1, 5]]);
        assert!(found.contains(&"s = 2*w*n unless g = 1".to_owned()), "{found:?}");
        assert_eq!(found.len(), 4, "{found:?}");
    }

    #[test]
    fn without_a_common_tiling_only_known_values_are_legal() {
        // Two loops that nest either way round.
        let text = "func @f[s = 8, t = 16](%a: 8) -> (%dst: 32) {
            for i in 0..2 { for j in 0..2 { %dst[s*i + t*j +: 8] = %a } } }";
        let found = texts(text, &[&[8, 16], &[16, 8]]);
        assert_eq!(found, ["(s, t) in {(8, 16), (16, 8)}"]);
    }

    /// A function, known values of its parameters, and values of each to try.
    type Case<'a> = (&'a str, &'a [&'a [i64]], Vec<Vec<i64>>);

    /// Every choice of a value for each parameter.
    fn choices(values: &[Vec<i64>]) -> Vec<Vec<i64>> {
        values.iter().fold(vec![Vec::new()], |chosen, values| {
            let longer = |start: &Vec<i64>| {
                values.iter().map(|value| [start.as_slice(), &[*value]].concat()).collect::<Vec<_>>()
            };
            chosen.iter().flat_map(longer).collect()
        })
    }

    #[test]
    fn what_holds_is_what_the_verifier_accepts() {
        let small = || Vec::from_iter(-1..=9);
        let steps = || vec![-8, 0, 1, 4, 8, 12, 16, 24, 32, 64, 128];
        let most = i64::from(MAX_WIDTH);
        let cases: [Case<'_>; 11] = [
            (
                "func @slices[w = 8, n = 8, o = 0](%a: 128) -> (%dst: 64) {
                   for i in 0..n { %dst[w*i +: w] = %a[w*i + o +: w] } }",
                &[&[8, 8, 0]],
                vec![steps(), small(), vec![-8, -1, 0, 1, 56, 63, 64, 65, 72]],
            ),
            (
                "func @flags[s = 0, t = 1, w = 8](%a: 8, %b: 8) -> (%dst: w) {
                   %dst[0 +: w] = saturate.{s}.{t}(select(lt.{s}(%a, %b), cast.{t}(%a, 2*w), cast.{s}(%b, 2*w)), w) }",
                &[&[0, 1, 8]],
                vec![vec![-1, 0, 1, 2], vec![-1, 0, 1, 2], vec![-1, 0, 1, 7, 8, most / 2, most / 2 + 1, most]],
            ),
            (
                "func @widths[v = 8, w = 8](%a: v, %b: w) -> (%dst: v) {
                   %dst[0 +: v] = select(eq(%a, %b), add(%a, cast.u(%b, v)), fold min.s (i in 0..2) %a) }",
                &[&[8, 8]],
                vec![small(), small()],
            ),
            (
                "func @operands[v = 8, w = 8](%a: v, %b: w) -> (%dst: v) { %dst[0 +: v] = xor(%a, %b) }",
                &[&[8, 8]],
                vec![small(), small()],
            ),
            (
                "func @counts[v = 8, w = 8](%a: v, %b: w) -> (%dst: v) { %dst[0 +: v] = shl(%a, %b) }",
                &[&[8, 8]],
                vec![small(), small()],
            ),
            (
                "func @turns[w = 8, n = 2, g = 2, s = 32](%a: w*n*g, %b: w*n*g) -> (%dst: 2*w*n*g) {
                   for i in 0..g { for j in 0..n {
                     %dst[s*i + 2*w*j +: w] = %a[w*j + w*n*i +: w]
                     %dst[s*i + 2*w*j + w +: w] = %b[w*j + w*n*i +: w]
                   } } }",
                &[&[8, 2, 2, 32], &[8, 2, 1, 5]],
                vec![vec![-1, 0, 1, 4, 8], vec![0, 1, 2, 3], vec![0, 1, 2, 3], vec![-1, 0, 4, 5, 8, 16, 24, 32, 48]],
            ),
            (
                "func @either[s = 8, t = 16](%a: 8) -> (%dst: 32) {
                   for i in 0..2 { for j in 0..2 { %dst[s*i + t*j +: 8] = %a } } }",
                &[&[8, 16], &[16, 8]],
                vec![steps(), steps()],
            ),
            (
                "func @immediate[w = 8](%n: w imm 0..=17, %m: w imm -9..=3) -> (%dst: w) { %dst[0 +: w] = shl(%n, %m) }",
                &[&[8]],
                vec![small()],
            ),
            (
                "func @steps[n = 8, k = 2](%a: 8) -> (%dst: n) {
                   for i in 0..n { %dst[i +: 1] = fold xor (j in 0..k) %a[j +: 1] } }",
                &[&[8, 2]],
                vec![vec![0, 1, 8, 100, most, most + 1], vec![-1, 0, 1, 2, 7, 8, 9]],
            ),
            (
                "func @long[n = 8, k = 2](%a: 8) -> (%dst: n) {
                   for i in 0..n { for l in 0..k { } %dst[i +: 1] = fold xor (j in 0..k) %a[0 +: 1] } }",
                &[&[8, 2]],
                vec![vec![1, 100], vec![0, 1, 4998, 4999, 5000, 5001, 9998, 9999, 10000, 499_999, 500_000, 999_999, 1_000_000]],
            ),
            (
                "func @holes[w = 8, p = 8](%a: w) -> (%dst: 16) { %dst[0 +: p] = %a[0 +: p]  %dst[p +: w] = %a }",
                &[&[8, 8]],
                vec![Vec::from_iter(-1..=17), Vec::from_iter(-1..=17)],
            ),
        ];
        for (text, known, values) in cases {
            let function = Function::parse(text).unwrap();
            let legality = super::legality(&function, known);
            let (legal, illegal): (Vec<_>, Vec<_>) =
                choices(&values).into_iter().partition(|values| function.verify_with(values).is_ok());
            assert!(!legal.is_empty() && !illegal.is_empty(), "{text}");
            for (values, is_legal) in
                legal.iter().map(|values| (values, true)).chain(illegal.iter().map(|values| (values, false)))
            {
                assert_eq!(legality.holds(values), is_legal, "{values:?} in {text}: {:?}", legality.texts());
            }
        }
    }

    #[test]
    fn values_for_other_parameters_do_not_hold() {
        let function = Function::parse("func @f[w = 8](%a: w) -> (%r: w) { %r[0 +: w] = %a }").unwrap();
        let legality = super::legality(&function, &[&[8]]);
        assert_eq!(
            [&[][..], &[8], &[8, 8], &[i64::MAX]].map(|values| legality.holds(values)),
            [false, true, false, false]
        );
    }
}
