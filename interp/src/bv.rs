//! `Bv`: a bit-vector value of any width with the IR's operators.
//!
//! Signedness is an argument of the operators that depend on it, as in the IR. Operands of
//! two-operand operators must have one width: a different one is a programming error and panics.

use std::cmp::Ordering;
use std::fmt;

use hydride_ir::Bits;
use smallvec::{SmallVec, smallvec};

use crate::words;

/// A value of `width` bits, at least one; up to 512 bits without allocation.
///
/// ```
/// use interp::Bv;
///
/// let a = Bv::from_u64(8, 0x80);
/// let b = Bv::from_i64(8, -1);
/// assert_eq!(a.add(&b), Bv::from_u64(8, 0x7f));
/// assert_eq!(a.cast(72, true).to_string(), "0xffffffffffffffff80");
/// assert_eq!(a.min(&b, true), a);
/// ```
#[derive(Clone, PartialEq, Eq, Hash)]
pub struct Bv {
    width: u32,
    /// Least significant first; bits above the width are zero.
    words: SmallVec<[u64; 8]>,
}

impl Bv {
    /// Zero.
    ///
    /// # Panics
    /// When `width` is 0.
    pub fn zero(width: u32) -> Self {
        assert!(width > 0, "a value has at least one bit");
        Self { width, words: smallvec![0; words::count(width)] }
    }

    /// All bits one.
    pub fn ones(width: u32) -> Self {
        Self::zero(width).not()
    }

    /// The low `width` bits of `value`, zeros above bit 63.
    pub fn from_u64(width: u32, value: u64) -> Self {
        Self::from_words(width, [value])
    }

    /// The low `width` bits of the two's complement form of `value`.
    pub fn from_i64(width: u32, value: i64) -> Self {
        let fill = if value < 0 { u64::MAX } else { 0 };
        Self::from_words(width, std::iter::once(value as u64).chain(std::iter::repeat(fill)))
    }

    /// The low `width` bits of `words`, least significant first; missing words are zero.
    pub fn from_words(width: u32, words: impl IntoIterator<Item = u64>) -> Self {
        Self::build(width, |out| {
            for (out, word) in out.iter_mut().zip(words) {
                *out = word;
            }
            words::trim(out, width);
        })
    }

    /// The least value of the two's complement reading: only the top bit is one.
    pub fn signed_min(width: u32) -> Self {
        Self::from_u64(width, 1).shl(u64::from(width) - 1)
    }

    /// The greatest value of the two's complement reading: all bits one but the top one.
    pub fn signed_max(width: u32) -> Self {
        Self::signed_min(width).not()
    }

    /// Width in bits.
    pub fn width(&self) -> u32 {
        self.width
    }

    /// The words, least significant first; bits above the width are zero.
    pub fn words(&self) -> &[u64] {
        &self.words
    }

    /// Bit `index`, counted from the least significant; zero above the width.
    pub fn bit(&self, index: u32) -> bool {
        words::bit(&self.words, u64::from(index))
    }

    /// The top bit.
    pub fn sign(&self) -> bool {
        words::sign(&self.words, self.width)
    }

    /// Whether all bits are zero.
    pub fn is_zero(&self) -> bool {
        self.words.iter().all(|word| *word == 0)
    }

    /// The unsigned reading when it fits 64 bits.
    pub fn to_u64(&self) -> Option<u64> {
        self.words[1..].iter().all(|word| *word == 0).then_some(self.words[0])
    }

    /// The unsigned reading, limited to the greatest 64-bit number; serves as a shift count.
    pub fn to_count(&self) -> u64 {
        words::clamp_count(&self.words)
    }

    /// Sum modulo 2^width.
    pub fn add(&self, other: &Self) -> Self {
        self.combine(other, |out, a, b| words::add(out, a, b, self.width))
    }

