//! What differs in meaning between two documents, as objects.

use std::path::PathBuf;

use hydride::SessionArgs;
use pyo3::prelude::*;
use pyo3::types::PyInt;
use semantic_diff::{Outcome, Report};

use crate::computation::compute;
use crate::session::session;

/// Compares two documents, folders of documents, or folders of outputs.
#[pyfunction]
#[pyo3(signature = (old, new, *, isas=Vec::new(), errata=None, no_errata=false, accept_partial=false))]
pub fn diff(
    py: Python<'_>,
    old: PathBuf,
    new: PathBuf,
    isas: Vec<String>,
    errata: Option<PathBuf>,
    no_errata: bool,
    accept_partial: bool,
) -> PyResult<Diff> {
    let args = SessionArgs { errata, no_errata, accept_partial };
    let report = compute(py, || {
        let session = session(args)?;
        hydride::differences(&session, &old, &new, &session.all_asked(&isas)?)
    })?;
    Ok(Diff { report })
}

/// What differs between two sides; false if nothing does.
#[pyclass(module = "hydride", frozen)]
pub struct Diff {
    report: Report,
}

/// One side of a comparison.
#[pyclass(module = "hydride", frozen, get_all)]
pub struct Side {
    /// Its name, as given.
    name: String,
    /// What it was taken for.
    kind: String,
    /// The versions that the documents declare.
    versions: Vec<String>,
    /// The number of entries.
    entries: usize,
    /// The number of entries that are modelled.
    modelled: usize,
}

/// An entry that only one side has.
#[pyclass(module = "hydride", frozen, get_all)]
pub struct EntryName {
    /// The instruction set.
    isa: &'static str,
    /// The id.
    id: String,
    /// Why it is not modelled, if it is not.
    reason: Option<String>,
}

/// An entry that the other side has under another name, with a meaning that is proved to be the same.
#[pyclass(module = "hydride", frozen, get_all)]
pub struct Renamed {
    /// The instruction set.
    isa: &'static str,
    /// The id on the old side.
    old: String,
    /// The id on the new side.
    new: String,
}

/// A prototype that differs.
#[pyclass(module = "hydride", frozen, get_all)]
pub struct SignatureChange {
    /// The instruction set.
    isa: &'static str,
    /// The id on the new side.
    id: String,
    /// The old prototype; empty if it is not known.
    old: String,
    /// The new one.
    new: String,
    /// Whether types differ, and not only names.
    types: bool,
}

/// An entry whose text or meaning differs.
#[pyclass(module = "hydride", frozen)]
pub struct Change(semantic_diff::Change);

/// Arguments for which two meanings differ, with both results.
#[pyclass(module = "hydride", frozen)]
pub struct Counterexample(semantic_diff::Counterexample);

/// A value of an argument or a result.
#[pyclass(module = "hydride", frozen)]
pub struct Value(semantic_diff::Value);

impl Renamed {
    fn all(renamed: &[semantic_diff::Renamed]) -> Vec<Self> {
        let all = renamed.iter().map(|entry| Self {
            isa: entry.isa.name(),
            old: entry.old.clone(),
            new: entry.new.clone(),
        });
        all.collect()
    }
}

impl EntryName {
    fn all(names: &[semantic_diff::EntryName]) -> Vec<Self> {
        let all = names.iter().map(|entry| Self {
            isa: entry.isa.name(),
            id: entry.id.clone(),
            reason: entry.reason.clone(),
        });
        all.collect()
    }
}

impl Side {
    fn new(side: &semantic_diff::SideSummary) -> Self {
        let semantic_diff::SideSummary { name, kind, versions, entries, modelled } = side.clone();
        Self { name, kind, versions, entries, modelled }
    }
}

#[pymethods]
impl Diff {
    /// The old side.
    #[getter]
    fn old(&self) -> Side {
        Side::new(&self.report.old)
    }

    /// The new side.
    #[getter(new)]
    fn new_side(&self) -> Side {
        Side::new(&self.report.new)
    }

    /// Entries that only the new side has.
    #[getter]
    fn added(&self) -> Vec<EntryName> {
        EntryName::all(&self.report.added)
    }

    /// Entries that only the old side has.
    #[getter]
    fn removed(&self) -> Vec<EntryName> {
        EntryName::all(&self.report.removed)
    }

