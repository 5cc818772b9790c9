//! The document reader: XML to entries, whatever is wrong with the XML.
//!
//! Entries are read one after the other; after an error reading resumes at the next entry, so that one bad
//! entry costs no other.

use std::borrow::Cow;

use quick_xml::Reader;
use quick_xml::events::{BytesStart, Event};

use super::source::{Source, Text, decode_attribute};
use crate::BYTE_ORDER_MARK;
use crate::ledger::{Diagnostic, Severity};

/// A parameter or the result, as attributes have it; missing ones are empty.
#[derive(Clone, Debug, Default)]
pub(super) struct Operand {
    pub(super) c_type: String,
    pub(super) name: String,
    pub(super) element: String,
    pub(super) immediate_type: String,
    pub(super) immediate_width: Option<u32>,
    /// The document says that the value does not matter.
    pub(super) hint: bool,
}

/// An `<intrinsic>`.
#[derive(Debug, Default)]
pub(super) struct Entry {
    pub(super) name: String,
    /// The group of CPU features or the library that the entry belongs to.
    pub(super) technology: String,
    pub(super) result: Option<Operand>,
    pub(super) parameters: Vec<Operand>,
    pub(super) operation: Option<Text>,
    pub(super) description: Option<Text>,
    pub(super) extensions: Vec<String>,
    pub(super) categories: Vec<String>,
    pub(super) forms: Vec<(String, String)>,
    /// Parameters by name with values for which an erratum says that the result is undefined.
    pub(super) undefined_for: Vec<(String, u64)>,
    /// Byte range of the entry.
    pub(super) start: usize,
    pub(super) end: usize,
    /// What is wrong with it, and where.
    pub(super) fault: Option<(usize, String)>,
    /// Whether what is wrong is that its XML is not well-formed.
    pub(super) ill_formed: bool,
}

impl Entry {
    /// The name, or a substitute.
    pub(super) fn called(&self) -> String {
        if self.name.is_empty() { "(unnamed)".to_owned() } else { self.name.clone() }
    }
}

/// A document as read.
#[derive(Default)]
pub(super) struct Document {
    pub(super) version: String,
    pub(super) entries: Vec<Entry>,
    pub(super) diagnostics: Vec<Diagnostic>,
    /// Whether the list of entries has begun and has not ended.
    list_open: bool,
}

const ENTRY: &[u8] = b"<intrinsic ";

/// How often a document may be rescanned because of XML errors.
const MAX_RESCANS: usize = 256;

/// Reads a document.
pub(super) fn read(source: &Source<'_>, bytes: &[u8]) -> Document {
    let mut document = Document::default();
    let (bytes, invalid) = without_invalid(bytes);
    for offset in invalid.iter().take(MAX_NOTES) {
        // Losses are reported by the affected entries.
        document.note(source, Severity::Warning, *offset, None, "invalid UTF-8".to_owned());
    }
    let mut scanned = 0;
    let mut base = if bytes.starts_with(BYTE_ORDER_MARK.as_bytes()) { BYTE_ORDER_MARK.len() } else { 0 };
    loop {
        let section = Section {
            source,
            bytes: &bytes,
            invalid: &invalid,
            base,
            document: &mut document,
            open: None,
            element: None,
        };
        let Some((resume, reached)) = section.read() else { break };
        scanned += reached.saturating_sub(resume);
        if scanned / MAX_RESCANS > bytes.len() {
            let message = "too many XML errors: the rest is not read".to_owned();
            document.note(source, Severity::Fatal, resume, None, message);
            break;
        }
        // Resume at the next entry.
        let rest = bytes.get(resume..).unwrap_or_default();
        let Some(next) = rest.windows(ENTRY.len()).position(|window| window == ENTRY) else { break };
        base = resume + next;
    }
    if document.entries.is_empty() && document.diagnostics.is_empty() {
        document.note(source, Severity::Error, 0, None, "the document has no entries".to_owned());
    }
    if document.list_open {
        let message = "the document ends before its list of entries does".to_owned();
        document.note(source, Severity::Fatal, bytes.len(), None, message);
    }
    document
}

