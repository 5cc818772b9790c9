//! The numbers of a tableau: rows of fractions with a common denominator, as integers of one width.
//!
//! A row holds its denominator, its constant and one coefficient per column, padded with zeros to whole cache lines.
//! One width for all numbers of a matrix, vectors over a row and sets of the rows that are not zero in a column follow
//! Grosser et al., "Fast Linear Programming through Transprecision Computing on Small and Sparse Data", OOPSLA 2020.
//!
//! Every operation that can overflow leaves the matrix as it was when it does.

mod pivot;

use crate::element::{Element, Overflow};
use crate::occupancy::{Occupancy, Rows};

/// Where a row has its denominator, which is positive.
pub(crate) const DENOMINATOR: usize = 0;
/// Where a row has its constant.
pub(crate) const CONSTANT: usize = 1;
/// Where the coefficients begin.
pub(crate) const FIRST: usize = 2;

#[derive(Debug)]
pub(crate) struct Matrix<E> {
    /// Elements of a row with its padding.
    stride: usize,
    /// Elements of a row without its padding.
    width: usize,
    rows: usize,
    elements: Vec<E>,
    occupancy: Occupancy,
    /// Room for the new values of rows until all are known to fit.
    scratch: Vec<E>,
    /// The rows that these values are for.
    touched: Vec<usize>,
    /// Room for the multiples that make up a new row.
    multiples: Vec<Multiple<E>>,
}

/// A row and a factor.
pub(crate) type Multiple<E> = (usize, E);

impl<E: Element> Clone for Matrix<E> {
    fn clone(&self) -> Self {
        Self {
            stride: self.stride,
            width: self.width,
            rows: self.rows,
            elements: self.elements.clone(),
            occupancy: self.occupancy.clone(),
            scratch: Vec::new(),
            touched: Vec::new(),
            multiples: Vec::new(),
        }
    }
}

impl<E: Element> Matrix<E> {
    /// A matrix without rows.
    pub(crate) fn new(columns: usize) -> Self {
        let width = FIRST + columns;
        Self {
            stride: width.next_multiple_of(E::LANES),
            width,
            rows: 0,
            elements: Vec::new(),
            occupancy: Occupancy::new(width),
            scratch: Vec::new(),
            touched: Vec::new(),
            multiples: Vec::new(),
        }
    }

    pub(crate) fn rows(&self) -> usize {
        self.rows
    }

    /// A row without its padding.
    #[inline]
    pub(crate) fn row(&self, row: usize) -> &[E] {
        &self.elements[row * self.stride..row * self.stride + self.width]
    }

    /// The rows whose coefficient in a column may differ from zero.
    #[inline]
    pub(crate) fn occupied(&self, column: usize) -> Rows<'_> {
        self.occupancy.rows(column)
    }

    /// Makes room for a number of further rows.
    pub(crate) fn reserve(&mut self, rows: usize) {
        self.elements.reserve(rows * self.stride);
        // Few pivots change more rows than this.
        self.scratch.reserve(self.stride * (rows + 1).min(8));
        self.touched.reserve(self.rows + rows);
        self.multiples.reserve(self.width);
        self.occupancy.reserve(self.rows + rows);
    }

    /// Appends a row: `fill` gets it as integers without its padding, all zeros except for the denominator, which is
    /// 1, and a list for the multiples of other rows to be added, as fractions.
    pub(crate) fn push_row(
        &mut self,
        fill: impl FnOnce(&mut [E], &mut Vec<Multiple<E>>) -> Result<(), Overflow>,
    ) -> Result<(), Overflow> {
        let start = self.elements.len();
        self.elements.resize(start + self.stride, E::zero());
        let row = &mut self.elements[start..start + self.width];
        row[DENOMINATOR] = E::one();
        self.multiples.clear();
        self.multiples.reserve(self.width);
        if let Err(overflow) = fill(row, &mut self.multiples).and_then(|()| self.add_multiples(start)) {
            self.elements.truncate(start);
            return Err(overflow);
        }
        let row = &mut self.elements[start..start + self.width];
        normalize(row);
        self.occupancy.reserve(self.rows + 1);
        self.occupancy.insert_row(self.rows, FIRST, row[FIRST..].iter().map(|value| !value.is_zero()));
        self.rows += 1;
        Ok(())
    }

    /// Adds the noted multiples of other rows to the last one, which begins at an element.
    fn add_multiples(&mut self, start: usize) -> Result<(), Overflow> {
        if self.multiples.is_empty() {
            return Ok(());
        }
        let (stride, combine) = (self.stride, E::combine());
        let (rows, sum) = self.elements.split_at_mut(start);
        if self.scratch.len() < 2 * stride {
            self.scratch.resize(2 * stride, E::zero());
        }
        let (operand, out) = self.scratch[..2 * stride].split_at_mut(stride);
        for (row, factor) in &self.multiples {
            E::copy(&rows[row * stride..(row + 1) * stride], operand);
            let denominator = std::mem::replace(&mut operand[DENOMINATOR], E::zero());
            let common = sum[DENOMINATOR].gcd(&denominator);
            let widening = denominator.divide_exact(&common);
            let factor = factor.checked_mul(&sum[DENOMINATOR].divide_exact(&common)).ok_or(Overflow)?;
            if !combine(sum, &widening, operand, &factor, out) {
                return Err(Overflow);
            }
            E::store(out, sum);
        }
        Ok(())
    }

    /// Removes a row and gives its number to the last one.
    pub(crate) fn swap_remove_row(&mut self, row: usize) {
        let last = self.rows - 1;
        if row != last {
            let (front, back) = self.elements.split_at_mut(last * self.stride);
            front[row * self.stride..(row + 1) * self.stride].swap_with_slice(&mut back[..self.stride]);
        }
        self.elements.truncate(last * self.stride);
        self.occupancy.swap_remove_row(row, last);
        self.rows = last;
    }

    /// Removes a column and gives its number to the last one.
    pub(crate) fn swap_remove_column(&mut self, column: usize) {
        let last = self.width - 1;
        for row in self.elements.chunks_exact_mut(self.stride) {
            row.swap(column, last);
            row[last] = E::zero();
        }
        self.occupancy.swap_remove_column(column);
        self.width = last;
    }

    /// The same matrix with wider numbers.
    pub(crate) fn converted<F: Element>(&self) -> Matrix<F> {
        let mut matrix = Matrix {
            stride: self.width.next_multiple_of(F::LANES),
            width: self.width,
            rows: self.rows,
            elements: Vec::with_capacity(self.rows * self.width.next_multiple_of(F::LANES)),
            occupancy: self.occupancy.clone(),
            scratch: Vec::new(),
            touched: Vec::new(),
            multiples: Vec::new(),
        };
        for row in 0..self.rows {
            let values = self.row(row).iter().map(|value| F::from_integer(&value.to_integer()));
            matrix
                .elements
                .extend(values.map(|value| value.unwrap_or_else(|| unreachable!("a wider number fits"))));
            matrix.elements.resize((row + 1) * matrix.stride, F::zero());
        }
        matrix
    }
}

/// Divides a row by what divides all of its numbers. Most denominators are 1, and most of the others soon share
/// nothing with a coefficient.
pub(crate) fn normalize<E: Element>(row: &mut [E]) {
    let mut common = row[DENOMINATOR].clone();
    for value in &row[CONSTANT..] {
        if common.is_one() {
            return;
        }
        if !value.is_zero() {
            common = common.gcd(value);
        }
    }
    if common.is_one() {
        return;
    }
    for value in row.iter_mut().filter(|value| !value.is_zero()) {
        *value = value.divide_exact(&common);
    }
}
