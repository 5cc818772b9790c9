//! Leading zeros of words by those of all their bytes at once: a lookup counts the zeros of four bits, and of the counts of a word's
//! bytes, each with the bytes above it, the least counts.
//!
//! ```text
//! clz(x) = min(32, z3, z2 | 8, z1 | 16, z0 | 24)   where zk is that of byte k, below 8, and 255 where this is zero
//! ```

use hydride_ir::exact::{Dag, Int, Node, NodeId, Part};

use crate::contents::{Content, Entry, States, Wanted, gather};
use crate::forms::whole_of;
use crate::options::{Finder, Way, max_moves};
use crate::table::{CONTAINERS, TemplateId};
use crate::window::Meaning;

/// Bits of a byte, and of what a lookup counts.
const BYTE: u32 = 8;
const NIBBLE: u32 = 4;

/// What a byte without ones counts: more than a word has bits, so that it is never the least.
const NONE: i64 = 255;

impl Finder<'_, '_> {
    /// The leading zeros of a word that fills its container but for some bits, where no instruction counts any.
    pub(crate) fn zeros_of_bytes(&mut self, value: NodeId, container: u32) -> Option<NodeId> {
        let Node::LeadingZeros(of, width) = *self.meaning.dag.node(value) else { return None };
        let counts = |id: &TemplateId| {
            let template = self.table.template(*id);
            let nodes = template.dag.reachable([template.root]);
            nodes.into_iter().any(|node| matches!(template.dag.node(node), Node::LeadingZeros(..)))
        };
        let fits = matches!(container, 16 | 32) && (container - BYTE..=container).contains(&width);
        if !fits || CONTAINERS.iter().flat_map(|own| self.table.templates(*own)).any(counts) {
            return None;
        }
        let zeros = of_bytes(self.meaning, of, container);
        Some(self.meaning.dag.linear(&[(zeros, Int::ONE)], Int::from(width) - Int::from(container)))
    }

    /// Adds the operation on bytes that gives a word of bytes, each the lesser of two that lie where it does; says whether there is
    /// one.
    pub(crate) fn by_bytes(
        &mut self,
        states: &mut States,
        wanted: &Wanted,
        value: NodeId,
        ways: &mut Vec<Way>,
    ) -> bool {
        let Some(least) = LeastBytes::read(&mut self.meaning.dag, value, wanted.container) else {
            return false;
        };
        if !wanted.holds_values_alone() {
            return false;
        }
        let before = ways.len();
        for op in self.bytewise(wanted, |node| matches!(node, Node::Min(_))) {
            let template = self.table.op(op).template;
            let gives = |(byte, [one, other]): &(NodeId, [NodeId; 2])| {
                self.gives(template, &vec![Some(*one), Some(*other)], *byte)
            };
            if !least.bytes.iter().all(gives) {
                continue;
            }
            let [first, second] = least.sides.map(|side| {
                let contents = self.lanes_of(wanted, side);
                gather(states, wanted.ty, wanted.container, contents, max_moves(self.meaning.window()))
            });
            let steps = first.into_iter().zip(second).map(|(first, second)| (op, vec![first, second]));
            ways.push(Way::Apply(steps.collect()));
        }
        ways.len() > before
    }

    /// The registers that are wanted with another value in their lanes.
    fn lanes_of(&mut self, wanted: &Wanted, value: NodeId) -> Vec<Content> {
        let mut own = |entry: &Entry| match *entry {
            Entry::Value(_, lane) => self.entry(value, wanted.container, lane),
            _ => Entry::Any,
        };
        wanted.registers.iter().map(|content| content.iter().map(&mut own).collect()).collect()
    }
}

