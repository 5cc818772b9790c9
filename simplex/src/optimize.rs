//! The simplex method on a tableau: how a row's value is raised or lowered while all constraints hold.
//!
//! Columns and rows are chosen by Bland's rule (the unknown with the smallest number), which ends on every problem.

use std::cmp::Ordering;

use crate::basis::{Position, Unknown};
use crate::element::{Element, Overflow};
use crate::matrix::{CONSTANT, FIRST};
use crate::tableau::Tableau;

/// Where a value is to go.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Direction {
    Up,
    Down,
}

impl Direction {
    fn opposite(self) -> Self {
        match self {
            Self::Up => Self::Down,
            Self::Down => Self::Up,
        }
    }

    /// The direction of a change of `coefficient * x` when `x` goes this way.
    fn times(self, coefficient: &impl Element) -> Self {
        if coefficient.is_negative() { self.opposite() } else { self }
    }
}

/// What one step towards an optimum did.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Step {
    /// One pivot; the value may be as before.
    Pivoted,
    /// The value cannot go further.
    Optimal,
    /// Nothing limits the value as this column changes; no pivot has been made.
    Unbounded { column: usize },
    /// The value passes zero before a constraint limits it (or without limit); no pivot has been made. Only when
    /// zero was the aim.
    ReachesZero { column: usize },
}

/// How far a row is to go.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Aim {
    Optimum,
    Zero,
}

impl<E: Element> Tableau<E> {
    /// One step of a row's value in a direction.
    pub(crate) fn step(&mut self, row: usize, direction: Direction, aim: Aim) -> Result<Step, Overflow> {
        let Some((column, sense)) = self.entering(row, direction) else {
            return Ok(Step::Optimal);
        };
        let limit = self.limiting(column, sense, Some(row));
        if aim == Aim::Zero && limit.is_none_or(|limit| self.is_farther(limit, row, column)) {
            return Ok(Step::ReachesZero { column });
        }
        let Some(limit) = limit else {
            return Ok(Step::Unbounded { column });
        };
        self.pivot(limit, column)?;
        Ok(Step::Pivoted)
    }

    /// Raises a row's value until it is not negative; `false` when that is impossible.
    pub(crate) fn restore(&mut self, row: usize) -> Result<bool, Overflow> {
        while self.constant(row).is_negative() {
            match self.step(row, Direction::Up, Aim::Optimum)? {
                Step::Pivoted => {}
                Step::Optimal => return Ok(false),
                Step::Unbounded { column } | Step::ReachesZero { column } => {
                    self.pivot(row, column)?;
                    return Ok(true);
                }
            }
        }
        Ok(true)
    }

    /// Whether a measured form can have a value that is not negative. If not, it has its greatest value afterwards.
    pub(crate) fn rises_to_zero(&mut self, row: usize) -> Result<bool, Overflow> {
        while self.constant(row).is_negative() {
            match self.step(row, Direction::Up, Aim::Optimum)? {
                Step::Pivoted => {}
                Step::Optimal => return Ok(false),
                Step::Unbounded { .. } | Step::ReachesZero { .. } => return Ok(true),
            }
        }
        Ok(true)
    }

    /// Moves a row's value as far as it goes; `false` when there is no end.
    pub(crate) fn optimize(&mut self, row: usize, direction: Direction) -> Result<bool, Overflow> {
        loop {
            match self.step(row, direction, Aim::Optimum)? {
                Step::Pivoted => {}
                Step::Optimal => return Ok(true),
                Step::Unbounded { .. } | Step::ReachesZero { .. } => return Ok(false),
            }
        }
    }

    /// Makes a constraint's row an equality: its value becomes zero and it leaves the tableau. `false` when it
    /// cannot be zero.
    pub(crate) fn fix_at_zero(&mut self, unknown: Unknown) -> Result<bool, Overflow> {
        while let Position::Row(row) = self.basis.position(unknown) {
            let direction = match self.constant(row).signum() {
                Ordering::Less => Direction::Up,
                Ordering::Greater => Direction::Down,
                Ordering::Equal => {
                    match self.cheapest_column(row) {
                        Some(column) => self.pivot(row, column)?,
                        None => self.remove_row(row, Position::Zero),
                    }
                    continue;
                }
            };
            match self.step(row, direction, Aim::Zero)? {
                Step::Pivoted => {}
                Step::Optimal => return Ok(false),
                Step::ReachesZero { column } | Step::Unbounded { column } => self.pivot(row, column)?,
            }
        }
        if let Position::Column(column) = self.basis.position(unknown) {
            self.remove_column(column);
        }
        Ok(true)
    }

    /// The column to change, and how, to move a row's value in a direction.
    fn entering(&self, row: usize, direction: Direction) -> Option<(usize, Direction)> {
        let mut best: Option<(Unknown, usize, Direction)> = None;
        for (column, (&unknown, coefficient)) in
            self.basis.columns().iter().zip(self.coefficients(row)).enumerate()
        {
            if coefficient.is_zero() || best.is_some_and(|(known, ..)| known < unknown) {
                continue;
            }
            let sense = direction.times(coefficient);
            if sense == Direction::Up || !self.basis.is_restricted(unknown) {
                best = Some((unknown, column, sense));
            }
        }
        best.map(|(_, column, sense)| (column, sense))
    }

    /// The restricted row that is the first to become zero as a column changes; not the row `except`.
    pub(crate) fn limiting(&self, column: usize, sense: Direction, except: Option<usize>) -> Option<usize> {
        let mut best: Option<(Unknown, usize)> = None;
        for row in self.matrix.occupied(FIRST + column) {
            let Some(unknown) = self.basis.restricted_row(row) else { continue };
            let coefficient = &self.matrix.row(row)[FIRST + column];
            if Some(row) == except || coefficient.is_zero() || sense.times(coefficient) == Direction::Up {
                continue;
            }
            let better = best.is_none_or(|(known, best)| match self.compare_limits(row, best, column) {
                Ordering::Less => true,
                Ordering::Equal => unknown < known,
                Ordering::Greater => false,
            });
            if better {
                best = Some((unknown, row));
            }
        }
        best.map(|(_, row)| row)
    }

    /// Compares how far a column goes until each of two rows is zero.
    fn compare_limits(&self, left: usize, right: usize, column: usize) -> Ordering {
        let (left, right) = (self.matrix.row(left), self.matrix.row(right));
        E::compare_products(
            &left[CONSTANT].magnitude(),
            &right[FIRST + column].magnitude(),
            &right[CONSTANT].magnitude(),
            &left[FIRST + column].magnitude(),
        )
    }

    /// Whether a column goes farther until `limit` is zero than until `row` is.
    fn is_farther(&self, limit: usize, row: usize, column: usize) -> bool {
        self.compare_limits(limit, row, column) == Ordering::Greater
    }

    /// A column that is not zero in a row, with a small coefficient.
    fn cheapest_column(&self, row: usize) -> Option<usize> {
        let coefficients = self.coefficients(row).iter().enumerate().filter(|(_, value)| !value.is_zero());
        coefficients.min_by_key(|(_, value)| value.magnitude()).map(|(column, _)| column)
    }
}
