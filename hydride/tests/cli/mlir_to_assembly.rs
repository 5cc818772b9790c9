//! From a program in the MLIR dialect to assembly with stock tools: the generated tests under lit, and every
//! operation that an instruction set defines through `mlir/lower.sh`, llvm-link, opt and llc.

use std::collections::BTreeSet;
use std::path::Path;
use std::process::{Command, Stdio};

use crate::support::*;
use serde_json::Value;

const LIT: &str = "/usr/lib/llvm-19/build/utils/lit/lit.py";

/// What a tool prints; `None`, with a word about it, when it is not there.
pub fn tool(name: &str, folder: &Path, args: &[&str]) -> Option<String> {
    let Ok(output) = Command::new(name).args(args).current_dir(folder).stdin(Stdio::null()).output() else {
        skip(&format!("{name} is not there"));
        return None;
    };
    let errors = String::from_utf8_lossy(&output.stderr);
    let said = String::from_utf8_lossy(&output.stdout).into_owned();
    assert!(output.status.success(), "{name} {args:?}:\n{errors}{said}");
    Some(said)
}

#[test]
fn stock_tools_read_and_lower_every_operation() {
    if !Path::new(LIT).exists() || tool("mlir-opt-19", Path::new("."), &["--version"]).is_none() {
        return skip(&format!("{LIT} or mlir-opt-19 is not there"));
    }
    for specs in documents_to_compile() {
        let folder = scratch();
        generate(&specs, folder.path(), &["--emit", "mlir"]);
        let args = [LIT, "-v", "-Dwork=lit-work", "out/mlir/test"];
        let Some(text) = tool("python3", folder.path(), &args) else { return };
        let passed: Vec<&str> = text.lines().filter(|line| line.starts_with("PASS:")).collect();
        // irdl, invalid-irdl and stock; the others need the dialect to be built.
        assert_eq!(passed.len(), 3, "{text}");
    }
}

#[test]
fn a_program_reaches_assembly() {
    for specs in documents_to_compile() {
        let folder = scratch();
        let out = generate(&specs, folder.path(), &["--emit", "dialect,llvm,mlir"]);
        let Some(_) = tool("mlir-opt-19", folder.path(), &["--version"]) else { return };
        let Some(_) = tool("llc-19", folder.path(), &["--version"]) else { return };
        // The program uses each operation once.
        let called = tool("sh", folder.path(), &["out/mlir/lower.sh", "out/mlir/test/stock.mlir"]).unwrap();
        let declared = symbols(&called, "declare ");
        let accesses = [".load_", ".store_", ".gather_", ".scatter_"];
        let in_memory = |name: &&String| accesses.iter().any(|access| name.contains(access));
        let on_values = declared.len() - declared.iter().filter(in_memory).count();
        assert_eq!(on_values, functions(&out.join("autollvm/forms.hir")).len());
        let table = read_json(&out.join("llvm/lowering.json"));
        let rows = table["lowerings"].as_array().unwrap();
        let defined: BTreeSet<String> =
            rows.iter().filter_map(|row| row["operation"]["name"].as_str()).map(str::to_owned).collect();

        std::fs::write(folder.path().join("program.ll"), called).unwrap();
        let args = ["--only-needed", "program.ll", "out/llvm/lowering/x86.ll", "-S", "-o", "linked.ll"];
        tool("llvm-link-19", folder.path(), &args).unwrap();
        let features = "-mattr=+avxvnniint8,+avxvnniint16,+avxifma,+sha512,+sm3,+sm4,+avx512vp2intersect,+raoint,+avxneconvert";
        let machine = ["-mtriple=x86_64-linux-gnu", "-mcpu=sapphirerapids", features];
        let args = [&machine[..], &["-passes=cgscc(inline),globaldce", "-S", "linked.ll"]].concat();
        let inlined = tool("opt-19", folder.path(), &args).unwrap();
        // What the instruction set does not define is still a declaration, and nothing else is.
        let left = symbols(&inlined, "declare ");
        let expected: BTreeSet<String> = declared.difference(&defined).cloned().collect();
        assert_eq!(left, expected);
        assert!(left.len() * 4 < declared.len(), "{} of {} have no definition", left.len(), declared.len());
        let kept = symbols(&inlined, "define ");
        assert!(kept.is_empty(), "every definition is gone where it was called: {kept:?}");
        std::fs::write(folder.path().join("inlined.ll"), inlined).unwrap();
        let args = [&machine[..], &["inlined.ll", "-o", "-"]].concat();
        let assembly = tool("llc-19", folder.path(), &args).unwrap();
        let (mut right, mut wrong) = (0, Vec::new());
        for row in
            rows.iter().filter(|row| declared.contains(row["operation"]["name"].as_str().unwrap_or("")))
        {
            // Its function has the name of the operation in MLIR.
            let used = row["mlir"].as_str().unwrap().split(' ').next().unwrap();
            let op = used.trim_start_matches("autollvm.");
            let code = assembly.split(&format!("\n{op}:")).nth(1).expect("each operation has code");
            let code = code.split(".cfi_endproc").next().unwrap();
            let used = |instruction: &Value| {
                let instruction = instruction.as_str().unwrap().to_lowercase();
                code.split_whitespace()
                    .any(|word| word.trim_start_matches('v').starts_with(instruction.trim_start_matches('v')))
            };
            if row["mnemonics"].as_array().unwrap().iter().any(used) {
                right += 1;
            } else {
                wrong.push(row["id"].as_str().unwrap());
            }
        }
        // Sequences and moves between domains are among the others; which ones there are is another test's matter.
        assert!(wrong.len() * 2 < right, "{right} have their instruction, these have not: {wrong:?}");
    }
}

