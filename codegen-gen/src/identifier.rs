//! Identifiers for the generated languages, made from names of operations, arguments and parameters.

use std::collections::BTreeSet;

use autoir::ValueType;
use llvm_text::Type;

use crate::float::scalar;

/// Accessors that MLIR gives every operation: an operand of that name would collide.
const MLIR_ACCESSORS: &[&str] = &[
    "attr",
    "attrs",
    "block",
    "build",
    "context",
    "dialect",
    "loc",
    "name",
    "odsArg",
    "operand",
    "operands",
    "operation",
    "parent",
    "properties",
    "region",
    "regions",
    "result",
    "results",
    "state",
    "successor",
    "successors",
    "type",
    "types",
];

/// C++ words that are operators.
const CPP_OPERATORS: &[&str] =
    &["and", "and_eq", "bitand", "bitor", "compl", "not", "not_eq", "or", "or_eq", "xor", "xor_eq"];

/// Whether C++, and with it C, reserves a word; also for a few that other generated languages reserve.
pub(crate) fn is_cpp_word(name: &str) -> bool {
    autoir::RESERVED.contains(&name) || CPP_OPERATORS.contains(&name)
}

/// A parameter's name that no other one and no word of the language has.
pub(crate) fn distinct(mut name: String, taken: &mut BTreeSet<String>) -> String {
    while is_cpp_word(&name) || !taken.insert(name.clone()) {
        name.push('_');
    }
    name
}

/// A text with `_` for each character that no identifier holds.
pub(crate) fn word(text: &str) -> String {
    text.chars().map(|c| if c.is_ascii_alphanumeric() { c } else { '_' }).collect()
}

/// Words that Rust reserves.
pub(crate) const RUST_WORDS: &[&str] = &[
    "abstract", "as", "async", "await", "become", "box", "break", "const", "continue", "crate", "do", "dyn",
    "else", "enum", "extern", "false", "final", "fn", "for", "gen", "if", "impl", "in", "let", "loop",
    "macro", "match", "mod", "move", "mut", "override", "priv", "pub", "ref", "return", "self", "static",
    "struct", "super", "trait", "true", "try", "type", "typeof", "unsafe", "unsized", "use", "virtual",
    "where", "while", "yield",
];

/// Names for the operands of one operation: valid in TableGen, C++ and MLIR, and distinct.
pub fn operand_names<'a>(names: impl IntoIterator<Item = &'a str>) -> Vec<String> {
    let mut taken = BTreeSet::new();
    let mut result = Vec::new();
    for name in names {
        let mut base = String::new();
        for character in name.chars() {
            if character.is_ascii_alphanumeric() {
                base.push(character.to_ascii_lowercase());
            } else if !base.is_empty() && !base.ends_with('_') {
                base.push('_');
            }
        }
        let mut base = base.trim_end_matches('_').to_owned();
        if !base.starts_with(|c: char| c.is_ascii_lowercase()) {
            base.insert_str(0, if base.is_empty() { "arg" } else { "arg_" });
        }
        if is_cpp_word(&base) || MLIR_ACCESSORS.contains(&base.as_str()) {
            base.push_str("_arg");
        }
        let numbered = (2..).map(|number| format!("{base}_{number}"));
        let mut candidates = std::iter::once(base.clone()).chain(numbered);
        let name = candidates.find(|candidate| !taken.contains(candidate)).unwrap_or(base);
        taken.insert(name.clone());
        result.push(name);
    }
    result
}

/// The C++ class of an operation: `dot_add` is `DotAddOp`. An underscore before a digit stays, so that
/// different names give different classes (`xor3` and `xor_3`).
pub fn class_name(name: &str) -> String {
    let mut class = String::new();
    for word in name.split('_') {
        let mut characters = word.chars();
        match characters.next() {
            Some(first) if first.is_ascii_digit() => {
                class.push('_');
                class.push(first);
            }
            Some(first) => class.push(first.to_ascii_uppercase()),
            None => {}
        }
        class.extend(characters);
    }
    class.push_str("Op");
    class
}

/// The LLVM type of a shape: `<16 x i8>`, `i32`, `<4 x float>`.
pub fn llvm_type(shape: ValueType) -> Type {
    let integers = Type::lanes(shape.count, shape.element);
    match scalar(shape.exponent, shape.element) {
        Some(number) => integers.with_element(number),
        None => integers,
    }
}

/// What a function with these results returns: several are a structure.
pub fn return_type(results: &[ValueType]) -> Type {
    Type::of_results(results.iter().copied().map(llvm_type).collect())
}

/// The MLIR type of a shape: `vector<16xi8>`, `i32`, `vector<4xf32>`.
pub fn mlir_type(shape: ValueType) -> String {
    llvm_type(shape).mlir().expect("MLIR has numbers and vectors of numbers")
}

/// A symbol as MLIR writes it.
pub fn symbol_reference(symbol: &str) -> String {
    let plain = symbol.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"._$".contains(&byte));
    if plain { format!("@{symbol}") } else { format!("@\"{symbol}\"") }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn operands_get_distinct_valid_names() {
        let names = operand_names(["a", "A", "imm8", "int", "operands", "8x", "%", "lane-width", "a"]);
        let expected = ["a", "a_2", "imm8", "int_arg", "operands_arg", "arg_8x", "arg", "lane_width", "a_3"];
        assert_eq!(names, expected);
    }

    #[test]
    fn class_names_stay_distinct() {
        let names = ["xor3", "xor_3", "dot_add", "dotadd"].map(class_name);
        assert_eq!(names, ["Xor3Op", "Xor_3Op", "DotAddOp", "DotaddOp"]);
    }

    #[test]
    fn types_of_shapes() {
        let vector = ValueType::vector(16, 8);
        assert_eq!(llvm_type(vector).to_string(), "<16 x i8>");
        assert_eq!(mlir_type(vector), "vector<16xi8>");
        assert_eq!(mlir_type(ValueType::scalar(1)), "i1");
        let number = ValueType::vector(8, 16).with_exponent(8);
        assert_eq!(
            (llvm_type(number).to_string().as_str(), mlir_type(number).as_str()),
            ("<8 x bfloat>", "vector<8xbf16>")
        );
        assert_eq!(llvm_type(ValueType::scalar(64).with_exponent(11)).mangled(), "f64");
        assert_eq!(return_type(&[vector, ValueType::scalar(1)]).to_string(), "{ <16 x i8>, i1 }");
        assert_eq!(return_type(&[]).to_string(), "void");
    }

    #[test]
    fn word_lists_are_sorted() {
        assert!(CPP_OPERATORS.is_sorted() && MLIR_ACCESSORS.is_sorted());
    }
}
