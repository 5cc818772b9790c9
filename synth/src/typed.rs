//! Of instructions with one function, which C has an intrinsic of for each type of elements, those with the types of what they read.
//!
//! Compilers see what a mask is of while its elements stay the same: `vbslq_s8` of a comparison of 64-bit elements is three
//! instructions, `vbslq_s64` one.

use std::cmp::Reverse;

use hydride_ir::Arg;
use search::Instruction;

use crate::program::{Program, Value};
use crate::table::Table;

/// For each step the position of the instruction that is written: its own, or one of the same mnemonic and function of which more
/// operands have the elements that the steps before give them.
pub(crate) fn written(table: &Table, program: &Program) -> Vec<usize> {
    let mut found: Vec<usize> = Vec::new();
    for step in &program.steps {
        let own = table.op(step.op).instruction;
        let given: Vec<Option<&str>> = step
            .operands
            .iter()
            .map(|value| step_of(value).map(|at| element(&table.instructions[found[at]].result_c_type)))
            .collect();
        let agreeing = |at: usize| {
            let types = table.instructions[at].c_types.iter().map(|own| Some(element(own)));
            types.zip(&given).filter(|(own, given)| own == *given).count()
        };
        let is_other = |at: &usize| computes_the_same(&table.instructions[*at], &table.instructions[own]);
        let is_computed = given.iter().any(Option::is_some);
        let others = (0..table.instructions.len()).filter(|at| is_computed && is_other(at));
        let best = others.map(|at| (agreeing(at), at)).min_by_key(|(count, at)| (Reverse(*count), *at));
        found.push(match best {
            Some((count, at)) if count > agreeing(own) => at,
            _ => own,
        });
    }
    found
}

/// The step that a value is all of, or a half.
fn step_of(value: &Value) -> Option<usize> {
    match value {
        Value::Step(at) => Some(*at),
        Value::Low(of) | Value::High(of) => step_of(of),
        Value::Input(_) | Value::Pair(_) => None,
    }
}

/// The elements of a vector's type in C: `uint64` of `uint64x2_t`.
fn element(c_type: &str) -> &str {
    c_type.split_once('x').map_or(c_type, |(element, _)| element)
}

fn computes_the_same(one: &Instruction, other: &Instruction) -> bool {
    let widths = |own: &Instruction| -> Vec<_> {
        own.function.args.iter().map(|Arg { width, role, .. }| (width.clone(), *role)).collect()
    };
    let (function, like) = (&one.function, &other.function);
    one.mnemonic == other.mnemonic
        && one.operands == other.operands
        && one.result == other.result
        && function.body == like.body
        && function.exprs() == like.exprs()
        && widths(one) == widths(other)
}
