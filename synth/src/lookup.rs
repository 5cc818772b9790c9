//! Lookups: an instruction that moves elements by an index, with a constant register as its elements, computes any function
//! of a few bits.

use hydride_ir::exact::{Dag, Int, Node, NodeId, Part, Replacements};

use crate::contents::{Content, Entry, States, Wanted, gather};
use crate::options::{Finder, Way, max_moves};
use crate::table::Permutation;

/// Elements that an index chooses from, at most.
const MAX_ENTRIES: i64 = 16;

/// Width of the elements in bits.
const ELEMENT: u32 = 8;

/// Nodes of a value that is looked up, at most.
const MAX_NODES: usize = 64;

/// A value as a function of another one.
struct Function {
    /// The other value, from 0 to one less than the number of results.
    index: NodeId,
    /// What the value is for each of its values, within a byte.
    results: Vec<u8>,
}

impl Function {
    /// Reads a value as a function of a small number in it, where it computes what there are few instructions for. In
    /// containers of more than a byte the bytes above must stay zero, as they do where the function of 0 is 0.
    fn read(dag: &mut Dag, value: NodeId, container: u32) -> Option<Self> {
        if let Node::Concat(parts) = dag.node(value).clone() {
            return Self::of_bytes(dag, &parts, container);
        }
        let nodes = dag.reachable([value]);
        let counts = |node: &NodeId| match *dag.node(*node) {
            Node::PopCount(_) | Node::LeadingZeros(..) | Node::TrailingZeros(..) => true,
            Node::Shl(_, count) | Node::Shr(_, count) => dag.as_int(count).is_none(),
            _ => false,
        };
        if nodes.len() > MAX_NODES || !nodes.iter().any(counts) {
            return None;
        }
        // What is computed last leaves the least to the index.
        let mut indices: Vec<(NodeId, i64)> = nodes
            .into_iter()
            .filter(|node| *node != value)
            .filter_map(|node| {
                let range = dag.range(node);
                let most = i64::try_from(range.high.as_ref()?).ok()?;
                (range.is_non_negative() && (2..MAX_ENTRIES).contains(&most)).then_some((node, most))
            })
            .collect();
        indices.sort_unstable();
        indices.into_iter().find_map(|(index, most)| {
            let results =
                (0..=most).map(|number| result(dag, value, index, number)).collect::<Option<Vec<u8>>>()?;
            (container == ELEMENT || results[0] == 0).then_some(Self { index, results })
        })
    }
}

impl Function {
    /// The same function of the bytes of a word, or of their low bits, as one of the word.
    fn of_bytes(dag: &mut Dag, parts: &[Part], container: u32) -> Option<Self> {
        if parts.len() as u32 * ELEMENT != container || parts.iter().any(|part| part.width != ELEMENT) {
            return None;
        }
        let bytes: Vec<Self> =
            parts.iter().map(|part| Self::read(dag, part.node, ELEMENT)).collect::<Option<_>>()?;
        let results = bytes[0].results.clone();
        if bytes.iter().any(|own| own.results != results) {
            return None;
        }
        let zero = dag.int(0);
        let mut index = Vec::new();
        for byte in bytes {
            let (width, _) = dag.natural(byte.index).filter(|(width, _)| *width <= ELEMENT)?;
            index.push(Part { node: byte.index, width });
            index.push(Part { node: zero, width: ELEMENT - width });
        }
        Some(Self { index: dag.concat(&index), results })
    }
}

/// What a value is where another one is a number, if that decides it and fits a byte.
fn result(dag: &mut Dag, value: NodeId, index: NodeId, number: i64) -> Option<u8> {
    let number = dag.int(number);
    let mut replacements = Replacements::default();
    replacements.insert(index, number);
    let found = dag.replace(value, &mut replacements);
    let found: &Int = dag.as_int(found)?;
    u8::try_from(found).ok()
}

impl Finder<'_, '_> {
    /// Adds lookups that give a value in each lane; says whether there are any.
    pub(crate) fn looked_up(
        &mut self,
        states: &mut States,
        wanted: &Wanted,
        value: NodeId,
        ways: &mut Vec<Way>,
    ) -> bool {
        if !wanted.holds_values_alone() {
            return false;
        }
        let table = self.table;
        let ops = table.permutations(ELEMENT).iter().filter(|(op, permutation)| {
            let own = table.op(*op);
            own.result == wanted.ty && own.args.len() == 2 && permutation.index_width == ELEMENT
        });
        let ops: Vec<_> = ops.collect();
        if ops.is_empty() {
            return false;
        }
        let Some(function) = Function::read(&mut self.meaning.dag, value, wanted.container) else {
            return false;
        };
        let moves = max_moves(self.meaning.window());
        let before = ways.len();
        for (op, permutation) in ops {
            let own = table.op(*op);
            let data = own.args[1 - permutation.index];
            let Some(elements) = self.elements(&function, permutation, data.width) else { continue };
            let indices: Vec<Content> = wanted
                .registers
                .iter()
                .map(|content| {
                    content
                        .iter()
                        .map(|entry| match *entry {
                            Entry::Value(_, lane) => self.entry(function.index, wanted.container, lane),
                            _ => Entry::Any,
                        })
                        .collect()
                })
                .collect();
            let count = indices.len();
            let ty = own.args[permutation.index];
            let indices = gather(states, ty, wanted.container, indices, moves);
            let elements = gather(states, data, ELEMENT, vec![elements; count], moves);
            let steps = indices.into_iter().zip(elements).map(|(index, data)| {
                let places = if permutation.index == 0 { vec![index, data] } else { vec![data, index] };
                (*op, places)
            });
            ways.push(Way::Apply(steps.collect()));
        }
        ways.len() > before
    }

    /// The register from which each lane's index chooses the function's results; `None` where it cannot be one for all lanes.
    fn elements(&mut self, function: &Function, permutation: &Permutation, width: u32) -> Option<Content> {
        let mut elements = vec![Entry::Any; (width / ELEMENT) as usize];
        for outcomes in &permutation.outcomes {
            for (number, result) in (0u64..).zip(&function.results) {
                let (_, outcome) = outcomes.iter().find(|(index, _)| *index == number)?;
                let (arg, low) = (*outcome)?;
                if arg as usize == permutation.index {
                    return None;
                }
                let entry = Entry::Uniform(self.meaning.dag.int(*result));
                let place = elements.get_mut((low / ELEMENT) as usize)?;
                if *place != Entry::Any && *place != entry {
                    return None;
                }
                *place = entry;
            }
        }
        Some(elements)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_count_of_four_bits_is_a_function_of_them() {
        let mut dag = Dag::new(vec![8]);
        let high = dag.arg_slice(0, 4, 4, false);
        let zeros = dag.leading_zeros(high, 4);
        let value = dag.linear(&[(zeros, Int::ONE)], Int::from(4));
        let function = Function::read(&mut dag, value, 8).expect("a function of four bits");
        assert_eq!(function.index, high);
        assert_eq!(function.results, [8, 7, 6, 6, 5, 5, 5, 5, 4, 4, 4, 4, 4, 4, 4, 4]);
        // In wider containers the bytes above would not be zero.
        assert!(Function::read(&mut dag, value, 16).is_none());
        let ones = dag.popcount(high);
        assert!(Function::read(&mut dag, ones, 16).is_some());
    }

    #[test]
    fn what_more_bits_decide_is_no_function_of_few() {
        let mut dag = Dag::new(vec![8]);
        let number = dag.arg_slice(0, 0, 8, false);
        let value = dag.popcount(number);
        assert!(Function::read(&mut dag, value, 8).is_none());
    }
}
