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
    dearer: usize,
    searched_in_all: usize,
    reached_in_all: usize,
    cached_in_all: usize,
    median_seconds: f64,
    seconds: f64,
}

/// A function's times, as a line of its report.
#[derive(Deserialize)]
struct Times {
    file: String,
    function: String,
    /// Of a machine that is emulated there is none.
    quotient: Option<f64>,
    slower: bool,
    differs: bool,
}

/// What a function costs by the machine's model, as a line of its report.
#[derive(Deserialize)]
struct Costs {
    before: Whole,
    after: Whole,
}

#[derive(Deserialize)]
struct Whole {
    cycles: f64,
    uops: f64,
}

/// A line of its report.
#[derive(Deserialize)]
struct Rewrite {
    kind: String,
    instructions: (usize, usize),
    before: Priced,
    after: Priced,
}

#[derive(Deserialize)]
struct Priced {
    cost: Cost,
}

#[derive(Deserialize, PartialEq)]
struct Cost {
    throughput: f64,
    uops: u32,
}

/// Prints a row for each target; exit code 1 when LLVM refuses a module that was changed. What an interrupted run found is not
/// searched again.
pub fn bench(binary: &Path, specs: &[String], targets: &[String], jobs: u32) -> Result<i32> {
    let mut files = sources(&root().join("specs/benchmarks"))?;
    files.extend(sources(&root().join("specs/kernels"))?);
    println!(
        "| target | functions | values | slices | different slices | reached | values improved | not, since the function is \
         dearer | rewrites | with the target's instructions | of two or more | cheaper in more than latency | seconds | \
         seconds a value | median of a slice |"
    );
    println!("|---|{}", "---:|".repeat(14));
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
        let cache = folder.join("answers.redb");
        let ended = folder.join("ended");
        if fs::remove_file(&ended).is_ok() {
            let _ = fs::remove_file(&cache);
        }
        let lines = output(
            Command::new(binary)
                .args(["optimize", "--isa", name, "--jobs", &jobs.to_string(), "--report"])
                .arg(&report)
                .arg("--cache")
                .arg(&cache)
                .args(specs)
                .arg("--measure")
                .args(&modules),
        )?;
        let lines: Vec<Summary> = lines
            .lines()
            .map(serde_json::from_str)
            .collect::<Result<_, _>>()
            .context("the lines of `hydride optimize`")?;
        let rewrites: Vec<Rewrite> = self::lines(&report.join("rewrites.jsonl")).context("its report")?;
        let sum = |of: fn(&Summary) -> usize| lines.iter().map(of).sum::<usize>();
        let last = lines.last().context("no modules")?;
        fs::write(&ended, "")?;
        let target = rewrites.iter().filter(|rewrite| rewrite.kind == "target").count();
        let several = rewrites.iter().filter(|rewrite| rewrite.instructions.1 > 1).count();
        let cheaper = rewrites.iter().filter(|rewrite| rewrite.before.cost != rewrite.after.cost).count();
        println!(
            "| {name} | {} | {} | {} | {} | {} | {} | {} | {} | {target} | {several} | {cheaper} | {:.0} | {:.2} | {:.3} |",
            sum(|line| line.functions - line.left_alone),
            sum(|line| line.values),
            sum(|line| line.slices),
            last.searched_in_all,
            last.reached_in_all,
            sum(|line| line.changed),
            sum(|line| line.dearer),
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
        if last.cached_in_all > 0 {
            println!(
                "Seconds are without {} slices that an interrupted run had answered.",
                last.cached_in_all
            );
        }
        println!("{name}: the rewrites are in {}", report.join("rewrites.md").display());
        costs(&report.join("functions.jsonl"))?;
        if times(&report.join("times.jsonl"))? > 0 {
            code = 1;
        }
        let offline = |module: &Path| {
            let specs = specs.join(" ");
            let (binary, cache) = (binary.display(), cache.display());
            format!("{binary} optimize --isa {name} --cache {cache} {specs} --offline {}", module.display())
        };
        let compiler = format!("{CLANG} {} -O3 -DORIGINAL -w -c -o /dev/null", options.join(" "));
        costs_of_answers(&files, &modules, &offline, &compiler)?;
    }
    Ok(code)
}

/// Runs of a command of which the processor's time is taken.
const RUNS: usize = 10;

