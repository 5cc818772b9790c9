//! Depth-first search through the sequences of one length.
//!
//! A state is the list of values computed so far; all stay there, so that a sequence is a graph of values and
//! registers have no names yet (two registers that only differ in name are one state). Never tried twice:
//! - a step that produces an existing value, or one that another step with the same operands produces here;
//! - both orders of a commutative step's operands;
//! - both orders of two steps of which neither reads the other's result;
//! - a sequence with a value that nobody reads: each step must leave few enough unread values for the steps
//!   that are left, and the last one must read all of them.

use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};

use rustc_hash::FxHashSet;

use crate::allocation::Use;
use crate::machine::{Register, Values, hash};
use crate::meet::Fitting;
use crate::plan::Plan;
use crate::registers::fewest_moves;
use crate::transition::MAX_ARITY;

/// What is counted against the limit.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Cost {
    /// Instructions, moves among them.
    Length,
    /// Micro-operations as the cost table has them, one for a move.
    Uops,
    /// Cycles on the longest path; moves are free.
    Latency,
}

/// The limits of one pass.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Limits {
    /// Steps of a sequence, exactly.
    pub(crate) steps: usize,
    /// Cost that a sequence may have.
    pub(crate) cost: u32,
    pub(crate) model: Cost,
    pub(crate) two_address: bool,
}

/// What all workers share.
#[derive(Debug, Default)]
pub struct Shared {
    /// Set from outside to end the search early.
    pub stop: AtomicBool,
    /// States that were looked at: one for each step that was executed.
    pub states: AtomicU64,
}

/// A step with the values that it reads.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Step {
    pub(crate) transition: usize,
    pub(crate) operands: [u8; MAX_ARITY],
}

/// A sequence that reaches the goal in every sample.
#[derive(Clone, Debug)]
pub(crate) struct Found {
    pub(crate) steps: Vec<Step>,
    pub(crate) outputs: Vec<usize>,
}

#[derive(Clone, Copy, Debug)]
pub(crate) struct Entry {
    pub(crate) register: Register,
    pub(crate) ty: usize,
    unread: bool,
    pub(crate) output: Option<usize>,
    ready: u32,
}

/// The position of a step among the steps of a state: group, operands, transition.
pub(crate) type Key = (usize, [u8; MAX_ARITY], usize);

/// How often workers check whether they should stop.
const STATES_BETWEEN_LOOKS: u64 = 1024;

/// Depth-first search of one worker.
pub(crate) struct Explorer<'a, F> {
    pub(crate) plan: &'a Plan,
    limits: Limits,
    shared: &'a Shared,
    pub(crate) values: Values,
    pub(crate) entries: Vec<Entry>,
    pub(crate) steps: Vec<Step>,
    keys: Vec<Key>,
    /// For each depth the values that siblings gave.
    seen: Vec<FxHashSet<(u64, u32, u32)>>,
    spent: u32,
    pending: u64,
    pub(crate) fitting: Fitting,
    /// States at this depth are handed to `visit` instead of being explored.
    depth: usize,
    pub(crate) stopped: bool,
    /// Called with each sequence of the wanted depth, and whether it reaches the goal; the search ends
    /// when it says so.
    visit: F,
}

impl<'a, F: FnMut(Found) -> bool> Explorer<'a, F> {
    /// An explorer in the start state; it goes `depth` steps deep.
    pub(crate) fn new(plan: &'a Plan, limits: Limits, shared: &'a Shared, depth: usize, visit: F) -> Self {
        let mut values = Values::new(plan.samples, plan.transitions.len());
        let mut entries: Vec<Entry> = Vec::new();
        for (ty, contents) in &plan.inputs {
            let register = values.push(contents);
            entries.push(Entry { register, ty: *ty, unread: false, output: None, ready: 0 });
        }
        let mut explorer = Self {
            plan,
            limits,
            shared,
            values,
            entries,
            steps: Vec::new(),
            keys: Vec::new(),
            seen: vec![FxHashSet::default(); limits.steps + 1],
            spent: 0,
            pending: 0,
            fitting: Fitting::default(),
            depth,
            stopped: false,
            visit,
        };
        for position in 0..explorer.entries.len() {
            explorer.entries[position].output = explorer.output_of(position);
        }
        explorer
    }

    /// Takes given steps without pruning.
    pub(crate) fn follow(&mut self, steps: &[Step]) {
        for step in steps {
            self.push((self.plan.group_of[step.transition], step.operands, step.transition));
        }
    }

