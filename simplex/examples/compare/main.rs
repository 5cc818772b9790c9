//! This crate beside isl and MLIR's Presburger library: the same problems, the same answers, and the time of each.
//!
//! `compare [--isl FILE] [--isl-small FILE] [--presburger FILE] [--problems N] [--only TEXT] [--times N]`, with the
//! compiled programs of `harness/`. The number of problems is that of the random ones whose answers are compared with
//! isl's, TEXT is part of the names of the lines to measure, and each problem is solved so many times in a row where
//! caches are hot.

mod generator;
mod loops;
mod nests;
mod problem;
mod random;
mod solve;

use std::error::Error;

use generator::Random;
use problem::{Problem, Rows};
use simplex::{Points, Precision, coalesce};
use solve::{Answers, Cache, Peer, solve};

fn main() -> Result<(), Box<dyn Error>> {
    let mut peers = Vec::new();
    let mut compared = 100_000;
    let mut only = String::new();
    let mut times = 5;
    let mut arguments = std::env::args().skip(1);
    while let Some(flag) = arguments.next() {
        let value = arguments.next().ok_or("a value for each flag")?;
        match flag.as_str() {
            "--isl" => peers.push(Peer::start("isl GMP", &value)?),
            "--isl-small" => peers.push(Peer::start("isl small", &value)?),
            "--presburger" => peers.push(Peer::start("Presburger", &value)?),
            "--problems" => compared = value.parse()?,
            "--only" => only = value,
            "--times" => times = value.parse()?,
            _ => return Err(format!("unknown flag {flag}").into()),
        }
    }
    heading(&peers);
    pivots(&mut peers, &only)?;
    workloads(&mut peers, &only, times)?;
    if let Some(isl) = peers.first_mut() {
        agreement(isl, compared)?;
    }
    Ok(())
}

fn heading(peers: &[Peer]) {
    print!("{:44} {:>10}", "ns", "simplex");
    for peer in peers {
        print!(" {:>12} {:>6}", peer.name, "ratio");
    }
    println!("   same answers");
}

/// One line of the table: the time of one of `parts` equal parts of the problems, here and there.
fn line(name: &str, ours: &Answers, theirs: &[Answers], parts: f64) {
    let nanoseconds = |answers: &Answers| answers.time.as_nanos() as f64 / parts;
    print!("{name:44} {:>10.0}", nanoseconds(ours));
    for answers in theirs {
        print!(" {:>12.0} {:>6.1}", nanoseconds(answers), nanoseconds(answers) / nanoseconds(ours));
    }
    let same = theirs.iter().map(|theirs| {
        let same = ours.answers.iter().zip(&theirs.answers).filter(|(ours, theirs)| ours == theirs);
        format!("{}/{}", same.count(), ours.answers.len())
    });
    println!("   {}", same.collect::<Vec<_>>().join(" "));
    if !ours.widths.is_empty() {
        println!("    widths needed: {:?}", ours.widths);
    }
}

fn pivots(peers: &mut [Peer], only: &str) -> Result<(), Box<dyn Error>> {
    let cache = Cache::Hot { times: 2000 };
    for (name, zeros) in [("dense", 0), ("84 % zeros", 84)] {
        let name = format!("pivot, 30 x 32, {name}");
        if !name.contains(only) {
            continue;
        }
        let problems = [random::pivots(&mut Random::new(7), 30, zeros, 9)];
        let Problem::Pivot(_, places) = &problems[0] else { unreachable!("a pivot") };
        let parts = f64::from(cache.times()) * places.len() as f64;
        let theirs =
            peers.iter_mut().map(|peer| peer.solve(&problems, cache)).collect::<Result<Vec<_>, _>>()?;
        for precision in [Precision::Bits16, Precision::Bits32, Precision::Bits64, Precision::Arbitrary] {
            let ours = solve(&problems, cache, precision);
            line(&format!("{name}, {precision:?}"), &ours, &theirs, parts);
        }
    }
    Ok(())
}

