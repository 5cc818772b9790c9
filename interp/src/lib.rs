//! Concrete evaluation of Hydride IR: the results of a function for given argument bits.
//!
//! A [`Program`] is a [`Function`] compiled once, with its loops and folds expanded and its common
//! subexpressions shared, into a flat tape that runs on word arrays; it serves hardware validation
//! and the rejection of similarity candidates, both of which evaluate one function on a thousand
//! inputs. [`Bv`] is the value type for everything else: arithmetic on any width.
//!
//! ```
//! use hydride_ir::{Arg, ArgId, BinaryOp, Bits, Function, IndexId, Num, Op, ResultId, ResultSlot, Role, Stmt};
//!
//! // dst[8*i +: 8] = add(a[8*i +: 8], b[8*i +: 8]) for i in 0..16
//! let mut function = Function::new("add_epi8");
//! let arg = |name: &str| Arg { name: name.into(), width: Num::constant(128), role: Role::Register };
//! function.args = vec![arg("a"), arg("b")];
//! function.results = vec![ResultSlot { name: "dst".into(), width: Num::constant(128) }];
//! let low = || Num::index(IndexId(0)) * Num::constant(8);
//! let a = function.push(Op::Arg(ArgId(0)), 128u32);
//! let b = function.push(Op::Arg(ArgId(1)), 128u32);
//! let left = function.push(Op::Extract { of: a, low: low() }, 8u32);
//! let right = function.push(Op::Extract { of: b, low: low() }, 8u32);
//! let signed = Num::constant(0);
//! let sum = function.push(Op::Binary { op: BinaryOp::Add, signed, left, right }, 8u32);
//! function.body = vec![Stmt::For {
//!     index: IndexId(0),
//!     count: Num::constant(16),
//!     body: vec![Stmt::Assign { result: ResultId(0), low: low(), value: sum }],
//! }];
//!
//! let results = interp::evaluate(&function, &[Bits::ones(128), Bits::from_u64(128, 0x0203)])?;
//! assert_eq!(format!("{:x}", results[0]), "ffffffffffffffffffffffffffff0102");
//! # Ok::<(), interp::EvalError>(())
//! ```
//!
//! Invariant: no operator of this crate is shared with `smt` or with the passes of `hydride-ir`, so that an
//! operator bug stays hidden only if it is made twice.

#![forbid(unsafe_code)]

mod bv;
mod compile;
mod error;
mod float;
pub mod inputs;
mod program;
mod step;
mod wide;
mod words;

pub use bv::Bv;
pub use error::{EvalError, Limit};
pub use float::Choice;
pub use program::{Machine, Program};

use hydride_ir::{Bits, Function};

/// The results of a function at its default parameter values, one for each result slot.
///
/// `args` are in the function's order, each exactly as wide as the argument. To evaluate one
/// function many times compile it once with [`Program::new`].
pub fn evaluate(function: &Function, args: &[Bits]) -> Result<Vec<Bits>, EvalError> {
    Program::new(function)?.run(args)
}
