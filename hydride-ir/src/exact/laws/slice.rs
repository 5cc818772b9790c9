//! Slices: `x[n +: w]` is `⌊x / 2^n⌋ mod 2^w`, read unsigned or as two's complement.

use super::{Law, Subject, instances::*};
use crate::exact::Int;
use crate::exact::dag::{Dag, Node, NodeId, Part};
use crate::exact::range::power;

/// Bits `low .. low + width` of `of`.
#[derive(Clone, Copy)]
pub(super) struct Slice {
    pub of: NodeId,
    pub low: u32,
    pub width: u32,
    pub signed: bool,
}

impl Dag {
    /// Bits `low .. low + width` of `of` in two's complement, read as `signed` says. An empty slice
    /// is 0; argument bits beyond the argument are 0.
    pub fn slice(&mut self, of: NodeId, low: u32, width: u32, signed: bool) -> NodeId {
        if width == 0 {
            return self.int(0);
        }
        if let Some(known) = self.slices.get(&(of, low, width, signed)) {
            return *known;
        }
        let result = match self.as_int(of) {
            Some(value) => {
                let bits = (value >> low as usize) & (power(width) - Int::ONE);
                let negative = signed && bits >= power(width - 1);
                self.int(if negative { bits - power(width) } else { bits })
            }
            None => self.make(&Slice { of, low, width, signed }),
        };
        self.slices.insert((of, low, width, signed), result);
        result
    }
}

impl Subject for Slice {
    const FAMILY: &'static str = "slice";

    /// Laws that look at the operand's own bits come first; what only drops bits that no one demands, and sums,
    /// whose laws hold for sums with nothing left to drop, come last.
    const LAWS: &'static [Law<Self>] = &[
        Law::new("argument-end", argument_end, |dag| [0, 3].map(|arg| dag.arg(arg)).slices()),
        Law::new("fits", fits, |dag| [unsigned(dag, 0, 3), signed(dag, 0, 4), sum(dag, 2)].slices()),
        Law::new("above", above, |dag| [unsigned(dag, 0, 3), sum(dag, 2), square(dag, 3)].slices()),
        Law::new("negated-flag", negated_flag, |dag| [negated_comparison(dag)].slices()),
        Law::new("slice-inside", slice_inside, |dag| raw_slices(dag).slices()),
        Law::new("slice-beyond-unsigned", slice_beyond_unsigned, |dag| raw_slices(dag).slices()),
        Law::new("slice-of-sign", slice_of_sign, |dag| raw_slices(dag).slices()),
        Law::new("slice-beyond-signed", slice_beyond_signed, |dag| raw_slices(dag).slices()),
        Law::new("part", part, |dag| concats(dag).slices()),
        Law::new("parts", parts, |dag| concats(dag).slices()),
        Law::new("multiple-above", multiple_above, |dag| multiples(dag).slices()),
        Law::new("multiple-below", multiple_below, |dag| multiples(dag).slices()),
        Law::new("multiple-across", multiple_across, |dag| multiples(dag).slices()),
        Law::new("multiple-whole", multiple_whole, |dag| multiples(dag).slices()),
        Law::new("moved-up-concat", moved_up_concat, |dag| {
            let both = concats(dag)[0];
            let count = unsigned(dag, 3, 2);
            [dag.intern(Node::Shl(both, count))].slices()
        }),
        Law::new("clamp-top", clamp_top, |dag| {
            let (wide, narrow) = (sum(dag, 7), sum_signed(dag, 7));
            [(wide, 6, false), (narrow, 6, true), (narrow, 6, false), (narrow, 5, true)]
                .map(|(of, width, signed)| dag.intern(Node::Saturate { of, width, signed }))
                .slices()
        }),
        Law::new("literal-shift", literal_shift, |dag| {
            let (value, signed, count) = (sum(dag, 6), sum_signed(dag, 6), dag.int(3));
            [dag.intern(Node::Shr(value, count)), dag.intern(Node::Shr(signed, count))].slices()
        }),
        Law::new("computed-shift", computed_shift, |dag| {
            let (value, both, count) = (unsigned(dag, 0, 12), concats(dag)[0], unsigned(dag, 3, 3));
            [dag.intern(Node::Shr(value, count)), dag.intern(Node::Shr(both, count))].slices()
        }),
        Law::new("slice-at-inside", slice_at_inside, |dag| {
            let (of, low) = (dag.arg(0), unsigned(dag, 3, 3));
            [false, true]
                .map(|signed| dag.intern(Node::SliceAt { of, base: 1, low, width: 7, signed }))
                .slices()
        }),
        Law::new("select", of_select, |dag| {
            let (condition, then, otherwise) = (unsigned(dag, 3, 1), signed(dag, 0, 7), unsigned(dag, 1, 9));
            [dag.intern(Node::Select(condition, then, otherwise))].slices()
        }),
        Law::new("bitwise", of_bitwise, |dag| bitwise(dag).slices()),
        Law::new("not", of_not, |dag| {
            let (value, signed) = (unsigned(dag, 0, 6), signed(dag, 1, 6));
            [dag.intern(Node::Not(value)), dag.intern(Node::Not(signed))].slices()
        }),
        Law::new("demanded", demanded, |dag| {
            let count = unsigned(dag, 3, 2);
            let wide = signed(dag, 0, 9);
            let mut of = bitwise(dag);
            of.extend([sum_signed(dag, 9), square(dag, 9), dag.intern(Node::Shl(wide, count))]);
            of.slices()
        }),
        Law::new("scaled-sum", scaled_sum, |dag| scaled_sums(dag).slices()),
        Law::new("moved-sum", moved_sum, |dag| {
            let mut of = Vec::new();
            for (value, from, width) in
                [(square(dag, 5), 3, 7), (square(dag, 5), 3, 5), (square(dag, 4), 2, 4)]
            {
                let upper = dag.intern(Node::Slice { of: value, low: from, width, signed: from == 2 });
                of.extend([1, 3, -2].map(|constant| plus(dag, upper, constant)));
            }
            of.slices()
        }),
        Law::new("whole-terms", whole_terms, |dag| scaled_sums(dag).slices()),
    ];

    fn raw(&self, dag: &mut Dag) -> NodeId {
        let Slice { of, low, width, signed } = *self;
        dag.intern(Node::Slice { of, low, width, signed })
    }
}

