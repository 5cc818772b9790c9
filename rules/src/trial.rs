//! Rules run on random values: each instruction by the interpreter on the function that its document gives, the pattern by the
//! interpreter on the function that its expressions are.
//!
//! No code is shared with the proofs: these run symbolically on the graph of exact integers.

use std::collections::BTreeMap;

use hydride_ir::{Bits, Random};
use interp::Program as Runnable;
use search::specialize;
use synth::contents::Entry;
use synth::program::{Program, Value};
use synth::table::Table;
use synth::window::{Meaning, Window, limits};

use crate::lowering::{Lowering, Machine, alone, vectors};
use crate::text::Binds;

/// What came of runs.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Trial {
    /// Runs.
    pub runs: usize,
    /// Runs with another result than the pattern's.
    pub mismatches: usize,
}

/// Bits `low .. low + width` of a value.
fn part(bits: &Bits, low: u32, width: u32) -> Bits {
    let mut words = vec![0u64; width.div_ceil(64) as usize];
    for at in (0..width).filter(|at| bits.bit(low + at)) {
        words[(at / 64) as usize] |= 1 << (at % 64);
    }
    Bits::from_words(width, words)
}

fn joined(parts: &[Bits]) -> Bits {
    let width = parts.iter().map(Bits::width).sum();
    let (mut words, mut low) = (vec![0u64; u32::div_ceil(width, 64) as usize], 0);
    for part in parts {
        for at in (0..part.width()).filter(|at| part.bit(*at)) {
            words[((low + at) / 64) as usize] |= 1 << ((low + at) % 64);
        }
        low += part.width();
    }
    Bits::from_words(width, words)
}

/// A program with what it takes to run it.
struct Runner<'a> {
    program: &'a Program,
    steps: Vec<Runnable>,
    constants: Vec<Option<Bits>>,
}

impl<'a> Runner<'a> {
    fn new(meaning: &mut Meaning<'_>, table: &Table, program: &'a Program) -> Option<Self> {
        let mut steps = Vec::new();
        for step in &program.steps {
            let op = table.op(step.op);
            steps.push(Runnable::new(&specialize(&table.instructions[op.instruction], &op.choices)?).ok()?);
        }
        let mut constants = Vec::new();
        for input in &program.inputs {
            if input.load.is_some() {
                constants.push(None);
                continue;
            }
            let mut lanes = Vec::new();
            for entry in &input.content {
                let value = match entry {
                    Entry::Uniform(value) => u64::try_from(meaning.dag.as_int(*value)?).ok()?,
                    _ => 0,
                };
                lanes.push(Bits::from_u64(input.container, value));
            }
            constants.push(Some(joined(&lanes)));
        }
        Some(Self { program, steps, constants })
    }

    fn value(&self, value: &Value, inputs: &[Bits], steps: &[Bits]) -> Bits {
        let half = |pair: &Value, high: u32| {
            let whole = self.value(pair, inputs, steps);
            part(&whole, high * whole.width() / 2, whole.width() / 2)
        };
        match value {
            Value::Input(at) => inputs[*at].clone(),
            Value::Step(at) => steps[*at].clone(),
            Value::Low(pair) => half(pair, 0),
            Value::High(pair) => half(pair, 1),
            Value::Pair(two) => {
                joined(&[self.value(&two.0, inputs, steps), self.value(&two.1, inputs, steps)])
            }
        }
    }

