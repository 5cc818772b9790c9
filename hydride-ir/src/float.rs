//! Floating-point operators: formats as numbers, rounding as an operand, and what becomes of NaNs.
//!
//! Values are bit patterns of IEEE 754's binary interchange formats: a sign bit, `exponent` bits of biased exponent
//! and the rest of the fraction, so that `binary16` is 5 of 16 bits, `bfloat16` 8 of 16, `binary32` 8 of 32 and
//! `binary64` 11 of 64. Signed zeros, subnormals and infinities are exact. The environment is the default one of all
//! instruction sets: nothing is flushed to zero, and exceptions raise no flag and no trap.
//!
//! Approximations ([`FloatOp::approximates`]) are uninterpreted functions: of an operator with one format and one
//! greatest error nothing is known but that equal operands have equal values, each of which is within the error.

use std::convert::Infallible;

use serde::{Deserialize, Serialize};

/// Width in bits of a rounding mode as an operand.
pub const ROUNDING_WIDTH: u32 = 3;

/// Exponents of this many bits at most.
pub const MAX_EXPONENT: u32 = 15;

/// The relative error of an approximation is a number of units of 2 to the power of minus this.
pub const ERROR_FRACTION: u32 = 32;

/// Relative errors of this many units at most: below 1.
pub const MAX_ERROR: u32 = u32::MAX;

/// An operator with its numbers, which are of type `N`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct Float<N> {
    /// What is computed.
    pub op: FloatOp,
    /// What a NaN result is.
    pub nan: NanRule,
    /// Bits of the exponent in the operands' format; of [`FloatOp::FromInt`] in the value's.
    pub exponent: N,
    /// Of [`FloatOp::Convert`] the bits of the exponent in the value's format; of [`FloatOp::ToInt`] and
    /// [`FloatOp::FromInt`] 1 where the integer is in two's complement; of approximations the greatest relative error
    /// in units of 2^-32 ([`ERROR_FRACTION`]); else 0.
    pub target: N,
}

/// Operators on floating-point numbers. Those that round have the mode as their last operand.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
pub enum FloatOp {
    /// Sum.
    Add,
    /// Difference.
    Sub,
    /// Product.
    Mul,
    /// Quotient.
    Div,
    /// Square root.
    Sqrt,
    /// `a·b + c`, rounded once.
    MulAdd,
    /// The smaller operand, -0 below +0; a NaN if one is (IEEE 754-2019's `minimum`).
    Min,
    /// The larger operand, with the same conventions.
    Max,
    /// 1 where both are equal; zeros are, a NaN is not.
    Eq,
    /// 1 where the first is less.
    Lt,
    /// 1 where the first is less or equal.
    Le,
    /// 1 where one is a NaN.
    Unordered,
    /// The nearest integer by the rounding mode, in the same format.
    RoundToInt,
    /// The number in another format.
    Convert,
    /// The nearest integer by the rounding mode, clamped to the value's width; 0 for a NaN.
    ToInt,
    /// An integer as a floating-point number.
    FromInt,
    /// An approximation of the reciprocal, as all of them without a rounding mode. Zeros have infinities, and infinities
    /// zeros, of the same sign; a subnormal operand may be taken as a zero, and zero may be the value where one
    /// within the error is subnormal. Every other value is at most the error from the exact one, relative to it, or a
    /// neighbor of the exact one in the format.
    Reciprocal,
    /// An approximation of the reciprocal of the square root with the same conventions; a NaN for negative numbers.
    ReciprocalSqrt,
}

/// What a NaN is that an operator returns.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
pub enum NanRule {
    /// Any NaN. Operations of a dialect leave the choice open, as LLVM's instructions do.
    Open,
    /// The first operand that is a NaN, made quiet; without one the negative NaN with an empty payload (x86).
    First,
    /// The first operand that is a signaling NaN, else the first that is a NaN, made quiet; without one the positive NaN
    /// with an empty payload. [`FloatOp::MulAdd`] looks at the addend first, and takes the latter for an infinity
    /// times zero plus a quiet NaN (Arm's `FPProcessNaNs`).
    SignalingFirst,
}

/// Rounding modes by their number as an operand; others round as [`Rounding::NearestEven`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Rounding {
    /// To the nearest, ties to the even one.
    NearestEven,
    /// Toward negative infinity.
    Down,
    /// Toward positive infinity.
    Up,
    /// Toward zero.
    Zero,
    /// To the nearest, ties away from zero.
    NearestAway,
    /// To the odd neighbor where inexact.
    Odd,
}

impl Rounding {
    /// The mode with a number.
    pub fn numbered(number: u64) -> Self {
        match number {
            1 => Self::Down,
            2 => Self::Up,
            3 => Self::Zero,
            4 => Self::NearestAway,
            5 => Self::Odd,
            _ => Self::NearestEven,
        }
    }
}

impl FloatOp {
    /// Every operator with its name in the text form.
    pub const NAMES: &[(FloatOp, &str)] = &[
        (FloatOp::Add, "fadd"),
        (FloatOp::Sub, "fsub"),
        (FloatOp::Mul, "fmul"),
        (FloatOp::Div, "fdiv"),
        (FloatOp::Sqrt, "fsqrt"),
        (FloatOp::MulAdd, "fma"),
        (FloatOp::Min, "fmin"),
        (FloatOp::Max, "fmax"),
        (FloatOp::Eq, "feq"),
        (FloatOp::Lt, "flt"),
        (FloatOp::Le, "fle"),
        (FloatOp::Unordered, "funordered"),
        (FloatOp::RoundToInt, "fround"),
        (FloatOp::Convert, "fconvert"),
        (FloatOp::ToInt, "ftoint"),
        (FloatOp::FromInt, "ffromint"),
        (FloatOp::Reciprocal, "freciprocal"),
        (FloatOp::ReciprocalSqrt, "frsqrt"),
    ];

