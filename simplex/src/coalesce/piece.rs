//! A convex set as the comparison of sets needs it.

use crate::affine::{Affine, Constraint};
use crate::set::{BasicSet, Points};
use crate::simplex::Simplex;

/// A set that is not empty over the rationals, without redundant constraints, and its tableau.
pub(super) struct Piece {
    dimension: usize,
    constraints: Vec<Constraint>,
    forms: Vec<Affine>,
    pub(super) simplex: Simplex,
}

impl Piece {
    /// `None` when the set is empty.
    pub(super) fn new(set: &BasicSet, points: Points) -> Option<Self> {
        let constraints: Option<Vec<Constraint>> = match points {
            Points::Integer => set.constraints.iter().map(Constraint::tightened).collect(),
            Points::Rational => Some(set.constraints.iter().map(Constraint::reduced).collect()),
        };
        let mut constraints = constraints?;
        constraints.sort();
        constraints.dedup();
        let mut simplex = Simplex::from_constraints(set.dimension, &constraints);
        if simplex.is_empty() {
            return None;
        }
        let constraints = essential(constraints, &mut simplex);
        let forms = constraints.iter().flat_map(forms).collect();
        Some(Self { dimension: set.dimension, constraints, forms, simplex })
    }

    /// The set where all of the forms are not negative.
    pub(super) fn from_forms(dimension: usize, forms: Vec<Affine>, points: Points) -> Option<Self> {
        let constraints = forms.into_iter().map(Constraint::Inequality).collect();
        Self::new(&BasicSet { dimension, constraints }, points)
    }

    pub(super) fn dimension(&self) -> usize {
        self.dimension
    }

    /// The forms that are not negative on the set; an equality has two.
    pub(super) fn forms(&self) -> &[Affine] {
        &self.forms
    }

    pub(super) fn into_set(self) -> BasicSet {
        BasicSet { dimension: self.dimension, constraints: self.constraints }
    }
}

/// The constraints that the others do not imply; inequalities that hold as equalities become such.
fn essential(constraints: Vec<Constraint>, simplex: &mut Simplex) -> Vec<Constraint> {
    let mut equal = Vec::with_capacity(constraints.len());
    for index in 0..constraints.len() {
        equal.push(simplex.is_zero(index));
    }
    let mut kept = Vec::with_capacity(constraints.len());
    for (index, constraint) in constraints.into_iter().enumerate() {
        match constraint {
            Constraint::Inequality(form) if equal[index] => kept.push(Constraint::Equality(form)),
            Constraint::Inequality(_) if simplex.is_redundant(index) => {}
            constraint => kept.push(constraint),
        }
    }
    kept
}

fn forms(constraint: &Constraint) -> Vec<Affine> {
    match constraint {
        Constraint::Equality(form) => vec![form.clone(), form.negated()],
        Constraint::Inequality(form) => vec![form.clone()],
    }
}
