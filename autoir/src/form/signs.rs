//! Names of signs: after the operand that each is the sign of.

use std::collections::BTreeSet;

use hydride_ir::{Atom, Expr, Function, Num, Op, ParamId};

use crate::facts::{ParamKind, param_kinds};

/// What a sign is about.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Use {
    /// The values that are read of an argument.
    Argument(String),
    /// What is computed from them.
    Computed,
}

/// Names the function's signs. One that is about the values of one of several arguments is `ARGUMENT_signed`, one of
/// several signs that is about the computed value only is `result_signed`; others are `is_signed`.
pub(super) fn name(function: &mut Function) {
    let kinds = param_kinds(function);
    let signs: Vec<ParamId> = (0..kinds.len() as u32)
        .map(ParamId)
        .filter(|param| kinds[param.0 as usize] == ParamKind::Signedness)
        .collect();
    let mut taken: BTreeSet<String> = function
        .params
        .iter()
        .enumerate()
        .filter(|(position, _)| !signs.contains(&ParamId(*position as u32)))
        .map(|(_, param)| param.name.clone())
        .collect();
    let names: Vec<String> = signs
        .iter()
        .map(|sign| match &uses(function, *sign).into_iter().collect::<Vec<_>>()[..] {
            [Use::Argument(arg)] if function.args.len() > 1 => format!("{arg}_signed"),
            [Use::Computed] if signs.len() > 1 => "result_signed".to_owned(),
            _ => "is_signed".to_owned(),
        })
        .collect();
    for (sign, name) in signs.into_iter().zip(names) {
        let numbered = (2..).map(|number| format!("{name}_{number}"));
        let free = std::iter::once(name.clone()).chain(numbered).find(|name| !taken.contains(name));
        let free = free.expect("numbers do not end");
        taken.insert(free.clone());
        function.params[sign.0 as usize].name = free;
    }
}

fn uses(function: &Function, sign: ParamId) -> BTreeSet<Use> {
    let has = |num: &Num| num.atoms().any(|atom| atom == Atom::Param(sign));
    let uses = |expr: &Expr| match &expr.op {
        Op::Cast { of, signed } if has(signed) => Some(match slice_of(function, function.expr(*of)) {
            Some(arg) => Use::Argument(arg.to_owned()),
            None => Use::Computed,
        }),
        op => op.nums().into_iter().any(has).then_some(Use::Computed),
    };
    function.live().into_iter().filter_map(|id| uses(function.expr(id))).collect()
}

/// The argument that an expression is, or is a slice of.
fn slice_of<'a>(function: &'a Function, expr: &Expr) -> Option<&'a str> {
    match expr.op {
        Op::Arg(arg) => Some(&function.arg(arg).name),
        Op::Extract { of, .. } => slice_of(function, function.expr(of)),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn named(value: &str) -> Vec<String> {
        let text = format!(
            "func @f[w = 8, p = 0, q = 0, r = 0](%a: w, %b: w, %acc: w) -> (%d: w) {{ %d[0 +: w] = {value} }}"
        );
        let mut function = Function::parse(&text).unwrap();
        name(&mut function);
        function.params.into_iter().skip(1).map(|param| param.name).collect()
    }

    #[test]
    fn signs_are_those_of_operands() {
        let product = "mul(cast.{q}(%a, 2*w), cast.{r}(%b, 2*w))";
        let sum = format!("add(cast.{{p}}(%acc, 2*w), {product})");
        assert_eq!(named(&format!("saturate.s.{{p}}({sum}, w)")), ["is_signed", "a_signed", "b_signed"]);
        let split = format!("saturate.s.{{p}}({product}, w)");
        assert_eq!(named(&split), ["result_signed", "a_signed", "b_signed"]);
    }

    #[test]
    fn the_sign_of_all_there_is_needs_no_operand() {
        for (args, value, expected) in [
            ("%a: w", "cast.{s}(%a, 2*w)", "is_signed"),
            ("%a: w, %b: w", "shr.{s}(cast.u(%a, 2*w), %b)", "is_signed"),
            ("%a: w, %b: w", "mul(cast.{s}(%a, 2*w), cast.{s}(%b, 2*w))", "is_signed"),
            ("%a: w, %b: w", "mul(cast.u(%a, 2*w), cast.{s}(%b, 2*w))", "b_signed"),
        ] {
            let text = format!("func @f[w = 8, s = 0]({args}) -> (%d: 2*w) {{ %d[0 +: 2*w] = {value} }}");
            let mut function = Function::parse(&text).unwrap();
            name(&mut function);
            assert_eq!(function.params[1].name, expected, "{value}");
        }
    }
}
