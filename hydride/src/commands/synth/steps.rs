//! What a program does, step by step, and what it costs: as data, and in words.

use std::fmt::Write as _;

use ::synth::contents::Entry;
use ::synth::program::{Program, Value};
use ::synth::synthesize::Answer;
use ::synth::table::Table;
use ::synth::window::Window;
use serde::Serialize;

use super::targets::Ground;
use crate::costs::Costs;

/// What a program costs.
#[derive(Serialize)]
pub struct Cost {
    /// Cycles between the start of one and the next, where ports are known; else micro-operations, as if each cycle took one.
    pub throughput: f64,
    /// Micro-operations.
    pub uops: u32,
    /// Cycles from the first input to the last result.
    pub latency: u32,
}

impl Cost {
    /// Micro-operations that follow each other in chains of that latency, each in a cycle of its own.
    pub fn new(uops: u32, latency: u32) -> Self {
        Self { throughput: f64::from(uops), uops, latency }
    }
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

/// What a program costs: all micro-operations, the longest chain, and what its instructions take of the ports.
pub fn cost(program: &Program, table: &Table, costs: &Costs) -> Cost {
    let mut ready: Vec<u32> = Vec::new();
    let mut uops = 0;
    for step in &program.steps {
        let instruction = table.instruction(step.op);
        let start = step.operands.iter().map(|operand| available(operand, &ready)).max().unwrap_or(0);
        ready.push(start + instruction.latency);
        uops += instruction.uops;
    }
    let latency = program.outputs.iter().map(|(value, _)| available(value, &ready)).max().unwrap_or(0);
    let forms = program.steps.iter().map(|step| {
        let instruction = table.instruction(step.op);
        (instruction.mnemonic.as_str(), instruction.syntax.as_str())
    });
    let cost = Cost::new(uops, latency);
    // Two digits are more than the tables are worth.
    let round = |cycles: f64| (cycles * 100.0).round() / 100.0;
    Cost { throughput: costs.throughput(forms).map_or(cost.throughput, round), ..cost }
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
        Value::Input(at) => input_name(window, program, *at),
        Value::Step(at) => format!("t{at}"),
        Value::Low(pair) => format!("low({})", shown(window, program, pair)),
        Value::High(pair) => format!("high({})", shown(window, program, pair)),
        Value::Pair(two) => {
            format!("pair({}, {})", shown(window, program, &two.0), shown(window, program, &two.1))
        }
    }
}

/// A register that is there before the first step: elements of a leaf, or a constant.
pub fn input_name(window: &Window, program: &Program, at: usize) -> String {
    match program.inputs[at].load {
        Some((leaf, start)) => format!("{}[{start}..]", window.leaves[leaf as usize].name),
        None => format!("constant {at}"),
    }
}

/// What was chosen, in words.
pub fn explain(answer: &Answer<'_>, table: &Table, ground: &Ground) -> String {
    let window = answer.meaning.window();
    let costs = ground.costs.source().unwrap_or("no table: each instruction is one micro-operation");
    let mut text = format!("{} on {} ({}; {costs}):", window.name, ground.named.name, ground.named.cpu);
    let Some((program, proof)) = &answer.program else {
        let _ = writeln!(text, " no answer: {}", answer.notes.join("; "));
        return text;
    };
    let total = cost(program, table, &ground.costs);
    let _ = writeln!(
        text,
        " {} instructions, {} micro-operations, throughput {}, latency {}; {} states; proof: {} ({} lanes structural, {} by theorem, {} \
         by solver)",
        program.steps.len(),
        total.uops,
        total.throughput,
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
