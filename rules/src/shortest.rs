//! Whether fewer instructions than a rule's could do: all sequences of a few instructions that work lane by lane, tried on one lane.
//!
//! An instruction is here what it does in one lane, a [`Template`](synth::table::Template) whose slots are that lane of its operands; a value is what it
//! is for some samples of the pattern's variables:
//!
//! ```text
//! a = 3 0 255 …   b = 5 1 255 …   →   psubusb(a, b) = 0 0 0 …   psubusb(b, a) = 2 1 0 …   →   por(…) = 2 1 0 …   |a - b|
//! ```
//!
//! Of two values that agree on all samples one is kept. Nothing is lost by that: what is computed from the other one is, on the samples, what is
//! computed from the one that is kept, so that if no sequence is the pattern on the samples, none of those that were left out is. A sequence that
//! is the pattern on all samples is tried on others; where it is another value, these become samples, and all is tried again. What stands is
//! proved as rules are.

use std::collections::{BTreeMap, BTreeSet};

use hydride_ir::Random;
use interp::{Machine as Memory, Program};
use rustc_hash::FxHashSet;
use search::Class;
use serde::{Deserialize, Serialize};
use synth::certify::Judge;
use synth::table::{OpId, Table};
use synth::window::{Leaf, Meaning, Window, limits};

use crate::bindings::Number;
use crate::instance::Instance;
use crate::lowering::{Cost, Machine, prove, with_literals};
use crate::scalar::Scalar;
use crate::sequence::{Sequence, Shape, Source, Step};

/// Samples at the start.
const SAMPLES: usize = 12;

/// Other values that a sequence is tried on before it is proved, where not all are.
const TRIALS: usize = 1 << 14;

/// Bits of the variables of which all values are tried.
const ALL_VALUES: u32 = 16;

/// Samples that may be added.
const MAX_ROUNDS: usize = 64;

/// Slots of an instruction, at most.
const MAX_SLOTS: usize = 6;

/// How far sequences were tried.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Tried {
    /// No sequence of so many instructions or fewer is the pattern.
    pub instructions: u32,
    /// Operations that were tried at each place; of those with the same effect one.
    pub operations: usize,
    /// Steps that were run on samples.
    pub states: u64,
    /// A sequence that is the pattern, if one was found, with its cost.
    pub found: Option<(Sequence, Cost)>,
    /// Why no more was tried, where neither the limit of instructions was reached nor a sequence found.
    pub ended: Option<String>,
}

/// An instruction in one lane.
struct Lane {
    op: OpId,
    program: Program,
    slots: usize,
}

/// The instructions of a table that compute each lane of a register of `bits` bits from the same lane of their operands, lanes of `width`
/// bits, one for each effect.
fn lanes(table: &Table, width: u32, bits: u32) -> Vec<Lane> {
    let same_lane = |id: &&OpId| {
        let op = table.op(**id);
        let vector = |ty: &search::Type| ty.class == Class::Vector && ty.width == bits;
        let reads = |(at, lane): (usize, &Vec<(u32, u32)>)| {
            let own: BTreeSet<u32> = lane.iter().map(|(arg, _)| *arg).collect();
            own.len() == op.args.len() && lane.iter().all(|(_, low)| *low == at as u32 * width)
        };
        vector(&op.result)
            && op.args.iter().all(vector)
            && op.lanes.is_empty()
            && op.keeps.is_none()
            && op.reads.len() == (bits / width) as usize
            && op.reads.iter().enumerate().all(reads)
            && op
                .reads
                .iter()
                .all(|lane| lane.iter().map(|(arg, _)| arg).eq(op.reads[0].iter().map(|(arg, _)| arg)))
    };
    let lane = |id: &synth::table::TemplateId| {
        let template = table.template(*id);
        let fits = !template.moves
            && (1..=MAX_SLOTS).contains(&template.slots.len())
            && template.slots.iter().all(|slot| *slot == width);
        let op = *table.members(*id).iter().find(same_lane).filter(|_| fits)?;
        Some(Lane { op, program: Program::new(&template.function).ok()?, slots: template.slots.len() })
    };
    table.templates(width).iter().filter_map(lane).collect()
}

