//! A run whose inputs are those of an earlier one, and whose outputs still exist, is finished immediately.
//!
//! Inputs are everything that the outputs depend on: the documents, errata, names and records of validation,
//! the options, and (through the version of the cache) the program. Outputs are compared file by file.

use std::collections::BTreeMap;
use std::path::Path;

use anyhow::Result;
use parsers::Isa;
use rayon::prelude::*;
use serde::{Deserialize, Serialize};
use smt::Key;

use crate::Session;
use crate::documents::{Document, Documents};
use crate::outputs::{Files, OUTPUTS, list};

/// What is kept of a run.
#[derive(Serialize, Deserialize)]
pub struct Kept {
    /// Hash of each file but the one that holds times.
    files: BTreeMap<String, String>,
    /// The file that holds times.
    pub summary: String,
    /// What the run said at its end.
    pub messages: String,
    /// The names as they were written.
    pub lock: String,
}

/// A key of parts in this order.
pub fn digest<'a>(parts: impl IntoIterator<Item = &'a [u8]>) -> Key {
    let mut hasher = blake3::Hasher::new();
    for part in parts {
        hasher.update(&(part.len() as u64).to_le_bytes());
        hasher.update(part);
    }
    *hasher.finalize().as_bytes()
}

/// Everything that the outputs of a run depend on, as a key; `options` are those that change outputs, `texts`
/// the other inputs.
pub fn key(documents: &Documents, options: &str, texts: &[&str]) -> Key {
    let hashes: Vec<blake3::Hash> =
        documents.documents.par_iter().map(|document| blake3::hash(&document.bytes)).collect();
    let named = documents.documents.iter().zip(&hashes);
    let named = named.flat_map(|(document, hash)| [document.name.as_bytes(), hash.as_bytes().as_slice()]);
    let texts = texts.iter().map(|text| text.as_bytes());
    digest(std::iter::once(options.as_bytes()).chain(texts).chain(named))
}

/// Everything that the reading of one instruction set's documents depends on.
pub fn documents_key(session: &Session, own: &[&Document], isa: Isa) -> Key {
    let options = format!("documents {isa:?} {:?} {:?}", session.reading_flags(), errata(session, &[isa]));
    let parts = own.iter().flat_map(|document| [document.name.as_bytes(), document.bytes.as_slice()]);
    digest(std::iter::once(options.as_bytes()).chain(parts))
}

/// The errata of a run as text.
pub fn errata(session: &Session, isas: &[Isa]) -> Vec<String> {
    let own = isas.iter().map(|isa| {
        let errata = session.errata(*isa).map(|errata| (&errata.file, &errata.errata));
        format!("{errata:?}")
    });
    own.collect()
}

impl Kept {
    /// What is to be kept of a run that wrote `files`.
    pub fn new(files: &Files, messages: String, lock: String) -> Option<Self> {
        let summary = files.get(OUTPUTS.0)?.clone();
        let own: Vec<(&String, &String)> = files.iter().filter(|(path, _)| *path != OUTPUTS.0).collect();
        let files = own.par_iter().map(|(path, text)| ((*path).clone(), hash(text.as_bytes()))).collect();
        Some(Self { files, summary, messages, lock })
    }

    /// Whether a folder holds these files and no others.
    pub fn is_in(&self, folder: &Path) -> Result<bool> {
        let mut present = list(folder, folder)?;
        present.retain(|path| path != OUTPUTS.0);
        if !folder.join(OUTPUTS.0).is_file() || present.len() != self.files.len() {
            return Ok(false);
        }
        let same = |(path, wanted): (&String, &String)| {
            std::fs::read(folder.join(path)).is_ok_and(|bytes| hash(&bytes) == *wanted)
        };
        Ok(self.files.par_iter().all(same))
    }
}

fn hash(bytes: &[u8]) -> String {
    blake3::hash(bytes).to_hex().to_string()
}
