//! Loops in C as clang compiles them, and what `hydride optimize` finds cheaper.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Context, Result, ensure};
use serde::Deserialize;

use crate::process::{output, run};
use crate::root;

const CLANG: &str = "clang-19";
const OPT: &str = "opt-19";
const LLC: &str = "llc-19";

/// What loops are compiled for: the name, clang's options, and those of `llc`.
const TARGETS: &[(&str, &[&str], &[&str])] = &[
    (
        "avx2",
        &["--target=x86_64-linux-gnu", "-march=haswell"],
        &["-mtriple=x86_64-linux-gnu", "-mcpu=haswell"],
    ),
    (
        "avx512",
        &["--target=x86_64-linux-gnu", "-march=x86-64-v4"],
        &["-mtriple=x86_64-linux-gnu", "-mcpu=x86-64-v4"],
    ),
    (
        "neon",
        &["--target=aarch64-linux-gnu", "-mcpu=neoverse-n1"],
        &["-mtriple=aarch64-linux-gnu", "-mcpu=neoverse-n1"],
    ),
];

/// A line of `hydride optimize`.
#[derive(Deserialize)]
struct Summary {
    functions: usize,
    left_alone: usize,
    values: usize,
    slices: usize,
    changed: usize,
    searched_in_all: usize,
    median_seconds: f64,
    seconds: f64,
}

/// A function's times, as a line of its report.
#[derive(Deserialize)]
struct Times {
    file: String,
    function: String,
    quotient: f64,
    slower: bool,
}

/// A line of its report.
#[derive(Deserialize)]
struct Rewrite {
    kind: String,
    instructions: (usize, usize),
}

/// Prints a row for each target; exit code 1 when LLVM refuses a module that was changed.
pub fn bench(binary: &Path, specs: &[String], targets: &[String]) -> Result<i32> {
    let mut files = sources(&root().join("specs/benchmarks"))?;
    files.extend(sources(&root().join("specs/kernels"))?);
    println!(
        "| target | functions | values | slices | different slices | values improved | rewrites | with the target's \
         instructions | of two or more | seconds | seconds a value | median of a slice |"
    );
    println!("|---|---:|---:|---:|---:|---:|---:|---:|---:|---:|---:|---:|");
    let mut code = 0;
    for (name, options, machine) in TARGETS {
        if !targets.is_empty() && !targets.iter().any(|asked| asked == name) {
            continue;
        }
        let folder = root().join("target/bench-optimize").join(name);
        fs::create_dir_all(&folder)?;
        let mut modules = Vec::new();
        for file in &files {
            let stem = file.file_stem().unwrap_or_default();
            let module = folder.join(stem).with_extension("ll");
            run(Command::new(CLANG)
                .args(*options)
                .args(["-O3", "-gline-tables-only", "-DORIGINAL", "-w", "-S", "-emit-llvm", "-o"])
                .arg(&module)
                .arg(file))?;
            modules.push(module);
        }
        let report = folder.join("report");
        let lines = output(
            Command::new(binary)
                .args(["optimize", "--no-cache", "--isa", name, "--jobs", "2", "--report"])
                .arg(&report)
                .args(specs)
                .args(is_own(machine).then_some("--measure"))
                .args(&modules),
        )?;
        let lines: Vec<Summary> = lines
            .lines()
            .map(serde_json::from_str)
            .collect::<Result<_, _>>()
            .context("the lines of `hydride optimize`")?;
        let rewrites = fs::read_to_string(report.join("rewrites.jsonl"))?;
        let rewrites: Vec<Rewrite> =
            rewrites.lines().map(serde_json::from_str).collect::<Result<_, _>>().context("its report")?;
        let sum = |of: fn(&Summary) -> usize| lines.iter().map(of).sum::<usize>();
        let last = lines.last().context("no modules")?;
        let target = rewrites.iter().filter(|rewrite| rewrite.kind == "target").count();
        let several = rewrites.iter().filter(|rewrite| rewrite.instructions.1 > 1).count();
        println!(
            "| {name} | {} | {} | {} | {} | {} | {} | {target} | {several} | {:.0} | {:.2} | {:.3} |",
            sum(|line| line.functions - line.left_alone),
            sum(|line| line.values),
            sum(|line| line.slices),
            last.searched_in_all,
            sum(|line| line.changed),
            rewrites.len(),
            last.seconds,
            last.seconds / sum(|line| line.values).max(1) as f64,
            last.median_seconds,
        );
        for module in &modules {
            let changed = module.with_extension("opt.ll");
            let checked =
                Command::new(OPT).args(["-passes=verify", "-disable-output"]).arg(&changed).status()?;
            let compiled =
                Command::new(LLC).args(*machine).args(["-O2", "-o", "/dev/null"]).arg(&changed).status()?;
            if !(checked.success() && compiled.success()) {
                eprintln!("bench: LLVM refuses {}", changed.display());
                code = 1;
            }
        }
        println!();
        println!("{name}: the rewrites are in {}", report.join("rewrites.md").display());
        if is_own(machine) {
            times(&report.join("times.jsonl"))?;
        }
    }
    Ok(code)
}

/// Whether this machine runs code for a target.
fn is_own(machine: &[&str]) -> bool {
    machine.iter().any(|option| option.starts_with(&format!("-mtriple={}", std::env::consts::ARCH)))
}

/// Prints how long loops take, as a part of what they took before, and those that became slower and stay as they were.
fn times(path: &Path) -> Result<()> {
    let text = fs::read_to_string(path)?;
    let times: Vec<Times> =
        text.lines().map(serde_json::from_str).collect::<Result<_, _>>().context("times of loops")?;
    let (slower, kept): (Vec<&Times>, Vec<&Times>) = times.iter().partition(|own| own.slower);
    let mean = |all: &[&Times]| {
        (all.iter().map(|own| own.quotient.ln()).sum::<f64>() / all.len().max(1) as f64).exp()
    };
    println!(
        "{} loops that were changed were run: {} became slower and stay as they were; the others take {:.3} times as long \
         (geometric mean)",
        times.len(),
        slower.len(),
        mean(&kept)
    );
    for Times { file, function, quotient, .. } in slower {
        println!("{quotient:.3} times as long: @{function} of {file}");
    }
    Ok(())
}

/// The C files of a folder, in order.
fn sources(folder: &Path) -> Result<Vec<PathBuf>> {
    let entries: Vec<PathBuf> =
        fs::read_dir(folder)?.map(|entry| Ok(entry?.path())).collect::<Result<Vec<PathBuf>>>()?;
    let mut files: Vec<PathBuf> =
        entries.into_iter().filter(|path| path.extension().is_some_and(|ending| ending == "c")).collect();
    files.sort();
    ensure!(!files.is_empty(), "{} has no loops", folder.display());
    Ok(files)
}
