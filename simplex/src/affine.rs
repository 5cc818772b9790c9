//! Affine forms and the constraints made of them.

use std::borrow::Cow;
use std::fmt;

use dashu_int::IBig;

use crate::element::Element;
use crate::rational::{Rational, floor_divide};

/// An affine form: `coefficients[0] * x0 + coefficients[1] * x1 + … + constant`.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Affine {
    /// One factor for each variable.
    pub coefficients: Vec<IBig>,
    /// What is added.
    pub constant: IBig,
}

impl Affine {
    /// A form from any integers.
    pub fn new<T: Into<IBig>>(coefficients: impl IntoIterator<Item = T>, constant: impl Into<IBig>) -> Self {
        Self { coefficients: coefficients.into_iter().map(Into::into).collect(), constant: constant.into() }
    }

    /// Whether the form has the same value at all points.
    pub fn is_constant(&self) -> bool {
        self.coefficients.iter().all(IBig::is_zero)
    }

    /// The form with all signs changed.
    #[must_use]
    pub fn negated(&self) -> Self {
        Self {
            coefficients: self.coefficients.iter().map(|value| -value).collect(),
            constant: -&self.constant,
        }
    }

    /// The form with something added to its constant.
    #[must_use]
    pub fn plus(&self, constant: impl Into<IBig>) -> Self {
        Self { coefficients: self.coefficients.clone(), constant: &self.constant + constant.into() }
    }

    /// `a * self + b * other`.
    #[must_use]
    pub fn combined(&self, a: &IBig, other: &Self, b: &IBig) -> Self {
        let coefficients = self.coefficients.iter().zip(&other.coefficients);
        Self {
            coefficients: coefficients.map(|(left, right)| a * left + b * right).collect(),
            constant: a * &self.constant + b * &other.constant,
        }
    }

    /// The value at an integer point.
    pub fn at(&self, point: &[IBig]) -> IBig {
        self.coefficients
            .iter()
            .zip(point)
            .fold(self.constant.clone(), |sum, (factor, value)| sum + factor * value)
    }

    /// The value at a rational point.
    pub fn at_rational(&self, point: &[Rational]) -> Rational {
        let (mut numerator, mut denominator) = (self.constant.clone(), IBig::ONE);
        for (factor, value) in self.coefficients.iter().zip(point).filter(|(factor, _)| !factor.is_zero()) {
            numerator = numerator * value.denominator() + factor * value.numerator() * &denominator;
            denominator *= value.denominator();
        }
        Rational::new(numerator, denominator).unwrap_or_else(|| unreachable!("denominators are positive"))
    }

    /// The form divided by a divisor of all coefficients, or itself if that is zero; the constant is rounded down.
    fn divided(&self, divisor: &IBig) -> Cow<'_, Self> {
        if divisor.is_zero() || divisor.is_one() {
            return Cow::Borrowed(self);
        }
        Cow::Owned(Self {
            coefficients: self.coefficients.iter().map(|value| value / divisor).collect(),
            constant: floor_divide(&self.constant, divisor),
        })
    }

    /// The greatest common divisor of the coefficients, without the constant; 0 when all are zero.
    fn content(&self) -> IBig {
        if self.coefficients.iter().any(|value| matches!(value.as_sign_words(), (_, [1]))) {
            return IBig::ONE;
        }
        let mut content = IBig::ZERO;
        for coefficient in self.coefficients.iter().filter(|value| !value.is_zero()) {
            content = content.gcd(coefficient);
            if content.is_one() {
                break;
            }
        }
        content
    }
}

/// A condition on points.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Constraint {
    /// The form is zero.
    Equality(Affine),
    /// The form is not negative.
    Inequality(Affine),
}

impl Constraint {
    /// The form that is zero or not negative.
    pub fn affine(&self) -> &Affine {
        match self {
            Self::Equality(affine) | Self::Inequality(affine) => affine,
        }
    }

    /// Whether an integer point fulfills the constraint.
    pub fn holds_at(&self, point: &[IBig]) -> bool {
        let value = self.affine().at(point);
        match self {
            Self::Equality(_) => value.is_zero(),
            Self::Inequality(_) => !value.is_negative(),
        }
    }

    /// The form of the tightest constraint with coprime coefficients that holds at the same integer points; `None`
    /// when no integer point fulfills it because the constant is no multiple of what divides all coefficients.
    pub(crate) fn tightened(&self) -> Option<Cow<'_, Affine>> {
        let affine = self.affine();
        let content = affine.content();
        let inexact = || !(&affine.constant % &content).is_zero();
        if matches!(self, Self::Equality(_)) && !content.is_zero() && !content.is_one() && inexact() {
            return None;
        }
        Some(affine.divided(&content))
    }

    /// The form divided by what divides all coefficients and the constant.
    pub(crate) fn reduced(&self) -> Cow<'_, Affine> {
        let affine = self.affine();
        affine.divided(&affine.content().gcd(&affine.constant))
    }
}

impl fmt::Display for Affine {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (variable, factor) in self.coefficients.iter().enumerate().filter(|(_, factor)| !factor.is_zero())
        {
            write!(f, "{factor}*x{variable} + ")?;
        }
        self.constant.fmt(f)
    }
}

impl fmt::Display for Constraint {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Equality(affine) => write!(f, "{affine} = 0"),
            Self::Inequality(affine) => write!(f, "{affine} >= 0"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tightening_keeps_the_integer_points() {
        let inequality = Constraint::Inequality(Affine::new([4, -6], 3));
        assert_eq!(inequality.tightened().unwrap().into_owned(), Affine::new([2, -3], 1));
        assert_eq!(Constraint::Equality(Affine::new([4, -6], 3)).tightened(), None);
        let equality = Constraint::Equality(Affine::new([4, -6], 8));
        assert_eq!(equality.tightened().unwrap().into_owned(), Affine::new([2, -3], 4));
        let coprime = Constraint::Equality(Affine::new([4, -3], 8));
        assert!(matches!(coprime.tightened(), Some(Cow::Borrowed(_))));
    }

    #[test]
    fn reducing_keeps_the_rational_points() {
        let reduced = |coefficients: [i32; 2], constant: i32| {
            Constraint::Inequality(Affine::new(coefficients, constant)).reduced().into_owned()
        };
        assert_eq!(reduced([4, -6], 3), Affine::new([4, -6], 3));
        assert_eq!(reduced([4, -6], 12), Affine::new([2, -3], 6));
        assert_eq!(reduced([0, 0], -4), Affine::new([0, 0], -1));
    }

    #[test]
    fn values_and_text() {
        let form = Affine::new([2, 0, -1], 5);
        assert_eq!(form.to_string(), "2*x0 + -1*x2 + 5");
        assert_eq!(form.at(&[1, 9, 3].map(IBig::from)), IBig::from(4));
        let half = Rational::new(1, 2).unwrap();
        assert_eq!(form.at_rational(&[half.clone(), half.clone(), half]), Rational::new(11, 2).unwrap());
    }
}
