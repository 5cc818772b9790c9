//! Conversions of values between an operation's types and those of the C calling convention.

use std::cmp::Ordering;

use llvm_text::{Block, Instruction, Operand, Scalar, Type, Value};

/// Converts a value to another type: the bits stay, in order; in a wider type the upper bits are arbitrary, in a
/// narrower one they are dropped.
pub(super) fn convert(block: &mut Block, of: Operand, to: &Type) -> Result<Operand, String> {
    if of.ty == *to {
        return Ok(of);
    }
    let known = |ty: &Type| ty.width().ok_or_else(|| format!("there is no conversion to or from {ty}"));
    let (have, want) = (known(&of.ty)?, known(to)?);
    if let Type::Array(count, part) = to {
        return array(block, &of, (*count, part), to);
    }
    match have.cmp(&want) {
        Ordering::Equal => Ok(cast(block, "bitcast", of, to)),
        Ordering::Less => widen(block, of, have, to, want),
        Ordering::Greater => narrow(block, of, have, to, want),
    }
}

/// A value at another type by one instruction.
pub(super) fn cast(block: &mut Block, operator: &'static str, of: Operand, to: &Type) -> Operand {
    Operand::new(to.clone(), block.push(Instruction::cast(operator, of, to.clone())))
}

/// From `have` bits to `want`, which are more.
fn widen(block: &mut Block, of: Operand, have: u32, to: &Type, want: u32) -> Result<Operand, String> {
    // Elements that are poison must not reach others: the vector's elements are cut at the same place.
    let aligned = to.element().is_some_and(|element| have.is_multiple_of(element.width()));
    match of.ty {
        Type::Vector(count, element) => {
            let bits = element.width();
            if (bits >= 8 || bits == 1) && want.is_multiple_of(bits) {
                let above = (!aligned).then_some(count);
                let lanes = (0..want / bits).map(|lane| if lane < count { Some(lane) } else { above });
                let made = shuffle(block, &of, (count, element), lanes.collect());
                return convert(block, made, to);
            }
        }
        Type::Scalar(element) => {
            let bits = element.width();
            if aligned && bits >= 8 && want.is_multiple_of(bits) {
                let ty = Type::Vector(want / bits, element);
                let vector = Operand::new(ty.clone(), Value::poison());
                let index = Operand::index(64, 0);
                let made = block.push(Instruction::InsertElement { vector, element: of, index });
                return convert(block, Operand::new(ty, made), to);
            }
        }
        _ => {}
    }
    let number = convert(block, of, &Type::integer(have))?;
    let wide = cast(block, "zext", number, &Type::integer(want));
    convert(block, wide, to)
}

/// From `have` bits to `want`, which are fewer.
fn narrow(block: &mut Block, of: Operand, have: u32, to: &Type, want: u32) -> Result<Operand, String> {
    let bits = Type::bits(have);
    if to.bit_count().is_some() && of.ty != bits {
        let made = convert(block, of, &bits)?;
        return narrow(block, made, have, to, want);
    }
    if let Type::Vector(count, element) = of.ty {
        let bits = element.width();
        if bits == want {
            let first = first_element(block, of, element);
            return convert(block, first, to);
        }
        if want.is_multiple_of(bits) {
            let made = shuffle(block, &of, (count, element), (0..want / bits).map(Some).collect());
            return convert(block, made, to);
        }
        if matches!(to, Type::Scalar(_)) && bits.is_multiple_of(want) && element.is_integer() {
            let first = first_element(block, of, element);
            return narrow(block, first, bits, to, want);
        }
    }
    let number = convert(block, of, &Type::integer(have))?;
    let narrow = cast(block, "trunc", number, &Type::integer(want));
    convert(block, narrow, to)
}

fn first_element(block: &mut Block, vector: Operand, element: Scalar) -> Operand {
    let index = Operand::index(64, 0);
    Operand::new(Type::Scalar(element), block.push(Instruction::ExtractElement { vector, index }))
}

