//! The elements of a result, and how they are divided among statements.

use super::fit::{affine, factorizations, fit};
use super::kind::{Kind, Slice};
use super::skeleton::Skeletons;
use super::template::{Hole, Statement, Template, Term};
use super::unify::{RawTerm, unify};
use super::{LOOPS, working};
use crate::exact::{Dag, Int, Node, NodeId, Part, Segment};

/// Elements that a result may have.
const MAX_ELEMENTS: u32 = 4096;
/// Blocks of a result are multiples of this many bits.
const MIN_BLOCK: u32 = 8;
/// Elements of so few bits are copies of one flag (a predicate's bit for each byte of an element).
const MAX_FLAG_WIDTH: u32 = 4;
/// Statements that a result may need.
const MAX_STATEMENTS: u32 = 8;

/// A result cut into elements of one width.
#[derive(Clone, Debug)]
pub struct Elements {
    /// Width of each in bits.
    pub width: u32,
    /// Lowest first; they cover the result up to its last bit that can be 1.
    pub values: Vec<NodeId>,
    /// The end of what was written, zeros included, in bits.
    pub end: u32,
}

/// A slice of a result with one value.
#[derive(Clone, Copy, Debug)]
struct Piece {
    low: u32,
    width: u32,
    value: NodeId,
}

/// Cuts what was written into pieces at the boundaries of assignments and concatenations. A slice and the bit above it
/// negated are one piece.
fn pieces(dag: &mut Dag, segments: &[Segment]) -> Vec<Piece> {
    let mut pieces: Vec<Piece> = Vec::new();
    let zero = dag.int(0);
    for Segment { low, width, value } in segments.iter().copied() {
        let parts = match dag.node(value) {
            Node::Concat(parts) => parts.to_vec(),
            _ => vec![Part { node: value, width }],
        };
        let mut at = low;
        for Part { node, width } in parts {
            push(dag, &mut pieces, Piece { low: at, width, value: node });
            at += width;
        }
        if at < low + width {
            pieces.push(Piece { low: at, width: low + width - at, value: zero });
        }
    }
    pieces
}

/// Adds a piece; the complement of the bit above a slice, written above it, to that slice.
fn push(dag: &mut Dag, pieces: &mut Vec<Piece>, piece: Piece) {
    let slice = |id: NodeId| match *dag.node(id) {
        Node::Slice { of, low, width, signed: false } => Some((of, low, width)),
        _ => None,
    };
    if let Some(last) = pieces.last_mut()
        && let (Some((of, low, width)), Some(bit)) = (slice(last.value), dag.complemented(piece.value))
        && (width > 1 && width == last.width && last.low + width == piece.low && piece.width == 1)
        && slice(bit) == Some((of, low + width, 1))
    {
        last.value = dag.concat(&[last, &piece].map(|part| Part { node: part.value, width: part.width }));
        last.width += 1;
        return;
    }
    pieces.push(piece);
}

fn gcd(a: u32, b: u32) -> u32 {
    if b == 0 { a } else { gcd(b, a % b) }
}

/// The elements of a result: the greatest width at which no piece ends inside an element.
pub fn elements(dag: &mut Dag, segments: &[Segment]) -> Option<Elements> {
    let mut pieces = pieces(dag, segments);
    let written = pieces.last().map(|piece| piece.low + piece.width)?;
    while pieces.len() > 1 && pieces.last().is_some_and(|piece| dag.as_int(piece.value) == Some(&Int::ZERO)) {
        pieces.pop();
    }
    let end = pieces.last().map(|piece| piece.low + piece.width)?;
    let mut width = pieces.iter().fold(end, |width, piece| gcd(gcd(width, piece.low), piece.width));
    if width <= MAX_FLAG_WIDTH {
        width = 1;
    }
    if end / width > MAX_ELEMENTS {
        return None;
    }
    let mut values = Vec::with_capacity((end / width) as usize);
    for piece in &pieces {
        for low in (0..piece.width).step_by(width as usize) {
            values.push(dag.slice(piece.value, low, width, false));
        }
    }
    (values.len() as u32 == end / width).then_some(Elements { width, values, end: written })
}

