//! The report's input, from a run.

use std::collections::BTreeMap;

use ::report::{Cost, Declaration, Entry, Erratum, Input, InstructionSet, Modelled, Port, Run};
use anyhow::{Context, Result};
use catalog::Trust;
use codegen_gen::GeneratedFile;
use memo::{Key, Memo, digest};
use parsers::errata::State;
use parsers::{Instruction, Isa, Outline, Parsed, Status};
use rayon::prelude::*;
use serde::{Deserialize, Serialize};

use crate::Session;
use crate::costs::CostTable;
use crate::documents::Documents;
use crate::pipeline::{Pipeline, Texts};
use crate::synonyms;

/// The report's files.
pub fn files(
    session: &Session,
    documents: &Documents,
    pipeline: &Pipeline,
    ports: Vec<Port>,
    memo: &Memo,
) -> Result<Vec<GeneratedFile>> {
    let costs = CostTable::all(session)?;
    let mut errata = Vec::new();
    let mut known: BTreeMap<(Isa, &str), (&Instruction, &Texts, &Trust)> = BTreeMap::new();
    let found = pipeline.instructions().into_iter().zip(&pipeline.texts).zip(&pipeline.trusts);
    for ((instruction, texts), trust) in found {
        known.insert((instruction.isa, &instruction.id), (instruction, texts, trust));
    }
    let declared: BTreeMap<Isa, BTreeMap<String, Declared>> = pipeline
        .parsed
        .par_iter()
        .map(|(isa, _)| {
            let own = || declarations(session, documents, *isa);
            (*isa, memo.get_or(|| declarations_key(session, documents, *isa), own))
        })
        .collect();
    let mut isas = Vec::new();
    for (isa, parsed) in &pipeline.parsed {
        let corrections = corrections(session, *isa, parsed, &mut errata);
        let entries = parsed
            .ledger
            .iter()
            .map(|line| {
                let status = match &line.status {
                    Status::Modelled => {
                        let found = known.get(&(*isa, line.id.as_str()));
                        let (instruction, texts, trust) =
                            found.with_context(|| format!("{}: modelled, but not there", line.id))?;
                        ::report::Status::Modelled(modelled(instruction, texts, trust, &costs))
                    }
                    Status::Excluded { reason, message } => {
                        ::report::Status::Excluded { reason, message: message.as_deref() }
                    }
                    Status::Failed { reason, message } => ::report::Status::Failed { reason, message },
                };
                Ok(Entry {
                    id: &line.id,
                    file: &line.span.file,
                    line: line.span.line,
                    status,
                    errata: corrections.get(line.id.as_str()).cloned().unwrap_or_default(),
                    declared: declared.get(isa).and_then(|own| own.get(&line.id)).map(Declared::borrowed),
                })
            })
            .collect::<Result<Vec<_>>>()?;
        isas.push(InstructionSet { name: isa.name(), version: &parsed.version, entries });
    }
    let synonyms = synonyms::synonyms()?;
    let input = Input { dialect: &pipeline.dialect, isas, errata, synonyms: &synonyms, ports };
    Ok(::report::generate(&input, memo)?)
}

/// What an entry declares.
#[derive(Serialize, Deserialize)]
struct Declared {
    result: String,
    args: Vec<(String, String)>,
    extensions: Vec<String>,
    mnemonics: Vec<String>,
}

impl Declared {
    fn borrowed(&self) -> Declaration<'_> {
        let Self { result, args, extensions, mnemonics } = self;
        Declaration { result, args, extensions, mnemonics }
    }
}

/// What the entries of an instruction set declare, by id.
fn declarations(session: &Session, documents: &Documents, isa: Isa) -> BTreeMap<String, Declared> {
    let declared = |outline: Outline| {
        let Outline { id, result, args, extensions, mnemonics, .. } = outline;
        (id, Declared { result, args, extensions, mnemonics })
    };
    session.outline(isa, documents).into_iter().map(declared).collect()
}

fn declarations_key(session: &Session, documents: &Documents, isa: Isa) -> Key {
    digest([b"declarations".as_slice(), &session.documents_key(isa, &documents.of(isa))])
}

fn modelled<'a>(
    instruction: &'a Instruction,
    texts: &'a Texts,
    trust: &Trust,
    costs: &'a [CostTable],
) -> Modelled<'a> {
    let runs = match trust {
        Trust::Run { cpu, inputs, seed } => vec![Run { cpu: cpu.clone(), inputs: *inputs, seed: *seed }],
        Trust::Proved | Trust::Parsed => Vec::new(),
    };
    Modelled {
        arg_names: instruction.signature.args.iter().map(|arg| arg.name.as_str()).collect(),
        text: texts.canonical.as_ref().unwrap_or(&texts.parsed),
        canonical: texts.canonical.is_some(),
        runs,
        costs: costs
            .iter()
            .filter(|table| table.isa == instruction.isa.name())
            .filter_map(|table| cost(instruction, table))
            .collect(),
    }
}

/// What the first machine instruction costs that the table knows.
fn cost<'a>(instruction: &Instruction, table: &'a CostTable) -> Option<Cost<'a>> {
    let mut known = instruction.forms.iter().filter_map(|form| table.of(&form.mnemonic, &form.operands));
    let (latency, uops) = known.next()?;
    Some(Cost { cpu: &table.cpu, latency, uops })
}

/// Adds the errata of an instruction set that were applied, and gives their positions by entry.
fn corrections(
    session: &Session,
    isa: Isa,
    parsed: &Parsed,
    errata: &mut Vec<Erratum>,
) -> BTreeMap<String, Vec<usize>> {
    let mut touched: BTreeMap<String, Vec<usize>> = BTreeMap::new();
    let known = session.errata(isa).map_or(&[][..], |errata| &errata.errata);
    let mut last = None;
    for done in parsed.errata.iter().filter(|done| done.state == State::Applied) {
        let Some(erratum) = known.get(done.erratum) else { continue };
        if last != Some(done.erratum) {
            last = Some(done.erratum);
            let note = erratum.note.trim().to_owned();
            errata.push(Erratum { note, evidence: erratum.evidence.to_string() });
        }
        touched.entry(done.entry.clone()).or_default().push(errata.len() - 1);
    }
    touched
}
