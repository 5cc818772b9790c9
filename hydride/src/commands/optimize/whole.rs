//! What whole functions cost before and after. A slice alone may be cheaper where its function is not: of a value together
//! with what uses it LLVM makes one instruction, until the value is a call of an intrinsic. What does not make a function
//! cheaper is refused.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write as _;

use anyhow::Result;
use serde::Serialize;

use super::excerpt::{Version, excerpt, number};
use super::module::{Place, Rewrites, Source};
use super::price::{Prices, TOGETHER, Timeline, halved};

/// How often a block in a loop is taken to run for each run of what is around the loop.
const ITERATIONS: f64 = 100.0;
/// How often what is left of a function's changes is looked at again.
const ROUNDS: usize = 3;
/// Changes of a function that are looked at alone.
const MAX_ALONE: usize = 12;

/// A part of a function's cost by which the same loop differs with what is around it, and what fills and empties the machine.
const EQUAL: f64 = 0.005;

/// What a block costs, each time that it runs.
#[derive(Clone, Copy, Debug, PartialEq)]
struct Block {
    cycles: f64,
    uops: f64,
    stores: usize,
}

impl Block {
    /// Whether it is dearer in anything. Cycles are what a model says of a machine's ports, of which other machines have other
    /// numbers; micro-operations are about the same on each, and many begin one store in a cycle.
    fn is_dearer(&self, other: &Self) -> bool {
        let more = |own: f64, other: f64| own > (1.0 + EQUAL) * other;
        more(self.cycles, other.cycles) || more(self.uops, other.uops) || self.stores > other.stores
    }
}

/// What a function costs: cycles and micro-operations of its blocks, each block by how often it is taken to run.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct Whole {
    cycles: f64,
    uops: f64,
    /// The blocks in loops, in order.
    #[serde(skip)]
    loops: Vec<Block>,
}

impl Whole {
    /// Whether it is less, and no loop is dearer: in cycles, or in micro-operations where those are as many. Which of a function's
    /// loops runs most is not known: of one that is vectorized there is one for what is left over, which is as long here. Where
    /// there are no loops, or the number of blocks in loops is another one, the sums must not be dearer.
    fn is_less(&self, other: &Self) -> bool {
        let differs = |own: f64, other: f64| (own - other).abs() > EQUAL * other;
        let is_dearer = match !self.loops.is_empty() && self.loops.len() == other.loops.len() {
            true => self.loops.iter().zip(&other.loops).any(|(own, other)| own.is_dearer(other)),
            false => self.sum().is_dearer(&other.sum()),
        };
        let is_less = match differs(self.cycles, other.cycles) {
            true => self.cycles < other.cycles,
            false => differs(self.uops, other.uops) && self.uops < other.uops,
        };
        is_less && !is_dearer
    }

    fn sum(&self) -> Block {
        let stores = self.loops.iter().map(|block| block.stores).sum();
        Block { cycles: self.cycles, uops: self.uops, stores }
    }
}

/// Changes that are not made, by their [places](Place::id).
pub type Refused = BTreeSet<(usize, usize, usize)>;

/// A version of a function, and the changes that are made in it.
type Tried<'a> = (Version, Vec<&'a Place>);

/// The changes of a module that do not make a function cheaper as a whole, on a machine that has costs of both.
pub fn refused(source: &Source, found: &Rewrites, prices: &Prices) -> Refused {
    let mut refused = Refused::new();
    let tried = |function: usize, keep: &dyn Fn(&Place) -> bool| -> Tried<'_> {
        let (edits, made) = source.edits(function, found, keep);
        (Version::new(&source.module, function, &edits), made)
    };
    let all = (0..source.module.functions.len()).map(|function| tried(function, &|_| true));
    let mut open: Vec<Tried<'_>> = all.filter(|(_, made)| !made.is_empty()).collect();
    let own = open.iter().map(|(version, _)| version.function);
    let as_they_are: Vec<Version> = own.clone().map(|at| Version::new(&source.module, at, &[])).collect();
    let before: BTreeMap<usize, Whole> = own
        .zip(priced(source, prices, &as_they_are))
        .filter_map(|(function, price)| Some((function, price?)))
        .collect();
    let is_idle = |version: &Version, after: Option<Whole>| {
        before.get(&version.function).zip(after).is_some_and(|(before, after)| !after.is_less(before))
    };
    let only_idle = |all: &mut Vec<Tried<'_>>| {
        let prices = priced(source, prices, all.iter().map(|(version, _)| version));
        let mut prices = prices.into_iter();
        all.retain(|(version, _)| is_idle(version, prices.next().flatten()));
    };
    for round in 0..ROUNDS {
        only_idle(&mut open);
        if open.is_empty() {
            break;
        }
        let is_last = round + 1 == ROUNDS;
        let alone = open.iter().filter(|_| !is_last).flat_map(|(version, made)| {
            let own = made.iter().take(MAX_ALONE).map(|place| place.id());
            own.map(|id| tried(version.function, &move |place| place.id() == id))
        });
        let mut alone: Vec<Tried<'_>> = alone.collect();
        only_idle(&mut alone);
        let blamed: Refused = alone.iter().flat_map(|(_, made)| made).map(|place| place.id()).collect();
        // What is cheaper alone is tried together again; where that is all there is, none of it is kept.
        for (version, made) in &open {
            let is_blamed = made.iter().any(|place| blamed.contains(&place.id()));
            let all = made.iter().map(|place| place.id());
            refused.extend(all.filter(|id| !is_blamed || is_last || blamed.contains(id)));
            if is_last {
                let slices = source.slices_of(version.function).iter();
                refused.extend(slices.filter(|own| found.contains_key(&own.key)).map(Place::id));
            }
        }
        let again = open.iter().map(|(own, _)| tried(own.function, &|place| !refused.contains(&place.id())));
        open = again.collect();
    }
    refused.extend(idle(source, found, prices, &refused, &before));
    refused
}

