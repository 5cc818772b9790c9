//! The operations document: bodies by key, and which of them belongs to an encoding.
//!
//! Entries name an operation, but some name another instruction's (a lane form that of the vector form)
//! and some one that says nothing. What an instruction's body must read is known from its decode: it
//! reads what depends on immediates (the lane's index), and no decode variable that its decode does not
//! set. An entry whose operation does not get the one that does so and leaves the least unread, of those
//! that entries with the same encoding name, then the one named most often. Where there is none the
//! document has no body.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use rustc_hash::FxHashMap;

use super::asl::ast::{Expr, ExprKind, Name, Place, Slice, Stmt, StmtKind};
use super::asl::{self};
use super::exec::{Fault, FileId, Location};
use super::json;
use super::position::Positions;
use crate::Diagnostic;
use crate::lines::Lines;
use crate::pseudocode::Reason;

/// The beginning of the placeholder for a missing operation.
const NOTHING: &[&str] = &["No operation information", "The description of"];

/// The operations' texts by key, each with its location in the document.
pub type Texts = BTreeMap<String, (String, usize)>;

/// The texts of the operations document; what is wrong with it as a whole is added to the diagnostics.
pub fn texts(document: &Positions<'_>, diagnostics: &mut Vec<Diagnostic>) -> Texts {
    if document.text.is_empty() {
        return Texts::default();
    }
    match json::operations(document.text) {
        Ok(bodies) => {
            let places = strings(document.text);
            let place = |key: &str| places.get(key).copied().unwrap_or(0);
            bodies.into_iter().map(|(key, body)| (key.clone(), (body, place(&key)))).collect()
        }
        Err((line, column, message)) => {
            diagnostics
                .push(document.diagnostic(document.offset_of(line as usize, column as usize), message));
            Texts::default()
        }
    }
}

/// Where each string of a JSON text first begins, by the text between its quotes.
fn strings(text: &str) -> FxHashMap<&str, usize> {
    let bytes = text.as_bytes();
    let mut places = FxHashMap::default();
    let mut at = 0;
    while at < bytes.len() {
        let open = at;
        at += 1;
        if bytes[open] != b'"' {
            continue;
        }
        while bytes.get(at).is_some_and(|byte| *byte != b'"') {
            at += if bytes[at] == b'\\' { 2 } else { 1 };
        }
        if let Some(string) = text.get(open + 1..at) {
            places.entry(string).or_insert(open);
        }
        at += 1;
    }
    places
}

/// An operation that can be run.
#[derive(Clone, Debug)]
pub struct Operation {
    /// Its statements.
    pub body: Arc<Vec<Stmt>>,
    /// Names that it reads and does not declare.
    reads: BTreeSet<Name>,
}

/// The operations of a document.
#[derive(Debug, Default)]
pub struct Operations {
    by_key: BTreeMap<String, Option<Result<Operation, Fault>>>,
    /// How much of its decode the operation of each encoding leaves unread, and its key; `None` if entries
    /// only name those of other instructions.
    of_encoding: BTreeMap<String, Option<(usize, String)>>,
    decodes: BTreeMap<String, Decodes>,
    /// All names that a decode sets.
    known: BTreeSet<Name>,
}

/// What the decode of an encoding sets.
#[derive(Clone, Debug, Default)]
pub struct Decodes {
    /// All names.
    pub all: BTreeSet<Name>,
    /// Those whose values depend on immediates.
    pub varying: BTreeSet<Name>,
}

impl Operations {
    /// The operations of texts by key.
    pub fn new(texts: &Texts) -> Self {
        let mut operations = Self::default();
        for (key, (body, offset)) in texts {
            operations.add(key.clone(), body, *offset);
        }
        operations
    }

    fn add(&mut self, key: String, body: &str, offset: usize) {
        let says_nothing = NOTHING.iter().any(|beginning| body.trim().starts_with(beginning));
        let operation = (!says_nothing).then(|| {
            let parsed = asl::body(body, 0..body.len()).map(Arc::new);
            parsed.map(|body| Operation { reads: reads(&body), body }).map_err(|error| {
                let (line, column) = Lines::new(body.as_bytes()).place(body.as_bytes(), error.offset);
                let message = format!(
                    "{} (operation `{key}`, line {line}, column {column} of its text)",
                    error.message
                );
                Fault::failed(Reason::Syntax, Location { file: FileId::Operations, offset }, message)
            })
        });
        self.by_key.insert(key, operation);
    }

