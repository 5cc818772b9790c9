//! LLVM modules by rules alone: regions of operations on lanes, each with the target's instructions in its place.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use ::optimize::{
    Change, Cutter, Editor, Flow, Slice, edited, freeze_all, is_generic, program_body, regions, window_of,
};
use ::rules::{Instructions, Selector, plain};
use ::synth::table::Table;
use ::synth::window::Meaning;
use anyhow::{Context, Result, anyhow};
use refine::ast::{Action, Body, Instruction};
use refine::{Limits, Module, Outcome, Outline, refines};
use serde::Serialize;

use crate::clock::Clock;
use crate::commands::optimize::intrinsics::{Known, Templates};
use crate::commands::synth::steps::{Cost, cost};
use crate::commands::synth::targets::Ground;
use crate::outputs;

/// What modules are compiled with.
pub struct Compiler<'a> {
    /// The target.
    pub ground: &'a Ground,
    /// Its rules.
    pub selector: &'a Selector<'a>,
    /// Its instructions.
    pub index: &'a Instructions,
    /// What these are in LLVM.
    pub templates: &'a Templates,
    /// What intrinsics mean, where changes are to be proved besides.
    pub known: Option<&'a Known<'a>>,
}

/// A line of the output: a region, or a value that no rule makes.
#[derive(Serialize)]
struct Line<'a> {
    file: &'a str,
    function: &'a str,
    /// The name of its result.
    value: &'a str,
    /// The line in the file.
    line: usize,
    status: Status,
    #[serde(skip_serializing_if = "Option::is_none")]
    proof: Option<&'static str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    cost: Option<Cost>,
    /// Instructions, if each operation was one for each register.
    #[serde(skip_serializing_if = "Option::is_none")]
    plain: Option<u32>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    rules: Vec<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    note: Option<String>,
    seconds: f64,
}

#[derive(Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
enum Status {
    /// The target's instructions are in its place.
    Selected,
    /// Rules cover it with instructions that have no intrinsics, because LLVM selects them itself: it is left as it is.
    Plain,
    /// No rule covers it, or what rules give cannot stand there: it is left as it is.
    Left,
}

/// What becomes of a region.
struct Answer {
    body: Option<Body>,
    status: Status,
    proof: Option<&'static str>,
    cost: Option<Cost>,
    plain: Option<u32>,
    rules: Vec<String>,
    note: Option<String>,
    /// Values in it that no rule makes.
    open: Vec<String>,
    seconds: f64,
}

impl Answer {
    fn left(note: impl Into<String>, open: Vec<String>) -> Self {
        let (proof, cost, plain, rules) = (None, None, None, Vec::new());
        Self {
            body: None,
            status: Status::Left,
            proof,
            cost,
            plain,
            rules,
            note: Some(note.into()),
            open,
            seconds: 0.0,
        }
    }
}

/// `NAME.select.ll` for `NAME.ll`.
fn beside(path: &Path) -> PathBuf {
    path.with_extension("select.ll")
}

