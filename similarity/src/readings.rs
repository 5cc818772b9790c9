//! Operations that are others under a modifier: which reading of each instruction is used.
//!
//! Instructions of one key are one operation. Where each of them has a reading ([`crate::modifiers`]) whose key
//! is another operation's, or is another operation with an argument fixed to zero, they join that one. Smaller
//! operations join larger ones; one that was joined stays.

use std::collections::{BTreeMap, BTreeSet};

use rayon::prelude::*;
use smt::Memo;

use crate::analyze::Analyzed;
use crate::cached::of_function;
use crate::identity::Encoding;
use crate::modifiers::{variants, zero};
use crate::shape::Shape;

/// For each entry the reading to use in place of its plain shape. The memo keeps what readings an instruction has.
pub(crate) fn readings(entries: &[Analyzed<'_>], memo: &Memo) -> Vec<Option<Shape>> {
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
    entries: &[Analyzed<'_>],
    key: &str,
    bucket: &[usize],
    sizes: &BTreeMap<&str, usize>,
    fixed: &BTreeMap<String, (usize, u32)>,
    memo: &Memo,
) -> BTreeMap<String, Vec<Shape>> {
    let mut found: BTreeMap<String, Vec<Shape>> = BTreeMap::new();
    for (count, position) in bucket.iter().enumerate() {
        let entry = &entries[*position];
        let mut readings = of_function("readings", entry.keyed(), memo, || variants(entry.function));
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
    if let Some(form) = &*shape.form {
        encoding.form(form);
    }
    encoding.key()
}

/// For operations with an argument fixed to zero the entry and the argument.
pub(crate) fn zero_arguments(entries: &[Analyzed<'_>], memo: &Memo) -> BTreeMap<String, (usize, u32)> {
    let found: Vec<(String, (usize, u32))> = entries
        .par_iter()
        .enumerate()
        .flat_map_iter(|(position, entry)| {
            let fixed: Vec<(String, u32)> = of_function("zero", entry.keyed(), memo, || {
                let choices = zero::chosen_arguments(&entry.analysis.shape).into_iter();
                let at_zero = |arg| Some((identity(&zero::operation_at_zero(entry.function, arg)?), arg));
                choices.filter_map(at_zero).collect()
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

/// The reading of an entry as another's operation with one argument zero.
pub(crate) fn at_zero(
    entries: &[Analyzed<'_>],
    entry: &Analyzed<'_>,
    fixed: &BTreeMap<String, (usize, u32)>,
) -> Option<Shape> {
    let own = &entry.analysis.shape;
    let (position, arg) = *fixed.get(&identity(own))?;
    let Analyzed { function, analysis, .. } = entries[position];
    zero::recognize(own, function, &analysis.shape, arg)
}
