//! What two functions must share before they can be compared: argument and result widths, and the
//! values over which they are compared.

use hydride_ir::{Function, Role};

use crate::encode::{EncodeError, arg_widths, result_widths};

/// The documented values of an immediate, `low..=high`; unsigned unless `low` is negative.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Range {
    /// Least value.
    pub low: i64,
    /// Greatest value.
    pub high: i64,
}

/// Widths of arguments and results, and the ranges of the immediates.
#[derive(Clone, Debug)]
pub struct Signature {
    /// Argument widths in bits.
    pub widths: Vec<u32>,
    /// For each argument the values that count, where not all do.
    pub ranges: Vec<Option<Range>>,
    /// Result widths in bits.
    pub results: Vec<u32>,
}

impl Signature {
    /// The common signature of two functions. Where the documented ranges of an immediate differ, the
    /// functions must agree on every value that either one admits.
    pub fn common(
        left: &Function,
        left_params: &[i64],
        right: &Function,
        right_params: &[i64],
    ) -> Result<Signature, EncodeError> {
        let widths = arg_widths(left, left_params)?;
        let results = result_widths(left, left_params)?;
        let others = (arg_widths(right, right_params)?, result_widths(right, right_params)?);
        if widths != others.0 {
            return Err(EncodeError::Signature(format!("arguments {widths:?} and {:?}", others.0)));
        }
        if results != others.1 {
            return Err(EncodeError::Signature(format!("results {results:?} and {:?}", others.1)));
        }
        let roles = left.args.iter().zip(&right.args).zip(&widths);
        let ranges = roles.map(|((left, right), width)| range_of(left.role, right.role, *width)).collect();
        Ok(Signature { widths, ranges, results })
    }
}

/// The values that either role admits; none when that is every value of the width.
fn range_of(left: Role, right: Role, width: u32) -> Option<Range> {
    let (
        Role::Immediate { low: left_low, high: left_high },
        Role::Immediate { low: right_low, high: right_high },
    ) = (left, right)
    else {
        return None;
    };
    if (left_low < 0) != (right_low < 0) || left_low > left_high || right_low > right_high {
        return None;
    }
    let (mut low, mut high) = (left_low.min(right_low), left_high.max(right_high));
    if low < 0 {
        if width < 64 {
            let least = -(1i64 << (width - 1));
            (low, high) = (low.max(least), high.min(-(least + 1)));
            if low == least && high == -(least + 1) {
                return None;
            }
        }
    } else if width < 63 {
        high = high.min((1i64 << width) - 1);
        if low == 0 && high == (1i64 << width) - 1 {
            return None;
        }
    }
    (low <= high).then_some(Range { low, high })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ranges_hold_what_either_immediate_admits() {
        let immediate = |(low, high)| Role::Immediate { low, high };
        let (least, greatest) = (i64::MIN, i64::MAX);
        for (left, right, width, expected) in [
            ((0, 5), (2, 9), 8, Some((0, 9))),
            ((-3, 5), (-1, 9), 8, Some((-3, 9))),
            // All values of the width are no range.
            ((0, 255), (0, 3), 8, None),
            ((0, 254), (0, 3), 8, Some((0, 254))),
            ((1, 255), (1, 3), 8, Some((1, 255))),
            ((-128, 127), (-1, 0), 8, None),
            ((-128, 126), (-1, 0), 8, Some((-128, 126))),
            ((-127, 127), (-1, 0), 8, Some((-127, 127))),
            ((-1, 0), (-1, 0), 1, None),
            ((0, 1), (0, 1), 1, None),
            // What does not fit the width is cut off.
            ((0, 300), (0, 3), 8, None),
            ((3, 300), (3, 4), 8, Some((3, 255))),
            ((-300, 300), (-1, 1), 8, None),
            ((-300, 5), (-1, 1), 8, Some((-128, 5))),
            ((300, 400), (300, 300), 8, None),
            // Wide immediates.
            ((0, greatest), (0, 1), 62, None),
            ((0, (1 << 62) - 2), (0, 1), 62, Some((0, (1 << 62) - 2))),
            ((0, (1 << 62) - 2), (0, 1), 63, Some((0, (1 << 62) - 2))),
            ((0, greatest), (0, 1), 63, Some((0, greatest))),
            ((least, greatest), (-1, 1), 63, None),
            ((least, greatest), (-1, 1), 64, Some((least, greatest))),
            // Roles of different kinds have no range in common.
            ((-1, 5), (0, 5), 8, None),
            ((5, 0), (0, 5), 8, None),
            ((0, 5), (5, 0), 8, None),
            ((0, 0), (0, 0), 8, Some((0, 0))),
        ] {
            let found = range_of(immediate(left), immediate(right), width);
            let expected = expected.map(|(low, high)| Range { low, high });
            assert_eq!(found, expected, "{left:?} and {right:?} of {width} bits");
            assert_eq!(range_of(immediate(right), immediate(left), width), expected);
        }
        assert_eq!(range_of(immediate((0, 5)), Role::Register, 8), None);
        assert_eq!(range_of(Role::Register, Role::Register, 8), None);
    }
}
