//! Where programs of one call have an instruction's arguments and result: what the vendor's C type is in LLVM, and
//! which registers or memory the document's operands are.

use parsers::{Argument, Instruction, Isa, Kind};

use super::program::{Setting, Surroundings, bits};
use super::values::{elements, integers, width};
use crate::x86;

/// The bits of Hexagon's predicate registers.
pub(super) const PREDICATE: u32 = 128;

/// Where a value is.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Place {
    /// A parameter of the function, or what it returns.
    Parameter { ty: String },
    /// A register that no C type has, by its constraint in LLVM's words.
    Register { ty: String, constraint: String },
    /// Memory, where the instruction reads nothing else.
    Memory { ty: String },
    /// Several registers, each a parameter.
    Tuple { ty: String, count: u32 },
}

/// The place of an argument that is no immediate; `ty` is its type in the definition.
pub(super) fn place(
    isa: Isa,
    instruction: &Instruction,
    position: usize,
    ty: &str,
    setting: Setting,
) -> Place {
    let argument = &instruction.signature.args[position];
    match isa {
        Isa::Hvx => match bits(ty) {
            Some(PREDICATE) => Place::Register { ty: ty.to_owned(), constraint: "q".to_owned() },
            _ => Place::Parameter { ty: passed(ty) },
        },
        Isa::X86 => {
            if let Some(ty) = mask(instruction, argument, ty) {
                return Place::Register { ty, constraint: "k".to_owned() };
            }
            let ty = x86_type(argument, ty, setting.elements).unwrap_or_else(|| passed(ty));
            if in_memory(instruction, position) {
                return Place::Memory { ty };
            }
            let register = match width(&ty) {
                Some(128) => "xmm",
                Some(256) => "ymm",
                _ => "zmm",
            };
            if setting.surroundings == Surroundings::Registers && elements(&ty).is_some() {
                return Place::Register { ty, constraint: format!("{{{register}{}}}", 16 + position % 16) };
            }
            Place::Parameter { ty }
        }
        Isa::Arm => match arm_type(instruction, argument) {
            Some((ty, 1)) => Place::Parameter { ty },
            Some((ty, count)) => Place::Tuple { ty, count },
            None => Place::Parameter { ty: passed(ty) },
        },
    }
}

/// The place of the result of x86 and Arm, whose type in the definition is `ty`.
pub(super) fn result_place(isa: Isa, instruction: &Instruction, ty: &str, setting: Setting) -> Place {
    let whole = || Place::Tuple { ty: ty.to_owned(), count: 1 };
    let [result] = &instruction.signature.results[..] else { return whole() };
    if ty.starts_with('{') {
        return whole();
    }
    let own = match isa {
        Isa::X86 => {
            if let Some(ty) = mask(instruction, result, ty) {
                return Place::Register { ty, constraint: "k".to_owned() };
            }
            x86_type(result, ty, setting.elements)
        }
        Isa::Arm => arm_type(instruction, result).filter(|(_, count)| *count == 1).map(|(ty, _)| ty),
        Isa::Hvx => None,
    };
    Place::Parameter { ty: own.filter(|own| width(own) >= width(ty)).unwrap_or_else(|| passed(ty)) }
}

/// The type of an argument in one of x86's mask registers.
fn mask(instruction: &Instruction, argument: &Argument, ty: &str) -> Option<String> {
    if !x86::has_masks(instruction) {
        return None;
    }
    match bits(ty) {
        Some(8 | 16 | 32 | 64) => Some(ty.to_owned()),
        None if argument.c_type.starts_with("__mmask") => {
            Some(format!("<{} x i1>", ty.trim_start_matches('i')))
        }
        _ => None,
    }
}

/// Whether an argument is in memory: all forms read one operand, and that from there.
fn in_memory(instruction: &Instruction, position: usize) -> bool {
    let argument = &instruction.signature.args[position];
    let memory = format!("m{}", argument.width);
    let reads = |operands: &str| operands.split_once(',').is_some_and(|(_, source)| source.trim() == memory);
    let last = instruction.signature.args.iter().rposition(|arg| arg.kind == Kind::Vector);
    last == Some(position)
        && !instruction.forms.is_empty()
        && instruction.forms.iter().all(|form| reads(&form.operands))
}

/// The elements of x86's vector types, by the ending of their names.
const X86_ELEMENTS: &[(&str, &str, u32)] =
    &[("i", "i64", 64), ("d", "double", 64), ("bh", "bfloat", 16), ("h", "half", 16), ("", "float", 32)];

/// The type in LLVM of one of x86's C types; with `own` that of a vector of integers has the definition's. What
/// is a number there is one here.
fn x86_type(argument: &Argument, ty: &str, own: bool) -> Option<String> {
    if matches!(argument.c_type.as_str(), "float" | "double") {
        return Some(argument.c_type.clone());
    }
    let name = argument.c_type.strip_prefix("__m")?;
    let ending = name.trim_start_matches(|c: char| c.is_ascii_digit());
    let bits: u32 = name[..name.len() - ending.len()].parse().ok().filter(|bits| *bits > 64)?;
    let (_, element, size) = X86_ELEMENTS.iter().find(|(own, ..)| *own == ending)?;
    if ending == "i" && elements(ty).is_none() {
        return None;
    }
    let same = own && ending == "i" && width(ty) == Some(bits) && integers(ty);
    Some(if same { ty.to_owned() } else { format!("<{} x {element}>", bits / size) })
}

/// The type in LLVM of one of Arm's C types, and of how many registers it is. A scalar is the first element of a
/// vector, unless the document's operands name a general register.
fn arm_type(instruction: &Instruction, argument: &Argument) -> Option<(String, u32)> {
    let name = argument.c_type.strip_suffix("_t")?;
    let digits = name.find(|c: char| c.is_ascii_digit())?;
    let (base, shape) = name.split_at(digits);
    let numbers: Vec<u32> = shape.split('x').map(str::parse).collect::<Result<_, _>>().ok()?;
    let bits = *numbers.first()?;
    let element = match (base, bits) {
        ("float", 16) => "half".to_owned(),
        ("float", 32) => "float".to_owned(),
        ("float", 64) => "double".to_owned(),
        ("bfloat", 16) => "bfloat".to_owned(),
        _ => format!("i{bits}"),
    };
    Some(match numbers[..] {
        [128] => ("<2 x i64>".to_owned(), 1),
        [_] if base.contains("float") || in_general_register(instruction) => (element, 1),
        [_] => (format!("<{} x {element}>", 64 / bits), 1),
        [_, count] => (format!("<{count} x {element}>"), 1),
        [_, count, registers] => (format!("<{count} x {element}>"), registers),
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

/// A definition's type as a parameter: bits and wide numbers are vectors of words.
fn passed(ty: &str) -> String {
    let number: Option<u32> = bits(ty).or_else(|| ty.strip_prefix('i')?.parse().ok());
    match number {
        Some(count) if count > 64 && count.is_multiple_of(64) => format!("<{} x i64>", count / 64),
        Some(count) => format!("i{count}"),
        None => ty.to_owned(),
    }
}
