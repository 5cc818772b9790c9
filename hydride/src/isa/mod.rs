//! The instruction sets: for each one a folder here, which says all that a command needs to know of it, and one line in
//! the list below.

use std::sync::OnceLock;

use anyhow::Result;
use clap::{ArgMatches, Command};
use codegen_gen::LlvmVersion;
use difftest::{Oracle, OracleError, Target};
use parsers::errata::Errata;
use parsers::{Instruction, Isa, Outline, Parsed};

pub use crate::documents::Document;
pub use crate::search::{FormTest, Operands, Places, Registers, Search};

/// Modules, and the list of what each one's `SET` is, in the order in which instruction sets are read and listed.
macro_rules! instruction_sets {
    ($($name:ident),* $(,)?) => {
        $(mod $name;)*
        const BUILT_IN: &[&InstructionSet] = &[$(&$name::SET),*];
    };
}

instruction_sets! {
    x86,
    arm,
    hvx,
}

pub use arm::{NEWER as ARM_NEWER, PAGE as ARM_PAGE};

/// What is known of an instruction set. What it lacks is `None`, or a list of nothing; commands that need it say so.
pub struct InstructionSet {
    /// The name in options, outputs, and of its folder among the documents.
    pub name: &'static str,
    /// How its documents are read.
    pub front_end: FrontEnd,
    /// Options of the command line for the reading of its documents.
    pub options: Option<ReadOptions>,
    /// The checked-in corrections of its documents.
    pub errata: Option<BuiltInErrata>,
    /// The checked-in records of validation, as JSON.
    pub records: Option<&'static str>,
    /// What its intrinsics are in LLVM, as `hydride read-lowering` wrote it, by release.
    pub vendor_ir: &'static [(LlvmVersion, &'static str)],
    /// How its instructions are compiled and run.
    pub target: Option<&'static Target>,
    /// How sequences of its instructions are searched and written.
    pub search: Option<Search>,
}

/// How documents of an instruction set are read.
pub struct FrontEnd {
    /// Endings of the files in its folder that are read, without the dot.
    pub endings: &'static [&'static str],
    /// Drops those of a folder's documents that are not read beside others.
    pub select: fn(&mut Vec<Document>),
    /// What documents lack without which nothing can be read.
    pub missing: fn(&[&Document]) -> Option<&'static str>,
    /// Reads documents.
    pub parse: fn(&Reading<'_>) -> Parsed,
    /// The entries of documents without their meaning.
    pub outline: fn(&[&Document]) -> Vec<Outline>,
    /// Whether its documents say which version they are.
    pub states_version: bool,
    /// The kinds of document that can be given as a file; the first that a document is of counts.
    pub kinds: &'static [Kind],
    /// The sources among its documents that can be read alone; the first two are compared when none are named.
    pub sources: &'static [Source],
}

/// Documents to be read, and how.
pub struct Reading<'a> {
    /// The documents by name, at least one.
    pub documents: &'a [&'a Document],
    /// What they get wrong.
    pub errata: Option<&'a Errata>,
    /// Called from any thread with the number of entries done and the number of all.
    pub progress: &'a (dyn Fn(usize, usize) + Sync),
    /// The only entry that is wanted; others may be read as well.
    pub only: Option<&'a str>,
}

/// A kind of document that can be given as a file.
pub struct Kind {
    /// What it is called.
    pub name: &'static str,
    /// Whether a document that begins with a text is of this kind.
    pub is: fn(&str) -> bool,
    /// The name under which the reader looks for it; its own where there is none.
    pub file: Option<&'static str>,
    /// Endings of the files beside it that belong to it.
    pub companions: &'static [&'static str],
}

/// A source among the documents of an instruction set.
pub struct Source {
    /// Its name on the command line.
    pub name: &'static str,
    /// What it is.
    pub words: &'static str,
    /// Reads it with these errata, or says which document is not there.
    pub parse: fn(&[&Document], Option<&Errata>) -> Result<Parsed, String>,
}

/// Options of the command line for the reading of documents; they hold for every command.
pub struct ReadOptions {
    /// Adds them to a command line.
    pub add: fn(Command) -> Command,
    /// Takes what was given.
    pub choose: fn(&ArgMatches) -> Result<()>,
    /// The flags by which another run reads in the same way.
    pub flags: fn() -> Vec<String>,
}

/// Checked-in corrections of an instruction set's documents.
pub struct BuiltInErrata {
    /// The file's place in the project's folder.
    pub file: &'static str,
    /// Its contents.
    pub text: &'static str,
    /// Applies errata to documents without more of them being read than that takes.
    pub check: fn(&[&Document], &Errata) -> Parsed,
    /// The sets of documents that are read of a folder that holds these.
    #[cfg(test)]
    pub readings: fn(&[Document]) -> Vec<Vec<&Document>>,
}

/// The instruction sets that this program has.
pub fn built_in() -> Vec<&'static InstructionSet> {
    BUILT_IN.to_vec()
}

static REGISTERED: OnceLock<Vec<(Isa, &'static InstructionSet)>> = OnceLock::new();

/// Makes these the instruction sets of this process, in this order. Only the first registration counts.
pub(crate) fn register(sets: Vec<&'static InstructionSet>) {
    REGISTERED.get_or_init(|| with_identities(sets));
}

fn with_identities(sets: Vec<&'static InstructionSet>) -> Vec<(Isa, &'static InstructionSet)> {
    sets.into_iter().map(|set| (Isa::register(set.name), set)).collect()
}

fn registered() -> &'static [(Isa, &'static InstructionSet)] {
    REGISTERED.get_or_init(|| with_identities(built_in()))
}

/// Every instruction set, in order.
pub(crate) fn all() -> impl Iterator<Item = &'static InstructionSet> {
    registered().iter().map(|(_, set)| *set)
}

/// Every instruction set's identity, in order.
pub(crate) fn identities() -> Vec<Isa> {
    registered().iter().map(|(isa, _)| *isa).collect()
}

/// What is known of an instruction set.
#[expect(clippy::expect_used, reason = "identities come from the registry alone")]
pub(crate) fn of(isa: Isa) -> &'static InstructionSet {
    let found = registered().iter().find(|(known, _)| *known == isa);
    found.expect("a registered instruction set").1
}

impl InstructionSet {
    /// Builds an oracle for instructions; `definitions` are lines of C before the wrappers.
    pub(crate) fn oracle(
        &self,
        instructions: &[&Instruction],
        definitions: Vec<String>,
        work: &std::path::Path,
    ) -> Result<Oracle, OracleError> {
        (self.target()?.prepare)(instructions, definitions, work)
    }

    /// How its instructions are compiled and run.
    pub(crate) fn target(&self) -> Result<&'static Target, OracleError> {
        self.target.ok_or(OracleError::NoTarget { isa: self.name })
    }
}
