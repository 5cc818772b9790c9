//! Found sequences as LLVM IR over AutoLLVM operations: calls of the definitions that `generate-ir` wrote, so that
//! the function, linked with `llvm/lowering/ISA.ll`, compiles to the sequence.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

use ::search::{Class, Operand, Solution, Type};
use anyhow::{Result, anyhow};
use difftest::lowering::Definition;

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
        for (isa, defined) in definitions::read(out)? {
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
        let mut types: Vec<Type> = goal.inputs.iter().map(|input| input.ty).collect();
        let name = |value: usize| match goal.inputs.get(value) {
            Some(input) => format!("%{}", input.name),
            None => format!("%t{}", value - inputs + 1),
        };
        let mut declarations = BTreeSet::new();
        let mut lines = Vec::new();
        // Known contents are not read from the argument.
        let mut values: Vec<String> = (0..inputs).map(name).collect();
        for (input, value) in goal.inputs.iter().zip(&mut values) {
            if let Some(bits) = &input.constant {
                let bytes = bits.words().iter().flat_map(|word| word.to_le_bytes()).take(input.ty.bytes());
                let list: Vec<String> = bytes.map(|byte| format!("i8 {byte}")).collect();
                let known = format!("<{} x i8> <{}>", input.ty.bytes(), list.join(", "));
                let own = format!("%{}.known", input.name);
                lines.push(format!("  {own} = bitcast {known} to {}", llvm(input.ty)));
                *value = own;
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
            // A type with a value of it, or an immediate.
            let mut arguments: Vec<Result<(Type, String), i64>> = Vec::new();
            for (position, operand) in instruction.operands.iter().enumerate() {
                if let Operand::Choice { .. } = operand {
                    arguments.push(Err(choices.next().copied().unwrap_or(0)));
                    continue;
                }
                let (own, rest) = registers.split_at(operand.registers().len());
                registers = rest;
                let parts: Vec<(Type, &str)> =
                    own.iter().map(|value| (types[*value], values[*value].as_str())).collect();
                let joined = format!("{}.l{position}", name(inputs + at));
                arguments.push(Ok(concatenated(&parts, &joined, &mut lines)));
            }
            let mut passed = Vec::new();
            for (position, operand) in function.operands.iter().enumerate() {
                let difftest::lowering::Operand { ty, position: argument } = operand;
                match arguments.get(*argument) {
                    Some(Ok((from, value))) => {
                        let (from, to) = (*from, width(ty));
                        let mut source = format!("{} {value}", llvm(from));
                        // An operation takes as much of a register as it reads, a narrow scalar is passed wider.
                        if to != from.width {
                            source = resized(&source, from, to, &format!("{own}.n{position}"), &mut lines);
                        }
                        lines.push(format!("  {own}.a{position} = bitcast {source} to {ty}"));
                        passed.push(format!("{ty} {own}.a{position}"));
                    }
                    Some(Err(value)) if ty.starts_with('<') => {
                        passed.push(format!("{ty} bitcast (i{} {value} to {ty})", width(ty)));
                    }
                    Some(Err(value)) => passed.push(format!("{ty} {value}")),
                    None => return Err(anyhow!("{}: argument {argument} is not there", instruction.id)),
                }
            }
            let parameters: Vec<&str> = function.operands.iter().map(|operand| operand.ty.as_str()).collect();
            let Definition { name: callee, result, .. } = function;
            declarations.insert(format!("declare {result} @{callee}({})", parameters.join(", ")));
            lines.push(format!("  {own}.r = call {result} @{callee}({})", passed.join(", ")));
            let (from, to) = (width(result), instruction.result);
            if from < to.width {
                // What the operation leaves out is 0 in the register.
                let narrow = Type { class: to.class, width: from };
                lines.push(format!("  {own}.i = bitcast {result} {own}.r to {}", llvm(narrow)));
                let source = format!("{} {own}.i", llvm(narrow));
                let whole = resized(&source, narrow, to.width, &format!("{own}.z"), &mut lines);
                lines.push(format!("  {own} = bitcast {whole} to {}", llvm(to)));
            } else {
                lines.push(format!("  {own} = bitcast {result} {own}.r to {}", llvm(to)));
            }
            types.push(to);
            values.push(own);
        }
        let outputs: Vec<(String, String)> = solution
            .sequence
            .outputs
            .iter()
            .map(|value| (llvm(types[*value]), values[*value].clone()))
            .collect();
        let results: Vec<&str> = outputs.iter().map(|(ty, _)| ty.as_str()).collect();
        let returned = match &results[..] {
            [single] => (*single).to_owned(),
            several => format!("{{ {} }}", several.join(", ")),
        };
        if let [(_, single)] = &outputs[..] {
            lines.push(format!("  ret {returned} {single}"));
        } else {
            let mut whole = "poison".to_owned();
            for (at, (ty, output)) in outputs.iter().enumerate() {
                lines.push(format!("  %out.{at} = insertvalue {returned} {whole}, {ty} {output}, {at}"));
                whole = format!("%out.{at}");
            }
            lines.push(format!("  ret {returned} {whole}"));
        }
        lines.push("}".into());
        let parameters: Vec<String> =
            goal.inputs.iter().map(|input| format!("{} %{}", llvm(input.ty), input.name)).collect();
        let head = format!("define {returned} @{}({}) {{", task.c_name(), parameters.join(", "));
        Ok(declarations.into_iter().chain([String::new(), head]).chain(lines).collect())
    }
}

