//! What the dialects of pseudocode share: Intel's operations, Arm's ASL and HVX's C with macros.
//!
//! A dialect reads its text into a syntax tree and evaluates it on the graph of exact integers ([`hydride_ir::exact`]).
//! What does not depend on the syntax has its one home here:
//!
//! | | |
//! |---|---|
//! | [`Fault`] | why a text has no meaning: a typed [`Reason`], what it means for the entry, a place |
//! | [`Budget`] | how many steps, nodes and operands an entry may use, how deep it may nest |
//! | [`Branching`], [`Merge`] | both paths of a condition that is not known, and the state after them |
//! | [`Choice`] | what conditions choose and is no number, such as a function |
//! | [`Width`], [`positions`], [`write_at_one_of`] | slices whose width or position is computed |
//! | [`Pointers`], [`Memory`] | what is at a pointer, and which bytes are accessed |
//! | [`function`](function()) | from the result variables to a function |
//! | [`Ids`], [`Outcome`] | from entries to the ledger, with [`Parsed::push`](crate::Parsed::push) |

mod budget;
mod choice;
mod fault;
mod function;
mod ledger;
mod memory;
mod merge;
mod place;

pub use budget::{Budget, Exceeded, Limits, MAX_NODES, MAX_OPERANDS, MAX_STEPS};
pub use choice::Choice;
pub use fault::{ArgumentBit, Fault, Reason, Verdict};
pub use function::function;
pub use ledger::{Ids, Outcome};
pub use memory::{Access, Memory, Pointers, is_same};
pub use merge::{Branching, Merge};
pub use place::{Width, not_negative, positions, write_at_one_of};
