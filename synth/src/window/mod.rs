//! Windows: vector expressions to compile, one JSON object a line.
//!
//! A line has `name`, `target`, `lanes`, `bits`, `leaves`, `expr` and optionally `assume`; what else it has is kept
//! aside. [`Window::read`] gives a window or says what is wrong at which line and column; nothing that a file holds
//! makes it panic.

mod expression;
mod function;
mod json;
mod meaning;
mod text;
mod types;

use memo::Key;

pub use expression::{Element, Expression, ExpressionId, Expressions, Forms, Lanewise, Operator, Reduce};
pub(crate) use function::element_width;
pub use function::{Input, NoWindow};
pub use json::{Reference, WindowError};
pub use meaning::{Family, Meaning, TooLarge};
pub use text::{Names, TextError, limits, parse, print};
pub use types::{Kind, MAX_LANES, Type};

/// An input of a window.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Leaf {
    /// The name in expressions.
    pub name: String,
    /// Its type.
    pub ty: Type,
    /// Whether it is one value that does not change from iteration to iteration.
    pub scalar: bool,
    /// Whether such a value is in memory, from where it goes into a vector register in one instruction; others are in general ones.
    pub in_memory: bool,
    /// The least and greatest value that each element has, where the window may assume so.
    pub range: Option<(i128, i128)>,
}

/// A vector expression over leaves.
#[derive(Clone, Debug, PartialEq)]
pub struct Window {
    /// Its name.
    pub name: String,
    /// The target that it was made for.
    pub target: String,
    /// The inputs.
    pub leaves: Vec<Leaf>,
    /// All expressions.
    pub expressions: Expressions,
    /// What is computed.
    pub root: ExpressionId,
    /// Whether leaves are values in registers; else they are in memory, and can be loaded from any element on.
    pub in_registers: bool,
    /// Whether the result is a number in a general register; else it is in vector registers or in memory.
    pub number: bool,
    /// Conditions that hold.
    pub assumptions: Vec<ExpressionId>,
    /// What another compiler makes of it, if the line says so.
    pub reference: Option<Reference>,
}

impl Window {
    /// The type of the result.
    pub fn ty(&self) -> Type {
        self.expressions.ty(self.root)
    }

    /// Whether lanes may depend on a leaf.
    pub(crate) fn reads(&self, leaf: u32) -> bool {
        match &self.expressions.get(self.root).operator {
            Operator::Forms(forms) => {
                forms.lanes.iter().flat_map(|(_, slots)| slots).any(|slot| slot.leaf == leaf)
            }
            _ => true,
        }
    }

    /// A hash of what it computes, whatever its parts are called.
    pub fn key(&self) -> Key {
        let leaves: Vec<_> =
            self.leaves.iter().map(|leaf| (leaf.ty, leaf.scalar, leaf.in_memory, leaf.range)).collect();
        memo::key_of(&(
            leaves,
            &self.expressions,
            self.root,
            self.in_registers,
            self.number,
            &self.assumptions,
        ))
    }
}
