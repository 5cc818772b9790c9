//! From a window to an answer.

use hydride_ir::exact::NodeId;
use memo::{Key, Memo, digest};
use smt::Prover;

use crate::certify::{Judge, Proof, Refusal, certify};
use crate::contents::{Entry, Wanted};
use crate::immediates::immediates;
use crate::innermost::{Limits, composed};
pub use crate::kept::Kept;
use crate::missing::missing_operator;
use crate::options::Finder;
use crate::padded::{padded, trimmed};
use crate::program::{Program, Step};
use crate::reduce::{Reduction, asks, programs as reduced, reduction};
pub use crate::select::{CostOf, Stop};
use crate::select::{Selection, in_order};
use crate::single::{Goal, Proved, single};
use crate::stages::{Stages, forms, stages};
use crate::table::{OpId, Table};
use crate::window::{Meaning, Window};
use search::{Class, Type};

/// Names the search, so that what an earlier one did not find is searched again.
const SEARCH: &[u8] = b"synth 35";

/// How often a window is cut in stages, each of which may be cut again.
const MAX_DEPTH: u8 = 1;

/// Instructions that samples show before the last one, at most.
const MAX_INNERMOST: usize = 2;

/// States of a stage that are looked at, at most, and of what costs less than a composition that is known.
const MAX_STATES_OF_STAGE: usize = 2048;

/// States that are looked at where a program in registers must be cheaper than what is known, at most: what is cheaper is among the
/// first.
const MAX_STATES_BELOW: usize = 1024;

/// States after which no more stages are searched.
const MAX_STAGED: usize = 40_000;

/// States that are looked at before compositions of instructions are.
const FEW_STATES: usize = 768;

/// How often what there is without a refused operation is looked for.
const MAX_REFUSED: usize = 3;

/// What it costs to put a register beside another one, or to take a number out of one, in thousandths of a cycle.
const JOIN: u64 = 1000;

/// How far a search came.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Status {
    /// The program is proved at the window's full width.
    Proved,
    /// No program was found, or none could be proved.
    Exhausted,
    /// The search was stopped; the program, if there is one, is proved and the best so far.
    OutOfTime,
}

impl Status {
    /// The same in words.
    pub fn name(self) -> &'static str {
        match self {
            Status::Proved => "proved",
            Status::Exhausted => "exhausted",
            Status::OutOfTime => "out of time",
        }
    }
}

/// What is known of a target besides its instructions.
pub struct Target<'a> {
    /// Widths of vector registers in bits, least first.
    pub widths: Vec<u32>,
    /// What an operation costs, in thousandths of a cycle.
    pub cost: &'a CostOf<'a>,
    /// What a register with constants costs, in thousandths of a cycle; nothing where they are made before a loop.
    pub constant: u64,
    /// Programs that cost as much as this are not looked for.
    pub most: Option<u64>,
    /// A hash of the instructions and of all else that answers depend on besides the window.
    pub key: Key,
}

impl Target<'_> {
    /// The key of a window's answer.
    pub fn answer_key(&self, window: &Window) -> Key {
        let constant = (self.constant > 0).then_some(self.constant);
        // What is not given is not part of the key.
        let given = [(b"most", self.most), (b"cost", constant)];
        let given: Vec<Vec<u8>> = given
            .into_iter()
            .filter_map(|(name, own)| Some([&name[..], &own?.to_le_bytes()].concat()))
            .collect();
        digest([SEARCH, &self.key, &window.key()].into_iter().chain(given.iter().map(Vec::as_slice)))
    }
}

/// What came of a window.
pub struct Answer<'w> {
    /// How far it came.
    pub status: Status,
    /// The window's values.
    pub meaning: Meaning<'w>,
    /// The program with its proof.
    pub program: Option<(Program, Proof)>,
    /// Why programs were refused, or none was found.
    pub notes: Vec<String>,
    /// States that were looked at.
    pub states: usize,
}

