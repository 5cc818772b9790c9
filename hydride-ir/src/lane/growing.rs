//! Growing elements: each reads one more step of an argument, or one more flag, than the previous one.
//!
//! ```text
//! dst[0] = q[0]                                    dst[i] = popcount(q[0 +: 8] & (0xff >> 7 - i))
//! dst[1] = popcount(q[0 +: 2])
//! …
//! dst[7] = popcount(q[0 +: 8])
//!
//! dst[1] = {0…, a[0] == a[1]}                      dst[i] = {0…, (a[j] == a[i]) & (j < i) for each j}
//! dst[2] = {0…, a[1] == a[2], a[0] == a[2]}
//! ```
//!
//! Elements that a mask packs or spreads are in [`super::ranked`].
//!
//! The first elements have lost their structure to simplification, so it is taken from the last ones; the form is
//! accepted only if it reproduces all elements, which is its proof. No law of `exact/laws` can do this: a law looks at
//! one node that is being made, and here no single element shows what all of them are.

use super::emit;
use super::fit::factorizations;
use super::kind::{Field, Kind, Slice};
use super::partition::{Elements, statement};
use super::ranked::Ranked;
use super::skeleton::Skeletons;
use super::template::{Form, ResultForm};
use super::unify::{RawTerm, unify};
use crate::exact::{Dag, Int, NodeId, Part, raise_with};
use crate::function::{Arg, Function, ResultSlot, Role};
use crate::num::Num;

/// Minimum number of elements from which growth can be recognized.
const MIN_ELEMENTS: usize = 4;

/// The form of a result whose elements grow.
pub(super) fn growing(
    dag: &mut Dag,
    skeletons: &mut Skeletons,
    elements: &Elements,
    arg_widths: &[u32],
) -> Option<ResultForm<i64>> {
    let ranked = Ranked::of_elements(dag, elements).and_then(|ranked| ranked.result(arg_widths));
    if let Some(form) = ranked.filter(|form| yields(dag, form, elements)) {
        return Some(form);
    }
    let form = prefixes(dag, skeletons, elements, arg_widths)
        .or_else(|| triangle(dag, skeletons, elements, arg_widths))?;
    yields(dag, &form, elements).then_some(form)
}

/// Elements that read prefixes of an argument.
fn prefixes(
    dag: &Dag,
    skeletons: &mut Skeletons,
    elements: &Elements,
    arg_widths: &[u32],
) -> Option<ResultForm<i64>> {
    let count = elements.values.len();
    if count < MIN_ELEMENTS {
        return None;
    }
    let last = unify(dag, skeletons, &elements.values[count - 2..])?;
    let mut terms: Vec<RawTerm> = Vec::with_capacity(last.len());
    let mut moved: Vec<usize> = Vec::with_capacity(last.len());
    let mut grows = false;
    for mut term in last {
        if !term.folds.is_empty() || matches!(term.kind, Kind::Fold { .. }) {
            return None;
        }
        for child in &mut term.children {
            *child = moved[*child];
        }
        let continued = term.kind.try_map(|_, numbers| {
            let [before, after] = numbers[..] else { return Err(()) };
            let step = after.checked_sub(before).ok_or(())?;
            Ok((0..count as i64).map(|place| after + step * (place + 1 - count as i64)).collect::<Vec<_>>())
        });
        term.kind = continued.ok()?;
        if let Kind::Leaf { arg, slice } = &term.kind
            && slice.width[0] != slice.width[1]
        {
            prefix(&mut terms, *arg, slice, i64::from(arg_widths[*arg as usize]))?;
            grows = true;
        } else {
            terms.push(term);
        }
        moved.push(terms.len() - 1);
    }
    if !grows {
        return None;
    }
    let positions: Vec<i64> = (0..count).map(|place| place as i64 * i64::from(elements.width)).collect();
    let extents = *factorizations(count as u32, None).first()?;
    let statement = statement(&terms, &positions, extents, elements.width, arg_widths)?;
    Some(ResultForm { width: count as i64 * i64::from(elements.width), statements: vec![statement] })
}

