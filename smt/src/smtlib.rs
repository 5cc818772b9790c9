//! Questions as SMT-LIB 2: the terms of a query, written out.

use std::collections::BTreeMap;
use std::fmt::Write;

use hydride_ir::Bits;

use crate::floats;
use crate::query::Query;
use crate::signature::Range;
use crate::term::{Operator, Relation, Term, TermId, Terms};

/// A question with floating-point operators in their theory, over variables `x0`, `x1`, …: satisfiable where the sides
/// differ. `None` where the theory lacks an operator.
pub fn theory(query: &Query) -> Option<String> {
    let terms = &query.terms;
    let is_known = |id: &TermId| match terms.term(*id) {
        Term::Float(float, operands) => floats::is_known(terms, float, operands),
        _ => true,
    };
    terms.reachable(&query.roots).iter().all(is_known).then(|| {
        let mut functions = BTreeMap::new();
        declare_floats(query, &mut functions);
        let mut text: String = functions.into_values().collect();
        let names: Vec<String> = (0..query.variables.len()).map(|number| format!("x{number}")).collect();
        let differ = question(query, 1, &names, Floats::Theory, &mut text);
        let _ = writeln!(text, "(assert {differ})");
        text
    })
}

/// Adds a declaration for each floating-point operator of a question, by its symbol.
pub fn declare_floats(query: &Query, functions: &mut BTreeMap<String, String>) {
    let terms = &query.terms;
    for id in terms.reachable(&query.roots) {
        let Term::Float(float, operands) = terms.term(id) else { continue };
        let width = terms.width(id);
        let sort = |width: u32| format!("(_ BitVec {width})");
        let domain: Vec<String> = operands.iter().map(|operand| sort(terms.width(*operand))).collect();
        let symbol = terms.symbol(float, operands, width);
        let declaration = format!("(declare-fun |{symbol}| ({}) {})\n", domain.join(" "), sort(width));
        functions.insert(symbol, declaration);
    }
}

/// Writes a question's declarations and definitions; returns the condition that its sides differ.
pub fn question(query: &Query, number: usize, names: &[String], floats: Floats, text: &mut String) -> String {
    for (name, (width, range)) in names.iter().zip(&query.variables) {
        let _ = writeln!(text, "(declare-const {name} (_ BitVec {width}))");
        if let Some(Range { low, high }) = range {
            let relation = if *low < 0 { "bvsle" } else { "bvule" };
            let (low, high) = (self::number(*width, *low), self::number(*width, *high));
            let _ = writeln!(text, "(assert (and ({relation} {low} {name}) ({relation} {name} {high})))");
        }
    }
    let sides = ["l", "r"].into_iter().zip(query.roots).map(|(side, root)| {
        let names = Names { variables: names, prefix: format!("{side}{number}."), floats };
        for id in query.terms.reachable(&[root]) {
            if let Some(definition) = definition(&query.terms, id, &names) {
                let width = query.terms.width(id);
                let _ = writeln!(
                    text,
                    "(define-fun {}{} () (_ BitVec {width}) {definition})",
                    names.prefix, id.0
                );
            }
        }
        reference(&query.terms, root, &names)
    });
    let sides: Vec<String> = sides.collect();
    format!("(distinct {})", sides.join(" "))
}

/// What variables and definitions of one side of a question are called.
struct Names<'a> {
    variables: &'a [String],
    prefix: String,
    floats: Floats,
}

/// How floating-point operators are written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Floats {
    /// As uninterpreted functions.
    Uninterpreted,
    /// In the theory of floating-point numbers.
    Theory,
}

fn number(width: u32, value: i64) -> String {
    let extension = if value < 0 { u64::MAX } else { 0 };
    let words = std::iter::once(value.cast_unsigned());
    literal(&Bits::from_words(width, words.chain(std::iter::repeat_n(extension, (width / 64) as usize))))
}

fn literal(bits: &Bits) -> String {
    match bits.width() % 4 {
        0 => format!("#x{bits:x}"),
        _ => {
            let digits = (0..bits.width()).rev().map(|index| if bits.bit(index) { '1' } else { '0' });
            format!("#b{}", digits.collect::<String>())
        }
    }
}

fn reference(terms: &Terms, id: TermId, names: &Names<'_>) -> String {
    match terms.term(id) {
        Term::Var(number) => names.variables[*number as usize].clone(),
        Term::Const(bits) => literal(bits),
        _ => format!("{}{}", names.prefix, id.0),
    }
}

