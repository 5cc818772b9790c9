//! The documents that the Arm tests read.

// Each test program uses a part of this.

use std::path::{Path, PathBuf};

use parsers::Parsed;
use parsers::arm::{Bodies, Document, Documents, Options, parse};
use parsers::errata::Errata;

/// The contents of a set of documents.
#[derive(Clone)]
pub struct Files {
    pub intrinsics: Vec<u8>,
    pub operations: Vec<u8>,
    pub instructions: Vec<u8>,
    pub library: Vec<u8>,
    pub decode: Vec<u8>,
    pub page: Vec<u8>,
    pub newer: Vec<u8>,
    pub errata: Option<Errata>,
}

/// A path below the repository.
pub fn repository(path: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("..").join(path)
}

/// Reads errata; Arm's have no digests.
pub fn errata(text: &str) -> Errata {
    Errata::parse("errata.toml", text, |_| String::new()).unwrap_or_else(|error| panic!("{error}"))
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
            page: read("arm-intrinsics.html").unwrap_or_default(),
            newer: read("intrinsics-no-operations.json").unwrap_or_default(),
            errata: None,
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
            page: None,
            newer: None,
        }
    }

    /// The reference page and the newer data instead of the two-file form.
    pub fn joined(&self) -> Documents<'_> {
        fn document<'a>(name: &'static str, bytes: &'a [u8]) -> Option<Document<'a>> {
            (!bytes.is_empty()).then_some(Document { name, bytes })
        }
        Documents {
            intrinsics: None,
            operations: None,
            page: document("page.html", &self.page),
            newer: document("newer.json", &self.newer),
            ..self.documents()
        }
    }

    /// What the parser says about them.
    pub fn parse(&self) -> Parsed {
        parse(&self.documents(), &self.options(Bodies::Any))
    }

    /// The options with the errata.
    pub fn options(&self, bodies: Bodies) -> Options<'_> {
        Options { errata: self.errata.as_ref(), bodies, ..Options::default() }
    }
}
