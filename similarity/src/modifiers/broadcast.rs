//! One slice of a register, a scalar or an immediate in every element of an argument.
//!
//! ```text
//! instruction   dst[i] = a[i] * v[lane]          or  dst[i] = a[i] << n[0]
//! operation     dst[i] = a[i] * b[i]                 dst[i] = a[i] << b[i]
//! argument b    {v[lane], v[lane], …}                {n[0], n[0], …}
//! ```
//!
//! The copies are [`Broadcast::stride`] bits apart; an operation that reads only the low bits of its elements leaves
//! zeros between them.

use std::collections::BTreeSet;

use catalog::{Broadcast, Source};
use hydride_ir::exact::{Dag, Int, Node, NodeId, Part as Piece, Raised, Replacements, Segment};
use hydride_ir::lane::elements;
use hydride_ir::{BinaryOp, Bits, ExprId, Function, Num, Op, Role};

use super::Reading;
use super::operands::{ApplyError, whole};

/// Width of the elements from which a single one counts as a vector, in bits.
const MIN_SINGLE: u32 = 8;

/// Readings in which a value shared by all elements is an argument of the operation.
pub(super) fn recognize(dag: &mut Dag, function: &Function, reading: &Reading) -> Vec<Reading> {
    let [segments] = reading.core.results.as_slice() else { return Vec::new() };
    let Some(cut) = elements(dag, segments) else { return Vec::new() };
    if cut.values.len() < 2 && cut.width < MIN_SINGLE {
        return Vec::new();
    }
    let mut found = Vec::new();
    for (broadcast, nodes) in shared(dag, function, &cut.values, cut.width) {
        let width = broadcast.stride * cut.values.len() as u32;
        if width > hydride_ir::MAX_WIDTH {
            continue;
        }
        let fresh = dag.add_arg(width);
        let mut values = Vec::with_capacity(cut.values.len());
        for (place, value) in cut.values.iter().enumerate() {
            let low = place as u32 * broadcast.stride;
            let mut replacements = Replacements::default();
            for node in &nodes {
                let slice = dag.arg_slice(fresh, low, broadcast.width, is_signed(dag, *node));
                replacements.insert(*node, slice);
            }
            values.push(Segment {
                low: place as u32 * cut.width,
                width: cut.width,
                value: dag.replace(*value, &mut replacements),
            });
        }
        let core = Raised { results: vec![values] };
        found.push(reading.with_argument(core, fresh, Source::Broadcast(broadcast)));
    }
    found
}

/// The broadcasts that all of the elements read, each with the nodes that have its value.
fn shared(
    dag: &mut Dag,
    function: &Function,
    elements: &[NodeId],
    width: u32,
) -> Vec<(Broadcast, Vec<NodeId>)> {
    let first = dag.reachable(elements.first().copied());
    let last = BTreeSet::from_iter(dag.reachable(elements.last().copied()));
    let mut shared: Vec<(Broadcast, Vec<NodeId>)> = Vec::new();
    for node in first {
        let Some(broadcast) = described(dag, node, function, width) else { continue };
        let known = shared.iter().position(|(known, _)| *known == broadcast);
        match known {
            Some(known) => shared[known].1.push(node),
            None => shared.push((broadcast, vec![node])),
        }
    }
    // A value that only some elements read is not shared.
    shared.retain(|(_, nodes)| nodes.iter().any(|node| last.contains(node)));
    shared
}

fn is_signed(dag: &Dag, node: NodeId) -> bool {
    matches!(dag.node(node), Node::Slice { signed: true, .. } | Node::SliceAt { signed: true, .. })
}

