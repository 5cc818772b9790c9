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
        Role::Format | Role::Error => 7,
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
        Role::Error => "error",
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

#[cfg(test)]
mod tests {
    use hydride_ir::exact::raise;
    use hydride_ir::lane::canonicalize;
    use hydride_ir::{Atom, Function, Random};

    use super::*;

    /// The form of `count` elements of `width` bits.
    fn form(count: i64, width: i64, element: &str) -> Form<i64> {
        let text = format!(
            "func @f(%a: 512, %b: 512) -> (%dst: 512) {{ for i in 0..{count} {{ %dst[{width}*i +: {width}] = {element} }} }}"
        );
        let (mut dag, raised) =
            raise(&Function::parse(&text).expect("it is well-formed")).expect("it is legal");
        canonicalize(&mut dag, &raised, |_| false).expect("a lane form").form
    }

    fn at(num: &Num, values: &[i64]) -> i64 {
        let value = num.eval(|atom| match atom {
            Atom::Param(param) => values[param.0 as usize],
            Atom::Index(_) => unreachable!("a number of a form has no loops"),
        });
        value.expect("it does not overflow")
    }

    /// The parameters' names of forms, whose numbers at each member's values are checked.
    fn parameters(forms: &[Form<i64>]) -> Vec<String> {
        let forms: Vec<&Form<i64>> = forms.iter().collect();
        let registers = vec![vec![512; 2]; forms.len()];
        let Parameterized { form, params, values } = parameterize(&forms, &registers, 8);
        for (own, values) in forms.iter().zip(&values) {
            assert_eq!(values.len(), params.len());
            let mut numbers = Vec::new();
            form.map(&mut |role, number, _| numbers.push((role, at(number, values))), &|_| false);
            let determined = determined(own);
            assert_eq!(numbers.len(), determined.len());
            for ((role, found), (own, expected)) in numbers.into_iter().zip(determined) {
                assert_eq!(role, own);
                let Some(expected) = expected else { continue };
                match role {
                    Role::Working => assert!(found >= expected, "{found} bits of {expected}"),
                    // An argument may be declared as wide as its register.
                    Role::ArgWidth => assert!((expected..=512).contains(&found)),
                    _ => assert_eq!(found, expected, "{role:?}"),
                }
            }
        }
        assert_eq!(params.iter().map(|param| param.value).collect::<Vec<_>>(), values[0]);
        params.into_iter().map(|param| param.name).collect()
    }

    #[test]
    fn a_form_over_parameters_is_each_member_at_its_values() {
        let sizes = [(4, 8), (8, 16), (4, 32), (2, 64), (16, 8)];
        let all = |element: &dyn Fn(i64) -> String| {
            parameters(&sizes.map(|(count, width)| form(count, width, &element(width))))
        };
        let sum = all(&|w| format!("add(%a[{w}*i +: {w}], %b[{w}*i +: {w}])"));
        assert_eq!(sum, ["element_width", "elements"]);
        let spread = all(&|w| format!("sub(%a[2*{w}*i +: {w}], %b[{w}*i + 8 +: {w}])"));
        assert_eq!(spread, ["element_width", "elements"]);
        let high = all(&|w| {
            let wide = 2 * w;
            format!("mul(cast.s(%a[{w}*i +: {w}], {wide}), cast.s(%b[{w}*i +: {w}], {wide}))[{w} +: {w}]")
        });
        assert_eq!(high, ["element_width", "elements"]);
        let greatest = all(&|w| format!("max.s(%a[{w}*i +: {w}], %b[{w}*i +: {w}])"));
        assert_eq!(greatest, ["element_width", "elements"]);
    }

    #[test]
    fn members_that_differ_in_a_sign_or_a_place_have_a_parameter_for_it() {
        let greatest = |sign: &str, width: i64, place: i64| {
            form(
                4,
                width,
                &format!("max.{sign}(%a[{width}*i + {place} +: {width}], %b[{width}*i +: {width}])"),
            )
        };
        let signs = [greatest("u", 8, 0), greatest("s", 8, 0), greatest("s", 16, 0), greatest("u", 32, 0)];
        assert_eq!(parameters(&signs), ["element_width", "signed"]);
        let places = [greatest("s", 8, 0), greatest("s", 16, 64), greatest("s", 32, 24)];
        assert_eq!(parameters(&places), ["element_width", "offset"]);
        assert_eq!(parameters(&signs[..1]), Vec::<String>::new());
    }

