//! Constants to parameters: which numbers of a class's members are one number, which follow from others,
//! and which are left to be parameters.

use hydride_ir::lane::{Form, LOOPS, Role};
use hydride_ir::{Num, Param, ParamId};

/// A form over parameters, the parameters, and each member's values.
pub(crate) struct Parameterized {
    pub form: Form<Num>,
    pub params: Vec<Param>,
    /// One list for each member, in the order of `params`.
    pub values: Vec<Vec<i64>>,
}

/// One number of the form across the members; `None` where a member does not determine it.
struct Column {
    role: Role,
    values: Vec<Option<i64>>,
}

struct Parameter {
    role: Role,
    values: Vec<i64>,
}

/// What is enough to believe that a number is a sum of others.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Evidence {
    /// Three different values: two points fit a line by accident.
    ThreeValues,
    /// Any values, for widths and positions that make up an element with another one.
    Complement,
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

fn columns(forms: &[Form<i64>]) -> Vec<Column> {
    let mut columns: Vec<Column> = Vec::new();
    for (member, form) in forms.iter().enumerate() {
        let mut position = 0;
        form.with_free_signs().map(
            &mut |role, number, free| {
                if member == 0 {
                    columns.push(Column { role, values: Vec::with_capacity(forms.len()) });
                }
                let free = free || (role == Role::Signed && *number == 2);
                columns[position].values.push((!free).then_some(*number));
                position += 1;
            },
            &|number| *number == 1,
        );
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

fn agrees(column: &Column, mut value_of: impl FnMut(usize) -> Option<i64>) -> bool {
    column.values.iter().enumerate().all(|(member, value)| match value {
        Some(value) => value_of(member) == Some(*value),
        None => true,
    })
}

/// The column as a constant, a parameter, or a product or sum of few.
fn expressed(column: &Column, params: &[Parameter], evidence: Evidence) -> Option<Num> {
    let mut known = column.values.iter().flatten();
    let Some(first) = known.next() else { return Some(Num::constant(0)) };
    if known.all(|value| value == first) {
        return Some(Num::constant(*first));
    }
    if column.role == Role::Signed {
        let same = params.iter().position(|param| {
            param.role == Role::Signed && agrees(column, |member| Some(param.values[member]))
        });
        return same.map(param);
    }
    // Positions in one register move together.
    if column.role == Role::Offset
        && let Some(num) = moved_alike(column, params)
    {
        return Some(num);
    }
    // Products of up to three quantities with a small constant factor.
    let quantities = quantities(params);
    let products = products(&quantities);
    let value_of = |product: &[usize], member: usize| product_value(params, product, member);
    let num_of = product_num;
    for product in &products {
        for factor in FACTORS {
            if agrees(column, |member| value_of(product, member)?.checked_mul(factor)) {
                return Some(num_of(product) * Num::constant(factor));
            }
        }
    }
    if evidence == Evidence::Complement
        && let Some(num) = complement(column, params)
    {
        return Some(num);
    }
    let mut distinct: Vec<i64> = column.values.iter().flatten().copied().collect();
    distinct.sort_unstable();
    distinct.dedup();
    if distinct.len() < 3 {
        return None;
    }
    // A product and a constant or another parameter.
    let (member, value) =
        column.values.iter().enumerate().find_map(|(member, value)| Some((member, (*value)?)))?;
    for product in products.iter().filter(|product| product.len() <= 2) {
        for factor in [1, 2, -1] {
            let base = value_of(product, member)?.checked_mul(factor)?;
            let rest = value - base;
            if rest.abs() <= 64
                && agrees(column, |member| Some(value_of(product, member)?.checked_mul(factor)? + rest))
            {
                return Some(num_of(product) * Num::constant(factor) + Num::constant(rest));
            }
            for other in &quantities {
                for sign in [1, -1] {
                    if agrees(column, |member| {
                        Some(
                            value_of(product, member)?.checked_mul(factor)?
                                + sign * params[*other].values[member],
                        )
                    }) {
                        return Some(
                            num_of(product) * Num::constant(factor) + param(*other) * Num::constant(sign),
                        );
                    }
                }
            }
        }
    }
    if matches!(column.role, Role::ResultWidth | Role::WriteStride(_) | Role::WriteOffset) {
        // Sums of two products: extents of several loops.
        for left in &products {
            for right in &products {
                if agrees(column, |member| Some(value_of(left, member)? + value_of(right, member)?)) {
                    return Some(num_of(left) + num_of(right));
                }
            }
        }
    }
    None
}

/// A width or position as what another width leaves of an element, or as the element and the other.
fn complement(column: &Column, params: &[Parameter]) -> Option<Num> {
    if !matches!(column.role, Role::Offset | Role::SliceWidth | Role::Width) {
        return None;
    }
    let of_role =
        |roles: &'static [Role]| (0..params.len()).filter(move |index| roles.contains(&params[*index].role));
    // A value of one bit more than an element, as a sum has before it is clamped.
    if column.role == Role::Width
        && let Some(element) = of_role(&[Role::ElementWidth])
            .find(|element| agrees(column, |member| Some(params[*element].values[member] + 1)))
    {
        return Some(param(element) + Num::constant(1));
    }
    of_role(&[Role::ElementWidth, Role::SliceWidth]).find_map(|whole| {
        of_role(&[Role::SliceWidth, Role::Width]).filter(|other| *other != whole).find_map(|other| {
            [(1, -1), (1, 1), (2, -1)].into_iter().find_map(|(factor, sign)| {
                agrees(column, |member| {
                    Some(factor * params[whole].values[member] + sign * params[other].values[member])
                })
                .then(|| param(whole) * Num::constant(factor) + param(other) * Num::constant(sign))
            })
        })
    })
}

/// An offset as another one and a constant.
fn moved_alike(column: &Column, params: &[Parameter]) -> Option<Num> {
    params.iter().enumerate().filter(|(_, known)| known.role == Role::Offset).find_map(|(index, known)| {
        let (member, value) =
            column.values.iter().enumerate().find_map(|(member, value)| Some((member, (*value)?)))?;
        let rest = value - known.values[member];
        agrees(column, |member| known.values[member].checked_add(rest))
            .then(|| param(index) + Num::constant(rest))
    })
}

/// Constant factors that a derived number may have, the likeliest first.
const FACTORS: [i64; 10] = [1, 2, 4, 8, 16, -1, 32, 64, 128, 3];

/// Parameters that are sizes or positions.
fn quantities(params: &[Parameter]) -> Vec<usize> {
    (0..params.len()).filter(|index| params[*index].role != Role::Signed).collect()
}

/// Products of up to three quantities, shortest first.
fn products(quantities: &[usize]) -> Vec<Vec<usize>> {
    let mut products: Vec<Vec<usize>> = quantities.iter().map(|index| vec![*index]).collect();
    for depth in 1..3 {
        let longer: Vec<Vec<usize>> = products
            .iter()
            .filter(|product| product.len() == depth)
            .flat_map(|product| {
                let last = product[depth - 1];
                quantities.iter().filter(move |index| **index > last).map(move |index| {
                    let mut product = product.clone();
                    product.push(*index);
                    product
                })
            })
            .collect();
        products.extend(longer);
    }
    products
}

fn product_value(params: &[Parameter], product: &[usize], member: usize) -> Option<i64> {
    product.iter().try_fold(1i64, |value, index| value.checked_mul(params[*index].values[member]))
}

fn product_num(product: &[usize]) -> Num {
    product.iter().fold(Num::constant(1), |num, index| num * param(*index))
}

/// An argument's width: at least what is read, at most the register.
fn arg_width(column: &Column, registers: &[i64], params: &[Parameter]) -> Option<Num> {
    let read: Vec<i64> = column.values.iter().map(|value| value.unwrap_or(1)).collect();
    let fits = |value_of: &dyn Fn(usize) -> Option<i64>| {
        (0..read.len()).all(|member| {
            value_of(member).is_some_and(|width| read[member] <= width && width <= registers[member])
        })
    };
    let most = read.iter().copied().max()?;
    if fits(&|_| Some(most)) {
        return Some(Num::constant(most));
    }
    let products = products(&quantities(params));
    let mut sums: Vec<(&[usize], i64, Option<usize>)> = Vec::new();
    for factor in FACTORS.into_iter().filter(|factor| *factor > 0) {
        sums.extend(products.iter().map(|product| (product.as_slice(), factor, None)));
    }
    for other in quantities(params) {
        sums.extend(products.iter().map(|product| (product.as_slice(), 1, Some(other))));
    }
    sums.into_iter()
        .find(|(product, factor, other)| {
            fits(&|member| {
                let other = other.map_or(0, |other| params[other].values[member]);
                product_value(params, product, member)?.checked_mul(*factor)?.checked_add(other)
            })
        })
        .map(|(product, factor, other)| {
            product_num(product) * Num::constant(factor) + other.map_or(Num::constant(0), param)
        })
}

fn param(index: usize) -> Num {
    Num::param(ParamId(index as u32))
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
