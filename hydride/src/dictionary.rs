//! The dictionary of operations as `explain` and `query` see it: from the files of an output folder, or
//! fresh from a run over documents.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use anyhow::{Context, Result, anyhow};
use catalog::record::SignatureRecord;
use catalog::{MemberRecord, OperationRecord};
use clap::Args;
use hydride_ir::Function;
use parsers::Instruction;
use serde::Deserialize;

use crate::classified::ClassifyArgs;
use crate::commands::generate::{ledger, lowering_table};
use crate::outputs::{self, OUTPUTS, is_ours};
use crate::pipeline::Pipeline;
use crate::{Session, usage};

/// Where the dictionary comes from.
#[derive(Args)]
pub struct DictionaryArgs {
    #[command(flatten)]
    classify: ClassifyArgs,
    /// Read this folder, which `generate-ir` wrote; without --out and --specs `out` where it is one.
    #[arg(long, value_name = "DIR", conflicts_with = "specs")]
    out: Option<PathBuf>,
}

impl DictionaryArgs {
    /// Reads the dictionary, or builds it from documents.
    pub fn read(&self, session: &Session) -> Result<Dictionary> {
        let standard = Path::new("out");
        let folder = match &self.out {
            Some(folder) if !is_ours(folder, &OUTPUTS) => {
                return Err(anyhow!("{} holds no outputs of generate-ir", folder.display()));
            }
            Some(folder) => Some(folder.as_path()),
            None => (self.classify.specs.specs.is_none() && is_ours(standard, &OUTPUTS)).then_some(standard),
        };
        match folder {
            Some(folder) => {
                tracing::info!("the outputs in {} are read", folder.display());
                Dictionary::from_outputs(folder)
            }
            None => {
                let (_, pipeline) = self.classify.run(session, &session.isas())?;
                Ok(Dictionary::from_run(Arc::new(pipeline)))
            }
        }
    }
}

/// All operations with their members.
pub struct Dictionary {
    /// Sorted by name.
    pub operations: Vec<OperationRecord>,
    /// What the documents say of the members, by instruction set and id.
    lowerings: BTreeMap<(String, String), Lowering>,
    source: Source,
}

enum Source {
    /// The outputs of an earlier run.
    Outputs(PathBuf),
    Run(Arc<Pipeline>),
}

/// What the lowering table adds to a member.
#[derive(Debug, Default, Deserialize)]
pub struct Lowering {
    /// Assembly mnemonics.
    pub mnemonics: Vec<String>,
    /// Extensions needed.
    pub extensions: Vec<String>,
    /// The C signature.
    pub signature: SignatureRecord,
    /// How programs use it, where that is read from a table; [`Dictionary::uses`] knows it in any case.
    #[serde(flatten)]
    uses: Option<Uses>,
}

/// How programs use a member.
#[derive(Clone, Debug, Deserialize)]
pub struct Uses {
    /// The vendor's C function; empty where there is none.
    pub intrinsic: String,
    /// A use of the operation in MLIR, without the member's mask.
    pub mlir: String,
    /// The member's definition for stock LLVM.
    pub function: Option<Definition>,
    /// CPU features that it needs, in LLVM's spelling.
    pub features: Vec<String>,
}

/// A function of LLVM's.
#[derive(Clone, Debug, Deserialize)]
pub struct Definition {
    /// Its name.
    pub name: String,
    /// The type of its result.
    pub result: String,
    /// Each operand's kind, its type, and the position of the instruction's argument that it is.
    pub operands: Vec<(String, String, usize)>,
}

/// The parts of `llvm/lowering.json` that are used here.
#[derive(Deserialize)]
struct Table {
    lowerings: Vec<Row>,
}

#[derive(Deserialize)]
struct Row {
    isa: String,
    id: String,
    #[serde(flatten)]
    lowering: Lowering,
}

/// Where the table is.
const TABLE: &str = "llvm/lowering.json";

