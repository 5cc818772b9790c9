//! Rust integers and expressions over them, with as many parentheses as they need.

use std::fmt;

/// A Rust integer type.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(super) struct Native {
    /// Whether it is read as two's complement.
    pub(super) signed: bool,
    /// Width in bits: 8, 16, 32, 64 or 128.
    pub(super) bits: u32,
}

impl fmt::Display for Native {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}{}", if self.signed { 'i' } else { 'u' }, self.bits)
    }
}

impl Native {
    /// The widths of Rust's integers.
    pub(super) const WIDTHS: [u32; 5] = [8, 16, 32, 64, 128];

    /// The smallest type that holds `width` bits.
    pub(super) fn holding(width: u32, signed: bool) -> Option<Self> {
        let bits = Self::WIDTHS.into_iter().find(|bits| *bits >= width)?;
        Some(Self { signed, bits })
    }

    /// Whether `From` converts into the wider type `to`.
    fn widens_to(self, to: Self) -> bool {
        self.bits < to.bits && (!self.signed || to.signed)
    }

    /// A literal of the type, with its suffix.
    pub(super) fn literal(self, value: &str) -> Code {
        let level = if value.starts_with('-') { UNARY } else { POSTFIX };
        Code { text: format!("{value}{self}"), level, literal: Some(value.to_owned()) }
    }
}

/// How tightly an expression's outermost operator binds.
pub(super) type Level = u8;
/// Conditional expressions.
pub(super) const CONDITIONAL: Level = 0;
pub(super) const OR_ELSE: Level = 1;
pub(super) const AND_ALSO: Level = 2;
pub(super) const COMPARISON: Level = 3;
pub(super) const BIT_OR: Level = 4;
pub(super) const BIT_XOR: Level = 5;
pub(super) const BIT_AND: Level = 6;
pub(super) const SHIFT: Level = 7;
pub(super) const SUM: Level = 8;
pub(super) const PRODUCT: Level = 9;
pub(super) const CAST: Level = 10;
pub(super) const UNARY: Level = 11;
pub(super) const POSTFIX: Level = 12;

/// An expression of Rust.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Code {
    text: String,
    level: Level,
    /// For a literal its digits without the suffix.
    literal: Option<String>,
}

impl Code {
    /// An expression whose outermost operator is of that level.
    pub(super) fn new(text: impl Into<String>, level: Level) -> Self {
        Self { text: text.into(), level, literal: None }
    }

    /// A name, or something else that binds as tightly.
    pub(super) fn name(text: impl Into<String>) -> Self {
        Self::new(text, POSTFIX)
    }

    /// The same literal in another type.
    pub(super) fn retyped(self, suffix: &str) -> Self {
        match self.literal {
            Some(digits) => Self { text: format!("{digits}{suffix}"), literal: Some(digits), ..self },
            None => self,
        }
    }

    /// Where an operator of that level or a tighter one is expected, and the type follows from the context.
    pub(super) fn at(&self, level: Level) -> String {
        match &self.literal {
            Some(digits) => digits.clone(),
            None => self.typed_at(level),
        }
    }

    /// The same where the context does not determine the type.
    pub(super) fn typed_at(&self, level: Level) -> String {
        if self.level < level { format!("({})", self.text) } else { self.text.clone() }
    }

    /// A whole expression whose type follows from the context.
    pub(super) fn whole(&self) -> String {
        self.at(CONDITIONAL)
    }

    /// The digits of a literal.
    pub(super) fn as_literal(&self) -> Option<&str> {
        self.literal.as_deref()
    }

