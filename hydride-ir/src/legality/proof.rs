//! Proofs that a function's constraints imply, for all values of its parameters, that widths and counts are positive
//! and that every slice lies within the value that it is taken from or written to.
//!
//! An obligation is a number that must not be negative, `slack >= 0`.
//!
//! 1. Numbers are affine in each index, so that the least slack is at a corner of the indices' ranges. What is left are
//!    polynomials over parameters.
//! 2. Where the constraints list values, there is one case for each list.
//! 3. Every product of parameters is a coordinate of a [`Simplex`], whose constraints are those of the function and
//!    their products with its affine constraints as far as an obligation has them: `1 <= w` and `1 <= n` give
//!    `0 <= (w - 1)*(n - 1)`. (D. Handelman, "Representing polynomials by positive linear functions on compact convex
//!    polyhedra", 1988.) `a = b unless n = 1` is the equation `(n - 1)*(a - b) = 0`.
//! 4. The obligation is proved when the simplex finds no point where the slack is negative. This is sound; it is not
//!    complete, since the products are taken as independent of each other.

use std::collections::{BTreeMap, BTreeSet};

use simplex::{Affine, Simplex};

use super::{Constraint, Legality, at_least_zero};
use crate::expr::Op;
use crate::function::ParamId;
use crate::num::{Atom, IndexId, Num};
use crate::visit::Assignment;

/// Lists of values with more combinations are not used.
const MOST_CASES: usize = 64;
/// Products are added up to this number of facts.
const MOST_FACTS: usize = 200;
/// An obligation over more indices is left unproved.
const MOST_INDICES: usize = 6;

/// Which obligations of a function follow from its constraints.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Proof {
    /// How many of them, without those that are constants.
    pub proved: usize,
    /// Those that could not be proved: each is true at the known values, and may be true everywhere.
    pub unproved: Vec<Constraint>,
}

/// Values of some parameters.
type Case = BTreeMap<ParamId, i64>;

/// Something that holds at all parameter values that fulfill the constraints.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord)]
enum Fact {
    Zero(Num),
    NotNegative(Num),
}

impl Fact {
    fn number(&self) -> &Num {
        match self {
            Self::Zero(number) | Self::NotNegative(number) => number,
        }
    }

    /// What follows when the number is multiplied by another one that is not negative.
    fn times(&self, factor: &Num) -> Self {
        let product = self.number().clone() * factor.clone();
        match self {
            Self::Zero(_) => Self::Zero(product),
            Self::NotNegative(_) => Self::NotNegative(product),
        }
    }
}

