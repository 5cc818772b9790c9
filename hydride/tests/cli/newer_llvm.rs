//! The files for a newer LLVM under its own tools: a clang of LLVM 22 and an `mlir-opt` of MLIR's head, which `cargo
//! xtask test` brings.

use std::path::{Path, PathBuf};
use std::process::Command;

use crate::lowering::{number, same_data, tools};
use crate::support::*;

/// A tool below `target/`, and whether it is there; says so when it is not.
fn brought(tool: &str) -> Option<PathBuf> {
    let path = repository().join("target").join(tool);
    if path.is_file() {
        return Some(path);
    }
    skip(&format!("no target/{tool} (`cargo xtask test` brings it)"));
    None
}

/// The files for LLVM 22 in a folder.
fn generate_22(specs: &Path, folder: &Path) -> PathBuf {
    let specs = specs.to_string_lossy();
    hydride(folder, &["generate-ir", "--specs", &specs, "--llvm", "22", "--emit", "llvm,mlir"]).exits(0);
    folder.join("out")
}

/// The part of the members, in percent, that the newer LLVM compiles to their instruction.
const OWN: [(&str, f64); 3] = [("x86", 91.0), ("arm", 94.0), ("hvx", 74.0)];

#[test]
fn the_files_for_22_work() {
    let isas: Vec<&str> = OWN.iter().map(|(isa, _)| *isa).collect();
    let Some(specs) = vendor_documents::with(&isas).into_iter().next() else { return };
    let folder = scratch();
    let (clang, mlir_opt) = (brought("llvm-22/bin/clang"), brought("mlir-24/bin/mlir-opt"));
    if clang.is_none() && mlir_opt.is_none() {
        return;
    }
    let out = generate_22(&specs, folder.path());
    retired_intrinsics_are_listed(&out);
    if let Some(clang) = clang
        && tools(&programs::TOOLS)
    {
        definitions_are_the_instructions(&specs, folder.path(), &clang);
    }
    if let Some(mlir_opt) = mlir_opt {
        the_dialect_is_loaded(&out.join("mlir"), &mlir_opt);
        for isa in isas {
            patterns_lower_every_operation(&out.join("mlir"), isa, folder.path(), &mlir_opt);
        }
    }
}

/// MMX's intrinsics lost their type; Neon's reductions are still there, but clang has target-independent ones.
fn retired_intrinsics_are_listed(out: &Path) {
    let file = read_json(&out.join("llvm/lowering/retired.json"));
    let row = |name: &str| {
        let rows = file["retired"].as_array().unwrap();
        rows.iter()
            .find(|row| row["intrinsic"] == name)
            .unwrap_or_else(|| panic!("{name} is missing"))
            .clone()
    };
    let (add, reduction) = (row("llvm.x86.mmx.padd.b"), row("llvm.aarch64.neon.saddv.i32.v16i8"));
    assert_eq!(add["kept"], false, "{add}");
    assert!(add["members"].as_array().unwrap().contains(&"_mm_add_pi8".into()), "{add}");
    assert_eq!(reduction["kept"], true, "{reduction}");
    assert_eq!(reduction["instead"][0], "llvm.vector.reduce.add.v16i8");
    assert_eq!((&reduction["last"], &reduction["next"]), (&19.into(), &22.into()));
}

/// Compiles the definitions of all instruction sets, and runs them; the many of x86, which take as long to build as all
/// others, in full only.
fn definitions_are_the_instructions(specs: &Path, folder: &Path, clang: &Path) {
    let inputs = if is_full() { "100" } else { "10" };
    let (specs, clang) = (specs.to_string_lossy(), clang.to_string_lossy());
    for (isa, least) in OWN {
        let runs = is_full() || isa != "x86";
        let args =
            ["check-lowering", "--specs", &specs, "--compiler", &clang, "--isa", isa, "--work", "work"];
        let extent: &[&str] = if runs { &["--inputs", inputs] } else { &[] };
        let lines = hydride(folder, &[&args[..], extent].concat()).exits(0).stdout;
        println!("{lines}");
        assert!(number(&lines, " %; ") >= least, "{lines}");
        assert_eq!(number(&lines, " are refused"), 0.0, "{lines}");
        assert!(!runs || number(&lines, " definitions agree") > 300.0, "{lines}");
    }
}

