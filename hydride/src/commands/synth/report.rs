//! Answers in JSON and in words.

use ::synth::synthesize::{Answer, Status};
use ::synth::table::Table;
use anyhow::Result;
use serde::Serialize;

use super::floor::Floor;
use super::functions::Source;
use super::layout::Order;
use super::seed::Seed;
use super::steps::{Cost, Step, cost, steps};
use super::targets::Ground;

#[derive(Serialize)]
struct Line<'a> {
    name: &'a str,
    target: &'a str,
    status: &'static str,
    proof: Option<&'static str>,
    lanes_proved: Option<::synth::certify::Proof>,
    cost: Option<Cost>,
    #[serde(skip_serializing_if = "Option::is_none")]
    own: Option<Own>,
    /// The number of parts of a window that has no program as a whole.
    #[serde(skip_serializing_if = "Option::is_none")]
    parts: Option<usize>,
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    floor: bool,
    instructions: Vec<Step>,
    states: usize,
    #[serde(skip_serializing_if = "<[String]>::is_empty")]
    rules: &'a [String],
    /// Instructions, if each operation was one for each register.
    #[serde(skip_serializing_if = "Option::is_none")]
    plain: Option<u32>,
    #[serde(skip_serializing_if = "<[String]>::is_empty")]
    notes: &'a [String],
    #[serde(skip_serializing_if = "Option::is_none")]
    seed: Option<&'a Seed>,
    /// The order of lanes, where it may be any.
    #[serde(skip_serializing_if = "Option::is_none")]
    layout: Option<&'a Order>,
    seconds: f64,
}

/// What there is beside a program.
#[derive(Clone, Copy, Default)]
pub struct Beside<'a> {
    /// The parts of a window that has none.
    pub floor: Option<&'a Floor>,
    /// The function that was there before.
    pub seed: Option<&'a Seed>,
    /// The order of lanes.
    pub order: Option<&'a Order>,
}

/// What the instruction costs that a function of its name is.
#[derive(Serialize)]
struct Own {
    uops: u32,
    latency: u32,
}

fn own(source: &Source, ground: &Ground) -> Option<Own> {
    let instruction = ground.own(&source.function)?;
    Some(Own { uops: instruction.uops, latency: instruction.latency })
}

/// One line of JSON without its end, for what is no window.
pub fn no_window(source: &Source, why: &str, ground: &Ground) -> Result<String> {
    let line = Line {
        name: &source.name,
        target: &ground.named.name,
        status: "not searched",
        proof: None,
        lanes_proved: None,
        cost: None,
        own: own(source, ground),
        parts: None,
        floor: false,
        instructions: Vec::new(),
        states: 0,
        rules: &[],
        plain: None,
        notes: &[why.to_owned()],
        seed: None,
        layout: None,
        seconds: 0.0,
    };
    Ok(serde_json::to_string(&line)?)
}

/// One line of JSON without its end.
pub fn json(
    source: &Source,
    answer: &Answer<'_>,
    table: &Table,
    ground: &Ground,
    beside: &Beside<'_>,
    seconds: f64,
) -> Result<String> {
    let Beside { floor, seed, order } = *beside;
    let mut line = Line { seed, layout: order, ..line(source, answer, table, ground, floor, seconds) };
    if seed.is_some_and(Seed::is_kept) {
        line.status = "kept";
    }
    Ok(serde_json::to_string(&line)?)
}

/// The same for an answer that rules gave, with the rules' names; unless it was certified besides, its proof is theirs.
pub fn by_rules(
    source: &Source,
    answer: &Answer<'_>,
    table: &Table,
    ground: &Ground,
    rules: &[String],
    certified: bool,
    seconds: f64,
) -> Result<String> {
    let plain = ::rules::plain(answer.meaning.window(), &ground.named.widths);
    let mut line = Line { rules, plain: Some(plain), ..line(source, answer, table, ground, None, seconds) };
    if !certified && line.proof.is_some() {
        (line.proof, line.lanes_proved) = (Some("rules"), None);
    }
    Ok(serde_json::to_string(&line)?)
}

fn line<'a>(
    source: &'a Source,
    answer: &'a Answer<'_>,
    table: &Table,
    ground: &'a Ground,
    floor: Option<&Floor>,
    seconds: f64,
) -> Line<'a> {
    let window = answer.meaning.window();
    let program = answer.program.as_ref();
    let proof = program.map(|(_, proof)| *proof).or(floor.map(Floor::proof));
    let instructions = match (program, floor) {
        (Some((program, _)), _) => steps(window, program, table),
        (None, Some(floor)) => floor.parts.iter().flat_map(|part| part.answer.steps.clone()).collect(),
        (None, None) => Vec::new(),
    };
    let status = match (answer.status, floor) {
        (Status::Exhausted, Some(_)) => Status::Proved,
        (status, _) => status,
    };
    Line {
        name: &window.name,
        target: &ground.named.name,
        status: status.name(),
        proof: proof.map(|proof| proof.name()),
        lanes_proved: proof,
        cost: program.map(|(program, _)| cost(program, table, &ground.costs)).or(floor.map(Floor::cost)),
        own: own(source, ground),
        parts: floor.map(|floor| floor.parts.len()),
        floor: floor.is_some(),
        instructions,
        states: answer.states
            + floor.map_or(0, |floor| floor.parts.iter().map(|part| part.answer.states).sum()),
        rules: &[],
        plain: None,
        notes: &answer.notes,
        seed: None,
        layout: None,
        seconds,
    }
}

/// What is printed in place of code that is not there: a comment, which begins with `mark`.
pub fn missing(answer: &Answer<'_>, mark: &str) -> String {
    format!("{mark} {}: {}\n", answer.meaning.window().name, answer.notes.join("; "))
}
