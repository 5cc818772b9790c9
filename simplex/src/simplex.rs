//! The public face of the tableau: constraints in, answers out, at whatever width the numbers need.

use crate::affine::{Affine, Constraint};
use crate::basis::{Position, Unknown};
use crate::optimize::{Aim, Direction, Step};
use crate::precision::{AnyTableau, Precision, at_any_width, widening};
use crate::rational::Rational;

/// The set of all rational points that fulfill some constraints.
///
/// Constraints are added one after the other; the set can be asked at any time. Answers are exact: numbers begin
/// with 16 bits and the whole tableau moves to 32 bits, 64 bits and arbitrary precision when one no longer fits.
///
/// ```
/// use simplex::{Affine, Optimum, Simplex};
///
/// let mut triangle = Simplex::new(2);
/// triangle.add_inequality(&Affine::new([1, 0], 0)); // x >= 0
/// triangle.add_inequality(&Affine::new([0, 1], 0)); // y >= 0
/// triangle.add_inequality(&Affine::new([-2, -3], 7)); // 2x + 3y <= 7
/// assert_eq!(triangle.maximum(&Affine::new([1, 1], 0)).to_string(), "7/2");
/// assert_eq!(triangle.minimum(&Affine::new([-1, 0], 0)).to_string(), "-7/2");
/// ```
#[derive(Debug, Clone)]
pub struct Simplex {
    pub(crate) tableau: AnyTableau,
    empty: bool,
}

/// A state of a [`Simplex`] to come back to.
///
/// It is a copy: at 16 bits a tableau of usual size takes a few kilobytes, about as much as two pivots read and
/// write, and going back needs no pivots and restores the width, too.
#[derive(Debug, Clone)]
pub struct Snapshot(Simplex);

/// The number of a constraint, in the order in which they were added.
pub type ConstraintId = usize;

/// The least or greatest value of a form.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Optimum {
    /// There are no points.
    Empty,
    /// There is no limit.
    Unbounded,
    /// The limit, which some point reaches.
    Bounded(Rational),
}

impl std::fmt::Display for Optimum {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::Empty => f.write_str("empty"),
            Self::Unbounded => f.write_str("unbounded"),
            Self::Bounded(value) => value.fmt(f),
        }
    }
}

/// The signs that a form has at the points of a set.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Signs {
    /// It is less than zero somewhere.
    pub negative: bool,
    /// It is zero somewhere.
    pub zero: bool,
    /// It is greater than zero somewhere.
    pub positive: bool,
}

/// Where a form's values lie at the points of a set.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Range {
    /// None is negative.
    NotNegative,
    /// Some are negative and some are not.
    Mixed,
    /// All are negative; this is the greatest.
    Negative(Rational),
}

impl Simplex {
    /// All points with a number of coordinates.
    pub fn new(variables: usize) -> Self {
        Self::with_precision(variables, Precision::Bits16)
    }

    /// All points with a number of coordinates, beginning with a given width.
    pub fn with_precision(variables: usize, precision: Precision) -> Self {
        Self { tableau: AnyTableau::new(variables, precision, 0), empty: false }
    }

