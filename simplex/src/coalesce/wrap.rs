//! Constraints turned around a facet until another set fulfills them, too.
//!
//! Beyond a facet `c >= 0` of a set, another constraint `a >= 0` of that set may cut off points of the second one.
//! The constraint `a - m * c >= 0` contains the ridge where both are zero, for every `m`, and the least `m` for which
//! the second set fulfills it beyond the facet is the greatest value of `-a` over the cone of that part, where
//! `-c = 1`. (K. Fukuda, T. Liebling and C. Lütolf, "Extended convex hull", 2001, describe wrapping.)

use dashu_int::IBig;

use super::Pair;
use super::confirm::{beyond, is_covered};
use super::piece::Piece;
use crate::affine::{Affine, Constraint};
use crate::set::Points;
use crate::simplex::{Optimum, Simplex};

/// Forms of a set with the points of both pieces and no others, with wrapped constraints.
pub(super) fn wrapped(
    first: &mut Piece,
    second: &mut Piece,
    pair: &Pair,
    points: Points,
) -> Option<Vec<Affine>> {
    let bound = greatest_coefficient(first).max(greatest_coefficient(second));
    pair.beyond_first.iter().find_map(|facet| {
        let opposite = beyond(facet, points);
        let mut forms = pair.common.clone();
        let outer = turned(&pair.beyond_first, facet, second, points);
        let inner = turned(&pair.beyond_second, &opposite, first, points);
        for form in outer.into_iter().chain(inner) {
            let small = form.coefficients.iter().all(|value| in_bound(value, &bound));
            if small && first.simplex.is_nonnegative(&form) && second.simplex.is_nonnegative(&form) {
                forms.push(form);
            }
        }
        if forms.len() == pair.common.len() {
            return None;
        }
        let candidate = Pair {
            common: forms,
            beyond_first: pair.beyond_first.clone(),
            beyond_second: pair.beyond_second.clone(),
        };
        is_covered(&candidate, first.dimension(), points).then_some(candidate.common)
    })
}

/// Each form except the facet's, turned around the facet until a set beyond it fulfills it.
fn turned(forms: &[Affine], facet: &Affine, set: &Piece, points: Points) -> Vec<Affine> {
    let mut cone = cone_beyond(facet, set, points);
    let others = forms.iter().filter(|&form| form != facet);
    others.filter_map(|form| turn(form, facet, &mut cone, points)).collect()
}

fn turn(form: &Affine, facet: &Affine, cone: &mut Simplex, points: Points) -> Option<Affine> {
    let Optimum::Bounded(factor) = cone.maximum(&homogeneous(&form.negated())) else { return None };
    let turned = form.combined(factor.denominator(), facet, &-factor.numerator());
    let constraint = Constraint::Inequality(turned);
    let constraint = match points {
        Points::Integer => constraint.tightened()?,
        Points::Rational => constraint.reduced(),
    };
    let form = constraint.affine();
    (!form.is_constant()).then(|| form.clone())
}

/// The multiples `(t * x, t)` of a set's points `x` beyond a facet for which the facet's form is -1.
fn cone_beyond(facet: &Affine, set: &Piece, points: Points) -> Simplex {
    let dimension = set.dimension();
    let mut cone = Simplex::new(dimension + 1);
    let mut scale = vec![0; dimension];
    scale.push(1);
    cone.add_inequality(&Affine::new(scale.iter().copied(), 0));
    cone.add_equality(&homogeneous(facet).plus(1));
    if points == Points::Integer {
        // The facet's form is at most -1 at the point itself.
        cone.add_inequality(&Affine::new(scale, 0).negated().plus(1));
    }
    for form in set.forms() {
        cone.add_inequality(&homogeneous(form));
    }
    cone
}

/// The form with its constant as the coefficient of one more coordinate.
fn homogeneous(form: &Affine) -> Affine {
    let coefficients = form.coefficients.iter().chain([&form.constant]).cloned();
    Affine { coefficients: coefficients.collect(), constant: IBig::ZERO }
}

fn greatest_coefficient(piece: &Piece) -> IBig {
    let coefficients = piece.forms().iter().flat_map(|form| &form.coefficients);
    coefficients.fold(IBig::ONE, |greatest, value| greatest.max(value.clone()).max(-value))
}

fn in_bound(value: &IBig, bound: &IBig) -> bool {
    value <= bound && &-value <= bound
}
