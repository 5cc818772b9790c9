//! Equality of Hydride IR functions, decided by term identity and by Z3.
//!
//! It comes after `similarity` on the path: every certificate of a class's member is a [`Verdict::Equal`] of
//! a [`Prover`]. Functions are compared slice by slice: most slices are one hash-consed term on both sides
//! and need no solver, lanes that differ only in position are one question, and only what is left goes to Z3.
//!
//! ```
//! use hydride_ir::{Arg, ArgId, BinaryOp, Function, Num, Op, ResultId, ResultSlot, Role, Stmt};
//! use smt::{Prover, Verdict};
//!
//! // x + x and x << 1, on 8 bits
//! let double = |op: BinaryOp| {
//!     let mut function = Function::new("double");
//!     function.args = vec![Arg { name: "x".into(), width: Num::constant(8), role: Role::Register }];
//!     function.results = vec![ResultSlot { name: "dst".into(), width: Num::constant(8) }];
//!     let x = function.push(Op::Arg(ArgId(0)), 8u32);
//!     let one = function.push(Op::Int(Num::constant(1)), 8u32);
//!     let right = if op == BinaryOp::Shl { one } else { x };
//!     let sum = function.push(Op::Binary { op, signed: Num::constant(0), left: x, right }, 8u32);
//!     function.body = vec![Stmt::Assign { result: ResultId(0), low: Num::constant(0), value: sum }];
//!     function
//! };
//! let mut prover = Prover::new();
//! assert_eq!(prover.equal(&double(BinaryOp::Add), &double(BinaryOp::Shl)), Verdict::Equal);
//! let Verdict::Different(model) = prover.equal(&double(BinaryOp::Add), &double(BinaryOp::Mul)) else {
//!     panic!("x + x is not x * x");
//! };
//! let x = model.args[0].to_u64().unwrap();
//! assert_ne!((x + x) & 0xff, (x * x) & 0xff);
//! ```
//!
//! Invariant: the only crate that names Z3; no operator code is shared with `interp`.

#![forbid(unsafe_code)]

mod encode;
mod floats;
mod integers;
mod prover;
mod query;
mod script;
mod signature;
mod smtlib;
mod solve;
mod term;

pub use encode::EncodeError;
pub use memo::{Key, Memo, Store};
pub use prover::{Model, Prover, Stats, Verdict};
pub use script::{Script, script};
pub use solve::{TIME_LIMIT, satisfiable};

/// The version of Z3 that this crate is built for, as in `5.4.0`; any other is refused when the first question is asked.
pub const SOLVER_VERSION: &str = env!("Z3_SYS_Z3_VERSION");
