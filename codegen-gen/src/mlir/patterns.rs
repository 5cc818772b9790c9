//! `mlir/autollvm.patterns.mlir` and `mlir/autollvm.functions.mlir`: from operations to calls of the
//! functions `@autollvm.…`, for stock tools. A pattern (in PDL) holds for one instance, that is an operation
//! at given types and parameter values; the functions' bodies are elsewhere.

use std::collections::BTreeMap;

use autoir::ValueType;
use serde::Serialize;

use crate::identifier::{mlir_type, symbol_reference};
use crate::instance;
use crate::mlir::example::Example;
use crate::operation::Operation;
use crate::render::Renderer;
use crate::scheme::Slot;
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
    /// The lines that say what is matched and what replaces it.
    pattern: Vec<String>,
    /// The lines of the rewrite.
    rewrite: Vec<String>,
}

pub(crate) fn lowering(
    renderer: &Renderer,
    operations: &[Operation<'_>],
) -> Result<Vec<GeneratedFile>, GenerateError> {
    let mut instances = Vec::new();
    for operation in operations {
        let own = operation.instances().into_iter().map(|own| instance(operation, &own));
        instances.extend(own);
    }
    let context = Lowering { instances };
    Ok(vec![
        renderer.render("mlir/autollvm.functions.mlir", &context)?,
        renderer.render("mlir/autollvm.patterns.mlir", &context)?,
    ])
}

fn instance(operation: &Operation<'_>, own: &instance::Instance<'_>) -> Instance {
    let example = Example::of(operation, own.params, own.facts);
    let Matched { pattern, values, results, mut rewrite, .. } = matched(operation, &example);
    let arguments: Vec<String> = operation.argument_types(own.facts).into_iter().map(mlir_type).collect();
    let results = format!("({} : {})", results.join(", "), kinds("type", results.len()));
    rewrite.push(format!("%callee = pdl.attribute = {}", symbol_reference(&own.symbol)));
    rewrite.push(format!(
        "%call = pdl.operation \"func.call\"{} {{\"callee\" = %callee}} -> {results}",
        operands(&values)
    ));
    rewrite.push("pdl.replace %op with %call".to_owned());
    Instance {
        symbol: symbol_reference(&own.symbol),
        arguments: arguments.join(", "),
        results: example.result_types(),
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

pub(super) fn matched(operation: &Operation<'_>, example: &Example<'_>) -> Matched {
    let mut pattern = Vec::new();
    let mut rewrite = Vec::new();
    let mut types = Types::default();
    let results: Vec<String> =
        example.results.iter().map(|shape| types.name(mlir_type(*shape), &mut pattern)).collect();
    let (mut matched, mut values) = (Vec::new(), Vec::new());
    let mut attributes = Vec::new();
    let mut shapes = example.operands.iter().map(|(_, shape)| mlir_type(*shape));
    for (index, slot) in operation.scheme.args.iter().enumerate() {
        let value = format!("%value{index}");
        if let Slot::Immediate(width) = slot {
            let constant = types.name(mlir_type(ValueType::scalar(*width)), &mut pattern);
            pattern.push(format!("%immediate{index} = pdl.attribute : {constant}"));
            attributes.push(format!("\"{}\" = %immediate{index}", operation.arg_names()[index]));
            rewrite.push(format!(
                "%constant{index} = pdl.operation \"llvm.mlir.constant\" {{\"value\" = %immediate{index}}} -> ({constant} : !pdl.type)"
            ));
            rewrite.push(format!("{value} = pdl.result 0 of %constant{index}"));
        } else if let Some(shape) = shapes.next() {
            let shape_name = types.name(shape, &mut pattern);
            pattern.push(format!("{value} = pdl.operand : {shape_name}"));
            matched.push(value.clone());
        }
        values.push(value);
    }
    let immediates = example.attributes.len() - operation.scheme.attributes.len();
    for (index, attribute) in example.attributes[immediates..].iter().enumerate() {
        pattern.push(format!("%parameter{index} = pdl.attribute = {}", attribute.typed()));
        attributes.push(format!("\"{}\" = %parameter{index}", attribute.name));
    }
    let attributes =
        if attributes.is_empty() { String::new() } else { format!(" {{{}}}", attributes.join(", ")) };
    pattern.push(format!(
        "%op = pdl.operation \"autollvm.{}\"{}{attributes} -> ({} : {})",
        example.name,
        operands(&matched),
        results.join(", "),
        kinds("type", results.len())
    ));
    Matched { pattern, types, values, results, rewrite }
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
