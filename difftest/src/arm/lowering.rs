//! Arm's programs in LLVM assembly: the types of C's values, and the names of instructions.

use llvm_text::{Scalar, Type};
use parsers::{Argument, Instruction};

use super::{DIALECT, MACHINE};
use crate::lowering::{Conventions, Names, Place, Processor, Prototype, documented, passed};
use crate::target::Machine;

/// A processor with the extensions that Neon's intrinsics need.
const PROCESSOR: Processor = Processor {
    triple: "aarch64-unknown-linux-gnu",
    cpu: None,
    features: &[
        "+v8.6a",
        "+sha3",
        "+sm4",
        "+aes",
        "+sha2",
        "+fp16fml",
        "+bf16",
        "+i8mm",
        "+dotprod",
        "+fullfp16",
        "+rdm",
        "+crc",
    ],
};

/// How LLVM's programs use Neon.
pub const CONVENTIONS: Conventions = Conventions {
    dialect: &DIALECT,
    machine: || Ok(Machine { options: MACHINE.options.to_vec(), missing: Box::new(|_| Vec::new()) }),
    read_options: || MACHINE.options.to_vec(),
    inspected: PROCESSOR,
    runs: PROCESSOR,
    syntax: &[],
    names: Names {
        own: documented,
        code,
        is_move: |name| MOVES.contains(&name),
        same: |named, found| named == found || ALIASES.contains(&(found, named)),
        twins: |named, found| TWINS.iter().any(|group| group.contains(&named) && group.contains(&found)),
        copies: |named| named.iter().any(|named| ALIASES.contains(&("mov", named))),
    },
    features: target_features,
    inlined_by_features: true,
    attributes: |_| String::new(),
    place: |instruction, position, ty, _| match c_type(instruction, &instruction.signature.args[position]) {
        Some((Type::Vector(each, element), count)) if count > 1 => {
            Place::Tuple { vector: (each, element), count }
        }
        Some((ty, _)) => Place::Parameter { ty },
        None => Place::Parameter { ty: passed(ty) },
    },
    prototype: Prototype::OfC {
        result: |instruction, result, _, _| {
            let own = c_type(instruction, result).filter(|(_, count)| *count == 1);
            own.map(|(ty, _)| Place::Parameter { ty })
        },
    },
    surroundings: |_| Vec::new(),
    element_types: false,
    whole_registers: false,
    predicates: None,
};

/// The type in LLVM of one of Arm's C types, and of how many registers it is. A scalar is the first element of a
/// vector, unless the document's operands name a general register.
fn c_type(instruction: &Instruction, argument: &Argument) -> Option<(Type, u32)> {
    let name = argument.c_type.strip_suffix("_t")?;
    let digits = name.find(|c: char| c.is_ascii_digit())?;
    let (base, shape) = name.split_at(digits);
    let numbers: Vec<u32> = shape.split('x').map(str::parse).collect::<Result<_, _>>().ok()?;
    let bits = *numbers.first()?;
    let element = match (base, bits) {
        ("float", 16) => Scalar::Half,
        ("float", 32) => Scalar::Float,
        ("float", 64) => Scalar::Double,
        ("bfloat", 16) => Scalar::BFloat,
        _ => Scalar::Integer(bits),
    };
    Some(match numbers[..] {
        [128] => (Type::lanes(2, 64), 1),
        [_] if base.contains("float") || in_general_register(instruction) => (Type::Scalar(element), 1),
        [_] => (Type::Vector(64 / bits, element), 1),
        [_, count] => (Type::Vector(count, element), 1),
        [_, count, registers] => (Type::Vector(count, element), registers),
        _ => return None,
    })
}

/// Whether the document's operands name one of Arm's general registers (`Rn`, `Wd`, `Xm`).
fn in_general_register(instruction: &Instruction) -> bool {
    let general = |operand: &str| {
        let operand = operand.trim().as_bytes();
        matches!(operand, [b'R' | b'r' | b'W' | b'X', b'n' | b'm' | b'd', ..])
    };
    instruction.forms.iter().any(|form| form.operands.split(',').any(general))
}

/// What an instruction needs, as LLVM names it in `target-features`.
fn target_features(instruction: &Instruction) -> Vec<String> {
    let named = |extension: &String| {
        let known = FEATURES.iter().find(|(compiler, _)| compiler == extension);
        known.map_or_else(|| extension.clone(), |(_, feature)| (*feature).to_owned())
    };
    instruction.extensions.iter().map(named).collect()
}

/// Extensions that `-march` and `target-features` name in different ways.
const FEATURES: &[(&str, &str)] = &[("fp16", "fullfp16"), ("fcma", "complxnum")];

/// Instructions that do the same, each group in one line: movements of two elements, selections with another register
/// overwritten, loads and stores of a whole register in the memory's order, and one lane in a vector's or a general register.
const TWINS: &[&[&str]] = &[
    &["trn1", "uzp1", "zip1", "mov"],
    &["trn2", "uzp2", "zip2"],
    &["bsl", "bit", "bif"],
    &["dup", "ext"],
    &["ld1", "ldr"],
    &["st1", "str"],
    &["shl", "lsl"],
    &["sshr", "asr"],
    &["ushr", "lsr"],
    &["fmla", "fmadd"],
    &["fmls", "fmsub"],
];

const MOVES: &[&str] = &["mov", "fmov", "umov", "smov"];

/// Names that the assembler prefers, each with the instruction it is an alias of.
const ALIASES: &[(&str, &str)] = &[
    ("mvn", "not"),
    ("sxtl", "sshll"),
    ("sxtl2", "sshll2"),
    ("uxtl", "ushll"),
    ("uxtl2", "ushll2"),
    ("mov", "ins"),
    ("mov", "dup"),
    ("mov", "umov"),
    ("mov", "orr"),
];

fn code(line: &str) -> Option<String> {
    let name = line.split_whitespace().next()?;
    (name != "ret").then(|| name.to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_preferred_name_is_its_instruction_and_not_the_reverse() {
        let same = CONVENTIONS.names.same;
        assert!(same("ushll", "uxtl") && !same("uxtl", "ushll"));
    }
}
