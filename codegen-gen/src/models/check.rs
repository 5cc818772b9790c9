//! `models/check/`: a program that compares the models with recorded results and with `core::arch`.

use serde::Serialize;

use super::layout::Shape;
use super::model::{Call, InstructionSet, Made, Model, Module};
use crate::render::Renderer;
use crate::{GenerateError, GeneratedFile};

/// Values of each immediate that are tried, at most.
const SAMPLES: i64 = 4;

/// The instruction set that has a module of `core::arch` on the machine that runs the program, and that module.
const CORE_ARCH: (&str, &str) = ("x86", "x86_64");

#[derive(Serialize)]
struct Cases {
    cases: Vec<Case>,
}

/// A function with values for its immediates.
#[derive(Serialize)]
struct Case {
    id: String,
    /// The immediates' values, separated by commas.
    immediates: String,
    /// Bytes of the other arguments, separated by commas.
    sizes: String,
    call: String,
}

/// The program's files, but for those of modules.
pub(super) fn files(
    renderer: &Renderer,
    sets: &[InstructionSet<'_>],
    modules: &[Made],
) -> Result<Vec<GeneratedFile>, GenerateError> {
    let context = serde_json::json!({ "sets": sets, "arch": CORE_ARCH.1 });
    let mut files = vec![
        renderer.render("models/check/Cargo.toml", &context)?,
        renderer.render("models/check/build.rs", &context)?,
        renderer.render("models/check/src/main.rs", &context)?,
    ];
    let lines: String = modules.iter().map(|made| made.comparisons.as_str()).collect();
    files.push(renderer.render("models/check/core_arch.txt", &serde_json::json!({ "lines": lines }))?);
    Ok(files)
}

/// The file that runs a module's functions.
pub(super) fn cases(
    renderer: &Renderer,
    module: &Module,
    functions: &[Model],
) -> Result<String, GenerateError> {
    let mut cases = Vec::new();
    for model in functions {
        let (sizes, arguments) = operands(&model.call);
        cases.extend(samples(&model.call).into_iter().map(|values| Case {
            id: format!("{}/{}", module.set, model.call.id),
            immediates: values.join(","),
            sizes: sizes.clone(),
            call: format!("{}({arguments})", path(module, model, &values)),
        }));
    }
    Ok(renderer.render("models/check/src/cases.rs", &Cases { cases })?.contents)
}

/// Comparisons of a module's functions with `core::arch`, a line each; none for an instruction set that is not in it.
pub(super) fn comparisons(module: &Module, functions: &[Model]) -> String {
    if module.set != CORE_ARCH.0 {
        return String::new();
    }
    functions.iter().flat_map(|model| compared(module, model)).collect()
}

/// A model with its immediates.
fn path(module: &Module, model: &Model, values: &[String]) -> String {
    format!("hydride_models::{}::{}::{}{}", module.set, module.name, model.name, generics(values))
}

fn generics(values: &[String]) -> String {
    // A negative number needs braces.
    let values: Vec<String> = values
        .iter()
        .map(|value| if value.starts_with('-') { format!("{{ {value} }}") } else { value.clone() })
        .collect();
    if values.is_empty() { String::new() } else { format!("::<{}>", values.join(", ")) }
}

fn registers(call: &Call) -> impl Iterator<Item = &Shape> {
    call.layout.args.iter().filter(|shape| !matches!(shape, Shape::Immediate { .. }))
}

/// The bytes of the arguments that are not immediates, and how a call reads them, both separated by commas.
fn operands(call: &Call) -> (String, String) {
    let sizes: Vec<String> = registers(call).map(|shape| (shape.width() / 8).to_string()).collect();
    let arguments = vec!["x.take()"; sizes.len()].join(", ");
    (sizes.join(","), arguments)
}

/// Values for the immediates: from the least to the greatest ones.
fn samples(call: &Call) -> Vec<Vec<String>> {
    let ranges: Vec<(i64, i64)> = call
        .layout
        .args
        .iter()
        .filter_map(|shape| match shape {
            Shape::Immediate { low, high } => Some((*low, *high)),
            _ => None,
        })
        .collect();
    let sample = |step: i64| {
        ranges.iter().map(|(low, high)| (low + (high - low) * step / (SAMPLES - 1)).to_string()).collect()
    };
    let mut values: Vec<Vec<String>> = (0..SAMPLES).map(sample).collect();
    values.dedup();
    values
}

/// Lines that compare a model with the function of that name in `core::arch`: its name, the CPU features, what is
/// undefined, and both calls.
fn compared(module: &Module, model: &Model) -> Vec<String> {
    let call = &model.call;
    if call.has_memory {
        return Vec::new();
    }
    let mut offset = 0;
    let mut starts = Vec::new();
    for shape in &call.layout.args {
        let size = if matches!(shape, Shape::Immediate { .. }) { 0 } else { shape.width() / 8 };
        starts.push((offset, size));
        offset += size;
    }
    let undefined_for: Vec<String> = call
        .undefined_for
        .iter()
        .map(|(argument, value)| format!("({}, {}, {value})", starts[*argument].0, starts[*argument].1))
        .collect();
    let mut offset = 0;
    let result_starts: Vec<u32> = call
        .layout
        .results
        .iter()
        .map(|shape| {
            offset += shape.width();
            offset - shape.width()
        })
        .collect();
    let undefined: Vec<String> = call
        .undefined
        .iter()
        .map(|(result, low, width)| format!("({}, {width})", result_starts[*result] + low))
        .collect();
    let arguments: Vec<String> =
        registers(call).map(|shape| format!("transmute(x.take::<{}>())", shape.rust())).collect();
    let (sizes, own) = operands(call);
    let lines = samples(call).into_iter().map(|values| {
        format!(
            "{feature}\t{name}\t{extensions}\tComparison {{ name: \"{name}{generics}\", sizes: &[{sizes}], undefined: &[{undefined}], \
             undefined_for: &[{undefined_for}], nan_width: {nan_width}, model: |x, to| {path}({own}).put(to), \
             arch: |x, to| unsafe {{ transmute::<_, {result}>(arch::{name}{generics}({arguments})) }}.put(to), \
             available: || {features} }}\n",
            feature = module.feature,
            name = model.name,
            extensions = call.extensions.join(","),
            generics = generics(&values),
            sizes = sizes.replace(',', ", "),
            undefined = undefined.join(", "),
            undefined_for = undefined_for.join(", "),
            nan_width = call.nan_width,
            path = path(module, model, &values),
            result = model.results,
            arguments = arguments.join(", "),
            features = "{features}",
        )
    });
    lines.collect()
}
