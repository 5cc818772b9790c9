//! One instruction for a whole window.
//!
//! What the search for states does not see of an instruction, because its lanes have no expression or its immediate was not asked
//! for, samples show: an instruction that gives the window's result on all of them is proved, as any program is. So immediates
//! are solved for, instead of being tried from a list.

use hydride_ir::exact::NodeId;
use hydride_ir::{Bits, Function};
use interp::inputs::{examples, number_width};
use interp::{Machine, Program as Compiled};
use search::{Class, Instruction, Operand, Type, combinations};

use crate::alone::{choices_of_leaves, content};
use crate::certify::{Judge, Proof, certify};
use crate::contents::{Entry, Register, Wanted};
use crate::program::{Program, Value};
use crate::table::{Table, register_types};
use crate::window::{Meaning, Window};

/// How many inputs instructions are compared with a window on.
const SAMPLES: usize = 64;

/// Instructions that are proved, at most.
const MAX_PROVED: usize = 4;

/// A program that is proved.
pub(crate) struct Proved {
    /// The table, with its operations.
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

/// Inputs that instructions are compared with a window on.
pub(crate) struct Examples {
    /// What leaves are on each of them, and what is computed before.
    pub samples: Vec<Vec<Bits>>,
    /// The result's words.
    wanted: Vec<Vec<u64>>,
}

/// What is done before a last instruction.
pub(crate) struct Before<'a> {
    pub program: Program,
    /// A window with the leaves that the instruction may read.
    pub leaves: &'a Window,
    /// What the last one of these is, where it is computed, and its register.
    pub computed: Option<(Value, Type)>,
}

/// The cheapest instruction that gives a window's result for whole leaves; `entries` are what its lanes hold.
pub(crate) fn single(
    meaning: &mut Meaning<'_>,
    table: &Table,
    entries: &[Entry],
    results: &[NodeId],
    judge: &mut dyn Judge,
) -> Option<Proved> {
    let leaves = meaning.window();
    let examples = Examples::new(meaning)?;
    let before = Before { program: Program::default(), leaves, computed: None };
    last(meaning, table, &before, &examples, entries, results, judge)
}