/// Changes of functions that are cheaper with all of theirs, and as cheap without some: what is found for one slice is left
/// out at all of its places, since other changes of the function would pay for it.
fn idle(
    source: &Source,
    found: &Rewrites,
    prices: &Prices,
    refused: &Refused,
    before: &BTreeMap<usize, Whole>,
) -> Refused {
    let version = |function: usize, without: &BTreeSet<&str>| {
        let keep = |place: &Place| !(refused.contains(&place.id()) || without.contains(place.key.as_str()));
        let (edits, made) = source.edits(function, found, &keep);
        (Version::new(&source.module, function, &edits), made)
    };
    // Of each function first with all changes, then without those of one slice.
    let (mut versions, mut slices) = (Vec::new(), Vec::new());
    for function in before.keys().copied() {
        let (all, made) = version(function, &BTreeSet::new());
        let keys: BTreeSet<&str> = made.iter().map(|place| place.key.as_str()).collect();
        if (2..=MAX_ALONE).contains(&keys.len()) {
            versions.push(all);
            versions.extend(keys.iter().map(|key| version(function, &BTreeSet::from([*key])).0));
            slices.push((function, keys));
        }
    }
    let all = priced(source, prices, &versions);
    let mut costs = all.into_iter();
    let mut tried = Vec::new();
    for (function, keys) in slices {
        let (with, without): (_, Vec<_>) =
            (costs.next().flatten(), costs.by_ref().take(keys.len()).collect());
        let Some(with) = with else { continue };
        let is_idle = |cost: &Option<Whole>| cost.as_ref().is_some_and(|without| !with.is_less(without));
        let idle: BTreeSet<&str> =
            keys.into_iter().zip(without).filter(|(_, cost)| is_idle(cost)).map(|(key, _)| key).collect();
        if !idle.is_empty() {
            tried.push((version(function, &idle).0, with, idle));
        }
    }
    let costs = priced(source, prices, tried.iter().map(|(version, ..)| version));
    let mut all = Refused::new();
    for ((version, with, idle), cost) in tried.into_iter().zip(costs) {
        // What is idle alone may not be so together.
        let function = version.function;
        if cost.is_some_and(|cost| !with.is_less(&cost) && cost.is_less(&before[&function])) {
            let own = source.slices_of(function).iter().filter(|place| idle.contains(place.key.as_str()));
            all.extend(own.map(Place::id));
        }
    }
    all
}

/// What a changed function costs by the machine's model.
#[derive(Serialize)]
pub struct Costs {
    file: String,
    function: String,
    before: Whole,
    after: Whole,
}

/// What a module's functions cost before and after the changes that `keep` admits; those that the tools can price.
pub fn costs(
    source: &Source,
    found: &Rewrites,
    keep: &dyn Fn(&Place) -> bool,
    prices: &Prices,
) -> Vec<Costs> {
    let functions = 0..source.module.functions.len();
    let edits = functions.map(|function| (function, source.edits(function, found, keep).0));
    let changed: Vec<_> = edits.filter(|(_, edits)| !edits.is_empty()).collect();
    let version = |function: usize, edits: &_| Version::new(&source.module, function, edits);
    let versions: Vec<Version> = changed
        .iter()
        .flat_map(|(function, edits)| [version(*function, &Vec::new()), version(*function, edits)])
        .collect();
    let all = priced(source, prices, &versions);
    let costs = |((function, _), own): (&(usize, _), &[Option<Whole>])| match own {
        [Some(before), Some(after)] => Some(Costs {
            file: source.path.display().to_string(),
            function: source.module.functions[*function].name.clone(),
            before: before.clone(),
            after: after.clone(),
        }),
        _ => None,
    };
    changed.iter().zip(all.chunks(2)).filter_map(costs).collect()
}

/// What versions of a module's functions cost; `None` for one that the tools cannot price.
fn priced<'v>(
    source: &Source,
    prices: &Prices,
    versions: impl IntoIterator<Item = &'v Version>,
) -> Vec<Option<Whole>> {
    let numbered: Vec<(usize, &Version)> = versions.into_iter().enumerate().collect();
    let mut all = vec![None; numbered.len()];
    for together in numbered.chunks(TOGETHER) {
        halved(together, &|own| wholes(source, prices, own), &mut all);
    }
    all
}

