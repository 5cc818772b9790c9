//! Low bytes of products of bytes, which many targets have no instruction for. Two bytes side by side are one word: the product of two
//! words has the product of their lower bytes in its lower byte, and where the lower byte of one factor is zero and the upper one of
//! the other is the lower byte, the product of the upper ones is in the upper byte.

use hydride_ir::exact::{Dag, Int, Node, NodeId, Part, Replacements};
use search::Class;

use crate::contents::{Content, Entry, States, Wanted, gather};
use crate::options::{Finder, Way, max_moves};
use crate::table::{OpId, Template};

/// Bits of a byte.
const BYTE: u32 = 8;

/// Bits of two.
const WORD: u32 = 2 * BYTE;

/// Which bytes of the words of a register hold values; the others are zero.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Held {
    /// All of them.
    Both,
    /// The lower ones.
    Lower,
    /// The upper ones.
    Upper,
}

/// The bytes of two factors, of whose product a value is the low byte.
fn factors(dag: &mut Dag, value: NodeId) -> Option<[NodeId; 2]> {
    let Node::Slice { of, low: 0, width: BYTE, .. } = *dag.node(value) else { return None };
    let Node::Mul(factors) = dag.node(of).clone() else { return None };
    let [first, second] = factors[..] else { return None };
    Some([first, second].map(|own| dag.slice(own, 0, BYTE, false)))
}

/// The low word of the product of two words.
fn product(dag: &mut Dag, words: [NodeId; 2]) -> NodeId {
    let product = dag.mul(words[0], words[1]);
    dag.slice(product, 0, WORD, false)
}

/// A word with the low byte of a product above zeros.
fn above_zeros(dag: &mut Dag, bytes: [NodeId; 2]) -> NodeId {
    let product = dag.mul(bytes[0], bytes[1]);
    let moved = dag.linear(&[(product, Int::ONE << BYTE as usize)], Int::ZERO);
    dag.slice(moved, 0, WORD, false)
}

impl Finder<'_, '_> {
    /// Bytes that are low bytes of products by products of words: the lower and the upper ones apart, and then together.
    pub(crate) fn byte_products(
        &mut self,
        states: &mut States,
        wanted: &Wanted,
        value: NodeId,
        ways: &mut Vec<Way>,
    ) {
        if wanted.container != BYTE || wanted.ty.class != Class::Vector {
            return;
        }
        let Some(bytes) = factors(&mut self.meaning.dag, value) else { return };
        let moves = max_moves(self.meaning.window());
        let zero = Entry::Uniform(self.meaning.dag.int(0));
        match held(wanted, zero) {
            Some(Held::Both) => {
                let part = |upper: usize| -> Vec<Content> {
                    let own = |(at, entry): (usize, &Entry)| if at % 2 == upper { *entry } else { zero };
                    let registers = wanted.registers.iter();
                    registers.map(|content| content.iter().enumerate().map(own).collect()).collect()
                };
                for op in self.bytewise(wanted, |node| matches!(node, Node::Or(_))) {
                    let [lower, upper] = [0, 1].map(|at| gather(states, wanted.ty, BYTE, part(at), moves));
                    let steps = lower.into_iter().zip(upper).map(|(lower, upper)| (op, vec![lower, upper]));
                    ways.push(Way::Apply(steps.collect()));
                }
            }
            Some(Held::Lower) => {
                let [Some(first), Some(second)] = bytes.map(|byte| self.with_neighbor(byte)) else { return };
                let word = product(&mut self.meaning.dag, [first, second]);
                let contents = self.words(wanted, 0, word);
                let mask = [255, 0].map(|byte: i64| Entry::Uniform(self.meaning.dag.int(byte)));
                let mask: Content = mask.into_iter().cycle().take(wanted.registers[0].len()).collect();
                for op in self.bytewise(wanted, |node| matches!(node, Node::And(_))) {
                    let words = gather(states, wanted.ty, WORD, contents.clone(), moves);
                    let masks = gather(states, wanted.ty, BYTE, vec![mask.clone(); contents.len()], moves);
                    let steps = words.into_iter().zip(masks).map(|(words, mask)| (op, vec![words, mask]));
                    ways.push(Way::Apply(steps.collect()));
                }
            }
            Some(Held::Upper) => {
                let word = above_zeros(&mut self.meaning.dag, bytes);
                let registers = self.words(wanted, 1, word);
                let words = Wanted { ty: wanted.ty, container: WORD, registers };
                ways.push(Way::Recast(states.intern(words, moves)));
            }
            None => {}
        }
    }

