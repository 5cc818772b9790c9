//! How rewrites read values: as low bits of something, as two terms; and conditions as signs of values.

use hydride_ir::exact::{Dag, Int, Node, NodeId, Part};

/// Low bits that are kept of something: how many, and whether they are signed; `None` for all of it.
pub(crate) type Kept = Option<(u32, bool)>;

/// A value's low bits as what they are of, with their number and whether they are signed.
pub(crate) fn sliced(dag: &Dag, value: NodeId) -> (NodeId, Kept) {
    match *dag.node(value) {
        Node::Slice { of, low: 0, width, signed } => (of, Some((width, signed))),
        _ => (value, None),
    }
}

/// What a value is bits of, whichever.
pub(crate) fn whole_of(dag: &Dag, mut value: NodeId) -> NodeId {
    while let Node::Slice { of, .. } = *dag.node(value) {
        value = of;
    }
    value
}

/// The bits of a value that were kept of another one, and of these bits those that were kept next.
pub(crate) fn kept_bits(dag: &mut Dag, value: NodeId, kept: impl IntoIterator<Item = (u32, bool)>) -> NodeId {
    kept.into_iter().fold(value, |value, (width, signed)| dag.slice(value, 0, width, signed))
}

/// A value that is bits of another one shifted down: that one, the count, and which bits these are, first of what is shifted and then of
/// those. The bits of a value from some bit on are bits of it shifted down.
pub(crate) fn shifted_down(dag: &mut Dag, value: NodeId) -> Option<(NodeId, NodeId, [Kept; 2])> {
    let (of, kept) = sliced(dag, value);
    Some(match *dag.node(of) {
        Node::Shr(whole, count) => (whole, count, [None, kept]),
        Node::Slice { of, low, width, signed } if low > 0 => {
            (of, dag.int(low), [Some((width, signed)), kept])
        }
        _ => return None,
    })
}

/// The value of which another one is half, rounded down, as far as it is kept: so many bits, and whether they are signed.
pub(crate) fn half_of(dag: &Dag, value: NodeId) -> Option<(NodeId, u32, bool)> {
    let whole = |node: NodeId| match *dag.node(node) {
        Node::Shr(whole, by) if dag.as_i64(by) == Some(1) => Some(whole),
        _ => None,
    };
    match *dag.node(value) {
        Node::Slice { of, low: 1, width, signed } => Some((of, width, signed)),
        Node::Slice { of, low: 0, width, signed } => Some((whole(of)?, width, signed)),
        _ => {
            let (width, signed) = dag.natural(value)?;
            Some((whole(value)?, width.max(8).next_power_of_two(), signed))
        }
    }
}

/// Bits above zeros as a multiple of them.
pub(crate) fn shifted_bits(dag: &mut Dag, value: NodeId) -> Option<NodeId> {
    let Node::Concat(parts) = dag.node(value) else { return None };
    let [zeros, bits] = parts[..] else { return None };
    (dag.as_i64(zeros.node) == Some(0)).then(|| {
        let bits = dag.slice(bits.node, 0, bits.width, false);
        dag.linear(&[(bits, Int::ONE << zeros.width as usize)], Int::ZERO)
    })
}

/// Containers side by side; neighbors that are ones or zeros by one condition are one mask.
pub(crate) fn joined(dag: &mut Dag, parts: &[Part]) -> NodeId {
    let mask = |dag: &Dag, part: &Part| match *dag.node(part.node) {
        Node::Slice { of, low: 0, width, .. } if width == part.width && dag.range(of).fits(1, true) => {
            Some(of)
        }
        _ => None,
    };
    let mut merged: Vec<Part> = Vec::new();
    for part in parts {
        if let Some(before) = merged.last_mut()
            && let Some(of) = mask(dag, before).filter(|of| mask(dag, part) == Some(*of))
        {
            before.width += part.width;
            before.node = dag.slice(of, 0, before.width, false);
            continue;
        }
        merged.push(*part);
    }
    match merged[..] {
        [only] => only.node,
        _ => dag.concat(&merged),
    }
}

/// A value whose parts, where they are bits of one value, are that value again: its low bits may be computed from low bits alone,
/// and do not show what they are bits of.
pub(crate) fn reassembled(dag: &mut Dag, whole: NodeId) -> NodeId {
    let Node::Concat(parts) = dag.node(whole).clone() else { return whole };
    let parts = merged_from_above(&parts, |low, high| merged(dag, low, high));
    joined(dag, &parts)
}

/// Parts, lowest first, of which neighbors that `merge` makes one are one.
pub(crate) fn merged_from_above(
    parts: &[Part],
    mut merge: impl FnMut(Part, Part) -> Option<Part>,
) -> Vec<Part> {
    let mut found: Vec<Part> = Vec::new();
    for part in parts.iter().rev() {
        match found.last_mut() {
            Some(above) => match merge(*part, *above) {
                Some(both) => *above = both,
                None => found.push(*part),
            },
            None => found.push(*part),
        }
    }
    found.reverse();
    found
}

