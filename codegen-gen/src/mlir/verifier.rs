//! What an operation's verifier checks beyond the relations of its types: that the values of its parameters are legal for
//! its function, and that immediates have values that instructions document.
//!
//! | trait | fails for |
//! |---|---|
//! | `AutoLLVM_Width` | an overloaded type whose width is not that of the function's operand, a sum of products of parameters |
//! | `AutoLLVM_Listed` | types that no instruction has, where a parameter follows from them by a table |
//! | `AutoLLVM_Legal` | attributes and types at which the function would read or write outside of an operand |
//! | `AutoLLVM_Documented` | an immediate outside of the range that instructions of these types document |

use std::collections::{BTreeMap, BTreeSet};

use autoir::{Inference, Key, Quantity, Rule, Said};
use catalog::Immediate;
use hydride_ir::{Atom, Constraint, Num, ParamId, legality};

use crate::operation::Operation;
use crate::scheme::{Attribute, Slot};

/// Ranges of an immediate that are listed one by one.
const SHOWN: usize = 4;

/// An operation, and how C++ has the types of its results and arguments.
pub(super) struct Scope<'s, 'a> {
    pub(super) operation: &'s Operation<'a>,
    /// For each result, then each argument an expression of C++; nothing for immediates.
    pub(super) types: Vec<String>,
}

impl<'s, 'a> Scope<'s, 'a> {
    /// All are the types of values.
    pub(super) fn of_values(operation: &'s Operation<'a>) -> Self {
        let names = operation.result_names().iter().chain(operation.arg_names());
        Self { operation, types: names.map(|name| format!("${name}.getType()")).collect() }
    }
}

/// The traits, in the order of the table above.
pub(super) fn verifier_traits(scope: &Scope<'_, '_>) -> Vec<String> {
    let mut traits = width_traits(scope);
    traits.extend(table_traits(scope));
    traits.extend(legality_traits(scope));
    traits.extend(immediate_traits(scope));
    traits
}

/// For each overloaded type the trait that checks its width against the class function.
fn width_traits(scope: &Scope<'_, '_>) -> Vec<String> {
    let operation = scope.operation;
    let function = &operation.op.class.function;
    let widths = function.results.iter().map(|result| &result.width);
    let widths = widths.chain(function.args.iter().map(|arg| &arg.width));
    let names = operation.result_names().iter().chain(operation.arg_names());
    let slots = operation.scheme.results.iter().chain(&operation.scheme.args);
    let mut traits = Vec::new();
    for (((slot, name), width), ty) in slots.zip(names).zip(widths).zip(&scope.types) {
        if !matches!(slot, Slot::Overload { .. }) {
            continue;
        }
        let text = number(width, &|param| operation.param_names()[param.0 as usize].clone());
        let code = cpp(width, scope);
        traits.push(format!("AutoLLVM_Width<\"{name}\", \"{ty}\", \"{text}\", \"{code}\">"));
    }
    traits
}

/// The traits for parameters that follow from tables.
fn table_traits(scope: &Scope<'_, '_>) -> BTreeSet<String> {
    let rules = scope.operation.op.inferences.iter().map(|inference| &inference.rule);
    rules
        .filter_map(|rule| {
            let Rule::Listed { keys, values } = rule else { return None };
            let own: Vec<String> = keys.iter().map(|key| key_value(*key, scope)).collect();
            let names: Vec<String> = keys.iter().map(|key| key_text(*key, scope)).collect();
            let row = |row: &Vec<i64>| match row.as_slice() {
                [one] => one.to_string(),
                several => format!("({})", joined(several)),
            };
            let rows: Vec<String> = values.keys().map(row).collect();
            let (last, others) = rows.split_last()?;
            let any =
                if others.is_empty() { last.clone() } else { format!("{} or {last}", others.join(", ")) };
            let names = match names.as_slice() {
                [one] => one.clone(),
                several => format!("({})", several.join(", ")),
            };
            let rows = joined(values.keys().flatten());
            let code = format!("::autollvm::isListed({{{}}}, {{{rows}}})", own.join(", "));
            Some(format!("AutoLLVM_Listed<\"{names} is {any}\", \"{code}\">"))
        })
        .collect()
}

