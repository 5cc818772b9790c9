//! What the dialects of pseudocode share: Intel's operations, Arm's ASL and HVX's C with macros.
//!
//! A dialect reads its text into a syntax tree and evaluates it on the graph of exact integers
//! ([`hydride_ir::exact`]). What does not depend on the syntax has its one home here.

mod budget;
mod choice;
mod fault;
mod function;
mod ledger;
mod merge;

pub use budget::{Budget, Exceeded, Limits, MAX_NODES, MAX_OPERANDS, MAX_STEPS};
pub use choice::Choice;
pub use fault::{ArgumentBit, Fault, Reason, Verdict};
pub use function::function;
pub use ledger::{Ids, Outcome};
pub use merge::{Branching, Merge};
