//! The textual form of rules, and what can be wrong with it.
//!
//! ```text
//! # The average of two bytes needs no wider type.
//! (rule average
//!   (for s sign) (for n width)
//!   (from (cast:{s}{n} (shift_right:{s}{2*n}
//!     (add:{s}{2*n} (cast:{s}{2*n} a:{s}{n}) (cast:{s}{2*n} b:{s}{n})) 1:u{2*n})))
//!   (to (halving_add:{s}{n} a:{s}{n} b:{s}{n})))
//! ```
//!
//! Expressions are those of windows, for one lane: a rule of lanes holds for any number of them. In braces stands arithmetic
//! over the rule's parameters. A name is a **variable**, which stands for any expression of its type. Clauses:
//!
//! - `(for NAME VALUE…)`: a parameter with its values: numbers, or kinds of types (`u`, `i`). `width` stands for 8, 16, 32 and 64,
//!   `sign` for `u` and `i`; of these a rule has the instances whose types exist.
//! - `(constant NAME [LOW HIGH])`: a variable that stands for literals only, by default all of its type.
//! - `(uniform NAME)`: a variable that stands for what is the same in all lanes.
//! - `(range NAME LOW HIGH)`: the least and the greatest value of a variable.
//! - `(bits NAME MASK VALUE)`: known bits: those of the mask have this value.
//! - `(when CONDITION…)`: what else must hold, for instance that two constants are equal.
//! - `(one_way)`: selection looks for the pattern alone, and not for what replaces it.
//! - `(from EXPRESSION)`, and `(to EXPRESSION)`, which a rule that is only a pattern does not have.

use std::fmt;

/// Rules of one file, at most.
const MAX_RULES: usize = 10_000;

/// How deep parentheses nest.
const MAX_DEPTH: usize = 256;

/// Text that is no rule.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{line}:{column}: {message}")]
pub struct RuleError {
    /// The line, from 1.
    pub line: usize,
    /// The column in bytes, from 1.
    pub column: usize,
    /// What is wrong.
    pub message: String,
}

/// A piece of a file's text.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Piece {
    /// The text.
    pub text: String,
    /// Where it starts, in bytes.
    pub at: usize,
}

/// The values of a parameter.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Values {
    /// Widths of types that exist.
    Widths,
    /// Signed and unsigned.
    Signs,
    /// These words.
    Words(Vec<String>),
}

/// What a variable may stand for.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub enum Binds {
    /// Any expression.
    #[default]
    Anything,
    /// What is the same in all lanes.
    Uniform,
    /// Literals.
    Constant,
}

/// A statement on a variable.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct About {
    /// The variable's name.
    pub name: Piece,
    /// What is said: the range's ends, or the mask and its value.
    pub numbers: Vec<Piece>,
}

/// A rule as it is written.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Rule {
    /// Its name.
    pub name: String,
    /// Where the rule starts, in bytes.
    pub at: usize,
    /// The line where it starts, from 1.
    pub line: usize,
    /// Its parameters in order.
    pub parameters: Vec<(String, Values)>,
    /// Variables that do not stand for anything, with what they do stand for.
    pub binds: Vec<(Piece, Binds)>,
    /// The ranges of variables.
    pub ranges: Vec<About>,
    /// Known bits of variables.
    pub bits: Vec<About>,
    /// Conditions.
    pub conditions: Vec<Piece>,
    /// Whether only the pattern is looked for.
    pub one_way: bool,
    /// The pattern.
    pub from: Piece,
    /// What replaces it.
    pub to: Option<Piece>,
}

/// Line and column of a byte, from 1.
pub fn place(text: &str, at: usize) -> (usize, usize) {
    let before = &text.as_bytes()[..at.min(text.len())];
    let line = before.iter().filter(|byte| **byte == b'\n').count() + 1;
    let start = before.iter().rposition(|byte| *byte == b'\n').map_or(0, |newline| newline + 1);
    (line, before.len() - start + 1)
}

/// An error at a byte of a text.
pub fn error_at(text: &str, at: usize, message: impl Into<String>) -> RuleError {
    let (line, column) = place(text, at);
    RuleError { line, column, message: message.into() }
}

