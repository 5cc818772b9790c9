//! `hydride synth`: instruction sequences for vector expressions, proved.

mod autollvm;
pub(super) mod compile;
mod floor;
pub(super) mod functions;
mod layout;
pub(super) mod machine;
mod page;
mod picture;
pub(super) mod read;
pub(super) mod report;
mod seed;
pub(super) mod steps;
pub(super) mod targets;

use std::collections::BTreeMap;
use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use ::synth::synthesize::{Answer, Status, prover, synthesize};
use ::synth::table::{Op, Table};
use ::synth::window::Window;
use anyhow::Result;
use clap::{Args, ValueEnum};
use memo::{Key, Memo, digest};
use rayon::prelude::*;

use self::autollvm::Operations;
use self::functions::Source;
use self::report::Beside;
use self::seed::Seeds;
use self::targets::{Ground, GroundArgs, Named};
use crate::cache::{Cache, CacheArgs};
use crate::commands::search::convert::globs;
use crate::{Session, usage};

/// Arguments of `hydride synth`.
#[derive(Args)]
pub struct SynthArgs {
    #[command(flatten)]
    ground: GroundArgs,
    /// What is compiled for: a target (avx2, sse42, avx512, avx512vnni, neon, hvx) or an instruction set; else what each
    /// window names.
    #[arg(long)]
    isa: Option<String>,
    /// How answers are printed.
    #[arg(long, value_enum, default_value_t = Emit::Json)]
    emit: Emit,
    /// The folder that `generate-ir` wrote, whose operations `--emit autollvm` calls.
    #[arg(long, value_name = "DIR", default_value = "out")]
    out: PathBuf,
    /// LLVM assembly with functions that compute windows of their names already: each is proved and kept, or replaced by what
    /// is cheaper.
    #[arg(long, value_name = "FILE.ll")]
    seed: Option<PathBuf>,
    /// The lanes of the result, or of the leaves, may be in another order, if that costs less; the answer names it.
    #[arg(long, conflicts_with = "seed")]
    any_layout: bool,
    /// Say in words what was chosen, with costs and proofs.
    #[arg(long)]
    explain: bool,
    /// Also write all answers to a page of HTML: costs, choices in words, and code in C.
    #[arg(long, value_name = "FILE.html")]
    page: Option<PathBuf>,
    /// What the files hold.
    #[arg(long, value_enum, default_value_t = From::Windows)]
    from: From,
    /// Only these windows or functions (globs over names; may be repeated).
    #[arg(long, value_name = "NAME")]
    only: Vec<String>,
    /// Choices of a function's immediates, at most.
    #[arg(long, value_name = "N", default_value_t = 256, value_parser = clap::value_parser!(u32).range(1..))]
    choices: u32,
    /// Windows with another target than the one asked for are left out, and functions that are no instruction of it.
    #[arg(long)]
    matching: bool,
    /// Run each answer on the machine or an emulator on so many inputs.
    #[arg(long, value_name = "INPUTS", default_value_t = 0)]
    run: usize,
    /// Folder for the compiled harness.
    #[arg(long, value_name = "DIR", default_value = "target/synth")]
    work: PathBuf,
    /// Files with one window a line, or functions of the IR.
    #[arg(required = true, value_name = "FILE")]
    files: Vec<PathBuf>,
}

#[derive(Clone, Copy, PartialEq, Eq, ValueEnum)]
enum Emit {
    /// What was chosen, with its cost and proof.
    Json,
    /// A function with the vendor's intrinsics.
    C,
    /// LLVM IR with calls of operations.
    Autollvm,
    /// The function in C as LLVM IR.
    Ll,
    /// The function in C as assembly.
    Asm,
    /// The instructions as a graph, for Graphviz.
    Dot,
}

impl Emit {
    /// What a comment begins with.
    fn comment(self) -> &'static str {
        match self {
            Self::Json | Self::C | Self::Dot => "//",
            Self::Autollvm | Self::Ll => ";",
            Self::Asm => "#",
        }
    }
}

#[derive(Clone, Copy, PartialEq, Eq, ValueEnum)]
enum From {
    /// A window a line, as JSON.
    Windows,
    /// Functions of the IR.
    Hir,
}

/// What is asked for, and the name of the target.
type Task = (Source, String);

/// An answer as it is printed, and what of it can be run.
struct Printed {
    text: String,
    explanation: String,
    proved: bool,
    case: Option<machine::Case>,
    /// The answer in JSON and its code, for the page.
    page: Option<(String, Option<String>)>,
}

