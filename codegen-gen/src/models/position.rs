//! Reading operands and parts of values: at constant positions, and at computed ones, which become indices of arrays.

use hydride_ir::{ArgId, BinaryOp, ExprId, Num, Op};

use super::body::{Writer, index_literal, native, reduced, table_len};
use super::expression::{Result, flag, unreadable};
use super::layout::Shape;
use super::native::{COMPARISON, Code, Native, POSTFIX, PRODUCT, SHIFT, SUM, Value};
use super::ranges::{fits, literal, reading};

/// Where a position lies in elements: which one, and the greatest one.
struct Lane {
    index: Code,
    most: i128,
}

impl Writer<'_> {
    /// Bits from `low` on of an argument.
    pub(super) fn argument(&mut self, id: ExprId, arg: ArgId, low: &Num, signed: bool) -> Result<Value> {
        let width = self.ranges.width(id);
        let to = native(width, signed)?;
        let place = arg.0 as usize;
        let name = self.args[place].clone();
        let shape = self.layout.args[place].clone();
        let values = self.values(low)?;
        let grid = match &shape {
            Shape::Immediate { .. } => {
                let whole = values.iter().all(|low| *low == 0);
                let value = Value { code: Code::name(name), native: shape.element() };
                if whole
                    && fits(self.ranges.of(id, signed), width, signed)
                    && self.has_range_within(arg, width, signed)
                {
                    return Ok(value.converted(to));
                }
                let code = self.moved_down(&value.code, low)?;
                return reduced(&Value { code, native: value.native }, width, signed);
            }
            shape => i64::from(shape.element().bits),
        };
        let element = shape.element();
        let is_array = matches!(shape, Shape::Lanes { .. });
        let lane = match is_array {
            true => Code::name(format!("{name}[{}]", self.quotient(low, grid).whole())),
            false => Code::name(name.clone()),
        };
        if width == element.bits && values.iter().all(|low| low % grid == 0) {
            let value = Value { code: lane, native: element };
            return Ok(if element == to { value } else { value.truncated(to) });
        }
        // A scalar argument that is narrower than its type has zeros or copies of its sign above.
        if !is_array && self.argument_width(arg) == width {
            return reduced(&Value { code: lane, native: element }, width, signed);
        }
        if values.iter().all(|low| low % grid + i64::from(width) <= grid) {
            let offset = self.remainder(low, grid)?;
            if offset.as_literal() == Some(&(grid - i64::from(width)).to_string()) {
                // The top of a lane: the shift extends it.
                let read =
                    Value { code: lane, native: element }.truncated(Native { signed, bits: element.bits });
                let code = Code::binary(&read.code, ">>", &offset, SHIFT);
                return Ok(Value { code, native: read.native }.converted(to));
            }
            let code = if offset.as_literal() == Some("0") {
                lane
            } else {
                Code::binary(&lane, ">>", &offset, SHIFT)
            };
            return reduced(&Value { code, native: element }, width, signed);
        }
        if !is_array {
            return unreadable("a read beyond a scalar");
        }
        let read = Code::name(format!("bits::read(&{name}, {}, {width})", self.position(low).whole()));
        reduced(&Value { code: read, native: Native { signed: false, bits: 128 } }, width, signed)
    }

    fn argument_width(&self, arg: ArgId) -> u32 {
        super::ranges::constant_width(&self.function.arg(arg).width)
    }

    fn has_range_within(&self, arg: ArgId, width: u32, signed: bool) -> bool {
        let range = self.function.arg(arg).role.range();
        range.is_some_and(|(low, high)| fits(Some((low.into(), high.into())), width, signed))
    }

    pub(super) fn moved_down(&self, code: &Code, low: &Num) -> Result<Code> {
        let low = self.position(low);
        Ok(if low.as_literal() == Some("0") { code.clone() } else { Code::binary(code, ">>", &low, SHIFT) })
    }

    /// Bits from `low` on of an expression.
    pub(super) fn slice(&mut self, of: ExprId, low: &Num, width: u32, signed: bool) -> Result<Value> {
        let whole = self.ranges.width(of);
        if whole > 128 {
            if let (Op::Concat(parts), Some(low)) = (&self.function.expr(of).op, low.as_constant()) {
                let mut at = i64::from(whole);
                for part in parts {
                    let own = i64::from(self.ranges.width(*part));
                    at -= own;
                    if low == at && own == i64::from(width) {
                        return self.value(*part, signed);
                    }
                }
            }
            return unreadable(format!("a slice of {whole} bits"));
        }
        let is_top = low.as_constant() == Some(i64::from(whole - width));
        // Bits above the slice do not matter where it is cut off by a conversion.
        let top = is_top && !Native::WIDTHS.contains(&width);
        let value = if top { self.value(of, signed)? } else { self.modular(of)? };
        let code = self.moved_down(&value.code, low)?;
        let moved = Value { code, native: value.native };
        if top { Ok(moved.converted(native(width, signed)?)) } else { reduced(&moved, width, signed) }
    }

    /// Bits of an expression from a computed position on; those beyond its top are zero.
    pub(super) fn slice_at(&mut self, id: ExprId, of: ExprId, low: ExprId, signed: bool) -> Result<Value> {
        let width = self.ranges.width(id);
        let to = native(width, signed)?;
        let function = self.function;
        match &function.expr(of).op {
            Op::Arg(_) | Op::Extract { .. } => {
                if let Some((name, element, count)) = self.array(of) {
                    if element.bits == width
                        && let Some(lane) = self.lane(low, width)?
                    {
                        let code = one_of(&name, &lane, count);
                        return Ok(Value { code, native: element }.truncated(to));
                    }
                    return self.bits_at(&name, low, width, signed);
                }
            }
            Op::Const(bits) => {
                if let Some(unit) =
                    Native::holding(width, false).filter(|unit| unit.bits == width && width <= 64)
                    && let Some(lane) = self.lane(low, width)?
                {
                    let count = table_len(bits, width);
                    let name = self.table(bits, width);
                    let value = Value { code: one_of(&name, &lane, count), native: unit };
                    return Ok(value.truncated(to));
                }
                let name = self.table(bits, 64);
                return self.bits_at(&name, low, width, signed);
            }
            Op::Concat(parts) => {
                if let [high, bottom] = parts[..]
                    && high == bottom
                    && self.ranges.width(high) == width
                    && Native::WIDTHS.contains(&width)
                    && self.ranges.of(low, false).is_some_and(|(_, most)| most <= i128::from(width))
                {
                    let value = self.value(high, signed)?;
                    let count = self.count(low, width)?;
                    let code = Code::method(&value.code, "rotate_right", &[count.whole()]);
                    return Ok(Value { code, native: to });
                }
                if self.ranges.width(of) > 128 {
                    return self.one_of_parts(parts, low, width, to);
                }
            }
            _ => {}
        }
        let moved = self.moved_down_at(of, low)?;
        reduced(&moved, width, signed)
    }

    /// The name, the elements' type and their number of an array, if an expression is the whole of such an argument.
    pub(super) fn array(&self, of: ExprId) -> Option<(String, Native, u32)> {
        let arg = match &self.function.expr(of).op {
            Op::Arg(arg) => *arg,
            Op::Extract { of: inner, low } if low.as_constant() == Some(0) => {
                let Op::Arg(arg) = self.function.expr(*inner).op else { return None };
                arg
            }
            _ => return None,
        };
        let place = arg.0 as usize;
        match self.layout.args[place] {
            Shape::Lanes { element, count } if self.ranges.width(of) == self.argument_width(arg) => {
                Some((self.args[place].clone(), element, count))
            }
            _ => None,
        }
    }

    /// The bits of an expression from a computed position on, which are zero from its top on.
    pub(super) fn moved_down_at(&mut self, of: ExprId, low: ExprId) -> Result<Value> {
        let value = self.value(of, false)?;
        let code = if self.below(low, value.native.bits) {
            let count = self.value(low, false)?;
            Code::binary(&value.code, ">>", &count.code, SHIFT)
        } else {
            let count = self.count(low, value.native.bits)?;
            Code::method(&value.code, "unbounded_shr", &[count.whole()])
        };
        Ok(Value { code, native: value.native })
    }

    /// An element of a concatenation of arrays.
    fn one_of_parts(&mut self, parts: &[ExprId], low: ExprId, width: u32, to: Native) -> Result<Value> {
        let Some(lane) = self.lane(low, width)? else {
            return unreadable("a computed position in a concatenation");
        };
        let function = self.function;
        let index = lane.index.at(SUM);
        let mut first = 0;
        let mut choices = Vec::new();
        for part in parts.iter().rev() {
            let (of, inner) = match &function.expr(*part).op {
                Op::Extract { of, low } => (*of, low.divide(i64::from(width))),
                _ => (*part, Some(Num::constant(0))),
            };
            let own = self.ranges.width(*part);
            let (Op::Arg(arg), Some(start)) = (&function.expr(of).op, inner) else {
                return unreadable("a concatenation of computed values");
            };
            let shape = &self.layout.args[arg.0 as usize];
            if !matches!(shape, Shape::Lanes { element, .. } if element.bits == width)
                || !own.is_multiple_of(width)
            {
                return unreadable("a concatenation off the grid");
            }
            let name = &self.args[arg.0 as usize];
            let end = first + i64::from(own / width);
            // The start is added first, so that no difference is negative.
            let start = self.position(&start);
            let at = match (start.as_literal(), first) {
                (Some("0"), 0) => index.clone(),
                (Some("0"), _) => format!("{index} - {first}"),
                (_, 0) => format!("{} + {index}", start.at(SUM)),
                _ => format!("{} + {index} - {first}", start.at(SUM)),
            };
            let value = Value { code: Code::name(format!("{name}[{at}]")), native: shape.element() };
            choices.push((end, value.truncated(to).code));
            first = end;
        }
        let zero = to.literal("0");
        let mut code = if lane.most < i128::from(first) { None } else { Some(zero) };
        for (end, choice) in choices.into_iter().rev() {
            code = Some(match code {
                None => choice,
                Some(rest) => {
                    let condition = Code::binary(&lane.index, "<", &index_literal(end), COMPARISON);
                    Code::conditional(&condition, &choice, &rest)
                }
            });
        }
        match code {
            Some(code) => Ok(Value { code, native: to }),
            None => unreadable("an empty concatenation"),
        }
    }

    /// Bits of lanes at a computed position.
    fn bits_at(&mut self, name: &str, low: ExprId, width: u32, signed: bool) -> Result<Value> {
        let position = self.index(low)?;
        let code = Code::name(format!("bits::read(&{name}, {}, {width})", position.whole()));
        reduced(&Value { code, native: Native { signed: false, bits: 128 } }, width, signed)
    }

    /// Whether an unsigned value is always less than a limit.
    pub(super) fn below(&self, id: ExprId, limit: u32) -> bool {
        self.ranges.of(id, false).is_some_and(|(_, most)| most < i128::from(limit))
    }

    /// An unsigned value as an index; one that is too great for any array stays so.
    pub(super) fn index(&mut self, id: ExprId) -> Result<Code> {
        if let Op::Int(num) = &self.function.expr(id).op
            && self.values(num)?.iter().all(|value| *value >= 0)
            && fits(self.ranges.of(id, false), self.ranges.width(id), false)
        {
            return Ok(self.position(num));
        }
        if let Some(of) = self.unextended(id) {
            return self.index(of);
        }
        if let Some(name) = self.whole_immediate(id) {
            return Ok(name.cast("usize"));
        }
        if self.ranges.width(id) == 1 {
            return Ok(Code::name(format!("usize::from({})", self.condition(id)?.whole())));
        }
        let value = self.value(id, false)?;
        if let Some(digits) = value.code.as_literal() {
            return Ok(Code::name(digits.to_owned()));
        }
        if value.native.bits <= 16 {
            return Ok(Code::name(format!("usize::from({})", value.code.whole())));
        }
        if self.ranges.of(id, false).is_none_or(|(_, most)| most >= 1 << 32) {
            let code = Code::method(&value.code, "min", &["0xffff_ffff".to_owned()]);
            return Ok(code.cast("usize"));
        }
        Ok(value.code.cast("usize"))
    }

    /// A position divided by `grid`, where that is a whole number.
    fn lane(&mut self, id: ExprId, grid: u32) -> Result<Option<Lane>> {
        let width = self.ranges.width(id);
        let grid = i128::from(grid);
        let function = self.function;
        let no_wrap = |most: i128| most <= reading(width, false).map_or(i128::MAX, |(_, most)| most);
        match &function.expr(id).op {
            Op::Const(bits) => {
                let Some(value) =
                    literal(bits.words(), width.min(128), false).filter(|value| value % grid == 0)
                else {
                    return Ok(None);
                };
                let index = i64::try_from(value / grid).map(index_literal);
                Ok(index.ok().map(|index| Lane { index, most: value / grid }))
            }
            Op::Int(num) => {
                let values = self.values(num)?;
                let most = values.iter().max().map_or(0, |most| i128::from(*most));
                if values.iter().any(|value| i128::from(*value) % grid != 0 || *value < 0) || !no_wrap(most) {
                    return Ok(None);
                }
                let quotient = i64::try_from(grid).ok().and_then(|grid| num.divide(grid));
                Ok(quotient.map(|num| Lane { index: self.position(&num), most: most / grid }))
            }
            Op::Cast { of, signed } if width > self.ranges.width(*of) && !flag(signed) => {
                self.lane(*of, grid as u32)
            }
            Op::Binary { op: op @ (BinaryOp::Mul | BinaryOp::Shl), left, right, .. } => {
                let (value, factor) = match (op, &function.expr(*left).op, &function.expr(*right).op) {
                    (BinaryOp::Mul, _, Op::Const(bits)) => (*left, bits.to_u64().map(i128::from)),
                    (BinaryOp::Mul, Op::Const(bits), _) => (*right, bits.to_u64().map(i128::from)),
                    (BinaryOp::Shl, _, Op::Const(bits)) => {
                        (*left, bits.to_u64().filter(|count| *count < 64).map(|count| 1 << count))
                    }
                    _ => return Ok(None),
                };
                let Some(factor) = factor.filter(|factor| *factor > 0 && factor % grid == 0) else {
                    return Ok(None);
                };
                let Some((_, most)) = self.ranges.of(value, false) else { return Ok(None) };
                let Some(product) = most.checked_mul(factor).filter(|product| no_wrap(*product)) else {
                    return Ok(None);
                };
                let index = self.index(value)?;
                let index = match factor / grid {
                    1 => index,
                    factor => Code::binary(&index, "*", &Code::new(factor.to_string(), POSTFIX), PRODUCT),
                };
                Ok(Some(Lane { index, most: product / grid }))
            }
            Op::Binary { op: BinaryOp::Add, left, right, .. } => {
                let (Some(left), Some(right)) =
                    (self.lane(*left, grid as u32)?, self.lane(*right, grid as u32)?)
                else {
                    return Ok(None);
                };
                let most = left.most + right.most;
                if !no_wrap(most * grid) {
                    return Ok(None);
                }
                let index = match (left.index.as_literal(), right.index.as_literal()) {
                    (Some("0"), _) => right.index,
                    (_, Some("0")) => left.index,
                    _ => Code::binary(&left.index, "+", &right.index, SUM),
                };
                Ok(Some(Lane { index, most }))
            }
            _ => Ok(None),
        }
    }

    /// A shift count in its own type.
    pub(super) fn plain_count(&mut self, id: ExprId) -> Result<Code> {
        if let Some(of) = self.unextended(id) {
            return self.plain_count(of);
        }
        match self.whole_immediate(id) {
            Some(name) => Ok(name),
            None => Ok(self.value(id, false)?.code),
        }
    }

    /// What a zero extension that has no name extends.
    fn unextended(&self, id: ExprId) -> Option<ExprId> {
        match &self.function.expr(id).op {
            Op::Cast { of, signed }
                if !flag(signed)
                    && self.ranges.width(id) > self.ranges.width(*of)
                    && self.named(id).is_none() =>
            {
                Some(*of)
            }
            _ => None,
        }
    }

    /// The name of an immediate, if an expression is all of its values and none is negative.
    fn whole_immediate(&self, id: ExprId) -> Option<Code> {
        let Op::Extract { of, low } = &self.function.expr(id).op else { return None };
        let Op::Arg(arg) = self.function.expr(*of).op else { return None };
        let whole = self.has_range_within(arg, self.ranges.width(id), false) && low.as_constant() == Some(0);
        whole.then(|| Code::name(self.args[arg.0 as usize].clone()))
    }

    /// A shift count as a `u32`; one of at least `limit` may become another such one.
    pub(super) fn count(&mut self, id: ExprId, limit: u32) -> Result<Code> {
        if let Some(of) = self.unextended(id) {
            return self.count(of, limit);
        }
        if let Some(name) = self.whole_immediate(id) {
            return Ok(name.cast("u32"));
        }
        let value = self.value(id, false)?;
        if let Some(digits) = value.code.as_literal() {
            return Ok(Code::name(digits.to_owned()));
        }
        let u32_type = Native { signed: false, bits: 32 };
        if value.native.bits <= 32 {
            return Ok(value.converted(u32_type).code);
        }
        if self.ranges.of(id, false).is_some_and(|(_, most)| most <= i128::from(u32::MAX)) {
            return Ok(value.code.cast("u32"));
        }
        Ok(Code::method(&value.code, "min", &[limit.to_string()]).cast("u32"))
    }
}

/// An element of an array, or zero beyond its end.
fn one_of(name: &str, lane: &Lane, count: u32) -> Code {
    if lane.most < i128::from(count) {
        return Code::name(format!("{name}[{}]", lane.index.whole()));
    }
    Code::name(format!("{name}.get({}).copied().unwrap_or(0)", lane.index.whole()))
}
