//! The semantics file and its macros: from C macro uses to one record for each instruction.

use std::rc::Rc;
use std::sync::LazyLock;

use super::lex::{Kind, Token, closing, split_arguments, tokens};
use super::preprocess::{Macro, Macros};
use super::source::{Fault, Text};
use crate::pseudocode::Reason;
use crate::{Diagnostic, Severity};

/// The facts about macros that no document has. The table is part of the program; a test reads it.
static FACTS: LazyLock<Facts> = LazyLock::new(|| toml::from_str(FACTS_TEXT).unwrap_or_default());
const FACTS_TEXT: &str = include_str!("../../../specs/hvx/macros.toml");

/// Names under which a record is written.
const RECORDS: [&str; 2] = ["EXTINSN", "Q6INSN"];

/// An instruction of the semantics file, preprocessed.
#[derive(Clone, Debug)]
pub(super) struct Record {
    pub id: String,
    pub syntax: String,
    pub attributes: Vec<Rc<str>>,
    pub body: Vec<Token>,
    /// Byte offset of the record.
    pub at: usize,
}

/// A record that could not be read: the instruction's name, when it is known, and why.
pub(super) type Broken = (Option<String>, Fault);

#[derive(Default, serde::Deserialize)]
struct Facts {
    parameters: std::collections::BTreeMap<String, Vec<String>>,
    text: std::collections::BTreeMap<String, TextMacro>,
    instead: std::collections::BTreeMap<String, TextMacro>,
}

#[derive(serde::Deserialize)]
struct TextMacro {
    parameters: Vec<String>,
    body: String,
}

/// The macros that are in force before the semantics file starts: the text macros of the facts table
/// and the definitions of the macro file, except where the table has another text.
pub(super) fn macros(text: Option<&Text<'_>>, diagnostics: &mut Vec<Diagnostic>) -> Macros {
    let mut macros = Macros::default();
    let names = |names: &[String]| names.iter().map(|name| Rc::from(name.as_str())).collect();
    let fact = |definition: &TextMacro| Macro {
        params: Some(names(&definition.parameters)),
        body: tokens(&definition.body),
    };
    for (name, definition) in FACTS.text.iter().chain(&FACTS.instead) {
        macros.define(name, fact(definition));
    }
    let Some(text) = text else { return macros };
    let source = tokens(text.as_str());
    let mut at = 0;
    while let Some(token) = source.get(at) {
        let place = token.origin as usize;
        if token.is("#") && token.starts_line {
            let end = line_end(&source, at);
            // The word is on the line of its `#`: the next line is not part of the directive.
            if let Some((word, rest)) = source[at + 1..end].split_first()
                && word.is("define")
                && let Err(fault) = macros.define_directive(rest)
            {
                text.report(diagnostics, Severity::Error, None, fault.at, fault.message);
            }
            at = end;
            continue;
        }
        if !token.is("DEF_MACRO") || !source.get(at + 1).is_some_and(|next| next.is("(")) {
            at += 1;
            continue;
        }
        let open = at + 1;
        let Some(end) = closing(&source, open) else {
            text.report(
                diagnostics,
                Severity::Error,
                None,
                place,
                "the macro definition does not end".into(),
            );
            at += 1;
            continue;
        };
        // Name, body, attributes; the body may contain commas.
        let arguments = split_arguments(&source[open + 1..end]);
        let name = arguments[0].first().filter(|name| name.is_name());
        at = end + 1;
        let (Some(name), true) = (name, arguments.len() >= 3) else {
            let message = "a macro definition needs a name, a body and attributes";
            text.report(diagnostics, Severity::Error, None, place, message.into());
            continue;
        };
        let from = open + 1 + arguments[0].len() + 1;
        let to = end - (arguments[arguments.len() - 1].len() + 1);
        if FACTS.instead.contains_key(&*name.text) {
            continue;
        }
        let Some(params) = FACTS.parameters.get(&*name.text) else {
            let message = format!("the parameters of {} are not known; it is not expanded", name.text);
            text.report(diagnostics, Severity::Warning, None, place, message);
            continue;
        };
        macros.define(&name.text, Macro { params: Some(names(params)), body: source[from..to].to_vec() });
    }
    macros
}