/// Reads windows, searches a program for each and prints the answers; exit code 1 when one has none.
pub fn run(session: &Session, args: &SynthArgs) -> Result<u8> {
    let mut grounds: BTreeMap<String, Ground> = BTreeMap::new();
    let tasks = match args.from {
        From::Windows => windows(session, args, &mut grounds)?,
        From::Hir => functions(session, args, &mut grounds)?,
    };
    let stop = Arc::new(AtomicBool::new(false));
    let handler = stop.clone();
    crate::console::on_interrupt(move || handler.swap(true, Ordering::Relaxed));
    let searched =
        tasks.iter().filter_map(|(source, name)| Some((source.window.as_ref().ok()?, &grounds[name])));
    let cache = answers(&args.ground.cache, searched);
    let memo = cache.memo();
    let sets = grounds.values().map(|ground| ground.set.name).collect();
    let operations = match args.emit {
        Emit::Autollvm => Operations::read(&args.out, &sets)?,
        _ => BTreeMap::new(),
    };
    let seeds = seeds(session, args, &tasks, &grounds)?;
    let pool = rayon::ThreadPoolBuilder::new().num_threads(args.ground.jobs).build()?;
    let printed: Vec<Result<Printed>> = pool.install(|| {
        let answer = |(source, name): &Task| {
            let ground = &grounds[name];
            answer(args, source, ground, operations.get(ground.set.name), seeds.as_ref(), &memo, &stop)
        };
        tasks.par_iter().map(answer).collect()
    });
    cache.save();
    let (mut code, mut cases, mut entries) = (0, BTreeMap::new(), Vec::new());
    for (printed, (_, name)) in printed.into_iter().zip(&tasks) {
        let printed = printed?;
        print!("{}", printed.text);
        if args.explain {
            eprint!("{}", printed.explanation);
        }
        code = code.max(u8::from(!printed.proved));
        if let Some(case) = printed.case {
            cases.entry(name.clone()).or_insert_with(Vec::new).push(case);
        }
        if let Some((line, code)) = printed.page {
            entries.push(page::Entry { line, explanation: printed.explanation, code });
        }
    }
    match &args.page {
        Some(_) if stop.load(Ordering::Relaxed) => eprintln!("interrupted: the page is not written"),
        Some(path) => crate::outputs::replace_file(path, &page::page(&entries)?)?,
        None => {}
    }
    if args.run > 0 {
        for (name, cases) in cases {
            code = code.max(machine::check(&grounds[&name], cases, args.run, &args.work)?);
        }
    }
    Ok(code)
}

/// The functions of `--seed`, at least one of which is for a window.
fn seeds<'s>(
    session: &'s Session,
    args: &SynthArgs,
    tasks: &[Task],
    grounds: &BTreeMap<String, Ground>,
) -> Result<Option<Seeds<'s>>> {
    let Some(path) = &args.seed else { return Ok(None) };
    let seeds = Seeds::read(session, args.ground.specs.specs.as_deref(), path, grounds)?;
    let mut windows = tasks.iter().filter_map(|(source, _)| source.window.as_ref().ok());
    if !windows.any(|window| seeds.has(window)) {
        return Err(usage(format!("{} has no function that is called like a window", path.display())));
    }
    Ok(Some(seeds))
}

/// The target of that name, read where it is not there yet.
fn ground(
    session: &Session,
    args: &SynthArgs,
    named: Named,
    grounds: &mut BTreeMap<String, Ground>,
) -> Result<String> {
    let name = named.name.clone();
    if !grounds.contains_key(&name) {
        grounds.insert(name.clone(), args.ground.read(session, named)?);
    }
    Ok(name)
}

/// Windows of files, each for the target asked for or its own.
fn windows(session: &Session, args: &SynthArgs, grounds: &mut BTreeMap<String, Ground>) -> Result<Vec<Task>> {
    let asked = args.isa.as_deref().map(Named::find).transpose()?;
    let only = globs(&args.only)?;
    let mut tasks = Vec::new();
    for window in read::windows(&args.files)? {
        let named = match &asked {
            Some(named) => named.clone(),
            None => Named::find(&window.target)?,
        };
        let left_out = args.matching && named.name != window.target;
        if left_out || !(only.is_empty() || only.is_match(&window.name)) {
            continue;
        }
        let source = Source { function: window.name.clone(), name: window.name.clone(), window: Ok(window) };
        tasks.push((source, ground(session, args, named, grounds)?));
    }
    Ok(tasks)
}

/// Functions of files, for the target asked for.
fn functions(
    session: &Session,
    args: &SynthArgs,
    grounds: &mut BTreeMap<String, Ground>,
) -> Result<Vec<Task>> {
    let Some(asked) = &args.isa else { return Err(usage("functions have no target: give --isa")) };
    let name = ground(session, args, Named::find(asked)?, grounds)?;
    let (only, target) = (globs(&args.only)?, &grounds[&name]);
    let wanted = |function: &str| {
        (only.is_empty() || only.is_match(function)) && (!args.matching || target.own(function).is_some())
    };
    let narrowest = target.named.widths.first().copied().unwrap_or(0);
    let sources = functions::sources(&args.files, wanted, narrowest, args.choices as usize)?;
    Ok(sources.into_iter().map(|source| (source, name.clone())).collect())
}

