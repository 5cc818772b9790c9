//! The guide's programs for 512 bits on targets that have other registers: expressed by what each has, compiled and run.

use std::path::{Path, PathBuf};

use crate::lowering::{cpu_has, tools};
use crate::mlir_to_assembly::tool;
use crate::support::programs::{self, Target};
use crate::support::*;

/// A way to compile and run the program.
struct Processor {
    name: &'static str,
    target: &'static str,
    /// CPU features in LLVM's spelling.
    features: &'static str,
    /// What a CPU without emulator must have, by the document's names.
    needs: &'static [&'static str],
    /// Options of llc.
    llc: &'static str,
    /// Functions that are called, with the number of calls.
    calls: &'static [(&'static str, usize)],
}

const PROCESSORS: &[Processor] = &[
    Processor {
        name: "avx2",
        target: "x86",
        features: "avx2",
        needs: &["AVX2"],
        llc: "-mtriple=x86_64-linux-gnu -mattr=+avx2",
        calls: &[
            ("add_sat.v32i8.1", 2),
            ("portable.compare_lt.v64i1.v64i8.0", 1),
            ("portable.leading_zeros.v16i32", 1),
        ],
    },
    Processor {
        name: "avx512",
        target: "x86",
        features: "avx512bw,avx512vnni,avx512cd",
        needs: &["AVX512BW", "AVX512_VNNI", "AVX512CD"],
        llc: "-mtriple=x86_64-linux-gnu -mattr=+avx512bw,+avx512vnni,+avx512cd",
        calls: &[("add_sat.v64i8.1", 1), ("compare_lt.v64i1.v64i8.0", 1), ("leading_zeros.v16i32", 1)],
    },
    Processor {
        name: "neon",
        target: "arm",
        features: "neon",
        needs: &[],
        llc: "-mtriple=aarch64-linux-gnu",
        calls: &[("add_sat.v16i8.1", 4), ("leading_zeros.v4i32", 4)],
    },
    Processor {
        name: "hvx",
        target: "hvx",
        features: "hvxv67,hvx-length128b",
        needs: &[],
        llc: "-mtriple=hexagon-unknown-linux-musl -mcpu=hexagonv67 -mattr=+hvxv67,+hvx-length128b",
        calls: &[("add_sat.v128i8.1", 1), ("compare_lt.v128i1.v128i8.0", 1), ("leading_zeros.v32i32", 1)],
    },
];

/// The operations of the program, so that the plugin need not have all.
const OPERATIONS: &str =
    r"autollvm\.(add_halving_round|add_sat|compare_lt|dot_product_quads_add|leading_zeros|max)$";

/// The outputs of all instruction sets, if LLVM's tools, `more` of them, a header of LLVM 19's and the emulators are there.
fn output(more: &[&str], header: &str) -> Option<PathBuf> {
    if !tools(&programs::TOOLS) || !tools(&programs::MODULE_TOOLS) || !tools(more) {
        return None;
    }
    if !Path::new("/usr/lib/llvm-19/include").join(header).exists() {
        skip(&format!("{header} of LLVM 19 is not there"));
        return None;
    }
    let specs = vendor_documents::with(&["x86", "arm", "hvx"]).into_iter().next()?;
    Some(shared_output(&specs, ALL))
}

/// Copies the guide's program, the first block of a language and page that is about 512 bits, and what builds it.
fn write_program(folder: &Path, (page, language): (&str, &str), name: &str, scripts: &[&str]) {
    let page = std::fs::read_to_string(repository().join("docs/src").join(page)).unwrap();
    let fence = format!("```{language}\n");
    let blocks = page.split(&fence).skip(1);
    let mut programs = blocks.filter_map(|rest| rest.split("```").next());
    let program = programs.find(|program| program.contains("512 bits")).expect("a program");
    std::fs::write(folder.join(name), program).unwrap();
    let here = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/cli/guide");
    for file in [&["wide.c", "start.c"], scripts].concat() {
        std::fs::copy(here.join(file), folder.join(file)).unwrap();
    }
}

impl Processor {
    /// Options of clang, and the emulator, as words of a shell.
    fn words(&self) -> [String; 2] {
        let Target { clang, emulator, .. } = programs::target(self.target);
        [clang.join(" "), emulator.join(" ")]
    }

    /// Whether a program that was expressed by what there is calls what it should.
    #[track_caller]
    fn assert_calls(&self, lowered: &str) {
        for (called, count) in self.calls {
            let calls = lowered.lines().filter(|line| line.contains("call "));
            let found = calls.filter(|line| line.contains(&format!("@autollvm.{called}("))).count();
            assert_eq!(found, *count, "{}: {called} in\n{lowered}", self.name);
        }
    }
}

#[test]
fn a_wide_program_runs_on_every_target() {
    let more = ["mlir-tblgen-19", "mlir-opt-19", "mlir-translate-19", "clang++-19"];
    let Some(out) = output(&more, "mlir/IR/OpBase.td") else { return };
    let folder = scratch();
    write_program(folder.path(), ("operations.md", "mlir"), "wide.mlir", &["plugin.sh", "wide.sh"]);
    let out = out.to_string_lossy();
    tool("sh", folder.path(), &["plugin.sh", &format!("{out}/mlir"), OPERATIONS]).expect("a shell");
    for processor in PROCESSORS.iter().filter(|processor| cpu_has(processor.needs)) {
        let Processor { name, target, features, llc, .. } = processor;
        let [clang, emulator] = processor.words();
        tool("sh", folder.path(), &["wide.sh", &out, name, target, features, llc, &clang, &emulator])
            .expect("a shell");
        processor.assert_calls(&std::fs::read_to_string(folder.path().join(format!("{name}.mlir"))).unwrap());
    }
}

#[test]
fn a_wide_program_in_llvm_ir_runs_on_every_target() {
    let Some(out) = output(&["clang++-19"], "llvm/IR/Module.h") else { return };
    let folder = scratch();
    write_program(folder.path(), ("lowering.md", "llvm"), "wide.ll", &["wide-ll.sh"]);
    let out = out.to_string_lossy();
    let build = "clang++-19 -std=c++17 -fno-rtti -fPIC -shared -Wall -Wextra -Werror \
                 -isystem /usr/lib/llvm-19/include \"$0\" -o AutoLLVM.so";
    tool("sh", folder.path(), &["-c", build, &format!("{out}/llvm/plugin/AutoLLVM.cpp")]).expect("a shell");
    for processor in PROCESSORS.iter().filter(|processor| cpu_has(processor.needs)) {
        let Processor { name, target, llc, .. } = processor;
        let [clang, emulator] = processor.words();
        tool("sh", folder.path(), &["wide-ll.sh", &out, name, target, llc, &clang, &emulator])
            .expect("a shell");
        let lowered = std::fs::read_to_string(folder.path().join(format!("{name}.ll"))).unwrap();
        let body = lowered.split("@run(").nth(1).and_then(|rest| rest.split("\n}\n").next());
        processor.assert_calls(body.expect("the program"));
    }
}
