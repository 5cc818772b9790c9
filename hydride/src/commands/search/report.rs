//! What a search prints, and the comparison of what it found with a machine.

use std::collections::BTreeMap;
use std::path::Path;
use std::time::Duration;

use ::search::{Class, Cost, Operand, Solution, Type, alone, c_function, returned_through_pointers};
use anyhow::{Result, anyhow};
use difftest::Case;
use parsers::{Argument, Instruction, Kind, Signature};
use serde::Serialize;

use super::convert::{self, Filter};
use super::{Emit, Run, SearchArgs, SearchOptions, Task};
use crate::costs::Costs;
use crate::isa::InstructionSet;
use crate::isa::Target;
use crate::{machine, usage};

/// Prints the outcome in the form asked for.
pub fn print(args: &SearchArgs, task: &Task, run: &Run) -> Result<()> {
    let outcome = &run.outcome;
    eprintln!("{:>14} {:6.2} s  {}", "search", run.seconds, summary(task, run));
    if args.emit == Emit::Json {
        println!("{}", serde_json::to_string_pretty(&json(task, run))?);
        return Ok(());
    }
    println!("{}", verdict(task, run));
    if outcome.solutions.is_empty() {
        left_out(task).iter().for_each(|line| println!("{line}"));
    }
    let lowerings = match args.emit {
        Emit::Autollvm if task.goal.inputs.iter().any(|input| input.ty.class == Class::Memory) => {
            return Err(usage("definitions are not called on a goal's operands in memory"));
        }
        Emit::Autollvm => Some(super::autollvm::Lowerings::read(&args.out)?),
        _ => None,
    };
    for (number, solution) in outcome.solutions.iter().enumerate() {
        println!("\n{} of {}", number + 1, outcome.solutions.len());
        let lines = match (args.emit, &lowerings) {
            (Emit::C, _) => c(task, solution, &task.c_name()),
            (_, Some(lowerings)) => lowerings.function(task, solution)?,
            _ => task.assembly(solution),
        };
        for line in lines {
            println!("    {line}");
        }
        if args.emit == Emit::Assembly {
            for line in alternatives(task, solution) {
                println!("    {line}");
            }
        }
    }
    Ok(())
}

/// What is printed of a sequence as soon as it is proved.
pub fn found(task: &Task, solution: &Solution, after: Duration) -> Vec<String> {
    let seconds = after.as_secs_f64();
    let head = format!("{:>14} {seconds:6.2} s  {} {}", "found", solution.cost, unit(task.options.cost));
    let code = task.assembly(solution);
    std::iter::once(head).chain(code.iter().map(|line| format!("{:>14} {line}", ""))).collect()
}

/// Names of instructions that are printed of a list; another command prints all of them.
const NAMED: usize = 3;

/// The instructions that no sequence was tried with, though the target has them.
fn left_out(task: &Task) -> Vec<String> {
    let lines = task.left_out.iter().map(|(why, ids)| {
        let more = if ids.len() > NAMED { ", …" } else { "" };
        format!("not tried: {} with {why} ({}{more})", ids.len(), ids[..ids.len().min(NAMED)].join(", "))
    });
    lines.collect()
}

/// Prints the instructions that can be steps, and the others with what keeps them out.
pub fn list(
    options: &SearchOptions,
    set: &InstructionSet,
    target: &Target,
    known: &[Instruction],
    costs: &Costs,
) -> Result<u8> {
    let filter = Filter::new(&options.only, &options.without, target, true, true)?;
    let search = set.searched()?;
    let chosen = convert::instructions(known, search, target, &filter, costs);
    let syntax = (search.syntax)(target);
    for (position, instruction) in chosen.instructions.iter().enumerate() {
        let choices: Vec<i64> = instruction
            .operands
            .iter()
            .filter_map(|operand| match operand {
                Operand::Choice { values, .. } => values.get(values.len() / 2).copied(),
                _ => None,
            })
            .collect();
        println!("; {}", instruction.id);
        let lines = alone(position, &choices, options.all, &chosen.instructions, syntax.as_ref());
        for line in lines.ok_or_else(|| anyhow!("{} fits no registers", instruction.id))? {
            println!("    {line}");
        }
    }
    for (why, ids) in &chosen.left_out {
        println!("; not tried: {} with {why}: {}", ids.len(), ids.join(", "));
    }
    Ok(0)
}

