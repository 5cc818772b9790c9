//! `hydride synth` as a user sees it.

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::path::Path;
use std::process::Command;

use crate::lowering::{cpu_has, tools};
use crate::support::programs::{self, START, Target};
use crate::support::{
    ALL, Run, hydride, is_full, repository, samples, scratch, shared_output, vendor_documents,
};

#[test]
fn what_cannot_be_read_is_said_with_its_place() {
    let folder = scratch();
    let specs = samples().display().to_string();
    let leaf = r#"{"name":"a","type":"u8x16","kind":"dense"}"#;
    let window = format!(r#"{{"name":"w","target":"avx2","leaves":[{leaf}],"expr":"(plus:u8x16 a:u8x16)"}}"#);
    std::fs::write(folder.path().join("bad.jsonl"), format!("\n{window}\n")).expect("a file");
    let run = hydride(folder.path(), &["synth", "--specs", &specs, "bad.jsonl"]).exits(3);
    assert!(
        run.stderr.contains("bad.jsonl:2:") && run.stderr.contains("no operation `plus`"),
        "{}",
        run.stderr
    );
    hydride(folder.path(), &["synth", "--specs", &specs, "missing.jsonl"]).exits(3);
    let right = window.replace("(plus:u8x16 a:u8x16)", "(add:u8x16 a:u8x16 a:u8x16)");
    std::fs::write(folder.path().join("good.jsonl"), right).expect("a file");
    hydride(folder.path(), &["synth", "--specs", &specs, "--isa", "abacus", "good.jsonl"]).exits(2);
    hydride(folder.path(), &["synth"]).exits(2);
}

#[test]
fn answers_do_not_depend_on_the_number_of_threads() {
    let Some(specs) = vendor_documents().filter(|specs| specs.join("hvx").is_dir()) else { return };
    let folder = scratch();
    let windows = repository().join("specs/windows/samples.jsonl").display().to_string();
    let specs = specs.display().to_string();
    let run = |jobs: &str| {
        let args = [
            "synth",
            "--specs",
            &specs,
            "--isa",
            "hvx",
            "--matching",
            "--emit",
            "c",
            "--jobs",
            jobs,
            &windows,
        ];
        hydride(folder.path(), &args).exits(0).stdout
    };
    let one = run("1");
    assert!(one.contains("void window_weighted("), "{one}");
    assert_eq!(one, run("2"));
}

/// What no program computes as a whole is kept part by part: a second run adds nothing.
#[test]
fn parts_of_a_window_are_kept() {
    const QUOTIENT: &str = r#"{"name":"quotient","target":"avx2","lanes":32,"bits":8,"leaves":[
{"name":"v0","type":"u8x32","kind":"dense"},{"name":"v1","type":"u8x32","kind":"dense"},{"name":"v2","type":"u8x32","kind":"dense"}],
"expr":"(absd:u8x32 (div:u8x32 (max:u8x32 v0:u8x32 v2:u8x32) v1:u8x32) v2:u8x32)"}"#;
    let Some(specs) = vendor_documents().filter(|specs| specs.join("x86").is_dir()) else { return };
    let (folder, specs) = (scratch(), specs.display().to_string());
    std::fs::write(folder.path().join("quotient.jsonl"), QUOTIENT.replace('\n', "")).expect("a file");
    let run = || {
        let args = ["synth", "--specs", &specs, "--cache", "kept.redb", "quotient.jsonl"];
        let answer: serde_json::Value =
            serde_json::from_str(&hydride(folder.path(), &args).exits(0).stdout).expect("an answer");
        assert_eq!((&answer["status"], &answer["parts"]), (&"proved".into(), &3.into()), "{answer}");
        std::fs::read(folder.path().join("kept.redb")).expect("a cache")
    };
    assert!(run() == run(), "the second run searched again");
}

