//! The equivalence classes: instructions of one key under one parameterized function, each proved.

use std::collections::BTreeMap;
use std::time::Duration;

use hydride_ir::lane::{Form, Masking, emit};
use hydride_ir::{Arg, Function, Num, ResultSlot};
use rayon::prelude::*;
use smt::Prover;

use crate::analyze::Analysis;
use crate::certificate::{Application, Proof, Refusal, certify};
use crate::parameters::{Parameterized, parameterize};

/// An instruction to be classified.
#[derive(Clone, Copy, Debug)]
pub struct Entry<'a> {
    /// The instruction set and the id; entries are classified in this order.
    pub isa: &'a str,
    /// The instruction's id.
    pub id: &'a str,
    /// The directly parsed semantics.
    pub function: &'a Function,
    /// What [`crate::analyze`] found.
    pub analysis: &'a Analysis,
}

/// All classes.
#[derive(Debug, Default)]
pub struct Partition {
    /// The classes, ordered by their first members.
    pub classes: Vec<Class>,
    /// Memberships that could not be decided; each such instruction has a class of its own.
    pub unknown: Vec<(usize, Refusal)>,
}

impl Partition {
    fn absorb(&mut self, part: Partition) {
        self.classes.extend(part.classes);
        self.unknown.extend(part.unknown);
    }
}