impl Answer<'_> {
    /// The answer as a memo keeps it, with the table that it was found in; `None` where its search was stopped.
    pub fn kept(&self, table: &Table) -> Option<Kept> {
        let program = self.program.as_ref().map(|(program, _)| program);
        let ended = self.status != Status::OutOfTime;
        ended.then(|| Kept::new(&self.meaning, table, program, self.notes.clone(), self.states))
    }
}

/// Searches the cheapest program and proves it. A program that the memo has is proved too before it is an answer, and
/// searched anew where it cannot be; what is found is kept there.
pub fn synthesize<'w>(
    window: &'w Window,
    table: &mut Table,
    target: &Target<'_>,
    memo: &Memo,
    stop: &Stop<'_>,
    judge: &mut dyn Judge,
) -> Answer<'w> {
    Stage { target, memo, stop, depth: 0 }.answered(window, table, judge)
}

/// A search for a window, or for a stage of one that was cut `depth` times.
#[derive(Clone, Copy)]
struct Stage<'s, 't> {
    target: &'s Target<'t>,
    memo: &'s Memo,
    stop: &'s Stop<'s>,
    depth: u8,
}

impl Stage<'_, '_> {
    fn answered<'w>(self, window: &'w Window, table: &mut Table, judge: &mut dyn Judge) -> Answer<'w> {
        if !self.memo.has_store() {
            return self.searched(window, table, judge);
        }
        let key = match self.depth {
            0 => self.target.answer_key(window),
            depth => digest([&self.target.answer_key(window)[..], &[depth]]),
        };
        if let Some(answer) = recalled(window, table, &key, self.memo, judge) {
            return answer;
        }
        let answer = self.searched(window, table, judge);
        answer.kept(table).iter().for_each(|kept| self.memo.put(key, kept));
        answer
    }

    fn searched<'w>(self, window: &'w Window, table: &mut Table, judge: &mut dyn Judge) -> Answer<'w> {
        let Self { target, stop, .. } = self;
        let mut meaning = Meaning::new(window);
        let mut states = 0;
        let wider = self.wider(&mut meaning, table, judge, &mut states);
        let mut search = Search { stage: self, judge, notes: Vec::new(), states, refused: false };
        // Of many windows those that are left when a run is interrupted are not begun.
        let mut program = match stop() {
            true => None,
            false => {
                let is_stage = window.in_registers && self.depth > 0;
                let limit = match (target.most, is_stage) {
                    (Some(_), _) if window.in_registers => MAX_STATES_BELOW,
                    (None, true) => MAX_STATES_OF_STAGE,
                    _ => usize::MAX,
                };
                search.program(&mut meaning, table, limit)
            }
        };
        let Search { judge, mut notes, mut states, .. } = search;
        if let Some((wider, proof)) = wider {
            let cost = |program: &Program| price(target, window, program, &table_cost(table, target, window));
            if program.as_ref().is_none_or(|(own, _)| cost(&wider) < cost(own)) {
                notes.clear();
                program = Some((wider, proof));
            }
        }
        // Where nothing was looked at an operator is missing, which no stage has either. Two stages are seldom cheaper than what
        // the search for the whole did not find.
        let is_cut = self.depth < MAX_DEPTH && target.most.is_none();
        if program.is_none() && states > 0 && is_cut && !stop() {
            program = self.staged(&mut meaning, table, judge, &mut states);
        }
        let status = match (stop(), &program) {
            (true, _) => Status::OutOfTime,
            (false, Some(_)) => Status::Proved,
            (false, None) => Status::Exhausted,
        };
        Answer { status, meaning, program, notes, states }
    }

    /// A program for more lanes, without what is only theirs.
    fn wider(
        self,
        meaning: &mut Meaning<'_>,
        table: &mut Table,
        judge: &mut dyn Judge,
        states: &mut usize,
    ) -> Option<(Program, Proof)> {
        if self.depth > 0 {
            return None;
        }
        let window = padded(meaning.window(), *self.target.widths.last()?)?;
        let kept = self.next().kept(&window, table, judge, states)?.cut(meaning.window())?;
        let program = kept.read(meaning, table)?;
        let program = trimmed(table, &program);
        let results = results(meaning)?;
        let proof = certify(meaning, table, &program, &results, judge).ok()?;
        Some((program, proof))
    }

    /// The first program that computes a window's result in two stages and is proved.
    fn staged(
        self,
        meaning: &mut Meaning<'_>,
        table: &mut Table,
        judge: &mut dyn Judge,
        states: &mut usize,
    ) -> Option<(Program, Proof)> {
        let results = results(meaning)?;
        stages(meaning.window()).iter().find_map(|stages| {
            if *states > MAX_STAGED || (self.stop)() {
                return None;
            }
            let program = self.joined(meaning, table, judge, stages, states)?;
            let proof = certify(meaning, table, &program, &results, judge).ok()?;
            Some((program, proof))
        })
    }

    /// A program for each stage, as one.
    fn joined(
        self,
        meaning: &mut Meaning<'_>,
        table: &mut Table,
        judge: &mut dyn Judge,
        stages: &Stages,
        states: &mut usize,
    ) -> Option<Program> {
        let next = self.next();
        let lower = next.kept(&stages.lower, table, judge, states)?;
        let upper = next.kept(&stages.upper, table, judge, states)?;
        let lower = lower.read(meaning, table)?;
        let upper = upper.read_over(meaning, table, Some(&stages.computed()?))?;
        stages.joined(lower, &upper)
    }

    /// The search for a part of what this one is for.
    fn next(self) -> Self {
        Self { depth: self.depth + 1, ..self }
    }

    /// The answer for a stage, with the instructions that it would have alone.
    fn kept(self, window: &Window, table: &Table, judge: &mut dyn Judge, states: &mut usize) -> Option<Kept> {
        let mut table = table.clone();
        let answer = self.answered(window, &mut table, judge);
        *states += answer.states;
        let (program, _) = answer.program?;
        Some(Kept::new(&answer.meaning, &table, Some(&program), Vec::new(), 0))
    }
}

