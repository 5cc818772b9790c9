//! `mlir/test/`: tests for lit and FileCheck, with each operation at one member's types.

use autoir::ValueType;
use serde::Serialize;

use crate::mlir::example::{Example, OperandType, shown};
use crate::mlir::memory::{MemoryOperation, Written};
use crate::mlir::verifier::Documented;
use crate::operation::Operation;
use crate::render::Renderer;
use crate::scheme::Slot;
use crate::{GenerateError, GeneratedFile, Options};

#[derive(Serialize)]
struct Tests<'a> {
    ops: Vec<Case>,
    /// Those with operands in memory.
    memory: Vec<MemoryCase>,
    /// Instruction sets with definitions.
    targets: Vec<&'a str>,
}

#[derive(Serialize)]
struct Case {
    name: String,
    /// A function with the operation in the dialect's assembly, and what is printed of it.
    custom: String,
    printed: String,
    /// The same in generic form, and the same with a type that contradicts the parameters.
    generic: String,
    contradiction: String,
    /// The same with a type that no member has.
    foreign: String,
    /// The same with an immediate that no member documents, if there are immediates.
    undocumented: Option<String>,
    /// The function that it becomes a call of, and the intrinsic.
    symbol: String,
    intrinsic: String,
}

/// The same for an operation with operands in memory.
#[derive(Serialize)]
struct MemoryCase {
    name: String,
    custom: String,
    printed: String,
    generic: String,
    /// The same with elements of another width.
    contradiction: String,
    /// The same with an alignment that is no power of two.
    misaligned: String,
    symbol: String,
}

pub(crate) fn tests(
    renderer: &Renderer,
    operations: &[Operation<'_>],
    memory: &[MemoryOperation<'_, '_>],
    options: &Options,
) -> Result<Vec<GeneratedFile>, GenerateError> {
    let targets = options.of_release().map(|vendor| vendor.isa.as_str()).collect();
    let memory = memory.iter().filter_map(memory_case).collect();
    let context = Tests { ops: operations.iter().filter_map(case).collect(), memory, targets };
    let files = [
        "invalid.mlir",
        "invalid-irdl.mlir",
        "irdl.mlir",
        "legalize.mlir",
        "lowering.mlir",
        "memory.mlir",
        "roundtrip.mlir",
        "stock.mlir",
    ];
    files.iter().map(|name| renderer.render(&format!("mlir/test/{name}"), &context)).collect()
}

fn case(operation: &Operation<'_>) -> Option<Case> {
    let (member, facts) = shown(operation)?;
    let example = || Example::of(operation, &member.application.params, facts);
    let operand = |name: &str| format!("%{name}");
    let plain = example();
    let intrinsic = operation.instance_name(facts);
    Some(Case {
        name: operation.op.name.clone(),
        custom: plain.function(plain.name, &plain.custom(operand)),
        printed: plain.custom(|_| "%{{.*}}".to_owned()),
        generic: plain.function(plain.name, &plain.generic(operand)),
        contradiction: expected(&changed(operation, example(), of_other_width)),
        foreign: expected(&changed(operation, example(), |_| ValueType::vector(3, 7))),
        undocumented: undocumented(operation, example()).as_ref().map(expected),
        symbol: operation.symbol(&member.application.params, facts),
        intrinsic,
    })
}

fn memory_case(operation: &MemoryOperation<'_, '_>) -> Option<MemoryCase> {
    let (symbol, instances) = operation.instances.first_key_value()?;
    let example = || Example::of_memory(operation, &instances[0]);
    let operand = |name: &str| format!("%{name}");
    let plain = example();
    let mut contradiction = example();
    let wider = |shape: &mut ValueType| *shape = of_other_width(*shape);
    match operation.written().first()? {
        Written::Attribute(..) => wider(&mut contradiction.types[0].1),
        Written::Slot(name, _) | Written::Mask(name) | Written::Index(name) => {
            let own = contradiction.operands.iter_mut().find(|(own, _)| own == name);
            match own {
                Some((_, OperandType::Value(shape))) => wider(shape),
                _ => contradiction.results.iter_mut().take(1).for_each(wider),
            }
        }
    }
    let mut misaligned = example();
    misaligned
        .attributes
        .iter_mut()
        .filter(|own| own.name == operation.alignment)
        .for_each(|own| own.value = 3);
    Some(MemoryCase {
        name: operation.name.clone(),
        custom: plain.function(plain.name, &plain.custom(operand)),
        printed: plain.custom(|_| "%{{.*}}".to_owned()),
        generic: plain.function(plain.name, &plain.generic(operand)),
        contradiction: expected(&contradiction),
        misaligned: expected(&misaligned),
        symbol: symbol.clone(),
    })
}

/// As many elements of another width: integers twice as wide, or floating-point numbers of another format.
fn of_other_width(shape: ValueType) -> ValueType {
    let wider = ValueType { element: shape.element * 2, ..shape };
    match (shape.element, shape.is_float()) {
        (_, false) => wider,
        (32, true) => wider.with_exponent(11),
        (16, true) => wider.with_exponent(8),
        (_, true) => ValueType { element: 32, exponent: 8, ..shape },
    }
}

/// The use with another type in place of the first overloaded one.
fn changed<'a>(
    operation: &Operation<'_>,
    mut example: Example<'a>,
    change: impl Fn(ValueType) -> ValueType,
) -> Example<'a> {
    let overloaded = |slot: &&Slot| matches!(slot, Slot::Overload { number: 0, .. });
    let values = operation.scheme.args.iter().filter(|slot| !matches!(slot, Slot::Immediate(_)));
    let result = operation.scheme.results.iter().position(|slot| overloaded(&slot));
    let arg = values.enumerate().find(|(_, slot)| overloaded(slot)).map(|(position, _)| position);
    if let Some(result) = result {
        example.results[result] = change(example.results[result]);
    } else if let Some(arg) = arg
        && let OperandType::Value(shape) = &mut example.operands[arg].1
    {
        *shape = change(*shape);
    }
    example
}

/// The use with one more than the greatest documented value of the first immediate that has documented values.
fn undocumented<'a>(operation: &Operation<'_>, mut example: Example<'a>) -> Option<Example<'a>> {
    let args = operation.scheme.args.iter().enumerate();
    let immediates = args.filter(|(_, slot)| matches!(slot, Slot::Immediate(_))).enumerate();
    let (place, documented) =
        immediates.filter_map(|(place, (arg, _))| Some((place, Documented::of(operation, arg)?))).next()?;
    // Immediates precede parameters.
    example.attributes[place].value = documented.hull().high.checked_add(1)?;
    Some(example)
}

/// The function with the use in generic form and the expectation of a diagnostic before it.
fn expected(example: &Example<'_>) -> String {
    let text = example.function(example.name, &example.generic(|name| format!("%{name}")));
    // The operation is the function's second line.
    text.replacen("{\n", "{\n  // expected-error@+1 {{DIAGNOSTIC}}\n", 1)
}
