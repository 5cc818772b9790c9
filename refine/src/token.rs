//! Words of LLVM assembly with their places.

use crate::error::{Fault, Place};

/// What a token is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// A keyword, type or number, with its signs: `add`, `i32`, `-7`.
    Word,
    /// A parameter, an instruction's result or a label: `%a`; the text is without the sign and quotes.
    Local,
    /// A function or variable: `@f`; the text is without the sign and quotes.
    Global,
    /// Metadata: `!dbg`, `!7`, without the sign.
    Metadata,
    /// A group of attributes: `#0`.
    Group,
    /// A label before a block, without the colon.
    Label,
    /// A text in quotes.
    Text,
    /// A single other character.
    Sign,
    /// The end of a line.
    Newline,
}

/// A token of a text.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Token<'a> {
    /// What it is.
    pub kind: Kind,
    /// Its text.
    pub text: &'a str,
    /// Where it begins.
    pub place: Place,
}

/// Whether a byte may be in a name without quotes.
pub fn is_name(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || b"._$-".contains(&byte)
}

/// The tokens of a text whose first line has the number `line`. Comments are left out.
pub fn tokens(text: &str, mut line: u32) -> Result<Vec<Token<'_>>, Fault> {
    let bytes = text.as_bytes();
    let (mut all, mut at, mut start) = (Vec::new(), 0, 0);
    while let Some(byte) = bytes.get(at).copied() {
        let place = Place { line, column: (at - start) as u32 + 1 };
        let mut push = |kind, text| all.push(Token { kind, text, place });
        let word = |from: usize| from + bytes[from..].iter().take_while(|byte| is_name(**byte)).count();
        let quoted = |from: usize| {
            let end = bytes[from + 1..].iter().position(|byte| matches!(byte, b'"' | b'\n'));
            let end = end.map(|end| from + 1 + end).filter(|end| bytes[*end] == b'"');
            end.ok_or_else(|| Fault::new(place, "a text without its second quote"))
        };
        match byte {
            b'\n' => {
                push(Kind::Newline, "\n");
                at += 1;
                (line, start) = (line + 1, at);
            }
            b' ' | b'\t' | b'\r' => at += 1,
            b';' => at += bytes[at..].iter().take_while(|byte| **byte != b'\n').count(),
            b'%' | b'@' | b'!' | b'#' => {
                let kind = match byte {
                    b'%' => Kind::Local,
                    b'@' => Kind::Global,
                    b'!' => Kind::Metadata,
                    _ => Kind::Group,
                };
                if bytes.get(at + 1) == Some(&b'"') {
                    let end = quoted(at + 1)?;
                    push(kind, &text[at + 2..end]);
                    at = end + 1;
                } else {
                    let end = word(at + 1);
                    push(kind, &text[at + 1..end]);
                    at = end;
                }
            }
            b'"' => {
                let end = quoted(at)?;
                let is_label = bytes.get(end + 1) == Some(&b':');
                push(if is_label { Kind::Label } else { Kind::Text }, &text[at + 1..end]);
                at = end + 1 + usize::from(is_label);
            }
            _ if is_name(byte) => {
                let end = word(at);
                let is_label = bytes.get(end) == Some(&b':');
                push(if is_label { Kind::Label } else { Kind::Word }, &text[at..end]);
                at = end + usize::from(is_label);
            }
            _ if byte.is_ascii() => {
                push(Kind::Sign, &text[at..at + 1]);
                at += 1;
            }
            _ => return Err(Fault::new(place, "a character that is not ASCII outside of quotes")),
        }
    }
    Ok(all)
}
