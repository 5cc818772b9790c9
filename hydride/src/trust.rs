//! Hardware results: the record of validation runs, and the trust that follows for an instruction.
//!
//! A record belongs to a function's text: when the semantics changes, runs of the old function no longer count. Records
//! of several CPUs coexist, so that nothing is lost on a machine without a feature, and records only grow: a run with
//! fewer inputs does not replace a longer one.

use std::borrow::Cow;
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result};
use clap::Args;
use hydride_ir::Function;
use interp::inputs::PATTERNS;
use parsers::Isa;
use serde::{Deserialize, Serialize};

use crate::cache::user_folder;
use crate::{Session, usage};

/// Which validation records count.
#[derive(Args, Clone, Debug, Default)]
pub struct RecordsArgs {
    /// Folder with records of validation, ISA.json for each instruction set, instead of the built-in ones.
    #[arg(long, value_name = "DIR")]
    records: Option<PathBuf>,
}

impl RecordsArgs {
    /// The text of the records of an instruction set; empty where there are none.
    pub fn text(&self, session: &Session, isa: Isa) -> Result<Cow<'static, str>> {
        let Some(folder) = &self.records else {
            return Ok(Cow::Borrowed(session.set(isa).records.unwrap_or("")));
        };
        if !folder.is_dir() {
            return Err(usage(format!("--records {}: this is not a folder", folder.display())));
        }
        let path = folder.join(format!("{}.json", isa.name()));
        match std::fs::read_to_string(&path) {
            Ok(text) => Ok(Cow::Owned(text)),
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => Ok(Cow::Borrowed("")),
            Err(error) => Err(error).with_context(|| format!("cannot read {}", path.display())),
        }
    }

    /// The records of an instruction set.
    pub fn read(&self, session: &Session, isa: Isa) -> Result<Records> {
        let text = self.text(session, isa)?;
        if text.is_empty() {
            return Ok(Records::default());
        }
        serde_json::from_str(&text).with_context(|| match &self.records {
            Some(folder) => format!("cannot read {}.json in {}", isa.name(), folder.display()),
            None => format!("the built-in records of {} cannot be read", isa.name()),
        })
    }
}

/// The version of the records' form.
const SCHEMA: u32 = 2;

/// The validation records of one instruction set.
#[derive(Debug, Default, Deserialize)]
pub struct Records {
    /// For each instruction what was run, by CPU.
    runs: BTreeMap<String, BTreeMap<String, Runs>>,
}

/// The runs of one instruction on one CPU, each with a different function, seed, version of the patterns or stand-in.
#[derive(Debug, Default, Serialize, Deserialize)]
#[serde(from = "WrittenRuns")]
struct Runs(Vec<Run>);

/// The file format: schema 1 had one run for each CPU.
#[derive(Deserialize)]
#[serde(untagged)]
enum WrittenRuns {
    Several(Vec<Run>),
    One(Run),
}

impl From<WrittenRuns> for Runs {
    fn from(written: WrittenRuns) -> Self {
        match written {
            WrittenRuns::Several(runs) => Self(runs),
            WrittenRuns::One(run) => Self(vec![run]),
        }
    }
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
    /// Version of the inputs' patterns.
    #[serde(default = "first_patterns")]
    pub patterns: u32,
    /// What ran in the instruction's place, where it did not run itself.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub through: Option<String>,
}

fn first_patterns() -> u32 {
    1
}

impl Run {
    /// A run with this number of inputs of the current patterns.
    pub fn new(function: &Function, inputs: usize, seed: u64, through: Option<String>) -> Self {
        Self { function: hash(&function.to_string()), inputs, seed, patterns: PATTERNS, through }
    }

    /// The CPU, and what ran on it where that was not the instruction itself.
    pub fn machine(&self, cpu: &str) -> String {
        match &self.through {
            Some(through) => format!("{cpu}, as {through}"),
            None => cpu.to_string(),
        }
    }

    /// Whether two runs differ only in their number of inputs.
    fn same_but_inputs(&self, other: &Self) -> bool {
        *self == Self { inputs: self.inputs, ..other.clone() }
    }
}

impl Records {
    /// Reads the records; none when there is no file.
    pub fn read(path: &Path) -> Result<Self> {
        match std::fs::read_to_string(path) {
            Ok(text) => {
                serde_json::from_str(&text).with_context(|| format!("cannot read {}", path.display()))
            }
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => Ok(Self::default()),
            Err(error) => Err(error).with_context(|| format!("cannot read {}", path.display())),
        }
    }

