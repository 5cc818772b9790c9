//! A convex set as the comparison of sets needs it.

use std::cell::OnceCell;

use super::form::Form;
use crate::affine::Constraint;
use crate::set::{BasicSet, Points};
use crate::simplex::{ConstraintId, Simplex};

/// A set that is not empty over the rationals: its constraints, none of them redundant, and its tableau.
pub(super) struct Piece<'a> {
    pub(super) forms: Forms<'a>,
    pub(super) simplex: Simplex,
}

/// The constraints of a set, independent equalities and inequalities that are not always equalities.
pub(super) struct Forms<'a> {
    pub(super) equalities: Vec<Equality<'a>>,
    pub(super) inequalities: Vec<Form<'a>>,
}

/// A form that is zero on a set, and its negation from the first time that this is needed.
pub(super) struct Equality<'a> {
    pub(super) form: Form<'a>,
    negated: OnceCell<Form<'static>>,
}

impl<'a> Equality<'a> {
    pub(super) fn new(form: Form<'a>) -> Self {
        Self { form, negated: OnceCell::new() }
    }

    pub(super) fn negated(&self) -> &Form<'a> {
        self.negated.get_or_init(|| self.form.negated())
    }
}

impl<'a> Piece<'a> {
    /// `None` when the set is empty.
    pub(super) fn new(set: &'a BasicSet, points: Points) -> Option<Self> {
        let count = set.constraints.len();
        let mut simplex = Simplex::with_room(set.dimension, count + 1);
        let mut forms = Forms::with_capacity(count, count);
        let of_kind = |equality| {
            let is_equality = |constraint: &&Constraint| matches!(constraint, Constraint::Equality(_));
            set.constraints.iter().filter(move |constraint| is_equality(constraint) == equality)
        };
        for constraint in of_kind(true) {
            let form = Form::of(constraint, points)?;
            if !forms.imply_zero(&form) && simplex.add_independent_equality(&form) {
                forms.equalities.push(Equality::new(form));
            }
        }
        let mut inequalities = Vec::with_capacity(count);
        for constraint in of_kind(false) {
            let form = Form::of(constraint, points)?;
            inequalities.push((simplex.add_inequality(&form), form));
        }
        if simplex.is_empty() {
            return None;
        }
        let inequalities = forms.take_equalities(inequalities, &mut simplex);
        forms.push_essential(inequalities, &mut simplex);
        Some(Self { forms, simplex })
    }

    pub(super) fn dimension(&self) -> usize {
        self.simplex.variables()
    }

    pub(super) fn into_set(self) -> BasicSet {
        let dimension = self.dimension();
        let equalities = self.forms.equalities.into_iter().map(|equality| equality.form.into_affine());
        let inequalities = self.forms.inequalities.into_iter().map(Form::into_affine);
        let constraints =
            equalities.map(Constraint::Equality).chain(inequalities.map(Constraint::Inequality));
        BasicSet { dimension, constraints: constraints.collect() }
    }
}

impl<'a> Forms<'a> {
    pub(super) fn with_capacity(equalities: usize, inequalities: usize) -> Self {
        Self { equalities: Vec::with_capacity(equalities), inequalities: Vec::with_capacity(inequalities) }
    }

    /// Appends the equalities among the inequalities, unless the others imply them. Returns the rest.
    pub(super) fn take_equalities(
        &mut self,
        inequalities: Vec<(ConstraintId, Form<'a>)>,
        simplex: &mut Simplex,
    ) -> Vec<(ConstraintId, Form<'a>)> {
        let mut rest = Vec::with_capacity(inequalities.len());
        for (id, form) in inequalities {
            if simplex.is_identically_zero(id) {
                continue;
            }
            if simplex.is_zero(id) {
                self.equalities.push(Equality::new(form));
            } else {
                rest.push((id, form));
            }
        }
        rest
    }

    /// Appends the inequalities that the others do not imply.
    pub(super) fn push_essential(
        &mut self,
        inequalities: impl IntoIterator<Item = (ConstraintId, Form<'a>)>,
        simplex: &mut Simplex,
    ) {
        let essential = inequalities.into_iter().filter(|(id, _)| !simplex.is_redundant(*id));
        self.inequalities.extend(essential.map(|(_, form)| form));
    }

    /// Whether a constraint says that the form is not negative, as their coefficients show.
    pub(super) fn imply(&self, form: &Form<'_>) -> bool {
        self.inequalities.iter().any(|own| form.is_implied_by(own))
            || self
                .equalities
                .iter()
                .any(|own| form.is_implied_by(&own.form) || form.is_implied_by_negation(&own.form))
    }

    /// Whether an equality says that the form is zero, as their coefficients show.
    pub(super) fn imply_zero(&self, form: &Form<'_>) -> bool {
        self.equalities.iter().any(|own| form.has_zeros_of(&own.form))
    }
}
