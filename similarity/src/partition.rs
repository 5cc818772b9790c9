//! The equivalence classes: instructions of one key under one parameterized function, each proved.

use std::collections::BTreeMap;

use catalog::{Application, Masked, Proof, Source};
use hydride_ir::lane::{Form, Kind, emit};
use hydride_ir::passes::open_nans;
use hydride_ir::{Arg, Function, Num, ResultSlot, Role};
use rayon::prelude::*;
use smt::Prover;

use crate::analyze::Analyzed;
use crate::cached::certify;
use crate::certificate::Refusal;
use crate::fit::recorded;
use crate::identity::Encoding;
use crate::parameters::{Parameterized, parameterize};
use crate::readings::readings;
use crate::shape::{Shape, general_shape};

/// All classes.
#[derive(Debug, Default)]
pub struct Partition {
    /// The classes, ordered by their first members.
    pub classes: Vec<Class>,
    /// Memberships that could not be decided; each such instruction has a separate class.
    pub unknown: Vec<(usize, Refusal)>,
}

/// One equivalence class.
#[derive(Debug)]
pub struct Class {
    /// Structural identity, stable across documents: 32 hexadecimal digits.
    pub key: String,
    /// Key of the structure of the members' lane forms; see [`catalog::Family::structure`].
    pub structure: String,
    /// The semantics over the class's parameters.
    pub function: Function,
    /// The numbers of the members' lane forms; see [`catalog::Family::numbers`].
    pub numbers: Option<Vec<Num>>,
    /// The family that the class is, as a position in the list of those that were given; none if the class is new.
    pub family: Option<usize>,
    /// The members, ordered by instruction set and id.
    pub members: Vec<Member>,
}

/// A member of a class.
#[derive(Clone, Debug)]
pub struct Member {
    /// Position in the list of entries.
    pub entry: usize,
    /// Parameter values, argument order and masking.
    pub application: Application,
    /// The certificate.
    pub proof: Proof,
}

/// Partitions `entries` into classes. Each thread uses its own prover, made by `new_prover`; `progress` is passed the
/// number of finished members.
pub fn partition(
    entries: &[Analyzed<'_>],
    new_prover: &(dyn Fn() -> Prover + Sync),
    progress: &(dyn Fn(usize) + Sync),
) -> Partition {
    let readings = readings(entries, new_prover().memo());
    let shape = |position: usize| readings[position].as_ref().unwrap_or(&entries[position].analysis.shape);
    let candidates: Vec<Candidate<'_>> = entries
        .iter()
        .enumerate()
        .map(|(position, entry)| Candidate {
            position,
            entry,
            shape: shape(position),
            plain: readings[position].is_none(),
        })
        .collect();
    let mut partition = Partition::default();
    let refused = classes(&candidates, new_prover, progress, &mut partition);
    // Readings that were not proved: the instructions keep to themselves.
    let plain: Vec<Candidate<'_>> = refused
        .into_iter()
        .map(|position| {
            let entry = &entries[position];
            Candidate { position, entry, shape: &entry.analysis.shape, plain: true }
        })
        .collect();
    classes(&plain, new_prover, progress, &mut partition);
    partition.sort(entries);
    partition
}

impl Partition {
    /// Orders the classes by their first members.
    pub(crate) fn sort(&mut self, entries: &[Analyzed<'_>]) {
        let name = |class: &Class| {
            let entry = &entries[class.members[0].entry];
            (entry.isa.to_string(), entry.id.to_string())
        };
        self.classes.sort_by_cached_key(name);
        self.unknown.sort_by_key(|(entry, _)| *entry);
    }
}

/// An instruction in the reading under which it is classified.
#[derive(Clone, Copy)]
pub(crate) struct Candidate<'a> {
    pub position: usize,
    pub entry: &'a Analyzed<'a>,
    pub shape: &'a Shape,
    /// Whether the reading is without further modifiers.
    pub plain: bool,
}

impl Candidate<'_> {
    /// Widths of the registers that the arguments come from, in the order of the form's.
    pub(crate) fn register_widths(&self) -> Vec<i64> {
        let width = |source: &Source| match source {
            Source::Own(arg) | Source::Masked(Masked { arg, .. }) => {
                self.entry.function.args[*arg as usize].width.as_constant().unwrap_or(0)
            }
            Source::Constant(_) | Source::Broadcast(_) => i64::from(hydride_ir::MAX_WIDTH),
        };
        self.shape.args.iter().map(width).collect()
    }

    /// How the instruction applies its operation, without the parameter values.
    pub(crate) fn application(&self) -> Application {
        let shape = self.shape;
        Application { params: Vec::new(), args: shape.args.clone(), masking: shape.masking, part: shape.part }
    }

    /// The instruction as a class by itself.
    pub(crate) fn own_application(&self) -> Application {
        let args = (0..self.entry.function.args.len() as u32).map(Source::Own).collect();
        Application { params: Vec::new(), args, masking: None, part: None }
    }
}

