//! Indentation to block marks: the step before the grammar.
//!
//! ```text
//! if a then          if a then⏎
//!     x = 1;   →     ␁x = 1;⏎
//! y = 2;             ␂y = 2;⏎
//! ```
//! Comments become blanks, lines inside of brackets are joined, and slices in the older spelling
//! `x<h:l>` take the newer `x[h:l]`. Nesting is bounded here, so that the grammar and the
//! elaborator, which recurse, cannot run out of stack.

use std::ops::Range;

use super::SyntaxError;

/// Deepest nesting of brackets, of blocks, and of `if` in one line.
const MAX_NESTING: usize = 32;

/// Most tokens in one logical line.
const MAX_TOKENS: usize = 700;

/// A block's opening mark.
pub const INDENT: char = '\u{1}';

/// A block's closing mark.
pub const DEDENT: char = '\u{2}';

/// Text ready for the grammar.
#[derive(Debug)]
pub struct Prepared {
    /// The text with block marks.
    pub text: String,
    /// Where runs of the text came from: position in `text`, position in the source, ascending.
    origins: Vec<(usize, usize)>,
}

impl Prepared {
    /// The source offset of a position in the text.
    pub fn origin(&self, position: usize) -> usize {
        match self.origins.partition_point(|(start, _)| *start <= position) {
            0 => 0,
            index => {
                let (start, source) = self.origins[index - 1];
                source + (position - start)
            }
        }
    }
}

/// Prepares the lines of `source[range]`.
pub fn prepare(source: &str, range: Range<usize>) -> Result<Prepared, SyntaxError> {
    let start = range.start;
    let plain = without_comments(&source[range]);
    let mut writer = Writer { text: String::with_capacity(plain.len() + 64), origins: Vec::new() };
    let mut levels: Vec<usize> = Vec::new();
    let mut line_start = 0;
    let mut logical: Option<Logical> = None;
    for line in plain.split_inclusive('\n') {
        let offset = start + line_start;
        line_start += line.len();
        let content = line.trim();
        if content.is_empty() {
            continue;
        }
        let indentation = line.len() - line.trim_start().len();
        let place = offset + indentation;
        let content = angle_slices(content);
        if let Some(open) = &mut logical
            && (open.continues || continues_before(&content))
        {
            open.add(&content, place)?;
            writer.push(" ", place);
            writer.push(&content, place);
            continue;
        }
        if logical.take().is_some() {
            writer.push("\n", place);
        }
        match levels.last() {
            None => levels.push(indentation),
            Some(level) if indentation > *level => {
                levels.push(indentation);
                if levels.len() > MAX_NESTING {
                    return Err(SyntaxError::new(place, "blocks are nested too deeply"));
                }
                writer.push("\u{1}", place);
            }
            Some(_) => {
                while levels.last().is_some_and(|level| *level > indentation) {
                    levels.pop();
                    writer.push("\u{2}", place);
                }
                if levels.last() != Some(&indentation) {
                    return Err(SyntaxError::new(place, "the indentation matches no enclosing block"));
                }
            }
        }
        let mut fresh = Logical::default();
        fresh.add(&content, place)?;
        logical = Some(fresh);
        writer.push(&content, place);
    }
    let end = start + plain.len();
    if logical.is_some() {
        writer.push("\n", end);
    }
    for _ in 1..levels.len() {
        writer.push("\u{2}", end);
    }
    Ok(Prepared { text: writer.text, origins: writer.origins })
}

struct Writer {
    text: String,
    origins: Vec<(usize, usize)>,
}

impl Writer {
    fn push(&mut self, piece: &str, source: usize) {
        self.origins.push((self.text.len(), source));
        self.text.push_str(piece);
    }
}

/// A logical line so far.
#[derive(Default)]
struct Logical {
    depth: usize,
    tokens: usize,
    conditionals: usize,
    continues: bool,
}

impl Logical {
    fn add(&mut self, content: &str, place: usize) -> Result<(), SyntaxError> {
        let mut previous = ' ';
        let mut word = String::new();
        let mut prefixes = 0;
        for character in content.chars().chain(std::iter::once(' ')) {
            let in_word = character.is_alphanumeric() || character == '_';
            if in_word {
                if word.is_empty() {
                    self.tokens += 1;
                }
                word.push(character);
                prefixes = 0;
            } else {
                if word == "if" {
                    self.conditionals += 1;
                }
                prefixes += usize::from(word == "NOT");
                word.clear();
                match character {
                    '(' | '[' | '{' => self.depth += 1,
                    ')' | ']' | '}' => self.depth = self.depth.saturating_sub(1),
                    '-' | '!' => prefixes += 1,
                    _ => {}
                }
                self.tokens += usize::from(!character.is_whitespace());
            }
            if self.depth > MAX_NESTING || self.conditionals > MAX_NESTING || prefixes > MAX_NESTING {
                return Err(SyntaxError::new(place, "expressions are nested too deeply"));
            }
            if !character.is_whitespace() {
                previous = character;
            }
        }
        if self.tokens > MAX_TOKENS {
            return Err(SyntaxError::new(place, "a line has too many tokens"));
        }
        let last_word = content.rsplit(|c: char| !c.is_alphanumeric() && c != '_').next().unwrap_or("");
        self.continues = self.depth > 0
            || matches!(previous, '|' | '&' | '+' | '*' | ',' | '=')
            || matches!(last_word, "AND" | "OR" | "EOR");
        Ok(())
    }
}

