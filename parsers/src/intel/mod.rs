//! Intel's Intrinsics Guide data: XML with pseudocode to instructions.
//!
//! [`parse`] reads the document ([`document`]), its pseudocode ([`grammar`]), and runs each operation
//! symbolically ([`run`]) on the exact graph, from which [`crate::elaborate::function`] makes the function.
//!
//! Where a name occurs twice, the first entry keeps it as its id and the second is `NAME@EXTENSION`, with the
//! entry's extensions joined by `+` (`_mm256_dpbusd_epi32@AVX_VNNI`).
//!
//! ```
//! let text = r#"<intrinsics_list version="0"><intrinsic tech="SSE_ALL" name="_mm_and_si128">
//! <return type="__m128i" varname="dst" etype="M128"/>
//! <parameter type="__m128i" varname="a" etype="M128"/>
//! <parameter type="__m128i" varname="b" etype="M128"/>
//! <operation>dst[127:0] := a[127:0] AND b[127:0]</operation>
//! </intrinsic></intrinsics_list>"#;
//! let parsed = parsers::intel::parse("example.xml", text.as_bytes(), &Default::default());
//! assert_eq!(parsed.instructions[0].id, "_mm_and_si128");
//! ```

mod ast;
mod classify;
mod document;
mod errata;
mod grammar;
mod library;
pub mod lint;
mod operand;
mod outline;
mod run;
mod source;

use std::sync::atomic::{AtomicUsize, Ordering};

use rayon::prelude::*;
use rustc_hash::FxHashMap;
use serde::{Deserialize, Serialize};

use crate::elaborate;
use crate::errata::Errata;
use crate::ledger::{Diagnostic, LedgerEntry, Severity, Span, Status};
use crate::signature::{Form, Instruction, Signature, UndefinedFor};
use crate::{Isa, Parsed};
use document::Entry;
use operand::TypeError;
use run::{Failure, Verdict};
use source::Source;

pub use outline::outline;

/// The name of the instruction set.
pub const ISA: &str = "x86";

/// How to read a document.
#[derive(Default, Clone, Copy)]
pub struct Options<'a> {
    /// Called from any thread with the number of entries done and the number of all.
    pub progress: Option<&'a (dyn Fn(usize, usize) + Sync)>,
    /// What the document gets wrong. Errata that do not apply are in the diagnostics.
    pub errata: Option<&'a Errata>,
    /// Only the entry of this id, where one is asked for: no other one is run, and none is in the ledger.
    pub only: Option<&'a str>,
}

/// Stack of the threads that run operations, whose nesting is bounded but deep.
const STACK_BYTES: usize = 64 << 20;

/// Reads a document. Whatever the bytes are, the result has a ledger line for every entry found.
pub fn parse(file_name: &str, bytes: &[u8], options: &Options<'_>) -> Parsed {
    let source = Source::new(file_name, bytes);
    let mut document = document::read(&source, bytes);
    let mut ids = ids(&document.entries);
    let mut applications = Vec::new();
    if let Some(errata) = options.errata {
        applications = errata::apply(&mut document, &ids, errata);
        document.diagnostics.extend(applications.iter().filter_map(|done| errata.diagnostic(done)));
    }
    if let Some(only) = options.only {
        let mut own = ids.iter().map(|id| id == only);
        document.entries.retain(|_| own.next().unwrap_or(false));
        ids.retain(|id| id == only);
    }
    let total = document.entries.len();
    let done = AtomicUsize::new(0);
    let model_one = |entry: &Entry| {
        let modelled = model(&source, entry);
        let count = done.fetch_add(1, Ordering::Relaxed) + 1;
        if let Some(progress) = options.progress {
            progress(count, total);
        }
        modelled
    };
    let modelled = on_large_stacks(|| document.entries.par_iter().map(model_one).collect());
    Parsed { errata: applications, ..assemble(document, ids, modelled) }
}

