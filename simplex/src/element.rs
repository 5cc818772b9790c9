//! The numbers that a tableau is made of: `i16`, `i32`, `i64` and [`IBig`] behind one trait.
//!
//! A fixed-width element has a magnitude of at most `MAX`. `MIN` never occurs, so that negation cannot overflow
//! and a sum of two products fits into twice the width.

use std::cmp::Ordering;

use dashu_int::ops::{Abs, Gcd};
use dashu_int::{IBig, Sign};

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
    /// Copies a row with its padding to another place.
    fn copy(row: &[Self], to: &mut [Self]);
    /// Moves new values into a row with its padding; the values are left as any numbers.
    fn store(values: &mut [Self], row: &mut [Self]);
    /// The fastest row operation of this machine.
    fn combine() -> Combine<Self>;

    #[inline]
    fn is_zero(&self) -> bool {
        self.signum() == Ordering::Equal
    }

    #[inline]
    fn is_negative(&self) -> bool {
        self.signum() == Ordering::Less
    }

    #[inline]
    fn is_positive(&self) -> bool {
        self.signum() == Ordering::Greater
    }

    #[inline]
    fn magnitude(&self) -> Self {
        if self.is_negative() { self.negate() } else { self.clone() }
    }
}

/// `Element` for a primitive integer, with the next wider one for products.
macro_rules! primitive_element {
    ($narrow:ty, $wide:ty, $gcd:path, $combine:path) => {
        impl Element for $narrow {
            const LANES: usize = 64 / size_of::<$narrow>();

            #[inline]
            fn zero() -> Self {
                0
            }

            #[inline]
            fn one() -> Self {
                1
            }

            #[inline]
            fn is_one(&self) -> bool {
                *self == 1
            }

            #[inline]
            fn from_integer(value: &IBig) -> Option<Self> {
                match value.as_sign_words() {
                    (_, []) => Some(0),
                    (Sign::Positive, &[word]) => <$narrow>::try_from(word).ok(),
                    (Sign::Negative, &[word]) => <$narrow>::try_from(word).ok().map(<$narrow>::wrapping_neg),
                    // Only where words are narrower than the element can it still fit.
                    _ => <$narrow>::try_from(value).ok().filter(|&value| value != <$narrow>::MIN),
                }
            }

            #[inline]
            fn to_integer(&self) -> IBig {
                IBig::from(*self)
            }

            #[inline]
            fn signum(&self) -> Ordering {
                self.cmp(&0)
            }

            #[inline]
            fn negate(&self) -> Self {
                self.wrapping_neg()
            }

            #[inline]
            fn copy(row: &[Self], to: &mut [Self]) {
                // Arrays are copied in place, without a call.
                let lines = to.as_chunks_mut::<{ Self::LANES }>().0.iter_mut();
                for (line, values) in lines.zip(row.as_chunks::<{ Self::LANES }>().0) {
                    *line = *values;
                }
            }

            #[inline]
            fn store(values: &mut [Self], row: &mut [Self]) {
                Self::copy(values, row);
            }

            #[inline]
            fn checked_sub(&self, other: &Self) -> Option<Self> {
                <$narrow>::checked_sub(*self, *other).filter(|&value| value != <$narrow>::MIN)
            }

            #[inline]
            fn checked_mul(&self, other: &Self) -> Option<Self> {
                <$narrow>::checked_mul(*self, *other).filter(|&value| value != <$narrow>::MIN)
            }

            #[inline]
            fn compare_products(a: &Self, b: &Self, c: &Self, d: &Self) -> Ordering {
                (<$wide>::from(*a) * <$wide>::from(*b)).cmp(&(<$wide>::from(*c) * <$wide>::from(*d)))
            }

            #[inline]
            fn gcd(&self, other: &Self) -> Self {
                $gcd(self.unsigned_abs(), other.unsigned_abs()) as $narrow
            }

            #[inline]
            fn divide_exact(&self, divisor: &Self) -> Self {
                if *divisor == 1 { *self } else { *self / *divisor }
            }

            #[inline]
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

    fn copy(row: &[Self], to: &mut [Self]) {
        to.clone_from_slice(row);
    }

    fn store(values: &mut [Self], row: &mut [Self]) {
        row.swap_with_slice(values);
    }

    fn combine() -> Combine<Self> {
        kernel::combine_big
    }
}
