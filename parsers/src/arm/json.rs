//! The two JSON documents: intrinsics with their base instructions, and operations by key.
//!
//! An entry of another shape is an error of that entry, reported with the path of the field; the text is
//! split into entries first, so that each has a location.

use std::collections::BTreeMap;
use std::ops::Range;

use rayon::prelude::*;
use serde_json::Value;

use super::position::Positions;
use crate::{Diagnostic, Severity, Span};

/// One intrinsic as documented.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Entry {
    /// The C name.
    pub name: String,
    /// The C type returned.
    pub returns: String,
    /// Arguments: C type and name.
    pub args: Vec<(String, String)>,
    /// Results: register and what of the returned value it holds.
    pub results: Vec<(String, String)>,
    /// Where arguments go before the instruction, by argument name.
    pub preparation: BTreeMap<String, Preparation>,
    /// Key of the operation.
    pub operation: String,
    /// Mnemonics.
    pub base: Vec<String>,
    /// Operands of the (first) base instruction.
    pub operands: String,
    /// The architectures that have it, where the document says so.
    pub architectures: Vec<String>,
    /// Whether the document has operands, results and operations; newer data lacks them.
    pub described: bool,
}

/// Where an argument goes.
#[derive(Clone, Debug, PartialEq)]
pub enum Preparation {
    /// Into a register.
    Register(String),
    /// Into the encoding: least and greatest value.
    Immediate(i64, i64),
    /// The document does not say.
    Unsaid,
}

/// What is wrong at which field.
#[derive(Clone, Debug, PartialEq)]
pub struct ShapeError {
    /// The entry's name, when it has one.
    pub name: Option<String>,
    /// The path, such as `[17].arguments[0]`.
    pub path: String,
    /// What was expected.
    pub message: String,
    /// Whether the entry is not JSON at all.
    pub ill_formed: bool,
}

/// Cuts an array into its elements; an error has the byte offset up to which it could be cut.
pub fn elements(text: &str) -> (Vec<Range<usize>>, Option<(usize, &'static str)>) {
    let bytes = text.as_bytes();
    let mut found = Vec::new();
    let blank = |mut at: usize| {
        while bytes.get(at).is_some_and(u8::is_ascii_whitespace) {
            at += 1;
        }
        at
    };
    let mut at = blank(0);
    if bytes.get(at) != Some(&b'[') {
        return (found, Some((at, "expected an array of intrinsics")));
    }
    at = blank(at + 1);
    if bytes.get(at) == Some(&b']') {
        return (found, None);
    }
    loop {
        let start = at;
        let (mut depth, mut in_string) = (0usize, false);
        loop {
            match bytes.get(at) {
                None => return (found, Some((start, "the array is not closed"))),
                Some(b'\\') if in_string => at += 1,
                Some(b'"') => in_string = !in_string,
                _ if in_string => {}
                Some(b'[' | b'{') => depth += 1,
                Some(b']' | b'}') if depth > 0 => depth -= 1,
                Some(b',' | b']' | b'}') if depth == 0 => break,
                _ => {}
            }
            at += 1;
        }
        found.push(start..start + text[start..at].trim_end().len());
        match bytes.get(at) {
            Some(b',') => at = blank(at + 1),
            Some(b']') => {
                let rest = blank(at + 1);
                let more = (rest < bytes.len()).then_some((rest, "expected nothing behind the array"));
                return (found, more);
            }
            _ => return (found, Some((at, "expected `,` or `]`"))),
        }
    }
}

/// An entry and its location.
#[derive(Clone, Debug)]
pub struct Raw {
    /// Its place.
    pub span: Span,
    /// What it says.
    pub entry: Result<Entry, ShapeError>,
}

/// Reads a document's entries.
pub fn read(document: &Positions<'_>, diagnostics: &mut Vec<Diagnostic>) -> Vec<Raw> {
    if document.text.is_empty() {
        return Vec::new();
    }
    let (ranges, cut) = elements(document.text);
    if let Some((offset, message)) = cut {
        diagnostics.push(document.diagnostic(offset, message));
    }
    let entries: Vec<Raw> = ranges
        .into_par_iter()
        .enumerate()
        .map(|(index, range)| Raw {
            span: document.span(range.start, range.len()),
            entry: entry(&document.text[range], index),
        })
        .collect();
    for Raw { span, entry } in &entries {
        if let Err(ShapeError { path, message, ill_formed: true, .. }) = entry {
            diagnostics.push(Diagnostic {
                severity: Severity::Fatal,
                entry: Some(path.clone()),
                span: span.clone(),
                message: message.clone(),
            });
        }
    }
    entries
}

/// Whether a text can name a C function.
pub fn is_name(text: &str) -> bool {
    text.starts_with(|first: char| first.is_ascii_alphabetic() || first == '_')
        && text.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'_')
}

