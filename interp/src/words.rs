//! Arithmetic on word slices: the only implementation of operators on more than 64 bits.
//!
//! A value of `width` bits is `width.div_ceil(64)` words, least significant first, with zeros above the
//! width. Every function requires that of its operands and ensures it for `out`.

use std::cmp::Ordering;

/// Words that `width` bits take.
pub(crate) const fn count(width: u32) -> usize {
    width.div_ceil(64) as usize
}

/// The bits that the last word of a value of `width` bits may have set.
pub(crate) const fn top_mask(width: u32) -> u64 {
    match width % 64 {
        0 => u64::MAX,
        bits => (1 << bits) - 1,
    }
}

/// Clears the bits above `width`.
pub(crate) fn trim(out: &mut [u64], width: u32) {
    if let Some(top) = out.last_mut() {
        *top &= top_mask(width);
    }
}

/// Bit `index`; zero above the words.
pub(crate) fn bit(words: &[u64], index: u64) -> bool {
    usize::try_from(index / 64)
        .ok()
        .and_then(|word| words.get(word))
        .is_some_and(|word| word >> (index % 64) & 1 == 1)
}

/// Whether the two's complement reading of a value is negative.
pub(crate) fn sign(words: &[u64], width: u32) -> bool {
    bit(words, u64::from(width) - 1)
}

/// `out = a + b`.
pub(crate) fn add(out: &mut [u64], a: &[u64], b: &[u64], width: u32) {
    let mut carry = false;
    for (out, (a, b)) in out.iter_mut().zip(a.iter().zip(b)) {
        let (sum, first) = a.overflowing_add(*b);
        let (sum, second) = sum.overflowing_add(u64::from(carry));
        *out = sum;
        carry = first | second;
    }
    trim(out, width);
}

/// `out = a - b`.
pub(crate) fn sub(out: &mut [u64], a: &[u64], b: &[u64], width: u32) {
    let mut borrow = false;
    for (out, (a, b)) in out.iter_mut().zip(a.iter().zip(b)) {
        let (difference, first) = a.overflowing_sub(*b);
        let (difference, second) = difference.overflowing_sub(u64::from(borrow));
        *out = difference;
        borrow = first | second;
    }
    trim(out, width);
}

/// `out = -a`.
pub(crate) fn neg(out: &mut [u64], a: &[u64], width: u32) {
    let mut carry = true;
    for (out, a) in out.iter_mut().zip(a) {
        let (sum, overflow) = (!a).overflowing_add(u64::from(carry));
        *out = sum;
        carry = overflow;
    }
    trim(out, width);
}

/// `out = a * b`.
pub(crate) fn mul(out: &mut [u64], a: &[u64], b: &[u64], width: u32) {
    out.fill(0);
    let len = out.len();
    for (i, x) in a.iter().enumerate() {
        let mut carry = 0u128;
        for (slot, y) in out[i..].iter_mut().zip(&b[..len - i]) {
            let sum = u128::from(*x) * u128::from(*y) + u128::from(*slot) + carry;
            *slot = sum as u64;
            carry = sum >> 64;
        }
    }
    trim(out, width);
}

/// Quotient and remainder read unsigned; all ones and the dividend for a zero divisor.
pub(crate) fn div_rem_unsigned(
    quotient: &mut [u64],
    remainder: &mut [u64],
    a: &[u64],
    b: &[u64],
    width: u32,
) {
    if b.iter().all(|word| *word == 0) {
        quotient.fill(u64::MAX);
        trim(quotient, width);
        remainder.copy_from_slice(a);
        return;
    }
    quotient.fill(0);
    remainder.fill(0);
    // Long division bit by bit: more than 64 bits are too rare in instruction sets to be faster.
    for index in (0..u64::from(width)).rev() {
        let mut carry = bit(a, index);
        for word in remainder.iter_mut() {
            let out = *word >> 63 == 1;
            *word = *word << 1 | u64::from(carry);
            carry = out;
        }
        // Nothing is lost above the words: the remainder is at most the leading bits of `a`.
        if compare_unsigned(remainder, b) != Ordering::Less {
            let mut borrow = false;
            for (word, b) in remainder.iter_mut().zip(b) {
                let (difference, first) = word.overflowing_sub(*b);
                let (difference, second) = difference.overflowing_sub(u64::from(borrow));
                *word = difference;
                borrow = first | second;
            }
            quotient[(index / 64) as usize] |= 1 << (index % 64);
        }
    }
}

/// Bitwise combination; `combine` must give 0 for two zeros.
pub(crate) fn bitwise(out: &mut [u64], a: &[u64], b: &[u64], combine: impl Fn(u64, u64) -> u64) {
    for (out, (a, b)) in out.iter_mut().zip(a.iter().zip(b)) {
        *out = combine(*a, *b);
    }
}

/// `out = !a`.
pub(crate) fn not(out: &mut [u64], a: &[u64], width: u32) {
    for (out, a) in out.iter_mut().zip(a) {
        *out = !a;
    }
    trim(out, width);
}

/// `out = a << amount`; 0 for amounts of at least the width.
pub(crate) fn shl(out: &mut [u64], a: &[u64], amount: u64, width: u32) {
    out.fill(0);
    if amount >= u64::from(width) {
        return;
    }
    let (words, bits) = ((amount / 64) as usize, amount % 64);
    for index in words..out.len() {
        let high = a[index - words] << bits;
        let low = if bits > 0 && index > words { a[index - words - 1] >> (64 - bits) } else { 0 };
        out[index] = high | low;
    }
    trim(out, width);
}

