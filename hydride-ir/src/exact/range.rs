//! Value ranges of exact integers.

use dashu_int::Sign;

use super::Int;

/// The interval `low..=high` that holds every value of a node; `None` is unbounded.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Range {
    /// Least value.
    pub low: Option<Int>,
    /// Greatest value.
    pub high: Option<Int>,
}

/// 2 to the power `exponent`.
pub(super) fn power(exponent: u32) -> Int {
    Int::ONE << exponent as usize
}

/// Bits that a non-negative integer needs.
fn bit_length(value: &Int) -> u32 {
    use dashu_int::ops::BitTest;
    if value < &Int::ZERO { ((-value) - Int::ONE).bit_len() as u32 } else { value.bit_len() as u32 }
}

impl Range {
    /// `low..=high`.
    pub fn new(low: impl Into<Int>, high: impl Into<Int>) -> Self {
        Self { low: Some(low.into()), high: Some(high.into()) }
    }

    /// One value.
    pub fn point(value: Int) -> Self {
        Self { low: Some(value.clone()), high: Some(value) }
    }

    /// All integers.
    pub fn unbounded() -> Self {
        Self { low: None, high: None }
    }

    /// The values of `width` bits.
    pub fn of_width(width: u32, signed: bool) -> Self {
        match (signed, width) {
            (_, 0) => Self::point(Int::ZERO),
            (false, _) => Self::new(Int::ZERO, power(width) - Int::ONE),
            (true, _) => Self::new(-power(width - 1), power(width - 1) - Int::ONE),
        }
    }

    /// Whether every value lies in `other`.
    pub fn within(&self, other: &Range) -> bool {
        let low = match (&self.low, &other.low) {
            (_, None) => true,
            (None, Some(_)) => false,
            (Some(own), Some(bound)) => own >= bound,
        };
        let high = match (&self.high, &other.high) {
            (_, None) => true,
            (None, Some(_)) => false,
            (Some(own), Some(bound)) => own <= bound,
        };
        low && high
    }

    /// Whether every value fits `width` bits read as `signed` says.
    pub fn fits(&self, width: u32, signed: bool) -> bool {
        let (Some(low), Some(high)) = (&self.low, &self.high) else { return false };
        if signed {
            bit_length(low).max(bit_length(high)) < width
        } else {
            low >= &Int::ZERO && bit_length(high) <= width
        }
    }

    /// Whether no value is negative.
    pub fn is_non_negative(&self) -> bool {
        self.low.as_ref().is_some_and(|low| low >= &Int::ZERO)
    }

    /// The smallest range that holds both.
    pub fn union(&self, other: &Range) -> Range {
        Range { low: both(&self.low, &other.low, Int::min), high: both(&self.high, &other.high, Int::max) }
    }

    /// The least width in bits (at least 1), and whether it is signed, that holds every value.
    pub fn natural(&self) -> Option<(u32, bool)> {
        let (Some(low), Some(high)) = (&self.low, &self.high) else { return None };
        Some(if low < &Int::ZERO {
            (bit_length(low).max(bit_length(high)) + 1, true)
        } else {
            (bit_length(high).max(1), false)
        })
    }

    pub(crate) fn add(&self, other: &Range) -> Range {
        let sum = |a: &Option<Int>, b: &Option<Int>| Some(a.as_ref()? + b.as_ref()?);
        Range { low: sum(&self.low, &other.low), high: sum(&self.high, &other.high) }
    }

    pub(crate) fn scale(&self, factor: &Int) -> Range {
        let times = |bound: &Option<Int>| bound.as_ref().map(|bound| bound * factor);
        let (low, high) = (times(&self.low), times(&self.high));
        if factor.sign() == Sign::Negative { Range { low: high, high: low } } else { Range { low, high } }
    }

    pub(crate) fn mul(&self, other: &Range) -> Range {
        let (Some(a), Some(b), Some(c), Some(d)) = (&self.low, &self.high, &other.low, &other.high) else {
            return Range::unbounded();
        };
        let products = [a * c, a * d, b * c, b * d];
        Range { low: products.iter().min().cloned(), high: products.iter().max().cloned() }
    }

