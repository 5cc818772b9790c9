//! Single pivots, for benchmarks, and a count of all pivots, for fuzzing: no stable interface.

pub use crate::count::pivots;
use crate::element::{Element, Overflow};
use crate::matrix::{CONSTANT, FIRST, Matrix};
use crate::precision::Precision;

use dashu_int::IBig;

/// A matrix to be pivoted at given places.
pub struct Pivots(AnyMatrix);

enum AnyMatrix {
    Bits16(Matrix<i16>),
    Bits32(Matrix<i32>),
    Bits64(Matrix<i64>),
    Arbitrary(Matrix<IBig>),
}

impl Pivots {
    /// A matrix of integer rows, each with its constant first; `None` when a number does not fit.
    pub fn new(rows: &[Vec<i64>], precision: Precision) -> Option<Self> {
        Some(Self(match precision {
            Precision::Bits16 => AnyMatrix::Bits16(matrix(rows)?),
            Precision::Bits32 => AnyMatrix::Bits32(matrix(rows)?),
            Precision::Bits64 => AnyMatrix::Bits64(matrix(rows)?),
            Precision::Arbitrary => AnyMatrix::Arbitrary(matrix(rows)?),
        }))
    }

    /// Pivots at each place, a row and a column, in turn; `false` as soon as a number no longer fits.
    pub fn pivot(&mut self, places: &[(usize, usize)]) -> bool {
        match &mut self.0 {
            AnyMatrix::Bits16(matrix) => pivot(matrix, places),
            AnyMatrix::Bits32(matrix) => pivot(matrix, places),
            AnyMatrix::Bits64(matrix) => pivot(matrix, places),
            AnyMatrix::Arbitrary(matrix) => pivot(matrix, places),
        }
    }
}

fn matrix<E: Element>(rows: &[Vec<i64>]) -> Option<Matrix<E>> {
    let mut matrix = Matrix::new(rows.first()?.len() - 1);
    for row in rows {
        let filled = matrix.push_row(|new, _| {
            for (value, &number) in new[CONSTANT..].iter_mut().zip(row) {
                *value = E::from_integer(&number.into()).ok_or(Overflow)?;
            }
            Ok(())
        });
        filled.ok()?;
    }
    Some(matrix)
}

fn pivot<E: Element>(matrix: &mut Matrix<E>, places: &[(usize, usize)]) -> bool {
    places.iter().all(|&(row, column)| matrix.pivot(row, FIRST + column).is_ok())
}
