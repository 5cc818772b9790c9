//! Operations whose lanes have several expressions, for registers that hold several values.

use crate::contents::{Content, Entry, States, Wanted};
use crate::options::{Finder, Way, max_moves};
use crate::table::Op;

impl Finder<'_, '_> {
    /// Operations that compute some lanes in one way and the others in another, or leave them.
    pub(crate) fn mixed(&mut self, states: &mut States, wanted: &Wanted, ways: &mut Vec<Way>) {
        let table = self.table;
        for id in table.mixed(wanted.container) {
            let op = table.op(*id);
            if op.result != wanted.ty {
                continue;
            }
            let operands: Option<Vec<Vec<Content>>> =
                wanted.registers.iter().map(|content| self.mixed_operands(op, content)).collect();
            if let Some(operands) = operands {
                let ops = vec![*id; wanted.registers.len()];
                ways.extend(self.way(states, wanted, &ops, operands, max_moves(self.meaning.window())));
            }
        }
    }

    /// What the operands must hold for the result to hold `content`. What is left where it is says how others are read.
    fn mixed_operands(&mut self, op: &Op, content: &Content) -> Option<Vec<Content>> {
        let table = self.table;
        let mut operands: Vec<Content> = Vec::new();
        for (ty, container) in op.args.iter().zip(&op.containers) {
            operands.push(vec![Entry::Any; (ty.width / (*container)?) as usize]);
        }
        // Lanes beyond those that are computed are zero.
        if content.iter().skip(op.lanes.len()).any(|entry| *entry != Entry::Any && !self.is_zero(*entry)) {
            return None;
        }
        let computed = 0..content.len().min(op.lanes.len());
        let mut lanes: Vec<usize> = computed.filter(|lane| content[*lane] != Entry::Any).collect();
        lanes.sort_by_key(|lane| !table.template(op.lanes[*lane]).moves);
        for lane in lanes {
            let (entry, template) = (content[lane], table.template(op.lanes[lane]));
            let mut choices: Vec<Vec<Entry>> = match entry {
                _ if template.moves => vec![vec![entry]],
                _ => {
                    let (value, number) = self.value_of(entry)?;
                    let found = self.matching(value, template.container);
                    let own = found.into_iter().filter(|(id, _)| *id == op.lanes[lane]);
                    own.map(|(_, binding)| self.bound(&binding, &template.slots, number)).collect()
                }
            };
            // Best what operands hold lanes of already.
            choices.sort_by_key(|slots| strangers(op, &operands, lane, slots));
            operands =
                choices.iter().find_map(|slots| placed(op, &operands, lane, slots, &template.slots))?;
        }
        Some(operands)
    }

    /// What an entry holds as a value, with its lane; `None` where that does not matter.
    pub(crate) fn value_of(&mut self, entry: Entry) -> Option<(hydride_ir::exact::NodeId, u32)> {
        match entry {
            Entry::Value(value, lane) => Some((value, lane)),
            Entry::Element(element) => Some(self.meaning.value_of(element)),
            Entry::Uniform(value) => Some((value, 0)),
            Entry::Any => None,
        }
    }

    /// What slots hold in a lane; those that do not matter are open.
    pub(crate) fn bound(&mut self, binding: &crate::unify::Binding, widths: &[u32], lane: u32) -> Vec<Entry> {
        let held = binding.iter().zip(widths).map(|(slot, width)| match slot {
            Some(value) => self.entry(*value, *width, lane),
            None => Entry::Any,
        });
        held.collect()
    }
}

/// How many of a lane's slots have another source than what their operands hold by now.
pub(crate) fn strangers(op: &Op, operands: &[Content], lane: usize, slots: &[Entry]) -> usize {
    let is_stranger = |(slot, (arg, _)): &(&Entry, &(u32, u32))| {
        let mut held = operands[*arg as usize].iter().filter_map(|entry| entry.source());
        **slot != Entry::Any && held.next_back().is_some_and(|held| slot.source() != Some(held))
    };
    slots.iter().zip(&op.reads[lane]).filter(is_stranger).count()
}

/// Operands that also hold a lane's slots; `None` where they hold something else there.
pub(crate) fn placed(
    op: &Op,
    operands: &[Content],
    lane: usize,
    slots: &[Entry],
    widths: &[u32],
) -> Option<Vec<Content>> {
    let mut operands = operands.to_vec();
    for ((slot, width), (arg, low)) in slots.iter().zip(widths).zip(&op.reads[lane]) {
        let place = operands.get_mut(*arg as usize)?.get_mut((low / width) as usize)?;
        *place = place.joined(*slot)?;
    }
    Some(operands)
}
