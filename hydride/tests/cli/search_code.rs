//! What `hydride search` prints as code: assemblers accept it, and LLVM generates it from the AutoLLVM IR.

use std::io::Write as _;
use std::path::Path;
use std::process::{Command, Stdio};

use crate::support::{ALL, hydride, repository, scratch, shared_output, skip};

/// A target with goals that are found at once, and the assembler's options for it.
struct Target {
    isa: &'static str,
    extensions: &'static str,
    assembler: &'static [&'static str],
    /// Goals with further flags.
    goals: &'static [(&'static str, &'static str)],
}

const SSE2: Target = Target {
    isa: "x86",
    extensions: "SSE2",
    assembler: &["-triple=x86_64"],
    goals: &[
        ("horizontal-sum", "--only=psrldq,paddd,pshufd"),
        ("deinterleave-2", ""),
        ("absolute-16", "--only=pslldq,pxor,psubw,pmaxsw"),
        ("broadcast", ""),
        ("unsigned-at-most-16", ""),
    ],
};

const AVX512: Target = Target {
    isa: "x86",
    extensions: "AVX512F,AVX512VL,AVX512BW",
    assembler: &["-triple=x86_64", "-mattr=+avx512f,+avx512vl,+avx512bw"],
    goals: &[("all-ones", "--only=vpternlogd"), ("rotate-elements", "--only=valignd"), ("broadcast", "")],
};

const NEON: Target = Target {
    isa: "arm",
    extensions: "",
    assembler: &["-triple=aarch64", "-mattr=+v8.6a"],
    goals: &[
        ("saturating-narrow", "--only=sqxtn,sqxtn2"),
        ("deinterleave-4-first", "--only=uzp1,uzp2"),
        ("rotate-bits", "--only=shl,usra,sri,ushr,sli,sshr"),
        ("reverse-8", "--only=ext,rev*"),
        ("horizontal-maximum", "--only=smaxp,ext,rev*"),
    ],
};

const HVX: Target = Target {
    isa: "hvx",
    extensions: "",
    assembler: &["-triple=hexagon", "-mcpu=hexagonv66", "-mattr=+hvxv66,+hvx-length128b"],
    goals: &[
        ("transpose-4x4-step1", ""),
        ("rotate-elements", ""),
        ("absolute-16", "--only=vsub,vmax,vxor,vasr,vmpyi,vmin"),
        ("saturating-narrow", ""),
        ("broadcast", ""),
    ],
};

/// Whether a program is there; says so when it is not.
fn there(program: &str) -> bool {
    let there = Command::new(program).arg("--version").output().is_ok();
    if !there {
        skip(&format!("{program} is not there"));
    }
    there
}

/// What a search prints for a goal of the library, which it must solve.
fn search(specs: &Path, folder: &Path, target: &Target, goal: (&str, &str), more: &[&str]) -> String {
    let file = repository().join(format!("specs/goals/{}.toml", goal.0)).display().to_string();
    let specs = specs.display().to_string();
    let mut args = vec!["search", "--specs", &specs, "--isa", target.isa, "--cache", "kept", &file];
    if !target.extensions.is_empty() {
        args.extend(["--extensions", target.extensions]);
    }
    args.extend(goal.1.split(' ').filter(|flag| !flag.is_empty()));
    args.extend(more);
    hydride(folder, &args).exits(0).stdout
}

/// The first solution of a search's text.
fn first(text: &str) -> Vec<String> {
    let lines = text.lines().skip_while(|line| !line.starts_with("1 of")).skip(1);
    let lines = lines.take_while(|line| line.is_empty() || line.starts_with("    "));
    lines.map(|line| line.trim_start().to_owned()).collect()
}

/// Feeds a program; what it prints when it succeeds.
#[track_caller]
fn feed(program: &str, arguments: &[&str], input: &str) -> String {
    let mut child = Command::new(program)
        .args(arguments)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .expect("the program starts");
    child.stdin.take().expect("its input").write_all(input.as_bytes()).expect("it reads");
    let output = child.wait_with_output().expect("it ends");
    let errors = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{program}: {errors}\n{input}");
    String::from_utf8_lossy(&output.stdout).into_owned()
}