    /// Difference modulo 2^width.
    pub fn sub(&self, other: &Self) -> Self {
        self.combine(other, |out, a, b| words::sub(out, a, b, self.width))
    }

    /// Product modulo 2^width.
    pub fn mul(&self, other: &Self) -> Self {
        self.combine(other, |out, a, b| words::mul(out, a, b, self.width))
    }

    /// Quotient rounded toward zero. For a zero divisor: all ones when unsigned; when signed all
    /// ones for a dividend that is not negative and 1 for a negative one (SMT-LIB `bvsdiv`).
    pub fn div(&self, other: &Self, signed: bool) -> Self {
        if !signed {
            return self.div_rem_unsigned(other).0;
        }
        let quotient = self.magnitude().div_rem_unsigned(&other.magnitude()).0;
        if self.sign() == other.sign() { quotient } else { quotient.neg() }
    }

    /// Remainder of [`Bv::div`], with the dividend's sign; the dividend for a zero divisor.
    pub fn rem(&self, other: &Self, signed: bool) -> Self {
        if !signed {
            return self.div_rem_unsigned(other).1;
        }
        let remainder = self.magnitude().div_rem_unsigned(&other.magnitude()).1;
        if self.sign() { remainder.neg() } else { remainder }
    }

    fn div_rem_unsigned(&self, other: &Self) -> (Self, Self) {
        self.same_width(other);
        let (mut quotient, mut remainder) = (Self::zero(self.width), Self::zero(self.width));
        if let ([a], [b]) = (&self.words[..], &other.words[..]) {
            quotient.words[0] = a.checked_div(*b).unwrap_or(words::top_mask(self.width));
            remainder.words[0] = a.checked_rem(*b).unwrap_or(*a);
        } else {
            let (q, r) = (&mut quotient.words, &mut remainder.words);
            words::div_rem_unsigned(q, r, &self.words, &other.words, self.width);
        }
        (quotient, remainder)
    }

    fn magnitude(&self) -> Self {
        self.abs()
    }

    /// Bitwise and.
    pub fn and(&self, other: &Self) -> Self {
        self.combine(other, |out, a, b| words::bitwise(out, a, b, |a, b| a & b))
    }

    /// Bitwise or.
    pub fn or(&self, other: &Self) -> Self {
        self.combine(other, |out, a, b| words::bitwise(out, a, b, |a, b| a | b))
    }

    /// Bitwise exclusive or.
    pub fn xor(&self, other: &Self) -> Self {
        self.combine(other, |out, a, b| words::bitwise(out, a, b, |a, b| a ^ b))
    }

    /// Complement of every bit.
    #[allow(clippy::should_implement_trait)]
    pub fn not(&self) -> Self {
        Self::build(self.width, |out| words::not(out, &self.words, self.width))
    }

    /// Two's complement negation.
    #[allow(clippy::should_implement_trait)]
    pub fn neg(&self) -> Self {
        Self::build(self.width, |out| words::neg(out, &self.words, self.width))
    }

    /// Magnitude of the two's complement reading; the minimum maps to itself.
    pub fn abs(&self) -> Self {
        if self.sign() { self.neg() } else { self.clone() }
    }

    /// Shift towards the most significant bit; 0 for amounts of at least the width.
    pub fn shl(&self, amount: u64) -> Self {
        Self::build(self.width, |out| words::shl(out, &self.words, amount, self.width))
    }

    /// Shift towards the least significant bit, filling with zeros or (`signed`) the sign bit.
    pub fn shr(&self, amount: u64, signed: bool) -> Self {
        Self::build(self.width, |out| words::shr(out, &self.words, amount, self.width, signed))
    }

    /// The order of two values of one width.
    pub fn compare(&self, other: &Self, signed: bool) -> Ordering {
        self.same_width(other);
        words::compare(&self.words, &other.words, self.width, signed)
    }

    /// The smaller value.
    pub fn min(&self, other: &Self, signed: bool) -> Self {
        if self.compare(other, signed).is_le() { self.clone() } else { other.clone() }
    }