/// A line of the ledger.
#[derive(Deserialize)]
pub struct LedgerLine {
    /// The instruction set.
    pub isa: String,
    /// The entry's id.
    pub id: String,
    /// `modelled`, `excluded` or `failed`.
    pub status: String,
    /// Why, unless modelled.
    #[serde(default)]
    pub reason: Option<String>,
    /// The same in words.
    #[serde(default)]
    pub message: Option<String>,
    /// What it was run on.
    #[serde(default)]
    pub trust: Option<serde_json::Value>,
}

impl Dictionary {
    fn from_outputs(folder: &Path) -> Result<Self> {
        let operations =
            serde_json::from_str(&outputs::read(folder, "classes.json")?).context("classes.json")?;
        let table: Table = serde_json::from_str(&outputs::read(folder, TABLE)?).context(TABLE)?;
        let lowerings = table.lowerings.into_iter().map(|row| ((row.isa, row.id), row.lowering)).collect();
        Ok(Self { operations, lowerings, source: Source::Outputs(folder.to_owned()) })
    }

    /// The operations of a run.
    pub fn from_run(pipeline: Arc<Pipeline>) -> Self {
        let operations = pipeline.dialect.families().iter().map(autoir::Family::record).collect();
        let members = pipeline.dialect.families().iter().flat_map(|family| &family.class.members);
        let lowerings = members.map(|member| {
            let lowering = Lowering {
                mnemonics: member.mnemonics.clone(),
                extensions: member.extensions.clone(),
                signature: (&member.signature).into(),
                uses: None,
            };
            ((member.isa.clone(), member.id.clone()), lowering)
        });
        Self { operations, lowerings: lowerings.collect(), source: Source::Run(pipeline) }
    }

    /// What the lowering table says of a member.
    pub fn lowering(&self, member: &MemberRecord) -> Result<&Lowering> {
        let found = self.lowerings.get(&(member.isa.clone(), member.id.clone()));
        found.with_context(|| format!("{TABLE} has no row for {}", member.id))
    }

    /// How programs use a member.
    pub fn uses(&self, session: &Session, member: &MemberRecord) -> Result<Uses> {
        let uses = match &self.source {
            Source::Outputs(_) => self.lowering(member)?.uses.clone(),
            Source::Run(pipeline) => {
                let table: Table =
                    serde_json::from_str(&lowering_table(session, pipeline)?).context(TABLE)?;
                let mut rows = table.lowerings.into_iter();
                let row = rows.find(|row| row.isa == member.isa && row.id == member.id);
                row.and_then(|row| row.lowering.uses)
            }
        };
        uses.with_context(|| format!("{TABLE} does not say how {} is used", member.id))
    }

    /// The instructions that a name means: an id, or `isa:id`.
    pub fn instructions(&self, name: &str) -> Vec<(&OperationRecord, &MemberRecord)> {
        let (isa, id) = match name.split_once(':') {
            Some((isa, id)) => (Some(isa), id),
            None => (None, name),
        };
        let all =
            self.operations.iter().flat_map(|class| class.members.iter().map(move |member| (class, member)));
        all.filter(|(_, member)| member.id == id && isa.is_none_or(|isa| member.isa == isa)).collect()
    }

    /// The instruction that a name means, if it is the only one.
    pub fn instruction(&self, name: &str) -> Result<(&OperationRecord, &MemberRecord)> {
        match self.instructions(name).as_slice() {
            [found] => Ok(*found),
            [] => Err(match self.ledger(name)?.first() {
                Some(line) => {
                    let reason = line.reason.as_deref().unwrap_or(&line.status);
                    usage(format!("{name} is not modelled: {reason}"))
                }
                None => self.unknown(name),
            }),
            several => {
                let names: Vec<String> =
                    several.iter().map(|(_, member)| format!("{}:{}", member.isa, member.id)).collect();
                Err(usage(format!("{name} is {}: say which", names.join(" and "))))
            }
        }
    }

    /// The ledger's lines of an id.
    pub fn ledger(&self, name: &str) -> Result<Vec<LedgerLine>> {
        let id = name.split_once(':').map_or(name, |(_, id)| id);
        // Lines are picked before they are parsed: there are thousands.
        let quoted = serde_json::to_string(id)?;
        let text = match &self.source {
            Source::Outputs(folder) => outputs::read(folder, "ledger.jsonl")?,
            Source::Run(pipeline) => ledger(pipeline),
        };
        let lines = text.lines().filter(|line| line.contains(&quoted));
        let mut found: Vec<LedgerLine> = lines.map(serde_json::from_str).collect::<Result<_, _>>()?;
        found.retain(|line| line.id == id);
        Ok(found)
    }

