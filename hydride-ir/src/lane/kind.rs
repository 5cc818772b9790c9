//! Operators of terms, with their numbers as named fields.
//!
//! The type of the numbers is a parameter: `i64` in the view of one graph node, a column with one number for each
//! element while elements are unified, a [`Hole`](super::Hole) in a template.
//! [`Kind::try_map`] is the one place that lists the numbers of every operator; whatever is done to all numbers goes
//! through it, always in the same order.
//!
//! ```text
//! nodes      a[0 +: 8]                    a[8 +: 8]
//! views      low 0, width 8, signed 0     low 8, width 8, signed 0
//! unified    low [0, 8], width [8, 8], signed [0, 0]
//! template   low 8·i, width 8, signed 0
//! ```

use std::convert::Infallible;

use serde::{Deserialize, Serialize};
use smallvec::SmallVec;

use crate::exact::Int;
use crate::float::{Float, FloatOp};

/// Bits of a value.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Slice<N> {
    /// Lowest bit; of a slice at a computed position the constant part of that position.
    pub low: N,
    /// Width in bits.
    pub width: N,
    /// 1 where the bits are read as two's complement, else 0.
    pub signed: N,
}

/// The operator of a term, over numbers of type `N`. Operands are not part of it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Kind<N> {
    /// A literal of at most 64 bits.
    Const(N),
    /// The greatest unsigned value of a width, one that is the greatest of an element.
    AllOnes {
        /// Width in bits.
        width: N,
    },
    /// Another literal beyond 64 bits.
    Literal(Int),
    /// A slice of an argument.
    Leaf {
        /// Position of the argument.
        arg: u32,
        /// The bits.
        slice: Slice<N>,
    },
    /// A whole argument.
    Arg(u32),
    /// A slice of the operand.
    Slice(Slice<N>),
    /// A slice of the first operand at the position that the second gives, added to [`Slice::low`].
    SliceAt(Slice<N>),
    /// Concatenated operands, least significant first.
    Concat {
        /// Width of each in bits.
        widths: Vec<N>,
    },
    /// A sum.
    Sum {
        /// One for each operand.
        coefficients: Vec<Coefficient<N>>,
        /// What is added, if anything.
        constant: Option<N>,
    },
    /// A product.
    Mul,
    /// A shift up by a computed count.
    Shl,
    /// A shift down.
    Shr,
    /// Bitwise and.
    And,
    /// Bitwise or.
    Or,
    /// Bitwise exclusive or.
    Xor,
    /// Complement.
    Not,
    /// Equality.
    Eq,
    /// Less than.
    Lt,
    /// Not greater than.
    Le,
    /// Least operand.
    Min,
    /// Greatest operand.
    Max,
    /// Magnitude.
    Abs,
    /// Clamp to a width's range.
    Saturate {
        /// Width in bits.
        width: N,
        /// 1 where the range is that of two's complement, else 0.
        signed: N,
    },
    /// A choice.
    Select,
    /// Quotient.
    Div,
    /// Remainder.
    Rem,
    /// One bits.
    PopCount,
    /// Zero bits above.
    LeadingZeros {
        /// Width of the operand in bits.
        width: N,
    },
    /// Zero bits below.
    TrailingZeros {
        /// Width of the operand in bits.
        width: N,
    },
    /// The operand for each value of an index, joined.
    Fold {
        /// How they are joined.
        op: FoldOp,
        /// Number of values.
        count: N,
    },
    /// A floating-point operator.
    Float {
        /// The operator.
        float: Float<N>,
        /// Width in bits of its floating-point operands, of a converted integer that of the value.
        width: N,
        /// Width in bits of the value.
        value: N,
    },
}

/// The factor of an operand of a sum.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Coefficient<N> {
    /// Whether the operand is subtracted.
    pub negative: bool,
    /// The magnitude, if it is not 1.
    pub magnitude: Option<N>,
}

/// Operators that fold.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub enum FoldOp {
    /// Sum.
    Add,
    /// Product.
    Mul,
    /// Bitwise and.
    And,
    /// Bitwise or.
    Or,
    /// Bitwise exclusive or.
    Xor,
    /// Minimum.
    Min,
    /// Maximum.
    Max,
}

/// Which number of an operator one is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Field {
    /// A literal, or the constant of a sum.
    Literal,
    /// The magnitude of a coefficient.
    Magnitude,
    /// The lowest bit of a slice of an argument, or of one at a computed position.
    Position,
    /// The lowest bit of a slice of a computed value.
    Low,
    /// The width of a slice of an argument.
    LeafWidth,
    /// Another width.
    Width,
    /// Whether something is read as two's complement.
    Signed,
    /// The repetitions of a fold.
    Count,
    /// Bits of a floating-point format's exponent.
    Format,
    /// The relative error of an approximation.
    Error,
}

