//! Operators that a target has no instruction for.

use hydride_ir::Float;
use hydride_ir::exact::{Dag, Node, NodeId};
use rustc_hash::FxHashSet;

use crate::table::{CONTAINERS, Table};
use crate::window::Meaning;

/// A floating-point operator, and the bits of its result and of its operands.
type Operator = (Float<u32>, u32, u32);

/// A floating-point operator of some values that no operation has in its format and with its rounding.
pub(crate) fn missing_operator(
    meaning: &Meaning<'_>,
    table: &Table,
    roots: &[NodeId],
) -> Option<&'static str> {
    /// An operator, and how it rounds where that is always the same.
    fn operator(dag: &Dag, node: NodeId) -> Option<(Operator, Option<i64>)> {
        let Node::Float { float, width, value, operands } = dag.node(node) else { return None };
        let mode = operands.last().filter(|_| float.op.rounds()).and_then(|mode| dag.as_i64(*mode));
        Some(((*float, *width, *value), mode))
    }
    let own = meaning.dag.reachable(roots.iter().copied());
    let own: Vec<_> = own.into_iter().filter_map(|node| operator(&meaning.dag, node)).collect();
    if own.is_empty() {
        return None;
    }
    let templates = [1].iter().chain(CONTAINERS).flat_map(|container| table.templates(*container));
    let mut there = FxHashSet::default();
    for template in templates.map(|id| table.template(*id)) {
        let nodes = template.dag.reachable([template.root]);
        there.extend(nodes.into_iter().filter_map(|node| operator(&template.dag, node)));
    }
    let has = |(float, mode): &(_, Option<i64>)| match mode {
        Some(_) => there.contains(&(*float, *mode)) || there.contains(&(*float, None)),
        None => there.iter().any(|(own, _)| own == float),
    };
    own.into_iter().find(|own| !has(own)).map(|((float, _, _), _)| float.op.name())
}
