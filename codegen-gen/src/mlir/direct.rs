//! `mlir/lowering/ISA.mlir`: operations as operations of the LLVM dialect, for stock tools.
//!
//! A definition of `llvm/lowering/ISA.ll` that is one sequence of instructions becomes a PDL pattern that builds the
//! same sequence; target intrinsics become `llvm.call_intrinsic`. `patterns.rs` describes what a pattern matches.

use std::collections::BTreeMap;

use serde::Serialize;

use super::patterns::{Matched, Types, matched, operands};
use crate::definitions::{Definitions, Sequence};
use crate::mlir::example::Example;
use crate::operation::Operation;
use crate::render::Renderer;
use crate::types::{elements, in_mlir, split_list};
use crate::{GenerateError, GeneratedFile};

#[derive(Serialize)]
struct Lowering {
    isa: String,
    instances: Vec<Instance>,
}

#[derive(Serialize)]
struct Instance {
    pattern: Vec<String>,
    rewrite: Vec<String>,
}

/// One file for each instruction set that has definitions.
pub(super) fn lowerings(
    renderer: &Renderer,
    operations: &[Operation<'_>],
    definitions: &Definitions,
) -> Result<Vec<GeneratedFile>, GenerateError> {
    let mut files = Vec::new();
    for (isa, sequences) in &definitions.sequences {
        let mut instances = Vec::new();
        for operation in operations {
            for own in operation.instances() {
                let Some(sequence) = sequences.get(&own.symbol) else { continue };
                let example = Example::of(operation, own.params, own.facts);
                instances.extend(instance(operation, &example, sequence));
            }
        }
        let context = Lowering { isa: isa.clone(), instances };
        let file = renderer.render("mlir/lowering.mlir", &context)?;
        files.push(GeneratedFile { path: format!("mlir/lowering/{isa}.mlir"), ..file });
    }
    Ok(files)
}

/// The pattern of an operation at given types and parameter values; `None` if the sequence contains an unsupported
/// instruction.
fn instance(operation: &Operation<'_>, example: &Example<'_>, sequence: &Sequence) -> Option<Instance> {
    let Matched { pattern, types, values, results, rewrite, .. } = matched(operation, example);
    let mut writer = Writer { types, lines: rewrite, next: 0, values: BTreeMap::new() };
    for (index, name) in &sequence.operands {
        writer.values.insert(name, values.get(*index)?.clone());
    }
    let [_] = &results[..] else { return None };
    let mut returned = None;
    for line in &sequence.lines {
        match line.strip_prefix("ret ") {
            Some(value) => {
                let (ty, value) = typed(value)?;
                returned = Some(writer.value(ty, value)?);
            }
            None => writer.line(line)?,
        }
    }
    let mut lines = writer.lines;
    lines.push(format!("pdl.replace %op with ({} : !pdl.value)", returned?));
    Some(Instance { pattern, rewrite: lines })
}

/// Operators of two operands of one type.
const BINARY: &[&str] = &[
    "add", "sub", "mul", "udiv", "sdiv", "urem", "srem", "shl", "lshr", "ashr", "and", "or", "xor", "fadd",
    "fsub", "fmul", "fdiv",
];

/// Conversions.
const CASTS: &[&str] = &["bitcast", "zext", "sext", "trunc"];

/// The predicates of `icmp` in the order of their numbers in MLIR.
const PREDICATES: &[&str] = &["eq", "ne", "slt", "sle", "sgt", "sge", "ult", "ule", "ugt", "uge"];

struct Writer<'a> {
    types: Types,
    lines: Vec<String>,
    next: usize,
    /// The value in PDL of each value in LLVM.
    values: BTreeMap<&'a str, String>,
}

