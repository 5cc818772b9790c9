//! Operations: what instructions of several instruction sets have in common.

use std::sync::Arc;

use catalog::OperationRecord;
use hydride::Library;
use pyo3::prelude::*;

use crate::errors::exception;
use crate::instruction::Instruction;

/// An operation over parameters, with the instructions that are proved to be its instances.
#[pyclass(module = "hydride", frozen)]
pub struct Operation {
    library: Arc<Library>,
    number: usize,
}

impl Operation {
    /// The operation of a number in the library.
    pub fn new(library: &Arc<Library>, number: usize) -> Self {
        Self { library: library.clone(), number }
    }

    fn record(&self) -> &OperationRecord {
        &self.library.operations()[self.number]
    }
}

#[pymethods]
impl Operation {
    /// The name, unique among operations.
    #[getter]
    fn name(&self) -> &str {
        &self.record().name
    }

    /// Names of the parameters.
    #[getter]
    fn parameters(&self) -> Vec<&str> {
        self.record().params.iter().map(String::as_str).collect()
    }

    /// Conditions on the parameters that all must hold.
    #[getter]
    fn constraints(&self) -> Vec<&str> {
        self.record().constraints.iter().map(String::as_str).collect()
    }

    /// The instructions, by instruction set and id.
    #[getter]
    fn instructions(&self) -> Vec<Instruction> {
        let numbers = self.record().members.iter().filter_map(|member| self.library.number_of(member));
        numbers.map(|number| Instruction::new(&self.library, number)).collect()
    }

    /// The semantics in Hydride IR, over the parameters.
    #[getter]
    fn ir(&self, py: Python<'_>) -> PyResult<String> {
        self.library.formula(self.record()).map_err(|error| exception(py, &error))
    }

    fn __repr__(&self) -> String {
        format!("<Operation {}>", self.name())
    }

    fn __eq__(&self, other: &Self) -> bool {
        Arc::ptr_eq(&self.library, &other.library) && self.number == other.number
    }

    fn __hash__(&self) -> usize {
        self.number
    }
}
