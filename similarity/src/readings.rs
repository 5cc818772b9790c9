//! Operations that are others under a modifier: which reading of each instruction is used.
//!
//! Instructions of one key are one operation. Where each of them has a reading ([`crate::variants`]) whose key
//! is another operation's, or is another operation with an argument fixed to zero, they join that one. Smaller
//! operations join larger ones; one that was joined stays.

use std::collections::{BTreeMap, BTreeSet};

use hydride_ir::exact::{Raised, raise};
use hydride_ir::lane::{Kind, Template, Term};
use hydride_ir::{Function, Role};
use rayon::prelude::*;
use smt::Memo;

use crate::analyze::{Shape, form_shape, lane_form};
use crate::cached::of_function;
use crate::identity::Encoding;
use crate::partition::Entry;
use crate::variants::{moves_only, variants};
use catalog::Source;

/// For each entry the reading to use in place of its plain shape. The memo keeps what readings an instruction has.
pub(crate) fn readings(entries: &[Entry<'_>], memo: &Memo) -> Vec<Option<Shape>> {
    let mut buckets: BTreeMap<&str, Vec<usize>> = BTreeMap::new();
    for (position, entry) in entries.iter().enumerate() {
        buckets.entry(&entry.analysis.shape.key).or_default().push(position);
    }
    for bucket in buckets.values_mut() {
        bucket.sort_by_key(|position| (entries[*position].isa, entries[*position].id));
    }
    let sizes: BTreeMap<&str, usize> = buckets.iter().map(|(key, bucket)| (*key, bucket.len())).collect();
    let fixed = zero_arguments(entries, memo);

    let moves: BTreeMap<&str, BTreeMap<String, Vec<Shape>>> = buckets
        .par_iter()
        .map(|(key, bucket)| (*key, targets(entries, key, bucket, &sizes, &fixed, memo)))
        .filter(|(_, targets)| !targets.is_empty())
        .collect();

    let mut order: Vec<&str> = moves.keys().copied().collect();
    order.sort_by_key(|key| (sizes[key], *key));
    let mut moved: BTreeSet<&str> = BTreeSet::new();
    let mut joined: BTreeSet<&str> = BTreeSet::new();
    let mut readings: Vec<Option<Shape>> = vec![None; entries.len()];
    for key in order {
        if joined.contains(key) {
            continue;
        }
        let open = moves[key].iter().filter(|(target, _)| !moved.contains(target.as_str()));
        // Best an operation that does not join another one itself.
        let rank = |target: &str| (!moves.contains_key(target), sizes[target]);
        let Some((target, shapes)) = open.max_by_key(|(target, _)| (rank(target), target.as_str())) else {
            continue;
        };
        moved.insert(key);
        joined.extend(sizes.get_key_value(target.as_str()).map(|(key, _)| *key));
        for (position, shape) in buckets[key].iter().zip(shapes) {
            readings[*position] = Some(shape.clone());
        }
    }
    readings
}

/// The operations that all instructions of a bucket can join, each with their readings.
fn targets(
    entries: &[Entry<'_>],
    key: &str,
    bucket: &[usize],
    sizes: &BTreeMap<&str, usize>,
    fixed: &BTreeMap<String, (usize, u32)>,
    memo: &Memo,
) -> BTreeMap<String, Vec<Shape>> {
    let mut found: BTreeMap<String, Vec<Shape>> = BTreeMap::new();
    for (count, position) in bucket.iter().enumerate() {
        let entry = &entries[*position];
        let mut readings = of_function("readings", entry.function, memo, || variants(entry.function));
        readings.extend(at_zero(entries, entry, fixed));
        let mut next: BTreeMap<String, Shape> = BTreeMap::new();
        for shape in readings {
            let known = if count == 0 {
                shape.key != key && sizes.contains_key(shape.key.as_str())
            } else {
                found.contains_key(&shape.key)
            };
            if known {
                next.entry(shape.key.clone()).or_insert(shape);
            }
        }
        if count == 0 {
            found = next.into_iter().map(|(key, shape)| (key, vec![shape])).collect();
        } else {
            found.retain(|key, shapes| match next.remove(key) {
                Some(shape) => {
                    shapes.push(shape);
                    true
                }
                None => false,
            });
        }
        if found.is_empty() {
            break;
        }
    }
    found
}

/// Identity of an operation with its numbers.
fn identity(shape: &Shape) -> String {
    let mut encoding = Encoding::new("shape");
    encoding.text(&shape.key);
    if let Some(form) = &shape.form {
        encoding.form(form);
    }
    encoding.key()
}

/// For operations with an argument fixed to zero the entry and the argument.
fn zero_arguments(entries: &[Entry<'_>], memo: &Memo) -> BTreeMap<String, (usize, u32)> {
    let found: Vec<(String, (usize, u32))> = entries
        .par_iter()
        .enumerate()
        .flat_map_iter(|(position, entry)| {
            let fixed: Vec<(String, u32)> = of_function("zero", entry.function, memo, || {
                let choices = chosen_arguments(&entry.analysis.shape).into_iter();
                choices.filter_map(|arg| Some((identity(&without(entry.function, arg)?), arg))).collect()
            });
            fixed.into_iter().map(move |(identity, arg)| (identity, (position, arg)))
        })
        .collect();
    let mut first: BTreeMap<String, (usize, u32)> = BTreeMap::new();
    for (identity, origin) in found {
        let key = |(position, arg): (usize, u32)| (entries[position].isa, entries[position].id, arg);
        let known = first.entry(identity).or_insert(origin);
        if key(origin) < key(*known) {
            *known = origin;
        }
    }
    first
}

/// The registers that an operation only compares or chooses.
fn chosen_arguments(shape: &Shape) -> Vec<u32> {
    let Some(form) = &shape.form else { return Vec::new() };
    if moves_only(shape) {
        return Vec::new();
    }
    let mut read: BTreeMap<u32, bool> = BTreeMap::new();
    for statement in form.results.iter().flat_map(|result| &result.statements) {
        let chosen = chosen_terms(&statement.template);
        for (term, chosen) in statement.template.terms.iter().zip(chosen) {
            if let Kind::Leaf(arg) | Kind::Arg(arg) = term.kind {
                *read.entry(arg).or_insert(true) &= chosen || is_flag(term, &statement.template);
            }
        }
    }
    let chosen = read.into_iter().filter(|(_, chosen)| *chosen);
    chosen.filter_map(|(arg, _)| shape.args[arg as usize].own()).collect()
}

/// Whether a term reads one bit next to wider elements: a carry, which selects the operation and is not data.
fn is_flag(term: &Term<i64>, template: &Template<i64>) -> bool {
    let width = |term: &Term<i64>| match term.kind {
        Kind::Leaf(_) => term.numbers[1].base,
        _ => 0,
    };
    width(term) == 1 && template.terms.iter().any(|other| width(other) > 1)
}

/// For each term whether its value is compared, chosen or passed on, wherever it is used.
fn chosen_terms(template: &Template<i64>) -> Vec<bool> {
    let mut chosen = vec![true; template.terms.len()];
    for (user, term) in template.terms.iter().enumerate().rev() {
        for (operand, child) in term.children.iter().enumerate() {
            chosen[*child] &= match term.kind {
                Kind::Eq | Kind::Lt | Kind::Le => true,
                Kind::Select => operand > 0 && chosen[user],
                Kind::Slice | Kind::Concat => chosen[user],
                _ => false,
            };
        }
    }
    chosen
}

/// The operation of `function` with an argument fixed to zero.
fn without(function: &Function, arg: u32) -> Option<Shape> {
    if function.args[arg as usize].role != Role::Register {
        return None;
    }
    let (mut dag, raised) = raise(function).ok()?;
    let zero = dag.int(0);
    let results = raised.results.iter().map(|segments| dag.with_argument(segments, arg, zero)).collect();
    let canonical = lane_form(&mut dag, &Raised { results }, function)?;
    let own: Vec<Source> = (0..function.args.len() as u32).map(Source::Own).collect();
    let shape = form_shape(canonical, function, &own, None);
    (!moves_only(&shape)).then_some(shape)
}

/// The reading of an entry as another's operation with one argument zero.
fn at_zero(
    entries: &[Entry<'_>],
    entry: &Entry<'_>,
    fixed: &BTreeMap<String, (usize, u32)>,
) -> Option<Shape> {
    let own = &entry.analysis.shape;
    let (position, arg) = *fixed.get(&identity(own))?;
    let other = &entries[position];
    let specialised = without(other.function, arg)?;
    let general = &other.analysis.shape;
    let args = general
        .args
        .iter()
        .map(|source| match source {
            Source::Own(known) if *known == arg => Some(Source::Constant(0)),
            source => {
                let place = specialised.args.iter().position(|found| found == source)?;
                own.args.get(place).copied()
            }
        })
        .collect::<Option<Vec<_>>>()?;
    Some(Shape { args, masking: own.masking, part: own.part, ..general.clone() })
}
