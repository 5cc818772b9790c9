//! Slices at constant and at computed positions.

use hydride_ir::{BinaryOp, Bits, CompareOp, ExprId, Num, Op};
use llvm_text::{Instruction, Operand, Type, Value as Name};

use super::code::{Code, lanes_type};
use super::lower::{Body, Value, What};
use crate::space::Space;

impl Body<'_> {
    /// Bits at a constant position in each lane.
    pub(super) fn extract(&mut self, of: &Value, low: &Num, to: u32) -> Option<Value> {
        let space = self.indices.space(low);
        let lows = self.indices.values(low, &space)?;
        let lows: Vec<u32> = lows.into_iter().map(|low| u32::try_from(low).ok()).collect::<Option<_>>()?;
        if of.space.is_empty() {
            let register = self.register(of);
            let name = register.gather(&mut self.code, &lows, to);
            return Some(self.named(name, to, space));
        }
        let amounts = self.number(low, of.width)?;
        let is_zero = lows.iter().all(|low| *low == 0);
        let shifted = if is_zero { of.clone() } else { self.pair("lshr", of, &amounts) };
        Some(self.cast(&shifted, to, false))
    }

    /// Bits from a computed position on.
    pub(super) fn extract_at(&mut self, of: ExprId, low: ExprId, to: u32) -> Option<Value> {
        let (source, position) = (self.values[&of].clone(), self.values[&low].clone());
        if source.space.is_empty()
            && (source.width > 64 || !position.space.is_empty())
            && let Some(value) = self.moved_extracts(&source, low, to)?
        {
            return Some(value);
        }
        let most = self.bounds.most(low);
        if source.space.is_empty() && source.width > 64 && to <= 64 {
            let aligned = to.is_power_of_two() && self.bounds.zeros(low) >= to.ilog2();
            return Some(self.chosen_elements(&source, &position, to, most, aligned));
        }
        let wide = self.cast(&source, source.width.max(to), false);
        let shifted = self.shift(BinaryOp::Shr, false, &wide, &position, most);
        Some(self.cast(&shifted, to, false))
    }

    /// A position that is one for all lanes plus a constant for each: the source is shifted once.
    fn moved_extracts(&mut self, source: &Value, low: ExprId, to: u32) -> Option<Option<Value>> {
        let Op::Binary { op: BinaryOp::Add, left, right, .. } = &self.function.expr(low).op else {
            return Some(None);
        };
        let split = [(left, right), (right, left)].into_iter().find_map(|(base, step)| {
            match &self.function.expr(*step).op {
                Op::Int(num) if self.values[base].space.is_empty() => Some((*base, num.clone())),
                Op::Const(bits) if self.values[base].space.is_empty() => {
                    Some((*base, Num::constant(i64::try_from(bits.to_u64()?).ok()?)))
                }
                _ => None,
            }
        });
        let Some((base, num)) = split else { return Some(None) };
        let space = self.indices.space(&num);
        let steps = self.indices.values(&num, &space)?;
        let position_width = self.function.expr(low).width.as_constant()?;
        let last = steps.iter().copied().max().and_then(|step| u64::try_from(step).ok());
        let reach = last.zip(self.bounds.most(base)).and_then(|(last, most)| last.checked_add(most));
        let exact = reach.is_some_and(|reach| position_width >= 64 || reach >> position_width == 0);
        let steps: Option<Vec<u32>> = steps.into_iter().map(|step| u32::try_from(step).ok()).collect();
        let (Some(steps), Some(last), true) = (steps, last, exact) else { return Some(None) };
        let reach = u32::try_from(last).ok()?.checked_add(to)?;
        let width = reach.max(source.width).next_multiple_of(8);
        let (whole, base_value) = (self.cast(source, width, false), self.values[&base].clone());
        let most = self.bounds.most(base);
        let shifted = self.shift(BinaryOp::Shr, false, &whole, &base_value, most);
        let name = self.register(&shifted).gather(&mut self.code, &steps, to);
        Some(Some(self.named(name, to, space)))
    }

    /// Slices of up to 64 bits of a wide source: each is shifted out of the one or (unless `aligned`) two
    /// elements of the source that hold it.
    fn chosen_elements(
        &mut self,
        source: &Value,
        position: &Value,
        to: u32,
        most: Option<u64>,
        aligned: bool,
    ) -> Value {
        let unit = to.next_power_of_two().max(8);
        let shift = unit.ilog2();
        let count = source.width.div_ceil(unit);
        let position = self.cast(position, position.width.max(shift + 1), false);
        let literal = |value: u64| Value {
            what: What::Literal(Bits::from_u64(position.width, value)),
            width: position.width,
            space: Space::new(),
        };
        let mut element = self.pair("lshr", &position, &literal(u64::from(shift)));
        let mut inside = None;
        let reaches = most.is_none_or(|most| most >> shift >= u64::from(count));
        if reaches && (position.width >= 32 || u64::from(count) >> position.width == 0) {
            inside = Some(self.compare(CompareOp::Lt, false, &element, &literal(u64::from(count))));
            element = self.call("umin", &[&element, &literal(u64::from(count) - 1)], None);
        }
        let element = self.cast(&element, 32, false);
        let elements = if aligned { count } else { count + 1 };
        let whole = self.cast(source, elements * unit, false);
        let mut value = self.read_elements(&whole, &element, unit);
        if !aligned || to < unit {
            let mut offset = self.pair("and", &position, &literal(u64::from(unit) - 1));
            if aligned {
                offset = self.cast(&offset, unit, false);
            } else {
                let next = self.literal(Bits::from_u64(32, 1));
                let next = self.pair("add", &element, &next);
                let above = self.read_elements(&whole, &next, unit);
                let above = self.cast(&above, 2 * unit, false);
                let amount = self.literal(Bits::from_u64(2 * unit, u64::from(unit)));
                let above = self.pair("shl", &above, &amount);
                value = self.cast(&value, 2 * unit, false);
                value = self.pair("or", &above, &value);
                offset = self.cast(&offset, 2 * unit, false);
            }
            value = self.pair("lshr", &value, &offset);
        }
        let value = self.cast(&value, to, false);
        match inside {
            Some(inside) => {
                let zero = self.literal(Bits::zero(to));
                self.select(&inside, &value, &zero)
            }
            None => value,
        }
    }

    /// The elements of `unit` bits of a scalar or argument that the lanes of `element` (32 bits) number.
    fn read_elements(&mut self, whole: &Value, element: &Value, unit: u32) -> Value {
        let number = Type::integer(unit);
        if let What::Literal(bits) = &whole.what {
            let base = self.code.table(bits, unit);
            return self.each_lane(element, unit, |code, index| {
                let base = base.clone();
                let element = number.clone();
                let pointer = code.emit(Instruction::ElementPointer { element, base, index });
                code.emit(Instruction::Load { ty: number.clone(), pointer, align: None })
            });
        }
        let table = self.register(whole).view(&mut self.code, unit);
        let table = Operand::new(lanes_type((whole.width / unit) as usize, unit), table);
        self.each_lane(element, unit, |code, index| {
            code.emit(Instruction::ExtractElement { vector: table.clone(), index })
        })
    }

    /// A vector whose elements are computed one by one from those of another.
    fn each_lane(&mut self, from: &Value, to: u32, read: impl Fn(&mut Code, Operand) -> Name) -> Value {
        let lanes = self.lanes(&from.space);
        let source = self.operand(from, &from.space);
        let operand = |value| Operand::new(Type::integer(from.width), value);
        if lanes == 1 {
            let name = read(&mut self.code, operand(source));
            return self.named(name, to, Space::new());
        }
        let mut name = Name::poison();
        for lane in 0..lanes {
            let element = self.code.shuffle(&source, lanes, from.width, &[lane as i64]);
            let element = Operand::new(Type::integer(to), read(&mut self.code, operand(element)));
            name = self.code.with_element(Operand::new(lanes_type(lanes, to), name), element, lane);
        }
        self.named(name, to, from.space.clone())
    }
}
