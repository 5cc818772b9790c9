//! Arm's instructions as steps of a sequence.

use super::syntax::A64;
use crate::isa::{Places, Registers, Search};

pub const SEARCH: Search = Search {
    targets: include_str!("../../../../specs/targets/arm.toml"),
    costs: &[
        include_str!("../../../../specs/costs/neoverse-n1.json"),
        include_str!("../../../../specs/costs/neoverse-v1.json"),
        include_str!("../../../../specs/costs/neoverse-v2.json"),
        include_str!("../../../../specs/costs/cortex-a55.json"),
        include_str!("../../../../specs/costs/cortex-a57.json"),
    ],
    syntax: |_| Box::new(A64),
    // Several machine instructions for one intrinsic are a sequence.
    form: |instruction| instruction.forms.iter().find(|form| form.template.is_some()),
    incomplete: |_| Box::new(|_| false),
    registers: Registers { pairs: false, fits: |_| true },
    places: |operands| Ok(Places { destroys: operands.form.destroys, ..Places::default() }),
    rank: |_, _| 0,
};
