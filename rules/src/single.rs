//! Whether single instructions make the registers of a pattern's result, whatever the widths of its lanes are.
//!
//! Each register of a result is what some instruction writes. Where no instruction makes one of them from the registers that are there
//! before, one more is needed:
//!
//! ```text
//! saturating_cast:u8 of lanes of 16 bits in two registers: no single instruction    →    packuswb and vpermq are the fewest
//! ```
//!
//! Operands are registers of the pattern's variables, the lower halves of these, or pairs of them where instructions write such pairs, and
//! registers and scalars that are one number in all lanes. Instructions with more than four operands, and those whose lanes read more than sixteen numbers
//! or one of more than 64 bits, are not tried.

use std::collections::{BTreeMap, BTreeSet};

use hydride_ir::Random;
use interp::{Machine as Memory, Program};
use search::{Class, Type as Register, specialize};
use synth::certify::Judge;
use synth::table::{Op, OpId, Table, TemplateId};

use crate::bindings::Number;
use crate::lowering::{Machine, is_fixed, prove};
use crate::scalar::Scalar;
use crate::sequence::{Sequence, Shape, Source, Step, register_text};
use crate::shortest::{Question, Tried, Wanted};
use crate::text::Binds;

/// Registers full of samples.
const SAMPLES: usize = 2;

/// Numbers that a lane of an instruction reads, at most.
const MAX_SLOTS: usize = 16;

/// Operands of an instruction, at most.
const MAX_OPERANDS: usize = 4;

/// Bits of a register in each sample.
type Bits = Vec<Vec<u64>>;

/// A register that an instruction can read.
struct Operand {
    ty: Register,
    bits: Bits,
    /// What it is in a sequence: `i0`, `low(i1)`.
    text: String,
}

/// Some bits of a register, lowest first; at most 64.
fn slice(words: &[u64], low: u32, width: u32) -> u64 {
    let (word, shift) = ((low / 64) as usize, low % 64);
    let below = words.get(word).copied().unwrap_or(0) >> shift;
    let above = match shift {
        0 => 0,
        _ => words.get(word + 1).copied().unwrap_or(0) << (64 - shift),
    };
    (below | above) & (u64::MAX >> (64 - width))
}

/// Lanes of one width side by side.
fn joined(lanes: impl Iterator<Item = u64>, width: u32) -> Vec<u64> {
    let (mut words, mut low) = (Vec::new(), 0);
    for lane in lanes {
        if low % 64 == 0 {
            words.push(0);
        }
        if let Some(word) = words.last_mut() {
            *word |= lane << (low % 64);
        }
        low += width;
    }
    words
}

/// The registers that operands are taken from, with what they hold.
#[derive(Default)]
struct Sources {
    sources: Vec<Source>,
    operands: Vec<Operand>,
}

impl Sources {
    fn add(&mut self, source: Source, ty: Register, bits: Bits) {
        let text = format!("i{}", self.sources.len());
        self.sources.push(source);
        self.operands.push(Operand { ty, bits, text });
    }

    /// A number in all lanes of a register, and as a scalar.
    fn number(&mut self, number: u64, container: u32, types: &BTreeSet<Register>) {
        for ty in types {
            if !ty.width.is_multiple_of(container) {
                continue;
            }
            let words = joined(std::iter::repeat_n(number, (ty.width / container) as usize), container);
            if self.operands.iter().any(|own| own.ty == *ty && own.bits[0] == words) {
                continue;
            }
            let lanes = vec![Scalar::Number(Number(number.to_string()))];
            let source = Source::Constant { ty: register_text(*ty), container, lanes };
            self.add(source, *ty, vec![words; SAMPLES]);
        }
    }

    /// Lower halves of what registers hold, down to those of this width.
    fn halves(&mut self, least: u32) {
        let mut at = 0;
        while let Some(own) = self.operands.get(at) {
            let half = Register { width: own.ty.width / 2, ..own.ty };
            if own.ty.class == Class::Vector && half.width >= least {
                let lanes = |own: &Vec<u64>| {
                    let each = half.width.min(64);
                    joined((0..half.width / each).map(|at| slice(own, at * each, each)), each)
                };
                let bits: Bits = own.bits.iter().map(lanes).collect();
                let text = format!("low({})", own.text);
                if !self.operands.iter().any(|own| own.ty == half && own.bits == bits) {
                    self.operands.push(Operand { ty: half, bits, text });
                }
            }
            at += 1;
        }
    }

