//! The cheapest way to reach what is wanted: all states, their costs, and the program that is chosen.

use std::cmp::Reverse;
use std::collections::BinaryHeap;

use rustc_hash::FxHashMap;
use search::{Class, Type};

use crate::contents::{Content, Entry, Place, StateId, States, Wanted};
use crate::copies::ordered;
use crate::made::made;
use crate::options::{Finder, Way, max_moves};
use crate::program::{Input, Program, Value};
use crate::table::Op;

/// States that are looked at, at most; beyond them only what was found so far is used.
const MAX_STATES: usize = 12_000;

/// The same where no program is known by then.
const MAX_STATES_WITHOUT: usize = 30_000;

/// The same for a window in registers, most of which are one instruction of another instruction set.
const MAX_STATES_IN_REGISTERS: usize = 6_000;

/// States that are looked at before it is asked what the result costs by now.
const STEP: usize = 128;

/// Once a program is known, as many states are looked at again, and so many more, for a cheaper one.
const MORE: usize = 512;

/// Rounds in which choices are tried again with shared values counted once.
const ROUNDS: usize = 4;

/// What a step costs at least, in thousandths of a cycle.
const STEP_COST: u64 = 1000;

/// What a load between registers in order costs, in thousandths of a cycle.
const LOAD: u64 = 500;

/// What each number in a constant costs besides: nothing, as far as anything else differs.
const CONSTANT: u64 = 1;

/// What a scalar in the lanes of a vector register costs, in thousandths of a cycle, where nothing is made before a loop: a move from
/// one register file to the other, and a broadcast.
const SCALAR: u64 = 2002;

/// What an operation costs, in thousandths of a cycle.
pub type CostOf<'a> = dyn Fn(&Op) -> u64 + 'a;

/// States with the ways to reach them and their costs.
pub struct Selection {
    states: States,
    ways: Vec<Vec<Way>>,
    /// For each way what it costs itself, and the states that it needs.
    needs: Vec<Vec<(u64, Vec<StateId>)>>,
    /// The states whose ways need a state.
    users: Vec<Vec<StateId>>,
    /// Whether a way may have become cheaper since a state's cost was found.
    stale: Vec<bool>,
    costs: Vec<Option<u64>>,
    chosen: Vec<usize>,
    /// Whether there were more states than are looked at.
    pub cut: bool,
}

/// Why a search ends before its end.
pub type Stop<'a> = dyn Fn() -> bool + 'a;

