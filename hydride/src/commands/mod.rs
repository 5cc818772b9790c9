//! The commands, one a module: its arguments, and `run`, which returns the exit code.

pub mod cc;
pub mod check_lowering;
pub mod dictionary;
pub mod diff;
pub mod doctor;
pub mod errata;
pub mod eval;
pub mod explain;
pub mod generate;
pub mod join;
pub mod lint;
pub mod manual;
pub mod optimize;
pub mod port;
pub mod prove;
pub mod query;
pub mod read_lowering;
pub mod rules;
pub mod search;
pub mod select;
pub mod synth;
pub mod translate;
pub mod validate;
pub mod verify;
