//! Compiled functions and the memory that they run in.

use std::sync::atomic::{AtomicU64, Ordering};

use hydride_ir::{Bits, Function};

use crate::compile;
use crate::error::EvalError;
use crate::float::Choice;
use crate::step::{self, Step};
use crate::wide::{Slot, WideStep};
use crate::words;

/// A function compiled for evaluation at fixed parameter values.
///
/// Loops and folds are expanded; what does not depend on the arguments is computed once here. A
/// program is immutable and may be shared between threads, each with its own [`Machine`].
#[derive(Debug)]
pub struct Program {
    /// Identifies the program whose memory a machine holds.
    id: u64,
    /// The initial memory: arguments, then results, then everything else.
    image: Vec<u64>,
    steps: Vec<Step>,
    wide: Vec<WideStep>,
    args: Vec<Slot>,
    results: Vec<Slot>,
}

/// Memory for running programs; reusable, without allocation as long as the program is the same.
#[derive(Debug, Default)]
pub struct Machine {
    program: u64,
    memory: Vec<u64>,
}

impl Machine {
    /// A machine without memory yet; the first run gives it what the program needs.
    pub fn new() -> Self {
        Self::default()
    }
}

impl Program {
    /// Compiles a function at its parameters' default values.
    pub fn new(function: &Function) -> Result<Self, EvalError> {
        let params: Vec<i64> = function.params.iter().map(|param| param.value).collect();
        Self::with_params(function, &params)
    }

    /// Compiles a function at the given parameter values, one for each parameter.
    pub fn with_params(function: &Function, params: &[i64]) -> Result<Self, EvalError> {
        Self::with_choice(function, params, Choice::default())
    }

    /// Compiles a function at the given parameter values with a choice for what its operators leave open.
    pub fn with_choice(function: &Function, params: &[i64], choice: Choice) -> Result<Self, EvalError> {
        static NEXT: AtomicU64 = AtomicU64::new(1);
        let tape = compile::compile(function, params, choice)?;
        let id = NEXT.fetch_add(1, Ordering::Relaxed);
        let compile::Tape { image, steps, wide, args, results } = tape;
        Ok(Self { id, image, steps, wide, args, results })
    }

    /// Widths of the arguments in bits.
    pub fn arg_widths(&self) -> impl ExactSizeIterator<Item = u32> {
        self.args.iter().map(|slot| slot.width)
    }

    /// Widths of the results in bits.
    pub fn result_widths(&self) -> impl ExactSizeIterator<Item = u32> {
        self.results.iter().map(|slot| slot.width)
    }

    /// Number of steps that one run takes.
    pub fn steps(&self) -> usize {
        self.steps.len()
    }

    /// The results for the given arguments, one for each result slot. Bits that no statement
    /// writes are zero.
    pub fn run(&self, args: &[Bits]) -> Result<Vec<Bits>, EvalError> {
        let mut machine = Machine::new();
        self.run_into(&mut machine, args)?;
        Ok(self.results(&machine))
    }

    /// Runs in a machine that may have run before; read the results with [`Program::result_words`]
    /// or [`Program::results`].
    pub fn run_into(&self, machine: &mut Machine, args: &[Bits]) -> Result<(), EvalError> {
        if args.len() != self.args.len() {
            return Err(EvalError::ArgCount { expected: self.args.len(), found: args.len() });
        }
        for (index, (arg, slot)) in args.iter().zip(&self.args).enumerate() {
            if arg.width() != slot.width {
                return Err(EvalError::ArgWidth { index, expected: slot.width, found: arg.width() });
            }
        }
        self.load(machine);
        for (arg, slot) in args.iter().zip(&self.args) {
            let offset = slot.offset as usize;
            machine.memory[offset..offset + slot.words()].copy_from_slice(arg.words());
        }
        step::execute(&self.steps, &self.wide, &mut machine.memory);
        Ok(())
    }

    /// [`Program::run_into`] with the arguments one after the other, each in
    /// `width.div_ceil(64)` words, least significant first; bits above the widths are ignored.
    pub fn run_words(&self, machine: &mut Machine, args: &[u64]) -> Result<(), EvalError> {
        let expected = self.args.iter().map(|slot| slot.words()).sum();
        if args.len() != expected {
            return Err(EvalError::ArgWords { expected, found: args.len() });
        }
        self.load(machine);
        // Arguments come first in memory, in order.
        machine.memory[..expected].copy_from_slice(args);
        for slot in &self.args {
            let offset = slot.offset as usize;
            words::trim(&mut machine.memory[offset..offset + slot.words()], slot.width);
        }
        step::execute(&self.steps, &self.wide, &mut machine.memory);
        Ok(())
    }

    /// The words of a result after a run of this program, least significant first.
    ///
    /// # Panics
    /// When there is no such result, or the machine did not last run this program.
    pub fn result_words<'m>(&self, machine: &'m Machine, result: usize) -> &'m [u64] {
        assert_eq!(machine.program, self.id, "the machine last ran another program");
        let slot = self.results[result];
        &machine.memory[slot.offset as usize..slot.offset as usize + slot.words()]
    }

    /// All results after a run of this program.
    ///
    /// # Panics
    /// When the machine did not last run this program.
    pub fn results(&self, machine: &Machine) -> Vec<Bits> {
        let bits = |(index, slot): (usize, &Slot)| {
            Bits::from_words(slot.width, self.result_words(machine, index).iter().copied())
        };
        self.results.iter().enumerate().map(bits).collect()
    }

    fn load(&self, machine: &mut Machine) {
        if machine.program != self.id {
            machine.memory.clone_from(&self.image);
            machine.program = self.id;
        }
    }
}
