//! The decode facts: assembly lines to the words that an assembler makes of them.
//!
//! A line may hold ranges (`sshr v0.8b, v1.8b, #{1..8}`); its words are those of every combination of values,
//! the last range varying fastest. Next to the words are the values of the ASL's decode variables, for users
//! without the ASL. The `arm_decode` example generates them once per release of the documents; they are kept
//! as data.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write as _;
use std::sync::Arc;

use super::assembly::Line;
use super::decode::{Cache, Decoded};
use super::exec::Documents;
use super::operations::{Decodes, reads};
use super::recorded;

/// Most combinations of immediates in one line.
pub const MAX_COMBINATIONS: usize = 1024;

/// Encodings of assembly lines.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Facts {
    /// Words of a line; `None` where the assembler rejects a combination.
    pub words: BTreeMap<String, Vec<Option<u32>>>,
    /// The decode variables of a line, as [`recorded`] writes them.
    pub decodes: BTreeMap<String, String>,
}

#[derive(serde::Deserialize)]
struct Document {
    schema: u32,
    words: BTreeMap<String, String>,
    #[serde(default)]
    decodes: BTreeMap<String, String>,
}

impl Facts {
    /// Reads `specs/decode/a64.json`; an error has line, column and message.
    pub fn parse(text: &str) -> Result<Self, (u32, u32, String)> {
        let document: Document = serde_json::from_str(text).map_err(|error| {
            (error.line() as u32, error.column() as u32, format!("not decode facts: {error}"))
        })?;
        if document.schema != 1 {
            return Err((1, 1, format!("schema {} is not known", document.schema)));
        }
        let mut facts = Facts { decodes: document.decodes, ..Facts::default() };
        for (line, words) in document.words {
            let parsed: Option<Vec<Option<u32>>> = words
                .split(' ')
                .map(
                    |word| {
                        if word == "-" { Some(None) } else { u32::from_str_radix(word, 16).ok().map(Some) }
                    },
                )
                .collect();
            match parsed {
                Some(parsed) if parsed.len() <= MAX_COMBINATIONS => {
                    facts.words.insert(line, parsed);
                }
                _ => return Err((1, 1, format!("`{line}` has no list of words"))),
            }
        }
        Ok(facts)
    }

    /// The facts of lines from an assembler's output (one `encoding: [0x..,…]` for each accepted line, in
    /// order) and its messages (`file:line:column: error: …` for each rejected one).
    pub fn from_assembler(
        lines: &BTreeMap<String, Vec<(i64, i64)>>,
        output: &str,
        errors: &str,
    ) -> Result<Self, String> {
        let rejected: BTreeSet<usize> = errors
            .lines()
            .filter(|line| line.contains(": error:"))
            .filter_map(|line| line.rsplit(": error:").nth(1)?.rsplit(':').nth(1)?.parse().ok())
            .collect();
        let mut words = output.lines().filter_map(|line| {
            let bytes = line.split("encoding: [").nth(1)?.split(']').next()?;
            let byte = |byte: &str| u32::from_str_radix(byte.trim().trim_start_matches("0x"), 16).ok();
            let bytes = bytes.split(',').map(byte).collect::<Option<Vec<u32>>>()?;
            (bytes.len() == 4).then(|| bytes.iter().rev().fold(0, |word, byte| word << 8 | byte))
        });
        let mut facts = Self::default();
        let mut number = 0;
        for (line, ranges) in lines {
            let mut own = Vec::new();
            for values in combinations(ranges).unwrap_or_default() {
                number += 1;
                own.push(if rejected.contains(&number) {
                    None
                } else {
                    let missing = || format!("no encoding for `{}`", expanded(line, &values));
                    Some(words.next().ok_or_else(missing)?)
                });
            }
            facts.words.insert(line.clone(), own);
        }
        match words.next() {
            Some(_) => Err("more encodings than lines".to_owned()),
            None => Ok(facts),
        }
    }

    /// The facts as JSON, sorted, one line of text for each assembly line.
    pub fn print(&self) -> String {
        let mut text = String::from("{\n  \"schema\": 1,\n  \"words\": {");
        for (index, (line, words)) in self.words.iter().enumerate() {
            let comma = if index == 0 { "" } else { "," };
            let words: Vec<String> = words
                .iter()
                .map(|word| word.map_or_else(|| "-".to_owned(), |word| format!("{word:08x}")))
                .collect();
            // Lines hold neither quotes nor backslashes.
            let _ = write!(text, "{comma}\n    \"{line}\": \"{}\"", words.join(" "));
        }
        text.push_str("\n  },\n  \"decodes\": {");
        for (index, (line, decode)) in self.decodes.iter().enumerate() {
            let comma = if index == 0 { "" } else { "," };
            let _ = write!(text, "{comma}\n    \"{line}\": \"{decode}\"");
        }
        text.push_str("\n  }\n}\n");
        text
    }

    /// Adds what the decode of the ASL documents makes of the words of `lines`.
    pub fn decode(&mut self, documents: &Documents<'_>, lines: &BTreeMap<String, Vec<(i64, i64)>>) {
        let cache = Cache::default();
        for (line, ranges) in lines {
            let (Some(words), Some(combinations)) = (self.words.get(line), combinations(ranges)) else {
                continue;
            };
            let decodes: Vec<Option<Arc<Decoded>>> = words
                .iter()
                .map(|word| {
                    let decoded = cache.decode(documents, (*word)?).ok()?;
                    // A field of the encoding is of use where the body reads it.
                    let encoding = documents.instructions.encoding(decoded.position)?;
                    let body = documents.instructions.execute(encoding).ok();
                    let read = body.map(|body| reads(&body)).unwrap_or_default();
                    let fields = encoding.fields.iter().map(|(name, ..)| name);
                    let unread: Vec<&str> =
                        fields.filter(|name| !read.contains(*name)).map(|name| &**name).collect();
                    Some(Arc::new(decoded.without(&unread)))
                })
                .collect();
            let text = recorded::print(&decodes, &combinations);
            if !text.is_empty() {
                self.decodes.insert(line.clone(), text);
            }
        }
    }

