//! Exact integers: the one rule by which vendor pseudocode gets its meaning.
//!
//! Vendor pseudocode is loosely sized: `(a[7:0] + b[7:0] + 1) >> 1` needs nine bits that nobody
//! declares. Here every expression is an unbounded integer in a hash-consed [`Dag`], with a
//! [`Range`] for each node; an assignment to a slice keeps the low bits. Widths are chosen last, when
//! [`Lowering`] turns a node into a bit-vector expression: operators that commute with truncation
//! are computed at the width demanded, all others at the width that their operands' ranges need.
//! [`raise`] goes the other way, so that simplification works on numbers and not on widths.
//!
//! ```
//! use hydride_ir::exact::Dag;
//!
//! let mut dag = Dag::new(vec![128, 128]);
//! let (a, b) = (dag.arg_slice(0, 0, 8, false), dag.arg_slice(1, 0, 8, false));
//! let one = dag.int(1);
//! let sum = dag.sum(&[a, b, one]);
//! let average = dag.shr(sum, one);
//! assert_eq!(dag.natural(sum), Some((9, false)));
//! assert_eq!(dag.natural(average), Some((8, false)));
//! ```

mod cases;
mod dag;
mod float;
mod laws;
mod lower;
mod raise;
mod range;
mod register;
mod replace;
mod show;

#[cfg(test)]
mod tests;

pub use dag::{Dag, Node, NodeId, Part};
pub(crate) use dag::{joint_natural, range_of};
pub use laws::{Instance, Rule, rules};
pub(crate) use lower::literal;
pub use lower::{Lowering, TooWide};
pub use raise::{RaiseError, Raised, Segment, raise, raise_with};
pub use range::Range;
pub use register::Register;
pub use replace::Replacements;

/// The unbounded integer type.
pub type Int = dashu_int::IBig;