/// `a[n +: w] = a[n +: W - n]` for an argument of `W < n + w` bits; 0 for `n ≥ W`.
fn argument_end(dag: &mut Dag, &Slice { of, low, width, .. }: &Slice) -> Option<NodeId> {
    let Node::Arg(arg) = *dag.node(of) else { return None };
    let available = dag.arg_widths()[arg as usize];
    (low + width > available).then(|| dag.slice(of, low, available.saturating_sub(low), false))
}

/// `x[0 +: w] = x` where `w` bits hold every value of `x`.
fn fits(dag: &mut Dag, &Slice { of, low, width, signed }: &Slice) -> Option<NodeId> {
    (!dag.is_arg(of) && low == 0 && dag.range(of).fits(width, signed)).then_some(of)
}

/// `x[n +: w] = 0` where `0 ≤ x < 2^n`.
fn above(dag: &mut Dag, &Slice { of, low, .. }: &Slice) -> Option<NodeId> {
    let is_above = !dag.is_arg(of) && dag.natural(of).is_some_and(|(own, signed)| !signed && own <= low);
    is_above.then(|| dag.int(0))
}

/// `(-b)[n +: w] = -b` signed, `b` in one bit, `(-b)[0 +: w]` else: all bits of 0 and of -1 are equal.
fn negated_flag(dag: &mut Dag, &Slice { of, low, width, signed }: &Slice) -> Option<NodeId> {
    let Node::Sum { terms, constant } = dag.node(of) else { return None };
    let [(flag, ref factor)] = **terms else { return None };
    if constant != &Int::ZERO || factor != &Int::from(-1) || !dag.is_boolean(flag) {
        return None;
    }
    match (signed, width) {
        (true, _) => Some(of),
        (false, 1) => Some(flag),
        (false, _) => (low > 0).then(|| dag.slice(of, 0, width, false)),
    }
}

