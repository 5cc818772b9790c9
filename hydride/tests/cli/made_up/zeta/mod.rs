//! A made-up instruction set, Zeta: ten instructions on registers of 128 bits. Its folder is all that there is of it.

mod document;
mod machine;
mod syntax;

use hydride::isa::{Document, FrontEnd, InstructionSet, Kind, Places, Registers, Search};

// ANCHOR: set
pub const SET: InstructionSet = InstructionSet {
    name: document::ISA,
    front_end: FrontEnd {
        endings: &["txt"],
        select: keep_last,
        missing: |_| None,
        parse: |reading| document::parse(reading.documents[0]),
        outline: |documents| document::outline(documents[0]),
        states_version: true,
        kinds: &[Kind {
            name: "Zeta's list",
            is: |head| head.starts_with("version ") && head.contains("\nzaddb "),
            file: None,
            companions: &[],
        }],
        sources: &[],
    },
    options: &[],
    errata: None,
    records: None,
    vendor_ir: &[],
    target: Some(&machine::TARGET),
    search: Some(SEARCH),
    c_types: "",
    c_headers: &[],
    c_features: &[],
};
// ANCHOR_END: set

/// Of several revisions the last one is read.
fn keep_last(documents: &mut Vec<Document>) {
    documents.drain(..documents.len().saturating_sub(1));
}

// ANCHOR: search
const SEARCH: Search = Search {
    targets: include_str!("targets.toml"),
    costs: &[],
    syntax: |_| Box::new(syntax::Zeta),
    form: |instruction| instruction.forms.first(),
    incomplete: |_| Box::new(|_| false),
    registers: Registers { pairs: false, fits: |_| true },
    // Every result has a register of its own.
    places: |_| Ok(Places::default()),
    rank: |_, _| 0,
};
// ANCHOR_END: search
