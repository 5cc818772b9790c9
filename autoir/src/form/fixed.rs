//! Immediates that every instance fixes to the same number.
//!
//! ```text
//! family   fadd.{8}(%a[32*i +: 32], %b[32*i +: 32], select(%c[2 +: 1], 0x0:3, cast.u(%c[0 +: 2], 3)))    %c is 8
//! form     fadd.{8}(%a[32*i +: 32], %b[32*i +: 32], 0x0:3)                                               no %c
//! ```
//!
//! A register that is fixed stays an operand: comparisons with zero are comparisons.

use catalog::{Application, Source};
use hydride_ir::passes::dead_code;
use hydride_ir::visit::{Rewriter, rewrite};
use hydride_ir::{ArgId, Bits, Expr, ExprId, Function, Op};

/// For each argument of its family's function the number that a member fixes an immediate to.
pub(super) fn fixed_immediates(family: &Function, application: &Application) -> Vec<Option<i64>> {
    let args = family.args.iter().zip(&application.args);
    args.map(|(arg, source)| match source {
        Source::Constant(value) if arg.role.is_immediate() => Some(*value),
        _ => None,
    })
    .collect()
}

/// What is left of a list with one item for each argument of the family.
pub(super) fn open<'a, T>(
    items: impl IntoIterator<Item = T> + 'a,
    fixed: &'a [Option<i64>],
) -> impl Iterator<Item = T> + 'a {
    items.into_iter().zip(fixed).filter_map(|(item, fixed)| fixed.is_none().then_some(item))
}

/// The function without the arguments that are fixed.
pub(super) fn without_fixed(function: &Function, fixed: &[Option<i64>]) -> Function {
    if fixed.iter().all(Option::is_none) {
        return function.clone();
    }
    let is_open = |arg: usize| fixed[arg].is_none();
    let places: Vec<u32> =
        (0..fixed.len()).map(|arg| (0..arg).filter(|before| is_open(*before)).count() as u32).collect();
    let mut without = rewrite(function, |copy, expr| {
        if let Some((bits, width)) = literal(copy, expr, fixed) {
            return copy.push(Op::Const(Bits::from_u64(width, bits)), width);
        }
        match &expr.op {
            Op::Arg(ArgId(arg)) => copy.push(Op::Arg(ArgId(places[*arg as usize])), expr.width.clone()),
            Op::Select { condition, then, otherwise } => match known(copy, *condition) {
                Some(condition) => copy.id(if condition == 0 { *otherwise } else { *then }),
                None => copy.keep(expr),
            },
            _ => copy.keep(expr),
        }
    });
    without.args = open(std::mem::take(&mut without.args), fixed).collect();
    dead_code(&without)
}

/// A fixed argument, or a part of one, with its width.
fn literal(copy: &mut Rewriter, expr: &Expr, fixed: &[Option<i64>]) -> Option<(u64, u32)> {
    let width = u32::try_from(expr.width.as_constant()?).ok().filter(|width| *width <= 64)?;
    let bits = match &expr.op {
        Op::Arg(ArgId(arg)) => fixed[*arg as usize]?.cast_unsigned(),
        Op::Extract { of, low } => known(copy, *of)?.checked_shr(u32::try_from(low.as_constant()?).ok()?)?,
        Op::Cast { of, signed } if signed.as_constant() == Some(0) => known(copy, *of)?,
        _ => return None,
    };
    Some((bits, width))
}

/// What a literal became of an expression of the original.
fn known(copy: &mut Rewriter, original: ExprId) -> Option<u64> {
    let id = copy.id(original);
    match &copy.function().expr(id).op {
        Op::Const(bits) => bits.to_u64(),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_fixed_immediate_is_a_literal() {
        let sum = |args: &str, mode: &str| {
            let text = format!(
                "func @sum[n = 4]({args}) -> (%dst: 32*n) {{
                   for i in 0..n {{ %dst[32*i +: 32] = fadd.{{8}}(%a[32*i +: 32], %b[32*i +: 32], {mode}) }}
                 }}"
            );
            Function::parse(&text).unwrap()
        };
        let family =
            sum("%c: 8 imm 8..=11, %a: 32*n, %b: 32*n", "select(%c[2 +: 1], 0x0:3, cast.u(%c[0 +: 2], 3))");
        for (value, mode) in [(8, "0x0:3"), (11, "0x3:3"), (7, "0x0:3")] {
            let form = without_fixed(&family, &[Some(value), None, None]);
            assert_eq!(form.to_string(), sum("%a: 32*n, %b: 32*n", mode).to_string());
            form.verify().unwrap();
        }
        assert_eq!(without_fixed(&family, &[None; 3]), family);
    }

    #[test]
    fn only_immediates_are_fixed() {
        let family = "func @f(%a: 8, %n: 8 imm 0..=7) -> (%dst: 8) { %dst[0 +: 8] = shl(%a, %n) }";
        let family = Function::parse(family).unwrap();
        let application = Application {
            params: Vec::new(),
            args: vec![Source::Constant(0), Source::Constant(3)],
            masking: None,
            part: None,
        };
        assert_eq!(fixed_immediates(&family, &application), [None, Some(3)]);
    }
}