impl Selection {
    /// Looks at the states below the wanted ones, those first that can be part of the cheapest programs: a program through a
    /// state costs at least what its users down to there cost. What costs as much as a program that is known, or as `most`, is
    /// left out.
    pub fn new(
        finder: &mut Finder<'_, '_>,
        roots: Vec<Wanted>,
        cost: &dyn Fn(crate::table::OpId) -> u64,
        most: Option<u64>,
        stop: &Stop<'_>,
    ) -> (Self, Vec<StateId>) {
        let mut states = States::new(finder.meaning.window().in_registers);
        let roots: Vec<StateId> = roots
            .into_iter()
            .map(|wanted| states.intern(wanted, max_moves(finder.meaning.window()) + 1))
            .collect();
        let (most_states, without) = match finder.meaning.window().in_registers {
            true => (MAX_STATES_IN_REGISTERS, MAX_STATES_IN_REGISTERS),
            false => (MAX_STATES, MAX_STATES_WITHOUT),
        };
        let mut selection = Self {
            states,
            ways: Vec::new(),
            needs: Vec::new(),
            users: Vec::new(),
            stale: Vec::new(),
            costs: Vec::new(),
            chosen: Vec::new(),
            cut: false,
        };
        // For each state what is paid from a result down to it, at least.
        let mut least: Vec<Option<u64>> = roots.iter().map(|_| Some(0)).collect();
        let mut open: BinaryHeap<Reverse<(u64, StateId)>> =
            roots.iter().map(|root| Reverse((0, *root))).collect();
        let (mut looked, mut known, mut enough) = (0, None, usize::MAX);
        let mut seen: Vec<bool> = Vec::new();
        while let Some(Reverse((paid, id))) = open.pop() {
            let index = id.0 as usize;
            selection.grow(&mut seen, &mut least);
            if least[index].is_some_and(|least| least < paid) {
                continue;
            }
            if looked % STEP == STEP - 1 {
                selection.solve();
                known = roots.iter().filter_map(|root| selection.costs[root.0 as usize]).min();
                if known.is_some() {
                    enough = enough.min(2 * looked + MORE);
                }
            }
            // A composition is paid in steps, each of which costs as much at least.
            let most_states = if known.is_some() { most_states } else { without };
            let known = known.filter(|_| !finder.composing).into_iter().chain(most);
            if known.into_iter().any(|known| paid >= known) || looked >= enough {
                break;
            }
            if looked >= most_states.min(finder.limit) || stop() {
                selection.cut = true;
                break;
            }
            if !seen[index] {
                seen[index] = true;
                looked += 1;
                let ways = finder.ways(&mut selection.states, id);
                selection.grow(&mut seen, &mut least);
                selection.set(finder, id, ways, cost);
            }
            for (way, (own, below)) in selection.ways[index].iter().zip(&selection.needs[index]) {
                let own = match way {
                    // A composition has few instructions, whatever they cost.
                    Way::Apply(steps) if finder.composing => STEP_COST * steps.len() as u64,
                    Way::Apply(_) | Way::Split(..) => *own,
                    _ => 0,
                };
                // What an operation needs besides takes one step at least, unless it is there.
                let steps = |state: &StateId| match way {
                    Way::Apply(_) if !finder.is_given(selection.states.wanted(*state)) => STEP_COST,
                    _ => 0,
                };
                let all: u64 = below.iter().map(steps).sum();
                for (state, step) in below.iter().map(|state| (*state, steps(state))) {
                    let own = own + all - step;
                    let least = &mut least[state.0 as usize];
                    if least.is_none_or(|least| paid + own < least) {
                        *least = Some(paid + own);
                        open.push(Reverse((paid + own, state)));
                    }
                }
            }
        }
        (selection, roots)
    }

    /// Room for all states that there are.
    fn grow(&mut self, seen: &mut Vec<bool>, least: &mut Vec<Option<u64>>) {
        let count = self.states.count();
        self.ways.resize(count, Vec::new());
        self.needs.resize(count, Vec::new());
        self.users.resize(count, Vec::new());
        self.stale.resize(count, false);
        self.costs.resize(count, None);
        self.chosen.resize(count, 0);
        seen.resize(count, false);
        least.resize(count, None);
    }

    /// Number of states.
    pub fn states(&self) -> usize {
        self.states.count()
    }

    /// Gives a state its ways.
    fn set(
        &mut self,
        finder: &Finder<'_, '_>,
        id: StateId,
        ways: Vec<Way>,
        cost: &dyn Fn(crate::table::OpId) -> u64,
    ) {
        let own = |way: &Way| match way {
            Way::Apply(steps) => steps.iter().map(|(op, _)| cost(*op)).sum(),
            Way::Split(_, upper) => cost(*upper) * self.states.wanted(id).registers.len() as u64 / 2,
            Way::Load => {
                let wanted = self.states.wanted(id);
                let loads = wanted.loads().unwrap_or_default();
                loads.into_iter().zip(&wanted.registers).map(|(from, own)| load(own, from)).sum()
            }
            Way::Constant => {
                let wanted = self.states.wanted(id);
                wanted.registers.iter().map(|content| constant(finder, wanted.ty, content)).sum()
            }
            _ => 0,
        };
        let needs: Vec<(u64, Vec<StateId>)> = ways.iter().map(|way| (own(way), below(way))).collect();
        for state in needs.iter().flat_map(|(_, below)| below) {
            self.users[state.0 as usize].push(id);
        }
        let index = id.0 as usize;
        (self.ways[index], self.needs[index], self.stale[index]) = (ways, needs, true);
    }

