//! Windows for which no program was found as a whole: in parts, each with a program of its own, else in C's integers.

use std::sync::atomic::AtomicBool;
use std::time::Instant;

use ::synth::c_element;
use ::synth::certify::Proof;
use ::synth::parts::{Part, Solver, in_parts};
use ::synth::scalar::lanes;
use ::synth::synthesize::prover;
use ::synth::window::{Meaning, Window};
use anyhow::{Error, Result, anyhow};
use memo::{Key, Memo};

use super::steps::{self, Cost, Step};
use super::targets::Ground;
use super::{answer_key, parts_key, solve};

/// A search of more states than this may have ended before all were looked at.
const MANY_STATES: usize = 1024;

/// What a part is computed by.
pub struct Solved {
    body: Vec<String>,
    /// What it costs.
    pub cost: Cost,
    /// Its instructions; of lanes in C's integers one that says so.
    pub steps: Vec<Step>,
    /// How it was proved.
    pub proof: Proof,
    /// What was chosen, in words.
    pub explanation: String,
    /// States that were looked at.
    pub states: usize,
    /// Whether there may be a cheaper program, since its search was not finished.
    is_open: bool,
}

/// A window in parts.
pub struct Floor {
    /// The parts in order.
    pub parts: Vec<Part<Solved>>,
    /// The lines of the function in C.
    pub lines: Vec<String>,
}

/// A proved answer for a window that has none as a whole; the reason where a part cannot be proved.
pub fn floor(
    window: &Window,
    ground: &Ground,
    memo: &Memo,
    stop: &AtomicBool,
    max_seconds: u64,
    name: &str,
) -> Result<Floor> {
    let mut search =
        Search { ground, memo, stop, max_seconds, name, start: Instant::now(), keys: Vec::new() };
    let parts = in_parts(window, &mut search)?;
    let list = parts_key(&answer_key(window, ground));
    if memo.get::<Vec<Key>>(&list).is_none_or(|known| known != search.keys) {
        memo.put(list, &search.keys);
    }
    let mut parameters = vec![format!("{} *restrict result", c_element(window.ty())?)];
    for leaf in &window.leaves {
        let ty = c_element(leaf.ty)?;
        parameters.push(match leaf.scalar {
            true => format!("{ty} {}", leaf.name),
            false => format!("const {ty} *restrict {}", leaf.name),
        });
    }
    let mut lines = vec![format!("void {name}({})", parameters.join(", ")), "{".into()];
    for part in &parts {
        let ty = part.window.ty();
        if let Some(own) = &part.name {
            lines.push(format!("  {} {own}[{}];", c_element(ty)?, ty.lanes));
            lines.push(format!("  {{ {} *restrict result = {own};", c_element(ty)?));
        } else {
            lines.push("  {".into());
        }
        lines.extend(part.answer.body.iter().cloned());
        lines.push("  }".into());
    }
    lines.push("}".into());
    Ok(Floor { parts, lines })
}

/// The search for parts.
struct Search<'a> {
    ground: &'a Ground,
    memo: &'a Memo,
    stop: &'a AtomicBool,
    max_seconds: u64,
    /// The window's name.
    name: &'a str,
    start: Instant,
    /// Under which the parts' answers are kept.
    keys: Vec<Key>,
}

impl Search<'_> {
    /// Seconds that are left for parts, at least one; 0 for no end.
    fn left(&self) -> u64 {
        match self.max_seconds {
            0 => 0,
            most => most.saturating_sub(self.start.elapsed().as_secs()).max(1),
        }
    }
}

impl Solver<Solved, Error> for Search<'_> {
    fn solve(&mut self, part: &Window) -> Option<Solved> {
        let Self { ground, memo, stop, .. } = *self;
        self.keys.push(answer_key(part, ground));
        let (mut answer, table) = solve(part, ground, memo, stop, self.left(), None);
        let explanation = steps::explain(&answer, &table, ground);
        let (program, proof) = answer.program.take()?;
        let syntax = ground.syntax.as_ref();
        let leaves = ::synth::Leaves::Pointers;
        let body = ::synth::c_body(&mut answer.meaning, &table, &program, syntax, leaves).ok()?;
        Some(Solved {
            body,
            cost: steps::cost(&program, &table, &ground.costs),
            steps: steps::steps(part, &program, &table),
            proof,
            explanation,
            states: answer.states,
            is_open: answer.states > MANY_STATES,
        })
    }

    fn last(&mut self, part: &Window) -> Result<Solved> {
        let mut meaning = Meaning::new(part);
        let lanes = lanes(&mut meaning, &mut prover()).map_err(|error| anyhow!("{error}"))?;
        let (uops, latency) = (lanes.operations(), lanes.depth());
        let operands = part.leaves.iter().map(|leaf| leaf.name.clone()).collect();
        Ok(Solved {
            body: lanes.c_body(&meaning)?,
            cost: Cost::new(uops, latency),
            steps: vec![Step::in_c(operands)],
            proof: lanes.proof,
            explanation: format!("{}: lane by lane in C's integers, {uops} operations\n", self.name),
            states: 0,
            is_open: false,
        })
    }

    fn is_open(&self, answer: &Solved) -> bool {
        answer.is_open && self.left() != 1
    }

    /// Micro-operations, and a store and a load for each register that another part reads.
    fn cost(&self, part: &Part<Solved>) -> u64 {
        let widest = self.ground.named.widths.last().copied().unwrap_or(u32::MAX);
        let registers = part.window.ty().bits().div_ceil(widest);
        let passed = if part.name.is_some() { 2 * registers } else { 0 };
        u64::from(part.answer.cost.uops + passed)
    }
}

impl Floor {
    /// What all parts cost, one after the other.
    pub fn cost(&self) -> Cost {
        let sum = |of: fn(&Cost) -> u32| self.parts.iter().map(|part| of(&part.answer.cost)).sum();
        let throughput = self.parts.iter().map(|part| part.answer.cost.throughput).sum();
        Cost { throughput, ..Cost::new(sum(|cost| cost.uops), sum(|cost| cost.latency)) }
    }

    /// How many lanes of all parts were proved in which way.
    pub fn proof(&self) -> Proof {
        let mut all = Proof::default();
        for part in &self.parts {
            all.structural += part.answer.proof.structural;
            all.theorem += part.answer.proof.theorem;
            all.solver += part.answer.proof.solver;
        }
        all
    }
}
