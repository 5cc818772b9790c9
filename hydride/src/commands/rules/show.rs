//! `hydride rules show` and `run`: rules for people and for other programs.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};
use std::sync::atomic::AtomicBool;

use ::rules::{
    Finding, Instance, Instructions, check, egglog, irmatch, markdown, of_one_block, pdll, smtlib, trial,
};
use ::synth::synthesize::prover;
use anyhow::{Context, Result};
use clap::{Args, ValueEnum};
use rayon::prelude::*;
use serde::Deserialize;

use super::check::{Read, read};
use super::dialect::Dialect;
use super::find::Search;
use crate::cache::{Cache, CacheArgs};
use crate::commands::select::load;
use crate::commands::synth::read::number;
use crate::commands::synth::targets::{Ground, Named};
use crate::{BrokenDocument, Session, SpecArgs, usage};

/// Arguments of `hydride rules show`.
#[derive(Args)]
pub struct ShowArgs {
    /// The form.
    #[arg(long, value_enum)]
    format: Format,
    /// Where it goes; a folder for `smtlib`.
    #[arg(long, value_name = "PATH")]
    out: PathBuf,
    /// For `markdown`: what `hydride select` printed as JSON, for what uses each rule.
    #[arg(long, value_name = "FILE")]
    answers: Vec<PathBuf>,
    /// For `pdll`: a folder that `hydride generate-ir` wrote with `--emit dialect,llvm,mlir`.
    #[arg(long, value_name = "DIR")]
    operations: Option<PathBuf>,
    /// For `markdown` and `pdll` files that `hydride rules mine` wrote; for `irmatch` these, or files of rules in their textual form; else the
    /// latter.
    #[arg(required = true, value_name = "FILE")]
    files: Vec<PathBuf>,
}

#[derive(Clone, Copy, PartialEq, Eq, ValueEnum)]
enum Format {
    /// A page: before, after, condition, proof and cost of each rule.
    Markdown,
    /// An obligation for each instance, as SMT-LIB 2: `unsat` means that it holds.
    Smtlib,
    /// Rewrites for egglog; only instances that are proved.
    Egglog,
    /// Rewrites in C++ in the style of Halide's `IRMatch`; only instances that are proved.
    Irmatch,
    /// Patterns of MLIR in PDLL: operations of `arith` on vectors become the AutoLLVM dialect's.
    Pdll,
}

/// A line that `hydride select` prints for a window, or for a region of a function.
#[derive(Deserialize)]
struct Answer {
    name: Option<String>,
    function: Option<String>,
    value: Option<String>,
    #[serde(default)]
    rules: Vec<String>,
}

/// Notes by the rules' names what uses them.
fn answers(path: &Path, uses: &mut BTreeMap<String, BTreeSet<String>>) -> Result<()> {
    let text = std::fs::read_to_string(path).with_context(|| format!("cannot read {}", path.display()))?;
    for (at, line) in text.lines().enumerate() {
        let Answer { name, function, value, rules } = serde_json::from_str(line).map_err(|error| {
            BrokenDocument::at(path.display(), number(at + 1), number(error.column()), error.to_string())
        })?;
        let region = || Some(format!("@{} %{}", function?, value?));
        let Some(window) = name.or_else(region) else { continue };
        for rule in rules {
            uses.entry(rule).or_default().insert(window.clone());
        }
    }
    Ok(())
}

/// Writes rules in another form.
pub fn show(args: &ShowArgs) -> Result<u8> {
    if args.format == Format::Markdown {
        let mut uses = BTreeMap::new();
        for file in &args.answers {
            answers(file, &mut uses)?;
        }
        let mut text = String::new();
        for file in &args.files {
            let loaded = load(file)?;
            text += &markdown(&loaded.target, &loaded.lowerings, &uses);
        }
        super::write(&args.out, &text)?;
        return Ok(0);
    }
    if args.format == Format::Pdll {
        return patterns(args);
    }
    let mut rules: Vec<Read> = Vec::new();
    let is_found =
        |file: &&PathBuf| args.format == Format::Irmatch && file.extension().is_some_and(|own| own == "toml");
    let (found, files): (Vec<&PathBuf>, Vec<&PathBuf>) = args.files.iter().partition(is_found);
    for file in files {
        rules.extend(read(file)?.into_iter().filter(|read| read.rule.to.is_some()));
    }
    if args.format == Format::Smtlib {
        std::fs::create_dir_all(&args.out)?;
        for instance in rules.iter().flat_map(|read| &read.instances) {
            let Some(text) = smtlib(instance) else { continue };
            let mut name = instance.window.name.clone();
            for (_, value) in &instance.parameters {
                name += &format!("-{value}");
            }
            let word = |c: char| if c.is_ascii_alphanumeric() || c == '-' { c } else { '_' };
            let name: String = name.chars().map(word).collect();
            super::write(&args.out.join(format!("{name}.smt2")), &text)?;
        }
        return Ok(0);
    }
    let all: Vec<&Instance> = rules.iter().flat_map(|read| &read.instances).collect();
    let proved: Vec<Instance> = all
        .par_iter()
        .filter(|instance| matches!(check(instance, &mut prover()), Finding::True { .. }))
        .map(|instance| (*instance).clone())
        .collect();
    let text = match args.format {
        Format::Irmatch => {
            let (mut equalities, mut lowerings) = (proved.clone(), Vec::new());
            for file in found {
                let loaded = load(file)?;
                let forward = loaded.equalities.into_iter().filter(|equality| !equality.reversed);
                equalities.extend(forward.map(|equality| equality.instance));
                lowerings.extend(loaded.lowerings);
            }
            irmatch(&equalities, &lowerings)
        }
        _ => egglog(&proved),
    };
    super::write(&args.out, &text)?;
    Ok(u8::from(proved.len() < all.len()))
}