impl Field {
    /// Whether the number may change from element to element: positions and literals may; widths, counts and signs may
    /// not.
    pub(super) fn may_vary(self) -> bool {
        matches!(self, Self::Literal | Self::Position)
    }
}

impl<N> Slice<N> {
    fn try_map<'a, M, E>(
        &'a self,
        [low, width]: [Field; 2],
        f: &mut impl FnMut(Field, &'a N) -> Result<M, E>,
    ) -> Result<Slice<M>, E> {
        Ok(Slice {
            low: f(low, &self.low)?,
            width: f(width, &self.width)?,
            signed: f(Field::Signed, &self.signed)?,
        })
    }
}

impl<N> Kind<N> {
    /// The same operator with each number replaced, or the first error.
    pub fn try_map<'a, M, E>(
        &'a self,
        mut f: impl FnMut(Field, &'a N) -> Result<M, E>,
    ) -> Result<Kind<M>, E> {
        Ok(match self {
            Self::Const(value) => Kind::Const(f(Field::Literal, value)?),
            Self::AllOnes { width } => Kind::AllOnes { width: f(Field::Width, width)? },
            Self::Literal(value) => Kind::Literal(value.clone()),
            Self::Leaf { arg, slice } => {
                Kind::Leaf { arg: *arg, slice: slice.try_map([Field::Position, Field::LeafWidth], &mut f)? }
            }
            Self::Arg(arg) => Kind::Arg(*arg),
            Self::Slice(slice) => Kind::Slice(slice.try_map([Field::Low, Field::Width], &mut f)?),
            Self::SliceAt(slice) => Kind::SliceAt(slice.try_map([Field::Position, Field::Width], &mut f)?),
            Self::Concat { widths } => {
                let widths = widths.iter().map(|width| f(Field::Width, width));
                Kind::Concat { widths: widths.collect::<Result<_, E>>()? }
            }
            Self::Sum { coefficients, constant } => {
                let coefficients = coefficients.iter().map(|Coefficient { negative, magnitude }| {
                    let magnitude = magnitude.as_ref().map(|number| f(Field::Magnitude, number));
                    Ok(Coefficient { negative: *negative, magnitude: magnitude.transpose()? })
                });
                Kind::Sum {
                    coefficients: coefficients.collect::<Result<_, E>>()?,
                    constant: constant.as_ref().map(|number| f(Field::Literal, number)).transpose()?,
                }
            }
            Self::Mul => Kind::Mul,
            Self::Shl => Kind::Shl,
            Self::Shr => Kind::Shr,
            Self::And => Kind::And,
            Self::Or => Kind::Or,
            Self::Xor => Kind::Xor,
            Self::Not => Kind::Not,
            Self::Eq => Kind::Eq,
            Self::Lt => Kind::Lt,
            Self::Le => Kind::Le,
            Self::Min => Kind::Min,
            Self::Max => Kind::Max,
            Self::Abs => Kind::Abs,
            Self::Saturate { width, signed } => {
                Kind::Saturate { width: f(Field::Width, width)?, signed: f(Field::Signed, signed)? }
            }
            Self::Select => Kind::Select,
            Self::Div => Kind::Div,
            Self::Rem => Kind::Rem,
            Self::PopCount => Kind::PopCount,
            Self::LeadingZeros { width } => Kind::LeadingZeros { width: f(Field::Width, width)? },
            Self::TrailingZeros { width } => Kind::TrailingZeros { width: f(Field::Width, width)? },
            Self::Fold { op, count } => Kind::Fold { op: *op, count: f(Field::Count, count)? },
            Self::Float { float, width, value } => Kind::Float {
                float: Float {
                    op: float.op,
                    nan: float.nan,
                    exponent: f(Field::Format, &float.exponent)?,
                    target: match float.op {
                        FloatOp::ToInt => f(Field::Signed, &float.target)?,
                        op if op.approximates() => f(Field::Error, &float.target)?,
                        _ => f(Field::Format, &float.target)?,
                    },
                },
                width: f(Field::Width, width)?,
                value: f(Field::Width, value)?,
            },
        })
    }

    /// The same operator with each number replaced.
    pub fn map<'a, M>(&'a self, mut f: impl FnMut(Field, &'a N) -> M) -> Kind<M> {
        let Ok(kind) = self.try_map(|field, number| Ok::<M, Infallible>(f(field, number)));
        kind
    }

    /// Its numbers in order.
    pub fn numbers(&self) -> impl Iterator<Item = (Field, &N)> {
        let mut numbers = SmallVec::<[(Field, &N); 4]>::new();
        self.map(|field, number| numbers.push((field, number)));
        numbers.into_iter()
    }

