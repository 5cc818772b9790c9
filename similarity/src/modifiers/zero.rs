//! An argument that the instruction fixes to zero.
//!
//! ```text
//! instruction   dst[i] = a[i] < 0
//! operation     dst[i] = a[i] < b[i]
//! argument b    0
//! ```
//!
//! The instruction does not show where the zero was, so that the search goes the other way: operations are taken with
//! each of their arguments zero ([`operation_at_zero`]), and an instruction that is one of these joins the operation.

use std::collections::BTreeMap;

use catalog::Source;
use hydride_ir::exact::{Dag, NodeId, Raised, raise};
use hydride_ir::lane::{Kind, Template, Term};
use hydride_ir::passes::open_nans;
use hydride_ir::{ExprId, Function, Op};

use super::moves_only;
use crate::shape::{Shape, form_shape, lane_form};

/// The reading of an instruction of the shape `instruction` as the operation of `general`, which has the shape
/// `operation`, with argument `arg` zero.
pub(crate) fn recognize(
    instruction: &Shape,
    general: &Function,
    operation: &Shape,
    arg: u32,
) -> Option<Shape> {
    let specialized = operation_at_zero(general, arg)?;
    let args = operation
        .args
        .iter()
        .map(|source| match source {
            Source::Own(known) if *known == arg => Some(Source::Constant(0)),
            source => {
                let place = specialized.args.iter().position(|found| found == source)?;
                instruction.args.get(place).copied()
            }
        })
        .collect::<Option<Vec<_>>>()?;
    Some(Shape { args, masking: instruction.masking, part: instruction.part, ..operation.clone() })
}

/// The operation of `function` with an argument fixed to zero.
pub(crate) fn operation_at_zero(function: &Function, arg: u32) -> Option<Shape> {
    if function.args[arg as usize].role.is_immediate() {
        return None;
    }
    let function = &*open_nans(function);
    let (mut dag, raised) = raise(function).ok()?;
    let zero = dag.int(0);
    let results = raised.results.iter().map(|segments| dag.with_argument(segments, arg, zero)).collect();
    let raised = Raised { results };
    let canonical = lane_form(&mut dag, &raised, function)?;
    let own: Vec<Source> = (0..function.args.len() as u32).map(Source::Own).collect();
    let shape = form_shape(canonical, function, &own, None);
    (!moves_only(&shape)).then_some(shape)
}

/// The registers that an operation only compares or chooses: the arguments that can be zero in another instruction.
pub(crate) fn chosen_arguments(shape: &Shape) -> Vec<u32> {
    let Some(form) = &*shape.form else { return Vec::new() };
    if moves_only(shape) {
        return Vec::new();
    }
    let mut read: BTreeMap<u32, bool> = BTreeMap::new();
    for statement in form.results.iter().flat_map(|result| &result.statements) {
        let chosen = chosen_terms(&statement.template);
        for (term, chosen) in statement.template.terms.iter().zip(chosen) {
            if let Kind::Leaf { arg, .. } | Kind::Arg(arg) = term.kind {
                *read.entry(arg).or_insert(true) &= chosen || is_flag(term, &statement.template);
            }
        }
    }
    let chosen = read.into_iter().filter(|(_, chosen)| *chosen);
    chosen.filter_map(|(arg, _)| shape.args[arg as usize].own()).collect()
}

/// Whether a term reads one bit next to wider elements: a carry, which selects the operation and is not data.
fn is_flag(term: &Term<i64>, template: &Template<i64>) -> bool {
    let width = |term: &Term<i64>| match &term.kind {
        Kind::Leaf { slice, .. } => slice.width.base,
        _ => 0,
    };
    width(term) == 1 && template.terms.iter().any(|other| width(other) > 1)
}

/// For each term whether its value is compared, chosen or passed on, wherever it is used.
fn chosen_terms(template: &Template<i64>) -> Vec<bool> {
    let mut chosen = vec![true; template.terms.len()];
    for (user, term) in template.terms.iter().enumerate().rev() {
        for (operand, child) in term.children.iter().enumerate() {
            chosen[*child] &= match &term.kind {
                Kind::Eq | Kind::Lt | Kind::Le => true,
                Kind::Float { float, .. } => float.op.compares(),
                Kind::Select => operand > 0 && chosen[user],
                Kind::Slice(_) | Kind::Concat { .. } => chosen[user],
                _ => false,
            };
        }
    }
    chosen
}

/// A fixed argument of `width` bits.
pub(crate) fn apply(value: i64, dag: &mut Dag, width: u32) -> NodeId {
    let value = dag.int(value);
    dag.slice(value, 0, width, false)
}

/// A fixed argument of `width` bits, in the IR.
pub(crate) fn write(value: i64, applied: &mut Function, width: i64) -> ExprId {
    let bits = catalog::constant(value, u32::try_from(width).unwrap_or(0));
    applied.push(Op::Const(bits), width)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::analyze;
    use crate::modifiers::tests::{check, parsed};

    #[test]
    fn a_comparison_with_zero_is_a_comparison() {
        let compare = "func @less(%a: 32, %b: 32) -> (%dst: 32) {
          for i in 0..4 { %dst[8*i +: 8] = cast.s(lt.s(%a[8*i +: 8], %b[8*i +: 8]), 8) }
        }";
        let negative = "func @negative(%x: 32) -> (%dst: 32) {
          for i in 0..4 { %dst[8*i +: 8] = cast.s(lt.s(0x0:8, %x[8*i +: 8]), 8) }
        }";
        let general = parsed(compare);
        let operation = analyze(&general).expect("it is legal").shape;
        assert_eq!(chosen_arguments(&operation), [0, 1]);
        let instruction = analyze(&parsed(negative)).expect("it is legal").shape;
        let shape = recognize(&instruction, &general, &operation, 0).expect("a reading");
        assert_eq!(check(&[shape], negative, compare).args, [Source::Constant(0), Source::Own(0)]);
    }

    #[test]
    fn constants_fill_the_argument() {
        let mut dag = Dag::new(Vec::new());
        let node = apply(-1, &mut dag, 6);
        assert_eq!(dag.as_i64(node), Some(0x3f));
    }
}
