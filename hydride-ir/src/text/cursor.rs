//! A position in the text: white space, punctuation, words, names and plain integers.

use std::borrow::Cow;

use super::{ParseError, is_identifier_byte, is_name_byte};

/// Blocks, expressions and numbers nest at most this deep.
const MAX_DEPTH: usize = 512;

/// A text and how far it has been read.
pub(super) struct Cursor<'t> {
    text: &'t str,
    position: usize,
    depth: usize,
}

impl<'t> Cursor<'t> {
    pub(super) fn new(text: &'t str) -> Self {
        Self { text, position: 0, depth: 0 }
    }

    /// An error at the next token.
    pub(super) fn error<T>(&mut self, message: impl Into<String>) -> Result<T, ParseError> {
        self.skip();
        self.error_at(self.position, message)
    }

    /// An error at a position that [`Cursor::mark`] gave.
    pub(super) fn error_at<T>(&self, position: usize, message: impl Into<String>) -> Result<T, ParseError> {
        let before = &self.text.as_bytes()[..position.min(self.text.len())];
        let line_start = before.iter().rposition(|byte| *byte == b'\n').map_or(0, |newline| newline + 1);
        Err(ParseError {
            line: 1 + before.iter().filter(|byte| **byte == b'\n').count(),
            // Continuation bytes of UTF-8 start no character.
            column: 1 + before[line_start..].iter().filter(|byte| **byte & 0xc0 != 0x80).count(),
            message: message.into(),
        })
    }

    /// An error that names the token found instead of the expected one.
    pub(super) fn expected<T>(&mut self, what: &str) -> Result<T, ParseError> {
        self.skip();
        let found = match self.text[self.position..].chars().next() {
            None => "the end of the text".to_owned(),
            Some(first) if first.is_ascii_alphanumeric() => {
                let word = self.run(is_identifier_byte);
                self.position -= word.len();
                format!("`{}`", word.get(..40).unwrap_or(word))
            }
            Some(first) => format!("`{}`", first.escape_debug()),
        };
        self.error(format!("expected {what}, found {found}"))
    }

    /// The position of the next token.
    pub(super) fn mark(&mut self) -> usize {
        self.skip();
        self.position
    }

    /// Enters a nested construct; [`Cursor::leave`] ends it.
    pub(super) fn enter(&mut self) -> Result<(), ParseError> {
        self.depth += 1;
        if self.depth > MAX_DEPTH {
            return self.error(format!("nested more than {MAX_DEPTH} deep"));
        }
        Ok(())
    }

    pub(super) fn leave(&mut self) {
        self.depth -= 1;
    }

    fn skip(&mut self) {
        let bytes = self.text.as_bytes();
        while let Some(byte) = bytes.get(self.position) {
            match byte {
                b' ' | b'\n' | b'\t' | b'\r' => self.position += 1,
                b'#' => {
                    let rest = &bytes[self.position..];
                    self.position += rest.iter().position(|byte| *byte == b'\n').unwrap_or(rest.len());
                }
                _ => break,
            }
        }
    }

    /// The first byte of the next token.
    pub(super) fn peek(&mut self) -> Option<u8> {
        self.skip();
        self.text.as_bytes().get(self.position).copied()
    }

    /// The byte after the next token's first one.
    pub(super) fn peek_second(&mut self) -> Option<u8> {
        self.skip();
        self.text.as_bytes().get(self.position + 1).copied()
    }

    pub(super) fn at_end(&mut self) -> bool {
        self.peek().is_none()
    }

    /// Reads the punctuation if it comes next.
    pub(super) fn eat(&mut self, punctuation: &str) -> bool {
        self.skip();
        let found = self.text.as_bytes()[self.position..].starts_with(punctuation.as_bytes());
        if found {
            self.position += punctuation.len();
        }
        found
    }

    pub(super) fn expect(&mut self, punctuation: &str) -> Result<(), ParseError> {
        if self.eat(punctuation) { Ok(()) } else { self.expected(&format!("`{punctuation}`")) }
    }

    /// Reads the word if it comes next.
    pub(super) fn eat_word(&mut self, word: &str) -> bool {
        self.skip();
        let rest = &self.text.as_bytes()[self.position..];
        let found = rest.starts_with(word.as_bytes())
            && !rest.get(word.len()).is_some_and(|byte| is_identifier_byte(*byte));
        if found {
            self.position += word.len();
        }
        found
    }

    pub(super) fn expect_word(&mut self, word: &str) -> Result<(), ParseError> {
        if self.eat_word(word) { Ok(()) } else { self.expected(&format!("`{word}`")) }
    }

