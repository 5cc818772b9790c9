//! How the constraints of one set lie to another set.

use super::form::Form;
use super::piece::Forms;
use crate::rational::Rational;
use crate::set::Points;
use crate::simplex::{Range, Simplex};

/// The values that a form has on a set.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Relation {
    /// It is nowhere negative.
    Valid,
    /// It is negative everywhere, but no integer lies between its greatest value and zero.
    Adjacent,
    /// It is negative somewhere and not negative somewhere.
    Cut,
}

/// The forms of a set by their values on another one.
#[derive(Default)]
pub(super) struct Sides<'p, 'a> {
    /// Those that are zero on both.
    pub(super) equalities: Vec<&'p Form<'a>>,
    /// Those that are negative on neither, without those that are zero on both.
    pub(super) inequalities: Vec<&'p Form<'a>>,
    /// Those that are negative somewhere on the other set. Of an equality, this may be the form or its negation.
    pub(super) beyond: Vec<&'p Form<'a>>,
    /// Whether one of them is negative on all of the other set, but no integer lies between.
    pub(super) adjacent: bool,
}

/// The sides of a set's forms on another set; `None` when a form separates the two.
///
/// Most forms of two sets that come from one problem are the same, which needs no question.
pub(super) fn sides<'p, 'a>(
    forms: &'p Forms<'a>,
    others: &Forms<'_>,
    set: &mut Simplex,
    points: Points,
) -> Option<Sides<'p, 'a>> {
    let mut sides = Sides::default();
    let mut relation = |form: &Form<'_>| match others.imply(form) {
        true => Some(Relation::Valid),
        false => relation(form, set, points),
    };
    for equality in &forms.equalities {
        if others.imply_zero(&equality.form) {
            sides.equalities.push(&equality.form);
            continue;
        }
        let (above, below) = (relation(&equality.form)?, relation(equality.negated())?);
        if (above, below) == (Relation::Valid, Relation::Valid) {
            sides.equalities.push(&equality.form);
        } else {
            sides.push(&equality.form, above);
            sides.push(equality.negated(), below);
        }
    }
    for form in &forms.inequalities {
        sides.push(form, relation(form)?);
    }
    Some(sides)
}

impl<'p, 'a> Sides<'p, 'a> {
    fn push(&mut self, form: &'p Form<'a>, relation: Relation) {
        match relation {
            Relation::Valid => self.inequalities.push(form),
            Relation::Cut | Relation::Adjacent => self.beyond.push(form),
        }
        self.adjacent |= relation == Relation::Adjacent;
    }
}

fn relation(form: &Form<'_>, set: &mut Simplex, points: Points) -> Option<Relation> {
    match set.range(form) {
        Range::NotNegative => Some(Relation::Valid),
        Range::Mixed => Some(Relation::Cut),
        Range::Negative(greatest) => {
            (points == Points::Integer && greatest >= Rational::from(-1)).then_some(Relation::Adjacent)
        }
    }
}
