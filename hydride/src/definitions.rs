//! The LLVM definitions of an output folder, with their signatures from `llvm/lowering.json`.

use std::collections::BTreeMap;
use std::path::Path;

use anyhow::{Context, Result};
use difftest::lowering::{Definition, Operand};
use llvm_text::Type;
use serde::Deserialize;

use crate::outputs;

#[derive(Deserialize)]
struct File {
    llvm: u32,
    lowerings: Vec<Row>,
}

#[derive(Deserialize)]
struct Row {
    isa: String,
    id: String,
    function: Option<Function>,
    operation: Option<Function>,
    features: Vec<String>,
}

#[derive(Deserialize)]
struct Function {
    name: String,
    result: Type,
    /// What each operand is, its type, and its position in the vendor's signature.
    operands: Vec<(String, Type, usize)>,
    /// The values of immediates for which it has code, by position, where that are not all.
    #[serde(default)]
    values: BTreeMap<usize, Vec<i64>>,
}

/// What an output folder has of one instruction set.
#[derive(Default)]
pub struct Defined {
    /// Every member's id.
    pub members: Vec<String>,
    /// The definitions of those that have one.
    pub definitions: Vec<Definition>,
    /// Those that implement a plain operation, at its own types; each with the member that it is derived
    /// from.
    pub operations: Vec<Definition>,
    /// For each member the CPU features that it needs, in LLVM's spelling.
    pub features: BTreeMap<String, Vec<String>>,
}

/// What an output folder has for LLVM.
pub struct Definitions {
    /// The release that the files are for.
    pub llvm: u32,
    /// The members by instruction set, and their definitions.
    pub isas: BTreeMap<String, Defined>,
}

/// The members in an output folder, and their definitions.
pub fn read(out: &Path) -> Result<Definitions> {
    let path = "llvm/lowering.json";
    let text = outputs::read(out, path)?;
    let file: File =
        serde_json::from_str(&text).with_context(|| format!("cannot read {}", out.join(path).display()))?;
    let mut isas: BTreeMap<String, Defined> = BTreeMap::new();
    for row in file.lowerings {
        let Defined { members, definitions, operations, features } = isas.entry(row.isa).or_default();
        let definition = |Function { name, result, operands, mut values }| {
            let operand = |(_, ty, position)| Operand { ty, position, values: values.remove(&position) };
            let operands = operands.into_iter().map(operand).collect();
            Definition { id: row.id.clone(), name, result, operands }
        };
        definitions.extend(row.function.map(definition));
        operations.extend(row.operation.map(definition));
        features.insert(row.id.clone(), row.features);
        members.push(row.id);
    }
    Ok(Definitions { llvm: file.llvm, isas })
}
