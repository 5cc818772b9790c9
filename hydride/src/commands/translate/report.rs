//! What became of each use of an intrinsic, as lines of JSON and in words.

use std::fmt::Write as _;

use serde::Serialize;

use super::source::Place;
use crate::commands::synth::steps::{Cost, Step};

/// A line about a use of an intrinsic, or a note about a place.
#[derive(Serialize)]
pub struct Line<'a> {
    /// The file as it was given.
    pub file: &'a str,
    /// Where in the file.
    #[serde(flatten)]
    pub place: Place,
    /// The intrinsic.
    #[serde(skip_serializing_if = "str::is_empty")]
    pub name: &'a str,
    /// `header`, `inline`, `kept` or `note`.
    pub status: &'static str,
    /// Micro-operations of the vendor's instruction on the machine that its table is for.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub uops_before: Option<u32>,
    /// The same of the sequence.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub uops_after: Option<u32>,
    /// What the sequence costs without loads and stores.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub cost: Option<&'a Cost>,
    /// Its steps.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub instructions: Option<&'a [Step]>,
    /// Why it stays, or what the note says.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub why: String,
}

impl<'a> Line<'a> {
    /// A note about a place.
    pub fn note(file: &'a str, place: Place, why: String) -> Self {
        Self {
            file,
            place,
            name: "",
            status: "note",
            uops_before: None,
            uops_after: None,
            cost: None,
            instructions: None,
            why,
        }
    }

    /// Whether an intrinsic stays as it is.
    pub fn is_kept(&self) -> bool {
        self.status == "kept"
    }
}

/// One line of JSON for each.
pub fn json(lines: &[Line<'_>]) -> anyhow::Result<String> {
    let mut text = String::new();
    for line in lines {
        text += &serde_json::to_string(line)?;
        text.push('\n');
    }
    Ok(text)
}

/// The same in words, one line each.
pub fn words(lines: &[Line<'_>]) -> String {
    let mut text = String::new();
    let number = |value: Option<u32>| value.map_or("?".to_owned(), |value| value.to_string());
    for line in lines {
        let _ = write!(text, "{}:{}:{}: ", line.file, line.place.line, line.place.column);
        let _ = match line.status {
            "note" => writeln!(text, "note: {}", line.why),
            "kept" => writeln!(text, "{} stays: {}", line.name, line.why),
            _ => {
                let steps: Vec<&str> =
                    line.instructions.unwrap_or_default().iter().map(|step| step.mnemonic.as_str()).collect();
                let steps = if steps.is_empty() { String::new() } else { format!(": {}", steps.join(", ")) };
                let (before, after) = (number(line.uops_before), number(line.uops_after));
                writeln!(text, "{}: {before} -> {after} micro-operations{steps}", line.name)
            }
        };
    }
    text
}

/// How many uses there are and what they cost together.
pub fn summary(lines: &[Line<'_>]) -> String {
    let uses = lines.iter().filter(|line| line.status != "note");
    let translated: Vec<&Line<'_>> = uses.clone().filter(|line| !line.is_kept()).collect();
    let sum = |of: fn(&Line<'_>) -> Option<u32>| translated.iter().filter_map(|line| of(line)).sum::<u32>();
    format!(
        "{} of {} uses translated, {} micro-operations before and {} after",
        translated.len(),
        uses.count(),
        sum(|line| line.uops_before),
        sum(|line| line.uops_after)
    )
}
