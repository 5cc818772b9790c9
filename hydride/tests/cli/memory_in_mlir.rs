//! Loads and stores in the MLIR dialect: the programs of the guide, lowered by the plugin and run between pages that cannot
//! be accessed, and what targets lack.

use std::path::Path;
use std::process::Command;

use crate::lowering::{cpu_has, tools};
use crate::mlir_to_assembly::tool;
use crate::support::*;

/// The operations of the programs, so that the plugin need not have all.
const OPERATIONS: &str =
    r"autollvm\.(add|copy\.(masked_load_zero|masked_store|gather)|copy_whole\.load|deinterleave_two\.load)$";

/// Even and odd bytes apart.
const PLANES: &str = "\
func.func @planes(%from: !llvm.ptr, %even: !llvm.ptr, %odd: !llvm.ptr) {
  %r:2 = autollvm.deinterleave_two.load %from : vector<8xi8>, vector<16xi8>
  llvm.store %r#0, %even {alignment = 1 : i64} : vector<8xi8>, !llvm.ptr
  llvm.store %r#1, %odd {alignment = 1 : i64} : vector<8xi8>, !llvm.ptr
  return
}
";

/// A load of 128 bits from a pointer with an alignment.
fn load(alignment: u32) -> String {
    format!(
        "func.func @f(%a: !llvm.ptr) -> vector<2xi64> {{\n  %r = autollvm.copy_whole.load \
         alignment({alignment}) %a : vector<2xi64>\n  return %r : vector<2xi64>\n}}\n"
    )
}

#[test]
fn memory_is_loaded_and_stored() {
    let more = ["mlir-tblgen-19", "mlir-opt-19", "mlir-translate-19", "clang++-19"];
    if !tools(&programs::TOOLS)
        || !tools(&programs::MODULE_TOOLS)
        || !tools(&more)
        || !Path::new("/usr/lib/llvm-19/include/mlir/IR/OpBase.td").exists()
    {
        return;
    }
    let Some(specs) = vendor_documents::with(&["x86", "arm", "hvx"]).into_iter().next() else { return };
    if !have_asl(&specs) {
        return;
    }
    let out = shared_output(&specs, ALL);
    let out = out.to_string_lossy();
    let folder = scratch();
    let here = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/cli/guide");
    for file in ["plugin.sh", "memory.sh", "memory.c"] {
        std::fs::copy(here.join(file), folder.path().join(file)).unwrap();
    }
    let page = std::fs::read_to_string(repository().join("docs/src/memory.md")).unwrap();
    let program = page.split("```mlir\n").nth(1).and_then(|rest| rest.split("```").next()).unwrap();
    tool("sh", folder.path(), &["plugin.sh", &format!("{out}/mlir"), OPERATIONS]).expect("a shell");
    let write = |text: &str| std::fs::write(folder.path().join("memory.mlir"), text).unwrap();

    write(program);
    let llc = "-mtriple=x86_64-linux-gnu -mattr=+avx512f";
    if cpu_has(&["AVX512F"]) {
        tool("sh", folder.path(), &["memory.sh", &out, "x86", "avx512f", llc, "clang-19"]).expect("a shell");
        let assembly = std::fs::read_to_string(folder.path().join("memory.s")).unwrap();
        for instruction in ["vpgatherdd", "{%k1} {z}", ", (%rdx) {%k1}"] {
            assert!(assembly.contains(instruction), "{instruction} in\n{assembly}");
        }
    }
    write(PLANES);
    let arm = ["memory.sh", &out, "arm", "neon", "-mtriple=aarch64-linux-gnu", "aarch64-linux-gnu-gcc"];
    tool("sh", folder.path(), &[&arm[..], &["qemu-aarch64"]].concat()).expect("a shell");
    let assembly = std::fs::read_to_string(folder.path().join("memory.s")).unwrap();
    assert!(assembly.contains("ld2"), "{assembly}");

    let lowered = |text: &str, options: &str| {
        write(text);
        let pipeline = format!("--pass-pipeline=builtin.module(convert-autollvm-to-llvm{{{options}}})");
        let plugins = ["--load-dialect-plugin=./AutoLLVMPlugin.so", "--load-pass-plugin=./AutoLLVMPlugin.so"];
        let mut run = Command::new("mlir-opt-19");
        let run = run.args(plugins).args([&pipeline, "memory.mlir"]).current_dir(folder.path());
        let run = run.output().unwrap();
        let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
        (run.status.success(), text(&run.stdout) + &text(&run.stderr))
    };
    // The member that makes the most of the promise.
    for (alignment, called) in [(1, "load_arg0("), (8, "load_arg0("), (64, "load_arg0.align16(")] {
        let (is_lowered, text) = lowered(&load(alignment), "target=x86 features=sse3");
        assert!(is_lowered && text.contains(&format!("@autollvm.copy_whole.v2i64.{called}")), "{text}");
    }
    for (options, message) in [
        (
            "target=x86",
            "'autollvm.copy.masked_load_zero' op is an instruction of x86 that needs the CPU feature",
        ),
        ("target=arm", "'autollvm.copy.masked_store' op is no instruction of arm at these types"),
        ("target=hvx features=hvxv67,hvx-length128b", "there is vector<128xi8> with alignment = 128"),
        ("form=intrinsic", "op has operands in memory, for which there is no intrinsic"),
    ] {
        let (is_lowered, text) = lowered(program, options);
        assert!(!is_lowered && text.contains(message), "{options}: {text}");
    }
}