/// The cheapest last instruction.
pub(crate) fn last(
    meaning: &mut Meaning<'_>,
    table: &Table,
    before: &Before<'_>,
    examples: &Examples,
    entries: &[Entry],
    results: &[NodeId],
    judge: &mut dyn Judge,
) -> Option<Proved> {
    let width = meaning.window().ty().width;
    for found in candidates(before, examples, table).into_iter().take(MAX_PROVED) {
        let mut table = table.clone();
        let op = table.take(found.instruction, &found.choices)?;
        let result = table.op(op).result;
        let container = if found.extended.is_some() { result.width } else { width };
        let entries: Vec<Entry> = entries.iter().map(|entry| low_bits(meaning, *entry, container)).collect();
        let mut program = before.program.clone();
        let computed = before.computed.as_ref().map(|(value, _)| value);
        let operands =
            operands(meaning, &table, &mut program, (found.instruction, &found.registers), computed);
        let step = program.step(op, operands, container, &entries);
        (program.container, program.extended) = (container, found.extended);
        program.outputs = vec![(step, entries)];
        program.output_type = Some(result);
        if let Ok(proof) = certify(meaning, &table, &program, results, judge) {
            return Some(Proved { table, program, proof });
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

/// What an instruction's operands are on a sample, where they are these leaves, with these immediates.
pub(crate) fn arguments(
    operands: &[Operand],
    leaves: &[Option<usize>],
    choices: &[i64],
    sample: &[Bits],
) -> Option<Vec<Bits>> {
    let mut immediates = choices.iter();
    let argument = |(operand, leaf): (&Operand, &Option<usize>)| match (operand, leaf) {
        (Operand::Choice { width, .. }, _) => Some(Bits::from_u64(*width, *immediates.next()? as u64)),
        (_, leaf) => Some(sample[(*leaf)?].clone()),
    };
    operands.iter().zip(leaves).map(argument).collect()
}

/// The leaf that each operand is, with these registers; `None` for an immediate.
pub(crate) fn leaves_of(operands: &[Operand], registers: &[Register]) -> Vec<Option<usize>> {
    let mut rest = registers.iter();
    let leaf = |operand: &Operand| {
        let count = operand.registers().len();
        let leaf = (count > 0).then(|| rest.next()).flatten()?.0 as usize;
        rest.by_ref().take(count - 1).count();
        Some(leaf)
    };
    operands.iter().map(leaf).collect()
}

/// Registers of leaves as an instruction's operands; a leaf beyond the window's is what was computed.
pub(crate) fn operands(
    meaning: &mut Meaning<'_>,
    table: &Table,
    program: &mut Program,
    (instruction, registers): (usize, &[Register]),
    computed: Option<&Value>,
) -> Vec<Value> {
    let types = register_types(&table.instructions[instruction]);
    let operand = |(ty, own): (Type, &Register)| match computed {
        Some(value) if own.0 as usize == meaning.window().leaves.len() => value.clone(),
        _ => register(meaning, program, ty, *own),
    };
    types.into_iter().zip(registers).map(operand).collect()
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

/// What leaves are on each of some inputs of a window's function; those that tell most apart come first.
fn samples(window: &Window, function: &Function) -> Vec<Vec<Bits>> {
    let args: Vec<(u32, Option<(i64, i64)>)> =
        window.leaves.iter().map(|leaf| (leaf.ty.bits(), None)).collect();
    // Those that are random come last.
    let mut samples = examples(&args, number_width(function), SAMPLES, 0);
    samples.reverse();
    samples
}

impl Before<'_> {
    /// Whether an instruction reads what was computed, in its own register.
    fn admits(&self, instruction: &Instruction, registers: &[Register]) -> bool {
        let Some((_, ty)) = &self.computed else { return true };
        let last = self.leaves.leaves.len() as u32 - 1;
        let mut own = register_types(instruction).into_iter().zip(registers);
        own.find(|(_, own)| own.0 == last).is_some_and(|(own, _)| own == *ty)
    }
}

impl Examples {
    /// Those of a window that is not too large and assumes nothing of its leaves.
    pub(crate) fn new(meaning: &mut Meaning<'_>) -> Option<Self> {
        let window = meaning.window();
        if !window.assumptions.is_empty() || window.leaves.iter().any(|leaf| leaf.range.is_some()) {
            return None;
        }
        let function = meaning.function().ok()?;
        let samples = samples(window, &function);
        let (own, mut machine) = (Compiled::new(&function).ok()?, Machine::new());
        let mut wanted = Vec::new();
        for sample in &samples {
            own.run_into(&mut machine, sample).ok()?;
            wanted.push(own.result_words(&machine, 0).to_vec());
        }
        Some(Self { samples, wanted })
    }

    /// The same with one leaf more.
    pub(crate) fn and(&self, leaf: &[Bits]) -> Self {
        let with = |(sample, own): (&Vec<Bits>, &Bits)| sample.iter().chain([own]).cloned().collect();
        let samples = self.samples.iter().zip(leaf).map(with).collect();
        Self { samples, wanted: self.wanted.clone() }
    }
}

/// The instructions that give a window's result on all samples, the cheapest first.
fn candidates(before: &Before<'_>, examples: &Examples, table: &Table) -> Vec<Candidate> {
    let (window, mut machine) = (before.leaves, Machine::new());
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
            if !before.admits(instruction, &registers) {
                continue;
            }
            let leaves = leaves_of(&instruction.operands, &registers);
            for choices in combinations(&instruction.operands) {
                let mut left = extensions.to_vec();
                let mut gives = |(sample, wanted): (&Vec<Bits>, &Vec<u64>)| {
                    let args = arguments(&instruction.operands, &leaves, &choices, sample);
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
                if examples.samples.iter().zip(&examples.wanted).all(&mut gives) {
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
    found
}
