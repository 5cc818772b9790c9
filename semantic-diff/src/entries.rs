//! The comparison of two sides entry by entry.

use std::collections::BTreeSet;
use std::time::Duration;

use rayon::prelude::*;
use smt::Prover;

use crate::access::other_access;
use crate::align::align;
use crate::counterexample::counterexample;
use crate::meaning::{Meaning, compare};
use crate::rename::equals;
use crate::report::{Change, EntryName, Outcome, Proof, Report, Side as Summary, SignatureChange};
use crate::side::{Entry, Side};

/// Choices of a comparison.
#[derive(Clone, Copy)]
pub struct Options<'a> {
    /// Solver time for one question.
    pub time_limit: Duration,
    /// Called with the number of compared entries and the total, from any thread.
    pub progress: &'a (dyn Fn(usize, usize) + Sync),
}

/// Compares two sides. The report has no names, errata, operations and hardware yet.
pub fn differences(old: &Side<'_>, new: &Side<'_>, options: &Options<'_>) -> Report {
    let provers = || Prover::with_time_limit(options.time_limit);
    let alignment = align(&old.entries, &new.entries);
    let at = |side: &'_ Side<'_>, positions: &[usize]| -> Vec<EntryName> {
        positions.iter().map(|position| name(&side.entries[*position])).collect()
    };
    let removed: Vec<&Entry<'_>> = alignment.removed.iter().map(|position| &old.entries[*position]).collect();
    let added: Vec<&Entry<'_>> = alignment.added.iter().map(|position| &new.entries[*position]).collect();
    let renamed = equals(&removed, &added, true, &provers);
    let (from, to): (BTreeSet<usize>, BTreeSet<usize>) =
        renamed.iter().map(|(one, other, _)| (alignment.removed[*one], alignment.added[*other])).unzip();
    let without = |positions: &[usize], taken: &BTreeSet<usize>| -> Vec<usize> {
        positions.iter().copied().filter(|position| !taken.contains(position)).collect()
    };

    // Removed only by name: another entry is equivalent.
    let gone = without(&alignment.removed, &from);
    let left: Vec<&Entry<'_>> = gone.iter().map(|position| &old.entries[*position]).collect();
    let others: Vec<&Entry<'_>> = new.entries.iter().collect();
    let replaced = equals(&left, &others, false, &provers);

    let done = std::sync::atomic::AtomicUsize::new(0);
    let changes: Vec<Option<Change>> = alignment
        .pairs
        .par_iter()
        .map_init(provers, |prover, (one, other)| {
            let change = change(&old.entries[*one], &new.entries[*other], prover);
            let done = done.fetch_add(1, std::sync::atomic::Ordering::Relaxed) + 1;
            (options.progress)(done, alignment.pairs.len());
            change
        })
        .collect();
    let signatures = alignment
        .pairs
        .iter()
        .filter_map(|(one, other)| signature(&old.entries[*one], &new.entries[*other]))
        .collect();
    Report {
        schema: 1,
        old: summary(old),
        new: summary(new),
        added: at(new, &without(&alignment.added, &to)),
        removed: at(old, &gone),
        renamed: renamed.into_iter().map(|(_, _, renamed)| renamed).collect(),
        replaced: replaced.into_iter().map(|(_, _, replaced)| replaced).collect(),
        signatures,
        changes: changes.into_iter().flatten().collect(),
        errata: Vec::new(),
        operations: None,
    }
}

fn summary(side: &Side<'_>) -> Summary {
    let modelled = side.entries.iter().filter(|entry| entry.semantics.is_ok()).count();
    Summary { entries: side.entries.len(), modelled, ..Summary::default() }
}

fn name(entry: &Entry<'_>) -> EntryName {
    EntryName { isa: entry.isa, id: entry.id.clone(), reason: entry.semantics.as_ref().err().cloned() }
}

/// The outcome for an entry on both sides; `None` if neither text nor semantics changed.
fn change(old: &Entry<'_>, new: &Entry<'_>, prover: &mut Prover) -> Option<Change> {
    let text_differs = match (old.text, new.text) {
        (Some((form, old)), Some((other, new))) if form == other => Some(old != new),
        _ => None,
    };
    let changed = text_differs == Some(true);
    let outcome = match (&old.semantics, &new.semantics) {
        (Ok(before), Ok(after)) => {
            let (left, right) = (old.reading()?, new.reading()?);
            match compare(left, right, prover) {
                Meaning::Same(proof) => match other_access(before, after, prover) {
                    Some(other) => other,
                    None if proof == Proof::Identical && !changed => return None,
                    None => Outcome::Same { proof },
                },
                Meaning::Different(witness) => Outcome::Different {
                    counterexample: Box::new(counterexample(&witness, left.function, right.function)),
                },
                Meaning::Unknown { reason, time } => Outcome::unknown(reason, time),
                Meaning::Incomparable(reason) => Outcome::OtherShape { reason },
            }
        }
        (Err(was), Ok(_)) => Outcome::NewlyModelled { was: was.clone() },
        (Ok(_), Err(now)) => Outcome::NoLongerModelled { now: now.clone() },
        (Err(was), Err(now)) if changed => Outcome::NotModelled { was: was.clone(), now: now.clone() },
        (Err(_), Err(_)) => return None,
    };
    let undefined = |entry: &Entry<'_>| entry.reading().map(|reading| reading.undefined.to_vec());
    let both = old.semantics.is_ok() && new.semantics.is_ok();
    Some(Change {
        isa: new.isa,
        id: new.id.clone(),
        old_id: (old.id != new.id).then(|| old.id.clone()),
        text_differs,
        outcome,
        erratum: None,
        undefined_bits_differ: both && undefined(old) != undefined(new),
    })
}

fn signature(old: &Entry<'_>, new: &Entry<'_>) -> Option<SignatureChange> {
    let mut immediates = Vec::new();
    let (left, right) = (old.immediates(), new.immediates());
    if left.len() == right.len() {
        for ((_, low, high), (name, new_low, new_high)) in left.into_iter().zip(right) {
            if (low, high) != (new_low, new_high) {
                immediates.push(format!("{name}: {low}..={high}, now {new_low}..={new_high}"));
            }
        }
    }
    let prototypes = old.prototype.as_ref().zip(new.prototype.as_ref()).filter(|(old, new)| old != new);
    if prototypes.is_none() && immediates.is_empty() {
        return None;
    }
    let text = |entry: &Entry<'_>| entry.prototype.as_ref().map(ToString::to_string).unwrap_or_default();
    Some(SignatureChange {
        isa: new.isa,
        id: new.id.clone(),
        old: text(old),
        new: text(new),
        types: prototypes.is_some_and(|(old, new)| !old.has_types_of(new)),
        immediates,
    })
}
