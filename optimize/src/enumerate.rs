//! Candidates of LLVM's generic instructions, by what they do on samples.
//!
//! From the values that a slice has (inputs, and what it computes) the last step is looked for that gives its result on all
//! samples: one operator, shuffle, extension or choice whose constants are solved from the samples. If there is none, or
//! there may be a cheaper one, a first step is made in all ways, and the last step is looked for again behind each. Widths
//! are free: the same bits are seen in all elements that fit.

use std::rc::Rc;

use llvm_text::Type;
use refine::Intrinsics;
use refine::ast::{Action, Body, Flags, Operand, Value};
use rustc_hash::{FxHashMap, FxHashSet};

use crate::build::{Builder, bits_of, constant, vector, work};
use crate::element::{Mean, One, Two, compare, funnel, ones, signed};
use crate::operands::local;
use crate::run::{Elements, Run, Stop, is_generic, view, widths};
use crate::samples::{agrees, arguments, constants, runs};
use crate::slice::{Input, Slice};

/// Samples for the search.
const SAMPLES: usize = 24;
/// Values of one step that are gone on with.
const MAX_FIRST: usize = 6_000;
/// Candidates that are kept.
const MAX_FOUND: usize = 48;
/// Instructions of a mean: what targets have as one is several of LLVM's.
const MEAN: usize = 6;
/// Calls with other operands that are tried for each one.
const MAX_AGAIN: usize = 256;
/// Element widths in which bits are seen.
const WIDTHS: [u32; 4] = [8, 16, 32, 64];
const PREDICATES: [&str; 10] = ["eq", "ne", "ult", "ule", "ugt", "uge", "slt", "sle", "sgt", "sge"];

/// Elements of one width.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
struct Shape {
    lanes: u32,
    width: u32,
}

impl Shape {
    fn of(ty: &Type) -> Option<Self> {
        match ty {
            Type::Scalar(scalar) => Some(Self { lanes: 1, width: scalar.width() }),
            Type::Vector(lanes, scalar) => Some(Self { lanes: *lanes, width: scalar.width() }),
            _ => None,
        }
    }

    fn bits(self) -> u32 {
        self.lanes * self.width
    }
}

