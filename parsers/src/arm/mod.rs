//! Arm A64 Neon: intrinsics as documented, with the meaning of their instructions from ASL.
//!
//! ```text
//! intrinsics.json ─ base instruction, operands ─▶ assembly line ─ decode facts ─▶ word
//!   word ─ __opcode, __decode (arch_instrs.asl) ─▶ variables ─ __execute, arch.asl ─▶ registers
//! ```
//! Without ASL, `operations.json` provides bodies and the decode facts their variables. The older reference page and
//! the newer data can replace the two JSON files ([`join`]).
//!
//! [`parse`] reads the documents and lowers every intrinsic; each one ends in one ledger line.
//! Implementation-defined features are taken to be there, side effects (`FPSR.QC`, traps) dropped. What is at a pointer
//! is an argument, and a result where it is written; bytes are in little-endian order.

pub mod asl;
mod assembly;
mod ctype;
mod decode;
mod errata;
pub mod exec;
mod facts;
mod features;
mod formula;
mod join;
mod json;
mod lower;
mod operations;
mod outline;
mod page;
mod position;
mod recorded;

use rayon::prelude::*;

pub use facts::Facts;
pub use outline::outline;

pub use crate::Document;
use crate::errata::{Application, Errata};
use crate::pseudocode::{Fault, Ids, Outcome, Reason};
use crate::{Diagnostic, Instruction, Isa, Parsed, Severity, Span};
use exec::{FileId, Location};
use lower::{Context, Lowered, Obstacle};
use operations::Operations;
use position::Positions;

/// The name of the instruction set.
pub const ISA: &str = "arm";

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
    /// The older reference page (HTML); read if there is no `intrinsics`.
    pub page: Option<Document<'a>>,
    /// The newer data without operations (JSON); read if there is no `intrinsics`.
    pub newer: Option<Document<'a>>,
}

/// Options of a run.
#[derive(Clone, Debug, Default)]
pub struct Options<'a> {
    /// Corrections of the entries.
    pub errata: Option<&'a Errata>,
    /// Only these intrinsics are lowered, by name; all when empty. The ledger then has only them.
    pub only: Vec<String>,
    /// Where the instructions' bodies come from.
    pub bodies: Bodies,
}

/// Where the bodies of instructions come from. Two readings of one document can be compared.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Bodies {
    /// From the ASL, and from the operations where it has none.
    #[default]
    Any,
    /// Only from the ASL.
    Instructions,
    /// Only from the operations, using those of the encodings if entries name another instruction's.
    Operations,
    /// From the operations that the entries name, right or wrong.
    Named,
}

/// The version of the two-file form without revision.
const SEARCH: &str = "search data";

/// The version of what is joined from page and newer data.
const JOINED: &str = "reference page";

/// What the documents say before anything is run.
struct Source<'a> {
    entries: Vec<json::Raw>,
    operations: operations::Texts,
    /// The document that contains the operations.
    operations_in: Positions<'a>,
    version: &'static str,
}

impl<'a> Source<'a> {
    fn read(documents: &Documents<'a>, diagnostics: &mut Vec<Diagnostic>) -> Self {
        let intrinsics = text(documents.intrinsics, "intrinsics", diagnostics);
        let operations_in = text(documents.operations, "operations", diagnostics);
        if documents.intrinsics.is_some() || (documents.page.is_none() && documents.newer.is_none()) {
            let entries = json::read(&intrinsics, diagnostics);
            let operations = operations::texts(&operations_in, diagnostics);
            // Entries of the search data have no architectures.
            let first = entries.iter().find_map(|raw| raw.entry.as_ref().ok());
            let joined = first.is_some_and(|entry| !entry.architectures.is_empty());
            return Self {
                entries,
                operations,
                operations_in,
                version: if joined { JOINED } else { SEARCH },
            };
        }
        let page = text(documents.page, "the reference page", diagnostics);
        let newer = text(documents.newer, "the newer intrinsics", diagnostics);
        let joined = join::join(&page, &newer, diagnostics);
        Self { entries: joined.entries, operations: joined.operations, operations_in: page, version: JOINED }
    }

    /// Applies errata; what became of each.
    fn correct(&mut self, errata: &Errata) -> Vec<Application> {
        let mut entries: Vec<&mut json::Entry> =
            self.entries.iter_mut().filter_map(|raw| raw.entry.as_mut().ok()).collect();
        errata::apply(&mut entries, self.version, errata)
    }
}

/// Joins the older page and the newer data, either of which may be missing, into the two-file form:
/// the texts of `intrinsics.json` and `operations.json`.
pub fn join(
    page: Option<Document<'_>>,
    newer: Option<Document<'_>>,
    diagnostics: &mut Vec<Diagnostic>,
) -> (String, String) {
    let page = text(page, "the reference page", diagnostics);
    let newer = text(newer, "the newer intrinsics", diagnostics);
    join::join(&page, &newer, diagnostics).print()
}

