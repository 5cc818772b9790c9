//! Qualcomm Hexagon HVX: from the vendor's documents to instructions.
//!
//! Four documents describe HVX, and any of them may be missing:
//! - the **semantics file** (C with macros, one record for each instruction) and its **macro
//!   definitions**: the primary source of meaning;
//! - the **manual**'s pseudocode (JSON): a second reading, and the source for what the semantics file
//!   does not have;
//! - the compiler's **prototypes**: C signatures, argument order, architecture versions.
//!
//! An instruction's id is its builtin's name without target prefix and vector-length suffix
//! (`V6_vaddb`); the four documents meet in it, and each id ends in exactly one ledger line: the
//! semantics file's records first, then what only the manual has, then what only the prototypes have.
//! A second record of one id in one document is `ID@2`.
//!
//! Memory is an operand: what is at the effective address before the instruction, and, where it is written, after it.
//! Loads and stores of one kind have one function, whatever their address is computed from, besides the address
//! register that `vmem(Rx32++…)` increments: it is an argument and a result, and its value is the pointer. An
//! instruction under a scalar predicate keeps what it would write where it is cancelled, so that the old value is an
//! argument. Gathers include the store of `vtmp` that their packet must have, as the C intrinsics do.
//!
//! Path: [`lex`](self) → preprocessor → pest grammar → exact integers → [`crate::pseudocode::function`].
//!
//! ```
//! use parsers::hexagon::{Document, Documents, Options, parse};
//!
//! let manual = br#"[{"intrinsic": "hexagon_V6_vdouble_128B", "syntax": "Vd.h=vdouble(Vu.h)",
//!     "pseudocode": "for (n = 0; n != VELEM(16); ++n) { Vd.h[n] = sat16(2 * Vu.h[n]); }"}]"#;
//! let documents = Documents { manual: Some(Document { name: "own.json", bytes: manual }), ..Default::default() };
//! let parsed = parse(&documents, &Options::default());
//! assert_eq!(parsed.instructions[0].id, "V6_vdouble");
//! assert_eq!(parsed.instructions[0].signature.results[0].width, 1024);
//! ```

mod entry;
mod errata;
mod evaluate;
mod form;
mod grammar;
mod helpers;
mod idef;
mod lex;
mod machine;
mod manual;
mod memory;
mod operands;
mod outline;
mod preprocess;
mod prototypes;
mod region;
mod simplify;
mod source;
mod syntax;
mod view;

use rayon::prelude::*;

pub use outline::outline;

pub use crate::Document;
use crate::errata::{Application, Errata};
use crate::pseudocode::{Ids, Outcome};
use crate::{Diagnostic, Parsed, Severity};
use entry::Entry;
use prototypes::Prototypes;
use source::Text;

/// The name of the instruction set.
pub const ISA: &str = "hvx";

/// The available documents.
#[derive(Clone, Copy, Debug, Default)]
pub struct Documents<'a> {
    /// The manual's instructions (`hvx-prm.json`).
    pub manual: Option<Document<'a>>,
    /// The semantics file (`ext.idef`).
    pub semantics: Option<Document<'a>>,
    /// The semantics file's macro definitions (`macros.def`).
    pub macros: Option<Document<'a>>,
    /// The compiler's prototypes (`hvx_hexagon_protos.h`).
    pub prototypes: Option<Document<'a>>,
    /// Corrections of the manual's fields `intrinsic` (the id) and `pseudocode`.
    pub errata: Option<&'a Errata>,
}

/// How long a vector is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub enum VectorLength {
    /// 64 bytes.
    Bytes64,
    /// 128 bytes.
    #[default]
    Bytes128,
}

/// Choices of the reader.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub struct Options {
    /// How long a vector is.
    pub vector_length: VectorLength,
}

impl Options {
    /// Bytes of a vector.
    pub fn vector_bytes(&self) -> u32 {
        match self.vector_length {
            VectorLength::Bytes64 => 64,
            VectorLength::Bytes128 => 128,
        }
    }
}

/// All documents together: the semantics file's meaning where it has one, else the manual's.
pub fn parse(documents: &Documents<'_>, options: &Options) -> Parsed {
    let mut reader = Reader::new(options);
    let prototypes = reader.prototypes(documents);
    reader.semantics(documents);
    reader.manual(documents.manual, documents.errata);
    if let Some(text) = &prototypes {
        reader.without_semantics(text);
    }
    reader.finish()
}

/// Only the semantics file's instructions, with the prototypes' signatures.
pub fn parse_idef(documents: &Documents<'_>, options: &Options) -> Parsed {
    let mut reader = Reader::new(options);
    reader.prototypes(documents);
    reader.semantics(documents);
    reader.finish()
}

