//! The entries of Intel's document without their meaning.

use super::document;
use super::source::Source;
use crate::outline::{Form, Outline};

/// The entries in document order, one for each line of the ledger.
pub fn outline(file_name: &str, bytes: &[u8]) -> Vec<Outline> {
    let document = document::read(&Source::new(file_name, bytes, 0), bytes);
    let ids = super::ids(&document.entries);
    let outline = |(id, entry): (String, document::Entry)| Outline {
        id,
        extensions: entry.extensions,
        result: entry.result.map(|result| result.c_type).unwrap_or_default(),
        args: entry.parameters.into_iter().map(|parameter| (parameter.c_type, parameter.name)).collect(),
        mnemonics: entry.forms.into_iter().map(|(mnemonic, _)| mnemonic).collect(),
        form: Form::Operation,
        text: entry.operation.map(|operation| operation.text).unwrap_or_default(),
    };
    ids.into_iter().zip(document.entries).map(outline).collect()
}
