//! Movements of containers: operations whose lanes are lanes of their operands.

use hydride_ir::exact::{Node, NodeId};
use search::{Class, Type};

use crate::contents::{Content, Entry, Place, Source, States, Wanted, gather, in_order, sources};
use crate::forms::sliced;
use crate::options::{Finder, MAX_MOVES, Way};
use crate::table::{OpId, Permutation, crosses, joins_halves, packs_in_halves};

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
        let added = settled && self.adds_products(wanted);
        // Those are few steps away.
        let moves = if settled { moves.min(MAX_MOVES) } else { moves };
        let permutes = self.only_moves || self.meaning.window().in_registers;
        if !settled && wanted.ty.class == Class::Vector && permutes {
            self.permuted(states, wanted, &[Homes::Ordered, Homes::Placed, Homes::Beside], moves, ways);
            self.arranged(states, wanted, moves, ways);
        }
        if added && wanted.ty.class == Class::Vector {
            self.permuted(states, wanted, &[Homes::Blocks], moves, ways);
        }
        if wanted.ty.class == Class::Vector && self.is_narrowed(wanted) {
            self.permuted(states, wanted, &[Homes::Even, Homes::Odd], moves, ways);
        }
        for template in table.templates(wanted.container) {
            if !table.template(*template).moves {
                continue;
            }
            for op in table.members(*template) {
                let own = table.op(*op);
                let same = own.args.iter().all(|ty| *ty == wanted.ty);
                let uncrosses = || {
                    packed && crosses(&own.reads, wanted.container)
                        || added && joins_halves(&own.reads, wanted.container)
                };
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

    /// Whether what is wanted is a sum of several numbers of half the width or their products, as instructions add up that
    /// multiply what neighbors are: operands that were unpacked within blocks leave the sum in another order.
    fn adds_products(&self, wanted: &Wanted) -> bool {
        let Some(value) = wanted.only_value().filter(|_| wanted.registers.len() > 1) else { return false };
        let dag = &self.meaning.dag;
        let Node::Sum { terms, .. } = dag.node(sliced(dag, value).0) else { return false };
        let half = wanted.container / 2;
        let is_narrow = |term: NodeId| dag.natural(term).is_some_and(|(width, _)| width <= half);
        let is_product = |term: NodeId| match dag.node(term) {
            Node::Mul(factors) => factors.iter().all(|factor| is_narrow(*factor)),
            _ => is_narrow(term),
        };
        terms.len() > 1 && terms.iter().all(|(term, _)| is_product(*term))
    }

    /// Whether what is wanted are values in half of each register or less, as bits of wider ones that one register holds. Halves of
    /// elements are moved by themselves.
    fn is_narrowed(&self, wanted: &Wanted) -> bool {
        let half = wanted.registers.iter().all(|content| {
            let lanes = content.len() / 2;
            lanes > 1 && in_order(content) && content[lanes..].iter().all(|entry| *entry == Entry::Any)
        });
        let dag = &self.meaning.dag;
        half && wanted.only_value().is_some_and(|value| match *dag.node(value) {
            Node::Slice { of, low, width, .. } if width == wanted.container => {
                !matches!(dag.node(of), Node::Arg(_)) || low % width != 0
            }
            _ => false,
        })
    }

    /// Operations that a constant index makes movements.
    fn permuted(
        &mut self,
        states: &mut States,
        wanted: &Wanted,
        all: &[Homes],
        moves: u8,
        ways: &mut Vec<Way>,
    ) {
        let table = self.table;
        for (op, permutation) in table.permutations(wanted.container) {
            let own = table.op(*op);
            if own.result != wanted.ty {
                continue;
            }
            for homes in all {
                let chosen = |content| Some((*op, self.chosen(own, permutation, content, *homes)?));
                let steps: Option<Vec<_>> = wanted.registers.iter().map(chosen).collect();
                let Some(mut steps) = steps else { continue };
                // Two results take each half of the same two registers.
                if *homes == Homes::Blocks && !share_operands(&mut steps, permutation.index) {
                    continue;
                }
                let container = |arg| match arg == permutation.index {
                    true => permutation.index_width,
                    false => permutation.container,
                };
                ways.push(applied(states, &own.args, &steps, &container, moves - 1));
            }
        }
    }

    /// What the operands must hold, the index among them, for the result to hold `content`.
    fn chosen(
        &mut self,
        op: &crate::table::Op,
        permutation: &Permutation,
        content: &Content,
        homes: Homes,
    ) -> Option<Vec<Content>> {
        let container = permutation.container;
        let data: Vec<usize> = (0..op.args.len()).filter(|arg| *arg != permutation.index).collect();
        let mut operands: Vec<Content> =
            op.args.iter().map(|ty| vec![Entry::Any; (ty.width / container).max(1) as usize]).collect();
        let registers = self.registers(content, homes, op.args[data[0]].width, container);
        let is_one = homes == Homes::Placed && registers.len() < 2;
        if registers.is_empty() || registers.len() > data.len() || is_one {
            return None;
        }
        for (register, arg) in registers.iter().zip(&data) {
            operands[*arg] = self.held(content, homes, *register, op.args[*arg].width, container)?;
        }
        // What lies side by side already is not moved there.
        if homes == Homes::Beside && operands[data[0]] == *content {
            return None;
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

    /// The registers that hold what is moved to `content`, in the order in which it has lanes of them.
    pub(crate) fn registers(
        &self,
        content: &Content,
        homes: Homes,
        width: u32,
        container: u32,
    ) -> Vec<(Source, u32)> {
        let mut found = Vec::new();
        for (_, register, _) in self.places(content, homes, width, container) {
            if !found.contains(&register) {
                found.push(register);
            }
        }
        found
    }

    /// What one of these registers must hold; `None` where it is too narrow.
    pub(crate) fn held(
        &self,
        content: &Content,
        homes: Homes,
        register: (Source, u32),
        width: u32,
        container: u32,
    ) -> Option<Content> {
        let mut held = vec![Entry::Any; (width / container).max(1) as usize];
        let places = self.places(content, homes, width, container);
        for (entry, _, place) in places.filter(|(_, own, _)| *own == register) {
            *held.get_mut(place as usize)? = entry;
        }
        Some(held)
    }

    /// For each entry with a source the register that it comes from, and its place there.
    fn places(
        &self,
        content: &Content,
        homes: Homes,
        width: u32,
        container: u32,
    ) -> impl Iterator<Item = (Entry, (Source, u32), u32)> {
        let mut beside = if homes == Homes::Beside { sources(content) } else { Vec::new() };
        beside.sort_unstable();
        (0..).zip(content).filter_map(move |(position, entry)| {
            let (source, lane) = self.home(*entry, container)?;
            if homes == Homes::Beside {
                let [first @ Source::Leaf(_), Source::Leaf(_)] = beside[..] else { return None };
                let lanes = width / container / 2;
                let place = lane + if source == first { 0 } else { lanes };
                return (lane < lanes).then_some((*entry, (first, 0), place));
            }
            let (number, place) = homes.of(position, lane, width, container);
            Some((*entry, (source, number), place))
        })
    }

    pub(crate) fn is_zero(&self, entry: Entry) -> bool {
        matches!(entry, Entry::Uniform(value) if self.meaning.dag.as_i64(value) == Some(0))
    }
}

/// The operations with what their operands hold, as a way; operand `arg` is in containers of `container(arg)` bits.
pub(crate) fn applied(
    states: &mut States,
    args: &[Type],
    steps: &[(OpId, Vec<Content>)],
    container: &dyn Fn(usize) -> u32,
    moves: u8,
) -> Way {
    let mut way: Vec<(OpId, Vec<Place>)> = steps.iter().map(|(op, _)| (*op, Vec::new())).collect();
    for (arg, ty) in args.iter().enumerate() {
        let contents = steps.iter().map(|(_, operands)| operands[arg].clone()).collect();
        for (place, step) in gather(states, *ty, container(arg), contents, moves).into_iter().zip(&mut way) {
            step.1.push(place);
        }
    }
    Way::Apply(way)
}

/// Bits of the blocks that instructions unpack by themselves.
pub(crate) const BLOCK: u32 = 128;

/// Where a movement's operands hold what it moves.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Homes {
    /// In registers in order.
    Ordered,
    /// In two registers, each in its place.
    Placed,
    /// In two registers, block by block of 128 bits in turn, as operands that were unpacked leave it.
    Blocks,
    /// In the lower halves of containers of twice the width.
    Even,
    /// In their upper halves.
    Odd,
    /// In one register, of which two leaves have a half each.
    Beside,
    /// Each in its place of the block in which it is wanted, in registers that begin at any block.
    Shifted,
}

impl Homes {
    /// The register, by its number, and the place in it of a lane that is wanted at `position` of the result.
    fn of(self, position: u32, lane: u32, width: u32, container: u32) -> (u32, u32) {
        let (lanes, block) = (width / container, (BLOCK / container).max(1));
        match self {
            Self::Ordered | Self::Beside => (lane / lanes, lane % lanes),
            Self::Even => (2 * lane / lanes, 2 * lane % lanes),
            Self::Odd => (2 * lane / lanes, 2 * lane % lanes + 1),
            Self::Placed => (0, position),
            Self::Shifted => {
                let to = position / block;
                (lane / block + lanes / block - to, to * block + lane % block)
            }
            Self::Blocks => {
                let (pair, run) = (lane / (2 * lanes), lane % (2 * lanes) / block);
                (2 * pair + run % 2, run / 2 * block + lane % block)
            }
        }
    }
}

/// Gives each two steps the same operands, but for the index, with what either of them needs; `false` where they differ.
fn share_operands(steps: &mut [(OpId, Vec<Content>)], index: usize) -> bool {
    steps.len().is_multiple_of(2)
        && steps.chunks_mut(2).all(|two| {
            let [(_, first), (_, second)] = two else { return false };
            let data = first.iter_mut().zip(second).enumerate().filter(|(arg, _)| *arg != index);
            data.flat_map(|(_, (one, other))| one.iter_mut().zip(other)).all(|(one, other)| {
                one.joined(*other).is_some_and(|both| {
                    (*one, *other) = (both, both);
                    true
                })
            })
        })
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