impl<'a> Writer<'a> {
    /// A line of LLVM assembly that defines a value.
    fn line(&mut self, line: &'a str) -> Option<()> {
        let (name, text) = line.split_once(" = ")?;
        let (word, rest) = text.split_once(' ')?;
        let value = if BINARY.contains(&word) {
            let (ty, operands) = typed(rest)?;
            let (a, b) = operands.split_once(", ")?;
            let (a, b) = (self.value(ty, a)?, self.value(ty, b)?);
            self.operation(&format!("llvm.{word}"), &[a, b], "", ty)?
        } else if CASTS.contains(&word) {
            let (value, to) = rest.rsplit_once(" to ")?;
            let (ty, value) = typed(value)?;
            let value = self.value(ty, value)?;
            self.operation(&format!("llvm.{word}"), &[value], "", to)?
        } else {
            match word {
                "icmp" => {
                    let (predicate, rest) = rest.split_once(' ')?;
                    let number = PREDICATES.iter().position(|known| *known == predicate)?;
                    let (ty, operands) = typed(rest)?;
                    let (a, b) = operands.split_once(", ")?;
                    let (a, b) = (self.value(ty, a)?, self.value(ty, b)?);
                    let result = match ty.split_once(" x ") {
                        Some((count, _)) => format!("{count} x i1>"),
                        None => "i1".to_owned(),
                    };
                    let attribute = self.attribute(&format!("{number} : i64"));
                    self.operation("llvm.icmp", &[a, b], &format!("\"predicate\" = {attribute}"), &result)?
                }
                "call" => {
                    let (ty, callee) = typed(rest)?;
                    let (name, operands) = callee.strip_prefix('@')?.strip_suffix(')')?.split_once('(')?;
                    let operands = split_list(operands).into_iter().map(|operand| {
                        let (ty, value) = typed(operand)?;
                        self.value(ty, value)
                    });
                    let operands: Vec<String> = operands.collect::<Option<_>>()?;
                    let attribute = self.attribute(&format!("\"{name}\""));
                    self.operation(
                        "llvm.call_intrinsic",
                        &operands,
                        &format!("\"intrin\" = {attribute}"),
                        ty,
                    )?
                }
                "select" | "shufflevector" | "insertelement" | "extractelement" => {
                    let operands = split_list(rest);
                    let operands: Vec<(&str, &str)> =
                        operands.into_iter().map(typed).collect::<Option<_>>()?;
                    self.chosen(word, &operands)?
                }
                _ => return None,
            }
        };
        self.values.insert(name, value);
        Some(())
    }

    /// Selections and movements of elements.
    fn chosen(&mut self, word: &str, operands: &[(&'a str, &'a str)]) -> Option<String> {
        let name = format!("llvm.{word}");
        if word == "shufflevector" {
            let [(ty, a), (_, b), (lanes, list)] = operands else { return None };
            let (a, b) = (self.value(ty, a)?, self.value(ty, b)?);
            let (count, _) = elements(lanes)?;
            let lanes: Vec<String> = match *list {
                "zeroinitializer" => vec!["0".to_owned(); count as usize],
                list => {
                    let lanes = split_list(list.strip_prefix('<')?.strip_suffix('>')?);
                    let lane = |lane: &str| {
                        Some(lane.strip_prefix("i32 ")?.replace("poison", "-1").replace("undef", "-1"))
                    };
                    lanes.into_iter().map(lane).collect::<Option<_>>()?
                }
            };
            let result = format!("<{count} x {}>", elements(ty)?.1);
            let attribute = self.attribute(&format!("array<i32: {}>", lanes.join(", ")));
            return self.operation(&name, &[a, b], &format!("\"mask\" = {attribute}"), &result);
        }
        let result = match (word, operands) {
            ("extractelement", [(ty, _), _]) => elements(ty)?.1.to_owned(),
            ("insertelement", [(ty, _), ..]) => (*ty).to_owned(),
            ("select", [_, (ty, _), _]) => (*ty).to_owned(),
            _ => return None,
        };
        let values = operands.iter().map(|(ty, value)| self.value(ty, value));
        let values: Vec<String> = values.collect::<Option<_>>()?;
        self.operation(&name, &values, "", &result)
    }

    /// An operand: a value, or a constant.
    fn value(&mut self, ty: &str, text: &str) -> Option<String> {
        if text.starts_with('%') {
            return self.values.get(text).cloned();
        }
        if matches!(text, "poison" | "undef") {
            return self.operation(&format!("llvm.mlir.{text}"), &[], "", ty);
        }
        let mlir = in_mlir(ty)?;
        let integers = !mlir.contains('f');
        let constant = match (elements(ty), text) {
            (None, "true" | "false") => text.to_owned(),
            (None, number) if integers => format!("{} : {mlir}", number.parse::<i64>().ok()?),
            (Some(_), "zeroinitializer") => format!("dense<{}> : {mlir}", if integers { "0" } else { "0.0" }),
            (Some((_, element)), list) if integers => {
                let list = split_list(list.strip_prefix('<')?.strip_suffix('>')?);
                let number = |number: &str| number.strip_prefix(element)?.trim().parse::<i64>().ok();
                let numbers: Vec<i64> = list.into_iter().map(number).collect::<Option<_>>()?;
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
    fn operation(&mut self, name: &str, values: &[String], attributes: &str, ty: &str) -> Option<String> {
        let ty = self.types.name(in_mlir(ty)?, &mut self.lines);
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

/// A type and the text after it.
fn typed(text: &str) -> Option<(&str, &str)> {
    let end = match text.starts_with('<') {
        true => text.find('>')? + 1,
        false => text.find(' ')?,
    };
    Some((&text[..end], text[end..].trim_start()))
}
