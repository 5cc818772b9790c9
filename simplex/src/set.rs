//! Convex sets as lists of constraints.

use dashu_int::IBig;

use crate::affine::Constraint;

/// The points with `dimension` coordinates that fulfill all constraints.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct BasicSet {
    /// The number of coordinates.
    pub dimension: usize,
    /// Each with one coefficient for each coordinate.
    pub constraints: Vec<Constraint>,
}

impl BasicSet {
    /// Whether an integer point is in the set.
    pub fn contains(&self, point: &[IBig]) -> bool {
        self.constraints.iter().all(|constraint| constraint.holds_at(point))
    }
}

/// Which points of a set count.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Points {
    /// Those with integer coordinates.
    Integer,
    /// All.
    Rational,
}
