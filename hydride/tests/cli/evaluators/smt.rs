//! `evaluators/smt/*.smt2` under Z3.

use std::path::{Path, PathBuf};
use std::process::Command;

use hydride_ir::{Bits, Expr, Op};

use super::cases::{Case, expressed, words};
use super::runner::tool;
use crate::support::{repository, skip};

/// Inputs of each instance at most: the solver evaluates slowly.
const INPUTS: usize = 5;

/// Z3's program: the wheel that the set-up fetches has one.
fn z3(folder: &Path) -> Option<PathBuf> {
    let wheels = std::fs::read_dir(repository().join("target/z3/wheel")).ok()?;
    let wheel = wheels
        .flatten()
        .map(|entry| entry.path())
        .find(|path| path.extension().is_some_and(|e| e == "whl"))?;
    if !tool("python3", folder, &["-m", "zipfile", "-e", &wheel.to_string_lossy(), "wheel"]) {
        return None;
    }
    let mut folders = vec![folder.join("wheel")];
    while let Some(below) = folders.pop() {
        for path in std::fs::read_dir(below).ok()?.flatten().map(|entry| entry.path()) {
            if path.ends_with("bin/z3") {
                let loadable = Command::new("chmod").arg("+x").arg(&path).status().ok()?;
                return loadable.success().then_some(path);
            }
            if path.is_dir() {
                folders.push(path);
            }
        }
    }
    None
}

fn literal(width: u32, words: &[u64]) -> String {
    let bits = Bits::from_words(width, words.iter().copied());
    let digits: String = (0..width).rev().map(|bit| if bits.bit(bit) { '1' } else { '0' }).collect();
    format!("#b{digits}")
}

/// Literals of values that follow each other.
fn literals(widths: &[u32], mut all: &[u64]) -> Vec<String> {
    let mut literals = Vec::new();
    for width in widths {
        let (own, rest) = all.split_at(words(*width));
        literals.push(literal(*width, own));
        all = rest;
    }
    literals
}

/// Every file is accepted, and the cases' functions give what they should; `false` without Z3.
pub fn check(out: &Path, cases: &[Case], folder: &Path) -> bool {
    let Some(z3) = z3(folder) else {
        skip("no Z3 program (`cargo xtask setup`, python3)");
        return false;
    };
    let mut script = "(set-option :print-warning true)\n".to_owned();
    let mut files: Vec<PathBuf> = std::fs::read_dir(out.join("evaluators/smt"))
        .expect("a folder")
        .map(|entry| entry.expect("an entry").path())
        .collect();
    files.sort();
    for file in files {
        script += &std::fs::read_to_string(file).expect("a file");
    }
    let mut expected = Vec::new();
    let cases = &expressed(cases, &script, |case| case.symbol.clone());
    // An approximation is a function without a definition.
    let approximates = |expr: &Expr| matches!(&expr.op, Op::Float { float, .. } if float.op.approximates());
    for case in cases.iter().filter(|case| !case.function.exprs().iter().any(approximates)) {
        let step = case.inputs.len().div_ceil(INPUTS);
        let results = case.expected.iter().zip(&case.open);
        for (input, (result, open)) in case.inputs.iter().zip(results).step_by(step) {
            // Which NaN it is is not said.
            if open.iter().any(|word| *word != 0) {
                continue;
            }
            let args = literals(&case.arg_widths, input).join(" ");
            for (number, value) in literals(&case.result_widths, result).into_iter().enumerate() {
                let several = case.result_widths.len() > 1;
                let name = if several { format!("{}.{number}", case.symbol) } else { case.symbol.clone() };
                let call = if args.is_empty() { name } else { format!("({name} {args})") };
                script += &format!("(simplify (= {call} {value}))\n");
                expected.push(&case.symbol);
            }
        }
    }
    let path = folder.join("all.smt2");
    std::fs::write(&path, script).expect("a file");
    let output = Command::new(&z3).arg(&path).output().expect("Z3 runs");
    let text = String::from_utf8_lossy(&output.stdout);
    let start: String = text.lines().filter(|line| *line != "true").take(5).collect::<Vec<_>>().join("\n");
    assert_eq!(text.lines().count(), expected.len(), "{start}");
    let wrong: Vec<&&String> =
        expected.iter().zip(text.lines()).filter(|(_, line)| *line != "true").map(|(name, _)| name).collect();
    assert!(wrong.is_empty(), "{wrong:?}: {start}");
    true
}
