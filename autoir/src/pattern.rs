//! Patterns over [`Term`]s, written as s-expressions in the name table.
//!
//! A word matches itself; `_` matches any tree, `k` matches a literal or an immediate, and `T` matches
//! any tree and captures it. The operands of commutative operators match in either order.

use crate::term::Term;

/// A pattern of the name table.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Pattern {
    head: String,
    args: Vec<Pattern>,
}

/// Operators whose two operands may be exchanged.
const COMMUTATIVE: &[&str] = &["add", "mul", "and", "or", "xor", "min", "max", "eq"];

impl Pattern {
    /// Parses a pattern; tests check that every entry of the table can be parsed.
    pub(crate) fn parse(text: &str) -> Option<Self> {
        let spaced = text.replace('(', " ( ").replace(')', " ) ");
        let mut words = spaced.split_whitespace().peekable();
        let pattern = Self::parse_words(&mut words)?;
        words.next().is_none().then_some(pattern)
    }

    fn parse_words<'a>(words: &mut std::iter::Peekable<impl Iterator<Item = &'a str>>) -> Option<Self> {
        match words.next()? {
            ")" => None,
            "(" => {
                let head = words.next().filter(|word| *word != "(" && *word != ")")?.to_owned();
                let mut args = Vec::new();
                while *words.peek()? != ")" {
                    args.push(Self::parse_words(words)?);
                }
                words.next();
                Some(Self { head, args })
            }
            word => Some(Self { head: word.to_owned(), args: Vec::new() }),
        }
    }

    /// Whether the term matches; the captured tree, if the pattern has a `T`, is stored in `captured`.
    pub(crate) fn matches<'t>(&self, term: &'t Term, captured: &mut Option<&'t Term>) -> bool {
        match self.head.as_str() {
            "_" => return true,
            "k" if self.args.is_empty() => return term.args.is_empty() && matches!(term.head, "c" | "n"),
            "T" if self.args.is_empty() => {
                *captured = Some(term);
                return true;
            }
            _ => {}
        }
        if self.head != term.head || self.args.len() != term.args.len() {
            return false;
        }
        if let ([first, second], [left, right]) = (self.args.as_slice(), term.args.as_slice())
            && COMMUTATIVE.contains(&term.head)
            && first.matches(right, captured)
            && second.matches(left, captured)
        {
            return true;
        }
        self.args.iter().zip(&term.args).all(|(pattern, term)| pattern.matches(term, captured))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn add(left: Term, right: Term) -> Term {
        Term { head: "add", args: vec![left, right] }
    }

    #[test]
    fn commutative_operands_match_in_either_order() {
        let pattern = Pattern::parse("(add x (add x k))").unwrap();
        let inner = add(Term::leaf("c"), Term::leaf("x"));
        assert!(pattern.matches(&add(inner.clone(), Term::leaf("x")), &mut None));
        assert!(pattern.matches(&add(Term::leaf("x"), inner), &mut None));
        assert!(!pattern.matches(&add(Term::leaf("x"), Term::leaf("x")), &mut None));
    }

    #[test]
    fn a_hole_captures() {
        let term = add(Term::leaf("x"), Term { head: "abs", args: vec![Term::leaf("x")] });
        let mut captured = None;
        assert!(Pattern::parse("(add x T)").unwrap().matches(&term, &mut captured));
        assert_eq!(captured.unwrap().head, "abs");
    }

    #[test]
    fn malformed_patterns_are_refused() {
        for text in ["", "(", ")", "(add x", "(add x) x", "((add) x)", "(()", "() x)"] {
            assert_eq!(Pattern::parse(text), None, "{text}");
        }
    }

    #[test]
    fn words_with_a_meaning_have_it_only_alone() {
        let matches = |pattern: &str, term: &Term| Pattern::parse(pattern).unwrap().matches(term, &mut None);
        let wrapped = |head, arg| Term { head, args: vec![arg] };
        let literal = Term::leaf("c");
        assert!(matches("k", &literal) && matches("k", &Term::leaf("n")));
        assert!(!matches("k", &Term::leaf("x")) && !matches("k", &wrapped("c", Term::leaf("x"))));
        assert!(matches("_", &wrapped("not", literal.clone())));
        assert!(!matches("(k x)", &literal) && !matches("(T x)", &wrapped("not", Term::leaf("x"))));
        assert!(matches("(sub x _)", &Term { head: "sub", args: vec![Term::leaf("x"), literal.clone()] }));
        // The order of a difference counts, and so does the number of operands.
        assert!(!matches("(sub c x)", &Term { head: "sub", args: vec![Term::leaf("x"), literal.clone()] }));
        assert!(!matches("(not x)", &Term { head: "not", args: vec![Term::leaf("x"), literal] }));
    }
}
