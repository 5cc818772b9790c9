//! Refinement: whatever the second function does, the first one may do as well.
//!
//! For all arguments that may be poison, element by element, but not `undef`: where the first function's behavior is
//! undefined anything may stand. Elsewhere the second one's must not be, and each element of its result must be equal to
//! the first one's, unless that one is poison. The second function's choices (`freeze`) are the solver's; for the first
//! one's there must be an answer to each: candidates are tried, and a counterexample counts only where no choice helps.
//!
//! What pointers lead to is compared at the end, byte by byte, or element by element where the first function stores whole
//! elements. The second function accesses only what the first one accesses in that run, or what is between such bytes, and
//! writes only what that one writes. Memory has values before they run, neither poison nor `undef`.

use std::collections::{BTreeMap, BTreeSet};
use std::time::Duration;

use hydride_ir::{ArgId, Bits, ExprId};
use llvm_text::Type;
use rustc_hash::FxHashMap;
use smt::{Prover, Verdict};

use crate::ast::{Attribute, Body, elements};
use crate::bytes::{Accesses, Address, Objects, Written};
use crate::error::Fault;
use crate::generic::Lane;
use crate::graph::Graph;
use crate::numbers;
use crate::target::Intrinsics;
use crate::translate::{Behavior, Undef, translate};

/// How many choices of the first function are tried.
const MAX_CANDIDATES: usize = 8;

/// When a question is given up.
#[derive(Clone, Copy, Debug)]
pub struct Limits {
    /// The solver's steps for a question: the same ones on every machine and under any load.
    pub steps: u32,
    /// The solver's time for a question, against steps that take very long. What it ends may be proved on another machine.
    pub time: Duration,
    /// The iterations of a loop.
    pub unroll: u32,
}

impl Default for Limits {
    /// Five million steps, which are a second or two of an idle machine, but at most two minutes; and 256 iterations.
    fn default() -> Self {
        Self { steps: 5_000_000, time: Duration::from_secs(120), unroll: 256 }
    }
}

/// Whether a function refines another one.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Outcome {
    /// It does, for all arguments that are not `undef`.
    Proved(Proof),
    /// It does not.
    Counterexample(Box<Counterexample>),
    /// Not known; what was left open.
    Unknown(String),
}

impl Outcome {
    /// Whether the question was given up because of time, so that another run may have an answer.
    pub fn is_of_time(&self) -> bool {
        matches!(self, Self::Unknown(reason) if reason == smt::TIME_LIMIT)
    }
}

/// How refinement was proved.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Proof {
    /// The parts of the question that are the same expressions on both sides.
    pub structural: u64,
    /// The parts that the solver proved.
    pub solver: u64,
    /// Whether it is taken that what the first function writes behind a pointer is behind no other pointer.
    pub separate: bool,
}

/// A value, element by element; `None` is poison.
pub type Elements = Vec<Option<Bits>>;

/// What a function does for given arguments.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Run {
    /// Whether its behavior is undefined.
    pub undefined: bool,
    /// Its result.
    pub result: Elements,
    /// What it leaves in memory that either function writes: the name of a pointer with the first byte's place, and the elements
    /// from there.
    pub memory: Vec<(String, Elements)>,
}

/// Arguments for which a function does what the other one may not.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Counterexample {
    /// The parameters of the first function by name, with their values.
    pub arguments: Vec<(String, Elements)>,
    /// What the second function chooses in place of poison, in order of its text.
    pub choices: Vec<Bits>,
    /// The first function.
    pub before: Run,
    /// The second one.
    pub after: Run,
    /// Where the second one's behavior is undefined because of an access to memory, what is wrong with that.
    pub access: Option<String>,
}

/// Whether `after` refines `before`. Parameters and results correspond by position and must be equally wide; where their
/// elements are not, they are taken as after a `bitcast`.
pub fn refines(before: &Body, after: &Body, intrinsics: &dyn Intrinsics, limits: &Limits) -> Outcome {
    match Question::new(before, after, intrinsics, limits) {
        Ok(question) => question.answer(limits),
        Err(reason) => Outcome::Unknown(reason),
    }
}

