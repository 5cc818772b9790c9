//! From a form to a function: the loop nest written out in Hydride IR.

use rustc_hash::FxHashMap;

use super::kind::{FoldOp, Kind, Slice};
use super::template::{Form, Hole, Statement, Template};
use super::{LOOPS, Masking};
use crate::bits::Bits;
use crate::expr::{BinaryOp, CompareOp, ExprId, Op, UnaryOp};
use crate::float::{FloatOp, ROUNDING_WIDTH};
use crate::function::{ArgId, Function, ResultId, Stmt};
use crate::num::{IndexId, Num};

/// Writes the statements of `form` into `function`, which has its parameters, arguments and results
/// already. Bits of a result above the form's are written as 0; `masking` is applied to the first result.
pub fn emit(form: &Form<Num>, masking: Option<&Masking>, function: &mut Function) {
    let mut indices = 0;
    for (position, result) in form.results.iter().enumerate() {
        let id = ResultId(position as u32);
        let masking = masking.filter(|_| position == 0);
        for statement in &result.statements {
            let emitter = Emitter {
                function: &mut *function,
                template: &statement.template,
                loops: [const { None }; LOOPS],
                folds: FxHashMap::default(),
                memo: FxHashMap::default(),
                leaves: FxHashMap::default(),
                indices: &mut indices,
            };
            let body = emitter.statement(statement, id, masking);
            function.body.push(body);
        }
        let above = function.result(id).width.clone() - result.width.clone();
        if let Some(width) = above.as_constant().filter(|width| *width > 0) {
            let value = function.push(Op::Const(Bits::zero(width as u32)), Num::constant(width));
            function.body.push(Stmt::Assign { result: id, low: result.width.clone(), value });
        }
    }
}

struct Emitter<'a> {
    function: &'a mut Function,
    template: &'a Template<Num>,
    loops: [Option<IndexId>; LOOPS],
    /// Index of each enclosing fold's term.
    folds: FxHashMap<usize, IndexId>,
    memo: FxHashMap<(usize, Num), ExprId>,
    /// Slices of arguments that were written: argument, lowest bit, width, whether signed, width wanted.
    leaves: FxHashMap<(u32, [Num; 4]), ExprId>,
    indices: &'a mut u32,
}

