//! Operations of the dialect with operands in memory: an operation and a [`Form`] of it each.
//!
//! `copy.masked_load` is `copy` with its argument at a pointer, under a mask. Values are as in the operation; a pointer takes
//! the place of what is in memory, whose type is an attribute where no value has it:
//!
//! ```text
//! %r = autollvm.copy.masked_load %a, %mask, %pass_through : vector<4xi32>
//! autollvm.truncate.masked_store %a, %mask, %to : vector<4xi8>, vector<4xi32>
//! %r = autollvm.copy.gather scale(4) %a, %index : vector<8xi32>, vector<8xi32>
//! ```
//!
//! There is one for each form of which some instruction set has a definition; nothing else has a body for them.

use std::collections::{BTreeMap, BTreeSet};

use autoir::{Facts, Member, ValueType};

use crate::Options;
use crate::definitions::Definitions;
use crate::identifier::{class_name, operand_names};
use crate::instance::MemoryInstance;
use crate::memory::{Disabled, Form, Given, Taken};
use crate::operation::Operation;
use crate::scheme::{Relation, Slot};

/// An operation with operands in memory.
pub(crate) struct MemoryOperation<'s, 'a> {
    pub(crate) operation: &'s Operation<'a>,
    pub(crate) form: Form,
    /// Its name without the dialect's.
    pub(crate) name: String,
    /// The arguments of the function that is called, in order.
    pub(crate) passed: Vec<Passed>,
    /// Where the type of each result, then of each argument is.
    pub(crate) types: Vec<Typed>,
    /// The types that are attributes: their names, and the results or arguments that have them.
    pub(crate) type_attributes: Vec<(String, usize)>,
    /// The name of the attribute that says what divides pointers.
    pub(crate) alignment: String,
    /// What is known of each instance, by its symbol: one at least.
    pub(crate) instances: BTreeMap<String, Vec<MemoryInstance<'s>>>,
}

/// An argument of the function.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Passed {
    pub(crate) name: String,
    pub(crate) what: What,
}

/// What an argument of the function is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum What {
    /// An argument of the operation, counted from 0, that is a value.
    Value(usize),
    /// An argument of the operation that is an immediate of that width.
    Immediate(usize, u32),
    /// A pointer.
    Pointer { reads: bool, writes: bool },
    /// One bit for each element of the result.
    Mask,
    /// The lanes that the mask disables.
    PassThrough,
    /// One index for each element at a computed address.
    Index,
    /// What indices are multiplied by.
    Scale,
}

/// Where a type of the operation is known from.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Typed {
    /// A value has it.
    Value(String),
    /// An attribute is it.
    Attribute(String),
    /// It follows from another type.
    Related(Relation, Box<Typed>),
    /// It is that of an immediate.
    Immediate,
}

/// The types of a slot's kind: those that are equal in all instances.
pub(crate) type Class = (Relation, usize);

/// The class of a result or an argument; `None` for immediates.
pub(crate) fn class(slot: &Slot) -> Option<Class> {
    match slot {
        Slot::Overload { number, .. } => Some((Relation::Match, *number)),
        Slot::Related { relation, of } => Some((*relation, *of)),
        Slot::Immediate(_) => None,
    }
}

/// Those of a run, by name.
pub(super) fn memory_operations<'s, 'a>(
    operations: &'s [Operation<'a>],
    definitions: &Definitions,
    options: &Options,
) -> Vec<MemoryOperation<'s, 'a>> {
    let defined: BTreeSet<&str> = definitions.operations.values().map(|own| own.name.as_str()).collect();
    let mut all = Vec::new();
    for operation in operations {
        let mut forms: BTreeMap<Form, Vec<MemoryInstance<'s>>> = BTreeMap::new();
        for (member, facts) in operation.op.instances() {
            let Some(form) = Form::of(operation, member, facts) else { continue };
            let instance = MemoryInstance::of(operation, (member, facts), options);
            let instance = instance.filter(|instance| defined.contains(instance.symbol.as_str()));
            forms.entry(form).or_default().extend(instance);
        }
        for (form, instances) in forms.into_iter().filter(|(_, instances)| !instances.is_empty()) {
            let mut own = MemoryOperation::new(operation, form);
            for instance in instances {
                own.instances.entry(instance.symbol.clone()).or_default().push(instance);
            }
            all.push(own);
        }
    }
    all
}