/// What `lower.sh` cannot lower it names by the line of the user's file, with what there is.
#[test]
fn what_no_instruction_is_is_named() {
    let folder = scratch();
    let Some(_) = tool("mlir-opt-19", folder.path(), &["--version"]) else { return };
    let out = shared_output(&samples(), ALL);
    let instances = std::fs::read_to_string(out.join("mlir/instances.mlir")).unwrap();
    // A function that takes an immediate, and one of `abs`.
    let function = |text: &str| {
        let start = instances.find(text).expect("an instance");
        let start = instances[..start].rfind("func.func").unwrap();
        instances[start..].lines().take(4).collect::<Vec<_>>().join("\n")
    };
    let lowered = |text: &str| {
        std::fs::write(folder.path().join("program.mlir"), text).unwrap();
        let script = out.join("mlir/lower.sh");
        let run =
            Command::new("sh").arg(script).arg("program.mlir").current_dir(folder.path()).output().unwrap();
        (run.status.code(), String::from_utf8_lossy(&run.stderr).into_owned())
    };
    let abs = function("\"autollvm.abs\"(");
    assert_eq!(lowered(&abs), (Some(0), String::new()));
    let shape = abs.split_once(": vector<").unwrap().1.split_once('>').unwrap().0;
    let (code, errors) = lowered(&abs.replace(shape, "7xi8"));
    assert_eq!(code, Some(1), "{errors}");
    assert!(errors.contains("program.mlir:2:10: error: no instruction is \"autollvm.abs\""), "{errors}");
    assert!(errors.contains(&format!("(vector<{shape}>) -> vector<{shape}>")), "{errors}");
    let (code, errors) = lowered(&abs.replace("\"autollvm.abs\"", "\"autollvm.absent\""));
    assert_eq!(code, Some(1), "{errors}");
    assert!(errors.contains("note: there is no operation autollvm.absent"), "{errors}");
    let extract = function("\"autollvm.concat_extract_immediate\"(");
    let (before, after) = extract.split_once("count = ").expect("a count");
    let rest = after.trim_start_matches(|c: char| c.is_ascii_digit());
    let (code, errors) = lowered(&format!("{before}count = 999{rest}"));
    assert_eq!(code, Some(1), "{errors}");
    assert!(errors.contains("program.mlir:2:10: error: '999 : i32' does not satisfy"), "{errors}");
}

/// Flags of lanes choose between lanes, as computed by running the program: definitions that gave a mask's whole
/// register where the program takes a flag for each lane made other lanes of it, or a crash.
#[test]
fn lane_flags_reach_a_select() {
    if !crate::lowering::cpu_has(&["AVX512VL", "AVX512BW"]) {
        return;
    }
    let mut ran = 0;
    for specs in document_folders() {
        let folder = scratch();
        let Some(_) = tool("lli-19", folder.path(), &["--version"]) else { return };
        let Some(_) = tool("mlir-opt-19", folder.path(), &["--version"]) else { return };
        ran += run_selects(folder.path(), &shared_output(&specs, ALL));
    }
    assert!(ran > 0, "the samples have one of the operations");
}

