//! The entries of Arm's documents without their meaning.

use std::fmt::Write as _;

use super::asl::index::Instructions;
use super::json::{Entry, Preparation};
use super::{Documents, Facts, Source, assembly, name, text};
use crate::outline::{Form, Outline};
use crate::pseudocode::Ids;

/// The entries in document order, one for each line of the ledger.
///
/// The text of an entry is its instructions with their operands, the places of arguments and results, and the ASL
/// of the instructions; where that is not there, the operation that the entry names.
pub fn outline(documents: &Documents<'_>) -> Vec<Outline> {
    // Unreadable parts are reported by the semantic reader.
    let told = &mut Vec::new();
    let source = Source::read(documents, told);
    let instructions = Instructions::new(text(documents.instructions, "", told).text, &mut Vec::new());
    let facts = Facts::parse(text(documents.decode, "", told).text).unwrap_or_default();
    let mut ids = Ids::default();
    let outline = |(index, raw): (usize, &super::json::Raw)| {
        let id = ids.unique(&name(&raw.entry, index), None);
        let Ok(entry) = &raw.entry else { return Outline { id, ..Outline::default() } };
        let (form, body) = match asl(entry, &instructions, &facts) {
            Some(body) => (Form::Asl, body),
            None => {
                let operation = source.operations.get(&entry.operation);
                (Form::Operation, operation.map(|(text, _)| text.clone()).unwrap_or_default())
            }
        };
        Outline {
            id,
            result: entry.returns.clone(),
            args: entry.args.clone(),
            mnemonics: entry.base.clone(),
            form,
            text: if entry.described { places(entry) + &body } else { String::new() },
            ..Outline::default()
        }
    };
    source.entries.iter().enumerate().map(outline).collect()
}

/// The ASL of an entry's instructions, where each of them has some.
fn asl(entry: &Entry, instructions: &Instructions<'_>, facts: &Facts) -> Option<String> {
    let lines = assembly::lines(entry).ok().filter(|lines| !lines.is_empty())?;
    let word = |line: &assembly::Line| facts.words.get(&line.to_string())?.iter().flatten().next().copied();
    let texts = lines.iter().map(|line| instructions.text(word(line)?));
    Some(texts.collect::<Option<Vec<String>>>()?.join("\n"))
}

/// Instructions, operands, and where arguments and results are.
fn places(entry: &Entry) -> String {
    let mut text = format!("{} {}\n", entry.base.join("; "), entry.operands);
    for (argument, place) in &entry.preparation {
        // Writing to a string does not fail.
        let _ = match place {
            Preparation::Register(register) => writeln!(text, "{argument}: {register}"),
            Preparation::Immediate(low, high) => writeln!(text, "{argument}: {low} to {high}"),
            Preparation::Unsaid => writeln!(text, "{argument}:"),
        };
    }
    for (register, part) in &entry.results {
        let _ = writeln!(text, "{register}: {part}");
    }
    text
}
