//! Widths at which operands of non-truncating operators are computed.

use super::LOOPS;
use super::kind::{Coefficient, FoldOp, Kind};
use super::template::{Hole, Statement, Template};
use crate::exact::{Int, Node, NodeId, Part, Range, joint_natural, range_of};

/// Sets [`super::Term::working`] from the ranges that the terms have over all indices. `None` when a
/// value is unbounded where its width is needed.
pub(super) fn set_working_widths(statement: &mut Statement<i64>, arg_widths: &[u32]) -> Option<()> {
    let ranges = ranges(&statement.template, &statement.extents, arg_widths)?;
    let statement_terms = statement.template.clone();
    for term in &mut statement.template.terms {
        if !term.kind.has_working_width() {
            continue;
        }
        let groups: Vec<Vec<NodeId>> = match term.kind {
            Kind::Shl => vec![vec![NodeId(term.children[1] as u32)]],
            Kind::Float { .. } => vec![vec![NodeId(term.children[0] as u32)]],
            Kind::SliceAt(_) | Kind::Shr => {
                term.children.iter().map(|child| vec![NodeId(*child as u32)]).collect()
            }
            _ => vec![term.children.iter().map(|child| NodeId(*child as u32)).collect()],
        };
        for (position, operands) in groups.iter().enumerate() {
            let (width, signed) = if let Kind::SliceAt(slice) = &term.kind
                && position == 1
            {
                // The position holds the constant part as well.
                let counts = term_counts(&statement_terms, &statement.extents, &term.folds);
                ranges[operands[0].position()].add(&extremes(&slice.low, &counts)).natural()?
            } else {
                joint_natural(operands, &|id: NodeId| &ranges[id.position()])?
            };
            let width = width + u32::from(signed && matches!(term.kind, Kind::Div | Kind::Rem));
            if width > crate::MAX_WIDTH {
                return None;
            }
            term.working.push(i64::from(width));
            term.working_signed |= signed && position == 0;
        }
    }
    Some(())
}

/// Ranges of all terms over all indices.
pub(super) fn ranges(
    template: &Template<i64>,
    extents: &[i64; LOOPS],
    arg_widths: &[u32],
) -> Option<Vec<Range>> {
    let mut ranges: Vec<Range> = Vec::with_capacity(template.terms.len());
    for term in &template.terms {
        let counts = term_counts(template, extents, &term.folds);
        let child = |index: usize| NodeId(term.children[index] as u32);
        let children: Box<[NodeId]> = term.children.iter().map(|child| NodeId(*child as u32)).collect();
        let range = match &term.kind {
            Kind::Const(value) => extremes(value, &counts),
            Kind::Fold { op, count } => fold_range(*op, count.base, &ranges[term.children[0]]),
            Kind::AllOnes { width } => Range::of_width(bits(width)?, false),
            Kind::Leaf { slice, .. } | Kind::Slice(slice) | Kind::SliceAt(slice) => {
                Range::of_width(bits(&slice.width)?, slice.signed.base == 1)
            }
            Kind::Sum { coefficients, constant } => {
                let factor = |Coefficient { negative, magnitude }: &Coefficient<Hole<i64>>| {
                    let magnitude = Int::from(magnitude.as_ref().map_or(1, |magnitude| magnitude.base));
                    if *negative { -magnitude } else { magnitude }
                };
                let terms = coefficients.iter().zip(&*children).map(|(by, node)| (*node, factor(by)));
                let sum = Node::Sum { terms: terms.collect(), constant: Int::ZERO };
                let rest = constant
                    .as_ref()
                    .map_or_else(|| Range::point(Int::ZERO), |constant| extremes(constant, &counts));
                range_of(&sum, arg_widths, &|id| &ranges[id.position()]).add(&rest)
            }
            kind => {
                let node = match kind {
                    Kind::Literal(value) => Node::Const(value.clone()),
                    Kind::Arg(arg) => Node::Arg(*arg),
                    Kind::Concat { widths } => Node::Concat(
                        children
                            .iter()
                            .zip(widths)
                            .map(|(node, width)| Some(Part { node: *node, width: bits(width)? }))
                            .collect::<Option<_>>()?,
                    ),
                    Kind::Mul => Node::Mul(children),
                    Kind::Shl => Node::Shl(child(0), child(1)),
                    Kind::Shr => Node::Shr(child(0), child(1)),
                    Kind::And => Node::And(children),
                    Kind::Or => Node::Or(children),
                    Kind::Xor => Node::Xor(children),
                    Kind::Not => Node::Not(child(0)),
                    Kind::Eq => Node::Eq(child(0), child(1)),
                    Kind::Lt => Node::Lt(child(0), child(1)),
                    Kind::Le => Node::Le(child(0), child(1)),
                    Kind::Min => Node::Min(children),
                    Kind::Max => Node::Max(children),
                    Kind::Abs => Node::Abs(child(0)),
                    Kind::Saturate { width, signed } => {
                        Node::Saturate { of: child(0), width: bits(width)?, signed: signed.base == 1 }
                    }
                    Kind::Select => Node::Select(child(0), child(1), child(2)),
                    Kind::Div => Node::Div(child(0), child(1)),
                    Kind::Rem => Node::Rem(child(0), child(1)),
                    Kind::PopCount => Node::PopCount(child(0)),
                    Kind::LeadingZeros { width } => Node::LeadingZeros(child(0), bits(width)?),
                    Kind::TrailingZeros { width } => Node::TrailingZeros(child(0), bits(width)?),
                    Kind::Float { float, width, value } => Node::Float {
                        float: float.try_map(|number| bits(number).ok_or(())).ok()?,
                        width: bits(width)?,
                        value: bits(value)?,
                        operands: children,
                    },
                    Kind::Const(_)
                    | Kind::AllOnes { .. }
                    | Kind::Fold { .. }
                    | Kind::Leaf { .. }
                    | Kind::Slice(_)
                    | Kind::SliceAt(_)
                    | Kind::Sum { .. } => return None,
                };
                range_of(&node, arg_widths, &|id| &ranges[id.position()])
            }
        };
        ranges.push(range);
    }
    Some(ranges)
}

/// Iterations of the loops and of the folds around a term.
pub(super) fn term_counts(template: &Template<i64>, extents: &[i64; LOOPS], folds: &[usize]) -> Vec<i64> {
    let count = |fold: &usize| match &template.terms[*fold].kind {
        Kind::Fold { count, .. } => count.base,
        _ => 1,
    };
    extents.iter().copied().chain(folds.iter().map(count)).collect()
}

/// A width that is the same at all indices, in bits.
fn bits(width: &Hole<i64>) -> Option<u32> {
    u32::try_from(width.base).ok()
}

/// Least and greatest value of an affine number.
fn extremes(hole: &Hole<i64>, counts: &[i64]) -> Range {
    let (mut low, mut high) = (hole.base, hole.base);
    for (stride, count) in hole.strides.iter().zip(counts) {
        let reach = stride * (count - 1);
        low += reach.min(0);
        high += reach.max(0);
    }
    Range::new(low, high)
}

fn fold_range(op: FoldOp, count: i64, body: &Range) -> Range {
    match op {
        FoldOp::Add => body.scale(&Int::from(count)),
        FoldOp::Mul => (1..count).fold(body.clone(), |product, _| product.mul(body)),
        FoldOp::And | FoldOp::Or | FoldOp::Xor => match body.natural() {
            Some((width, signed)) => Range::of_width(width, signed),
            None => Range::unbounded(),
        },
        FoldOp::Min | FoldOp::Max => body.clone(),
    }
}
