//! Small instructions in ASL by file: their functions, errors and results.
//!
//! A test is added by adding an `.asl` file below `tests/arm/`: in `pass/` the function is compared with the `.hir`
//! file next to it, in `fail/` the verdict with the `.diag` file, in `run/` the `//! run` lines are evaluated.
//!
//! A case is a document of instructions. Its first lines are the intrinsic's JSON (`//! {…}`), the words of
//! assembly lines (`//! word LINE = HEX`) and runs; its library is the sample's.

use std::path::Path;

use crate::arm_support::repository;
use parsers::Parsed;
use parsers::arm::{Document, Documents, Options, parse};

/// What the parser says about a case, and its runs.
fn read(path: &Path) -> (Parsed, Vec<String>) {
    let text = std::fs::read_to_string(path).expect("the case is readable");
    let library = std::fs::read(repository("specs/sample/arm/arch.asl")).expect("the sample");
    let (mut intrinsics, mut words, mut runs) = (String::from("[\n"), Vec::new(), Vec::new());
    for line in text.lines().filter_map(|line| line.strip_prefix("//! ")) {
        if let Some(word) = line.strip_prefix("word ") {
            let (line, word) = word.split_once('=').expect("`=`");
            words.push(format!("\"{}\": \"{}\"", line.trim(), word.trim()));
        } else if let Some(run) = line.strip_prefix("run ") {
            runs.push(run.to_owned());
        } else {
            intrinsics.push_str(line);
        }
    }
    intrinsics.push(']');
    let decode = format!("{{\"schema\": 1, \"words\": {{{}}}}}", words.join(", "));
    let document = |name, bytes| Some(Document { name, bytes });
    let documents = Documents {
        intrinsics: document("intrinsics.json", intrinsics.as_bytes()),
        operations: document("operations.json", b"{}"),
        instructions: document("case.asl", text.as_bytes()),
        library: document("arch.asl", &library),
        decode: document("a64.json", decode.as_bytes()),
        ..Documents::default()
    };
    let parsed = parse(&documents, &Options::default());
    assert_eq!(parsed.ledger.len(), 1, "{}: one entry, one line", path.display());
    (parsed, runs)
}

#[test]
fn instructions_become_these_functions() {
    crate::golden_cases::check("arm/pass", &["asl"], "hir", |path| {
        let (parsed, _) = read(path);
        let found = parsed.instructions.first();
        found.unwrap_or_else(|| panic!("{}: {:?}", path.display(), parsed.ledger[0])).function.to_string()
    });
}

#[test]
fn instructions_fail_like_this() {
    crate::golden_cases::check("arm/fail", &["asl"], "diag", |path| {
        crate::golden_cases::verdict(&read(path).0.ledger[0])
    });
}

#[test]
fn functions_compute_these_values() {
    for path in crate::golden_cases::cases("arm/run", &["asl"]) {
        let (parsed, runs) = read(&path);
        assert!(!runs.is_empty(), "{} runs nothing", path.display());
        let found = parsed.instructions.first();
        let instruction = found.unwrap_or_else(|| panic!("{}: {:?}", path.display(), parsed.ledger[0]));
        crate::golden_cases::run(instruction, &runs, &path);
    }
}
