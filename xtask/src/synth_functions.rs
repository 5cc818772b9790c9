//! What `hydride synth` makes of functions of the IR: each instruction of a target, and random compositions of them.

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;
use std::process::Command;

use anyhow::{Context, Result, ensure};
use serde::Deserialize;

use crate::process::{cargo, output};
use crate::{root, text};

/// Targets, their instruction sets, and the narrowest of their vector registers in bits.
const TARGETS: &[(&str, &str, u32)] =
    &[("avx2", "x86", 128), ("avx512", "x86", 128), ("neon", "arm", 64), ("hvx", "hvx", 1024)];

/// Seconds for a function.
const SECONDS: &str = "2";

/// Compositions of each target.
const COMPOSITIONS: &str = "500";

/// Names of each outcome that are printed.
const SHOWN: usize = 12;

#[derive(Deserialize)]
struct Answer {
    name: String,
    status: String,
    cost: Option<Cost>,
    own: Option<Cost>,
    #[serde(default)]
    notes: Vec<String>,
    seconds: f64,
}

#[derive(Clone, Copy, Deserialize)]
struct Cost {
    uops: u32,
    latency: u32,
}

impl Answer {
    /// The name without choices of immediates.
    fn function(&self) -> &str {
        self.name.split('(').next().unwrap_or(&self.name)
    }
}

/// Prints a table with two rows for each target, and what falls short.
pub fn bench(binary: &Path, specs: &[String], targets: &[String]) -> Result<i32> {
    let folder = root().join("target/bench-synth");
    fs::create_dir_all(&folder)?;
    let ir = folder.join("out");
    output(
        Command::new(binary).args(["generate-ir", "--emit", "ir", "--locked", "--out"]).arg(&ir).args(specs),
    )?;
    let (mut rows, mut short) = (Vec::new(), Vec::new());
    for (target, isa, narrowest) in TARGETS {
        if !targets.is_empty() && !targets.iter().any(|asked| asked == target) {
            continue;
        }
        let hir = ir.join(format!("ir/{isa}.hir"));
        if !hir.is_file() {
            continue;
        }
        let matching = ["--matching", "--choices", "1"];
        let answers = answers(binary, specs, target, &hir, &matching)?;
        let mut costs: BTreeMap<&str, Cost> = BTreeMap::new();
        answers.iter().for_each(|answer| {
            if let Some(own) = answer.own {
                costs.insert(answer.function(), own);
            }
        });
        let at_most = |answer: &Answer| -> Option<bool> {
            let (cost, own) = (answer.cost?, answer.own?);
            Some((cost.uops, cost.latency) <= (own.uops, own.latency))
        };
        table(&format!("{target}, instructions"), &answers, at_most, &mut rows, &mut short);
        let names: Vec<&str> = costs.keys().copied().collect();
        let list = folder.join(format!("{target}.names"));
        fs::write(&list, names.join("\n"))?;
        let compositions = output(
            cargo()
                .args(["run", "--quiet", "--package", "synth", "--example", "compositions", "--"])
                .args([&hir, &list])
                .args(["--count", COMPOSITIONS, "--narrowest", &narrowest.to_string()]),
        )?;
        let file = folder.join(format!("{target}.compositions.hir"));
        fs::write(&file, compositions).with_context(|| format!("cannot write {}", text(&file)))?;
        let composed = self::answers(binary, specs, target, &file, &[])?;
        let at_most = |answer: &Answer| -> Option<bool> {
            let own: u32 =
                answer.name.split(' ').filter_map(|name| costs.get(name)).map(|own| own.uops).sum();
            Some(answer.cost?.uops <= own)
        };
        table(&format!("{target}, compositions"), &composed, at_most, &mut rows, &mut short);
    }
    println!(
        "| functions | windows | at their cost or less | share | at more | no answer | no window | median ms | longest s |"
    );
    println!("|---|---:|---:|---:|---:|---:|---:|---:|---:|");
    rows.iter().for_each(|row| println!("{row}"));
    println!();
    short.iter().for_each(|line| println!("{line}"));
    Ok(0)
}

fn answers(
    binary: &Path,
    specs: &[String],
    target: &str,
    file: &Path,
    flags: &[&str],
) -> Result<Vec<Answer>> {
    let output = Command::new(binary)
        .args(["synth", "--from", "hir", "--isa", target, "--jobs", "2", "--max-seconds", SECONDS])
        .args(specs)
        .args(flags)
        .arg(file)
        .output()
        .with_context(|| format!("cannot start {}", binary.display()))?;
    let code = output.status.code().unwrap_or(3);
    ensure!(code <= 1, "{}", String::from_utf8_lossy(&output.stderr));
    let lines = String::from_utf8_lossy(&output.stdout);
    lines.lines().map(serde_json::from_str).collect::<Result<_, _>>().context("a line is no answer")
}

/// Adds a row of the table, and a line for each way to fall short. `at_most` says whether an answer
/// costs no more than what it is compared with.
fn table(
    what: &str,
    answers: &[Answer],
    at_most: impl Fn(&Answer) -> Option<bool>,
    rows: &mut Vec<String>,
    short: &mut Vec<String>,
) {
    let mut by_outcome: BTreeMap<String, Vec<&str>> = BTreeMap::new();
    let mut seconds = Vec::new();
    let (mut windows, mut right, mut more, mut unanswered) = (0, 0, 0, 0);
    for answer in answers {
        let note = answer.notes.first().map_or("", String::as_str);
        let key = if answer.status == "not searched" {
            format!("no window: {note}")
        } else {
            windows += 1;
            seconds.push(answer.seconds);
            match at_most(answer) {
                Some(true) => {
                    right += 1;
                    continue;
                }
                Some(false) => {
                    more += 1;
                    "at more".to_owned()
                }
                None => {
                    unanswered += 1;
                    format!("{}: {note}", answer.status)
                }
            }
        };
        by_outcome.entry(key).or_default().push(&answer.name);
    }
    seconds.sort_by(f64::total_cmp);
    rows.push(format!(
        "| {what} | {windows} | {right} | {:.1} % | {more} | {unanswered} | {} | {:.1} | {:.2} |",
        100.0 * f64::from(right) / f64::from(windows.max(1)),
        answers.len() - windows as usize,
        1000.0 * seconds.get(seconds.len() / 2).unwrap_or(&0.0),
        seconds.last().unwrap_or(&0.0)
    ));
    for (outcome, names) in by_outcome {
        let dots = if names.len() > SHOWN { ", …" } else { "" };
        let first: Vec<&str> = names.iter().take(SHOWN).copied().collect();
        short.push(format!("{what}, {outcome}: {}: {}{dots}", names.len(), first.join(", ")));
    }
}
