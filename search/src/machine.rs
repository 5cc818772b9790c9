//! Values on all samples at once, and steps that are executed on them.

use interp::Machine;

use crate::plan::{Plan, Target};
use crate::transition::push_words;
use crate::units::Piece;

/// How a step's result is computed.
#[derive(Debug)]
pub(crate) enum Action {
    /// Pieces of `piece` bytes, each from an operand's byte; operand [`CONSTANTS`] is the table of constants,
    /// of which even samples have the row of the low byte and odd ones that of the high byte.
    Move { piece: usize, pieces: Vec<(u8, u16)> },
    /// By the interpreter.
    Run,
}

/// The operand number of the constants' table: each row has 16 bytes, which are the row's number.
const CONSTANTS: u8 = u8::MAX;

/// Bytes of a row of the constants' table.
const ROW: usize = 16;

impl Action {
    /// How a step is executed whose result has these pieces; by the interpreter without any.
    pub(crate) fn new(pieces: Option<&[Piece]>) -> Self {
        let Some(pieces) = pieces else { return Action::Run };
        let size = [16, 8, 4, 2].into_iter().find(|size| runs(pieces, *size).is_some()).unwrap_or(1);
        Action::Move { piece: size, pieces: runs(pieces, size).unwrap_or_default() }
    }
}

/// The pieces joined to runs of one size, if that is what they are.
fn runs(pieces: &[Piece], size: usize) -> Option<Vec<(u8, u16)>> {
    if !pieces.len().is_multiple_of(size) {
        return None;
    }
    let whole = |chunk: &[Piece]| match chunk[0] {
        Piece::Label(label) => chunk.iter().all(|piece| *piece == chunk[0]).then_some((CONSTANTS, label)),
        Piece::Of(operand, start) => {
            let follows = |(at, piece): (usize, &Piece)| *piece == Piece::Of(operand, start + at as u16);
            chunk.iter().enumerate().all(follows).then_some((operand, start))
        }
    };
    pieces.chunks(size).map(whole).collect()
}

/// The values of one worker: a stack of registers, each with its contents in every sample.
pub(crate) struct Values {
    bytes: Vec<u8>,
    samples: usize,
    machines: Vec<Machine>,
    words: Vec<u64>,
}

/// A register on the stack.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Register {
    pub(crate) offset: usize,
    /// Bytes of one sample.
    pub(crate) bytes: usize,
}

impl Values {
    pub(crate) fn new(samples: usize, transitions: usize) -> Self {
        let bytes = (0..=u8::MAX).flat_map(|value| [value; ROW]).collect();
        let machines = (0..transitions).map(|_| Machine::new()).collect();
        Self { bytes, samples, machines, words: Vec::new() }
    }

    /// Puts a register on the stack, with its contents sample after sample.
    pub(crate) fn push(&mut self, contents: &[u8]) -> Register {
        let offset = self.bytes.len();
        self.bytes.extend_from_slice(contents);
        Register { offset, bytes: contents.len() / self.samples }
    }

    /// Takes `register` and all above it from the stack.
    pub(crate) fn pop(&mut self, register: Register) {
        self.bytes.truncate(register.offset);
    }

    /// The contents, sample after sample.
    pub(crate) fn contents(&self, register: Register) -> &[u8] {
        &self.bytes[register.offset..register.offset + register.bytes * self.samples]
    }

    /// Executes a step; its result is put on the stack.
    pub(crate) fn execute(&mut self, plan: &Plan, position: usize, operands: &[Register]) -> Register {
        let offset = self.bytes.len();
        let result = Register { offset, bytes: plan.sizes[plan.result_types[position]] };
        self.bytes.resize(offset + result.bytes * self.samples, 0);
        for sample in 0..self.samples {
            self.sample(plan, position, operands, offset, sample);
        }
        result
    }

    /// Whether a step gives what a target wants; most steps fail in the first sample.
    pub(crate) fn reaches(
        &mut self,
        plan: &Plan,
        position: usize,
        operands: &[Register],
        target: &Target,
    ) -> bool {
        let offset = self.bytes.len();
        let size = plan.sizes[plan.result_types[position]];
        self.bytes.resize(offset + size * self.samples, 0);
        let reached = (0..self.samples).all(|sample| {
            self.sample(plan, position, operands, offset, sample);
            let from = sample * size;
            target.matches_from(from, &self.bytes[offset + from..offset + from + size])
        });
        self.bytes.truncate(offset);
        reached
    }

    /// Executes a step in one sample; the result's samples start at `offset`.
    fn sample(&mut self, plan: &Plan, position: usize, operands: &[Register], offset: usize, sample: usize) {
        let size = plan.sizes[plan.result_types[position]];
        let to = offset + sample * size;
        match &plan.actions[position] {
            Action::Move { piece, pieces } => {
                let (below, above) = self.bytes.split_at_mut(offset);
                let out = &mut above[sample * size..(sample + 1) * size];
                match piece {
                    16 => copy::<16>(below, out, pieces, operands, sample),
                    8 => copy::<8>(below, out, pieces, operands, sample),
                    4 => copy::<4>(below, out, pieces, operands, sample),
                    2 => copy::<2>(below, out, pieces, operands, sample),
                    _ => copy::<1>(below, out, pieces, operands, sample),
                }
            }
            Action::Run => {
                self.words.clear();
                for operand in operands {
                    let from = operand.offset + sample * operand.bytes;
                    push_words(&mut self.words, &self.bytes[from..from + operand.bytes]);
                }
                let machine = &mut self.machines[position];
                let Some(program) = &plan.transitions[position].program else { return };
                // The argument words were counted when the program was made: no error is left.
                if program.run_words(machine, &self.words).is_ok() {
                    let words = program.result_words(machine, 0);
                    for (chunk, word) in self.bytes[to..to + size].chunks_mut(8).zip(words) {
                        chunk.copy_from_slice(&word.to_le_bytes()[..chunk.len()]);
                    }
                }
            }
        }
    }
}

fn copy<const PIECE: usize>(
    below: &[u8],
    out: &mut [u8],
    pieces: &[(u8, u16)],
    operands: &[Register],
    sample: usize,
) {
    let (chunks, _) = out.as_chunks_mut::<PIECE>();
    for (chunk, (operand, byte)) in chunks.iter_mut().zip(pieces) {
        let from = match operands.get(usize::from(*operand)) {
            Some(register) => register.offset + sample * register.bytes + usize::from(*byte),
            None => usize::from(byte.to_le_bytes()[sample % 2]) * ROW,
        };
        chunk.copy_from_slice(&below[from..from + PIECE]);
    }
}

/// A hash of a value's contents.
pub(crate) fn hash(contents: &[u8]) -> u64 {
    let mut state = 0x243f_6a88_85a3_08d3u64;
    let mut mix = |word: u64| {
        state = (state ^ word).wrapping_mul(0x9e37_79b9_7f4a_7c15);
        state ^= state >> 29;
    };
    let (words, rest) = contents.as_chunks::<8>();
    words.iter().for_each(|word| mix(u64::from_le_bytes(*word)));
    rest.iter().for_each(|byte| mix(u64::from(*byte)));
    state
}

/// The label of a unit of a value of `size` units: the samples are the bytes of the labels.
pub(crate) fn label(contents: &[u8], size: usize, at: usize) -> u16 {
    let high = contents.get(size + at).copied().unwrap_or(0);
    u16::from_le_bytes([contents[at], high])
}
