//! The question as SMT-LIB 2, for other solvers, printed from our own terms.

use std::collections::BTreeSet;
use std::fmt::Write;

use hydride_ir::{Bits, Function};

use crate::signature::{Range, Signature};
use crate::term::{Operator, Relation, Term, TermId, Terms};

/// A script that is satisfiable exactly when one of the pairs can differ.
pub fn script(
    terms: &Terms,
    signature: &Signature,
    left: &Function,
    right: &Function,
    pairs: &[(TermId, TermId)],
) -> String {
    let names = argument_names(left);
    let mut text = String::new();
    let comment = |name: &str| name.replace(['\n', '\r'], " ");
    let _ = writeln!(text, "; @{} = @{}: unsat means equal", comment(&left.name), comment(&right.name));
    text.push_str("(set-logic QF_BV)\n");
    for ((name, width), range) in names.iter().zip(&signature.widths).zip(&signature.ranges) {
        let _ = writeln!(text, "(declare-const {name} (_ BitVec {width}))");
        if let Some(Range { low, high }) = range {
            let relation = if *low < 0 { "bvsle" } else { "bvule" };
            let (low, high) = (number(*width, *low), number(*width, *high));
            let _ = writeln!(text, "(assert (and ({relation} {low} {name}) ({relation} {name} {high})))");
        }
    }
    let roots: Vec<TermId> = pairs.iter().flat_map(|(left, right)| [*left, *right]).collect();
    for id in terms.reachable(&roots) {
        if let Some(definition) = definition(terms, id, &names) {
            let _ = writeln!(text, "(define-fun t{} () (_ BitVec {}) {definition})", id.0, terms.width(id));
        }
    }
    text.push_str("(assert (or false");
    for (left, right) in pairs {
        let _ = write!(
            text,
            "\n  (distinct {} {})",
            reference(terms, *left, &names),
            reference(terms, *right, &names)
        );
    }
    text.push_str("))\n(check-sat)\n");
    text
}

/// The arguments' names as symbols, made distinct by their positions where necessary.
fn argument_names(function: &Function) -> Vec<String> {
    let mut seen = BTreeSet::new();
    let names = function.args.iter().enumerate().map(|(position, arg)| {
        let mut name: String =
            arg.name.chars().filter(|c| c.is_ascii_graphic() && !"|\\".contains(*c)).collect();
        if name.is_empty() || !seen.insert(name.clone()) {
            name = format!("{name}@{position}");
            seen.insert(name.clone());
        }
        format!("|{name}|")
    });
    names.collect()
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

fn reference(terms: &Terms, id: TermId, names: &[String]) -> String {
    match terms.term(id) {
        Term::Var(number) => names[*number as usize].clone(),
        Term::Const(bits) => literal(bits),
        _ => format!("t{}", id.0),
    }
}

/// The right-hand side of a term's definition; none for what is referred to directly.
fn definition(terms: &Terms, id: TermId, names: &[String]) -> Option<String> {
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
    })
}
