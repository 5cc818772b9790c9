//! Expressions of goals: `x[n-1-i]`, `s(x[i]) < s(y[i]) ? -1 : 0`, `sum(j, 0, n, x[j])`.
//!
//! ```text
//! expr   = or ('?' expr ':' expr)?
//! levels = == != < <= > >=   |   ^   &   << >>   + -   * / %   unary - ~     weakest first
//! leaf   = integer | 'i' | 'n' | name | name '[' expr ']' | function '(' expr, … ')' | '(' expr ')'
//! ```

/// Nesting of an expression.
const MAX_DEPTH: usize = 64;

/// An expression with the place of each part that can be wrong.
#[derive(Clone, Debug)]
pub(super) enum Expression {
    Integer(i64),
    /// A variable: an index, or an input of one element.
    Name(String, usize),
    /// An element of an input.
    Element(String, Box<Expression>, usize),
    Unary(char, Box<Expression>),
    Binary(&'static str, Box<Expression>, Box<Expression>, usize),
    Choice(Box<Expression>, Box<Expression>, Box<Expression>),
    Call(String, Vec<Expression>, usize),
}

/// What is wrong, and the offset in bytes where.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Fault {
    pub(super) offset: usize,
    pub(super) message: String,
}

impl Fault {
    pub(super) fn new<T>(offset: usize, message: impl Into<String>) -> Result<T, Fault> {
        Err(Fault { offset, message: message.into() })
    }
}

/// Binary operators by level, weakest first; longer spellings before their prefixes.
const LEVELS: &[&[&str]] = &[
    &["==", "!=", "<=", ">=", "<", ">"],
    &["|"],
    &["^"],
    &["&"],
    &["<<", ">>"],
    &["+", "-"],
    &["*", "/", "%"],
];

/// Reads a whole expression.
pub(super) fn parse(text: &str) -> Result<Expression, Fault> {
    let mut parser = Parser { text, at: 0, depth: 0 };
    let expression = parser.choice()?;
    parser.space();
    match parser.rest() {
        "" => Ok(expression),
        _ => Fault::new(parser.at, "expected an operator or the end"),
    }
}

struct Parser<'a> {
    text: &'a str,
    at: usize,
    depth: usize,
}

impl<'a> Parser<'a> {
    fn rest(&self) -> &'a str {
        &self.text[self.at..]
    }

    fn space(&mut self) {
        self.at += self.rest().len() - self.rest().trim_start().len();
    }

    fn take(&mut self, token: &str) -> bool {
        self.space();
        let found = self.rest().starts_with(token);
        if found {
            self.at += token.len();
        }
        found
    }

    fn expect(&mut self, token: &str) -> Result<(), Fault> {
        if self.take(token) { Ok(()) } else { Fault::new(self.at, format!("expected `{token}`")) }
    }

    fn choice(&mut self) -> Result<Expression, Fault> {
        self.depth += 1;
        if self.depth > MAX_DEPTH {
            return Fault::new(self.at, format!("more than {MAX_DEPTH} levels of nesting"));
        }
        let condition = self.binary(0)?;
        let expression = if self.take("?") {
            let then = self.choice()?;
            self.expect(":")?;
            let otherwise = self.choice()?;
            Expression::Choice(Box::new(condition), Box::new(then), Box::new(otherwise))
        } else {
            condition
        };
        self.depth -= 1;
        Ok(expression)
    }

    fn operator(&mut self, level: usize) -> Option<&'static str> {
        self.space();
        let rest = self.rest();
        let found = LEVELS[level].iter().find(|operator| rest.starts_with(**operator))?;
        // `<` is not the start of `<<`.
        if matches!(*found, "<" | ">") && rest[1..].starts_with(*found) {
            return None;
        }
        self.at += found.len();
        Some(found)
    }

    fn binary(&mut self, level: usize) -> Result<Expression, Fault> {
        if level == LEVELS.len() {
            return self.unary();
        }
        let mut left = self.binary(level + 1)?;
        loop {
            let at = self.at;
            let Some(operator) = self.operator(level) else { return Ok(left) };
            let right = self.binary(level + 1)?;
            left = Expression::Binary(operator, Box::new(left), Box::new(right), at);
        }
    }

    fn unary(&mut self) -> Result<Expression, Fault> {
        let mut operators = Vec::new();
        while let Some(operator) =
            ['-', '~'].into_iter().find(|operator| self.take(operator.encode_utf8(&mut [0; 4])))
        {
            operators.push(operator);
            if operators.len() > MAX_DEPTH {
                return Fault::new(self.at, format!("more than {MAX_DEPTH} levels of nesting"));
            }
        }
        let leaf = self.leaf()?;
        Ok(operators.into_iter().rev().fold(leaf, |of, operator| Expression::Unary(operator, Box::new(of))))
    }

    fn leaf(&mut self) -> Result<Expression, Fault> {
        if self.take("(") {
            let inner = self.choice()?;
            self.expect(")")?;
            return Ok(inner);
        }
        let (start, rest) = (self.at, self.rest());
        let end = rest.find(|c: char| !c.is_ascii_alphanumeric() && c != '_').unwrap_or(rest.len());
        let word = &rest[..end];
        if word.is_empty() {
            return Fault::new(start, "expected a number, a name or `(`");
        }
        self.at += end;
        if word.starts_with(|c: char| c.is_ascii_digit()) {
            let value = match word.strip_prefix("0x") {
                Some(digits) => i64::from_str_radix(digits, 16),
                None => word.parse(),
            };
            return match value {
                Ok(value) => Ok(Expression::Integer(value)),
                Err(_) => Fault::new(start, format!("`{word}` is no integer of 64 bits")),
            };
        }
        if self.take("[") {
            let index = self.choice()?;
            self.expect("]")?;
            return Ok(Expression::Element(word.into(), Box::new(index), start));
        }
        if self.take("(") {
            let mut arguments = vec![self.choice()?];
            while self.take(",") {
                arguments.push(self.choice()?);
            }
            self.expect(")")?;
            return Ok(Expression::Call(word.into(), arguments, start));
        }
        Ok(Expression::Name(word.into(), start))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn faults_say_where() {
        let fault = |text: &str| parse(text).unwrap_err();
        assert_eq!(fault("x[1").offset, 3);
        assert_eq!(fault("x + ").offset, 4);
        assert_eq!(fault("1 2").offset, 2);
        assert_eq!(fault("99999999999999999999").message, "`99999999999999999999` is no integer of 64 bits");
        assert!(fault(&"(".repeat(100)).message.contains("nesting"));
        assert!(fault(&"-".repeat(100)).message.contains("nesting"));
    }

    #[test]
    fn shifts_bind_tighter_than_comparisons() {
        let Expression::Binary("<", _, right, _) = parse("a < b << 2").unwrap() else {
            panic!("no comparison")
        };
        assert!(matches!(*right, Expression::Binary("<<", ..)));
    }
}
