//! Types.

use std::fmt;
use std::str::FromStr;

use serde::{Deserialize, Serialize};

use crate::read::split_list;

/// A type of one element.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Scalar {
    /// An integer of so many bits.
    Integer(u32),
    /// 16 bits: 5 of the exponent, 10 of the fraction.
    Half,
    /// 16 bits: 8 of the exponent, 7 of the fraction.
    BFloat,
    /// 32 bits.
    Float,
    /// 64 bits.
    Double,
    /// An MMX register, 64 bits.
    Mmx,
}

impl Scalar {
    /// The width in bits.
    pub fn width(self) -> u32 {
        match self {
            Self::Integer(width) => width,
            Self::Half | Self::BFloat => 16,
            Self::Float => 32,
            Self::Double | Self::Mmx => 64,
        }
    }

    /// Whether it is an integer.
    pub fn is_integer(self) -> bool {
        matches!(self, Self::Integer(_))
    }

    fn mangled(self) -> String {
        match self {
            Self::Integer(width) => format!("i{width}"),
            Self::Half => "f16".to_owned(),
            Self::BFloat => "bf16".to_owned(),
            Self::Float => "f32".to_owned(),
            Self::Double => "f64".to_owned(),
            Self::Mmx => "x86mmx".to_owned(),
        }
    }

    /// The type in MLIR, which writes numbers as mangled names do; `None` if MLIR has none.
    fn mlir(self) -> Option<String> {
        (self != Self::Mmx).then(|| self.mangled())
    }
}

impl fmt::Display for Scalar {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Integer(width) => write!(out, "i{width}"),
            Self::Half => out.write_str("half"),
            Self::BFloat => out.write_str("bfloat"),
            Self::Float => out.write_str("float"),
            Self::Double => out.write_str("double"),
            Self::Mmx => out.write_str("x86_mmx"),
        }
    }
}

/// A type. In text: `void`, `ptr`, `i32`, `<4 x i32>`, `[2 x <8 x i8>]`, `{ i32, i1 }`.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub enum Type {
    /// No value.
    Void,
    /// An address.
    Pointer,
    /// One element.
    Scalar(Scalar),
    /// So many elements; element 0 is in the lowest bits of a register.
    Vector(u32, Scalar),
    /// So many values of one type.
    Array(u32, Box<Type>),
    /// Values of several types.
    Structure(Vec<Type>),
}

/// A text that is not a type.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("`{0}` is no type of LLVM assembly")]
pub struct ParseTypeError(pub String);

impl Type {
    /// An integer of `width` bits.
    pub fn integer(width: u32) -> Self {
        Self::Scalar(Scalar::Integer(width))
    }

    /// `count` integers of `width` bits; an integer if `count` is 1.
    pub fn lanes(count: u32, width: u32) -> Self {
        match count {
            1 => Self::integer(width),
            _ => Self::Vector(count, Scalar::Integer(width)),
        }
    }

    /// A vector of `count` single bits, also if `count` is 1.
    pub fn bits(count: u32) -> Self {
        Self::Vector(count, Scalar::Integer(1))
    }

    /// What a function with these results returns: nothing, the only one, or a structure.
    pub fn of_results(mut results: Vec<Self>) -> Self {
        match results.len() {
            0 => Self::Void,
            1 => results.remove(0),
            _ => Self::Structure(results),
        }
    }

    /// The types of the parts of a structure; of another type the type itself.
    pub fn parts(&self) -> &[Self] {
        match self {
            Self::Structure(parts) => parts,
            whole => std::slice::from_ref(whole),
        }
    }

    /// The width in bits; `None` if it does not fit in a register (`void`, structures) or depends on the machine.
    pub fn width(&self) -> Option<u32> {
        match self {
            Self::Void | Self::Pointer | Self::Structure(_) => None,
            Self::Scalar(scalar) => Some(scalar.width()),
            Self::Vector(count, element) => count.checked_mul(element.width()),
            Self::Array(count, part) => count.checked_mul(part.width()?),
        }
    }

    /// The type of the elements of a vector.
    pub fn element(&self) -> Option<Scalar> {
        match self {
            Self::Vector(_, element) => Some(*element),
            _ => None,
        }
    }

    /// The number of elements of a vector of single bits.
    pub fn bit_count(&self) -> Option<u32> {
        match self {
            Self::Vector(count, Scalar::Integer(1)) => Some(*count),
            _ => None,
        }
    }

    /// The width of an integer that is not a vector.
    pub fn integer_width(&self) -> Option<u32> {
        match self {
            Self::Scalar(Scalar::Integer(width)) => Some(*width),
            _ => None,
        }
    }

