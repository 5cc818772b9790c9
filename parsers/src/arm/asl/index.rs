//! The locations of functions, enumerations and instructions in ASL files.
//!
//! Only the lines' first columns are looked at; an entry's text goes through the grammar when it
//! is first asked for, and is kept. Entries can be shared between threads.

use std::ops::Range;
use std::sync::{Arc, OnceLock};

use rustc_hash::FxHashMap;

use super::SyntaxError;
use super::ast::{Expr, Function, FunctionKind, Name, Stmt};

/// Something that is parsed once, when it is needed.
type Lazy<T> = OnceLock<Result<Arc<T>, SyntaxError>>;

fn get<T>(cell: &Lazy<T>, make: impl FnOnce() -> Result<T, SyntaxError>) -> Result<Arc<T>, SyntaxError> {
    cell.get_or_init(|| make().map(Arc::new)).clone()
}

/// The functions, enumerations and constants of a library file.
#[derive(Default)]
pub struct Library<'a> {
    source: &'a str,
    functions: FxHashMap<&'a str, Vec<FunctionEntry>>,
    /// Enumeration values, with the interned name.
    values: FxHashMap<&'a str, Name>,
    constants: FxHashMap<&'a str, (Range<usize>, Lazy<Expr>)>,
}

struct FunctionEntry {
    kind: FunctionKind,
    parameters: usize,
    head: Range<usize>,
    body: Range<usize>,
    parsed: Lazy<Function>,
}

impl<'a> Library<'a> {
    /// Indexes a file; what is wrong with it as a whole is added to `errors`.
    pub fn new(source: &'a str, errors: &mut Vec<SyntaxError>) -> Self {
        let mut library = Library { source, ..Library::default() };
        let mut lines = Lines::new(source);
        while let Some((start, line)) = lines.next() {
            if !line.starts_with(|c: char| c.is_ascii_alphabetic() || matches!(c, '_' | '(')) {
                continue;
            }
            let code = line.split("//").next().unwrap_or("").trim_end();
            if let Some(rest) = code.strip_prefix("enumeration ") {
                let mut end = start + line.len();
                let mut text = rest;
                if !text.contains('}') {
                    for (next, line) in lines.by_ref() {
                        end = next + line.len();
                        if line.contains('}') {
                            break;
                        }
                    }
                    text = &source[start + "enumeration ".len()..end];
                }
                library.enumeration(text);
            } else if let Some(rest) = code.strip_prefix("constant ") {
                library.constant(source, rest);
            } else if !code.ends_with(';') && !code.starts_with("type ") && !code.starts_with("array ") {
                let body = lines.block(0);
                if is_cut_off(source, &body) {
                    errors.push(SyntaxError::new(body.end, "the file ends inside a function"));
                }
                library.function(start..start + code.len(), body);
            }
        }
        library
    }

    fn enumeration(&mut self, text: &'a str) {
        let Some(open) = text.find('{') else { return };
        for line in text[open + 1..].lines() {
            let line = line.split("//").next().unwrap_or("");
            for value in line.split([',', '}', ';']).map(str::trim).filter(|value| !value.is_empty()) {
                self.values.entry(value).or_insert_with(|| value.into());
            }
        }
    }

    fn constant(&mut self, source: &'a str, text: &'a str) {
        let Some((left, right)) = text.split_once('=') else { return };
        let Some(name) = left.split_whitespace().last() else { return };
        let value = right.trim().trim_end_matches(';');
        let start = value.as_ptr() as usize - source.as_ptr() as usize;
        self.constants.entry(name).or_insert_with(|| (start..start + value.len(), OnceLock::new()));
    }

    fn function(&mut self, head: Range<usize>, body: Range<usize>) {
        let text = &self.source[head.clone()];
        let Some((name, kind, parameters)) = outline(text) else { return };
        self.functions.entry(name).or_default().push(FunctionEntry {
            kind,
            parameters,
            head,
            body,
            parsed: OnceLock::new(),
        });
    }