/// Comments that name the other instructions with the effect of each step, one for each mnemonic.
fn alternatives(task: &Task, solution: &Solution) -> Vec<String> {
    let mut lines = Vec::new();
    for (step, others) in solution.sequence.steps.iter().zip(&solution.others) {
        let own = &task.instructions[step.member.instruction].mnemonic;
        let mut names: Vec<String> = Vec::new();
        for member in others {
            let mnemonic = &task.instructions[member.instruction].mnemonic;
            let known = names.iter().any(|name| name.split(' ').next() == Some(mnemonic));
            if mnemonic != own && !known {
                let choices: Vec<String> = member.choices.iter().map(i64::to_string).collect();
                names.push(format!("{mnemonic} {}", choices.join(", ")).trim_end().to_owned());
            }
        }
        if !names.is_empty() {
            lines.push(format!("; the same as {own}: {}", names.join("; ")));
        }
    }
    lines
}

fn c(task: &Task, solution: &Solution, name: &str) -> Vec<String> {
    c_function(&task.goal, solution, &task.instructions, task.syntax.as_ref(), name)
}

fn unit(cost: Cost) -> &'static str {
    match cost {
        Cost::Length => "instructions",
        Cost::Uops => "micro-operations",
        Cost::Latency => "cycles",
    }
}

/// One sentence: what was found, or how far the search came.
pub fn verdict(task: &Task, run: &Run) -> String {
    let outcome = &run.outcome;
    let unit = unit(task.options.cost);
    let head = format!("{} on {}", task.goal.name, task.target.name);
    let cut = if outcome.truncated { ", and more that were not collected" } else { "" };
    match outcome.solutions.first() {
        Some(first) => {
            let count = outcome.solutions.len();
            let all = if task.options.all { format!("{count} sequences{cut}") } else { "proved".to_owned() };
            format!("{head}: {} {unit}, {all}", first.cost)
        }
        None => {
            let undecided = match outcome.undecided {
                0 => String::new(),
                count => format!("; {count} candidates were undecided"),
            };
            let untried = match task.left_out.values().map(Vec::len).sum::<usize>() {
                0 => String::new(),
                count => format!("; {count} instructions of the target were not tried"),
            };
            format!(
                "{head}: needs more than {} {unit} of {}{undecided}{untried}",
                outcome.exhausted,
                domain(task, run)
            )
        }
    }
}

fn domain(task: &Task, run: &Run) -> String {
    let what = if task.selection.movements { "data movements" } else { "steps" };
    let granularity = match task.selection.granularity {
        Some(bits) => format!(" on elements of {bits} bits"),
        None => String::new(),
    };
    let lanewise = if task.selection.lanewise.is_some() { " lane-wise" } else { "" };
    format!("{}{lanewise} {what}{granularity}", run.outcome.transitions)
}

fn summary(task: &Task, run: &Run) -> String {
    let outcome = &run.outcome;
    let rate = outcome.states as f64 / run.seconds.max(1e-9) / 1e6;
    let ended = if outcome.interrupted { ", ended early" } else { "" };
    format!(
        "{} of {} instructions, {} states, {rate:.2} million a second, {} refuted, {} undecided{ended}",
        domain(task, run),
        task.instructions.len(),
        outcome.states,
        outcome.refuted,
        outcome.undecided
    )
}

/// A search's outcome.
#[derive(Debug, Serialize)]
pub struct Report {
    /// Version of this layout.
    pub schema: u32,
    /// The goal's name.
    pub goal: String,
    /// The target's name.
    pub target: String,
    /// What costs are counted in.
    pub cost: &'static str,
    /// Every sequence of this cost or less was tried.
    pub exhausted: u32,
    /// Steps that were tried at each place of a sequence.
    pub transitions: usize,
    /// Whether only data movements were tried.
    pub movements_only: bool,
    /// The width in bits of the elements that all steps read whole.
    pub granularity: Option<u32>,
    /// States that were visited.
    pub states: u64,
    /// Seconds that the search took.
    pub seconds: f64,
    /// Candidates that were refuted.
    pub refuted: usize,
    /// Candidates that the solver did not decide.
    pub undecided: usize,
    /// Whether the search ended early.
    pub interrupted: bool,
    /// The ids of the target's instructions that no sequence was tried with, by what keeps them out.
    pub left_out: BTreeMap<&'static str, Vec<String>>,
    /// The cheapest sequences, each proved.
    pub solutions: Vec<Sequence>,
}

