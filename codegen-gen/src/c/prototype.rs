//! The C side of a function: its name, its parameters and their types.

use std::collections::BTreeSet;
use std::fmt;

use catalog::record::MemoryAccess;
use llvm_text::{Scalar, Type};

use crate::definitions::{Callable, CallableParameter, MemoryOperand};
use crate::identifier::{distinct, word};
use crate::memory::extent;

/// A number in C.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Number {
    /// An unsigned integer of that many bits. Floating-point numbers of 16 bits, for which standard C has no type, are
    /// passed as such.
    Unsigned(u32),
    /// A signed integer of that many bits.
    Signed(u32),
    /// `float`.
    Float,
    /// `double`.
    Double,
}

impl Number {
    /// The number in C that has the bits of one of LLVM's, 8 to 64.
    fn of(scalar: Scalar) -> Option<Self> {
        match scalar {
            Scalar::Float => Some(Self::Float),
            Scalar::Double => Some(Self::Double),
            Scalar::Half | Scalar::BFloat | Scalar::Integer(8 | 16 | 32 | 64) => {
                Some(Self::Unsigned(scalar.width()))
            }
            Scalar::Integer(_) | Scalar::Mmx => None,
        }
    }

    /// The width in bits.
    pub(super) fn bits(self) -> u32 {
        match self {
            Self::Unsigned(bits) | Self::Signed(bits) => bits,
            Self::Float => 32,
            Self::Double => 64,
        }
    }

    /// The type in LLVM that C passes it as.
    pub(super) fn scalar(self) -> Scalar {
        match self {
            Self::Unsigned(bits) | Self::Signed(bits) => Scalar::Integer(bits),
            Self::Float => Scalar::Float,
            Self::Double => Scalar::Double,
        }
    }
}

impl fmt::Display for Number {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Unsigned(bits) => write!(out, "uint{bits}_t"),
            Self::Signed(bits) => write!(out, "int{bits}_t"),
            Self::Float => out.write_str("float"),
            Self::Double => out.write_str("double"),
        }
    }
}

/// How a value of LLVM's is passed in C.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Passing {
    /// A number, an integer in one that is at least as wide; an immediate with negative values is signed.
    Value(Number),
    /// An array of `count` numbers, element 0 first: a vector, or an integer of more than 64 bits.
    Array {
        /// The number of elements.
        count: u32,
        /// An element.
        element: Number,
    },
    /// An array of that many truth values, lane 0 first: a vector of single bits, or a bit.
    Mask {
        /// The number of lanes.
        lanes: u32,
    },
    /// A pointer to an operand in memory.
    Memory {
        /// Whether it is written.
        is_written: bool,
    },
}

impl Passing {
    /// How an argument of this type is passed; `None` if C has no type for it. Integers are unsigned, unless
    /// `is_signed`.
    pub(super) fn of_argument(ty: &Type, is_signed: bool) -> Option<Self> {
        match *ty {
            Type::Scalar(Scalar::Integer(width)) if width <= 64 => {
                let bits = width.next_power_of_two().max(8);
                Some(Self::Value(if is_signed { Number::Signed(bits) } else { Number::Unsigned(bits) }))
            }
            Type::Scalar(scalar) if !scalar.is_integer() => Number::of(scalar).map(Self::Value),
            _ => Self::of_result(ty),
        }
    }

    /// How a result of this type is passed, to which there is always a pointer.
    pub(super) fn of_result(ty: &Type) -> Option<Self> {
        match *ty {
            Type::Vector(lanes, Scalar::Integer(1)) => Some(Self::Mask { lanes }),
            Type::Scalar(Scalar::Integer(1)) => Some(Self::Mask { lanes: 1 }),
            Type::Scalar(Scalar::Integer(width)) if width > 64 && width.is_multiple_of(64) => {
                Some(Self::Array { count: width / 64, element: Number::Unsigned(64) })
            }
            Type::Vector(count, element) => Some(Self::Array { count, element: Number::of(element)? }),
            Type::Scalar(element) => Some(Self::Array { count: 1, element: Number::of(element)? }),
            _ => None,
        }
    }

    /// The type in C of what is passed or pointed to.
    fn c_type(self) -> String {
        match self {
            Self::Value(number) | Self::Array { element: number, .. } => number.to_string(),
            Self::Mask { .. } => "bool".to_owned(),
            Self::Memory { .. } => "void".to_owned(),
        }
    }

    /// The number of elements of an array; `None` if there is none.
    fn count(self) -> Option<u32> {
        match self {
            Self::Value(_) | Self::Memory { .. } => None,
            Self::Array { count, .. } | Self::Mask { lanes: count } => Some(count),
        }
    }
}

/// The parameters of a function in C: pointers to results, then arguments.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Prototype {
    /// The name of each result and how it is passed.
    pub(super) results: Vec<(String, Passing)>,
    /// The name of each argument and how it is passed.
    pub(super) arguments: Vec<(String, Passing)>,
}

