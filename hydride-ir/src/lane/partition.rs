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

/// Statements for runs of equal-shaped elements, each the longest that one statement can write; what begins such a run is
/// taken to be one as well.
fn runs(
    dag: &Dag,
    skeletons: &mut Skeletons,
    elements: &Elements,
    arg_widths: &[u32],
) -> Option<Vec<Statement<i64>>> {
    let mut statements = Vec::new();
    let mut start = 0;
    while start < elements.values.len() {
        let mut alike = |end: usize| {
            let family = &elements.values[start..end];
            let terms = unify(dag, skeletons, family)?;
            let mut extents = factorizations(family.len() as u32, None).into_iter();
            extents.find(|extents| fit(&terms, *extents).is_some()).map(|extents| (terms, extents))
        };
        // All that is left is tried first, then the middle between the longest run and the shortest that is none.
        let (mut end, mut beyond, mut next) = (start, elements.values.len() + 1, elements.values.len());
        let mut found = None;
        while end + 1 < beyond {
            match alike(next) {
                None => beyond = next,
                longer => (end, found) = (next, longer),
            }
            next = end.midpoint(beyond);
        }
        let (terms, extents) = found?;
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

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use super::*;
    use crate::Random;

    /// The element at a place: an operator of what two arguments have there.
    fn element(dag: &mut Dag, operator: char, place: u32) -> NodeId {
        let [a, b] = [0, 1].map(|arg| dag.arg_slice(arg, 8 * place, 8, false));
        match operator {
            'n' => dag.min(a, b),
            'x' => dag.max(a, b),
            '&' => dag.and(a, b),
            '|' => dag.or(a, b),
            '^' => dag.xor(a, b),
            '-' => {
                let difference = dag.sub(a, b);
                dag.abs(difference)
            }
            '?' => {
                let equal = dag.eq(a, b);
                dag.slice(equal, 0, 8, false)
            }
            '<' => {
                let less = dag.lt(a, b);
                dag.slice(less, 0, 8, false)
            }
            _ => dag.mul(a, b),
        }
    }

    /// The statements for elements with these operators: for each of them the places that it writes in order. What it
    /// writes is right.
    fn places(operators: &str) -> Option<Vec<Vec<u32>>> {
        let mut dag = Dag::new(vec![512, 512]);
        let values: Vec<NodeId> = (0..)
            .zip(operators.chars())
            .map(|(place, operator)| element(&mut dag, operator, place))
            .collect();
        let elements = Elements { width: 8, end: 8 * values.len() as u32, values };
        let mut skeletons = Skeletons::default();
        let statements = statements(&dag, &mut skeletons, &elements, &[512, 512])?;
        let kinds: BTreeMap<char, std::mem::Discriminant<Kind<i64>>> = operators
            .chars()
            .map(|operator| {
                let node = element(&mut dag, operator, 63);
                (operator, std::mem::discriminant(&skeletons.view(&dag, node).kind))
            })
            .collect();
        let written = |Statement { extents, position, template }: &Statement<i64>| {
            let operator =
                template.terms.iter().rev().find(|term| !matches!(term.kind, Kind::Slice(_))).unwrap();
            let operator = std::mem::discriminant(&operator.kind.map(|_, hole| hole.base));
            let mut places = Vec::new();
            for step in 0..extents.iter().product::<i64>() {
                let index =
                    [step / extents[2] / extents[1], step / extents[2] % extents[1], step % extents[2]];
                let at = |hole: &Hole<i64>| {
                    hole.base
                        + index.iter().zip(&hole.strides).map(|(index, stride)| index * stride).sum::<i64>()
                };
                let place = at(&position.clone());
                assert_eq!(place % 8, 0);
                let own = operators.chars().nth(place as usize / 8).expect("a place of the result");
                assert_eq!(operator, kinds[&own], "{operators} at {place}");
                for term in &template.terms {
                    if let Kind::Leaf { slice, .. } = &term.kind {
                        assert_eq!((at(&slice.low), at(&slice.width)), (place, 8), "{operators}");
                    }
                }
                places.push(place as u32 / 8);
            }
            places
        };
        Some(statements.iter().map(written).collect())
    }

    #[test]
    fn elements_are_divided_among_as_few_statements_as_will_do() {
        for (operators, expected) in [
            ("nnnnnnnn", vec![vec![0, 1, 2, 3, 4, 5, 6, 7]]),
            ("nnnnnnn", vec![vec![0, 1, 2, 3, 4, 5, 6]]),
            ("nxnxnxnx", vec![vec![0, 2, 4, 6], vec![1, 3, 5, 7]]),
            ("nnxxnnxx", vec![vec![0, 1, 4, 5], vec![2, 3, 6, 7]]),
            ("nnnnxxxx", vec![vec![0, 1, 2, 3], vec![4, 5, 6, 7]]),
            ("nx&|nx&|", vec![vec![0, 4], vec![1, 5], vec![2, 6], vec![3, 7]]),
            ("nxx", vec![vec![0], vec![1, 2]]),
            ("nnnnx", vec![vec![0, 1, 2, 3], vec![4]]),
            ("nnnnnnx", vec![vec![0, 1, 2, 3, 4, 5], vec![6]]),
            ("nnnnnxxx", vec![vec![0, 1, 2, 3, 4], vec![5, 6, 7]]),
            ("n", vec![vec![0]]),
            ("nx&|^-?<", (0..8).map(|place| vec![place]).collect()),
        ] {
            assert_eq!(places(operators), Some(expected), "{operators}");
        }
        assert_eq!(places("nx&|^-?<*"), None, "nine statements");
        assert_eq!(places("nx&|^-?<*nx&|^-?<*"), None, "nine statements");
    }

    #[test]
    fn every_element_is_written_once() {
        let mut random = Random::new(3);
        for _ in 0..300 {
            let length = 1 + random.below(20);
            let operators: String = (0..length).map(|_| random.pick(&['n', 'x'])).collect();
            let Some(found) = places(&operators) else {
                assert!(operators.as_bytes().windows(2).filter(|pair| pair[0] != pair[1]).count() >= 4);
                continue;
            };
            assert!(found.len() <= 8, "{operators}: {found:?}");
            let mut all = found.concat();
            all.sort_unstable();
            assert_eq!(all, (0..length as u32).collect::<Vec<_>>(), "{operators}");
        }
    }

    /// Segments at positions, each with a width; all of one argument's bits, or zeros.
    fn segments(dag: &mut Dag, written: &[(u32, u32, bool)]) -> Vec<Segment> {
        let segment = |&(low, width, is_zero): &(u32, u32, bool)| {
            let value = if is_zero { dag.int(0) } else { dag.arg_slice(0, low, width, false) };
            Segment { low, width, value }
        };
        written.iter().map(segment).collect()
    }

    #[test]
    fn an_element_is_as_wide_as_the_pieces_allow() {
        for (written, expected) in [
            (&[(0, 32, false)][..], Some((32, 1, 32))),
            (&[(0, 16, false), (16, 16, false)], Some((16, 2, 32))),
            (&[(0, 16, false), (16, 8, false), (24, 8, false)], Some((8, 4, 32))),
            (&[(0, 16, false), (16, 24, false)], Some((8, 5, 40))),
            // Flags are single bits.
            (&[(0, 4, false), (4, 4, false)], Some((1, 8, 8))),
            (&[(0, 5, false), (5, 5, false)], Some((5, 2, 10))),
            // Zeros above are no elements.
            (&[(0, 16, false), (16, 16, true)], Some((16, 1, 32))),
            (&[(0, 16, false), (16, 16, true), (32, 16, false)], Some((16, 3, 48))),
            (&[(0, 16, true), (16, 16, true)], Some((16, 1, 32))),
            // A hole.
            (&[(0, 16, false), (32, 16, false)], None),
            (&[], None),
            (&[(0, 4096 * 8 - 4, false), (4096 * 8 - 4, 4, false)], None),
            (&[(0, 4095, false), (4095, 1, false)], Some((1, 4096, 4096))),
            (&[(0, 4096, false), (4096, 1, false)], None),
        ] {
            let mut dag = Dag::new(vec![40_000]);
            let segments = segments(&mut dag, written);
            let found = elements(&mut dag, &segments);
            let shape = found.as_ref().map(|found| (found.width, found.values.len(), found.end));
            assert_eq!(shape, expected, "{written:?}");
            for (place, value) in found.iter().flat_map(|found| (0..).zip(&found.values)) {
                let width = expected.unwrap().0;
                let low = place * width;
                let is_zero = |(from, size, is_zero)| is_zero && (from..from + size).contains(&low);
                let expected = match written.iter().any(|piece| is_zero(*piece)) {
                    true => dag.int(0),
                    false => dag.arg_slice(0, low, width, false),
                };
                assert_eq!(*value, expected, "{written:?}");
            }
        }
    }

    /// A concatenation is cut into its parts, and what is above them is zero.
    #[test]
    fn parts_side_by_side_are_pieces() {
        let mut dag = Dag::new(vec![64, 64]);
        let parts = [0, 1].map(|arg| Part { node: dag.arg_slice(arg, 0, 16, false), width: 16 });
        let value = dag.concat(&parts);
        let last = dag.arg_slice(0, 16, 16, false);
        let written = [Segment { low: 0, width: 48, value }, Segment { low: 48, width: 16, value: last }];
        let found = elements(&mut dag, &written).unwrap();
        assert_eq!((found.width, found.end), (16, 64));
        assert_eq!(found.values, [parts[0].node, parts[1].node, dag.int(0), last]);
    }

    /// `{~x[7], x[0 +: 7]}` is one piece, as is every value with its sign flipped; another bit is another piece.
    #[test]
    fn a_slice_and_the_bit_above_it_complemented_are_one_piece() {
        for (bit, low, is_joined) in [(7, 7, true), (6, 7, false), (8, 7, false)] {
            let mut dag = Dag::new(vec![64]);
            let (below, bit) = (dag.arg_slice(0, 0, 7, false), dag.arg_slice(0, bit, 1, false));
            let one = dag.int(1);
            let complement = dag.xor(bit, one);
            let written =
                [Segment { low: 0, width: 7, value: below }, Segment { low, width: 1, value: complement }];
            let found = elements(&mut dag, &written).unwrap();
            assert_eq!(found.width == 8, is_joined);
        }
    }

    #[test]
    fn blocks_are_the_smallest_of_one_shape() {
        let mut dag = Dag::new(vec![512, 512]);
        let block = |dag: &mut Dag, operators: &str| {
            let values: Vec<NodeId> =
                (0..).zip(operators.chars()).map(|(place, operator)| element(dag, operator, place)).collect();
            let elements = Elements { width: 8, end: 8 * values.len() as u32, values };
            let found = blocks(dag, &mut Skeletons::default(), &elements, &[512, 512])?;
            let width = found.template.element()?.width.base;
            Some((width, found.extents.iter().product::<i64>()))
        };
        assert_eq!(block(&mut dag, "nxnxnxnx"), Some((16, 4)));
        assert_eq!(block(&mut dag, "nx&nx&"), Some((24, 2)));
        assert_eq!(block(&mut dag, "nx&|"), Some((32, 1)));
    }
}