/// `out = a >> amount`, filling with zeros or (`signed`) the sign bit.
pub(crate) fn shr(out: &mut [u64], a: &[u64], amount: u64, width: u32, signed: bool) {
    extract(out, a, amount, width);
    if signed && sign(a, width) {
        fill_ones(out, u64::from(width).saturating_sub(amount), width);
    }
}

/// Sets the bits `from .. width`.
fn fill_ones(out: &mut [u64], from: u64, width: u32) {
    for (index, word) in out.iter_mut().enumerate() {
        let start = index as u64 * 64;
        if start >= from {
            *word = u64::MAX;
        } else if from - start < 64 {
            *word |= u64::MAX << (from - start);
        }
    }
    trim(out, width);
}

/// The order of the unsigned readings of two values of as many words.
pub(crate) fn compare_unsigned(a: &[u64], b: &[u64]) -> Ordering {
    a.iter().rev().cmp(b.iter().rev())
}

/// The order of the two's complement readings of two values of one width.
pub(crate) fn compare_signed(a: &[u64], b: &[u64], width: u32) -> Ordering {
    match (sign(a, width), sign(b, width)) {
        (true, false) => Ordering::Less,
        (false, true) => Ordering::Greater,
        _ => compare_unsigned(a, b),
    }
}

/// The order of two values of one width.
pub(crate) fn compare(a: &[u64], b: &[u64], width: u32, signed: bool) -> Ordering {
    if signed { compare_signed(a, b, width) } else { compare_unsigned(a, b) }
}

/// The 64 bits from bit `low` on; bits beyond the words are zero.
pub(crate) fn window(a: &[u64], low: u64) -> u64 {
    let bits = low % 64;
    let Ok(index) = usize::try_from(low / 64) else { return 0 };
    let word = |index: usize| a.get(index).copied().unwrap_or(0);
    match bits {
        0 => word(index),
        _ => word(index) >> bits | word(index + 1) << (64 - bits),
    }
}

/// `out` = the `width` bits of `a` from `low` on; bits beyond the words of `a` are zero.
pub(crate) fn extract(out: &mut [u64], a: &[u64], low: u64, width: u32) {
    for (index, out) in out.iter_mut().enumerate() {
        *out = low.checked_add(index as u64 * 64).map_or(0, |low| window(a, low));
    }
    trim(out, width);
}

/// Overwrites `width` bits of `out` from `low` on with `value`; they lie inside `out`.
pub(crate) fn insert(out: &mut [u64], low: u32, value: &[u64], width: u32) {
    let shift = low % 64;
    let mut index = (low / 64) as usize;
    for (position, word) in value.iter().enumerate() {
        let mask = if position + 1 == value.len() { top_mask(width) } else { u64::MAX };
        overwrite(&mut out[index], word << shift, mask << shift);
        index += 1;
        if shift > 0 && mask >> (64 - shift) != 0 {
            overwrite(&mut out[index], word >> (64 - shift), mask >> (64 - shift));
        }
    }
}

/// Overwrites the bits of a mask; `bits` has no others.
pub(crate) fn overwrite(word: &mut u64, bits: u64, mask: u64) {
    *word ^= (*word ^ bits) & mask;
}

/// `out` = `a` with its width changed from `from` to `to`.
pub(crate) fn cast(out: &mut [u64], a: &[u64], from: u32, to: u32, signed: bool) {
    extract(out, a, 0, to);
    if signed && to > from && sign(a, from) {
        fill_ones(out, u64::from(from), to);
    }
}

/// `out` = `a` of `from` bits clamped into the signed or unsigned range of `to` bits.
pub(crate) fn saturate(out: &mut [u64], a: &[u64], from: u32, to: u32, from_signed: bool, to_signed: bool) {
    let negative = from_signed && sign(a, from);
    // The bits from `first` on must all repeat the sign for the value to fit.
    let first = if to_signed { to - 1 } else { to };
    let repeats = |expected: bool| (first..from).all(|index| bit(a, u64::from(index)) == expected);
    match (negative, to_signed) {
        (true, false) => out.fill(0),
        (true, true) if !repeats(true) => {
            out.fill(0);
            out[(first / 64) as usize] = 1 << (first % 64);
        }
        (false, _) if !repeats(false) => {
            out.fill(u64::MAX);
            trim(out, to);
            if to_signed {
                out[(first / 64) as usize] &= !(1 << (first % 64));
            }
        }
        _ => cast(out, a, from, to, from_signed),
    }
}

/// Number of one bits.
pub(crate) fn popcount(a: &[u64]) -> u64 {
    a.iter().map(|word| u64::from(word.count_ones())).sum()
}

/// Number of zero bits above the highest one bit; the width for 0.
pub(crate) fn leading_zeros(a: &[u64], width: u32) -> u64 {
    let top = a.iter().rposition(|word| *word != 0);
    let used = top.map_or(0, |top| top as u64 * 64 + 64 - u64::from(a[top].leading_zeros()));
    u64::from(width) - used
}

/// Number of zero bits below the lowest one bit; the width for 0.
pub(crate) fn trailing_zeros(a: &[u64], width: u32) -> u64 {
    let bottom = a.iter().position(|word| *word != 0);
    bottom.map_or(u64::from(width), |bottom| bottom as u64 * 64 + u64::from(a[bottom].trailing_zeros()))
}

/// A count as 64 bits: greater values become the greatest, which is beyond any width.
pub(crate) fn clamp_count(a: &[u64]) -> u64 {
    match a {
        [] => 0,
        [low, high @ ..] if high.iter().all(|word| *word == 0) => *low,
        _ => u64::MAX,
    }
}