/// A node as a slice of an argument that is fixed or chosen by an immediate.
fn described(dag: &mut Dag, node: NodeId, function: &Function, element: u32) -> Option<Broadcast> {
    let arg_of = |dag: &Dag, id: NodeId| match *dag.node(id) {
        Node::Arg(arg) => Some(arg),
        Node::Slice { of, low: 0, signed: false, .. } => match *dag.node(of) {
            Node::Arg(arg) => Some(arg),
            _ => None,
        },
        _ => None,
    };
    let own = |arg: u32| function.args.get(arg as usize);
    let broadcast = match *dag.node(node) {
        Node::Slice { of, low, width, .. } => {
            let Node::Arg(arg) = *dag.node(of) else { return None };
            // Elements of registers move; what is shared is a scalar, an immediate or the first element.
            let stride = if width < element { element } else { width };
            Broadcast { arg, low, lane: None, width, stride }
        }
        Node::SliceAt { of, base, low, width, .. } => {
            let arg = arg_of(dag, of)?;
            let (lane, factor) = match dag.node(low) {
                Node::Sum { terms, constant } if terms.len() == 1 && constant == &Int::ZERO => {
                    terms[0].clone()
                }
                _ => (low, Int::ONE),
            };
            let Node::Slice { of: index, low: 0, width: bits, signed: false } = *dag.node(lane) else {
                return None;
            };
            let Node::Arg(immediate) = *dag.node(index) else { return None };
            let is_immediate = matches!(own(immediate)?.role, Role::Immediate { .. });
            if !is_immediate || factor != Int::from(width) {
                return None;
            }
            Broadcast { arg, low: base, lane: Some((immediate, bits)), width, stride: width }
        }
        _ => return None,
    };
    if broadcast.width < 2 || own(broadcast.arg).is_none() {
        return None;
    }
    let value = value(broadcast, dag);
    let unsigned = dag.slice(node, 0, broadcast.width, false);
    (value == unsigned).then_some(broadcast)
}

/// The repeated value, [`Broadcast::width`] bits, read unsigned.
fn value(broadcast: Broadcast, dag: &mut Dag) -> NodeId {
    let Broadcast { arg, low, lane, width, .. } = broadcast;
    match lane {
        None => dag.arg_slice(arg, low, width, false),
        Some((lane, bits)) => {
            let lane = dag.arg_slice(lane, 0, bits, false);
            let position = dag.linear(&[(lane, width.into())], low.into());
            let whole = dag.arg_slice(arg, 0, dag.arg_widths()[arg as usize], false);
            dag.slice_at(whole, position, width, false)
        }
    }
}

/// The operation's argument of `width` bits.
pub(crate) fn apply(broadcast: Broadcast, dag: &mut Dag, width: u32) -> NodeId {
    let value = value(broadcast, dag);
    let zero = dag.int(0);
    let mut parts = Vec::new();
    let mut end = 0;
    while end < width {
        let taken = broadcast.width.min(width - end);
        let node = dag.slice(value, 0, taken, false);
        parts.push(Piece { node, width: taken });
        end += taken;
        let gap = (broadcast.stride - broadcast.width).min(width - end);
        if gap > 0 {
            parts.push(Piece { node: zero, width: gap });
            end += gap;
        }
    }
    dag.concat(&parts)
}

/// The operation's argument of `width` bits, in the IR.
pub(crate) fn write(broadcast: Broadcast, applied: &mut Function, width: i64) -> Result<ExprId, ApplyError> {
    let Broadcast { arg, low, lane, width: own, stride } = broadcast;
    let of = whole(applied, arg)?;
    let value = match lane {
        None => applied.push(Op::Extract { of, low: low.into() }, own),
        Some((lane, bits)) => {
            let lane = whole(applied, lane)?;
            let lane = applied.push(Op::Extract { of: lane, low: 0u32.into() }, bits);
            let lane = unsigned(applied, lane, POSITION_WIDTH);
            let step = literal(applied, own);
            let position = position(applied, BinaryOp::Mul, lane, step);
            let low = literal(applied, low);
            let low = self::position(applied, BinaryOp::Add, position, low);
            applied.push(Op::ExtractAt { of, low }, own)
        }
    };
    // Copies with zeros between, the last one cut at the argument's end; concatenations begin at the top.
    let copy = unsigned(applied, value, stride);
    let count = width.div_euclid(i64::from(stride));
    let rest = width.rem_euclid(i64::from(stride));
    let mut parts = Vec::new();
    if rest > 0 {
        parts.push(unsigned(applied, value, rest));
    }
    parts.extend((0..count).map(|_| copy));
    Ok(if let [one] = parts[..] { one } else { applied.push(Op::Concat(parts), width) })
}

/// Width of a position in bits: more than any register's.
const POSITION_WIDTH: u32 = 32;

fn literal(applied: &mut Function, value: u32) -> ExprId {
    applied.push(Op::Const(Bits::from_u64(POSITION_WIDTH, u64::from(value))), POSITION_WIDTH)
}

