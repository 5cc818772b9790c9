//! Which parameters do not matter at given values: the stride of a loop that runs once, the sign of an extension to the
//! same width.

use hydride_ir::visit::Event;
use hydride_ir::{Atom, Function, Num, Op, ParamId};
use std::collections::BTreeMap;

/// Whether a function computes the same for every value of one parameter, the others having the given values: no number
/// that the function uses depends on it. Sound, and complete where loops that run once and extensions to the same width
/// are the only things to see.
pub(crate) fn is_free(function: &Function, values: &[i64], param: ParamId) -> bool {
    let mut counts: BTreeMap<hydride_ir::IndexId, &Num> =
        function.loops().map(|around| (around.index, around.count)).collect();
    counts.extend(function.exprs().iter().filter_map(|expr| match &expr.op {
        Op::Fold { index, count, .. } => Some((*index, count)),
        _ => None,
    }));
    let partly = |num: &Num, single: &dyn Fn(hydride_ir::IndexId) -> bool| {
        num.substitute(|atom| match atom {
            Atom::Param(other) if other != param => Num::constant(values[other.0 as usize]),
            Atom::Index(index) if single(index) => Num::constant(0),
            atom @ (Atom::Param(_) | Atom::Index(_)) => match atom {
                Atom::Param(own) => Num::param(own),
                Atom::Index(index) => Num::index(index),
            },
        })
    };
    let runs_once = |index: hydride_ir::IndexId| {
        counts.get(&index).is_some_and(|count| partly(count, &|_| false).as_constant() == Some(1))
    };
    let at = |num: &Num| partly(num, &runs_once);
    let same = |num: &Num| at(num).atoms().all(|atom| atom != Atom::Param(param));
    let expressions = function.live().into_iter().all(|id| {
        let expr = function.expr(id);
        let own = match &expr.op {
            Op::Cast { of, .. } if at(&function.expr(*of).width) == at(&expr.width) => true,
            op => op.nums().into_iter().all(same),
        };
        own && same(&expr.width)
    });
    let statements = function.walk().all(|event| match event {
        Event::Enter(around) => same(around.count),
        Event::Assign(written) => same(written.low),
        Event::Leave(_) => true,
    });
    let widths = function.args.iter().map(|arg| &arg.width);
    expressions && statements && widths.chain(function.results.iter().map(|result| &result.width)).all(same)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_stride_without_a_second_step_and_a_sign_without_extension_are_free() {
        let text = "\
func @f[w = 8, n = 4, s = 8, signed = 1, step = 8](%a: 64) -> (%dst: w*n) {
  for i in 0..n {
    %dst[w*i +: w] = cast.{signed}(%a[step*i +: s], w)
  }
}
";
        let function = Function::parse(text).unwrap();
        let free = |values: [i64; 5]| -> Vec<bool> {
            (0..5).map(|param| is_free(&function, &values, ParamId(param))).collect()
        };
        assert_eq!(free([8, 4, 8, 1, 8]), [false, false, false, true, false]);
        assert_eq!(free([16, 4, 8, 1, 8]), [false, false, false, false, false]);
        assert_eq!(free([16, 1, 8, 1, 8]), [false, false, false, false, true]);
    }
}
