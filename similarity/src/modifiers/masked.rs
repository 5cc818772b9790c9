//! A mask that chooses lanes of an operand.
//!
//! ```text
//! instruction   dst = k[0] * a[0] + k[1] * a[1] + …
//! operation     dst = a[0] + a[1] + …
//! argument a    {k[0] ? a[0] : 0, k[1] ? a[1] : 0, …}
//! ```
//!
//! A reduction has no lanes that a mask of its [result](super::masking) could keep: it ignores elements instead. Those
//! hold its neutral element: 0 in a sum, the least number in a maximum.

use catalog::{Masked, Source};
use hydride_ir::exact::{Dag, Node, NodeId, Part as Piece, Raised, Replacements, Segment};
use hydride_ir::{ExprId, Function, Op};

use super::operands::{ApplyError, slice};
use super::{Reading, zero};

/// A lane of an argument where its mask bit is 1, and a number where it is 0.
struct Lane {
    choice: NodeId,
    masked: Masked,
    index: u32,
    signed: bool,
}

/// The reading without the mask of an argument of which every lane that is read is masked.
pub(super) fn recognize(dag: &mut Dag, function: &Function, reading: &Reading) -> Vec<Reading> {
    let [segments] = reading.core.results.as_slice() else { return Vec::new() };
    let nodes = dag.reachable(segments.iter().map(|segment| segment.value));
    let lanes: Vec<Lane> = nodes.into_iter().filter_map(|id| lane(dag, id, function)).collect();
    let [first, rest @ ..] = lanes.as_slice() else { return Vec::new() };
    let masked = first.masked;
    if rest.is_empty() || rest.iter().any(|lane| lane.masked != masked) {
        return Vec::new();
    }
    let fresh = dag.add_arg(dag.arg_widths()[masked.arg as usize]);
    let mut replacements = Replacements::default();
    for Lane { choice, index, signed, .. } in &lanes {
        let whole = dag.arg_slice(fresh, index * masked.lane, masked.lane, *signed);
        replacements.insert(*choice, whole);
    }
    let segments: Vec<Segment> = segments
        .iter()
        .map(|segment| Segment { value: dag.replace(segment.value, &mut replacements), ..*segment })
        .collect();
    let left = dag.reachable(segments.iter().map(|segment| segment.value));
    if left
        .into_iter()
        .any(|id| matches!(dag.node(id), Node::Arg(arg) if [masked.arg, masked.mask].contains(arg)))
    {
        return Vec::new();
    }
    vec![reading.with_argument(Raised { results: vec![segments] }, fresh, Source::Masked(masked))]
}

/// A node as a masked lane of a register.
fn lane(dag: &mut Dag, choice: NodeId, function: &Function) -> Option<Lane> {
    let Node::Select(bit, then, otherwise) = *dag.node(choice) else { return None };
    let (mask, index, 1, false) = register_slice(dag, bit, function)? else { return None };
    let (arg, low, width, signed) = register_slice(dag, then, function)?;
    let fits = dag.range(otherwise).fits(width, signed);
    // Lanes have at most 64 bits.
    let low_bits = dag.slice(otherwise, 0, width, true);
    let inactive = dag.as_i64(low_bits)?;
    (fits && mask != arg && low == index * width).then_some(Lane {
        choice,
        masked: Masked { arg, mask, lane: width, inactive },
        index,
        signed,
    })
}

/// A node as a slice of a register: its argument, lowest bit and width, and whether it is signed.
fn register_slice(dag: &Dag, id: NodeId, function: &Function) -> Option<(u32, u32, u32, bool)> {
    let Node::Slice { of, low, width, signed } = *dag.node(id) else { return None };
    let Node::Arg(arg) = *dag.node(of) else { return None };
    let is_register = function.args.get(arg as usize).is_some_and(|arg| !arg.role.is_immediate());
    is_register.then_some((arg, low, width, signed))
}

/// The operation's argument of `width` bits.
pub(crate) fn apply(masked: Masked, dag: &mut Dag, width: u32) -> NodeId {
    let Masked { arg, mask, lane, inactive } = masked;
    let inactive = zero::apply(inactive, dag, lane);
    let parts: Vec<Piece> = (0..width.div_ceil(lane))
        .map(|index| {
            let low = index * lane;
            let taken = lane.min(width - low);
            let bit = dag.arg_slice(mask, index, 1, false);
            let active = dag.arg_slice(arg, low, taken, false);
            let inactive = dag.slice(inactive, 0, taken, false);
            Piece { node: dag.select(bit, active, inactive), width: taken }
        })
        .collect();
    dag.concat(&parts)
}

/// The operation's argument of `width` bits, in the IR.
pub(crate) fn write(masked: Masked, applied: &mut Function, width: i64) -> Result<ExprId, ApplyError> {
    let Masked { arg, mask, lane, inactive } = masked;
    let lane = i64::from(lane);
    let mut parts = Vec::new();
    for low in (0..width).step_by(lane as usize) {
        let taken = lane.min(width - low);
        let condition = slice(applied, mask, low / lane, 1)?;
        let then = slice(applied, arg, low, taken)?;
        let otherwise = zero::write(inactive, applied, taken);
        parts.push(applied.push(Op::Select { condition, then, otherwise }, taken));
    }
    // Concatenations begin at the top.
    parts.reverse();
    Ok(if let [one] = parts[..] { one } else { applied.push(Op::Concat(parts), width) })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::modifiers::tests::{check, readings};

    fn maximum(args: &str, element: &str) -> String {
        format!(
            "func @maximum({args}) -> (%dst: 8) {{
               %dst[0 +: 8] = fold max.s (i in 0..4) {element}
             }}"
        )
    }

    #[test]
    fn a_masked_reduction_is_a_reduction_of_masked_elements() {
        let masked = maximum("%k: 4, %a: 32", "select(%k[i +: 1], %a[8*i +: 8], 0x80:8)");
        let plain = maximum("%a: 32", "%a[8*i +: 8]");
        let shape = check(&readings(recognize, &masked), &masked, &plain);
        assert_eq!(shape.args, [Source::Masked(Masked { arg: 1, mask: 0, lane: 8, inactive: -128 })]);
        assert!(readings(recognize, &plain).is_empty());
    }

    #[test]
    fn a_mask_has_its_bits_in_the_order_of_the_lanes() {
        let reversed = maximum("%k: 4, %a: 32", "select(%k[3 - i +: 1], %a[8*i +: 8], 0x80:8)");
        assert!(readings(recognize, &reversed).is_empty());
        let kept = maximum("%k: 4, %a: 32, %b: 32", "select(%k[i +: 1], %a[8*i +: 8], %b[8*i +: 8])");
        assert!(readings(recognize, &kept).is_empty());
    }

    #[test]
    fn all_that_is_read_is_masked() {
        let partly = "func @partly(%k: 4, %a: 32) -> (%dst: 8) {
          %dst[0 +: 8] = add(%a[0 +: 8], fold add (i in 0..4) select(%k[i +: 1], %a[8*i +: 8], 0x0:8))
        }";
        assert!(readings(recognize, partly).is_empty());
    }
}
