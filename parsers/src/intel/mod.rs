//! Intel's Intrinsics Guide data: XML with pseudocode to instructions.
//!
//! [`parse`] reads the document ([`document`]), its pseudocode ([`grammar`]), and runs each operation
//! symbolically ([`run`]) on the exact graph, from which [`pseudocode::function`] makes the function.
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
mod tile;

use std::sync::atomic::{AtomicUsize, Ordering};

use hydride_ir::Function;
use hydride_ir::exact::Register;
use memo::{Key, Memo, digest};
use rayon::prelude::*;
use serde::{Deserialize, Serialize};

use crate::errata::Errata;
use crate::ledger::Span;
use crate::pseudocode::{self, Access, Fault, Ids, Outcome, Reason, Verdict};
use crate::signature::{Argument, Form, Instruction, Signature, UndefinedBits, UndefinedFor};
use crate::{Isa, Parsed};
use document::Entry;
use operand::TypeError;
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
    /// Whether instructions on tiles are modelled, whose functions have thousands of elements and tens of thousands of
    /// expressions; else they are excluded.
    pub tiles: bool,
    /// What operations were found to mean in earlier runs.
    pub memo: Option<&'a Memo>,
}

/// Stack of the threads that run operations, whose nesting is bounded but deep.
const STACK_BYTES: usize = 64 << 20;

/// Reads a document. Whatever the bytes are, the result has a ledger line for every entry found.
pub fn parse(file_name: &str, bytes: &[u8], options: &Options<'_>) -> Parsed {
    let source = Source::new(file_name, bytes, 0);
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
        let modelled = model(&source, entry, options);
        let count = done.fetch_add(1, Ordering::Relaxed) + 1;
        if let Some(progress) = options.progress {
            progress(count, total);
        }
        modelled
    };
    let modelled: Vec<_> = on_large_stacks(|| document.entries.par_iter().map(model_one).collect());
    let mut parsed = Parsed {
        version: document.version,
        diagnostics: document.diagnostics,
        errata: applications,
        ..Parsed::default()
    };
    for (id, result) in ids.into_iter().zip(modelled) {
        parsed.push(Outcome { id, result: result.map(|modelled| modelled.instruction) });
    }
    parsed
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
    let mut document = document::read(&Source::new(file_name, bytes, 0), bytes);
    let ids = ids(&document.entries);
    let errata = errata::apply(&mut document, &ids, errata);
    Parsed { version: document.version, diagnostics: document.diagnostics, errata, ..Parsed::default() }
}

/// The ids of entries.
fn ids(entries: &[Entry]) -> Vec<String> {
    let mut ids = Ids::default();
    entries.iter().map(|entry| ids.unique(&entry.called(), Some(&entry.extensions.join("+")))).collect()
}

/// What an entry means.
struct Modelled {
    instruction: Instruction,
    /// For each argument one above the highest bit that the operation names.
    read: Vec<u32>,
}

fn model(source: &Source<'_>, entry: &Entry, options: &Options<'_>) -> Result<Modelled, Fault<Span>> {
    if let Some((offset, message)) = &entry.fault {
        return Err(Fault::failed(Reason::Malformed, source.span(*offset, 1), message));
    }
    match classify::exclusion(entry, options.tiles) {
        Some(fault) => Err(fault.map_place(|()| entry_span(source, entry))),
        None => instruction(source, entry, options.memo),
    }
}

/// The place of an entry.
fn entry_span(source: &Source<'_>, entry: &Entry) -> Span {
    source.span(entry.start, entry.end - entry.start)
}

/// What the operation of an entry means, wherever the entry is in its document.
#[derive(Serialize, Deserialize)]
struct Meaning {
    signature: Signature,
    function: Function,
    access: Access,
    undefined: Vec<UndefinedBits>,
    undefined_for: Vec<UndefinedFor>,
    /// For each argument one above the highest bit that the operation names.
    read: Vec<u32>,
}

/// Where in an entry an obstacle is.
#[derive(Serialize, Deserialize)]
enum Place {
    Entry,
    /// In the text of the operation.
    Operation(ast::Extent),
}

/// The instruction that an entry describes.
fn instruction(source: &Source<'_>, entry: &Entry, memo: Option<&Memo>) -> Result<Modelled, Fault<Span>> {
    let whole = entry_span(source, entry);
    let cast = classify::cast(entry);
    let text = match (&cast, &entry.operation) {
        (Some(cast), _) => cast.as_str(),
        (None, Some(text)) => text.text.as_str(),
        (None, None) => return Err(Fault::excluded(Reason::NoPseudocode, whole, "")),
    };
    let span = |place: Place| match (place, &entry.operation) {
        (Place::Operation(at), Some(text)) if cast.is_none() => {
            let (start, end) = (text.offset(at.start as usize), text.offset(at.end as usize));
            source.span(start, end.saturating_sub(start).max(1))
        }
        _ => whole.clone(),
    };
    let found = match memo {
        Some(memo) => memo.get_or(|| key(entry, text), || meaning(entry, text)),
        None => meaning(entry, text),
    };
    let found = found.map_err(|fault| fault.map_place(span))?;
    let Meaning { signature, function, access, undefined, undefined_for, read } = found;
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
        accessed: access.accessed,
        addresses: access.addresses,
        undefined,
        undefined_for,
        signature,
        extensions: entry.extensions.clone(),
        forms: entry.forms.iter().map(form).collect(),
        span: whole,
    };
    Ok(Modelled { instruction, read })
}