    /// The functions of a name that are called in this way with this number of arguments.
    pub fn function_named(
        &self,
        name: &str,
        kind: FunctionKind,
        arguments: usize,
    ) -> Option<Result<Vec<Arc<Function>>, SyntaxError>> {
        let candidates = self
            .functions
            .get(name)?
            .iter()
            .filter(|entry| entry.kind == kind && entry.parameters == arguments)
            .map(|entry| {
                get(&entry.parsed, || super::function(self.source, entry.head.clone(), entry.body.clone()))
            });
        let found: Vec<Result<Arc<Function>, SyntaxError>> = candidates.collect();
        if found.is_empty() {
            return None;
        }
        // An overload that cannot be read matters only when no other one can.
        let (good, bad): (Vec<_>, Vec<_>) = found.into_iter().partition(Result::is_ok);
        if good.is_empty() {
            bad.into_iter().next().map(|e| e.map(|f| vec![f]))
        } else {
            Some(good.into_iter().collect())
        }
    }

    /// The enumeration value of a name.
    pub fn enumeration_value(&self, name: &str) -> Option<Name> {
        self.values.get(name).cloned()
    }

    /// The expression of a constant.
    pub fn constant_named(&self, name: &str) -> Option<Result<Arc<Expr>, SyntaxError>> {
        let (range, parsed) = self.constants.get(name)?;
        Some(get(parsed, || super::expression(self.source, range.clone())))
    }
}

/// Whether a file ends inside its last body: in the middle of a line, and the body cannot be read. A file that is cut
/// between two lines of a body cannot be distinguished from a complete one.
fn is_cut_off(source: &str, body: &Range<usize>) -> bool {
    !source.ends_with('\n')
        && source[body.end..].trim().is_empty()
        && super::body(source, body.clone()).is_err()
}

/// Name, kind and number of parameters of a function's head.
fn outline(head: &str) -> Option<(&str, FunctionKind, usize)> {
    let bytes = head.as_bytes();
    let word = |from: usize| {
        let length = head[from..]
            .find(|c: char| !c.is_ascii_alphanumeric() && c != '_' && c != '.')
            .unwrap_or(head.len() - from);
        from..from + length
    };
    let blanks = |from: usize| from + (head[from..].len() - head[from..].trim_start().len());
    let balanced = |from: usize| {
        let mut depth = 0usize;
        for (index, byte) in bytes.iter().enumerate().skip(from) {
            match byte {
                b'(' | b'[' => depth += 1,
                b')' | b']' => {
                    depth = depth.checked_sub(1)?;
                    if depth == 0 {
                        return Some(index + 1);
                    }
                }
                _ => {}
            }
        }
        None
    };
    let mut name = word(0);
    if bytes.first() == Some(&b'(') {
        name = word(blanks(balanced(0)?));
    } else if &head[name.clone()] == "bits" {
        name = word(blanks(balanced(name.end)?));
    } else {
        let next = word(blanks(name.end));
        if !next.is_empty() {
            name = next;
        }
    }
    // Only here may slices be taken one byte further: anything else could be the middle of a character.
    let open = blanks(name.end);
    let calls = match bytes.get(open)? {
        b'(' => true,
        b'[' => false,
        _ => return None,
    };
    let close = balanced(open)?;
    let inside = head[open + 1..close - 1].trim();
    let mut depth = 0i32;
    let commas = inside
        .bytes()
        .filter(|byte| {
            depth += i32::from(matches!(byte, b'(' | b'[')) - i32::from(matches!(byte, b')' | b']'));
            *byte == b',' && depth == 0
        })
        .count();
    let parameters = if inside.is_empty() { 0 } else { commas + 1 };
    let kind = if calls {
        FunctionKind::Call
    } else if head[close..].trim_start().starts_with('=') {
        FunctionKind::Setter
    } else {
        FunctionKind::Getter
    };
    (!name.is_empty()).then(|| (&head[name], kind, parameters))
}

/// Parts of the decode of an encoding. Each of the file's further parts is held by every encoding of its instruction.
const MAX_DECODES: usize = 64;

/// The A64 encodings of an instruction file.
#[derive(Default)]
pub struct Instructions<'a> {
    source: &'a str,
    encodings: Vec<Encoding<'a>>,
    bodies: Vec<(Range<usize>, Lazy<Vec<Stmt>>)>,
}

