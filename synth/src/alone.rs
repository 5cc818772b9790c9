//! Instructions of which no operation on lanes is known, over whole leaves: shuffles by computed indices, sums that read
//! overlapping elements, conversions into the lowest lane. What each gives for the leaves is there to be found as it is.

use hydride_ir::exact::{Dag, NodeId, Part, raise_with};
use hydride_ir::passes::open_nans;
use search::{Class, Operand, Type, specialize};

use crate::contents::{Alone, Content, Entry, Place, Register, States, Wanted};
use crate::forms::joined;
use crate::options::{Finder, Way};
use crate::regroup::is_read;
use crate::table::OpId;
use crate::window::{Element, Meaning, Window};

/// Choices of leaves for the operands of one instruction, at most.
const MAX_CHOICES: usize = 24;

/// The same of those that may not be admitted.
const MAX_LOOKED_AT: usize = 512;

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
        if values.iter().flatten().all(|bits| is_read(dag, *bits)) {
            return;
        }
        let found: Vec<(OpId, Vec<Register>)> = self.over_leaves[&wanted.ty]
            .iter()
            .filter(|own| {
                (0..).step_by(wanted.container as usize).zip(&values).all(|(low, wanted_bits)| {
                    let own = |dag: &mut Dag| dag.slice(own.value, low, wanted.container, false);
                    wanted_bits.is_none_or(|bits| own(dag) == dag.slice(bits, 0, wanted.container, false))
                })
            })
            .map(|own| (own.op, own.registers.clone()))
            .collect();
        for (op, registers) in found {
            let places = self.table.op(op).args.iter().zip(registers);
            let places = places.map(|(ty, own)| self.register(states, *ty, own)).collect();
            ways.push(Way::Apply(vec![(op, places)]));
        }
    }

    /// Where a register of a leaf is.
    fn register(&mut self, states: &mut States, ty: Type, register: Register) -> Place {
        let (container, content) = content(self.meaning, ty, register);
        let state = states.intern(Wanted { ty, container, registers: vec![content] }, 0);
        Place { state, register: 0, low: false }
    }

    fn all_alone(&mut self, result: Type) -> Vec<Alone> {
        let table = self.table;
        let mut found = Vec::new();
        for id in table.apart() {
            let op = table.op(id);
            if op.result != result {
                continue;
            }
            let choices =
                choices_of_leaves(self.meaning.window(), &[], &table.instruction(id).operands, |_| true);
            if choices.is_empty() {
                continue;
            }
            let Some(function) = specialize(table.instruction(id), &op.choices) else { continue };
            let function = open_nans(&function);
            for registers in choices {
                let dag = &mut self.meaning.dag;
                let bits = registers.iter().zip(&op.args);
                let args: Vec<NodeId> = bits
                    .map(|((leaf, number), ty)| dag.arg_slice(*leaf, number * ty.width, ty.width, false))
                    .collect();
                let Ok(raised) = raise_with(dag, &function, &[], &args) else { continue };
                let Some(segments) = raised.results.first() else { continue };
                let parts: Vec<Part> =
                    segments.iter().map(|own| Part { node: own.value, width: own.width }).collect();
                if parts.iter().map(|part| part.width).sum::<u32>() == result.width {
                    found.push(Alone { op: id, registers, value: joined(dag, &parts) });
                }
            }
        }
        found
    }
}

/// What a register of a leaf holds, in containers of a width.
pub(crate) fn content(meaning: &mut Meaning<'_>, ty: Type, (leaf, number): Register) -> (u32, Content) {
    let own = &meaning.window().leaves[leaf as usize];
    let (scalar, element) = (own.scalar, own.ty.width);
    let container = if ty.class == Class::Mask { 1 } else { element };
    let places = 0..ty.width / container;
    let content = match scalar {
        true => {
            let (value, _) = meaning.value_of(Element { leaf, index: 0 });
            let part = |at| meaning.dag.slice(value, at * container, container, false);
            places.map(part).map(Entry::Uniform).collect()
        }
        false => {
            let first = number * places.end;
            places.map(|at| Entry::Element(Element { leaf, index: first + at })).collect()
        }
    };
    (container, content)
}

/// The ways to have a leaf as each operand, each another one, that are admitted, first those of leaves that are read; the leaves after
/// the window's own are registers of these types.
pub(crate) fn choices_of_leaves(
    window: &Window,
    computed: &[Type],
    operands: &[Operand],
    admits: impl Fn(&[Register]) -> bool,
) -> Vec<Vec<Register>> {
    let leaves: Vec<(bool, u32)> = window
        .leaves
        .iter()
        .map(|leaf| (leaf.scalar, leaf.ty.bits()))
        .chain(computed.iter().map(|ty| (false, ty.width)))
        .collect();
    let own_leaves = window.leaves.len() as u32;
    let is_read: Vec<bool> =
        (0..leaves.len() as u32).map(|leaf| leaf >= own_leaves || window.reads(leaf)).collect();
    let mut choices: Vec<Vec<Register>> = vec![Vec::new()];
    for registers in operands.iter().map(Operand::registers).filter(|registers| !registers.is_empty()) {
        let fits = |leaf: &u32| {
            let (scalar, bits) = leaves[*leaf as usize];
            let is_of_class = match registers[0].class {
                Class::Vector => !scalar,
                Class::Scalar | Class::Mask => scalar,
                Class::Memory => false,
            };
            is_of_class && bits == registers.iter().map(|ty| ty.width).sum::<u32>()
        };
        let mut own: Vec<u32> = (0..leaves.len() as u32).filter(fits).collect();
        own.sort_by_key(|leaf| !is_read[*leaf as usize]);
        let is_free = |chosen: &[Register], leaf: u32| chosen.iter().all(|own| own.0 != leaf);
        let count = registers.len() as u32;
        let with = |chosen: &[Register], leaf: u32| {
            chosen.iter().copied().chain((0..count).map(|number| (leaf, number))).collect()
        };
        choices = choices
            .iter()
            .flat_map(|chosen| {
                let free = own.iter().filter(move |leaf| is_free(chosen, **leaf));
                free.map(move |leaf| with(chosen, *leaf))
            })
            .take(MAX_LOOKED_AT)
            .collect();
    }
    choices.retain(|registers| admits(registers));
    choices.truncate(MAX_CHOICES);
    choices
}
