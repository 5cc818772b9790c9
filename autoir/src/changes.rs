//! What another dictionary changes for those who use the operations of one.

use std::collections::BTreeMap;
use std::fmt;

use catalog::{Application, Family};

use crate::dictionary::Dictionary;

/// A difference between two dictionaries.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Change {
    /// A family has another name; the old one is an alias.
    Renamed {
        /// The old name.
        from: String,
        /// The new name.
        to: String,
    },
    /// A family was merged into another one, which has its name as an alias.
    Merged {
        /// The family.
        name: String,
        /// The other one.
        into: String,
    },
    /// A name means nothing any more.
    Gone {
        /// The name.
        name: String,
        /// How many members it had.
        members: usize,
    },
    /// A family has other parameters.
    Parameters {
        /// The family.
        name: String,
        /// The names of its old parameters.
        old: Vec<String>,
        /// The names of its new parameters.
        new: Vec<String>,
    },
    /// A family has the same parameters and another function, other defaults or another commutativity.
    Function {
        /// The family.
        name: String,
    },
    /// A member is in another family.
    Moved {
        /// The instruction set and the id.
        member: (String, String),
        /// The old family.
        from: String,
        /// The new family; none if the instruction is a member no more.
        to: Option<String>,
    },
    /// A member applies the function of its family in another way.
    Applied {
        /// The instruction set and the id.
        member: (String, String),
        /// The family.
        name: String,
    },
    /// There is another family.
    New {
        /// Its name.
        name: String,
        /// How many members it has.
        members: usize,
    },
}

impl Change {
    /// Whether a program that uses the operations can notice it.
    pub fn breaks(&self) -> bool {
        !matches!(self, Self::New { .. })
    }
}

impl fmt::Display for Change {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Renamed { from, to } => write!(f, "renamed: {from} is {to}"),
            Self::Merged { name, into } => write!(f, "merged: {name} into {into}"),
            Self::Gone { name, members } => write!(f, "gone: {name} ({members} members)"),
            Self::Parameters { name, old, new } => {
                write!(f, "parameters: {name} had {} and has {}", listed(old), listed(new))
            }
            Self::Function { name } => write!(f, "function: {name} is another function"),
            Self::Moved { member: (isa, id), from, to: Some(to) } => {
                write!(f, "moved: {isa}:{id} from {from} to {to}")
            }
            Self::Moved { member: (isa, id), from, to: None } => {
                write!(f, "moved: {isa}:{id} from {from} to none")
            }
            Self::Applied { member: (isa, id), name } => {
                write!(f, "applied: {isa}:{id} applies {name} in another way")
            }
            Self::New { name, members } => write!(f, "new: {name} ({members} members)"),
        }
    }
}

fn listed(names: &[String]) -> String {
    if names.is_empty() { "none".to_owned() } else { names.join(", ") }
}

impl Dictionary {
    /// What `new` changes, in order.
    pub fn changes_to(&self, new: &Self) -> Vec<Change> {
        let mut changes = Vec::new();
        for (name, family) in self.families() {
            let Some(current) = new.resolve(name) else {
                changes.push(Change::Gone { name: name.to_owned(), members: family.members.len() });
                continue;
            };
            if current != name {
                let (from, to) = (name.to_owned(), current.to_owned());
                changes.push(match self.resolve(current) {
                    Some(other) if other != name => Change::Merged { name: from, into: to },
                    _ => Change::Renamed { from, to },
                });
                if self.resolve(current).is_some() {
                    continue;
                }
            }
            changes.extend(function_change(current, family, &new.entries[current].family));
        }
        let owners = new.owners();
        for (name, family) in self.families() {
            for (member, known) in &family.members {
                let (member, to) = (member.clone(), owners.get(member));
                match to {
                    Some((to, now)) if Some(*to) == new.resolve(name) => {
                        let same = known.application == **now;
                        changes.extend((!same).then(|| Change::Applied { member, name: (*to).to_owned() }));
                    }
                    _ => {
                        let to = to.map(|(to, _)| (*to).to_owned());
                        changes.push(Change::Moved { member, from: name.to_owned(), to });
                    }
                }
            }
        }
        for (name, entry) in &new.entries {
            let is_known =
                std::iter::once(name).chain(&entry.aliases).any(|name| self.resolve(name).is_some());
            if !is_known {
                changes.push(Change::New { name: name.clone(), members: entry.family.members.len() });
            }
        }
        changes.sort();
        changes
    }

