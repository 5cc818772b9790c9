//! What is searched for: start values and wanted elements, read from a TOML file.
//!
//! Every expression is an exact integer and an element keeps its low bits, the rule that vendor pseudocode
//! gets here too. A goal is independent of a target's register width: `n` is the number of elements of the
//! output that is written, `i` the element's position.

mod evaluate;
mod expression;
mod file;

pub use file::{GoalError, GoalFile, SearchOptions};

use hydride_ir::{Bits, Function, Op, ResultId, Stmt};

use crate::movement::{Source, movement};
use crate::value::Type;

/// Bits of an output that are wanted.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Wanted {
    /// Lowest bit in the register.
    pub low: u32,
    /// Number of bits.
    pub width: u32,
}

/// A register with its contents at the start.
#[derive(Clone, Debug)]
pub struct Input {
    /// Name in expressions.
    pub name: String,
    /// What kind of register.
    pub ty: Type,
    /// Width of its elements in bits.
    pub element: u32,
    /// The contents, where they are known.
    pub constant: Option<Bits>,
}

/// A wanted register.
#[derive(Clone, Debug)]
pub struct Output {
    /// Name in the results.
    pub name: String,
    /// What kind of register.
    pub ty: Type,
    /// The wanted bits, lowest first; all others are don't-cares.
    pub wanted: Vec<Wanted>,
}

/// A goal at one register width.
#[derive(Clone, Debug)]
pub struct Goal {
    /// Name, also of the C function.
    pub name: String,
    /// The start state.
    pub inputs: Vec<Input>,
    /// The end state.
    pub outputs: Vec<Output>,
    /// Width of the goal's elements in bits: the narrowest of inputs and outputs.
    pub element: u32,
    /// From the inputs to the wanted bits of each output, packed without gaps.
    pub function: Function,
}

impl Goal {
    /// Whether the outputs are bytes of the inputs and constants, at least one of them of an input.
    pub fn is_movement(&self) -> bool {
        // Outputs are looked at one by one.
        let packed: Option<Vec<_>> =
            (0..self.outputs.len()).map(|output| movement(&self.packed(output))).collect();
        let moved =
            |sources: &Vec<Source>| sources.iter().any(|source| matches!(source, Source::Byte { .. }));
        packed.is_some_and(|outputs| outputs.iter().any(moved))
    }

    /// From the inputs to the wanted bits of one output, packed without gaps.
    pub(crate) fn packed(&self, output: usize) -> Function {
        let mut single = self.function.clone();
        single.results = vec![self.function.results[output].clone()];
        single.body.retain(|stmt| matches!(stmt, Stmt::Assign { result, .. } if result.0 as usize == output));
        for stmt in &mut single.body {
            if let Stmt::Assign { result, .. } = stmt {
                *result = ResultId(0);
            }
        }
        single
    }

    /// From the inputs to whole outputs, with 0 where nothing is wanted, and for each output its wanted bits.
    pub fn whole(&self) -> Option<(Function, Vec<Bits>)> {
        let specification = self.specification()?;
        let mut function = specification.clone();
        function.body.clear();
        let mut masks = Vec::new();
        for (position, output) in self.outputs.iter().enumerate() {
            let result = ResultId(position as u32);
            function.results[position].width = output.ty.width.into();
            let mut words = vec![0u64; output.ty.width.div_ceil(64) as usize];
            let values = specification.body.iter().filter_map(|stmt| match stmt {
                Stmt::Assign { result: of, value, .. } if *of == result => Some(*value),
                _ => None,
            });
            let mut end = 0;
            for (wanted, value) in output.wanted.iter().zip(values) {
                fill(&mut function, result, end, wanted.low);
                function.body.push(Stmt::Assign { result, low: wanted.low.into(), value });
                end = wanted.low + wanted.width;
                (wanted.low..end).for_each(|bit| words[bit as usize / 64] |= 1 << (bit % 64));
            }
            fill(&mut function, result, end, output.ty.width);
            masks.push(Bits::from_words(output.ty.width, words));
        }
        Some((function, masks))
    }
}

/// Assigns 0 to bits `from .. to` of a result.
fn fill(function: &mut Function, result: ResultId, from: u32, to: u32) {
    if from < to {
        let value = function.push(Op::Const(Bits::zero(to - from)), to - from);
        function.body.push(Stmt::Assign { result, low: from.into(), value });
    }
}
