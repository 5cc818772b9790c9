//! Every other element of a leaf, extended to twice its width: what operations on pairs of neighbors leave of them, without a
//! movement. A mask leaves the lower element of each pair, a shift the upper one.

use hydride_ir::exact::{Node, NodeId, Part};

use crate::contents::{Entry, Wanted};
use crate::options::Finder;
use crate::table::TemplateId;
use crate::unify::Binding;

impl Finder<'_, '_> {
    /// Operations on pairs of neighboring elements, or on such elements shifted up, that give a value made of one of them.
    pub(crate) fn of_neighbors(&mut self, wanted: &Wanted, value: NodeId) -> Vec<(TemplateId, Binding)> {
        let container = wanted.container;
        if !takes_every_other(wanted) {
            return Vec::new();
        }
        let Some(pairs) = self.pairs_of(value, container / 2) else { return Vec::new() };
        let ones = self.meaning.dag.int((1i64 << (container / 2)) - 1);
        let table = self.table;
        let mut found = Vec::new();
        for id in table.templates(container) {
            let template = table.template(*id);
            if template.moves || template.slots.iter().any(|slot| *slot != container) {
                continue;
            }
            for pair in &pairs {
                let binding = match (template.slots.len(), template.dag.node(template.root)) {
                    (1, _) => vec![Some(*pair)],
                    (2, Node::And(_)) => vec![Some(*pair), Some(ones)],
                    _ => continue,
                };
                if self.gives(*id, &binding, value) {
                    found.push((*id, binding));
                }
            }
        }
        found
    }

    /// For a value that is made of one element of `half` bits: the element with the one after it, with the one before it,
    /// and with zeros below it.
    fn pairs_of(&mut self, value: NodeId, half: u32) -> Option<[NodeId; 3]> {
        let meaning = &mut *self.meaning;
        let nodes = meaning.dag.reachable([value]);
        let args: Vec<u32> = nodes
            .into_iter()
            .filter_map(|node| if let Node::Arg(arg) = *meaning.dag.node(node) { Some(arg) } else { None })
            .collect();
        let [arg] = args[..] else { return None };
        if meaning.dag.arg_widths()[arg as usize] != half {
            return None;
        }
        let [before, element, after] = meaning.neighbors(arg)?;
        let zeros = meaning.dag.int(0);
        let mut pair = |low, high| meaning.dag.concat(&[low, high].map(|node| Part { node, width: half }));
        Some([pair(element, after), pair(before, element), pair(zeros, element)])
    }
}

/// Whether each register holds every other lane of its values, in order.
fn takes_every_other(wanted: &Wanted) -> bool {
    wanted.container >= 16
        && wanted.container <= 32
        && wanted.registers.iter().all(|content| {
            let mut lanes = content.iter().enumerate().filter_map(|(position, entry)| match entry {
                Entry::Value(_, lane) => Some(i64::from(*lane) - 2 * position as i64),
                _ => None,
            });
            let Some(first) = lanes.next() else { return false };
            lanes.clone().count() > 0 && lanes.all(|lane| lane == first)
        })
}
