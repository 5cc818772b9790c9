//! The outcome of a comparison as data: sorted, the same for every run, ready to be serialized.

use std::borrow::Cow;
use std::time::Duration;

use serde::{Deserialize, Serialize};

/// How equality was established.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Proof {
    /// The functions are one text.
    Identical,
    /// One expression after simplification of exact integers.
    Structural,
    /// The solver proved all slices equal.
    Smt,
}

/// What differs between two sides.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Report {
    /// Version of this layout.
    pub schema: u32,
    /// The first side.
    pub old: Side,
    /// The second side.
    pub new: Side,
    /// Entries that are only on the second side.
    pub added: Vec<EntryName>,
    /// Entries that are only on the first side.
    pub removed: Vec<EntryName>,
    /// Entries of the one side that are entries of other names on the other side, proved to mean the same.
    pub renamed: Vec<Renamed>,
    /// Removed entries, each with an entry of the second side that is proved to mean the same.
    pub replaced: Vec<Renamed>,
    /// Entries whose prototypes or immediates differ.
    pub signatures: Vec<SignatureChange>,
    /// Entries whose texts or semantics differ, or that are modelled on only one side.
    pub changes: Vec<Change>,
    /// Errata that apply to only one side, or that no longer apply.
    pub errata: Vec<ErratumChange>,
    /// What becomes of the operations of the IR; nothing where they were not compared.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub operations: Option<Operations>,
}

/// What a side is.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Side {
    /// Its name as the user gave it.
    pub name: String,
    /// What kind of input it was taken for.
    pub kind: String,
    /// The versions that the documents declare, if any.
    pub versions: Vec<String>,
    /// Number of entries.
    pub entries: usize,
    /// Number of modelled entries.
    pub modelled: usize,
}

/// An entry by name.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub struct EntryName {
    /// The instruction set.
    pub isa: parsers::Isa,
    /// The id.
    pub id: String,
    /// Why it is not modelled, where it is not.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reason: Option<String>,
}

/// An entry under another name.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub struct Renamed {
    /// The instruction set.
    pub isa: parsers::Isa,
    /// The id on the first side.
    pub old: String,
    /// The id on the second side.
    pub new: String,
    /// How it was proved.
    pub proof: Proof,
}

/// A signature that differs.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct SignatureChange {
    /// The instruction set.
    pub isa: parsers::Isa,
    /// The id on the second side.
    pub id: String,
    /// The first side's prototype; empty where it is not known.
    pub old: String,
    /// The second side's.
    pub new: String,
    /// Whether types differ, and not only names.
    pub types: bool,
    /// Immediates whose documented values differ: the name and both ranges.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub immediates: Vec<String>,
}

/// An entry that changed.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Change {
    /// The instruction set.
    pub isa: parsers::Isa,
    /// The id on the second side.
    pub id: String,
    /// The id on the first side, if different: twins of one name can be reordered.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub old_id: Option<String>,
    /// Whether the text of the semantics differs; `None` if the texts are not available. If it does not,
    /// types, macros, errata or the reader cause the difference.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub text_differs: Option<bool>,
    /// What became of the meaning.
    #[serde(flatten)]
    pub outcome: Outcome,
    /// Errata on it that apply to only one side: `old` or `new`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub erratum: Option<Cow<'static, str>>,
    /// Whether the undefined bits differ. Bits undefined on only one side are compared as 0.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub undefined_bits_differ: bool,
}

