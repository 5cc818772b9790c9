//! The functions of the C header in LLVM assembly: a definition's lines between loads and stores.
//!
//! ```text
//! define void @autollvm_abs_v16i8(ptr %.res.0, ptr %.in.0) nounwind "target-features"="+ssse3" {
//!   %a = load <16 x i8>, ptr %.in.0, align 1
//!   %.0 = call <16 x i8> @x86._mm_abs_epi8(<16 x i8> %a)
//!   store <16 x i8> %.0, ptr %.res.0, align 1
//!   ret void
//! }
//! ```
//!
//! All loads come before all stores, so that arrays may overlap. Pointers to operands in memory are passed on: what is
//! accessed through them, and what not, is the definition's.

use llvm_text::{Block, Function, Instruction, Operand, Type, Value};

use super::prototype::{Passing, Prototype};
use crate::definitions::{Callable, target_features};

/// A truth value in memory.
const BOOL: u32 = 8;

/// The function of that name in C.
pub(super) fn text(callable: &Callable, prototype: &Prototype, name: &str) -> String {
    let mut block = Block::new(".c");
    let mut parameters: Vec<Operand> = Vec::new();
    let results: Vec<Value> =
        (0..prototype.results.len()).map(|at| Value::Local(format!(".res.{at}"))).collect();
    parameters.extend(results.iter().map(|pointer| Operand::new(Type::Pointer, pointer.clone())));
    for (at, (own, (_, passing))) in callable.parameters.iter().zip(&prototype.arguments).enumerate() {
        let passed = Value::Local(format!(".in.{at}"));
        parameters.push(argument(&mut block, &own.own, *passing, passed));
    }
    let (last, lines) = match callable.lines.split_last() {
        Some((last, lines)) => (Some(&last.instruction), lines),
        None => (None, &[][..]),
    };
    block.extend(lines.iter().cloned());
    if let Some(Instruction::Return(Some(returned))) = last {
        leave(&mut block, returned, prototype, &results);
    }
    block.add(Instruction::Return(None));
    let features =
        target_features(&callable.features).map_or_else(String::new, |features| format!(" {features}"));
    let function = Function {
        linkage: "",
        result: &Type::Void,
        name,
        parameters: &parameters,
        attributes: &format!("nounwind{features}"),
        body: block.statements(),
    };
    function.to_string()
}

/// Defines a parameter of the definition from what C passes, and gives that.
fn argument(block: &mut Block, own: &Operand, passing: Passing, passed: Value) -> Operand {
    match passing {
        Passing::Value(number) if own.ty == Type::Scalar(number.scalar()) => own.clone(),
        Passing::Value(number) => {
            let passed = Operand::new(Type::Scalar(number.scalar()), passed);
            let operator = if own.ty.integer_width().is_some() { "trunc" } else { "bitcast" };
            block.define(own.value.clone(), Instruction::cast(operator, passed.clone(), own.ty.clone()));
            passed
        }
        Passing::Memory { .. } => own.clone(),
        Passing::Array { element, .. } => {
            let align = Some(element.bits() / 8);
            let load = Instruction::Load { ty: own.ty.clone(), pointer: passed.clone(), align };
            block.define(own.value.clone(), load);
            Operand::new(Type::Pointer, passed)
        }
        Passing::Mask { lanes } => {
            let bytes = Type::Vector(lanes, llvm_text::Scalar::Integer(BOOL));
            let load =
                Instruction::Load { ty: bytes.clone(), pointer: passed.clone(), align: Some(BOOL / 8) };
            let read = block.push(load);
            block.define(own.value.clone(), Instruction::compare("ne", bytes, read, Value::zeros()));
            Operand::new(Type::Pointer, passed)
        }
    }
}

/// Writes what the definition returns to the arrays of the results.
fn leave(block: &mut Block, returned: &Operand, prototype: &Prototype, results: &[Value]) {
    let parts = returned.ty.parts();
    for (index, ((part, (_, passing)), pointer)) in
        (0..).zip(parts.iter().zip(&prototype.results).zip(results))
    {
        let value = match returned.ty {
            Type::Structure(_) => block.push(Instruction::extract_value(returned.clone(), index)),
            _ => returned.value.clone(),
        };
        let value = Operand::new(part.clone(), value);
        let (of, bits) = match *passing {
            Passing::Mask { lanes } => {
                let bytes = match part {
                    Type::Scalar(_) => Type::integer(BOOL),
                    _ => Type::Vector(lanes, llvm_text::Scalar::Integer(BOOL)),
                };
                (Operand::new(bytes.clone(), block.push(Instruction::cast("zext", value, bytes))), BOOL)
            }
            Passing::Array { element: number, .. } | Passing::Value(number) => (value, number.bits()),
            // What is stored is no result of the function in C.
            Passing::Memory { .. } => continue,
        };
        block.add(Instruction::Store { of, pointer: pointer.clone(), align: Some(bits / 8) });
    }
}
