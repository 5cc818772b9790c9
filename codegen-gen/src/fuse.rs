//! Adjacent slices at computed positions become one: the bits of a table's element are often read one by one.
//!
//! ```text
//! concat(x[at add(y, 0x1:9) +: 1], x[at y +: 1])    becomes    x[at y +: 2]
//! ```

use hydride_ir::passes::dead_code;
use hydride_ir::visit::rewrite;
use hydride_ir::{BinaryOp, ExprId, Function, Num, Op};

use crate::bounds::Bounds;
use crate::space::Indices;

/// The function with adjacent slices fused; unchanged if widths depend on parameters or indices.
pub(crate) fn fuse(function: Function) -> Function {
    let candidate = |op: &Op| {
        matches!(op, Op::Concat(parts) if parts.windows(2).any(|pair| {
            pair.iter().all(|part| matches!(function.expr(*part).op, Op::ExtractAt { .. }))
        }))
    };
    if !function.exprs().iter().any(|expr| candidate(&expr.op)) {
        return function;
    }
    let Some(bounds) = Indices::of(&function).and_then(|indices| Bounds::of(&function, &indices)) else {
        return function;
    };
    let fused = rewrite(&function, |copy, expr| {
        let Op::Concat(parts) = &expr.op else { return copy.keep(expr) };
        let runs = runs(&function, &bounds, parts);
        let mut new_parts = Vec::new();
        for run in &runs {
            let (Some(last), true) = (run.last(), run.len() > 1) else {
                new_parts.extend(run.iter().map(|part| copy.id(*part)));
                continue;
            };
            // The last one is the lowest.
            let width =
                run.iter().fold(Num::constant(0), |sum, part| sum + function.expr(*part).width.clone());
            let lowest = copy.op(function.expr(*last));
            new_parts.push(copy.push(lowest, width));
        }
        match (new_parts.as_slice(), runs.len()) {
            ([single], 1) => *single,
            _ => copy.push(Op::Concat(new_parts), expr.width.clone()),
        }
    });
    dead_code(&fused)
}

/// The parts in groups that are adjacent in one source.
fn runs(function: &Function, bounds: &Bounds, parts: &[ExprId]) -> Vec<Vec<ExprId>> {
    let mut runs: Vec<Vec<ExprId>> = Vec::new();
    for part in parts {
        match runs.last_mut() {
            Some(run) if run.last().is_some_and(|above| adjacent(function, bounds, *above, *part)) => {
                run.push(*part);
            }
            _ => runs.push(vec![*part]),
        }
    }
    runs
}

/// Whether `above` begins where `below` ends, whatever the inputs.
fn adjacent(function: &Function, bounds: &Bounds, above: ExprId, below: ExprId) -> bool {
    let slice = |id: ExprId| match &function.expr(id).op {
        Op::ExtractAt { of, low } => Some((*of, position(function, *low))),
        _ => None,
    };
    let (Some((source, (base, step))), Some((other, (other_base, other_step)))) =
        (slice(above), slice(below))
    else {
        return false;
    };
    let width =
        |id: ExprId| function.expr(id).width.as_constant().and_then(|width| u64::try_from(width).ok());
    // The addition must not wrap.
    let exact = || {
        let reach = bounds.most(base)?.checked_add(step)?;
        let bits = width(base)?;
        Some(bits >= 64 || reach >> bits == 0)
    };
    source == other
        && base == other_base
        && width(below).is_some_and(|width| step == other_step + width)
        && exact() == Some(true)
}

/// A position as another one plus a constant.
fn position(function: &Function, low: ExprId) -> (ExprId, u64) {
    if let Op::Binary { op: BinaryOp::Add, left, right, .. } = &function.expr(low).op {
        for (base, step) in [(left, right), (right, left)] {
            if let Op::Const(bits) = &function.expr(*step).op
                && let Some(step) = bits.to_u64()
                && step < 1 << 32
            {
                return (*base, step);
            }
        }
    }
    (low, 0)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn fused(text: &str) -> String {
        let function = Function::parse(text).unwrap();
        function.verify().unwrap();
        let fused = fuse(function);
        fused.verify().unwrap();
        fused.to_string()
    }

    #[test]
    fn bits_of_an_element_become_one_slice() {
        let text = "func @f(%a: 64, %b: 3) -> (%d: 3) {
          let t0 = cast.u(%b, 9)
          %d[0 +: 3] = concat(%b[0 +: 1], %a[at add(t0, 0x1:9) +: 1], %a[at t0 +: 1])
        }";
        assert!(fused(text).contains("concat(%b[0 +: 1], %a[at cast.u(%b, 9) +: 2])"), "{}", fused(text));
    }

    #[test]
    fn a_sum_that_may_wrap_stays() {
        let text = "func @f(%a: 64, %b: 3) -> (%d: 2) {
          %d[0 +: 2] = concat(%a[at add(%b, 0x1:3) +: 1], %a[at %b +: 1])
        }";
        assert!(fused(text).contains("concat("), "{}", fused(text));
    }
}
