//! Coverage-guided fuzzing of everything that reads documents, and of `simplex`: builds the targets of `fuzz/` and runs
//! one after the other.
//!
//! The targets link libFuzzer, which the crate `libfuzzer-sys` compiles with the available C++ compiler. Coverage
//! counters come from flags of the stable compiler (`fuzz/rustc-coverage`), only in the crates under test, so that their
//! dependencies are compiled once and run fast.

use std::collections::BTreeSet;
use std::fs::{self, File};
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Instant;

use anyhow::{Context, Result, bail, ensure};

use crate::process::{cargo, code, have, run};
use crate::root;

/// The binaries of `fuzz/`.
pub const TARGETS: &[&str] = &[
    "intel_document",
    "arm_json",
    "asl",
    "hvx_documents",
    "ir_text",
    "errata",
    "llvm_assembly",
    "simplex_programs",
];

/// Longest inputs in bytes, one length a round. Most of what a reader does shows in one entry, and of short inputs twenty
/// run in the time of a long one.
const MAX_LENGTHS: [u32; 4] = [256, 512, 200, 2048];

/// About how long a round takes. Between rounds slow inputs are put aside.
const SECONDS_A_ROUND: u32 = 100;

/// Inputs that take longer are kept apart from those that the next round begins with: one in fifty does, and they would
/// take nearly all of the time.
const QUICK_MILLISECONDS: u64 = 4;

/// An input that takes longer is a finding. The slowest that the readers' limits allow stay well below.
const SECONDS_AN_INPUT: u32 = 20;

/// What a process may use in MiB, `docs/src/limits.md`.
const MEMORY: u32 = 4096;

/// What a run of a target came to.
struct Outcome {
    target: &'static str,
    /// Inputs run.
    inputs: u64,
    /// Inputs a second.
    speed: u64,
    /// Counters reached.
    coverage: u64,
    /// Inputs in the corpus.
    corpus: u64,
    /// Saved inputs that are findings.
    findings: Vec<PathBuf>,
}

/// Builds the targets and runs each for some minutes. Returns the exit code: 1 when there are findings.
pub fn fuzz(minutes: u32, asked: &[String]) -> Result<i32> {
    let compilers = ["c++", "g++", "clang++"];
    ensure!(
        compilers.into_iter().any(have),
        "no C++ compiler, which libFuzzer needs (Debian: apt-get install g++)"
    );
    println!("== build");
    let binaries = build()?;
    let mut outcomes = Vec::new();
    for target in TARGETS.iter().filter(|target| asked.is_empty() || asked.iter().any(|one| one == *target)) {
        println!("== {target}");
        outcomes.push(run_target(&binaries, target, minutes)?);
    }
    println!("== summary");
    println!(
        "{:<16} {:>12} {:>9} {:>9} {:>8} {:>9}",
        "target", "inputs", "a second", "coverage", "corpus", "findings"
    );
    for outcome in &outcomes {
        println!(
            "{:<16} {:>12} {:>9} {:>9} {:>8} {:>9}",
            outcome.target,
            outcome.inputs,
            outcome.speed,
            outcome.coverage,
            outcome.corpus,
            outcome.findings.len()
        );
    }
    for outcome in &outcomes {
        for finding in &outcome.findings {
            println!("finding: {} {}", binaries.join(outcome.target).display(), finding.display());
        }
    }
    Ok(i32::from(outcomes.iter().any(|outcome| !outcome.findings.is_empty())))
}

/// Builds all targets; returns the folder of the binaries.
fn build() -> Result<PathBuf> {
    let folder = root().join("target/fuzz");
    let mut build = cargo();
    build
        .args(["build", "--release", "--locked", "--bins", "--manifest-path"])
        .arg(root().join("fuzz/Cargo.toml"));
    build.arg("--target-dir").arg(&folder).env("RUSTC_WRAPPER", root().join("fuzz/rustc-coverage"));
    run(&mut build)?;
    Ok(folder.join("release"))
}