/// An encoding of an instruction.
pub struct Encoding<'a> {
    /// Its name in the file.
    pub name: &'a str,
    /// Whether its instruction has its name; the file repeats encodings in other instructions.
    pub own: bool,
    /// Fields: name, lowest bit, width.
    pub fields: Vec<(Name, u32, u32)>,
    /// Where it stands.
    pub offset: usize,
    value: u32,
    mask: u32,
    text: Range<usize>,
    decodes: Vec<(Range<usize>, Lazy<Vec<Stmt>>)>,
    body: usize,
}

impl<'a> Instructions<'a> {
    /// Indexes a file; what is wrong with single encodings is added to `errors`.
    pub fn new(source: &'a str, errors: &mut Vec<SyntaxError>) -> Self {
        let mut index = Instructions { source, ..Instructions::default() };
        let mut lines = Lines::new(source);
        let mut first_of_instruction = 0;
        let mut instruction = "";
        let mut open: Option<(Encoding<'a>, bool)> = None;
        let mut seen: FxHashMap<&'a str, Vec<usize>> = FxHashMap::default();
        while let Some((start, line)) = lines.next() {
            let text = line.trim_start();
            let indentation = line.len() - text.len();
            let mut words = text.split_whitespace();
            let Some(keyword) = words.next().filter(|word| word.starts_with("__")) else { continue };
            let rest = text[keyword.len()..].trim();
            if matches!(keyword, "__encoding" | "__execute" | "__instruction" | "__postdecode")
                && let Some((encoding, is_a64)) = open.take()
                && is_a64
            {
                index.encodings.push(encoding);
            }
            match keyword {
                "__instruction" => {
                    first_of_instruction = index.encodings.len();
                    instruction = rest;
                }
                "__encoding" => {
                    let encoding = Encoding {
                        name: rest,
                        own: rest == instruction,
                        fields: Vec::new(),
                        offset: start + indentation,
                        value: 0,
                        mask: 0,
                        text: start..start,
                        decodes: Vec::new(),
                        body: usize::MAX,
                    };
                    open = Some((encoding, false));
                }
                "__instruction_set" => {
                    if let Some((_, is_a64)) = &mut open {
                        *is_a64 = rest == "A64";
                    }
                }
                "__field" => {
                    if let Some((encoding, true)) = &mut open {
                        match field(rest) {
                            Some(field) => encoding.fields.push(field),
                            None => errors.push(SyntaxError::new(start + indentation, "not a field")),
                        }
                    }
                }
                "__opcode" => {
                    if let Some((encoding, true)) = &mut open {
                        match opcode(rest) {
                            Some((value, mask)) => (encoding.value, encoding.mask) = (value, mask),
                            None => {
                                errors
                                    .push(SyntaxError::new(start + indentation, "not a pattern of 32 bits"));
                                open = None;
                            }
                        }
                    }
                }
                "__decode" => {
                    let block = lines.block(indentation);
                    if let Some((encoding, true)) = &mut open {
                        encoding.text = encoding.offset..block.end;
                        encoding.decodes.push((block, OnceLock::new()));
                    }
                }
                "__postdecode" => {
                    let block = lines.block(indentation);
                    let encodings = &mut index.encodings[first_of_instruction..];
                    if encodings.iter().any(|encoding| encoding.decodes.len() >= MAX_DECODES) {
                        let message = format!(
                            "the decode of an encoding has more than {MAX_DECODES} parts; its instruction is not read"
                        );
                        errors.push(SyntaxError::new(start + indentation, message));
                        index.encodings.truncate(first_of_instruction);
                        continue;
                    }
                    for encoding in encodings {
                        encoding.decodes.push((block.clone(), OnceLock::new()));
                    }
                }
                "__execute" => {
                    let block = lines.block(indentation);
                    let body = index.bodies.len();
                    index.bodies.push((block, OnceLock::new()));
                    let added = index.encodings.split_off(first_of_instruction);
                    for mut encoding in added {
                        encoding.body = body;
                        // The file repeats whole instructions; a repetition is not a second match.
                        let twins = seen.entry(encoding.name).or_default();
                        let repeated = twins.iter().any(|twin| {
                            let twin = &index.encodings[*twin];
                            source[twin.text.clone()] == source[encoding.text.clone()]
                                && source[index.bodies[twin.body].0.clone()]
                                    == source[index.bodies[body].0.clone()]
                        });
                        if !repeated {
                            twins.push(index.encodings.len());
                            index.encodings.push(encoding);
                        }
                    }
                    first_of_instruction = index.encodings.len();
                }
                _ => {}
            }
        }
        let unfinished = index.encodings.get(first_of_instruction).or(open.as_ref().map(|(one, _)| one));
        if let Some(encoding) = unfinished {
            errors.push(SyntaxError::new(encoding.offset, "the file ends inside this instruction"));
        }
        if let Some((range, _)) = index.bodies.last().filter(|(range, _)| is_cut_off(source, range)) {
            errors.push(SyntaxError::new(range.end, "the file ends inside what an instruction does"));
        }
        index
    }

    /// Whether the file has no A64 encoding.
    pub fn is_empty(&self) -> bool {
        self.encodings.is_empty()
    }

    /// The encodings whose pattern a word matches.
    pub fn matching(&self, word: u32) -> impl Iterator<Item = (usize, &Encoding<'a>)> {
        self.encodings.iter().enumerate().filter(move |(_, encoding)| word & encoding.mask == encoding.value)
    }

    /// The encoding at a position that [`Self::matching`] gave.
    pub fn encoding(&self, position: usize) -> Option<&Encoding<'a>> {
        self.encodings.get(position)
    }

