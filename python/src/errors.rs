//! Errors as the exceptions of `hydride/errors.py`.

use anyhow::Error;
use hydride::{BrokenDocument, Problem};
use pyo3::prelude::*;
use pyo3::types::PyTuple;

mod exceptions {
    pyo3::import_exception!(hydride.errors, DocumentError);
    pyo3::import_exception!(hydride.errors, Error);
    pyo3::import_exception!(hydride.errors, InternalError);
    pyo3::import_exception!(hydride.errors, UnknownNameError);
    pyo3::import_exception!(hydride.errors, UsageError);
}

/// The exception for an error of the library.
pub fn exception(py: Python<'_>, error: &Error) -> PyErr {
    let message = format!("{error:#}");
    match error.downcast_ref::<BrokenDocument>() {
        Some(broken) => match problems(py, &broken.problems) {
            Ok(problems) => exceptions::DocumentError::new_err((message, problems)),
            Err(error) => error,
        },
        None if hydride::is_usage(error) => exceptions::UsageError::new_err(message),
        None => exceptions::Error::new_err(message),
    }
}

/// The exception for a name that means nothing, or not one thing.
pub fn unknown_name(error: &Error) -> PyErr {
    exceptions::UnknownNameError::new_err(format!("{error:#}"))
}

/// The exception for a panic, which is a defect.
pub fn internal(message: &str) -> PyErr {
    exceptions::InternalError::new_err(message.to_owned())
}

fn problems(py: Python<'_>, problems: &[Problem]) -> PyResult<Py<PyTuple>> {
    let class = py.import("hydride.errors")?.getattr("Problem")?;
    let all = problems.iter().map(|problem| {
        let Problem { file, line, column, entry, message } = problem;
        class.call1((file, line, column, entry, message))
    });
    Ok(PyTuple::new(py, all.collect::<PyResult<Vec<_>>>()?)?.unbind())
}
