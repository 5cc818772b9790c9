//! Instructions: what is known of one, and its evaluation.

use std::collections::BTreeMap;
use std::sync::{Arc, OnceLock};

use hydride::{Entry, Library};
use interp::Program;
use pyo3::prelude::*;
use pyo3::pybacked::PyBackedBytes;
use pyo3::types::{PyByteArray, PyTuple};

use crate::computation::compute;
use crate::operand::{Operand, Signature};
use crate::operation::Operation;

/// How far an instruction's semantics can be trusted.
#[pyclass(module = "hydride", frozen, eq, hash, get_all)]
#[derive(Clone, PartialEq, Eq, Hash)]
pub struct Trust {
    /// `run`, `proved` or `parsed`.
    level: &'static str,
    /// The CPU or emulator with which it agrees.
    machine: Option<String>,
    /// The number of inputs that were compared.
    inputs: usize,
}

impl Trust {
    fn new(trust: &catalog::Trust) -> Self {
        let machine = match trust {
            catalog::Trust::Run { cpu, .. } => Some(cpu.clone()),
            catalog::Trust::Parsed | catalog::Trust::Proved => None,
        };
        Self { level: trust.name(), machine, inputs: trust.inputs().unwrap_or(0) }
    }
}

#[pymethods]
impl Trust {
    /// Whether it was compared with a CPU or an emulator.
    #[getter]
    fn validated(&self) -> bool {
        self.machine.is_some()
    }

    fn __repr__(&self) -> String {
        match &self.machine {
            Some(machine) => format!("<Trust {}: {} inputs on {machine}>", self.level, self.inputs),
            None => format!("<Trust {}>", self.level),
        }
    }
}

/// An instruction; call it to evaluate it.
#[pyclass(module = "hydride", frozen)]
pub struct Instruction {
    library: Arc<Library>,
    number: usize,
    signature: OnceLock<Signature>,
    program: OnceLock<Program>,
}

impl Instruction {
    /// The instruction of a number in the library.
    pub fn new(library: &Arc<Library>, number: usize) -> Self {
        Self { library: library.clone(), number, signature: OnceLock::new(), program: OnceLock::new() }
    }

    fn entry(&self) -> Entry<'_> {
        self.library.entry(self.number)
    }

    fn signature(&self) -> &Signature {
        self.signature.get_or_init(|| Signature::new(&self.entry()))
    }

    /// Its function as parsed, compiled at the first call.
    fn program(&self) -> anyhow::Result<&Program> {
        if let Some(program) = self.program.get() {
            return Ok(program);
        }
        let program = Program::new(&self.entry().instruction.function)?;
        Ok(self.program.get_or_init(|| program))
    }
}

#[pymethods]
impl Instruction {
    /// The vendor's name for it, unique within its instruction set.
    #[getter]
    fn id(&self) -> &str {
        &self.entry().instruction.id
    }