/// A step: the number of its instruction, and the values that it reads.
type Key = (usize, [u8; MAX_SLOTS]);

/// What a search for sequences of one length came to.
enum End {
    /// None is the pattern on the samples.
    Exhausted,
    /// This one is.
    Reached(Vec<Key>),
    /// There are too many.
    Limit,
}

/// The search for sequences of one length.
struct Search<'a> {
    lanes: &'a [Lane],
    memories: Vec<Memory>,
    /// The pattern's value in each sample.
    target: &'a [u64],
    /// Of each value what it is in each sample: variables and constants, and then steps.
    values: Vec<Vec<u64>>,
    /// Values that an instruction reads, at most.
    arity: u32,
    /// Steps that nothing reads yet, as bits.
    unread: u64,
    steps: Vec<Key>,
    states: u64,
    limit: u64,
}

impl Search<'_> {
    /// What a step is in one sample.
    fn run(&mut self, (number, operands): &Key, sample: usize) -> u64 {
        let lane = &self.lanes[*number];
        let mut words = [0; MAX_SLOTS];
        for (word, operand) in words.iter_mut().zip(&operands[..lane.slots]) {
            *word = self.values[usize::from(*operand)][sample];
        }
        let memory = &mut self.memories[*number];
        match lane.program.run_words(memory, &words[..lane.slots]) {
            Ok(()) => lane.program.result_words(memory, 0)[0],
            Err(_) => 0,
        }
    }

    /// Tries all sequences with so many steps more.
    fn explore(&mut self, left: u32) -> End {
        let (count, newest) = (self.values.len() as u8, self.values.len() as u8 - 1);
        let fresh = !self.steps.is_empty();
        let mut seen: FxHashSet<(Vec<u64>, u64)> = FxHashSet::default();
        for number in 0..self.lanes.len() {
            let slots = self.lanes[number].slots;
            let mut operands = [0u8; MAX_SLOTS];
            loop {
                let key = (number, operands);
                let read = operands[..slots].iter().fold(0u64, |mask, at| mask | 1 << at);
                let reads_newest = read >> newest & 1 == 1;
                // Two steps of which neither reads the other's result are tried in one order.
                let in_order = !fresh || reads_newest || self.steps.last().is_some_and(|last| *last < key);
                let unread = self.unread & !read;
                // Each step reads at most so many values, and gives one.
                let room = (left - 1) * (self.arity - 1);
                if in_order && unread.count_ones() <= room {
                    if self.states >= self.limit {
                        return End::Limit;
                    }
                    self.states += 1;
                    if left == 1 {
                        if (0..self.target.len()).all(|sample| self.run(&key, sample) == self.target[sample])
                        {
                            let mut steps = self.steps.clone();
                            steps.push(key);
                            return End::Reached(steps);
                        }
                    } else {
                        let value: Vec<u64> =
                            (0..self.target.len()).map(|sample| self.run(&key, sample)).collect();
                        if !self.values.contains(&value) && seen.insert((value.clone(), unread)) {
                            let before = std::mem::replace(&mut self.unread, unread | 1 << count);
                            self.values.push(value);
                            self.steps.push(key);
                            let end = self.explore(left - 1);
                            self.steps.pop();
                            self.values.pop();
                            self.unread = before;
                            if !matches!(end, End::Exhausted) {
                                return end;
                            }
                        }
                    }
                }
                // The next operands, as a number whose digits they are.
                let Some(digit) = (0..slots).rev().find(|at| operands[*at] + 1 < count) else { break };
                operands[digit] += 1;
                operands[digit + 1..slots].fill(0);
            }
        }
        End::Exhausted
    }
}

/// A pattern with literals for its constants, on one lane.
pub(crate) struct Wanted {
    leaves: Vec<Leaf>,
    program: Program,
}

impl Wanted {
    /// `None` where it cannot be evaluated.
    pub(crate) fn new(pattern: &Instance, constants: &BTreeMap<usize, i128>) -> Option<Self> {
        let expressions = with_literals(&pattern.window.expressions, constants);
        let window = Window { expressions, ..pattern.window.clone() };
        let program = Program::new(&Meaning::new(&window).function().ok()?).ok()?;
        Some(Self { leaves: window.leaves, program })
    }

