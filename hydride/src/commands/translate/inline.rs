//! What is put in the place of a call: an expression that reads each argument once.

use ::search::Syntax;
use ::synth::CPart;
use parsers::{Argument, Kind};

use super::rewrite::Piece;
use crate::commands::port::call::result_type;
use crate::commands::port::table::Row;

/// The pieces for a call, where the sequence is an expression. Loads and stores keep their names, which say best what they do.
pub fn pieces(row: &Row<'_>, syntax: &dyn Syntax) -> Option<Vec<Piece>> {
    let signature = &row.source.instruction.signature;
    let is_register = |arg: &Argument| matches!(arg.kind, Kind::Vector | Kind::Immediate(_));
    if signature.results.len() != 1 || !signature.args.iter().all(is_register) {
        return None;
    }
    let leaves: Vec<usize> =
        (0..signature.args.len()).filter(|at| signature.args[*at].immediate().is_none()).collect();
    let result = result_type(row.source.instruction, syntax)?;
    let mut pieces = vec![Piece::Text(format!("(({result})"))];
    for part in row.expression()? {
        pieces.push(match part {
            CPart::Text(text) => Piece::Text(text.clone()),
            CPart::Leaf(leaf) => Piece::Argument(*leaves.get(*leaf)?),
        });
    }
    pieces.push(Piece::Text(")".into()));
    Some(pieces)
}