/// Reads the entry at `index`.
pub fn entry(text: &str, index: usize) -> Result<Entry, ShapeError> {
    let failure = |path: String, message: String, name: Option<String>| ShapeError {
        ill_formed: false,
        name,
        path,
        message,
    };
    let value: Value = serde_json::from_str(text).map_err(|error| {
        let message = format!("not JSON (line {}, column {} of the entry)", error.line(), error.column());
        ShapeError { ill_formed: true, ..failure(format!("[{index}]"), message, None) }
    })?;
    let name = value.get("name").and_then(Value::as_str).map(str::to_owned);
    let reader = Reader { prefix: format!("[{index}]") };
    reader.entry(&value).map_err(|(path, message)| failure(path, message, name))
}

struct Reader {
    prefix: String,
}

type Read<T> = Result<T, (String, String)>;

impl Reader {
    fn path<T>(&self, field: &str, message: &str) -> Read<T> {
        Err((format!("{}{field}", self.prefix), message.to_owned()))
    }

    fn string(&self, value: Option<&Value>, field: &str) -> Read<String> {
        match value {
            Some(Value::String(text)) => Ok(text.clone()),
            Some(_) => self.path(field, "expected a string"),
            None => self.path(field, "the field is missing"),
        }
    }

    fn array<'v>(&self, value: Option<&'v Value>, field: &str) -> Read<&'v Vec<Value>> {
        match value {
            Some(Value::Array(values)) => Ok(values),
            Some(_) => self.path(field, "expected an array"),
            None => self.path(field, "the field is missing"),
        }
    }

    fn strings(&self, value: Option<&Value>, field: &str) -> Read<Vec<String>> {
        let values = self.array(value, field)?;
        values
            .iter()
            .enumerate()
            .map(|(i, value)| self.string(Some(value), &format!("{field}[{i}]")))
            .collect()
    }

    fn entry(&self, value: &Value) -> Read<Entry> {
        if !value.is_object() {
            return self.path("", "expected an object");
        }
        let mut entry = Entry { name: self.string(value.get("name"), ".name")?, ..Entry::default() };
        if !is_name(&entry.name) {
            return self.path(".name", "expected the name of a C function");
        }
        // Newer data only names the instructions.
        match value.get("instructions").filter(|_| value.get("operands").is_none()) {
            Some(sequences) => {
                let first = self.array(Some(sequences), ".instructions")?.first();
                entry.base = self.strings(first, ".instructions[0]")?;
            }
            None => {
                entry.described = true;
                entry.operation = self.string(value.get("Operation"), ".Operation")?;
                entry.operands = self.string(value.get("operands"), ".operands")?;
                entry.base = self.strings(value.get("base_instruction"), ".base_instruction")?;
            }
        }
        match value.get("return_type") {
            Some(Value::Object(fields)) => {
                entry.returns = self.string(fields.get("value"), ".return_type.value")?
            }
            Some(_) => return self.path(".return_type", "expected an object"),
            None => return self.path(".return_type", "the field is missing"),
        }
        for (i, arg) in self.strings(value.get("arguments"), ".arguments")?.iter().enumerate() {
            match arg.trim().rsplit_once(' ') {
                Some((c_type, name)) => entry.args.push((c_type.trim().to_owned(), name.to_owned())),
                None => return self.path(&format!(".arguments[{i}]"), "expected a type and a name"),
            }
        }
        let none = Vec::new();
        let results = if entry.described { self.array(value.get("results"), ".results")? } else { &none };
        for (i, result) in results.iter().enumerate() {
            let Value::Object(fields) = result else {
                return self.path(&format!(".results[{i}]"), "expected an object");
            };
            for (register, part) in fields {
                let part = self.string(Some(part), &format!(".results[{i}].{register}"))?;
                entry.results.push((register.trim().to_owned(), part));
            }
        }
        match value.get("Arguments_Preparation") {
            Some(Value::Object(fields)) => {
                for (name, field) in fields {
                    let path = format!(".Arguments_Preparation.{name}");
                    entry.preparation.insert(name.clone(), self.preparation(field, &path)?);
                }
            }
            Some(_) => return self.path(".Arguments_Preparation", "expected an object"),
            None => return self.path(".Arguments_Preparation", "the field is missing"),
        }
        if let Some(architectures) = value.get("Architectures") {
            entry.architectures = self.strings(Some(architectures), ".Architectures")?;
        }
        Ok(entry)
    }

    fn preparation(&self, value: &Value, path: &str) -> Read<Preparation> {
        let Value::Object(fields) = value else { return self.path(path, "expected an object") };
        if let Some(register) = fields.get("register") {
            return Ok(Preparation::Register(self.string(Some(register), &format!("{path}.register"))?));
        }
        if !fields.contains_key("minimum") {
            return Ok(Preparation::Unsaid);
        }
        let number = |field: &str| {
            let path = format!("{path}.{field}");
            let number = match fields.get(field) {
                Some(Value::String(text)) => text.trim().parse().ok(),
                Some(Value::Number(number)) => number.as_i64(),
                _ => None,
            };
            number.map_or_else(|| self.path(&path, "expected a number"), Ok)
        };
        Ok(Preparation::Immediate(number("minimum")?, number("maximum")?))
    }
}

