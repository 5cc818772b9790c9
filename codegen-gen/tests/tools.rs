//! Generated files under LLVM's and MLIR's own tools. A tool that is missing is reported on stderr and
//! its test passes without having tested anything.

#[path = "../../autoir/tests/samples/mod.rs"]
mod samples;

use std::fs;
use std::io::Write;
use std::path::Path;
use std::process::{Command, Output};

use autoir::{Dialect, Lock};
use codegen_gen::{Options, generate};
use tempfile::TempDir;

/// The generated files in a folder of their own.
fn generated() -> TempDir {
    let (dialect, _) = Dialect::build(samples::classes(), Lock::default()).unwrap();
    let folder = tempfile::tempdir().unwrap();
    for file in generate(&dialect, &Options::default()).unwrap() {
        let path = folder.path().join(file.path);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, file.contents).unwrap();
    }
    folder
}

/// Says so past the test harness, which keeps what `eprintln!` prints.
fn skip(what: &str) {
    let _ = writeln!(std::io::stderr(), "SKIPPED: {what} is not installed");
}

fn run(tool: &str, folder: &Path, args: &[&str]) -> Option<Output> {
    match Command::new(tool).current_dir(folder).args(args).output() {
        Ok(output) => Some(output),
        Err(_) => {
            skip(tool);
            None
        }
    }
}

/// What the tool prints; `None` when it is not there.
fn succeed(tool: &str, folder: &Path, args: &[&str]) -> Option<String> {
    let output = run(tool, folder, args)?;
    let errors = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success() && errors.is_empty(), "{tool} {args:?}: {errors}");
    Some(String::from_utf8_lossy(&output.stdout).into_owned())
}

fn include_dir() -> Option<String> {
    let text = succeed("llvm-config-19", Path::new("."), &["--includedir"])?;
    Some(text.trim().to_owned())
}

#[test]
fn llvm_tblgen_reads_the_intrinsics() {
    let folder = generated();
    let Some(include) = include_dir() else { return };
    let tblgen = |action: &str| {
        let args = ["-I", &include, action, "--intrinsic-prefix=autollvm", "llvm/IntrinsicsAutoLLVM.td"];
        succeed("llvm-tblgen-19", folder.path(), &args)
    };
    let Some(enums) = tblgen("-gen-intrinsic-enums") else { return };
    // Inside an LLVM tree: among all of LLVM's own intrinsics.
    let tree = "include \"llvm/IR/Intrinsics.td\"\ninclude \"llvm/IntrinsicsAutoLLVM.td\"\n";
    fs::write(folder.path().join("tree.td"), tree).unwrap();
    let macros = ["-D", "AUTOLLVM_IN_TREE", "-I", &include, "-I", "."];
    let args = [&macros[..], &["-gen-intrinsic-enums", "--intrinsic-prefix=autollvm", "tree.td"]].concat();
    let in_tree = succeed("llvm-tblgen-19", folder.path(), &args).unwrap();
    for name in ["add", "add_sat", "dot_add", "widen_mul", "compare_lt", "extract", "op_12099999"] {
        let comment = format!("// llvm.autollvm.{name}\n");
        assert!(enums.contains(&comment) && in_tree.contains(&comment), "{name}");
    }
    let implementation = tblgen("-gen-intrinsic-impl").unwrap();
    assert!(implementation.contains("\"llvm.autollvm.dot_add\""));
}

/// The path of a C++ program that uses generated files.
fn program(name: &str) -> String {
    format!("{}/tests/cpp/{name}", env!("CARGO_MANIFEST_DIR"))
}

#[test]
fn lowering_tables_answer_from_cpp() {
    let folder = generated();
    let Some(include) = include_dir() else { return };
    let args = ["-I", &include, "-gen-searchable-tables", "llvm/AutoLLVMLowering.td"];
    let Some(tables) = succeed("llvm-tblgen-19", folder.path(), &args) else { return };
    fs::write(folder.path().join("AutoLLVMLowering.inc"), tables).unwrap();
    let libraries = succeed("llvm-config-19", folder.path(), &["--libdir"]).unwrap();
    let libraries = format!("-L{}", libraries.trim());
    let source = program("lowering.cpp");
    let args = ["-std=c++17", "-I", &include, "-I", ".", &source, &libraries, "-lLLVM-19", "-o", "lowering"];
    if succeed("clang++-19", folder.path(), &args).is_none() {
        return;
    }
    let executable = folder.path().join("lowering");
    let answers = succeed(executable.to_str().unwrap(), folder.path(), &[]).unwrap();
    let expected = "adds8_mask 3,2 1 0\nno unmasked form\nlt16\nlt8\nllvm.autollvm.op_12099999.i32.i8()\n";
    assert_eq!(answers, expected);
}

#[test]
fn mlir_operations_compile() {
    let folder = generated();
    let Some(include) = include_dir() else { return };
    if !Path::new(&include).join("mlir/IR/OpBase.td").exists() {
        return skip("mlir/IR/OpBase.td");
    }
    for (action, made) in [
        ("-gen-op-decls", "AutoLLVMOps.h.inc"),
        ("-gen-op-defs", "AutoLLVMOps.cpp.inc"),
        ("-gen-dialect-decls", "AutoLLVMDialect.h.inc"),
        ("-gen-dialect-defs", "AutoLLVMDialect.cpp.inc"),
        ("-gen-op-doc", "AutoLLVM.md"),
    ] {
        let mut args = vec!["-I", &include, action, "mlir/AutoLLVMOps.td"];
        if action.contains("dialect") {
            args.push("-dialect=autollvm");
        }
        let Some(text) = succeed("mlir-tblgen-19", folder.path(), &args) else { return };
        fs::write(folder.path().join(made), text).unwrap();
    }
    let source = program("dialect.cpp");
    let args = ["-std=c++17", "-fno-rtti", "-fsyntax-only", "-I", &include, "-I", ".", &source];
    succeed("clang++-19", folder.path(), &args);
}

#[test]
fn mlir_opt_loads_the_irdl_dialect() {
    let folder = generated();
    let program = "\
func.func @f(%a: vector<4xi32>, %b: vector<16xi8>) -> vector<4xi32> {
  %0 = \"autollvm.dot_add\"(%a, %b, %b) {group = 4 : i32, lane_width = 32 : i32, lanes = 4 : i32,
    narrow = 8 : i32, a_signed = false, b_signed = true}
    : (vector<4xi32>, vector<16xi8>, vector<16xi8>) -> vector<4xi32>
  return %0 : vector<4xi32>
}
";
    let args = ["--irdl-file=mlir/autollvm.irdl.mlir", "program.mlir"];
    fs::write(folder.path().join("program.mlir"), program).unwrap();
    if succeed("mlir-opt-19", folder.path(), &args).is_none() {
        return;
    }
    // A parameter value and a type that no member has.
    for (from, to) in [("group = 4", "group = 3"), ("vector<16xi8>", "vector<17xi8>")] {
        fs::write(folder.path().join("program.mlir"), program.replace(from, to)).unwrap();
        let output = run("mlir-opt-19", folder.path(), &args).unwrap();
        assert!(!output.status.success(), "{to} was accepted");
    }
}