/// The operand, if it is a slice too.
fn inner(dag: &Dag, of: NodeId) -> Option<Slice> {
    match *dag.node(of) {
        Node::Slice { of, low, width, signed } => Some(Slice { of, low, width, signed }),
        _ => None,
    }
}

/// `x[m +: v][n +: w] = x[m + n +: w]` where `n + w ≤ v`.
fn slice_inside(dag: &mut Dag, &Slice { of, low, width, signed }: &Slice) -> Option<NodeId> {
    let inner = inner(dag, of)?;
    (low + width <= inner.width).then(|| dag.slice(inner.of, inner.low + low, width, signed))
}

/// `x[m +: v][n +: w] = x[m + n +: v - n]` for an unsigned inner slice and `n < v < n + w`.
fn slice_beyond_unsigned(dag: &mut Dag, &Slice { of, low, width, .. }: &Slice) -> Option<NodeId> {
    let inner = inner(dag, of)?;
    (!inner.signed && low < inner.width && inner.width < low + width)
        .then(|| dag.slice(inner.of, inner.low + low, inner.width - low, false))
}

/// `x[m +: v][n +: w] = x[m + v - 1 +: 1]`, all signed, for `n ≥ v - 1`: copies of the sign.
fn slice_of_sign(dag: &mut Dag, &Slice { of, low, width, signed }: &Slice) -> Option<NodeId> {
    let inner = inner(dag, of)?;
    (inner.signed && signed && low + width > inner.width && low >= inner.width - 1)
        .then(|| dag.slice(inner.of, inner.low + inner.width - 1, 1, true))
}

/// `x[m +: v][n +: w] = x[m + n +: v - n][0 +: w]` for a signed inner slice and `n + w > v`; of its sign alone
/// for `n ≥ v`.
fn slice_beyond_signed(dag: &mut Dag, &Slice { of, low, width, signed }: &Slice) -> Option<NodeId> {
    let inner = inner(dag, of)?;
    let is_sign = signed && low >= inner.width - 1;
    if !inner.signed || low == 0 || low + width <= inner.width || is_sign {
        return None;
    }
    let from = low.min(inner.width - 1);
    let moved = dag.slice(inner.of, inner.low + from, inner.width - from, true);
    Some(dag.slice(moved, 0, width, signed))
}

/// The pieces of parts side by side that lie in bits `low .. low + width`: node, lowest bit, width.
fn pieces(parts: &[Part], low: u32, width: u32) -> Vec<(NodeId, u32, u32)> {
    let mut kept = Vec::new();
    let mut position = 0;
    for part in parts {
        let (from, to) = (low.max(position), (low + width).min(position + part.width));
        if from < to {
            kept.push((part.node, from - position, to - from));
        }
        position += part.width;
    }
    kept
}

/// `{…, x, …}[n +: w] = x[n - m +: w]` where the slice lies in one part, from bit `m` on.
fn part(dag: &mut Dag, &Slice { of, low, width, signed }: &Slice) -> Option<NodeId> {
    let Node::Concat(parts) = dag.node(of) else { return None };
    let [(node, from, own)] = pieces(parts, low, width)[..] else { return None };
    (own == width).then(|| dag.slice(node, from, width, signed))
}

/// `{…, x, y, …}[n +: w] = {x[…], y[…]}`: slices of the parts side by side.
fn parts(dag: &mut Dag, &Slice { of, low, width, signed }: &Slice) -> Option<NodeId> {
    let Node::Concat(parts) = dag.node(of) else { return None };
    let pieces = pieces(parts, low, width);
    let total: u32 = pieces.iter().map(|(_, _, width)| width).sum();
    if pieces.len() == 1 && total == width {
        return None;
    }
    let joined = dag.concat_pieces(&pieces);
    if !signed || total < width {
        return Some(joined);
    }
    if matches!(dag.node(joined), Node::Concat(_)) && !dag.range(joined).fits(width, true) {
        return Some(dag.intern(Node::Slice { of: joined, low: 0, width, signed: true }));
    }
    Some(dag.slice(joined, 0, width, true))
}

