//! What was found for each instruction, as lines of JSON and as a table in Markdown.

use std::collections::BTreeMap;
use std::fmt::Write as _;

use ::synth::CPart;
use anyhow::Result;
use hydride_ir::passes::gives_nans;
use parsers::Instruction;
use serde::Serialize;

use super::call::Written;
use super::found::Found;
use super::sources::Source;
use crate::commands::synth::steps::{Cost, Step};

/// An instruction with its immediates chosen, and what was found for it.
#[derive(Clone, Copy)]
pub struct Row<'a> {
    /// What was ported.
    pub source: &'a Source<'a>,
    /// What was found; nothing where it is no window.
    pub found: Option<&'a Found>,
}

#[derive(Serialize)]
struct Line<'a> {
    id: &'a str,
    #[serde(skip_serializing_if = "<[i64]>::is_empty")]
    immediates: &'a [i64],
    status: &'a str,
    #[serde(skip_serializing_if = "Option::is_none")]
    proof: Option<&'static str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    certificate: Option<&'static str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    cost: Option<&'a Cost>,
    #[serde(skip_serializing_if = "Option::is_none")]
    instructions: Option<&'a [Step]>,
    /// Operators of the scalar code that the header has instead.
    #[serde(skip_serializing_if = "Option::is_none")]
    scalar: Option<usize>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    why: Vec<&'a str>,
}

impl<'a> Row<'a> {
    /// A row.
    pub fn new(source: &'a Source<'a>, found: Option<&'a Found>) -> Self {
        Self { source, found }
    }

    /// Whether there is a proved sequence.
    pub fn is_proved(&self) -> bool {
        self.found.is_some_and(|found| found.program.is_some())
    }

    /// How the sequence was proved, its cost and its steps.
    pub fn program(&self) -> Option<&'a (&'static str, Cost, Vec<Step>)> {
        self.found.and_then(|found| found.program.as_ref())
    }

    /// The sequence in C.
    pub fn body(&self) -> Option<&'a [String]> {
        self.found.and_then(|found| found.body.as_deref())
    }

    /// The sequence as one expression in C.
    pub fn expression(&self) -> Option<&'a [CPart]> {
        self.found.and_then(|found| found.expression.as_deref())
    }

    /// Why there is no sequence.
    pub fn why(&self) -> &'a str {
        self.line().why.first().copied().unwrap_or("no sequence was found")
    }

    fn line(&self) -> Line<'a> {
        let program = self.program();
        let mut why: Vec<&str> = match (&self.source.window, self.found) {
            (Err(why), _) => vec![why],
            (Ok(_), Some(found)) if found.program.is_none() => {
                found.notes.iter().map(String::as_str).collect()
            }
            (Ok(_), None) => vec!["none of its first immediates has a sequence"],
            _ => Vec::new(),
        };
        why.dedup();
        let status = match self.found.map(|found| found.status) {
            None => "not searched",
            Some(status) => status.name(),
        };
        Line {
            id: &self.source.instruction.id,
            immediates: &self.source.choices,
            status,
            proof: program.map(|(proof, _, _)| *proof),
            certificate: program.and_then(|_| certificate(self.source.instruction)),
            cost: program.map(|(_, cost, _)| cost),
            instructions: program.map(|(_, _, steps)| steps.as_slice()),
            scalar: None,
            why,
        }
    }
}

/// What a proof leaves open: which NaN a NaN is that an operator gives.
pub fn certificate(instruction: &Instruction) -> Option<&'static str> {
    gives_nans(&instruction.function).then_some("up to NaN")
}

/// The operators of the scalar code that a header has, by instruction.
fn scalars<'a>(written: &'a [Written<'_>]) -> BTreeMap<&'a str, usize> {
    written.iter().filter_map(|own| Some((own.instruction.id.as_str(), own.scalar?))).collect()
}

/// One line of JSON for each row; `written` are the header's functions, where there is one.
pub fn json(rows: &[Row<'_>], written: &[Written<'_>]) -> Result<String> {
    let (mut text, scalars) = (String::new(), scalars(written));
    for row in rows {
        let mut line = row.line();
        if row.body().is_none() {
            line.scalar = scalars.get(line.id).copied();
        }
        text += &serde_json::to_string(&line)?;
        text.push('\n');
    }
    Ok(text)
}

/// The rows of each instruction.
pub fn by_instruction<'r, 'a>(rows: &'r [Row<'a>]) -> Vec<&'r [Row<'a>]> {
    rows.chunk_by(|one, other| one.source.instruction.id == other.source.instruction.id).collect()
}

/// How many instructions are ported.
pub fn summary(rows: &[Row<'_>]) -> String {
    let all = by_instruction(rows);
    let searched = all.iter().filter(|rows| rows.iter().any(|row| row.found.is_some())).count();
    let proved = all.iter().filter(|rows| rows.iter().all(Row::is_proved)).count();
    let some = all.iter().filter(|rows| rows.iter().any(Row::is_proved)).count() - proved;
    format!(
        "{proved} of {searched} instructions proved, {some} for some immediates; {} of {} not searched",
        all.len() - searched,
        all.len()
    )
}

/// A table of the instructions.
pub fn markdown(rows: &[Row<'_>], written: &[Written<'_>], from: &str, to: &str) -> String {
    let mut text = format!("# {from} on {to}\n\n{}.\n\n", summary(rows));
    text += "| instruction | micro-operations | sequence |\n|---|---|---|\n";
    let mut reasons: BTreeMap<&str, Vec<&str>> = BTreeMap::new();
    for rows in by_instruction(rows) {
        let id = &rows[0].source.instruction.id;
        for row in rows {
            let choices: String = row.source.choices.iter().map(|choice| format!(", {choice}")).collect();
            match row.found.and_then(|found| found.program.as_ref()) {
                Some((_, cost, steps)) => {
                    let steps: Vec<&str> = steps.iter().map(|step| step.mnemonic.as_str()).collect();
                    let steps = if steps.is_empty() { "nothing".to_owned() } else { steps.join(", ") };
                    let _ = writeln!(text, "| `{id}{choices}` | {} | {steps} |", cost.uops);
                }
                None => {
                    let ids = reasons.entry(row.why()).or_default();
                    if ids.last() != Some(&id.as_str()) {
                        ids.push(id);
                    }
                }
            }
        }
    }
    text += "\n## Without a sequence\n\n| why | instructions |\n|---|---|\n";
    for (why, ids) in reasons {
        let _ = writeln!(text, "| {why} | {}: {} |", ids.len(), ids.join(", "));
    }
    let scalars = scalars(written);
    if !scalars.is_empty() {
        text += "\n## Scalar code\n\nThe header has scalar code for these, which is not counted above.\n\n";
        text += "| instruction | operators |\n|---|---|\n";
        for (id, operators) in scalars {
            let _ = writeln!(text, "| `{id}` | {operators} |");
        }
    }
    text
}