fn run(tool: &Path, args: &[&str]) -> (bool, String) {
    let output = Command::new(tool).args(args).output().expect("the tool starts");
    (output.status.success(), String::from_utf8_lossy(&output.stderr).into_owned())
}

/// Every operation at all types is accepted, and a type that no instruction has is not.
fn the_dialect_is_loaded(mlir: &Path, mlir_opt: &Path) {
    let file = |name: &str| mlir.join(name).to_string_lossy().into_owned();
    let dialect = format!("--irdl-file={}", file("autollvm.irdl.mlir"));
    let accepted = |program: &str| run(mlir_opt, &[&dialect, program, "-o", "/dev/null"]);
    let (done, messages) = accepted(&file("instances.mlir"));
    assert!(done && messages.is_empty(), "{messages}");
    let wrong = mlir.join("wrong.mlir");
    let text = std::fs::read_to_string(mlir.join("instances.mlir")).unwrap();
    let function = text.split("func.func ").find(|function| function.contains("\"autollvm.abs\"")).unwrap();
    let ty = function.split("(%a: ").nth(1).unwrap().split(')').next().unwrap();
    std::fs::write(&wrong, format!("func.func {}", function.replace(ty, "vector<3xi7>"))).unwrap();
    let (done, messages) = accepted(&wrong.to_string_lossy());
    assert!(!done && messages.contains("autollvm.abs"), "{messages}");
}

/// The patterns that `lower.sh -t` uses leave no operation of the dialect, and what they make is valid.
fn patterns_lower_every_operation(mlir: &Path, isa: &str, folder: &Path, mlir_opt: &Path) {
    let read = |name: &str| std::fs::read_to_string(mlir.join(name)).unwrap();
    let calls = read("autollvm.patterns.mlir");
    let calls = calls.trim_end().strip_suffix('}').unwrap();
    let (patterns, program, lowered) = (
        folder.join(format!("patterns-{isa}.mlir")),
        folder.join("program.mlir"),
        folder.join(format!("lowered-{isa}.mlir")),
    );
    std::fs::write(&patterns, format!("{calls}{}}}\n", read(&format!("lowering/{isa}.mlir")))).unwrap();
    let module = "module attributes {llvm.data_layout = \"\"} {";
    let functions = [read("autollvm.functions.mlir"), read("instances.mlir")].concat();
    std::fs::write(&program, format!("{module}\n{functions}}}\n")).unwrap();
    let dialect = format!("--irdl-file={}", mlir.join("autollvm.irdl.mlir").display());
    let pass = format!(
        "--pass-pipeline=builtin.module(iree-preprocessing-apply-pdl-patterns{{patterns-file={}}},symbol-dce)",
        patterns.display()
    );
    let [program, output] = [&program, &lowered].map(|path| path.to_string_lossy());
    let (done, messages) = run(mlir_opt, &[&dialect, &pass, &program, "-o", &output]);
    assert!(done, "{isa}: {}", messages.lines().take(5).collect::<Vec<_>>().join("\n"));
    let text = std::fs::read_to_string(&lowered).unwrap();
    let left = text.lines().find(|line| line.contains("\"autollvm.") && line.contains(" = "));
    assert_eq!(left, None, "{isa}: not lowered");
    assert!(text.matches("llvm.call_intrinsic").count() > 100, "{isa}: no target's intrinsics");
}

#[test]
fn the_data_for_22_is_what_its_compiler_says() {
    let Some(clang) = brought("llvm-22/bin/clang") else { return };
    same_data(22, &["--compiler", &clang.to_string_lossy()]);
}
