//! `mlir/lowering/ISA.mlir`: operations as operations of the LLVM dialect, for stock tools.
//!
//! A definition of `llvm/lowering/ISA.ll` that is one sequence of instructions becomes a PDL pattern that builds the
//! same sequence; target intrinsics become `llvm.call_intrinsic`. `patterns.rs` describes what a pattern matches.

use std::collections::BTreeMap;

use llvm_text::{Instruction, Operand, Statement, Type, Value};
use serde::Serialize;

use super::patterns::{Matched, Types, kinds, matched, operands};
use crate::definitions::{Definitions, Sequence};
use crate::mlir::example::Example;
use crate::operation::Operation;
use crate::render::Renderer;
use crate::{GenerateError, GeneratedFile, LlvmVersion};

#[derive(Serialize)]
struct Lowering {
    isa: String,
    instances: Vec<Rewriting>,
}

#[derive(Serialize)]
struct Rewriting {
    pattern: Vec<String>,
    rewrite: Vec<String>,
}

/// One file for each instruction set that has definitions.
pub(super) fn lowerings(
    renderer: &Renderer,
    operations: &[Operation<'_>],
    definitions: &Definitions,
    llvm: LlvmVersion,
) -> Result<Vec<GeneratedFile>, GenerateError> {
    let mut files = Vec::new();
    for (isa, sequences) in &definitions.sequences {
        let mut instances = Vec::new();
        for operation in operations {
            for own in operation.instances() {
                let Some(sequence) = sequences.get(&own.symbol) else { continue };
                let example = Example::of(operation, own.params, own.facts);
                instances.extend(instance(&example, sequence, llvm));
            }
        }
        let context = Lowering { isa: isa.clone(), instances };
        files.push(renderer.render_in("mlir/lowering", &format!("{isa}.mlir"), &context)?);
    }
    Ok(files)
}

/// The pattern of an operation at given types and parameter values; `None` if the sequence contains an unsupported
/// instruction.
fn instance(example: &Example<'_>, sequence: &Sequence, llvm: LlvmVersion) -> Option<Rewriting> {
    let Matched { pattern, types, values, results, rewrite, .. } = matched(example);
    let mut writer =
        Writer { llvm, types, lines: rewrite, next: 0, values: BTreeMap::new(), structures: BTreeMap::new() };
    for (index, name) in &sequence.operands {
        writer.values.insert(name, values.get(*index)?.clone());
    }
    let (last, lines) = sequence.lines.split_last()?;
    for line in lines {
        writer.line(line)?;
    }
    let Instruction::Return(Some(returned)) = &last.instruction else { return None };
    let returned = match &results[..] {
        [_] => vec![writer.value(returned)?],
        several => (0..several.len()).map(|part| writer.part(returned, part)).collect::<Option<_>>()?,
    };
    let mut lines = writer.lines;
    lines.push(format!(
        "pdl.replace %op with ({} : {})",
        returned.join(", "),
        kinds("value", returned.len())
    ));
    Some(Rewriting { pattern, rewrite: lines })
}

struct Writer<'a> {
    llvm: LlvmVersion,
    types: Types,
    lines: Vec<String>,
    next: usize,
    /// The value in PDL of each value in LLVM.
    values: BTreeMap<&'a Value, String>,
    /// The values in PDL of the parts of each structure in LLVM that is made of them, as far as they are set.
    structures: BTreeMap<&'a Value, Vec<Option<String>>>,
}

impl<'a> Writer<'a> {
    /// A line that defines a value.
    fn line(&mut self, line: &'a Statement) -> Option<()> {
        let ty = line.instruction.result_type()?;
        let value = match &line.instruction {
            Instruction::Binary { operator, ty, left, right } => {
                let operands = self.both(ty, left, right)?;
                self.operation(&format!("llvm.{operator}"), &operands, "", ty)?
            }
            Instruction::Cast { operator, of, .. } => {
                let of = self.value(of)?;
                self.operation(&format!("llvm.{operator}"), &[of], "", &ty)?
            }
            Instruction::Compare { predicate, ty: compared, left, right } => {
                let number = Instruction::PREDICATES.iter().position(|known| known == predicate)?;
                let operands = self.both(compared, left, right)?;
                let attribute = self.attribute(&format!("{number} : i64"));
                self.operation("llvm.icmp", &operands, &format!("\"predicate\" = {attribute}"), &ty)?
            }
            Instruction::Call { function, arguments, .. } => {
                let operands: Vec<String> =
                    arguments.iter().map(|argument| self.value(argument)).collect::<Option<_>>()?;
                let attributes = self.intrinsic(function, operands.len());
                self.operation("llvm.call_intrinsic", &operands, &attributes, &ty)?
            }
            Instruction::Shuffle { left, right, mask } => {
                let operands = [self.value(left)?, self.value(right)?];
                let attribute = self.attribute(&format!("array<i32: {}>", lanes(mask)?.join(", ")));
                self.operation("llvm.shufflevector", &operands, &format!("\"mask\" = {attribute}"), &ty)?
            }
            Instruction::InsertValue { whole, part, indices } => {
                let [index] = indices[..] else { return None };
                let mut parts = match self.structures.get(&whole.value) {
                    Some(parts) => parts.clone(),
                    None if whole.value.is_arbitrary() => vec![None; ty.parts().len()],
                    None => return None,
                };
                *parts.get_mut(index as usize)? = Some(self.value(part)?);
                self.structures.insert(line.result.as_ref()?, parts);
                return Some(());
            }
            Instruction::ExtractValue { whole, indices } => {
                let [index] = indices[..] else { return None };
                self.part(whole, index as usize)?
            }
            Instruction::Select { condition, then, otherwise } => {
                self.plain("llvm.select", &[condition, then, otherwise], &ty)?
            }
            Instruction::InsertElement { vector, element, index } => {
                self.plain("llvm.insertelement", &[vector, element, index], &ty)?
            }
            Instruction::ExtractElement { vector, index } => {
                self.plain("llvm.extractelement", &[vector, index], &ty)?
            }
            _ => return None,
        };
        self.values.insert(line.result.as_ref()?, value);
        Some(())
    }

