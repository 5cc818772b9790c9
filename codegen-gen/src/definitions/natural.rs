//! Vendor functions at the types that they work on.
//!
//! In C a vector of integers has elements of 64 bits; a function on bytes converts its parameters first and its
//! result last. Without these conversions a narrower value can be put into a wider register byte by byte:
//!
//! ```text
//! (<2 x i64> %a0)                                    (<16 x i8> %a0)
//!   %v0 = bitcast <2 x i64> %a0 to <16 x i8>
//!   %v1 = call <16 x i8> @llvm.…(<16 x i8> %v0)        %v1 = call <16 x i8> @llvm.…(<16 x i8> %a0)
//!   %v2 = bitcast <16 x i8> %v1 to <2 x i64>
//!   ret <2 x i64> %v2                                  ret <16 x i8> %v1
//! ```

use llvm_text::{Instruction, Operand, Statement, Type, Value};
use serde::{Deserialize, Serialize};

/// What a caller must know of a function.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct Callee {
    /// The type of its result, a structure of several.
    pub(super) result: Type,
    /// The types of its parameters; immediates, as `i32`, follow them.
    pub(super) params: Vec<Type>,
    /// The number of immediates.
    pub(super) immediates: usize,
}

/// The body of a function at one combination of immediates.
pub(super) struct Body {
    /// The immediates' values.
    pub(super) values: Vec<i64>,
    /// The lines.
    pub(super) lines: Vec<Statement>,
}

/// The parameter of a vendor's function at a position.
pub(super) fn parameter(position: usize) -> Value {
    Value::Local(format!("a{position}"))
}

/// The value of the immediate of a vendor's function at a position among its immediates.
pub(super) fn immediate_parameter(position: usize) -> Value {
    Value::Local(format!("i{position}"))
}

/// Removes conversions of whole parameters and of the result from one vector type to another.
pub(super) fn natural(function: &mut Callee, bodies: &mut [Body]) {
    for (position, ty) in function.params.iter_mut().enumerate() {
        let value = parameter(position);
        if let Some(to) = parameter_type(bodies, &value, ty) {
            for body in &mut *bodies {
                remove_conversions(&mut body.lines, &value, &to);
            }
            *ty = to;
        }
    }
    if let Some(from) = result_type(bodies, &function.result) {
        for body in bodies {
            return_unconverted(&mut body.lines, &function.result);
        }
        function.result = from;
    }
}

/// Whether a type is a vector of numbers.
fn is_vector(ty: &Type) -> bool {
    ty.element().is_some() && ty.bit_count().is_none()
}

/// What an instruction converts by a `bitcast`, and to which type.
fn bitcast(instruction: &Instruction) -> Option<(&Operand, &Type)> {
    match instruction {
        Instruction::Cast { operator: "bitcast", of, to } => Some((of, to)),
        _ => None,
    }
}

/// The vector type to which all uses of a parameter of type `ty` convert it.
fn parameter_type(bodies: &[Body], value: &Value, ty: &Type) -> Option<Type> {
    let mut found: Option<&Type> = None;
    for line in bodies.iter().flat_map(|body| &body.lines) {
        if !line.instruction.locals().contains(value) {
            continue;
        }
        let (of, to) = bitcast(&line.instruction)?;
        if of.ty != *ty || found.is_some_and(|found| found != to) {
            return None;
        }
        found = Some(to);
    }
    found.filter(|to| is_vector(to) && is_vector(ty)).cloned()
}

/// Removes the conversions of a parameter to a type, for whose results it is used itself.
fn remove_conversions(lines: &mut Vec<Statement>, value: &Value, ty: &Type) {
    let mut converted = Vec::new();
    lines.retain_mut(|line| match bitcast(&line.instruction) {
        Some((of, to)) if of.value == *value && to == ty => {
            converted.extend(line.result.take());
            false
        }
        _ => true,
    });
    let own = |other: &Value| if converted.contains(other) { value } else { other }.clone();
    for line in lines {
        line.instruction.replace_locals(own);
    }
}

/// The position of the conversion whose only use is that it is returned at type `result`, and what it converts.
fn returned<'a>(lines: &'a [Statement], result: &Type) -> Option<(usize, &'a Operand)> {
    let mut returns = lines.iter().filter_map(|line| match &line.instruction {
        Instruction::Return(Some(of)) if of.ty == *result => Some(&of.value),
        _ => None,
    });
    let (value, None) = (returns.next()?, returns.next()) else { return None };
    if lines.iter().filter(|line| line.instruction.locals().contains(value)).count() != 1 {
        return None;
    }
    let at = lines.iter().position(|line| line.result.as_ref() == Some(value))?;
    Some((at, bitcast(&lines[at].instruction)?.0))
}

/// The vector type of what all bodies convert to the result.
fn result_type(bodies: &[Body], result: &Type) -> Option<Type> {
    let mut found: Option<&Type> = None;
    for body in bodies {
        let (_, of) = returned(&body.lines, result)?;
        if found.is_some_and(|found| *found != of.ty) {
            return None;
        }
        found = Some(&of.ty);
    }
    found.filter(|from| is_vector(from) && is_vector(result)).cloned()
}

fn return_unconverted(lines: &mut Vec<Statement>, result: &Type) {
    let Some((at, of)) = returned(lines, result) else { return };
    let of = of.clone();
    lines.remove(at);
    for line in lines {
        if matches!(&line.instruction, Instruction::Return(Some(of)) if of.ty == *result) {
            line.instruction = Instruction::Return(Some(of.clone()));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const LINES: [&str; 6] = [
        "%v0 = bitcast <2 x i64> %a0 to <16 x i8>",
        "%v1 = bitcast <2 x i64> %a1 to <16 x i8>",
        "%v2 = add <16 x i8> %v0, %v1",
        "%v3 = xor <16 x i8> %v2, %v0",
        "%v4 = bitcast <16 x i8> %v3 to <2 x i64>",
        "ret <2 x i64> %v4",
    ];

    fn made(lines: &[&str]) -> (Callee, Vec<String>) {
        let words = Type::lanes(2, 64);
        let mut function = Callee { result: words.clone(), params: vec![words; 2], immediates: 0 };
        let lines = lines.iter().map(|line| Statement::read(line)).collect();
        let mut bodies = [Body { values: Vec::new(), lines }];
        natural(&mut function, &mut bodies);
        (function, bodies[0].lines.iter().map(ToString::to_string).collect())
    }

    #[test]
    fn conversions_of_parameters_and_result_go() {
        let (function, lines) = made(&LINES);
        let bytes = Type::lanes(16, 8);
        assert_eq!(function, Callee { result: bytes.clone(), params: vec![bytes; 2], immediates: 0 });
        assert_eq!(
            lines,
            ["%v2 = add <16 x i8> %a0, %a1", "%v3 = xor <16 x i8> %v2, %a0", "ret <16 x i8> %v3"]
        );
    }

    #[test]
    fn a_parameter_that_is_used_at_two_types_stays() {
        let mut lines = LINES;
        lines[3] = "%v3 = and <2 x i64> %a0, %a1";
        assert_eq!(made(&lines).0.params[0], Type::lanes(2, 64));
    }
}
