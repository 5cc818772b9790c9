//! What the vendors' intrinsics are in LLVM, as checked in (`hydride read-lowering` makes it).

use anyhow::{Context, Result};
use codegen_gen::{LlvmVersion, VendorIr};

use crate::Session;

/// The data of a release for the given instruction sets, by name.
pub fn vendors(session: &Session, llvm: LlvmVersion, isas: &[&str]) -> Result<Vec<VendorIr>> {
    let mut data = Vec::new();
    for set in session.sets().filter(|set| isas.contains(&set.name)) {
        for (_, text) in set.vendor_ir.iter().filter(|(release, _)| *release == llvm) {
            let ir = serde_json::from_str(text).with_context(|| format!("specs/lowering: {}", set.name))?;
            data.push((set.name, ir));
        }
    }
    data.sort_by_key(|(name, _)| *name);
    Ok(data.into_iter().map(|(_, ir)| ir).collect())
}
