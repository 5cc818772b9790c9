//! Shifts of bytes, which many targets have no instruction for: two bytes side by side are shifted as one element, and a mask
//! clears what came from the neighbor.

use hydride_ir::exact::{Dag, Node, NodeId, Part};
use search::Class;

use crate::contents::{Content, Entry, States, Wanted, gather};
use crate::options::{Finder, Way, max_moves};
use crate::table::{OpId, TemplateId};

/// Bits of a byte.
const BYTE: u32 = 8;

/// Bits of a byte, moved down or up.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Shift {
    /// The argument that the byte is.
    arg: u32,
    /// How far the bits are moved.
    by: u32,
    /// Whether they are moved up.
    up: bool,
    /// Bits that are kept after that.
    mask: u32,
}

impl Shift {
    fn read(dag: &mut Dag, value: NodeId) -> Option<Self> {
        let is_byte = |dag: &Dag, arg: u32| dag.arg_widths()[arg as usize] == BYTE;
        if let Node::Slice { of, low, width, signed: false } = *dag.node(value)
            && let Node::Arg(arg) = *dag.node(of)
        {
            let down = Self { arg, by: low, up: false, mask: (1 << width) - 1 };
            return (is_byte(dag, arg) && low > 0).then_some(down);
        }
        if !matches!(dag.node(value), Node::Concat(_) | Node::Sum { .. }) {
            return None;
        }
        let args = dag.reachable([value]).into_iter().filter_map(|node| match *dag.node(node) {
            Node::Arg(arg) => Some(arg),
            _ => None,
        });
        let args: Vec<u32> = args.collect();
        let [arg] = args[..] else { return None };
        let byte = is_byte(dag, arg).then(|| dag.arg_slice(arg, 0, BYTE, false))?;
        let by = (1..BYTE).find(|by| moved_up(dag, byte, *by, BYTE) == value)?;
        Some(Self { arg, by, up: true, mask: (((1 << BYTE) - 1) << by) & ((1 << BYTE) - 1) })
    }

    /// Two bytes as one element, shifted.
    fn of(self, dag: &mut Dag, low: NodeId, high: NodeId) -> NodeId {
        let both = dag.concat(&[Part { node: low, width: BYTE }, Part { node: high, width: BYTE }]);
        match self.up {
            true => moved_up(dag, both, self.by, 2 * BYTE),
            false => dag.slice(both, self.by, 2 * BYTE - self.by, false),
        }
    }

    /// The byte, with all bits of its neighbor that come into it, shifted as part of such an element.
    fn unmasked(self, dag: &mut Dag, byte: NodeId, neighbor: NodeId) -> NodeId {
        let (low, high, from) = if self.up { (neighbor, byte, BYTE) } else { (byte, neighbor, 0) };
        let shifted = self.of(dag, low, high);
        dag.slice(shifted, from, BYTE, false)
    }
}

/// The low `width` bits of a number moved up.
fn moved_up(dag: &mut Dag, number: NodeId, by: u32, width: u32) -> NodeId {
    let (zeros, bits) = (dag.int(0), dag.slice(number, 0, width - by, false));
    dag.concat(&[Part { node: zeros, width: by }, Part { node: bits, width: width - by }])
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
        let Some(shift) = Shift::read(&mut self.meaning.dag, value) else { return };
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
        let lane = |entry: Entry| match entry {
            Entry::Value(of, lane) if of == value => Some(lane as usize),
            _ => None,
        };
        let lanes = wanted.registers.iter().flatten().map(|entry| entry.lane() + 1).max()?;
        // For each lane the one in the byte above.
        let mut above: Vec<u32> = (0..lanes).collect();
        let mut pairs: Vec<Vec<Option<usize>>> = Vec::new();
        for content in &wanted.registers {
            let mut lanes = Vec::new();
            for two in content.chunks(2) {
                match (two[0], *two.get(1)?) {
                    (Entry::Any, Entry::Any) => lanes.push(None),
                    (low, Entry::Any) => lanes.push(Some(lane(low)?)),
                    (low, high) => {
                        let (low, high) = (lane(low)?, lane(high)?);
                        *above.get_mut(low)? = high as u32;
                        lanes.push(Some(low));
                    }
                }
            }
            pairs.push(lanes);
        }
        let neighbor = self.meaning.in_lanes(shift.arg, &above)?;
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
        let (shifted, mask) = (shift.unmasked(dag, low, unknown), dag.int(shift.mask));
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

    fn is_masked(dag: &mut Dag, value: NodeId) {
        let shift = Shift::read(dag, value).expect("moved bits");
        let (own, neighbor) = (dag.arg_slice(0, 0, 8, false), dag.arg_slice(1, 0, 8, false));
        let (byte, mask) = (shift.unmasked(dag, own, neighbor), dag.int(shift.mask));
        let masked = dag.and(byte, mask);
        assert_eq!(Prover::new().equal_integers(dag, value, masked), Verdict::Equal, "{shift:?}");
        // Nothing comes into the byte at the other end.
        let other =
            shift.of(dag, if shift.up { own } else { neighbor }, if shift.up { neighbor } else { own });
        let other = dag.slice(other, if shift.up { 0 } else { BYTE }, BYTE, false);
        let masked = dag.and(other, mask);
        assert_eq!(Prover::new().equal_integers(dag, value, masked), Verdict::Equal, "{shift:?}");
    }

    #[test]
    fn bits_of_bytes_are_masked_bits_of_pairs() {
        for (low, width) in [(4, 4), (2, 3), (1, 7), (7, 1)] {
            let mut dag = Dag::new(vec![8; 2]);
            let value = dag.arg_slice(0, low, width, false);
            is_masked(&mut dag, value);
        }
        for by in 1..8 {
            let mut dag = Dag::new(vec![8; 2]);
            let byte = dag.arg_slice(0, 0, 8, false);
            let value = moved_up(&mut dag, byte, by, 8);
            is_masked(&mut dag, value);
        }
    }

    #[test]
    fn bits_in_their_places_are_not_moved() {
        let mut dag = Dag::new(vec![8, 16]);
        let (whole, wide) = (dag.arg_slice(0, 0, 8, false), dag.arg_slice(1, 4, 4, false));
        assert_eq!(Shift::read(&mut dag, whole), None);
        assert_eq!(Shift::read(&mut dag, wide), None);
    }
}