    /// The longest run of such (ASCII) bytes from here, without skipping white space.
    fn run(&mut self, accept: fn(u8) -> bool) -> &'t str {
        let rest = &self.text.as_bytes()[self.position..];
        let length = rest.iter().position(|byte| !accept(*byte)).unwrap_or(rest.len());
        let start = self.position;
        self.position += length;
        &self.text[start..self.position]
    }

    /// Reads an identifier; `what` describes its role, for the error message.
    pub(super) fn identifier(&mut self, what: &str) -> Result<&'t str, ParseError> {
        match self.peek() {
            Some(first) if first.is_ascii_alphabetic() || first == b'_' => Ok(self.run(is_identifier_byte)),
            _ => self.expected(what),
        }
    }

    /// Reads a sigil and the name that follows it.
    pub(super) fn name(&mut self, sigil: &str) -> Result<Cow<'t, str>, ParseError> {
        self.expect(sigil)?;
        if self.text.as_bytes().get(self.position) == Some(&b'"') {
            return self.quoted_name();
        }
        match self.run(is_name_byte) {
            "" => self.expected(&format!("a name after `{sigil}`")),
            name => Ok(Cow::Borrowed(name)),
        }
    }

    fn quoted_name(&mut self) -> Result<Cow<'t, str>, ParseError> {
        let start = self.position;
        let mut name = String::new();
        let mut characters = self.text[start + 1..].char_indices();
        while let Some((offset, character)) = characters.next() {
            match character {
                '"' => {
                    self.position = start + 1 + offset + 1;
                    return Ok(Cow::Owned(name));
                }
                '\n' => break,
                '\\' => match characters.next() {
                    Some((_, 'n')) => name.push('\n'),
                    Some((_, escaped @ ('"' | '\\'))) => name.push(escaped),
                    _ => return self.error_at(start + 1 + offset, "unknown escape in a name"),
                },
                _ => name.push(character),
            }
        }
        self.error_at(start, "the name has no closing quote")
    }

    /// Reads a decimal integer without a sign.
    pub(super) fn magnitude(&mut self) -> Result<u64, ParseError> {
        let start = self.mark();
        let digits = self.run(|byte| byte.is_ascii_digit());
        if digits.is_empty() {
            return self.expected("a number");
        }
        digits.parse().or_else(|_| self.error_at(start, "the number does not fit 64 bits"))
    }

    /// Reads a decimal integer with or without a minus sign.
    pub(super) fn integer(&mut self) -> Result<i64, ParseError> {
        let start = self.mark();
        let negative = self.eat("-");
        let magnitude = self.magnitude()?;
        self.signed(start, negative, magnitude)
    }

    /// The signed value of a magnitude read at `start`.
    pub(super) fn signed(&self, start: usize, negative: bool, magnitude: u64) -> Result<i64, ParseError> {
        let value = if negative { -i128::from(magnitude) } else { i128::from(magnitude) };
        i64::try_from(value).or_else(|_| self.error_at(start, "the number does not fit 64 bits"))
    }

    /// Reads hexadecimal digits that follow directly.
    pub(super) fn hex_digits(&mut self) -> &'t str {
        self.run(|byte| byte.is_ascii_hexdigit())
    }
}

#[cfg(test)]
mod tests {
    use crate::Function;

    /// The error of a text as `LINE:COLUMN: MESSAGE`; nothing if it can be read.
    fn error(text: &str) -> String {
        Function::parse(text).map_or_else(|error| error.to_string(), |_| String::new())
    }

    #[test]
    fn quoted_names_end_on_their_line() {
        for (name, expected) in [
            (r#""a b""#, ""),
            (r#""a\\\"\n""#, ""),
            (r#""a\q""#, "1:9: unknown escape in a name"),
            (r#""a\"#, "1:9: unknown escape in a name"),
            ("\"a\nb\"", "1:7: the name has no closing quote"),
            ("\"a", "1:7: the name has no closing quote"),
        ] {
            let text = format!("func @{name}(%a: 8) -> (%r: 8) {{ %r[0 +: 8] = %a }}");
            let found = error(&text);
            assert!(
                found.starts_with(expected) && found.is_empty() == expected.is_empty(),
                "{name}: {found}"
            );
        }
    }

    #[test]
    fn integers_have_64_bits() {
        for (number, expected) in [
            ("9223372036854775807", ""),
            ("-9223372036854775808", ""),
            ("9223372036854775808", "the number does not fit 64 bits"),
            ("-9223372036854775809", "the number does not fit 64 bits"),
            ("18446744073709551616", "the number does not fit 64 bits"),
            ("x", "expected a number"),
        ] {
            let text =
                format!("func @f(%a: 8 imm {number}..=9223372036854775807) -> (%r: 8) {{ %r[0 +: 8] = %a }}");
            let found = error(&text);
            assert_eq!(found.is_empty(), expected.is_empty(), "{number}: {found}");
            assert!(found.contains(expected), "{number}: {found}");
        }
    }

    #[test]
    fn a_word_does_not_begin_with_a_digit_or_a_sign() {
        for (text, expected) in [
            ("%r[0 +: 8] = ?", "1:42: expected an expression, found `?`"),
            ("%r[?*2 +: 8] = %a", "1:32: expected a number, parameter or index, found `?`"),
            ("for 2i in 0..1 { }", ", found `2i`"),
            ("let ? = %a", ", found `?`"),
        ] {
            let found = error(&format!("func @f(%a: 8) -> (%r: 8) {{ {text} }}"));
            assert!(found.contains(expected), "{text}: {found}");
        }
    }

    #[test]
    fn errors_are_counted_in_characters_from_one() {
        for (text, expected) in [
            ("", "1:1: "),
            ("\n\n  func", "3:7: "),
            ("# ünï\nfünc", "2:1: "),
            ("func @f(%\"ü\": 8) -> (%r: 8) { ? }", "1:31: "),
            ("func @f(%a: 8) -> (%r: 8) {\n\t%r[0 +: 8] = %b }", "2:"),
        ] {
            let found = error(text);
            assert!(found.starts_with(expected), "{text}: {found}");
        }
    }

    #[test]
    fn any_name_is_printed_so_that_it_is_read_again() {
        for (name, printed) in [
            ("a_1.b", "a_1.b"),
            ("a b", "\"a b\""),
            ("a\"b", "\"a\\\"b\""),
            ("a\\b", "\"a\\\\b\""),
            ("a\nb", "\"a\\nb\""),
        ] {
            let mut function = Function::parse("func @f(%a: 8) -> (%r: 8) { %r[0 +: 8] = %a }").unwrap();
            name.clone_into(&mut function.name);
            let text = function.to_string();
            assert!(text.starts_with(&format!("func @{printed}(")), "{text}");
            assert_eq!(Function::parse(&text).unwrap().name, name);
        }
    }
}
