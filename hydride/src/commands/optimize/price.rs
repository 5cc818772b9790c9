//! What functions cost: what `llc` makes of them, as `llvm-mca` sees it; many functions in one process of each.

use std::cmp::Ordering;
use std::io::Write as _;
use std::path::Path;
use std::process::{Command, Stdio};
use std::sync::atomic::{AtomicBool, AtomicU32, Ordering as Order};

use anyhow::{Context, Result, ensure};
use serde::{Deserialize, Serialize};

use crate::commands::synth::targets::Named;

const LLC: &str = "llc-19";
const MCA: &str = "llvm-mca-19";

/// Where prices come from without the tools.
pub const COUNTED: &str = "instructions of LLVM, each counted as one";

/// Functions that are priced by one process.
pub const TOGETHER: usize = 128;

/// Cycles of one run by which the same instructions differ in another order of them or of their operands.
const ORDERS: u32 = 2;

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
    /// In throughput, then in micro-operations, then in latency.
    pub fn order(&self, other: &Self) -> Ordering {
        let order = self.throughput.total_cmp(&other.throughput);
        order.then(self.uops.cmp(&other.uops)).then(self.latency.cmp(&other.latency))
    }

    /// Whether it is less; in latency alone only by more cycles than other orders of the same instructions differ by.
    pub fn is_less(&self, other: &Self) -> bool {
        let latency = self.latency + if self.equals_but_latency(other) { ORDERS } else { 0 };
        Self { latency, ..*self }.order(other) == Ordering::Less
    }

    fn equals_but_latency(&self, other: &Self) -> bool {
        Self { latency: other.latency, ..*self } == *other
    }
}

/// A machine's prices.
pub struct Prices {
    triple: String,
    cpu: String,
    /// Whether the tools are there, and know the machine.
    tools: AtomicBool,
    /// Micro-operations that the machine begins in a cycle, at most.
    width: AtomicU32,
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
    /// Of each instruction what is known of it.
    instruction_info_view: Option<Information>,
}

#[derive(Deserialize)]
struct Information {
    #[serde(rename = "InstructionList")]
    instructions: Vec<Known>,
}

#[derive(Deserialize)]
struct Known {
    #[serde(rename = "mayStore")]
    may_store: bool,
}

/// How long a region takes where it runs again and again, so that what it carries from one run to the next counts.
pub struct Timeline {
    /// Its number.
    pub region: usize,
    /// Cycles of a run.
    pub cycles: f64,
    /// Micro-operations of a run.
    pub uops: f64,
    /// Instructions that write to memory.
    pub stores: usize,
}

/// Runs of a region one after the other.
const RUNS: u32 = 50;

#[derive(Deserialize)]
struct Summary {
    #[serde(rename = "BlockRThroughput")]
    throughput: f64,
    #[serde(rename = "TotaluOps")]
    uops: u32,
    #[serde(rename = "TotalCycles")]
    cycles: u32,
    #[serde(rename = "DispatchWidth")]
    width: u32,
}

impl Prices {
    /// The prices of a target's machine, or of another one, not asked for yet: it is taken that the tools are there.
    pub fn unasked(named: &Named, cpu: Option<&str>) -> Self {
        let triple = named.options.iter().find_map(|option| option.strip_prefix("--target="));
        Self {
            triple: triple.unwrap_or_default().to_owned(),
            cpu: cpu.unwrap_or(&named.cpu).to_owned(),
            tools: AtomicBool::new(true),
            width: AtomicU32::new(1),
        }
    }

