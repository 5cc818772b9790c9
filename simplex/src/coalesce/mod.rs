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
mod piece;
mod wrap;

use crate::set::{BasicSet, Points};
use classify::{Relation, relations};
use confirm::{facets_are_covered, is_covered};
use piece::Piece;
use wrap::wrapped;

use crate::affine::Affine;

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
    let mut pieces: Vec<Piece> = sets.iter().filter_map(|set| Piece::new(set, points)).collect();
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
fn merge_with_earlier(pieces: &mut Vec<Piece>, index: usize, points: Points) -> Option<usize> {
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
enum Merge {
    Unchanged,
    SecondInFirst,
    FirstInSecond,
    Replaced(Box<Piece>),
}

fn merge(first: &mut Piece, second: &mut Piece, points: Points) -> Merge {
    let Some(on_second) = relations(first, second, points) else { return Merge::Unchanged };
    if on_second.iter().all(|&relation| relation == Relation::Valid) {
        return Merge::SecondInFirst;
    }
    let Some(on_first) = relations(second, first, points) else { return Merge::Unchanged };
    if on_first.iter().all(|&relation| relation == Relation::Valid) {
        return Merge::FirstInSecond;
    }
    let (mut common, beyond_first) = split(first, &on_second);
    let (common_second, beyond_second) = split(second, &on_first);
    common.retain(|form| !common_second.contains(form));
    common.extend(common_second);
    let pair = Pair { common, beyond_first, beyond_second };
    let adjacent = on_second.iter().chain(&on_first).any(|&relation| relation == Relation::Adjacent);
    let covered = match adjacent {
        false => facets_are_covered(first, &pair.beyond_first, &pair.beyond_second),
        true => is_covered(&pair, first.dimension(), points),
    };
    let forms = match covered {
        true => Some(pair.common.into_iter().cloned().collect()),
        false if points == Points::Integer => wrapped(first, second, &pair),
        false => None,
    };
    forms
        .and_then(|forms| Piece::from_forms(first.dimension(), forms, points))
        .map_or(Merge::Unchanged, |piece| Merge::Replaced(Box::new(piece)))
}

/// Two sets by their forms that are not negative.
struct Pair<'a> {
    /// Those that hold on both sets.
    common: Vec<&'a Affine>,
    /// Those of the first set that do not hold on the second.
    beyond_first: Vec<&'a Affine>,
    /// Those of the second set that do not hold on the first.
    beyond_second: Vec<&'a Affine>,
}

/// The forms of a piece that hold on another one, and those that do not.
fn split<'a>(piece: &'a Piece, relations: &[Relation]) -> (Vec<&'a Affine>, Vec<&'a Affine>) {
    let forms = piece.forms().iter().zip(relations);
    let (valid, beyond): (Vec<_>, Vec<_>) = forms.partition(|(_, relation)| **relation == Relation::Valid);
    let only_forms = |pairs: Vec<(&'a Affine, _)>| pairs.into_iter().map(|(form, _)| form).collect();
    (only_forms(valid), only_forms(beyond))
}