/// The answer that the memo has under a key, with a proof of its program; `None` where there is none. The table is asked for the
/// immediates of its steps.
pub fn recalled<'w>(
    window: &'w Window,
    table: &mut Table,
    key: &Key,
    memo: &Memo,
    judge: &mut dyn Judge,
) -> Option<Answer<'w>> {
    let kept = memo.get::<Kept>(key)?;
    let mut own = table.clone();
    let answer = remembered(window, &mut own, kept, judge)?;
    *table = own;
    Some(answer)
}

/// An answer that was kept, with a proof of its program; `None` where there is none.
fn remembered<'w>(
    window: &'w Window,
    table: &mut Table,
    kept: Kept,
    judge: &mut dyn Judge,
) -> Option<Answer<'w>> {
    let mut meaning = Meaning::new(window);
    let (mut status, mut program) = (Status::Exhausted, None);
    if kept.has_program() {
        let read = kept.read(&mut meaning, table)?;
        let results = results(&mut meaning)?;
        let proof = certify(&mut meaning, table, &read, &results, judge).ok()?;
        (status, program) = (Status::Proved, Some((read, proof)));
    }
    Some(Answer { status, meaning, program, notes: kept.notes, states: kept.states })
}

/// The bits of each lane of a window's result; `None` where it is too large.
fn results(meaning: &mut Meaning<'_>) -> Option<Vec<NodeId>> {
    Some(meaning.lanes().ok()?.into_iter().map(|lane| lane.node).collect())
}

/// A judge with the limits that every answer is held to.
pub fn prover() -> Prover {
    Prover::with_time_limit(std::time::Duration::from_secs(10)).step_limit(3_000_000)
}

/// A search for the cheapest program of a window, and what it has to say.
struct Search<'s> {
    stage: Stage<'s, 's>,
    judge: &'s mut dyn Judge,
    /// Why programs were refused, or none was found.
    notes: Vec<String>,
    /// States that were looked at.
    states: usize,
    /// Whether a program was refused for an operation that is left out from now on.
    refused: bool,
}

