//! What whole functions cost before and after. A slice alone may be cheaper where its function is not: of a value together
//! with what uses it LLVM makes one instruction, until the value is a call of an intrinsic. What makes a function dearer is
//! refused.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write as _;

use anyhow::Result;

use super::module::{Place, Rewrites, Source};
use super::price::{Prices, Timeline};

/// How often a block in a loop is taken to run for each run of what is around the loop.
const ITERATIONS: f64 = 10.0;
/// How often what is left of a function's changes is looked at again.
const ROUNDS: usize = 3;
/// Changes of a function that are looked at alone.
const MAX_ALONE: usize = 12;

/// What a function costs: cycles and micro-operations of its blocks, each block by how often it is taken to run.
#[derive(Clone, Copy, Debug, Default, PartialEq, PartialOrd)]
pub struct Whole {
    cycles: f64,
    uops: f64,
}

/// Changes that are not made, by their [places](Place::id).
pub type Refused = BTreeSet<(usize, usize, usize)>;

/// The changes of a module that make a function dearer as a whole, on a machine that has costs of both.
pub fn refused(source: &Source, found: &Rewrites, prices: &Prices) -> Refused {
    let mut refused = Refused::new();
    let places = |refused: &Refused| source.changed(found, &|place| !refused.contains(&place.id()));
    let mut open: BTreeSet<usize> = places(&refused).made.iter().map(|place| place.function).collect();
    let priced = |text: &str, open: &BTreeSet<usize>| {
        functions(prices, text, &open.iter().map(|at| source.module.functions[*at].name.as_str()).collect())
            .inspect_err(|error| tracing::info!("{} is not priced: {error:#}", source.path.display()))
            .unwrap_or_default()
    };
    if open.is_empty() {
        return refused;
    }
    let before = priced(source.module.text(), &open);
    let is_dearer = |after: &BTreeMap<String, Whole>, function: usize| {
        let name = &source.module.functions[function].name;
        before.get(name).zip(after.get(name)).is_some_and(|(before, after)| after > before)
    };
    for round in 0..ROUNDS {
        let changed = places(&refused);
        let after = priced(&changed.text, &open);
        open.retain(|function| is_dearer(&after, *function));
        if open.is_empty() {
            break;
        }
        let mut made: BTreeMap<usize, Vec<&Place>> = BTreeMap::new();
        for place in changed.made.iter().filter(|place| open.contains(&place.function)) {
            made.entry(place.function).or_default().push(place);
        }
        let is_last = round + 1 == ROUNDS;
        let mut alone_dearer = Refused::new();
        let most = made.values().map(Vec::len).max().unwrap_or(0).min(MAX_ALONE);
        for at in (0..most).filter(|_| !is_last) {
            let own: Refused = made.values().filter_map(|own| own.get(at)).map(|place| place.id()).collect();
            let after = priced(&source.changed(found, &|place| own.contains(&place.id())).text, &open);
            alone_dearer.extend(own.into_iter().filter(|(function, ..)| is_dearer(&after, *function)));
        }
        // What is not dearer alone is tried together again; where that is all there is, none of it is kept.
        for (function, own) in &made {
            let blamed = own.iter().any(|place| alone_dearer.contains(&place.id()));
            let all = || own.iter().map(|place| place.id());
            refused.extend(all().filter(|id| !blamed || is_last || alone_dearer.contains(id)));
            if is_last {
                let known = source.slices_of(*function).iter().filter(|own| found.contains_key(&own.key));
                refused.extend(known.map(Place::id));
            }
        }
    }
    refused
}

/// What some functions of a module cost.
fn functions(prices: &Prices, module: &str, names: &BTreeSet<&str>) -> Result<BTreeMap<String, Whole>> {
    let assembly = prices.assembly(module)?;
    let (marked, blocks) = blocks(&assembly, names);
    let mut all: BTreeMap<String, Whole> = BTreeMap::new();
    for Timeline { region, cycles, uops } in prices.timelines(&marked)? {
        let Some((name, depth)) = blocks.get(region) else { continue };
        let times = ITERATIONS.powi(*depth);
        let whole = all.entry(name.clone()).or_default();
        whole.cycles += times * cycles;
        whole.uops += times * uops;
    }
    Ok(all)
}

/// Assembly with a region for each block of some functions, and of each region the function and how many loops are around it.
fn blocks(assembly: &str, names: &BTreeSet<&str>) -> (String, Vec<(String, i32)>) {
    let (mut text, mut blocks) = (String::new(), Vec::<(String, i32)>::new());
    let (mut function, mut is_open) = (None::<&str>, false);
    for line in assembly.lines() {
        let label =
            line.split(':').next().filter(|label| line.contains(':') && !label.starts_with([' ', '\t']));
        let name = label.map(|label| label.trim_matches('"')).and_then(|label| names.get(label));
        let is_end = line.starts_with(".Lfunc_end");
        let comment = line.trim_start().trim_start_matches(['#', '/']).trim_start();
        let is_block = line.starts_with(".LBB") || comment.starts_with("%bb.");
        if is_open && (name.is_some() || is_end || is_block) {
            text += "# LLVM-MCA-END\n";
            is_open = false;
        }
        function = if is_end { None } else { name.copied().or(function) };
        text += line;
        text.push('\n');
        if let Some(function) = function.filter(|_| is_block) {
            let _ = writeln!(text, "# LLVM-MCA-BEGIN b{}", blocks.len());
            blocks.push((function.to_owned(), 0));
            is_open = true;
        }
        // The loops around a block are said in comments beside and below its label, the innermost one last.
        let depth: Option<i32> = line.rsplit_once("Depth=").and_then(|(_, depth)| depth.trim().parse().ok());
        if let (true, Some(depth), Some((_, own))) = (is_open, depth, blocks.last_mut()) {
            *own = depth.max(*own);
        }
    }
    (text, blocks)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn regions_are_blocks_with_their_loops() {
        let text = "f:  # @f\n# %bb.0:\n\tmov\n.LBB0_1:  #   Parent Loop BB0_2 Depth=1\n  # =>  This Inner Loop \
                    Header: Depth=2\n\tadd\n\tjne\t.LBB0_1\n.Lfunc_end0:\ng:\n# %bb.0:\n\tret\n.Lfunc_end1:\n";
        let (marked, blocks) = blocks(text, &BTreeSet::from(["f"]));
        assert_eq!(blocks, [("f".to_owned(), 0), ("f".to_owned(), 2)]);
        let begins: Vec<&str> = marked.lines().filter(|line| line.contains("LLVM-MCA")).collect();
        assert_eq!(
            begins,
            ["# LLVM-MCA-BEGIN b0", "# LLVM-MCA-END", "# LLVM-MCA-BEGIN b1", "# LLVM-MCA-END"]
        );
    }
}
