//! Whether a crate's tests notice a change of its code: a sample of small changes (mutants), each tested alone.
//!
//! cargo-mutants makes the changes, in a copy of the sources, and runs the crate's own tests on each. The sample is
//! drawn from all mutants of the chosen crates together, so that a crate with more code has more of them; the same
//! sources and seed give the same sample.

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;
use std::process::Command;

use anyhow::{Context, Result, bail, ensure};

use crate::packages::provide_cargo_tool;
use crate::process::{code, output};
use crate::root;

/// The crates that are sampled unless others are asked for.
pub const CRATES: &[&str] = &["hydride-ir", "similarity", "smt", "interp", "autoir", "catalog"];

/// The release of cargo-mutants.
const VERSION: &str = "27.1.0";

/// The percentage of viable mutants that tests must notice.
const NEEDED: usize = 90;

/// What became of mutants, with cargo-mutants' file that lists them.
const OUTCOMES: [(&str, &str); 4] = [
    ("caught", "caught.txt"),
    ("missed", "missed.txt"),
    ("timeout", "timeout.txt"),
    ("unviable", "unviable.txt"),
];

/// The mutants of one crate by outcome, in the order of [`OUTCOMES`]; each is `FILE:LINE:COLUMN: CHANGE`.
type Tested = [Vec<String>; 4];

/// What is tested.
pub struct Sample<'a> {
    /// How many mutants.
    pub count: usize,
    /// Where the random choice starts.
    pub seed: u64,
    /// Of which crates; all of [`CRATES`] if empty.
    pub crates: &'a [String],
    /// Only mutants of files whose path contains this.
    pub file: Option<&'a str>,
}

/// Tests a sample of mutants and prints what tests missed. Returns the exit code: 1 when too few were noticed.
pub fn mutants(sample: &Sample<'_>) -> Result<i32> {
    let tool = provide_cargo_tool("cargo-mutants", VERSION)?;
    let chosen = sample.crates.iter().map(String::as_str);
    let chosen: Vec<&str> = if sample.crates.is_empty() { CRATES.to_vec() } else { chosen.collect() };
    let mut all = Vec::new();
    for package in chosen {
        let listed = output(mutants_of(&tool, package).args(["--list", "--colors", "never"]))?;
        let in_file = |line: &&str| sample.file.is_none_or(|file| file_of(line).contains(file));
        all.extend(listed.lines().filter(in_file).map(|line| (package, line.to_owned())));
    }
    let available = all.len();
    let mut by_crate: BTreeMap<&str, Vec<String>> = BTreeMap::new();
    for (package, mutant) in choose(all, sample.count, sample.seed) {
        by_crate.entry(package).or_default().push(mutant);
    }
    let count: usize = by_crate.values().map(Vec::len).sum();
    println!("{count} of {available} mutants, seed {}", sample.seed);
    let mut results = BTreeMap::new();
    for (package, mutants) in by_crate {
        println!("== {package}");
        results.insert(package, test(&tool, package, &mutants)?);
    }
    println!("== summary");
    print!("{}", table(&results));
    for mutant in results.values().flat_map(|[_, missed, ..]| missed) {
        println!("missed: {mutant}");
    }
    Ok(i32::from(!enough(&results)))
}

/// The file that a mutant changes.
fn file_of(mutant: &str) -> &str {
    mutant.split_once(':').map_or(mutant, |(file, _)| file)
}

/// The start of a command on one crate's mutants.
fn mutants_of(tool: &Path, package: &str) -> Command {
    let mut command = Command::new(tool);
    command.args(["mutants", "--dir"]).arg(root()).args(["--package", package]);
    command
}

/// Up to `count` of the mutants at random, sorted.
fn choose<T: Ord>(mut all: Vec<T>, count: usize, seed: u64) -> Vec<T> {
    let mut state = seed;
    let count = count.min(all.len());
    for place in 0..count {
        let left = (all.len() - place) as u64;
        // The remainder prefers low numbers by less than one in 2^40.
        all.swap(place, place + (split_mix(&mut state) % left) as usize);
    }
    all.truncate(count);
    all.sort();
    all
}

