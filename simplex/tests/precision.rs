//! Every width gives the same answers, wherever the numbers stop fitting.

use std::collections::BTreeSet;

use proptest::prelude::*;
use proptest::strategy::ValueTree;
use proptest::test_runner::TestRunner;
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

/// What is done to a set, in the order of the numbers that [`perform`] takes.
const OPERATIONS: [&str; 8] = [
    "add_inequality",
    "add_equality",
    "minimum",
    "maximum",
    "signs",
    "is_nonnegative",
    "is_redundant",
    "is_zero",
];

/// Performs an operation and returns its answer as text.
fn perform(simplex: &mut Simplex, operation: usize, form: &Affine, constraint: usize) -> String {
    match operation {
        0 => format!("{}", simplex.add_inequality(form)),
        1 => format!("{}", simplex.add_equality(form)),
        2 => simplex.minimum(form).to_string(),
        3 => simplex.maximum(form).to_string(),
        4 => format!("{:?}", simplex.signs(form)),
        5 => format!("{}", simplex.is_nonnegative(form)),
        6 => format!("{}", simplex.is_redundant(constraint)),
        _ => format!("{}", simplex.is_zero(constraint)),
    }
}

/// Numbers that fit some bits, whose products often do not.
fn number(bits: usize) -> impl Strategy<Value = IBig> {
    let power = |bits: usize| IBig::from(i64::MAX >> (63 - bits));
    prop_oneof![
        3 => Just(IBig::ZERO),
        2 => (-3i64..=3).prop_map(IBig::from),
        3 => (0i64..99, any::<bool>()).prop_map(move |(less, negative)| {
            let near: IBig = power(bits / 2 + 2) - IBig::from(less);
            if negative { -near } else { near }
        }),
        1 => any::<bool>().prop_map(move |negative| if negative { -power(bits) } else { power(bits) }),
    ]
}

/// Each operation meets an overflow at 16, 32 and 64 bits, always with the answer of arbitrary precision, and the
/// numbers are those of the present width, so that each set passes through all of them.
#[test]
fn every_operation_overflows_at_every_width() {
    const VARIABLES: usize = 3;
    let bits = |precision| match precision {
        Precision::Bits16 => 15,
        Precision::Bits32 => 31,
        Precision::Bits64 | Precision::Arbitrary => 63,
    };
    let mut runner = TestRunner::deterministic();
    let mut draw = |bits| number(bits).new_tree(&mut runner).unwrap().current();
    let mut random = (1u64..).map(|count| (count.wrapping_mul(0x9e37_79b9_7f4a_7c15) >> 32) as usize);
    let mut overflows = BTreeSet::new();
    for _ in 0..2000 {
        let mut narrow = Simplex::new(VARIABLES);
        let mut wide = Simplex::with_precision(VARIABLES, Precision::Arbitrary);
        while narrow.precision() != Precision::Arbitrary && !narrow.is_empty() && narrow.constraints() < 20 {
            let before = narrow.precision();
            // Zero is where several constraints meet, so that a question needs pivots.
            let constant = if random.next().unwrap() % 2 == 0 { IBig::ZERO } else { draw(bits(before)) };
            let form = Affine::new((0..VARIABLES).map(|_| draw(bits(before))), constant);
            let operation =
                if narrow.constraints() < 3 { 0 } else { random.next().unwrap() % OPERATIONS.len() };
            let constraint = random.next().unwrap() % narrow.constraints().max(1);
            let answer = perform(&mut narrow, operation, &form, constraint);
            assert_eq!(answer, perform(&mut wide, operation, &form, constraint), "{}", OPERATIONS[operation]);
            assert_eq!(narrow.sample(), wide.sample());
            if narrow.precision() != before {
                overflows.insert((operation, before));
            }
        }
    }
    let widths = [Precision::Bits16, Precision::Bits32, Precision::Bits64];
    let missing = (0..OPERATIONS.len())
        .flat_map(|operation| widths.map(|width| (operation, width)))
        .filter(|pair| !overflows.contains(pair))
        .map(|(operation, width)| (OPERATIONS[operation], width));
    assert_eq!(missing.collect::<Vec<_>>(), []);
}
