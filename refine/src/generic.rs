//! LLVM's operators on single elements: the value, and where it is poison or undefined although its operands are not.
//! The section of the language reference on each instruction is the source.

use hydride_ir::{BinaryOp, CompareOp, ExprId, UnaryOp};

use crate::ast::Flags;
use crate::graph::Graph;

/// An element: its bits, and a bit that says whether it is poison.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Lane {
    pub bits: ExprId,
    pub poison: ExprId,
}

impl Graph {
    /// The same bits in elements of other widths; `None` where these are not the same number of bits. An element is poison
    /// if a part of it is.
    pub fn sliced(&mut self, lanes: &[Lane], widths: &[u32]) -> Option<Vec<Lane>> {
        let own: Vec<u32> = lanes.iter().map(|lane| self.width(lane.bits)).collect();
        if own.iter().sum::<u32>() != widths.iter().sum::<u32>() || own.is_empty() {
            return None;
        }
        let whole = self.concat(lanes.iter().map(|lane| lane.bits).collect());
        let (mut all, mut low) = (Vec::new(), 0);
        for width in widths {
            let bits = self.extract(whole, low, *width);
            let (mut poison, mut start) = (self.bool(false), 0);
            for (lane, own) in lanes.iter().zip(&own) {
                if start < low + width && low < start + own {
                    poison = self.or(poison, lane.poison);
                }
                start += own;
            }
            all.push(Lane { bits, poison });
            low += width;
        }
        Some(all)
    }
}

/// An operator of two operands: the value, what makes it poison besides its operands, and what is undefined behavior.
pub fn binary(
    graph: &mut Graph,
    name: &str,
    flags: Flags,
    left: Lane,
    right: Lane,
) -> Option<(ExprId, ExprId, ExprId)> {
    let (a, b) = (left.bits, right.bits);
    let width = graph.width(a);
    let (mut poison, mut undefined) = (graph.bool(false), graph.bool(false));
    let also = |graph: &mut Graph, poison: &mut ExprId, when: ExprId| *poison = graph.or(*poison, when);
    let bits = match name {
        "add" | "sub" | "mul" => {
            let op = match name {
                "add" => BinaryOp::Add,
                "sub" => BinaryOp::Sub,
                _ => BinaryOp::Mul,
            };
            for (signed, _) in [(false, flags.nuw), (true, flags.nsw)].into_iter().filter(|(_, given)| *given)
            {
                let over = overflows(graph, op, signed, a, b);
                also(graph, &mut poison, over);
            }
            graph.binary(op, false, a, b)
        }
        "shl" | "lshr" | "ashr" => {
            let limit = graph.number(width, u64::from(width));
            // Where the width does not fit in an element, as for single bits, the limit is another number.
            let beyond = if width < 2 {
                let zero = graph.number(width, 0);
                graph.differ(b, zero)
            } else {
                graph.compare(CompareOp::Le, false, limit, b)
            };
            also(graph, &mut poison, beyond);
            let op = if name == "shl" { BinaryOp::Shl } else { BinaryOp::Shr };
            let value = graph.binary(op, name == "ashr", a, b);
            if name == "shl" {
                for (signed, _) in
                    [(false, flags.nuw), (true, flags.nsw)].into_iter().filter(|(_, given)| *given)
                {
                    let back = graph.binary(BinaryOp::Shr, signed, value, b);
                    let lost = graph.differ(back, a);
                    also(graph, &mut poison, lost);
                }
            } else if flags.exact {
                let back = graph.binary(BinaryOp::Shl, false, value, b);
                let lost = graph.differ(back, a);
                also(graph, &mut poison, lost);
            }
            value
        }
        "udiv" | "sdiv" | "urem" | "srem" => {
            let signed = name.starts_with('s');
            let zero = graph.number(width, 0);
            let by_zero = graph.equal(b, zero);
            undefined = graph.or(by_zero, right.poison);
            if signed {
                let (least, minus_one) = (least(graph, width), graph.bits(hydride_ir::Bits::ones(width)));
                let (at_least, by_minus_one) = (graph.equal(a, least), graph.equal(b, minus_one));
                let may_be = graph.or(at_least, left.poison);
                let over = graph.and(may_be, by_minus_one);
                undefined = graph.or(undefined, over);
            }
            if flags.exact {
                let rest = graph.binary(BinaryOp::Rem, signed, a, b);
                let lost = graph.differ(rest, zero);
                also(graph, &mut poison, lost);
            }
            let op = if name.ends_with("div") { BinaryOp::Div } else { BinaryOp::Rem };
            graph.binary(op, signed, a, b)
        }
        "and" => graph.binary(BinaryOp::And, false, a, b),
        "xor" => graph.binary(BinaryOp::Xor, false, a, b),
        "or" => {
            if flags.disjoint {
                let (both, zero) = (graph.binary(BinaryOp::And, false, a, b), graph.number(width, 0));
                let meet = graph.differ(both, zero);
                also(graph, &mut poison, meet);
            }
            graph.binary(BinaryOp::Or, false, a, b)
        }
        _ => return None,
    };
    Some((bits, poison, undefined))
}

