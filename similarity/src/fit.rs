//! Instructions fitted into known families: parameter values from the numbers of a lane form.
//!
//! ```text
//! family       for i in 0..elements { dst[element_width*i +: element_width] = … }
//! instruction  for i in 0..32       { dst[16*i +: 16] = … }
//! fitted       element_width = 16, elements = 32
//! ```
//!
//! A family records each number of its members' forms in terms of its parameters. A number that an instruction's form
//! determines is an equation: where one parameter is left in it, it is solved for that parameter. What results is a
//! guess like any other: the certificate proves it.

use catalog::Family;
use hydride_ir::lane::{Form, Role};
use hydride_ir::{Atom, Num};

use crate::parameters::determined;

/// The numbers of a form over parameters that a family records.
pub(crate) fn recorded(form: &Form<Num>) -> Vec<Num> {
    let mut numbers = Vec::new();
    form.map(
        &mut |role, number, _| {
            if is_recorded(role) {
                numbers.push(number.clone());
            }
        },
        &|number| *number == Num::constant(1),
    );
    numbers
}

/// Whether a family records a number: widths of arguments and results are in its function, and any working width that
/// is great enough does as well.
fn is_recorded(role: Role) -> bool {
    !matches!(role, Role::ArgWidth | Role::ResultWidth | Role::Working)
}

/// The parameter values at which a family has the numbers of a form of its structure. `registers` holds the widths of
/// the registers that the form's arguments come from: an argument of the family may be wider than what is read of it,
/// but not than its register. Parameters that the form does not determine have the least value that a member has.
pub(crate) fn fit(family: &Family, form: &Form<i64>, registers: &[i64]) -> Option<Vec<i64>> {
    let function = &family.function;
    let mut numbers = family.numbers.as_ref()?.iter();
    let mut args = function.args.iter().zip(registers);
    let mut results = function.results.iter();
    let mut equations: Vec<Equation<'_>> = Vec::new();
    let mut widths: Vec<(&Num, std::ops::RangeInclusive<i64>)> = Vec::new();
    for (role, value) in determined(form) {
        let number = match role {
            Role::Working => continue,
            Role::ArgWidth => {
                let (arg, register) = args.next()?;
                widths.push((&arg.width, value.unwrap_or(1)..=*register));
                continue;
            }
            Role::ResultWidth => &results.next()?.width,
            _ => numbers.next()?,
        };
        equations.extend(value.map(|value| Equation { number, value }));
    }
    if numbers.next().is_some() || results.next().is_some() || args.next().is_some() {
        return None;
    }
    let mut values: Vec<Option<i64>> = vec![None; function.params.len()];
    let mut solve = |equations: &[Equation<'_>]| {
        while let Some((param, value)) = equations.iter().find_map(|equation| equation.solved(&values)) {
            values[param] = Some(value);
        }
    };
    solve(&equations);
    // An argument whose width is a parameter of its own is as wide as what is read of it.
    let own = widths.iter().filter(|(width, _)| is_parameter(width));
    solve(&own.map(|(width, range)| Equation { number: width, value: *range.start() }).collect::<Vec<_>>());
    let values: Vec<i64> = values
        .into_iter()
        .enumerate()
        .map(|(param, value)| value.unwrap_or_else(|| least(family, param)))
        .collect();
    let at = |number: &Num| number.eval(|atom| param(atom).map_or(0, |param| values[param]));
    let fits = equations.iter().all(|equation| at(equation.number) == Some(equation.value))
        && widths.iter().all(|(width, range)| at(width).is_some_and(|width| range.contains(&width)));
    fits.then_some(values)
}

/// The least value of a parameter among the members.
fn least(family: &Family, param: usize) -> i64 {
    let known = family.members.values().filter_map(|known| known.application.params.get(param));
    known.min().copied().unwrap_or(family.function.params[param].value)
}

/// A number that has a known value.
struct Equation<'a> {
    number: &'a Num,
    value: i64,
}

impl Equation<'_> {
    /// The value of the only parameter that has none yet, if it occurs once and divides what is left.
    fn solved(&self, values: &[Option<i64>]) -> Option<(usize, i64)> {
        let mut rest = self.value.checked_sub(self.number.constant_part())?;
        let mut unknown: Option<(usize, i64)> = None;
        for (atoms, coefficient) in self.number.terms() {
            let mut factor = coefficient;
            let mut open = None;
            for atom in atoms {
                let param = param(*atom)?;
                match values[param] {
                    Some(value) => factor = factor.checked_mul(value)?,
                    None if open.is_none() => open = Some(param),
                    None => return None,
                }
            }
            match open {
                None => rest = rest.checked_sub(factor)?,
                Some(param) if unknown.is_none() => unknown = Some((param, factor)),
                Some(_) => return None,
            }
        }
        let (param, factor) = unknown?;
        (rest.checked_rem(factor)? == 0).then(|| (param, rest / factor))
    }
}

fn is_parameter(number: &Num) -> bool {
    let mut terms = number.terms();
    number.constant_part() == 0 && matches!((terms.next(), terms.next()), (Some(([Atom::Param(_)], 1)), None))
}

fn param(atom: Atom) -> Option<usize> {
    match atom {
        Atom::Param(param) => Some(param.0 as usize),
        Atom::Index(_) => None,
    }
}
