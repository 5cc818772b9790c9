//! The decode facts of Arm's documents: a list of assembly lines, and the file made of their encodings.
//!
//! ```text
//! arm_decode lines intrinsics.json errata.json > lines.s
//! llvm-mc -triple=aarch64 -mattr=+all -show-encoding lines.s > out.txt 2> errors.txt
//! arm_decode facts intrinsics.json errata.json out.txt errors.txt > specs/decode/a64.json
//! ```
//! The program itself starts no process. Lines that the assembler rejects are found by their line
//! numbers in its messages.

use std::process::ExitCode;

use parsers::arm::{Facts, assembly_lines, expand};

fn main() -> ExitCode {
    let args: Vec<String> = std::env::args().skip(1).collect();
    let read = |path: &String| std::fs::read_to_string(path).map_err(|error| format!("{path}: {error}"));
    let result = match args.iter().map(String::as_str).collect::<Vec<_>>()[..] {
        ["lines", _, _] => read(&args[1]).and_then(|text| Ok(listing(&text, &read(&args[2])?))),
        ["facts", _, _, _, _] => read(&args[1]).and_then(|text| {
            let lines = assembly_lines(&text, &read(&args[2])?);
            Facts::from_assembler(&lines, &read(&args[3])?, &read(&args[4])?).map(|facts| facts.print())
        }),
        _ => Err("usage: arm_decode lines JSON ERRATA | facts JSON ERRATA OUTPUT ERRORS".to_owned()),
    };
    match result {
        Ok(text) => {
            print!("{text}");
            ExitCode::SUCCESS
        }
        Err(message) => {
            eprintln!("{message}");
            ExitCode::from(2)
        }
    }
}

/// Every line with every combination of its immediates.
fn listing(intrinsics: &str, errata: &str) -> String {
    let mut text = String::new();
    for (line, ranges) in assembly_lines(intrinsics, errata) {
        for expanded in expand(&line, &ranges) {
            text.push_str(&expanded);
            text.push('\n');
        }
    }
    text
}
