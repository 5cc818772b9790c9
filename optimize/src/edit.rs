//! Modules with other computations in place of values; all else stays as it is written.

use std::collections::BTreeMap;

use llvm_text::Type;
use refine::ast::Function;
use refine::ast::{Action, Block, Body, Flags, Instruction, Operand, Parameter, Value};
use refine::{Module, Outline, Place, name};
use rustc_hash::{FxHashMap, FxHashSet};

use crate::operands::{local, rename};
use crate::slice::{Input, Slice};

/// A value that is computed in another way.
#[derive(Clone, Copy, Debug)]
pub struct Change<'a> {
    /// What it was.
    pub slice: &'a Slice,
    /// What it becomes.
    pub body: &'a Body,
}

/// A new line, and the values that it reads.
type Written = (String, FxHashSet<String>);

/// The places of lines that nothing needs any more.
type Gone = FxHashSet<(usize, usize)>;

/// A function's changes, from the end of its text: a value that only served others that were changed is not changed.
pub struct Editor<'m> {
    function: &'m Function,
    outline: &'m Outline,
    /// New lines by the place of the line in whose place they stand.
    made: BTreeMap<(usize, usize), Vec<Written>>,
    gone: Gone,
    names: FxHashSet<String>,
    next: usize,
    changed: Vec<String>,
    /// Where values are made.
    places: FxHashMap<&'m str, (usize, usize)>,
    /// Lines of the text that name a value.
    readers: FxHashMap<&'m str, Vec<(usize, usize)>>,
    /// Values that new lines read.
    read: FxHashSet<String>,
}

impl<'m> Editor<'m> {
    /// A function as it is.
    pub fn new(function: &'m Function, outline: &'m Outline) -> Self {
        let lines = || outline.sections.iter().flat_map(|section| &section.lines);
        let names = lines()
            .flat_map(|line| line.mentions.iter().chain(&line.result))
            .chain(outline.sections.iter().filter_map(|section| section.label.as_ref()))
            .chain(&outline.parameters);
        let names = names.cloned().collect();
        let (mut places, mut readers): (FxHashMap<_, _>, FxHashMap<&str, Vec<_>>) = Default::default();
        for (section, own) in outline.sections.iter().enumerate() {
            for (at, line) in own.lines.iter().enumerate() {
                places.extend(line.result.as_deref().map(|result| (result, (section, at))));
                for name in &line.mentions {
                    readers.entry(name).or_default().push((section, at));
                }
            }
        }
        Self {
            function,
            outline,
            made: BTreeMap::new(),
            gone: Gone::default(),
            names,
            next: 0,
            changed: Vec::new(),
            places,
            readers,
            read: FxHashSet::default(),
        }
    }

    /// Whether a value is still needed and computed as it was.
    pub fn is_open(&self, slice: &Slice) -> bool {
        let place = (slice.section, slice.line);
        !self.gone.contains(&place) && !self.made.contains_key(&place)
    }

    /// The values that were changed, in the order of the calls.
    pub fn changed(&self) -> &[String] {
        &self.changed
    }

    fn fresh(&mut self) -> String {
        loop {
            let name = format!("opt.{}", self.next);
            self.next += 1;
            if self.names.insert(name.clone()) {
                return name;
            }
        }
    }

