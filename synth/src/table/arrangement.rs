//! Instructions that move elements to where their immediates say: shuffles, blends, alignments, and copies of one element to
//! another's place.
//!
//! With its immediates chosen each of them is a movement, but there are hundreds. For each lane of the result this finds which bits
//! of the immediates decide about it, and what each choice of these makes of it, so that they are found for what is wanted.

use std::collections::BTreeMap;

use hydride_ir::exact::{Dag, Node, NodeId, Replacements, Segment, raise};
use search::{Class, Instruction, Operand, Type, combinations, specialize};

use super::extract::{lane, leaves};
use super::permutation::{Outcome, outcome_of};
use super::{CONTAINERS, register_types};

/// Choices of an instruction's immediates, at most.
const MAX_VALUES: usize = 256;

/// An instruction whose result's lanes are chosen by its immediates.
#[derive(Clone)]
pub struct Arrangement {
    /// Position in the table's instructions.
    pub instruction: usize,
    /// Width of the lanes in bits.
    pub container: u32,
    /// The choices of its immediates.
    pub choices: Vec<Vec<i64>>,
    lanes: Vec<Lane>,
}

/// What the immediates make of a lane: the operand and lowest bit of an element, or zero, and the choices that do so.
type Lane = Vec<(Outcome, Positions)>;

/// A set of positions of choices.
#[derive(Clone, Copy, Default)]
struct Positions([u64; MAX_VALUES / 64]);

impl Positions {
    fn insert(&mut self, at: usize) {
        self.0[at / 64] |= 1 << (at % 64);
    }

    fn union(&mut self, other: &Self) {
        self.0.iter_mut().zip(other.0).for_each(|(own, other)| *own |= other);
    }

    fn intersect(&mut self, other: &Self) {
        self.0.iter_mut().zip(other.0).for_each(|(own, other)| *own &= other);
    }

    fn first(&self) -> Option<usize> {
        let word = self.0.iter().position(|word| *word != 0)?;
        Some(64 * word + self.0[word].trailing_zeros() as usize)
    }
}

impl Arrangement {
    /// The position of a choice with which each lane is what `fits` says that it may be.
    pub fn find(&self, fits: impl Fn(usize, Outcome) -> bool) -> Option<usize> {
        let mut open = Positions::default();
        (0..self.choices.len()).for_each(|at| open.insert(at));
        for (at, lane) in self.lanes.iter().enumerate() {
            let mut fitting = Positions::default();
            let own = lane.iter().filter(|(outcome, _)| fits(at, *outcome));
            own.for_each(|(_, positions)| fitting.union(positions));
            open.intersect(&fitting);
            open.first()?;
        }
        open.first()
    }
}

/// All ways to see an instruction on vectors as lanes that its immediates choose.
pub fn arrangements(at: usize, instruction: &Instruction) -> Vec<Arrangement> {
    let choices = combinations(&instruction.operands);
    let vectors = register_types(instruction).iter().all(|ty| ty.class == Class::Vector);
    if !(2..=MAX_VALUES).contains(&choices.len()) || instruction.result.class != Class::Vector || !vectors {
        return Vec::new();
    }
    // The immediates are registers besides.
    let mut open = instruction.clone();
    let (mut count, mut indexes) = (0, Vec::new());
    for operand in &mut open.operands {
        if let Operand::Choice { width, .. } = *operand {
            *operand = Operand::Register(Type { class: Class::Scalar, width });
            indexes.push(count);
        }
        count += operand.registers().len() as u32;
    }
    let Some(function) = specialize(&open, &[]) else { return Vec::new() };
    let Ok((mut dag, raised)) = raise(&function) else { return Vec::new() };
    let Some(segments) = raised.results.first() else { return Vec::new() };
    let found = CONTAINERS.iter().filter_map(|container| {
        let lanes: Option<Vec<(bool, Lane)>> = (0..instruction.result.width / container)
            .map(|number| of_lane(&mut dag, segments, &indexes, number * container, *container, &choices))
            .collect();
        let lanes = lanes.filter(|lanes| lanes.iter().any(|(is_chosen, _)| *is_chosen))?;
        let lanes = lanes.into_iter().map(|(_, lane)| lane).collect();
        Some(Arrangement { instruction: at, container: *container, choices: choices.clone(), lanes })
    });
    found.collect()
}

/// Whether bits of immediates, the arguments `indexes`, decide about a lane, and what they make of it.
fn of_lane(
    dag: &mut Dag,
    segments: &[Segment],
    indexes: &[u32],
    low: u32,
    container: u32,
    choices: &[Vec<i64>],
) -> Option<(bool, Lane)> {
    let value = lane(dag, segments, low, container)?;
    let mut masks = vec![0u64; indexes.len()];
    let mut reads: Vec<(NodeId, usize, u32, u32, bool)> = Vec::new();
    for read in leaves(dag, value) {
        let Node::Slice { of, low, width, signed } = *dag.node(read) else { continue };
        let Node::Arg(arg) = *dag.node(of) else { continue };
        if let Some(number) = indexes.iter().position(|index| *index == arg) {
            reads.push((read, number, low, width, signed));
            masks[number] |= (u64::MAX >> (64 - width.min(64))) << low;
        }
    }
    let masked = |choice: &Vec<i64>| -> Vec<u64> {
        choice.iter().zip(&masks).map(|(value, mask)| *value as u64 & mask).collect()
    };
    let mut decided: BTreeMap<Vec<u64>, Positions> = BTreeMap::new();
    for (at, choice) in choices.iter().enumerate() {
        decided.entry(masked(choice)).or_default().insert(at);
    }
    let mut outcomes = Lane::new();
    for (choice, positions) in decided {
        let mut replacements = Replacements::default();
        for (read, number, low, width, signed) in &reads {
            let whole = dag.int(choice[*number]);
            let bits = dag.slice(whole, *low, *width, *signed);
            replacements.insert(*read, bits);
        }
        let moved = dag.replace(value, &mut replacements);
        // Immediates move elements of other operands, which stand before or after them.
        let outcome = match outcome_of(dag, moved, container) {
            Some(Some((arg, _))) if indexes.contains(&arg) => return None,
            Some(Some((arg, low))) => {
                Some((arg - indexes.iter().filter(|index| **index < arg).count() as u32, low))
            }
            Some(None) => None,
            None => continue,
        };
        match outcomes.iter_mut().find(|(other, _)| *other == outcome) {
            Some((_, own)) => own.union(&positions),
            None => outcomes.push((outcome, positions)),
        }
    }
    (!outcomes.is_empty()).then_some((masks.iter().any(|mask| *mask != 0), outcomes))
}
