//! What the documents say of a target's instructions, read once: the cache keeps it from call to call.

use std::collections::BTreeSet;

use anyhow::Result;
use memo::digest;
use parsers::{Instruction, Isa};
use serde::{Deserialize, Serialize};

use crate::Session;
use crate::cache::CacheArgs;
use crate::console::Phases;
use crate::documents::Documents;
use crate::isa::Target;

/// The instructions of a target.
#[derive(Serialize, Deserialize)]
pub struct Known {
    /// Those whose extensions the target has.
    pub instructions: Vec<Instruction>,
    /// The extensions that any instruction of the instruction set needs.
    pub extensions: BTreeSet<String>,
}

/// Takes them from the cache or reads the documents.
pub fn known(
    session: &Session,
    cache: &CacheArgs,
    documents: &Documents,
    isa: Isa,
    target: &Target,
    phases: &mut Phases,
) -> Result<Known> {
    let all = session.documents_key(isa, &documents.of(isa));
    let extensions: Vec<&str> = target.extensions.iter().map(String::as_str).collect();
    let key = digest([b"search".as_slice(), &all, extensions.join(" ").as_bytes()]);
    // What `generate-ir` kept of whole documents serves too.
    let cache = cache.open_at(&[key, all]);
    let memo = cache.memo();
    let phase = phases.start("parse", 0);
    let read = || -> Result<Known> {
        let parsed = session.parse(isa, documents, &memo, &|done, total| phase.set(done, total))?;
        let named = parsed.instructions.iter().flat_map(|instruction| &instruction.extensions);
        let extensions = named.cloned().collect();
        let instructions = parsed.instructions.into_iter().filter(|instruction| target.has(instruction));
        Ok(Known { instructions: instructions.collect(), extensions })
    };
    let known = memo.try_get_or(|| key, read)?;
    cache.save();
    phases.end(phase, &format!("{} instructions", known.instructions.len()));
    Ok(known)
}
