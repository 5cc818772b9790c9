//! The canonical lane form: the structure that the vendor's loops express, recovered from the semantics.
//!
//! A [`Form`] is a short loop nest, the same for unrolled and looped text. Every result is written by a few
//! [`Statement`]s under up to three loops (blocks, groups, elements); each writes one element, an expression over
//! slices of the arguments whose positions are affine in the loop indices. Repetitions inside an element (sums of
//! products, reductions) are [`Kind::Fold`]s. The type of a form's numbers is a parameter: `i64` for one instruction,
//! [`Num`] over parameters for a class.
//!
//! ```text
//! flat:   dst[0 +: 8] = add(a[0 +: 8], b[0 +: 8])        form:  for i in 0..16 {
//!         dst[8 +: 8] = add(a[8 +: 8], b[8 +: 8])                 dst[8*i +: 8] = add(a[8*i +: 8], b[8*i +: 8])
//!         …                                                      }
//! ```
//!
//! Masking is kept separately from the form ([`Masking`]): a merge- or zero-masked instruction has the form
//! of the unmasked one.

mod canonicalize;
mod elementwise;
mod emit;
mod fit;
mod growing;
mod kind;
mod partition;
mod ranked;
mod skeleton;
mod template;
mod unify;
mod working;

pub use canonicalize::{Canonical, Masking, canonicalize};
pub use elementwise::element_count;
pub use emit::emit;
pub use kind::{Coefficient, Field, FoldOp, Kind, Slice};
pub use partition::{Elements, elements};
pub use ranked::Ranked;
pub use template::{Form, Hole, ResultForm, Role, Statement, Template, Term};

/// Loops around a statement: blocks, groups in a block, elements in a group.
pub const LOOPS: usize = 3;
