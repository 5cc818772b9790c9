//! The whole validation on whatever CPU and emulators are here: no modelled instruction may differ.

use std::path::PathBuf;
use std::process::Command;

fn validate(isa: &str) {
    let Some(specs) =
        std::env::var_os("HYDRIDE_SPECS").map(PathBuf::from).filter(|specs| specs.join(isa).is_dir())
    else {
        eprintln!("SKIPPED: HYDRIDE_SPECS names no folder with documents of {isa}");
        return;
    };
    let folder = tempfile::tempdir().unwrap();
    let output = Command::new(env!("CARGO_BIN_EXE_hydride"))
        .args(["validate", "--isa", isa, "--inputs", "1000", "--seed", "1", "--specs"])
        .arg(&specs)
        .arg("--work")
        .arg(folder.path().join("work"))
        .arg("--records")
        .arg(folder.path().join("records.json"))
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