    /// Finds the cost of each state as if nothing was shared, and the way that has it.
    pub fn solve(&mut self) {
        loop {
            let mut changed = false;
            for state in (0..self.ways.len()).rev() {
                if std::mem::replace(&mut self.stale[state], false) && self.improve(state) {
                    self.users[state].iter().for_each(|user| self.stale[user.0 as usize] = true);
                    changed = true;
                }
            }
            if !changed {
                return;
            }
        }
    }

    /// Whether a state has a way that is cheaper than was known.
    fn improve(&mut self, state: usize) -> bool {
        let mut improved = false;
        for at in 0..self.needs[state].len() {
            let Some(sum) = self.sum(state, at) else { continue };
            if self.costs[state].is_none_or(|known| sum < known) {
                (self.costs[state], self.chosen[state]) = (Some(sum), at);
                improved = true;
            }
        }
        improved
    }

    /// The chosen program for a state, the cheapest with values shared that is found from several choices; `None` if there is no
    /// way to reach it.
    pub fn program(
        &self,
        root: StateId,
        finder: &Finder<'_, '_>,
        cost: &dyn Fn(crate::table::OpId) -> u64,
    ) -> Option<Program> {
        self.costs[root.0 as usize]?;
        let price = |program: &Program| {
            let input = |input: &Input| match input.load {
                Some(from) => load(&input.content, from),
                None => constant(finder, input.ty, &input.content),
            };
            let inputs: u64 = program.inputs.iter().map(input).sum();
            let in_registers = finder.meaning.window().in_registers;
            let copied = if in_registers { ordered(program, finder.table).0 } else { 0 };
            inputs + copied + program.steps.iter().map(|step| cost(step.op)).sum::<u64>()
        };
        let starts = [self.chosen.clone(), self.last_cheapest()];
        let found = starts.into_iter().filter_map(|chosen| self.improved(root, chosen, &price));
        let best = found.min_by_key(price)?;
        Some(if finder.meaning.window().in_registers {
            ordered(&best, finder.table).1.into_owned()
        } else {
            best
        })
    }

    /// The choices with the last operation of a state that is as cheap as its chosen one.
    fn last_cheapest(&self) -> Vec<usize> {
        let last = |(state, chosen): (usize, &usize)| {
            let ways = &self.ways[state];
            let applies = |at: &usize| matches!(ways[*at], Way::Apply(_));
            let equal = |at: &usize| self.sum(state, *at).is_some_and(|sum| Some(sum) == self.costs[state]);
            match ways.get(*chosen) {
                Some(Way::Apply(_)) => (0..ways.len()).rev().filter(applies).find(equal).unwrap_or(*chosen),
                _ => *chosen,
            }
        };
        self.chosen.iter().enumerate().map(last).collect()
    }

    /// What a way costs with what it needs, as if nothing was shared.
    fn sum(&self, state: usize, way: usize) -> Option<u64> {
        let (own, below) = &self.needs[state][way];
        below.iter().try_fold(*own, |sum, below| Some(sum + self.costs[below.0 as usize]?))
    }

    /// The program of these choices after each that makes it cheaper with values shared.
    fn improved(
        &self,
        root: StateId,
        mut chosen: Vec<usize>,
        price: &dyn Fn(&Program) -> u64,
    ) -> Option<Program> {
        let mut best = self.build(root, &chosen)?;
        // With values shared another way may be cheaper: each is tried where it is used.
        for _ in 0..ROUNDS {
            let mut improved = false;
            for state in self.used(root, &chosen) {
                let index = state.0 as usize;
                let before = chosen[index];
                for (at, (_, below)) in self.needs[index].iter().enumerate() {
                    let reachable = below.iter().all(|below| self.costs[below.0 as usize].is_some());
                    if at == before || !reachable {
                        continue;
                    }
                    let kept = chosen[index];
                    chosen[index] = at;
                    match self.build(root, &chosen) {
                        Some(program) if price(&program) < price(&best) => {
                            best = program;
                            improved = true;
                        }
                        _ => chosen[index] = kept,
                    }
                }
            }
            if !improved {
                break;
            }
        }
        Some(best)
    }

