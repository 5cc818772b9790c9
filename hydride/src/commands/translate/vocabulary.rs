//! What the names in a file stand for, and which instructions must be ported for them.

use std::collections::{BTreeMap, BTreeSet, HashMap};

use ::search::Syntax;
use anyhow::Result;
use globset::Glob;
use parsers::{Instruction, Parsed, Status};

use super::inline;
use super::rewrite::Piece;
use super::source::{Call, Names, Place, Source, Use};
use crate::commands::port::sources::{self, Choices};
use crate::commands::port::table::Row;
use crate::isa::InstructionSet;

/// Instructions that a name made by `##` may stand for.
const MAX_PASTED: usize = 64;

/// The intrinsics of an instruction set by name.
pub struct Vocabulary<'p> {
    set: &'static InstructionSet,
    modelled: BTreeMap<&'p str, &'p Instruction>,
    /// Why others are not modelled.
    others: HashMap<&'p str, String>,
}

/// What became of a use.
pub enum Outcome<'r, 'a> {
    /// It stays as it is, and why.
    Kept(String),
    /// The header's function, and the sequence that it costs.
    Header(&'r Row<'a>),
    /// An expression in the place of the call.
    Inline(&'r Row<'a>, &'r Call, Vec<Piece>),
}

/// A name that `##` makes.
pub struct Pasted<'p> {
    /// The file's number.
    pub file: usize,
    /// Where the macro's body is.
    pub place: Place,
    /// The name, with `*` for what is not known.
    pub glob: String,
    /// The instructions of such names, if they are few; else how many.
    pub instructions: Result<Vec<&'p Instruction>, usize>,
}

impl Names for Vocabulary<'_> {
    fn is_intrinsic(&self, name: &str) -> bool {
        self.modelled.contains_key(name) || self.others.contains_key(name)
    }
    fn is_header(&self, name: &str) -> bool {
        self.set.c_headers.contains(&name)
    }
    fn is_feature(&self, name: &str) -> bool {
        self.set.c_features.iter().any(|prefix| name.starts_with(prefix))
    }
}

impl<'p> Vocabulary<'p> {
    /// The headers and macros of an instruction set, without its instructions.
    pub fn of_headers(set: &'static InstructionSet) -> Self {
        Self { set, modelled: BTreeMap::new(), others: HashMap::new() }
    }

    /// The names that documents have.
    pub fn new(set: &'static InstructionSet, parsed: &'p Parsed) -> Self {
        let mut own = Self::of_headers(set);
        for instruction in &parsed.instructions {
            own.modelled.entry(&instruction.intrinsic).or_insert(instruction);
        }
        for entry in &parsed.ledger {
            let (Status::Excluded { reason, .. } | Status::Failed { reason, .. }) = &entry.status else {
                continue;
            };
            if !own.modelled.contains_key(entry.id.as_str()) {
                own.others.insert(&entry.id, format!("it is not modelled: {reason}"));
            }
        }
        own
    }

