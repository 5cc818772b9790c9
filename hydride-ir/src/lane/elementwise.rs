//! Which operations compute each element from the same element of their arguments, so that one instruction on a wide
//! vector is several on narrower ones.

use std::collections::{BTreeMap, BTreeSet};

use crate::expr::{Expr, Op};
use crate::function::{Function, ParamId, Stmt};
use crate::num::{Atom, IndexId, Num};
use crate::passes::instantiate;

/// The position of the parameter that is the number of elements, if the function with `k·n` elements is that with `n`
/// elements on each of `k` parts of its arguments, side by side, at all of these parameter values. Arguments whose width
/// does not depend on that number are the same for all parts.
pub fn element_count<'a>(
    function: &Function,
    instances: impl IntoIterator<Item = &'a [i64]>,
) -> Option<usize> {
    let count = common_count(function)?;
    let position = (0..function.params.len()).find(|position| *count == param(*position))?;
    let depends = |num: &Num| num.atoms().any(|atom| Some(atom) == param(position).atoms().next());
    let nums = |expr: &Expr| {
        !matches!(expr.op, Op::Arg(_)) && (depends(&expr.width) || expr.op.nums().into_iter().any(&depends))
    };
    let outer = outer_indices(function)?;
    let inner = function.loops().any(|inner| !outer.contains(&inner.index) && depends(inner.count));
    if inner
        || function.live().into_iter().any(|id| nums(function.expr(id)))
        || function.assignments().any(|assignment| depends(assignment.low))
    {
        return None;
    }
    let split: Vec<bool> = function.args.iter().map(|arg| depends(&arg.width)).collect();
    let splits =
        |params: &[i64]| instantiate(function, params).is_ok_and(|instance| is_split(&instance, &split));
    instances.into_iter().all(splits).then_some(position)
}

/// The number of iterations of each of the outermost loops, where there is nothing else and it is the same for all.
fn common_count(function: &Function) -> Option<&Num> {
    let mut counts = function.body.iter().map(|stmt| match stmt {
        Stmt::For { count, .. } => Some(count),
        Stmt::Assign { .. } => None,
    });
    let first = counts.next()??;
    counts.all(|count| count == Some(first)).then_some(first)
}

/// The indices of the outermost loops, where there is nothing else.
fn outer_indices(function: &Function) -> Option<BTreeSet<IndexId>> {
    let index = |stmt: &Stmt| match stmt {
        Stmt::For { index, .. } => Some(*index),
        Stmt::Assign { .. } => None,
    };
    function.body.iter().map(index).collect()
}

fn param(position: usize) -> Num {
    Num::param(ParamId(u32::try_from(position).unwrap_or(u32::MAX)))
}

/// Whether each iteration of the outermost loops of an instance writes a part of the results, and reads of the arguments for
/// which `split` holds the same part.
fn is_split(instance: &Function, split: &[bool]) -> bool {
    let count = common_count(instance).and_then(Num::as_constant);
    let (Some(outer), Some(count)) = (outer_indices(instance), count) else { return false };
    let live = instance.live();
    let folds = live.iter().filter_map(|id| match &instance.expr(*id).op {
        Op::Fold { index, count, .. } => Some((*index, count)),
        _ => None,
    });
    let loops =
        instance.loops().filter(|own| !outer.contains(&own.index)).map(|inner| (inner.index, inner.count));
    let counts: BTreeMap<IndexId, i64> =
        loops.chain(folds).map(|(index, count)| (index, count.as_constant().unwrap_or(i64::MAX))).collect();
    let is_outer =
        |num: &Num| num.atoms().any(|atom| matches!(atom, Atom::Index(index) if outer.contains(&index)));
    // Whether the bits are in the part of the iteration.
    let own = |low: &Num, width: &Num, whole: &Num| {
        let part = Part::of(low, &outer, &counts);
        let (Some(part), Some(width), Some(whole)) = (part, width.as_constant(), whole.as_constant()) else {
            return false;
        };
        part.least >= 0
            && part.greatest.saturating_add(width) <= part.stride
            && part.stride.checked_mul(count) == Some(whole)
    };
    let is_whole_part = |argument: &Op| matches!(argument, Op::Arg(arg) if split[arg.0 as usize]);
    let reads = live.iter().all(|id| {
        let expr = instance.expr(*id);
        match &expr.op {
            Op::Extract { of, low } => match &instance.expr(*of).op {
                Op::Arg(arg) if split[arg.0 as usize] => own(low, &expr.width, &instance.arg(*arg).width),
                _ => !is_outer(low),
            },
            op => {
                let operands = op.operands();
                !operands.into_iter().any(|operand| is_whole_part(&instance.expr(operand).op))
                    && !op.nums().into_iter().any(is_outer)
            }
        }
    });
    let writes = instance.assignments().all(|assignment| {
        let value = instance.expr(assignment.value);
        !is_whole_part(&value.op)
            && own(assignment.low, &value.width, &instance.result(assignment.result).width)
    });
    reads && writes
}

