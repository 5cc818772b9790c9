//! What comparisons say of sets of numbers.

use super::Facts;
use crate::element::{compare, ones};

/// LLVM's predicate for the operands the other way around.
pub fn swapped(predicate: &str) -> &str {
    match predicate {
        "ult" => "ugt",
        "ule" => "uge",
        "ugt" => "ult",
        "uge" => "ule",
        "slt" => "sgt",
        "sle" => "sge",
        "sgt" => "slt",
        "sge" => "sle",
        same => same,
    }
}

/// The predicate that holds where one does not.
pub fn negated(predicate: &str) -> &str {
    match predicate {
        "eq" => "ne",
        "ne" => "eq",
        "ult" => "uge",
        "ule" => "ugt",
        "ugt" => "ule",
        "uge" => "ult",
        "slt" => "sge",
        "sle" => "sgt",
        "sgt" => "sle",
        _ => "slt",
    }
}

impl Facts {
    /// The numbers of this set for which a predicate holds with some number of another one, or a few more.
    pub fn with(self, predicate: &str, other: Self) -> Option<Self> {
        let (width, all, half) = (self.width, ones(self.width), ones(self.width) >> 1);
        let ((low, high), (least, most)) = (other.unsigned(), other.signed());
        let bits = |value: i64| value.cast_unsigned() & all;
        let between = |low, high| self.meet(Self::between(width, low, high));
        match predicate {
            "eq" => self.meet(other),
            // An end of the interval goes.
            "ne" => match other.single() {
                Some(value) if self.single() == Some(value) => None,
                Some(value) if self.low == value => between(value.wrapping_add(1), value.wrapping_sub(1)),
                Some(value) if self.low.wrapping_add(self.span) & all == value => {
                    between(value.wrapping_add(1), value.wrapping_sub(1))
                }
                _ => Some(self),
            },
            "ult" => between(0, high.checked_sub(1)?),
            "ule" => between(0, high),
            "ugt" => between(low.checked_add(1).filter(|low| *low <= all)?, all),
            "uge" => between(low, all),
            "slt" => (bits(most) != half + 1).then(|| between(half + 1, bits(most).wrapping_sub(1)))?,
            "sle" => between(half + 1, bits(most)),
            "sgt" => (bits(least) != half).then(|| between(bits(least).wrapping_add(1), half))?,
            _ => between(bits(least), half),
        }
    }

    /// What a comparison of numbers of two sets gives, as a bit.
    pub fn compared(self, predicate: &str, other: Self) -> Self {
        if let (Some(a), Some(b)) = (self.single(), other.single()) {
            return Self::point(1, u64::from(compare(predicate, self.width, a, b)));
        }
        let (may, may_not) = (self.with(predicate, other), self.with(negated(predicate), other));
        match (may, may_not) {
            (None, Some(_)) => Self::point(1, 0),
            (Some(_), None) => Self::point(1, 1),
            _ => Self::all(1),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::tests::{numbers, sets};
    use super::*;

    const PREDICATES: [&str; 10] = ["eq", "ne", "ult", "ule", "ugt", "uge", "slt", "sle", "sgt", "sge"];

    #[test]
    fn predicates_keep_the_numbers_for_which_they_hold() {
        let sets = sets(3);
        for (predicate, (a, b)) in PREDICATES.into_iter().flat_map(|own| {
            sets.iter().flat_map(|a| sets.iter().map(move |b| (a, b))).map(move |pair| (own, pair))
        }) {
            let (with, bit) = (a.with(predicate, *b), a.compared(predicate, *b));
            for x in numbers(a) {
                for y in numbers(b) {
                    let holds = compare(predicate, 3, x, y);
                    assert!(bit.has(u64::from(holds)), "{x} in {a:?} {predicate} {y} in {b:?}");
                    assert_eq!(compare(swapped(predicate), 3, y, x), holds);
                    assert_eq!(compare(negated(predicate), 3, x, y), !holds);
                    let kept = with.is_some_and(|with| with.has(x));
                    assert!(kept || !holds, "{x} in {a:?} {predicate} {y} in {b:?}");
                }
            }
        }
    }
}