    /// A byte with the one of the next element above it: of what is the same in all lanes with itself.
    fn with_neighbor(&mut self, byte: NodeId) -> Option<NodeId> {
        let mut replacements = Replacements::default();
        for node in self.meaning.dag.reachable([byte]) {
            let Node::Arg(arg) = *self.meaning.dag.node(node) else { continue };
            if !self.meaning.is_uniform(node) {
                let [_, _, after] = self.meaning.neighbors(arg)?;
                replacements.insert(node, after);
            }
        }
        let dag = &mut self.meaning.dag;
        let above = dag.replace(byte, &mut replacements);
        Some(dag.concat(&[byte, above].map(|node| Part { node, width: BYTE })))
    }

    /// The words of registers whose byte `at` holds a lane of one value each, as lanes of another one.
    fn words(&mut self, wanted: &Wanted, at: usize, word: NodeId) -> Vec<Content> {
        let mut own = |two: &[Entry]| match two.get(at) {
            Some(Entry::Value(_, lane)) => self.entry(word, WORD, *lane),
            _ => Entry::Any,
        };
        wanted.registers.iter().map(|content| content.chunks(2).map(&mut own).collect()).collect()
    }

    /// Operations on the bytes of two registers in their places.
    pub(crate) fn bytewise(&self, wanted: &Wanted, is: impl Fn(&Node) -> bool) -> Vec<OpId> {
        let table = self.table;
        let own = |template: &Template| template.slots == [BYTE; 2] && is(template.dag.node(template.root));
        let templates = table.templates(BYTE).iter().filter(|id| own(table.template(**id)));
        let in_place = |op: &OpId| {
            let op = table.op(*op);
            let places = |lane: u32| [(0, BYTE * lane), (1, BYTE * lane)];
            op.result == wanted.ty
                && op.args == [wanted.ty; 2]
                && op.reads.iter().zip(0..).all(|(reads, lane)| *reads == places(lane))
        };
        templates.flat_map(|id| table.members(*id)).copied().filter(in_place).collect()
    }
}

/// Which bytes hold values, each word's in neighboring lanes where both do.
fn held(wanted: &Wanted, zero: Entry) -> Option<Held> {
    let lane = |entry: &Entry| if let Entry::Value(_, lane) = entry { Some(*lane) } else { None };
    let all = || wanted.registers.iter().flat_map(|content| content.chunks(2));
    if all().any(|two| two.len() < 2) {
        return None;
    }
    let is_empty = |entry: &Entry| *entry == zero || *entry == Entry::Any;
    if all().all(|two| lane(&two[0]).is_some_and(|low| lane(&two[1]) == Some(low + 1))) {
        Some(Held::Both)
    } else if all().all(|two| lane(&two[0]).is_some() && is_empty(&two[1])) {
        Some(Held::Lower)
    } else if all().all(|two| is_empty(&two[0]) && lane(&two[1]).is_some()) {
        Some(Held::Upper)
    } else {
        None
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::equal::assert_equal;

    #[test]
    fn low_bytes_of_products_are_bytes_of_products_of_words() {
        let mut dag = Dag::new(vec![8; 4]);
        let bytes: Vec<NodeId> = (0..4).map(|arg| dag.arg_slice(arg, 0, 8, false)).collect();
        let low_byte = |dag: &mut Dag, a: NodeId, b: NodeId| {
            let product = dag.mul(a, b);
            dag.slice(product, 0, BYTE, false)
        };
        let [lower, upper] = [0, 2].map(|at| low_byte(&mut dag, bytes[at], bytes[at + 1]));
        let words =
            [0, 1].map(|at| dag.concat(&[bytes[at], bytes[at + 2]].map(|node| Part { node, width: BYTE })));
        let word = product(&mut dag, words);
        let of_word = dag.slice(word, 0, BYTE, false);
        assert_equal(&dag, lower, of_word);
        let factors = factors(&mut dag, upper).expect("two factors");
        let word = above_zeros(&mut dag, factors);
        let (zeros, of_word) = (dag.slice(word, 0, BYTE, false), dag.slice(word, BYTE, BYTE, false));
        assert_eq!(dag.as_i64(zeros), Some(0));
        assert_equal(&dag, upper, of_word);
    }
}
