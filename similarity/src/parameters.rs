//! Constants to parameters: which numbers of a class's members are one number, which follow from others,
//! and which are left to be parameters.

mod shape;

use std::collections::BTreeSet;

use hydride_ir::lane::{Form, LOOPS, Role};
use hydride_ir::{Num, Param};
use shape::{Evidence, arg_width, expressed, param};

/// A form over parameters, the parameters, and each member's values.
pub(crate) struct Parameterized {
    pub form: Form<Num>,
    pub params: Vec<Param>,
    /// One list for each member, in the order of `params`.
    pub values: Vec<Vec<i64>>,
}

/// One number of the form across the members; `None` where a member does not determine it.
#[derive(Debug)]
struct Column {
    role: Role,
    values: Vec<Option<i64>>,
}

#[derive(Debug)]
struct Parameter {
    role: Role,
    values: Vec<i64>,
}

/// Finds the parameters of forms of one structure, at most `most` if that can be. `registers` holds for each member
/// the widths of the registers that its arguments come from: an argument may be declared as wide as these.
pub(crate) fn parameterize(forms: &[&Form<i64>], registers: &[Vec<i64>], most: usize) -> Parameterized {
    let careful = parameterize_by(forms, registers, Evidence::ThreeValues);
    if careful.params.len() <= most {
        return careful;
    }
    parameterize_by(forms, registers, Evidence::Complement)
}

fn parameterize_by(forms: &[&Form<i64>], registers: &[Vec<i64>], evidence: Evidence) -> Parameterized {
    let forms = &level_signs(forms);
    let columns = columns(forms);
    let mut args = 0;
    let mut order: Vec<usize> = (0..columns.len()).collect();
    order.sort_by_key(|index| (priority(columns[*index].role), *index));
    let mut params: Vec<Parameter> = Vec::new();
    let mut nums: Vec<Option<Num>> = vec![None; columns.len()];
    for index in order {
        let column = &columns[index];
        let num = match column.role {
            Role::Working => working_width(column, &params),
            Role::ArgWidth => {
                args += 1;
                let widths: Vec<i64> = registers.iter().map(|widths| widths[args - 1]).collect();
                arg_width(column, &widths, &params).unwrap_or_else(|| introduce(column, &mut params))
            }
            _ => expressed(column, &params, evidence).unwrap_or_else(|| introduce(column, &mut params)),
        };
        nums[index] = Some(num);
    }
    let mut next = nums.into_iter();
    let form = forms[0].map(
        &mut |_, number, _| next.next().flatten().unwrap_or_else(|| Num::constant(*number)),
        &|number| *number == 1,
    );
    let names = names(&params);
    let values =
        (0..forms.len()).map(|member| params.iter().map(|param| param.values[member]).collect()).collect();
    let params =
        params.iter().zip(names).map(|(param, name)| Param { name, value: param.values[0] }).collect();
    Parameterized { form, params, values }
}

/// Operands that one member reads signed are read signed in all, with a bit more where they are unsigned.
fn level_signs(forms: &[&Form<i64>]) -> Vec<Form<i64>> {
    let mut leveled: Vec<Form<i64>> = forms.iter().map(|form| (*form).clone()).collect();
    let results = leveled[0].results.len();
    for result in 0..results {
        for statement in 0..leveled[0].results[result].statements.len() {
            for term in 0..leveled[0].results[result].statements[statement].template.terms.len() {
                let signed = leveled.iter().any(|form| {
                    form.results[result].statements[statement].template.terms[term].working_signed
                });
                if !signed {
                    continue;
                }
                for form in &mut leveled {
                    let term = &mut form.results[result].statements[statement].template.terms[term];
                    if !term.working_signed {
                        term.working_signed = true;
                        if let Some(width) = term.working.first_mut() {
                            *width += 1;
                        }
                    }
                }
            }
        }
    }
    leveled
}

/// The numbers of a form in the order in which it is walked, each with its role; `None` where the form does not
/// determine the number (the stride of a loop that runs once).
pub(crate) fn determined(form: &Form<i64>) -> Vec<(Role, Option<i64>)> {
    let mut numbers = Vec::new();
    form.with_free_signs().map(
        &mut |role, number, free| {
            let free = free || (role == Role::Signed && *number == 2);
            numbers.push((role, (!free).then_some(*number)));
        },
        &|number| *number == 1,
    );
    numbers
}

