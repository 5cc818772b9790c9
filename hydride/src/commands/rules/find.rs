//! Rules for patterns on a target, for operations and for cuts of windows alike.

use std::sync::atomic::{AtomicBool, Ordering};

use ::rules::{
    ByCases, Cost, Found, Instance, Instructions, Lowering, Machine, Open, Replacement, RuleEntry, fits,
    in_narrower_registers, is_fixed, lane_counts, of_one_block, parameters, question, with_other_signs,
};
use ::synth::program::Program;
use ::synth::table::{Op, Table};
use memo::digest;
use rayon::prelude::*;
use serde::Serialize;
use serde::de::DeserializeOwned;

use super::check::Read;
use crate::cache::Cache;
use crate::commands::synth::targets::Ground;
use crate::commands::synth::{cost, steps};
use crate::costs::Costs;

/// Names what is kept, so that what was found in another way is found anew.
const FOUND: &[u8] = b"rules 3";

/// What was found for an instance at a number of lanes.
type Made = (Vec<Replacement>, Vec<String>);

/// Where rules are searched.
pub struct Search<'a> {
    /// The target.
    pub ground: &'a Ground,
    /// What was found before.
    pub cache: &'a Cache,
    /// Whether to find nothing more.
    pub stop: &'a AtomicBool,
}

/// The rules that are found for patterns; those that are not begun when the search is stopped have none.
pub fn found(search: &Search<'_>, patterns: &[Read]) -> Vec<RuleEntry> {
    let index = Instructions::new(&search.ground.table);
    patterns.par_iter().map(|read| Miner { search, index: &index, read }.entry()).collect()
}

/// A pattern that rules are found for.
struct Miner<'a> {
    search: &'a Search<'a>,
    index: &'a Instructions,
    read: &'a Read,
}

impl Miner<'_> {
    /// Its rules: one instance after the other, each from the widest registers to the narrowest, since what was found for one may
    /// do for the next.
    fn entry(&self) -> RuleEntry {
        let mut entry =
            RuleEntry { text: self.read.rule.to_string(), instances: Vec::new(), open: Vec::new() };
        let mut before: Vec<(&Instance, u32, Made)> = Vec::new();
        let mut judge = ByCases::default();
        let widths = &self.search.ground.named.widths;
        for pattern in self.read.instances.iter().take_while(|_| !self.search.is_stopped()) {
            let first = before.len();
            for lanes in lane_counts(pattern, widths).into_iter().rev() {
                let made = self.search.kept(widths, &format!("{lanes} {pattern:?}"), || {
                    self.find(pattern, lanes, &before[..first], &before[first..], &mut judge)
                });
                before.push((pattern, lanes, made));
            }
            if let Some((lanes, widths)) = in_blocks(pattern, widths) {
                let question = format!("{lanes} {pattern:?}");
                let (mut rules, _): Made = self.search.kept(widths, &question, || {
                    let found = self.search.with_machine(self.index, widths, |machine| {
                        ::rules::mine(machine, &self.read.rule.name, pattern, lanes, &mut judge)
                    });
                    (found.rules.iter().map(Replacement::of).collect(), found.notes)
                });
                rules.iter_mut().for_each(|rule| rule.registers = widths.last().copied());
                entry.instances.extend(rules);
            }
            let own = parameters(pattern);
            for (_, lanes, (rules, notes)) in before[first..].iter().rev() {
                entry.instances.extend(rules.iter().cloned());
                let open = |why: &String| Open { parameters: own.clone(), lanes: *lanes, why: why.clone() };
                entry.open.extend(notes.iter().map(open));
            }
        }
        entry
    }

    /// The rules of an instance at a number of lanes: those of another instance that asks for the same, those of wider registers
    /// on narrower ones, or what is searched.
    fn find(
        &self,
        pattern: &Instance,
        lanes: u32,
        others: &[(&Instance, u32, Made)],
        wider: &[(&Instance, u32, Made)],
        judge: &mut ByCases,
    ) -> Made {
        let read = |(pattern, _, (rules, notes)): &(&Instance, u32, Made)| Found {
            rules: rules.iter().map(|rule| rule.lowering(pattern)).collect(),
            notes: notes.clone(),
        };
        let start = std::time::Instant::now();
        let asked = question(pattern, lanes);
        let same = |(other, own, _): &&(&Instance, u32, Made)| {
            asked.is_some() && *own == lanes && question(other, lanes) == asked
        };
        let found = self.search.with_machine(self.index, &self.search.ground.named.widths, |machine| {
            let other = others.iter().find(same).map(read);
            let wider = wider.iter().rev().map(read);
            let other = other.and_then(|found| with_other_signs(machine, &found, pattern, judge));
            let known = other.or_else(|| {
                wider.into_iter().find_map(|own| in_narrower_registers(machine, &own, pattern, lanes, judge))
            });
            let how = if known.is_some() { "taken over" } else { "searched" };
            let found =
                known.unwrap_or_else(|| ::rules::mine(machine, &self.read.rule.name, pattern, lanes, judge));
            let seconds = start.elapsed().as_secs_f64();
            tracing::debug!(
                "{} {:?}, {lanes} lanes: {how} in {seconds:.3} s",
                self.read.rule.name,
                pattern.parameters
            );
            found
        });
        (found.rules.iter().map(Replacement::of).collect(), found.notes)
    }
}

