//! Errata: corrections of a document's errors, as data that is applied while the document is read.
//!
//! An erratum names entries and the versions of the document that it is about, says what it changes, and gives the
//! evidence. It never contains the document's text: what it replaces is identified by its location and a digest. An
//! erratum that does not find what it replaces in its entry is an error, so that corrected documents are detected.
//!
//! ```toml
//! [[erratum]]
//! entry = "_mm_example"                        # an id of the ledger, or a list of them
//! versions = { from = "3.5.3" }                # or to = …, or a list of versions; all without it
//! etype = [{ of = "a", was = "SI64", now = "SI8" }]
//! evidence = { cpu = "…", inputs = 1000 }      # a CPU run, undefined = "what the text leaves open", document = "where
//!                                              # it contradicts itself", or several of these
//! note = "why"
//! ```
//!
//! Besides `etype` (`of = "return"` is the result): `field = [{ of = "operands", was = "…", now = "…" }]` replaces a
//! field of an entry that its front end supports, and `fragment`, of the same shape, a part of a field (HVX's manual);
//! `exchange = ["a", "b"]` swaps two parameters; `lines = [{ first = 3, last = 9, was = "digest", now = "…" }]`
//! replaces lines of the operation, counted from 1 in the document's text whatever other errata do (`last` may be left
//! out); `operation = { was = "digest", now = "…" }` replaces all of it; `undefined = { of = "a", value = 0 }` says
//! that the result is undefined where an argument has that value. A digest is of the trimmed lines that are not empty,
//! joined by line feeds, and may be cut to any length from [`SHORTEST_DIGEST`] digits.
//!
//! ```
//! let text = "[[erratum]]\nentry = \"x\"\nversions = [\"1\"]\nexchange = [\"a\", \"b\"]\n\
//!             evidence = { cpu = \"one\", inputs = 10 }\nnote = \"exchanged\"\n";
//! let errata = parsers::errata::Errata::parse("own.toml", text, |bytes| format!("{:016x}", bytes.len()))?;
//! assert!(errata.errata[0].versions.contain("1"));
//! # Ok::<(), parsers::errata::ErrataError>(())
//! ```

use std::ops::Range;

use serde::{Deserialize, Serialize};
use toml::Spanned;

use crate::ledger::{Diagnostic, Severity, Span};
use crate::lines::Lines;

/// Digits that a digest has at least.
pub const SHORTEST_DIGEST: usize = 16;

/// A cryptographic digest of bytes in hexadecimal. It is the caller's, as files are.
pub type Digest = fn(&[u8]) -> String;

/// The errata of one instruction set.
#[derive(Clone, Debug)]
pub struct Errata {
    /// The file's name as the user gave it.
    pub file: String,
    /// The instruction set that the file says it is about (`isa = "arm"`), if it says so.
    pub isa: Option<String>,
    /// The errata in the file's order.
    pub errata: Vec<Erratum>,
    digest: Digest,
}

/// One erratum.
#[derive(Clone, Debug)]
pub struct Erratum {
    /// Ids of the entries that it is about.
    pub entries: Vec<String>,
    /// The versions of the document that it is about.
    pub versions: Versions,
    /// What it changes; at least one thing.
    pub changes: Vec<Change>,
    /// Why it is right.
    pub evidence: Evidence,
    /// What is wrong, in our words.
    pub note: String,
    /// Its location in the file.
    pub span: Span,
}

/// Versions of a document.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
#[serde(untagged)]
pub enum Versions {
    /// These.
    List(Vec<String>),
    /// Those in a range. Versions that are not dotted numbers are in no range.
    Range(VersionRange),
}

/// An inclusive range of versions; either end may be open.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct VersionRange {
    /// The first.
    pub from: Option<String>,
    /// The last.
    pub to: Option<String>,
}

