//! The hardware oracle: runs instructions on a real CPU (or an emulator) and compares the results with their
//! semantics, bit for bit.
//!
//! An [`Oracle`] is a runner program, built once for a list of instructions, together with what is known
//! about those that it cannot run. [`Oracle::validate`] sends every instruction the same deterministic inputs
//! that `interp` gets and reports one [`Outcome`] for each. [`x86`] builds oracles from C intrinsics for this
//! machine, [`arm`] and [`hvx`] for QEMU; each of them is a small description; they share the generation of
//! C, the inputs ([`interp::inputs`]), the job stream ([`runner`]) and the comparison ([`compare`]).
//!
//! ```no_run
//! use difftest::{Case, X86Oracle, x86};
//!
//! # let instructions: Vec<parsers::Instruction> = Vec::new();
//! let work_dir = std::path::Path::new("target/difftest");
//! let oracle = X86Oracle::prepare(&instructions, work_dir, &x86::Options::default())?;
//! let cases: Vec<Case<'_>> = instructions.iter().map(Case::new).collect();
//! let report = oracle.validate(&cases, 1000, 0, |_checked| {})?;
//! assert_eq!(report.totals().mismatch, 0);
//! # Ok::<(), difftest::OracleError>(())
//! ```
//!
//! Invariant: native code runs in another process, which guards itself against signals, so that no unsafe
//! code is needed here. Files are written only in the given work directory.

#![forbid(unsafe_code)]

pub mod arm;
pub mod compare;
mod compiler;
mod error;
pub mod hvx;
pub mod lowering;
mod memory;
mod miscompiled;
mod oracle;
mod prepare;
mod report;
pub mod runner;
mod target;
mod wrapper;
pub mod x86;

pub use arm::ArmOracle;
pub use error::OracleError;
pub use hvx::HvxOracle;
pub use oracle::{Case, Oracle};
pub use prepare::{Emulated, EmulatorOptions, native};
pub use report::{Checked, Mismatch, Outcome, Report, Totals};
pub use target::{Machine, Missing, Prepare, Target};
pub use wrapper::{Dialect, Several, WrapperOptions};
pub use x86::X86Oracle;
