//! `mlir/AutoLLVMOps.td`: one operation definition for each class.
//!
//! The assembly format prints only the overloaded types; traits infer the others, and check what they leave open
//! ([`super::verifier`]).

use rayon::prelude::*;
use serde::{Deserialize, Serialize};

use crate::identifier::class_name;
use crate::identity::{Condition, Identity, Outcome, Splat};
use crate::mlir::describe::{describe, summary};
use crate::mlir::verifier::verifier_traits;
use crate::operation::Operation;
use crate::render::Renderer;
use crate::scheme::{Relation, Slot};
use crate::split::split_positions;
use crate::{GenerateError, GeneratedFile, Options};

#[derive(Serialize)]
struct Ops {
    llvm: u32,
    ops: Vec<OpDefinition>,
}

#[derive(Serialize, Deserialize)]
struct OpDefinition {
    class: String,
    name: String,
    summary: String,
    description: Vec<String>,
    traits: Vec<String>,
    arguments: String,
    results: String,
    format: String,
    /// Positions among results and operands of the overloaded types.
    overloads: String,
    /// For each operand of the LLVM intrinsic the attribute's name in quotes; empty for an SSA operand.
    layout: String,
    parameters: usize,
    /// Positions among results and operands of the vectors that are halved with the operation.
    split: String,
    /// The equations by which it is folded, in C++.
    identities: Vec<String>,
}

