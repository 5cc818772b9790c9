//! What instructions cost, read from the tables in `specs/costs`.

use std::collections::BTreeMap;

use anyhow::{Context, Result};
use serde::{Deserialize, Serialize};

use crate::{Session, usage};

/// A cost table: for one machine, with where its numbers come from.
#[derive(Debug, Serialize, Deserialize)]
pub struct CostTable {
    /// The machine's name: `--cpu`.
    pub cpu: String,
    /// The instruction set.
    pub isa: String,
    /// Where the numbers come from.
    pub source: String,
    /// What a micro-operation is on this machine.
    pub uop: String,
    /// Latency in cycles and micro-operations by `mnemonic operands`, as the document has them, lower case.
    pub instructions: BTreeMap<String, (u32, u32)>,
}

impl CostTable {
    /// The tables of every instruction set.
    pub fn all(session: &Session) -> Result<Vec<Self>> {
        let texts = session.sets().filter_map(|set| set.search.as_ref()).flat_map(|search| search.costs);
        texts.map(|text| serde_json::from_str(text).context("specs/costs")).collect()
    }

    /// Latency and micro-operations of a form; `None` for one that the table does not know.
    pub fn of(&self, mnemonic: &str, operands: &str) -> Option<(u32, u32)> {
        self.instructions.get(&key(mnemonic, operands)).copied()
    }
}

/// Costs for a search: a table, or one for everything.
pub struct Costs {
    table: Option<CostTable>,
}

impl Costs {
    /// Every instruction costs one.
    pub fn length() -> Self {
        Self { table: None }
    }

    /// The costs of a machine.
    pub fn of_cpu(session: &Session, cpu: &str, name: &str) -> Result<Self> {
        let mut names = Vec::new();
        for table in CostTable::all(session)? {
            if table.cpu == cpu && table.isa == name {
                return Ok(Self { table: Some(table) });
            }
            names.push(format!("{} ({})", table.cpu, table.isa));
        }
        Err(usage(format!("no costs of {cpu} for {name}; there are {}", names.join(", "))))
    }

    /// Latency and micro-operations; `None` for an instruction that the table does not know.
    pub fn of(&self, mnemonic: &str, operands: &str) -> Option<(u32, u32)> {
        match &self.table {
            None => Some((1, 1)),
            Some(table) => table.of(mnemonic, operands),
        }
    }

    /// Where the numbers come from.
    pub fn source(&self) -> Option<&str> {
        self.table.as_ref().map(|table| table.source.as_str())
    }
}

/// The key of an instruction's form in a table.
pub fn key(mnemonic: &str, operands: &str) -> String {
    let operands: Vec<String> = operands.split(',').map(|operand| operand.trim().to_lowercase()).collect();
    format!("{} {}", mnemonic.to_lowercase(), operands.join(", "))
}