    /// Computes a value in another way, and removes what only it needed. False, and nothing is done, where that value is not
    /// [open](Self::is_open), or the new computation reads what is not there.
    pub fn change(&mut self, change: Change<'_>) -> bool {
        let Change { slice, body } = change;
        let place = (slice.section, slice.line);
        let line = &self.outline.sections[place.0].lines[place.1];
        let [block] = &body.blocks[..] else { return false };
        let (true, Some(root)) = (self.is_open(slice), &line.result) else { return false };
        let mut names: FxHashMap<String, Value> = FxHashMap::default();
        for (parameter, input) in slice.body.parameters.iter().zip(&slice.inputs) {
            if let Input::Value(original, true) = input {
                names.insert(parameter.name.clone(), Value::Local(original.clone()));
            }
        }
        let existing = self.existing(slice);
        let mut lines: Vec<Instruction> = Vec::new();
        let location = line.location.as_ref().map_or(String::new(), |number| format!(", !dbg !{number}"));
        for instruction in &block.instructions {
            if crate::operands::locals(instruction).iter().any(|name| !names.contains_key(*name)) {
                return false;
            }
            let mut own = rename(instruction, &|name| names.get(name).cloned());
            if let Action::Return(of) = &own.action {
                let Some(of) = of.clone() else { return false };
                let last = match (&of.value, lines.last_mut()) {
                    // The last instruction gets the name of the value.
                    (Value::Local(name), Some(last)) if is_result(last, name) => last,
                    _ => {
                        lines.push(copy(&of));
                        lines.last_mut().expect("a line was pushed")
                    }
                };
                last.result = Some(root.clone());
                break;
            }
            let Some(result) = &own.result else { return false };
            if let Some((name, _)) =
                existing.iter().find(|(_, old)| old.action == own.action && old.ty == own.ty)
            {
                names.insert(result.clone(), Value::Local((*name).to_owned()));
                continue;
            }
            let name = self.fresh();
            names.insert(result.clone(), Value::Local(name.clone()));
            own.result = Some(name);
            lines.push(own);
        }
        let text = |own: &Instruction| {
            let reads = crate::operands::locals(own).into_iter().map(str::to_owned).collect();
            (format!("  {own}{location}\n"), reads)
        };
        let lines: Vec<Written> = lines.iter().map(text).collect();
        self.read.extend(lines.iter().flat_map(|(_, reads)| reads.iter().cloned()));
        self.made.insert(place, lines);
        self.changed.push(root.clone());
        self.remove(slice);
        true
    }

    /// What a slice computes besides its root and is there where the root is.
    fn existing(&self, slice: &Slice) -> Vec<(&'m str, &'m Instruction)> {
        if slice.inputs.contains(&Input::Way) {
            return Vec::new();
        }
        let others = slice.computed.iter().filter(|name| *name != slice.root());
        let mut places: Vec<(usize, usize)> =
            others.filter_map(|name| self.places.get(name.as_str()).copied()).collect();
        places.sort_unstable();
        let line = |(section, at): (usize, usize)| &self.outline.sections[section].lines[at];
        let own = places.into_iter().map(line);
        own.filter_map(|line| Some((line.result.as_deref()?, line.instruction.as_ref()?))).collect()
    }

    fn remove(&mut self, slice: &Slice) {
        for name in slice.computed.iter().rev() {
            let Some(place) = self.places.get(name.as_str()).copied() else { continue };
            if self.made.contains_key(&place) || self.is_needed(name) {
                continue;
            }
            self.gone.insert(place);
        }
    }

    fn is_needed(&self, name: &str) -> bool {
        let is_there = |place| !self.made.contains_key(place) && !self.gone.contains(place);
        self.read.contains(name) || self.readers.get(name).is_some_and(|readers| readers.iter().any(is_there))
    }

    /// What changes in the module's text: spans with the text in their place, in order.
    pub fn edits(&self) -> Vec<(std::ops::Range<usize>, String)> {
        let mut edits = Vec::new();
        for (section, own) in self.outline.sections.iter().enumerate() {
            for (at, line) in own.lines.iter().enumerate() {
                if let Some(made) = self.made.get(&(section, at)) {
                    edits.push((line.span.clone(), made.iter().map(|(text, _)| text.as_str()).collect()));
                } else if self.gone.contains(&(section, at)) {
                    edits.push((line.span.clone(), String::new()));
                }
            }
        }
        debug_assert!(edits.iter().all(|(span, _)| self.function.span.start <= span.start));
        edits
    }
}

fn is_result(instruction: &Instruction, name: &str) -> bool {
    instruction.result.as_deref() == Some(name)
}

/// The same value under another name.
fn copy(of: &Operand) -> Instruction {
    Instruction {
        result: None,
        ty: of.ty.clone(),
        action: Action::Cast("bitcast", Flags::default(), of.clone(), of.ty.clone()),
        place: refine::Place::default(),
    }
}

/// A module's text with spans replaced; `edits` are in order and do not overlap.
pub fn edited(module: &Module, edits: &[(std::ops::Range<usize>, String)]) -> String {
    spliced(module.text(), 0..module.text().len(), edits)
}