    /// Whether the document has a key.
    pub fn defines(&self, key: &str) -> bool {
        self.by_key.contains_key(key)
    }

    /// Whether there is a body for a key or an encoding.
    pub fn serves(&self, encoding: Option<&str>, key: &str) -> bool {
        matches!(self.body(encoding, key), Some(Ok(_)))
    }

    /// The body for `key`, if it can be the encoding's, else that of the encoding's operation; `None` if the
    /// document has none.
    pub fn body(&self, encoding: Option<&str>, key: &str) -> Option<&Result<Operation, Fault>> {
        let own = self.by_key.get(key).and_then(Option::as_ref);
        let Some(encoding) = encoding.filter(|encoding| self.decodes.contains_key(*encoding)) else {
            return own;
        };
        let unread = self.unread(encoding, key);
        match self.of_encoding.get(encoding) {
            Some(Some((least, other))) if unread.is_none_or(|unread| unread > *least) => {
                self.by_key.get(other)?.as_ref()
            }
            _ => own.filter(|_| unread.is_some()),
        }
    }

    /// How much of what an encoding's decode sets an operation leaves unread, if it can be the encoding's.
    fn unread(&self, encoding: &str, key: &str) -> Option<usize> {
        let decodes = self.decodes.get(encoding)?;
        let reads = match self.by_key.get(key)?.as_ref()? {
            Ok(operation) => &operation.reads,
            // An unreadable one is reported if it is the only one.
            Err(_) => return Some(usize::MAX),
        };
        let foreign = reads.iter().any(|name| self.known.contains(name) && !decodes.all.contains(name));
        let fits = !foreign && decodes.varying.is_subset(reads);
        fits.then(|| decodes.all.difference(reads).count())
    }

    /// Chooses the operation of each encoding by what entries name: `named` has encoding and key of
    /// every entry with one instruction, `decoded` what an encoding's decode sets.
    pub fn assign<'a>(
        &mut self,
        named: impl Iterator<Item = (&'a str, &'a str)>,
        decoded: BTreeMap<&'a str, Decodes>,
    ) {
        self.known = decoded.values().flat_map(|decodes| decodes.all.iter().cloned()).collect();
        self.decodes =
            decoded.into_iter().map(|(encoding, decodes)| (encoding.to_owned(), decodes)).collect();
        let mut votes: BTreeMap<&str, BTreeMap<&str, usize>> = BTreeMap::new();
        for (encoding, key) in named {
            if self.defines(key) && self.decodes.contains_key(encoding) {
                *votes.entry(encoding).or_default().entry(key).or_default() += 1;
            }
        }
        for (encoding, keys) in votes {
            let best = keys
                .into_iter()
                .filter_map(|(key, votes)| Some((self.unread(encoding, key)?, std::cmp::Reverse(votes), key)))
                .min()
                .map(|(unread, _, key)| (unread, key.to_owned()));
            self.of_encoding.insert(encoding.to_owned(), best);
        }
    }
}

/// The names that statements read and nothing in them declares.
pub fn reads(body: &[Stmt]) -> BTreeSet<Name> {
    let mut names = Names::default();
    names.block(body);
    names.read.difference(&names.declared).cloned().collect()
}

#[derive(Default)]
struct Names {
    read: BTreeSet<Name>,
    declared: BTreeSet<Name>,
}

impl Names {
    fn block(&mut self, stmts: &[Stmt]) {
        stmts.iter().for_each(|stmt| self.stmt(stmt));
    }

    fn stmt(&mut self, stmt: &Stmt) {
        match &stmt.kind {
            StmtKind::Declare(typ, names, value) => {
                if let asl::ast::Type::Bits(width) = typ {
                    self.expr(width);
                }
                self.declared.extend(names.iter().cloned());
                value.iter().for_each(|value| self.expr(value));
            }
            StmtKind::Assign(place, value) => {
                self.place(place);
                self.expr(value);
            }
            StmtKind::Call(_, args) => self.exprs(args),
            StmtKind::If(parts, rest) => {
                for (condition, stmts) in parts {
                    self.expr(condition);
                    self.block(stmts);
                }
                self.block(rest);
            }
            StmtKind::Case(value, parts, rest) => {
                self.expr(value);
                parts.iter().for_each(|(_, stmts)| self.block(stmts));
                rest.iter().for_each(|stmts| self.block(stmts));
            }
            StmtKind::For { variable, from, to, body, .. } => {
                self.declared.insert(variable.clone());
                self.expr(from);
                self.expr(to);
                self.block(body);
            }
            StmtKind::While(condition, body) | StmtKind::Repeat(body, condition) => {
                self.expr(condition);
                self.block(body);
            }
            StmtKind::Return(value) => value.iter().for_each(|value| self.expr(value)),
            StmtKind::Assert(value) => self.expr(value),
            StmtKind::Undefined | StmtKind::See | StmtKind::Unpredictable => {}
        }
    }

