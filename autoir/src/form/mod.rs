//! Forms: named specializations of a family whose operands have types.
//!
//! A class is a family: the most general function of which instructions are instances. People know its instances by
//! different names (`zip`, `broadcast`, `extend`), and most of its parameters only repeat what the types of operands
//! say. A form has the instances that fulfil a condition ([`review`]), and its function follows from the family's:
//!
//! 1. **types** ([`operand`], [`format`](self::format)): each register is a vector of elements, integers or floating-point numbers, as
//!    wide as the vendor's register;
//! 2. **immediates** ([`immediate`]): an operand that consists of copies of an immediate is that immediate, and one
//!    that all instances [fix](fixed) to one number is none;
//! 3. **parameters** ([`columns`]): one that is a constant or a product of others at every instance is replaced by it. A
//!    parameter that does not matter to an instance ([`free`]) agrees with everything;
//! 4. **function** ([`rewrite`]): the family's with these numbers, on the low bits of its arguments;
//! 5. **inference** ([`infer`]): which of the remaining parameters follow from the types. The others are attributes,
//!    among them the signs ([`signs`]).

mod columns;
mod fixed;
mod format;
mod free;
mod immediate;
mod infer;
mod kind;
mod operand;
pub(crate) mod review;
mod rewrite;
mod signs;

use std::collections::BTreeMap;

use catalog::{Immediate, Known, Operand, Source};
use hydride_ir::{Atom, Expr, ExprId, Function, Num, Op, Param, ParamId, Role};
use memo::{Memo, key_of};
use serde::{Deserialize, Serialize};

use crate::class::{Class, Member};
use crate::facts::{Assignment, Facts, ValueType};
use columns::Columns;
use fixed::{fixed_immediates, open, without_fixed};
use format::set_formats;
use immediate::{Copies, with_immediates};
use infer::TypeNumbers;
pub use infer::{Inference, Key, Quantity, Rule, Said};
use kind::Kind;
use review::{Condition, FamilyReview};
use rewrite::{Specialization, drop_unused};

/// A form with its members.
#[derive(Clone, Debug)]
pub(crate) struct Form {
    pub(crate) name: String,
    pub(crate) summary: Option<String>,
    pub(crate) category: Option<String>,
    /// The form's function, and the members that are present, with values for its parameters.
    pub(crate) class: Class,
    /// The types of each present member's operands.
    pub(crate) facts: Vec<Facts>,
    /// All known instances.
    pub(crate) instances: Vec<Instance>,
    /// See [`crate::Op::documented`].
    pub(crate) documented: BTreeMap<Vec<i64>, Vec<Option<Immediate>>>,
    /// Whether exchanging the first two arguments keeps every result of every known instance.
    pub(crate) commutative: bool,
    /// How parameters follow from the types, each from those before it.
    pub(crate) inferences: Vec<Inference>,
}

impl Form {
    /// Adds what a known member documents for its immediates.
    fn document(&mut self, params: &[i64], operands: &[Operand]) {
        let documented = self.documented.entry(params.to_vec()).or_insert_with(|| vec![None; operands.len()]);
        for (all, operand) in documented.iter_mut().zip(operands) {
            if let Operand::Immediate(own) = operand {
                *all = Some(all.map_or(*own, |all| all.hull(*own)));
            }
        }
    }
}

/// What known members have in common: parameter values, and the types of operands.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Instance {
    /// A value for each parameter.
    pub params: Vec<i64>,
    /// The types.
    pub facts: Facts,
}

/// A known member of a form.
#[derive(Clone)]
struct Placed<'a> {
    /// Its instruction set and id.
    name: &'a (String, String),
    known: &'a Known,
    instance: Instance,
    /// For each argument the immediate, or the copies of it, that it is filled with.
    copies: Vec<Option<Copies>>,
}

