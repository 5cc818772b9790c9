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
    let registers = function.args.iter().filter(|arg| !arg.role.is_immediate()).count();
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

    /// The name of a function whose elements are as `value` says; `a`, `b` and `c` are registers, `n` is an immediate.
    fn name_of(value: &str) -> Option<String> {
        let text = format!(
            "func @f(%a: 256, %b: 256, %c: 256, %n: 8 imm 0..=255) -> (%r: 128) {{
               for i in 0..8 {{ %r[16*i +: 16] = {value} }}
             }}"
        );
        let function = Function::parse(&text).unwrap_or_else(|error| panic!("{error}: {value}"));
        function.verify().unwrap_or_else(|error| panic!("{error}: {value}"));
        describe(&function)
    }

    #[test]
    fn names_say_how_widths_change() {
        let (a, b) = ("%a[16*i +: 16]", "%b[16*i +: 16]");
        let (low_a, low_b) = ("cast.s(%a[8*i +: 8], 16)", "cast.s(%b[8*i +: 8], 16)");
        let (wide_a, wide_b) = ("%a[32*i +: 32]", "%b[32*i +: 32]");
        for (value, name) in [
            (format!("add({a}, {b})"), "add"),
            (format!("add({low_a}, {low_b})"), "widen_add"),
            (format!("add({a}, {low_b})"), "add_wide"),
            (format!("cast.u(add({wide_a}, {wide_b}), 16)"), "narrow_add"),
            (format!("cast.u(add(cast.s({low_a}, 32), {wide_b}), 16)"), "add"),
            // A count of another width is no wide operand.
            (format!("shl({a}, %b[8*i +: 8])"), "shift_left"),
            (format!("popcount({a})"), "popcount"),
        ] {
            assert_eq!(name_of(&value).as_deref(), Some(name), "{value}");
        }
    }

    #[test]
    fn conversions_of_several_arguments_have_names_of_their_own() {
        for (from, one, several) in [
            ("cast.s(%a[8*i +: 8], 16)", "extend", "extend_interleave"),
            ("cast.s(%a[32*i +: 32], 16)", "truncate", "pack"),
            ("saturate.s.s(%a[32*i +: 32], 16)", "saturate", "pack_sat"),
        ] {
            for (args, name) in [("%a: 256", one), ("%a: 256, %b: 256", several)] {
                let text =
                    format!("func @f({args}) -> (%r: 128) {{ for i in 0..8 {{ %r[16*i +: 16] = {from} }} }}");
                assert_eq!(describe(&Function::parse(&text).unwrap()).as_deref(), Some(name), "{text}");
            }
        }
    }

    #[test]
    fn folds_are_reductions() {
        for op in ["add", "mul", "and", "or", "xor", "min", "max"] {
            let flag = if matches!(op, "min" | "max") { ".s" } else { "" };
            let value = format!("fold {op}{flag} (j in 0..2) %a[32*i + 16*j +: 16]");
            assert_eq!(name_of(&value), Some(format!("reduce_{op}")), "{value}");
        }
    }

    #[test]
    fn slices_of_two_registers_side_by_side_are_aligned() {
        assert_eq!(name_of("concat(%a[16*i +: 16], %b[16*i +: 16])[8 +: 16]").as_deref(), Some("align"));
        assert_eq!(
            name_of("mul(cast.s(%a[16*i +: 16], 32), cast.s(%b[16*i +: 16], 32))[16 +: 16]").as_deref(),
            Some("mul_high")
        );
    }

    #[test]
    fn a_name_has_at_most_two_operations_and_is_short() {
        let function = |elements: &[&str]| {
            let assignments = elements.iter().enumerate();
            let body: String =
                assignments.map(|(place, value)| format!("%r[{} +: 8] = {value}\n", 8 * place)).collect();
            let text = format!("func @f(%a: 8, %b: 8, %c: 8) -> (%r: {}) {{ {body} }}", 8 * elements.len());
            describe(&Function::parse(&text).unwrap())
        };
        let (add, sub, and) = ("add(%a, %b)", "sub(%a, %b)", "and(%a, %b)");
        assert_eq!(function(&[add, sub]).as_deref(), Some("add_sub"));
        assert_eq!(function(&[add, sub, add, sub]).as_deref(), Some("add_sub"));
        assert_eq!(function(&[add, sub, and]), None);
        assert_eq!(function(&[add, sub, "%a"]).as_deref(), Some("add_sub_partial"));
        let long = "mul(%a, not(leading_zeros(trailing_zeros(%b))))";
        assert_eq!(function(&[long]).as_deref(), Some("trailing_zeros_leading_zeros_not_mul"));
        assert_eq!(function(&[long, add]).as_deref(), Some("trailing_zeros_leading_zeros_not_mul_add"));
        assert_eq!(
            function(&[long, "rem.u(%a, %b)"]).as_deref(),
            Some("trailing_zeros_leading_zeros_not_mul_rem")
        );
        assert_eq!(function(&[long, "neg(%a)", "%b"]), None);
    }

    #[test]
    fn mnemonics_share_at_least_four_letters_or_the_first_one_is_taken() {
        for (mnemonics, name) in [
            (&["VADDPS", "vaddpd"][..], Some("vaddp")),
            (&["abcdx", "abcdy"], Some("abcd")),
            (&["abcx", "abcy"], Some("abcx")),
            (&["z", "b"], Some("b")),
            (&["mov"], Some("mov")),
            (&[], None),
        ] {
            let application = catalog::Application::plain(Vec::new(), &[]);
            let member = crate::Member {
                isa: "east".to_owned(),
                id: "m".to_owned(),
                intrinsic: "m".to_owned(),
                application,
                commutes: false,
                proof: catalog::Proof::Structural,
                certificate: catalog::Certificate::Exact,
                trust: None,
                mnemonics: mnemonics.iter().map(|word| (*word).to_owned()).collect(),
                extensions: Vec::new(),
                signature: catalog::Signature { args: Vec::new(), results: Vec::new() },
            };
            let class = Class {
                function: Function::new("f"),
                structural_hash: "0".to_owned(),
                structure: "0".to_owned(),
                numbers: None,
                suggested_name: None,
                members: vec![member],
            };
            assert_eq!(of_mnemonics(&class).as_deref(), name, "{mnemonics:?}");
        }
    }
}