/// What a table is looked up by, in words.
fn key_text(key: Key, scope: &Scope<'_, '_>) -> String {
    match key {
        Key::Said(said) => {
            let quantity = match said.quantity {
                Quantity::Element => "element width",
                Quantity::Width => "width",
                Quantity::Exponent => "exponent width",
            };
            format!("the {quantity} of {}", operand_name(said, scope))
        }
        Key::Sign(param) => scope.operation.param_names()[param.0 as usize].clone(),
    }
}

/// What a table is looked up by, in C++.
fn key_value(key: Key, scope: &Scope<'_, '_>) -> String {
    match key {
        Key::Said(said) => said_by_type(said, scope),
        Key::Sign(param) => attribute(param, scope),
    }
}

/// The traits for the constraints on parameters that types can break.
fn legality_traits(scope: &Scope<'_, '_>) -> Vec<String> {
    let known: Vec<&[i64]> = scope.operation.op.known.iter().map(|known| known.params.as_slice()).collect();
    let function = scope.operation.function();
    let legality = legality(&function, &known);
    let open = legality.constraints().iter().filter(|constraint| !is_implied(constraint, scope));
    open.map(|constraint| {
        let (text, code) = (legality.text(constraint), condition(constraint, scope));
        format!("AutoLLVM_Legal<\"{text}\", \"{code}\">")
    })
    .collect()
}

/// Whether a constraint holds for all types that have the widths of the function's operands, and all attributes.
fn is_implied(constraint: &Constraint, scope: &Scope<'_, '_>) -> bool {
    let Constraint::AtMost { left, right } = constraint else { return false };
    if holds_in_table(left, right, scope) {
        return true;
    }
    match (left.as_constant(), only_param(right), only_param(left), right.as_constant()) {
        // Types have at least one element of at least one bit.
        (Some(..=1), Some(param), _, _) if is_measured(param, scope) => true,
        (Some(..=0), Some(param), _, _) | (_, _, Some(param), Some(1..)) => is_flag(param, scope),
        _ => false,
    }
}

/// Whether a constraint on one parameter that follows from a table holds for all of its values.
fn holds_in_table(left: &Num, right: &Num, scope: &Scope<'_, '_>) -> bool {
    let slack = right.clone() - left.clone();
    let params: BTreeSet<Atom> = slack.atoms().collect();
    let mut params = params.into_iter();
    let (Some(Atom::Param(param)), None) = (params.next(), params.next()) else { return false };
    let Some(Rule::Listed { values, .. }) = rule_of(param, scope) else { return false };
    values.values().all(|value| slack.eval(|_| *value).is_some_and(|slack| slack >= 0))
}

/// The parameter that a number is.
fn only_param(number: &Num) -> Option<ParamId> {
    let mut terms = number.terms();
    match (terms.next(), terms.next(), number.constant_part()) {
        (Some((&[Atom::Param(param)], 1)), None, 0) => Some(param),
        _ => None,
    }
}

/// Whether a parameter is a type's width divided by something.
fn is_measured(param: ParamId, scope: &Scope<'_, '_>) -> bool {
    let measured = |rule: &Rule| matches!(rule, Rule::Solved { rest, .. } if rest.as_constant() == Some(0));
    rule_of(param, scope).is_some_and(measured)
}

/// Whether a parameter is an attribute that is true or false.
fn is_flag(param: ParamId, scope: &Scope<'_, '_>) -> bool {
    scope
        .operation
        .attributes()
        .any(|(attribute, _)| attribute.param == param.0 as usize && attribute.width == 1)
}

fn rule_of<'o>(param: ParamId, scope: &'o Scope<'_, '_>) -> Option<&'o Rule> {
    let mut inferences = scope.operation.op.inferences.iter();
    inferences.find(|inference| inference.param == param).map(|Inference { rule, .. }| rule)
}