    /// The lanes of the result for these leaves.
    fn run(&self, window: &Window, leaves: &[Bits]) -> Option<Bits> {
        let mut inputs = Vec::new();
        for (input, constant) in self.program.inputs.iter().zip(&self.constants) {
            inputs.push(match (input.load, constant) {
                (Some((leaf, start)), _) => {
                    let leaf = leaf as usize;
                    let ty = window.leaves[leaf].ty;
                    let low = u32::try_from(start).ok()? * ty.width;
                    let width = input.ty.width.min(ty.bits() - low);
                    joined(
                        &[part(&leaves[leaf], low, width), Bits::zero(input.ty.width - width)]
                            [..1 + usize::from(width < input.ty.width)],
                    )
                }
                (None, Some(constant)) => constant.clone(),
                (None, None) => return None,
            });
        }
        let mut steps = Vec::new();
        for (step, runnable) in self.program.steps.iter().zip(&self.steps) {
            let args: Vec<Bits> =
                step.operands.iter().map(|value| self.value(value, &inputs, &steps)).collect();
            steps.push(runnable.run(&args).ok()?.into_iter().next()?);
        }
        let mut lanes = Vec::new();
        for (value, content) in &self.program.outputs {
            let count = content.iter().filter(|entry| **entry != Entry::Any).count() as u32;
            lanes.push(part(&self.value(value, &inputs, &steps), 0, count * self.program.container));
        }
        Some(joined(&lanes))
    }
}

/// Runs a rule on so many random values, for random choices of its constant and of its variables that are the same in all lanes.
pub fn trial(machine: &Machine<'_>, rule: &Lowering, runs: usize, seed: u64) -> Trial {
    let mut random = Random::new(seed);
    let mut trial = Trial::default();
    let binds = &rule.pattern.binds;
    let chosen: Vec<usize> = (0..binds.len()).filter(|at| binds[*at] != Binds::Anything).collect();
    let choices = if chosen.is_empty() { 1 } else { 4.min(runs) };
    for choice in 0..choices {
        let mut values = BTreeMap::new();
        for at in &chosen {
            let leaf = &rule.pattern.window.leaves[*at];
            let (low, high) = leaf.range.unwrap_or(limits(leaf.ty));
            let offset = i128::from(random.word() % u64::try_from(high - low + 1).unwrap_or(u64::MAX));
            values.insert(*at, if choice == 0 { low } else { low + offset });
        }
        let window = vectors(&rule.pattern, rule.lanes, &values);
        let mut meaning = Meaning::new(&window);
        let mut table = machine.table.clone();
        let own = |name: &str| {
            let (at, value) = values.iter().find(|(at, _)| rule.pattern.name(**at) == name)?;
            let width = rule.pattern.window.leaves[*at].ty.width;
            Some(match rule.pattern.binds[*at] {
                Binds::Uniform => value.rem_euclid(1 << width),
                _ => *value,
            })
        };
        let Some(program) = alone(machine, &mut table, &mut meaning, &rule.sequence, &own) else {
            return trial;
        };
        let runner = Runner::new(&mut meaning, &table, &program);
        let pattern = meaning.function().ok().and_then(|function| Runnable::new(&function).ok());
        let (Some(runner), Some(pattern)) = (runner, pattern) else { return trial };
        for _ in 0..runs / choices {
            let leaves: Vec<Bits> = window.leaves.iter().map(|leaf| elements(leaf, &mut random)).collect();
            let found = runner.run(&window, &leaves);
            let wanted = pattern.run(&leaves).ok().and_then(|results| results.into_iter().next());
            trial.runs += 1;
            trial.mismatches += usize::from(found.is_none() || found != wanted);
        }
    }
    trial
}

/// Random elements of a leaf within its range; every other one near the ends of its type.
fn elements(leaf: &synth::window::Leaf, random: &mut Random) -> Bits {
    let (low, high) = leaf.range.unwrap_or(limits(leaf.ty));
    let mask = u64::MAX >> (64 - leaf.ty.width);
    let lanes: Vec<Bits> = (0..leaf.ty.lanes)
        .map(|_| {
            let ends = [low, low + 1, high - 1, high, 0, 1, -1];
            let word = i128::from(random.word());
            let value = match random.word() % 2 {
                0 => random.pick(&ends),
                _ => low + word % (high - low + 1).max(1),
            };
            Bits::from_u64(leaf.ty.width, value.clamp(low, high) as u64 & mask)
        })
        .collect();
    joined(&lanes)
}
