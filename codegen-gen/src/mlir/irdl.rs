//! `mlir/autollvm.irdl.mlir`: the dialect for import at run time, restricted to the types and parameter
//! values that occur. Releases after 19 require names for operands and results.

use std::collections::{BTreeMap, BTreeSet};

use autoir::ValueType;
use catalog::Immediate;
use serde::Serialize;

use crate::identifier::mlir_type;
use crate::instance::MemoryInstance;
use crate::mlir::memory::{Class, MemoryOperation, What, class, mask_type, slot_type};
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
    memory: &[MemoryOperation<'_, '_>],
    options: &Options,
) -> Result<GeneratedFile, GenerateError> {
    let ops = operations.iter().map(|operation| irdl_operation(operation, options.llvm));
    let ops = ops.chain(memory.iter().map(|operation| memory_operation(operation, options.llvm)));
    renderer.render("mlir/autollvm.irdl.mlir", &Irdl { ops: ops.collect() })
}

/// An operation with operands in memory, at the types of its instances.
fn memory_operation(own: &MemoryOperation<'_, '_>, version: LlvmVersion) -> IrdlOperation {
    let operation = own.operation;
    let mut constraints = Constraints { lines: Vec::new(), next: 0 };
    let slots: Vec<&Slot> = operation.scheme.results.iter().chain(&operation.scheme.args).collect();
    let instances: Vec<&MemoryInstance<'_>> = own.instances.values().flatten().collect();
    let shapes = |shape: &dyn Fn(&MemoryInstance<'_>) -> ValueType| -> Vec<String> {
        let shapes: BTreeSet<ValueType> = instances.iter().map(|instance| shape(instance)).collect();
        shapes.into_iter().map(mlir_type).collect()
    };
    // Types that must be the same are one constraint.
    let mut known: BTreeMap<Class, String> = BTreeMap::new();
    let mut of_slot = |slot: usize, constraints: &mut Constraints| {
        let types = shapes(&|instance| slot_type(instance.facts, slot));
        match class(slots[slot]) {
            Some(class) => known.entry(class).or_insert_with(|| constraints.one_of(types)).clone(),
            None => constraints.one_of(types),
        }
    };
    let results = own.returned().map(|slot| of_slot(slot, &mut constraints)).collect::<Vec<_>>();
    let (mut operands, mut attributes, mut names) = (Vec::new(), Vec::new(), Vec::new());
    for argument in &own.passed {
        let value = match argument.what {
            What::Value(arg) => of_slot(own.slot(arg), &mut constraints),
            What::Pointer { .. } => constraints.one_of(vec!["!llvm.ptr".to_owned()]),
            What::PassThrough => of_slot(0, &mut constraints),
            What::Mask => constraints.one_of(shapes(&|instance| mask_type(instance.facts))),
            What::Index => constraints.one_of(shapes(&|instance| instance.index_type())),
            What::Immediate(arg, width) => {
                let value = constraints.immediate(operation, arg, width);
                attributes.push(format!("\"{}\" = {value}", argument.name));
                continue;
            }
            What::Scale => {
                let scales: BTreeSet<i64> =
                    instances.iter().flat_map(|instance| instance.scales.iter().copied()).collect();
                let value = constraints.one_of(scales.iter().map(|scale| format!("{scale} : i32")).collect());
                attributes.push(format!("\"{}\" = {value}", argument.name));
                continue;
            }
        };
        operands.push(Some(value));
        names.push(argument.name.clone());
    }
    let params = |instance: &&MemoryInstance<'_>| instance.member.application.params.clone();
    let params: BTreeSet<Vec<i64>> = instances.iter().map(params).collect();
    attributes.extend(constraints.parameters(operation, params.iter().map(Vec::as_slice)));
    let aligned: BTreeSet<u32> = instances.iter().map(|instance| instance.align).collect();
    let value = constraints.one_of(aligned.iter().map(|align| format!("{align} : i64")).collect());
    attributes.push(format!("\"{}\" = {value}", own.alignment));
    for (name, slot) in &own.type_attributes {
        let value = of_slot(*slot, &mut constraints);
        attributes.push(format!("\"{name}\" = {value}"));
    }
    let result_names: Vec<String> =
        own.returned().map(|result| operation.result_names()[result].clone()).collect();
    IrdlOperation {
        name: own.name.clone(),
        constraints: constraints.lines,
        attributes: attributes.join(", "),
        operands: join(operands, &names, version),
        results: join(results.into_iter().map(Some).collect(), &result_names, version),
    }
}

/// Operands or results, with their names where a release has them.
fn join(values: Vec<Option<String>>, names: &[String], version: LlvmVersion) -> String {
    let named = values.into_iter().zip(names).filter_map(|(value, name)| Some((value?, name)));
    let texts = named.map(|(value, name)| match version {
        LlvmVersion::Llvm19 => value,
        LlvmVersion::Llvm21 | LlvmVersion::Llvm22 => format!("{name}: {value}"),
    });
    texts.collect::<Vec<_>>().join(", ")
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
                let value = constraints.immediate(operation, arg, *width);
                attributes.push(format!("\"{}\" = {value}", operation.arg_names()[arg]));
                values.push(None);
                continue;
            }
        };
        let one_of = || constraints.one_of(shapes().into_iter().map(mlir_type).collect());
        values.push(Some(known.entry(key).or_insert_with(one_of).clone()));
    }
    let params = operation.op.known.iter().map(|known| known.params.as_slice());
    attributes.extend(constraints.parameters(operation, params));
    let operands = values.split_off(scheme.results.len());
    IrdlOperation {
        name: operation.op.name.clone(),
        constraints: constraints.lines,
        attributes: attributes.join(", "),
        operands: join(operands, operation.arg_names(), version),
        results: join(values, operation.result_names(), version),
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

    /// The documented values of an immediate.
    fn immediate(&mut self, operation: &Operation<'_>, arg: usize, width: u32) -> String {
        match Documented::of(operation, arg).map(|documented| documented.hull()) {
            Some(Immediate { low, high }) if high - low < MOST_VALUES => {
                self.one_of((low..=high).map(|value| format!("{value} : i{width}")).collect())
            }
            _ => self.define("irdl.base \"#builtin.integer\"".to_owned()),
        }
    }

    /// The attributes of an operation, with the values that these instances have.
    fn parameters<'p>(
        &mut self,
        operation: &Operation<'_>,
        instances: impl Iterator<Item = &'p [i64]> + Clone,
    ) -> Vec<String> {
        let all = operation.attributes().map(|(attribute, name)| {
            let used: BTreeSet<i64> = instances.clone().map(|params| params[attribute.param]).collect();
            let literal = |value: i64| match (attribute.width, value) {
                (1, 0) => "false".to_owned(),
                (1, _) => "true".to_owned(),
                (width, value) => format!("{value} : i{width}"),
            };
            let value = self.one_of(used.into_iter().map(literal).collect());
            format!("\"{name}\" = {value}")
        });
        all.collect()
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
