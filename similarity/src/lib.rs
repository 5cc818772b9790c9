//! Equivalence classes of instructions: constants become parameters, and every membership is proved.
//!
//! [`analyze`] brings one instruction into canonical lane form and finds its structural key;
//! [`partition()`] gathers equal keys into classes, finds the few parameters that tell the members apart
//! (section 3 of the Hydride paper, ASPLOS 2024), and certifies each member against its directly parsed semantics.
//! [`classify`] does so only for what fits none of the families that a dictionary has.
//!
//! Invariant: a class has no member without a certificate; `Unknown` from the solver leaves an instruction in
//! a separate class.

#![forbid(unsafe_code)]

mod analyze;
mod apply;
mod cached;
mod certificate;
mod classify;
mod difference;
mod fit;
mod identity;
mod merges;
mod modifiers;
mod parameters;
mod partition;
mod readings;
mod relations;
mod shape;

pub use analyze::{Analysis, Analyzed, analyze, analyze_with};
pub use apply::apply;
pub use cached::certify;
pub use certificate::{Refusal, commutes};
pub use classify::classify;
pub use difference::{Difference, Side, first_difference};
pub use merges::{Step, steps};
pub use modifiers::operands::ApplyError;
pub use partition::{Class, Member, Partition, partition};
pub use relations::{Change, Relation, relations};
pub use shape::Shape;
