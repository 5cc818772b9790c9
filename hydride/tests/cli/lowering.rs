//! The definitions in `llvm/lowering/` under a stock LLVM: they are the instructions, they do what the semantics
//! says, and their data is what the compiler says.

use std::path::Path;
use std::process::Command;

use crate::support::*;

/// Whether the programs are there; says so when one is not.
pub fn tools(names: &[&str]) -> bool {
    let there = |name: &&str| Command::new(name).arg("--version").output().is_ok();
    match names.iter().find(|name| !there(name)) {
        Some(name) => {
            skip(&format!("{name} is not there"));
            false
        }
        None => true,
    }
}

/// Whether this machine's CPU has features, by the document's names.
pub fn cpu_has(names: &[&str]) -> bool {
    let names: Vec<String> = names.iter().map(|name| (*name).to_owned()).collect();
    let missing = difftest::x86::CpuFeatures::of_this_machine().map(|cpu| cpu.missing(&names));
    match missing.as_deref() {
        Ok([]) => true,
        Ok(missing) => {
            skip(&format!("the CPU lacks {}", missing.join(", ")));
            false
        }
        Err(error) => {
            skip(&error.to_string());
            false
        }
    }
}

fn check(specs: &Path, folder: &Path, isa: &str, out: &str) -> Run {
    let (specs, work) = (specs.to_string_lossy(), folder.join("work"));
    let work = work.to_string_lossy();
    let inputs = if is_full() { "100" } else { "20" };
    let args = ["check-lowering", "--specs", &specs, "--isa", isa, "--out", out, "--inputs", inputs];
    hydride(folder, &[&args[..], &["--work", &work]].concat())
}

/// The number in front of a text.
#[track_caller]
pub fn number(text: &str, before: &str) -> f64 {
    let at = text.find(before).unwrap_or_else(|| panic!("`{before}` is not in {text}"));
    let word = text[..at].trim_end().rsplit([' ', '(']).next().unwrap_or_default();
    word.parse().unwrap_or_else(|_| panic!("`{word}` is no number"))
}

const LLVM: &[&str] = &["clang-19", "llvm-link-19", "opt-19", "llc-19"];

/// Compiles and runs the definitions of an instruction set: at least so many of a hundred members are the documented
/// instruction, and none differs from the semantics.
fn definitions_are_the_instructions(isa: &str, least: f64, emulator: Option<&str>) {
    let programs: Vec<&str> = LLVM.iter().copied().chain(emulator).collect();
    if !tools(&programs) {
        return;
    }
    let Some(specs) = vendor_documents::with(&[isa]).into_iter().next() else { return };
    let folder = scratch();
    let out = shared_output(&specs, ALL);
    let out = out.to_string_lossy();
    let run = check(&specs, folder.path(), isa, &out);
    println!("{}", run.stdout);
    let run = run.exits(0);
    assert!(number(&run.stdout, " %; ") >= least, "{}", run.stdout);
    assert!(number(&run.stdout, "definitions agree") > 0.0, "{}", run.stdout);
    operations_run_through_mlir(&specs, folder.path(), isa, &out, "10");
}

#[test]
fn hvx_definitions_are_the_instructions() {
    // Most loads and stores have no intrinsic, and so no definition.
    definitions_are_the_instructions("hvx", 74.0, Some("qemu-hexagon"));
}

#[test]
fn arm_definitions_are_the_instructions() {
    definitions_are_the_instructions("arm", 93.0, Some("qemu-aarch64"));
}

#[test]
fn x86_definitions_are_the_instructions() {
    definitions_are_the_instructions("x86", 92.0, None);
}

