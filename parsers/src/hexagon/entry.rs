//! One instruction: from its text, its assembly syntax and its prototype to its function.

use hydride_ir::exact::{Dag, Register};

use super::form;
use super::helpers;
use super::idef;
use super::lex::Token;
use super::machine::{Machine, Variable};
use super::manual;
use super::memory::ADDRESS_UNIT;
use super::operands::{self, Address, Operand, Shape};
use super::prototypes::Prototype;
use super::source::{Fault, Text};
use super::syntax::Stmt;
use super::{Options, grammar};
use crate::pseudocode::{self, Budget, Memory, Pointers, Reason};
use crate::{Argument, Instruction, Isa, Kind};

/// An instruction of a document, ready to be elaborated.
#[derive(Clone, Debug)]
pub(super) struct Entry {
    pub id: String,
    pub syntax: String,
    pub body: Body,
    /// The reason for which it is outside of what the IR describes.
    pub excluded: Option<(Reason, String)>,
    /// Byte offset in the document.
    pub at: usize,
}

/// A text with the way back to where its characters come from.
#[derive(Clone, Debug, Default)]
pub(super) struct Body {
    pub text: String,
    /// Ascending text offsets with the document offset of each.
    places: Vec<(usize, usize)>,
}

impl Body {
    /// The document offset of a text offset.
    pub fn place(&self, at: usize) -> usize {
        let position = self.places.partition_point(|(start, _)| *start <= at);
        self.places.get(position.saturating_sub(1)).map_or(0, |(_, place)| *place)
    }

    /// A text that appears in the document verbatim or with JSON escapes.
    fn verbatim(record: &manual::Record) -> Self {
        let places = if record.raw.contains('\\') {
            let starts = record.pseudocode.char_indices().map(|(at, _)| at);
            starts.map(|at| (at, record.pseudocode_at + manual::raw_offset(&record.raw, at))).collect()
        } else {
            (0..=record.pseudocode.len()).map(|at| (at, record.pseudocode_at + at)).collect()
        };
        Self { text: record.pseudocode.clone(), places }
    }

    fn tokens(tokens: &[Token]) -> Self {
        let mut body = Self::default();
        for token in tokens {
            body.places.push((body.text.len(), token.origin as usize));
            body.text.push_str(&token.text);
            body.text.push(' ');
        }
        body
    }
}

/// Attributes of records that are outside of what the IR describes, and the reason codes.
const EXCLUDED: &[(&str, Reason)] = &[("A_CVI_4SLOT", Reason::Histogram)];

/// Why floating-point entries are not modelled.
const FLOATING_POINT: &str =
    "floating-point elements in the assembly syntax, which neither the IR nor a trusted emulator computes";

/// An entry of the semantics file.
pub(super) fn from_record(record: &idef::Record) -> Entry {
    let by_attribute = EXCLUDED
        .iter()
        .find(|(attribute, _)| record.attributes.iter().any(|known| &**known == *attribute))
        .map(|(attribute, reason)| (*reason, format!("the attribute {attribute}")));
    Entry {
        id: record.id.clone(),
        syntax: record.syntax.clone(),
        body: Body::tokens(&record.body),
        excluded: by_attribute,
        at: record.at,
    }
}

/// An entry of the manual.
pub(super) fn from_manual(record: &manual::Record) -> Entry {
    Entry {
        id: record.id.clone(),
        syntax: record.syntax.clone(),
        body: Body::verbatim(record),
        excluded: operands::has_float(&record.syntax)
            .then(|| (Reason::FloatingPoint, FLOATING_POINT.to_owned())),
        at: record.at,
    }
}

/// What an entry of a document says about a name that only the prototypes have: the assembly syntax,
/// where that is an assignment that can be read, else the reason why not.
pub(super) fn from_prototype(prototype: &Prototype) -> Entry {
    let float = || (Reason::FloatingPoint, FLOATING_POINT.to_owned());
    let memory = || (Reason::Memory, format!("the instruction type {}", prototype.class));
    let class = prototype.class.as_str();
    let is_memory = ["CVI_VM", "CVI_GATHER", "CVI_SCATTER"].iter().any(|prefix| class.starts_with(prefix));
    let text = assignment(&prototype.syntax);
    let missing = || (Reason::NoPseudocode, "no document describes it".to_owned());
    let excluded = if is_memory {
        Some(memory())
    } else if operands::has_float(&prototype.syntax) {
        Some(float())
    } else {
        text.is_none().then(missing)
    };
    let text = text.unwrap_or_default();
    let at = prototype.at;
    Entry {
        id: prototype.id.clone(),
        syntax: prototype.syntax.clone(),
        body: Body { text, places: vec![(0, at)] },
        excluded,
        at,
    }
}

