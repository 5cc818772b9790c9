//! Small operations by file: their functions, errors and results.
//!
//! A test is added by adding a file below `tests/intel/`: in `pass/` the function is compared with the `.hir` file next
//! to it, in `fail/` the verdict with the `.diag` file, in `run/` the `#! run` lines are evaluated. `HYDRIDE_BLESS=1`
//! rewrites the expected files and deletes those without a case.
//!
//! A case begins with `#!` lines: the result and the parameters as `name c_type etype [immwidth]`, and
//! `run HEX … => HEX` with the arguments in the intrinsic's order, or `described TEXT` with what the entry says of itself.

use std::fs;
use std::path::{Path, PathBuf};

use parsers::{Instruction, Parsed, intel};

struct Case {
    xml: String,
    runs: Vec<String>,
}

fn escaped(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;")
}

/// A document with one entry; its lines are those of the case.
fn read(path: &Path) -> Case {
    let text = fs::read_to_string(path).expect("the case is readable");
    let (mut operands, mut runs, mut operation) = (Vec::new(), Vec::new(), String::new());
    let mut description = String::new();
    for line in text.lines() {
        match line.strip_prefix("#!").map(str::trim) {
            Some(run) if run.starts_with("run ") => runs.push(run["run ".len()..].to_owned()),
            Some(line) if line.starts_with("described ") => {
                description = escaped(&line["described ".len()..]);
            }
            Some(operand) => operands.push(operand.to_owned()),
            None => operation.push_str(&escaped(line)),
        }
        operation.push('\n');
    }
    let mut xml = String::from("<intrinsics_list version=\"case\"><intrinsic tech=\"Other\" name=\"case\">");
    for (position, operand) in operands.iter().enumerate() {
        let mut words = operand.split_whitespace();
        let name = words.next().expect("a name");
        let mut words: Vec<&str> = words.collect();
        let width = words
            .last()
            .filter(|word| word.chars().all(|c| c.is_ascii_digit()))
            .map(|word| (*word).to_owned());
        if width.is_some() {
            words.pop();
        }
        let element = words.pop().expect("an etype");
        let tag = if position == 0 { "return" } else { "parameter" };
        let width = width.map(|width| format!(" immwidth=\"{width}\"")).unwrap_or_default();
        let c_type = words.join(" ");
        xml.push_str(&format!("<{tag} type=\"{c_type}\" varname=\"{name}\" etype=\"{element}\"{width}/>"));
    }
    if !description.is_empty() {
        xml.push_str(&format!("<description>{description}</description>"));
    }
    xml.push_str(&format!("<operation>{operation}</operation></intrinsic></intrinsics_list>"));
    Case { xml, runs }
}

fn parse(case: &Case) -> Parsed {
    let parsed = intel::parse("case", case.xml.as_bytes(), &intel::Options::default());
    assert_eq!(parsed.ledger.len(), 1, "one entry, one line");
    parsed
}

fn only(parsed: &Parsed, path: &Path) -> Instruction {
    let line = &parsed.ledger[0];
    let found = parsed.instructions.first().cloned();
    found.unwrap_or_else(|| {
        panic!("{}: {:?} at {}:{}", path.display(), line.status, line.span.line, line.span.column)
    })
}

fn cases(folder: &str) -> Vec<PathBuf> {
    crate::golden_cases::cases(&format!("intel/{folder}"), &["txt"])
}

fn check_goldens(folder: &str, extension: &str, actual: impl Fn(&Path) -> String) {
    crate::golden_cases::check(&format!("intel/{folder}"), &["txt"], extension, actual);
}

#[test]
fn operations_become_these_functions() {
    check_goldens("pass", "hir", |path| {
        let instruction = only(&parse(&read(path)), path);
        crate::golden_cases::functions(&instruction)
    });
}

#[test]
fn operations_fail_like_this() {
    check_goldens("fail", "diag", |path| {
        let parsed = parse(&read(path));
        crate::golden_cases::verdict(&parsed.ledger[0]).replace("case:", "")
    });
}

#[test]
fn functions_compute_these_values() {
    for path in cases("run") {
        let case = read(&path);
        let instruction = only(&parse(&case), &path);
        assert!(!case.runs.is_empty(), "{} runs nothing", path.display());
        crate::golden_cases::run(&instruction, &case.runs, &path);
    }
}
