//! The border between Python and what takes time: without Python's lock, and without panics.

use std::panic::{AssertUnwindSafe, catch_unwind};

use anyhow::Result;
use pyo3::marker::Ungil;
use pyo3::prelude::*;

use crate::errors::{exception, internal};

/// Runs a computation while other Python threads can run. A panic becomes an `InternalError`: Python code is not
/// expected to handle one.
pub fn compute<T: Ungil + Send>(
    py: Python<'_>,
    run: impl FnOnce() -> Result<T> + Ungil + Send,
) -> PyResult<T> {
    match py.detach(|| catch_unwind(AssertUnwindSafe(run))) {
        Ok(Ok(value)) => Ok(value),
        Ok(Err(error)) => Err(exception(py, &error)),
        Err(panic) => {
            let text = panic.downcast_ref::<&str>().copied();
            let text = text.or_else(|| panic.downcast_ref::<String>().map(String::as_str));
            Err(internal(text.unwrap_or("a computation ended early")))
        }
    }
}
