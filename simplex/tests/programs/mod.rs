//! Programs of operations on sets, made from any bytes: the fuzz target `simplex_programs` and `tests/operations.rs`
//! run them.
//!
//! A program begins at 16 bits and runs beside the same program at arbitrary precision; both must give the same
//! answers. Sample points are tested in all constraints, and where there are few variables and constraints the
//! answers are compared with those of Fourier and Motzkin's elimination ([`reference`]).

mod bytes;
mod coalescing;
mod reference;

use simplex::{
    Affine, Constraint, ConstraintId, IBig, IntegerPoint, Optimum, Precision, Rational, Signs, Simplex,
    Snapshot,
};

use bytes::Bytes;
use reference::{Range, range};

/// A program goes on with another set when one has as many constraints.
const MOST_CONSTRAINTS: usize = 40;
/// Or after as many operations on an empty set.
const MOST_WHEN_EMPTY: usize = 4;
/// Parts of a set in a search for integer points.
const SEARCHED: usize = 5;
/// With more variables there is no reference.
const REFERENCE_VARIABLES: usize = 3;
/// Nor with more constraints.
const REFERENCE_CONSTRAINTS: usize = 12;

/// An operation with its arguments.
#[derive(Debug, Clone)]
enum Operation {
    Add(Constraint),
    Minimum(Affine),
    Maximum(Affine),
    Signs(Affine),
    Nonnegative(Affine),
    Redundant(ConstraintId),
    Zero(ConstraintId),
    Integer,
    Snapshot,
    Rollback,
    Coalesce,
}

#[derive(Debug, PartialEq)]
enum Answer {
    None,
    Optimum(Optimum),
    Signs(Signs),
    Holds(bool),
    Integer(IntegerPoint),
}

/// Runs the program that some bytes stand for: operations on one set after the other.
///
/// # Panics
/// When an answer is wrong.
pub fn run(bytes: &[u8]) {
    let mut bytes = Bytes::new(bytes);
    while let Some(first) = bytes.next() {
        let variables = usize::from(first % 6);
        let precision = match first / 6 % 8 {
            0 => Precision::Bits64,
            1 => Precision::Bits32,
            _ => Precision::Bits16,
        };
        run_on_set(&mut bytes, Machine::new(variables, precision));
    }
}

/// Performs operations until the set has many constraints or has long been empty.
fn run_on_set(bytes: &mut Bytes<'_>, mut machine: Machine) {
    let mut when_empty = 0;
    while machine.constraints.len() < MOST_CONSTRAINTS && when_empty < MOST_WHEN_EMPTY {
        match operation(bytes, machine.narrow.variables(), machine.constraints.len()) {
            None => return,
            Some(Operation::Coalesce) => coalescing::check(bytes),
            Some(operation) => machine.perform(&operation),
        }
        when_empty += usize::from(machine.narrow.is_empty());
    }
}

/// The next operation; `None` at the end.
fn operation(bytes: &mut Bytes<'_>, variables: usize, constraints: usize) -> Option<Operation> {
    let code = bytes.next()?;
    let mut constraint = || usize::from(bytes.next().unwrap_or_default()).checked_rem(constraints);
    Some(match code % 16 {
        0..5 => Operation::Add(Constraint::Inequality(bytes.form(variables))),
        5 => Operation::Add(Constraint::Equality(bytes.form(variables))),
        6 => Operation::Minimum(bytes.form(variables)),
        7 => Operation::Maximum(bytes.form(variables)),
        8 => Operation::Signs(bytes.form(variables)),
        9 => Operation::Nonnegative(bytes.form(variables)),
        10 => constraint().map_or(Operation::Integer, Operation::Redundant),
        11 => constraint().map_or(Operation::Integer, Operation::Zero),
        12 => Operation::Integer,
        13 => Operation::Snapshot,
        14 => Operation::Rollback,
        _ => Operation::Coalesce,
    })
}

/// A constraint that has been added, and what has been found about it.
#[derive(Clone)]
struct Added {
    /// An inequality becomes an equality when it is found to be one.
    constraint: Constraint,
    /// It has been found redundant, so that the set does without it.
    redundant: bool,
}

/// A set at two widths.
struct Machine {
    narrow: Simplex,
    wide: Simplex,
    constraints: Vec<Added>,
    snapshots: Vec<State>,
}

/// What a snapshot brings back.
struct State {
    narrow: Snapshot,
    wide: Snapshot,
    constraints: Vec<Added>,
    sample: Option<Vec<Rational>>,
}

