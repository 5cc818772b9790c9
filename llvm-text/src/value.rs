//! Values, and operands: values with their types.

use std::fmt::{self, Write as _};

use crate::read::split_list;
use crate::types::{Scalar, Type};

/// A value without its type.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Value {
    /// A parameter or an instruction's result, by name without `%`.
    Local(String),
    /// An instruction's result, by number.
    Numbered(usize),
    /// A constant in its text: `7`, `zeroinitializer`, `<i8 1, i8 2>`, `@name`.
    Constant(String),
}

impl Value {
    /// The parameter or result of that name, without `%`.
    pub fn local(name: impl Into<String>) -> Self {
        Self::Local(name.into())
    }

    /// A number.
    pub fn number(number: impl Into<i128>) -> Self {
        Self::Constant(number.into().to_string())
    }

    /// Any value; using it can have any effect.
    pub fn poison() -> Self {
        Self::Constant("poison".to_owned())
    }

    /// The pointer to nothing.
    pub fn null() -> Self {
        Self::Constant("null".to_owned())
    }

    /// Any value.
    pub fn undef() -> Self {
        Self::Constant("undef".to_owned())
    }

    /// All elements of a vector 0.
    pub fn zeros() -> Self {
        Self::Constant("zeroinitializer".to_owned())
    }

    /// A truth value.
    pub fn bool(value: bool) -> Self {
        Self::Constant(value.to_string())
    }

    /// A vector of given elements.
    pub fn elements(elements: &[Operand]) -> Self {
        let elements: Vec<String> = elements.iter().map(Operand::to_string).collect();
        Self::Constant(format!("<{}>", elements.join(", ")))
    }

    /// The name of a parameter or result that has one.
    pub fn name(&self) -> Option<&str> {
        match self {
            Self::Local(name) => Some(name),
            Self::Numbered(_) | Self::Constant(_) => None,
        }
    }

    /// Whether it is `poison` or `undef`.
    pub fn is_arbitrary(&self) -> bool {
        matches!(self, Self::Constant(text) if text == "poison" || text == "undef")
    }

    /// The elements of a constant vector that is given as a list.
    pub fn listed(&self) -> Option<Vec<Operand>> {
        let Self::Constant(text) = self else { return None };
        let list = text.strip_prefix('<')?.strip_suffix('>')?;
        split_list(list).into_iter().map(Operand::read).collect()
    }

    /// The one value of all elements of a constant vector that is given as such.
    pub fn repeated(&self) -> Option<Operand> {
        let Self::Constant(text) = self else { return None };
        Operand::read(text.strip_prefix("splat (")?.strip_suffix(')')?)
    }

    pub(crate) fn read(text: &str) -> Self {
        match text.strip_prefix('%') {
            Some(name) => match name.parse() {
                Ok(number) => Self::Numbered(number),
                Err(_) => Self::Local(name.to_owned()),
            },
            None => Self::Constant(text.to_owned()),
        }
    }
}

impl fmt::Display for Value {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Local(name) => write!(out, "%{name}"),
            Self::Numbered(number) => write!(out, "%{number}"),
            Self::Constant(text) => out.write_str(text),
        }
    }
}

/// A value with its type.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Operand {
    /// Its type.
    pub ty: Type,
    /// The value.
    pub value: Value,
}

impl Operand {
    /// A value of a type.
    pub fn new(ty: Type, value: Value) -> Self {
        Self { ty, value }
    }

    /// A number of `width` bits, as positions of elements are.
    pub fn index(width: u32, number: impl Into<i128>) -> Self {
        Self::new(Type::integer(width), Value::number(number))
    }

    /// The lanes of a `shufflevector`; an element without a lane is poison.
    pub fn mask(lanes: impl IntoIterator<Item = Option<u32>>) -> Self {
        let mut text = String::from("<");
        let mut count = 0;
        for lane in lanes {
            let separator = if count == 0 { "" } else { ", " };
            // Writing to a text cannot fail.
            let _ = match lane {
                Some(lane) => write!(text, "{separator}i32 {lane}"),
                None => write!(text, "{separator}i32 poison"),
            };
            count += 1;
        }
        text.push('>');
        Self::new(Type::Vector(count, Scalar::Integer(32)), Value::Constant(text))
    }

    /// A type, a space and a value.
    pub(crate) fn read(text: &str) -> Option<Self> {
        let (ty, value) = Type::read(text)?;
        let value = value.strip_prefix(' ')?.trim();
        (!value.is_empty()).then(|| Self::new(ty, Value::read(value)))
    }
}

impl fmt::Display for Operand {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(out, "{} {}", self.ty, self.value)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_mask_is_read_back() {
        let mask = Operand::mask([Some(1), None, Some(0)]);
        assert_eq!(mask.to_string(), "<3 x i32> <i32 1, i32 poison, i32 0>");
        assert_eq!(Operand::read(&mask.to_string()), Some(mask.clone()));
        let listed = mask.value.listed().unwrap();
        assert_eq!(listed[0], Operand::index(32, 1));
        assert!(listed[1].value.is_arbitrary());
        assert_eq!(Operand::mask([Some(0)]).to_string(), "<1 x i32> <i32 0>");
        assert_eq!(Value::zeros().listed(), None);
        let repeated = Value::Constant("splat (i16 8)".to_owned());
        assert_eq!(repeated.repeated(), Some(Operand::index(16, 8)));
        assert_eq!((repeated.listed(), Value::zeros().repeated()), (None, None));
    }

    #[test]
    fn values_are_read() {
        assert_eq!(Value::read("%a"), Value::local("a"));
        assert_eq!(Value::read("%7"), Value::Numbered(7));
        assert_eq!(Value::read("-7"), Value::number(-7));
        assert_eq!(Value::local("a").name(), Some("a"));
        assert_eq!(Operand::read("i8"), None);
    }
}
