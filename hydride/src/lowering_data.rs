//! What the vendors' intrinsics are in LLVM, as checked in (`hydride read-lowering` makes it).

use anyhow::{Context, Result};
use codegen_gen::{LlvmVersion, VendorIr};

/// The data by release and instruction set.
const DATA: &[(LlvmVersion, &str, &str)] = &[
    (LlvmVersion::Llvm19, "arm", include_str!("../../specs/lowering/llvm-19/arm.json")),
    (LlvmVersion::Llvm19, "hvx", include_str!("../../specs/lowering/llvm-19/hvx.json")),
    (LlvmVersion::Llvm19, "x86", include_str!("../../specs/lowering/llvm-19/x86.json")),
];

/// The data of a release for the given instruction sets.
pub fn vendors(llvm: LlvmVersion, isas: &[&str]) -> Result<Vec<VendorIr>> {
    let wanted = DATA.iter().filter(|(release, isa, _)| *release == llvm && isas.contains(isa));
    wanted
        .map(|(_, isa, text)| serde_json::from_str(text).with_context(|| format!("specs/lowering: {isa}")))
        .collect()
}
