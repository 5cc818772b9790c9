//! Solutions with this crate and with the other libraries' programs.

use std::collections::BTreeMap;
use std::hint::black_box;
use std::io::{BufRead, BufReader, Write};
use std::process::{Child, ChildStdout, Command, Stdio};
use std::time::Duration;

use rustix::time::{ClockId, clock_gettime};

use simplex::measure::Pivots;
use simplex::{Affine, BasicSet, IntegerPoint, Points, Precision, Simplex, coalesce};

use crate::problem::{Problem, Rows};

/// Parts of a set that a search for an integer point may look at.
const LIMIT: usize = 1000;

/// How problems are repeated.
#[derive(Clone, Copy)]
pub enum Cache {
    /// Each several times in a row.
    Hot { times: u32 },
    /// Each once, after other data has filled the caches.
    Cold,
}

impl Cache {
    pub fn times(self) -> u32 {
        match self {
            Self::Hot { times } => times,
            Self::Cold => 1,
        }
    }
}

/// The CPU time of this thread: other processes may keep the machine busy.
fn cpu_time() -> Duration {
    let time = clock_gettime(ClockId::ThreadCPUTime);
    Duration::new(time.tv_sec.unsigned_abs(), time.tv_nsec as u32)
}

/// The CPU time of all solutions and the answer to each problem.
pub struct Answers {
    pub time: Duration,
    pub answers: Vec<String>,
    /// How many minima needed each width; only for this crate.
    pub widths: BTreeMap<Precision, usize>,
}

/// A problem in this crate's own types, as the others have it in theirs before the time starts.
enum Prepared {
    Optimum(BasicSet, Affine),
    Integer(BasicSet),
    Coalesce(Vec<BasicSet>),
    Pivot(Pivots, Vec<(usize, usize)>),
}

/// Solves problems with this crate. Matrices to be pivoted begin with the given width.
pub fn solve(problems: &[Problem], cache: Cache, precision: Precision) -> Answers {
    let mut time = Duration::ZERO;
    let mut answers = Vec::with_capacity(problems.len());
    let mut widths = BTreeMap::new();
    let mut memory = vec![1u8; if matches!(cache, Cache::Cold) { 64 << 20 } else { 0 }];
    for problem in problems {
        let mut prepared = prepare(problem, precision);
        memory.iter_mut().step_by(64).for_each(|byte| *byte = black_box(byte.wrapping_add(1)));
        let begin = cpu_time();
        let mut solved = None;
        for _ in 0..cache.times() {
            solved = Some(black_box(run(&mut prepared)));
        }
        time += cpu_time() - begin;
        if let Some(Solved::Optimum(_, width)) = solved {
            *widths.entry(width).or_default() += 1;
        }
        answers.push(solved.map_or_else(String::new, |solved| solved.text()));
    }
    Answers { time, answers, widths }
}

fn prepare(problem: &Problem, precision: Precision) -> Prepared {
    match problem {
        Problem::Optimum(rows, objective) => {
            Prepared::Optimum(rows.set(), Affine::new(objective.iter().copied(), 0))
        }
        Problem::Integer(rows) => Prepared::Integer(rows.set()),
        Problem::Coalesce(sets) => Prepared::Coalesce(sets.iter().map(Rows::set).collect()),
        Problem::Pivot(rows, places) => {
            Prepared::Pivot(Pivots::new(rows, precision).expect("numbers that fit"), places.clone())
        }
        Problem::Equal(..) => unreachable!("a question for the others"),
    }
}

enum Solved {
    Optimum(simplex::Optimum, Precision),
    Integer(IntegerPoint),
    Coalesced(Vec<BasicSet>),
    Pivoted(bool),
}

impl Solved {
    fn text(&self) -> String {
        match self {
            Self::Optimum(optimum, _) => optimum.to_string(),
            Self::Integer(IntegerPoint::None) => "empty".to_owned(),
            Self::Integer(IntegerPoint::Found(_)) => "point".to_owned(),
            Self::Integer(IntegerPoint::Unknown) => "unknown".to_owned(),
            Self::Coalesced(sets) => sets.len().to_string(),
            Self::Pivoted(true) => "done".to_owned(),
            Self::Pivoted(false) => "overflow".to_owned(),
        }
    }
}

fn run(prepared: &mut Prepared) -> Solved {
    match prepared {
        Prepared::Optimum(set, objective) => {
            let mut simplex = Simplex::from_constraints(set.dimension, &set.constraints);
            Solved::Optimum(simplex.minimum(objective), simplex.precision())
        }
        Prepared::Integer(set) => {
            Solved::Integer(Simplex::from_constraints(set.dimension, &set.constraints).integer_point(LIMIT))
        }
        Prepared::Coalesce(sets) => Solved::Coalesced(coalesce(sets, Points::Integer)),
        Prepared::Pivot(pivots, places) => Solved::Pivoted(pivots.pivot(places)),
    }
}

/// Another library's program, which reads problems and writes answers.
pub struct Peer {
    pub name: &'static str,
    child: Child,
    output: BufReader<ChildStdout>,
}

impl Peer {
    pub fn start(name: &'static str, program: &str) -> std::io::Result<Self> {
        let mut child = Command::new(program).stdin(Stdio::piped()).stdout(Stdio::piped()).spawn()?;
        let output = BufReader::new(child.stdout.take().expect("a pipe"));
        Ok(Self { name, child, output })
    }

    pub fn solve(&mut self, problems: &[Problem], cache: Cache) -> std::io::Result<Answers> {
        let mode = if matches!(cache, Cache::Cold) { "cold" } else { "hot" };
        let mut text = format!("{} {mode} {} {}\n", problems[0].kind(), problems.len(), cache.times());
        problems.iter().for_each(|problem| problem.write(&mut text));
        let input = self.child.stdin.as_mut().expect("a pipe");
        input.write_all(text.as_bytes())?;
        input.flush()?;
        let mut line = || -> std::io::Result<String> {
            let mut line = String::new();
            self.output.read_line(&mut line)?;
            Ok(line.trim().to_owned())
        };
        let nanoseconds = line()?.parse().map_err(|_| std::io::Error::other("the program ended early"))?;
        let answers = (0..problems.len()).map(|_| line()).collect::<std::io::Result<_>>()?;
        Ok(Answers { time: Duration::from_nanos(nanoseconds), answers, widths: BTreeMap::new() })
    }
}

impl Drop for Peer {
    fn drop(&mut self) {
        drop(self.child.stdin.take());
        let _ = self.child.wait();
    }
}