    /// Range of the smaller (`least`) or larger of two values.
    pub(super) fn extremum(&self, other: &Range, least: bool) -> Range {
        let pick = if least { Int::min } else { Int::max };
        let either = |a: &Option<Int>, b: &Option<Int>| both(a, b, pick).or(a.clone()).or(b.clone());
        if least {
            Range { low: both(&self.low, &other.low, pick), high: either(&self.high, &other.high) }
        } else {
            Range { low: either(&self.low, &other.low), high: both(&self.high, &other.high, pick) }
        }
    }
}

/// What `pick` takes of two bounds, where there are two.
fn both(a: &Option<Int>, b: &Option<Int>, pick: fn(Int, Int) -> Int) -> Option<Int> {
    Some(pick(a.clone()?, b.clone()?))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn range(low: Option<i64>, high: Option<i64>) -> Range {
        Range { low: low.map(Int::from), high: high.map(Int::from) }
    }

    #[test]
    fn a_range_fits_the_widths_that_hold_both_its_ends() {
        for (low, high) in (-9..=9).flat_map(|low| (low..=9).map(move |high| (low, high))) {
            let range = Range::new(low, high);
            let holds = |width: u32, signed: bool| {
                let values = 1i64 << width;
                let least = if signed { -(values / 2) } else { 0 };
                least <= low && high < least + values
            };
            for (width, signed) in (1..6).flat_map(|width| [(width, false), (width, true)]) {
                assert_eq!(range.fits(width, signed), holds(width, signed), "{range:?} in {width}, {signed}");
                assert_eq!(range.within(&Range::of_width(width, signed)), holds(width, signed));
            }
            let least = (1..).find(|width| holds(*width, low < 0)).unwrap();
            assert_eq!(range.natural(), Some((least, low < 0)), "{range:?}");
            assert_eq!(range.is_non_negative(), low >= 0);
        }
        assert!(!range(Some(0), None).fits(64, false) && !range(None, Some(0)).fits(64, true));
        assert_eq!((range(Some(0), None).natural(), range(None, Some(0)).natural()), (None, None));
        assert!(!Range::new(-1, 0).fits(0, true) && Range::new(0, 0).fits(0, false));
        assert_eq!(
            (Range::of_width(0, false), Range::of_width(0, true)),
            (Range::new(0, 0), Range::new(0, 0))
        );
    }

    #[test]
    fn a_range_without_an_end_is_within_those_without_it() {
        let ends = [(Some(1), Some(5)), (Some(1), None), (None, Some(5)), (None, None)];
        for (low, high) in ends {
            for (other_low, other_high) in ends {
                let is_within = range(low, high).within(&range(other_low, other_high));
                let expected =
                    (other_low.is_none() || low.is_some()) && (other_high.is_none() || high.is_some());
                assert_eq!(is_within, expected, "{low:?}..{high:?} in {other_low:?}..{other_high:?}");
            }
        }
        assert!(!Range::new(0, 5).within(&Range::new(1, 5)) && !Range::new(1, 6).within(&Range::new(1, 5)));
    }

    #[test]
    fn ends_are_computed_where_there_are_any() {
        let (up, down, some) = (range(Some(-2), None), range(None, Some(3)), range(Some(-4), Some(7)));
        assert_eq!((up.union(&some), down.union(&some)), (range(Some(-4), None), range(None, Some(7))));
        assert_eq!((up.union(&down), some.union(&Range::new(0, 9))), (Range::unbounded(), Range::new(-4, 9)));
        assert_eq!((up.add(&some), down.add(&some)), (range(Some(-6), None), range(None, Some(10))));
        for (factor, expected) in [(3, range(Some(-6), None)), (-3, range(None, Some(6)))] {
            assert_eq!(up.scale(&Int::from(factor)), expected);
        }
        assert_eq!((some.mul(&up), some.mul(&some)), (Range::unbounded(), Range::new(-28, 49)));
        assert_eq!(Range::new(2, 3).mul(&Range::new(-5, -1)), Range::new(-15, -2));
        for (other, least, greatest) in [
            (&up, Range::new(-4, 7), range(Some(-2), None)),
            (&down, range(None, Some(3)), Range::new(-4, 7)),
            (&Range::new(0, 9), Range::new(-4, 7), Range::new(0, 9)),
        ] {
            assert_eq!((some.extremum(other, true), other.extremum(&some, true)), (least.clone(), least));
            assert_eq!(
                (some.extremum(other, false), other.extremum(&some, false)),
                (greatest.clone(), greatest)
            );
        }
    }
}
