//! AutoLLVM operations: from equivalence classes of instructions to named, typed operations that keep
//! their identity from run to run.
//!
//! The step between similarity checking and code generation: [`Class`]es come in, are split into forms as [`Reviews`]
//! say, a [`Dialect`] of [`Op`]s goes to `codegen-gen`, and a [`Dictionary`] has the families and their names.
//!
//! ```
//! use autoir::{Dialect, Dictionary, classes_json, Reviews};
//!
//! let text = "version 1\nfamily copy\n  key 1f\nfunction (%a: 8) -> (%r: 8) {\n  %r[0 +: 8] = %a\n}\n";
//! let (dialect, dictionary) = Dialect::build(Vec::new(), Dictionary::parse(text)?, &Reviews::default())?;
//! assert_eq!(classes_json(&dialect, &memo::Memo::default()), "[]\n");
//! assert_eq!(dictionary.names().collect::<Vec<_>>(), ["copy"]);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! Invariant: this crate knows no vendor and no solver, and does not touch the file system.

#![forbid(unsafe_code)]

mod changes;
mod class;
mod dialect;
mod dictionary;
mod facts;
mod form;
mod json;
mod member_text;
mod movement;
mod name;
mod name_table;
mod naming;
mod pattern;
mod term;

pub use changes::Change;
pub use class::{Class, Member};
pub use dialect::{BuildError, Dialect, Family, Op};
pub use dictionary::{Dictionary, DictionaryError};
pub use facts::{Facts, ParamKind, ValueType};
pub use form::review::{FamilyReview, FormReview, ReviewError, Reviews};
pub use form::{Inference, Instance, Key, Quantity, Rule, Said};
pub use json::classes_json;
pub use name::is_valid as is_valid_name;
pub use name_table::RESERVED;