/// What an erratum changes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Change {
    /// The element type of a parameter.
    Element {
        /// The parameter's name; `return` for the result.
        of: String,
        /// The document's.
        was: String,
        /// What replaces it.
        now: String,
    },
    /// A field of an entry, for front ends whose entries have fields besides parameters.
    Field {
        /// The field's name.
        of: String,
        /// What the document has.
        was: String,
        /// What replaces it.
        now: String,
    },
    /// A fragment of a field, at any position.
    Fragment {
        /// The field's name.
        of: String,
        /// What the document has.
        was: String,
        /// What replaces it.
        now: String,
    },
    /// The result is undefined for a value of a parameter, and is not to be compared there.
    Undefined {
        /// The parameter's name.
        of: String,
        /// The value.
        value: u64,
    },
    /// Two parameters change places.
    Exchange {
        /// The name of the one.
        first: String,
        /// The name of the other.
        second: String,
    },
    /// Lines of the operation, or all of it.
    Lines {
        /// The first and the last line, from 1; nothing for all lines.
        lines: Option<(usize, usize)>,
        /// The digest of the document's lines.
        was: String,
        /// What replaces them; written by us.
        now: String,
    },
}

/// Why an erratum is right: a run on hardware, what the text leaves undefined, what the document says elsewhere; one or
/// more of these.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Evidence {
    /// The model of the CPU that was asked.
    pub cpu: Option<String>,
    /// Inputs for which it agrees with the replacement.
    pub inputs: Option<usize>,
    /// Inputs, of as many, for which it contradicts the document.
    pub contradicts: Option<usize>,
    /// What the text leaves open.
    pub undefined: Option<String>,
    /// What else in the document contradicts it, if no machine is available.
    pub document: Option<String>,
}

/// What became of an erratum for one of its entries.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Application {
    /// The erratum's position in [`Errata::errata`].
    pub erratum: usize,
    /// The entry's id.
    pub entry: String,
    /// What became of it.
    pub state: State,
}

impl Erratum {
    /// Makes all changes on an entry, or none.
    pub(crate) fn correct<E: Clone>(
        &self,
        entry: &mut E,
        make: impl Fn(&mut E, &Change) -> Result<(), String>,
    ) -> State {
        let mut changed = entry.clone();
        match self.changes.iter().try_for_each(|change| make(&mut changed, change)) {
            Ok(()) => {
                *entry = changed;
                State::Applied
            }
            Err(reason) => State::Stale(reason),
        }
    }
}

/// Whether an erratum applies to an entry.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum State {
    /// It was applied.
    Applied,
    /// It is about other versions of the document.
    OtherVersion,
    /// The document has no such entry.
    NoEntry,
    /// The entry is read from another document.
    Unread,
    /// It should apply and does not, for that reason.
    Stale(String),
}

