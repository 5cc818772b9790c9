//! `hydride validate`: the semantics, as parsed and in canonical form, against hardware or an emulator.

use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicUsize, Ordering};

use anyhow::{Context, Result};
use clap::Args;
use difftest::{ArmOracle, Case, EmulatorOptions, HvxOracle, OracleError, Outcome, Report, X86Oracle, x86};
use globset::Glob;
use parsers::{Instruction, Isa};
use rayon::prelude::*;
use similarity::analyze;

use crate::console::Phases;
use crate::documents::{hvx_options, isa_name, isa_of_name, parse, read};
use crate::trust::{Records, cpu_model, records_path};
use crate::{SpecArgs, usage};

/// Arguments of `hydride validate`.
#[derive(Args)]
pub struct ValidateArgs {
    #[command(flatten)]
    specs: SpecArgs,
    /// The instruction set: x86 on this machine, arm or hvx on QEMU.
    #[arg(long)]
    isa: String,
    /// Inputs for each instruction.
    #[arg(long, default_value_t = 1000)]
    inputs: usize,
    /// Seed of the inputs; one seed gives the same inputs everywhere.
    #[arg(long, default_value_t = 1)]
    seed: u64,
    /// Only instructions whose ids match.
    #[arg(long, value_name = "GLOB")]
    only: Option<String>,
    /// File for the outcome of each instruction as JSON.
    #[arg(long, value_name = "FILE")]
    report: Option<PathBuf>,
    /// File that collects what was run, on this and other CPUs.
    #[arg(long, value_name = "FILE")]
    records: Option<PathBuf>,
    /// Folder for the compiled harness.
    #[arg(long, value_name = "DIR", default_value = "target/difftest")]
    work: PathBuf,
}

/// Runs the comparison; exit code 1 on real mismatches alone.
pub fn run(args: &ValidateArgs) -> Result<u8> {
    let isa = isa_of_name(&args.isa).ok_or_else(|| usage(format!("unknown instruction set {}", args.isa)))?;
    let only = match &args.only {
        Some(glob) => {
            Some(Glob::new(glob).map_err(|error| usage(format!("--only: {error}")))?.compile_matcher())
        }
        None => None,
    };
    let mut phases = Phases::default();
    let documents = read(args.specs.specs.as_deref(), &[isa])?;
    let phase = phases.start("parse", 0);
    let parsed = parse(isa, &documents.documents, None, &|done, total| phase.set(done, total))?;
    phases.end(phase, &format!("{} instructions", parsed.instructions.len()));
    let chosen: Vec<&Instruction> = parsed
        .instructions
        .iter()
        .filter(|instruction| only.as_ref().is_none_or(|only| only.is_match(&instruction.id)))
        .collect();
    let phase = phases.start("canonicalize", chosen.len());
    let canonical: Vec<_> = chosen
        .par_iter()
        .map(|instruction| analyze(&instruction.function).ok().and_then(|analysis| analysis.canonical))
        .collect();
    phases.end(phase, "");
    let cases: Vec<Case<'_>> = chosen
        .iter()
        .zip(&canonical)
        .map(|(instruction, canonical)| Case { canonical: canonical.as_ref(), ..Case::new(instruction) })
        .collect();

    if isa == Isa::Hvx && hvx_options().vector_bytes() != 128 {
        println!("nothing was compared, of {} hvx instructions: QEMU's vectors have 128 bytes", chosen.len());
        return Ok(0);
    }
    let phase = phases.start("compile", 0);
    let oracle = match oracle(isa, &chosen, &args.work) {
        Ok(oracle) => oracle,
        Err(error) if is_missing(&error) => {
            phases.end(phase, "not done");
            println!("nothing was compared, of {} {} instructions: {error}", chosen.len(), isa_name(isa));
            return Ok(0);
        }
        Err(error) => return Err(error).context("cannot build the oracle"),
    };
    phases.end(phase, &format!("{} instructions can run", oracle.runnable()));
    let phase = phases.start("compare", cases.len());
    let done = AtomicUsize::new(0);
    let report = oracle
        .validate(&cases, args.inputs, args.seed, |_| {
            phase.set(done.fetch_add(1, Ordering::Relaxed) + 1, cases.len());
        })
        .context("the comparison broke off")?;
    phases.end(phase, &format!("{} inputs each", args.inputs));

    let cpu = oracle.machine().map_or_else(cpu_model, str::to_string);
    let mismatches = tell(&report, &cpu);
    if let Some(path) = &args.report {
        let text = serde_json::to_string_pretty(&report)?;
        std::fs::write(path, text + "\n").with_context(|| format!("cannot write {}", path.display()))?;
    }
    let default = records_path(isa);
    record(args.records.as_deref().unwrap_or(&default), args, &report, &chosen, &cpu)?;
    Ok(u8::from(mismatches > 0))
}

