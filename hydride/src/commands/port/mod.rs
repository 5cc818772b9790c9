//! `hydride port`: the instructions of one set as sequences of another, proved.

mod header;
mod machine;
mod sources;
mod table;

use std::collections::HashMap;
use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Instant;

use ::synth::c_body;
use ::synth::synthesize::Status;
use ::synth::window::Window;
use anyhow::{Context, Result};
use clap::Args;
use parsers::Instruction;
use rayon::prelude::*;

use self::sources::{Source, key, sources};
use self::table::Row;
use super::synth::report::{Cost, Step, cost, steps};
use super::synth::solve;
use super::synth::targets::{Ground, Named};
use crate::cache::CacheArgs;
use crate::commands::search::{convert::globs, targets};
use crate::console::{Phases, on_interrupt};
use crate::{Session, SpecArgs, outputs};

/// Arguments of `hydride port`.
#[derive(Args)]
pub struct PortArgs {
    #[command(flatten)]
    specs: SpecArgs,
    #[command(flatten)]
    cache: CacheArgs,
    /// The instruction set that is ported.
    #[arg(long, value_name = "ISA")]
    from: String,
    /// What it is ported to: a target (avx2, avx512, avx512vnni, neon, hvx) or an instruction set.
    #[arg(long, value_name = "TARGET")]
    to: String,
    /// The machine whose costs are counted; else the target's.
    #[arg(long)]
    cpu: Option<String>,
    /// CPU features that sequences may need, and what these bring with them; else the target's.
    #[arg(long, value_name = "LIST", value_delimiter = ',')]
    extensions: Vec<String>,
    /// Port only instructions that need no CPU features but these, and what these bring with them.
    #[arg(long, value_name = "LIST", value_delimiter = ',')]
    from_extensions: Vec<String>,
    /// Folder for the table, as lines of JSON and in Markdown, and the header; without it the lines are printed.
    #[arg(long, value_name = "DIR")]
    out: Option<PathBuf>,
    /// Instructions at a time; 0 for one a processor.
    #[arg(long, value_name = "N", default_value_t = 0)]
    jobs: usize,
    /// End the search for an instruction after so many seconds; 0 for no end.
    #[arg(long, value_name = "SECONDS", default_value_t = 60)]
    max_seconds: u64,
    /// Run each function of the header on the machine or an emulator on so many inputs.
    #[arg(long, value_name = "INPUTS", default_value_t = 0)]
    run: usize,
    /// Folder for the compiled harness.
    #[arg(long, value_name = "DIR", default_value = "target/port")]
    work: PathBuf,
    /// Only these instructions (globs over ids).
    #[arg(value_name = "ID")]
    ids: Vec<String>,
}

/// What was found for a window.
pub struct Found {
    status: Status,
    /// How it was proved, its cost and its steps.
    program: Option<(&'static str, Cost, Vec<Step>)>,
    /// The body in C.
    body: Option<Vec<String>>,
    notes: Vec<String>,
}

/// Ports instructions and writes what was found; exit code 1 when nothing was.
pub fn run(session: &Session, args: &PortArgs) -> Result<u8> {
    let start = Instant::now();
    let from = session.asked(&args.from)?;
    let specs = args.specs.specs.as_deref();
    let named = Named::find(&args.to)?;
    let ground = Ground::read(session, specs, named, args.cpu.as_deref(), &args.extensions, &args.cache)?;
    let instructions = instructions(session, args, from)?;
    let all: Vec<Source<'_>> = instructions.par_iter().flat_map_iter(sources).collect();
    let mut numbers: HashMap<String, usize> = HashMap::new();
    let mut windows: Vec<&Window> = Vec::new();
    let mut number = |window| {
        *numbers.entry(key(window)).or_insert_with(|| {
            windows.push(window);
            windows.len() - 1
        })
    };
    let asked: Vec<Option<usize>> =
        all.iter().map(|source| source.window.as_ref().ok().map(&mut number)).collect();
    let stop = Arc::new(AtomicBool::new(false));
    let handler = stop.clone();
    on_interrupt(move || handler.swap(true, Ordering::Relaxed));
    let mut phases = Phases::default();
    let phase = phases.start("port", windows.len());
    let pool = rayon::ThreadPoolBuilder::new().num_threads(args.jobs).build()?;
    let found: Vec<Found> = pool.install(|| {
        let one = |window: &&Window| {
            let found = find(window, &ground, &stop, args.max_seconds);
            phase.advance(1);
            found
        };
        windows.par_iter().map(one).collect()
    });
    phases.end(phase, &format!("{} functions", windows.len()));
    let rows: Vec<Row<'_>> =
        all.iter().zip(asked).map(|(source, asked)| Row::new(source, asked.map(|at| &found[at]))).collect();
    let lines = table::json(&rows)?;
    let set = session.set(from);
    let syntax = (set.searched()?.syntax)(&targets::choose(set, &args.from_extensions)?);
    let (header, written) = header::header(&rows, (set, syntax.as_ref()), &ground);
    match &args.out {
        None => print!("{lines}"),
        Some(out) => {
            let name = format!("{}_on_{}", args.from, ground.named.name);
            let markdown = table::markdown(&rows, &args.from, &ground.named.name);
            let files = [("jsonl", &lines), ("md", &markdown), ("h", &header)];
            std::fs::create_dir_all(out).with_context(|| format!("cannot make {}", out.display()))?;
            for (ending, text) in files {
                outputs::replace_file(&out.join(format!("{name}.{ending}")), text)?;
            }
        }
    }
    eprintln!("{:>14} {} in {:.1} s", "port", table::summary(&rows), start.elapsed().as_secs_f64());
    let code = u8::from(!rows.iter().any(Row::is_proved));
    if args.run > 0 {
        return Ok(code.max(machine::check(&header, &written, &ground, args.run, &args.work)?));
    }
    Ok(code)
}

/// The instructions that are ported.
fn instructions(session: &Session, args: &PortArgs, from: parsers::Isa) -> Result<Vec<Instruction>> {
    let documents = session.read(args.specs.specs.as_deref(), &[from])?;
    let cache = args.cache.open_at(&[session.documents_key(from, &documents.of(from))]);
    let memo = cache.memo();
    let parsed = session.parse(from, &documents, &memo, &|_, _| {})?;
    let set = session.set(from);
    let allowed = match args.from_extensions.is_empty() {
        true => None,
        false => Some(targets::choose(set, &args.from_extensions)?),
    };
    let ids = globs(&args.ids)?;
    let mut instructions = parsed.instructions;
    instructions.retain(|instruction| {
        (ids.is_empty() || ids.is_match(&instruction.id))
            && allowed.as_ref().is_none_or(|target| target.has(instruction))
    });
    Ok(instructions)
}

fn find(window: &Window, ground: &Ground, stop: &AtomicBool, max_seconds: u64) -> Found {
    let (mut answer, table) = solve(window, ground, stop, max_seconds);
    let body = answer
        .program
        .as_ref()
        .and_then(|(program, _)| c_body(&mut answer.meaning, &table, program, ground.syntax.as_ref()).ok());
    let program = answer
        .program
        .as_ref()
        .map(|(program, proof)| (proof.name(), cost(program, &table), steps(window, program, &table)));
    Found { status: answer.status, program, body, notes: answer.notes }
}