    /// The output that a value is and none of the values before is.
    fn output_of(&self, position: usize) -> Option<usize> {
        let entry = &self.entries[position];
        let contents = self.values.contents(entry.register);
        (0..self.plan.targets.len()).find(|number| {
            let target = &self.plan.targets[*number];
            let taken = self.entries[..position].iter().any(|earlier| earlier.output == Some(*number));
            !taken && target.ty == entry.ty && target.matches(contents)
        })
    }

    fn missing(&self) -> usize {
        self.plan.targets.len() - self.entries.iter().filter(|entry| entry.output.is_some()).count()
    }

    /// Whether the search is to end.
    pub(crate) fn explore(&mut self) -> bool {
        let left = self.limits.steps - self.steps.len();
        let missing = self.missing();
        if !self.moves_fit() {
            return self.stopped;
        }
        if left == 0 {
            if missing == 0 && self.entries.iter().all(|entry| !entry.unread) {
                self.stopped |= self.report(&[], None);
            }
            return self.stopped;
        }
        // Each step reads at most this many values, and produces one that must be read unless it is an
        // output.
        let reads = self.unread().count_ones() as usize + left - missing.min(left);
        if missing == 0 || missing > left || reads > left * self.plan.arity {
            return self.stopped;
        }
        if self.steps.len() == self.depth {
            self.stopped |= self.report(&[], None);
            return self.stopped;
        }
        let depth = self.steps.len();
        self.seen[depth].clear();
        let plan = self.plan;
        match &plan.tables {
            Some(tables) if left == missing => self.give_outputs(tables, left),
            Some(tables) if left == missing + 1 && tables.two_levels => self.prepare(tables, left, missing),
            None if left == 1 => self.finish(),
            _ => self.expand(left, missing),
        }
        self.stopped
    }

    /// Whether the moves that the steps so far need for certain leave the cost within the limit.
    fn moves_fit(&self) -> bool {
        if !self.limits.two_address || self.limits.model != Cost::Length || self.steps.len() < 2 {
            return true;
        }
        let room = self.limits.cost - self.limits.steps as u32;
        let destructive = |step: &&Step| self.plan.transitions[step.transition].destroys.is_some();
        if self.steps.iter().filter(destructive).count() as u32 <= room {
            return true;
        }
        let mut outputs = 0;
        for (position, entry) in self.entries.iter().enumerate() {
            outputs |= u32::from(entry.output.is_some()) << position;
        }
        let uses = self.steps.iter().map(|step| masks_of(self.plan, step));
        fewest_moves(self.plan.inputs.len(), uses, outputs) <= room
    }

    fn expand(&mut self, left: usize, missing: usize) {
        let plan = self.plan;
        let count = self.entries.len();
        let unread = self.unread();
        let room = (left - 1) * (plan.arity - 1) + missing - 1;
        let newest = (count - 1) as u8;
        let fresh = !self.steps.is_empty();
        for (number, group) in plan.groups.iter().enumerate() {
            for operands in self.tuples(&group.args) {
                let read = operand_mask(&operands[..group.args.len()]);
                if (unread & !read).count_ones() as usize > room {
                    continue;
                }
                let reads_newest = operands[..group.args.len()].contains(&newest);
                for position in group.transitions.clone() {
                    let transition = &plan.transitions[position];
                    if transition.commutative && operands[0] > operands[1] {
                        continue;
                    }
                    let key = (number, operands, position);
                    if fresh && !reads_newest && self.keys.last().is_some_and(|last| *last >= key) {
                        continue;
                    }
                    if !self.affordable(position, &operands, left) {
                        continue;
                    }
                    if self.count() {
                        return;
                    }
                    let new = self.try_push(key, self.steps.len());
                    let pointless = missing == left && self.entries[count].output.is_none();
                    if new && !pointless {
                        self.explore();
                    }
                    self.pop();
                    if self.stopped {
                        return;
                    }
                }
            }
        }
    }