    /// The points that fulfill all of the constraints.
    pub fn from_constraints<'a>(
        variables: usize,
        constraints: impl IntoIterator<Item = &'a Constraint>,
    ) -> Self {
        let constraints = constraints.into_iter();
        let mut simplex = Self::with_room(variables, constraints.size_hint().0 + 1);
        for constraint in constraints {
            simplex.add(constraint);
        }
        simplex
    }

    /// All points, with room for a number of constraints.
    pub(crate) fn with_room(variables: usize, constraints: usize) -> Self {
        Self { tableau: AnyTableau::new(variables, Precision::Bits16, constraints), empty: false }
    }

    /// The number of coordinates.
    pub fn variables(&self) -> usize {
        at_any_width!(&self.tableau, tableau => tableau.basis.variables())
    }

    /// How many constraints have been added.
    pub fn constraints(&self) -> usize {
        at_any_width!(&self.tableau, tableau => tableau.basis.unknowns() - tableau.basis.variables())
    }

    /// The width that the numbers have needed so far.
    pub fn precision(&self) -> Precision {
        self.tableau.precision()
    }

    /// Whether there is no rational point.
    pub fn is_empty(&self) -> bool {
        self.empty
    }

    /// Adds a constraint.
    ///
    /// # Panics
    /// When the form has another number of coefficients than the set has coordinates.
    pub fn add(&mut self, constraint: &Constraint) -> ConstraintId {
        match constraint {
            Constraint::Equality(form) => self.add_equality(form),
            Constraint::Inequality(form) => self.add_inequality(form),
        }
    }

    /// Adds the constraint that a form is not negative.
    ///
    /// # Panics
    /// When the form has another number of coefficients than the set has coordinates.
    pub fn add_inequality(&mut self, form: &Affine) -> ConstraintId {
        let unknown = self.push_constraint(form);
        self.restore(unknown);
        unknown - self.variables()
    }

    /// Adds the constraint that a form is zero.
    ///
    /// # Panics
    /// When the form has another number of coefficients than the set has coordinates.
    pub fn add_equality(&mut self, form: &Affine) -> ConstraintId {
        let unknown = self.push_constraint(form);
        if !self.empty {
            self.empty = !widening!(self.tableau, tableau => tableau.fix_at_zero(unknown));
        }
        unknown - self.variables()
    }

    /// Adds the constraint that a form is zero. Returns whether there were points where it was not.
    pub(crate) fn add_independent_equality(&mut self, form: &Affine) -> bool {
        let unknown = self.push_constraint(form);
        let independent = !at_any_width!(&self.tableau, tableau => tableau.is_identically_zero(unknown));
        if !self.empty {
            self.empty = !widening!(self.tableau, tableau => tableau.fix_at_zero(unknown));
        }
        independent
    }

    /// Lifts a new constraint, whose value at the sample point may be negative, above zero.
    pub(crate) fn restore(&mut self, unknown: Unknown) {
        if self.empty {
            return;
        }
        self.empty = !widening!(self.tableau, tableau => match tableau.basis.position(unknown) {
            Position::Row(row) => tableau.restore(row),
            Position::Column(_) | Position::Zero | Position::Redundant => Ok(true),
        });
    }

    fn push_constraint(&mut self, form: &Affine) -> Unknown {
        self.check(form);
        widening!(self.tableau, tableau => tableau.push_constraint(form))
    }

    fn check(&self, form: &Affine) {
        assert_eq!(form.coefficients.len(), self.variables(), "one coefficient for each coordinate");
    }

    /// The least value of a form.
    ///
    /// # Panics
    /// When the form has another number of coefficients than the set has coordinates.
    pub fn minimum(&mut self, form: &Affine) -> Optimum {
        self.optimum(form, Direction::Down)
    }

    /// The greatest value of a form.
    ///
    /// # Panics
    /// When the form has another number of coefficients than the set has coordinates.
    pub fn maximum(&mut self, form: &Affine) -> Optimum {
        self.optimum(form, Direction::Up)
    }

    fn optimum(&mut self, form: &Affine, direction: Direction) -> Optimum {
        self.check(form);
        if self.empty {
            return Optimum::Empty;
        }
        self.measured(form, |simplex, row| {
            if widening!(simplex.tableau, tableau => tableau.optimize(row, direction)) {
                Optimum::Bounded(at_any_width!(&simplex.tableau, tableau => tableau.value(row)))
            } else {
                Optimum::Unbounded
            }
        })
    }

    /// Whether the form is not negative at any point; stops at the first negative value.
    ///
    /// # Panics
    /// When the form has another number of coefficients than the set has coordinates.
    pub fn is_nonnegative(&mut self, form: &Affine) -> bool {
        self.check(form);
        self.empty || !self.measured(form, |simplex, row| simplex.passes_zero(row, Direction::Down))
    }

    /// Whether the form is greater than -1 at all points, so that it is negative at none where it is an integer; stops
    /// at the first value that is not.
    pub(crate) fn is_above_minus_one(&mut self, form: &Affine) -> bool {
        self.check(form);
        self.empty || !self.measured(form, |simplex, row| simplex.falls_to_minus_one(row))
    }

    /// Where the form's values lie; stops as soon as that is known.
    pub(crate) fn range(&mut self, form: &Affine) -> Range {
        self.check(form);
        if self.empty {
            return Range::NotNegative;
        }
        self.measured(form, |simplex, row| {
            if !simplex.passes_zero(row, Direction::Down) {
                Range::NotNegative
            } else if widening!(simplex.tableau, tableau => tableau.rises_to_zero(row)) {
                Range::Mixed
            } else {
                Range::Negative(at_any_width!(&simplex.tableau, tableau => tableau.value(row)))
            }
        })
    }

    /// Which signs a form has at the points of the set.
    ///
    /// # Panics
    /// When the form has another number of coefficients than the set has coordinates.
    pub fn signs(&mut self, form: &Affine) -> Signs {
        self.check(form);
        if self.empty {
            return Signs { negative: false, zero: false, positive: false };
        }
        let negative = self.measured(form, |simplex, row| simplex.passes_zero(row, Direction::Down));
        let positive = self.measured(form, |simplex, row| simplex.passes_zero(row, Direction::Up));
        let zero = match (negative, positive) {
            (true, true) | (false, false) => true,
            (true, false) => self.maximum(form) == Optimum::Bounded(Rational::from(0)),
            (false, true) => self.minimum(form) == Optimum::Bounded(Rational::from(0)),
        };
        Signs { negative, zero, positive }
    }

    /// Whether a row's value can go beyond zero in a direction.
    fn passes_zero(&mut self, row: usize, direction: Direction) -> bool {
        loop {
            let beyond = at_any_width!(&self.tableau, tableau => match direction {
                Direction::Down => crate::element::Element::is_negative(tableau.constant(row)),
                Direction::Up => crate::element::Element::is_positive(tableau.constant(row)),
            });
            if beyond {
                return true;
            }
            match widening!(self.tableau, tableau => tableau.step(row, direction, Aim::Optimum)) {
                Step::Pivoted => {}
                Step::Optimal => return false,
                Step::Unbounded { .. } | Step::ReachesZero { .. } => return true,
            }
        }
    }

    /// Whether a row's value can be at most -1.
    fn falls_to_minus_one(&mut self, row: usize) -> bool {
        loop {
            if at_any_width!(&self.tableau, tableau => tableau.is_at_most_minus_one(row)) {
                return true;
            }
            match widening!(self.tableau, tableau => tableau.step(row, Direction::Down, Aim::Optimum)) {
                Step::Pivoted => {}
                Step::Optimal => return false,
                Step::Unbounded { .. } | Step::ReachesZero { .. } => return true,
            }
        }
    }

    /// Gives a form a row for the time of a question.
    fn measured<T>(&mut self, form: &Affine, ask: impl FnOnce(&mut Self, usize) -> T) -> T {
        let row = widening!(self.tableau, tableau => tableau.push_form(form));
        let answer = ask(self, row);
        at_any_width!(&mut self.tableau, tableau => tableau.pop_form());
        answer
    }

    /// A point of the set, if there is one.
    pub fn sample(&self) -> Option<Vec<Rational>> {
        (!self.empty).then(|| at_any_width!(&self.tableau, tableau => tableau.sample()))
    }

    /// Whether the set would be the same without a constraint.
    ///
    /// A redundant constraint is set aside, so that of two that imply each other only the first asked about is
    /// redundant. Equalities are never redundant, nor are constraints that [`Self::is_zero`] has made equalities.
    pub fn is_redundant(&mut self, constraint: ConstraintId) -> bool {
        let unknown = self.unknown(constraint);
        !self.empty
            && widening!(self.tableau, tableau => match tableau.basis.position(unknown) {
                Position::Zero => Ok(false),
                _ => tableau.remove_if_redundant(unknown),
            })
    }

    /// Whether a constraint's form is zero at all points; if so, it is treated as an equality from here on.
    ///
    /// Always `false` for a constraint that [`Self::is_redundant`] has set aside.
    pub fn is_zero(&mut self, constraint: ConstraintId) -> bool {
        let unknown = self.unknown(constraint);
        !self.empty && widening!(self.tableau, tableau => tableau.remove_if_zero(unknown))
    }

    /// Whether the equalities alone imply that a constraint's form is zero, as its row shows.
    pub(crate) fn is_identically_zero(&self, constraint: ConstraintId) -> bool {
        let unknown = self.unknown(constraint);
        at_any_width!(&self.tableau, tableau => tableau.is_identically_zero(unknown))
    }

    fn unknown(&self, constraint: ConstraintId) -> Unknown {
        assert!(constraint < self.constraints(), "a constraint of this set");
        self.variables() + constraint
    }

    /// The present state.
    pub fn snapshot(&self) -> Snapshot {
        Snapshot(self.clone())
    }

    /// Goes back to an earlier state; constraints added since are forgotten.
    pub fn rollback(&mut self, snapshot: Snapshot) {
        *self = snapshot.0;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn without_variables_a_set_is_one_point_or_empty() {
        let mut point = Simplex::new(0);
        point.add_inequality(&Affine::new(Vec::<i32>::new(), 3));
        assert_eq!(point.minimum(&Affine::new(Vec::<i32>::new(), -2)), Optimum::Bounded(Rational::from(-2)));
        point.add_equality(&Affine::new(Vec::<i32>::new(), 0));
        assert!(!point.is_empty());
        point.add_inequality(&Affine::new(Vec::<i32>::new(), -1));
        assert!(point.is_empty());
    }

    #[test]
    fn the_width_comes_back_with_a_snapshot() {
        let mut line = Simplex::new(1);
        let snapshot = line.snapshot();
        line.add_inequality(&Affine::new([1 << 20], 0));
        assert_eq!(line.precision(), Precision::Bits32);
        line.rollback(snapshot);
        assert_eq!((line.precision(), line.constraints()), (Precision::Bits16, 0));
    }
}
