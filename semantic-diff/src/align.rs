//! Which entries of two sides correspond.
//!
//! Entries are matched by instruction set and name. If a document contains a name several times, those with
//! the same text are matched first, then those that need the same machine features, then the others in order.

use std::collections::BTreeMap;

use crate::side::Entry;

/// Pairs of positions, and the positions that have no partner, each in the order of instruction set and id.
#[derive(Debug, Default)]
pub(crate) struct Alignment {
    pub pairs: Vec<(usize, usize)>,
    pub removed: Vec<usize>,
    pub added: Vec<usize>,
}

/// Aligns the entries of two sides.
pub(crate) fn align(old: &[Entry<'_>], new: &[Entry<'_>]) -> Alignment {
    let mut groups: BTreeMap<(parsers::Isa, &str), [Vec<usize>; 2]> = BTreeMap::new();
    for (side, entries) in [old, new].into_iter().enumerate() {
        for (position, entry) in entries.iter().enumerate() {
            groups.entry((entry.isa, entry.name())).or_default()[side].push(position);
        }
    }
    let mut alignment = Alignment::default();
    for [mut left, mut right] in groups.into_values() {
        type Matches = fn(&Entry<'_>, &Entry<'_>) -> bool;
        let rules: [Matches; 4] = [
            |one, other| one.extensions == other.extensions && one.text == other.text,
            |one, other| one.extensions == other.extensions,
            |one, other| one.text == other.text,
            |_, _| true,
        ];
        for matches in rules {
            left.retain(|one| {
                let partner = right.iter().position(|other| matches(&old[*one], &new[*other]));
                if let Some(partner) = partner {
                    alignment.pairs.push((*one, right.remove(partner)));
                }
                partner.is_none()
            });
        }
        alignment.removed.extend(left);
        alignment.added.extend(right);
    }
    alignment.pairs.sort_by_key(|(one, _)| (old[*one].isa, old[*one].id.as_str()));
    alignment.removed.sort_by_key(|one| (old[*one].isa, old[*one].id.as_str()));
    alignment.added.sort_by_key(|one| (new[*one].isa, new[*one].id.as_str()));
    alignment
}

#[cfg(test)]
mod tests {
    use super::*;

    fn entry(id: &str, extension: &str, text: &'static str) -> Entry<'static> {
        Entry {
            isa: parsers::Isa::register("x86"),
            id: id.into(),
            extensions: vec![extension.into()],
            prototype: None,
            text: Some((parsers::TextForm::Operation, text)),
            semantics: Err("memory".into()),
        }
    }

    #[test]
    fn twins_meet_their_likes() {
        let old = [entry("f", "B", "2"), entry("g", "A", "1")];
        let new = [entry("f", "A", "1"), entry("f@B", "B", "3"), entry("h", "A", "1")];
        let alignment = align(&old, &new);
        assert_eq!(alignment.pairs, [(0, 1)]);
        assert_eq!((alignment.removed, alignment.added), (vec![1], vec![0, 2]));
    }
}
