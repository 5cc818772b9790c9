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

    #[inline]
    pub(crate) fn remove(&mut self, column: usize, row: usize) {
        self.bits[column * self.words + row / 64] &= !(1 << (row % 64));
    }

    #[inline]
    pub(crate) fn contains(&self, column: usize, row: usize) -> bool {
        self.bits[column * self.words + row / 64] >> (row % 64) & 1 == 1
    }

    /// Adds the rows of another column.
    #[inline]
    pub(crate) fn merge(&mut self, column: usize, from: usize) {
        for word in 0..self.words {
            self.bits[column * self.words + word] |= self.bits[from * self.words + word];
        }
    }

    /// The rows of a column, ascending.
    #[inline]
    pub(crate) fn rows(&self, column: usize) -> impl Iterator<Item = usize> + '_ {
        let words = &self.bits[column * self.words..(column + 1) * self.words];
        words.iter().enumerate().flat_map(|(index, &word)| Ones(word).map(move |bit| 64 * index + bit))
    }

    /// Removes a row of all columns and gives its number to the last row.
    pub(crate) fn swap_remove_row(&mut self, row: usize, last: usize) {
        if row == last {
            for column in 0..self.bits.len() / self.words {
                self.remove(column, last);
            }
            return;
        }
        for column in 0..self.bits.len() / self.words {
            let occupied = self.contains(column, last);
            self.remove(column, last);
            self.remove(column, row);
            if occupied {
                self.insert(column, row);
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

/// The positions of a word's ones, ascending.
struct Ones(u64);

impl Iterator for Ones {
    type Item = usize;

    #[inline]
    fn next(&mut self) -> Option<usize> {
        if self.0 == 0 {
            return None;
        }
        let bit = self.0.trailing_zeros() as usize;
        self.0 &= self.0 - 1;
        Some(bit)
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
        occupancy.merge(0, 2);
        assert_eq!(rows(&occupancy, 0), [5, 63, 129]);
        occupancy.swap_remove_column(0);
        assert_eq!(rows(&occupancy, 0), [63, 129]);
        assert!(rows(&occupancy, 1).is_empty());
        occupancy.swap_remove_row(1, 129);
        assert_eq!(rows(&occupancy, 0), [1, 63]);
        occupancy.swap_remove_row(63, 63);
        assert_eq!(rows(&occupancy, 0), [1]);
        occupancy.swap_remove_row(1, 40);
        assert!(rows(&occupancy, 0).is_empty());
    }
}