    /// The instruction set: `x86`, `arm` or `hvx`.
    #[getter]
    fn isa(&self) -> &'static str {
        self.entry().instruction.isa.name()
    }

    /// The vendor's C function.
    #[getter]
    fn intrinsic(&self) -> &str {
        &self.entry().instruction.intrinsic
    }

    /// Assembly mnemonics, as documented.
    #[getter]
    fn mnemonics(&self) -> Vec<&str> {
        self.entry().instruction.forms.iter().map(|form| form.mnemonic.as_str()).collect()
    }

    /// CPU features that it needs, as the document names them.
    #[getter]
    fn extensions(&self) -> Vec<&str> {
        self.entry().instruction.extensions.iter().map(String::as_str).collect()
    }

    /// The arguments, in the order of the C function.
    #[getter]
    fn args<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyTuple>> {
        PyTuple::new(py, self.signature().args.iter().cloned())
    }

    /// The results; several if the C function returns a tuple.
    #[getter]
    fn results<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyTuple>> {
        PyTuple::new(py, self.signature().results.iter().cloned())
    }

    /// The operation of which it is an instance.
    #[getter]
    fn operation(&self) -> Operation {
        Operation::new(&self.library, self.entry().operation)
    }

    /// The name of the operation's form that it is.
    #[getter]
    fn form(&self) -> &str {
        &self.entry().member.form
    }

    /// The operation's parameters at which it is an instance.
    #[getter]
    fn parameters(&self) -> BTreeMap<&str, i64> {
        self.entry().member.params.iter().map(|(name, value)| (name.as_str(), *value)).collect()
    }

    /// What becomes of the elements that a mask disables: `none`, `zero` or `merge`.
    #[getter]
    fn masking(&self) -> &'static str {
        self.entry().member.masking.name()
    }

    /// How far the semantics can be trusted.
    #[getter]
    fn trust(&self) -> Trust {
        Trust::new(self.entry().trust)
    }

    /// Bits that the document leaves undefined, which are 0 in results: position of the result, lowest bit, number of
    /// bits.
    #[getter]
    fn undefined(&self) -> Vec<(usize, u32, u32)> {
        let undefined = &self.entry().instruction.undefined;
        undefined.iter().map(|bits| (bits.result, bits.low, bits.width)).collect()
    }

    /// Where its document describes it: file, line, column.
    #[getter]
    fn place(&self) -> (&str, u32, u32) {
        let span = &self.entry().instruction.span;
        (&span.file, span.line, span.column)
    }

    /// The semantics in mathematical notation, one statement a line: `x_{w}[i]` is element `i` of `x` in elements of
    /// `w` bits.
    #[getter]
    fn formula(&self) -> String {
        let Entry { instruction, canonical, .. } = self.entry();
        let names: Vec<&str> = instruction.signature.args.iter().map(|arg| arg.name.as_str()).collect();
        report::formula(canonical.unwrap_or(&instruction.function), &names).texts().join("\n")
    }

    /// The semantics in Hydride IR, in canonical form where there is one.
    #[getter]
    fn ir(&self) -> String {
        let Entry { instruction, canonical, .. } = self.entry();
        canonical.unwrap_or(&instruction.function).to_string()
    }

    /// Evaluates the instruction: see the module `hydride.arrays`.
    #[pyo3(signature = (*args))]
    fn __call__<'py>(slf: &Bound<'py, Self>, args: &Bound<'py, PyTuple>) -> PyResult<Bound<'py, PyAny>> {
        slf.py().import("hydride.arrays")?.call_method1("evaluate", (slf, args))
    }

    /// At least `count` inputs: see the module `hydride.arrays`.
    #[pyo3(signature = (count=1000, seed=1))]
    fn inputs<'py>(slf: &Bound<'py, Self>, count: usize, seed: u64) -> PyResult<Bound<'py, PyAny>> {
        slf.py().import("hydride.arrays")?.call_method1("inputs", (slf, count, seed))
    }

    /// The columns of arguments as bytes: see `hydride::input_rows`.
    fn _inputs<'py>(
        &self,
        py: Python<'py>,
        count: usize,
        seed: u64,
    ) -> PyResult<Vec<Bound<'py, PyByteArray>>> {
        let columns = compute(py, || Ok(hydride::input_rows(self.entry().instruction, count, seed)))?;
        Ok(columns.iter().map(|column| PyByteArray::new(py, column)).collect())
    }

    /// The results as bytes for columns of arguments as bytes: see `hydride::evaluate_rows`.
    fn _evaluate<'py>(
        &self,
        py: Python<'py>,
        columns: Vec<PyBackedBytes>,
        rows: usize,
    ) -> PyResult<Vec<Bound<'py, PyByteArray>>> {
        let columns: Vec<&[u8]> = columns.iter().map(|column| &**column).collect();
        let results = compute(py, || hydride::evaluate_rows(self.program()?, &columns, rows))?;
        Ok(results.iter().map(|result| PyByteArray::new(py, result)).collect())
    }

    fn __str__(&self) -> String {
        let Signature { args, results } = self.signature();
        let list =
            |operands: &[Operand]| operands.iter().map(ToString::to_string).collect::<Vec<_>>().join(", ");
        format!("{}({}) -> ({})", self.id(), list(args), list(results))
    }

    fn __repr__(&self) -> String {
        format!("<Instruction {}:{}>", self.isa(), self.id())
    }

    fn __eq__(&self, other: &Self) -> bool {
        Arc::ptr_eq(&self.library, &other.library) && self.number == other.number
    }

    fn __hash__(&self) -> usize {
        self.number
    }
}