/// Only the manual's instructions, with the prototypes' signatures.
pub fn parse_manual(documents: &Documents<'_>, options: &Options) -> Parsed {
    let mut reader = Reader::new(options);
    reader.prototypes(documents);
    reader.manual(documents.manual, documents.errata);
    reader.finish()
}

/// The id of a record that names none, by its position in the document.
fn nameless(position: usize) -> String {
    format!("record-{}", position + 1)
}

/// Collects outcomes in ledger order.
struct Reader<'a> {
    options: &'a Options,
    diagnostics: Vec<Diagnostic>,
    errata: Vec<Application>,
    outcomes: Vec<Outcome>,
    prototypes: Prototypes,
    /// The ids of the present document.
    ids: Ids,
}

impl<'a> Reader<'a> {
    fn new(options: &'a Options) -> Self {
        Self {
            options,
            diagnostics: Vec::new(),
            errata: Vec::new(),
            outcomes: Vec::new(),
            prototypes: Prototypes::default(),
            ids: Ids::default(),
        }
    }

    /// Reads the prototypes, which the other documents' entries look up.
    fn prototypes<'t>(&mut self, documents: &Documents<'t>) -> Option<Text<'t>> {
        let text = documents.prototypes.map(|document| Text::of(document, &mut self.diagnostics))?;
        self.prototypes = prototypes::read(&text, &mut self.diagnostics);
        Some(text)
    }

    /// Entries for the prototypes that no document before had.
    fn without_semantics(&mut self, text: &Text<'_>) {
        let known = std::mem::take(&mut self.ids);
        let left = self.prototypes.list.iter().filter(|prototype| !known.contains(&prototype.id));
        let entries: Vec<Entry> = left.map(entry::from_prototype).collect();
        self.elaborate(&entries, text);
    }

    fn semantics(&mut self, documents: &Documents<'_>) {
        let Some(document) = documents.semantics else { return };
        let macros = documents.macros;
        let text = Text::of(document, &mut self.diagnostics);
        let macros = macros.map(|document| Text::of(document, &mut self.diagnostics));
        if macros.is_none() {
            let message = "the macro definitions are missing; bodies that use them cannot be read";
            text.report(&mut self.diagnostics, Severity::Warning, None, 0, message.into());
        }
        let macros = idef::macros(macros.as_ref(), &mut self.diagnostics);
        let mut entries = Vec::new();
        for (position, record) in idef::records(&text, macros, &mut self.diagnostics).into_iter().enumerate()
        {
            match record {
                Ok(record) => entries.push(entry::from_record(&record)),
                Err((id, fault)) => {
                    self.elaborate(&std::mem::take(&mut entries), &text);
                    let id = id.unwrap_or_else(|| nameless(position));
                    let id = self.ids.unique(&id, None);
                    let fault = fault.map_place(|at| text.place(at));
                    self.outcomes.push(Outcome { id, result: Err(fault) });
                }
            }
        }
        self.elaborate(&entries, &text);
    }

    /// The manual's entries that no earlier document has.
    fn manual(&mut self, document: Option<Document<'_>>, errata: Option<&Errata>) {
        let known = std::mem::take(&mut self.ids);
        let text = document.map(|document| Text::of(document, &mut self.diagnostics));
        let mut records = match &text {
            Some(text) => manual::read(text, &mut self.diagnostics),
            None => Vec::new(),
        };
        if let Some(errata) = errata {
            self.errata = errata::apply(&mut records, &|id| known.contains(id), errata);
            self.diagnostics.extend(self.errata.iter().filter_map(|done| errata.diagnostic(done)));
        }
        let entries: Vec<Entry> =
            records.iter().map(entry::from_manual).filter(|entry| !known.contains(&entry.id)).collect();
        if let Some(text) = &text {
            self.elaborate(&entries, text);
        }
        self.ids.extend(known);
    }

    fn elaborate(&mut self, entries: &[Entry], text: &Text<'_>) {
        let ids: Vec<String> = entries.iter().map(|entry| self.ids.unique(&entry.id, None)).collect();
        let outcomes: Vec<Outcome> = entries
            .par_iter()
            .zip(ids)
            .map(|(entry, id)| {
                let prototype = self.prototypes.get(&entry.id);
                let result = entry::elaborate(entry, prototype, self.options, text);
                Outcome { id, result: result.map_err(|fault| fault.map_place(|at| text.place(at))) }
            })
            .collect();
        self.outcomes.extend(outcomes);
    }

    fn finish(self) -> Parsed {
        let (diagnostics, errata) = (self.diagnostics, self.errata);
        let mut parsed = Parsed { diagnostics, errata, ..Parsed::default() };
        self.outcomes.into_iter().for_each(|outcome| parsed.push(outcome));
        parsed
    }
}
