//! Any definition line by line: instructions that are modelled are read, of all others it is known which values and blocks
//! they name.

use std::collections::BTreeMap;
use std::ops::Range;

use crate::ast::{Attribute, Function, Instruction};
use crate::error::Fault;
use crate::parse::{Module, Parser};
use crate::ranges::of_parameters;
use crate::token::{Kind, Token, tokens};

/// A line of a block: an instruction, or a record that says something about values.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Line {
    /// Its bytes in the module's text, whole lines with their ends.
    pub span: Range<usize>,
    /// The name of its result.
    pub result: Option<String>,
    /// The instruction, if it is modelled.
    pub instruction: Option<Instruction>,
    /// The names after `%` in it besides its result: values, blocks and types.
    pub mentions: Vec<String>,
    /// The blocks to which it may jump.
    pub targets: Vec<String>,
    /// The number of its `!dbg` metadata.
    pub location: Option<String>,
    /// Whether it only says something about values, for debuggers.
    pub is_record: bool,
}

/// A block.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Section {
    /// Its label; none is written for most entries.
    pub label: Option<String>,
    /// What is in it, in order.
    pub lines: Vec<Line>,
}

/// A definition line by line.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Outline {
    /// The parameters that have names.
    pub parameters: Vec<String>,
    /// What is said of the ranges of parameters, of calls' results and of loaded values, by name: outside of one is poison.
    pub ranges: BTreeMap<String, Attribute>,
    /// The groups of attributes, as numbers after `#`.
    pub groups: Vec<String>,
    /// The blocks, the first of which is the entry.
    pub sections: Vec<Section>,
}

impl Module {
    /// A definition line by line. Only what has no tokens, or no beginning or end, is a fault.
    ///
    /// ```
    /// let module = refine::Module::parse("define void @f(ptr %p, i8 %a) {\n  %b = add i8 %a, 1\n  store i8 %b, ptr %p\n  ret void\n}\n")?;
    /// let outline = module.outline(&module.functions[0])?;
    /// let [add, store, _] = &outline.sections[0].lines[..] else { panic!("three instructions") };
    /// assert!(add.instruction.is_some() && store.instruction.is_none());
    /// assert_eq!(store.mentions, ["b", "p"]);
    /// # Ok::<(), refine::Fault>(())
    /// ```
    pub fn outline(&self, function: &Function) -> Result<Outline, Fault> {
        let whole = self.text();
        let text = &whole[function.span.clone()];
        let first = whole[..function.span.start].bytes().filter(|byte| *byte == b'\n').count() as u32 + 1;
        let tokens = tokens(text, first)?;
        let starts: Vec<usize> =
            std::iter::once(0).chain(text.match_indices('\n').map(|(at, _)| at + 1)).collect();
        let head = tokens.windows(2).position(|pair| {
            pair[0].text == "{" && pair[0].kind == Kind::Sign && pair[1].kind == Kind::Newline
        });
        let parser = Parser::new(&tokens);
        let Some(head) = head else { return parser.fault("a definition without `{` at the end of a line") };
        let named = |kind: Kind| {
            tokens[..head].iter().filter(move |token| token.kind == kind).map(|token| token.text.to_owned())
        };
        let mut outline = Outline {
            parameters: named(Kind::Local).collect(),
            ranges: of_parameters(&tokens[..head]).into_iter().collect(),
            groups: named(Kind::Group).collect(),
            sections: vec![Section::default()],
        };
        let line_of = |token: &Token<'_>| {
            let line = (token.place.line - first) as usize;
            let end = starts.get(line + 1).copied().unwrap_or(text.len());
            function.span.start + starts[line]..function.span.start + end
        };
        let mut parser = Parser { at: head + 1, ..Parser::new(&tokens) };
        loop {
            parser.newlines();
            let Some(token) = parser.peek() else { return parser.fault("a definition without its end") };
            if token.kind == Kind::Sign && token.text == "}" {
                return Ok(outline);
            }
            if token.kind == Kind::Label {
                parser.at += 1;
                let section = Section { label: Some(token.text.to_owned()), lines: Vec::new() };
                match &outline.sections[..] {
                    [only] if only.lines.is_empty() && only.label.is_none() => {
                        outline.sections = vec![section]
                    }
                    _ => outline.sections.push(section),
                }
                continue;
            }
            let start = parser.at;
            let instruction = parser.modelled();
            if instruction.is_none() {
                parser.at = start;
                parser.skip();
            }
            let own = &tokens[start..parser.at];
            let last = own.last().unwrap_or(&token);
            let range = self.range_of(own, instruction.as_ref());
            let line = line(own, line_of(&token).start..line_of(last).end, instruction);
            outline.ranges.extend(line.result.clone().zip(range));
            if let Some(section) = outline.sections.last_mut() {
                section.lines.push(line);
            }
        }
    }
}

fn line(own: &[Token<'_>], span: Range<usize>, instruction: Option<Instruction>) -> Line {
    let result = match own {
        [first, second, ..] if first.kind == Kind::Local && second.text == "=" => Some(first.text.to_owned()),
        _ => None,
    };
    let locals = || own.iter().enumerate().filter(|(_, token)| token.kind == Kind::Local);
    let after_label = |at: usize| at > 0 && own[at - 1].kind == Kind::Word && own[at - 1].text == "label";
    let mentions =
        locals().skip(usize::from(result.is_some())).map(|(_, token)| token.text.to_owned()).collect();
    let targets =
        locals().filter(|(at, _)| after_label(*at)).map(|(_, token)| token.text.to_owned()).collect();
    let location = own
        .windows(2)
        .find(|pair| {
            pair[0].kind == Kind::Metadata && pair[0].text == "dbg" && pair[1].kind == Kind::Metadata
        })
        .map(|pair| pair[1].text.to_owned());
    let is_record = own.first().is_some_and(|first| first.kind == Kind::Group)
        || own.iter().any(|token| token.kind == Kind::Global && token.text.starts_with("llvm.dbg."));
    Line { span, result, instruction, mentions, targets, location, is_record }
}

impl Parser<'_> {
    /// An instruction with its metadata up to the end of its line, if all of it is modelled.
    fn modelled(&mut self) -> Option<Instruction> {
        let instruction = self.instruction().ok()??;
        self.metadata().ok()?;
        self.peek().is_some_and(|token| token.kind == Kind::Newline).then_some(instruction)
    }

    /// Goes behind an instruction of any kind: to the end of a line where nothing is open and which the next line does not
    /// continue.
    fn skip(&mut self) {
        let mut open = 0usize;
        while let Some(token) = self.peek() {
            match (token.kind, token.text) {
                (Kind::Newline, _) if open == 0 && !self.goes_on() => return,
                (Kind::Sign, "(" | "[" | "{") => open += 1,
                (Kind::Sign, "}") if open == 0 => return,
                (Kind::Sign, ")" | "]" | "}") => open = open.saturating_sub(1),
                _ => {}
            }
            self.at += 1;
        }
    }

    /// Whether the next line belongs to this one: destinations of an `invoke`, clauses of a `landingpad`.
    fn goes_on(&self) -> bool {
        let next = self.tokens[self.at..].iter().find(|token| token.kind != Kind::Newline);
        next.is_some_and(|token| {
            token.kind == Kind::Word && ["to", "unwind", "cleanup", "catch", "filter"].contains(&token.text)
        })
    }
}