    /// The pattern's value for these bits of its variables.
    pub(crate) fn value(&self, memory: &mut Memory, words: &[u64]) -> Option<u64> {
        self.program.run_words(memory, words).ok()?;
        self.program.result_words(memory, 0).first().copied()
    }

    /// Bits of the variables: at the ends of their ranges, or anywhere.
    pub(crate) fn sample(&self, random: &mut Random) -> Vec<u64> {
        let one = |leaf: &Leaf| {
            let (low, high) = leaf.range.unwrap_or(limits(leaf.ty));
            let middle = 1i128 << (leaf.ty.width - 1);
            let ends = [low, low + 1, high - 1, high, 0, 1, -1, middle, middle - 1];
            let value = match random.below(2) {
                0 => random.pick(&ends),
                _ => low + i128::from(random.word()) % (high - low + 1),
            };
            value.clamp(low, high) as u64 & (u64::MAX >> (64 - leaf.ty.width))
        };
        self.leaves.iter().map(one).collect()
    }

    /// Every choice of the variables' bits where there are few, else some.
    fn trials(&self) -> Vec<Vec<u64>> {
        let ranges: Vec<(i128, i128)> =
            self.leaves.iter().map(|leaf| leaf.range.unwrap_or(limits(leaf.ty))).collect();
        let count = ranges.iter().fold(1i128, |count, (low, high)| count.saturating_mul(high - low + 1));
        if count > 1 << ALL_VALUES {
            let mut random = Random::new(2);
            return (0..TRIALS).map(|_| self.sample(&mut random)).collect();
        }
        (0..count)
            .map(|number| {
                let mut rest = number;
                let digit = |((low, high), leaf): (&(i128, i128), &Leaf)| {
                    let value = low + rest % (high - low + 1);
                    rest /= high - low + 1;
                    value as u64 & (u64::MAX >> (64 - leaf.ty.width))
                };
                ranges.iter().zip(&self.leaves).map(digit).collect()
            })
            .collect()
    }
}

/// What is asked: whether a pattern's value can be had with fewer instructions.
#[derive(Debug)]
pub struct Question<'a> {
    /// The pattern.
    pub pattern: &'a Instance,
    /// The number of lanes.
    pub lanes: u32,
    /// The values of its constants.
    pub constants: &'a BTreeMap<usize, i128>,
    /// Numbers that are in all lanes of registers besides, which may be read.
    pub numbers: &'a [u64],
    /// Instructions of a sequence, at most.
    pub instructions: u32,
    /// Steps that are run on samples, at most.
    pub states: u64,
}

