//! The LLVM and MLIR tools accept the generated files.

use std::path::{Path, PathBuf};
use std::process::Command;

use crate::support::*;

/// Runs the first of the tools that is there; none, with a word about it, when there is none.
fn tool(names: &[&str], folder: &Path, args: &[&str]) -> Option<String> {
    for name in names {
        let Ok(output) = Command::new(name).args(args).current_dir(folder).output() else { continue };
        let errors = String::from_utf8_lossy(&output.stderr);
        assert!(output.status.success(), "{name} {args:?}:\n{errors}");
        return Some(String::from_utf8_lossy(&output.stdout).into_owned());
    }
    skip(&format!("{} is not there", names.join(" or ")));
    None
}

/// LLVM's folder of headers and TableGen files.
fn include_folder() -> Option<PathBuf> {
    let names = ["llvm-config-19", "llvm-config"];
    let folder = tool(&names, Path::new("."), &["--includedir"])?;
    Some(PathBuf::from(folder.trim()))
}

#[test]
fn llvm_reads_intrinsics_and_lowerings() {
    let Some(include) = include_folder() else { return };
    let include = include.to_string_lossy();
    for specs in document_folders_of("x86") {
        let out = shared_output(&specs, "x86");
        let operations = functions(&out.join("autollvm/forms.hir"));
        let tblgen = |action: &[&str], file: &str| {
            let args = [&["-I", &*include][..], action, &[file]].concat();
            tool(&["llvm-tblgen-19", "llvm-tblgen"], &out, &args)
        };
        let prefix = "--intrinsic-prefix=autollvm";
        let Some(enums) = tblgen(&["-gen-intrinsic-enums", prefix], "llvm/IntrinsicsAutoLLVM.td") else {
            return;
        };
        let source = std::fs::read_to_string(out.join("llvm/IntrinsicsAutoLLVM.td")).unwrap();
        let text = tblgen(&["-gen-intrinsic-impl", prefix], "llvm/IntrinsicsAutoLLVM.td").unwrap();
        let mut left_out = 0;
        for name in operations.keys() {
            if source.contains(&format!("Left out: operation `{name}`: ")) {
                left_out += 1;
                continue;
            }
            assert!(enums.contains(&format!("// llvm.autollvm.{name}\n")), "{name} has no number");
            assert!(text.contains(&format!("\"llvm.autollvm.{name}\"")), "{name} has no text");
        }
        // LLVM has room for 31 overloaded types.
        assert!(left_out * 40 <= operations.len(), "{left_out} of {} left out", operations.len());
        let tables = tblgen(&["-gen-searchable-tables"], "llvm/AutoLLVMLowering.td").unwrap();
        let classes = read_json(&out.join("classes.json"));
        for class in classes.as_array().unwrap() {
            for member in class["members"].as_array().unwrap() {
                if source.contains(&format!("Left out: operation `{}`: ", member["form"].as_str().unwrap())) {
                    continue;
                }
                let name = member["id"].as_str().unwrap().split('@').next().unwrap();
                assert!(tables.contains(&format!("\"{name}\"")), "{name} is in no lowering");
            }
        }
    }
}

#[test]
fn mlir_reads_the_dialect() {
    for specs in document_folders_of("x86") {
        let folder = scratch();
        let out = shared_output(&specs, "x86");
        let operations = functions(&out.join("autollvm/forms.hir"));
        if let Some(include) = include_folder() {
            let include = include.to_string_lossy();
            let tblgen = |action| {
                let args = ["-I", &include, "-I", "mlir", action, "mlir/AutoLLVMOps.td"];
                tool(&["mlir-tblgen-19", "mlir-tblgen"], &out, &args)
            };
            if let (Some(_), Some(text)) = (tblgen("-gen-op-defs"), tblgen("-gen-op-decls")) {
                for name in operations.keys() {
                    assert!(text.contains(&format!("\"autollvm.{name}\"")), "{name} has no definition");
                }
            }
        }
        std::fs::write(folder.path().join("empty.mlir"), "module {}\n").unwrap();
        let irdl = format!("--irdl-file={}", out.join("mlir/autollvm.irdl.mlir").display());
        tool(&["mlir-opt-19", "mlir-opt"], folder.path(), &[&irdl, "empty.mlir"]);
    }
}
