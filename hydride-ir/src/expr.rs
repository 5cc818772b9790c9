//! Bit-vector expressions.
//!
//! Expressions live in their function's arena and refer to each other by [`ExprId`]; an operand's
//! id is always smaller than its user's. Every expression has a width in bits, a [`Num`].

use serde::{Deserialize, Serialize};

use crate::bits::Bits;
use crate::float::Float;
use crate::function::ArgId;
use crate::num::{IndexId, Num};

/// An expression of a function's arena.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
pub struct ExprId(pub u32);

/// An operation and the width of its value in bits.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct Expr {
    /// What is computed.
    pub op: Op,
    /// Width of the value in bits, at least 1.
    pub width: Num,
}

/// The operations. `signed` flags are numbers too (0 or 1), since signedness may be a parameter of
/// a class; where an operator does not depend on signedness its flag is 0.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub enum Op {
    /// A whole argument.
    Arg(ArgId),
    /// A literal with its width.
    Const(Bits),
    /// The low `width` bits (two's complement) of a number.
    Int(Num),
    /// Bits `low .. low + width` of `of`; they lie inside it.
    Extract {
        /// The expression read.
        of: ExprId,
        /// Position of the lowest bit read.
        low: Num,
    },
    /// Bits `low .. low + width` of `of` at a computed position (`low` is read unsigned); bits
    /// beyond the top of `of` are zero.
    ExtractAt {
        /// The expression read.
        of: ExprId,
        /// Position of the lowest bit read.
        low: ExprId,
    },
    /// `of` with the width changed: the low bits when narrower, extended by zeros or (`signed`) by
    /// the sign bit when wider.
    Cast {
        /// The expression converted.
        of: ExprId,
        /// Whether `of` is read as two's complement.
        signed: Num,
    },
    /// `of` clamped into the range of `width` bits: read signed when `from_signed`, limited to the
    /// signed range when `to_signed`, else to the unsigned one.
    Saturate {
        /// The expression clamped.
        of: ExprId,
        /// Whether `of` is read as two's complement.
        from_signed: Num,
        /// Whether the target range is the signed one.
        to_signed: Num,
    },
    /// The concatenated parts, most significant first.
    Concat(Vec<ExprId>),
    /// An operator with one operand of the same width.
    Unary(UnaryOp, ExprId),
    /// An operator with two operands of the same width as the value. Shift counts may have any
    /// width and are read unsigned.
    Binary {
        /// The operator.
        op: BinaryOp,
        /// Signedness, for the operators that depend on it ([`BinaryOp::has_sign`]).
        signed: Num,
        /// First operand.
        left: ExprId,
        /// Second operand.
        right: ExprId,
    },
    /// A comparison of two operands of one width; the value is one bit.
    Compare {
        /// The relation.
        op: CompareOp,
        /// Signedness, for the orders.
        signed: Num,
        /// First operand.
        left: ExprId,
        /// Second operand.
        right: ExprId,
    },
    /// `then` where the one-bit condition is 1, else `otherwise`.
    Select {
        /// One bit.
        condition: ExprId,
        /// The value when the condition is 1.
        then: ExprId,
        /// The value when the condition is 0.
        otherwise: ExprId,
    },
    /// `body(0) op body(1) op … op body(count - 1)`; `op` is associative and commutative
    /// ([`BinaryOp::folds`]), `count` at least 1, `index` is in scope only in the body.
    Fold {
        /// The combining operator.
        op: BinaryOp,
        /// Signedness of the operator, where it has one.
        signed: Num,
        /// The index that counts from 0.
        index: IndexId,
        /// The number of repetitions.
        count: Num,
        /// The repeated expression, as wide as the value.
        body: ExprId,
    },
    /// A floating-point operator. Its floating-point operands have one width, and the value has it too where it is a
    /// number of the same format; comparisons have one bit.
    Float {
        /// The operator.
        float: Float<Num>,
        /// The operands, and where the operator rounds the mode, of [`ROUNDING_WIDTH`](crate::ROUNDING_WIDTH) bits.
        operands: Vec<ExprId>,
    },
}

