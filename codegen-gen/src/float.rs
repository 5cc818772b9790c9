//! What the generated languages need to know about floating-point operators.

use hydride_ir::{ExprId, Float, FloatOp, Function, Num, Op};
use llvm_text::Scalar;

/// The type of LLVM whose numbers have `width` bits, of which `exponent` are the exponent.
pub(crate) fn scalar(exponent: u32, width: u32) -> Option<Scalar> {
    match (exponent, width) {
        (5, 16) => Some(Scalar::Half),
        (8, 16) => Some(Scalar::BFloat),
        (8, 32) => Some(Scalar::Float),
        (11, 64) => Some(Scalar::Double),
        _ => None,
    }
}

/// The same for an operator's number.
pub(crate) fn operand_scalar(exponent: &Num, width: u32) -> Option<Scalar> {
    scalar(u32::try_from(exponent.as_constant()?).ok()?, width)
}

/// The rounding mode among an operator's operands, where there is one.
pub(crate) fn rounding(float: &Float<Num>, operands: &[ExprId]) -> Option<ExprId> {
    operands.get(float.op.arity()).copied()
}

/// The number of a rounding mode that is a constant.
pub(crate) fn constant_mode(function: &Function, mode: ExprId) -> Option<u64> {
    match &function.expr(mode).op {
        Op::Const(bits) => bits.to_u64(),
        Op::Int(num) => u64::try_from(num.as_constant()?).ok(),
        _ => None,
    }
}

/// Whether the operator's value is rounded to a format that has not room for every exact one.
pub(crate) fn is_arithmetic(op: FloatOp) -> bool {
    matches!(op, FloatOp::Add | FloatOp::Sub | FloatOp::Mul | FloatOp::Div | FloatOp::Sqrt | FloatOp::MulAdd)
}

#[cfg(test)]
mod tests;