impl Compiler<'_> {
    /// Writes what becomes of a module beside it, and prints a line for each region and for each value that no rule makes. Whether
    /// rules covered all of it.
    pub fn module(&self, path: &Path) -> Result<bool> {
        let text =
            std::fs::read_to_string(path).with_context(|| format!("cannot read {}", path.display()))?;
        let module = Module::parse(&text).map_err(|fault| anyhow!("{}:{fault}", path.display()))?;
        let file = path.display().to_string();
        let mut table = self.ground.table.clone();
        let (mut edits, mut covered) = (Vec::new(), true);
        for function in &module.functions {
            let outline = match module.outline(function) {
                Ok(outline) => outline,
                Err(fault) => {
                    tracing::warn!("{file}:{fault}: @{} is left as it is", function.name);
                    continue;
                }
            };
            let Some(flow) = Flow::new(&outline) else { continue };
            let cutter = Cutter::new(&outline, &flow, &is_generic);
            let (answers, open) = self.function(&outline, &cutter, &mut table);
            let number = |line: &refine::Line| module.text()[..line.span.start].matches('\n').count() + 1;
            let mut editor = Editor::new(function, &outline);
            for (slice, answer) in answers.iter().rev() {
                if let Some(body) = &answer.body {
                    editor.change(Change { slice, body });
                }
            }
            let changed: BTreeSet<&str> = editor.changed().iter().map(String::as_str).collect();
            let mut lines: Vec<Line<'_>> = Vec::new();
            for (slice, answer) in answers {
                let line = &outline.sections[slice.section].lines[slice.line];
                let value = line.result.as_deref().unwrap_or_default();
                let is_dropped = answer.body.is_some() && !changed.contains(value);
                let status = if is_dropped { Status::Left } else { answer.status };
                lines.push(Line {
                    file: &file,
                    function: &function.name,
                    value,
                    line: number(line),
                    status,
                    proof: answer.proof,
                    cost: answer.cost,
                    plain: answer.plain,
                    rules: answer.rules,
                    note: answer.note,
                    seconds: answer.seconds,
                });
            }
            for line in outline.sections.iter().flat_map(|section| &section.lines) {
                let Some(value) = line.result.as_deref().filter(|value| open.contains(*value)) else {
                    continue;
                };
                lines.push(Line {
                    file: &file,
                    function: &function.name,
                    value,
                    line: number(line),
                    status: Status::Left,
                    proof: None,
                    cost: None,
                    plain: None,
                    rules: Vec::new(),
                    note: Some("no rule covers it".into()),
                    seconds: 0.0,
                });
            }
            lines.sort_by_key(|line| line.line);
            for line in lines {
                covered &= line.status != Status::Left;
                println!("{}", serde_json::to_string(&line)?);
            }
            edits.extend(editor.edits());
        }
        outputs::replace_file(&beside(path), edited(&module, &edits))?;
        Ok(covered)
    }

    /// The regions of a function with what becomes of them, and the values that no rule makes: regions are cut there, once.
    fn function(
        &self,
        outline: &Outline,
        cutter: &Cutter<'_>,
        table: &mut Table,
    ) -> (Vec<(Slice, Answer)>, BTreeSet<String>) {
        let mut open = BTreeSet::new();
        let compile = |slice: Slice, table: &mut Table| {
            let start = Clock::start();
            let answer = self.region(&slice, table);
            (slice, Answer { seconds: start.seconds(), ..answer })
        };
        let first: Vec<(Slice, Answer)> =
            regions(outline, cutter, &open).into_iter().map(|slice| compile(slice, table)).collect();
        open.extend(first.iter().flat_map(|(_, answer)| answer.open.iter().cloned()));
        if open.is_empty() {
            return (first, open);
        }
        let again = regions(outline, cutter, &open);
        (again.into_iter().map(|slice| compile(slice, table)).collect(), open)
    }

    fn region(&self, slice: &Slice, table: &mut Table) -> Answer {
        let expressed = match window_of(&slice.body) {
            Ok(expressed) => expressed,
            Err(why) => return Answer::left(why, vec![slice.root().to_owned()]),
        };
        let mut meaning = Meaning::new(&expressed.window);
        let selected = match self.selector.select(&mut meaning, table, self.index) {
            Ok(selected) => selected,
            Err(why) => {
                let open = self.selector.uncovered(&mut Meaning::new(&expressed.window));
                let names = open.iter().filter_map(|id| expressed.names.get(id.0 as usize));
                return Answer::left(why, originals(slice, names.map(String::as_str).collect()));
            }
        };
        let costs = cost(&selected.program, table, &self.ground.costs);
        let mut answer = Answer {
            body: None,
            status: Status::Plain,
            proof: Some("rules"),
            cost: Some(costs),
            plain: Some(plain(&expressed.window, &self.ground.named.widths)),
            rules: selected.rules,
            note: None,
            open: Vec::new(),
            seconds: 0.0,
        };
        let body = match program_body(
            &slice.body,
            &expressed.constants,
            &meaning,
            table,
            &selected.program,
            self.templates,
        ) {
            Ok(body) if !calls_target(&body) => return answer,
            Ok(body) if !slice.reads_absent(&body) => freeze_all(&body),
            Ok(_) => return Answer::left("it reads a value that is not there", Vec::new()),
            Err(why) => return Answer::left(why.to_string(), Vec::new()),
        };
        if let Some(known) = self.known {
            match refines(&slice.body, &body, known, &Limits::default()) {
                Outcome::Proved(_) => answer.proof = Some("refinement"),
                Outcome::Counterexample(_) => return Answer::left("it does something else", Vec::new()),
                Outcome::Unknown(why) => return Answer::left(why, Vec::new()),
            }
        }
        (answer.status, answer.body) = (Status::Selected, Some(body));
        answer
    }
}

/// Whether a function calls an intrinsic that is not for all targets.
fn calls_target(body: &Body) -> bool {
    let calls =
        |own: &Instruction| matches!(&own.action, Action::Call { function, .. } if !is_generic(function));
    body.blocks.iter().flat_map(|block| &block.instructions).any(calls)
}

/// The names in the function of values of a slice. One that is a condition has no register: what chooses by it is open too.
fn originals(slice: &Slice, names: BTreeSet<&str>) -> Vec<String> {
    let Some(block) = slice.body.blocks.first() else { return Vec::new() };
    let made: Vec<&Instruction> = block.instructions.iter().filter(|own| own.result.is_some()).collect();
    let is_open = |own: &Instruction| {
        let is_named = |name: &str| names.contains(name);
        own.result.as_deref().is_some_and(is_named)
            || matches!(&own.action, Action::Select(condition, ..)
                if matches!(&condition.value, refine::ast::Value::Local(name) if is_named(name)))
    };
    let own = made.iter().zip(&slice.computed).filter(|(own, _)| is_open(own));
    own.map(|(_, name)| name.clone()).collect()
}
