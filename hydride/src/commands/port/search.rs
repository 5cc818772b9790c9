//! The searches of a port: each function once, and an instruction's choices of immediates beside each other.
//!
//! What one choice has a sequence of has others one of too, with other immediates and constants. So some choices are searched
//! among all instructions, the rest among those of the cheapest sequences found before they are searched among all, and at
//! last whoever has none or a dearer one tries those that became known meanwhile.

use std::collections::{BTreeSet, HashMap};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Instant;

use ::synth::synthesize::{Kept, Status, prover, recalled};
use ::synth::table::Table;
use ::synth::window::{Element, Operator, Window};
use anyhow::Result;
use memo::{Key, Memo, digest};
use rayon::prelude::*;
use serde::{Deserialize, Serialize};

use super::found::Found;
use super::sources::{Source, is_first, key};
use super::table::Row;
use crate::cache::Cache;
use crate::commands::synth::targets::{Ground, GroundArgs};
use crate::commands::synth::{answer_key, solve_with};
use crate::console::{Phase, Phases, on_interrupt};

/// Names how choices are searched beside each other, so that what was found in another way is searched again.
const CHOICES: &[u8] = b"port 3";

/// Names what is kept of a search that ran out of time.
const TOO_LONG: &[u8] = b"port out of time";

/// Choices that are searched among all instructions before what they have is tried for the others.
const AT_A_TIME: usize = 4;

/// How often that is done.
const MAX_TIMES: usize = 2;

/// Different sets of instructions whose sequences are tried for other choices.
const MAX_SETS: usize = 4;

/// What was found for sources.
pub struct Searched {
    found: HashMap<usize, Found>,
    /// For each source the number of what was found for it.
    numbers: Vec<Option<usize>>,
}

impl Searched {
    /// The sources with what was found for them.
    pub fn rows<'a>(&'a self, all: &'a [Source<'a>]) -> Vec<Row<'a>> {
        let found = |number: &Option<usize>| number.and_then(|number| self.found.get(&number));
        all.iter().zip(&self.numbers).map(|(source, number)| Row::new(source, found(number))).collect()
    }
}

/// The choices of one instruction's immediates that no instruction before it has, by the numbers of their windows.
#[derive(Default)]
struct Choices {
    first: Vec<usize>,
    rest: Vec<usize>,
}

impl Choices {
    fn all(&self) -> impl Iterator<Item = usize> {
        self.first.iter().chain(&self.rest).copied()
    }
}

