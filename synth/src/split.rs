//! Halves of computed registers: the lower one is there for nothing, and the upper one is read by an operation of its own, or
//! moved down.

use search::{Class, Type};

use crate::contents::{Content, Entry, States, Wanted, in_order, sources};
use crate::options::{Finder, Way};
use crate::table::{Op, OpId, Table};

impl Finder<'_, '_> {
    /// The operands of an operation and in turn of the one that computes of upper halves ([`Table::upper`]), with both halves of
    /// what is computed in one register, of which the first operation reads the lower one; `None` where nothing changes.
    pub(crate) fn joined_halves(
        &self,
        op: OpId,
        upper: OpId,
        operands: &[Vec<Content>],
    ) -> Option<Vec<Vec<Content>>> {
        let [own, above] = [op, upper].map(|op| self.table.op(op));
        let mut joined = operands.to_vec();
        let mut changed = false;
        for pair in joined.chunks_mut(2) {
            let [low, high] = pair else { return None };
            for arg in (0..own.args.len()).filter(|arg| own.args[*arg] != above.args[*arg]) {
                if sources(&low[arg]).is_empty() || sources(&high[arg]).is_empty() {
                    continue;
                }
                for (entry, more) in high[arg].iter_mut().zip(&low[arg]) {
                    *entry = entry.joined(*more)?;
                }
                low[arg] = high[arg].clone();
                changed = true;
            }
        }
        changed.then_some(joined)
    }

    /// Registers of half a width as halves of computed ones, where lanes are in order.
    pub(crate) fn split(&mut self, states: &mut States, wanted: &Wanted, moves: u8, ways: &mut Vec<Way>) {
        let ty = Type { width: 2 * wanted.ty.width, ..wanted.ty };
        let halves = wanted.registers.chunks(2);
        if ty.class != Class::Vector
            || !self.widths.contains(&ty.width)
            || halves.len() * 2 != wanted.registers.len()
        {
            return;
        }
        let joined: Vec<Content> = halves.map(<[Content]>::concat).collect();
        if wanted.only_value().is_none()
            || !joined.iter().all(|content| is_computed(content) && in_order(content))
        {
            return;
        }
        if let Some(upper) = self.table.upper_half(wanted.ty, wanted.container) {
            let whole = Wanted { ty, container: wanted.container, registers: joined };
            ways.push(Way::Split(states.intern(whole, moves), upper));
        }
    }

    /// A register of half a width as the lower half of a computed one, where operations that make numbers wider give what it holds
    /// and fill registers of the whole width alone.
    pub(crate) fn lower_half(
        &mut self,
        states: &mut States,
        wanted: &Wanted,
        moves: u8,
        ways: &mut Vec<Way>,
    ) {
        let ty = Type { width: 2 * wanted.ty.width, ..wanted.ty };
        let ([content], Some(value)) = (&wanted.registers[..], wanted.only_value()) else { return };
        if ty.class != Class::Vector || !self.widths.contains(&ty.width) || !in_order(content) {
            return;
        }
        let mut widening: Vec<Type> = Vec::new();
        for (template, _) in self.matching(value, wanted.container) {
            let slots = &self.table.template(template).slots;
            let Some(slot) = slots.first().filter(|slot| **slot < wanted.container) else { continue };
            let members = self.table.members(template).iter().map(|op| self.table.op(*op));
            widening.extend(members.filter(|op| reads_neighbors(op, *slot)).map(|op| op.result));
        }
        if !widening.contains(&wanted.ty) && widening.contains(&ty) {
            let mut whole = content.clone();
            whole.resize(2 * content.len(), Entry::Any);
            let whole = Wanted { ty, container: wanted.container, registers: vec![whole] };
            ways.push(Way::Halves(states.intern(whole, moves)));
        }
    }
}

impl Table {
    /// The cheapest operation that gives the upper half of a register of twice a type's width.
    fn upper_half(&self, ty: Type, container: u32) -> Option<OpId> {
        let moves = self.templates(container).iter().filter(|id| self.template(**id).moves);
        let is_upper = |op: &OpId| {
            let own = self.op(*op);
            let lane =
                |(lane, reads): (u32, &Vec<(u32, u32)>)| reads[..] == [(0, ty.width + lane * container)];
            own.result == ty
                && own.args == [Type { width: 2 * ty.width, ..ty }]
                && own.reads.len() as u32 * container == ty.width
                && (0..).zip(&own.reads).all(lane)
        };
        let found = moves.flat_map(|id| self.members(*id)).copied().filter(is_upper);
        found.min_by_key(|op| {
            let instruction = self.instruction(*op);
            (instruction.uops, instruction.latency, *op)
        })
    }
}

/// Whether a register holds a value that is no constant and no element of a leaf.
fn is_computed(content: &Content) -> bool {
    content.iter().any(|entry| matches!(entry, Entry::Value(..)))
}

/// Whether the first two lanes of an operation read what lies side by side, `slot` bits apart.
fn reads_neighbors(op: &Op, slot: u32) -> bool {
    let low = |lane: usize| op.reads.get(lane)?.first().map(|(_, low)| *low);
    matches!((low(0), low(1)), (Some(first), Some(second)) if second == first + slot)
}
