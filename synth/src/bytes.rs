//! Shifts of bytes down, which many targets have no instruction for: two bytes side by side are shifted as one element, and a mask
//! clears what came from the neighbor.

use hydride_ir::exact::{Dag, Node, NodeId, Part};
use search::Class;

use crate::contents::{Content, Entry, States, Wanted, gather};
use crate::options::{Finder, Way, max_moves};
use crate::table::{OpId, TemplateId};

/// Bits of a byte.
const BYTE: u32 = 8;

/// Bits of a byte, moved down.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Shift {
    /// The argument that the byte is.
    arg: u32,
    /// How far the bits are moved.
    down: u32,
    /// Bits that are kept after that.
    mask: u32,
}

impl Shift {
    fn read(dag: &Dag, value: NodeId) -> Option<Self> {
        let Node::Slice { of, low, width, signed: false } = *dag.node(value) else { return None };
        let Node::Arg(arg) = *dag.node(of) else { return None };
        let is_byte = dag.arg_widths()[arg as usize] == BYTE;
        (is_byte && low > 0).then_some(Self { arg, down: low, mask: (1 << width) - 1 })
    }

    /// Two bytes as one element, shifted.
    fn of(self, dag: &mut Dag, low: NodeId, high: NodeId) -> NodeId {
        let both = dag.concat(&[Part { node: low, width: BYTE }, Part { node: high, width: BYTE }]);
        dag.slice(both, self.down, 2 * BYTE - self.down, false)
    }
}

impl Finder<'_, '_> {
    /// Masks over shifted pairs of bytes that give a value in each byte.
    pub(crate) fn paired(
        &mut self,
        states: &mut States,
        wanted: &Wanted,
        value: NodeId,
        ways: &mut Vec<Way>,
    ) {
        if wanted.container != BYTE || wanted.ty.class != Class::Vector {
            return;
        }
        let Some(shift) = Shift::read(&self.meaning.dag, value) else { return };
        let Some(contents) = self.pairs_of_bytes(shift, wanted, value) else { return };
        for op in self.masking(shift, value) {
            let own = self.table.op(op);
            if own.result != wanted.ty || own.args != [wanted.ty; 2] {
                continue;
            }
            let mask = self.meaning.dag.int(shift.mask);
            let mask: Content = vec![Entry::Uniform(mask); contents[0].len() * 2];
            let moves = max_moves(self.meaning.window());
            let shifted = gather(states, wanted.ty, 2 * BYTE, contents.clone(), moves);
            let masks = gather(states, wanted.ty, BYTE, vec![mask; contents.len()], moves);
            let steps = shifted.into_iter().zip(masks).map(|(shifted, mask)| (op, vec![shifted, mask]));
            ways.push(Way::Apply(steps.collect()));
        }
    }

    /// What registers hold in pairs of bytes before they are masked.
    fn pairs_of_bytes(&mut self, shift: Shift, wanted: &Wanted, value: NodeId) -> Option<Vec<Content>> {
        let own = self.meaning.sample(shift.arg)?.to_vec();
        let lane = |entry: Entry| match entry {
            Entry::Value(of, lane) if of == value => Some(lane as usize),
            _ => None,
        };
        // For each lane the element in the byte above.
        let mut above = own.clone();
        let mut pairs: Vec<Vec<Option<usize>>> = Vec::new();
        for content in &wanted.registers {
            let mut lanes = Vec::new();
            for two in content.chunks(2) {
                match (two[0], *two.get(1)?) {
                    (Entry::Any, Entry::Any) => lanes.push(None),
                    (low, Entry::Any) => lanes.push(Some(lane(low)?)),
                    (low, high) => {
                        let (low, high) = (lane(low)?, lane(high)?);
                        *above.get_mut(low)? = *own.get(high)?;
                        lanes.push(Some(low));
                    }
                }
            }
            pairs.push(lanes);
        }
        let neighbor = self.meaning.sample_of(&above)?;
        let dag = &mut self.meaning.dag;
        let (low, high) = (dag.arg_slice(shift.arg, 0, BYTE, false), dag.arg_slice(neighbor, 0, BYTE, false));
        let both = shift.of(dag, low, high);
        let mut contents = Vec::new();
        for lanes in pairs {
            let entry =
                |lane: Option<usize>| lane.map_or(Entry::Any, |lane| self.entry(both, 2 * BYTE, lane as u32));
            contents.push(lanes.into_iter().map(entry).collect());
        }
        Some(contents)
    }

    /// Operations that clear bits of their first operand where those of their second one are zero.
    fn masking(&mut self, shift: Shift, value: NodeId) -> Vec<OpId> {
        let table = self.table;
        let is_and = |id: &&TemplateId| {
            let template = table.template(**id);
            template.slots == [BYTE; 2] && matches!(template.dag.node(template.root), Node::And(_))
        };
        let dag = &mut self.meaning.dag;
        let low = dag.arg_slice(shift.arg, 0, BYTE, false);
        let unknown = self.meaning.unknown(BYTE);
        let dag = &mut self.meaning.dag;
        let shifted = shift.of(dag, low, unknown);
        let (shifted, mask) = (dag.slice(shifted, 0, BYTE, false), dag.int(shift.mask));
        let binding = vec![Some(shifted), Some(mask)];
        let mut found = Vec::new();
        for id in table.templates(BYTE).iter().filter(is_and) {
            if self.gives(*id, &binding, value) {
                let in_order = |op: &&OpId| {
                    let reads = &table.op(**op).reads;
                    let own = |lane: usize| [(0, BYTE * lane as u32), (1, BYTE * lane as u32)];
                    (0..reads.len()).all(|lane| reads[lane] == own(lane))
                };
                found.extend(table.members(*id).iter().filter(in_order).copied());
            }
        }
        found
    }
}

#[cfg(test)]
mod tests {
    use smt::{Prover, Verdict};

    use super::*;

    #[test]
    fn bits_of_bytes_are_masked_bits_of_pairs() {
        for (low, width) in [(4, 4), (2, 3), (1, 7), (7, 1)] {
            let mut dag = Dag::new(vec![8; 2]);
            let value = dag.arg_slice(0, low, width, false);
            let shift = Shift::read(&dag, value).expect("moved bits");
            let (own, neighbor) = (dag.arg_slice(0, 0, 8, false), dag.arg_slice(1, 0, 8, false));
            let both = shift.of(&mut dag, own, neighbor);
            let (byte, mask) = (dag.slice(both, 0, 8, false), dag.int(shift.mask));
            let masked = dag.and(byte, mask);
            assert_eq!(Prover::new().equal_integers(&dag, value, masked), Verdict::Equal, "{low} {width}");
        }
    }

    #[test]
    fn bits_in_their_places_are_not_moved() {
        let mut dag = Dag::new(vec![8, 16]);
        let (whole, wide) = (dag.arg_slice(0, 0, 8, false), dag.arg_slice(1, 4, 4, false));
        assert_eq!(Shift::read(&dag, whole), None);
        assert_eq!(Shift::read(&dag, wide), None);
    }
}
