//! Reads Arm's documents and prints what became of the entries.
//!
//! `arm_ledger FOLDER FACTS ERRATA [failures|excluded|modelled|hir NAME]`: the folder holds `intrinsics.json`,
//! `operations.json`, `arch_instrs.asl` and `arch.asl`.

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
    let files = ["intrinsics.json", "operations.json", "arch_instrs.asl", "arch.asl"].map(read);
    let corrections = (errata.clone(), std::fs::read(errata).ok());
    let decode = (facts.clone(), std::fs::read(facts).ok());
    let document = |file: &'static str| {
        let found = files.iter().find(|(name, _)| name == file);
        found.and_then(|(_, bytes)| bytes.as_deref()).map(|bytes| Document { name: file, bytes })
    };
    let documents = Documents {
        intrinsics: document("intrinsics.json"),
        operations: document("operations.json"),
        instructions: document("arch_instrs.asl"),
        library: document("arch.asl"),
        errata: corrections.1.as_deref().map(|bytes| Document { name: &corrections.0, bytes }),
        decode: decode.1.as_deref().map(|bytes| Document { name: &decode.0, bytes }),
    };
    let only = match rest {
        [mode, names @ ..] if mode == "hir" => names.to_vec(),
        _ => Vec::new(),
    };
    let start = Instant::now();
    let parsed = parse(&documents, &Options { only });
    let seconds = start.elapsed().as_secs_f64();
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