/// Runs a target in rounds; its corpus and what it finds are kept below `target/fuzz`.
fn run_target(binaries: &Path, target: &'static str, minutes: u32) -> Result<Outcome> {
    let kept = root().join("target/fuzz");
    let [corpus, slow, findings] = ["corpus", "slow", "findings"].map(|kind| kept.join(kind).join(target));
    for folder in [&corpus, &slow, &findings] {
        fs::create_dir_all(folder).with_context(|| format!("cannot make {}", folder.display()))?;
    }
    let log = kept.join(format!("{target}.log"));
    let fuzz = root().join("fuzz");
    let folders = ["seeds", "regressions"].map(|kind| fuzz.join(kind).join(target));
    let dictionary = fuzz.join(format!("dictionaries/{target}.dict"));
    let mut outcome = Outcome { target, inputs: 0, speed: 0, coverage: 0, corpus: 0, findings: Vec::new() };
    let mut timed = BTreeSet::new();
    let rounds = (minutes * 60).div_ceil(SECONDS_A_ROUND);
    let mut seconds = 0.0;
    for (_, length) in (0..rounds).zip(MAX_LENGTHS.iter().cycle()) {
        put_aside(&binaries.join(target), &corpus, &slow, &mut timed)?;
        let mut fuzzer = start(&binaries.join(target));
        fuzzer
            .arg(format!("-max_total_time={}", minutes * 60 / rounds))
            .arg(format!("-max_len={length}"))
            .arg(format!("-dict={}", dictionary.display()))
            .arg(format!("-artifact_prefix={}/", findings.display()))
            // Weighing the corpus by rare counters takes longer than most inputs.
            .args(["-entropic=0", "-reload=0", "-report_slow_units=5", "-print_final_stats=1"])
            .arg(&corpus);
        // New inputs go to the first folder; the others are read.
        fuzzer.args(folders.iter().filter(|path| path.is_dir()));
        let errors = File::create(&log).with_context(|| format!("cannot write {}", log.display()))?;
        let started = Instant::now();
        let ended = code(fuzzer.stderr(errors))?;
        seconds += started.elapsed().as_secs_f64();
        let text = fs::read(&log).with_context(|| format!("cannot read {}", log.display()))?;
        let text = String::from_utf8_lossy(&text);
        let found = saved(&text);
        if ended != 0 && found.is_empty() {
            bail!("{target} ended with exit code {ended}; see {}", log.display());
        }
        outcome.findings.extend(found);
        outcome.inputs += statistic(&text, "number_of_executed_units");
        let (coverage, corpus) = last_status(&text);
        outcome.coverage = outcome.coverage.max(coverage);
        outcome.corpus = corpus;
    }
    outcome.speed = (outcome.inputs as f64 / f64::max(seconds, 1.0)) as u64;
    Ok(outcome)
}

/// The start of a command that runs a target. On a stack as large as that of the reader with the deepest recursion
/// everything runs in one thread.
fn start(target: &Path) -> Command {
    let mut fuzzer = Command::new("sh");
    fuzzer
        .args(["-c", "ulimit -s 262144; exec \"$0\" \"$@\""])
        .arg(target)
        .arg(format!("-timeout={SECONDS_AN_INPUT}"))
        .arg(format!("-rss_limit_mb={MEMORY}"));
    fuzzer
}

/// Moves the inputs of a corpus that are not quick, of those not in `timed`, to the folder `slow`.
fn put_aside(target: &Path, corpus: &Path, slow: &Path, timed: &mut BTreeSet<PathBuf>) -> Result<()> {
    /// So many names fit into a command.
    const AT_ONCE: usize = 500;
    let entries = fs::read_dir(corpus).with_context(|| format!("cannot read {}", corpus.display()))?;
    let new: Vec<PathBuf> =
        entries.flatten().map(|entry| entry.path()).filter(|path| !timed.contains(path)).collect();
    for inputs in new.chunks(AT_ONCE) {
        // A run that ends early leaves inputs untimed, and the next round finds out why.
        let run = start(target).args(inputs).output().context("cannot start sh")?;
        for input in slow_inputs(&String::from_utf8_lossy(&run.stderr)) {
            let name = input.file_name().unwrap_or_default();
            fs::rename(&input, slow.join(name))
                .with_context(|| format!("cannot move {}", input.display()))?;
        }
    }
    timed.extend(new);
    Ok(())
}

