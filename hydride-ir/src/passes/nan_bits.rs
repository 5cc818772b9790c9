//! Where a result is computed from bits of a NaN that are left open.
//!
//! ```text
//! before                                                  after
//! #0 = fadd.{8}(%a, %b, 0x0:3)                            #0 = fadd.{8}(%a, %b, 0x0:3)
//! %dst[0 +: 32] = mul(#0, %c)                             %dst[0 +: 32] = cast.s(funordered.{8}(#0, #0), 32)
//! %dst[32 +: 32] = #0                                     %dst[32 +: 32] = 0
//! ```

use rustc_hash::FxHashMap;

use super::dead_code;
use crate::expr::{BinaryOp, Expr, ExprId, Op};
use crate::float::{Float, FloatOp, NanRule};
use crate::function::Function;
use crate::num::Num;
use crate::visit::{Rewriter, rewrite, try_map_statements};

/// A format: the width of its numbers in bits, and the bits of the exponent.
type Format = (Num, Num);

/// What a value has of NaNs that are left open; both are one bit, in the copy.
#[derive(Clone, Debug, Default)]
struct Nans {
    /// Whether its bits are such a NaN's, and the format, where there is one only.
    held: Option<(ExprId, Option<Format>)>,
    /// Whether it is computed from such bits.
    computed: Option<ExprId>,
}

/// The function that has ones in each part of a result that is assigned and computed from bits of a NaN that are left open,
/// where there is such a NaN, and zeros in all others; `None` where nothing can be. An operator on numbers of the NaN's format
/// does not compute from its bits, and what only moves bits does not either.
pub fn from_nan_bits(function: &Function) -> Option<Function> {
    let mut nans: Vec<Nans> = Vec::with_capacity(function.exprs().len());
    let mut copy = rewrite(function, |copy, expr| {
        let id = copy.keep(expr);
        let own = Nans::new(copy, function, expr, id, &nans);
        nans.push(own);
        id
    });
    let mut masks: FxHashMap<ExprId, ExprId> = FxHashMap::default();
    let mut is_any = false;
    for assignment in function.assignments() {
        let value = assignment.value.0 as usize;
        let op = match nans[value].computed {
            Some(of) => Op::Cast { of, signed: Num::constant(1) },
            None => Op::Int(Num::constant(0)),
        };
        is_any |= nans[value].computed.is_some();
        let width = function.exprs()[value].width.clone();
        masks.entry(assignment.value).or_insert_with(|| copy.push(op, width));
    }
    if !is_any {
        return None;
    }
    let Ok(body) = try_map_statements(
        &function.body,
        &mut |num| Ok::<_, std::convert::Infallible>(num.clone()),
        &|value| masks[&value],
    );
    copy.body = body;
    Some(dead_code(&copy))
}

impl Nans {
    /// Those of an expression, whose copy is `id`, by those of the expressions before it.
    fn new(copy: &mut Rewriter, function: &Function, expr: &Expr, id: ExprId, all: &[Self]) -> Self {
        let mut held = Self::default();
        let mut computed = None;
        for (at, operand) in expr.op.operands().into_iter().enumerate() {
            let Some(own) = all.get(operand.0 as usize) else { continue };
            computed = or(copy, computed, own.computed);
            let Some((is_nan, format)) = &own.held else { continue };
            let width = &function.exprs()[operand.0 as usize].width;
            if keeps(&expr.op, at, (width, format.as_ref())) {
                held = held.and(copy, *is_nan, format.as_ref());
            } else {
                computed = or(copy, computed, Some(*is_nan));
            }
        }
        if let (Op::Fold { index, count, .. }, Some(body)) = (&expr.op, computed) {
            let fold = Op::Fold {
                op: BinaryOp::Or,
                signed: Num::constant(0),
                index: *index,
                count: count.clone(),
                body,
            };
            computed = Some(copy.push(fold, 1u32));
        }
        if let Op::Float { float, .. } = &expr.op {
            let is_open = float.nan == NanRule::Open && float.op.gives_nans();
            held = if is_open { Self::of_number(copy, float, expr, id) } else { held.in_format(float, expr) };
        }
        Self { computed, ..held }
    }

    /// Those of an operator's value.
    fn of_number(copy: &mut Rewriter, float: &Float<Num>, expr: &Expr, id: ExprId) -> Self {
        let format = format(float, expr);
        let unordered = Float {
            op: FloatOp::Unordered,
            nan: NanRule::Open,
            exponent: format.1.clone(),
            target: Num::constant(0),
        };
        let is_nan = copy.push(Op::Float { float: unordered, operands: vec![id, id] }, 1u32);
        Self { held: Some((is_nan, Some(format))), computed: None }
    }

    /// The same where an operator that is not open passes a NaN on.
    fn in_format(mut self, float: &Float<Num>, expr: &Expr) -> Self {
        self.held = self.held.filter(|_| float.op.gives_nans());
        if let Some((_, own)) = &mut self.held {
            *own = Some(format(float, expr));
        }
        self
    }

