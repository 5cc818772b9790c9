//! A family's function over the parameters of a form, with operands as wide as their types.

use hydride_ir::passes::{specialize, without_trivial};
use hydride_ir::visit::{Rewriter, rewrite};
use hydride_ir::{Atom, Expr, ExprId, Function, Num, Op, Param, ParamId, Stmt};

/// A form's function in the making: the family's, with numbers in place of its parameters.
#[derive(Debug)]
pub(crate) struct Specialization<'a> {
    /// The family's function.
    pub(crate) family: &'a Function,
    /// The form's parameters.
    pub(crate) params: Vec<Param>,
    /// Each of the family's parameters over those of the form.
    pub(crate) numbers: Vec<Num>,
    /// The width of each argument, at least what the family reads of it.
    pub(crate) args: Vec<Num>,
    /// The width of each result, at least what the family writes; bits beyond that are zero.
    pub(crate) results: Vec<Num>,
}

impl Specialization<'_> {
    /// The function. It equals the family's at the numbers' values, on the low bits of wider arguments.
    pub(crate) fn function(self) -> Function {
        let narrow = specialize(self.family, self.params, &self.numbers);
        let mut raw: Vec<Option<ExprId>> = vec![None; narrow.args.len()];
        let mut function = rewrite(&narrow, |copy, expr| match &expr.op {
            Op::Arg(arg) if !narrow.arg(*arg).role.is_immediate() => {
                let declared = &self.args[arg.0 as usize];
                let whole = copy.push(expr.op.clone(), declared.clone());
                raw[arg.0 as usize] = Some(whole);
                if *declared == expr.width { whole } else { low_bits(copy, whole, expr) }
            }
            Op::Extract { of, low } => match &narrow.expr(*of).op {
                Op::Arg(arg) if let Some(whole) = raw[arg.0 as usize] => {
                    copy.push(Op::Extract { of: whole, low: low.clone() }, expr.width.clone())
                }
                _ => copy.keep(expr),
            },
            _ => copy.keep(expr),
        });
        for (arg, width) in function.args.iter_mut().zip(self.args) {
            if !arg.role.is_immediate() {
                arg.width = width;
            }
        }
        for (position, width) in self.results.into_iter().enumerate() {
            let written = std::mem::replace(&mut function.results[position].width, width.clone());
            if written != width {
                let value = function.push(Op::Int(Num::constant(0)), width - written.clone());
                let result = hydride_ir::ResultId(position as u32);
                function.body.push(Stmt::Assign { result, low: written, value });
            }
        }
        without_trivial(&function)
    }
}

/// The bits of an argument that the family reads.
fn low_bits(copy: &mut Rewriter, whole: ExprId, narrow: &Expr) -> ExprId {
    copy.push(Op::Extract { of: whole, low: Num::constant(0) }, narrow.width.clone())
}

/// Drops parameters that no number of the function depends on; returns which were kept.
pub(crate) fn drop_unused(function: &Function) -> (Function, Vec<bool>) {
    let mut used = vec![false; function.params.len()];
    for num in numbers(function) {
        for atom in num.atoms() {
            if let Atom::Param(param) = atom {
                used[param.0 as usize] = true;
            }
        }
    }
    let mut next = 0;
    let renumbered: Vec<Num> = used
        .iter()
        .map(|used| {
            let own = Num::param(ParamId(next));
            next += u32::from(*used);
            own
        })
        .collect();
    let kept = function.params.iter().zip(&used).filter(|(_, used)| **used);
    let params = kept.map(|(param, _)| param.clone()).collect();
    (specialize(function, params, &renumbered), used)
}

/// Every number that the function's meaning depends on.
fn numbers(function: &Function) -> impl Iterator<Item = &Num> {
    let live = function.live();
    let expressions = live.into_iter().flat_map(|id| {
        let expr = function.expr(id);
        expr.op.nums().into_iter().chain([&expr.width])
    });
    let widths = function.args.iter().map(|arg| &arg.width);
    let widths = widths.chain(function.results.iter().map(|result| &result.width));
    let loops = function.loops().map(|around| around.count);
    expressions.chain(widths).chain(loops).chain(function.assignments().map(|written| written.low))
}
