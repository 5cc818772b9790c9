//! Classification by a dictionary: instructions join the families that are known, and only those that fit none form
//! new ones.
//!
//! An instruction is tried, each time with a certificate, as what the dictionary records of it, as it is
//! ([`crate::fit`]), under its modifiers, and as an instruction of the run with an argument that is zero. Families
//! never change: the same instruction has the same function and parameters whatever else is classified with it.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::OnceLock;

use catalog::{Application, Family, Proof};
use hydride_ir::Function;
use rayon::prelude::*;
use smt::{Key, Prover};

use crate::analyze::Analyzed;
use crate::cached::{Keyed, certify_keyed, of_function};
use crate::certificate::commutes;
use crate::fit::fit;
use crate::identity::Encoding;
use crate::modifiers::variants;
use crate::partition::{Candidate, Class, Member, Partition, partition};
use crate::readings::{at_zero, zero_arguments};
use crate::shape::{Shape, general_shape};

/// The classes of `entries`: those of `families` that have members among them, and new ones for what fits none. Each
/// thread uses its own prover, made by `new_prover`; `progress` is passed the number of finished members.
pub fn classify(
    entries: &[Analyzed<'_>],
    families: &[&Family],
    new_prover: &(dyn Fn() -> Prover + Sync),
    progress: &(dyn Fn(usize) + Sync),
) -> Partition {
    let known = Known::new(families);
    let places = match families.is_empty() {
        true => entries.iter().map(|_| None).collect(),
        false => known.places(entries, new_prover, progress),
    };
    let mut partition = beside(entries, &open(&places), &known, new_prover, progress);
    partition.classes.extend(joined(entries, families, places));
    partition.sort(entries);
    partition
}

/// The entries without a place.
fn open(places: &[Option<Place>]) -> Vec<usize> {
    places.iter().enumerate().filter(|(_, place)| place.is_none()).map(|(entry, _)| entry).collect()
}

/// How an instruction is a member of a family, by the family's position.
struct Place {
    family: usize,
    application: Application,
    proof: Proof,
}

/// The families, found by members and by structure.
struct Known<'a> {
    families: &'a [&'a Family],
    /// The keys of their functions, each computed when it is needed.
    keys: Vec<OnceLock<Key>>,
    recorded: BTreeMap<(&'a str, &'a str), (usize, &'a Application)>,
    /// Those with the fewest parameters first, and then the largest.
    by_structure: BTreeMap<&'a str, Vec<usize>>,
}

