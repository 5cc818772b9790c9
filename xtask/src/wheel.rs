//! The Python package as a wheel.
//!
//! Its extension finds the Z3 of the package `z3-solver`, on which the wheel depends, next to its own package
//! (`z3/load.c`): that is the same library as the checkout's, and the wheel stays small.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Context, Result, ensure};

use crate::packages::install_from_pip;
use crate::process::run;
use crate::{root, specs};

/// The program that builds a wheel of a crate.
const MATURIN: &str = "maturin==1.16.0";

/// What must work where the wheel is installed: documents are read, which needs proofs by Z3, and an instruction is
/// evaluated. The Z3 is the one that is installed beside it, not the checkout's.
const TRIAL: &str = "
import os, sys, numpy, hydride
average = hydride.load(sys.argv[1])['_mm_avg_epu8']
assert average(numpy.full(16, 1, 'u1'), numpy.full(16, 4, 'u1')).tolist() == [3] * 16
assert hydride.check(average, lambda a, b: a // 2 + b // 2).mismatches > 0
loaded = {line.split()[-1] for line in open('/proc/self/maps') if 'libz3' in line}
assert len(loaded) == 1 and all(path.startswith(os.path.realpath(sys.argv[2]) + '/') for path in loaded), loaded
";

/// Makes the wheel in a folder.
pub fn wheel(folder: &Path) -> Result<PathBuf> {
    let into = fresh(&folder.join("wheel"))?;
    let mut maturin = Command::new(tool("maturin", MATURIN)?.join("bin/maturin"));
    maturin.args(["build", "--quiet", "--locked", "--profile", "dev", "--auditwheel", "skip"]);
    maturin.args(["--compatibility", "linux", "--interpreter", "python3", "--out"]).arg(&into);
    run(maturin.current_dir(root().join("python")))?;
    only_entry(&into)
}

/// Installs the wheel, and what it depends on, in a folder of its own, and uses it there.
pub fn try_wheel(folder: &Path, wheel: &Path) -> Result<()> {
    println!("== {}", wheel.display());
    let site = fresh(&folder.join("site"))?;
    let mut pip = Command::new("python3");
    pip.args(["-m", "pip", "install", "--quiet", "--only-binary=:all:", "--disable-pip-version-check"]);
    run(pip.args(["--root-user-action=ignore", "--target"]).arg(&site).arg(wheel))?;
    // Nothing else that is installed for this Python is seen.
    let mut python = Command::new("python3");
    python.args(["-S", "-P", "-c", TRIAL]).arg(specs::sample_folder()).arg(&site);
    run(python.env("PYTHONPATH", &site).env("HYDRIDE_CACHE", "").current_dir(folder))?;
    println!("the wheel works with nothing but what it depends on");
    Ok(())
}

/// The folder of a tool from PyPI; it is installed unless it is there.
fn tool(name: &str, package: &str) -> Result<PathBuf> {
    let folder = root().join("target/tools").join(name);
    if !folder.is_dir() {
        install_from_pip(package, &folder)?;
    }
    Ok(folder)
}

/// An empty folder in this place.
fn fresh(folder: &Path) -> Result<PathBuf> {
    if folder.exists() {
        fs::remove_dir_all(folder)?;
    }
    fs::create_dir_all(folder).with_context(|| format!("cannot make {}", folder.display()))?;
    Ok(folder.to_path_buf())
}

/// The only file or folder of a folder.
fn only_entry(folder: &Path) -> Result<PathBuf> {
    let entries = fs::read_dir(folder)?.map(|entry| Ok(entry?.path())).collect::<Result<Vec<_>>>()?;
    ensure!(entries.len() == 1, "{} holds {} entries, not one", folder.display(), entries.len());
    Ok(entries[0].clone())
}
