//! Ranges of values that what computes them does not say: as attributes of parameters and calls, and as metadata of loads.

use crate::ast::{Action, Attribute, Instruction};
use crate::parse::{Module, Parser};
use crate::token::{Kind, Token, tokens};

impl Module {
    /// The range that a node of metadata says, by its number: `!7 = !{i8 0, i8 2}`. `None` for any other node, and for one of
    /// several ranges.
    pub fn range(&self, number: &str) -> Option<&Attribute> {
        self.ranges.get_or_init(|| self.text().lines().filter_map(node).collect()).get(number)
    }

    /// The ranges that a part of the module's text names by number, in order and as text.
    ///
    /// ```
    /// let module = refine::Module::parse("!3 = !{i8 0, i8 2}\n")?;
    /// assert_eq!(module.ranges_of("%a = load i8, ptr %p, !range !3"), "range(i8 0, 2)");
    /// # Ok::<(), refine::Fault>(())
    /// ```
    pub fn ranges_of(&self, text: &str) -> String {
        let number = |(at, found): (usize, &str)| {
            let rest = &text[at + found.len()..];
            &rest[..rest.find(|letter: char| !letter.is_ascii_digit()).unwrap_or(rest.len())]
        };
        let named = text.match_indices("!range !").map(number);
        let texts = named.map(|number| self.range(number).map_or(String::new(), ToString::to_string));
        texts.collect::<Vec<_>>().join(" ")
    }

    /// What a line says of the range of its result.
    pub(crate) fn range_of(
        &self,
        line: &[Token<'_>],
        instruction: Option<&Instruction>,
    ) -> Option<Attribute> {
        if let Some(Action::Call { attributes, .. }) = instruction.map(|own| &own.action) {
            return attributes.iter().find(|own| matches!(own, Attribute::Range(..))).cloned();
        }
        let is_range = |pair: &[Token<'_>]| {
            pair[0].kind == Kind::Metadata && pair[0].text == "range" && pair[1].kind == Kind::Metadata
        };
        if let Some(pair) = line.windows(2).find(|pair| is_range(pair)) {
            return self.range(pair[1].text).cloned();
        }
        let called = line.iter().position(|token| token.kind == Kind::Global)?;
        attribute(&line[..called])
    }
}

/// The ranges of parameters by name, from the tokens of a definition before its `{`.
pub(crate) fn of_parameters(head: &[Token<'_>]) -> Vec<(String, Attribute)> {
    let mut start = head.iter().position(|token| token.kind == Kind::Global).unwrap_or(0);
    let mut all = Vec::new();
    for (at, token) in head.iter().enumerate().filter(|(_, token)| token.kind == Kind::Local) {
        let own = head.get(start..at).and_then(attribute);
        all.extend(own.map(|range| (token.text.to_owned(), range)));
        start = at + 1;
    }
    all
}

/// The attribute `range(…)` among some tokens.
fn attribute(tokens: &[Token<'_>]) -> Option<Attribute> {
    let is_range = |token: &Token<'_>| token.kind == Kind::Word && token.text == "range";
    let at = tokens.iter().position(is_range)?;
    let all = Parser { at, ..Parser::new(tokens) }.attributes().ok()?;
    all.into_iter().find(|own| matches!(own, Attribute::Range(..)))
}

/// The number of the metadata that a line of a module defines, and its range if it is one.
fn node(line: &str) -> Option<(String, Attribute)> {
    let (number, rest) = line.strip_prefix('!')?.split_once(" = !{")?;
    let (low, high) = rest.trim_end().strip_suffix('}')?.split_once(", ")?;
    let (ty, high) = high.split_once(' ')?;
    let text = format!("range({low}, {high})");
    (low.starts_with(&format!("{ty} ")) && !high.contains(',')).then_some(())?;
    Some((number.to_owned(), attribute(&tokens(&text, 1).ok()?)?))
}
