//! A convex set as the comparison of sets needs it.

use crate::affine::{Affine, Constraint};
use crate::set::{BasicSet, Points};
use crate::simplex::Simplex;

/// A set that is not empty over the rationals, without redundant constraints, and its tableau.
pub(super) struct Piece {
    dimension: usize,
    /// How many equalities there are: each has two forms, and they come first.
    equalities: usize,
    forms: Vec<Affine>,
    pub(super) simplex: Simplex,
}

impl Piece {
    /// `None` when the set is empty.
    pub(super) fn new(set: &BasicSet, points: Points) -> Option<Self> {
        Self::from_constraints(set.dimension, set.constraints.iter().cloned(), points)
    }

    fn from_constraints(
        dimension: usize,
        constraints: impl Iterator<Item = Constraint>,
        points: Points,
    ) -> Option<Self> {
        let mut constraints = match points {
            Points::Integer => constraints.map(Constraint::tightened).collect::<Option<Vec<_>>>()?,
            Points::Rational => constraints.map(Constraint::reduced).collect(),
        };
        constraints.sort_by_key(|constraint| matches!(constraint, Constraint::Inequality(_)));
        let mut simplex = Simplex::from_constraints(dimension, &constraints);
        if simplex.is_empty() {
            return None;
        }
        let (equalities, inequalities) = essential(constraints, &mut simplex);
        let mut forms = Vec::with_capacity(2 * equalities.len() + inequalities.len());
        let count = equalities.len();
        for form in equalities {
            forms.push(form.negated());
            forms.push(form);
        }
        forms.extend(inequalities);
        Some(Self { dimension, equalities: count, forms, simplex })
    }

    /// The set where all of the forms are not negative.
    pub(super) fn from_forms(dimension: usize, forms: Vec<Affine>, points: Points) -> Option<Self> {
        Self::from_constraints(dimension, forms.into_iter().map(Constraint::Inequality), points)
    }

    pub(super) fn dimension(&self) -> usize {
        self.dimension
    }

    /// The forms that are not negative on the set; an equality has two.
    pub(super) fn forms(&self) -> &[Affine] {
        &self.forms
    }

    /// Whether one of the forms is at most a form at all points, as their coefficients show.
    pub(super) fn has(&self, form: &Affine) -> bool {
        let mut forms = self.forms.iter();
        forms.any(|own| own.coefficients == form.coefficients && own.constant <= form.constant)
    }

    pub(super) fn into_set(self) -> BasicSet {
        let mut constraints = Vec::with_capacity(self.forms.len() - self.equalities);
        let mut forms = self.forms.into_iter();
        let equalities = forms.by_ref().take(2 * self.equalities).skip(1).step_by(2);
        constraints.extend(equalities.map(Constraint::Equality));
        constraints.extend(forms.map(Constraint::Inequality));
        BasicSet { dimension: self.dimension, constraints }
    }
}

/// The equalities, with the inequalities that hold as such, and the inequalities that the others do not imply.
fn essential(constraints: Vec<Constraint>, simplex: &mut Simplex) -> (Vec<Affine>, Vec<Affine>) {
    let (mut equalities, mut others) =
        (Vec::with_capacity(constraints.len()), Vec::with_capacity(constraints.len()));
    for (index, constraint) in constraints.into_iter().enumerate() {
        match constraint {
            Constraint::Inequality(form) if !simplex.is_zero(index) => others.push((index, form)),
            Constraint::Inequality(form) | Constraint::Equality(form) => equalities.push(form),
        }
    }
    others.retain(|(index, _)| !simplex.is_redundant(*index));
    (equalities, others.into_iter().map(|(_, form)| form).collect())
}