struct Question {
    graph: Graph,
    /// The first function's parameters: names and elements.
    parameters: Vec<(String, Vec<Lane>)>,
    before: Behavior,
    after: Behavior,
    /// The elements of the result; those of memory are after them.
    returned: usize,
    /// The names of parts of memory that are written, with the number of elements.
    memory: Vec<(String, usize)>,
    separate: bool,
}

fn open(side: &'static str) -> impl Fn(Fault) -> String {
    move |fault| format!("the {side} function: {fault}")
}

impl Question {
    fn new(
        before: &Body,
        after: &Body,
        intrinsics: &dyn Intrinsics,
        limits: &Limits,
    ) -> Result<Self, String> {
        let mut graph = Graph::new();
        graph.counts_in_halves = true;
        let result =
            |body: &Body| if body.result == Type::Void { Some(Vec::new()) } else { elements(&body.result) };
        let (Some(own), Some(other)) = (result(before), result(after)) else {
            return Err("results of this type are outside of what is modelled".to_owned());
        };
        if own.iter().sum::<u32>() != other.iter().sum() || before.parameters.len() != after.parameters.len()
        {
            return Err(
                "the functions have other numbers of parameters, or results of another width".to_owned()
            );
        }
        let mut parameters = Vec::new();
        let mut objects = Objects::default();
        let mut given: Vec<Vec<Lane>> = Vec::new();
        for parameter in &before.parameters {
            if parameter.ty == Type::Pointer {
                given.push(objects.add(&mut graph, &parameter.name));
                continue;
            }
            let mut lanes = Vec::new();
            for (position, width) in elements(&parameter.ty).unwrap_or_default().into_iter().enumerate() {
                let name = format!("{}.{position}", parameter.name);
                let bits = graph.argument(name.clone(), width).1;
                let poison = graph.argument(format!("{name}.poison"), 1).1;
                lanes.push(Lane { bits, poison });
            }
            given.push(lanes.clone());
            parameters.push((parameter.name.clone(), lanes));
        }
        let mut other_given = Vec::new();
        for ((lanes, own), parameter) in given.iter().zip(&before.parameters).zip(&after.parameters) {
            if (own.ty == Type::Pointer) != (parameter.ty == Type::Pointer) {
                return Err(format!("the parameter %{} is a pointer in one function only", own.name));
            }
            if own.ty == Type::Pointer {
                other_given.push(lanes.clone());
                continue;
            }
            let widths = elements(&parameter.ty).unwrap_or_default();
            let cast = graph.sliced(lanes, &widths);
            other_given.push(cast.ok_or_else(|| {
                format!("the parameters at the place of %{} have different widths", parameter.name)
            })?);
        }
        let options = (Undef::Chosen, "first", limits.unroll);
        let body = before;
        let mut before =
            translate(&mut graph, &mut objects, body, &given, intrinsics, options).map_err(open("first"))?;
        let options = (Undef::Poison, "second", limits.unroll);
        let mut after = translate(&mut graph, &mut objects, after, &other_given, intrinsics, options)
            .map_err(open("second"))?;
        // Where a function never returns it has no result.
        let (first, second) = (before.result.len(), after.result.len());
        if first > 0 && second > 0 {
            let cast = graph.sliced(&after.result, &own);
            after.result = cast.ok_or_else(|| "the results have different widths".to_owned())?;
        }
        let separate = writes_beside(body, &before.accesses);
        let returned = before.result.len();
        let memory = memory_at_the_end(&mut graph, &mut objects, &mut before, &mut after)?;
        let no = graph.bool(false);
        parameters.extend(objects.arguments(no));
        Ok(Self { graph, parameters, before, after, returned, memory, separate })
    }

