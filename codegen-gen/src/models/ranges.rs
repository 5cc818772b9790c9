//! The ranges of a function's values, read signed and unsigned, from which it follows where Rust's operators are exact.

use std::cell::RefCell;
use std::collections::HashMap;

use hydride_ir::{ArgId, BinaryOp, ExprId, Function, IndexId, Num, Op, UnaryOp};

use super::native::Bounds;
use crate::space::Indices;

/// Values of indices that are tried one by one.
const MAX_POINTS: usize = 1 << 14;

/// What is known of the numbers of a function without parameters.
pub(super) struct Ranges<'f> {
    function: &'f Function,
    indices: Indices,
    known: RefCell<HashMap<(ExprId, bool), Option<Bounds>>>,
}

/// The values of `width` bits; `None` where they are no `i128`.
pub(super) fn reading(width: u32, signed: bool) -> Option<Bounds> {
    match (signed, width) {
        (_, 0) => None,
        (true, 1..=128) => Some((i128::MIN >> (128 - width), i128::MAX >> (128 - width))),
        (false, 1..=127) => Some((0, i128::MAX >> (127 - width))),
        _ => None,
    }
}

/// Whether all values between bounds have `width` bits.
pub(super) fn fits(bounds: Option<Bounds>, width: u32, signed: bool) -> bool {
    match (bounds, reading(width, signed)) {
        (Some((low, high)), Some((least, most))) => least <= low && high <= most,
        // All that is not negative.
        (Some((low, _)), None) => !signed && width == 128 && low >= 0,
        (None, _) => false,
    }
}

fn corners(
    left: Option<Bounds>,
    right: Option<Bounds>,
    apply: impl Fn(i128, i128) -> Option<i128>,
) -> Option<Bounds> {
    let (left, right) = (left?, right?);
    let mut all = [None; 4];
    for (slot, (a, b)) in
        all.iter_mut().zip([(left.0, right.0), (left.0, right.1), (left.1, right.0), (left.1, right.1)])
    {
        *slot = Some(apply(a, b)?);
    }
    let all = all.into_iter().flatten();
    Some((all.clone().min()?, all.max()?))
}

/// The bounds of a sum, difference or product of integers.
pub(super) fn arithmetic(op: BinaryOp, left: Option<Bounds>, right: Option<Bounds>) -> Option<Bounds> {
    match op {
        BinaryOp::Add => corners(left, right, i128::checked_add),
        BinaryOp::Sub => corners(left, right, |a, b| a.checked_sub(b)),
        BinaryOp::Mul => corners(left, right, i128::checked_mul),
        _ => None,
    }
}

fn hull(left: Option<Bounds>, right: Option<Bounds>) -> Option<Bounds> {
    let (left, right) = (left?, right?);
    Some((left.0.min(right.0), left.1.max(right.1)))
}

impl<'f> Ranges<'f> {
    /// `None` where a count is no constant.
    pub(super) fn new(function: &'f Function) -> Option<Self> {
        Some(Self { function, indices: Indices::of(function)?, known: RefCell::default() })
    }

    /// How often an index counts.
    pub(super) fn count(&self, index: IndexId) -> usize {
        self.indices.count(index)
    }

    /// The width of an expression in bits; 0 where it is no constant.
    pub(super) fn width(&self, id: ExprId) -> u32 {
        constant_width(&self.function.expr(id).width)
    }

    /// All values of a number, as its indices count; `None` where these are too many.
    pub(super) fn values(&self, num: &Num) -> Option<Vec<i64>> {
        let space = self.indices.space(num);
        let points = self.indices.lanes(&space);
        (points <= MAX_POINTS).then(|| self.indices.values(num, &space))?
    }

    /// The bounds of a value read signed or unsigned; `None` where they are unknown or no `i128`.
    pub(super) fn of(&self, id: ExprId, signed: bool) -> Option<Bounds> {
        if let Some(known) = self.known.borrow().get(&(id, signed)) {
            return *known;
        }
        let width = self.width(id);
        let found = self.exact(id, signed).filter(|bounds| fits(Some(*bounds), width, signed));
        let bounds = found.or_else(|| reading(width, signed));
        self.known.borrow_mut().insert((id, signed), bounds);
        bounds
    }

    /// The bounds of what an operator gives on integers, before it is reduced to its width: those of its operands read as
    /// `operands_signed` for an operator that is exact in both readings.
    pub(super) fn arithmetic(
        &self,
        op: BinaryOp,
        left: ExprId,
        right: ExprId,
        operands_signed: bool,
    ) -> Option<Bounds> {
        arithmetic(op, self.of(left, operands_signed), self.of(right, operands_signed))
    }

