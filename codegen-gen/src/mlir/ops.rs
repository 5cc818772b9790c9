//! `mlir/AutoLLVMOps.td`: one operation definition for each class.
//!
//! The assembly format prints only the overloaded types; traits infer the others, and check what they leave open
//! ([`super::verifier`]).

use std::collections::{BTreeMap, BTreeSet};

use rayon::prelude::*;
use serde::{Deserialize, Serialize};

use crate::check::CheckError;
use crate::identifier::class_name;
use crate::identity::{Condition, Identity, Outcome, Splat};
use crate::mlir::describe::{describe, describe_memory, memory_summary, summary};
use crate::mlir::memory::{Class, MemoryOperation, Typed, What, Written, related};
use crate::mlir::verifier::{Scope, verifier_traits};
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
    /// What is more to say where it has operands in memory.
    memory: Option<MemoryPart>,
}

#[derive(Serialize, Deserialize)]
struct MemoryPart {
    /// The names of the attributes that are types, in quotes.
    types: String,
    /// In C++ what follows the types and parameters in the function's name.
    access: String,
}

pub(crate) fn operations(
    renderer: &Renderer,
    operations: &[Operation<'_>],
    memory: &[MemoryOperation<'_, '_>],
    options: &Options,
) -> Result<GeneratedFile, GenerateError> {
    let kept = |operation: &Operation<'_>| operation.kept("mlir definition", || Ok(definition(operation)));
    let mut ops: Vec<OpDefinition> = operations.par_iter().map(kept).collect::<Result<_, GenerateError>>()?;
    ops.extend(memory.iter().map(memory_definition));
    let mut classes = BTreeSet::new();
    if let Some(twice) = ops.iter().find(|op| !classes.insert(&op.class)) {
        return Err(CheckError::Duplicate { op: twice.name.clone(), name: twice.class.clone() }.into());
    }
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
        memory: None,
    }
}

/// The definition of an operation with operands in memory.
fn memory_definition(own: &MemoryOperation<'_, '_>) -> OpDefinition {
    let operation = own.operation;
    let scheme = &operation.scheme;
    let slots: Vec<&Slot> = scheme.results.iter().chain(&scheme.args).collect();
    let typed = |kind: &str, name: &str| format!("{kind}:${name}");
    let mut arguments = Vec::new();
    for argument in &own.passed {
        let kind = match argument.what {
            What::Value(arg) => constraint(&scheme.args[arg], &slots).to_owned(),
            What::Immediate(_, width) => attribute(width).to_owned(),
            What::Pointer { reads, writes } => {
                let effects = [("MemRead", reads), ("MemWrite", writes)];
                let effects: Vec<&str> = effects.into_iter().filter(|own| own.1).map(|own| own.0).collect();
                format!("Arg<AutoLLVM_Pointer, \"\", [{}]>", effects.join(", "))
            }
            What::PassThrough => constraint(&scheme.results[0], &slots).to_owned(),
            What::Mask => "AutoLLVM_Value".to_owned(),
            What::Index => "AutoLLVM_Vector".to_owned(),
            What::Scale => "I32Attr".to_owned(),
        };
        arguments.push(typed(&kind, &argument.name));
    }
    arguments.extend(operation.attributes().map(|(parameter, name)| {
        let default = operation.op.class.function.params[parameter.param].value;
        typed(&with_default(parameter.width, default), name)
    }));
    arguments.push(typed("AutoLLVM_Alignment", &own.alignment));
    arguments.extend(own.type_attributes.iter().map(|(name, slot)| match slots[*slot] {
        Slot::Overload { vector: true, .. } => typed("AutoLLVM_VectorTypeAttr", name),
        _ => typed("AutoLLVM_TypeAttr", name),
    }));
    let outs = own
        .returned()
        .map(|result| typed(constraint(&scheme.results[result], &slots), &operation.result_names()[result]));
    let quoted = |name: &str| format!("\"{name}\"");
    let layout = own.passed.iter().map(|argument| match argument.what {
        What::Immediate(..) | What::Scale => quoted(&argument.name),
        _ => "\"\"".to_owned(),
    });
    let layout: Vec<String> = layout.chain(operation.attributes().map(|(_, name)| quoted(name))).collect();
    let quoted_types: Vec<String> = own.type_attributes.iter().map(|(name, _)| quoted(name)).collect();
    let bases = own.operation.scheme.results.iter().chain(&operation.scheme.args).zip(&own.types);
    let bases = bases.filter(|(slot, _)| matches!(slot, Slot::Overload { .. }));
    let overloads: Vec<String> = bases.map(|(_, ty)| own.position(ty).to_string()).collect();
    OpDefinition {
        class: own.class_name(),
        name: own.name.clone(),
        summary: memory_summary(own),
        description: describe_memory(own),
        traits: memory_traits(own),
        arguments: arguments.join(", "),
        results: outs.collect::<Vec<_>>().join(", "),
        format: memory_format(own),
        overloads: overloads.join(", "),
        layout: layout.join(", "),
        parameters: scheme.attributes.len(),
        split: String::new(),
        identities: Vec::new(),
        memory: Some(MemoryPart { types: quoted_types.join(", "), access: own.access() }),
    }
}

/// A type in C++, where the traits of an operation are checked.
fn checked_type(ty: &Typed) -> String {
    match ty {
        Typed::Value(name) => format!("${name}.getType()"),
        Typed::Attribute(name) => format!("${name}"),
        Typed::Related(relation, of) => related(*relation, &checked_type(of)),
        Typed::Immediate => String::new(),
    }
}

