//! Fewer convex sets with the same union.
//!
//! Two sets are replaced by one where that changes no point. The cases are those of isl (S. Verdoolaege, "Integer Set
//! Coalescing", IMPACT 2015), told apart by the values that a constraint of one set has on the other ([`Relation`]):
//!
//! | case | picture | result |
//! |---|---|---|
//! | separate | `[  ]   [  ]` | both |
//! | contained | `[ [  ] ]` | the larger |
//! | cut | `[  [ ]  ]` | the constraints that hold on both, when the facets that the sets cut off each other lie in the other |
//! | adjacent | `[  ][  ]` | the constraints that hold on both, when nothing else lies between them |
//! | wrapped | `[  ]<` | constraints turned around a facet until they hold on both, too |
//!
//! Every result is confirmed before it is used: what it has beyond the first set must be in the second.

mod classify;
mod confirm;
mod form;
mod piece;
mod wrap;

use std::cell::OnceCell;

use crate::set::{BasicSet, Points};
use crate::simplex::{ConstraintId, Simplex};
use classify::{Sides, sides};
use confirm::{facets_are_covered, is_covered};
use form::Form;
use piece::{Equality, Forms, Piece};
use wrap::wrapped;

/// Replaces sets by fewer with the same union: the same integer points, or the same rational points.
///
/// Empty sets disappear, and the remaining constraints are free of redundant ones.
///
/// ```
/// use simplex::{Affine, BasicSet, Constraint, Points, coalesce};
///
/// // 0 <= x <= 4 and 5 <= x <= 9 have the integers from 0 to 9 between them.
/// let interval = |from: i32, to: i32| BasicSet {
///     dimension: 1,
///     constraints: vec![
///         Constraint::Inequality(Affine::new([1], -from)),
///         Constraint::Inequality(Affine::new([-1], to)),
///     ],
/// };
/// let sets = [interval(0, 4), interval(5, 9)];
/// assert_eq!(coalesce(&sets, Points::Integer).len(), 1);
/// assert_eq!(coalesce(&sets, Points::Rational).len(), 2);
/// ```
///
/// # Panics
/// When the sets have different dimensions.
pub fn coalesce(sets: &[BasicSet], points: Points) -> Vec<BasicSet> {
    assert!(sets.windows(2).all(|pair| pair[0].dimension == pair[1].dimension), "sets of one dimension");
    let mut pieces: Vec<Piece<'_>> = sets.iter().filter_map(|set| Piece::new(set, points)).collect();
    let mut index = 0;
    while index < pieces.len() {
        match merge_with_earlier(&mut pieces, index, points) {
            Some(changed) => index = changed,
            None => index += 1,
        }
    }
    pieces.into_iter().map(Piece::into_set).collect()
}

/// Merges a piece with one before it. Returns the first piece to compare with those before it again.
fn merge_with_earlier(pieces: &mut Vec<Piece<'_>>, index: usize, points: Points) -> Option<usize> {
    for earlier in 0..index {
        let (front, back) = pieces.split_at_mut(index);
        match merge(&mut front[earlier], &mut back[0], points) {
            Merge::Unchanged => {}
            Merge::SecondInFirst => {
                pieces.remove(index);
                return Some(index);
            }
            Merge::FirstInSecond => {
                pieces.remove(earlier);
                return Some(index - 1);
            }
            Merge::Replaced(piece) => {
                pieces.remove(index);
                pieces.remove(earlier);
                pieces.insert(index - 1, *piece);
                return Some(index - 1);
            }
        }
    }
    None
}

/// What can be done about two sets.
enum Merge<'a> {
    Unchanged,
    SecondInFirst,
    FirstInSecond,
    Replaced(Box<Piece<'a>>),
}

