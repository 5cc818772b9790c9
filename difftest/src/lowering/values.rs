//! Values of one-call programs, and conversions between the types of a prototype and of a definition: none of them
//! needs an instruction.

use llvm_text::{Block, Instruction, Operand, Scalar, Type, Value};

/// The same bits at another type: bits above are dropped, or are poison. Constants stay as they are.
pub(super) fn convert(block: &mut Block, of: Operand, to: &Type) -> Value {
    let (Some(have), Some(want)) = (of.ty.width(), to.width()) else { return of.value };
    if of.ty == *to || matches!(of.value, Value::Constant(_)) {
        return of.value;
    }
    let cast =
        |block: &mut Block, operator, of: Operand| block.push(Instruction::cast(operator, of, to.clone()));
    match (&of.ty, to) {
        (Type::Vector(1, element), Type::Scalar(own)) if element == own => first(block, of),
        (Type::Scalar(own), Type::Vector(1, element)) if element == own => into_first(block, of, to.clone()),
        _ if have == want => cast(block, "bitcast", of),
        (Type::Scalar(own), Type::Scalar(_)) if !own.is_integer() => {
            through(block, of, Type::integer(have), to)
        }
        (Type::Scalar(_), Type::Scalar(own)) if !own.is_integer() => {
            through(block, of, Type::integer(want), to)
        }
        (Type::Scalar(_), Type::Scalar(_)) => cast(block, if have > want { "trunc" } else { "zext" }, of),
        // The first element, or the first elements.
        (Type::Vector(..), Type::Scalar(own)) => match of.ty.of_elements(element(*own)) {
            Some(same) => {
                let of = converted(block, of, &same);
                let number = Operand::new(Type::Scalar(element(*own)), first(block, of));
                convert(block, number, to)
            }
            None => through(block, of, Type::integer(have), to),
        },
        (Type::Scalar(own), Type::Vector(..)) => match to.of_elements(element(*own)) {
            Some(same) => {
                let own = Type::Scalar(element(*own));
                let number = converted(block, of, &own);
                let vector = Operand::new(same.clone(), into_first(block, number, same));
                convert(block, vector, to)
            }
            None => through(block, of, Type::integer(want), to),
        },
        (Type::Vector(count, own), Type::Vector(other, element)) => {
            let (element, known) = if have > want { (*element, *other) } else { (*own, *count) };
            let Some(same) = of.ty.of_elements(element) else { return of.value };
            let of = converted(block, of, &same);
            let lanes = (0..want / element.width()).map(|lane| (lane < known).then_some(lane));
            let made = Operand::new(
                Type::Vector(want / element.width(), element),
                block.push(Instruction::shuffle(of, Value::poison(), lanes)),
            );
            convert(block, made, to)
        }
        _ => of.value,
    }
}

/// The type of an element with the bits of a scalar.
fn element(scalar: Scalar) -> Scalar {
    match scalar {
        Scalar::Mmx => Scalar::Integer(scalar.width()),
        number => number,
    }
}

fn converted(block: &mut Block, of: Operand, to: &Type) -> Operand {
    Operand::new(to.clone(), convert(block, of, to))
}

/// Two conversions.
fn through(block: &mut Block, of: Operand, between: Type, to: &Type) -> Value {
    let of = converted(block, of, &between);
    convert(block, of, to)
}

/// The first element of a vector.
fn first(block: &mut Block, vector: Operand) -> Value {
    block.push(Instruction::ExtractElement { vector, index: Operand::index(64, 0) })
}

/// A vector with a value as its first element.
fn into_first(block: &mut Block, element: Operand, ty: Type) -> Value {
    let vector = Operand::new(ty, Value::poison());
    block.push(Instruction::InsertElement { vector, element, index: Operand::index(64, 0) })
}

/// Concatenated vectors of `each` elements, the first in the lowest bits.
pub(super) fn concatenation(block: &mut Block, (each, element): (u32, Scalar), pieces: &[Value]) -> Operand {
    let count = each * pieces.len() as u32;
    let ty = Type::Vector(count, element);
    let mut whole = Operand::new(ty.clone(), Value::poison());
    for (piece, low) in pieces.iter().zip((0..count).step_by(each as usize)) {
        let piece = Operand::new(Type::Vector(each, element), piece.clone());
        let own = low..low + each;
        let wide = (0..count).map(|at| own.contains(&at).then(|| at - low));
        let wide = block.push(Instruction::shuffle(piece, Value::poison(), wide));
        let both =
            (0..count).map(|at| if at < low { Some(at) } else { own.contains(&at).then_some(count + at) });
        whole.value = block.push(Instruction::shuffle(whole.clone(), wide, both));
    }
    whole
}

/// Whether a type is a vector of integers wider than one bit.
pub fn integers(ty: &Type) -> bool {
    ty.element().is_some_and(Scalar::is_integer) && ty.bit_count().is_none()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn lines(from: &str, to: &str) -> Vec<String> {
        let mut block = Block::new("v");
        convert(&mut block, Operand::new(from.parse().unwrap(), Value::local("a")), &to.parse().unwrap());
        block.statements().iter().map(ToString::to_string).collect()
    }

    #[test]
    fn conversions_keep_the_low_bits() {
        assert_eq!(lines("<2 x i64>", "<16 x i8>"), ["%v0 = bitcast <2 x i64> %a to <16 x i8>"]);
        assert_eq!(lines("<1 x i64>", "i64"), ["%v0 = extractelement <1 x i64> %a, i64 0"]);
        assert_eq!(
            lines("<2 x i64>", "<2 x i8>"),
            [
                "%v0 = bitcast <2 x i64> %a to <16 x i8>",
                "%v1 = shufflevector <16 x i8> %v0, <16 x i8> poison, <2 x i32> <i32 0, i32 1>"
            ]
        );
        assert_eq!(lines("i16", "<4 x i16>"), ["%v0 = insertelement <4 x i16> poison, i16 %a, i64 0"]);
        assert_eq!(lines("float", "i32"), ["%v0 = bitcast float %a to i32"]);
        let seven = convert(&mut Block::new("v"), Operand::index(32, 7), &Type::integer(8));
        assert_eq!(seven, Value::number(7));
    }

    #[test]
    fn the_parts_of_a_tuple_are_one_vector() {
        let mut block = Block::new("v");
        let pieces = ["a", "b"].map(Value::local);
        let whole = concatenation(&mut block, (2, Scalar::Integer(8)), &pieces);
        assert_eq!(whole.to_string(), "<4 x i8> %v3");
        let last = block.statements()[3].to_string();
        assert!(last.ends_with("<4 x i32> <i32 0, i32 1, i32 6, i32 7>"), "{last}");
    }
}
