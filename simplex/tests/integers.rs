//! Integer emptiness against all integer points of a small box.

use proptest::prelude::*;
use simplex::{Affine, Constraint, IBig, IntegerPoint, Simplex};

const BOX: i64 = 5;

fn constraints() -> impl Strategy<Value = Vec<(bool, Vec<i64>)>> {
    prop::collection::vec((prop::bool::weighted(0.3), prop::collection::vec(-9i64..=9, 4)), 1..6)
}

fn constraint((equality, row): &(bool, Vec<i64>)) -> Constraint {
    let form = Affine::new(row[..3].iter().copied(), row[3]);
    if *equality { Constraint::Equality(form) } else { Constraint::Inequality(form) }
}

fn points() -> Vec<[IBig; 3]> {
    (-BOX..=BOX)
        .flat_map(|x| (-BOX..=BOX).flat_map(move |y| (-BOX..=BOX).map(move |z| [x, y, z].map(IBig::from))))
        .collect()
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(1000))]

    #[test]
    fn an_integer_point_is_found_exactly_when_there_is_one(rows in constraints()) {
        let mut constraints: Vec<Constraint> = rows.iter().map(constraint).collect();
        for variable in 0..3 {
            for sign in [1, -1] {
                let mut row = vec![0; 3];
                row[variable] = sign;
                constraints.push(Constraint::Inequality(Affine::new(row, BOX)));
            }
        }
        let exists = points().iter().any(|point| constraints.iter().all(|constraint| constraint.holds_at(point)));
        match Simplex::from_constraints(3, &constraints).integer_point(10_000) {
            IntegerPoint::None => prop_assert!(!exists),
            IntegerPoint::Found(point) => {
                prop_assert!(constraints.iter().all(|constraint| constraint.holds_at(&point)), "{point:?}");
            }
            IntegerPoint::Unknown => prop_assert!(false, "10,000 parts of a small box"),
        }
    }
}