/// What a micro-operation costs.
const UOP: u64 = 1000;

/// What an operation costs, in thousandths of a cycle: its micro-operations, then its latency.
pub(super) fn cost(table: &Table, op: &Op) -> u64 {
    let instruction = &table.instructions[op.instruction];
    UOP * u64::from(instruction.uops) + u64::from(instruction.latency)
}

/// What the memo has for a window, proved, or what is searched until an interrupt or for so many seconds (0 for no end);
/// programs of more than `most` micro-operations are not looked for. The table is the target's with the immediates that the
/// window asked for.
pub(super) fn solve<'w>(
    window: &'w Window,
    ground: &Ground,
    memo: &Memo,
    stop: &AtomicBool,
    max_seconds: u64,
    most: Option<u32>,
) -> (Answer<'w>, Table) {
    solve_with(ground.table.clone(), window, ground, memo, stop, max_seconds, most)
}

/// The same with a table that has some of the target's instructions.
pub(super) fn solve_with<'w>(
    mut table: Table,
    window: &'w Window,
    ground: &Ground,
    memo: &Memo,
    stop: &AtomicBool,
    max_seconds: u64,
    most: Option<u32>,
) -> (Answer<'w>, Table) {
    let start = Instant::now();
    let limit = (max_seconds > 0).then(|| Duration::from_secs(max_seconds));
    let ended = || stop.load(Ordering::Relaxed) || limit.is_some_and(|limit| start.elapsed() >= limit);
    let price = |op: &Op| cost(&ground.table, op);
    // Latencies are the lower digits of a cost, so that what is beyond the limit has one micro-operation more.
    let most = most.map(|most| UOP * (u64::from(most) + 1));
    let target = ::synth::synthesize::Target { most, ..ground.target(&price) };
    let answer = synthesize(window, &mut table, &target, memo, &ended, &mut prover());
    (answer, table)
}

/// The cache with the answers for some windows, each on its target, and for the parts that they were computed in.
pub(super) fn answers<'a>(
    cache: &CacheArgs,
    windows: impl IntoIterator<Item = (&'a Window, &'a Ground)>,
) -> Cache {
    let key = |(window, ground): (&Window, &Ground)| {
        let key = answer_key(window, ground);
        [key, parts_key(&key)]
    };
    let mut keys: Vec<Key> = windows.into_iter().flat_map(key).collect();
    let opened = cache.open_at(&keys);
    let memo = opened.memo();
    let parts: Vec<Key> = keys.chunks(2).filter_map(|own| memo.get::<Vec<Key>>(&own[1])).flatten().collect();
    if parts.is_empty() {
        return opened;
    }
    keys.extend(parts);
    cache.open_at(&keys)
}

/// The key of the list of the keys of a window's parts.
fn parts_key(window: &Key) -> Key {
    digest([&window[..], b"parts"])
}

/// The key of a window's answer on a target.
pub(super) fn answer_key(window: &Window, ground: &Ground) -> Key {
    let price = |_: &Op| 0;
    ground.target(&price).answer_key(window)
}

/// The seconds that are left of so many (0 for no end) since a start; `None` when they are over.
fn left(max_seconds: u64, start: Instant) -> Option<u64> {
    match max_seconds {
        0 => Some(0),
        most => most.checked_sub(start.elapsed().as_secs()).filter(|left| *left > 0),
    }
}

/// Whether all of a window's values are whole bytes; others cannot be passed to the machine.
fn in_bytes(window: &Window) -> bool {
    let whole = |ty: ::synth::window::Type| ty.bits().is_multiple_of(8) && ty.width >= 8;
    window.ty().bits().is_multiple_of(8) && window.leaves.iter().all(|leaf| whole(leaf.ty))
}

/// What is printed for what is no window.
fn not_searched(args: &SynthArgs, source: &Source, why: &str, ground: &Ground) -> Result<Printed> {
    let text = match args.emit {
        Emit::Json => report::no_window(source, why, ground)? + "\n",
        Emit::Autollvm => format!("; {}: {why}\n", source.name),
        _ => format!("// {}: {why}\n", source.name),
    };
    let explanation = format!("{} on {}: not searched: {why}\n", source.name, ground.named.name);
    let page = match args.page {
        Some(_) => Some((report::no_window(source, why, ground)?, None)),
        None => None,
    };
    Ok(Printed { text, explanation, proved: false, case: None, page })
}

