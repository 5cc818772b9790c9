//! Every modelled instruction on whatever CPU and emulators are here, on 1,000 inputs in the full validation and 100
//! otherwise: none may differ.

use std::process::Command;

use crate::support::is_full;

fn validate(isa: &str) {
    let Some(specs) = vendor_documents::with(&[isa]).into_iter().next() else { return };
    let folder = tempfile::tempdir().unwrap();
    let output = Command::new(env!("CARGO_BIN_EXE_hydride"))
        .args([
            "validate",
            "--isa",
            isa,
            "--inputs",
            if is_full() { "1000" } else { "100" },
            "--seed",
            "1",
            "--specs",
        ])
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