impl Search<'_> {
    /// The cheapest program, with its proof.
    fn program(
        &mut self,
        meaning: &mut Meaning<'_>,
        table: &mut Table,
        limit: usize,
    ) -> Option<(Program, Proof)> {
        let window = meaning.window();
        let Some(results) = results(meaning) else {
            self.notes.push("the window is too large".into());
            return None;
        };
        let mut most = self.stage.target.most;
        let mut known = None;
        if let Some(found) = reduction(meaning) {
            known = self.across(meaning, table, &found, &results);
            // What was read off a function may be found as a function of its elements.
            if !window.in_registers || known.is_some() && !found.extends(window) {
                return known;
            }
            let cost = table_cost(table, self.stage.target, window);
            most =
                known.as_ref().map(|(program, _)| price(self.stage.target, window, program, &cost)).or(most);
        }
        let by_lanes = self.by_lanes(meaning, table, limit, most, &results);
        let cost = table_cost(table, self.stage.target, window);
        known
            .into_iter()
            .chain(by_lanes)
            .min_by_key(|(program, _)| price(self.stage.target, window, program, &cost))
    }

    /// The cheapest program that reduces the lanes of registers in steps.
    fn across(
        &mut self,
        meaning: &mut Meaning<'_>,
        table: &mut Table,
        reduction: &Reduction,
        results: &[NodeId],
    ) -> Option<(Program, Proof)> {
        for value in asks(meaning, reduction) {
            table.ask(value);
        }
        let window = meaning.window();
        let mut finder = Finder::new(meaning, table, self.stage.target.widths.clone());
        finder.constant = self.stage.target.constant;
        let cost = table_cost(table, self.stage.target, window);
        let programs = reduced(&mut finder, reduction, &cost, self.stage.stop, &mut self.states);
        if programs.is_empty() {
            self.notes.push("no instructions were found for the reduction".into());
        }
        self.proved(&mut finder, programs, &cost, results)
    }

    /// The cheapest program, below `most` where that is given, that computes each lane as a function of elements.
    fn by_lanes(
        &mut self,
        meaning: &mut Meaning<'_>,
        table: &mut Table,
        limit: usize,
        most: Option<u64>,
        results: &[NodeId],
    ) -> Option<(Program, Proof)> {
        let window = meaning.window();
        let ty = window.ty();
        let Some(families) = meaning.families(window.root) else {
            self.notes.push("a reduction of too many lanes".into());
            return None;
        };
        let roots: Vec<NodeId> = families.iter().map(|family| family.value).collect();
        for value in immediates(meaning, &roots) {
            table.ask(value);
        }
        if let Some(missing) = missing_operator(meaning, table, &roots) {
            self.notes.push(format!("no instruction has its floating-point operator {missing}"));
            return None;
        }
        let mut finder = Finder::new(meaning, table, self.stage.target.widths.clone());
        finder.constant = self.stage.target.constant;
        finder.limit = limit;
        finder.written = finder.meaning.written();
        let mut entries = vec![Entry::Any; ty.lanes as usize];
        for family in &families {
            for (lane, place) in (0u32..).zip(&family.lanes) {
                entries[*place as usize] = finder.entry(family.value, ty.width, lane);
            }
        }
        finder.only_moves = !entries.iter().any(|entry| matches!(entry, Entry::Value(..)));
        let mut wanted: Vec<Wanted> = self
            .stage
            .target
            .widths
            .iter()
            .filter(|width| **width % ty.width == 0 && ty.bits().div_ceil(**width) <= 32)
            .map(|width| Wanted {
                ty: Type { class: Class::Vector, width: *width },
                container: ty.width,
                registers: in_order(&entries, ty.width, *width),
            })
            .collect();
        // A number is in a general register, or bits are in a mask register, where an instruction has them there.
        if window.in_registers && ty.bits() <= 64 {
            let masks = (!table.templates(1).is_empty()).then_some(Class::Mask);
            wanted.extend([Class::Scalar].into_iter().chain(masks).map(|class| Wanted {
                ty: Type { class, width: ty.bits() },
                container: ty.width,
                registers: vec![entries.clone()],
            }));
        }
        let cost = table_cost(table, self.stage.target, window);
        if !window.in_registers || most.is_some() {
            return self.best(&mut finder, &cost, most, wanted, results);
        }
        let goal = Goal { lanes: &entries, results };
        let limit = std::mem::replace(&mut finder.limit, FEW_STATES);
        let (found, cut) = self.programs(&mut finder, wanted.clone(), &cost, None);
        finder.limit = limit;
        // Of scalars alone all is made before the loop, which then is no loop.
        let is_scalar =
            !window.leaves.is_empty() && window.leaves.iter().all(|leaf| leaf.scalar && !leaf.in_memory);
        let target = self.stage.target;
        let least =
            found.iter().map(|program| price(target, window, program, &cost)).min().filter(|_| !is_scalar);
        let is_least = |program: &Program| program.steps.len() <= 1 && !is_taken_out(window, program);
        if (is_scalar || !found.iter().any(is_least))
            && let Some(single) = single(finder.meaning, table, &goal, self.judge)
            && least.is_none_or(|least| single.price(target, window) < least)
        {
            drop(cost);
            *table = single.table;
            return Some((single.program, single.proof));
        }
        let is_one = |step: &Step| table.instruction(step.op).uops <= 1;
        let is_short = |program: &Program| {
            is_least(program) || program.steps.len() <= 2 && program.steps.iter().all(is_one)
        };
        let first = match found.iter().any(is_short) {
            true => None,
            false => {
                // Three instructions are looked for where what is known has more.
                let is_three =
                    |program: &Program| program.steps.len() <= 3 && program.steps.iter().all(is_one);
                let most = if found.iter().any(is_three) { 1 } else { MAX_INNERMOST };
                self.composed(finder.meaning, table, &goal, most)
            }
        };
        let known = first.as_ref().map(|first| first.price(target, window));
        if known.is_some() {
            finder.limit = limit.min(MAX_STATES_OF_STAGE);
        }
        let other = self.below(&mut finder, &cost, wanted, (found, cut), known, results);
        let is_less = |first: &Proved| {
            let other = other.as_ref().map(|(program, _)| price(target, window, program, &cost));
            other.is_none_or(|other| first.price(target, window) <= other)
        };
        match first.filter(is_less) {
            Some(first) => {
                drop(cost);
                *table = first.table;
                Some((first.program, first.proof))
            }
            None => other,
        }
    }

    /// The cheapest program, below `most` where that is given, of what few states gave, of compositions and of all states.
    fn below(
        &mut self,
        finder: &mut Finder<'_, '_>,
        cost: &dyn Fn(OpId) -> u64,
        wanted: Vec<Wanted>,
        (found, cut): (Vec<Program>, bool),
        most: Option<u64>,
        results: &[NodeId],
    ) -> Option<(Program, Proof)> {
        let settled = match cut {
            true => None,
            false => self.settled(finder, cost, &wanted, found, most, results),
        };
        let several: Vec<Wanted> = wanted.iter().filter(|own| own.registers.len() > 1).cloned().collect();
        let before = self.notes.len();
        let found = settled.or_else(|| self.best(finder, cost, most, wanted, results));
        if found.is_some() || several.is_empty() || most.is_some() {
            return found;
        }
        // Where registers cannot be computed alike, each is computed by itself.
        let after = self.notes.len();
        finder.apart = true;
        let found = self.best(finder, cost, None, several, results);
        self.notes.truncate(if found.is_some() { before } else { after });
        found
    }

    /// The cheapest program of instructions that samples show, one after the other, with one to `most` before the last one.
    fn composed(
        &mut self,
        meaning: &mut Meaning<'_>,
        table: &Table,
        goal: &Goal<'_>,
        most: usize,
    ) -> Option<Proved> {
        let Stage { target, stop, depth, .. } = self.stage;
        let window = meaning.window();
        if depth > 0 || !is_composed(window) {
            return None;
        }
        let price = |own: &Proved| own.price(target, window);
        let limits = Limits { widths: &target.widths, most, price: &price, stop };
        composed(meaning, table, goal, &limits, self.judge)
    }

    /// The cheapest of what few states gave and of compositions below it; `None` where too little was looked at for that.
    ///
    /// What few states give, all of them looked at, leaves little for compositions to be cheaper in.
    fn settled(
        &mut self,
        finder: &mut Finder<'_, '_>,
        cost: &dyn Fn(OpId) -> u64,
        wanted: &[Wanted],
        mut found: Vec<Program>,
        most: Option<u64>,
        results: &[NodeId],
    ) -> Option<(Program, Proof)> {
        let (target, window) = (self.stage.target, finder.meaning.window());
        let least = found.iter().map(|program| price(target, window, program, cost)).min()?;
        let least = most.map_or(least, |most| most.min(least));
        found.extend(self.compositions(finder, wanted, cost, Some(least)));
        self.proved(finder, found, cost, results)
    }

    /// The cheapest program of all states and of compositions, below `most` where that is given.
    fn best(
        &mut self,
        finder: &mut Finder<'_, '_>,
        cost: &dyn Fn(OpId) -> u64,
        most: Option<u64>,
        wanted: Vec<Wanted>,
        results: &[NodeId],
    ) -> Option<(Program, Proof)> {
        let (target, window) = (self.stage.target, finder.meaning.window());
        let price = |program: &Program| price(target, window, program, cost);
        let in_registers = window.in_registers;
        // A composition of instructions is looked for before what else there is, which then must be cheaper; below a limit after it,
        // since most states of compositions are beyond what is known by then.
        let mut composed = match in_registers && most.is_none() {
            true => self.compositions(finder, &wanted, cost, None),
            false => Vec::new(),
        };
        let bounded = !composed.is_empty();
        let least = composed.iter().map(price).min().or(most);
        let (mut found, cut) = self.programs(finder, wanted.clone(), cost, least);
        if in_registers && most.is_some() {
            let least = found.iter().map(price).min().or(most);
            composed = self.compositions(finder, &wanted, cost, least);
        }
        found.extend(composed);
        if cut {
            self.notes.push("not every state was looked at".into());
        }
        if found.is_empty() {
            self.notes.push("no instructions were found for a part of the expression".into());
        }
        // What was refused before is not among these.
        self.refused = false;
        let mut program = self.proved(finder, found, cost, results);
        // What was left out because of a composition that is refused is looked for after all, and what there is without an
        // operation that is refused.
        let mut again = bounded;
        for _ in 0..MAX_REFUSED {
            again |= std::mem::take(&mut self.refused);
            if program.is_some() || !std::mem::take(&mut again) {
                break;
            }
            let (found, _) = self.programs(finder, wanted.clone(), cost, most);
            program = self.proved(finder, found, cost, results);
        }
        program
    }

    /// Compositions of instructions, in as few registers as can be, which are as narrow as can be.
    fn compositions(
        &mut self,
        finder: &mut Finder<'_, '_>,
        wanted: &[Wanted],
        cost: &dyn Fn(OpId) -> u64,
        most: Option<u64>,
    ) -> Vec<Program> {
        let size = |wanted: &Wanted| (wanted.registers.len(), wanted.ty.width);
        let least = wanted.iter().filter(|wanted| wanted.ty.class == Class::Vector).map(size).min();
        let own = wanted.iter().filter(|own| own.ty.class != Class::Vector || Some(size(own)) == least);
        finder.composing = true;
        let (found, _) = self.programs(finder, own.cloned().collect(), cost, most);
        finder.composing = false;
        found
    }

    /// The cheapest program for each way to hold what is wanted, and whether some states were not looked at.
    fn programs(
        &mut self,
        finder: &mut Finder<'_, '_>,
        wanted: Vec<Wanted>,
        cost: &dyn Fn(OpId) -> u64,
        most: Option<u64>,
    ) -> (Vec<Program>, bool) {
        let (mut selection, roots) = Selection::new(finder, wanted, cost, most, self.stage.stop);
        self.states += selection.states();
        selection.solve();
        let found: Vec<Program> =
            roots.iter().filter_map(|root| selection.program(*root, finder, cost)).collect();
        (found.into_iter().map(|program| finder.unnamed(program)).collect(), selection.cut)
    }

    /// The cheapest of several programs that can be proved.
    fn proved(
        &mut self,
        finder: &mut Finder<'_, '_>,
        mut programs: Vec<Program>,
        cost: &dyn Fn(OpId) -> u64,
        results: &[NodeId],
    ) -> Option<(Program, Proof)> {
        let (target, window) = (self.stage.target, finder.meaning.window());
        programs.sort_by_key(|program| price(target, window, program, cost));
        for program in programs {
            match certify(finder.meaning, finder.table, &program, results, self.judge) {
                Ok(proof) => return Some((program, proof)),
                Err(refusal) => {
                    self.notes.push(refusal.to_string());
                    if let Refusal::Step { step, lane, .. } = refusal
                        && let Some(step) = program.steps.get(step)
                    {
                        self.refused |= finder.refuse(step.op, step.content[lane]);
                    }
                }
            }
        }
        None
    }
}

