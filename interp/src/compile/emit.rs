//! One expression at a time: the checks of its widths, and the steps that compute it.

use hydride_ir::{ROUNDING_WIDTH, UnaryOp};

use super::*;
use crate::float::FloatStep;

impl Compiler<'_> {
    /// Compiles an expression whose operands are compiled.
    pub(super) fn expression(&mut self, id: ExprId, expr: &Expr, depth: usize) -> Result<Slot, EvalError> {
        if matches!(expr.op, Op::Fold { .. }) {
            return self.fold(id, expr, depth);
        }
        let err = broken(id);
        let width = self.width(&expr.width).map_err(&err)?;
        let same = |slot: Slot| match slot.width {
            found if found == width => Ok(slot),
            found => Err(err(format!("an operand has {found} bits instead of {width}"))),
        };
        match &expr.op {
            Op::Arg(ArgId(arg)) => match self.tape.args.get(*arg as usize) {
                Some(slot) => same(*slot),
                None => Err(err(format!("there is no argument {arg}"))),
            },
            Op::Const(bits) if bits.width() != width => {
                Err(err(format!("a literal has {} bits instead of {width}", bits.width())))
            }
            Op::Const(bits) => self.constant(bits.clone()),
            Op::Int(num) => {
                let value = self.num(num).map_err(err)?;
                self.constant(Bits::from(&crate::Bv::from_i64(width, value)))
            }
            Op::Extract { of, low } => {
                let (of, low) = (self.operand(*of), self.num(low).map_err(&err)?);
                let inside = low >= 0
                    && low.checked_add(i64::from(width)).is_some_and(|high| high <= i64::from(of.width));
                if !inside {
                    return Err(err(format!("bits {low} +: {width} of a value of {} bits", of.width)));
                }
                self.extract(of, low as u32, width)
            }
            Op::ExtractAt { of, low } => {
                let (of, low) = (self.operand(*of), self.operand(*low));
                let low = self.shift_amount(low)?;
                match width {
                    1..=64 => self.step(
                        Opcode::ExtractAt,
                        width,
                        0,
                        [of.offset, low, of.words() as u32],
                        &[of.offset, low],
                    ),
                    _ => self.wide(WideOp::ExtractAt { of, low }, width, &[of.offset, low]),
                }
            }
            Op::Cast { of, signed } => {
                let signed = self.flag(signed).map_err(err)?;
                self.cast(self.operand(*of), width, signed)
            }
            Op::Saturate { of, from_signed, to_signed } => {
                let from_signed = self.flag(from_signed).map_err(&err)?;
                let to_signed = self.flag(to_signed).map_err(&err)?;
                self.saturate(self.operand(*of), width, from_signed, to_signed)
            }
            Op::Concat(parts) => {
                let parts: Vec<Slot> = parts.iter().map(|part| self.operand(*part)).collect();
                let sum = parts.iter().map(|part| u64::from(part.width)).sum::<u64>();
                if sum != u64::from(width) {
                    return Err(err(format!("the parts have {sum} bits instead of {width}")));
                }
                self.concat(parts, width)
            }
            Op::Unary(op, of) => {
                let of = same(self.operand(*of))?;
                self.unary(*op, of)
            }
            Op::Binary { op, signed, left, right } => {
                let signed = self.flag(signed).map_err(&err)?;
                let left = same(self.operand(*left))?;
                let right = self.operand(*right);
                let right = if op.is_shift() { right } else { same(right)? };
                self.binary(*op, signed, left, right)
            }
            Op::Compare { op, signed, left, right } => {
                let signed = self.flag(signed).map_err(&err)?;
                let (left, right) = (self.operand(*left), self.operand(*right));
                if width != 1 || left.width != right.width {
                    let widths = format!("{} and {} bits to {width}", left.width, right.width);
                    return Err(err(format!("a comparison of {widths}")));
                }
                self.compare(*op, signed, left, right)
            }
            Op::Select { condition, then, otherwise } => {
                let condition = self.operand(*condition);
                if condition.width != 1 {
                    return Err(err(format!("a condition of {} bits", condition.width)));
                }
                let (then, otherwise) = (same(self.operand(*then))?, same(self.operand(*otherwise))?);
                self.select(condition, then, otherwise)
            }
            Op::Fold { .. } => Err(err("a fold is compiled elsewhere".into())),
            Op::Float { float, operands } => {
                let number = |num| self.num(num).ok().and_then(|number| u32::try_from(number).ok());
                let format = || err("a floating-point format is no number".into());
                let float = float.try_map(|num| number(num).ok_or_else(format))?;
                let slots: Vec<Slot> = operands.iter().map(|operand| self.operand(*operand)).collect();
                let (values, mode) = slots.split_at(float.op.arity().min(slots.len()));
                let Some(first) = values.first().filter(|_| slots.len() == float.op.operands()) else {
                    return Err(err(format!("{} operands instead of {}", slots.len(), float.op.operands())));
                };
                let step = FloatStep { float, operand: first.width, value: width, choice: self.choice };
                let derived = match float.op {
                    op if op.compares() => width == 1,
                    op => op.converts() || width == first.width,
                };
                let same = values.iter().all(|value| value.width == first.width);
                if !derived || !same || mode.iter().any(|mode| mode.width != ROUNDING_WIDTH) {
                    return Err(err("operands of a floating-point operator do not fit".into()));
                }
                if !step.is_supported() {
                    return Err(err(format!("an exponent of {} bits in {}", float.exponent, first.width)));
                }
                let inputs: Vec<u32> = slots.iter().map(|slot| slot.offset).collect();
                self.wide(WideOp::Float { step, operands: inputs.iter().copied().collect() }, width, &inputs)
            }
        }
    }

    fn extract(&mut self, of: Slot, low: u32, width: u32) -> Result<Slot, EvalError> {
        let (word, shift) = (of.offset + low / 64, low % 64);
        // Words have zeros above the value, so that whole words need no step.
        if shift == 0 && (width.is_multiple_of(64) || low + width == of.width) {
            return Ok(Slot { offset: word, width });
        }
        match width {
            1..=64 if shift + width <= 64 => {
                self.step(Opcode::Field, width, shift, [word, 0, 0], &[of.offset])
            }
            1..=64 => self.step(Opcode::Straddle, width, shift, [word, 0, 0], &[of.offset]),
            _ => self.wide(WideOp::Extract { of, low }, width, &[of.offset]),
        }
    }

    fn cast(&mut self, of: Slot, width: u32, signed: bool) -> Result<Slot, EvalError> {
        if width <= of.width {
            return self.extract(of, 0, width);
        }
        match signed {
            false if words::count(width) == of.words() => Ok(Slot { offset: of.offset, width }),
            true if width <= 64 => {
                self.step(Opcode::SignExtend, width, of.width, [of.offset, 0, 0], &[of.offset])
            }
            _ => self.wide(WideOp::Cast { of, signed }, width, &[of.offset]),
        }
    }

    fn saturate(
        &mut self,
        of: Slot,
        width: u32,
        from_signed: bool,
        to_signed: bool,
    ) -> Result<Slot, EvalError> {
        if of.width > 64 || width > 64 {
            return self.wide(WideOp::Saturate { of, from_signed, to_signed }, width, &[of.offset]);
        }
        let op = match (from_signed, to_signed) {
            (false, false) => Opcode::SaturateUU,
            (false, true) => Opcode::SaturateUS,
            (true, false) => Opcode::SaturateSU,
            (true, true) => Opcode::SaturateSS,
        };
        self.step(op, width, of.width, [of.offset, 0, 0], &[of.offset])
    }

    /// Concatenates parts, most significant first.
    fn concat(&mut self, parts: Vec<Slot>, width: u32) -> Result<Slot, EvalError> {
        if let [part] = parts[..] {
            return Ok(part);
        }
        if let Some(slot) = self.shared_concats.get(&parts) {
            return Ok(*slot);
        }
        let constant = parts.iter().all(|part| self.fixed[part.offset as usize]);
        let slot = self.allocate(width)?;
        let mut low = 0;
        for part in parts.iter().rev() {
            self.insert(slot, low, *part, constant)?;
            low += part.width;
        }
        self.fix(slot, constant);
        self.shared_concats.insert(parts, slot);
        Ok(slot)
    }

    /// Overwrites bits of a result or a concatenation, now (`at_once`) or in each run.
    pub(super) fn insert(
        &mut self,
        into: Slot,
        low: u32,
        value: Slot,
        at_once: bool,
    ) -> Result<(), EvalError> {
        let shift = low % 64;
        let mut step = Step {
            op: if shift + value.width <= 64 { Opcode::Insert } else { Opcode::InsertStraddle },
            width: value.width.min(64) as u8,
            small: shift as u8,
            dst: into.offset + low / 64,
            a: value.offset,
            b: 0,
            c: 0,
        };
        if value.width > 64 {
            let wide = WideStep { op: WideOp::Insert { value, low }, width: into.width };
            (step.op, step.dst, step.a) = (Opcode::Wide, into.offset, self.tape.wide.len() as u32);
            self.tape.wide.push(wide);
        }
        self.push(step, at_once)
    }

    fn unary(&mut self, op: UnaryOp, of: Slot) -> Result<Slot, EvalError> {
        if of.width > 64 {
            return self.wide(WideOp::Unary(op, of), of.width, &[of.offset]);
        }
        let op = match op {
            UnaryOp::Not => Opcode::Not,
            UnaryOp::Neg => Opcode::Neg,
            UnaryOp::Abs => Opcode::Abs,
            UnaryOp::PopCount => Opcode::PopCount,
            UnaryOp::LeadingZeros => Opcode::LeadingZeros,
            UnaryOp::TrailingZeros => Opcode::TrailingZeros,
        };
        self.step(op, of.width, 0, [of.offset, 0, 0], &[of.offset])
    }

    pub(super) fn binary(
        &mut self,
        op: BinaryOp,
        signed: bool,
        left: Slot,
        right: Slot,
    ) -> Result<Slot, EvalError> {
        let width = left.width;
        let amount = if op.is_shift() { self.shift_amount(right)? } else { right.offset };
        let inputs = [left.offset, amount];
        if width > 64 {
            let wide = match op.is_shift() {
                true => WideOp::Shift { op, signed, of: left, amount },
                false => WideOp::Binary { op, signed, left, right },
            };
            return self.wide(wide, width, &inputs);
        }
        let op = match (op, signed) {
            (BinaryOp::Add, _) => Opcode::Add,
            (BinaryOp::Sub, _) => Opcode::Sub,
            (BinaryOp::Mul, _) => Opcode::Mul,
            (BinaryOp::And, _) => Opcode::And,
            (BinaryOp::Or, _) => Opcode::Or,
            (BinaryOp::Xor, _) => Opcode::Xor,
            (BinaryOp::Shl, _) => Opcode::Shl,
            (BinaryOp::Div, false) => Opcode::DivU,
            (BinaryOp::Div, true) => Opcode::DivS,
            (BinaryOp::Rem, false) => Opcode::RemU,
            (BinaryOp::Rem, true) => Opcode::RemS,
            (BinaryOp::Shr, false) => Opcode::ShrU,
            (BinaryOp::Shr, true) => Opcode::ShrS,
            (BinaryOp::Min, false) => Opcode::MinU,
            (BinaryOp::Min, true) => Opcode::MinS,
            (BinaryOp::Max, false) => Opcode::MaxU,
            (BinaryOp::Max, true) => Opcode::MaxS,
        };
        self.step(op, width, 0, [left.offset, amount, 0], &inputs)
    }

    fn compare(&mut self, op: CompareOp, signed: bool, left: Slot, right: Slot) -> Result<Slot, EvalError> {
        let inputs = [left.offset, right.offset];
        if left.width > 64 {
            return self.wide(WideOp::Compare { op, signed, left, right }, 1, &inputs);
        }
        let op = match (op, signed) {
            (CompareOp::Eq, _) => Opcode::Eq,
            (CompareOp::Lt, false) => Opcode::LtU,
            (CompareOp::Lt, true) => Opcode::LtS,
            (CompareOp::Le, false) => Opcode::LeU,
            (CompareOp::Le, true) => Opcode::LeS,
        };
        let slot = self.step(op, left.width, 0, [left.offset, right.offset, 0], &inputs)?;
        Ok(Slot { width: 1, ..slot })
    }

    fn select(&mut self, condition: Slot, then: Slot, otherwise: Slot) -> Result<Slot, EvalError> {
        let inputs = [condition.offset, then.offset, otherwise.offset];
        if then == otherwise {
            return Ok(then);
        }
        match then.width {
            1..=64 => self.step(Opcode::Select, then.width, 0, inputs, &inputs),
            _ => {
                let condition = condition.offset;
                self.wide(WideOp::Select { condition, then, otherwise }, then.width, &inputs)
            }
        }
    }

    /// The position of one word that holds a shift amount of any width.
    fn shift_amount(&mut self, amount: Slot) -> Result<u32, EvalError> {
        if amount.width <= 64 {
            return Ok(amount.offset);
        }
        let operands = [amount.offset, 0, amount.words() as u32];
        Ok(self.step(Opcode::ClampCount, 64, 0, operands, &[amount.offset])?.offset)
    }

    fn constant(&mut self, bits: Bits) -> Result<Slot, EvalError> {
        if let Some(slot) = self.constants.get(&bits) {
            return Ok(*slot);
        }
        let slot = self.allocate(bits.width())?;
        let offset = slot.offset as usize;
        self.tape.image[offset..offset + slot.words()].copy_from_slice(bits.words());
        self.fix(slot, true);
        self.constants.insert(bits, slot);
        Ok(slot)
    }

    pub(super) fn allocate(&mut self, width: u32) -> Result<Slot, EvalError> {
        let offset = self.tape.image.len();
        let end = offset + words::count(width);
        if end > Limit::Words.bound() {
            return Err(EvalError::Limit { limit: Limit::Words });
        }
        self.tape.image.resize(end, 0);
        self.fixed.resize(end, false);
        Ok(Slot { offset: offset as u32, width })
    }

    fn fix(&mut self, slot: Slot, constant: bool) {
        self.fixed[slot.offset as usize..slot.offset as usize + slot.words()].fill(constant);
    }

    /// A step on narrow values; `inputs` are the first words of the operands.
    fn step(
        &mut self,
        op: Opcode,
        width: u32,
        small: u32,
        [a, b, c]: [u32; 3],
        inputs: &[u32],
    ) -> Result<Slot, EvalError> {
        let mut step = Step { op, width: width as u8, small: small as u8, dst: 0, a, b, c };
        if let Some(slot) = self.shared_steps.get(&step) {
            return Ok(*slot);
        }
        let slot = self.allocate(width)?;
        self.shared_steps.insert(step, slot);
        step.dst = slot.offset;
        self.finish(step, slot, inputs)
    }

    /// A step on wide values; `inputs` are the first words of the operands.
    fn wide(&mut self, op: WideOp, width: u32, inputs: &[u32]) -> Result<Slot, EvalError> {
        let wide = WideStep { op, width };
        if let Some(slot) = self.shared_wide.get(&wide) {
            return Ok(*slot);
        }
        let slot = self.allocate(width)?;
        self.shared_wide.insert(wide.clone(), slot);
        let a = self.tape.wide.len() as u32;
        self.tape.wide.push(wide);
        let step = Step { op: Opcode::Wide, width: 0, small: 0, dst: slot.offset, a, b: 0, c: 0 };
        self.finish(step, slot, inputs)
    }

    fn finish(&mut self, step: Step, slot: Slot, inputs: &[u32]) -> Result<Slot, EvalError> {
        let constant = inputs.iter().all(|input| self.fixed[*input as usize]);
        self.push(step, constant)?;
        self.fix(slot, constant);
        Ok(slot)
    }

    fn push(&mut self, step: Step, at_once: bool) -> Result<(), EvalError> {
        if at_once {
            step::execute(&[step], &self.tape.wide, &mut self.tape.image);
        } else if self.tape.steps.len() >= Limit::Steps.bound() {
            return Err(EvalError::Limit { limit: Limit::Steps });
        } else {
            self.tape.steps.push(step);
        }
        Ok(())
    }
}