/// The statements that write `elements`, as few as will do.
pub(super) fn statements(
    dag: &Dag,
    skeletons: &mut Skeletons,
    elements: &Elements,
    arg_widths: &[u32],
) -> Option<Vec<Statement<i64>>> {
    let count = elements.values.len() as u32;
    let mut in_runs = None;
    for statements in (1..=MAX_STATEMENTS.min(count)).filter(|statements| count.is_multiple_of(*statements)) {
        if statements > 2 {
            let found = in_runs.get_or_insert_with(|| runs(dag, skeletons, elements, arg_widths));
            if found.as_ref().is_some_and(|found| found.len() < statements as usize) {
                return in_runs.flatten();
            }
        }
        let per_statement = count / statements;
        // Alternating elements first, then runs of elements, the longest first.
        let mut inners: Vec<u32> =
            (1..=per_statement).filter(|inner| per_statement.is_multiple_of(*inner)).collect();
        if statements == 1 {
            inners = vec![0];
        } else {
            inners[1..].reverse();
        }
        for inner in inners {
            if let Some(found) = shared_out(dag, skeletons, elements, arg_widths, statements, inner) {
                return Some(found);
            }
        }
    }
    in_runs.unwrap_or_else(|| runs(dag, skeletons, elements, arg_widths))
}

/// One statement that writes `elements` in blocks of several, each block as one wide element: the smallest
/// blocks that have the same shape, at most the whole result.
pub(super) fn blocks(
    dag: &mut Dag,
    skeletons: &mut Skeletons,
    elements: &Elements,
    arg_widths: &[u32],
) -> Option<Statement<i64>> {
    let count = elements.values.len() as u32;
    let zero = dag.int(0);
    let is_block = |joined: &u32| *joined == count || (joined * elements.width).is_multiple_of(MIN_BLOCK);
    for joined in (2..=count).filter(is_block) {
        let width = joined * elements.width;
        // The last block may end in zeros.
        let all = count.next_multiple_of(joined);
        if all * elements.width > elements.end.max(count * elements.width) {
            continue;
        }
        let mut values = elements.values.clone();
        values.resize(all as usize, zero);
        let values = values
            .chunks(joined as usize)
            .map(|chunk| {
                let parts: Vec<Part> =
                    chunk.iter().map(|node| Part { node: *node, width: elements.width }).collect();
                dag.concat(&parts)
            })
            .collect();
        let blocks = Elements { width, values, end: elements.end };
        if let Some(mut found) = shared_out(dag, skeletons, &blocks, arg_widths, 1, 0) {
            return found.pop();
        }
    }
    None
}

/// `statements` alternating statements, each for `inner` consecutive elements (0: a single statement).
fn shared_out(
    dag: &Dag,
    skeletons: &mut Skeletons,
    elements: &Elements,
    arg_widths: &[u32],
    statements: u32,
    inner: u32,
) -> Option<Vec<Statement<i64>>> {
    let count = elements.values.len() as u32;
    let run = inner.max(1);
    let mut raw: Vec<(Vec<RawTerm>, Vec<i64>)> = Vec::new();
    for turn in 0..statements {
        let places: Vec<u32> = if statements == 1 {
            (0..count).collect()
        } else {
            (0..count).filter(|place| place / run % statements == turn).collect()
        };
        let family: Vec<NodeId> = places.iter().map(|place| elements.values[*place as usize]).collect();
        let terms = unify(dag, skeletons, &family)?;
        raw.push((terms, places.iter().map(|place| i64::from(place * elements.width)).collect()));
    }
    let inner = (statements > 1).then_some(run);
    for extents in factorizations(count / statements, inner) {
        let fitted: Option<Vec<_>> = raw
            .iter()
            .map(|(terms, positions)| statement(terms, positions, extents, elements.width, arg_widths))
            .collect();
        if fitted.is_some() {
            return fitted;
        }
    }
    None
}

