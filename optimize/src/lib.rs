//! Slices of LLVM functions, other functions that may stand for them, and modules in which these do.
//!
//! A [`Slice`] is what computes a value, as a function of its own; equal ones have equal [keys](Slice::key). Candidates to
//! stand for it are LLVM's generic instructions, found by what they do on [samples], and programs of a target's
//! instructions. Which one is cheaper, and whether it refines the slice, is for the caller to ask: `refine` proves it, and
//! what is neither proved nor the work of proved rules must not be given to an [`Editor`].
//!
//! ```
//! use optimize::{Cutter, Flow, candidates, samples};
//! use refine::{Limits, Module, NoIntrinsics, Outcome, refines};
//!
//! let module = Module::parse(
//!     "define i32 @f(i32 %a, ptr %p) {\n  store i32 %a, ptr %p\n  %b = shl i32 %a, 8\n  %c = lshr i32 %a, 24\n  \
//!      %d = or disjoint i32 %b, %c\n  ret i32 %d\n}\n",
//! )?;
//! let outline = module.outline(&module.functions[0])?;
//! let flow = Flow::new(&outline).expect("every block is in the text");
//! let slice = Cutter::new(&outline, &flow, &|_| false).cut(0, 3, 8).expect("a value of integers");
//! let rotated = &candidates(&slice, &NoIntrinsics).expect("it runs on samples")[0];
//! assert!(rotated.text("f").contains("call i32 @llvm.fshl.i32(i32 %p0, i32 %p0, i32 8)"));
//! let proof = refines(&slice.body, rotated, &NoIntrinsics, &Limits::default());
//! assert!(matches!(proof, Outcome::Proved(_)));
//! # Ok::<(), refine::Fault>(())
//! ```
//!
//! The search follows the paper on Minotaur (Liu, Mada and Regehr, 2023) in its slices; the steps are found by observational
//! equivalence, as in bottom-up enumeration, and by `synth`.
//!
//! Whole regions of operations on lanes are windows of expressions too ([`regions`], [`window_of`]), from which rules select
//! instructions without a search.
//!
//! Invariant: no vendor, no file system, no processes; nothing here decides that a candidate is right.

#![forbid(unsafe_code)]

mod build;
mod edit;
pub mod element;
mod enumerate;
pub mod facts;
mod flow;
mod lanewise;
mod operands;
mod program;
mod region;
mod run;
pub mod samples;
mod signs;
mod slice;
mod tracking;
mod unknowns;

pub use build::{admitted, freeze_all, freeze_shared, work};
pub use edit::{Attributes, Change, Editor, edited, measured, nothing, spliced};
pub use enumerate::candidates;
pub use facts::Facts;
pub use flow::Flow;
pub use lanewise::{Expressed, window_of};
pub use program::{Lowering, NoBody, leaf_range, program_body, program_function, window_inputs};
pub use region::regions;
pub use run::{Elements, Run, Stop, is_generic, run};
pub use slice::{Cutter, Input, Slice};
pub use tracking::Tracking;
pub use unknowns::{Callee, Callees, callee, with_constants};
