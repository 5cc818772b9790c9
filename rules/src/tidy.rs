//! What is left to do between rules: movements that a load, or another name for a register, makes superfluous.
//!
//! ```text
//! t0 = extract high half of a[0..]            →   t0 is the load a[16..]
//! t1 = extract low half of t0                 →   t1 is the low part of t0
//! ```

use search::{Class, Type as Register};
use synth::contents::{Content, Entry};
use synth::program::{Input, Program, Step, Value};
use synth::table::{OpId, Table};
use synth::window::{Element, Window};

use crate::sequence::low_part;

/// The operand and the first of its bits that an operation's result is, where it is a run of bits of one operand.
fn run(table: &Table, op: OpId) -> Option<(usize, u32)> {
    let op = table.op(op);
    let template = table.template(op.template);
    let (operand, low) = *op.reads.first()?.first()?;
    let whole = op.reads.len() as u32 * template.container == op.result.width;
    let in_order = op
        .reads
        .iter()
        .zip(0..)
        .all(|(reads, lane)| reads.len() == 1 && reads[0] == (operand, low + lane * template.container));
    let vector = op.result.class == Class::Vector;
    (template.moves && template.slots == [template.container] && whole && in_order && vector)
        .then_some((operand as usize, low))
}

/// The program without movements that are not needed.
pub fn tidy(program: &Program, table: &Table, window: &Window) -> Program {
    let mut made = Program { inputs: program.inputs.clone(), ..Program::default() };
    let mut steps: Vec<Value> = Vec::new();
    for step in &program.steps {
        let operands: Vec<Value> = step.operands.iter().map(|value| renamed(value, &steps)).collect();
        let short = run(table, step.op).and_then(|(operand, low)| {
            shortened(&mut made, table, window, operands.get(operand)?, low, table.op(step.op).result)
        });
        steps.push(short.unwrap_or_else(|| made.step(step.op, operands, step.container, &step.content)));
    }
    made.outputs =
        program.outputs.iter().map(|(value, content)| (renamed(value, &steps), content.clone())).collect();
    made.container = program.container;
    made.output_type = program.output_type;
    made.added = program.added;
    made.extended = program.extended;
    only_used(&made)
}

/// A value with the steps' new names.
fn renamed(value: &Value, steps: &[Value]) -> Value {
    match value {
        Value::Input(at) => Value::Input(*at),
        Value::Step(at) => steps[*at].clone(),
        Value::Low(pair) => Value::Low(Box::new(renamed(pair, steps))),
        Value::High(pair) => Value::High(Box::new(renamed(pair, steps))),
        Value::Pair(two) => Value::Pair(Box::new((renamed(&two.0, steps), renamed(&two.1, steps)))),
    }
}

/// Bits of a value from `low` on without an operation, if there is such a value.
fn shortened(
    made: &mut Program,
    table: &Table,
    window: &Window,
    value: &Value,
    low: u32,
    result: Register,
) -> Option<Value> {
    let own = made.ty(table, value)?;
    if own.class != Class::Vector || result.width > own.width {
        return None;
    }
    if low == 0 {
        return low_part(value.clone(), own.width, result.width);
    }
    let Value::Input(at) = value else { return None };
    let (leaf, start) = made.inputs[*at].load?;
    let ty = window.leaves.get(leaf as usize)?.ty;
    if window.in_registers || !low.is_multiple_of(ty.width) || made.inputs[*at].container != ty.width {
        return None;
    }
    let start = start + i64::from(low / ty.width);
    if start < 0 || start >= i64::from(ty.lanes) {
        return None;
    }
    let content: Content = (start..start + i64::from(result.width / ty.width))
        .map(|index| match u32::try_from(index).ok().filter(|index| *index < ty.lanes) {
            Some(index) => Entry::Element(Element { leaf, index }),
            None => Entry::Any,
        })
        .collect();
    let input = Input { ty: result, container: ty.width, content, load: Some((leaf, start)) };
    let at = made.inputs.iter().position(|other| *other == input).unwrap_or_else(|| {
        made.inputs.push(input);
        made.inputs.len() - 1
    });
    Some(Value::Input(at))
}

/// The program without inputs and steps that nothing reads.
fn only_used(program: &Program) -> Program {
    let (mut inputs, mut steps) = (vec![false; program.inputs.len()], vec![false; program.steps.len()]);
    let mut pending: Vec<&Value> = program.outputs.iter().map(|(value, _)| value).collect();
    while let Some(value) = pending.pop() {
        match value {
            Value::Input(at) => inputs[*at] = true,
            Value::Step(at) => {
                if !std::mem::replace(&mut steps[*at], true) {
                    pending.extend(&program.steps[*at].operands);
                }
            }
            Value::Low(pair) | Value::High(pair) => pending.push(pair),
            Value::Pair(two) => pending.extend([&two.0, &two.1]),
        }
    }
    let numbers = |used: &[bool]| {
        let mut next = 0;
        used.iter()
            .map(|used| {
                let own = next;
                next += usize::from(*used);
                own
            })
            .collect::<Vec<usize>>()
    };
    let (new_inputs, new_steps) = (numbers(&inputs), numbers(&steps));
    fn moved(value: &Value, inputs: &[usize], steps: &[usize]) -> Value {
        match value {
            Value::Input(at) => Value::Input(inputs[*at]),
            Value::Step(at) => Value::Step(steps[*at]),
            Value::Low(pair) => Value::Low(Box::new(moved(pair, inputs, steps))),
            Value::High(pair) => Value::High(Box::new(moved(pair, inputs, steps))),
            Value::Pair(two) => {
                Value::Pair(Box::new((moved(&two.0, inputs, steps), moved(&two.1, inputs, steps))))
            }
        }
    }
    let moved = |value: &Value| moved(value, &new_inputs, &new_steps);
    Program {
        inputs: program.inputs.iter().zip(&inputs).filter(|own| *own.1).map(|own| own.0.clone()).collect(),
        steps: program
            .steps
            .iter()
            .zip(&steps)
            .filter(|own| *own.1)
            .map(|(step, _)| Step { operands: step.operands.iter().map(moved).collect(), ..step.clone() })
            .collect(),
        outputs: program.outputs.iter().map(|(value, content)| (moved(value), content.clone())).collect(),
        ..program.clone()
    }
}