    /// The same number of elements of another type.
    #[must_use]
    pub fn with_element(&self, element: Scalar) -> Self {
        match self {
            Self::Vector(count, _) => Self::Vector(*count, element),
            _ => Self::Scalar(element),
        }
    }

    /// The vector of the same width with other elements, if they fill it.
    pub fn of_elements(&self, element: Scalar) -> Option<Self> {
        let (whole, part) = (self.width()?, element.width());
        (part > 0 && whole.is_multiple_of(part)).then(|| Self::Vector(whole / part, element))
    }

    /// The type in the name of an overloaded intrinsic: `v16i8`, `i32`.
    pub fn mangled(&self) -> String {
        match self {
            Self::Void => "isVoid".to_owned(),
            Self::Pointer => "p0".to_owned(),
            Self::Scalar(scalar) => scalar.mangled(),
            Self::Vector(count, element) => format!("v{count}{}", element.mangled()),
            Self::Array(count, part) => format!("a{count}{}", part.mangled()),
            Self::Structure(parts) => format!("sl_{}s", parts.iter().map(Self::mangled).collect::<String>()),
        }
    }

    /// The type in MLIR: `vector<4xi32>`, `bf16`. `None` if MLIR has none outside its LLVM dialect.
    pub fn mlir(&self) -> Option<String> {
        match self {
            Self::Scalar(scalar) => scalar.mlir(),
            Self::Vector(count, element) => Some(format!("vector<{count}x{}>", element.mlir()?)),
            _ => None,
        }
    }

    /// The type in MLIR's LLVM dialect, in which pointers and structures have types as well:
    /// `!llvm.struct<(vector<4xi32>, i1)>`.
    pub fn mlir_llvm(&self) -> Option<String> {
        match self {
            Self::Pointer => Some("!llvm.ptr".to_owned()),
            Self::Structure(parts) => {
                let parts: Vec<String> = parts.iter().map(Self::mlir_llvm).collect::<Option<_>>()?;
                Some(format!("!llvm.struct<({})>", parts.join(", ")))
            }
            _ => self.mlir(),
        }
    }

    /// The type at the start of a text, and what follows it.
    pub(crate) fn read(text: &str) -> Option<(Self, &str)> {
        let Some(close) = (match text.chars().next()? {
            '<' => Some('>'),
            '[' => Some(']'),
            '{' => Some('}'),
            _ => None,
        }) else {
            let end = text.find([' ', ',', '>', ']', '}', ')', '(']).unwrap_or(text.len());
            return Some((Self::word(&text[..end])?, &text[end..]));
        };
        let end = closing(text)?;
        let (inner, rest) = (&text[1..end], &text[end + 1..]);
        if close == '}' {
            let parts = split_list(inner).into_iter().map(|part| part.parse().ok());
            return Some((Self::Structure(parts.collect::<Option<_>>()?), rest));
        }
        let (count, of) = inner.split_once(" x ")?;
        let (count, of) = (count.parse().ok()?, of.parse().ok()?);
        match (close, of) {
            ('>', Self::Scalar(element)) => Some((Self::Vector(count, element), rest)),
            (']', of) => Some((Self::Array(count, Box::new(of)), rest)),
            _ => None,
        }
    }

    fn word(word: &str) -> Option<Self> {
        Some(Self::Scalar(match word {
            "void" => return Some(Self::Void),
            "ptr" => return Some(Self::Pointer),
            "half" => Scalar::Half,
            "bfloat" => Scalar::BFloat,
            "float" => Scalar::Float,
            "double" => Scalar::Double,
            "x86_mmx" => Scalar::Mmx,
            _ => {
                let digits = word.strip_prefix('i')?;
                let plain = digits.bytes().all(|byte| byte.is_ascii_digit());
                Scalar::Integer(digits.parse().ok().filter(|_| plain)?)
            }
        }))
    }
}

/// The position of the bracket that closes the one at the start.
fn closing(text: &str) -> Option<usize> {
    let mut depth = 0;
    text.char_indices().find_map(|(at, character)| {
        match character {
            '<' | '[' | '{' | '(' => depth += 1,
            '>' | ']' | '}' | ')' => depth -= 1,
            _ => {}
        }
        (depth == 0).then_some(at)
    })
}

impl fmt::Display for Type {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Void => out.write_str("void"),
            Self::Pointer => out.write_str("ptr"),
            Self::Scalar(scalar) => scalar.fmt(out),
            Self::Vector(count, element) => write!(out, "<{count} x {element}>"),
            Self::Array(count, part) => write!(out, "[{count} x {part}]"),
            Self::Structure(parts) if parts.is_empty() => out.write_str("{}"),
            Self::Structure(parts) => {
                for (position, part) in parts.iter().enumerate() {
                    write!(out, "{} {part}", if position == 0 { "{" } else { "," })?;
                }
                out.write_str(" }")
            }
        }
    }
}

