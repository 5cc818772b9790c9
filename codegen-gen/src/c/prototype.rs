//! The C side of a function: its name, its parameters and their types.

use std::collections::BTreeSet;

use llvm_text::{Scalar, Type};

use crate::definitions::{Callable, CallableParameter};
use crate::identifier::is_cpp_word;

/// How a value of LLVM's is passed in C.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Passing {
    /// An integer of that many bits, 8 to 64, in one at least as wide.
    Value {
        /// The bits of the integer in C.
        bits: u32,
        /// Whether that is a signed one: an immediate with negative values.
        is_signed: bool,
    },
    /// An array of `count` integers of that many bits, element 0 first: a vector, or an integer of more than 64 bits.
    Array {
        /// The number of elements.
        count: u32,
        /// The bits of an element.
        bits: u32,
    },
    /// An array of that many truth values, lane 0 first: a vector of single bits.
    Mask {
        /// The number of lanes.
        lanes: u32,
    },
}

impl Passing {
    /// How an argument of this type is passed; `None` if C has no type for it. Integers are unsigned, unless
    /// `is_signed`.
    pub(super) fn of_argument(ty: &Type, is_signed: bool) -> Option<Self> {
        let bits = ty.integer_width().filter(|width| *width <= 64);
        match bits.map(|width| width.next_power_of_two().max(8)) {
            Some(bits) => Some(Self::Value { bits, is_signed }),
            None => Self::of_result(ty),
        }
    }

    /// How a result of this type is passed, to which there is always a pointer.
    pub(super) fn of_result(ty: &Type) -> Option<Self> {
        match *ty {
            Type::Vector(lanes, Scalar::Integer(1)) => Some(Self::Mask { lanes }),
            Type::Vector(count, Scalar::Integer(bits @ (8 | 16 | 32 | 64))) => {
                Some(Self::Array { count, bits })
            }
            Type::Scalar(Scalar::Integer(bits @ (8 | 16 | 32 | 64))) => Some(Self::Array { count: 1, bits }),
            Type::Scalar(Scalar::Integer(width)) if width.is_multiple_of(64) => {
                Some(Self::Array { count: width / 64, bits: 64 })
            }
            _ => None,
        }
    }

    /// The type in C of what is passed or pointed to.
    fn c_type(self) -> String {
        match self {
            Self::Value { bits, is_signed: true } => format!("int{bits}_t"),
            Self::Value { bits, .. } | Self::Array { bits, .. } => format!("uint{bits}_t"),
            Self::Mask { .. } => "bool".to_owned(),
        }
    }

    /// The number of elements behind a pointer; `None` if a value is passed.
    fn count(self) -> Option<u32> {
        match self {
            Self::Value { .. } => None,
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
        let parts = callable.result.parts();
        let mut taken = BTreeSet::new();
        let results = parts.iter().enumerate().map(|(position, ty)| {
            let name = if parts.len() == 1 { "res".to_owned() } else { format!("res_{position}") };
            Some((distinct(name, &mut taken), Passing::of_result(ty)?))
        });
        let results = results.collect::<Option<_>>()?;
        let arguments = callable.parameters.iter().map(|CallableParameter { own, immediate, .. }| {
            let name = own.value.name()?.trim_start_matches('.').to_owned();
            let is_signed = immediate.as_ref().and_then(BTreeSet::first).is_some_and(|least| *least < 0);
            Some((distinct(name, &mut taken), Passing::of_argument(&own.ty, is_signed)?))
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

    /// The values of immediates, for the comment: `, count 0..7`.
    pub(super) fn documented(&self, callable: &Callable) -> String {
        let parameters = self.arguments.iter().zip(&callable.parameters);
        let texts = parameters.filter_map(|((name, _), parameter)| {
            let values = ranges(parameter.immediate.as_ref()?);
            Some(format!(", {name} {values}"))
        });
        texts.collect()
    }
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
    match passing.count() {
        None => format!("{ty} {name}"),
        Some(count) => format!("{constant}{ty} {name}[{count}]"),
    }
}

/// A parameter's name that no other one and no word of the language has.
fn distinct(mut name: String, taken: &mut BTreeSet<String>) -> String {
    while is_cpp_word(&name) || !taken.insert(name.clone()) {
        name.push('_');
    }
    name
}

/// The name in C of a definition's function: `autollvm_add_v16i8`.
pub(super) fn function_name(name: &str) -> String {
    let mut text = String::with_capacity(name.len());
    for character in name.chars() {
        match character {
            '-' => text.push('m'),
            _ if character.is_ascii_alphanumeric() => text.push(character),
            _ => text.push('_'),
        }
    }
    text
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
        let array = |count, bits| Some(Passing::Array { count, bits });
        let value = |bits| Some(Passing::Value { bits, is_signed: false });
        assert_eq!(passed("<16 x i8>"), (array(16, 8), array(16, 8)));
        assert_eq!(passed("i16"), (value(16), array(1, 16)));
        assert_eq!(passed("i5"), (value(8), None));
        assert_eq!(passed("i128"), (array(2, 64), array(2, 64)));
        assert_eq!(passed("<2 x i1>").0, Some(Passing::Mask { lanes: 2 }));
        assert_eq!(passed("<4 x float>"), (None, None));
    }

    #[test]
    fn a_negative_immediate_is_signed() {
        let passing = Passing::of_argument(&Type::integer(32), true);
        assert_eq!(passing, Some(Passing::Value { bits: 32, is_signed: true }));
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
