//! What `write` of the modifiers needs of the IR: whole arguments, zeros, and numbers that are known.

use hydride_ir::passes::PassError;
use hydride_ir::{ArgId, Bits, ExprId, Function, Num, Op};

/// A class's function that cannot be applied as a member says.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum ApplyError {
    /// The class's function is not legal at the member's parameters, or too large.
    #[error(transparent)]
    Pass(#[from] PassError),
    /// The class's results, or the arguments named, do not fit the member's.
    #[error("{0}")]
    Shape(&'static str),
}

/// An argument of `applied`.
pub(crate) fn whole(applied: &mut Function, arg: u32) -> Result<ExprId, ApplyError> {
    let width = match applied.args.get(arg as usize) {
        Some(arg) => arg.width.clone(),
        None => return Err(ApplyError::Shape("an argument that the member does not have")),
    };
    Ok(applied.push(Op::Arg(ArgId(arg)), width))
}

/// `width` bits of an argument of `applied`, from bit `low` on.
pub(crate) fn slice(applied: &mut Function, arg: u32, low: i64, width: i64) -> Result<ExprId, ApplyError> {
    let of = whole(applied, arg)?;
    Ok(applied.push(Op::Extract { of, low: low.into() }, width))
}

/// `width` bits, all 0.
pub(crate) fn zero(applied: &mut Function, width: i64) -> ExprId {
    applied.push(Op::Const(Bits::zero(u32::try_from(width).unwrap_or(0))), width)
}

/// The value of a number without parameters and indices.
pub(crate) fn constant(num: &Num) -> Result<i64, ApplyError> {
    num.as_constant().ok_or(ApplyError::Shape("a number is not known"))
}