    /// What must not be: first that the behavior becomes undefined, then for each element that it becomes another one.
    fn violations(&mut self) -> Vec<ExprId> {
        let graph = &mut self.graph;
        let defined = graph.not(self.before.undefined);
        let mut all = vec![graph.and(defined, self.after.undefined)];
        for (own, other) in self.before.result.iter().zip(&self.after.result) {
            let differ = graph.differ(own.bits, other.bits);
            let wrong = graph.or(other.poison, differ);
            let not_poison = graph.not(own.poison);
            let wrong = graph.and(not_poison, wrong);
            all.push(graph.and(defined, wrong));
        }
        all
    }

    /// Asks of elements that are the same number in both functions only whether the second one's may be poison.
    fn leave_out_same(&mut self, violations: &mut [ExprId]) {
        let no = self.graph.bool(false);
        let lanes = || self.before.result.iter().zip(&self.after.result);
        let open: Vec<usize> = (1..violations.len()).filter(|at| violations[*at] != no).collect();
        let all: Vec<_> = lanes().map(|(own, other)| (own.bits, other.bits)).collect();
        let pairs: Vec<_> = open.iter().map(|at| all[at - 1]).collect();
        let same = numbers::same(&mut self.graph, &pairs);
        for (at, _) in open.into_iter().zip(same).filter(|(_, same)| *same) {
            let (own, other) = (self.before.result[at - 1].poison, self.after.result[at - 1].poison);
            let (defined, not_poison) = (self.graph.not(self.before.undefined), self.graph.not(own));
            let wrong = self.graph.and(not_poison, other);
            violations[at] = self.graph.and(defined, wrong);
        }
    }

    fn any(&mut self, conditions: &[ExprId]) -> ExprId {
        let no = self.graph.bool(false);
        conditions.iter().fold(no, |all, condition| self.graph.or(all, *condition))
    }

    /// Whether conditions are never (`false`) or always (`true`) met.
    fn ask(&mut self, conditions: &[ExprId], value: bool, prover: &mut Prover) -> Verdict {
        let expected = self.graph.bool(value);
        let question = self.graph.function(conditions);
        let constant = self.graph.function(&vec![expected; conditions.len()]);
        prover.equal(&question, &constant)
    }

    fn answer(mut self, limits: &Limits) -> Outcome {
        let mut violations = self.violations();
        // What is impossible in one order of operands is not asked in another one.
        let ordered = self.graph.ordered(&violations);
        let no = self.graph.bool(false);
        violations
            .iter_mut()
            .zip(ordered)
            .filter(|(_, ordered)| *ordered == no)
            .for_each(|(own, _)| *own = no);
        self.leave_out_same(&mut violations);
        let choices = std::mem::take(&mut self.before.choices);
        let mut prover = Prover::with_time_limit(limits.time).step_limit(limits.steps);
        // The first candidate: what the second function chooses at the same place, else zero.
        let mut first = FxHashMap::default();
        for (position, (arg, bits)) in choices.iter().enumerate() {
            let width = self.graph.width(*bits);
            let same = self.after.choices.get(position).map(|(_, bits)| *bits);
            let zero = self.graph.number(width, 0);
            first.insert(*arg, same.filter(|same| self.graph.width(*same) == width).unwrap_or(zero));
        }
        let mut conditions = self.graph.substitute(&violations, &first);
        for _ in 0..MAX_CANDIDATES {
            let model = match self.ask(&conditions, false, &mut prover) {
                Verdict::Equal => {
                    let stats = prover.stats();
                    return Outcome::Proved(Proof {
                        structural: stats.structural,
                        solver: stats.queries,
                        separate: self.separate,
                    });
                }
                Verdict::Unknown(reason) => return Outcome::Unknown(reason),
                Verdict::Different(model) => model.args,
            };
            // With these arguments, is there a choice that helps?
            let fixed: FxHashMap<ArgId, ExprId> = model
                .iter()
                .enumerate()
                .map(|(position, bits)| (ArgId(position as u32), self.graph.bits(bits.clone())))
                .filter(|(arg, _)| choices.iter().all(|(choice, _)| choice != arg))
                .collect();
            let at = self.graph.substitute(&violations, &fixed);
            let at = self.any(&at);
            let helps = match self.graph.as_bool(at) {
                Some(true) => None,
                _ => match self.ask(&[at], true, &mut prover) {
                    Verdict::Equal => None,
                    Verdict::Unknown(reason) => return Outcome::Unknown(reason),
                    Verdict::Different(model) => Some(model.args),
                },
            };
            let Some(helps) = helps else {
                return match self.counterexample(&violations, &model) {
                    Some(_) if self.before.has_undef || self.after.has_undef => {
                        Outcome::Unknown("`undef`, which may be another value at each use".to_owned())
                    }
                    Some(found) => Outcome::Counterexample(Box::new(found)),
                    None => {
                        Outcome::Unknown("the solver's counterexample is not one when it is run".to_owned())
                    }
                };
            };
            let mut candidate = FxHashMap::default();
            for (arg, _) in &choices {
                candidate.insert(*arg, self.graph.bits(helps[arg.0 as usize].clone()));
            }
            let also = self.graph.substitute(&violations, &candidate);
            let (so_far, also) = (self.any(&conditions), self.any(&also));
            conditions = vec![self.graph.and(so_far, also)];
        }
        Outcome::Unknown(format!(
            "which values the first function's `freeze` gives, after {MAX_CANDIDATES} attempts"
        ))
    }