    /// An instruction's function as parsed.
    pub fn parsed(&self, member: &MemberRecord) -> Result<Function> {
        let missing = || format!("ir/{}.hir has no {}", member.isa, member.id);
        match &self.source {
            Source::Outputs(folder) => {
                function(folder, &format!("ir/{}.hir", member.isa), &member.id)?.with_context(missing)
            }
            Source::Run(pipeline) => {
                let (instruction, _) = found(pipeline, member).with_context(missing)?;
                Ok(instruction.function.clone())
            }
        }
    }

    /// An instruction's canonical function, where it has one.
    pub fn canonical(&self, member: &MemberRecord) -> Result<Option<Function>> {
        match &self.source {
            Source::Outputs(folder) => {
                function(folder, &format!("ir/{}.canonical.hir", member.isa), &member.id)
            }
            Source::Run(pipeline) => {
                Ok(found(pipeline, member).and_then(|(_, analysis)| analysis.canonical.clone()))
            }
        }
    }

    /// The text of an operation's function.
    pub fn formula(&self, operation: &OperationRecord) -> Result<String> {
        let name = &operation.name;
        let formula = match &self.source {
            Source::Outputs(folder) => {
                function_text(&outputs::read(folder, "autollvm/autollvm.hir")?, name).map(str::to_owned)
            }
            Source::Run(pipeline) => {
                let mut families = pipeline.dialect.families().iter();
                families.find(|family| family.name == *name).map(|family| family.named_function().to_string())
            }
        };
        formula.with_context(|| format!("autollvm/autollvm.hir has no {name}"))
    }

    /// Names that somebody may have meant.
    pub fn similar_names(&self, name: &str) -> Vec<&str> {
        let ids = self.operations.iter().flat_map(|class| {
            std::iter::once(class.name.as_str()).chain(class.members.iter().map(|member| member.id.as_str()))
        });
        similar_names(ids, name)
    }

    /// An error for a name that means nothing.
    pub fn unknown(&self, name: &str) -> anyhow::Error {
        match self.similar_names(name).as_slice() {
            [] => usage(format!("there is no instruction or operation {name}")),
            similar => usage(format!(
                "there is no instruction or operation {name}; did you mean {}?",
                similar.join(", ")
            )),
        }
    }
}

/// The shortest names that have another one in them, five at most.
pub fn similar_names<'a>(names: impl Iterator<Item = &'a str>, name: &str) -> Vec<&'a str> {
    let wanted = name.trim_start_matches('_').to_ascii_lowercase();
    let mut found: Vec<&str> = names.filter(|id| id.to_ascii_lowercase().contains(&wanted)).collect();
    found.sort_by_key(|id| (id.len(), *id));
    found.truncate(5);
    found
}

/// A member's instruction and its analysis.
fn found<'a>(
    pipeline: &'a Pipeline,
    member: &MemberRecord,
) -> Option<(&'a Instruction, &'a similarity::Analysis)> {
    let mut all = pipeline.instructions().into_iter().zip(&pipeline.analyses);
    all.find(|(instruction, _)| instruction.id == member.id && instruction.isa.name() == member.isa)
}

fn function(folder: &Path, path: &str, name: &str) -> Result<Option<Function>> {
    let text = outputs::read(folder, path)?;
    let Some(found) = function_text(&text, name) else { return Ok(None) };
    Function::parse(found).map(Some).map_err(|error| anyhow!("{path}: @{name}: {error}"))
}

/// The text of one function of a file of IR: from its first line to the closing brace.
fn function_text<'a>(text: &'a str, name: &str) -> Option<&'a str> {
    let heads = [format!("\nfunc @{name}("), format!("\nfunc @{name}["), format!("\nfunc @\"{name}\"(")];
    let start = heads.iter().find_map(|head| text.find(head))?;
    let end = text[start..].find("\n}\n")?;
    Some(&text[start + 1..start + end + 3])
}