/// Why a file of errata cannot be read.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{}:{}:{}: {message}", span.file, span.line, span.column)]
pub struct ErrataError {
    /// Where.
    pub span: Span,
    /// What is wrong.
    pub message: String,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct File {
    isa: Option<String>,
    #[serde(default)]
    erratum: Vec<Spanned<Table>>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Table {
    entry: OneOrMore,
    #[serde(default)]
    versions: Versions,
    #[serde(default)]
    etype: Vec<ElementTable>,
    #[serde(default)]
    field: Vec<ElementTable>,
    #[serde(default)]
    fragment: Vec<ElementTable>,
    exchange: Option<[String; 2]>,
    #[serde(default)]
    lines: Vec<LinesTable>,
    operation: Option<OperationTable>,
    undefined: Option<UndefinedTable>,
    evidence: Evidence,
    note: String,
}

#[derive(Deserialize)]
#[serde(untagged)]
enum OneOrMore {
    One(String),
    More(Vec<String>),
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct ElementTable {
    of: String,
    was: String,
    now: String,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct LinesTable {
    first: usize,
    last: Option<usize>,
    was: String,
    now: String,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct UndefinedTable {
    of: String,
    value: u64,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct OperationTable {
    was: String,
    now: String,
}

impl Errata {
    /// Reads a file of errata.
    pub fn parse(file: &str, text: &str, digest: Digest) -> Result<Self, ErrataError> {
        let lines = Lines::new(text.as_bytes());
        let span_of = |range: Range<usize>| {
            let (line, column) = lines.place(text.as_bytes(), range.start);
            let length = range.end.saturating_sub(range.start).max(1);
            Span { file: file.to_owned(), offset: range.start, length, line, column }
        };
        let fault = |range: Range<usize>, message: String| ErrataError {
            span: span_of(range),
            message: message.trim().to_owned(),
        };
        let read: File = toml::from_str(text)
            .map_err(|error| fault(error.span().unwrap_or(0..0), error.message().to_owned()))?;
        let mut errata = Vec::with_capacity(read.erratum.len());
        for table in read.erratum {
            let range = table.span();
            let erratum = table.into_inner().check(span_of(range.clone()));
            errata.push(erratum.map_err(|message| fault(range, message))?);
        }
        Ok(Self { file: file.to_owned(), isa: read.isa, errata, digest })
    }

    /// Applies each erratum to each of its entries, unless it is about other versions than that of the document. The
    /// outcomes are in the errata's order.
    pub(crate) fn apply(
        &self,
        version: &str,
        mut to: impl FnMut(&Erratum, &str) -> State,
    ) -> Vec<Application> {
        let mut applications = Vec::new();
        for (number, erratum) in self.errata.iter().enumerate() {
            for id in &erratum.entries {
                let applies = erratum.versions.contain(version);
                let state = if applies { to(erratum, id) } else { State::OtherVersion };
                applications.push(Application { erratum: number, entry: id.clone(), state });
            }
        }
        applications
    }

    /// The digest of lines as an erratum gives it.
    pub fn digest(&self, text: &str) -> String {
        let lines: Vec<&str> = text.lines().map(str::trim).filter(|line| !line.is_empty()).collect();
        (self.digest)(lines.join("\n").as_bytes())
    }

    /// The diagnostic of an application: an error where the erratum should apply and does not. It points to the
    /// erratum.
    pub fn diagnostic(&self, application: &Application) -> Option<Diagnostic> {
        let State::Stale(reason) = &application.state else { return None };
        let span =
            self.errata.get(application.erratum).map(|erratum| erratum.span.clone()).unwrap_or_default();
        Some(Diagnostic {
            severity: Severity::Error,
            entry: Some(application.entry.clone()),
            span,
            message: format!("an erratum no longer applies: {reason}"),
        })
    }

    /// Where in an operation's text lines are to be replaced, and that they are those that the erratum means.
    pub(crate) fn find_lines(
        &self,
        text: &str,
        lines: Option<(usize, usize)>,
        was: &str,
    ) -> Result<Range<usize>, String> {
        let Some((first, last)) = lines else {
            return match self.mismatch(text, was) {
                None => Ok(0..text.len()),
                Some(mismatch) => Err(format!("the operation {mismatch}")),
            };
        };
        let mut range: Option<Range<usize>> = None;
        let mut end = 0;
        for (number, line) in (1..).zip(text.split_inclusive('\n')) {
            let start = end;
            end += line.len();
            if (first..=last).contains(&number) {
                let content = start + line.trim_end_matches(['\n', '\r']).len();
                range = Some(range.map_or(start, |range| range.start)..content);
            }
            if number == last
                && let Some(range) = &range
            {
                return match self.mismatch(&text[range.clone()], was) {
                    None => Ok(range.clone()),
                    Some(mismatch) => Err(format!("{} {mismatch}", shown(first, last))),
                };
            }
        }
        Err(format!("the operation ends before {}", shown(first, last)))
    }

    fn mismatch(&self, text: &str, was: &str) -> Option<String> {
        let digest = self.digest(text);
        let shown: String = digest.chars().take(SHORTEST_DIGEST).collect();
        (!digest.starts_with(was)).then(|| format!("with the digest {shown}, not {was}"))
    }
}

fn shown(first: usize, last: usize) -> String {
    if first == last { format!("line {first}") } else { format!("lines {first} to {last}") }
}

impl Table {
    fn check(self, span: Span) -> Result<Erratum, String> {
        let entries = match self.entry {
            OneOrMore::One(entry) => vec![entry],
            OneOrMore::More(entries) => entries,
        };
        if entries.is_empty() {
            return Err("the erratum names no entry".to_owned());
        }
        let mut changes: Vec<Change> = Vec::new();
        for ElementTable { of, was, now } in self.etype {
            changes.push(Change::Element { of, was, now });
        }
        for ElementTable { of, was, now } in self.field {
            changes.push(Change::Field { of, was, now });
        }
        for ElementTable { of, was, now } in self.fragment {
            changes.push(Change::Fragment { of, was, now });
        }
        if let Some([first, second]) = self.exchange {
            changes.push(Change::Exchange { first, second });
        }
        for LinesTable { first, last, was, now } in self.lines {
            let last = last.unwrap_or(first);
            if first == 0 || last < first {
                return Err(format!("there are no {}", shown(first, last)));
            }
            changes.push(Change::Lines { lines: Some((first, last)), was, now });
        }
        if let Some(OperationTable { was, now }) = self.operation {
            changes.push(Change::Lines { lines: None, was, now });
        }
        if let Some(UndefinedTable { of, value }) = self.undefined {
            changes.push(Change::Undefined { of, value });
        }
        if changes.is_empty() {
            return Err("the erratum changes nothing".to_owned());
        }
        for change in &changes {
            if let Change::Fragment { of, was, .. } = change
                && was.is_empty()
            {
                return Err(format!("the fragment of `{of}` is empty"));
            }
            if let Change::Lines { was, .. } = change
                && (was.len() < SHORTEST_DIGEST
                    || !was.bytes().all(|byte| matches!(byte, b'0'..=b'9' | b'a'..=b'f')))
            {
                return Err(format!(
                    "`{was}` is no digest: at least {SHORTEST_DIGEST} digits, in lower case"
                ));
            }
        }
        let evidence = self.evidence;
        if evidence.cpu.is_none() && evidence.undefined.is_none() && evidence.document.is_none() {
            return Err(
                "the evidence names neither a CPU, nor what the text leaves undefined, nor what contradicts it"
                    .to_owned(),
            );
        }
        if evidence.cpu.is_some() && evidence.inputs.unwrap_or(0) == 0 {
            return Err("the evidence does not say how many inputs were run".to_owned());
        }
        if self.note.trim().is_empty() {
            return Err("the note is empty".to_owned());
        }
        Ok(Erratum { entries, versions: self.versions, changes, evidence, note: self.note, span })
    }
}

impl Default for Versions {
    fn default() -> Self {
        Self::Range(VersionRange { from: None, to: None })
    }
}

impl Versions {
    /// Whether a version is one of them.
    pub fn contain(&self, version: &str) -> bool {
        match self {
            Self::Range(VersionRange { from: None, to: None }) => true,
            Self::List(versions) => versions.iter().any(|known| known == version),
            Self::Range(VersionRange { from, to }) => {
                let Some(version) = numbers(version) else { return false };
                let within = |bound: &Option<String>, holds: fn(&[u64], &[u64]) -> bool| match bound {
                    Some(bound) => numbers(bound).is_some_and(|bound| holds(&version, &bound)),
                    None => true,
                };
                within(from, |version, from| version >= from) && within(to, |version, to| version <= to)
            }
        }
    }
}

impl std::fmt::Display for Versions {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::List(versions) => f.write_str(&versions.join(", ")),
            Self::Range(range) => match (&range.from, &range.to) {
                (Some(from), Some(to)) => write!(f, "{from} to {to}"),
                (Some(from), None) => write!(f, "from {from}"),
                (None, Some(to)) => write!(f, "up to {to}"),
                (None, None) => f.write_str("all"),
            },
        }
    }
}

impl std::fmt::Display for Evidence {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let undefined =
            self.undefined.as_ref().map(|undefined| format!("the text leaves undefined {undefined}"));
        let document =
            self.document.as_ref().map(|document| format!("the document contradicts itself: {document}"));
        let cpu = self.cpu.as_ref().map(|cpu| {
            let against = self.contradicts.map(|inputs| format!(", {inputs} against the document"));
            format!("{cpu}, {} inputs{}", self.inputs.unwrap_or(0), against.unwrap_or_default())
        });
        let parts: Vec<String> = undefined.into_iter().chain(document).chain(cpu).collect();
        f.write_str(&parts.join("; "))
    }
}

/// The numbers of a dotted version.
fn numbers(version: &str) -> Option<Vec<u64>> {
    version.split('.').map(|number| number.parse().ok()).collect()
}
