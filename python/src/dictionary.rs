//! Reading documents, and looking up what they say.

use std::path::PathBuf;
use std::sync::Arc;

use hydride::{Library, SessionArgs};
use parsers::{Isa, Status};
use pyo3::prelude::*;

use crate::computation::compute;
use crate::errors::unknown_name;
use crate::instruction::Instruction;
use crate::operation::Operation;
use crate::session::session;

/// Reads the documents of some instruction sets, or of all.
#[pyfunction]
#[pyo3(signature = (specs=None, *, isas=Vec::new(), errata=None, no_errata=false, accept_partial=false))]
pub fn load(
    py: Python<'_>,
    specs: Option<PathBuf>,
    isas: Vec<String>,
    errata: Option<PathBuf>,
    no_errata: bool,
    accept_partial: bool,
) -> PyResult<Dictionary> {
    let args = SessionArgs { errata, no_errata, accept_partial };
    let library = compute(py, || {
        let session = session(args)?;
        let isas = session.all_asked(&isas)?;
        Library::read(session, specs.as_deref(), &isas)
    })?;
    Ok(Dictionary { library: Arc::new(library) })
}

/// What documents say: instructions by name, operations, and what became of every entry.
#[pyclass(module = "hydride", frozen)]
pub struct Dictionary {
    library: Arc<Library>,
}

/// What became of an entry of a document.
#[pyclass(module = "hydride", frozen, get_all)]
pub struct LedgerEntry {
    /// The instruction set.
    isa: &'static str,
    /// The entry's id.
    id: String,
    /// `modelled`, `excluded` or `failed`.
    status: &'static str,
    /// Why it is not modelled, as a word by which entries can be counted.
    reason: Option<String>,
    /// The same in words.
    message: Option<String>,
    /// The document.
    file: String,
    /// The line, from 1.
    line: u32,
    /// The column in characters, from 1.
    column: u32,
}

impl LedgerEntry {
    fn new(isa: Isa, entry: &parsers::LedgerEntry) -> Self {
        let (status, reason, message) = match &entry.status {
            Status::Modelled => ("modelled", None, None),
            Status::Excluded { reason, message } => ("excluded", Some(reason.clone()), message.clone()),
            Status::Failed { reason, message } => ("failed", Some(reason.clone()), Some(message.clone())),
        };
        let (file, line, column) = (entry.span.file.clone(), entry.span.line, entry.span.column);
        Self { isa: isa.name(), id: entry.id.clone(), status, reason, message, file, line, column }
    }
}

#[pymethods]
impl LedgerEntry {
    fn __repr__(&self) -> String {
        format!("<LedgerEntry {}:{}: {}>", self.isa, self.id, self.status)
    }
}

#[pymethods]
impl Dictionary {
    /// The instructions, in the order of the documents.
    #[getter]
    fn instructions(&self) -> Vec<Instruction> {
        (0..self.library.len()).map(|number| Instruction::new(&self.library, number)).collect()
    }

    /// The operations, sorted by name.
    #[getter]
    fn operations(&self) -> Vec<Operation> {
        (0..self.library.operations().len()).map(|number| Operation::new(&self.library, number)).collect()
    }

    /// The operation of this name.
    fn operation(&self, name: &str) -> PyResult<Operation> {
        let number = self.library.find_operation(name).map_err(|error| unknown_name(&error))?;
        Ok(Operation::new(&self.library, number))
    }

    /// What became of every entry of the documents, in their order.
    #[getter]
    fn ledger(&self) -> Vec<LedgerEntry> {
        let entries =
            self.library.ledgers().flat_map(|(isa, entries)| entries.iter().map(move |own| (isa, own)));
        entries.map(|(isa, entry)| LedgerEntry::new(isa, entry)).collect()
    }

    /// The versions that the documents declare, by instruction set.
    #[getter]
    fn versions(&self) -> std::collections::BTreeMap<&'static str, &str> {
        self.library.versions().map(|(isa, version)| (isa.name(), version)).collect()
    }

    /// A page about an instruction or operation, or about what two instructions have in common and how they differ.
    #[pyo3(signature = (first, second=None, /))]
    fn explain(&self, py: Python<'_>, first: &str, second: Option<&str>) -> PyResult<String> {
        compute(py, || self.library.explain(first, second))
    }

    fn __len__(&self) -> usize {
        self.library.len()
    }

    /// The instruction of an id, or of `isa:id` where several instruction sets have it.
    fn __getitem__(&self, name: &str) -> PyResult<Instruction> {
        let number = self.library.find(name).map_err(|error| unknown_name(&error))?;
        Ok(Instruction::new(&self.library, number))
    }

    fn __contains__(&self, name: &Bound<'_, PyAny>) -> bool {
        name.extract::<&str>().is_ok_and(|name| self.library.find(name).is_ok())
    }

    fn __repr__(&self) -> String {
        format!(
            "<Dictionary: {} instructions, {} operations>",
            self.library.len(),
            self.library.operations().len()
        )
    }
}
