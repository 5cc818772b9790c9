//! How C calls the functions of a header: with the vendor's types.

use ::search::Syntax;
use hydride_ir::Op;
use parsers::Instruction;

use super::sources::{is_float, letter};

/// A function of a header.
pub struct Written<'a> {
    /// What it does.
    pub instruction: &'a Instruction,
    /// The type that it returns.
    pub result: String,
    /// The operators of its scalar code, where it has some.
    pub scalar: Option<usize>,
    /// The immediates of its sequences.
    pub choices: Vec<&'a [i64]>,
}

/// The type that the call returns.
pub fn result_type(instruction: &Instruction, syntax: &dyn Syntax) -> Option<String> {
    let results = &instruction.signature.results;
    let first = &results.first()?.c_type;
    match results.len() {
        _ if results.iter().any(parsers::Argument::is_memory) => Some("void".into()),
        1 => Some(first.clone()),
        // Several registers of one type are a structure of them.
        count => {
            syntax.structure(first, count).filter(|_| results.iter().all(|result| result.c_type == *first))
        }
    }
}

/// The parameters' declarations.
pub fn parameters(instruction: &Instruction) -> String {
    let declared = |(arg, name): (&parsers::Argument, String)| format!("{} {name}", arg.c_type);
    let all: Vec<String> = instruction.signature.args.iter().zip(names(instruction)).map(declared).collect();
    if all.is_empty() { "void".into() } else { all.join(", ") }
}

/// The parameters as they are passed on.
pub fn arguments(instruction: &Instruction) -> String {
    names(instruction).collect::<Vec<_>>().join(", ")
}

/// The parameters' names: those that bodies know them by, but for scalars that are no integers and for pointers an
/// underscore more.
pub fn names(instruction: &Instruction) -> impl Iterator<Item = String> {
    let name = |(position, arg): (usize, &parsers::Argument)| {
        format!("{}{}", letter(position), if is_float(arg) || arg.is_memory() { "_" } else { "" })
    };
    instruction.signature.args.iter().enumerate().map(name)
}

/// Whether a function reads an argument.
pub fn reads(instruction: &Instruction, position: usize) -> bool {
    let exprs = instruction.function.exprs();
    exprs.iter().any(|expr| matches!(expr.op, Op::Arg(arg) if arg.0 as usize == position))
}
