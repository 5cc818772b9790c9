//! How much of what `hydride synth` gains over rules for single operations is gained by rules that were found on other kernels: each
//! kernel of a file of windows is left out once, rules are found on the cuts of the others, and its windows are compiled by these
//! alone.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::Path;
use std::process::Command;

use anyhow::{Context, Result, ensure};
use serde::Deserialize;

use crate::root;

/// Targets where none are asked for.
const TARGETS: &[&str] = &["avx2", "neon"];

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

/// Runs a command of the program, which may have findings; what it prints.
fn run(binary: &Path, command: &[&str], specs: &[String], rest: &[String]) -> Result<String> {
    let output = Command::new(binary)
        .args(command)
        .args(specs)
        .args(rest)
        .output()
        .with_context(|| format!("cannot start {}", binary.display()))?;
    ensure!(
        output.status.code().is_some_and(|code| code <= 1),
        "{command:?}: {}",
        String::from_utf8_lossy(&output.stderr)
    );
    Ok(String::from_utf8_lossy(&output.stdout).into_owned())
}

fn answers(text: &str) -> Result<Vec<Answer>> {
    text.lines().map(serde_json::from_str).collect::<Result<_, _>>().context("a line is no answer")
}

/// Prints a row for each window: the cost of one instruction a node and register, of rules for single operations, of synthesis, and
/// of rules found on other kernels.
pub fn bench(binary: &Path, specs: &[String], windows: Option<&Path>, targets: &[String]) -> Result<i32> {
    let own = root().join("specs/windows/samples.jsonl");
    let file = windows.unwrap_or(&own);
    let text = fs::read_to_string(file).with_context(|| format!("cannot read {}", file.display()))?;
    let folder = root().join("target/bench-rules");
    fs::create_dir_all(&folder)?;
    let targets: Vec<&str> =
        if targets.is_empty() { TARGETS.to_vec() } else { targets.iter().map(String::as_str).collect() };
    println!("| window | target | plain | single operations | synthesized | rules | share | seconds |");
    println!("|---|---|---:|---:|---:|---:|---:|---:|");
    let (mut gained, mut possible) = (0i64, 0i64);
    let mut slowest = 0f64;
    for target in targets {
        let mut kernels: BTreeMap<String, Vec<&str>> = BTreeMap::new();
        for line in text.lines() {
            let window: Window = serde_json::from_str(line).context("a line is no window")?;
            if window.target == target {
                let kernel = window.name.split("__").next().unwrap_or_default().to_owned();
                kernels.entry(kernel).or_default().push(line);
            }
        }
        let path = |name: &str| folder.join(format!("{target}.{name}")).display().to_string();
        // What all have in common is found once.
        let (base, cache) = (path("base.toml"), path("answers.redb"));
        let common = ["--isa".to_owned(), target.to_owned(), "--cache".to_owned(), cache];
        let mut rest = common.to_vec();
        rest.extend(["--cut", "0", "--out", &base].map(str::to_owned));
        if Path::new(&base).exists() {
            eprintln!("rules for single operations are taken from {base}");
        } else {
            run(binary, &["rules", "mine"], specs, &rest)?;
        }
        let all = path("all.jsonl");
        fs::write(&all, kernels.values().flatten().map(|line| format!("{line}\n")).collect::<String>())?;
        let rest = ["--rules".to_owned(), base.clone(), all.clone()];
        let single: BTreeMap<String, Answer> = answers(&run(binary, &["select"], specs, &rest)?)?
            .into_iter()
            .map(|answer| (answer.name.clone(), answer))
            .collect();
        let mut rest = common.to_vec();
        rest.push(all);
        let synthesized: BTreeMap<String, Answer> = answers(&run(binary, &["synth"], specs, &rest)?)?
            .into_iter()
            .map(|answer| (answer.name.clone(), answer))
            .collect();
        let names: BTreeSet<&String> = kernels.keys().collect();
        for kernel in names {
            let (others, held) = (path("others.jsonl"), path("held.jsonl"));
            let lines = |wanted: bool| {
                let of = kernels.iter().filter(|(name, _)| (*name == kernel) == wanted);
                of.flat_map(|(_, lines)| lines).map(|line| format!("{line}\n")).collect::<String>()
            };
            fs::write(&others, lines(false))?;
            fs::write(&held, lines(true))?;
            let rules = path("rules.toml");
            let mut rest = common.to_vec();
            rest.extend(["--with", &base, "--out", &rules, &others].map(str::to_owned));
            run(binary, &["rules", "mine"], specs, &rest)?;
            let rest = ["--rules".to_owned(), rules, held];
            for answer in answers(&run(binary, &["select"], specs, &rest)?)? {
                let plain = answer.plain.unwrap_or(0);
                let of = |all: &BTreeMap<String, Answer>| Some(all.get(&answer.name)?.cost.as_ref()?.uops);
                let (best, before) = (of(&synthesized), of(&single));
                // Where single operations do not cover a window, it is as if each had an instruction.
                let base = i64::from(before.unwrap_or(plain));
                let by_rules = answer.cost.as_ref().map(|cost| cost.uops);
                let (could, did) = (
                    best.map_or(0, |best| base - i64::from(best)),
                    by_rules.map_or(0, |by_rules| base - i64::from(by_rules)),
                );
                if could > 0 {
                    possible += could;
                    gained += did.min(could);
                }
                slowest = slowest.max(answer.seconds);
                let shown = |value: Option<u32>| value.map_or("-".to_owned(), |value| value.to_string());
                println!(
                    "| {} | {target} | {plain} | {} | {} | {} | {} | {:.4} |",
                    answer.name,
                    shown(before),
                    shown(best),
                    shown(by_rules),
                    if could > 0 { format!("{} %", 100 * did / could) } else { "-".into() },
                    answer.seconds
                );
                for note in &answer.notes {
                    eprintln!("{} on {target}: {note}", answer.name);
                }
            }
        }
    }
    println!(
        "\nrules found on other kernels gain {gained} of {possible} micro-operations that synthesis gains ({:.0} %); the slowest \
         window took {slowest:.4} s",
        100.0 * gained as f64 / possible.max(1) as f64
    );
    Ok(0)
}
