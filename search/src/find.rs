//! Iterative deepening: the cheapest sequences first, each proved before it is accepted.

use std::collections::BTreeSet;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};

use hydride_ir::Bits;
use rayon::prelude::*;
use smt::{Prover, Verdict};

use crate::allocation::{Placement, Use};
use crate::explore::{Cost, Explorer, Found, Limits, Shared, Step, use_of};
use crate::goal::Goal;
use crate::instruction::Instruction;
use crate::machine::{Values, hash};
use crate::plan::Plan;
use crate::registers::{Schedule, place, schedule};
use crate::samples::{ALL_SAMPLES, MOVEMENT_SAMPLES};
use crate::sequence::{Applied, Sequence};
use crate::transition::MAX_ARITY;
use crate::transition::{Member, Transition};
use crate::value::File;

/// Sequences that one pass may collect before they are proved.
const MAX_COLLECTED: usize = 20_000;

/// How often a pass is repeated, each time with the counterexample of a refuted sequence.
const MAX_ROUNDS: usize = 256;

/// Number of sequences that are proved in parallel before the first refuted one ends a pass.
const PROVED_TOGETHER: usize = 32;

/// How to search.
#[derive(Clone, Debug)]
pub struct Options {
    /// What is counted.
    pub cost: Cost,
    /// The greatest cost that is tried.
    pub max_cost: u32,
    /// Every cheapest sequence, not only the first.
    pub all: bool,
    /// Results overwrite a source where the machine form has no register for them, and moves cost one.
    pub two_address: bool,
    /// Registers that there are.
    pub registers: usize,
}

/// A proved sequence.
#[derive(Clone, Debug)]
pub struct Solution {
    /// The sequence, in an order in which it can run.
    pub sequence: Sequence,
    /// For each step other instructions with the same effect, one for each mnemonic, proved too.
    pub others: Vec<Vec<Member>>,
    /// Registers and moves; `order` is `0..`.
    pub schedule: Schedule,
    /// The cost under the chosen measure.
    pub cost: u32,
}

/// What a search came to.
#[derive(Clone, Debug, Default)]
pub struct Outcome {
    /// The cheapest sequences, sorted.
    pub solutions: Vec<Solution>,
    /// Every sequence of this cost or less was tried.
    pub exhausted: u32,
    /// States that were looked at.
    pub states: u64,
    /// Transitions that lead from the inputs to the outputs.
    pub transitions: usize,
    /// Sequences that agreed on the samples but not in general.
    pub refuted: usize,
    /// Sequences about which the solver could not decide; none of them is a solution.
    pub undecided: usize,
    /// Whether the search was ended from outside.
    pub interrupted: bool,
    /// Whether there were more sequences than could be collected.
    pub truncated: bool,
}

/// What a search reports before its end.
#[derive(Debug)]
pub enum Event<'a> {
    /// Where it is.
    At(Position),
    /// A proved sequence: none costs less. Another one of the same cost can still take its place.
    Found(&'a Solution),
}

/// Where a search is.
#[derive(Clone, Copy, Debug)]
pub struct Position {
    /// The cost that is tried.
    pub cost: u32,
    /// Steps of the sequences that are tried.
    pub steps: usize,
    /// Parts of this pass that are done.
    pub done: usize,
    /// Parts of this pass.
    pub parts: usize,
}

