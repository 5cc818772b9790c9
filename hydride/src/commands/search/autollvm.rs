//! Found sequences as LLVM IR over AutoLLVM operations: calls of the definitions that `generate-ir` wrote, so that
//! the function, linked with `llvm/lowering/ISA.ll`, compiles to the sequence.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

use ::search::{Class, Operand, Solution, Type as Register};
use anyhow::{Result, anyhow};
use difftest::lowering::Definition;
use llvm_text::{Block, Function, Instruction, Operand as Typed, Scalar, Type, Value};

use super::Task;
use crate::definitions;

/// What AutoLLVM has for each instruction.
pub struct Lowerings {
    by_id: BTreeMap<(String, String), Definition>,
}

impl Lowerings {
    /// Reads the definitions of an output folder.
    pub fn read(out: &Path) -> Result<Self> {
        let mut by_id = BTreeMap::new();
        for (isa, defined) in definitions::read(out)?.isas {
            let own = defined.definitions.into_iter();
            by_id.extend(own.map(|definition| ((isa.clone(), definition.id.clone()), definition)));
        }
        Ok(Self { by_id })
    }

    /// A solution as an LLVM function after the declarations that it needs: vectors are vectors of bytes,
    /// everything else an integer as wide as it is.
    pub fn function(&self, task: &Task, solution: &Solution) -> Result<Vec<String>> {
        let goal = &task.goal;
        let inputs = goal.inputs.len();
        let mut types: Vec<Register> = goal.inputs.iter().map(|input| input.ty).collect();
        let name = |value: usize| match goal.inputs.get(value) {
            Some(input) => input.name.clone(),
            None => format!("t{}", value - inputs + 1),
        };
        let mut declarations = BTreeSet::new();
        let mut block = Block::new("v");
        // Known contents are not read from the argument.
        let mut values: Vec<Value> = (0..inputs).map(|input| Value::Local(name(input))).collect();
        for (input, value) in goal.inputs.iter().zip(&mut values) {
            if let Some(bits) = &input.constant {
                let bytes = bits.words().iter().flat_map(|word| word.to_le_bytes()).take(input.ty.bytes());
                let known: Vec<Typed> = bytes.map(|byte| Typed::index(8, byte)).collect();
                let known = Typed::new(bytes_type(input.ty.bytes()), Value::elements(&known));
                *value = Value::Local(format!("{}.known", input.name));
                block.define(value.clone(), Instruction::cast("bitcast", known, llvm(input.ty)));
            }
        }
        for (at, step) in solution.sequence.steps.iter().enumerate() {
            let instruction = &task.instructions[step.member.instruction];
            let function = self
                .by_id
                .get(&(task.target.isa.to_owned(), instruction.id.clone()))
                .ok_or_else(|| anyhow!("{} has no AutoLLVM definition", instruction.id))?;
            let own = name(inputs + at);
            let (mut registers, mut choices) = (step.operands.as_slice(), step.member.choices.iter());
            // A register with its contents, or an immediate.
            let mut arguments: Vec<Result<(Register, Value), i64>> = Vec::new();
            for (position, operand) in instruction.operands.iter().enumerate() {
                if let Operand::Choice { .. } = operand {
                    arguments.push(Err(choices.next().copied().unwrap_or(0)));
                    continue;
                }
                let (own_registers, rest) = registers.split_at(operand.registers().len());
                registers = rest;
                let parts: Vec<(Register, &Value)> =
                    own_registers.iter().map(|value| (types[*value], &values[*value])).collect();
                arguments.push(Ok(concatenated(&parts, &format!("{own}.l{position}"), &mut block)));
            }
            let width = |ty: &Type| {
                ty.width()
                    .ok_or_else(|| anyhow!("{}: its definition has a value of type {ty}", instruction.id))
            };
            let mut passed = Vec::new();
            for (position, operand) in function.operands.iter().enumerate() {
                let difftest::lowering::Operand { ty, position: argument, .. } = operand;
                let value = match arguments.get(*argument) {
                    Some(Ok((from, value))) => {
                        let mut source = Typed::new(llvm(*from), value.clone());
                        // An operation takes as much of a register as it reads, a narrow scalar is passed wider.
                        let to = width(ty)?;
                        if to != from.width {
                            source = resized(source, *from, to, &format!("{own}.n{position}"), &mut block);
                        }
                        let value = Value::Local(format!("{own}.a{position}"));
                        block.define(value.clone(), Instruction::cast("bitcast", source, ty.clone()));
                        value
                    }
                    Some(Err(value)) if ty.integer_width().is_none() => {
                        Value::Constant(format!("bitcast ({} to {ty})", Typed::index(width(ty)?, *value)))
                    }
                    Some(Err(value)) => Value::number(*value),
                    None => return Err(anyhow!("{}: argument {argument} is not there", instruction.id)),
                };
                passed.push(Typed::new(ty.clone(), value));
            }
            let parameters: Vec<String> =
                function.operands.iter().map(|operand| operand.ty.to_string()).collect();
            let Definition { name: callee, result, .. } = function;
            declarations.insert(format!("declare {result} @{callee}({})", parameters.join(", ")));
            let mut made = Typed::new(result.clone(), Value::Local(format!("{own}.r")));
            block.define(made.value.clone(), Instruction::call(result.clone(), callee, passed));
            let (from, to) = (width(result)?, instruction.result);
            if from < to.width {
                // What the operation leaves out is 0 in the register.
                let narrow = Register { class: to.class, width: from };
                let value = Value::Local(format!("{own}.i"));
                block.define(value.clone(), Instruction::cast("bitcast", made, llvm(narrow)));
                let source = Typed::new(llvm(narrow), value);
                made = resized(source, narrow, to.width, &format!("{own}.z"), &mut block);
            }
            let value = Value::Local(own);
            block.define(value.clone(), Instruction::cast("bitcast", made, llvm(to)));
            types.push(to);
            values.push(value);
        }
        let outputs = solution.sequence.outputs.iter();
        let outputs: Vec<Typed> =
            outputs.map(|value| Typed::new(llvm(types[*value]), values[*value].clone())).collect();
        let result = Type::of_results(outputs.iter().map(|output| output.ty.clone()).collect());
        let returned = match &outputs[..] {
            [single] => single.clone(),
            several => {
                let mut whole = Typed::new(result.clone(), Value::poison());
                for (at, output) in (0..).zip(several) {
                    let value = Value::Local(format!("out.{at}"));
                    block.define(value.clone(), Instruction::insert_value(whole, output.clone(), at));
                    whole = Typed::new(result.clone(), value);
                }
                whole
            }
        };
        block.add(Instruction::Return(Some(returned)));
        let parameters = goal.inputs.iter();
        let parameters: Vec<Typed> =
            parameters.map(|input| Typed::new(llvm(input.ty), Value::local(&input.name))).collect();
        let definition = Function {
            linkage: "",
            result: &result,
            name: &task.c_name(),
            parameters: &parameters,
            attributes: "",
            body: block.statements(),
        };
        let definition = definition.to_string();
        let lines = definition.lines().map(str::to_owned);
        Ok(declarations.into_iter().chain([String::new()]).chain(lines).collect())
    }
}

