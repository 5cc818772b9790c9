//! Errata on Intel's document: entries as read become entries as they should read, before anything is run.

use std::ops::Range;

use rustc_hash::FxHashMap;

use super::document::{Document, Entry, Operand};
use super::source::Text;
use crate::errata::{Application, Change, Errata, Erratum, State};

/// Applies the errata to the entries, whose ids are `ids`. The outcomes are in the errata's order.
pub(super) fn apply(document: &mut Document, ids: &[String], errata: &Errata) -> Vec<Application> {
    let positions: FxHashMap<&str, usize> =
        ids.iter().enumerate().map(|(position, id)| (id.as_str(), position)).collect();
    // For each entry the replacements in its text, which all mean the text as it is in the document.
    let mut edits: FxHashMap<usize, Vec<Edit>> = FxHashMap::default();
    let version = document.version.clone();
    let applications = errata.apply(&version, |erratum, id| {
        let Some(&position) = positions.get(id) else { return State::NoEntry };
        let pending = edits.entry(position).or_default();
        match change(&mut document.entries[position], erratum, errata, pending) {
            Ok(()) => State::Applied,
            Err(reason) => State::Stale(reason),
        }
    });
    for (position, mut edits) in edits {
        edits.sort_by_key(|edit| std::cmp::Reverse(edit.at.start));
        if let Some(text) = &mut document.entries[position].operation {
            edits.iter().for_each(|edit| text.replace(edit.at.clone(), &edit.now));
        }
    }
    applications
}

/// A replacement in an operation's text.
struct Edit {
    at: Range<usize>,
    now: String,
}

/// Makes all changes of an erratum on an entry, or none.
fn change(
    entry: &mut Entry,
    erratum: &Erratum,
    errata: &Errata,
    pending: &mut Vec<Edit>,
) -> Result<(), String> {
    let mut parameters = entry.parameters.clone();
    let mut result = entry.result.clone();
    let mut undefined_for = entry.undefined_for.clone();
    let mut extensions = entry.extensions.clone();
    let mut edits = Vec::new();
    for change in &erratum.changes {
        match change {
            Change::Element { of, was, now } => {
                let operand = if of == "return" {
                    result.as_mut().ok_or("nothing is returned")?
                } else {
                    let position = named(&parameters, of)?;
                    &mut parameters[position]
                };
                if operand.element != *was {
                    return Err(format!("the element type of `{of}` is `{}`, not `{was}`", operand.element));
                }
                operand.element.clone_from(now);
            }
            Change::Field { of, was, now } if of == "CPUID" => {
                if extensions.join(", ") != *was {
                    return Err(format!("the CPU features are `{}`, not `{was}`", extensions.join(", ")));
                }
                extensions = now.split(", ").map(str::to_owned).collect();
            }
            Change::Field { of, .. } | Change::Fragment { of, .. } => {
                return Err(format!("there is no field `{of}` that could be corrected"));
            }
            Change::Undefined { of, value } => {
                named(&parameters, of)?;
                undefined_for.push((of.clone(), *value));
            }
            Change::Exchange { first, second } => {
                let (first, second) = (named(&parameters, first)?, named(&parameters, second)?);
                if first >= second {
                    return Err("the parameters are not in the order that it exchanges".to_owned());
                }
                parameters.swap(first, second);
            }
            Change::Lines { lines, was, now } => {
                let text = entry.operation.as_ref().map_or("", |text: &Text| &text.text);
                let at = errata.find_lines(text, *lines, was)?;
                let overlaps = |edit: &Edit| edit.at.start < at.end && at.start < edit.at.end;
                if pending.iter().chain(&edits).any(overlaps) {
                    return Err("another erratum replaces the same lines".to_owned());
                }
                edits.push(Edit { at, now: now.trim_end().to_owned() });
            }
        }
    }
    entry.parameters = parameters;
    entry.result = result;
    entry.undefined_for = undefined_for;
    entry.extensions = extensions;
    pending.extend(edits);
    Ok(())
}

fn named(parameters: &[Operand], name: &str) -> Result<usize, String> {
    let found = parameters.iter().position(|parameter| parameter.name == name);
    found.ok_or_else(|| format!("there is no parameter `{name}`"))
}
