//! `hydride rules shortest`: whether sequences of fewer instructions do what rules for the operations of `table1.rules` do.

use std::collections::BTreeMap;
use std::path::PathBuf;
use std::sync::atomic::AtomicBool;

use ::rules::{
    Instance, Instructions, Lowering, Question, Scalar, Selector, Source, Tried, constants, lane_counts,
    parameters, shortest, steps, vectors,
};
use ::synth::synthesize::prover;
use ::synth::window::{Meaning, limits};
use anyhow::Result;
use clap::Args;
use rayon::prelude::*;
use serde::Serialize;

use super::check::parse;
use super::find::Search;
use super::mine::PATTERNS;
use crate::cache::{Cache, CacheArgs};
use crate::commands::select::{Loaded, load};
use crate::commands::synth::targets::{Ground, Named};
use crate::{Session, SpecArgs};

/// Immediates that are tried: what shifts and choices of bits take.
const IMMEDIATES: i64 = 256;

/// Arguments of `hydride rules shortest`.
#[derive(Args)]
pub struct ShortestArgs {
    #[command(flatten)]
    specs: SpecArgs,
    #[command(flatten)]
    cache: CacheArgs,
    /// Only these operations (globs over names; may be repeated).
    #[arg(long, value_name = "NAME")]
    only: Vec<String>,
    /// Instructions of a sequence, at most.
    #[arg(long, value_name = "N", default_value_t = 3)]
    instructions: u32,
    /// Steps that are run on samples for each operation and type, at most.
    #[arg(long, value_name = "N", default_value_t = 20_000_000)]
    states: u64,
    /// Operations at a time; 0 for one a processor.
    #[arg(long, value_name = "N", default_value_t = 0)]
    jobs: usize,
    /// The rules, as `hydride rules mine` writes them.
    #[arg(value_name = "RULES.toml")]
    rules: PathBuf,
}

/// What is known of an operation at a type.
#[derive(Serialize)]
struct Line {
    operation: String,
    parameters: BTreeMap<String, String>,
    lanes: u32,
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    constants: BTreeMap<String, i128>,
    /// Instructions that the rule has, or other rules together cost in micro-operations; none where nothing makes it.
    #[serde(skip_serializing_if = "Option::is_none")]
    known: Option<u32>,
    /// Whether it is those of a rule of its own.
    own: bool,
    /// All sequences of so many instructions and fewer were tried, and none is the operation.
    tried: u32,
    /// Whether nothing shorter than what is known exists.
    shortest: bool,
    operations: usize,
    numbers: Vec<u64>,
    states: u64,
    #[serde(skip_serializing_if = "Option::is_none")]
    ended: Option<&'static str>,
    /// A sequence that is the operation, with what it costs.
    #[serde(skip_serializing_if = "Option::is_none")]
    shorter: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    uops: Option<u32>,
}

/// Prints a line for each operation and type that is one register of lanes; exit code 1 where something shorter was found.
pub fn run(session: &Session, args: &ShortestArgs) -> Result<u8> {
    let loaded = load(&args.rules)?;
    let named = Named::find(&loaded.target)?;
    let mut ground = Ground::read(session, args.specs.specs.as_deref(), named, None, &[], &args.cache)?;
    (0..IMMEDIATES).for_each(|value| ground.table.ask(value));
    let only = crate::commands::search::convert::globs(&args.only)?;
    let (cache, stop) = (Cache::default(), AtomicBool::new(false));
    let search = Search { ground: &ground, cache: &cache, stop: &stop };
    let index = Instructions::new(&ground.table);
    let (file, text) = PATTERNS[1];
    let mut asked: Vec<Instance> = Vec::new();
    for read in parse(text, file)? {
        if only.is_empty() || only.is_match(&read.rule.name) {
            asked.extend(read.instances);
        }
    }
    let pool = rayon::ThreadPoolBuilder::new().num_threads(args.jobs).build()?;
    let lines: Vec<Vec<Line>> = pool
        .install(|| asked.par_iter().map(|pattern| lines(args, &loaded, &search, &index, pattern)).collect());
    let mut code = 0;
    for line in lines.iter().flatten() {
        code = code.max(u8::from(line.shorter.is_some()));
        println!("{}", serde_json::to_string(line)?);
    }
    Ok(code)
}

