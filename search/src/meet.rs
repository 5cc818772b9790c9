//! The last two levels of a search on labels, which are looked up instead of tried.
//!
//! With as many steps left as outputs are missing, each step must give one: the tables say which steps do.
//! With one more, one step prepares: only steps of which some last step can use the result are taken.

use std::collections::BTreeSet;

use rustc_hash::FxHashMap;

use crate::backward::{Edge, Tables};
use crate::explore::{Entry, Explorer, Found, Step, operand_mask};
use crate::machine::label;
use crate::transition::MAX_ARITY;

/// A transition with its operands.
type Choice = (u32, [u8; MAX_ARITY]);

/// The patterns that the values of a state fit.
#[derive(Default)]
pub(crate) struct Fitting {
    /// For each of the first values its patterns.
    patterns: Vec<Vec<u32>>,
    /// For each pattern the values that fit it, as bits.
    values: Vec<u32>,
    /// The same as one bit for each pattern: whether there is a value.
    there: Vec<u64>,
    /// For each pattern the steps that produce it from the given number of first values.
    ready: FxHashMap<u32, Vec<u32>>,
    ready_values: usize,
    /// Scratch: the labels of a value.
    labels: Vec<u16>,
    /// Lists that are not in use.
    free: Vec<Vec<u32>>,
    /// Scratch: whether a last step can use what fits a pattern.
    useful: FxHashMap<u32, bool>,
}

impl Fitting {
    fn values(&self, pattern: u32) -> u32 {
        self.values[pattern as usize]
    }

    /// Adds the value whose labels are in `labels`.
    fn push(&mut self, tables: &Tables, ty: usize, before: bool) {
        if self.values.is_empty() {
            self.values = vec![0; tables.patterns.len()];
            self.there = vec![0; tables.patterns.len().div_ceil(64)];
        }
        let mut found = self.free.pop().unwrap_or_default();
        found.clear();
        tables.last.lookup(tables, ty, &self.labels, &mut found);
        if before {
            tables.before.lookup(tables, ty, &self.labels, &mut found);
        }
        found.sort_unstable();
        found.dedup();
        let bit = 1 << self.patterns.len();
        for pattern in &found {
            self.values[*pattern as usize] |= bit;
            self.there[*pattern as usize / 64] |= 1 << (pattern % 64);
        }
        self.patterns.push(found);
    }

    /// Whether a value fits a pattern.
    fn there(&self, pattern: u32) -> bool {
        self.there[pattern as usize / 64] >> (pattern % 64) & 1 != 0
    }

    /// Finds the steps before last ones that the first `count` values allow.
    fn ready(&mut self, tables: &Tables, count: usize) {
        if self.ready_values == count {
            return;
        }
        self.ready.clear();
        self.ready_values = count;
        let first = (1u32 << count) - 1;
        for patterns in &self.patterns[..count] {
            for user in patterns.iter().flat_map(|pattern| tables.before.users(*pattern)) {
                let edge = &tables.before.edges[user.edge as usize];
                let all = |need: &u32| self.values[*need as usize] & first != 0;
                if user.slot == 0 && edge.needs().iter().all(all) {
                    self.ready.entry(edge.yields).or_default().push(user.edge);
                }
            }
        }
        for list in self.ready.values_mut() {
            list.sort_unstable();
            list.dedup();
        }
    }

    /// Forgets all values but the first ones.
    pub(crate) fn truncate(&mut self, count: usize) {
        while self.patterns.len() > count {
            let Some(found) = self.patterns.pop() else { return };
            let bit = 1u32 << self.patterns.len();
            for pattern in &found {
                let values = &mut self.values[*pattern as usize];
                *values &= !bit;
                self.there[*pattern as usize / 64] &= !(u64::from(*values == 0) << (pattern % 64));
            }
            self.free.push(found);
        }
        if count < self.ready_values {
            self.ready_values = 0;
        }
    }
}

