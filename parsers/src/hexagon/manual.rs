//! The manual's instructions: a JSON array of records with intrinsic name, assembly syntax and
//! pseudocode.

use serde_json::Value;

use super::source::Text;
use crate::{Diagnostic, Severity};

/// An instruction of the manual.
#[derive(Clone, Debug)]
pub(super) struct Record {
    pub id: String,
    pub syntax: String,
    pub pseudocode: String,
    /// Byte offset of the record.
    pub at: usize,
    /// Byte offset of the pseudocode's first character.
    pub pseudocode_at: usize,
    /// The pseudocode as it stands in the file, with escapes.
    pub raw: String,
}

/// The records of a document. What has the wrong shape is reported with its path and left out.
pub(super) fn read(text: &Text<'_>, diagnostics: &mut Vec<Diagnostic>) -> Vec<Record> {
    let source = text.as_str();
    if source.trim().is_empty() {
        return Vec::new();
    }
    let value: Value = match serde_json::from_str(source) {
        Ok(value) => value,
        Err(error) => {
            let at = offset(source, error.line(), error.column());
            text.report(diagnostics, Severity::Error, None, at, format!("this is not JSON: {error}"));
            return Vec::new();
        }
    };
    let Value::Array(elements) = value else {
        text.report(diagnostics, Severity::Error, None, 0, "an array of instructions is expected".into());
        return Vec::new();
    };
    let places = places(source);
    let mut records = Vec::new();
    for (position, element) in elements.iter().enumerate() {
        let place = places.get(position);
        let at = place.map_or(0, |place| place.at);
        match record(element, position, place) {
            Ok(record) => records.push(record),
            Err(message) => text.report(diagnostics, Severity::Error, None, at, message),
        }
    }
    records
}

fn record(element: &Value, position: usize, place: Option<&Place>) -> Result<Record, String> {
    let Value::Object(fields) = element else { return Err(format!("[{position}] is not an object")) };
    let field = |name: &str| match fields.get(name) {
        Some(Value::String(text)) => Ok(text.clone()),
        Some(_) => Err(format!("[{position}].{name} is not a string")),
        None => Err(format!("[{position}].{name} is missing")),
    };
    let intrinsic = field("intrinsic")?;
    let id = identity(&intrinsic).ok_or_else(|| {
        format!("[{position}].intrinsic is `{intrinsic}`, which is no name of an HVX instruction")
    })?;
    let (pseudocode_at, raw) = place
        .and_then(|place| place.strings.iter().find(|(name, _, _)| name == "pseudocode"))
        .map(|(_, at, raw)| (*at, raw.clone()))
        .unwrap_or_default();
    Ok(Record {
        id,
        syntax: field("syntax")?,
        pseudocode: field("pseudocode")?,
        at: place.map_or(0, |place| place.at),
        pseudocode_at,
        raw,
    })
}

/// The builtin's name: without target prefix and vector-length suffix.
fn identity(intrinsic: &str) -> Option<String> {
    let name = intrinsic.strip_prefix("hexagon_").unwrap_or(intrinsic);
    let name = name.strip_suffix("_128B").unwrap_or(name);
    let is_word = name.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'_');
    (name.starts_with("V6_") && name.len() > 3 && is_word).then(|| name.to_owned())
}

/// Where an array element and its string fields stand.
#[derive(Default)]
struct Place {
    at: usize,
    /// Name, offset of the first character and text with escapes of each string field.
    strings: Vec<(String, usize, String)>,
}

/// The places of the elements of an array, in a text that is known to be JSON.
fn places(source: &str) -> Vec<Place> {
    let bytes = source.as_bytes();
    let mut places: Vec<Place> = Vec::new();
    let (mut at, mut depth) = (0, 0usize);
    let mut key: Option<String> = None;
    let mut is_value = false;
    while let Some(byte) = bytes.get(at) {
        match byte {
            b'"' => {
                let start = at + 1;
                at = start;
                while bytes.get(at).is_some_and(|byte| *byte != b'"') {
                    at += if bytes[at] == b'\\' { 2 } else { 1 };
                }
                let raw = source.get(start..at.min(source.len())).unwrap_or_default();
                if depth == 1 {
                    places.push(Place { at: start - 1, strings: Vec::new() });
                } else if depth == 2 && !is_value {
                    key = Some(raw.to_owned());
                } else if depth == 2
                    && let (Some(key), Some(place)) = (key.take(), places.last_mut())
                {
                    place.strings.push((key, start, raw.to_owned()));
                }
            }
            b'{' | b'[' => {
                depth += 1;
                if depth == 2 {
                    places.push(Place { at, strings: Vec::new() });
                }
                is_value = false;
            }
            b'}' | b']' => depth = depth.saturating_sub(1),
            b':' => is_value = true,
            b',' => is_value = false,
            b'-' | b'0'..=b'9' | b't' | b'f' | b'n' if depth == 1 => {
                places.push(Place { at, strings: Vec::new() });
                while bytes.get(at + 1).is_some_and(|byte| !matches!(byte, b',' | b']')) {
                    at += 1;
                }
            }
            _ => {}
        }
        at += 1;
    }
    places
}

/// The offset in a string as it stands in the file of the character at `target` of its value.
pub(super) fn raw_offset(raw: &str, target: usize) -> usize {
    let bytes = raw.as_bytes();
    let (mut at, mut value) = (0, 0);
    while value < target && at < bytes.len() {
        if bytes[at] != b'\\' {
            (at, value) = (at + 1, value + 1);
            continue;
        }
        let is_unicode = bytes.get(at + 1) == Some(&b'u');
        let code = raw.get(at + 2..at + 6).and_then(|digits| u32::from_str_radix(digits, 16).ok());
        value += match code.filter(|_| is_unicode) {
            Some(code) => char::from_u32(code).map_or(2, char::len_utf8),
            None => 1,
        };
        at += if is_unicode { 6 } else { 2 };
    }
    at.min(bytes.len())
}

/// The byte offset of a line and column, both counted from 1 as `serde_json` does.
fn offset(source: &str, line: usize, column: usize) -> usize {
    let start: usize = source.split_inclusive('\n').take(line.saturating_sub(1)).map(str::len).sum();
    (start + column.saturating_sub(1)).min(source.len())
}
