//! Which rows are not zero in a column: the sparsity that a pivot makes use of.
//!
//! The sets may be too large, never too small. A pivot adds a multiple of its row to the rows of its column, so that
//! the set of every other column of that row grows by the set of the pivot's column: one `or` per column, whatever
//! the numbers are. Rows that turn out to be zero are removed when they are next visited.

/// A set of rows for each column.
#[derive(Debug, Clone)]
pub(crate) struct Occupancy {
    /// 64-bit words per column.
    words: usize,
    bits: Vec<u64>,
}

impl Occupancy {
    pub(crate) fn new(columns: usize) -> Self {
        Self { words: 1, bits: vec![0; columns] }
    }

    /// Makes room for a number of rows.
    pub(crate) fn reserve(&mut self, rows: usize) {
        let needed = rows.div_ceil(64);
        if needed <= self.words {
            return;
        }
        let words = needed.next_power_of_two();
        let mut bits = vec![0; self.bits.len() / self.words * words];
        for (new, old) in bits.chunks_exact_mut(words).zip(self.bits.chunks_exact(self.words)) {
            new[..self.words].copy_from_slice(old);
        }
        (self.words, self.bits) = (words, bits);
    }

    #[inline]
    pub(crate) fn insert(&mut self, column: usize, row: usize) {
        self.bits[column * self.words + row / 64] |= 1 << (row % 64);
    }

    /// Gives a column other rows.
    pub(crate) fn replace<'a>(&mut self, column: usize, rows: impl Iterator<Item = &'a usize>) {
        self.bits[column * self.words..(column + 1) * self.words].fill(0);
        rows.for_each(|&row| self.insert(column, row));
    }

    /// Adds a row to the columns from `first` on where a flag says so.
    #[inline]
    pub(crate) fn insert_row(&mut self, row: usize, first: usize, flags: impl Iterator<Item = bool>) {
        let columns = self.bits[first * self.words..].chunks_exact_mut(self.words);
        for (column, flag) in columns.zip(flags) {
            column[row / 64] |= u64::from(flag) << (row % 64);
        }
    }

    /// Adds the rows of a column to those from `first` on where a flag says so.
    #[inline]
    pub(crate) fn merge(&mut self, from: usize, first: usize, flags: impl Iterator<Item = bool> + Clone) {
        if self.words == 1 {
            let added = self.bits[from];
            for (bits, flag) in self.bits[first..].iter_mut().zip(flags) {
                *bits |= if flag { added } else { 0 };
            }
            return;
        }
        for word in 0..self.words {
            let added = self.bits[from * self.words + word];
            let columns = self.bits[first * self.words..].chunks_exact_mut(self.words);
            for (column, flag) in columns.zip(flags.clone()) {
                column[word] |= if flag { added } else { 0 };
            }
        }
    }

    /// The rows of a column, ascending.
    #[inline]
    pub(crate) fn rows(&self, column: usize) -> Rows<'_> {
        Rows { words: &self.bits[column * self.words..(column + 1) * self.words], base: 0, word: 0 }
    }

    /// Removes a row of all columns and gives its number to the last row.
    pub(crate) fn swap_remove_row(&mut self, row: usize, last: usize) {
        for column in self.bits.chunks_exact_mut(self.words) {
            let occupied = column[last / 64] >> (last % 64) & 1;
            column[last / 64] &= !(1 << (last % 64));
            if row != last {
                column[row / 64] = column[row / 64] & !(1 << (row % 64)) | occupied << (row % 64);
            }
        }
    }

    /// Removes a column and gives its number to the last column.
    pub(crate) fn swap_remove_column(&mut self, column: usize) {
        let last = self.bits.len() - self.words;
        self.bits.copy_within(last.., column * self.words);
        self.bits.truncate(last);
    }
}

/// The positions of the ones in some words, ascending.
pub(crate) struct Rows<'a> {
    /// The words after the present one.
    words: &'a [u64],
    /// The position after the present word's last bit.
    base: usize,
    /// What is left of the present word.
    word: u64,
}

impl Iterator for Rows<'_> {
    type Item = usize;

    #[inline]
    fn next(&mut self) -> Option<usize> {
        while self.word == 0 {
            let (&word, rest) = self.words.split_first()?;
            (self.word, self.words) = (word, rest);
            self.base += 64;
        }
        let bit = self.word.trailing_zeros() as usize;
        self.word &= self.word - 1;
        Some(self.base - 64 + bit)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn rows(occupancy: &Occupancy, column: usize) -> Vec<usize> {
        occupancy.rows(column).collect()
    }

    #[test]
    fn rows_keep_their_places_when_words_are_added_and_columns_leave() {
        let mut occupancy = Occupancy::new(3);
        occupancy.insert(0, 5);
        occupancy.insert(2, 63);
        occupancy.reserve(130);
        occupancy.insert(2, 129);
        occupancy.merge(2, 0, [true, false].into_iter());
        assert_eq!(rows(&occupancy, 0), [5, 63, 129]);
        occupancy.swap_remove_column(0);
        assert_eq!(rows(&occupancy, 0), [63, 129]);
        assert!(rows(&occupancy, 1).is_empty());
        occupancy.swap_remove_row(1, 129);
        assert_eq!(rows(&occupancy, 0), [1, 63]);
        occupancy.swap_remove_row(63, 63);
        assert_eq!(rows(&occupancy, 0), [1]);
        occupancy.replace(1, [70, 3].iter());
        assert_eq!(rows(&occupancy, 1), [3, 70]);
        occupancy.swap_remove_row(1, 40);
        assert!(rows(&occupancy, 0).is_empty());
    }
}