/// Definitions of non-temporal loads and stores are of their own, and keep the hint.
#[test]
fn what_is_not_kept_in_caches_is_not_in_llvm_either() {
    let Some(specs) = vendor_documents::with(&["x86"]).into_iter().next() else { return };
    let out = shared_output(&specs, ALL);
    let text = std::fs::read_to_string(out.join("llvm/lowering/x86.ll")).unwrap();
    let body = |function: &str| {
        let (name, mut all) = (format!("@{function}("), text.split("\ndefine "));
        let found = all.find(|own| own.lines().next().is_some_and(|first| first.contains(&name)));
        found.and_then(|own| own.split_once('\n')).expect("a definition").1
    };
    let json = read_json(&out.join("llvm/lowering.json"));
    let hinted = |row: &&serde_json::Value| {
        let memory = row["memory"].as_array();
        row["isa"] == "x86" && memory.is_some_and(|all| all.iter().any(|one| one["non_temporal"] == true))
    };
    let mut tried = 0;
    for row in json["lowerings"].as_array().unwrap().iter().filter(hinted) {
        let Some(name) = row["function"]["name"].as_str() else { continue };
        assert!(name.contains(".nontemporal"), "{name}");
        let (_, call) = body(name).split_once("@x86.").unwrap_or_else(|| panic!("{name} calls nothing"));
        let called = body(&format!("x86.{}", call.split('(').next().unwrap()));
        let keeps = ["!nontemporal", ".movnt.", ".maskmov"].iter().any(|hint| called.contains(hint));
        assert!(keeps, "{name}:\n{called}");
        tried += 1;
    }
    assert!(tried > 10, "{tried}");
}

#[test]
fn a_wrong_definition_is_found() {
    if !tools(LLVM) || !tools(&["qemu-hexagon"]) {
        return;
    }
    let folder = scratch();
    let specs = samples();
    hydride(folder.path(), &["generate-ir", "--specs", &specs.to_string_lossy(), "--isa", "hvx"]).exits(0);
    let out = folder.path().join("out").to_string_lossy().into_owned();
    let path = Path::new(&out).join("llvm/lowering/hvx.ll");
    let text = std::fs::read_to_string(&path).unwrap();
    check(&samples(), folder.path(), "hvx", &out).exits(0);
    // The first target intrinsic of two vectors gets them in the wrong order.
    let line =
        text.lines().find(|line| line.contains("V6.vsub") && line.contains("%a0, <32 x i32> %a1")).unwrap();
    let wrong = line.replace("%a0, <32 x i32> %a1", "%a1, <32 x i32> %a0");
    std::fs::write(&path, text.replacen(line, &wrong, 1)).unwrap();
    let run = check(&samples(), folder.path(), "hvx", &out).exits(1);
    assert!(run.stdout.contains("MISMATCH V6_vsub"), "{}", run.stdout);
}

/// A compiler of another release, or none at all, is refused before anything is compiled.
#[cfg(unix)]
#[test]
fn a_compiler_of_another_release_is_refused() {
    use std::os::unix::fs::PermissionsExt;
    let folder = scratch();
    let out = shared_output(&samples(), ALL);
    let [specs, out] = [&samples(), &out].map(|path| path.to_string_lossy().into_owned());
    let refused = |says: &str| {
        let compiler = folder.path().join("compiler");
        std::fs::write(&compiler, format!("#!/bin/sh\necho '{says}'\n")).unwrap();
        std::fs::set_permissions(&compiler, PermissionsExt::from_mode(0o755)).unwrap();
        let compiler = compiler.to_string_lossy();
        let args = ["check-lowering", "--specs", &specs, "--out", &out, "--compiler", &compiler];
        hydride(folder.path(), &args).exits(2).stderr
    };
    assert!(refused("clang version 14.0.6").contains(" is a clang of release 14, not 19"));
    assert!(refused("cc (Debian) 12.2.0").contains(" does not say that it is a clang"));
    let data =
        ["read-lowering", "--specs", &specs, "--llvm", "22", "--compiler", "/bin/true", "--data", "data"];
    hydride(folder.path(), &data).exits(2);
}

#[test]
fn the_data_is_what_the_compiler_says() {
    if tools(LLVM) {
        same_data(19, &[]);
    }
}

/// Reads the samples' instructions off the compiler of a release, with further options, and compares that with the kept
/// data.
pub fn same_data(release: u32, options: &[&str]) {
    let folder = scratch();
    let (specs, data) = (samples(), folder.path().join("data"));
    let (specs, data_text) = (specs.to_string_lossy(), data.to_string_lossy());
    let release = release.to_string();
    let args = ["read-lowering", "--llvm", &release, "--specs", &specs, "--data", &data_text];
    hydride(folder.path(), &[&args[..], options].concat()).exits(0);
    for isa in ["x86", "arm", "hvx"] {
        let read = read_json(&data.join(format!("{isa}.json")));
        let kept = read_json(&repository().join(format!("specs/lowering/llvm-{release}/{isa}.json")));
        let function = |data: &serde_json::Value, id: &str| {
            let position = data["members"][id].as_u64()?;
            Some(data["functions"][position as usize].clone())
        };
        let members = read["members"].as_object().unwrap();
        assert!(!members.is_empty());
        let mut same = 0;
        for id in members.keys() {
            // The samples have other instructions, and other ranges of immediates.
            let (Some(new), Some(old)) = (function(&read, id), function(&kept, id)) else { continue };
            if new["immediates"].is_null() {
                assert_eq!(new, old, "{isa}: {id}");
                same += 1;
            }
        }
        assert!(same * 2 > members.len(), "{isa}: {same} of {}", members.len());
    }
}

