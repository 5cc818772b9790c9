//! `hydride translate` as a user sees it.

use std::path::{Path, PathBuf};
use std::process::Command;

use crate::lowering::tools;
use crate::support::{arm_and_x86, files, have_asl, hydride, is_full, programs, samples, scratch};

/// A program in somebody's style of Neon code, written for this test.
fn program() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/cli/translate/filters.c")
}

/// What a program prints that is compiled with these words and started with those before it; nothing where a tool is missing.
fn output(folder: &Path, source: &Path, compiler: &[&str], starter: &[&str]) -> Option<String> {
    let binary = folder.join("program");
    let compiled =
        Command::new(compiler[0]).args(&compiler[1..]).arg("-o").arg(&binary).arg(source).output().ok()?;
    assert!(compiled.status.success(), "{compiler:?}: {}", String::from_utf8_lossy(&compiled.stderr));
    let mut words = starter.to_vec();
    words.push(binary.to_str()?);
    let run = Command::new(words[0]).args(&words[1..]).output().ok()?;
    assert!(run.status.success(), "{compiler:?}: {}", run.status);
    Some(String::from_utf8_lossy(&run.stdout).into_owned())
}

#[test]
fn a_program_prints_the_same_after_translation() {
    let Some(specs) = arm_and_x86() else { return };
    if !have_asl(Path::new(&specs)) || !tools(&programs::TOOLS) {
        return;
    }
    let folder = scratch();
    let neon = ["clang-19", "--target=aarch64-linux-gnu", "-O1", "-static"];
    let Some(expected) = output(folder.path(), &program(), &neon, &["qemu-aarch64"]) else {
        eprintln!("SKIPPED: clang-19 for AArch64 or qemu-aarch64 are not there");
        return;
    };
    assert_eq!(expected.lines().count(), 1 + 5 * 23);
    let name = program().display().to_string();
    let source = std::fs::read_to_string(program()).expect("the program");
    assert!(source.lines().count() >= 500);
    // With expressions in the place of calls the header is used too.
    for inline in [true, false].into_iter().take(if is_full() { 2 } else { 1 }) {
        let mut args = vec!["translate", "--specs", &specs, "--to", "avx2", "--out", "out", "--json", &name];
        args.extend(inline.then_some("--inline"));
        let run = hydride(folder.path(), &args).exits(0);
        let lines: Vec<serde_json::Value> =
            run.stdout.lines().map(|line| serde_json::from_str(line).expect("JSON")).collect();
        assert_eq!(files(&folder.path().join("out"))["translation.jsonl"], run.stdout);
        for line in lines.iter().filter(|line| line["status"] != "note") {
            assert!(line["uops_before"].is_u64() && line["uops_after"].is_u64(), "{line}");
        }
        let inlined = lines.iter().filter(|line| line["status"] == "inline").count();
        assert_eq!(inlined > 20, inline, "{inlined}");
        let translated = std::fs::read_to_string(folder.path().join("out/filters.c")).expect("the file");
        // Only lines with an include or a call that was replaced change.
        assert_eq!(source.lines().count(), translated.lines().count());
        for ((number, old), new) in (1..).zip(source.lines()).zip(translated.lines()) {
            let is_replaced = |line: &serde_json::Value| line["status"] == "inline" && line["line"] == number;
            let may_change = old.contains("#include") || lines.iter().any(is_replaced);
            assert!(old == new || may_change, "{number}: {new}");
        }
        let all: &[&[&str]] = &[
            &["clang-19", "-O1"],
            &["gcc", "-O2", "-Wall", "-Werror"],
            &["clang++-19", "-x", "c++", "-O2"],
            &["g++", "-x", "c++", "-O0"],
        ];
        for compiler in &all[..if is_full() { all.len() } else { 1 }] {
            let compiler = [compiler, &["-mavx2"][..]].concat();
            let translated = output(folder.path(), &folder.path().join("out/filters.c"), &compiler, &[]);
            assert_eq!(translated.as_ref(), Some(&expected), "{compiler:?}");
        }
    }
}

