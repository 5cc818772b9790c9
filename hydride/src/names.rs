//! The operations' names: the lock that a run starts from, and where it is written.
//!
//! Without `--lock` the names are those that were checked in when the program was built, so that they do not depend on
//! the working directory. Further names that a document introduces are kept with the outputs, in [`FILE`], where the
//! next run into that folder finds them.

use std::path::{Path, PathBuf};

use anyhow::{Context, Result};
use autoir::{Lock, Reviews};
use clap::Args;

/// The names among the outputs.
pub const FILE: &str = "autollvm.lock";

/// The reviewed names and sentences.
const REVIEWS: &str = include_str!("../../specs/operations.toml");

/// The names that were checked in.
const BUILT_IN: &str = include_str!("../../autollvm.lock");

/// Which names a command that writes no outputs takes.
#[derive(Args, Clone)]
pub struct NamesArgs {
    /// File that keeps the operations' names, instead of the built-in ones; it is read and not written.
    #[arg(long, value_name = "FILE")]
    lock: Option<PathBuf>,
}

impl NamesArgs {
    /// The names.
    pub fn read(&self) -> Result<Lock> {
        self.lock.as_deref().map_or_else(built_in, read)
    }
}

/// The names for a run into the folder `out`: the built-in ones, and those that an earlier run added there.
pub fn for_outputs(out: &Path) -> Result<Lock> {
    let kept = out.join(FILE);
    if kept.is_file() { beside_built_in(read(&kept)?) } else { built_in() }
}

/// The built-in names, and those that an earlier run added.
pub fn beside_built_in(kept: Lock) -> Result<Lock> {
    Ok(built_in()?.with(kept))
}

/// The names of a file that is read and written; the built-in ones if there is no file yet.
pub fn begun(path: &Path) -> Result<Lock> {
    if path.exists() { read(path) } else { built_in() }
}

/// The names of a file.
pub fn read(path: &Path) -> Result<Lock> {
    let context = || format!("cannot read {}", path.display());
    Lock::parse(&std::fs::read_to_string(path).with_context(context)?).with_context(context)
}

/// What was reviewed of the operations.
pub fn reviews() -> Result<Reviews> {
    Reviews::parse(REVIEWS).context("the built-in reviews cannot be read")
}

fn built_in() -> Result<Lock> {
    Lock::parse(BUILT_IN).context("the built-in names cannot be read")
}

/// Writes names where they differ from what is there.
pub fn write(path: &Path, text: &str) -> Result<()> {
    if std::fs::read_to_string(path).is_ok_and(|present| present == text) {
        return Ok(());
    }
    let aside = aside(path);
    std::fs::write(&aside, text).with_context(|| format!("cannot write {}", aside.display()))?;
    std::fs::rename(&aside, path).with_context(|| format!("cannot write {}", path.display()))
}

/// Where a lock is written before it replaces the old one.
fn aside(path: &Path) -> PathBuf {
    path.with_extension("lock.new")
}

/// Fails where [`write()`] would.
pub fn check_writable(path: &Path) -> Result<()> {
    let aside = aside(path);
    std::fs::write(&aside, "").with_context(|| format!("cannot write {}", path.display()))?;
    std::fs::remove_file(&aside).with_context(|| format!("cannot remove {}", aside.display()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_checked_in_names_are_legal() {
        let names = built_in().expect("they can be read");
        assert_eq!(names.resolve("add"), Some("add"));
        assert_eq!(names.to_string(), BUILT_IN, "the file is as a run writes it");
    }
}
