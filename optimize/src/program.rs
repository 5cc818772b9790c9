//! Programs of a target's instructions as LLVM functions: each instruction is what its intrinsic is in LLVM.

mod memory;
mod scalar;

use hydride_ir::Role;
use hydride_ir::exact::NodeId;
use llvm_text::Type;
use refine::ast::{Action, Body, Operand, Parameter};
use rustc_hash::FxHashMap;
use search::{Instruction, Operand as Machine};
use synth::contents::Entry;
use synth::program::{Input, Program, Value};
use synth::table::Table;
use synth::window::{Input as Leaf, Kind, Meaning, Type as LeafType, limits};

use crate::build::{Builder, bits_of, constant, vector};
use crate::facts::Facts;
use crate::run::width_of;

pub use memory::program_function;

/// What intrinsics are in LLVM.
pub trait Lowering {
    /// The function of one block that an instruction is, for these values of its immediates. Its parameters are the
    /// instruction's other arguments, each of that width.
    fn body(&self, instruction: &Instruction, immediates: &[i64]) -> Option<Body>;
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

/// The least and the greatest number that an element of a leaf has, read as the leaf's type says; `None` where that is every
/// number, or not known of elements of its width.
pub fn leaf_range(parameter: &Parameter, ty: LeafType) -> Option<(i128, i128)> {
    let width = width_of(&parameter.ty).filter(|width| *width == ty.width)?;
    let known = Facts::of_attributes(width, &parameter.attributes)?;
    let (least, most) = known.signed();
    let (low, high) = known.unsigned();
    let own = match ty.kind {
        Kind::Signed => (i128::from(least), i128::from(most)),
        Kind::Unsigned => (i128::from(low), i128::from(high)),
        _ => return None,
    };
    (own != limits(ty)).then_some(own)
}

/// The function of LLVM that a program for the window of `of` is, whose leaves are the parameters and then these constants.
pub fn program_body(
    of: &Body,
    constants: &[Operand],
    meaning: &Meaning<'_>,
    table: &Table,
    program: &Program,
    lowering: &dyn Lowering,
) -> Result<Body, NoBody> {
    if program.added.is_some() {
        return none("a sum in a general register");
    }
    let builder = Builder::new(of, false);
    let constant = |at: usize| constants.get(at.checked_sub(of.parameters.len())?).cloned();
    let leaves = (0..meaning.window().leaves.len()).map(|at| builder.parameter(at).or_else(|| constant(at)));
    let leaves = leaves.collect();
    let mut writer = Writer::new(meaning, table, program, builder, leaves);
    for input in &program.inputs {
        let value = match input.load {
            Some(load) => writer.part(input, load)?,
            None => writer.constant(input)?,
        };
        writer.inputs.push(value);
    }
    writer.steps(lowering)?;
    let value = writer.outputs(bits_of(&of.result))?;
    writer.builder.finish(value).ok_or_else(|| NoBody("a result of another width".to_owned()))
}

struct Writer<'a, 'w> {
    meaning: &'a Meaning<'w>,
    table: &'a Table,
    program: &'a Program,
    builder: Builder,
    /// The leaves' values, as far as they are values.
    leaves: Vec<Option<Operand>>,
    /// Values that are computed from scalars, in 64 bits.
    scalars: FxHashMap<NodeId, Operand>,
    inputs: Vec<Operand>,
    steps: Vec<Operand>,
}

impl<'a, 'w> Writer<'a, 'w> {
    fn new(
        meaning: &'a Meaning<'w>,
        table: &'a Table,
        program: &'a Program,
        builder: Builder,
        leaves: Vec<Option<Operand>>,
    ) -> Self {
        let (inputs, steps) = (Vec::new(), Vec::new());
        Self { meaning, table, program, builder, leaves, scalars: FxHashMap::default(), inputs, steps }
    }

    /// A register that is elements of a leaf's value.
    fn part(&mut self, input: &Input, (leaf, start): (u32, i64)) -> Result<Operand, NoBody> {
        let ty = self.meaning.window().leaves[leaf as usize].ty;
        let Some(whole) = self.leaves[leaf as usize].clone() else {
            return none("an input that is not there");
        };
        let count = i64::from(input.ty.width / ty.width);
        if start == 0 && count == i64::from(ty.lanes) {
            return Ok(whole);
        }
        let lanes = self.builder.bitcast(whole, &vector(ty.lanes, ty.width));
        let inside = |at: i64| (0..i64::from(ty.lanes)).contains(&at).then_some(at as u32);
        let mask = (start..start + count).map(inside).collect();
        Ok(self.builder.shuffle(lanes, None, mask))
    }

