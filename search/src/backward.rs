//! Meeting in the middle: the values required one and two steps before the end of a data movement.
//!
//! The wanted labels are known, so a last step says which labels its operands must hold and where: their [`Pattern`]s.
//! So does the step before for each of these. An [`Edge`] is such a step, and all steps that need the same are one
//! edge: an immediate is solved for, not enumerated. The tables answer for a value which patterns it fits, and for a
//! pattern which edges need it, so that the last two levels of the search are looked up.

use std::collections::BTreeMap;
use std::sync::atomic::{AtomicBool, Ordering};

use rayon::prelude::*;
use rustc_hash::FxHashMap;

use crate::plan::Plan;
use crate::transition::MAX_ARITY;
use crate::units::Piece;

/// Edges of the second level that a table may hold; beyond it the search goes one level further forward.
const MAX_EDGES: usize = 6_000_000;

/// No pattern.
const NONE: u32 = u32::MAX;

/// Wanted labels of a value: positions with labels other than 0, in order.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(crate) struct Pattern {
    pub(crate) ty: usize,
    pub(crate) labels: Vec<(u16, u16)>,
}

/// Steps with the same needs.
#[derive(Debug)]
pub(crate) struct Edge {
    /// The target that a last step gives, or the pattern that the step before it gives.
    pub(crate) yields: u32,
    /// Where its transitions start and end in [`Tables::members`].
    members: (u32, u32),
    /// The patterns of the operands.
    needs: [u32; MAX_ARITY],
    arity: u8,
}

impl Edge {
    /// The patterns of the operands.
    pub(crate) fn needs(&self) -> &[u32] {
        &self.needs[..usize::from(self.arity)]
    }
}

/// An edge that needs a pattern.
#[derive(Clone, Copy, Debug)]
pub(crate) struct User {
    pub(crate) edge: u32,
    /// The operand that must fit the pattern.
    pub(crate) slot: u8,
    /// A pattern that this or another operand must match, depending on the current edge.
    pub(crate) other: u32,
}

/// The last steps and the steps before them.
#[derive(Debug, Default)]
pub(crate) struct Tables {
    pub(crate) patterns: Vec<Pattern>,
    members: Vec<u32>,
    /// Last steps.
    pub(crate) last: Level,
    /// Steps before last ones; empty where there would be too many.
    pub(crate) before: Level,
    /// For each pattern the last steps of which these operands (as bits) can be one value that fits it.
    parents: Vec<Vec<(u32, u8)>>,
    /// For each last step the same the other way round: operands as bits, and the pattern.
    children: Vec<Vec<(u8, u32)>>,
    /// For each pattern the steps before last ones that give it.
    made_by: Vec<Vec<u32>>,
    /// Whether there is a second level.
    pub(crate) two_levels: bool,
    /// Whether one was requested: it may have been too large.
    pub(crate) tried: bool,
}

/// Steps of one level with the patterns that they need.
#[derive(Debug, Default)]
pub(crate) struct Level {
    pub(crate) edges: Vec<Edge>,
    /// For each pattern the edges that need it.
    users: Vec<Vec<User>>,
    /// Sets of positions.
    masks: Vec<Vec<u16>>,
    /// The same as bits.
    bits: Vec<[u64; 4]>,
    /// From a type, the first position of a set and the label there to the sets; those without positions are under
    /// `u16::MAX`.
    starts: FxHashMap<(u32, u16, u16), Vec<u32>>,
    /// From a set and a hash of its labels to the patterns.
    index: FxHashMap<(u32, u64), Vec<u32>>,
}

/// What a step needs of its operands.
type Needs = Vec<(Vec<Pattern>, Vec<u32>)>;

impl Tables {
    /// The tables of a plan on labels; the second level only when it is asked for.
    pub(crate) fn new(plan: &Plan, two_levels: bool, stop: &AtomicBool) -> Self {
        let mut tables = Self::default();
        let mut numbers: FxHashMap<Pattern, u32> = FxHashMap::default();
        for (number, target) in plan.targets.iter().enumerate() {
            let size = plan.sizes[target.ty];
            let label = |at: usize| crate::machine::label(&target.expected, size, at);
            let labels = (0..size).map(|at| (at as u16, label(at))).filter(|(_, label)| *label != 0);
            let wanted = Pattern { ty: target.ty, labels: labels.collect() };
            for (needs, members) in steps(plan, &wanted) {
                let edge = tables.edge(number as u32, &needs, &members, &mut numbers);
                tables.last.edges.push(edge);
            }
        }
        let mut joined: BTreeMap<Pattern, Vec<(u32, u8)>> = BTreeMap::new();
        for (number, edge) in tables.last.edges.iter().enumerate() {
            for slots in 1..1u8 << edge.arity {
                let patterns = (0..usize::from(edge.arity)).filter(|slot| slots >> slot & 1 != 0);
                let patterns = patterns.map(|slot| Some(tables.patterns[edge.needs[slot] as usize].clone()));
                if let Some(pattern) = patterns.reduce(join).flatten()
                    && !pattern.labels.is_empty()
                {
                    joined.entry(pattern).or_default().push((number as u32, slots));
                }
            }
        }
        tables.tried = two_levels;
        if two_levels {
            tables.second_level(plan, joined, &mut numbers, stop);
        }
        let patterns = tables.patterns.len();
        tables.parents.resize(patterns, Vec::new());
        tables.made_by.resize(patterns, Vec::new());
        tables.children.resize(tables.last.edges.len(), Vec::new());
        for (pattern, parents) in (0u32..).zip(&tables.parents) {
            for (last, slots) in parents {
                tables.children[*last as usize].push((*slots, pattern));
            }
        }
        tables.last.finish(&tables.patterns);
        tables.before.finish(&tables.patterns);
        tables
    }

