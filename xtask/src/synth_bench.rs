//! What `hydride synth` makes of a file of windows, beside what the file says of another compiler.

use std::path::Path;
use std::process::Command;
use std::time::Instant;

use anyhow::{Context, Result, ensure};
use serde::Deserialize;

use crate::root;

/// What the benchmark reads of a window.
#[derive(Deserialize)]
struct Window {
    name: String,
    target: String,
    halide21: Option<Reference>,
}

#[derive(Deserialize)]
struct Reference {
    instructions: Option<u32>,
    cycles: Option<f64>,
    packets: Option<u32>,
}

/// What the benchmark reads of an answer.
#[derive(Deserialize)]
struct Answer {
    name: String,
    target: String,
    status: String,
    proof: Option<String>,
    cost: Option<Cost>,
    instructions: Vec<serde::de::IgnoredAny>,
    seconds: f64,
}

#[derive(Deserialize)]
struct Cost {
    throughput: f64,
}

/// Prints a table with a row for each window; every answer is run on `inputs` inputs. Exit code 1 when one has no answer or
/// differs.
pub fn bench(binary: &Path, flags: &[String], windows: Option<&Path>, inputs: u32) -> Result<i32> {
    let own = root().join("specs/windows/samples.jsonl");
    let file = windows.unwrap_or(&own);
    let text = std::fs::read_to_string(file).with_context(|| format!("cannot read {}", file.display()))?;
    let windows: Vec<Window> =
        text.lines().map(serde_json::from_str).collect::<Result<_, _>>().context("a line is no window")?;
    let start = Instant::now();
    let output = Command::new(binary)
        .args(["synth", "--run", &inputs.to_string(), "--jobs", "2"])
        .args(flags)
        .arg(file)
        .output()
        .with_context(|| format!("cannot start {}", binary.display()))?;
    let code = output.status.code().unwrap_or(3);
    ensure!(code <= 1, "{}", String::from_utf8_lossy(&output.stderr));
    let answers: Vec<Answer> = String::from_utf8_lossy(&output.stdout)
        .lines()
        .map(serde_json::from_str)
        .collect::<Result<_, _>>()
        .context("a line is no answer")?;
    println!("| window | target | instructions | other | cost | other cycles or packets | proof | seconds |");
    println!("|---|---|---:|---:|---:|---:|---|---:|");
    let number = |value: Option<f64>| value.map_or("-".to_owned(), |value| format!("{value}"));
    let (mut proved, mut less, mut more) = (0, 0, 0);
    let mut seconds: Vec<f64> = Vec::new();
    for (answer, window) in answers.iter().zip(&windows) {
        ensure!(answer.name == window.name && answer.target == window.target, "answers in another order");
        let other = window.halide21.as_ref();
        let theirs = other.and_then(|other| other.instructions);
        let count = answer.instructions.len() as u32;
        let is_proved = answer.status == "proved";
        proved += u32::from(is_proved);
        less += u32::from(is_proved && theirs.is_some_and(|theirs| count < theirs));
        more += u32::from(is_proved && theirs.is_some_and(|theirs| count > theirs));
        seconds.push(answer.seconds);
        println!(
            "| {} | {} | {} | {} | {} | {} | {} | {:.2} |",
            answer.name,
            answer.target,
            if is_proved { count.to_string() } else { "-".into() },
            number(theirs.map(f64::from)),
            number(answer.cost.as_ref().map(|cost| cost.throughput)),
            number(other.and_then(|other| other.cycles.or(other.packets.map(f64::from)))),
            answer.proof.as_deref().unwrap_or(&answer.status),
            answer.seconds
        );
    }
    seconds.sort_by(f64::total_cmp);
    println!(
        "\n{proved} of {} proved, {less} with fewer instructions than the other, {more} with more; median {:.2} s, longest \
         {:.2} s; all in {:.1} s",
        answers.len(),
        seconds.get(seconds.len() / 2).unwrap_or(&0.0),
        seconds.last().unwrap_or(&0.0),
        start.elapsed().as_secs_f64()
    );
    for line in String::from_utf8_lossy(&output.stderr).lines().filter(|line| line.contains("agree")) {
        println!("{}", line.trim());
    }
    Ok(code)
}