/// A slice that grows from a fixed position, as the low bits of a whole one.
fn prefix(terms: &mut Vec<RawTerm>, arg: u32, slice: &Slice<Vec<i64>>, arg_width: i64) -> Option<()> {
    let Slice { low, width, signed } = slice;
    let count = width.len();
    let step = width[1] - width[0];
    if step < 0 || width[0] < 0 || low[0] != low[1] || signed[0] != 0 {
        return None;
    }
    // One step more than the last element reads, where there is as much.
    let mut whole = width[count - 1] + step;
    if low[0] + whole > arg_width {
        whole -= step;
    }
    let first = terms.len();
    let mut push = |kind, children| terms.push(RawTerm { kind, children, folds: Vec::new() });
    push(Kind::Leaf { arg, slice: Slice { width: vec![whole; count], ..slice.clone() } }, vec![]);
    push(Kind::AllOnes { width: vec![whole; count] }, vec![]);
    push(Kind::Const(width.iter().map(|width| whole - width).collect()), vec![]);
    push(Kind::Shr, vec![first + 1, first + 2]);
    push(Kind::And, vec![first, first + 3]);
    Some(())
}

/// Rows of flags, one more in each, with zeros above.
fn triangle(
    dag: &Dag,
    skeletons: &mut Skeletons,
    elements: &Elements,
    arg_widths: &[u32],
) -> Option<ResultForm<i64>> {
    let zero = |node: &NodeId| dag.as_int(*node) == Some(&Int::ZERO);
    let row = elements.values.iter().position(|node| !zero(node))?;
    if elements.width != 1 || row == 0 || !(elements.end as usize).is_multiple_of(row) {
        return None;
    }
    let rows = elements.end as usize / row;
    if !(2..row).contains(&rows) || elements.values.len() != (rows - 1) * (row + 1) {
        return None;
    }
    let mut flags = Vec::new();
    for (place, node) in elements.values.iter().enumerate() {
        let is_flag = place % row < place / row;
        if zero(node) == is_flag {
            return None;
        }
        flags.extend(is_flag.then_some(*node));
    }
    let mut terms = unify(dag, skeletons, &flags)?;
    let all = (0..rows as i64).flat_map(|row| (0..rows as i64).map(move |column| (row, column)));
    let all: Vec<(i64, i64)> = all.collect();
    for term in &mut terms {
        if !term.folds.is_empty() || matches!(term.kind, Kind::Fold { .. }) {
            return None;
        }
        let is_leaf = matches!(term.kind, Kind::Leaf { .. });
        let spread = term.kind.try_map(|field, numbers| {
            let is_position = is_leaf && field == Field::Position;
            let (base, by_row, by_column) = match numbers[..] {
                // Of two rows there is one flag: what it reads at 0 moves with the column, in steps of a row.
                [low] if is_position && low == row as i64 => (0, low, 0),
                [0] if is_position => (0, 0, row as i64),
                [only] => (only, 0, 0),
                // Row 1, then both of row 2.
                _ => {
                    let by_row = numbers[1].checked_sub(numbers[0]).ok_or(())?;
                    (numbers[0] - by_row, by_row, numbers[2].checked_sub(numbers[1]).ok_or(())?)
                }
            };
            let each = all.iter().map(|(row, column)| base + by_row * row + by_column * column);
            Ok::<Vec<i64>, ()>(each.collect())
        });
        term.kind = spread.ok()?;
    }
    let flag = terms.len() - 1;
    let mut push = |kind, children| terms.push(RawTerm { kind, children, folds: Vec::new() });
    push(Kind::Const(all.iter().map(|(_, column)| *column).collect()), vec![]);
    push(Kind::Const(all.iter().map(|(row, _)| *row).collect()), vec![]);
    push(Kind::Lt, vec![flag + 1, flag + 2]);
    push(Kind::And, vec![flag, flag + 3]);
    let width = row as i64;
    let positions: Vec<i64> = all.iter().map(|(row, column)| row * width + column).collect();
    let flags = statement(&terms, &positions, [1, rows as u32, rows as u32], 1, arg_widths)?;
    let zeros = RawTerm { kind: Kind::Const(vec![0; rows]), children: vec![], folds: vec![] };
    let above: Vec<i64> = (0..rows as i64).map(|row| row * width + rows as i64).collect();
    let zeros = statement(&[zeros], &above, [1, 1, rows as u32], (row - rows) as u32, arg_widths)?;
    Some(ResultForm { width: i64::from(elements.end), statements: vec![flags, zeros] })
}