/// Maximum number of places with invalid UTF-8 that get a separate diagnostic.
const MAX_NOTES: usize = 100;

/// The document with each invalid UTF-8 byte replaced, so that offsets are preserved, and the positions of
/// these bytes.
fn without_invalid(bytes: &[u8]) -> (Cow<'_, [u8]>, Vec<usize>) {
    let mut valid = Cow::Borrowed(bytes);
    let mut invalid = Vec::new();
    let mut position = 0;
    while let Err(error) = std::str::from_utf8(&bytes[position..]) {
        position += error.valid_up_to();
        invalid.push(position);
        let length = error.error_len().unwrap_or(bytes.len() - position);
        valid.to_mut()[position..position + length].fill(b'?');
        position += length;
    }
    (valid, invalid)
}

impl Document {
    fn note(
        &mut self,
        source: &Source<'_>,
        severity: Severity,
        offset: usize,
        entry: Option<String>,
        message: String,
    ) {
        let span = source.span(offset, 1);
        self.diagnostics.push(Diagnostic { severity, entry, span, message });
    }
}

/// The part of a document up to the next XML error.
struct Section<'a> {
    source: &'a Source<'a>,
    bytes: &'a [u8],
    /// Where the document is not UTF-8, ascending.
    invalid: &'a [usize],
    /// Where the section begins.
    base: usize,
    document: &'a mut Document,
    open: Option<Entry>,
    /// The open child element of the entry, and where its content begins.
    element: Option<(String, usize)>,
}

