//! Programs of a target's instructions as LLVM functions: each instruction is what its intrinsic is in LLVM.

use hydride_ir::Role;
use hydride_ir::exact::Node;
use llvm_text::{Scalar, Type};
use refine::ast::{Body, Operand};
use search::Operand as Machine;
use synth::contents::Entry;
use synth::program::{Input, Program, Value};
use synth::table::Table;
use synth::window::{Input as Leaf, Meaning};

use crate::build::{Builder, bits_of, constant, vector};

/// What intrinsics are in LLVM.
pub trait Lowering {
    /// The function of one block that an instruction is, for these values of its immediates.
    fn body(&self, instruction: &str, immediates: &[i64]) -> Option<Body>;
}

/// Why a program has no function.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NoBody(pub String);

impl std::fmt::Display for NoBody {
    fn fmt(&self, out: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        out.write_str(&self.0)
    }
}

fn none<T>(why: impl Into<String>) -> Result<T, NoBody> {
    Err(NoBody(why.into()))
}

/// What the parameters of a function are in a window: values narrower than the target's registers that are no vectors are
/// scalars.
pub fn window_inputs(body: &Body) -> Vec<Leaf> {
    let input = |ty: &Type| if matches!(ty, Type::Vector(..)) { Leaf::Vector } else { Leaf::Scalar };
    body.parameters.iter().map(|own| input(&own.ty)).collect()
}

/// The function of LLVM that a program for the window of `of` is.
pub fn program_body(
    of: &Body,
    meaning: &Meaning<'_>,
    table: &Table,
    program: &Program,
    lowering: &dyn Lowering,
) -> Result<Body, NoBody> {
    if program.added.is_some() {
        return none("a sum in a general register");
    }
    let mut writer = Writer {
        meaning,
        table,
        program,
        builder: Builder::new(of, false),
        inputs: Vec::new(),
        steps: Vec::new(),
    };
    for input in &program.inputs {
        let value = writer.input(input)?;
        writer.inputs.push(value);
    }
    for at in 0..program.steps.len() {
        let value = writer.step(at, lowering)?;
        writer.steps.push(value);
    }
    let value = writer.outputs(bits_of(&of.result))?;
    writer.builder.finish(value).ok_or_else(|| NoBody("a result of another width".to_owned()))
}

struct Writer<'a, 'w> {
    meaning: &'a Meaning<'w>,
    table: &'a Table,
    program: &'a Program,
    builder: Builder,
    inputs: Vec<Operand>,
    steps: Vec<Operand>,
}

impl Writer<'_, '_> {
    fn input(&mut self, input: &Input) -> Result<Operand, NoBody> {
        let window = self.meaning.window();
        if let Some((leaf, start)) = input.load {
            let ty = window.leaves[leaf as usize].ty;
            let Some(whole) = self.builder.parameter(leaf as usize) else {
                return none("an input that is not there");
            };
            let count = i64::from(input.ty.width / ty.width);
            if start == 0 && count == i64::from(ty.lanes) {
                return Ok(whole);
            }
            let lanes = self.builder.bitcast(whole, &vector(ty.lanes, ty.width));
            let inside = |at: i64| (0..i64::from(ty.lanes)).contains(&at).then_some(at as u32);
            let mask = (start..start + count).map(inside).collect();
            return Ok(self.builder.shuffle(lanes, None, mask));
        }
        if input.container > 64 {
            return none("a constant of containers of more than 64 bits");
        }
        let register = vector(input.content.len() as u32, input.container);
        let mut lanes = Vec::new();
        for entry in &input.content {
            lanes.push(match entry {
                Entry::Uniform(value) => match self.meaning.dag.as_int(*value) {
                    Some(value) => Some(low_bits(value.try_into().ok(), input.container)?),
                    None => None,
                },
                _ => Some(0),
            });
        }
        if let Some(lanes) = lanes.into_iter().collect::<Option<Vec<u64>>>() {
            return Ok(constant(&register, &lanes));
        }
        self.broadcast(input, &register)
    }

    /// One scalar in all containers.
    fn broadcast(&mut self, input: &Input, register: &Type) -> Result<Operand, NoBody> {
        let computed = || NoBody("a value that is computed from scalars".to_owned());
        let mut found = None;
        for entry in &input.content {
            let Entry::Uniform(value) = entry else { return Err(computed()) };
            if found.is_some_and(|found| found != *value) {
                return Err(computed());
            }
            found = Some(*value);
        }
        let Some(value) = found else { return Err(computed()) };
        let Node::Slice { of, low: 0, width, .. } = *self.meaning.dag.node(value) else {
            return Err(computed());
        };
        let Node::Arg(arg) = *self.meaning.dag.node(of) else { return Err(computed()) };
        let leaf = self.meaning.sample(arg).and_then(|elements| elements.first()).ok_or_else(computed)?.leaf;
        let own = &self.meaning.window().leaves[leaf as usize];
        if !own.scalar || own.ty.width != width || width != input.container {
            return Err(computed());
        }
        let Some(scalar) = self.builder.parameter(leaf as usize) else { return Err(computed()) };
        let one = self.builder.bitcast(scalar, &Type::Vector(1, Scalar::Integer(width)));
        let count = bits_of(register) / width;
        Ok(self.builder.shuffle(one, None, vec![Some(0); count as usize]))
    }

