//! The door to the solver: two functions in, one of three answers out.

use std::time::{Duration, Instant};

use hydride_ir::exact::{Dag, NodeId};
use hydride_ir::{Bits, Function};
use rustc_hash::{FxHashMap, FxHashSet};

use crate::encode::{EncodeError, Piece, encode};
use crate::integers;
use crate::query::Query;
use crate::signature::Signature;
use crate::solve::{Answer, Limits, solve};
use crate::term::{TermId, Terms};
use memo::Memo;

/// The time that one solver query may take unless set otherwise.
const DEFAULT_LIMIT: Duration = Duration::from_secs(10);

/// The solver steps per second of the time limit. An idle machine does two to five million a second: the step
/// limit is reached first unless the machine is very slow or very busy, and it is reached at the same point
/// everywhere.
const STEPS_PER_SECOND: f64 = 500_000.0;

/// Whether two functions are equal.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Verdict {
    /// Equal for all arguments (immediates within their documented range).
    Equal,
    /// Different at least for these arguments.
    Different(Model),
    /// Not decided, or not comparable; the reason is for people.
    Unknown(String),
}

/// Arguments for which two functions give different results.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Model {
    /// A value for each argument, as wide as the argument.
    pub args: Vec<Bits>,
}

/// How a prover's questions were answered so far; a question is a pair of result slices.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Stats {
    /// Slices that were one term on both sides.
    pub structural: u64,
    /// Slices that were sent to the solver.
    pub queries: u64,
    /// Slices whose question had been asked before.
    pub memo_hits: u64,
    /// Solver queries without an answer.
    pub unknown: u64,
    /// Time spent in the solver, in seconds.
    pub seconds: f64,
}

impl std::ops::AddAssign for Stats {
    fn add_assign(&mut self, other: Stats) {
        self.structural += other.structural;
        self.queries += other.queries;
        self.memo_hits += other.memo_hits;
        self.unknown += other.unknown;
        self.seconds += other.seconds;
    }
}

/// A solver session with a memory of the questions asked; one for each worker thread.
///
/// The verdict depends only on the two functions, not on earlier queries: each query runs in a fresh context
/// with fixed seeds on one thread, and is abandoned after a fixed number of solver steps. The time limit is a
/// fallback for unusually slow steps.
pub struct Prover {
    limits: Limits,
    answers: FxHashMap<Vec<u64>, Answer>,
    memo: Memo,
    stats: Stats,
}

impl Default for Prover {
    fn default() -> Self {
        Prover::new()
    }
}

impl Prover {
    /// A prover with a limit of 10 seconds for each query.
    pub fn new() -> Prover {
        Prover::with_time_limit(DEFAULT_LIMIT)
    }

    /// A prover with its own limit for each query. The limit of solver steps goes with it, see
    /// [`Prover::step_limit`].
    pub fn with_time_limit(limit: Duration) -> Prover {
        let steps = (limit.as_secs_f64() * STEPS_PER_SECOND).clamp(1.0, f64::from(u32::MAX)) as u32;
        let limits = Limits { steps, time: limit };
        Prover { limits, answers: FxHashMap::default(), memo: Memo::default(), stats: Stats::default() }
    }

    /// Sets how many steps the solver may take for a query (at least 1), instead of 500,000 for each second
    /// of the time limit. An answer decided by the step limit is the same on any machine.
    #[must_use]
    pub fn step_limit(mut self, steps: u32) -> Prover {
        self.limits.steps = steps.max(1);
        self
    }

    /// Looks answers up in a memo first, and keeps there what is decided.
    #[must_use]
    pub fn with_memo(mut self, memo: Memo) -> Prover {
        self.memo = memo;
        self
    }

    /// The memo, for questions of other kinds.
    pub fn memo(&self) -> &Memo {
        &self.memo
    }

    /// Compares two functions at their parameters' default values.
    ///
    /// Arguments correspond by position and must have equal widths, results too; otherwise the answer is
    /// [`Verdict::Unknown`], as it is for a function that breaks the laws of the IR.
    pub fn equal(&mut self, left: &Function, right: &Function) -> Verdict {
        self.equal_with_params(left, &defaults(left), right, &defaults(right))
    }

