//! `hydride synth`: instruction sequences for vector expressions, proved.

mod compile;
mod machine;
mod read;
pub(super) mod report;
pub(super) mod targets;

use std::collections::BTreeMap;
use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use ::synth::synthesize::{Answer, Status, Target, prover, synthesize};
use ::synth::table::{Op, Table};
use ::synth::window::Window;
use anyhow::Result;
use clap::{Args, ValueEnum};
use rayon::prelude::*;

use self::targets::{Ground, Named};
use crate::cache::CacheArgs;
use crate::{Session, SpecArgs};

/// Arguments of `hydride synth`.
#[derive(Args)]
pub struct SynthArgs {
    #[command(flatten)]
    specs: SpecArgs,
    #[command(flatten)]
    cache: CacheArgs,
    /// What is compiled for: a target (avx2, avx512, avx512vnni, neon, hvx) or an instruction set; else what each
    /// window names.
    #[arg(long)]
    isa: Option<String>,
    /// The machine whose costs are counted; else the target's.
    #[arg(long)]
    cpu: Option<String>,
    /// CPU features that instructions may need, and what these bring with them; else the target's.
    #[arg(long, value_name = "LIST", value_delimiter = ',')]
    extensions: Vec<String>,
    /// How answers are printed.
    #[arg(long, value_enum, default_value_t = Emit::Json)]
    emit: Emit,
    /// Say in words what was chosen, with costs and proofs.
    #[arg(long)]
    explain: bool,
    /// Windows with another target than the one asked for are left out.
    #[arg(long)]
    matching: bool,
    /// Run each answer on the machine or an emulator on so many inputs.
    #[arg(long, value_name = "INPUTS", default_value_t = 0)]
    run: usize,
    /// Folder for the compiled harness.
    #[arg(long, value_name = "DIR", default_value = "target/synth")]
    work: PathBuf,
    /// Windows at a time; 0 for one a processor.
    #[arg(long, value_name = "N", default_value_t = 0)]
    jobs: usize,
    /// End the search of a window after so many seconds; 0 for no end.
    #[arg(long, value_name = "SECONDS", default_value_t = 60)]
    max_seconds: u64,
    /// Files with one window a line.
    #[arg(required = true, value_name = "FILE")]
    files: Vec<PathBuf>,
}

#[derive(Clone, Copy, PartialEq, Eq, ValueEnum)]
enum Emit {
    Json,
    C,
    Ll,
    Asm,
}

/// An answer as it is printed, and what of it can be run.
struct Printed {
    text: String,
    explanation: String,
    proved: bool,
    case: Option<machine::Case>,
}

/// Reads windows, searches a program for each and prints the answers; exit code 1 when one has none.
pub fn run(session: &Session, args: &SynthArgs) -> Result<u8> {
    let windows = read::windows(&args.files)?;
    let asked = args.isa.as_deref().map(Named::find).transpose()?;
    let mut grounds: BTreeMap<String, Ground> = BTreeMap::new();
    let mut tasks: Vec<(&Window, String)> = Vec::new();
    for window in &windows {
        let named = match &asked {
            Some(named) => named.clone(),
            None => Named::find(&window.target)?,
        };
        if args.matching && named.name != window.target {
            continue;
        }
        let name = named.name.clone();
        if !grounds.contains_key(&name) {
            let specs = args.specs.specs.as_deref();
            let ground =
                Ground::read(session, specs, named, args.cpu.as_deref(), &args.extensions, &args.cache)?;
            grounds.insert(name.clone(), ground);
        }
        tasks.push((window, name));
    }
    let stop = Arc::new(AtomicBool::new(false));
    let handler = stop.clone();
    crate::console::on_interrupt(move || handler.swap(true, Ordering::Relaxed));
    let pool = rayon::ThreadPoolBuilder::new().num_threads(args.jobs).build()?;
    let printed: Vec<Result<Printed>> = pool.install(|| {
        tasks.par_iter().map(|(window, name)| answer(args, window, &grounds[name], &stop)).collect()
    });
    let (mut code, mut cases) = (0, BTreeMap::new());
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
    }
    if args.run > 0 {
        for (name, cases) in cases {
            code = code.max(machine::check(&grounds[&name], cases, args.run, &args.work)?);
        }
    }
    Ok(code)
}

/// What an operation costs, in thousandths of a cycle: its micro-operations, then its latency.
fn cost(table: &Table, op: &Op) -> u64 {
    let instruction = &table.instructions[op.instruction];
    1000 * u64::from(instruction.uops) + u64::from(instruction.latency)
}

/// Searches a program for a window, until an interrupt or for so many seconds (0 for no end). The table is the target's
/// with the immediates that the window asked for.
pub(super) fn solve<'w>(
    window: &'w Window,
    ground: &Ground,
    stop: &AtomicBool,
    max_seconds: u64,
) -> (Answer<'w>, Table) {
    let start = Instant::now();
    let limit = (max_seconds > 0).then(|| Duration::from_secs(max_seconds));
    let ended = || stop.load(Ordering::Relaxed) || limit.is_some_and(|limit| start.elapsed() >= limit);
    let mut table = ground.table.clone();
    let price = |op: &Op| cost(&ground.table, op);
    let target = Target { widths: ground.named.widths.clone(), cost: &price };
    let answer = synthesize(window, &mut table, &target, &ended, &mut prover());
    (answer, table)
}

fn answer(args: &SynthArgs, window: &Window, ground: &Ground, stop: &AtomicBool) -> Result<Printed> {
    let start = Instant::now();
    let (mut answer, table) = solve(window, ground, stop, args.max_seconds);
    let seconds = start.elapsed().as_secs_f64();
    let explanation = report::explain(&answer, &table, ground);
    let name = report::c_name(window);
    let c = match &answer.program {
        Some((program, _)) => {
            Some(::synth::c_function(&mut answer.meaning, &table, program, ground.syntax.as_ref(), &name))
        }
        None => None,
    };
    let text = match args.emit {
        Emit::Json => report::json(&answer, &table, ground, seconds)? + "\n",
        _ => match &c {
            None => report::missing(&answer),
            Some(Err(error)) => format!("// {}: {error}\n", window.name),
            Some(Ok(lines)) => match args.emit {
                Emit::C => report::source(ground, lines),
                Emit::Ll => compile::compile(ground, lines, &["-emit-llvm"], &args.work, &name)?,
                _ => compile::compile(ground, lines, &[], &args.work, &name)?,
            },
        },
    };
    let case = match c {
        Some(Ok(lines)) if args.run > 0 => {
            Some(machine::Case::new(window, &mut answer.meaning, name, lines)?)
        }
        _ => None,
    };
    Ok(Printed { text, explanation, proved: answer.status == Status::Proved, case })
}
