//! Any sequence of operations, as a fuzzer would make it from bytes, at 16 bits and at arbitrary precision side by side.

use proptest::prelude::*;
use simplex::{Affine, IntegerPoint, Optimum, Precision, Rational, Signs, Simplex, Snapshot};

const VARIABLES: usize = 4;

#[derive(Debug, Clone)]
enum Operation {
    Inequality(Affine),
    Equality(Affine),
    Minimum(Affine),
    Maximum(Affine),
    Signs(Affine),
    Redundant(usize),
    Zero(usize),
    Integer,
    Snapshot,
    Rollback,
}

#[derive(Debug, PartialEq)]
enum Answer {
    None,
    Optimum(Optimum),
    Signs(Signs),
    Holds(bool),
    Integer(IntegerPoint),
}

fn operation() -> impl Strategy<Value = Operation> {
    let number = prop_oneof![
        4 => Just(0i64),
        6 => -2i64..=2,
        3 => -200i64..=200,
        1 => -40_000i64..=40_000,
        1 => any::<i64>(),
    ];
    let form = (prop::collection::vec(number.clone(), VARIABLES), number)
        .prop_map(|(coefficients, constant)| Affine::new(coefficients, constant));
    prop_oneof![
        8 => form.clone().prop_map(Operation::Inequality),
        2 => form.clone().prop_map(Operation::Equality),
        2 => form.clone().prop_map(Operation::Minimum),
        2 => form.clone().prop_map(Operation::Maximum),
        1 => form.prop_map(Operation::Signs),
        2 => any::<usize>().prop_map(Operation::Redundant),
        2 => any::<usize>().prop_map(Operation::Zero),
        1 => Just(Operation::Integer),
        1 => Just(Operation::Snapshot),
        1 => Just(Operation::Rollback),
    ]
}

/// A set with its snapshots.
struct Machine {
    simplex: Simplex,
    snapshots: Vec<Snapshot>,
}

impl Machine {
    fn new(precision: Precision) -> Self {
        Self { simplex: Simplex::with_precision(VARIABLES, precision), snapshots: Vec::new() }
    }

    fn perform(&mut self, operation: &Operation) -> Answer {
        let simplex = &mut self.simplex;
        let constraint = |number: usize| number.checked_rem(simplex.constraints());
        match operation {
            Operation::Inequality(form) => {
                simplex.add_inequality(form);
                Answer::None
            }
            Operation::Equality(form) => {
                simplex.add_equality(form);
                Answer::None
            }
            Operation::Minimum(form) => Answer::Optimum(simplex.minimum(form)),
            Operation::Maximum(form) => Answer::Optimum(simplex.maximum(form)),
            Operation::Signs(form) => Answer::Signs(simplex.signs(form)),
            Operation::Redundant(number) => match constraint(*number) {
                Some(constraint) => Answer::Holds(simplex.is_redundant(constraint)),
                None => Answer::None,
            },
            Operation::Zero(number) => match constraint(*number) {
                Some(constraint) => Answer::Holds(simplex.is_zero(constraint)),
                None => Answer::None,
            },
            Operation::Integer => Answer::Integer(simplex.integer_point(5)),
            Operation::Snapshot => {
                self.snapshots.push(simplex.snapshot());
                Answer::None
            }
            Operation::Rollback => {
                if let Some(snapshot) = self.snapshots.pop() {
                    simplex.rollback(snapshot);
                }
                Answer::None
            }
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(600))]

    #[test]
    fn every_sequence_has_the_same_answers_at_every_width(operations in prop::collection::vec(operation(), 1..40)) {
        let (mut narrow, mut wide) = (Machine::new(Precision::Bits16), Machine::new(Precision::Arbitrary));
        for operation in &operations {
            prop_assert_eq!(narrow.perform(operation), wide.perform(operation), "{:?}", operation);
            prop_assert_eq!(narrow.simplex.is_empty(), wide.simplex.is_empty());
            let sample: Option<Vec<Rational>> = narrow.simplex.sample();
            prop_assert_eq!(sample, wide.simplex.sample());
        }
    }
}
