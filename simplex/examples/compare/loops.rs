//! Dependences of loop nests: pairs of iterations that touch the same element, at least one writing, in their order.

use simplex::Simplex;

use crate::nests::NESTS;
use crate::problem::{Problem, Rows};

/// The parameters, which are coordinates of every set.
const PARAMETERS: [&str; 2] = ["N", "M"];

struct Statement {
    /// Name, first value and the one after the last.
    loops: Vec<(String, String, String)>,
    /// Array and subscripts; what is written comes first.
    accesses: Vec<(String, Vec<String>)>,
}

/// All dependences: for each pair of accesses, the union of the iteration pairs, one set for each loop that may carry
/// the dependence.
pub fn dependences() -> Vec<Vec<Rows>> {
    NESTS.iter().flat_map(|(_, text)| of_nest(text)).collect()
}

/// The emptiness of each dependence.
pub fn emptiness(dependences: &[Vec<Rows>]) -> Vec<Problem> {
    dependences.iter().flatten().cloned().map(Problem::Integer).collect()
}

/// The least distance of each dependence along each common loop: what a scheduler asks whether a loop may be outermost,
/// interchanged or skewed.
pub fn distances(dependences: &[Vec<Rows>]) -> Vec<Problem> {
    let mut problems = Vec::new();
    for rows in dependences.iter().flatten() {
        let iterators = (rows.variables - PARAMETERS.len()) / 2;
        for loops in 0..iterators {
            for skewed in [None, loops.checked_sub(1)] {
                let mut objective = vec![0; rows.variables];
                for (position, factor) in [(Some(loops), 1), (skewed, 1)] {
                    if let Some(position) = position {
                        objective[PARAMETERS.len() + position] -= factor;
                        objective[PARAMETERS.len() + iterators + position] += factor;
                    }
                }
                problems.push(Problem::Optimum(rows.clone(), objective));
            }
        }
    }
    problems
}

/// The union of each dependence over the loops that carry it, without the empty ones.
pub fn unions(dependences: &[Vec<Rows>]) -> Vec<Problem> {
    let is_empty =
        |rows: &Rows| Simplex::from_constraints(rows.variables, &rows.set().constraints).is_empty();
    let carried =
        dependences.iter().map(|sets| sets.iter().filter(|rows| !is_empty(rows)).cloned().collect());
    carried.filter(|sets: &Vec<Rows>| sets.len() > 1).map(Problem::Coalesce).collect()
}

fn of_nest(text: &str) -> Vec<Vec<Rows>> {
    let statements: Vec<Statement> = text.lines().map(statement).collect();
    let mut all = Vec::new();
    for (first_index, first) in statements.iter().enumerate() {
        for (second_index, second) in statements.iter().enumerate() {
            for (first_access, (array, from)) in first.accesses.iter().enumerate() {
                for (second_access, (other, to)) in second.accesses.iter().enumerate() {
                    if array == other && (first_access == 0 || second_access == 0) {
                        all.push(dependence((first, from), (second, to), first_index < second_index));
                    }
                }
            }
        }
    }
    all
}

fn statement(line: &str) -> Statement {
    let (loops, accesses) = line.trim().split_once('|').expect("loops | accesses");
    let loops = loops.split_whitespace().map(|text| {
        let (name, range) = text.split_once('=').expect("name=range");
        let (from, to) = range.split_once("..").expect("from..to");
        (name.to_owned(), from.to_owned(), to.to_owned())
    });
    let accesses = accesses.split_whitespace().filter(|&word| word != "=").map(|text| {
        let (array, subscripts) =
            text.strip_suffix(']').and_then(|text| text.split_once('[')).expect("array[…]");
        (array.to_owned(), subscripts.split(',').map(str::to_owned).collect())
    });
    Statement { loops: loops.collect(), accesses: accesses.collect() }
}