impl FromStr for Type {
    type Err = ParseTypeError;

    fn from_str(text: &str) -> Result<Self, ParseTypeError> {
        match Self::read(text) {
            Some((ty, "")) => Ok(ty),
            _ => Err(ParseTypeError(text.to_owned())),
        }
    }
}

impl TryFrom<String> for Type {
    type Error = ParseTypeError;

    fn try_from(text: String) -> Result<Self, ParseTypeError> {
        text.parse()
    }
}

impl From<Type> for String {
    fn from(ty: Type) -> Self {
        ty.to_string()
    }
}

#[cfg(test)]
pub(crate) mod tests {
    use proptest::prelude::*;

    use super::*;

    fn scalars() -> impl Strategy<Value = Scalar> {
        let floats = [Scalar::Half, Scalar::BFloat, Scalar::Float, Scalar::Double, Scalar::Mmx];
        prop_oneof![(1..=1024u32).prop_map(Scalar::Integer), proptest::sample::select(floats.to_vec())]
    }

    /// Any type, a few levels deep.
    pub(crate) fn types() -> impl Strategy<Value = Type> {
        let vector = (1..=128u32, scalars()).prop_map(|(count, element)| Type::Vector(count, element));
        let leaf = prop_oneof![Just(Type::Pointer), scalars().prop_map(Type::Scalar), vector];
        leaf.prop_recursive(3, 12, 4, |inner| {
            prop_oneof![
                (1..8u32, inner.clone()).prop_map(|(count, part)| Type::Array(count, Box::new(part))),
                proptest::collection::vec(inner, 0..4).prop_map(Type::Structure),
            ]
        })
    }

    proptest! {
        #[test]
        fn what_is_printed_is_read(ty in types(), rest in "[ ,>})a-z%]*") {
            let text = ty.to_string();
            prop_assert_eq!(text.parse(), Ok(ty.clone()));
            let line = format!("{text} {rest}");
            prop_assert_eq!(Type::read(&line), Some((ty.clone(), &line[text.len()..])));
            let json = serde_json::to_string(&ty).unwrap();
            prop_assert_eq!(&json, &format!("\"{text}\""));
            prop_assert_eq!(serde_json::from_str::<Type>(&json).unwrap(), ty);
        }

        #[test]
        fn any_text_is_read_without_a_panic(text in "[<>{}\\[\\], xi0-9a-z]{0,20}") {
            if let Ok(ty) = text.parse::<Type>() {
                prop_assert_eq!(ty.to_string().parse(), Ok(ty));
            }
        }

        #[test]
        fn a_width_is_the_sum_of_the_parts(count in 1..100u32, element in scalars()) {
            let vector = Type::Vector(count, element);
            prop_assert_eq!(vector.width(), Some(count * element.width()));
            prop_assert_eq!(Type::Array(count, Box::new(Type::Scalar(element))).width(), vector.width());
            prop_assert_eq!(vector.of_elements(element), Some(vector.clone()));
            prop_assert_eq!(vector.of_elements(Scalar::Integer(1)), Some(Type::bits(count * element.width())));
        }
    }

    #[test]
    fn what_is_no_type_is_an_error() {
        for text in
            ["", "i", "i+8", "< 2 x i8>", "<2 x ptr>", "<2 x i8", "[2]", "{ i8, }x", "%struct.a", "i8 "]
        {
            assert!(text.parse::<Type>().is_err(), "{text}");
        }
    }

    #[test]
    fn types_in_other_notations() {
        let bytes = Type::lanes(16, 8);
        assert_eq!(bytes.mangled(), "v16i8");
        assert_eq!(bytes.mlir().as_deref(), Some("vector<16xi8>"));
        assert_eq!(Type::lanes(1, 32).mangled(), "i32");
        assert_eq!("<4 x bfloat>".parse::<Type>().unwrap().mlir().as_deref(), Some("vector<4xbf16>"));
        assert_eq!("[2 x i8]".parse::<Type>().unwrap().mlir(), None);
    }

    #[test]
    fn results_and_parts() {
        let (bytes, flag) = (Type::lanes(2, 8), Type::integer(1));
        let both = Type::of_results(vec![bytes.clone(), flag.clone()]);
        assert_eq!(both.to_string(), "{ <2 x i8>, i1 }");
        assert_eq!(both.parts(), [bytes.clone(), flag]);
        assert_eq!(Type::of_results(vec![bytes.clone()]).parts(), [bytes]);
        assert_eq!(Type::of_results(Vec::new()), Type::Void);
    }
}