    /// The same once it is known whether the tools are there.
    pub fn new(named: &Named, cpu: Option<&str>) -> Self {
        let mut prices = Self::unasked(named, cpu);
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

    /// The target's triple.
    pub fn triple(&self) -> &str {
        &self.triple
    }

    /// Makes position-independent code of a module for the machine.
    pub fn compile(&self, module: &Path, code: &Path) -> Result<()> {
        let (triple, cpu) = (format!("-mtriple={}", self.triple), format!("-mcpu={}", self.cpu));
        let mut command = Command::new(LLC);
        command.args([&triple, &cpu]).args(["-O2", "-relocation-model=pic", "-filetype=obj", "-o"]);
        let output = command.arg(code).arg(module).output().with_context(|| format!("cannot start {LLC}"))?;
        let message = String::from_utf8_lossy(&output.stderr);
        ensure!(output.status.success(), "{LLC}: {}", message.lines().next().unwrap_or_default());
        Ok(())
    }

    /// Where prices come from.
    pub fn tools(&self) -> String {
        if self.tools.load(Order::Relaxed) {
            format!("{LLC} and {MCA}, -mcpu={}", self.cpu)
        } else {
            COUNTED.to_owned()
        }
    }

    /// The micro-operations of whatever costs less in more than latency, at most: a machine needs a cycle for so many.
    pub fn most(&self, than: &Price) -> u32 {
        let width = f64::from(self.width.load(Order::Relaxed));
        than.uops.max((than.throughput * width).ceil() as u32).saturating_sub(1)
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
        halved(&named, &|functions| self.measure(functions), &mut prices);
        prices
    }

    fn measure(&self, functions: &[(usize, String)]) -> Result<Vec<(usize, Price)>> {
        let text: String = functions.iter().map(|(_, text)| text.as_str()).collect();
        let output = self.regions(&marked(&self.assembly(&text)?), 1, false)?;
        let price = |region: Region| {
            let Summary { throughput, uops, cycles, width } = region.summary_view;
            self.width.store(width, Order::Relaxed);
            let at = region.name.split_whitespace().next()?.strip_prefix('s')?.parse().ok()?;
            Some((at, Price { throughput, uops, latency: cycles }))
        };
        let prices: Vec<(usize, Price)> = output.code_regions.into_iter().filter_map(price).collect();
        ensure!(prices.len() == functions.len(), "{MCA} has {} of {} regions", prices.len(), functions.len());
        Ok(prices)
    }
}

impl Prices {
    /// Whether costs are from tools.
    pub fn has_tools(&self) -> bool {
        self.tools.load(Order::Relaxed)
    }

    /// What the compiler makes of a module.
    pub fn assembly(&self, module: &str) -> Result<String> {
        let (triple, cpu) = (format!("-mtriple={}", self.triple), format!("-mcpu={}", self.cpu));
        pipe(LLC, &[&triple, &cpu, "-O2", "-o", "-", "-"], module)
    }

    /// How long the regions `b0`, `b1` … of assembly take.
    pub fn timelines(&self, marked: &str) -> Result<Vec<Timeline>> {
        let timeline = |region: Region| {
            let Summary { uops, cycles, .. } = region.summary_view;
            let number = region.name.split_whitespace().next()?.strip_prefix('b')?.parse().ok()?;
            let a_run = |all: u32| f64::from(all) / f64::from(RUNS);
            let known = region.instruction_info_view.map_or(Vec::new(), |view| view.instructions);
            let stores = known.iter().filter(|instruction| instruction.may_store).count();
            Some(Timeline { region: number, cycles: a_run(cycles), uops: a_run(uops), stores })
        };
        Ok(self.regions(marked, RUNS, true)?.code_regions.into_iter().filter_map(timeline).collect())
    }

