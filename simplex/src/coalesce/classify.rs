//! How a constraint of one set lies to another set.

use super::piece::Piece;
use crate::affine::Affine;
use crate::rational::Rational;
use crate::set::Points;
use crate::simplex::{Optimum, Simplex};

/// The values that a form has on a set.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Relation {
    /// It is nowhere negative.
    Valid,
    /// It is negative everywhere, but no integer lies between its greatest value and zero.
    Adjacent,
    /// It is negative somewhere and not negative somewhere.
    Cut,
}

/// The relations of one piece's forms to another piece; `None` when a form separates the two.
///
/// Most forms of two pieces that come from one problem are the same, which needs no question.
pub(super) fn relations(piece: &Piece, other: &mut Piece, points: Points) -> Option<Vec<Relation>> {
    let relations = piece.forms().iter().map(|form| match other.has(form) {
        true => Some(Relation::Valid),
        false => relation(form, &mut other.simplex, points),
    });
    relations.collect()
}

fn relation(form: &Affine, set: &mut Simplex, points: Points) -> Option<Relation> {
    if set.is_nonnegative(form) {
        return Some(Relation::Valid);
    }
    if set.can_reach_zero(form) {
        return Some(Relation::Cut);
    }
    match set.maximum(form) {
        Optimum::Bounded(value) if points == Points::Integer && value >= Rational::from(-1) => {
            Some(Relation::Adjacent)
        }
        _ => None,
    }
}
