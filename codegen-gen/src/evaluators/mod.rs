//! `evaluators/`: operations in executable form: C and Rust with the parameters as run-time values, SMT-LIB
//! with one function for each instance.

mod float;
mod folds;
mod language;
mod number;
mod smt;
mod support;
mod write;

use hydride_ir::Function;
use rayon::prelude::*;
use serde::{Deserialize, Serialize};

use self::language::{C, Rust};
use self::write::{Plan, local_name};
use crate::operation::Operation;
use crate::render::Renderer;
use crate::{GenerateError, GeneratedFile};

pub(crate) use self::number::number;
pub(crate) use self::write::nan_rule;

/// Operators on floating-point numbers in Rust, as functions of bits.
pub(crate) const FLOATS: &str = include_str!("../../../templates/float.rs");

/// What the templates of C and Rust need.
#[derive(Serialize)]
struct Evaluators {
    functions: Vec<Evaluator>,
    /// Operations that could not be written, with the reason.
    left_out: Vec<String>,
    /// Whether a function needs the operators on floating-point numbers.
    has_floats: bool,
    /// Those in Rust, if there are any.
    floats: String,
    /// Words of the widest value.
    max_words: u32,
}

/// One operation.
#[derive(Serialize, Deserialize)]
struct Evaluator {
    documentation: Vec<String>,
    c_name: String,
    c_args: String,
    c_body: String,
    rust_name: String,
    rust_args: String,
    rust_body: String,
    has_floats: bool,
}

/// The files in C, Rust and SMT-LIB.
pub(crate) fn files(
    renderer: &Renderer,
    operations: &[Operation<'_>],
) -> Result<Vec<GeneratedFile>, GenerateError> {
    let mut context = Evaluators {
        functions: Vec::new(),
        left_out: Vec::new(),
        has_floats: false,
        floats: String::new(),
        max_words: hydride_ir::MAX_WIDTH / 64,
    };
    let made: Vec<_> = operations
        .par_iter()
        .map(|operation| {
            operation.kept("evaluator", || Plan::of(operation).map(|plan| evaluator(operation, &plan)))
        })
        .collect();
    for (operation, made) in operations.iter().zip(made) {
        match made {
            Ok(function) => {
                context.has_floats |= function.has_floats;
                context.functions.push(function);
            }
            Err(why) => context.left_out.push(format!("operation `{}`: {}", operation.op.name, why.0)),
        }
    }
    if context.has_floats {
        let indented = |line: &str| if line.is_empty() { "\n".to_owned() } else { format!("    {line}\n") };
        context.floats = std::iter::once("").chain(FLOATS.lines()).map(indented).collect();
    }
    let mut files = vec![
        renderer.render("evaluators/autollvm.h", &context)?,
        renderer.render("evaluators/autollvm.rs", &context)?,
    ];
    let smt = operations.par_iter().map(|operation| smt::file(renderer, operation));
    files.extend(smt.collect::<Result<Vec<GeneratedFile>, GenerateError>>()?);
    Ok(files)
}

fn evaluator(operation: &Operation<'_>, plan: &Plan) -> Evaluator {
    let name = local_name(&operation.op.name);
    let args = |array: &str, word: &str, written: &str, number: &str, after: bool| {
        let one = |name: &String, kind: &str| {
            if after { format!("{name}: {kind}") } else { format!("{kind}{name}") }
        };
        let results = plan.results.iter().map(|name| one(name, written));
        let args = plan.args.iter().map(|(name, immediate)| one(name, if *immediate { word } else { array }));
        let params = plan.param_names.iter().map(|name| one(name, number));
        results.chain(args).chain(params).collect::<Vec<_>>().join(", ")
    };
    let mut documentation = vec![format!("The operation `{}`.", operation.op.name), String::new()];
    documentation
        .extend(plan.documentation(&operation.op.param_kinds).into_iter().map(|line| format!("- {line}")));
    Evaluator {
        documentation,
        c_args: args("const uint64_t *", "uint64_t ", "uint64_t *", "int64_t ", false),
        c_body: unused(plan, plan.body(&C), |name| format!("(void){name};")),
        rust_args: args("&[u64]", "u64", "&mut [u64]", "i64", true),
        rust_body: unused(plan, plan.body(&Rust), |name| format!("let _ = {name};")),
        c_name: operation.op.name.clone(),
        rust_name: name,
        has_floats: plan.has_floats(),
    }
}

/// The body in C of what a function computes, indented by four: names of its results and arguments are arrays of 64-bit
/// words, least significant first, as many as their bits need; immediates are single words. Bits above an argument's width
/// are ignored and those above a result's are 0; results must be other arrays than arguments. It needs [`c_support`]. Where
/// it cannot be written, why.
pub fn c_body(function: &Function, results: &[String], args: &[String]) -> Result<String, String> {
    let plan = Plan::of_function(function, results.to_vec(), args.to_vec()).map_err(|why| why.0)?;
    Ok(unused(&plan, plan.body(&C), |name| format!("(void){name};")))
}

/// What [`c_body`] calls: functions in C whose names begin with `al_`.
pub fn c_support() -> Result<String, GenerateError> {
    let context = serde_json::json!({ "max_words": hydride_ir::MAX_WIDTH / 64, "has_floats": true });
    Ok(Renderer::new()?.render("evaluators/words.h", &context)?.contents)
}

/// The body with a mention of each unused argument, to avoid compiler warnings.
fn unused(plan: &Plan, body: String, mention: impl Fn(&str) -> String) -> String {
    let word = |c: char| !(c.is_ascii_alphanumeric() || c == '_');
    let used: std::collections::HashSet<&str> = body.split(word).collect();
    let unused = plan.args.iter().filter(|(name, _)| !used.contains(name.as_str()));
    let mentions: String = unused.map(|(name, _)| format!("    {}\n", mention(name))).collect();
    mentions + &body
}
