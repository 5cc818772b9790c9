//! Shortest instruction sequences, searched over ingested semantics.
//!
//! A [`Goal`] says what is in registers at the start and what is wanted at the end; [`transitions`] makes every given
//! instruction, with its immediates chosen, a step; [`find`] tries sequences of one step, two steps and so on, compares
//! states on shared samples, and proves with `smt` that what it found gives the goal for all inputs. It consumes the
//! semantics that `parsers` produces, without depending on any parser.
//!
//! ```
//! use hydride_ir::Function;
//! use search::{Class, Cost, GoalFile, Instruction, Operand, Options, Selection, Shared, Type, find, transitions};
//!
//! let text = r#"
//! name = "zero"
//! element = 32
//! [[input]]
//! name = "x"
//! [[output]]
//! name = "y"
//! each = "0"
//! "#;
//! let goal = GoalFile::parse(text)?.at(text, 128, 0)?;
//! let vector = Type { class: Class::Vector, width: 128 };
//! let xor = Instruction {
//!     id: "xor".into(),
//!     intrinsic: "xor".into(),
//!     mnemonic: "pxor".into(),
//!     syntax: "xmm, xmm".into(),
//!     names: vec!["a".into(), "b".into()],
//!     function: Function::parse(
//!         "func @xor(%a: 128, %b: 128) -> (%r: 128) {\n  %r[0 +: 128] = xor(%a[0 +: 128], %b[0 +: 128])\n}\n",
//!     )?,
//!     operands: vec![Operand::Register(vector), Operand::Register(vector)],
//!     c_types: vec!["__m128i".into(), "__m128i".into()],
//!     result: vector,
//!     result_c_type: "__m128i".into(),
//!     destroys: Some(0),
//!     implied: None,
//!     legacy: false,
//!     latency: 1,
//!     uops: 1,
//!     rank: 0,
//! };
//! let instructions = [xor];
//! let options = Options { cost: Cost::Length, max_cost: 2, all: true, two_address: true, registers: 8 };
//! let steps = transitions(&instructions, &Selection::default());
//! let outcome = find(&goal, &instructions, &steps, &options, &Shared::default(), |_| {});
//! assert_eq!(outcome.solutions.len(), 1);
//! assert_eq!(outcome.solutions[0].sequence.steps[0].operands, [0, 0]);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! Invariant: this crate knows no vendor, and does not touch the file system.

#![forbid(unsafe_code)]

mod allocation;
mod backward;
mod c;
mod emit;
mod explore;
mod find;
mod goal;
mod inline;
mod instruction;
mod machine;
mod meet;
mod movement;
mod plan;
mod registers;
mod samples;
mod sequence;
mod syntax;
mod transition;
mod units;
mod value;

pub use allocation::{Place, Placement};
pub use c::{c_function, c_integer, c_types, returned_through_pointers};
pub use emit::{alone, assembly};
pub use explore::{Cost, Shared};
pub use find::{Event, Options, Outcome, Position, Solution, find};
pub use goal::{Goal, GoalError, GoalFile, Input, Output, SearchOptions, Wanted};
pub use inline::with_longer_argument;
pub use instruction::{Instruction, Operand};
pub use movement::{Source, movement};
pub use registers::Schedule;
pub use sequence::{Applied, Sequence};
pub use syntax::{Syntax, Written};
pub use transition::{Member, Selection, Transition, combinations, specialize, transitions, untried};
pub use value::{Class, Type};
