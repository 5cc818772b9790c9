//! What a change of entries does to the operations of the IR: operations are matched by their members.

use std::collections::{BTreeMap, BTreeSet};

use crate::report::{Moved, OperationCount, Operations, ParamChange, RenamedOperation, SplitOperation};
use crate::side::Operation;

/// Compares the operations of two sides. Members are one by instruction set and id; entries that only one
/// side has do not count as moved. `changed` are the members whose text or meaning changed.
pub fn operations(old: &[Operation], new: &[Operation], changed: &BTreeSet<(String, String)>) -> Operations {
    let owners = |side: &'_ [Operation]| -> BTreeMap<(String, String), usize> {
        let members = side.iter().enumerate().flat_map(|(position, operation)| {
            operation.members.iter().map(move |member| (member.clone(), position))
        });
        members.collect()
    };
    let (old_owners, new_owners) = (owners(old), owners(new));
    // For each pair of operations the members that they share.
    let mut shared: BTreeMap<(usize, usize), BTreeSet<&(String, String)>> = BTreeMap::new();
    for (member, from) in &old_owners {
        if let Some(to) = new_owners.get(member) {
            shared.entry((*from, *to)).or_default().insert(member);
        }
    }
    let heirs = heirs(&shared, |(from, to)| (from, to), |from, to| old[from].name == new[to].name);
    let ancestors = self::heirs(&shared, |(from, to)| (to, from), |to, from| old[from].name == new[to].name);
    let count = |operation: &Operation, members| OperationCount { name: operation.name.clone(), members };
    let mut found = Operations { old: old.len(), new: new.len(), ..Operations::default() };

    for (position, operation) in new.iter().enumerate() {
        let parts: Vec<OperationCount> = shared
            .iter()
            .filter(|((_, to), _)| *to == position)
            .map(|((from, _), members)| count(&old[*from], members.len()))
            .collect();
        match parts.len() {
            0 => found.added.push(count(operation, operation.members.len())),
            1 => {}
            _ => found.merged.push(SplitOperation { name: operation.name.clone(), parts }),
        }
    }
    for (position, operation) in old.iter().enumerate() {
        let parts: Vec<OperationCount> = shared
            .iter()
            .filter(|((from, _), _)| *from == position)
            .map(|((_, to), members)| count(&new[*to], members.len()))
            .collect();
        match parts.len() {
            0 => found.removed.push(count(operation, operation.members.len())),
            1 => {}
            _ => found.split.push(SplitOperation { name: operation.name.clone(), parts }),
        }
    }
    for ((from, to), members) in &shared {
        let stays = heirs.get(from) == Some(to) && ancestors.get(to) == Some(from);
        if stays {
            let (old, new) = (&old[*from], &new[*to]);
            if old.name != new.name {
                let merged = found.merged.iter().any(|merged| merged.name == new.name);
                let split = found.split.iter().any(|split| split.name == old.name);
                let cause = match (merged, split) {
                    (true, _) => "merged",
                    (false, true) => "split",
                    _ if members.iter().any(|member| changed.contains(*member)) => "changed members",
                    _ => "none",
                };
                let renamed =
                    RenamedOperation { old: old.name.clone(), new: new.name.clone(), cause: cause.into() };
                found.renamed.push(renamed);
            }
            let missing = |from: &[String], other: &[String]| -> Vec<String> {
                from.iter().filter(|param| !other.contains(param)).cloned().collect()
            };
            let (added, removed) = (missing(&new.params, &old.params), missing(&old.params, &new.params));
            if !added.is_empty() || !removed.is_empty() {
                found.params.push(ParamChange { name: new.name.clone(), added, removed });
            }
            continue;
        }
        found.moved.extend(members.iter().map(|(isa, id)| Moved {
            isa: isa.clone(),
            id: id.clone(),
            from: old[*from].name.clone(),
            to: new[*to].name.clone(),
        }));
    }
    found.added.sort();
    found.removed.sort();
    found.split.sort();
    found.merged.sort();
    found.moved.sort();
    found.renamed.sort();
    found.params.sort();
    found
}

/// For each operation of one side the one of the other that shares most members with it; among several the
/// one of the same name.
fn heirs(
    shared: &BTreeMap<(usize, usize), BTreeSet<&(String, String)>>,
    orient: impl Fn((usize, usize)) -> (usize, usize),
    same_name: impl Fn(usize, usize) -> bool,
) -> BTreeMap<usize, usize> {
    let mut best: BTreeMap<usize, ((usize, bool), usize)> = BTreeMap::new();
    for (pair, members) in shared {
        let (own, other) = orient(*pair);
        let claim = (members.len(), same_name(own, other));
        let known = best.entry(own).or_insert((claim, other));
        if claim > known.0 {
            *known = (claim, other);
        }
    }
    best.into_iter().map(|(own, (_, other))| (own, other)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn operation(name: &str, params: &[&str], members: &[&str]) -> Operation {
        Operation {
            name: name.into(),
            params: params.iter().map(|param| (*param).into()).collect(),
            members: members.iter().map(|id| ("x86".to_owned(), (*id).to_owned())).collect(),
        }
    }

    #[test]
    fn operations_split_merge_and_take_parameters() {
        let old = [
            operation("add", &["width"], &["a", "b", "c"]),
            operation("max", &[], &["d"]),
            operation("min", &[], &["e", "f"]),
            operation("gone", &[], &["x"]),
        ];
        let new = [
            operation("add", &["width", "sign"], &["a", "b", "new"]),
            operation("add_2", &[], &["c"]),
            operation("extremum", &["sign"], &["d", "e", "f"]),
            operation("fresh", &[], &["y"]),
        ];
        let none = BTreeSet::new();
        let found = operations(&old, &new, &none);
        assert_eq!(found.added, [OperationCount { name: "fresh".into(), members: 1 }]);
        assert_eq!(found.removed, [OperationCount { name: "gone".into(), members: 1 }]);
        assert_eq!((found.split.len(), found.split[0].name.as_str()), (1, "add"));
        assert_eq!((found.merged.len(), found.merged[0].name.as_str()), (1, "extremum"));
        let moved: Vec<&str> = found.moved.iter().map(|moved| moved.id.as_str()).collect();
        assert_eq!(moved, ["c", "d"]);
        assert_eq!(
            found.renamed,
            [RenamedOperation { old: "min".into(), new: "extremum".into(), cause: "merged".into() }]
        );
        assert_eq!(found.params[0].added, ["sign"]);
        assert!(operations(&old, &old, &none).is_empty());
    }
}