impl<'a> Known<'a> {
    fn new(families: &'a [&'a Family]) -> Self {
        let mut recorded = BTreeMap::new();
        let mut by_structure: BTreeMap<&str, Vec<usize>> = BTreeMap::new();
        for (position, family) in families.iter().enumerate() {
            by_structure.entry(&family.structure).or_default().push(position);
            let members = family.members.iter();
            recorded.extend(
                members
                    .map(|((isa, id), known)| ((isa.as_str(), id.as_str()), (position, &known.application))),
            );
        }
        for positions in by_structure.values_mut() {
            positions.sort_by_key(|position| {
                let family = families[*position];
                (family.function.params.len(), std::cmp::Reverse(family.members.len()), &family.key)
            });
        }
        let keys = families.iter().map(|_| OnceLock::new()).collect();
        Self { families, keys, recorded, by_structure }
    }

    /// For each entry its family, where it has one.
    fn places(
        &self,
        entries: &[Analyzed<'_>],
        new_prover: &(dyn Fn() -> Prover + Sync),
        progress: &(dyn Fn(usize) + Sync),
    ) -> Vec<Option<Place>> {
        let finished = |place: Option<Place>| {
            progress(usize::from(place.is_some()));
            place
        };
        let alone = |prover: &mut Prover, entry: &Analyzed<'_>| finished(self.place(entry, prover));
        let mut places: Vec<Option<Place>> = entries.par_iter().map_init(new_prover, alone).collect();
        let left = open(&places);
        if left.is_empty() {
            return places;
        }
        let fixed = zero_arguments(entries, new_prover().memo());
        let beside_others = |prover: &mut Prover, position: &usize| {
            let entry = &entries[*position];
            let shape = at_zero(entries, entry, &fixed)?;
            finished(self.fitting(entry, &shape, prover))
        };
        let found: Vec<Option<Place>> = left.par_iter().map_init(new_prover, beside_others).collect();
        for (position, place) in left.into_iter().zip(found) {
            places[position] = place;
        }
        places
    }

    /// The family of an instruction: the one that records it, if that still holds, or else the first that it fits.
    fn place(&self, entry: &Analyzed<'_>, prover: &mut Prover) -> Option<Place> {
        if let Some((family, application)) = self.recorded.get(&(entry.isa, entry.id))
            && let Some(place) = self.certified(*family, entry, (*application).clone(), prover)
        {
            return Some(place);
        }
        if let Some(place) = self.fitting(entry, &entry.analysis.shape, prover) {
            return Some(place);
        }
        if let Some(place) = self.fitting(entry, &general_shape(entry.function), prover) {
            return Some(place);
        }
        let memo = prover.memo().clone();
        let readings = of_function("readings", entry.keyed(), &memo, || variants(entry.function));
        readings.iter().find_map(|shape| self.fitting(entry, shape, prover))
    }

    /// The first family that an instruction of the shape `shape` fits.
    fn fitting(&self, entry: &Analyzed<'_>, shape: &Shape, prover: &mut Prover) -> Option<Place> {
        let candidate = Candidate { position: 0, entry, shape, plain: true };
        let positions = self.by_structure.get(shape.key.as_str())?;
        positions.iter().find_map(|position| {
            let family = self.families[*position];
            let application = match (&family.numbers, &*shape.form) {
                (Some(_), Some(form)) => {
                    let params = fit(family, form, &candidate.register_widths())?;
                    Application { params, ..candidate.application() }
                }
                (None, None) if family.function.args.len() == entry.function.args.len() => {
                    candidate.own_application()
                }
                _ => return None,
            };
            if family.is_commutative() && !commutes(&family.function, &application.params) {
                return None;
            }
            self.certified(*position, entry, application, prover)
        })
    }

    fn certified(
        &self,
        family: usize,
        entry: &Analyzed<'_>,
        application: Application,
        prover: &mut Prover,
    ) -> Option<Place> {
        let class = Keyed { function: &self.families[family].function, key: &self.keys[family] };
        let proof = certify_keyed(class, entry.keyed(), &application, prover).ok()?;
        Some(Place { family, application, proof })
    }
}

/// The classes of entries that fit no family, under keys that no family has. Their functions are as they will be when
/// they are read from a dictionary.
fn beside(
    entries: &[Analyzed<'_>],
    left: &[usize],
    known: &Known<'_>,
    new_prover: &(dyn Fn() -> Prover + Sync),
    progress: &(dyn Fn(usize) + Sync),
) -> Partition {
    let own: Vec<Analyzed<'_>> = left.iter().map(|position| entries[*position]).collect();
    let mut partition = partition(&own, new_prover, progress);
    let mut taken: BTreeSet<String> = known.families.iter().map(|family| family.key.clone()).collect();
    for class in &mut partition.classes {
        class.members.iter_mut().for_each(|member| member.entry = left[member.entry]);
        let further = (1..).map(|number| further_key(&class.key, number));
        let key = std::iter::once(class.key.clone()).chain(further).find(|key| !taken.contains(key));
        class.key = key.unwrap_or_default();
        if let Ok(written) = Function::parse(&class.function.to_string()) {
            class.function = written;
        }
        taken.insert(class.key.clone());
    }
    partition.unknown.iter_mut().for_each(|(entry, _)| *entry = left[*entry]);
    partition
}

/// The key of a class that has the structure of a family but does not fit it.
fn further_key(key: &str, number: i64) -> String {
    let mut encoding = Encoding::new("further");
    encoding.text(key);
    encoding.number(number);
    encoding.key()
}

/// The families that have members, as classes.
fn joined(entries: &[Analyzed<'_>], families: &[&Family], places: Vec<Option<Place>>) -> Vec<Class> {
    let mut members: BTreeMap<usize, Vec<Member>> = BTreeMap::new();
    for (entry, place) in places.into_iter().enumerate() {
        if let Some(Place { family, application, proof }) = place {
            members.entry(family).or_default().push(Member { entry, application, proof });
        }
    }
    members
        .into_iter()
        .map(|(position, mut members)| {
            members.sort_by_key(|member| (entries[member.entry].isa, entries[member.entry].id));
            let family = families[position];
            Class {
                key: family.key.clone(),
                structure: family.structure.clone(),
                function: family.function.clone(),
                numbers: family.numbers.clone(),
                family: Some(position),
                members,
            }
        })
        .collect()
}