/// The state of each erratum against the documents, in the errata's order, with their version and what is wrong with
/// them. Nothing is run: there are no instructions and no ledger.
pub fn check_errata(documents: &Documents<'_>, errata: &Errata) -> Parsed {
    let mut parsed = Parsed::default();
    let mut source = Source::read(documents, &mut parsed.diagnostics);
    parsed.errata = source.correct(errata);
    parsed.version = source.version.to_owned();
    parsed
}

/// Reads the documents.
pub fn parse(documents: &Documents<'_>, options: &Options<'_>) -> Parsed {
    let mut parsed = Parsed::default();
    let mut source = Source::read(documents, &mut parsed.diagnostics);
    let instructions = text(documents.instructions, "instructions", &mut parsed.diagnostics);
    let library = text(documents.library, "library", &mut parsed.diagnostics);
    let decode = text(documents.decode, "decode facts", &mut parsed.diagnostics);
    if !source.entries.is_empty() {
        parsed.version = source.version.to_owned();
    }
    if let Some(errata) = options.errata {
        parsed.errata = source.correct(errata);
        parsed.diagnostics.extend(parsed.errata.iter().filter_map(|done| errata.diagnostic(done)));
    }
    let (mut in_library, mut in_instructions) = (Vec::new(), Vec::new());
    let sources = exec::Documents {
        library: asl::index::Library::new(library.text, &mut in_library),
        instructions: asl::index::Instructions::new(instructions.text, &mut in_instructions),
    };
    for (document, errors) in [(&library, in_library), (&instructions, in_instructions)] {
        let told = errors.into_iter().map(|error| document.diagnostic(error.offset, error.message));
        parsed.diagnostics.extend(told);
    }
    let facts = match (decode.text.is_empty(), Facts::parse(decode.text)) {
        (true, _) => Facts::default(),
        (false, Ok(facts)) => facts,
        (false, Err((line, column, message))) => {
            parsed
                .diagnostics
                .push(decode.diagnostic(decode.offset_of(line as usize, column as usize), message));
            Facts::default()
        }
    };
    let Source { entries, operations, operations_in, .. } = source;
    let mut operations = Operations::new(&operations);
    if options.bodies != Bodies::Named {
        assign_operations(&mut operations, &facts, &entries);
    }
    let files = Files { operations: &operations_in, instructions: &instructions, library: &library };
    let cache = decode::Cache::default();
    let context = Context {
        documents: &sources,
        facts: &facts,
        cache: &cache,
        operations: &operations,
        bodies: options.bodies,
    };
    let wanted = |id: &String| options.only.is_empty() || options.only.contains(id);
    let outcomes: Vec<_> = entries
        .into_par_iter()
        .enumerate()
        .map(|(index, raw)| outcome(&context, &files, wanted, index, raw))
        .collect();
    let mut ids = Ids::default();
    for (outcome, operation) in outcomes.into_iter().flatten() {
        let outcome = Outcome { id: ids.unique(&outcome.id, None), ..outcome };
        if let Some(operation) = operation.filter(|operation| !operation.is_empty())
            && !operations_in.text.is_empty()
            && !operations.defines(&operation)
        {
            parsed.diagnostics.push(Diagnostic {
                severity: Severity::Warning,
                entry: Some(outcome.id.clone()),
                span: outcome.span().clone(),
                message: format!("the operation `{operation}` is not defined"),
            });
        }
        parsed.push(outcome);
    }
    parsed
}

/// Assembly lines with the ranges of their immediates, sorted.
pub type Lines = std::collections::BTreeMap<String, Vec<(i64, i64)>>;

/// The assembly lines of the documents' intrinsics, both unchanged and corrected by errata, sorted, each with
/// the ranges of its immediates: what the decode facts must cover.
pub fn assembly_lines(documents: &Documents<'_>, errata: Option<&Errata>) -> Lines {
    let mut lines = Lines::new();
    let mut source = Source::read(documents, &mut Vec::new());
    for errata in [None, errata] {
        if let Some(errata) = errata {
            source.correct(errata);
        }
        for entry in source.entries.iter().filter_map(|raw| raw.entry.as_ref().ok()) {
            if !entry.described {
                continue;
            }
            for line in assembly::lines(entry).unwrap_or_default() {
                let ranges = line.immediates().map(|(_, low, high)| (low, high)).collect();
                lines.insert(line.to_string(), ranges);
            }
        }
    }
    lines
}