impl Machine {
    fn new(variables: usize, precision: Precision) -> Self {
        Self {
            narrow: Simplex::with_precision(variables, precision),
            wide: Simplex::with_precision(variables, Precision::Arbitrary),
            constraints: Vec::new(),
            snapshots: Vec::new(),
        }
    }

    fn perform(&mut self, operation: &Operation) {
        match operation {
            Operation::Snapshot => self.snapshots.push(State {
                narrow: self.narrow.snapshot(),
                wide: self.wide.snapshot(),
                constraints: self.constraints.clone(),
                sample: self.narrow.sample(),
            }),
            Operation::Rollback => {
                if let Some(state) = self.snapshots.pop() {
                    self.narrow.rollback(state.narrow);
                    self.wide.rollback(state.wide);
                    self.constraints = state.constraints;
                    assert_eq!(self.narrow.sample(), state.sample);
                }
            }
            _ => {
                let answer = answer(&mut self.narrow, operation);
                assert_eq!(answer, self::answer(&mut self.wide, operation), "{operation:?}");
                if let Operation::Add(constraint) = operation {
                    self.constraints.push(Added { constraint: constraint.clone(), redundant: false });
                }
                self.check(operation, &answer);
                self.note(operation, &answer);
            }
        }
        self.check_sample();
    }

    /// What an answer says about a constraint from here on.
    fn note(&mut self, operation: &Operation, answer: &Answer) {
        match (operation, answer) {
            (Operation::Redundant(id), Answer::Holds(true)) => self.constraints[*id].redundant = true,
            (Operation::Zero(id), Answer::Holds(true)) => {
                let constraint = &mut self.constraints[*id].constraint;
                *constraint = Constraint::Equality(constraint.affine().clone());
            }
            _ => {}
        }
    }

    /// The sample point is the same at both widths and fulfills all constraints.
    fn check_sample(&self) {
        let sample = self.narrow.sample();
        assert_eq!(sample, self.wide.sample());
        assert_eq!(sample.is_none(), self.narrow.is_empty());
        if let Some(point) = sample {
            for Added { constraint, .. } in &self.constraints {
                assert!(holds(constraint, &point), "{constraint} at {point:?}");
            }
        }
    }

    /// Compares an answer with what the sample point and the reference say.
    fn check(&mut self, operation: &Operation, answer: &Answer) {
        match (operation, answer) {
            (Operation::Add(constraint), _) => self.check_emptiness(constraint),
            (Operation::Minimum(form), Answer::Optimum(optimum)) => {
                self.check_optimum(form, optimum, |range| range.least.as_ref());
            }
            (Operation::Maximum(form), Answer::Optimum(optimum)) => {
                self.check_optimum(form, optimum, |range| range.greatest.as_ref());
            }
            (Operation::Signs(form), Answer::Signs(signs)) => {
                if let Some(range) = self.range(form, |_| true) {
                    assert_eq!(*signs, range.map_or(NOWHERE, |range| signs_in(&range)), "{form}");
                }
            }
            (Operation::Nonnegative(form), Answer::Holds(nonnegative)) => {
                if let Some(range) = self.range(form, |_| true) {
                    assert_eq!(*nonnegative, range.is_none_or(|range| is_nonnegative(&range)), "{form}");
                }
            }
            (Operation::Redundant(id), Answer::Holds(redundant)) => self.check_redundant(*id, *redundant),
            (Operation::Zero(id), Answer::Holds(zero)) => self.check_zero(*id, *zero),
            (Operation::Integer, Answer::Integer(point)) => self.check_integer(point),
            _ => unreachable!("each operation has its kind of answer"),
        }
    }

    /// The range of a form on the constraints that are not redundant and pass a filter, where that is cheap to know:
    /// `Some(None)` when they have no common point.
    fn range(&self, form: &Affine, filter: impl Fn(ConstraintId) -> bool) -> Option<Option<Range>> {
        if self.narrow.variables() > REFERENCE_VARIABLES || self.constraints.len() > REFERENCE_CONSTRAINTS {
            return None;
        }
        let kept = self.constraints.iter().enumerate().filter(|(id, added)| !added.redundant && filter(*id));
        range(kept.map(|(_, added)| &added.constraint), form)
    }

    fn check_emptiness(&self, added: &Constraint) {
        if let Some(range) = self.range(added.affine(), |_| true) {
            assert_eq!(self.narrow.is_empty(), range.is_none(), "{added}");
        }
    }

