//! Entries that have a formula of their arguments' elements in place of an instruction: `RESULT[I]` with the operands
//! `= a[i] + (b[i] * c[i]) for i = 0 to 3`. Compilers choose the instructions.

use super::asl::ast::{Binary, Expr, ExprKind, Slice, Stmt};
use super::json::Entry;

/// What stands in place of an instruction.
const TARGET: &str = "RESULT[I]";

/// The variable that the statements write.
pub const RESULT: &str = "result";

/// Whether an entry has a formula.
pub fn is_formula(entry: &Entry) -> bool {
    matches!(&entry.base[..], [only] if only.trim() == TARGET)
}

/// The statements of a formula on floating-point numbers of `width` bits, each operator rounding by itself. They read
/// the arguments by name and write [`RESULT`].
pub fn body(entry: &Entry, width: u32) -> Result<Vec<Stmt>, String> {
    let unknown = || format!("`{}` is not a formula", entry.operands);
    let text = entry.operands.trim().strip_prefix('=').ok_or_else(unknown)?;
    let (formula, range) = text.rsplit_once(" for ").ok_or_else(unknown)?;
    let (index, range) = range.split_once('=').ok_or_else(unknown)?;
    let number = |text: &str| text.trim().parse::<u32>().map_err(|_| unknown());
    let (first, last) = match range.split_once(" to ") {
        Some((first, last)) => (number(first)?, number(last)?),
        None => (number(range)?, number(range)?),
    };
    let index = index.trim();
    let formula = super::asl::expression(formula, 0..formula.len())
        .map_err(|error| format!("{}: {error:?}", unknown()))?;
    let value = expression(&formula, width).ok_or_else(unknown)?;
    let text = format!("for {index} = {first} to {last}\n    Elem[{RESULT}, {index}, {width}] = {value};\n");
    super::asl::body(&text, 0..text.len()).map_err(|error| format!("{}: {error:?}", unknown()))
}

/// A formula with the functions on floating-point numbers in place of operators.
fn expression(formula: &Expr, width: u32) -> Option<String> {
    Some(match &formula.kind {
        ExprKind::Name(name) => name.to_string(),
        ExprKind::Bracket(base, slices) => match (&base.kind, &slices[..]) {
            (ExprKind::Name(name), [Slice::Single(Expr { kind: ExprKind::Name(index), .. })]) => {
                format!("Elem[{name}, {index}, {width}]")
            }
            _ => return None,
        },
        ExprKind::Binary(op, left, right) => {
            let function = match op {
                Binary::Add => "FPAdd",
                Binary::Subtract => "FPSub",
                Binary::Multiply => "FPMul",
                _ => return None,
            };
            format!("{function}({}, {}, FPCR)", expression(left, width)?, expression(right, width)?)
        }
        _ => return None,
    })
}