/// How a value is made.
#[derive(Debug)]
enum Term {
    /// A value of the slice.
    Given(Operand),
    /// The same bits in other elements.
    View(Rc<Known>),
    Constant,
    One(One, Rc<Known>),
    Two(Two, Rc<Known>, Rc<Known>),
    Funnel(Rc<Known>, Rc<Known>, u64),
    Cast(&'static str, Rc<Known>),
    Shuffle(Rc<Known>, Option<Rc<Known>>, Vec<Option<u32>>),
    Select(Rc<Known>, Rc<Known>, Rc<Known>),
    Compare(&'static str, Rc<Known>, Rc<Known>),
    Reduce(Two, Rc<Known>),
    Mean(Mean, Rc<Known>, Rc<Known>),
}

/// A value with its elements on all samples, one sample after the other.
#[derive(Debug)]
struct Known {
    shape: Shape,
    data: Vec<u64>,
    term: Term,
}

/// What is looked for: elements, and which of their bits matter.
struct Goal {
    shape: Shape,
    data: Vec<u64>,
    care: Vec<u64>,
}

impl Goal {
    fn is(&self, mut value: impl FnMut(usize) -> u64) -> bool {
        (0..self.data.len()).all(|at| (value(at) ^ self.data[at]) & self.care[at] == 0)
    }
}

fn regrouped(data: &[u64], from: Shape, to: Shape) -> Vec<u64> {
    let (own, other) = (vec![from.width; from.lanes as usize], vec![to.width; to.lanes as usize]);
    let mut all = Vec::new();
    for sample in data.chunks(from.lanes as usize) {
        let lanes: Elements = sample.iter().copied().map(Some).collect();
        all.extend(view(&lanes, &own, &other).into_iter().map(|lane| lane.unwrap_or(0)));
    }
    all
}

/// The elements in which so many bits can be seen: those of a shape, and the usual ones.
fn shapes(shape: Shape) -> Vec<Shape> {
    let mut all = vec![shape];
    if shape.lanes > 1 && shape.bits() >= 16 {
        let fits = |width: &&u32| **width != shape.width && shape.bits().is_multiple_of(**width);
        let other = |width: &u32| Shape { lanes: shape.bits() / width, width: *width };
        all.extend(WIDTHS.iter().filter(fits).map(other).filter(|other| other.lanes > 1));
    }
    all
}

struct Search {
    samples: usize,
    goals: Vec<Goal>,
    given: Vec<Rc<Known>>,
    constants: Vec<u64>,
    found: Vec<Rc<Known>>,
}

/// Functions of generic instructions that do what a slice does on samples, with no more instructions than it, those with the
/// fewest first. None is proved.
pub fn candidates(slice: &Slice, intrinsics: &dyn Intrinsics) -> Result<Vec<Body>, Stop> {
    let Some(shape) = Shape::of(&slice.body.result) else { return Ok(Vec::new()) };
    widths(&slice.body.result)?;
    let given = arguments(&slice.body, SAMPLES, 1)?;
    let runs = runs(&slice.body, &given, intrinsics)?;
    let mut search = Search::new(slice, shape, &runs);
    if search.samples == 0 {
        return Ok(Vec::new());
    }
    search.last(&search.views(), &[]);
    let size = work(&slice.body);
    if size > 2 {
        search.two_steps();
    }
    let mut bodies: Vec<Body> = Vec::new();
    for known in &search.found {
        let mut builder = Builder::new(&slice.body, true);
        let value = emit(&mut builder, &mut Made::default(), known);
        bodies.extend(builder.finish(value));
    }
    bodies.extend(again(slice, &search.given, &given, intrinsics));
    let most = size.max(if size > 2 { MEAN } else { 0 });
    bodies.retain(|body| work(body) <= most && !slice.reads_absent(body) && *body != slice.body);
    let mut seen = FxHashSet::default();
    bodies.retain(|body| seen.insert(body.text("f")));
    bodies.sort_by_key(work);
    Ok(bodies)
}

/// Targets' intrinsics that a slice calls, on other values of it.
fn again(
    slice: &Slice,
    known: &[Rc<Known>],
    samples: &[Vec<Elements>],
    intrinsics: &dyn Intrinsics,
) -> Vec<Body> {
    let mut bodies = Vec::new();
    let instructions = slice.body.blocks.iter().flat_map(|block| &block.instructions);
    for instruction in instructions {
        let Action::Call { function, arguments, attributes } = &instruction.action else { continue };
        if is_generic(function) || bits_of(&instruction.ty) != bits_of(&slice.body.result) {
            continue;
        }
        let choices: Vec<Vec<Operand>> = arguments
            .iter()
            .map(|(operand, _)| match operand.value {
                Value::Constant(_) => vec![operand.clone()],
                Value::Local(_) => known
                    .iter()
                    .filter_map(|own| match &own.term {
                        Term::Given(given) if given.ty == operand.ty => Some(given.clone()),
                        _ => None,
                    })
                    .collect(),
            })
            .collect();
        let count = choices.iter().map(Vec::len).product::<usize>();
        for mut number in 0..count.min(MAX_AGAIN) {
            let pick = |own: &Vec<Operand>| {
                let at = number % own.len();
                number /= own.len();
                (own[at].clone(), Vec::new())
            };
            let mut arguments: Vec<_> = choices.iter().rev().map(pick).collect();
            arguments.reverse();
            let mut builder = Builder::new(&slice.body, true);
            let (function, attributes) = (function.clone(), attributes.clone());
            let value =
                builder.push(instruction.ty.clone(), Action::Call { function, arguments, attributes });
            let body = builder.finish(value);
            bodies.extend(body.filter(|body| {
                *body != slice.body
                    && work(body) < work(&slice.body)
                    && agrees(&slice.body, body, samples, intrinsics)
            }));
        }
    }
    bodies
}

impl Search {
    fn new(slice: &Slice, shape: Shape, runs: &[Run]) -> Self {
        let goal = |to: Shape| {
            let (mut data, mut care) = (Vec::new(), Vec::new());
            for run in runs {
                data.extend(run.result.iter().map(|lane| lane.unwrap_or(0)));
                care.extend(run.result.iter().map(|lane| if lane.is_some() { ones(shape.width) } else { 0 }));
            }
            Goal { shape: to, data: regrouped(&data, shape, to), care: regrouped(&care, shape, to) }
        };
        let goals = shapes(shape).into_iter().map(goal).collect();
        let mut known = Vec::new();
        let mut add = |name: &str, ty: &Type| {
            let Some(shape) = Shape::of(ty).filter(|shape| shape.width <= 64) else { return };
            let lanes = |run: &Run| run.values.get(name).cloned().unwrap_or_default();
            let data: Vec<u64> = runs.iter().flat_map(lanes).map(|lane| lane.unwrap_or(0)).collect();
            if data.len() == runs.len() * shape.lanes as usize {
                let term = Term::Given(local(ty.clone(), name));
                known.push(Rc::new(Known { shape, data, term }));
            }
        };
        for (parameter, input) in slice.body.parameters.iter().zip(&slice.inputs) {
            if matches!(input, Input::Value(_, true)) {
                add(&parameter.name, &parameter.ty);
            }
        }
        let instructions = slice.body.blocks.iter().flat_map(|block| &block.instructions);
        let root = instructions.clone().next_back().map(crate::operands::locals).unwrap_or_default();
        for instruction in instructions {
            if let Some(name) = instruction.result.as_deref().filter(|name| !root.contains(name)) {
                add(name, &instruction.ty);
            }
        }
        Self {
            samples: runs.len(),
            goals,
            given: known,
            constants: constants(&slice.body),
            found: Vec::new(),
        }
    }

    fn found(&mut self, shape: Shape, term: Term) {
        if self.found.len() < MAX_FOUND {
            self.found.push(Rc::new(Known { shape, data: Vec::new(), term }));
        }
    }

    /// What is given in all elements that may matter for the goal.
    fn views(&self) -> Vec<Rc<Known>> {
        let mut all = self.given.clone();
        for known in &self.given {
            for shape in shapes(known.shape).into_iter().skip(1) {
                let data = regrouped(&known.data, known.shape, shape);
                all.push(Rc::new(Known { shape, data, term: Term::View(known.clone()) }));
            }
        }
        all
    }

    /// Looks for a last step that reads one of `first`, and maybe one of `first` or `others`.
    fn last(&mut self, first: &[Rc<Known>], others: &[Rc<Known>]) {
        for at in 0..self.goals.len() {
            let shape = self.goals[at].shape;
            for known in first {
                if self.found.len() >= MAX_FOUND {
                    return;
                }
                self.last_of_one(at, known);
                if known.shape == shape {
                    let pairs = first.iter().chain(others).filter(|other| other.shape == shape);
                    for other in pairs {
                        self.last_of_two(at, known, other);
                    }
                }
            }
        }
        self.choices(first, others);
    }

    fn last_of_one(&mut self, goal: usize, x: &Rc<Known>) {
        let Goal { shape, .. } = self.goals[goal];
        let width = shape.width;
        if x.shape == shape {
            if self.goals[goal].is(|at| x.data[at]) {
                self.found.push(x.clone());
                return;
            }
            for operator in One::ALL.into_iter().filter(|own| own.fits(width) && width > 1) {
                if self.goals[goal].is(|at| operator.of(width, x.data[at])) {
                    self.found(shape, Term::One(operator, x.clone()));
                }
            }
            for by in 1..u64::from(width) {
                for operator in [Two::Shl, Two::LShr, Two::AShr] {
                    if self.goals[goal].is(|at| operator.of(width, x.data[at], by)) {
                        let amount = self.splat(shape, by);
                        self.found(shape, Term::Two(operator, x.clone(), amount));
                    }
                }
                if self.goals[goal].is(|at| funnel(true, width, x.data[at], x.data[at], by)) {
                    self.found(shape, Term::Funnel(x.clone(), x.clone(), by));
                }
            }
            for operator in Two::ALL.into_iter().filter(|own| !own.is_shift()) {
                if let Some(lanes) = self.solved(goal, operator, x, false) {
                    self.found(shape, Term::Two(operator, x.clone(), lanes));
                }
            }
            if let Some(lanes) = self.solved(goal, Two::Sub, x, true) {
                self.found(shape, Term::Two(Two::Sub, lanes, x.clone()));
            }
        } else if x.shape.lanes == shape.lanes {
            let own = x.shape.width;
            for name in if own < width { ["zext", "sext"].as_slice() } else { &["trunc"] } {
                if self.goals[goal].is(|at| resized(name, own, width, x.data[at])) {
                    self.found(shape, Term::Cast(name, x.clone()));
                }
            }
        }
        if x.shape.width == width && x.shape.lanes > 1 {
            if shape.lanes > 1
                && let Some(mask) = self.mask(goal, x, None)
            {
                self.found(shape, Term::Shuffle(x.clone(), None, mask));
            }
            if shape.lanes == 1 {
                let reduced = |operator: Two, sample: usize| {
                    let count = x.shape.lanes as usize;
                    let lanes = x.data[sample * count..(sample + 1) * count].iter().copied();
                    lanes.reduce(|a, b| operator.of(width, a, b)).unwrap_or(0)
                };
                let reduces = |own: &Two| own.commutes() && !matches!(own, Two::UAddSat | Two::SAddSat);
                for operator in Two::ALL.into_iter().filter(reduces) {
                    if self.goals[goal].is(|at| reduced(operator, at)) {
                        self.found(shape, Term::Reduce(operator, x.clone()));
                    }
                }
            }
        }
    }

    fn last_of_two(&mut self, goal: usize, x: &Rc<Known>, y: &Rc<Known>) {
        let Goal { shape, .. } = self.goals[goal];
        let width = shape.width;
        for operator in Two::ALL {
            if operator.is_shift() {
                continue;
            }
            if self.goals[goal].is(|at| operator.of(width, x.data[at], y.data[at])) {
                self.found(shape, Term::Two(operator, x.clone(), y.clone()));
            }
            if !operator.commutes() && self.goals[goal].is(|at| operator.of(width, y.data[at], x.data[at])) {
                self.found(shape, Term::Two(operator, y.clone(), x.clone()));
            }
        }
        if !Rc::ptr_eq(x, y) && Mean::fits(width) {
            for mean in Mean::ALL {
                if self.goals[goal].is(|at| mean.of(width, x.data[at], y.data[at])) {
                    self.found(shape, Term::Mean(mean, x.clone(), y.clone()));
                }
            }
        }
        if !Rc::ptr_eq(x, y) && width > 1 {
            for by in 1..u64::from(width) {
                if self.goals[goal].is(|at| funnel(true, width, x.data[at], y.data[at], by)) {
                    self.found(shape, Term::Funnel(x.clone(), y.clone(), by));
                }
            }
            if shape.lanes > 1
                && let Some(mask) = self.mask(goal, x, Some(y))
            {
                self.found(shape, Term::Shuffle(x.clone(), Some(y.clone()), mask));
            }
        }
    }

    /// Comparisons, where the result is bits, and choices by bits.
    fn choices(&mut self, first: &[Rc<Known>], others: &[Rc<Known>]) {
        let Goal { shape, .. } = self.goals[0];
        let all = || first.iter().chain(others);
        if shape.width == 1 {
            for x in first.iter().filter(|x| x.shape.lanes == shape.lanes && x.shape.width > 1) {
                let constants = self.splats(x.shape);
                for y in all().filter(|y| y.shape == x.shape).chain(&constants) {
                    for predicate in PREDICATES {
                        let width = x.shape.width;
                        if self.goals[0].is(|at| u64::from(compare(predicate, width, x.data[at], y.data[at])))
                        {
                            self.found(shape, Term::Compare(predicate, x.clone(), y.clone()));
                        }
                    }
                }
            }
        }
        let bits: Vec<&Rc<Known>> =
            all().filter(|x| x.shape.width == 1 && [1, shape.lanes].contains(&x.shape.lanes)).collect();
        let zero = [self.splat(shape, 0), self.splat(shape, ones(shape.width))];
        let values: Vec<Rc<Known>> = all().filter(|x| x.shape == shape).chain(&zero).cloned().collect();
        for condition in bits.into_iter().take(64) {
            for then in &values {
                let single = condition.shape.lanes == 1;
                let given =
                    |at: usize| condition.data[if single { at / shape.lanes as usize } else { at }] == 1;
                if !self.goals[0].is(|at| if given(at) { then.data[at] } else { self.goals[0].data[at] }) {
                    continue;
                }
                for otherwise in &values {
                    if self.goals[0].is(|at| if given(at) { then.data[at] } else { otherwise.data[at] }) {
                        let term = Term::Select(condition.clone(), then.clone(), otherwise.clone());
                        self.found(shape, term);
                    }
                }
            }
        }
    }

    /// The elements for which an operator on `x` and a constant gives the goal, solved from the samples.
    fn solved(&self, goal: usize, operator: Two, x: &Rc<Known>, first: bool) -> Option<Rc<Known>> {
        let goal = &self.goals[goal];
        let (width, count) = (goal.shape.width, goal.shape.lanes as usize);
        let all = ones(width);
        let mut lanes = Vec::new();
        for lane in 0..count {
            let places =
                || (0..self.samples).map(|sample| sample * count + lane).filter(|at| goal.care[*at] == all);
            let at = |wanted: u64| places().find(|at| x.data[*at] == wanted).map(|at| goal.data[at]);
            let any = places().next();
            let least = (all >> 1) + 1;
            let solution = match operator {
                _ if any.is_none() => Some(lanes.last().copied().unwrap_or(0)),
                Two::Add => any.map(|at| goal.data[at].wrapping_sub(x.data[at])),
                Two::Sub if first => any.map(|at| goal.data[at].wrapping_add(x.data[at])),
                Two::Sub => None,
                Two::Xor => any.map(|at| goal.data[at] ^ x.data[at]),
                Two::And => at(all).or_else(|| Some(places().fold(0, |bits, at| bits | goal.data[at]))),
                Two::Or => at(0).or_else(|| Some(places().fold(all, |bits, at| bits & goal.data[at]))),
                Two::Mul => at(1).or_else(|| {
                    let odd = places().find(|at| x.data[*at] & 1 == 1)?;
                    Some(goal.data[odd].wrapping_mul(inverse(x.data[odd])))
                }),
                Two::UMin | Two::UMax | Two::SMin | Two::SMax => {
                    places().find(|at| goal.data[*at] != x.data[*at]).map(|at| goal.data[at])
                }
                Two::UAddSat | Two::SAddSat => at(0).or_else(|| {
                    places()
                        .find(|at| ![all, all >> 1, least].contains(&goal.data[*at]))
                        .map(|at| goal.data[at].wrapping_sub(x.data[at]))
                }),
                Two::USubSat | Two::SSubSat => places()
                    .find(|at| ![0, all >> 1, least].contains(&goal.data[*at]))
                    .map(|at| x.data[at].wrapping_sub(goal.data[at])),
                Two::Shl | Two::LShr | Two::AShr => None,
            };
            let solution = solution? & all;
            let value = |at: usize| {
                let (a, b) = if first { (solution, x.data[at]) } else { (x.data[at], solution) };
                operator.of(width, a, b)
            };
            let mut all_places = (0..self.samples).map(|sample| sample * count + lane);
            if !all_places.all(|at| (value(at) ^ goal.data[at]) & goal.care[at] == 0) {
                return None;
            }
            lanes.push(solution);
        }
        let data: Vec<u64> = (0..goal.data.len()).map(|at| lanes[at % count]).collect();
        Some(Rc::new(Known { shape: goal.shape, data, term: Term::Constant }))
    }

    /// The positions from which the goal's elements are.
    fn mask(&self, goal: usize, x: &Rc<Known>, y: Option<&Rc<Known>>) -> Option<Vec<Option<u32>>> {
        let goal = &self.goals[goal];
        let (count, own) = (goal.shape.lanes as usize, x.shape.lanes as usize);
        let mut mask = Vec::new();
        for lane in 0..count {
            let is = |known: &Known, from: usize| {
                (0..self.samples).all(|sample| {
                    let at = sample * count + lane;
                    (known.data[sample * own + from] ^ goal.data[at]) & goal.care[at] == 0
                })
            };
            if (0..self.samples).all(|sample| goal.care[sample * count + lane] == 0) {
                mask.push(None);
                continue;
            }
            // The same lane first, then the next after the last one, so that masks are regular where they may be.
            let next = mask.last().copied().flatten().map_or(0, |last: u32| last as usize + 1);
            let places = [lane, next].into_iter().filter(|at| *at < own).chain(0..own);
            let mut positions = places.clone().filter(|at| is(x, *at)).map(|at| at as u32);
            let found = positions.next().or_else(|| {
                let y = y?;
                places.clone().find(|at| is(y, *at)).map(|at| (at + own) as u32)
            });
            mask.push(Some(found?));
        }
        let both = y.is_none()
            || mask.iter().flatten().any(|at| (*at as usize) < own)
                && mask.iter().flatten().any(|at| *at as usize >= own);
        both.then_some(mask)
    }

    fn splat(&self, shape: Shape, value: u64) -> Rc<Known> {
        let data = vec![value & ones(shape.width); self.samples * shape.lanes as usize];
        Rc::new(Known { shape, data, term: Term::Constant })
    }

    /// Constants that a first step may have.
    fn splats(&self, shape: Shape) -> Vec<Rc<Known>> {
        let all = ones(shape.width);
        let usual = [0, 1, all, all >> 1, (all >> 1) + 1, ones(shape.width / 2)];
        let own = self.constants.iter().copied().filter(|value| *value <= all || signed(64, *value) < 0);
        let mut values: Vec<u64> = own.take(16).chain(usual).map(|value| value & all).collect();
        values.sort_unstable();
        values.dedup();
        values.into_iter().map(|value| self.splat(shape, value)).collect()
    }

    fn two_steps(&mut self) {
        let views = self.views();
        let first = self.first(&views);
        for known in &first {
            if self.found.len() >= MAX_FOUND {
                return;
            }
            self.last(std::slice::from_ref(known), &views);
        }
    }

    /// All values of one step, each once.
    fn first(&self, views: &[Rc<Known>]) -> Vec<Rc<Known>> {
        let mut seen: FxHashSet<(Shape, Vec<u64>)> =
            views.iter().map(|known| (known.shape, known.data.clone())).collect();
        let mut all: Vec<Rc<Known>> = Vec::new();
        let mut push = |shape: Shape, data: Vec<u64>, term: Term| {
            if all.len() < MAX_FIRST && seen.insert((shape, data.clone())) {
                all.push(Rc::new(Known { shape, data, term }));
            }
        };
        let goal = self.goals[0].shape;
        for x in views {
            let Shape { lanes, width } = x.shape;
            let mapped =
                |of: &dyn Fn(u64) -> u64| x.data.iter().map(|value| of(*value)).collect::<Vec<u64>>();
            let shuffled = |mask: &[u32]| {
                let chunks = x.data.chunks(lanes as usize);
                chunks.flat_map(|sample| mask.iter().map(|at| sample[*at as usize])).collect::<Vec<u64>>()
            };
            if lanes > 1 && lanes % 2 == 0 && lanes / 2 == goal.lanes {
                let halves: [Vec<u32>; 4] = [
                    (0..lanes / 2).collect(),
                    (lanes / 2..lanes).collect(),
                    (0..lanes).step_by(2).collect(),
                    (1..lanes).step_by(2).collect(),
                ];
                for mask in halves {
                    let data = shuffled(&mask);
                    let term = Term::Shuffle(x.clone(), None, mask.into_iter().map(Some).collect());
                    push(Shape { lanes: lanes / 2, width }, data, term);
                }
            }
            if lanes == goal.lanes {
                for to in [1, 8, 16, 32, 64].into_iter().filter(|to| *to != width && *to > 1) {
                    if to > 2 * goal.width.max(8) {
                        continue;
                    }
                    for name in if width < to { ["zext", "sext"].as_slice() } else { &["trunc"] } {
                        let data = mapped(&|value| resized(name, width, to, value));
                        push(Shape { lanes, width: to }, data, Term::Cast(name, x.clone()));
                    }
                }
            }
            if width == 1 {
                continue;
            }
            for operator in One::ALL.into_iter().filter(|own| own.fits(width)) {
                push(x.shape, mapped(&|value| operator.of(width, value)), Term::One(operator, x.clone()));
            }
            let constants = self.splats(x.shape);
            for amount in constants.iter().filter(|own| own.data[0] > 0 && own.data[0] < u64::from(width)) {
                for operator in [Two::Shl, Two::LShr, Two::AShr] {
                    let data = mapped(&|value| operator.of(width, value, amount.data[0]));
                    push(x.shape, data, Term::Two(operator, x.clone(), amount.clone()));
                }
            }
            let same = || views.iter().filter(|y| y.shape == x.shape);
            for y in same().chain(&constants) {
                for operator in Two::ALL.into_iter().filter(|own| !own.is_shift()) {
                    let pairs = x.data.iter().zip(&y.data);
                    let data = pairs.map(|(a, b)| operator.of(width, *a, *b)).collect();
                    push(x.shape, data, Term::Two(operator, x.clone(), y.clone()));
                }
                if matches!(y.term, Term::Constant) {
                    let pairs = x.data.iter().zip(&y.data);
                    let data = pairs.map(|(a, b)| Two::Sub.of(width, *b, *a)).collect();
                    push(x.shape, data, Term::Two(Two::Sub, y.clone(), x.clone()));
                }
                if lanes == goal.lanes {
                    for predicate in PREDICATES {
                        let pairs = x.data.iter().zip(&y.data);
                        let data = pairs.map(|(a, b)| u64::from(compare(predicate, width, *a, *b))).collect();
                        let term = Term::Compare(predicate, x.clone(), y.clone());
                        push(Shape { lanes, width: 1 }, data, term);
                    }
                }
            }
        }
        all
    }
}

fn resized(name: &str, own: u32, width: u32, value: u64) -> u64 {
    let value = if name == "sext" { signed(own, value).cast_unsigned() } else { value };
    value & ones(width)
}

/// The inverse of an odd number modulo 2^64 (Newton's iteration).
fn inverse(odd: u64) -> u64 {
    (0..6).fold(odd, |x, _| x.wrapping_mul(2u64.wrapping_sub(odd.wrapping_mul(x))))
}

fn type_of(shape: Shape) -> Type {
    if shape.lanes == 1 { Type::integer(shape.width) } else { vector(shape.lanes, shape.width) }
}

/// Operands that were made for values.
type Made = FxHashMap<*const Known, Operand>;

/// A value as instructions, each value once.
fn emit(builder: &mut Builder, made: &mut Made, known: &Known) -> Operand {
    let key: *const Known = known;
    if let Some(operand) = made.get(&key) {
        return operand.clone();
    }
    let operand = instruction(builder, made, known);
    made.insert(key, operand.clone());
    operand
}

fn instruction(builder: &mut Builder, made: &mut Made, known: &Known) -> Operand {
    let ty = type_of(known.shape);
    let mut of = |builder: &mut Builder, own: &Known| {
        let value = emit(builder, made, own);
        let ty = if matches!(own.term, Term::Given(_)) { integers(&value.ty) } else { value.ty.clone() };
        builder.bitcast(value, &ty)
    };
    let generic = |name: &str| format!("llvm.{name}.{}", ty.mangled());
    match &known.term {
        Term::Given(operand) => operand.clone(),
        Term::View(inner) => {
            let value = of(builder, inner);
            builder.bitcast(value, &ty)
        }
        Term::Constant => constant(&ty, &known.data[..known.shape.lanes as usize]),
        Term::One(operator, inner) => {
            let mut arguments = vec![of(builder, inner)];
            if operator.has_flag() {
                arguments.push(constant(&Type::integer(1), &[0]));
            }
            builder.call(generic(operator.name()), arguments, ty.clone())
        }
        Term::Two(operator, x, y) => {
            let (left, right) = (of(builder, x), of(builder, y));
            if operator.is_intrinsic() {
                builder.call(generic(operator.name()), vec![left, right], ty.clone())
            } else {
                builder.push(ty.clone(), Action::Binary(operator.name(), Flags::default(), left, right))
            }
        }
        Term::Funnel(x, y, by) => {
            let arguments = vec![of(builder, x), of(builder, y)];
            let amount = constant(&ty, &vec![*by; known.shape.lanes as usize]);
            builder.call(generic("fshl"), [arguments, vec![amount]].concat(), ty.clone())
        }
        Term::Cast(name, inner) => {
            let value = of(builder, inner);
            builder.push(ty.clone(), Action::Cast(name, Flags::default(), value, ty.clone()))
        }
        Term::Shuffle(x, y, mask) => {
            let left = of(builder, x);
            let right = y.as_ref().map(|y| of(builder, y));
            builder.shuffle(left, right, mask.clone())
        }
        Term::Select(condition, x, y) => {
            let condition = of(builder, condition);
            let (then, otherwise) = (of(builder, x), of(builder, y));
            builder.push(ty.clone(), Action::Select(condition, then, otherwise))
        }
        Term::Compare(predicate, x, y) => {
            let (left, right) = (of(builder, x), of(builder, y));
            builder.push(ty.clone(), Action::Compare(predicate, Flags::default(), left, right))
        }
        Term::Mean(mean, x, y) => {
            let Shape { lanes, width } = known.shape;
            let wide = type_of(Shape { lanes, width: 2 * width });
            let mut sum: Option<Operand> = None;
            for part in [x, y] {
                let part = of(builder, part);
                let (name, flags) = (if mean.signed { "sext" } else { "zext" }, Flags::default());
                let part = builder.push(wide.clone(), Action::Cast(name, flags, part, wide.clone()));
                sum = Some(match sum {
                    Some(sum) => builder.push(wide.clone(), Action::Binary("add", flags, sum, part)),
                    None => part,
                });
            }
            let one = constant(&wide, &vec![1; lanes as usize]);
            let mut value = sum.unwrap_or_else(|| one.clone());
            if mean.up {
                value =
                    builder.push(wide.clone(), Action::Binary("add", Flags::default(), value, one.clone()));
            }
            let shift = if mean.signed { "ashr" } else { "lshr" };
            let half = builder.push(wide, Action::Binary(shift, Flags::default(), value, one));
            builder.push(ty.clone(), Action::Cast("trunc", Flags::default(), half, ty.clone()))
        }
        Term::Reduce(operator, inner) => {
            let value = of(builder, inner);
            let name = format!("llvm.vector.reduce.{}.{}", operator.name(), value.ty.mangled());
            builder.call(name, vec![value], ty.clone())
        }
    }
}

/// The type with integers as elements.
fn integers(ty: &Type) -> Type {
    Shape::of(ty).map_or_else(
        || ty.clone(),
        |shape| match ty {
            Type::Vector(..) => vector(shape.lanes, shape.width),
            _ => Type::integer(shape.width),
        },
    )
}