/// Adds to facts of `lines` what the decode of ASL documents makes of their words.
pub fn add_decodes(facts: &mut Facts, lines: &Lines, instructions: &str, library: &str) {
    let documents = exec::Documents {
        library: asl::index::Library::new(library, &mut Vec::new()),
        instructions: asl::index::Instructions::new(instructions, &mut Vec::new()),
    };
    facts.decode(&documents, lines);
}

/// An assembly line with values in place of its ranges, and every combination of these.
pub fn expand(line: &str, ranges: &[(i64, i64)]) -> Vec<String> {
    let all = facts::combinations(ranges).unwrap_or_default();
    all.iter().map(|values| facts::expanded(line, values)).collect()
}

/// The name of an entry; that of one that has none is its position.
fn name(entry: &Result<json::Entry, json::ShapeError>, index: usize) -> String {
    let name = match entry {
        Ok(entry) => Some(entry.name.clone()),
        Err(error) => error.name.clone(),
    };
    name.unwrap_or_else(|| format!("[{index}]"))
}

/// What became of an entry, with the name of its operation; nothing for one that is not wanted.
fn outcome(
    context: &Context<'_>,
    files: &Files<'_>,
    wanted: impl Fn(&String) -> bool,
    index: usize,
    raw: json::Raw,
) -> Option<(Outcome, Option<String>)> {
    let json::Raw { span, entry } = raw;
    let id = name(&entry, index);
    if !wanted(&id) {
        return None;
    }
    let entry = match entry {
        Ok(entry) => entry,
        Err(error) => {
            let message = format!("{}: {}", error.path, error.message);
            let result = Err(Fault::failed(Reason::Shape, span, message));
            return Some((Outcome { id, result }, None));
        }
    };
    let result = match lower::lower(context, &entry) {
        Ok(Lowered { signature, function, access, undefined, extensions, forms }) => Ok(Instruction {
            id: id.clone(),
            isa: Isa::register(ISA),
            intrinsic: id.clone(),
            function,
            accessed: access.accessed,
            addresses: access.addresses,
            undefined,
            undefined_for: Vec::new(),
            signature,
            extensions,
            forms,
            span,
        }),
        Err(fault) => {
            let place = if fault.is_exclusion() { None } else { files.span(&fault) };
            Err(fault.map_place(|_| place.unwrap_or(span)))
        }
    };
    Some((Outcome { id, result }, Some(entry.operation)))
}

/// Chooses the operations of encodings by what the entries with one instruction name.
fn assign_operations(operations: &mut Operations, facts: &Facts, entries: &[json::Raw]) {
    let lines: Vec<(String, &str)> = entries
        .iter()
        .filter_map(|raw| raw.entry.as_ref().ok())
        .filter_map(|entry| match &assembly::lines(entry).ok()?[..] {
            [line] => Some((line.to_string(), entry.operation.as_str())),
            _ => None,
        })
        .collect();
    let named = lines.iter().filter_map(|(line, key)| Some((facts.encoding(line)?, *key)));
    operations.assign(named, facts.encodings());
}

/// The documents that a fault can be in.
struct Files<'a> {
    operations: &'a Positions<'a>,
    instructions: &'a Positions<'a>,
    library: &'a Positions<'a>,
}

impl Files<'_> {
    /// The place of a fault, unless it is in the entry itself.
    fn span(&self, fault: &Obstacle) -> Option<Span> {
        let Location { file, offset } = fault.at?;
        // A word that no pattern matches does not occur in the ASL.
        if fault.reason == Reason::UndefinedEncoding && offset == 0 {
            return None;
        }
        let file = match file {
            FileId::Library => self.library,
            FileId::Instructions => self.instructions,
            // Offsets within an operation are not the file's.
            FileId::Operations if fault.reason == Reason::Syntax => self.operations,
            FileId::Operations | FileId::Floats => return None,
        };
        (!file.text.is_empty()).then(|| file.span(offset, 1))
    }
}

/// A document's text; one that cannot be read is reported and counts as missing.
fn text<'a>(document: Option<Document<'a>>, what: &str, diagnostics: &mut Vec<Diagnostic>) -> Positions<'a> {
    let Some(document) = document else { return Positions::of("", "") };
    match std::str::from_utf8(document.bytes) {
        Ok(text) if text.trim().is_empty() => {
            let empty = Positions::of(document.name, "");
            diagnostics.push(empty.diagnostic(0, format!("the document of {what} is empty")));
            empty
        }
        Ok(text) => Positions::of(document.name, text),
        Err(error) => {
            let valid = error.valid_up_to();
            let start = std::str::from_utf8(&document.bytes[..valid]).unwrap_or("");
            diagnostics
                .push(Positions::of(document.name, start).diagnostic(valid, "the document is not UTF-8"));
            Positions::of(document.name, "")
        }
    }
}
