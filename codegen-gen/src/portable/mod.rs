//! `llvm/portable.ll`: every instance of every operation as an LLVM function on plain vectors and integers,
//! which any target can compile.
//!
//! Elements lie in registers from the lowest bits up, as in the memory of little-endian targets.
//!
//! A body may need the library that comes with a compiler, but no library of mathematical functions: operations on
//! floating-point numbers for which LLVM calls one on some target have none. LLVM 19 has no `bfloat` on Hexagon.
//!
//! A body whose lanes are independent has the function attribute [`LANES`].

mod code;
mod float;
mod fold;
mod lower;
mod register;
mod slices;

use hydride_ir::passes::{dead_code, unroll};
use llvm_text::{Function, Instruction, Operand, Statement, Value};
use rayon::prelude::*;
use serde::{Deserialize, Serialize};

use crate::identifier::{llvm_type, return_type};
use crate::instance::Instance;
use crate::operation::InstanceError;
use crate::operation::Operation;
use crate::render::Renderer;
use crate::scheme::Slot;
use crate::split::split_positions;
use crate::{GenerateError, GeneratedFile};

/// For each result and then each parameter one letter: `s` for a vector that may be split where the operation is, `w`
/// for what is then passed whole, `i` for an immediate, whose type may differ between definitions. `llvm/plugin/` reads
/// it.
const LANES: &str = "autollvm-lanes";

#[derive(Serialize)]
struct Portable {
    functions: Vec<String>,
    /// Instances without a body, with the reason.
    left_out: Vec<String>,
}

/// What is made of an instance.
#[derive(Serialize, Deserialize)]
enum Made {
    /// The functions.
    Functions(String),
    /// Why there are none.
    LeftOut(String),
}

/// The file.
pub(crate) fn file(
    renderer: &Renderer,
    operations: &[Operation<'_>],
) -> Result<GeneratedFile, GenerateError> {
    let made = operations
        .par_iter()
        .map(|operation| {
            operation.kept("portable", || {
                let attributes = attributes(operation);
                let instances = operation.instances();
                instances.iter().map(|instance| definition(operation, instance, &attributes)).collect()
            })
        })
        .collect::<Result<Vec<Vec<Made>>, InstanceError>>()?;
    let mut context = Portable { functions: Vec::new(), left_out: Vec::new() };
    for made in made.into_iter().flatten() {
        match made {
            Made::Functions(text) => context.functions.push(text),
            Made::LeftOut(why) => context.left_out.push(why),
        }
    }
    renderer.render("llvm/portable.ll", &context)
}

/// The attributes of every function of the file.
const COMMON: &str = "#0";

/// The attributes of an operation's bodies.
fn attributes(operation: &Operation<'_>) -> String {
    let Some(split) = split_positions(operation) else { return COMMON.to_owned() };
    let slots = operation.scheme.results.iter().chain(&operation.scheme.args).enumerate();
    let letters = slots.map(|(position, slot)| match slot {
        Slot::Immediate(_) => 'i',
        _ if split.contains(&position) => 's',
        _ => 'w',
    });
    format!("{COMMON} \"{LANES}\"=\"{}\"", letters.collect::<String>())
}

fn definition(
    operation: &Operation<'_>,
    instance: &Instance<'_>,
    attributes: &str,
) -> Result<Made, InstanceError> {
    let Instance { facts, symbol, .. } = instance;
    let function = operation.function_at(instance.params)?;
    if let Err(why) = float::check(function) {
        return Ok(Made::LeftOut(format!("@{symbol}: {why}")));
    }
    let fail = |message: String| InstanceError { op: operation.op.name.clone(), message };
    let names = operation.arg_names();
    let text = match lower::body(function, facts, names, symbol) {
        Some(text) => text,
        None => {
            let flat = unroll(function).map_err(|error| fail(error.to_string()))?;
            lower::body(&dead_code(&flat), facts, names, symbol)
                .ok_or_else(|| fail("a number does not fit 32 bits".to_owned()))?
        }
    };
    let lower::Text { body, tables } = text;
    // Immediates are passed as wide as the intrinsic's operands.
    let mut lines: Vec<Statement> = Vec::new();
    let mut parameters: Vec<Operand> = Vec::with_capacity(names.len());
    for ((shape, name), passed) in facts.args.iter().zip(names).zip(operation.argument_types(facts)) {
        let mut parameter = Operand::new(llvm_type(passed), Value::local(name));
        if passed != *shape {
            let own = std::mem::replace(&mut parameter.value, Value::Local(format!("{name}.wide")));
            let instruction = Instruction::cast("trunc", parameter.clone(), llvm_type(*shape));
            lines.push(Statement { result: Some(own), instruction });
        }
        parameters.push(parameter);
    }
    lines.extend(body);
    let result = return_type(&facts.results);
    let function = |name: &str, attributes: &str, body: &[Statement]| {
        let (linkage, parameters) = ("linkonce_odr", &parameters[..]);
        Function { linkage, result: &result, name, parameters, attributes, body }.to_string()
    };
    let portable = portable_symbol(symbol);
    let call = Instruction::call(result.clone(), portable.as_str(), parameters.clone());
    let called = Operand::new(result.clone(), Value::local("called"));
    let forward = [
        Statement { result: Some(called.value.clone()), instruction: call },
        Statement::without_result(Instruction::Return(Some(called))),
    ];
    let (own, forward) = (function(&portable, attributes, &lines), function(symbol, COMMON, &forward));
    Ok(Made::Functions(format!("{tables}{own}\n{forward}")))
}

/// The name by which a body is called even where the target defines the operation itself:
/// `autollvm.portable.add.v16i8`.
fn portable_symbol(symbol: &str) -> String {
    symbol.replacen("autollvm.", "autollvm.portable.", 1)
}
