//! The generated documentation of an operation: its instructions, parameters, syntax and semantics.

use std::collections::{BTreeMap, BTreeSet};

use autoir::ParamKind;

use crate::identity::Identity;
use crate::memory::Disabled;
use crate::mlir::example::{Example, shown};
use crate::mlir::memory::{MemoryOperation, What};
use crate::mlir::verifier::Documented;
use crate::operation::Operation;
use crate::split::split_positions;

/// Instructions named for each instruction set.
const NAMED: usize = 3;
/// Parameter values listed one by one.
const LISTED: usize = 8;
/// Lines of a function that are shown.
const SHOWN: usize = 40;
/// Characters of a function that are shown.
const SHOWN_CHARACTERS: usize = 6000;

/// What was reviewed of the operation, or its words, in one line.
pub(crate) fn sentence(operation: &Operation<'_>) -> String {
    let op = operation.op;
    let words = op.summary.as_ref().map(|summary| summary.trim_end_matches('.').replace(['"', '\\'], "_"));
    words.unwrap_or_else(|| op.name.replace('_', " "))
}

/// [`sentence`], and how many instructions of which instruction sets the operation is.
pub(crate) fn summary(operation: &Operation<'_>) -> String {
    let op = operation.op;
    let isas: Vec<&str> = op.isas().into_iter().collect();
    let members = op.class.members.len();
    let noun = if members == 1 { "instruction" } else { "instructions" };
    let isas = isas.join(", ").replace(['"', '\\'], "_");
    let words = sentence(operation);
    format!("{words} ({members} {noun} of {isas})")
}

/// The lines of the description, in Markdown.
pub(crate) fn describe(operation: &Operation<'_>) -> Vec<String> {
    let op = operation.op;
    let mut lines = Vec::new();
    let mut members: BTreeMap<&str, Vec<&str>> = BTreeMap::new();
    for member in &op.class.members {
        members.entry(&member.isa).or_default().push(&member.id);
    }
    for (isa, ids) in members {
        let shown: Vec<String> = ids.iter().take(NAMED).map(|id| format!("`{id}`")).collect();
        let more = if ids.len() > NAMED { format!(" and {} more", ids.len() - NAMED) } else { String::new() };
        lines.push(format!("- {isa}: {}{more}", shown.join(", ")));
    }
    if op.is_commutative() {
        lines.extend([String::new(), "The first two arguments can be exchanged (proved).".to_owned()]);
    }
    let identities = operation.identities();
    if !identities.is_empty() {
        lines.extend([String::new(), "Folded (proved):".to_owned(), String::new()]);
        let text = |identity: &Identity| identity.text(&op.name, operation.arg_names());
        lines.extend(identities.iter().map(|identity| format!("- `{}`", text(identity))));
    }
    if split_positions(operation).is_some() {
        let split = "Its lanes are independent: on parts of its vectors it gives the parts of its results.";
        lines.extend([String::new(), split.to_owned()]);
    }
    let documented = operation.arg_names().iter().enumerate().filter_map(|(position, name)| {
        let values = Documented::of(operation, position)?;
        Some(format!("- `{name}`: {}", values.text(operation)))
    });
    let parameters = operation
        .attributes()
        .map(|(attribute, name)| format!("- `{name}`: {}", parameter(operation, attribute.param)));
    let attributes: Vec<String> = documented.chain(parameters).collect();
    if !attributes.is_empty() {
        lines.extend([String::new(), "Attributes, with the values that instructions have:".to_owned()]);
        lines.push(String::new());
        lines.extend(attributes);
    }
    if let Some((member, facts)) = shown(operation) {
        let example =
            Example::of(operation, &member.application.params, facts).custom(|name| format!("%{name}"));
        lines.extend([String::new(), format!("As `{}`:", member.id), String::new()]);
        lines.extend(["```mlir".to_owned(), format!("%res = {example}"), "```".to_owned()]);
    }
    lines.push(String::new());
    lines.extend(function(operation));
    // `}]` would end TableGen's text.
    lines.iter().map(|line| line.replace("}]", "} ]")).collect()
}