    /// The name in the text form.
    pub fn name(self) -> &'static str {
        Self::NAMES.iter().find(|(op, _)| *op == self).map_or("?", |(_, name)| name)
    }

    /// Number of operands without the rounding mode.
    pub fn arity(self) -> usize {
        match self {
            Self::Sqrt | Self::RoundToInt | Self::Convert | Self::ToInt | Self::FromInt => 1,
            Self::Reciprocal | Self::ReciprocalSqrt => 1,
            Self::MulAdd => 3,
            _ => 2,
        }
    }

    /// Whether the last operand is a rounding mode.
    pub fn rounds(self) -> bool {
        !self.compares() && !self.approximates() && !matches!(self, Self::Min | Self::Max)
    }

    /// Whether the value is one of several that are near the exact one: an uninterpreted function of the operand.
    pub fn approximates(self) -> bool {
        matches!(self, Self::Reciprocal | Self::ReciprocalSqrt)
    }

    /// Number of operands.
    pub fn operands(self) -> usize {
        self.arity() + usize::from(self.rounds())
    }

    /// Whether the value is one bit.
    pub fn compares(self) -> bool {
        matches!(self, Self::Eq | Self::Lt | Self::Le | Self::Unordered)
    }

    /// Whether the value can be a NaN.
    pub fn gives_nans(self) -> bool {
        !self.compares() && !matches!(self, Self::ToInt | Self::FromInt)
    }

    /// Whether the value has a type of its own: its width does not follow from the operands.
    pub fn converts(self) -> bool {
        matches!(self, Self::Convert | Self::ToInt | Self::FromInt)
    }

    /// Whether the first two operands can be exchanged, up to the choice among NaNs.
    pub fn commutes(self) -> bool {
        matches!(
            self,
            Self::Add | Self::Mul | Self::MulAdd | Self::Min | Self::Max | Self::Eq | Self::Unordered
        )
    }
}

impl NanRule {
    /// Every rule with its name in the text form.
    pub const NAMES: &[(NanRule, &str)] =
        &[(NanRule::Open, "open"), (NanRule::First, "first"), (NanRule::SignalingFirst, "signaling_first")];

    /// The name in the text form.
    pub fn name(self) -> &'static str {
        Self::NAMES.iter().find(|(rule, _)| *rule == self).map_or("?", |(_, name)| name)
    }
}

impl<N> Float<N> {
    /// Whether the first two operands can be exchanged.
    pub fn commutes(&self) -> bool {
        self.op.commutes() && (self.nan == NanRule::Open || self.op.compares())
    }

    /// The same operator with each number replaced.
    pub fn map<'a, M>(&'a self, mut f: impl FnMut(&'a N) -> M) -> Float<M> {
        let Ok(float) = self.try_map(|number| Ok::<M, Infallible>(f(number)));
        float
    }

    /// The same operator with each number replaced, or the first error.
    pub fn try_map<'a, M, E>(&'a self, mut f: impl FnMut(&'a N) -> Result<M, E>) -> Result<Float<M>, E> {
        Ok(Float { op: self.op, nan: self.nan, exponent: f(&self.exponent)?, target: f(&self.target)? })
    }
}

impl<N: Clone> Float<N> {
    /// The operator that leaves the choice among NaNs open.
    pub fn open(&self) -> Self {
        Self { nan: NanRule::Open, ..self.clone() }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_the_rule_for_nans_changes_when_it_is_left_open() {
        let float = Float { op: FloatOp::Div, nan: NanRule::First, exponent: 5, target: 3 };
        assert_eq!(float.open(), Float { nan: NanRule::Open, ..float });
        assert_eq!(float.map(|number| number + 1), Float { exponent: 6, target: 4, ..float });
    }

    #[test]
    fn modes_have_numbers() {
        use Rounding::*;
        for (number, mode) in (0..).zip([NearestEven, Down, Up, Zero, NearestAway, Odd, NearestEven]) {
            assert_eq!(Rounding::numbered(number), mode);
        }
    }

    /// Of each operator: operands without the mode and with it, and whether its value can be a NaN.
    #[test]
    fn operators_have_the_operands_that_they_need() {
        use FloatOp::*;
        for (ops, expected) in [
            (&[Add, Sub, Mul, Div][..], (2, 3, true)),
            (&[Sqrt, RoundToInt, Convert], (1, 2, true)),
            (&[ToInt, FromInt], (1, 2, false)),
            (&[MulAdd], (3, 4, true)),
            (&[Reciprocal, ReciprocalSqrt], (1, 1, true)),
            (&[Min, Max], (2, 2, true)),
            (&[Eq, Lt, Le, Unordered], (2, 2, false)),
        ] {
            for op in ops {
                assert_eq!((op.arity(), op.operands(), op.gives_nans()), expected, "{op:?}");
                assert_eq!(op.compares(), matches!(op, Eq | Lt | Le | Unordered));
                assert_eq!(op.converts(), matches!(op, Convert | ToInt | FromInt));
                assert_eq!(op.approximates(), matches!(op, Reciprocal | ReciprocalSqrt));
                assert!(FloatOp::NAMES.iter().all(|(other, name)| (other == op) == (*name == op.name())));
            }
        }
        for (rule, name) in NanRule::NAMES {
            assert_eq!(rule.name(), *name);
        }
    }
}
