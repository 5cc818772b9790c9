//! The numbers of a tableau: rows of fractions with a common denominator, as integers of one width.
//!
//! A row holds its denominator, its constant and one coefficient per column, padded with zeros to whole cache lines.
//! One width for all numbers of a matrix, vectors over a row and sets of the rows that are not zero in a column follow
//! Grosser et al., "Fast Linear Programming through Transprecision Computing on Small and Sparse Data", OOPSLA 2020.
//!
//! Every operation that can overflow leaves the matrix as it was when it does.

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
}

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
        self.scratch.reserve((rows + 1) * self.stride);
        self.occupancy.reserve(self.rows + rows);
    }

    /// Appends a row: `fill` gets it as integers without its padding, all zeros except for the denominator, which is
    /// 1; then multiples of other rows are added, as fractions.
    pub(crate) fn push_row(
        &mut self,
        fill: impl FnOnce(&mut [E]) -> Result<(), Overflow>,
        multiples: impl Iterator<Item = (usize, Result<E, Overflow>)>,
    ) -> Result<(), Overflow> {
        let start = self.elements.len();
        self.elements.resize(start + self.stride, E::zero());
        let row = &mut self.elements[start..start + self.width];
        row[DENOMINATOR] = E::one();
        if let Err(overflow) = fill(row).and_then(|()| self.add_to_last(start, multiples)) {
            self.elements.truncate(start);
            return Err(overflow);
        }
        let row = &mut self.elements[start..start + self.width];
        normalize(row);
        self.occupancy.reserve(self.rows + 1);
        for (column, value) in row.iter().enumerate().skip(FIRST) {
            if !value.is_zero() {
                self.occupancy.insert(column, self.rows);
            }
        }
        self.rows += 1;
        Ok(())
    }

    /// Adds multiples of other rows to the last one, which begins at an element.
    fn add_to_last(
        &mut self,
        start: usize,
        multiples: impl Iterator<Item = (usize, Result<E, Overflow>)>,
    ) -> Result<(), Overflow> {
        let (stride, combine) = (self.stride, E::combine());
        let (rows, sum) = self.elements.split_at_mut(start);
        if self.scratch.len() < 2 * stride {
            self.scratch.resize(2 * stride, E::zero());
        }
        let (operand, out) = self.scratch[..2 * stride].split_at_mut(stride);
        for (row, factor) in multiples {
            operand.clone_from_slice(&rows[row * stride..(row + 1) * stride]);
            let denominator = std::mem::replace(&mut operand[DENOMINATOR], E::zero());
            let common = sum[DENOMINATOR].gcd(&denominator);
            let widening = denominator.divide_exact(&common);
            let factor = factor?.checked_mul(&sum[DENOMINATOR].divide_exact(&common)).ok_or(Overflow)?;
            if !combine(sum, &widening, operand, &factor, out) {
                return Err(Overflow);
            }
            E::store(out, sum);
        }
        Ok(())
    }

    /// Exchanges the unknown of a row with that of a column, whose coefficient there is not zero.
    ///
    /// The row `d * y = … + a * x` becomes `a * x = d * y - …`, and every other row gets that in place of `x`.
    pub(crate) fn pivot(&mut self, row: usize, column: usize) -> Result<(), Overflow> {
        let mut operand = std::mem::take(&mut self.scratch);
        let result = self.eliminate(row, column, &mut operand);
        self.scratch = operand;
        result
    }

    /// Computes the new rows into `new`, the pivot's row first, and moves them into place when all fit.
    fn eliminate(&mut self, row: usize, column: usize, new: &mut Vec<E>) -> Result<(), Overflow> {
        let stride = self.stride;
        if new.len() < stride {
            new.resize(stride, E::zero());
        }
        new[..stride].clone_from_slice(&self.elements[row * stride..(row + 1) * stride]);
        solve_for(&mut new[..self.width], column);
        let denominator = std::mem::replace(&mut new[DENOMINATOR], E::zero());
        let coefficient = new[column].clone();
        // With this value, `m * row + f * operand` is right in the pivot's column, too: the old coefficient there is
        // `f * denominator / m`.
        new[column] = coefficient.checked_sub(&denominator).ok_or(Overflow)?;
        self.multiples(row, column, &denominator, new)?;
        new[DENOMINATOR] = denominator;
        new[column] = coefficient;
        let mut values = new.chunks_exact_mut(stride);
        for row in [row].iter().chain(&self.touched) {
            if let Some(values) = values.next() {
                E::store(values, &mut self.elements[row * stride..(row + 1) * stride]);
            }
        }
        for other in (FIRST..self.width).filter(|&other| other != column) {
            if !self.elements[row * stride + other].is_zero() {
                self.occupancy.merge(other, column);
            }
        }
        Ok(())
    }

    /// Computes the rows that the pivot changes behind its own row in `new`, and notes which they are.
    fn multiples(
        &mut self,
        pivot: usize,
        column: usize,
        denominator: &E,
        new: &mut Vec<E>,
    ) -> Result<(), Overflow> {
        let stride = self.stride;
        let combine = E::combine();
        self.touched.clear();
        let mut stale = false;
        for row in self.occupancy.rows(column) {
            if self.elements[row * stride + column].is_zero() {
                stale = true;
            } else if row != pivot {
                self.touched.push(row);
            }
        }
        if stale {
            self.occupancy.replace(column, [pivot].iter().chain(&self.touched));
        }
        let needed = (self.touched.len() + 1) * stride;
        if new.len() < needed {
            new.resize(needed, E::zero());
        }
        let (operand, outs) = new.split_at_mut(stride);
        for (index, &row) in self.touched.iter().enumerate() {
            let out = &mut outs[index * stride..(index + 1) * stride];
            let values = &self.elements[row * stride..(row + 1) * stride];
            let fits = if denominator.is_one() {
                combine(values, denominator, operand, &values[column], out)
            } else {
                let common = denominator.gcd(&values[column]);
                let (multiple, factor) =
                    (denominator.divide_exact(&common), values[column].divide_exact(&common));
                combine(values, &multiple, operand, &factor, out)
            };
            if !fits {
                return Err(Overflow);
            }
            normalize(&mut out[..self.width]);
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

/// Solves `d * y = … + a * x` for `x`, which is at `column`: its coefficient becomes that of `y`.
fn solve_for<E: Element>(row: &mut [E], column: usize) {
    row.swap(DENOMINATOR, column);
    if row[DENOMINATOR].is_positive() {
        let (denominator, coefficient) = (row[DENOMINATOR].clone(), row[column].clone());
        row.iter_mut().for_each(|value| *value = value.negate());
        (row[DENOMINATOR], row[column]) = (denominator, coefficient);
    } else {
        row[DENOMINATOR] = row[DENOMINATOR].negate();
        row[column] = row[column].negate();
    }
    normalize(row);
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

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn matrix<E: Element>(rows: &[Vec<i64>]) -> Matrix<E> {
        let mut matrix = Matrix::new(rows[0].len() - FIRST);
        for row in rows {
            matrix
                .push_row(
                    |new| {
                        for (value, number) in new.iter_mut().zip(row) {
                            *value = E::from_integer(&(*number).into()).ok_or(Overflow)?;
                        }
                        Ok(())
                    },
                    std::iter::empty(),
                )
                .unwrap();
        }
        matrix
    }

    fn rows() -> impl Strategy<Value = Vec<Vec<i64>>> {
        let number = prop_oneof![3 => Just(0), 2 => -9i64..=9, 1 => -300i64..=300];
        let row = (1i64..=4, prop::collection::vec(number, 9))
            .prop_map(|(denominator, rest)| [vec![denominator], rest].concat());
        prop::collection::vec(row, 1..80)
    }

    /// The pivot, in fractions and one element after the other.
    fn reference(rows: &[Vec<i64>], pivot: usize, column: usize) -> Vec<Vec<crate::Rational>> {
        use dashu_int::IBig;
        let fraction =
            |row: usize, index: usize| (IBig::from(rows[row][index]), IBig::from(rows[row][DENOMINATOR]));
        let quotient =
            |numerator: IBig, denominator: IBig| crate::Rational::new(numerator, denominator).unwrap();
        let width = rows[0].len();
        (0..rows.len())
            .map(|row| {
                let (a, d) = fraction(pivot, column);
                (CONSTANT..width)
                    .map(|index| {
                        let (b, _) = fraction(pivot, index);
                        if row == pivot {
                            return if index == column {
                                quotient(d.clone(), a.clone())
                            } else {
                                quotient(-b, a.clone())
                            };
                        }
                        let ((e, denominator), (f, _)) = (fraction(row, index), fraction(row, column));
                        if index == column {
                            return quotient(f * &d, denominator * &a);
                        }
                        quotient(e * &a - f * b, denominator * &a)
                    })
                    .collect()
            })
            .collect()
    }

    proptest! {
        #[test]
        fn a_pivot_is_what_fractions_say_at_every_width(rows in rows(), pivot: prop::sample::Index, column in FIRST..10) {
            let pivot = pivot.index(rows.len());
            prop_assume!(rows[pivot][column] != 0);
            let expected = reference(&rows, pivot, column);
            let mut wide = matrix::<dashu_int::IBig>(&rows);
            wide.pivot(pivot, column).unwrap();
            check(&wide, &expected)?;
            let mut middle = matrix::<i32>(&rows);
            middle.pivot(pivot, column).unwrap();
            check(&middle, &expected)?;
            let mut narrow = matrix::<i16>(&rows);
            let before = narrow.clone();
            match narrow.pivot(pivot, column) {
                Ok(()) => check(&narrow, &expected)?,
                Err(Overflow) => prop_assert_eq!(&narrow.elements, &before.elements),
            }
        }

        #[test]
        fn two_pivots_at_one_place_change_nothing(rows in rows(), pivot: prop::sample::Index, column in FIRST..10) {
            let pivot = pivot.index(rows.len());
            prop_assume!(rows[pivot][column] != 0);
            let mut wide = matrix::<dashu_int::IBig>(&rows);
            let before = wide.elements.clone();
            wide.pivot(pivot, column).unwrap();
            wide.pivot(pivot, column).unwrap();
            prop_assert_eq!(wide.elements, before);
        }
    }

    fn check<E: Element>(matrix: &Matrix<E>, expected: &[Vec<crate::Rational>]) -> Result<(), TestCaseError> {
        for (index, expected) in expected.iter().enumerate() {
            let row = matrix.row(index);
            let denominator = row[DENOMINATOR].to_integer();
            prop_assert!(row[DENOMINATOR].is_positive());
            for (at, (value, expected)) in row[CONSTANT..].iter().zip(expected).enumerate() {
                let value = crate::Rational::new(value.to_integer(), denominator.clone()).unwrap();
                prop_assert_eq!(&value, expected, "row {} column {}", index, at + CONSTANT);
                prop_assert!(
                    at == 0
                        || row[at + CONSTANT].is_zero()
                        || matrix.occupancy.contains(at + CONSTANT, index)
                );
            }
        }
        Ok(())
    }
}
