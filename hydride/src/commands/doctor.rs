//! `hydride doctor`: which external tools are available, and what each is for.

use std::process::Command;

use anyhow::Result;

use crate::Session;

/// The clang that `cargo xtask newer-llvm` puts into the folder that the program was built in.
fn built_clang() -> Option<String> {
    let program = std::env::current_exe().ok()?;
    let target = program.parent()?.parent()?;
    Some(target.join("llvm-22/bin/clang").display().to_string())
}

/// Tools by the names under which they may be installed, and what needs them.
fn tools(session: &Session) -> Vec<(Vec<String>, String)> {
    let targets = || session.sets().filter_map(|set| set.target);
    let emulated = || targets().filter_map(|target| Some((target.isa, target.emulator?)));
    let compared = |isas: Vec<&str>| format!("hardware comparison ({})", isas.join(", "));
    let named = |names: &[&str]| names.iter().map(|name| (*name).to_owned()).collect::<Vec<_>>();
    let fixed = |names: &[&str], purpose: &str| (named(names), purpose.to_owned());
    let mut tools = vec![
        fixed(&["llvm-tblgen-19", "llvm-tblgen"], "checks of the generated TableGen"),
        fixed(&["clang-19", "clang"], &compared(targets().map(|target| target.isa).collect())),
        fixed(&["ld.lld-19", "ld.lld"], &compared(emulated().map(|(isa, _)| isa).collect())),
        fixed(&["llvm-link-19", "llvm-link"], "programs that call definitions"),
        fixed(&["opt-19", "opt"], "programs that call definitions"),
        fixed(&["llc-19", "llc"], "programs that call definitions"),
        (
            named(&["clang-22"]).into_iter().chain(built_clang()).collect(),
            "definitions for LLVM 22".to_owned(),
        ),
        fixed(&["mlir-tblgen-19", "mlir-tblgen"], "checks of the generated MLIR dialect"),
        fixed(&["mlir-opt-19", "mlir-opt"], "checks of the generated MLIR dialect"),
        fixed(&["mlir-translate-19", "mlir-translate"], "programs in the MLIR dialect"),
        fixed(&["llvm-mca-19", "llvm-mca"], "costs of what `hydride optimize` finds"),
        fixed(&["redis-server"], "answers of `hydride optimize` that machines share"),
        fixed(&["cmake"], "the MLIR dialect as a plugin"),
        fixed(&["ninja"], "the MLIR dialect as a plugin"),
        fixed(&["llvm-mc-19", "llvm-mc"], "decode facts of Arm instructions"),
    ];
    tools.extend(emulated().map(|(isa, machine)| (named(&[machine.emulator]), compared(vec![isa]))));
    tools
}

/// Prints one line for each tool. Missing tools are not findings: every command reports what it could not do.
pub fn run(session: &Session) -> Result<u8> {
    for (names, purpose) in tools(session) {
        let found = names.iter().find_map(|name| Some((name, version(name)?)));
        match found {
            Some((name, version)) => println!("found    {name:<24} {version}  ({purpose})"),
            None => println!("missing  {:<24} needed for {purpose}", names[0]),
        }
    }
    Ok(0)
}

/// The version that a tool reports, shortened to its number.
fn version(name: &str) -> Option<String> {
    let output = Command::new(name).arg("--version").output().ok()?;
    let text = String::from_utf8_lossy(&output.stdout).into_owned();
    let word = text
        .split_whitespace()
        .map(|word| word.trim_start_matches("v="))
        .find(|word| word.starts_with(|c: char| c.is_ascii_digit()) && word.contains('.'))?;
    Some(word.trim_end_matches(',').to_string())
}