/// An assembly syntax as a statement, where it is one: a copy, a literal, or one helper's value.
fn assignment(syntax: &str) -> Option<String> {
    let (target, value) = syntax.split_once('=')?;
    let bare = |text: &str| text.trim_end_matches(|letter: char| letter.is_ascii_digit()).to_owned();
    if target.contains(['.', '(', ' ']) {
        return None;
    }
    let value = match (value.strip_prefix('#'), value.split_once('(')) {
        (Some(literal), _) if literal.parse::<u32>().is_ok() => literal.to_owned(),
        (None, Some((name, operand))) if helpers::is_known(name) => {
            format!("{name}({})", bare(operand.strip_suffix(')')?))
        }
        (None, None) if value.bytes().all(|byte| byte.is_ascii_alphanumeric()) => bare(value),
        _ => return None,
    };
    Some(format!("{} = {value};", bare(target)))
}

/// The variable that holds an access's address.
const EFFECTIVE_ADDRESS: &str = "EA";

/// Words that may precede a bracket without being a call.
const KEYWORDS: &[&str] = &["if", "for", "while", "sizeof", "else", "do", "return"];

/// Calls of names that nobody defines, before they lead to a less helpful syntax error.
fn check_calls(text: &str) -> Result<(), Fault> {
    let tokens = super::lex::tokens(text);
    for pair in tokens.windows(2) {
        let [name, open] = pair else { continue };
        if name.is_name()
            && open.is("(")
            && !KEYWORDS.contains(&&*name.text)
            && !helpers::is_known(&name.text)
        {
            let message = format!("{} is defined in no document", name.text);
            return Err(Fault::failed(Reason::UnknownCall, name.origin as usize, message));
        }
    }
    Ok(())
}

/// The instruction of an entry. A fault's place is an offset in the document.
pub(super) fn elaborate(
    entry: &Entry,
    prototype: Option<&Prototype>,
    options: &Options,
    text: &Text<'_>,
) -> Result<Instruction, Fault> {
    if let Some((reason, message)) = &entry.excluded {
        return Err(Fault::excluded(*reason, entry.at, message.clone()));
    }
    let at_entry = |fault: Fault| Fault { at: entry.at, ..fault };
    let syntax = prototype.map_or(entry.syntax.as_str(), |prototype| prototype.syntax.as_str());
    let shape = operands::shape(syntax, prototype, options).map_err(at_entry)?;
    // The entry's syntax must name the same operands.
    let own: Vec<_> = operands::operands(&entry.syntax).map_err(at_entry)?;
    if let Some(operand) =
        own.iter().find(|operand| shape.operands.iter().all(|known| known.key != operand.key))
    {
        let message = format!("{} is an operand here, but not in the prototype `{syntax}`", operand.key);
        return Err(Fault::failed(Reason::Signature, entry.at, message));
    }
    let in_body = |fault: Fault| fault.map_place(|at| entry.body.place(at));
    let Outcome { mut dag, pointers, memory, registers, aligned, .. } =
        run(entry, &shape, options).map_err(in_body)?;
    let at_entry = |fault: pseudocode::Fault<()>| fault.map_place(|()| entry.at);
    let form = form::form(syntax, &shape);
    let mut signature = shape.signature;
    pointers.describe(&mut signature, &dag);
    for (operand, argument) in shape.args.iter().zip(&mut signature.args) {
        if let (Some(Address::Region), Kind::Memory { align, .. }) =
            (shape.operands[*operand].address(), &mut argument.kind)
        {
            *align = aligned;
        }
    }
    // Results in the order of the syntax, memory among them.
    let mut results: Vec<(usize, Argument, Register)> = shape
        .results
        .into_iter()
        .zip(signature.results)
        .zip(registers)
        .map(|((operand, result), register)| (operand, result, register))
        .collect();
    for (argument, bytes) in pointers.written(&memory) {
        let argument = argument as usize;
        results.push((shape.args[argument], signature.args[argument].clone(), bytes));
    }
    results.sort_by_key(|(operand, ..)| *operand);
    let (results, registers): (Vec<_>, Vec<_>) =
        results.into_iter().map(|(_, result, register)| (result, register)).unzip();
    signature.results = results;
    if registers.is_empty() {
        return Err(Fault::excluded(Reason::Memory, entry.at, "nothing is written"));
    }
    let (function, undefined) =
        pseudocode::function(&entry.id, &signature, &mut dag, &registers).map_err(at_entry)?;
    let access = pointers.access_of(&function, &mut dag, &memory).map_err(at_entry)?;
    Ok(Instruction {
        id: entry.id.clone(),
        isa: Isa::register(super::ISA),
        intrinsic: prototype.map(|prototype| prototype.intrinsic.clone()).unwrap_or_default(),
        function,
        accessed: access.accessed,
        addresses: access.addresses,
        undefined,
        undefined_for: Vec::new(),
        signature,
        extensions: prototype.iter().map(|prototype| format!("hvxv{}", prototype.arch)).collect(),
        forms: vec![form],
        span: text.place(entry.at),
    })
}

