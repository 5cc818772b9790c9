//! The targets of a search: extensions, register width, two-address form.

use std::collections::{BTreeMap, BTreeSet};

use anyhow::{Context, Result};
use parsers::Instruction;
use serde::Deserialize;

use crate::usage;

/// The table, as checked in.
const TARGETS: &str = include_str!("../../../specs/targets.toml");

/// What a search may use.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Target {
    /// Name in tables.
    pub name: String,
    /// The instruction set.
    pub isa: String,
    /// Extensions that must be asked for.
    #[serde(default)]
    needs: Vec<String>,
    /// All extensions that an instruction may need.
    pub extensions: BTreeSet<String>,
    /// Ids that are left out (globs).
    #[serde(default)]
    pub without: Vec<String>,
    /// Width of vector registers in bits.
    pub width: u32,
    /// Width of the narrowest vector register in bits.
    #[serde(default)]
    pub least_width: u32,
    /// Whether instructions of SSE have no forms with a register for the result.
    #[serde(default)]
    pub two_address: bool,
    /// Extensions of x86 whose instructions have no three-operand forms even where there is AVX.
    #[serde(default)]
    pub only_legacy: BTreeSet<String>,
    /// Vector registers.
    pub registers: usize,
    /// Values for scalar operands where the goal has no scalars.
    #[serde(default)]
    pub scalar_constants: Vec<i64>,
}

#[derive(Deserialize)]
struct Table {
    target: Vec<Target>,
    implies: BTreeMap<String, Vec<String>>,
}

fn table() -> Result<Table> {
    toml::from_str(TARGETS).context("specs/targets.toml")
}

impl Target {
    /// Whether it has an instruction.
    pub fn has(&self, instruction: &Instruction) -> bool {
        instruction.extensions.iter().all(|extension| self.extensions.contains(extension))
    }
}

/// Refuses extensions that neither the table knows nor any instruction, of which `named` are all.
pub fn check(asked: &[String], named: &BTreeSet<String>) -> Result<()> {
    let table = table()?;
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

/// Every target, in the order of the table.
pub fn all() -> Result<Vec<Target>> {
    Ok(table()?.target)
}

/// The target of an instruction set with the extensions asked for and what they bring with them; without
/// any, the instruction set's first target as it stands.
pub fn choose(isa: &str, extensions: &[String]) -> Result<Target> {
    let table = table()?;
    let mut own: Vec<Target> = table.target.into_iter().filter(|target| target.isa == isa).collect();
    if own.is_empty() {
        return Err(usage(format!("unknown instruction set {isa}")));
    }
    if extensions.is_empty() {
        return Ok(own.swap_remove(0));
    }
    let mut asked: BTreeSet<String> = BTreeSet::new();
    let mut pending: Vec<String> = extensions.to_vec();
    while let Some(extension) = pending.pop() {
        if asked.insert(extension.clone()) {
            pending.extend(table.implies.get(&extension).into_iter().flatten().cloned());
        }
    }
    let fits = |target: &&Target| target.needs.iter().all(|needed| asked.contains(needed));
    let Some(target) = own.iter().rev().find(fits) else {
        return Err(usage(format!("no target of {isa} has only {}", extensions.join(","))));
    };
    Ok(Target { extensions: asked, name: extensions.join("+"), ..target.clone() })
}
