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
