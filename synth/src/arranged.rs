//! Movements whose immediate is found for what is wanted.

use crate::contents::{Content, Entry, Place, Source, States, Wanted, gather};
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
            for (swapped, in_place) in [(false, false), (true, false), (false, true), (true, true)] {
                let steps: Option<Vec<(OpId, Vec<Content>)>> = wanted
                    .registers
                    .iter()
                    .map(|content| self.by_immediate(*first, arrangement, content, swapped, in_place))
                    .collect();
                let Some(steps) = steps else { continue };
                // Leaving everything where it is is no movement.
                if steps.iter().flat_map(|(_, operands)| operands).any(|held| wanted.registers.contains(held))
                {
                    continue;
                }
                let way = self.by_immediates(states, *first, wanted.container, steps, moves);
                if !ways.contains(&way) {
                    ways.push(way);
                }
            }
        }
    }

    /// The operation, and what its operands hold, for the result to hold `content`.
    fn by_immediate(
        &self,
        first: OpId,
        arrangement: &Arrangement,
        content: &Content,
        swapped: bool,
        in_place: bool,
    ) -> Option<(OpId, Vec<Content>)> {
        let (op, container) = (self.table.op(first), arrangement.container);
        let lanes: Vec<u32> = op.args.iter().map(|ty| ty.width / container).collect();
        let home = |entry: &Entry| {
            let (source, lane) = self.home(*entry, container)?;
            Some((source, if in_place { 0 } else { lane / lanes[0] }))
        };
        let mut homes: Vec<(Source, u32)> = Vec::new();
        for own in content.iter().filter_map(home) {
            if !homes.contains(&own) {
                homes.push(own);
            }
        }
        let fits = (1..=lanes.len()).contains(&homes.len()) && lanes.iter().all(|own| *own == lanes[0]);
        if !fits || in_place && homes.len() < 2 || swapped && lanes.len() != 2 {
            return None;
        }
        // Two operands may be one register.
        if homes.len() < lanes.len() && !swapped {
            homes.resize(lanes.len(), homes[0]);
        }
        let mut operands: Vec<Content> = lanes.iter().map(|own| vec![Entry::Any; *own as usize]).collect();
        for (at, own) in homes.iter().enumerate() {
            let arg = if swapped { 1 - at } else { at };
            for (position, entry) in content.iter().enumerate().filter(|(_, entry)| home(entry) == Some(*own))
            {
                let lane = self.home(*entry, container)?.1;
                let place = if in_place { position } else { (lane % lanes[0]) as usize };
                *operands[arg].get_mut(place)? = *entry;
            }
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

    fn by_immediates(
        &mut self,
        states: &mut States,
        first: OpId,
        container: u32,
        steps: Vec<(OpId, Vec<Content>)>,
        moves: u8,
    ) -> Way {
        let own = self.table.op(first);
        let mut way: Vec<(OpId, Vec<Place>)> = steps.iter().map(|(op, _)| (*op, Vec::new())).collect();
        for (arg, ty) in own.args.iter().enumerate() {
            let contents = steps.iter().map(|(_, operands)| operands[arg].clone()).collect();
            for (place, step) in gather(states, *ty, container, contents, moves - 1).into_iter().zip(&mut way)
            {
                step.1.push(place);
            }
        }
        Way::Apply(way)
    }
}
