//! `hydride search`: the shortest sequence of instructions for a goal.

mod autollvm;
pub(super) mod convert;
pub(super) mod known;
mod progress;
mod report;
mod table;
pub(super) mod targets;

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::{Duration, Instant};

use ::search::{
    Cost, Event, Goal, GoalFile, Options, Outcome, Selection, Shared, Solution, Syntax, find, transitions,
};
use anyhow::{Context, Result};
use clap::{Args, ValueEnum};
use parsers::Instruction;

use self::convert::{Chosen, Filter};
use self::known::Known;
pub use self::report::{Report, Sequence, StepReport};
use crate::cache::CacheArgs;
use crate::console::Phases;
use crate::costs::Costs;
use crate::error::Failure;
use crate::isa::{InstructionSet, Target};
use crate::{BrokenDocument, Session, SpecArgs, usage};

/// Arguments of `hydride search`.
#[derive(Args)]
pub struct SearchArgs {
    #[command(flatten)]
    specs: SpecArgs,
    #[command(flatten)]
    options: SearchOptions,
    #[command(flatten)]
    cache: CacheArgs,
    /// How sequences are printed.
    #[arg(long, value_enum, default_value_t = Emit::Assembly)]
    emit: Emit,
    /// The folder that `generate-ir` wrote, for AutoLLVM IR.
    #[arg(long, value_name = "DIR", default_value = "out")]
    out: PathBuf,
    /// Run the found sequence on the machine or an emulator on so many inputs.
    #[arg(long, value_name = "INPUTS", default_value_t = 0)]
    run: usize,
    /// Folder for the compiled harness.
    #[arg(long, value_name = "DIR", default_value = "target/search")]
    work: PathBuf,
    /// Search every goal of this folder on every target and print a page with what was found.
    #[arg(long, value_name = "DIR")]
    table: Option<PathBuf>,
    /// Print the instructions of the target that can be steps, each as the assembler takes it, and the others
    /// with what they have that a step has not.
    #[arg(long)]
    list_instructions: bool,
    /// The goal: a TOML file.
    #[arg(required_unless_present_any = ["table", "list_instructions"])]
    goal: Option<PathBuf>,
}

/// What is searched, and how far.
#[derive(Args, Clone)]
pub struct SearchOptions {
    /// The instruction set; the first of those that this program has when not given.
    #[arg(long)]
    pub isa: Option<String>,
    /// CPU features that instructions may need, and what these bring with them; else the plainest.
    #[arg(long, value_name = "LIST", value_delimiter = ',')]
    pub extensions: Vec<String>,
    /// The greatest cost that is tried.
    #[arg(long, value_name = "N")]
    pub max_length: Option<u32>,
    /// What is made small.
    #[arg(long, value_enum, default_value_t = Measure::Length)]
    pub cost: Measure,
    /// The machine whose costs are counted, for latency and uops.
    #[arg(long)]
    pub cpu: Option<String>,
    /// List every cheapest sequence.
    #[arg(long)]
    pub all: bool,
    /// Only these mnemonics or ids (globs), instead of what the goal says.
    #[arg(long, value_name = "LIST", value_delimiter = ',')]
    pub only: Vec<String>,
    /// Not these mnemonics or ids (globs), besides what the goal says.
    #[arg(long, value_name = "LIST", value_delimiter = ',')]
    pub without: Vec<String>,
    /// Only data movements, or all instructions; else movements where the goal is one.
    #[arg(long, value_enum)]
    pub domain: Option<Domain>,
    /// Only instructions that read whole elements of so many bits; 0 for all instructions.
    #[arg(long, value_name = "BITS")]
    pub granularity: Option<u32>,
    /// Vector registers that may be used.
    #[arg(long, value_name = "N")]
    pub registers: Option<usize>,
    /// Results get registers of their own even where the machine form overwrites a source.
    #[arg(long)]
    pub three_address: bool,
    /// End after so many seconds of search with what was found; 0 for no end.
    #[arg(long, value_name = "SECONDS", default_value_t = TIME)]
    pub time: u64,
}

impl Default for SearchOptions {
    fn default() -> Self {
        Self {
            isa: None,
            extensions: Vec::new(),
            max_length: None,
            cost: Measure::Length,
            cpu: None,
            all: false,
            only: Vec::new(),
            without: Vec::new(),
            domain: None,
            granularity: None,
            registers: None,
            three_address: false,
            time: TIME,
        }
    }
}

/// What is made small.
#[derive(Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum Measure {
    /// The number of instructions.
    Length,
    /// The cycles from the first input to the last result.
    Latency,
    /// The number of micro-operations.
    Uops,
}

