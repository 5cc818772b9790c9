//! Found sequences as assembly.

use hydride_ir::Function;

use crate::allocation::{Place, Use};
use crate::find::Solution;
use crate::goal::{Goal, Input, Output};
use crate::instruction::{Instruction, Operand};
use crate::registers::place;
use crate::sequence::{Applied, Sequence};
use crate::syntax::{Syntax, Written};
use crate::transition::Member;
use crate::value::{Class, File, Type};

/// The types of a solution's values.
pub(crate) fn types(goal: &Goal, solution: &Solution, instructions: &[Instruction]) -> Vec<Type> {
    let inputs = goal.inputs.iter().map(|input| input.ty);
    let results = solution.sequence.steps.iter().map(|step| instructions[step.member.instruction].result);
    inputs.chain(results).collect()
}

/// One line for each machine instruction, moves among them, and a last one that says where the outputs are.
pub fn assembly(
    goal: &Goal,
    solution: &Solution,
    instructions: &[Instruction],
    syntax: &dyn Syntax,
) -> Vec<String> {
    let inputs = goal.inputs.len();
    let types = types(goal, solution, instructions);
    let name = |value: usize| syntax.register(types[value], solution.schedule.registers[value]);
    let taken = types.iter().filter(|ty| ty.class == Class::Scalar).count();
    let (constants, mut lines) = constants(solution, instructions, syntax, taken);
    for (at, step) in solution.sequence.steps.iter().enumerate() {
        let instruction = &instructions[step.member.instruction];
        let result = name(inputs + at);
        let place = solution.schedule.places[at];
        if let Place::Copy(operand) = place {
            let value = step.operands[operand];
            lines.push(syntax.copy(types[value], &result, &name(value)));
        }
        let mut operands: Vec<String> = step.operands.iter().map(|operand| name(*operand)).collect();
        for (operand, register) in &solution.schedule.copies[at] {
            let ty = types[step.operands[*operand]];
            let copy = syntax.register(ty, *register);
            lines.push(syntax.copy(ty, &copy, &operands[*operand]));
            operands[*operand] = copy;
        }
        let written = Written {
            instruction,
            step,
            result: &result,
            registers: &operands,
            place,
            constants: &constants[at],
        };
        lines.push(syntax.step(&written));
    }
    let outputs = goal.outputs.iter().zip(&solution.sequence.outputs);
    let places: Vec<String> =
        outputs.map(|(output, value)| format!("{} = {}", output.name, name(*value))).collect();
    let starts: Vec<String> =
        goal.inputs.iter().enumerate().map(|(at, input)| format!("{} = {}", input.name, name(at))).collect();
    lines.insert(0, format!("; in: {}", starts.join(", ")));
    lines.push(format!("; out: {}", places.join(", ")));
    lines
}

/// A single instruction with these immediates, printed as [`assembly`] prints a sequence: each register that it reads
/// is an input. Where they are to be `kept`, what it overwrites is copied.
pub fn alone(
    position: usize,
    choices: &[i64],
    kept: bool,
    instructions: &[Instruction],
    syntax: &dyn Syntax,
) -> Option<Vec<String>> {
    let instruction = instructions.get(position)?;
    let types: Vec<Type> = instruction.operands.iter().flat_map(Operand::registers).collect();
    let input = |(at, ty): (usize, &Type)| {
        let name = char::from(b'a' + at as u8).to_string();
        Input { name, ty: *ty, element: 8, constant: None }
    };
    let goal = Goal {
        name: instruction.id.clone(),
        inputs: types.iter().enumerate().map(input).collect(),
        outputs: vec![Output { name: "result".into(), ty: instruction.result, wanted: Vec::new() }],
        element: 8,
        function: Function::new(instruction.id.clone()),
    };
    let count = types.len();
    let outputs = vec![count];
    let step = Use {
        operands: (0..count).collect(),
        destroys: instruction.destroys.map(|at| instruction.register_of(at)).into_iter().collect(),
        placement: instruction.placement(),
        file: instruction.result.file(),
    };
    let files: Vec<File> = types.iter().map(|ty| ty.file()).collect();
    let read: Vec<usize> = if kept { (0..=count).collect() } else { outputs.clone() };
    let schedule = place(&files, &[step], &read, &[0])?;
    let member = Member { instruction: position, choices: choices.to_vec() };
    let sequence = Sequence { steps: vec![Applied { member, operands: (0..count).collect() }], outputs };
    let solution = Solution { sequence, others: Vec::new(), cost: 1 + schedule.moves, schedule };
    Some(assembly(&goal, &solution, instructions, syntax))
}

/// The constants in general registers that instructions of a sequence read, each with its register: for
/// each step and choice the register, and the lines that set them.
fn constants(
    solution: &Solution,
    instructions: &[Instruction],
    syntax: &dyn Syntax,
    taken: usize,
) -> (Vec<Vec<Option<String>>>, Vec<String>) {
    let mut known: Vec<(i64, Type)> = Vec::new();
    let mut steps = Vec::new();
    for step in &solution.sequence.steps {
        let instruction = &instructions[step.member.instruction];
        let choices = instruction.operands.iter().zip(&instruction.names);
        let choices = choices.filter(|(operand, _)| matches!(operand, Operand::Choice { .. }));
        let own = choices.zip(&step.member.choices).map(|((operand, name), value)| {
            let Operand::Choice { width, .. } = operand else { return None };
            syntax.in_register(name).then(|| {
                let constant = (*value, Type { class: Class::Scalar, width: *width });
                let at = known.iter().position(|other| *other == constant).unwrap_or_else(|| {
                    known.push(constant);
                    known.len() - 1
                });
                // Some instructions read only the first eight.
                syntax.register(constant.1, taken + at)
            })
        });
        steps.push(own.collect());
    }
    let line = |(at, (value, ty)): (usize, &(i64, Type))| syntax.set(&syntax.register(*ty, at), *value);
    let set = (taken..).zip(&known).map(line).collect();
    (steps, set)
}
