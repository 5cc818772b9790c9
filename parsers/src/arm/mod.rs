//! Arm A64 Neon: intrinsics as documented, with the meaning of their instructions from ASL.
//!
//! ```text
//! intrinsics.json ─ base instruction, operands ─▶ assembly line ─ decode facts ─▶ word
//!   word ─ __opcode, __decode (arch_instrs.asl) ─▶ variables ─ __execute, arch.asl ─▶ registers
//! ```
//! [`parse`] reads the documents and lowers every intrinsic; each one ends in one ledger line.
//! Implementation-defined features are taken to be there, side effects (`FPSR.QC`, traps) dropped.

pub mod asl;
mod assembly;
mod ctype;
mod decode;
pub mod exec;
mod facts;
mod json;
mod lower;
mod position;

use std::sync::Arc;

use rayon::prelude::*;
use rustc_hash::FxHashMap;

pub use facts::Facts;

pub use crate::Document;
use crate::{Diagnostic, Instruction, Isa, LedgerEntry, Parsed, Severity, Span, Status};
use asl::ast::Stmt;
use exec::{Fault, FileId};
use lower::{Context, Lowered, Obstacle};
use position::Positions;

/// The documents of one release; any may be missing.
#[derive(Clone, Copy, Debug, Default)]
pub struct Documents<'a> {
    /// `intrinsics.json`.
    pub intrinsics: Option<Document<'a>>,
    /// `operations.json`.
    pub operations: Option<Document<'a>>,
    /// `arch_instrs.asl`.
    pub instructions: Option<Document<'a>>,
    /// `arch.asl`.
    pub library: Option<Document<'a>>,
    /// The decode facts, `specs/decode/a64.json`.
    pub decode: Option<Document<'a>>,
    /// Corrections of `intrinsics.json`: an array of objects with `entry`, `field` (a JSON pointer),
    /// `was` and `becomes`.
    pub errata: Option<Document<'a>>,
}

/// What to do beside the usual.
#[derive(Clone, Debug, Default)]
pub struct Options {
    /// Only these intrinsics are lowered, by name; all when empty. The ledger then has only them.
    pub only: Vec<String>,
}

/// Reads the documents.
pub fn parse(documents: &Documents<'_>, options: &Options) -> Parsed {
    let mut parsed = Parsed::default();
    let intrinsics = text(documents.intrinsics, "intrinsics", &mut parsed.diagnostics);
    let operations = text(documents.operations, "operations", &mut parsed.diagnostics);
    let instructions = text(documents.instructions, "instructions", &mut parsed.diagnostics);
    let library = text(documents.library, "library", &mut parsed.diagnostics);
    let decode = text(documents.decode, "decode facts", &mut parsed.diagnostics);

    let corrections = text(documents.errata, "errata", &mut parsed.diagnostics);
    let errata = match (corrections.text.is_empty(), json::errata(corrections.text)) {
        (true, _) => Vec::new(),
        (false, Ok(errata)) => errata,
        (false, Err((line, column, message))) => {
            parsed.diagnostics.push(corrections.diagnostic(corrections.offset_of(line, column), message));
            Vec::new()
        }
    };

    let mut errors = Vec::new();
    let sources = exec::Documents {
        library: asl::index::Library::new(library.text),
        instructions: asl::index::Instructions::new(instructions.text, &mut errors),
    };
    parsed
        .diagnostics
        .extend(errors.into_iter().map(|error| instructions.diagnostic(error.offset, error.message)));
    let facts = match (decode.text.is_empty(), Facts::parse(decode.text)) {
        (true, _) => Facts::default(),
        (false, Ok(facts)) => facts,
        (false, Err((line, column, message))) => {
            parsed.diagnostics.push(decode.diagnostic(decode.offset_of(line, column), message));
            Facts::default()
        }
    };
    let bodies = operation_bodies(&operations, sources.instructions.is_empty(), &mut parsed.diagnostics);
    let files = Files { operations: &operations, instructions: &instructions, library: &library };
    let cache = decode::Cache::default();
    let context = Context { documents: &sources, facts: &facts, cache: &cache, operations: &bodies };

    let (ranges, cut) = match intrinsics.text.is_empty() {
        true => (Vec::new(), None),
        false => json::elements(intrinsics.text),
    };
    if let Some((offset, message)) = cut {
        parsed.diagnostics.push(intrinsics.diagnostic(offset, message));
    }
    let outcomes: Vec<Option<Outcome>> = ranges
        .par_iter()
        .enumerate()
        .map(|(index, range)| {
            let span = intrinsics.span(range.start, range.len());
            outcome(&context, &files, (options, &errata), index, &intrinsics.text[range.clone()], span)
        })
        .collect();
    let known_operations = bodies;
    let mut seen: FxHashMap<String, usize> = FxHashMap::default();
    for mut outcome in outcomes.into_iter().flatten() {
        let twins = seen.entry(outcome.ledger.id.clone()).or_insert(0);
        *twins += 1;
        if *twins > 1 {
            outcome.ledger.id = format!("{}@{twins}", outcome.ledger.id);
            if let Some(instruction) = &mut outcome.instruction {
                instruction.id = outcome.ledger.id.clone();
                instruction.function.name = outcome.ledger.id.clone();
            }
        }
        if let Some(operation) = &outcome.operation
            && !operations.text.is_empty()
            && !known_operations.contains_key(operation)
        {
            parsed.diagnostics.push(Diagnostic {
                severity: Severity::Warning,
                entry: Some(outcome.ledger.id.clone()),
                span: outcome.ledger.span.clone(),
                message: format!("the operation `{operation}` is not defined"),
            });
        }
        for message in std::mem::take(&mut outcome.stale) {
            parsed.diagnostics.push(Diagnostic {
                severity: Severity::Error,
                entry: Some(outcome.ledger.id.clone()),
                span: outcome.ledger.span.clone(),
                message,
            });
        }
        if let Status::Failed { message, .. } = &outcome.ledger.status {
            parsed.diagnostics.push(Diagnostic {
                severity: Severity::Error,
                entry: Some(outcome.ledger.id.clone()),
                span: outcome.ledger.span.clone(),
                message: message.clone(),
            });
        }
        parsed.ledger.push(outcome.ledger);
        parsed.instructions.extend(outcome.instruction);
    }
    for erratum in
        errata.iter().filter(|erratum| options.only.is_empty() && !seen.contains_key(&erratum.entry))
    {
        let message = format!("there is no entry `{}` for an erratum", erratum.entry);
        parsed.diagnostics.push(corrections.diagnostic(0, message));
    }
    parsed
}

