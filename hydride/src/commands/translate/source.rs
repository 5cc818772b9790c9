//! A file in C or C++ as far as a translation must know it: where it calls intrinsics, in macros and outside of them, what it includes,
//! and which names are its own.
//!
//! The file is bytes, so that comments in any encoding survive. What the grammar cannot parse is said with its place; names are
//! found there all the same.

use std::collections::BTreeSet;
use std::ops::Range;
use std::path::Path;

use anyhow::{Result, anyhow};
use serde::Serialize;
use tree_sitter::{Node, Parser};

use super::macros::{self, Macro};

/// Calls inside of each other that are inlined; deeper ones keep their names.
const MAX_NESTED: usize = 64;
/// Places that cannot be parsed, of which a file's first are said.
const MAX_BROKEN: usize = 8;

/// A place in a file, both from 1; columns are bytes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize)]
pub struct Place {
    /// The line.
    pub line: usize,
    /// The column.
    pub column: usize,
}

impl Place {
    fn of(node: Node<'_>) -> Self {
        let start = node.start_position();
        Self { line: start.row + 1, column: start.column + 1 }
    }
}

/// What a file is written in.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Language {
    /// C.
    C,
    /// C++.
    Cpp,
}

impl Language {
    /// That of a file of this name.
    pub fn of(name: &Path) -> Self {
        let ending = name.extension().and_then(|ending| ending.to_str()).unwrap_or_default();
        let endings = ["C", "H", "cc", "cpp", "cxx", "c++", "hh", "hpp", "hxx", "h++", "ipp", "inl", "tpp"];
        if endings.contains(&ending) { Self::Cpp } else { Self::C }
    }
}

/// What is looked for.
pub trait Names {
    /// Whether a name is an intrinsic that is translated.
    fn is_intrinsic(&self, name: &str) -> bool;
    /// Whether a header declares intrinsics that are translated.
    fn is_header(&self, name: &str) -> bool;
    /// Whether a macro says that the instruction set is there.
    fn is_feature(&self, name: &str) -> bool;
}

/// A file that was read.
#[derive(Debug, Default)]
pub struct Source {
    /// Uses of intrinsics, in order.
    pub uses: Vec<Use>,
    /// Names of intrinsics that the file declares or defines itself.
    pub own: BTreeSet<String>,
    /// Where a header of intrinsics is named in an `#include`.
    pub includes: Vec<Range<usize>>,
    /// Conditions on the instruction set.
    pub conditions: Vec<(Place, String)>,
    /// Names that `##` makes, with `*` for what is not known.
    pub pasted: Vec<(Place, String)>,
    /// What cannot be parsed.
    pub broken: Vec<Place>,
}

/// An intrinsic's name in the file.
#[derive(Debug)]
pub struct Use {
    /// The name.
    pub name: String,
    /// Where it is.
    pub place: Place,
    /// The call, where it is one that was parsed.
    pub call: Option<Call>,
}

/// A call of an intrinsic.
#[derive(Debug)]
pub struct Call {
    /// From its name to its last parenthesis.
    pub whole: Range<usize>,
    /// Its arguments.
    pub arguments: Vec<Range<usize>>,
    /// For each argument its value, where it is an integer literal.
    pub literals: Vec<Option<i64>>,
    /// Why an expression cannot be put in its place.
    pub fixed: Option<&'static str>,
}

impl Source {
    /// Reads a file.
    pub fn read(bytes: &[u8], language: Language, names: &dyn Names) -> Result<Self> {
        let mut reader = Reader {
            bytes,
            names,
            source: Self::default(),
            macros: BTreeSet::new(),
            bodies: Vec::new(),
            definitions: Vec::new(),
        };
        let mut parser = Parser::new();
        parser.set_language(&match language {
            Language::C => tree_sitter_c::LANGUAGE.into(),
            Language::Cpp => tree_sitter_cpp::LANGUAGE.into(),
        })?;
        let tree = parser.parse(bytes, None).ok_or_else(|| anyhow!("the parser gave up"))?;
        reader.walk(tree.root_node(), false);
        // Bodies of macros are text to the grammar; they are read as pieces of a program.
        for body in std::mem::take(&mut reader.bodies) {
            parser.set_included_ranges(&[body])?;
            if let Some(tree) = parser.parse(bytes, None) {
                reader.walk(tree.root_node(), true);
            }
        }
        reader.pasted();
        let Reader { mut source, .. } = reader;
        source.uses.sort_by_key(|own| own.place);
        Ok(source)
    }
}