/// Every goal of a target, printed as assembly, assembles.
fn assembles(target: &Target) {
    if !there("llvm-mc-19") {
        return;
    }
    let Some(specs) = vendor_documents::with(&[target.isa]).into_iter().next() else { return };
    let folder = scratch();
    for goal in target.goals {
        let lines = first(&search(&specs, folder.path(), target, *goal, &[]));
        let code: Vec<&str> = lines
            .iter()
            .map(String::as_str)
            .filter(|line| !line.is_empty() && !line.starts_with(';'))
            .collect();
        assert!(!code.is_empty(), "{} on {}", goal.0, target.isa);
        let syntax = if target.isa == "x86" { ".intel_syntax noprefix\n" } else { "" };
        feed("llvm-mc-19", target.assembler, &format!("{syntax}{}\n", code.join("\n")));
    }
}

#[test]
fn assembly_of_sse2_and_avx512_assembles() {
    assembles(&SSE2);
    assembles(&AVX512);
}

#[test]
fn assembly_of_neon_assembles() {
    assembles(&NEON);
}

#[test]
fn assembly_of_hvx_assembles() {
    assembles(&HVX);
}

/// Every instruction that can be a step on a target, alone, with the overwritten operand dead or kept. With the
/// extensions, the features passed to the assembler.
fn every_step_assembles(isa: &str, targets: &[(&str, &[&str])]) {
    if !there("llvm-mc-19") {
        return;
    }
    let Some(specs) = vendor_documents::with(&[isa]).into_iter().next() else { return };
    let specs = specs.display().to_string();
    let folder = scratch();
    let syntax = if isa == "x86" { ".intel_syntax noprefix\n" } else { "" };
    for (extensions, assembler) in targets {
        let mut listed = 0;
        for kept in [false, true] {
            let mut args =
                vec!["search", "--specs", &specs, "--isa", isa, "--list-instructions", "--cache", "kept"];
            if !extensions.is_empty() {
                args.extend(["--extensions", extensions]);
            }
            if kept {
                args.push("--all");
            }
            let text = hydride(folder.path(), &args).exits(0).stdout;
            let code: Vec<&str> = text.lines().filter(|line| !line.trim_start().starts_with(';')).collect();
            feed("llvm-mc-19", assembler, &format!("{syntax}{}\n", code.join("\n")));
            listed = code.len();
        }
        assert!(listed > 100, "{listed} on {extensions}");
    }
}

#[test]
fn every_step_on_x86_assembles() {
    every_step_assembles(
        "x86",
        &[
            ("SSE4.1", &["-triple=x86_64", "-mattr=+sse4.1"]),
            ("AVX2,SHA", &["-triple=x86_64", "-mattr=+avx2,+sha"]),
            (AVX512.extensions, AVX512.assembler),
        ],
    );
}

#[test]
fn every_step_on_neon_assembles() {
    every_step_assembles("arm", &[("", NEON.assembler)]);
}

#[test]
fn every_step_on_hvx_assembles() {
    every_step_assembles("hvx", &[("", HVX.assembler)]);
}

const LLVM: &[&str] = &["llvm-as-19", "llvm-link-19", "opt-19", "llc-19"];

/// The AutoLLVM IR of each goal becomes the instructions of the sequence, in any order.
fn becomes_its_instructions(target: &Target, code: &[&str]) {
    if !LLVM.iter().all(|program| there(program)) {
        return;
    }
    let Some(specs) = vendor_documents::with(&[target.isa]).into_iter().next() else { return };
    let folder = scratch();
    let out = shared_output(&specs, ALL);
    let text = out.join(format!("llvm/lowering/{}.ll", target.isa)).display().to_string();
    // Read once: it is long.
    let definitions = folder.path().join("definitions.bc").display().to_string();
    feed("llvm-as-19", &[&text, "-o", &definitions], "");
    let (mut kept, mut total) = (0, 0);
    for goal in target.goals {
        let flags = ["--emit", "autollvm", "--out", &out.display().to_string()];
        let ir = first(&search(&specs, folder.path(), target, *goal, &flags)).join("\n");
        let program = folder.path().join("program.ll");
        std::fs::write(&program, format!("{ir}\n")).expect("a file");
        let program = program.display().to_string();
        let linked = feed("llvm-link-19", &["-S", "--only-needed", &program, &definitions], "");
        let inlined = feed("opt-19", &[&["-S", "-passes=cgscc(inline),globaldce"], code].concat(), &linked);
        let assembly = feed("llc-19", &[code, &["-O2"]].concat(), &inlined);
        // An operation unknown to LLVM is a call that remains.
        assert!(!assembly.contains("autollvm."), "{}: {assembly}", goal.0);
        let found = search(&specs, folder.path(), target, *goal, &["--emit", "json"]);
        let report: serde_json::Value = serde_json::from_str(&found).expect("JSON");
        let steps = report["solutions"][0]["steps"].as_array().expect("steps");
        assert!(!steps.is_empty(), "{found}");
        assert!(ir.matches(" call ").count() == steps.len(), "{ir}");
        for step in steps {
            let mnemonic = step["mnemonic"].as_str().expect("a mnemonic");
            total += 1;
            kept += usize::from(assembly.contains(mnemonic));
        }
        if target.isa == "x86"
            && report["solutions"][0]["outputs"].as_array().is_some_and(|list| list.len() == 1)
        {
            let c = search(&specs, folder.path(), target, *goal, &["--emit", "c"]);
            runs_like_the_intrinsics(folder.path(), &first(&c).join("\n"), &inlined);
        }
    }
    // LLVM makes its own choice among equivalent single instructions.
    crate::support::note(&format!("{}: {kept} of {total} mnemonics are in LLVM's assembly", target.isa));
    assert!(3 * kept >= 2 * total, "{}: {kept} of {total}", target.isa);
}