/// Templates, lambdas and overloads are read with the grammar of C++.
#[test]
fn a_program_in_cpp_prints_the_same_after_translation() {
    let Some(specs) = arm_and_x86() else { return };
    if !have_asl(Path::new(&specs)) || !tools(&programs::TOOLS) {
        return;
    }
    let folder = scratch();
    let program = program().with_file_name("lanes.cpp");
    let neon = ["clang++-19", "--target=aarch64-linux-gnu", "-std=c++17", "-O1", "-static", "-nostdlib++"];
    let Some(expected) = output(folder.path(), &program, &neon, &["qemu-aarch64"]) else {
        eprintln!("SKIPPED: clang++-19 for AArch64 or qemu-aarch64 are not there");
        return;
    };
    let name = program.display().to_string();
    let args = ["translate", "--specs", &specs, "--to", "avx2", "--inline", "--out", "out", "--json", &name];
    let run = hydride(folder.path(), &args).exits(0);
    // Everything was parsed, so that calls in templates and lambdas are expressions where their sequences are.
    assert!(!run.stdout.contains("cannot be parsed"), "{}", run.stdout);
    assert!(run.stdout.contains("\"inline\""), "{}", run.stdout);
    let native = ["clang++-19", "-std=c++17", "-O2", "-mavx2", "-Wall", "-Wextra", "-Werror"];
    let translated = output(folder.path(), &folder.path().join("out/lanes.cpp"), &native, &[]);
    assert_eq!(translated.as_ref(), Some(&expected));
}

#[test]
fn what_is_not_covered_stays_and_is_listed() {
    let Some(specs) = arm_and_x86() else { return };
    let folder = scratch();
    let text = "\u{feff}// vaddq_u8(1) \u{e4}\r\n#ifdef __ARM_NEON\r\n#endif\r\nuint8x16_t f(uint8x16_t a, uint8x16_t b)\r\n{\r\n\
                \treturn vqshlq_u16(vaddq_u8(a, b), vshrq_n_u8(a, 9));\r\n}\r\n#define vsubq_u8(a, b) a\r\nint g = vsubq_u8(1, 2);";
    std::fs::write(folder.path().join("f.c"), text).expect("a file");
    let args = ["translate", "--specs", &specs, "--from", "arm", "--to", "avx2", "--out", "out", "f.c"];
    let run = hydride(folder.path(), &args).exits(1);
    let said = [
        ("f.c:1:1: ", "note: no header"),
        ("f.c:2:8: ", "note: a condition on __ARM_NEON"),
        ("f.c:6:9: ", "vqshlq_u16 stays: "),
        ("f.c:6:20: ", "vaddq_u8: 1 -> 1 micro-operations: paddb"),
        ("f.c:6:36: ", "vshrq_n_u8 stays: the immediate 9 is not among 1 to 8"),
        ("f.c:9:9: ", "vsubq_u8 stays: the file declares it itself"),
    ];
    assert_eq!(run.stdout.lines().count(), said.len(), "{}", run.stdout);
    for (line, (place, what)) in run.stdout.lines().zip(said) {
        assert!(line.starts_with(&format!("{place}{what}")), "{line}");
    }
    // Every byte is there, with the include after the byte order mark.
    let translated = std::fs::read_to_string(folder.path().join("out/f.c")).expect("the file");
    assert_eq!(translated.replacen("#include \"arm_on_avx2.h\"\r\n", "", 1), text);
    let header = std::fs::read_to_string(folder.path().join("out/arm_on_avx2.h")).expect("the header");
    assert!(header.contains(" vaddq_u8(") && !header.contains(" vsubq_u8("));
}

#[test]
fn bad_input_is_refused() {
    let folder = scratch();
    let specs = samples().display().to_string();
    std::fs::write(folder.path().join("none.c"), "int x;\n").expect("a file");
    std::fs::write(folder.path().join("neon.c"), "#include <arm_neon.h>\n").expect("a file");
    let run = |rest: &[&str]| hydride(folder.path(), &[&["translate", "--specs", &specs], rest].concat());
    run(&["--to", "avx2"]).exits(2);
    run(&["neon.c"]).exits(2);
    run(&["--to", "abacus", "neon.c"]).exits(2);
    run(&["--to", "avx2", "--from", "abacus", "neon.c"]).exits(2);
    run(&["--to", "neon", "--from", "arm", "neon.c"]).exits(2);
    assert!(run(&["--to", "avx2", "none.c"]).exits(2).stderr.contains("--from"));
    assert!(run(&["--to", "avx2", "missing.c"]).exits(3).stderr.contains("cannot read missing.c"));
    // A file is not replaced by its own translation, and two translations do not have one name.
    assert!(run(&["--to", "avx2", "--out", ".", "neon.c"]).exits(2).stderr.contains("would be replaced"));
    assert!(run(&["--to", "avx2", "neon.c", "./neon.c"]).exits(2).stderr.contains("two files"));
}