fn columns(forms: &[Form<i64>]) -> Vec<Column> {
    let mut columns: Vec<Column> = Vec::new();
    for (member, form) in forms.iter().enumerate() {
        for (position, (role, value)) in determined(form).into_iter().enumerate() {
            if member == 0 {
                columns.push(Column { role, values: Vec::with_capacity(forms.len()) });
            }
            columns[position].values.push(value);
        }
    }
    columns
}

/// The order in which numbers become parameters: what a person would name first.
fn priority(role: Role) -> usize {
    match role {
        Role::ElementWidth => 0,
        Role::Extent(depth) => LOOPS - depth,
        Role::Count => 4,
        Role::Signed => 5,
        Role::SliceWidth => 6,
        Role::Format => 7,
        Role::Width => 7,
        Role::Offset => 8,
        Role::WriteStride(_) => 9,
        Role::Stride(_) => 10,
        Role::WriteOffset => 11,
        Role::Value => 12,
        Role::ArgWidth => 13,
        Role::ResultWidth => 14,
        Role::Working => 15,
    }
}

impl Column {
    /// Whether a number has the value of every member that determines it.
    fn agrees(&self, mut value_of: impl FnMut(usize) -> Option<i64>) -> bool {
        self.values.iter().enumerate().all(|(member, value)| match value {
            Some(value) => value_of(member) == Some(*value),
            None => true,
        })
    }

    /// The first member that determines the number, and its value.
    fn first_known(&self) -> Option<(usize, i64)> {
        self.values.iter().enumerate().find_map(|(member, value)| Some((member, (*value)?)))
    }

    fn distinct_values(&self) -> usize {
        self.values.iter().flatten().collect::<BTreeSet<_>>().len()
    }
}

fn introduce(column: &Column, params: &mut Vec<Parameter>) -> Num {
    // Where a member does not determine the number, it takes the smallest that another has.
    let least = column.values.iter().flatten().min().copied().unwrap_or(0);
    let values = column.values.iter().map(|value| value.unwrap_or(least)).collect();
    params.push(Parameter { role: column.role, values });
    param(params.len() - 1)
}

/// A width that is enough for every member: a parameter and a constant, the least in sum.
fn working_width(column: &Column, params: &[Parameter]) -> Num {
    let needed: Vec<i64> = column.values.iter().map(|value| value.unwrap_or(1)).collect();
    let most = needed.iter().copied().max().unwrap_or(1);
    let mut best = (Num::constant(most), needed.iter().map(|width| most - width).sum::<i64>());
    for (index, candidate) in params.iter().enumerate() {
        if !matches!(candidate.role, Role::ElementWidth | Role::SliceWidth | Role::Width | Role::ArgWidth) {
            continue;
        }
        for factor in [1, 2] {
            let rest = needed
                .iter()
                .zip(&candidate.values)
                .map(|(width, value)| width - factor * value)
                .max()
                .unwrap_or(0);
            if rest < 0 {
                continue;
            }
            let slack: i64 = needed
                .iter()
                .zip(&candidate.values)
                .map(|(width, value)| factor * value + rest - width)
                .sum();
            if slack < best.1 {
                best = (param(index) * Num::constant(factor) + Num::constant(rest), slack);
            }
        }
    }
    best.0
}

/// Readable names, numbered where several have one role.
fn names(params: &[Parameter]) -> Vec<String> {
    let base = |role: Role| match role {
        Role::ElementWidth => "element_width",
        Role::Extent(2) => "elements",
        Role::Extent(1) => "groups",
        Role::Extent(_) => "blocks",
        Role::Count => "terms",
        Role::SliceWidth => "source_width",
        Role::Width => "width",
        Role::Format => "exponent_width",
        Role::Signed => "signed",
        Role::Value => "value",
        Role::Offset => "offset",
        Role::Stride(_) => "stride",
        Role::WriteOffset => "result_offset",
        Role::WriteStride(_) => "result_stride",
        Role::ArgWidth => "register_width",
        Role::ResultWidth => "result_width",
        Role::Working => "working_width",
    };
    params
        .iter()
        .enumerate()
        .map(|(index, param)| {
            let name = base(param.role);
            let before = params[..index].iter().filter(|other| base(other.role) == name).count();
            if before == 0 { name.to_string() } else { format!("{name}_{}", before + 1) }
        })
        .collect()
}
