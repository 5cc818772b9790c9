//! How fast `hydride search` is: the four goals of Bik's note, and states a second.

use std::path::Path;
use std::process::Command;
use std::time::{Duration, Instant};

use anyhow::{Context, Result, ensure};
use serde::Deserialize;

use crate::root;

/// What the benchmark reads of a search's JSON.
#[derive(Deserialize)]
struct Report {
    seconds: f64,
    states: u64,
    solutions: Vec<Solution>,
}

#[derive(Deserialize)]
struct Solution {
    cost: u32,
}

/// The goals of the note with what keeps to its instructions.
const NOTE: &[(&str, &[&str])] = &[
    ("zero", &[]),
    ("all-ones", &[]),
    ("broadcast", &["--without", "pshuf*,shuf*"]),
    ("horizontal-sum", &["--only", "movdqa,psrldq,pslldq,paddd,punpck*"]),
];

/// A data movement that SSE2 has no short sequence for, so that the time is spent in states.
const MOVEMENT: (&str, &[&str]) = ("reverse-8", &["--max-length", "5", "--time", "20"]);

/// The note's search in Prolog: goals with their predicates.
const PROLOG: &[&str] = &["zero", "ones", "broadcast", "sum"];

/// Seconds after which the Prolog search of a goal is ended.
const PROLOG_SECONDS: u64 = 60;

/// Prints a table; `flags` say where the documents are.
pub fn bench(binary: &Path, flags: &[String]) -> Result<()> {
    println!("\nsearch on SSE2{:>18} {:>12} {:>10} {:>14}", "length", "states", "seconds", "million/s");
    let mut total = 0.0;
    for (goal, options) in NOTE.iter().chain([&MOVEMENT]) {
        let file = root().join(format!("specs/goals/{goal}.toml"));
        let output = Command::new(binary)
            .args(["search", "--extensions", "SSE2", "--all", "--emit", "json"])
            .args(flags)
            .args(*options)
            .arg(&file)
            .output()
            .with_context(|| format!("cannot start {}", binary.display()))?;
        let code = output.status.code().unwrap_or(3);
        ensure!(code <= 1, "{goal}: {}", String::from_utf8_lossy(&output.stderr));
        let report: Report = serde_json::from_slice(&output.stdout).with_context(|| (*goal).to_owned())?;
        let length = report.solutions.first().map_or("-".to_owned(), |solution| solution.cost.to_string());
        let rate = report.states as f64 / report.seconds.max(1e-9) / 1e6;
        println!("{goal:<26} {length:>5} {:>12} {:>10.2} {rate:>14.2}", report.states, report.seconds);
        if *goal != MOVEMENT.0 {
            total += report.seconds;
        }
    }
    println!("the note's four together: {total:.2} s");
    println!(
        "\nxtask/note.pl: the note's search restated, with hand-written rules for two registers and fewer \
         instructions than the note's; it stops at the first answer and proves nothing"
    );
    prolog()
}

/// The same goals by a search in Prolog with rules written for its subset, where SWI-Prolog is installed.
fn prolog() -> Result<()> {
    let file = root().join("xtask/note.pl");
    for goal in PROLOG {
        let start = Instant::now();
        let child = Command::new("swipl").args(["-q", "-g", goal, "-t", "halt"]).arg(&file).spawn();
        let Ok(mut child) = child else {
            println!("SWI-Prolog is not installed: its search was not run");
            return Ok(());
        };
        let status = loop {
            if let Some(status) = child.try_wait()? {
                break Some(status);
            }
            if start.elapsed() > Duration::from_secs(PROLOG_SECONDS) {
                child.kill()?;
                child.wait()?;
                break None;
            }
            std::thread::sleep(Duration::from_millis(2));
        };
        let seconds = start.elapsed().as_secs_f64();
        let what = if status.is_some() { "" } else { " (ended without an answer)" };
        println!("Prolog {goal:<19} {seconds:>30.2} s{what}");
    }
    Ok(())
}