/// The widths of registers of one block, and the lanes for which a pattern's values fill more than one of them; `None` where each is in
/// one, as for wider registers too, or there are no such registers.
fn in_blocks<'w>(pattern: &Instance, widths: &'w [u32]) -> Option<(u32, &'w [u32])> {
    let own = of_one_block(widths).filter(|_| !is_fixed(pattern))?;
    let lanes = lane_counts(pattern, own).into_iter().max()?;
    (!fits(pattern, lanes, *own.last()?)).then_some((lanes, own))
}

impl Search<'_> {
    /// Whether to find nothing more.
    pub fn is_stopped(&self) -> bool {
        self.stop.load(Ordering::Relaxed)
    }

    /// A rule with the ranges of its variables as wide as they can be proved.
    pub fn widened(&self, index: &Instructions, rule: &Lowering) -> Replacement {
        let widths = &self.ground.named.widths;
        self.kept(widths, &format!("widened {rule:?}"), || {
            Replacement::of(&self.with_machine(index, widths, |machine| ::rules::widened(machine, rule)))
        })
    }

    /// What was found out about the target before, or is found out now; proved either way, by this version of the program. What
    /// a search that is stopped finds is not kept.
    pub fn kept<T: Serialize + DeserializeOwned>(
        &self,
        widths: &[u32],
        question: &str,
        find: impl FnOnce() -> T,
    ) -> T {
        let widths: Vec<u8> = widths.iter().flat_map(|width| width.to_le_bytes()).collect();
        let key = digest([FOUND, &self.ground.key, &widths, question.as_bytes()]);
        let memo = self.cache.memo();
        if let Some(text) = memo.get::<String>(&key)
            && let Ok(known) = serde_json::from_str(&text)
        {
            return known;
        }
        let found = find();
        // As text, since sequences say what they are only there.
        if !self.is_stopped()
            && let Ok(text) = serde_json::to_string(&found)
        {
            memo.put(key, &text);
        }
        self.cache.save_now_and_then();
        found
    }

    /// Does something with the target as rules need it, whose values are in registers of these widths.
    pub fn with_machine<T>(
        &self,
        index: &Instructions,
        widths: &[u32],
        what: impl FnOnce(&Machine<'_>) -> T,
    ) -> T {
        let price = |op: &Op| cost(&self.ground.table, op);
        let measure = |program: &Program, table: &Table| measure(program, table);
        what(&Machine {
            table: &self.ground.table,
            index,
            widths,
            price: &price,
            measure: &measure,
            stop: &|| self.is_stopped(),
            key: self.ground.key,
            memo: &self.cache.memo(),
        })
    }
}

/// What a program costs.
pub fn measure(program: &Program, table: &Table) -> Cost {
    let steps::Cost { uops, latency, .. } = steps::cost(program, table, &Costs::length());
    Cost { uops, latency }
}