/// The leading zeros of the low `width` bits of a value over named words: its bits from the fifth on, the counts of the lower and of
/// the upper halves of its bytes, and those of its bytes.
fn of_bytes(meaning: &mut Meaning<'_>, of: NodeId, width: u32) -> NodeId {
    let bits = meaning.dag.slice(of, 0, width, false);
    let bits = match meaning.dag.node(whole_of(&meaning.dag, bits)) {
        Node::Arg(_) => bits,
        _ => meaning.word(bits, width),
    };
    let moved = meaning.dag.slice(bits, NIBBLE, width - NIBBLE, false);
    let moved = meaning.word(moved, width);
    let [lower, upper] = [(bits, NIBBLE), (moved, 0)].map(|(bits, more)| {
        let counts = each_byte(&mut meaning.dag, width, |dag, low| zeros_of_nibble(dag, bits, low, more));
        meaning.word(counts, width)
    });
    let bytes = each_byte(&mut meaning.dag, width, |dag, low| {
        let [lower, upper] = [lower, upper].map(|side| dag.slice(side, low, BYTE, false));
        dag.min(lower, upper)
    });
    let bytes = meaning.word(bytes, width);
    // What a byte counts less than its own bits is below these.
    let above = each_byte(&mut meaning.dag, width, |dag, low| dag.int(width - BYTE - low));
    let counts = meaning.dag.or(bytes, above);
    let counts = meaning.word(counts, width);
    // Two by two, each of the lesser ones a word: the ways to part all of them are many.
    let mut least: Vec<NodeId> =
        (0..width).step_by(BYTE as usize).map(|low| meaning.dag.slice(counts, low, BYTE, false)).collect();
    while least.len() > 1 {
        let lesser = |two: &[NodeId]| {
            let own = meaning.dag.min(two[0], two[1]);
            meaning.word(own, width)
        };
        least = least.chunks(2).map(lesser).collect();
    }
    let most = meaning.dag.int(width);
    meaning.dag.min(least[0], most)
}

/// A word of bytes, by the lowest bit of each.
fn each_byte(dag: &mut Dag, width: u32, mut byte: impl FnMut(&mut Dag, u32) -> NodeId) -> NodeId {
    let parts: Vec<Part> =
        (0..width).step_by(BYTE as usize).map(|low| Part { node: byte(dag, low), width: BYTE }).collect();
    dag.concat(&parts)
}

/// The zeros above the highest one of four bits, and `more`.
fn zeros_of_nibble(dag: &mut Dag, of: NodeId, low: u32, more: u32) -> NodeId {
    let nibble = dag.slice(of, low, NIBBLE, false);
    let (zero, none) = (dag.int(0), dag.int(NONE));
    let (is_zero, zeros) = (dag.eq(nibble, zero), dag.leading_zeros(nibble, NIBBLE));
    let zeros = dag.linear(&[(zeros, Int::ONE)], Int::from(more));
    dag.select(is_zero, none, zeros)
}

/// A word whose bytes are each the lesser of two.
struct LeastBytes {
    /// Each byte with the two.
    bytes: Vec<(NodeId, [NodeId; 2])>,
    /// The words of the first and of the second ones.
    sides: [NodeId; 2],
}

impl LeastBytes {
    fn read(dag: &mut Dag, value: NodeId, container: u32) -> Option<Self> {
        let Node::Concat(parts) = dag.node(value).clone() else { return None };
        let two = |part: &Part| match dag.node(part.node) {
            Node::Min(two) if part.width == BYTE => {
                Some((part.node, <[NodeId; 2]>::try_from(&two[..]).ok()?))
            }
            _ => None,
        };
        let bytes: Vec<_> = parts.iter().map(two).collect::<Option<_>>()?;
        if bytes.len() as u32 * BYTE != container {
            return None;
        }
        let sides = [0, 1].map(|side| {
            let parts: Vec<Part> =
                bytes.iter().map(|(_, two)| Part { node: two[side], width: BYTE }).collect();
            dag.concat(&parts)
        });
        Some(Self { bytes, sides })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::equal::assert_equal;
    use crate::window::Window;

    #[test]
    fn leading_zeros_are_the_least_of_those_of_bytes() {
        for width in [16, 32] {
            let line = format!(
                r#"{{"name":"w","leaves":[{{"name":"a","type":"u{width}x4","kind":"dense"}}],"expr":"a:u{width}x4"}}"#
            );
            let window = Window::read(&line, 1).expect("a window");
            let mut meaning = Meaning::new(&window);
            let bits = meaning.unknown(width);
            let mut value = of_bytes(&mut meaning, bits, width);
            let zeros = meaning.dag.leading_zeros(bits, width);
            while let Some(defined) = meaning.defined(value) {
                value = defined;
            }
            assert_equal(&meaning.dag, zeros, value);
        }
    }
}
