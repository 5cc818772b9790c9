//! Optima, emptiness, signs and redundancy against the enumeration of all vertices of small bounded sets.

use proptest::prelude::*;
use simplex::{Affine, Constraint, IBig, Optimum, Rational, Simplex};

const BOX: i128 = 12;

/// Coefficients and constant of a form.
type Form = (Vec<i128>, i128);

#[derive(Debug, Clone)]
struct Problem {
    constraints: Vec<(bool, Form)>,
    objective: Vec<i128>,
}

fn problem(variables: usize) -> impl Strategy<Value = Problem> {
    let coefficient = prop_oneof![2 => Just(0i128), 3 => -4i128..=4, 1 => -15i128..=15];
    let form = (prop::collection::vec(coefficient.clone(), variables), -20i128..=20);
    let constraint = (prop::bool::weighted(0.15), form);
    (prop::collection::vec(constraint, 0..8), prop::collection::vec(coefficient, variables))
        .prop_map(|(constraints, objective)| Problem { constraints, objective })
}

fn affine((coefficients, constant): &Form) -> Affine {
    Affine::new(coefficients.iter().map(|&value| IBig::from(value)), *constant)
}

/// The box and the problem's constraints, with equalities as two inequalities.
fn inequalities(problem: &Problem, variables: usize) -> Vec<Form> {
    let mut all = Vec::new();
    for variable in 0..variables {
        for sign in [1, -1] {
            let mut row = vec![0; variables];
            row[variable] = sign;
            all.push((row, BOX));
        }
    }
    for (equality, form) in &problem.constraints {
        all.push(form.clone());
        if *equality {
            all.push((form.0.iter().map(|value| -value).collect(), -form.1));
        }
    }
    all
}

fn determinant(rows: &[Vec<i128>]) -> i128 {
    match rows.len() {
        0 => 1,
        size => (0..size)
            .map(|column| {
                let minor: Vec<Vec<i128>> = rows[1..]
                    .iter()
                    .map(|row| {
                        row.iter().enumerate().filter(|(at, _)| *at != column).map(|(_, &v)| v).collect()
                    })
                    .collect();
                let sign = if column % 2 == 0 { 1 } else { -1 };
                sign * rows[0][column] * determinant(&minor)
            })
            .sum(),
    }
}

/// All vertices, as numerators over a common positive denominator (Cramer's rule).
fn vertices(inequalities: &[Form], variables: usize) -> Vec<(Vec<i128>, i128)> {
    let mut found = Vec::new();
    for choice in choices(inequalities.len(), variables) {
        let rows: Vec<Vec<i128>> = choice.iter().map(|&index| inequalities[index].0.clone()).collect();
        let mut denominator = determinant(&rows);
        if denominator == 0 {
            continue;
        }
        let mut point: Vec<i128> = (0..variables)
            .map(|variable| {
                let mut replaced = rows.clone();
                for (row, &index) in replaced.iter_mut().zip(&choice) {
                    row[variable] = -inequalities[index].1;
                }
                determinant(&replaced)
            })
            .collect();
        if denominator < 0 {
            denominator = -denominator;
            point.iter_mut().for_each(|value| *value = -*value);
        }
        if inequalities.iter().all(|form| value(form, &point, denominator) >= 0) {
            found.push((point, denominator));
        }
    }
    found
}

fn value(form: &Form, point: &[i128], denominator: i128) -> i128 {
    form.0.iter().zip(point).map(|(factor, value)| factor * value).sum::<i128>() + form.1 * denominator
}

fn choices(from: usize, take: usize) -> Vec<Vec<usize>> {
    if take == 0 {
        return vec![Vec::new()];
    }
    (take - 1..from)
        .flat_map(|last| {
            choices(last, take - 1).into_iter().map(move |mut choice| {
                choice.push(last);
                choice
            })
        })
        .collect()
}

fn extremes(form: &Form, vertices: &[(Vec<i128>, i128)]) -> Option<(Rational, Rational)> {
    let values = vertices
        .iter()
        .map(|(point, denominator)| Rational::new(value(form, point, *denominator), *denominator).unwrap());
    let mut sorted: Vec<Rational> = values.collect();
    sorted.sort();
    Some((sorted.first()?.clone(), sorted.last()?.clone()))
}

fn boxed(problem: &Problem, variables: usize) -> Simplex {
    let mut simplex = Simplex::new(variables);
    for form in &inequalities(&Problem { constraints: Vec::new(), objective: Vec::new() }, variables) {
        simplex.add_inequality(&affine(form));
    }
    for (equality, form) in &problem.constraints {
        let form = affine(form);
        simplex.add(&if *equality { Constraint::Equality(form) } else { Constraint::Inequality(form) });
    }
    simplex
}

