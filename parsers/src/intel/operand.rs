//! C types and element types: what the document says about an entry's arguments and result.

use super::document::{Entry, Operand};
use super::tile;
use crate::signature::{Argument, Element, Immediate, Kind};

/// C types with their width in bits and what kind of register holds them; qualifiers are stripped before.
const TYPES: &[(&str, u32, Register)] = &[
    ("__m64", 64, Register::Vector),
    ("__m128i", 128, Register::Vector),
    ("__m256i", 256, Register::Vector),
    ("__m512i", 512, Register::Vector),
    ("__m128", 128, Register::Float(32)),
    ("__m256", 256, Register::Float(32)),
    ("__m512", 512, Register::Float(32)),
    ("__m128d", 128, Register::Float(64)),
    ("__m256d", 256, Register::Float(64)),
    ("__m512d", 512, Register::Float(64)),
    ("__m128h", 128, Register::Float(16)),
    ("__m256h", 256, Register::Float(16)),
    ("__m512h", 512, Register::Float(16)),
    ("__m128bh", 128, Register::Float(16)),
    ("__m256bh", 256, Register::Float(16)),
    ("__m512bh", 512, Register::Float(16)),
    ("__mmask8", 8, Register::Mask),
    ("__mmask16", 16, Register::Mask),
    ("__mmask32", 32, Register::Mask),
    ("__mmask64", 64, Register::Mask),
    ("char", 8, Register::Scalar),
    ("unsigned char", 8, Register::Scalar),
    ("__int8", 8, Register::Scalar),
    ("unsigned __int8", 8, Register::Scalar),
    ("short", 16, Register::Scalar),
    ("unsigned short", 16, Register::Scalar),
    ("__int16", 16, Register::Scalar),
    ("unsigned __int16", 16, Register::Scalar),
    ("int", 32, Register::Scalar),
    ("unsigned", 32, Register::Scalar),
    ("unsigned int", 32, Register::Scalar),
    ("__int32", 32, Register::Scalar),
    ("unsigned __int32", 32, Register::Scalar),
    ("__int64", 64, Register::Scalar),
    ("unsigned __int64", 64, Register::Scalar),
    ("long long", 64, Register::Scalar),
    ("unsigned long long", 64, Register::Scalar),
    ("unsigned long", 64, Register::Scalar),
    ("long", 64, Register::Scalar),
    ("size_t", 64, Register::Scalar),
    ("float", 32, Register::FloatScalar(32)),
    ("double", 64, Register::FloatScalar(64)),
    ("_Float16", 16, Register::FloatScalar(16)),
    ("_Float16 _Complex", 32, Register::FloatScalar(16)),
    ("__bfloat16", 16, Register::FloatScalar(16)),
    ("__bf16", 16, Register::FloatScalar(16)),
    ("_MM_CMPINT_ENUM", 32, Register::Enumeration),
    ("_MM_PERM_ENUM", 32, Register::Enumeration),
    ("_MM_MANTISSA_NORM_ENUM", 32, Register::Enumeration),
    ("_MM_MANTISSA_SIGN_ENUM", 32, Register::Enumeration),
    ("_MM_SWIZZLE_ENUM", 32, Register::Enumeration),
    ("_MM_EXP_ADJ_ENUM", 32, Register::Enumeration),
];

/// Enumerations of immediates with their greatest value.
const ENUMERATIONS: &[(&str, i64)] = &[
    ("_MM_CMPINT", 7),
    ("_MM_CMPINT_ENUM", 7),
    ("_CMP_", 31),
    ("_MM_PERM", 255),
    ("_MM_PERM_ENUM", 255),
    ("_MM_FROUND", 15),
    ("_MM_FROUND_SAE", 8),
    ("_MM_ROUND_MODE", 15),
    ("_MM_REDUCE", 255),
    ("_MM_MANTISSA_NORM", 3),
    ("_MM_MANTISSA_NORM_ENUM", 3),
    ("_MM_MANTISSA_SIGN", 3),
    ("_MM_MANTISSA_SIGN_ENUM", 3),
    ("_MM_INDEX_SCALE", 8),
    ("_MM_SWIZZLE_ENUM", 7),
    ("_MM_EXP_ADJ_ENUM", 7),
];

#[derive(Clone, Copy, PartialEq, Eq)]
enum Register {
    Vector,
    /// A vector of floating-point elements of that width.
    Float(u32),
    Mask,
    Scalar,
    FloatScalar(u32),
    Enumeration,
}

/// Why an entry's types cannot be used.
pub(super) enum TypeError {
    /// An array, or a pointer to a pointer.
    Memory(String),
    /// Nothing is returned.
    Void,
    /// A type that is not in the table.
    Unknown(String),
}