fn workloads(peers: &mut [Peer], only: &str, times: u32) -> Result<(), Box<dyn Error>> {
    let random = &mut Random::new(1);
    let dependences = loops::dependences();
    let optima: Vec<Problem> = (0..600)
        .map(|_| {
            let variables = random.between(2, 26) as usize;
            random::optimum(random, variables)
        })
        .collect();
    let unions: Vec<Problem> = (0..300)
        .map(|_| {
            let (variables, sets) = (random.between(2, 8) as usize, random.between(2, 8) as u64);
            random::union(random, variables, sets)
        })
        .collect();
    let (distances, emptiness, carried) =
        (loops::distances(&dependences), loops::emptiness(&dependences), loops::unions(&dependences));
    let workloads = [
        ("random minima", &optima),
        ("distances of dependences", &distances),
        ("dependences with integer points", &emptiness),
        ("random coalescing", &unions),
        ("coalescing of dependences", &carried),
    ];
    for (name, problems) in workloads {
        let some = &problems[..problems.len().min(100)];
        for (cache, problems) in [(Cache::Hot { times }, &problems[..]), (Cache::Cold, some)] {
            let label = if matches!(cache, Cache::Cold) { "cold" } else { "hot" };
            let name = format!("{name}, {label} ({})", problems.len());
            if !name.contains(only) {
                continue;
            }
            let theirs =
                peers.iter_mut().map(|peer| peer.solve(problems, cache)).collect::<Result<Vec<_>, _>>()?;
            let ours = solve(problems, cache, Precision::Bits16);
            let parts = f64::from(cache.times()) * problems.len() as f64;
            line(&name, &ours, &theirs, parts);
        }
    }
    Ok(())
}

/// Compares answers only: minima of sets of up to 28 columns, emptiness over the integers, and that coalesced unions
/// have the same points.
fn agreement(isl: &mut Peer, compared: u64) -> Result<(), Box<dyn Error>> {
    const BATCH: u64 = 2000;
    const REPORT: u64 = 10 * BATCH;
    let random = &mut Random::new(2);
    let mut tally = Tally::default();
    while tally.minima < compared {
        let minima = BATCH.min(compared - tally.minima);
        tally.minima += minima;
        let problems: Vec<Problem> = (0..minima)
            .map(|_| {
                // The smaller of two: most sets are small.
                let variables = random.between(1, 26).min(random.between(1, 26)) as usize;
                random::optimum(random, variables)
            })
            .collect();
        tally.compare(isl, &problems)?;
        let problems: Vec<Problem> = (0..BATCH / 100)
            .map(|_| {
                let variables = random.between(1, 6) as usize;
                Problem::Integer(random::set(random, variables))
            })
            .collect();
        tally.emptiness += problems.len() as u64;
        tally.compare(isl, &problems)?;
        let problems: Vec<Problem> = (0..BATCH / 1000).map(|_| coalesced(random)).collect();
        tally.unions += problems.len() as u64;
        let answers = isl.solve(&problems, ONCE)?.answers;
        tally.different += answers.iter().filter(|answer| *answer != "equal").count() as u64;
        if tally.minima % REPORT == 0 {
            eprintln!("{tally}");
        }
    }
    println!("{tally}");
    Ok(())
}

const ONCE: Cache = Cache::Hot { times: 1 };

/// What has been compared, and with what outcome.
#[derive(Default)]
struct Tally {
    minima: u64,
    emptiness: u64,
    unions: u64,
    /// Searches for integer points that ended at the limit.
    unknown: u64,
    different: u64,
}

impl Tally {
    /// Solves problems here and there, and shows the first differences.
    fn compare(&mut self, isl: &mut Peer, problems: &[Problem]) -> Result<(), Box<dyn Error>> {
        const SHOWN: u64 = 5;
        let (ours, theirs) = (solve(problems, ONCE, Precision::Bits16), isl.solve(problems, ONCE)?);
        for ((problem, ours), theirs) in problems.iter().zip(&ours.answers).zip(&theirs.answers) {
            if ours == "unknown" {
                self.unknown += 1;
            } else if ours != theirs {
                self.different += 1;
                if self.different <= SHOWN {
                    eprintln!("{ours} here and {theirs} there: {problem:?}");
                }
            }
        }
        Ok(())
    }
}

impl std::fmt::Display for Tally {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let Self { minima, emptiness, unions, unknown, different } = self;
        write!(
            f,
            "compared with isl: {minima} random minima, {emptiness} random sets for integer points ({unknown} \
             searches ended at the limit), {unions} random unions; {different} different"
        )
    }
}

/// A random union and what it is coalesced to.
fn coalesced(random: &mut Random) -> Problem {
    let (variables, sets) = (random.between(1, 3) as usize, random.between(2, 5) as u64);
    let Problem::Coalesce(sets) = random::union(random, variables, sets) else { unreachable!("a union") };
    let fewer = coalesce(&sets.iter().map(Rows::set).collect::<Vec<_>>(), Points::Integer);
    Problem::Equal(sets, fewer)
}
