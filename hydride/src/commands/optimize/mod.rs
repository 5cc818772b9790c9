//! `hydride optimize`: cheaper computations in place of those in LLVM modules, proved.

mod excerpt;
mod improve;
pub mod intrinsics;
mod measure;
mod module;
pub(super) mod price;
mod report;
mod search;
mod settled;
mod shard;
mod whole;

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use anyhow::{Result, anyhow};
use clap::Args;

pub use self::improve::{SearchArgs, Work};
use self::measure::Measurement;
use self::shard::Shard;
use super::port::INTERRUPTED;
use super::synth::targets::Named;
use crate::{Session, outputs};

/// Arguments of `hydride optimize`.
#[derive(Args)]
pub struct OptimizeArgs {
    #[command(flatten)]
    search: SearchArgs,
    /// What is compiled for: a target (avx2, sse42, avx512, avx512vnni, neon, hvx) or an instruction set.
    #[arg(long, value_name = "TARGET")]
    isa: String,
    /// Folder for what was found: lines of JSON, a table in Markdown, and a module for each rewrite.
    #[arg(long, value_name = "DIR")]
    report: Option<PathBuf>,
    /// Search only the slices of one run of N that share a cache, and write no module: --offline does so afterwards.
    #[arg(long, value_name = "I/N", conflicts_with_all = ["offline", "no_cache", "report"])]
    shard: Option<Shard>,
    /// Run each changed function before and after, and leave those as they are that became slower: functions over pointers and
    /// integers that call nothing, on buffers and numbers.
    #[arg(long, conflicts_with = "shard")]
    measure: bool,
    /// LLVM assembly; the result is written beside it as NAME.opt.ll.
    #[arg(required = true, value_name = "FILE.ll")]
    files: Vec<PathBuf>,
}

/// Reads modules, searches, and writes what becomes of them.
pub fn run(session: &Session, args: &OptimizeArgs) -> Result<u8> {
    let named = Named::find(&args.isa)?;
    let search = &args.search;
    // Where nothing is searched a signal may end the run at once: outputs are replaced as wholes.
    let interrupted = if search.offline { Arc::default() } else { on_interrupt() };
    let work = Work {
        cpu: None,
        shard: args.shard,
        files: &args.files,
        whole: args.report.is_some() || args.measure,
        interrupted: &interrupted,
    };
    let improved = search.improve(session, &named, &work)?;
    if interrupted.load(Ordering::Relaxed) {
        return Ok(INTERRUPTED);
    }
    if args.shard.is_some() {
        println!("{}", report::shard(&improved)?);
        return Ok(0);
    }
    let measurement = if args.measure { Some(Measurement::new(&improved.prices)?) } else { None };
    let (mut changes, mut times, mut costs) = (Vec::new(), Vec::new(), Vec::new());
    for (at, source) in improved.sources.iter().enumerate() {
        let mut slower = BTreeSet::new();
        let mut changed = improved.changed(at, &slower);
        if let Some(measurement) = &measurement {
            let functions: BTreeSet<usize> = changed.made.iter().map(|place| place.function).collect();
            let measured = measurement.functions(source, &changed.text, &functions)?;
            slower = measured.iter().filter(|own| own.is_kept()).map(|own| own.position).collect();
            changed = improved.changed(at, &slower);
            times.push(measured);
        }
        outputs::replace_file(&beside(&source.path), &changed.text)?;
        if args.report.is_some() {
            costs.extend(improved.costs(at, &slower));
        }
        changes.push(changed);
    }
    for (at, (source, own)) in improved.sources.iter().zip(&changes).enumerate() {
        let counts = (own.count, improved.dearer(at));
        println!("{}", report::summary(source, counts, times.get(at).map(Vec::as_slice), &improved)?);
    }
    if let Some(folder) = &args.report {
        let lines = report::lines(&improved.sources, &changes, &improved.found);
        report::write(folder, &lines, &named.name, improved.prices.tools())?;
        report::write_functions(folder, "functions.jsonl", &costs)?;
        if args.measure {
            report::write_functions(folder, "times.jsonl", times.iter().flatten())?;
        }
    }
    Ok(0)
}

/// Set at SIGINT; for one call in a process.
pub fn on_interrupt() -> Arc<AtomicBool> {
    let flag = Arc::new(AtomicBool::new(false));
    let handler = flag.clone();
    crate::console::on_interrupt(move || handler.swap(true, Ordering::Relaxed));
    flag
}

/// `NAME.opt.ll` for `NAME.ll`.
fn beside(path: &Path) -> PathBuf {
    path.with_extension("opt.ll")
}

/// A file's text.
pub fn text(path: &Path) -> Result<String> {
    std::fs::read_to_string(path).map_err(|error| anyhow!("cannot read {}: {error}", path.display()))
}