struct Reader<'a> {
    bytes: &'a [u8],
    names: &'a dyn Names,
    source: Source,
    macros: BTreeSet<String>,
    bodies: Vec<tree_sitter::Range>,
    /// Macros, each with where it is and where its body is.
    definitions: Vec<(Macro, Range<usize>, Place)>,
}

impl<'a> Reader<'a> {
    fn text(&self, node: Node<'_>) -> &'a str {
        self.bytes
            .get(node.byte_range())
            .and_then(|bytes| std::str::from_utf8(bytes).ok())
            .unwrap_or_default()
    }

    /// Visits all nodes below `root` in order, without recursion: files may be nested as deep as they like.
    fn walk(&mut self, root: Node<'_>, in_macro: bool) {
        let mut cursor = root.walk();
        let mut above: Vec<Node<'_>> = Vec::new();
        loop {
            let node = cursor.node();
            self.visit(node, cursor.field_name(), &above, in_macro);
            if cursor.goto_first_child() {
                above.push(node);
                continue;
            }
            while !cursor.goto_next_sibling() {
                if !cursor.goto_parent() {
                    return;
                }
                above.pop();
            }
        }
    }

    fn visit(&mut self, node: Node<'_>, field: Option<&str>, above: &[Node<'_>], in_macro: bool) {
        let parent = above.last().copied();
        let parent_kind = parent.map_or("", |parent| parent.kind());
        match node.kind() {
            "identifier" => self.identifier(node, field, above, in_macro),
            "preproc_def" | "preproc_function_def" if !in_macro => self.definition(node),
            "system_lib_string" | "string_literal" if parent_kind == "preproc_include" => {
                let range = node.byte_range();
                let inner = self.text(node).get(1..range.len().saturating_sub(1)).unwrap_or_default();
                if self.names.is_header(inner) {
                    self.source.includes.push(range);
                }
            }
            _ if !in_macro
                && (node.is_error() || node.is_missing())
                && self.source.broken.len() < MAX_BROKEN =>
            {
                self.source.broken.push(Place::of(node));
            }
            _ => {}
        }
    }