fn check_optima(problem: &Problem, variables: usize) -> Result<(), TestCaseError> {
    let vertices = vertices(&inequalities(problem, variables), variables);
    let mut simplex = boxed(problem, variables);
    prop_assert_eq!(simplex.is_empty(), vertices.is_empty());
    let form = (problem.objective.clone(), 3);
    let (least, greatest) = match extremes(&form, &vertices) {
        None => (Optimum::Empty, Optimum::Empty),
        Some((least, greatest)) => (Optimum::Bounded(least), Optimum::Bounded(greatest)),
    };
    let objective = affine(&form);
    prop_assert_eq!(simplex.minimum(&objective), least);
    prop_assert_eq!(simplex.maximum(&objective), greatest);
    let Some(point) = simplex.sample() else { return Ok(()) };
    for (equality, form) in &problem.constraints {
        let value = affine(form).at_rational(&point);
        let zero = Rational::from(0);
        let holds = if *equality { value == zero } else { value >= zero };
        prop_assert!(holds);
    }
    if let Some((least, greatest)) = extremes(&form, &vertices) {
        let zero = Rational::from(0);
        let signs = simplex.signs(&objective);
        prop_assert_eq!(signs.negative, least < zero);
        prop_assert_eq!(signs.positive, greatest > zero);
        prop_assert_eq!(signs.zero, least <= zero && greatest >= zero);
        prop_assert_eq!(simplex.is_nonnegative(&objective), least >= zero);
    }
    Ok(())
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(1500))]

    #[test]
    fn optima_in_two_dimensions(problem in problem(2)) {
        check_optima(&problem, 2)?;
    }

    #[test]
    fn optima_in_three_dimensions(problem in problem(3)) {
        check_optima(&problem, 3)?;
    }

    /// Taking away all redundant constraints leaves the set as it was, and taking away another one enlarges it.
    #[test]
    fn redundant_constraints_are_those_without_which_the_set_is_the_same(problem in problem(2)) {
        let problem = Problem { constraints: problem.constraints.into_iter().map(|(_, form)| (false, form)).collect(), ..problem };
        let all = inequalities(&problem, 2);
        let mut simplex = boxed(&problem, 2);
        if simplex.is_empty() {
            return Ok(());
        }
        let mut kept = Vec::new();
        for (index, form) in all.iter().enumerate() {
            if !simplex.is_redundant(index) {
                kept.push(form);
            }
        }
        for (index, form) in all.iter().enumerate() {
            let mut rest = Simplex::new(2);
            for other in kept.iter().filter(|&&other| !std::ptr::eq(other, form)) {
                rest.add_inequality(&affine(other));
            }
            let redundant = !kept.iter().any(|other| std::ptr::eq(*other, form));
            prop_assert_eq!(rest.is_nonnegative(&affine(form)), redundant, "constraint {}", index);
        }
    }

    #[test]
    fn a_constraint_is_zero_when_its_greatest_value_is(problem in problem(3)) {
        let problem = Problem { constraints: problem.constraints.into_iter().map(|(_, form)| (false, form)).collect(), ..problem };
        let all = inequalities(&problem, 3);
        let vertices = vertices(&all, 3);
        let mut simplex = boxed(&problem, 3);
        if simplex.is_empty() {
            return Ok(());
        }
        for (index, form) in all.iter().enumerate() {
            let (_, greatest) = extremes(form, &vertices).unwrap();
            prop_assert_eq!(simplex.is_zero(index), greatest == Rational::from(0), "constraint {}", index);
        }
        let form = (problem.objective.clone(), 0);
        let (least, _) = extremes(&form, &vertices).unwrap();
        prop_assert_eq!(simplex.minimum(&affine(&form)), Optimum::Bounded(least));
    }

    #[test]
    fn a_rollback_forgets_what_came_after_the_snapshot(problem in problem(3), further in problem(3)) {
        let mut simplex = boxed(&problem, 3);
        let (before, empty) = (simplex.sample(), simplex.is_empty());
        let snapshot = simplex.snapshot();
        for (_, form) in &further.constraints {
            simplex.add_equality(&affine(form));
        }
        simplex.rollback(snapshot);
        prop_assert_eq!(simplex.sample(), before);
        prop_assert_eq!(simplex.is_empty(), empty);
        check_optima(&problem, 3)?;
    }
}

#[test]
fn unbounded_sets_have_unbounded_forms() {
    let mut simplex = Simplex::new(2);
    simplex.add_inequality(&Affine::new([1, -1], 0));
    assert_eq!(simplex.maximum(&Affine::new([1, 0], 0)), Optimum::Unbounded);
    assert_eq!(simplex.minimum(&Affine::new([1, -1], 5)), Optimum::Bounded(Rational::from(5)));
    simplex.add_equality(&Affine::new([1, 1], -4));
    assert_eq!(simplex.minimum(&Affine::new([1, 0], 0)), Optimum::Bounded(Rational::from(2)));
    assert_eq!(simplex.maximum(&Affine::new([1, 0], 0)), Optimum::Unbounded);
    simplex.add_equality(&Affine::new([1, 0], -1));
    assert_eq!(simplex.maximum(&Affine::new([0, 0], 0)), Optimum::Empty);
}