/// Reads the rules of a file.
pub fn read(text: &str) -> Result<Vec<Rule>, RuleError> {
    let mut reader = Reader { text, at: 0 };
    let mut rules: Vec<Rule> = Vec::new();
    let mut names = rustc_hash::FxHashSet::default();
    while reader.peek().is_some() {
        if rules.len() >= MAX_RULES {
            return Err(error_at(text, reader.at, format!("more than {MAX_RULES} rules")));
        }
        let rule = reader.rule()?;
        if !names.insert(rule.name.clone()) {
            return Err(error_at(text, rule.at, format!("two rules are called {}", rule.name)));
        }
        rules.push(rule);
    }
    Ok(rules)
}

struct Reader<'a> {
    text: &'a str,
    at: usize,
}

impl<'a> Reader<'a> {
    fn fail<T>(&self, at: usize, message: impl Into<String>) -> Result<T, RuleError> {
        Err(error_at(self.text, at, message))
    }

    fn peek(&mut self) -> Option<u8> {
        let bytes = self.text.as_bytes();
        loop {
            match bytes.get(self.at)? {
                b'#' => {
                    let rest = &bytes[self.at..];
                    self.at += rest.iter().position(|byte| *byte == b'\n').unwrap_or(rest.len());
                }
                byte if byte.is_ascii_whitespace() => self.at += 1,
                byte => return Some(*byte),
            }
        }
    }

    fn word(&mut self) -> Result<(usize, &'a str), RuleError> {
        self.peek();
        let (start, mut depth) = (self.at, 0usize);
        // Blanks in braces belong to the word.
        for (at, c) in self.text[start..].char_indices() {
            match c {
                '{' => depth += 1,
                '}' => depth = depth.saturating_sub(1),
                '(' | ')' | '#' if depth == 0 => break,
                c if c.is_whitespace() && depth == 0 => break,
                _ => {}
            }
            self.at = start + at + c.len_utf8();
        }
        if self.at == start {
            return self.fail(start, "a word expected");
        }
        Ok((start, &self.text[start..self.at]))
    }

    fn open(&mut self) -> Result<usize, RuleError> {
        match self.peek() {
            Some(b'(') => {
                self.at += 1;
                Ok(self.at - 1)
            }
            _ => self.fail(self.at, "`(` expected"),
        }
    }

    fn close(&mut self, open: usize) -> Result<(), RuleError> {
        match self.peek() {
            Some(b')') => {
                self.at += 1;
                Ok(())
            }
            Some(_) => self.fail(self.at, "`)` expected"),
            None => self.fail(open, "this `(` is not closed"),
        }
    }

    /// One expression as text: a word, or what is in parentheses. Comments in it become blanks.
    fn expression(&mut self) -> Result<Piece, RuleError> {
        if self.peek() != Some(b'(') {
            let (at, word) = self.word()?;
            return Ok(Piece { text: word.to_owned(), at });
        }
        let (start, mut depth, mut copied) = (self.at, 0usize, String::new());
        loop {
            let before = self.at;
            let Some(byte) = self.peek() else { return self.fail(start, "this `(` is not closed") };
            copied.extend(std::iter::repeat_n(' ', self.at - before));
            match byte {
                b'(' => depth += 1,
                b')' => depth -= 1,
                _ => {
                    let (_, word) = self.word()?;
                    copied += word;
                    continue;
                }
            }
            if depth > MAX_DEPTH {
                return self.fail(self.at, format!("parentheses nest deeper than {MAX_DEPTH}"));
            }
            copied.push(char::from(byte));
            self.at += 1;
            if depth == 0 {
                return Ok(Piece { text: copied, at: start });
            }
        }
    }

    fn rule(&mut self) -> Result<Rule, RuleError> {
        let open = self.open()?;
        let (at, word) = self.word()?;
        if word != "rule" {
            return self.fail(at, format!("`{word}` is nothing that a file of rules has: `rule` expected"));
        }
        let (_, name) = self.word()?;
        let line = place(self.text, open).0;
        let mut rule = Rule { name: name.to_owned(), at: open, line, ..Rule::default() };
        while self.peek() == Some(b'(') {
            self.clause(&mut rule)?;
        }
        self.close(open)?;
        if rule.from.text.is_empty() {
            return self.fail(open, format!("rule {name} has no pattern: `(from EXPRESSION)` is missing"));
        }
        Ok(rule)
    }