    /// The states that a program for `root` goes through.
    fn used(&self, root: StateId, chosen: &[usize]) -> Vec<StateId> {
        let (mut seen, mut order) = (vec![false; self.ways.len()], Vec::new());
        let mut pending = vec![root];
        while let Some(state) = pending.pop() {
            let index = state.0 as usize;
            if std::mem::replace(&mut seen[index], true) || self.ways[index].is_empty() {
                continue;
            }
            order.push(state);
            pending.extend(&self.needs[index][chosen[index]].1);
        }
        order
    }

    fn build(&self, root: StateId, chosen: &[usize]) -> Option<Program> {
        let mut builder = Builder {
            selection: self,
            chosen,
            program: Program::default(),
            done: FxHashMap::default(),
            open: vec![false; self.ways.len()],
        };
        let outputs = builder.state(root)?;
        let mut program = builder.program;
        let wanted = self.states.wanted(root);
        program.outputs = outputs.into_iter().zip(wanted.registers.iter().cloned()).collect();
        program.container = wanted.container;
        program.output_type = Some(wanted.ty);
        Some(program)
    }
}

/// What it costs to load a register from an element of a leaf on: next to nothing where that starts a register in order, which is
/// there already or is loaded anyway. Of programs that cost the same the one with fewer loads is taken.
fn load(content: &Content, (_, start): (u32, i64)) -> u64 {
    if start % content.len() as i64 == 0 { 1 } else { LOAD }
}

/// What a constant costs. Of two ways that cost the same the one whose constants hold fewer numbers is taken, best of all none.
fn constant(finder: &Finder<'_, '_>, ty: Type, content: &Content) -> u64 {
    let mut values: Vec<&Entry> = content.iter().filter(|entry| **entry != Entry::Any).collect();
    values.sort_unstable();
    values.dedup();
    let dag = &finder.meaning.dag;
    let is_scalar = |entry: &&&Entry| entry.uniform().is_some_and(|value| dag.as_int(value).is_none());
    let is_moved = finder.meaning.window().in_registers && ty.class == Class::Vector;
    let scalars = if is_moved { values.iter().filter(is_scalar).count() } else { 0 };
    let is_made = ty.class == Class::Vector && values.len() > scalars;
    let container = ty.width / content.len() as u32;
    let made = if is_made { made(dag, content, container, finder.constant) } else { 0 };
    CONSTANT * values.len() as u64 + SCALAR * scalars as u64 + made
}

/// The states that a way needs, each once.
fn below(way: &Way) -> Vec<StateId> {
    match way {
        Way::Load | Way::Constant => Vec::new(),
        Way::Recast(state)
        | Way::Equal(state)
        | Way::Halves(state)
        | Way::Split(state, _)
        | Way::Pairs(state) => vec![*state],
        Way::Each(states) => states.clone(),
        Way::Apply(steps) => {
            let mut states: Vec<StateId> =
                steps.iter().flat_map(|(_, places)| places).map(|place| place.state).collect();
            states.sort_unstable();
            states.dedup();
            states
        }
    }
}

struct Builder<'a> {
    selection: &'a Selection,
    chosen: &'a [usize],
    program: Program,
    done: FxHashMap<StateId, Vec<Value>>,
    open: Vec<bool>,
}

