//! What the vendors' intrinsics are in LLVM, as checked in (`hydride read-lowering` makes it).

use anyhow::{Context, Result};
use codegen_gen::{Features, VendorIr};
use parsers::Instruction;
use rayon::prelude::*;

use crate::Session;

/// The data of every release for the given instruction sets, by name and release.
pub fn vendors(session: &Session, isas: &[&str]) -> Result<Vec<VendorIr>> {
    let sets = session.sets().filter(|set| isas.contains(&set.name));
    let texts: Vec<(&str, &str)> =
        sets.flat_map(|set| set.vendor_ir.iter().map(|text| (set.name, *text))).collect();
    let parse = |(name, text): &(&str, &str)| {
        serde_json::from_str(text).with_context(|| format!("specs/lowering: {name}"))
    };
    let mut data: Vec<VendorIr> = texts.par_iter().map(parse).collect::<Result<_>>()?;
    data.sort_by(|a, b| (&a.isa, a.llvm).cmp(&(&b.isa, b.llvm)));
    Ok(data)
}

/// The CPU features that instructions need, as far as LLVM has a backend for them.
pub fn features(session: &Session, instructions: &[&Instruction]) -> Features {
    let mut features = Features::default();
    for instruction in instructions {
        let target = session.set(instruction.isa).target;
        if let Some(conventions) = target.and_then(|target| target.lowering) {
            let needed = (conventions.features)(instruction);
            features.insert(instruction.isa.name(), &instruction.id, needed);
            if conventions.inlined_by_features {
                features.inline_by_features(instruction.isa.name());
            }
        }
    }
    features
}