    /// The same with one more that is held.
    fn and(self, copy: &mut Rewriter, is_nan: ExprId, format: Option<&Format>) -> Self {
        let held = match self.held {
            None => Some((is_nan, format.cloned())),
            Some((own, own_format)) => {
                let is_one = own_format.as_ref() == format;
                or(copy, Some(own), Some(is_nan)).map(|both| (both, own_format.filter(|_| is_one)))
            }
        };
        Self { held, ..self }
    }
}

/// Whether an operation keeps the bits of its operand at a position, of this width and with such a NaN, or reads it as a number.
fn keeps(op: &Op, at: usize, (width, format): (&Num, Option<&Format>)) -> bool {
    match op {
        Op::Extract { .. } | Op::Cast { .. } | Op::Concat(_) => true,
        Op::ExtractAt { .. } => at == 0,
        Op::Select { .. } => at > 0,
        Op::Float { float, .. } => {
            float.op != FloatOp::FromInt
                && at < float.op.arity()
                && format.is_some_and(|(own, exponent)| own == width && *exponent == float.exponent)
        }
        _ => false,
    }
}

/// The format of an operator's value.
fn format(float: &Float<Num>, expr: &Expr) -> Format {
    let exponent = if float.op == FloatOp::Convert { &float.target } else { &float.exponent };
    (expr.width.clone(), exponent.clone())
}

/// One bit: whether one of two is.
fn or(copy: &mut Rewriter, one: Option<ExprId>, other: Option<ExprId>) -> Option<ExprId> {
    match (one, other) {
        (Some(left), Some(right)) if left != right => {
            let op = Op::Binary { op: BinaryOp::Or, signed: Num::constant(0), left, right };
            Some(copy.push(op, 1u32))
        }
        (own, None) | (None | Some(_), own) => own,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn function(body: &str) -> Function {
        let text = format!("func @f(%a: 64, %b: 64) -> (%r: 64) {{\n{body}}}\n");
        Function::parse(&text).expect("it is legal")
    }

    fn masks(body: &str) -> Option<String> {
        let masks = from_nan_bits(&function(body))?;
        masks.verify().expect("it is legal");
        Some(masks.to_string())
    }

    const SUM: &str = "fadd.{8}(%a[0 +: 32], %b[0 +: 32], 0x0:3)";

    fn body(low: &str, high: &str) -> String {
        format!("  %r[0 +: 32] = {low}\n  %r[32 +: 32] = {high}\n")
    }

    #[test]
    fn what_is_computed_from_a_nan_is_ones_where_there_is_one() {
        let expected = body("cast.s(funordered.{8}(t0, t0), 32)", "int(0, 32)");
        let expected = format!("  let t0 = {SUM}\n{expected}");
        let found = masks(&body(&format!("mul({SUM}, 0x3:32)"), SUM));
        assert_eq!(found, Some(function(&expected).to_string()));
        for computed in [
            format!("not({SUM})"),
            format!("cast.s(lt.s({SUM}, %a[0 +: 32]), 32)"),
            format!("select({SUM}[3 +: 1], %a[0 +: 32], %b[0 +: 32])"),
            format!("cast.u(fadd.{{5}}({SUM}[0 +: 16], %a[0 +: 16], 0x0:3), 32)"),
            format!("ffromint.{{8}}.s({SUM}, 0x0:3, 32)"),
        ] {
            assert!(masks(&body(&computed, SUM)).is_some(), "{computed}");
        }
    }

    #[test]
    fn numbers_of_the_format_comparisons_and_movements_have_no_bits_of_it() {
        for read in [
            format!("fmul.{{8}}({SUM}, {SUM}, 0x0:3)"),
            format!("cast.u(flt.{{8}}({SUM}, %a[0 +: 32]), 32)"),
            format!("select(%a[0 +: 1], {SUM}, 0x0:32)"),
            format!("cast.s({SUM}[16 +: 16], 32)"),
            format!("not({})", SUM.replace("8}", "8}.first")),
        ] {
            assert_eq!(masks(&body(&read, SUM)), None, "{read}");
        }
    }

    #[test]
    fn loops_and_folds_have_their_own() {
        let sum = "fadd.{8}(%a[32*i +: 32], %b[32*i +: 32], 0x0:3)";
        let looped = |value: &str| format!("  for i in 0..2 {{\n{value}\n  }}\n");
        let expected = format!("let t0 = {sum}\n%r[32*i +: 32] = cast.s(funordered.{{8}}(t0, t0), 32)");
        let found = masks(&looped(&format!("%r[32*i +: 32] = not({sum})")));
        assert_eq!(found, Some(function(&looped(&expected)).to_string()));
        let folded = masks(&body(&format!("fold add (i in 0..2) {sum}"), "0x0:32"));
        assert!(folded.as_ref().is_some_and(|text| text.contains("fold or (i in 0..2)")), "{folded:?}");
    }
}