    /// Whether another operator is the same, up to its numbers.
    pub(super) fn is_like(&self, other: &Self) -> bool {
        match (self, other) {
            (Self::Literal(own), Self::Literal(other)) => own == other,
            (Self::Leaf { arg: own, .. }, Self::Leaf { arg: other, .. })
            | (Self::Arg(own), Self::Arg(other)) => own == other,
            (Self::Concat { widths: own }, Self::Concat { widths: other }) => own.len() == other.len(),
            (Self::Sum { .. }, Self::Sum { .. }) => self.map(|_, _| ()) == other.map(|_, _| ()),
            (Self::Fold { op: own, .. }, Self::Fold { op: other, .. }) => own == other,
            (Self::Float { float: own, .. }, Self::Float { float: other, .. }) => {
                (own.op, own.nan) == (other.op, other.nan)
            }
            _ => std::mem::discriminant(self) == std::mem::discriminant(other),
        }
    }

    /// Whether operands are computed at a separate width of the term ([`Term::working`](super::Term::working)).
    pub fn has_working_width(&self) -> bool {
        matches!(
            self,
            Self::Shr
                | Self::Eq
                | Self::Lt
                | Self::Le
                | Self::Min
                | Self::Max
                | Self::Abs
                | Self::Saturate { .. }
                | Self::Div
                | Self::Rem
                | Self::PopCount
                | Self::SliceAt(_)
                | Self::Shl
                | Self::Fold { op: FoldOp::Min | FoldOp::Max, .. }
                | Self::Float { float: Float { op: FloatOp::FromInt, .. }, .. }
        )
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_visited_in_the_order_of_their_fields() {
        let slice = Slice { low: 1, width: 2, signed: 3 };
        let coefficient = |magnitude| Coefficient { negative: false, magnitude };
        let sum =
            Kind::Sum { coefficients: vec![coefficient(Some(4)), coefficient(None)], constant: Some(5) };
        let numbers = |kind: &Kind<i64>| kind.numbers().map(|(_, number)| *number).collect::<Vec<_>>();
        assert_eq!(numbers(&Kind::Leaf { arg: 7, slice: slice.clone() }), [1, 2, 3]);
        assert_eq!(numbers(&sum), [4, 5]);
        assert_eq!(sum.map(|_, number| number * 2).numbers().map(|(_, number)| *number).sum::<i64>(), 18);
        let varying: Vec<bool> = sum.numbers().map(|(field, _)| field.may_vary()).collect();
        assert_eq!(varying, [false, true]);
        assert!(sum.is_like(&sum.map(|_, number| number + 1)));
        assert!(!sum.is_like(&Kind::Sum { coefficients: vec![], constant: Some(5) }));
        assert!(!Kind::Slice(slice.clone()).is_like(&Kind::SliceAt(slice)));
    }

    #[test]
    fn operators_are_alike_where_only_numbers_differ() {
        use crate::float::NanRule;
        let kinds = |number: i64| {
            let slice = || Slice { low: number, width: number, signed: number };
            let sum = |negative, magnitude, constant| Kind::Sum {
                coefficients: vec![Coefficient { negative, magnitude }],
                constant,
            };
            let float = |op, nan| Kind::Float {
                float: Float { op, nan, exponent: number, target: number },
                width: number,
                value: number,
            };
            let mut kinds = vec![
                Kind::Const(number),
                Kind::AllOnes { width: number },
                Kind::Literal(Int::from(1)),
                Kind::Literal(Int::from(2)),
                Kind::Leaf { arg: 0, slice: slice() },
                Kind::Leaf { arg: 1, slice: slice() },
                Kind::Arg(0),
                Kind::Arg(1),
                Kind::Slice(slice()),
                Kind::SliceAt(slice()),
                Kind::Concat { widths: vec![number; 2] },
                Kind::Concat { widths: vec![number; 3] },
                sum(false, None, None),
                sum(false, None, Some(number)),
                sum(false, Some(number), None),
                Kind::Mul,
                Kind::Select,
                Kind::Saturate { width: number, signed: number },
                Kind::LeadingZeros { width: number },
                Kind::TrailingZeros { width: number },
                float(FloatOp::Add, NanRule::Open),
                float(FloatOp::Add, NanRule::First),
                float(FloatOp::Mul, NanRule::Open),
            ];
            let folds =
                [FoldOp::Add, FoldOp::Mul, FoldOp::And, FoldOp::Or, FoldOp::Xor, FoldOp::Min, FoldOp::Max];
            kinds.extend(folds.map(|op| Kind::Fold { op, count: number }));
            kinds
        };
        for (one, left) in kinds(3).iter().enumerate() {
            for (other, right) in kinds(4).iter().enumerate() {
                assert_eq!(left.is_like(right), one == other, "{left:?} and {right:?}");
            }
        }
    }
}
