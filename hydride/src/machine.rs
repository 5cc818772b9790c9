//! Functions that were found, on a machine: each is compiled, run and compared with what it must compute.

use std::path::Path;

use anyhow::{Context, Result};
use difftest::{Case, Outcome, WrapperOptions};
use hydride_ir::Function;
use parsers::{Instruction, Isa, Signature, Span};

use crate::isa::InstructionSet;

/// The inputs are the same in every run.
const SEED: u64 = 1;

/// A function that is called by its name, as an instruction that nothing else is known of.
pub(crate) fn instruction(
    set: &InstructionSet,
    name: String,
    function: Function,
    signature: Signature,
) -> Instruction {
    Instruction {
        id: name.clone(),
        isa: Isa::register(set.name),
        intrinsic: name,
        function,
        accessed: None,
        addresses: None,
        undefined: Vec::new(),
        undefined_for: Vec::new(),
        signature,
        extensions: Vec::new(),
        forms: Vec::new(),
        span: Span::default(),
    }
}

/// An outcome for each function, by its name, and the machine.
pub(crate) type Outcomes = (Vec<(String, Outcome)>, String);

/// What comes of a comparison of functions, as [`check`] makes it; nothing, with a message, where nothing can be run.
pub(crate) fn outcomes<'i>(
    set: &InstructionSet,
    (instructions, definitions): (&'i [Instruction], Vec<String>),
    case: impl Fn(&'i Instruction) -> Case<'i>,
    inputs: usize,
    work: &Path,
) -> Result<Option<Outcomes>> {
    let own: Vec<&Instruction> = instructions.iter().collect();
    let wrappers = WrapperOptions { definitions, ..WrapperOptions::default() };
    let oracle = match set.oracle(&own, wrappers, work) {
        Ok(oracle) => oracle,
        Err(error) if error.is_missing() => {
            eprintln!("{:>14} not run: {error}", "machine");
            return Ok(None);
        }
        Err(error) => return Err(error).context("cannot build the harness"),
    };
    let cases: Vec<Case<'_>> = instructions.iter().map(case).collect();
    let report = oracle.validate(&cases, inputs, SEED, |_| {}).context("the comparison broke off")?;
    let machine = oracle.machine().map_or_else(crate::trust::cpu_model, str::to_string);
    let outcomes = report.cases.into_iter().map(|case| (case.id.to_string(), case.outcome)).collect();
    Ok(Some((outcomes, machine)))
}

/// Compares functions, which `definitions` define in C, on `inputs` inputs each; `case` says what of their results counts.
/// What differs is printed, and `summary` of how many agree and how many there are. Exit code 1 when one differs; 0, with
/// a message, where nothing can be run.
pub(crate) fn check<'i>(
    set: &InstructionSet,
    (instructions, definitions): (&'i [Instruction], Vec<String>),
    case: impl Fn(&'i Instruction) -> Case<'i>,
    inputs: usize,
    work: &Path,
    summary: impl Fn(usize, usize) -> String,
) -> Result<u8> {
    let Some((outcomes, machine)) = outcomes(set, (instructions, definitions), case, inputs, work)? else {
        return Ok(0);
    };
    let (mut agree, mut other) = (0, 0);
    for (id, outcome) in &outcomes {
        match outcome {
            Outcome::Agrees { .. } | Outcome::WithinError { .. } => agree += 1,
            outcome => {
                other += 1;
                eprintln!("{:>14} {id}: {outcome:?}", "machine");
            }
        }
    }
    eprintln!("{:>14} {} on {inputs} inputs: {machine}", "machine", summary(agree, agree + other));
    Ok(u8::from(other > 0))
}
