//! Functions whose slices all have an answer, kept as a whole: a later run that searches nothing needs no slices of these.
//!
//! What is kept is the machine's own, like certificates, and under the same version of the program and of the documents: all
//! that replaces a slice in it was proved here. Numbers of metadata and of groups of attributes, which change where a module
//! does elsewhere, are counted anew in each function.

use std::collections::HashMap;
use std::ops::Range;

use memo::{Key, digest};
use optimize::Attributes;
use refine::Module;
use refine::ast::Function;
use serde::{Deserialize, Serialize};

use super::price::COUNTED;

/// Lines of a function in whose place others stand.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Edit {
    /// The first one, from 0.
    line: u32,
    /// How many.
    count: u32,
    /// The new lines.
    text: String,
}

/// What came of a function.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Settled {
    /// Values that were looked at.
    pub values: usize,
    /// Slices, equal ones counted.
    pub slices: usize,
    /// The different slices by parts of hashes of their keys, and whether something cheaper is known of each.
    pub answers: Vec<(u64, bool)>,
    /// Values that are changed.
    pub changed: usize,
    /// Changes that are not made, since the function would not be cheaper as a whole.
    pub dearer: usize,
    /// What becomes of its text.
    pub edits: Vec<Edit>,
}

/// A number for the slices of a key.
pub fn number(key: &str) -> u64 {
    let hash = digest([key.as_bytes()]);
    hash.iter().take(8).fold(0, |number, byte| number << 8 | u64::from(*byte))
}

/// A text with each number of metadata (`!7`) and of a group of attributes (`#7`) as what `of` writes for it.
fn renumbered<'t>(text: &'t str, mut of: impl FnMut(&mut String, &'t str)) -> String {
    let bytes = text.as_bytes();
    let (mut made, mut copied, mut at) = (String::with_capacity(text.len()), 0, 0);
    while let Some(byte) = bytes.get(at) {
        let digits = || bytes[at + 1..].iter().take_while(|byte| byte.is_ascii_digit()).count();
        let count = if matches!(byte, b'!' | b'#') { digits() } else { 0 };
        if count > 0 {
            made.push_str(&text[copied..at]);
            of(&mut made, &text[at..at + 1 + count]);
            copied = at + 1 + count;
        }
        at += 1 + count;
    }
    made.push_str(&text[copied..]);
    made
}

/// A function's text with its own numbers.
pub struct Numbered<'t> {
    /// The text.
    text: String,
    /// What stands for each number in the module.
    numbers: Vec<&'t str>,
}

impl<'t> Numbered<'t> {
    /// The text of a definition, numbered in the order in which it names what is numbered.
    pub fn new(text: &'t str) -> Self {
        let mut known: HashMap<&'t str, usize> = HashMap::default();
        let mut numbers = Vec::new();
        let text = renumbered(text, |made, token| {
            let number = *known.entry(token).or_insert_with(|| {
                numbers.push(token);
                numbers.len() - 1
            });
            made.push_str(&token[..1]);
            made.push_str(&number.to_string());
        });
        Self { text, numbers }
    }

    /// Edits of the module's text, as they are kept; `None` for one that names what the function does not.
    pub fn kept(
        &self,
        function: &Function,
        module: &Module,
        edits: &[(Range<usize>, String)],
    ) -> Option<Vec<Edit>> {
        let lines = |from: usize, to: usize| module.text()[from..to].matches('\n').count() as u32;
        let known: HashMap<&str, usize> =
            self.numbers.iter().enumerate().map(|(number, token)| (*token, number)).collect();
        let mut is_known = true;
        let mut all = Vec::new();
        for (span, text) in edits {
            let text = renumbered(text, |made, token| {
                let number = known.get(token);
                is_known &= number.is_some();
                made.push_str(&token[..1]);
                made.push_str(&number.map_or_else(String::new, usize::to_string));
            });
            all.push(Edit {
                line: lines(function.span.start, span.start),
                count: lines(span.start, span.end),
                text,
            });
        }
        is_known.then_some(all)
    }