    /// A run with its elements of the result and of memory.
    fn run(&self, undefined: bool, mut result: Elements) -> Run {
        let mut rest = result.split_off(self.returned.min(result.len())).into_iter();
        let memory = self
            .memory
            .iter()
            .map(|(name, count)| (name.clone(), rest.by_ref().take(*count).collect()))
            .collect();
        Run { undefined, result, memory }
    }

    /// What both functions do for given arguments, if that is a violation. The evaluator shares no operators with the
    /// solver's side.
    fn counterexample(&mut self, violations: &[ExprId], arguments: &[Bits]) -> Option<Counterexample> {
        let violated = self.any(violations);
        let mut wanted = vec![violated, self.before.undefined, self.after.undefined];
        let lanes =
            |lanes: &[Lane]| lanes.iter().flat_map(|lane| [lane.bits, lane.poison]).collect::<Vec<_>>();
        for (_, parameter) in &self.parameters {
            wanted.extend(lanes(parameter));
        }
        wanted.extend(self.after.wrong.iter().map(|(when, _)| *when));
        wanted.extend(self.after.choices.iter().map(|(_, bits)| *bits));
        wanted.extend(lanes(&self.before.result));
        wanted.extend(lanes(&self.after.result));
        let mut values = interp::evaluate(&self.graph.function(&wanted), arguments).ok()?.into_iter();
        let mut flag = || values.next().map(|bits| bits.bit(0));
        let (violated, before_undefined, after_undefined) = (flag()?, flag()?, flag()?);
        let mut given = Vec::new();
        for (name, lanes) in &self.parameters {
            given.push((name.clone(), read(&mut values, lanes.len())?));
        }
        let mut wrong = Vec::new();
        for (_, what) in &self.after.wrong {
            wrong.extend(values.next()?.bit(0).then(|| what.clone()));
        }
        let mut choices = Vec::new();
        let count = self.after.choices.len();
        let (before, after) = (self.before.result.len(), self.after.result.len());
        for _ in 0..count {
            choices.push(values.next()?);
        }
        let before = self.run(before_undefined, read(&mut values, before)?);
        let after = self.run(after_undefined, read(&mut values, after)?);
        let access = wrong.into_iter().next();
        violated.then_some(Counterexample { arguments: given, choices, before, after, access })
    }
}

/// Whether a function writes behind a pointer that may lead to what it accesses through another one, as far as attributes say.
fn writes_beside(body: &Body, accesses: &Accesses) -> bool {
    let pointers: Vec<_> = body.parameters.iter().filter(|parameter| parameter.ty == Type::Pointer).collect();
    let touches = |all: &BTreeMap<Address, ExprId>, object: usize| {
        all.range((object as u32, i64::MIN)..=(object as u32, i64::MAX)).next().is_some()
    };
    let touched = (0..pointers.len()).filter(|object| touches(&accesses.touched, *object)).count();
    let mut open = pointers.iter().enumerate();
    touched > 1
        && open.any(|(object, parameter)| {
            touches(&accesses.stored, object) && !parameter.attributes.contains(&Attribute::NoAlias)
        })
}