/// The next number of the generator SplitMix64.
fn split_mix(state: &mut u64) -> u64 {
    *state = state.wrapping_add(0x9e37_79b9_7f4a_7c15);
    let mixed = (*state ^ (*state >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    let mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    mixed ^ (mixed >> 31)
}

/// Runs a crate's tests, first on the crate as it is, then on each of the mutants.
fn test(tool: &Path, package: &str, mutants: &[String]) -> Result<Tested> {
    let kept = root().join("target/mutants");
    let folder = kept.join(package);
    fs::create_dir_all(&folder).with_context(|| format!("cannot make {}", folder.display()))?;
    let mut command = mutants_of(tool, package);
    command.args(["--no-shuffle", "--caught", "--colors", "never", "--output"]).arg(&folder);
    // Dependencies are compiled once for all runs, and of a crate what a mutant changes.
    command.env("CARGO_TARGET_DIR", kept.join("build")).env("CARGO_INCREMENTAL", "1");
    // Tests run once for each build: full optimization would take longer than it saves.
    command.env("CARGO_PROFILE_DEV_OPT_LEVEL", "1");
    for mutant in mutants {
        command.args(["--file", file_of(mutant), "--re", &format!("^{}$", escaped(mutant))]);
    }
    match code(&mut command)? {
        // All caught, some missed, some timed out.
        0 | 2 | 3 => {}
        4 => bail!("{package}: its tests fail without any mutant"),
        other => bail!("{package}: cargo-mutants ended with exit code {other}"),
    }
    let read = |(_, file): (_, &str)| -> Result<Vec<String>> {
        let path = folder.join("mutants.out").join(file);
        let text = fs::read_to_string(&path).with_context(|| format!("cannot read {}", path.display()))?;
        // Deletions of a structure's fields are tested whatever their names are.
        Ok(text.lines().map(str::to_owned).filter(|mutant| mutants.contains(mutant)).collect())
    };
    let [caught, missed, timeout, unviable] = OUTCOMES.map(read);
    let tested = [caught?, missed?, timeout?, unviable?];
    let count: usize = tested.iter().map(Vec::len).sum();
    ensure!(count == mutants.len(), "{package}: {count} of {} mutants were tested", mutants.len());
    Ok(tested)
}

/// The regular expression of a text itself.
fn escaped(text: &str) -> String {
    let special = |c: char| r"\.+*?()|[]{}^$#&-~".contains(c);
    text.chars().flat_map(|c| special(c).then_some('\\').into_iter().chain([c])).collect()
}

/// A row for each crate, and one of the sums.
fn table(results: &BTreeMap<&str, Tested>) -> String {
    let row = |name: &str, cells: [String; 4]| {
        cells.iter().fold(format!("{name:<12}"), |row, cell| format!("{row} {cell:>9}")) + "\n"
    };
    let mut text = row("crate", OUTCOMES.map(|(name, _)| name.to_owned()));
    for (package, tested) in results {
        text += &row(package, tested.each_ref().map(|mutants| mutants.len().to_string()));
    }
    text + &row("all", sums(results).map(|sum| sum.to_string()))
}

fn sums(results: &BTreeMap<&str, Tested>) -> [usize; 4] {
    std::array::from_fn(|outcome| results.values().map(|tested| tested[outcome].len()).sum())
}

/// Whether tests notice as many of the viable mutants as they should: a test that does not end is noticed as well.
fn enough(results: &BTreeMap<&str, Tested>) -> bool {
    let [caught, missed, timeout, _] = sums(results);
    (caught + timeout) * 100 >= (caught + missed + timeout) * NEEDED
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_seed_gives_one_sample() {
        let all: Vec<u32> = (0..1000).collect();
        let sample = choose(all.clone(), 20, 7);
        assert_eq!(choose(all.clone(), 20, 7), sample);
        assert_ne!(choose(all.clone(), 20, 8), sample);
        assert!(sample.is_sorted_by(|a, b| a < b) && sample.len() == 20);
        assert_eq!(choose(all.clone(), 5000, 7), all);
    }

    /// The first numbers of the reference implementation for the seed 1234567.
    #[test]
    fn numbers_are_those_of_the_reference() {
        let mut state = 1_234_567;
        assert_eq!(split_mix(&mut state), 6_457_827_717_110_365_317);
        assert_eq!(split_mix(&mut state), 3_203_168_211_198_807_973);
    }

    #[test]
    fn a_mutant_is_named_exactly() {
        let name = "smt/src/a.rs:1:2: replace f -> Option<u8> with None";
        assert_eq!(escaped(name), r"smt/src/a\.rs:1:2: replace f \-> Option<u8> with None");
    }

    #[test]
    fn nine_of_ten_are_enough() {
        let some = |count: usize| vec![String::new(); count];
        let results = |missed| BTreeMap::from([("smt", [some(8), some(missed), some(1), some(30)])]);
        assert!(enough(&results(1)) && !enough(&results(2)));
        assert!(enough(&BTreeMap::new()));
        let expected = "crate           caught    missed   timeout  unviable\n\
                        smt                  8         2         1        30\n\
                        all                  8         2         1        30\n";
        assert_eq!(table(&results(2)), expected);
    }
}
