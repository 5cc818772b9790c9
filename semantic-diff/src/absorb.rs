//! Choices between a value and an operation on that value, as the operation on a choice:
//! `c ? x + y : x` is `x + (c ? y : 0)`, and the same for products, bitwise operators and extrema.
//!
//! A text that skips elements and a text that fills them with neutral values become one expression. The
//! solver does not see this through a chain of sixteen.

use std::collections::BTreeMap;

use hydride_ir::exact::{Dag, Int, Node, NodeId};

/// Number of operators that a walk visits before it leaves the rest unchanged.
const MAX_DEPTH: u32 = 256;

/// The node with the choices inside its sums, products, bitwise operators and extrema moved inward. It is equal
/// to the given one for all inputs.
pub(crate) fn absorb(dag: &mut Dag, node: NodeId, memo: &mut BTreeMap<NodeId, NodeId>) -> NodeId {
    descend(dag, node, memo, 0)
}

fn descend(dag: &mut Dag, node: NodeId, memo: &mut BTreeMap<NodeId, NodeId>, depth: u32) -> NodeId {
    if depth == MAX_DEPTH {
        return node;
    }
    if let Some(known) = memo.get(&node) {
        return *known;
    }
    let mut own = |dag: &mut Dag, operand: NodeId| descend(dag, operand, memo, depth + 1);
    let result = match dag.node(node).clone() {
        Node::Select(condition, then, otherwise) => {
            let (then, otherwise) = (own(dag, then), own(dag, otherwise));
            choice(dag, condition, then, otherwise)
        }
        Node::Slice { of, low, width, signed } if !matches!(dag.node(of), Node::Arg(_)) => {
            let of = own(dag, of);
            dag.slice(of, low, width, signed)
        }
        Node::Sum { terms, constant } => {
            let terms: Vec<(NodeId, Int)> =
                terms.iter().map(|(term, factor)| (own(dag, *term), factor.clone())).collect();
            dag.linear(&terms, constant)
        }
        other => match Joining::of(&other) {
            Some((joining, operands)) => {
                let operands: Vec<NodeId> = operands.iter().map(|operand| own(dag, *operand)).collect();
                joining.join(dag, &operands)
            }
            None => node,
        },
    };
    memo.insert(node, result);
    result
}

/// An associative and commutative operator whose nodes are flat.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Joining {
    Mul,
    And,
    Or,
    Xor,
    Min,
    Max,
}

impl Joining {
    fn of(node: &Node) -> Option<(Self, Vec<NodeId>)> {
        let (joining, operands) = match node {
            Node::Mul(operands) => (Self::Mul, operands),
            Node::And(operands) => (Self::And, operands),
            Node::Or(operands) => (Self::Or, operands),
            Node::Xor(operands) => (Self::Xor, operands),
            Node::Min(operands) => (Self::Min, operands),
            Node::Max(operands) => (Self::Max, operands),
            _ => return None,
        };
        Some((joining, operands.to_vec()))
    }

    fn join(self, dag: &mut Dag, operands: &[NodeId]) -> NodeId {
        let op = match self {
            Self::Mul => Dag::mul,
            Self::And => Dag::and,
            Self::Or => Dag::or,
            Self::Xor => Dag::xor,
            Self::Min => Dag::min,
            Self::Max => Dag::max,
        };
        let mut operands = operands.iter().copied();
        let first = operands.next().unwrap_or_else(|| dag.int(0));
        operands.fold(first, |joined, operand| op(dag, joined, operand))
    }

    /// What joined with `value` gives `value`, for all inputs.
    fn neutral(self, dag: &mut Dag, value: NodeId) -> Option<NodeId> {
        let constant = match self {
            Self::Mul => Int::ONE,
            Self::And => -Int::ONE,
            Self::Or | Self::Xor => Int::ZERO,
            Self::Min => dag.range(value).high.clone()?,
            Self::Max => dag.range(value).low.clone()?,
        };
        Some(dag.int(constant))
    }
}

/// `condition ? then : otherwise`, moved inward where the one is an operation on the other.
fn choice(dag: &mut Dag, condition: NodeId, then: NodeId, otherwise: NodeId) -> NodeId {
    for (larger, smaller, taken) in [(then, otherwise, true), (otherwise, then, false)] {
        if let Some((rest, joining)) = beyond(dag, larger, smaller) {
            let neutral = match joining {
                Some(joining) => joining.neutral(dag, smaller),
                None => Some(dag.int(0)),
            };
            let Some(neutral) = neutral else { continue };
            let part = match taken {
                true => dag.select(condition, rest, neutral),
                false => dag.select(condition, neutral, rest),
            };
            return match joining {
                Some(joining) => joining.join(dag, &[smaller, part]),
                None => dag.sum(&[smaller, part]),
            };
        }
    }
    dag.select(condition, then, otherwise)
}

/// What `larger` joins to `smaller`, and by which operator; nothing for a sum.
fn beyond(dag: &mut Dag, larger: NodeId, smaller: NodeId) -> Option<(NodeId, Option<Joining>)> {
    if let Node::Sum { terms, .. } = dag.node(larger) {
        let count = terms.len();
        let rest = dag.sub(larger, smaller);
        let fewer = match dag.node(rest) {
            Node::Sum { terms, .. } => terms.len() < count,
            _ => true,
        };
        return fewer.then_some((rest, None));
    }
    let (joining, mut operands) = Joining::of(dag.node(larger))?;
    let inner = match Joining::of(dag.node(smaller)) {
        Some((same, inner)) if same == joining => inner,
        _ => vec![smaller],
    };
    for operand in inner {
        let place = operands.iter().position(|own| *own == operand)?;
        operands.remove(place);
    }
    if operands.is_empty() {
        return None;
    }
    Some((joining.join(dag, &operands), Some(joining)))
}