/// Searches for the cheapest sequences; `report` is called from any thread.
pub fn find(
    goal: &Goal,
    instructions: &[Instruction],
    transitions: &[Transition],
    options: &Options,
    shared: &Shared,
    report: impl Fn(Event<'_>) + Sync,
) -> Outcome {
    let mut outcome = Outcome::default();
    let mut more: Vec<Vec<Bits>> = Vec::new();
    let movements = transitions.iter().all(|transition| transition.movement.is_some());
    let samples = if movements { MOVEMENT_SAMPLES } else { ALL_SAMPLES };
    let Some(mut plan) = Plan::new(goal, transitions, samples, &more) else { return outcome };
    outcome.transitions = plan.transitions.len();
    let two_address = options.two_address;
    // A register list or an implied register can need a copy even if results have separate registers.
    let moves = two_address || plan.transitions.iter().any(|one| one.placement != Placement::default());
    for cost in 0..=options.max_cost {
        // Without moves each unit of length is a step; else fewer steps leave room for moves.
        let fewest = if options.cost == Cost::Length && !moves { cost } else { cost.min(1) };
        for steps in fewest..=cost {
            let limits = Limits { steps: steps as usize, cost, model: options.cost, two_address };
            plan.prepare(limits.steps, &shared.stop);
            let search = Search { goal, instructions, plan: &plan, options, shared, limits };
            let mut pass = search.pass(&report);
            for _ in 0..MAX_ROUNDS {
                let Some(sample) = pass.counterexample.take() else { break };
                outcome.refuted += 1;
                more.push(sample);
                let Some(next) = Plan::new(goal, transitions, samples, &more) else { return outcome };
                plan = next;
                plan.prepare(limits.steps, &shared.stop);
                if shared.stop.load(Ordering::Relaxed) {
                    break;
                }
                let search = Search { goal, instructions, plan: &plan, options, shared, limits };
                pass = search.pass(&report);
            }
            // Too many refuted ones: the pass was not complete.
            pass.undecided += usize::from(pass.counterexample.is_some());
            outcome.undecided += pass.undecided;
            outcome.truncated |= pass.truncated;
            outcome.solutions.extend(pass.solutions);
            outcome.states = shared.states.load(Ordering::Relaxed);
            if shared.stop.load(Ordering::Relaxed) {
                outcome.interrupted = true;
                outcome.truncated |= options.all;
                break;
            }
            if !outcome.solutions.is_empty() && !options.all {
                break;
            }
        }
        if !outcome.interrupted && (outcome.solutions.is_empty() || options.all) {
            outcome.exhausted = cost;
        }
        if !outcome.solutions.is_empty() || outcome.interrupted {
            break;
        }
    }
    let least = outcome.solutions.iter().map(|solution| solution.cost).min();
    outcome.solutions.retain(|solution| Some(solution.cost) == least);
    outcome.solutions.sort_by(|a, b| a.sequence.cmp(&b.sequence));
    outcome
}

#[derive(Default)]
struct Pass {
    solutions: Vec<Solution>,
    /// Inputs for which a sequence that agreed on all samples is wrong: the pass broke off there.
    counterexample: Option<Vec<Bits>>,
    undecided: usize,
    truncated: bool,
}

/// The outcome of a sequence that agrees on all samples.
enum Judged {
    Proved(Box<Solution>),
    Refuted(Vec<Bits>),
    Undecided,
    /// It costs too much or needs too many registers.
    Unfit,
}

struct Search<'a> {
    goal: &'a Goal,
    instructions: &'a [Instruction],
    plan: &'a Plan,
    options: &'a Options,
    shared: &'a Shared,
    limits: Limits,
}

