//! Replaces the parameters of a function by numbers.
//!
//! ```text
//! before                                          after, with ew = 8, n = 16
//! func @f[ew = 32, n = 4](%a: n*ew) …             func @f(%a: 128) …
//!   for i in 0..n                                   for i in 0..16
//!     %dst[ew*i +: ew] = add(%a[ew*i +: ew],          %dst[8*i +: 8] = add(%a[8*i +: 8],
//!                            int(ew, ew))                                  0x8:8)
//! ```

use std::convert::Infallible;

use super::PassError;
use crate::bits::Bits;
use crate::expr::Op;
use crate::function::{Function, Param};
use crate::num::{Atom, Num};
use crate::visit::try_map_statements;
use crate::{Expr, MAX_WIDTH};

/// The function at the given values of its parameters: it has no parameters any more, and a number that
/// depends on no index has become a literal. Whether the laws hold at these values is checked by
/// [`Function::verify_with`].
pub fn instantiate(function: &Function, values: &[i64]) -> Result<Function, PassError> {
    if values.len() != function.params.len() {
        return Err(PassError::ParameterCount { expected: function.params.len(), given: values.len() });
    }
    try_map_numbers(function, Vec::new(), |num| at_values(num, values))
}

/// The function with a number over new parameters in place of each of its parameters. A number that depends on neither
/// parameters nor indices becomes a literal.
///
/// ```text
/// before                                          after, with ew = 8*k, n = 2
/// func @f[ew = 32, n = 4](%a: n*ew) …             func @f[k = 4](%a: 16*k) …
///   for i in 0..n                                   for i in 0..2
///     %dst[ew*i +: ew] = neg(%a[ew*i +: ew])          %dst[8*i*k +: 8*k] = neg(%a[8*i*k +: 8*k])
/// ```
pub fn specialize(function: &Function, params: Vec<Param>, numbers: &[Num]) -> Function {
    let replaced = |num: &Num| {
        Ok::<_, Infallible>(num.substitute(|atom| match atom {
            Atom::Param(param) => numbers[param.0 as usize].clone(),
            Atom::Index(index) => Num::index(index),
        }))
    };
    let Ok(specialized) = try_map_numbers(function, params, replaced);
    specialized
}

/// The function over `params` with every number replaced.
fn try_map_numbers<E>(
    function: &Function,
    params: Vec<Param>,
    at: impl Fn(&Num) -> Result<Num, E>,
) -> Result<Function, E> {
    let mut mapped = Function::new(function.name.clone());
    mapped.params = params;
    mapped.args.clone_from(&function.args);
    for arg in &mut mapped.args {
        arg.width = at(&arg.width)?;
    }
    mapped.results.clone_from(&function.results);
    for result in &mut mapped.results {
        result.width = at(&result.width)?;
    }
    for expr in function.exprs() {
        let width = at(&expr.width)?;
        let op = literal(expr.op.try_map_nums(&at)?, &width);
        mapped.push(op, width);
    }
    mapped.body = try_map_statements(&function.body, &mut |num| at(num), &|value| value)?;
    Ok(mapped)
}

fn at_values(num: &Num, values: &[i64]) -> Result<Num, PassError> {
    let value_of = |atom| match atom {
        Atom::Param(param) => values.get(param.0 as usize).copied().map_or(Num::param(param), Num::constant),
        Atom::Index(index) => Num::index(index),
    };
    // With every index at 1 each term is checked unchanged; `substitute` itself saturates.
    num.eval(|atom| match atom {
        Atom::Param(param) => values.get(param.0 as usize).copied().unwrap_or(1),
        Atom::Index(_) => 1,
    })
    .ok_or(PassError::Overflow)?;
    Ok(num.substitute(value_of))
}

/// A number without parameters and indices as a literal; other operations as they are.
pub(super) fn literal(op: Op, width: &Num) -> Op {
    let (Op::Int(num), Some(width)) = (&op, width.as_constant()) else { return op };
    match (num.as_constant(), u32::try_from(width)) {
        (Some(value), Ok(width)) if (1..=MAX_WIDTH).contains(&width) => {
            let sign = if value < 0 { u64::MAX } else { 0 };
            let words = [value.cast_unsigned()].into_iter().chain(std::iter::repeat(sign));
            Op::Const(Bits::from_words(width, words))
        }
        _ => op,
    }
}

/// The expression with its width, once both are known.
pub(super) fn literal_expr(op: Op, width: Num) -> Expr {
    let op = literal(op, &width);
    Expr { op, width }
}

#[cfg(test)]
mod tests {
    use super::*;

    const TEXT: &str = "\
func @f[ew = 32, n = 4, s = 0](%a: ew*n) -> (%dst: ew*n) {
  for i in 0..n {
    %dst[ew*i +: ew] = shr.{s}(add(%a[ew*i +: ew], int(-ew, ew)), int(i, 8))
  }
}
";

    #[test]
    fn instantiate() {
        let function = Function::parse(TEXT).unwrap();
        function.verify().unwrap();
        function.verify_with(&[8, 16, 1]).unwrap();
        let instance = super::instantiate(&function, &[8, 16, 1]).unwrap();
        instance.verify().unwrap();
        let expected = "\
func @f(%a: 128) -> (%dst: 128) {
  for i in 0..16 {
    %dst[8*i +: 8] = shr.s(add(%a[8*i +: 8], 0xf8:8), int(i, 8))
  }
}
";
        assert_eq!(instance.to_string(), expected);
        assert_eq!(
            super::instantiate(&function, &[8]),
            Err(PassError::ParameterCount { expected: 3, given: 1 })
        );
        assert_eq!(super::instantiate(&function, &[i64::MAX, 2, 0]), Err(PassError::Overflow));
    }

    #[test]
    fn negative_numbers_extend_over_all_words() {
        let op = literal(Op::Int(Num::constant(-2)), &Num::constant(130));
        let Op::Const(bits) = op else { panic!("no literal: {op:?}") };
        assert_eq!(bits.words(), [u64::MAX - 1, u64::MAX, 3]);
    }
}
