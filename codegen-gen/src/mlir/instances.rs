//! `mlir/instances.mlir`: each operation at all types and parameter values that an instruction has, each in a separate
//! function. The lowerings are tested with it.
//!
//! The name of such a function is the symbol that the operation becomes a call of, and in parentheses for each argument
//! the value of an immediate, or `_`: `@"autollvm.vpcmp.v2i64.2_0_64(5,_,_)"`.

use std::collections::BTreeSet;

use autoir::Member;
use serde::Serialize;

use crate::instance::Instance;
use crate::mlir::example::{Example, Passed};
use crate::mlir::memory::{MemoryOperation, What};
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
    memory: &[MemoryOperation<'_, '_>],
    options: &Options,
) -> Result<GeneratedFile, GenerateError> {
    let mut all = Vec::new();
    for operation in operations {
        for Instance { params, facts, symbol } in operation.instances() {
            let example = || Example::of(operation, params, facts);
            let slots = operation.scheme.args.iter().enumerate();
            let immediates = slots.filter(|(_, slot)| matches!(slot, Slot::Immediate(_)));
            let members = operation.op.instances().map(|(member, _)| member);
            let members: Vec<_> = members.filter(|member| member.application.params == params).collect();
            let choices = immediates.map(|(arg, _)| values(&members, arg, options)).collect();
            all.extend(functions(example, choices, &symbol));
        }
    }
    for operation in memory {
        for (symbol, own) in &operation.instances {
            let members: Vec<&Member> = own.iter().map(|instance| instance.member).collect();
            let scales = || own.iter().flat_map(|instance| instance.scales.iter().copied()).collect();
            let choices = operation.passed.iter().filter_map(|passed| match passed.what {
                What::Immediate(arg, _) => Some(values(&members, arg, options)),
                What::Scale => Some(scales()),
                _ => None,
            });
            let example = || Example::of_memory(operation, &own[0]);
            all.extend(functions(example, choices.collect(), symbol));
        }
    }
    renderer.render("mlir/instances.mlir", &Instances { functions: all })
}

/// The functions of an instance: one for each combination of immediates that is tried.
fn functions<'a>(
    example: impl Fn() -> Example<'a>,
    choices: Vec<Vec<i64>>,
    symbol: &str,
) -> BTreeSet<String> {
    let count = choices.iter().map(Vec::len).max().unwrap_or(1);
    let mut made = BTreeSet::new();
    for round in 0..count {
        let mut example = example();
        let immediates: Vec<usize> = example.passed.iter().filter_map(Passed::attribute).collect();
        for (attribute, choices) in immediates.into_iter().zip(&choices) {
            example.attributes[attribute].value = choices[round % choices.len()];
        }
        let shown = example.passed.iter().map(|passed| match passed.attribute() {
            Some(attribute) => example.attributes[attribute].value.to_string(),
            None => "_".to_owned(),
        });
        let name = format!("{symbol}({})", shown.collect::<Vec<_>>().join(","));
        let text = example.generic(|operand| format!("%{operand}"));
        made.insert(example.function(&name, &text));
    }
    made
}

/// Values that an immediate has in some member of the instance: the ends of each documented range, what follows the
/// lower one, and the middle, as far as the member's definition has them.
fn values(members: &[&Member], arg: usize, options: &Options) -> Vec<i64> {
    let mut values = BTreeSet::new();
    for member in members {
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
