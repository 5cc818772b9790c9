//! `hydride rules shortest`: whether sequences of fewer instructions do what rules for the operations of `table1.rules` do.

use std::collections::BTreeMap;
use std::path::PathBuf;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, PoisonError};

use ::rules::{
    Instance, Instructions, Lowering, Question, Scalar, Selector, Source, Tried, constants, lane_counts,
    parameters, shortest, single, steps, vectors,
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
use crate::cache::CacheArgs;
use crate::commands::port::INTERRUPTED;
use crate::commands::select::{Loaded, load};
use crate::commands::synth::targets::{Ground, Named};
use crate::console::on_interrupt;
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

/// What is known of an operation at a type, for one of its rules.
#[derive(Serialize)]
struct Line {
    target: String,
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
    ended: Option<String>,
    /// A sequence that is the operation, with what it costs.
    #[serde(skip_serializing_if = "Option::is_none")]
    shorter: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    uops: Option<u32>,
}

/// Prints a line for each operation and type, as soon as those before it are printed; exit code 1 where something shorter was found.
pub fn run(session: &Session, args: &ShortestArgs) -> Result<u8> {
    let loaded = load(&args.rules)?;
    let named = Named::find(&loaded.target)?;
    let mut ground = Ground::read(session, args.specs.specs.as_deref(), named, None, &[], &args.cache)?;
    (0..IMMEDIATES).for_each(|value| ground.table.ask(value));
    let only = crate::commands::search::convert::globs(&args.only)?;
    let (cache, stop) = (args.cache.open(), Arc::new(AtomicBool::new(false)));
    let handler = stop.clone();
    on_interrupt(move || handler.swap(true, Ordering::Relaxed));
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
    let printed = Mutex::new(InOrder::default());
    pool.install(|| {
        // One after the other, so that the first ones are there first.
        asked.iter().enumerate().par_bridge().try_for_each(|(at, pattern)| {
            let mut own = Vec::new();
            if !search.is_stopped() {
                own = lines(args, &loaded, &search, &index, pattern);
            }
            // What was cut short is not printed, nor what comes after it.
            match search.is_stopped() {
                true => Ok(()),
                false => printed.lock().unwrap_or_else(PoisonError::into_inner).put(at, own),
            }
        })
    })?;
    cache.save();
    if search.is_stopped() {
        let kept = if cache.memo().has_store() { "; what was found is kept in the cache" } else { "" };
        eprintln!("interrupted{kept}");
        return Ok(INTERRUPTED);
    }
    let printed = printed.into_inner().unwrap_or_else(PoisonError::into_inner);
    Ok(u8::from(printed.shorter))
}

/// Lines that are printed in the order of their patterns, each when all before it are there.
#[derive(Default)]
struct InOrder {
    next: usize,
    waiting: BTreeMap<usize, Vec<Line>>,
    /// Whether something shorter was found.
    shorter: bool,
}

impl InOrder {
    fn put(&mut self, at: usize, lines: Vec<Line>) -> Result<()> {
        self.waiting.insert(at, lines);
        while let Some(lines) = self.waiting.remove(&self.next) {
            self.next += 1;
            for line in lines {
                self.shorter |= line.shorter.is_some();
                println!("{}", serde_json::to_string(&line)?);
            }
        }
        Ok(())
    }
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
        let steps_of = |rule: &Lowering| u32::try_from(rule.sequence.steps.len()).ok();
        let (rule_takes, others_take) = (rule.and_then(steps_of), emulated());
        let is_own = rule_takes.is_some_and(|own| others_take.is_none_or(|others| own <= others));
        let known = if is_own { rule_takes } else { others_take };
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
        let tried = search.kept(widths, &format!("shortest {question:?}"), || {
            search.with_machine(index, widths, |machine| {
                let by_lanes = shortest(machine, &question, &mut prover());
                let found = by_lanes.or_else(|| single(machine, &question, &mut prover()));
                let not_tried = || Tried { ended: Some("scalars".into()), ..Tried::default() };
                found.unwrap_or_else(not_tried)
            })
        });
        let Tried { instructions, operations, states, found, ended } = tried;
        Line {
            target: loaded.target.clone(),
            operation: own.window.name.clone(),
            parameters: parameters(own),
            lanes,
            constants: chosen.iter().map(|(at, value)| (own.name(*at).to_owned(), *value)).collect(),
            known,
            own: is_own,
            tried: instructions,
            shortest: known.is_some_and(|known| instructions + 1 >= known),
            operations,
            numbers,
            states,
            ended,
            uops: found.as_ref().map(|(_, cost)| cost.uops),
            shorter: found.map(|(sequence, _)| steps(&sequence)),
        }
    };
    rules.iter().map(line).collect()
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
