//! One instance as a function body: every expression once, over all lanes that it depends on.
//!
//! What the IR defines and LLVM does not (shifts by the width or more, division by zero, positions beyond the
//! top) is guarded, unless the operands' bounds rule it out.

use std::collections::HashMap;

use autoir::Facts;
use hydride_ir::visit::{Assignment, Event};
use hydride_ir::{BinaryOp, Bits, CompareOp, Expr, ExprId, Function, Num, Op, UnaryOp};
use llvm_text::{Instruction, Operand, Statement, Type, Value as Name};

use super::code::{Code, constant, lanes_type};
use super::register::{Piece, Register, assemble, resize};
use crate::bounds::Bounds;
use crate::identifier::{llvm_type, return_type};
use crate::space::{Indices, Space, union};

/// A value: `lanes(space)` elements of `width` bits.
#[derive(Clone)]
pub(super) struct Value {
    pub(super) what: What,
    pub(super) width: u32,
    pub(super) space: Space,
}

#[derive(Clone)]
pub(super) enum What {
    /// A scalar literal.
    Literal(Bits),
    /// A named value, or a constant vector.
    Named(Name),
    /// A whole argument in its declared type.
    Argument(usize),
}

/// A function on its way into LLVM.
pub(super) struct Body<'f> {
    pub(super) function: &'f Function,
    facts: &'f Facts,
    arg_names: &'f [String],
    pub(super) indices: Indices,
    pub(super) bounds: Bounds,
    pub(super) code: Code,
    pub(super) values: HashMap<ExprId, Value>,
}

/// The instructions of a function without parameters, and its return. `None` when widths, counts or signs
/// depend on indices: such a function has to be unrolled first.
pub(super) fn body(function: &Function, facts: &Facts, arg_names: &[String], symbol: &str) -> Option<Text> {
    let indices = Indices::of(function)?;
    let bounds = Bounds::of(function, &indices)?;
    let mut body =
        Body { function, facts, arg_names, indices, bounds, code: Code::new(symbol), values: HashMap::new() };
    for (position, expr) in (0u32..).zip(function.exprs()) {
        let value = body.expression(expr)?;
        body.values.insert(ExprId(position), value);
    }
    let mut pieces: Vec<Vec<Piece>> = function.results.iter().map(|_| Vec::new()).collect();
    body.statements(function, &mut pieces)?;
    let mut results = Vec::new();
    for ((result, pieces), shape) in function.results.iter().zip(pieces).zip(&facts.results) {
        let register = assemble(&mut body.code, &pieces, width(&result.width)?);
        let own = (register.lanes, register.element);
        let bits = (shape.count as usize, shape.element);
        let mut name = body.code.bitcast(register.name, own, bits);
        if shape.is_float() {
            let of = Operand::new(lanes_type(bits.0, bits.1), name);
            name = body.code.emit(Instruction::cast("bitcast", of, llvm_type(*shape)));
        }
        results.push(name);
    }
    let tables = body.code.tables();
    Some(Text { body: body.finish(results), tables })
}

/// What is written for an instance.
pub(super) struct Text {
    /// The lines.
    pub(super) body: Vec<Statement>,
    /// Definitions of the constants that they read.
    pub(super) tables: String,
}

fn width(num: &Num) -> Option<u32> {
    u32::try_from(num.as_constant()?).ok()
}

fn flag(num: &Num) -> Option<bool> {
    num.as_constant().map(|value| value != 0)
}