/// Which instructions are tried.
#[derive(Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum Domain {
    /// Those that only move elements.
    Movement,
    /// All of them.
    All,
}

#[derive(Clone, Copy, PartialEq, Eq, ValueEnum)]
enum Emit {
    Assembly,
    C,
    Autollvm,
    Json,
}

/// Seconds of a search, unless asked otherwise.
const TIME: u64 = 60;

/// Instructions in a sequence, at most, unless asked otherwise.
const MAX_LENGTH: u32 = 6;

impl SearchOptions {
    fn limit(&self) -> Option<Duration> {
        (self.time > 0).then(|| Duration::from_secs(self.time))
    }
}

/// A goal on a target, ready to be searched.
struct Task {
    goal: Goal,
    set: &'static InstructionSet,
    target: Target,
    syntax: Box<dyn Syntax>,
    instructions: Vec<::search::Instruction>,
    /// The ids of the target's other instructions, by what they have that a step has not.
    left_out: BTreeMap<&'static str, Vec<String>>,
    selection: Selection,
    options: Options,
}

/// What a search gave and took.
struct Run {
    outcome: Outcome,
    seconds: f64,
}

/// What a search chooses from: a target's instructions and their costs.
struct Ground {
    set: &'static InstructionSet,
    target: Target,
    known: Known,
    costs: Costs,
}

impl Ground {
    /// Reads the documents of the instruction set that is asked for.
    fn read(
        session: &Session,
        specs: Option<&Path>,
        options: &SearchOptions,
        cache: &CacheArgs,
        phases: &mut Phases,
    ) -> Result<Self> {
        let isa = match &options.isa {
            Some(name) => session.asked(name)?,
            None => session.isas()[0],
        };
        let set = session.set(isa);
        let target = targets::choose(set, &options.extensions)?;
        let costs = match (options.cost, &options.cpu) {
            (Measure::Length, _) => Costs::length(),
            (_, Some(cpu)) => Costs::of_cpu(session, cpu, set.name)?,
            (_, None) => return Err(usage("--cost latency and uops need --cpu")),
        };
        let documents = session.read(specs, &[isa])?;
        let known = known::known(session, cache, &documents, isa, &target, phases)?;
        targets::check(set, &options.extensions, &known.extensions)?;
        Ok(Self { set, target, known, costs })
    }
}

/// Searches and prints what was found; exit code 1 when nothing was.
pub fn run(session: &Session, args: &SearchArgs) -> Result<u8> {
    if let Some(folder) = &args.table {
        return table::run(session, args, folder);
    }
    let goal = args.goal.as_deref().map(Written::read).transpose()?;
    let (specs, options) = (args.specs.specs.as_deref(), &args.options);
    let Ground { set, target, known, costs } =
        Ground::read(session, specs, options, &args.cache, &mut Phases::default())?;
    let Some(goal) = goal else {
        return report::list(options, set, &target, &known.instructions, &costs);
    };
    let task = task(set, options, &goal, target, &known.instructions, &costs)?;
    let shared = Arc::new(Shared::default());
    let handler = shared.clone();
    crate::console::on_interrupt(move || handler.stop.swap(true, Ordering::Relaxed));
    let run = search(&task, &shared, options.limit(), Show::Solutions);
    if let Some(source) = costs.source() {
        eprintln!("{:>14} {source}", "costs");
    }
    report::print(args, &task, &run)?;
    let mut code = u8::from(run.outcome.solutions.is_empty());
    if args.run > 0 && !run.outcome.solutions.is_empty() {
        code = report::check_on_hardware(&task, &run.outcome, args.run, &args.work)?;
    }
    Ok(code)
}

/// The shortest sequences of instructions for the goal in a file, which are proved: what `hydride search --emit json`
/// prints. The documents are those in `specs`, or those that are read when none are named.
pub fn shortest_sequences(
    session: &Session,
    specs: Option<&Path>,
    goal: &Path,
    options: &SearchOptions,
) -> Result<Report> {
    let goal = Written::read(goal)?;
    let Ground { set, target, known, costs } =
        Ground::read(session, specs, options, &CacheArgs::default(), &mut Phases::silent())?;
    let task = task(set, options, &goal, target, &known.instructions, &costs)?;
    Ok(report::json(&task, &search(&task, &Arc::default(), options.limit(), Show::Nothing)))
}

/// A goal as a file has it.
struct Written {
    path: PathBuf,
    text: String,
    file: GoalFile,
}

