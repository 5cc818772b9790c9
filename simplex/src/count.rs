//! The count of pivots.

use std::cell::Cell;

thread_local! {
    static PIVOTS: Cell<u64> = const { Cell::new(0) };
}

/// How many pivots the tableaus of this thread have made, those included that have overflowed.
pub fn pivots() -> u64 {
    PIVOTS.get()
}

#[inline]
pub(crate) fn count_pivot() {
    PIVOTS.set(PIVOTS.get() + 1);
}