impl Dag {
    fn concat_pieces(&mut self, pieces: &[(NodeId, u32, u32)]) -> NodeId {
        let parts: Vec<Part> = pieces
            .iter()
            .map(|(node, from, width)| Part { node: self.slice(*node, *from, *width, false), width: *width })
            .collect();
        self.concat(&parts)
    }

    /// The low `width` bits of parts side by side.
    pub(super) fn low_parts(&mut self, parts: &[Part], width: u32) -> NodeId {
        self.concat_pieces(&pieces(parts, 0, width))
    }
}

/// `2^k·f·x`, `f` odd: the number `k > 0` and `f·x`, not made yet.
fn multiple(dag: &Dag, of: NodeId) -> Option<(u32, [(NodeId, Int); 1])> {
    let Node::Sum { terms, constant } = dag.node(of) else { return None };
    let [(term, factor)] = &**terms else { return None };
    let zeros = trailing_zeros(factor);
    (constant == &Int::ZERO && zeros > 0).then(|| (zeros, [(*term, factor >> zeros as usize)]))
}

/// `(2^k·x)[n +: w] = x[n - k +: w]` where `n ≥ k`.
fn multiple_above(dag: &mut Dag, &Slice { of, low, width, signed }: &Slice) -> Option<NodeId> {
    let (zeros, rest) = multiple(dag, of).filter(|(zeros, _)| low >= *zeros)?;
    let rest = dag.linear(&rest, Int::ZERO);
    Some(dag.slice(rest, low - zeros, width, signed))
}

/// `(2^k·x)[n +: w] = 0` where `n + w ≤ k`.
fn multiple_below(dag: &mut Dag, &Slice { of, low, width, .. }: &Slice) -> Option<NodeId> {
    multiple(dag, of).filter(|(zeros, _)| low + width <= *zeros).map(|_| dag.int(0))
}

/// `(2^k·x)[n +: w] = (2^(k - n)·x)[0 +: w]` where `0 < n < k < n + w`.
fn multiple_across(dag: &mut Dag, &Slice { of, low, width, signed }: &Slice) -> Option<NodeId> {
    let across = |zeros: &u32| 0 < low && low < *zeros && *zeros < low + width;
    let (zeros, rest) = multiple(dag, of).filter(|(zeros, _)| across(zeros))?;
    let rest = dag.linear(&rest, Int::ZERO);
    let moved = dag.linear(&[(rest, power(zeros - low))], Int::ZERO);
    Some(dag.slice(moved, 0, width, signed))
}

/// `(2^k·x)[0 +: w] = {x[0 +: w - k], 0[0 +: k]}`, unsigned, where `k < w`.
fn multiple_whole(dag: &mut Dag, &Slice { of, low, width, signed }: &Slice) -> Option<NodeId> {
    let whole = |zeros: &u32| low == 0 && !signed && *zeros < width;
    let (zeros, rest) = multiple(dag, of).filter(|(zeros, _)| whole(zeros))?;
    let rest = dag.linear(&rest, Int::ZERO);
    let kept = dag.slice(rest, 0, width - zeros, false);
    let zero = dag.int(0);
    Some(dag.concat(&[Part { node: zero, width: zeros }, Part { node: kept, width: width - zeros }]))
}

/// `({x, y} << c)[n +: w] = {x, y}[n - c +: w]` where `0 ≤ c ≤ n`: registers side by side, moved up.
fn moved_up_concat(dag: &mut Dag, &Slice { of, low, width, signed }: &Slice) -> Option<NodeId> {
    let Node::Shl(value, count) = *dag.node(of) else { return None };
    let range = dag.range(count);
    let is_less = range.is_non_negative() && range.high.as_ref().is_some_and(|high| high <= &Int::from(low));
    if !matches!(dag.node(value), Node::Concat(_)) || !is_less {
        return None;
    }
    let position = dag.linear(&[(count, Int::from(-1))], Int::from(low));
    Some(dag.slice_at(value, position, width, signed))
}