/// Statements for maximal runs of equal-shaped elements.
fn runs(
    dag: &Dag,
    skeletons: &mut Skeletons,
    elements: &Elements,
    arg_widths: &[u32],
) -> Option<Vec<Statement<i64>>> {
    let mut statements = Vec::new();
    let mut start = 0;
    while start < elements.values.len() {
        let mut end = elements.values.len();
        let mut alike = |end: usize| {
            let family = &elements.values[start..end];
            let terms = unify(dag, skeletons, family)?;
            let mut extents = factorizations(family.len() as u32, None).into_iter();
            extents.find(|extents| fit(&terms, *extents).is_some()).map(|extents| (terms, extents))
        };
        // Halves until one fits, then adds back the half that was removed last as long as it fits.
        let (mut found, mut step) = loop {
            match alike(end) {
                Some(found) => break (found, (end - start) / 2),
                None if end == start + 1 => return None,
                None => end = start + (end - start) / 2,
            }
        };
        while step > 0 {
            if end + step < elements.values.len()
                && let Some(longer) = alike(end + step)
            {
                found = longer;
                end += step;
            }
            step /= 2;
        }
        let (terms, extents) = found;
        let positions: Vec<i64> =
            (start..end).map(|place| place as i64 * i64::from(elements.width)).collect();
        statements.push(statement(&terms, &positions, extents, elements.width, arg_widths)?);
        if statements.len() > MAX_STATEMENTS as usize {
            return None;
        }
        start = end;
    }
    Some(statements)
}

/// A statement that writes elements of `width` bits at `positions`.
pub(super) fn statement(
    terms: &[RawTerm],
    positions: &[i64],
    extents: [u32; LOOPS],
    width: u32,
    arg_widths: &[u32],
) -> Option<Statement<i64>> {
    let mut template = fit(terms, extents)?;
    let position = affine(positions, &extents)?;
    root_slice(&mut template, i64::from(width));
    let mut statement = Statement { extents: extents.map(i64::from), position, template };
    working::set_working_widths(&mut statement, arg_widths)?;
    Some(statement)
}

/// Gives every template a slice of the element's width at its root, so that "no slice" and "a slice at 0"
/// are one structure.
fn root_slice(template: &mut Template<i64>, width: i64) {
    shift_as_slice(template, width);
    if template.element().is_some_and(|slice| slice.width.base == width && slice.signed.base == 0) {
        return;
    }
    let root = template.terms.len() - 1;
    template.terms.push(element_slice(root, 0, width));
}

/// Bits of the term at the position `of`, outside of all folds.
fn element_slice(of: usize, low: i64, width: i64) -> Term<i64> {
    let [low, width, signed] = [low, width, 0].map(|number| Hole::fixed(number, LOOPS));
    Term {
        kind: Kind::Slice(Slice { low, width, signed }),
        children: vec![of],
        working: Vec::new(),
        working_signed: false,
        folds: Vec::new(),
    }
}

/// A constant shift at the root as a slice: the element's bits of the value from the shift's count on.
fn shift_as_slice(template: &mut Template<i64>, width: i64) {
    let root = template.terms.len() - 1;
    let [value, count] = template.terms[root].children[..] else { return };
    let Kind::Const(low) = &template.terms[count].kind else { return };
    let low = low.clone();
    let is_shift = matches!(template.terms[root].kind, Kind::Shr);
    let uses = template.terms.iter().flat_map(|term| &term.children).filter(|child| **child == count).count();
    if !is_shift || low.varies() || uses != 1 {
        return;
    }
    template.terms[root] = element_slice(value, low.base, width);
    // The count is no longer an operand.
    template.terms.remove(count);
    let moved = |position: &mut usize| *position -= usize::from(*position > count);
    for term in &mut template.terms {
        term.children.iter_mut().chain(&mut term.folds).for_each(moved);
    }
}