/// An array of vectors, as several registers are passed: the low elements of a vector.
fn array(
    block: &mut Block,
    of: &Operand,
    (pieces, piece): (u32, &Type),
    to: &Type,
) -> Result<Operand, String> {
    let fail = || format!("there is no conversion of {} to {to}", of.ty);
    let (Type::Vector(count, element), Some(width)) = (&of.ty, piece.width()) else { return Err(fail()) };
    let each = width / element.width();
    if !width.is_multiple_of(element.width()) || each * pieces > *count {
        return Err(fail());
    }
    let mut whole = Operand::new(to.clone(), Value::poison());
    for index in 0..pieces {
        let lanes = (index * each..(index + 1) * each).map(Some).collect();
        let part = shuffle(block, of, (*count, *element), lanes);
        let part = convert(block, part, piece)?;
        whole.value = block.push(Instruction::insert_value(whole.clone(), part, index));
    }
    Ok(whole)
}

/// A vector of chosen elements of another one, which has `count` of them; elements past its end are 0.
fn shuffle(
    block: &mut Block,
    of: &Operand,
    (count, element): (u32, Scalar),
    lanes: Vec<Option<u32>>,
) -> Operand {
    let zeros = lanes.iter().flatten().any(|lane| *lane >= count);
    let other = if zeros { Value::zeros() } else { Value::poison() };
    let ty = Type::Vector(lanes.len() as u32, element);
    Operand::new(ty, block.push(Instruction::shuffle(of.clone(), other, lanes)))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn converted(from: &str, to: &str) -> Result<Vec<String>, String> {
        let mut block = Block::new(".");
        let of = Operand::new(from.parse().unwrap(), Value::local("a"));
        convert(&mut block, of, &to.parse().unwrap())?;
        Ok(block.statements().iter().map(ToString::to_string).collect())
    }

    fn lines(from: &str, to: &str) -> Vec<String> {
        converted(from, to).unwrap()
    }

    #[test]
    fn equal_widths_are_bitcasts() {
        assert_eq!(lines("<16 x i8>", "<2 x i64>"), ["%.0 = bitcast <16 x i8> %a to <2 x i64>"]);
        assert_eq!(lines("<2 x i64>", "<2 x i64>"), Vec::<String>::new());
    }

    #[test]
    fn what_is_above_is_poison_only_where_it_reaches_nothing() {
        let vector = "%.0 = shufflevector <2 x i32> %a, <2 x i32> poison, \
                      <4 x i32> <i32 0, i32 1, i32 poison, i32 poison>";
        assert_eq!(lines("<2 x i32>", "<2 x i64>"), [vector, "%.1 = bitcast <4 x i32> %.0 to <2 x i64>"]);
        assert_eq!(lines("i32", "<4 x float>")[0], "%.0 = insertelement <4 x i32> poison, i32 %a, i64 0");
        let mask = "%.0 = shufflevector <2 x i1> %a, <2 x i1> zeroinitializer, \
                    <4 x i32> <i32 0, i32 1, i32 2, i32 2>";
        assert_eq!(lines("<2 x i1>", "i4"), [mask, "%.1 = bitcast <4 x i1> %.0 to i4"]);
        // The 16-bit elements end inside a 32-bit element.
        let padded = "%.0 = shufflevector <3 x i16> %a, <3 x i16> zeroinitializer, \
                      <4 x i32> <i32 0, i32 1, i32 2, i32 3>";
        assert_eq!(lines("<3 x i16>", "<2 x i32>"), [padded, "%.1 = bitcast <4 x i16> %.0 to <2 x i32>"]);
        assert!(lines("i32", "<2 x i64>")[0].starts_with("%.0 = zext i32"));
    }

    #[test]
    fn bits_of_a_number_are_cut_as_a_vector() {
        let cut = "%.1 = shufflevector <8 x i1> %.0, <8 x i1> poison, <2 x i32> <i32 0, i32 1>";
        assert_eq!(lines("i8", "<2 x i1>"), ["%.0 = bitcast i8 %a to <8 x i1>", cut]);
    }

    #[test]
    fn registers_of_a_tuple() {
        let made = lines("<4 x i8>", "[2 x <2 x i8>]");
        assert_eq!(made.len(), 4);
        assert_eq!(made[3], "%.3 = insertvalue [2 x <2 x i8>] %.1, <2 x i8> %.2, 1");
        assert_eq!(lines("<8 x i8>", "[3 x <2 x i8>]").len(), 6);
        for from in ["i7", "<2 x i8>"] {
            assert!(converted(from, "[2 x <2 x i8>]").is_err());
        }
    }
}