/// A constraint in C++.
fn condition(constraint: &Constraint, scope: &Scope<'_, '_>) -> String {
    match constraint {
        Constraint::AtMost { left, right } => {
            format!("{} <= {}", cpp(left, scope), cpp(right, scope))
        }
        Constraint::Equal { left, right, unless } => {
            let equal = format!("{} == {}", cpp(left, scope), cpp(right, scope));
            match unless {
                Some(count) => format!("{} == 1 || {equal}", cpp(count, scope)),
                None => equal,
            }
        }
        Constraint::OneOf { params, values } => {
            let params: Vec<String> = params.iter().map(|param| parameter(*param, scope)).collect();
            format!(
                "::autollvm::isListed({{{}}}, {{{}}})",
                params.join(", "),
                joined(values.iter().flatten())
            )
        }
    }
}

/// The traits for immediates.
fn immediate_traits(scope: &Scope<'_, '_>) -> Vec<String> {
    let args = scope.operation.scheme.args.iter().zip(scope.operation.arg_names()).enumerate();
    args.filter_map(|(position, (slot, name))| {
        let Slot::Immediate(width) = slot else { return None };
        let documented = Documented::of(scope.operation, position)?;
        let keys: Vec<String> = documented.params.iter().map(|param| parameter(*param, scope)).collect();
        let rows = documented.rows.iter();
        let rows = rows.flat_map(|(keys, range)| keys.iter().copied().chain([range.low, range.high]));
        let (text, rows) = (documented.text(scope.operation), joined(&rows.collect::<Vec<_>>()));
        let value = attribute_value(*width, name);
        let code = format!("::autollvm::isDocumented({value}, {{{}}}, {{{rows}}})", keys.join(", "));
        Some(format!("AutoLLVM_Documented<\"{name}\", \"{text}\", \"{code}\">"))
    })
    .collect()
}

/// The documented values of an immediate.
pub(super) struct Documented {
    /// The parameters that the range depends on.
    params: Vec<ParamId>,
    /// The range for values of these parameters.
    rows: BTreeMap<Vec<i64>, Immediate>,
}

impl Documented {
    /// Those of an argument, by as few parameters as determine them; `None` where no instruction is known to have an
    /// immediate there.
    pub(super) fn of(operation: &Operation<'_>, arg: usize) -> Option<Self> {
        let known = operation.op.documented.iter();
        let ranges: Vec<(&Vec<i64>, Immediate)> =
            known.filter_map(|(params, ranges)| Some((params, ranges[arg]?))).collect();
        let all: Vec<ParamId> =
            (0..operation.param_names().len()).map(|index| ParamId(index as u32)).collect();
        let one = all.iter().map(|param| vec![*param]);
        let two = all
            .iter()
            .enumerate()
            .flat_map(|(position, first)| all[position + 1..].iter().map(|second| vec![*first, *second]));
        let mut choices = std::iter::once(Vec::new()).chain(one).chain(two).chain([all.clone()]);
        choices.find_map(|params| Self::by(params, &ranges)).filter(|found| !found.rows.is_empty())
    }

    /// `None` where the parameters do not determine the range.
    fn by(params: Vec<ParamId>, ranges: &[(&Vec<i64>, Immediate)]) -> Option<Self> {
        let mut rows = BTreeMap::new();
        for (values, range) in ranges {
            let key: Vec<i64> = params.iter().map(|param| values[param.0 as usize]).collect();
            if *rows.entry(key).or_insert(*range) != *range {
                return None;
            }
        }
        Some(Self { params, rows })
    }

    /// From the least to the greatest of all values.
    pub(super) fn hull(&self) -> Immediate {
        let all = self.rows.values().copied();
        all.reduce(Immediate::hull).unwrap_or_else(|| unreachable!("there is a row"))
    }

