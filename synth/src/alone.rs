//! Instructions of which no operation on lanes is known, over whole leaves: shuffles by computed indices, sums that read
//! overlapping elements, conversions into the lowest lane. What each gives for the leaves is there to be found as it is.

use hydride_ir::exact::{Dag, NodeId, Part, raise_with};
use hydride_ir::passes::open_nans;
use search::{Class, Type, specialize};

use crate::contents::{Content, Entry, Place, States, Wanted};
use crate::forms::joined;
use crate::options::{Finder, Way};
use crate::table::OpId;
use crate::window::Element;

/// Choices of leaves for the operands of one instruction, at most.
const MAX_CHOICES: usize = 16;

/// An instruction with its operands.
pub(crate) struct Alone {
    op: OpId,
    /// The leaf that each operand is.
    leaves: Vec<u32>,
    /// All bits of the result.
    value: NodeId,
}

impl Finder<'_, '_> {
    /// The instructions that give what one register is to hold, of whole leaves.
    pub(crate) fn alone(&mut self, states: &mut States, wanted: &Wanted, ways: &mut Vec<Way>) {
        let [content] = &wanted.registers[..] else { return };
        if !self.over_leaves.contains_key(&wanted.ty) {
            let all = self.all_alone(wanted.ty);
            self.over_leaves.insert(wanted.ty, all);
        }
        let values: Vec<Option<NodeId>> = content.iter().map(|entry| entry.bits(self.meaning)).collect();
        let dag = &mut self.meaning.dag;
        let found: Vec<(OpId, Vec<u32>)> = self.over_leaves[&wanted.ty]
            .iter()
            .filter(|own| {
                (0..).step_by(wanted.container as usize).zip(&values).all(|(low, wanted_bits)| {
                    let own = |dag: &mut Dag| dag.slice(own.value, low, wanted.container, false);
                    wanted_bits.is_none_or(|bits| own(dag) == dag.slice(bits, 0, wanted.container, false))
                })
            })
            .map(|own| (own.op, own.leaves.clone()))
            .collect();
        for (op, leaves) in found {
            let places = self.table.op(op).args.iter().zip(leaves);
            let places = places.map(|(ty, leaf)| self.whole_leaf(states, *ty, leaf)).collect();
            ways.push(Way::Apply(vec![(op, places)]));
        }
    }

    /// A leaf in a register of its own width.
    fn whole_leaf(&mut self, states: &mut States, ty: Type, leaf: u32) -> Place {
        let own = &self.meaning.window().leaves[leaf as usize];
        let elements = (0..own.ty.lanes).map(|index| Element { leaf, index });
        let (container, scalar) = (own.ty.width, own.scalar);
        let content: Content = match scalar {
            true => {
                let bits = self.meaning.element_bits(Element { leaf, index: 0 });
                vec![Entry::Uniform(bits)]
            }
            false => elements.map(Entry::Element).collect(),
        };
        let state = states.intern(Wanted { ty, container, registers: vec![content] }, 0);
        Place { state, register: 0 }
    }

    fn all_alone(&mut self, result: Type) -> Vec<Alone> {
        let table = self.table;
        let mut found = Vec::new();
        for id in table.apart() {
            let op = table.op(id);
            if op.result != result {
                continue;
            }
            for leaves in self.choices_of_leaves(&op.args) {
                let Some(function) = specialize(table.instruction(id), &op.choices) else { continue };
                let dag = &mut self.meaning.dag;
                let args: Vec<NodeId> = leaves.iter().map(|leaf| dag.arg(*leaf)).collect();
                let Ok(raised) = raise_with(dag, &open_nans(&function), &[], &args) else { continue };
                let Some(segments) = raised.results.first() else { continue };
                let parts: Vec<Part> =
                    segments.iter().map(|own| Part { node: own.value, width: own.width }).collect();
                if parts.iter().map(|part| part.width).sum::<u32>() == result.width {
                    found.push(Alone { op: id, leaves, value: joined(dag, &parts) });
                }
            }
        }
        found
    }

    /// The ways to have a leaf as each operand.
    fn choices_of_leaves(&self, args: &[Type]) -> Vec<Vec<u32>> {
        let leaves = &self.meaning.window().leaves;
        let mut choices: Vec<Vec<u32>> = vec![Vec::new()];
        for ty in args {
            let fits = |leaf: &u32| {
                let leaf = &leaves[*leaf as usize];
                let is_of_class = match ty.class {
                    Class::Vector => !leaf.scalar,
                    Class::Scalar => leaf.scalar,
                    Class::Mask | Class::Memory => false,
                };
                is_of_class && leaf.ty.bits() == ty.width
            };
            let own: Vec<u32> = (0..leaves.len() as u32).filter(fits).collect();
            choices = choices
                .into_iter()
                .flat_map(|chosen| own.iter().map(move |leaf| [&chosen[..], &[*leaf]].concat()))
                .take(MAX_CHOICES)
                .collect();
        }
        choices
    }
}
