//! Whether a set has no points beyond two others.

use super::form::Form;
use crate::affine::Affine;
use crate::set::Points;
use crate::simplex::Simplex;

/// Whether the common forms of a pair of sets have no point outside of both, when no form of one set is negative
/// on all of the other: it is enough that the facets which the second set cuts off the first lie in the second.
///
/// For a point `p` beyond the first set, take a point `a` of the first. The way from `p` to `a` enters the first set
/// through one of those facets, in a point of the second. A form of the second that is negative at `p` is therefore
/// not negative at all points `a`, so that it is a common one, which `p` fulfills.
pub(super) fn facets_are_covered(
    first: &Simplex,
    beyond_first: &[&Form<'_>],
    beyond_second: &[&Form<'_>],
) -> bool {
    beyond_first.iter().all(|form| {
        let mut facet = first.clone();
        facet.add_equality(form);
        beyond_second.iter().all(|form| facet.is_nonnegative(form))
    })
}

/// Whether a set, which two others are in, has no point outside of both: where a form of the first is negative, all
/// forms of the second must not be.
pub(super) fn is_covered(
    hull: &Simplex,
    beyond_first: &[&Form<'_>],
    beyond_second: &[&Form<'_>],
    points: Points,
) -> bool {
    beyond_first.iter().all(|form| {
        let mut outside = hull.clone();
        outside.add_inequality(&beyond(form, points));
        beyond_second.iter().all(|form| match points {
            Points::Integer => outside.is_above_minus_one(form),
            Points::Rational => outside.is_nonnegative(form),
        })
    })
}

/// The form that is not negative where another one is negative. For rational points it is zero where the other is:
/// sets have all of their limits, so that this makes no difference.
pub(super) fn beyond(form: &Affine, points: Points) -> Affine {
    let mut beyond = form.negated();
    if points == Points::Integer {
        beyond.constant -= 1;
    }
    beyond
}
