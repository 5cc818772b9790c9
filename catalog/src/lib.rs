//! Instructions as members of operations: the model of membership shared by all crates.
//!
//! A document gives an instruction its [`Signature`]. Similarity checking finds how it applies an operation's
//! function, its [`Application`] (parameter values, argument order, modifiers), and proves it ([`Proof`]). Hardware
//! runs say how far its semantics can be trusted ([`Trust`]). [`record`] is the JSON form of all that, for writing and
//! for reading back.
//!
//! Invariant: plain data without vendors, solver or file system. What an application means for a function is defined
//! where applications are found, in `similarity`.

#![forbid(unsafe_code)]

mod application;
mod evidence;
mod family;
pub mod record;
mod signature;

pub use application::{Application, Broadcast, Masked, Part, Source, constant};
pub use evidence::{Certificate, Proof, Trust};
pub use family::{Family, Known, Operand};
pub use hydride_ir::lane::Masking;
pub use record::{MemberRecord, OperationRecord};
pub use signature::{Argument, Element, Elements, Immediate, Kind, Signature};
