//! Bitwise operators of flags as those of words.
//!
//! ```text
//! instruction   dst[i] = a[i] | 1 - b[i]          one bit
//! operation     dst[i] = a[i] | ~b[i]             any width
//! ```
//!
//! Nothing is left to apply: the instruction is the operation with elements of one bit.

use hydride_ir::lane::{Form, Kind, Template, Term};

/// Forms of one-bit elements with their complements `1 - x` as complements of every bit, of which the low one is kept,
/// as for wider elements. The operands of the surrounding operator may come in either order.
pub(super) fn recognize(form: &Form<i64>) -> Vec<Form<i64>> {
    let [result] = form.results.as_slice() else { return Vec::new() };
    let [statement] = result.statements.as_slice() else { return Vec::new() };
    [false, true]
        .into_iter()
        .filter_map(|flip| {
            let mut form = form.clone();
            form.results[0].statements[0].template = as_words(&statement.template, flip)?;
            Some(form)
        })
        .collect()
}

/// A bitwise operator of two bits, one of them complemented; `flip` exchanges its operands.
fn as_words(template: &Template<i64>, flip: bool) -> Option<Template<i64>> {
    let terms = &template.terms;
    let root = terms.last()?;
    let Kind::Slice(slice) = &root.kind else { return None };
    let operator = terms.get(*root.children.first()?)?;
    let [left, right] = operator.children[..] else { return None };
    if (slice.low.base, slice.width.base) != (0, 1)
        || !matches!(operator.kind, Kind::And | Kind::Or | Kind::Xor)
    {
        return None;
    }
    let mut changed = false;
    let mut found: Vec<Term<i64>> = Vec::new();
    let mut children = Vec::new();
    for operand in if flip { [right, left] } else { [left, right] } {
        let term = &terms[operand];
        let bit = match (&term.kind, &term.children[..]) {
            (Kind::Leaf { .. }, _) => operand,
            (Kind::Xor, [one, bit]) if is_one(&terms[*one]) => *bit,
            (Kind::Xor, [bit, one]) if is_one(&terms[*one]) => *bit,
            _ => return None,
        };
        if !matches!(terms[bit].kind, Kind::Leaf { .. }) {
            return None;
        }
        found.push(terms[bit].clone());
        if bit != operand {
            changed = true;
            found.push(Term { kind: Kind::Not, children: vec![found.len() - 1], ..term.clone() });
            // The complement of an element is cut to its width.
            found.push(Term { children: vec![found.len() - 1], ..root.clone() });
        }
        children.push(found.len() - 1);
    }
    found.push(Term { children, ..operator.clone() });
    found.push(Term { children: vec![found.len() - 1], ..root.clone() });
    changed.then_some(Template { terms: found })
}

fn is_one(term: &Term<i64>) -> bool {
    matches!(&term.kind, Kind::Const(value) if value.base == 1 && !value.varies())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::modifiers::tests::{check, forms};

    #[test]
    fn a_complemented_flag_is_a_complemented_word() {
        let or_not = |width: u32| {
            let slice = |arg: &str| format!("%{arg}[{width}*i +: {width}]");
            let size = 4 * width;
            format!(
                "func @or_not(%a: {size}, %b: {size}) -> (%dst: {size}) {{
                   for i in 0..4 {{ %dst[{width}*i +: {width}] = or({}, not({})) }}
                 }}",
                slice("a"),
                slice("b")
            )
        };
        let (flags, words) = (or_not(1), or_not(8));
        check(&forms(recognize, &flags), &flags, &words);
        assert!(forms(recognize, &words).is_empty());
    }
}
