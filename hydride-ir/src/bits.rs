//! Bit-vector literals: a width and that many bits, without arithmetic.
//!
//! Arithmetic on values belongs to `interp`; the IR only has to store, print, parse and compare
//! literals.

use std::fmt;

use serde::{Deserialize, Serialize};
use smallvec::{SmallVec, smallvec};

/// A literal of `width` bits. Words are least significant first; bits above `width` are zero.
#[derive(Clone, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
pub struct Bits {
    width: u32,
    words: SmallVec<[u64; 1]>,
}

/// A bit-vector literal that could not be read.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum ParseBitsError {
    /// A character that is not a hexadecimal digit, or no digits at all.
    #[error("expected hexadecimal digits")]
    Digit,
    /// The digits need more bits than the width gives.
    #[error("the literal does not fit {0} bits")]
    TooWide(u32),
}

impl Bits {
    /// All-zero bits of the given width.
    pub fn zero(width: u32) -> Self {
        Self { width, words: smallvec![0; width.div_ceil(64) as usize] }
    }

    /// All-one bits of the given width.
    pub fn ones(width: u32) -> Self {
        Self::from_words(width, std::iter::repeat_n(u64::MAX, width.div_ceil(64) as usize))
    }

    /// The low `width` bits of `value`.
    pub fn from_u64(width: u32, value: u64) -> Self {
        Self::from_words(width, [value])
    }

    /// The low `width` bits of `words` (least significant first, missing words are zero).
    pub fn from_words(width: u32, words: impl IntoIterator<Item = u64>) -> Self {
        let mut bits = Self::zero(width);
        for (slot, word) in bits.words.iter_mut().zip(words) {
            *slot = word;
        }
        if !width.is_multiple_of(64)
            && let Some(top) = bits.words.last_mut()
        {
            *top &= (1 << (width % 64)) - 1;
        }
        bits
    }

    /// Reads hexadecimal digits, most significant first, without a prefix.
    pub fn from_hex(width: u32, digits: &str) -> Result<Self, ParseBitsError> {
        if digits.is_empty() {
            return Err(ParseBitsError::Digit);
        }
        let mut words = vec![0u64; digits.len().div_ceil(16)];
        for (position, digit) in digits.bytes().rev().enumerate() {
            let value = char::from(digit).to_digit(16).ok_or(ParseBitsError::Digit)?;
            words[position / 16] |= u64::from(value) << (4 * (position % 16));
        }
        let bits = Self::from_words(width, words.iter().copied());
        let kept = bits.words.iter().copied().chain(std::iter::repeat(0));
        if words.iter().zip(kept).any(|(given, kept)| *given != kept) {
            return Err(ParseBitsError::TooWide(width));
        }
        Ok(bits)
    }

    /// Width in bits.
    pub fn width(&self) -> u32 {
        self.width
    }

    /// The words, least significant first; bits above the width are zero.
    pub fn words(&self) -> &[u64] {
        &self.words
    }

    /// Bit `index`, counted from the least significant; bits above the width are zero.
    pub fn bit(&self, index: u32) -> bool {
        self.words.get((index / 64) as usize).is_some_and(|word| word >> (index % 64) & 1 == 1)
    }

    /// The value when it fits 64 bits.
    pub fn to_u64(&self) -> Option<u64> {
        let (low, high) = self.words.split_first().map_or((0, &[][..]), |(low, high)| (*low, high));
        high.iter().all(|word| *word == 0).then_some(low)
    }
}

/// Hexadecimal, most significant digit first, one digit for each started four bits of width.
impl fmt::LowerHex for Bits {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for digit in (0..self.width.div_ceil(4)).rev() {
            let word = self.words[(digit / 16) as usize];
            write!(f, "{:x}", word >> (4 * (digit % 16)) & 0xf)?;
        }
        Ok(())
    }
}

impl fmt::Debug for Bits {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "0x{self:x}:{}", self.width)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn hexadecimal_prints_and_reads_back() {
        for (width, digits) in [(1, "1"), (7, "7f"), (64, "0123456789abcdef"), (65, "10000000000000000")] {
            let bits = Bits::from_hex(width, digits).unwrap();
            assert_eq!(format!("{bits:x}"), digits);
        }
        assert_eq!(Bits::from_hex(7, "80"), Err(ParseBitsError::TooWide(7)));
        assert_eq!(Bits::from_hex(7, "g"), Err(ParseBitsError::Digit));
        assert_eq!(Bits::from_hex(8, "00000000000000000000ff").unwrap().to_u64(), Some(255));
        for (width, digits, expected) in
            [(0, "0", Some(0)), (65, "5", Some(5)), (65, "10000000000000000", None)]
        {
            assert_eq!(Bits::from_hex(width, digits).unwrap().to_u64(), expected, "{digits}");
        }
    }

    #[test]
    fn ones_have_no_bit_above_the_width() {
        assert_eq!(Bits::ones(65).words(), [u64::MAX, 1]);
        assert!(Bits::ones(65).bit(64) && !Bits::ones(65).bit(65));
    }
}
