//! The equations by which operations are folded, as values; `identities.rs` proves them.

use autoir::ValueType;
use hydride_ir::Bits;
use serde::{Deserialize, Serialize};

/// A constant with the same value in every element.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(crate) enum Splat {
    /// 0.
    Zero,
    /// 1.
    One,
    /// All bits are 1.
    Ones,
    /// The least signed number.
    Least,
    /// The greatest signed number.
    Greatest,
}

impl Splat {
    pub(crate) const ALL: [Self; 5] = [Self::Zero, Self::One, Self::Ones, Self::Least, Self::Greatest];

    /// The constant of a type.
    pub(crate) fn at(self, shape: ValueType) -> Bits {
        let sign = shape.element - 1;
        let is_set = |position: u32| match self {
            Self::Zero => false,
            Self::One => position == 0,
            Self::Ones => true,
            Self::Least => position == sign,
            Self::Greatest => position != sign,
        };
        let width = shape.width();
        let word = |word: u32| {
            let positions = (64 * word)..(64 * word + 64).min(width);
            positions
                .filter(|position| is_set(position % shape.element))
                .map(|position| 1 << (position % 64))
                .sum()
        };
        Bits::from_words(width, (0..width.div_ceil(64)).map(word))
    }

    /// Its value in an element of that many bits; `None` if they are too many.
    pub(crate) fn number(self, width: u32) -> Option<i64> {
        let unused = 64_u32.checked_sub(width)?;
        Some(match self {
            Self::Zero => 0,
            Self::One => 1,
            Self::Ones => -1,
            Self::Least => i64::MIN >> unused,
            Self::Greatest => i64::MAX >> unused,
        })
    }

    /// How formulas write it.
    fn text(self) -> &'static str {
        match self {
            Self::Zero => "0",
            Self::One => "1",
            Self::Ones => "-1",
            Self::Least => "least signed",
            Self::Greatest => "greatest signed",
        }
    }
}

/// What is known of an operation's arguments, by their positions.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(crate) enum Condition {
    /// One is a constant.
    Constant {
        /// Which one.
        argument: usize,
        /// The constant.
        value: Splat,
    },
    /// Two are the same value.
    Same {
        /// The first.
        argument: usize,
        /// The second.
        other: usize,
    },
    /// The first is the result of the same operation, with the same attributes and further arguments.
    Repeated,
}

/// What an operation is equal to.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(crate) enum Outcome {
    /// Its argument at a position.
    Argument(usize),
    /// A constant.
    Constant(Splat),
    /// The first argument of the operation that its own first argument is the result of.
    Innermost,
}

/// An equation that holds at all known types and parameter values.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Identity {
    /// When it holds.
    pub(crate) when: Condition,
    /// What the operation is then.
    pub(crate) result: Outcome,
}

impl Identity {
    /// As a formula over names of arguments: `add(a, 0) = a`.
    pub(crate) fn text(self, name: &str, arguments: &[String]) -> String {
        let mut shown = arguments.to_vec();
        match self.when {
            Condition::Constant { argument, value } => shown[argument] = value.text().to_owned(),
            Condition::Same { argument, other } => shown[other] = shown[argument].clone(),
            Condition::Repeated => shown[0] = format!("{name}({})", arguments.join(", ")),
        }
        let result = match self.result {
            Outcome::Argument(argument) => &shown[argument],
            Outcome::Constant(value) => value.text(),
            Outcome::Innermost => &arguments[0],
        };
        format!("{name}({}) = {result}", shown.join(", "))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn constants_of_types() {
        let bytes = ValueType::vector(3, 8);
        let values = Splat::ALL.map(|splat| splat.at(bytes).to_u64().expect("it has 24 bits"));
        assert_eq!(values, [0, 0x01_01_01, 0xff_ff_ff, 0x80_80_80, 0x7f_7f_7f]);
        assert_eq!(Splat::Least.at(ValueType::scalar(72)).words(), [0, 0x80]);
    }

    #[test]
    fn formulas() {
        let names = ["a".to_owned(), "b".to_owned()];
        let text = |when, result| Identity { when, result }.text("f", &names);
        let constant = Condition::Constant { argument: 1, value: Splat::Ones };
        assert_eq!(text(constant, Outcome::Argument(0)), "f(a, -1) = a");
        assert_eq!(
            text(Condition::Same { argument: 0, other: 1 }, Outcome::Constant(Splat::Zero)),
            "f(a, a) = 0"
        );
        assert_eq!(text(Condition::Repeated, Outcome::Innermost), "f(f(a, b), b) = a");
        assert_eq!(text(Condition::Repeated, Outcome::Argument(0)), "f(f(a, b), b) = f(a, b)");
    }
}
