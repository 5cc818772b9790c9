//! `hydride port`: the instructions of one set as sequences of another, proved.

mod beside;
pub(super) mod call;
mod fallback;
mod found;
pub(super) mod header;
mod machine;
mod page;
mod search;
pub(super) mod sources;
pub(super) mod table;

use std::path::PathBuf;
use std::time::Instant;

use anyhow::{Context, Result};
use clap::Args;
use parsers::Instruction;
use rayon::prelude::*;

use self::header::Missing;
pub(super) use self::search::search;
use self::sources::{Choices, Source, sources};
use self::table::Row;
use super::synth::targets::{GroundArgs, Named};
use crate::cache::CacheArgs;
use crate::commands::search::{convert::globs, targets};
use crate::dictionary::similar_names;
use crate::{Session, SpecArgs, outputs, usage};

/// Arguments of `hydride port`.
#[derive(Args)]
pub struct PortArgs {
    #[command(flatten)]
    ground: GroundArgs,
    /// The instruction set that is ported.
    #[arg(long, value_name = "ISA")]
    from: String,
    /// What it is ported to: a target (avx2, sse42, avx512, avx512vnni, neon, hvx) or an instruction set.
    #[arg(long, value_name = "TARGET")]
    to: String,
    /// Port only instructions that need no CPU features but these, and what these bring with them.
    #[arg(long, value_name = "LIST", value_delimiter = ',')]
    from_extensions: Vec<String>,
    /// Folder for the table, as lines of JSON, in Markdown and as a page, and the header; without it the lines are printed.
    #[arg(long, value_name = "DIR")]
    out: Option<PathBuf>,
    /// Run each function of the header on the machine or an emulator on so many inputs.
    #[arg(long, value_name = "INPUTS", default_value_t = 0)]
    run: usize,
    /// Leave out of the header what has no sequence; else it has scalar code for it.
    #[arg(long)]
    no_scalar: bool,
    /// Compare the header's functions with SIMDe's, whose headers are in this folder: the instructions that a compiler makes
    /// of both, and with --run what SIMDe's compute.
    #[arg(long, value_name = "DIR")]
    beside: Option<PathBuf>,
    /// Folder for the compiled harness.
    #[arg(long, value_name = "DIR", default_value = "target/port")]
    work: PathBuf,
    /// Only these instructions (globs over ids).
    #[arg(value_name = "ID")]
    ids: Vec<String>,
}

/// The exit code of a run that was interrupted.
pub(super) const INTERRUPTED: u8 = 130;

/// Ports instructions and writes what was found; exit code 1 when nothing was.
pub fn run(session: &Session, args: &PortArgs) -> Result<u8> {
    let start = Instant::now();
    let from = session.asked(&args.from)?;
    let named = Named::find(&args.to)?;
    let ground = args.ground.read(session, named)?.of_functions();
    let instructions = instructions(session, args, from)?;
    let one = |instruction| sources(instruction, &Choices::All);
    let all: Vec<Source<'_>> = instructions.par_iter().flat_map_iter(one).collect();
    let Some(searched) = search(&all, &ground, &args.ground)? else {
        return Ok(INTERRUPTED);
    };
    let rows = searched.rows(&all);
    let set = session.set(from);
    let header = match args.out.is_some() || args.run > 0 || args.beside.is_some() {
        false => None,
        true => {
            let syntax = (set.searched()?.syntax)(&targets::choose(set, &args.from_extensions)?);
            let missing = if args.no_scalar { Missing::LeftOut } else { Missing::Scalar };
            Some(header::header(&rows, (set, syntax.as_ref()), &ground, missing)?)
        }
    };
    let written = header.as_ref().map_or(&[][..], |(_, written)| written);
    let lines = table::json(&rows, written)?;
    let beside = match (&args.beside, &header) {
        (Some(folder), Some((header, written))) => {
            Some(beside::compare(header, written, (set, &ground), folder, args.run, &args.work)?)
        }
        _ => None,
    };
    match (&args.out, &header) {
        (Some(out), Some((header, written))) => {
            let name = format!("{}_on_{}", args.from, ground.named.name);
            let mut markdown = table::markdown(&rows, written, &args.from, &ground.named.name);
            markdown += &beside.as_ref().map(beside::Comparison::markdown).unwrap_or_default();
            let page = page::page(&rows, written, beside.as_ref(), &args.from, &ground.named.name);
            let pairs = beside.as_ref().map(beside::Comparison::json).transpose()?;
            let files = [("jsonl", &lines), ("md", &markdown), ("html", &page), ("h", header)];
            let pairs = pairs.iter().map(|pairs| ("beside.jsonl", pairs));
            std::fs::create_dir_all(out).with_context(|| format!("cannot make {}", out.display()))?;
            for (ending, text) in files.into_iter().chain(pairs) {
                outputs::replace_file(&out.join(format!("{name}.{ending}")), text)?;
            }
        }
        _ => print!("{lines}"),
    }
    if let Some(beside) = &beside {
        eprintln!("{:>14} {}", "beside", beside.summary());
    }
    eprintln!("{:>14} {} in {:.1} s", "port", table::summary(&rows), start.elapsed().as_secs_f64());
    let code = u8::from(!rows.iter().any(Row::is_proved));
    match &header {
        Some((header, written)) if args.run > 0 => {
            Ok(code.max(machine::check(header, written, &ground, args.run, &args.work)?))
        }
        _ => Ok(code),
    }
}

/// The documents of an instruction set, read.
pub(super) fn parsed(
    session: &Session,
    specs: &SpecArgs,
    cache: &CacheArgs,
    isa: parsers::Isa,
) -> Result<parsers::Parsed> {
    let documents = session.read(specs.specs.as_deref(), &[isa])?;
    let cache = cache.open_at(&[session.documents_key(isa, &documents.of(isa))]);
    session.parse(isa, &documents, &cache.memo(), &|_, _| {})
}

/// The instructions that are ported.
fn instructions(session: &Session, args: &PortArgs, from: parsers::Isa) -> Result<Vec<Instruction>> {
    let parsed = parsed(session, &args.ground.specs, &args.ground.cache, from)?;
    let set = session.set(from);
    let allowed = match args.from_extensions.is_empty() {
        true => None,
        false => Some(targets::choose(set, &args.from_extensions)?),
    };
    let ids = globs(&args.ids)?;
    let mut instructions = parsed.instructions;
    for name in &args.ids {
        known(name, &instructions, &args.from)?;
    }
    instructions.retain(|instruction| {
        (ids.is_empty() || ids.is_match(&instruction.id))
            && allowed.as_ref().is_none_or(|target| target.has(instruction))
    });
    Ok(instructions)
}

/// An error where no instruction has a name, or one that a glob matches.
fn known(name: &str, instructions: &[Instruction], from: &str) -> Result<()> {
    let own = globs(std::slice::from_ref(&name.to_owned()))?;
    if instructions.iter().any(|instruction| own.is_match(&instruction.id)) {
        return Ok(());
    }
    let similar = similar_names(instructions.iter().map(|own| own.id.as_str()), name);
    let meant = match similar.as_slice() {
        [] => String::new(),
        similar => format!("; did you mean {}?", similar.join(", ")),
    };
    Err(usage(format!("{from} has no modelled instruction {name}{meant}")))
}
