//! How values' bits are read: groups of values that have one sign.

use rustc_hash::FxHashMap;
use synth::window::Kind;

/// What is known of a group.
#[derive(Clone, Copy, Debug, Default)]
struct Votes {
    /// Operations that read it, or make it, as signed and as unsigned.
    asked: [u32; 2],
    /// What it would rather be where none does.
    preferred: [u32; 2],
}

/// Groups of values by name.
#[derive(Clone, Debug, Default)]
pub struct Signs {
    numbers: FxHashMap<String, usize>,
    parents: Vec<usize>,
    votes: Vec<Votes>,
    /// Groups that take the sign of another where nothing says which one they have.
    follows: Vec<Option<usize>>,
}

fn place(kind: Kind) -> usize {
    usize::from(kind != Kind::Signed)
}

impl Signs {
    fn number(&mut self, name: &str) -> usize {
        if let Some(known) = self.numbers.get(name) {
            return self.find(*known);
        }
        let own = self.parents.len();
        self.parents.push(own);
        self.votes.push(Votes::default());
        self.follows.push(None);
        self.numbers.insert(name.to_owned(), own);
        own
    }

    fn find(&self, mut at: usize) -> usize {
        while self.parents[at] != at {
            at = self.parents[at];
        }
        at
    }

    /// Two values are of one sign.
    pub fn join(&mut self, left: &str, right: &str) {
        let (left, right) = (self.number(left), self.number(right));
        if left == right {
            return;
        }
        // A shorter name for what was a group of its own keeps ways short enough: groups are as large as a slice.
        let (kept, gone) = (left.min(right), left.max(right));
        self.parents[gone] = kept;
        let own = self.votes[gone];
        for at in 0..2 {
            self.votes[kept].asked[at] += own.asked[at];
            self.votes[kept].preferred[at] += own.preferred[at];
        }
        self.follows[kept] = self.follows[kept].or(self.follows[gone]);
    }

    /// The same, if there is a first one.
    pub fn join_with(&mut self, left: Option<&str>, right: &str) {
        if let Some(left) = left {
            self.join(left, right);
        }
    }

    /// An operation reads or makes a value under a sign.
    pub fn ask(&mut self, name: &str, kind: Kind) {
        let own = self.number(name);
        self.votes[own].asked[place(kind)] += 1;
    }

    /// A value is better read under a sign if no operation says how.
    pub fn prefer(&mut self, name: &str, kind: Kind) {
        let own = self.number(name);
        self.votes[own].preferred[place(kind)] += 1;
    }

    /// A value is read as another one if nothing says how.
    pub fn follow(&mut self, name: &str, other: &str) {
        let (own, other) = (self.number(name), self.number(other));
        self.follows[own].get_or_insert(other);
    }

    /// The sign of a value: what most operations ask for, or else a sign that holds negative numbers if it may have some.
    pub fn of(&self, name: &str) -> Kind {
        let mut at = self.numbers.get(name).map(|own| self.find(*own));
        // Narrower values follow wider ones, so that this ends.
        while let Some(own) = at {
            let votes = self.votes[own];
            let [signed, unsigned] = votes.asked;
            if signed != unsigned {
                return if signed > unsigned { Kind::Signed } else { Kind::Unsigned };
            }
            if votes.preferred[0] > 0 {
                return Kind::Signed;
            }
            if signed > 0 || votes.preferred[1] > 0 {
                return Kind::Unsigned;
            }
            at = self.follows[own].map(|next| self.find(next)).filter(|next| *next != own);
        }
        Kind::Unsigned
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_group_has_the_sign_that_its_operations_ask_for() {
        let mut signs = Signs::default();
        signs.join("a", "b");
        signs.prefer("a", Kind::Unsigned);
        assert_eq!(signs.of("b"), Kind::Unsigned);
        signs.ask("b", Kind::Signed);
        assert_eq!(signs.of("a"), Kind::Signed);
        signs.follow("narrow", "a");
        assert_eq!(signs.of("narrow"), Kind::Signed);
        assert_eq!(signs.of("unknown"), Kind::Unsigned);
    }
}