/// Searches each function once; nothing where the run is interrupted, which is said. An instruction that has a sequence for
/// none of the choices that are searched first is not searched for the others.
pub fn search(all: &[Source<'_>], ground: &Ground, args: &GroundArgs) -> Result<Option<Searched>> {
    let mut known = HashMap::new();
    let mut windows: Vec<&Window> = Vec::new();
    let mut number = |window| {
        *known.entry(key(window)).or_insert_with(|| {
            windows.push(window);
            windows.len() - 1
        })
    };
    let numbers: Vec<Option<usize>> =
        all.iter().map(|source| source.window.as_ref().ok().map(&mut number)).collect();
    let choices = choices(all, &numbers, windows.len());
    let stop = Arc::new(AtomicBool::new(false));
    let handler = stop.clone();
    on_interrupt(move || handler.swap(true, Ordering::Relaxed));
    let mut phases = Phases::default();
    let phase = phases.start("port", windows.len());
    let keys: Vec<Key> = windows.iter().map(|window| answer_key(window, ground)).collect();
    let beside: Vec<Vec<Key>> = choices.iter().map(|own| keys_beside(own, &keys)).collect();
    let too_long: Vec<Key> = keys.iter().map(|key| digest([TOO_LONG, key])).collect();
    let cache = args.cache.open_at(&[&keys[..], &beside.concat(), &too_long].concat());
    let (memo, max_seconds) = (cache.memo(), args.max_seconds);
    let search = Search {
        windows: &windows,
        keys,
        too_long,
        ground,
        memo,
        cache: &cache,
        phase: &phase,
        stop: &stop,
        max_seconds,
    };
    let pool = rayon::ThreadPoolBuilder::new().num_threads(args.jobs).build()?;
    let found: HashMap<usize, Found> = pool.install(|| {
        let one = |(own, keys): &(&Choices, &Vec<Key>)| search.beside(own, keys);
        // What is computed of elements in order, and then the same of others.
        let models = models(&windows, &choices);
        let (later, first): (Vec<_>, Vec<_>) =
            choices.iter().zip(&beside).partition(|(own, _)| models.contains_key(&own.first[0]));
        let mut found: HashMap<usize, Found> = first.par_iter().flat_map_iter(one).collect();
        let (without, rest): (Vec<_>, Vec<_>) = later.into_iter().partition(|(own, _)| {
            let model = models.get(&own.first[0]).and_then(|model| found.get(model));
            model.is_some_and(|model| model.program.is_none() && model.status == Status::Exhausted)
        });
        for (own, _) in without {
            let model = models[&own.first[0]];
            let like = |number| (number, found[&model].like(windows[model]));
            let own: Vec<_> = own.all().map(like).collect();
            found.extend(own);
        }
        found.extend(rest.par_iter().flat_map_iter(one).collect::<Vec<_>>());
        found
    });
    let known = cache.known();
    let known = if known > 0 { format!(", {known} answers were known") } else { String::new() };
    phases.end(phase, &format!("{} functions{known}", found.len()));
    cache.save();
    if stop.load(Ordering::Relaxed) {
        let kept = if cache.memo().has_store() { "; what was found is kept in the cache" } else { "" };
        eprintln!("{:>14} interrupted: nothing is written{kept}", "port");
        return Ok(None);
    }
    Ok(Some(Searched { found, numbers }))
}

/// The windows by the first instruction that has them. Instructions without choices come first: their windows are searched among all
/// instructions, most windows of choices only among those that other choices' sequences have.
fn choices(all: &[Source<'_>], numbers: &[Option<usize>], count: usize) -> Vec<Choices> {
    let (mut instructions, mut others) = (Vec::new(), numbers);
    for sources in all.chunk_by(|one, next| std::ptr::eq(one.instruction, next.instruction)) {
        instructions.push((sources, others.split_off(..sources.len()).unwrap_or_default()));
    }
    instructions.sort_by_key(|(sources, _)| sources.len() > 1);
    let (mut seen, mut found) = (vec![false; count], Vec::new());
    for (sources, numbers) in instructions {
        let mut own = Choices::default();
        for (source, number) in sources.iter().zip(numbers) {
            let Some(number) = *number else { continue };
            if !std::mem::replace(&mut seen[number], true) {
                let first = is_first(source.instruction, &source.choices);
                if first { &mut own.first } else { &mut own.rest }.push(number);
            }
        }
        if own.first.is_empty() {
            std::mem::swap(&mut own.first, &mut own.rest);
        }
        if !own.first.is_empty() {
            found.push(own);
        }
    }
    found
}

/// For the first windows of choices that all compute one function in all lanes the first window that computes it of elements in
/// order, where another instruction has it: what cannot be computed there cannot either where elements are moved besides, or
/// where there are more of them.
fn models(windows: &[&Window], choices: &[Choices]) -> HashMap<usize, usize> {
    let mut in_order: HashMap<String, usize> = HashMap::new();
    let mut of_one: Vec<(usize, String)> = Vec::new();
    for own in choices {
        let functions = own.all().map(|number| function_of_lanes(windows[number]));
        let Some(functions) = functions.collect::<Option<Vec<_>>>() else { continue };
        let (function, is_in_order) = functions[0].clone();
        if functions.iter().all(|(other, _)| *other == function) {
            of_one.push((own.first[0], function.clone()));
        }
        if is_in_order && functions.len() == 1 {
            in_order.entry(function).or_insert(own.first[0]);
        }
    }
    let model = |(number, function)| Some((number, *in_order.get(&function)?));
    of_one.into_iter().filter_map(model).filter(|(number, model)| number != model).collect()
}

/// The function that all lanes are computed by, where there is one, and whether each lane is computed of the elements at its own
/// place.
fn function_of_lanes(window: &Window) -> Option<(String, bool)> {
    let Operator::Forms(forms) = &window.expressions.get(window.root).operator else { return None };
    let [function] = &forms.functions[..] else { return None };
    let at_home =
        |(lane, (_, slots)): (u32, &(u32, Vec<Element>))| slots.iter().all(|slot| slot.index == lane);
    Some((function.to_string(), (0..).zip(&forms.lanes).all(at_home)))
}

/// The keys of what was found for choices beside each other; a choice alone has none.
fn keys_beside(choices: &Choices, keys: &[Key]) -> Vec<Key> {
    let all: Vec<usize> = choices.all().collect();
    if all.len() == 1 {
        return Vec::new();
    }
    let whole = digest(std::iter::once(CHOICES).chain(all.iter().map(|own| keys[*own].as_slice())));
    all.iter().map(|own| digest([&whole[..], &keys[*own]])).collect()
}

/// What a search without a program had to say that so many seconds were too few for.
#[derive(Serialize, Deserialize)]
struct TooLong {
    seconds: u64,
    notes: Vec<String>,
}

struct Search<'a> {
    windows: &'a [&'a Window],
    /// For each window the key of its answer.
    keys: Vec<Key>,
    /// For each window the key of its [`TooLong`].
    too_long: Vec<Key>,
    ground: &'a Ground,
    memo: Memo,
    cache: &'a Cache,
    phase: &'a Phase,
    stop: &'a AtomicBool,
    max_seconds: u64,
}

