//! Prints the outcome of the entries of an Intel document, or the function of one of them.
//!
//! `cargo run --release -p parsers --example ledger -- FILE [ID | --failed | --all]`

use std::collections::BTreeMap;
use std::time::Instant;

use parsers::{Status, intel};

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let mut args = std::env::args().skip(1);
    let file = args.next().ok_or("usage: ledger FILE [ID | --failed | --all]")?;
    let what = args.next();
    let bytes = std::fs::read(&file)?;
    let start = Instant::now();
    let parsed = intel::parse(&file, &bytes, &intel::Options::default());
    let seconds = start.elapsed().as_secs_f64();
    match what.as_deref() {
        Some("--failed" | "--all") => {
            for line in &parsed.ledger {
                let (word, reason, message) = match &line.status {
                    Status::Modelled => ("modelled", "", ""),
                    Status::Excluded { reason, message } => {
                        ("excluded", reason.as_str(), message.as_deref().unwrap_or_default())
                    }
                    Status::Failed { reason, message } => ("failed", reason.as_str(), message.as_str()),
                };
                if word == "failed" || what.as_deref() == Some("--all") {
                    println!(
                        "{}:{}\t{}\t{word}\t{reason}\t{message}",
                        line.span.line, line.span.column, line.id
                    );
                }
            }
        }
        Some(id) => {
            let found = parsed.instructions.iter().find(|instruction| instruction.id == id);
            let instruction = found.ok_or("no such modelled entry")?;
            println!("{:#?}\n{:?}", instruction.signature, instruction.undefined);
            println!("{}", instruction.function);
        }
        None => {
            let mut counts: BTreeMap<(&str, &str), usize> = BTreeMap::new();
            for line in &parsed.ledger {
                let key = match &line.status {
                    Status::Modelled => ("modelled", ""),
                    Status::Excluded { reason, .. } => ("excluded", reason.as_str()),
                    Status::Failed { reason, .. } => ("failed", reason.as_str()),
                };
                *counts.entry(key).or_default() += 1;
            }
            for ((word, reason), count) in counts {
                println!("{count:6} {word} {reason}");
            }
            println!("{:6} entries of version {} in {seconds:.2} s", parsed.ledger.len(), parsed.version);
        }
    }
    Ok(())
}
