//! How much of what `hydride synth` gains over rules for single operations is gained by rules that were found on other kernels: each
//! kernel of a file of windows is left out once, rules are found on the cuts of the others, and its windows are compiled by these
//! alone.
//!
//! What is found is kept, so that all runs of a target share one search for each pattern and each cut, and that a run which was
//! interrupted goes on where it was when it is started again with the same program. The program and the patterns are
//! copied first, so that a tree that is built or edited meanwhile changes nothing.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Context, Result, ensure};
use serde::Deserialize;

use crate::root;

/// Targets where none are asked for.
const TARGETS: &[&str] = &["avx2", "avx512", "neon", "hvx"];

/// Equalities, and patterns of single operations whose values are in order.
const SINGLE: &[&str] = &["lifting", "folds", "emulations", "basic", "table1"];

/// Runs of a target's rules on random values.
const RUNS: &str = "100000";

/// Operations that a cut has at most.
const CUT: &str = "2";

#[derive(Deserialize)]
struct Window {
    name: String,
    target: String,
}

#[derive(Deserialize)]
struct Answer {
    name: String,
    cost: Option<Cost>,
    plain: Option<u32>,
    #[serde(default)]
    notes: Vec<String>,
    seconds: f64,
}

#[derive(Deserialize)]
struct Cost {
    uops: u32,
}

/// What windows cost, by name.
type Costs = BTreeMap<String, Option<u32>>;

/// A target with what all its runs have in common.
struct Bench<'a> {
    binary: &'a Path,
    specs: &'a [String],
    folder: &'a Path,
    target: &'a str,
    jobs: String,
}

impl Bench<'_> {
    /// Runs a command of the program, which may have findings; what it prints.
    fn run(&self, command: &[&str], rest: &[&str]) -> Result<String> {
        let output = Command::new(self.binary)
            .args(command)
            .args(self.specs)
            .args(rest)
            .output()
            .with_context(|| format!("cannot start {}", self.binary.display()))?;
        ensure!(
            output.status.code().is_some_and(|code| code <= 1),
            "{command:?}: {}",
            String::from_utf8_lossy(&output.stderr)
        );
        Ok(String::from_utf8_lossy(&output.stdout).into_owned())
    }

    fn path(&self, name: &str) -> String {
        self.folder.join(format!("{}.{name}", self.target)).display().to_string()
    }

    fn mine(&self, out: &str, rest: &[&str]) -> Result<()> {
        let cache = self.path("answers.redb");
        let common = ["--isa", self.target, "--jobs", &self.jobs, "--cache", &cache, "--out", out];
        self.run(&["rules", "mine"], &[&common, rest].concat()).map(|_| ())
    }

    fn answers(&self, command: &str, rest: &[&str]) -> Result<Vec<Answer>> {
        let text = self.run(&[command], rest)?;
        text.lines().map(serde_json::from_str).collect::<Result<_, _>>().context("a line is no answer")
    }

    fn costs(&self, command: &str, rest: &[&str]) -> Result<Costs> {
        let cost = |answer: Answer| (answer.name, answer.cost.map(|cost| cost.uops));
        Ok(self.answers(command, rest)?.into_iter().map(cost).collect())
    }
}

/// Copies a file into a folder.
fn copy(file: &Path, folder: &Path) -> Result<PathBuf> {
    let to = folder.join(file.file_name().context("a file has a name")?);
    fs::copy(file, &to).with_context(|| format!("cannot copy {}", file.display()))?;
    Ok(to)
}

