//! `llvm/portable.ll`, compiled for a plain x86-64.

use std::collections::BTreeMap;
use std::path::Path;

use super::cases::{Case, expressed, offsets, words};
use super::runner::{compare, main_in_c, tool};

/// Runs every case; `false` where a tool is missing.
pub fn check(out: &Path, cases: &[Case], folder: &Path) -> bool {
    let portable = out.join("llvm/portable.ll");
    let text = std::fs::read_to_string(&portable).expect("portable.ll");
    let defined = defined_types(&text);
    let cases = &expressed(cases, &text, |case| format!("@{}", case.symbol));
    let portable = portable.to_string_lossy();
    if !tool("opt-19", folder, &["-passes=verify", "-disable-output", &portable]) {
        return false;
    }
    let mut wrappers = String::new();
    let mut declarations = String::new();
    for (number, case) in cases.iter().enumerate() {
        wrappers += &wrapper(number, case, &defined[&case.symbol]);
        declarations += &format!("void case_{number}(const uint64_t *, uint64_t *);\n");
    }
    std::fs::write(folder.join("wrappers.ll"), wrappers).expect("a file");
    std::fs::write(folder.join("main.c"), main_in_c(cases, &declarations)).expect("a file");
    tool("llvm-link-19", folder, &["--only-needed", "wrappers.ll", &portable, "-o", "all.bc"])
        && tool("opt-19", folder, &["-O1", "-mtriple=x86_64-linux-gnu", "all.bc", "-o", "small.bc"])
        && tool(
            "llc-19",
            folder,
            &["-O1", "-mcpu=x86-64", "-filetype=obj", "-relocation-model=pic", "small.bc", "-o", "all.o"],
        )
        && tool("clang-19", folder, &["-O1", "main.c", "all.o", "-o", "run"])
        && {
            compare(&folder.join("run"), cases);
            true
        }
}

/// The types of each function's arguments: immediates are wider than their values.
fn defined_types(text: &str) -> BTreeMap<String, Vec<String>> {
    let definitions = text.lines().filter(|line| line.starts_with("define "));
    definitions
        .map(|line| {
            let (symbol, rest) =
                line.split_once('@').and_then(|(_, rest)| rest.split_once('(')).expect("a function");
            let (args, _) = rest.rsplit_once(") #").expect("arguments");
            let types = args.split(", ").filter_map(|arg| Some(arg.rsplit_once(" %")?.0.to_owned()));
            (symbol.to_owned(), types.collect())
        })
        .collect()
}

/// A function that loads arguments from words, calls the instance and stores the results.
fn wrapper(number: usize, case: &Case, defined: &[String]) -> String {
    let mut lines = Vec::new();
    let mut args = Vec::new();
    let (starts, _) = offsets(&case.arg_widths);
    for (place, ((start, width), arg_type)) in
        starts.iter().zip(&case.arg_widths).zip(&case.arg_types).enumerate()
    {
        let stored = 64 * words(*width);
        lines.push(format!("%p{place} = getelementptr i64, ptr %in, i64 {start}"));
        lines.push(format!("%w{place} = load i{stored}, ptr %p{place}, align 8"));
        let mut value = format!("%w{place}");
        if stored != *width as usize {
            lines.push(format!("%t{place} = trunc i{stored} {value} to i{width}"));
            value = format!("%t{place}");
        }
        lines.push(format!("%a{place} = bitcast i{width} {value} to {arg_type}"));
        let defined = &defined[place];
        if defined == arg_type {
            args.push(format!("{arg_type} %a{place}"));
        } else {
            lines.push(format!("%i{place} = zext {arg_type} %a{place} to {defined}"));
            args.push(format!("{defined} %i{place}"));
        }
    }
    let single = case.result_types.len() == 1;
    let returned =
        if single { case.result_types[0].clone() } else { format!("{{ {} }}", case.result_types.join(", ")) };
    lines.push(format!("%r = call {returned} @{}({})", case.symbol, args.join(", ")));
    let (starts, _) = offsets(&case.result_widths);
    for (place, ((start, width), result_type)) in
        starts.iter().zip(&case.result_widths).zip(&case.result_types).enumerate()
    {
        let mut value = "%r".to_owned();
        if !single {
            value = format!("%f{place}");
            lines.push(format!("{value} = extractvalue {returned} %r, {place}"));
        }
        lines.push(format!("%b{place} = bitcast {result_type} {value} to i{width}"));
        value = format!("%b{place}");
        let stored = 64 * words(*width);
        if stored != *width as usize {
            lines.push(format!("%z{place} = zext i{width} {value} to i{stored}"));
            value = format!("%z{place}");
        }
        lines.push(format!("%q{place} = getelementptr i64, ptr %out, i64 {start}"));
        lines.push(format!("store i{stored} {value}, ptr %q{place}, align 8"));
    }
    let arg_types = defined.join(", ");
    format!(
        "declare {returned} @{}({arg_types})\ndefine void @case_{number}(ptr %in, ptr %out) {{\n  {}\n  ret void\n}}\n",
        case.symbol,
        lines.join("\n  ")
    )
}
