//! The sources that describe one instruction set, each of which can be compared with another.

use std::path::Path;
use std::sync::Arc;

use anyhow::Result;
use parsers::Isa;

use super::input::{self, Input};
use crate::isa::Source;
use crate::{Session, usage};

/// The sources of an instruction set.
fn sources(session: &Session, isa: Isa) -> &'static [Source] {
    session.set(isa).front_end.sources
}

/// The source of that name.
fn find(session: &Session, isa: Isa, name: &str) -> Result<&'static Source> {
    let own = sources(session, isa);
    let found = own.iter().find(|source| source.name == name);
    found.ok_or_else(|| {
        let known: Vec<&str> = own.iter().map(|source| source.name).collect();
        let known = if known.is_empty() { "one alone".to_owned() } else { known.join(", ") };
        usage(format!("{} has no source {name}: it has {known}", isa.name()))
    })
}

/// One source of an instruction set as an input.
pub fn read_one(session: &Session, isa: Isa, name: &str, specs: Option<&Path>) -> Result<Input> {
    let source = find(session, isa, name)?;
    Ok(input::source(&Arc::new(session.read(specs, &[isa])?), isa, source))
}

/// Two sources of an instruction set as inputs: those named, else its first two.
pub fn read(session: &Session, isa: Isa, names: &[String], specs: Option<&Path>) -> Result<[Input; 2]> {
    let own = sources(session, isa);
    if own.len() < 2 {
        return Err(usage(format!("{} has one source; give two revisions of it as OLD and NEW", isa.name())));
    }
    let known = || own.iter().map(|source| source.name).collect::<Vec<_>>().join(", ");
    let chosen = match names {
        [] => [&own[0], &own[1]],
        [old, new] => [find(session, isa, old)?, find(session, isa, new)?],
        _ => return Err(usage(format!("--sources takes two names: of {}", known()))),
    };
    let documents = Arc::new(session.read(specs, &[isa])?);
    Ok(chosen.map(|source| input::source(&documents, isa, source)))
}
