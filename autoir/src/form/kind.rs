//! Which members of a family become one form.

/// What members of a form have in common.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Kind {
    /// Position of the reviewed form; what no reviewed form has is one by itself.
    pub(super) reviewed: Option<usize>,
    /// Whether each argument is a register that is filled with copies of an immediate.
    pub(super) immediates: Vec<bool>,
    /// For each argument the number that an immediate is fixed to.
    pub(super) fixed: Vec<Option<i64>>,
    /// Whether zeros above the result are written.
    pub(super) padded: bool,
}

impl Kind {
    /// What distinguishes its name from those of the other kinds of the same reviewed form.
    pub(super) fn suffix<'k>(&self, others: impl Iterator<Item = &'k Self> + Clone) -> String {
        let has = |other: Self| others.clone().any(|kind| *kind == other);
        let padded = self.padded && has(Self { padded: false, ..self.clone() });
        let mut siblings = others.filter(|kind| kind.reviewed == self.reviewed);
        let immediate =
            self.immediates.contains(&true) && siblings.clone().any(|kind| !kind.immediates.contains(&true));
        let differs = siblings.any(|kind| kind.fixed != self.fixed);
        let fixed = self.fixed.iter().flatten().filter(|_| differs).map(|value| format!("_{value}"));
        let words = [(self.reviewed.is_none(), "_other"), (immediate, "_immediate"), (padded, "_padded")];
        let words = words.into_iter().filter(|(applies, _)| *applies).map(|(_, word)| word.to_owned());
        words.chain(fixed).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_kind_has_a_suffix_only_where_another_one_would_have_its_name() {
        let plain = Kind { reviewed: Some(0), immediates: vec![false], fixed: vec![None], padded: false };
        let padded = Kind { padded: true, ..plain.clone() };
        let immediate = Kind { immediates: vec![true], ..plain.clone() };
        let other = Kind { reviewed: None, ..plain.clone() };
        let suffix = |kind: &Kind, others: &[&Kind]| kind.suffix(others.iter().copied());
        for kind in [&plain, &padded, &immediate] {
            assert_eq!(suffix(kind, &[kind]), "");
            assert_eq!(suffix(kind, &[kind, &other]), "");
        }
        assert_eq!(suffix(&padded, &[&plain, &padded]), "_padded");
        assert_eq!(suffix(&immediate, &[&plain, &immediate]), "_immediate");
        assert_eq!(suffix(&plain, &[&plain, &padded, &immediate]), "");
        assert_eq!(suffix(&other, &[&plain, &other]), "_other");
        let [nearest, zero] = [8, 11].map(|mode| Kind { fixed: vec![Some(mode)], ..plain.clone() });
        assert_eq!(suffix(&nearest, &[&nearest]), "");
        assert_eq!(suffix(&nearest, &[&plain, &nearest, &zero]), "_8");
        assert_eq!(suffix(&plain, &[&plain, &nearest]), "");
    }
}