/// Reads the operations: key to pseudocode.
pub fn operations(text: &str) -> Result<BTreeMap<String, String>, (u32, u32, String)> {
    let value: Value = serde_json::from_str(text)
        .map_err(|error| (error.line() as u32, error.column() as u32, "not JSON".to_owned()))?;
    let Value::Object(fields) = value else { return Err((1, 1, "expected an object of operations".into())) };
    let mut operations = BTreeMap::new();
    for (key, value) in fields {
        match value {
            Value::String(text) => operations.insert(key, text),
            _ => return Err((1, 1, format!("`{key}`: expected a string"))),
        };
    }
    Ok(operations)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn arrays_are_cut_at_their_commas() {
        let (found, error) = elements(r#" [ {"a": "],"}, [1, 2] ,3 ] "#);
        assert_eq!(error, None);
        assert_eq!(found.len(), 3);
        assert_eq!(elements("").1, Some((0, "expected an array of intrinsics")));
        assert_eq!(elements("[{}, {").0.len(), 1);
        assert!(elements("[{\"a").1.is_some());
        assert_eq!(elements("[]"), (vec![], None));
    }

    #[test]
    fn errors_name_the_field() {
        let good = r#"{"name": "f", "return_type": {"value": "int8x8_t"}, "arguments": ["int8x8_t a"],
            "results": [{"Vd.8B": "result"}], "Arguments_Preparation": {"a": {"register": "Vn.8B"}},
            "Operation": "Op", "base_instruction": ["ABS"], "operands": "Vd.8B,Vn.8B"}"#;
        assert_eq!(entry(good, 0).unwrap().args, [("int8x8_t".to_owned(), "a".to_owned())]);
        let path = |text: &str| entry(text, 17).map_err(|error| error.path);
        assert_eq!(path(&good.replace("\"int8x8_t a\"", "3")), Err("[17].arguments[0]".into()));
        assert_eq!(
            path(&good.replace("\"Vn.8B\"", "null")),
            Err("[17].Arguments_Preparation.a.register".into())
        );
        let newer = r#"{"name": "f", "return_type": {"value": "int8x8_t"}, "arguments": ["int8x8_t a"],
            "Arguments_Preparation": {"a": {"register": "Vn.8B"}}, "Architectures": ["A64"],
            "instructions": [["ABS"]]}"#;
        let entry = entry(newer, 0).unwrap();
        assert!(!entry.described && entry.base == ["ABS"] && entry.architectures == ["A64"]);
        assert_eq!(path(&newer.replace("[[\"ABS\"]]", "[[1]]")), Err("[17].instructions[0][0]".into()));
        assert_eq!(path(&good.replace("\"f\"", "\"\"")), Err("[17].name".into()));
        assert_eq!(path("3"), Err("[17]".into()));
        assert_eq!(path("{"), Err("[17]".into()));
    }
}