    /// The edits of a module's text that were kept for a function of this text.
    pub fn edits(
        &self,
        function: &Function,
        module: &Module,
        settled: &Settled,
    ) -> Vec<(Range<usize>, String)> {
        let (mut at, mut line, mut all) = (function.span.start, 0, Vec::new());
        let skip = |at: usize, count: u32| {
            let ends = module.text()[at..].match_indices('\n').map(|(end, _)| at + end + 1);
            ends.take(count as usize).last().unwrap_or(at)
        };
        for edit in &settled.edits {
            let start = skip(at, edit.line.saturating_sub(line));
            let end = skip(start, edit.count);
            let text = renumbered(&edit.text, |made, token| {
                let own = token[1..].parse().ok().and_then(|number: usize| self.numbers.get(number));
                made.push_str(own.copied().unwrap_or(token));
            });
            all.push((start..end, text));
            (at, line) = (end, edit.line + edit.count);
        }
        all
    }
}

/// All that what comes of a function depends on besides its text and attributes.
pub struct Circumstances {
    /// Of the documents, the target and the limits of slices.
    parts: Vec<Vec<u8>>,
    tools: String,
}

impl Circumstances {
    /// A key of the documents' state, the target, where costs come from, and the most instructions of a slice.
    pub fn new(documents: Key, target: &str, tools: String, limit: usize) -> Self {
        let parts = vec![documents.to_vec(), target.as_bytes().to_vec(), limit.to_le_bytes().to_vec()];
        Self { parts, tools }
    }

    fn key(&self, function: &Numbered<'_>, ranges: &str, attributes: &str, tools: &str) -> Key {
        let own = ["optimize function", tools, attributes, ranges, &function.text];
        let parts = self.parts.iter().map(Vec::as_slice);
        digest(own.iter().map(|text| text.as_bytes()).chain(parts))
    }

    /// The keys of a function of a module, with the ranges that its text names by number: of this run's tools, and where
    /// costs are not from tools.
    pub fn keys(
        &self,
        function: &Numbered<'_>,
        head: &str,
        ranges: &str,
        attributes: &Attributes<'_>,
    ) -> [Key; 2] {
        let words = head.split(|letter: char| letter.is_whitespace() || letter == '(' || letter == ')');
        let own = attributes.of(words.filter_map(|word| word.strip_prefix('#')));
        [self.tools.as_str(), COUNTED].map(|tools| self.key(function, ranges, &own, tools))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn functions_have_numbers_of_their_own() {
        let one = Numbered::new("f(#12) !3 !!4 !3 a!x # !\n");
        assert_eq!(one.text, "f(#0) !1 !!2 !1 a!x # !\n");
        assert_eq!(one.numbers, ["#12", "!3", "!4"]);
        assert_eq!(Numbered::new("f(#9) !5 !!1 !5 a!x # !\n").text, one.text);
    }

    #[test]
    fn edits_are_those_of_another_module_with_the_same_function() {
        let text = |before: &str, number: u32| {
            format!(
                "{before}define i8 @f(i8 %a) {{\n  %b = add i8 %a, 1, !dbg !{number}\n  %c = add i8 %b, 1\n  ret i8 %c\n}}\n"
            )
        };
        let (first, second) = (text("", 7), text("; one\n; two\n", 123));
        let module = |text: &str| Module::definitions(text).expect("a module");
        let (one, two) = (module(&first), module(&second));
        let numbered = |module: &Module| module.text()[module.functions[0].span.clone()].to_owned();
        let (a, b) = (numbered(&one), numbered(&two));
        let (a, b) = (Numbered::new(&a), Numbered::new(&b));
        assert_eq!(a.text, b.text);
        let span = |text: &str, line: &str| {
            let start = text.find(line).expect("the line");
            start..start + text[start..].find('\n').expect("its end") + 1
        };
        let new = |number: u32| format!("  %c = add i8 %a, 2, !dbg !{number}\n");
        let edits =
            |text: &str, number| vec![(span(text, "  %b"), String::new()), (span(text, "  %c"), new(number))];
        let kept = a.kept(&one.functions[0], &one, &edits(&first, 7)).expect("known numbers");
        assert!(a.kept(&one.functions[0], &one, &edits(&first, 8)).is_none());
        let settled =
            Settled { values: 1, slices: 1, answers: Vec::new(), changed: 1, dearer: 0, edits: kept };
        assert_eq!(b.edits(&two.functions[0], &two, &settled), edits(&second, 123));
    }
}
