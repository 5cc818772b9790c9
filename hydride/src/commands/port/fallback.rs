//! Scalar code for what no sequence is found for: an instruction's function, lane by lane, as the evaluators write it.

use std::collections::BTreeSet;
use std::fmt::Write as _;

use hydride_ir::passes::unroll;
use hydride_ir::{Function, Op};
use parsers::{Argument, Instruction, Kind};

use super::call::reads;
use super::sources::letter;

/// Operators of an instruction that gets scalar code, at most.
const MAX_OPERATORS: usize = 20_000;

/// Words that types in C are made of besides those that a header declares.
const C_WORDS: &[&str] = &[
    "void", "char", "short", "int", "long", "signed", "unsigned", "float", "double", "const", "int8_t",
    "uint8_t", "int16_t", "uint16_t", "int32_t", "uint32_t", "int64_t", "uint64_t", "size_t",
];

/// An instruction as scalar code.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Fallback {
    /// The lines of a function's body, between those that make its variables of its parameters and those that return.
    pub body: String,
    /// How many operators it computes, constants and movements of bits not counted.
    pub operators: usize,
}

impl Fallback {
    /// The scalar code of an instruction, or why there is none; `types` declares those that its parameters may have.
    pub fn of(instruction: &Instruction, types: &str) -> Result<Self, String> {
        let signature = &instruction.signature;
        if instruction.accessed.is_some() || instruction.addresses.is_some() {
            return Err("which memory it accesses depends on values".into());
        }
        if signature.results.iter().any(Argument::is_memory) && signature.results.len() > 1 {
            return Err("it stores more than one operand".into());
        }
        let words: BTreeSet<&str> = types.split(|c: char| !is_word(c)).collect();
        let unknown =
            signature.args.iter().chain(&signature.results).find(|own| !declares(&words, &own.c_type));
        if let Some(unknown) = unknown {
            return Err(format!("the header declares no {}", unknown.c_type));
        }
        let function = unroll(&instruction.function).map_err(|error| error.to_string())?;
        let operators = operators(&function);
        if operators > MAX_OPERATORS {
            return Err(format!("it computes {operators} operators"));
        }
        let args: Vec<String> = (0..signature.args.len()).map(|at| letter(at) + "_w").collect();
        let results: Vec<String> = (0..signature.results.len()).map(|at| format!("r{at}_w")).collect();
        let code = codegen_gen::c_body(&function, &results, &args)?;
        let mut body = String::new();
        for (position, arg) in signature.args.iter().enumerate() {
            let (name, word) = (letter(position), &args[position]);
            let bytes = arg.width.div_ceil(8);
            let _ = match arg.kind {
                Kind::Immediate(_) => writeln!(body, "    const uint64_t {word} = (uint64_t)({name});"),
                Kind::Memory { .. } if !reads(instruction, position) => {
                    writeln!(body, "    const uint64_t {word}[1] = {{0}};")
                }
                _ => writeln!(
                    body,
                    "    uint64_t {word}[{}] = {{0}}; __builtin_memcpy({word}, &{name}, {bytes});",
                    arg.width.div_ceil(64)
                ),
            };
        }
        for (result, word) in signature.results.iter().zip(&results) {
            let _ = writeln!(body, "    uint64_t {word}[{}] = {{0}};", result.width.div_ceil(64));
        }
        body += &code;
        let mut place = 0;
        for (result, word) in signature.results.iter().zip(&results) {
            let bytes = result.width.div_ceil(8);
            if !result.is_memory() && result.kind != Kind::Vector {
                // The rest of a scalar's type.
                body += "    __builtin_memset(&result, 0, sizeof result);\n";
            }
            let _ = writeln!(body, "    __builtin_memcpy((char *)&result + {place}, {word}, {bytes});");
            place += bytes;
        }
        Ok(Self { body, operators })
    }
}

fn is_word(c: char) -> bool {
    c.is_ascii_alphanumeric() || c == '_'
}

/// Whether a type is one of C's own, or made of words that a header has: structures of vectors are declared by macros.
fn declares(words: &BTreeSet<&str>, c_type: &str) -> bool {
    let all = || c_type.split(|c: char| !is_word(c)).filter(|word| !word.is_empty());
    let is_there = |word: &str| {
        let short = word.trim_end_matches("_t");
        let vector = ["x2", "x3", "x4"]
            .iter()
            .find_map(|count| short.strip_suffix(count))
            .filter(|own| own.contains('x'));
        [word, short, vector.unwrap_or(word)].iter().any(|own| C_WORDS.contains(own) || words.contains(own))
    };
    all().next().is_some() && all().all(is_there)
}

/// Operators of a function without loops.
fn operators(function: &Function) -> usize {
    let computes = |op: &Op| {
        !matches!(
            op,
            Op::Arg(_) | Op::Const(_) | Op::Int(_) | Op::Extract { .. } | Op::Concat(_) | Op::Cast { .. }
        )
    };
    function.exprs().iter().filter(|expr| computes(&expr.op)).count()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn types_are_those_of_c_and_of_the_header() {
        let words: BTreeSet<&str> = ["uint8x16", "__m128i", "float32_t"].into();
        for known in ["uint8x16_t", "uint8x16x3_t", "__m128i const*", "unsigned char", "float32_t"] {
            assert!(declares(&words, known), "{known}");
        }
        for unknown in ["uint8x8_t", "__m256i", "", "bfloat16_t"] {
            assert!(!declares(&words, unknown), "{unknown}");
        }
    }
}
