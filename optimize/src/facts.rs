//! What is known of numbers of up to 64 bits: which of their bits are 0 or 1, and an interval that may wrap around.
//!
//! ```
//! use optimize::Facts;
//!
//! // A byte whose two low bits are 0, and which is less than 10.
//! let facts = Facts::of_bits(8, 0b11, 0).unwrap().meet(Facts::between(8, 0, 9)).unwrap();
//! assert_eq!((0..=255).filter(|number| facts.has(*number)).collect::<Vec<u64>>(), [0, 4, 8]);
//! // No number is outside of these bounds.
//! assert_eq!(facts.unsigned(), (0, 9));
//! ```
//!
//! The sets are those of LLVM's `KnownBits` and `ConstantRange` together; [`two`], [`one`], [`cast`] and [`binary`] say what
//! operators make of them.

mod compare;
mod transfer;

use hydride_ir::Bits;
use refine::ast::Attribute;

use crate::element::{ones, signed};

pub use compare::{negated, swapped};
pub use transfer::{binary, cast, one, two};

/// A set of numbers of a width, from 1 to 64 bits, that is not empty.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Facts {
    width: u32,
    /// The first number of the interval.
    low: u64,
    /// How many more numbers it has.
    span: u64,
    /// The bits that are 0 in all numbers.
    zeros: u64,
    /// Those that are 1.
    ones: u64,
}

impl Facts {
    /// All numbers of a width.
    pub fn all(width: u32) -> Self {
        Self { width, low: 0, span: ones(width), zeros: 0, ones: 0 }
    }

    /// One number.
    pub fn point(width: u32, value: u64) -> Self {
        let value = value & ones(width);
        Self { width, low: value, span: 0, zeros: !value & ones(width), ones: value }
    }

    /// The numbers from `low` to `high`, both included; around the end of the width where `high` is less.
    pub fn between(width: u32, low: u64, high: u64) -> Self {
        let (all, low) = (ones(width), low & ones(width));
        let own = Self { low, span: high.wrapping_sub(low) & all, ..Self::all(width) };
        own.reduced().unwrap_or(own)
    }

    /// The numbers with these bits as 0 and as 1; `None` where a bit should be both.
    pub fn of_bits(width: u32, zeros: u64, ones: u64) -> Option<Self> {
        let all = crate::element::ones(width);
        Self { zeros: zeros & all, ones: ones & all, ..Self::all(width) }.reduced()
    }

    /// What whole numbers from `low` to `high` are modulo 2^width.
    fn whole(width: u32, low: i128, high: i128) -> Self {
        match high.checked_sub(low) {
            Some(span) if span < 1 << width => Self::between(width, low as u64, high as u64),
            _ => Self::all(width),
        }
    }

    /// The width of the numbers.
    pub fn width(&self) -> u32 {
        self.width
    }

    /// The bits that are 0 in all numbers, and those that are 1.
    pub fn bits(&self) -> (u64, u64) {
        (self.zeros, self.ones)
    }

    /// Whether a number is one of these.
    pub fn has(&self, value: u64) -> bool {
        let is_inside = value.wrapping_sub(self.low) & ones(self.width) <= self.span;
        is_inside && value & self.zeros == 0 && value & self.ones == self.ones
    }

    /// Whether all numbers of the width are among these.
    pub fn is_all(&self) -> bool {
        *self == Self::all(self.width)
    }

    /// The only number, if there is one.
    pub fn single(&self) -> Option<u64> {
        (self.span == 0).then_some(self.low)
    }

    /// A least and a greatest number, read without a sign.
    pub fn unsigned(&self) -> (u64, u64) {
        let all = ones(self.width);
        let end = self.low.checked_add(self.span).filter(|end| *end <= all);
        let (low, high) = end.map_or((0, all), |end| (self.low, end));
        (low.max(self.ones), high.min(all & !self.zeros))
    }

    /// A least and a greatest number, read with a sign.
    pub fn signed(&self) -> (i64, i64) {
        let sign = 1u64 << (self.width - 1);
        // What is moved by half of all numbers is in the same order without a sign.
        let moved = Self { low: (self.low ^ sign) & ones(self.width), ..*self };
        let flip = |of: u64, other: u64| (of & !sign) | (other & sign);
        let moved = Self { zeros: flip(self.zeros, self.ones), ones: flip(self.ones, self.zeros), ..moved };
        let (low, high) = moved.unsigned();
        (signed(self.width, low ^ sign), signed(self.width, high ^ sign))
    }

    /// The numbers that are in both sets, or a few more; `None` where there are none.
    pub fn meet(self, other: Self) -> Option<Self> {
        let (low, span) = meet((self.low, self.span), (other.low, other.span), ones(self.width))?;
        let (zeros, ones) = (self.zeros | other.zeros, self.ones | other.ones);
        Self { width: self.width, low, span, zeros, ones }.reduced()
    }

