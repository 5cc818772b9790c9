//! Putting one function's expressions into another: how a sequence becomes one function.

use std::collections::BTreeMap;

use hydride_ir::{ArgId, Atom, ExprId, Function, IndexId, Num, Op, ResultId, Stmt};

/// A function of one result with a longer argument, of which it reads the low bits: a load from what is in memory.
/// `None` as for [`inline`].
pub fn with_longer_argument(function: &Function, position: usize, width: u32) -> Option<Function> {
    let mut made = Function::new(function.name.clone());
    made.args = function.args.clone();
    made.args.get_mut(position)?.width = width.into();
    made.results = vec![function.results.first()?.clone()];
    let mut args = Vec::new();
    for (at, arg) in function.args.iter().enumerate() {
        let whole = made.push(Op::Arg(ArgId(at as u32)), made.args[at].width.clone());
        args.push(match at == position {
            true => made.push(Op::Extract { of: whole, low: Num::constant(0) }, arg.width.clone()),
            false => whole,
        });
    }
    let value = inline(&mut made, function, &args)?;
    made.body.push(Stmt::Assign { result: ResultId(0), low: Num::constant(0), value });
    Some(made)
}

/// Appends `callee` to `function` with its arguments bound to expressions, and gives its first result as
/// one expression. `None` when the callee has loops of statements, parameters, or leaves bits unwritten.
pub(crate) fn inline(function: &mut Function, callee: &Function, args: &[ExprId]) -> Option<ExprId> {
    if !callee.params.is_empty() || args.len() != callee.args.len() {
        return None;
    }
    // Folds of several callees must not share an index: one may be nested in the other.
    let folds = function.exprs().iter().filter_map(|expr| match &expr.op {
        Op::Fold { index, .. } => Some(index.0 + 1),
        _ => None,
    });
    let base = folds.max().unwrap_or(0);
    let rename = |num: &Num| {
        num.substitute(|atom| match atom {
            Atom::Index(IndexId(index)) => Num::index(IndexId(base + index)),
            Atom::Param(param) => Num::param(param),
        })
    };
    let mut map: Vec<ExprId> = Vec::with_capacity(callee.exprs().len());
    for expr in callee.exprs() {
        let id = match &expr.op {
            Op::Arg(ArgId(arg)) => *args.get(*arg as usize)?,
            op => {
                let op = op.map_operands(|operand| map[operand.0 as usize]);
                let op: Result<Op, std::convert::Infallible> = op.try_map_nums(|num| Ok(rename(num)));
                let Ok(mut op) = op;
                if let Op::Fold { index, .. } = &mut op {
                    *index = IndexId(base + index.0);
                }
                function.push(op, rename(&expr.width))
            }
        };
        map.push(id);
    }
    let mut pieces: BTreeMap<u32, (u32, ExprId)> = BTreeMap::new();
    for stmt in &callee.body {
        let Stmt::Assign { result, low, value } = stmt else { return None };
        if result.0 != 0 {
            continue;
        }
        let low = u32::try_from(low.as_constant()?).ok()?;
        let width = u32::try_from(callee.expr(*value).width.as_constant()?).ok()?;
        pieces.insert(low, (width, map[value.0 as usize]));
    }
    let whole = u32::try_from(callee.results.first()?.width.as_constant()?).ok()?;
    let mut end = 0;
    let mut parts = Vec::new();
    for (low, (width, value)) in pieces {
        if low != end {
            return None;
        }
        end += width;
        parts.push(value);
    }
    if end != whole {
        return None;
    }
    parts.reverse();
    Some(match parts[..] {
        [single] => single,
        _ => function.push(Op::Concat(parts), whole),
    })
}
