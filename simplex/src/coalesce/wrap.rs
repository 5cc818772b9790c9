//! Constraints turned around a facet until another set fulfills them, too.
//!
//! Beyond a facet `c >= 0` of a set, another constraint `a >= 0` of that set may cut off points of the second one.
//! The constraint `a - m * c >= 0` contains the ridge where both are zero, for every `m`, and the least `m` for which
//! the second set fulfills it beyond the facet is the greatest value of `-a` over the cone of that part, where
//! `-c = 1`. (K. Fukuda, T. Liebling and C. Lütolf, "Extended convex hull", 2001, describe wrapping.)

use std::borrow::Cow;
use std::cell::LazyCell;

use dashu_int::IBig;

use super::Pair;
use super::confirm::{beyond, is_covered};
use super::form::Form;
use super::piece::{Forms, Piece};
use crate::affine::{Affine, Constraint};
use crate::set::Points;
use crate::simplex::{Optimum, Simplex};

/// A set with the integer points of both pieces and no others, with wrapped constraints.
///
/// Only facets beyond which the second set has a single layer of points are tried, as isl does.
pub(super) fn wrapped<'a>(
    (first, on_first): (&Forms<'a>, &mut Simplex),
    (second, on_second): (&Forms<'a>, &mut Simplex),
    pair: &Pair<'_, 'a>,
) -> Option<Piece<'a>> {
    let mut facets = pair.beyond_first.clone();
    facets.retain(|facet| on_second.is_nonnegative(&facet.plus(1)));
    if facets.is_empty() {
        return None;
    }
    let bound = LazyCell::new(|| greatest_coefficient(first).max(greatest_coefficient(second)));
    facets.into_iter().find_map(|facet| {
        let opposite = beyond(facet, Points::Integer);
        let mut wrapped = turned(&pair.beyond_first, facet, second)?;
        wrapped.extend(turned(&pair.beyond_second, &opposite, first)?);
        wrapped.retain(|form| !form.is_constant());
        wrapped.retain(|form| {
            let small = form.coefficients.iter().all(|value| in_bound(value, &bound));
            small && on_first.is_nonnegative(form) && on_second.is_nonnegative(form)
        });
        if wrapped.is_empty() {
            return None;
        }
        let mut hull = pair.hull().simplex.clone();
        let wrapped: Vec<_> = wrapped
            .into_iter()
            .map(|form| (hull.add_inequality(&form), Form::new(Cow::Owned(form))))
            .collect();
        is_covered(&hull, &pair.beyond_first, &pair.beyond_second, Points::Integer)
            .then(|| pair.piece(hull, wrapped))
    })
}

/// Each form except the facet's, turned around the facet until a set beyond it fulfills it; `None` when the set goes
/// beyond a form however far that is turned, so that no convex set has only the points of both.
fn turned(forms: &[&Form<'_>], facet: &Affine, set: &Forms<'_>) -> Option<Vec<Affine>> {
    let mut others = forms.iter().filter(|form| ****form != *facet).peekable();
    if others.peek().is_none() {
        return Some(Vec::new());
    }
    let mut cone = cone_beyond(facet, set);
    others.map(|form| turn(form, facet, &mut cone)).collect()
}

fn turn(form: &Affine, facet: &Affine, cone: &mut Simplex) -> Option<Affine> {
    let Optimum::Bounded(factor) = cone.maximum(&homogeneous(&form.negated())) else { return None };
    let turned = form.combined(factor.denominator(), facet, &-factor.numerator());
    Some(Constraint::Inequality(turned).tightened()?.into_owned())
}

/// The multiples `(t * x, t)` of a set's points `x` beyond a facet for which the facet's form is -1.
fn cone_beyond(facet: &Affine, set: &Forms<'_>) -> Simplex {
    let dimension = facet.coefficients.len();
    let mut cone = Simplex::new(dimension + 1);
    let mut scale = vec![0; dimension];
    scale.push(1);
    cone.add_inequality(&Affine::new(scale.iter().copied(), 0));
    cone.add_equality(&homogeneous(facet).plus(1));
    // The facet's form is at most -1 at the point itself.
    cone.add_inequality(&Affine::new(scale, 0).negated().plus(1));
    for equality in &set.equalities {
        cone.add_equality(&homogeneous(&equality.form));
    }
    for form in &set.inequalities {
        cone.add_inequality(&homogeneous(form));
    }
    cone
}

/// The form with its constant as the coefficient of one more coordinate.
fn homogeneous(form: &Affine) -> Affine {
    let coefficients = form.coefficients.iter().chain([&form.constant]).cloned();
    Affine { coefficients: coefficients.collect(), constant: IBig::ZERO }
}

fn greatest_coefficient(set: &Forms<'_>) -> IBig {
    let equalities = set.equalities.iter().map(|equality| &equality.form);
    let coefficients = equalities.chain(&set.inequalities).flat_map(|form| &form.coefficients);
    coefficients.fold(IBig::ONE, |greatest, value| greatest.max(value.clone()).max(-value))
}

fn in_bound(value: &IBig, bound: &IBig) -> bool {
    value <= bound && &-value <= bound
}