    /// Whether the text is a name, so that giving it another one is of no use.
    pub(super) fn is_simple(&self) -> bool {
        self.literal.is_some() || self.text.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'_')
    }

    /// The length of the text in bytes.
    pub(super) fn len(&self) -> usize {
        self.text.len()
    }

    /// `left operator right`; both have the same type, which the operator does not change.
    pub(super) fn binary(left: &Self, operator: &str, right: &Self, level: Level) -> Self {
        // After `as u8`, Rust reads `<` as the beginning of type arguments.
        let ends_with_cast = |text: &str| {
            text.rsplit_once(" as ")
                .is_some_and(|(_, last)| last.bytes().all(|byte| byte.is_ascii_alphanumeric()))
        };
        // Shifts and bitwise operators have no order of precedence that readers know by heart.
        let is_bitwise = (BIT_OR..=SHIFT).contains(&level);
        let inner = |operand: &Self, side: Level| match is_bitwise && operand.level != level {
            true => CAST,
            false => side,
        };
        let first_level = if matches!(operator, "/" | "%") { CAST } else { inner(left, level) };
        let mut first = match (&left.literal, &right.literal) {
            (Some(_), Some(_)) => left.typed_at(first_level),
            _ if level == SHIFT => left.typed_at(first_level),
            _ => left.at(first_level),
        };
        if operator.starts_with('<') && ends_with_cast(&first) {
            first = format!("({first})");
        }
        let comparison = u8::from(level == COMPARISON);
        if comparison == 1 && left.level == COMPARISON {
            first = format!("({first})");
        }
        Self::new(format!("{first} {operator} {}", right.at(inner(right, level + 1))), level)
    }

    /// `receiver.method(arguments)`.
    pub(super) fn method(receiver: &Self, name: &str, arguments: &[String]) -> Self {
        Self::name(format!("{}.{name}({})", receiver.typed_at(POSTFIX), arguments.join(", ")))
    }

    /// `!self`.
    pub(super) fn not(&self) -> Self {
        Self::new(format!("!{}", self.typed_at(UNARY)), UNARY)
    }

    /// `self as to`.
    pub(super) fn cast(&self, to: &str) -> Self {
        Self::new(format!("{} as {to}", self.typed_at(CAST)), CAST)
    }

    /// `if condition { then } else { otherwise }`.
    pub(super) fn conditional(condition: &Self, then: &Self, otherwise: &Self) -> Self {
        let first = match (&then.literal, &otherwise.literal) {
            (Some(_), Some(_)) => then.typed_at(CONDITIONAL),
            _ => then.whole(),
        };
        let text = format!("if {} {{ {first} }} else {{ {} }}", condition.whole(), otherwise.whole());
        Self::new(text, CONDITIONAL)
    }
}

/// Bounds of an integer, both inclusive.
pub(super) type Bounds = (i128, i128);

/// An integer of a Rust type.
#[derive(Clone, Debug)]
pub(super) struct Value {
    pub(super) code: Code,
    pub(super) native: Native,
}

impl Value {
    /// The same integer in another type, which holds it.
    pub(super) fn converted(&self, to: Native) -> Self {
        let code = if self.native == to {
            self.code.clone()
        } else if let Some(digits) = self.code.as_literal() {
            to.literal(digits)
        } else if self.native.widens_to(to) {
            Code::name(format!("{to}::from({})", self.code.whole()))
        } else {
            self.code.cast(&to.to_string())
        };
        Self { code, native: to }
    }

    /// The same bits, or the low ones of them, in another type.
    pub(super) fn truncated(&self, to: Native) -> Self {
        if self.native == to {
            return self.clone();
        }
        Self { code: self.code.cast(&to.to_string()), native: to }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parentheses_where_rust_needs_them() {
        let (a, b) = (Code::name("a"), Code::name("b"));
        let sum = Code::binary(&a, "+", &b, SUM);
        assert_eq!(Code::binary(&sum, "*", &a, PRODUCT).whole(), "(a + b) * a");
        assert_eq!(Code::binary(&a, "-", &sum, SUM).whole(), "a - (a + b)");
        assert_eq!(Code::binary(&a.cast("u8"), "<<", &b, SHIFT).whole(), "(a as u8) << b");
        assert_eq!(Code::binary(&a.cast("u8"), ">>", &b, SHIFT).whole(), "a as u8 >> b");
        assert_eq!(Code::binary(&sum, ">>", &b, SHIFT).whole(), "(a + b) >> b");
        assert_eq!(Code::method(&sum, "abs", &[]).whole(), "(a + b).abs()");
        let byte = Native { signed: true, bits: 8 };
        assert_eq!(Code::method(&byte.literal("-3"), "abs", &[]).whole(), "(-3i8).abs()");
        assert_eq!(Code::binary(&a, "+", &byte.literal("1"), SUM).whole(), "a + 1");
    }

    #[test]
    fn conversions_are_the_safest_that_there_are() {
        let native = |signed, bits| Native { signed, bits };
        let value = Value { code: Code::name("x"), native: native(false, 8) };
        assert_eq!(value.converted(native(true, 16)).code.whole(), "i16::from(x)");
        assert_eq!(value.converted(native(true, 8)).code.whole(), "x as i8");
        assert_eq!(Native::holding(9, true), Some(native(true, 16)));
        assert_eq!(Native::holding(129, true), None);
    }
}
