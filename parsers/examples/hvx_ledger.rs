//! Reads the HVX documents in a folder and prints the outcome of their entries.
//!
//! `cargo run --release -p parsers --example hvx_ledger -- DIR [ID]` prints the ledger's sums, the
//! failures, and how many instructions each of the two readings (semantics file and manual) models; with an id,
//! that instruction's function.

use std::collections::BTreeMap;
use std::path::Path;
use std::time::Instant;

use parsers::Status;
use parsers::hexagon::{Document, Documents, Options, parse, parse_idef, parse_manual};

const FILES: [&str; 4] = ["hvx-prm.json", "ext.idef", "macros.def", "hvx_hexagon_protos.h"];

fn main() {
    let mut args = std::env::args().skip(1);
    let Some(folder) = args.next() else {
        eprintln!("usage: hvx_ledger DIR [ID]");
        std::process::exit(2);
    };
    let id = args.next();
    let files = FILES.map(|file| std::fs::read(Path::new(&folder).join(file)).ok());
    let document = |at: usize| files[at].as_deref().map(|bytes| Document { name: FILES[at], bytes });
    let documents = Documents {
        manual: document(0),
        semantics: document(1),
        macros: document(2),
        prototypes: document(3),
        errata: None,
    };
    let options = Options::default();
    let start = Instant::now();
    let parsed = parse(&documents, &options);
    let seconds = start.elapsed().as_secs_f64();
    if let Some(id) = id {
        match parsed.instructions.iter().find(|instruction| instruction.id == id) {
            Some(instruction) => {
                println!("{}{:?}\n{:#?}", instruction.function, instruction.forms, instruction.signature);
            }
            None => println!("{:?}", parsed.ledger.iter().find(|line| line.id == id)),
        }
        return;
    }
    let mut sums: BTreeMap<String, usize> = BTreeMap::new();
    for line in &parsed.ledger {
        let key = match &line.status {
            Status::Modelled => "modelled".to_owned(),
            Status::Excluded { reason, .. } => format!("excluded: {reason}"),
            Status::Failed { reason, message } => {
                let span = &line.span;
                println!("{}:{}:{}: {}: {message}", span.file, span.line, span.column, line.id);
                format!("failed: {reason}")
            }
        };
        *sums.entry(key).or_default() += 1;
    }
    for (key, count) in &sums {
        println!("{count:6} {key}");
    }
    let partial = parsed.instructions.iter().filter(|instruction| !instruction.undefined.is_empty()).count();
    println!("{:6} entries in {seconds:.2} s; {partial} with undefined bits", parsed.ledger.len());
    let (first, second) = (parse_idef(&documents, &options), parse_manual(&documents, &options));
    println!("semantics file {}, manual {} modelled", first.instructions.len(), second.instructions.len());
    for diagnostic in parsed.diagnostics.iter().filter(|diagnostic| diagnostic.entry.is_none()) {
        println!("{}:{}: {}", diagnostic.span.file, diagnostic.span.line, diagnostic.message);
    }
    for line in &second.ledger {
        if let Status::Failed { message, .. } = &line.status {
            println!("manual: {}:{}: {}: {message}", line.span.line, line.span.column, line.id);
        }
    }
}