fn answer(
    args: &SynthArgs,
    source: &Source,
    ground: &Ground,
    operations: Option<&Operations>,
    seeds: Option<&Seeds<'_>>,
    memo: &Memo,
    stop: &AtomicBool,
) -> Result<Printed> {
    let window = match &source.window {
        Ok(window) => window,
        Err(why) => return not_searched(args, source, why, ground),
    };
    let start = Instant::now();
    let mut seed = seeds.and_then(|seeds| seeds.of(window, ground));
    let reordered = match args.any_layout {
        true => layout::cheapest(window, ground, memo, stop, args.ground.max_seconds),
        false => None,
    };
    let (window, most) = match &reordered {
        Some(reordered) => (&reordered.window, Some(reordered.uops)),
        None => (window, seed.as_ref().zip(seeds).and_then(|(seed, seeds)| seed.most(seeds, ground))),
    };
    let order = reordered.as_ref().map(|reordered| &reordered.order);
    let (mut answer, table) = solve(window, ground, memo, stop, args.ground.max_seconds, most);
    if let Some((seed, seeds)) = seed.as_mut().zip(seeds) {
        let program = answer.program.as_ref().map(|(program, _)| program);
        seed.decide(seeds, ground, &answer.meaning, &table, program);
        if seed.is_kept() {
            answer.program = None;
            let beside = Beside { seed: Some(seed), ..Beside::default() };
            let line = report::json(source, &answer, &table, ground, &beside, start.elapsed().as_secs_f64())?;
            let page = args.page.is_some().then(|| (line.clone(), None));
            let text = match args.emit {
                Emit::Json => line + "\n",
                Emit::Ll => seed.text(seeds).to_owned() + "\n",
                Emit::Asm => seed.assembly(seeds, ground)?,
                emit => format!("{} {}", emit.comment(), seed.kept(window)),
            };
            return Ok(Printed { text, explanation: seed.kept(window), proved: true, case: None, page });
        }
    }
    let name = compile::c_name(window);
    let c = match &answer.program {
        Some((program, _)) => {
            ::synth::c_function(&mut answer.meaning, &table, program, ground.syntax.as_ref(), &name).ok()
        }
        None => None,
    };
    let module = match (&answer.program, operations) {
        (Some((program, _)), Some(operations)) => {
            Some(operations.module(&answer.meaning, &table, program, ground, &name))
        }
        _ => None,
    };
    // A program that C has no form for is none.
    if c.is_none() && answer.program.take().is_some() {
        answer.status = Status::Exhausted;
    }
    let mut explanation = steps::explain(&answer, &table, ground);
    let floor = match &c {
        Some(_) => None,
        None => {
            let seconds = left(args.ground.max_seconds, start).unwrap_or(1);
            match floor::floor(window, ground, memo, stop, seconds, &name) {
                Ok(floor) => Some(floor),
                Err(error) => {
                    answer.notes.push(error.to_string());
                    None
                }
            }
        }
    };
    for (number, part) in floor.iter().flat_map(|floor| floor.parts.iter().enumerate()) {
        explanation += &format!("part {number}: {}", part.answer.explanation);
    }
    let c = c.or(floor.as_ref().map(|floor| floor.lines.clone()));
    let seconds = start.elapsed().as_secs_f64();
    let beside = Beside { floor: floor.as_ref(), seed: seed.as_ref(), order };
    let line = report::json(source, &answer, &table, ground, &beside, seconds)?;
    let page =
        args.page.is_some().then(|| (line.clone(), c.as_ref().map(|lines| compile::source(ground, lines))));
    let text = match args.emit {
        Emit::Json => line + "\n",
        Emit::Autollvm => module.unwrap_or_else(|| report::missing(&answer, args.emit.comment())),
        Emit::Dot => match &answer.program {
            Some((program, _)) => picture::picture(window, program, &table, ground),
            None => format!("// {}: no program for the window as a whole\n", window.name),
        },
        _ => match &c {
            None => report::missing(&answer, "//"),
            Some(lines) => match args.emit {
                Emit::C => compile::source(ground, lines),
                Emit::Ll => compile::compile(ground, lines, &["-emit-llvm"], &args.work, &name)?,
                _ => compile::compile(ground, lines, &[], &args.work, &name)?,
            },
        },
    };
    let reordered = order.map(|order| format!("{}: {order}\n", window.name)).unwrap_or_default();
    let text = match args.emit {
        Emit::Json => text,
        _ if reordered.is_empty() => text,
        emit => format!("{} {reordered}{text}", emit.comment()),
    };
    explanation += &reordered;
    let case = match c {
        Some(lines) if args.run > 0 && in_bytes(window) => {
            Some(machine::Case::new(window, &mut answer.meaning, name, lines)?)
        }
        _ => None,
    };
    let proved = match answer.status {
        Status::Proved => true,
        Status::Exhausted => floor.is_some(),
        Status::OutOfTime => false,
    };
    Ok(Printed { text, explanation, proved, case, page })
}
