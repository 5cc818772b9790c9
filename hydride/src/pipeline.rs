//! The phases of a run: documents to a dialect.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use anyhow::{Context, Result};
use autoir::{BuildError, Class, Dialect, Dictionary};
use catalog::{Family, Trust};
use parsers::{Instruction, Isa, LedgerEntry, Parsed};
use rayon::prelude::*;
use serde::{Deserialize, Serialize};
use similarity::{Analysis, Analyzed, Partition, analyze_with};
use smt::{Memo, Prover};

use crate::Session;
use crate::console::Phases;
use crate::convert;
use crate::documents::Documents;
use crate::reviews::reviews;
use crate::trust::{Records, RecordsArgs};

/// Solver time for one question.
pub const TIME_LIMIT: Duration = Duration::from_secs(10);

/// What the documents say, and what was made of it.
pub struct Pipeline {
    /// For each instruction set of the run what its documents say.
    pub parsed: Vec<(Isa, Parsed)>,
    /// For each instruction of `parsed`, in order, the results that depend only on it.
    pub analyses: Vec<Analysis>,
    /// The functions of each of them as text.
    pub texts: Vec<Texts>,
    /// How far each of them can be trusted.
    pub trusts: Vec<Trust>,
    /// The classes, in terms of positions in the list of all instructions.
    pub partition: Partition,
    /// The named operations.
    pub dialect: Dialect,
    /// The families that the run started from, and those that it added.
    pub families: Dictionary,
    /// The names of the families that it added, sorted.
    pub added: Vec<String>,
}

/// An instruction's functions as text.
#[derive(Serialize, Deserialize)]
pub struct Texts {
    /// What the document says.
    pub parsed: String,
    /// The function in canonical form, if it has one.
    pub canonical: Option<String>,
}

impl Texts {
    fn of(instruction: &Instruction, analysis: &Analysis, memo: &Memo) -> Self {
        let text = || {
            let canonical = analysis.canonical.as_ref().map(ToString::to_string);
            Self { parsed: instruction.function.to_string(), canonical }
        };
        memo.get_or(|| analysis.text_key(&instruction.function), text)
    }
}

impl Pipeline {
    /// Runs all phases; results in `memo` are reused.
    pub fn run(
        session: &Session,
        documents: &Documents,
        isas: &[Isa],
        families: Dictionary,
        records: &RecordsArgs,
        memo: &Memo,
        phases: &mut Phases,
    ) -> Result<Self> {
        let parsed = Self::parse(session, documents, isas, memo, phases)?;
        Self::classify(session, parsed, families, records, memo, phases)
    }

    /// The first phase: what the documents of each instruction set say.
    pub fn parse(
        session: &Session,
        documents: &Documents,
        isas: &[Isa],
        memo: &Memo,
        phases: &mut Phases,
    ) -> Result<Vec<(Isa, Parsed)>> {
        let mut parsed = Vec::new();
        for isa in isas {
            if !documents.documents.iter().any(|document| document.isa == *isa) {
                continue;
            }
            if let Some(missing) = session.missing_main_document(*isa, documents) {
                phases.note(isa.name(), &format!("left out: there is no {missing} among its documents"));
                continue;
            }
            let phase = phases.start(&format!("parse {}", isa.name()), 0);
            let progress = |done, total| phase.set(done, total);
            let result = session.parse(*isa, documents, memo, &progress)?;
            let what = format!("{} of {} entries modelled", result.instructions.len(), result.ledger.len());
            phases.end(phase, &what);
            parsed.push((*isa, result));
        }
        Ok(parsed)
    }

    /// The other phases.
    pub fn classify(
        session: &Session,
        parsed: Vec<(Isa, Parsed)>,
        families: Dictionary,
        records: &RecordsArgs,
        memo: &Memo,
        phases: &mut Phases,
    ) -> Result<Self> {
        let found = Classified::new(session, parsed, &families, records, memo, phases)?;
        let known: BTreeSet<String> = families.names().map(str::to_owned).collect();
        let reviews = reviews()?;
        let name = |classes| Dialect::build_with(classes, families, &reviews, memo);
        let mut pipeline = found.named(phases, name)?;
        let names = pipeline.families.names().map(str::to_owned);
        pipeline.added = names.filter(|name| !known.contains(name)).collect();
        Ok(pipeline)
    }

    /// The same with new families for everything; they inherit names from `previous`.
    pub fn rebuild(
        session: &Session,
        parsed: Vec<(Isa, Parsed)>,
        previous: &Dictionary,
        records: &RecordsArgs,
        memo: &Memo,
        phases: &mut Phases,
    ) -> Result<Self> {
        let found = Classified::new(session, parsed, &Dictionary::default(), records, memo, phases)?;
        let reviews = reviews()?;
        found.named(phases, |classes| Dialect::rebuild(classes, previous, &reviews))
    }

    /// All instructions, in the order of the analyses.
    pub fn instructions(&self) -> Vec<&Instruction> {
        all(&self.parsed)
    }

