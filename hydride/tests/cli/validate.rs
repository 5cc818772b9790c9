//! Every modelled instruction on whatever CPU and emulators are here, on 1,000 inputs in the full validation and 100
//! otherwise: none may differ.

use std::path::Path;
use std::process::{Command, Output};

use serde_json::Value;

use crate::support::{is_full, skip, vendor_documents};

/// Validates in a folder with a separate user data folder, so that no real records are touched.
fn run(folder: &Path, args: &[&str]) -> Output {
    Command::new(env!("CARGO_BIN_EXE_hydride"))
        .args(["validate", "--isa", "x86", "--work", "work"])
        .args(args)
        .current_dir(folder)
        .env("XDG_DATA_HOME", folder.join("data"))
        .output()
        .unwrap()
}

/// How many inputs a file of records has of an instruction, on any CPU.
fn inputs(records: &Path, id: &str) -> u64 {
    let text =
        std::fs::read_to_string(records).unwrap_or_else(|error| panic!("{}: {error}", records.display()));
    let records: Value = serde_json::from_str(&text).unwrap();
    let Some(cpus) = records["runs"][id].as_object() else { return 0 };
    cpus.values().flat_map(|runs| runs.as_array().unwrap()).map(|run| run["inputs"].as_u64().unwrap()).sum()
}

#[test]
fn a_checkout_stays_as_it_is_and_records_only_grow() {
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    let sample = Path::new(env!("CARGO_MANIFEST_DIR")).join("../specs/sample");
    let sample = sample.to_str().unwrap();
    let checked_in = folder.join("specs/validation/x86.json");
    std::fs::create_dir_all(checked_in.parent().unwrap()).unwrap();
    let old = "{\"schema\":1,\"runs\":{\n\"_mm_add_epi8\":{\"old CPU\":{\"function\":\"0000000000000000\",\"inputs\":9,\"seed\":1}}\n}}\n";
    std::fs::write(&checked_in, old).unwrap();
    let own = folder.join("data/hydride/validation/x86.json");
    let add = |count: &str, flags: &[&str]| {
        let args = [&["--specs", sample, "--only", "_mm_add_epi8", "--inputs", count], flags].concat();
        let output = run(folder, &args);
        let text = String::from_utf8_lossy(&output.stdout).into_owned();
        assert_eq!(output.status.code(), Some(0), "{text}{}", String::from_utf8_lossy(&output.stderr));
        text
    };
    if add("40", &[]).contains("nothing was compared") {
        return skip("there is no compiler or no x86 CPU");
    }
    assert_eq!(std::fs::read_to_string(&checked_in).unwrap(), old);
    assert_eq!(inputs(&own, "_mm_add_epi8"), 40);
    add("7", &[]);
    assert_eq!(inputs(&own, "_mm_add_epi8"), 40);
    add("60", &[]);
    assert_eq!(inputs(&own, "_mm_add_epi8"), 60);
    let unrun = ["--list-unrun", "--records", checked_in.to_str().unwrap()];
    assert!(add("7", &unrun).contains("_mm_add_epi8"), "a run of another function does not count");
    add("50", &["--update-records"]);
    assert_eq!((inputs(&checked_in, "_mm_add_epi8"), inputs(&own, "_mm_add_epi8")), (50, 60));
    assert!(!add("7", &unrun).contains("_mm_add_epi8"));
    let named = folder.join("named.json");
    add("30", &["--records", named.to_str().unwrap()]);
    assert_eq!((inputs(&named, "_mm_add_epi8"), inputs(&checked_in, "_mm_add_epi8")), (30, 50));
}

/// The document's types make the signed remainders unsigned; C's operators have the sign of the names.
#[test]
fn signed_divisions_differ_without_errata() {
    let Some(specs) = vendor_documents() else { return };
    let folder = tempfile::tempdir().unwrap();
    let specs = specs.to_str().unwrap();
    let args =
        ["--specs", specs, "--no-errata", "--only", "_mm*{div,rem}_epi*", "--inputs", "100", "--report", "r"];
    let output = run(folder.path(), &args);
    let text = String::from_utf8_lossy(&output.stdout);
    if text.contains("nothing was compared") {
        return skip("there is no compiler or no x86 CPU");
    }
    assert_eq!(output.status.code(), Some(1), "{text}");
    let report: Value = serde_json::from_slice(&std::fs::read(folder.path().join("r")).unwrap()).unwrap();
    let cases = report["cases"].as_array().unwrap();
    // Quotient and remainder at once is no function of clang's.
    let compared = cases
        .iter()
        .filter(|case| case["outcome"] != "not-runnable" && !case["id"].as_str().unwrap().contains("divrem"));
    for case in compared {
        let id = case["id"].as_str().unwrap();
        let differs = ["rem_epi", "idiv_epi"].iter().any(|part| id.contains(part)) && !id.contains("urem");
        assert_eq!(case["outcome"] == "mismatch", differs, "{case}");
        assert!(case["through"].as_str().unwrap().starts_with("C's "), "{case}");
    }
}

/// Equals are data: each is about an instruction of the real documents.
#[test]
fn equals_are_of_entries_that_there_are() {
    let Some(specs) = vendor_documents() else { return };
    let mut known = std::collections::BTreeSet::new();
    for file in std::fs::read_dir(Path::new(&specs).join("x86")).unwrap().flatten() {
        let bytes = std::fs::read(file.path()).unwrap();
        let parsed = parsers::intel::parse("x86.xml", &bytes, &parsers::intel::Options::default());
        known.extend(parsed.instructions.into_iter().map(|instruction| instruction.id));
    }
    let text = include_str!("../../../specs/equals/x86.toml");
    let file: toml::Table = toml::from_str(text).unwrap();
    for equal in file["equal"].as_array().unwrap() {
        for (id, runs) in equal["runs"].as_table().unwrap() {
            assert!(known.contains(id), "{id}");
            assert_ne!(Some(id.as_str()), runs.as_str());
        }
    }
}

fn validate(isa: &str) {
    let Some(specs) = vendor_documents::with(&[isa]).into_iter().next() else { return };
    let folder = tempfile::tempdir().unwrap();
    // Nearly all of the time goes to compiling a call for each combination of immediates.
    let extent: &[&str] =
        if is_full() { &["--inputs", "1000"] } else { &["--inputs", "40", "--immediates", "12"] };
    let output = Command::new(env!("CARGO_BIN_EXE_hydride"))
        .args(["validate", "--isa", isa, "--seed", "1"])
        .args(extent)
        .arg("--specs")
        .arg(&specs)
        .arg("--work")
        .arg(folder.path().join("work"))
        .env("XDG_DATA_HOME", folder.path())
        .output()
        .unwrap();
    let text = String::from_utf8_lossy(&output.stdout).into_owned();
    let last = text.lines().last().unwrap_or_default();
    println!("{isa}: {last}");
    assert_eq!(output.status.code(), Some(0), "{text}{}", String::from_utf8_lossy(&output.stderr));
    assert!(last.contains(" 0 differ") || text.contains("nothing was compared"), "{text}");
}

#[test]
fn x86_agrees_with_this_cpu() {
    validate("x86");
}

#[test]
fn arm_agrees_with_the_emulator() {
    validate("arm");
}

#[test]
fn hvx_agrees_with_the_emulator() {
    validate("hvx");
}
