//! Coalescing keeps every point, and finds what it should.

use proptest::prelude::*;
use simplex::{Affine, BasicSet, Constraint, IBig, Points, Rational, coalesce};

const BOX: i64 = 6;

fn set(rows: &[(bool, Vec<i64>)], dimension: usize) -> BasicSet {
    let constraints = rows
        .iter()
        .map(|(equality, row)| {
            let form = Affine::new(row[..dimension].iter().copied(), row[dimension]);
            if *equality { Constraint::Equality(form) } else { Constraint::Inequality(form) }
        })
        .collect();
    BasicSet { dimension, constraints }
}

/// Boxes, sometimes of one point's width, with up to two further constraints: many of them touch.
fn sets(dimension: usize) -> impl Strategy<Value = Vec<BasicSet>> {
    let sides = prop::collection::vec((-5i64..=5, 0i64..=4), dimension);
    let further = (prop::bool::weighted(0.1), prop::collection::vec(-2i64..=2, dimension), -4i64..=4);
    let set = (sides, prop::collection::vec(further, 0..3), prop::bool::weighted(0.1)).prop_map(
        move |(sides, further, open)| {
            let mut rows: Vec<(bool, Vec<i64>)> = Vec::new();
            for (variable, (from, length)) in sides.into_iter().enumerate() {
                let mut row = vec![0; dimension + 1];
                (row[variable], row[dimension]) = (1, -from);
                rows.push((false, row.clone()));
                if !open {
                    (row[variable], row[dimension]) = (-1, from + length);
                    rows.push((false, row));
                }
            }
            rows.extend(further.into_iter().map(|(equality, mut row, constant)| {
                row.push(constant);
                (equality, row)
            }));
            set(&rows, dimension)
        },
    );
    prop::collection::vec(set, 1..5)
}

/// All points of the box whose coordinates are multiples of `1 / parts`.
fn grid(dimension: usize, parts: i64) -> Vec<Vec<Rational>> {
    let range = -BOX * parts..=BOX * parts;
    (0..dimension).fold(vec![Vec::new()], |points, _| {
        points
            .iter()
            .flat_map(|point: &Vec<Rational>| {
                range.clone().map(move |value| [&point[..], &[Rational::new(value, parts).unwrap()]].concat())
            })
            .collect()
    })
}

fn contains(set: &BasicSet, point: &[Rational]) -> bool {
    let zero = Rational::from(0);
    set.constraints.iter().all(|constraint| {
        let value = constraint.affine().at_rational(point);
        if matches!(constraint, Constraint::Equality(_)) { value == zero } else { value >= zero }
    })
}

fn check(sets: &[BasicSet], points: Points, parts: i64) -> Result<(), TestCaseError> {
    let fewer = coalesce(sets, points);
    prop_assert!(fewer.len() <= sets.len());
    for point in grid(sets[0].dimension, parts) {
        let before = sets.iter().any(|set| contains(set, &point));
        let after = fewer.iter().any(|set| contains(set, &point));
        prop_assert_eq!(before, after, "{:?} in {:?}", point, fewer);
    }
    Ok(())
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(600))]

    #[test]
    fn integer_points_stay_in_two_dimensions(sets in sets(2)) {
        check(&sets, Points::Integer, 1)?;
    }

    #[test]
    fn rational_points_stay_in_two_dimensions(sets in sets(2)) {
        check(&sets, Points::Rational, 3)?;
    }

    #[test]
    fn integer_points_stay_in_three_dimensions(sets in sets(3)) {
        check(&sets, Points::Integer, 1)?;
    }
}

/// Rows of inequalities, coefficients first.
fn inequalities(rows: &[[i64; 3]]) -> BasicSet {
    set(&rows.iter().map(|row| (false, row.to_vec())).collect::<Vec<_>>(), 2)
}

fn count(sets: &[BasicSet], points: Points) -> usize {
    coalesce(sets, points).len()
}

fn rectangle(x: (i64, i64), y: (i64, i64)) -> BasicSet {
    inequalities(&[[1, 0, -x.0], [-1, 0, x.1], [0, 1, -y.0], [0, -1, y.1]])
}

#[test]
fn separate_sets_stay() {
    assert_eq!(count(&[rectangle((0, 2), (0, 2)), rectangle((4, 6), (0, 2))], Points::Integer), 2);
}

#[test]
fn a_contained_set_disappears() {
    let sets = [rectangle((1, 2), (1, 2)), rectangle((0, 6), (0, 6)), rectangle((3, 4), (0, 6))];
    assert_eq!(coalesce(&sets, Points::Rational), coalesce(&sets[1..2], Points::Rational));
}

#[test]
fn sets_that_cut_each_other_merge_when_the_union_is_convex() {
    let overlapping = [rectangle((0, 4), (0, 2)), rectangle((2, 6), (0, 2))];
    assert_eq!(
        coalesce(&overlapping, Points::Rational),
        coalesce(&[rectangle((0, 6), (0, 2))], Points::Rational)
    );
    let shifted = [rectangle((0, 4), (0, 2)), rectangle((2, 6), (0, 3))];
    assert_eq!(count(&shifted, Points::Rational), 2);
}

#[test]
fn adjacent_sets_merge_only_over_the_integers() {
    let inequality = [rectangle((0, 3), (0, 2)), rectangle((4, 6), (0, 2))];
    assert_eq!(count(&inequality, Points::Integer), 1);
    assert_eq!(count(&inequality, Points::Rational), 2);
    let line = set(&[(true, vec![1, 0, -4]), (false, vec![0, 1, 0]), (false, vec![0, -1, 2])], 2);
    assert_eq!(count(&[inequality[0].clone(), line.clone()], Points::Integer), 1);
    let next = set(&[(true, vec![1, 0, -5]), (false, vec![0, 1, 0]), (false, vec![0, -1, 2])], 2);
    assert_eq!(count(&[line, next], Points::Integer), 1);
}

#[test]
fn a_constraint_is_wrapped_around_a_facet() {
    // A rectangle and a shorter line beside it: the corner is cut by a slanted constraint.
    let line = set(&[(true, vec![1, 0, -1]), (false, vec![0, 1, -1]), (false, vec![0, -1, 1])], 2);
    let sets = [rectangle((0, 0), (0, 2)), line];
    let triangle = coalesce(&sets, Points::Integer);
    assert_eq!(triangle.len(), 1);
    let inside = |x: i64, y: i64| triangle[0].contains(&[IBig::from(x), IBig::from(y)]);
    assert!(inside(0, 0) && inside(0, 2) && inside(1, 1));
    assert!(!inside(1, 0) && !inside(1, 2) && !inside(2, 1));
}

#[test]
fn sets_without_points_disappear() {
    let empty = set(&[(false, vec![1, 0, -3]), (false, vec![-1, 0, 2])], 2);
    assert_eq!(count(&[empty.clone(), rectangle((0, 1), (0, 1))], Points::Rational), 1);
    let odd = set(&[(true, vec![2, 0, -3])], 2);
    assert_eq!(count(&[empty, odd], Points::Integer), 0);
}
