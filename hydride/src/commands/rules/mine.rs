//! `hydride rules mine`: rules for a target, found and proved.

use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use ::rules::{
    EqualityEntry, Finding, Instance, InstanceProof, RuleFile, check, layout_patterns, parameters,
};
use ::synth::synthesize::prover;
use anyhow::{Context, Result};
use clap::Args;
use rayon::prelude::*;

use super::check::{Read, parse};
use super::find::{Search, found};
use crate::cache::CacheArgs;
use crate::commands::port::INTERRUPTED;
use crate::commands::synth::targets::{Ground, Named};
use crate::console::on_interrupt;
use crate::{Session, SpecArgs, usage};

/// Files of rules that are built in: their names, and their texts.
const EQUALITIES: [(&str, &str); 3] = [
    ("specs/rules/lifting.rules", include_str!("../../../../specs/rules/lifting.rules")),
    ("specs/rules/folds.rules", include_str!("../../../../specs/rules/folds.rules")),
    ("specs/rules/emulations.rules", include_str!("../../../../specs/rules/emulations.rules")),
];

/// Files of patterns that are built in.
pub const PATTERNS: [(&str, &str); 3] = [
    ("specs/rules/basic.rules", include_str!("../../../../specs/rules/basic.rules")),
    ("specs/rules/table1.rules", include_str!("../../../../specs/rules/table1.rules")),
    ("specs/rules/sums.rules", include_str!("../../../../specs/rules/sums.rules")),
];

/// Arguments of `hydride rules mine`.
#[derive(Args)]
pub struct MineArgs {
    #[command(flatten)]
    specs: SpecArgs,
    #[command(flatten)]
    cache: CacheArgs,
    /// The target (avx2, sse42, avx512, avx512vnni, neon, hvx), or an instruction set.
    #[arg(long)]
    isa: String,
    /// The machine whose costs are counted; else the target's.
    #[arg(long)]
    cpu: Option<String>,
    /// Files of patterns and of rules; else those that are built in: basic operations, the fixed-point operations of Table 1
    /// of the Pitchfork paper, and sums of products, with the lifting rules.
    #[arg(long, value_name = "FILE")]
    patterns: Vec<PathBuf>,
    /// Rules that were found before, for the same target: patterns are then those of `--patterns` alone.
    #[arg(long, value_name = "RULES.toml")]
    with: Option<PathBuf>,
    /// Patterns besides of what widens to other orders of lanes in registers and narrows from them; built-in patterns have them anyway.
    #[arg(long)]
    layouts: bool,
    /// Only these patterns (globs over names; may be repeated).
    #[arg(long, value_name = "NAME")]
    only: Vec<String>,
    /// Patterns at a time; 0 for one a processor.
    #[arg(long, value_name = "N", default_value_t = 0)]
    jobs: usize,
    /// Operations that a cut of a window has at most; 0 for no cuts.
    #[arg(long, value_name = "N", default_value_t = 3)]
    cut: usize,
    /// Where the rules go.
    #[arg(long, value_name = "RULES.toml")]
    out: PathBuf,
    /// Files with one window a line, of which cuts become patterns.
    #[arg(value_name = "WINDOWS")]
    windows: Vec<PathBuf>,
}

/// Finds rules and writes them; exit code 1 when an instance has none.
pub fn run(session: &Session, args: &MineArgs) -> Result<u8> {
    let named = Named::find(&args.isa)?;
    let ground =
        Ground::read(session, args.specs.specs.as_deref(), named, args.cpu.as_deref(), &[], &args.cache)?;
    let only = crate::commands::search::convert::globs(&args.only)?;
    let wanted = |name: &str| only.is_empty() || only.is_match(name);
    let mut read: Vec<Read> = Vec::new();
    if args.patterns.is_empty() && args.with.is_none() {
        for (name, text) in EQUALITIES.into_iter().chain(PATTERNS) {
            read.extend(parse(text, name)?);
        }
    }
    if args.patterns.is_empty() && args.with.is_none() || args.layouts {
        read.extend(parse(&layout_patterns(&ground.named.widths), "patterns of orders")?);
    }
    for file in &args.patterns {
        read.extend(super::check::read(file)?);
    }
    let (equal, patterns): (Vec<Read>, Vec<Read>) = read.into_iter().partition(|read| read.rule.to.is_some());
    let patterns: Vec<Read> = patterns.into_iter().filter(|read| wanted(&read.rule.name)).collect();
    let pool = rayon::ThreadPoolBuilder::new().num_threads(args.jobs).build()?;
    let cache = args.cache.open();
    let stop = Arc::new(AtomicBool::new(false));
    let handler = stop.clone();
    on_interrupt(move || handler.swap(true, Ordering::Relaxed));
    let search = Search { ground: &ground, cache: &cache, stop: &stop };
    let mut file = match &args.with {
        None => RuleFile { target: ground.named.name.clone(), ..RuleFile::default() },
        Some(path) => crate::commands::select::file(path)?,
    };
    if file.target != ground.named.name {
        return Err(usage(format!("the rules are for {}, not for {}", file.target, ground.named.name)));
    }
    file.equalities
        .extend(pool.install(|| equal.par_iter().map(|read| equality(&search, read)).collect::<Vec<_>>()));
    file.equalities.retain(|entry| !entry.proofs.is_empty());
    file.rules.extend(pool.install(|| found(&search, &patterns)));
    if args.cut > 1 {
        let windows = crate::commands::synth::read::windows(&args.windows)?;
        let own: Vec<_> = windows
            .into_iter()
            .filter(|window| window.target.is_empty() || window.target == ground.named.name)
            .collect();
        super::cuts::add(&search, &pool, &own, args.cut, &mut file)?;
    }
    cache.save();
    if search.is_stopped() {
        let kept = if cache.memo().has_store() { "; what was found is kept in the cache" } else { "" };
        eprintln!("interrupted: nothing is written{kept}");
        return Ok(INTERRUPTED);
    }
    let text = toml::to_string(&file).context("rules as TOML")?;
    super::write(&args.out, &text)?;
    let instances: usize = file.rules.iter().map(|rule| rule.instances.len()).sum();
    let open: usize = file.rules.iter().map(|rule| rule.open.len()).sum();
    eprintln!(
        "{}: {} equalities, {} patterns with {instances} rules; {open} instances without",
        file.target,
        file.equalities.len(),
        file.rules.len()
    );
    Ok(u8::from(open > 0))
}

/// An equality with those of its instances that are proved.
fn equality(search: &Search<'_>, read: &Read) -> EqualityEntry {
    let proved = |instance: &Instance| match check(instance, &mut prover()) {
        Finding::True { proof } => Some(InstanceProof { parameters: parameters(instance), proof }),
        _ => None,
    };
    let proofs: Vec<Option<InstanceProof>> = read
        .instances
        .par_iter()
        .filter(|_| !search.is_stopped())
        .map(|instance| {
            search.kept(&search.ground.named.widths, &format!("equality {instance:?}"), || proved(instance))
        })
        .collect();
    EqualityEntry { text: read.rule.to_string(), proofs: proofs.into_iter().flatten().collect() }
}
