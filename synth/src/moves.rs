//! Movements of containers: operations whose lanes are lanes of their operands.

use crate::contents::{Content, Entry, Place, Source, States, Wanted, gather};
use crate::options::{Finder, MAX_MOVES, Way, in_order};
use crate::table::{OpId, Permutation, crosses, packs_in_halves};
use search::Class;

impl Finder<'_, '_> {
    /// Operations that move containers.
    pub(crate) fn moved(&mut self, states: &mut States, wanted: &Wanted, moves: u8, ways: &mut Vec<Way>) {
        let table = self.table;
        // What is in order in one register only goes into registers of another width.
        let loaded = |entry: &Entry| {
            entry.source().is_some() && self.is_plain(*entry) && self.meaning.window().in_registers
        };
        // Nor are bytes with constants beside them computed where they are: tables are looked up with such indices.
        let by_bytes = self.meaning.window().in_registers && wanted.container == 8;
        let mixed = |content: &Content| {
            let constant = |entry: &Entry| matches!(entry, Entry::Uniform(_));
            let value = |entry: &Entry| entry.source().is_some();
            by_bytes && content.iter().any(constant) && content.iter().any(value)
        };
        let settled = wanted.registers.iter().all(|content| {
            in_order(content) && is_aligned(content) && !content.iter().any(loaded) && !mixed(content)
        });
        let packed = settled && self.is_packed_in_halves(wanted);
        // Those are few steps away.
        let moves = if settled { moves.min(MAX_MOVES) } else { moves };
        let permutes = self.only_moves || self.meaning.window().in_registers;
        if !settled && wanted.ty.class == Class::Vector && permutes {
            self.permuted(states, wanted, moves, ways);
            self.arranged(states, wanted, moves, ways);
        }
        for template in table.templates(wanted.container) {
            if !table.template(*template).moves {
                continue;
            }
            for op in table.members(*template) {
                let own = table.op(*op);
                let same = own.args.iter().all(|ty| *ty == wanted.ty);
                let uncrosses = || packed && crosses(&own.reads, wanted.container);
                if own.result == wanted.ty && (!(settled && same) || uncrosses()) {
                    self.apply(states, wanted, *op, &mut |_, entry, _, _| entry, moves - 1, ways);
                }
            }
        }
    }

    /// Whether an operation computes what is wanted that packs each half of its operands: its middle quarters are then
    /// exchanged.
    fn is_packed_in_halves(&mut self, wanted: &Wanted) -> bool {
        let Some(value) = wanted.only_value() else { return false };
        let table = self.table;
        self.matching(value, wanted.container).iter().any(|(template, _)| {
            let members = table.members(*template).iter().map(|op| table.op(*op));
            members.into_iter().any(|op| op.result == wanted.ty && packs_in_halves(&op.reads))
        })
    }

    /// Operations that a constant index makes movements: of registers in order, or of elements that are in their places
    /// in two registers.
    fn permuted(&mut self, states: &mut States, wanted: &Wanted, moves: u8, ways: &mut Vec<Way>) {
        let table = self.table;
        for (op, permutation) in table.permutations(wanted.container) {
            let own = table.op(*op);
            if own.result != wanted.ty {
                continue;
            }
            for in_place in [false, true] {
                let mut steps: Vec<Vec<Content>> = Vec::new();
                for content in &wanted.registers {
                    match self.chosen(own, permutation, content, in_place) {
                        Some(operands) => steps.push(operands),
                        None => break,
                    }
                }
                if steps.len() == wanted.registers.len() {
                    ways.push(self.permutation(states, *op, permutation, steps, moves));
                }
            }
        }
    }

    /// What the operands must hold, the index among them, for the result to hold `content`.
    fn chosen(
        &mut self,
        op: &crate::table::Op,
        permutation: &Permutation,
        content: &Content,
        in_place: bool,
    ) -> Option<Vec<Content>> {
        let container = permutation.container;
        let data: Vec<usize> = (0..op.args.len()).filter(|arg| *arg != permutation.index).collect();
        let mut operands: Vec<Content> =
            op.args.iter().map(|ty| vec![Entry::Any; (ty.width / container).max(1) as usize]).collect();
        // Which operand each entry comes from: one for each register in order, or one for each source.
        let mut homes: Vec<(Source, u32)> = Vec::new();
        for entry in content {
            let Some((source, lane)) = self.home(*entry, container) else { continue };
            let lanes = op.args[data[0]].width / container;
            let home = (source, if in_place { 0 } else { lane / lanes });
            if !homes.contains(&home) {
                homes.push(home);
            }
        }
        if homes.is_empty() || homes.len() > data.len() || in_place && homes.len() < 2 {
            return None;
        }
        for (home, arg) in homes.iter().zip(&data) {
            let lanes = op.args[*arg].width / container;
            for (position, entry) in content.iter().enumerate() {
                let Some((source, lane)) = self.home(*entry, container) else { continue };
                if in_place && source == home.0 {
                    *operands[*arg].get_mut(position)? = *entry;
                } else if !in_place && (source, lane / lanes) == *home {
                    operands[*arg][(lane % lanes) as usize] = *entry;
                }
            }
        }
        let mut index = Vec::new();
        for (entry, outcomes) in content.iter().zip(&permutation.outcomes) {
            let value = match entry {
                Entry::Any => {
                    index.push(Entry::Any);
                    continue;
                }
                _ => outcomes.iter().find(|(_, outcome)| match outcome {
                    Some((arg, low)) => {
                        data.contains(&(*arg as usize))
                            && operands[*arg as usize].get((low / container) as usize) == Some(entry)
                    }
                    None => self.is_zero(*entry),
                })?,
            };
            index.push(Entry::Uniform(self.meaning.dag.int(value.0)));
        }
        operands[permutation.index] = index;
        Some(operands)
    }

    pub(crate) fn is_zero(&self, entry: Entry) -> bool {
        matches!(entry, Entry::Uniform(value) if self.meaning.dag.as_i64(value) == Some(0))
    }

    fn permutation(
        &mut self,
        states: &mut States,
        op: OpId,
        permutation: &Permutation,
        steps: Vec<Vec<Content>>,
        moves: u8,
    ) -> Way {
        let own = self.table.op(op);
        let mut way: Vec<(OpId, Vec<Place>)> = steps.iter().map(|_| (op, Vec::new())).collect();
        for (arg, ty) in own.args.iter().enumerate() {
            let container =
                if arg == permutation.index { permutation.index_width } else { permutation.container };
            let contents = steps.iter().map(|operands| operands[arg].clone()).collect();
            for (place, step) in gather(states, *ty, container, contents, moves - 1).into_iter().zip(&mut way)
            {
                step.1.push(place);
            }
        }
        Way::Apply(way)
    }
}

/// Whether a register holds what stands at the same places in registers in order; where all places are taken it can be
/// loaded, or is computed as it is.
fn is_aligned(content: &Content) -> bool {
    let gaps = content.chunks(2).all(|two| two.contains(&Entry::Any));
    if !gaps {
        return true;
    }
    let first = content.iter().enumerate().find(|(_, entry)| entry.source().is_some());
    first.is_none_or(|(position, entry)| entry.lane() as usize % content.len() == position)
}