/// One equivalence class.
#[derive(Debug)]
pub struct Class {
    /// Structural identity, stable across documents: 32 hexadecimal digits.
    pub key: String,
    /// The semantics over the class's parameters.
    pub function: Function,
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

/// Shares `entries` out over classes. `progress` is told the number of finished members.
pub fn partition(
    entries: &[Entry<'_>],
    time_limit: Duration,
    progress: &(dyn Fn(usize) + Sync),
) -> Partition {
    let mut buckets: BTreeMap<&str, Vec<usize>> = BTreeMap::new();
    for (position, entry) in entries.iter().enumerate() {
        buckets.entry(&entry.analysis.key).or_default().push(position);
    }
    for bucket in buckets.values_mut() {
        bucket.sort_by_key(|position| (entries[*position].isa, entries[*position].id));
    }
    let mut buckets: Vec<(&str, Vec<usize>)> = buckets.into_iter().collect();
    // Large classes first, so that none is left to one thread at the end.
    buckets.sort_by_key(|(key, bucket)| (std::cmp::Reverse(bucket.len()), *key));
    let parts: Vec<Partition> = buckets
        .par_iter()
        .map_init(
            || Prover::with_time_limit(time_limit),
            |prover, (key, bucket)| class(entries, key, bucket, prover, progress),
        )
        .collect();
    let mut partition = Partition::default();
    for part in parts {
        partition.absorb(part);
    }
    let name = |class: &Class| {
        let entry = &entries[class.members[0].entry];
        (entry.isa.to_string(), entry.id.to_string())
    };
    partition.classes.sort_by_cached_key(name);
    partition.unknown.sort_by_key(|(entry, _)| *entry);
    partition
}

/// Parameters beyond which a class is a coincidence of structure: such members stay apart unless their
/// numbers are the same.
const MAX_PARAMETERS: usize = 20;

/// Classes of the members whose forms are equal, numbers and all.
fn split(
    entries: &[Entry<'_>],
    key: &str,
    bucket: &[usize],
    prover: &mut Prover,
    progress: &(dyn Fn(usize) + Sync),
) -> Partition {
    let mut groups: BTreeMap<String, Vec<usize>> = BTreeMap::new();
    for position in bucket {
        let form = format!("{key}{:?}", entries[*position].analysis.form);
        let key = blake3::hash(form.as_bytes()).to_hex()[..32].to_string();
        groups.entry(key).or_default().push(*position);
    }
    let mut partition = Partition::default();
    for (key, group) in &groups {
        let part = class(entries, key, group, prover, progress);
        partition.absorb(part);
    }
    partition
}

/// The class of one bucket; members that have no certificate become classes of their own.
fn class(
    entries: &[Entry<'_>],
    key: &str,
    bucket: &[usize],
    prover: &mut Prover,
    progress: &(dyn Fn(usize) + Sync),
) -> Partition {
    let mut partition = Partition::default();
    let forms: Option<Vec<&Form<i64>>> =
        bucket.iter().map(|position| entries[*position].analysis.form.as_ref()).collect();
    let (function, values) = match forms {
        Some(forms) => {
            let registers: Vec<Vec<i64>> =
                bucket.iter().map(|position| register_widths(&entries[*position])).collect();
            let Parameterized { form, params, values } = parameterize(&forms, &registers);
            if params.len() > MAX_PARAMETERS {
                return split(entries, key, bucket, prover, progress);
            }
            let first = &entries[bucket[0]];
            (class_function(key, first, &form, params), values)
        }
        None => (general_function(key, entries[bucket[0]].function), vec![Vec::new(); bucket.len()]),
    };
    let mut class = Class { key: key.to_string(), function, members: Vec::new() };
    for (member, position) in bucket.iter().enumerate() {
        let entry = &entries[*position];
        let application = application(entry, values[member].clone(), entry.analysis.masking);
        match certify(&class.function, entry.function, &application, prover) {
            Ok(proof) => class.members.push(Member { entry: *position, application, proof }),
            Err(refusal) => {
                let own = general_function(&format!("{key}/{}", entry.id), entry.function);
                let application = Application {
                    params: Vec::new(),
                    args: (0..entry.function.args.len() as u32).collect(),
                    masking: None,
                };
                let member = Member { entry: *position, application, proof: Proof::Structural };
                let key = blake3::hash(format!("{key}/{}/{}", entry.isa, entry.id).as_bytes()).to_hex()[..32]
                    .to_string();
                partition.classes.push(Class { key, function: own, members: vec![member] });
                partition.unknown.push((*position, refusal));
            }
        }
        progress(1);
    }
    if let Some(first) = class.members.first() {
        // The parameters' own values are those of a member for which the function is known to be legal.
        for (param, value) in class.function.params.iter_mut().zip(&first.application.params) {
            param.value = *value;
        }
        partition.classes.push(class);
    }
    partition
}

/// Widths of the instruction's own arguments, in the order of its form's.
fn register_widths(entry: &Entry<'_>) -> Vec<i64> {
    let width = |arg: &u32| entry.function.args[*arg as usize].width.as_constant().unwrap_or(0);
    entry.analysis.args.iter().map(width).collect()
}

fn application(entry: &Entry<'_>, params: Vec<i64>, masking: Option<Masking>) -> Application {
    let args = match &entry.analysis.form {
        Some(_) => entry.analysis.args.clone(),
        None => (0..entry.function.args.len() as u32).collect(),
    };
    Application { params, args, masking }
}

fn class_function(
    key: &str,
    first: &Entry<'_>,
    form: &Form<Num>,
    params: Vec<hydride_ir::Param>,
) -> Function {
    let mut function = Function::new(format!("class_{}", &key[..8]));
    function.params = params;
    for (position, arg) in first.analysis.args.iter().enumerate() {
        let own = &first.function.args[*arg as usize];
        let name = char::from(b'a' + position as u8 % 26).to_string();
        function.args.push(Arg { name, width: form.arg_widths[position].clone(), role: own.role });
    }
    for (position, result) in form.results.iter().enumerate() {
        let name = if form.results.len() == 1 { "dst".to_string() } else { format!("dst{position}") };
        function.results.push(ResultSlot { name, width: result.width.clone() });
    }
    emit(form, None, &mut function);
    function
}

fn general_function(key: &str, function: &Function) -> Function {
    let mut general = function.clone();
    general.name = format!("class_{}", &key[..8.min(key.len())]);
    general
}