/// Whether a line starts in the middle of an expression.
fn continues_before(content: &str) -> bool {
    ["&&", "||", "AND ", "OR ", "EOR ", "+ ", "* ", ": "].iter().any(|mark| content.starts_with(mark))
}

/// The text with every comment blanked out, byte for byte.
fn without_comments(text: &str) -> String {
    let mut plain = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(character) = rest.chars().next() {
        let length = if rest.starts_with("//") {
            rest.find('\n').unwrap_or(rest.len())
        } else if rest.starts_with("/*") {
            rest.find("*/").map_or(rest.len(), |end| end + 2)
        } else if character == '"' {
            let end = rest[1..].find(['"', '\n']).map_or(rest.len(), |end| end + 2);
            plain.push_str(&rest[..end.min(rest.len())]);
            rest = &rest[end.min(rest.len())..];
            continue;
        } else {
            // A mark of ours in a document would look like a block.
            plain.push(if matches!(character, INDENT | DEDENT) { '?' } else { character });
            rest = &rest[character.len_utf8()..];
            continue;
        };
        plain.extend(rest[..length].bytes().map(|byte| if byte == b'\n' { '\n' } else { ' ' }));
        rest = &rest[length..];
    }
    plain
}

/// How far from a `<` its `>` is looked for: a line may have as many `<` as bytes.
const MAX_SLICE: usize = 1024;

/// `x<h:l>` as `x[h:l]`: a `<` without a blank before and after it, with its `>` in the same line.
fn angle_slices(content: &str) -> String {
    let mut bytes = content.as_bytes().to_vec();
    let mut position = 0;
    while position < bytes.len() {
        let opens = bytes[position] == b'<'
            && position > 0
            && (bytes[position - 1].is_ascii_alphanumeric()
                || matches!(bytes[position - 1], b'_' | b')' | b']'))
            && bytes.get(position + 1).is_some_and(|next| !matches!(next, b' ' | b'<' | b'='));
        if opens {
            let mut depth = 0;
            for end in position + 1..bytes.len().min(position + MAX_SLICE) {
                match bytes[end] {
                    b'(' | b'[' => depth += 1,
                    b')' | b']' if depth > 0 => depth -= 1,
                    b')' | b']' | b';' | b'&' | b'|' => break,
                    b'>' if depth == 0 => {
                        bytes[position] = b'[';
                        bytes[end] = b']';
                        break;
                    }
                    _ => {}
                }
            }
        }
        position += 1;
    }
    // Only ASCII bytes were exchanged.
    String::from_utf8(bytes).unwrap_or_else(|_| content.to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn marks(text: &str) -> String {
        prepare(text, 0..text.len()).map(|prepared| prepared.text).unwrap_or_else(|error| error.message)
    }

    #[test]
    fn blocks_get_marks() {
        assert_eq!(
            marks("  if a then // why\n      x = 1;\n\n  y = 2;\n"),
            "if a then\n\u{1}x = 1;\n\u{2}y = 2;\n"
        );
    }

    #[test]
    fn open_brackets_and_operators_join_lines() {
        assert_eq!(marks("x = f(a,\n   b);\ny = a ||\n  b;\n"), "x = f(a, b);\ny = a || b;\n");
    }

    #[test]
    fn older_slices_are_spelled_anew() {
        assert_eq!(
            marks("x = sum<2*n-1:0>;\nif a < b && c > d then y<3> = z;"),
            "x = sum[2*n-1:0];\nif a < b && c > d then y[3] = z;\n"
        );
    }

    #[test]
    fn bad_indentation_and_deep_nesting_are_told() {
        assert_eq!(marks("a;\n    b;\n  c;\n"), "the indentation matches no enclosing block");
        assert_eq!(marks(&"(".repeat(1000)), "expressions are nested too deeply");
        assert_eq!(marks(&format!("x = {}1;", "-".repeat(1000))), "expressions are nested too deeply");
    }

    #[test]
    fn positions_lead_back_to_the_source() {
        let text = "a;\n  /* x */ b;\n";
        let prepared = prepare(text, 0..text.len()).unwrap();
        let position = prepared.text.find('b').unwrap();
        assert_eq!(prepared.origin(position), text.find('b').unwrap());
    }
}
