//! What hardware said: the record of validation runs, and the trust that follows for an instruction.
//!
//! A record belongs to a function's text: when the semantics changes, what was run on the old one counts
//! no longer. Records of several CPUs stand side by side, so that a machine without a feature loses nothing.

use std::borrow::Cow;
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result};
use clap::Args;
use hydride_ir::Function;
use parsers::Isa;
use serde::{Deserialize, Serialize};

use crate::documents::isa_name;
use crate::usage;

/// Which validation records count.
#[derive(Args, Clone, Debug, Default)]
pub struct RecordsArgs {
    /// Folder with records of validation, ISA.json for each instruction set, instead of the built-in ones.
    #[arg(long, value_name = "DIR")]
    records: Option<PathBuf>,
}

/// The records that were checked in when the program was built.
const BUILT_IN: &[(Isa, &str)] = &[
    (Isa::X86, include_str!("../../specs/validation/x86.json")),
    (Isa::Arm, include_str!("../../specs/validation/arm.json")),
    (Isa::Hvx, include_str!("../../specs/validation/hvx.json")),
];

impl RecordsArgs {
    /// The text of the records of an instruction set; empty where there are none.
    pub fn text(&self, isa: Isa) -> Result<Cow<'static, str>> {
        let Some(folder) = &self.records else {
            let built_in = BUILT_IN.iter().find(|(known, _)| *known == isa);
            return Ok(Cow::Borrowed(built_in.map_or("", |(_, text)| text)));
        };
        if !folder.is_dir() {
            return Err(usage(format!("--records {}: this is not a folder", folder.display())));
        }
        let path = folder.join(format!("{}.json", isa_name(isa)));
        match std::fs::read_to_string(&path) {
            Ok(text) => Ok(Cow::Owned(text)),
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => Ok(Cow::Borrowed("")),
            Err(error) => Err(error).with_context(|| format!("cannot read {}", path.display())),
        }
    }

    /// The records of an instruction set.
    pub fn read(&self, isa: Isa) -> Result<Records> {
        let text = self.text(isa)?;
        if text.is_empty() {
            return Ok(Records::default());
        }
        serde_json::from_str(&text).with_context(|| match &self.records {
            Some(folder) => format!("cannot read {}.json in {}", isa_name(isa), folder.display()),
            None => format!("the built-in records of {} cannot be read", isa_name(isa)),
        })
    }
}

/// The validation records of one instruction set.
#[derive(Debug, Default, Serialize, Deserialize)]
pub struct Records {
    schema: u32,
    /// For each instruction what was run, by CPU.
    runs: BTreeMap<String, BTreeMap<String, Run>>,
}

/// One instruction on one CPU, without a difference.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Run {
    /// Hash of the function that was run, 16 hexadecimal digits.
    pub function: String,
    /// Inputs compared.
    pub inputs: usize,
    /// Seed of the inputs.
    pub seed: u64,
}

/// How far an instruction's semantics can be trusted.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Trust {
    /// Read from the document; there is no canonical form.
    Parsed,
    /// The canonical form is proved equal to what the document says.
    Proved,
    /// It agrees with a CPU or emulator as well.
    Run {
        /// The CPU.
        cpu: String,
        /// Inputs compared.
        inputs: usize,
        /// Seed of the inputs.
        seed: u64,
    },
}

impl Trust {
    /// The trust in one word.
    pub fn name(&self) -> &'static str {
        match self {
            Self::Parsed => "parsed",
            Self::Proved => "proved",
            Self::Run { .. } => "run",
        }
    }
}

impl Records {
    /// Reads the records; none when there is no file.
    pub fn read(path: &Path) -> Result<Self> {
        match std::fs::read_to_string(path) {
            Ok(text) => {
                serde_json::from_str(&text).with_context(|| format!("cannot read {}", path.display()))
            }
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => {
                Ok(Self { schema: 1, ..Self::default() })
            }
            Err(error) => Err(error).with_context(|| format!("cannot read {}", path.display())),
        }
    }

    /// Writes the records, one instruction a line.
    pub fn write(&self, path: &Path) -> Result<()> {
        let mut text = String::from("{\"schema\":1,\"runs\":{");
        for (position, (id, runs)) in self.runs.iter().enumerate() {
            text.push_str(if position == 0 { "\n" } else { ",\n" });
            text.push_str(&format!("{}:{}", serde_json::to_string(id)?, serde_json::to_string(runs)?));
        }
        text.push_str("\n}}\n");
        if let Some(folder) = path.parent() {
            std::fs::create_dir_all(folder).with_context(|| format!("cannot make {}", folder.display()))?;
        }
        let aside = path.with_extension("json.new");
        std::fs::write(&aside, text).with_context(|| format!("cannot write {}", aside.display()))?;
        std::fs::rename(&aside, path).with_context(|| format!("cannot write {}", path.display()))
    }

    /// Notes that `function` agreed with `cpu`.
    pub fn agreed(&mut self, id: &str, cpu: &str, function: &Function, inputs: usize, seed: u64) {
        let run = Run { function: hash(function), inputs, seed };
        self.runs.entry(id.to_string()).or_default().insert(cpu.to_string(), run);
    }

    /// Notes that an instruction did not agree with `cpu`.
    pub fn differed(&mut self, id: &str, cpu: &str) {
        if let Some(runs) = self.runs.get_mut(id) {
            runs.remove(cpu);
            if runs.is_empty() {
                self.runs.remove(id);
            }
        }
    }

    /// The run of `function` with the most inputs.
    pub fn best(&self, id: &str, function: &Function) -> Option<(&str, &Run)> {
        let runs = self.runs.get(id)?;
        let hash = hash(function);
        runs.iter()
            .filter(|(_, run)| run.function == hash)
            .max_by_key(|(_, run)| run.inputs)
            .map(|(cpu, run)| (cpu.as_str(), run))
    }
}

fn hash(function: &Function) -> String {
    blake3::hash(function.to_string().as_bytes()).to_hex()[..16].to_string()
}

/// Where `validate` collects the records of an instruction set, seen from the project's folder.
pub fn records_path(isa: Isa) -> PathBuf {
    PathBuf::from(format!("specs/validation/{}.json", isa_name(isa)))
}

/// The model of this machine's CPU.
pub fn cpu_model() -> String {
    let info = std::fs::read_to_string("/proc/cpuinfo").unwrap_or_default();
    let field = |name: &str| {
        info.lines().find_map(|line| {
            line.strip_prefix(name)?.trim_start().strip_prefix(':').map(|value| value.trim().to_string())
        })
    };
    let model = field("model name").unwrap_or_else(|| "unknown CPU".to_string());
    match (field("cpu family"), field("model\t")) {
        (Some(family), Some(number)) => format!("{model} (family {family}, model {number})"),
        _ => model,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_checked_in_records_are_legal() {
        for (isa, _) in BUILT_IN {
            let records = RecordsArgs::default().read(*isa).expect("they can be read");
            assert!(!records.runs.is_empty(), "{isa:?}");
        }
    }
}
