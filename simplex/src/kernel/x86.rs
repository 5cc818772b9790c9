//! The row operation on AVX-512 (32 or 16 elements at a time) and AVX2 (16 or 8).
//!
//! At 16 bits, rows are interleaved with the operand so that one multiply-add forms `a * row + b * operand` in 32 bits.
//! At 32 bits, even and odd elements are multiplied to 64 bits apart from each other.

#![allow(unsafe_code, reason = "vector loads, stores and functions for CPU features found at run time")]

use std::arch::x86_64::*;

use super::Combine;

/// The widest form at 16 bits that this CPU has.
pub(super) fn combine_i16() -> Option<Combine<i16>> {
    if is_x86_feature_detected!("avx512bw") {
        return Some(i16_avx512);
    }
    is_x86_feature_detected!("avx2").then_some(i16_avx2)
}

/// The widest form at 32 bits that this CPU has.
pub(super) fn combine_i32() -> Option<Combine<i32>> {
    if is_x86_feature_detected!("avx512f") {
        return Some(i32_avx512);
    }
    is_x86_feature_detected!("avx2").then_some(i32_avx2)
}

/// The forms at 16 bits that this CPU has, by name.
#[cfg(test)]
pub(super) fn all_i16() -> Vec<(&'static str, Combine<i16>)> {
    let mut all: Vec<(&'static str, Combine<i16>)> = Vec::new();
    if is_x86_feature_detected!("avx2") {
        all.push(("AVX2", i16_avx2));
    }
    if is_x86_feature_detected!("avx512bw") {
        all.push(("AVX-512BW", i16_avx512));
    }
    all
}

/// The forms at 32 bits that this CPU has, by name.
#[cfg(test)]
pub(super) fn all_i32() -> Vec<(&'static str, Combine<i32>)> {
    let mut all: Vec<(&'static str, Combine<i32>)> = Vec::new();
    if is_x86_feature_detected!("avx2") {
        all.push(("AVX2", i32_avx2));
    }
    if is_x86_feature_detected!("avx512f") {
        all.push(("AVX-512F", i32_avx512));
    }
    all
}

/// A safe function around one for a CPU feature. They are private: only the functions above hand them out, after
/// they have found the feature.
macro_rules! dispatched {
    ($name:ident, $inner:ident, $element:ty, $lanes:literal) => {
        fn $name(
            row: &[$element],
            a: &$element,
            operand: &[$element],
            b: &$element,
            out: &mut [$element],
        ) -> bool {
            assert!(row.len() == operand.len() && row.len() == out.len() && row.len().is_multiple_of($lanes));
            // SAFETY: the CPU has the feature, and the three slices have the same length, a multiple of the lanes.
            unsafe { $inner(row, *a, operand, *b, out) }
        }
    };
}

dispatched!(i16_avx512, combine_i16_avx512, i16, 32);
dispatched!(i16_avx2, combine_i16_avx2, i16, 16);
dispatched!(i32_avx512, combine_i32_avx512, i32, 16);
dispatched!(i32_avx2, combine_i32_avx2, i32, 8);

/// Two factors in one 32-bit lane: `a` for the row, in the lower half, `b` for the operand.
fn factors(a: i16, b: i16) -> i32 {
    i32::from(a.cast_unsigned()) | (i32::from(b) << 16)
}

/// # Safety
/// The slices have the same length, a multiple of 32.
#[target_feature(enable = "avx512f,avx512bw")]
unsafe fn combine_i16_avx512(row: &[i16], a: i16, operand: &[i16], b: i16, out: &mut [i16]) -> bool {
    let factors = _mm512_set1_epi32(factors(a, b));
    let limit = _mm512_set1_epi32(i32::from(i16::MAX));
    let mut overflow = 0;
    for start in (0..row.len()).step_by(32) {
        // SAFETY: 32 elements lie at `start` in each slice.
        unsafe {
            let left = _mm512_loadu_si512(row.as_ptr().add(start).cast());
            let right = _mm512_loadu_si512(operand.as_ptr().add(start).cast());
            let low = _mm512_madd_epi16(_mm512_unpacklo_epi16(left, right), factors);
            let high = _mm512_madd_epi16(_mm512_unpackhi_epi16(left, right), factors);
            overflow |= _mm512_cmpgt_epi32_mask(_mm512_abs_epi32(low), limit);
            overflow |= _mm512_cmpgt_epi32_mask(_mm512_abs_epi32(high), limit);
            _mm512_storeu_si512(out.as_mut_ptr().add(start).cast(), _mm512_packs_epi32(low, high));
        }
    }
    overflow == 0
}

/// # Safety
/// The slices have the same length, a multiple of 16.
#[target_feature(enable = "avx2")]
unsafe fn combine_i16_avx2(row: &[i16], a: i16, operand: &[i16], b: i16, out: &mut [i16]) -> bool {
    let factors = _mm256_set1_epi32(factors(a, b));
    let limit = _mm256_set1_epi32(i32::from(i16::MAX));
    let mut overflow = _mm256_setzero_si256();
    for start in (0..row.len()).step_by(16) {
        // SAFETY: 16 elements lie at `start` in each slice.
        unsafe {
            let left = _mm256_loadu_si256(row.as_ptr().add(start).cast());
            let right = _mm256_loadu_si256(operand.as_ptr().add(start).cast());
            let low = _mm256_madd_epi16(_mm256_unpacklo_epi16(left, right), factors);
            let high = _mm256_madd_epi16(_mm256_unpackhi_epi16(left, right), factors);
            overflow = _mm256_or_si256(overflow, _mm256_cmpgt_epi32(_mm256_abs_epi32(low), limit));
            overflow = _mm256_or_si256(overflow, _mm256_cmpgt_epi32(_mm256_abs_epi32(high), limit));
            _mm256_storeu_si256(out.as_mut_ptr().add(start).cast(), _mm256_packs_epi32(low, high));
        }
    }
    _mm256_testz_si256(overflow, overflow) != 0
}

/// # Safety
/// The slices have the same length, a multiple of 16.
#[target_feature(enable = "avx512f")]
unsafe fn combine_i32_avx512(row: &[i32], a: i32, operand: &[i32], b: i32, out: &mut [i32]) -> bool {
    let (a, b) = (_mm512_set1_epi64(i64::from(a)), _mm512_set1_epi64(i64::from(b)));
    let limit = _mm512_set1_epi64(i64::from(i32::MAX));
    let mut overflow = 0;
    for start in (0..row.len()).step_by(16) {
        // SAFETY: 16 elements lie at `start` in each slice.
        unsafe {
            let left = _mm512_loadu_si512(row.as_ptr().add(start).cast());
            let right = _mm512_loadu_si512(operand.as_ptr().add(start).cast());
            let even = _mm512_add_epi64(_mm512_mul_epi32(left, a), _mm512_mul_epi32(right, b));
            let (left, right) = (_mm512_srli_epi64::<32>(left), _mm512_srli_epi64::<32>(right));
            let odd = _mm512_add_epi64(_mm512_mul_epi32(left, a), _mm512_mul_epi32(right, b));
            overflow |= _mm512_cmpgt_epi64_mask(_mm512_abs_epi64(even), limit);
            overflow |= _mm512_cmpgt_epi64_mask(_mm512_abs_epi64(odd), limit);
            let sums = _mm512_mask_blend_epi32(0xaaaa, even, _mm512_slli_epi64::<32>(odd));
            _mm512_storeu_si512(out.as_mut_ptr().add(start).cast(), sums);
        }
    }
    overflow == 0
}

/// # Safety
/// The slices have the same length, a multiple of 8.
#[target_feature(enable = "avx2")]
unsafe fn combine_i32_avx2(row: &[i32], a: i32, operand: &[i32], b: i32, out: &mut [i32]) -> bool {
    let (a, b) = (_mm256_set1_epi64x(i64::from(a)), _mm256_set1_epi64x(i64::from(b)));
    let least = _mm256_set1_epi64x(-i64::from(i32::MAX));
    let greatest = _mm256_set1_epi64x(i64::from(i32::MAX));
    let mut overflow = _mm256_setzero_si256();
    for start in (0..row.len()).step_by(8) {
        // SAFETY: 8 elements lie at `start` in each slice.
        unsafe {
            let left = _mm256_loadu_si256(row.as_ptr().add(start).cast());
            let right = _mm256_loadu_si256(operand.as_ptr().add(start).cast());
            let even = _mm256_add_epi64(_mm256_mul_epi32(left, a), _mm256_mul_epi32(right, b));
            let (left, right) = (_mm256_srli_epi64::<32>(left), _mm256_srli_epi64::<32>(right));
            let odd = _mm256_add_epi64(_mm256_mul_epi32(left, a), _mm256_mul_epi32(right, b));
            for sum in [even, odd] {
                overflow = _mm256_or_si256(overflow, _mm256_cmpgt_epi64(sum, greatest));
                overflow = _mm256_or_si256(overflow, _mm256_cmpgt_epi64(least, sum));
            }
            let sums = _mm256_blend_epi32::<0xaa>(even, _mm256_slli_epi64::<32>(odd));
            _mm256_storeu_si256(out.as_mut_ptr().add(start).cast(), sums);
        }
    }
    _mm256_testz_si256(overflow, overflow) != 0
}
