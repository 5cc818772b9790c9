//! Greatest common divisors of small numbers.
//!
//! Most denominators and coefficients of a compiler's problems are 0, 1 or a power of two: these cases come first,
//! and the rest is Stein's binary algorithm.

/// A binary gcd of one unsigned type.
macro_rules! binary_gcd {
    ($name:ident, $unsigned:ty) => {
        /// The greatest common divisor; that of 0 and `b` is `b`.
        #[inline]
        pub(crate) fn $name(mut a: $unsigned, mut b: $unsigned) -> $unsigned {
            if a == 1 || b == 1 {
                return 1;
            }
            if a == 0 || a == b {
                return b;
            }
            if b == 0 {
                return a;
            }
            let twos = (a | b).trailing_zeros();
            a >>= a.trailing_zeros();
            loop {
                b >>= b.trailing_zeros();
                if a > b {
                    std::mem::swap(&mut a, &mut b);
                }
                if a == 1 {
                    return 1 << twos;
                }
                b -= a;
                if b == 0 {
                    return a << twos;
                }
            }
        }
    };
}

binary_gcd!(gcd_u16, u16);
binary_gcd!(gcd_u32, u32);
binary_gcd!(gcd_u64, u64);

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn euclid(a: u64, b: u64) -> u64 {
        if b == 0 { a } else { euclid(b, a % b) }
    }

    proptest! {
        #[test]
        fn binary_gcd_is_equal_to_euclids(a: u64, b: u64, factor in 1u64..100) {
            prop_assert_eq!(gcd_u64(a, b), euclid(a, b));
            let (a, b) = (a >> 40, b >> 40);
            prop_assert_eq!(gcd_u32((a * factor) as u32, (b * factor) as u32), euclid(u64::from((a * factor) as u32), u64::from((b * factor) as u32)) as u32);
            prop_assert_eq!(gcd_u16(a as u16, b as u16), euclid(a & 0xffff, b & 0xffff) as u16);
        }
    }

    #[test]
    fn special_cases() {
        for b in 0..40 {
            assert_eq!(gcd_u16(0, b), b);
            assert_eq!(gcd_u16(b, 0), b);
            assert_eq!(gcd_u16(1, b), 1);
            assert_eq!(gcd_u16(b, b), b);
            assert_eq!(gcd_u16(32767, b), euclid(32767, b.into()) as u16);
        }
    }
}
