//! Registers that a compiler copies because an instruction overwrites one of its operands. Of several programs of one length the
//! one that needs the fewest copies is the shortest when it is compiled.

use std::borrow::Cow;

use crate::program::{Program, Value};
use crate::table::{OpId, Table};

/// How many registers are copied so that instructions can overwrite them, or loaded with a constant that would otherwise be an
/// operand in memory; one more where the result is not in the register of the first leaf, which most calls return it in.
fn copies(program: &Program, table: &Table) -> u64 {
    let steps = || program.steps.iter().enumerate();
    let is_read_after = |value: &Value, at: usize| {
        let later = steps().skip(at + 1).any(|(_, step)| step.operands.contains(value));
        later || program.outputs.iter().any(|(own, _)| own == value)
    };
    let costs = |value: &Value, at: usize| match value {
        Value::Input(input) if program.inputs[*input].load.is_none() => true,
        _ => is_read_after(value, at),
    };
    let mut count = 0;
    // For each step the value whose register its result takes.
    let mut over: Vec<Option<&Value>> = Vec::new();
    for (at, step) in steps() {
        let open = overwritten(table, step.op).into_iter().filter_map(|arg| step.operands.get(arg));
        let open: Vec<&Value> = open.collect();
        let free = open.iter().copied().find(|value| !costs(value, at));
        count += u64::from(!open.is_empty() && free.is_none());
        over.push(free);
    }
    let [(result, _)] = &program.outputs[..] else { return count };
    let mut place = result;
    while let Value::Step(at) = place
        && let Some(before) = over.get(*at).copied().flatten()
    {
        place = before;
    }
    let leaf = |input: &usize| program.inputs[*input].load.map(|(leaf, _)| leaf);
    let reads_first = |value: &Value| matches!(value, Value::Input(input) if leaf(input) == Some(0));
    let is_elsewhere = match place {
        Value::Input(input) => leaf(input).is_some_and(|leaf| leaf > 0),
        // What is read later is still in the first leaf's register.
        Value::Step(at) => steps().skip(at + 1).any(|(_, step)| step.operands.iter().any(reads_first)),
        _ => false,
    };
    count + u64::from(is_elsewhere)
}

/// How many copies a program needs, and the program with its steps in the order that needs fewer: its own or, with what needs fewer
/// steps before it first, by depth.
pub(crate) fn ordered<'p>(program: &'p Program, table: &Table) -> (u64, Cow<'p, Program>) {
    let own = copies(program, table);
    if own == 0 {
        return (own, Cow::Borrowed(program));
    }
    let by_depth = program.by_depth();
    let other = copies(&by_depth, table);
    if other < own { (other, Cow::Owned(by_depth)) } else { (own, Cow::Borrowed(program)) }
}

/// The operands of which an instruction overwrites one: either of two that it reads lane by lane, since most such instructions give
/// the same with these exchanged; else the one that is documented.
fn overwritten(table: &Table, op: OpId) -> Vec<usize> {
    let (instruction, own) = (table.instruction(op), table.op(op));
    let Some(destroyed) = instruction.destroys else { return Vec::new() };
    let lanewise = |reads: &Vec<(u32, u32)>| matches!(reads[..], [(left, one), (right, other)] if left != right && one == other);
    let moves = table.template(own.template).moves;
    match !moves && own.args.len() == 2 && own.reads.iter().all(lanewise) {
        true => vec![0, 1],
        false => vec![instruction.register_of(destroyed)],
    }
}
