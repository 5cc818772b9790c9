//! One instruction for a whole window.
//!
//! What the search for states does not see of an instruction, because its lanes have no expression or its immediate was not asked
//! for, samples show: an instruction that gives the window's result on all of them is proved, as any program is. So immediates
//! are solved for, instead of being tried from a list.

use hydride_ir::Bits;
use hydride_ir::exact::NodeId;
use interp::inputs::{examples, number_width};
use interp::{Machine, Program as Compiled};
use search::{Class, Operand, Type, combinations};

use crate::alone::{choices_of_leaves, content};
use crate::certify::{Judge, Proof, certify};
use crate::contents::{Entry, Register, Wanted};
use crate::program::{Program, Value};
use crate::table::{Table, register_types};
use crate::window::Meaning;

/// Inputs that instructions are compared with a window on.
const SAMPLES: usize = 64;

/// Instructions that are proved, at most.
const MAX_PROVED: usize = 4;

/// A program of one instruction.
pub(crate) struct Single {
    /// The table, with the instruction's operation.
    pub table: Table,
    pub program: Program,
    pub proof: Proof,
}

/// An instruction that gives a window's result on all samples.
struct Candidate {
    instruction: usize,
    choices: Vec<i64>,
    registers: Vec<Register>,
    /// Of a number that is narrower than the result: whether its sign is above it there, or zeros.
    extended: Option<bool>,
}

/// The cheapest instruction that gives a window's result for whole leaves; `entries` are what its lanes hold.
pub(crate) fn single(
    meaning: &mut Meaning<'_>,
    table: &Table,
    entries: &[Entry],
    results: &[NodeId],
    judge: &mut dyn Judge,
) -> Option<Single> {
    let window = meaning.window();
    // Of what may be assumed of leaves no sample is made.
    if !window.assumptions.is_empty() || window.leaves.iter().any(|leaf| leaf.range.is_some()) {
        return None;
    }
    for found in candidates(meaning, table)?.into_iter().take(MAX_PROVED) {
        let mut table = table.clone();
        let op = table.take(found.instruction, &found.choices)?;
        let result = table.op(op).result;
        let container = if found.extended.is_some() { result.width } else { window.ty().width };
        let entries: Vec<Entry> = entries.iter().map(|entry| low_bits(meaning, *entry, container)).collect();
        let mut program = Program { container, extended: found.extended, ..Program::default() };
        let places = register_types(&table.instructions[found.instruction]).into_iter().zip(found.registers);
        let operands = places.map(|(ty, own)| register(meaning, &mut program, ty, own)).collect();
        let step = program.step(op, operands, program.container, &entries);
        program.outputs.push((step, entries));
        program.output_type = Some(result);
        if let Ok(proof) = certify(meaning, &table, &program, results, judge) {
            return Some(Single { table, program, proof });
        }
    }
    None
}

/// A number of some bits in more, up to 64.
fn extend(number: u64, from: u32, to: u32, signed: bool) -> u64 {
    let above = 64 - from;
    let number = if signed { ((number << above).cast_signed() >> above).cast_unsigned() } else { number };
    number & (u64::MAX >> (64 - to))
}

/// The low bits of what a container holds.
fn low_bits(meaning: &mut Meaning<'_>, entry: Entry, width: u32) -> Entry {
    let mut low = |value| meaning.dag.slice(value, 0, width, false);
    match entry {
        Entry::Value(value, lane) => Entry::Value(low(value), lane),
        Entry::Uniform(value) => Entry::Uniform(low(value)),
        Entry::Any | Entry::Element(_) => entry,
    }
}

/// A register of a leaf as an input.
fn register(meaning: &mut Meaning<'_>, program: &mut Program, ty: Type, register: Register) -> Value {
    let (container, content) = content(meaning, ty, register);
    let (leaf, number) = register;
    let is_scalar = meaning.window().leaves[leaf as usize].scalar;
    let wanted = Wanted { ty, container, registers: Vec::new() };
    match is_scalar {
        true => program.constant(&wanted, &content),
        false => program.load(leaf, i64::from(number) * content.len() as i64, &wanted, &content),
    }
}

/// The instructions that give a window's result on all samples, the cheapest first.
fn candidates(meaning: &mut Meaning<'_>, table: &Table) -> Option<Vec<Candidate>> {
    let window = meaning.window();
    let function = meaning.function().ok()?;
    let args: Vec<(u32, Option<(i64, i64)>)> =
        window.leaves.iter().map(|leaf| (leaf.ty.bits(), None)).collect();
    // Those that are random come last, and tell most apart.
    let mut samples = examples(&args, number_width(&function), SAMPLES, 0);
    samples.reverse();
    let own = Compiled::new(&function).ok()?;
    let mut machine = Machine::new();
    let mut wanted = Vec::new();
    for sample in &samples {
        own.run_into(&mut machine, sample).ok()?;
        wanted.push(own.result_words(&machine, 0).to_vec());
    }
    let mut found = Vec::new();
    for (at, instruction) in table.taken() {
        let (result, bits) = (instruction.result, window.ty().bits());
        let narrow = window.number && result.class == Class::Scalar && result.width < bits && bits <= 64;
        if result.class == Class::Memory || result.width != bits && !narrow {
            continue;
        }
        let extensions: &[Option<bool>] = if narrow { &[Some(false), Some(true)] } else { &[None] };
        let leaves = choices_of_leaves(window, &instruction.operands);
        if leaves.is_empty() {
            continue;
        }
        let Some(compiled) = table.compiled(at) else { continue };
        for registers in leaves {
            // One leaf an operand.
            let mut rest = registers.iter();
            let leaf = |operand: &Operand| {
                let count = operand.registers().len();
                let leaf = (count > 0).then(|| rest.next()).flatten()?.0 as usize;
                rest.by_ref().take(count - 1).count();
                Some(leaf)
            };
            let leaves: Vec<Option<usize>> = instruction.operands.iter().map(leaf).collect();
            for choices in combinations(&instruction.operands) {
                let mut left = extensions.to_vec();
                let mut gives = |(sample, wanted): (&Vec<Bits>, &Vec<u64>)| {
                    let mut immediates = choices.iter();
                    let arg = |(operand, leaf): (&Operand, &Option<usize>)| match (operand, leaf) {
                        (Operand::Choice { width, .. }, _) => {
                            Bits::from_u64(*width, *immediates.next()? as u64).into()
                        }
                        (_, leaf) => Some(sample[(*leaf)?].clone()),
                    };
                    let args: Option<Vec<Bits>> = instruction.operands.iter().zip(&leaves).map(arg).collect();
                    args.is_some_and(|args| {
                        if compiled.run_into(&mut machine, &args).is_err() {
                            return false;
                        }
                        let words = compiled.result_words(&machine, 0);
                        left.retain(|extended| match extended {
                            None => words == &wanted[..],
                            Some(signed) => extend(words[0], result.width, bits, *signed) == wanted[0],
                        });
                        !left.is_empty()
                    })
                };
                if samples.iter().zip(&wanted).all(&mut gives) {
                    found.push(Candidate {
                        instruction: at,
                        choices,
                        registers: registers.clone(),
                        extended: left[0],
                    });
                }
            }
        }
    }
    found.sort_by_key(|own| {
        let instruction = &table.instructions[own.instruction];
        let taken_out = window.number && instruction.result.class == Class::Vector;
        (taken_out, instruction.uops, instruction.latency, instruction.rank)
    });
    Some(found)
}