/// The classes of candidates; returns those whose reading was not proved.
fn classes(
    candidates: &[Candidate<'_>],
    new_prover: &(dyn Fn() -> Prover + Sync),
    progress: &(dyn Fn(usize) + Sync),
    partition: &mut Partition,
) -> Vec<usize> {
    let mut buckets: BTreeMap<&str, Vec<Candidate<'_>>> = BTreeMap::new();
    for candidate in candidates {
        buckets.entry(&candidate.shape.key).or_default().push(*candidate);
    }
    for bucket in buckets.values_mut() {
        bucket.sort_by_key(|candidate| (candidate.entry.isa, candidate.entry.id));
    }
    let mut buckets: Vec<(&str, Vec<Candidate<'_>>)> = buckets.into_iter().collect();
    // Large classes first, so that none is left to one thread at the end.
    buckets.sort_by_key(|(key, bucket)| (std::cmp::Reverse(bucket.len()), *key));
    let parts: Vec<Part> = buckets
        .par_iter()
        .map_init(new_prover, |prover, (key, bucket)| class(key, bucket, prover, progress))
        .collect();
    let mut refused = Vec::new();
    for part in parts {
        partition.classes.extend(part.classes);
        partition.unknown.extend(part.unknown);
        refused.extend(part.refused);
    }
    refused.sort_unstable();
    refused
}

/// What one bucket gives.
#[derive(Default)]
struct Part {
    classes: Vec<Class>,
    unknown: Vec<(usize, Refusal)>,
    refused: Vec<usize>,
}

impl Part {
    fn absorb(&mut self, part: Part) {
        self.classes.extend(part.classes);
        self.unknown.extend(part.unknown);
        self.refused.extend(part.refused);
    }
}

/// The parameters up to which no number is derived from others by coincidence, and the most that a part of a class that
/// was split may have.
const MAX_PARAMETERS: usize = 8;

/// The most parameters that a class of all instructions of one structure may have: beyond it, the class is split by the
/// layout of its members' elements, and finally by any of their numbers.
const MAX_WHOLE_PARAMETERS: usize = 11;

/// Which loops an instruction's statements have and which of its positions move with them.
fn layout(form: &Form<i64>) -> Vec<u8> {
    let mut layout = Encoding::new("layout");
    for statement in form.results.iter().flat_map(|result| &result.statements) {
        statement.extents.iter().for_each(|extent| layout.flag(*extent > 1));
        for term in &statement.template.terms {
            if let Kind::Leaf { slice, .. } = &term.kind {
                layout.flag(slice.low.base != 0);
                slice.low.strides.iter().for_each(|stride| layout.flag(*stride != 0));
            }
        }
    }
    layout.into_bytes()
}

/// All numbers of a form.
fn numbers(form: &Form<i64>) -> Vec<u8> {
    let mut encoding = Encoding::new("numbers");
    encoding.form(form);
    encoding.into_bytes()
}

/// Members that agree in something, with its encoding.
type Group<'a> = (Vec<u8>, Vec<Candidate<'a>>);

/// Members that need few parameters together, each group with the trait of its first members, the most frequent
/// trait first.
fn groups<'a>(bucket: &[Candidate<'a>], trait_of: impl Fn(&Form<i64>) -> Vec<u8>) -> Vec<Group<'a>> {
    let mut by_trait: BTreeMap<Vec<u8>, Vec<Candidate<'a>>> = BTreeMap::new();
    for candidate in bucket {
        let own = candidate.shape.form.as_ref().map(&trait_of).unwrap_or_default();
        by_trait.entry(own).or_default().push(*candidate);
    }
    let mut by_trait: Vec<Group<'a>> = by_trait.into_iter().collect();
    by_trait.sort_by(|(a, left), (b, right)| right.len().cmp(&left.len()).then_with(|| a.cmp(b)));
    let mut groups: Vec<Group<'a>> = Vec::new();
    for (own, members) in by_trait {
        let joined = groups.iter().position(|(_, group)| {
            let all: Vec<Candidate<'a>> = group.iter().chain(&members).copied().collect();
            parameter_count(&all) <= MAX_PARAMETERS
        });
        match joined {
            Some(group) => groups[group].1.extend(members),
            None => groups.push((own, members)),
        }
    }
    for (_, group) in &mut groups {
        group.sort_by_key(|candidate| (candidate.entry.isa, candidate.entry.id));
    }
    groups
}

