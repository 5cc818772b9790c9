//! `hydride check-lowering`: what a stock LLVM makes of the definitions in a generated folder.

use std::collections::{BTreeMap, BTreeSet};
use std::path::PathBuf;

use anyhow::{Context, Result};
use clap::Args;
use difftest::lowering::{CheckedDefinition, Lowered, Programs, Surroundings, check, prepare};
use difftest::{Case, Outcome, Report};

use crate::SpecArgs;
use crate::classified::isas;
use crate::console::Phases;
use crate::definitions::{self, Defined};
use crate::documents::{isa_name, parse, read};

/// Arguments of `hydride check-lowering`.
#[derive(Args)]
pub struct CheckLoweringArgs {
    #[command(flatten)]
    specs: SpecArgs,
    /// Instruction sets to check.
    #[arg(long, value_delimiter = ',', value_name = "x86,arm,hvx", default_value = "x86,arm,hvx")]
    isa: Vec<String>,
    /// Folder that `generate-ir` made from the same documents.
    #[arg(long, value_name = "DIR", default_value = "out")]
    out: PathBuf,
    /// Also run each definition on that many inputs and compare with the semantics: x86 on this machine, the
    /// others on QEMU.
    #[arg(long, value_name = "N")]
    inputs: Option<usize>,
    /// File for what became of each definition, as JSON.
    #[arg(long, value_name = "FILE")]
    report: Option<PathBuf>,
    /// Folder for the compiled programs.
    #[arg(long, value_name = "DIR", default_value = "target/check-lowering")]
    work: PathBuf,
}

/// Compiles and tells.
pub fn run(args: &CheckLoweringArgs) -> Result<u8> {
    let isas = isas(&args.isa)?;
    let mut definitions = definitions::read(&args.out)?;
    let documents = read(args.specs.specs.as_deref(), &isas)?;
    let mut phases = Phases::default();
    let mut report = BTreeMap::new();
    let mut differing = 0;
    for isa in isas {
        let name = isa_name(isa);
        let Some(Defined { members, definitions }) = definitions.remove(name) else { continue };
        let defined: BTreeSet<&str> = definitions.iter().map(|definition| definition.id.as_str()).collect();
        let parsed = parse(isa, &documents.documents, None, &|_, _| {})?;
        let phase = phases.start(&format!("check {name}"), 0);
        let lowering = args.out.join(format!("llvm/lowering/{name}.ll"));
        let checked =
            check(isa, &lowering, &definitions, &parsed.instructions, &Programs::default(), &args.work)?;
        phases.end(phase, &format!("{} definitions", checked.len()));
        let missing = members.iter().filter(|id| !defined.contains(id.as_str()));
        let nameless = |id: &&String| parsed.instructions.iter().any(|i| i.id == **id && i.forms.is_empty());
        tell(name, members.len(), missing.filter(nameless).count(), &checked);
        if let Some(inputs) = args.inputs {
            let phase = phases.start(&format!("run {name}"), 0);
            let instructions = &parsed.instructions;
            let programs = Programs::default();
            let oracle = prepare(isa, &lowering, &definitions, instructions, &programs, &args.work)?;
            let cases: Vec<Case<'_>> = instructions.iter().map(Case::new).collect();
            let ran = oracle.validate(&cases, inputs, 1, |_| {})?;
            phases.end(phase, &format!("{inputs} inputs each"));
            differing += tell_run(name, oracle.machine(), &ran);
        }
        report.insert(name, checked);
    }
    if let Some(path) = &args.report {
        let text = serde_json::to_string_pretty(&report)?;
        std::fs::write(path, text + "\n").with_context(|| format!("cannot write {}", path.display()))?;
    }
    Ok(u8::from(differing > 0))
}

/// Prints the totals of an instruction set; of the members without definition `nameless` have no instruction's name.
fn tell(isa: &str, members: usize, nameless: usize, checked: &[CheckedDefinition]) {
    let count = |wanted: fn(&Lowered) -> bool| checked.iter().filter(|c| wanted(&c.lowered)).count();
    let own = count(|lowered| matches!(lowered, Lowered::Own { .. }));
    let domain = count(|lowered| matches!(lowered, Lowered::Own { program: Surroundings::Domain }));
    let registers = count(|lowered| matches!(lowered, Lowered::Own { program: Surroundings::Registers }));
    let unnamed = nameless + count(|lowered| matches!(lowered, Lowered::Unnamed { .. }));
    let twin = count(|lowered| matches!(lowered, Lowered::Twin { .. }));
    let other = count(|lowered| matches!(lowered, Lowered::Other { .. }));
    let refused = count(|lowered| matches!(lowered, Lowered::Refused { .. }));
    let named = members - unnamed;
    let percent = |part: usize| 100.0 * part as f64 / named.max(1) as f64;
    println!(
        "{isa}: {own} of {named} members with a named instruction are that instruction ({:.1} %; {:.1} % by the \
         prototype alone, {domain} members in their execution domain, {registers} in registers of their own), {twin} \
         one that does the same ({:.1} % with these), {other} something else, {refused} are refused, {} have no \
         definition; {unnamed} have no named instruction",
        percent(own),
        percent(own - domain - registers),
        percent(own + twin),
        members - checked.len(),
    );
}

/// Prints what running the definitions gave; returns how many differ from the semantics.
fn tell_run(isa: &str, machine: Option<&str>, report: &Report) -> usize {
    let (mut agree, mut unavailable, mut others, mut differ) = (0, 0, 0, 0);
    for case in &report.cases {
        match &case.outcome {
            Outcome::Agrees { .. } => agree += 1,
            Outcome::NotRunnable { .. } => unavailable += 1,
            Outcome::Mismatch(mismatch) => {
                differ += 1;
                println!("MISMATCH {}: {} of {}", case.id, mismatch.parsed_differs, mismatch.inputs);
                println!("  arguments {}", mismatch.args.join(" "));
                println!("  compiled  {}", mismatch.expected.join(" "));
                println!("  semantics {}", mismatch.parsed.join(" "));
            }
            other => {
                others += 1;
                tracing::info!("{}: {other:?}", case.id);
            }
        }
    }
    let machine = machine.unwrap_or("this machine");
    println!(
        "{isa}: {agree} definitions agree with the semantics, {differ} differ, {unavailable} cannot run on \
         {machine}, {others} were not compared"
    );
    differ
}
