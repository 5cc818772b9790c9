//! One instruction for a whole window.
//!
//! What the search for states does not see of an instruction, because its lanes have no expression or its immediate was not asked
//! for, samples show: an instruction that gives the window's result on all of them is proved, as any program is. So immediates
//! are solved for, instead of being tried from a list.

use hydride_ir::exact::NodeId;
use search::{Class, combinations};

use crate::alone::choices_of_leaves;
use crate::calls::{Call, Chain, Examples, Runs};
use crate::certify::{Judge, Proof, certify};
use crate::contents::{Entry, Register};
use crate::program::Program;
use crate::table::Table;
use crate::window::Meaning;

/// Instructions that are proved, at most.
const MAX_PROVED: usize = 4;

/// A program that is proved.
pub(crate) struct Proved {
    /// The table, with its operations.
    pub table: Table,
    pub program: Program,
    pub proof: Proof,
}

/// What a window's result is to hold.
pub(crate) struct Goal<'g> {
    /// What each lane holds.
    pub lanes: &'g [Entry],
    /// Their bits.
    pub results: &'g [NodeId],
}

/// An instruction that gives a window's result on all samples.
struct Candidate {
    call: Call,
    /// Of a number that is narrower than the result: whether its sign is above it there, or zeros.
    extended: Option<bool>,
}

/// The cheapest instruction that gives a window's result for whole leaves.
pub(crate) fn single(
    meaning: &mut Meaning<'_>,
    table: &Table,
    goal: &Goal<'_>,
    judge: &mut dyn Judge,
) -> Option<Proved> {
    let chain = Chain::new(table, Examples::new(meaning)?);
    last(meaning, &chain, goal, judge)
}

/// The cheapest instruction that gives a window's result, as the last one after others.
pub(crate) fn last(
    meaning: &mut Meaning<'_>,
    chain: &Chain,
    goal: &Goal<'_>,
    judge: &mut dyn Judge,
) -> Option<Proved> {
    let width = meaning.window().ty().width;
    for found in candidates(meaning, chain).into_iter().take(MAX_PROVED) {
        let mut chain = chain.clone();
        let (op, operands) = chain.call(meaning, &found.call)?;
        let Chain { table, mut program, .. } = chain;
        let result = table.op(op).result;
        let container = if found.extended.is_some() { result.width } else { width };
        let lanes: Vec<Entry> = goal.lanes.iter().map(|lane| low_bits(meaning, *lane, container)).collect();
        let step = program.step(op, operands, container, &lanes);
        (program.container, program.extended) = (container, found.extended);
        program.outputs = vec![(step, lanes)];
        program.output_type = Some(result);
        if let Ok(proof) = certify(meaning, &table, &program, goal.results, judge) {
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

/// The instructions that give a window's result on all samples, the cheapest first.
fn candidates(meaning: &Meaning<'_>, chain: &Chain) -> Vec<Candidate> {
    let window = meaning.window();
    let Chain { table, examples, .. } = chain;
    let types = chain.types();
    let mut found = Vec::new();
    for (at, instruction) in table.taken() {
        let (result, bits) = (instruction.result, window.ty().bits());
        let narrow = window.number && result.class == Class::Scalar && result.width < bits && bits <= 64;
        if result.class == Class::Memory || result.width != bits && !narrow {
            continue;
        }
        let extensions: &[Option<bool>] = if narrow { &[Some(false), Some(true)] } else { &[None] };
        let admits = |registers: &[Register]| chain.admits(window, instruction, registers);
        let leaves = choices_of_leaves(window, &types, &instruction.operands, admits);
        if leaves.is_empty() {
            continue;
        }
        let Some(compiled) = table.compiled(at) else { continue };
        let combinations = combinations(&instruction.operands);
        let moves = table.moves(at);
        for registers in leaves {
            if moves && !examples.may_be_moved(&registers, &examples.wanted[0]) {
                continue;
            }
            let mut runs = Runs::new(&instruction.operands, compiled, &registers);
            for choices in &combinations {
                let mut left = extensions.to_vec();
                let is_all = examples.all().all(|(sample, wanted)| {
                    let Some(words) = runs.run(choices, sample) else { return false };
                    left.retain(|extended| match extended {
                        None => words == wanted,
                        Some(signed) => extend(words[0], result.width, bits, *signed) == wanted[0],
                    });
                    !left.is_empty()
                });
                if is_all {
                    let (choices, registers) = (choices.clone(), registers.clone());
                    found.push(Candidate {
                        call: Call { instruction: at, choices, registers },
                        extended: left[0],
                    });
                }
            }
        }
    }
    found.sort_by_key(|own| {
        let instruction = &table.instructions[own.call.instruction];
        let taken_out = window.number && instruction.result.class == Class::Vector;
        (taken_out, instruction.uops, instruction.latency, instruction.rank)
    });
    found
}