/// The coordinates are the parameters, the first statement's loops and the second one's; the shorter statement's
/// missing loops are always 0.
fn dependence(first: (&Statement, &[String]), second: (&Statement, &[String]), before: bool) -> Vec<Rows> {
    let depth = first.0.loops.len().max(second.0.loops.len());
    let variables = PARAMETERS.len() + 2 * depth;
    let mut domain = Rows { variables, ..Rows::default() };
    for parameter in 0..PARAMETERS.len() {
        domain.inequalities.push(row(variables, &[(parameter, 1)], -4));
    }
    let scopes = [
        Scope::new(first.0, PARAMETERS.len(), variables),
        Scope::new(second.0, PARAMETERS.len() + depth, variables),
    ];
    for (scope, statement) in scopes.iter().zip([first.0, second.0]) {
        for (level, (name, from, to)) in statement.loops.iter().enumerate() {
            let iterator = scope.affine(name);
            domain.inequalities.push(difference(&iterator, &scope.affine(from), 0));
            domain.inequalities.push(difference(&scope.affine(to), &iterator, -1));
            debug_assert_eq!(iterator[scope.first + level], 1);
        }
        for level in statement.loops.len()..depth {
            domain.equalities.push(row(variables, &[(scope.first + level, 1)], 0));
        }
    }
    for (from, to) in first.1.iter().zip(second.1) {
        domain.equalities.push(difference(&scopes[0].affine(from), &scopes[1].affine(to), 0));
    }
    let common =
        first.0.loops.iter().zip(&second.0.loops).take_while(|(first, second)| first == second).count();
    let pair = |level: usize| [(PARAMETERS.len() + depth + level, 1), (PARAMETERS.len() + level, -1)];
    let mut sets = Vec::new();
    for carrier in 0..=common {
        let mut set = domain.clone();
        set.equalities.extend((0..carrier).map(|level| row(variables, &pair(level), 0)));
        if carrier < common {
            set.inequalities.push(row(variables, &pair(carrier), -1));
        } else if !before {
            continue;
        }
        sets.push(set);
    }
    sets
}

fn row(variables: usize, factors: &[(usize, i64)], constant: i64) -> Vec<i64> {
    let mut row = vec![0; variables + 1];
    factors.iter().for_each(|&(variable, factor)| row[variable] += factor);
    row[variables] = constant;
    row
}

fn difference(left: &[i64], right: &[i64], constant: i64) -> Vec<i64> {
    let mut row: Vec<i64> = left.iter().zip(right).map(|(left, right)| left - right).collect();
    *row.last_mut().expect("a constant") += constant;
    row
}

/// Which coordinate a name is.
struct Scope<'a> {
    statement: &'a Statement,
    first: usize,
    variables: usize,
}

impl<'a> Scope<'a> {
    fn new(statement: &'a Statement, first: usize, variables: usize) -> Self {
        Self { statement, first, variables }
    }

    /// A sum of names, numbers and products of a number with a name, as in `2*i-j+1`.
    fn affine(&self, text: &str) -> Vec<i64> {
        let mut sum = vec![0; self.variables + 1];
        let spaced = text.replace('-', "+-");
        for term in spaced.split('+').filter(|term| !term.is_empty()) {
            let (sign, term) = term.strip_prefix('-').map_or((1, term), |rest| (-1, rest));
            let (factor, name) = term.split_once('*').unwrap_or(("1", term));
            let factor: i64 = factor.parse().expect("a number");
            match name.parse::<i64>() {
                Ok(number) => sum[self.variables] += sign * number,
                Err(_) => sum[self.coordinate(name)] += sign * factor,
            }
        }
        sum
    }

    fn coordinate(&self, name: &str) -> usize {
        let parameter = PARAMETERS.iter().position(|&parameter| parameter == name);
        let iterator = || self.statement.loops.iter().position(|(iterator, ..)| iterator == name);
        parameter.or_else(|| iterator().map(|level| self.first + level)).expect("a parameter or a loop")
    }
}