    fn step(&mut self, at: usize, lowering: &dyn Lowering) -> Result<Operand, NoBody> {
        let step = &self.program.steps[at];
        let op = self.table.op(step.op);
        let instruction = &self.table.instructions[op.instruction];
        let mut registers = Vec::new();
        for operand in &step.operands {
            registers.push(self.value(operand)?);
        }
        let (mut registers, mut choices) = (registers.into_iter(), op.choices.iter());
        let (mut arguments, mut immediates) = (Vec::new(), Vec::new());
        for (operand, arg) in instruction.operands.iter().zip(&instruction.function.args) {
            let missing = || NoBody(format!("operands of {}", instruction.id));
            match operand {
                Machine::Register(_) => arguments.push(registers.next().ok_or_else(missing)?),
                Machine::Consecutive { .. } => {
                    return none(format!("consecutive registers of {}", instruction.id));
                }
                Machine::Choice { width, .. } => {
                    let choice = *choices.next().ok_or_else(missing)?;
                    if matches!(arg.role, Role::Immediate { .. }) {
                        immediates.push(choice);
                    } else {
                        arguments.push(constant(
                            &Type::integer(*width),
                            &[low_bits(Some(choice.into()), *width)?],
                        ));
                    }
                }
            }
        }
        let Some(body) = lowering.body(&instruction.id, &immediates) else {
            return none(format!("{} has no function in LLVM that is modelled", instruction.id));
        };
        let value = self.builder.inline(&body, arguments);
        value.ok_or_else(|| NoBody(format!("{} has other operands in LLVM", instruction.id)))
    }

    fn value(&mut self, value: &Value) -> Result<Operand, NoBody> {
        let missing = || NoBody("an operand that is not there".to_owned());
        Ok(match value {
            Value::Input(at) => self.inputs.get(*at).ok_or_else(missing)?.clone(),
            Value::Step(at) => self.steps.get(*at).ok_or_else(missing)?.clone(),
            Value::Low(pair) | Value::High(pair) => {
                let pair = self.value(pair)?;
                let bytes = bits_of(&pair.ty) / 8;
                let pair = self.builder.bitcast(pair, &vector(bytes, 8));
                let first = if matches!(value, Value::High(_)) { bytes / 2 } else { 0 };
                self.builder.shuffle(pair, None, (first..first + bytes / 2).map(Some).collect())
            }
            Value::Pair(two) => {
                let (low, high) = (self.value(&two.0)?, self.value(&two.1)?);
                let bytes = bits_of(&low.ty) / 8;
                let low = self.builder.bitcast(low, &vector(bytes, 8));
                let high = self.builder.bitcast(high, &vector(bytes, 8));
                self.builder.shuffle(low, Some(high), (0..2 * bytes).map(Some).collect())
            }
        })
    }

    /// The result's registers, one after the other, as far as they hold it.
    fn outputs(&mut self, bits: u32) -> Result<Operand, NoBody> {
        let container = self.program.container;
        let mut all: Option<(Operand, u32)> = None;
        for (value, content) in &self.program.outputs {
            let register = self.value(value)?;
            let count = bits_of(&register.ty) / container;
            let register = self.builder.bitcast(register, &vector(count, container));
            let lanes = content.iter().take_while(|entry| **entry != Entry::Any).count() as u32;
            let own = self.builder.shuffle(register, None, (0..lanes).map(Some).collect());
            all = Some(match all {
                None => (own, lanes),
                Some((before, so_far)) => {
                    // Both operands of a shuffle have one type.
                    let wide = so_far.max(lanes);
                    let widened = |have: u32| (0..wide).map(|at| (at < have).then_some(at)).collect();
                    let before = self.builder.shuffle(before, None, widened(so_far));
                    let own = self.builder.shuffle(own, None, widened(lanes));
                    let mask = (0..so_far).map(Some).chain((wide..wide + lanes).map(Some)).collect();
                    (self.builder.shuffle(before, Some(own), mask), so_far + lanes)
                }
            });
        }
        match all {
            Some((value, lanes)) if lanes * container == bits => Ok(value),
            _ => none("a result of another width"),
        }
    }
}

/// The low bits of a number.
fn low_bits(value: Option<i128>, width: u32) -> Result<u64, NoBody> {
    let value = value.ok_or_else(|| NoBody("a constant beyond 128 bits".to_owned()))?;
    Ok(value as u64 & crate::element::ones(width))
}
