//! Rules for patterns on a target, for operations and for cuts of windows alike.

use ::rules::{
    ByCases, Cost, Found, Instance, Instructions, Lowering, Machine, Open, Replacement, RuleEntry, fits,
    in_narrower_registers, is_fixed, lane_counts, of_one_block, parameters, question, with_other_signs,
};
use ::synth::program::Program;
use ::synth::table::{Op, Table};
use memo::{Memo, digest};
use rayon::prelude::*;
use serde::Serialize;
use serde::de::DeserializeOwned;

use super::check::Read;
use crate::commands::synth::targets::Ground;
use crate::commands::synth::{cost, steps};
use crate::costs::Costs;

/// Names what is kept, so that what was found in another way is found anew.
const FOUND: &[u8] = b"rules 3";

/// What was found for an instance at a number of lanes.
type Made = (Vec<Replacement>, Vec<String>);

/// The rules that are found for patterns.
pub fn found(ground: &Ground, memo: &Memo, patterns: &[Read]) -> Vec<RuleEntry> {
    let index = Instructions::new(&ground.table);
    patterns.par_iter().map(|read| Miner { ground, memo, index: &index, read }.entry()).collect()
}

/// A pattern that rules are found for.
struct Miner<'a> {
    ground: &'a Ground,
    memo: &'a Memo,
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
        for pattern in &self.read.instances {
            let first = before.len();
            for lanes in lane_counts(pattern, &self.ground.named.widths).into_iter().rev() {
                let made = kept(
                    self.ground,
                    self.memo,
                    &self.ground.named.widths,
                    &format!("{lanes} {pattern:?}"),
                    || self.find(pattern, lanes, &before[..first], &before[first..], &mut judge),
                );
                before.push((pattern, lanes, made));
            }
            if let Some((lanes, widths)) = in_blocks(pattern, &self.ground.named.widths) {
                let question = format!("{lanes} {pattern:?}");
                let (mut rules, _): Made = kept(self.ground, self.memo, widths, &question, || {
                    let found = with_machine(self.ground, self.memo, self.index, widths, |machine| {
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
        let found = with_machine(self.ground, self.memo, self.index, &self.ground.named.widths, |machine| {
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

/// A rule with the ranges of its variables as wide as they can be proved.
pub fn widened(ground: &Ground, memo: &Memo, index: &Instructions, rule: &Lowering) -> Replacement {
    let widths = &ground.named.widths;
    kept(ground, memo, widths, &format!("widened {rule:?}"), || {
        Replacement::of(&with_machine(ground, memo, index, widths, |machine| ::rules::widened(machine, rule)))
    })
}

/// What was found out about a target before, or is found out now; proved either way, by this version of the program.
pub fn kept<T: Serialize + DeserializeOwned>(
    ground: &Ground,
    memo: &Memo,
    widths: &[u32],
    question: &str,
    find: impl FnOnce() -> T,
) -> T {
    let widths: Vec<u8> = widths.iter().flat_map(|width| width.to_le_bytes()).collect();
    let key = digest([FOUND, &ground.key, &widths, question.as_bytes()]);
    if let Some(text) = memo.get::<String>(&key)
        && let Ok(known) = serde_json::from_str(&text)
    {
        return known;
    }
    let found = find();
    // As text, since sequences say what they are only there.
    if let Ok(text) = serde_json::to_string(&found) {
        memo.put(key, &text);
    }
    found
}

/// Does something with a target as rules need it, whose values are in registers of these widths.
pub fn with_machine<T>(
    ground: &Ground,
    memo: &Memo,
    index: &Instructions,
    widths: &[u32],
    what: impl FnOnce(&Machine<'_>) -> T,
) -> T {
    let price = |op: &Op| cost(&ground.table, op);
    let measure = |program: &Program, table: &Table| measure(program, table);
    what(&Machine {
        table: &ground.table,
        index,
        widths,
        price: &price,
        measure: &measure,
        key: ground.key,
        memo,
    })
}

/// What a program costs.
pub fn measure(program: &Program, table: &Table) -> Cost {
    let steps::Cost { uops, latency, .. } = steps::cost(program, table, &Costs::length());
    Cost { uops, latency }
}
