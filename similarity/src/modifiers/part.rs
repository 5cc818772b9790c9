//! An operation that writes only a part of the register, and leaves the rest as an argument has it.
//!
//! ```text
//! instruction   dst = {high: a[i] + b[i], low: c[low]}
//! operation     dst[i] = a[i] + b[i]
//! part          bits `low .. low + width`; the others are those of c
//! ```

use catalog::Part;
use hydride_ir::exact::{Dag, Raised, Segment};
use hydride_ir::lane::elements;
use hydride_ir::{Function, ResultId, Stmt};

use super::Reading;
use super::operands::{ApplyError, slice};

/// The reading without the elements at one end of the result that an argument passes through.
pub(super) fn recognize(dag: &mut Dag, function: &Function, reading: &Reading) -> Vec<Reading> {
    Vec::from_iter(without_rest(dag, function, reading))
}

fn without_rest(dag: &mut Dag, function: &Function, reading: &Reading) -> Option<Reading> {
    let [segments] = reading.core.results.as_slice() else { return None };
    let cut = elements(dag, segments)?;
    let whole = function.results[0].width.as_constant()?;
    let count = cut.values.len();
    if count < 2 || whole != i64::from(cut.width) * count as i64 {
        return None;
    }
    let passed = |dag: &mut Dag, arg: u32, place: usize| {
        let low = place as u32 * cut.width;
        dag.arg_widths()[arg as usize] >= low + cut.width
            && dag.arg_slice(arg, low, cut.width, false) == cut.values[place]
    };
    for arg in 0..function.args.len() as u32 {
        if function.args[arg as usize].role.is_immediate() {
            continue;
        }
        let below = (0..count).take_while(|place| passed(dag, arg, *place)).count();
        let above = (0..count).rev().take_while(|place| passed(dag, arg, *place)).count();
        let kept = match (below, above) {
            (0, 0) => continue,
            (below, _) if below == count => continue,
            (0, above) => 0..count - above,
            (below, 0) => below..count,
            _ => continue,
        };
        let low = kept.start as u32 * cut.width;
        let width = kept.len() as u32 * cut.width;
        let segments = kept
            .enumerate()
            .map(|(place, element)| Segment {
                low: place as u32 * cut.width,
                width: cut.width,
                value: cut.values[element],
            })
            .collect();
        let core = Raised { results: vec![segments] };
        return Some(Reading { core, part: Some(Part { low, width, pass: arg }), ..reading.clone() });
    }
    None
}

/// The lowest bit and the width of the bits below and above the part, in a result of `width` bits.
fn outside(part: Part, width: u32) -> impl Iterator<Item = (u32, u32)> {
    let end = part.low + part.width;
    [(0, part.low), (end, width.saturating_sub(end))].into_iter().filter(|(_, width)| *width > 0)
}

/// What a result of `width` bits has outside of the part.
pub(crate) fn apply(part: Part, dag: &mut Dag, width: u32) -> Vec<Segment> {
    outside(part, width)
        .map(|(low, width)| Segment { low, width, value: dag.arg_slice(part.pass, low, width, false) })
        .collect()
}

/// Writes what a result of `width` bits has outside of the part.
pub(crate) fn write(
    part: Part,
    applied: &mut Function,
    result: ResultId,
    width: u32,
) -> Result<(), ApplyError> {
    for (low, width) in outside(part, width) {
        let value = slice(applied, part.pass, low.into(), width.into())?;
        applied.body.push(Stmt::Assign { result, low: low.into(), value });
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::modifiers::tests::{check, readings};

    const ADD: &str = "func @add(%a: 16, %b: 16) -> (%dst: 16) {
      for i in 0..2 { %dst[8*i +: 8] = add(%a[8*i +: 8], %b[8*i +: 8]) }
    }";

    #[test]
    fn the_high_half_is_written() {
        let high = "func @high(%c: 32, %a: 16, %b: 16) -> (%dst: 32) {
          %dst[0 +: 16] = %c[0 +: 16]
          for i in 0..2 { %dst[8*i + 16 +: 8] = add(%a[8*i +: 8], %b[8*i +: 8]) }
        }";
        let shape = check(&readings(recognize, high), high, ADD);
        assert_eq!(shape.part, Some(Part { low: 16, width: 16, pass: 0 }));
    }

    #[test]
    fn what_passes_at_both_ends_is_no_part() {
        let middle = "func @middle(%c: 32, %a: 16, %b: 16) -> (%dst: 32) {
          %dst[0 +: 8] = %c[0 +: 8]
          for i in 0..2 { %dst[8*i + 8 +: 8] = add(%a[8*i +: 8], %b[8*i +: 8]) }
          %dst[24 +: 8] = %c[24 +: 8]
        }";
        assert!(readings(recognize, middle).is_empty());
        assert!(readings(recognize, ADD).is_empty());
    }
}