    /// Writes the records, one instruction a line.
    pub fn write(&self, path: &Path) -> Result<()> {
        let mut text = format!("{{\"schema\":{SCHEMA},\"runs\":{{");
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

    /// Records a run on `cpu` without a difference; of two that differ only in the number of inputs, the longer one is
    /// kept.
    pub fn agreed(&mut self, id: &str, cpu: &str, run: Run) {
        let runs = &mut self.runs.entry(id.to_string()).or_default().entry(cpu.to_string()).or_default().0;
        match runs.iter_mut().find(|known| known.same_but_inputs(&run)) {
            Some(known) => known.inputs = known.inputs.max(run.inputs),
            None => {
                runs.push(run);
                runs.sort_by(|left, right| {
                    let key = |run: &Run| (run.function.clone(), run.patterns, run.seed, run.through.clone());
                    key(left).cmp(&key(right))
                });
            }
        }
    }

    /// Records that a function did not agree with `cpu`: earlier runs of it there prove nothing.
    pub fn differed(&mut self, id: &str, cpu: &str, function: &Function) {
        let hash = hash(&function.to_string());
        self.retain(id, |known, run| known != cpu || run.function != hash);
    }

    /// Drops the runs of other functions of an instruction than `function`.
    pub fn drop_stale(&mut self, id: &str, function: &Function) {
        let hash = hash(&function.to_string());
        self.retain(id, |_, run| run.function == hash);
    }

    fn retain(&mut self, id: &str, keep: impl Fn(&str, &Run) -> bool) {
        let Some(cpus) = self.runs.get_mut(id) else { return };
        for (cpu, runs) in cpus.iter_mut() {
            runs.0.retain(|run| keep(cpu, run));
        }
        cpus.retain(|_, runs| !runs.0.is_empty());
        if cpus.is_empty() {
            self.runs.remove(id);
        }
    }

    /// The run with the most inputs of the function with this text.
    pub fn best(&self, id: &str, text: &str) -> Option<(&str, &Run)> {
        let runs = self.runs.get(id)?;
        let hash = hash(text);
        runs.iter()
            .flat_map(|(cpu, runs)| runs.0.iter().map(move |run| (cpu.as_str(), run)))
            .filter(|(_, run)| run.function == hash)
            .max_by_key(|(_, run)| (run.inputs, run.through.is_none()))
    }
}

/// By which a record knows the function with this text.
fn hash(text: &str) -> String {
    blake3::hash(text.as_bytes()).to_hex()[..16].to_string()
}

/// Where `validate` collects the records of an instruction set, seen from the project's folder.
pub fn records_path(isa: Isa) -> PathBuf {
    PathBuf::from(format!("specs/validation/{}.json", isa.name()))
}

/// Where a user's runs are kept; `None` without a home directory.
pub fn user_records_path(isa: Isa) -> Option<PathBuf> {
    let folder = user_folder("XDG_DATA_HOME", ".local/share")?;
    Some(folder.join(format!("validation/{}.json", isa.name())))
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
        let session = Session::new(&crate::isa::built_in()).expect("the errata are legal");
        for isa in session.isas() {
            let records = RecordsArgs::default().read(&session, isa).expect("they can be read");
            assert!(!records.runs.is_empty(), "{isa:?}");
        }
    }

    fn function(name: &str) -> Function {
        Function::new(name)
    }

    fn run(function: &Function, inputs: usize, seed: u64) -> Run {
        Run::new(function, inputs, seed, None)
    }

    #[test]
    fn a_shorter_run_takes_nothing_away() {
        let (mut records, f) = (Records::default(), function("f"));
        records.agreed("f", "one", run(&f, 1000, 1));
        records.agreed("f", "one", run(&f, 10, 1));
        assert_eq!(records.best("f", &f.to_string()), Some(("one", &run(&f, 1000, 1))));
        records.agreed("f", "one", run(&f, 2000, 1));
        records.agreed("f", "one", run(&f, 10, 2));
        records.agreed("f", "two", run(&f, 500, 1));
        assert_eq!(records.best("f", &f.to_string()), Some(("one", &run(&f, 2000, 1))));
        let count: usize = records.runs["f"].values().map(|runs| runs.0.len()).sum();
        assert_eq!(count, 3, "{records:?}");
    }

    #[test]
    fn a_run_counts_for_its_function_alone() {
        let (mut records, f, g) = (Records::default(), function("f"), function("g"));
        records.agreed("f", "one", run(&f, 1000, 1));
        assert_eq!(records.best("f", &g.to_string()), None);
        records.agreed("f", "two", run(&g, 10, 1));
        assert_eq!(records.best("f", &g.to_string()), Some(("two", &run(&g, 10, 1))));
        assert_eq!(records.best("f", &f.to_string()), Some(("one", &run(&f, 1000, 1))));
        records.drop_stale("f", &g);
        assert_eq!(records.best("f", &f.to_string()), None);
        assert_eq!(records.best("f", &g.to_string()), Some(("two", &run(&g, 10, 1))));
    }

    #[test]
    fn a_difference_drops_the_runs_of_that_cpu_and_function() {
        let (mut records, f, g) = (Records::default(), function("f"), function("g"));
        for cpu in ["one", "two"] {
            records.agreed("f", cpu, run(&f, 1000, 1));
        }
        records.differed("f", "one", &g);
        records.differed("f", "two", &f);
        assert_eq!(records.best("f", &f.to_string()), Some(("one", &run(&f, 1000, 1))));
        records.differed("f", "one", &f);
        assert!(records.runs.is_empty());
    }

    #[test]
    fn records_are_read_as_written_and_in_their_first_form() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("deep/records.json");
        let (mut records, f) = (Records::default(), function("f"));
        records.agreed("f", "one", run(&f, 1000, 1));
        records.agreed("f", "one", Run::new(&f, 1000, 1, Some("g".into())));
        records.write(&path).unwrap();
        let read = Records::read(&path).unwrap();
        assert_eq!(read.best("f", &f.to_string()), Some(("one", &run(&f, 1000, 1))));
        assert_eq!(read.runs["f"]["one"].0.len(), 2);
        let hash = hash(&f.to_string());
        let first = format!(
            "{{\"schema\":1,\"runs\":{{\"f\":{{\"one\":{{\"function\":\"{hash}\",\"inputs\":7,\"seed\":1}}}}}}}}"
        );
        std::fs::write(&path, first).unwrap();
        let read = Records::read(&path).unwrap();
        assert_eq!(read.best("f", &f.to_string()).map(|(_, run)| (run.inputs, run.patterns)), Some((7, 1)));
    }
}
