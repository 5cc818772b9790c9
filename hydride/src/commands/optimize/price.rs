//! What functions cost: what `llc` makes of them, as `llvm-mca` sees it; many functions in one process of each.

use std::cmp::Ordering;
use std::io::Write as _;
use std::process::{Command, Stdio};
use std::sync::atomic::{AtomicBool, Ordering as Order};

use anyhow::{Context, Result, bail};
use serde::{Deserialize, Serialize};

use crate::commands::synth::targets::Named;

const LLC: &str = "llc-19";
const MCA: &str = "llvm-mca-19";

/// What a function costs on a machine.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Price {
    /// Cycles from one run to the next, where many follow each other.
    pub throughput: f64,
    /// Micro-operations.
    pub uops: u32,
    /// Cycles from the arguments to the end.
    pub latency: u32,
}

impl Price {
    /// Whether it is less: in throughput, then in micro-operations, then in latency.
    pub fn is_less(&self, other: &Self) -> bool {
        let order = self.throughput.total_cmp(&other.throughput);
        let order = order.then(self.uops.cmp(&other.uops)).then(self.latency.cmp(&other.latency));
        order == Ordering::Less
    }
}

/// A machine's prices.
pub struct Prices {
    triple: String,
    cpu: String,
    /// Whether the tools are there, and know the machine.
    tools: AtomicBool,
}

#[derive(Deserialize)]
#[serde(rename_all = "PascalCase")]
struct Output {
    code_regions: Vec<Region>,
}

#[derive(Deserialize)]
#[serde(rename_all = "PascalCase")]
struct Region {
    name: String,
    summary_view: Summary,
}

#[derive(Deserialize)]
struct Summary {
    #[serde(rename = "BlockRThroughput")]
    throughput: f64,
    #[serde(rename = "TotaluOps")]
    uops: u32,
    #[serde(rename = "TotalCycles")]
    cycles: u32,
}

impl Prices {
    /// The prices of a target's machine, or of another one.
    pub fn new(named: &Named, cpu: Option<&str>) -> Self {
        let triple = named.options.iter().find_map(|option| option.strip_prefix("--target="));
        let mut prices = Self {
            triple: triple.unwrap_or_default().to_owned(),
            cpu: cpu.unwrap_or(&named.cpu).to_owned(),
            tools: AtomicBool::new(true),
        };
        let probe = "define void @s0(i8 %a, ptr %r) {\n  store i8 %a, ptr %r\n  ret void\n}\n";
        if let Err(error) = prices.measure(&[(0, probe.to_owned())]) {
            eprintln!(
                "warning: {LLC} and {MCA} have no costs of {}: each instruction of LLVM counts as one ({error:#})",
                prices.cpu
            );
            prices.tools = AtomicBool::new(false);
        }
        prices
    }

    /// Where prices come from.
    pub fn tools(&self) -> String {
        if self.tools.load(Order::Relaxed) {
            format!("{LLC} and {MCA}, -mcpu={}", self.cpu)
        } else {
            "instructions of LLVM, each counted as one".to_owned()
        }
    }

    /// The prices of functions; `None` for one that the compiler cannot compile. `fallback` counts where there are no tools.
    pub fn of(&self, functions: &[String], fallback: impl Fn(usize) -> usize) -> Vec<Option<Price>> {
        if !self.tools.load(Order::Relaxed) {
            let price = |at: usize| {
                let count = fallback(at) as u32;
                Some(Price { throughput: f64::from(count), uops: count, latency: count })
            };
            return (0..functions.len()).map(price).collect();
        }
        let named: Vec<(usize, String)> = functions.iter().cloned().enumerate().collect();
        let mut prices = vec![None; functions.len()];
        self.fill(&named, &mut prices);
        prices
    }