    fn clause(&mut self, rule: &mut Rule) -> Result<(), RuleError> {
        let open = self.open()?;
        let (at, word) = self.word()?;
        let piece = |(at, text): (usize, &str)| Piece { text: text.to_owned(), at };
        match word {
            "for" => {
                let (at, name) = self.word()?;
                let is_name = name.starts_with(|c: char| c.is_ascii_alphabetic())
                    && name.chars().all(|c| c.is_ascii_alphanumeric() || c == '_');
                if !is_name || rule.parameters.iter().any(|(other, _)| other == name) {
                    return self.fail(at, format!("`{name}` is no new name of a parameter"));
                }
                let mut words = Vec::new();
                while self.peek().is_some_and(|byte| byte != b')') {
                    words.push(self.word()?.1.to_owned());
                }
                let values = match &words[..] {
                    [] => return self.fail(at, format!("parameter {name} has no values")),
                    [only] if only == "width" => Values::Widths,
                    [only] if only == "sign" => Values::Signs,
                    _ => Values::Words(words),
                };
                rule.parameters.push((name.to_owned(), values));
            }
            "constant" | "uniform" | "range" | "bits" => {
                let name = piece(self.word()?);
                let mut numbers = Vec::new();
                while self.peek().is_some_and(|byte| byte != b')') {
                    numbers.push(piece(self.word()?));
                }
                let binds = if word == "constant" { Binds::Constant } else { Binds::Uniform };
                let allowed: &[usize] = match word {
                    "constant" => &[0, 2],
                    "uniform" => &[0],
                    _ => &[2],
                };
                if !allowed.contains(&numbers.len()) {
                    return self.fail(at, format!("`{word}` with {} numbers", numbers.len()));
                }
                if word == "constant" || word == "uniform" {
                    rule.binds.push((name.clone(), binds));
                }
                let (list, given) = match word {
                    "bits" => (&mut rule.bits, true),
                    _ => (&mut rule.ranges, numbers.len() == 2),
                };
                if given {
                    list.push(About { name, numbers });
                }
            }
            "when" => {
                while self.peek().is_some_and(|byte| byte != b')') {
                    rule.conditions.push(self.expression()?);
                }
            }
            "one_way" => rule.one_way = true,
            "from" if rule.from.text.is_empty() => rule.from = self.expression()?,
            "to" if rule.to.is_none() => rule.to = Some(self.expression()?),
            "from" | "to" => return self.fail(at, format!("a second `{word}`")),
            _ => return self.fail(at, format!("there is no clause `{word}`")),
        }
        self.close(open)
    }
}

impl fmt::Display for Rule {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(out, "(rule {}", self.name)?;
        for (name, values) in &self.parameters {
            let values = match values {
                Values::Widths => "width".to_owned(),
                Values::Signs => "sign".to_owned(),
                Values::Words(words) => words.join(" "),
            };
            write!(out, "\n  (for {name} {values})")?;
        }
        let about = |out: &mut fmt::Formatter<'_>, word: &str, about: &About| {
            let numbers: Vec<&str> = about.numbers.iter().map(|number| number.text.as_str()).collect();
            write!(out, "\n  ({word} {} {})", about.name.text, numbers.join(" "))
        };
        for (name, binds) in &self.binds {
            let word = if *binds == Binds::Constant { "constant" } else { "uniform" };
            write!(out, "\n  ({word} {})", name.text)?;
        }
        for range in &self.ranges {
            about(out, "range", range)?;
        }
        for bits in &self.bits {
            about(out, "bits", bits)?;
        }
        if !self.conditions.is_empty() {
            let all: Vec<&str> = self.conditions.iter().map(|piece| piece.text.as_str()).collect();
            write!(out, "\n  (when {})", all.join(" "))?;
        }
        if self.one_way {
            write!(out, "\n  (one_way)")?;
        }
        write!(out, "\n  (from {})", self.from.text)?;
        if let Some(to) = &self.to {
            write!(out, "\n  (to {})", to.text)?;
        }
        write!(out, ")")
    }
}
