//! Small HVX instructions by file: their functions, errors and results.
//!
//! A test is added by adding a file below `tests/hexagon/`: in `pass/` the function, with which bytes of memory it
//! accesses and where its elements are, is compared with the `.hir` file next to it, in `fail/` the verdict with the `.diag` file, in `run/` the `# run` lines are evaluated.
//!
//! A `.txt` case is a record of the manual in its text form, an `.idef` case a record of the semantics file with
//! the sample's macros (`// run` there). Vectors have 64 bytes.

use std::path::Path;

use crate::hexagon_support::Sample;
use parsers::Parsed;
use parsers::hexagon::{Document, Documents, Options, VectorLength, parse};

const ENDINGS: &[&str] = &["txt", "idef"];

/// What the parser says about a case, and its runs.
fn read(path: &Path) -> (Parsed, Vec<String>) {
    let text = std::fs::read_to_string(path).expect("the case is readable");
    let sample = Sample::read();
    let case = Some(Document { name: "case", bytes: text.as_bytes() });
    let documents = if path.extension().is_some_and(|extension| extension == "idef") {
        Documents { semantics: case, manual: None, prototypes: None, ..sample.documents() }
    } else {
        Documents { manual: case, ..Documents::default() }
    };
    let parsed = parse(&documents, &Options { vector_length: VectorLength::Bytes64 });
    let run = |line: &str| Some(line.trim_start_matches(['#', '/', ' ']).strip_prefix("run ")?.to_owned());
    let runs = text.lines().filter(|line| line.starts_with(['#', '/'])).filter_map(run).collect();
    (parsed, runs)
}

#[test]
fn records_become_these_functions() {
    crate::golden_cases::check("hexagon/pass", ENDINGS, "hir", |path| {
        let (parsed, _) = read(path);
        let found = parsed.instructions.first();
        let found = found.unwrap_or_else(|| panic!("{}: {:?}", path.display(), parsed.ledger));
        crate::golden_cases::functions(found)
    });
}

#[test]
fn records_fail_like_this() {
    crate::golden_cases::check("hexagon/fail", ENDINGS, "diag", |path| {
        let (parsed, _) = read(path);
        assert!(parsed.instructions.is_empty(), "{} is modelled", path.display());
        let mut text: String = parsed.ledger.iter().map(crate::golden_cases::verdict).collect();
        for diagnostic in parsed.diagnostics.iter().filter(|diagnostic| diagnostic.entry.is_none()) {
            let span = &diagnostic.span;
            text.push_str(&format!("{}:{}:{} {}\n", span.file, span.line, span.column, diagnostic.message));
        }
        text
    });
}

#[test]
fn functions_compute_these_values() {
    for path in crate::golden_cases::cases("hexagon/run", ENDINGS) {
        let (parsed, runs) = read(&path);
        assert!(!runs.is_empty(), "{} runs nothing", path.display());
        let found = parsed.instructions.first();
        let instruction = found.unwrap_or_else(|| panic!("{}: {:?}", path.display(), parsed.ledger));
        crate::golden_cases::run(instruction, &runs, &path);
    }
}

/// The text form says what JSON says.
#[test]
fn the_text_form_reads_like_json() {
    let sample = Sample::read();
    let json: serde_json::Value = serde_json::from_slice(&sample.manual).unwrap();
    let mut text = String::from("# the sample's manual\n");
    for record in json.as_array().unwrap() {
        let field = |name: &str| record[name].as_str().unwrap();
        text.push_str(&format!(
            "intrinsic: {}\n syntax: {}\npseudocode:\n{}\n\n",
            field("intrinsic"),
            field("syntax"),
            field("pseudocode")
        ));
    }
    let read = |bytes: &[u8]| {
        let documents = Documents { manual: Some(Document { name: "own", bytes }), ..Documents::default() };
        let parsed = parse(&documents, &Options::default());
        let functions: Vec<String> = parsed.instructions.iter().map(|i| i.function.to_string()).collect();
        (parsed.ledger.into_iter().map(|line| (line.id, line.status)).collect::<Vec<_>>(), functions)
    };
    assert_eq!(read(text.as_bytes()), read(&sample.manual));
    assert!(!read(&sample.manual).1.is_empty());
}
