//! The row operation of a pivot: `out = a * row + b * operand`, with overflow detection.
//!
//! The portable form in [`scalar`] is the definition. `x86` and `neon` compute the same with vectors, chosen when
//! the program runs. All of them form sums of products at twice the width and then look whether the sums fit back,
//! so that an intermediate product never causes an overflow by itself.

#[cfg(target_arch = "aarch64")]
mod neon;
mod scalar;
#[cfg(test)]
mod tests;
#[cfg(target_arch = "x86_64")]
mod x86;

pub(crate) use scalar::combine_big;

/// Computes `out[i] = a * row[i] + b * operand[i]` and returns whether every sum fits.
///
/// The three slices have the same length, a multiple of the element's `LANES`. No element, `a` or `b` is the
/// smallest number of its type. When the result is `false`, the contents of `out` are unspecified.
pub(crate) type Combine<E> = fn(row: &[E], a: &E, operand: &[E], b: &E, out: &mut [E]) -> bool;

/// The fastest form at 16 bits.
pub(crate) fn combine_i16() -> Combine<i16> {
    #[cfg(target_arch = "x86_64")]
    if let Some(combine) = x86::combine_i16() {
        return combine;
    }
    #[cfg(target_arch = "aarch64")]
    return neon::combine_i16;
    #[cfg(not(target_arch = "aarch64"))]
    scalar::combine_i16
}

/// The fastest form at 32 bits.
pub(crate) fn combine_i32() -> Combine<i32> {
    #[cfg(target_arch = "x86_64")]
    if let Some(combine) = x86::combine_i32() {
        return combine;
    }
    #[cfg(target_arch = "aarch64")]
    return neon::combine_i32;
    #[cfg(not(target_arch = "aarch64"))]
    scalar::combine_i32
}

/// The only form at 64 bits: no machine here has products of 128 bits on vectors.
pub(crate) fn combine_i64() -> Combine<i64> {
    scalar::combine_i64
}
