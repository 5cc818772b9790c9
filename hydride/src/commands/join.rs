//! `hydride join-arm`: Arm's documents from packages as the two JSON files.

use std::path::{Path, PathBuf};

use anyhow::{Context, Result};
use clap::Args;
use parsers::arm::Document;

use crate::documents::read_file;
use crate::error::Failure;
use crate::isa::{ARM_NEWER, ARM_PAGE};
use crate::{Session, console};

/// Arguments of `hydride join-arm`.
#[derive(Args)]
pub struct JoinArgs {
    /// Folder with arm/arm-intrinsics.html or arm/intrinsics-no-operations.json; the files are written next to them.
    #[arg(long, value_name = "DIR", default_value = "specs/vendor")]
    specs: PathBuf,
}

/// Writes intrinsics.json and operations.json; Arm's files are never replaced.
pub fn run(session: &Session, args: &JoinArgs) -> Result<u8> {
    let folder = args.specs.join("arm");
    let read = |name: &str| {
        let path = folder.join(name);
        path.is_file().then(|| read_file(&path)).transpose()
    };
    let (page, newer) = (read(ARM_PAGE)?, read(ARM_NEWER)?);
    if page.is_none() && newer.is_none() {
        let message = format!("{} holds neither {ARM_PAGE} nor {ARM_NEWER}", folder.display());
        return Err(Failure { code: 3, message }.into());
    }
    let (intrinsics, operations) = (folder.join("intrinsics.json"), folder.join("operations.json"));
    for path in [&intrinsics, &operations] {
        if path.exists() {
            println!("{} already exists; nothing was written", path.display());
            return Ok(0);
        }
    }
    let named = |name| folder.join(name).display().to_string();
    let (page_name, newer_name) = (named(ARM_PAGE), named(ARM_NEWER));
    let mut diagnostics = Vec::new();
    let (entries, bodies) = parsers::arm::join(
        page.as_deref().map(|bytes| Document { name: &page_name, bytes }),
        newer.as_deref().map(|bytes| Document { name: &newer_name, bytes }),
        &mut diagnostics,
    );
    session.require_whole(&diagnostics, &[])?;
    console::report(&diagnostics, &[], |document| document.name.clone());
    write(&intrinsics, &entries)?;
    write(&operations, &bodies)?;
    println!(
        "wrote {} and {}, joined from the files next to them",
        intrinsics.display(),
        operations.display()
    );
    Ok(0)
}

fn write(path: &Path, text: &str) -> Result<()> {
    std::fs::write(path, text).with_context(|| format!("cannot write {}", path.display()))
}
