//! `mlir/autollvm.patterns.mlir` and `mlir/autollvm.functions.mlir`: from operations to calls of the
//! functions `@autollvm.…`, for stock tools. A pattern (in PDL) holds for one instance, that is an operation
//! at given types and parameter values; the functions' bodies are elsewhere.

use std::collections::BTreeMap;

use autoir::ValueType;
use serde::Serialize;

use crate::identifier::{mlir_type, symbol_reference};
use crate::mlir::example::{Attribute, Example, Passed};
use crate::mlir::memory::MemoryOperation;
use crate::operation::Operation;
use crate::render::Renderer;
use crate::{GenerateError, GeneratedFile};

#[derive(Serialize)]
struct Lowering {
    instances: Vec<Instance>,
}

#[derive(Serialize)]
struct Instance {
    /// The function's name, quoted if MLIR requires it.
    symbol: String,
    /// Types of the function's arguments and results.
    arguments: String,
    results: String,
    /// The operation's name, where the function's name does not begin with it.
    operation: Option<String>,
    /// The lines that say what is matched and what replaces it.
    pattern: Vec<String>,
    /// The lines of the rewrite.
    rewrite: Vec<String>,
}

pub(crate) fn lowering(
    renderer: &Renderer,
    operations: &[Operation<'_>],
    memory: &[MemoryOperation<'_, '_>],
) -> Result<Vec<GeneratedFile>, GenerateError> {
    let mut instances = Vec::new();
    for operation in operations {
        for own in operation.instances() {
            let example = Example::of(operation, own.params, own.facts);
            instances.push(instance(&example, &own.symbol));
        }
    }
    for operation in memory {
        for (symbol, own) in &operation.instances {
            let mut instance = instance(&Example::of_memory(operation, &own[0]), symbol);
            instance.operation = Some(format!("autollvm.{}", operation.name));
            instances.push(instance);
        }
    }
    let context = Lowering { instances };
    Ok(vec![
        renderer.render("mlir/autollvm.functions.mlir", &context)?,
        renderer.render("mlir/autollvm.patterns.mlir", &context)?,
    ])
}

fn instance(example: &Example<'_>, symbol: &str) -> Instance {
    let Matched { pattern, values, results, mut rewrite, .. } = matched(example);
    let arguments = example.passed.iter().map(|passed| match passed {
        Passed::Operand(operand) => example.operands[*operand].1.mlir(),
        Passed::Attribute(attribute) => mlir_type(ValueType::scalar(example.attributes[*attribute].width)),
    });
    let arguments: Vec<String> = arguments.collect();
    rewrite.push(format!("%callee = pdl.attribute = {}", symbol_reference(symbol)));
    rewrite.push(format!(
        "%call = pdl.operation \"func.call\"{} {{\"callee\" = %callee}}{}",
        operands(&values),
        made(&results)
    ));
    rewrite.push("pdl.replace %op with %call".to_owned());
    Instance {
        symbol: symbol_reference(symbol),
        arguments: arguments.join(", "),
        results: example.result_types(),
        operation: None,
        pattern,
        rewrite,
    }
}

/// A pattern that matches an operation at given types and parameter values as `%op`.
pub(super) struct Matched {
    /// Its lines.
    pub(super) pattern: Vec<String>,
    /// The types that they define.
    pub(super) types: Types,
    /// The arguments as values, immediates among them.
    pub(super) values: Vec<String>,
    /// The names of the results' types.
    pub(super) results: Vec<String>,
    /// The lines of the rewrite that make values of immediates.
    pub(super) rewrite: Vec<String>,
}

pub(super) fn matched(example: &Example<'_>) -> Matched {
    let mut pattern = Vec::new();
    let mut rewrite = Vec::new();
    let mut types = Types::default();
    let results: Vec<String> =
        example.results.iter().map(|shape| types.name(mlir_type(*shape), &mut pattern)).collect();
    let (mut matched, mut values) = (Vec::new(), Vec::new());
    let mut attributes = Vec::new();
    for (index, passed) in example.passed.iter().enumerate() {
        let value = format!("%value{index}");
        match passed {
            Passed::Attribute(attribute) => {
                let Attribute { name, width, .. } = example.attributes[*attribute];
                let constant = types.name(mlir_type(ValueType::scalar(width)), &mut pattern);
                pattern.push(format!("%immediate{index} = pdl.attribute : {constant}"));
                attributes.push(format!("\"{name}\" = %immediate{index}"));
                rewrite.push(format!(
                    "%constant{index} = pdl.operation \"llvm.mlir.constant\" {{\"value\" = %immediate{index}}} -> ({constant} : !pdl.type)"
                ));
                rewrite.push(format!("{value} = pdl.result 0 of %constant{index}"));
            }
            Passed::Operand(operand) => {
                let shape_name = types.name(example.operands[*operand].1.mlir(), &mut pattern);
                pattern.push(format!("{value} = pdl.operand : {shape_name}"));
                matched.push(value.clone());
            }
        }
        values.push(value);
    }
    let is_fixed = |at: &usize| !example.passed.contains(&Passed::Attribute(*at));
    let fixed = (0..example.attributes.len()).filter(is_fixed).map(|at| &example.attributes[at]);
    let fixed = fixed.map(|attribute| (attribute.name, attribute.typed()));
    let fixed = fixed.chain(example.types.iter().map(|(name, shape)| (*name, mlir_type(*shape))));
    for (index, (name, value)) in fixed.enumerate() {
        pattern.push(format!("%parameter{index} = pdl.attribute = {value}"));
        attributes.push(format!("\"{name}\" = %parameter{index}"));
    }
    let attributes =
        if attributes.is_empty() { String::new() } else { format!(" {{{}}}", attributes.join(", ")) };
    pattern.push(format!(
        "%op = pdl.operation \"autollvm.{}\"{}{attributes}{}",
        example.name,
        operands(&matched),
        made(&results)
    ));
    Matched { pattern, types, values, results, rewrite }
}

/// The results of a `pdl.operation` by the names of their types; nothing at all where there are none.
fn made(types: &[String]) -> String {
    if types.is_empty() {
        return String::new();
    }
    format!(" -> ({} : {})", types.join(", "), kinds("type", types.len()))
}

/// The operands of a `pdl.operation`; nothing at all where there are none.
pub(super) fn operands(values: &[String]) -> String {
    if values.is_empty() {
        return String::new();
    }
    format!("({} : {})", values.join(", "), kinds("value", values.len()))
}

pub(super) fn kinds(kind: &str, count: usize) -> String {
    vec![format!("!pdl.{kind}"); count].join(", ")
}

/// The types of one pattern, each defined once.
#[derive(Default)]
pub(super) struct Types {
    names: BTreeMap<String, String>,
}

impl Types {
    pub(super) fn name(&mut self, text: String, lines: &mut Vec<String>) -> String {
        let next = format!("%type{}", self.names.len());
        let name = self.names.entry(text.clone()).or_insert_with(|| {
            lines.push(format!("{next} = pdl.type : {text}"));
            next
        });
        name.clone()
    }
}
