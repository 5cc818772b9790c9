//! Every width gives the same answers, wherever the numbers stop fitting.

use proptest::prelude::*;
use simplex::{Affine, Constraint, IBig, Optimum, Precision, Simplex};

/// Everything that is asked of a set.
#[derive(Debug, PartialEq)]
struct Answers {
    empty: bool,
    optima: Vec<Optimum>,
    redundant: Vec<bool>,
    zero: Vec<bool>,
}

fn answers(variables: usize, constraints: &[Constraint], precision: Precision) -> (Answers, Precision) {
    let mut simplex = Simplex::with_precision(variables, precision);
    let mut optima = Vec::new();
    for constraint in constraints {
        simplex.add(constraint);
        optima.push(simplex.minimum(constraint.affine()));
        optima.push(simplex.maximum(constraint.affine()));
    }
    let mut zero = Vec::new();
    let mut redundant = Vec::new();
    for index in 0..constraints.len() {
        zero.push(simplex.is_zero(index));
        redundant.push(simplex.is_redundant(index));
    }
    let precision = simplex.precision();
    (Answers { empty: simplex.is_empty(), optima, redundant, zero }, precision)
}

fn constraints(variables: usize, bits: u32) -> impl Strategy<Value = Vec<Constraint>> {
    let limit = 1i64 << bits;
    let number = prop_oneof![1 => Just(0i64), 1 => -3i64..=3, 2 => -limit..=limit];
    let form = (prop::bool::weighted(0.2), prop::collection::vec(number.clone(), variables), number);
    let constraint = form.prop_map(|(equality, coefficients, constant)| {
        let form = Affine::new(coefficients, constant);
        if equality { Constraint::Equality(form) } else { Constraint::Inequality(form) }
    });
    prop::collection::vec(constraint, 1..12)
}

/// The largest numbers of a width: every step that multiplies leaves it.
fn extreme(variables: usize) -> impl Strategy<Value = Vec<Constraint>> {
    let edges: Vec<i64> =
        [15, 31, 62].iter().flat_map(|&bits| (-2..=1).map(move |near| (1i64 << bits) + near)).collect();
    let number = (prop::sample::select(edges), any::<bool>(), 0..4u8).prop_map(|(edge, negative, zero)| {
        if zero == 0 {
            0
        } else if negative {
            -edge
        } else {
            edge
        }
    });
    let form = (prop::collection::vec(number.clone(), variables), number);
    prop::collection::vec(
        form.prop_map(|(row, constant)| Constraint::Inequality(Affine::new(row, constant))),
        1..10,
    )
}

fn compare(variables: usize, constraints: &[Constraint]) -> Result<Precision, TestCaseError> {
    let (expected, _) = answers(variables, constraints, Precision::Arbitrary);
    let (narrow, precision) = answers(variables, constraints, Precision::Bits16);
    prop_assert_eq!(&narrow, &expected);
    for start in [Precision::Bits32, Precision::Bits64] {
        prop_assert_eq!(&answers(variables, constraints, start).0, &expected);
    }
    Ok(precision)
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(400))]

    #[test]
    fn small_numbers(constraints in constraints(4, 4)) {
        compare(4, &constraints)?;
    }

    #[test]
    fn numbers_that_soon_leave_16_bits(constraints in constraints(5, 14)) {
        compare(5, &constraints)?;
    }

    #[test]
    fn numbers_that_soon_leave_64_bits(constraints in constraints(5, 60)) {
        compare(5, &constraints)?;
    }

    #[test]
    fn numbers_at_the_edges_of_all_widths(constraints in extreme(5)) {
        compare(5, &constraints)?;
    }
}

/// `x[i + 1] = 32767 * x[i]` and `x[0] = 1`: each equality needs 15 bits more than the one before.
#[test]
fn a_chain_of_products_passes_through_every_width() {
    let variables = 9;
    let mut simplex = Simplex::new(variables);
    let mut widths = vec![simplex.precision()];
    let mut first = vec![0; variables];
    first[0] = 1;
    simplex.add_equality(&Affine::new(first, -1));
    for variable in 1..variables {
        let mut row = vec![0; variables];
        row[variable - 1] = 32767;
        row[variable] = -1;
        simplex.add_equality(&Affine::new(row, 0));
        if simplex.precision() != widths[widths.len() - 1] {
            widths.push(simplex.precision());
        }
    }
    assert_eq!(widths, [Precision::Bits16, Precision::Bits32, Precision::Bits64, Precision::Arbitrary]);
    let last = simplex.sample().unwrap().pop().unwrap();
    assert_eq!(last.numerator(), &(0..8).fold(IBig::from(1), |product, _| product * 32767));
}
