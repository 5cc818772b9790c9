//! What a comparison keeps for the next one: the report on two inputs, and the operations of one input.
//!
//! The report is kept under all that it depends on, without the names by which the user called the inputs. It is
//! kept before any hardware is asked, and not at all where time ran out: another run might decide more.

use anyhow::{Context, Result};
use autoir::Dictionary;
use memo::digest;
use parsers::{Isa, Parsed};
use semantic_diff::{Operation, Report};
use serde::{Deserialize, Serialize};
use smt::{Key, Memo};

use crate::Session;
use crate::cache::{Cache, CacheArgs};
use crate::console::Phases;
use crate::documents::Documents;
use crate::pipeline::Pipeline;
use crate::trust::RecordsArgs;

/// The cache, and what every answer depends on besides the inputs.
pub struct Keeper<'a> {
    pub session: &'a Session,
    cache: Cache,
    options: String,
    errata: Vec<String>,
}

/// Name, parameters, and instruction set and id of each member of an operation.
type Row = (String, Vec<String>, Vec<(String, String)>);

/// The operations of an input as they are kept.
#[derive(Serialize, Deserialize)]
struct Classified {
    operations: Vec<Row>,
    /// The families that they added.
    added: String,
}

/// The operations of what documents say.
pub struct Found {
    pub operations: Vec<Operation>,
    pub parsed: Vec<(Isa, Parsed)>,
    /// Whether another run may come to other operations, because time ran out.
    pub undecided: bool,
}

impl<'a> Keeper<'a> {
    pub fn new(session: &'a Session, args: &CacheArgs, isas: &[Isa]) -> Self {
        let options = format!("{isas:?} {:?}", session.reading_flags());
        Self { session, cache: args.open(), options, errata: session.errata_texts(isas) }
    }

    /// What earlier runs found out.
    pub fn memo(&self) -> Memo {
        self.cache.memo()
    }

    fn key(&self, what: &str, parts: &[&[u8]]) -> Key {
        let own = [what, &self.options].into_iter().chain(self.errata.iter().map(String::as_str));
        digest(own.map(str::as_bytes).chain(parts.iter().copied()))
    }

    /// The key of the report on two inputs, whose keys are given.
    pub fn question(&self, sides: [Key; 2], families: &Dictionary) -> Key {
        self.key("report", &[&sides[0], &sides[1], families.to_string().as_bytes()])
    }

    /// The report that an earlier run kept; with -v the phases of a whole run are wanted.
    pub fn report(&self, question: &Key) -> Option<Report> {
        if tracing::enabled!(tracing::Level::INFO) {
            return None;
        }
        serde_json::from_str(&self.memo().get::<String>(question)?).ok()
    }

    /// Keeps a report.
    pub fn keep(&self, question: Key, report: &Report) -> Result<()> {
        if !self.memo().has_store() {
            return Ok(());
        }
        // As JSON, since a report leaves fields out.
        self.memo().put(question, &serde_json::to_string(report)?);
        Ok(())
    }

    /// Writes what this run keeps.
    pub fn save(&self) {
        self.cache.save();
    }

    /// Finds the operations of what documents say; new families are added to `families`.
    pub fn classify(
        &self,
        parsed: Vec<(Isa, Parsed)>,
        documents: &Documents,
        families: &mut Dictionary,
        phases: &mut Phases,
    ) -> Result<Found> {
        let before = families.clone();
        let key = self.key("operations", &[&documents.key("", &[]), before.to_string().as_bytes()]);
        if let Some(kept) = self.memo().get::<Classified>(&key) {
            let added = Dictionary::parse(&kept.added);
            *families = before.with(added.context("the families that an earlier run kept cannot be read")?);
            let operation = |(name, params, members): Row| Operation {
                name,
                params,
                members: members.into_iter().collect(),
            };
            let operations = kept.operations.into_iter().map(operation).collect();
            return Ok(Found { operations, parsed, undecided: false });
        }
        let pipeline = {
            // How far an instruction is trusted is no part of a comparison.
            let (known, records) = (std::mem::take(families), RecordsArgs::default());
            Pipeline::classify(self.session, parsed, known, &records, &self.memo(), phases)?
        };
        let added = pipeline.families.beyond(&before);
        *families = before.with(added.clone());
        let operations: Vec<Operation> = pipeline.dialect.families().iter().map(operation).collect();
        let undecided = !pipeline.partition.unknown.is_empty();
        if !undecided {
            let row = |operation: &Operation| {
                let members = operation.members.iter().cloned().collect();
                (operation.name.clone(), operation.params.clone(), members)
            };
            let operations = operations.iter().map(row).collect();
            let kept = Classified { operations, added: added.to_string() };
            self.memo().put(key, &kept);
        }
        Ok(Found { operations, parsed: pipeline.parsed, undecided })
    }
}

fn operation(family: &autoir::Family) -> Operation {
    let class = &family.class;
    Operation {
        name: family.name.clone(),
        params: class.function.params.iter().map(|param| param.name.clone()).collect(),
        members: class.members.iter().map(|member| (member.isa.clone(), member.id.clone())).collect(),
    }
}