/// Whether a form writes exactly `elements`.
fn yields(dag: &mut Dag, result: &ResultForm<i64>, elements: &Elements) -> bool {
    let mut function = Function::new("growing");
    let widths = dag.arg_widths().to_vec();
    for (position, width) in widths.iter().enumerate() {
        let arg = Arg { name: format!("a{position}"), width: (*width).into(), role: Role::Register };
        function.args.push(arg);
    }
    function.results.push(ResultSlot { name: "r".into(), width: Num::constant(result.width) });
    let form = Form { arg_widths: vec![0; widths.len()], results: vec![result.clone()] };
    let form = form.map(&mut |_, number, _| Num::constant(*number), &|number| *number == 1);
    emit(&form, None, &mut function);
    let bindings: Vec<NodeId> = (0..widths.len()).map(|arg| dag.arg(arg as u32)).collect();
    let Ok(raised) = raise_with(dag, &function, &[], &bindings) else { return false };
    let mut written: Vec<Part> = Vec::new();
    let mut end = 0;
    for segment in &raised.results[0] {
        if segment.low != end {
            return false;
        }
        end += segment.width;
        written.push(Part { node: segment.value, width: segment.width });
    }
    let expected: Vec<Part> =
        elements.values.iter().map(|node| Part { node: *node, width: elements.width }).collect();
    dag.concat(&written) == dag.concat(&expected)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn form(dag: &mut Dag, values: Vec<NodeId>, width: u32, end: u32) -> Option<ResultForm<i64>> {
        let elements = Elements { width, values, end };
        let arg_widths = dag.arg_widths().to_vec();
        growing(dag, &mut Skeletons::default(), &elements, &arg_widths)
    }

    #[test]
    fn counts_of_prefixes_are_one_statement() {
        let mut dag = Dag::new(vec![8]);
        let values: Vec<NodeId> = (1..=8)
            .map(|width| {
                let prefix = dag.arg_slice(0, 0, width, false);
                dag.popcount(prefix)
            })
            .collect();
        let found = form(&mut dag, values.clone(), 8, 64).unwrap();
        assert_eq!((found.width, found.statements.len()), (64, 1));

        // A single element with a different count is not growth.
        let mut wrong = values;
        wrong[2] = dag.int(3);
        assert_eq!(form(&mut dag, wrong, 8, 64), None);
    }

    #[test]
    fn rows_of_comparisons_are_two_statements() {
        for (rows, width) in [(2u32, 32u32), (3, 24), (4, 16), (8, 16)] {
            let mut dag = Dag::new(vec![rows * width]);
            let mut values = Vec::new();
            for place in 0..(rows - 1) * (width + 1) {
                let (row, column) = (place / width, place % width);
                let flag = column < row;
                let own = dag.arg_slice(0, row * width, width, false);
                let other = dag.arg_slice(0, column % rows * width, width, false);
                values.push(if flag { dag.eq(own, other) } else { dag.int(0) });
            }
            let found = form(&mut dag, values.clone(), 1, rows * width).unwrap();
            assert_eq!((found.width, found.statements.len()), (i64::from(rows * width), 2), "{rows} rows");

            // A flag in the first row, or none where one belongs.
            for place in [width as usize - 1, width as usize] {
                let mut wrong = values.clone();
                wrong[place] = if wrong[place] == dag.int(0) { values[width as usize] } else { dag.int(0) };
                assert_eq!(form(&mut dag, wrong, 1, rows * width), None, "{rows} rows");
            }
        }
    }
}