/// Prints a row for each window: the cost of one instruction a node and register, of rules for single operations, of the rules that
/// are found without windows, of those found on other kernels besides, and of synthesis; `jobs` patterns and windows at a time.
pub fn bench(
    binary: &Path,
    specs: &[String],
    windows: Option<&Path>,
    targets: &[String],
    jobs: u32,
) -> Result<i32> {
    let own = root().join("specs/windows/samples.jsonl");
    let file = windows.unwrap_or(&own);
    let text = fs::read_to_string(file).with_context(|| format!("cannot read {}", file.display()))?;
    let folder = root().join("target/bench-rules");
    fs::create_dir_all(&folder)?;
    let binary = copy(binary, &folder)?;
    for name in SINGLE.iter().chain(&["sums"]) {
        copy(&root().join(format!("specs/rules/{name}.rules")), &folder)?;
    }
    let targets: Vec<&str> =
        if targets.is_empty() { TARGETS.to_vec() } else { targets.iter().map(String::as_str).collect() };
    println!(
        "| window | target | plain | single operations | built in | other kernels | synthesized | share | seconds |"
    );
    println!("|---|---|---:|---:|---:|---:|---:|---:|---:|");
    let mut totals = Vec::new();
    for target in targets {
        let mut kernels: BTreeMap<String, Vec<&str>> = BTreeMap::new();
        for line in text.lines() {
            let window: Window = serde_json::from_str(line).context("a line is no window")?;
            if window.target == target {
                let kernel = window.name.split("__").next().unwrap_or_default().to_owned();
                kernels.entry(kernel).or_default().push(line);
            }
        }
        let bench = Bench { binary: &binary, specs, folder: &folder, target, jobs: jobs.to_string() };
        // Rules that are found without windows: for single operations alone, and all.
        let (single, built_in, rules) =
            (bench.path("single.toml"), bench.path("base.toml"), bench.path("rules.toml"));
        let patterns = |name: &str| folder.join(format!("{name}.rules")).display().to_string();
        let single_patterns: Vec<String> =
            SINGLE.iter().map(|name| format!("--patterns={}", patterns(name))).collect();
        let mut rest = vec!["--cut", "0"];
        rest.extend(single_patterns.iter().map(String::as_str));
        bench.mine(&single, &rest)?;
        let sums = patterns("sums");
        bench.mine(&built_in, &["--cut", "0", "--with", &single, "--layouts", "--patterns", &sums])?;
        let (all, others, held) =
            (bench.path("all.jsonl"), bench.path("others.jsonl"), bench.path("held.jsonl"));
        let write = |path: &str, wanted: &dyn Fn(&str) -> bool| {
            let lines = kernels.iter().filter(|(name, _)| wanted(name)).flat_map(|(_, lines)| lines);
            fs::write(path, lines.map(|line| format!("{line}\n")).collect::<String>())
        };
        write(&all, &|_| true)?;
        let by_single = bench.costs("select", &["--rules", &single, &all])?;
        let by_built_in = bench.costs("select", &["--rules", &built_in, &all])?;
        let cache = bench.path("answers.redb");
        let synthesized = bench.costs("synth", &["--jobs", &bench.jobs, "--cache", &cache, &all])?;
        let (mut gained, mut possible, mut slowest) = (0i64, 0i64, 0f64);
        for kernel in kernels.keys().collect::<BTreeSet<_>>() {
            write(&others, &|name| name != kernel)?;
            write(&held, &|name| name == kernel)?;
            bench.mine(&rules, &["--with", &built_in, "--cut", CUT, &others])?;
            for answer in bench.answers("select", &["--rules", &rules, &held])? {
                let of = |all: &Costs| all.get(&answer.name).copied().flatten();
                let (best, before, built_in) = (of(&synthesized), of(&by_single), of(&by_built_in));
                let plain = answer.plain.unwrap_or(0);
                // Where single operations do not cover a window, it is as if each had an instruction.
                let base = i64::from(before.unwrap_or(plain));
                let by_rules = answer.cost.as_ref().map(|cost| cost.uops);
                let gain = |cost: Option<u32>| cost.map_or(0, |cost| base - i64::from(cost));
                let (could, did) = (gain(best), gain(by_rules));
                if could > 0 {
                    possible += could;
                    gained += did.clamp(0, could);
                }
                slowest = slowest.max(answer.seconds);
                let shown = |value: Option<u32>| value.map_or("-".to_owned(), |value| value.to_string());
                println!(
                    "| {} | {target} | {plain} | {} | {} | {} | {} | {} | {:.4} |",
                    answer.name,
                    shown(before),
                    shown(built_in),
                    shown(by_rules),
                    shown(best),
                    if could > 0 { format!("{} %", 100 * did / could) } else { "-".into() },
                    answer.seconds
                );
                for note in &answer.notes {
                    eprintln!("{} on {target}: {note}", answer.name);
                }
            }
        }
        totals.push(format!(
            "{target}: rules found on other kernels gain {gained} of {possible} micro-operations that synthesis gains ({:.0} %); \
             the slowest window took {slowest:.4} s",
            100.0 * gained as f64 / possible.max(1) as f64
        ));
        // The rules of the last kernel's run have those that are found without windows.
        totals.push(bench.run(&["rules", "run"], &["--inputs", RUNS, &rules])?.trim_end().to_owned());
    }
    println!("\n{}", totals.join("\n"));
    Ok(0)
}
