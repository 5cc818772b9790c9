//! Which vendor documents are there, and what `specs/manifest.toml` knows about them.

use std::fmt;
use std::fs;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result};
use serde::Deserialize;

use crate::root;

/// A document of the manifest.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Document {
    /// `x86`, `arm` or `hvx`.
    pub isa: String,
    /// Path below a specs folder.
    pub file: String,
    /// What it is, for people.
    pub note: String,
    /// Hash of the file as `hydride join-arm` makes it of fetched documents.
    pub joined: Option<String>,
    /// The revisions that were tested.
    pub revision: Vec<Revision>,
    /// The packages that hold it, in the order in which they are tried; empty when it is to be had by hand.
    #[serde(default)]
    pub source: Vec<Source>,
}

/// A revision of a document.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Revision {
    /// The vendor's revision, or the package that holds it.
    pub version: String,
    /// Hash of the file.
    pub blake3: String,
}

/// A package that holds a document.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Source {
    /// The kind of package.
    pub origin: Origin,
    /// Its name.
    pub package: String,
    /// Where the file may lie in it, newest layout first.
    pub members: Vec<String>,
}

/// Kinds of package.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Origin {
    /// A binary package of Debian.
    Deb,
    /// A source package of Debian.
    DebSrc,
}

impl Document {
    /// The tested revision with this hash.
    pub fn known(&self, hash: &str) -> Option<&Revision> {
        self.revision.iter().find(|revision| revision.blake3 == hash)
    }
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Manifest {
    document: Vec<Document>,
}

/// The documents of `specs/manifest.toml`.
pub fn manifest() -> Result<Vec<Document>> {
    let path = root().join("specs/manifest.toml");
    let text = fs::read_to_string(&path).with_context(|| format!("cannot read {}", path.display()))?;
    let manifest: Manifest =
        toml::from_str(&text).with_context(|| format!("cannot read {}", path.display()))?;
    Ok(manifest.document)
}

/// A folder of documents and why it was taken.
#[derive(Debug, PartialEq, Eq)]
pub struct Specs {
    /// The folder.
    pub folder: PathBuf,
    /// Why it was taken.
    pub because: &'static str,
}

impl fmt::Display for Specs {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} ({})", self.folder.display(), self.because)
    }
}

/// The folder that holds fetched documents.
pub fn vendor_folder() -> PathBuf {
    root().join("specs/vendor")
}

/// The folder with the hand-written sample documents.
pub fn sample_folder() -> PathBuf {
    root().join("specs/sample")
}

/// Whether a folder holds a file below a folder of an instruction set.
pub fn has_documents(folder: &Path) -> bool {
    let entries =
        |folder: &Path| fs::read_dir(folder).into_iter().flatten().flatten().map(|entry| entry.path());
    entries(folder).any(|isa| entries(&isa).any(|document| document.is_file()))
}

/// The documents available without fetching: the requested ones, else the fetched ones.
pub fn present(asked: Option<&Path>) -> Option<Specs> {
    if let Some(folder) = asked {
        // Relative to the user's working directory, before anything runs at the repository's root.
        let folder = std::path::absolute(folder).unwrap_or_else(|_| folder.to_owned());
        return Some(Specs { folder, because: "--specs" });
    }
    let folder = vendor_folder();
    has_documents(&folder).then_some(Specs { folder, because: "fetched documents" })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_document_of_the_manifest_says_where_it_lies() {
        let documents = manifest().unwrap();
        assert!(documents.len() >= 12);
        for document in &documents {
            assert!(document.file.starts_with(&format!("{}/", document.isa)), "{}", document.file);
            assert!(!document.revision.is_empty(), "{}", document.file);
            let hashes = document.revision.iter().map(|revision| &revision.blake3).chain(&document.joined);
            assert!(hashes.into_iter().all(|hash| hash.len() == 64), "{}", document.file);
            assert!(document.source.iter().all(|source| !source.members.is_empty()), "{}", document.file);
        }
    }

    #[test]
    fn a_folder_counts_only_with_files_of_an_instruction_set() {
        let folder = tempfile::tempdir().unwrap();
        assert!(!has_documents(folder.path()));
        fs::create_dir_all(folder.path().join("x86")).unwrap();
        assert!(!has_documents(folder.path()));
        fs::write(folder.path().join("x86/a.xml"), "").unwrap();
        assert!(has_documents(folder.path()));
        assert_eq!(present(Some(folder.path())).unwrap().because, "--specs");
    }
}