/// What is known of a pattern: for each of its rules, at the least value of its constant, or where it has none at the middle one.
fn lines(
    args: &ShortestArgs,
    loaded: &Loaded,
    search: &Search<'_>,
    index: &Instructions,
    pattern: &Instance,
) -> Vec<Line> {
    let widths = &search.ground.named.widths;
    let Some(lanes) = lane_counts(pattern, widths).into_iter().max() else { return Vec::new() };
    let is = |rule: &&Lowering| {
        rule.name == pattern.window.name
            && rule.lanes == lanes
            && rule.registers.is_none()
            && parameters(&rule.pattern) == parameters(pattern)
    };
    let rules: Vec<Option<&Lowering>> = match loaded.lowerings.iter().filter(is).map(Some).collect::<Vec<_>>()
    {
        none if none.is_empty() => vec![None],
        rules => rules,
    };
    let line = |rule: &Option<&Lowering>| {
        let own = rule.map_or(pattern, |rule| &rule.pattern);
        let chosen: BTreeMap<usize, i128> = constants(own)
            .map(|at| {
                let leaf = &own.window.leaves[at];
                let (low, high) = leaf.range.unwrap_or(limits(leaf.ty));
                (at, if rule.is_some() { low } else { low + (high - low) / 2 })
            })
            .collect();
        let emulated = || {
            let selector = Selector::new(&loaded.equalities, &loaded.lowerings, widths);
            let window = vectors(own, lanes, &chosen);
            let price = selector.price(&mut Meaning::new(&window)).ok()?;
            u32::try_from(price / 1000).ok()
        };
        let known = match rule {
            Some(rule) => u32::try_from(rule.sequence.steps.len()).ok(),
            None => emulated(),
        };
        // One instruction, or none, is the least.
        let most = known.map_or(args.instructions, |known| args.instructions.min(known.saturating_sub(1)));
        let numbers = numbers(own, *rule, &chosen);
        let question = Question {
            pattern: own,
            lanes,
            constants: &chosen,
            numbers: &numbers,
            instructions: most,
            states: args.states,
        };
        let tried =
            search.with_machine(index, widths, |machine| shortest(machine, &question, &mut prover()))?;
        let Tried { instructions, operations, states, found, ended } = tried;
        Some(Line {
            operation: own.window.name.clone(),
            parameters: parameters(own),
            lanes,
            constants: chosen.iter().map(|(at, value)| (own.name(*at).to_owned(), *value)).collect(),
            known,
            own: rule.is_some(),
            tried: instructions,
            shortest: known.is_some_and(|known| instructions + 1 >= known),
            operations,
            numbers,
            states,
            ended,
            uops: found.as_ref().map(|(_, cost)| cost.uops),
            shorter: found.map(|(sequence, _)| steps(&sequence)),
        })
    };
    rules.iter().filter_map(line).collect()
}

/// Numbers that a register may have in all lanes: zero, one, all bits, the highest bit and all others, and those of the rule.
fn numbers(pattern: &Instance, rule: Option<&Lowering>, chosen: &BTreeMap<usize, i128>) -> Vec<u64> {
    let width = pattern.window.ty().width;
    let mask = u64::MAX >> (64 - width);
    let mut numbers = vec![0, 1, mask, 1 << (width - 1), mask >> 1];
    let value =
        |name: &str| chosen.iter().find(|(at, _)| pattern.name(**at) == name).map(|(_, value)| *value);
    for source in rule.iter().flat_map(|rule| &rule.sequence.inputs) {
        if let Source::Constant { lanes, container, .. } = source
            && let [Scalar::Number(number)] = &lanes[..]
            && *container == width
            && let Some(number) = number.value(&value)
        {
            numbers.push(number as u64 & mask);
        }
    }
    numbers.sort_unstable();
    numbers.dedup();
    numbers
}
