//! Operands that do not matter: where one factor of a product is zero the other one may be anything.

use hydride_ir::exact::{Dag, Node, NodeId};

use crate::contents::{Entry, States, Wanted};
use crate::options::{Finder, Way, max_moves};
use crate::table::TemplateId;
use crate::unify::Binding;

impl Finder<'_, '_> {
    /// Adds the operations of a template with these values for its slots: once with zeros in the slots without one, and where one
    /// element is wanted in all lanes once more for each of these that another one makes idle, which then may hold anything. What
    /// stands beside an element that is repeated is seldom zero.
    pub(crate) fn bound_by(
        &mut self,
        states: &mut States,
        wanted: &Wanted,
        template: TemplateId,
        binding: &Binding,
        ways: &mut Vec<Way>,
    ) {
        let idle = match self.meaning.window().in_registers && self.repeats(wanted, template, binding) {
            true => {
                let template = self.table.template(template);
                idle(&template.dag, template.root, binding)
            }
            false => Vec::new(),
        };
        for open in std::iter::once(None).chain(idle.into_iter().map(Some)) {
            let table = self.table;
            for op in table.members(template).iter().filter(|op| table.op(**op).result == wanted.ty) {
                self.apply(
                    states,
                    wanted,
                    *op,
                    &mut |finder, _, slot, lane| {
                        let width = table.template(template).slots[slot];
                        match binding[slot] {
                            Some(value) => finder.entry(value, width, lane),
                            None if open == Some(slot) => Entry::Any,
                            None => Entry::Uniform(finder.meaning.dag.int(0)),
                        }
                    },
                    max_moves(self.meaning.window()),
                    ways,
                );
            }
        }
    }

    /// Whether a slot wants one element of a register in all lanes.
    fn repeats(&mut self, wanted: &Wanted, template: TemplateId, binding: &Binding) -> bool {
        if binding.iter().filter(|slot| slot.is_none()).count() < 2 {
            return false;
        }
        let lanes: Vec<u32> = wanted.registers.iter().flatten().map(|entry| entry.lane()).collect();
        let slots = &self.table.template(template).slots;
        binding.iter().zip(slots).any(|(slot, width)| {
            let Some(value) = *slot else { return false };
            let mut held = lanes.iter().map(|lane| self.entry(value, *width, *lane));
            let first = held.next();
            matches!(first, Some(Entry::Element(_))) && held.all(|own| Some(own) == first)
        })
    }
}

/// The slots without a value that are factors of products only, each of which another slot without one makes zero.
fn idle(dag: &Dag, root: NodeId, binding: &Binding) -> Vec<usize> {
    let open: Vec<usize> = (0..binding.len()).filter(|slot| binding[*slot].is_none()).collect();
    let is_idle = |slot: &usize| {
        let uses = |node: &NodeId| {
            dag.node(*node).operands().into_iter().any(|own| slot_of(dag, own) == Some(*slot))
        };
        // What reads the slot's bits is a slot itself.
        let users = dag.reachable([root]).into_iter();
        let mut users = users.filter(|node| slot_of(dag, *node).is_none() && uses(node)).peekable();
        users.peek().is_some()
            && users.all(|node| match dag.node(node) {
                Node::Mul(factors) => factors.iter().any(|own| {
                    slot_of(dag, *own).is_some_and(|other| other != *slot && open.contains(&other))
                }),
                _ => false,
            })
    };
    open.iter().copied().filter(is_idle).collect()
}

/// The slot that a node of a template is, or is bits of.
fn slot_of(dag: &Dag, node: NodeId) -> Option<usize> {
    match *dag.node(node) {
        Node::Arg(slot) => Some(slot as usize),
        Node::Slice { of, .. } => match *dag.node(of) {
            Node::Arg(slot) => Some(slot as usize),
            _ => None,
        },
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use hydride_ir::Function;
    use hydride_ir::exact::raise;

    use super::*;

    #[test]
    fn a_factor_of_zero_is_idle() {
        let text = "func @f(%a: 16, %b: 16, %c: 16, %d: 16) -> (%r: 32) {\n  %r[0 +: 32] = add(mul(cast.s(%a, 32), \
                    cast.s(%b, 32)), mul(cast.s(%c, 32), cast.s(%d, 32)))\n}\n";
        let function = Function::parse(text).expect("a function");
        let (dag, raised) = raise(&function).expect("values");
        let root = raised.results[0][0].value;
        let value = Some(root);
        assert_eq!(idle(&dag, root, &vec![value, value, None, None]), [2, 3]);
        assert!(idle(&dag, root, &vec![value, None, value, None]).is_empty());
        assert_eq!(idle(&dag, root, &vec![value, None, None, None]), [2, 3]);
    }
}
