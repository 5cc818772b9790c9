//! What sequences are put together from where they are used: numbers, and what variables of the pattern stand for.

use hydride_ir::exact::NodeId;
use serde::{Deserialize, Serialize};
use synth::program::Value;

use crate::arithmetic::evaluate;

/// A number that can depend on the pattern's constants: `4`, `c-1`, `2^(c-1)`.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(transparent)]
pub struct Number(pub String);

impl Number {
    /// Its value where constants have these values; `None` where it has none.
    pub fn value(&self, constants: &dyn Fn(&str) -> Option<i128>) -> Option<i128> {
        evaluate(&self.0, constants).ok()
    }
}

/// What a sequence reads, where it is put into a program.
pub struct Bindings<'a> {
    /// The registers of a variable.
    pub registers: &'a dyn Fn(&str) -> Option<Vec<Value>>,
    /// The values of constants.
    pub constants: &'a dyn Fn(&str) -> Option<i128>,
    /// The bits of variables that are the same in all lanes.
    pub uniforms: &'a dyn Fn(&str) -> Option<NodeId>,
}
