//! LLVM assembly as functions with poison and undefined behavior, and whether one function refines another.
//!
//! A [`Module`] keeps its text; what is modelled of its functions is read into [`ast`]. A function is translated
//! into bit-vector expressions of the IR: for each element of the result its bits and a bit that says whether it is
//! poison, and one bit that says whether the behavior is undefined. [`refines`] asks whether what one function may do
//! another one may do as well.
//!
//! ```
//! use refine::{Limits, Module, NoIntrinsics, Outcome, refines};
//!
//! let module = Module::parse(
//!     "define i8 @a(i8 %x) {\n  %y = add nsw i8 %x, %x\n  ret i8 %y\n}\n\
//!      define i8 @b(i8 %x) {\n  %y = shl i8 %x, 1\n  ret i8 %y\n}\n",
//! )?;
//! let [a, b] = ["a", "b"].map(|name| module.function(name).unwrap().body.clone().unwrap());
//! assert!(matches!(refines(&a, &b, &NoIntrinsics, &Limits::default()), Outcome::Proved(_)));
//! // The other way around the flag is not given.
//! assert!(matches!(refines(&b, &a, &NoIntrinsics, &Limits::default()), Outcome::Counterexample(_)));
//! # Ok::<(), refine::Fault>(())
//! ```
//!
//! Sources: LLVM's language reference, and for what it leaves open (poison lane by lane, overflow of divisions) the
//! paper on Alive2 (PLDI 2021).
//!
//! Invariant: no vendor, no file system; what a target's intrinsic does arrives as a function of the IR.

#![forbid(unsafe_code)]

pub mod ast;
mod bytes;
mod check;
mod error;
mod generic;
mod graph;
mod meaning;
mod memory;
mod numbers;
mod order;
mod outline;
mod parse;
mod pointers;
mod print;
mod ranges;
mod script;
mod target;
mod token;
mod translate;

pub use check::{Counterexample, Elements, Limits, Outcome, Proof, Run, refines};
pub use error::{Fault, Place};
pub use meaning::meaning;
pub use memory::Passed;
pub use outline::{Line, Outline, Section};
pub use parse::{Module, part};
pub use print::name;
pub use script::script;
pub use target::{Argument, Intrinsics, NoIntrinsics, Target};
