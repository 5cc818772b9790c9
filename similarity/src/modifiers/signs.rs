//! Unsigned operands where another instruction has signed ones.
//!
//! ```text
//! instruction   dst[i] = n[i] < 0 ? a[i] >> -n[i] : a[i] << n[i]                  a is unsigned
//! operation     dst[i] = n[i] < 0 ? (a[i] >> -n[i])[0 +: 16] : a[i] << n[i]       a is signed or unsigned
//! ```
//!
//! An unsigned quotient fits into an element, a signed one is cut to it; and an unsigned sum is one value wherever it is
//! used, while a signed one is read unsigned where only its low bits count. Nothing is left to apply.

use hydride_ir::lane::{Form, Hole, Kind, Slice, Template, Term};

/// Terms of the largest expression that is rewritten.
const MAX_TERMS: usize = 64;

/// The form as it would be if its signs were not known.
pub(super) fn recognize(form: &Form<i64>) -> Vec<Form<i64>> {
    let mut general = form.clone();
    for statement in general.results.iter_mut().flat_map(|result| &mut result.statements) {
        if statement.template.terms.len() > MAX_TERMS {
            return Vec::new();
        }
        statement.template = Rewriter::new(&statement.template).rewritten();
    }
    if general == *form { Vec::new() } else { vec![general] }
}

/// Copies a template from its root down.
struct Rewriter<'a> {
    terms: &'a [Term<i64>],
    /// The copies.
    made: Vec<Term<i64>>,
    /// For each term the position of its last copy.
    positions: Vec<Option<usize>>,
}

impl<'a> Rewriter<'a> {
    fn new(Template { terms }: &'a Template<i64>) -> Self {
        Self { terms, made: Vec::with_capacity(terms.len()), positions: vec![None; terms.len()] }
    }

    fn rewritten(mut self) -> Template<i64> {
        self.copy(self.terms.len() - 1);
        for term in &mut self.made {
            for fold in &mut term.folds {
                *fold = self.positions[*fold].unwrap_or(*fold);
            }
        }
        Template { terms: self.made }
    }

    fn copy(&mut self, position: usize) -> usize {
        let term = &self.terms[position];
        if let Some(made) = self.positions[position].filter(|_| !self.has_own_sign(term)) {
            return made;
        }
        let mut children = Vec::with_capacity(term.children.len());
        for child in &term.children {
            let mut operand = self.copy(*child);
            if let (Kind::Select, Some(slice)) = (&term.kind, self.low_bits(&self.terms[*child])) {
                let folds = self.terms[*child].folds.clone();
                let kind = Kind::Slice(slice);
                self.made.push(Term {
                    kind,
                    children: vec![operand],
                    working: vec![],
                    working_signed: false,
                    folds,
                });
                operand = self.made.len() - 1;
            }
            children.push(operand);
        }
        self.made.push(Term { children, ..term.clone() });
        self.positions[position] = Some(self.made.len() - 1);
        self.made.len() - 1
    }

    /// Whether each use of a term can read an argument with another sign: a slice, or a sum of one and other terms.
    fn has_own_sign(&self, term: &Term<i64>) -> bool {
        let is_leaf = |term: &Term<i64>| matches!(term.kind, Kind::Leaf { .. });
        let is_sum = matches!(term.kind, Kind::Sum { .. }) && term.children.len() > 1;
        is_leaf(term) || is_sum && term.children.iter().any(|child| is_leaf(&self.terms[*child]))
    }

    /// The low bits of a quotient or remainder of unsigned elements, as many as these have.
    fn low_bits(&self, term: &Term<i64>) -> Option<Slice<Hole<i64>>> {
        let (Kind::Shr | Kind::Rem, Some(value)) = (&term.kind, term.children.first()) else { return None };
        let Kind::Leaf { slice, .. } = &self.terms[*value].kind else { return None };
        let zero = slice.signed.clone();
        let is_unsigned = zero.base == 0 && zero.strides.iter().all(|stride| *stride == 0);
        is_unsigned.then(|| Slice { low: zero.clone(), width: slice.width.clone(), signed: zero })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::modifiers::tests::{check, forms};

    #[test]
    fn an_unsigned_remainder_has_the_form_of_a_signed_one() {
        let remainder = |sign: &str| {
            format!(
                "func @remainder(%a: 32, %b: 32) -> (%dst: 32) {{
                   for i in 0..4 {{
                     let remainder = rem.{sign}(cast.{sign}(%a[8*i +: 8], 9), cast.{sign}(%b[8*i +: 8], 9))
                     %dst[8*i +: 8] = cast.u(remainder, 8)
                   }}
                 }}"
            )
        };
        let unsigned = remainder("u");
        check(&forms(recognize, &unsigned), &unsigned, &remainder("s"));
        assert!(forms(recognize, &remainder("s")).is_empty());
    }

    #[test]
    fn an_unsigned_sum_can_be_a_signed_one_in_one_of_two_uses() {
        // The count is used twice: it is read, or computed from what is read.
        let shift = |sign: &str, count: &str| {
            format!(
                "func @shift(%a: 32, %n: 32, %rounding: 32) -> (%dst: 32) {{
                   for i in 0..4 {{
                     let count = {count}
                     let low = add(%a[8*i +: 8], %rounding[8*i +: 8])
                     let all = add(cast.{sign}(%a[8*i +: 8], 10), cast.u(%rounding[8*i +: 8], 10))
                     let right = cast.u(shr.{sign}(all, count), 8)
                     %dst[8*i +: 8] = select(%n[8*i + 7 +: 1], right, shl(low, count))
                   }}
                 }}"
            )
        };
        for count in ["%n[8*i +: 3]", "xor(%n[8*i +: 3], %rounding[8*i +: 3])"] {
            let unsigned = shift("u", count);
            check(&forms(recognize, &unsigned), &unsigned, &shift("s", count));
        }
    }
}