/// The known members of a family that no reviewed form has; an error says why the review is not for it.
pub(crate) fn without_form<'a>(
    family: &'a catalog::Family,
    review: &FamilyReview,
) -> Result<Vec<&'a (String, String)>, String> {
    let conditions = Conditions::new(&family.function, Some(review))?;
    let mut without = Vec::new();
    for (member, known) in &family.members {
        let facts = operand::types(&family.function, known);
        let facts = facts.ok_or_else(|| format!("{} has a width outside of 1..=65536", member.1))?;
        let mut instance = Instance { params: known.application.params.clone(), facts };
        let immediates = immediate::filled_registers(&family.function, &immediate::copies(known));
        let fixed = fixed_immediates(&family.function, &known.application);
        if conditions.form_of(&family.function, &mut instance, &immediates, &fixed).is_none() {
            without.push(member);
        }
    }
    Ok(without)
}

/// Splits a family into its forms. They follow from the members that are on `record`, whichever of them are present in
/// this run; from those of the run if none are. Members that are not on record, or otherwise, join the form that they
/// are instances of where that does not change for it, and else are forms of their own. An error is a reason, without
/// the family's name.
pub(crate) fn forms(
    name: &str,
    class: &Class,
    record: &BTreeMap<(String, String), Known>,
    now: &BTreeMap<(String, String), Known>,
    review: Option<&FamilyReview>,
    memo: &Memo,
) -> Result<Vec<Form>, String> {
    let conditions = Conditions::new(&class.function, review)?;
    let mut groups: BTreeMap<Kind, Group<'_>> = BTreeMap::new();
    let record = if record.is_empty() { now } else { record };
    for (member, known) in record {
        let (kind, placed) = place(class, &conditions, member, known)?;
        groups.entry(kind).or_default().recorded.push(placed);
    }
    for (member, known) in now.iter().filter(|(member, known)| record.get(*member) != Some(known)) {
        let (kind, placed) = place(class, &conditions, member, known)?;
        groups.entry(kind).or_default().added.push(placed);
    }
    let kinds: Vec<Kind> = groups.keys().cloned().collect();
    let shaping = Shaping { class, args: review.map_or(&[], |review| &review.args), memo };
    let mut shaped = Vec::new();
    let mut others: BTreeMap<Kind, Vec<Placed<'_>>> = BTreeMap::new();
    for (kind, group) in groups {
        let (recorded, left) = shaping.joined(group)?;
        if !left.is_empty() {
            let kind = Kind { reviewed: None, ..kind.clone() };
            others.entry(kind).or_default().extend(left);
        }
        shaped.extend(recorded.map(|recorded| (kind, recorded)));
    }
    for (kind, placed) in others {
        shaped.push((kind, shaping.of(&placed)?));
    }
    let is_now = |member: &(String, String), known: &Known| now.get(member) == Some(known);
    let mut present: BTreeMap<(&str, &str), &Member> =
        class.members.iter().map(|member| ((member.isa.as_str(), member.id.as_str()), member)).collect();
    let forms = shaped.into_iter().map(|(kind, shaped)| {
        let reviewed = kind.reviewed.and_then(|position| review?.forms.get(position));
        let suffix = kind.suffix(kinds.iter());
        let mut form = Form {
            name: format!("{}{suffix}", reviewed.map_or(name, |form| form.name.as_str())),
            summary: match (reviewed, review) {
                (Some(form), _) => Some(form.summary.clone()),
                (None, Some(review)) if review.forms.is_empty() && kind.reviewed.is_some() => {
                    Some(review.summary.clone())
                }
                _ => None,
            },
            category: review.map(|review| review.category.clone()),
            class: Class {
                function: shaped.function,
                structural_hash: class.structural_hash.clone(),
                structure: class.structure.clone(),
                numbers: None,
                suggested_name: None,
                members: Vec::new(),
            },
            facts: Vec::new(),
            instances: Vec::new(),
            documented: BTreeMap::new(),
            commutative: shaped.commutative,
            inferences: shaped.inferences,
        };
        for (placed, params) in shaped.placed.into_iter().zip(shaped.params) {
            let Placed { name, known, instance, copies } = placed;
            let fixed = fixed_immediates(&class.function, &known.application);
            let member = is_now(name, known).then(|| present.remove(&(name.0.as_str(), name.1.as_str())));
            if let Some(member) = member.flatten() {
                let mut member = member.clone();
                member.application.params.clone_from(&params);
                member.application.args = open(member.application.args, &fixed).collect();
                for (source, copies) in member.application.args.iter_mut().zip(&copies) {
                    *source = copies.map_or(*source, |copies| Source::Own(copies.arg));
                }
                form.class.members.push(member);
                form.facts.push(instance.facts.clone());
            }
            form.document(&params, &open(known.operands.iter().copied(), &fixed).collect::<Vec<_>>());
            form.instances.push(Instance { params, facts: instance.facts });
        }
        form.instances.sort();
        form.instances.dedup();
        form
    });
    Ok(forms.filter(|form| !form.class.members.is_empty()).collect())
}

