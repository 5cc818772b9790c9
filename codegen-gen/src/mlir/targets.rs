//! `mlir/AutoLLVMTargets.cpp`: which instances of operations are instructions of which target, and what CPU features
//! these need.

use std::collections::{BTreeMap, BTreeSet};

use serde::Serialize;

use crate::definitions::Definitions;
use crate::mlir::memory::MemoryOperation;
use crate::operation::Operation;
use crate::render::Renderer;
use crate::{GenerateError, GeneratedFile, Options};

#[derive(Serialize)]
struct Targets {
    llvm: u32,
    targets: Vec<Target>,
    rows: Vec<Row>,
}

/// An instruction set with definitions.
#[derive(Serialize)]
struct Target {
    name: String,
    triple: String,
    /// The sets of features that instructions need, each with commas between them.
    needs: Vec<String>,
}

/// An instance of an operation.
#[derive(Serialize)]
struct Row {
    symbol: String,
    /// For each target the position of the set of features that its instruction needs, -1 where it has none.
    needs: String,
}

/// The features that each defined instance needs, by its symbol.
type Needs = BTreeMap<String, String>;

pub(super) fn targets(
    renderer: &Renderer,
    (operations, memory): (&[Operation<'_>], &[MemoryOperation<'_, '_>]),
    definitions: &Definitions,
    options: &Options,
) -> Result<GeneratedFile, GenerateError> {
    let mut targets = Vec::new();
    let mut columns: Vec<BTreeMap<String, usize>> = Vec::new();
    for vendor in options.of_release() {
        let needed = needs(&vendor.isa, definitions, options);
        let sets: BTreeSet<&String> = needed.values().collect();
        let sets: Vec<&String> = sets.into_iter().collect();
        let place = |set: &String| sets.partition_point(|known| *known < set);
        columns.push(needed.iter().map(|(symbol, set)| (symbol.clone(), place(set))).collect());
        targets.push(Target {
            name: vendor.isa.clone(),
            triple: vendor.triple.clone(),
            needs: sets.into_iter().cloned().collect(),
        });
    }
    let symbols: BTreeSet<String> = operations
        .iter()
        .flat_map(|operation| operation.instances().into_iter().map(|instance| instance.symbol))
        .chain(memory.iter().flat_map(|operation| operation.instances.keys().cloned()))
        .collect();
    let row = |symbol: String| {
        let needs = columns.iter().map(|column| column.get(&symbol).map_or(-1, |place| *place as i64));
        Row { needs: needs.map(|place| place.to_string()).collect::<Vec<_>>().join(", "), symbol }
    };
    let rows = symbols.into_iter().map(row).collect();
    let context = Targets { llvm: options.llvm.number(), targets, rows };
    renderer.render("mlir/AutoLLVMTargets.cpp", &context)
}

fn needs(isa: &str, definitions: &Definitions, options: &Options) -> Needs {
    let own = definitions.operations.iter().filter(|((own, _), _)| own == isa);
    own.map(|((_, id), signature)| (signature.name.clone(), options.features.of(isa, id).join(","))).collect()
}
