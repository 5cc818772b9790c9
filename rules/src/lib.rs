//! Rewrite rules for vector expressions: written, checked, found, and used to select instructions.
//!
//! A [`Rule`] is a pattern with what replaces it, in the expressions of windows, for one lane: the types' widths and signs are
//! parameters, and a variable stands for any expression, for what is the same in all lanes, or for literals.
//!
//! ```
//! use rules::{Finding, check, instances, read};
//!
//! let text = "
//!     (rule average (for s sign) (for n width)
//!       (from (cast:{s}{n} (shift_right:{s}{2*n}
//!         (add:{s}{2*n} (cast:{s}{2*n} a:{s}{n}) (cast:{s}{2*n} b:{s}{n})) 1:u{2*n})))
//!       (to (halving_add:{s}{n} a:{s}{n} b:{s}{n})))";
//! let rule = &read(text)?[0];
//! let instances = instances(rule, text)?;
//! assert_eq!(instances.len(), 6);
//! for instance in &instances {
//!     assert!(matches!(check(instance, &mut synth::synthesize::prover()), Finding::True { .. }));
//! }
//! # Ok::<(), rules::RuleError>(())
//! ```
//!
//! Invariant: this crate knows no vendor, prints nothing and does not touch the file system. Nothing is a rule that is not proved:
//! `Unknown` never counts as true, and a counterexample is evaluated before it is one.

#![forbid(unsafe_code)]

mod arith;
mod arithmetic;
mod bindings;
mod cases;
mod check;
mod file;
mod graph;
mod instance;
mod irmatch;
mod layout;
mod lowering;
mod mine;
mod outputs;
mod pdll;
mod plain;
mod scalar;
mod select;
mod sequence;
mod shortest;
mod single;
mod sums;
mod text;
mod tidy;
mod transfer;
mod trial;

pub use arithmetic::{ArithmeticError, evaluate};
pub use bindings::{Bindings, Number};
pub use cases::ByCases;
pub use check::{Counterexample, Finding, Proof, Sides, check, condition, sides};
pub use file::{EqualityEntry, InstanceProof, Malformed, Open, Replacement, RuleEntry, RuleFile, parameters};
pub use graph::{Bound, Class, Computes, Equality, Graph, Head, Node, is_count};
pub use instance::{Instance, WIDTHS, instances};
pub use irmatch::irmatch;
pub use layout::{halves, layout_patterns, of_one_block};
pub use lowering::{
    Certificate, Cost, Lowering, Machine, certified, constants, fits, is_fixed, lane_counts, prove, vectors,
};
pub use mine::{Found, generalize, mine, widened};
pub use outputs::{conditions, egglog, markdown, shown, smtlib, steps};
pub use pdll::{DialectOperation, Elements, Operations, Patterns, pdll};
pub use plain::plain;
pub use scalar::Scalar;
pub use select::{Selected, Selector};
pub use sequence::{Instructions, Sequence, Shape, Source, Step};
pub use shortest::{Question, Tried, shortest};
pub use single::single;
pub use text::{About, Binds, Piece, Rule, RuleError, Values, read};
pub use tidy::tidy;
pub use transfer::{in_narrower_registers, question, with_other_signs};
pub use trial::{Trial, trial};
