//! Which name each class has.
//!
//! In a run a class that is a family of the dictionary has its name, and any other class a fresh one: a name never
//! means another function than before. Only where a dictionary is made anew does a class inherit a name from its
//! predecessor: the family that had its key, or most of its members.

use std::collections::{BTreeMap, BTreeSet};

use catalog::Family;
use hydride_ir::Function;

use crate::class::Class;
use crate::dictionary::{Dictionary, Entry};
use crate::name;

/// One name for each class, and the dictionary with those that it lacked.
pub(crate) fn assign_names(classes: &[Class], mut dictionary: Dictionary) -> (Vec<String>, Dictionary) {
    let mut names = by_key(classes, &dictionary);
    let names = complete(classes, &mut names, &dictionary);
    dictionary.remember(classes, &names);
    (names, dictionary)
}

/// One name for each class, and the dictionary of these classes alone. Names come from `previous` where it has a
/// predecessor.
pub(crate) fn inherit_names(classes: &[Class], previous: &Dictionary) -> (Vec<String>, Dictionary) {
    let votes: Vec<BTreeMap<&str, usize>> = {
        let owners = previous.member_owners();
        classes.iter().map(|class| count_votes(class, &owners)).collect()
    };
    let mut names = by_key(classes, previous);
    claim_by_members(classes, &votes, &mut names);
    let names = complete(classes, &mut names, previous);
    let mut dictionary = Dictionary::default();
    dictionary.remember(classes, &names);
    for (name, entry) in &mut dictionary.entries {
        if let Some(old) = previous.entries.get(name) {
            keep_defaults(&mut entry.family.function, &old.family.function);
        }
    }
    for (name, entry) in &previous.entries {
        let heir = match dictionary.entries.contains_key(name) {
            true => Some(name),
            false => merged_into(name, entry, &votes).map(|class| &names[class]),
        };
        if let Some(heir) = heir.and_then(|heir| dictionary.entries.get_mut(heir)) {
            heir.aliases.extend(entry.aliases.iter().cloned());
            heir.aliases.extend((!names.contains(name)).then(|| name.clone()));
        }
    }
    (names, dictionary)
}

/// Gives the parameters the values that they had, if nothing else of the function has changed: what a program leaves out
/// keeps its meaning, whatever members there are now.
fn keep_defaults(function: &mut Function, old: &Function) {
    let mut kept = function.clone();
    for (param, old) in kept.params.iter_mut().zip(&old.params) {
        param.value = old.value;
    }
    if kept.to_string() == old.to_string() {
        *function = kept;
    }
}

/// The class that has most of the members of a family without a class.
fn merged_into(name: &str, entry: &Entry, votes: &[BTreeMap<&str, usize>]) -> Option<usize> {
    let total = entry.family.members.len();
    votes.iter().position(|votes| votes.get(name).is_some_and(|count| count * 2 > total))
}

/// The names of the families that classes are.
fn by_key(classes: &[Class], dictionary: &Dictionary) -> Vec<Option<String>> {
    let names: BTreeMap<&str, &str> =
        dictionary.families().map(|(name, family)| (family.key.as_str(), name)).collect();
    classes.iter().map(|class| Some((*names.get(class.structural_hash.as_str())?).to_owned())).collect()
}

/// Fresh names where there are none yet.
fn complete(classes: &[Class], names: &mut [Option<String>], dictionary: &Dictionary) -> Vec<String> {
    let mut taken: BTreeSet<String> = dictionary.entries.keys().cloned().collect();
    taken.extend(dictionary.entries.values().flat_map(|entry| entry.aliases.iter().cloned()));
    let given = classes.iter().zip(names);
    given.map(|(class, name)| name.take().unwrap_or_else(|| fresh_name(class, &mut taken))).collect()
}

/// How many of the class's members belong to each family.
fn count_votes<'a>(class: &Class, owners: &BTreeMap<(&str, &str), &'a str>) -> BTreeMap<&'a str, usize> {
    let mut votes = BTreeMap::new();
    for member in &class.members {
        if let Some(name) = owners.get(&(member.isa.as_str(), member.id.as_str())) {
            *votes.entry(*name).or_insert(0) += 1;
        }
    }
    votes
}

/// A class of unknown key inherits the name of the family that most of its members belonged to.
fn claim_by_members(classes: &[Class], votes: &[BTreeMap<&str, usize>], names: &mut [Option<String>]) {
    let mut taken: BTreeSet<String> = names.iter().flatten().cloned().collect();
    let mut claims: Vec<(std::cmp::Reverse<usize>, usize, &str)> = Vec::new();
    for (index, class) in classes.iter().enumerate() {
        let majority = votes[index].iter().filter(|(_, count)| **count * 2 > class.members.len());
        claims.extend(majority.map(|(name, count)| (std::cmp::Reverse(*count), index, *name)));
    }
    claims.sort();
    for (_, index, name) in claims {
        if names[index].is_none() && taken.insert(name.to_owned()) {
            names[index] = Some(name.to_owned());
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

impl Dictionary {
    /// The name of the family of each member.
    fn member_owners(&self) -> BTreeMap<(&str, &str), &str> {
        let mut owners = BTreeMap::new();
        for (name, family) in self.families() {
            owners.extend(family.members.keys().map(|(isa, id)| ((isa.as_str(), id.as_str()), name)));
        }
        owners
    }

    /// Adds the classes of a run under their names: new families, and the members of known ones. A member belongs to
    /// the class that it has now, and to no other.
    fn remember(&mut self, classes: &[Class], names: &[String]) {
        let now: BTreeMap<(&str, &str), &str> = classes
            .iter()
            .zip(names)
            .flat_map(|(class, name)| {
                class
                    .members
                    .iter()
                    .map(move |member| ((member.isa.as_str(), member.id.as_str()), name.as_str()))
            })
            .collect();
        for (name, entry) in &mut self.entries {
            let stays = |(isa, id): &(String, String)| {
                now.get(&(isa.as_str(), id.as_str())).is_none_or(|owner| owner == name)
            };
            entry.family.members.retain(|member, _| stays(member));
        }
        for (class, name) in classes.iter().zip(names) {
            let entry = self.entries.entry(name.clone()).or_insert_with(|| Entry::new(name, class.family()));
            for member in &class.members {
                let key = (member.isa.clone(), member.id.clone());
                entry.family.members.insert(key, member.known());
            }
        }
    }
}

impl Class {
    /// The class as a family without members.
    fn family(&self) -> Family {
        Family {
            key: self.structural_hash.clone(),
            structure: self.structure.clone(),
            function: self.function.clone(),
            numbers: self.numbers.clone(),
            members: BTreeMap::new(),
        }
    }
}
