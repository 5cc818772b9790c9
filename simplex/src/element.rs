//! The numbers that a tableau is made of: `i16`, `i32`, `i64` and [`IBig`] behind one trait.
//!
//! A fixed-width element has a magnitude of at most `MAX`. `MIN` never occurs, so that negation cannot overflow
//! and a sum of two products fits into twice the width.

use std::cmp::Ordering;

use dashu_int::IBig;
use dashu_int::ops::{Abs, Gcd};

use crate::gcd;
use crate::kernel::{self, Combine};

/// A number is too large for the width in use; nothing has been changed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Overflow;

/// A signed integer of some width.
pub(crate) trait Element: Clone + Ord + std::fmt::Debug {
    /// A row's length is a multiple of this: 64 bytes, or 1 where numbers lie elsewhere.
    const LANES: usize;

    fn zero() -> Self;
    fn one() -> Self;
    fn is_one(&self) -> bool;
    /// `None` when the number is too large.
    fn from_integer(value: &IBig) -> Option<Self>;
    fn to_integer(&self) -> IBig;
    /// Negative, zero or positive.
    fn signum(&self) -> Ordering;
    fn negate(&self) -> Self;
    fn checked_sub(&self, other: &Self) -> Option<Self>;
    fn checked_mul(&self, other: &Self) -> Option<Self>;
    /// Compares `a * b` with `c * d`, without overflow.
    fn compare_products(a: &Self, b: &Self, c: &Self, d: &Self) -> Ordering;
    /// The greatest common divisor, not negative.
    fn gcd(&self, other: &Self) -> Self;
    /// Divides by a positive number that divides without remainder.
    fn divide_exact(&self, divisor: &Self) -> Self;
    /// The fastest row operation of this machine.
    fn combine() -> Combine<Self>;

    fn is_zero(&self) -> bool {
        self.signum() == Ordering::Equal
    }

    fn is_negative(&self) -> bool {
        self.signum() == Ordering::Less
    }

    fn is_positive(&self) -> bool {
        self.signum() == Ordering::Greater
    }

    fn magnitude(&self) -> Self {
        if self.is_negative() { self.negate() } else { self.clone() }
    }
}

/// `Element` for a primitive integer, with the next wider one for products.
macro_rules! primitive_element {
    ($narrow:ty, $wide:ty, $gcd:path, $combine:path) => {
        impl Element for $narrow {
            const LANES: usize = 64 / size_of::<$narrow>();

            fn zero() -> Self {
                0
            }

            fn one() -> Self {
                1
            }

            fn is_one(&self) -> bool {
                *self == 1
            }

            fn from_integer(value: &IBig) -> Option<Self> {
                <$narrow>::try_from(value).ok().filter(|&value| value != <$narrow>::MIN)
            }

            fn to_integer(&self) -> IBig {
                IBig::from(*self)
            }

            fn signum(&self) -> Ordering {
                self.cmp(&0)
            }

            fn negate(&self) -> Self {
                -*self
            }

            fn checked_sub(&self, other: &Self) -> Option<Self> {
                <$narrow>::checked_sub(*self, *other).filter(|&value| value != <$narrow>::MIN)
            }

            fn checked_mul(&self, other: &Self) -> Option<Self> {
                <$narrow>::checked_mul(*self, *other).filter(|&value| value != <$narrow>::MIN)
            }

            fn compare_products(a: &Self, b: &Self, c: &Self, d: &Self) -> Ordering {
                (<$wide>::from(*a) * <$wide>::from(*b)).cmp(&(<$wide>::from(*c) * <$wide>::from(*d)))
            }

            fn gcd(&self, other: &Self) -> Self {
                $gcd(self.unsigned_abs(), other.unsigned_abs()) as $narrow
            }

            fn divide_exact(&self, divisor: &Self) -> Self {
                *self / *divisor
            }

            fn combine() -> Combine<Self> {
                $combine()
            }
        }
    };
}

primitive_element!(i16, i32, gcd::gcd_u16, kernel::combine_i16);
primitive_element!(i32, i64, gcd::gcd_u32, kernel::combine_i32);
primitive_element!(i64, i128, gcd::gcd_u64, kernel::combine_i64);

impl Element for IBig {
    const LANES: usize = 1;

    fn zero() -> Self {
        IBig::ZERO
    }

    fn one() -> Self {
        IBig::ONE
    }

    fn is_one(&self) -> bool {
        self.is_one()
    }

    fn from_integer(value: &IBig) -> Option<Self> {
        Some(value.clone())
    }

    fn to_integer(&self) -> IBig {
        self.clone()
    }

    fn signum(&self) -> Ordering {
        self.cmp(&IBig::ZERO)
    }

    fn negate(&self) -> Self {
        -self
    }

    fn checked_sub(&self, other: &Self) -> Option<Self> {
        Some(self - other)
    }

    fn checked_mul(&self, other: &Self) -> Option<Self> {
        Some(self * other)
    }

    fn compare_products(a: &Self, b: &Self, c: &Self, d: &Self) -> Ordering {
        (a * b).cmp(&(c * d))
    }

    fn gcd(&self, other: &Self) -> Self {
        if self.is_zero() {
            return other.abs();
        }
        if other.is_zero() {
            return self.abs();
        }
        Gcd::gcd(self, other).into()
    }

    fn divide_exact(&self, divisor: &Self) -> Self {
        self / divisor
    }

    fn combine() -> Combine<Self> {
        kernel::combine_big
    }
}
