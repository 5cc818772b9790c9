//! The laws that a single expression can break.

use super::{Checked, Verifier, check_width};
use crate::expr::{ExprId, Op};
use crate::float::{Float, FloatOp, MAX_ERROR, MAX_EXPONENT, ROUNDING_WIDTH};
use crate::num::{Atom, Num};

impl Verifier<'_> {
    /// Checks an expression whose operands are sound.
    pub(super) fn expression(&self, id: ExprId) -> Checked {
        let function = self.function;
        let expr = function.expr(id);
        let (least, greatest) = self.range(&expr.width)?;
        check_width(least)?;
        check_width(greatest)?;
        for num in expr.op.nums() {
            self.range(num)?;
        }
        let width_of = |id: ExprId| &function.expr(id).width;
        match &expr.op {
            Op::Arg(arg) => match function.args.get(arg.0 as usize) {
                Some(arg) => self.derived(&expr.width, &arg.width),
                None => Err(format!("argument #{} does not exist", arg.0)),
            },
            Op::Const(bits) => self.derived(&expr.width, &Num::from(bits.width())),
            Op::Int(_) | Op::ExtractAt { .. } => Ok(()),
            Op::Extract { of, low } => self.inside(low, &expr.width, width_of(*of)),
            Op::Cast { signed, .. } => self.flag(signed, true),
            Op::Saturate { from_signed, to_signed, .. } => {
                self.flag(from_signed, true)?;
                self.flag(to_signed, true)
            }
            Op::Concat(parts) => {
                let Some((first, rest)) = parts.split_first() else {
                    return Err("nothing is concatenated".to_owned());
                };
                let sum =
                    rest.iter().fold(width_of(*first).clone(), |sum, part| sum + width_of(*part).clone());
                self.derived(&expr.width, &sum)
            }
            Op::Unary(_, of) => self.derived(&expr.width, width_of(*of)),
            Op::Binary { op, signed, left, right } => {
                self.flag(signed, op.has_sign())?;
                self.derived(&expr.width, width_of(*left))?;
                if op.is_shift() { Ok(()) } else { self.same(width_of(*left), width_of(*right)) }
            }
            Op::Compare { op, signed, left, right } => {
                self.flag(signed, op.has_sign())?;
                self.derived(&expr.width, &Num::constant(1))?;
                self.same(width_of(*left), width_of(*right))
            }
            Op::Select { condition, then, otherwise } => {
                if !self.equal(width_of(*condition), &Num::constant(1)) {
                    return Err(format!("the condition has {} bits", self.text(width_of(*condition))));
                }
                self.derived(&expr.width, width_of(*then))?;
                self.same(width_of(*then), width_of(*otherwise))
            }
            Op::Fold { op, signed, body, index, count } => {
                if !op.folds() {
                    return Err("the operator is not associative and commutative".to_owned());
                }
                let own = |num: &Num| num.atoms().any(|atom| atom == Atom::Index(*index));
                if own(count) || own(signed) || own(&expr.width) {
                    return Err("the fold's index is used outside its body".to_owned());
                }
                self.flag(signed, op.has_sign())?;
                self.derived(&expr.width, width_of(*body))
            }
            Op::Float { float, operands } => self.float(float, operands, &expr.width),
        }
    }

    fn float(&self, float: &Float<Num>, operands: &[ExprId], width: &Num) -> Checked {
        let op = float.op;
        if operands.len() != op.operands() {
            return Err(format!("{} operands instead of {}", operands.len(), op.operands()));
        }
        let width_of = |id: ExprId| &self.function.expr(id).width;
        let (values, rounding) = operands.split_at(op.arity());
        if let Some(mode) = rounding.first() {
            self.same(width_of(*mode), &Num::from(ROUNDING_WIDTH))?;
        }
        for other in &values[1..] {
            self.same(width_of(values[0]), width_of(*other))?;
        }
        let own = if op == FloatOp::FromInt { width } else { width_of(values[0]) };
        self.format(&float.exponent, own)?;
        match op {
            FloatOp::Convert => self.format(&float.target, width),
            FloatOp::ToInt | FloatOp::FromInt => self.flag(&float.target, true),
            op if op.approximates() => {
                let (least, greatest) = self.range(&float.target)?;
                if least < 1 || greatest > i64::from(MAX_ERROR) {
                    return Err(format!("an error of {} units", self.text(&float.target)));
                }
                self.derived(width, own)
            }
            _ => {
                if float.target.as_constant() != Some(0) {
                    return Err("the operator has one format, but two are given".to_owned());
                }
                let expected = if op.compares() { &Num::constant(1) } else { own };
                self.derived(width, expected)
            }
        }
    }

    /// An exponent, between a sign bit and at least one bit of fraction.
    fn format(&self, exponent: &Num, width: &Num) -> Checked {
        let (least, greatest) = self.range(exponent)?;
        let (narrowest, _) = self.range(width)?;
        if least < 2 || greatest > i64::from(MAX_EXPONENT).min(narrowest - 2) {
            return Err(format!("an exponent of {} bits in {}", self.text(exponent), self.text(width)));
        }
        Ok(())
    }

    fn flag(&self, signed: &Num, has_sign: bool) -> Checked {
        let (least, greatest) = self.range(signed)?;
        match (has_sign, least, greatest) {
            (_, 0, 0) | (true, 0..=1, 0..=1) => Ok(()),
            (true, ..) => Err(format!("signedness {} is not 0 or 1", self.text(signed))),
            (false, ..) => Err("the operator does not depend on signedness, but has a flag".to_owned()),
        }
    }

    /// A width is the number that the operands say.
    fn derived(&self, width: &Num, expected: &Num) -> Checked {
        if width == expected {
            return Ok(());
        }
        Err(format!("the width is {} where the operands say {}", self.text(width), self.text(expected)))
    }

    fn same(&self, left: &Num, right: &Num) -> Checked {
        if self.equal(left, right) {
            return Ok(());
        }
        Err(format!("operands of {} and {} bits", self.text(left), self.text(right)))
    }

    /// Whether two numbers agree at the parameters' values, whatever the indices are.
    fn equal(&self, left: &Num, right: &Num) -> bool {
        left == right || self.at_params(&(left.clone() - right.clone())).as_constant() == Some(0)
    }

    /// A number over only the indices.
    pub(super) fn at_params(&self, num: &Num) -> Num {
        num.substitute(|atom| match atom {
            Atom::Param(param) => {
                self.params.get(param.0 as usize).copied().map_or(Num::param(param), Num::from)
            }
            Atom::Index(index) => Num::index(index),
        })
    }

    fn inside(&self, low: &Num, width: &Num, of: &Num) -> Checked {
        let (least, _) = self.range(low)?;
        if least < 0 {
            return Err(format!("position {} can be {least}", self.text(low)));
        }
        let above = self.at_params(&(of.clone() - width.clone() - low.clone()));
        let (room, _) = self.range(&above)?;
        if room < 0 {
            return Err(format!(
                "the {} bits at {} reach {} bits beyond the {} that there are",
                self.text(width),
                self.text(low),
                room.unsigned_abs(),
                self.text(of)
            ));
        }
        Ok(())
    }
}
