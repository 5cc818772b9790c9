//! The instruction sets: for each one a folder here, which says all that a command needs to know of it, and one line in
//! the list below.

mod search;

use std::collections::BTreeMap;
use std::path::PathBuf;
use std::sync::OnceLock;

use clap::{Arg, ArgMatches, Command};
use difftest::{Oracle, OracleError, WrapperOptions};
use memo::Memo;
use parsers::errata::Errata;
use parsers::{Instruction, Isa, Outline, Parsed};

pub use search::{FormTest, Operands, Places, Registers, Search, Target};

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
    pub options: &'static [ReadingOption],
    /// The checked-in corrections of its documents.
    pub errata: Option<BuiltInErrata>,
    /// The checked-in records of validation, as JSON.
    pub records: Option<&'static str>,
    /// What its intrinsics are in LLVM, as `hydride read-lowering` wrote it: one text for each release.
    pub vendor_ir: &'static [&'static str],
    /// How its instructions are compiled and run.
    pub target: Option<&'static difftest::Target>,
    /// How sequences of its instructions are searched and written.
    pub search: Option<Search>,
    /// Declarations in C of the types of its intrinsics, for compilers of other machines.
    pub c_types: &'static str,
    /// The headers that declare its intrinsics.
    pub c_headers: &'static [&'static str],
    /// What the names of macros begin with that a compiler for it defines.
    pub c_features: &'static [&'static str],
}

/// A document as read.
pub struct Document {
    /// The instruction set it belongs to.
    pub isa: Isa,
    /// Its path below the specs folder, with `/`.
    pub name: String,
    /// Where it was read.
    pub path: PathBuf,
    /// Its contents.
    pub bytes: Vec<u8>,
    /// The hash of the contents, computed on demand.
    hash: OnceLock<blake3::Hash>,
}

impl Document {
    /// A document as read from `path`.
    pub fn new(isa: Isa, name: String, path: PathBuf, bytes: Vec<u8>) -> Self {
        Self { isa, name, path, bytes, hash: OnceLock::new() }
    }

    /// The hash of the contents.
    pub fn hash(&self) -> &blake3::Hash {
        self.hash.get_or_init(|| blake3::hash(&self.bytes))
    }
}

/// Called from any thread with the number of entries done and the number of all.
pub type Progress<'a> = dyn Fn(usize, usize) + Sync + 'a;

/// How documents of an instruction set are read.
pub struct FrontEnd {
    /// Endings of the files in its folder that are read, without the dot.
    pub endings: &'static [&'static str],
    /// Drops the documents of a folder that are not read when others are present.
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
    /// The values of its reading options.
    pub options: &'a ReadingOptions,
    /// Called with how far it is.
    pub progress: &'a Progress<'a>,
    /// The only entry that is wanted; others may be read as well.
    pub only: Option<&'a str>,
    /// What was found out of entries in earlier runs.
    pub memo: Option<&'a Memo>,
}

/// A kind of document that can be given as a file.
pub struct Kind {
    /// What it is called.
    pub name: &'static str,
    /// Whether a document that begins with a text is of this kind.
    pub is: fn(&str) -> bool,
    /// The name under which the reader looks for it; its own where there is none.
    pub file: Option<&'static str>,
    /// Endings of the files next to it that belong to it.
    pub companions: &'static [&'static str],
}

/// A source among the documents of an instruction set.
pub struct Source {
    /// Its name on the command line.
    pub name: &'static str,
    /// What it is.
    pub words: &'static str,
    /// Reads it alone, or says which document is not there.
    pub parse: fn(&Reading<'_>) -> Result<Parsed, String>,
}

/// An option of the command line for the reading of an instruction set's documents; it holds for every command.
pub struct ReadingOption {
    /// The name, without the dashes.
    pub name: &'static str,
    /// What it is, for the help.
    pub help: &'static str,
    /// What the help calls its value.
    pub value_name: &'static str,
    /// The values that it can have.
    pub values: &'static [&'static str],
    /// The one that it has where it is not given.
    pub default: &'static str,
}

impl ReadingOption {
    /// Adds it to a command line.
    pub(crate) fn add(&self, command: Command) -> Command {
        let arg = Arg::new(self.name).long(self.name).help(self.help).value_name(self.value_name);
        command.arg(arg.value_parser(self.values.to_vec()).default_value(self.default).global(true))
    }
}

/// The values of reading options by name; those that are not in it have their defaults.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ReadingOptions(BTreeMap<&'static str, String>);

impl ReadingOptions {
    /// What a command line gives the options of these instruction sets.
    pub(crate) fn given<'a>(sets: &[&'a InstructionSet], matches: &ArgMatches) -> Self {
        let options = sets.iter().flat_map(|set| set.options);
        let value = |option: &'a ReadingOption| {
            let value = matches.get_one::<String>(option.name)?;
            (value != option.default).then(|| (option.name, value.clone()))
        };
        Self(options.filter_map(value).collect())
    }

    /// The value of an option.
    pub fn get(&self, option: &ReadingOption) -> &str {
        self.0.get(option.name).map_or(option.default, String::as_str)
    }

    /// The flags by which another run has these values.
    pub(crate) fn flags(&self) -> Vec<String> {
        self.0.iter().flat_map(|(name, value)| [format!("--{name}"), value.clone()]).collect()
    }
}

/// Checked-in corrections of an instruction set's documents.
pub struct BuiltInErrata {
    /// The file's place in the project's folder.
    pub file: &'static str,
    /// Its contents.
    pub text: &'static str,
    /// Applies errata to documents without more of them being read than that takes.
    pub check: fn(&[&Document], &Errata, &ReadingOptions) -> Parsed,
    /// The sets of documents that are read of a folder that holds these.
    #[cfg(test)]
    pub readings: fn(&[Document]) -> Vec<Vec<&Document>>,
}

/// The instruction sets that this program has.
pub fn built_in() -> Vec<&'static InstructionSet> {
    BUILT_IN.to_vec()
}

impl InstructionSet {
    /// Builds an oracle for instructions.
    pub(crate) fn oracle(
        &self,
        instructions: &[&Instruction],
        wrappers: WrapperOptions,
        work: &std::path::Path,
    ) -> Result<Oracle, OracleError> {
        (self.target()?.prepare)(instructions, wrappers, work)
    }

    /// How its instructions are compiled and run.
    pub(crate) fn target(&self) -> Result<&'static difftest::Target, OracleError> {
        self.target.ok_or(OracleError::NoTarget { isa: self.name })
    }
}
