//! Registers that a compiler copies because an instruction overwrites one of its operands. Of several programs of one length the
//! one that needs the fewest copies is the shortest when it is compiled.

use crate::program::{Program, Value};
use crate::table::{OpId, Table};

/// How many registers are copied so that instructions can overwrite them, or loaded with a constant that would otherwise be an
/// operand in memory; one more where the result is not in the register of the first leaf, which most calls return it in.
pub(crate) fn copies(program: &Program, table: &Table) -> u64 {
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
    let mut place = Some(result);
    while let Some(Value::Step(at)) = place {
        place = over.get(*at).copied().flatten();
    }
    let is_elsewhere = |value: &Value| match value {
        Value::Input(input) => program.inputs[*input].load.is_some_and(|(leaf, _)| leaf > 0),
        _ => false,
    };
    count + u64::from(place.is_some_and(is_elsewhere))
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