const DRIVER: &str = r#"
#include <stdio.h>
#include <string.h>
static unsigned long long state = 1;
static void fill(void *to, unsigned size) {
  for (unsigned i = 0; i < size; i++) {
    state = state * 6364136223846793005ull + 1442695040888963407ull;
    ((unsigned char *)to)[i] = state >> 56;
  }
}
int main(void) {
  for (int i = 0; i < 10000; i++) {
    DECLARE
    RESULT left = compiled(ARGUMENTS), right = expected(ARGUMENTS);
    if (memcmp(&left, &right, sizeof left)) return 1;
  }
  return 0;
}
"#;

/// The compiled IR gives what the intrinsics give, on 10,000 inputs.
#[track_caller]
fn runs_like_the_intrinsics(folder: &Path, c: &str, ir: &str) {
    if !there("clang-19") {
        return;
    }
    let head = c.lines().next().expect("a function");
    let (result, rest) = head.trim_start_matches("static inline ").split_once(" goal_").expect("its name");
    let (name, parameters) = rest.split_once('(').expect("its parameters");
    let parameters = parameters.trim_end_matches(") {");
    let types = parameters.split(", ").map(|one| one.rsplit_once(' ').expect("a type").0);
    let declare = |(at, ty): (usize, &str)| format!("{ty} a{at}; fill(&a{at}, sizeof a{at});");
    let declarations: Vec<String> = types.clone().enumerate().map(declare).collect();
    let arguments: Vec<String> = (0..types.count()).map(|at| format!("a{at}")).collect();
    let driver = DRIVER
        .replace("DECLARE", &declarations.join(" "))
        .replace("ARGUMENTS", &arguments.join(", "))
        .replace("RESULT", result);
    let expected = c.replace(&format!("goal_{name}("), "expected(");
    let text = format!(
        "#include <immintrin.h>\n{expected}\n{result} compiled({parameters}) __asm__(\"goal_{name}\");\n{driver}"
    );
    let path = |name: &str| folder.join(name).display().to_string();
    std::fs::write(path("driver.c"), text).expect("a file");
    std::fs::write(path("inlined.ll"), ir).expect("a file");
    let arguments = ["-O1", "-w", &path("driver.c"), &path("inlined.ll"), "-o", &path("driver")];
    feed("clang-19", &arguments, "");
    // Through the shell: another thread's child may still hold the new program open.
    feed("sh", &["-c", &format!("exec {}", path("driver"))], "");
}

#[test]
fn autollvm_ir_of_x86_becomes_its_instructions() {
    becomes_its_instructions(&SSE2, &[]);
}

#[test]
fn autollvm_ir_of_neon_becomes_its_instructions() {
    becomes_its_instructions(&NEON, &["-mtriple=aarch64"]);
}

#[test]
fn autollvm_ir_of_hvx_becomes_its_instructions() {
    becomes_its_instructions(
        &HVX,
        &["-mtriple=hexagon", "-mcpu=hexagonv66", "-mattr=+hvxv66,+hvx-length128b"],
    );
}