/// The index after the logical line of the token at `at`.
fn line_end(tokens: &[Token], at: usize) -> usize {
    tokens[at + 1..].iter().position(|token| token.starts_line).map_or(tokens.len(), |length| at + 1 + length)
}

/// The records of a semantics file, in document order.
pub(super) fn records(
    text: &Text<'_>,
    macros: Macros,
    diagnostics: &mut Vec<Diagnostic>,
) -> Vec<Result<Record, Broken>> {
    let tokens = tokens(text.as_str());
    let mut reader =
        Reader { text, tokens: &tokens, macros, conditions: Vec::new(), records: Vec::new(), diagnostics };
    reader.run();
    reader.records
}

struct Reader<'a> {
    text: &'a Text<'a>,
    tokens: &'a [Token],
    macros: Macros,
    /// For each open conditional: whether this branch is taken, and whether one was before.
    conditions: Vec<(bool, bool)>,
    records: Vec<Result<Record, Broken>>,
    diagnostics: &'a mut Vec<Diagnostic>,
}

impl Reader<'_> {
    fn report(&mut self, severity: Severity, at: usize, message: String) {
        self.text.report(self.diagnostics, severity, None, at, message);
    }

    fn run(&mut self) {
        let mut at = 0;
        while let Some(token) = self.tokens.get(at) {
            let place = token.origin as usize;
            if token.is("#") && token.starts_line {
                let end = line_end(self.tokens, at);
                self.directive(&self.tokens[at + 1..end], place);
                at = end;
                continue;
            }
            if !self.conditions.iter().all(|(taken, _)| *taken) || token.is(";") {
                at += 1;
                continue;
            }
            let known = RECORDS.contains(&&*token.text) || self.macros.is_function(&token.text);
            if !token.is_name() || !self.tokens.get(at + 1).is_some_and(|next| next.is("(")) {
                self.report(
                    Severity::Error,
                    place,
                    format!("`{}` is not expected between records", token.text),
                );
                at = self.next_record(at + 1);
                continue;
            }
            let end = closing(self.tokens, at + 1).filter(|end| {
                !self.tokens[at + 1..*end].iter().any(|token| token.is("#") && token.starts_line)
            });
            let Some(end) = end else {
                let name =
                    self.tokens.get(at + 2).filter(|name| name.is_name() && name.text.starts_with("V6_"));
                let fault = Fault::failed(Reason::Syntax, place, "the record does not end");
                self.records.push(Err((name.map(|name| name.text.to_string()), fault)));
                at = self.next_record(at + 1);
                if at == self.tokens.len() {
                    self.report(Severity::Error, place, "the document ends inside this record".to_owned());
                }
                continue;
            };
            if known {
                self.record(&self.tokens[at..=end]);
            } else {
                self.report(Severity::Error, place, format!("{} is not defined", token.text));
            }
            at = end + 1;
        }
        if !self.conditions.is_empty() {
            self.report(
                Severity::Error,
                self.text.as_str().len(),
                "a conditional section does not end".into(),
            );
        }
    }

    /// Where reading resumes after something that is not a record: a line that starts with one, or with a
    /// directive.
    fn next_record(&self, from: usize) -> usize {
        let starts = |token: &Token| {
            token.starts_line
                && (token.is("#") || RECORDS.contains(&&*token.text) || self.macros.is_function(&token.text))
        };
        self.tokens[from..].iter().position(starts).map_or(self.tokens.len(), |distance| from + distance)
    }

    fn directive(&mut self, line: &[Token], place: usize) {
        let Some((word, rest)) = line.split_first() else { return };
        let active = self.conditions.iter().all(|(taken, _)| *taken);
        let name = rest.first().map_or("", |name| &*name.text);
        match &*word.text {
            "ifdef" | "ifndef" => {
                let taken = self.macros.contains(name) == word.is("ifdef");
                self.conditions.push((taken, taken));
            }
            "if" => {
                let taken = active && self.holds(rest, place);
                self.conditions.push((taken, taken));
            }
            "elif" => {
                let holds = self.holds(rest, place);
                match self.conditions.last_mut() {
                    Some((taken, before)) => {
                        *taken = holds && !*before;
                        *before |= *taken;
                    }
                    None => self.report(Severity::Error, place, "#elif without #if".into()),
                }
            }
            "else" => match self.conditions.last_mut() {
                Some((taken, before)) => *taken = !*before,
                None => self.report(Severity::Error, place, "#else without #if".into()),
            },
            "endif" => {
                if self.conditions.pop().is_none() {
                    self.report(Severity::Error, place, "#endif without #if".into());
                }
            }
            _ if !active => {}
            "define" => {
                if let Err(fault) = self.macros.define_directive(rest) {
                    self.report(Severity::Error, fault.at, fault.message);
                }
            }
            "undef" => self.macros.undefine(name),
            other => {
                let message = format!("the directive #{other} is not read");
                self.report(Severity::Warning, place, message);
            }
        }
    }

    /// Whether a condition holds: one number after expansion; a name that is not a macro counts as 0.
    fn holds(&mut self, line: &[Token], place: usize) -> bool {
        let expanded = match self.macros.expand(line) {
            Ok(expanded) => expanded,
            Err(fault) => {
                self.report(Severity::Error, fault.at, fault.message);
                return false;
            }
        };
        match &expanded[..] {
            [token] if token.kind == Kind::Number => !token.is("0"),
            [token] if token.is_name() => false,
            _ => {
                self.report(Severity::Error, place, "a condition of this form is not read".into());
                false
            }
        }
    }

    /// Expands one use at the top level and takes the records out of it.
    fn record(&mut self, used: &[Token]) {
        let place = used[0].origin as usize;
        let expanded = match self.macros.expand(used) {
            Ok(expanded) => expanded,
            Err(fault) => {
                let name = used[2..].iter().find(|token| token.is_name());
                let name = name.map(|name| match name.text.strip_prefix("V6_") {
                    Some(_) => name.text.to_string(),
                    None => format!("V6_{}", name.text),
                });
                self.records.push(Err((name, fault)));
                return;
            }
        };
        let mut at = 0;
        while let Some(token) = expanded.get(at) {
            if !RECORDS.contains(&&*token.text) || !expanded.get(at + 1).is_some_and(|next| next.is("(")) {
                at += 1;
                continue;
            }
            let Some(end) = closing(&expanded, at + 1) else {
                self.records
                    .push(Err((None, Fault::failed(Reason::Syntax, place, "the record does not end"))));
                return;
            };
            let record = record_of(&expanded[at + 2..end], place);
            self.records.push(record);
            at = end + 1;
        }
    }
}

