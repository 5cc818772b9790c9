//! The shortest sequences of instructions for a goal, as objects.

use std::collections::BTreeMap;
use std::path::PathBuf;

use hydride::{Measure, SearchOptions, SearchReport, SessionArgs, StepReport};
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;

use crate::computation::compute;
use crate::session::session;

/// Searches the shortest sequences of instructions for a goal.
#[pyfunction]
#[pyo3(signature = (goal, specs=None, *, isa=None, extensions=Vec::new(), max_length=None, cost="length", cpu=None,
                    all=false, only=Vec::new(), without=Vec::new(), time=60))]
#[expect(clippy::too_many_arguments, reason = "they are keywords in Python")]
pub fn search(
    py: Python<'_>,
    goal: PathBuf,
    specs: Option<PathBuf>,
    isa: Option<String>,
    extensions: Vec<String>,
    max_length: Option<u32>,
    cost: &str,
    cpu: Option<String>,
    all: bool,
    only: Vec<String>,
    without: Vec<String>,
    time: u64,
) -> PyResult<Search> {
    let cost = match cost {
        "length" => Measure::Length,
        "latency" => Measure::Latency,
        "uops" => Measure::Uops,
        other => return Err(PyValueError::new_err(format!("cost is length, latency or uops, not {other}"))),
    };
    let options = SearchOptions {
        isa,
        extensions,
        max_length,
        cost,
        cpu,
        all,
        only,
        without,
        time,
        ..SearchOptions::default()
    };
    let report = compute(py, || {
        let session = session(SessionArgs::default())?;
        hydride::shortest_sequences(&session, specs.as_deref(), &goal, &options)
    })?;
    Ok(Search(report))
}

/// The outcome of a search; false if no sequence was found.
#[pyclass(module = "hydride", frozen)]
pub struct Search(SearchReport);

/// A sequence of instructions that is proved to reach the goal.
#[pyclass(module = "hydride", frozen, get_all)]
pub struct Sequence {
    /// Its cost.
    cost: u32,
    /// Register moves among its instructions.
    moves: u32,
    /// Vector registers that it needs.
    registers: usize,
    /// The lines of assembly.
    assembly: Vec<String>,
    /// The lines of a function in C.
    c: Vec<String>,
    /// The instructions, without moves.
    steps: Vec<Step>,
}

/// An instruction of a sequence.
#[pyclass(module = "hydride", frozen, get_all)]
#[derive(Clone)]
pub struct Step {
    /// The instruction's id.
    id: String,
    /// Its mnemonic.
    mnemonic: String,
    /// Values of its immediates.
    immediates: Vec<i64>,
    /// Its operands: the goal's inputs are counted first, then the results of the steps.
    operands: Vec<usize>,
    /// Other instructions with the same effect here.
    also: Vec<String>,
}

impl Step {
    fn new(step: &StepReport) -> Self {
        let StepReport { id, mnemonic, immediates, operands, also } = step;
        Self {
            id: id.clone(),
            mnemonic: mnemonic.clone(),
            immediates: immediates.clone(),
            operands: operands.clone(),
            also: also.clone(),
        }
    }
}

#[pymethods]
impl Search {
    /// The goal's name.
    #[getter]
    fn goal(&self) -> &str {
        &self.0.goal
    }

    /// The target's name.
    #[getter]
    fn target(&self) -> &str {
        &self.0.target
    }

    /// What costs are counted in.
    #[getter]
    fn unit(&self) -> &'static str {
        self.0.cost
    }

    /// Every sequence of this cost or less was tried.
    #[getter]
    fn exhausted(&self) -> u32 {
        self.0.exhausted
    }

    /// Whether the search ended early.
    #[getter]
    fn interrupted(&self) -> bool {
        self.0.interrupted
    }

    /// Candidates that the solver did not decide.
    #[getter]
    fn undecided(&self) -> usize {
        self.0.undecided
    }

    /// The ids of the target's instructions that no sequence was tried with, by what keeps them out.
    #[getter]
    fn left_out(&self) -> BTreeMap<&'static str, Vec<String>> {
        self.0.left_out.clone()
    }

    /// The cheapest sequences.
    #[getter]
    fn sequences(&self) -> Vec<Sequence> {
        let sequence = |found: &hydride::Sequence| Sequence {
            cost: found.cost,
            moves: found.moves,
            registers: found.registers,
            assembly: found.assembly.clone(),
            c: found.c.clone(),
            steps: found.steps.iter().map(Step::new).collect(),
        };
        self.0.solutions.iter().map(sequence).collect()
    }

    fn __bool__(&self) -> bool {
        !self.0.solutions.is_empty()
    }

    fn __repr__(&self) -> String {
        format!("<Search {} on {}: {} sequences>", self.0.goal, self.0.target, self.0.solutions.len())
    }
}
