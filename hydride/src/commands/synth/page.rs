//! `--page`: the answers of a run as a page, each window with its costs, what was chosen in words, and its code.

use std::fmt::Write as _;

use ::report::escape;
use anyhow::Result;
use serde_json::Value;

use crate::page::document;

/// An answer on the page.
pub struct Entry {
    /// The answer as a line of JSON.
    pub line: String,
    /// What was chosen, in words.
    pub explanation: String,
    /// The function in C, if there is one.
    pub code: Option<String>,
}

/// The page; times are left out, so that the same run gives the same bytes.
pub fn page(entries: &[Entry]) -> Result<String> {
    let rows = entries.iter().map(|entry| Ok(serde_json::from_str(&entry.line)?));
    let rows = rows.collect::<Result<Vec<Value>>>()?;
    let count = |status: &str| rows.iter().filter(|row| row["status"] == status).count();
    let mut body = format!("<p>{} windows: {} proved", rows.len(), count("proved"));
    for status in ["kept", "exhausted", "out of time", "not searched"] {
        match count(status) {
            0 => {}
            some => {
                let _ = write!(body, ", {some} {status}");
            }
        }
    }
    body += ".</p>\n<table><thead><tr><th>window</th><th>target</th><th>instructions</th><th>micro-operations</th>\
             <th>throughput</th><th>latency</th><th>proof</th></tr></thead><tbody>\n";
    for (number, row) in rows.iter().enumerate() {
        let steps = row["instructions"].as_array().map(Vec::as_slice).unwrap_or_default();
        let steps: Vec<&str> = steps.iter().map(|step| text(&step["mnemonic"])).collect();
        let is_answer = ["proved", "kept"].contains(&text(&row["status"])) || row["floor"] == true;
        let (class, steps) = match (is_answer, steps.is_empty()) {
            (false, _) => ("none", escape(text(&row["status"]))),
            (true, true) => ("proved", "nothing".to_owned()),
            (true, false) => ("proved", format!("<code>{}</code>", escape(&steps.join(", ")))),
        };
        let of_cost = |key: &str| row["cost"].get(key).map_or(String::new(), Value::to_string);
        let _ = writeln!(
            body,
            "<tr class=\"{class}\"><td><a href=\"#w{number}\">{}</a></td><td>{}</td><td>{steps}</td><td class=\"n\">{}</td>\
             <td class=\"n\">{}</td><td class=\"n\">{}</td><td>{}</td></tr>",
            escape(text(&row["name"])),
            escape(text(&row["target"])),
            of_cost("uops"),
            of_cost("throughput"),
            of_cost("latency"),
            escape(text(&row["proof"])),
        );
    }
    body += "</tbody></table>\n";
    for (number, (row, entry)) in rows.iter().zip(entries).enumerate() {
        let name = escape(text(&row["name"]));
        let _ = write!(body, "<h2 id=\"w{number}\">{name}</h2>\n<pre>{}</pre>\n", escape(&entry.explanation));
        if let Some(code) = &entry.code {
            let _ = writeln!(body, "<pre>{}</pre>", escape(code));
        }
    }
    Ok(document("Answers of hydride synth", &body))
}

/// A text in JSON; nothing for what is none.
fn text(value: &Value) -> &str {
    value.as_str().unwrap_or_default()
}
