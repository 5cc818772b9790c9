//! Random problems with the sizes, numbers and sparsity that Grosser et al. report of compilers: at most 28 columns,
//! coefficients of at most 10 bits in 99 of 100 cases, a median of 84 % zeros.

use crate::generator::Random;
use crate::problem::{Problem, Rows};

impl Random {
    fn percent(&mut self, chance: u64) -> bool {
        self.below(100) < chance
    }

    /// A number that is not zero: mostly 1, seldom of 10 bits and more.
    fn coefficient(&mut self) -> i64 {
        let magnitude = match self.below(100) {
            0..85 => 1,
            85..96 => self.between(2, 9),
            96..99 => self.between(10, 1023),
            _ => self.between(1024, 4096),
        };
        if self.percent(50) { magnitude } else { -magnitude }
    }

    fn row(&mut self, variables: usize, zeros: u64) -> Vec<i64> {
        let mut row: Vec<i64> =
            (0..variables).map(|_| if self.percent(zeros) { 0 } else { self.coefficient() }).collect();
        let anywhere = self.below(variables as u64) as usize;
        if row.iter().all(|&value| value == 0) {
            row[anywhere] = self.coefficient();
        }
        row
    }
}

/// The least value of a random form on a random set with few empty and few unbounded cases.
pub fn optimum(random: &mut Random, variables: usize) -> Problem {
    let rows = set(random, variables);
    let objective = random.row(variables, 60);
    Problem::Optimum(rows, objective)
}

/// A random set, with bounds on most of its variables.
pub fn set(random: &mut Random, variables: usize) -> Rows {
    let mut rows = Rows { variables, ..Rows::default() };
    let zeros = random.between(74, 94) as u64;
    for variable in 0..variables {
        if random.percent(80) {
            let mut row = vec![0; variables + 1];
            (row[variable], row[variables]) = (1, random.between(-3, 10));
            rows.inequalities.push(row.clone());
            if random.percent(70) {
                (row[variable], row[variables]) = (-1, random.between(4, 200));
                rows.inequalities.push(row);
            }
        }
    }
    for _ in 0..=random.below(variables as u64) {
        let equality = random.percent(20);
        let mut row = random.row(variables, zeros);
        row.push(if equality { random.between(-8, 8) } else { random.between(-20, 100) });
        if equality { &mut rows.equalities } else { &mut rows.inequalities }.push(row);
    }
    rows
}

/// Boxes that lie beside and in each other, some with a slanted side.
pub fn union(random: &mut Random, variables: usize, sets: u64) -> Problem {
    let from: Vec<i64> = (0..variables).map(|_| random.between(0, 3)).collect();
    let sets = (0..sets)
        .map(|_| {
            let mut rows = Rows { variables, ..Rows::default() };
            let moved = random.below(variables as u64) as usize;
            for variable in 0..variables {
                let at = from[variable] + if variable == moved { 5 * random.between(0, 3) } else { 0 };
                let mut row = vec![0; variables + 1];
                (row[variable], row[variables]) = (1, -at);
                rows.inequalities.push(row.clone());
                (row[variable], row[variables]) =
                    (-1, at + if random.percent(80) { 4 } else { random.between(0, 9) });
                rows.inequalities.push(row);
            }
            if random.percent(20) {
                let mut row = random.row(variables, 70);
                row.push(random.between(0, 40));
                rows.inequalities.push(row);
            }
            rows
        })
        .collect();
    Problem::Coalesce(sets)
}

/// A matrix of 32 columns with its denominators and constants, and pivots in pairs at places whose coefficient is 1
/// or -1: the second of a pair undoes the first.
pub fn pivots(random: &mut Random, rows: usize, zeros: u64, limit: i64) -> Problem {
    let variables = 30;
    let mut matrix: Vec<Vec<i64>> = (0..rows)
        .map(|_| {
            let mut number = |chance| if random.percent(chance) { 0 } else { random.between(-limit, limit) };
            (0..=variables).map(|_| number(zeros)).collect()
        })
        .collect();
    let places: Vec<(usize, usize)> = (0..8).map(|at| ((at * 5) % rows, (at * 7) % variables)).collect();
    for &(row, column) in &places {
        matrix[row][1 + column] = if random.percent(50) { 1 } else { -1 };
    }
    Problem::Pivot(matrix, places.iter().flat_map(|&place| [place, place]).collect())
}