    /// The numbers that are in one of both sets, or a few more.
    pub fn join(self, other: Self) -> Self {
        let all = ones(self.width);
        let (low, span) = join((self.low, self.span), (other.low, other.span), all);
        let joined = Self {
            width: self.width,
            low,
            span,
            zeros: self.zeros & other.zeros,
            ones: self.ones & other.ones,
        };
        joined.reduced().unwrap_or(joined)
    }

    /// A greater set than one that has grown, so that few steps lead to one that grows no more.
    pub fn widened(self, grown: Self) -> Self {
        let (all, half) = (ones(self.width), ones(self.width) >> 1);
        let (low, _) = grown.unsigned();
        let candidates = [(low, half), (0, half), (low, all), (half + 1, half), (half + 1, all)];
        // Above the lowest bit that is no longer known, others may be so only for now.
        let changed = (self.zeros ^ grown.zeros) | (self.ones ^ grown.ones);
        let kept = if changed == 0 { all } else { (1 << changed.trailing_zeros()) - 1 };
        let bits = Self { low: 0, span: all, zeros: grown.zeros & kept, ones: grown.ones & kept, ..grown };
        let tried = candidates.map(|(low, high)| Self::between(self.width, low, high).meet(bits));
        let holds =
            |own: &Self| (own.low, own.span) == join((own.low, own.span), (grown.low, grown.span), all);
        let mut fitting: Vec<Self> = tried.into_iter().flatten().filter(holds).collect();
        fitting.sort_by_key(|own| own.span);
        fitting.first().copied().or_else(|| bits.reduced()).unwrap_or(bits)
    }

    /// One of these numbers for any number, if a few that lie near have one: it itself if it is one, and else both ends of the
    /// interval for 0 and all ones.
    pub fn nearest(&self, value: u64) -> u64 {
        let all = ones(self.width);
        if self.has(value) {
            return value;
        }
        let offset = match (value == all, self.span.checked_add(1)) {
            (true, _) => self.span,
            (false, None) => value,
            (false, Some(count)) => value % count,
        };
        let inside = self.low.wrapping_add(offset) & all;
        let with_bits = |value: u64| value & !self.zeros | self.ones;
        let tried = [inside, with_bits(value), with_bits(inside), self.unsigned().0, self.unsigned().1];
        tried.into_iter().find(|value| self.has(*value)).unwrap_or(inside)
    }

    /// What attributes say of elements of a width; `None` where no number is admitted.
    pub fn of_attributes(width: u32, attributes: &[Attribute]) -> Option<Self> {
        let said = |attribute: &Attribute| match attribute {
            Attribute::Range(low, high) if low.width() == width => {
                let (low, high) = (low.to_u64()?, high.to_u64()?);
                // Equal ends are all numbers or none, which is not looked at.
                (low != high).then(|| Self::between(width, low, high.wrapping_sub(1)))
            }
            Attribute::KnownBits(zeros, ones) if zeros.width() == width => {
                Self::of_bits(width, zeros.to_u64()?, ones.to_u64()?)
            }
            _ => None,
        };
        attributes.iter().filter_map(said).try_fold(Self::all(width), Self::meet)
    }

    /// Attributes that say the same; none where nothing is known.
    pub fn attributes(&self) -> Vec<Attribute> {
        let bits = |value: u64| Bits::from_u64(self.width, value);
        let own = Self::of_bits(self.width, self.zeros, self.ones);
        let (range, all) =
            (Self::between(self.width, self.low, self.low.wrapping_add(self.span)), ones(self.width));
        let end = self.low.wrapping_add(self.span).wrapping_add(1) & all;
        let mut said = Vec::new();
        let is_said_by_range = (range.zeros, range.ones) == (self.zeros, self.ones);
        let is_said_by_bits = own.is_some_and(|own| (own.low, own.span) == (self.low, self.span));
        if end != self.low && (is_said_by_range || !is_said_by_bits) {
            said.push(Attribute::Range(bits(self.low), bits(end)));
        }
        if !is_said_by_range {
            said.push(Attribute::KnownBits(bits(self.zeros), bits(self.ones)));
        }
        said
    }

    /// The same set with what its bits say of the interval, and the interval of the bits; `None` where it is empty.
    fn reduced(mut self) -> Option<Self> {
        let (all, sign) = (ones(self.width), 1u64 << (self.width - 1));
        for _ in 0..2 {
            if self.zeros & self.ones != 0 {
                return None;
            }
            let (least, greatest) = (self.ones, all & !self.zeros);
            let mut own = meet((self.low, self.span), (least, greatest - least), all)?;
            if (self.zeros | self.ones) & sign == 0 {
                let (least, greatest) = (least | sign, greatest & !sign);
                own = meet(own, (least, greatest.wrapping_sub(least) & all), all)?;
            }
            (self.low, self.span) = own;
            let (low, high) = self.unsigned();
            if low > high {
                return None;
            }
            // The bits above the first one in which the ends differ are those of all numbers between.
            let differing = 64 - (low ^ high).leading_zeros();
            let same = all & !if differing == 0 { 0 } else { ones(differing) };
            self.zeros |= same & !low;
            self.ones |= same & low;
        }
        Some(self)
    }
}