/// A member with the kind of form that it is an instance of.
fn place<'a>(
    class: &Class,
    conditions: &Conditions,
    name: &'a (String, String),
    known: &'a Known,
) -> Result<(Kind, Placed<'a>), String> {
    let facts = operand::types(&class.function, known);
    let facts = facts.ok_or_else(|| format!("`{}:{}` has a width outside of 1..=65536", name.0, name.1))?;
    let mut instance = Instance { params: known.application.params.clone(), facts };
    let copies = immediate::copies(known);
    let immediates = immediate::filled_registers(&class.function, &copies);
    let fixed = fixed_immediates(&class.function, &known.application);
    let kind = Kind {
        reviewed: conditions.form_of(&class.function, &mut instance, &immediates, &fixed),
        immediates,
        fixed,
        padded: is_padded(&class.function, &instance),
    };
    Ok((kind, Placed { name, known, instance, copies }))
}

/// The members of one kind.
#[derive(Default)]
struct Group<'a> {
    /// As they are on record.
    recorded: Vec<Placed<'a>>,
    /// As they are now, where that is not on record.
    added: Vec<Placed<'a>>,
}

/// How members become a form.
struct Shaping<'s> {
    class: &'s Class,
    /// The reviewed names of arguments, if any.
    args: &'s [String],
    /// What earlier runs made of the same members.
    memo: &'s Memo,
}

/// A form without its name.
struct Shaped<'a> {
    placed: Vec<Placed<'a>>,
    /// Each placed member's parameter values.
    params: Vec<Vec<i64>>,
    function: Function,
    inferences: Vec<Inference>,
    /// Whether exchanging the first two arguments keeps the results of all.
    commutative: bool,
}

impl Shaping<'_> {
    /// The form that members have in common.
    fn of<'a>(&self, placed: &[Placed<'a>]) -> Result<Shaped<'a>, String> {
        let mut placed = placed.to_vec();
        let family = make_immediates(&self.class.function, &mut placed);
        // One kind fixes the same.
        let first = placed.first().map(|placed| &placed.known.application);
        let fixed = first.map_or(Vec::new(), |first| fixed_immediates(&self.class.function, first));
        let family = without_fixed(&family, &fixed);
        for Placed { instance, copies, .. } in &mut placed {
            instance.facts.args = open(std::mem::take(&mut instance.facts.args), &fixed).collect();
            *copies = open(std::mem::take(copies), &fixed).collect();
        }
        let instances: Vec<&Instance> = placed.iter().map(|placed| &placed.instance).collect();
        let key = || key_of(&("form", &family, &instances));
        let specialized = self.memo.try_get_or(key, || specialized(&family, &instances))?;
        let Specialized { mut function, params, inferences } = specialized;
        for (arg, name) in function.args.iter_mut().zip(open(self.args, &fixed)) {
            arg.name.clone_from(name);
        }
        signs::name(&mut function);
        let commutative =
            fixed.iter().take(2).all(Option::is_none) && placed.iter().all(|placed| placed.known.commutes);
        Ok(Shaped { placed, params, function, inferences, commutative })
    }

    /// The form of the recorded members with those of the added ones that it is the same with, and the others.
    fn joined<'a>(&self, group: Group<'a>) -> Result<(Option<Shaped<'a>>, Vec<Placed<'a>>), String> {
        if group.recorded.is_empty() {
            return Ok((None, group.added));
        }
        let recorded = self.of(&group.recorded)?;
        if group.added.is_empty() {
            return Ok((Some(recorded), Vec::new()));
        }
        let with = |members: &[Placed<'a>]| {
            let mut shaped = self.of(members).ok()?;
            shaped.set_defaults(&recorded.function);
            recorded.is_same_operation(&shaped).then_some(shaped)
        };
        let mut members = group.recorded.clone();
        members.extend(group.added.iter().cloned());
        if let Some(shaped) = with(&members) {
            return Ok((Some(shaped), Vec::new()));
        }
        members.truncate(group.recorded.len());
        let mut left = Vec::new();
        for added in group.added {
            members.push(added);
            if with(&members).is_none() {
                left.extend(members.pop());
            }
        }
        Ok((Some(with(&members).unwrap_or(recorded)), left))
    }
}

