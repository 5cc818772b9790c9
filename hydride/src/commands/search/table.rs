//! The table of all goals on all targets, as a page of the guide.

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use ::search::Shared;
use anyhow::{Context, Result};
use smt::Memo;

use super::{Run, SearchArgs, Show, Task, Written, report, search, targets, task};
use crate::Session;
use crate::console::Phases;
use crate::costs::Costs;
use crate::isa::Target;

/// Searches every goal of a folder on every target and prints a page; exit code 1 when a found sequence
/// disagrees with its goal on a machine.
pub fn run(session: &Session, args: &SearchArgs, folder: &Path) -> Result<u8> {
    let mut goals: Vec<PathBuf> = std::fs::read_dir(folder)
        .with_context(|| format!("cannot list {}", folder.display()))?
        .filter_map(|entry| Some(entry.ok()?.path()))
        .filter(|path| path.extension().is_some_and(|ending| ending == "toml"))
        .collect();
    goals.sort();
    let limit = args.options.limit();
    let targets = targets::all(session)?;
    let mut phases = Phases::default();
    let mut cells: BTreeMap<(usize, usize), Cell> = BTreeMap::new();
    let mut parsed = BTreeMap::new();
    let mut code = 0;
    for (column, target) in targets.iter().enumerate() {
        let Some(isa) = session.named(target.isa) else { continue };
        if let std::collections::btree_map::Entry::Vacant(slot) = parsed.entry(isa) {
            let documents = session.read(args.specs.specs.as_deref(), &[isa])?;
            let phase = phases.start(&format!("parse {}", target.isa), 0);
            let result =
                session.parse(isa, &documents, &Memo::default(), &|done, total| phase.set(done, total))?;
            phases.end(phase, &format!("{} instructions", result.instructions.len()));
            slot.insert(result);
        }
        let instructions = &parsed[&isa].instructions;
        for (row, path) in goals.iter().enumerate() {
            let goal = Written::read(path)?;
            let task =
                task(session.set(isa), &args.options, &goal, target.clone(), instructions, &Costs::length())?;
            let run = search(&task, &Arc::new(Shared::default()), limit, Show::Progress);
            eprintln!("{:>14} {:6.2} s  {}", "search", run.seconds, report::verdict(&task, &run));
            if args.run > 0 && !run.outcome.solutions.is_empty() {
                code = code.max(report::check_on_hardware(&task, &run.outcome, args.run, &args.work)?);
            }
            cells.insert((row, column), Cell::new(&task, &run));
        }
    }
    print!("{}", page(&goals, &targets, &cells, args)?);
    Ok(code)
}

/// What a goal on a target came to.
struct Cell {
    /// The length, or what is known of it.
    text: String,
    /// The sequence found.
    assembly: Vec<String>,
}

impl Cell {
    fn new(task: &Task, run: &Run) -> Self {
        let outcome = &run.outcome;
        match outcome.solutions.first() {
            Some(first) => Self { text: format!("**{}**", first.cost), assembly: task.assembly(first) },
            None => Self { text: format!("> {}", outcome.exhausted), assembly: Vec::new() },
        }
    }
}

fn page(
    goals: &[PathBuf],
    targets: &[Target],
    cells: &BTreeMap<(usize, usize), Cell>,
    args: &SearchArgs,
) -> Result<String> {
    let mut text =
        String::from("<!-- Made by `hydride search --table specs/goals`. -->\n# Goals on every target\n\n");
    let limit = args.options.limit().map_or("without a time limit".to_owned(), |limit| {
        format!("with {} s for each cell", limit.as_secs())
    });
    let _ = writeln!(
        text,
        "A bold number is the length of the shortest sequence, moves included, proved by the solver; `> N` says that \
         every sequence of up to N steps was tried before the time was over, {limit}. Which instructions count is in the goal's file; the \
         rest is in [Shortest sequences](search.md).\n"
    );
    let names: Vec<&str> = targets.iter().map(|target| target.name.as_str()).collect();
    let _ =
        writeln!(text, "| goal | what | {} |\n|---|---|{}", names.join(" | "), "---|".repeat(names.len()));
    let mut sequences = String::new();
    for (row, path) in goals.iter().enumerate() {
        let Written { file, .. } = Written::read(path)?;
        let texts: Vec<&str> = (0..targets.len())
            .map(|column| cells.get(&(row, column)).map_or("", |cell| &cell.text))
            .collect();
        let _ = writeln!(text, "| `{}` | {} | {} |", file.name, file.about, texts.join(" | "));
        let _ = writeln!(sequences, "\n### {}\n", file.name);
        for (column, target) in targets.iter().enumerate() {
            if let Some(cell) = cells.get(&(row, column)).filter(|cell| !cell.assembly.is_empty()) {
                let _ =
                    writeln!(sequences, "{}:\n\n```text\n{}\n```\n", target.name, cell.assembly.join("\n"));
            }
        }
    }
    let _ = write!(text, "\n## The sequences\n{sequences}");
    Ok(text)
}
