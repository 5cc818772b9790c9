//! Repeatable pseudo-random numbers.

use crate::Bits;

/// SplitMix64 (Steele, Lea, Flood, "Fast splittable pseudorandom number generators", OOPSLA 2014): the same numbers for
/// the same seed on every machine. Not for secrets.
///
/// ```
/// use hydride_ir::Random;
///
/// let mut random = Random::new(0);
/// assert_eq!(random.word(), 0xe220_a839_7b1d_cdaf);
/// assert!(random.below(6) < 6);
/// assert!(random.pick(&["a", "b"]) <= "b");
/// assert_eq!(random.bits(80).width(), 80);
/// ```
#[derive(Clone, Debug)]
pub struct Random(u64);

impl Random {
    /// The sequence of a seed.
    pub fn new(seed: u64) -> Self {
        Self(seed)
    }

    /// The next 64 bits.
    pub fn word(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mixed = (self.0 ^ (self.0 >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        let mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        mixed ^ (mixed >> 31)
    }

    /// A number less than `bound`; 0 where that is 0.
    pub fn below(&mut self, bound: usize) -> usize {
        ((u128::from(self.word()) * bound as u128) >> 64) as usize
    }

    /// One of `from`, which must not be empty.
    pub fn pick<T: Copy>(&mut self, from: &[T]) -> T {
        from[self.below(from.len())]
    }

    /// `width` bits, the least significant word first.
    pub fn bits(&mut self, width: u32) -> Bits {
        Bits::from_words(width, std::iter::repeat_with(|| self.word()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_below_a_bound_are_all_of_them_about_as_often() {
        let mut random = Random::new(3);
        for bound in [1, 2, 3, 10] {
            let mut counts = vec![0; bound];
            (0..100 * bound).for_each(|_| counts[random.below(bound)] += 1);
            assert!(counts.iter().all(|count| (60..=140).contains(count)), "{counts:?}");
        }
        assert_eq!(random.below(0), 0);
        assert_eq!(random.pick(&["only"]), "only");
    }

    #[test]
    fn bits_are_as_many_as_asked_for_and_none_is_fixed() {
        let mut random = Random::new(4);
        for width in [1, 63, 64, 65, 130] {
            let drawn: Vec<Bits> = (0..40).map(|_| random.bits(width)).collect();
            for bit in 0..width {
                let ones = drawn.iter().filter(|bits| bits.bit(bit)).count();
                assert!((5..35).contains(&ones), "bit {bit} of {width} is 1 in {ones} of 40");
            }
            assert!(drawn.iter().all(|bits| bits.width() == width));
        }
    }
}