impl<F: FnMut(Found) -> bool> Explorer<'_, F> {
    /// Every step must give an output.
    pub(crate) fn give_outputs(&mut self, tables: &Tables, left: usize) {
        self.look_up(tables, false);
        let unread = self.unread();
        let last = left == 1;
        for target in 0..self.plan.targets.len() {
            if self.has_output(target) {
                continue;
            }
            // Unread values must be read now; else each last step is found at its first operand.
            let anchors: Vec<usize> = match unread {
                0 => (0..self.entries.len()).collect(),
                _ if last => vec![31 - unread.leading_zeros() as usize],
                _ => (0..self.entries.len()).collect(),
            };
            let anchored = unread == 0 || !last;
            let mut choices: Vec<Choice> = Vec::new();
            for anchor in anchors {
                for pattern in &self.fitting.patterns[anchor] {
                    for user in tables.last.users(*pattern) {
                        if user.slot != 0 && anchored || !self.fitting.there(user.other) {
                            continue;
                        }
                        let edge = &tables.last.edges[user.edge as usize];
                        if edge.yields as usize == target {
                            self.complete(tables, edge, usize::from(user.slot), anchor, &mut choices);
                        }
                    }
                }
            }
            // Operands that are one value fit at several places.
            if !anchored {
                choices.sort_unstable();
                choices.dedup();
            }
            for (transition, operands) in choices {
                let position = transition as usize;
                let arity = self.plan.transitions[position].args.len();
                let read = operand_mask(&operands[..arity]);
                if !self.affordable(position, &operands, left) || last && unread & !read != 0 {
                    continue;
                }
                // Of two outputs that do not need each other the one with the lower number comes first.
                let newest = self.entries.len() - 1;
                let out_of_order = self.entries[newest].output.is_some_and(|before| before > target);
                if !last && !self.steps.is_empty() && out_of_order && read >> newest & 1 == 0 {
                    continue;
                }
                if self.count() {
                    return;
                }
                let step = Step { transition: position, operands };
                if last {
                    self.stopped |= self.report(&[step], Some(target));
                } else {
                    self.take(step);
                }
                if self.stopped {
                    return;
                }
            }
        }
    }

    /// One step prepares, all others must give outputs.
    pub(crate) fn prepare(&mut self, tables: &Tables, left: usize, missing: usize) {
        self.look_up(tables, true);
        if missing > 1 {
            self.give_outputs(tables, left);
            if self.stopped {
                return;
            }
        }
        let unread = self.unread();
        let mut choices: BTreeSet<Choice> = BTreeSet::new();
        let mut list = Vec::new();
        let mut useful = std::mem::take(&mut self.fitting.useful);
        useful.clear();
        // With one output missing all that is unread is read by the last two steps.
        let anchor = (missing == 1 && unread != 0).then(|| 31 - unread.leading_zeros() as usize);
        for entry in anchor.map_or(0..self.entries.len(), |anchor| anchor..anchor + 1) {
            for pattern in &self.fitting.patterns[entry] {
                for user in tables.before.users(*pattern) {
                    if user.slot != 0 && anchor.is_none() || !self.fitting.there(user.other) {
                        continue;
                    }
                    let edge = &tables.before.edges[user.edge as usize];
                    if self.others_there(edge, 0)
                        && *useful.entry(edge.yields).or_insert_with(|| self.leads_on(tables, edge.yields))
                    {
                        self.complete(tables, edge, usize::from(user.slot), entry, &mut list);
                    }
                }
            }
        }
        self.fitting.useful = useful;
        if let Some(anchor) = anchor {
            self.beside(tables, anchor, &mut list);
        }
        choices.extend(list);
        for (transition, operands) in choices {
            let position = transition as usize;
            if !self.affordable(position, &operands, left) {
                continue;
            }
            if self.count() {
                return;
            }
            self.take(Step { transition: position, operands });
            if self.stopped {
                return;
            }
        }
    }

    /// Steps other than an unread value that the last step is to read.
    fn beside(&mut self, tables: &Tables, anchor: usize, list: &mut Vec<Choice>) {
        // What the other values make possible stays while the newest one changes.
        self.fitting.ready(tables, self.entries.len() - 1);
        let newest = anchor == self.entries.len() - 1;
        for pattern in &self.fitting.patterns[anchor] {
            for user in tables.last.users(*pattern) {
                let edge = &tables.last.edges[user.edge as usize];
                if self.has_output(edge.yields as usize) {
                    continue;
                }
                for (slots, made) in tables.children(user.edge) {
                    if slots >> user.slot & 1 != 0 || !self.others_there(edge, *slots) {
                        continue;
                    }
                    let ready = self.fitting.ready.get(made).map_or(&[][..], Vec::as_slice);
                    for before in if newest { ready } else { tables.made_by(*made) } {
                        let before = &tables.before.edges[*before as usize];
                        self.complete(tables, before, usize::MAX, 0, list);
                    }
                }
            }
        }
    }

    /// Whether a last step for a missing output can use what fits a pattern.
    fn leads_on(&self, tables: &Tables, pattern: u32) -> bool {
        tables.parents(pattern).iter().any(|(last, slots)| {
            let last = &tables.last.edges[*last as usize];
            !self.has_output(last.yields as usize) && self.others_there(last, *slots)
        })
    }

    /// Whether values for all operands but some, as bits, are there.
    fn others_there(&self, edge: &Edge, but: u8) -> bool {
        let needs = edge.needs().iter().enumerate();
        needs.filter(|(slot, _)| but >> slot & 1 == 0).all(|(_, need)| self.fitting.values(*need) != 0)
    }

    /// Appends every choice of operands for an edge, where one of them is given.
    fn complete(&self, tables: &Tables, edge: &Edge, slot: usize, given: usize, list: &mut Vec<Choice>) {
        let needs = edge.needs();
        let values = |at: usize| if at == slot { 1 << given } else { self.fitting.values(needs[at]) };
        let mut left = [0u32; MAX_ARITY];
        (0..needs.len()).for_each(|at| left[at] = values(at));
        if left[..needs.len()].contains(&0) {
            return;
        }
        // Counts through the bits of each operand, the last one fastest.
        loop {
            let mut tuple = [0; MAX_ARITY];
            (0..needs.len()).for_each(|at| tuple[at] = left[at].trailing_zeros() as u8);
            list.extend(tables.members(edge).iter().map(|transition| (*transition, tuple)));
            let Some(at) = (0..needs.len()).rev().find(|at| left[*at] & (left[*at] - 1) != 0) else { return };
            left[at] &= left[at] - 1;
            (at + 1..needs.len()).for_each(|after| left[after] = values(after));
        }
    }

    /// Finds for each new value the patterns that it fits: those of last steps, and of the ones before.
    fn look_up(&mut self, tables: &Tables, before: bool) {
        for entry in self.fitting.patterns.len()..self.entries.len() {
            let Entry { register, ty, .. } = self.entries[entry];
            let contents = self.values.contents(register);
            self.fitting.labels.clear();
            self.fitting.labels.extend((0..register.bytes).map(|at| label(contents, register.bytes, at)));
            self.fitting.push(tables, ty, before);
        }
    }

    /// Takes a step and goes on, unless its value is there or a sibling gave it.
    fn take(&mut self, step: Step) {
        let group = self.plan.group_of[step.transition];
        let depth = self.steps.len();
        if self.try_push((group, step.operands, step.transition), depth) {
            self.explore();
        }
        self.pop();
    }
}
