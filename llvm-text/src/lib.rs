//! LLVM assembly as values: [types](Type), [operands](Operand), [instructions](Instruction) and
//! [functions](Function). The only place where they become text and are read from text.
//!
//! ```
//! use llvm_text::{Block, Instruction, Operand, Type, Value};
//!
//! let bytes: Type = "<16 x i8>".parse()?;
//! assert_eq!(bytes.width(), Some(128));
//!
//! let mut block = Block::new("v");
//! let words = Type::lanes(2, 64);
//! let value = block.push(Instruction::cast("bitcast", Operand::new(bytes, Value::local("a")), words));
//! assert_eq!(value.to_string(), "%v0");
//! assert_eq!(block.statements()[0].to_string(), "%v0 = bitcast <16 x i8> %a to <2 x i64>");
//! # Ok::<(), llvm_text::ParseTypeError>(())
//! ```
//!
//! Invariant: no crate of the workspace is used; nothing here knows what the text is for.

#![forbid(unsafe_code)]

mod function;
mod instruction;
mod read;
mod types;
mod value;

pub use function::{Block, Function, Statement};
pub use instruction::Instruction;
pub use read::split_list;
pub use types::{ParseTypeError, Scalar, Type};
pub use value::{Operand, Value};