#[test]
fn the_samples_are_answered_and_agree_with_machines() {
    if let Some(specs) = vendor_documents() {
        let folder = scratch();
        let windows = repository().join("specs/windows/samples.jsonl").display().to_string();
        for (isa, target) in [("x86", "avx2"), ("arm", "neon"), ("hvx", "hvx")] {
            if !specs.join(isa).is_dir() {
                continue;
            }
            let specs = specs.display().to_string();
            let args = ["synth", "--specs", &specs, "--isa", target, "--matching", "--run", "500", &windows];
            let run = hydride(folder.path(), &args);
            assert!(!run.stderr.contains("Differs"), "{}", run.stderr);
            for line in run.stdout.lines() {
                let answer: serde_json::Value = serde_json::from_str(line).expect("JSON");
                assert_eq!(answer["status"], "proved", "{line}");
                assert_ne!(answer["floor"], true, "computed lane by lane: {line}");
                // Products by halves of registers, and bytes taken from pairs, not one movement a lane.
                let most = match answer["name"].as_str() {
                    Some("rounded_product") => 11,
                    Some("dot_of_bytes") => 10,
                    // Products of neighbors, whose operands are unpacked within blocks and put in order afterwards.
                    Some("column") => 16,
                    Some("two_rows") => 8,
                    // Terms with the same factor are added before they are multiplied.
                    Some("column_of_one_register") => 11,
                    _ => u64::MAX,
                };
                assert!(answer["cost"]["uops"].as_u64().is_some_and(|cost| cost <= most), "{line}");
            }
            run.exits(0);
        }
    }
}

/// The part of a test program that compares functions `window_…` with `c_window_…` on random memory: they have these
/// prototypes.
fn comparison(prototypes: &[&str]) -> String {
    let mut text = String::from(
        "typedef unsigned char byte;\nstatic byte in[16][4096], left[4096], right[4096];\n\
         static unsigned state = 1;\nstatic byte next(void) { return (state = state * 1103515245u + 12345u) >> 16; }\n\
         static int same(void) { for (int i = 0; i < 4096; i++) if (left[i] != right[i]) return 0; return 1; }\n",
    );
    let mut calls = String::new();
    for (at, prototype) in (1..).zip(prototypes) {
        let (head, rest) = prototype.split_once('(').expect("a prototype");
        let name = head.strip_prefix("void ").expect("a name");
        let parameters = rest.trim_end_matches(')');
        let arguments: Vec<String> = (0..)
            .zip(parameters.split(", ").skip(1))
            .map(|(at, parameter)| match parameter.contains('*') {
                true => format!("(const void *)in[{at}]"),
                false => format!("*(const {} *)in[{at}]", parameter.split(' ').next().expect("a type")),
            })
            .collect();
        let arguments = arguments.join(", ");
        let _ = writeln!(text, "void {name}({parameters});\nvoid c_{name}({parameters});");
        let _ = writeln!(calls, "{name}((void *)left, {arguments}); c_{name}((void *)right, {arguments});");
        let _ = writeln!(calls, "if (!same()) return {at};");
    }
    text + "static int check(void) {\nfor (int n = 0; n < 200; n++) {\n\
            for (int i = 0; i < 16; i++) for (int k = 0; k < 4096; k++) in[i][k] = next();\n"
        + &calls
        + "}\nreturn 0;\n}\n"
        + START
}