/// `clamp(x, v)[n +: w] = clamp(⌊x / 2^n⌋, w)[0 +: w]` where `n + w = v`: the top of a clamp is a clamp of the top.
fn clamp_top(dag: &mut Dag, &Slice { of, low, width, signed }: &Slice) -> Option<NodeId> {
    let Node::Saturate { of: inner, width: whole, signed: clamped } = *dag.node(of) else { return None };
    if low == 0 || low + width != whole {
        return None;
    }
    let (own, own_signed) = dag.natural(inner).filter(|(own, _)| *own > low)?;
    let upper = dag.slice(inner, low, own - low, own_signed);
    let clamp = dag.saturate(upper, width, clamped);
    Some(dag.slice(clamp, 0, width, signed))
}

/// `⌊x / 2^c⌋[n +: w] = x[n + c +: w]` for a literal `c`.
fn literal_shift(dag: &mut Dag, &Slice { of, low, width, signed }: &Slice) -> Option<NodeId> {
    let Node::Shr(value, count) = *dag.node(of) else { return None };
    let count = u32::try_from(dag.as_int(count)?).ok().filter(|count| *count <= crate::MAX_WIDTH)?;
    Some(dag.slice(value, low + count, width, signed))
}

/// `⌊x / 2^c⌋[n +: w] = x[n + c +: w]` for a computed `c ≥ 0`, where `x ≥ 0` has more than `n + w` bits. Of bits, not of
/// an arithmetic value: signed and unsigned shifts of these keep one form.
fn computed_shift(dag: &mut Dag, &Slice { of, low, width, signed }: &Slice) -> Option<NodeId> {
    let Node::Shr(value, count) = *dag.node(of) else { return None };
    let bits = match *dag.node(value) {
        Node::Slice { of, .. } => dag.is_arg(of),
        Node::Concat(_) | Node::SliceAt { .. } => true,
        _ => false,
    };
    let part = bits && dag.natural(value).is_some_and(|(own, signed)| !signed && low + width < own);
    (part && dag.range(count).is_non_negative()).then(|| dag.slice_from(value, low, count, width, signed))
}

/// `x[p +: v][n +: w] = x[p + n +: w]` at a computed `p`, where `n + w ≤ v`.
fn slice_at_inside(dag: &mut Dag, &Slice { of, low, width, signed }: &Slice) -> Option<NodeId> {
    let Node::SliceAt { of, base, low: position, width: inner_width, .. } = *dag.node(of) else {
        return None;
    };
    (low + width <= inner_width).then(|| dag.slice_from(of, base + low, position, width, signed))
}

/// `(c ? x : y)[n +: w] = c ? x[n +: w] : y[n +: w]`.
fn of_select(dag: &mut Dag, &Slice { of, low, width, signed }: &Slice) -> Option<NodeId> {
    let Node::Select(condition, then, otherwise) = *dag.node(of) else { return None };
    let then = dag.slice(then, low, width, signed);
    let otherwise = dag.slice(otherwise, low, width, signed);
    Some(dag.select(condition, then, otherwise))
}

/// `(x & y)[n +: w] = x[n +: w] & y[n +: w]`, unsigned; so for `|` and `^`.
fn of_bitwise(dag: &mut Dag, &Slice { of, low, width, signed }: &Slice) -> Option<NodeId> {
    if signed {
        return None;
    }
    dag.each_operand(of, |dag, operand| dag.slice(operand, low, width, false))
}