fn memory_traits(own: &MemoryOperation<'_, '_>) -> Vec<String> {
    let operation = own.operation;
    let scheme = &operation.scheme;
    let slots: Vec<&Slot> = scheme.results.iter().chain(&scheme.args).collect();
    // The values of each class.
    let mut values: BTreeMap<Class, Vec<&str>> = BTreeMap::new();
    for result in own.returned() {
        let name = &operation.result_names()[result];
        values.entry(own.class_of(result)).or_default().push(name);
    }
    for argument in &own.passed {
        let slot = match argument.what {
            What::Value(arg) => own.slot(arg),
            What::PassThrough => 0,
            _ => continue,
        };
        values.entry(own.class_of(slot)).or_default().push(&argument.name);
    }
    let mut traits = Vec::new();
    for ((relation, number), names) in &values {
        let base = values.get(&(Relation::Match, *number)).filter(|_| *relation != Relation::Match);
        if let Some(bases) = base {
            traits.extend(names.iter().map(|name| relation_trait(*relation, name, bases[0])));
            continue;
        }
        if names.len() > 1 {
            let names: Vec<String> = names.iter().map(|name| format!("\"{name}\"")).collect();
            traits.push(format!("AllTypesMatch<[{}]>", names.join(", ")));
        }
        match relation {
            Relation::Match => {}
            _ => {
                let base = own.base(*number);
                let follows = related(*relation, &checked_type(base));
                let of = match base {
                    Typed::Attribute(name) | Typed::Value(name) => name.as_str(),
                    Typed::Related(..) | Typed::Immediate => "",
                };
                traits.push(format!("AutoLLVM_Follows<\"{}\", \"{of}\", \"{follows}\">", names[0]));
            }
        }
    }
    let types: Vec<String> = own.types.iter().map(checked_type).collect();
    for argument in &own.passed {
        let name = &argument.name;
        match argument.what {
            What::Mask => traits.push(match &own.types[0] {
                Typed::Value(result) => relation_trait(Relation::Mask, name, result),
                _ => format!("AutoLLVM_MaskOfMemory<\"{name}\", \"{}\">", types[0]),
            }),
            What::Index => {
                let elements = own.elements().map_or("", |slot| types[slot].as_str());
                let widths: BTreeSet<i64> = own
                    .instances
                    .values()
                    .flatten()
                    .filter_map(|own| own.index)
                    .map(|(_, width)| width.into())
                    .collect();
                traits.push(format!(
                    "AutoLLVM_Index<\"{name}\", \"{elements}\", \"{}\", \"{}\">",
                    one_of(&widths),
                    joined(&widths)
                ));
            }
            What::Scale => {
                let scales = own.instances.values().flatten().flat_map(|own| own.scales.iter().copied());
                let scales: BTreeSet<i64> = scales.collect();
                traits.push(format!(
                    "AutoLLVM_Scale<\"{name}\", \"{}\", \"{}\">",
                    one_of(&scales),
                    joined(&scales)
                ));
            }
            _ => {}
        }
    }
    debug_assert_eq!(types.len(), slots.len());
    traits.extend(verifier_traits(&Scope { operation, types }));
    traits
}

/// Numbers in words: `1, 2, 4 or 8`.
fn one_of(numbers: &BTreeSet<i64>) -> String {
    let texts: Vec<String> = numbers.iter().map(i64::to_string).collect();
    match texts.split_last() {
        Some((last, [])) => last.clone(),
        Some((last, others)) => format!("{} or {last}", others.join(", ")),
        None => String::new(),
    }
}

fn joined(numbers: &BTreeSet<i64>) -> String {
    numbers.iter().map(i64::to_string).collect::<Vec<_>>().join(", ")
}

fn memory_format(own: &MemoryOperation<'_, '_>) -> String {
    let immediates = own.passed.iter().filter(|own| matches!(own.what, What::Immediate(..) | What::Scale));
    let mut parts: Vec<String> = immediates.map(|own| format!("`{0}` `(` ${0} `)`", own.name)).collect();
    let optional = own.operation.attributes().map(|(_, name)| name).chain([&own.alignment]);
    parts.extend(optional.map(|name| format!("(`{name}` `(` ${name}^ `)`)?")));
    let operands: Vec<String> = own.values().map(|own| format!("${}", own.name)).collect();
    parts.push(operands.join(" `,` "));
    let types = own.written().into_iter().map(|written| match written {
        Written::Slot(name, _) | Written::Mask(name) | Written::Index(name) => format!("type(${name})"),
        Written::Attribute(name, _) => format!("${name}"),
    });
    parts.push(format!("attr-dict `:` {}", types.collect::<Vec<_>>().join(" `,` ")));
    parts.join(" ")
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
    traits.extend(verifier_traits(&Scope::of_values(operation)));
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
    match relation {
        Relation::Mask => return format!("AutoLLVM_MaskOf<\"{name}\", \"{base}\">"),
        Relation::Element => return format!("AutoLLVM_ElementOf<\"{name}\", \"{base}\">"),
        _ => {}
    }
    let ((count, of_count), (width, of_width)) = relation.factors();
    format!("AutoLLVM_Scaled<\"{name}\", \"{base}\", {count}, {of_count}, {width}, {of_width}>")
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
