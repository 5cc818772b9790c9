//! Places in a document: lines and columns of byte offsets, and operation text with its entities decoded.

use std::ops::Range;

/// A document's bytes with its line starts; a byte order mark is one of its characters.
pub(super) type Source<'a> = crate::source::Source<'a, &'a [u8]>;

/// The predefined entities of XML.
const ENTITIES: &[(&str, char)] = &[("lt", '<'), ("gt", '>'), ("amp", '&'), ("quot", '"'), ("apos", '\'')];

/// Character data of an element: decoded, with the way back to the document.
#[derive(Debug, Default)]
pub(super) struct Text {
    /// The decoded text.
    pub(super) text: String,
    /// Decoded offset and document offset wherever the distance between the two changes.
    anchors: Vec<(usize, usize)>,
    /// Parts of the text that are not from the document: each is located as a whole at its beginning.
    replaced: Vec<Range<usize>>,
    /// Document offsets of what could not be decoded.
    pub(super) faults: Vec<usize>,
}

impl Text {
    /// Decodes the raw content of an element that begins at byte `start` of the document.
    pub(super) fn decode(raw: &[u8], start: usize) -> Self {
        const CDATA: &[u8] = b"<![CDATA[";
        let mut decoded = Self { text: String::with_capacity(raw.len()), ..Self::default() };
        decoded.anchors.push((0, start));
        let mut position = 0;
        while position < raw.len() {
            let rest = &raw[position..];
            let skipped = if rest.starts_with(CDATA) {
                let end = find(rest, b"]]>").unwrap_or(rest.len());
                decoded.anchor(start + position + CDATA.len());
                decoded.push_bytes(&rest[CDATA.len().min(end)..end], start + position);
                end + 3
            } else if rest.starts_with(b"<") {
                // A comment or a stray tag: no part of the text.
                find(rest, b">").map_or(rest.len(), |end| end + 1)
            } else if rest[0] == b'&' {
                match entity(rest) {
                    Some((character, length)) => {
                        decoded.anchor(start + position);
                        decoded.text.push(character);
                        length
                    }
                    None => {
                        decoded.faults.push(start + position);
                        decoded.text.push('&');
                        position += 1;
                        decoded.anchor(start + position);
                        continue;
                    }
                }
            } else {
                let end = rest.iter().position(|byte| matches!(byte, b'<' | b'&')).unwrap_or(rest.len());
                decoded.push_bytes(&rest[..end], start + position);
                position += end;
                continue;
            };
            position += skipped.max(1);
            decoded.anchor(start + position);
        }
        decoded
    }

    fn anchor(&mut self, offset: usize) {
        self.anchors.push((self.text.len(), offset));
    }

    fn push_bytes(&mut self, bytes: &[u8], offset: usize) {
        match std::str::from_utf8(bytes) {
            Ok(text) => self.text.push_str(text),
            Err(error) => {
                self.faults.push(offset + error.valid_up_to());
                self.text.push_str(&String::from_utf8_lossy(bytes));
            }
        }
    }

    /// Puts `now` in the place of a part of the text; later parts must have been replaced before earlier ones.
    pub(super) fn replace(&mut self, at: Range<usize>, now: &str) {
        let (start, end) = (self.offset(at.start), self.offset(at.end));
        let (old, new) = (at.len(), now.len());
        self.text.replace_range(at.clone(), now);
        self.anchors.retain(|(text, _)| *text < at.start || *text > at.end);
        let moved = |offset: &mut usize| {
            if *offset >= at.end {
                *offset = *offset - old + new;
            }
        };
        self.anchors.iter_mut().for_each(|(text, _)| moved(text));
        for range in &mut self.replaced {
            moved(&mut range.start);
            moved(&mut range.end);
        }
        let position = self.anchors.partition_point(|(text, _)| *text < at.start);
        self.anchors.splice(position..position, [(at.start, start), (at.start + new, end)]);
        self.replaced.push(at.start..at.start + new);
    }

    /// The document offset of an offset in the decoded text.
    pub(super) fn offset(&self, decoded: usize) -> usize {
        let replaced = self.replaced.iter().find(|range| range.contains(&decoded));
        let decoded = replaced.map_or(decoded, |range| range.start);
        let position = self.anchors.partition_point(|(text, _)| *text <= decoded);
        self.anchors[..position].last().map_or(0, |(text, document)| document + (decoded - text))
    }
}

fn find(bytes: &[u8], needle: &[u8]) -> Option<usize> {
    bytes.windows(needle.len()).position(|window| window == needle)
}

/// The character of an entity or character reference at the start of `bytes`, and the reference's length.
fn entity(bytes: &[u8]) -> Option<(char, usize)> {
    let end = bytes.iter().take(16).position(|byte| *byte == b';')?;
    let name = std::str::from_utf8(&bytes[1..end]).ok()?;
    let character = match name.strip_prefix('#') {
        Some(code) => {
            let code = match code.strip_prefix(['x', 'X']) {
                Some(digits) => u32::from_str_radix(digits, 16).ok()?,
                None => code.parse().ok()?,
            };
            char::from_u32(code)?
        }
        None => ENTITIES.iter().find(|(known, _)| *known == name)?.1,
    };
    Some((character, end + 1))
}

/// An attribute's value with its entities decoded.
pub(super) fn decode_attribute(raw: &[u8]) -> String {
    Text::decode(raw, 0).text
}
