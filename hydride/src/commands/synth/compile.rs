//! Answers as LLVM IR and assembly: what clang makes of the C.

use std::path::Path;
use std::process::Command;

use anyhow::{Context, Result, bail};

use super::report;
use super::targets::Ground;

/// The compiler.
pub const CLANG: &str = "clang-19";

/// The text that the compiler writes for a function in C.
pub fn compile(
    ground: &Ground,
    lines: &[String],
    options: &[&str],
    work: &Path,
    name: &str,
) -> Result<String> {
    std::fs::create_dir_all(work).with_context(|| format!("cannot make {}", work.display()))?;
    let source = work.join(format!("{}.{name}.c", ground.named.name));
    std::fs::write(&source, report::source(ground, lines))
        .with_context(|| format!("cannot write {}", source.display()))?;
    let output = Command::new(CLANG)
        .args(&ground.named.options)
        .args(["-O2", "-ffreestanding", "-fno-asynchronous-unwind-tables", "-S", "-o", "-"])
        .args(options)
        .arg(&source)
        .output()
        .with_context(|| format!("cannot start {CLANG}"))?;
    if !output.status.success() {
        bail!("{CLANG} refuses {}: {}", source.display(), String::from_utf8_lossy(&output.stderr));
    }
    Ok(String::from_utf8_lossy(&output.stdout).into_owned())
}