/// Runs the operations of an instruction set through MLIR's tools, in the given ways, and returns what was printed.
fn through(specs: &Path, folder: &Path, isa: &str, out: &str, more: &[&str]) -> Run {
    let (specs, work) = (specs.to_string_lossy(), folder.join("work-mlir"));
    let work = work.to_string_lossy();
    let args = ["check-lowering", "--specs", &specs, "--isa", isa, "--out", out, "--work", &work];
    hydride(folder, &[&args[..], more].concat())
}

/// Every operation that is defined, called by way of MLIR, does what the instruction's document says.
fn operations_run_through_mlir(specs: &Path, folder: &Path, isa: &str, out: &str, inputs: &str) {
    if !tools(&["mlir-opt-19", "mlir-translate-19"]) {
        return;
    }
    let run =
        through(specs, folder, isa, out, &["--inputs", inputs, "--through", "functions,target"]).exits(0);
    println!("{}", run.stdout);
    for route in ["lower.sh", "lower.sh -t"] {
        let (before, after) =
            run.stdout.split_once(&format!(" functions through {route}, ")).expect("the way's line");
        let all = number(before, " operations in ");
        let declared = number(after, " operations declared, 0 of them not as defined");
        // With a target some operations need no function.
        assert_eq!(declared == all, route == "lower.sh", "{}", run.stdout);
        let agree = format!(" operations through {route} agree");
        let (_, counts) = run.stdout.split_once(&agree).expect("what ran");
        let (ran, elsewhere) = (number(&run.stdout, &agree), number(counts, " cannot run on "));
        assert!(ran > 0.0 && (ran + elsewhere) * 2.0 > all, "{}", run.stdout);
    }
}

#[test]
fn sample_operations_run_through_mlir() {
    // Arm's samples have a different instruction under the name of one of Neon's.
    let emulators = [("x86", None), ("hvx", Some("qemu-hexagon"))];
    for (isa, emulator) in emulators {
        let programs: Vec<&str> = LLVM.iter().copied().chain(emulator).collect();
        if tools(&programs) {
            let folder = scratch();
            let out = shared_output(&samples(), ALL);
            operations_run_through_mlir(&samples(), folder.path(), isa, &out.to_string_lossy(), "100");
        }
    }
}

/// LLVM's linker takes a call of a function of another type, so that someone else has to look.
#[test]
fn a_wrong_declaration_is_found() {
    if !tools(LLVM) || !tools(&["mlir-opt-19", "mlir-translate-19"]) {
        return;
    }
    let folder = scratch();
    let out = generate(&samples(), folder.path(), &[]).to_string_lossy().into_owned();
    let path = Path::new(&out).join("llvm/lowering/x86.ll");
    let text = std::fs::read_to_string(&path).unwrap();
    let whole = text.lines().find(|line| line.contains(" @autollvm.sign_bits.v16i8.registers(")).unwrap();
    let own = whole.replace(".registers(", "(");
    // The function that returns the mask's register gets the name that MLIR calls for the mask.
    let text = text.replacen("@autollvm.sign_bits.v16i8(", "@autollvm.sign_bits.v16i8.own(", 1);
    std::fs::write(&path, text.replacen(whole, &own, 1)).unwrap();
    let more = ["--inputs", "2", "--through", "functions"];
    let run = through(&samples(), folder.path(), "x86", &out, &more).exits(1);
    let wrong = "DECLARED declare <16 x i1> @autollvm.sign_bits.v16i8(<16 x i8>)";
    assert!(run.stdout.contains(wrong), "{}", run.stdout);
    assert!(run.stdout.contains(" 1 of them not as defined"), "{}", run.stdout);
}