    /// The recorded decodes of a line for all combinations of its immediates: `Err` says what is missing.
    pub fn decoded(&self, line: &Line) -> Result<Vec<Option<Arc<Decoded>>>, String> {
        let key = line.to_string();
        let text = self.decodes.get(&key).ok_or_else(|| format!("no decode facts for `{key}`"))?;
        let ranges: Vec<(i64, i64)> = line.immediates().map(|(_, low, high)| (low, high)).collect();
        let combinations = combinations(&ranges).unwrap_or_default();
        recorded::read(text, &combinations).map_err(|part| format!("`{part}` is no decode fact of `{key}`"))
    }

    /// The encoding of a line, by its recorded decode.
    pub fn encoding(&self, line: &str) -> Option<&str> {
        self.decodes.get(line).map(|text| recorded::encoding(text))
    }

    /// What the decode of each encoding sets.
    pub fn encodings(&self) -> BTreeMap<&str, Decodes> {
        let mut encodings: BTreeMap<&str, Decodes> = BTreeMap::new();
        for text in self.decodes.values() {
            let own = encodings.entry(recorded::encoding(text)).or_default();
            for (name, varies) in recorded::names(text) {
                own.all.insert(name.into());
                if varies {
                    own.varying.insert(name.into());
                }
            }
        }
        encodings
    }

    /// A combination's position among those of a line's immediates.
    pub fn position(line: &Line, values: &[i64]) -> Option<usize> {
        line.immediates().zip(values).try_fold(0usize, |index, ((_, low, high), value)| {
            let count = usize::try_from(high - low + 1).ok()?;
            let digit = usize::try_from(value - low).ok().filter(|digit| *digit < count)?;
            index.checked_mul(count)?.checked_add(digit)
        })
    }

    /// The combination's word of a line: `Err` says what is missing.
    pub fn word(&self, line: &Line, values: &[i64]) -> Result<u32, String> {
        let key = line.to_string();
        let words = self.words.get(&key).ok_or_else(|| format!("no decode facts for `{key}`"))?;
        let index = Self::position(line, values).unwrap_or(usize::MAX);
        match words.get(index) {
            Some(Some(word)) => Ok(*word),
            Some(None) => Err(format!("`{}` does not assemble", expanded(&key, values))),
            None => Err(format!("no decode facts for `{}`", expanded(&key, values))),
        }
    }
}

/// A line with values in place of its ranges.
pub fn expanded(line: &str, values: &[i64]) -> String {
    let mut text = String::with_capacity(line.len());
    let mut values = values.iter();
    let mut rest = line;
    // A list of registers opens its brace before a blank, a range before a digit.
    while let Some(open) = rest.find('{') {
        let (before, from) = rest.split_at(open);
        text.push_str(before);
        let range = from[1..].split('}').next().unwrap_or("");
        if range.starts_with(' ') {
            text.push('{');
            rest = &from[1..];
            continue;
        }
        let scale: i64 = range.split_once('*').map_or(1, |(_, scale)| scale.parse().unwrap_or(1));
        let value = values.next().copied().unwrap_or(0);
        let _ = write!(text, "{}", value.saturating_mul(scale));
        rest = from.get(range.len() + 2..).unwrap_or("");
    }
    text.push_str(rest);
    text
}

/// Every combination of values in the given ranges, the last one running fastest; `None` when
/// there are too many.
pub fn combinations(ranges: &[(i64, i64)]) -> Option<Vec<Vec<i64>>> {
    let mut all = vec![Vec::new()];
    for (low, high) in ranges {
        let count = usize::try_from(high.checked_sub(*low)?.checked_add(1)?).ok()?;
        if all.len().checked_mul(count)? > MAX_COMBINATIONS {
            return None;
        }
        all = all
            .iter()
            .flat_map(|start| {
                (*low..=*high).map(move |value| {
                    let mut values = start.clone();
                    values.push(value);
                    values
                })
            })
            .collect();
    }
    Some(all)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn facts_print_and_read_back() {
        let mut facts = Facts::default();
        facts.words.insert("add v0.8b, v1.8b, v8.8b".into(), vec![Some(0x0e28_8420)]);
        facts.words.insert("sshr d0, d1, #{1..2}".into(), vec![Some(0x5f7f_0420), None]);
        assert_eq!(Facts::parse(&facts.print()).unwrap(), facts);
        assert!(Facts::parse("{}").is_err());
        assert!(Facts::parse(r#"{"schema": 2, "words": {}}"#).is_err());
        assert!(Facts::parse(r#"{"schema": 1, "words": {"a": "zz"}}"#).is_err());
    }

    #[test]
    fn ranges_expand() {
        assert_eq!(expanded("ext v0.8b, { v1.16b }, #{0..3*2}", &[3]), "ext v0.8b, { v1.16b }, #6");
        assert_eq!(expanded("ins v0.b[{0..7}], v1.b[{0..7}]", &[1, 2]), "ins v0.b[1], v1.b[2]");
        assert_eq!(
            combinations(&[(1, 2), (0, 1)]),
            Some(vec![vec![1, 0], vec![1, 1], vec![2, 0], vec![2, 1]])
        );
        assert_eq!(combinations(&[(0, i64::MAX)]), None);
        assert_eq!(combinations(&[(1, 0)]), Some(vec![]));
    }
}
