//! The row operation one element at a time, on any machine.

use dashu_int::IBig;

/// The row operation for a primitive integer and the next wider one.
macro_rules! scalar_combine {
    ($name:ident, $narrow:ty, $wide:ty) => {
        /// See [`Combine`](super::Combine).
        pub(crate) fn $name(
            row: &[$narrow],
            a: &$narrow,
            operand: &[$narrow],
            b: &$narrow,
            out: &mut [$narrow],
        ) -> bool {
            const LIMIT: $wide = <$narrow>::MAX as $wide;
            let (a, b) = (<$wide>::from(*a), <$wide>::from(*b));
            let mut fits = true;
            for ((out, &element), &other) in out.iter_mut().zip(row).zip(operand) {
                let sum = a * <$wide>::from(element) + b * <$wide>::from(other);
                fits &= (-LIMIT..=LIMIT).contains(&sum);
                *out = sum as $narrow;
            }
            fits
        }
    };
}

#[cfg_attr(target_arch = "aarch64", allow(dead_code, reason = "tests compare the vectors with it"))]
mod narrow {
    scalar_combine!(combine_i16, i16, i32);
    scalar_combine!(combine_i32, i32, i64);
}
scalar_combine!(combine_i64, i64, i128);
#[allow(unused_imports, reason = "on Neon only tests use them")]
pub(crate) use narrow::{combine_i16, combine_i32};

/// See [`Combine`](super::Combine); always fits.
pub(crate) fn combine_big(row: &[IBig], a: &IBig, operand: &[IBig], b: &IBig, out: &mut [IBig]) -> bool {
    for ((out, element), other) in out.iter_mut().zip(row).zip(operand) {
        *out = match (element.is_zero(), other.is_zero()) {
            (true, true) => IBig::ZERO,
            (false, true) => a * element,
            (true, false) => b * other,
            (false, false) => a * element + b * other,
        };
    }
    true
}
