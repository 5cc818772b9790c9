//! Rules for patterns on a target, for operations and for cuts of windows alike.

use ::rules::{
    Cost, Instance, Instructions, Lowering, Machine, Open, Replacement, RuleEntry, lane_counts, parameters,
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
const FOUND: &[u8] = b"rules 1";

/// A pattern's instance at a number of lanes.
struct Task<'a> {
    rule: usize,
    pattern: &'a Instance,
    lanes: u32,
}

/// The rules that are found for patterns.
pub fn found(ground: &Ground, memo: &Memo, patterns: &[Read]) -> Vec<RuleEntry> {
    let mut tasks = Vec::new();
    for (rule, read) in patterns.iter().enumerate() {
        for pattern in &read.instances {
            let lanes = lane_counts(pattern, &ground.named.widths);
            tasks.extend(lanes.into_iter().map(|lanes| Task { rule, pattern, lanes }));
        }
    }
    let index = Instructions::new(&ground.table);
    let all: Vec<(Vec<Replacement>, Vec<String>)> = tasks
        .par_iter()
        .map(|task| {
            kept(ground, memo, &format!("{} {:?}", task.lanes, task.pattern), || {
                let name = &patterns[task.rule].rule.name;
                let found = with_machine(ground, memo, &index, |machine| {
                    ::rules::mine(machine, name, task.pattern, task.lanes)
                });
                (found.rules.iter().map(Replacement::of).collect(), found.notes)
            })
        })
        .collect();
    let mut entries: Vec<RuleEntry> = patterns
        .iter()
        .map(|read| RuleEntry { text: read.rule.to_string(), instances: Vec::new(), open: Vec::new() })
        .collect();
    for (task, (rules, notes)) in tasks.iter().zip(all) {
        let entry = &mut entries[task.rule];
        entry.instances.extend(rules);
        let own = parameters(task.pattern);
        entry.open.extend(notes.into_iter().map(|why| Open {
            parameters: own.clone(),
            lanes: task.lanes,
            why,
        }));
    }
    entries
}

/// A rule with the ranges of its variables as wide as they can be proved.
pub fn widened(ground: &Ground, memo: &Memo, index: &Instructions, rule: &Lowering) -> Replacement {
    kept(ground, memo, &format!("widened {rule:?}"), || {
        Replacement::of(&with_machine(ground, memo, index, |machine| ::rules::widened(machine, rule)))
    })
}

/// What was found out about a target before, or is found out now; proved either way, by this version of the program.
fn kept<T: Serialize + DeserializeOwned>(
    ground: &Ground,
    memo: &Memo,
    question: &str,
    find: impl FnOnce() -> T,
) -> T {
    let widths: Vec<u8> = ground.named.widths.iter().flat_map(|width| width.to_le_bytes()).collect();
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

/// Does something with a target as rules need it.
pub fn with_machine<T>(
    ground: &Ground,
    memo: &Memo,
    index: &Instructions,
    what: impl FnOnce(&Machine<'_>) -> T,
) -> T {
    let price = |op: &Op| cost(&ground.table, op);
    let measure = |program: &Program, table: &Table| measure(program, table);
    what(&Machine {
        table: &ground.table,
        index,
        widths: &ground.named.widths,
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
