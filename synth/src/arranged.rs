//! Movements whose immediate is found for what is wanted.

use crate::contents::{Content, Entry, States, Wanted};
use crate::moves::{BLOCK, Homes, applied};
use crate::options::{Finder, Way};
use crate::table::{Arrangement, OpId};

impl Finder<'_, '_> {
    /// Operations that move elements by an immediate: of registers in order, or of elements that are in their places.
    pub(crate) fn arranged(&mut self, states: &mut States, wanted: &Wanted, moves: u8, ways: &mut Vec<Way>) {
        let table = self.table;
        for (first, arrangement) in table.arrangements(wanted.container) {
            if table.op(*first).result != wanted.ty {
                continue;
            }
            let all = [Homes::Ordered, Homes::Placed, Homes::Shifted];
            for (homes, swapped) in all.into_iter().flat_map(|homes| [(homes, false), (homes, true)]) {
                let steps: Option<Vec<(OpId, Vec<Content>)>> = wanted
                    .registers
                    .iter()
                    .map(|content| self.by_immediate(*first, arrangement, content, swapped, homes))
                    .collect();
                let Some(steps) = steps else { continue };
                // Leaving everything where it is is no movement.
                if steps.iter().flat_map(|(_, operands)| operands).any(|held| wanted.registers.contains(held))
                {
                    continue;
                }
                let args = &table.op(*first).args;
                let way = applied(states, args, &steps, &|_| wanted.container, moves - 1);
                if !ways.contains(&way) {
                    ways.push(way);
                }
            }
        }
    }

    /// The operation, and what its operands hold, for the result to hold `content`.
    fn by_immediate(
        &mut self,
        first: OpId,
        arrangement: &Arrangement,
        content: &Content,
        swapped: bool,
        homes: Homes,
    ) -> Option<(OpId, Vec<Content>)> {
        let (op, container) = (self.table.op(first), arrangement.container);
        let width = op.args.iter().map(|own| own.width).max()?;
        if homes == Homes::Shifted && (width <= BLOCK || !self.meaning.window().in_registers) {
            return None;
        }
        let mut registers = self.registers(content, homes, width, container);
        // Of a register that is as wide as the result, no lower part is read where operations read the whole.
        let reads = width > op.result.width || op.args.iter().all(|own| own.width == width);
        let fits = reads && (1..=op.args.len()).contains(&registers.len());
        let places = homes == Homes::Ordered || registers.len() > 1;
        if !fits || !places || swapped && op.args.len() != 2 {
            return None;
        }
        // Two operands may be one register.
        if registers.len() < op.args.len() && !swapped {
            registers.resize(op.args.len(), registers[0]);
        }
        let lanes = |arg: usize| (op.args[arg].width / container) as usize;
        let mut operands: Vec<Content> = (0..op.args.len()).map(|arg| vec![Entry::Any; lanes(arg)]).collect();
        for (at, register) in registers.iter().enumerate() {
            let arg = if swapped { 1 - at } else { at };
            let mut held = self.held(content, homes, *register, width, container)?;
            // A narrower operand is the lower part of a register.
            if held.drain(lanes(arg)..).any(|entry| entry != Entry::Any) {
                return None;
            }
            operands[arg] = match homes {
                Homes::Shifted => self.in_whole_blocks(held, container),
                _ => held,
            };
        }
        let found = arrangement.find(|lane, outcome| match (content[lane], outcome) {
            (Entry::Any, _) => true,
            (entry, None) => self.is_zero(entry),
            (entry, Some((arg, low))) => {
                entry.source().is_some()
                    && operands[arg as usize].get((low / container) as usize) == Some(&entry)
            }
        })?;
        Some((OpId(first.0 + found as u32), operands))
    }
}