    /// All pairs of registers of this width.
    fn pairs(&mut self, width: u32) {
        let is_one = |own: &&Operand| own.ty == Register { class: Class::Vector, width };
        let singles: Vec<&Operand> = self.operands.iter().filter(is_one).collect();
        let pair = |low: &Operand, high: &Operand| Operand {
            ty: Register { class: Class::Vector, width: 2 * width },
            bits: low.bits.iter().zip(&high.bits).map(|(low, high)| [&low[..], high].concat()).collect(),
            text: format!("pair({},{})", low.text, high.text),
        };
        let pairs: Vec<Operand> =
            singles.iter().flat_map(|low| singles.iter().map(|high| pair(low, high))).collect();
        self.operands.extend(pairs);
    }
}

/// Instructions as functions of their lanes.
struct Lanes<'t> {
    table: &'t Table,
    programs: BTreeMap<TemplateId, Option<(Program, Memory)>>,
}

impl Lanes<'_> {
    /// Whether bits of an operation's result, from `place` on, are these in all samples, as far as they are no constants.
    fn makes(&mut self, op: &Op, operands: &[&Operand], place: u32, wanted: &Bits) -> bool {
        let container = self.table.template(op.template).container;
        let count = wanted[0].len() as u32 * 64 / container;
        let first = place / container;
        (first..first + count).all(|lane| {
            (0..SAMPLES).all(|sample| {
                let bits = slice(&wanted[sample], (lane - first) * container, container);
                self.lane(op, operands, lane, sample).is_none_or(|own| own == bits)
            })
        })
    }

    /// Whether what an operation gives can be said: its lanes read a few numbers of at most 64 bits.
    fn can_run(&self, op: &Op) -> bool {
        op.lanes.iter().chain([&op.template]).all(|id| {
            let slots = &self.table.template(*id).slots;
            slots.len() <= MAX_SLOTS && slots.iter().all(|slot| *slot <= 64)
        })
    }

    /// What an operation gives in a lane; `None` where it is a constant.
    fn lane(&mut self, op: &Op, operands: &[&Operand], lane: u32, sample: usize) -> Option<u64> {
        let reads = op.reads.get(lane as usize)?;
        let id = op.lanes.get(lane as usize).copied().unwrap_or(op.template);
        let template = self.table.template(id);
        if reads.is_empty() {
            let kept = operands.get(op.keeps? as usize)?;
            return Some(slice(&kept.bits[sample], lane * template.container, template.container));
        }
        let mut words = [0; MAX_SLOTS];
        for ((word, (arg, low)), width) in words.iter_mut().zip(reads).zip(&template.slots) {
            *word = slice(&operands[*arg as usize].bits[sample], *low, *width);
        }
        let compiled = || Some((Program::new(&template.function).ok()?, Memory::new()));
        let (program, memory) = self.programs.entry(id).or_insert_with(compiled).as_mut()?;
        program.run_words(memory, &words[..template.slots.len()]).ok()?;
        program.result_words(memory, 0).first().copied()
    }
}

/// A register of the result, or two as a pair, that an instruction is looked for that writes it as a part of its own result.
struct Part {
    wanted: Bits,
    /// The width of the instruction's result, and where in it the part begins.
    places: Vec<(u32, u32)>,
}

/// An instruction that writes a part: the operation, its operands, and where the part begins.
type Written = (OpId, Vec<usize>, u32);

struct Search<'a, 't> {
    lanes: Lanes<'t>,
    operands: &'a [Operand],
    states: u64,
    limit: u64,
}

impl Search<'_, '_> {
    /// A single instruction that writes a part; `Err` where there are too many to try.
    fn written(&mut self, part: &Part) -> Result<Option<Written>, &'static str> {
        let table = self.lanes.table;
        for number in 0..table.size().0 {
            let id = OpId(number as u32);
            let op = table.op(id);
            if op.args.len() > MAX_OPERANDS || !self.lanes.can_run(op) {
                continue;
            }
            let places = part
                .places
                .iter()
                .filter(|(width, _)| op.result == Register { class: Class::Vector, width: *width });
            for (_, place) in places {
                if let Some(operands) = self.of(op, *place, &part.wanted)? {
                    return Ok(Some((id, operands, *place)));
                }
            }
        }
        Ok(None)
    }

    /// Whether an operation's whole function gives these bits, with lanes that are constants.
    fn holds(&self, op: &Op, operands: &[&Operand], place: u32, wanted: &Bits) -> bool {
        let instruction = &self.lanes.table.instructions[op.instruction];
        let function = specialize(instruction, &op.choices);
        let Some(program) = function.and_then(|function| Program::new(&function).ok()) else { return false };
        let mut memory = Memory::new();
        (0..SAMPLES).all(|sample| {
            let words: Vec<u64> = operands.iter().flat_map(|own| own.bits[sample].iter().copied()).collect();
            let first = (place / 64) as usize;
            program.run_words(&mut memory, &words).is_ok()
                && program.result_words(&memory, 0)[first..].starts_with(&wanted[sample])
        })
    }

    /// Operands with which an operation writes a part.
    fn of(&mut self, op: &Op, place: u32, wanted: &Bits) -> Result<Option<Vec<usize>>, &'static str> {
        let all = self.operands;
        let choices: Vec<Vec<usize>> =
            op.args.iter().map(|ty| (0..all.len()).filter(|at| all[*at].ty == *ty).collect()).collect();
        if choices.is_empty() || choices.iter().any(Vec::is_empty) {
            return Ok(None);
        }
        let mut digits = vec![0; choices.len()];
        loop {
            if self.states >= self.limit {
                return Err("states");
            }
            self.states += 1;
            let chosen: Vec<usize> = digits.iter().zip(&choices).map(|(digit, own)| own[*digit]).collect();
            let operands: Vec<&Operand> = chosen.iter().map(|at| &all[*at]).collect();
            if self.lanes.makes(op, &operands, place, wanted) && self.holds(op, &operands, place, wanted) {
                return Ok(Some(chosen));
            }
            let Some(next) = (0..digits.len()).rev().find(|at| digits[*at] + 1 < choices[*at].len()) else {
                return Ok(None);
            };
            digits[next] += 1;
            digits[next + 1..].fill(0);
        }
    }
}