    /// For each member its family and how it applies it.
    fn owners(&self) -> BTreeMap<&(String, String), (&str, &Application)> {
        self.families()
            .flat_map(|(name, family)| {
                family.members.iter().map(move |(member, known)| (member, (name, &known.application)))
            })
            .collect()
    }
}

fn function_change(name: &str, old: &Family, new: &Family) -> Option<Change> {
    let params = |family: &Family| -> Vec<String> {
        family.function.params.iter().map(|param| param.name.clone()).collect()
    };
    let name = name.to_owned();
    if params(old) != params(new) {
        return Some(Change::Parameters { name, old: params(old), new: params(new) });
    }
    let nameless = |family: &Family| {
        let mut function = family.function.clone();
        function.name = String::new();
        function.to_string()
    };
    (nameless(old) != nameless(new)).then_some(Change::Function { name })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn dictionary(families: &[(&str, &str, &str, &str)]) -> Dictionary {
        let mut text = String::from("version 1\n");
        for (name, more, function, members) in families {
            let key = blake(name);
            text.push_str(&format!("family {name}\nkey {key}\n{more}\nfunction {function}\n{members}\n"));
        }
        Dictionary::parse(&text).unwrap_or_else(|error| panic!("{error}: {text}"))
    }

    /// Hexadecimal digits that differ from name to name.
    fn blake(name: &str) -> String {
        name.bytes().map(|byte| format!("{byte:02x}")).collect()
    }

    const COPY: &str = "(%a: 8) -> (%d: 8) {\n  %d[0 +: 8] = %a\n}";
    const NOT: &str = "(%a: 8) -> (%d: 8) {\n  %d[0 +: 8] = not(%a)\n}";
    const WIDE: &str = "[e = 8](%a: e) -> (%d: e) {\n  %d[0 +: e] = %a\n}";

    #[test]
    fn each_change_is_found() {
        let old = dictionary(&[
            ("a", "", COPY, "member x one of 0\nmember x two of 0"),
            ("b", "", COPY, "member x three of 0"),
            ("c", "", COPY, "member x four of 0\nmember x five of 0"),
            ("d", "", COPY, ""),
        ]);
        let new = dictionary(&[
            ("a", "", NOT, "member x one of =1"),
            ("bb", "alias b", WIDE, "member x three at 8 of 0"),
            ("e", "", COPY, "member x four of 0"),
            ("f", "alias d", COPY, "member x two of 0"),
        ]);
        let changes = old.changes_to(&new);
        let lines: Vec<String> = changes.iter().map(Change::to_string).collect();
        assert_eq!(
            lines,
            [
                "renamed: b is bb",
                "renamed: d is f",
                "gone: c (2 members)",
                "parameters: bb had none and has e",
                "function: a is another function",
                "moved: x:five from c to none",
                "moved: x:four from c to e",
                "moved: x:two from a to f",
                "applied: x:one applies a in another way",
                "applied: x:three applies bb in another way",
                "new: e (1 members)",
            ]
        );
        assert!(changes.iter().all(|change| change.breaks() != matches!(change, Change::New { .. })));
        assert!(old.changes_to(&old).is_empty());
    }

    #[test]
    fn a_merged_family_is_named_with_its_heir() {
        let old = dictionary(&[("a", "", COPY, "member x one of 0"), ("b", "", COPY, "member x two of 0")]);
        let new = dictionary(&[("a", "alias b", COPY, "member x one of 0\nmember x two of 0")]);
        let lines: Vec<String> = old.changes_to(&new).iter().map(Change::to_string).collect();
        assert_eq!(lines, ["merged: b into a"]);
    }
}