    /// Halves what is refused until it is clear what is.
    fn fill(&self, functions: &[(usize, String)], prices: &mut [Option<Price>]) {
        if functions.is_empty() {
            return;
        }
        match self.measure(functions) {
            Ok(found) => found.into_iter().for_each(|(at, price)| prices[at] = Some(price)),
            Err(error) if functions.len() == 1 => tracing::debug!("{error:#}"),
            Err(_) => {
                let (low, high) = functions.split_at(functions.len() / 2);
                self.fill(low, prices);
                self.fill(high, prices);
            }
        }
    }

    fn measure(&self, functions: &[(usize, String)]) -> Result<Vec<(usize, Price)>> {
        let text: String = functions.iter().map(|(_, text)| text.as_str()).collect();
        let (triple, cpu) = (format!("-mtriple={}", self.triple), format!("-mcpu={}", self.cpu));
        let assembly = pipe(LLC, &[&triple, &cpu, "-O2", "-o", "-", "-"], &text)?;
        let comment = if self.triple.starts_with("x86") { "#" } else { "//" };
        let marked = marked(&assembly, comment);
        let output = pipe(MCA, &[&triple, &cpu, "-json", "-iterations=1", "-"], &marked)?;
        let output: Output = serde_json::from_str(&output).with_context(|| format!("the output of {MCA}"))?;
        let price = |region: Region| {
            let Summary { throughput, uops, cycles } = region.summary_view;
            let at = region.name.split_whitespace().next()?.strip_prefix('s')?.parse().ok()?;
            Some((at, Price { throughput, uops, latency: cycles }))
        };
        Ok(output.code_regions.into_iter().filter_map(price).collect())
    }
}

/// Assembly with a region for each function without what ends it.
fn marked(assembly: &str, comment: &str) -> String {
    let (mut text, mut inside) = (String::new(), false);
    for line in assembly.lines() {
        let label = line.split(':').next().filter(|_| line.contains(':')).unwrap_or_default();
        let is_function = label
            .strip_prefix('s')
            .is_some_and(|at| !at.is_empty() && at.bytes().all(|digit| digit.is_ascii_digit()));
        let word = line.trim_start().split(char::is_whitespace).next().unwrap_or_default();
        if is_function {
            text += &format!("{line}\n{comment} LLVM-MCA-BEGIN {label}\n");
            inside = true;
        } else if inside && line.starts_with(".Lfunc_end") {
            text += &format!("{comment} LLVM-MCA-END\n{line}\n");
            inside = false;
        } else if !(inside && word.starts_with("ret")) {
            text += line;
            text.push('\n');
        }
    }
    text
}

/// What a program writes for an input.
fn pipe(program: &str, args: &[&str], input: &str) -> Result<String> {
    let mut child = Command::new(program)
        .args(args)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .with_context(|| format!("cannot start {program}"))?;
    let stdin = child.stdin.take();
    let bytes = input.to_owned();
    // The program may write before it has read everything.
    let writer = std::thread::spawn(move || stdin.map(|mut stdin| stdin.write_all(bytes.as_bytes())));
    let output = child.wait_with_output().with_context(|| format!("cannot run {program}"))?;
    let _ = writer.join();
    if !output.status.success() {
        let message = String::from_utf8_lossy(&output.stderr);
        bail!("{program}: {}", message.lines().next().unwrap_or_default());
    }
    Ok(String::from_utf8_lossy(&output.stdout).into_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn regions_are_functions_without_their_return() {
        let text = marked("s3:  # @s3\n\tvpaddb a\n\tretq\n.Lfunc_end0:\nsome:\n\tretq\n", "#");
        assert_eq!(
            text,
            "s3:  # @s3\n# LLVM-MCA-BEGIN s3\n\tvpaddb a\n# LLVM-MCA-END\n.Lfunc_end0:\nsome:\n\tretq\n"
        );
    }

    #[test]
    fn throughput_counts_first() {
        let price = |throughput, uops, latency| Price { throughput, uops, latency };
        assert!(price(1.0, 9, 9).is_less(&price(2.0, 1, 1)));
        assert!(price(1.0, 2, 3).is_less(&price(1.0, 2, 4)));
        assert!(!price(1.0, 2, 3).is_less(&price(1.0, 2, 3)));
    }
}
