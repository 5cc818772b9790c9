//! The sources that describe one instruction set, each of which can be compared with another.

use std::path::Path;
use std::sync::Arc;

use anyhow::Result;
use parsers::{Isa, Parsed, arm, hexagon};

use super::input::{self, Input};
use crate::documents::{self, ARM_PAGE, Document, Documents, isa_name};
use crate::{Failure, usage};

/// A source among the documents of an instruction set.
pub struct Source {
    pub isa: Isa,
    /// Its name on the command line.
    pub name: &'static str,
    /// What it is.
    pub words: &'static str,
    reading: Reading,
}

/// How a source is read.
#[derive(Clone, Copy)]
enum Reading {
    Manual,
    Semantics,
    Operations,
    Asl,
    Page,
}

/// All sources; the first two of an instruction set are compared when none are named.
const SOURCES: &[Source] = &[
    Source { isa: Isa::Hvx, name: "manual", words: "manual", reading: Reading::Manual },
    Source { isa: Isa::Hvx, name: "semantics", words: "semantics file", reading: Reading::Semantics },
    Source {
        isa: Isa::Arm,
        name: "operations",
        words: "intrinsics with their operations",
        reading: Reading::Operations,
    },
    Source {
        isa: Isa::Arm,
        name: "asl",
        words: "intrinsics with the instructions' ASL",
        reading: Reading::Asl,
    },
    Source { isa: Isa::Arm, name: "page", words: "older page with its operations", reading: Reading::Page },
];

/// The source of that name.
fn find(isa: Isa, name: &str) -> Result<&'static Source> {
    let own = SOURCES.iter().filter(|source| source.isa == isa);
    let found = own.clone().find(|source| source.name == name);
    found.ok_or_else(|| {
        let known: Vec<&str> = own.map(|source| source.name).collect();
        let known = if known.is_empty() { "one alone".to_owned() } else { known.join(", ") };
        usage(format!("{} has no source {name}: it has {known}", isa_name(isa)))
    })
}

/// One source of an instruction set as an input.
pub fn read_one(isa: Isa, name: &str, specs: Option<&Path>) -> Result<Input> {
    let source = find(isa, name)?;
    Ok(input::source(&Arc::new(documents::read(specs, &[isa])?), source))
}

/// Two sources of an instruction set as inputs: those named, else its first two.
pub fn read(isa: Isa, names: &[String], specs: Option<&Path>) -> Result<[Input; 2]> {
    let own: Vec<&'static Source> = SOURCES.iter().filter(|source| source.isa == isa).collect();
    if own.is_empty() {
        return Err(usage(format!(
            "{} has one source; give two revisions of it as OLD and NEW",
            isa_name(isa)
        )));
    }
    let known = || own.iter().map(|source| source.name).collect::<Vec<_>>().join(", ");
    let chosen = match names {
        [] => [own[0], own[1]],
        [old, new] => [find(isa, old)?, find(isa, new)?],
        _ => return Err(usage(format!("--sources takes two names: of {}", known()))),
    };
    let documents = Arc::new(documents::read(specs, &[isa])?);
    Ok(chosen.map(|source| input::source(&documents, source)))
}

impl Source {
    /// Reads it.
    pub fn parse(&self, documents: &Documents) -> Result<Parsed> {
        let own: Vec<&Document> = documents.documents.iter().collect();
        let options = arm::Options { errata: crate::errata::of(Isa::Arm), ..arm::Options::default() };
        let hvx = documents::hvx_options();
        let parsed = match self.reading {
            Reading::Manual => hexagon::parse_manual(&documents::hexagon(&own), &hvx),
            Reading::Semantics => hexagon::parse_idef(&documents::hexagon(&own), &hvx),
            Reading::Asl => arm::parse(&documents::arm(&own), &options),
            Reading::Operations => {
                arm::parse(&arm::Documents { instructions: None, ..documents::arm(&own) }, &options)
            }
            Reading::Page => {
                let own = documents::arm(&own);
                if own.page.is_none() {
                    let message = format!("{} holds no arm/{ARM_PAGE}", documents.folder.display());
                    return Err(Failure { code: 3, message }.into());
                }
                let alone = arm::Documents { intrinsics: None, operations: None, instructions: None, ..own };
                arm::parse(&alone, &options)
            }
        };
        documents::require_whole(&parsed.diagnostics, &own)?;
        Ok(parsed)
    }
}