    fn second_level(
        &mut self,
        plan: &Plan,
        joined: BTreeMap<Pattern, Vec<(u32, u8)>>,
        numbers: &mut FxHashMap<Pattern, u32>,
        stop: &AtomicBool,
    ) {
        let joined: Vec<(Pattern, Vec<(u32, u8)>)> = joined.into_iter().collect();
        for chunk in joined.chunks(1024) {
            let made: Vec<Needs> = chunk.par_iter().map(|(pattern, _)| steps(plan, pattern)).collect();
            for ((pattern, parents), needs) in chunk.iter().zip(made) {
                let number = self.number(pattern, numbers);
                let at = number as usize;
                self.parents.resize(self.parents.len().max(at + 1), Vec::new());
                self.parents[at].clone_from(parents);
                for (needs, members) in needs {
                    let edge = self.edge(number, &needs, &members, numbers);
                    self.made_by.resize(self.made_by.len().max(at + 1), Vec::new());
                    self.made_by[at].push(self.before.edges.len() as u32);
                    self.before.edges.push(edge);
                }
            }
            if self.before.edges.len() > MAX_EDGES || stop.load(Ordering::Relaxed) {
                self.before = Level::default();
                self.parents.clear();
                self.made_by.clear();
                return;
            }
        }
        self.two_levels = true;
    }

    fn number(&mut self, pattern: &Pattern, numbers: &mut FxHashMap<Pattern, u32>) -> u32 {
        if let Some(number) = numbers.get(pattern) {
            return *number;
        }
        let number = self.patterns.len() as u32;
        self.patterns.push(pattern.clone());
        numbers.insert(pattern.clone(), number);
        number
    }

    fn edge(
        &mut self,
        yields: u32,
        patterns: &[Pattern],
        members: &[u32],
        numbers: &mut FxHashMap<Pattern, u32>,
    ) -> Edge {
        let mut needs = [NONE; MAX_ARITY];
        for (need, pattern) in needs.iter_mut().zip(patterns) {
            *need = self.number(pattern, numbers);
        }
        let start = self.members.len() as u32;
        self.members.extend_from_slice(members);
        let members = (start, self.members.len() as u32);
        Edge { yields, members, needs, arity: patterns.len() as u8 }
    }

    /// The transitions of an edge.
    pub(crate) fn members(&self, edge: &Edge) -> &[u32] {
        &self.members[edge.members.0 as usize..edge.members.1 as usize]
    }

    /// The last steps of which some operands, as bits, can be one value that fits a pattern.
    pub(crate) fn parents(&self, pattern: u32) -> &[(u32, u8)] {
        &self.parents[pattern as usize]
    }

    /// Operands of a last step, as bits, that can be one value, with the pattern that it must fit.
    pub(crate) fn children(&self, last: u32) -> &[(u8, u32)] {
        &self.children[last as usize]
    }

    /// The steps before last ones that give a pattern.
    pub(crate) fn made_by(&self, pattern: u32) -> &[u32] {
        &self.made_by[pattern as usize]
    }
}

impl Level {
    fn finish(&mut self, patterns: &[Pattern]) {
        self.users = vec![Vec::new(); patterns.len()];
        for (number, edge) in self.edges.iter().enumerate() {
            for (slot, need) in edge.needs().iter().enumerate() {
                let other = edge.needs()[usize::from(slot == 0 && edge.arity > 1)];
                self.users[*need as usize].push(User { edge: number as u32, slot: slot as u8, other });
            }
        }
        let mut masks: FxHashMap<(usize, Vec<u16>), u32> = FxHashMap::default();
        for (number, pattern) in patterns.iter().enumerate() {
            if self.users[number].is_empty() {
                continue;
            }
            let positions: Vec<u16> = pattern.labels.iter().map(|(at, _)| *at).collect();
            let next = masks.len() as u32;
            let mask = *masks.entry((pattern.ty, positions.clone())).or_insert(next);
            if mask == next {
                let mut bits = [0; 4];
                positions.iter().for_each(|at| bits[usize::from(*at) / 64 % 4] |= 1 << (at % 64));
                self.masks.push(positions);
                self.bits.push(bits);
            }
            let (start, label) = pattern.labels.first().copied().unwrap_or((u16::MAX, 0));
            let starts = self.starts.entry((pattern.ty as u32, start, label)).or_default();
            if !starts.contains(&mask) {
                starts.push(mask);
            }
            let hash = pattern.labels.iter().fold(0, |state, (_, label)| mix(state, *label));
            self.index.entry((mask, hash)).or_default().push(number as u32);
        }
    }