/// The key of all that the meaning of an operation depends on.
fn key(entry: &Entry, text: &str) -> Key {
    let Entry { name, result, parameters, undefined_for, .. } = entry;
    let align = operand::alignment(entry);
    let error = classify::error(entry);
    let operands = format!("{name:?} {result:?} {parameters:?} {undefined_for:?} {align} {error:?}");
    digest([b"x86 operation".as_slice(), operands.as_bytes(), text.as_bytes()])
}

/// Runs the operation of an entry, whose text this is.
fn meaning(entry: &Entry, text: &str) -> Result<Meaning, Fault<Place>> {
    let entire = |()| Place::Entry;
    // What an entry with floating-point operands calls or leaves open is floating-point arithmetic.
    let float = classify::has_float(entry);
    let located = |fault: ast::Fault, of_float: &[Reason]| match fault.verdict {
        Verdict::Failed if float && of_float.contains(&fault.reason) => {
            Fault::excluded(Reason::FloatingPoint, Place::Operation(fault.at), fault.message)
        }
        _ => fault.map_place(Place::Operation),
    };
    let program = grammar::parse(text).map_err(|fault| located(fault, &[Reason::Syntax]))?;
    if let Some(start) = classify::elision(text) {
        let at = Place::Operation(ast::Extent { start: start as u32, end: start as u32 });
        return Err(Fault::failed(Reason::Incomplete, at, "the operation leaves lines out"));
    }
    let mut read = vec![0; entry.parameters.len()];
    let (mut signature, mut outcome) = loop {
        let mut signature = signature(entry, &read).map_err(|fault| fault.map_place(entire))?;
        let fields = program.fields.iter().map(|(symbol, field)| (program.name(*symbol), field.as_str()));
        signature.args.extend(tile::configuration(fields, &signature));
        let outcome = run::run(&program, &signature, operand::rounding(entry), classify::error(entry))
            .map_err(|fault| located(fault, &[Reason::UnknownCall, Reason::Undefined]))?;
        // What the operation reads of an immediate may be more than the document says it has.
        let before = read.clone();
        for (bits, seen) in read.iter_mut().zip(&outcome.read) {
            *bits = (*bits).max(*seen);
        }
        let changed = read != before
            && self::signature(entry, &read).is_ok_and(|next| !signature.args.starts_with(&next.args));
        if !changed {
            break (signature, outcome);
        }
    };
    if let Some(argument) = signature.args.iter().find(|argument| argument.width == 0) {
        let message = format!("nothing is accessed at `{}`", argument.name);
        return Err(Fault::excluded(Reason::Memory, Place::Entry, message));
    }
    // By the document's names, before they are made unique.
    let position = |name: &String| signature.args.iter().position(|arg| arg.name == *name);
    let undefined_for = entry
        .undefined_for
        .iter()
        .filter_map(|(name, value)| Some(UndefinedFor { argument: position(name)?, value: *value }))
        .collect();
    operand::make_unique(signature.args.iter_mut().chain(&mut signature.results));
    let mut results: Vec<Register> = outcome.result.into_iter().collect();
    for (argument, contents) in outcome.tiles {
        signature.results.push(signature.args[argument as usize].clone());
        results.push(contents);
    }
    outcome.pointers.add_results(&outcome.memory, &outcome.dag, &mut signature, &mut results);
    if results.is_empty() {
        return Err(Fault::excluded(Reason::Control, Place::Entry, "nothing is returned"));
    }
    let built = pseudocode::function(&entry.name, &signature, &mut outcome.dag, &results);
    let (function, undefined) = built.map_err(|fault| fault.map_place(entire))?;
    let access = outcome.pointers.access_of(&function, &mut outcome.dag, &outcome.memory);
    let access = access.map_err(|fault| fault.map_place(entire))?;
    Ok(Meaning { signature, function, access, undefined, undefined_for, read: outcome.read })
}

/// The types of an entry; `read` is the number of bits of each argument that its operation reads.
fn signature(entry: &Entry, read: &[u32]) -> Result<Signature, Fault<()>> {
    let refused = |error: TypeError| match error {
        TypeError::Memory(c_type) => Fault::excluded(Reason::Memory, (), c_type),
        TypeError::Void => Fault::excluded(Reason::Control, (), "nothing is returned"),
        TypeError::Unknown(c_type) => Fault::failed(Reason::Type, (), format!("the type `{c_type}`")),
    };
    let mut signature = Signature::default();
    for (parameter, read) in entry.parameters.iter().zip(read) {
        if parameter.c_type.trim() == "void" {
            continue;
        }
        signature.args.push(operand::argument(entry, parameter, *read).map_err(refused)?);
    }
    let result = entry.result.clone().unwrap_or_default();
    let writes = signature.args.iter().any(Argument::is_memory) || tile::is_of_tiles(entry);
    if result.c_type.trim() == "void" && writes {
        return Ok(signature);
    }
    let mut result = operand::argument(entry, &result, 0).map_err(refused)?;
    if result.is_memory() {
        return Err(Fault::excluded(
            Reason::Memory,
            (),
            format!("a pointer `{}` is returned", result.c_type),
        ));
    }
    if let crate::Kind::Immediate(_) = result.kind {
        result.kind = crate::Kind::Scalar;
    }
    signature.results.push(result);
    Ok(signature)
}
