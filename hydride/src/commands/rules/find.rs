//! Rules for patterns on a target, for operations and for cuts of windows alike.

use ::rules::{
    Cost, Found, Instance, Instructions, Machine, Open, Replacement, RuleEntry, lane_counts, parameters,
};
use ::synth::program::Program;
use ::synth::table::{Op, Table};
use memo::Memo;
use rayon::prelude::*;

use super::check::Read;
use crate::commands::synth::targets::Ground;
use crate::commands::synth::{cost, steps};
use crate::costs::Costs;

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
    let all: Vec<Found> = tasks
        .par_iter()
        .map(|task| {
            with_machine(ground, memo, &index, |machine| {
                ::rules::mine(machine, &patterns[task.rule].rule.name, task.pattern, task.lanes)
            })
        })
        .collect();
    let mut entries: Vec<RuleEntry> = patterns
        .iter()
        .map(|read| RuleEntry { text: read.rule.to_string(), instances: Vec::new(), open: Vec::new() })
        .collect();
    for (task, found) in tasks.iter().zip(all) {
        let entry = &mut entries[task.rule];
        entry.instances.extend(found.rules.iter().map(Replacement::of));
        let own = parameters(task.pattern);
        entry.open.extend(found.notes.into_iter().map(|why| Open {
            parameters: own.clone(),
            lanes: task.lanes,
            why,
        }));
    }
    entries
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