fn parameter_count(bucket: &[Candidate<'_>]) -> usize {
    let forms: Vec<&Form<i64>> =
        bucket.iter().filter_map(|candidate| candidate.shape.form.as_ref()).collect();
    let registers: Vec<Vec<i64>> = bucket.iter().map(Candidate::register_widths).collect();
    parameterize(&forms, &registers, MAX_PARAMETERS).params.len()
}

/// The classes of groups, whose traits distinguish their keys.
fn apart(key: &str, groups: &[Group<'_>], prover: &mut Prover, progress: &(dyn Fn(usize) + Sync)) -> Part {
    let mut partition = Part::default();
    for (own, group) in groups {
        let mut encoding = Encoding::new("group");
        encoding.text(key);
        encoding.bytes(own);
        partition.absorb(class(&encoding.key(), group, prover, progress));
    }
    partition
}

/// The class of one bucket; members without a certificate become separate classes.
fn class(
    key: &str,
    bucket: &[Candidate<'_>],
    prover: &mut Prover,
    progress: &(dyn Fn(usize) + Sync),
) -> Part {
    let mut partition = Part::default();
    let forms: Option<Vec<&Form<i64>>> =
        bucket.iter().map(|candidate| candidate.shape.form.as_ref()).collect();
    let forms = forms.filter(|forms| !is_one_block(forms));
    let formed = forms.is_some();
    let (function, numbers, values) = match forms {
        Some(forms) => {
            let registers: Vec<Vec<i64>> = bucket.iter().map(Candidate::register_widths).collect();
            let Parameterized { form, params, values } = parameterize(&forms, &registers, MAX_PARAMETERS);
            if params.len() > MAX_WHOLE_PARAMETERS {
                let by_layout = groups(bucket, layout);
                if by_layout.len() > 1 {
                    return apart(key, &by_layout, prover, progress);
                }
                let by_numbers = groups(bucket, numbers);
                return apart(key, &by_numbers, prover, progress);
            }
            (class_function(key, bucket, &form, params), Some(recorded(&form)), values)
        }
        None => (general_function(key, bucket[0].entry.function), None, vec![Vec::new(); bucket.len()]),
    };
    let first = &bucket[0];
    let structure = if formed { first.shape.key.clone() } else { general_shape(first.entry.function).key };
    let mut class =
        Class { key: key.to_string(), structure, function, numbers, family: None, members: Vec::new() };
    for (candidate, params) in bucket.iter().zip(values) {
        let Candidate { position, entry, plain, .. } = *candidate;
        let application = match formed {
            true => Application { params, ..candidate.application() },
            false => candidate.own_application(),
        };
        match certify(&class.function, entry.function, &application, prover) {
            Ok(proof) => class.members.push(Member { entry: position, application, proof }),
            Err(_) if !plain => partition.refused.push(position),
            Err(refusal) => {
                partition.classes.push(alone(key, candidate));
                partition.unknown.push((position, refusal));
            }
        }
        progress(1);
    }
    if let Some(first) = class.members.first() {
        // The default parameter values are those of a member for which the function is known to be legal.
        for (param, value) in class.function.params.iter_mut().zip(&first.application.params) {
            param.value = *value;
        }
        partition.classes.push(class);
    }
    partition
}

/// The class of an instruction that was not proved to be in the class of its structure.
fn alone(key: &str, candidate: &Candidate<'_>) -> Class {
    let Candidate { position, entry, shape, .. } = *candidate;
    let mut encoding = Encoding::new("lone");
    [key, entry.isa, entry.id].into_iter().for_each(|part| encoding.text(part));
    let key = encoding.key();
    let application = candidate.own_application();
    Class {
        structure: general_shape(entry.function).key,
        key,
        function: general_function(&format!("{}/{}", shape.key, entry.id), entry.function),
        numbers: None,
        family: None,
        members: vec![Member { entry: position, application, proof: Proof::Structural }],
    }
}

/// Terms beyond which a single statement without loops is no shorter than what the document says.
const MAX_BLOCK_TERMS: usize = 200;

/// A class of one instruction whose form is one long expression: nothing was recovered.
fn is_one_block(forms: &[&Form<i64>]) -> bool {
    let [form] = forms else { return false };
    form.results.iter().flat_map(|result| &result.statements).any(|statement| {
        statement.extents.iter().all(|extent| *extent == 1)
            && statement.template.terms.len() > MAX_BLOCK_TERMS
    })
}

fn class_function(
    key: &str,
    bucket: &[Candidate<'_>],
    form: &Form<Num>,
    params: Vec<hydride_ir::Param>,
) -> Function {
    let mut function = Function::new(format!("class_{}", &key[..8]));
    function.params = params;
    for position in 0..form.arg_widths.len() {
        let own = bucket.iter().find_map(|Candidate { entry, shape, .. }| {
            let arg = shape.args[position].own()?;
            Some(entry.function.args[arg as usize].role.loaded())
        });
        let role = own.unwrap_or(Role::Register);
        function.args.push(Arg {
            name: argument_name(position),
            width: form.arg_widths[position].clone(),
            role,
        });
    }
    for (position, result) in form.results.iter().enumerate() {
        let name = if form.results.len() == 1 { "dst".to_string() } else { format!("dst{position}") };
        function.results.push(ResultSlot { name, width: result.width.clone() });
    }
    emit(form, None, &mut function);
    function
}

/// `a`, `b`, …, `z`, `a1`, `b1`, …
fn argument_name(position: usize) -> String {
    let letter = char::from(b'a' + (position % 26) as u8);
    match position / 26 {
        0 => letter.to_string(),
        round => format!("{letter}{round}"),
    }
}

fn general_function(key: &str, function: &Function) -> Function {
    let mut general = open_nans(function).into_owned();
    general.name = format!("class_{}", &key[..8.min(key.len())]);
    for arg in &mut general.args {
        arg.role = arg.role.loaded();
    }
    general
}
