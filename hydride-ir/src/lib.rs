//! The Hydride IR: what an instruction computes, as bit-vector expressions under loops.
//!
//! A [`Function`] is one instruction, or one equivalence class of instructions when its
//! [`Param`]s stand for numbers that differ between members. The shape follows Fig. 4 of the
//! ASPLOS'24 paper: bit-vector and integer expressions, extract, insert (an [`Stmt::Assign`] to a
//! slice of a result), extend, concat, cast, loops and conditionals.
//!
//! ```
//! use hydride_ir::Function;
//!
//! let text = "\
//! func @add_epi8(%a: 128, %b: 128) -> (%dst: 128) {
//!   for i in 0..16 {
//!     %dst[8*i +: 8] = add(%a[8*i +: 8], %b[8*i +: 8])
//!   }
//! }
//! ";
//! let function = Function::parse(text)?;
//! function.verify()?;
//! assert_eq!(function.to_string(), text);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! Invariant: this crate knows no vendor and no SMT solver, and does not touch the file system.

#![forbid(unsafe_code)]

mod bits;
pub mod exact;
mod expr;
mod float;
mod function;
pub mod lane;
mod legality;
mod num;
pub mod passes;
mod random;
mod text;
mod verify;
pub mod visit;

pub use bits::{Bits, ParseBitsError};
pub use expr::{BinaryOp, CompareOp, Expr, ExprId, Op, UnaryOp};
pub use float::{ERROR_FRACTION, Float, FloatOp, MAX_ERROR, MAX_EXPONENT, NanRule, ROUNDING_WIDTH, Rounding};
pub use function::{Arg, ArgId, Function, Param, ParamId, ResultId, ResultSlot, Role, Stmt};
pub use legality::{Constraint, Legality, Proof, legality};
pub use num::{Atom, IndexId, Num};
pub use random::Random;
pub use text::ParseError;
pub use verify::VerifyError;

/// The widest bit vector that the IR admits, in bits; `docs/src/limits.md` lists all limits.
pub const MAX_WIDTH: u32 = 65_536;
