//! The range of a form by Fourier and Motzkin's elimination: slow, and independent of the simplex method.

use std::collections::BTreeMap;

use simplex::{Affine, Constraint, Rational};

/// More rows take too long.
const MOST_ROWS: usize = 100;

/// The values of a form on a set that is not empty.
#[derive(Debug)]
pub(super) struct Range {
    /// `None` without limit.
    pub(super) least: Option<Rational>,
    /// `None` without limit.
    pub(super) greatest: Option<Rational>,
}

/// Coefficients, and the least constant of all rows with them: the form is not negative.
type Rows = BTreeMap<Vec<i128>, i128>;

/// The range of a form on some constraints: `None` when that takes too long or needs too large numbers,
/// `Some(None)` when the constraints have no common point.
pub(super) fn range<'a>(
    constraints: impl Iterator<Item = &'a Constraint>,
    form: &Affine,
) -> Option<Option<Range>> {
    // The last coordinate is the form's value.
    let mut rows = Rows::new();
    for constraint in constraints {
        let row = extended(constraint.affine(), 0)?;
        if matches!(constraint, Constraint::Equality(_)) {
            insert(&mut rows, negated(&row));
        }
        insert(&mut rows, row);
    }
    let value = extended(form, -1)?;
    insert(&mut rows, negated(&value));
    insert(&mut rows, value);
    for variable in 0..form.coefficients.len() {
        rows = without(rows, variable)?;
    }
    Some(ends(&rows))
}

/// Coefficients and constant, each of which can be negated.
type Row = (Vec<i128>, i128);

/// A row's entry, unless it is the one that cannot be negated.
fn entry(value: i128) -> Option<i128> {
    (value != i128::MIN).then_some(value)
}

/// A form with one more coefficient.
fn extended(form: &Affine, last: i128) -> Option<Row> {
    let small = |value| i128::try_from(value).ok().and_then(entry);
    let coefficients = form.coefficients.iter().map(small).chain([Some(last)]).collect::<Option<Vec<_>>>()?;
    Some((coefficients, small(&form.constant)?))
}

fn negated((coefficients, constant): &Row) -> Row {
    (coefficients.iter().map(|value| -value).collect(), -constant)
}

/// Adds a row in lowest terms.
fn insert(rows: &mut Rows, (mut coefficients, mut constant): Row) {
    let common = coefficients.iter().fold(constant, |common, &value| divisor(common, value));
    if common > 1 {
        coefficients.iter_mut().for_each(|value| *value /= common);
        constant /= common;
    }
    let known = rows.entry(coefficients).or_insert(constant);
    *known = constant.min(*known);
}

/// Euclid's algorithm; not negative.
fn divisor(a: i128, b: i128) -> i128 {
    if b == 0 { a.abs() } else { divisor(b, a % b) }
}

/// The rows that are left when a variable may have any value.
fn without(rows: Rows, variable: usize) -> Option<Rows> {
    let (involved, mut left): (Rows, Rows) = rows.into_iter().partition(|(row, _)| row[variable] != 0);
    let (lower, upper): (Rows, Rows) = involved.into_iter().partition(|(row, _)| row[variable] > 0);
    for (low, low_constant) in &lower {
        for (high, high_constant) in &upper {
            let (a, b) = (high[variable].checked_neg()?, low[variable]);
            let sum = |low: i128, high: i128| entry(a.checked_mul(low)?.checked_add(b.checked_mul(high)?)?);
            let coefficients = low.iter().zip(high).map(|(&low, &high)| sum(low, high));
            let row = (coefficients.collect::<Option<Vec<_>>>()?, sum(*low_constant, *high_constant)?);
            insert(&mut left, row);
        }
        if left.len() > MOST_ROWS {
            return None;
        }
    }
    Some(left)
}

/// The range of the last coordinate, which is the only one left.
fn ends(rows: &Rows) -> Option<Range> {
    let mut range = Range { least: None, greatest: None };
    for (coefficients, &constant) in rows {
        let factor = coefficients.last().copied().unwrap_or_default();
        let Some(end) = Rational::new(-constant, factor) else {
            if constant < 0 {
                return None;
            }
            continue;
        };
        if factor > 0 {
            range.least = range.least.max(Some(end));
        } else {
            range.greatest = Some(range.greatest.map_or(end.clone(), |greatest| greatest.min(end)));
        }
    }
    match (&range.least, &range.greatest) {
        (Some(least), Some(greatest)) if least > greatest => None,
        _ => Some(range),
    }
}