/// Operators with one operand.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
pub enum UnaryOp {
    /// Complement of every bit.
    Not,
    /// Two's complement negation.
    Neg,
    /// Magnitude of the two's complement reading (the minimum maps to itself).
    Abs,
    /// Number of one bits.
    PopCount,
    /// Number of zero bits above the highest one bit; the width for 0.
    LeadingZeros,
    /// Number of zero bits below the lowest one bit; the width for 0.
    TrailingZeros,
}

/// Operators with two operands.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
pub enum BinaryOp {
    /// Sum modulo 2^width.
    Add,
    /// Difference modulo 2^width.
    Sub,
    /// Product modulo 2^width.
    Mul,
    /// Quotient rounded toward zero; all ones for a zero divisor when unsigned, and as SMT-LIB's `bvsdiv`
    /// when signed.
    Div,
    /// Remainder of [`BinaryOp::Div`], with the dividend's sign; the dividend for a zero divisor.
    Rem,
    /// Bitwise and.
    And,
    /// Bitwise or.
    Or,
    /// Bitwise exclusive or.
    Xor,
    /// Shift towards the most significant bit; 0 for counts of at least the width.
    Shl,
    /// Shift towards the least significant bit, filling with zeros or (signed) the sign bit.
    Shr,
    /// The smaller operand.
    Min,
    /// The larger operand.
    Max,
}

/// Relations.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
pub enum CompareOp {
    /// Equal.
    Eq,
    /// Less than.
    Lt,
    /// Less than or equal.
    Le,
}

impl UnaryOp {
    /// Every operator with its name in the text form.
    pub const NAMES: &[(UnaryOp, &str)] = &[
        (UnaryOp::Not, "not"),
        (UnaryOp::Neg, "neg"),
        (UnaryOp::Abs, "abs"),
        (UnaryOp::PopCount, "popcount"),
        (UnaryOp::LeadingZeros, "leading_zeros"),
        (UnaryOp::TrailingZeros, "trailing_zeros"),
    ];
}

impl BinaryOp {
    /// Every operator with its name in the text form.
    pub const NAMES: &[(BinaryOp, &str)] = &[
        (BinaryOp::Add, "add"),
        (BinaryOp::Sub, "sub"),
        (BinaryOp::Mul, "mul"),
        (BinaryOp::Div, "div"),
        (BinaryOp::Rem, "rem"),
        (BinaryOp::And, "and"),
        (BinaryOp::Or, "or"),
        (BinaryOp::Xor, "xor"),
        (BinaryOp::Shl, "shl"),
        (BinaryOp::Shr, "shr"),
        (BinaryOp::Min, "min"),
        (BinaryOp::Max, "max"),
    ];

    /// Whether the value depends on how the operands' sign is read.
    pub fn has_sign(self) -> bool {
        matches!(self, Self::Div | Self::Rem | Self::Shr | Self::Min | Self::Max)
    }

    /// Whether the operator is associative and commutative, so that [`Op::Fold`] may repeat it.
    pub fn folds(self) -> bool {
        matches!(self, Self::Add | Self::Mul | Self::And | Self::Or | Self::Xor | Self::Min | Self::Max)
    }

    /// Whether the right operand is a shift count.
    pub fn is_shift(self) -> bool {
        matches!(self, Self::Shl | Self::Shr)
    }
}

impl CompareOp {
    /// Every relation with its name in the text form.
    pub const NAMES: &[(CompareOp, &str)] =
        &[(CompareOp::Eq, "eq"), (CompareOp::Lt, "lt"), (CompareOp::Le, "le")];

    /// Whether the relation depends on how the operands' sign is read.
    pub fn has_sign(self) -> bool {
        self != Self::Eq
    }
}