/// A position as a multiple of an outer index and the range of what is added to it.
struct Part {
    stride: i64,
    least: i64,
    greatest: i64,
}

impl Part {
    /// `None` for a position that is not affine in the indices.
    fn of(low: &Num, outer: &BTreeSet<IndexId>, counts: &BTreeMap<IndexId, i64>) -> Option<Self> {
        let constant = low.constant_part();
        let mut part = Self { stride: 0, least: constant, greatest: constant };
        for (atoms, coefficient) in low.terms() {
            match atoms {
                [Atom::Index(index)] if outer.contains(index) => part.stride += coefficient,
                [Atom::Index(index)] => {
                    let last = coefficient.checked_mul(counts.get(index)?.checked_sub(1)?)?;
                    part.least = part.least.checked_add(last.min(0))?;
                    part.greatest = part.greatest.checked_add(last.max(0))?;
                }
                _ => return None,
            }
        }
        Some(part)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(text: &str, instances: &[&[i64]], expected: Option<usize>) {
        let function = Function::parse(text).expect("it can be read");
        assert_eq!(element_count(&function, instances.iter().copied()), expected, "{text}");
    }

    #[test]
    fn elements_from_the_same_elements_are_split() {
        let add = "func @add[w = 8, n = 4](%a: w*n, %b: w) -> (%dst: w*n) {
          for i in 0..n { %dst[w*i +: w] = add(%a[w*i +: w], %b) }
        }";
        check(add, &[&[8, 4], &[16, 8]], Some(1));
        let pairs = "func @pairs[n = 4](%a: 16*n) -> (%dst: 8*n) {
          for i in 0..n { %dst[8*i +: 8] = fold add (j in 0..2) %a[16*i + 8*j +: 8] }
        }";
        check(pairs, &[&[4]], Some(0));
        let zip = "func @zip[n = 4](%a: 8*n, %b: 8*n) -> (%dst: 16*n) {
          for i in 0..n { %dst[16*i +: 8] = %a[8*i +: 8] }
          for i in 0..n { %dst[16*i + 8 +: 8] = %b[8*i +: 8] }
        }";
        check(zip, &[&[4]], Some(0));
    }

    #[test]
    fn what_reads_other_elements_or_its_position_is_not() {
        let sliding = "func @sliding[n = 4](%a: 8*n + 8) -> (%dst: 8*n) {
          for i in 0..n { %dst[8*i +: 8] = add(%a[8*i +: 8], %a[8*i + 8 +: 8]) }
        }";
        check(sliding, &[&[4]], None);
        let halves = "func @halves[n = 4](%a: 8*n, %b: 8*n) -> (%dst: 16*n) {
          for i in 0..n { %dst[8*i +: 8] = %a[8*i +: 8] }
          for i in 0..n { %dst[8*n + 8*i +: 8] = %b[8*i +: 8] }
        }";
        check(halves, &[&[4]], None);
        let position = "func @position[n = 4](%a: 8*n) -> (%dst: 8*n) {
          for i in 0..n { %dst[8*i +: 8] = add(%a[8*i +: 8], int(i, 8)) }
        }";
        check(position, &[&[4]], None);
        let high = "func @high[n = 4](%a: 16*n) -> (%dst: 8*n) {
          for i in 0..n { %dst[8*i +: 8] = %a[8*i + 8*n +: 8] }
        }";
        check(high, &[&[4]], None);
        let low = "func @low[n = 4](%a: 16*n) -> (%dst: 8*n) {
          for i in 0..n { %dst[8*i +: 8] = %a[8*i +: 8] }
        }";
        check(low, &[&[4]], None);
        let all = "func @all[n = 4](%a: 8*n) -> (%dst: 8*n) {
          for i in 0..n { %dst[8*i +: 8] = cast.u(popcount(%a), 8) }
        }";
        check(all, &[&[4]], None);
    }
}