impl Shaped<'_> {
    fn set_defaults(&mut self, from: &Function) {
        for (param, from) in self.function.params.iter_mut().zip(&from.params) {
            param.value = from.value;
        }
    }

    /// Whether users of one can use the other: only the tables of known types may differ.
    fn is_same_operation(&self, other: &Self) -> bool {
        let is_same_rule = |(own, other): (&Inference, &Inference)| match (&own.rule, &other.rule) {
            (Rule::Listed { keys, .. }, Rule::Listed { keys: others, .. }) => {
                own.param == other.param && keys == others
            }
            _ => own == other,
        };
        self.function == other.function
            && self.commutative == other.commutative
            && self.inferences.len() == other.inferences.len()
            && self.inferences.iter().zip(&other.inferences).all(is_same_rule)
    }
}

/// The family's function for members of one kind, with immediates in place of copies of them. Copies that are none stay
/// where the operand stays a register.
fn make_immediates(family: &Function, placed: &mut [Placed<'_>]) -> Function {
    let members: Vec<(&[i64], &[Option<Copies>])> =
        placed.iter().map(|placed| (&placed.instance.params[..], &placed.copies[..])).collect();
    let function = with_immediates(family, &members);
    for (position, arg) in function.args.iter().enumerate() {
        for Placed { instance, copies, .. } in &mut *placed {
            match (arg.role, arg.width.as_constant()) {
                (Role::Immediate { .. }, Some(width)) if copies[position].is_some() => {
                    instance.facts.args[position] = ValueType::scalar(width as u32);
                }
                _ => copies[position] = None,
            }
        }
    }
    function
}

/// Whether a result has bits above those that the family writes.
fn is_padded(family: &Function, instance: &Instance) -> bool {
    let assignment = Assignment::new(family, &instance.params);
    let mut results = family.results.iter().zip(&instance.facts.results);
    results.any(|(result, shape)| assignment.width(&result.width) != Some(shape.width()))
}

/// The conditions of a family's forms.
pub(crate) struct Conditions {
    forms: Vec<FormConditions>,
}

#[derive(Default)]
struct FormConditions {
    all: Vec<Condition>,
    /// Operands, arguments first, with the width of their elements.
    elements: Vec<(usize, Num)>,
}

impl Conditions {
    /// An error says why the review is not for this family.
    pub(crate) fn new(function: &Function, review: Option<&FamilyReview>) -> Result<Self, String> {
        let names = condition_names(function);
        if let Some(review) = review.filter(|review| !review.args.is_empty())
            && review.args.len() != function.args.len()
        {
            return Err(format!("{} names for {} arguments", review.args.len(), function.args.len()));
        }
        let Some(review) = review.filter(|review| !review.forms.is_empty()) else {
            return Ok(Self { forms: vec![FormConditions::default()] });
        };
        let form = |form: &review::FormReview| {
            let all = form.when.iter().map(|text| Condition::parse(text, &names));
            let element = |(name, text): (&String, &String)| {
                let operand = operands(function).position(|operand| operand == name);
                let operand = operand.ok_or_else(|| format!("there is no operand `{name}`"))?;
                Ok((operand, review::number(text, &names)?))
            };
            let elements = form.elements.iter().map(element);
            Ok::<_, String>(FormConditions {
                all: all.collect::<Result<_, _>>()?,
                elements: elements.collect::<Result<_, String>>()?,
            })
        };
        Ok(Self { forms: review.forms.iter().map(form).collect::<Result<_, _>>()? })
    }

    /// The first form whose conditions an instance fulfils; its operands get the elements that the form says.
    /// Then the formats of all operands are known as well.
    fn form_of(
        &self,
        function: &Function,
        instance: &mut Instance,
        immediates: &[bool],
        fixed: &[Option<i64>],
    ) -> Option<usize> {
        let mut values = instance.params.clone();
        for shape in instance.facts.args.iter().chain(&instance.facts.results) {
            values.extend([i64::from(shape.width()), i64::from(shape.element)]);
        }
        values.extend(immediates.iter().copied().map(i64::from));
        values.extend(fixed.iter().map(|fixed| fixed.unwrap_or(review::NOT_FIXED)));
        let holds = |form: &FormConditions| form.all.iter().all(|condition| condition.holds(&values));
        let found = self.forms.iter().position(holds);
        let elements = found.map_or(&[][..], |found| &self.forms[found].elements);
        for (operand, element) in elements {
            let Facts { args, results } = &mut instance.facts;
            let shape = args.iter_mut().chain(results).nth(*operand)?;
            let element = u32::try_from(review::value(element, &values)?).ok()?;
            if element != 0 && shape.width().is_multiple_of(element) {
                *shape = ValueType::vector(shape.width() / element, element);
            }
        }
        set_formats(function, &instance.params, &mut instance.facts);
        found
    }
}

/// The names of the arguments and the results.
fn operands(function: &Function) -> impl Iterator<Item = &String> {
    let args = function.args.iter().map(|arg| &arg.name);
    args.chain(function.results.iter().map(|result| &result.name))
}

/// What conditions can refer to, in the order of the values of [`Conditions::form_of`].
fn condition_names(function: &Function) -> Vec<String> {
    let of_operands =
        operands(function).flat_map(|name| [format!("{name}_width"), format!("{name}_element")]);
    let immediates = function.args.iter().map(|arg| format!("{}_immediate", arg.name));
    let fixed = function.args.iter().map(|arg| format!("{}_fixed", arg.name));
    let params = function.params.iter().map(|param| param.name.clone());
    params.chain(of_operands).chain(immediates).chain(fixed).collect()
}

/// A form of some instances.
#[derive(Serialize, Deserialize)]
struct Specialized {
    function: Function,
    /// Each instance's parameter values.
    params: Vec<Vec<i64>>,
    inferences: Vec<Inference>,
}

fn specialized(family: &Function, all: &[&Instance]) -> Result<Specialized, String> {
    let mut instances = all.to_vec();
    instances.sort();
    instances.dedup();
    let position = |instance: &&Instance| instances.binary_search(instance).expect("it is one of them");
    let positions: Vec<usize> = all.iter().map(position).collect();
    let reduced = Reduction::new(family, &instances, true);
    let reduced = if reduced.is_sound(family, &instances) {
        reduced
    } else {
        Reduction::new(family, &instances, false)
    };
    let Reduction { columns, names, numbers, args, results, types } = reduced;
    let params = names.into_iter().map(|name| Param { name, value: 0 }).collect();
    let function = Specialization { family, params, numbers, args, results }.function();
    let (mut function, used) = drop_unused(&function);
    let kept = |values: Vec<i64>| {
        values.into_iter().zip(&used).filter_map(|(value, used)| used.then_some(value)).collect::<Vec<_>>()
    };
    let values: Vec<Vec<i64>> =
        (0..instances.len()).map(|instance| kept(columns.values_of(instance))).collect();
    let own = values.iter().zip(&instances);
    let own: Vec<Instance> = own
        .map(|(params, instance)| Instance { params: params.clone(), facts: instance.facts.clone() })
        .collect();
    let inferences = infer::inferences(&function, &infer::renumbered(&types, &used), &own);
    set_defaults(&mut function, &inferences, &values, &positions);
    for values in &values {
        function.verify_with(values).map_err(|error| format!("its form at {values:?}: {error}"))?;
    }
    let params = positions.iter().map(|position| values[*position].clone()).collect();
    Ok(Specialized { function, params, inferences })
}

/// The default values are those of the first instance with the most frequent values of what is no type.
fn set_defaults(function: &mut Function, inferences: &[Inference], values: &[Vec<i64>], positions: &[usize]) {
    let attributes = |position: usize| {
        let all = values[position].iter().enumerate();
        let own =
            all.filter(|(param, _)| inferences.iter().all(|inference| inference.param.0 != *param as u32));
        own.map(|(_, value)| *value).collect::<Vec<_>>()
    };
    let mut counts: BTreeMap<Vec<i64>, usize> = BTreeMap::new();
    for position in positions {
        *counts.entry(attributes(*position)).or_default() += 1;
    }
    let most = counts.values().copied().max().unwrap_or(0);
    let typical = positions.iter().find(|position| counts[&attributes(**position)] == most);
    for (param, value) in function.params.iter_mut().zip(typical.map_or(&[][..], |typical| &values[*typical]))
    {
        param.value = *value;
    }
}

/// A family's parameters over those of a form.
struct Reduction {
    /// The form's parameters: a value for each instance.
    columns: Columns,
    names: Vec<String>,
    /// Each of the family's parameters.
    numbers: Vec<Num>,
    /// The widths of arguments and of results.
    args: Vec<Num>,
    results: Vec<Num>,
    /// What the type of each operand says, results first; none for immediates.
    types: Vec<Option<TypeNumbers>>,
}

impl Reduction {
    /// `with_free`: a parameter that does not matter to an instance agrees with everything.
    fn new(family: &Function, instances: &[&Instance], with_free: bool) -> Self {
        let mut reduction = Self {
            columns: Columns::default(),
            names: Vec::new(),
            numbers: vec![Num::default(); family.params.len()],
            args: Vec::new(),
            results: Vec::new(),
            types: Vec::new(),
        };
        // What only says how wide an argument is follows from the argument's type.
        let (widths, others): (Vec<usize>, Vec<usize>) =
            (0..family.params.len()).partition(|param| only_argument_width(family, ParamId(*param as u32)));
        for param in others {
            reduction.param(family, instances, param, with_free);
        }
        let results =
            family.results.iter().enumerate().map(|(position, result)| (position, &result.name, true));
        let args = family.args.iter().enumerate().map(|(position, arg)| (position, &arg.name, false));
        for (position, name, is_result) in results.chain(args) {
            if !is_result && family.args[position].role.is_immediate() {
                reduction.args.push(Num::default());
                reduction.types.push(None);
                continue;
            }
            let shape = |instance: &Instance| {
                let Facts { args, results } = &instance.facts;
                if is_result { results[position] } else { args[position] }
            };
            let column = |value: &dyn Fn(&Instance) -> u32| -> Vec<i64> {
                instances.iter().map(|instance| i64::from(value(instance))).collect()
            };
            let elements = column(&|instance| shape(instance).element);
            let element = reduction.number(elements, || format!("{name}_element"));
            let declared =
                if is_result { &family.results[position].width } else { &family.args[position].width };
            let own = |instance: &Instance| Assignment::new(family, &instance.params).width(declared);
            let is_own = instances.iter().all(|instance| own(instance) == Some(shape(instance).width()))
                && !declared.atoms().any(|atom| widths.iter().any(|param| atom == parameter(*param)));
            let width = if is_own {
                declared.substitute(|atom| match atom {
                    Atom::Param(param) => reduction.numbers[param.0 as usize].clone(),
                    Atom::Index(index) => Num::index(index),
                })
            } else {
                reduction.number(column(&|instance| shape(instance).width()), || format!("{name}_width"))
            };
            if is_result { &mut reduction.results } else { &mut reduction.args }.push(width.clone());
            let exponents = column(&|instance| shape(instance).exponent);
            let exponent =
                reduction.columns.express(&exponents, |instance, value| exponents[instance] == value);
            reduction.types.push(Some([Some(element), Some(width), exponent]));
        }
        for param in widths {
            reduction.param(family, instances, param, with_free);
        }
        reduction
    }

    /// A number that is the same for every instance in terms of others, or a parameter.
    fn number(&mut self, column: Vec<i64>, name: impl FnOnce() -> String) -> Num {
        let found = self.columns.express(&column, |instance, value| column[instance] == value);
        found.unwrap_or_else(|| {
            self.names.push(name());
            self.columns.introduce(column)
        })
    }

    fn param(&mut self, family: &Function, instances: &[&Instance], param: usize, with_free: bool) {
        let own = ParamId(param as u32);
        let free: Vec<bool> = instances
            .iter()
            .map(|instance| with_free && free::is_free(family, &instance.params, own))
            .collect();
        let mut column: Vec<i64> = instances.iter().map(|instance| instance.params[param]).collect();
        let found =
            self.columns.express(&column, |instance, value| free[instance] || column[instance] == value);
        self.numbers[param] = found.unwrap_or_else(|| {
            // Where it does not matter it has a value that it has elsewhere.
            let elsewhere = column.iter().zip(&free).find(|(_, free)| !**free).map(|(value, _)| *value);
            for (value, free) in column.iter_mut().zip(&free) {
                *value = elsewhere.filter(|_| *free).unwrap_or(*value);
            }
            self.names.push(family.params[param].name.clone());
            self.columns.introduce(column)
        });
    }

    /// Whether the parameters that have other values now than in the family matter to no instance, each where those
    /// before it have their new values.
    fn is_sound(&self, family: &Function, instances: &[&Instance]) -> bool {
        instances.iter().enumerate().all(|(position, instance)| {
            let form = self.columns.values_of(position);
            let mut values = instance.params.clone();
            (0..values.len()).all(|param| {
                let value = self.numbers[param].eval(|atom| match atom {
                    Atom::Param(param) => form[param.0 as usize],
                    Atom::Index(_) => 0,
                });
                let Some(value) = value else { return false };
                let sound = value == values[param]
                    || free::is_free(family, &values, ParamId(param as u32))
                    || only_argument_width(family, ParamId(param as u32));
                values[param] = value;
                sound
            })
        })
    }
}

fn parameter(position: usize) -> Atom {
    Atom::Param(ParamId(position as u32))
}

/// Whether a parameter is in no number but the declared width of arguments that are read in slices.
fn only_argument_width(family: &Function, param: ParamId) -> bool {
    let has = |num: &Num| num.atoms().any(|atom| atom == Atom::Param(param));
    let sliced = |id: ExprId| {
        let whole = |expr: &Expr| match expr.op {
            Op::Extract { .. } => false,
            _ => expr.op.operands().contains(&id),
        };
        !family.exprs().iter().any(whole)
    };
    let elsewhere = family.live().into_iter().any(|id| {
        let expr = family.expr(id);
        let own_width = !matches!(expr.op, Op::Arg(_)) || !sliced(id);
        expr.op.nums().into_iter().any(has) || (own_width && has(&expr.width))
    });
    let written = family.results.iter().any(|result| has(&result.width))
        || family.loops().any(|around| has(around.count))
        || family.assignments().any(|written| has(written.low));
    !elsewhere && !written
}

#[cfg(test)]
mod tests {
    use super::*;

    fn instance(params: &[i64], args: &[ValueType], result: ValueType) -> Instance {
        Instance { params: params.to_vec(), facts: Facts { args: args.to_vec(), results: vec![result] } }
    }

    #[test]
    fn a_form_is_padded_where_the_register_is_wider_than_what_the_family_writes() {
        let text = "func @f[n = 4](%a: 64) -> (%r: 8*n) { for i in 0..n { %r[8*i +: 8] = %a[8*i +: 8] } }";
        let family = Function::parse(text).unwrap();
        let bytes = ValueType::vector(8, 8);
        assert!(is_padded(&family, &instance(&[4], &[bytes], bytes)));
        assert!(!is_padded(&family, &instance(&[8], &[bytes], bytes)));
    }

    /// A parameter of types is no attribute, whatever its values are.
    #[test]
    fn defaults_are_those_of_the_first_instance_with_the_most_frequent_attributes() {
        let text = "func @f[w = 0, s = 0](%a: 64) -> (%r: 64) { %r[0 +: 64] = cast.{s}(%a[0 +: w], 64) }";
        let mut function = Function::parse(text).unwrap();
        let rule = Rule::Listed { keys: Vec::new(), values: BTreeMap::new() };
        let inferences = [Inference { param: ParamId(0), rule }];
        let values = [vec![8, 0], vec![16, 1], vec![32, 1]];
        for (positions, expected) in
            [(&[0, 1, 2][..], [16, 1]), (&[0, 2, 1], [32, 1]), (&[0, 0, 1], [8, 0]), (&[1, 0], [16, 1])]
        {
            set_defaults(&mut function, &inferences, &values, positions);
            let found: Vec<i64> = function.params.iter().map(|param| param.value).collect();
            assert_eq!(found, expected, "{positions:?}");
        }
    }

    /// With one element the step is any number: the form says nothing of it.
    #[test]
    fn what_matters_to_no_instance_is_no_parameter() {
        let text = "func @f[w = 8, n = 4, step = 8](%a: 256) -> (%r: w*n) {
            for i in 0..n { %r[w*i +: w] = %a[step*i +: w] } }";
        let family = Function::parse(text).unwrap();
        let of = |params: [i64; 3]| {
            let [w, n] = [params[0], params[1]].map(|number| number as u32);
            instance(&params, &[ValueType::vector(256 / w, w)], ValueType::vector(n, w))
        };
        let names = |instances: &[Instance]| {
            let found = specialized(&family, &instances.iter().collect::<Vec<_>>()).unwrap();
            let names: Vec<String> = found.function.params.iter().map(|param| param.name.clone()).collect();
            (names.join(" "), found.params)
        };
        let twice = |step| [of([8, 4, 8]), of([16, 2, 16]), of([32, 1, step])];
        let (plain, params) = names(&twice(32));
        assert_eq!((plain.as_str(), &params), ("w n", &vec![vec![8, 4], vec![16, 2], vec![32, 1]]));
        assert_eq!(names(&twice(77)), (plain, params), "one element has no step");
        let (other, _) = names(&[of([8, 4, 8]), of([16, 2, 16]), of([32, 2, 77])]);
        assert_eq!(other, "w n step");
    }

    #[test]
    fn an_operation_is_the_same_with_other_tables_of_types() {
        let rule = |value: i64, param: u32| Inference {
            param: ParamId(param),
            rule: Rule::Listed {
                keys: vec![Key::Sign(ParamId(1))],
                values: BTreeMap::from([(vec![value], value)]),
            },
        };
        let solved = |rest: i64| Inference {
            param: ParamId(0),
            rule: Rule::Solved {
                said: Said { operand: 0, quantity: Quantity::Width },
                rest: Num::constant(rest),
                factor: Num::constant(1),
            },
        };
        let shaped = |name: &str, inferences: Vec<Inference>, commutative| Shaped {
            placed: Vec::new(),
            params: Vec::new(),
            function: Function::new(name),
            inferences,
            commutative,
        };
        let one = shaped("f", vec![rule(1, 0), solved(3)], true);
        assert!(one.is_same_operation(&shaped("f", vec![rule(2, 0), solved(3)], true)));
        for other in [
            shaped("g", vec![rule(1, 0), solved(3)], true),
            shaped("f", vec![rule(1, 0), solved(3)], false),
            shaped("f", vec![rule(1, 0)], true),
            shaped("f", vec![rule(1, 1), solved(3)], true),
            shaped("f", vec![rule(1, 0), solved(4)], true),
            shaped("f", vec![solved(3), rule(1, 0)], true),
        ] {
            assert!(!one.is_same_operation(&other), "{:?}", other.inferences);
        }
    }

    #[test]
    fn the_width_of_a_register_that_is_read_in_slices_is_a_number_by_itself() {
        for (body, expected) in [
            ("for i in 0..2 { %r[8*i +: 8] = %a[8*i +: 8] }", true),
            ("%r[0 +: 16] = cast.u(%a, 16)", false),
            ("%r[0 +: 16] = cast.u(not(%a), 16)", false),
            ("for i in 0..2 { %r[8*i +: 8] = int(w, 8) }", false),
            ("for i in 0..2 { %r[8*i +: 8] = %a[w - 16 + 8*i +: 8] }", false),
            ("%r[0 +: 16] = cast.u(%a[0 +: w - 20], 16)", false),
            ("for i in 0..w - 30 { %r[8*i +: 8] = %a[8*i +: 8] }", false),
            ("for i in 0..2 { %r[8*i + w - 32 +: 8] = %a[8*i +: 8] }", false),
        ] {
            let text = format!("func @f[w = 32](%a: w) -> (%r: 16) {{ {body} }}");
            let family = Function::parse(&text).unwrap();
            assert_eq!(only_argument_width(&family, ParamId(0)), expected, "{body}");
        }
        let written = "func @f[w = 32](%a: 32) -> (%r: w) { for i in 0..4 { %r[8*i +: 8] = %a[8*i +: 8] } }";
        assert!(!only_argument_width(&Function::parse(written).unwrap(), ParamId(0)));
    }
}
