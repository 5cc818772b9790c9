//! What differs in meaning between two readings of an instruction set: two revisions of a document, two
//! outputs, or two documents that describe the same instructions.
//!
//! [`differences`] takes two [`Side`]s and gives a [`Report`]: entries added, removed and renamed, signatures,
//! and for each changed entry whether its meaning is proved to be the same, differs with a small
//! counterexample, or is not known. [`operations`] says what that does to the operations of the IR.
//! [`compare`] is the comparison of two functions by itself, [`present`](present()) writes a report in words.
//!
//! ```
//! use semantic_diff::{Meaning, compare};
//! use hydride_ir::Function;
//! use smt::Prover;
//!
//! let average = |sum: &str| {
//!     let text = format!("func @avg(%a: 8, %b: 8) -> (%d: 8) {{\n  \
//!                         %d[0 +: 8] = cast.u(shr.u({sum}, 0x1:9), 8)\n}}\n");
//!     Function::parse(&text).unwrap()
//! };
//! let exact = average("add(cast.u(%a, 9), cast.u(%b, 9))");
//! let wrapping = average("cast.u(add(%a, %b), 9)");
//! let Meaning::Different(witness) = compare((&exact).into(), (&wrapping).into(), &mut Prover::new()) else {
//!     panic!("one of them loses the carry");
//! };
//! assert_ne!(witness.old, witness.new);
//! ```
//!
//! Invariant: nothing here prints, touches the file system or knows a vendor.

#![forbid(unsafe_code)]

mod absorb;
mod access;
mod align;
mod counterexample;
mod entries;
mod example;
mod lanes;
mod meaning;
mod operations;
mod present;
mod rename;
mod report;
mod shape;
mod side;

pub use entries::{Options, differences};
pub use example::Witness;
pub use lanes::Lanes;
pub use meaning::{Meaning, Reading, both_undefined, compare};
pub use operations::operations;
pub use present::{Style, present};
pub use report::{
    Access, Change, Counterexample, EntryName, ErratumChange, Found, Hardware, Moved, OperationCount,
    Operations, Outcome, ParamChange, Proof, Renamed, RenamedOperation, Report, Run, Side as SideSummary,
    SignatureChange, SplitOperation, Value, Verdict,
};
pub use side::{Entry, Operation, Prototype, Semantics, Side};
