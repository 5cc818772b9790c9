//! `mlir/autollvm.irdl.mlir`: the dialect for import at run time, restricted to the types and parameter
//! values that occur. Releases after 19 require names for operands and results.

use std::collections::{BTreeMap, BTreeSet};

use autoir::ValueType;
use catalog::Immediate;
use serde::Serialize;

use crate::identifier::mlir_type;
use crate::mlir::verifier::Documented;
use crate::operation::Operation;
use crate::render::Renderer;
use crate::scheme::{Relation, Slot};
use crate::{GenerateError, GeneratedFile, LlvmVersion, Options};

/// Values of an immediate that are listed; IRDL has no ranges.
const MOST_VALUES: i64 = 256;

#[derive(Serialize)]
struct Irdl {
    ops: Vec<IrdlOperation>,
}

#[derive(Serialize)]
struct IrdlOperation {
    name: String,
    /// Definitions of constraints, one per line.
    constraints: Vec<String>,
    attributes: String,
    operands: String,
    results: String,
}

pub(crate) fn irdl(
    renderer: &Renderer,
    operations: &[Operation<'_>],
    options: &Options,
) -> Result<GeneratedFile, GenerateError> {
    let ops = operations.iter().map(|operation| irdl_operation(operation, options.llvm)).collect();
    renderer.render("mlir/autollvm.irdl.mlir", &Irdl { ops })
}

fn irdl_operation(operation: &Operation<'_>, version: LlvmVersion) -> IrdlOperation {
    let scheme = &operation.scheme;
    let mut constraints = Constraints { lines: Vec::new(), next: 0 };
    let slots: Vec<&Slot> = scheme.results.iter().chain(&scheme.args).collect();
    // Types that must be the same are one constraint.
    let mut known: BTreeMap<(Relation, usize), String> = BTreeMap::new();
    let mut values: Vec<Option<String>> = Vec::new();
    let mut attributes = Vec::new();
    for (position, slot) in slots.iter().enumerate() {
        let shapes = || -> BTreeSet<ValueType> {
            let facts = operation.op.known.iter().map(|known| &known.facts);
            let types = facts.map(|facts| facts.results.iter().chain(&facts.args));
            types.filter_map(|mut types| types.nth(position)).copied().collect()
        };
        let key = match slot {
            Slot::Overload { number, .. } => (Relation::Match, *number),
            Slot::Related { relation, of } => (*relation, *of),
            Slot::Immediate(width) => {
                let arg = position - scheme.results.len();
                let value = match Documented::of(operation, arg).map(|documented| documented.hull()) {
                    Some(Immediate { low, high }) if high - low < MOST_VALUES => {
                        constraints.one_of((low..=high).map(|value| format!("{value} : i{width}")).collect())
                    }
                    _ => constraints.define("irdl.base \"#builtin.integer\"".to_owned()),
                };
                attributes.push(format!("\"{}\" = {value}", operation.arg_names()[arg]));
                values.push(None);
                continue;
            }
        };
        let one_of = || constraints.one_of(shapes().into_iter().map(mlir_type).collect());
        values.push(Some(known.entry(key).or_insert_with(one_of).clone()));
    }
    for (attribute, name) in operation.attributes() {
        let used: BTreeSet<i64> =
            operation.op.known.iter().map(|known| known.params[attribute.param]).collect();
        let literal = |value: i64| match (attribute.width, value) {
            (1, 0) => "false".to_owned(),
            (1, _) => "true".to_owned(),
            (width, value) => format!("{value} : i{width}"),
        };
        let value = constraints.one_of(used.into_iter().map(literal).collect());
        attributes.push(format!("\"{name}\" = {value}"));
    }
    let operands = values.split_off(scheme.results.len());
    let join = |values: Vec<Option<String>>, names: &[String]| {
        let named = values.into_iter().zip(names).filter_map(|(value, name)| Some((value?, name)));
        let texts = named.map(|(value, name)| match version {
            LlvmVersion::Llvm19 => value,
            LlvmVersion::Llvm21 | LlvmVersion::Llvm22 => format!("{name}: {value}"),
        });
        texts.collect::<Vec<_>>().join(", ")
    };
    IrdlOperation {
        name: operation.op.name.clone(),
        constraints: constraints.lines,
        attributes: attributes.join(", "),
        operands: join(operands, operation.arg_names()),
        results: join(values, operation.result_names()),
    }
}

/// The constraint definitions of one IRDL operation.
struct Constraints {
    lines: Vec<String>,
    next: usize,
}

impl Constraints {
    fn define(&mut self, definition: String) -> String {
        let name = format!("%{}", self.next);
        self.next += 1;
        self.lines.push(format!("{name} = {definition}"));
        name
    }

    /// A constraint that holds for exactly the given types or attributes.
    fn one_of(&mut self, choices: Vec<String>) -> String {
        let choices: Vec<String> =
            choices.into_iter().map(|choice| self.define(format!("irdl.is {choice}"))).collect();
        match choices.as_slice() {
            [only] => only.clone(),
            _ => self.define(format!("irdl.any_of({})", choices.join(", "))),
        }
    }
}
