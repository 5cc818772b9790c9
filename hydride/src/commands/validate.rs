//! `hydride validate`: the semantics, as parsed and in canonical form, against hardware or an emulator.

use std::num::NonZeroUsize;
use std::path::PathBuf;
use std::sync::atomic::{AtomicUsize, Ordering};

use anyhow::{Context, Result};
use clap::Args;
use difftest::{Case, Outcome, Report, WrapperOptions};
use globset::Glob;
use parsers::Instruction;
use rayon::prelude::*;
use similarity::analyze;
use smt::Memo;

use crate::console::Phases;
use crate::trust::{Records, RecordsArgs, Run, cpu_model, records_path, user_records_path};
use crate::{Session, SpecArgs, usage};

/// Arguments of `hydride validate`.
#[derive(Args)]
pub struct ValidateArgs {
    #[command(flatten)]
    specs: SpecArgs,
    /// The instruction set, which runs on this machine or an emulator.
    #[arg(long)]
    isa: String,
    /// Inputs for each instruction.
    #[arg(long, default_value_t = 1000)]
    inputs: usize,
    /// Combinations of immediates of each instruction at most, the first, the last and what lies evenly between; nothing
    /// is recorded then. All when not given.
    #[arg(long, value_name = "N", conflicts_with_all = ["records", "update_records"])]
    immediates: Option<NonZeroUsize>,
    /// Seed of the inputs; one seed gives the same inputs everywhere.
    #[arg(long, default_value_t = 1)]
    seed: u64,
    /// Only instructions whose ids match.
    #[arg(long, value_name = "GLOB")]
    only: Option<String>,
    /// File for the outcome of each instruction as JSON.
    #[arg(long, value_name = "FILE")]
    report: Option<PathBuf>,
    /// File that collects what was run, on this and other CPUs; else hydride/validation/ISA.json in the user's folder
    /// for data.
    #[arg(long, value_name = "FILE")]
    records: Option<PathBuf>,
    /// Collect it in specs/validation/ISA.json below the current folder, without what was run of other functions than
    /// today's.
    #[arg(long, conflicts_with = "records")]
    update_records: bool,
    /// Run nothing: list the instructions that no run in the records covers.
    #[arg(long)]
    list_unrun: bool,
    /// Folder for the compiled harness.
    #[arg(long, value_name = "DIR", default_value = "target/difftest")]
    work: PathBuf,
}

/// Runs the comparison; exit code 1 only on real mismatches.
pub fn run(session: &Session, args: &ValidateArgs) -> Result<u8> {
    let isa = session.asked(&args.isa)?;
    let only = match &args.only {
        Some(glob) => {
            Some(Glob::new(glob).map_err(|error| usage(format!("--only: {error}")))?.compile_matcher())
        }
        None => None,
    };
    let mut phases = Phases::default();
    let documents = session.read(args.specs.specs.as_deref(), &[isa])?;
    let phase = phases.start("parse", 0);
    let parsed = session.parse(isa, &documents, &Memo::default(), &|done, total| phase.set(done, total))?;
    phases.end(phase, &format!("{} instructions", parsed.instructions.len()));
    if args.list_unrun {
        let records = match &args.records {
            Some(path) => Records::read(path)?,
            None => RecordsArgs::default().read(session, isa)?,
        };
        list_unrun(&parsed.instructions, &records);
        return Ok(0);
    }
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

    let phase = phases.start("compile", 0);
    let mut wrappers = WrapperOptions::default();
    wrappers.immediates = args.immediates.map_or(wrappers.immediates, NonZeroUsize::get);
    let oracle = match session.set(isa).oracle(&chosen, wrappers, &args.work) {
        Ok(oracle) => oracle,
        Err(error) if error.is_missing() => {
            phases.end(phase, "not done");
            println!("nothing was compared, of {} {} instructions: {error}", chosen.len(), isa.name());
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
    let mismatches = print_results(&report, &cpu);
    if let Some(path) = &args.report {
        let text = serde_json::to_string_pretty(&report)?;
        std::fs::write(path, text + "\n").with_context(|| format!("cannot write {}", path.display()))?;
    }
    let path = match (&args.records, args.update_records) {
        (Some(path), _) => Some(path.clone()),
        (None, true) => Some(records_path(isa)),
        // A record is of all immediates.
        (None, false) if args.immediates.is_some() => None,
        (None, false) => user_records_path(isa),
    };
    if let Some(path) = path {
        let mut records = Records::read(&path)?;
        record(&mut records, args.seed, &report, &chosen, &cpu);
        if args.update_records {
            parsed.instructions.iter().for_each(|own| records.drop_stale(&own.id, &own.function));
        }
        records.write(&path)?;
        eprintln!("{:>14} {}", "recorded in", path.display());
    }
    Ok(u8::from(mismatches > 0))
}

/// Prints the totals, what could not be compared and why, and each mismatch; returns their number.
fn print_results(report: &Report, cpu: &str) -> usize {
    let mut mismatches = 0;
    let mut missing: std::collections::BTreeMap<String, usize> = std::collections::BTreeMap::new();
    let mut others = Vec::new();
    for case in &report.cases {
        match &case.outcome {
            Outcome::Agrees { .. } | Outcome::WithinError { .. } => {}
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
    let through =
        |case: &&difftest::Checked| case.through.is_some() && matches!(case.outcome, Outcome::Agrees { .. });
    match report.cases.iter().filter(through).count() {
        0 => {}
        count => println!(
            "{count} agree as the same function under another name or encoding, or as operators of C"
        ),
    }
    if totals.within_error > 0 {
        println!("{} more are approximations that agree within their documented error", totals.within_error);
    }
    println!(
        "{} agree, {} differ, {} not compared, on {cpu}, seed {}",
        totals.agrees,
        mismatches,
        report.cases.len() - totals.agrees - totals.within_error - mismatches,
        report.seed
    );
    mismatches
}

/// What a record says of an approximation.
const WITHIN_ERROR: &str = "an approximation within its documented error, not bit for bit";

fn record(records: &mut Records, seed: u64, report: &Report, instructions: &[&Instruction], cpu: &str) {
    for (case, instruction) in report.cases.iter().zip(instructions) {
        let Instruction { id, function, .. } = instruction;
        match &case.outcome {
            Outcome::Agrees { inputs } => {
                records.agreed(id, cpu, Run::new(function, *inputs, seed, case.through.clone()));
            }
            Outcome::WithinError { inputs } => {
                let through = match &case.through {
                    Some(through) => format!("{through}, {WITHIN_ERROR}"),
                    None => WITHIN_ERROR.to_owned(),
                };
                records.agreed(id, cpu, Run::new(function, *inputs, seed, Some(through)));
            }
            Outcome::Mismatch(_) => records.differed(id, cpu, function),
            _ => {}
        }
    }
}

/// Prints the instructions that no recorded run covers, by the CPU features that they need.
fn list_unrun(instructions: &[Instruction], records: &Records) {
    let mut unrun: std::collections::BTreeMap<String, Vec<&str>> = std::collections::BTreeMap::new();
    for instruction in instructions {
        if records.best(&instruction.id, &instruction.function.to_string()).is_none() {
            unrun.entry(instruction.extensions.join(" ")).or_default().push(&instruction.id);
        }
    }
    let count: usize = unrun.values().map(Vec::len).sum();
    let mut text = format!("{count} of {} modelled instructions were never run\n", instructions.len());
    for (extensions, ids) in unrun {
        let needs = if extensions.is_empty() { "no feature" } else { &extensions };
        text.push_str(&format!("{needs}: {}\n", ids.join(" ")));
    }
    print!("{text}");
}
