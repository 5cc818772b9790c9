//! Instruction sequences for vector expressions, found on exact integers and proved at full width.
//!
//! A [`window::Window`] is an expression over vectors. Its [`window::Meaning`] is a graph of exact integers, in which one
//! lane stands for many. A [`table::Table`] has a target's instructions as lane operations, read off the semantics that
//! documents give. From what the result's registers must hold, states are made backwards: a state says which lanes of
//! which values are wanted in which containers of registers (widths, layouts and splits over registers in one), and a way
//! to reach it is an operation whose lane expression gives the value, a movement of containers, another view of the same
//! bits, or a load. The cheapest program is run symbolically at the window's full width, and only what that proves is an
//! answer.
//!
//! ```
//! use hydride_ir::Function;
//! use memo::Memo;
//! use search::{Class, Instruction, Operand, Type};
//! use synth::synthesize::{Status, Target, prover, synthesize};
//! use synth::table::{Op, Table};
//! use synth::window::Window;
//!
//! let line = r#"{"name":"sum","lanes":8,"bits":8,"leaves":[{"name":"a","type":"u8x8","kind":"dense"},
//!     {"name":"b","type":"u8x8","kind":"dense"}],"expr":"(add:u8x8 a:u8x8 b:u8x8)"}"#;
//! let window = Window::read(line, 1)?;
//! let vector = Type { class: Class::Vector, width: 64 };
//! let lanes: String = (0..8).map(|i| format!("  %r[{0} +: 8] = add(%a[{0} +: 8], %b[{0} +: 8])\n", 8 * i)).collect();
//! let add = Instruction {
//!     id: "add".into(),
//!     intrinsic: "add".into(),
//!     mnemonic: "paddb".into(),
//!     syntax: "mm, mm".into(),
//!     names: vec!["a".into(), "b".into()],
//!     function: Function::parse(&format!("func @add(%a: 64, %b: 64) -> (%r: 64) {{\n{lanes}}}\n"))?,
//!     operands: vec![Operand::Register(vector), Operand::Register(vector)],
//!     c_types: vec!["__m64".into(), "__m64".into()],
//!     result: vector,
//!     result_c_type: "__m64".into(),
//!     destroys: None,
//!     implied: None,
//!     legacy: false,
//!     latency: 1,
//!     uops: 1,
//!     rank: 0,
//! };
//! let mut table = Table::new(vec![add]);
//! let cost = |_: &Op| 1000;
//! let target = Target { widths: vec![64], cost: &cost, constant: 0, most: None, key: [0; 32] };
//! let answer = synthesize(&window, &mut table, &target, &Memo::default(), &|| false, &mut prover());
//! assert_eq!(answer.status, Status::Proved);
//! assert_eq!(answer.program.unwrap().0.steps.len(), 1);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! Invariant: this crate knows no vendor, prints nothing and does not touch the file system; an answer of the solver that is
//! not `Equal` refuses a program.

#![forbid(unsafe_code)]

mod alone;
mod arranged;
mod bidirectional;
mod byte_products;
mod bytes;
mod c;
mod calls;
mod cases;
pub mod certify;
mod clamps;
mod composed;
mod constants;
pub mod contents;
mod copies;
mod counts;
#[cfg(test)]
mod equal;
mod forms;
mod idle;
mod immediates;
mod in_place;
mod innermost;
mod kept;
mod laid;
pub mod layouts;
mod lookup;
mod made;
mod means;
mod missing;
mod mixed;
mod moves;
mod named;
mod neighbors;
mod normal;
mod options;
mod padded;
pub mod parts;
pub mod program;
mod quotients;
#[cfg(test)]
mod random;
mod reduce;
mod regroup;
mod rewrite;
pub mod scalar;
mod select;
mod shifted;
mod shifts;
mod signs;
mod single;
mod split;
mod stages;
pub mod synthesize;
pub mod table;
mod tables;
mod typed;
mod unify;
mod views;
pub mod window;
mod zeros;

pub use cases::equal_for_each_count;
pub use quotients::quotient;
pub use rewrite::rewrites;
pub use select::in_order as contents_in_order;

pub use c::{CPart, Leaves, NoC, c_body, c_element, c_expression, c_function};
