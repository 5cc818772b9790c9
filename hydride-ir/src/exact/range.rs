//! Value ranges of exact integers.

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
            width > 0 && bit_length(low).max(bit_length(high)) < width
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
        let pick = |a: &Option<Int>, b: &Option<Int>, least: bool| match (a, b) {
            (Some(a), Some(b)) => Some(if (a < b) == least { a.clone() } else { b.clone() }),
            _ => None,
        };
        Range { low: pick(&self.low, &other.low, true), high: pick(&self.high, &other.high, false) }
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
        if factor < &Int::ZERO { Range { low: high, high: low } } else { Range { low, high } }
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
        let both = |a: &Option<Int>, b: &Option<Int>| match (a, b) {
            (Some(a), Some(b)) => Some(if (a < b) == least { a.clone() } else { b.clone() }),
            _ => None,
        };
        let either = |a: &Option<Int>, b: &Option<Int>| match (a, b) {
            (Some(a), Some(b)) => Some(if (a < b) == least { a.clone() } else { b.clone() }),
            (Some(a), None) | (None, Some(a)) => Some(a.clone()),
            (None, None) => None,
        };
        if least {
            Range { low: both(&self.low, &other.low), high: either(&self.high, &other.high) }
        } else {
            Range { low: either(&self.low, &other.low), high: both(&self.high, &other.high) }
        }
    }
}