fn least(graph: &mut Graph, width: u32) -> ExprId {
    let one = graph.number(width, 1);
    let count = graph.number(width.max(32), u64::from(width) - 1);
    graph
        .op(hydride_ir::Op::Binary { op: BinaryOp::Shl, signed: 0i64.into(), left: one, right: count }, width)
}

/// Whether a sum, difference or product is no number of the operands' width.
pub fn overflows(graph: &mut Graph, op: BinaryOp, signed: bool, a: ExprId, b: ExprId) -> ExprId {
    let width = graph.width(a);
    let wide = if op == BinaryOp::Mul { 2 * width } else { width + 1 };
    let (wide_a, wide_b) = (graph.cast(a, signed, wide), graph.cast(b, signed, wide));
    let (exact, value) = (graph.binary(op, false, wide_a, wide_b), graph.binary(op, false, a, b));
    let back = graph.cast(value, signed, wide);
    graph.differ(exact, back)
}

pub fn compare(graph: &mut Graph, predicate: &str, a: ExprId, b: ExprId) -> ExprId {
    let signed = predicate.starts_with('s');
    match predicate {
        "eq" => graph.equal(a, b),
        "ne" => graph.differ(a, b),
        _ if predicate.ends_with("lt") => graph.less(signed, a, b),
        _ if predicate.ends_with("le") => graph.compare(CompareOp::Le, signed, a, b),
        _ if predicate.ends_with("gt") => graph.less(signed, b, a),
        _ => graph.compare(CompareOp::Le, signed, b, a),
    }
}

/// A generic intrinsic of two operands that is computed element by element.
pub fn of_two(graph: &mut Graph, name: &str, a: ExprId, b: ExprId) -> Option<ExprId> {
    let width = graph.width(a);
    let signed = name.starts_with('s');
    Some(match name {
        "smin" | "umin" => graph.binary(BinaryOp::Min, signed, a, b),
        "smax" | "umax" => graph.binary(BinaryOp::Max, signed, a, b),
        "sadd.sat" | "uadd.sat" | "ssub.sat" | "usub.sat" => {
            // A difference is signed, whatever its operands are.
            let wide = width + 2;
            let (wide_a, wide_b) = (graph.cast(a, signed, wide), graph.cast(b, signed, wide));
            let op = if name.contains("add") { BinaryOp::Add } else { BinaryOp::Sub };
            let exact = graph.binary(op, false, wide_a, wide_b);
            let to = i64::from(signed);
            graph.op(
                hydride_ir::Op::Saturate { of: exact, from_signed: 1i64.into(), to_signed: to.into() },
                width,
            )
        }
        _ => return None,
    })
}

/// A generic intrinsic of one operand that is computed element by element.
pub fn of_one(graph: &mut Graph, name: &str, a: ExprId) -> Option<ExprId> {
    let width = graph.width(a);
    let reversed = |graph: &mut Graph, part: u32| {
        let parts = (0..width / part).rev().map(|at| graph.extract(a, at * part, part)).collect();
        graph.concat(parts)
    };
    Some(match name {
        // Counts are taken modulo the number of values, as in the IR.
        "ctpop" => graph.count_ones(a),
        "ctlz" => graph.unary(UnaryOp::LeadingZeros, a),
        "cttz" => graph.unary(UnaryOp::TrailingZeros, a),
        "abs" => graph.unary(UnaryOp::Abs, a),
        "bswap" if width.is_multiple_of(16) => reversed(graph, 8),
        "bitreverse" => reversed(graph, 1),
        _ => return None,
    })
}

/// A funnel shift by a count modulo the width.
pub fn funnel(graph: &mut Graph, left: bool, a: ExprId, b: ExprId, count: ExprId) -> ExprId {
    let width = graph.width(a);
    let both = graph.concat(vec![b, a]);
    // Wide enough for the width itself, which a single bit cannot hold.
    let wide = (width + 1).max(2 * width);
    let (count, modulus) = (graph.cast(count, false, wide), graph.number(wide, u64::from(width)));
    let count = graph.binary(BinaryOp::Rem, false, count, modulus);
    if left {
        let moved = graph.binary(BinaryOp::Shl, false, both, count);
        graph.extract(moved, width, width)
    } else {
        let moved = graph.binary(BinaryOp::Shr, false, both, count);
        graph.extract(moved, 0, width)
    }
}
