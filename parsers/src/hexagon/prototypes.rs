//! The compiler's list of HVX prototypes: for each builtin its assembly syntax, the C intrinsic with
//! its arguments, and the architecture version that has it.
//!
//! One record is an architecture test, a comment with labelled lines, and a macro that maps the C
//! intrinsic to builtins. Predicates travel as vectors there, so that a builtin on predicates is
//! wrapped in conversions (`vandvrt` inward, `vandqrt` outward); the record belongs to what is wrapped.

use rustc_hash::FxHashMap;

use super::lex::tokens;
use super::source::Text;
use crate::{Diagnostic, Severity};

/// A prototype.
#[derive(Clone, Debug, Default)]
pub(super) struct Prototype {
    /// The builtin's name without prefix: `V6_vaddb`.
    pub id: String,
    /// The C intrinsic's name.
    pub intrinsic: String,
    /// The C type of the result; `void` where there is none.
    pub result: String,
    /// Types and names of the arguments.
    pub args: Vec<(String, String)>,
    /// Assembly syntax.
    pub syntax: String,
    /// Instruction type: `CVI_VA`, `CVI_VM_ST`, …
    pub class: String,
    /// The least architecture version.
    pub arch: String,
    /// Byte offset of the record.
    pub at: usize,
}

/// Prototypes by id, in document order.
#[derive(Debug, Default)]
pub(super) struct Prototypes {
    pub list: Vec<Prototype>,
    by_id: FxHashMap<String, usize>,
}

impl Prototypes {
    pub fn get(&self, id: &str) -> Option<&Prototype> {
        self.by_id.get(id).map(|at| &self.list[*at])
    }
}

const TEST: &str = "#if __HVX_ARCH__ >= ";
const LABELS: [&str; 4] =
    ["Assembly Syntax:", "C Intrinsic Prototype:", "Instruction Type:", "Execution Slots:"];
const BUILTIN: &str = "__builtin_HEXAGON_";

/// The prototypes of a document; records that cannot be read are reported and left out.
pub(super) fn read(text: &Text<'_>, diagnostics: &mut Vec<Diagnostic>) -> Prototypes {
    let source = text.as_str();
    let mut prototypes = Prototypes::default();
    let starts: Vec<usize> = source.match_indices(TEST).map(|(at, _)| at).collect();
    for (position, at) in starts.iter().enumerate() {
        let end = starts.get(position + 1).copied().unwrap_or(source.len());
        match record(&source[*at..end]) {
            Ok(mut prototype) => {
                prototype.at = *at;
                if prototypes.by_id.contains_key(&prototype.id) {
                    let message = format!("{} has a second prototype; the first one counts", prototype.id);
                    text.report(diagnostics, Severity::Warning, Some(&prototype.id), *at, message);
                    continue;
                }
                prototypes.by_id.insert(prototype.id.clone(), prototypes.list.len());
                prototypes.list.push(prototype);
            }
            Err(message) => text.report(diagnostics, Severity::Error, None, *at, message),
        }
    }
    let directives = |names: &[&str]| {
        let lines = source.lines().map(str::trim_start);
        lines.filter(|line| names.iter().any(|name| line.starts_with(name))).count()
    };
    if directives(&["#if"]) > directives(&["#endif"]) {
        let message = "the document ends inside a conditional section".to_owned();
        text.report(diagnostics, Severity::Error, None, source.len(), message);
    }
    if starts.is_empty() && !source.trim().is_empty() {
        text.report(diagnostics, Severity::Error, None, 0, "the document has no HVX prototype".into());
    }
    prototypes
}

fn record(source: &str) -> Result<Prototype, String> {
    let arch: String = source[TEST.len()..].chars().take_while(char::is_ascii_digit).collect();
    let comment = source.find("/*").and_then(|open| {
        let rest = &source[open + 2..];
        rest.find("*/").map(|close| (&rest[..close], &rest[close + 2..]))
    });
    let Some((comment, rest)) = comment else { return Err("the prototype has no comment".into()) };
    let words: Vec<&str> = comment.split_whitespace().collect();
    let comment = words.join(" ");
    let [syntax, declared, class, _] = LABELS.map(|label| labelled(&comment, label));
    let (Some(syntax), Some(declared)) = (syntax, declared) else {
        return Err("the prototype's comment has no assembly syntax or no C prototype".into());
    };
    let (head, list) = declared.split_once('(').ok_or("the C prototype has no argument list")?;
    let (result, intrinsic) = head.trim().rsplit_once(' ').ok_or("the C prototype has no result type")?;
    let mut args = Vec::new();
    for argument in
        list.trim_end_matches(')').split(',').map(str::trim).filter(|argument| !argument.is_empty())
    {
        let (c_type, name) =
            argument.rsplit_once(' ').ok_or_else(|| format!("the argument `{argument}` has no name"))?;
        args.push((c_type.to_owned(), name.to_owned()));
    }
    let define = rest.find("#define ").ok_or("the prototype has no macro")?;
    let builtins: Vec<String> = tokens(rest[define..].split("#endif").next().unwrap_or_default())
        .into_iter()
        .filter_map(|token| token.text.strip_prefix(BUILTIN).map(str::to_owned))
        .collect();
    let wrapped = result == "HVX_VectorPred" && builtins.first().is_some_and(|first| first == "V6_vandqrt");
    let id = builtins
        .get(usize::from(wrapped && builtins.len() > 1))
        .filter(|id| !id.is_empty())
        .ok_or("the prototype's macro names no builtin")?;
    Ok(Prototype {
        id: id.clone(),
        intrinsic: intrinsic.to_owned(),
        result: result.to_owned(),
        args,
        syntax: syntax.to_owned(),
        class: class.unwrap_or_default().to_owned(),
        arch,
        at: 0,
    })
}

/// The text after a label, up to the next one.
fn labelled<'a>(comment: &'a str, label: &str) -> Option<&'a str> {
    let rest = &comment[comment.find(label)? + label.len()..];
    let end = LABELS.iter().filter_map(|label| rest.find(label)).min().unwrap_or(rest.len());
    Some(rest[..end].trim_end_matches(['=', ' ']).trim())
}
