//! The decode facts of Arm's documents: a list of assembly lines, and the file made of their encodings.
//!
//! ```text
//! arm_decode lines FOLDER ERRATA > lines.s
//! llvm-mc -triple=aarch64 -mattr=+all -show-encoding lines.s > out.txt 2> errors.txt
//! arm_decode facts FOLDER ERRATA out.txt errors.txt > specs/decode/a64.json
//! ```
//! The folder holds `intrinsics.json`, `operations.json`, `arch_instrs.asl` and `arch.asl`, and for the lines
//! of the reference page `arm-intrinsics.html` and `intrinsics-no-operations.json`. The program starts no
//! processes. Lines that the assembler rejects are found by their line numbers in its messages.

use std::path::Path;
use std::process::ExitCode;

use parsers::arm::{Document, Documents, Facts, Lines, add_decodes, assembly_lines, expand};
use parsers::errata::Errata;

fn main() -> ExitCode {
    let args: Vec<String> = std::env::args().skip(1).collect();
    let args: Vec<&str> = args.iter().map(String::as_str).collect();
    let result = match args[..] {
        ["lines", folder, errata] => lines(folder, errata).map(|lines| listing(&lines)),
        ["facts", folder, errata, output, errors] => facts(folder, errata, output, errors),
        _ => Err("usage: arm_decode lines FOLDER ERRATA | facts FOLDER ERRATA OUTPUT ERRORS".to_owned()),
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

fn read(path: &Path) -> Result<String, String> {
    std::fs::read_to_string(path).map_err(|error| format!("{}: {error}", path.display()))
}

/// The lines of both forms of the documents.
fn lines(folder: &str, errata: &str) -> Result<Lines, String> {
    let text = |name: &str| read(&Path::new(folder).join(name)).unwrap_or_default();
    let [intrinsics, page, newer] =
        ["intrinsics.json", "arm-intrinsics.html", "intrinsics-no-operations.json"].map(text);
    // Arm's errata hold no digests.
    let errata = Errata::parse(errata, &read(Path::new(errata))?, |_| String::new())
        .map_err(|error| error.to_string())?;
    fn document<'a>(name: &'static str, text: &'a str) -> Option<Document<'a>> {
        (!text.is_empty()).then_some(Document { name, bytes: text.as_bytes() })
    }
    let forms = [
        Documents { intrinsics: document("intrinsics.json", &intrinsics), ..Documents::default() },
        Documents { page: document("page", &page), newer: document("newer", &newer), ..Documents::default() },
    ];
    Ok(forms.iter().flat_map(|documents| assembly_lines(documents, Some(&errata))).collect())
}

fn facts(folder: &str, errata: &str, output: &str, errors: &str) -> Result<String, String> {
    let lines = lines(folder, errata)?;
    let mut facts = Facts::from_assembler(&lines, &read(Path::new(output))?, &read(Path::new(errors))?)?;
    let folder = Path::new(folder);
    add_decodes(
        &mut facts,
        &lines,
        &read(&folder.join("arch_instrs.asl"))?,
        &read(&folder.join("arch.asl"))?,
    );
    Ok(facts.print())
}

/// Every line with every combination of its immediates.
fn listing(lines: &Lines) -> String {
    let mut text = String::new();
    for (line, ranges) in lines {
        for expanded in expand(line, ranges) {
            text.push_str(&expanded);
            text.push('\n');
        }
    }
    text
}