/// The assembly lines of all intrinsics of a document, as it stands and as errata (JSON, may be
/// empty) correct it, sorted, each with the ranges of its immediates: what the decode facts must hold.
pub fn assembly_lines(intrinsics: &str, errata: &str) -> std::collections::BTreeMap<String, Vec<(i64, i64)>> {
    let mut lines = std::collections::BTreeMap::new();
    let (ranges, _) = json::elements(intrinsics);
    let errata = json::errata(errata).unwrap_or_default();
    for (index, range) in ranges.into_iter().enumerate() {
        for errata in [&[][..], &errata] {
            let Ok(entry) = json::entry(&intrinsics[range.clone()], index, errata, &mut Vec::new()) else {
                continue;
            };
            if entry.returns == "void" || entry.args.iter().any(|(c_type, _)| c_type.contains('*')) {
                continue;
            }
            for line in assembly::lines(&entry).unwrap_or_default() {
                let ranges = line.immediates().map(|(_, low, high)| (low, high)).collect();
                lines.insert(line.to_string(), ranges);
            }
        }
    }
    lines
}

/// An assembly line with values in place of its ranges, and every combination of these.
pub fn expand(line: &str, ranges: &[(i64, i64)]) -> Vec<String> {
    let all = facts::combinations(ranges).unwrap_or_default();
    all.iter().map(|values| facts::expanded(line, values)).collect()
}

/// What became of an entry.
struct Outcome {
    ledger: LedgerEntry,
    instruction: Option<Instruction>,
    operation: Option<String>,
    /// Errata of the entry that do not apply.
    stale: Vec<String>,
}

