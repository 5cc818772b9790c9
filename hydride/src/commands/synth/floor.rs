//! Windows for which no program was found as a whole: in parts, each with a program of its own, else in C's integers.

use std::sync::atomic::AtomicBool;
use std::time::Instant;

use ::synth::c_element;
use ::synth::certify::Proof;
use ::synth::parts::{Part, in_parts};
use ::synth::scalar::lanes;
use ::synth::synthesize::prover;
use ::synth::window::{Meaning, Window};
use anyhow::{Result, anyhow};
use memo::Memo;

use super::solve;
use super::steps::{self, Cost, Step};
use super::targets::Ground;

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
    let start = Instant::now();
    let mut whole = |part: &Window| {
        let left = match max_seconds {
            0 => 0,
            most => most.saturating_sub(start.elapsed().as_secs()).max(1),
        };
        let (mut answer, table) = solve(part, ground, memo, stop, left, None);
        let explanation = steps::explain(&answer, &table, ground);
        let (program, proof) = answer.program.take()?;
        let body = ::synth::c_body(
            &mut answer.meaning,
            &table,
            &program,
            ground.syntax.as_ref(),
            ::synth::Leaves::Pointers,
        )
        .ok()?;
        Some(Solved {
            body,
            cost: steps::cost(&program, &table, &ground.costs),
            steps: steps::steps(part, &program, &table),
            proof,
            explanation,
            states: answer.states,
        })
    };
    let mut by_lanes = |part: &Window| -> Result<Solved> {
        let mut meaning = Meaning::new(part);
        let lanes = lanes(&mut meaning, &mut prover()).map_err(|error| anyhow!("{error}"))?;
        let (uops, latency) = (lanes.operations(), lanes.depth());
        let operands = part.leaves.iter().map(|leaf| leaf.name.clone()).collect();
        Ok(Solved {
            body: lanes.c_body(&meaning)?,
            cost: Cost::new(uops, latency),
            steps: vec![Step::in_c(operands)],
            proof: lanes.proof,
            explanation: format!("{name}: lane by lane in C's integers, {uops} operations\n"),
            states: 0,
        })
    };
    let parts = in_parts(window, &mut whole, &mut by_lanes)?;
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