/// A sequence of instructions that reaches the goal.
#[derive(Debug, Serialize)]
pub struct Sequence {
    /// Its cost.
    pub cost: u32,
    /// Register moves among its instructions.
    pub moves: u32,
    /// Vector registers that it needs.
    pub registers: usize,
    /// The lines of assembly.
    pub assembly: Vec<String>,
    /// The lines of a function in C.
    pub c: Vec<String>,
    /// The instructions, without moves.
    pub steps: Vec<StepReport>,
    /// For each output the value that it is: inputs are counted first, then the results of the steps.
    pub outputs: Vec<usize>,
}

/// An instruction of a sequence.
#[derive(Debug, Serialize)]
pub struct StepReport {
    /// The instruction's id.
    pub id: String,
    /// Its mnemonic.
    pub mnemonic: String,
    /// Values of its immediates.
    pub immediates: Vec<i64>,
    /// Its operands. Inputs are counted first, then the results of the steps.
    pub operands: Vec<usize>,
    /// Others with the same effect here.
    pub also: Vec<String>,
}

/// The report of a run.
pub fn json(task: &Task, run: &Run) -> Report {
    let outcome = &run.outcome;
    let id = |instruction: usize| task.instructions[instruction].id.clone();
    let sequence = |solution: &Solution| Sequence {
        cost: solution.cost,
        moves: solution.schedule.moves,
        registers: solution.schedule.pressure,
        assembly: task.assembly(solution),
        c: c(task, solution, &task.c_name()),
        steps: solution
            .sequence
            .steps
            .iter()
            .zip(&solution.others)
            .map(|(step, others)| StepReport {
                id: id(step.member.instruction),
                mnemonic: task.instructions[step.member.instruction].mnemonic.clone(),
                immediates: step.member.choices.clone(),
                operands: step.operands.clone(),
                also: others.iter().map(|member| id(member.instruction)).collect(),
            })
            .collect(),
        outputs: solution.sequence.outputs.clone(),
    };
    Report {
        schema: 1,
        goal: task.goal.name.clone(),
        target: task.target.name.clone(),
        cost: unit(task.options.cost),
        exhausted: outcome.exhausted,
        transitions: outcome.transitions,
        movements_only: task.selection.movements,
        granularity: task.selection.granularity,
        states: outcome.states,
        seconds: run.seconds,
        refuted: outcome.refuted,
        undecided: outcome.undecided,
        interrupted: outcome.interrupted,
        left_out: task.left_out.clone(),
        solutions: outcome.solutions.iter().map(sequence).collect(),
    }
}

/// Compiles every found sequence and compares it with the goal; exit code 1 when one differs.
pub fn check_on_hardware(task: &Task, outcome: &::search::Outcome, inputs: usize, work: &Path) -> Result<u8> {
    let (function, masks) = task.goal.whole().ok_or_else(|| anyhow!("the goal is no function"))?;
    let mut definitions = Vec::new();
    let mut instructions = Vec::new();
    for (number, solution) in outcome.solutions.iter().enumerate() {
        let name = format!("{}_{number}", task.c_name());
        definitions.extend(c(task, solution, &name));
        instructions.push(synthetic(task, name, function.clone()));
    }
    let case = |instruction| Case {
        known_bits: masks.iter().cloned().map(Some).collect(),
        ..Case::new(instruction)
    };
    let summary = |agree, all| format!("{agree} of {all} sequences agree with the goal");
    machine::check(task.set, (&instructions, definitions), case, inputs, work, summary)
}

/// A found function as an instruction whose semantics is the goal.
fn synthetic(task: &Task, name: String, function: hydride_ir::Function) -> Instruction {
    let syntax = task.syntax.as_ref();
    let argument = |name: &str, ty: Type, c_type: String| Argument {
        name: name.to_owned(),
        c_type,
        width: ty.width,
        kind: match ty.class {
            Class::Vector => Kind::Vector,
            Class::Mask => Kind::Mask,
            Class::Scalar => Kind::Scalar,
            Class::Memory => Kind::Memory { align: 1, element: None, non_temporal: false },
        },
        element: None,
    };
    let (inputs, outputs) = ::search::c_types(&task.goal, syntax);
    let args = task.goal.inputs.iter().zip(inputs);
    let args = args.map(|(input, c_type)| argument(&input.name, input.ty, c_type)).collect();
    let several = returned_through_pointers(&task.goal, syntax);
    let results = task.goal.outputs.iter().zip(outputs).map(|(output, c_type)| {
        let c_type = if several { format!("{c_type} *") } else { c_type };
        argument(&format!("out_{}", output.name), output.ty, c_type)
    });
    let signature = Signature { args, results: results.collect() };
    machine::instruction(task.set, name, function, signature)
}