/// Answers in AutoLLVM's operations, linked with the generated definitions, compute what those in C do.
#[test]
fn answers_are_calls_of_operations() {
    let Some(specs) = vendor_documents() else { return };
    if !["x86", "arm", "hvx"].iter().all(|isa| specs.join(isa).is_dir())
        || !tools(&programs::TOOLS)
        || !tools(&programs::MODULE_TOOLS)
    {
        return;
    }
    let out = shared_output(&specs, ALL);
    let (folder, specs, out) = (scratch(), specs.display().to_string(), out.display().to_string());
    let windows = repository().join("specs/windows/samples.jsonl").display().to_string();
    let here = folder.path();
    let tool = |program: &str, args: &[&str]| {
        Run::new(Command::new(program).args(args).current_dir(here).output().expect("the tool starts"))
    };
    let targets: [(&str, &str, &[&str], &[&str]); 3] = [
        ("avx2", "x86", &["-mtriple=x86_64-linux-gnu"], &["-mavx2"]),
        ("neon", "arm", &["-mtriple=aarch64-linux-gnu"], &[]),
        ("hvx", "hvx", &["-mtriple=hexagon-unknown-linux-musl", "-mcpu=hexagonv67"], &[]),
    ];
    for (name, isa, llc, clang) in targets {
        let answers = |emit: &str| {
            let args = ["synth", "--specs", &specs, "--isa", name, "--matching", "--emit", emit];
            hydride(here, &[&args[..], &["--out", &out, &windows]].concat()).exits(0).stdout
        };
        let (module, c) = (answers("autollvm"), answers("c"));
        let prototypes: Vec<&str> = c.lines().filter(|line| line.starts_with("void window_")).collect();
        // Windows have no part of one another, so that their modules are one text.
        let mut declared = std::collections::BTreeSet::new();
        let mut text = String::new();
        for line in module.lines().filter(|line| !line.starts_with("declare ") || declared.insert(*line)) {
            text += line;
            text.push('\n');
        }
        assert_eq!(text.matches("define void @window_").count(), prototypes.len(), "{module}");
        assert!(text.contains("call ") && !text.contains("call <16 x i8> @llvm."), "{text}");
        std::fs::write(here.join("program.ll"), &text).expect("a file");
        std::fs::write(here.join("windows.c"), c.replace("void window_", "void c_window_")).expect("a file");
        let main = String::from("#include <stdint.h>\n") + &comparison(&prototypes);
        std::fs::write(here.join("main.c"), main).expect("a file");
        let definitions = format!("{out}/llvm/lowering/{isa}.ll");
        tool("llvm-link-19", &["--only-needed", "program.ll", &definitions, "-o", "linked.bc"]).exits(0);
        let inline = ["-passes=cgscc(inline),globaldce", "linked.bc", "-o", "inlined.bc"];
        tool("opt-19", &[llc, &inline].concat()).exits(0);
        tool("llc-19", &[llc, &["-relocation-model=pic", "inlined.bc", "-o", "program.s"]].concat()).exits(0);
        let assembly = std::fs::read_to_string(here.join("program.s")).expect("assembly");
        assert!(!assembly.contains("autollvm."), "{assembly}");
        let Target { clang: options, emulator, .. } = programs::target(isa);
        let files = ["-O1", "-fno-builtin", "windows.c", "main.c", "program.s", "-o", "compare"];
        tool("clang-19", &[options, clang, &files[..]].concat()).exits(0);
        match emulator {
            [] if !cpu_has(&["AVX2"]) => {}
            [] => drop(tool(&here.join("compare").display().to_string(), &[]).exits(0)),
            [program, args @ ..] => drop(tool(program, &[args, &["compare"]].concat()).exits(0)),
        }
    }
    // A folder that is none of ours is an error.
    let args = ["synth", "--specs", &specs, "--isa", "neon", "--matching", "--emit", "autollvm"];
    let run = hydride(here, &[&args[..], &["--out", "nothing", &windows]].concat()).exits(3);
    assert!(run.stderr.contains("holds no outputs of generate-ir"), "{}", run.stderr);
}

/// The answers for a target to a file's windows, which agree with its machine on so many inputs.
fn agreeing(specs: &Path, target: &str, inputs: &str, windows: &str) -> Vec<serde_json::Value> {
    let (folder, specs) = (scratch(), specs.display().to_string());
    let args = ["synth", "--specs", &specs, "--isa", target, "--matching", "--max-seconds", "0"];
    let run = hydride(folder.path(), &[&args[..], &["--run", inputs, windows]].concat());
    assert!(!run.stderr.contains("Differs"), "{}", run.stderr);
    let run = run.exits(0);
    run.stdout.lines().map(|line| serde_json::from_str(line).expect("JSON")).collect()
}