impl Search<'_> {
    /// What is found for choices beside each other, kept under these keys.
    fn beside(&self, choices: &Choices, keys: &[Key]) -> Vec<(usize, Found)> {
        if let Some(known) = self.known(choices, keys) {
            self.phase.advance(known.len());
            return known;
        }
        let [first, rest] = self.ends(choices);
        let mut found = self.among_all(&first);
        let Some(most) = found.iter().filter_map(|(_, own)| own.price()).max() else { return found };
        if keys.is_empty() {
            return found;
        }
        found.extend(self.among_all(&rest));
        let most = found.iter().filter_map(|(_, own)| own.price()).max().unwrap_or(most);
        let few = self.rest(choices.rest.clone(), most, &mut found);
        let found = self.again(found, choices, &few);
        let found = self.without_constants(found, choices);
        if !self.stop.load(Ordering::Relaxed) {
            let keys: HashMap<usize, &Key> = choices.all().zip(keys).collect();
            let kept = found.iter().filter_map(|(number, own)| Some((keys.get(number)?, own.kept.as_ref()?)));
            kept.for_each(|(key, kept)| self.memo.put(**key, kept));
        }
        found
    }

    /// The first and the last of the choices that are searched first, of which one must have a sequence, and those between.
    fn ends(&self, choices: &Choices) -> [Vec<usize>; 2] {
        match choices.first[..] {
            [first, ref between @ .., last] => [vec![first, last], between.to_vec()],
            _ => [choices.first.clone(), Vec::new()],
        }
    }

    fn among_all(&self, numbers: &[usize]) -> Vec<(usize, Found)> {
        let one = |number: &usize| (*number, self.found(*number, &self.ground.table, &self.memo));
        numbers.par_iter().map(one).collect()
    }

    fn among(&self, numbers: &[usize], table: &Table) -> Vec<(usize, Found)> {
        let one = |number: &usize| (*number, self.found(*number, table, &Memo::default()));
        numbers.par_iter().map(one).collect()
    }

    /// Searches the other choices among the instructions of the cheapest programs, which are given back. Some of those whose
    /// programs cost more than `most`, or that have none, are searched among all, as long as these get better ones by it.
    fn rest(&self, mut open: Vec<usize>, most: u64, found: &mut Vec<(usize, Found)>) -> BTreeSet<usize> {
        let (mut few, mut left) = (BTreeSet::new(), HashMap::new());
        // Instructions of choices that had no program before.
        let mut added: BTreeSet<usize> = BTreeSet::new();
        for times in 0.. {
            let mut better = cheapest_sets(found);
            better.extend(&added);
            if times == 0 || !better.is_subset(&few) {
                let table = self.ground.table.only(better.clone());
                for (number, own) in self.among(&open, &table) {
                    let own = match left.remove(&number) {
                        Some(other) => own.or_cheaper(other),
                        None => own,
                    };
                    if own.price().is_some_and(|price| price <= most) {
                        found.push((number, own));
                    } else {
                        left.insert(number, own);
                    }
                }
                few = better;
            }
            open.retain(|number| left.contains_key(number));
            // The search goes on while it finds programs for choices that had none.
            let is_next = times < MAX_TIMES || !added.is_empty();
            let count = if is_next { open.len().min(AT_A_TIME) } else { 0 };
            let next: Vec<usize> = (0..count).map(|at| open[at * open.len() / count]).collect();
            let mut helps = false;
            added.clear();
            for (number, own) in self.among_all(&next) {
                let other = left.remove(&number);
                let before = other.as_ref().and_then(Found::price);
                helps |= own.price().is_some_and(|price| before.is_none_or(|before| price < before));
                added.extend(own.counted.iter().filter(|_| before.is_none()).flat_map(|(_, set)| set));
                let own = match other {
                    Some(other) => own.or_cheaper(other),
                    None => own,
                };
                found.push((number, own));
            }
            open.retain(|number| left.contains_key(number));
            if !helps {
                let rest = open.iter().filter_map(|number| Some((*number, left.remove(number)?.among_few())));
                found.extend(rest);
                break;
            }
        }
        few
    }

    /// Those that have no program, or none that is as cheap as another choice's, once more among the instructions of the cheapest
    /// programs, unless they were searched among these.
    fn again(
        &self,
        found: Vec<(usize, Found)>,
        choices: &Choices,
        few: &BTreeSet<usize>,
    ) -> Vec<(usize, Found)> {
        let better = cheapest_sets(&found);
        let is_known = better.is_subset(few);
        let table = self.ground.table.only(better);
        let least = found.iter().filter_map(|(_, own)| own.price()).min();
        let again = found.into_par_iter().map(|(number, own)| {
            if own.price() == least || is_known && !choices.first.contains(&number) {
                return (number, own);
            }
            (number, own.or_cheaper(self.found(number, &table, &Memo::default())))
        });
        again.collect()
    }

    /// Those that move elements by constants once more among all instructions: one may move just these.
    fn without_constants(&self, found: Vec<(usize, Found)>, choices: &Choices) -> Vec<(usize, Found)> {
        let one = |(number, own): (usize, Found)| {
            let again = own.moves_by_constants && !choices.first.contains(&number);
            let other = again.then(|| self.found(number, &self.ground.table, &Memo::default()));
            (number, other.into_iter().fold(own, Found::or_cheaper))
        };
        found.into_par_iter().map(one).collect()
    }

    /// What was found for all of these choices in an earlier run, proved again.
    fn known(&self, choices: &Choices, keys: &[Key]) -> Option<Vec<(usize, Found)>> {
        if keys.is_empty() || !self.memo.has_store() {
            return None;
        }
        let all: Vec<(usize, &Key)> = choices.all().zip(keys).collect();
        let known = all.into_par_iter().map(|(number, key)| {
            let (window, mut table) = (self.windows[number], self.ground.table.clone());
            let answer = recalled(window, &mut table, key, &self.memo, &mut prover())?;
            Some((number, Found::new(window, self.ground, answer, &table)))
        });
        known.collect()
    }

    /// What is found for a window with the instructions of a table. What so many seconds were too few for is not tried again.
    fn found(&self, number: usize, table: &Table, memo: &Memo) -> Found {
        let (start, window) = (Instant::now(), self.windows[number]);
        let key = &self.too_long[number];
        // A search with more time may have come to its end since.
        let is_too_long = |known: &TooLong| {
            (1..=known.seconds).contains(&self.max_seconds) && memo.get::<Kept>(&self.keys[number]).is_none()
        };
        if let Some(known) = memo.get(key).filter(is_too_long) {
            self.phase.advance(1);
            return Found::without(Status::OutOfTime, known.notes);
        }
        let (answer, table) =
            solve_with(table.clone(), window, self.ground, memo, self.stop, self.max_seconds, None);
        tracing::debug!(
            "{}: {} after {} states, {:.3} s",
            window.name,
            answer.status.name(),
            answer.states,
            start.elapsed().as_secs_f64()
        );
        let found = Found::new(window, self.ground, answer, &table);
        if found.status == Status::OutOfTime && found.program.is_none() && !self.stop.load(Ordering::Relaxed)
        {
            memo.put(*key, &TooLong { seconds: self.max_seconds, notes: found.notes.clone() });
        }
        self.phase.advance(1);
        self.cache.save_now_and_then();
        found
    }
}