/// The right-hand side of a term's definition; none for what is referred to directly.
fn definition(terms: &Terms, id: TermId, names: &Names<'_>) -> Option<String> {
    let width = terms.width(id);
    let of = |id: &TermId| reference(terms, *id, names);
    Some(match terms.term(id) {
        Term::Var(_) | Term::Const(_) => return None,
        Term::Extract { of: inner, low } => {
            format!("((_ extract {} {low}) {})", low + width - 1, of(inner))
        }
        Term::Concat(parts) => {
            let (first, rest) = parts.split_first()?;
            rest.iter().fold(of(first), |high, low| format!("(concat {high} {})", of(low)))
        }
        Term::SignExtend(inner) => {
            format!("((_ sign_extend {}) {})", width - terms.width(*inner), of(inner))
        }
        Term::Not(inner) => format!("(bvnot {})", of(inner)),
        Term::Neg(inner) => format!("(bvneg {})", of(inner)),
        Term::Binary(operator, left, right) => {
            let name = match operator {
                Operator::Add => "bvadd",
                Operator::Sub => "bvsub",
                Operator::Mul => "bvmul",
                Operator::UnsignedDiv => "bvudiv",
                Operator::SignedDiv => "bvsdiv",
                Operator::UnsignedRem => "bvurem",
                Operator::SignedRem => "bvsrem",
                Operator::And => "bvand",
                Operator::Or => "bvor",
                Operator::Xor => "bvxor",
                Operator::ShiftLeft => "bvshl",
                Operator::LogicalShiftRight => "bvlshr",
                Operator::ArithmeticShiftRight => "bvashr",
            };
            format!("({name} {} {})", of(left), of(right))
        }
        Term::Compare(relation, left, right) => {
            let name = match relation {
                Relation::Equal => "=",
                Relation::UnsignedLess => "bvult",
                Relation::UnsignedLessEqual => "bvule",
                Relation::SignedLess => "bvslt",
                Relation::SignedLessEqual => "bvsle",
            };
            format!("(ite ({name} {} {}) #b1 #b0)", of(left), of(right))
        }
        Term::Select(condition, then, otherwise) => {
            format!("(ite (= {} #b1) {} {})", of(condition), of(then), of(otherwise))
        }
        Term::Float(float, operands) => {
            let symbol = terms.symbol(float, operands, width);
            let own = terms.width(operands[0]);
            let operands: Vec<String> = operands.iter().map(of).collect();
            let uninterpreted = match (float.commutes(), operands.as_slice()) {
                // The smaller one first, so that the order does not matter.
                (true, [left, right, rest @ ..]) => {
                    let ordered = |a: &str, b: &str| format!("(ite (bvule {left} {right}) {a} {b})");
                    let (low, high) = (ordered(left, right), ordered(right, left));
                    format!("(|{symbol}| {low} {high} {})", rest.join(" "))
                }
                _ => format!("(|{symbol}| {})", operands.join(" ")),
            };
            match names.floats {
                Floats::Uninterpreted => uninterpreted,
                Floats::Theory => floats::value(float, own, width, &operands, &uninterpreted),
            }
        }
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn literals_are_hexadecimal_where_digits_fill_the_width() {
        for (bits, expected) in [
            (Bits::from_u64(8, 0xa5), "#xa5"),
            (Bits::from_u64(4, 0), "#x0"),
            (Bits::from_u64(12, 1), "#x001"),
            (Bits::from_u64(6, 0b10_0101), "#b100101"),
            (Bits::from_u64(1, 1), "#b1"),
        ] {
            assert_eq!(literal(&bits), expected);
        }
        assert_eq!(number(8, -3), "#xfd");
        assert_eq!(number(8, 3), "#x03");
        assert_eq!(number(72, -2), "#xfffffffffffffffffe");
        assert_eq!(number(128, 2), format!("#x{:032x}", 2));
    }

    #[test]
    fn operators_have_the_names_of_smt_lib() {
        let mut terms = Terms::verbatim();
        let (x, y, c) = (terms.variable(0, 8), terms.variable(1, 8), terms.variable(2, 1));
        let names = ["x", "y", "c"].map(str::to_owned);
        let names = Names { variables: &names, prefix: "l1.".to_owned(), floats: Floats::Uninterpreted };
        let check = |term: TermId, terms: &Terms, expected: &str| {
            assert_eq!(definition(terms, term, &names).as_deref(), Some(expected));
        };
        for (operator, name) in [
            (Operator::Add, "bvadd"),
            (Operator::Sub, "bvsub"),
            (Operator::Mul, "bvmul"),
            (Operator::UnsignedDiv, "bvudiv"),
            (Operator::SignedDiv, "bvsdiv"),
            (Operator::UnsignedRem, "bvurem"),
            (Operator::SignedRem, "bvsrem"),
            (Operator::And, "bvand"),
            (Operator::Or, "bvor"),
            (Operator::Xor, "bvxor"),
            (Operator::ShiftLeft, "bvshl"),
            (Operator::LogicalShiftRight, "bvlshr"),
            (Operator::ArithmeticShiftRight, "bvashr"),
        ] {
            let term = terms.binary(operator, x, y);
            check(term, &terms, &format!("({name} x y)"));
        }
        for (relation, name) in [
            (Relation::Equal, "="),
            (Relation::UnsignedLess, "bvult"),
            (Relation::UnsignedLessEqual, "bvule"),
            (Relation::SignedLess, "bvslt"),
            (Relation::SignedLessEqual, "bvsle"),
        ] {
            let term = terms.compare(relation, x, y);
            check(term, &terms, &format!("(ite ({name} x y) #b1 #b0)"));
        }
        let term = terms.extract(x, 2, 5);
        check(term, &terms, "((_ extract 6 2) x)");
        let term = terms.sign_extend(x, 12);
        check(term, &terms, "((_ sign_extend 4) x)");
        let complement = terms.not(x);
        check(complement, &terms, "(bvnot x)");
        let term = terms.neg(y);
        check(term, &terms, "(bvneg y)");
        let term = terms.select(c, x, complement);
        check(term, &terms, &format!("(ite (= c #b1) x l1.{})", complement.0));
        let one = terms.number(4, 1);
        let term = terms.concat(vec![x, one, y]);
        check(term, &terms, "(concat (concat x #x1) y)");
        assert_eq!(definition(&terms, x, &names), None);
        assert_eq!(definition(&terms, one, &names), None);
    }
}
