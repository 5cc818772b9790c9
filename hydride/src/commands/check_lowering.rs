//! `hydride check-lowering`: what stock LLVM makes of the definitions in a generated folder.

mod through_mlir;

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

use anyhow::{Context, Result};
use clap::Args;
use difftest::lowering::{
    CheckedDefinition, Definition, Lowered, Program, Surroundings, Toolchain, case, check, clang_release,
    prepare,
};
use difftest::{Case, Outcome, Report};
use parsers::{Instruction, Isa};
use smt::Memo;

use crate::console::Phases;
use crate::definitions::{self, Defined};
use crate::error::usage;
use crate::{Session, SpecArgs};
use through_mlir::Route;

/// Arguments of `hydride check-lowering`.
#[derive(Args)]
pub struct CheckLoweringArgs {
    #[command(flatten)]
    specs: SpecArgs,
    /// Instruction sets to check; all when not given.
    #[arg(long, value_delimiter = ',', value_name = "LIST")]
    isa: Vec<String>,
    /// Folder that `generate-ir` made from the same documents.
    #[arg(long, value_name = "DIR", default_value = "out")]
    out: PathBuf,
    /// A clang of the release that the folder's files are for, which then does without LLVM's other tools; llvm-link-N,
    /// opt-N and llc-N when not given.
    #[arg(long, value_name = "PROGRAM")]
    compiler: Option<PathBuf>,
    /// Also run each definition on that many inputs and compare with the semantics, on this
    /// machine or an emulator.
    #[arg(long, value_name = "N")]
    inputs: Option<usize>,
    /// Run `mlir/instances.mlir` in place of the definitions, lowered to calls of them in these ways: `functions` and
    /// `target` by `mlir/lower.sh` without and with a target, `pass` by the dialect's own pass.
    #[arg(long, value_delimiter = ',', value_name = "WAYS", requires = "inputs")]
    through: Vec<Route>,
    /// The dialect as a plugin of `mlir-opt`, for `--through pass`.
    #[arg(long, value_name = "FILE", required_if_eq("through", "pass"))]
    plugin: Option<PathBuf>,
    /// File for what became of each definition, as JSON.
    #[arg(long, value_name = "FILE")]
    report: Option<PathBuf>,
    /// Folder for the compiled programs.
    #[arg(long, value_name = "DIR", default_value = "target/check-lowering")]
    work: PathBuf,
}

/// Refuses what is not a clang of a release.
pub(super) fn require_release(clang: &Path, release: u32) -> Result<()> {
    let program = clang.display();
    match clang_release(clang).map_err(|error| usage(error.to_string()))? {
        Some(found) if found == release => Ok(()),
        Some(found) => Err(usage(format!("{program} is a clang of release {found}, not {release}"))),
        None => Err(usage(format!(
            "{program} does not say that it is a clang; one of release {release} is needed"
        ))),
    }
}

/// Compiles and reports.
pub fn run(session: &Session, args: &CheckLoweringArgs) -> Result<u8> {
    let isas = session.all_asked(&args.isa)?;
    let definitions::Definitions { llvm, isas: mut definitions } = definitions::read(&args.out)?;
    let programs = match &args.compiler {
        Some(clang) => {
            require_release(clang, llvm)?;
            Toolchain::Clang(clang.clone())
        }
        None => Toolchain::of_release(llvm),
    };
    let documents = session.read(args.specs.specs.as_deref(), &isas)?;
    let mut phases = Phases::default();
    let mut report = BTreeMap::new();
    let mut differing = 0;
    for isa in isas {
        let name = isa.name();
        let Some(defined) = definitions.remove(name) else { continue };
        let on = session.set(isa).target()?;
        if let Err(missing) = on.lowering() {
            println!("nothing was checked of {name}: {missing}");
            continue;
        }
        let parsed = session.parse(isa, &documents, &Memo::default(), &|_, _| {})?;
        let target = Target { isa, on, args, programs: &programs, instructions: &parsed.instructions };
        if args.through.is_empty() {
            report.insert(name, target.check(&defined, &mut phases)?);
        }
        let Some(inputs) = args.inputs else { continue };
        for route in &args.through {
            differing += target.run_through(*route, &defined.operations, inputs, &mut phases)?;
        }
        if args.through.is_empty() {
            differing += target.run("definitions", &defined.definitions, None, inputs, &mut phases)?;
            let members: BTreeSet<&str> =
                defined.definitions.iter().map(|definition| definition.name.as_str()).collect();
            let (mut others, is_member) = (defined.operations, |name: &str| members.contains(name));
            others.retain(|definition| !is_member(&definition.name));
            let what = "definitions at an operation's own types";
            differing += target.run(what, &others, None, inputs, &mut phases)?;
        }
    }
    if let Some(path) = &args.report {
        let text = serde_json::to_string_pretty(&report)?;
        std::fs::write(path, text + "\n").with_context(|| format!("cannot write {}", path.display()))?;
    }
    Ok(u8::from(differing > 0))
}

/// An instruction set on a stock LLVM.
struct Target<'a> {
    isa: Isa,
    on: &'static difftest::Target,
    args: &'a CheckLoweringArgs,
    programs: &'a Toolchain,
    instructions: &'a [Instruction],
}

