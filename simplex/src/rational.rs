//! Exact fractions.

use std::cmp::Ordering;
use std::fmt;

use dashu_int::IBig;

use crate::element::Element;

/// An exact fraction in lowest terms, with a positive denominator.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct Rational {
    numerator: IBig,
    denominator: IBig,
}

impl Rational {
    /// `numerator / denominator`; `None` when the denominator is zero.
    pub fn new(numerator: impl Into<IBig>, denominator: impl Into<IBig>) -> Option<Self> {
        let (numerator, denominator) = (numerator.into(), denominator.into());
        if denominator.is_zero() {
            return None;
        }
        let common = numerator.gcd(&denominator);
        let common = if denominator.is_negative() { -common } else { common };
        Some(Self { numerator: numerator / &common, denominator: denominator / common })
    }

    /// The number above the line.
    pub fn numerator(&self) -> &IBig {
        &self.numerator
    }

    /// The number below the line, positive.
    pub fn denominator(&self) -> &IBig {
        &self.denominator
    }

    /// Whether the denominator is 1.
    pub fn is_integer(&self) -> bool {
        self.denominator.is_one()
    }

    /// The greatest integer that is not greater.
    pub fn floor(&self) -> IBig {
        floor_divide(&self.numerator, &self.denominator)
    }

    /// The least integer that is not less.
    pub fn ceil(&self) -> IBig {
        -floor_divide(&-&self.numerator, &self.denominator)
    }
}

/// The quotient by a positive number, rounded towards negative infinity.
pub(crate) fn floor_divide(numerator: &IBig, denominator: &IBig) -> IBig {
    let quotient = numerator / denominator;
    if numerator.is_negative() && &quotient * denominator != *numerator {
        quotient - IBig::ONE
    } else {
        quotient
    }
}

impl<T: Into<IBig>> From<T> for Rational {
    fn from(value: T) -> Self {
        Self { numerator: value.into(), denominator: IBig::ONE }
    }
}

impl Ord for Rational {
    fn cmp(&self, other: &Self) -> Ordering {
        (&self.numerator * &other.denominator).cmp(&(&other.numerator * &self.denominator))
    }
}

impl PartialOrd for Rational {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl fmt::Display for Rational {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.is_integer() {
            true => self.numerator.fmt(f),
            false => write!(f, "{}/{}", self.numerator, self.denominator),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lowest_terms_order_and_rounding() {
        let third = Rational::new(-2, -6).unwrap();
        assert_eq!(third.to_string(), "1/3");
        assert_eq!(Rational::new(4, -2).unwrap(), Rational::from(-2));
        assert_eq!(Rational::new(1, 0), None);
        assert_eq!(Rational::new(0, -5).unwrap(), Rational::from(0));
        assert!(Rational::new(-1, 2).unwrap() < third);
        for numerator in -7i32..=7 {
            let value = Rational::new(numerator, 3).unwrap();
            assert_eq!(value.floor(), IBig::from(numerator.div_euclid(3)));
            assert_eq!(value.ceil(), IBig::from((numerator + 2).div_euclid(3)));
            assert_eq!(value.is_integer(), numerator % 3 == 0);
        }
    }
}