    /// The text of the encodings that a word is: fields, decode and what they do.
    pub fn text(&self, word: u32) -> Option<String> {
        let parts = self.matching(word).flat_map(|(_, encoding)| {
            let decodes = encoding.decodes.iter().map(|(range, _)| range.clone());
            let body = self.bodies.get(encoding.body).map(|(range, _)| range.clone());
            std::iter::once(encoding.text.clone()).chain(decodes).chain(body)
        });
        let parts: Vec<&str> = parts.filter_map(|range| self.source.get(range)).collect();
        (!parts.is_empty()).then(|| parts.join("\n"))
    }

    /// The decode statements of an encoding, part by part.
    pub fn decode(&self, encoding: &Encoding<'a>) -> Result<Vec<Arc<Vec<Stmt>>>, SyntaxError> {
        encoding
            .decodes
            .iter()
            .map(|(range, parsed)| get(parsed, || super::body(self.source, range.clone())))
            .collect()
    }

    /// What an encoding does.
    pub fn execute(&self, encoding: &Encoding<'a>) -> Result<Arc<Vec<Stmt>>, SyntaxError> {
        match self.bodies.get(encoding.body) {
            Some((range, parsed)) => get(parsed, || super::body(self.source, range.clone())),
            None => Err(SyntaxError::new(encoding.offset, "the instruction has no `__execute`")),
        }
    }
}

/// `name lo +: width`.
fn field(text: &str) -> Option<(Name, u32, u32)> {
    let mut words = text.split_whitespace();
    let (name, low, plus, width) = (words.next()?, words.next()?, words.next()?, words.next()?);
    let (low, width): (u32, u32) = (low.parse().ok()?, width.parse().ok()?);
    (plus == "+:" && width > 0 && low < 32 && width <= 32 - low).then(|| (name.into(), low, width))
}

/// `'01x…'` of 32 bits, as value and mask.
fn opcode(text: &str) -> Option<(u32, u32)> {
    let (mut value, mut mask, mut count) = (0u32, 0u32, 0);
    for digit in text.strip_prefix('\'')?.strip_suffix('\'')?.chars().filter(|c| *c != ' ') {
        count += 1;
        if count > 32 || !matches!(digit, '0' | '1' | 'x') {
            return None;
        }
        value = value << 1 | u32::from(digit == '1');
        mask = mask << 1 | u32::from(digit != 'x');
    }
    (count == 32).then_some((value, mask))
}

/// Lines with their offsets, one of which can be looked at ahead.
struct Lines<'a> {
    source: &'a str,
    position: usize,
}

impl<'a> Lines<'a> {
    fn new(source: &'a str) -> Self {
        Self { source, position: 0 }
    }

