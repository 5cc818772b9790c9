//! Arm's own documents, where they are at hand: below `specs/vendor/arm`, or in the folder that
//! `HYDRIDE_SPECS` names. Without them these tests pass without looking.

mod arm_support;

use std::collections::BTreeMap;
use std::path::PathBuf;
use std::process::Command;
use std::time::Instant;

use arm_support::{Files, repository};
use parsers::Status;
use parsers::arm::{Facts, assembly_lines, expand};

fn vendor() -> Option<Files> {
    let named = std::env::var_os("HYDRIDE_SPECS").map(PathBuf::from);
    let mut files = Files::read(&named.unwrap_or_else(|| repository("specs/vendor")).join("arm"))?;
    files.errata = std::fs::read(repository("specs/errata/arm.json")).ok()?;
    Some(files)
}

fn text(bytes: &[u8]) -> &str {
    std::str::from_utf8(bytes).unwrap()
}

#[test]
fn every_entry_ends_in_one_line() {
    let Some(vendor) = vendor() else { return };
    let start = Instant::now();
    let parsed = vendor.parse();
    assert!(start.elapsed().as_secs() < 60);
    let mut lines: BTreeMap<&str, usize> = BTreeMap::new();
    let mut failed = Vec::new();
    for line in &parsed.ledger {
        *lines.entry(&line.id).or_default() += 1;
        if let Status::Failed { reason, .. } = &line.status {
            failed.push((line.id.as_str(), reason.as_str()));
        }
    }
    assert!(lines.values().all(|count| *count == 1));
    assert_eq!(parsed.ledger.len(), 4344);
    assert!(failed.is_empty(), "{failed:?}");
    assert!(parsed.diagnostics.is_empty(), "{:?}", parsed.diagnostics);
    assert_eq!(parsed.instructions.len(), 2762);
    for instruction in &parsed.instructions {
        instruction.function.verify().unwrap_or_else(|error| panic!("{}: {error:?}", instruction.id));
        assert!(instruction.undefined.is_empty(), "{}", instruction.id);
    }
}

#[test]
fn without_errata_some_operands_do_not_assemble() {
    let Some(mut vendor) = vendor() else { return };
    vendor.errata = b"[]".to_vec();
    let parsed = vendor.parse();
    let failed = parsed.ledger.iter().filter(|line| matches!(line.status, Status::Failed { .. })).count();
    assert_eq!(failed, 11);
}

#[test]
fn the_decode_facts_are_what_the_assembler_says() {
    let Some(vendor) = vendor() else { return };
    let assembler = ["llvm-mc-19", "llvm-mc"].into_iter().find(|name| {
        Command::new(name).arg("--version").output().is_ok_and(|output| output.status.success())
    });
    let Some(assembler) = assembler else { return };
    let lines = assembly_lines(text(&vendor.intrinsics), text(&vendor.errata));
    let all: Vec<String> = lines.iter().flat_map(|(line, ranges)| expand(line, ranges)).collect();
    let source = std::env::temp_dir().join(format!("hydride-arm-{}.s", std::process::id()));
    std::fs::write(&source, all.join("\n") + "\n").unwrap();
    let output = Command::new(assembler)
        .args(["-triple=aarch64", "-mattr=+all", "-show-encoding"])
        .arg(&source)
        .output();
    std::fs::remove_file(&source).unwrap();
    let output = output.unwrap();
    let (listing, errors) =
        (String::from_utf8(output.stdout).unwrap(), String::from_utf8(output.stderr).unwrap());
    let facts = Facts::from_assembler(&lines, &listing, &errors).unwrap();
    assert_eq!(facts, Facts::parse(text(&vendor.decode)).unwrap());
    assert_eq!(facts.print().as_bytes(), vendor.decode);
}