impl Legality<'_> {
    /// Proves what can be proved of the function's obligations: every width and count is at least 1, and every slice
    /// that is read or written begins and ends within its value, at all values of the indices.
    pub fn proof(&self) -> Proof {
        let obligations = self.obligations();
        let corners: Vec<Option<Vec<Num>>> = obligations.iter().map(|slack| self.corners(slack)).collect();
        let mut proved: Vec<bool> = corners.iter().map(Option::is_some).collect();
        for case in self.cases() {
            let at_case = |number: &Num| at_values(number, &case);
            let goals: Vec<Vec<Num>> =
                corners.iter().map(|corners| corners.iter().flatten().map(at_case).collect()).collect();
            let mut known = Known::new(&self.facts(&case, goals.iter().flatten()), goals.iter().flatten());
            for (proved, goals) in proved.iter_mut().zip(&goals) {
                *proved = *proved && goals.iter().all(|goal| known.implies(goal));
            }
        }
        let (proved, unproved): (Vec<_>, Vec<_>) =
            obligations.into_iter().zip(proved).partition(|(_, proved)| *proved);
        let unproved = unproved.into_iter().map(|(slack, _)| at_least_zero(slack));
        Proof { proved: proved.len(), unproved: unproved.collect() }
    }

    /// The numbers that must not be negative, without constants that are not.
    fn obligations(&self) -> BTreeSet<Num> {
        let function = self.function;
        let positive = |number: &Num| number.clone() - Num::constant(1);
        let mut slacks: BTreeSet<Num> = self.counts.values().map(positive).collect();
        slacks.extend(function.args.iter().map(|arg| positive(&arg.width)));
        slacks.extend(function.results.iter().map(|result| positive(&result.width)));
        let mut slice = |low: &Num, width: &Num, whole: &Num| {
            slacks.extend([positive(width), low.clone(), whole.clone() - low.clone() - width.clone()]);
        };
        for expr in function.live().into_iter().map(|id| function.expr(id)) {
            match &expr.op {
                Op::Extract { of, low } => slice(low, &expr.width, &function.expr(*of).width),
                _ => slice(&Num::constant(0), &expr.width, &expr.width),
            }
        }
        for Assignment { result, low, value } in function.assignments() {
            slice(low, &function.expr(value).width, &function.results[result.0 as usize].width);
        }
        slacks.retain(|slack| slack.as_constant().is_none_or(|constant| constant < 0));
        slacks
    }

    /// The number with each index at its first and at its last value; `None` when these may not be where it is least.
    fn corners(&self, slack: &Num) -> Option<Vec<Num>> {
        let indices: BTreeSet<IndexId> = indices(slack).collect();
        let is_affine = slack.terms().all(|(atoms, _)| {
            let of_term: Vec<&Atom> = atoms.iter().filter(|atom| matches!(atom, Atom::Index(_))).collect();
            of_term.windows(2).all(|pair| pair[0] != pair[1])
        });
        if !is_affine || indices.len() > MOST_INDICES {
            return None;
        }
        let mut corners = vec![slack.clone()];
        for index in indices {
            let last = self.counts.get(&index)?.clone() - Num::constant(1);
            if self::indices(&last).next().is_some() {
                return None;
            }
            let ends = [Num::constant(0), last];
            corners = corners
                .iter()
                .flat_map(|corner| ends.iter().map(|end| at_index(corner, index, end)))
                .collect();
        }
        Some(corners)
    }

    /// The combinations of the listed values; one without values when nothing is listed.
    fn cases(&self) -> Vec<Case> {
        let mut cases = vec![Case::new()];
        for constraint in &self.constraints {
            let Constraint::OneOf { params, values } = constraint else { continue };
            if cases.len() * values.len() > MOST_CASES {
                continue;
            }
            let longer = |case: &Case| {
                let mut longer = Vec::new();
                for values in values {
                    let mut case = case.clone();
                    // Two lists with different values of one parameter have no case in common.
                    let mut pairs = params.iter().zip(values);
                    if pairs.all(|(param, value)| *case.entry(*param).or_insert(*value) == *value) {
                        longer.push(case);
                    }
                }
                longer
            };
            cases = cases.iter().flat_map(longer).collect();
        }
        cases
    }

    /// What the constraints say in a case, with products that may help to prove goals.
    fn facts<'a>(&self, case: &Case, goals: impl Iterator<Item = &'a Num>) -> BTreeSet<Fact> {
        let of_constraint = |constraint: &Constraint| match constraint {
            Constraint::AtMost { left, right } => Some(Fact::NotNegative(right.clone() - left.clone())),
            Constraint::Equal { left, right, unless: None } => Some(Fact::Zero(left.clone() - right.clone())),
            Constraint::Equal { left, right, unless: Some(count) } => {
                let difference = left.clone() - right.clone();
                Some(Fact::Zero((count.clone() - Num::constant(1)) * difference))
            }
            Constraint::OneOf { .. } => None,
        };
        let in_case = |fact| match fact {
            Fact::Zero(number) => Fact::Zero(at_values(&number, case)),
            Fact::NotNegative(number) => Fact::NotNegative(at_values(&number, case)),
        };
        let mut pending: Vec<Fact> = self.constraints.iter().filter_map(of_constraint).map(in_case).collect();
        let is_factor = |fact: &&Fact| matches!(fact, Fact::NotNegative(number) if degree(number) == 1);
        let factors: Vec<Num> = pending.iter().filter(is_factor).map(|fact| fact.number().clone()).collect();
        let mut wholes: BTreeSet<Vec<Atom>> = goals.flat_map(products).collect();
        wholes.extend(pending.iter().map(Fact::number).flat_map(products));
        // A product that is in no goal and no constraint helps to prove nothing.
        let is_useful = |fact: &Fact| {
            let divides = |own: &[Atom]| wholes.iter().any(|whole| is_part(own, whole));
            fact.number().terms().all(|(own, _)| divides(own))
        };
        let mut facts: BTreeSet<Fact> = pending.iter().cloned().collect();
        while let Some(fact) = pending.pop() {
            for product in factors.iter().map(|factor| fact.times(factor)) {
                if facts.len() < MOST_FACTS && is_useful(&product) && facts.insert(product.clone()) {
                    pending.push(product);
                }
            }
        }
        facts
    }
}

/// Facts as a set of points, with a coordinate for each product of parameters.
struct Known {
    coordinates: BTreeMap<Vec<Atom>, usize>,
    points: Simplex,
}

impl Known {
    /// Has coordinates for the products of the facts and of the goals.
    fn new<'a>(facts: &'a BTreeSet<Fact>, goals: impl Iterator<Item = &'a Num>) -> Self {
        let numbers = facts.iter().map(Fact::number).chain(goals);
        let products: BTreeSet<Vec<Atom>> = numbers.flat_map(products).collect();
        let coordinates: BTreeMap<Vec<Atom>, usize> = products.into_iter().zip(0..).collect();
        let mut known = Self { points: Simplex::new(coordinates.len()), coordinates };
        for fact in facts {
            let form = known.form(fact.number());
            match fact {
                Fact::Zero(_) => known.points.add_equality(&form),
                Fact::NotNegative(_) => known.points.add_inequality(&form),
            };
        }
        known
    }

    fn form(&self, number: &Num) -> Affine {
        let mut coefficients = vec![0; self.coordinates.len()];
        for (atoms, coefficient) in number.terms() {
            coefficients[self.coordinates[atoms]] = coefficient;
        }
        Affine::new(coefficients, number.constant_part())
    }

    /// Whether a number is nowhere negative.
    fn implies(&mut self, goal: &Num) -> bool {
        let form = self.form(goal);
        self.points.is_nonnegative(&form)
    }
}

