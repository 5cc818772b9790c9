//! Arithmetic on the numbers of a rule: `n-1`, `2*n`, `1<<(c-1)`, `2^n-1`, over named parameters.

/// What is wrong with an expression, and the byte where it is.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ArithmeticError {
    /// Offset in the text, in bytes.
    pub at: usize,
    /// What is wrong.
    pub message: String,
}

/// How deep parentheses nest.
const MAX_DEPTH: usize = 32;

/// The value of an expression, in which `value` says what names stand for. `/` rounds down and is by positive numbers; `^`
/// is a power.
///
/// ```
/// let value = |name: &str| (name == "n").then_some(8);
/// assert_eq!(rules::evaluate("2^(2*n) - 1", &value), Ok(65535));
/// assert_eq!(rules::evaluate("2*m", &value).unwrap_err().at, 2);
/// ```
pub fn evaluate(text: &str, value: &dyn Fn(&str) -> Option<i128>) -> Result<i128, ArithmeticError> {
    let mut reader = Reader { text, at: 0, value, depth: 0 };
    let sum = reader.sum()?;
    match reader.peek() {
        None => Ok(sum),
        Some(_) => reader.fail("an operator expected"),
    }
}

struct Reader<'a> {
    text: &'a str,
    at: usize,
    value: &'a dyn Fn(&str) -> Option<i128>,
    depth: usize,
}

impl Reader<'_> {
    fn fail<T>(&self, message: impl Into<String>) -> Result<T, ArithmeticError> {
        Err(ArithmeticError { at: self.at, message: message.into() })
    }

    fn peek(&mut self) -> Option<u8> {
        let rest = &self.text.as_bytes()[self.at..];
        self.at += rest.iter().take_while(|byte| byte.is_ascii_whitespace()).count();
        self.text.as_bytes().get(self.at).copied()
    }

    fn checked(&self, at: usize, value: Option<i128>) -> Result<i128, ArithmeticError> {
        value.ok_or(ArithmeticError { at, message: "this number is too large".into() })
    }

    fn sum(&mut self) -> Result<i128, ArithmeticError> {
        let mut left = self.shift()?;
        loop {
            let at = self.at;
            match self.peek() {
                Some(b'+') => {
                    self.at += 1;
                    let right = self.shift()?;
                    left = self.checked(at, left.checked_add(right))?;
                }
                Some(b'-') => {
                    self.at += 1;
                    let right = self.shift()?;
                    left = self.checked(at, left.checked_sub(right))?;
                }
                _ => return Ok(left),
            }
        }
    }

    fn shift(&mut self) -> Result<i128, ArithmeticError> {
        let mut left = self.product()?;
        loop {
            self.peek();
            let at = self.at;
            if !self.text[self.at..].starts_with("<<") {
                return Ok(left);
            }
            self.at += 2;
            let right = self.product()?;
            let factor = u32::try_from(right).ok().and_then(|count| 2i128.checked_pow(count));
            left = self.checked(at, factor.and_then(|factor| left.checked_mul(factor)))?;
        }
    }

    fn product(&mut self) -> Result<i128, ArithmeticError> {
        let mut left = self.power()?;
        loop {
            let at = self.at;
            match self.peek() {
                Some(b'*') => {
                    self.at += 1;
                    let right = self.power()?;
                    left = self.checked(at, left.checked_mul(right))?;
                }
                Some(b'/') => {
                    self.at += 1;
                    let right = self.power()?;
                    if right <= 0 {
                        return Err(ArithmeticError { at, message: "division by a number below 1".into() });
                    }
                    left = left.div_euclid(right);
                }
                _ => return Ok(left),
            }
        }
    }

    fn power(&mut self) -> Result<i128, ArithmeticError> {
        let base = self.atom()?;
        let at = self.at;
        if self.peek() != Some(b'^') {
            return Ok(base);
        }
        self.at += 1;
        let exponent = self.atom()?;
        self.checked(at, u32::try_from(exponent).ok().and_then(|exponent| base.checked_pow(exponent)))
    }

    fn atom(&mut self) -> Result<i128, ArithmeticError> {
        match self.peek() {
            Some(b'(') if self.depth < MAX_DEPTH => {
                self.at += 1;
                self.depth += 1;
                let value = self.sum()?;
                self.depth -= 1;
                if self.peek() != Some(b')') {
                    return self.fail("`)` expected");
                }
                self.at += 1;
                Ok(value)
            }
            Some(b'-') if self.depth < MAX_DEPTH => {
                self.at += 1;
                self.depth += 1;
                let value = self.atom()?;
                self.depth -= 1;
                Ok(-value)
            }
            Some(b'(' | b'-') => self.fail(format!("expressions nest deeper than {MAX_DEPTH}")),
            Some(byte) if byte.is_ascii_digit() => {
                let start = self.at;
                let rest = &self.text[start..];
                self.at += rest.find(|c: char| !c.is_ascii_digit()).unwrap_or(rest.len());
                // Such numbers leave room for a sign.
                self.checked(start, rest[..self.at - start].parse().ok())
            }
            Some(byte) if byte.is_ascii_alphabetic() => {
                let start = self.at;
                let rest = &self.text[start..];
                let is_name = |c: char| c.is_ascii_alphanumeric() || c == '_';
                self.at += rest.find(|c| !is_name(c)).unwrap_or(rest.len());
                let name = &self.text[start..self.at];
                (self.value)(name)
                    .ok_or(ArithmeticError { at: start, message: format!("there is no number `{name}`") })
            }
            _ => self.fail("a number or a name expected"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_bind_as_people_expect() {
        let value = |name: &str| if name == "c" { Some(3) } else { None };
        for (text, expected) in
            [("1+2*3", 7), ("2^c-1", 7), ("1<<c-1", 7), ("1<<(c-1)", 4), ("-c+8", 5), ("(1-8)/2", -4)]
        {
            assert_eq!(evaluate(text, &value), Ok(expected), "{text}");
        }
    }

    #[test]
    fn what_is_no_number_is_refused_where_it_is() {
        let none = |_: &str| None;
        for (text, at) in
            [("", 0), ("1+", 2), ("(1", 2), ("1 2", 2), ("2^200", 1), ("x", 0), ("1/0", 1), ("é", 0)]
        {
            assert_eq!(evaluate(text, &none).unwrap_err().at, at, "{text}");
        }
        assert!(evaluate(&"(".repeat(100), &none).is_err());
    }
}
