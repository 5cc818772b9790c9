//! Tests by file: a case below `tests/`, and beside it what is expected of it.
//!
//! `HYDRIDE_BLESS=1` writes the expected files anew and deletes those without a case.

// Each test program uses a part of this.

use std::fs;
use std::path::{Path, PathBuf};

use hydride_ir::Bits;
use parsers::{Instruction, LedgerEntry, Status};

/// The cases of a folder below `tests/`, with one of these endings; at least one.
pub fn cases(folder: &str, endings: &[&str]) -> Vec<PathBuf> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests").join(folder);
    let mut found: Vec<PathBuf> = fs::read_dir(folder)
        .expect("the folder is there")
        .filter_map(|entry| Some(entry.ok()?.path()))
        .filter(|path| path.extension().is_some_and(|found| endings.iter().any(|ending| found == *ending)))
        .collect();
    found.sort();
    assert!(!found.is_empty());
    found
}

/// An instruction's function, and which memory it accesses.
pub fn functions(instruction: &Instruction) -> String {
    let mut text = instruction.function.to_string();
    for (what, function) in [("accessed", &instruction.accessed), ("addresses", &instruction.addresses)] {
        function.iter().for_each(|function| text.push_str(&format!("# {what}\n{function}")));
    }
    text
}

/// Compares with the expected file, or writes it; then no expected file may be without a case.
pub fn check(folder: &str, endings: &[&str], extension: &str, actual: impl Fn(&Path) -> String) {
    let bless = std::env::var_os("HYDRIDE_BLESS").is_some();
    let cases = cases(folder, endings);
    for path in &cases {
        let golden = path.with_extension(extension);
        let actual = actual(path);
        if bless {
            fs::write(&golden, actual).expect("the expected file is writable");
            continue;
        }
        let expected = fs::read_to_string(&golden).unwrap_or_default();
        assert_eq!(actual, expected, "{}", path.display());
    }
    let folder = cases[0].parent().expect("a folder");
    for entry in fs::read_dir(folder).expect("the folder is there").flatten() {
        let path = entry.path();
        let has_case = endings.iter().any(|ending| path.with_extension(ending).exists());
        if path.extension().is_some_and(|found| found == extension) && !has_case {
            assert!(bless, "{} has no case", path.display());
            fs::remove_file(path).expect("the orphan is removable");
        }
    }
}

/// A ledger line that is no instruction, with its place.
pub fn verdict(line: &LedgerEntry) -> String {
    let place = format!("{}:{}:{}", line.span.file, line.span.line, line.span.column);
    match &line.status {
        Status::Modelled => panic!("{} is modelled", line.id),
        Status::Excluded { reason, message } => {
            format!("{place} excluded {reason}: {}\n", message.as_deref().unwrap_or("-"))
        }
        Status::Failed { reason, message } => format!("{place} failed {reason}: {message}\n"),
    }
}

/// Evaluates `HEX … => HEX …`, the arguments in the intrinsic's order.
pub fn run(instruction: &Instruction, runs: &[String], path: &Path) {
    for run in runs {
        let (args, expected) = run.split_once("=>").expect("`=>`");
        let args: Vec<Bits> = args
            .split_whitespace()
            .zip(&instruction.signature.args)
            .map(|(digits, arg)| Bits::from_hex(arg.width, digits).expect("hexadecimal digits"))
            .collect();
        let results = interp::evaluate(&instruction.function, &args).expect("it evaluates");
        let expected = expected.split_whitespace().zip(&results);
        let expected: Vec<String> = expected
            .map(|(text, result)| Bits::from_hex(result.width(), text).expect("hexadecimal digits"))
            .map(|bits| format!("{bits:x}"))
            .collect();
        let results: Vec<String> = results.iter().map(|bits| format!("{bits:x}")).collect();
        assert_eq!(results, expected, "{}: {run}", path.display());
    }
}
