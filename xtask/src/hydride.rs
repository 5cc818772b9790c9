//! Builds the command line and starts it as a process; no task links against it.

use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Context, Result, ensure};

use crate::fetch::fetch;
use crate::process::{cargo, code, output, run};
use crate::root;
use crate::setup::run_setup;
use crate::specs::{Specs, has_documents, present, sample_folder};

/// Sets up Z3, builds `hydride` with the profile of all tasks and returns its path.
pub fn build() -> Result<PathBuf> {
    build_with("dev", "debug")
}

/// As [`build`], with the profile of `cargo install`: what users run is what benchmarks measure.
pub fn build_release() -> Result<PathBuf> {
    println!("bench: building the release profile");
    build_with("release", "release")
}

/// `folder` is what cargo calls the profile's folder below the one for build results.
fn build_with(profile: &str, folder: &str) -> Result<PathBuf> {
    run_setup()?;
    run(cargo().args(["build", "--package", "hydride", "--profile", profile]).current_dir(root()))?;
    let metadata = output(
        cargo().args(["metadata", "--format-version=1", "--no-deps", "--offline"]).current_dir(root()),
    )?;
    let metadata: serde_json::Value = serde_json::from_str(&metadata)?;
    let target = metadata["target_directory"].as_str().context("cargo metadata names no target folder")?;
    let binary = Path::new(target).join(folder).join(format!("hydride{}", std::env::consts::EXE_SUFFIX));
    ensure!(binary.is_file(), "cargo did not make {}", binary.display());
    Ok(binary)
}

/// The documents to run on: the ones asked for, fetched ones, a fetch, the small samples.
pub fn documents(asked: Option<&Path>) -> Result<Specs> {
    if let Some(specs) = present(asked) {
        return Ok(specs);
    }
    println!("specs: none in specs/vendor, fetching them");
    if let Err(error) = fetch() {
        eprintln!("fetch: {error:#}");
    }
    if let Some(specs) = present(None) {
        return Ok(specs);
    }
    let folder = sample_folder();
    ensure!(has_documents(&folder), "no documents: give --specs, or run `cargo xtask fetch-specs`");
    Ok(Specs { folder, because: "hand-written samples, since there are no vendor documents" })
}

/// Runs a command of `hydride` in the user's working directory, and returns its exit code.
pub fn start(binary: &Path, arguments: &[String]) -> Result<i32> {
    code(Command::new(binary).args(arguments))
}
