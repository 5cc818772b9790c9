//! AutoLLVM operations: from equivalence classes of instructions to named, typed operations that keep
//! their identity from run to run.
//!
//! The step between similarity checking and code generation: [`Class`]es come in, a [`Dialect`] of
//! [`Op`]s goes to `codegen-gen`, and [`Lock`] remembers the names.
//!
//! ```
//! use autoir::{Dialect, Lock, classes_json};
//!
//! let (dialect, lock) = Dialect::build(Vec::new(), Lock::parse("op add\n  hash 1f\n")?)?;
//! assert_eq!(classes_json(&dialect), "[]\n");
//! assert_eq!(lock.names().collect::<Vec<_>>(), ["add"]);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! Invariant: this crate knows no vendor and no solver, and does not touch the file system.

#![forbid(unsafe_code)]

mod class;
mod dialect;
mod facts;
mod json;
mod lock;
mod movement;
mod name;
mod name_table;
mod naming;
mod pattern;
mod term;

pub use class::{Class, Member};
pub use dialect::{BuildError, Dialect, Op};
pub use facts::{Facts, ParamKind, ValueType};
pub use json::classes_json;
pub use lock::{Lock, LockError};
pub use name::is_valid as is_valid_name;
pub use name_table::RESERVED;