impl<'s, 'a> MemoryOperation<'s, 'a> {
    /// The operation of a form, without instances.
    pub(crate) fn new(operation: &'s Operation<'a>, form: Form) -> Self {
        let scheme = &operation.scheme;
        let names: Vec<&String> = operation.result_names().iter().chain(operation.arg_names()).collect();
        let slots: Vec<&Slot> = scheme.results.iter().chain(&scheme.args).collect();
        let own: Vec<(usize, &Given)> = form.results.iter().enumerate().collect();
        let own: Vec<usize> = own
            .into_iter()
            .filter(|(_, given)| matches!(given, Given::Memory { .. }))
            .map(|(at, _)| at)
            .collect();
        // Names beside the operation's.
        let several = own.len() > 1;
        let pointers = own.iter().map(|at| if several { format!("to_{at}") } else { "to".to_owned() });
        let bases = slots.iter().enumerate().filter(|(_, slot)| matches!(slot, Slot::Overload { .. }));
        let bases: Vec<usize> = bases.map(|(at, _)| at).collect();
        let mut further: Vec<String> =
            ["mask", "pass_through", "index", "scale", "alignment"].map(str::to_owned).to_vec();
        further.extend(bases.iter().map(|at| format!("{}_type", names[*at])));
        further.extend(pointers);
        let known =
            names.iter().map(|name| name.as_str()).chain(operation.param_names().iter().map(String::as_str));
        let known: Vec<&str> = known.collect();
        let all = operand_names(known.iter().copied().chain(further.iter().map(String::as_str)));
        let mut further = all[known.len()..].iter().cloned();
        let mut next = || further.next().unwrap_or_default();
        let [mask, pass_through, index, scale, alignment] = std::array::from_fn(|_| next());
        let type_names: Vec<String> = bases.iter().map(|_| next()).collect();
        let pointers: Vec<String> = own.iter().map(|_| next()).collect();

        let mut passed = Vec::new();
        let mut push = |name: &str, what| passed.push(Passed { name: name.to_owned(), what });
        for (arg, (taken, name)) in form.args.iter().zip(operation.arg_names()).enumerate() {
            match (taken, &scheme.args[arg]) {
                (Taken::Zero, _) => {}
                (Taken::Memory { .. }, _) => {
                    push(name, What::Pointer { reads: true, writes: form.updates(arg) })
                }
                (Taken::Value, Slot::Immediate(width)) => push(name, What::Immediate(arg, *width)),
                (Taken::Value, _) => push(name, What::Value(arg)),
            }
        }
        if form.masked.is_some() {
            push(&mask, What::Mask);
        }
        if form.masked == Some(Disabled::Value) {
            push(&pass_through, What::PassThrough);
        }
        for name in &pointers {
            push(name, What::Pointer { reads: false, writes: true });
        }
        if form.has_elements() {
            push(&index, What::Index);
            push(&scale, What::Scale);
        }

        // The first value of each class.
        let mut values: BTreeMap<Class, String> = BTreeMap::new();
        for (at, slot) in slots.iter().enumerate() {
            let is_value = match at.checked_sub(scheme.results.len()) {
                None => form.results[at] == Given::Value,
                Some(arg) => form.args[arg] == Taken::Value,
            };
            if let Some(class) = class(slot).filter(|_| is_value) {
                values.entry(class).or_insert_with(|| names[at].clone());
            }
        }
        if let (Some(Disabled::Value), Some(class)) = (form.masked, class(slots[0])) {
            values.entry(class).or_insert(pass_through);
        }
        let mut type_attributes = Vec::new();
        let base = |number: usize| match values.get(&(Relation::Match, number)) {
            Some(value) => Typed::Value(value.clone()),
            None => Typed::Attribute(type_names[number].clone()),
        };
        for (number, at) in bases.iter().enumerate() {
            if let Typed::Attribute(name) = base(number) {
                type_attributes.push((name, *at));
            }
        }
        let types = slots.iter().map(|slot| match class(slot) {
            None => Typed::Immediate,
            Some(class) => match (values.get(&class), class) {
                (Some(value), _) => Typed::Value(value.clone()),
                (None, (Relation::Match, number)) => base(number),
                (None, (relation, number)) => Typed::Related(relation, Box::new(base(number))),
            },
        });
        let types = types.collect();
        let name = format!("{}.{}", operation.op.name, form.name(operation));
        let instances = BTreeMap::new();
        Self { operation, form, name, passed, types, type_attributes, alignment, instances }
    }