/// Prints what answers of the cache alone cost a compilation, of the processor's time, for each module.
fn costs_of_answers(
    sources: &[PathBuf],
    modules: &[PathBuf],
    offline: &dyn Fn(&Path) -> String,
    compiler: &str,
) -> Result<()> {
    println!();
    println!("| module | lines | milliseconds of `--offline` | of the compiler | share |");
    println!("|---|---:|---:|---:|---:|");
    let (mut all, mut compiled) = (0.0, 0.0);
    for (source, module) in sources.iter().zip(modules) {
        let own = offline(module);
        // What is not settled yet is after this.
        milliseconds(&own, 1)?;
        let (own, other) =
            (milliseconds(&own, RUNS)?, milliseconds(&format!("{compiler} {}", source.display()), RUNS)?);
        let lines = fs::read_to_string(module)?.lines().count();
        let name = module.file_stem().unwrap_or_default().display();
        println!("| {name} | {lines} | {own:.1} | {other:.1} | {:.1} % |", 100.0 * own / other);
        (all, compiled) = (all + own, compiled + other);
    }
    println!("| all | | {all:.1} | {compiled:.1} | {:.1} % |", 100.0 * all / compiled);
    Ok(())
}

/// Milliseconds of the processor of a command of the shell.
fn milliseconds(command: &str, runs: usize) -> Result<f64> {
    let script = format!("for at in $(seq {runs}); do {command} || exit 1; done >/dev/null; times");
    let text = output(Command::new("sh").args(["-c", &script]))?;
    // The last line has the user's and the system's time of all children, as `0m0.123s`.
    let seconds = |word: &str| {
        let (minutes, seconds) = word.trim_end_matches('s').split_once('m')?;
        Some(60.0 * minutes.parse::<f64>().ok()? + seconds.parse::<f64>().ok()?)
    };
    let all: Option<Vec<f64>> =
        text.lines().last().unwrap_or_default().split_whitespace().map(seconds).collect();
    Ok(1000.0 * all.context("the times of a shell")?.iter().sum::<f64>() / runs as f64)
}

/// Prints what changed functions cost by the machine's model, as a part of what they cost before.
fn costs(path: &Path) -> Result<()> {
    let all: Vec<Costs> = lines(path).context("costs of functions")?;
    let cycles = all.iter().map(|own| own.after.cycles / own.before.cycles);
    let uops = all.iter().map(|own| own.after.uops / own.before.uops);
    println!(
        "{} functions are changed: by the machine's model {:.3} times the cycles and {:.3} times the micro-operations \
         (geometric means)",
        all.len(),
        mean(cycles),
        mean(uops)
    );
    Ok(())
}

/// The geometric mean.
fn mean(all: impl Iterator<Item = f64>) -> f64 {
    let (count, sum) = all.fold((0, 0.0), |(count, sum), own| (count + 1, sum + own.ln()));
    (sum / f64::from(count.max(1))).exp()
}

/// The lines of JSON of a file.
fn lines<T: serde::de::DeserializeOwned>(path: &Path) -> Result<Vec<T>> {
    let text = fs::read_to_string(path)?;
    Ok(text.lines().map(serde_json::from_str).collect::<Result<_, _>>()?)
}

/// Prints how long loops take, as a part of what they took before, and those that became slower and stay as they were; the number
/// of those that do something else than before.
fn times(path: &Path) -> Result<usize> {
    let times: Vec<Times> = lines(path).context("times of loops")?;
    let different: Vec<&Times> = times.iter().filter(|own| own.differs).collect();
    println!("{} functions that were changed were run: {} do something else", times.len(), different.len());
    for Times { file, function, .. } in &different {
        println!("something else: @{function} of {file}");
    }
    let timed = times.iter().filter_map(|own| Some((own, own.quotient?)));
    let (slower, kept): (Vec<_>, Vec<_>) = timed.partition(|(own, _)| own.slower);
    if slower.len() + kept.len() > 0 {
        println!(
            "{} were timed: {} became slower and stay as they were; the others take {:.3} times as long (geometric mean)",
            slower.len() + kept.len(),
            slower.len(),
            mean(kept.iter().map(|(_, quotient)| *quotient))
        );
    }
    for (Times { file, function, .. }, quotient) in slower {
        println!("{quotient:.3} times as long: @{function} of {file}");
    }
    Ok(different.len())
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
