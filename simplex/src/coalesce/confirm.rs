//! Whether a set has no points beyond two others.

use dashu_int::IBig;

use super::Pair;
use super::piece::Piece;
use crate::affine::Affine;
use crate::set::Points;
use crate::simplex::Simplex;

/// Whether the common forms of a pair of sets have no point outside of both, when no form of one set is negative
/// on all of the other: it is enough that the facets which the second set cuts off the first lie in the second.
///
/// For a point `p` beyond the first set, take a point `a` of the first. The way from `p` to `a` enters the first set
/// through one of those facets, in a point of the second. A form of the second that is negative at `p` is therefore
/// not negative at all points `a`, so that it is a common one, which `p` fulfills.
pub(super) fn facets_are_covered(first: &Piece, beyond_first: &[&Affine], beyond_second: &[&Affine]) -> bool {
    beyond_first.iter().all(|form| {
        let mut facet = first.simplex.clone();
        facet.add_equality(form);
        beyond_second.iter().all(|form| facet.is_nonnegative(form))
    })
}

/// Whether the common forms of a pair of sets have no point outside of both: where a form of the first set is
/// negative, all forms of the second must not be.
pub(super) fn is_covered(pair: &Pair<'_>, dimension: usize, points: Points) -> bool {
    let common = Simplex::from_forms(dimension, &pair.common);
    pair.beyond_first.iter().all(|form| {
        let mut outside = common.clone();
        outside.add_inequality(&beyond(form, points));
        pair.beyond_second.iter().all(|form| outside.is_nonnegative(&relaxed(form, points)))
    })
}

/// The form that is not negative where another one is negative. For rational points it is zero where the other is:
/// sets have all of their limits, so that this makes no difference.
pub(super) fn beyond(form: &Affine, points: Points) -> Affine {
    match points {
        Points::Integer => form.negated().plus(-1),
        Points::Rational => form.negated(),
    }
}

/// A form that is not negative at all points where its integer values make another one not negative: it may be
/// short of zero by less than 1.
fn relaxed(form: &Affine, points: Points) -> Affine {
    match points {
        Points::Rational => form.clone(),
        // The form is an integer at integer points, so that `form > -1` is enough; this is `form >= -1/2`.
        Points::Integer => form.combined(&IBig::ONE, form, &IBig::ONE).plus(1),
    }
}
