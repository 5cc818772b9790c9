//! What the report is made of: plain data that a caller fills in.

use std::collections::{BTreeMap, BTreeSet};

use autoir::Dialect;

/// Everything that is shown.
#[derive(Clone, Debug)]
pub struct Input<'a> {
    /// The operations with their members.
    pub dialect: &'a Dialect,
    /// The instruction sets of the run, in the order in which they are shown.
    pub isas: Vec<InstructionSet<'a>>,
    /// What was corrected in the documents.
    pub errata: Vec<Erratum>,
    /// Terms of the field in lower case, by the words of operations' names (joined by `_`) or the element type (`i8`)
    /// that a search takes them for.
    pub synonyms: &'a BTreeMap<String, Vec<String>>,
    /// What was ported from one of them to a target.
    pub ports: Vec<Port>,
}

/// The instructions of a set as sequences of a target.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Port {
    /// The instruction set.
    pub from: String,
    /// The target.
    pub to: String,
    /// Ids of the instructions that have a row on the page, each under its id as the address.
    pub ids: BTreeSet<String>,
    /// The page, HTML that needs nothing else.
    pub page: String,
}

impl Port {
    /// The page below the report.
    pub(crate) fn path(&self) -> String {
        format!("ports/{}_on_{}.html", self.from, self.to)
    }
}

/// An instruction set as its documents have it.
#[derive(Clone, Debug)]
pub struct InstructionSet<'a> {
    /// The name, as in [`autoir::Member::isa`].
    pub name: &'a str,
    /// The document's version, empty when it has none.
    pub version: &'a str,
    /// One for each line of the ledger, in its order.
    pub entries: Vec<Entry<'a>>,
}

/// An entry of a document.
#[derive(Clone, Debug)]
pub struct Entry<'a> {
    /// Unique within the instruction set, as in [`autoir::Member::id`].
    pub id: &'a str,
    /// The document, below the specs folder.
    pub file: &'a str,
    /// Where the entry begins, from 1.
    pub line: u32,
    /// What became of it.
    pub status: Status<'a>,
    /// Positions in [`Input::errata`].
    pub errata: Vec<usize>,
    /// What the document declares, for an entry that is not modelled; a modelled one has it from its membership.
    pub declared: Option<Declaration<'a>>,
}

/// What a document says about an entry besides its semantics.
#[derive(Clone, Copy, Debug)]
pub struct Declaration<'a> {
    /// The C type of the result; `void` or empty if there is none.
    pub result: &'a str,
    /// C types and names of the parameters.
    pub args: &'a [(String, String)],
    /// CPU features that it needs.
    pub extensions: &'a [String],
    /// Machine instructions.
    pub mnemonics: &'a [String],
}

/// What became of an entry.
#[derive(Clone, Debug)]
pub enum Status<'a> {
    /// It is a member of an operation.
    Modelled(Modelled<'a>),
    /// It is outside of what the IR describes.
    Excluded {
        /// A reason code.
        reason: &'a str,
        /// What the entry has that leads to the reason.
        message: Option<&'a str>,
    },
    /// It should have been modelled and could not be.
    Failed {
        /// A reason code.
        reason: &'a str,
        /// What went wrong.
        message: &'a str,
    },
}

/// What is known about a modelled entry besides its membership.
#[derive(Clone, Debug)]
pub struct Modelled<'a> {
    /// The document's names of the arguments.
    pub arg_names: Vec<&'a str>,
    /// The text of the canonical function, else of the one that the document gives.
    pub text: &'a str,
    /// Whether `text` is that of the canonical one.
    pub canonical: bool,
    /// The runs on CPUs or emulators without a difference.
    pub runs: Vec<Run>,
    /// What the machine instruction costs on CPUs that are known.
    pub costs: Vec<Cost<'a>>,
}

/// What an instruction costs on a CPU.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Cost<'a> {
    /// The CPU.
    pub cpu: &'a str,
    /// Cycles from the operands to the result.
    pub latency: u32,
    /// Micro-operations.
    pub uops: u32,
}

/// A comparison with a CPU or emulator that showed no difference.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Run {
    /// The CPU.
    pub cpu: String,
    /// Inputs compared.
    pub inputs: usize,
    /// Seed of the inputs.
    pub seed: u64,
}

/// A correction of a document.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Erratum {
    /// What is wrong, in our words.
    pub note: String,
    /// Why the correction is right.
    pub evidence: String,
}
