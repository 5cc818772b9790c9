//! Which name each class has: the recorded one of its hash or of its members, or a fresh one.

use std::collections::{BTreeMap, BTreeSet};

use crate::class::Class;
use crate::lock::{Entry, Lock};
use crate::name;

/// One name for each class, and the lock that remembers them.
pub(crate) fn assign_names(classes: &[Class], mut lock: Lock) -> (Vec<String>, Lock) {
    let mut names: Vec<Option<String>> = vec![None; classes.len()];
    let votes: Vec<BTreeMap<String, usize>> = {
        let owners = lock.member_owners();
        classes.iter().map(|class| count_votes(class, &owners)).collect()
    };
    claim_by_hash(classes, &lock, &votes, &mut names);
    claim_by_members(classes, &votes, &mut names);

    let mut taken: BTreeSet<String> = lock.entries.keys().cloned().collect();
    taken.extend(lock.entries.values().flat_map(|entry| entry.aliases.iter().cloned()));
    for (class, name) in classes.iter().zip(&mut names) {
        if name.is_none() {
            *name = Some(fresh_name(class, &mut taken));
        }
    }
    let names: Vec<String> = names.into_iter().flatten().collect();
    lock.remember(classes, &names, &votes);
    (names, lock)
}

/// How many of the class's members the lock lists under each name.
fn count_votes(class: &Class, owners: &BTreeMap<(&str, &str), &str>) -> BTreeMap<String, usize> {
    let mut votes = BTreeMap::new();
    for member in &class.members {
        if let Some(name) = owners.get(&(member.isa.as_str(), member.id.as_str())) {
            *votes.entry((*name).to_owned()).or_insert(0) += 1;
        }
    }
    votes
}

/// A class whose hash the lock knows keeps its name. Where an entry has hashes of several classes, the
/// one that shares most members with it does.
fn claim_by_hash(
    classes: &[Class],
    lock: &Lock,
    votes: &[BTreeMap<String, usize>],
    names: &mut [Option<String>],
) {
    let mut by_hash: BTreeMap<&str, &str> = BTreeMap::new();
    for (name, entry) in &lock.entries {
        by_hash.extend(entry.hashes.iter().map(|hash| (hash.as_str(), name.as_str())));
    }
    let mut claims: BTreeMap<&str, (usize, usize)> = BTreeMap::new();
    for (index, class) in classes.iter().enumerate() {
        let Some(name) = by_hash.get(class.structural_hash.as_str()) else { continue };
        let shared = votes[index].get(*name).copied().unwrap_or(0);
        let best = claims.entry(name).or_insert((shared, index));
        if shared > best.0 {
            *best = (shared, index);
        }
    }
    for (name, (_, index)) in claims {
        names[index] = Some(name.to_owned());
    }
}

/// A class of unknown hash inherits the name under which the lock lists most of its members.
fn claim_by_members(classes: &[Class], votes: &[BTreeMap<String, usize>], names: &mut [Option<String>]) {
    let mut taken: BTreeSet<String> = names.iter().flatten().cloned().collect();
    let mut claims: Vec<(std::cmp::Reverse<usize>, usize, &String)> = Vec::new();
    for (index, class) in classes.iter().enumerate() {
        let majority = votes[index].iter().filter(|(_, count)| **count * 2 > class.members.len());
        claims.extend(majority.map(|(name, count)| (std::cmp::Reverse(*count), index, name)));
    }
    claims.sort();
    for (_, index, name) in claims {
        if names[index].is_none() && taken.insert(name.clone()) {
            names[index] = Some(name.clone());
        }
    }
}

/// An unused name: the suggested one, one derived from the structure, the members' mnemonic, or one made from
/// the hash.
fn fresh_name(class: &Class, taken: &mut BTreeSet<String>) -> String {
    let suggested = class.suggested_name.as_deref().and_then(name::sanitize);
    let base = suggested.or_else(|| name::describe(&class.function));
    let base = base.or_else(|| name::of_mnemonics(class));
    let base = base.unwrap_or_else(|| format!("op_{:.8}", class.structural_hash));
    let numbered = (2..).map(|number| format!("{base}_{number}"));
    let mut candidates = std::iter::once(base.clone()).chain(numbered);
    let name = candidates.find(|candidate| !taken.contains(candidate)).unwrap_or(base);
    taken.insert(name.clone());
    name
}

impl Lock {
    /// The name under which each member is listed.
    fn member_owners(&self) -> BTreeMap<(&str, &str), &str> {
        let mut owners = BTreeMap::new();
        for (name, entry) in &self.entries {
            for (isa, ids) in &entry.members {
                owners.extend(ids.iter().map(|id| ((isa.as_str(), id.as_str()), name.as_str())));
            }
        }
        owners
    }

    /// Records the names given to the classes of a run.
    fn remember(&mut self, classes: &[Class], names: &[String], votes: &[BTreeMap<String, usize>]) {
        // An entry without a class, most of whose members now belong to one class, was merged into it:
        // its name becomes an alias.
        let retired: Vec<String> =
            self.entries.keys().filter(|name| !names.contains(name)).cloned().collect();
        for name in retired {
            let total: usize = self.entries[&name].members.values().map(BTreeSet::len).sum();
            let heir = votes.iter().position(|votes| votes.get(&name).is_some_and(|count| count * 2 > total));
            if let Some(heir) = heir
                && let Some(old) = self.entries.remove(&name)
            {
                let entry = self.entries.entry(names[heir].clone()).or_default();
                entry.aliases.insert(name);
                entry.aliases.extend(old.aliases);
                entry.hashes.extend(old.hashes);
                for (isa, ids) in old.members {
                    entry.members.entry(isa).or_default().extend(ids);
                }
            }
        }
        // Members and hashes of this run belong to their classes now, and to nobody else.
        let present: BTreeSet<(&str, &str)> = classes
            .iter()
            .flat_map(|class| class.members.iter().map(|member| (member.isa.as_str(), member.id.as_str())))
            .collect();
        let hashes: BTreeSet<&str> = classes.iter().map(|class| class.structural_hash.as_str()).collect();
        for entry in self.entries.values_mut() {
            entry.hashes.retain(|hash| !hashes.contains(hash.as_str()));
            for (isa, ids) in &mut entry.members {
                ids.retain(|id| !present.contains(&(isa.as_str(), id.as_str())));
            }
        }
        for (class, name) in classes.iter().zip(names) {
            let entry: &mut Entry = self.entries.entry(name.clone()).or_default();
            entry.hashes.insert(class.structural_hash.clone());
            for member in &class.members {
                entry.members.entry(member.isa.clone()).or_default().insert(member.id.clone());
            }
        }
        for entry in self.entries.values_mut() {
            entry.members.retain(|_, ids| !ids.is_empty());
        }
    }
}
