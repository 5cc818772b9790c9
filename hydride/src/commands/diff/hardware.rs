//! Which side of a changed meaning the hardware agrees with.

use std::path::Path;

use anyhow::{Context, Result};
use difftest::{Case, Outcome as Checked, WrapperOptions};
use hydride_ir::Bits;
use parsers::Instruction;
use semantic_diff::{Change, Counterexample, Hardware, Outcome, Report, Run, Value, Verdict, both_undefined};

use super::input::Loaded;
use crate::Session;
use crate::console::Phases;
use crate::trust::cpu_model;

/// Inputs that are run in addition to each counterexample.
const INPUTS: usize = 1000;

/// Their seed.
const SEED: u64 = 1;

/// Asks the machine of each instruction set for the results of the counterexamples.
pub fn ask(
    session: &Session,
    report: &mut Report,
    old: &Loaded,
    new: &Loaded,
    work: &Path,
    phases: &mut Phases,
) -> Result<()> {
    for isa in session.isas() {
        let mut asked: Vec<(&mut Counterexample, Instruction, &Instruction)> = Vec::new();
        for change in report.changes.iter_mut().filter(|change| change.isa == isa) {
            let Change { id, old_id, outcome, .. } = change;
            let Outcome::Different { counterexample } = outcome else { continue };
            let before = old.instruction(isa, old_id.as_ref().unwrap_or(id));
            let after = new.instruction(isa, id);
            let (Some(before), Some(after)) = (before, after) else { continue };
            // One instruction whose parsed form is the old side's meaning and whose canonical form is the new side's.
            let judged = Instruction {
                function: before.function.clone(),
                undefined: both_undefined(&before.undefined, &after.undefined),
                ..after.clone()
            };
            asked.push((&mut **counterexample, judged, after));
        }
        if asked.is_empty() {
            continue;
        }
        let phase = phases.start(&format!("ask {}", isa.name()), asked.len());
        let instructions: Vec<&Instruction> = asked.iter().map(|(_, judged, _)| judged).collect();
        let oracle = match session.set(isa).oracle(&instructions, WrapperOptions::default(), work) {
            Ok(oracle) => oracle,
            Err(error) if error.is_missing() => {
                phases.end(phase, "not done");
                for (counterexample, _, _) in asked {
                    let verdict = Verdict::Unasked { reason: error.to_string() };
                    counterexample.hardware = Some(Hardware { machine: String::new(), verdict });
                }
                continue;
            }
            Err(error) => return Err(error).context("cannot build the oracle"),
        };
        let machine = oracle.machine().map_or_else(cpu_model, str::to_owned);
        let cases: Vec<Case<'_>> = asked
            .iter()
            .map(|(_, judged, after)| Case { canonical: Some(&after.function), ..Case::new(judged) })
            .collect();
        let checked =
            oracle.validate(&cases, INPUTS, SEED, |_| {}).context("the comparison broke off")?.cases;
        drop(cases);
        for ((counterexample, judged, _), checked) in asked.into_iter().zip(checked) {
            let args = counterexample.args.iter().map(bits).collect::<Result<Vec<Bits>>>()?;
            let answer = oracle.ask(&judged, &args).context("the comparison broke off")?;
            let verdict = match answer {
                Ok(results) => verdict(counterexample, &judged, &results, &checked.outcome)?,
                Err(reason) => Verdict::Unasked { reason },
            };
            counterexample.hardware = Some(Hardware { machine: machine.clone(), verdict });
        }
        phases.end(phase, &machine);
    }
    Ok(())
}

fn bits(value: &Value) -> Result<Bits> {
    Bits::from_hex(value.width, &value.bits).context("a value of the report cannot be read")
}

fn verdict(
    counterexample: &Counterexample,
    judged: &Instruction,
    results: &[Bits],
    further: &Checked,
) -> Result<Verdict> {
    let agrees = |side: &[Value]| -> Result<bool> {
        for (position, (value, found)) in side.iter().zip(results).enumerate() {
            let expected = bits(value)?;
            let open = |bit: u32| {
                judged.undefined.iter().any(|undefined| {
                    undefined.result == position
                        && (undefined.low..undefined.low + undefined.width).contains(&bit)
                })
            };
            if (0..expected.width()).any(|bit| expected.bit(bit) != found.bit(bit) && !open(bit)) {
                return Ok(false);
            }
        }
        Ok(true)
    };
    let mut run = Run { results: results.iter().map(|bits| format!("{bits:x}")).collect(), ..Run::default() };
    match further {
        Checked::Mismatch(mismatch) => {
            run.inputs = mismatch.inputs;
            run.old_differs = mismatch.parsed_differs;
            run.new_differs = mismatch.canonical_differs;
        }
        Checked::Agrees { inputs } => run.inputs = *inputs,
        _ => {}
    }
    Ok(match (agrees(&counterexample.old)?, agrees(&counterexample.new)?) {
        (true, _) => Verdict::Old(run),
        (_, true) => Verdict::New(run),
        (false, false) => Verdict::Neither(run),
    })
}
