//! The row operation on Neon, which every AArch64 CPU has: 8 elements of 16 bits or 4 of 32 bits at a time.

#![allow(unsafe_code, reason = "vector loads and stores")]

use std::arch::aarch64::*;

/// See [`Combine`](super::Combine).
pub(super) fn combine_i16(row: &[i16], a: &i16, operand: &[i16], b: &i16, out: &mut [i16]) -> bool {
    assert!(row.len() == operand.len() && row.len() == out.len() && row.len().is_multiple_of(8));
    // SAFETY: Neon is part of the architecture, and 8 elements lie at `start` in each slice.
    unsafe {
        let mut overflow = vdupq_n_u32(0);
        let limit = vdupq_n_s32(i32::from(i16::MAX));
        for start in (0..row.len()).step_by(8) {
            let left = vld1q_s16(row.as_ptr().add(start));
            let right = vld1q_s16(operand.as_ptr().add(start));
            let low = vmlal_n_s16(vmull_n_s16(vget_low_s16(left), *a), vget_low_s16(right), *b);
            let high = vmlal_n_s16(vmull_n_s16(vget_high_s16(left), *a), vget_high_s16(right), *b);
            overflow = vorrq_u32(overflow, vcgtq_s32(vabsq_s32(low), limit));
            overflow = vorrq_u32(overflow, vcgtq_s32(vabsq_s32(high), limit));
            vst1q_s16(out.as_mut_ptr().add(start), vcombine_s16(vmovn_s32(low), vmovn_s32(high)));
        }
        vmaxvq_u32(overflow) == 0
    }
}

/// See [`Combine`](super::Combine).
pub(super) fn combine_i32(row: &[i32], a: &i32, operand: &[i32], b: &i32, out: &mut [i32]) -> bool {
    assert!(row.len() == operand.len() && row.len() == out.len() && row.len().is_multiple_of(4));
    // SAFETY: Neon is part of the architecture, and 4 elements lie at `start` in each slice.
    unsafe {
        let mut overflow = vdupq_n_u64(0);
        let limit = vdupq_n_s64(i64::from(i32::MAX));
        for start in (0..row.len()).step_by(4) {
            let left = vld1q_s32(row.as_ptr().add(start));
            let right = vld1q_s32(operand.as_ptr().add(start));
            let low = vmlal_n_s32(vmull_n_s32(vget_low_s32(left), *a), vget_low_s32(right), *b);
            let high = vmlal_n_s32(vmull_n_s32(vget_high_s32(left), *a), vget_high_s32(right), *b);
            overflow = vorrq_u64(overflow, vcgtq_s64(vabsq_s64(low), limit));
            overflow = vorrq_u64(overflow, vcgtq_s64(vabsq_s64(high), limit));
            vst1q_s32(out.as_mut_ptr().add(start), vcombine_s32(vmovn_s64(low), vmovn_s64(high)));
        }
        vmaxvq_u32(vreinterpretq_u32_u64(overflow)) == 0
    }
}