/// Two neighbors as the bits of what one of them is bits of.
pub(crate) fn merged(dag: &mut Dag, low: Part, high: Part) -> Option<Part> {
    let width = low.width + high.width;
    let bits = |node: &Node| match *node {
        Node::Slice { of, low, .. } => Some((of, low)),
        _ => None,
    };
    let below = bits(dag.node(low.node));
    let above = bits(dag.node(high.node)).and_then(|(of, from)| Some((of, from.checked_sub(low.width)?)));
    for (of, from) in above.into_iter().chain(below) {
        if matches!(dag.node(of), Node::Arg(_)) {
            continue;
        }
        let [first, second] = [(from, low.width), (from + low.width, high.width)]
            .map(|(at, width)| dag.slice(of, at, width, false));
        if first == low.node && second == high.node {
            return Some(Part { node: dag.slice(of, from, width, false), width });
        }
    }
    None
}

/// `a` and `b` of a value that is `a + factor·b`.
pub(crate) fn two_terms(dag: &Dag, value: NodeId, factor: i32) -> Option<(NodeId, NodeId)> {
    let Node::Sum { terms, constant } = dag.node(value) else { return None };
    let [(a, first), (b, second)] = &terms[..] else { return None };
    let factor = Int::from(factor);
    if *constant != Int::ZERO {
        return None;
    }
    match (*first == Int::ONE, *second == Int::ONE) {
        (true, _) if *second == factor => Some((*a, *b)),
        (_, true) if *first == factor => Some((*b, *a)),
        _ => None,
    }
}

/// A value of `width` bits, with as little computed as can be, whose highest one is a condition: `a[7] ^ b[7]` is the sign of
/// `a ^ b` for bytes.
pub(crate) fn with_sign(dag: &mut Dag, condition: NodeId, width: u32) -> Option<NodeId> {
    let operands = |dag: &mut Dag, operands: &[NodeId], join: fn(&mut Dag, NodeId, NodeId) -> NodeId| {
        let values: Option<Vec<NodeId>> = operands.iter().map(|own| with_sign(dag, *own, width)).collect();
        values?.into_iter().reduce(|joined, own| join(dag, joined, own))
    };
    match dag.node(condition).clone() {
        Node::Const(value) => Some(dag.int(if value == Int::ZERO { 0 } else { -1 })),
        Node::Slice { of, low, width: 1, signed: false } if low + 1 >= width => {
            Some(dag.slice(of, low + 1 - width, width, false))
        }
        // Lower bits are moved up.
        Node::Slice { of, low, width: 1, signed: false } => {
            let bits = dag.slice(of, 0, low + 1, false);
            Some(dag.linear(&[(bits, Int::ONE << (width - 1 - low) as usize)], Int::ZERO))
        }
        // The highest bit of a sum that saturates.
        Node::Saturate { of, width: 1, signed: false } => match *dag.node(of) {
            Node::Slice { of, low, .. } if low + 1 >= width && !matches!(dag.node(of), Node::Arg(_)) => {
                let whole = dag.saturate(of, low + 1, false);
                let same = dag.slice(whole, low, 1, false) == condition;
                same.then(|| dag.slice(whole, low + 1 - width, width, false))
            }
            _ => None,
        },
        Node::And(own) => operands(dag, &own, Dag::and),
        Node::Or(own) => operands(dag, &own, Dag::or),
        Node::Xor(own) => operands(dag, &own, Dag::xor),
        Node::Eq(..) | Node::Lt(..) | Node::Le(..) => {
            let ones = dag.slice(condition, 0, 1, true);
            Some(dag.slice(ones, 0, width, false))
        }
        _ => None,
    }
    .map(|value| dag.slice(value, 0, width, false))
}

/// Whether a value is a condition, or a mask of ones where one holds.
pub(crate) fn is_condition(dag: &Dag, mut value: NodeId) -> bool {
    while let Node::Slice { of, low: 0, .. } = *dag.node(value) {
        value = of;
    }
    matches!(dag.node(value), Node::Lt(..) | Node::Le(..) | Node::Eq(..))
}

/// Whether a value is shifted by a computed count, which instructions may take either way, or with limits of their own.
pub(crate) fn is_computed_shift(dag: &Dag, value: NodeId) -> bool {
    match *dag.node(value) {
        Node::Slice { of, .. } | Node::Saturate { of, .. } => is_computed_shift(dag, of),
        Node::Select(_, then, otherwise) => is_computed_shift(dag, then) || is_computed_shift(dag, otherwise),
        Node::Shr(_, count) | Node::Shl(_, count) => dag.as_int(count).is_none(),
        _ => false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_condition_is_the_sign_of_what_it_is_computed_from() {
        let mut dag = Dag::new(vec![16; 2]);
        let sign = |dag: &mut Dag, arg: u32, low: u32| dag.arg_slice(arg, low, 1, false);
        let (a, b, low) = (sign(&mut dag, 0, 15), sign(&mut dag, 1, 15), sign(&mut dag, 0, 5));
        let (c, d) = (dag.arg_slice(0, 0, 16, true), dag.arg_slice(1, 0, 16, true));
        let (differ, less) = (dag.xor(a, b), dag.lt(c, d));
        let opposite = dag.complement(differ);
        let all = dag.and(opposite, less);
        for condition in [a, low, differ, less, opposite, all] {
            let value = with_sign(&mut dag, condition, 16).expect("a value");
            assert_eq!(dag.slice(value, 15, 1, false), condition, "{}", dag.show(value));
        }
        let both = with_sign(&mut dag, differ, 16).expect("a value");
        let (whole, other) = (dag.arg_slice(0, 0, 16, false), dag.arg_slice(1, 0, 16, false));
        assert_eq!(both, dag.xor(whole, other));
    }
}
