//! Random functions that obey the laws, from a string of random bytes (so that they shrink).

use hydride_ir::{
    Arg, ArgId, BinaryOp, Bits, CompareOp, ExprId, Float, FloatOp, Function, IndexId, NanRule, Num, Op,
    Param, ParamId, ROUNDING_WIDTH, ResultId, ResultSlot, Role, Stmt, UnaryOp,
};

/// Builds a function from choices; missing ones are 0.
pub fn function(choices: &[u8]) -> Function {
    let mut builder =
        Builder { choices: choices.iter(), function: Function::new("f"), pool: Vec::new(), next_index: 0 };
    builder.build();
    builder.function
}

struct Builder<'c> {
    choices: std::slice::Iter<'c, u8>,
    function: Function,
    /// Expressions of the current scope, for reuse.
    pool: Vec<ExprId>,
    next_index: u32,
}

impl Builder<'_> {
    fn choose(&mut self, below: usize) -> usize {
        usize::from(self.choices.next().copied().unwrap_or(0)) % below
    }

    fn build(&mut self) {
        let (element, lanes, inner) = (1 + self.choose(12), 1 + self.choose(4), 1 + self.choose(3));
        let parametric = self.choose(2) == 1;
        let mut number = |name: &str, value: usize| {
            let value = i64::try_from(value).unwrap_or(1);
            if !parametric {
                return Num::constant(value);
            }
            self.function.params.push(Param { name: name.to_owned(), value });
            Num::param(ParamId(u32::try_from(self.function.params.len() - 1).unwrap_or(0)))
        };
        let element = number("ew", element);
        let lanes = number("n", lanes);
        let inner = number("i", inner);
        let lane = element.clone() * inner.clone();
        let whole = lane.clone() * lanes.clone();
        for name in ["a", "b b", "c"] {
            let arg = Arg { name: name.to_owned(), width: whole.clone(), role: Role::Register };
            self.function.args.push(arg);
        }
        let immediate = Role::Immediate { low: -3, high: 7 };
        self.function.args.push(Arg { name: "imm".to_owned(), width: 8u32.into(), role: immediate });
        for result in 0..1 + self.choose(2) {
            let name = format!("r{result}");
            self.function.results.push(ResultSlot { name, width: whole.clone() });
            let result = ResultId(u32::try_from(result).unwrap_or(0));
            let (outer_index, inner_index) = (self.index(), self.index());
            let swapped = self.choose(2) == 1;
            let mut scope = vec![(outer_index, lanes.clone()), (inner_index, inner.clone())];
            let position = Num::index(outer_index) * lane.clone() + Num::index(inner_index) * element.clone();
            if swapped {
                scope.reverse();
            }
            let outer_pool = self.pool.clone();
            let value = self.expression(&element, &scope, &position, 5);
            self.pool = outer_pool;
            let mut body = vec![Stmt::Assign { result, low: position, value }];
            for (index, count) in scope.into_iter().rev() {
                body = vec![Stmt::For { index, count, body }];
            }
            self.function.body.extend(body);
        }
    }

    fn index(&mut self) -> IndexId {
        // Not in the order of the text, so that printing has to sort.
        self.next_index += 1;
        IndexId(1000 - self.next_index)
    }

    fn push(&mut self, op: Op, width: &Num) -> ExprId {
        let id = self.function.push(op, width.clone());
        self.pool.push(id);
        id
    }

    fn same_width(&mut self, width: &Num) -> Option<ExprId> {
        let known: Vec<ExprId> =
            self.pool.iter().copied().filter(|id| self.function.expr(*id).width == *width).collect();
        if known.is_empty() { None } else { Some(known[self.choose(known.len())]) }
    }

    fn sign(&mut self, has_sign: bool) -> Num {
        if has_sign { Num::constant(i64::from(self.choose(2) == 1)) } else { Num::constant(0) }
    }

    fn expression(&mut self, width: &Num, scope: &[(IndexId, Num)], low: &Num, depth: usize) -> ExprId {
        let choice = if depth == 0 { self.choose(4) } else { self.choose(16) };
        let operand =
            |builder: &mut Self, width: &Num| builder.expression(width, scope, low, depth.saturating_sub(1));
        match choice {
            0 | 1 => {
                let arg = ArgId(u32::try_from(self.choose(3)).unwrap_or(0));
                let whole = self.function.arg(arg).width.clone();
                let of = self.push(Op::Arg(arg), &whole);
                let own = self.function.results[0].width.clone();
                let element = self.push(Op::Extract { of, low: low.clone() }, &self.element());
                if own == *width {
                    of
                } else {
                    self.push(Op::Cast { of: element, signed: 1u32.into() }, width)
                }
            }
            2 => {
                let num = scope
                    .iter()
                    .fold(Num::constant(-7), |sum, (index, _)| sum + Num::index(*index) * Num::constant(3));
                self.push(Op::Int(num), width)
            }
            3 => match self.same_width(width) {
                Some(id) => id,
                None => self.push(Op::Int(Num::constant(5)), width),
            },
            4 => {
                let of = operand(self, width);
                let op = UnaryOp::NAMES[self.choose(UnaryOp::NAMES.len())].0;
                self.push(Op::Unary(op, of), width)
            }
            5..=8 => {
                let op = BinaryOp::NAMES[self.choose(BinaryOp::NAMES.len())].0;
                let left = operand(self, width);
                let right = if self.choose(3) == 0 { left } else { operand(self, width) };
                let signed = self.sign(op.has_sign());
                self.push(Op::Binary { op, signed, left, right }, width)
            }
            9 => {
                let op = CompareOp::NAMES[self.choose(CompareOp::NAMES.len())].0;
                let (left, right) = (operand(self, width), operand(self, width));
                let signed = self.sign(op.has_sign());
                let condition = self.push(Op::Compare { op, signed, left, right }, &1u32.into());
                let (then, otherwise) = (operand(self, width), operand(self, width));
                self.push(Op::Select { condition, then, otherwise }, width)
            }
            10 => {
                let wide = Num::constant(2) * width.clone();
                let (high, low) = (operand(self, width), operand(self, width));
                let of = self.push(Op::Concat(vec![high, low]), &wide);
                let (from_signed, to_signed) = (self.sign(true), self.sign(true));
                self.push(Op::Saturate { of, from_signed, to_signed }, width)
            }
            11 => {
                let at = self.push(Op::Arg(ArgId(3)), &8u32.into());
                let of = operand(self, width);
                self.push(Op::ExtractAt { of, low: at }, width)
            }
            12 => {
                let bits = Bits::from_u64(100, 0x1234_5678);
                let of = self.push(Op::Const(bits), &100u32.into());
                self.push(Op::Cast { of, signed: 0u32.into() }, width)
            }
            13 => self.float(width, scope, low, depth),
            _ => {
                let index = self.index();
                let mut inner = scope.to_vec();
                inner.push((index, Num::constant(3)));
                let outer_pool = self.pool.clone();
                let body = self.expression(width, &inner, low, depth.saturating_sub(2));
                self.pool = outer_pool;
                let folds: Vec<BinaryOp> =
                    BinaryOp::NAMES.iter().map(|(op, _)| *op).filter(|op| op.folds()).collect();
                let op = folds[self.choose(folds.len())];
                let signed = self.sign(op.has_sign());
                self.push(Op::Fold { op, signed, index, count: 3u32.into(), body }, width)
            }
        }
    }

    /// A floating-point operator on operands that are widened to 16 bits, of which `width` remain.
    fn float(&mut self, width: &Num, scope: &[(IndexId, Num)], low: &Num, depth: usize) -> ExprId {
        let (op, _) = FloatOp::NAMES[self.choose(FloatOp::NAMES.len())];
        let (nan, _) = NanRule::NAMES[self.choose(NanRule::NAMES.len())];
        let exponent = Num::from([5u32, 8][self.choose(2)]);
        let target = match op {
            FloatOp::Convert => Num::from(8u32),
            FloatOp::ToInt | FloatOp::FromInt => self.sign(true),
            op if op.approximates() => Num::from(1u32 << 18),
            _ => Num::constant(0),
        };
        let mut operands = Vec::new();
        for _ in 0..op.arity() {
            let of = self.expression(width, scope, low, depth.saturating_sub(1));
            operands.push(self.push(Op::Cast { of, signed: 0u32.into() }, &16u32.into()));
        }
        if op.rounds() {
            let mode = Bits::from_u64(ROUNDING_WIDTH, self.choose(6) as u64);
            operands.push(self.push(Op::Const(mode), &ROUNDING_WIDTH.into()));
        }
        let value = if op.compares() { 1u32 } else { 16 };
        let of = self.push(Op::Float { float: Float { op, nan, exponent, target }, operands }, &value.into());
        self.push(Op::Cast { of, signed: 0u32.into() }, width)
    }

    /// The width of an element.
    fn element(&self) -> Num {
        match self.function.params.is_empty() {
            true => Num::constant(1),
            false => Num::param(ParamId(0)),
        }
    }
}
