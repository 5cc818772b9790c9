//! `models/`: a Rust crate with a plain function for every instruction, under the name of its intrinsic.
//!
//! The path of one function: `layout` chooses the types of its operands, `split` turns writes of wide values into
//! loops, `body` writes the statements, `expression`, `position` and `condition` their values, with `ranges` deciding
//! where Rust's own operators are exact.
//! `check` is the program that compares the crate with recorded results and with `core::arch`.

mod body;
mod check;
mod condition;
mod expression;
mod layout;
mod model;
mod native;
mod position;
mod ranges;
mod split;

use std::collections::{BTreeMap, BTreeSet};

use catalog::{Element, Signature};
use hydride_ir::{Expr, Function, Op};
use memo::{Memo, key_of};
use rayon::prelude::*;

use self::layout::{Layout, Shape};
use self::model::{Call, Functions, InstructionSet, Made, Model, Module};
use self::native::Native;
use self::ranges::Ranges;
use crate::evaluators::FLOATS;
use crate::identifier::{RUST_WORDS, word};
use crate::render::Renderer;
use crate::{GenerateError, GeneratedFile};

/// An instruction of which a model is made.
#[derive(Hash)]
pub struct Modelled<'a> {
    /// The instruction set, whose name is a module's.
    pub isa: &'a str,
    /// The instruction's id, which is unique in its instruction set.
    pub id: &'a str,
    /// The vendor's name of the intrinsic.
    pub intrinsic: &'a str,
    /// Its semantics, in lane form where it has one. The arguments are the signature's, in order.
    pub function: &'a Function,
    /// Types of the arguments and results.
    pub signature: &'a Signature,
    /// CPU features that it needs.
    pub extensions: &'a [String],
    /// Its mnemonics.
    pub mnemonics: BTreeSet<&'a str>,
    /// Bits of results that the vendor leaves undefined: position of the result, lowest bit, number of bits.
    pub undefined: Vec<(usize, u32, u32)>,
    /// Arguments for which the vendor leaves the results undefined: position, and value read unsigned.
    pub undefined_for: Vec<(usize, u64)>,
}

