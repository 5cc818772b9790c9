//! From a [`Function`] to terms: loops and folds expanded, each result as the slices written.
//!
//! The operators' meanings are written down here a second time, in SMT-LIB's terms, on purpose:
//! nothing is shared with `interp`.

use hydride_ir::{
    BinaryOp, Bits, CompareOp, Expr, ExprId, Float, Function, IndexId, MAX_WIDTH, Num, Op, ROUNDING_WIDTH,
    Stmt, UnaryOp,
};
use rustc_hash::FxHashMap;
use smallvec::SmallVec;

use crate::term::{Operator, Relation, Term, TermId, Terms};

/// How many loop and fold iterations one function may run; `docs/src/limits.md` lists all limits.
const MAX_ITERATIONS: u64 = 1_000_000;

/// How many terms two functions may have together; a term takes about 200 bytes.
const MAX_TERMS: usize = 8_000_000;

/// Why a function has no formula.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum EncodeError {
    /// The two functions differ in the number or the widths of arguments or results.
    #[error("signatures differ: {0}")]
    Signature(String),
    /// Not as many parameter values as parameters.
    #[error("@{function} has {expected} parameters, {given} values given")]
    Params {
        /// The function's name.
        function: String,
        /// Its number of parameters.
        expected: usize,
        /// The number of values given.
        given: usize,
    },
    /// A number overflows, or is negative or too large for its place.
    #[error("{0} out of range")]
    Number(&'static str),
    /// Operand widths that do not fit the operation.
    #[error("operand widths do not fit {0}")]
    Width(&'static str),
    /// An index, argument or result that does not exist at this place.
    #[error("unknown {0}")]
    Unbound(&'static str),
    /// A bit of a result that is not written exactly once.
    #[error("bit {bit} of result {result} is not written exactly once")]
    Coverage {
        /// The result's position.
        result: usize,
        /// The first such bit.
        bit: u32,
    },
    /// More loop and fold iterations than admitted.
    #[error("more than {MAX_ITERATIONS} iterations")]
    Iterations,
    /// A formula larger than admitted.
    #[error("more than {MAX_TERMS} terms")]
    Size,
}

/// A slice of a result and its value.
#[derive(Clone, Copy, Debug)]
pub struct Piece {
    /// The lowest bit written.
    pub low: u32,
    /// What is written, as wide as the slice.
    pub value: TermId,
    /// Whether the slice starts inside of an assignment, at a seam of a concatenation.
    pub seam: bool,
}

/// The argument widths of a function at the given parameter values.
pub fn arg_widths(function: &Function, params: &[i64]) -> Result<Vec<u32>, EncodeError> {
    let widths = function.args.iter().map(|arg| width_of(&arg.width, params, &[], "argument width"));
    widths.collect()
}

/// The result widths of a function at the given parameter values.
pub fn result_widths(function: &Function, params: &[i64]) -> Result<Vec<u32>, EncodeError> {
    let widths = function.results.iter().map(|slot| width_of(&slot.width, params, &[], "result width"));
    widths.collect()
}

/// The slices of each result, sorted and gapless; argument `n` is variable `n`.
pub fn encode(
    terms: &mut Terms,
    function: &Function,
    params: &[i64],
) -> Result<Vec<Vec<Piece>>, EncodeError> {
    if params.len() != function.params.len() {
        return Err(EncodeError::Params {
            function: function.name.clone(),
            expected: function.params.len(),
            given: params.len(),
        });
    }
    let args = arg_widths(function, params)?;
    let widths = result_widths(function, params)?;
    let mut encoder = Encoder {
        function,
        params,
        args: (0..).zip(&args).map(|(number, width)| terms.variable(number, *width)).collect(),
        terms,
        free: free_indices(function),
        known: FxHashMap::default(),
        pieces: vec![Vec::new(); widths.len()],
        widths: &widths,
        iterations: 0,
    };
    encoder.run(&function.body, &mut Vec::new())?;
    let mut pieces = encoder.pieces;
    for (result, (pieces, width)) in pieces.iter_mut().zip(&widths).enumerate() {
        pieces.sort_by_key(|piece| piece.low);
        let mut next = 0;
        for piece in pieces.iter() {
            if piece.low != next {
                return Err(EncodeError::Coverage { result, bit: piece.low.min(next) });
            }
            next += terms.width(piece.value);
        }
        if next != *width {
            return Err(EncodeError::Coverage { result, bit: next });
        }
    }
    Ok(pieces)
}

/// Loop indices with their current values, outermost first.
type Scope = Vec<(IndexId, i64)>;

fn evaluate(
    num: &Num,
    params: &[i64],
    scope: &[(IndexId, i64)],
    place: &'static str,
) -> Result<i64, EncodeError> {
    if let Some(value) = num.as_constant() {
        return Ok(value);
    }
    let mut unbound = false;
    let value = num.eval(|atom| {
        let value = match atom {
            hydride_ir::Atom::Param(param) => params.get(param.0 as usize).copied(),
            hydride_ir::Atom::Index(index) => {
                scope.iter().rev().find(|(bound, _)| *bound == index).map(|(_, value)| *value)
            }
        };
        unbound |= value.is_none();
        value.unwrap_or(0)
    });
    match value {
        _ if unbound => Err(EncodeError::Unbound("parameter or loop index")),
        Some(value) => Ok(value),
        None => Err(EncodeError::Number(place)),
    }
}

fn width_of(
    num: &Num,
    params: &[i64],
    scope: &[(IndexId, i64)],
    place: &'static str,
) -> Result<u32, EncodeError> {
    let value = evaluate(num, params, scope, place)?;
    match u32::try_from(value) {
        Ok(width @ 1..=MAX_WIDTH) => Ok(width),
        _ => Err(EncodeError::Number(place)),
    }
}

/// For each expression the enclosing indices that its value depends on.
fn free_indices(function: &Function) -> Vec<SmallVec<[IndexId; 3]>> {
    let mut free: Vec<SmallVec<[IndexId; 3]>> = Vec::with_capacity(function.exprs().len());
    for Expr { op, width } in function.exprs() {
        let mut own: SmallVec<[IndexId; 3]> = SmallVec::new();
        for num in op.nums().into_iter().chain([width]) {
            own.extend(num.atoms().filter_map(|atom| match atom {
                hydride_ir::Atom::Index(index) => Some(index),
                hydride_ir::Atom::Param(_) => None,
            }));
        }
        for operand in op.operands() {
            if let Some(inner) = free.get(operand.0 as usize) {
                own.extend_from_slice(inner);
            }
        }
        if let Op::Fold { index, .. } = op {
            own.retain(|other| other != index);
        }
        own.sort_unstable();
        own.dedup();
        free.push(own);
    }
    free
}

/// An expression under the values of the indices that it depends on.
type Instance = (ExprId, SmallVec<[i64; 3]>);

struct Encoder<'a> {
    terms: &'a mut Terms,
    function: &'a Function,
    params: &'a [i64],
    args: Vec<TermId>,
    free: Vec<SmallVec<[IndexId; 3]>>,
    known: FxHashMap<Instance, TermId>,
    pieces: Vec<Vec<Piece>>,
    widths: &'a [u32],
    iterations: u64,
}

impl Encoder<'_> {
    fn run(&mut self, body: &[Stmt], scope: &mut Scope) -> Result<(), EncodeError> {
        for stmt in body {
            match stmt {
                Stmt::For { index, count, body } => {
                    for value in 0..evaluate(count, self.params, scope, "loop count")? {
                        self.count_iteration()?;
                        scope.push((*index, value));
                        self.run(body, scope)?;
                        scope.pop();
                    }
                }
                Stmt::Assign { result, low, value } => {
                    let low = self.position(low, scope)?;
                    let value = self.value(*value, scope)?;
                    let result = result.0 as usize;
                    let limit = *self.widths.get(result).ok_or(EncodeError::Unbound("result"))?;
                    if u64::from(low) + u64::from(self.terms.width(value)) > u64::from(limit) {
                        return Err(EncodeError::Width("an assignment"));
                    }
                    self.assign(result, low, value);
                }
            }
        }
        Ok(())
    }

    /// Records a write; a concatenation is as many pieces as it has parts.
    fn assign(&mut self, result: usize, low: u32, value: TermId) {
        let Term::Concat(parts) = self.terms.term(value) else {
            self.pieces[result].push(Piece { low, value, seam: false });
            return;
        };
        let start = low;
        let mut low = low;
        for part in parts.iter().rev() {
            self.pieces[result].push(Piece { low, value: *part, seam: low != start });
            low += self.terms.width(*part);
        }
    }

    fn count_iteration(&mut self) -> Result<(), EncodeError> {
        self.iterations += 1;
        if self.iterations > MAX_ITERATIONS { Err(EncodeError::Iterations) } else { Ok(()) }
    }

    fn position(&self, num: &Num, scope: &Scope) -> Result<u32, EncodeError> {
        let value = evaluate(num, self.params, scope, "a position")?;
        match u32::try_from(value) {
            Ok(position @ 0..=MAX_WIDTH) => Ok(position),
            _ => Err(EncodeError::Number("a position")),
        }
    }

    fn flag(&self, num: &Num, scope: &Scope) -> Result<bool, EncodeError> {
        match evaluate(num, self.params, scope, "a signedness flag")? {
            0 => Ok(false),
            1 => Ok(true),
            _ => Err(EncodeError::Number("a signedness flag")),
        }
    }

    fn instance(&self, id: ExprId, scope: &Scope) -> Result<Instance, EncodeError> {
        let free = self.free.get(id.0 as usize).ok_or(EncodeError::Unbound("expression"))?;
        let mut values = SmallVec::new();
        for index in free {
            let bound = scope.iter().rev().find(|(bound, _)| bound == index);
            values.push(bound.ok_or(EncodeError::Unbound("loop index"))?.1);
        }
        Ok((id, values))
    }

    /// The term of an expression; walks with an explicit stack, and recurses only for nested folds.
    fn value(&mut self, root: ExprId, scope: &mut Scope) -> Result<TermId, EncodeError> {
        let mut stack = vec![root];
        let mut last = None;
        while let Some(&id) = stack.last() {
            let instance = self.instance(id, scope)?;
            if let Some(known) = self.known.get(&instance) {
                last = Some(*known);
                stack.pop();
                continue;
            }
            let function = self.function;
            let expr = function.expr(id);
            let term = if let Op::Fold { op, signed, index, count, body } = &expr.op {
                let signed = self.flag(signed, scope)?;
                let count = evaluate(count, self.params, scope, "a fold's count")?;
                self.fold(expr, *op, signed, *index, count, *body, scope)?
            } else {
                let mut operands: SmallVec<[TermId; 3]> = SmallVec::new();
                let pending = stack.len();
                for operand in expr.op.operands() {
                    if operand >= id {
                        return Err(EncodeError::Unbound("operand"));
                    }
                    let instance = self.instance(operand, scope)?;
                    match self.known.get(&instance) {
                        Some(known) => operands.push(*known),
                        None => stack.push(operand),
                    }
                }
                if stack.len() > pending {
                    continue;
                }
                self.apply(expr, &operands, scope)?
            };
            if self.terms.len() > MAX_TERMS {
                return Err(EncodeError::Size);
            }
            self.known.insert(instance, term);
        }
        last.ok_or(EncodeError::Unbound("expression"))
    }

    #[allow(clippy::too_many_arguments)] // the fields of one `Op::Fold`
    fn fold(
        &mut self,
        expr: &Expr,
        op: BinaryOp,
        signed: bool,
        index: IndexId,
        count: i64,
        body: ExprId,
        scope: &mut Scope,
    ) -> Result<TermId, EncodeError> {
        let width = width_of(&expr.width, self.params, scope, "a width")?;
        let mut total = None;
        for value in 0..count {
            self.count_iteration()?;
            scope.push((index, value));
            let item = self.value(body, scope);
            scope.pop();
            let item = item?;
            if self.terms.width(item) != width {
                return Err(EncodeError::Width("a fold"));
            }
            total = Some(match total {
                None => item,
                Some(total) => self.binary(op, signed, total, item),
            });
        }
        total.ok_or(EncodeError::Number("a fold's count"))
    }

    fn apply(&mut self, expr: &Expr, operands: &[TermId], scope: &Scope) -> Result<TermId, EncodeError> {
        let width = width_of(&expr.width, self.params, scope, "a width")?;
        let fits = |holds: bool, name| if holds { Ok(()) } else { Err(EncodeError::Width(name)) };
        match (&expr.op, operands) {
            (Op::Arg(arg), _) => {
                let term = *self.args.get(arg.0 as usize).ok_or(EncodeError::Unbound("argument"))?;
                fits(self.terms.width(term) == width, "an argument")?;
                Ok(term)
            }
            (Op::Const(bits), _) => {
                fits(bits.width() == width, "a literal")?;
                Ok(self.terms.constant(bits.clone()))
            }
            (Op::Int(num), _) => {
                let value = evaluate(num, self.params, scope, "a literal")?;
                let extension = if value < 0 { u64::MAX } else { 0 };
                let words = std::iter::once(value.cast_unsigned());
                let words = words.chain(std::iter::repeat_n(extension, (width / 64) as usize));
                Ok(self.terms.constant(Bits::from_words(width, words)))
            }
            (Op::Extract { low, .. }, &[of]) => {
                let low = self.position(low, scope)?;
                fits(low + width <= self.terms.width(of), "an extract")?;
                Ok(self.terms.extract(of, low, width))
            }
            (Op::ExtractAt { .. }, &[of, low]) => {
                let wide = self.terms.zero_extend(of, self.terms.width(of).max(width));
                let moved = self.shift(Operator::LogicalShiftRight, wide, low);
                Ok(self.terms.extract(moved, 0, width))
            }
            (Op::Cast { signed, .. }, &[of]) => {
                let signed = self.flag(signed, scope)?;
                Ok(self.cast(of, width, signed))
            }
            (Op::Saturate { from_signed, to_signed, .. }, &[of]) => {
                let (from, to) = (self.flag(from_signed, scope)?, self.flag(to_signed, scope)?);
                Ok(self.saturate(of, width, from, to))
            }
            (Op::Concat(_), parts) => {
                fits(!parts.is_empty(), "a concatenation")?;
                let total: u64 = parts.iter().map(|part| u64::from(self.terms.width(*part))).sum();
                fits(total == u64::from(width), "a concatenation")?;
                Ok(self.terms.concat(parts.to_vec()))
            }
            (Op::Unary(op, _), &[of]) => {
                fits(self.terms.width(of) == width, "a one-operand operator")?;
                Ok(self.unary(*op, of))
            }
            (Op::Binary { op, signed, .. }, &[left, right]) => {
                let signed = self.flag(signed, scope)?;
                let same = self.terms.width(right) == width || op.is_shift();
                fits(self.terms.width(left) == width && same, "a two-operand operator")?;
                Ok(self.binary(*op, signed, left, right))
            }
            (Op::Compare { op, signed, .. }, &[left, right]) => {
                let signed = self.flag(signed, scope)?;
                fits(width == 1 && self.terms.width(left) == self.terms.width(right), "a comparison")?;
                let relation = match (op, signed) {
                    (CompareOp::Eq, _) => Relation::Equal,
                    (CompareOp::Lt, false) => Relation::UnsignedLess,
                    (CompareOp::Lt, true) => Relation::SignedLess,
                    (CompareOp::Le, false) => Relation::UnsignedLessEqual,
                    (CompareOp::Le, true) => Relation::SignedLessEqual,
                };
                Ok(self.terms.compare(relation, left, right))
            }
            (Op::Select { .. }, &[condition, then, otherwise]) => {
                let arms = self.terms.width(then) == width && self.terms.width(otherwise) == width;
                fits(arms && self.terms.width(condition) == 1, "a select")?;
                Ok(self.terms.select(condition, then, otherwise))
            }
            (Op::Float { float, .. }, operands) => self.float(float, operands, width, scope),
            _ => Err(EncodeError::Unbound("operand")),
        }
    }

    fn float(
        &mut self,
        float: &Float<Num>,
        operands: &[TermId],
        width: u32,
        scope: &Scope,
    ) -> Result<TermId, EncodeError> {
        let fits =
            |condition: bool| condition.then_some(()).ok_or(EncodeError::Width("a floating-point operator"));
        fits(operands.len() == float.op.operands())?;
        let (values, mode) = operands.split_at(float.op.arity());
        let own = self.terms.width(values[0]);
        fits(values.iter().all(|value| self.terms.width(*value) == own))?;
        fits(mode.iter().all(|mode| self.terms.width(*mode) == ROUNDING_WIDTH))?;
        fits(match float.op {
            op if op.compares() => width == 1,
            op if op.converts() => true,
            _ => width == own,
        })?;
        let number = |number: &Num| {
            let place = "a floating-point format";
            u32::try_from(evaluate(number, self.params, scope, place)?)
                .map_err(|_| EncodeError::Number(place))
        };
        let float = float.try_map(number)?;
        Ok(self.terms.float(float, operands.to_vec(), width))
    }

    fn cast(&mut self, of: TermId, width: u32, signed: bool) -> TermId {
        match self.terms.width(of) {
            from if width <= from => self.terms.extract(of, 0, width),
            _ if signed => self.terms.sign_extend(of, width),
            _ => self.terms.zero_extend(of, width),
        }
    }

    /// Clamps at a width at which the operand and both bounds are non-negative or negative as meant.
    fn saturate(&mut self, of: TermId, width: u32, from_signed: bool, to_signed: bool) -> TermId {
        let from = self.terms.width(of);
        if width >= from && from_signed == to_signed {
            return self.cast(of, width, from_signed);
        }
        let room = from.max(width) + 1;
        let wide = self.cast(of, room, from_signed);
        let top = if to_signed { width - 1 } else { width };
        let high = Bits::from_words(room, Bits::ones(top).words().iter().copied());
        let low = match to_signed {
            false => Bits::zero(room),
            // -2^(width - 1): all ones but the low width - 1 bits.
            true => {
                let kept = Bits::from_words(room, Bits::ones(top).words().iter().copied());
                let words = (0..room.div_ceil(64) as usize).map(|index| !kept.words()[index]);
                Bits::from_words(room, words)
            }
        };
        let (low, high) = (self.terms.constant(low), self.terms.constant(high));
        let above = self.terms.compare(Relation::SignedLess, high, wide);
        let below = self.terms.compare(Relation::SignedLess, wide, low);
        let upper = self.terms.select(above, high, wide);
        let clamped = self.terms.select(below, low, upper);
        self.terms.extract(clamped, 0, width)
    }

    fn unary(&mut self, op: UnaryOp, of: TermId) -> TermId {
        let width = self.terms.width(of);
        match op {
            UnaryOp::Not => self.terms.not(of),
            UnaryOp::Neg => self.terms.neg(of),
            UnaryOp::Abs => {
                let zero = self.terms.zero(width);
                let negative = self.terms.compare(Relation::SignedLess, of, zero);
                let negated = self.terms.neg(of);
                self.terms.select(negative, negated, of)
            }
            UnaryOp::PopCount => self.count_ones(of),
            UnaryOp::LeadingZeros => {
                // Copy the highest one bit into every place below it; what is left is above it.
                let mut filled = of;
                let mut step = 1;
                while step < width {
                    let amount = self.terms.number(width, u64::from(step));
                    let moved = self.terms.binary(Operator::LogicalShiftRight, filled, amount);
                    filled = self.terms.binary(Operator::Or, filled, moved);
                    step *= 2;
                }
                let above = self.terms.not(filled);
                self.count_ones(above)
            }
            UnaryOp::TrailingZeros => {
                let one = self.terms.number(width, 1);
                let before = self.terms.binary(Operator::Sub, of, one);
                let zeros = self.terms.not(of);
                let below = self.terms.binary(Operator::And, before, zeros);
                self.count_ones(below)
            }
        }
    }

    /// The number of one bits, as a sum at the full width from the lowest bit upwards: the shape of a
    /// document's loop and of a fold, and sums of one width are what Z3 brings to one form by itself
    /// (64 bits: 10 ms, where a balanced tree of narrow adders needs minutes).
    fn count_ones(&mut self, of: TermId) -> TermId {
        let width = self.terms.width(of);
        let bits = (0..width).map(|position| {
            let bit = self.terms.extract(of, position, 1);
            self.terms.zero_extend(bit, width)
        });
        let bits: Vec<TermId> = bits.collect();
        let zero = self.terms.zero(width);
        bits.into_iter().fold(zero, |sum, bit| self.terms.binary(Operator::Add, sum, bit))
    }

    fn binary(&mut self, op: BinaryOp, signed: bool, left: TermId, right: TermId) -> TermId {
        let operator = match (op, signed) {
            (BinaryOp::Add, _) => Operator::Add,
            (BinaryOp::Sub, _) => Operator::Sub,
            (BinaryOp::Mul, _) => Operator::Mul,
            (BinaryOp::Div, false) => Operator::UnsignedDiv,
            (BinaryOp::Div, true) => Operator::SignedDiv,
            (BinaryOp::Rem, false) => Operator::UnsignedRem,
            (BinaryOp::Rem, true) => Operator::SignedRem,
            (BinaryOp::And, _) => Operator::And,
            (BinaryOp::Or, _) => Operator::Or,
            (BinaryOp::Xor, _) => Operator::Xor,
            (BinaryOp::Shl, _) => return self.shift(Operator::ShiftLeft, left, right),
            (BinaryOp::Shr, false) => return self.shift(Operator::LogicalShiftRight, left, right),
            (BinaryOp::Shr, true) => return self.shift(Operator::ArithmeticShiftRight, left, right),
            (BinaryOp::Min | BinaryOp::Max, _) => {
                let relation = if signed { Relation::SignedLess } else { Relation::UnsignedLess };
                let (left, right) = self.terms.ordered(left, right);
                let less = self.terms.compare(relation, left, right);
                return match op {
                    BinaryOp::Min => self.terms.select(less, left, right),
                    _ => self.terms.select(less, right, left),
                };
            }
        };
        self.terms.binary(operator, left, right)
    }

    /// A shift by a count of any width, read unsigned.
    fn shift(&mut self, operator: Operator, of: TermId, count: TermId) -> TermId {
        let (width, count_width) = (self.terms.width(of), self.terms.width(count));
        if count_width <= width {
            let count = self.terms.zero_extend(count, width);
            return self.terms.binary(operator, of, count);
        }
        let low = self.terms.extract(count, 0, width);
        let shifted = self.terms.binary(operator, of, low);
        let limit = self.terms.number(count_width, u64::from(width));
        let within = self.terms.compare(Relation::UnsignedLess, count, limit);
        let beyond = match operator {
            Operator::ArithmeticShiftRight => {
                let sign = self.terms.extract(of, width - 1, 1);
                self.terms.sign_extend(sign, width)
            }
            _ => self.terms.zero(width),
        };
        self.terms.select(within, shifted, beyond)
    }
}
