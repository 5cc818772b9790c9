//! Writes of wide values as loops over the elements of the result.
//!
//! ```text
//! %dst[0 +: 256] = and(%a[0 +: 256], %b[0 +: 256])      for i in 0..4 {
//!                                                         %dst[64*i +: 64] = and(%a[64*i +: 64], %b[64*i +: 64])
//!                                                       }
//! ```

use hydride_ir::passes::dead_code;
use hydride_ir::visit::rewrite;
use hydride_ir::{BinaryOp, Bits, CompareOp, ExprId, Function, IndexId, Num, Op, ResultId, Stmt, UnaryOp};

use super::ranges::constant_width;

/// The function with every write split that is wider than `element`, the element width of the result, where its value can
/// be split.
pub(super) fn split(function: &Function, element: impl Fn(ResultId) -> u32) -> Function {
    let mut next = next_index(function);
    let function = rewrite(function, |copy, expr| match &expr.op {
        Op::Compare { op: CompareOp::Eq, signed, left, right } => {
            let (left, right) = (copy.id(*left), copy.id(*right));
            match equal_slices(copy.function(), left, right, IndexId(next)) {
                Some(equal) => {
                    next += 1;
                    equal
                }
                None => {
                    copy.push(Op::Compare { op: CompareOp::Eq, signed: signed.clone(), left, right }, 1u32)
                }
            }
        }
        _ => copy.keep(expr),
    });
    let mut split = Splitter { next_index: next, function };
    let body = std::mem::take(&mut split.function.body);
    split.function.body = split.statements(&body, &element);
    dead_code(&split.function)
}

/// Equality of values of more than 128 bits: that of all their slices of 64 bits.
fn equal_slices(function: &mut Function, left: ExprId, right: ExprId, index: IndexId) -> Option<ExprId> {
    let width = constant_width(&function.expr(left).width);
    if width <= 128 || !width.is_multiple_of(64) {
        return None;
    }
    let low = Num::index(index) * Num::constant(64);
    let (left, right) = (slice(function, left, &low, 64)?, slice(function, right, &low, 64)?);
    let signed = Num::constant(0);
    let equal = Op::Compare { op: CompareOp::Eq, signed: signed.clone(), left, right };
    let body = function.push(equal, 1u32);
    let count = Num::from(width / 64);
    Some(function.push(Op::Fold { op: BinaryOp::And, signed, index, count, body }, 1u32))
}

/// An index that does not occur yet.
fn next_index(function: &Function) -> u32 {
    let folds = function.exprs().iter().filter_map(|expr| match expr.op {
        Op::Fold { index, .. } => Some(index.0),
        _ => None,
    });
    function.loops().map(|around| around.index.0).chain(folds).max().map_or(0, |most| most + 1)
}

struct Splitter {
    function: Function,
    next_index: u32,
}

impl Splitter {
    fn statements(&mut self, body: &[Stmt], element: &impl Fn(ResultId) -> u32) -> Vec<Stmt> {
        let mut statements = Vec::with_capacity(body.len());
        for statement in body {
            match statement {
                Stmt::For { index, count, body } => statements.push(Stmt::For {
                    index: *index,
                    count: count.clone(),
                    body: self.statements(body, element),
                }),
                Stmt::Assign { result, low, value } => {
                    self.assignment(*result, low, *value, element(*result), &mut statements);
                }
            }
        }
        statements
    }

    fn assignment(
        &mut self,
        result: ResultId,
        low: &Num,
        value: ExprId,
        element: u32,
        statements: &mut Vec<Stmt>,
    ) {
        let width = self.width(value);
        if width > element && width.is_multiple_of(element) {
            // The parts of a concatenation have expressions of their own.
            if let Op::Concat(parts) = self.function.expr(value).op.clone()
                && parts.iter().all(|part| self.width(*part).is_multiple_of(element))
            {
                let mut at = low.clone();
                for part in parts.into_iter().rev() {
                    self.assignment(result, &at, part, element, statements);
                    at = at + Num::from(self.width(part));
                }
                return;
            }
            let index = IndexId(self.next_index);
            let step = Num::index(index) * Num::from(element);
            if let Some(value) = slice(&mut self.function, value, &step, element) {
                self.next_index += 1;
                let body = vec![Stmt::Assign { result, low: low.clone() + step, value }];
                statements.push(Stmt::For { index, count: Num::from(width / element), body });
                return;
            }
        }
        statements.push(Stmt::Assign { result, low: low.clone(), value });
    }