impl Body<'_> {
    /// The lines, with the return at the end. Several results are put into a structure.
    fn finish(mut self, results: Vec<Name>) -> Vec<Statement> {
        let whole = return_type(&self.facts.results);
        let mut parts = results.into_iter().zip(&self.facts.results);
        let returned = match (&whole, parts.next()) {
            (_, None) => return vec![Statement::without_result(Instruction::Return(None))],
            (Type::Structure(_), Some(first)) => {
                let any = Name::poison();
                (0..).zip(std::iter::once(first).chain(parts)).fold(any, |sum, (position, (name, shape))| {
                    let part = Operand::new(llvm_type(*shape), name);
                    self.code.emit(Instruction::insert_value(
                        Operand::new(whole.clone(), sum),
                        part,
                        position,
                    ))
                })
            }
            (_, Some((single, _))) => single,
        };
        let (mut lines, results) = self.code.finish(vec![returned]);
        let returned =
            results.into_iter().map(|value| Instruction::Return(Some(Operand::new(whole.clone(), value))));
        lines.extend(returned.map(Statement::without_result));
        lines
    }

    fn statements(&mut self, function: &Function, pieces: &mut [Vec<Piece>]) -> Option<()> {
        let mut walk = function.walk();
        while let Some(event) = walk.next() {
            let Event::Assign(Assignment { result, low, value }) = event else { continue };
            let loops = &self.indices.around(&walk);
            let value = self.values[&value].clone();
            let lows = self.indices.values(low, loops)?;
            let lanes = self.indices.project(loops, &value.space);
            let places = lows.iter().zip(lanes);
            let places =
                places.map(|(low, lane)| Some((u32::try_from(*low).ok()?, usize::try_from(lane).ok()?)));
            let piece = Piece {
                places: places.collect::<Option<_>>()?,
                lanes: self.lanes(&value.space),
                width: value.width,
                name: self.operand(&value, &value.space),
            };
            pieces[result.0 as usize].push(piece);
        }
        Some(())
    }

    pub(super) fn lanes(&self, space: &[usize]) -> usize {
        self.indices.lanes(space)
    }

    pub(super) fn value(&self, id: ExprId) -> Value {
        self.values[&id].clone()
    }

    pub(super) fn named(&self, name: Name, width: u32, space: Space) -> Value {
        Value { what: What::Named(name), width, space }
    }

    /// A value as an operand over an index space that covers the value's.
    pub(super) fn operand(&mut self, value: &Value, space: &[usize]) -> Name {
        let lanes = self.lanes(space);
        let own = self.lanes(&value.space);
        match &value.what {
            What::Literal(bits) => constant(value.width, &vec![bits.clone(); lanes]),
            What::Argument(_) => {
                let whole = self.register(value).view(&mut self.code, value.width);
                if lanes == 1 { whole } else { self.code.broadcast(&whole, value.width, lanes) }
            }
            What::Named(name) if own == lanes => name.clone(),
            What::Named(name) if own == 1 => self.code.broadcast(name, value.width, lanes),
            What::Named(name) => {
                let mask = self.indices.project(space, &value.space);
                self.code.shuffle(name, own, value.width, &mask)
            }
        }
    }

    /// A scalar or whole argument to read slices of.
    pub(super) fn register(&mut self, value: &Value) -> Register {
        match value.what {
            What::Argument(position) => {
                let shape = self.facts.args[position];
                let mut name = Name::local(&self.arg_names[position]);
                if shape.is_float() {
                    let of = Operand::new(llvm_type(shape), name);
                    let bits = lanes_type(shape.count as usize, shape.element);
                    name = self.code.emit(Instruction::cast("bitcast", of, bits));
                }
                Register { name, lanes: shape.count as usize, element: shape.element }
            }
            _ => Register { name: self.operand(value, &[]), lanes: 1, element: value.width },
        }
    }

    /// A literal with the same value in all lanes.
    pub(super) fn literal(&self, bits: Bits) -> Value {
        Value { width: bits.width(), what: What::Literal(bits), space: Space::new() }
    }

    /// A number in each lane of the indices that it depends on.
    pub(super) fn number(&mut self, num: &Num, width: u32) -> Option<Value> {
        let bits = |value: i64| {
            let fill = if value < 0 { u64::MAX } else { 0 };
            Bits::from_words(width, std::iter::once(value.cast_unsigned()).chain(std::iter::repeat(fill)))
        };
        let space = self.indices.space(num);
        let elements: Vec<Bits> = self.indices.values(num, &space)?.into_iter().map(bits).collect();
        match elements.as_slice() {
            [single] => Some(self.literal(single.clone())),
            _ => Some(self.named(constant(width, &elements), width, space)),
        }
    }

    fn expression(&mut self, expr: &Expr) -> Option<Value> {
        let to = width(&expr.width)?;
        let value = |body: &Self, id: &ExprId| body.values[id].clone();
        Some(match &expr.op {
            Op::Arg(arg) => Value { what: What::Argument(arg.0 as usize), width: to, space: Space::new() },
            Op::Const(bits) => self.literal(bits.clone()),
            Op::Int(num) => self.number(num, to)?,
            Op::Extract { of, low } => {
                let of = value(self, of);
                self.extract(&of, low, to)?
            }
            Op::ExtractAt { of, low } => self.extract_at(*of, *low, to)?,
            Op::Cast { of, signed } => {
                let (of, signed) = (value(self, of), flag(signed)?);
                self.cast(&of, to, signed)
            }
            Op::Saturate { of, from_signed, to_signed } => {
                let (of, from_signed, to_signed) = (value(self, of), flag(from_signed)?, flag(to_signed)?);
                self.saturate(&of, to, from_signed, to_signed)
            }
            Op::Concat(parts) => {
                let parts: Vec<Value> = parts.iter().map(|part| value(self, part)).collect();
                self.concat(&parts, to)
            }
            Op::Unary(op, of) => {
                let of = value(self, of);
                self.unary(*op, &of)
            }
            Op::Binary { op, signed, left, right } => {
                let signed = flag(signed)?;
                if op.is_shift() {
                    let most = self.bounds.most(*right);
                    let (left, right) = (value(self, left), value(self, right));
                    self.shift(*op, signed, &left, &right, most)
                } else {
                    let (left, right) = (value(self, left), value(self, right));
                    self.binary(*op, signed, &left, &right)
                }
            }
            Op::Compare { op, signed, left, right } => {
                let (left, right, signed) = (value(self, left), value(self, right), flag(signed)?);
                self.compare(*op, signed, &left, &right)
            }
            Op::Select { condition, then, otherwise } => {
                let (condition, then, otherwise) =
                    (value(self, condition), value(self, then), value(self, otherwise));
                self.select(&condition, &then, &otherwise)
            }
            Op::Float { float, operands } => self.float(float, operands, to)?,
            Op::Fold { op, signed, index, count, body } => {
                let count = usize::try_from(count.as_constant()?).ok()?;
                let (body, signed) = (value(self, body), flag(signed)?);
                match self.indices.position(*index) {
                    Some(position) => self.fold(*op, signed, &body, position, count),
                    None => body,
                }
            }
        })
    }

    /// An instruction over two operands of one type.
    fn pair_of(
        &mut self,
        make: impl FnOnce(Type, Name, Name) -> Instruction,
        left: &Value,
        right: &Value,
    ) -> Value {
        let space = union(&left.space, &right.space);
        let ty = lanes_type(self.lanes(&space), left.width);
        let (a, b) = (self.operand(left, &space), self.operand(right, &space));
        let name = self.code.emit(make(ty, a, b));
        self.named(name, left.width, space)
    }

    /// An operator.
    pub(super) fn pair(&mut self, operator: &'static str, left: &Value, right: &Value) -> Value {
        self.pair_of(|ty, left, right| Instruction::binary(operator, ty, left, right), left, right)
    }

    /// A call of one of LLVM's generic intrinsics; `more` is a further argument.
    pub(super) fn call(&mut self, intrinsic: &str, operands: &[&Value], more: Option<Operand>) -> Value {
        let space = operands.iter().fold(Space::new(), |space, operand| union(&space, &operand.space));
        let width = operands[0].width;
        let ty = lanes_type(self.lanes(&space), width);
        let operands = operands.iter().map(|operand| Operand::new(ty.clone(), self.operand(operand, &space)));
        let operands = operands.chain(more).collect();
        let function = format!("llvm.{intrinsic}.{}", ty.mangled());
        let name = self.code.emit(Instruction::call(ty.clone(), function, operands));
        self.named(name, width, space)
    }

    pub(super) fn cast(&mut self, of: &Value, to: u32, signed: bool) -> Value {
        if of.width == to {
            return of.clone();
        }
        if let What::Literal(bits) = &of.what
            && (to < of.width || !signed)
        {
            return self.literal(Bits::from_words(to, bits.words().iter().copied()));
        }
        let text = self.operand(of, &of.space);
        let lanes = self.lanes(&of.space);
        let name = resize(&mut self.code, text, lanes, (of.width, to), signed);
        self.named(name, to, of.space.clone())
    }

    fn unary(&mut self, op: UnaryOp, of: &Value) -> Value {
        let zero = self.literal(Bits::zero(of.width));
        let ones = self.literal(Bits::ones(of.width));
        // The result is defined for every operand.
        let defined = || Some(Operand::new(Type::integer(1), Name::bool(false)));
        match op {
            UnaryOp::Not => self.pair("xor", of, &ones),
            UnaryOp::Neg => self.pair("sub", &zero, of),
            UnaryOp::Abs => self.call("abs", &[of], defined()),
            UnaryOp::PopCount => self.call("ctpop", &[of], None),
            UnaryOp::LeadingZeros => self.call("ctlz", &[of], defined()),
            UnaryOp::TrailingZeros => self.call("cttz", &[of], defined()),
        }
    }

    fn binary(&mut self, op: BinaryOp, signed: bool, left: &Value, right: &Value) -> Value {
        let word = match op {
            BinaryOp::Add => "add",
            BinaryOp::Sub => "sub",
            BinaryOp::Mul => "mul",
            BinaryOp::And => "and",
            BinaryOp::Or => "or",
            BinaryOp::Xor => "xor",
            BinaryOp::Min => return self.call(if signed { "smin" } else { "umin" }, &[left, right], None),
            BinaryOp::Max => return self.call(if signed { "smax" } else { "umax" }, &[left, right], None),
            BinaryOp::Div | BinaryOp::Rem => return self.divide(op, signed, left, right),
            // Their counts have an independent width; `shift` handles them.
            BinaryOp::Shl | BinaryOp::Shr => return self.shift(op, signed, left, right, None),
        };
        self.pair(word, left, right)
    }

    /// The divisor 0, and -1 where that could overflow, are replaced by 1 and their results put in.
    fn divide(&mut self, op: BinaryOp, signed: bool, left: &Value, right: &Value) -> Value {
        let width = left.width;
        let (zero, one, ones) = (
            self.literal(Bits::zero(width)),
            self.literal(Bits::from_u64(width, 1)),
            self.literal(Bits::ones(width)),
        );
        let is_zero = self.compare(CompareOp::Eq, false, right, &zero);
        let mut divisor = self.select(&is_zero, &one, right);
        let is_minus_one = self.compare(CompareOp::Eq, false, right, &ones);
        if signed {
            divisor = self.select(&is_minus_one, &one, &divisor);
        }
        let divides = op == BinaryOp::Div;
        let word = match (divides, signed) {
            (true, false) => "udiv",
            (true, true) => "sdiv",
            (false, false) => "urem",
            (false, true) => "srem",
        };
        let mut value = self.pair(word, left, &divisor);
        if signed {
            let special = if divides { self.pair("sub", &zero, left) } else { zero.clone() };
            value = self.select(&is_minus_one, &special, &value);
        }
        let by_zero = match (divides, signed) {
            (true, false) => ones,
            (true, true) => {
                let negative = self.compare(CompareOp::Lt, true, left, &zero);
                self.select(&negative, &one, &ones)
            }
            (false, _) => left.clone(),
        };
        self.select(&is_zero, &by_zero, &value)
    }

    /// `most` bounds the count where that is known.
    pub(super) fn shift(
        &mut self,
        op: BinaryOp,
        signed: bool,
        left: &Value,
        count: &Value,
        most: Option<u64>,
    ) -> Value {
        let word = match (op, signed) {
            (BinaryOp::Shl, _) => "shl",
            (_, false) => "lshr",
            (_, true) => "ashr",
        };
        let width = left.width;
        let limit = u64::from(width);
        if most.is_some_and(|most| most < limit) {
            let count = self.cast(count, width, false);
            return self.pair(word, left, &count);
        }
        // Compared where both the count and the width fit.
        let wide = count.width.max(limit.ilog2() + 1);
        let counts = self.cast(count, wide, false);
        let limit_literal = |value: u64| Value {
            what: What::Literal(Bits::from_u64(wide, value)),
            width: wide,
            space: Space::new(),
        };
        let largest = self.call("umin", &[&counts, &limit_literal(limit - 1)], None);
        let largest = self.cast(&largest, width, false);
        let shifted = self.pair(word, left, &largest);
        if word == "ashr" {
            return shifted;
        }
        let inside = self.compare(CompareOp::Lt, false, &counts, &limit_literal(limit));
        let zero = self.literal(Bits::zero(width));
        self.select(&inside, &shifted, &zero)
    }

    pub(super) fn compare(&mut self, op: CompareOp, signed: bool, left: &Value, right: &Value) -> Value {
        let relation = match (op, signed) {
            (CompareOp::Eq, _) => "eq",
            (CompareOp::Lt, false) => "ult",
            (CompareOp::Lt, true) => "slt",
            (CompareOp::Le, false) => "ule",
            (CompareOp::Le, true) => "sle",
        };
        let make = |ty, left, right| Instruction::compare(relation, ty, left, right);
        Value { width: 1, ..self.pair_of(make, left, right) }
    }

    pub(super) fn select(&mut self, condition: &Value, then: &Value, otherwise: &Value) -> Value {
        let space = union(&then.space, &otherwise.space);
        // One condition for all lanes stays a scalar.
        let whole = union(&space, &condition.space);
        let deciding = if condition.space.is_empty() { Space::new() } else { whole.clone() };
        let ty = lanes_type(self.lanes(&whole), then.width);
        let bits = lanes_type(self.lanes(&deciding), 1);
        let condition = Operand::new(bits, self.operand(condition, &deciding));
        let [then_value, otherwise] =
            [then, otherwise].map(|of| Operand::new(ty.clone(), self.operand(of, &whole)));
        let name = self.code.emit(Instruction::Select { condition, then: then_value, otherwise });
        self.named(name, then.width, whole)
    }

    fn saturate(&mut self, of: &Value, to: u32, from_signed: bool, to_signed: bool) -> Value {
        let from = of.width;
        let top = |bits: u32| Bits::from_words(from, ones_below(bits));
        let mut value = of.clone();
        if from_signed && to_signed {
            if to < from {
                let least = self.literal(negated_power(from, to - 1));
                let most = self.literal(top(to - 1));
                value = self.call("smax", &[&value, &least], None);
                value = self.call("smin", &[&value, &most], None);
            }
            return self.cast(&value, to, true);
        }
        if from_signed {
            let zero = self.literal(Bits::zero(from));
            value = self.call("smax", &[&value, &zero], None);
        }
        // What is left is not negative and has `room` bits of magnitude.
        let room = from - u32::from(from_signed);
        let kept = to - u32::from(to_signed);
        if kept < room {
            let most = self.literal(top(kept));
            value = self.call("umin", &[&value, &most], None);
        }
        self.cast(&value, to, false)
    }

    fn concat(&mut self, parts: &[Value], to: u32) -> Value {
        let space = parts.iter().fold(Space::new(), |space, part| union(&space, &part.space));
        if space.is_empty() && to > 64 {
            let mut low = to;
            let mut pieces = Vec::new();
            for part in parts {
                low -= part.width;
                let name = self.operand(part, &[]);
                pieces.push(Piece { name, lanes: 1, width: part.width, places: vec![(low, 0)] });
            }
            let register = assemble(&mut self.code, &pieces, to);
            let name = register.view(&mut self.code, to);
            return self.named(name, to, space);
        }
        let mut low = to;
        let mut sum: Option<Value> = None;
        for part in parts {
            low -= part.width;
            if matches!(&part.what, What::Literal(bits) if bits.to_u64() == Some(0)) {
                continue;
            }
            let mut bits = self.cast(part, to, false);
            if low > 0 {
                let amount = self.literal(Bits::from_u64(to, u64::from(low)));
                bits = self.pair("shl", &bits, &amount);
            }
            sum = Some(match sum {
                Some(sum) => self.pair("or", &sum, &bits),
                None => bits,
            });
        }
        sum.unwrap_or_else(|| self.literal(Bits::zero(to)))
    }
}

/// The words of a number with ones below bit `bits`.
fn ones_below(bits: u32) -> Vec<u64> {
    Bits::ones(bits.max(1)).words().iter().map(|word| if bits == 0 { 0 } else { *word }).collect()
}

/// `-2^bits` in two's complement.
fn negated_power(width: u32, bits: u32) -> Bits {
    let low = ones_below(bits);
    let words = (0..width.div_ceil(64) as usize).map(|word| !low.get(word).copied().unwrap_or(0));
    Bits::from_words(width, words)
}