/// Runs the programs whose operation an output folder has; returns how many these are.
fn run_selects(folder: &Path, out: &Path) -> usize {
    let path = |name: &str| out.join(name).display().to_string();
    let (script, definitions) = (path("mlir/lower.sh"), path("llvm/lowering/x86.ll"));
    let defined = std::fs::read_to_string(&definitions).unwrap();
    let mut ran = 0;
    for (symbol, operation, flags, [a, b, expected]) in SELECTS {
        if !defined.contains(&format!(" @{symbol}(")) {
            continue;
        }
        let ty = flags.replace('<', "vector<").replace(" x ", "x");
        let (count, _) = flags[1..].split_once(' ').unwrap();
        let lanes = flags.replace("i1", if count == "4" { "i32" } else { "i8" });
        let vector = lanes.replace('<', "vector<").replace(" x ", "x");
        let program = format!(
            "func.func @f(%a: {vector}, %b: {vector}) -> {vector} {{\n  {operation}\n  \
             %r = llvm.select %m, %a, %b : {ty}, {vector}\n  return %r : {vector}\n}}\n"
        );
        let list = |numbers: &[i32]| {
            let ty = &lanes[lanes.find('i').unwrap()..lanes.len() - 1];
            let lanes: Vec<String> = numbers.iter().map(|number| format!("{ty} {number}")).collect();
            format!("<{}>", lanes.join(", "))
        };
        // The program's code is the number of lanes that are not as expected.
        let main = format!(
            "declare {lanes} @f({lanes}, {lanes})\n\
             define i32 @main() {{\n  %r = call {lanes} @f({lanes} {}, {lanes} {})\n  \
             %wrong = icmp ne {lanes} %r, {}\n  %numbers = zext {flags} %wrong to <{count} x i32>\n  \
             %code = call i32 @llvm.vector.reduce.add.v{count}i32(<{count} x i32> %numbers)\n  \
             ret i32 %code\n}}\n",
            list(a),
            list(b),
            list(expected)
        );
        std::fs::write(folder.join("select.mlir"), program).unwrap();
        std::fs::write(folder.join("main.ll"), main).unwrap();
        let lowered = tool("sh", folder, &[&script, "select.mlir"]).unwrap();
        assert!(lowered.contains(&format!("@{symbol}(")), "{lowered}");
        std::fs::write(folder.join("select.ll"), lowered).unwrap();
        let args = ["main.ll", "select.ll", &definitions, "-S", "-o", "linked.ll"];
        tool("llvm-link-19", folder, &[&["--only-needed"], &args[..]].concat()).unwrap();
        let machine = ["-mtriple=x86_64-linux-gnu", "-mattr=+avx512vl,+avx512bw"];
        let args = ["-passes=cgscc(inline),globaldce", "-S", "linked.ll", "-o", "inlined.ll"];
        tool("opt-19", folder, &[&machine[..], &args].concat()).unwrap();
        tool("lli-19", folder, &["inlined.ll"]).unwrap();
        ran += 1;
    }
    ran
}

/// An operation that gives flags, and a program's line with it; the type of the flags; two vectors between which the
/// flags choose, and what is chosen.
type Select = (&'static str, &'static str, &'static str, [&'static [i32]; 3]);

/// Sixteen bytes, of which the negative ones are chosen before zero.
const SIGNS: [&[i32]; 3] = [
    &[-1, 2, -3, 4, 5, 6, 7, 8, -9, 10, 11, 12, 13, -14, 15, -16],
    &[0; 16],
    &[-1, 0, -3, 0, 0, 0, 0, 0, -9, 0, 0, 0, 0, -14, 0, -16],
];

const SELECTS: &[Select] = &[
    (
        "autollvm.compare_le.v4i1.v4i32.1",
        "%m = \"autollvm.compare_le\"(%a, %b) {is_signed = true} : (vector<4xi32>, vector<4xi32>) -> vector<4xi1>",
        "<4 x i1>",
        [&[1, 20, 3, 40], &[10, 2, 30, 4], &[1, 2, 3, 4]],
    ),
    (
        "autollvm.sign_bits.v16i8",
        "%m = \"autollvm.sign_bits\"(%a) : (vector<16xi8>) -> vector<16xi1>",
        "<16 x i1>",
        SIGNS,
    ),
];