    fn width(&self, id: ExprId) -> u32 {
        width_of(&self.function, id)
    }
}

/// Bits `low .. low + width` of an expression as an expression of that width.
fn slice(function: &mut Function, id: ExprId, low: &Num, width: u32) -> Option<ExprId> {
    let expr = function.expr(id).clone();
    let whole = width_of(function, id);
    let op = match expr.op {
        Op::Arg(_) => Op::Extract { of: id, low: low.clone() },
        Op::Extract { of, low: inner } => {
            return slice(function, of, &(inner + low.clone()), width);
        }
        Op::ExtractAt { of, low: position } => {
            // Wide enough for every position that there is, and for those beyond the top.
            let wide = (width_of(function, position) + 12).max(32);
            let unsigned = Num::constant(0);
            let position = function.push(Op::Cast { of: position, signed: unsigned.clone() }, wide);
            let step = function.push(Op::Int(low.clone()), wide);
            let sum = Op::Binary { op: BinaryOp::Add, signed: unsigned, left: position, right: step };
            Op::ExtractAt { of, low: function.push(sum, wide) }
        }
        Op::Const(bits) => match low.as_constant() {
            Some(low) => Op::Const(bits_of(&bits, u32::try_from(low).ok()?, width)),
            None => {
                let first = bits_of(&bits, 0, width);
                let same = (0..whole / width).all(|at| bits_of(&bits, at * width, width) == first);
                same.then_some(Op::Const(first))?
            }
        },
        Op::Concat(parts) => {
            let mut at = i64::from(whole);
            for part in parts {
                let own = i64::from(width_of(function, part));
                at -= own;
                let low = low.as_constant()?;
                if low >= at && low + i64::from(width) <= at + own {
                    return slice(function, part, &Num::constant(low - at), width);
                }
            }
            return None;
        }
        Op::Unary(UnaryOp::Not, of) => Op::Unary(UnaryOp::Not, slice(function, of, low, width)?),
        Op::Binary { op: op @ (BinaryOp::And | BinaryOp::Or | BinaryOp::Xor), signed, left, right } => {
            let (left, right) = (slice(function, left, low, width)?, slice(function, right, low, width)?);
            Op::Binary { op, signed, left, right }
        }
        Op::Select { condition, then, otherwise } => {
            let (then, otherwise) =
                (slice(function, then, low, width)?, slice(function, otherwise, low, width)?);
            Op::Select { condition, then, otherwise }
        }
        _ if low.as_constant() == Some(0) && whole == width => return Some(id),
        _ => return None,
    };
    Some(function.push(op, width))
}

fn width_of(function: &Function, id: ExprId) -> u32 {
    constant_width(&function.expr(id).width)
}

/// Bits `low .. low + width` of a literal.
fn bits_of(bits: &Bits, low: u32, width: u32) -> Bits {
    let words = (0..width.div_ceil(64)).map(|word| {
        let bit = |at: u32| u64::from(low + at < bits.width() && at < width && bits.bit(low + at));
        (0..64).fold(0, |sum, at| sum | bit(64 * word + at) << at)
    });
    Bits::from_words(width, words)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bitwise_operators_and_concatenations_are_split() {
        let function = Function::parse(
            "func @f(%a: 256, %b: 128) -> (%d: 256, %e: 128) {\n  \
             %d[0 +: 256] = not(and(%a[0 +: 256], concat(%b, %b)))\n  %e[0 +: 128] = concat(%b[0 +: 64], %a[64 +: 64])\n}\n",
        )
        .unwrap();
        let text = split(&function, |result| if result.0 == 0 { 256 } else { 64 }).to_string();
        assert!(text.contains("%d[0 +: 256] = not(and(%a[0 +: 256], concat(%b, %b)))"), "{text}");
        assert!(
            text.contains("%e[0 +: 64] = %a[64 +: 64]") && text.contains("%e[64 +: 64] = %b[0 +: 64]"),
            "{text}"
        );
        let function = Function::parse(
            "func @f(%a: 256, %b: 256) -> (%d: 256) {\n  %d[0 +: 256] = and(%a[0 +: 256], not(%b))\n}\n",
        )
        .unwrap();
        let after = split(&function, |_| 64);
        after.verify().unwrap();
        let expected = "%d[64*i +: 64] = and(%a[64*i +: 64], not(%b[64*i +: 64]))";
        assert!(after.to_string().contains(expected), "{after}");
    }
}