    fn identifier(&mut self, node: Node<'_>, field: Option<&str>, above: &[Node<'_>], in_macro: bool) {
        let name = self.text(node);
        let parent = above.last().copied();
        let parent_kind = parent.map_or("", |parent| parent.kind());
        let is_asked =
            parent_kind == "preproc_defined" || parent_kind == "preproc_ifdef" && field == Some("name");
        if self.names.is_feature(name) && (is_asked || self.is_condition(node, above)) {
            self.source.conditions.push((Place::of(node), name.to_owned()));
        }
        if is_asked {
            return;
        }
        if !self.names.is_intrinsic(name) {
            return;
        }
        if field == Some("declarator")
            || field == Some("name")
                && matches!(parent_kind, "preproc_def" | "preproc_function_def" | "enumerator")
        {
            self.source.own.insert(name.to_owned());
            return;
        }
        let call = parent.filter(|parent| parent.kind() == "call_expression" && field == Some("function"));
        let call = call.and_then(|call| self.call(call, above, in_macro));
        self.source.uses.push(Use { name: name.to_owned(), place: Place::of(node), call });
    }

    /// Whether a node is in the condition of the nearest `#if` around it.
    fn is_condition(&self, node: Node<'_>, above: &[Node<'_>]) -> bool {
        let nearest = above.iter().rev().find(|node| matches!(node.kind(), "preproc_if" | "preproc_elif"));
        let condition = nearest.and_then(|nearest| nearest.child_by_field_name("condition"));
        condition.is_some_and(|condition| {
            let (outer, inner) = (condition.byte_range(), node.byte_range());
            outer.start <= inner.start && inner.end <= outer.end
        })
    }

    fn call(&self, call: Node<'_>, above: &[Node<'_>], in_macro: bool) -> Option<Call> {
        let list = call.child_by_field_name("arguments")?;
        let mut cursor = list.walk();
        let nodes: Vec<Node<'_>> =
            list.named_children(&mut cursor).filter(|node| node.kind() != "comment").collect();
        let around = above.get(..above.len().saturating_sub(1)).unwrap_or_default();
        let is_call = |node: &&Node<'_>| node.kind() == "call_expression";
        let of_macro = |node: &Node<'_>| {
            let function = node.child_by_field_name("function");
            function.is_some_and(|function| self.macros.contains(self.text(function)))
        };
        let fixed = if in_macro {
            Some("it is in the body of a macro")
        } else if call.has_error() || nodes.iter().any(|node| node.kind().starts_with("preproc")) {
            Some("the call has directives or cannot be parsed")
        } else if !around.iter().any(|node| node.kind() == "compound_statement") {
            Some("it is outside of functions")
        } else if around.iter().filter(is_call).any(of_macro) {
            Some("it is an argument of a macro")
        } else if around.iter().filter(is_call).count() > MAX_NESTED {
            Some("too many calls are inside of each other")
        } else {
            None
        };
        Some(Call {
            whole: call.byte_range(),
            arguments: nodes.iter().map(|node| node.byte_range()).collect(),
            literals: nodes.iter().map(|node| self.literal(*node)).collect(),
            fixed,
        })
    }

    /// The value of an integer literal, which may have a sign and parentheses.
    fn literal(&self, mut node: Node<'_>) -> Option<i64> {
        let mut negative = false;
        loop {
            match node.kind() {
                "parenthesized_expression" if node.named_child_count() == 1 => node = node.named_child(0)?,
                "unary_expression" if self.text(node).starts_with('-') => {
                    negative = !negative;
                    node = node.child_by_field_name("argument")?;
                }
                "number_literal" => break,
                _ => return None,
            }
        }
        let mut text = self.text(node).to_ascii_lowercase();
        if let Some(rest) = text.strip_prefix('-') {
            (text, negative) = (rest.to_owned(), !negative);
        }
        let digits = text.trim_end_matches(['u', 'l']);
        let value = match digits.strip_prefix("0x") {
            Some(digits) => i64::from_str_radix(digits, 16),
            None if digits.len() > 1 && digits.starts_with('0') => i64::from_str_radix(&digits[1..], 8),
            None => digits.parse(),
        };
        value.ok().map(|value| if negative { -value } else { value })
    }

    /// A macro's name, and its body for later.
    fn definition(&mut self, node: Node<'_>) {
        let Some(name) = node.child_by_field_name("name") else { return };
        self.macros.insert(self.text(name).to_owned());
        let Some(body) = node.child_by_field_name("value") else { return };
        self.bodies.push(body.range());
        let parameters = node.child_by_field_name("parameters").map(|parameters| {
            let mut cursor = parameters.walk();
            parameters.named_children(&mut cursor).map(|node| self.text(node).to_owned()).collect()
        });
        let own = Macro { name: self.text(name).to_owned(), parameters, body: self.text(body).to_owned() };
        self.definitions.push((own, node.byte_range(), Place::of(body)));
    }

    /// The names that `##` makes in all macros.
    fn pasted(&mut self) {
        let mut rest = self.bytes.to_vec();
        let (mut macros, mut places) = (Vec::new(), Vec::new());
        for (own, whole, place) in std::mem::take(&mut self.definitions) {
            rest[whole].fill(b' ');
            macros.push(own);
            places.push(place);
        }
        let names = macros::names(&macros, &String::from_utf8_lossy(&rest));
        for (place, names) in places.into_iter().zip(names) {
            self.source.pasted.extend(names.into_iter().map(|name| (place, name)));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    struct Example;

    impl Names for Example {
        fn is_intrinsic(&self, name: &str) -> bool {
            name.starts_with("vadd")
        }
        fn is_header(&self, name: &str) -> bool {
            name == "v.h"
        }
        fn is_feature(&self, name: &str) -> bool {
            name == "__V__"
        }
    }

    fn read(text: &str) -> Source {
        Source::read(text.as_bytes(), Language::C, &Example).unwrap()
    }

    /// Line, name and why no expression may be put there.
    fn uses(source: &Source) -> Vec<(usize, &str, Option<&str>)> {
        fn fixed(own: &Use) -> Option<&str> {
            own.call.as_ref().map_or(Some("no call"), |call| call.fixed)
        }
        source.uses.iter().map(|own| (own.place.line, own.name.as_str(), fixed(own))).collect()
    }

    #[test]
    fn calls_are_found_but_not_in_comments_and_strings() {
        let source = read(
            "int f(int x) {\n  /* vadd(1) */ g(\"vadd(2)\"); // vadd\n  return vadd_n(x, (-0x1Fu));\n}\n",
        );
        assert_eq!(uses(&source), [(3, "vadd_n", None)]);
        let call = source.uses[0].call.as_ref().unwrap();
        assert_eq!(call.literals, [None, Some(-31)]);
        assert_eq!(call.arguments.len(), 2);
    }

    #[test]
    fn where_no_expression_may_be_put_is_known() {
        let text = "#define A(x) vadd(x)\n#define S(x) #x\nint y = vadd(1);\nvoid f(void) {\n  S(vadd(2));\n  g(vadd);\n  \
                    vadd(\n#if X\n3\n#endif\n);\n  h(vadd(4));\n}\n";
        let source = read(text);
        let fixed: Vec<(usize, bool)> =
            uses(&source).iter().map(|(line, _, fixed)| (*line, fixed.is_some())).collect();
        assert_eq!(fixed, [(1, true), (3, true), (5, true), (6, true), (7, true), (12, false)]);
    }

    #[test]
    fn names_of_the_file_itself_are_known() {
        let source = read(
            "#define vadd_1(x) x\nint vadd_2(int a);\nint f(int vadd_3) { int vadd_4 = 0; return vadd_5(1); }\n",
        );
        let own: Vec<&str> = source.own.iter().map(String::as_str).collect();
        assert_eq!(own, ["vadd_1", "vadd_2", "vadd_3", "vadd_4"]);
        assert_eq!(uses(&source).len(), 1);
    }

    #[test]
    fn headers_conditions_and_what_is_broken_have_places() {
        let source = read(
            "#include <v.h>\n#include \"w.h\"\n#if defined(__V__) && X\n#endif\n#ifdef __V__\n#endif\nint f( { ]\n",
        );
        let header = 9..14;
        assert_eq!(source.includes, vec![header]);
        let lines: Vec<usize> = source.conditions.iter().map(|(place, _)| place.line).collect();
        assert_eq!(lines, [3, 5]);
        assert!(!source.broken.is_empty());
    }

    #[test]
    fn pasted_names_are_those_that_macros_are_called_with() {
        let text =
            "#define F(op, T) v##op##q_##T(a)\n#define G(T) vadd##_##T\nint x = F(add, u8) + F(sub, u8);\n";
        let source = read(text);
        let pasted: Vec<(usize, &str)> =
            source.pasted.iter().map(|(place, name)| (place.line, name.as_str())).collect();
        assert_eq!(pasted, [(1, "vaddq_u8"), (1, "vsubq_u8"), (2, "vadd_*")]);
    }

    #[test]
    fn files_in_cpp_are_read_too() {
        let text = "#include <v.h>\ntemplate <int N> struct S { auto f(int &&x) { return [&](auto y) { return vadd_1(x, y); }(N); } };\n";
        let source = Source::read(text.as_bytes(), Language::Cpp, &Example).unwrap();
        assert_eq!(uses(&source), [(2, "vadd_1", None)]);
        assert!(source.broken.is_empty() && source.includes.len() == 1);
        assert!(!read(text).broken.is_empty());
    }

    #[test]
    fn files_may_be_nested_deeply_and_hold_any_bytes() {
        let text = [b"void f(void) { x = ".as_slice(), &b"vadd(".repeat(20_000), b"\xff\xfe 1"].concat();
        for language in [Language::C, Language::Cpp] {
            Source::read(&text, language, &Example).unwrap();
            Source::read(b"", language, &Example).unwrap();
        }
    }
}