impl Section<'_> {
    /// Reads to the end, or to an error; then says where to look for the next entry, and how far it was read.
    fn read(mut self) -> Option<(usize, usize)> {
        let bytes = self.bytes;
        let mut reader = Reader::from_reader(&bytes[self.base..]);
        reader.config_mut().check_end_names = false;
        reader.config_mut().allow_unmatched_ends = true;
        reader.config_mut().allow_dangling_amp = true;
        let mut before = self.base;
        loop {
            let event = reader.read_event();
            let after =
                self.base + usize::try_from(reader.buffer_position()).unwrap_or(usize::MAX - self.base);
            match event {
                Ok(Event::Start(tag)) => self.start(&tag, before, after, false),
                Ok(Event::Empty(tag)) => self.start(&tag, before, after, true),
                Ok(Event::End(tag)) => self.end(tag.name().as_ref(), before, after),
                Ok(Event::Eof) => {
                    if self.open.is_some() {
                        self.abandon(bytes.len(), "the document ends inside an entry".to_owned());
                    }
                    return None;
                }
                Ok(_) => {}
                Err(error) => {
                    let offset = usize::try_from(reader.error_position()).unwrap_or(0) + self.base;
                    let offset = offset.max(before);
                    let message = format!("malformed XML: {error}");
                    if self.open.is_some() {
                        self.abandon(offset, message);
                    } else {
                        self.document.note(self.source, Severity::Fatal, offset, None, message);
                    }
                    return Some((offset + 1, after));
                }
            }
            before = after;
        }
    }

    fn start(&mut self, tag: &BytesStart<'_>, before: usize, after: usize, empty: bool) {
        let name = tag.name();
        match (name.as_ref(), &mut self.open) {
            ("intrinsics_list", None) => {
                self.document.version = attribute(tag, "version");
                self.document.list_open = !empty;
            }
            ("intrinsic", _) => {
                if self.open.is_some() {
                    self.abandon(before, "the entry does not end before the next one".to_owned());
                }
                self.open = Some(Entry {
                    name: attribute(tag, "name"),
                    technology: attribute(tag, "tech"),
                    start: before,
                    end: after,
                    ..Entry::default()
                });
                if empty {
                    self.end("intrinsic", before, after);
                }
            }
            ("return", Some(entry)) => entry.result = Some(operand(tag)),
            ("parameter", Some(entry)) => entry.parameters.push(operand(tag)),
            ("instruction", Some(entry)) => {
                entry.forms.push((attribute(tag, "name"), attribute(tag, "form")))
            }
            (other, Some(_)) if !empty => self.element = Some((other.to_owned(), after)),
            _ => {}
        }
    }

    fn end(&mut self, name: &str, before: usize, after: usize) {
        if name == "intrinsics_list" {
            self.document.list_open = false;
        }
        if name == "intrinsic" {
            if let Some(mut entry) = self.open.take() {
                entry.end = after;
                if let Some((element, start)) = self.element.take()
                    && matches!(&*element, "operation" | "CPUID" | "category")
                {
                    entry.fault = Some((start, "an element of the entry is not closed".to_owned()));
                    entry.ill_formed = true;
                }
                self.finish(entry);
            }
            return;
        }
        let Some((element, start)) = self.element.take() else { return };
        if element != name {
            // An inner element of a description, or a wrong tag: wait for the right one.
            self.element = Some((element, start));
            return;
        }
        let Some(entry) = &mut self.open else { return };
        let raw = self.bytes.get(start..before).unwrap_or_default();
        match name {
            "operation" => {
                entry.operation = Some(Text::decode(raw, start));
                let first = self.invalid.partition_point(|offset| *offset < start);
                if let Some(offset) = self.invalid.get(first).filter(|offset| **offset < before) {
                    entry.fault = Some((*offset, "the operation has invalid UTF-8".to_owned()));
                }
            }
            "description" => entry.description = Some(Text::decode(raw, start)),
            "CPUID" => entry.extensions.push(Text::decode(raw, start).text.trim().to_owned()),
            "category" => entry.categories.push(Text::decode(raw, start).text.trim().to_owned()),
            _ => {}
        }
    }

    /// Ends an entry that cannot be read to its end.
    fn abandon(&mut self, offset: usize, message: String) {
        self.element = None;
        if let Some(mut entry) = self.open.take() {
            entry.end = offset.max(entry.start);
            entry.fault = Some((offset, message));
            entry.ill_formed = true;
            self.finish(entry);
        }
    }

    fn finish(&mut self, mut entry: Entry) {
        if entry.name.is_empty() && entry.fault.is_none() {
            entry.fault = Some((entry.start, "the entry has no name".to_owned()));
        }
        if let (Some(text), None) = (&entry.operation, &entry.fault)
            && let Some(fault) = text.faults.first()
        {
            entry.fault = Some((*fault, "the operation has an unknown entity".to_owned()));
            entry.ill_formed = true;
        }
        if let Some((offset, message)) = &entry.fault {
            let name = Some(entry.called());
            let severity = if entry.ill_formed { Severity::Fatal } else { Severity::Error };
            self.document.note(self.source, severity, *offset, name, message.clone());
        }
        self.document.entries.push(entry);
    }
}

fn attribute(tag: &BytesStart<'_>, name: &str) -> String {
    for attribute in tag.attributes().with_checks(false).filter_map(Result::ok) {
        if attribute.key.as_ref() == name {
            return decode_attribute(attribute.value.as_bytes());
        }
    }
    String::new()
}

fn operand(tag: &BytesStart<'_>) -> Operand {
    let mut operand = Operand::default();
    for attribute in tag.attributes().with_checks(false).filter_map(Result::ok) {
        let value = decode_attribute(attribute.value.as_bytes());
        match attribute.key.as_ref() {
            "type" => operand.c_type = value,
            "varname" => operand.name = value,
            "etype" => operand.element = value,
            "hint" => operand.hint = value.eq_ignore_ascii_case("true"),
            "immtype" => operand.immediate_type = value,
            "immwidth" => operand.immediate_width = value.parse().ok().filter(|width| *width <= 64),
            _ => {}
        }
    }
    operand
}