/// Runs a closure on threads whose stacks suffice for the deepest operations; on the caller's thread if that is to be
/// the only one and has such a stack.
fn on_large_stacks<T: Send>(run: impl FnOnce() -> T + Send) -> T {
    let alone = rayon::current_num_threads() == 1 && rayon::current_thread_index().is_some();
    if alone && stacker::remaining_stack().is_some_and(|bytes| bytes >= STACK_BYTES) {
        return run();
    }
    let pool = rayon::ThreadPoolBuilder::new()
        .num_threads(rayon::current_num_threads())
        .stack_size(STACK_BYTES)
        .build();
    match pool {
        Ok(pool) => pool.install(run),
        Err(_) => run(),
    }
}

/// The state of each erratum against a document, in the errata's order, with the document's version and what is wrong
/// with it. Nothing is run: there are no instructions and no ledger.
pub fn check_errata(file_name: &str, bytes: &[u8], errata: &Errata) -> Parsed {
    let mut document = document::read(&Source::new(file_name, bytes), bytes);
    let ids = ids(&document.entries);
    let errata = errata::apply(&mut document, &ids, errata);
    Parsed { version: document.version, diagnostics: document.diagnostics, errata, ..Parsed::default() }
}

/// The ids of entries.
fn ids(entries: &[Entry]) -> Vec<String> {
    let mut taken: FxHashMap<String, usize> = FxHashMap::default();
    let name = |entry: &Entry| {
        let mut id = entry.called();
        if taken.contains_key(&id) {
            id = format!("{}@{}", id, entry.extensions.join("+"));
        }
        let count = taken.entry(id.clone()).or_default();
        *count += 1;
        if *count > 1 {
            id = format!("{id}#{count}");
        }
        id
    };
    entries.iter().map(name).collect()
}

/// What became of one entry.
#[derive(Serialize, Deserialize)]
struct Modelled {
    status: Status,
    instruction: Option<Box<Instruction>>,
    /// For each argument one above the highest bit that the operation names; empty when it is not modelled.
    read: Vec<u32>,
    span: Span,
}

fn assemble(document: document::Document, ids: Vec<String>, modelled: Vec<Modelled>) -> Parsed {
    let mut parsed = Parsed {
        version: document.version,
        instructions: Vec::new(),
        ledger: Vec::with_capacity(modelled.len()),
        diagnostics: document.diagnostics,
        errata: Vec::new(),
    };
    for (id, modelled) in ids.into_iter().zip(modelled) {
        if let Status::Failed { reason, message } = &modelled.status {
            parsed.diagnostics.push(Diagnostic {
                severity: Severity::Error,
                entry: Some(id.clone()),
                span: modelled.span.clone(),
                message: format!("{reason}: {message}"),
            });
        }
        if let Some(mut instruction) = modelled.instruction {
            instruction.function.name.clone_from(&id);
            instruction.id.clone_from(&id);
            parsed.instructions.push(*instruction);
        }
        parsed.ledger.push(LedgerEntry { id, span: modelled.span, status: modelled.status });
    }
    parsed
}

fn model(source: &Source<'_>, entry: &Entry) -> Modelled {
    let span = source.span(entry.start, entry.end - entry.start);
    let outcome = match &entry.fault {
        Some((offset, message)) => {
            let status = Status::Failed { reason: "malformed".to_owned(), message: message.clone() };
            return Modelled { status, instruction: None, read: Vec::new(), span: source.span(*offset, 1) };
        }
        None => match classify::exclusion(entry) {
            Some((reason, message)) => Err((excluded(reason, message), span.clone())),
            None => instruction(source, entry),
        },
    };
    match outcome {
        Ok((instruction, read)) => {
            Modelled { status: Status::Modelled, instruction: Some(Box::new(instruction)), read, span }
        }
        Err((status, span)) => Modelled { status, instruction: None, read: Vec::new(), span },
    }
}

fn excluded(reason: &str, message: Option<String>) -> Status {
    Status::Excluded { reason: reason.to_owned(), message }
}

fn failed(reason: &str, message: impl Into<String>) -> Status {
    Status::Failed { reason: reason.to_owned(), message: message.into() }
}

