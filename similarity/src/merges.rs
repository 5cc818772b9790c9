//! How a class came about: which step put which members together.

use std::collections::{BTreeMap, BTreeSet};

use catalog::Proof;

use crate::analyze::Analyzed;
use crate::partition::Class;

/// A step on the way to a class.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Step {
    /// These members have one key: the same structure, up to numbers.
    EqualKey {
        /// The key.
        key: String,
        /// Positions in the list of entries.
        members: Vec<usize>,
    },
    /// Groups of members with different keys became one class.
    Joined {
        /// The groups' keys.
        keys: Vec<String>,
    },
    /// Numbers that differ between members became a parameter.
    Parameter {
        /// The parameter's name.
        name: String,
        /// The values that members have, sorted.
        values: BTreeSet<i64>,
    },
    /// Every member was proved equal to the class's function.
    Certified {
        /// Members that are one expression with it.
        structural: usize,
        /// Members for which the solver decided.
        smt: usize,
    },
}

/// The steps that led to a class, in order.
pub fn steps(class: &Class, entries: &[Analyzed<'_>]) -> Vec<Step> {
    let mut groups: BTreeMap<&str, Vec<usize>> = BTreeMap::new();
    for member in &class.members {
        groups.entry(&entries[member.entry].analysis.shape.key).or_default().push(member.entry);
    }
    let keys: Vec<String> = groups.keys().map(|key| (*key).to_owned()).collect();
    let mut steps: Vec<Step> =
        groups.into_iter().map(|(key, members)| Step::EqualKey { key: key.to_owned(), members }).collect();
    if keys.len() > 1 {
        steps.push(Step::Joined { keys });
    }
    steps.extend(class.function.params.iter().enumerate().map(|(position, param)| {
        Step::Parameter {
            name: param.name.clone(),
            values: class
                .members
                .iter()
                .filter_map(|member| member.application.params.get(position))
                .copied()
                .collect(),
        }
    }));
    let structural = class.members.iter().filter(|member| member.proof == Proof::Structural).count();
    steps.push(Step::Certified { structural, smt: class.members.len() - structural });
    steps
}
