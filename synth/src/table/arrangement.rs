//! Instructions that move elements to where their immediate says: shuffles, blends and alignments.
//!
//! With one immediate each of them is a movement, but there are hundreds. For each lane of the result this finds which bits of the
//! immediate decide about it, and what each choice of these makes of it, so that the immediate is found for what is wanted.

use hydride_ir::exact::{Dag, Node, NodeId, Replacements, Segment, raise};
use search::{Class, Instruction, Operand, Type, specialize};

use super::extract::{lane, leaves};
use super::permutation::{Outcome, outcome_of};
use super::{CONTAINERS, only_choice, register_types};

/// Immediates of an instruction, at most.
const MAX_VALUES: usize = 256;

/// An instruction whose result's lanes are chosen by its immediate.
#[derive(Clone)]
pub struct Arrangement {
    /// Position in the table's instructions.
    pub instruction: usize,
    /// Width of the lanes in bits.
    pub container: u32,
    /// The immediates.
    pub values: Vec<i64>,
    lanes: Vec<Lane>,
}

/// What the immediate makes of a lane: the operand and lowest bit of an element, or zero, and the immediates that do so.
type Lane = Vec<(Outcome, Positions)>;

/// A set of positions of immediates.
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
    /// The position of an immediate with which each lane is what `fits` says that it may be.
    pub fn find(&self, fits: impl Fn(usize, Outcome) -> bool) -> Option<usize> {
        let mut open = Positions::default();
        (0..self.values.len()).for_each(|at| open.insert(at));
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

/// All ways to see an instruction on vectors as lanes that its only immediate chooses.
pub fn arrangements(at: usize, instruction: &Instruction) -> Vec<Arrangement> {
    let Some(values) = only_choice(instruction).filter(|values| values.len() <= MAX_VALUES) else {
        return Vec::new();
    };
    let vectors = register_types(instruction).iter().all(|ty| ty.class == Class::Vector);
    if instruction.result.class != Class::Vector || !vectors {
        return Vec::new();
    }
    // The immediate is one more register.
    let mut open = instruction.clone();
    let Some((position, width)) = open.operands.iter().enumerate().find_map(|(position, own)| match own {
        Operand::Choice { width, .. } => Some((position, *width)),
        _ => None,
    }) else {
        return Vec::new();
    };
    open.operands[position] = Operand::Register(Type { class: Class::Scalar, width });
    let index = open.operands[..position].iter().flat_map(Operand::registers).count() as u32;
    let Some(function) = specialize(&open, &[]) else { return Vec::new() };
    let Ok((mut dag, raised)) = raise(&function) else { return Vec::new() };
    let Some(segments) = raised.results.first() else { return Vec::new() };
    let found = CONTAINERS.iter().filter_map(|container| {
        let lanes: Option<(Vec<u64>, Vec<Lane>)> = (0..instruction.result.width / container)
            .map(|number| of_lane(&mut dag, segments, index, number * container, *container, values))
            .collect();
        let (_, lanes) = lanes.filter(|(masks, _)| masks.iter().any(|mask| *mask != 0))?;
        Some(Arrangement { instruction: at, container: *container, values: values.to_vec(), lanes })
    });
    found.collect()
}

/// The bits of the immediate that decide about a lane, and what they make of it.
fn of_lane(
    dag: &mut Dag,
    segments: &[Segment],
    index: u32,
    low: u32,
    container: u32,
    values: &[i64],
) -> Option<(u64, Lane)> {
    let value = lane(dag, segments, low, container)?;
    let mut reads: Vec<(NodeId, u32, u32, bool)> = Vec::new();
    for read in leaves(dag, value) {
        match *dag.node(read) {
            Node::Slice { of, low, width, signed } if *dag.node(of) == Node::Arg(index) => {
                reads.push((read, low, width, signed));
            }
            _ => {}
        }
    }
    let mask =
        reads.iter().fold(0u64, |mask, (_, low, width, _)| mask | (u64::MAX >> (64 - width.min(&64))) << low);
    let mut choices: Vec<u64> = values.iter().map(|value| *value as u64 & mask).collect();
    choices.sort_unstable();
    choices.dedup();
    let mut outcomes = Lane::new();
    for choice in choices {
        let whole = dag.int(choice);
        let mut replacements = Replacements::default();
        for (read, low, width, signed) in &reads {
            let bits = dag.slice(whole, *low, *width, *signed);
            replacements.insert(*read, bits);
        }
        let moved = dag.replace(value, &mut replacements);
        // The immediate moves elements of other operands, which stand before or after it.
        let outcome = match outcome_of(dag, moved, container) {
            Some(Some((arg, _))) if arg == index => return None,
            Some(Some((arg, low))) => Some((arg - u32::from(arg > index), low)),
            Some(None) => None,
            None => continue,
        };
        let own = outcomes.iter().position(|(other, _)| *other == outcome).unwrap_or(outcomes.len());
        if own == outcomes.len() {
            outcomes.push((outcome, Positions::default()));
        }
        let positions = values.iter().enumerate().filter(|(_, value)| **value as u64 & mask == choice);
        positions.for_each(|(at, _)| outcomes[own].1.insert(at));
    }
    (!outcomes.is_empty()).then_some((mask, outcomes))
}
