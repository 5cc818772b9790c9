//! Families: parameterized functions with the instructions that are known to be members, as a dictionary records
//! them.

use std::collections::BTreeMap;

use hydride_ir::{Function, Num};

use crate::application::Application;

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
    /// Whether exchanging the first two arguments keeps every result, at the parameter values of every member.
    pub commutative: bool,
    /// How each member applies the function, by instruction set and id.
    pub members: BTreeMap<(String, String), Application>,
}
