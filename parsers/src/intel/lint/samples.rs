//! Inputs on which two functions are compared.

use hydride_ir::{Bits, Function};

use super::Evaluate;
use crate::signature::Instruction;

/// Inputs for each comparison.
const INPUTS: u64 = 24;

/// A value for the argument `name` in the input of that number; the same for arguments of the same name and width.
/// Every fourth input has sparse or dense bits instead of random ones.
pub(super) fn value(name: &str, width: u32, input: u64) -> Bits {
    let seed = name.bytes().fold(input.wrapping_mul(0x9E37_79B9_7F4A_7C15), |seed, byte| {
        (seed ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3)
    });
    let mut state = seed;
    let mut next = || {
        state = state.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mut word = state;
        word = (word ^ (word >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        word = (word ^ (word >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        word ^ (word >> 31)
    };
    let words: Vec<u64> = (0..width.div_ceil(64))
        .map(|_| match input % 4 {
            2 => next() & next() & next(),
            3 => next() | next() | next(),
            _ => next(),
        })
        .collect();
    Bits::from_words(width, words)
}

/// The results of an instruction for the inputs, as `argument` gives them; `None` when one cannot be computed.
pub(super) fn results(
    instruction: &Instruction,
    evaluate: &Evaluate<'_>,
    argument: impl Fn(&str, u32, u64) -> Bits,
) -> Option<Vec<Bits>> {
    (0..INPUTS)
        .map(|input| {
            let arguments: Vec<Bits> =
                instruction.signature.args.iter().map(|arg| argument(&arg.name, arg.width, input)).collect();
            evaluate(&instruction.function, &arguments)?.into_iter().next()
        })
        .collect()
}

/// For how many inputs two instructions differ when arguments at the same position are the same; `None` when that
/// cannot be determined.
pub(super) fn differ(left: &Instruction, right: &Instruction, evaluate: &Evaluate<'_>) -> Option<usize> {
    let widths =
        |function: &Function| -> Vec<_> { function.args.iter().map(|arg| arg.width.clone()).collect() };
    if widths(&left.function) != widths(&right.function) {
        return None;
    }
    let by_position = |instruction: &Instruction| {
        let names: Vec<String> = instruction.signature.args.iter().map(|arg| arg.name.clone()).collect();
        results(instruction, evaluate, move |name, width, input| {
            let position = names.iter().position(|known| known == name).unwrap_or(0);
            value(&position.to_string(), width, input)
        })
    };
    let (left, right) = (by_position(left)?, by_position(right)?);
    Some(left.iter().zip(&right).filter(|(left, right)| left != right).count())
}

/// Number of inputs.
pub(super) fn count() -> u64 {
    INPUTS
}
