//! Expressions as Rust.

use hydride_ir::{ArgId, BinaryOp, ExprId, Float, FloatOp, IndexId, Num, Op, UnaryOp};

use super::body::{Unreadable, Writer, native, reduced};
use super::layout::Shape;
use super::native::{
    BIT_AND, BIT_OR, BIT_XOR, Bounds, COMPARISON, Code, Level, Native, POSTFIX, PRODUCT, SHIFT, SUM, UNARY,
    Value,
};
use super::ranges::{arithmetic, fits, known_flag, literal, reading};
use crate::evaluators::nan_rule;

pub(super) type Result<T> = std::result::Result<T, Unreadable>;

pub(super) fn flag(signed: &Num) -> bool {
    known_flag(signed) == Some(true)
}

pub(super) fn unreadable<T>(what: impl Into<String>) -> Result<T> {
    Err(Unreadable(what.into()))
}

pub(super) fn truth(value: bool) -> Code {
    Code::name(if value { "true" } else { "false" })
}

impl Writer<'_> {
    /// The reading that an expression has without a conversion.
    pub(super) fn natural(&self, id: ExprId) -> bool {
        let width = self.ranges.width(id);
        let expr = self.function.expr(id);
        if let Some(named) = self.named(id) {
            return named.signed;
        }
        match &expr.op {
            Op::Arg(arg) => self.arg_sign(*arg, width),
            Op::Extract { of, .. } | Op::ExtractAt { of, .. } => match self.function.expr(*of).op {
                Op::Arg(arg) => self.arg_sign(arg, width),
                _ => false,
            },
            Op::Const(_) | Op::Int(_) | Op::Concat(_) | Op::Compare { .. } => false,
            Op::Cast { of, signed } if width > self.ranges.width(*of) => {
                flag(signed) || !Native::WIDTHS.contains(&width)
            }
            Op::Cast { of, .. } => self.natural(*of),
            Op::Saturate { to_signed, .. } => flag(to_signed),
            Op::Unary(op, of) => match op {
                UnaryOp::Not => self.natural(*of),
                UnaryOp::Neg => true,
                UnaryOp::Abs => fits(self.ranges.of(id, false), width, true),
                UnaryOp::PopCount | UnaryOp::LeadingZeros | UnaryOp::TrailingZeros => false,
            },
            Op::Binary { op, signed, left, right } => match op {
                op if op.has_sign() => flag(signed),
                BinaryOp::Add | BinaryOp::Sub | BinaryOp::Mul => self.arithmetic_sign(*op, *left, *right),
                BinaryOp::Shl => self.natural(*left),
                _ => self.common_sign(*left, *right),
            },
            Op::Select { then, otherwise, .. } => self.common_sign(*then, *otherwise),
            Op::Float { .. } => false,
            Op::Fold { op, signed, body, .. } => {
                if op.has_sign() {
                    flag(signed)
                } else {
                    self.natural(*body)
                }
            }
        }
    }

    fn arg_sign(&self, arg: ArgId, width: u32) -> bool {
        match &self.layout.args[arg.0 as usize] {
            Shape::Immediate { .. } => false,
            shape => shape.element().signed && shape.element().bits == width,
        }
    }

    /// The reading of the operand that is no literal.
    pub(super) fn common_sign(&self, left: ExprId, right: ExprId) -> bool {
        let constant = |id: ExprId| matches!(self.function.expr(id).op, Op::Const(_) | Op::Int(_));
        self.natural(if constant(left) { right } else { left })
    }

    /// The reading in which a sum, difference or product is exact, else that of its operands.
    fn arithmetic_sign(&self, op: BinaryOp, left: ExprId, right: ExprId) -> bool {
        let width = self.ranges.width(left);
        let preferred = self.common_sign(left, right);
        let exact = |signed: &bool| fits(self.ranges.arithmetic(op, left, right, *signed), width, *signed);
        [preferred, !preferred].into_iter().find(exact).unwrap_or(preferred)
    }

    /// The value of an expression in the smallest type that holds it.
    pub(super) fn value(&mut self, id: ExprId, signed: bool) -> Result<Value> {
        let width = self.ranges.width(id);
        let to = native(width, signed)?;
        if width == 1 {
            let condition = self.condition(id)?;
            let bit = Code::name(format!("{}::from({})", to, condition.whole()));
            let code = if signed { Code::new(format!("-{}", bit.whole()), UNARY) } else { bit };
            return Ok(Value { code, native: to });
        }
        if let Some(named) = self.named(id).cloned() {
            let value = Value { code: Code::name(named.name), native: native(width, named.signed)? };
            return self.read_as(id, value, named.signed, signed);
        }
        let function = self.function;
        let expr = function.expr(id);
        match &expr.op {
            Op::Arg(arg) => self.argument(id, *arg, &Num::constant(0), signed),
            Op::Const(bits) => match literal(bits.words(), width, signed) {
                Some(value) => {
                    let text = if signed || value < 1024 { value.to_string() } else { format!("{value:#x}") };
                    // The least number has no literal of its own.
                    let text = if value == i128::MIN { "i128::MIN".to_owned() } else { text };
                    Ok(Value { code: to.literal(&text), native: to })
                }
                None => Ok(Value { code: to.literal(&format!("0x{bits:x}")), native: to }),
            },
            Op::Int(num) => self.number(num, width, to),
            Op::Extract { of, low } => match function.expr(*of).op {
                Op::Arg(arg) => self.argument(id, arg, low, signed),
                _ => self.slice(*of, low, width, signed),
            },
            Op::ExtractAt { of, low } => self.slice_at(id, *of, *low, signed),
            Op::Cast { of, signed: from } => self.cast(id, *of, flag(from), signed),
            Op::Saturate { of, from_signed, to_signed } => {
                let (from, own) = (flag(from_signed), flag(to_signed));
                let value = self.saturated(*of, from, width, own)?;
                self.read_as(id, value, own, signed)
            }
            Op::Concat(parts) => {
                let value = self.joined(parts, width)?;
                self.read_as(id, value, false, signed)
            }
            Op::Unary(op, of) => self.unary(id, *op, *of, signed),
            Op::Binary { op, signed: own, left, right } => {
                self.binary(id, *op, flag(own), *left, *right, signed)
            }
            Op::Compare { .. } => unreadable("a comparison that is not one bit wide"),
            Op::Select { condition, then, otherwise } => {
                let condition = self.condition(*condition)?;
                let (then, otherwise) = (self.value(*then, signed)?, self.value(*otherwise, signed)?);
                let code = Code::conditional(&condition, &then.code, &otherwise.code);
                Ok(Value { code, native: to })
            }
            Op::Float { float, operands } => {
                let code = self.float(float, operands, width)?;
                let bits = Value { code, native: Native { signed: false, bits: 64 } };
                self.read_as(id, bits.truncated(native(width, false)?), false, signed)
            }
            Op::Fold { op, signed: own, index, body, .. } => {
                let own = if op.has_sign() { flag(own) } else { self.fold_sign(*op, *index, *body, signed) };
                let value = self.fold(*op, *index, *body, own)?;
                self.read_as(id, value, own, signed)
            }
        }
    }

    /// A call of a function of `float.rs`, which gives the bits of the value as an `u64`.
    pub(super) fn float(&mut self, float: &Float<Num>, operands: &[ExprId], width: u32) -> Result<Code> {
        if float.op.approximates() {
            return unreadable("an approximation, of which each machine has its own value");
        }
        let of = self.ranges.width(operands[0]);
        if of > 64 || width > 64 {
            return unreadable("floating-point arithmetic on more than 64 bits");
        }
        let number = |num: &Num| match num.as_constant() {
            Some(number) => Ok(number.to_string()),
            None => unreadable("a floating-point format that varies"),
        };
        let word = Native { signed: false, bits: 64 };
        let mut arguments = Vec::new();
        for operand in operands {
            arguments.push(self.value_in(*operand, false, word)?.code.whole());
        }
        let (own, other) = if float.op == FloatOp::FromInt { (width, of) } else { (of, width) };
        arguments.extend([number(&float.exponent)?, own.to_string()]);
        if float.op.converts() {
            arguments.extend([number(&float.target)?, other.to_string()]);
        }
        if float.op.gives_nans() {
            arguments.push(nan_rule(float.nan).to_owned());
        }
        Ok(Code::name(format!("float::{}({})", float.op.name(), arguments.join(", "))))
    }

    /// The value of an expression in a type that holds it, with one conversion at most.
    pub(super) fn value_in(&mut self, id: ExprId, signed: bool, to: Native) -> Result<Value> {
        if self.ranges.width(id) == 1 && !signed {
            let condition = self.condition(id)?;
            return Ok(Value { code: Code::name(format!("{to}::from({})", condition.whole())), native: to });
        }
        Ok(self.value(id, signed)?.converted(to))
    }

    /// Bounds of sums and products before they are reduced to their widths.
    fn loose(&self, id: ExprId, signed: bool) -> Option<Bounds> {
        let Op::Binary { op: op @ (BinaryOp::Add | BinaryOp::Sub | BinaryOp::Mul), left, right, .. } =
            self.function.expr(id).op
        else {
            return self.ranges.of(id, signed);
        };
        if self.named(id).is_some() || self.ranges.width(id) > 63 {
            return self.ranges.of(id, signed);
        }
        // What is not written as a sum or product is reduced.
        let bounds = arithmetic(op, self.loose(left, signed), self.loose(right, signed));
        let holds = Native::holding(self.ranges.width(id), signed)
            .is_some_and(|native| fits(bounds, native.bits, signed) && self.natural(id) == signed);
        if holds { bounds } else { self.ranges.of(id, signed) }
    }

    /// A number with the bits of an expression, of whatever reading, and perhaps others above them.
    pub(super) fn modular(&mut self, id: ExprId) -> Result<Value> {
        let width = self.ranges.width(id);
        let natural = self.natural(id);
        let to = native(width, natural)?;
        let Op::Binary { op: op @ (BinaryOp::Add | BinaryOp::Sub | BinaryOp::Mul), left, right, .. } =
            self.function.expr(id).op
        else {
            return self.value(id, natural);
        };
        let exact = fits(self.ranges.arithmetic(op, left, right, natural), width, natural);
        let bounds = arithmetic(op, self.loose(left, natural), self.loose(right, natural));
        if exact || self.named(id).is_some() || width > 63 || !fits(bounds, to.bits, natural) {
            return self.value(id, natural);
        }
        let operand = |writer: &mut Self, id: ExprId| {
            if writer.natural(id) == natural { writer.modular(id) } else { writer.value(id, natural) }
        };
        let (left, right) = (operand(self, left)?, operand(self, right)?);
        let (left, right) = literal_last(op, left, right);
        let (symbol, _, level) = arithmetic_operator(op);
        Ok(Value { code: Code::binary(&left.code, symbol, &right.code, level), native: to })
    }

    /// The value of an expression that is now read `from_signed` in another reading.
    fn read_as(&self, id: ExprId, value: Value, from_signed: bool, signed: bool) -> Result<Value> {
        let width = self.ranges.width(id);
        let to = native(width, signed)?;
        if from_signed == signed || fits(self.ranges.of(id, from_signed), width, signed) {
            return Ok(value.converted(to));
        }
        reduced(&value, width, signed)
    }

    /// A number as a value.
    fn number(&self, num: &Num, width: u32, to: Native) -> Result<Value> {
        let values = self.values(num)?;
        let (least, most) = (values.iter().min().copied(), values.iter().max().copied());
        let bounds = least.zip(most).map(|(least, most)| (i128::from(least), i128::from(most)));
        if !fits(bounds, width, to.signed) {
            return unreadable("a number that wraps");
        }
        if let Some(constant) = num.as_constant() {
            return Ok(Value { code: to.literal(&constant.to_string()), native: to });
        }
        if least.is_some_and(|least| least < 0) {
            return unreadable("a negative number");
        }
        Ok(Value { code: self.position(num).cast(&to.to_string()), native: to })
    }

    /// A value in another width.
    fn cast(&mut self, id: ExprId, of: ExprId, from: bool, signed: bool) -> Result<Value> {
        let (width, own) = (self.ranges.width(id), self.ranges.width(of));
        let to = native(width, signed)?;
        if width == own {
            return self.value(of, signed);
        }
        if width > own {
            let wide = native(width, from)?;
            if own == 1 {
                let condition = self.condition(of)?;
                let bit =
                    Code::name(format!("{}::from({})", if from { wide } else { to }, condition.whole()));
                if !from {
                    return Ok(Value { code: bit, native: to });
                }
                let value = Value { code: Code::new(format!("-{}", bit.whole()), UNARY), native: wide };
                return self.read_as(id, value, true, signed);
            }
            let natural = self.natural(of);
            if natural != from && fits(self.ranges.of(of, natural), own, from) {
                return Ok(self.value(of, natural)?.converted(to));
            }
            let value = self.value(of, from)?;
            if fits(self.ranges.of(of, from), width, signed) {
                return Ok(value.converted(to));
            }
            return self.read_as(id, value.converted(wide), from, signed);
        }
        if own > 128 {
            return unreadable(format!("the low part of {own} bits"));
        }
        let natural = self.natural(of);
        if fits(self.ranges.of(of, natural), width, signed) {
            return Ok(self.value(of, natural)?.converted(to));
        }
        reduced(&self.modular(of)?, width, signed)
    }

    /// A value clamped into the range of `width` bits.
    fn saturated(&mut self, of: ExprId, from: bool, width: u32, own: bool) -> Result<Value> {
        let to = native(width, own)?;
        let wide = self.ranges.width(of) > 128;
        let value = if wide { self.clamped(of, from)? } else { self.value(of, from)? };
        let Some((least, most)) = reading(width, own) else {
            return unreadable(format!("saturation to {width} bits"));
        };
        let bounds = if wide { None } else { self.ranges.of(of, from) };
        let bounds = bounds.or_else(|| reading(value.native.bits, value.native.signed));
        let (low, high) = match bounds {
            Some((low, high)) => (low < least, high > most),
            None => (false, true),
        };
        let code = match (low, high) {
            (true, true) => {
                Code::method(&value.code, "clamp", &[bound(least, value.native), bound(most, value.native)])
            }
            (true, false) => Code::method(&value.code, "max", &[bound(least, value.native)]),
            (false, true) => Code::method(&value.code, "min", &[bound(most, value.native)]),
            (false, false) => value.code,
        };
        Ok(Value { code, native: value.native }.converted(to))
    }

    /// A value of more than 128 bits that is only saturated to at most 64 bits afterwards, clamped to an `i128`.
    fn clamped(&mut self, id: ExprId, from: bool) -> Result<Value> {
        let wide = Native { signed: true, bits: 128 };
        let width = self.ranges.width(id);
        if width <= 128 {
            return Ok(self.value(id, from)?.converted(wide));
        }
        let function = self.function;
        match &function.expr(id).op {
            Op::Cast { of, signed } => {
                let bounds = self.ranges.of(*of, flag(signed));
                if self.ranges.width(*of) > 127 || bounds.is_none() {
                    return unreadable(format!("a saturation of {width} bits"));
                }
                Ok(self.value(*of, flag(signed))?.converted(wide))
            }
            Op::Select { condition, then, otherwise } => {
                let condition = self.condition(*condition)?;
                let (then, otherwise) = (self.clamped(*then, from)?, self.clamped(*otherwise, from)?);
                Ok(Value { code: Code::conditional(&condition, &then.code, &otherwise.code), native: wide })
            }
            Op::Binary { op: BinaryOp::Shl, left, right, .. } => {
                // The shift loses no bits: the operand is an extension of few bits.
                let Op::Cast { of, signed } = function.expr(*left).op.clone() else {
                    return unreadable("a shift of a computed wide value");
                };
                let room = i128::from(width)
                    - i128::from(self.ranges.width(of))
                    - i128::from(!flag(&signed) && from);
                let most = self.ranges.of(*right, false).map(|(_, most)| most);
                if most.is_none_or(|most| most > room) || self.ranges.width(of) > 64 {
                    return unreadable("a shift that loses bits");
                }
                let value = self.value(of, flag(&signed))?.converted(wide);
                let count = self.count(*right, 128)?;
                let code =
                    Code::name(format!("bits::shl_clamped({}, {})", value.code.whole(), count.whole()));
                Ok(Value { code, native: wide })
            }
            _ => unreadable(format!("a saturation of {width} bits")),
        }
    }

    /// Parts side by side, the last one lowest.
    fn joined(&mut self, parts: &[ExprId], width: u32) -> Result<Value> {
        let to = native(width, false)?;
        let mut low = width;
        let mut sum: Option<Code> = None;
        for part in parts {
            low -= self.ranges.width(*part);
            let value = self.value_in(*part, false, to)?.code;
            if value.as_literal() == Some("0") {
                continue;
            }
            let place = Code::new(low.to_string(), POSTFIX);
            let moved = if low == 0 { value } else { Code::binary(&value, "<<", &place, SHIFT) };
            sum = Some(match sum {
                None => moved,
                Some(sum) => Code::binary(&sum, "|", &moved, BIT_OR),
            });
        }
        Ok(Value { code: sum.unwrap_or_else(|| to.literal("0")), native: to })
    }

    fn unary(&mut self, id: ExprId, op: UnaryOp, of: ExprId, signed: bool) -> Result<Value> {
        let width = self.ranges.width(id);
        let to = native(width, signed)?;
        match op {
            UnaryOp::Not => {
                let value = self.value(of, signed)?;
                let value = Value { code: value.code.not(), native: to };
                if signed || to.bits == width { Ok(value) } else { reduced(&value, width, signed) }
            }
            UnaryOp::Neg => {
                let value = self.value(of, true)?;
                let least = reading(width, true).map(|(least, _)| least);
                if self.ranges.of(of, true).map(|(low, _)| low) > least {
                    let code = Code::new(format!("-{}", value.code.typed_at(UNARY)), UNARY);
                    return self.read_as(id, Value { code, native: value.native }, true, signed);
                }
                let code = Code::method(&value.code, "wrapping_neg", &[]);
                reduced(&Value { code, native: value.native }, width, signed)
            }
            UnaryOp::Abs => {
                let value = self.value(of, true)?;
                let least = reading(width, true).map(|(least, _)| least);
                if self.ranges.of(of, true).map(|(low, _)| low) > least {
                    let code = Code::method(&value.code, "abs", &[]);
                    return self.read_as(id, Value { code, native: value.native }, true, signed);
                }
                let code = Code::method(&value.code, "unsigned_abs", &[]);
                let value = Value { code, native: Native { signed: false, ..value.native } };
                reduced(&value, width, signed)
            }
            UnaryOp::PopCount | UnaryOp::LeadingZeros | UnaryOp::TrailingZeros => {
                let value = self.value(of, false)?;
                let count = |name: &str| Code::method(&value.code, name, &[]);
                let above = value.native.bits - width;
                let code = match op {
                    UnaryOp::PopCount => count("count_ones"),
                    UnaryOp::LeadingZeros if above == 0 => count("leading_zeros"),
                    UnaryOp::LeadingZeros => Code::binary(
                        &count("leading_zeros"),
                        "-",
                        &Code::new(above.to_string(), POSTFIX),
                        SUM,
                    ),
                    _ if above == 0 => count("trailing_zeros"),
                    _ => Code::method(&count("trailing_zeros"), "min", &[width.to_string()]),
                };
                reduced(&Value { code, native: Native { signed: false, bits: 32 } }, width, signed)
            }
        }
    }

    fn binary(
        &mut self,
        id: ExprId,
        op: BinaryOp,
        own: bool,
        left: ExprId,
        right: ExprId,
        signed: bool,
    ) -> Result<Value> {
        let width = self.ranges.width(id);
        let to = native(width, signed)?;
        match op {
            BinaryOp::Add | BinaryOp::Sub | BinaryOp::Mul => {
                let (symbol, name, level) = arithmetic_operator(op);
                for reading in [signed, !signed] {
                    if fits(self.ranges.arithmetic(op, left, right, reading), width, reading) {
                        let (left, right) =
                            literal_last(op, self.value(left, reading)?, self.value(right, reading)?);
                        let code = match right.code.as_literal().and_then(|digits| digits.strip_prefix('-')) {
                            Some(magnitude) if op == BinaryOp::Add => {
                                Code::binary(&left.code, "-", &left.native.literal(magnitude), SUM)
                            }
                            _ => Code::binary(&left.code, symbol, &right.code, level),
                        };
                        return self.read_as(id, Value { code, native: left.native }, reading, signed);
                    }
                }
                let natural = self.arithmetic_sign(op, left, right);
                let (left, right) = literal_last(op, self.value(left, natural)?, self.value(right, natural)?);
                let code = Code::method(&left.code, name, &[right.code.whole()]);
                reduced(&Value { code, native: left.native }, width, signed)
            }
            BinaryOp::And | BinaryOp::Or | BinaryOp::Xor => {
                let (symbol, level) = match op {
                    BinaryOp::And => ("&", BIT_AND),
                    BinaryOp::Or => ("|", BIT_OR),
                    _ => ("^", BIT_XOR),
                };
                let (left, right) = literal_last(op, self.value(left, signed)?, self.value(right, signed)?);
                Ok(Value { code: Code::binary(&left.code, symbol, &right.code, level), native: to })
            }
            BinaryOp::Shl => {
                let value = self.value(left, signed)?;
                let code = if self.below(right, to.bits) {
                    let count = self.plain_count(right)?;
                    Code::binary(&value.code, "<<", &count, SHIFT)
                } else {
                    let count = self.count(right, to.bits)?;
                    Code::method(&value.code, "unbounded_shl", &[count.whole()])
                };
                let value = Value { code, native: to };
                if self.shift_is_exact(left, right, width, signed) {
                    Ok(value)
                } else {
                    reduced(&value, width, signed)
                }
            }
            BinaryOp::Shr => {
                let value = self.value(left, own)?;
                let code = if self.below(right, value.native.bits) {
                    let count = self.plain_count(right)?;
                    Code::binary(&value.code, ">>", &count, SHIFT)
                } else {
                    let count = self.count(right, value.native.bits)?;
                    Code::method(&value.code, "unbounded_shr", &[count.whole()])
                };
                self.read_as(id, Value { code, native: value.native }, own, signed)
            }
            BinaryOp::Min | BinaryOp::Max => {
                let name = if op == BinaryOp::Min { "min" } else { "max" };
                let (left, right) = literal_last(op, self.value(left, own)?, self.value(right, own)?);
                let code = Code::method(&left.code, name, &[right.code.whole()]);
                self.read_as(id, Value { code, native: left.native }, own, signed)
            }
            BinaryOp::Div | BinaryOp::Rem => self.quotient_of(id, op, own, left, right, signed),
        }
    }

    /// Whether a left shift loses no bits of the value in that reading.
    fn shift_is_exact(&self, left: ExprId, right: ExprId, width: u32, signed: bool) -> bool {
        let (Some((low, high)), Some((_, count))) =
            (self.ranges.of(left, signed), self.ranges.of(right, false))
        else {
            return false;
        };
        let Some(scale) = u32::try_from(count).ok().filter(|count| *count < 127).map(|count| 1i128 << count)
        else {
            return false;
        };
        match (low.checked_mul(scale), high.checked_mul(scale)) {
            (Some(low), Some(high)) => fits(Some((low, high)), width, signed),
            _ => false,
        }
    }

    /// A quotient or remainder.
    fn quotient_of(
        &mut self,
        id: ExprId,
        op: BinaryOp,
        own: bool,
        left: ExprId,
        right: ExprId,
        signed: bool,
    ) -> Result<Value> {
        let width = self.ranges.width(id);
        let kind = native(width, own)?;
        let least = reading(width, own).map(|(least, _)| least);
        let overflows = own && self.ranges.of(left, own).map(|(low, _)| low) <= least;
        if kind.bits != width && overflows {
            return unreadable(format!("a division of {width} bits"));
        }
        let (dividend, divisor) = (self.value(left, own)?, self.value(right, own)?);
        let quotient = op == BinaryOp::Div;
        let (name, zero) = match (quotient, own) {
            (true, false) => ("wrapping_div", (u128::MAX >> (128 - width)).to_string()),
            (true, true) => {
                let negative = Code::binary(&dividend.code, "<", &kind.literal("0"), COMPARISON);
                ("wrapping_div", format!("if {} {{ 1 }} else {{ -1 }}", negative.whole()))
            }
            (false, _) => ("wrapping_rem", dividend.code.whole()),
        };
        let computed = Code::method(&dividend.code, name, &[divisor.code.whole()]);
        let bounds = self.ranges.of(right, own);
        let code = if bounds.is_some_and(|(low, high)| low > 0 || high < 0) {
            computed
        } else {
            let is_zero = Code::binary(&divisor.code, "==", &kind.literal("0"), COMPARISON);
            Code::conditional(&is_zero, &Code::new(zero, 0), &computed)
        };
        self.read_as(id, Value { code, native: kind }, own, signed)
    }

    /// The reading in which a repeated sum is exact, else the one that is asked for.
    fn fold_sign(&self, op: BinaryOp, index: IndexId, body: ExprId, asked: bool) -> bool {
        let exact =
            |signed: &bool| fits(self.repeated_sum(index, body, *signed), self.ranges.width(body), *signed);
        let readings = [asked, !asked];
        let natural = self.natural(body);
        let found = readings.into_iter().find(exact);
        if op == BinaryOp::Add { found.unwrap_or(natural) } else { asked }
    }

    /// Bounds of the sum of a value over an index.
    fn repeated_sum(&self, index: IndexId, body: ExprId, signed: bool) -> Option<Bounds> {
        let count = self.ranges.count(index) as i128;
        let (low, high) = self.ranges.of(body, signed)?;
        Some((low.checked_mul(count)?, high.checked_mul(count)?))
    }

    /// A repeated operator.
    fn fold(&mut self, op: BinaryOp, index: IndexId, body: ExprId, signed: bool) -> Result<Value> {
        let width = self.ranges.width(body);
        let to = native(width, signed)?;
        let count = self.ranges.count(index);
        let name = self.enter(index);
        let value = self.block(body, |writer| Ok(writer.value(body, signed)?.code));
        self.leave();
        let value = value?;
        let range = format!("(0..{count})");
        let total = self.repeated_sum(index, body, signed);
        let folded =
            |start: String, step: String| Code::name(format!("{range}.fold({start}, |sum, {name}| {step})"));
        let operand = value.whole();
        let code = match op {
            BinaryOp::Add if fits(total, width, signed) => {
                return Ok(Value {
                    code: Code::name(format!("{range}.map(|{name}| {}).sum::<{to}>()", value.typed_at(0))),
                    native: to,
                });
            }
            BinaryOp::Add => folded(format!("0{to}"), format!("sum.wrapping_add({operand})")),
            BinaryOp::Mul => folded(format!("1{to}"), format!("sum.wrapping_mul({operand})")),
            BinaryOp::And => folded(format!("!0{to}"), format!("sum & {}", value.at(BIT_AND + 1))),
            BinaryOp::Or => folded(format!("0{to}"), format!("sum | {}", value.at(BIT_OR + 1))),
            BinaryOp::Xor => folded(format!("0{to}"), format!("sum ^ {}", value.at(BIT_XOR + 1))),
            BinaryOp::Min => folded(format!("{to}::MAX"), format!("sum.min({operand})")),
            BinaryOp::Max => folded(format!("{to}::MIN"), format!("sum.max({operand})")),
            _ => return unreadable("a fold of an operator that is not associative"),
        };
        let value = Value { code, native: to };
        match op {
            BinaryOp::Add | BinaryOp::Mul => reduced(&value, width, signed),
            BinaryOp::And if !signed && to.bits != width => reduced(&value, width, signed),
            _ => Ok(value),
        }
    }
}

