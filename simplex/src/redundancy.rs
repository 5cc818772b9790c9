//! What constraints say about each other: which are redundant and which are always zero.
//!
//! Neither question leaves the feasible region: a step is made only while the constraint's own value stays on its
//! side of zero.

use crate::basis::{Position, Unknown};
use crate::element::{Element, Overflow};
use crate::optimize::{Aim, Direction, Step};
use crate::tableau::Tableau;

impl<E: Element> Tableau<E> {
    /// Whether a constraint's value would not be negative at any point of the others. If so, it leaves the tableau.
    pub(crate) fn remove_if_redundant(&mut self, unknown: Unknown) -> Result<bool, Overflow> {
        let Some(row) = self.row_towards(unknown, Direction::Down)? else {
            return Ok(matches!(self.basis.position(unknown), Position::Zero | Position::Redundant));
        };
        loop {
            match self.step(row, Direction::Down, Aim::Zero)? {
                Step::Pivoted => {}
                Step::ReachesZero { .. } | Step::Unbounded { .. } => return Ok(false),
                Step::Optimal => {
                    self.remove_row(row, Position::Redundant);
                    return Ok(true);
                }
            }
        }
    }

    /// Whether a constraint's value is zero at all points. If so, it leaves the tableau.
    pub(crate) fn remove_if_zero(&mut self, unknown: Unknown) -> Result<bool, Overflow> {
        let Some(row) = self.row_towards(unknown, Direction::Up)? else {
            return Ok(self.basis.position(unknown) == Position::Zero);
        };
        while self.constant(row).is_zero() {
            match self.step(row, Direction::Up, Aim::Optimum)? {
                Step::Pivoted => {}
                Step::Unbounded { .. } | Step::ReachesZero { .. } => return Ok(false),
                Step::Optimal => return self.fix_at_zero(unknown),
            }
        }
        Ok(false)
    }

    /// The row of an unknown. A column becomes one only when that is needed to know whether it can go some way
    /// from its value, which is zero; `None` means that it can, or that the unknown has left the tableau.
    fn row_towards(&mut self, unknown: Unknown, direction: Direction) -> Result<Option<usize>, Overflow> {
        let column = match self.basis.position(unknown) {
            Position::Row(row) => return Ok(Some(row)),
            Position::Zero | Position::Redundant => return Ok(None),
            Position::Column(column) => column,
        };
        match self.limiting(column, direction, None) {
            Some(row) if self.constant(row).is_zero() => {
                self.pivot(row, column)?;
                Ok(Some(row))
            }
            _ => Ok(None),
        }
    }
}