fn outcome(
    context: &Context<'_>,
    files: &Files<'_>,
    (options, errata): (&Options, &[json::Erratum]),
    index: usize,
    text: &str,
    span: Span,
) -> Option<Outcome> {
    let mut stale = Vec::new();
    let entry = match json::entry(text, index, errata, &mut stale) {
        Ok(entry) => entry,
        Err(error) => {
            let id = error.name.unwrap_or_else(|| format!("[{index}]"));
            if !options.only.is_empty() && !options.only.contains(&id) {
                return None;
            }
            let message = format!("{}: {}", error.path, error.message);
            let status = Status::Failed { reason: "shape".into(), message };
            return Some(Outcome {
                ledger: LedgerEntry { id, span, status },
                instruction: None,
                operation: None,
                stale,
            });
        }
    };
    if !options.only.is_empty() && !options.only.contains(&entry.name) {
        return None;
    }
    let failed = |reason: &str, message: String| Status::Failed { reason: reason.to_owned(), message };
    let (status, place, lowered) = match lower::lower(context, &entry) {
        Ok(lowered) => (Status::Modelled, span.clone(), Some(lowered)),
        Err(Obstacle::Excluded(reason, message)) => {
            (Status::Excluded { reason: reason.to_owned(), message }, span.clone(), None)
        }
        Err(Obstacle::Entry(reason, message)) => (failed(reason, message), span.clone(), None),
        Err(Obstacle::Asl(fault)) if fault.reason == exec::Reason::FloatingPoint => (
            Status::Excluded { reason: "floating-point".into(), message: Some(fault.message) },
            span.clone(),
            None,
        ),
        Err(Obstacle::Asl(fault)) => {
            let place = files.span(&fault).unwrap_or_else(|| span.clone());
            (failed(fault.reason.code(), fault.message), place, None)
        }
    };
    let instruction = lowered.map(|lowered| {
        let Lowered { signature, function, undefined, extensions, forms } = lowered;
        let mut all = entry.extensions.clone();
        all.extend(extensions);
        Instruction {
            id: entry.name.clone(),
            isa: Isa::Arm,
            intrinsic: entry.name.clone(),
            function,
            undefined,
            signature,
            extensions: all,
            forms,
            span,
        }
    });
    let ledger = LedgerEntry { id: entry.name.clone(), span: place, status };
    Some(Outcome { ledger, instruction, operation: Some(entry.operation), stale })
}

/// The operations' statements: parsed only where there is no ASL of instructions.
fn operation_bodies(
    operations: &Positions<'_>,
    needed: bool,
    diagnostics: &mut Vec<Diagnostic>,
) -> FxHashMap<String, Result<Arc<Vec<Stmt>>, Fault>> {
    if operations.text.is_empty() {
        return FxHashMap::default();
    }
    match json::operations(operations.text) {
        Ok(bodies) => bodies
            .into_iter()
            .map(|(key, body)| {
                let parsed = if needed { asl::body(&body, 0..body.len()) } else { Ok(Vec::new()) };
                let parsed = parsed.map(Arc::new).map_err(|error| {
                    let message =
                        format!("{} (operation `{key}`, character {})", error.message, error.offset);
                    let offset = operations.text.find(&format!("\"{key}\"")).unwrap_or(0);
                    Fault { reason: exec::Reason::Syntax, message, file: FileId::Operations, offset }
                });
                (key, parsed)
            })
            .collect(),
        Err((line, column, message)) => {
            diagnostics.push(operations.diagnostic(operations.offset_of(line, column), message));
            FxHashMap::default()
        }
    }
}

/// The documents that a fault can stand in.
struct Files<'a> {
    operations: &'a Positions<'a>,
    instructions: &'a Positions<'a>,
    library: &'a Positions<'a>,
}

impl Files<'_> {
    fn span(&self, fault: &Fault) -> Option<Span> {
        let file = match fault.file {
            FileId::Library => self.library,
            FileId::Instructions => self.instructions,
            // Offsets within an operation are not the file's.
            FileId::Operations if fault.reason == exec::Reason::Syntax => self.operations,
            FileId::Operations => return None,
        };
        (!file.text.is_empty()).then(|| file.span(fault.offset, 1))
    }
}

/// A document's text; what cannot be read is told and counts as missing.
fn text<'a>(document: Option<Document<'a>>, what: &str, diagnostics: &mut Vec<Diagnostic>) -> Positions<'a> {
    let Some(document) = document else { return Positions::new("", "") };
    match std::str::from_utf8(document.bytes) {
        Ok(text) if text.trim().is_empty() => {
            let empty = Positions::new(document.name, "");
            diagnostics.push(empty.diagnostic(0, format!("the document of {what} is empty")));
            empty
        }
        Ok(text) => Positions::new(document.name, text),
        Err(error) => {
            let valid = error.valid_up_to();
            let start = std::str::from_utf8(&document.bytes[..valid]).unwrap_or("");
            diagnostics
                .push(Positions::new(document.name, start).diagnostic(valid, "the document is not UTF-8"));
            Positions::new(document.name, "")
        }
    }
}