/// The inputs that took too long, of lines such as `Executed corpus/asl/0a in 12 ms`.
fn slow_inputs(log: &str) -> Vec<PathBuf> {
    let executed = log
        .lines()
        .filter_map(|line| line.strip_prefix("Executed ")?.strip_suffix(" ms")?.rsplit_once(" in "));
    let slow = executed.filter(|(_, time)| time.parse().is_ok_and(|time: u64| time > QUICK_MILLISECONDS));
    slow.map(|(path, _)| PathBuf::from(path)).collect()
}

/// The inputs that libFuzzer saved as findings; those that are merely slow are none.
fn saved(log: &str) -> Vec<PathBuf> {
    let paths = log.lines().filter_map(|line| Some(line.split_once("Test unit written to ")?.1.trim()));
    paths.map(PathBuf::from).filter(|path| !is_slow(path)).collect()
}

fn is_slow(path: &Path) -> bool {
    path.file_name().is_some_and(|name| name.to_string_lossy().starts_with("slow-unit-"))
}

/// A number of libFuzzer's final statistics: `stat::NAME: NUMBER`.
fn statistic(log: &str, name: &str) -> u64 {
    let start = format!("stat::{name}:");
    let value = log.lines().rev().find_map(|line| line.strip_prefix(&start));
    value.and_then(|value| value.trim().parse().ok()).unwrap_or(0)
}

/// Counters and corpus of the last line of libFuzzer's that has them: `#N NEW cov: N ft: N corp: N/BYTES …`.
fn last_status(log: &str) -> (u64, u64) {
    let after = |line: &str, label: &str| {
        let (_, rest) = line.split_once(label)?;
        let digits: String = rest.chars().take_while(char::is_ascii_digit).collect();
        digits.parse().ok()
    };
    let status = |line: &str| Some((after(line, " cov: ")?, after(line, " corp: ")?));
    log.lines().rev().find_map(status).unwrap_or((0, 0))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_libfuzzer_says_is_read() {
        let log = "#2\tINITED cov: 9 ft: 9 corp: 1/1b exec/s: 0 rss: 30Mb\n\
                   #80\tNEW    cov: 12 ft: 15 corp: 7/90b lim: 4 exec/s: 0 rss: 31Mb L: 4/4 MS: 1 ChangeBit-\n\
                   thread 'main' panicked at src/lib.rs:3:5:\n\
                   stat::number_of_executed_units: 81\nstat::average_exec_per_sec:     27\n";
        assert_eq!(last_status(log), (12, 7));
        assert_eq!(statistic(log, "number_of_executed_units"), 81);
        assert_eq!(statistic(log, "average_exec_per_sec"), 27);
        let found =
            "artifact_prefix='f/'; Test unit written to f/crash-0a\nTest unit written to f/slow-unit-1b\n";
        assert_eq!(saved(found), [Path::new("f/crash-0a")]);
        assert_eq!((last_status(""), statistic("", "peak_rss_mb")), ((0, 0), 0));
        let times = "Running: c/0a\nExecuted c/0a in 4 ms\nExecuted c/0b in 5 ms\n*** NOTE: in 9 ms\n";
        assert_eq!(slow_inputs(times), [Path::new("c/0b")]);
    }

    #[test]
    fn each_target_has_a_program_seeds_and_words() {
        let fuzz = root().join("fuzz");
        for target in TARGETS {
            assert!(fuzz.join(format!("fuzz_targets/{target}.rs")).is_file(), "{target}");
            assert!(fuzz.join(format!("dictionaries/{target}.dict")).is_file(), "{target}");
            assert!(fuzz.join("seeds").join(target).is_dir(), "{target}");
        }
        let programs = fs::read_dir(fuzz.join("fuzz_targets")).unwrap().count();
        assert_eq!(programs, TARGETS.len());
    }
}