    /// The ranges in words: `from 1 to 8 where element_width is 8, from 1 to 16 where element_width is 16`.
    pub(super) fn text(&self, operation: &Operation<'_>) -> String {
        if self.rows.len() > SHOWN {
            let Immediate { low, high } = self.hull();
            return format!("from {low} to {high}, of some types less");
        }
        let rows = self.rows.iter().map(|(values, Immediate { low, high })| {
            let conditions = self.params.iter().zip(values);
            let conditions: Vec<String> = conditions
                .map(|(param, value)| format!("{} is {value}", operation.param_names()[param.0 as usize]))
                .collect();
            let range = format!("from {low} to {high}");
            if conditions.is_empty() { range } else { format!("{range} where {}", conditions.join(" and ")) }
        });
        rows.collect::<Vec<_>>().join(", ")
    }
}

fn joined<'n>(numbers: impl IntoIterator<Item = &'n i64>) -> String {
    numbers.into_iter().map(i64::to_string).collect::<Vec<_>>().join(", ")
}

/// A number in C++: parameters are what types say, or attributes.
fn cpp(width: &Num, scope: &Scope<'_, '_>) -> String {
    number(width, &|param| parameter(param, scope))
}

/// A parameter in C++.
fn parameter(param: ParamId, scope: &Scope<'_, '_>) -> String {
    match rule_of(param, scope) {
        Some(rule) => inferred(rule, scope),
        None => attribute(param, scope),
    }
}

/// A parameter that is an attribute in C++.
fn attribute(param: ParamId, scope: &Scope<'_, '_>) -> String {
    let index = param.0 as usize;
    let found = scope.operation.attributes().find(|(attribute, _)| attribute.param == index);
    attribute_value(
        found.map_or(64, |(Attribute { width, .. }, _)| width),
        &scope.operation.param_names()[index],
    )
}

/// The value of an attribute of a width in C++; MLIR reads numbers of 32 bits as unsigned.
fn attribute_value(width: u32, name: &str) -> String {
    match width {
        32 => format!("int64_t(int32_t(${name}))"),
        _ => format!("int64_t(${name})"),
    }
}

/// A parameter that follows from types, in C++.
fn inferred(rule: &Rule, scope: &Scope<'_, '_>) -> String {
    match rule {
        Rule::Solved { said, rest, factor } => {
            let said = said_by_type(*said, scope);
            let difference = match rest.as_constant() {
                Some(0) => said,
                _ => format!("({said} - ({}))", cpp(rest, scope)),
            };
            match factor.as_constant() {
                Some(1) => difference,
                _ => format!("::autollvm::quotient({difference}, {})", cpp(factor, scope)),
            }
        }
        Rule::Listed { keys, values } => {
            let keys: Vec<String> = keys.iter().map(|key| key_value(*key, scope)).collect();
            let rows = values.iter().flat_map(|(keys, value)| keys.iter().chain([value]));
            format!("::autollvm::listed({{{}}}, {{{}}})", keys.join(", "), joined(rows))
        }
    }
}

/// What the type of an operand says, in C++.
fn said_by_type(said: Said, scope: &Scope<'_, '_>) -> String {
    let quantity = match said.quantity {
        Quantity::Element => "element",
        Quantity::Width => "bits",
        Quantity::Exponent => "exponent",
    };
    format!("::autollvm::{quantity}({})", scope.types[said.operand])
}

/// The operand whose type says it.
fn operand_name<'o>(said: Said, scope: &'o Scope<'_, '_>) -> &'o str {
    let results = scope.operation.result_names();
    match said.operand.checked_sub(results.len()) {
        Some(arg) => &scope.operation.arg_names()[arg],
        None => &results[said.operand],
    }
}

/// A number as text, with parameters as `write` writes them.
fn number(number: &Num, write: &dyn Fn(ParamId) -> String) -> String {
    let mut text = Vec::new();
    for (atoms, coefficient) in number.terms() {
        let mut factors = Vec::new();
        if coefficient != 1 {
            factors.push(coefficient.to_string());
        }
        for atom in atoms {
            match atom {
                Atom::Param(param) => factors.push(write(*param)),
                Atom::Index(_) => unreachable!("the widths of registers depend only on parameters"),
            }
        }
        text.push(factors.join(" * "));
    }
    if number.constant_part() != 0 || text.is_empty() {
        text.push(number.constant_part().to_string());
    }
    text.join(" + ")
}
