//! What the tests of the Python package need from PyPI. It needs no installation beyond `target/`.

use std::path::PathBuf;

use anyhow::Result;

use crate::packages::install_all_from_pip;
use crate::root;

/// The packages, at versions that support the oldest Python that the package does: what it depends on, and what checks
/// its type hints.
const PACKAGES: [&str; 2] = ["numpy==2.4.6", "mypy==2.4.1"];

/// Where the tests look for them.
pub fn folder() -> PathBuf {
    root().join("target/python")
}

/// Whether the packages are there.
pub fn is_there() -> bool {
    ["numpy", "mypy"].iter().all(|name| folder().join(name).is_dir())
}

/// Makes sure that they are.
pub fn provide() -> Result<()> {
    if is_there() { Ok(()) } else { install_all_from_pip(&PACKAGES, &folder()) }
}
