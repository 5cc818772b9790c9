//! `--emit dot`: programs as graphs that Graphviz draws.

use std::fmt::Write as _;

use ::synth::program::{Program, Value};
use ::synth::table::Table;
use ::synth::window::Window;
use petgraph::dot::{Config, Dot};
use petgraph::graph::{DiGraph, EdgeReference, NodeIndex};

use super::steps::{cost, input_name};
use super::targets::Ground;

/// A node: what is written in it, and its shape.
#[derive(Debug)]
struct Node {
    label: String,
    shape: &'static str,
}

/// A program as a graph from its inputs to the registers of its result: instructions with their cost, and what they take by position.
pub fn picture(window: &Window, program: &Program, table: &Table, ground: &Ground) -> String {
    let mut graph: DiGraph<Node, String> = DiGraph::new();
    let mut node = |label: String, shape: &'static str| graph.add_node(Node { label, shape });
    let inputs: Vec<NodeIndex> =
        (0..program.inputs.len()).map(|at| node(input_name(window, program, at), "plaintext")).collect();
    let steps: Vec<NodeIndex> = program
        .steps
        .iter()
        .map(|step| {
            let instruction = table.instruction(step.op);
            let choices: String =
                table.op(step.op).choices.iter().map(|choice| format!(", {choice}")).collect();
            let (uops, latency) = (instruction.uops, instruction.latency);
            let id = &instruction.id;
            node(format!("{}{choices}\n{id}\n{uops} uops, latency {latency}", instruction.mnemonic), "box")
        })
        .collect();
    let mut lane = 0;
    let outputs: Vec<NodeIndex> = program
        .outputs
        .iter()
        .map(|(_, content)| {
            let from = lane;
            lane += content.len();
            node(format!("result[{from}..]"), "plaintext")
        })
        .collect();
    let ends = steps.iter().zip(&program.steps).flat_map(|(node, step)| {
        step.operands.iter().enumerate().map(move |(at, operand)| (operand, *node, at.to_string()))
    });
    let ends = ends
        .chain(outputs.iter().zip(&program.outputs).map(|(node, (value, _))| (value, *node, String::new())));
    for (value, to, label) in ends {
        edges(value, &label, &mut |from, label| {
            let from = match from {
                Value::Input(at) => inputs[*at],
                Value::Step(at) => steps[*at],
                _ => return,
            };
            graph.add_edge(from, to, label.to_owned());
        });
    }
    let costs = cost(program, table, &ground.costs);
    let mut text = format!(
        "// {} on {}: {} micro-operations, throughput {}, latency {}\n",
        window.name, ground.named.name, costs.uops, costs.throughput, costs.latency
    );
    let labels = |_: &DiGraph<Node, String>, (_, node): (NodeIndex, &Node)| {
        format!("label = {:?} shape = {}", node.label, node.shape)
    };
    let numbers =
        |_: &DiGraph<Node, String>, edge: EdgeReference<'_, String>| format!("label = {:?}", edge.weight());
    let config = [Config::EdgeNoLabel, Config::NodeNoLabel];
    let _ = writeln!(text, "{:?}", Dot::with_attr_getters(&graph, &config, &numbers, &labels));
    text
}

/// The inputs and steps that a value consists of, each with the operand's label and which half it is.
fn edges(value: &Value, label: &str, to: &mut dyn FnMut(&Value, &str)) {
    match value {
        Value::Input(_) | Value::Step(_) => to(value, label),
        Value::Low(pair) => edges(pair, format!("{label} low").trim_start(), to),
        Value::High(pair) => edges(pair, format!("{label} high").trim_start(), to),
        Value::Pair(two) => {
            edges(&two.0, label, to);
            edges(&two.1, label, to);
        }
    }
}
