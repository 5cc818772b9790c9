//! Reads Arm's documents and prints the outcome of the entries.
//!
//! `arm_ledger FOLDER FACTS ERRATA [failures|excluded|modelled|features|hir NAME]`: the folder holds
//! `intrinsics.json`, `operations.json`, `arch_instrs.asl` and `arch.asl`, or instead of the first two the
//! reference page. With BODIES=operations (or named) in the environment the operations give the bodies.

use std::collections::BTreeMap;
use std::path::Path;
use std::process::ExitCode;
use std::time::Instant;

use parsers::Status;
use parsers::arm::{Document, Documents, Options, parse};

fn main() -> ExitCode {
    let args: Vec<String> = std::env::args().skip(1).collect();
    let [folder, facts, errata, rest @ ..] = args.as_slice() else {
        eprintln!("usage: arm_ledger FOLDER FACTS ERRATA [failures|excluded|modelled|hir NAME]");
        return ExitCode::from(2);
    };
    let read = |name: &str| (name.to_owned(), std::fs::read(Path::new(folder).join(name)).ok());
    let files = [
        "intrinsics.json",
        "operations.json",
        "arch_instrs.asl",
        "arch.asl",
        "arm-intrinsics.html",
        "intrinsics-no-operations.json",
    ]
    .map(read);
    // Arm's errata hold no digests.
    let corrections = std::fs::read_to_string(errata)
        .ok()
        .map(|text| parsers::errata::Errata::parse(errata, &text, |_| String::new()));
    let corrections = match corrections.transpose() {
        Ok(corrections) => corrections,
        Err(error) => {
            eprintln!("{error}");
            return ExitCode::from(2);
        }
    };
    let decode = std::fs::read(facts).ok();
    let document = |file: &'static str| {
        let found = files.iter().find(|(name, _)| name == file);
        found.and_then(|(_, bytes)| bytes.as_deref()).map(|bytes| Document { name: file, bytes })
    };
    let documents = Documents {
        intrinsics: document("intrinsics.json"),
        operations: document("operations.json"),
        instructions: document("arch_instrs.asl"),
        library: document("arch.asl"),
        decode: decode.as_deref().map(|bytes| Document { name: facts, bytes }),
        page: document("arm-intrinsics.html"),
        newer: document("intrinsics-no-operations.json"),
    };
    let only = match rest {
        [mode, names @ ..] if mode == "hir" => names.to_vec(),
        _ => Vec::new(),
    };
    let start = Instant::now();
    let bodies = match std::env::var("BODIES").as_deref() {
        Ok("operations") => parsers::arm::Bodies::Operations,
        Ok("named") => parsers::arm::Bodies::Named,
        _ => parsers::arm::Bodies::Any,
    };
    let options = Options { only, bodies, errata: corrections.as_ref() };
    let parsed = parse(&documents, &options);
    let seconds = start.elapsed().as_secs_f64();
    if rest.first().is_some_and(|mode| mode == "features") {
        for instruction in &parsed.instructions {
            let types: Vec<&str> = instruction.signature.args.iter().map(|arg| arg.c_type.as_str()).collect();
            println!("{}\t{}\t{}", instruction.id, instruction.extensions.join("+"), types.join(", "));
        }
    }
    if rest.first().is_some_and(|mode| mode == "hir") {
        for instruction in &parsed.instructions {
            print!("{}", instruction.function);
        }
    }
    let mut counts: BTreeMap<String, usize> = BTreeMap::new();
    for entry in &parsed.ledger {
        let (key, message) = match &entry.status {
            Status::Modelled => ("modelled".to_owned(), String::new()),
            Status::Excluded { reason, message } => {
                (format!("excluded {reason}"), message.clone().unwrap_or_default())
            }
            Status::Failed { reason, message } => (format!("failed {reason}"), message.clone()),
        };
        if rest.first().is_some_and(|mode| match mode.as_str() {
            "failures" => key.starts_with("failed"),
            "excluded" => key.starts_with("excluded"),
            "modelled" => key == "modelled",
            _ => false,
        }) {
            let span = &entry.span;
            println!("{}\t{key}\t{}:{}:{}\t{message}", entry.id, span.file, span.line, span.column);
        }
        *counts.entry(key).or_default() += 1;
    }
    eprintln!("{} entries in {seconds:.2} s: {counts:#?}", parsed.ledger.len());
    for diagnostic in parsed
        .diagnostics
        .iter()
        .filter(|diagnostic| diagnostic.entry.is_none() || diagnostic.message.contains("erratum"))
    {
        let span = &diagnostic.span;
        eprintln!("{}:{}:{}: {}", span.file, span.line, span.column, diagnostic.message);
    }
    ExitCode::SUCCESS
}