    /// What is said of the regions of assembly when each of them runs so many times, and of each instruction if `each`.
    fn regions(&self, marked: &str, runs: u32, each: bool) -> Result<Output> {
        let (triple, cpu) = (format!("-mtriple={}", self.triple), format!("-mcpu={}", self.cpu));
        let (each, runs) = (format!("-instruction-info={each}"), format!("-iterations={runs}"));
        let arguments = [&triple, &cpu, "-json", &each, "-resource-pressure=false", &runs, "-"];
        let output = pipe(MCA, &arguments, marked)?;
        serde_json::from_str(&output).with_context(|| format!("the output of {MCA}"))
    }
}

/// Prices of some of what is numbered, all in one process.
pub type Measure<'m, V, P> = dyn Fn(&[(usize, V)]) -> Result<Vec<(usize, P)>> + 'm;

/// Prices of what is numbered, by number. Of what is refused together that is left out whose function the refusal names; if it
/// names none, it is halved until it is clear which one it is.
pub fn halved<V: Clone, P>(all: &[(usize, V)], measure: &Measure<'_, V, P>, prices: &mut [Option<P>]) {
    if all.is_empty() {
        return;
    }
    let error = match measure(all) {
        Ok(found) => return found.into_iter().for_each(|(at, price)| prices[at] = Some(price)),
        Err(error) => error,
    };
    tracing::debug!("{error:#}");
    let refused = error.downcast_ref::<Refusal>().and_then(|refusal| refusal.function);
    let others: Vec<(usize, V)> = all.iter().filter(|(at, _)| Some(*at) != refused).cloned().collect();
    if others.len() < all.len() {
        halved(&others, measure, prices);
    } else if all.len() > 1 {
        let (low, high) = all.split_at(all.len() / 2);
        halved(low, measure, prices);
        halved(high, measure, prices);
    }
}

/// That a tool refuses its input.
#[derive(Debug)]
struct Refusal {
    message: String,
    /// The number at the end of the name of the function at which it ended, if it says so.
    function: Option<usize>,
}

impl std::error::Error for Refusal {}

impl std::fmt::Display for Refusal {
    fn fmt(&self, out: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        out.write_str(&self.message)
    }
}

impl Refusal {
    /// What a tool says when it ends.
    fn new(program: &str, said: &str) -> Self {
        let name = said.split_once("on function '@").and_then(|(_, rest)| rest.split_once('\''));
        let digits = |(name, _): (&str, &str)| {
            let start = name.trim_end_matches(|letter: char| letter.is_ascii_digit()).len();
            name[start..].parse().ok()
        };
        let message = format!("{program}: {}", said.lines().next().unwrap_or_default());
        Self { message, function: name.and_then(digits) }
    }
}

/// Assembly with a region for each function without what ends it. `llvm-mca` reads these comments whatever the target's are, and
/// those after `//` on no target.
fn marked(assembly: &str) -> String {
    let (mut text, mut inside) = (String::new(), false);
    for line in assembly.lines() {
        let label = line.split(':').next().filter(|_| line.contains(':')).unwrap_or_default();
        let is_function = label
            .strip_prefix('s')
            .is_some_and(|at| !at.is_empty() && at.bytes().all(|digit| digit.is_ascii_digit()));
        let word = line.trim_start().split(char::is_whitespace).next().unwrap_or_default();
        if is_function {
            text += &format!("{line}\n# LLVM-MCA-BEGIN {label}\n");
            inside = true;
        } else if inside && line.starts_with(".Lfunc_end") {
            text += &format!("# LLVM-MCA-END\n{line}\n");
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
        // What LLVM cannot compile ends it, and its own report of that takes seconds.
        .env("LLVM_DISABLE_SYMBOLIZATION", "1")
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
        return Err(Refusal::new(program, &String::from_utf8_lossy(&output.stderr)).into());
    }
    Ok(String::from_utf8_lossy(&output.stdout).into_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn regions_are_functions_without_their_return() {
        let text = marked("s3:  # @s3\n\tvpaddb a\n\tretq\n.Lfunc_end0:\nsome:\n\tretq\n");
        assert_eq!(
            text,
            "s3:  # @s3\n# LLVM-MCA-BEGIN s3\n\tvpaddb a\n# LLVM-MCA-END\n.Lfunc_end0:\nsome:\n\tretq\n"
        );
    }

    #[test]
    fn what_a_refusal_names_is_left_out() {
        let said = "LLVM ERROR: no such thing\nStack dump:\n2.\tRunning pass 'X' on function '@s17'\n";
        assert_eq!(Refusal::new("llc", said).function, Some(17));
        assert_eq!(Refusal::new("llc", said).to_string(), "llc: LLVM ERROR: no such thing");
        let asked = std::cell::RefCell::new(Vec::new());
        // Refused are 5, which is named, and 2, which is not.
        let measure = |all: &[(usize, ())]| {
            asked.borrow_mut().push(all.len());
            let has = |number: usize| all.iter().any(|(at, ())| *at == number);
            match (has(5), has(2)) {
                (true, _) => Err(Refusal::new("llc", "no\non function '@price.5'").into()),
                (false, true) => Err(Refusal::new("llc", "no").into()),
                _ => Ok(all.iter().map(|(at, ())| (*at, *at)).collect()),
            }
        };
        let all: Vec<(usize, ())> = (0..8).map(|at| (at, ())).collect();
        let mut prices = vec![None; 8];
        halved(&all, &measure, &mut prices);
        let refused: Vec<usize> = (0..8).filter(|at| prices[*at].is_none()).collect();
        assert_eq!(refused, [2, 5]);
        assert_eq!(*asked.borrow(), [8, 7, 3, 1, 2, 1, 1, 4]);
    }

    #[test]
    fn throughput_counts_first() {
        let price = |throughput, uops, latency| Price { throughput, uops, latency };
        assert!(price(1.0, 9, 9).is_less(&price(2.0, 1, 1)));
        assert!(price(1.0, 2, 3).is_less(&price(1.0, 2, 6)));
        assert!(!price(1.0, 2, 3).is_less(&price(1.0, 2, 5)));
        assert!(!price(1.0, 2, 3).is_less(&price(1.0, 2, 3)));
    }
}
