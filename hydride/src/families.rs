//! The dictionary of families that a run starts from, and where it is written.
//!
//! Without `--dictionary` the families are those that were checked in when the program was built, so that they do not
//! depend on the working directory. Further families that a document introduces are kept with the outputs, in [`FILE`],
//! where the next run into that folder finds them.

use std::borrow::Cow;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result};
use autoir::Dictionary;
use clap::Args;

/// The families among the outputs that the built-in dictionary lacks.
pub const FILE: &str = "families.txt";

/// The families that were checked in.
const BUILT_IN: &str = include_str!("../../specs/dictionary/families.txt");

/// Which dictionary a command that writes no outputs takes.
#[derive(Args, Clone, Default)]
pub struct FamiliesArgs {
    /// File with the families of operations, instead of the built-in ones; it is read and not written.
    #[arg(long, value_name = "FILE")]
    dictionary: Option<PathBuf>,
}

impl FamiliesArgs {
    /// The families.
    pub fn read(&self) -> Result<Dictionary> {
        self.dictionary.as_deref().map_or_else(built_in, read)
    }
}

/// The families for a run into the folder `out`: the built-in ones, and those that an earlier run added there.
pub fn for_outputs(out: &Path, built_in: &Dictionary) -> Result<Dictionary> {
    let kept = out.join(FILE);
    let own = built_in.clone();
    if kept.is_file() { Ok(own.with(read(&kept)?)) } else { Ok(own) }
}

/// The families of a file that is read and written; the built-in ones if there is no file yet.
pub fn begun(path: &Path, built_in: &Dictionary) -> Result<Dictionary> {
    if path.exists() { read(path) } else { Ok(built_in.clone()) }
}

/// The families of a file.
pub fn read(path: &Path) -> Result<Dictionary> {
    let context = || format!("cannot read {}", path.display());
    Dictionary::parse(&std::fs::read_to_string(path).with_context(context)?).with_context(context)
}

/// The families that were checked in.
pub fn built_in() -> Result<Dictionary> {
    Dictionary::parse(BUILT_IN).context("the built-in families cannot be read")
}

/// Families as text; the built-in ones need not be written anew.
pub fn text(families: &Dictionary, built_in: &Dictionary) -> Cow<'static, str> {
    if families == built_in { BUILT_IN.into() } else { families.to_string().into() }
}

/// Writes families where they differ from what is there.
pub fn write(path: &Path, text: &str) -> Result<()> {
    if std::fs::read_to_string(path).is_ok_and(|present| present == text) {
        return Ok(());
    }
    let aside = aside(path);
    std::fs::write(&aside, text).with_context(|| format!("cannot write {}", aside.display()))?;
    std::fs::rename(&aside, path).with_context(|| format!("cannot write {}", path.display()))
}

/// Where a dictionary is written before it replaces the old one.
fn aside(path: &Path) -> PathBuf {
    path.with_extension("new")
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
    fn the_checked_in_families_are_legal() {
        let families = built_in().expect("they can be read");
        assert_eq!(families.resolve("add"), Some("add"));
        assert!(families.to_string() == BUILT_IN, "the file is as a run writes it");
        for (name, family) in families.families() {
            family.function.verify().unwrap_or_else(|error| panic!("{name}: {error}"));
            for known in family.members.values().filter(|known| known.commutes) {
                assert!(similarity::commutes(&family.function, &known.application.params), "{name}");
            }
        }
    }
}
