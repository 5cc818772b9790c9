//! Halide, out of its Python package, as another compiler of the kernels.

use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::Result;

use crate::packages::install_from_pip;
use crate::process::run;
use crate::{python, root};

const PACKAGE: &str = "halide==21.0.0";

/// Vectors that a step of the loop computes; the fastest code counts.
const UNROLLED: [u32; 3] = [1, 2, 4];

fn folder() -> PathBuf {
    root().join("target/halide")
}

/// Brings Halide and what it needs into `target/`, unless it is there.
pub fn provide() -> Result<()> {
    python::provide()?;
    if folder().join("halide").is_dir() { Ok(()) } else { install_from_pip(PACKAGE, &folder()) }
}

/// Where its headers for C are.
pub fn headers() -> PathBuf {
    folder().join("halide/include")
}

/// Compiles the kernels of `specs/kernels/in_halide.py` for a target of Halide with vectors of `bytes` bytes, below a folder:
/// one folder for each number of vectors in a step, with `KERNEL.o` and `KERNEL.c`, which calls it.
pub fn compile(target: &str, bytes: u32, below: &Path) -> Result<Vec<PathBuf>> {
    let paths = [folder(), python::folder()];
    let paths = std::env::join_paths(paths)?;
    UNROLLED
        .iter()
        .map(|unrolled| {
            let out = below.join(unrolled.to_string());
            run(Command::new("python3")
                .env("PYTHONPATH", &paths)
                .env("PYTHONDONTWRITEBYTECODE", "1")
                .arg(root().join("specs/kernels/in_halide.py"))
                .arg(format!("{target}-no_asserts-no_bounds_query-no_runtime"))
                .args([bytes.to_string(), unrolled.to_string()])
                .arg(&out))?;
            Ok(out)
        })
        .collect()
}
