//! Integer points: Gomory's cuts, and branching where no cut is to be had.
//!
//! A row that is no integer at the sample point, `d * y = k + sum(a * x)`, gives the cut
//! `sum((a mod d) * x) >= -k mod d` when every column with a remainder is restricted: such columns are integers
//! and not negative (R. E. Gomory, "Outline of an algorithm for integer solutions to linear programs", 1958).
//! Otherwise the search goes on in two halves, below and above the fraction.

use dashu_int::IBig;

use crate::affine::Affine;
use crate::basis::Position;
use crate::element::{Element, Overflow};
use crate::matrix::{CONSTANT, DENOMINATOR};
use crate::precision::{at_any_width, widening};
use crate::rational::{Rational, floor_divide};
use crate::simplex::Simplex;
use crate::tableau::Tableau;

/// Cuts that one part of the search gets before it is halved.
const CUTS: usize = 8;

/// What a search for an integer point came to.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum IntegerPoint {
    /// There is none.
    None,
    /// This is one.
    Found(Vec<IBig>),
    /// The search was given up at its limit.
    Unknown,
}

/// What a fractional row allows.
enum Fraction {
    /// No integer values of the columns make the row an integer.
    Impossible,
    /// A restricted row, as elements from the denominator on.
    Cut(Vec<IBig>),
    /// A variable and its value, to go around on both sides.
    Branch { variable: usize, value: Rational },
}

impl Simplex {
    /// Looks for an integer point in at most `limit` parts of the set.
    ///
    /// Sets without bounds can have infinitely many parts without a point, so that the search needs a limit; bounded
    /// ones end by themselves, but possibly late.
    pub fn integer_point(&self, limit: usize) -> IntegerPoint {
        if limit > 0
            && let Some(point) = self.integer_sample()
        {
            return IntegerPoint::Found(point);
        }
        let mut parts = vec![self.clone()];
        let mut searched = 0;
        while let Some(mut part) = parts.pop() {
            if searched == limit {
                return IntegerPoint::Unknown;
            }
            searched += 1;
            match part.cut_to_integer() {
                Cutting::Empty => {}
                Cutting::Integer(point) => return IntegerPoint::Found(point),
                Cutting::Fractional { variable, value } => {
                    let mut unit = Affine::new(vec![0; self.variables()], -value.ceil());
                    unit.coefficients[variable] = IBig::ONE;
                    let mut above = part.clone();
                    above.add_inequality(&unit);
                    unit.coefficients[variable] = -IBig::ONE;
                    unit.constant = value.floor();
                    part.add_inequality(&unit);
                    parts.extend([above, part]);
                }
            }
        }
        IntegerPoint::None
    }

    /// The sample point, if its coordinates are integers.
    fn integer_sample(&self) -> Option<Vec<IBig>> {
        let integral = at_any_width!(&self.tableau, tableau => tableau.fractional_variable().is_none());
        let point = if integral { self.sample() } else { None };
        Some(point?.into_iter().map(|value| value.numerator().clone()).collect())
    }

    /// Adds cuts until the sample point is an integer or the set is empty, as long as there are cuts.
    fn cut_to_integer(&mut self) -> Cutting {
        let mut cuts = 0;
        loop {
            if self.is_empty() {
                return Cutting::Empty;
            }
            match at_any_width!(&self.tableau, tableau => tableau.fraction(cuts < CUTS)) {
                None => return self.integer_sample().map_or(Cutting::Empty, Cutting::Integer),
                Some(Fraction::Impossible) => return Cutting::Empty,
                Some(Fraction::Branch { variable, value }) => return Cutting::Fractional { variable, value },
                Some(Fraction::Cut(cut)) => {
                    let unknown = widening!(self.tableau, tableau => tableau.push_cut(&cut));
                    self.restore(unknown);
                    cuts += 1;
                }
            }
        }
    }
}

/// Where cutting ended.
enum Cutting {
    Empty,
    Integer(Vec<IBig>),
    Fractional { variable: usize, value: Rational },
}

impl<E: Element> Tableau<E> {
    /// What the first variable that is no integer at the sample point allows; `None` when all are integers.
    fn fraction(&self, may_cut: bool) -> Option<Fraction> {
        let (variable, row) = self.fractional_variable()?;
        if self.has_no_integer(row) {
            return Some(Fraction::Impossible);
        }
        let cut = may_cut.then(|| self.cut(row)).flatten();
        Some(cut.map_or_else(|| Fraction::Branch { variable, value: self.value(row) }, Fraction::Cut))
    }

    /// The first variable that is no integer at the sample point, and its row.
    fn fractional_variable(&self) -> Option<(usize, usize)> {
        (0..self.basis.variables()).find_map(|variable| match self.basis.position(variable) {
            Position::Row(row) if !self.is_integral(row) => Some((variable, row)),
            _ => None,
        })
    }

    /// Whether something divides the denominator and all coefficients of a row, but not its constant.
    fn has_no_integer(&self, row: usize) -> bool {
        let numbers = self.matrix.row(row);
        let common = self
            .coefficients(row)
            .iter()
            .fold(numbers[DENOMINATOR].clone(), |common, value| common.gcd(value));
        common.gcd(&numbers[CONSTANT]) != common
    }

    /// Gomory's cut of a row; `None` when an unrestricted column has a remainder.
    fn cut(&self, row: usize) -> Option<Vec<IBig>> {
        let numbers: Vec<IBig> = self.matrix.row(row).iter().map(E::to_integer).collect();
        let denominator = &numbers[DENOMINATOR];
        let remainder = |value: &IBig| value - floor_divide(value, denominator) * denominator;
        let mut cut = vec![denominator.clone(), -remainder(&-&numbers[CONSTANT])];
        for (&unknown, value) in self.basis.columns().iter().zip(&numbers[CONSTANT + 1..]) {
            let remainder = remainder(value);
            if !remainder.is_zero() && !self.basis.is_restricted(unknown) {
                return None;
            }
            cut.push(remainder);
        }
        Some(cut)
    }

    /// Appends a restricted row that is already a form of the columns.
    fn push_cut(&mut self, cut: &[IBig]) -> Result<usize, Overflow> {
        self.matrix.push_row(|new, _| {
            for (value, number) in new.iter_mut().zip(cut) {
                *value = E::from_integer(number).ok_or(Overflow)?;
            }
            Ok(())
        })?;
        Ok(self.basis.push_constraint())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_gap_between_integers_and_a_point_without_bounds() {
        let mut gap = Simplex::new(1);
        gap.add_inequality(&Affine::new([3], -1));
        gap.add_inequality(&Affine::new([-3], 2));
        assert_eq!(gap.integer_point(10), IntegerPoint::None);

        let mut parity = Simplex::new(2);
        parity.add_equality(&Affine::new([2, 4], -7));
        assert_eq!(parity.integer_point(10), IntegerPoint::None);

        let mut line = Simplex::new(2);
        line.add_equality(&Affine::new([3, 5], -7));
        assert!(
            matches!(line.integer_point(100), IntegerPoint::Found(point) if (&point[0] * 3 + &point[1] * 5) == IBig::from(7))
        );
    }

    #[test]
    fn the_search_ends_at_its_limit() {
        // A strip without integer points and without end: 1 <= 3x - 3y <= 2.
        let mut strip = Simplex::new(2);
        strip.add_inequality(&Affine::new([3, -3], -1));
        strip.add_inequality(&Affine::new([-3, 3], 2));
        assert_eq!(strip.integer_point(0), IntegerPoint::Unknown);
        assert!(!matches!(strip.integer_point(50), IntegerPoint::Found(_)));
    }
}
