//! Families: parameterized functions with the instructions that are known to be members, as a dictionary records
//! them.

use std::collections::BTreeMap;

use hydride_ir::{Function, Num};

use crate::application::Application;
use crate::signature::Immediate;

/// A parameterized function and how instructions apply it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Family {
    /// Identity: 32 lower-case hexadecimal digits, unique in a dictionary.
    pub key: String,
    /// Key of the structure that the lane forms of members have, or of the function if there is no lane form.
    /// Families into which one structure was split share it; otherwise it is mostly the identity.
    pub structure: String,
    /// The semantics over the parameters, with their default values.
    pub function: Function,
    /// The numbers of a member's lane form (element widths, extents, positions, signs, literals) in terms of the
    /// parameters, in the order in which a form is walked, without the widths of arguments and results and the
    /// working widths; nothing if the members have no lane form.
    pub numbers: Option<Vec<Num>>,
    /// The members, by instruction set and id.
    pub members: BTreeMap<(String, String), Known>,
}

impl Family {
    /// Whether exchanging the first two arguments keeps every result of every member.
    pub fn is_commutative(&self) -> bool {
        !self.members.is_empty() && self.members.values().all(|known| known.commutes)
    }
}

/// What is recorded of a member.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Known {
    /// How it applies the function.
    pub application: Application,
    /// For each argument of the function the operand of the instruction that it comes from.
    pub operands: Vec<Operand>,
    /// Whether exchanging the first two arguments keeps every result, at the member's parameter values.
    pub commutes: bool,
}

/// The operand of an instruction that an argument of its family's function comes from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Operand {
    /// A register that is passed as it is, with its width in bits.
    Whole(u32),
    /// An immediate with these documented values, passed as it is or repeated in every element.
    Immediate(Immediate),
    /// Another one, none, or one of which nothing is recorded.
    Other,
}