/// What running an entry's text leaves.
struct Outcome {
    dag: Dag,
    /// What was used of the entry's limits.
    budget: Budget,
    pointers: Pointers,
    /// What is at the pointers.
    memory: Vec<Memory>,
    /// The results that are registers.
    registers: Vec<Register>,
    /// The greatest number of bytes to a multiple of which the text rounds an address down.
    aligned: u32,
}

/// Runs an entry's text. Where the address may be any, the text treats some of its lowest bits in another way than the
/// others: it runs for each value of them, and must leave the same.
fn run(entry: &Entry, shape: &Shape, options: &Options) -> Result<Outcome, Fault> {
    check_calls(&entry.body.text)?;
    let statements = grammar::parse(&entry.body.text)?;
    let pointers = Pointers::new(&shape.signature, ADDRESS_UNIT);
    let dag = Dag::new(pointers.widths(&shape.signature));
    let first = run_once((dag, None), &pointers, &statements, shape, options, 0)?;
    let is_unaligned = |operand: &Operand| operand.address() == Some(Address::Unaligned);
    if !shape.operands.iter().any(is_unaligned) {
        return Ok(first);
    }
    let mut outcome = first;
    for misaligned in 1..options.vector_bytes() {
        let dag = std::mem::replace(&mut outcome.dag, Dag::new(Vec::new()));
        let used = (dag, Some(std::mem::take(&mut outcome.budget)));
        let mut other = run_once(used, &pointers, &statements, shape, options, misaligned)?;
        let dag = &mut other.dag;
        let same = outcome.memory.iter().zip(&other.memory).all(|(one, other)| one.is_same(dag, other))
            && outcome
                .registers
                .iter()
                .zip(&other.registers)
                .all(|(one, other)| pseudocode::is_same(dag, one, other));
        if !same {
            let message = format!(
                "it depends on the address: {misaligned} after a multiple of a vector is another case"
            );
            return Err(Fault::excluded(Reason::Memory, 0, message));
        }
        (outcome.dag, outcome.budget) = (other.dag, other.budget);
    }
    Ok(outcome)
}

/// Runs statements for pointers that are so many bytes after a multiple of a vector's, on the graph of an earlier run
/// and with what it left of the limits.
fn run_once(
    (dag, budget): (Dag, Option<Budget>),
    pointers: &Pointers,
    statements: &[Stmt],
    shape: &Shape,
    options: &Options,
    misaligned: u32,
) -> Result<Outcome, Fault> {
    let mut machine = Machine::new(dag, pointers.clone(), options.vector_bytes());
    machine.misaligned = misaligned;
    if let Some(budget) = budget {
        machine.budget = budget;
    }
    for (position, operand) in shape.operands.iter().enumerate() {
        machine.add_operand(&operand.key, operand.class, operand.width(options), shape.argument(position));
    }
    if shape.has_memory() {
        machine.add_global(EFFECTIVE_ADDRESS, Variable::Integer { value: None, of: None });
    }
    machine.run(statements)?;
    let mut registers = Vec::new();
    for result in &shape.results {
        let operand = &shape.operands[*result];
        let register = match machine.slot(&operand.key).map(|slot| machine.variable(slot)) {
            Some(Variable::Bits { register, .. }) => register.clone(),
            _ => Register::default(),
        };
        if register.end() == 0 {
            let message = format!("{} is never written", operand.key);
            return Err(Fault::failed(Reason::Undefined, 0, message));
        }
        registers.push(register);
    }
    let Machine { dag, budget, pointers, store, aligned, .. } = machine;
    Ok(Outcome { dag, budget, pointers, memory: store.memory, registers, aligned })
}
