//! Flags of one bit as masks.
//!
//! ```text
//! instruction   dst[i] = a[i] < b[i]                   one bit
//! operation     dst[i] = a[i] < b[i] ? -1 : 0          any width
//! ```
//!
//! Nothing is left to apply: the instruction is the operation with elements of one bit.

use hydride_ir::lane::{Form, Kind};

/// A form that writes flags as one that writes the low bit of each flag's sign-extension, if every element is one bit.
/// Wider masks have the same structure.
pub(super) fn recognize(form: &Form<i64>) -> Vec<Form<i64>> {
    Vec::from_iter(as_masks(form))
}

fn as_masks(form: &Form<i64>) -> Option<Form<i64>> {
    let mut form = form.clone();
    for statement in form.results.iter_mut().flat_map(|result| &mut result.statements) {
        let terms = &mut statement.template.terms;
        let root = terms.len().checked_sub(1)?;
        let mut low_bit = terms[root].clone();
        let (Kind::Slice(flag), Kind::Slice(bit)) = (&mut terms[root].kind, &mut low_bit.kind) else {
            return None;
        };
        if flag.width.base != 1 {
            return None;
        }
        flag.signed.base = 1;
        bit.low.base = 0;
        low_bit.children = vec![root];
        terms.push(low_bit);
    }
    Some(form)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::modifiers::tests::{check, forms};

    #[test]
    fn a_comparison_into_flags_is_one_into_masks() {
        let flags = "func @flags(%a: 32, %b: 32) -> (%dst: 4) {
          for i in 0..4 { %dst[i +: 1] = lt.s(%a[8*i +: 8], %b[8*i +: 8]) }
        }";
        let masks = "func @masks(%a: 32, %b: 32) -> (%dst: 32) {
          for i in 0..4 { %dst[8*i +: 8] = cast.s(lt.s(%a[8*i +: 8], %b[8*i +: 8]), 8) }
        }";
        check(&forms(recognize, flags), flags, masks);
        assert!(forms(recognize, masks).is_empty());
    }
}