    fn place(&mut self, place: &Place) {
        match place {
            Place::Ignore => {}
            Place::Tuple(places) | Place::Concat(places) => places.iter().for_each(|place| self.place(place)),
            // What an assignment makes without a declaration is local as well.
            Place::Expr(Expr { kind: ExprKind::Name(name), .. }) => {
                self.declared.insert(name.clone());
            }
            Place::Expr(expr) => self.expr(expr),
        }
    }

    fn exprs(&mut self, exprs: &[Expr]) {
        exprs.iter().for_each(|expr| self.expr(expr));
    }

    fn expr(&mut self, expr: &Expr) {
        match &expr.kind {
            ExprKind::Name(name) => {
                self.read.insert(name.clone());
            }
            ExprKind::Call(_, args) | ExprKind::Tuple(args) | ExprKind::Set(args) => self.exprs(args),
            ExprKind::Bracket(base, slices) => {
                self.expr(base);
                for slice in slices {
                    match slice {
                        Slice::Single(one) => self.expr(one),
                        Slice::Range(one, other) | Slice::Offset(one, other) => {
                            self.expr(one);
                            self.expr(other);
                        }
                    }
                }
            }
            ExprKind::Field(base, _) | ExprKind::Unary(_, base) => self.expr(base),
            ExprKind::Binary(_, left, right) => {
                self.expr(left);
                self.expr(right);
            }
            ExprKind::If(parts, rest) => {
                for (condition, value) in parts {
                    self.expr(condition);
                    self.expr(value);
                }
                self.expr(rest);
            }
            _ => {}
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_encoding_gets_the_operation_that_reads_its_decode() {
        let text = r#"{
            "vector": "V[d] = V[n] + V[m];",
            "lane": "V[d] = V[n] + Elem[V[m], index, esize];",
            "none": "No operation information."
        }"#;
        let mut operations = Operations::new(&texts(&Positions::of("o", text), &mut Vec::new()));
        let decodes = |all: &[&str], varying: &[&str]| {
            let names = |all: &[&str]| all.iter().map(|name| Name::from(*name)).collect();
            Decodes { all: names(all), varying: names(varying) }
        };
        let decoded = BTreeMap::from([
            ("by_vector", decodes(&["d", "n", "m"], &[])),
            ("by_lane", decodes(&["d", "n", "m", "index", "esize"], &["index"])),
            ("by_none", decodes(&["d", "n", "m", "index", "esize"], &["index"])),
        ]);
        let named = [
            ("by_lane", "vector"),
            ("by_lane", "vector"),
            ("by_lane", "lane"),
            ("by_vector", "lane"),
            ("by_vector", "none"),
            ("by_vector", "vector"),
            ("by_none", "vector"),
        ];
        operations.assign(named.into_iter(), decoded);
        assert_eq!(operations.of_encoding["by_lane"], Some((0, "lane".to_owned())));
        assert_eq!(operations.of_encoding["by_vector"], Some((0, "vector".to_owned())));
        assert!(operations.serves(Some("by_vector"), "none"));
        assert!(operations.defines("none") && !operations.serves(None, "none"));
        // A body that does not read the lane does not belong to a lane form.
        assert!(!operations.serves(Some("by_none"), "vector"));
    }

    #[test]
    fn names_that_a_body_declares_are_not_read() {
        let text =
            "bits(datasize) sum;\nfor e = 0 to elements-1\n    total = e;\n    sum = total;\nV[d] = sum;";
        let body = asl::body(text, 0..text.len()).unwrap();
        let names: Vec<String> = reads(&body).iter().map(|name| name.to_string()).collect();
        assert_eq!(names, ["V", "d", "datasize", "elements"]);
    }

    #[test]
    fn strings_are_found_where_they_begin() {
        let text = r#"{"a": "\"b\" é", "b": "a", "c\\": "x"}"#;
        let places = strings(text);
        assert_eq!((places["a"], places["b"]), (1, text.find(r#""b":"#).unwrap()));
        assert_eq!(places[r"c\\"], text.find(r#""c"#).unwrap());
        assert!(strings("\"open\\").is_empty());
    }
}
