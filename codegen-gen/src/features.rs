//! The CPU features that instructions need, in LLVM's words.

use std::collections::BTreeMap;

/// For each instruction the CPU features without which LLVM does not select it, in LLVM's spelling and without a sign:
/// `avx512bw`.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Features {
    /// By instruction set and id.
    needed: BTreeMap<String, BTreeMap<String, Vec<String>>>,
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
}
