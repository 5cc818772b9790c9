//! Answers in JSON and in words.

use std::fmt::Write as _;

use ::synth::contents::Entry;
use ::synth::program::{Program, Value};
use ::synth::synthesize::{Answer, Status};
use ::synth::table::Table;
use ::synth::window::Window;
use anyhow::Result;
use serde::Serialize;

use super::floor::Floor;
use super::functions::Source;
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
    seconds: f64,
}

/// What a program costs.
#[derive(Serialize)]
pub struct Cost {
    /// Micro-operations, as if each cycle took one.
    throughput: f64,
    /// Micro-operations.
    pub uops: u32,
    /// Cycles from the first input to the last result.
    pub latency: u32,
}

impl Cost {
    /// Micro-operations that follow each other in chains of that latency.
    pub fn new(uops: u32, latency: u32) -> Self {
        Self { throughput: f64::from(uops), uops, latency }
    }
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
        seconds: 0.0,
    };
    Ok(serde_json::to_string(&line)?)
}

/// A step of a program.
#[derive(Clone, Serialize)]
pub struct Step {
    id: String,
    /// How an assembler calls it.
    pub mnemonic: String,
    operands: Vec<String>,
    immediates: Vec<i64>,
}

impl Step {
    /// Lanes that C's integers compute, whatever instructions a compiler makes of them.
    pub fn in_c(operands: Vec<String>) -> Self {
        Self { id: "C".into(), mnemonic: "C integers, lane by lane".into(), operands, immediates: Vec::new() }
    }
}

/// One line of JSON without its end.
pub fn json(
    source: &Source,
    answer: &Answer<'_>,
    table: &Table,
    ground: &Ground,
    floor: Option<&Floor>,
    seconds: f64,
) -> Result<String> {
    Ok(serde_json::to_string(&line(source, answer, table, ground, floor, seconds))?)
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
        cost: program.map(|(program, _)| cost(program, table)).or(floor.map(Floor::cost)),
        own: own(source, ground),
        parts: floor.map(|floor| floor.parts.len()),
        floor: floor.is_some(),
        instructions,
        states: answer.states
            + floor.map_or(0, |floor| floor.parts.iter().map(|part| part.answer.states).sum()),
        rules: &[],
        plain: None,
        notes: &answer.notes,
        seconds,
    }
}

pub fn cost(program: &Program, table: &Table) -> Cost {
    let mut ready: Vec<u32> = Vec::new();
    let mut uops = 0;
    for step in &program.steps {
        let instruction = table.instruction(step.op);
        let start = step.operands.iter().map(|operand| available(operand, &ready)).max().unwrap_or(0);
        ready.push(start + instruction.latency);
        uops += instruction.uops;
    }
    let latency = program.outputs.iter().map(|(value, _)| available(value, &ready)).max().unwrap_or(0);
    Cost::new(uops, latency)
}

fn available(value: &Value, ready: &[u32]) -> u32 {
    match value {
        Value::Input(_) => 0,
        Value::Step(at) => ready[*at],
        Value::Low(pair) | Value::High(pair) => available(pair, ready),
        Value::Pair(two) => available(&two.0, ready).max(available(&two.1, ready)),
    }
}

/// What is done, in order.
pub fn steps(window: &Window, program: &Program, table: &Table) -> Vec<Step> {
    let step = |step: &::synth::program::Step| {
        let instruction = table.instruction(step.op);
        Step {
            id: instruction.id.clone(),
            mnemonic: instruction.mnemonic.clone(),
            operands: step.operands.iter().map(|operand| shown(window, program, operand)).collect(),
            immediates: table.op(step.op).choices.clone(),
        }
    };
    program.steps.iter().map(step).collect()
}

/// An operand in words: `v0[16..]`, `t3`, `constant 2`.
fn shown(window: &Window, program: &Program, value: &Value) -> String {
    match value {
        Value::Input(at) => match program.inputs[*at].load {
            Some((leaf, start)) => format!("{}[{start}..]", window.leaves[leaf as usize].name),
            None => format!("constant {at}"),
        },
        Value::Step(at) => format!("t{at}"),
        Value::Low(pair) => format!("low({})", shown(window, program, pair)),
        Value::High(pair) => format!("high({})", shown(window, program, pair)),
        Value::Pair(two) => {
            format!("pair({}, {})", shown(window, program, &two.0), shown(window, program, &two.1))
        }
    }
}

/// A name for a window in C.
pub fn c_name(window: &Window) -> String {
    let word = |c: char| if c.is_ascii_alphanumeric() { c } else { '_' };
    format!("window_{}", window.name.chars().map(word).collect::<String>())
}

/// A function in C with what it includes.
pub fn source(ground: &Ground, lines: &[String]) -> String {
    let mut text = String::from("#include <stdint.h>\n");
    for header in &ground.named.headers {
        let _ = writeln!(text, "#include <{header}>");
    }
    text + &lines.join("\n") + "\n"
}

/// What is printed in place of code that is not there.
pub fn missing(answer: &Answer<'_>) -> String {
    format!("// {}: {}\n", answer.meaning.window().name, answer.notes.join("; "))
}

/// What was chosen, in words.
pub fn explain(answer: &Answer<'_>, table: &Table, ground: &Ground) -> String {
    let window = answer.meaning.window();
    let costs = ground.costs.as_deref().unwrap_or("no table: each instruction is one micro-operation");
    let mut text = format!("{} on {} ({}; {costs}):", window.name, ground.named.name, ground.named.cpu);
    let Some((program, proof)) = &answer.program else {
        let _ = writeln!(text, " no answer: {}", answer.notes.join("; "));
        return text;
    };
    let total = cost(program, table);
    let _ = writeln!(
        text,
        " {} instructions, {} micro-operations, latency {}; {} states; proof: {} ({} lanes structural, {} by theorem, {} \
         by solver)",
        program.steps.len(),
        total.uops,
        total.latency,
        answer.states,
        proof.name(),
        proof.structural,
        proof.theorem,
        proof.solver
    );
    for (at, step) in program.steps.iter().enumerate() {
        let instruction = table.instruction(step.op);
        let operands: Vec<String> =
            step.operands.iter().map(|operand| shown(window, program, operand)).collect();
        let held = step.content.iter().find_map(|entry| match entry {
            Entry::Value(value, lane) => {
                Some(format!("{} (lane {lane} first)", answer.meaning.dag.show(*value)))
            }
            Entry::Element(element) => {
                Some(format!("{} element {}", window.leaves[element.leaf as usize].name, element.index))
            }
            _ => None,
        });
        let _ = writeln!(
            text,
            "  t{at} = {} {}{}: {} uops, latency {}; holds {} in {} bits",
            instruction.id,
            operands.join(", "),
            table.op(step.op).choices.iter().map(|choice| format!(", {choice}")).collect::<String>(),
            instruction.uops,
            instruction.latency,
            held.unwrap_or_else(|| "elements".into()),
            step.container
        );
    }
    text
}