fn position(applied: &mut Function, op: BinaryOp, left: ExprId, right: ExprId) -> ExprId {
    applied.push(Op::Binary { op, signed: Num::constant(0), left, right }, POSITION_WIDTH)
}

fn unsigned(applied: &mut Function, of: ExprId, width: impl Into<Num>) -> ExprId {
    applied.push(Op::Cast { of, signed: Num::constant(0) }, width)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::modifiers::tests::{check, readings};

    const SHIFT: &str = "func @shift(%a: 32, %n: 32) -> (%dst: 32) {
      for i in 0..4 { %dst[8*i +: 8] = shl(%a[8*i +: 8], %n[8*i +: 8]) }
    }";

    #[test]
    fn a_scalar_count_is_broadcast() {
        let scalar = "func @scalar(%a: 32, %n: 16) -> (%dst: 32) {
          for i in 0..4 { %dst[8*i +: 8] = shl(%a[8*i +: 8], %n[8 +: 8]) }
        }";
        let shape = check(&readings(recognize, scalar), scalar, SHIFT);
        let count = Broadcast { arg: 1, low: 8, lane: None, width: 8, stride: 8 };
        assert_eq!(shape.args, [Source::Own(0), Source::Broadcast(count)]);
    }

    #[test]
    fn an_immediate_selects_the_lane() {
        let lane = "func @lane(%a: 32, %v: 32, %lane: 8 imm 0..=3) -> (%dst: 32) {
          for i in 0..4 {
            %dst[8*i +: 8] = mul(%a[8*i +: 8], %v[at mul(cast.u(%lane[0 +: 2], 32), 0x8:32) +: 8])
          }
        }";
        let mul = SHIFT.replace("shl", "mul");
        let shape = check(&readings(recognize, lane), lane, &mul);
        let element = Broadcast { arg: 1, low: 0, lane: Some((2, 2)), width: 8, stride: 8 };
        assert!(shape.args.contains(&Source::Broadcast(element)), "{:?}", shape.args);
    }

    #[test]
    fn a_lane_is_chosen_by_an_immediate_in_steps_of_its_width() {
        let lane = |role: &str, step: u32| {
            format!(
                "func @lane(%a: 32, %v: 128, %lane: 8{role}) -> (%dst: 32) {{
                   for i in 0..4 {{
                     let v = %v[at mul(cast.u(%lane[0 +: 2], 32), {step:#x}:32) +: 8]
                     %dst[8*i +: 8] = mul(%a[8*i +: 8], v)
                   }}
                 }}"
            )
        };
        let of_lane = |text: &str| {
            let is_lane =
                |source: &Source| matches!(source, Source::Broadcast(Broadcast { lane: Some(_), .. }));
            readings(recognize, text).iter().filter(|shape| shape.args.iter().any(is_lane)).count()
        };
        assert_eq!(of_lane(&lane(" imm 0..=3", 8)), 1);
        assert_eq!(of_lane(&lane("", 8)), 0, "a register");
        assert_eq!(of_lane(&lane(" imm 0..=3", 16)), 0, "other steps");
    }

    #[test]
    fn elements_that_differ_are_not_broadcast() {
        assert!(readings(recognize, SHIFT).is_empty());
    }

    #[test]
    fn copies_fill_the_argument() {
        let filled = |lane, low, width, stride, all: u32| {
            let mut dag = Dag::new(vec![32, 8]);
            let node = apply(Broadcast { arg: 0, low, lane, width, stride }, &mut dag, all);
            let segment = Segment { low: 0, width: all, value: node };
            let [data, index] = [0x4433_2211, 2].map(|value| dag.int(value));
            let segments = dag.with_argument(&[segment], 0, data);
            let segments = dag.with_argument(&segments, 1, index);
            dag.as_i64(segments[0].value).expect("a number")
        };
        assert_eq!(filled(None, 8, 8, 8, 32), 0x2222_2222);
        assert_eq!(filled(None, 0, 8, 16, 62), 0x0011_0011_0011_0011);
        assert_eq!(filled(Some((1, 2)), 0, 8, 8, 24), 0x33_3333);
        assert_eq!(filled(Some((1, 1)), 8, 8, 8, 16), 0x2222, "one bit of the immediate counts");
    }
}
