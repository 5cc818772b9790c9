//! `hydride doctor`: which external tools are available, and what each is for.

use std::process::Command;

use anyhow::Result;

use crate::Session;

/// Tools by the names under which they may be installed, and what needs them.
fn tools(session: &Session) -> Vec<(Vec<&'static str>, String)> {
    let targets = || session.sets().filter_map(|set| set.target);
    let emulated = || targets().filter_map(|target| Some((target.isa, target.emulator?)));
    let compared = |isas: Vec<&str>| format!("hardware comparison ({})", isas.join(", "));
    let fixed = |names: &[&'static str], purpose: &str| (names.to_vec(), purpose.to_owned());
    let mut tools = vec![
        fixed(&["llvm-tblgen-19", "llvm-tblgen"], "checks of the generated TableGen"),
        fixed(&["clang-19", "clang"], &compared(targets().map(|target| target.isa).collect())),
        fixed(&["ld.lld-19", "ld.lld"], &compared(emulated().map(|(isa, _)| isa).collect())),
        fixed(&["mlir-tblgen-19", "mlir-tblgen"], "checks of the generated MLIR dialect"),
        fixed(&["mlir-opt-19", "mlir-opt"], "checks of the generated MLIR dialect"),
        fixed(&["opt-19", "opt"], "lowered programs, and data of the compiler"),
        fixed(&["llvm-link-19", "llvm-link"], "lowered programs"),
        fixed(&["llc-19", "llc"], "assembly of lowered programs"),
        fixed(&["mlir-translate-19", "mlir-translate"], "LLVM IR of MLIR programs"),
        fixed(&["cmake"], "the MLIR plugin"),
        fixed(&["ninja"], "the MLIR plugin"),
        fixed(&["llvm-mc-19", "llvm-mc"], "decode facts of Arm instructions"),
    ];
    tools.extend(emulated().map(|(isa, machine)| (vec![machine.emulator], compared(vec![isa]))));
    tools
}

/// Prints one line for each tool. Missing tools are not findings: every command reports what it could not do.
pub fn run(session: &Session) -> Result<u8> {
    for (names, purpose) in tools(session) {
        let found = names.iter().find_map(|name| Some((*name, version(name)?)));
        match found {
            Some((name, version)) => println!("found    {name:<16} {version}  ({purpose})"),
            None => println!("missing  {:<16} needed for {purpose}", names[0]),
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
        .find(|word| word.starts_with(|c: char| c.is_ascii_digit()) && word.contains('.'))?;
    Some(word.trim_end_matches(',').to_string())
}