/// The low bits of a value, or the value with zeros above it; `own` is its name.
fn resized(source: Typed, from: Register, to: u32, own: &str, block: &mut Block) -> Typed {
    let value = Value::local(own);
    if from.class == Class::Vector && to.is_multiple_of(8) {
        // Integers as wide as a vector would go through general registers.
        let (count, wanted) = (from.bytes() as u32, to / 8);
        let bytes = (0..wanted).map(|byte| Some(byte.min(count)));
        block.define(value.clone(), Instruction::shuffle(source, Value::zeros(), bytes));
        return Typed::new(bytes_type(wanted as usize), value);
    }
    let number = Typed::new(Type::integer(from.width), Value::Local(format!("{own}.w")));
    block.define(number.value.clone(), Instruction::cast("bitcast", source, number.ty.clone()));
    let cut = if to < from.width { "trunc" } else { "zext" };
    block.define(value.clone(), Instruction::cast(cut, number, Type::integer(to)));
    Typed::new(Type::integer(to), value)
}

/// Vectors as one, the first its lowest bytes.
fn concatenated(parts: &[(Register, &Value)], own: &str, block: &mut Block) -> (Register, Value) {
    let (mut ty, first) = parts[0];
    let mut joined = first.clone();
    for (at, (next, value)) in parts[1..].iter().enumerate() {
        // A shuffle takes two vectors of one length.
        let own = format!("{own}.{at}");
        let mut source = Typed::new(llvm(*next), (*value).clone());
        if next.width != ty.width {
            source = resized(source, *next, ty.width, &format!("{own}.w"), block);
        }
        let whole = Register { class: ty.class, width: ty.width + next.width };
        let bytes = (0..whole.bytes() as u32).map(Some);
        let left = Typed::new(llvm(ty), joined);
        (ty, joined) = (whole, Value::Local(own));
        block.define(joined.clone(), Instruction::shuffle(left, source.value, bytes));
    }
    (ty, joined)
}

/// A vector of so many bytes.
fn bytes_type(count: usize) -> Type {
    Type::Vector(count as u32, Scalar::Integer(8))
}

/// The LLVM type of a register.
fn llvm(ty: Register) -> Type {
    match ty.class {
        Class::Vector => bytes_type(ty.bytes()),
        Class::Scalar | Class::Mask => Type::integer(ty.width),
        Class::Memory => Type::Pointer,
    }
}
