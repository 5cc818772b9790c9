//! The definitions in `llvm/lowering/` under a stock LLVM: they are the instructions, they do what the semantics
//! says, and their data is what the compiler says.

use std::path::Path;
use std::process::Command;

use crate::support::*;

/// Whether the programs are there; says so when one is not.
fn tools(names: &[&str]) -> bool {
    let there = |name: &&str| Command::new(name).arg("--version").output().is_ok();
    match names.iter().find(|name| !there(name)) {
        Some(name) => {
            skip(&format!("{name} is not there"));
            false
        }
        None => true,
    }
}

fn check(specs: &Path, folder: &Path, isa: &str, out: &str) -> Run {
    let (specs, work) = (specs.to_string_lossy(), folder.join("work"));
    let work = work.to_string_lossy();
    let args = ["check-lowering", "--specs", &specs, "--isa", isa, "--out", out, "--inputs", "100"];
    hydride(folder, &[&args[..], &["--work", &work]].concat())
}

/// The number in front of a text.
#[track_caller]
fn number(text: &str, before: &str) -> f64 {
    let at = text.find(before).unwrap_or_else(|| panic!("`{before}` is not in {text}"));
    let word = text[..at].trim_end().rsplit([' ', '(']).next().unwrap_or_default();
    word.parse().unwrap_or_else(|_| panic!("`{word}` is no number"))
}

const LLVM: &[&str] = &["clang-19", "llvm-link-19", "opt-19", "llc-19"];

/// Compiles and runs the definitions of an instruction set: at least 93 % are the documented instruction, and none
/// differs from the semantics.
fn definitions_are_the_instructions(isa: &str, emulator: Option<&str>) {
    let programs: Vec<&str> = LLVM.iter().copied().chain(emulator).collect();
    if !tools(&programs) {
        return;
    }
    let Some(specs) = vendor_documents::with(&[isa]).into_iter().next() else { return };
    let folder = scratch();
    let out = shared_output(&specs, ALL);
    let out = out.to_string_lossy();
    let run = check(&specs, folder.path(), isa, &out);
    println!("{}", run.stdout);
    let run = run.exits(0);
    assert!(number(&run.stdout, " %; ") >= 93.0, "{}", run.stdout);
    assert!(number(&run.stdout, "definitions agree") > 0.0, "{}", run.stdout);
}

#[test]
fn hvx_definitions_are_the_instructions() {
    definitions_are_the_instructions("hvx", Some("qemu-hexagon"));
}

#[test]
fn arm_definitions_are_the_instructions() {
    definitions_are_the_instructions("arm", Some("qemu-aarch64"));
}

#[test]
fn x86_definitions_are_the_instructions() {
    definitions_are_the_instructions("x86", None);
}

#[test]
fn a_wrong_definition_is_found() {
    if !tools(LLVM) || !tools(&["qemu-hexagon"]) {
        return;
    }
    let folder = scratch();
    let specs = samples();
    hydride(folder.path(), &["generate-ir", "--specs", &specs.to_string_lossy(), "--isa", "hvx"]).exits(0);
    let out = folder.path().join("out").to_string_lossy().into_owned();
    let path = Path::new(&out).join("llvm/lowering/hvx.ll");
    let text = std::fs::read_to_string(&path).unwrap();
    check(&samples(), folder.path(), "hvx", &out).exits(0);
    // The first target intrinsic of two vectors gets them in the wrong order.
    let line =
        text.lines().find(|line| line.contains("V6.vsub") && line.contains("%a0, <32 x i32> %a1")).unwrap();
    let wrong = line.replace("%a0, <32 x i32> %a1", "%a1, <32 x i32> %a0");
    std::fs::write(&path, text.replacen(line, &wrong, 1)).unwrap();
    let run = check(&samples(), folder.path(), "hvx", &out).exits(1);
    assert!(run.stdout.contains("MISMATCH V6_vsub"), "{}", run.stdout);
}

#[test]
fn the_data_is_what_the_compiler_says() {
    if !tools(LLVM) {
        return;
    }
    let folder = scratch();
    let (specs, data) = (samples(), folder.path().join("data"));
    let (specs, data_text) = (specs.to_string_lossy(), data.to_string_lossy());
    hydride(folder.path(), &["read-lowering", "--specs", &specs, "--data", &data_text]).exits(0);
    for isa in ["x86", "arm", "hvx"] {
        let read = read_json(&data.join(format!("{isa}.json")));
        let kept = read_json(&repository().join(format!("specs/lowering/llvm-19/{isa}.json")));
        let function = |data: &serde_json::Value, id: &str| {
            let position = data["members"][id].as_u64()?;
            Some(data["functions"][position as usize].clone())
        };
        let members = read["members"].as_object().unwrap();
        assert!(!members.is_empty());
        let mut same = 0;
        for id in members.keys() {
            // The samples have instructions of their own, and other ranges of immediates.
            let (Some(new), Some(old)) = (function(&read, id), function(&kept, id)) else { continue };
            if new["immediates"].is_null() {
                assert_eq!(new, old, "{isa}: {id}");
                same += 1;
            }
        }
        assert!(same * 2 > members.len(), "{isa}: {same} of {}", members.len());
    }
}