/// What it is in one line, with how many instructions of which instruction sets it is.
pub(crate) fn memory_summary(own: &MemoryOperation<'_, '_>) -> String {
    let mut members: BTreeMap<&str, usize> = BTreeMap::new();
    for instance in own.instances.values().flatten() {
        *members.entry(&instance.member.isa).or_default() += 1;
    }
    let count: usize = members.values().sum();
    let noun = if count == 1 { "instruction" } else { "instructions" };
    let isas: Vec<&str> = members.into_keys().collect();
    format!("{}, with operands in memory ({count} {noun} of {})", sentence(own.operation), isas.join(", "))
}

/// The lines of the description, in Markdown.
pub(crate) fn describe_memory(own: &MemoryOperation<'_, '_>) -> Vec<String> {
    /// Instructions that are named.
    const NAMED: usize = 6;
    let operation = own.operation;
    let members: BTreeSet<&str> =
        own.instances.values().flatten().map(|instance| instance.member.id.as_str()).collect();
    let named: Vec<String> = members.iter().take(NAMED).map(|id| format!("`{id}`")).collect();
    let more =
        if members.len() > NAMED { format!(" and {} more", members.len() - NAMED) } else { String::new() };
    let mut lines = vec![format!("`{}` as {}{more}.", operation.op.name, named.join(", ")), String::new()];
    for argument in &own.passed {
        let result = || match own.form.results.len() {
            1 => "the result",
            _ => "a result",
        };
        let text = match argument.what {
            What::Value(_) | What::Immediate(..) => continue,
            What::Pointer { reads: true, writes: false } => "where that argument is".to_owned(),
            What::Pointer { reads: true, writes: true } => {
                format!("where that argument is, and {} takes its place", result())
            }
            What::Pointer { .. } => format!("where {} is stored", result()),
            What::Mask => match own.form.masked {
                Some(Disabled::Zero) => {
                    "of disabled elements, nothing is read and the result is 0".to_owned()
                }
                Some(Disabled::Value) => "of disabled elements, memory is not accessed".to_owned(),
                _ => "disabled elements are not written".to_owned(),
            },
            What::PassThrough => "the elements that the mask disables".to_owned(),
            What::Index => {
                "one for each element, whose address is the pointer and this times the scale, in bytes"
                    .to_owned()
            }
            What::Scale => "what each index is multiplied by".to_owned(),
        };
        lines.push(format!("- `{}`: {text}", argument.name));
    }
    lines.push(format!("- `{}`: the number of bytes that divides each pointer", own.alignment));
    if let Some(instance) = own.instances.values().flatten().next() {
        let example = Example::of_memory(own, instance);
        let results = if example.results.is_empty() { "" } else { "%res = " };
        let text = example.custom(|name| format!("%{name}"));
        lines.extend([String::new(), "```mlir".to_owned(), format!("{results}{text}"), "```".to_owned()]);
    }
    lines
}

fn parameter(operation: &Operation<'_>, index: usize) -> String {
    let values: BTreeSet<i64> =
        operation.op.class.members.iter().map(|member| member.application.params[index]).collect();
    if operation.op.param_kinds[index] == ParamKind::Signedness {
        let word = |value: &i64| if *value == 0 { "false (unsigned)" } else { "true (signed)" };
        let words: BTreeSet<&str> = values.iter().map(word).collect();
        return words.into_iter().collect::<Vec<_>>().join(", ");
    }
    let texts: Vec<String> = values.iter().map(i64::to_string).collect();
    match (texts.first(), texts.last()) {
        (Some(first), Some(last)) if texts.len() > LISTED => {
            format!("{} values from {first} to {last}", texts.len())
        }
        _ => texts.join(", "),
    }
}

/// The function in Hydride IR, in the operation's names.
fn function(operation: &Operation<'_>) -> Vec<String> {
    let function = operation.function();
    let text = function.to_string();
    let count = text.lines().count();
    if count > SHOWN || text.len() > SHOWN_CHARACTERS {
        return vec![format!("Its function has {count} lines of Hydride IR: `@{}`.", function.name)];
    }
    let mut lines = vec!["In Hydride IR:".to_owned(), String::new(), "```text".to_owned()];
    lines.extend(text.lines().map(str::to_owned));
    lines.push("```".to_owned());
    lines
}