    /// A register that is made before the loop.
    fn constant(&mut self, input: &Input) -> Result<Operand, NoBody> {
        let register = vector(input.content.len() as u32, input.container);
        let values: Vec<Option<NodeId>> = input
            .content
            .iter()
            .map(|entry| match entry {
                Entry::Uniform(value) => Some(*value),
                _ => None,
            })
            .collect();
        // A container of more than 64 bits is read by nothing as a whole.
        if input.container > 64 {
            return Ok(constant(&register, &vec![0; values.len()]));
        }
        let mut lanes = Vec::new();
        for value in &values {
            let literal = value.map(|value| self.meaning.dag.as_int(value));
            lanes.push(match literal {
                Some(Some(literal)) => Some(low_bits(literal.try_into().ok(), input.container)?),
                Some(None) => None,
                None => Some(0),
            });
        }
        if let Some(lanes) = lanes.iter().copied().collect::<Option<Vec<u64>>>() {
            return Ok(constant(&register, &lanes));
        }
        if let [Some(first), rest @ ..] = &values[..]
            && rest.iter().all(|value| *value == Some(*first))
        {
            let element = self.element(*first, input.container)?;
            let one = self.builder.bitcast(element, &vector(1, input.container));
            return Ok(self.builder.shuffle(one, None, vec![Some(0); values.len()]));
        }
        let known: Vec<u64> = lanes.iter().map(|lane| lane.unwrap_or(0)).collect();
        let mut made = constant(&register, &known);
        for (at, (value, lane)) in (0..).zip(values.iter().zip(&lanes)) {
            if let (Some(value), None) = (value, lane) {
                let element = self.element(*value, input.container)?;
                let index = constant(&Type::integer(64), &[at]);
                made = self.builder.push(register.clone(), Action::InsertElement(made, element, index));
            }
        }
        Ok(made)
    }

    fn steps(&mut self, lowering: &dyn Lowering) -> Result<(), NoBody> {
        for at in 0..self.program.steps.len() {
            let value = self.step(at, lowering)?;
            self.steps.push(value);
        }
        Ok(())
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
                Machine::Consecutive { count, .. } => {
                    let mut joined = registers.next().ok_or_else(missing)?;
                    for _ in 1..*count {
                        let next = registers.next().ok_or_else(missing)?;
                        joined = self.joined(joined, next);
                    }
                    arguments.push(joined);
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
        let Some(body) = lowering.body(instruction, &immediates) else {
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
                self.joined(low, high)
            }
        })
    }

    /// Two values as one, the first in its lowest bits.
    fn joined(&mut self, low: Operand, high: Operand) -> Operand {
        let width = match (&low.ty, &high.ty) {
            (Type::Vector(_, low), Type::Vector(_, high)) if low == high => low.width(),
            _ => 8,
        };
        let (below, above) = (bits_of(&low.ty) / width, bits_of(&high.ty) / width);
        let wide = below.max(above);
        // Both operands of a shuffle have one type.
        let widened = |have: u32| (0..wide).map(|at| (at < have).then_some(at)).collect();
        let low = self.builder.bitcast(low, &vector(below, width));
        let high = self.builder.bitcast(high, &vector(above, width));
        let low = self.builder.shuffle(low, None, widened(below));
        let high = self.builder.shuffle(high, None, widened(above));
        let mask = (0..below).map(Some).chain((wide..wide + above).map(Some)).collect();
        self.builder.shuffle(low, Some(high), mask)
    }

    /// An output's elements of the result.
    fn output(&mut self, value: &Value, content: &[Entry]) -> Result<(Operand, u32), NoBody> {
        let container = self.program.container;
        let register = self.value(value)?;
        let count = bits_of(&register.ty) / container;
        let register = self.builder.bitcast(register, &vector(count, container));
        let lanes = content.iter().take_while(|entry| **entry != Entry::Any).count() as u32;
        Ok((self.builder.shuffle(register, None, (0..lanes).map(Some).collect()), lanes))
    }

    /// The result's registers, one after the other, as far as they hold it.
    fn outputs(&mut self, bits: u32) -> Result<Operand, NoBody> {
        let program = self.program;
        let mut all: Option<(Operand, u32)> = None;
        for (value, content) in &program.outputs {
            let (own, lanes) = self.output(value, content)?;
            all = Some(match all {
                None => (own, lanes),
                Some((before, so_far)) => (self.joined(before, own), so_far + lanes),
            });
        }
        match all {
            Some((value, lanes)) if lanes * program.container == bits => Ok(value),
            _ => none("a result of another width"),
        }
    }
}

/// The low bits of a number.
fn low_bits(value: Option<i128>, width: u32) -> Result<u64, NoBody> {
    let value = value.ok_or_else(|| NoBody("a constant beyond 128 bits".to_owned()))?;
    Ok(value as u64 & crate::element::ones(width))
}