/// The greatest number of factors in a product.
fn degree(number: &Num) -> usize {
    number.terms().map(|(atoms, _)| atoms.len()).max().unwrap_or(0)
}

/// The products of a number's terms.
fn products(number: &Num) -> impl Iterator<Item = Vec<Atom>> {
    number.terms().map(|(atoms, _)| atoms.to_vec())
}

/// Whether each factor of a product is one of another product, as often; both are sorted.
fn is_part(product: &[Atom], whole: &[Atom]) -> bool {
    let mut whole = whole.iter();
    product.iter().all(|atom| whole.any(|other| other == atom))
}

fn indices(number: &Num) -> impl Iterator<Item = IndexId> {
    number.atoms().filter_map(|atom| match atom {
        Atom::Index(index) => Some(index),
        Atom::Param(_) => None,
    })
}

/// The number with values for some parameters.
fn at_values(number: &Num, case: &Case) -> Num {
    number.substitute(|atom| match atom {
        Atom::Param(param) => {
            case.get(&param).map_or_else(|| Num::param(param), |value| Num::constant(*value))
        }
        Atom::Index(index) => Num::index(index),
    })
}

/// The number with a value for an index.
fn at_index(number: &Num, index: IndexId, value: &Num) -> Num {
    number.substitute(|atom| match atom {
        Atom::Index(own) if own == index => value.clone(),
        Atom::Index(other) => Num::index(other),
        Atom::Param(param) => Num::param(param),
    })
}

#[cfg(test)]
mod tests {
    use crate::function::{Function, ParamId};
    use crate::legality::{Constraint, SLICES, TURNS, legality};

    /// The number of proved obligations and the others' texts.
    fn proof(text: &str, known: &[&[i64]]) -> (usize, Vec<String>) {
        let function = Function::parse(text).unwrap();
        let legality = legality(&function, known);
        let proof = legality.proof();
        (proof.proved, proof.unproved.iter().map(|constraint| legality.text(constraint)).collect())
    }

    #[test]
    fn slices_under_a_loop() {
        // n >= 1, w >= 1; both slices begin at 0 or later, end within %a and within %dst.
        assert_eq!(proof(SLICES, &[&[8, 8, 0]]), (6, Vec::new()));
    }

    #[test]
    fn without_a_constraint_its_obligations_are_unproved() {
        let function = Function::parse(SLICES).unwrap();
        let known: &[&[i64]] = &[&[8, 8, 0]];
        let legality = legality(&function, known);
        let all = legality.constraints().to_vec();
        for (place, missing) in all.iter().enumerate() {
            let mut fewer = legality.clone();
            fewer.constraints.remove(place);
            assert!(!fewer.proof().unproved.is_empty(), "without {}", legality.text(missing));
        }
    }

    #[test]
    fn equations_that_hold_unless_a_count_is_one() {
        let (proved, unproved) = proof(TURNS, &[&[8, 2, 2, 32], &[8, 2, 1, 5]]);
        assert_eq!((proved, unproved), (11, Vec::new()));
    }

    #[test]
    fn listed_values_are_cases() {
        let text = "func @f[s = 8, t = 16](%a: 8) -> (%dst: 32) {
            for i in 0..2 { for j in 0..2 { %dst[s*i + t*j +: 8] = %a } } }";
        assert_eq!(proof(text, &[&[8, 16], &[16, 8]]), (2, Vec::new()));
    }

    /// A case is a choice from each list, as long as there are few.
    #[test]
    fn lists_with_too_many_combinations_are_not_used() {
        let text = "func @f[s = 0, t = 0](%a: 8) -> (%dst: 8) { %dst[0 +: 8] = %a }";
        let function = Function::parse(text).unwrap();
        let mut legality = legality(&function, &[&[0, 0]]);
        let list = |param, count: i64| Constraint::OneOf {
            params: vec![ParamId(param)],
            values: (0..count).map(|value| vec![value]).collect(),
        };
        for (first, second, cases) in [(3, 5, 15), (8, 8, 64), (8, 9, 8), (65, 2, 2)] {
            legality.constraints = vec![list(0, first), list(1, second)];
            assert_eq!(legality.cases().len(), cases, "{first} and {second}");
        }
    }
}