    /// Entries that have another name on the new side.
    #[getter]
    fn renamed(&self) -> Vec<Renamed> {
        Renamed::all(&self.report.renamed)
    }

    /// Removed entries, each with an entry of the new side that means the same.
    #[getter]
    fn replaced(&self) -> Vec<Renamed> {
        Renamed::all(&self.report.replaced)
    }

    /// Prototypes that differ.
    #[getter]
    fn signatures(&self) -> Vec<SignatureChange> {
        let all = self.report.signatures.iter().map(|change| SignatureChange {
            isa: change.isa.name(),
            id: change.id.clone(),
            old: change.old.clone(),
            new: change.new.clone(),
            types: change.types,
        });
        all.collect()
    }

    /// Entries whose text or meaning differs.
    #[getter]
    fn changes(&self) -> Vec<Change> {
        self.report.changes.iter().cloned().map(Change).collect()
    }

    /// The same without what cannot break a user: what is left are entries that are gone, other types and other
    /// meanings.
    fn breaking(&self) -> Self {
        Self { report: self.report.clone().breaking() }
    }

    fn __bool__(&self) -> bool {
        !self.report.is_empty()
    }

    fn __repr__(&self) -> String {
        let Report { changes, added, removed, .. } = &self.report;
        format!("<Diff: {} changed, {} added, {} removed>", changes.len(), added.len(), removed.len())
    }
}

#[pymethods]
impl Change {
    /// The instruction set.
    #[getter]
    fn isa(&self) -> &'static str {
        self.0.isa.name()
    }

    /// The id on the new side.
    #[getter]
    fn id(&self) -> &str {
        &self.0.id
    }

    /// What became of the meaning.
    #[getter]
    fn meaning(&self) -> &'static str {
        self.0.outcome.name()
    }

    /// Whether the texts differ; `None` if they are not known.
    #[getter]
    fn text_differs(&self) -> Option<bool> {
        self.0.text_differs
    }

    /// Why the meanings were not compared or not decided, if so.
    #[getter]
    fn reason(&self) -> Option<&str> {
        match &self.0.outcome {
            Outcome::Same { .. } | Outcome::Different { .. } | Outcome::OtherAccess { .. } => None,
            Outcome::Unknown { reason, .. } | Outcome::OtherShape { reason } => Some(reason),
            Outcome::NewlyModelled { was } => Some(was),
            Outcome::NoLongerModelled { now } | Outcome::NotModelled { now, .. } => Some(now),
        }
    }

    /// Arguments for which the meanings differ, if they do.
    #[getter]
    fn counterexample(&self) -> Option<Counterexample> {
        match &self.0.outcome {
            Outcome::Different { counterexample } | Outcome::OtherAccess { counterexample, .. } => {
                Some(Counterexample((**counterexample).clone()))
            }
            _ => None,
        }
    }

    fn __repr__(&self) -> String {
        format!("<Change {}:{}: {}>", self.isa(), self.id(), self.meaning())
    }
}

#[pymethods]
impl Counterexample {
    /// The arguments, in the order of the C function.
    #[getter]
    fn args(&self) -> Vec<Value> {
        self.0.args.iter().cloned().map(Value).collect()
    }

    /// The results on the old side.
    #[getter]
    fn old(&self) -> Vec<Value> {
        self.0.old.iter().cloned().map(Value).collect()
    }

    /// The results on the new side.
    #[getter(new)]
    fn new_results(&self) -> Vec<Value> {
        self.0.new.iter().cloned().map(Value).collect()
    }

    /// The width in bits of the elements in which the values are best read.
    #[getter]
    fn lane(&self) -> u32 {
        self.0.lane
    }
}

#[pymethods]
impl Value {
    /// The name of the argument or result.
    #[getter]
    fn name(&self) -> &str {
        &self.0.name
    }

    /// Width in bits.
    #[getter]
    fn width(&self) -> u32 {
        self.0.width
    }

    /// The bits, as an unsigned integer.
    #[getter]
    fn bits<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        py.get_type::<PyInt>().call1((&self.0.bits, 16))
    }

    fn __repr__(&self) -> String {
        format!("<Value {} = 0x{}>", self.0.name, self.0.bits)
    }
}