impl Written {
    /// Reads a goal file; errors name file, line and column.
    fn read(path: &Path) -> Result<Self> {
        let bytes = std::fs::read(path).with_context(|| format!("cannot read {}", path.display()))?;
        let text = String::from_utf8(bytes).map_err(|error| {
            let before = &error.as_bytes()[..error.utf8_error().valid_up_to()];
            let line = before.split(|byte| *byte == b'\n').count();
            BrokenDocument::at(path.display(), number(line), 1, "the goal is not UTF-8")
        })?;
        let file = GoalFile::parse(&text).map_err(|error| refused(path, &error))?;
        Ok(Self { path: path.to_owned(), text, file })
    }
}

fn refused(path: &Path, error: &::search::GoalError) -> anyhow::Error {
    BrokenDocument::at(path.display(), number(error.line), number(error.column), &error.message).into()
}

fn number(count: usize) -> u32 {
    u32::try_from(count).unwrap_or(u32::MAX)
}

/// Puts together what the goal and the command line ask for.
fn task(
    set: &'static InstructionSet,
    asked: &SearchOptions,
    written: &Written,
    target: Target,
    parsed: &[Instruction],
    costs: &Costs,
) -> Result<Task> {
    let Written { path, text, file } = written;
    let goal = file.at(text, target.width, target.least_width).map_err(|error| refused(path, &error))?;
    let wishes = &file.search;
    let only = if asked.only.is_empty() { &wishes.only } else { &asked.only };
    let without = [wishes.without.as_slice(), &asked.without].concat();
    let filter = Filter::new(only, &without, &target, wishes.scalars, wishes.masks)?.for_goal(&goal);
    let Chosen { instructions, left_out } =
        convert::instructions(parsed, set.searched()?, &target, &filter, costs);
    let movements = match (asked.domain, wishes.domain.as_deref()) {
        (Some(domain), _) => domain == Domain::Movement,
        (None, Some("movement")) => true,
        (None, Some("all")) => false,
        (None, Some(other)) => {
            let message = format!("{}: domain `{other}` is neither `movement` nor `all`", path.display());
            return Err(Failure { code: 3, message }.into());
        }
        (None, None) => goal.is_movement(),
    };
    let two_address = !asked.three_address;
    let granularity = match asked.granularity.or(wishes.granularity) {
        Some(0) | None => None,
        Some(bits) if bits % 8 == 0 => Some(bits),
        Some(bits) if asked.granularity.is_some() => {
            return Err(usage(format!("--granularity {bits}: elements have whole bytes")));
        }
        Some(bits) => {
            let message = format!("{}: granularity {bits}: elements have whole bytes", path.display());
            return Err(Failure { code: 3, message }.into());
        }
    };
    let options = Options {
        cost: match asked.cost {
            Measure::Length => Cost::Length,
            Measure::Latency => Cost::Latency,
            Measure::Uops => Cost::Uops,
        },
        max_cost: asked.max_length.or(wishes.max_length).unwrap_or(MAX_LENGTH),
        all: asked.all,
        two_address,
        registers: asked.registers.unwrap_or(target.registers),
    };
    // Elements of masks are bits; bits of one byte are not distinguished.
    let lanewise = wishes.lanewise.then_some(goal.element.max(8));
    let selection = Selection { movements, granularity, lanewise, two_address };
    let syntax = (set.searched()?.syntax)(&target);
    Ok(Task { goal, set, target, syntax, instructions, left_out, selection, options })
}

/// What is shown while a search runs.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Show {
    /// Nothing.
    Nothing,
    /// A progress line, if standard error is a terminal.
    Progress,
    /// The same, and every sequence as soon as it is found.
    Solutions,
}

/// Runs a search, which ends after `limit`.
fn search(task: &Task, shared: &Arc<Shared>, limit: Option<Duration>, show: Show) -> Run {
    let start = Instant::now();
    let steps = transitions(&task.instructions, &task.selection);
    // The time limit is the search's own.
    let progress = progress::Progress::start(shared.clone(), limit, show != Show::Nothing);
    let mut outcome =
        find(&task.goal, &task.instructions, &steps, &task.options, shared, |event| match event {
            Event::At(position) => progress.at(position),
            Event::Found(solution) if show == Show::Solutions => {
                progress.print(&report::found(task, solution, start.elapsed()));
            }
            Event::Found(_) => {}
        });
    progress.end();
    // Intrinsics that differ in types alone, or in how much of a register they name, are one instruction.
    let mut printed = BTreeSet::new();
    outcome.solutions.retain(|solution| printed.insert(task.assembly(solution)));
    Run { outcome, seconds: start.elapsed().as_secs_f64() }
}

impl Task {
    /// The C name of the goal's function.
    fn c_name(&self) -> String {
        format!("goal_{}", self.goal.name.replace('-', "_"))
    }

    fn assembly(&self, solution: &Solution) -> Vec<String> {
        ::search::assembly(&self.goal, solution, &self.instructions, self.syntax.as_ref())
    }
}