/// The instructions of the cheapest programs, of so many different sets.
fn cheapest_sets(found: &[(usize, Found)]) -> BTreeSet<usize> {
    let mut sets: Vec<&(u64, BTreeSet<usize>)> =
        found.iter().filter_map(|(_, own)| own.counted.as_ref().filter(|(_, set)| !set.is_empty())).collect();
    sets.sort();
    let (mut taken, mut all): (Vec<&BTreeSet<usize>>, _) = (Vec::new(), BTreeSet::new());
    for (_, set) in sets {
        if taken.len() < MAX_SETS && !taken.contains(&set) {
            taken.push(set);
            all.extend(set);
        }
    }
    all
}

#[cfg(test)]
mod tests {
    use super::*;

    fn found(price: u64, instructions: &[usize]) -> (usize, Found) {
        let counted = Some((price, instructions.iter().copied().collect()));
        (0, Found { counted, ..Found::without(Status::Proved, Vec::new()) })
    }

    #[test]
    fn the_instructions_of_the_cheapest_programs_are_taken() {
        let all = [
            found(9, &[9]),
            found(0, &[]),
            found(2, &[1, 2]),
            found(3, &[1, 2]),
            found(4, &[3]),
            found(5, &[4]),
            found(6, &[5]),
        ];
        assert_eq!(cheapest_sets(&all), BTreeSet::from([1, 2, 3, 4, 5]));
        assert_eq!(cheapest_sets(&[]), BTreeSet::new());
    }

    #[test]
    fn the_cheaper_one_is_kept() {
        let price = |one: (usize, Found), other: (usize, Found)| one.1.or_cheaper(other.1).price();
        assert_eq!(price(found(2, &[1]), found(3, &[2])), Some(2));
        assert_eq!(price(found(3, &[1]), found(2, &[2])), Some(2));
        let none = (0, Found { counted: None, ..found(0, &[]).1 });
        assert_eq!(price(none, found(7, &[2])), Some(7));
    }
}