/// Calls a definition in a function without features, with `options` of `opt` and `llc`; what `llc` said.
fn called(out: &Path, folder: &Path, isa: &str, function: &serde_json::Value, options: &[&str]) -> Run {
    let text = |value: &serde_json::Value| value.as_str().unwrap().to_owned();
    let (name, result) = (text(&function["name"]), text(&function["result"]));
    let types: Vec<String> =
        function["operands"].as_array().unwrap().iter().map(|operand| text(&operand[1])).collect();
    let parameters: Vec<String> = (0..).zip(&types).map(|(at, ty)| format!("{ty} %a{at}")).collect();
    let parameters = parameters.join(", ");
    let program = format!(
        "declare {result} @{name}({})\ndefine {result} @f({parameters}) {{\n  \
         %r = call {result} @{name}({parameters})\n  ret {result} %r\n}}\n",
        types.join(", ")
    );
    std::fs::write(folder.join("program.ll"), program).unwrap();
    let step = |program: &str, args: &[&str]| {
        Run::new(Command::new(program).args(args).current_dir(folder).output().expect("the tool starts"))
    };
    let definitions = out.join(format!("llvm/lowering/{isa}.ll"));
    let link = ["--only-needed", "program.ll", &definitions.to_string_lossy(), "-o", "linked.bc"];
    step("llvm-link-19", &link).exits(0);
    let inline = ["-passes=cgscc(inline),globaldce", "linked.bc", "-o", "inlined.bc"];
    step("opt-19", &[options, &inline].concat()).exits(0);
    step("llc-19", &[options, &["inlined.bc", "-o", "-"]].concat())
}

#[test]
fn a_feature_that_the_caller_lacks_is_named() {
    if !tools(LLVM) {
        return;
    }
    let Some(specs) = vendor_documents::with(&["x86", "arm", "hvx"]).into_iter().next() else { return };
    let (out, folder) = (shared_output(&specs, ALL), scratch());
    let rows = read_json(&out.join("llvm/lowering.json"));
    let row = |id: &str| {
        let mut rows = rows["lowerings"].as_array().unwrap().iter();
        rows.find(|row| row["id"] == id).map(|row| row["function"].clone())
    };
    let intel = "-mtriple=x86_64-linux-gnu";
    let arm = "-mtriple=aarch64-linux-gnu";
    let cases = [
        ("x86", "_mm512_maskz_add_epi8", intel, "-mattr=+avx512bw", "vpaddb", "avx512bw,avx512f"),
        (
            "x86",
            "_mm256_mask_popcnt_epi16",
            intel,
            "-mattr=+avx512bitalg,+avx512vl",
            "vpopcntw",
            "avx512bitalg,avx512vl",
        ),
        ("arm", "vaeseq_u8", arm, "-mattr=+aes", "aese", "aes,neon"),
        ("arm", "vdotq_u32", arm, "-mattr=+dotprod", "udot", "dotprod,neon"),
        ("arm", "vqrdmlahq_s16", arm, "-mattr=+v8.1a", "sqrdmlah", "neon,v8.1a"),
    ];
    for (isa, id, triple, features, mnemonic, named) in cases {
        let Some(function) = row(id) else {
            assert!(["vdotq_u32", "vqrdmlahq_s16"].contains(&id), "{id} is missing");
            skip(&format!("{id} needs Arm's ASL"));
            continue;
        };
        let with = called(&out, folder.path(), isa, &function, &[triple, features]).exits(0);
        assert!(with.stdout.contains(mnemonic) && !with.stdout.contains("autollvm."), "{}", with.stdout);
        let name = function["name"].as_str().unwrap();
        let message = format!("call to {name} marked \"dontcall-error\": it needs {named} and is inlined");
        let without = called(&out, folder.path(), isa, &function, &[triple]).exits(1).complains(&[&message]);
        assert!(!without.stderr.contains("Cannot select"), "{}", without.stderr);
    }
    // Hexagon's inliner compares lists of features as texts, so that definitions are always inlined.
    let options = ["-mtriple=hexagon", "-mcpu=hexagonv67", "-mattr=+hvxv67,+hvx-length128b"];
    let own = called(&out, folder.path(), "hvx", &row("V6_vaddb").unwrap(), &options).exits(0);
    assert!(own.stdout.contains(".b = vadd("), "{}", own.stdout);
    // One of two features is enough.
    let function = row("_mm256_dpbusd_epi32").unwrap();
    for features in ["-mattr=+avxvnni", "-mattr=+avx512vnni,+avx512vl"] {
        let own = called(&out, folder.path(), "x86", &function, &[intel, features]).exits(0);
        assert!(own.stdout.contains("vpdpbusd"), "{}", own.stdout);
    }
}
