//! `models/`: what each instruction computes, as a Rust function.

use codegen_gen::{GeneratedFile, Modelled, models};
use hydride_ir::Function;
use memo::Memo;
use parsers::Instruction;
use similarity::Analysis;

use crate::pipeline::Pipeline;

/// The files of the crate.
pub fn files(pipeline: &Pipeline, memo: &Memo) -> anyhow::Result<Vec<GeneratedFile>> {
    let instructions = pipeline.instructions();
    let sources: Vec<Modelled<'_>> = (instructions.iter().zip(&pipeline.analyses))
        .map(|(instruction, analysis)| modelled(instruction, analysis))
        .collect();
    Ok(models(&sources, &formula, memo)?)
}

fn modelled<'a>(instruction: &'a Instruction, analysis: &'a Analysis) -> Modelled<'a> {
    Modelled {
        isa: instruction.isa.name(),
        id: &instruction.id,
        intrinsic: &instruction.intrinsic,
        function: analysis.canonical.as_ref().unwrap_or(&instruction.function),
        signature: &instruction.signature,
        extensions: &instruction.extensions,
        mnemonics: instruction.forms.iter().map(|form| form.mnemonic.as_str()).collect(),
        undefined: instruction.undefined.iter().map(|bits| (bits.result, bits.low, bits.width)).collect(),
        undefined_for: instruction.undefined_for.iter().map(|of| (of.argument, of.value)).collect(),
    }
}

/// A function's semantics as formulas, one a line.
fn formula(function: &Function) -> Vec<String> {
    report::formula(function, &[]).texts()
}