    /// Compares two functions at the given values of their parameters.
    pub fn equal_with_params(
        &mut self,
        left: &Function,
        left_params: &[i64],
        right: &Function,
        right_params: &[i64],
    ) -> Verdict {
        let comparison = match Comparison::new(Terms::default(), left, left_params, right, right_params) {
            Ok(comparison) => comparison,
            Err(error) => return Verdict::Unknown(error.to_string()),
        };
        for (left, right) in &comparison.pairs {
            if left == right {
                self.stats.structural += 1;
                continue;
            }
            let query = Query::new(&comparison.terms, [*left, *right], &comparison.signature);
            if query.roots[0] == query.roots[1] {
                self.stats.structural += 1;
                continue;
            }
            match self.ask(&query) {
                Answer::Equal => {}
                Answer::Different(values) => {
                    let args = query.arguments(&values, &comparison.signature);
                    return Verdict::Different(Model { args });
                }
                Answer::Unknown(reason) => return Verdict::Unknown(reason),
            }
        }
        Verdict::Equal
    }

    /// Compares two nodes of one graph of exact integers for all values of its arguments.
    pub fn equal_integers(&mut self, dag: &Dag, left: NodeId, right: NodeId) -> Verdict {
        let (query, signature) = match integers::question(dag, left, right) {
            Ok(question) => question,
            Err(error) => return Verdict::Unknown(error.to_string()),
        };
        if query.roots[0] == query.roots[1] {
            self.stats.structural += 1;
            return Verdict::Equal;
        }
        match self.ask(&query) {
            Answer::Equal => Verdict::Equal,
            Answer::Different(values) => {
                Verdict::Different(Model { args: query.arguments(&values, &signature) })
            }
            Answer::Unknown(reason) => Verdict::Unknown(reason),
        }
    }

    /// What happened so far.
    pub fn stats(&self) -> Stats {
        self.stats
    }

    fn ask(&mut self, query: &Query) -> Answer {
        let key = query.key();
        if let Some(answer) = self.answers.get(&key) {
            self.stats.memo_hits += 1;
            return answer.clone();
        }
        let start = Instant::now();
        let answer = solve(query, self.limits);
        self.stats.queries += 1;
        self.stats.unknown += u64::from(matches!(answer, Answer::Unknown(_)));
        self.stats.seconds += start.elapsed().as_secs_f64();
        self.answers.insert(key, answer.clone());
        answer
    }
}

pub(crate) fn defaults(function: &Function) -> Vec<i64> {
    function.params.iter().map(|param| param.value).collect()
}

/// Two functions over the same variables, cut into corresponding slices.
pub(crate) struct Comparison {
    pub(crate) terms: Terms,
    pub(crate) signature: Signature,
    pub(crate) pairs: Vec<(TermId, TermId)>,
}

impl Comparison {
    pub(crate) fn new(
        mut terms: Terms,
        left: &Function,
        left_params: &[i64],
        right: &Function,
        right_params: &[i64],
    ) -> Result<Comparison, EncodeError> {
        for (function, params) in [(left, left_params), (right, right_params)] {
            if params.len() != function.params.len() {
                return Err(EncodeError::Params {
                    function: function.name.clone(),
                    expected: function.params.len(),
                    given: params.len(),
                });
            }
        }
        let signature = Signature::common(left, left_params, right, right_params)?;
        let left = encode(&mut terms, left, left_params)?;
        let right = encode(&mut terms, right, right_params)?;
        let mut pairs = Vec::new();
        for ((left, right), width) in left.iter().zip(&right).zip(&signature.results) {
            cut(&mut terms, left, right, *width, &mut pairs);
        }
        Ok(Comparison { terms, signature, pairs })
    }
}

/// Cuts one result where an assignment of either side starts, and at the seams that both sides have.
fn cut(terms: &mut Terms, left: &[Piece], right: &[Piece], width: u32, pairs: &mut Vec<(TermId, TermId)>) {
    let mut ends: Vec<u32> = left.iter().chain(right).filter(|piece| !piece.seam).map(|p| p.low).collect();
    let seams: FxHashSet<u32> = left.iter().map(|piece| piece.low).collect();
    ends.extend(right.iter().map(|piece| piece.low).filter(|low| seams.contains(low)));
    ends.push(width);
    ends.sort_unstable();
    ends.dedup();
    let (mut left, mut right) = (left, right);
    for pair in ends.windows(2) {
        pairs.push((slice(terms, &mut left, pair[0], pair[1]), slice(terms, &mut right, pair[0], pair[1])));
    }
}

/// Bits `low .. high` of a result; moves on to the piece that holds bit `high`.
fn slice(terms: &mut Terms, pieces: &mut &[Piece], low: u32, high: u32) -> TermId {
    let mut parts = Vec::new();
    while let [piece, rest @ ..] = *pieces {
        let end = piece.low + terms.width(piece.value);
        let (from, to) = (low.max(piece.low), high.min(end));
        if from < to {
            parts.push(terms.extract(piece.value, from - piece.low, to - from));
        }
        if end > high {
            break;
        }
        *pieces = rest;
    }
    parts.reverse();
    terms.concat(parts)
}
