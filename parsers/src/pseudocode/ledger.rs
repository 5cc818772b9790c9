//! From entries to the ledger: one rule for ids, and one way for what became of an entry into [`Parsed`].

use rustc_hash::FxHashMap;

use super::Fault;
use crate::Parsed;
use crate::ledger::{Diagnostic, LedgerEntry, Severity, Span, Status};
use crate::signature::Instruction;

/// The ids given so far.
///
/// The first entry of a name has the name as its id. A later one is `NAME@QUALIFIER` where the document tells the
/// entries of one name apart, and otherwise `NAME@2`, `NAME@3`, …; entries with the same qualifier are
/// `NAME@QUALIFIER#2` and so on.
///
/// ```
/// let mut ids = parsers::pseudocode::Ids::default();
/// assert_eq!(ids.unique("add", None), "add");
/// assert_eq!(ids.unique("add", None), "add@2");
/// assert_eq!(ids.unique("add", Some("AVX")), "add@AVX");
/// assert_eq!(ids.unique("add", Some("AVX")), "add@AVX#2");
/// ```
#[derive(Debug, Default)]
pub struct Ids {
    /// Each id with the greatest number appended to it.
    given: FxHashMap<String, usize>,
}

impl Ids {
    /// The id of the next entry of a name.
    pub fn unique(&mut self, name: &str, qualifier: Option<&str>) -> String {
        if self.add(name) {
            return name.to_owned();
        }
        let Some(qualifier) = qualifier else { return self.numbered(name, '@') };
        let qualified = format!("{name}@{qualifier}");
        if self.add(&qualified) {
            return qualified;
        }
        self.numbered(&qualified, '#')
    }

    /// Whether an entry has this id.
    pub fn contains(&self, id: &str) -> bool {
        self.given.contains_key(id)
    }

    /// Takes over the ids of other entries.
    pub fn extend(&mut self, other: Self) {
        self.given.extend(other.given);
    }

    /// Gives an id, unless an entry has it.
    fn add(&mut self, id: &str) -> bool {
        let new = !self.contains(id);
        if new {
            self.given.insert(id.to_owned(), 1);
        }
        new
    }

    /// The next id that consists of a given one, a separator and a number.
    fn numbered(&mut self, id: &str, separator: char) -> String {
        loop {
            let count = self.given.entry(id.to_owned()).or_insert(0);
            *count += 1;
            let numbered = format!("{id}{separator}{count}");
            if self.add(&numbered) {
                return numbered;
            }
        }
    }
}

/// What became of an entry.
#[derive(Debug)]
pub struct Outcome {
    /// The entry's id.
    pub id: String,
    /// Its instruction, or why there is none.
    pub result: Result<Instruction, Fault<Span>>,
}

impl Outcome {
    /// The place of the entry, or of what went wrong in it.
    pub fn span(&self) -> &Span {
        match &self.result {
            Ok(instruction) => &instruction.span,
            Err(fault) => &fault.at,
        }
    }
}

impl Parsed {
    /// Adds the next entry: its ledger line, and its instruction under the entry's id or a diagnostic of its failure.
    pub fn push(&mut self, outcome: Outcome) {
        let span = outcome.span().clone();
        let Outcome { id, result } = outcome;
        let status = match result {
            Ok(mut instruction) => {
                instruction.function.name.clone_from(&id);
                instruction.id.clone_from(&id);
                self.instructions.push(instruction);
                Status::Modelled
            }
            Err(fault) => fault.into_status(),
        };
        if let Status::Failed { reason, message } = &status {
            self.diagnostics.push(Diagnostic {
                severity: Severity::Error,
                entry: Some(id.clone()),
                span: span.clone(),
                message: format!("{reason}: {message}"),
            });
        }
        self.ledger.push(LedgerEntry { id, span, status });
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::pseudocode::Reason;

    #[test]
    fn ids_are_unique_whatever_the_names_are() {
        let mut ids = Ids::default();
        let names = ["a", "a@2", "a", "a", "a@2", "a@X", "a", "a#2", "a@X#2", "a"];
        let qualifiers =
            [None, None, None, Some("X"), Some("X"), Some("X"), Some("X"), None, None, Some("X")];
        let given: Vec<String> =
            names.iter().zip(qualifiers).map(|(name, qualifier)| ids.unique(name, qualifier)).collect();
        let distinct: std::collections::BTreeSet<&String> = given.iter().collect();
        assert_eq!(distinct.len(), given.len(), "{given:?}");
        assert_eq!(given[..4], ["a", "a@2", "a@3", "a@X"]);
        assert!(given.iter().all(|id| ids.contains(id)));
    }

    #[test]
    fn a_failed_entry_has_a_ledger_line_and_a_diagnostic() {
        let mut parsed = Parsed::default();
        let at = Span { offset: 4, ..Span::default() };
        let failed = Fault::failed(Reason::Syntax, at.clone(), "unexpected `;`");
        parsed.push(Outcome { id: "one".to_owned(), result: Err(failed) });
        let excluded = Fault::excluded(Reason::Memory, Span::default(), "");
        parsed.push(Outcome { id: "two".to_owned(), result: Err(excluded) });
        assert_eq!(parsed.ledger.len(), 2);
        let [diagnostic] = &parsed.diagnostics[..] else { panic!("{:?}", parsed.diagnostics) };
        assert_eq!((diagnostic.message.as_str(), &diagnostic.span), ("syntax: unexpected `;`", &at));
        assert_eq!(parsed.ledger[1].status, Status::Excluded { reason: "memory".to_owned(), message: None });
    }
}
