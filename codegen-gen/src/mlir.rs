//! `mlir/AutoLLVMOps.td` (operation definitions) and `mlir/autollvm.irdl.mlir` (the same dialect for
//! import at run time, restricted to the types and parameter values that occur).

use std::collections::{BTreeMap, BTreeSet};

use autoir::ValueType;
use serde::Serialize;

use crate::identifier::{class_name, mlir_type};
use crate::operation::Operation;
use crate::render::Renderer;
use crate::scheme::{Relation, Slot};
use crate::{GenerateError, GeneratedFile};

#[derive(Serialize)]
struct Ops {
    ops: Vec<OpDefinition>,
}

#[derive(Serialize)]
struct OpDefinition {
    class: String,
    name: String,
    summary: String,
    traits: Vec<String>,
    arguments: String,
    results: String,
}

pub(crate) fn operations(
    renderer: &Renderer,
    operations: &[Operation<'_>],
) -> Result<GeneratedFile, GenerateError> {
    let ops = operations.iter().map(definition).collect();
    renderer.render("mlir/AutoLLVMOps.td", &Ops { ops })
}

fn definition(operation: &Operation<'_>) -> OpDefinition {
    let scheme = &operation.scheme;
    let results = operation.result_names();
    let names: Vec<&String> = results.iter().chain(operation.arg_names()).collect();
    let slots: Vec<&Slot> = scheme.results.iter().chain(&scheme.args).collect();
    let mut traits = vec!["Pure".to_owned()];
    for number in 0..scheme.overload_count() {
        traits.extend(type_traits(number, &names, &slots));
    }
    let args = scheme.args.iter().zip(operation.arg_names());
    let args = args.map(|(slot, name)| format!("{}:${name}", constraint(slot, &slots)));
    let params = scheme.params.iter().zip(operation.param_names());
    let arguments: Vec<String> =
        args.chain(params.map(|(width, name)| format!("{}:${name}", attribute(*width)))).collect();
    let outs = scheme.results.iter().zip(results);
    let outs: Vec<String> =
        outs.map(|(slot, name)| format!("{}:${name}", constraint(slot, &slots))).collect();
    OpDefinition {
        class: class_name(&operation.op.name),
        name: operation.op.name.clone(),
        summary: summary(operation),
        traits,
        arguments: arguments.join(", "),
        results: outs.join(", "),
    }
}

/// One line about the operation: its words, and how many instructions of which instruction sets it is.
fn summary(operation: &Operation<'_>) -> String {
    let op = operation.op;
    let isas: Vec<&str> = op.isas().into_iter().collect();
    let members = op.class.members.len();
    let noun = if members == 1 { "instruction" } else { "instructions" };
    let isas = isas.join(", ").replace(['"', '\\'], "_");
    format!("{} ({members} {noun} of {isas})", op.name.replace('_', " "))
}

/// The traits that tie other types to overloaded type `number`.
fn type_traits(number: usize, names: &[&String], slots: &[&Slot]) -> Vec<String> {
    let base = slots.iter().position(|slot| matches!(slot, Slot::Overload { number: n, .. } if *n == number));
    let Some(base) = base else { return Vec::new() };
    let mut same = vec![format!("\"{}\"", names[base])];
    let mut traits = Vec::new();
    for (slot, name) in slots.iter().zip(names) {
        match slot {
            Slot::Related { relation: Relation::Match, of } if *of == number => {
                same.push(format!("\"{name}\""))
            }
            Slot::Related { relation, of } if *of == number => {
                traits.push(relation_trait(*relation, name, names[base]));
            }
            _ => {}
        }
    }
    if same.len() > 1 {
        traits.insert(0, format!("AllTypesMatch<[{}]>", same.join(", ")));
    }
    traits
}

/// A relation as factors on the number and the width of the elements: `count * a == base count * b`.
fn relation_trait(relation: Relation, name: &str, base: &str) -> String {
    let (counts, widths) = match relation {
        Relation::Match => ((1, 1), (1, 1)),
        Relation::Extended => ((1, 1), (1, 2)),
        Relation::Truncated => ((1, 1), (2, 1)),
        Relation::HalfElements => ((2, 1), (1, 1)),
        Relation::Subdivide2 => ((1, 2), (2, 1)),
        Relation::Subdivide4 => ((1, 4), (4, 1)),
        Relation::Mask => return format!("AutoLLVM_MaskOf<\"{name}\", \"{base}\">"),
        Relation::Element => return format!("AutoLLVM_ElementOf<\"{name}\", \"{base}\">"),
    };
    format!("AutoLLVM_Scaled<\"{name}\", {}, {}, \"{base}\", {}, {}>", counts.0, widths.0, counts.1, widths.1)
}

fn constraint(slot: &Slot, slots: &[&Slot]) -> &'static str {
    let is_vector = |number: &usize| slots.contains(&&Slot::Overload { number: *number, vector: true });
    match slot {
        Slot::Overload { vector: true, .. } => "AutoLLVM_Vector",
        Slot::Related { relation, of } if *relation != Relation::Element && is_vector(of) => {
            "AutoLLVM_Vector"
        }
        Slot::Overload { vector: false, .. } | Slot::Related { .. } => "AutoLLVM_Value",
        Slot::Immediate(width) => attribute(*width),
    }
}