/// What numbered versions of a module's functions cost.
fn wholes(source: &Source, prices: &Prices, versions: &[(usize, &Version)]) -> Result<Vec<(usize, Whole)>> {
    let assembly = prices.assembly(&excerpt(&source.module, versions.iter().copied()))?;
    let (marked, blocks) = blocks(&assembly);
    let mut all: BTreeMap<usize, Whole> = BTreeMap::new();
    for Timeline { region, cycles, uops, stores } in prices.timelines(&marked)? {
        let Some((number, depth)) = blocks.get(region) else { continue };
        let times = ITERATIONS.powi(*depth);
        let whole = all.entry(*number).or_default();
        whole.cycles += times * cycles;
        whole.uops += times * uops;
        if *depth > 0 {
            whole.loops.push(Block { cycles, uops, stores });
        }
    }
    Ok(all.into_iter().collect())
}

/// Assembly with a region for each block of versions, and of each region the version and how many loops are around it.
fn blocks(assembly: &str) -> (String, Vec<(usize, i32)>) {
    let (mut text, mut blocks) = (String::new(), Vec::<(usize, i32)>::new());
    let (mut version, mut is_open) = (None::<usize>, false);
    for line in assembly.lines() {
        let label =
            line.split(':').next().filter(|label| line.contains(':') && !label.starts_with([' ', '\t']));
        let own = label.and_then(number);
        let is_end = line.starts_with(".Lfunc_end");
        let comment = line.trim_start().trim_start_matches(['#', '/']).trim_start();
        let is_block = line.starts_with(".LBB") || comment.starts_with("%bb.");
        if is_open && (own.is_some() || is_end || is_block) {
            text += "# LLVM-MCA-END\n";
            is_open = false;
        }
        version = if is_end { None } else { own.or(version) };
        text += line;
        text.push('\n');
        if let Some(version) = version.filter(|_| is_block) {
            let _ = writeln!(text, "# LLVM-MCA-BEGIN b{}", blocks.len());
            blocks.push((version, 0));
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
    fn cycles_count_first_and_no_small_part_of_them() {
        let whole = |cycles, uops| Whole { cycles, uops, loops: Vec::new() };
        assert!(!whole(99.7, 2.0).is_less(&whole(100.0, 2.0)));
        assert!(whole(100.2, 1.0).is_less(&whole(100.0, 2.0)));
        assert!(!whole(100.0, 1.999).is_less(&whole(100.0, 2.0)));
        assert!(!whole(101.0, 1.0).is_less(&whole(100.0, 2.0)));
        assert!(!whole(80.0, 110.0).is_less(&whole(100.0, 100.0)));
        assert!(whole(80.0, 100.4).is_less(&whole(100.0, 100.0)));
    }

    #[test]
    fn no_loop_becomes_dearer() {
        let block = |cycles, uops, stores| Block { cycles, uops, stores };
        let whole = |cycles, loops: &[Block]| Whole { cycles, uops: 30.0, loops: loops.to_vec() };
        let before = whole(30.0, &[block(10.0, 10.0, 2), block(20.0, 20.0, 1)]);
        assert!(whole(25.0, &[block(10.0, 10.0, 2), block(15.0, 20.0, 1)]).is_less(&before));
        // A cheaper loop does not pay for another one, and cycles pay for no store.
        assert!(!whole(25.0, &[block(15.0, 20.0, 2), block(10.0, 10.0, 1)]).is_less(&before));
        assert!(!whole(25.0, &[block(10.0, 10.0, 2), block(15.0, 20.0, 2)]).is_less(&before));
        assert!(!whole(25.0, &[block(10.0, 12.0, 2), block(15.0, 18.0, 1)]).is_less(&before));
        // Other loops are compared as one.
        assert!(whole(25.0, &[block(25.0, 25.0, 3)]).is_less(&before));
        assert!(!whole(25.0, &[block(25.0, 25.0, 4)]).is_less(&before));
    }

    #[test]
    fn regions_are_blocks_with_their_loops() {
        let text = "price.3:  # @price.3\n# %bb.0:\n\tmov\n.LBB0_1:  #   Parent Loop BB0_2 Depth=1\n  # =>  This Inner Loop \
                    Header: Depth=2\n\tadd\n\tjne\t.LBB0_1\n.Lfunc_end0:\ng:\n# %bb.0:\n\tret\n.Lfunc_end1:\n";
        let (marked, blocks) = blocks(text);
        assert_eq!(blocks, [(3, 0), (3, 2)]);
        let begins: Vec<&str> = marked.lines().filter(|line| line.contains("LLVM-MCA")).collect();
        assert_eq!(
            begins,
            ["# LLVM-MCA-BEGIN b0", "# LLVM-MCA-END", "# LLVM-MCA-BEGIN b1", "# LLVM-MCA-END"]
        );
    }
}