/// What packs within blocks of registers needs no movement where lanes may be in another order.
#[test]
fn lanes_in_any_order_cost_less() {
    let Some(specs) = vendor_documents() else { return };
    let folder = scratch();
    let window = |name: &str, expression: &str| {
        let leaf = r#"{"name":"a","type":"i16x64","kind":"dense"}"#;
        format!(r#"{{"name":"{name}","target":"avx2","leaves":[{leaf}],"expr":"({expression})"}}"#)
    };
    let windows =
        [window("packed", "saturating_cast:u8x64 a:i16x64"), window("sum", "add:i16x64 a:i16x64 a:i16x64")];
    std::fs::write(folder.path().join("windows.jsonl"), windows.join("\n")).expect("a file");
    let specs = specs.display().to_string();
    let args = ["synth", "--specs", &specs, "--isa", "avx2", "windows.jsonl"];
    let natural = hydride(folder.path(), &args).exits(0);
    let run = hydride(folder.path(), &[&args[..], &["--any-layout", "--run", "200"]].concat());
    assert!(!run.stderr.contains("Differs"), "{}", run.stderr);
    let answers = |run: &Run| -> Vec<serde_json::Value> {
        run.stdout.lines().map(|line| serde_json::from_str(line).expect("JSON")).collect()
    };
    let (natural, open) = (answers(&natural), answers(&run.exits(0)));
    assert_eq!(
        (&natural[0]["cost"]["uops"], &open[0]["cost"]["uops"]),
        (&4.into(), &2.into()),
        "{}",
        open[0]
    );
    assert_eq!(open[0]["layout"], serde_json::json!({"result": [0, 1, 2, 4, 3, 5]}));
    assert_eq!(natural[1]["instructions"], open[1]["instructions"]);
    assert_eq!(open[1].get("layout"), None);
    // As a graph: a box for each instruction, an arrow for each operand and each register of the result.
    let graph =
        hydride(folder.path(), &[&args[..], &["--emit", "dot", "--only", "sum"]].concat()).exits(0).stdout;
    let count = |part: &str| graph.matches(part).count();
    assert_eq!((count("digraph"), count("shape = box"), count(" -> ")), (1, 4, 3 * 4), "{graph}");
    // As a page: the same bytes for any number of threads, with everything in it.
    let page = |jobs: &str| {
        let name = format!("{jobs}.html");
        let rest = ["--page", &name, "--jobs", jobs];
        hydride(folder.path(), &[&args[..], &rest].concat()).exits(0);
        std::fs::read_to_string(folder.path().join(name)).expect("a page")
    };
    let text = page("1");
    assert_eq!(text, page("2"));
    let windows = open.len();
    assert!(text.contains(&format!("<p>{windows} windows: {windows} proved.</p>")), "{text}");
    assert!(
        text.contains("<h2 id=\"w0\">") && text.contains("_mm256_") && !text.contains("<script"),
        "{text}"
    );
    let nowhere = [&args[..], &["--page", "missing/page.html"]].concat();
    hydride(folder.path(), &nowhere).exits(3);
}

/// Single operations, among them some that no target has vector instructions for: every window has a proved answer that
/// agrees with the machine.
#[test]
fn every_operation_has_an_answer() {
    let Some(specs) = vendor_documents() else { return };
    let windows = repository().join("specs/windows/operations.jsonl").display().to_string();
    for (isa, target) in [("x86", "avx2"), ("arm", "neon"), ("hvx", "hvx")] {
        // The slow ones are left to the benchmark.
        if !specs.join(isa).is_dir() || target != "avx2" && !is_full() {
            continue;
        }
        let answers = agreeing(&specs, target, "500", &windows);
        assert_eq!(answers.len(), 9);
        for answer in &answers {
            assert_eq!(answer["status"], "proved", "{answer}");
            let floor = answer["name"] == "quotients" || answer["name"] == "one_quotient";
            assert!(!floor || answer["floor"] == true, "{answer}");
        }
    }
}

/// Operations on lanes as compilers meet them: choices, saturation, shifts and products of each width. Those without
/// instructions are known by name, and all answers agree with the machine.
#[test]
fn operations_on_lanes_are_instructions() {
    let Some(specs) = vendor_documents() else { return };
    let windows = repository().join("specs/windows/lanes.jsonl").display().to_string();
    let known = [("avx512", &["red_max", "red_max8"][..]), ("hvx", &["div_u32_10", "red_max"][..])];
    for (target, without) in known {
        if !specs.join(if target == "hvx" { "hvx" } else { "x86" }).is_dir() {
            continue;
        }
        let answers = agreeing(&specs, target, "100", &windows);
        assert_eq!(answers.len(), 56);
        assert!(answers.iter().all(|answer| answer["status"] == "proved"), "{answers:?}");
        let scalar = answers.iter().filter(|answer| answer["floor"] == true);
        let mut scalar: Vec<&str> = scalar.filter_map(|answer| answer["name"].as_str()).collect();
        scalar.sort_unstable();
        assert_eq!(scalar, without, "{target}");
    }
}

/// Functions of the IR: an instruction's own, one with an immediate, and one in memory, which is no window.
const FUNCTIONS: &str = "\
func @_mm_and_si128(%a: 128, %b: 128) -> (%dst: 128) {
  %dst[0 +: 128] = and(%a, %b)
}
func @shifted(%a: 128, %n: 8 imm 0..=3) -> (%dst: 128) {
  for i in 0..8 {
    %dst[16*i +: 16] = shl(%a[16*i +: 16], %n)
  }
}
func @stored(%a: 128, %p: 128 mem) -> (%p: 128) {
  %p[0 +: 128] = %a
}
";