    fn check_optimum(&self, form: &Affine, optimum: &Optimum, end: impl FnOnce(&Range) -> Option<&Rational>) {
        if let Optimum::Bounded(value) = optimum {
            let sample = self.narrow.sample().expect("a set with an optimum has a point");
            assert_eq!(&form.at_rational(&sample), value, "{form} at the optimum");
        }
        let expected = match self.range(form, |_| true) {
            None => return,
            Some(None) => Optimum::Empty,
            Some(Some(range)) => {
                end(&range).map_or(Optimum::Unbounded, |value| Optimum::Bounded(value.clone()))
            }
        };
        assert_eq!(optimum, &expected, "{form}");
    }

    fn check_redundant(&self, id: ConstraintId, redundant: bool) {
        let added = &self.constraints[id];
        let expected = if self.narrow.is_empty() || matches!(added.constraint, Constraint::Equality(_)) {
            Some(false)
        } else if added.redundant {
            Some(true)
        } else {
            // The others have a point, since all of the constraints have one.
            let range = self.range(added.constraint.affine(), |other| other != id);
            range.map(|range| range.is_some_and(|range| is_nonnegative(&range)))
        };
        assert!(expected.is_none_or(|expected| redundant == expected), "{}", added.constraint);
    }

    fn check_zero(&self, id: ConstraintId, zero: bool) {
        let added = &self.constraints[id];
        let expected = if self.narrow.is_empty() || added.redundant {
            Some(false)
        } else {
            let range = self.range(added.constraint.affine(), |_| true);
            let at_zero = |end: &Option<Rational>| *end == Some(Rational::from(0));
            range.map(|range| range.is_some_and(|range| at_zero(&range.least) && at_zero(&range.greatest)))
        };
        assert!(expected.is_none_or(|expected| zero == expected), "{}", added.constraint);
    }

    fn check_integer(&self, point: &IntegerPoint) {
        let holds_at = |point: &[IBig]| self.constraints.iter().all(|added| added.constraint.holds_at(point));
        match point {
            IntegerPoint::Found(point) => assert!(holds_at(point), "{point:?}"),
            IntegerPoint::None => {
                let origin = vec![IBig::ZERO; self.narrow.variables()];
                assert!(!holds_at(&origin), "the origin is in the set");
                for variable in 0..origin.len() {
                    for sign in [1, -1] {
                        let mut unit = origin.clone();
                        unit[variable] = IBig::from(sign);
                        assert!(!holds_at(&unit), "{unit:?} is in the set");
                    }
                }
            }
            IntegerPoint::Unknown => assert!(!self.narrow.is_empty()),
        }
    }
}

/// The signs that a form has where there are no points.
const NOWHERE: Signs = Signs { negative: false, zero: false, positive: false };

fn signs_in(range: &Range) -> Signs {
    let zero = Rational::from(0);
    let negative = range.least.as_ref().is_none_or(|least| *least < zero);
    let positive = range.greatest.as_ref().is_none_or(|greatest| *greatest > zero);
    let from_zero = range.least.as_ref().is_none_or(|least| *least <= zero);
    let to_zero = range.greatest.as_ref().is_none_or(|greatest| *greatest >= zero);
    Signs { negative, zero: from_zero && to_zero, positive }
}

fn is_nonnegative(range: &Range) -> bool {
    range.least.as_ref().is_some_and(|least| *least >= Rational::from(0))
}

fn holds(constraint: &Constraint, point: &[Rational]) -> bool {
    let (value, zero) = (constraint.affine().at_rational(point), Rational::from(0));
    match constraint {
        Constraint::Equality(_) => value == zero,
        Constraint::Inequality(_) => value >= zero,
    }
}

fn answer(simplex: &mut Simplex, operation: &Operation) -> Answer {
    match operation {
        Operation::Add(constraint) => {
            simplex.add(constraint);
            Answer::None
        }
        Operation::Minimum(form) => Answer::Optimum(simplex.minimum(form)),
        Operation::Maximum(form) => Answer::Optimum(simplex.maximum(form)),
        Operation::Signs(form) => Answer::Signs(simplex.signs(form)),
        Operation::Nonnegative(form) => Answer::Holds(simplex.is_nonnegative(form)),
        Operation::Redundant(id) => Answer::Holds(simplex.is_redundant(*id)),
        Operation::Zero(id) => Answer::Holds(simplex.is_zero(*id)),
        Operation::Integer => Answer::Integer(simplex.integer_point(SEARCHED)),
        Operation::Snapshot | Operation::Rollback | Operation::Coalesce => Answer::None,
    }
}
