//! `mlir/instances.mlir`: each operation at all types and parameter values that an instruction has, each in a separate
//! function. The lowerings are tested with it.
//!
//! The name of such a function is the symbol that the operation becomes a call of, and in parentheses for each argument
//! the value of an immediate, or `_`: `@"autollvm.vpcmp.v2i64.2_0_64(5,_,_)"`.

use std::collections::BTreeSet;

use serde::Serialize;

use crate::instance::Instance;
use crate::mlir::example::Example;
use crate::operation::Operation;
use crate::render::Renderer;
use crate::scheme::Slot;
use crate::{GenerateError, GeneratedFile, Options};

#[derive(Serialize)]
struct Instances {
    functions: Vec<String>,
}

pub(super) fn instances(
    renderer: &Renderer,
    operations: &[Operation<'_>],
    options: &Options,
) -> Result<GeneratedFile, GenerateError> {
    let mut all = Vec::new();
    for operation in operations {
        for instance in operation.instances() {
            all.extend(functions(operation, &instance, options));
        }
    }
    renderer.render("mlir/instances.mlir", &Instances { functions: all })
}

/// The functions of an instance: one for each combination of immediates that is tried.
fn functions(operation: &Operation<'_>, instance: &Instance<'_>, options: &Options) -> Vec<String> {
    let slots = operation.scheme.args.iter().enumerate();
    let immediates = slots.filter(|(_, slot)| matches!(slot, Slot::Immediate(_)));
    let choices: Vec<Vec<i64>> =
        immediates.map(|(arg, _)| values(operation, instance, arg, options)).collect();
    let count = choices.iter().map(Vec::len).max().unwrap_or(1);
    let mut made = BTreeSet::new();
    for round in 0..count {
        let chosen: Vec<i64> = choices.iter().map(|choices| choices[round % choices.len()]).collect();
        let mut example = Example::of(operation, instance.params, instance.facts);
        for (attribute, value) in example.attributes.iter_mut().zip(&chosen) {
            attribute.value = *value;
        }
        let mut chosen = chosen.iter();
        let shown = operation.scheme.args.iter().map(|slot| match slot {
            Slot::Immediate(_) => chosen.next().map_or_else(String::new, i64::to_string),
            Slot::Overload { .. } | Slot::Related { .. } => "_".to_owned(),
        });
        let name = format!("{}({})", instance.symbol, shown.collect::<Vec<_>>().join(","));
        let text = example.generic(|operand| format!("%{operand}"));
        made.insert(example.function(&name, &text));
    }
    made.into_iter().collect()
}

/// Values that an immediate has in some member of the instance: the ends of each documented range, what follows the
/// lower one, and the middle, as far as the member's definition has them.
fn values(operation: &Operation<'_>, instance: &Instance<'_>, arg: usize, options: &Options) -> Vec<i64> {
    let mut values = BTreeSet::new();
    for (member, _) in
        operation.op.instances().filter(|(member, _)| member.application.params == instance.params)
    {
        let Some(position) = member.application.args.get(arg).and_then(|source| source.own()) else {
            continue;
        };
        let own = member.signature.args.get(position as usize).and_then(|own| own.immediate());
        if let Some((low, high)) = own {
            let middle = low.midpoint(high);
            let immediates = member.signature.args[..position as usize].iter();
            let place = immediates.filter(|own| own.immediate().is_some()).count();
            let vendor = options.vendor(&member.isa);
            let defined = vendor.and_then(|vendor| vendor.immediate(&member.id, place));
            let tried = [low, low.saturating_add(1).min(high), middle, high];
            let is_defined = |value: &i64| defined.as_ref().is_none_or(|defined| defined.contains(value));
            values.extend(tried.into_iter().filter(is_defined));
        }
    }
    // Every member has a constant there.
    if values.is_empty() {
        values.insert(0);
    }
    values.into_iter().collect()
}