/// What the pattern's variables and numbers are in registers, and what its result is: samples of it.
fn samples(
    machine: &Machine<'_>,
    question: &Question<'_>,
    wanted: &Wanted,
    paired: bool,
) -> Option<(Sources, Vec<Bits>)> {
    let Question { pattern, lanes, constants, numbers, .. } = *question;
    let (mut random, mut memory) = (Random::new(1), Memory::new());
    let mut values: Vec<Vec<Vec<u64>>> = Vec::new();
    for _ in 0..SAMPLES {
        values.push((0..lanes).map(|_| wanted.sample(&mut random)).collect());
    }
    let registers = |shape: Shape, width: u32, lane: &mut dyn FnMut(usize, usize) -> Option<u64>| {
        let each = (shape.width / width) as usize;
        (0..shape.count as usize)
            .map(|register| {
                let bits = (0..SAMPLES).map(|sample| {
                    let all: Option<Vec<u64>> =
                        (register * each..(register + 1) * each).map(|at| lane(sample, at)).collect();
                    Some(joined(all?.into_iter(), width))
                });
                bits.collect::<Option<Bits>>()
            })
            .collect::<Option<Vec<Bits>>>()
    };
    let vector = |width: u32| Register { class: Class::Vector, width };
    let mut sources = Sources::default();
    let mut widths: BTreeSet<u32> = BTreeSet::from([pattern.window.ty().width]);
    for (at, leaf) in pattern.window.leaves.iter().enumerate() {
        widths.insert(leaf.ty.width);
        let shape = Shape::of(lanes, leaf.ty.width, machine.widths)?;
        if pattern.binds[at] == Binds::Constant {
            continue;
        }
        let all = registers(shape, leaf.ty.width, &mut |sample, lane| Some(values[sample][lane][at]))?;
        for (register, bits) in (0..).zip(all) {
            sources.add(
                Source::Variable { variable: leaf.name.clone(), register },
                vector(shape.width),
                bits,
            );
        }
    }
    let scalars = [8, 16, 32, 64].map(|width| Register { class: Class::Scalar, width });
    let types: BTreeSet<Register> =
        machine.widths.iter().map(|width| vector(*width)).chain(scalars).collect();
    for width in widths {
        let mask = u64::MAX >> (64 - width);
        let own = constants.values().map(|value| *value as u64 & mask);
        let rule = numbers.iter().copied().filter(|_| width == pattern.window.ty().width);
        for number in [0, 1, mask, 1 << (width - 1), mask >> 1].into_iter().chain(own).chain(rule) {
            sources.number(number, width, &types);
        }
    }
    match (machine.widths.first(), machine.widths.last()) {
        (_, Some(widest)) if paired => sources.pairs(*widest),
        (Some(least), _) => sources.halves(*least),
        _ => {}
    }
    let ty = pattern.window.ty();
    let result = registers(Shape::of(lanes, ty.width, machine.widths)?, ty.width, &mut |sample, lane| {
        wanted.value(&mut memory, &values[sample][lane])
    })?;
    Some((sources, result))
}

/// The least number of instructions that a result of so many registers takes, with the parts of it of which at least one is no single
/// instruction if it takes more.
fn parts(result: &[Bits], width: u32, paired: bool) -> (u32, Vec<Part>) {
    let count = result.len() as u32;
    let single = |wanted: &Bits, places: Vec<(u32, u32)>| Part { wanted: wanted.clone(), places };
    match (paired, result) {
        (false, _) => (count, result.iter().map(|own| single(own, vec![(width, 0)])).collect()),
        (true, [one]) => (1, vec![single(one, vec![(width, 0), (2 * width, 0), (2 * width, width)])]),
        (true, [low, high]) => {
            let wanted = low.iter().zip(high).map(|(low, high)| [&low[..], high].concat()).collect();
            (1, vec![Part { wanted, places: vec![(2 * width, 0)] }])
        }
        (true, _) => (count.div_ceil(2), Vec::new()),
    }
}

