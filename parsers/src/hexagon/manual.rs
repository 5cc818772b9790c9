//! The manual's instructions: intrinsic name, assembly syntax and pseudocode, as a JSON array of records
//! or as plain text.
//!
//! In the text form a record has a line for each field, and the pseudocode is what follows up to the next
//! record; lines that begin with `#` before the first record are comments:
//!
//! ```text
//! intrinsic: hexagon_V6_vaddb_128B
//! syntax: Vd.b=vadd(Vu.b,Vv.b)
//! pseudocode:
//! for (i = 0; i < VELEM(8); i++) {
//!     Vd.b[i] = Vu.b[i] + Vv.b[i];
//! }
//! ```

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
    /// The pseudocode as written in the file, with JSON escapes; empty in the text form, which has no
    /// escapes.
    pub raw: String,
}

/// The records of a document. What has the wrong shape is reported with its path and left out.
pub(super) fn read(text: &Text<'_>, diagnostics: &mut Vec<Diagnostic>) -> Vec<Record> {
    let source = text.as_str();
    if source.trim().is_empty() {
        return Vec::new();
    }
    if !source.trim_start().starts_with(['[', '{']) {
        return plain(text, diagnostics);
    }
    let value: Value = match serde_json::from_str(source) {
        Ok(value) => value,
        Err(error) => {
            let at = text.offset_of(error.line(), error.column());
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

/// The fields of a record in the text form, in order.
const FIELDS: [&str; 3] = ["intrinsic:", "syntax:", "pseudocode:"];

/// The records of the text form. One that lacks a field is reported with its line and left out.
fn plain(text: &Text<'_>, diagnostics: &mut Vec<Diagnostic>) -> Vec<Record> {
    let source = text.as_str();
    let mut starts: Vec<usize> = Vec::new();
    let mut at = 0;
    for line in source.split_inclusive('\n') {
        if line.trim_start().starts_with(FIELDS[0]) {
            starts.push(at);
        } else if starts.is_empty() && !line.trim().is_empty() && !line.trim_start().starts_with('#') {
            let message = "a record begins with `intrinsic:`, and the document with one or with `[`";
            text.report(diagnostics, Severity::Error, None, at, message.into());
            return Vec::new();
        }
        at += line.len();
    }
    let ends = starts.iter().skip(1).copied().chain([source.len()]);
    let mut records = Vec::new();
    for (start, end) in starts.iter().zip(ends) {
        match plain_record(&source[*start..end], *start) {
            Ok(record) => records.push(record),
            Err((at, message)) => text.report(diagnostics, Severity::Error, None, at, message),
        }
    }
    records
}

/// A record of the text form that begins at the offset `start`; an error has an offset.
fn plain_record(record: &str, start: usize) -> Result<Record, (usize, String)> {
    let mut values: Vec<(usize, &str)> = Vec::new();
    let mut at = 0;
    for line in record.split_inclusive('\n') {
        let indent = line.len() - line.trim_start().len();
        let Some(field) = FIELDS.get(values.len()) else { break };
        if let Some(value) = line[indent..].strip_prefix(field) {
            values.push((at + indent + field.len(), value));
        } else if !line.trim().is_empty() {
            let message = format!("the record lacks `{}` before `{}`", FIELDS[values.len()], line.trim());
            return Err((start + at + indent, message));
        }
        at += line.len();
    }
    let [(at_name, intrinsic), (_, syntax), (body, _)] = values[..] else {
        return Err((start, format!("the record ends without `{}`", FIELDS[values.len().min(2)])));
    };
    let id = identity(intrinsic.trim()).ok_or_else(|| {
        let message = format!("`{}` is no name of an HVX instruction", intrinsic.trim());
        (start + at_name, message)
    })?;
    let pseudocode = &record[body..];
    Ok(Record {
        id,
        syntax: syntax.trim().to_owned(),
        pseudocode: pseudocode.to_owned(),
        at: start,
        pseudocode_at: start + body,
        raw: String::new(),
    })
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

/// The locations of an array element and its string fields.
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

/// The offset, in a string as written in the file, of the character at `target` in its value.
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
