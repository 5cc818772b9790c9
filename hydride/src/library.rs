//! What documents say of their instructions, for programs that ask about one after the other.

use std::collections::BTreeMap;
use std::path::Path;
use std::sync::Arc;

use anyhow::{Context, Result};
use catalog::{MemberRecord, OperationRecord, Trust};
use hydride_ir::Function;
use parsers::{Instruction, Isa, LedgerEntry};

use crate::cache::CacheArgs;
use crate::commands::explain;
use crate::console::Phases;
use crate::dictionary::Dictionary;
use crate::pipeline::Pipeline;
use crate::trust::RecordsArgs;
use crate::{Session, families};

/// The instructions and operations of documents, read once.
///
/// ```no_run
/// # fn main() -> anyhow::Result<()> {
/// use std::path::Path;
///
/// let session = hydride::Session::new(&hydride::isa::built_in())?;
/// let library = hydride::Library::read(session, Some(Path::new("specs/sample")), &[])?;
/// let average = library.entry(library.find("_mm_avg_epu8")?);
/// assert_eq!(average.instruction.extensions, ["SSE2"]);
/// assert_eq!(library.operations()[average.operation].name, "add_halving_round");
/// # Ok(())
/// # }
/// ```
pub struct Library {
    session: Session,
    pipeline: Arc<Pipeline>,
    dictionary: Dictionary,
    /// In the order of the documents.
    positions: Vec<Position>,
    by_name: BTreeMap<(String, String), usize>,
}

/// Where an instruction is in each of the lists that describe it.
struct Position {
    /// Its instruction set in [`Pipeline::parsed`], and its place there.
    parsed: (usize, usize),
    /// Its operation in [`Dictionary::operations`], and its place among the members.
    member: (usize, usize),
}

/// An instruction with what is known of it.
#[derive(Clone, Copy)]
pub struct Entry<'a> {
    /// What its document says.
    pub instruction: &'a Instruction,
    /// Its function in canonical form, if it has one.
    pub canonical: Option<&'a Function>,
    /// How far its semantics can be trusted.
    pub trust: &'a Trust,
    /// The number of its operation in [`Library::operations`].
    pub operation: usize,
    /// How it applies the operation.
    pub member: &'a MemberRecord,
}

impl Library {
    /// Reads the documents of these instruction sets, or of all that the session has if none are named. They are found
    /// as by the command line: in `specs`, else in `specs/vendor` or `specs/sample`. Results of earlier runs are taken
    /// from the user's cache, and kept there.
    pub fn read(session: Session, specs: Option<&Path>, isas: &[Isa]) -> Result<Self> {
        let isas = if isas.is_empty() { session.isas() } else { isas.to_vec() };
        let documents = session.read(specs, &isas)?;
        let cache = CacheArgs::default().open();
        let (memo, records) = (cache.memo(), RecordsArgs::default());
        let families = families::built_in()?;
        let mut phases = Phases::silent();
        let pipeline = Pipeline::run(&session, &documents, &isas, families, &records, &memo, &mut phases)?;
        cache.save();
        Self::new(session, Arc::new(pipeline))
    }

    fn new(session: Session, pipeline: Arc<Pipeline>) -> Result<Self> {
        let dictionary = Dictionary::from_run(pipeline.clone());
        let mut members = BTreeMap::new();
        for (operation, record) in dictionary.operations.iter().enumerate() {
            for (position, member) in record.members.iter().enumerate() {
                members.insert((member.isa.as_str(), member.id.as_str()), (operation, position));
            }
        }
        let (mut positions, mut by_name) = (Vec::new(), BTreeMap::new());
        for (set, (isa, parsed)) in pipeline.parsed.iter().enumerate() {
            for (position, instruction) in parsed.instructions.iter().enumerate() {
                let member = members.get(&(isa.name(), instruction.id.as_str())).copied();
                let member = member.with_context(|| format!("{} is in no operation", instruction.id))?;
                by_name.insert((isa.name().to_owned(), instruction.id.clone()), positions.len());
                positions.push(Position { parsed: (set, position), member });
            }
        }
        Ok(Self { session, pipeline, dictionary, positions, by_name })
    }

    /// The session in which the documents were read.
    pub fn session(&self) -> &Session {
        &self.session
    }

    /// The number of instructions; they are numbered in the order of the documents.
    pub fn len(&self) -> usize {
        self.positions.len()
    }

    /// Whether no instruction was modelled.
    pub fn is_empty(&self) -> bool {
        self.positions.is_empty()
    }

    /// The instruction of this number.
    ///
    /// # Panics
    /// If there are not so many.
    pub fn entry(&self, number: usize) -> Entry<'_> {
        let Position { parsed: (set, position), member: (operation, member) } = self.positions[number];
        Entry {
            instruction: &self.pipeline.parsed[set].1.instructions[position],
            canonical: self.pipeline.analyses[number].canonical.as_ref(),
            trust: &self.pipeline.trusts[number],
            operation,
            member: &self.dictionary.operations[operation].members[member],
        }
    }

    /// The number of the instruction that a name means: an id, or `isa:id` where several instruction sets have it.
    pub fn find(&self, name: &str) -> Result<usize> {
        let (_, member) = self.dictionary.instruction(name)?;
        self.number_of(member).with_context(|| format!("{name} is in no document"))
    }

    /// The number of the instruction that is this member of an operation.
    pub fn number_of(&self, member: &MemberRecord) -> Option<usize> {
        self.by_name.get(&(member.isa.clone(), member.id.clone())).copied()
    }

    /// The operations, sorted by name.
    pub fn operations(&self) -> &[OperationRecord] {
        &self.dictionary.operations
    }

    /// The number of the operation of this name.
    pub fn find_operation(&self, name: &str) -> Result<usize> {
        let found = self.dictionary.operations.iter().position(|operation| operation.name == name);
        found.ok_or_else(|| self.dictionary.unknown(name))
    }

    /// The text of an operation's function in Hydride IR, over its parameters.
    pub fn formula(&self, operation: &OperationRecord) -> Result<String> {
        self.dictionary.formula(operation)
    }

    /// A page about an instruction or operation, or about what two instructions have in common and how they differ: what
    /// `hydride explain` prints.
    pub fn explain(&self, first: &str, second: Option<&str>) -> Result<String> {
        explain::page(&self.session, &self.dictionary, first, second)
    }

    /// For each instruction set what became of every entry of its documents.
    pub fn ledgers(&self) -> impl Iterator<Item = (Isa, &[LedgerEntry])> {
        self.pipeline.ledgers()
    }

    /// The versions that the documents declare, by instruction set; empty for those that declare none.
    pub fn versions(&self) -> impl Iterator<Item = (Isa, &str)> {
        self.pipeline.parsed.iter().map(|(isa, parsed)| (*isa, parsed.version.as_str()))
    }
}
