//! The CPU features that instructions need, in LLVM's words.

use std::collections::{BTreeMap, BTreeSet};

/// For each instruction the CPU features without which LLVM does not select it, in LLVM's spelling and without a sign:
/// `avx512bw`.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Features {
    /// By instruction set and id.
    needed: BTreeMap<String, BTreeMap<String, Vec<String>>>,
    /// Instruction sets for which LLVM inlines a function into one that has all of its features and others.
    inlined_by_features: BTreeSet<String>,
}

impl Features {
    /// Sets what an instruction needs.
    pub fn insert(&mut self, isa: &str, id: &str, features: Vec<String>) {
        self.needed.entry(isa.to_owned()).or_default().insert(id.to_owned(), features);
    }

    /// What an instruction needs; nothing where it is not known.
    pub fn of(&self, isa: &str, id: &str) -> &[String] {
        self.needed.get(isa).and_then(|needed| needed.get(id)).map_or(&[], Vec::as_slice)
    }

    /// Records that LLVM's inliner compares the features of functions for an instruction set as sets. For others it
    /// inlines only between functions with the same list of features.
    pub fn inline_by_features(&mut self, isa: &str) {
        self.inlined_by_features.insert(isa.to_owned());
    }

    /// Whether LLVM's inliner compares features as sets.
    pub(crate) fn is_inlined_by_features(&self, isa: &str) -> bool {
        self.inlined_by_features.contains(isa)
    }
}