fn attribute(width: u32) -> &'static str {
    match width {
        1 => "BoolAttr",
        64 => "I64Attr",
        _ => "I32Attr",
    }
}

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
) -> Result<GeneratedFile, GenerateError> {
    let ops = operations.iter().map(irdl_operation).collect();
    renderer.render("mlir/autollvm.irdl.mlir", &Irdl { ops })
}

fn irdl_operation(operation: &Operation<'_>) -> IrdlOperation {
    let scheme = &operation.scheme;
    let mut constraints = Constraints { lines: Vec::new(), next: 0 };
    let slots: Vec<&Slot> = scheme.results.iter().chain(&scheme.args).collect();
    // Types that must be the same are one constraint.
    let mut known: BTreeMap<(Relation, usize), String> = BTreeMap::new();
    let mut values: Vec<Option<String>> = Vec::new();
    let mut attributes = Vec::new();
    for (position, slot) in slots.iter().enumerate() {
        let shapes = || -> BTreeSet<ValueType> {
            let types = operation.op.facts.iter().map(|facts| facts.results.iter().chain(&facts.args));
            types.filter_map(|mut types| types.nth(position)).copied().collect()
        };
        let key = match slot {
            Slot::Overload { number, .. } => (Relation::Match, *number),
            Slot::Related { relation, of } => (*relation, *of),
            Slot::Immediate(_) => {
                let any = constraints.define("irdl.base \"#builtin.integer\"".to_owned());
                let name = &operation.arg_names()[position - scheme.results.len()];
                attributes.push(format!("\"{name}\" = {any}"));
                values.push(None);
                continue;
            }
        };
        let one_of = || constraints.one_of(shapes().into_iter().map(mlir_type).collect());
        values.push(Some(known.entry(key).or_insert_with(one_of).clone()));
    }
    for (index, (width, name)) in scheme.params.iter().zip(operation.param_names()).enumerate() {
        let members = &operation.op.class.members;
        let used: BTreeSet<i64> = members.iter().map(|member| member.params[index]).collect();
        let literal = |value: i64| match (*width, value) {
            (1, 0) => "false".to_owned(),
            (1, _) => "true".to_owned(),
            (width, value) => format!("{value} : i{width}"),
        };
        let value = constraints.one_of(used.into_iter().map(literal).collect());
        attributes.push(format!("\"{name}\" = {value}"));
    }
    let operands = values.split_off(scheme.results.len());
    let join = |values: Vec<Option<String>>| values.into_iter().flatten().collect::<Vec<_>>().join(", ");
    IrdlOperation {
        name: operation.op.name.clone(),
        constraints: constraints.lines,
        attributes: attributes.join(", "),
        operands: join(operands),
        results: join(values),
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