/// Tries single instructions for each register of a pattern's result. `None` where the pattern has conditions or scalars, or is of
/// vectors.
pub fn single(machine: &Machine<'_>, question: &Question<'_>, judge: &mut dyn Judge) -> Option<Tried> {
    let Question { pattern, lanes, constants, .. } = *question;
    let is_bound = |(at, binds): (usize, &Binds)| match binds {
        Binds::Anything => true,
        Binds::Constant => constants.contains_key(&at),
        Binds::Uniform => false,
    };
    let all = pattern.binds.iter().enumerate().all(is_bound);
    if is_fixed(pattern) || !pattern.conditions.is_empty() || !all {
        return None;
    }
    let table = machine.table;
    let widest = *machine.widths.last()?;
    let pair = Register { class: Class::Vector, width: 2 * widest };
    let paired = table.instructions.iter().any(|own| own.result == pair);
    let wanted = Wanted::new(pattern, constants)?;
    let shape = Shape::of(lanes, pattern.window.ty().width, machine.widths)?;
    let (sources, result) = samples(machine, question, &wanted, paired)?;
    let (least, parts) = parts(&result, shape.width, paired);
    let mut tried = Tried { instructions: least - 1, operations: table.size().0, ..Tried::default() };
    if question.instructions < least {
        return Some(tried);
    }
    let lanes_of = Lanes { table, programs: BTreeMap::new() };
    let mut search =
        Search { lanes: lanes_of, operands: &sources.operands, states: 0, limit: question.states };
    let mut steps: Vec<Written> = Vec::new();
    for part in &parts {
        let written = search.written(part);
        tried.states = search.states;
        match written {
            Ok(Some(written)) => steps.push(written),
            Ok(None) => {
                tried.instructions = least;
                tried.ended =
                    (least < question.instructions).then(|| "more than one instruction a register".into());
                return Some(tried);
            }
            Err(why) => {
                tried.ended = Some(why.into());
                return Some(tried);
            }
        }
    }
    if steps.is_empty() {
        tried.ended = Some("pairs of registers".into());
        return Some(tried);
    }
    let sequence = sequence(table, sources, &steps, (shape.width, paired && result.len() == 2));
    match prove(machine, pattern, lanes, &sequence, constants, judge) {
        Some((cost, _)) => tried.found = Some((sequence, cost)),
        None => tried.ended = Some("instructions that are neither proved nor refuted".into()),
    }
    Some(tried)
}

/// Instructions that write the parts of a result of registers of so many bits, or of one pair of these.
fn sequence(table: &Table, sources: Sources, steps: &[Written], (width, is_pair): (u32, bool)) -> Sequence {
    let step = |(id, operands, _): &Written| {
        let op = table.op(*id);
        Step {
            id: table.instructions[op.instruction].id.clone(),
            operands: operands.iter().map(|at| sources.operands[*at].text.clone()).collect(),
            immediates: op.choices.iter().map(|choice| Number(choice.to_string())).collect(),
            container: table.template(op.template).container,
        }
    };
    let output = |(at, (id, _, place)): (usize, &Written)| {
        let is_wider = table.op(*id).result.width > width;
        match (is_pair, is_wider, *place) {
            (true, ..) => vec![format!("low(t{at})"), format!("high(t{at})")],
            (_, true, 0) => vec![format!("low(t{at})")],
            (_, true, _) => vec![format!("high(t{at})")],
            _ => vec![format!("t{at}")],
        }
    };
    let outputs = steps.iter().enumerate().flat_map(output).collect();
    Sequence { steps: steps.iter().map(step).collect(), outputs, inputs: sources.sources, result: None }
}

#[cfg(test)]
mod tests {
    use super::{joined, slice};

    #[test]
    fn lanes_are_where_they_were_put() {
        for width in [8, 16, 32, 64] {
            let mask = u64::MAX >> (64 - width);
            let lane = |at: u32| u64::from(at + 1).wrapping_mul(0x9e37_79b9_7f4a_7c15) & mask;
            let words = joined((0..256 / width).map(lane), width);
            assert_eq!(words.len(), 4);
            assert!((0..256 / width).all(|at| slice(&words, at * width, width) == lane(at)));
        }
        assert_eq!(slice(&[0xab << 56, 0xcd], 56, 16), 0xcdab);
    }
}
