//! The output folder: written under another name, then moved into place as a whole.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

use anyhow::{Context, Result};
use rayon::prelude::*;

use crate::difference::difference;
use crate::emit::Group;
use crate::usage;

/// Files whose contents differ from run to run: they contain times.
const TIMED: &[&str] = &["summary.json"];

/// A kind of folder that may be replaced: the JSON file by which it is known, and keys that this file has.
pub struct Mark(pub &'static str, pub &'static [&'static str]);

/// How the outputs of `generate-ir` are known.
pub const OUTPUTS: Mark = Mark("summary.json", &["schema", "ledger", "classes", "classes_masking_separate"]);

/// Generated files by path below the output folder.
pub type Files = BTreeMap<String, String>;

/// Replaces `out`, a folder known by `mark`, by one that holds `files`. An interrupted run leaves the old
/// folder or the new one. Where the system cannot exchange two names at once it can also leave the old
/// folder under a name from which the next run restores it. A file that is the same in both is not written again, and
/// keeps its time of modification.
pub fn replace(out: &Path, files: &Files, mark: &Mark) -> Result<()> {
    recover(out)?;
    check_is_ours(out, mark)?;
    let aside = sibling(out, "new");
    remove(&aside)?;
    let folders: BTreeSet<PathBuf> =
        files.keys().filter_map(|path| Some(aside.join(path).parent()?.to_path_buf())).collect();
    for folder in folders {
        std::fs::create_dir_all(&folder).with_context(|| format!("cannot make {}", folder.display()))?;
    }
    files.par_iter().try_for_each(|(path, contents)| put(&aside.join(path), contents, &out.join(path)))?;
    if out.exists() && exchange(&aside, out) {
        return remove(&aside);
    }
    let old = sibling(out, "old");
    if out.exists() {
        std::fs::rename(out, &old).with_context(|| format!("cannot move {} aside", out.display()))?;
    }
    std::fs::rename(&aside, out).with_context(|| format!("cannot put {} in place", out.display()))?;
    remove(&old)
}

/// Makes a file with these contents: a second name of the file `old` if that has them.
fn put(path: &Path, contents: &str, old: &Path) -> Result<()> {
    if holds(old, contents) && std::fs::hard_link(old, path).is_ok() {
        return Ok(());
    }
    std::fs::write(path, contents).with_context(|| format!("cannot write {}", path.display()))
}

/// Whether a path is a file, and no link to one, with these contents.
fn holds(path: &Path, contents: &str) -> bool {
    std::fs::symlink_metadata(path).is_ok_and(|found| found.is_file() && found.len() == contents.len() as u64)
        && std::fs::read(path).is_ok_and(|bytes| bytes == contents.as_bytes())
}

/// Fails, before any work is done, where [`replace()`] would.
pub fn check_writable(out: &Path, mark: &Mark) -> Result<()> {
    recover(out)?;
    check_is_ours(out, mark)?;
    let aside = sibling(out, "new");
    remove(&aside)?;
    // Missing folders are created when there is something to put into them.
    let mut above = aside.parent();
    while let Some(folder) = above.filter(|folder| !folder.as_os_str().is_empty() && !folder.exists()) {
        above = folder.parent();
    }
    let probe = above.unwrap_or(Path::new("")).join(aside.file_name().unwrap_or_default());
    std::fs::create_dir(&probe).with_context(|| format!("cannot write {}", out.display()))?;
    remove(&probe)
}

/// Exchanges two names in one step, where the system has one.
#[cfg(target_os = "linux")]
fn exchange(left: &Path, right: &Path) -> bool {
    use rustix::fs::{CWD, RenameFlags, renameat_with};
    renameat_with(CWD, left, CWD, right, RenameFlags::EXCHANGE).is_ok()
}

#[cfg(not(target_os = "linux"))]
fn exchange(_: &Path, _: &Path) -> bool {
    false
}

/// Replaces one file of an output folder.
pub fn replace_file(path: &Path, contents: impl AsRef<[u8]>) -> Result<()> {
    let aside = path.with_extension("new");
    std::fs::write(&aside, contents).with_context(|| format!("cannot write {}", aside.display()))?;
    std::fs::rename(&aside, path).with_context(|| format!("cannot write {}", path.display()))
}

/// Reads a file of an output folder.
pub fn read(out: &Path, path: &str) -> Result<String> {
    std::fs::read_to_string(out.join(path)).with_context(|| {
        let missing = format!("cannot read {}", out.join(path).display());
        match Group::of(path) {
            Some(group) => {
                format!("{missing}: run generate-ir, with `{}` where --emit is given", group.name())
            }
            None => format!("{missing}: run generate-ir"),
        }
    })
}

/// What differs between `files` and what `out` holds at the paths that `covers` accepts: for each path in order a line
/// that says what is the matter, with the hunks of a unified diff where a file has other contents.
pub fn differences(out: &Path, files: &Files, covers: impl Fn(&str) -> bool) -> Result<Vec<String>> {
    let mut found = BTreeMap::new();
    for (path, contents) in files {
        if TIMED.contains(&path.as_str()) {
            continue;
        }
        match std::fs::read(out.join(path)) {
            Ok(present) if present == contents.as_bytes() => {}
            Ok(present) => {
                let present = String::from_utf8_lossy(&present);
                found.insert(path.clone(), difference(path, &present, contents));
            }
            Err(_) => {
                found.insert(path.clone(), format!("{path}: missing\n"));
            }
        }
    }
    for path in list(out, out)? {
        if covers(&path) && !files.contains_key(&path) && !TIMED.contains(&path.as_str()) {
            let text = format!("{path}: no longer generated\n");
            found.insert(path, text);
        }
    }
    Ok(found.into_values().collect())
}

/// The files below a folder, by path below `root`, with `/`.
pub fn list(folder: &Path, root: &Path) -> Result<Vec<String>> {
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

/// A folder that is there must be empty or an earlier output: other files are never deleted.
fn check_is_ours(out: &Path, mark: &Mark) -> Result<()> {
    if !out.exists() {
        return Ok(());
    }
    if !out.is_dir() {
        return Err(usage(format!("{} is not a folder", out.display())));
    }
    let empty =
        std::fs::read_dir(out).with_context(|| format!("cannot list {}", out.display()))?.next().is_none();
    if !empty && !is_ours(out, mark) {
        return Err(usage(format!(
            "{} holds other files than generated ones; choose another --out",
            out.display()
        )));
    }
    Ok(())
}

/// Whether a folder is of a kind that we write.
pub fn is_ours(folder: &Path, Mark(file, keys): &Mark) -> bool {
    let Ok(text) = std::fs::read_to_string(folder.join(file)) else { return false };
    let json: serde_json::Value = serde_json::from_str(&text).unwrap_or_default();
    keys.iter().all(|key| json.get(key).is_some())
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

/// A hidden folder next to `out` with a name that nothing else uses.
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
