//! The two inputs of a comparison: what kind each is, and what it says.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use anyhow::Result;
use autoir::Dictionary;
use hydride_ir::Function;
use memo::digest;
use parsers::{Isa, Outline, Parsed, Status};
use semantic_diff::{Entry, Operation, Semantics, Side, SideSummary};
use smt::Key;

use super::kept::Keeper;
use super::kinds;
use super::output::{self, Listed};
use crate::Session;
use crate::cache::CacheArgs;
use crate::console::Phases;
use crate::documents::Documents;
use crate::error::Failure;
use crate::isa::Document;
use crate::isa::Source;
use crate::pipeline::Pipeline;

/// An input as read.
pub struct Input {
    name: String,
    kind: String,
    contents: Contents,
}

enum Contents {
    Documents {
        documents: Documents,
    },
    Output {
        folder: PathBuf,
        files: output::Files,
    },
    /// One source of what the documents of an instruction set are.
    Source {
        documents: Arc<Documents>,
        isa: Isa,
        source: &'static Source,
    },
}

/// The function of an instruction, or why there is none.
pub type Found = Result<Function, String>;

/// What parsed documents say of an entry.
fn found(parsed: Parsed, id: &str) -> Option<Found> {
    if let Some(found) = parsed.instructions.into_iter().find(|instruction| instruction.id == id) {
        return Some(Ok(found.function));
    }
    let entry = parsed.ledger.into_iter().find(|entry| entry.id == id)?;
    Some(Err(match entry.status {
        Status::Excluded { reason, .. } => reason,
        Status::Failed { reason, message } => format!("{reason}: {message}"),
        Status::Modelled => "it has no function".to_owned(),
    }))
}

/// What an input says.
#[derive(Default)]
pub struct Loaded {
    /// Name, kind and versions.
    pub summary: SideSummary,
    /// What documents say, by instruction set.
    pub parsed: Vec<(Isa, Parsed)>,
    /// The entries' own texts, where they are at hand.
    pub outlines: BTreeMap<Isa, BTreeMap<String, Outline>>,
    /// The operations, where they are known.
    pub operations: Option<Vec<Operation>>,
    /// Entries of an output.
    pub listed: Vec<Listed>,
    /// Whether another run may come to other operations, because time ran out.
    pub undecided: bool,
}

/// Reads an input; what kind it is follows from its contents.
pub fn read(session: &Session, path: &Path, isas: &[Isa]) -> Result<Input> {
    let made =
        |kind: &str, contents| Input { name: path.display().to_string(), kind: kind.to_owned(), contents };
    if !path.is_dir() {
        let found = kinds::read(session, path, isas)?;
        return Ok(made(found.kind, Contents::Documents { documents: found.documents }));
    }
    if output::is_output(path) {
        let files = output::read(path, isas)?;
        return Ok(made("generated output", Contents::Output { folder: path.to_path_buf(), files }));
    }
    let documents = session.read(Some(path), isas)?;
    Ok(made("folder of documents", Contents::Documents { documents }))
}

/// The documents that are read when none are named, as an input.
pub fn standard(session: &Session, isas: &[Isa]) -> Result<Input> {
    let documents = session.read(None, isas)?;
    let name = documents.folder.display().to_string();
    Ok(Input { name, kind: "folder of documents".to_owned(), contents: Contents::Documents { documents } })
}

/// One source of an instruction set as an input.
pub fn source(documents: &Arc<Documents>, isa: Isa, source: &'static Source) -> Input {
    Input {
        name: format!("{}: {}", documents.folder.display(), source.words),
        kind: "one source".to_owned(),
        contents: Contents::Source { documents: documents.clone(), isa, source },
    }
}

impl Input {
    /// The name as given.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// What it was taken for.
    pub fn kind(&self) -> &str {
        &self.kind
    }

    /// Name and kind.
    pub fn summary(&self) -> SideSummary {
        SideSummary { name: self.name.clone(), kind: self.kind.clone(), ..SideSummary::default() }
    }

    /// What was read, for messages.
    pub fn description(&self) -> String {
        match &self.contents {
            Contents::Documents { documents } => documents.description(),
            Contents::Output { .. } | Contents::Source { .. } => format!("{} ({})", self.name, self.kind),
        }
    }

    /// The flags by which `hydride eval` reads the same.
    pub fn flags(&self) -> Vec<String> {
        let specs = |path: String| vec!["--specs".to_owned(), path];
        match &self.contents {
            Contents::Documents { .. } | Contents::Output { .. } => specs(self.name.clone()),
            Contents::Source { documents, source, .. } => {
                let mut flags = specs(documents.folder.display().to_string());
                flags.extend(["--source".to_owned(), source.name.to_owned()]);
                flags
            }
        }
    }

    /// The function of an instruction, or why there is none; nothing where there is no such entry. What documents say of
    /// the entry is kept.
    pub fn function(
        &self,
        session: &Session,
        isa: Isa,
        id: &str,
        cache: &CacheArgs,
    ) -> Result<Option<Found>> {
        match &self.contents {
            Contents::Output { folder, files } => {
                let mut listed = output::listed(files, &[isa], folder)?.into_iter();
                Ok(listed.find(|entry| entry.id == id).map(|entry| entry.semantics))
            }
            Contents::Documents { documents } => {
                let read = || anyhow::Ok(found(session.parse_one(isa, documents, id)?, id));
                let all = session.documents_key(isa, &documents.of(isa));
                let key = digest([b"entry".as_slice(), &all, id.as_bytes()]);
                let cache = cache.open_at(&[key]);
                let found = cache.memo().try_get_or(|| key, read)?;
                cache.save();
                Ok(found)
            }
            Contents::Source { documents, isa, source } => {
                Ok(found(parse_source(session, documents, *isa, source)?, id))
            }
        }
    }