/// One operation with a constant, which takes few instructions, and none lane by lane.
#[test]
fn operations_with_constants_are_instructions() {
    let Some(specs) = vendor_documents() else { return };
    let windows = repository().join("specs/windows/constants.jsonl").display().to_string();
    let answers = agreeing(&specs, "avx2", "200", &windows);
    assert_eq!(answers.len(), 22);
    for answer in &answers {
        let cost = answer["cost"]["uops"].as_u64();
        assert!(answer["floor"] != true && cost.is_some_and(|cost| cost <= 10), "{answer}");
    }
}

/// Two operations cost no more than each of them by itself: a window `NAME` with its operations `NAME.0`, `NAME.1` and so on.
#[test]
fn compositions_cost_no_more_than_their_operations() {
    let Some(specs) = vendor_documents() else { return };
    let windows = repository().join("specs/windows/compositions.jsonl").display().to_string();
    for (target, isa, count) in [("avx2", "x86", 5), ("hvx", "hvx", 3)] {
        if !specs.join(isa).is_dir() {
            continue;
        }
        let (mut wholes, mut parts) = (BTreeMap::new(), BTreeMap::new());
        for answer in agreeing(&specs, target, "100", &windows) {
            let name = answer["name"].as_str().expect("a name");
            let cost = answer["cost"]["uops"].as_u64().filter(|_| answer["floor"] != true);
            let cost = cost.unwrap_or_else(|| panic!("instructions: {answer}"));
            match name.rsplit_once('.').filter(|(_, number)| number.parse::<u32>().is_ok()) {
                Some((whole, _)) => *parts.entry(whole.to_owned()).or_insert(0) += cost,
                None => assert_eq!(wholes.insert(name.to_owned(), cost), None),
            }
        }
        assert_eq!(wholes.len(), count);
        for (name, cost) in wholes {
            assert!(cost <= parts[&name], "{name}: {cost} and {}", parts[&name]);
        }
    }
}