/// A record from its arguments: tag, syntax, attributes, description, and the body, which may contain commas.
fn record_of(tokens: &[Token], at: usize) -> Result<Record, Broken> {
    let arguments = split_arguments(tokens);
    let id: String = arguments[0].iter().map(|token| &*token.text).collect();
    let at = arguments[0].first().map_or(at, |token| token.origin as usize);
    if arguments.len() < 5 {
        let message = format!("a record has five parts, this one {}", arguments.len());
        return Err((Some(id).filter(|id| !id.is_empty()), Fault::failed(Reason::Syntax, at, message)));
    }
    if id.is_empty() || !id.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'_') {
        return Err((
            None,
            Fault::failed(Reason::Syntax, at, format!("`{id}` is no name of an instruction")),
        ));
    }
    let syntax = arguments[1].iter().map(|token| unquoted(&token.text)).collect();
    let attributes = arguments[2].iter().filter(|token| token.text.starts_with("A_"));
    let before: usize = arguments[..4].iter().map(|argument| argument.len() + 1).sum();
    Ok(Record {
        id,
        syntax,
        attributes: attributes.map(|token| token.text.clone()).collect(),
        body: tokens[before..].to_vec(),
        at,
    })
}

fn unquoted(literal: &str) -> String {
    let inner = literal.strip_prefix('"').and_then(|rest| rest.strip_suffix('"')).unwrap_or(literal);
    inner.replace("\\\"", "\"")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_facts_table_can_be_read() {
        let facts: Facts = toml::from_str(FACTS_TEXT).expect("specs/hvx/macros.toml");
        assert!(facts.parameters.len() > 90);
        assert!(facts.text.contains_key("fHIDE"));
    }
}