    /// The use of it that a member is; `None` if it is the operation in another way.
    pub(crate) fn of_member(
        operation: &'s Operation<'a>,
        member: &'s Member,
        facts: &'s Facts,
        options: &Options,
    ) -> Option<(Self, MemoryInstance<'s>)> {
        let form = Form::of(operation, member, facts)?;
        let instance = MemoryInstance::of(operation, (member, facts), options)?;
        Some((Self::new(operation, form), instance))
    }

    /// The name of its class in C++.
    pub(crate) fn class_name(&self) -> String {
        class_name(&self.name.replace('.', "_"))
    }

    /// The results that it returns.
    pub(crate) fn returned(&self) -> impl Iterator<Item = usize> {
        let results = self.form.results.iter().enumerate();
        results.filter(|(_, given)| **given == Given::Value).map(|(result, _)| result)
    }

    /// The operands that are not attributes.
    pub(crate) fn values(&self) -> impl Iterator<Item = &Passed> {
        self.passed.iter().filter(|own| !matches!(own.what, What::Immediate(..) | What::Scale))
    }

    /// The position of an argument among results and arguments.
    pub(crate) fn slot(&self, arg: usize) -> usize {
        self.form.results.len() + arg
    }

    /// The result or argument whose elements are at computed addresses.
    pub(crate) fn elements(&self) -> Option<usize> {
        let result = self.form.results.iter().position(|given| *given == Given::Memory { elements: true });
        let arg = || self.form.args.iter().position(|taken| *taken == Taken::Memory { elements: true });
        result.or_else(|| arg().map(|arg| self.slot(arg)))
    }

    /// The types that its assembly writes, in order: as those of the operation, each that does not follow from others; then
    /// those of the mask and of indices where they do not follow.
    pub(crate) fn written(&self) -> Vec<Written> {
        let scheme = &self.operation.scheme;
        let mut seen: BTreeSet<Class> = BTreeSet::new();
        let mut written = Vec::new();
        for (at, slot) in scheme.results.iter().chain(&scheme.args).enumerate() {
            let Some(class) = class(slot).filter(|class| seen.insert(*class)) else { continue };
            match &self.types[at] {
                Typed::Value(name) if class.0 == Relation::Match || !self.has_value(class.1) => {
                    written.push(Written::Slot(name.clone(), at));
                }
                Typed::Attribute(name) => written.push(Written::Attribute(name.clone(), at)),
                Typed::Value(_) | Typed::Related(..) | Typed::Immediate => {}
            }
        }
        for own in self.values() {
            match own.what {
                What::Mask if !matches!(self.types[0], Typed::Value(_)) => {
                    written.push(Written::Mask(own.name.clone()));
                }
                What::Index => written.push(Written::Index(own.name.clone())),
                _ => {}
            }
        }
        written
    }

    /// Where the overloaded type of that number is known from.
    pub(crate) fn base(&self, number: usize) -> &Typed {
        let scheme = &self.operation.scheme;
        let mut slots = scheme.results.iter().chain(&scheme.args).zip(&self.types);
        let base = slots.find(|(slot, _)| class(slot) == Some((Relation::Match, number)));
        base.map_or(&Typed::Immediate, |(_, ty)| ty)
    }

    /// Whether a value has the overloaded type of that number.
    fn has_value(&self, number: usize) -> bool {
        matches!(self.base(number), Typed::Value(_))
    }

    /// The class of a result or an argument that is no immediate.
    pub(crate) fn class_of(&self, slot: usize) -> Class {
        let scheme = &self.operation.scheme;
        let found = scheme.results.iter().chain(&scheme.args).nth(slot).and_then(class);
        found.unwrap_or((Relation::Match, 0))
    }