impl Emitter<'_> {
    fn statement(mut self, statement: &Statement<Num>, result: ResultId, masking: Option<&Masking>) -> Stmt {
        for (slot, extent) in self.loops.iter_mut().zip(&statement.extents) {
            if extent.as_constant() != Some(1) {
                *slot = Some(IndexId(*self.indices));
                *self.indices += 1;
            }
        }
        let root = self.template.terms.len() - 1;
        let width = self.template.element().map_or(Num::constant(1), |slice| slice.width.base.clone());
        let mut value = self.term(root, &width);
        let low = self.hole(&statement.position, &[]);
        if let Some(masking) = masking {
            let lane = self.lane(masking, statement, &low, &width);
            value = self.masked(masking, value, &lane, &low, &width);
        }
        let loops = self.loops.iter().zip(&statement.extents);
        let loops = loops.filter_map(|(index, extent)| Some(((*index)?, extent.clone())));
        Stmt::Assign { result, low, value }.under(loops)
    }

    /// The number of the lane that an element is in, or of the element if it is wider.
    fn lane(&self, masking: &Masking, statement: &Statement<Num>, low: &Num, width: &Num) -> Num {
        let (element, lane) = (width.as_constant().unwrap_or(1), i64::from(masking.lane));
        let lanes = || {
            let number = |number: &Num| number.as_constant();
            let strides = statement.position.strides.iter().map(number).collect::<Option<Vec<i64>>>()?;
            let position = Hole { base: number(&statement.position.base)?, strides };
            let extents = statement.extents.each_ref().map(|extent| number(extent).unwrap_or(i64::MAX));
            position.in_units(&extents, lane)
        };
        match (element < lane).then(lanes).flatten() {
            Some(Hole { base, strides }) => {
                let strides = strides.into_iter().map(Num::constant).collect();
                self.hole(&Hole { base: Num::constant(base), strides }, &[])
            }
            // Positions are multiples of the width.
            None => low.divide(element).unwrap_or_else(|| low.clone()),
        }
    }

    fn masked(&mut self, masking: &Masking, value: ExprId, lane: &Num, low: &Num, width: &Num) -> ExprId {
        let bit = lane.clone() * Num::constant(i64::from(masking.stride));
        let mask = self.arg(masking.mask);
        let condition = self.function.push(Op::Extract { of: mask, low: bit }, 1u32);
        let otherwise = match masking.pass {
            Some(arg) => {
                let whole = self.arg(arg);
                self.function.push(Op::Extract { of: whole, low: low.clone() }, width.clone())
            }
            None => {
                let zeros = Bits::zero(width.as_constant().unwrap_or(1) as u32);
                self.function.push(Op::Const(zeros), width.clone())
            }
        };
        let (then, otherwise) = if masking.negated { (otherwise, value) } else { (value, otherwise) };
        self.function.push(Op::Select { condition, then, otherwise }, width.clone())
    }

    fn arg(&mut self, arg: u32) -> ExprId {
        let width = self.function.arg(ArgId(arg)).width.clone();
        self.function.push(Op::Arg(ArgId(arg)), width)
    }

    fn hole(&self, hole: &Hole<Num>, folds: &[usize]) -> Num {
        let mut number = hole.base.clone();
        for (dim, stride) in hole.strides.iter().enumerate() {
            let index = if dim < LOOPS {
                self.loops[dim]
            } else {
                folds.get(dim - LOOPS).and_then(|fold| self.folds.get(fold)).copied()
            };
            if let Some(index) = index {
                number = number + stride.clone() * Num::index(index);
            }
        }
        number
    }

    fn cast(&mut self, of: ExprId, to: &Num, signed: Num) -> ExprId {
        let from = self.function.expr(of).width.clone();
        if &from == to {
            return of;
        }
        // Narrowing does not look at the sign.
        let narrows = matches!((from.as_constant(), to.as_constant()), (Some(from), Some(to)) if to < from);
        let signed = if narrows { Num::constant(0) } else { signed };
        self.function.push(Op::Cast { of, signed }, to.clone())
    }

    fn flag(signed: bool) -> Num {
        Num::constant(i64::from(signed))
    }

    /// The term modulo 2^width.
    fn term(&mut self, position: usize, width: &Num) -> ExprId {
        let key = (position, width.clone());
        if let Some(known) = self.memo.get(&key) {
            return *known;
        }
        let value = self.compute(position, width);
        self.memo.insert(key, value);
        value
    }

    fn compute(&mut self, position: usize, width: &Num) -> ExprId {
        let template = self.template;
        let term = &template.terms[position];
        let child = |index: usize| term.children[index];
        let working = |index: usize| term.working[index].clone();
        match &term.kind {
            Kind::Const(value) => {
                let value = self.hole(value, &term.folds);
                self.literal(value, width)
            }
            Kind::AllOnes { width: own } => {
                let ones = self.literal(Num::constant(-1), &own.base);
                self.cast(ones, width, Num::constant(0))
            }
            Kind::Literal(value) => {
                let literal = crate::exact::literal(value, width.as_constant().unwrap_or(64) as u32);
                self.function.push(Op::Const(literal), width.clone())
            }
            Kind::Arg(arg) => {
                let whole = self.arg(*arg);
                self.cast(whole, width, Num::constant(0))
            }
            Kind::Leaf { arg, slice: Slice { low, width: own, signed } } => {
                let low = self.hole(low, &term.folds);
                let (own, signed) = (own.base.clone(), signed.base.clone());
                let key = (*arg, [low.clone(), own.clone(), signed.clone(), width.clone()]);
                if let Some(known) = self.leaves.get(&key) {
                    return *known;
                }
                let whole = self.arg(*arg);
                let slice = self.function.push(Op::Extract { of: whole, low }, own);
                let leaf = self.cast(slice, width, signed);
                self.leaves.insert(key, leaf);
                leaf
            }
            Kind::Slice(Slice { low, width: own, signed }) => {
                let (low, own) = (low.base.clone(), own.base.clone());
                let inner = self.term(child(0), &(low.clone() + own.clone()));
                let slice = if low.as_constant() == Some(0) {
                    inner
                } else {
                    self.function.push(Op::Extract { of: inner, low }, own)
                };
                self.cast(slice, width, signed.base.clone())
            }
            Kind::SliceAt(slice) => {
                let of = self.term(child(0), &working(0));
                let mut low = self.term(child(1), &working(1));
                let base = self.hole(&slice.low, &term.folds);
                if base.as_constant() != Some(0) {
                    let base = self.literal(base, &working(1));
                    low = self.binary(BinaryOp::Add, false, low, base, &working(1));
                }
                let bits = self.function.push(Op::ExtractAt { of, low }, slice.width.base.clone());
                self.cast(bits, width, slice.signed.base.clone())
            }
            Kind::Concat { widths } => {
                let mut parts = Vec::with_capacity(widths.len());
                let mut total = Num::constant(0);
                for (part, Hole { base: own, .. }) in term.children.iter().zip(widths) {
                    parts.push(self.term(*part, own));
                    total = total + own.clone();
                }
                parts.reverse();
                let joined = self.function.push(Op::Concat(parts), total);
                self.cast(joined, width, Num::constant(0))
            }
            Kind::Sum { coefficients, constant } => {
                let mut added = Vec::new();
                let mut subtracted = Vec::new();
                for (index, coefficient) in coefficients.iter().enumerate() {
                    let mut value = self.term(child(index), width);
                    if let Some(magnitude) = &coefficient.magnitude {
                        let magnitude = self.hole(magnitude, &term.folds);
                        let factor = self.literal(magnitude, width);
                        value = self.binary(BinaryOp::Mul, false, value, factor, width);
                    }
                    if coefficient.negative { &mut subtracted } else { &mut added }.push(value);
                }
                if let Some(constant) = constant {
                    let rest = self.hole(constant, &term.folds);
                    added.push(self.literal(rest, width));
                }
                let mut values = added.into_iter();
                let mut subtracted = subtracted.into_iter();
                let first = match values.next() {
                    Some(first) => first,
                    None => {
                        let first =
                            subtracted.next().unwrap_or_else(|| self.literal(Num::constant(0), width));
                        self.function.push(Op::Unary(UnaryOp::Neg, first), width.clone())
                    }
                };
                let sum =
                    values.fold(first, |sum, value| self.binary(BinaryOp::Add, false, sum, value, width));
                subtracted.fold(sum, |sum, value| self.binary(BinaryOp::Sub, false, sum, value, width))
            }
            Kind::Mul => self.chain(BinaryOp::Mul, &term.children, width, false),
            Kind::And => self.chain(BinaryOp::And, &term.children, width, false),
            Kind::Or => self.chain(BinaryOp::Or, &term.children, width, false),
            Kind::Xor => self.chain(BinaryOp::Xor, &term.children, width, false),
            Kind::Not => {
                let operand = self.term(child(0), width);
                self.function.push(Op::Unary(UnaryOp::Not, operand), width.clone())
            }
            Kind::Shl => {
                let value = self.term(child(0), width);
                let count = self.term(child(1), &working(0));
                self.binary(BinaryOp::Shl, false, value, count, width)
            }
            Kind::Shr => {
                let value = self.term(child(0), &working(0));
                let count = self.term(child(1), &working(1));
                let shifted = self.binary(BinaryOp::Shr, term.working_signed, value, count, &working(0));
                self.cast(shifted, width, Self::flag(term.working_signed))
            }
            Kind::Eq => self.compare(CompareOp::Eq, position, width),
            Kind::Lt => self.compare(CompareOp::Lt, position, width),
            Kind::Le => self.compare(CompareOp::Le, position, width),
            Kind::Min | Kind::Max | Kind::Div | Kind::Rem => {
                let op = match term.kind {
                    Kind::Min => BinaryOp::Min,
                    Kind::Max => BinaryOp::Max,
                    Kind::Div => BinaryOp::Div,
                    _ => BinaryOp::Rem,
                };
                let value = self.chain(op, &term.children, &working(0), term.working_signed);
                self.cast(value, width, Self::flag(term.working_signed))
            }
            Kind::Abs => {
                let operand = self.term(child(0), &working(0));
                let magnitude = self.function.push(Op::Unary(UnaryOp::Abs, operand), working(0));
                self.cast(magnitude, width, Num::constant(0))
            }
            Kind::Saturate { width: own, signed } => {
                let of = self.term(child(0), &working(0));
                let (from_signed, to_signed) = (Self::flag(term.working_signed), signed.base.clone());
                let clamped =
                    self.function.push(Op::Saturate { of, from_signed, to_signed }, own.base.clone());
                self.cast(clamped, width, signed.base.clone())
            }
            Kind::Select => {
                let condition = self.term(child(0), &Num::constant(1));
                let then = self.term(child(1), width);
                let otherwise = self.term(child(2), width);
                self.function.push(Op::Select { condition, then, otherwise }, width.clone())
            }
            Kind::PopCount => {
                let operand = self.term(child(0), &working(0));
                let count = self.function.push(Op::Unary(UnaryOp::PopCount, operand), working(0));
                self.cast(count, width, Num::constant(0))
            }
            Kind::LeadingZeros { width: own } | Kind::TrailingZeros { width: own } => {
                let op = match term.kind {
                    Kind::LeadingZeros { .. } => UnaryOp::LeadingZeros,
                    _ => UnaryOp::TrailingZeros,
                };
                let operand = self.term(child(0), &own.base);
                let count = self.function.push(Op::Unary(op, operand), own.base.clone());
                self.cast(count, width, Num::constant(0))
            }
            Kind::Float { float, width: own, value } => {
                let mut float = float.map(|number| number.base.clone());
                let from_int = float.op == FloatOp::FromInt;
                let operand_width = if from_int { working(0) } else { own.base.clone() };
                let rounding_width = Num::from(ROUNDING_WIDTH);
                let width_of = |place: usize| match place < float.op.arity() {
                    true => &operand_width,
                    false => &rounding_width,
                };
                let children = term.children.iter().enumerate();
                let operands = children.map(|(place, child)| self.term(*child, width_of(place))).collect();
                if from_int {
                    float.target = Self::flag(term.working_signed);
                }
                let signed = match float.op {
                    FloatOp::ToInt => float.target.clone(),
                    _ => Num::constant(0),
                };
                let result = self.function.push(Op::Float { float, operands }, value.base.clone());
                self.cast(result, width, signed)
            }
            Kind::Fold { op, count } => {
                let extremum = matches!(op, FoldOp::Min | FoldOp::Max);
                let body_width = if extremum { working(0) } else { width.clone() };
                let index = IndexId(*self.indices);
                *self.indices += 1;
                let outer = self.folds.insert(position, index);
                // Terms of the body belong only to this emission of the fold.
                let kept = std::mem::take(&mut self.memo);
                let body = self.term(child(0), &body_width);
                self.memo = kept;
                match outer {
                    Some(outer) => self.folds.insert(position, outer),
                    None => self.folds.remove(&position),
                };
                let op = match op {
                    FoldOp::Add => BinaryOp::Add,
                    FoldOp::Mul => BinaryOp::Mul,
                    FoldOp::And => BinaryOp::And,
                    FoldOp::Or => BinaryOp::Or,
                    FoldOp::Xor => BinaryOp::Xor,
                    FoldOp::Min => BinaryOp::Min,
                    FoldOp::Max => BinaryOp::Max,
                };
                let signed = Self::flag(term.working_signed && op.has_sign());
                let fold = Op::Fold { op, signed: signed.clone(), index, count: count.base.clone(), body };
                let value = self.function.push(fold, body_width);
                self.cast(value, width, signed)
            }
        }
    }

    fn literal(&mut self, value: Num, width: &Num) -> ExprId {
        let op = match (value.as_constant(), width.as_constant()) {
            (Some(value), Some(width)) => {
                let sign = if value < 0 { u64::MAX } else { 0 };
                let words = std::iter::once(value as u64).chain(std::iter::repeat(sign));
                let words = words.take((width as usize).div_ceil(64));
                Op::Const(Bits::from_words(width as u32, words))
            }
            _ => Op::Int(value),
        };
        self.function.push(op, width.clone())
    }

    fn binary(&mut self, op: BinaryOp, signed: bool, left: ExprId, right: ExprId, width: &Num) -> ExprId {
        let signed = Self::flag(signed && op.has_sign());
        self.function.push(Op::Binary { op, signed, left, right }, width.clone())
    }

    fn chain(&mut self, op: BinaryOp, children: &[usize], width: &Num, signed: bool) -> ExprId {
        let operands: Vec<ExprId> = children.iter().map(|child| self.term(*child, width)).collect();
        operands
            .into_iter()
            .reduce(|joined, operand| self.binary(op, signed, joined, operand, width))
            .unwrap_or_else(|| self.literal(Num::constant(0), width))
    }

    fn compare(&mut self, op: CompareOp, position: usize, width: &Num) -> ExprId {
        let template = self.template;
        let term = &template.terms[position];
        let left = self.term(term.children[0], &term.working[0]);
        let right = self.term(term.children[1], &term.working[0]);
        let signed = Self::flag(term.working_signed && op.has_sign());
        let relation = self.function.push(Op::Compare { op, signed, left, right }, 1u32);
        self.cast(relation, width, Num::constant(0))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::exact::{raise, raise_with};
    use crate::lane::canonicalize;
    use crate::{Arg, ResultSlot, Role};

    /// What a form writes is what it was made of: floating-point operators have operands of their own widths.
    #[test]
    fn floating_point_operators_are_written_as_they_were() {
        let (a, b, mode) = ("%a[16*i +: 16]", "%b[16*i +: 16]", "%m[0 +: 3]");
        for element in [
            format!("fadd.{{5}}.first({a}, {b}, {mode})"),
            format!("fma.{{5}}({a}, {b}, %a[0 +: 16], {mode})"),
            format!("fsqrt.{{5}}({a}, 0x0:3)"),
            format!("fmin.{{8}}({a}, {b})"),
            format!("cast.u(flt.{{5}}({a}, {b}), 16)"),
            format!("fconvert.{{5}}.{{8}}({a}, {mode}, 16)"),
            format!("ftoint.{{5}}.s({a}, {mode}, 16)"),
            format!("ftoint.{{5}}.u({a}, {mode}, 16)"),
            format!("ffromint.{{5}}.s({a}, {mode}, 16)"),
            format!("ffromint.{{5}}.u({a}, {mode}, 16)"),
            format!("ffromint.{{5}}.s(%a[8*i +: 8], {mode}, 16)"),
        ] {
            let text = format!(
                "func @f(%a: 64, %b: 64, %m: 8) -> (%r: 64) {{ for i in 0..4 {{ %r[16*i +: 16] = {element} }} }}"
            );
            let (mut dag, raised) = raise(&Function::parse(&text).unwrap()).unwrap();
            let form = canonicalize(&mut dag, &raised, |_| false).unwrap().form;
            let mut function = Function::new("f");
            for (place, width) in [64u32, 64, 8].into_iter().enumerate() {
                let name = format!("a{place}");
                function.args.push(Arg { name, width: width.into(), role: Role::Register });
            }
            function.results.push(ResultSlot { name: "r".into(), width: 64u32.into() });
            emit(
                &form.map(&mut |_, number, _| Num::constant(*number), &|number| *number == 1),
                None,
                &mut function,
            );
            assert_eq!(function.verify(), Ok(()), "{function}");
            let bindings = [0, 1, 2].map(|arg| dag.arg(arg));
            assert_eq!(raise_with(&mut dag, &function, &[], &bindings), Ok(raised), "{function}");
        }
    }
}