/// The files of the crate, sorted by path; `formula` writes a function's semantics, one formula a line.
pub fn models(
    sources: &[Modelled<'_>],
    formula: &(impl Fn(&Function) -> Vec<String> + Sync),
    memo: &Memo,
) -> Result<Vec<GeneratedFile>, GenerateError> {
    let renderer = Renderer::new()?;
    let mut by_module: BTreeMap<(&str, String), Vec<&Modelled<'_>>> = BTreeMap::new();
    for source in sources {
        by_module.entry((source.isa, module_name(source.extensions))).or_default().push(source);
    }
    by_module.values_mut().for_each(|sources| sources.sort_by_key(|source| source.id));
    let made: Vec<Made> = by_module
        .par_iter()
        .map(|((_, name), sources)| {
            memo.try_get_or(|| key_of(&("models", sources)), || module(&renderer, name, sources, formula))
        })
        .collect::<Result<_, _>>()?;
    let sets: Vec<InstructionSet<'_>> = made
        .chunk_by(|one, next| one.module.set == next.module.set)
        .map(|set| InstructionSet {
            name: &set[0].module.set,
            modules: set.iter().map(|made| &made.module).collect(),
        })
        .collect();
    let has_floats = made.iter().any(|made| made.module.has_floats);
    let context = serde_json::json!({ "sets": sets, "has_floats": has_floats });
    let mut files = vec![
        renderer.render("models/Cargo.toml", &context)?,
        renderer.render("models/src/lib.rs", &context)?,
        renderer.render("models/src/bits.rs", &context)?,
    ];
    if has_floats {
        files.push(renderer.render("models/src/float.rs", &serde_json::json!({ "floats": FLOATS }))?);
    }
    for set in &sets {
        let path = format!("models/src/{}/mod.rs", set.name);
        files.push(renderer.render_as("models/src/isa.rs", path, set)?);
    }
    files.extend(check::files(&renderer, &sets, &made)?);
    files.extend(made.into_iter().flat_map(
        |Made { module: Module { set, name, .. }, source, cases, .. }| {
            [
                GeneratedFile { path: format!("models/src/{set}/{name}.rs"), contents: source },
                GeneratedFile { path: format!("models/check/src/cases/{set}_{name}.rs"), contents: cases },
            ]
        },
    ));
    files.sort();
    Ok(files)
}

/// The module of instructions that need the same CPU features.
fn module(
    renderer: &Renderer,
    name: &str,
    sources: &[&Modelled<'_>],
    formula: &(impl Fn(&Function) -> Vec<String> + Sync),
) -> Result<Made, GenerateError> {
    let Modelled { isa, extensions, .. } = sources[0];
    let (mut functions, mut left_out) = (Vec::new(), Vec::new());
    let made: Vec<_> = sources.par_iter().map(|source| (source, model(source, formula))).collect();
    for (source, model) in made {
        match model {
            Ok(function) => functions.push(function),
            Err(why) => left_out.push(format!("`{}`: {}", source.id, why.0)),
        }
    }
    let module = Module {
        set: (*isa).to_owned(),
        feature: format!("{isa}-{}", name.replace('_', "-")),
        name: name.to_owned(),
        extensions: extensions.join(", "),
        count: functions.len(),
        has_floats: calls(&functions, "float::"),
    };
    let reads_bits = calls(&functions, "bits::");
    let own = Functions {
        extensions: &module.extensions,
        reads_bits,
        has_floats: module.has_floats,
        functions: &functions,
        left_out: &left_out,
    };
    Ok(Made {
        source: renderer.render("models/src/module.rs", &own)?.contents,
        cases: check::cases(renderer, &module, &functions)?,
        comparisons: check::comparisons(&module, &functions),
        module,
    })
}

/// Whether a function calls one of that module.
fn calls(functions: &[Model], module: &str) -> bool {
    functions.iter().flat_map(|function| &function.lines).any(|line| line.contains(module))
}

/// The name of the module for CPU features: their names in lower case, `base` for none.
fn module_name(extensions: &[String]) -> String {
    let name = word(&extensions.join("_").to_ascii_lowercase());
    let name = name.split('_').filter(|part| !part.is_empty()).collect::<Vec<_>>().join("_");
    match name.as_bytes().first() {
        None => "base".to_owned(),
        Some(first) if first.is_ascii_digit() => format!("v{name}"),
        Some(_) => name,
    }
}

/// Names that the functions use themselves.
const TAKEN: [&str; 3] = ["bits", "odd", "sum"];

/// A name for an operand that is not in use yet.
fn operand_name(name: &str, taken: &[String]) -> String {
    let mut own = name.to_owned();
    while RUST_WORDS.contains(&own.as_str()) || TAKEN.contains(&own.as_str()) || taken.contains(&own) {
        own.push('_');
    }
    own
}

/// The integer types of an instruction's arguments and of its results as its model has them: for a vector that of its
/// elements. They follow from how its function uses them, since documents seldom say how results are read. Nothing where
/// an operand has none.
pub fn integers(function: &Function, signature: &Signature) -> Option<[Vec<Element>; 2]> {
    let layout = Layout::new(function, signature, &Ranges::new(function)?)?;
    let integers = |shapes: &[Shape]| {
        let integer = |native: Native| Element { width: native.bits, signed: native.signed, float: false };
        shapes.iter().map(|shape| integer(shape.element())).collect()
    };
    Some([integers(&layout.args), integers(&layout.results)])
}

fn model(
    source: &Modelled<'_>,
    formula: &impl Fn(&Function) -> Vec<String>,
) -> Result<Model, body::Unreadable> {
    let function = source.function;
    let ranges = Ranges::new(function).ok_or_else(|| body::Unreadable("a count is no constant".into()))?;
    let layout = Layout::new(function, source.signature, &ranges)
        .ok_or_else(|| body::Unreadable("an operand without a Rust type".into()))?;
    let mut args: Vec<String> = Vec::new();
    for (argument, shape) in source.signature.args.iter().zip(&layout.args) {
        let name = match shape {
            Shape::Immediate { .. } => argument.name.to_ascii_uppercase(),
            _ => argument.name.clone(),
        };
        args.push(operand_name(&name, &args));
    }
    let mut names = args.clone();
    let mut results = Vec::new();
    for result in &source.signature.results {
        let name = operand_name(&result.name, &names);
        names.push(name.clone());
        results.push(name);
    }
    let lines = body::body(function, &layout, &args, &results)?;
    let operands = || args.iter().zip(&layout.args);
    let immediates: Vec<String> = operands()
        .filter(|(_, shape)| matches!(shape, Shape::Immediate { .. }))
        .map(|(name, _)| format!("const {name}: i32"))
        .collect();
    let registers: Vec<String> = operands()
        .filter(|(_, shape)| !matches!(shape, Shape::Immediate { .. }))
        .map(|(name, shape)| format!("{name}: {}", shape.rust()))
        .collect();
    let checks = operands().filter_map(|(name, shape)| match shape {
        Shape::Immediate { low, high } => Some(format!("{low} <= {name} && {name} <= {high}")),
        _ => None,
    });
    let types: Vec<String> = layout.results.iter().map(Shape::rust).collect();
    Ok(Model {
        documentation: documentation(source, formula(function)),
        name: function_name(source),
        generics: if immediates.is_empty() { String::new() } else { format!("<{}>", immediates.join(", ")) },
        arguments: registers.join(", "),
        results: if types.len() == 1 { types.concat() } else { format!("({})", types.join(", ")) },
        checks: checks.collect(),
        lines,
        call: Call {
            id: source.id.to_owned(),
            layout,
            undefined: source.undefined.clone(),
            undefined_for: source.undefined_for.clone(),
            nan_width: nan_width(function),
            has_memory: source.signature.memory().next().is_some(),
            extensions: source.extensions.to_vec(),
        },
    })
}

/// The width of the numbers that a function's operators give, of which some may be NaNs, where all have the same.
fn nan_width(function: &Function) -> u32 {
    let width = |expr: &Expr| match &expr.op {
        Op::Float { float, .. } if float.op.gives_nans() => expr.width.as_constant(),
        _ => None,
    };
    let widths: BTreeSet<i64> = function.exprs().iter().filter_map(width).collect();
    match widths.len() {
        1 => widths.first().and_then(|width| u32::try_from(*width).ok()).unwrap_or(0),
        _ => 0,
    }
}

/// The name of a function: the intrinsic's, or the id where the vendor gives it none.
fn function_name(source: &Modelled<'_>) -> String {
    let name = if source.intrinsic.is_empty() { source.id } else { source.intrinsic };
    operand_name(name, &[])
}

fn documentation(source: &Modelled<'_>, formula: Vec<String>) -> Vec<String> {
    let mnemonics: Vec<String> = source.mnemonics.iter().map(|name| format!("`{name}`")).collect();
    let mut lines = Vec::new();
    if !mnemonics.is_empty() {
        lines.push(format!("{}.", mnemonics.join(", ")));
        lines.push(String::new());
    }
    lines.push("```text".into());
    lines.extend(formula);
    lines.push("```".into());
    for (argument, value) in &source.undefined_for {
        let name = &source.signature.args[*argument].name;
        lines.push(String::new());
        lines.push(format!("The vendor leaves the result undefined where `{name}` is {value}."));
    }
    for (result, low, width) in &source.undefined {
        let name = &source.signature.results[*result].name;
        lines.push(String::new());
        lines.push(format!(
            "The vendor leaves bits {low} to {} of `{name}` undefined; they are 0 here.",
            low + width - 1
        ));
    }
    lines
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn modules_are_called_as_the_extensions() {
        let name =
            |list: &[&str]| module_name(&list.iter().map(|name| (*name).to_owned()).collect::<Vec<_>>());
        assert_eq!(name(&[]), "base");
        assert_eq!(name(&["AVX512BW", "AVX512VL"]), "avx512bw_avx512vl");
        assert_eq!(name(&["SSE4.1"]), "sse4_1");
    }
}