    /// Skips the lines that are indented deeper than `indentation`, and blank ones between them.
    fn block(&mut self, indentation: usize) -> Range<usize> {
        let start = self.position;
        let mut end = start;
        loop {
            let before = self.position;
            let Some((offset, line)) = self.next() else { break };
            let text = line.trim_start();
            if text.is_empty() {
                continue;
            }
            if line.len() - text.len() <= indentation {
                self.position = before;
                break;
            }
            end = offset + line.len();
        }
        start..end
    }
}

impl<'a> Iterator for Lines<'a> {
    type Item = (usize, &'a str);

    fn next(&mut self) -> Option<Self::Item> {
        let rest = &self.source[self.position..];
        if rest.is_empty() {
            return None;
        }
        let length = rest.find('\n').map_or(rest.len(), |end| end + 1);
        let start = self.position;
        self.position += length;
        Some((start, rest[..length].trim_end()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn heads_are_outlined() {
        assert_eq!(
            outline("(bits(N), boolean) Clamp(integer i, integer N)"),
            Some(("Clamp", FunctionKind::Call, 2))
        );
        assert_eq!(outline("bits(width) V[integer n]"), Some(("V", FunctionKind::Getter, 1)));
        assert_eq!(outline("V[integer n] = bits(width) value"), Some(("V", FunctionKind::Setter, 1)));
        assert_eq!(outline("AArch64.Check()"), Some(("AArch64.Check", FunctionKind::Call, 0)));
        assert_eq!(outline("integer Max(integer a, integer b)"), Some(("Max", FunctionKind::Call, 2)));
        assert_eq!(outline("bits(M+N) Poly(bits(M) a, bits(N) b)"), Some(("Poly", FunctionKind::Call, 2)));
        assert_eq!(outline("))(("), None);
        // A character beyond ASCII ends a name; what follows it is not a parameter list.
        for head in
            ["boolean Executin\u{80}Check()", "é()", "bits(é) é[]", "Check é(x)", "integer Max é (a, b)"]
        {
            assert_eq!(outline(head), None, "{head}");
        }
    }

    #[test]
    fn repeated_instructions_count_once() {
        let one = "__instruction a\n    __encoding a\n        __instruction_set A64\n        __field Rd 0 +: 5\n        \
                   __opcode '01x11110 xx1xxxxx 000011xx xxxxxxxx'\n        __guard TRUE\n        __decode\n            \
                   integer d = UInt(Rd);\n\n    __execute\n        x = 1;\n\n";
        let text = one.repeat(2);
        let mut errors = Vec::new();
        let index = Instructions::new(&text, &mut errors);
        assert!(errors.is_empty());
        assert_eq!(index.matching(0x5e20_0c00).count(), 1);
        assert_eq!(index.matching(0).count(), 0);
        let (_, encoding) = index.matching(0x5e20_0c00).next().unwrap();
        assert_eq!(index.execute(encoding).unwrap().len(), 1);
        assert_eq!(index.decode(encoding).unwrap().len(), 1);
    }

    #[test]
    fn the_parts_of_a_decode_are_bounded() {
        let encoding = "    __encoding a\n        __instruction_set A64\n";
        let instruction = |parts: usize| {
            let head = format!("__instruction a\n{}", encoding.repeat(100));
            format!(
                "{head}    __execute\n        x = 1;\n{head}{}    __execute\n",
                "    __postdecode\n".repeat(parts)
            )
        };
        let read = |parts: usize| {
            let mut errors = Vec::new();
            let text = instruction(parts);
            let count = Instructions::new(&text, &mut errors).encodings.len();
            (count, errors.into_iter().map(|error| error.message).collect::<Vec<_>>())
        };
        // The encodings of an instruction are equal here, so that one of them counts.
        assert_eq!(read(0), (2, vec![]));
        assert_eq!(read(MAX_DECODES), (2, vec![]));
        let message = "the decode of an encoding has more than 64 parts; its instruction is not read";
        assert_eq!(read(5000), (1, vec![message.to_owned()]));
    }

    #[test]
    fn bad_patterns_are_told() {
        let text =
            "__instruction a\n    __encoding a\n        __instruction_set A64\n        __opcode '01'\n";
        let mut errors = Vec::new();
        assert!(Instructions::new(text, &mut errors).is_empty());
        assert_eq!(errors.len(), 1);
    }
}
