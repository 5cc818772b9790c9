//! Instructions with operands in memory: which bytes they access, in `ir/ISA.memory.hir`, and the evaluators that access them.

use codegen_gen::{GeneratedFile, MemoryInstruction, memory_evaluators};
use hydride_ir::Function;
use parsers::{Argument, Instruction};
use rayon::prelude::*;

use crate::pipeline::Pipeline;

/// An instruction with operands in memory; functions are in canonical form where they have one.
pub struct Accesses<'a> {
    /// The instruction.
    pub instruction: &'a Instruction,
    function: &'a Function,
    /// Which bytes it accesses, where it does not always access all of them.
    accessed: Option<Function>,
    /// The addresses of elements.
    addresses: Option<Function>,
}

/// Those of a run, in order.
pub fn of(pipeline: &Pipeline) -> Vec<Accesses<'_>> {
    let instructions = pipeline.instructions();
    let own: Vec<_> = (instructions.into_iter().zip(&pipeline.analyses))
        .filter(|(instruction, _)| instruction.signature.args.iter().any(Argument::is_memory))
        .collect();
    own.into_par_iter()
        .map(|(instruction, analysis)| Accesses {
            instruction,
            function: analysis.canonical.as_ref().unwrap_or(&instruction.function),
            accessed: canonical(instruction, "accessed", instruction.accessed.as_ref()),
            addresses: canonical(instruction, "addresses", instruction.addresses.as_ref()),
        })
        .collect()
}

fn canonical(instruction: &Instruction, what: &str, function: Option<&Function>) -> Option<Function> {
    let function = function?;
    let canonical = similarity::analyze(function).ok().and_then(|found| found.canonical);
    let mut function = canonical.unwrap_or_else(|| function.clone());
    function.name = format!("{}.{what}", instruction.id);
    Some(function)
}

impl Accesses<'_> {
    /// The functions as text.
    pub fn texts(&self) -> impl Iterator<Item = String> {
        [&self.accessed, &self.addresses].into_iter().flatten().map(Function::to_string)
    }
}

/// The evaluators.
pub fn evaluators(all: &[Accesses<'_>]) -> anyhow::Result<Vec<GeneratedFile>> {
    let sources: Vec<MemoryInstruction<'_>> = all
        .iter()
        .map(|Accesses { instruction, function, accessed, addresses }| MemoryInstruction {
            isa: instruction.isa.name(),
            id: &instruction.id,
            function,
            signature: &instruction.signature,
            accessed: accessed.as_ref(),
            addresses: addresses.as_ref(),
        })
        .collect();
    Ok(memory_evaluators(&sources)?)
}