    /// The names that `##` makes in files.
    pub fn pasted(&self, files: &[Source]) -> Result<Vec<Pasted<'p>>> {
        let mut all = Vec::new();
        for (file, source) in files.iter().enumerate() {
            for (place, glob) in &source.pasted {
                let matcher = Glob::new(glob)?.compile_matcher();
                let matching: Vec<&Instruction> = self
                    .modelled
                    .iter()
                    .filter(|(name, _)| matcher.is_match(name))
                    .map(|(_, instruction)| *instruction)
                    .collect();
                // A glob with nothing but stars says nothing of intrinsics.
                if matching.is_empty() || glob.chars().all(|c| c == '*' || c == '_') {
                    continue;
                }
                let instructions = match matching.len() {
                    ..=MAX_PASTED => Ok(matching),
                    count => Err(count),
                };
                all.push(Pasted { file, place: *place, glob: glob.clone(), instructions });
            }
        }
        Ok(all)
    }

    /// The instructions to port, each with the immediates that all of its uses have, where these are known.
    pub fn asked(&self, files: &[Source], pasted: &[Pasted<'p>]) -> Vec<(&'p Instruction, Choices)> {
        let mut asked: BTreeMap<&'p str, (&'p Instruction, Choices)> = BTreeMap::new();
        let mut ask = |instruction: &'p Instruction, choices: Choices| {
            let all = asked.entry(&instruction.id).or_insert((instruction, Choices::Only(BTreeSet::new())));
            match (&mut all.1, choices) {
                (Choices::Only(known), Choices::Only(more)) => known.extend(more),
                (all, _) => *all = Choices::All,
            }
        };
        for source in files {
            for own in source.uses.iter().filter(|own| !source.own.contains(&own.name)) {
                let Some(instruction) = self.modelled.get(own.name.as_str()) else { continue };
                ask(
                    instruction,
                    match chosen(own, instruction) {
                        Some(choice) => Choices::Only(BTreeSet::from([choice])),
                        None => Choices::All,
                    },
                );
            }
        }
        pasted
            .iter()
            .flat_map(|own| own.instructions.iter().flatten())
            .for_each(|own| ask(own, Choices::All));
        asked.into_values().collect()
    }

    /// What becomes of a use; `by_id` has the rows of each instruction that was ported. With a syntax, that of the
    /// intrinsics, expressions are put in the place of calls.
    pub fn outcome<'r, 'a>(
        &self,
        own: &'r Use,
        source: &Source,
        by_id: &HashMap<&str, &'r [Row<'a>]>,
        inline: Option<&dyn Syntax>,
    ) -> Outcome<'r, 'a> {
        if source.own.contains(&own.name) {
            return Outcome::Kept("the file declares it itself".into());
        }
        let Some(instruction) = self.modelled.get(own.name.as_str()) else {
            return Outcome::Kept(self.others.get(own.name.as_str()).cloned().unwrap_or_default());
        };
        let choice = chosen(own, instruction);
        if let Some(outside) = choice.as_ref().and_then(|choice| sources::undocumented(instruction, choice)) {
            return Outcome::Kept(outside);
        }
        let rows = by_id.get(instruction.id.as_str()).copied().unwrap_or_default();
        let row = choice.as_ref().and_then(|choice| rows.iter().find(|row| row.source.choices == *choice));
        if let (Some(syntax), Some(row), Some(call)) = (inline, row, &own.call)
            && call.fixed.is_none()
            && let Some(pieces) = inline::pieces(row, syntax)
        {
            return Outcome::Inline(row, call, pieces);
        }
        self.in_header(rows, row)
    }

    /// The header has functions whose every row has a body.
    pub fn in_header<'r, 'a>(&self, rows: &'r [Row<'a>], row: Option<&'r Row<'a>>) -> Outcome<'r, 'a> {
        if let Some(missing) = rows.iter().find(|row| row.body().is_none()) {
            let choices: Vec<String> = missing.source.choices.iter().map(i64::to_string).collect();
            let of = if choices.is_empty() {
                String::new()
            } else {
                format!(" (immediate {})", choices.join(", "))
            };
            return Outcome::Kept(format!("{}{of}", missing.why()));
        }
        let dearest = || rows.iter().max_by_key(|row| row.program().map_or(0, |(_, cost, _)| cost.uops));
        match row.or_else(dearest) {
            Some(row) => Outcome::Header(row),
            None => Outcome::Kept("it has no documented immediates".into()),
        }
    }
}

/// The immediates of a call that are all literals.
fn chosen(own: &Use, instruction: &Instruction) -> Option<Vec<i64>> {
    let call = own.call.as_ref()?;
    let args = &instruction.signature.args;
    if call.literals.len() != args.len() {
        return None;
    }
    args.iter()
        .zip(&call.literals)
        .filter(|(arg, _)| arg.immediate().is_some())
        .map(|(_, value)| *value)
        .collect()
}