/// The instruction, and the bits of each argument that its operation reads.
fn instruction(source: &Source<'_>, entry: &Entry) -> Result<(Instruction, Vec<u32>), (Status, Span)> {
    let whole = source.span(entry.start, entry.end - entry.start);
    let Some(text) = &entry.operation else { return Err((excluded("no-pseudocode", None), whole)) };
    let span = |at: ast::Extent| {
        let (start, end) = (text.offset(at.start as usize), text.offset(at.end as usize));
        source.span(start, end.saturating_sub(start).max(1))
    };
    let float = classify::has_float(entry);
    let program = grammar::parse(&text.text).map_err(|error| {
        let status = match float && error.reason == "syntax" {
            true => excluded("floating-point", Some(error.message)),
            false => failed(error.reason, error.message),
        };
        (status, span(error.at))
    })?;
    if let Some(start) = classify::elision(&text.text) {
        let at = ast::Extent { start: start as u32, end: start as u32 };
        return Err((failed("incomplete", "the operation leaves lines out"), span(at)));
    }
    let mut read = vec![0; entry.parameters.len()];
    let (mut signature, mut outcome) = loop {
        let signature = signature(entry, &read).map_err(|status| (status, whole.clone()))?;
        let outcome = run::run(&program, &signature).map_err(|failure| {
            let at = span(failure.at);
            (status(*failure, float), at)
        })?;
        // What the operation reads of an immediate may be more than the document says it has.
        let before = read.clone();
        for (bits, seen) in read.iter_mut().zip(&outcome.read) {
            *bits = (*bits).max(*seen);
        }
        let changed = read != before && self::signature(entry, &read).is_ok_and(|next| next != signature);
        if !changed {
            break (signature, outcome);
        }
    };
    // By the document's names, before they are made unique.
    let position = |name: &String| signature.args.iter().position(|arg| arg.name == *name);
    let undefined_for = entry
        .undefined_for
        .iter()
        .filter_map(|(name, value)| Some(UndefinedFor { argument: position(name)?, value: *value }))
        .collect();
    operand::make_unique(signature.args.iter_mut().chain(&mut signature.results));
    let built = elaborate::function(&entry.name, &signature, &mut outcome.dag, &[outcome.result]);
    let (function, undefined) = built.map_err(|error| (failed("limit", error.to_string()), whole.clone()))?;
    let form = |(mnemonic, operands): &(String, String)| Form {
        mnemonic: mnemonic.to_uppercase(),
        operands: operands.clone(),
        template: None,
        destroys: None,
    };
    let instruction = Instruction {
        id: entry.name.clone(),
        isa: Isa::register(ISA),
        intrinsic: entry.name.clone(),
        function,
        undefined,
        undefined_for,
        signature,
        extensions: entry.extensions.clone(),
        forms: entry.forms.iter().map(form).collect(),
        span: whole,
    };
    Ok((instruction, outcome.read))
}

fn status(failure: Failure, float: bool) -> Status {
    match failure.verdict {
        Verdict::Excluded(reason) => excluded(reason, Some(failure.message)),
        // What such an entry calls or leaves open is floating-point arithmetic.
        Verdict::Failed("unknown-call" | "undefined") if float => {
            excluded("floating-point", Some(failure.message))
        }
        Verdict::Failed(reason) => failed(reason, failure.message),
        Verdict::Fix(_) => failed("limit", failure.message),
    }
}

/// The types of an entry; `read` is the number of bits of each argument that its operation reads.
fn signature(entry: &Entry, read: &[u32]) -> Result<Signature, Status> {
    let refused = |error: TypeError| match error {
        TypeError::Memory(c_type) => excluded("memory", Some(c_type)),
        TypeError::Tile(c_type) => excluded("state", Some(c_type)),
        TypeError::Void => excluded("control", Some("nothing is returned".to_owned())),
        TypeError::Unknown(c_type) => failed("type", format!("the type `{c_type}`")),
    };
    let mut signature = Signature::default();
    for (parameter, read) in entry.parameters.iter().zip(read) {
        if parameter.c_type.trim() == "void" {
            continue;
        }
        signature.args.push(operand::argument(parameter, *read).map_err(refused)?);
    }
    let result = entry.result.clone().unwrap_or_default();
    let mut result = operand::argument(&result, 0).map_err(refused)?;
    if let crate::Kind::Immediate(_) = result.kind {
        result.kind = crate::Kind::Scalar;
    }
    signature.results.push(result);
    Ok(signature)
}
