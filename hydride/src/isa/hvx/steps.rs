//! HVX's instructions as steps of a sequence.

use parsers::Argument;

use super::syntax::Hexagon;
use crate::isa::{Places, Registers, Search};

pub const SEARCH: Search = Search {
    targets: include_str!("../../../../specs/targets/hvx.toml"),
    costs: &[include_str!("../../../../specs/costs/hvx-v66.json")],
    syntax: |_| Box::new(Hexagon),
    form: |instruction| match &instruction.forms[..] {
        [form] => Some(form),
        _ => None,
    },
    incomplete: |_| Box::new(|_| false),
    registers: Registers { pairs: true, fits: |_| true },
    places: |operands| {
        // `Vx`, `Vxx`, `Qx`: read and written.
        let both = |argument: &Argument| argument.name.chars().nth(1) == Some('x');
        let is_predicate = |argument: &Argument| argument.name.starts_with('P');
        if operands.instruction.signature.args.iter().any(is_predicate) {
            return Err("a predicate of the scalar unit");
        }
        let destroys = operands.instruction.signature.args.iter().position(both);
        Ok(Places { destroys, ..Places::default() })
    },
    rank: |_, _| 0,
};
