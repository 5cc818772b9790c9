//! The vendors' documents that tests run on. Only for tests: it reads the environment and prints.
//!
//! `HYDRIDE_SPECS` lists folders of documents, as `PATH` lists folders of programs; `cargo xtask test` sets it. What
//! they hold differs from one machine to the next: everything, what packages hold, or nothing. A test says which
//! documents it needs, and what it skips for want of them is printed and counted at the end of the run.
//!
//! ```
//! for folder in vendor_documents::with(&["x86"]) {
//!     println!("x86 documents are in {}", folder.join("x86").display());
//! }
//! ```

#![forbid(unsafe_code)]

use std::io::Write;
use std::path::{Path, PathBuf};

/// The folders of documents, in the order of `HYDRIDE_SPECS`.
pub fn folders() -> Vec<PathBuf> {
    let listed = std::env::var_os("HYDRIDE_SPECS").unwrap_or_default();
    std::env::split_paths(&listed).filter(|folder| !folder.as_os_str().is_empty()).collect()
}

/// The folders that hold all of these files or folders, given by their paths below a folder of documents. Where there
/// are none, says that the test is skipped.
pub fn with(paths: &[&str]) -> Vec<PathBuf> {
    let found = holding(&folders(), paths);
    if found.is_empty() {
        skip(&format!("no folder of HYDRIDE_SPECS holds {}", paths.join(" and ")));
    }
    found
}

/// The first folder that holds these documents in the revision that comes first in `specs/manifest.toml`, which is the one
/// that figures in tests are about. Where there is none, says that the test is skipped.
pub fn tested(files: &[&str]) -> Option<PathBuf> {
    let found = folders().into_iter().find(|folder| files.iter().all(|file| is_tested(folder, file)));
    if found.is_none() {
        skip(&format!("no folder of HYDRIDE_SPECS holds the tested revision of {}", files.join(" and ")));
    }
    found
}

/// Whether the folders together hold the tested revision of every document of an instruction set.
pub fn complete(isa: &str) -> bool {
    let prefix = format!("{isa}/");
    let (folders, manifest) = (folders(), manifest());
    let mut files = documents(&manifest).map(|(file, _)| file).filter(|file| file.starts_with(&prefix));
    files.all(|file| folders.iter().any(|folder| is_tested(folder, file)))
}

/// Says that a test, or a part of it, did not run. Unlike `eprintln!` it is not captured, and `cargo xtask test` counts it.
pub fn skip(why: &str) {
    let line = format!("SKIPPED {}: {why}\n", this_test());
    let _ = std::io::stderr().write_all(line.as_bytes());
    // Tests run at the same time: one write for each line.
    if let Some(path) = std::env::var_os("HYDRIDE_SKIPS")
        && let Ok(mut file) = std::fs::OpenOptions::new().append(true).create(true).open(path)
    {
        let _ = file.write_all(line.as_bytes());
    }
}

/// Says a figure that is worth seeing; like [`skip`] it is not captured.
pub fn note(what: &str) {
    let _ = std::io::stderr().write_all(format!("NOTE {}: {what}\n", this_test()).as_bytes());
}

fn this_test() -> String {
    std::thread::current().name().unwrap_or("a test").to_owned()
}

fn holding(folders: &[PathBuf], paths: &[&str]) -> Vec<PathBuf> {
    let holds = |folder: &&PathBuf| paths.iter().all(|path| folder.join(path).exists());
    folders.iter().filter(holds).cloned().collect()
}

/// The manifest that the repository has.
fn manifest() -> toml::Table {
    include_str!("../../specs/manifest.toml").parse().expect("specs/manifest.toml can be read")
}

/// The documents of a manifest by path, with the hash of their first revision.
fn documents(manifest: &toml::Table) -> impl Iterator<Item = (&str, &str)> {
    let documents = manifest["document"].as_array().into_iter().flatten();
    documents.filter_map(|document| {
        Some((document.get("file")?.as_str()?, document.get("revision")?.get(0)?.get("blake3")?.as_str()?))
    })
}

fn is_tested(folder: &Path, file: &str) -> bool {
    let manifest = manifest();
    let Some((_, wanted)) = documents(&manifest).find(|(known, _)| *known == file) else {
        panic!("{file} is not in specs/manifest.toml");
    };
    std::fs::read(folder.join(file)).is_ok_and(|bytes| blake3::hash(&bytes).to_hex().as_str() == wanted)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_manifest_has_documents_of_every_instruction_set() {
        let manifest = manifest();
        for isa in ["x86/", "arm/", "hvx/"] {
            assert!(
                documents(&manifest).any(|(file, hash)| file.starts_with(isa) && hash.len() == 64),
                "{isa}"
            );
        }
    }

    #[test]
    fn folders_are_found_by_what_they_hold() {
        let [one, other] = [tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap()];
        std::fs::create_dir(one.path().join("x86")).unwrap();
        std::fs::write(one.path().join("x86/a.xml"), "").unwrap();
        let folders = [one.path().to_path_buf(), other.path().to_path_buf()];
        assert_eq!(holding(&folders, &["x86"]), [one.path()]);
        assert_eq!(holding(&folders, &["x86", "x86/a.xml"]), [one.path()]);
        assert_eq!(holding(&folders, &["x86", "arm"]), [""; 0].map(PathBuf::from));
    }

    #[test]
    fn another_revision_is_not_the_tested_one() {
        let folder = tempfile::tempdir().unwrap();
        std::fs::create_dir(folder.path().join("arm")).unwrap();
        std::fs::write(folder.path().join("arm/intrinsics.json"), "[]").unwrap();
        assert!(!is_tested(folder.path(), "arm/intrinsics.json"));
        assert!(!is_tested(folder.path(), "arm/arch.asl"));
    }
}
