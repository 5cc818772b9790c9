//! Values with their highest bit flipped: floating-point numbers with the other sign.

use hydride_ir::exact::{Dag, Int, Node, NodeId, Part};

use super::Unify;
use crate::forms::merged;

impl Unify<'_> {
    /// The slot of which a pattern is all bits, the highest one flipped: a floating-point number with the other sign.
    pub(super) fn flipped(&self, own: &Node) -> Option<u32> {
        let Node::Concat(parts) = own else { return None };
        let [low, high] = parts[..] else { return None };
        let Node::Slice { of, low: 0, width, signed: false } = *self.pattern.node(low.node) else {
            return None;
        };
        let Node::Arg(slot) = *self.pattern.node(of) else { return None };
        let Node::Xor(operands) = self.pattern.node(high.node) else { return None };
        let [first, second] = operands[..] else { return None };
        let sign = Node::Slice { of, low: width, width: 1, signed: false };
        let flips = |one: NodeId, other: NodeId| {
            self.pattern.as_i64(one) == Some(1) && *self.pattern.node(other) == sign
        };
        let whole = high.width == 1 && width + 1 == self.slots[slot as usize];
        (whole && (flips(first, second) || flips(second, first))).then_some(slot)
    }
}

/// A value of `width` bits whose highest bit is flipped, with that bit as it was; `None` where it is not flipped.
pub(super) fn unflipped(dag: &mut Dag, value: NodeId, width: u32) -> Option<NodeId> {
    let sign = dag.slice(value, width - 1, 1, false);
    match dag.node(sign) {
        Node::Xor(operands) => operands.iter().any(|own| dag.as_i64(*own) == Some(1)).then_some(())?,
        node => (*node == Node::Const(Int::ONE)).then_some(())?,
    }
    let sign = dag.complement(sign);
    let Node::Concat(below) = dag.node(value).clone() else { return None };
    let mut parts = vec![Part { node: sign, width: 1 }];
    let mut left = width - 1;
    // A constant at the top may be wider than its sign.
    let last = below.last()?;
    if last.width > 1 {
        let rest = dag.slice(last.node, 0, last.width - 1, false);
        parts.push(Part { node: rest, width: last.width - 1 });
        left = left.checked_sub(last.width - 1)?;
    }
    for part in below.iter().rev().skip(1) {
        left = left.checked_sub(part.width)?;
        let above = parts.last().copied()?;
        match merged(dag, *part, above) {
            Some(joined) => *parts.last_mut()? = joined,
            None => parts.push(*part),
        }
    }
    parts.reverse();
    (left == 0).then(|| dag.concat(&parts))
}