/// What became of the meaning of an entry.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "meaning", rename_all = "kebab-case")]
pub enum Outcome {
    /// Proved to be the same.
    Same {
        /// How.
        proof: Proof,
    },
    /// Different.
    Different {
        /// The evidence.
        counterexample: Box<Counterexample>,
    },
    /// The same results, but other bytes of memory are accessed.
    OtherAccess {
        /// In what the access differs.
        access: Access,
        /// The evidence; its results are what differs.
        counterexample: Box<Counterexample>,
    },
    /// Not decided.
    Unknown {
        /// Why.
        reason: String,
        /// Seconds spent, rounded up.
        seconds: u64,
    },
    /// Arguments or results of other numbers or widths.
    OtherShape {
        /// Which.
        reason: String,
    },
    /// Modelled only on the second side.
    NewlyModelled {
        /// Why it was not on the first.
        was: String,
    },
    /// Modelled only on the first side.
    NoLongerModelled {
        /// Why it is not on the second.
        now: String,
    },
    /// Modelled on neither.
    NotModelled {
        /// Why not on the first side.
        was: String,
        /// Why not on the second.
        now: String,
    },
}

/// What an access to memory is described by, beside the values.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Access {
    /// For each byte at a pointer one bit: whether it is accessed.
    Bytes,
    /// For each element that is gathered or scattered its distance from the pointer in bytes, as 64 bits.
    Addresses,
}

impl Access {
    /// The same in words.
    pub fn words(self) -> &'static str {
        match self {
            Self::Bytes => "which bytes are accessed",
            Self::Addresses => "the addresses of elements",
        }
    }
}

impl Outcome {
    pub(crate) fn unknown(reason: String, time: Duration) -> Self {
        Self::Unknown { reason, seconds: time.as_secs() + u64::from(time.subsec_nanos() > 0) }
    }

    /// The outcome's name, as in the serialized form.
    pub fn name(&self) -> &'static str {
        match self {
            Self::Same { .. } => "same",
            Self::Different { .. } => "different",
            Self::OtherAccess { .. } => "other-access",
            Self::Unknown { .. } => "unknown",
            Self::OtherShape { .. } => "other-shape",
            Self::NewlyModelled { .. } => "newly-modelled",
            Self::NoLongerModelled { .. } => "no-longer-modelled",
            Self::NotModelled { .. } => "not-modelled",
        }
    }
}

/// Arguments for which two meanings differ.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Counterexample {
    /// The arguments, in the intrinsic's order.
    pub args: Vec<Value>,
    /// What the first side gives.
    pub old: Vec<Value>,
    /// What the second side gives.
    pub new: Vec<Value>,
    /// Width of the lanes in which it is best read.
    pub lane: u32,
    /// How it was found.
    pub found_by: Found,
    /// What the hardware says.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub hardware: Option<Hardware>,
}

/// How a counterexample was found.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Found {
    /// By evaluating examples.
    Examples,
    /// By the solver.
    Solver,
}

/// A value of an argument or a result.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Value {
    /// Its name on the second side.
    pub name: String,
    /// Width in bits.
    pub width: u32,
    /// Hexadecimal, most significant digit first.
    pub bits: String,
    /// The integer, where it is an immediate.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub immediate: Option<i64>,
}

/// What a CPU or emulator says of a counterexample.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Hardware {
    /// The CPU or emulator.
    pub machine: String,
    /// Which side it agrees with, or why it was not asked.
    #[serde(flatten)]
    pub verdict: Verdict,
}

/// Which side a machine agrees with.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "agrees_with", rename_all = "lowercase")]
pub enum Verdict {
    /// The first side.
    Old(Run),
    /// The second side.
    New(Run),
    /// Neither.
    Neither(Run),
    /// It was not asked.
    Unasked {
        /// Why.
        reason: String,
    },
}

/// A run on a machine.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Run {
    /// The results for the counterexample.
    pub results: Vec<String>,
    /// Further inputs that were run.
    pub inputs: usize,
    /// For how many of them the first side differs from the machine.
    pub old_differs: usize,
    /// For how many of them the second side does.
    pub new_differs: usize,
}