/// A part of a text with spans of it replaced; `edits` are in order, within the part, and do not overlap.
pub fn spliced(
    text: &str,
    part: std::ops::Range<usize>,
    edits: &[(std::ops::Range<usize>, String)],
) -> String {
    let (mut made, mut at) = (String::new(), part.start);
    for (span, new) in edits {
        made.push_str(&text[at..span.start]);
        made.push_str(new);
        at = span.end;
    }
    made + &text[at..part.end]
}

/// What a module's groups of attributes say of the machine that functions are for.
pub struct Attributes<'m>(FxHashMap<&'m str, String>);

impl<'m> Attributes<'m> {
    /// Those of a module.
    pub fn new(module: &'m Module) -> Self {
        let group = |line: &'m str| {
            let (name, text) = line.strip_prefix("attributes #")?.split_once(" = {")?;
            let own = ["target-cpu", "target-features", "tune-cpu", "min-legal-vector-width"];
            let found = own.iter().filter_map(|wanted| {
                let head = format!("\"{wanted}\"=\"");
                let (_, rest) = text.split_once(&head)?;
                Some(format!("{head}{}\"", rest.split_once('"')?.0))
            });
            Some((name, found.collect::<Vec<_>>().join(" ")))
        };
        Self(module.text().lines().filter_map(group).collect())
    }

    /// Those of some groups, by the numbers after `#`, as they stand after a function's parameters.
    pub fn of<'a>(&self, groups: impl IntoIterator<Item = &'a str>) -> String {
        let own = groups.into_iter().filter_map(|group| self.0.get(group)).filter(|text| !text.is_empty());
        own.map(String::as_str).collect::<Vec<_>>().join(" ")
    }
}

/// A function that gives a value of a slice's result's type that it has as a parameter, so that it computes nothing.
pub fn nothing(slice: &Slice) -> Body {
    let mut body = slice.body.clone();
    let (name, ty) = ("given".to_owned(), body.result.clone());
    let action = Action::Return(Some(local(ty.clone(), name.clone())));
    // The first one, so that it is in a register.
    body.parameters.insert(0, Parameter { name, ty, attributes: Vec::new() });
    let end = Instruction { result: None, ty: Type::Void, action, place: Place::default() };
    body.blocks = vec![Block { label: "entry".to_owned(), instructions: vec![end] }];
    body
}

/// A function that stores what a body gives, and what else is wanted of it, so that conventions for results do not count.
/// `kept` are values of `before` that the module still needs; they are computed as there.
pub fn measured(body: &Body, before: &Body, kept: &[String], function: &str, attributes: &str) -> String {
    let mut lines: Vec<String> = Vec::new();
    let mut parameters: Vec<String> =
        body.parameters.iter().map(|own| format!("{} %{}", own.ty, own.name)).collect();
    parameters.push("ptr %r".to_owned());
    let is_same = body == before;
    let mut stored = Vec::new();
    for instruction in before.blocks.iter().flat_map(|block| &block.instructions) {
        if let Action::Return(Some(of)) = &instruction.action {
            if is_same {
                stored.push((of.to_string(), "r".to_owned()));
            }
        } else if is_same || !kept.is_empty() {
            lines.push(format!("  {instruction}"));
            if let Some(result) = instruction.result.as_ref().filter(|result| kept.contains(result)) {
                let to = format!("r{}", stored.len());
                parameters.push(format!("ptr %{to}"));
                stored.push((format!("{} %{}", instruction.ty, name(result)), to));
            }
        }
    }
    if !is_same {
        for instruction in body.blocks.iter().flat_map(|block| &block.instructions) {
            let own = |local: &str| {
                let is_parameter = body.parameters.iter().any(|parameter| parameter.name == local);
                (!is_parameter).then(|| Value::Local(format!("new.{local}")))
            };
            let mut made = rename(instruction, &own);
            if let Action::Return(Some(of)) = &made.action {
                stored.push((of.to_string(), "r".to_owned()));
                continue;
            }
            made.result = made.result.map(|result| format!("new.{result}"));
            lines.push(format!("  {made}"));
        }
    }
    lines.extend(stored.iter().map(|(value, to)| format!("  store {value}, ptr %{to}, align 1")));
    format!(
        "define void @{function}({}) {attributes} {{\n{}\n  ret void\n}}\n",
        parameters.join(", "),
        lines.join("\n")
    )
}
