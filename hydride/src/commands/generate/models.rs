//! `models/`: what each instruction computes, as a Rust function.

use codegen_gen::{GeneratedFile, Modelled, models};
use parsers::Instruction;
use rayon::prelude::*;
use similarity::Analysis;

use crate::pipeline::Pipeline;

/// The files of the crate.
pub fn files(pipeline: &Pipeline) -> anyhow::Result<Vec<GeneratedFile>> {
    let instructions = pipeline.instructions();
    let sources: Vec<Modelled<'_>> = instructions
        .par_iter()
        .zip(&pipeline.analyses)
        .map(|(instruction, analysis)| modelled(instruction, analysis))
        .collect();
    Ok(models(&sources)?)
}

fn modelled<'a>(instruction: &'a Instruction, analysis: &'a Analysis) -> Modelled<'a> {
    let function = analysis.canonical.as_ref().unwrap_or(&instruction.function);
    let shown = report::formula(function, &[]);
    let mut formula: Vec<String> = shown
        .lines
        .into_iter()
        .map(|line| match line.range.as_str() {
            "" => line.equation,
            range => format!("{}    {range}", line.equation),
        })
        .collect();
    if shown.left_out > 0 {
        formula.push(format!("… and {} more", shown.left_out));
    }
    Modelled {
        isa: instruction.isa.name(),
        id: &instruction.id,
        intrinsic: &instruction.intrinsic,
        function,
        signature: &instruction.signature,
        extensions: &instruction.extensions,
        mnemonics: instruction.forms.iter().map(|form| form.mnemonic.as_str()).collect(),
        formula,
        undefined: instruction.undefined.iter().map(|bits| (bits.result, bits.low, bits.width)).collect(),
        undefined_for: instruction.undefined_for.iter().map(|of| (of.argument, of.value)).collect(),
    }
}
