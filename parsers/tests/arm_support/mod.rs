//! The documents that the Arm tests read.

// Each test program uses a part of this.
#![allow(dead_code)]

use std::path::{Path, PathBuf};

use parsers::Parsed;
use parsers::arm::{Document, Documents, Options, parse};

/// The contents of a set of documents.
#[derive(Clone)]
pub struct Files {
    pub intrinsics: Vec<u8>,
    pub operations: Vec<u8>,
    pub instructions: Vec<u8>,
    pub library: Vec<u8>,
    pub decode: Vec<u8>,
    pub errata: Vec<u8>,
}

/// A path below the repository.
pub fn repository(path: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("..").join(path)
}

impl Files {
    /// The documents of a folder with the repository's decode facts.
    pub fn read(folder: &Path) -> Option<Self> {
        let read = |name: &str| std::fs::read(folder.join(name)).ok();
        Some(Self {
            intrinsics: read("intrinsics.json")?,
            operations: read("operations.json")?,
            instructions: read("arch_instrs.asl")?,
            library: read("arch.asl")?,
            errata: b"[]".to_vec(),
            decode: std::fs::read(repository("specs/decode/a64.json")).ok()?,
        })
    }

    /// The samples.
    pub fn sample() -> Self {
        Self::read(&repository("specs/sample/arm")).expect("the samples")
    }

    /// The documents as the parser takes them.
    pub fn documents(&self) -> Documents<'_> {
        let document = |name, bytes| Some(Document { name, bytes });
        Documents {
            intrinsics: document("intrinsics.json", &self.intrinsics),
            operations: document("operations.json", &self.operations),
            instructions: document("arch_instrs.asl", &self.instructions),
            library: document("arch.asl", &self.library),
            decode: document("a64.json", &self.decode),
            errata: document("errata.json", &self.errata),
        }
    }

    /// What the parser says about them.
    pub fn parse(&self) -> Parsed {
        parse(&self.documents(), &Options::default())
    }
}
