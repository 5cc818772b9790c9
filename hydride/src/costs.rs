//! What instructions cost, read from the tables in `specs/costs`.

use std::collections::{BTreeMap, BTreeSet};

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
    /// The names of what executes micro-operations; empty where that is not known.
    #[serde(default)]
    pub ports: Vec<String>,
    /// Micro-operations that go to the ports in a cycle, at most; 0 where that is not known.
    #[serde(default)]
    pub width: u32,
    /// Latency in cycles, micro-operations and what they take of the ports, by `mnemonic operands`, as the document has them,
    /// lower case.
    pub instructions: BTreeMap<String, (u32, u32, Vec<Busy>)>,
}

/// Ports, by position, and the cycles that they are busy together.
pub type Busy = (Vec<u8>, f64);

impl CostTable {
    /// The tables of every instruction set.
    pub fn all(session: &Session) -> Result<Vec<Self>> {
        let texts = session.sets().filter_map(|set| set.search.as_ref()).flat_map(|search| search.costs);
        texts.map(|text| serde_json::from_str(text).context("specs/costs")).collect()
    }

    /// Latency and micro-operations of a form; `None` for one that the table does not know.
    pub fn of(&self, mnemonic: &str, operands: &str) -> Option<(u32, u32)> {
        self.instructions.get(&key(mnemonic, operands)).map(|(latency, uops, _)| (*latency, *uops))
    }

    /// Cycles between the starts of one sequence of these forms and the next one, if nothing waits for a result: as many as
    /// the busiest ports need, however their work is dealt out, or as micro-operations need that come in a cycle `width` at a
    /// time. `None` without ports, and where a form is not known.
    pub fn throughput<'a>(&self, forms: impl Iterator<Item = (&'a str, &'a str)>) -> Option<f64> {
        if self.ports.is_empty() || self.width == 0 {
            return None;
        }
        let (mut all, mut work): (u32, BTreeMap<u64, f64>) = (0, BTreeMap::new());
        for (mnemonic, operands) in forms {
            let (_, uops, busy) = self.instructions.get(&key(mnemonic, operands))?;
            all += uops;
            for (ports, cycles) in busy {
                let set = ports.iter().fold(0, |set, port| set | 1 << (port & 63));
                *work.entry(set).or_default() += cycles;
            }
        }
        // The busiest ports are those of some of the groups together.
        let mut unions: BTreeSet<u64> = BTreeSet::new();
        for set in work.keys() {
            let wider: Vec<u64> = unions.iter().map(|union| union | set).collect();
            unions.extend(wider);
            unions.insert(*set);
        }
        let bound = |union: &u64| {
            let inside = work.iter().filter(|(set, _)| *set & !union == 0);
            inside.map(|(_, cycles)| cycles).sum::<f64>() / f64::from(union.count_ones())
        };
        let ports = unions.iter().map(bound).fold(0.0, f64::max);
        Some(ports.max(f64::from(all) / f64::from(self.width)))
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

    /// Cycles between the starts of sequences of these forms, as [`CostTable::throughput`] says.
    pub fn throughput<'a>(&self, forms: impl Iterator<Item = (&'a str, &'a str)>) -> Option<f64> {
        self.table.as_ref()?.throughput(forms)
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_busiest_ports_bound_a_sequence() {
        let text = r#"{"cpu":"c","isa":"x86","source":"s","uop":"u","ports":["p0","p1","p5"],"width":4,"instructions":{
            "add r, r":[1,1,[[[1,2],1]]],"shuffle r, r":[1,1,[[[2],1]]],"mul r, r":[5,1,[[[0],1]]],"nop r, r":[0,0,[]]}}"#;
        let table: CostTable = serde_json::from_str(text).expect("a table");
        let cycles = |words: &str| table.throughput(words.split(' ').map(|word| (word, "R, r")));
        assert_eq!(cycles("add"), Some(0.5));
        assert_eq!(cycles("add shuffle"), Some(1.0));
        assert_eq!(cycles("add add shuffle"), Some(1.5));
        // Additions leave the shuffles' port alone.
        assert_eq!(cycles("add shuffle shuffle"), Some(2.0));
        assert_eq!(cycles("mul mul add add"), Some(2.0));
        assert_eq!(cycles("mul mul add add add add shuffle"), Some(2.5));
        assert_eq!(cycles("nop"), Some(0.0));
        assert_eq!(cycles("div"), None);
        let nothing = CostTable { ports: Vec::new(), ..table };
        assert_eq!(nothing.throughput(std::iter::empty()), None);
    }
}
