//! The functions of a header on a machine: each is compared with the instruction that it stands for.

use std::path::Path;

use anyhow::Result;
use difftest::{Case, Outcome};
use hydride_ir::{Function, ResultId, Stmt};
use parsers::{Instruction, Kind, Signature};

use super::call::{Written, arguments, parameters};
use crate::commands::synth::targets::Ground;
use crate::machine;

/// Compiles and runs the functions on `inputs` inputs each; exit code 1 when one differs.
pub fn check(
    header: &str,
    functions: &[Written<'_>],
    ground: &Ground,
    inputs: usize,
    work: &Path,
) -> Result<u8> {
    let mut lines: Vec<String> = header.lines().map(str::to_owned).collect();
    let mut cases = Vec::new();
    for written in functions {
        let call = format!("{}({})", written.instruction.intrinsic, arguments(written.instruction));
        add(written, None, &call, ground, (&mut lines, &mut cases));
    }
    let summary = |agree, all| format!("{agree} of {all} functions agree with their instructions");
    machine::check(ground.set, (&cases, lines), Case::new, inputs, work, summary)
}

/// A call of another header's function in place of an instruction.
pub struct Other<'a> {
    /// The function in this one's header.
    pub written: &'a Written<'a>,
    /// Its immediates.
    pub choices: &'a [i64],
    /// An expression of the parameters.
    pub call: String,
}

/// What comes of each of some calls, in order; nothing where no machine is there.
pub fn outcomes(
    definitions: Vec<String>,
    calls: &[Other<'_>],
    ground: &Ground,
    inputs: usize,
    work: &Path,
) -> Result<Option<Vec<Vec<Outcome>>>> {
    let (mut lines, mut cases, mut counts) = (definitions, Vec::new(), Vec::new());
    for (number, call) in calls.iter().enumerate() {
        let before = cases.len();
        add(call.written, Some((number, call.choices)), &call.call, ground, (&mut lines, &mut cases));
        counts.push(cases.len() - before);
    }
    let found = machine::outcomes(ground.set, (&cases, lines), Case::new, inputs, work)?;
    let Some((found, _)) = found else { return Ok(None) };
    let mut by_name: std::collections::HashMap<String, Outcome> = found.into_iter().collect();
    let mut rest = cases.iter();
    let outcomes = counts
        .into_iter()
        .map(|count| rest.by_ref().take(count).filter_map(|case| by_name.remove(&case.id)).collect());
    Ok(Some(outcomes.collect()))
}

/// A case for each result of a function, and its definition: a call where immediates are chosen, or parameters.
fn add(
    written: &Written<'_>,
    chosen: Option<(usize, &[i64])>,
    call: &str,
    ground: &Ground,
    (lines, cases): (&mut Vec<String>, &mut Vec<Instruction>),
) {
    let instruction = written.instruction;
    let signature = &instruction.signature;
    // An entry for several features has them in its id.
    let id = instruction.id.replace(|c: char| !(c.is_ascii_alphanumeric() || c == '_'), "_");
    for (number, result) in signature.results.iter().enumerate() {
        let name = match chosen {
            Some((own, _)) => format!("other_{own}_{number}_{id}"),
            None => format!("port_{number}_{id}"),
        };
        let part = if signature.results.len() == 1 { String::new() } else { format!(".val[{number}]") };
        let (ty, body) = match result.is_memory() {
            true => ("void", format!("{call};")),
            false => (result.c_type.as_str(), format!("{} all = {call}; return all{part};", written.result)),
        };
        lines.push(format!(
            "static __attribute__((noinline, unused)) {ty} {name}({}) {{ {body} }}",
            parameters(instruction)
        ));
        let mut signature = Signature { args: signature.args.clone(), results: vec![result.clone()] };
        if let Some((_, choices)) = chosen {
            // Only this choice is asked for.
            let immediates = signature.args.iter_mut().filter_map(|arg| match &mut arg.kind {
                Kind::Immediate(range) => Some(range),
                _ => None,
            });
            for (range, choice) in immediates.zip(choices) {
                (range.low, range.high) = (*choice, *choice);
            }
        }
        cases.push(machine::instruction(ground.set, name, only(&instruction.function, number), signature));
    }
}

/// The function with one of its results.
fn only(function: &Function, number: usize) -> Function {
    let mut own = function.clone();
    own.results = vec![function.results[number].clone()];
    own.body = of_result(&function.body, ResultId(number as u32));
    own
}

fn of_result(body: &[Stmt], wanted: ResultId) -> Vec<Stmt> {
    body.iter()
        .filter_map(|stmt| match stmt {
            Stmt::Assign { result, low, value } if *result == wanted => {
                Some(Stmt::Assign { result: ResultId(0), low: low.clone(), value: *value })
            }
            Stmt::Assign { .. } => None,
            Stmt::For { .. } => {
                let mut own = stmt.clone();
                if let Stmt::For { body, .. } = &mut own {
                    *body = of_result(body, wanted);
                }
                Some(own)
            }
        })
        .collect()
}
