//! The targets of a search: extensions, register width, two-address form.

use std::collections::{BTreeMap, BTreeSet};

use anyhow::{Context, Result};
use serde::Deserialize;

use crate::isa::{InstructionSet, Target};
use crate::{Session, usage};

#[derive(Deserialize)]
struct Table {
    target: Vec<Target>,
    /// What an extension brings with it.
    #[serde(default)]
    implies: BTreeMap<String, Vec<String>>,
}

/// The table of an instruction set.
fn table(set: &InstructionSet) -> Result<Table> {
    let mut table: Table =
        toml::from_str(set.searched()?.targets).with_context(|| format!("the targets of {}", set.name))?;
    table.target.iter_mut().for_each(|target| target.isa = set.name);
    Ok(table)
}

/// Refuses extensions that neither the table of an instruction set knows nor any instruction, of which `named` are all.
pub fn check(set: &InstructionSet, asked: &[String], named: &BTreeSet<String>) -> Result<()> {
    let table = table(set)?;
    let known = |extension: &&String| {
        table.implies.contains_key(*extension)
            || table.target.iter().any(|target| target.extensions.contains(*extension))
            || named.contains(*extension)
    };
    match asked.iter().find(|extension| !known(extension)) {
        Some(extension) => Err(usage(format!("no instruction needs the extension {extension}"))),
        None => Ok(()),
    }
}

/// Every target, in the order of the instruction sets and their tables.
pub fn all(session: &Session) -> Result<Vec<Target>> {
    let tables = session.sets().filter(|set| set.search.is_some()).map(table);
    Ok(tables.collect::<Result<Vec<_>>>()?.into_iter().flat_map(|table| table.target).collect())
}

/// The target of an instruction set with the extensions asked for and what they bring with them; without
/// any, the instruction set's first target unchanged.
pub fn choose(set: &InstructionSet, extensions: &[String]) -> Result<Target> {
    let Table { target: mut own, implies } = table(set)?;
    if extensions.is_empty() {
        return Ok(own.swap_remove(0));
    }
    let mut asked: BTreeSet<String> = BTreeSet::new();
    let mut pending: Vec<String> = extensions.to_vec();
    while let Some(extension) = pending.pop() {
        if asked.insert(extension.clone()) {
            pending.extend(implies.get(&extension).into_iter().flatten().cloned());
        }
    }
    let fits = |target: &&Target| target.needs.iter().all(|needed| asked.contains(needed));
    let Some(target) = own.iter().rev().find(fits) else {
        return Err(usage(format!("no target of {} has only {}", set.name, extensions.join(","))));
    };
    Ok(Target { extensions: asked, name: extensions.join("+"), ..target.clone() })
}
