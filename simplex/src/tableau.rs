//! A tableau: numbers of one width, and which unknown each row and column stands for.
//!
//! The method is that of Detlefs, Nelson and Saxe, "Simplify: a theorem prover for program checking" (2005),
//! section 8. Every unknown is a row or a column, and a row is an affine form of the columns. At the sample
//! point all columns are zero, so that the rows' constants are their values there. Constraints are restricted to
//! values that are not negative, variables are free. Between the public operations the sample point fulfills all
//! constraints.
//!
//! A constraint that is found to be always zero or redundant leaves the tableau: pivots become cheaper, and a
//! snapshot, which is a copy, brings it back.

use dashu_int::IBig;

use crate::affine::Affine;
use crate::basis::{Basis, Position, Unknown};
use crate::count::count_pivot;
use crate::element::{Element, Overflow};
use crate::matrix::{CONSTANT, DENOMINATOR, FIRST, Matrix};
use crate::rational::Rational;

#[derive(Debug, Clone)]
pub(crate) struct Tableau<E: Element> {
    pub(crate) matrix: Matrix<E>,
    pub(crate) basis: Basis,
}

impl<E: Element> Tableau<E> {
    /// A tableau without constraints, with room for a number of them.
    pub(crate) fn new(variables: usize, room: usize) -> Self {
        let mut matrix = Matrix::new(variables);
        matrix.reserve(room);
        Self { matrix, basis: Basis::new(variables, room) }
    }

    /// The same tableau with wider numbers.
    pub(crate) fn converted<F: Element>(&self) -> Tableau<F> {
        Tableau { matrix: self.matrix.converted(), basis: self.basis.clone() }
    }

    /// The coefficients of a row.
    #[inline]
    pub(crate) fn coefficients(&self, row: usize) -> &[E] {
        &self.matrix.row(row)[FIRST..]
    }

    /// The value of a row at the sample point, times its denominator.
    #[inline]
    pub(crate) fn constant(&self, row: usize) -> &E {
        &self.matrix.row(row)[CONSTANT]
    }

    /// The value of a row at the sample point.
    pub(crate) fn value(&self, row: usize) -> Rational {
        let row = self.matrix.row(row);
        if row[DENOMINATOR].is_one() {
            return Rational::from(row[CONSTANT].to_integer());
        }
        Rational::new(row[CONSTANT].to_integer(), row[DENOMINATOR].to_integer())
            .unwrap_or_else(|| unreachable!("denominators are positive"))
    }

    /// Whether the value of a row at the sample point is at most -1.
    pub(crate) fn is_at_most_minus_one(&self, row: usize) -> bool {
        let row = self.matrix.row(row);
        row[CONSTANT] <= row[DENOMINATOR].negate()
    }

    /// Whether an unknown is a row of zeros.
    pub(crate) fn is_identically_zero(&self, unknown: Unknown) -> bool {
        match self.basis.position(unknown) {
            Position::Row(row) => self.matrix.row(row)[CONSTANT..].iter().all(E::is_zero),
            Position::Column(_) | Position::Zero | Position::Redundant => false,
        }
    }

    /// Whether a row is an integer at the sample point.
    pub(crate) fn is_integral(&self, row: usize) -> bool {
        let row = self.matrix.row(row);
        row[DENOMINATOR].is_one() || row[CONSTANT].gcd(&row[DENOMINATOR]) == row[DENOMINATOR]
    }

    /// The variables' values at the sample point.
    pub(crate) fn sample(&self) -> Vec<Rational> {
        (0..self.basis.variables())
            .map(|variable| match self.basis.position(variable) {
                Position::Row(row) => self.value(row),
                Position::Column(_) | Position::Zero | Position::Redundant => Rational::from(0),
            })
            .collect()
    }

    /// Appends the row of a form that is only being measured.
    pub(crate) fn push_form(&mut self, form: &Affine) -> Result<usize, Overflow> {
        self.push_row(form)?;
        self.basis.push_form();
        Ok(self.matrix.rows() - 1)
    }

    /// Removes the row of a measured form, which is the last.
    pub(crate) fn pop_form(&mut self) {
        let last = self.matrix.rows() - 1;
        self.matrix.swap_remove_row(last);
        self.basis.remove_row(last, Position::Redundant);
    }

    /// Appends a constraint, whose value at the sample point may be negative.
    pub(crate) fn push_constraint(&mut self, form: &Affine) -> Result<Unknown, Overflow> {
        self.push_row(form)?;
        Ok(self.basis.push_constraint())
    }

    /// Appends a row as a form of the columns; variables that are rows now are replaced by their forms.
    fn push_row(&mut self, form: &Affine) -> Result<(), Overflow> {
        let basis = &self.basis;
        self.matrix.push_row(|new, multiples| {
            new[CONSTANT] = element(&form.constant)?;
            for (variable, factor) in form.coefficients.iter().enumerate() {
                if factor.is_zero() {
                    continue;
                }
                match basis.position(variable) {
                    Position::Column(column) => new[FIRST + column] = element(factor)?,
                    Position::Row(row) => multiples.push((row, element(factor)?)),
                    Position::Zero | Position::Redundant => {}
                }
            }
            Ok(())
        })
    }

    /// Exchanges the unknowns of a row and a column.
    pub(crate) fn pivot(&mut self, row: usize, column: usize) -> Result<(), Overflow> {
        count_pivot();
        self.matrix.pivot(row, FIRST + column)?;
        self.basis.exchange(row, column);
        Ok(())
    }

    /// Removes a row because it says nothing that the others do not say.
    pub(crate) fn remove_row(&mut self, row: usize, position: Position) {
        self.matrix.swap_remove_row(row);
        self.basis.remove_row(row, position);
    }

    /// Removes a column because it is zero at all points.
    pub(crate) fn remove_column(&mut self, column: usize) {
        self.matrix.swap_remove_column(FIRST + column);
        self.basis.remove_column(column);
    }
}

#[inline]
fn element<E: Element>(value: &IBig) -> Result<E, Overflow> {
    E::from_integer(value).ok_or(Overflow)
}
