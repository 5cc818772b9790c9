//! The entries of HVX's documents without their meaning.

use super::lex::Token;
use super::source::Text;
use super::{Documents, idef, manual, nameless, prototypes};
use crate::outline::{Form, Outline};
use crate::pseudocode::Ids;

/// The entries in the order of the ledger, one for each line of it. A record of the semantics file has its macros
/// expanded and its tokens separated by single spaces; a record of the manual is unchanged, without errata.
pub fn outline(documents: &Documents<'_>) -> Vec<Outline> {
    // Unreadable parts are reported by the semantic reader.
    let told = &mut Vec::new();
    let mut ids = Ids::default();
    let prototypes = documents.prototypes.map(|document| prototypes::read(&Text::of(document, told), told));
    let prototypes = prototypes.unwrap_or_default();
    let mut outlines = Vec::new();
    if let Some(document) = documents.semantics {
        let text = Text::of(document, told);
        let macros = documents.macros.map(|document| Text::of(document, told));
        let macros = idef::macros(macros.as_ref(), told);
        for (position, record) in idef::records(&text, macros, told).into_iter().enumerate() {
            let (id, text) = match record {
                Ok(record) => (record.id, format!("{}\n{}", record.syntax, joined(&record.body))),
                Err((id, _)) => (id.unwrap_or_else(|| nameless(position)), String::new()),
            };
            outlines.push(entry(ids.unique(&id, None), Form::Semantics, text));
        }
    }
    let known = std::mem::take(&mut ids);
    if let Some(document) = documents.manual {
        for record in manual::read(&Text::of(document, told), told) {
            if !known.contains(&record.id) {
                let text = format!("{}\n{}", record.syntax, record.pseudocode);
                outlines.push(entry(ids.unique(&record.id, None), Form::Manual, text));
            }
        }
    }
    for prototype in &prototypes.list {
        if !known.contains(&prototype.id) && !ids.contains(&prototype.id) {
            outlines.push(entry(prototype.id.clone(), Form::Prototype, prototype.syntax.clone()));
        }
    }
    for outline in &mut outlines {
        if let Some(prototype) = prototypes.get(&outline.id) {
            outline.result.clone_from(&prototype.result);
            outline.args.clone_from(&prototype.args);
            outline.mnemonics = vec![prototype.syntax.clone()];
        }
    }
    outlines
}

fn entry(id: String, form: Form, text: String) -> Outline {
    Outline { id, form, text, ..Outline::default() }
}

fn joined(tokens: &[Token]) -> String {
    let tokens: Vec<&str> = tokens.iter().map(|token| &*token.text).collect();
    tokens.join(" ")
}