    /// The larger value.
    pub fn max(&self, other: &Self, signed: bool) -> Self {
        if self.compare(other, signed).is_ge() { self.clone() } else { other.clone() }
    }

    /// Number of one bits, modulo 2^width.
    pub fn popcount(&self) -> Self {
        Self::from_u64(self.width, words::popcount(&self.words))
    }

    /// Number of zero bits above the highest one bit (the width for 0), modulo 2^width.
    pub fn leading_zeros(&self) -> Self {
        Self::from_u64(self.width, words::leading_zeros(&self.words, self.width))
    }

    /// Number of zero bits below the lowest one bit (the width for 0), modulo 2^width.
    pub fn trailing_zeros(&self) -> Self {
        Self::from_u64(self.width, words::trailing_zeros(&self.words, self.width))
    }

    /// Bits `low .. low + width`.
    ///
    /// # Panics
    /// When they do not lie inside the value.
    pub fn extract(&self, low: u32, width: u32) -> Self {
        assert!(low.checked_add(width).is_some_and(|high| high <= self.width), "bits outside of the value");
        self.extract_at(u64::from(low), width)
    }

    /// Bits `low .. low + width`; bits beyond the top are zero.
    pub fn extract_at(&self, low: u64, width: u32) -> Self {
        Self::build(width, |out| words::extract(out, &self.words, low, width))
    }

    /// Overwrites bits `low .. low + value.width()`.
    ///
    /// # Panics
    /// When they do not lie inside the value.
    pub fn insert(&mut self, low: u32, value: &Self) {
        assert!(
            low.checked_add(value.width).is_some_and(|high| high <= self.width),
            "bits outside of the value"
        );
        words::insert(&mut self.words, low, &value.words, value.width);
    }

    /// Two concatenated values, `self` above `low`.
    pub fn concat(&self, low: &Self) -> Self {
        let mut both = Self::zero(self.width + low.width);
        both.insert(0, low);
        both.insert(low.width, self);
        both
    }

    /// The width changed: the low bits when narrower, extended by zeros or (`signed`) the sign bit
    /// when wider.
    pub fn cast(&self, width: u32, signed: bool) -> Self {
        Self::build(width, |out| words::cast(out, &self.words, self.width, width, signed))
    }

    /// The value, read signed when `from_signed`, clamped into the signed (`to_signed`) or unsigned
    /// range of `width` bits.
    pub fn saturate(&self, width: u32, from_signed: bool, to_signed: bool) -> Self {
        Self::build(width, |out| words::saturate(out, &self.words, self.width, width, from_signed, to_signed))
    }

    fn build(width: u32, fill: impl FnOnce(&mut [u64])) -> Self {
        let mut value = Self::zero(width);
        fill(&mut value.words);
        value
    }

    fn combine(&self, other: &Self, fill: impl FnOnce(&mut [u64], &[u64], &[u64])) -> Self {
        self.same_width(other);
        Self::build(self.width, |out| fill(out, &self.words, &other.words))
    }

    fn same_width(&self, other: &Self) {
        assert_eq!(self.width, other.width, "operands of different widths");
    }
}

impl From<&Bits> for Bv {
    /// # Panics
    /// When the literal has no bits.
    fn from(bits: &Bits) -> Self {
        Self::from_words(bits.width(), bits.words().iter().copied())
    }
}

impl From<&Bv> for Bits {
    fn from(value: &Bv) -> Self {
        Bits::from_words(value.width, value.words.iter().copied())
    }
}

/// Hexadecimal with the prefix `0x`, most significant digit first, one digit for each started four
/// bits of width.
impl fmt::Display for Bv {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "0x{:x}", Bits::from(self))
    }
}

/// [`Bv`]'s display form followed by the width.
impl fmt::Debug for Bv {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{self}:{}", self.width)
    }
}