    /// The edges that need a pattern.
    pub(crate) fn users(&self, pattern: u32) -> &[User] {
        self.users.get(pattern as usize).map_or(&[], Vec::as_slice)
    }

    /// Appends the patterns that a value with these labels fits.
    pub(crate) fn lookup(&self, tables: &Tables, ty: usize, labels: &[u16], found: &mut Vec<u32>) {
        let mut there = [0u64; 4];
        for (at, label) in labels.iter().enumerate() {
            there[at / 64 % 4] |= u64::from(*label != 0) << (at % 64);
        }
        let starts = labels.iter().enumerate().filter(|(_, label)| **label != 0);
        let starts = starts.map(|(at, label)| (ty as u32, at as u16, *label));
        for start in starts.chain([(ty as u32, u16::MAX, 0)]) {
            for mask in self.starts.get(&start).into_iter().flatten() {
                let bits = &self.bits[*mask as usize];
                if bits.iter().zip(&there).any(|(wanted, there)| wanted & !there != 0) {
                    continue;
                }
                let positions = &self.masks[*mask as usize];
                let hash = positions.iter().fold(0, |state, at| mix(state, labels[usize::from(*at)]));
                for pattern in self.index.get(&(*mask, hash)).into_iter().flatten() {
                    let wanted = &tables.patterns[*pattern as usize].labels;
                    if wanted.iter().all(|(at, label)| labels[usize::from(*at)] == *label) {
                        found.push(*pattern);
                    }
                }
            }
        }
    }
}

fn mix(state: u64, label: u16) -> u64 {
    (state.rotate_left(5) ^ u64::from(label)).wrapping_mul(0x9e37_79b9_7f4a_7c15)
}

/// Both patterns, unless they contradict each other.
fn join(left: Option<Pattern>, right: Option<Pattern>) -> Option<Pattern> {
    let (left, right) = (left?, right?);
    let mut labels: BTreeMap<u16, u16> = left.labels.into_iter().collect();
    for (at, label) in right.labels {
        if *labels.entry(at).or_insert(label) != label {
            return None;
        }
    }
    (left.ty == right.ty).then(|| Pattern { ty: left.ty, labels: labels.into_iter().collect() })
}

/// The steps that can produce a pattern, with the requirements on their operands, grouped by requirements.
fn steps(plan: &Plan, wanted: &Pattern) -> Needs {
    let mut all: Needs = Vec::new();
    for group in &plan.groups {
        let mut known: FxHashMap<Vec<Pattern>, usize> = FxHashMap::default();
        // Labels by operand and position.
        let mut scratch: Vec<Vec<u16>> = group.args.iter().map(|ty| vec![0; plan.sizes[*ty]]).collect();
        for position in group.transitions.clone().filter(|at| plan.result_types[*at] == wanted.ty) {
            let pieces = &plan.pieces[position];
            let mut fits = true;
            let mut written = 0;
            for (at, label) in &wanted.labels {
                fits = match pieces[usize::from(*at)] {
                    Piece::Label(own) => own == *label,
                    Piece::Of(operand, unit) => {
                        let slot = &mut scratch[usize::from(operand)][usize::from(unit)];
                        let free = *slot == 0 || *slot == *label;
                        if free {
                            *slot = *label;
                        }
                        free
                    }
                };
                if !fits {
                    break;
                }
                written += 1;
            }
            if fits {
                let pattern = |(ty, labels): (&usize, &Vec<u16>)| Pattern {
                    ty: *ty,
                    labels: (0u16..).zip(labels.iter().copied()).filter(|(_, label)| *label != 0).collect(),
                };
                let needs: Vec<Pattern> = group.args.iter().zip(&scratch).map(pattern).collect();
                let next = all.len();
                let at = *known.entry(needs.clone()).or_insert(next);
                if at == next {
                    all.push((needs, Vec::new()));
                }
                all[at].1.push(position as u32);
            }
            for (at, _) in &wanted.labels[..written] {
                if let Piece::Of(operand, unit) = pieces[usize::from(*at)] {
                    scratch[usize::from(operand)][usize::from(unit)] = 0;
                }
            }
        }
    }
    all
}
