//! The functions of a header on a machine: each is compared with the instruction that it stands for.

use std::path::Path;

use anyhow::Result;
use difftest::Case;
use hydride_ir::{Function, ResultId, Stmt};
use parsers::{Instruction, Signature};

use super::header::{arguments, parameters};
use crate::commands::synth::targets::Ground;
use crate::machine;

/// Compiles and runs the functions on `inputs` inputs each; exit code 1 when one differs.
pub fn check(
    header: &str,
    instructions: &[(&Instruction, String)],
    ground: &Ground,
    inputs: usize,
    work: &Path,
) -> Result<u8> {
    let mut lines: Vec<String> = header.lines().map(str::to_owned).collect();
    let mut cases = Vec::new();
    for (instruction, whole) in instructions {
        let (signature, id) = (&instruction.signature, &instruction.id);
        for (number, result) in signature.results.iter().enumerate() {
            let name = format!("port_{number}_{id}");
            let part = if signature.results.len() == 1 { String::new() } else { format!(".val[{number}]") };
            let call = format!("{}({})", instruction.intrinsic, arguments(instruction));
            let (ty, body) = match result.is_memory() {
                true => ("void", format!("{call};")),
                false => (result.c_type.as_str(), format!("{whole} all = {call}; return all{part};")),
            };
            lines.push(format!(
                "static __attribute__((noinline, unused)) {ty} {name}({}) {{ {body} }}",
                parameters(instruction)
            ));
            let signature = Signature { args: signature.args.clone(), results: vec![result.clone()] };
            cases.push(machine::instruction(
                ground.set,
                name,
                only(&instruction.function, number),
                signature,
            ));
        }
    }
    let summary = |agree, all| format!("{agree} of {all} functions agree with their instructions");
    machine::check(ground.set, (&cases, lines), Case::new, inputs, work, summary)
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