/// An interval: its first number, and how many more it has.
type Interval = (u64, u64);

/// The numbers that are in both intervals; where these are two pieces, the smaller interval.
fn meet((a, m): Interval, (b, n): Interval, all: u64) -> Option<Interval> {
    // Counted from the first one's beginning.
    let start = b.wrapping_sub(a) & all;
    match start.checked_add(n).filter(|end| *end <= all) {
        Some(end) => (start <= m).then(|| (b, m.min(end) - start)),
        None if start > m => Some((a, m.min(start.wrapping_add(n) & all))),
        None if m <= n => Some((a, m)),
        None => Some((b, n)),
    }
}

/// The smallest interval that holds both.
fn join(x: Interval, y: Interval, all: u64) -> Interval {
    let end = |(low, span): Interval| low.wrapping_add(span) & all;
    let from = |low: u64, end: u64| (low, end.wrapping_sub(low) & all);
    let holds = |(low, span): Interval, (a, m): Interval| {
        let start = a.wrapping_sub(low) & all;
        u128::from(start) + u128::from(m) <= u128::from(span)
    };
    let tried = [x, y, from(x.0, end(y)), from(y.0, end(x))];
    let fitting = tried.into_iter().filter(|own| holds(*own, x) && holds(*own, y));
    fitting.min_by_key(|(_, span)| *span).unwrap_or((0, all))
}

#[cfg(test)]
pub(crate) mod tests {
    use super::*;

    /// Sets of a width: all intervals, all choices of bits, and both together where they fit.
    pub fn sets(width: u32) -> Vec<Facts> {
        let all = ones(width);
        let mut sets: Vec<Facts> = Vec::new();
        for low in 0..=all {
            sets.extend((0..=all).map(|high| Facts::between(width, low, high)));
        }
        let count = sets.len();
        for zeros in 0..=all {
            for ones in (0..=all).filter(|ones| ones & zeros == 0) {
                let bits = Facts::of_bits(width, zeros, ones).expect("bits");
                let both: Vec<Facts> = (0..count).step_by(7).filter_map(|at| sets[at].meet(bits)).collect();
                sets.push(bits);
                sets.extend(both);
            }
        }
        let mut seen = std::collections::HashSet::new();
        sets.retain(|own| seen.insert((own.low, own.span, own.zeros, own.ones)));
        sets
    }

    /// The numbers of a set.
    pub fn numbers(of: &Facts) -> Vec<u64> {
        (0..=ones(of.width)).filter(|value| of.has(*value)).collect()
    }

    #[test]
    fn bounds_and_attributes_are_those_of_the_numbers() {
        for own in sets(4) {
            let numbers = numbers(&own);
            if numbers.is_empty() {
                continue;
            }
            let (low, high) = own.unsigned();
            let (least, greatest) = own.signed();
            for value in &numbers {
                assert!((low..=high).contains(value), "{own:?}");
                assert!((least..=greatest).contains(&signed(4, *value)), "{own:?}");
            }
            let read = Facts::of_attributes(4, &own.attributes()).expect("numbers");
            assert_eq!(super::tests::numbers(&read), numbers, "{own:?}");
            let is_plain = Facts::of_bits(4, own.zeros, own.ones) == Some(own)
                || Facts::between(4, own.low, own.low + own.span) == own;
            assert!(!is_plain || (0..16).all(|value| own.has(own.nearest(value))), "{own:?}");
        }
    }

    #[test]
    fn what_is_in_both_or_in_one_is_kept() {
        let sets = sets(3);
        for x in &sets {
            for y in &sets {
                let (joined, met, widened) = (x.join(*y), x.meet(*y), x.widened(x.join(*y)));
                for value in 0..8 {
                    assert!(joined.has(value) || !(x.has(value) || y.has(value)), "{x:?} {y:?}");
                    assert!(widened.has(value) || !joined.has(value), "{x:?} {y:?}");
                    let is_met = met.is_some_and(|met| met.has(value));
                    assert!(is_met || !(x.has(value) && y.has(value)), "{x:?} {y:?}");
                }
            }
        }
    }

    #[test]
    fn intervals_that_wrap_and_low_bits_are_attributes() {
        let text = |own: Facts| {
            let all: Vec<String> = own.attributes().iter().map(ToString::to_string).collect();
            all.join(" ")
        };
        assert_eq!(text(Facts::between(8, 0, 15)), "range(i8 0, 16)");
        assert_eq!(text(Facts::between(8, 0xf0, 15)), "range(i8 -16, 16)");
        assert_eq!(text(Facts::of_bits(8, 0b0000_0111, 0).expect("bits")), "\"known-bits\"=\"xxxxx000\"");
        assert_eq!(text(Facts::all(8)), "");
    }
}