impl Prototype {
    /// The prototype of a definition; `None` if C has no type for one of its parameters.
    pub(super) fn of(callable: &Callable) -> Option<Self> {
        let parts = match &callable.result {
            Type::Void => &[][..],
            result => result.parts(),
        };
        let mut taken = BTreeSet::new();
        let results = parts.iter().enumerate().map(|(position, ty)| {
            let name = if parts.len() == 1 { "res".to_owned() } else { format!("res_{position}") };
            Some((distinct(name, &mut taken), Passing::of_result(ty)?))
        });
        let results = results.collect::<Option<_>>()?;
        let arguments = callable.parameters.iter().map(|CallableParameter { own, immediate, memory }| {
            let name = own.value.name()?.trim_start_matches('.').to_owned();
            let is_signed = immediate.as_ref().and_then(BTreeSet::first).is_some_and(|least| *least < 0);
            let passing = match memory {
                Some(memory) => Passing::Memory { is_written: memory.record.access == MemoryAccess::Store },
                None => Passing::of_argument(&own.ty, is_signed)?,
            };
            Some((distinct(name, &mut taken), passing))
        });
        let arguments = arguments.collect::<Option<_>>()?;
        Some(Self { results, arguments })
    }

    /// The declaration of the function of that name. In C, the brackets say how many elements there are.
    pub(super) fn text(&self, name: &str) -> String {
        let results = self.results.iter().map(|parameter| declared("", parameter));
        let arguments = self.arguments.iter().map(|parameter| declared("const ", parameter));
        let parameters: Vec<String> = results.chain(arguments).collect();
        format!("void {name}({});", parameters.join(", "))
    }

    /// The values of immediates and the operands in memory, for the comment: `, count 0..7, a 16 bytes`.
    pub(super) fn documented(&self, callable: &Callable) -> String {
        let parameters = self.arguments.iter().zip(&callable.parameters);
        let texts = parameters.filter_map(|((name, _), parameter)| {
            let text = match (&parameter.immediate, parameter.memory) {
                (Some(values), _) => ranges(values),
                (None, Some(memory)) => in_memory(memory),
                (None, None) => return None,
            };
            Some(format!(", {name} {text}"))
        });
        texts.collect()
    }
}

/// An operand in memory in words: `64 bytes aligned to 64`, `16 elements of 4 bytes`.
fn in_memory(MemoryOperand { record, bytes }: MemoryOperand) -> String {
    let size = extent(&record, bytes);
    let aligned = if record.align > 1 { format!(" aligned to {}", record.align) } else { String::new() };
    let hint = if record.non_temporal { ", not kept in caches" } else { "" };
    format!("{size}{aligned}{hint}")
}

/// Numbers as ranges: `0..1 or 16..17`.
fn ranges(values: &BTreeSet<i64>) -> String {
    let mut ranges: Vec<(i64, i64)> = Vec::new();
    for value in values {
        match ranges.last_mut() {
            Some((_, high)) if *high + 1 == *value => *high = *value,
            _ => ranges.push((*value, *value)),
        }
    }
    let text = |(low, high)| if low == high { format!("{low}") } else { format!("{low}..{high}") };
    ranges.into_iter().map(text).collect::<Vec<_>>().join(" or ")
}

fn declared(constant: &str, (name, passing): &(String, Passing)) -> String {
    let ty = passing.c_type();
    if let Passing::Memory { is_written } = passing {
        return format!("{}{ty} *{name}", if *is_written { "" } else { constant });
    }
    match passing.count() {
        None => format!("{ty} {name}"),
        Some(count) => format!("{constant}{ty} {name}[{count}]"),
    }
}

/// The name in C of a definition's function: `autollvm_add_v16i8`.
pub(super) fn function_name(name: &str) -> String {
    word(&name.replace('-', "m"))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn passed(ty: &str) -> (Option<Passing>, Option<Passing>) {
        let ty: Type = ty.parse().unwrap();
        (Passing::of_argument(&ty, false), Passing::of_result(&ty))
    }

    #[test]
    fn integers_are_values_and_vectors_are_arrays() {
        let array = |count, bits| Some(Passing::Array { count, element: Number::Unsigned(bits) });
        let value = |bits| Some(Passing::Value(Number::Unsigned(bits)));
        assert_eq!(passed("<16 x i8>"), (array(16, 8), array(16, 8)));
        assert_eq!(passed("i16"), (value(16), array(1, 16)));
        assert_eq!(passed("i5"), (value(8), None));
        assert_eq!(passed("i128"), (array(2, 64), array(2, 64)));
        assert_eq!(passed("<2 x i1>").0, Some(Passing::Mask { lanes: 2 }));
        assert_eq!(passed("i1"), (value(8), Some(Passing::Mask { lanes: 1 })));
        let floats = Some(Passing::Array { count: 4, element: Number::Float });
        assert_eq!(passed("<4 x float>"), (floats, floats));
        assert_eq!(passed("double").0, Some(Passing::Value(Number::Double)));
        assert_eq!(passed("bfloat"), (value(16), array(1, 16)));
        assert_eq!(passed("x86_mmx"), (None, None));
    }

    #[test]
    fn a_negative_immediate_is_signed() {
        let passing = Passing::of_argument(&Type::integer(32), true);
        assert_eq!(passing, Some(Passing::Value(Number::Signed(32))));
        assert_eq!(passing.unwrap().c_type(), "int32_t");
    }

    #[test]
    fn values_are_ranges() {
        assert_eq!(ranges(&BTreeSet::from([0, 1, 16, 17, 20])), "0..1 or 16..17 or 20");
    }

    #[test]
    fn names_are_identifiers_and_distinct() {
        assert_eq!(function_name("autollvm.add.v16i8.-1_0"), "autollvm_add_v16i8_m1_0");
        let mut taken = BTreeSet::new();
        let names = ["a", "a", "int"].map(|name| distinct(name.to_owned(), &mut taken));
        assert_eq!(names, ["a", "a_", "int_"]);
    }
}
