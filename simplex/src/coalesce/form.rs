//! Forms as the comparison of sets needs them: quickly told apart, and borrowed where a set is used as it was given.

use std::borrow::Cow;
use std::ops::Deref;

use dashu_int::{IBig, Sign, Word};

use crate::affine::{Affine, Constraint};
use crate::set::Points;

/// An affine form and a number made of its coefficients.
#[derive(Clone)]
pub(super) struct Form<'a> {
    affine: Cow<'a, Affine>,
    /// A sum of multiples of the coefficients, modulo a word's size: forms with the same coefficients have the same, and those
    /// with the opposite coefficients the opposite one.
    fingerprint: Word,
}

impl<'a> Form<'a> {
    pub(super) fn new(affine: Cow<'a, Affine>) -> Self {
        const FACTOR: Word = 0x9e37_79b1;
        let fingerprint = affine
            .coefficients
            .iter()
            .fold(0, |sum: Word, value| sum.wrapping_mul(FACTOR).wrapping_add(modulo_word(value)));
        Self { affine, fingerprint }
    }

    /// The form of a constraint with smaller coefficients and the same points; `None` when there are none because
    /// the form is zero at no point with integer coordinates.
    pub(super) fn of(constraint: &'a Constraint, points: Points) -> Option<Self> {
        let reduced = match points {
            Points::Integer => constraint.tightened()?,
            Points::Rational => constraint.reduced(),
        };
        Some(Self::new(reduced))
    }

    pub(super) fn negated(&self) -> Form<'static> {
        Form { affine: Cow::Owned(self.affine.negated()), fingerprint: self.fingerprint.wrapping_neg() }
    }

    /// Whether another form is at most this one at all points, as their coefficients show.
    pub(super) fn is_implied_by(&self, other: &Form<'_>) -> bool {
        self.fingerprint == other.fingerprint
            && (std::ptr::eq::<Affine>(&**self, &**other)
                || other.constant <= self.constant && self.coefficients == other.coefficients)
    }

    /// Whether another form's negation is at most this one at all points, as their coefficients show.
    pub(super) fn is_implied_by_negation(&self, other: &Form<'_>) -> bool {
        self.fingerprint == other.fingerprint.wrapping_neg()
            && -&other.constant <= self.constant
            && self.coefficients.iter().zip(&other.coefficients).all(|(own, other)| *own == -other)
    }

    /// Whether another form is this one or its negation.
    pub(super) fn has_zeros_of(&self, other: &Form<'_>) -> bool {
        self.constant == other.constant && self.is_implied_by(other)
            || self.constant == -&other.constant && self.is_implied_by_negation(other)
    }

    pub(super) fn into_affine(self) -> Affine {
        self.affine.into_owned()
    }
}

impl Deref for Form<'_> {
    type Target = Affine;

    fn deref(&self) -> &Affine {
        &self.affine
    }
}

/// A number modulo the size of a word.
fn modulo_word(value: &IBig) -> Word {
    match value.as_sign_words() {
        (_, []) => 0,
        (Sign::Positive, [word, ..]) => *word,
        (Sign::Negative, [word, ..]) => word.wrapping_neg(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn forms_imply_others_with_the_same_coefficients_only() {
        let form = |coefficients: [i64; 3], constant: i64| {
            Form::new(Cow::Owned(Affine::new(coefficients, constant)))
        };
        let own = form([1, -2, 0], 3);
        assert!(own.is_implied_by(&form([1, -2, 0], 2)));
        assert!(!own.is_implied_by(&form([1, -2, 0], 4)));
        assert!(!own.is_implied_by(&form([1, 2, 0], 3)));
        assert!(own.is_implied_by_negation(&form([-1, 2, 0], -3)));
        assert!(!own.is_implied_by_negation(&form([-1, 2, 0], -4)));
        assert!(own.is_implied_by(&own.negated().negated()) && own.is_implied_by_negation(&own.negated()));
        assert!(own.has_zeros_of(&own.clone()) && own.has_zeros_of(&form([-1, 2, 0], -3)));
        for other in [form([1, -2, 0], 4), form([1, -2, 0], 2), form([-1, 2, 0], -4), form([-1, 2, 0], -2)] {
            assert!(!own.has_zeros_of(&other));
        }
    }

    #[test]
    fn large_coefficients_with_one_fingerprint_are_different() {
        let large = |high: i64| {
            Form::new(Cow::Owned(Affine {
                coefficients: vec![(IBig::from(high) << 64) + 5],
                constant: IBig::ZERO,
            }))
        };
        assert_eq!(large(1).fingerprint, large(2).fingerprint);
        assert!(!large(1).is_implied_by(&large(2)));
        assert_eq!(
            large(1).negated().fingerprint,
            Form::new(Cow::Owned(large(1).into_affine().negated())).fingerprint
        );
    }
}
