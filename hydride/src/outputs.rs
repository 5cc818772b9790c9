//! The output folder: written aside, then put in place as a whole.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result};

use crate::usage;

/// Files whose contents differ from run to run: they hold times.
const TIMED: &[&str] = &["summary.json"];
/// The file by which a folder is known to be an output folder.
const MARK: &str = "summary.json";

/// Generated files by path below the output folder.
pub type Files = BTreeMap<String, String>;

/// Replaces `out` by a folder that holds `files`. An interrupted run leaves the old folder, or (between two
/// renames) leaves it under a name from which the next run restores it.
pub fn replace(out: &Path, files: &Files) -> Result<()> {
    recover(out)?;
    check_is_ours(out)?;
    let aside = sibling(out, "new");
    remove(&aside)?;
    for (path, contents) in files {
        let path = aside.join(path);
        if let Some(parent) = path.parent() {
            std::fs::create_dir_all(parent).with_context(|| format!("cannot make {}", parent.display()))?;
        }
        std::fs::write(&path, contents).with_context(|| format!("cannot write {}", path.display()))?;
    }
    let old = sibling(out, "old");
    if out.exists() {
        std::fs::rename(out, &old).with_context(|| format!("cannot move {} aside", out.display()))?;
    }
    std::fs::rename(&aside, out).with_context(|| format!("cannot put {} in place", out.display()))?;
    remove(&old)
}

/// Paths that differ between `files` and what `out` holds, sorted, each with what is the matter.
pub fn differences(out: &Path, files: &Files) -> Result<Vec<String>> {
    let mut differences = Vec::new();
    for (path, contents) in files {
        if TIMED.contains(&path.as_str()) {
            continue;
        }
        match std::fs::read_to_string(out.join(path)) {
            Ok(present) if &present == contents => {}
            Ok(present) => {
                let line =
                    present.lines().zip(contents.lines()).take_while(|(old, new)| old == new).count() + 1;
                differences.push(format!("{path}: differs from line {line} on"));
            }
            Err(_) => differences.push(format!("{path}: missing")),
        }
    }
    for path in list(out, out)? {
        if !files.contains_key(&path) && !TIMED.contains(&path.as_str()) {
            differences.push(format!("{path}: no longer generated"));
        }
    }
    differences.sort();
    Ok(differences)
}

fn list(folder: &Path, root: &Path) -> Result<Vec<String>> {
    let mut found = Vec::new();
    if !folder.is_dir() {
        return Ok(found);
    }
    for entry in std::fs::read_dir(folder).with_context(|| format!("cannot list {}", folder.display()))? {
        let path = entry?.path();
        if path.is_dir() {
            found.extend(list(&path, root)?);
        } else if let Ok(below) = path.strip_prefix(root) {
            found.push(below.to_string_lossy().replace('\\', "/"));
        }
    }
    Ok(found)
}

/// A folder that is there must be empty or an earlier output: nobody's files are thrown away.
fn check_is_ours(out: &Path) -> Result<()> {
    if !out.exists() {
        return Ok(());
    }
    if !out.is_dir() {
        return Err(usage(format!("{} is not a folder", out.display())));
    }
    let empty =
        std::fs::read_dir(out).with_context(|| format!("cannot list {}", out.display()))?.next().is_none();
    if !empty && !is_ours(out) {
        return Err(usage(format!(
            "{} holds other files than generated ones; choose another --out",
            out.display()
        )));
    }
    Ok(())
}

/// Whether a folder holds a summary that we wrote.
fn is_ours(folder: &Path) -> bool {
    let Ok(text) = std::fs::read_to_string(folder.join(MARK)) else { return false };
    let summary: serde_json::Value = serde_json::from_str(&text).unwrap_or_default();
    ["schema", "ledger", "classes", "classes_masking_separate"].iter().all(|key| summary.get(key).is_some())
}

/// Puts the old folder back where a run was interrupted between two renames.
fn recover(out: &Path) -> Result<()> {
    let old = sibling(out, "old");
    if old.exists() {
        if out.exists() {
            remove(&old)?;
        } else {
            std::fs::rename(&old, out).with_context(|| format!("cannot restore {}", out.display()))?;
        }
    }
    Ok(())
}

/// A hidden folder beside `out` that nobody else would name like this.
fn sibling(out: &Path, ending: &str) -> PathBuf {
    let name = out.file_name().map(|name| name.to_string_lossy().into_owned()).unwrap_or_default();
    out.with_file_name(format!(".{name}.hydride-{ending}"))
}

fn remove(folder: &Path) -> Result<()> {
    if folder.exists() {
        std::fs::remove_dir_all(folder).with_context(|| format!("cannot remove {}", folder.display()))?;
    }
    Ok(())
}
