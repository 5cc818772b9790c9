//! The documents from packages, joined into the two-file form: the older page has operands and operations,
//! the newer data has more entries and decides which of the page's twins is correct.
//!
//! ```text
//! page (HTML)          ┐     intrinsics: entries with `Operation`
//! newer data (JSON)    ┘ ──▶ operations: bodies by key
//! ```
//! An entry that is only in the newer data keeps its shape, without operands and operation.

use std::collections::BTreeMap;

use rustc_hash::FxHashMap;
use serde_json::{Value, json};

use super::json::{self, Entry, Preparation, Raw};
use super::operations::Texts;
use super::page::{self, Block};
use super::position::Positions;
use crate::Diagnostic;

/// Entries and operations of the joined documents.
#[derive(Default)]
pub struct Joined {
    /// The entries: the page's in its order, then those only in the newer data.
    pub entries: Vec<Raw>,
    /// The bodies by key, with the page's offset.
    pub operations: Texts,
}

/// Joins the page and the newer data; either may be missing (empty).
pub fn join(page: &Positions<'_>, newer: &Positions<'_>, diagnostics: &mut Vec<Diagnostic>) -> Joined {
    let mut joined = Joined::default();
    let newer = json::read(newer, diagnostics);
    let known: FxHashMap<&str, &Entry> = newer
        .iter()
        .filter_map(|raw| raw.entry.as_ref().ok())
        .map(|entry| (entry.name.as_str(), entry))
        .collect();
    let mut keys: FxHashMap<String, String> = FxHashMap::default();
    let mut blocks: Vec<Block> = Vec::new();
    let mut places: FxHashMap<String, usize> = FxHashMap::default();
    if !page.text.is_empty() && !page::is_page(page.text) {
        diagnostics.push(page.diagnostic(0, "the page has no block of an intrinsic"));
    }
    if !page.text.is_empty() && !page.text.trim_end().ends_with("</html>") {
        diagnostics.push(page.diagnostic(page.text.len(), "the page ends before `</html>`"));
    }
    for block in page::blocks(page.text) {
        match block {
            Ok(block) => {
                let name = block.entry.name.clone();
                match places.get(&name) {
                    None => {
                        places.insert(name, blocks.len());
                        blocks.push(block);
                    }
                    Some(at) => {
                        // Of twins, the one whose mnemonics occur in the newer data is correct.
                        let fits = |block: &Block| {
                            known.get(name.as_str()).is_some_and(|entry| entry.base == block.entry.base)
                        };
                        if fits(&block) && !fits(&blocks[*at]) {
                            blocks[*at] = block;
                        }
                    }
                }
            }
            Err((offset, message)) => diagnostics.push(page.diagnostic(offset, message)),
        }
    }
    for Block { mut entry, operation, offset, length } in blocks {
        if let Some(operation) = operation {
            let next = format!("PageOperation_{:03}", keys.len() + 1);
            let key = keys.entry(operation.clone()).or_insert(next).clone();
            joined.operations.entry(key.clone()).or_insert((operation, offset));
            entry.operation = key;
        }
        if let Some(known) = known.get(entry.name.as_str()) {
            entry.architectures.clone_from(&known.architectures);
        }
        joined.entries.push(Raw { span: page.span(offset, length), entry: Ok(entry) });
    }
    joined.entries.extend(newer.into_iter().filter(|raw| match &raw.entry {
        Ok(entry) => !places.contains_key(&entry.name),
        Err(_) => true,
    }));
    joined
}

impl Joined {
    /// The two files' texts: intrinsics, one to a line, and operations.
    pub fn print(&self) -> (String, String) {
        let entries: Vec<String> = self
            .entries
            .iter()
            .filter_map(|raw| raw.entry.as_ref().ok())
            .map(|e| object(e).to_string())
            .collect();
        let operations: BTreeMap<&String, &String> =
            self.operations.iter().map(|(key, (text, _))| (key, text)).collect();
        let operations: Vec<String> =
            operations.iter().map(|(key, text)| format!("{}: {}", json!(key), json!(text))).collect();
        (format!("[\n{}\n]\n", entries.join(",\n")), format!("{{\n{}\n}}\n", operations.join(",\n")))
    }
}

fn object(entry: &Entry) -> Value {
    let preparation: serde_json::Map<String, Value> = entry
        .preparation
        .iter()
        .map(|(name, preparation)| {
            let value = match preparation {
                Preparation::Register(register) => json!({ "register": register }),
                Preparation::Immediate(low, high) => json!({ "minimum": low, "maximum": high }),
                Preparation::Unsaid => json!({}),
            };
            (name.clone(), value)
        })
        .collect();
    let arguments: Vec<String> = entry.args.iter().map(|(c_type, name)| format!("{c_type} {name}")).collect();
    let mut value = json!({
        "name": entry.name,
        "return_type": { "value": entry.returns },
        "arguments": arguments,
        "Arguments_Preparation": preparation,
        "Architectures": entry.architectures,
    });
    if entry.described {
        let results: Vec<Value> =
            entry.results.iter().map(|(register, part)| json!({ register: part })).collect();
        value["results"] = json!(results);
        value["Operation"] = json!(entry.operation);
        value["base_instruction"] = json!(entry.base);
        value["operands"] = json!(entry.operands);
    } else {
        value["instructions"] = json!([entry.base]);
    }
    value
}