    /// Takes a step; returns whether its value is new at this depth.
    pub(crate) fn try_push(&mut self, key: Key, depth: usize) -> bool {
        let (_, operands, position) = key;
        let transition = &self.plan.transitions[position];
        let operands = &operands[..transition.args.len()];
        self.push(key);
        let (new, before) = self.entries.split_last().expect("a value was pushed");
        let contents = self.values.contents(new.register);
        let same = |entry: &Entry| entry.ty == new.ty && self.values.contents(entry.register) == contents;
        if before.iter().any(same) {
            return false;
        }
        // What is overwritten matters to the moves that are still to come.
        let forgets = transition.forgets && operands.iter().all(|at| *at == operands[0]);
        let overwritten = match (self.limits.two_address && !forgets, transition.destroys) {
            (true, Some(_)) if transition.commutative => u32::MAX,
            (true, Some(operand)) => u32::from(operands[operand]) + 1,
            _ => 0,
        };
        self.seen[depth].insert((hash(contents) ^ new.ty as u64, operand_mask(operands), overwritten))
    }

    pub(crate) fn has_output(&self, target: usize) -> bool {
        self.entries.iter().any(|entry| entry.output == Some(target))
    }

    /// The first output that is not there.
    fn first_missing(&self) -> Option<usize> {
        (0..self.plan.targets.len()).find(|target| !self.has_output(*target))
    }

    /// The last step: it must give the one missing output and read whatever is unread.
    fn finish(&mut self) {
        let plan = self.plan;
        let Some(missing) = self.first_missing() else { return };
        let target = &plan.targets[missing];
        let unread = self.unread();
        for (number, classes) in &plan.last[missing] {
            let group = &plan.groups[*number];
            for operands in self.tuples(&group.args) {
                if unread & !operand_mask(&operands[..group.args.len()]) != 0 {
                    continue;
                }
                for class in classes {
                    let position = class.transitions[0];
                    let transition = &plan.transitions[position];
                    if transition.commutative && operands[0] > operands[1]
                        || !self.affordable(position, &operands, 1)
                    {
                        continue;
                    }
                    if self.count() {
                        return;
                    }
                    let registers = self.registers(&operands, group.args.len());
                    if self.values.reaches(plan, position, &registers[..group.args.len()], target) {
                        for position in &class.transitions {
                            self.stopped |=
                                self.report(&[Step { transition: *position, operands }], Some(missing));
                            if self.stopped {
                                return;
                            }
                        }
                    }
                }
            }
        }
    }

    /// Hands the state to the visitor, with more steps of which the last one gives an output.
    pub(crate) fn report(&mut self, more: &[Step], output: Option<usize>) -> bool {
        let steps: Vec<Step> = self.steps.iter().chain(more).copied().collect();
        let outputs = (0..self.plan.targets.len()).map(|target| match output {
            Some(last) if last == target => self.entries.len() + more.len() - 1,
            _ => self.entries.iter().position(|entry| entry.output == Some(target)).unwrap_or(usize::MAX),
        });
        let outputs = outputs.collect();
        (self.visit)(Found { steps, outputs })
    }

    /// Counts a state; whether the search was stopped from outside.
    pub(crate) fn count(&mut self) -> bool {
        self.pending += 1;
        if self.pending >= STATES_BETWEEN_LOOKS {
            self.flush();
            self.stopped |= self.shared.stop.load(Ordering::Relaxed);
        }
        self.stopped
    }

    fn flush(&mut self) {
        self.shared.states.fetch_add(self.pending, Ordering::Relaxed);
        self.pending = 0;
    }

    /// The values that nobody has read, as bits.
    pub(crate) fn unread(&self) -> u32 {
        let unread = self.entries.iter().enumerate().filter(|(_, entry)| entry.unread);
        unread.fold(0, |mask, (position, _)| mask | 1 << position)
    }

    /// Whether a step fits the limit, with at least one unit for each of the steps left (itself among them).
    pub(crate) fn affordable(&self, position: usize, operands: &[u8; MAX_ARITY], left: usize) -> bool {
        let transition = &self.plan.transitions[position];
        let limit = self.limits.cost;
        match self.limits.model {
            // Other moves are counted once the value is known to be new.
            Cost::Length => transition.placement.repeated(operands) <= limit as usize - self.limits.steps,
            Cost::Uops => self.spent + transition.uops + (left - 1) as u32 <= limit,
            Cost::Latency => {
                let operands = &operands[..transition.args.len()];
                let ready = operands.iter().map(|operand| self.entries[usize::from(*operand)].ready).max();
                ready.unwrap_or(0) + transition.latency <= limit
            }
        }
    }