/// Tries all sequences for a pattern whose variables and whose result are lanes of one width in one register each. `None` where the pattern
/// is no such one.
pub fn shortest(machine: &Machine<'_>, question: &Question<'_>, judge: &mut dyn Judge) -> Option<Tried> {
    let Question { pattern, lanes: lane_count, constants, numbers, .. } = *question;
    let width = pattern.window.ty().width;
    let is_lane = |(at, leaf): (usize, &Leaf)| {
        constants.contains_key(&at)
            || pattern.binds[at] == crate::text::Binds::Anything
                && (leaf.ty.lanes, leaf.ty.width) == (1, width)
    };
    let shape = Shape::of(lane_count, width, machine.widths)?;
    let fills = shape.count == 1 && shape.width == lane_count * width;
    if !fills || !pattern.conditions.is_empty() || !pattern.window.leaves.iter().enumerate().all(is_lane) {
        return None;
    }
    let lanes = lanes(machine.table, width, shape.width);
    let wanted = Wanted::new(pattern, constants)?;
    let mut random = Random::new(1);
    let mut samples: Vec<Vec<u64>> = (0..SAMPLES).map(|_| wanted.sample(&mut random)).collect();
    let mut tried = Tried { operations: lanes.len(), ..Tried::default() };
    let variables: Vec<usize> =
        (0..pattern.window.leaves.len()).filter(|at| !constants.contains_key(at)).collect();
    let mut memory = Memory::new();
    let mut rounds = 0;
    while tried.instructions < question.instructions {
        let target: Option<Vec<u64>> = samples.iter().map(|words| wanted.value(&mut memory, words)).collect();
        let target = target?;
        let own = variables.iter().map(|at| samples.iter().map(|words| words[*at]).collect());
        let values: Vec<Vec<u64>> =
            own.chain(numbers.iter().map(|number| vec![*number; samples.len()])).collect();
        let memories = lanes.iter().map(|_| Memory::new()).collect();
        let mut search = Search {
            lanes: &lanes,
            memories,
            target: &target,
            values,
            arity: lanes.iter().map(|lane| lane.slots as u32).max().unwrap_or(1),
            unread: 0,
            steps: Vec::new(),
            states: tried.states,
            limit: question.states,
        };
        let end = search.explore(tried.instructions + 1);
        tried.states = search.states;
        match end {
            End::Exhausted => tried.instructions += 1,
            End::Limit => {
                tried.ended = Some("states".into());
                break;
            }
            End::Reached(steps) => {
                if let Some(other) = differs(&lanes, &wanted, &steps, &variables, numbers) {
                    rounds += 1;
                    if rounds > MAX_ROUNDS {
                        tried.ended = Some("samples".into());
                        break;
                    }
                    samples.push(other);
                    continue;
                }
                let names: Vec<&str> = variables.iter().map(|at| pattern.name(*at)).collect();
                let sequence = sequence(machine.table, &lanes, &steps, &names, numbers, (width, shape.width));
                let proof = prove(machine, pattern, lane_count, &sequence, constants, judge);
                match proof {
                    Some((cost, _)) => tried.found = Some((sequence, cost)),
                    None => tried.ended = Some("a sequence that is neither proved nor refuted".into()),
                }
                break;
            }
        }
    }
    Some(tried)
}

/// Values of the variables for which a sequence is not the pattern.
fn differs(
    lanes: &[Lane],
    wanted: &Wanted,
    steps: &[Key],
    variables: &[usize],
    numbers: &[u64],
) -> Option<Vec<u64>> {
    let mut memories: Vec<Memory> = steps.iter().map(|_| Memory::new()).collect();
    let mut memory = Memory::new();
    wanted.trials().into_iter().find(|words| {
        let mut values: Vec<u64> =
            variables.iter().map(|at| words[*at]).chain(numbers.iter().copied()).collect();
        for ((number, operands), memory) in steps.iter().zip(&mut memories) {
            let lane = &lanes[*number];
            let own: Vec<u64> = operands[..lane.slots].iter().map(|at| values[usize::from(*at)]).collect();
            let value =
                lane.program.run_words(memory, &own).ok().map(|()| lane.program.result_words(memory, 0)[0]);
            values.push(value.unwrap_or(0));
        }
        wanted.value(&mut memory, words) != values.last().copied()
    })
}

/// Steps as instructions on registers, of lanes and registers of these widths.
fn sequence(
    table: &Table,
    lanes: &[Lane],
    steps: &[Key],
    variables: &[&str],
    numbers: &[u64],
    (width, bits): (u32, u32),
) -> Sequence {
    let constant = |number: &u64| Source::Constant {
        ty: format!("v{bits}"),
        container: width,
        lanes: vec![Scalar::Number(Number(number.to_string()))],
    };
    let variable = |name: &&str| Source::Variable { variable: (*name).to_owned(), register: 0 };
    let inputs: Vec<Source> = variables.iter().map(variable).chain(numbers.iter().map(constant)).collect();
    let name = |at: usize| match at.checked_sub(inputs.len()) {
        Some(step) => format!("t{step}"),
        None => format!("i{at}"),
    };
    let step = |(number, operands): &Key| {
        let op = table.op(lanes[*number].op);
        let of = |arg: usize| op.reads[0].iter().position(|(own, _)| *own as usize == arg).unwrap_or(0);
        Step {
            id: table.instructions[op.instruction].id.clone(),
            operands: (0..op.args.len()).map(|arg| name(usize::from(operands[of(arg)]))).collect(),
            immediates: op.choices.iter().map(|choice| Number(choice.to_string())).collect(),
            container: width,
        }
    };
    let steps: Vec<Step> = steps.iter().map(step).collect();
    let outputs = vec![format!("t{}", steps.len() - 1)];
    Sequence { inputs, steps, outputs, result: None }
}