/// `(~x)[n +: w] = (~x[n +: w])[0 +: w]`, unsigned; `1 - x[n +: 1]` for one bit.
fn of_not(dag: &mut Dag, &Slice { of, low, width, signed }: &Slice) -> Option<NodeId> {
    let Node::Not(operand) = *dag.node(of) else { return None };
    if signed {
        return None;
    }
    let inner = dag.slice(operand, low, width, false);
    if width == 1 {
        return Some(dag.complement(inner));
    }
    let complement = dag.not(inner);
    Some(dag.intern(Node::Slice { of: complement, low: 0, width, signed: false }))
}

/// `x[n +: w] = y[n +: w]` where `y` is what [`Dag::demand`] makes of the low `n + w` bits of `x`.
fn demanded(dag: &mut Dag, &Slice { of, low, width, signed }: &Slice) -> Option<NodeId> {
    let demanded = dag.demand(of, low + width);
    (demanded != of).then(|| dag.slice(demanded, low, width, signed))
}

/// `⌊(2^k·x + c) / 2^n⌋ = ⌊(x + ⌊c / 2^k⌋) / 2^(n - k)⌋`, `k ≤ n`.
fn scaled_sum(dag: &mut Dag, &Slice { of, low, width, signed }: &Slice) -> Option<NodeId> {
    let Node::Sum { terms, constant } = dag.node(of) else { return None };
    let scale = terms.iter().map(|(_, factor)| trailing_zeros(factor)).min()?.min(low);
    if scale == 0 {
        return None;
    }
    let constant = constant >> scale as usize;
    let terms: Vec<_> = terms.iter().map(|(term, factor)| (*term, factor >> scale as usize)).collect();
    let rest = dag.linear(&terms, constant);
    Some(dag.slice(rest, low - scale, width, signed))
}

/// `⌊(⌊x / 2^k⌋ + c) / 2^n⌋ = ⌊(x + 2^k·c) / 2^(n + k)⌋`, in the bits that `⌊x / 2^k⌋` has.
fn moved_sum(dag: &mut Dag, &Slice { of, low, width, signed }: &Slice) -> Option<NodeId> {
    let Node::Sum { terms, constant } = dag.node(of) else { return None };
    let [(term, factor)] = &**terms else { return None };
    let inner = inner(dag, *term)?;
    if low == 0 || factor != &Int::ONE || inner.low == 0 || dag.is_arg(inner.of) {
        return None;
    }
    let is_whole = dag.range(inner.of).fits(inner.low + inner.width, inner.signed);
    if !is_whole && low + width > inner.width {
        return None;
    }
    let constant = constant << inner.low as usize;
    let moved = dag.linear(&[(inner.of, Int::ONE)], constant);
    Some(dag.slice(moved, inner.low + low, width, signed))
}

/// `⌊(2^n·x + y) / 2^n⌋ = x + ⌊y / 2^n⌋`, where no upper bits are cut off.
fn whole_terms(dag: &mut Dag, &Slice { of, low, width, signed }: &Slice) -> Option<NodeId> {
    let Node::Sum { terms, constant } = dag.node(of) else { return None };
    if low == 0 || !dag.range(of).fits(low + width, signed) {
        return None;
    }
    let constant = constant.clone();
    let (whole, rest): (Vec<_>, Vec<_>) =
        terms.iter().cloned().partition(|(_, factor)| trailing_zeros(factor) >= low);
    if whole.is_empty() || rest.is_empty() {
        return None;
    }
    let rest = dag.linear(&rest, constant);
    let (own, own_signed) = dag.natural(rest).filter(|(own, _)| *own > low)?;
    let upper = dag.slice(rest, low, own - low, own_signed);
    let mut sum = vec![(upper, Int::ONE)];
    sum.extend(whole.into_iter().map(|(term, factor)| (term, factor >> low as usize)));
    Some(dag.linear(&sum, Int::ZERO))
}

/// Zero bits below the lowest one bit; 0 for 0.
pub(in crate::exact) fn trailing_zeros(value: &Int) -> u32 {
    use dashu_int::ops::BitTest;
    if value == &Int::ZERO {
        return 0;
    }
    (0..).find(|bit| value.bit(*bit)).unwrap_or(0) as u32
}
