//! Versions of a module's functions beside each other, each under a name of its own, so that one compiler sees them all.

use std::ops::Range;

use optimize::spliced;
use refine::Module;

/// What the names of versions begin with.
const NAME: &str = "price.";

/// A function as it is or might be.
pub struct Version {
    /// Its position in the module.
    pub function: usize,
    /// Its text.
    pub text: String,
}

impl Version {
    /// A function with edits of the module's text, all of which are within it.
    pub fn new(module: &Module, function: usize, edits: &[(Range<usize>, String)]) -> Self {
        let span = module.functions[function].span.clone();
        Self { function, text: spliced(module.text(), span, edits) }
    }
}

/// The number of the version that a symbol is.
pub fn number(symbol: &str) -> Option<usize> {
    symbol.strip_prefix(NAME)?.parse().ok()
}

/// A module whose definitions compute nothing, and after it versions of some, numbered as they stand.
pub fn excerpt<'v>(module: &Module, versions: impl IntoIterator<Item = (usize, &'v Version)>) -> String {
    let head = |span: Range<usize>| {
        let text = &module.text()[span];
        text.split_inclusive('\n').next().unwrap_or_default().trim_end()
    };
    let emptied = |span: &Range<usize>| (span.clone(), format!("{}\n  unreachable\n}}", head(span.clone())));
    let spans: Vec<_> = module.functions.iter().map(|own| emptied(&own.span)).collect();
    let mut text = spliced(module.text(), 0..module.text().len(), &spans);
    for (number, version) in versions {
        text.push('\n');
        let (head, body) = version.text.split_once('\n').unwrap_or((&version.text, ""));
        text += &without_places(&renamed(head, number));
        text.push('\n');
        text += &without_places(body);
        text.push('\n');
    }
    text
}

/// The head of a definition under a version's name; it is in no group of which the linker keeps one.
fn renamed(head: &str, number: usize) -> String {
    let Some(at) = head.find('@') else { return head.to_owned() };
    let name = &head[at + 1..];
    let end = match name.strip_prefix('"') {
        Some(quoted) => 2 + quoted.find('"').unwrap_or(quoted.len()),
        None => name.find('(').unwrap_or(name.len()),
    };
    let rest = &name[end.min(name.len())..];
    let rest = match rest.split_once(" comdat") {
        Some((before, after)) if after.starts_with('(') => {
            format!("{before}{}", after.split_once(')').map_or("", |(_, after)| after))
        }
        Some((before, after)) => format!("{before}{after}"),
        None => rest.to_owned(),
    };
    format!("{}@{NAME}{number}{rest}", &head[..at])
}

/// Lines without the places in the source that they are of: two functions cannot have the same.
fn without_places(text: &str) -> String {
    let (mut made, mut rest) = (String::with_capacity(text.len()), text);
    while let Some(at) = rest.find("!dbg !") {
        made.push_str(rest[..at].trim_end_matches([' ', ',']));
        rest = rest[at + "!dbg !".len()..].trim_start_matches(|letter: char| letter.is_ascii_digit());
    }
    made + rest
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn versions_have_names_and_no_places() {
        let text = "define void @f(ptr %p) comdat($f) !dbg !3 {\n  store i8 1, ptr %p, !dbg !7, !tbaa !9\n  ret void, !dbg !8\n}\n\
                    define i8 @\"g(\"() {\n  ret i8 1\n}\n";
        let module = Module::definitions(text).expect("definitions");
        let version = |at| Version::new(&module, at, &[]);
        let made = excerpt(&module, [(4, &version(1)), (5, &version(0))]);
        assert_eq!(
            made,
            "define void @f(ptr %p) comdat($f) !dbg !3 {\n  unreachable\n}\ndefine i8 @\"g(\"() {\n  unreachable\n}\n\n\
             define i8 @price.4() {\n  ret i8 1\n}\n\ndefine void @price.5(ptr %p) {\n  store i8 1, ptr %p, !tbaa !9\n  ret void\n}\n"
        );
        assert_eq!((number("price.12"), number("other")), (Some(12), None));
    }
}
