//! The MLIR side: the dialect's definitions, the sources of a build out of tree, the dialect for stock
//! tools without a build, and its tests.

mod canonicalize;
pub(crate) mod describe;
mod direct;
pub(crate) mod example;
mod files;
mod instances;
mod irdl;
pub(crate) mod memory;
mod ops;
mod patterns;
mod targets;
mod tests;
mod verifier;

use rayon::prelude::*;

use crate::definitions::Definitions;
use crate::operation::Operation;
use crate::render::Renderer;
use crate::{GenerateError, GeneratedFile, Options, Section};

/// Every file below `mlir/`.
pub(crate) fn generate(
    renderer: &Renderer,
    operations: &[Operation<'_>],
    definitions: &Definitions,
    options: &Options,
) -> Result<Vec<GeneratedFile>, GenerateError> {
    let memory = memory::memory_operations(operations, definitions, options);
    let parts: [&Section<'_>; 9] = [
        &|| files::sources(renderer, options),
        &|| Ok(vec![ops::operations(renderer, operations, &memory, options)?]),
        &|| Ok(vec![irdl::irdl(renderer, operations, &memory, options)?]),
        &|| patterns::lowering(renderer, operations, &memory),
        &|| Ok(vec![instances::instances(renderer, operations, &memory, options)?]),
        &|| Ok(vec![targets::targets(renderer, (operations, &memory), definitions, options)?]),
        &|| direct::lowerings(renderer, operations, definitions, options.llvm),
        &|| Ok(vec![canonicalize::test(renderer, operations)?]),
        &|| tests::tests(renderer, operations, &memory, options),
    ];
    let made: Vec<Vec<GeneratedFile>> = parts.par_iter().map(|part| part()).collect::<Result<_, _>>()?;
    Ok(made.into_iter().flatten().collect())
}