impl Builder<'_> {
    fn state(&mut self, id: StateId) -> Option<Vec<Value>> {
        if let Some(done) = self.done.get(&id) {
            return Some(done.clone());
        }
        // A choice that leads back to itself is none.
        if std::mem::replace(&mut self.open[id.0 as usize], true) {
            return None;
        }
        let way = self.selection.ways[id.0 as usize].get(self.chosen[id.0 as usize])?;
        let wanted = self.selection.states.wanted(id);
        let values = match way {
            Way::Load => {
                let loads = wanted.loads()?;
                loads
                    .into_iter()
                    .zip(&wanted.registers)
                    .map(|((leaf, start), content)| self.program.load(leaf, start, wanted, content))
                    .collect()
            }
            Way::Constant => {
                wanted.registers.iter().map(|content| self.program.constant(wanted, content)).collect()
            }
            Way::Recast(state) => self.state(*state)?,
            Way::Equal(state) => {
                // What was computed is known under this name from now on.
                let values = self.state(*state)?;
                for (value, content) in values.iter().zip(&wanted.registers) {
                    if let Value::Step(at) = value
                        && self.program.steps[*at].container == wanted.container
                    {
                        self.program.steps[*at].content.clone_from(content);
                    }
                }
                values
            }
            Way::Halves(state) => {
                let pairs = self.state(*state)?;
                pairs
                    .into_iter()
                    .flat_map(|pair| [Value::Low(Box::new(pair.clone())), Value::High(Box::new(pair))])
                    .take(wanted.registers.len())
                    .collect()
            }
            Way::Split(state, upper) => {
                let wholes = self.state(*state)?;
                let mut values = Vec::new();
                for (whole, contents) in wholes.into_iter().zip(wanted.registers.chunks(2)) {
                    values.push(Value::Low(Box::new(whole.clone())));
                    values.push(self.program.step(*upper, vec![whole], wanted.container, &contents[1]));
                }
                values
            }
            Way::Pairs(state) => {
                let singles = self.state(*state)?;
                singles.chunks(2).map(|two| Value::Pair(Box::new((two[0].clone(), two[1].clone())))).collect()
            }
            Way::Each(states) => {
                let mut values = Vec::new();
                for state in states {
                    values.extend(self.state(*state)?);
                }
                values
            }
            Way::Apply(steps) => {
                let mut values = Vec::new();
                for ((op, places), content) in steps.iter().zip(&wanted.registers) {
                    let mut operands = Vec::new();
                    for place in places {
                        // Where nothing counts another operand serves, for which no register is cleared.
                        let Place { state, register, low } = self.instead(place, places).unwrap_or(place);
                        let value = self.state(*state)?[*register as usize].clone();
                        operands.push(if *low { Value::Low(Box::new(value)) } else { value });
                    }
                    values.push(self.program.step(*op, operands, wanted.container, content));
                }
                values
            }
        };
        self.open[id.0 as usize] = false;
        self.done.insert(id, values.clone());
        Some(values)
    }
}

impl<'a> Builder<'a> {
    /// Another operand of an operation for one of which nothing counts.
    fn instead(&self, place: &Place, places: &'a [Place]) -> Option<&'a Place> {
        let wanted = |place: &Place| self.selection.states.wanted(place.state);
        let is_any = |place: &Place| {
            wanted(place).registers[place.register as usize].iter().all(|own| *own == Entry::Any)
        };
        let fits =
            |other: &&Place| wanted(other).ty == wanted(place).ty && other.low == place.low && !is_any(other);
        places.iter().find(fits).filter(|_| is_any(place))
    }
}

/// The registers that hold a result in order: lanes as they are, in registers of a width.
pub fn in_order(entries: &[Entry], container: u32, width: u32) -> Vec<Content> {
    let lanes = (width / container) as usize;
    entries
        .chunks(lanes)
        .map(|chunk| {
            let mut content = chunk.to_vec();
            content.resize(lanes, Entry::Any);
            content
        })
        .collect()
}
