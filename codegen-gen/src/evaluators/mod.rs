//! `evaluators/`: operations in executable form: C and Rust with the parameters as run-time values, SMT-LIB
//! with one function for each instance. Instructions with operands in memory are functions on memory ([`memory`]).

mod float;
mod folds;
mod language;
mod memory;
mod number;
mod smt;
mod support;
mod write;

use hydride_ir::Function;
use rayon::prelude::*;
use serde::{Deserialize, Serialize};

use self::language::{C, Language, Rust};
use self::write::{Plan, local_name};
use crate::operation::Operation;
use crate::render::Renderer;
use crate::{GenerateError, GeneratedFile};

pub use self::memory::{MemoryInstruction, memory_evaluators};

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

impl Evaluators {
    /// Functions, and why there are none for others.
    fn new(made: impl Iterator<Item = Result<Evaluator, String>>) -> Self {
        let (mut functions, mut left_out) = (Vec::new(), Vec::new());
        for made in made {
            match made {
                Ok(function) => functions.push(function),
                Err(why) => left_out.push(why),
            }
        }
        let has_floats = functions.iter().any(|function| function.has_floats);
        let indented = |line: &str| if line.is_empty() { "\n".to_owned() } else { format!("    {line}\n") };
        let floats = match has_floats {
            true => std::iter::once("").chain(FLOATS.lines()).map(indented).collect(),
            false => String::new(),
        };
        Self { functions, left_out, has_floats, floats, max_words: hydride_ir::MAX_WIDTH / 64 }
    }
}

/// One operation or instruction.
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
    let made: Vec<_> = operations
        .par_iter()
        .map(|operation| {
            operation.kept("evaluator", || Plan::of(operation).map(|plan| evaluator(operation, &plan)))
        })
        .collect();
    let context = Evaluators::new(operations.iter().zip(made).map(|(operation, made)| {
        made.map_err(|why| format!("operation `{}`: {}", operation.op.name, why.0))
    }));
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
        c_body: unused(plan, plan.body(&C), &C),
        rust_args: args("&[u64]", "u64", "&mut [u64]", "i64", true),
        rust_body: unused(plan, plan.body(&Rust), &Rust),
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
    Ok(unused(&plan, plan.body(&C), &C))
}

/// What [`c_body`] calls: functions in C whose names begin with `al_`.
pub fn c_support() -> Result<String, GenerateError> {
    let context = serde_json::json!({ "max_words": hydride_ir::MAX_WIDTH / 64, "has_floats": true });
    Ok(Renderer::new()?.render("evaluators/words.h", &context)?.contents)
}

/// The body with a mention of each unused argument, to avoid compiler warnings.
fn unused(plan: &Plan, body: String, language: &dyn Language) -> String {
    let word = |c: char| !(c.is_ascii_alphanumeric() || c == '_');
    let used: std::collections::HashSet<&str> = body.split(word).collect();
    let unused = plan.args.iter().filter(|(name, _)| !used.contains(name.as_str()));
    let mentions: String = unused.map(|(name, _)| format!("    {}\n", language.mention(name))).collect();
    mentions + &body
}