    /// The instruction sets that it is about.
    pub fn isas(&self, isas: &[Isa]) -> BTreeSet<Isa> {
        match &self.contents {
            Contents::Documents { documents } => {
                documents.documents.iter().map(|document| document.isa).collect()
            }
            Contents::Output { files, .. } => output::isas(files, isas),
            Contents::Source { isa, .. } => BTreeSet::from([*isa]),
        }
    }

    /// Whether both hold the same documents, or the same outputs, byte for byte.
    pub fn has_contents_of(&self, other: &Input) -> bool {
        match (&self.contents, &other.contents) {
            (Contents::Documents { documents: one }, Contents::Documents { documents: other }) => {
                let contents = |documents: &Documents| -> Vec<(Isa, blake3::Hash)> {
                    let hash = |document: &Document| (document.isa, blake3::hash(&document.bytes));
                    documents.documents.iter().map(hash).collect()
                };
                contents(one) == contents(other)
            }
            (Contents::Output { files: one, .. }, Contents::Output { files: other, .. }) => one == other,
            _ => false,
        }
    }

    /// A hash of all that it says.
    pub fn digest(&self) -> Key {
        match &self.contents {
            Contents::Documents { documents } => documents.key(&self.kind, &[]),
            Contents::Output { files, .. } => {
                let parts = files.iter().flat_map(|(name, text)| [name.as_bytes(), text.as_bytes()]);
                digest(std::iter::once(self.kind.as_bytes()).chain(parts))
            }
            Contents::Source { documents, source, .. } => documents.key(source.words, &[]),
        }
    }

    /// Reads what the input says. New families of operations are added to `families`. A document that is not
    /// whole is an error: what is missing would count as removed.
    pub fn load(
        self,
        isas: &[Isa],
        families: &mut Dictionary,
        keeper: &Keeper<'_>,
        phases: &mut Phases,
    ) -> Result<Loaded> {
        let mut loaded = Loaded { summary: self.summary(), ..Loaded::default() };
        match self.contents {
            Contents::Documents { documents } => {
                let parsed = Pipeline::parse(keeper.session, &documents, isas, &keeper.memo(), phases)?;
                require_entries(&self.name, &parsed)?;
                for (isa, _) in &parsed {
                    let outlines = keeper.session.outline(*isa, &documents);
                    let by_id = outlines.into_iter().map(|outline| (outline.id.clone(), outline)).collect();
                    loaded.outlines.insert(*isa, by_id);
                }
                let versions = parsed.iter().map(|(_, parsed)| parsed.version.clone());
                loaded.summary.versions = versions.filter(|version| !version.is_empty()).collect();
                let found = keeper.classify(parsed, &documents, families, phases)?;
                loaded.operations = Some(found.operations);
                (loaded.parsed, loaded.undecided) = (found.parsed, found.undecided);
            }
            Contents::Output { folder, files } => {
                loaded.listed = output::listed(&files, isas, &folder)?;
                loaded.operations = Some(output::operations(&files, isas, &folder)?);
                if loaded.listed.is_empty() {
                    return Err(empty(&self.name));
                }
            }
            Contents::Source { documents, isa, source } => {
                let parsed = vec![(isa, parse_source(keeper.session, &documents, isa, source)?)];
                require_entries(&self.name, &parsed)?;
                loaded.parsed = parsed;
            }
        }
        Ok(loaded)
    }
}

/// Parses one source of an instruction set.
fn parse_source(session: &Session, documents: &Documents, isa: Isa, source: &Source) -> Result<Parsed> {
    let own: Vec<&Document> = documents.documents.iter().collect();
    let parsed = (source.parse)(&session.reading(isa, &own)).map_err(|missing| {
        let message = format!("{} holds no {missing}", documents.folder.display());
        Failure { code: 3, message }
    })?;
    session.require_whole(&parsed.diagnostics, &own)?;
    Ok(parsed)
}

fn empty(name: &str) -> anyhow::Error {
    Failure { code: 3, message: format!("{name} holds no entries") }.into()
}

/// Refuses documents that hold no entries.
fn require_entries(name: &str, parsed: &[(Isa, Parsed)]) -> Result<()> {
    match parsed.iter().any(|(_, parsed)| parsed.ledger.is_empty()) || parsed.is_empty() {
        true => Err(empty(name)),
        false => Ok(()),
    }
}

impl Loaded {
    /// The side as it is compared.
    pub fn side(&self) -> Side<'_> {
        static NONE: BTreeMap<String, Outline> = BTreeMap::new();
        let mut side = Side::default();
        for (isa, parsed) in &self.parsed {
            side.add(*isa, parsed, self.outlines.get(isa).unwrap_or(&NONE));
        }
        for Listed { isa, id, semantics, accessed, addresses } in &self.listed {
            side.entries.push(Entry {
                isa: *isa,
                id: id.clone(),
                extensions: Vec::new(),
                prototype: None,
                text: None,
                semantics: match semantics {
                    Ok(function) => Ok(Semantics {
                        accessed: accessed.as_ref(),
                        addresses: addresses.as_ref(),
                        ..function.into()
                    }),
                    Err(reason) => Err(reason.clone()),
                },
            });
        }
        side
    }

    /// The instruction of an id, where documents were read.
    pub fn instruction(&self, isa: Isa, id: &str) -> Option<&parsers::Instruction> {
        let own = self.parsed.iter().filter(|(known, _)| *known == isa);
        own.flat_map(|(_, parsed)| &parsed.instructions).find(|instruction| instruction.id == id)
    }
}
