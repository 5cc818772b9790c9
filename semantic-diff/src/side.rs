//! What is compared: the entries and operations of one reading.

use std::collections::{BTreeMap, BTreeSet};

use hydride_ir::Function;
use parsers::{Isa, Outline, Parsed, Status, TextForm, UndefinedBits};

use crate::meaning::Reading;

/// One side of a comparison.
#[derive(Clone, Debug, Default)]
pub struct Side<'a> {
    /// The entries; their order does not matter.
    pub entries: Vec<Entry<'a>>,
}

/// An entry of a document, or an instruction of an output.
#[derive(Clone, Debug)]
pub struct Entry<'a> {
    /// The instruction set.
    pub isa: Isa,
    /// Unique within its instruction set.
    pub id: String,
    /// The machine features that the entry requires, if stated; distinguishes twins of one name.
    pub extensions: Vec<String>,
    /// The C prototype, where it is known.
    pub prototype: Option<Prototype>,
    /// The text of its semantics and the kind of text, if available.
    pub text: Option<(TextForm, &'a str)>,
    /// Its semantics, or why there is none.
    pub semantics: Result<Semantics<'a>, String>,
}

/// The semantics of an entry.
#[derive(Clone, Copy, Debug)]
pub struct Semantics<'a> {
    /// As parsed.
    pub function: &'a Function,
    /// Bits that the document leaves undefined.
    pub undefined: &'a [UndefinedBits],
    /// Which bytes of memory are accessed, one result for each memory argument with one bit for each byte; `None` where all
    /// of them always are.
    pub accessed: Option<&'a Function>,
    /// The addresses of elements that are gathered or scattered, as distances from their pointers; `None` where there are
    /// none.
    pub addresses: Option<&'a Function>,
}

impl<'a> From<&'a Function> for Semantics<'a> {
    fn from(function: &'a Function) -> Self {
        Self { function, undefined: &[], accessed: None, addresses: None }
    }
}

impl<'a> From<&'a parsers::Instruction> for Semantics<'a> {
    fn from(instruction: &'a parsers::Instruction) -> Self {
        Self {
            function: &instruction.function,
            undefined: &instruction.undefined,
            accessed: instruction.accessed.as_ref(),
            addresses: instruction.addresses.as_ref(),
        }
    }
}

/// A C prototype.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Prototype {
    /// The result's type.
    pub result: String,
    /// Types and names of the parameters.
    pub args: Vec<(String, String)>,
}

/// An operation of the IR with its members.
#[derive(Clone, Debug, PartialEq, Eq, Default)]
pub struct Operation {
    /// The name.
    pub name: String,
    /// Names of the parameters, in order.
    pub params: Vec<String>,
    /// Instruction sets and ids.
    pub members: BTreeSet<(String, String)>,
}

impl std::fmt::Display for Prototype {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{} (", self.result)?;
        for (position, (c_type, name)) in self.args.iter().enumerate() {
            write!(f, "{}{c_type} {name}", if position == 0 { "" } else { ", " })?;
        }
        f.write_str(")")
    }
}

impl Prototype {
    /// Whether both have the same types, whatever the names are.
    pub fn has_types_of(&self, other: &Self) -> bool {
        let types = |prototype: &Self| -> Vec<String> {
            prototype.args.iter().map(|(c_type, _)| c_type.clone()).collect()
        };
        self.result == other.result && types(self) == types(other)
    }
}

impl<'a> Side<'a> {
    /// Adds what documents of one instruction set say. `outlines` has the entries' texts by id, if available; what an
    /// outline lacks is taken from its instruction.
    pub fn add(&mut self, isa: Isa, parsed: &'a Parsed, outlines: &'a BTreeMap<String, Outline>) {
        let mut instructions: BTreeMap<&str, &parsers::Instruction> = BTreeMap::new();
        for instruction in &parsed.instructions {
            instructions.entry(&instruction.id).or_insert(instruction);
        }
        for line in &parsed.ledger {
            let outline = outlines.get(&line.id);
            let instruction = instructions.get(line.id.as_str()).copied();
            let semantics = match (&line.status, instruction) {
                (Status::Modelled, Some(instruction)) => Ok(instruction.into()),
                (Status::Modelled, None) => Err("missing".to_owned()),
                (Status::Excluded { reason, .. } | Status::Failed { reason, .. }, _) => Err(reason.clone()),
            };
            let extensions = outline.map(|outline| &outline.extensions).filter(|own| !own.is_empty());
            let extensions = extensions.or_else(|| Some(&instruction?.extensions));
            let typed = outline.filter(|outline| !outline.result.is_empty() || !outline.args.is_empty());
            self.entries.push(Entry {
                isa,
                id: line.id.clone(),
                extensions: extensions.cloned().unwrap_or_default(),
                prototype: typed.map(Prototype::from).or_else(|| instruction.map(Prototype::from)),
                text: outline.map(|outline| (outline.form, outline.text.as_str())),
                semantics,
            });
        }
    }
}

impl From<&Outline> for Prototype {
    fn from(outline: &Outline) -> Self {
        Self { result: outline.result.clone(), args: outline.args.clone() }
    }
}

impl From<&parsers::Instruction> for Prototype {
    fn from(instruction: &parsers::Instruction) -> Self {
        let signature = &instruction.signature;
        let types: Vec<&str> = signature.results.iter().map(|result| result.c_type.as_str()).collect();
        let arg = |arg: &parsers::Argument| (arg.c_type.clone(), arg.name.clone());
        Self { result: types.join(", "), args: signature.args.iter().map(arg).collect() }
    }
}

impl<'a> Entry<'a> {
    /// The name without the suffix that distinguishes twins.
    pub fn name(&self) -> &str {
        self.id.split(['@', '#']).next().unwrap_or(&self.id)
    }

    /// The semantics to compare, where there is one.
    pub(crate) fn reading(&self) -> Option<Reading<'a>> {
        let semantics = self.semantics.as_ref().ok()?;
        Some(Reading { function: semantics.function, undefined: semantics.undefined })
    }

    /// The documented values of the immediates, by name.
    pub(crate) fn immediates(&self) -> Vec<(&'a str, i64, i64)> {
        let Ok(semantics) = &self.semantics else { return Vec::new() };
        let immediate = |arg: &'a hydride_ir::Arg| {
            let (low, high) = arg.role.range()?;
            Some((arg.name.as_str(), low, high))
        };
        semantics.function.args.iter().filter_map(immediate).collect()
    }
}