pub(crate) fn operations(
    renderer: &Renderer,
    operations: &[Operation<'_>],
    options: &Options,
) -> Result<GeneratedFile, GenerateError> {
    let kept = |operation: &Operation<'_>| operation.kept("mlir definition", || Ok(definition(operation)));
    let ops = operations.par_iter().map(kept).collect::<Result<_, GenerateError>>()?;
    renderer.render("mlir/AutoLLVMOps.td", &Ops { llvm: options.llvm.number(), ops })
}

fn definition(operation: &Operation<'_>) -> OpDefinition {
    let scheme = &operation.scheme;
    let results = operation.result_names();
    let names: Vec<&String> = results.iter().chain(operation.arg_names()).collect();
    let slots: Vec<&Slot> = scheme.results.iter().chain(&scheme.args).collect();
    let args = scheme.args.iter().zip(operation.arg_names());
    let typed = |kind: &str, name: &str| format!("{kind}:${name}");
    let arguments: Vec<String> = args
        .clone()
        .map(|(slot, name)| typed(constraint(slot, &slots), name))
        .chain(operation.attributes().map(|(parameter, name)| {
            let default = operation.op.class.function.params[parameter.param].value;
            typed(&with_default(parameter.width, default), name)
        }))
        .collect();
    let outs = scheme.results.iter().zip(results);
    let outs: Vec<String> = outs.map(|(slot, name)| typed(constraint(slot, &slots), name)).collect();
    let quoted = |name: &String| format!("\"{name}\"");
    let layout: Vec<String> = args
        .map(|(slot, name)| match slot {
            Slot::Immediate(_) => quoted(name),
            _ => "\"\"".to_owned(),
        })
        .chain(operation.attributes().map(|(_, name)| quoted(name)))
        .collect();
    let split = split_positions(operation).unwrap_or_default();
    let identities = operation.identities().iter().copied().map(cpp_identity).collect();
    OpDefinition {
        class: class_name(&operation.op.name),
        name: operation.op.name.clone(),
        summary: summary(operation),
        description: describe(operation),
        traits: traits(operation, &names, &slots),
        arguments: arguments.join(", "),
        results: outs.join(", "),
        identities,
        format: assembly_format(operation, &names, &slots),
        overloads: value_positions(&slots, |position| matches!(slots[position], Slot::Overload { .. })),
        layout: layout.join(", "),
        parameters: scheme.attributes.len(),
        split: value_positions(&slots, |position| split.contains(&position)),
    }
}

/// Of the chosen slots the positions among results and SSA operands, with commas between them.
fn value_positions(slots: &[&Slot], chosen: impl Fn(usize) -> bool) -> String {
    let values = (0..slots.len()).filter(|slot| !matches!(slots[*slot], Slot::Immediate(_))).enumerate();
    let positions = values.filter(|(_, slot)| chosen(*slot)).map(|(position, _)| position.to_string());
    positions.collect::<Vec<_>>().join(", ")
}

fn traits(operation: &Operation<'_>, names: &[&String], slots: &[&Slot]) -> Vec<String> {
    let mut traits = Vec::new();
    // MLIR exchanges any two operands of a commutative operation, LLVM the first two.
    let values = operation.scheme.args.iter().filter(|slot| !matches!(slot, Slot::Immediate(_)));
    if operation.op.is_commutative() && values.count() == 2 {
        traits.push("Commutative".to_owned());
    }
    for number in 0..operation.scheme.overload_count() {
        traits.extend(type_traits(number, names, slots));
    }
    traits.extend(verifier_traits(operation, names, slots));
    traits
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

/// A relation as factors on the number and the width of the elements: `count * a / b`, `width * a / b`.
fn relation_trait(relation: Relation, name: &str, base: &str) -> String {
    let (counts, widths) = match relation {
        Relation::Match => ((1, 1), (1, 1)),
        Relation::Extended => ((1, 1), (2, 1)),
        Relation::Truncated => ((1, 1), (1, 2)),
        Relation::HalfElements => ((1, 2), (1, 1)),
        Relation::Subdivide2 => ((2, 1), (1, 2)),
        Relation::Subdivide4 => ((4, 1), (1, 4)),
        Relation::Mask => return format!("AutoLLVM_MaskOf<\"{name}\", \"{base}\">"),
        Relation::Element => return format!("AutoLLVM_ElementOf<\"{name}\", \"{base}\">"),
    };
    format!("AutoLLVM_Scaled<\"{name}\", \"{base}\", {}, {}, {}, {}>", counts.0, counts.1, widths.0, widths.1)
}

fn assembly_format(operation: &Operation<'_>, names: &[&String], slots: &[&Slot]) -> String {
    let scheme = &operation.scheme;
    let args = || scheme.args.iter().zip(operation.arg_names());
    let immediates = args().filter(|(slot, _)| matches!(slot, Slot::Immediate(_))).map(|(_, name)| name);
    let mut parts: Vec<String> = immediates.map(|name| format!("`{name}` `(` ${name} `)`")).collect();
    parts.extend(operation.attributes().map(|(_, name)| format!("(`{name}` `(` ${name}^ `)`)?")));
    let operands = args().filter(|(slot, _)| !matches!(slot, Slot::Immediate(_)));
    let operands: Vec<String> = operands.map(|(_, name)| format!("${name}")).collect();
    if !operands.is_empty() {
        parts.push(operands.join(" `,` "));
    }
    let overloads = slots.iter().zip(names).filter(|(slot, _)| matches!(slot, Slot::Overload { .. }));
    let types: Vec<String> = overloads.map(|(_, name)| format!("type(${name})")).collect();
    parts.push(format!("attr-dict `:` {}", types.join(" `,` ")));
    parts.join(" ")
}

fn constraint(slot: &Slot, slots: &[&Slot]) -> &'static str {
    let base = |of: usize| {
        slots.iter().find_map(|slot| match slot {
            Slot::Overload { number, vector, float } if *number == of => Some((*vector, *float)),
            _ => None,
        })
    };
    let (vector, float) = match slot {
        Slot::Immediate(width) => return attribute(*width),
        Slot::Overload { vector, float, .. } => (*vector, *float),
        Slot::Related { relation, of } => {
            let (vector, float) = base(*of).unwrap_or_default();
            (vector && *relation != Relation::Element, float && *relation != Relation::Mask)
        }
    };
    match (vector, float) {
        (true, false) => "AutoLLVM_Vector",
        (false, false) => "AutoLLVM_Value",
        (true, true) => "AutoLLVM_FloatVector",
        (false, true) => "AutoLLVM_Float",
    }
}

/// An attribute that need not be written.
fn with_default(width: u32, value: i64) -> String {
    let value = match width {
        1 => (value != 0).to_string(),
        _ => value.to_string(),
    };
    format!("DefaultValuedAttr<{}, \"{value}\">", attribute(width))
}

fn attribute(width: u32) -> &'static str {
    match width {
        1 => "BoolAttr",
        64 => "I64Attr",
        _ => "I32Attr",
    }
}

/// An equation as the constructors of `autollvm::Identity`.
fn cpp_identity(Identity { when, result }: Identity) -> String {
    let when = match when {
        Condition::Constant { argument, value } => format!("whereConstant({argument}, {})", cpp_splat(value)),
        Condition::Same { argument, other } => format!("whereSame({argument}, {other})"),
        Condition::Repeated => "whereRepeated()".to_owned(),
    };
    let result = match result {
        Outcome::Argument(argument) => format!("isArgument({argument})"),
        Outcome::Constant(value) => format!("isConstant({})", cpp_splat(value)),
        Outcome::Innermost => "isInnermost()".to_owned(),
    };
    format!("::autollvm::Identity::{when}.{result}")
}

fn cpp_splat(value: Splat) -> &'static str {
    match value {
        Splat::Zero => "::autollvm::Splat::Zero",
        Splat::One => "::autollvm::Splat::One",
        Splat::Ones => "::autollvm::Splat::Ones",
        Splat::Least => "::autollvm::Splat::Least",
        Splat::Greatest => "::autollvm::Splat::Greatest",
    }
}