#[test]
fn functions_of_the_ir_are_windows() {
    let folder = scratch();
    let specs = samples().display().to_string();
    std::fs::write(folder.path().join("f.hir"), FUNCTIONS).expect("a file");
    let hir = ["synth", "--specs", &specs, "--from", "hir", "f.hir"];
    // Functions have no target.
    hydride(folder.path(), &hir).exits(2);
    std::fs::write(folder.path().join("bad.hir"), "func @f(\n%a) -> ()").expect("a file");
    let bad = ["synth", "--specs", &specs, "--from", "hir", "--isa", "hvx", "bad.hir"];
    let run = hydride(folder.path(), &bad).exits(3);
    assert!(run.stderr.contains("bad.hir:2:"), "{}", run.stderr);
    let Some(specs) = vendor_documents().filter(|specs| specs.join("x86").is_dir()) else { return };
    let specs = specs.display().to_string();
    let hir = ["synth", "--specs", &specs, "--from", "hir", "--isa", "avx2", "f.hir"];
    let answers = |more: &[&str]| {
        let run = hydride(folder.path(), &[&hir[..], more].concat());
        // Where the machine and the compiler are there the answers were run.
        let is_broken = ["Mismatch", "cannot build"].iter().any(|word| run.stderr.contains(word));
        assert!(!is_broken, "{}", run.stderr);
        let line = |line: &str| serde_json::from_str::<serde_json::Value>(line).expect("JSON");
        run.stdout.lines().map(line).collect::<Vec<_>>()
    };
    let all = answers(&["--choices", "2", "--run", "100"]);
    let names: Vec<&str> = all.iter().filter_map(|answer| answer["name"].as_str()).collect();
    assert_eq!(names, ["_mm_and_si128", "shifted(1)", "shifted(2)", "stored"]);
    for answer in &all[..3] {
        assert_eq!(answer["status"], "proved", "{answer}");
        assert_eq!(answer["cost"]["uops"], 1, "{answer}");
    }
    assert_eq!(all[0]["own"]["uops"], 1);
    assert_eq!(all[1].get("own"), None);
    assert_eq!(all[3]["status"], "not searched");
    assert_eq!(answers(&["--matching", "--only", "*and*"]).len(), 1);
    // Several windows of one name are run.
    assert_eq!(answers(&["--matching", "--only", "*and*", "--run", "100", "f.hir"]).len(), 2);
}

/// Loops over synthesized bodies compute what the loops as they are written compute, remainders included.
#[test]
#[cfg(target_arch = "x86_64")]
fn kernels_with_synthesized_bodies_compute_what_is_written() {
    let Some(specs) = vendor_documents().filter(|specs| specs.join("x86").is_dir()) else { return };
    if !is_x86_feature_detected!("avx2") || Command::new("clang-19").arg("--version").output().is_err() {
        eprintln!("SKIPPED: clang-19 or AVX2 are not there");
        return;
    }
    let (folder, specs) = (scratch(), specs.display().to_string());
    let mut kernels: Vec<_> = std::fs::read_dir(repository().join("specs/kernels"))
        .expect("the kernels")
        .map(|entry| entry.expect("a file").path())
        .filter(|path| path.extension().is_some_and(|ending| ending == "c"))
        .collect();
    kernels.sort();
    assert_eq!(kernels.len(), 14);
    // The first ones are quick to find.
    for kernel in kernels.iter().take(if is_full() { kernels.len() } else { 1 }) {
        let name = kernel.file_stem().and_then(|stem| stem.to_str()).expect("a name");
        let windows = kernel.with_extension("jsonl").display().to_string();
        let args = ["synth", "--specs", &specs, "--isa", "avx2", "--matching", "--emit", "c", &windows];
        let answer = hydride(folder.path(), &args).exits(0).stdout;
        std::fs::write(folder.path().join("answer.h"), answer).expect("a file");
        let lanes = std::fs::read_to_string(&windows)
            .expect("windows")
            .lines()
            .map(|line| serde_json::from_str::<serde_json::Value>(line).expect("JSON"))
            .find(|window| window["target"] == "avx2")
            .expect("a window for AVX2")["lanes"]
            .to_string();
        let (window, lanes) = (format!("-DSYNTHESIZED=window_{name}"), format!("-DLANES={lanes}"));
        let clang = |args: &[&str]| {
            let mut command = Command::new("clang-19");
            command.args(["-O1", "-march=haswell"]).args(args).current_dir(folder.path());
            assert!(command.status().expect("clang").success(), "{name}: {args:?}");
        };
        let source = kernel.to_str().expect("a path");
        clang(&["-c", source, "-o", "main.o"]);
        clang(&["-c", source, "-o", "original.o", "-DORIGINAL"]);
        clang(&["-c", source, "-o", "synthesized.o", "-include", "answer.h", &window, &lanes]);
        clang(&["main.o", "original.o", "synthesized.o", "-o", "kernel"]);
        let run =
            Command::new(folder.path().join("kernel")).args(["check", "2000"]).output().expect("it runs");
        assert!(run.status.success(), "{name}: {}", String::from_utf8_lossy(&run.stdout));
    }
}