    fn registers(&self, operands: &[u8; MAX_ARITY], count: usize) -> [Register; MAX_ARITY] {
        let mut registers = [Register { offset: 0, bytes: 0 }; MAX_ARITY];
        for (slot, operand) in registers.iter_mut().zip(&operands[..count]) {
            *slot = self.entries[usize::from(*operand)].register;
        }
        registers
    }

    fn push(&mut self, key: Key) {
        let (_, operands, position) = key;
        let transition = &self.plan.transitions[position];
        let count = transition.args.len();
        let registers = self.registers(&operands, count);
        let register = self.values.execute(self.plan, position, &registers[..count]);
        let ready = operands[..count].iter().map(|operand| self.entries[usize::from(*operand)].ready).max();
        let ty = self.plan.result_types[position];
        let ready = ready.unwrap_or(0) + transition.latency;
        self.entries.push(Entry { register, ty, unread: false, output: None, ready });
        let newest = self.entries.len() - 1;
        let output = self.output_of(newest);
        self.entries[newest].output = output;
        self.steps.push(Step { transition: position, operands });
        self.keys.push(key);
        self.spent += transition.uops;
        self.mark();
    }

    pub(crate) fn pop(&mut self) {
        if let (Some(entry), Some(step)) = (self.entries.pop(), self.steps.pop()) {
            self.values.pop(entry.register);
            self.fitting.truncate(self.entries.len());
            self.spent -= self.plan.transitions[step.transition].uops;
            self.keys.pop();
            self.mark();
        }
    }

    /// Finds out which values are unread.
    fn mark(&mut self) {
        let mut read = 0;
        for step in &self.steps {
            read |= operand_mask(&step.operands[..self.plan.transitions[step.transition].args.len()]);
        }
        let inputs = self.plan.inputs.len();
        for (position, entry) in self.entries.iter_mut().enumerate() {
            entry.unread = position >= inputs && entry.output.is_none() && read & (1 << position) == 0;
        }
    }

    /// Every choice of operands of the given types.
    fn tuples(&self, args: &[usize]) -> Vec<[u8; MAX_ARITY]> {
        let mut all = vec![[0; MAX_ARITY]];
        for (slot, ty) in args.iter().enumerate() {
            let fitting = |start: [u8; MAX_ARITY]| {
                self.entries.iter().enumerate().filter(|(_, entry)| entry.ty == *ty).map(
                    move |(position, _)| {
                        let mut tuple = start;
                        tuple[slot] = position as u8;
                        tuple
                    },
                )
            };
            all = all.into_iter().flat_map(fitting).collect();
        }
        all
    }
}

impl<F> Drop for Explorer<'_, F> {
    fn drop(&mut self) {
        self.shared.states.fetch_add(self.pending, Ordering::Relaxed);
    }
}

/// The registers of a step.
pub(crate) fn use_of(plan: &Plan, step: &Step) -> Use {
    let arity = plan.transitions[step.transition].args.len();
    let operands = step.operands[..arity].iter().map(|operand| usize::from(*operand)).collect();
    let destroyed = destroyed(plan, step);
    let transition = &plan.transitions[step.transition];
    Use {
        operands,
        destroys: (0..arity).filter(|operand| destroyed >> operand & 1 != 0).collect(),
        placement: transition.placement,
        file: transition.result.file(),
    }
}

/// The values that a step reads, and those of which the machine form overwrites one, as bits.
fn masks_of(plan: &Plan, step: &Step) -> (u32, u32) {
    let operands = &step.operands[..plan.transitions[step.transition].args.len()];
    let destroyed = destroyed(plan, step);
    let over = operands.iter().enumerate().filter(|(at, _)| destroyed >> at & 1 != 0);
    (operand_mask(operands), over.fold(0, |mask, (_, operand)| mask | 1 << operand))
}

/// The operands of which the machine form overwrites one, as bits.
fn destroyed(plan: &Plan, step: &Step) -> u32 {
    let transition = &plan.transitions[step.transition];
    let operands = &step.operands[..transition.args.len()];
    match transition.destroys {
        None => 0,
        // Its operands may be any register, including the result's.
        Some(_) if transition.forgets && operands.iter().all(|operand| *operand == operands[0]) => 0,
        Some(_) if transition.commutative => 3,
        Some(operand) => 1 << operand,
    }
}

pub(crate) fn operand_mask(operands: &[u8]) -> u32 {
    operands.iter().fold(0, |mask, operand| mask | 1 << operand)
}
