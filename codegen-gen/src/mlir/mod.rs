//! The MLIR side: the dialect's definitions, the sources of a build out of tree, the dialect for stock
//! tools without a build, and its tests.

mod canonicalize;
pub(crate) mod describe;
mod direct;
mod example;
mod files;
mod instances;
mod irdl;
mod ops;
mod patterns;
mod split;
mod targets;
mod tests;
mod verifier;

use crate::definitions::Definitions;
use crate::operation::Operation;
use crate::render::Renderer;
use crate::{GenerateError, GeneratedFile, Options};

/// Every file below `mlir/`.
pub(crate) fn generate(
    renderer: &Renderer,
    operations: &[Operation<'_>],
    definitions: &Definitions,
    options: &Options,
) -> Result<Vec<GeneratedFile>, GenerateError> {
    let mut made = files::sources(renderer, options)?;
    made.push(ops::operations(renderer, operations, options)?);
    made.push(irdl::irdl(renderer, operations, options)?);
    made.extend(patterns::lowering(renderer, operations)?);
    made.push(instances::instances(renderer, operations, options)?);
    made.push(targets::targets(renderer, operations, definitions, options)?);
    made.extend(direct::lowerings(renderer, operations, definitions, options.llvm)?);
    made.push(canonicalize::test(renderer, operations)?);
    made.extend(tests::tests(renderer, operations, options)?);
    Ok(made)
}
