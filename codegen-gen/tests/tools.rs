//! Generated files, checked by the LLVM and MLIR tools. A tool that is missing is reported on stderr and its
//! test passes without having tested anything.

#[path = "../../autoir/tests/samples/mod.rs"]
mod samples;
mod vendors;

use std::fs;
use std::io::Write;
use std::path::Path;
use std::process::{Command, Output};

use autoir::{Dialect, Dictionary, Reviews};
use codegen_gen::{LlvmVersion, Options, generate};
use memo::Memo;
use tempfile::TempDir;

/// The generated files in a fresh folder.
fn generated(llvm: LlvmVersion) -> TempDir {
    let (dialect, _) =
        Dialect::build(samples::classes(), Dictionary::default(), &Reviews::default()).unwrap();
    let folder = tempfile::tempdir().unwrap();
    let options = Options {
        llvm,
        vendors: vendors::vendors(llvm),
        features: vendors::features(),
        ..Options::default()
    };
    for file in generate(&dialect, &options, &Memo::default()).unwrap() {
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
    let folder = generated(LlvmVersion::Llvm19);
    let Some(include) = include_dir() else { return };
    let tblgen = |action: &str| {
        let args = ["-I", &include, action, "--intrinsic-prefix=autollvm", "llvm/IntrinsicsAutoLLVM.td"];
        succeed("llvm-tblgen-19", folder.path(), &args)
    };
    let Some(enums) = tblgen("-gen-intrinsic-enums") else { return };
    // Inside an LLVM tree: among all of LLVM's intrinsics.
    let tree = "include \"llvm/IR/Intrinsics.td\"\ninclude \"llvm/IntrinsicsAutoLLVM.td\"\n";
    fs::write(folder.path().join("tree.td"), tree).unwrap();
    let macros = ["-D", "AUTOLLVM_IN_TREE", "-I", &include, "-I", "."];
    let args = [&macros[..], &["-gen-intrinsic-enums", "--intrinsic-prefix=autollvm", "tree.td"]].concat();
    let in_tree = succeed("llvm-tblgen-19", folder.path(), &args).unwrap();
    for name in ["add", "add_sat", "dot_add", "widen_mul", "compare_lt", "extract", "crc"] {
        let comment = format!("// llvm.autollvm.{name}\n");
        assert!(enums.contains(&comment) && in_tree.contains(&comment), "{name}");
    }
    for action in ["-dump-json", "-print-records", "-print-detailed-records"] {
        assert!(!tblgen(action).unwrap().is_empty());
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
    let folder = generated(LlvmVersion::Llvm19);
    let Some(include) = include_dir() else { return };
    let tblgen = |action: &str| {
        succeed("llvm-tblgen-19", folder.path(), &["-I", &include, action, "llvm/AutoLLVMLowering.td"])
    };
    let Some(tables) = tblgen("-gen-searchable-tables") else { return };
    for action in ["-dump-json", "-print-records", "-print-detailed-records"] {
        assert!(!tblgen(action).unwrap().is_empty());
    }
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
    let expected = "\
adds8_mask 3,2 1 0
no unmasked form
none add8 255 255 255
none add16 255 255 255
part:64+128 add8_low 255 255 2
merge:not add16_not 2 3 255
zero:4:32 add16_sparse 2 255 255
lt16
lt8
llvm.autollvm.crc.i32.i8()
";
    assert_eq!(answers, expected);
}

#[test]
fn llvm_compiles_the_definitions() {
    let folder = generated(LlvmVersion::Llvm19);
    for isa in ["east", "west"] {
        let file = format!("llvm/lowering/{isa}.ll");
        if succeed("opt-19", folder.path(), &["-passes=verify", "-S", &file, "-o", "/dev/null"]).is_none() {
            return;
        }
        succeed("llc-19", folder.path(), &[&file, "-o", "/dev/null"]);
    }
}

#[test]
fn the_plugin_lowers_intrinsics() {
    let folder = generated(LlvmVersion::Llvm19);
    let Some(include) = include_dir() else { return };
    let (source, warnings) = ("llvm/plugin/AutoLLVM.cpp", ["-Wall", "-Wextra", "-Werror"]);
    let args =
        ["-std=c++17", "-fno-rtti", "-fPIC", "-shared", "-isystem", &include, source, "-o", "AutoLLVM.so"];
    if succeed("clang++-19", folder.path(), &[&args[..], &warnings].concat()).is_none() {
        return;
    }
    let program = "\
declare <16 x i8> @llvm.autollvm.add.v16i8(<16 x i8>, <16 x i8>)
define <16 x i8> @f(<16 x i8> %a, <16 x i8> %b) {
  %r = call <16 x i8> @llvm.autollvm.add.v16i8(<16 x i8> %a, <16 x i8> %b)
  ret <16 x i8> %r
}
";
    let plugin = ["-load-pass-plugin=./AutoLLVM.so", "-passes=autollvm-lower,cgscc(inline),globaldce", "-S"];
    let files = ["-autollvm-lowering=llvm/lowering/west.ll,llvm/lowering/east.ll", "program.ll"];
    let lower = |program: &str| {
        fs::write(folder.path().join("program.ll"), program).unwrap();
        run("opt-19", folder.path(), &[&plugin[..], &files].concat())
    };
    let Some(output) = lower(program) else { return };
    let (text, errors) = (String::from_utf8_lossy(&output.stdout), String::from_utf8_lossy(&output.stderr));
    assert!(output.status.success() && errors.is_empty(), "{errors}");
    assert!(text.contains("add <16 x i8>") && !text.contains("autollvm."), "{text}");
    // By its full name, and declared with another type: the linker by itself would accept that.
    let declared = |ty: &str| {
        format!(
            "declare <16 x i8> @autollvm.add.v16i8(<16 x i8>, {ty})\n\
             define <16 x i8> @f(<16 x i8> %a, {ty} %b) {{\n  \
             %r = call <16 x i8> @autollvm.add.v16i8(<16 x i8> %a, {ty} %b)\n  ret <16 x i8> %r\n}}\n"
        )
    };
    for (ty, known) in [("<16 x i8>", true), ("<8 x i8>", false)] {
        let output = lower(&declared(ty)).unwrap();
        let (text, errors) =
            (String::from_utf8_lossy(&output.stdout), String::from_utf8_lossy(&output.stderr));
        assert!(output.status.success(), "{errors}");
        assert_eq!(text.contains("autollvm."), !known, "{text}");
        assert_eq!(errors.contains("is declared with another type"), !known, "{errors}");
    }
    // At other types there is no definition.
    let output = lower(&program.replace("16 x i8", "8 x i8").replace("v16i8", "v8i8")).unwrap();
    let errors = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success() && errors.contains("no definition of autollvm.add.v8i8"), "{errors}");
}

/// The generators of mlir-tblgen that read operations, with the files that C++ includes.
const MLIR_GENERATORS: &[(&str, Option<&str>)] = &[
    ("-gen-op-decls", Some("AutoLLVMOps.h.inc")),
    ("-gen-op-defs", Some("AutoLLVMOps.cpp.inc")),
    ("-gen-dialect-decls", Some("AutoLLVMOpsDialect.h.inc")),
    ("-gen-dialect-defs", Some("AutoLLVMOpsDialect.cpp.inc")),
    ("-gen-typedef-decls", None),
    ("-gen-typedef-defs", None),
    ("-gen-dialect-doc", Some("AutoLLVMOps.md")),
    ("-gen-op-doc", None),
    ("-gen-python-op-bindings", None),
    ("-print-records", None),
];

/// What every program of MLIR that is called `tool` makes of the dialect's definitions, in `mlir/`.
fn mlir_tablegen(tool: &str, mlir: &Path, include: &str) -> Option<()> {
    for (action, made) in MLIR_GENERATORS {
        let mut args = vec!["-I", include, "-I", ".", action, "AutoLLVMOps.td"];
        if action.contains("dialect") {
            args.push("-dialect=autollvm");
        }
        if action.contains("typedef") {
            args.push("-typedefs-dialect=autollvm");
        }
        if action.contains("python") {
            args.push("-bind-dialect=autollvm");
        }
        let text = succeed(tool, mlir, &args)?;
        if let Some(made) = made {
            fs::write(mlir.join(made), text).unwrap();
        }
    }
    for (action, made) in [
        ("-gen-op-interface-decls", "AutoLLVMInterfaces.h.inc"),
        ("-gen-op-interface-defs", "AutoLLVMInterfaces.cpp.inc"),
        ("-gen-op-interface-docs", "AutoLLVMInterfaces.md"),
    ] {
        let text = succeed(tool, mlir, &["-I", include, "-I", ".", action, "AutoLLVMInterfaces.td"])?;
        fs::write(mlir.join(made), text).unwrap();
    }
    Some(())
}

/// The folder of the headers of an LLVM release, where it has MLIR's.
fn mlir_include_dir(llvm: LlvmVersion) -> Option<String> {
    let config = format!("llvm-config-{}", llvm.number());
    let include = succeed(&config, Path::new("."), &["--includedir"])?.trim().to_owned();
    if !Path::new(&include).join("mlir/IR/OpBase.td").exists() {
        skip(&format!("mlir/IR/OpBase.td of LLVM {}", llvm.number()));
        return None;
    }
    Some(include)
}

const WARNINGS: [&str; 4] = ["-Wall", "-Wextra", "-Wno-unused-parameter", "-Werror"];

#[test]
fn the_dialect_is_a_plugin_of_mlir_opt() {
    plugin(LlvmVersion::Llvm19);
}

#[test]
fn the_dialect_is_a_plugin_of_mlir_opt_21() {
    plugin(LlvmVersion::Llvm21);
}

/// Builds the dialect and runs the generated tests with it.
fn plugin(llvm: LlvmVersion) {
    let folder = generated(llvm);
    let mlir = folder.path().join("mlir");
    let Some(include) = mlir_include_dir(llvm) else { return };
    if mlir_tablegen(&format!("mlir-tblgen-{}", llvm.number()), &mlir, &include).is_none() {
        return;
    }
    let doc = fs::read_to_string(mlir.join("AutoLLVMOps.md")).unwrap();
    assert!(
        doc.contains("%res = autollvm.dot_add %acc, %a, %b : vector<4xi32>"),
        "the example is in the documentation"
    );
    // As one unit, since nearly all of the time goes into MLIR's headers.
    let sources = ["Dialect", "Legalize", "Targets", "ToLLVM", "Plugin"];
    let unit: String = sources.iter().map(|source| format!("#include \"AutoLLVM{source}.cpp\"\n")).collect();
    fs::write(mlir.join("unit.cpp"), unit).unwrap();
    let options = ["-std=c++17", "-fno-rtti", "-fPIC", "-shared", "-I", &include, "-I", "."];
    let args = [&options[..], &WARNINGS, &["unit.cpp", "-o", "AutoLLVMPlugin.so"]].concat();
    if succeed(&format!("clang++-{}", llvm.number()), &mlir, &args).is_none() {
        return;
    }
    // Round trip, refusals, both lowerings: all tests that are generated.
    assert!([None, Some((9, 0))].contains(&lit(&mlir, &["-Dplugin=AutoLLVMPlugin.so"])));
    targets_are_known(&mlir, llvm);
}

/// What the passes make of additions on a target that has them for 16 bytes with AVX2.
fn targets_are_known(mlir: &Path, llvm: LlvmVersion) {
    let program = |lanes: u32| {
        format!(
            "func.func @f(%a: vector<{lanes}xi8>, %b: vector<{lanes}xi8>) -> vector<{lanes}xi8> {{\n  \
             %r = autollvm.add %a, %b : vector<{lanes}xi8>\n  return %r : vector<{lanes}xi8>\n}}\n"
        )
    };
    let passed = |lanes: u32, passes: &str| {
        fs::write(mlir.join("program.mlir"), program(lanes)).unwrap();
        let args = [
            "--load-dialect-plugin=./AutoLLVMPlugin.so",
            "--load-pass-plugin=./AutoLLVMPlugin.so",
            &format!("--pass-pipeline=builtin.module({passes})"),
            "program.mlir",
        ];
        let output = run(&format!("mlir-opt-{}", llvm.number()), mlir, &args)?;
        let text = if output.status.success() { output.stdout } else { output.stderr };
        Some(String::from_utf8_lossy(&text).into_owned())
    };
    let convert = |options: &str| format!("convert-autollvm-to-llvm{{{options}}}");
    for (lanes, options, expected) in [
        (
            16,
            "target=east",
            "program.mlir:2:8: error: 'autollvm.add' op is an instruction of east that needs the CPU feature avx2",
        ),
        (16, "target=east features=avx2", "llvm.call @autollvm.add.v16i8("),
        // What a feature or a CPU brings with it.
        (16, "target=east features=avx512f", "llvm.call @autollvm.add.v16i8("),
        (16, "target=east cpu=haswell", "llvm.call @autollvm.add.v16i8("),
        (32, "target=east features=avx2", "program.mlir:2:8: note: there is vector<16xi8>"),
        (32, "target=east", "note: nor at others, with these CPU features"),
        (16, "target=east features=avx3", "'avx3' is no CPU feature of east"),
        (16, "target=east cpu=pentium9", "'pentium9' is no CPU of east"),
    ] {
        let Some(text) = passed(lanes, &convert(options)) else { return };
        assert!(text.contains(expected), "{lanes}, {options}: {text}");
    }
    let legalize = |options: &str| format!("legalize-autollvm{{{options}}},{}", convert(options));
    for (lanes, options, call, count) in [
        (16, "target=east features=avx2", "@autollvm.add.v16i8(", 1),
        (64, "target=east features=avx2", "@autollvm.add.v16i8(", 4),
        (4, "target=east features=avx2", "@autollvm.add.v16i8(", 1),
        (64, "target=east", "@autollvm.portable.add.v16i8(", 4),
    ] {
        let text = passed(lanes, &legalize(options)).unwrap();
        assert_eq!(text.matches(&format!("llvm.call {call}")).count(), count, "{lanes}, {options}: {text}");
    }
}

/// Runs the generated tests: how many passed, and how many were left out.
fn lit(mlir: &Path, options: &[&str]) -> Option<(usize, usize)> {
    let lit = "/usr/lib/llvm-19/build/utils/lit/lit.py";
    if !Path::new(lit).exists() {
        skip(lit);
        return None;
    }
    let output = run("python3", mlir, &[&[lit, "-v", "-Dwork=lit-work"], options, &["test"]].concat())?;
    let text = String::from_utf8_lossy(&output.stdout);
    assert!(output.status.success(), "{text}{}", String::from_utf8_lossy(&output.stderr));
    let count = |word: &str| text.lines().filter(|line| line.starts_with(word)).count();
    Some((count("PASS:"), count("UNSUPPORTED:")))
}

#[test]
fn stock_tools_need_no_build() {
    let folder = generated(LlvmVersion::Llvm19);
    if run("mlir-opt-19", folder.path(), &["--version"]).is_none() {
        return;
    }
    let ran = lit(&folder.path().join("mlir"), &[]);
    assert!([None, Some((3, 6))].contains(&ran), "{ran:?}");
}

#[test]
fn mlir_opt_loads_the_irdl_dialect() {
    let folder = generated(LlvmVersion::Llvm19);
    let program = "\
func.func @f(%a: vector<16xi16>) -> vector<8xi16> {
  %0 = \"autollvm.extract\"(%a) {offset = 8 : i32} : (vector<16xi16>) -> vector<8xi16>
  return %0 : vector<8xi16>
}
";
    let args = ["--irdl-file=mlir/autollvm.irdl.mlir", "program.mlir"];
    fs::write(folder.path().join("program.mlir"), program).unwrap();
    if succeed("mlir-opt-19", folder.path(), &args).is_none() {
        return;
    }
    // An attribute's value and a type that no member has.
    for (from, to) in [("offset = 8", "offset = 3"), ("vector<16xi16>", "vector<17xi16>")] {
        fs::write(folder.path().join("program.mlir"), program.replace(from, to)).unwrap();
        let output = run("mlir-opt-19", folder.path(), &args).unwrap();
        assert!(!output.status.success(), "{to} was accepted");
    }
}