/// The symbol of a sum, difference or product, the method that wraps, and how tightly the symbol binds.
fn arithmetic_operator(op: BinaryOp) -> (&'static str, &'static str, Level) {
    match op {
        BinaryOp::Add => ("+", "wrapping_add", SUM),
        BinaryOp::Sub => ("-", "wrapping_sub", SUM),
        _ => ("*", "wrapping_mul", PRODUCT),
    }
}

/// Operands with a literal on the right where the operator is commutative.
fn literal_last(op: BinaryOp, left: Value, right: Value) -> (Value, Value) {
    let swap = op != BinaryOp::Sub && left.code.as_literal().is_some();
    if swap { (right, left) } else { (left, right) }
}

/// A bound of a narrower type's range as an operand of `native`.
fn bound(value: i128, native: Native) -> String {
    if (-0x8000..=0xffff).contains(&value) {
        return value.to_string();
    }
    let named =
        Native::WIDTHS.into_iter().flat_map(|bits| [true, false].map(|signed| Native { signed, bits }));
    for narrow in named {
        let Some((least, most)) = reading(narrow.bits, narrow.signed) else { continue };
        let name = if value == most { "MAX" } else { "MIN" };
        if value == most || value == least {
            let limit = Value { code: Code::name(format!("{narrow}::{name}")), native: narrow };
            return limit.converted(native).code.whole();
        }
    }
    value.to_string()
}