impl Op {
    /// The operands, in order.
    pub fn operands(&self) -> smallvec::SmallVec<[ExprId; 3]> {
        use smallvec::smallvec;
        match self {
            Op::Arg(_) | Op::Const(_) | Op::Int(_) => smallvec![],
            Op::Extract { of, .. } | Op::Cast { of, .. } | Op::Saturate { of, .. } => smallvec![*of],
            Op::ExtractAt { of, low } => smallvec![*of, *low],
            Op::Concat(parts) | Op::Float { operands: parts, .. } => parts.iter().copied().collect(),
            Op::Unary(_, of) => smallvec![*of],
            Op::Binary { left, right, .. } | Op::Compare { left, right, .. } => smallvec![*left, *right],
            Op::Select { condition, then, otherwise } => smallvec![*condition, *then, *otherwise],
            Op::Fold { body, .. } => smallvec![*body],
        }
    }

    /// The operation with its operands replaced, in order.
    pub fn map_operands(&self, mut new: impl FnMut(ExprId) -> ExprId) -> Op {
        let mut op = self.clone();
        match &mut op {
            Op::Arg(_) | Op::Const(_) | Op::Int(_) => {}
            Op::Extract { of, .. } | Op::Cast { of, .. } | Op::Saturate { of, .. } | Op::Unary(_, of) => {
                *of = new(*of);
            }
            Op::ExtractAt { of, low } => {
                *of = new(*of);
                *low = new(*low);
            }
            Op::Concat(parts) | Op::Float { operands: parts, .. } => {
                parts.iter_mut().for_each(|part| *part = new(*part));
            }
            Op::Binary { left, right, .. } | Op::Compare { left, right, .. } => {
                *left = new(*left);
                *right = new(*right);
            }
            Op::Select { condition, then, otherwise } => {
                *condition = new(*condition);
                *then = new(*then);
                *otherwise = new(*otherwise);
            }
            Op::Fold { body, .. } => *body = new(*body),
        }
        op
    }

    /// The operation with the numbers that it holds itself replaced, in the order of [`Op::nums`].
    pub fn try_map_nums<E>(&self, mut new: impl FnMut(&Num) -> Result<Num, E>) -> Result<Op, E> {
        let mut op = self.clone();
        match &mut op {
            Op::Int(num) | Op::Extract { low: num, .. } | Op::Cast { signed: num, .. } => *num = new(num)?,
            Op::Saturate { from_signed, to_signed, .. } => {
                *from_signed = new(from_signed)?;
                *to_signed = new(to_signed)?;
            }
            Op::Binary { signed, .. } | Op::Compare { signed, .. } => *signed = new(signed)?,
            Op::Fold { signed, count, .. } => {
                *signed = new(signed)?;
                *count = new(count)?;
            }
            Op::Float { float, .. } => *float = float.try_map(new)?,
            Op::Arg(_)
            | Op::Const(_)
            | Op::ExtractAt { .. }
            | Op::Concat(_)
            | Op::Unary(..)
            | Op::Select { .. } => {}
        }
        Ok(op)
    }

    /// The numbers that the operation itself holds (not its width).
    pub fn nums(&self) -> smallvec::SmallVec<[&Num; 2]> {
        use smallvec::smallvec;
        match self {
            Op::Int(num) | Op::Extract { low: num, .. } | Op::Cast { signed: num, .. } => smallvec![num],
            Op::Saturate { from_signed, to_signed, .. } => smallvec![from_signed, to_signed],
            Op::Binary { signed, .. } | Op::Compare { signed, .. } => smallvec![signed],
            Op::Fold { signed, count, .. } => smallvec![signed, count],
            Op::Float { float, .. } => smallvec![&float.exponent, &float.target],
            Op::Arg(_)
            | Op::Const(_)
            | Op::ExtractAt { .. }
            | Op::Concat(_)
            | Op::Unary(..)
            | Op::Select { .. } => smallvec![],
        }
    }
}
