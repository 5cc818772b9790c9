//! Widths at which operands of non-truncating operators are computed.

use super::LOOPS;
use super::template::{Hole, Kind, Statement, Template};
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
            Kind::SliceAt | Kind::Shr => {
                term.children.iter().map(|child| vec![NodeId(*child as u32)]).collect()
            }
            _ => vec![term.children.iter().map(|child| NodeId(*child as u32)).collect()],
        };
        for (position, operands) in groups.iter().enumerate() {
            let (width, signed) = if matches!(term.kind, Kind::SliceAt) && position == 1 {
                // The position holds the constant part as well.
                let counts = term_counts(&statement_terms, &statement.extents, &term.folds);
                ranges[operands[0].position()].add(&extremes(&term.numbers[0], &counts)).natural()?
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
        let width = |index: usize| u32::try_from(term.numbers[index].base).ok();
        let range = match &term.kind {
            Kind::Const => extremes(&term.numbers[0], &counts),
            Kind::Fold(op) => fold_range(*op, term.numbers[0].base, &ranges[term.children[0]]),
            Kind::AllOnes => Range::of_width(width(0)?, false),
            Kind::Leaf(_) | Kind::Slice => Range::of_width(width(1)?, term.numbers[2].base == 1),
            Kind::SliceAt => Range::of_width(width(1)?, term.numbers[2].base == 1),
            kind => {
                let node = match kind {
                    Kind::Literal(value) => Node::Const(value.clone()),
                    Kind::Arg(arg) => Node::Arg(*arg),
                    Kind::Concat => Node::Concat(
                        children
                            .iter()
                            .enumerate()
                            .map(|(index, node)| Some(Part { node: *node, width: width(index)? }))
                            .collect::<Option<_>>()?,
                    ),
                    Kind::Sum { coefficients, constant } => {
                        let mut numbers = term.numbers.iter();
                        let terms = coefficients
                            .iter()
                            .zip(&*children)
                            .map(|(coefficient, node)| {
                                let magnitude = if coefficient.unit { 1 } else { numbers.next()?.base };
                                let factor = Int::from(magnitude);
                                Some((*node, if coefficient.negative { -factor } else { factor }))
                            })
                            .collect::<Option<_>>()?;
                        let rest = if *constant {
                            extremes(numbers.next()?, &counts)
                        } else {
                            Range::point(Int::ZERO)
                        };
                        let sum = Node::Sum { terms, constant: Int::ZERO };
                        let range = range_of(&sum, arg_widths, &|id| &ranges[id.position()]);
                        ranges.push(range.add(&rest));
                        continue;
                    }
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
                    Kind::Saturate => {
                        Node::Saturate { of: child(0), width: width(0)?, signed: term.numbers[1].base == 1 }
                    }
                    Kind::Select => Node::Select(child(0), child(1), child(2)),
                    Kind::Div => Node::Div(child(0), child(1)),
                    Kind::Rem => Node::Rem(child(0), child(1)),
                    Kind::PopCount => Node::PopCount(child(0)),
                    Kind::LeadingZeros => Node::LeadingZeros(child(0), width(0)?),
                    Kind::TrailingZeros => Node::TrailingZeros(child(0), width(0)?),
                    Kind::Const
                    | Kind::AllOnes
                    | Kind::Fold(_)
                    | Kind::Leaf(_)
                    | Kind::Slice
                    | Kind::SliceAt => return None,
                };
                range_of(&node, arg_widths, &|id| &ranges[id.position()])
            }
        };
        ranges.push(range);
    }
    Some(ranges)
}

/// Iterations of the loops and of the folds around a term.
fn term_counts(template: &Template<i64>, extents: &[i64; LOOPS], folds: &[usize]) -> Vec<i64> {
    let counts = folds.iter().map(|fold| template.terms[*fold].numbers[0].base);
    extents.iter().copied().chain(counts).collect()
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

fn fold_range(op: super::FoldOp, count: i64, body: &Range) -> Range {
    match op {
        super::FoldOp::Add => body.scale(&Int::from(count)),
        super::FoldOp::Mul => (1..count).fold(body.clone(), |product, _| product.mul(body)),
        super::FoldOp::And | super::FoldOp::Or | super::FoldOp::Xor => match body.natural() {
            Some((width, signed)) => Range::of_width(width, signed),
            None => Range::unbounded(),
        },
        super::FoldOp::Min | super::FoldOp::Max => body.clone(),
    }
}