/// The argument (or result) of an operand. An immediate's width and range are those documented;
/// `read` is the number of bits of it that the operation was seen to read, or of memory to access.
pub(super) fn argument(entry: &Entry, operand: &Operand, read: u32) -> Result<Argument, TypeError> {
    let forms = &entry.forms;
    let c_type = operand.c_type.trim();
    if tile::is_tile(entry, operand) {
        return Ok(Argument {
            name: operand.name.clone(),
            c_type: c_type.to_owned(),
            width: tile::BITS,
            kind: Kind::Vector,
            element: element(&operand.element),
        });
    }
    if c_type.ends_with('*') {
        return Ok(Argument {
            name: operand.name.clone(),
            c_type: c_type.to_owned(),
            width: read,
            kind: Kind::Memory {
                align: alignment(entry),
                element: None,
                non_temporal: is_non_temporal(entry),
            },
            element: element(&operand.element),
        });
    }
    if c_type.contains(['*', '[']) {
        return Err(TypeError::Memory(c_type.to_owned()));
    }
    if c_type == "void" {
        return Err(TypeError::Void);
    }
    let words: Vec<&str> = c_type.split_whitespace().collect();
    let constant = words.iter().any(|word| matches!(*word, "const" | "constexpr"));
    let plain: Vec<&str> = words.into_iter().filter(|word| !matches!(*word, "const" | "constexpr")).collect();
    let plain = plain.join(" ");
    let (_, width, register) = TYPES
        .iter()
        .find(|(name, ..)| *name == plain)
        .ok_or_else(|| TypeError::Unknown(c_type.to_owned()))?;
    let float = match register {
        Register::Float(width) | Register::FloatScalar(width) => Some(*width),
        _ => None,
    };
    let documented = element(&operand.element);
    let element = match (documented, float) {
        (Some(element), _) if element.float => Some(element),
        (_, Some(width)) => Some(Element { width, signed: true, float: true }),
        (documented, None) => documented,
    };
    let immediate = operand.element == "IMM"
        || operand.immediate_width.is_some()
        || !operand.immediate_type.is_empty()
        || *register == Register::Enumeration
        || constant;
    let scalar = matches!(register, Register::Scalar | Register::Enumeration);
    let (width, kind) = if immediate && scalar {
        let enumeration = [operand.immediate_type.as_str(), plain.as_str()]
            .iter()
            .find_map(|name| ENUMERATIONS.iter().find(|(known, _)| known == name))
            .map(|(_, high)| *high);
        let enumerated = enumeration.map_or(0, |high| 64 - high.leading_zeros());
        let documented = operand.immediate_width.unwrap_or(if enumeration.is_some() { 0 } else { 8 });
        let bits = documented.max(read).clamp(1, *width);
        let high = match enumeration {
            Some(high) if bits <= enumerated => high,
            _ => i64::try_from((1u128 << bits) - 1).unwrap_or(i64::MAX),
        };
        let range = match embedded_control(operand, forms) {
            Some((low, high)) => Immediate { low, high },
            None => Immediate { low: 0, high },
        };
        ((*width).min(bits.max(enumerated).max(8)), Kind::Immediate(range))
    } else {
        let kind = match register {
            Register::Vector | Register::Float(_) => Kind::Vector,
            Register::Mask => Kind::Mask,
            Register::Scalar | Register::FloatScalar(_) | Register::Enumeration => Kind::Scalar,
        };
        (*width, kind)
    };
    Ok(Argument { name: operand.name.clone(), c_type: c_type.to_owned(), width, kind, element })
}

/// The number of bytes that divides an entry's pointers, as its description says.
pub(super) fn alignment(entry: &Entry) -> u32 {
    let text = entry.description.as_ref().map(|text| text.text.as_str()).unwrap_or_default();
    let words: Vec<&str> = text.split_whitespace().collect();
    let stated = words.windows(5).find_map(|words| match words {
        ["be", "aligned", "on", "a" | "an", bytes] => bytes.strip_suffix("-byte")?.parse::<u32>().ok(),
        _ => None,
    });
    stated.filter(|bytes| bytes.is_power_of_two()).unwrap_or(1)
}

/// Whether the description says that memory is accessed with a hint not to fill caches.
fn is_non_temporal(entry: &Entry) -> bool {
    entry.description.as_ref().is_some_and(|text| text.text.contains("non-temporal"))
}

/// The values of an argument that states an instruction's `{er}` or `{sae}`: the direction of MXCSR (4), or none of
/// the exceptions (8) with a direction.
fn embedded_control(operand: &Operand, forms: &[(String, String)]) -> Option<(i64, i64)> {
    let marked = |mark: &str| forms.iter().any(|(_, operands)| operands.contains(mark));
    match &*operand.immediate_type {
        "_MM_FROUND" if marked("{er}") => Some((8, 11)),
        "_MM_FROUND_SAE" => Some((8, 8)),
        _ => None,
    }
}

/// The position of the argument that states an entry's rounding mode.
pub(super) fn rounding(entry: &Entry) -> Option<usize> {
    let states = |parameter: &&Operand| parameter.c_type.trim() != "void";
    let mut parameters = entry.parameters.iter().filter(states);
    parameters.position(|parameter| matches!(&*parameter.immediate_type, "_MM_FROUND" | "_MM_ROUND_MODE"))
}

/// The element that an `etype` names.
fn element(name: &str) -> Option<Element> {
    let digits = name.trim_start_matches(|c: char| c.is_ascii_alphabetic());
    let width = digits.parse().ok().filter(|width| (1..=512).contains(width))?;
    match &name[..name.len() - digits.len()] {
        "UI" => Some(Element { width, signed: false, float: false }),
        "SI" => Some(Element { width, signed: true, float: false }),
        "FP" | "BF" => Some(Element { width, signed: true, float: true }),
        _ => None,
    }
}

/// Gives every argument and result a unique name: the second `x` becomes `x_2`.
pub(super) fn make_unique<'a>(operands: impl Iterator<Item = &'a mut Argument>) {
    let mut taken: Vec<String> = Vec::new();
    for operand in operands {
        if operand.name.is_empty() {
            operand.name = "unnamed".to_owned();
        }
        let base = operand.name.clone();
        let mut count = 1;
        while taken.contains(&operand.name) {
            count += 1;
            operand.name = format!("{base}_{count}");
        }
        taken.push(operand.name.clone());
    }
}
