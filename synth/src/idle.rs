//! Slots that do not matter where others are zero: an instruction that adds up two products gives one of them when one
//! factor of the other is zero, whatever its other factor is.

use hydride_ir::exact::{Dag, Node, NodeId};

use crate::table::Template;
use crate::unify::Binding;

/// For each slot whether it has no value and can hold anything, because it is only multiplied by slots that are bound to zero.
pub(crate) fn idle(dag: &Dag, template: &Template, binding: &Binding) -> Vec<bool> {
    let zero: Vec<usize> = (0..binding.len())
        .filter(|slot| binding[*slot].is_some_and(|value| dag.as_i64(value) == Some(0)))
        .collect();
    let mut idle: Vec<bool> = binding.iter().map(|value| !zero.is_empty() && value.is_none()).collect();
    if !idle.contains(&true) {
        return idle;
    }
    // What is reached from the root other than through a product with a zero factor matters.
    let mut pending = vec![template.root];
    while let Some(id) = pending.pop() {
        if is_zero(&template.dag, id, &zero) {
            continue;
        }
        let node = template.dag.node(id);
        if let Node::Arg(slot) = node {
            idle[*slot as usize] = false;
        }
        pending.extend(node.operands());
    }
    idle
}

/// Whether a value is zero because these slots are.
fn is_zero(dag: &Dag, node: NodeId, zero: &[usize]) -> bool {
    match dag.node(node) {
        Node::Arg(slot) => zero.contains(&(*slot as usize)),
        Node::Slice { of, .. } => is_zero(dag, *of, zero),
        Node::Mul(factors) => factors.iter().any(|factor| is_zero(dag, *factor, zero)),
        _ => false,
    }
}