/// Writes patterns of MLIR; exit code 1 where there are none.
fn patterns(args: &ShowArgs) -> Result<u8> {
    let folder = args.operations.as_deref();
    let folder = folder.ok_or_else(|| usage("--format pdll needs --operations, a folder of generate-ir"))?;
    let [file] = &args.files[..] else { return Err(usage("--format pdll takes the rules of one target")) };
    let loaded = load(file)?;
    let named = Named::find(&loaded.target)?;
    let dialect = Dialect::read(folder, &named.isa)?;
    let made = pdll(&loaded.equalities, &loaded.lowerings, &named.widths, &dialect);
    super::write(&args.out, &made.text)?;
    eprintln!(
        "{}: {} patterns; without one: {}",
        loaded.target,
        made.count,
        made.left.values().sum::<usize>()
    );
    Ok(u8::from(made.count == 0))
}

/// Arguments of `hydride rules run`.
#[derive(Args)]
pub struct RunArgs {
    #[command(flatten)]
    specs: SpecArgs,
    #[command(flatten)]
    cache: CacheArgs,
    /// Random instances of rules, in all.
    #[arg(long, value_name = "N", default_value_t = 100_000)]
    inputs: usize,
    /// Where random numbers start.
    #[arg(long, value_name = "N", default_value_t = 1)]
    seed: u64,
    /// The rules, as `hydride rules mine` writes them.
    #[arg(value_name = "RULES.toml")]
    rules: PathBuf,
}

/// Runs rules on random values; exit code 1 when one gives another value than its pattern.
pub fn run(session: &Session, args: &RunArgs) -> Result<u8> {
    let loaded = load(&args.rules)?;
    let named = Named::find(&loaded.target)?;
    let ground = Ground::read(session, args.specs.specs.as_deref(), named, None, &[], &args.cache)?;
    let index = Instructions::new(&ground.table);
    let each = args.inputs.div_ceil(loaded.lowerings.len().max(1)).next_multiple_of(4);
    let (cache, stop) = (Cache::default(), AtomicBool::new(false));
    let search = Search { ground: &ground, cache: &cache, stop: &stop };
    let trials: Vec<(usize, ::rules::Trial)> = loaded
        .lowerings
        .par_iter()
        .enumerate()
        .map(|(at, rule)| {
            let seed = args.seed.wrapping_add(at as u64);
            let widths = match rule.registers {
                Some(_) => of_one_block(&ground.named.widths).unwrap_or(&[]),
                None => &ground.named.widths,
            };
            (at, search.with_machine(&index, widths, |machine| trial(machine, rule, each, seed)))
        })
        .collect();
    let (mut runs, mut mismatches, mut skipped) = (0, 0, 0);
    for (at, trial) in trials {
        runs += trial.runs;
        mismatches += trial.mismatches;
        skipped += usize::from(trial.runs == 0);
        if trial.mismatches > 0 {
            let rule = &loaded.lowerings[at];
            println!(
                "{} ({}) at {} lanes: {} of {} runs differ",
                rule.name,
                rule.pattern.shown(),
                rule.lanes,
                trial.mismatches,
                trial.runs
            );
        }
    }
    println!(
        "{}: {} rules, {runs} runs, {mismatches} mismatches; {skipped} rules not run",
        loaded.target,
        loaded.lowerings.len()
    );
    Ok(u8::from(mismatches > 0))
}