/// The low bits of a value, or the value with zeros above it, with its type; `own` is its name.
fn resized(source: &str, from: Type, to: u32, own: &str, lines: &mut Vec<String>) -> String {
    if from.class == Class::Vector && to.is_multiple_of(8) {
        // Integers as wide as a vector would go through general registers.
        let (count, wanted) = (from.bytes(), to as usize / 8);
        let bytes: Vec<String> = (0..wanted).map(|byte| format!("i32 {}", byte.min(count))).collect();
        let zero = format!("<{count} x i8> zeroinitializer, <{wanted} x i32> <{}>", bytes.join(", "));
        lines.push(format!("  {own} = shufflevector {source}, {zero}"));
        return format!("<{wanted} x i8> {own}");
    }
    let cut = if to < from.width { "trunc" } else { "zext" };
    lines.push(format!("  {own}.w = bitcast {source} to i{}", from.width));
    lines.push(format!("  {own} = {cut} i{} {own}.w to i{to}", from.width));
    format!("i{to} {own}")
}

/// Vectors as one, the first its lowest bytes.
fn concatenated(parts: &[(Type, &str)], own: &str, lines: &mut Vec<String>) -> (Type, String) {
    let (mut ty, first) = parts[0];
    let mut joined = first.to_owned();
    for (at, (next, value)) in parts[1..].iter().enumerate() {
        // A shuffle takes two vectors of one length.
        let own = format!("{own}.{at}");
        let mut source = format!("{} {value}", llvm(*next));
        if next.width != ty.width {
            source = resized(&source, *next, ty.width, &format!("{own}.w"), lines);
        }
        let whole = Type { class: ty.class, width: ty.width + next.width };
        let bytes: Vec<String> = (0..whole.bytes()).map(|byte| format!("i32 {byte}")).collect();
        let mask = format!("<{} x i32> <{}>", whole.bytes(), bytes.join(", "));
        lines.push(format!("  {own} = shufflevector {} {joined}, {source}, {mask}", llvm(ty)));
        (ty, joined) = (whole, own);
    }
    (ty, joined)
}

/// The LLVM type of a register.
fn llvm(ty: Type) -> String {
    match ty.class {
        Class::Vector => format!("<{} x i8>", ty.bytes()),
        Class::Scalar | Class::Mask => format!("i{}", ty.width),
    }
}

/// Width in bits of an LLVM type as the tables write it: `i32`, `<4 x i32>`.
fn width(ty: &str) -> u32 {
    let digits = |text: &str| text.trim_matches(|c: char| !c.is_ascii_digit()).parse::<u32>().unwrap_or(0);
    match ty.split_once(" x ") {
        Some((count, element)) => digits(count) * digits(element),
        None => digits(ty),
    }
}
