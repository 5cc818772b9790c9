//! The pivot: a row and a column exchange their unknowns, and all rows of the column change.

use super::{DENOMINATOR, FIRST, Matrix, normalize};
use crate::element::{Element, Overflow};

impl<E: Element> Matrix<E> {
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
            // Few pivots change more rows than this.
            new.reserve(stride * self.rows.min(8));
            new.resize(stride, E::zero());
        }
        E::copy(&self.elements[row * stride..(row + 1) * stride], &mut new[..stride]);
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
        let own = &self.elements[row * stride + FIRST..row * stride + self.width];
        self.occupancy.merge(column, FIRST, own.iter().map(|value| !value.is_zero()));
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
        self.touched.reserve(self.rows);
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

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::matrix::CONSTANT;

    fn matrix<E: Element>(rows: &[Vec<i64>]) -> Matrix<E> {
        let mut matrix = Matrix::new(rows[0].len() - FIRST);
        for row in rows {
            matrix
                .push_row(|new, _| {
                    for (value, number) in new.iter_mut().zip(row) {
                        *value = E::from_integer(&(*number).into()).ok_or(Overflow)?;
                    }
                    Ok(())
                })
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
                        || matrix.occupied(at + CONSTANT).any(|row| row == index)
                );
            }
        }
        Ok(())
    }
}