    /// The attributes of a call of an intrinsic. Since LLVM 20 it can have bundles of operands after its arguments.
    fn intrinsic(&mut self, function: &str, arguments: usize) -> String {
        let name = self.attribute(&format!("\"{function}\""));
        match self.llvm {
            LlvmVersion::Llvm19 => format!("\"intrin\" = {name}"),
            LlvmVersion::Llvm21 | LlvmVersion::Llvm22 => {
                let segments = self.attribute(&format!("array<i32: {arguments}, 0>"));
                let bundles = self.attribute("array<i32>");
                format!(
                    "\"intrin\" = {name}, \"op_bundle_sizes\" = {bundles}, \"operandSegmentSizes\" = {segments}"
                )
            }
        }
    }

    /// An operation without attributes.
    fn plain(&mut self, name: &str, operands: &[&Operand], ty: &Type) -> Option<String> {
        let values: Vec<String> =
            operands.iter().map(|operand| self.value(operand)).collect::<Option<_>>()?;
        self.operation(name, &values, "", ty)
    }

    /// A part of a structure.
    fn part(&mut self, whole: &Operand, index: usize) -> Option<String> {
        if let Some(parts) = self.structures.get(&whole.value) {
            return parts.get(index)?.clone();
        }
        let ty = whole.ty.parts().get(index)?.clone();
        let value = self.value(whole)?;
        let attribute = self.attribute(&format!("array<i64: {index}>"));
        self.operation("llvm.extractvalue", &[value], &format!("\"position\" = {attribute}"), &ty)
    }

    /// Two operands of one type.
    fn both(&mut self, ty: &Type, left: &Value, right: &Value) -> Option<[String; 2]> {
        let mut value = |value: &Value| self.value(&Operand::new(ty.clone(), value.clone()));
        Some([value(left)?, value(right)?])
    }

    /// An operand: a value, or a constant.
    fn value(&mut self, of: &Operand) -> Option<String> {
        let Value::Constant(text) = &of.value else { return self.values.get(&of.value).cloned() };
        let ty = &of.ty;
        if of.value.is_arbitrary() {
            return self.operation(&format!("llvm.mlir.{text}"), &[], "", ty);
        }
        let mlir = ty.mlir()?;
        let constant = match (ty, text.as_str()) {
            (Type::Scalar(_), "true" | "false") => text.clone(),
            (Type::Scalar(scalar), number) if scalar.is_integer() => {
                format!("{} : {mlir}", number.parse::<i64>().ok()?)
            }
            (Type::Vector(_, element), "zeroinitializer") => {
                format!("dense<{}> : {mlir}", if element.is_integer() { "0" } else { "0.0" })
            }
            (Type::Vector(_, element), _) if element.is_integer() && of.value.repeated().is_some() => {
                format!("dense<{}> : {mlir}", of.value.repeated()?.value)
            }
            (Type::Vector(_, element), _) if element.is_integer() => {
                let number = |element: Operand| element.value.to_string().parse::<i64>().ok();
                let numbers: Vec<i64> = of.value.listed()?.into_iter().map(number).collect::<Option<_>>()?;
                format!("dense<{numbers:?}> : {mlir}")
            }
            _ => return None,
        };
        let attribute = self.attribute(&constant);
        self.operation("llvm.mlir.constant", &[], &format!("\"value\" = {attribute}"), ty)
    }

    fn attribute(&mut self, text: &str) -> String {
        let name = format!("%attribute{}", self.next);
        self.next += 1;
        self.lines.push(format!("{name} = pdl.attribute = {text}"));
        name
    }

    /// Makes an operation with one result, and returns that.
    fn operation(&mut self, name: &str, values: &[String], attributes: &str, ty: &Type) -> Option<String> {
        let ty = self.types.name(ty.mlir_llvm()?, &mut self.lines);
        let operands = operands(values);
        let attributes = if attributes.is_empty() { String::new() } else { format!(" {{{attributes}}}") };
        let (made, value) = (format!("%made{}", self.next), format!("%result{}", self.next));
        self.next += 1;
        self.lines
            .push(format!("{made} = pdl.operation \"{name}\"{operands}{attributes} -> ({ty} : !pdl.type)"));
        self.lines.push(format!("{value} = pdl.result 0 of {made}"));
        Some(value)
    }
}

/// The lanes of a shuffle's mask, -1 for any.
fn lanes(mask: &Operand) -> Option<Vec<String>> {
    if let (Type::Vector(count, _), true) = (&mask.ty, mask.value == Value::zeros()) {
        return Some(vec!["0".to_owned(); *count as usize]);
    }
    let lane =
        |lane: Operand| if lane.value.is_arbitrary() { "-1".to_owned() } else { lane.value.to_string() };
    Some(mask.value.listed()?.into_iter().map(lane).collect())
}