impl Target<'_> {
    fn lowering(&self) -> PathBuf {
        self.args.out.join(format!("llvm/lowering/{}.ll", self.isa.name()))
    }

    /// Compiles the definitions and prints what they became.
    fn check(&self, defined: &Defined, phases: &mut Phases) -> Result<Vec<CheckedDefinition>> {
        let name = self.isa.name();
        let ids: BTreeSet<&str> =
            defined.definitions.iter().map(|definition| definition.id.as_str()).collect();
        let phase = phases.start(&format!("check {name}"), 0);
        let (programs, work) = (self.programs, &self.args.work);
        let checked =
            check(self.on, &self.lowering(), &defined.definitions, self.instructions, programs, work)?;
        phases.end(phase, &format!("{} definitions", checked.len()));
        let missing = defined.members.iter().filter(|id| !ids.contains(id.as_str()));
        let nameless = |id: &&String| self.instructions.iter().any(|i| i.id == **id && i.forms.is_empty());
        print_results(name, defined.members.len(), missing.filter(nameless).count(), &checked);
        Ok(checked)
    }

    /// Runs what MLIR's tools make of calls of the definitions; returns how many differ from the semantics, and
    /// declarations from the definitions.
    fn run_through(
        &self,
        route: Route,
        operations: &[Definition],
        inputs: usize,
        phases: &mut Phases,
    ) -> Result<usize> {
        let (name, plugin) = (self.isa.name(), self.args.plugin.as_deref());
        let phase = phases.start(&format!("lower {name}"), 0);
        let lowered = through_mlir::lower(route, &self.args.out, name, operations, plugin, &self.args.work)?;
        phases.end(phase, &format!("{} functions", lowered.functions));
        for declaration in &lowered.wrong {
            println!("DECLARED {declaration}");
        }
        println!(
            "{name}: {} operations in {} functions through {}, {} operations declared, {} of them not as defined",
            lowered.program.callers.len(),
            lowered.functions,
            route.name(),
            lowered.declared,
            lowered.wrong.len(),
        );
        if !lowered.wrong.is_empty() {
            // The behaviour of such calls is undefined, as is whether they compile.
            return Ok(lowered.wrong.len());
        }
        let what = format!("operations through {}", route.name());
        self.run(&what, operations, Some(&lowered.program), inputs, phases)
    }

    /// Runs definitions, or the program that calls them; returns how many differ from the semantics.
    fn run(
        &self,
        what: &str,
        definitions: &[Definition],
        program: Option<&Program>,
        inputs: usize,
        phases: &mut Phases,
    ) -> Result<usize> {
        let name = self.isa.name();
        let phase = phases.start(&format!("run {name}"), 0);
        let by_id: BTreeMap<&str, &Definition> =
            definitions.iter().map(|definition| (definition.id.as_str(), definition)).collect();
        let mut instructions: BTreeMap<&str, &Instruction> = BTreeMap::new();
        for instruction in self.instructions.iter().filter(|own| by_id.contains_key(own.id.as_str())) {
            instructions.entry(&instruction.id).or_insert(instruction);
        }
        let instructions: Vec<&Instruction> = instructions.into_values().collect();
        let (lowering, work) = (self.lowering(), &self.args.work);
        let own = instructions.iter().copied();
        let oracle = prepare(self.on, &lowering, definitions, program, own, self.programs, work)?;
        let cases = instructions.iter().map(|instruction| case(by_id[instruction.id.as_str()], instruction));
        let cases: Vec<Case<'_>> = cases.collect();
        let ran = oracle.validate(&cases, inputs, 1, |_| {})?;
        phases.end(phase, &format!("{what}: {inputs} inputs each"));
        Ok(print_run(name, what, oracle.machine(), &ran))
    }
}

/// Prints the totals of an instruction set; of the members without a definition, `nameless` have no instruction name.
fn print_results(isa: &str, members: usize, nameless: usize, checked: &[CheckedDefinition]) {
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

/// Prints what running the definitions gave; returns how many differ from the semantics, or end with a signal.
fn print_run(isa: &str, what: &str, machine: Option<&str>, report: &Report) -> usize {
    let (mut agree, mut within_error, mut unavailable, mut others, mut differ) = (0, 0, 0, 0, 0);
    for case in &report.cases {
        match &case.outcome {
            Outcome::Agrees { .. } => agree += 1,
            Outcome::WithinError { .. } => within_error += 1,
            Outcome::NotRunnable { .. } => unavailable += 1,
            Outcome::Mismatch(mismatch) => {
                differ += 1;
                println!("MISMATCH {}: {} of {}", case.id, mismatch.parsed_differs, mismatch.inputs);
                println!("  arguments {}", mismatch.args.join(" "));
                println!("  compiled  {}", mismatch.expected.join(" "));
                println!("  semantics {}", mismatch.parsed.join(" "));
            }
            Outcome::Signal { name, args } => {
                differ += 1;
                println!("SIGNAL {}: {name}", case.id);
                println!("  arguments {}", args.join(" "));
            }
            other => {
                others += 1;
                tracing::info!("{}: {other:?}", case.id);
            }
        }
    }
    let machine = machine.unwrap_or("this machine");
    if within_error > 0 {
        println!("{isa}: {within_error} {what} are approximations, all within their error");
    }
    println!(
        "{isa}: {agree} {what} agree with the semantics, {differ} differ, {unavailable} cannot run on \
         {machine}, {others} were not compared"
    );
    differ
}