/// Compares what is in memory at the end: elements are added to both results, whose names and numbers are given. What the
/// second function accesses and the first one does not is undefined behavior of the second one.
fn memory_at_the_end(
    graph: &mut Graph,
    objects: &mut Objects,
    before: &mut Behavior,
    after: &mut Behavior,
) -> Result<Vec<(String, usize)>, String> {
    if !after.accesses.stays_in(&before.accesses.touched) {
        return Err("the second function: an address beyond what the first function accesses".to_owned());
    }
    let no = graph.bool(false);
    let (own, other) = (&before.accesses, &after.accesses);
    for (is_write, all) in [(false, &other.touched), (true, &other.stored)] {
        for (address, when) in all {
            let may = match is_write {
                true => own.stored.get(address).copied().unwrap_or(no),
                false => own.inside(graph, *address),
            };
            let may_not = graph.not(may);
            let wrong = if *when == may { no } else { graph.and(*when, may_not) };
            if wrong != no {
                let (done, (object, at)) = (if is_write { "writes" } else { "accesses" }, *address);
                let name = objects.name(object).unwrap_or_default();
                after
                    .wrong
                    .push((wrong, format!("it {done} {name}[{at}], which the first function does not")));
            }
            after.undefined = graph.or(after.undefined, wrong);
        }
    }
    let written: BTreeSet<Address> = before.written.keys().chain(after.written.keys()).copied().collect();
    let addresses: Vec<Address> =
        written.into_iter().filter(|(object, _)| objects.name(*object).is_some()).collect();
    let mut byte = |graph: &mut Graph, written: &Written, address: Address| {
        let lane = objects.byte(graph, written, address);
        lane.unwrap_or(Lane { bits: graph.number(8, 0), poison: no })
    };
    let (mut at, mut last, mut names) = (0, None, Vec::<((u32, i64), usize)>::new());
    while let Some(&(object, offset)) = addresses.get(at) {
        let mut whole = None;
        for count in [8, 4, 2, 1] {
            let end = (object, offset + count as i64 - 1);
            let Some(all) = addresses.get(at..at + count).filter(|all| all.last() == Some(&end)) else {
                continue;
            };
            let lanes: Vec<Lane> = all.iter().map(|address| byte(graph, &before.written, *address)).collect();
            let bits = graph.concat(lanes.iter().map(|lane| lane.bits).collect());
            let is_element =
                lanes.iter().all(|lane| lane.poison == lanes[0].poison) && !graph.is_concat(bits);
            if is_element || count == 1 {
                whole = Some((count, Lane { bits, poison: lanes[0].poison }));
                break;
            }
        }
        let Some((count, lane)) = whole else { break };
        before.result.push(lane);
        let own = &addresses[at..at + count];
        let lanes: Vec<Lane> = own.iter().map(|address| byte(graph, &after.written, *address)).collect();
        after.result.extend(graph.sliced(&lanes, &[8 * count as u32]).unwrap_or_default());
        match names.last_mut().filter(|_| last == Some((object, offset))) {
            Some((_, elements)) => *elements += 1,
            None => names.push(((object, offset), 1)),
        }
        last = Some((object, offset + count as i64));
        at += count;
    }
    let name =
        |(object, offset): (u32, i64)| format!("{}[{offset}..]", objects.name(object).unwrap_or_default());
    Ok(names.into_iter().map(|(address, count)| (name(address), count)).collect())
}

/// The next elements, each with its bit for poison.
fn read(values: &mut impl Iterator<Item = Bits>, count: usize) -> Option<Elements> {
    let mut all = Vec::new();
    for _ in 0..count {
        let (bits, poison) = (values.next()?, values.next()?);
        all.push((!poison.bit(0)).then_some(bits));
    }
    Some(all)
}