fn merge<'a>(first: &mut Piece<'a>, second: &mut Piece<'a>, points: Points) -> Merge<'a> {
    let Some(of_first) = sides(&first.forms, &second.forms, &mut second.simplex, points) else {
        return Merge::Unchanged;
    };
    if of_first.beyond.is_empty() {
        return Merge::SecondInFirst;
    }
    let Some(of_second) = sides(&second.forms, &first.forms, &mut first.simplex, points) else {
        return Merge::Unchanged;
    };
    if of_second.beyond.is_empty() {
        return Merge::FirstInSecond;
    }
    let adjacent = of_first.adjacent || of_second.adjacent;
    let pair = Pair::new(first.simplex.variables(), of_first, of_second);
    let covered = match adjacent {
        false => facets_are_covered(&first.simplex, &pair.beyond_first, &pair.beyond_second),
        true => is_covered(&pair.hull().simplex, &pair.beyond_first, &pair.beyond_second, points),
    };
    let piece = match covered {
        true => Some(pair.piece(pair.hull().simplex.clone(), Vec::new())),
        false if points == Points::Integer => {
            wrapped((&first.forms, &mut first.simplex), (&second.forms, &mut second.simplex), &pair)
        }
        false => None,
    };
    piece.map_or(Merge::Unchanged, |piece| Merge::Replaced(Box::new(piece)))
}

/// Two sets by their forms.
struct Pair<'p, 'a> {
    dimension: usize,
    /// Those that are zero on both sets.
    equalities: Vec<&'p Form<'a>>,
    /// Those that are negative on neither set.
    inequalities: Vec<&'p Form<'a>>,
    /// Those of the first set that are negative somewhere on the second.
    beyond_first: Vec<&'p Form<'a>>,
    /// Those of the second set that are negative somewhere on the first.
    beyond_second: Vec<&'p Form<'a>>,
    hull: OnceCell<Hull<'p, 'a>>,
}

/// The points that fulfill all common constraints of two sets.
struct Hull<'p, 'a> {
    /// The equalities without those that others imply.
    equalities: Vec<&'p Form<'a>>,
    /// The first of the inequalities, which are the last constraints.
    first_inequality: ConstraintId,
    simplex: Simplex,
}

impl<'p, 'a> Pair<'p, 'a> {
    fn new(dimension: usize, first: Sides<'p, 'a>, second: Sides<'p, 'a>) -> Self {
        let mut inequalities = first.inequalities;
        for form in second.inequalities {
            inequalities.retain(|known| !known.is_implied_by(form));
            if !inequalities.iter().any(|known| form.is_implied_by(known)) {
                inequalities.push(form);
            }
        }
        let mut equalities = first.equalities;
        for form in second.equalities {
            if !equalities.iter().any(|known| form.has_zeros_of(known)) {
                equalities.push(form);
            }
        }
        Self {
            dimension,
            equalities,
            inequalities,
            beyond_first: first.beyond,
            beyond_second: second.beyond,
            hull: OnceCell::new(),
        }
    }

    /// The common constraints' tableau, made when it is first needed.
    fn hull(&self) -> &Hull<'p, 'a> {
        self.hull.get_or_init(|| {
            let count = self.equalities.len() + self.inequalities.len();
            let mut simplex = Simplex::with_room(self.dimension, count + 2);
            let mut equalities = self.equalities.clone();
            equalities.retain(|form| simplex.add_independent_equality(form));
            let first_inequality = simplex.constraints();
            for form in &self.inequalities {
                simplex.add_inequality(form);
            }
            Hull { equalities, first_inequality, simplex }
        })
    }

    /// The set of the common constraints and further inequalities, which the tableau has behind the common ones.
    ///
    /// Only the further ones can be equalities: each common one is positive somewhere on one of the two sets.
    fn piece(&self, mut simplex: Simplex, further: Vec<(ConstraintId, Form<'a>)>) -> Piece<'a> {
        let Hull { equalities, first_inequality, .. } = self.hull();
        let mut forms = Forms::with_capacity(equalities.len(), self.inequalities.len() + further.len());
        forms.equalities.extend(equalities.iter().map(|&form| Equality::new(form.clone())));
        let further = forms.take_equalities(further, &mut simplex);
        let common = (*first_inequality..).zip(self.inequalities.iter().map(|&form| form.clone()));
        forms.push_essential(common.chain(further), &mut simplex);
        Piece { forms, simplex }
    }
}
