//! Coalescing in programs: small sets, whose points are all tested.

use simplex::{Affine, BasicSet, Constraint, Points, coalesce};

use super::bytes::Bytes;

/// Coalesces sets from the next bytes and tests the points around the origin: integers, or halves.
pub(super) fn check(bytes: &mut Bytes<'_>) {
    let Some(shape) = bytes.next() else { return };
    let dimension = 1 + usize::from(shape % 3);
    let (points, parts, reach) = match shape / 3 % 2 {
        0 => (Points::Integer, 1, 3),
        _ => (Points::Rational, 2, 4),
    };
    let sets: Vec<BasicSet> = (0..2 + shape / 6 % 3).map(|_| set(bytes, dimension)).collect();
    let fewer = coalesce(&sets, points);
    assert!(fewer.len() <= sets.len());
    let (Some(before), Some(after)) = (rows_of(&sets), rows_of(&fewer)) else { return };
    for point in grid(dimension, reach) {
        let contained =
            |sets: &[Vec<Row>]| sets.iter().any(|rows| rows.iter().all(|row| row.holds_at(&point, parts)));
        assert_eq!(contained(&before), contained(&after), "{point:?} / {parts}: {sets:?} and {fewer:?}");
    }
}

/// A box, of which sides may be missing, and up to three more constraints.
fn set(bytes: &mut Bytes<'_>, dimension: usize) -> BasicSet {
    let mut constraints = Vec::new();
    for variable in 0..dimension {
        for sign in [1, -1] {
            let side = bytes.next().unwrap_or_default();
            if side < 224 {
                let mut unit = vec![0; dimension];
                unit[variable] = sign;
                constraints.push(Constraint::Inequality(Affine::new(unit, i64::from(side % 8) - 3)));
            }
        }
    }
    let kind = bytes.next().unwrap_or_default();
    for number in 0..kind % 4 {
        let form = bytes.form(dimension);
        let equality = number == 0 && kind >= 224;
        constraints.push(if equality { Constraint::Equality(form) } else { Constraint::Inequality(form) });
    }
    BasicSet { dimension, constraints }
}

/// A constraint with numbers that fit.
struct Row {
    coefficients: Vec<i128>,
    constant: i128,
    equality: bool,
}

impl Row {
    fn new(constraint: &Constraint) -> Option<Self> {
        // Values at the tested points fit, too.
        let small = |value| i128::try_from(value).ok().filter(|value| value.unsigned_abs() < 1 << 100);
        let form = constraint.affine();
        Some(Self {
            coefficients: form.coefficients.iter().map(small).collect::<Option<_>>()?,
            constant: small(&form.constant)?,
            equality: matches!(constraint, Constraint::Equality(_)),
        })
    }

    /// Whether the constraint holds at a point, given as numerators.
    fn holds_at(&self, numerators: &[i128], denominator: i128) -> bool {
        let sum: i128 = self.coefficients.iter().zip(numerators).map(|(factor, value)| factor * value).sum();
        let value = sum + self.constant * denominator;
        if self.equality { value == 0 } else { value >= 0 }
    }
}

/// `None` when a number is too large.
fn rows_of(sets: &[BasicSet]) -> Option<Vec<Vec<Row>>> {
    sets.iter().map(|set| set.constraints.iter().map(Row::new).collect()).collect()
}

/// All points with coordinates of at most a magnitude.
fn grid(dimension: usize, reach: i128) -> Vec<Vec<i128>> {
    (0..dimension).fold(vec![Vec::new()], |points, _| {
        let longer = |point: &Vec<i128>| {
            (-reach..=reach).map(|value| [&point[..], &[value]].concat()).collect::<Vec<_>>()
        };
        points.iter().flat_map(longer).collect()
    })
}
