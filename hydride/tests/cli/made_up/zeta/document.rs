//! Zeta's document: a line for each instruction, with its name, operands, the bits of an element, and what an element of
//! the result is, in postfix order. `a.s` is an element of `a` read as two's complement.

use hydride::isa::Document;
use hydride_ir::exact::{Dag, NodeId, Register};
use parsers::pseudocode::{self, Fault, Outcome, Reason};
use parsers::{
    Argument, Diagnostic, Form, Immediate, Instruction, Isa, Kind, Outline, Parsed, Severity, Signature,
    Span, TextForm,
};

/// The name of the instruction set.
pub const ISA: &str = "zeta";

/// Bits of a register.
const REGISTER: u32 = 128;

// ANCHOR: entries
/// A line with its place.
struct Entry<'a> {
    name: &'a str,
    operands: Vec<&'a str>,
    element: Option<u32>,
    text: &'a str,
    span: Span,
}

/// The version and the entries, or that the document is no text.
fn entries(document: &Document) -> Result<(&str, Vec<Entry<'_>>), Diagnostic> {
    let file = document.name.clone();
    let text = std::str::from_utf8(&document.bytes).map_err(|error| {
        let span = Span { file, offset: error.valid_up_to(), length: 1, line: 1, column: 1 };
        Diagnostic { severity: Severity::Fatal, entry: None, span, message: "this is not UTF-8".to_owned() }
    })?;
    let (mut version, mut entries, mut offset) = ("", Vec::new(), 0);
    for (number, line) in (1..).zip(text.split_inclusive('\n')) {
        let span = Span {
            file: document.name.clone(),
            offset,
            length: line.trim_end().len(),
            line: number,
            column: 1,
        };
        offset += line.len();
        let mut words = line.split_whitespace();
        match (words.next(), words.next()) {
            (None, _) => {}
            (Some(first), _) if first.starts_with('#') => {}
            (Some("version"), number) => version = number.unwrap_or_default(),
            (Some(name), operands) => {
                let operands = operands.unwrap_or_default().split(',').skip(1).collect();
                let element = words.next().and_then(|bits| bits.parse().ok());
                let element =
                    element.filter(|bits| (8..=REGISTER).contains(bits) && REGISTER.is_multiple_of(*bits));
                // What follows the number of bits.
                let text = line.trim_end().rsplit("  ").next().unwrap_or_default().trim();
                entries.push(Entry { name, operands, element, text, span });
            }
        }
    }
    Ok((version, entries))
}
// ANCHOR_END: entries

// ANCHOR: parse
/// Reads a document: one ledger line for each entry, and an instruction for each that is modelled.
pub fn parse(document: &Document) -> Parsed {
    let mut parsed = Parsed::default();
    let (version, entries) = match entries(document) {
        Ok(read) => read,
        Err(diagnostic) => {
            parsed.diagnostics.push(diagnostic);
            return parsed;
        }
    };
    parsed.version = version.to_owned();
    for entry in entries {
        let result = instruction(&entry).map_err(|fault| fault.map_place(|()| entry.span));
        parsed.push(Outcome { id: entry.name.to_owned(), result });
    }
    parsed
}

fn failed(message: impl Into<String>) -> Fault<()> {
    Fault::failed(Reason::Syntax, (), message)
}

fn instruction(entry: &Entry<'_>) -> Result<Instruction, Fault<()>> {
    if entry.operands.iter().any(|operand| operand.starts_with('[')) {
        return Err(Fault::excluded(Reason::Memory, (), ""));
    }
    let element = entry.element.ok_or_else(|| failed("elements have so many bits"))?;
    let signature = Signature {
        args: entry.operands.iter().map(|operand| argument(operand, element)).collect::<Result<_, _>>()?,
        results: vec![argument("Vd", element)?],
    };
    let mut dag = Dag::new(signature.args.iter().map(|argument| argument.width).collect());
    let mut result = Register::default();
    for low in (0..REGISTER).step_by(element as usize) {
        let value = value(&mut dag, &signature, entry.text, low, element)?;
        result.write(low, element, value);
    }
    let (function, undefined) = pseudocode::function(entry.name, &signature, &mut dag, &[result])?;
    Ok(Instruction {
        id: entry.name.to_owned(),
        isa: Isa::register(ISA),
        intrinsic: entry.name.to_owned(),
        function,
        accessed: None,
        addresses: None,
        undefined,
        undefined_for: Vec::new(),
        signature,
        extensions: vec!["zeta".to_owned()],
        forms: vec![Form {
            mnemonic: entry.name.to_uppercase(),
            operands: entry.operands.join(","),
            template: None,
            destroys: None,
        }],
        span: entry.span.clone(),
    })
}

/// `Va` is a register, `#n` a number below the bits of an element.
fn argument(operand: &str, element: u32) -> Result<Argument, Fault<()>> {
    let (kind, width, c_type) = match operand.as_bytes() {
        [b'V', _] => (Kind::Vector, REGISTER, "zeta_v"),
        [b'#', _] => (Kind::Immediate(Immediate { low: 0, high: i64::from(element) - 1 }), 32, "int"),
        _ => return Err(failed(format!("the operand {operand}"))),
    };
    Ok(Argument { name: operand[1..].to_owned(), c_type: c_type.to_owned(), width, kind, element: None })
}
// ANCHOR_END: parse

// ANCHOR: meaning
/// The element at bit `low` of the result: exact integers; the write to the result keeps the low bits.
fn value(
    dag: &mut Dag,
    signature: &Signature,
    text: &str,
    low: u32,
    element: u32,
) -> Result<NodeId, Fault<()>> {
    let mut stack: Vec<NodeId> = Vec::new();
    for word in text.split(' ') {
        let (name, signed) = word.strip_suffix(".s").map_or((word, false), |name| (name, true));
        let named = (0..).zip(&signature.args).find(|(_, argument)| argument.name == name);
        let node = match (named, word.parse::<i64>()) {
            (Some((position, argument)), _) => match argument.kind {
                Kind::Immediate(_) => dag.arg_slice(position, 0, 8, false),
                _ => dag.arg_slice(position, low, element, signed),
            },
            (None, Ok(number)) => dag.int(number),
            (None, Err(_)) => {
                let (Some(right), Some(left)) = (stack.pop(), stack.pop()) else {
                    return Err(failed(format!("`{word}` has no operands")));
                };
                match word {
                    "+" => dag.sum(&[left, right]),
                    "-" => dag.sub(left, right),
                    "&" => dag.and(left, right),
                    "^" => dag.xor(left, right),
                    "max" => dag.max(left, right),
                    "<<" => dag.shl(left, right),
                    ">>" => dag.shr(left, right),
                    _ => return Err(failed(format!("the word {word}"))),
                }
            }
        };
        stack.push(node);
    }
    match stack[..] {
        [value] => Ok(value),
        _ => Err(failed("an expression leaves one value")),
    }
}
// ANCHOR_END: meaning

// ANCHOR: outline
/// The entries without their meaning.
pub fn outline(document: &Document) -> Vec<Outline> {
    let entries = entries(document).map(|(_, entries)| entries).unwrap_or_default();
    let outline = |entry: Entry<'_>| Outline {
        id: entry.name.to_owned(),
        extensions: vec!["zeta".to_owned()],
        result: "zeta_v".to_owned(),
        args: entry.operands.iter().map(|name| (String::new(), (*name).to_owned())).collect(),
        mnemonics: vec![entry.name.to_uppercase()],
        form: TextForm::Operation,
        text: entry.text.to_owned(),
    };
    entries.into_iter().map(outline).collect()
}
// ANCHOR_END: outline
