//! Readable names, derived from the structure of a class's function.
//!
//! Three steps, each a table of [`crate::name_table`]: [`RULES`] for trees with a dedicated word,
//! [`WRAPPERS`] for operations around a named tree, [`WORDS`] for everything else.

use std::collections::BTreeSet;

use hydride_ir::Function;

use crate::class::Class;
use crate::facts::Assignment;
use crate::movement;
use crate::name_table::{CONVERSIONS, Conversion, RESERVED, RULES, WORDS, WRAPPERS, Widths};
use crate::pattern::Pattern;
use crate::term::{self, Element, Term};

/// A name with more operators than this is rejected.
const MAX_OPERATORS: usize = 4;

/// The longest name in bytes, suffix excluded.
const MAX_LENGTH: usize = 40;

/// Whether a word can name an operation: lower-case letters, digits and single underscores, beginning
/// with a letter, and not [`RESERVED`].
pub fn is_valid(name: &str) -> bool {
    let characters = |c: u8| c.is_ascii_lowercase() || c.is_ascii_digit() || c == b'_';
    name.starts_with(|c: char| c.is_ascii_lowercase())
        && name.bytes().all(characters)
        && !name.contains("__")
        && !name.ends_with('_')
        && !RESERVED.contains(&name)
}

/// The nearest valid name to a suggestion, if there is one.
pub(crate) fn sanitize(suggestion: &str) -> Option<String> {
    let mut name = String::new();
    for character in suggestion.chars() {
        if character.is_ascii_alphanumeric() {
            name.push(character.to_ascii_lowercase());
        } else if !name.is_empty() && !name.ends_with('_') {
            name.push('_');
        }
    }
    let name = name.trim_end_matches('_').to_owned();
    is_valid(&name).then_some(name)
}

/// The common part of the mnemonics of a class's members if its structure has no short name; else the first
/// of them.
pub(crate) fn of_mnemonics(class: &Class) -> Option<String> {
    let mnemonics: BTreeSet<String> =
        class.members.iter().flat_map(|member| &member.mnemonics).map(|word| word.to_lowercase()).collect();
    let (first, last) = (mnemonics.first()?, mnemonics.last()?);
    let shared: String =
        first.chars().zip(last.chars()).take_while(|(a, b)| a == b).map(|(a, _)| a).collect();
    let shared = if shared.len() >= MIN_SHARED { &shared } else { first };
    sanitize(shared)
}

/// Minimum length of a common part of mnemonics that is used as a name.
const MIN_SHARED: usize = 4;

/// The name derived from a class's function, if one fits.
pub(crate) fn describe(function: &Function) -> Option<String> {
    let values: Vec<i64> = function.params.iter().map(|param| param.value).collect();
    let assignment = Assignment::new(function, &values);
    if let Some(name) = movement::name(function, &assignment) {
        return Some(name.to_owned());
    }
    let mut words: Vec<String> = Vec::new();
    let (mut copies, mut constants) = (false, false);
    for written in function.assignments() {
        let element = term::element(function, &assignment, written.value)?;
        if element.term == Term::leaf("c") {
            constants = true;
            continue;
        }
        if element.term == Term::leaf("x") && element.leaves == Some((element.width, element.width)) {
            copies = true;
            continue;
        }
        let name = element_name(function, &element)?;
        if !words.contains(&name) {
            words.push(name);
        }
        if words.len() > 2 {
            return None;
        }
    }
    let name = match (words.is_empty(), copies, constants) {
        (true, true, true) => "move_zero".to_owned(),
        (true, true, false) => "move".to_owned(),
        (true, false, _) => "constant".to_owned(),
        // Some of the result is an argument's, unchanged.
        (false, true, _) => words.join("_") + "_partial",
        (false, false, _) => words.join("_"),
    };
    (name.len() <= MAX_LENGTH && is_valid(&name)).then_some(name)
}

fn element_name(function: &Function, element: &Element) -> Option<String> {
    let registers = function.args.iter().filter(|arg| arg.role == hydride_ir::Role::Register).count();
    let convert = |kind: Conversion| {
        let row = CONVERSIONS.iter().find(|(other, ..)| *other == kind)?;
        Some(if registers > 1 { row.2 } else { row.1 }.to_owned())
    };
    if element.term == Term::leaf("x") {
        let (_, widest) = element.leaves?;
        return convert(if element.width < widest { Conversion::Narrow } else { Conversion::Widen });
    }
    if element.term.head == "sat" && element.term.args == [Term::leaf("x")] {
        return convert(Conversion::Saturate);
    }
    let Some((name, widths)) = term_name(&element.term) else { return operator_name(&element.term) };
    let Some((narrowest, widest)) = element.leaves else { return Some(name) };
    Some(match widths {
        Widths::Keep => name,
        Widths::Tell if element.width > widest => format!("widen_{name}"),
        Widths::Tell if element.width < narrowest => format!("narrow_{name}"),
        Widths::Tell if element.width == widest && narrowest < widest && !name.contains("shift") => {
            format!("{name}_wide")
        }
        Widths::Tell => name,
    })
}

/// A name made only of the operators, innermost first; `None` when there are too many or none.
fn operator_name(term: &Term) -> Option<String> {
    fn collect(term: &Term, words: &mut Vec<&'static str>) {
        term.args.iter().for_each(|arg| collect(arg, words));
        if let Some((_, word)) = WORDS.iter().find(|(head, _)| *head == term.head)
            && !words.contains(word)
        {
            words.push(word);
        }
    }
    let mut words = Vec::new();
    collect(term, &mut words);
    (1..=MAX_OPERATORS).contains(&words.len()).then(|| words.join("_"))
}

/// The name of a tree, through the rules and then through what wraps it.
fn term_name(term: &Term) -> Option<(String, Widths)> {
    for (pattern, name, widths) in RULES {
        if Pattern::parse(pattern)?.matches(term, &mut None) {
            return Some(((*name).to_owned(), *widths));
        }
    }
    for (pattern, format) in WRAPPERS {
        let mut captured = None;
        if !Pattern::parse(pattern)?.matches(term, &mut captured) {
            continue;
        }
        if let Some((inner, widths)) = captured.and_then(term_name) {
            return Some((format.replace("{}", &inner), widths));
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_row_of_the_tables_can_be_read() {
        for (pattern, name, _) in RULES {
            assert!(Pattern::parse(pattern).is_some(), "{pattern}");
            assert!(is_valid(name), "{name}");
        }
        for (pattern, format) in WRAPPERS {
            assert!(Pattern::parse(pattern).is_some() && pattern.contains('T'), "{pattern}");
            assert!(is_valid(&format.replace("{}", "add")), "{format}");
        }
    }

    #[test]
    fn suggestions_become_valid_names() {
        assert_eq!(sanitize("Dot Product (4-way)").as_deref(), Some("dot_product_4_way"));
        assert_eq!(sanitize("4way"), None);
        assert_eq!(sanitize("class"), None);
        assert_eq!(sanitize("é"), None);
    }

    #[test]
    fn reserved_words_are_sorted_and_lower_case() {
        assert!(RESERVED.is_sorted());
    }
}