    /// Bounds of an integer that has the expression's bits, if it lies in the reading.
    fn exact(&self, id: ExprId, signed: bool) -> Option<Bounds> {
        let width = self.width(id);
        let expr = self.function.expr(id);
        let in_reading = |bounds: Option<Bounds>| bounds.filter(|bounds| fits(Some(*bounds), width, signed));
        match &expr.op {
            Op::Const(bits) => {
                let value = (width <= 128).then(|| literal(bits.words(), width, signed))??;
                Some((value, value))
            }
            Op::Int(num) => {
                let values = self.values(num)?;
                Some((i128::from(*values.iter().min()?), i128::from(*values.iter().max()?)))
            }
            Op::Arg(arg) => self.immediate(*arg),
            Op::Extract { of, low } => match (&self.function.expr(*of).op, low.as_constant()) {
                (Op::Arg(arg), Some(0)) => self.immediate(*arg),
                (Op::Arg(_), _) => None,
                (_, Some(0)) => in_reading(self.of(*of, signed)),
                (_, Some(low @ 1..=127)) => {
                    let (least, most) = self.of(*of, false)?;
                    Some((least >> low, most >> low))
                }
                _ => None,
            },
            Op::Cast { of, signed: from } if width > self.width(*of) => self.of(*of, known_flag(from)?),
            Op::Cast { of, .. } => in_reading(self.of(*of, signed)).or_else(|| self.of(*of, !signed)),
            Op::Saturate { of, from_signed, to_signed } => {
                let (least, most) = reading(width, known_flag(to_signed)?)?;
                match self.of(*of, known_flag(from_signed)?) {
                    Some((low, high)) => Some((low.clamp(least, most), high.clamp(least, most))),
                    None => Some((least, most)),
                }
            }
            Op::Unary(op, of) => match op {
                UnaryOp::Neg => {
                    let (low, high) = self.of(*of, true)?;
                    Some((high.checked_neg()?, low.checked_neg()?))
                }
                UnaryOp::Abs => {
                    let (low, high) = self.of(*of, true)?;
                    let most = low.checked_neg()?.max(high);
                    Some((if low > 0 { low } else { 0 }, most))
                }
                UnaryOp::PopCount | UnaryOp::LeadingZeros | UnaryOp::TrailingZeros => {
                    Some((0, i128::from(width)))
                }
                UnaryOp::Not => None,
            },
            Op::Binary { op, signed: own, left, right } => {
                self.binary(*op, known_flag(own)?, *left, *right, signed, width)
            }
            Op::Compare { .. } => None,
            Op::Select { then, otherwise, .. } => hull(self.of(*then, signed), self.of(*otherwise, signed)),
            Op::Float { .. } => None,
            Op::Fold { op, index, body, .. } => {
                let body = self.of(*body, signed)?;
                match op {
                    BinaryOp::Add => {
                        let count = self.count(*index) as i128;
                        Some((body.0.checked_mul(count)?, body.1.checked_mul(count)?))
                    }
                    BinaryOp::Min | BinaryOp::Max => Some(body),
                    _ => None,
                }
            }
            Op::Concat(_) | Op::ExtractAt { .. } => None,
        }
    }

    fn binary(
        &self,
        op: BinaryOp,
        own: bool,
        left: ExprId,
        right: ExprId,
        signed: bool,
        width: u32,
    ) -> Option<Bounds> {
        match op {
            BinaryOp::Add | BinaryOp::Sub | BinaryOp::Mul => {
                let readings = [signed, !signed].into_iter();
                let exact = readings.map(|reading| self.arithmetic(op, left, right, reading));
                exact.flatten().find(|bounds| fits(Some(*bounds), width, signed))
            }
            BinaryOp::And => {
                let most = |id| self.of(id, false).map(|(_, most)| most);
                match (most(left), most(right)) {
                    (Some(left), Some(right)) => Some((0, left.min(right))),
                    (one, other) => Some((0, one.or(other)?)),
                }
            }
            BinaryOp::Or | BinaryOp::Xor => {
                let (_, most) = hull(self.of(left, false), self.of(right, false))?;
                let bits = 128 - most.leading_zeros();
                Some((0, if bits >= 127 { i128::MAX } else { (1 << bits) - 1 }))
            }
            BinaryOp::Shl => {
                let (least, most) = self.of(right, false)?;
                let count = |count: i128| u32::try_from(count.min(128)).ok();
                let (least, most) = (count(least)?, count(most)?);
                let shifted = |value: i128, count: u32| 1i128.checked_shl(count)?.checked_mul(value);
                let value = self.of(left, signed)?;
                hull(
                    Some((shifted(value.0, least)?, shifted(value.1, least)?)),
                    Some((shifted(value.0, most)?, shifted(value.1, most)?)),
                )
            }
            BinaryOp::Shr => {
                let value = self.of(left, own)?;
                let least = self.of(right, false).map_or(0, |(least, _)| least.min(127));
                let most = self.of(right, false).map_or(127, |(_, most)| most.min(127));
                let ends = [value.0 >> least, value.0 >> most, value.1 >> least, value.1 >> most];
                Some((ends.into_iter().min()?, ends.into_iter().max()?))
            }
            BinaryOp::Min => {
                let (left, right) = (self.of(left, own)?, self.of(right, own)?);
                Some((left.0.min(right.0), left.1.min(right.1)))
            }
            BinaryOp::Max => {
                let (left, right) = (self.of(left, own)?, self.of(right, own)?);
                Some((left.0.max(right.0), left.1.max(right.1)))
            }
            BinaryOp::Div | BinaryOp::Rem => None,
        }
    }

    /// The documented values of an immediate.
    fn immediate(&self, arg: ArgId) -> Option<Bounds> {
        let (low, high) = self.function.arg(arg).role.range()?;
        Some((low.into(), high.into()))
    }
}

/// A constant width; 0 for others, which fit nothing.
pub(super) fn constant_width(width: &Num) -> u32 {
    width.as_constant().and_then(|width| u32::try_from(width).ok()).unwrap_or(0)
}

/// Whether a number that says a sign means a signed one; `None` where it is no constant.
pub(super) fn known_flag(signed: &Num) -> Option<bool> {
    signed.as_constant().map(|signed| signed != 0)
}

/// The value of at most 128 bits; `None` where it is no `i128`.
pub(super) fn literal(words: &[u64], width: u32, signed: bool) -> Option<i128> {
    let word = |at: usize| u128::from(words.get(at).copied().unwrap_or(0));
    let bits = word(0) | word(1) << 64;
    if signed {
        return Some(bits.cast_signed() << (128 - width) >> (128 - width));
    }
    i128::try_from(bits).ok()
}
