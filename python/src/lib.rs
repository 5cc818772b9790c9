//! `hydride._native`: the core of the Python package.
//!
//! What Python sees of a Rust value is a class here; its type hints are in `hydride/_native.pyi`. Nothing is decided
//! here: the library crate `hydride` reads documents, `interp` evaluates. How bits are NumPy arrays is in
//! `hydride/arrays.py`.

#![deny(unsafe_code)]

mod computation;
mod dictionary;
mod difference;
mod errors;
mod instruction;
mod operand;
mod operation;
mod search;
mod session;

use pyo3::prelude::*;

#[pymodule]
mod _native {
    #[pymodule_export]
    use crate::dictionary::{Dictionary, LedgerEntry, load};
    #[pymodule_export]
    use crate::difference::{
        Change, Counterexample, Diff, EntryName, Renamed, Side, SignatureChange, Value, diff,
    };
    #[pymodule_export]
    use crate::instruction::{Instruction, Trust};
    #[pymodule_export]
    use crate::operand::{Element, Operand};
    #[pymodule_export]
    use crate::operation::Operation;
    #[pymodule_export]
    use crate::search::{Search, Sequence, Step, search};
}
