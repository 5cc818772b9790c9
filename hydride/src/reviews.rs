//! The reviewed names, forms and sentences of the operations: `specs/operations.toml`.

use std::sync::OnceLock;

use anyhow::{Context, Result};
use autoir::{ReviewError, Reviews};

const TEXT: &str = include_str!("../../specs/operations.toml");

/// What was reviewed of the operations.
pub fn reviews() -> Result<&'static Reviews> {
    static READ: OnceLock<Result<Reviews, ReviewError>> = OnceLock::new();
    let read = READ.get_or_init(|| Reviews::parse(TEXT));
    read.as_ref().map_err(Clone::clone).context("the built-in reviews cannot be read")
}