/// Whether an oracle could not be built because the machine or a tool is not there.
pub fn is_missing(error: &OracleError) -> bool {
    matches!(
        error,
        OracleError::Host { .. }
            | OracleError::Compiler { .. }
            | OracleError::Emulator { .. }
            | OracleError::Toolchain { .. }
    )
}

/// The oracle of an instruction set for some instructions.
pub fn oracle(isa: Isa, instructions: &[&Instruction], work: &Path) -> Result<difftest::Oracle, OracleError> {
    let instructions = instructions.iter().copied();
    match isa {
        Isa::X86 => X86Oracle::prepare(instructions, work, &x86::Options::default()),
        Isa::Arm => ArmOracle::prepare(instructions, work, &EmulatorOptions::default()),
        Isa::Hvx => HvxOracle::prepare(instructions, work, &EmulatorOptions::default()),
    }
}

/// Prints the totals, what could not be compared and why, and each mismatch; returns their number.
fn tell(report: &Report, cpu: &str) -> usize {
    let mut mismatches = 0;
    let mut missing: std::collections::BTreeMap<String, usize> = std::collections::BTreeMap::new();
    let mut others = Vec::new();
    for case in &report.cases {
        match &case.outcome {
            Outcome::Agrees { .. } => {}
            Outcome::Mismatch(mismatch) => {
                mismatches += 1;
                println!(
                    "MISMATCH {}: {} of {} inputs; the first one:",
                    case.id,
                    mismatch.parsed_differs.max(mismatch.canonical_differs),
                    mismatch.inputs
                );
                println!("  arguments {}", mismatch.args.join(" "));
                println!("  hardware  {}", mismatch.expected.join(" "));
                println!("  parsed    {}", mismatch.parsed.join(" "));
                if let Some(canonical) = &mismatch.canonical
                    && mismatch.canonical_differs > 0
                {
                    println!("  canonical {}", canonical.join(" "));
                }
            }
            Outcome::NotRunnable { missing: features } => {
                *missing.entry(features.join(" ")).or_default() += 1;
            }
            Outcome::NotBuildable { message } => {
                others.push(format!("{}: not buildable: {message}", case.id))
            }
            Outcome::Signal { name, .. } => others.push(format!("{}: ended with {name}", case.id)),
            Outcome::NotEvaluated { message } => {
                others.push(format!("{}: not evaluated: {message}", case.id))
            }
        }
    }
    for (features, count) in &missing {
        println!("not runnable on this CPU: {count} need {features}");
    }
    for other in &others {
        println!("{other}");
    }
    let totals = report.totals();
    println!(
        "{} agree, {} differ, {} not compared, on {cpu}, seed {}",
        totals.agrees,
        mismatches,
        report.cases.len() - totals.agrees - mismatches,
        report.seed
    );
    mismatches
}

fn record(
    path: &Path,
    args: &ValidateArgs,
    report: &Report,
    instructions: &[&Instruction],
    cpu: &str,
) -> Result<()> {
    let mut records = Records::read(path)?;
    for (case, instruction) in report.cases.iter().zip(instructions) {
        match &case.outcome {
            Outcome::Agrees { inputs } => {
                records.agreed(&instruction.id, cpu, &instruction.function, *inputs, args.seed);
            }
            Outcome::Mismatch(_) => records.differed(&instruction.id, cpu),
            _ => {}
        }
    }
    records.write(path)
}
