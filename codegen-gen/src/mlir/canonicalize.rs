//! `mlir/test/canonicalize.mlir`: each equation by which an operation is folded, at one member's types.

use autoir::ValueType;
use serde::Serialize;

use crate::identifier::mlir_type;
use crate::identity::{Condition, Identity, Outcome};
use crate::mlir::example::{Example, shown};
use crate::operation::Operation;
use crate::render::Renderer;
use crate::scheme::Slot;
use crate::{GenerateError, GeneratedFile};

#[derive(Serialize)]
struct Equations {
    cases: Vec<Case>,
}

#[derive(Serialize)]
struct Case {
    /// The equation as a formula.
    text: String,
    /// The function's name.
    name: String,
    /// The function.
    function: String,
    /// What is left of its body, line by line, as FileCheck matches it.
    left: Vec<String>,
}

pub(super) fn test(
    renderer: &Renderer,
    operations: &[Operation<'_>],
) -> Result<GeneratedFile, GenerateError> {
    let cases = operations.iter().flat_map(|operation| {
        let equations = operation.identities().iter().copied().enumerate();
        equations
            .filter_map(|(number, identity)| case(operation, identity, number))
            .chain(constant_to_the_right(operation))
    });
    renderer.render("mlir/test/canonicalize.mlir", &Equations { cases: cases.collect() })
}

/// The function in which equation `number` of an operation applies; `None` for a constant of more than 64 bits.
fn case(operation: &Operation<'_>, identity: Identity, number: usize) -> Option<Case> {
    let (member, facts) = shown(operation)?;
    let mut example = Example::of(operation, &member.application.params, facts);
    let mut lines = Vec::new();
    let mut operands: Vec<String> = example.operands.iter().map(|(name, _)| format!("%{name}")).collect();
    let place = |argument: usize| registers_before(operation, argument);
    match identity.when {
        Condition::Constant { argument, value } => match operation.scheme.args[argument] {
            Slot::Immediate(_) => example.attributes[argument - place(argument)].value = 0,
            _ => {
                let shape = facts.args[argument];
                lines.push(format!("%constant = {}", constant(value.number(shape.element)?, shape)));
                operands[place(argument)] = "%constant".to_owned();
            }
        },
        Condition::Same { argument, other } => operands[place(other)] = operands[place(argument)].clone(),
        Condition::Repeated => {
            lines.push(format!("%inner = {}", used(&example, &operands)));
            operands[0] = "%inner".to_owned();
        }
    }
    let left = match (identity.result, identity.when) {
        // Only the inner one of two.
        (Outcome::Argument(_), Condition::Repeated) => {
            vec![format!("autollvm.{} ", example.name), "return %0".to_owned()]
        }
        (Outcome::Argument(argument), _) => vec![format!("return %arg{}", place(argument))],
        (Outcome::Innermost, _) => vec!["return %arg0".to_owned()],
        (Outcome::Constant(value), _) => {
            let shape = facts.results[0];
            vec![constant(value.number(shape.element)?, shape), "return %0".to_owned()]
        }
    };
    let name = format!("{}_{number}", example.name);
    Some(Case {
        text: identity.text(example.name, operation.arg_names()),
        function: example.function_after(&lines, &name, &used(&example, &operands)),
        name,
        left,
    })
}

/// The function in which the constant operand of a commutative operation is moved.
fn constant_to_the_right(operation: &Operation<'_>) -> Option<Case> {
    /// An operand for which nothing is folded.
    const NUMBER: i64 = 42;
    let (member, facts) = shown(operation)?;
    let example = Example::of(operation, &member.application.params, facts);
    let is_commutative = operation.op.is_commutative() && example.operands.len() == 2;
    let shape = *facts.args.first()?;
    if !is_commutative || shape.element < 8 {
        return None;
    }
    let right = format!("%{}", example.operands[1].0);
    let lines = [format!("%constant = {}", constant(NUMBER, shape))];
    let exchanged = used(&example, &["%constant".to_owned(), right]);
    let name = format!("{}_commutes", example.name);
    Some(Case {
        text: format!("{0}({NUMBER}, b) = {0}(b, {NUMBER})", example.name),
        function: example.function_after(&lines, &name, &exchanged),
        name,
        left: vec![
            constant(NUMBER, shape),
            format!("autollvm.{}{{{{.*}}}} %arg1, %0 :", example.name),
            "return".to_owned(),
        ],
    })
}

/// How many arguments before this one are registers.
fn registers_before(operation: &Operation<'_>, argument: usize) -> usize {
    let before = operation.scheme.args[..argument].iter();
    before.filter(|slot| !matches!(slot, Slot::Immediate(_))).count()
}

/// The operation with these operands.
fn used(example: &Example<'_>, operands: &[String]) -> String {
    let place = |name: &str| example.operands.iter().position(|(own, _)| *own == name);
    example.generic(|name| place(name).map_or_else(String::new, |place| operands[place].clone()))
}

/// The operation that makes a constant of a type.
fn constant(value: i64, shape: ValueType) -> String {
    let number = match shape.element {
        1 => (value != 0).to_string(),
        // As MLIR writes it, so that a test of text matches.
        _ if shape.is_float() => {
            let exponent = value.checked_ilog10().unwrap_or(0);
            format!("{:.6}e+{exponent:02}", value as f64 / 10_f64.powi(exponent as i32))
        }
        _ => value.to_string(),
    };
    let ty = mlir_type(shape);
    match (shape.is_vector(), shape.element) {
        (true, _) => format!("llvm.mlir.constant(dense<{number}> : {ty}) : {ty}"),
        (false, 1) => format!("llvm.mlir.constant({number}) : {ty}"),
        (false, _) => format!("llvm.mlir.constant({number} : {ty}) : {ty}"),
    }
}
