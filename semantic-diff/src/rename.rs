//! Entries that mean the same as entries of other names on the other side: found by evaluation, proved before they count.

use std::collections::{BTreeMap, BTreeSet};

use interp::{Machine, Program, inputs};
use parsers::Isa;
use rayon::prelude::*;
use smt::Prover;

use crate::example::SEED;
use crate::meaning::{Meaning, compare};
use crate::report::Renamed;
use crate::shape::Shape;
use crate::side::Entry;

/// Examples that two entries must agree on before anything is proved.
const EXAMPLES: usize = 64;

/// Pairs of one gone and one other entry that are proved to mean the same, each gone entry in one pair at most,
/// and each of the others too where `once`. Among equals the nearest names meet.
pub(crate) fn equals(
    gone: &[&Entry<'_>],
    others: &[&Entry<'_>],
    once: bool,
    provers: &(dyn Fn() -> Prover + Sync),
) -> Vec<(usize, usize, Renamed)> {
    let shape = |entry: &Entry<'_>| Some((entry.isa, Shape::of(entry.reading()?.function)?));
    let wanted: BTreeSet<(Isa, Shape)> = gone.iter().filter_map(|entry| shape(entry)).collect();
    let mut groups: BTreeMap<(Isa, Shape, [u8; 32]), [Vec<usize>; 2]> = BTreeMap::new();
    for (side, entries) in [gone, others].into_iter().enumerate() {
        let key = |entry: &&Entry<'_>| {
            let (isa, shape) = shape(entry).filter(|shape| wanted.contains(shape))?;
            let hash = results(entry, &shape)?;
            Some((isa, shape, hash))
        };
        let keys: Vec<_> = entries.par_iter().map(key).collect();
        for (position, key) in keys.into_iter().enumerate() {
            if let Some(key) = key {
                groups.entry(key).or_default()[side].push(position);
            }
        }
    }
    let mut found: Vec<(usize, usize, Renamed)> = groups
        .into_values()
        .collect::<Vec<_>>()
        .par_iter()
        .map_init(provers, |prover, [left, right]| {
            let mut pairs: Vec<(usize, usize, usize)> = Vec::new();
            for one in left {
                for other in right {
                    pairs.push((distance(&gone[*one].id, &others[*other].id), *one, *other));
                }
            }
            pairs.sort_by_key(|(distance, one, other)| (*distance, &gone[*one].id, &others[*other].id));
            let mut found: Vec<(usize, usize, Renamed)> = Vec::new();
            for (_, one, other) in pairs {
                let taken = |(known, partner, _): &(usize, usize, Renamed)| {
                    *known == one || (once && *partner == other)
                };
                if found.iter().any(taken) {
                    continue;
                }
                let (old, new) = (gone[one], others[other]);
                let (Some(left), Some(right)) = (old.reading(), new.reading()) else { continue };
                if let Meaning::Same(proof) = compare(left, right, prover) {
                    let renamed = Renamed { isa: old.isa, old: old.id.clone(), new: new.id.clone(), proof };
                    found.push((one, other, renamed));
                }
            }
            found
        })
        .flatten()
        .collect();
    found.sort_by(|one, other| one.2.cmp(&other.2));
    found
}

/// A digest of an entry's results for the examples of its shape: entries of one meaning have one digest.
fn results(entry: &Entry<'_>, shape: &Shape) -> Option<[u8; 32]> {
    let program = Program::new(entry.reading()?.function).ok()?;
    let mut machine = Machine::new();
    let mut hasher = blake3::Hasher::new();
    for args in inputs::examples(&shape.args, None, EXAMPLES, SEED) {
        program.run_into(&mut machine, &args).ok()?;
        for result in 0..shape.results.len() {
            for word in program.result_words(&machine, result) {
                hasher.update(&word.to_le_bytes());
            }
        }
    }
    Some(*hasher.finalize().as_bytes())
}

/// The number of characters to insert, remove or replace (Levenshtein, 1966).
fn distance(one: &str, other: &str) -> usize {
    let other: Vec<char> = other.chars().collect();
    let mut row: Vec<usize> = (0..=other.len()).collect();
    for (line, letter) in one.chars().enumerate() {
        let mut diagonal = row[0];
        row[0] = line + 1;
        for (column, second) in other.iter().enumerate() {
            let replaced = diagonal + usize::from(letter != *second);
            diagonal = row[column + 1];
            row[column + 1] = replaced.min(diagonal + 1).min(row[column] + 1);
        }
    }
    row[other.len()]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn distances_count_edits() {
        assert_eq!(distance("kitten", "sitting"), 3);
        assert_eq!((distance("", "ab"), distance("ab", "ab")), (2, 0));
    }
}
