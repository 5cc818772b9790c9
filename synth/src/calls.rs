//! Instructions over whole registers, one after the other: those of a window's leaves and what instructions before gave, with inputs
//! that show what they give.

use hydride_ir::{Bits, Function};
use interp::inputs::{examples, number_width};
use interp::{Machine, Program as Compiled};
use search::{Instruction, Operand, Type};

use crate::alone::content;
use crate::contents::{Entry, Register, Wanted};
use crate::program::{Program, Value};
use crate::table::{OpId, Table, register_types};
use crate::window::{Meaning, Window};

/// How many inputs instructions are compared with a window on.
const SAMPLES: usize = 64;

/// An instruction with its immediates and registers; the leaves after the window's own are what was computed, one after the other.
#[derive(Clone)]
pub(crate) struct Call {
    pub instruction: usize,
    pub choices: Vec<i64>,
    pub registers: Vec<Register>,
}

/// Inputs that instructions are compared with a window on.
#[derive(Clone)]
pub(crate) struct Examples {
    /// What leaves are on each of them, and what is computed before.
    pub samples: Vec<Vec<Bits>>,
    /// The result's words.
    pub wanted: Vec<Vec<u64>>,
}

/// An instruction that is run on samples.
pub(crate) struct Runs<'a> {
    compiled: &'a Compiled,
    /// The leaf that each operand is; `None` for an immediate.
    leaves: Vec<Option<usize>>,
    /// Where immediates are, and their widths.
    immediates: Vec<(usize, u32)>,
    /// What operands are on each sample, where it was run on it.
    args: Vec<Vec<Bits>>,
    machine: Machine,
}

/// Instructions before a last one.
#[derive(Clone)]
pub(crate) struct Chain {
    /// The table, with their operations.
    pub table: Table,
    pub program: Program,
    computed: Vec<Computed>,
    /// The window's, with what the instructions give.
    pub examples: Examples,
}

/// What an instruction gives, in its own register.
#[derive(Clone)]
struct Computed {
    value: Value,
    ty: Type,
    /// Whether another one reads it.
    is_read: bool,
}

impl Chain {
    /// No instruction yet.
    pub fn new(table: &Table, examples: Examples) -> Self {
        Self { table: table.clone(), program: Program::default(), computed: Vec::new(), examples }
    }

    /// The same with one more instruction, which gives this on each sample, read in elements of so many bits.
    pub fn and(
        &self,
        meaning: &mut Meaning<'_>,
        call: &Call,
        (given, element): (&[Bits], u32),
    ) -> Option<Self> {
        let mut chain = self.clone();
        let (op, operands) = chain.call(meaning, call)?;
        let ty = chain.table.op(op).result;
        let content = vec![Entry::Any; (ty.width / element) as usize];
        let value = chain.program.step(op, operands, element, &content);
        chain.computed.push(Computed { value, ty, is_read: false });
        chain.examples = chain.examples.and(given);
        Some(chain)
    }

    /// The operation of an instruction and its operands, which then are read.
    pub fn call(&mut self, meaning: &mut Meaning<'_>, call: &Call) -> Option<(OpId, Vec<Value>)> {
        let op = self.table.take(call.instruction, &call.choices)?;
        let own = meaning.window().leaves.len();
        let mut operands = Vec::new();
        for (ty, register) in
            register_types(&self.table.instructions[call.instruction]).into_iter().zip(&call.registers)
        {
            operands.push(match (register.0 as usize).checked_sub(own) {
                Some(at) => {
                    let computed = self.computed.get_mut(at)?;
                    computed.is_read = true;
                    computed.value.clone()
                }
                None => self::register(meaning, &mut self.program, ty, *register),
            });
        }
        Some((op, operands))
    }

    /// The registers of what is computed.
    pub fn types(&self) -> Vec<Type> {
        self.computed.iter().map(|own| own.ty).collect()
    }

    /// Whether an instruction reads all that was computed and that no other one reads, each in its own register.
    pub fn admits(&self, window: &Window, instruction: &Instruction, registers: &[Register]) -> bool {
        let first = window.leaves.len() as u32;
        let types = || register_types(instruction).into_iter().zip(registers);
        (first..).zip(&self.computed).all(|(leaf, computed)| {
            types().all(|(ty, own)| own.0 != leaf || ty == computed.ty)
                && (computed.is_read || types().any(|(_, own)| own.0 == leaf))
        })
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

    /// Each sample with its number, and the result's words.
    pub fn all(&self) -> impl Iterator<Item = ((usize, &[Bits]), &[u64])> {
        let samples = self.samples.iter().map(Vec::as_slice).enumerate();
        samples.zip(self.wanted.iter().map(Vec::as_slice))
    }

    /// Whether each byte of a result is one of these leaves', or none, on the first sample.
    pub fn may_be_moved(&self, registers: &[Register], result: &[u64]) -> bool {
        let mut is_there = [false; 256];
        is_there[0] = true;
        let sample = &self.samples[0];
        for (leaf, _) in registers {
            sample[*leaf as usize].words().iter().for_each(|word| {
                word.to_le_bytes().iter().for_each(|byte| is_there[usize::from(*byte)] = true);
            });
        }
        result.iter().all(|word| word.to_le_bytes().iter().all(|byte| is_there[usize::from(*byte)]))
    }

    /// The same with one leaf more.
    fn and(&self, leaf: &[Bits]) -> Self {
        let with = |(sample, own): (&Vec<Bits>, &Bits)| sample.iter().chain([own]).cloned().collect();
        let samples = self.samples.iter().zip(leaf).map(with).collect();
        Self { samples, wanted: self.wanted.clone() }
    }
}

impl<'a> Runs<'a> {
    /// None yet of an instruction, compiled, with these registers.
    pub fn new(operands: &[Operand], compiled: &'a Compiled, registers: &[Register]) -> Self {
        let (mut leaves, mut immediates, mut rest) = (Vec::new(), Vec::new(), registers.iter());
        for operand in operands {
            let count = operand.registers().len();
            if let Operand::Choice { width, .. } = operand {
                immediates.push((leaves.len(), *width));
            }
            leaves.push((count > 0).then(|| rest.next()).flatten().map(|own| own.0 as usize));
            rest.by_ref().take(count.saturating_sub(1)).for_each(drop);
        }
        Self { compiled, leaves, immediates, args: Vec::new(), machine: Machine::new() }
    }

    /// The words of what it gives on a sample with these immediates; samples keep their numbers.
    pub fn run(&mut self, choices: &[i64], (number, sample): (usize, &[Bits])) -> Option<&[u64]> {
        if self.args.len() <= number {
            self.args.resize(number + 1, Vec::new());
        }
        let args = &mut self.args[number];
        if args.is_empty() {
            let empty = Bits::from_u64(1, 0);
            args.extend(self.leaves.iter().map(|leaf| leaf.map_or(&empty, |leaf| &sample[leaf]).clone()));
        }
        for ((at, width), choice) in self.immediates.iter().zip(choices) {
            args[*at] = Bits::from_u64(*width, choice.cast_unsigned());
        }
        self.compiled.run_into(&mut self.machine, args).ok()?;
        Some(self.compiled.result_words(&self.machine, 0))
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

/// What leaves are on each of some inputs of a window's function; those that tell most apart come first.
fn samples(window: &Window, function: &Function) -> Vec<Vec<Bits>> {
    let args: Vec<(u32, Option<(i64, i64)>)> =
        window.leaves.iter().map(|leaf| (leaf.ty.bits(), None)).collect();
    // Those that are random come last.
    let mut samples = examples(&args, number_width(function), SAMPLES, 0);
    samples.reverse();
    samples
}