    /// The position of a value or an attribute among results, operands that are values, and types that are attributes.
    pub(crate) fn position(&self, ty: &Typed) -> usize {
        let results = self.returned().map(|result| self.operation.result_names()[result].as_str());
        let operands = self.values().map(|own| own.name.as_str());
        let attributes = self.type_attributes.iter().map(|(name, _)| name.as_str());
        let mut all = results.chain(operands).chain(attributes);
        match ty {
            Typed::Value(own) | Typed::Attribute(own) => all.position(|name| name == own).unwrap_or_default(),
            Typed::Related(..) | Typed::Immediate => 0,
        }
    }

    /// In C++ what follows the types and parameters in the function's name, where `types` are those of [`Self::position`].
    pub(crate) fn access(&self) -> String {
        fn expression(own: &MemoryOperation<'_, '_>, ty: &Typed) -> String {
            match ty {
                Typed::Related(relation, of) => related(*relation, &expression(own, of)),
                _ => format!("types[{}]", own.position(ty)),
            }
        }
        let form = &self.form;
        let mut pieces: Vec<String> = Vec::new();
        let mut text = String::new();
        for (arg, _) in form.args.iter().enumerate().filter(|(_, taken)| **taken == Taken::Zero) {
            let zeros = expression(self, &self.types[self.slot(arg)]);
            pieces.push(format!("\"{text}.arg{arg}_0x\""));
            pieces.push(format!("::autollvm::zeroDigits({zeros})"));
            text.clear();
        }
        match form.masked {
            None => {}
            Some(Disabled::Zero) => text.push_str(".zero"),
            Some(Disabled::Value | Disabled::Kept) => text.push_str(".merge"),
        }
        let mut accessed = |word: &str, role: &str, is_indexed: bool| {
            text.push_str(&format!(".{word}_{role}"));
            let index = self.values().find(|own| own.what == What::Index).filter(|_| is_indexed);
            if let Some(index) = index {
                let position = self.position(&Typed::Value(index.name.clone()));
                pieces.push(format!("\"{text}.by_\""));
                pieces.push(format!("::autollvm::mangled(types[{position}])"));
                text.clear();
            }
        };
        for (arg, taken) in form.args.iter().enumerate() {
            match taken {
                Taken::Memory { .. } if form.updates(arg) => accessed("store", &format!("arg{arg}"), false),
                Taken::Memory { elements: false } => accessed("load", &format!("arg{arg}"), false),
                Taken::Memory { elements: true } => accessed("gather", &format!("arg{arg}"), true),
                Taken::Value | Taken::Zero => {}
            }
        }
        for (result, given) in form.results.iter().enumerate() {
            let role = match (result, form.masked) {
                (0, Some(Disabled::Kept)) => "pass_through".to_owned(),
                _ => format!("memory{result}"),
            };
            match given {
                Given::Memory { elements: false } => accessed("store", &role, false),
                Given::Memory { elements: true } => accessed("scatter", &role, true),
                Given::Value | Given::Update(_) => {}
            }
        }
        if !text.is_empty() {
            pieces.push(format!("\"{text}\""));
        }
        if let Some(first) = pieces.first_mut() {
            *first = format!("std::string({first})");
        }
        pieces.join(" + ")
    }
}

/// A type that the assembly format writes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Written {
    /// That of a value, which is the one of a result or an argument.
    Slot(String, usize),
    /// That of an attribute, likewise.
    Attribute(String, usize),
    Mask(String),
    Index(String),
}

/// The type of a result or an argument of an instance.
pub(crate) fn slot_type(facts: &Facts, slot: usize) -> ValueType {
    match slot.checked_sub(facts.results.len()) {
        None => facts.results[slot],
        Some(arg) => facts.args[arg],
    }
}

/// The type of the mask of an instance.
pub(crate) fn mask_type(facts: &Facts) -> ValueType {
    ValueType::vector(facts.results[0].count, 1)
}

/// The type that a relation makes of another one, in C++.
pub(crate) fn related(relation: Relation, of: &str) -> String {
    match relation {
        Relation::Match => of.to_owned(),
        Relation::Mask => format!("::autollvm::maskOf({of})"),
        Relation::Element => format!("::mlir::getElementTypeOrSelf({of})"),
        _ => {
            let ((count, of_count), (width, of_width)) = relation.factors();
            format!("::autollvm::scaled({of}, {count}, {of_count}, {width}, {of_width})")
        }
    }
}
