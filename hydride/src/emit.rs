//! Groups of outputs, of which `generate-ir --emit` makes only some.

use std::collections::BTreeSet;

use clap::ValueEnum;
use codegen_gen::Part;

/// Outputs that are made and compared together.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, ValueEnum)]
pub enum Group {
    /// ir/: each instruction as parsed and in canonical form.
    Ir,
    /// autollvm/, classes.json and dictionary.json: families, operations and their members.
    Dialect,
    /// llvm/: intrinsics, lowering tables, definitions for stock LLVM.
    Llvm,
    /// mlir/: the dialect, and its lowering.
    Mlir,
    /// evaluators/: the operations in C, Rust and SMT-LIB.
    Evaluators,
    /// c/: the definitions as functions for C, with a header.
    C,
    /// models/: a Rust crate with a function for every instruction.
    Models,
    /// report/: pages for a browser, merges and relations.
    Report,
}

impl Group {
    /// The group of the output at a path below the output folder; none for outputs of every run.
    pub fn of(path: &str) -> Option<Self> {
        let first = path.split_once('/').map_or(path, |(folder, _)| folder);
        Some(match first {
            "ir" => Self::Ir,
            "autollvm" | "classes.json" | "dictionary.json" => Self::Dialect,
            "llvm" => Self::Llvm,
            "mlir" => Self::Mlir,
            "evaluators" => Self::Evaluators,
            "c" => Self::C,
            "models" => Self::Models,
            "report" => Self::Report,
            _ => return None,
        })
    }

    /// The name that `--emit` has for it.
    pub fn name(self) -> String {
        self.to_possible_value().map_or_else(String::new, |value| value.get_name().to_owned())
    }
}

/// The groups that a run makes.
#[derive(Debug)]
pub struct Emit(BTreeSet<Group>);

impl Emit {
    /// The groups that a user names; all for none.
    pub fn new(groups: &[Group]) -> Self {
        let groups = if groups.is_empty() { Group::value_variants() } else { groups };
        Self(groups.iter().copied().collect())
    }

    /// Whether a group is made.
    pub fn has(&self, group: Group) -> bool {
        self.0.contains(&group)
    }

    /// Whether a file at this path below the output folder is the run's to make.
    pub fn covers(&self, path: &str) -> bool {
        Group::of(path).is_none_or(|group| self.has(group))
    }

    /// What code generation makes of it.
    pub fn parts(&self) -> BTreeSet<Part> {
        let parts = |group: &Group| match group {
            Group::Dialect => &[Part::Dictionary][..],
            Group::Llvm => &[Part::Llvm, Part::Table],
            Group::Mlir => &[Part::Mlir],
            Group::Evaluators => &[Part::Evaluators],
            Group::C => &[Part::C],
            Group::Ir | Group::Models | Group::Report => &[],
        };
        self.0.iter().flat_map(parts).copied().collect()
    }
}