    /// All instructions as similarity takes them.
    pub fn entries(&self) -> Vec<Analyzed<'_>> {
        entries(&self.instructions(), &self.analyses)
    }

    /// The ledger of one instruction set.
    pub fn ledgers(&self) -> impl Iterator<Item = (Isa, &[LedgerEntry])> {
        self.parsed.iter().map(|(isa, parsed)| (*isa, parsed.ledger.as_slice()))
    }
}

/// Instructions with their classes, which have no names yet.
struct Classified {
    parsed: Vec<(Isa, Parsed)>,
    analyses: Vec<Analysis>,
    texts: Vec<Texts>,
    trusts: Vec<Trust>,
    partition: Partition,
    classes: Vec<Class>,
}

impl Classified {
    fn new(
        session: &Session,
        parsed: Vec<(Isa, Parsed)>,
        families: &Dictionary,
        records: &RecordsArgs,
        memo: &Memo,
        phases: &mut Phases,
    ) -> Result<Self> {
        let instructions: Vec<&Instruction> = all(&parsed);
        let phase = phases.start("canonicalize", instructions.len());
        let analyses = instructions
            .par_iter()
            .map(|instruction| {
                let analysis = analyze_with(&instruction.function, memo)
                    .with_context(|| format!("{}: the parsed function is not legal", instruction.id));
                phase.advance(1);
                analysis
            })
            .collect::<Result<Vec<_>>>()?;
        let formed = analyses.iter().filter(|analysis| analysis.canonical.is_some()).count();
        phases.end(phase, &format!("{formed} of {} in lane form", analyses.len()));

        let entries = entries(&instructions, &analyses);
        let phase = phases.start("similarity", entries.len());
        let done = AtomicUsize::new(0);
        let new_prover = || new_prover(memo);
        let families: Vec<&Family> = families.families().map(|(_, family)| family).collect();
        let partition = similarity::classify(&entries, &families, &new_prover, &|steps| {
            phase.set(done.fetch_add(steps, Ordering::Relaxed) + steps, entries.len());
        });
        phases.end(
            phase,
            &format!(
                "{} classes, {} memberships undecided",
                partition.classes.len(),
                partition.unknown.len()
            ),
        );

        let all = instructions.par_iter().zip(&analyses);
        let texts: Vec<Texts> =
            all.map(|(instruction, analysis)| Texts::of(instruction, analysis, memo)).collect();
        let trusts = trusts(session, &instructions, &texts, &analyses, &partition, records)?;
        let classes = convert::classes(&instructions, &entries, &partition, &families, &trusts);
        Ok(Self { parsed, analyses, texts, trusts, partition, classes })
    }

    fn named(
        self,
        phases: &mut Phases,
        name: impl FnOnce(Vec<Class>) -> Result<(Dialect, Dictionary), BuildError>,
    ) -> Result<Pipeline> {
        let phase = phases.start("name", self.classes.len());
        let (dialect, families) = name(self.classes).context("the classes contradict each other")?;
        phases.end(phase, &format!("{} operations", dialect.ops().len()));
        let Self { parsed, analyses, texts, trusts, partition, .. } = self;
        Ok(Pipeline { parsed, analyses, texts, trusts, partition, dialect, families, added: Vec::new() })
    }
}

/// A solver session with the time limit of a run, and its memo.
pub fn new_prover(memo: &Memo) -> Prover {
    Prover::with_time_limit(TIME_LIMIT).with_memo(memo.clone())
}

fn entries<'a>(instructions: &[&'a Instruction], analyses: &'a [Analysis]) -> Vec<Analyzed<'a>> {
    let entry = |(instruction, analysis): (&&'a Instruction, &'a Analysis)| Analyzed {
        isa: instruction.isa.name(),
        id: &instruction.id,
        function: &instruction.function,
        analysis,
    };
    instructions.iter().zip(analyses).map(entry).collect()
}

fn all(parsed: &[(Isa, Parsed)]) -> Vec<&Instruction> {
    parsed.iter().flat_map(|(_, parsed)| &parsed.instructions).collect()
}

/// How far each instruction can be trusted: what certificates and recorded runs say.
fn trusts(
    session: &Session,
    instructions: &[&Instruction],
    texts: &[Texts],
    analyses: &[Analysis],
    partition: &Partition,
    chosen: &RecordsArgs,
) -> Result<Vec<Trust>> {
    let mut records: BTreeMap<Isa, Records> = BTreeMap::new();
    for instruction in instructions {
        if let std::collections::btree_map::Entry::Vacant(slot) = records.entry(instruction.isa) {
            slot.insert(chosen.read(session, instruction.isa)?);
        }
    }
    let refused: Vec<usize> = partition.unknown.iter().map(|(entry, _)| *entry).collect();
    let trust = |(position, instruction): (usize, &&Instruction)| {
        let runs = records.get(&instruction.isa);
        match runs.and_then(|records| records.best(&instruction.id, &texts[position].parsed)) {
            Some((cpu, run)) => Trust::Run { cpu: run.machine(cpu), inputs: run.inputs, seed: run.seed },
            None if analyses[position].canonical.is_some() && !refused.contains(&position) => Trust::Proved,
            None => Trust::Parsed,
        }
    };
    Ok(instructions.iter().enumerate().map(trust).collect())
}