/// An erratum on one entry whose state differs between the sides, or that should apply and does not.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub struct ErratumChange {
    /// The instruction set.
    pub isa: parsers::Isa,
    /// The entry.
    pub entry: String,
    /// The location of the erratum: file and line.
    pub erratum: String,
    /// Its state on the first side: `applied`, `other-version`, or why it does not apply.
    pub old: String,
    /// Its state on the second side.
    pub new: String,
    /// Whether the second side's text was proved equivalent to the first side's as corrected by the erratum.
    pub settled: bool,
}

/// What becomes of the operations of the IR.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Operations {
    /// Number of operations on the first side.
    pub old: usize,
    /// Number on the second.
    pub new: usize,
    /// Operations whose members are all new.
    pub added: Vec<OperationCount>,
    /// Operations whose members are all gone.
    pub removed: Vec<OperationCount>,
    /// Operations whose members are now in several.
    pub split: Vec<SplitOperation>,
    /// Operations that take the members of several.
    pub merged: Vec<SplitOperation>,
    /// Members that left their operation.
    pub moved: Vec<Moved>,
    /// Operations that have another name.
    pub renamed: Vec<RenamedOperation>,
    /// Operations whose parameters differ.
    pub params: Vec<ParamChange>,
}

/// An operation and how many members it has.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub struct OperationCount {
    /// The name.
    pub name: String,
    /// The number of members.
    pub members: usize,
}

/// An operation and the operations that its members are shared with.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub struct SplitOperation {
    /// The one.
    pub name: String,
    /// The several, with the number of members in question.
    pub parts: Vec<OperationCount>,
}

/// A member that left its operation.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub struct Moved {
    /// The instruction set.
    pub isa: String,
    /// The id.
    pub id: String,
    /// Where it was.
    pub from: String,
    /// Where it is.
    pub to: String,
}

/// An operation that has another name.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub struct RenamedOperation {
    /// The name on the first side.
    pub old: String,
    /// The name on the second.
    pub new: String,
    /// `merged`, `split`, `changed members`, or `none`.
    pub cause: Cow<'static, str>,
}

/// An operation whose parameters differ.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub struct ParamChange {
    /// The operation on the second side.
    pub name: String,
    /// Parameters that came.
    pub added: Vec<String>,
    /// Parameters that went.
    pub removed: Vec<String>,
}

impl Operations {
    /// Whether nothing differs.
    pub fn is_empty(&self) -> bool {
        let Self { old: _, new: _, added, removed, split, merged, moved, renamed, params } = self;
        added.is_empty()
            && removed.is_empty()
            && split.is_empty()
            && merged.is_empty()
            && moved.is_empty()
            && renamed.is_empty()
            && params.is_empty()
    }
}

impl Report {
    /// Whether nothing differs.
    pub fn is_empty(&self) -> bool {
        // What is replaced is removed.
        let Self { added, removed, renamed, signatures, changes, errata, operations, .. } = self;
        added.is_empty()
            && removed.is_empty()
            && renamed.is_empty()
            && signatures.is_empty()
            && changes.is_empty()
            && errata.is_empty()
            && operations.as_ref().is_none_or(Operations::is_empty)
    }

    /// Only what can break a user: entries gone or under another name, other types, other or undecided
    /// meanings, entries no longer modelled, and operations that are gone or have other names or parameters.
    #[must_use]
    pub fn breaking(mut self) -> Self {
        self.added.clear();
        self.signatures.retain(|change| change.types || !change.immediates.is_empty());
        self.changes.retain(|change| {
            matches!(
                change.outcome,
                Outcome::Different { .. }
                    | Outcome::OtherAccess { .. }
                    | Outcome::Unknown { .. }
                    | Outcome::OtherShape { .. }
                    | Outcome::NoLongerModelled { .. }
            )
        });
        self.errata.clear();
        if let Some(operations) = &mut self.operations {
            operations.added.clear();
        }
        self
    }

    /// The number of changes with an outcome of that name.
    pub fn count(&self, outcome: &str) -> usize {
        self.changes.iter().filter(|change| change.outcome.name() == outcome).count()
    }
}