/// Both ways of `lower.sh` to a target give the same code: operations of the LLVM dialect, and the definitions.
#[test]
fn target_patterns_are_the_definitions() {
    for specs in documents_to_compile() {
        let folder = scratch();
        let out = generate(&specs, folder.path(), &["--emit", "dialect,llvm,mlir"]);
        let patterns = std::fs::read_to_string(out.join("mlir/lowering/x86.mlir")).unwrap();
        assert!(patterns.contains("\"llvm.call_intrinsic\""), "no target intrinsic");
        let Some(_) = tool("mlir-opt-19", folder.path(), &["--version"]) else { return };
        let Some(_) = tool("llc-19", folder.path(), &["--version"]) else { return };
        let script = ["out/mlir/lower.sh", "-t", "x86", "out/mlir/test/stock.mlir"];
        let direct = tool("sh", folder.path(), &script).unwrap();
        let called = tool("sh", folder.path(), &[script[0], script[3]]).unwrap();
        let calls = |text: &str| {
            text.lines().filter(|line| line.contains("call ") && line.contains("@autollvm.")).count()
        };
        let (left, all) = (calls(&direct), calls(&called));
        assert!(left < all, "all {all} calls are left");
        let code = |text: String, name: &str| {
            let (program, linked) = (format!("{name}.ll"), format!("{name}.linked.ll"));
            std::fs::write(folder.path().join(&program), text).unwrap();
            let args = ["--only-needed", &program, "out/llvm/lowering/x86.ll", "-S", "-o", &linked];
            tool("llvm-link-19", folder.path(), &args).unwrap();
            // What inlining leaves behind is cleaned up.
            let passes = "-passes=cgscc(inline),globaldce,function(instcombine<no-verify-fixpoint>,early-cse,instcombine<no-verify-fixpoint>)";
            let inlined = format!("{name}.inlined.ll");
            let features = "-mattr=+avxvnniint8,+avxvnniint16,+avxifma,+sha512,+sm3,+sm4,+avx512vp2intersect,+raoint,+avxneconvert";
            let machine = ["-mtriple=x86_64-linux-gnu", "-mcpu=sapphirerapids", features];
            let args = [&machine[..], &[passes, "-S", &linked, "-o", &inlined]].concat();
            tool("opt-19", folder.path(), &args).unwrap();
            tool("llc-19", folder.path(), &[&machine[..], &[&inlined, "-o", "-"]].concat()).unwrap()
        };
        assert!(code(direct, "direct") == code(called, "called"), "the two ways differ");
    }
}

/// The functions `@autollvm.…` of lines that begin with a word.
fn symbols(text: &str, word: &str) -> BTreeSet<String> {
    let lines = text.lines().filter(|line| line.starts_with(word));
    let names =
        lines.filter_map(|line| line.split_once("@autollvm.").and_then(|(_, rest)| rest.split_once('(')));
    names.map(|(name, _)| format!("autollvm.{name}")).collect()
}

/// The program of the guide, by the dialect's own assembly and pass: what it computes, and to which instructions it is
/// compiled.
#[test]
fn the_program_of_the_guide_runs() {
    let page = std::fs::read_to_string(repository().join("docs/src/operations.md")).unwrap();
    let program = page.split("```mlir\n").nth(1).and_then(|rest| rest.split("```").next()).unwrap();
    let folder = scratch();
    generate(&samples(), folder.path(), &[]);
    std::fs::write(folder.path().join("filters.mlir"), program).unwrap();
    let here = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/cli/guide");
    for file in ["filters.c", "filters.ll", "build.sh", "plugin.sh"] {
        std::fs::copy(here.join(file), folder.path().join(file)).unwrap();
    }
    for needed in ["mlir-tblgen-19", "mlir-translate-19", "clang++-19", "llvm-link-19", "llc-19"] {
        let Some(_) = tool(needed, folder.path(), &["--version"]) else { return };
    }
    if !Path::new("/usr/lib/llvm-19/include/mlir/IR/OpBase.td").exists() {
        return skip("mlir/IR/OpBase.td of LLVM 19 is not there");
    }
    let said = tool("sh", folder.path(), &["build.sh"]).unwrap();
    assert_eq!(said, "10000 inputs agree\n");
    let assembly = std::fs::read_to_string(folder.path().join("x86.s")).unwrap();
    let count = |mnemonic: &str| {
        assembly.lines().filter(|line| line.split_whitespace().next() == Some(mnemonic)).count()
    };
    let used = ["pmaddubsw", "pmulhrsw", "packuswb", "paddusb", "pavgb", "punpcklbw", "punpckhbw"].map(count);
    assert_eq!(used, [4, 4, 2, 1, 1, 1, 1], "{assembly}");
}
