//! The tokens of C source: what the preprocessor works on.

use std::rc::Rc;

/// What kind of token it is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Kind {
    /// An identifier or keyword.
    Name,
    /// A preprocessing number: `12`, `0xFLL`, `4_4`.
    Number,
    /// A string or character literal with its quotes.
    Literal,
    /// An operator or bracket, or a character that starts nothing.
    Punct,
}

/// A token.
#[derive(Clone, Debug)]
pub(super) struct Token {
    pub kind: Kind,
    pub text: Rc<str>,
    /// Byte offset in the document of what the reader of the entry sees: for a token out of a macro
    /// body, of the macro's use.
    pub origin: u32,
    /// Whether white space precedes it.
    pub spaced: bool,
    /// Whether it is the first of a logical line.
    pub starts_line: bool,
}

impl Token {
    pub fn is(&self, text: &str) -> bool {
        &*self.text == text
    }

    pub fn is_name(&self) -> bool {
        self.kind == Kind::Name
    }
}

/// Operators of two characters; those of three are the shifts' assignments.
const PAIRS: &[&str] = &[
    "##", "++", "--", "<<", ">>", "<=", ">=", "==", "!=", "&&", "||", "+=", "-=", "*=", "/=", "%=", "&=",
    "|=", "^=", "->",
];

/// The tokens of a text, without comments, with continued lines joined.
pub(super) fn tokens(text: &str) -> Vec<Token> {
    let bytes = text.as_bytes();
    let mut tokens = Vec::with_capacity(bytes.len() / 4);
    let (mut at, mut spaced, mut starts_line) = (0, false, true);
    while at < bytes.len() {
        let rest = &text[at..];
        if rest.starts_with("\\\n") || rest.starts_with("\\\r\n") {
            at += if bytes[at + 1] == b'\r' { 3 } else { 2 };
            spaced = true;
            continue;
        }
        if bytes[at] == b'\n' {
            (at, spaced, starts_line) = (at + 1, true, true);
            continue;
        }
        if bytes[at].is_ascii_whitespace() {
            (at, spaced) = (at + 1, true);
            continue;
        }
        if rest.starts_with("//") {
            at += rest.find('\n').unwrap_or(rest.len());
            continue;
        }
        if let Some(comment) = rest.strip_prefix("/*") {
            at += comment.find("*/").map_or(rest.len(), |end| end + 4);
            spaced = true;
            continue;
        }
        let (kind, length) = token(rest);
        let origin = u32::try_from(at).unwrap_or(u32::MAX);
        tokens.push(Token { kind, text: rest[..length].into(), origin, spaced, starts_line });
        (at, spaced, starts_line) = (at + length, false, false);
    }
    tokens
}

/// The kind and length of the token that a non-empty text starts with.
fn token(rest: &str) -> (Kind, usize) {
    let bytes = rest.as_bytes();
    let is_tail = |byte: &u8| byte.is_ascii_alphanumeric() || *byte == b'_';
    let run = bytes.iter().take_while(|byte| is_tail(byte)).count();
    match bytes[0] {
        b'0'..=b'9' => (Kind::Number, run),
        b'A'..=b'Z' | b'a'..=b'z' | b'_' => (Kind::Name, run),
        quote @ (b'"' | b'\'') => {
            let mut at = 1;
            while at < bytes.len() && bytes[at] != quote && bytes[at] != b'\n' {
                at += if bytes[at] == b'\\' { 2 } else { 1 };
            }
            let mut end = (at + 1).min(bytes.len());
            while !rest.is_char_boundary(end) {
                end += 1;
            }
            (Kind::Literal, end)
        }
        _ if rest.starts_with("<<=") || rest.starts_with(">>=") => (Kind::Punct, 3),
        _ if PAIRS.iter().any(|pair| rest.starts_with(pair)) => (Kind::Punct, 2),
        _ => (Kind::Punct, rest.chars().next().map_or(1, char::len_utf8)),
    }
}

/// The index of the bracket that closes the round one at `open`.
pub(super) fn closing(tokens: &[Token], open: usize) -> Option<usize> {
    let mut depth = 0usize;
    for (at, token) in tokens.iter().enumerate().skip(open) {
        if token.is("(") {
            depth += 1;
        } else if token.is(")") {
            depth -= 1;
            if depth == 0 {
                return Some(at);
            }
        }
    }
    None
}

/// The arguments between brackets: split at the commas that no round bracket encloses.
pub(super) fn split_arguments(tokens: &[Token]) -> Vec<&[Token]> {
    let mut arguments = Vec::new();
    let (mut depth, mut start) = (0i64, 0);
    for (at, token) in tokens.iter().enumerate() {
        match &*token.text {
            "(" => depth += 1,
            ")" => depth -= 1,
            "," if depth == 0 => {
                arguments.push(&tokens[start..at]);
                start = at + 1;
            }
            _ => {}
        }
    }
    arguments.push(&tokens[start..]);
    arguments
}
