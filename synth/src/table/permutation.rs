//! Instructions that move elements to where the elements of one operand say, for constant values of that operand.
//!
//! Byte shuffles, table lookups and blends are not lanes that share an expression with fixed reads; once their index is
//! chosen they are movements. For each lane of the result this finds what each value of the lane's index element makes
//! it: an element of another operand, or zero.

use hydride_ir::exact::{Dag, Node, NodeId, Replacements, Segment, raise};
use search::{Class, Instruction, Type, specialize};

use super::extract::{lane, leaves};
use super::{CONTAINERS, register_types};

/// Values of an index element that are tried, besides the sign and all ones.
const MAX_VALUES: u64 = 256;

/// What a lane is for a value of its index element: the operand and lowest bit of an element, or zero.
pub type Outcome = Option<(u32, u32)>;

/// An instruction whose result's lanes are chosen by the elements of one operand.
#[derive(Clone)]
pub struct Permutation {
    /// Position in the table's instructions.
    pub instruction: usize,
    /// The register operand that is the index.
    pub index: usize,
    /// Width of its elements in bits; as many as lanes count.
    pub index_width: u32,
    /// Width of the lanes in bits.
    pub container: u32,
    /// For each lane the values of its index element with what each makes of it, the least value of each outcome.
    pub outcomes: Vec<Vec<(u64, Outcome)>>,
}

impl Permutation {
    /// The same with lanes of twice the width, each of two that move together.
    fn of_twice_the_width(&self) -> Option<Self> {
        let (container, width) = (2 * self.container, self.index_width);
        if container > 64 || width != self.container {
            return None;
        }
        let pair = |two: &[Vec<(u64, Outcome)>]| {
            let [low, high] = two else { return Vec::new() };
            let upper = |outcome: &Outcome| match outcome {
                Some((arg, low)) if low % container == 0 => Some(Some((*arg, low + self.container))),
                Some(_) => None,
                None => Some(None),
            };
            let both = |(value, outcome): &(u64, Outcome)| {
                let wanted = upper(outcome)?;
                let (above, _) = high.iter().find(|(_, own)| *own == wanted)?;
                Some((value | above << width, *outcome))
            };
            low.iter().filter_map(both).collect()
        };
        let outcomes: Vec<Vec<(u64, Outcome)>> = self.outcomes.chunks(2).map(pair).collect();
        let moves = outcomes.iter().all(|outcomes| outcomes.len() > 1);
        moves.then_some(Self { index_width: 2 * width, container, outcomes, ..*self })
    }
}

/// All ways to see an instruction as lanes that an index chooses.
pub fn permutations(at: usize, instruction: &Instruction) -> Vec<Permutation> {
    let types = register_types(instruction);
    let vectors = types.iter().filter(|ty| ty.class == Class::Vector).count();
    if instruction.result.class != Class::Vector || types.len() < 2 || vectors == 0 {
        return Vec::new();
    }
    let Some(function) = specialize(instruction, &[]) else { return Vec::new() };
    let Ok((mut dag, raised)) = raise(&function) else { return Vec::new() };
    let Some(segments) = raised.results.first() else { return Vec::new() };
    let mut found = Vec::new();
    for (index, ty) in types.iter().enumerate() {
        for container in CONTAINERS {
            let lanes = instruction.result.width / container;
            let fits = ty.class != Class::Scalar && lanes > 0 && ty.width.is_multiple_of(lanes);
            if !fits || !(ty.class == Class::Mask && ty.width == lanes || ty.width / lanes >= 8) {
                continue;
            }
            if let Some(outcomes) = outcomes(&mut dag, segments, &types, index, *container, lanes) {
                let index_width = ty.width / lanes;
                let own =
                    Permutation { instruction: at, index, index_width, container: *container, outcomes };
                found.extend(std::iter::successors(Some(own), Permutation::of_twice_the_width));
            }
        }
    }
    found
}

fn outcomes(
    dag: &mut Dag,
    segments: &[Segment],
    types: &[Type],
    index: usize,
    container: u32,
    lanes: u32,
) -> Option<Vec<Vec<(u64, Outcome)>>> {
    let width = types[index].width / lanes;
    let first = lane(dag, segments, 0, container)?;
    let chooses = dag
        .reachable([first])
        .into_iter()
        .any(|node| matches!(dag.node(node), Node::SliceAt { .. } | Node::Select(..) | Node::And(_)));
    if !chooses {
        return None;
    }
    let mut all = Vec::new();
    for number in 0..lanes {
        let value = lane(dag, segments, number * container, container)?;
        let reads: Vec<NodeId> = leaves(dag, value)
            .into_iter()
            .filter(|read| matches!(dag.node(*read), Node::Slice { of, .. } if *dag.node(*of) == Node::Arg(index as u32)))
            .collect();
        let inside = |read: &NodeId| {
            matches!(dag.node(*read), Node::Slice { low, width: own, .. }
                if *low >= number * width && low + own <= (number + 1) * width)
        };
        if reads.is_empty() || !reads.iter().all(inside) {
            return None;
        }
        let mut own: Vec<(u64, Outcome)> = Vec::new();
        for choice in choices(width) {
            let mut replacements = Replacements::default();
            for read in &reads {
                let Node::Slice { low, width: bits, signed, .. } = *dag.node(*read) else { return None };
                let whole = dag.int(choice);
                let chosen = dag.slice(whole, low - number * width, bits, signed);
                replacements.insert(*read, chosen);
            }
            let moved = dag.replace(value, &mut replacements);
            let Some(outcome) = outcome_of(dag, moved, container) else { continue };
            if !own.iter().any(|(_, known)| *known == outcome) {
                own.push((choice, outcome));
            }
        }
        // What moves nothing for one lane is no movement.
        if own.len() < 2 || number == 0 && own.iter().all(|(_, outcome)| outcome.is_none()) {
            return None;
        }
        all.push(own);
    }
    Some(all)
}

/// What a lane is that moves an element or is zero; `None` where it is something else.
pub(crate) fn outcome_of(dag: &Dag, moved: NodeId, container: u32) -> Option<Outcome> {
    match *dag.node(moved) {
        Node::Slice { of, low, width, signed: false } if width == container && low % container == 0 => {
            let Node::Arg(arg) = *dag.node(of) else { return None };
            Some(Some((arg, low)))
        }
        _ => (dag.as_i64(moved) == Some(0)).then_some(None),
    }
}

/// The values that are tried for an element of `width` bits.
fn choices(width: u32) -> Vec<u64> {
    let ones = u64::MAX >> (64 - width.min(64));
    let mut all: Vec<u64> = (0..MAX_VALUES.min(ones.saturating_add(1))).collect();
    all.extend([ones ^ (ones >> 1), ones]);
    all
}
