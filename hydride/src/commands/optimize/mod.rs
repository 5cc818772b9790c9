//! `hydride optimize`: cheaper computations in place of those in LLVM modules, proved.

pub mod intrinsics;
mod module;
mod price;
mod report;
mod search;

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use anyhow::{Result, anyhow};
use clap::Args;
use rayon::prelude::*;

use self::intrinsics::Known;
use self::module::Source;
use self::price::Prices;
use self::search::{Finder, Found, Question};
use super::port::INTERRUPTED;
use super::synth::targets::{Ground, Named};
use crate::cache::CacheArgs;
use crate::{Session, SpecArgs, outputs};

/// Slices that are searched before their candidates are priced together.
const BATCH: usize = 16;

/// Arguments of `hydride optimize`.
#[derive(Args)]
pub struct OptimizeArgs {
    #[command(flatten)]
    specs: SpecArgs,
    #[command(flatten)]
    cache: CacheArgs,
    /// What is compiled for: a target (avx2, sse42, avx512, avx512vnni, neon, hvx) or an instruction set.
    #[arg(long, value_name = "TARGET")]
    isa: String,
    /// The machine whose costs are counted; else the target's.
    #[arg(long)]
    cpu: Option<String>,
    /// Folder for what was found: lines of JSON, a table in Markdown, and a module for each rewrite.
    #[arg(long, value_name = "DIR")]
    report: Option<PathBuf>,
    /// Use only what the cache has, and search nothing.
    #[arg(long)]
    offline: bool,
    /// Instructions of a slice, at most.
    #[arg(long, value_name = "N", default_value_t = 24, value_parser = clap::value_parser!(u32).range(1..=200))]
    max_instructions: u32,
    /// Slices at a time; 0 for one a processor.
    #[arg(long, value_name = "N", default_value_t = 0)]
    jobs: usize,
    /// End the search after so many seconds and write what was found; 0 for no end.
    #[arg(long, value_name = "SECONDS", default_value_t = 0)]
    max_seconds: u64,
    /// LLVM assembly; the result is written beside it as NAME.opt.ll.
    #[arg(required = true, value_name = "FILE.ll")]
    files: Vec<PathBuf>,
}

/// Reads modules, searches, and writes what becomes of them.
pub fn run(session: &Session, args: &OptimizeArgs) -> Result<u8> {
    let start = Instant::now();
    let named = Named::find(&args.isa)?;
    let known = Known::new(session, args.specs.specs.clone())?;
    let mut sources = Vec::new();
    for file in &args.files {
        sources.push(Source::read(file, &known, args.max_instructions as usize)?);
    }
    let (interrupted, handler) = flag();
    crate::console::on_interrupt(move || handler.swap(true, Ordering::Relaxed));
    let limit = (args.max_seconds > 0).then(|| Duration::from_secs(args.max_seconds));
    let late = || limit.is_some_and(|limit| start.elapsed() >= limit);
    let stop = || interrupted.load(Ordering::Relaxed) || late();
    let mut questions: BTreeMap<&str, Question<'_>> = BTreeMap::new();
    for slice in sources.iter().flat_map(|source| &source.slices) {
        let question = Question { slice: &slice.slice, attributes: &slice.attributes };
        questions.entry(slice.key.as_str()).or_insert(question);
    }
    let cache = args.cache.open();
    let ground = if args.offline {
        None
    } else {
        let specs = args.specs.specs.as_deref();
        Some(Ground::read(session, specs, named.clone(), args.cpu.as_deref(), &[], &args.cache)?)
    };
    let prices = Prices::new(&named, args.cpu.as_deref());
    let finder = Finder::new(session, &known, ground.as_ref(), &prices, cache.memo(), &named)?;
    let pool = rayon::ThreadPoolBuilder::new().num_threads(args.jobs).build()?;
    let all: Vec<(&str, Question<'_>)> = questions.into_iter().collect();
    let mut found: BTreeMap<&str, Found> = BTreeMap::new();
    pool.install(|| -> Result<()> {
        // What is kept is proved again; the rest is searched.
        let kept: Vec<_> = all.par_iter().map(|(key, question)| finder.kept(key, question)).collect();
        let mut open = Vec::new();
        for ((key, question), kept) in all.iter().zip(kept) {
            match kept {
                Some(answer) => found.extend(answer.map(|answer| (*key, answer))),
                None => open.push((*key, *question)),
            }
        }
        if !args.offline {
            for batch in open.chunks(BATCH) {
                if stop() {
                    break;
                }
                found.extend(finder.search(batch, &stop)?);
            }
        }
        Ok(())
    })?;
    cache.save();
    if interrupted.load(Ordering::Relaxed) {
        return Ok(INTERRUPTED);
    }
    let mut changes = Vec::new();
    for source in &sources {
        let (text, own) = source.changed(&found);
        outputs::replace_file(&beside(&source.path), text)?;
        changes.push(own);
    }
    let seconds = start.elapsed().as_secs_f64();
    let lines = report::lines(&sources, &changes, &found);
    for (source, own) in sources.iter().zip(&changes) {
        println!("{}", report::summary(source, own.len(), all.len(), seconds)?);
    }
    if let Some(folder) = &args.report {
        report::write(folder, &lines, &named.name, prices.tools())?;
    }
    Ok(0)
}

fn flag() -> (Arc<AtomicBool>, Arc<AtomicBool>) {
    let flag = Arc::new(AtomicBool::new(false));
    (flag.clone(), flag)
}

/// `NAME.opt.ll` for `NAME.ll`.
fn beside(path: &Path) -> PathBuf {
    path.with_extension("opt.ll")
}

/// A file's text.
fn text(path: &Path) -> Result<String> {
    std::fs::read_to_string(path).map_err(|error| anyhow!("cannot read {}: {error}", path.display()))
}
