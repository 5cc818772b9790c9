//! `evaluators/autollvm.h` and `evaluators/autollvm.rs`.

use std::collections::BTreeSet;
use std::path::Path;

use hydride_ir::Role;

use super::cases::{Case, expressed, offsets};
use super::runner::{compare, main_in_c, tool};

/// The operands of a call: results, arguments, immediates as words, parameters.
fn operands(
    case: &Case,
    result: impl Fn(usize, usize) -> String,
    arg: impl Fn(usize, usize) -> String,
    word: impl Fn(usize) -> String,
    least: &str,
) -> String {
    let (starts, end) = offsets(&case.result_widths);
    let ends = starts.iter().skip(1).copied().chain([end]);
    let mut operands: Vec<String> = starts.iter().zip(ends).map(|(from, to)| result(*from, to)).collect();
    let (starts, end) = offsets(&case.arg_widths);
    let ends = starts.iter().skip(1).copied().chain([end]);
    for ((from, to), own) in starts.iter().zip(ends).zip(&case.function.args) {
        operands.push(match own.role {
            Role::Immediate { .. } => word(*from),
            Role::Register | Role::Memory { .. } => arg(*from, to),
        });
    }
    operands.extend(case.params.iter().map(|value| match *value {
        i64::MIN => least.to_owned(),
        value => value.to_string(),
    }));
    operands.join(", ")
}

/// C: clean under two compilers' warnings, and right; `false` where a tool is missing.
pub fn check_c(out: &Path, cases: &[Case], folder: &Path) -> bool {
    let header = out.join("evaluators");
    let include = format!("-I{}", header.display());
    let text = std::fs::read_to_string(header.join("autollvm.h")).expect("autollvm.h");
    let cases = &expressed(cases, &text, |case| format!("operation `{}`", case.op));
    let mut calls = "#include \"autollvm.h\"\n".to_owned();
    for (number, case) in cases.iter().enumerate() {
        let place = |array: &str, from: usize| format!("{array} + {from}");
        let operands = operands(
            case,
            |from, _| place("to", from),
            |from, _| place("from", from),
            |from| format!("from[{from}]"),
            "INT64_MIN",
        );
        calls += &format!(
            "static void case_{number}(const uint64_t *from, uint64_t *to) {{ (void)from; if (autollvm_{}({operands})) abort(); }}\n",
            case.op
        );
    }
    std::fs::write(folder.join("main.c"), main_in_c(cases, &calls)).expect("a file");
    let clean = |compiler: &str| {
        let flags = ["-std=c11", "-Wall", "-Wextra", "-Werror", "-fsyntax-only", &include, "main.c"];
        tool(compiler, folder, &flags)
    };
    let warned = ["gcc", "clang-19"].map(clean);
    if !warned.contains(&true) {
        return false;
    }
    let compiler = if warned[1] { "clang-19" } else { "gcc" };
    tool(compiler, folder, &["-std=c11", "-O0", &include, "main.c", "-o", "run_c"]);
    compare(&folder.join("run_c"), cases);
    true
}

/// Rust: without a warning, and right; `false` where the compiler is missing.
pub fn check_rust(out: &Path, cases: &[Case], folder: &Path) -> bool {
    let module = out.join("evaluators/autollvm.rs");
    let text = std::fs::read_to_string(&module).expect("a module");
    let functions: BTreeSet<&str> =
        text.lines().filter_map(|line| line.strip_prefix("pub fn ")?.split('(').next()).collect();
    let cases = &expressed(cases, &text, |case| format!("operation `{}`", case.op));
    let mut calls = String::new();
    for (number, case) in cases.iter().enumerate() {
        // A name that Rust reserves is longer there.
        let reserved = if functions.contains(case.op.as_str()) { "" } else { "_arg" };
        let (args, results) = (offsets(&case.arg_widths).1, offsets(&case.result_widths).1);
        let operands = operands(
            case,
            |from, _| format!("r{from}"),
            |from, to| format!("&from[{from}..{to}]"),
            |from| format!("from[{from}]"),
            "i64::MIN",
        );
        calls += &format!(
            "fn case_{number}(from: &[u64], to: &mut [u64]) {{ let _ = from; {}autollvm::{}{reserved}({operands}).unwrap() }}\n",
            split(case),
            case.op,
        );
        calls += &format!("const SIZE_{number}: (usize, usize) = ({args}, {results});\n");
    }
    let table: String =
        (0..cases.len()).map(|number| format!("    (case_{number}, SIZE_{number}),\n")).collect();
    let main = format!(
        "#![deny(warnings)]\n#[path = {module:?}]\npub mod autollvm;\nuse std::io::{{Read, Write}};\n{calls}\n\
         type Case = fn(&[u64], &mut [u64]);\n\
         const CASES: &[(Case, (usize, usize))] = &[\n{table}];\n\
         fn main() {{\n\
         \x20   let mut bytes = Vec::new();\n\
         \x20   std::io::stdin().read_to_end(&mut bytes).unwrap();\n\
         \x20   let words: Vec<u64> = bytes.chunks_exact(8).map(|b| u64::from_le_bytes(b.try_into().unwrap())).collect();\n\
         \x20   let mut out = std::io::BufWriter::new(std::io::stdout().lock());\n\
         \x20   let mut at = 0;\n\
         \x20   while at < words.len() {{\n\
         \x20       let (run, (args, results)) = CASES[words[at] as usize];\n\
         \x20       let mut to = vec![u64::MAX; results];\n\
         \x20       run(&words[at + 1..at + 1 + args], &mut to);\n\
         \x20       to.iter().for_each(|word| out.write_all(&word.to_le_bytes()).unwrap());\n\
         \x20       at += 1 + args;\n\
         \x20   }}\n\
         }}\n"
    );
    std::fs::write(folder.join("main.rs"), main).expect("a file");
    let flags = ["--edition", "2021", "main.rs", "-o", "run_rust"];
    if !tool("rustc", folder, &flags) {
        return false;
    }
    compare(&folder.join("run_rust"), cases);
    true
}

/// Statements that name the results' slices by their first words.
fn split(case: &Case) -> String {
    let mut text = "let rest = to; ".to_owned();
    let (starts, end) = offsets(&case.result_widths);
    let ends = starts.iter().skip(1).copied().chain([end]);
    for (from, to) in starts.iter().zip(ends) {
        text += &format!("let (r{from}, rest) = rest.split_at_mut({}); ", to - from);
    }
    text + "assert!(rest.is_empty()); "
}
