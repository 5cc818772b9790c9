//! Arm's instructions as steps of a sequence.

use super::syntax::A64;
use crate::isa::{Places, Registers, Search};

pub const SEARCH: Search = Search {
    targets: include_str!("../../../../specs/targets/arm.toml"),
    costs: &[],
    syntax: |_| Box::new(A64),
    // Several machine instructions for one intrinsic are a sequence.
    form: |instruction| instruction.forms.iter().find(|form| form.template.is_some()),
    incomplete: |_| Box::new(|_| false),
    registers: Registers { pairs: false, fits: |_| true },
    places: |operands| Ok(Places { destroys: operands.form.destroys, ..Places::default() }),
    rank: |_, _| 0,
};