impl Search<'_> {
    /// Tries all sequences within the limits.
    fn pass(&self, report: &(impl Fn(Event<'_>) + Sync)) -> Pass {
        let steps = self.limits.steps;
        let mut parts: Vec<Vec<Step>> = Vec::new();
        Explorer::new(self.plan, self.limits, self.shared, steps.saturating_sub(2).min(1), |found: Found| {
            parts.push(found.steps);
            false
        })
        .explore();
        let count = parts.len();
        let done = AtomicUsize::new(0);
        let at = |done| report(Event::At(Position { cost: self.limits.cost, steps, done, parts: count }));
        at(0);
        let reported = AtomicBool::new(false);
        let collected = AtomicUsize::new(0);
        let undecided = AtomicUsize::new(0);
        // For each part what it found: all, or the first sequence that is proved or refuted.
        let part = |prefix: &Vec<Step>| -> Option<(Vec<Found>, Option<Judged>)> {
            if self.shared.stop.load(Ordering::Relaxed) {
                return None;
            }
            let mut found = Vec::new();
            let mut first = None;
            let mut prover = Prover::new();
            let mut explorer =
                Explorer::new(self.plan, self.limits, self.shared, usize::MAX, |next: Found| {
                    if self.options.all {
                        // One of them is proved immediately, so that there is something to report.
                        if !reported.load(Ordering::Relaxed)
                            && let Judged::Proved(solution) = self.judge(&next, &mut prover)
                            && !reported.swap(true, Ordering::Relaxed)
                        {
                            report(Event::Found(&solution));
                        }
                        let full = collected.fetch_add(1, Ordering::Relaxed) >= MAX_COLLECTED;
                        if !full {
                            found.push(next);
                        }
                        return full;
                    }
                    match self.judge(&next, &mut prover) {
                        Judged::Unfit => false,
                        Judged::Undecided => {
                            undecided.fetch_add(1, Ordering::Relaxed);
                            false
                        }
                        judged => {
                            if let Judged::Proved(solution) = &judged
                                && !reported.swap(true, Ordering::Relaxed)
                            {
                                report(Event::Found(solution));
                            }
                            first = Some(judged);
                            true
                        }
                    }
                });
            explorer.follow(prefix);
            explorer.explore();
            drop(explorer);
            at(done.fetch_add(1, Ordering::Relaxed) + 1);
            (first.is_some() || !found.is_empty()).then_some((found, first))
        };
        let mut pass = Pass::default();
        if self.options.all {
            let found: Vec<Found> =
                parts.par_iter().filter_map(part).flat_map_iter(|(found, _)| found).collect();
            let expanded: BTreeSet<Vec<Step>> = found.iter().flat_map(|found| self.expand(found)).collect();
            let whole: Vec<Found> = expanded.into_iter().filter_map(|steps| self.outputs(steps)).collect();
            for chunk in whole.chunks(PROVED_TOGETHER) {
                let judged: Vec<Judged> = chunk
                    .par_iter()
                    .map_init(Prover::new, |prover, found| self.judge(found, prover))
                    .collect();
                for judged in judged {
                    match judged {
                        Judged::Proved(solution) => pass.solutions.push(*solution),
                        Judged::Refuted(sample) => pass.counterexample = pass.counterexample.or(Some(sample)),
                        Judged::Undecided => pass.undecided += 1,
                        Judged::Unfit => {}
                    }
                }
                if pass.counterexample.is_some() {
                    break;
                }
                // An interrupted search ends as soon as it has something to show.
                if self.shared.stop.load(Ordering::Relaxed) && !pass.solutions.is_empty() {
                    break;
                }
            }
            let mut known = BTreeSet::new();
            let inputs = self.goal.inputs.len();
            pass.solutions.retain(|solution| known.insert(canonical(&solution.sequence, inputs).0));
        } else {
            match parts.par_iter().find_map_first(part) {
                Some((_, Some(Judged::Proved(solution)))) => pass.solutions.push(*solution),
                Some((_, Some(Judged::Refuted(sample)))) => pass.counterexample = Some(sample),
                _ => {}
            }
        }
        pass.undecided += undecided.load(Ordering::Relaxed);
        pass.truncated = collected.load(Ordering::Relaxed) > MAX_COLLECTED;
        pass
    }

    /// Puts a sequence into registers and proves it.
    fn judge(&self, found: &Found, prover: &mut Prover) -> Judged {
        let plan = self.plan;
        let inputs = plan.inputs.len();
        let mut uses: Vec<Use> = found.steps.iter().map(|step| use_of(plan, step)).collect();
        if !self.options.two_address {
            uses.iter_mut().for_each(|step| step.destroys.clear());
        }
        let files: Vec<File> = self.goal.inputs.iter().map(|input| input.ty.file()).collect();
        let Some(mut schedule) = schedule(&files, &uses, &found.outputs, self.options.registers) else {
            return Judged::Unfit;
        };
        if !self.options.two_address && uses.iter().all(|step| step.placement == Placement::default()) {
            // Any order will do: the same one for the same steps.
            let member = |step: &Step| plan.transitions[step.transition].members[0].clone();
            let steps = found.steps.iter().zip(&uses);
            let steps =
                steps.map(|(step, used)| Applied { member: member(step), operands: used.operands.clone() });
            let sequence = Sequence { steps: steps.collect(), outputs: found.outputs.clone() };
            let order = canonical(&sequence, inputs).1;
            let Some(placed) = place(&files, &uses, &found.outputs, &order) else { return Judged::Unfit };
            schedule = placed;
        }
        let cost = match self.limits.model {
            Cost::Length => found.steps.len() as u32 + schedule.moves,
            Cost::Uops => {
                let steps = found.steps.iter().map(|step| plan.transitions[step.transition].uops);
                steps.sum::<u32>() + schedule.moves
            }
            Cost::Latency => self.latency(found),
        };
        if cost > self.limits.cost {
            return Judged::Unfit;
        }
        // Values get the numbers of the order in which they are computed.
        let mut numbers: Vec<usize> = (0..inputs + found.steps.len()).collect();
        for (at, position) in schedule.order.iter().enumerate() {
            numbers[inputs + position] = inputs + at;
        }
        let steps: Vec<Applied> = schedule
            .order
            .iter()
            .map(|position| Applied {
                member: plan.transitions[found.steps[*position].transition].members[0].clone(),
                operands: uses[*position].operands.iter().map(|operand| numbers[*operand]).collect(),
            })
            .collect();
        let outputs = found.outputs.iter().map(|output| numbers[*output]).collect();
        let sequence = Sequence { steps, outputs };
        match sequence.prove(self.goal, self.instructions, prover) {
            Verdict::Equal => {}
            Verdict::Different(model) => return Judged::Refuted(model.args),
            Verdict::Unknown(_) => return Judged::Undecided,
        }
        let others = (0..sequence.steps.len())
            .map(|at| {
                let step = &found.steps[schedule.order[at]];
                let members = &plan.transitions[step.transition].members;
                let mnemonic = |member: &Member| &self.instructions[member.instruction].mnemonic;
                // One for each mnemonic: a shift that is too far has hundreds of equal immediates.
                let mut known = BTreeSet::from([mnemonic(&members[0])]);
                let members = members.iter().filter(|member| known.insert(mnemonic(member)));
                let mut proved = |member: &&Member| {
                    let mut other = sequence.clone();
                    other.steps[at].member = (*member).clone();
                    other.prove(self.goal, self.instructions, prover) == Verdict::Equal
                };
                members.filter(|member| proved(member)).cloned().collect()
            })
            .collect();
        let schedule = Schedule { order: (0..sequence.steps.len()).collect(), ..schedule };
        Judged::Proved(Box::new(Solution { sequence, others, schedule, cost }))
    }

    fn latency(&self, found: &Found) -> u32 {
        let mut ready = vec![0; self.plan.inputs.len()];
        for step in &found.steps {
            let transition = &self.plan.transitions[step.transition];
            let operands = step.operands[..transition.args.len()].iter();
            let start = operands.map(|operand| ready[usize::from(*operand)]).max().unwrap_or(0);
            ready.push(start + transition.latency);
        }
        found.outputs.iter().map(|output| ready[*output]).max().unwrap_or(0)
    }

    /// The sequences that differ from a found one in steps that give the same values from the same operands:
    /// the search itself tries only one of them.
    fn expand(&self, found: &Found) -> Vec<Vec<Step>> {
        let plan = self.plan;
        let mut values = Values::new(plan.samples, plan.transitions.len());
        let mut registers: Vec<_> = plan.inputs.iter().map(|(_, contents)| values.push(contents)).collect();
        let mut all: Vec<Vec<Step>> = vec![Vec::new()];
        let last = found.steps.len() - usize::from(!found.steps.is_empty());
        for (at, step) in found.steps.iter().enumerate() {
            let own = &plan.transitions[step.transition];
            let execute = |step: &Step, values: &mut Values| {
                let transition = &plan.transitions[step.transition];
                let operands: Vec<_> = step.operands[..transition.args.len()]
                    .iter()
                    .map(|operand| registers[usize::from(*operand)])
                    .collect();
                values.execute(plan, step.transition, &operands)
            };
            let result = execute(step, &mut values);
            let wanted = hash(values.contents(result));
            let mut choices = vec![*step];
            // The classes of last steps were already expanded.
            if at < last {
                let arity = own.args.len();
                for (position, transition) in plan.transitions.iter().enumerate() {
                    if transition.args != own.args || transition.result != own.result {
                        continue;
                    }
                    for operands in permutations(&step.operands, arity) {
                        let other = Step { transition: position, operands };
                        if other == *step || transition.commutative && operands[0] > operands[1] {
                            continue;
                        }
                        let result = execute(&other, &mut values);
                        if hash(values.contents(result)) == wanted {
                            choices.push(other);
                        }
                        values.pop(result);
                    }
                }
            }
            registers.push(result);
            all = all
                .into_iter()
                .flat_map(|start| {
                    choices.iter().map(move |choice| start.iter().copied().chain([*choice]).collect())
                })
                .take(MAX_COLLECTED)
                .collect();
        }
        all
    }

    /// Finds again which values the outputs are.
    fn outputs(&self, steps: Vec<Step>) -> Option<Found> {
        let mut found = None;
        let limits = Limits { steps: steps.len(), ..self.limits };
        let mut explorer = Explorer::new(self.plan, limits, self.shared, usize::MAX, |next: Found| {
            found = Some(next);
            true
        });
        explorer.follow(&steps);
        explorer.explore();
        drop(explorer);
        found
    }
}

/// The operands in every order.
fn permutations(operands: &[u8; MAX_ARITY], count: usize) -> Vec<[u8; MAX_ARITY]> {
    let mut all = vec![*operands];
    if count == 2 && operands[0] != operands[1] {
        let mut exchanged = *operands;
        exchanged.swap(0, 1);
        all.push(exchanged);
    }
    all
}

/// One form for sequences that differ only in the order of their steps, with the steps' positions.
fn canonical(sequence: &Sequence, inputs: usize) -> (Vec<Applied>, Vec<usize>) {
    let mut numbers: Vec<Option<usize>> = (0..inputs).map(Some).collect();
    numbers.resize(inputs + sequence.steps.len(), None);
    let mut left: Vec<usize> = (0..sequence.steps.len()).collect();
    let (mut steps, mut order) = (Vec::new(), Vec::new());
    while !left.is_empty() {
        let ready = left.iter().filter_map(|position| {
            let step = &sequence.steps[*position];
            let operands: Option<Vec<usize>> =
                step.operands.iter().map(|operand| numbers[*operand]).collect();
            Some((Applied { member: step.member.clone(), operands: operands? }, *position))
        });
        let Some((step, position)) = ready.min() else { break };
        numbers[inputs + position] = Some(inputs + steps.len());
        steps.push(step);
        order.push(position);
        left.retain(|other| *other != position);
    }
    (steps, order)
}