impl Proved {
    /// What the program costs, in thousandths of a cycle.
    fn price(&self, target: &Target<'_>, window: &Window) -> u64 {
        price(target, window, &self.program, &table_cost(&self.table, target, window))
    }
}

/// Whether a window is a function of the IR whose leaves are in registers.
fn is_composed(window: &Window) -> bool {
    forms(window).is_some() && window.leaves.iter().all(|leaf| !leaf.in_memory)
}

/// What a program's steps and constants cost together, in thousandths of a cycle, the movements that put a result together which is in
/// several registers and fits one, and the one that takes a number out of a vector register. Of programs that cost the same the one
/// with fewer stores is taken.
fn price(target: &Target<'_>, window: &Window, program: &Program, cost: &dyn Fn(OpId) -> u64) -> u64 {
    let fits = window.in_registers && target.widths.iter().any(|width| *width >= window.ty().bits());
    let joins = if fits { program.outputs.len().saturating_sub(1) } else { 0 };
    let stores = if window.in_registers { 0 } else { program.outputs.len() };
    program.steps.iter().map(|step| cost(step.op)).sum::<u64>()
        + JOIN * (joins as u64 + u64::from(is_taken_out(window, program)))
        + target.constant * program.constants() as u64
        + stores as u64
}

/// Whether a program leaves a number in a vector register, which belongs in a general one.
fn is_taken_out(window: &Window, program: &Program) -> bool {
    window.number && program.output_type.is_some_and(|ty| ty.class == Class::Vector)
}

fn table_cost<'a>(table: &'a Table, target: &'a Target<'_>, window: &Window) -> impl Fn(OpId) -> u64 + 'a {
    // Of programs for registers that cost the same the one with fewer instructions is taken, and with none in wider registers.
    let each = u64::from(window.in_registers);
    let widest = window.leaves.iter().map(|leaf| leaf.ty.bits()).fold(window.ty().bits(), u32::max);
    move |op| {
        // What overwrites its only operand takes a copy where that is needed afterwards.
        let instruction = table.instruction(op);
        let overwrites = instruction.operands.iter().flat_map(search::Operand::registers).count() == 1
            && instruction.destroys.is_some();
        let is_wider = each > 0 && table.op(op).result.width > widest;
        (target.cost)(table.op(op)) + u64::from(overwrites) + each + u64::from(is_wider)
    }
}
