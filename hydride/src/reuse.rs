//! A run whose inputs are those of an earlier one, and whose outputs still exist, is finished immediately.
//!
//! Inputs are everything that the outputs depend on: the documents, errata, families and records of validation,
//! the options, and (through the version of the cache) the program. Outputs are compared file by file.

use std::collections::BTreeMap;
use std::path::Path;

use anyhow::Result;
use rayon::prelude::*;
use serde::{Deserialize, Serialize};

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
    /// The families, where the run was given a file with them.
    pub families: Option<String>,
}

impl Kept {
    /// What is to be kept of a run that wrote `files`.
    pub fn new(files: &Files, messages: String, families: Option<String>) -> Option<Self> {
        let summary = files.get(OUTPUTS.0)?.clone();
        let own: Vec<(&String, &String)> = files.iter().filter(|(path, _)| *path != OUTPUTS.0).collect();
        let files = own.par_iter().map(|(path, text)| ((*path).clone(), hash(text.as_bytes()))).collect();
        Some(Self { files, summary, messages, families })
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
