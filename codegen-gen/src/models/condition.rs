//! Single bits as truth values: comparisons, conditions and their combinations.

use hydride_ir::{BinaryOp, CompareOp, ExprId, Num, Op, UnaryOp};

use super::body::Writer;
use super::expression::{Result, flag, truth, unreadable};
use super::layout::Shape;
use super::native::{AND_ALSO, BIT_AND, BIT_XOR, COMPARISON, Code, OR_ELSE, PRODUCT, SHIFT};

impl Writer<'_> {
    /// One bit as a truth value.
    pub(super) fn condition(&mut self, id: ExprId) -> Result<Code> {
        if let Some(named) = self.named(id) {
            return Ok(Code::name(named.name.clone()));
        }
        let function = self.function;
        let is = |id: ExprId, value: u64| matches!(&function.expr(id).op, Op::Const(bits) if bits.to_u64() == Some(value));
        match &function.expr(id).op {
            Op::Const(bits) => Ok(truth(bits.bit(0))),
            Op::Int(num) => match num.as_constant() {
                Some(constant) => Ok(truth(constant & 1 == 1)),
                None => Ok(Code::new(format!("{} % 2 == 1", self.position(num).at(PRODUCT)), COMPARISON)),
            },
            Op::Arg(arg) => {
                let shape = self.layout.args[arg.0 as usize].clone();
                let name = Code::name(self.args[arg.0 as usize].clone());
                let bit = Code::binary(&name, "&", &shape.element().literal("1"), BIT_AND);
                Ok(Code::new(format!("{} == 1", bit.whole()), COMPARISON))
            }
            Op::Extract { of, low } => self.bit(*of, low),
            Op::ExtractAt { of, low } => {
                if let Some((name, ..)) = self.array(*of) {
                    return self.bit_at(&name, *low);
                }
                if let Op::Const(bits) = &function.expr(*of).op {
                    let name = self.table(bits, 64);
                    return self.bit_at(&name, *low);
                }
                let moved = self.moved_down_at(*of, *low)?;
                Ok(Code::new(format!("{} & 1 == 1", moved.code.at(BIT_AND)), COMPARISON))
            }
            Op::Cast { of, .. } => self.bit(*of, &Num::constant(0)),
            Op::Compare { op, signed, left, right } => self.comparison(*op, flag(signed), *left, *right),
            Op::Select { condition, then, otherwise } => {
                let chosen = self.condition(*condition)?;
                if is(*otherwise, 0) {
                    let then = self.condition(*then)?;
                    return Ok(Code::binary(&chosen, "&&", &then, AND_ALSO));
                }
                if is(*then, 1) {
                    let otherwise = self.condition(*otherwise)?;
                    return Ok(Code::binary(&chosen, "||", &otherwise, OR_ELSE));
                }
                if is(*then, 0) {
                    let otherwise = self.condition(*otherwise)?;
                    return Ok(Code::binary(&chosen.not(), "&&", &otherwise, AND_ALSO));
                }
                let (then, otherwise) = (self.condition(*then)?, self.condition(*otherwise)?);
                Ok(Code::conditional(&chosen, &then, &otherwise))
            }
            Op::Unary(UnaryOp::Not, of) => self.negated(*of),
            Op::Binary { op: BinaryOp::Xor, left, right, .. } if is(*left, 1) => self.negated(*right),
            Op::Unary(UnaryOp::Neg | UnaryOp::Abs | UnaryOp::PopCount, of) => self.condition(*of),
            Op::Unary(..) => Ok(self.first_operand(id)?.not()),
            Op::Binary { op, left, right, .. } => {
                if op.is_shift() {
                    let value = self.condition(*left)?;
                    let count = self.value(*right, false)?;
                    let unmoved = Code::new(format!("{} == 0", count.code.at(COMPARISON + 1)), COMPARISON);
                    return Ok(Code::binary(&value, "&&", &unmoved, AND_ALSO));
                }
                let (symbol, level) = match op {
                    BinaryOp::And | BinaryOp::Mul => ("&&", AND_ALSO),
                    BinaryOp::Or => ("||", OR_ELSE),
                    BinaryOp::Add | BinaryOp::Sub | BinaryOp::Xor => ("^", BIT_XOR),
                    _ => return unreadable("an operator on single bits"),
                };
                let (left, right) = (self.condition(*left)?, self.condition(*right)?);
                Ok(Code::binary(&left, symbol, &right, level))
            }
            Op::Float { float, operands } => {
                let bit = self.float(float, operands, 1)?;
                Ok(Code::binary(&bit, "==", &Code::name("1"), COMPARISON))
            }
            Op::Fold { op, index, body, .. } => {
                let name = self.enter(*index);
                let count = self.ranges.count(*index);
                let body = self.block(*body, |writer| writer.condition(*body));
                self.leave();
                let body = body?.whole();
                Ok(Code::name(match op {
                    BinaryOp::And | BinaryOp::Mul => format!("(0..{count}).all(|{name}| {body})"),
                    BinaryOp::Or => format!("(0..{count}).any(|{name}| {body})"),
                    BinaryOp::Xor | BinaryOp::Add => {
                        format!("(0..{count}).fold(false, |odd, {name}| odd ^ ({body}))")
                    }
                    _ => return unreadable("a fold of single bits"),
                }))
            }
            Op::Saturate { .. } | Op::Concat(_) => unreadable("a single bit of an unusual kind"),
        }
    }

    /// The opposite of a bit.
    fn negated(&mut self, id: ExprId) -> Result<Code> {
        if let Op::Compare { op: CompareOp::Eq, left, right, .. } = self.function.expr(id).op
            && self.named(id).is_none()
            && (2..=128).contains(&self.ranges.width(left))
        {
            return self.ordered("!=", "!=", false, true, left, right);
        }
        Ok(self.condition(id)?.not())
    }

    fn first_operand(&mut self, id: ExprId) -> Result<Code> {
        match self.function.expr(id).op.operands().first() {
            Some(operand) => self.condition(*operand),
            None => unreadable("an operator without operands"),
        }
    }

    /// One bit of an expression.
    pub(super) fn bit(&mut self, of: ExprId, low: &Num) -> Result<Code> {
        let width = self.ranges.width(of);
        let values = self.values(low)?;
        if let Op::Arg(arg) = self.function.expr(of).op {
            let shape = self.layout.args[arg.0 as usize].clone();
            let name = self.args[arg.0 as usize].clone();
            let element = shape.element();
            let grid = i64::from(element.bits);
            let lane = match shape {
                Shape::Lanes { .. } => Code::name(format!("{name}[{}]", self.quotient(low, grid).whole())),
                _ => Code::name(name),
            };
            if element.signed && values.iter().all(|low| low % grid == grid - 1) {
                return Ok(Code::binary(&lane, "<", &element.literal("0"), COMPARISON));
            }
            let offset = self.remainder(low, grid)?;
            let moved = match offset.as_literal() {
                Some("0") => lane,
                _ => Code::binary(&lane, ">>", &offset, SHIFT),
            };
            return Ok(Code::new(format!("{} & 1 == 1", moved.at(BIT_AND)), COMPARISON));
        }
        if width > 128 {
            return unreadable(format!("a bit of {width}"));
        }
        if width == 1 {
            return self.condition(of);
        }
        let natural = self.natural(of);
        let value = self.value(of, natural)?;
        if natural && values.iter().all(|low| *low == i64::from(width) - 1) {
            return Ok(Code::binary(&value.code, "<", &value.native.literal("0"), COMPARISON));
        }
        let moved = self.moved_down(&value.code, low)?;
        Ok(Code::new(format!("{} & 1 == 1", moved.at(BIT_AND)), COMPARISON))
    }

    /// One bit of lanes at a computed position.
    fn bit_at(&mut self, name: &str, low: ExprId) -> Result<Code> {
        let position = self.index(low)?;
        Ok(Code::new(format!("bits::read(&{name}, {}, 1) == 1", position.whole()), COMPARISON))
    }

    fn comparison(&mut self, op: CompareOp, signed: bool, left: ExprId, right: ExprId) -> Result<Code> {
        if self.ranges.width(left) == 1 {
            let (left, right) = (self.condition(left)?, self.condition(right)?);
            let symbol = match op {
                CompareOp::Eq => "==",
                CompareOp::Lt => "<",
                CompareOp::Le => "<=",
            };
            if op != CompareOp::Eq && signed {
                return unreadable("an order of signed bits");
            }
            return Ok(Code::new(format!("({}) {symbol} ({})", left.whole(), right.whole()), COMPARISON));
        }
        let (symbol, mirrored) = match op {
            CompareOp::Eq => ("==", "=="),
            CompareOp::Lt => ("<", ">"),
            CompareOp::Le => ("<=", ">="),
        };
        self.ordered(symbol, mirrored, signed, op == CompareOp::Eq, left, right)
    }

    /// A comparison with the literal, if there is one, on the right.
    fn ordered(
        &mut self,
        symbol: &str,
        mirrored: &str,
        signed: bool,
        any_sign: bool,
        left: ExprId,
        right: ExprId,
    ) -> Result<Code> {
        let signed = if any_sign { self.common_sign(left, right) } else { signed };
        let (left, right) = (self.value(left, signed)?, self.value(right, signed)?);
        if left.code.as_literal().is_some() {
            return Ok(Code::binary(&right.code, mirrored, &left.code, COMPARISON));
        }
        Ok(Code::binary(&left.code, symbol, &right.code, COMPARISON))
    }
}