    #[test]
    fn what_one_member_computes_signed_is_computed_signed_in_all() {
        let greatest = |sign: &str| form(4, 8, &format!("max.{sign}(%a[8*i +: 8], %b[8*i +: 8])"));
        let working = |form: &Form<i64>| {
            let terms = form.results.iter().flat_map(|r| &r.statements).flat_map(|s| &s.template.terms);
            let terms = terms.filter(|term| !term.working.is_empty());
            terms.map(|term| (term.working.clone(), term.working_signed)).collect::<Vec<_>>()
        };
        let (signed, unsigned) = (greatest("s"), greatest("u"));
        assert_eq!(working(&signed), [(vec![8], true)]);
        assert_eq!(working(&unsigned), [(vec![8], false)]);
        let mixed = level_signs(&[&unsigned, &signed]);
        assert_eq!(mixed.iter().map(working).collect::<Vec<_>>(), [[(vec![9], true)], [(vec![8], true)]]);
        let same = level_signs(&[&unsigned, &unsigned]);
        assert_eq!(same, [unsigned.clone(), unsigned]);
    }

    /// Among a constant and sums of a width, or twice a width, and a constant.
    #[test]
    fn a_working_width_is_enough_with_the_fewest_bits_too_many() {
        let mut random = Random::new(5);
        for _ in 0..500 {
            let members = 1 + random.below(4);
            let values = |random: &mut Random| (0..members).map(|_| 1 + random.below(40) as i64).collect();
            let roles = [Role::ElementWidth, Role::SliceWidth, Role::Width, Role::ArgWidth, Role::Value];
            let params: Vec<Parameter> = (0..random.below(4))
                .map(|_| Parameter { role: random.pick(&roles), values: values(&mut random) })
                .collect();
            let needed: Vec<i64> = values(&mut random);
            let column = Column { role: Role::Working, values: needed.iter().copied().map(Some).collect() };
            let of_member = |params: &[Parameter], member: usize| -> Vec<i64> {
                params.iter().map(|param| param.values[member]).collect()
            };
            // Bits too many in all members, if there are enough in each and just enough in one.
            let excess = |width: &dyn Fn(usize) -> i64| {
                let rest: Vec<i64> = (0..members).map(|member| width(member) - needed[member]).collect();
                (rest.iter().min() == Some(&0)).then(|| rest.iter().sum::<i64>())
            };
            let num = working_width(&column, &params);
            let found = excess(&|member| at(&num, &of_member(&params, member)));
            let widths = params.iter().filter(|param| param.role != Role::Value);
            let least = (0..=40)
                .flat_map(|constant| {
                    let sums = widths.clone().flat_map(move |param| {
                        [1, 2].map(|factor| excess(&|member| factor * param.values[member] + constant))
                    });
                    sums.chain([excess(&|_| constant)]).collect::<Vec<_>>()
                })
                .flatten()
                .min();
            assert!(found.is_some() && found == least, "{num:?}: {found:?} and not {least:?}");
        }
    }

    #[test]
    fn a_number_that_a_member_does_not_determine_is_the_least_of_the_others() {
        let mut params = Vec::new();
        let column = Column { role: Role::Offset, values: vec![Some(8), None, Some(4)] };
        let num = introduce(&column, &mut params);
        assert_eq!([8, 4, 4].map(Some), [0, 1, 2].map(|member| params[0].values.get(member).copied()));
        assert_eq!(num, param(0));
        assert_eq!((column.first_known(), column.distinct_values()), (Some((0, 8)), 2));
    }

    #[test]
    fn names_of_one_role_are_numbered() {
        let roles = [
            Role::ElementWidth,
            Role::Extent(2),
            Role::Extent(1),
            Role::Extent(0),
            Role::Stride(0),
            Role::Stride(2),
            Role::Width,
            Role::Stride(1),
        ];
        let params: Vec<Parameter> =
            roles.into_iter().map(|role| Parameter { role, values: vec![1] }).collect();
        let expected =
            ["element_width", "elements", "groups", "blocks", "stride", "stride_2", "width", "stride_3"];
        assert_eq!(names(&params), expected);
    }
}
